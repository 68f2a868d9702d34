// Package training implements the work behind the commands of train: [Train] learns a policy in a run folder,
// [Evaluate] measures one, [Rollout] records a dataset, [Play] drives worlds by the wall clock, and [Replay] executes
// a run again and compares it with its log. It defines the layout of run folders, the checkpoints in them, and the
// policies of rollouts ([Policy]).
//
// No call changes its configuration. Each call opens worlds of its own and closes them
// before it returns. Calls may run at the same time on different folders.
//
// An error that the caller can correct, in the configuration or an option, is of type [env.ConfigError].
package training
