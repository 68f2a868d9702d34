// Package live runs worlds that programs can watch and steer while they run.
//
// A [Server] owns an env. One goroutine, the one that calls [Server.Run], steps the worlds
// and touches nothing else; programs reach them only by intents, which it applies at the
// next decision point, and by the frames that it publishes there:
//
//	any goroutine                         the goroutine of Run
//	Submit: check, number ──▶ inbox ──▶   decision point: apply in order, write to the log
//	                                      one control step of all worlds
//	Next: copy, send      ◀── ring ◀──    encode one frame, for all clients
//
// An intent is checked where it arrives, against what does not change during a run, so a bad one never reaches a
// world. A frame is encoded once, as the difference from the frame before, into a ring that all clients read at their
// own pace; a client that falls behind skips to a key frame. No client can make a step wait.
//
// The package has no network. Package live/transport serves it by gRPC and WebSocket, and
// live/wire has the messages. docs/explanation/live.md describes the whole, docs/reference/live-protocol.md
// the messages.
package live
