// Package serving runs live worlds, which clients watch and steer, and goes on with those that were stopped or killed:
// [Serve]. [Decisions] reads what clients decided from the log of such a run.
//
// An error that the caller can correct is of type [env.ConfigError].
package serving
