package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/internal/runlog"
	"github.com/polyrhythm-rl/polyrhythm/rl"
)

// newReplay executes a run again and compares it with its log.
func newReplay() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "replay RUN",
		Short: "Execute a run again and say whether it is the same, bit for bit",
		Long: "Execute a run again from its log, run.log in the folder RUN, and compare the states of all worlds. " +
			"The answer is that they are identical, or the first control step, world and part of its state that differs. " +
			"Nothing is written. Exit code 0 means identical; 1 that the run diverged or its log is damaged.",
		Args: cobra.ExactArgs(1),
	}
	workers := cmd.Flags().Int("workers", 0, "step worlds on `N` threads; 0 for one per CPU")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if *workers < 0 {
			return usagef("--workers: want at least 0, got %d", *workers)
		}
		steps, worlds, err := replay(cmd.Context(), cmd.ErrOrStderr(), args[0], *workers)
		if errors.As(err, new(*runlog.Damage)) && steps > 0 {
			return fmt.Errorf("%w; the %d steps before are identical", err, steps)
		}
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "identical, %d steps of %d worlds\n", steps, worlds)
		return err
	}
	return cmd
}

// replay executes the run in a folder again. It returns the number of control
// steps that were compared.
func replay(ctx context.Context, stderr io.Writer, folder string, workers int) (steps int64, worlds int, err error) {
	path := filepath.Join(folder, logFile)
	log, config, err := env.CompareLog(path)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return 0, 0, usagef("%s holds no run log: %w", folder, err)
		}
		return 0, 0, err
	}
	h := log.Header()
	noteVersions(stderr, h)
	config.Workers = workers
	opt := env.Options{Workers: workers, Episodes: h.Episodes, Log: log}
	switch h.Kind {
	case kindTrain:
		err = replayTraining(ctx, stderr, folder, config, opt)
	case kindRollout:
		err = replayRollout(ctx, stderr, folder, config, opt)
	default:
		if err = log.Close(); err == nil {
			steps, err = env.Replay(path, workers)
		}
		return steps, h.Worlds, err
	}
	if errors.Is(err, runlog.ErrEnd) {
		err = nil
	}
	return log.Steps(), h.Worlds, err
}

// noteVersions says what decides bits and is not as it was when the run was made.
func noteVersions(stderr io.Writer, h runlog.Header) {
	now := env.LogHeader(&configs.Config{}, env.Options{}).Versions
	now[kernelVersion] = rl.Kernel()
	for _, name := range slices.Sorted(maps.Keys(h.Versions)) {
		if h.Versions[name] != now[name] {
			fmt.Fprintf(stderr, "note: the run was made with %s %s, this is %s\n", name, h.Versions[name], now[name])
		}
	}
}

// driverOf reads the checkpoint that a run keeps because it was driven by it; nil
// if it has none.
func driverOf(folder string, h runlog.Header) (*rl.Checkpoint, error) {
	path, err := keptDriver(folder, driverFile, checkpointPolicy, h)
	if err != nil || path == "" {
		return nil, err
	}
	return readCheckpoint(path)
}

// keptDriver is the path of the file in which a run's folder keeps what drove it; ""
// if there is none.
func keptDriver(folder, name, kind string, h runlog.Header) (string, error) {
	want, ok := h.Driver[driverCheckpoint]
	if !ok {
		return "", nil
	}
	path := filepath.Join(folder, name)
	data, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	if got := checksum(data); got != want {
		return "", fmt.Errorf("%s has CRC32C %s, the run log says %s: it is not the %s that drove the run", path, got, want, kind)
	}
	return path, nil
}

// replayTraining learns again. It ends with the log's error, or with that of
// closing the worlds.
func replayTraining(ctx context.Context, stderr io.Writer, folder string, config *configs.Config, opt env.Options) error {
	t := &training{config: config}
	var err error
	if t.from, err = driverOf(folder, opt.Log.Header()); err != nil {
		return errors.Join(err, opt.Log.Close())
	}
	if err := t.begin(opt); err != nil {
		return errors.Join(err, t.close())
	}
	bar := newProgress(stderr, "replaying "+config.Task.Name, int64(config.Training.Steps))
	defer bar.Close()
	err = ctx.Err()
	for err == nil && t.learner.EnvSteps() < int64(config.Training.Steps) {
		if _, err = t.learner.Iterate(); err == nil {
			bar.Update(t.learner.EnvSteps(), "identical so far")
			err = ctx.Err()
		}
	}
	return verdict(err, t.close())
}

// replayRollout records nothing and compares everything.
func replayRollout(ctx context.Context, stderr io.Writer, folder string, config *configs.Config, opt env.Options) error {
	h := opt.Log.Header()
	act, err := behaviourOf(folder, h)
	if err == nil && h.Driver[driverSteps] != "" {
		opt.Steps, err = strconv.ParseInt(h.Driver[driverSteps], 10, 64)
	}
	if err != nil {
		return errors.Join(err, opt.Log.Close())
	}
	e, err := env.Open(config, opt)
	if err != nil {
		return err
	}
	bar := newProgress(stderr, "replaying "+config.Task.Name, max(h.Episodes, opt.Steps))
	defer bar.Close()
	p, err := paceOf(config.Time, true)
	if err != nil {
		return errors.Join(err, e.Close())
	}
	_, err = roll(ctx, e, p, config, act, bar, opt.Steps > 0)
	return verdict(err, e.Close())
}

// behaviourOf is what acted in a rollout.
func behaviourOf(folder string, h runlog.Header) (behaviour, error) {
	b := behaviour{kind: h.Driver[driverPolicy]}
	name, kind := driverFile, checkpointPolicy
	if b.kind == scriptPolicy {
		name, kind = scriptFile, scriptPolicy
	}
	path, err := keptDriver(folder, name, kind, h)
	if err == nil {
		err = b.read(path)
	}
	return b, err
}

// verdict is what a replay ended with: the error of its last segment or, where
// it came to an end without one, that of closing the log.
func verdict(err, closed error) error {
	if err != nil {
		return err
	}
	return closed
}
