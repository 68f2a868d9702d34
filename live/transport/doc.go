// Package transport serves a live run to programs by gRPC and to pages by WebSocket, with
// the same messages, those of package live/wire.
//
// What arrives from the network is limited before it is looked at: connections, the time
// until a client has said who it is, the size of messages. Only then a token decides the
// role of the client, and package live checks every intent.
package transport
