package training

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// usagef returns an error that the caller can correct.
func usagef(format string, args ...any) error {
	return env.ConfigError{Err: fmt.Errorf(format, args...)}
}

func wantConfig(c *configs.Config) error {
	if c == nil {
		return usagef("no configuration given (nil), want one, such as of configs.Load")
	}
	return nil
}

// wantReset returns an error unless worlds begin the next episode by themselves.
func wantReset(c *configs.Config, purpose string) error {
	if c.Autoreset == sim.Disabled {
		return usagef("autoreset is %s, want %s or %s to %s", c.Autoreset, sim.SameStep, sim.NextStep, purpose)
	}
	return nil
}

func wantPolicy[P any](p *P) error {
	if p == nil {
		return usagef("no policy given (nil), want one, such as of OpenPolicy")
	}
	return nil
}

func readJSON(path string, dst any) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, dst); err != nil {
		return fmt.Errorf("%s is damaged: %w", path, err)
	}
	return nil
}

// asUsage marks err as one that the caller can correct; nil stays nil.
func asUsage(err error) error {
	if err == nil {
		return nil
	}
	return env.ConfigError{Err: err}
}
