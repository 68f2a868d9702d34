package exam

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/sim"
	"github.com/polyrhythm-rl/polyrhythm/training/policies"
	"github.com/polyrhythm-rl/polyrhythm/training/rollouts"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
	"github.com/polyrhythm-rl/polyrhythm/training/sweep"
)

// small returns the plan of an exam of a policy of the quadruped in short episodes, some of which end early, and its options.
func small(t *testing.T, policy string, axes ...[2]string) (*Plan, Options) {
	t.Helper()
	c := polytest.Must(configs.Load("../../configs/described/quadruped_commands.yaml", []string{"episode=400ms", "worlds=3", "seed=5",
		"terminations.bad_orientation.limit=0.12", "recording.enabled=false"}, nil))(t)
	opt := Options{Candidate: polytest.Must(policies.Open(policy))(t), Folder: filepath.Join(t.TempDir(), "exam")}
	p := Default()
	p.Configuration, p.Candidate, p.Episodes = string(c.YAML()), SubjectOf(opt.Candidate), Episodes{Least: 5, Most: 10}
	for _, pair := range axes {
		p.Axes = append(p.Axes, polytest.Must(sweep.ParseRange(pair[0], pair[1]))(t))
	}
	return p, opt
}

// against adds a gate against another policy.
func against(t *testing.T, p *Plan, opt *Options, policy string) {
	t.Helper()
	opt.Reference = polytest.Must(policies.Open(policy))(t)
	s := SubjectOf(opt.Reference)
	p.Reference, p.Gate = &s, &Gate{Margin: DefaultMargin}
}

func mustRun(t *testing.T, p *Plan, opt Options) *Report {
	t.Helper()
	r, _, err := Run(t.Context(), p, opt)
	polytest.NoError(t, err)
	return r
}

const walker, still = "builtin:quadruped", policies.Zero

var (
	pushes    = [2]string{"push", "0N,150N"}
	frictions = [2]string{"friction", "0.1,1"}
)

// The files of an exam are the same for any number of worlds and workers, and if it was stopped at any time: between two
// looks, or while it wrote a line.
func TestExamIsTheSameHoweverItRuns(t *testing.T) {
	p, opt := small(t, walker, pushes)
	against(t, p, &opt, still)
	r := mustRun(t, p, opt)
	want := polytest.Files(t, opt.Folder)
	polytest.Equal(t, len(r.Cells), 3, "cells")

	for _, c := range []struct{ worlds, workers int }{{1, 1}, {10, 2}} {
		q, other := small(t, walker, pushes)
		against(t, q, &other, still)
		other.Workers = c.workers
		q.Configuration = strings.Replace(q.Configuration, "\nworlds: 3", fmt.Sprintf("\nworlds: %d", c.worlds), 1)
		mustRun(t, q, other)
		for _, name := range []string{rundir.ExamJournal, rundir.ExamReport, rundir.ExamJUnit} {
			polytest.Equal(t, polytest.Files(t, other.Folder)[name], want[name], "%s of %+v", name, c)
		}
	}

	random := rand.New(rand.NewPCG(1, 2))
	journal := want[rundir.ExamJournal]
	for range 3 {
		folder := t.TempDir()
		polytest.NoError(t, os.WriteFile(filepath.Join(folder, rundir.ExamFile), []byte(want[rundir.ExamFile]), 0o666))
		polytest.NoError(t, os.WriteFile(filepath.Join(folder, rundir.ExamJournal), []byte(journal[:random.IntN(len(journal))]), 0o666))
		q := polytest.Must(Read(folder))(t)
		again := opt
		again.Folder, again.Continue = folder, true
		mustRun(t, q, again)
		got := polytest.Files(t, folder)
		for name := range want {
			polytest.Equal(t, got[name], want[name], "%s after it was cut and went on", name)
		}
	}
}

// An exam that is cancelled goes on and comes to the same.
func TestCancelledExamGoesOn(t *testing.T) {
	p, opt := small(t, walker, pushes)
	want := mustRun(t, p, opt)
	q, other := small(t, walker, pushes)
	ctx, cancel := context.WithCancel(t.Context())
	other.Progress = func(p Progress) {
		if p.Cell == 1 && p.Done > 0 {
			cancel()
		}
	}
	_, folder, err := Run(ctx, q, other)
	if !errors.Is(err, context.Canceled) || folder != other.Folder {
		t.Fatalf("the error is %v in %q, want that it was cancelled", err, folder)
	}
	q = polytest.Must(Read(folder))(t)
	other.Progress, other.Continue = nil, true
	got := mustRun(t, q, other)
	polytest.Equal(t, string(polytest.Must(json.Marshal(got))(t)), string(polytest.Must(json.Marshal(want))(t)), "report")
}

// Each episode of an exam can be recorded again, by a rollout of one world.
func TestAgain(t *testing.T) {
	p, opt := small(t, walker, pushes, frictions)
	against(t, p, &opt, still)
	r := mustRun(t, p, opt)
	for _, c := range []struct {
		cell, episode int
		reference     bool
	}{{0, 0, false}, {2, 3, false}, {4, 9, false}, {4, 9, true}} {
		policy := opt.Candidate
		if c.reference {
			policy = opt.Reference
		}
		again := AgainOptions{Policy: policy, Reference: c.reference, Cell: c.cell, Episode: c.episode,
			Folder: filepath.Join(t.TempDir(), "dataset")}
		polytest.NoError(t, polytest.Err(Again(t.Context(), opt.Folder, again)))
		n := polytest.Must(polytest.Must(recorder.Open(again.Folder))(t).Rows("episodes"))(t)
		polytest.Equal(t, n, 1, "recorded episodes")
	}
	for _, c := range []struct {
		opt  AgainOptions
		want string
	}{
		{AgainOptions{Policy: opt.Candidate, Cell: len(r.Cells)}, "the cell is 5, want 0 to 4"},
		{AgainOptions{Policy: opt.Candidate, Episode: 10}, "the episode is 10, want 0 to 9"},
		{AgainOptions{Policy: opt.Reference}, "is another than the one that the exam began with"},
		{AgainOptions{}, "no policy given"},
	} {
		polytest.ErrorContains(t, polytest.Err(Again(t.Context(), opt.Folder, c.opt)), c.want)
	}
}

// The numbers of a report are what the table of its episodes says.
func TestReportIsTheTable(t *testing.T) {
	p, opt := small(t, walker, pushes, frictions)
	most := 1.0
	p.Success = Success{"bad_orientation": {Is: new(false)}, "reward/bounce": {Max: &most}, "steps": {Min: &most}}
	r := mustRun(t, p, opt)
	d := polytest.Must(recorder.Open(filepath.Join(opt.Folder, rundir.DatasetFolder)))(t)
	type sums struct {
		episodes, successes, ended int
		total                      float64
	}
	cells := make([]sums, len(r.Cells))
	for row, err := range d.EachRow("exam") {
		polytest.NoError(t, err)
		c := &cells[row.Int("cell")]
		c.episodes++
		c.total += row.Float("return")
		if row.Bool("end_bad_orientation") {
			c.ended++
		}
		if row.Bool("success") {
			c.successes++
		}
		polytest.Equal(t, row.Bool("success"), !row.Bool("end_bad_orientation"), "success of an episode")
	}
	failed := 0
	for i, c := range r.Cells {
		polytest.Equal(t, sums{c.Candidate.Episodes, c.Candidate.Successes, c.Candidate.Ends["bad_orientation"],
			c.Candidate.MeanReturn * 10}, sums{cells[i].episodes, cells[i].successes, cells[i].ended, cells[i].total}, "cell %d", i)
		failed += len(c.Candidate.Failures)
		polytest.Equal(t, len(c.Candidate.Failures), c.Candidate.Episodes-c.Candidate.Successes, "failures of cell %d", i)
	}
	if failed == 0 {
		t.Error("no episode failed, want some, to see what is told of them")
	}
}

// A policy passes a gate against itself, and one that falls fails against one that walks, over the same episodes.
func TestGate(t *testing.T) {
	for _, c := range []struct{ candidate, reference, want string }{
		{walker, walker, "passes"}, {still, walker, "fails"}, {walker, still, "passes"},
	} {
		p, opt := small(t, c.candidate)
		p.Episodes = Episodes{Least: 60, Most: 120}
		p.Success = Success{"reward/velocity": {Min: new(0.5)}}
		against(t, p, &opt, c.reference)
		r := mustRun(t, p, opt)
		if r.Verdict != c.want || r.Cells[0].Gate.Verdict != c.want {
			t.Errorf("%s against %s: %s (%+v), want %s", c.candidate, c.reference, r.Verdict, *r.Cells[0].Gate, c.want)
		}
	}
}

// A cell ends as soon as the interval of its rate is narrow enough.
func TestWidth(t *testing.T) {
	p, opt := small(t, still)
	p.Episodes = Episodes{Least: 4, Most: 40, Width: 0.5}
	p.Success = Success{"time_limit": {Is: new(true)}, "bad_orientation": {Is: new(false)}}
	c := mustRun(t, p, opt).Cells[0].Candidate
	if c.High-c.Low > 0.5 || c.Episodes == 40 || !slices.Contains(p.Episodes.looks(), c.Episodes) {
		t.Errorf("%d episodes with an interval from %v to %v, want a look before 40 with a width of 0.5", c.Episodes, c.Low, c.High)
	}
}

// The smallest push that breaks a policy lies between two values of the exam, and the file beside it has the run of one world
// in which the episode fails.
func TestLimit(t *testing.T) {
	p, opt := small(t, walker, [2]string{"push", "0N,300N,100N"}, [2]string{"mass", "1,1.01"})
	r := mustRun(t, p, opt)
	if len(r.Limits) == 0 {
		t.Fatalf("no limit is found in %+v", r.Cells)
	}
	l := r.Limits[0]
	if l.Axis != "push" || !l.Bounded || !(l.Succeeds >= 0 && l.Succeeds < l.Fails && l.Fails <= 300) || l.Fails-l.Succeeds > 2 {
		t.Fatalf("the limit is %+v, want one of push from 0 to 300 N that is known to 2 N", l)
	}
	c := polytest.Must(configs.Load(filepath.Join(opt.Folder, l.File), nil, nil))(t)
	polytest.Equal(t, c.Seed, sim.EpisodeSeed(p.config.Seed, int64(l.Episode)), "seed")
	c.Evaluation.Episodes = 1
	checkpoint := opt.Candidate.Checkpoint()
	e := polytest.Must(rollouts.Evaluate(t.Context(), c, checkpoint.Policy(), checkpoint.ControlSteps))(t)
	if e.Terminated != 1 || l.End != "bad_orientation" {
		t.Errorf("the episode of %s: %+v, want that it ends by %s", l.File, e, l.End)
	}
}

func TestLooks(t *testing.T) {
	for _, c := range []struct {
		e    Episodes
		want []int
	}{
		{Episodes{Least: 50, Most: 50}, []int{50}},
		{Episodes{Least: 50, Most: 500}, []int{50, 100, 200, 500}},
		{Episodes{Least: 50, Most: 1001}, []int{50, 100, 200, 500, 1000, 1001}},
		{Episodes{Least: 7, Most: 20}, []int{7, 14, 20}},
		{Episodes{Least: MaxEpisodes, Most: MaxEpisodes}, []int{MaxEpisodes}},
	} {
		polytest.EqualSlices(t, c.e.looks(), c.want, fmt.Sprintf("looks of %+v", c.e))
	}
}

// A plan that cannot begin is refused by what was given and what is wanted.
func TestWrongPlans(t *testing.T) {
	for want, change := range map[string]func(*Plan){
		"episodes.least is 0":                         func(p *Plan) { p.Episodes.Least = 0 },
		"episodes.most is 3, want episodes.least, 5":  func(p *Plan) { p.Episodes.Most = 3 },
		"episodes.width is 1":                         func(p *Plan) { p.Episodes.Width = 1 },
		"alpha is 0.5":                                func(p *Plan) { p.Alpha = 0.5 },
		"cells is -1":                                 func(p *Plan) { p.Cells = -1 },
		"axes.seed is given":                          func(p *Plan) { p.Axes = rangesOf(t, "seed", "1,2") },
		"axes.frictoin is 1: there is no such key":    func(p *Plan) { p.Axes = rangesOf(t, "frictoin", "1,2") },
		"axes.push is 3kg: want a number":             func(p *Plan) { p.Axes = rangesOf(t, "push", "3kg,4N") },
		"axes.commands and axes.commands.velocity":    func(p *Plan) { p.Axes = rangesOf(t, "commands", "a,b", "commands.velocity", "1,2") },
		"want a gate with a reference policy":         func(p *Plan) { p.Gate = &Gate{Margin: 0.1} },
		"success.velocity: quadruped-commands has no": func(p *Plan) { p.Success = Success{"velocity": {Is: new(true)}} },
		"success.steps: want a mapping with min, max": func(p *Plan) { p.Success = Success{"steps": {Is: new(true)}} },
		"success.time_limit: episodes end so or do":   func(p *Plan) { p.Success = Success{"time_limit": {Min: new(1.0)}} },
		"success.return: min is 2 and max is 1":       func(p *Plan) { p.Success = Success{"return": {Min: new(2.0), Max: new(1.0)}} },
		"success.return: want true, false, or":        func(p *Plan) { p.Success = Success{"return": {}} },
		"the configuration has changes": func(p *Plan) {
			p.Configuration += "changes: [{n: 5, edits: [{set_rate: {name: Capture, rate: 25}}]}]\n"
		},
		"are 100000000 episodes, want at most 2000000": func(p *Plan) { p.Cells, p.Axes, p.Episodes.Most = 999, rangesOf(t, "mass", "1..2"), MaxEpisodes },
	} {
		p, _ := small(t, still)
		change(p)
		err := p.Check(t.Context())
		if !errors.As(err, new(env.ConfigError)) {
			t.Errorf("the error is %v, want one of configuration with %q", err, want)
			continue
		}
		polytest.ErrorContains(t, err, want)
	}
}

func rangesOf(t *testing.T, pairs ...string) (list []sweep.Range) {
	t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, polytest.Must(sweep.ParseRange(pairs[i], pairs[i+1]))(t))
	}
	return list
}

// Another policy, and random actions, do not sit an exam that one has begun.
func TestOtherPolicies(t *testing.T) {
	p, opt := small(t, walker)
	opt.Candidate = polytest.Must(policies.Open(still))(t)
	_, _, err := Run(t.Context(), p, opt)
	polytest.ErrorContains(t, err, "is another than the one that the exam began with")
	p, opt = small(t, policies.Random)
	_, _, err = Run(t.Context(), p, opt)
	polytest.ErrorContains(t, err, "the policy is random, want another")
}

// FuzzJournal reads journals that lie: it ends, and takes no more than is there.
func FuzzJournal(f *testing.F) {
	line := `{"cell":0,"first":0,"infos":["speed"],"episodes":[{"success":true,"end":"time_limit","return":1,"steps":2,"infos":[0.5]}]}` + "\n"
	for _, seed := range []string{"", line, line + strings.Replace(line, `"first":0`, `"first":1`, 1), line[:len(line)-9],
		strings.Replace(line, `"cell":0`, `"cell":1e9`, 1), strings.Replace(line, "[0.5]", "[]", 1), "null\n", "[]\n",
		strings.Replace(line, `"first":0`, `"first":-1`, 1)} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		j := &journal{done: map[part][]Episode{}}
		end, err := j.read(bytes.NewReader(data))
		if err == nil && (end < 0 || end > int64(len(data)) || end > 0 && data[end-1] != '\n') {
			t.Errorf("the whole lines end at %d of %d bytes", end, len(data))
		}
		for at, list := range j.done {
			if at.cell < 0 || at.cell >= MaxCells || len(list) > MaxEpisodes {
				t.Errorf("cell %d has %d episodes", at.cell, len(list))
			}
		}
	})
}
