package training

import "fmt"

// UsageError marks an error that the caller can correct: an option, a configuration
// that does not suit what is to be done with it, a policy that is not there.
type UsageError struct{ error }

// Unwrap returns the error itself.
func (e UsageError) Unwrap() error { return e.error }

func usagef(format string, args ...any) error { return UsageError{fmt.Errorf(format, args...)} }

// asUsage marks an error; nil stays nil.
func asUsage(err error) error {
	if err == nil {
		return nil
	}
	return UsageError{err}
}
