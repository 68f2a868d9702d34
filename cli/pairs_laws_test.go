package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/live"
	"github.com/polyrhythm-rl/polyrhythm/live/wire"
	"github.com/polyrhythm-rl/polyrhythm/policy"
	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/recorder/export"
	"github.com/polyrhythm-rl/polyrhythm/recorder/inspect"
	"github.com/polyrhythm-rl/polyrhythm/rl"
	"github.com/polyrhythm-rl/polyrhythm/sim"
	"github.com/polyrhythm-rl/polyrhythm/sim/runlog"
	"github.com/polyrhythm-rl/polyrhythm/training"
	"github.com/polyrhythm-rl/polyrhythm/training/policies"
	"github.com/polyrhythm-rl/polyrhythm/training/rollouts"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
	"github.com/polyrhythm-rl/polyrhythm/training/serving"
)

// laws are what holds for every configuration. They panic with an error where it does not.
var laws = map[string]func(*pair){
	"workers":     (*pair).trainsAlike,    // a training has the same files for any number of workers
	"interrupted": (*pair).goesOn,         // one that is interrupted and goes on has those of one that is not
	"killed":      (*pair).survives,       // so has one that is killed as kill -9 does
	"parts":       (*pair).trainsInParts,  // and one in parts, of which collectors are lost
	"checkpoint":  (*pair).leadsOn,        // another run begins from its checkpoint; all replays
	"seeds":       (*pair).isOneOfSeveral, // it is one of the runs of several seeds
	"rollout":     (*pair).rollsAlike,     // a rollout has the same files for any number of workers, and replays
	"recipe":      (*pair).regenerates,    // and its dataset is made again from its recipe, also in several goes
	"slices":      (*pair).mergesAll,      // merged slices are the whole
	"lost slices": (*pair).mergesLost,     // also those of processes that were lost
	"exports":     (*pair).exports,        // a dataset is well-formed, and every export of it loads
	"restarts":    (*pair).restarts,       // worlds that are restarted from outside record and replay
	"clone":       (*pair).clones,         // what learns from a dataset goes on, and acts in slices that are lost
	"live":        (*pair).lives,          // a live run that is steered goes on where it was stopped, and replays
}

func ok(err error) {
	if err != nil {
		panic(err)
	}
}

func must[T any](value T, err error) T {
	ok(err)
	return value
}

// learns returns the configuration for a training.
func (p *pair) learns(workers int, sets ...string) *configs.Config {
	return p.config(append(sets, "autoreset=same_step", "recording.enabled="+p.options["recorded"],
		fmt.Sprint("workers=", workers))...)
}

// train trains with the options, whose folder it returns.
func (p *pair) train(c *configs.Config, opt training.TrainOptions) string {
	opt.LogEvery, opt.Folder = p.logEvery(), p.folder()
	must(training.Train(p.t.Context(), c, opt))
	p.accepted = true
	return opt.Folder
}

// trained returns the folder of a training with one worker.
func (p *pair) trained() string {
	if p.folders["trained"] == "" {
		p.folders["trained"] = p.train(p.learns(1), training.TrainOptions{})
	}
	return p.folders["trained"]
}

// trainedAlike wants a training to have the files of the first, but for some.
func (p *pair) trainedAlike(folder string, without ...string) {
	p.same(results(p.t, folder), results(p.t, p.trained()), without...)
}

// same wants the same files, but for those that begin in a way.
func (p *pair) same(got, want map[string]string, without ...string) {
	for _, prefix := range without {
		maps.DeleteFunc(want, func(name, _ string) bool { return strings.HasPrefix(name, prefix) })
	}
	polytest.SameFiles(p, "", got, want)
}

func (p *pair) trainsAlike() {
	want := must(rundir.ReadReport(p.trained())).Evaluation
	for workers := 2; workers <= 3; workers++ {
		folder := p.train(p.learns(workers), training.TrainOptions{})
		p.trainedAlike(folder)
		checkpoint := must(rundir.ReadCheckpoint(folder))
		c := p.config("block_size=1", fmt.Sprint("seed=", want.Seed)) // autoreset as it was drawn
		got := must(rollouts.Evaluate(p.t.Context(), c, checkpoint.Policy(), checkpoint.ControlSteps))
		got.Model = "" // which is not in a report
		if !reflect.DeepEqual(got, want) {
			panic(fmt.Errorf("evaluated again: %+v, want %+v", got, want))
		}
	}
}

// countdown is a context that is cancelled after a number of calls of Err.
type countdown struct {
	context.Context
	cancel context.CancelFunc
	left   atomic.Int64
}

func (p *pair) countdown(looks int) *countdown {
	c := &countdown{}
	c.Context, c.cancel = context.WithCancel(p.t.Context())
	c.left.Store(int64(looks))
	return c
}

func (c *countdown) Err() error {
	if c.left.Add(-1) < 0 {
		c.cancel()
	}
	return c.Context.Err()
}

func (p *pair) goesOn() {
	p.trained()
	want := results(p.t, p.trained())
	p.same(polytest.WithoutStops(results(p.t, p.interrupted("", nil)), want), want)
}

// interrupted returns the folder of a training, on a dataset if there is one, that was interrupted again and again.
func (p *pair) interrupted(dataset string, sets []string) string {
	r := draw(p.seed, "interruptions")
	opt := training.TrainOptions{Folder: p.folder(), Dataset: dataset, LogEvery: p.logEvery(), StateEvery: 1}
	err := context.Canceled
	for ; errors.Is(err, context.Canceled); opt.StateEvery = 1 << r.IntN(40) {
		_, err = training.TrainOrResume(p.countdown(1+r.IntN(600)), p.learns(1+r.IntN(3), sets...), opt)
	}
	ok(err)
	return opt.Folder
}

// begin returns the command that trains.
func (p *pair) begin(out string) []string {
	path := filepath.Join(p.t.TempDir(), "pair.yaml")
	ok(os.WriteFile(path, []byte(p.text), 0o666))
	return []string{"run", "--config", path, "--set", "autoreset=same_step", "--set",
		"recording.enabled=" + p.options["recorded"], "--log-every", p.options["log"], "--out", out, "--workers", "2"}
}

func (p *pair) survives() {
	p.trained()
	r, out := draw(p.seed, "kills"), p.folder()
	begin := p.begin(out)
	w := newWatcher(p.t, filepath.Dir(out))
	for kills := 0; kills < 3 && !isDone(p.t, out); kills++ {
		args := begin
		if exists(filepath.Join(out, rundir.StateFile)) {
			args = []string{"run", "--resume", out, "--workers", strconv.Itoa(1 + r.IntN(3))}
		} else {
			ok(os.RemoveAll(out))
		}
		code, errs := 0, ""
		if kills == 2 { // to its end
			code, _, errs = train(p.t, args...)
		} else {
			cmd, left := process(p.t, args...), r.IntN(40)<<r.IntN(5)
			ok(cmd.Start())
			if w.follow(p.t, cmd, func(change) bool { left--; return left < 0 }) {
				code = cmd.ProcessState.ExitCode()
			}
		}
		if code != Done {
			panic(fmt.Errorf("exit %d of %q: %s", code, args, errs))
		}
	}
	p.trainedAlike(out)
}

func (p *pair) trainsInParts() {
	whole, r, datasets := p.trained(), draw(p.seed, "parts"), p.folder()
	c := p.learns(2)
	divided := p.divide(c, 1+r.IntN(3))
	if c.Training.Algorithm == rl.AlgorithmSAC {
		_, err := training.TrainInParts(p.t.Context(), c, training.TrainOptions{Folder: p.folder()}, divided)
		polytest.ErrorContains(p, err, "training.algorithm is sac, want ppo: only that learns in parts")
		return
	}
	parts := must(training.TrainInParts(p.t.Context(), c, training.TrainOptions{Folder: p.folder()}, divided))
	collectors := make([]*training.Collector, len(divided))
	defer func() {
		for _, one := range collectors {
			ok(one.Close())
		}
		must(parts.Close())
		p.trainedAlike(parts.Folder(), rundir.LogFile, rundir.DatasetFolder)
		if c.Recording.Enabled {
			p.merged(datasets, filepath.Join(whole, rundir.DatasetFolder))
		}
	}()
	for {
		weights := must(parts.Weights(p.t.Context()))
		if weights == nil {
			return
		}
		for i, a := range parts.Assignments() {
			if collectors[i] == nil || r.IntN(5) == 0 {
				opt := training.CollectorOptions{Workers: 1 + r.IntN(2)}
				if c.Recording.Enabled {
					opt.Dataset = filepath.Join(datasets, divided[i].String())
				}
				if collectors[i] != nil { // it is lost, perhaps in the middle of a rollout
					collectors[i].Collect(p.countdown(r.IntN(40)), weights)
					ok(collectors[i].Close())
					opt.Snapshot = must(parts.Snapshot(i))
				}
				collectors[i] = must(training.OpenCollector(p.t.Context(), &a, opt))
			}
			ok(parts.Add(must(collectors[i].Collect(p.t.Context(), weights))))
		}
	}
}

// divide divides the worlds into n slices, or fewer.
func (p *pair) divide(c *configs.Config, n int) []sim.Slice {
	all, err := sim.Split(c.Worlds, c.BlockSize, n)
	if err != nil {
		return p.divide(c, n-1)
	}
	return all
}

// merged wants the datasets in a folder, merged, to have the files of the whole one.
func (p *pair) merged(datasets, whole string, without ...string) {
	out := p.folder()
	all := must(filepath.Glob(filepath.Join(datasets, "*")))
	all = append(all[1:], all[0]) // in any order
	must(rollouts.Merge(p.t.Context(), all, out, rollouts.MergeOptions{}))
	p.same(polytest.Files(p.t, out), polytest.Files(p.t, whole), without...)
}

func (p *pair) leadsOn() {
	opt := training.TrainOptions{From: must(rundir.ReadCheckpoint(p.trained()))}
	more := fmt.Sprint("training.steps=", opt.From.EnvSteps+100)
	a, b := p.train(p.learns(1, more), opt), p.train(p.learns(2, more), opt)
	p.same(results(p.t, a), results(p.t, b))
	for _, folder := range []string{p.trained(), a} {
		again := p.replayed(folder)
		dataset := filepath.Join(folder, rundir.DatasetFolder)
		if _, err := os.Stat(dataset); err == nil {
			p.same(polytest.Files(p.t, again), polytest.Files(p.t, dataset))
		} else {
			p.isWellFormed(must(recorder.Open(again)))
		}
	}
}

// clones learns from a dataset, with a memory or in chunks of actions, and then acts.
func (p *pair) clones() {
	c, opt := p.config("time.mode=sim_high_performance"), p.rollout()
	if len(c.Recording.Tables) == 1 { // capture
		c.Recording.Tables = append(c.Recording.Tables, "control")
	}
	p.accepted = false
	must(rollouts.Rollout(p.t.Context(), c, opt))
	sets := []string{"training.algorithm=clone", "training.schedule=linear"}
	if _, words := taskOf(p.seed); slices.Contains(words, "continuous") && c.Training.Recurrent == 0 &&
		c.Training.Symmetry.Weight == 0 {
		sets = append(sets, fmt.Sprint("training.chunk_size=", 1+draw(p.seed, "clones").IntN(5)))
	}
	p.options["recorded"], p.options["log"] = "false", "0"
	whole := training.TrainOptions{Folder: p.folder(), Dataset: opt.Folder}
	_, err := training.Train(p.t.Context(), p.learns(1, sets...), whole)
	if err != nil && strings.HasSuffix(err.Error(), "no row has an action that was taken on its observation, want some") {
		return
	}
	ok(err)
	p.accepted = true
	want := results(p.t, whole.Folder)
	p.same(polytest.WithoutStops(results(p.t, p.interrupted(opt.Folder, sets)), want), want)
	p.folders["trained"], p.options["policy"] = whole.Folder, "trained"
	p.mergesLost()
}

func (p *pair) isOneOfSeveral() {
	p.trained()
	out := p.folder()
	code, _, errs := train(p.t, append(p.begin(out), "--seeds", "2")...)
	if code != Done {
		panic(errors.New(errs))
	}
	p.trainedAlike(filepath.Join(out, fmt.Sprint("seed-", p.config().Seed)))
}

// rollout returns the options of a rollout.
func (p *pair) rollout() rollouts.RolloutOptions {
	name := p.options["policy"]
	switch name {
	case "trained":
		name = p.trained()
	case "script":
		var head, first, second strings.Builder
		for i := range must(strconv.Atoi(p.options["actions"])) {
			fmt.Fprintf(&head, ",action[%d]", i)
			fmt.Fprintf(&first, ",%d", i%2)
			fmt.Fprintf(&second, ",%d", (i+1)%2)
		}
		name = filepath.Join(p.t.TempDir(), "script.csv")
		ok(os.WriteFile(name, []byte("t"+head.String()+"\n0"+first.String()+"\n0.1"+second.String()+"\n"), 0o666))
	}
	opt := rollouts.RolloutOptions{LogEvery: p.logEvery(), Folder: p.folder(), Policy: must(policies.Open(name))}
	if seconds := p.options["seconds"]; seconds != "" {
		opt.Seconds, _ = new(big.Rat).SetString(seconds)
	} else {
		opt.Episodes = must(strconv.ParseInt(p.options["episodes"], 10, 64))
	}
	return opt
}

// records returns the configuration for a rollout.
func (p *pair) records(workers int) *configs.Config {
	return p.config("time.mode="+p.options["mode"], fmt.Sprint("workers=", workers))
}

// rolled returns the folder of a rollout with one worker.
func (p *pair) rolled() string {
	if p.folders["rolled"] == "" {
		opt := p.rollout()
		p.accepted = false
		must(rollouts.Rollout(p.t.Context(), p.records(1), opt))
		p.folders["rolled"], p.accepted = opt.Folder, true
	}
	return p.folders["rolled"]
}

func (p *pair) rollsAlike() {
	whole := p.rolled()
	for workers := 2; workers <= 3; workers++ {
		opt := p.rollout()
		must(rollouts.Rollout(p.t.Context(), p.records(workers), opt))
		p.same(polytest.Files(p.t, opt.Folder), polytest.Files(p.t, whole))
	}
	p.same(polytest.Files(p.t, p.replayed(whole)), polytest.Files(p.t, whole), rundir.LogFile, rundir.DriverFile,
		rundir.ScriptFile, rundir.RecipeFile)
}

func (p *pair) regenerates() {
	whole, r, folder := p.rolled(), draw(p.seed, "regenerations"), p.folder()
	for goes, err := 0, context.Canceled; errors.Is(err, context.Canceled); goes++ {
		ctx, cancel := context.WithCancel(p.t.Context())
		left, from, killed := r.IntN(5), folder, p.folder()
		_, err = rollouts.Regenerate(ctx, whole, rollouts.RegenerateOptions{Folder: folder, Workers: 1 + r.IntN(3),
			StateEvery: 1 << r.IntN(40), Progress: func(int64, int64, int64) {
				if left--; left != 0 || goes == 4 {
					return
				}
				if r.IntN(2) == 0 { // as kill -9 would leave it
					ok(os.CopyFS(killed, os.DirFS(from)))
					folder = killed
				}
				cancel()
			}})
		cancel()
		if !errors.Is(err, context.Canceled) {
			ok(err)
		}
	}
	p.same(polytest.Files(p.t, folder), polytest.Files(p.t, whole), rundir.LogFile)
}

// replayed returns the folder of the dataset of a run that is executed again.
func (p *pair) replayed(folder string) string {
	again := p.folder()
	must(training.Replay(p.t.Context(), folder, training.ReplayOptions{Workers: 3, Dataset: again}))
	return again
}

func (p *pair) mergesAll()  { p.merges(false) }
func (p *pair) mergesLost() { p.merges(true) }

func (p *pair) merges(lossy bool) {
	whole, r, datasets := p.rolled(), draw(p.seed, "slices"), p.folder()
	c := p.records(1 + r.IntN(3))
	for _, slice := range p.divide(c, 1+r.IntN(4)) {
		opt := p.rollout()
		opt.Slice, opt.Folder = slice, filepath.Join(datasets, slice.String())
		if !lossy {
			must(rollouts.Rollout(p.t.Context(), c, opt))
			continue
		}
		opt.LogEvery = 0
		p.accepted = p.options["mode"] != "sim_realtime" // segments follow no wall clock
		for snapshot, done := []byte(nil), false; !done; {
			s := must(rollouts.OpenSliceRollout(p.t.Context(), c, opt, snapshot))
			if snapshot == nil {
				snapshot = []byte{}
			}
			for lost := false; !done && !lost; lost = r.IntN(3) == 0 {
				if done = must(s.Next(p.t.Context())); r.IntN(3) > 0 {
					snapshot, _, _ = s.Snapshot()
				}
			}
			ok(s.Close())
		}
	}
	if lossy || p.options["seconds"] == "" {
		p.merged(datasets, whole, rundir.LogFile)
	} else {
		p.merged(datasets, whole)
	}
}

// cannotHold matches the error of an export whose format has no place for what was recorded.
var cannotHold = regexp.MustCompile(`LeRobot (has no nulls|reads no empty dataset)$|` +
	`frames per second, want a whole number$|must be recorded in the control phase, after the controller$`)

func (p *pair) exports() {
	source, c := p.rolled(), p.config()
	d := must(recorder.Open(source))
	p.isWellFormed(d)
	for _, format := range export.Formats() {
		out := p.folder()
		_, err := export.Export(p.t.Context(), d, format, out, export.Options{})
		if errors.Is(err, export.ErrTable) || err != nil && cannotHold.MatchString(err.Error()) {
			continue
		}
		ok(err)
		loads(format.Name, out, source)
	}
	if p.folders["trained"] == "" {
		return
	}
	for _, format := range training.PolicyFormats() {
		path := filepath.Join(p.t.TempDir(), "policy")
		must(training.ExportPolicy(p.t.Context(), c, must(rundir.ReadCheckpoint(p.trained())), format, path))
		if format.Name == "policy" {
			must(policy.Load(path))
		} else {
			loads(format.Name, path, source)
		}
	}
}

// isWellFormed wants train inspect to find nothing wrong with a dataset.
func (p *pair) isWellFormed(d *recorder.Dataset) {
	report := must(inspect.Dataset(p.t.Context(), d, inspect.Options{ClockChanges: len(p.config().Changes) > 0}))
	for _, one := range report.Checks {
		if one.Failed > 0 {
			panic(fmt.Errorf("inspect: %s %s: %s", one.Table, one.Name, one.First))
		}
	}
}

// loader is a Python process that loads what was exported. It ends with this one.
var loader struct {
	sync.Once
	input io.Writer
	out   *bufio.Reader
}

// loads wants the tool that a format is for to load an export of a dataset, with as many rows. POLYTEST_PYTHON names an
// interpreter that has the tools; without it nothing is loaded.
func loads(format, path, source string) {
	python := os.Getenv("POLYTEST_PYTHON")
	if python == "" {
		return
	}
	loader.Do(func() {
		cmd := exec.Command(python, "../internal/tests/peers/loads.py")
		cmd.Env, cmd.Stderr = append(os.Environ(), "HF_HUB_OFFLINE=1", "HF_HOME="+os.TempDir()), os.Stderr
		loader.input, loader.out = must(cmd.StdinPipe()), bufio.NewReader(must(cmd.StdoutPipe()))
		ok(cmd.Start())
	})
	must(fmt.Fprintf(loader.input, "%s\t%s\t%s\n", format, path, source))
	if said := must(loader.out.ReadString('\n')); said != "ok\n" {
		panic(fmt.Errorf("%s: %s", format, said))
	}
}

func (p *pair) restarts() {
	r, folder := draw(p.seed, "restarts"), p.t.TempDir()
	c := p.config("autoreset=" + []string{"same_step", "next_step", "disabled"}[r.IntN(3)])
	opt := env.OpenOptions{Dataset: filepath.Join(folder, rundir.DatasetFolder), Workers: 1}
	h := env.LogHeader(c, opt)
	h.Actions, h.Every = true, p.logEvery()
	log := filepath.Join(folder, rundir.LogFile)
	opt.Log = must(runlog.Create(must(os.Create(log)), h))
	e := must(env.Open(c, opt))
	p.accepted = true
	steps := 4 + r.IntN(30)
	for step := range steps {
		if r.IntN(8) == 0 {
			ok(e.Each(func(w *sim.Worker, b *sim.Block) error {
				mask := make([]bool, b.Len())
				for i := range mask {
					mask[i] = (b.First()+i+step)%2 == 0
				}
				b.Restart(w, mask, nil)
				return nil
			}))
		}
		e.SampleActions()
		ok(e.Step())
	}
	ok(e.Close())
	p.isWellFormed(must(recorder.Open(opt.Dataset)))
	if n := must(env.Replay(log, 2)); n != int64(steps)/h.Every*h.Every {
		panic(fmt.Errorf("replayed %d of %d steps", n, steps))
	}
}

func (p *pair) lives() {
	r, rolled := draw(p.seed, "intents"), p.rollout()
	p.accepted = false
	c := p.config("time.mode=sim_realtime", fmt.Sprint("workers=", 1+r.IntN(2)))
	opt := serving.ServeOptions{Paused: true, Resolution: 1.0 / 2048,
		PlayOptions: rollouts.PlayOptions{Policy: rolled.Policy, Folder: rolled.Folder, LogEvery: p.logEvery()}}
	steps := uint32(0)
	for round := range 3 {
		ctx, cancel := context.WithCancel(p.t.Context())
		folder, killed, steered := opt.Folder, p.folder(), make(chan error, 1)
		opt.Open = func(s *live.Server) (func(), error) {
			go func() {
				defer cancel()
				client, err := s.Join(live.JoinOptions{Role: live.Operate})
				for range 4 {
					var intents []*wire.Intent
					for range r.IntN(4) {
						if intent := randomIntent(r); intent.GetPause() == nil && intent.GetStep() == nil &&
							intent.GetSpeed() == nil {
							intents = append(intents, intent)
						}
					}
					if n := 1 + r.Uint32N(5); err == nil {
						_, err = s.Step(ctx, live.Sender{Session: client.Session(), Role: live.Operate}, intents, n)
						steps += n
					}
				}
				steered <- errors.Join(err, os.CopyFS(killed, os.DirFS(folder))) // as kill -9 would leave it
			}()
			return func() {}, nil
		}
		must(serving.Serve(ctx, c, opt))
		p.accepted = true
		ok(<-steered)
		if round < 2 && r.IntN(2) == 0 {
			folder = killed
		}
		opt = serving.ServeOptions{Resume: true, PlayOptions: rollouts.PlayOptions{Folder: folder}}
	}
	again := p.folder()
	replayed := must(training.Replay(p.t.Context(), opt.Folder, training.ReplayOptions{Workers: 2, Dataset: again}))
	must(recorder.Open(again))
	if every := p.logEvery(); replayed.Steps != int64(steps)/every*every {
		panic(fmt.Errorf("replayed %d of %d steps", replayed.Steps, steps))
	}
}
