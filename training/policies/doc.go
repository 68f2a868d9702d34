// Package policies opens the policies of rollouts: random actions, zeros, a trained policy, a script, which is a table of
// actions by step or by time, or an ONNX model of another program. [Policy.In] makes a policy act in worlds.
//
// An error that the caller can correct is of type [env.ConfigError].
package policies
