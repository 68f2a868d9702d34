// Package rundir is the layout of a run's folder: the names of its files, the lock on it, the checkpoints in it, and the
// reports, evaluations and digests that its JSON files hold. It opens no worlds.
//
// An error that the caller can correct is of type [env.ConfigError].
package rundir
