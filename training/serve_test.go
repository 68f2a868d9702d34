package training

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/live"
	"github.com/polyrhythm-rl/polyrhythm/live/wire"
	"github.com/polyrhythm-rl/polyrhythm/training/internal/runs"
	"github.com/polyrhythm-rl/polyrhythm/training/policies"
	"github.com/polyrhythm-rl/polyrhythm/training/rollouts"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
	"github.com/polyrhythm-rl/polyrhythm/training/serving"
)

// served is a live run in a goroutine.
type served struct {
	*live.Server
	cancel context.CancelFunc
	done   chan error
	steps  int64
}

func serveFor(t *testing.T, config *configs.Config, opt serving.ServeOptions) *served {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	s := &served{cancel: cancel, done: make(chan error, 1)}
	open := make(chan *live.Server, 1)
	opt.Open = func(run *live.Server) (func(), error) {
		open <- run
		return func() {}, nil
	}
	opt.StateEvery = 10 * time.Millisecond
	go func() {
		played, err := serving.Serve(ctx, config, opt)
		s.steps = played.Steps
		s.done <- err
		close(s.done)
	}()
	t.Cleanup(func() { // it writes to the folder of the test
		cancel()
		for range s.done {
		}
	})
	select {
	case s.Server = <-open:
	case err := <-s.done:
		t.Fatal(err)
	}
	return s
}

func (s *served) end(t *testing.T) {
	t.Helper()
	s.cancel()
	if err := <-s.done; err != nil {
		t.Fatal(err)
	}
}

// newest joins and returns the newest frame, and the worlds' poses in it.
func (s *served) newest(t *testing.T, d *wire.Decoder) *wire.Frame {
	t.Helper()
	c := must(s.Join(live.JoinOptions{}))(t)
	defer c.Close()
	for *d = (wire.Decoder{}); d.Frame() == nil; {
		data, err := c.Next(context.Background())
		if err == nil {
			err = d.Update(slices.Clone(data))
		}
		noError(t, err)
	}
	return d.Frame()
}

// copyFolder copies the files of a run, point first, as a kill would leave them.
func copyFolder(t *testing.T, from string) string {
	t.Helper()
	to := t.TempDir()
	names := []string{rundir.LiveStateFile, rundir.LiveKeyFile}
	entries := must(os.ReadDir(from))(t)
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), rundir.LogFile) || e.Name() == rundir.DriverFile {
			names = append(names, e.Name())
		}
	}
	for _, name := range names {
		data := must(os.ReadFile(filepath.Join(from, name)))(t)
		noError(t, os.WriteFile(filepath.Join(to, name), data, 0o666))
	}
	return to
}

// A live run that is killed at any moment goes on from the last step in its log, twice,
// with the clock, the speed and the commands that clients had set; and all of it replays.
func TestKilledLiveRunGoesOn(t *testing.T) {
	config := parse(t, "quadruped", "worlds=2", "workers=1", "time.mode=sim_realtime", "max_steps=30")
	policy := must(policies.Open(policies.Random))(t)
	folder := filepath.Join(t.TempDir(), "run")
	s := serveFor(t, config, serving.ServeOptions{PlayOptions: rollouts.PlayOptions{Policy: policy, Folder: folder, LogEvery: 1},
		Resolution: 1.0 / 2048})
	c := must(s.Join(live.JoinOptions{Role: live.Operate}))(t)
	submit := func(s *served, in *wire.Intent) int64 {
		return must(s.Submit(c, in))(t)
	}
	submit(s, &wire.Intent{Kind: &wire.Intent_Speed{Speed: &wire.Speed{Factor: 20}}})
	var d wire.Decoder
	for n := int64(0); n < 60; n = s.newest(t, &d).N {
		submit(s, &wire.Intent{Kind: &wire.Intent_Push{Push: &wire.Push{Body: "trunk", Force: []float64{0, 0, 100},
			Steps: 2}}})
		submit(s, &wire.Intent{Kind: &wire.Intent_Command{Command: &wire.SetCommand{World: 1, Name: "velocity",
			Values: []float64{0.25, 0, 0}}}})
		submit(s, &wire.Intent{Kind: &wire.Intent_Edit{Edit: &wire.Edit{
			Edits: `[{"set_priority": {"name": "recorder", "priority": 50}}]`}}})
		time.Sleep(20 * time.Millisecond)
	}
	last := submit(s, &wire.Intent{Kind: &wire.Intent_Pause{Pause: &wire.Pause{}}})
	for n := s.newest(t, &d).N; s.newest(t, &d).N < n+2; {
		time.Sleep(time.Millisecond)
	}
	seen := s.newest(t, &d).N - 1 // its step is in the log, since the next one began
	before := s.newest(t, &d).Number
	killed := copyFolder(t, folder)
	s.end(t)

	for round := range 2 {
		s = serveFor(t, nil, serving.ServeOptions{PlayOptions: rollouts.PlayOptions{Folder: killed}, Resume: true})
		frame := s.newest(t, &d)
		if frame.N < seen || frame.Speed != 20 {
			t.Errorf("round %d: goes on at step %d with speed %v, want step %d or later and 20", round, frame.N, frame.Speed,
				seen)
		}
		name := c.Name()
		c = must(s.Join(live.JoinOptions{Role: live.Operate, Session: c.Session(), After: before}))(t)
		if c.Name() != name || frame.Number <= before {
			t.Errorf("round %d: %s goes on as %s, at frame %d after %d", round, name, c.Name(), frame.Number, before)
		}
		number := submit(s, &wire.Intent{Kind: &wire.Intent_Reset_{Reset_: &wire.Reset{}}})
		if number <= last {
			t.Errorf("round %d: the number of the next intent is %d, want more than %d", round, number, last)
		}
		last = number
		for n := s.newest(t, &d).N; s.newest(t, &d).N < n+40; {
			time.Sleep(time.Millisecond)
		}
		seen = s.newest(t, &d).N - 1
		before = s.newest(t, &d).Number
		next := copyFolder(t, killed)
		s.end(t)
		if r, err := Replay(context.Background(), killed, ReplayOptions{}); err != nil || r.Steps != s.steps {
			t.Errorf("round %d: %d of %d steps replayed, %v", round, r.Steps, s.steps, err)
		}
		killed = next
	}
	// A run that was stopped goes on, too.
	s = serveFor(t, nil, serving.ServeOptions{PlayOptions: rollouts.PlayOptions{Folder: folder}, Resume: true})
	s.end(t)
	if r, err := Replay(context.Background(), folder, ReplayOptions{}); err != nil || r.Steps != s.steps {
		t.Errorf("%d of %d steps replayed, %v", r.Steps, s.steps, err)
	}
}

// A run that was stopped or killed while it was paused goes on with the push that had not
// acted yet. Its client has missed no frame, and an attempt that fails changes nothing.
func TestPausedAndPushedLiveRunGoesOn(t *testing.T) {
	config := parse(t, "quadruped", "worlds=1", "workers=1", "time.mode=sim_realtime")
	policy := must(policies.Open(policies.Zero))(t)
	folder := filepath.Join(t.TempDir(), "run")
	s := serveFor(t, config, serving.ServeOptions{PlayOptions: rollouts.PlayOptions{Policy: policy, Folder: folder, LogEvery: 1},
		Paused: true})
	c := must(s.Join(live.JoinOptions{Role: live.Operate}))(t)
	var d wire.Decoder
	// submit submits an intent and reads frames until it has been applied.
	submit := func(in *wire.Intent) {
		t.Helper()
		number, err := s.Submit(c, in)
		for err == nil && !slices.ContainsFunc(d.Frame().GetApplied(),
			func(a *wire.Applied) bool { return a.Number == number }) {
			var data []byte
			if data, err = c.Next(t.Context()); err == nil {
				err = d.Update(slices.Clone(data))
			}
		}
		noError(t, err)
	}
	push := &wire.Intent{Kind: &wire.Intent_Push{Push: &wire.Push{Body: "trunk", Force: []float64{50, 0, 100}}}}
	submit(push)
	must(s.Step(t.Context(), live.Sender{Session: c.Session(), Role: c.Role()}, nil, 3))(t)
	submit(&wire.Intent{Kind: &wire.Intent_Reset_{Reset_: &wire.Reset{}}})
	submit(push)
	submit(push)
	killed := copyFolder(t, folder)
	s.end(t)
	stopped := copyFolder(t, folder)
	errorContains(t, errOf(serving.Serve(t.Context(), nil, serving.ServeOptions{PlayOptions: rollouts.PlayOptions{Folder: folder}, Resume: true,
		Open: func(*live.Server) (func(), error) { return nil, errors.New("the port is taken") }})), "the port is taken")
	polytest.SameFiles(t, "an attempt that failed", filesOf(t, folder), filesOf(t, stopped))

	token, after := c.Session(), d.Frame().GetNumber()
	for what, folder := range map[string]string{"stopped": stopped, "killed": killed} {
		s = serveFor(t, nil, serving.ServeOptions{PlayOptions: rollouts.PlayOptions{Folder: folder}, Resume: true})
		c = must(s.Join(live.JoinOptions{Role: live.Operate, Session: token, After: after}))(t)
		d = wire.Decoder{}
		submit(push)
		must(s.Step(t.Context(), live.Sender{Session: token, Role: live.Operate}, nil, 2))(t)
		if d.Missed != 0 {
			t.Errorf("%s: the client has missed %d frames, want 0", what, d.Missed)
		}
		s.end(t)
		if r, err := Replay(t.Context(), folder, ReplayOptions{}); err != nil || r.Steps != 5 || s.steps != 5 {
			t.Errorf("%s: %d of %d steps replayed, %v, want 5", what, r.Steps, s.steps, err)
		}
	}
}

func TestDamagedLivePointIsRefused(t *testing.T) {
	folder := t.TempDir()
	write := func(data string) {
		noError(t, os.WriteFile(filepath.Join(folder, rundir.LiveStateFile), []byte(data), 0o666))
	}
	check := func(want string) {
		t.Helper()
		opt := serving.ServeOptions{PlayOptions: rollouts.PlayOptions{Folder: folder}, Resume: true}
		errorContains(t, errOf(serving.Serve(context.Background(), nil, opt)), want)
	}
	check("holds no live run to go on with")
	nowhere := serving.ServeOptions{PlayOptions: rollouts.PlayOptions{Folder: filepath.Join(folder, "nowhere")}, Resume: true}
	usageError(t, errOf(serving.Serve(context.Background(), nil, nowhere)), "holds no live run to go on with")
	write("")
	check("cut short: 0 bytes")
	write("prlive\x00\x01\x02\x00\x00\x00{}1234")
	check(`it does not begin with "prhythm\n": it is no file of version 5`)
	write(string(runs.StateKind.Encode([]byte("{}"))))
	check("it is not the state of a live run")
}

// A run that cannot begin leaves no folder behind, so that the next try may have it.
func TestLiveRunThatCannotBeginLeavesNothing(t *testing.T) {
	config := parse(t, "quadruped", "worlds=1", "workers=1", "time.mode=sim_realtime")
	policy := must(policies.Open(policies.Zero))(t)
	taken := errors.New("the port is taken")
	for want, opt := range map[string]serving.ServeOptions{
		`channel "gyros"`: {Channels: []string{"gyros"}},
		taken.Error():     {Open: func(*live.Server) (func(), error) { return nil, taken }},
	} {
		folder := filepath.Join(t.TempDir(), "runs", "live")
		opt.Policy, opt.Folder, opt.LogEvery = policy, folder, 1
		errorContains(t, errOf(serving.Serve(context.Background(), config, opt)), want)
		if _, err := os.Stat(filepath.Dir(folder)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: the folder is there (%v), want it removed", want, err)
		}
	}
}
