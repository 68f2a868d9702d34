package configs

// Error wraps an error in a configuration that is found only after it was loaded, such as an unknown binding,
// a sensor that the model does not have, or an unknown option of a task. Commands exit with code 2 for it.
type Error struct{ Err error }

// Error returns the message of the wrapped error.
func (e Error) Error() string { return e.Err.Error() }

// Unwrap returns the wrapped error.
func (e Error) Unwrap() error { return e.Err }
