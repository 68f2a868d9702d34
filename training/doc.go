// Package training learns: [Train] learns a policy in a run folder, [Parts] with worlds in other processes, each a
// [Collector], [Replay] executes any run again and compares it with its log, and [Verify] trains again and compares.
// Around it are packages of one thing each: rundir has run folders, policies what acts, rollouts records, evaluates and
// merges, serving has live runs, and sweep trainings by the dozen.
//
// No call changes its configuration. Each call opens worlds of its own and closes them
// before it returns. Calls may run at the same time on different folders.
//
// An error that the caller can correct, in the configuration or an option, is of type [env.ConfigError].
package training
