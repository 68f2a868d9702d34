package configs

// Error marks an error that is the configuration's: a binding that there is not, a
// sensor that the model does not have, an option that the task does not know.
type Error struct{ Err error }

// Error is the message of the error itself.
func (e Error) Error() string { return e.Err.Error() }

// Unwrap returns the error itself.
func (e Error) Unwrap() error { return e.Err }
