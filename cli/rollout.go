package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/internal/random"
	"github.com/polyrhythm-rl/polyrhythm/rl"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// newRollout makes a dataset without learning.
func newRollout() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "rollout --config FILE (--episodes N | --seconds S) --out DIR",
		Short: "Record episodes of a policy as a dataset",
		Args:  cobra.NoArgs,
	}
	var config configFlags
	config.Add(cmd)
	config.Alias("seed", "seed", "use the seed `N`")
	config.Alias("workers", "workers", "step worlds on `N` threads; 0 for one per CPU")
	policy := cmd.Flags().String("policy", randomPolicy, "act by `POLICY`: random, zero, a checkpoint or run folder, or a script FILE.csv of actions")
	episodes := cmd.Flags().Int64("episodes", 0, "record `N` episodes")
	seconds := cmd.Flags().String("seconds", "", "record `S` seconds of simulated time of each world, up to the next control step; "+
		"the episodes that run then are cut off")
	out := cmd.Flags().String("out", "", "write the dataset to the folder `DIR`")
	trace := cmd.Flags().String("trace", "", "write to `FILE` when the first world did what, by the wall clock, for a timeline viewer")
	every := addLogFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		c, err := config.Load()
		if err != nil {
			return err
		}
		switch {
		case *seconds == "" && !cmd.Flags().Changed("episodes"):
			return usagef("no end given; want --episodes N or --seconds S")
		case *seconds == "" && *episodes < 1:
			return usagef("--episodes: want at least 1, got %d", *episodes)
		case *out == "":
			return usagef("--out: want the folder of the dataset")
		case c.Autoreset == configs.Disabled:
			return usagef("autoreset: recording episodes wants %s or %s, got %s", configs.SameStep, configs.NextStep, c.Autoreset)
		}
		if err := checkLogFlag(*every); err != nil {
			return err
		}
		if *trace != "" {
			if err := checkFile(*trace); err != nil {
				return usagef("--trace: %w", err)
			}
		}
		if err := wantMode(c.Time, "a dataset, which cannot have gaps,", runners.SimHighPerformance, runners.SimRealtime); err != nil {
			return err
		}
		c.Recording.Enabled = true
		plan, err := env.NewPlan(c)
		if err != nil {
			return err
		}
		if !plan.Records() {
			return usagef("bindings: the binding recorder is disabled, and a rollout is for what it records; enable it")
		}
		opt := env.Options{Episodes: *episodes, Dataset: *out}
		if *seconds != "" {
			if opt.Steps, err = stepsOf(*seconds, plan.ControlRate()); err != nil {
				return err
			}
		}
		done, err := rollout(cmd, c, plan, *policy, opt, *every, *trace)
		if err != nil {
			return err
		}
		whole := ""
		if opt.Steps > 0 {
			whole = "whole " // and those that ran at the end
		}
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "%d %sepisodes of %s recorded in %s\n", done, whole, c.Task.Name, *out)
		return err
	}
	cmd.MarkFlagsMutuallyExclusive("episodes", "seconds")
	return cmd
}

// maxSeconds is more simulated time than can be counted in nanoseconds.
const maxSeconds = 9_000_000_000

// stepsOf is the number of control steps that reach a time in seconds.
func stepsOf(seconds string, control runners.Rate) (int64, error) {
	s, ok := new(big.Rat).SetString(seconds)
	if !ok || s.Sign() <= 0 || s.Cmp(big.NewRat(maxSeconds, 1)) > 0 {
		return 0, usagef("--seconds: want a number above 0, at most %d, got %s", int64(maxSeconds), seconds)
	}
	return firstStep(s, control), nil
}

// firstStep is the first control step that begins at a time, in seconds, or after it.
func firstStep(seconds *big.Rat, control runners.Rate) int64 {
	k := new(big.Rat).Mul(seconds, big.NewRat(control.Num(), control.Den()))
	up := new(big.Int).Add(k.Num(), new(big.Int).Sub(k.Denom(), big.NewInt(1)))
	return up.Div(up, k.Denom()).Int64()
}

// traceEvents is how much of a run a trace holds: about ten seconds of the
// quadruped's.
const traceEvents = 50_000

// rollout records episodes and returns how many came to an end. plan is the
// configuration's.
func rollout(cmd *cobra.Command, config *configs.Config, plan *env.Plan, policy string, opt env.Options, logEvery int64, trace string) (done int64, err error) {
	act, path, err := behaviourNamed(policy)
	if err != nil {
		return 0, err
	}
	if act.script != nil {
		if err := act.script.schedule(plan.ControlRate()); err != nil {
			return 0, usagef("--policy %s: %w", policy, err)
		}
		// An episode is over with its script.
		if config.MaxSteps == 0 || int64(config.MaxSteps) > act.script.steps {
			config.MaxSteps = int(act.script.steps)
		}
	}
	log := logging{every: logEvery, kind: kindRollout, policy: act.kind, checkpoint: path}
	if trace != "" {
		opt.Trace = &sim.Trace{Events: traceEvents}
	}
	opt.Accept = func(spec sim.Spec) error {
		if err := act.fits(spec); err != nil {
			return fmt.Errorf("--policy %s: %w", policy, err)
		}
		return nil
	}
	out := opt.Dataset
	folder, err := makeRunFolder(out, "")
	if err != nil {
		return 0, err
	}
	defer folder.close()
	if opt.Log, err = log.create(out, config, opt); err != nil {
		return 0, errors.Join(err, folder.discard())
	}
	e, err := env.Open(config, opt)
	if err != nil {
		return 0, errors.Join(err, folder.discard())
	}
	if trace != "" {
		defer func() { err = errors.Join(err, writeFile(trace, opt.Trace.WriteJSON)) }()
	}
	defer func() { err = errors.Join(err, e.Close()); noteWarnings(cmd.ErrOrStderr(), e) }()
	noteWarnings(cmd.ErrOrStderr(), e)
	bar := newProgress(cmd.ErrOrStderr(), "recording", max(opt.Episodes, opt.Steps))
	defer bar.Close()
	p, err := paceOf(config.Time, false)
	if err != nil {
		return 0, err
	}
	return roll(cmd.Context(), e, p, config, act, bar, opt.Steps > 0)
}

// noteWarnings says what the task finds unwise in its options or, of an env that is
// closed, what the engine met.
func noteWarnings(stderr io.Writer, e *env.Env) {
	for _, w := range e.Warnings() {
		fmt.Fprintln(stderr, "warning:", w)
	}
}

// roll runs episodes until the run is over, and returns how many came to an end. The
// bar counts them or, where the run ends by its time, control steps.
func roll(ctx context.Context, e *env.Env, p pace, config *configs.Config, b behaviour, bar *progress, byTime bool) (done int64, err error) {
	act, err := b.actor(e, config)
	if err != nil {
		return 0, err
	}
	ended := make([]int64, len(e.Sim().Blocks())) // episodes, by block
	step := func(w *sim.Worker, b *sim.Block) error {
		if err := act(w, b); err != nil {
			return err
		}
		if err := b.Step(w); err != nil {
			return err
		}
		for i := range b.Len() {
			if b.Terminated()[i] || b.Truncated()[i] {
				ended[b.Index()]++
			}
		}
		return nil
	}
	_, err = drive(ctx, e, p, step, func() {
		done = 0
		for _, n := range ended {
			done += n
		}
		at := done
		if byTime {
			at = e.Sim().Blocks()[0].N()
		}
		bar.Update(at, fmt.Sprintf("%d episodes", done))
	})
	return done, err
}

// actor writes the next actions of a block.
type actor func(*sim.Worker, *sim.Block) error

// The values of --policy that are no file.
const (
	randomPolicy = "random"
	zeroPolicy   = "zero"
)

// behaviour is what acts in a rollout.
type behaviour struct {
	kind       string         // randomPolicy, zeroPolicy, checkpointPolicy or scriptPolicy
	checkpoint *rl.Checkpoint // of checkpointPolicy
	script     *script        // of scriptPolicy
}

// behaviourNamed reads what --policy names, and returns the path of its file if it
// has one.
func behaviourNamed(policy string) (b behaviour, path string, err error) {
	if policy == randomPolicy || policy == zeroPolicy {
		return behaviour{kind: policy}, "", nil
	}
	if _, err := os.Stat(policy); err != nil {
		return b, "", usagef("--policy %s: want %s, %s, a checkpoint, or a script that ends in .csv: %w", policy, randomPolicy, zeroPolicy, err)
	}
	b.kind, path = checkpointPolicy, checkpointPath(policy)
	if filepath.Ext(policy) == ".csv" {
		b.kind, path = scriptPolicy, policy
	}
	return b, path, b.read(path)
}

// read reads the file of a behaviour that has one.
func (b *behaviour) read(path string) (err error) {
	switch b.kind {
	case checkpointPolicy:
		b.checkpoint, err = readCheckpoint(path)
	case scriptPolicy:
		b.script, err = readScript(path)
	}
	return err
}

// fits returns an error unless the behaviour has the observations and actions of a task.
func (b *behaviour) fits(spec sim.Spec) error {
	switch b.kind {
	case checkpointPolicy:
		return policyFits(b.checkpoint.Policy(), spec)
	case scriptPolicy:
		return b.script.fits(spec)
	}
	return nil
}

// actor lets the behaviour act in worlds of a configuration.
func (b *behaviour) actor(e *env.Env, config *configs.Config) (actor, error) {
	s := e.Sim()
	if err := b.fits(s.Spec()); err != nil {
		return nil, err
	}
	switch b.kind {
	case randomPolicy:
		return actRandomly(s.Spec(), s.Worlds(), config.Seed), nil
	case zeroPolicy:
		return func(_ *sim.Worker, b *sim.Block) error {
			clear(b.Action())
			return nil
		}, nil
	case scriptPolicy:
		if err := b.script.schedule(e.Plan().ControlRate()); err != nil {
			return nil, err
		}
		return b.script.actor(s, config.Autoreset == configs.NextStep), nil
	}
	return actBy(b.checkpoint.Policy(), s), nil
}

// policyFits returns an error unless a policy has the observations and actions of a task.
func policyFits(policy *rl.Policy, spec sim.Spec) error {
	if spec.Discrete > 0 {
		return fmt.Errorf("%s has %d choices, the policy takes continuous actions", spec.Name, spec.Discrete)
	}
	if policy.Observation() != spec.ObservationSize || policy.Action() != spec.ActionSize {
		return fmt.Errorf("%s has %d observed and %d action values, the policy wants %d and %d",
			spec.Name, spec.ObservationSize, spec.ActionSize, policy.Observation(), policy.Action())
	}
	return nil
}

// actBy takes the most likely actions of a trained policy, which fits.
func actBy(policy *rl.Policy, s *sim.Sim) actor {
	scratch := make([]*rl.Scratch, s.Workers())
	for i := range scratch {
		scratch[i] = policy.NewScratch()
	}
	return func(w *sim.Worker, b *sim.Block) error {
		return policy.Act(b.Action(), b.Observation(), b.First(), scratch[w.Index()])
	}
}

// actRandomly draws each action value uniformly between its bounds, or from
// the standard normal distribution where it has none, and one of the choices where
// actions are discrete. Each world has a source of its own, so the actions do not
// depend on who draws first.
func actRandomly(spec sim.Spec, worlds int, seed uint64) actor {
	sources := make([]*rand.Rand, worlds)
	for w := range sources {
		sources[w] = random.Actions(seed, uint64(w))
	}
	return func(_ *sim.Worker, b *sim.Block) error {
		action := b.Action()
		for i := range b.Len() {
			source := sources[b.First()+i]
			if spec.Discrete > 0 {
				action[i] = float32(source.IntN(spec.Discrete))
				continue
			}
			for j := range spec.ActionSize {
				low, high := spec.ActionLow[j], spec.ActionHigh[j]
				a := source.NormFloat64()
				if !math.IsInf(low, 0) && !math.IsInf(high, 0) {
					a = low + float64(source.Float64()*(high-low))
				}
				action[i*spec.ActionSize+j] = float32(a)
			}
		}
		return nil
	}
}
