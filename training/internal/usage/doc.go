// Package usage makes the errors of training that the caller can correct: they are of type [env.ConfigError].
package usage
