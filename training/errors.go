package training

import (
	"fmt"

	"github.com/polyrhythm-rl/polyrhythm/env"
)

// usagef returns an error that the caller can correct.
func usagef(format string, args ...any) error {
	return env.ConfigError{Err: fmt.Errorf(format, args...)}
}

// asUsage marks err as one that the caller can correct; nil stays nil.
func asUsage(err error) error {
	if err == nil {
		return nil
	}
	return env.ConfigError{Err: err}
}
