package usage

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/internal/container"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// Errorf returns an error that the caller can correct.
func Errorf(format string, args ...any) error {
	return env.ConfigError{Err: fmt.Errorf(format, args...)}
}

// WantConfig returns an error if there is no configuration.
func WantConfig(c *configs.Config) error {
	if c == nil {
		return Errorf("no configuration given (nil), want one, such as of configs.Load")
	}
	return nil
}

// WantReset returns an error unless worlds begin the next episode by themselves.
func WantReset(c *configs.Config, purpose string) error {
	if c.Autoreset == sim.Disabled {
		return Errorf("autoreset is %s, want %s or %s to %s", c.Autoreset, sim.SameStep, sim.NextStep, purpose)
	}
	return nil
}

// WantPolicy returns an error if there is no policy.
func WantPolicy[P any](p *P) error {
	if p == nil {
		return Errorf("no policy given (nil), want one, such as of OpenPolicy")
	}
	return nil
}

// Mark marks err as one that the caller can correct; nil stays nil.
func Mark(err error) error {
	if err == nil {
		return nil
	}
	return env.ConfigError{Err: err}
}

// MarkKind is [Mark] for an error which says that a file is of another kind than what is read. Use it for a file that the
// caller names: in one of our own it is damage.
func MarkKind(err error) error {
	if errors.As(err, new(*container.OtherError)) {
		return Mark(err)
	}
	return err
}

// WantMode returns an error, which ends in why, unless mode is one of modes.
func WantMode(mode runners.Mode, why string, modes ...runners.Mode) error {
	if slices.Contains(modes, mode) {
		return nil
	}
	names := make([]string, len(modes))
	for i, m := range modes {
		names[i] = m.String()
	}
	return Errorf("time.mode is %s, want %s: %s", mode, strings.Join(names, " or "), why)
}
