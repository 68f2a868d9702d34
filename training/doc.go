// Package training runs what the commands of train run: [Train] learns a policy in a
// run folder, [Evaluate] measures one, [Rollout] records a dataset, and [Replay]
// executes a run again and compares it with its log. It owns the layout of run folders,
// the checkpoints in them, and what acts in a rollout ([Policy]).
//
// A configuration comes from package configs; it is not changed. Each call opens
// worlds of its own and closes them before it returns. Calls may run at the same time,
// on different folders.
//
// An error that the caller can correct is a [UsageError] or an [env.ConfigError].
package training
