package env

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sim"
	"github.com/polyrhythm-rl/polyrhythm/sim/runlog"
)

// A changed rate shows in the dataset, with nothing but configuration.
func TestChangesOfAConfiguration(t *testing.T) {
	cfg := preset(t, "quadruped", "max_steps=20", "worlds=2")
	cfg.Changes = []configs.Change{
		{N: 3, Edits: configs.Edits{Edits: runners.Edits{runners.SetRate{Name: "Capture", Rate: runners.Hz(25)}}}},
		{N: 12, Edits: configs.Edits{Edits: runners.Edits{runners.ToggleBinding{Name: "recorder"}}}},
	}
	again := polytest.Must(configs.Parse("again.yaml", cfg.YAML(), nil, nil))(t)
	dir := filepath.Join(t.TempDir(), "dataset")
	e := open(t, again, OpenOptions{Dataset: dir})
	play(t, e, 20, 20)
	polytest.NoError(t, e.Close())
	d := polytest.Must(recorder.Open(dir))(t)
	rows := table(t, d, format.CaptureTable, "world", "t_ns")
	var got []float64
	for i, world := range rows["world"] {
		if world == 0 {
			got = append(got, rows["t_ns"][i]/1e6)
		}
	}
	if len(got) > 1 && got[1] > 33 { // the whole of it, without its fraction
		for i := range got {
			got[i] = float64(int64(got[i]))
		}
	}
	// 30 Hz to the beat at 100 ms, then 25 Hz, off from 240 ms on.
	if want := []float64{0, 33, 66, 100, 140, 180, 220}; !slices.Equal(got, want) {
		t.Errorf("rows at %v ms, want %v", got, want)
	}
}

func TestControlStepsCannotBecomeLonger(t *testing.T) {
	for hz, want := range map[int64]string{
		25:  "a control step at 25 Hz needs 30 physics samples, want at most 20, for control steps at 50 Hz or faster",
		100: "",
	} {
		e := open(t, preset(t, "quadruped", "bindings=[{name: physics, runner: Sensors, substeps: 1}]"),
			OpenOptions{})
		err := e.Change(runners.Change{N: 3, Edits: runners.Edits{runners.SetRate{Name: "Robot", Rate: runners.Hz(hz)}}})
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%d Hz: error %v, want %q", hz, err, want)
		}
	}
}

// wall is a clock that tests move.
type wall struct{ now time.Duration }

func (w *wall) Now() time.Duration { return w.now }

// What is measured after a skip has noise of its own.
func TestNoiseAfterSkips(t *testing.T) {
	e := open(t, preset(t, "quadruped", "worlds=1"), OpenOptions{})
	gyro := polytest.Must(e.Sim().Sensors().Find("gyro"))(t)
	watch := e.Sim().Watch(0)
	play(t, e, 5, 5)
	var beats [2]sim.Latched
	for i := range beats {
		// To the next beat, where the state is as it was.
		polytest.NoError(t, e.Skip(runners.Skip{Intervals: 5}))
		if !watch.Latest(&beats[i]) || beats[i].ChannelsNS[gyro] != beats[i].NS {
			t.Fatalf("beat at %d ns, gyro of %d ns", beats[i].NS, beats[i].ChannelsNS[gyro])
		}
	}
	if !slices.Equal(beats[0].State, beats[1].State) || slices.Equal(beats[0].Channels[gyro], beats[1].Channels[gyro]) {
		t.Errorf("gyro %v and %v, want the same state and other noise", beats[0].Channels[gyro], beats[1].Channels[gyro])
	}
}

// However far the frame that ends the last episode would go, the run ends there,
// so its log is that of the same run in other frames.
func TestReplayOfALastFrameInRealTime(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.log")
	cfg := preset(t, "quadruped", "worlds=2", "max_steps=14")
	opt := OpenOptions{Episodes: 2}
	run := func(log *runlog.Log, mode runners.Mode) error {
		opt.Log = log
		e := open(t, cfg, opt)
		clock := &wall{}
		driver, err := e.Drive(runners.Settings{Mode: mode, Clock: clock}, func(w *sim.Worker, b *sim.Block) error {
			return b.Step(w)
		})
		polytest.NoError(t, err)
		for err == nil && e.Sim().Active() {
			_, err = driver.Frame()
			clock.now += 60 * time.Millisecond // 3 steps; at full speed a frame takes 5
		}
		if n := e.Sim().Blocks()[0].N(); n != 14 {
			t.Errorf("%v: %d steps, want 14", mode, n)
		}
		if closed := e.Close(); err == nil {
			err = closed
		}
		return err
	}
	polytest.NoError(t, run(newLog(t, path, cfg, opt, nil), runners.SimRealtime))
	log, _, err := CompareLog(path)
	polytest.NoError(t, err)
	if err := run(log, runners.SimHighPerformance); err != nil && !errors.Is(err, runlog.ErrEnd) {
		t.Error(err)
	}
}

func TestADatasetCannotSkip(t *testing.T) {
	e := open(t, preset(t, "quadruped"), OpenOptions{Dataset: filepath.Join(t.TempDir(), "dataset")})
	if err := e.Skip(runners.Skip{Intervals: 1}); err == nil {
		t.Error("no error")
	}
	polytest.ErrorContains(t, polytest.Err(e.Drive(runners.Settings{Mode: runners.GameRealtime}, nil)),
		"a dataset cannot have gaps")
}

// ownTime adds up how much simulated time each world has been through, over its
// episodes, skips included. Its binding comes at every control instant.
type ownTime struct {
	before []int64 // of the episodes that are over
	now    []int64 // in the running episode
}

func (o *ownTime) binding() sim.Binding {
	return sim.Binding{
		Binding: runners.Binding{Name: "own_time", Runner: "Robot", Phase: runners.Acquisition, Priority: 1000},
		Call: func(_ *runners.StepContext, w *sim.World) {
			if w.NS() < o.now[w.Index()] || w.NS() == 0 {
				o.before[w.Index()] += o.now[w.Index()]
			}
			o.now[w.Index()] = w.NS()
		},
	}
}

func (o *ownTime) of(world int) time.Duration { return time.Duration(o.before[world] + o.now[world]) }

// randomControlRates are a configuration with random rates, and changes of the
// control rate and of others at random steps.
func randomControlRates(t *testing.T, rng *rand.Rand, worlds int) *configs.Config {
	cfg := preset(t, "quadruped", fmt.Sprintf("worlds=%d", worlds), fmt.Sprintf("max_steps=%d", 5+rng.IntN(40)),
		"runners.Robot.rate=25", fmt.Sprintf("runners.Capture.rate=%d", 10+10*rng.IntN(5)),
		"bindings=[{name: physics, runner: Sensors, substeps: 1}]")
	n := 0
	for range 1 + rng.IntN(5) {
		n += rng.IntN(25)
		name, rates := "Robot", []string{"25", "30", "50", "100", "125", "200/3", "250/7"}
		if rng.IntN(4) == 0 {
			name, rates = "Capture", []string{"20", "30", "75"}
		}
		rate := polytest.Must(runners.ParseRate(rates[rng.IntN(len(rates))]))(t)
		edits := runners.Edits{runners.SetRate{Name: name, Rate: rate}}
		cfg.Changes = append(cfg.Changes, configs.Change{N: n, Edits: configs.Edits{Edits: edits}})
	}
	return cfg
}

// Whatever becomes of the control rate, and however the wall clock stands still: in Sim Realtime no world's own time
// is ahead of the wall clock; in Game Realtime the time that a lone world has simulated and skipped is the wall time,
// within one control step, and the run's log gives the same states again.
func TestWorldsFollowTheWallClockLong(t *testing.T) {
	polytest.OnlySlow(t)
	seeds, _ := polytest.Cases(t, 8, 16, 100)
	skipped, changed := int64(0), 0
	for seed := range uint64(seeds) {
		rng := rand.New(rand.NewPCG(seed, 10))
		mode, worlds := runners.SimRealtime, 1+rng.IntN(3)
		if seed%2 == 1 {
			mode = runners.GameRealtime
		}
		cfg := randomControlRates(t, rng, worlds)
		path := filepath.Join(t.TempDir(), "run.log")
		own := &ownTime{make([]int64, worlds), make([]int64, worlds)}
		opt := OpenOptions{Bindings: []sim.Binding{own.binding()}, Log: newLog(t, path, cfg, OpenOptions{}, withActions)}
		e := open(t, cfg, opt)
		clock := &wall{now: time.Duration(rng.Int64N(1e12))}
		origin := clock.now
		driver := polytest.Must(e.Drive(runners.Settings{Mode: mode, Clock: clock, MaxSteps: 1 + rng.IntN(6)},
			func(w *sim.Worker, b *sim.Block) error {
				return b.Step(w)
			}))(t)
		frame := func() {
			if _, err := driver.Frame(); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			for w := range worlds {
				passed := clock.now - origin
				behind := passed - own.of(w)
				if behind < 0 {
					t.Fatalf("seed %d, %v: world %d of %d is at %v of its own time, %v ahead of the wall clock\n%s", seed, mode, w,
						worlds, own.of(w), -behind, cfg.YAML())
				}
				if step := 40 * time.Millisecond; mode == runners.GameRealtime && worlds == 1 && behind >= step {
					t.Fatalf("seed %d: %v simulated and skipped in %v of wall time, more than a control step behind\n%s", seed,
						own.of(w), passed, cfg.YAML())
				}
			}
		}
		for range 100 {
			frame()
			clock.now += time.Duration(rng.Int64N(int64(60 * time.Millisecond)))
			if rng.IntN(10) == 0 {
				clock.now += time.Duration(rng.Int64N(int64(3 * time.Second)))
			}
			if worlds > 1 && rng.IntN(8) == 0 { // so that worlds stand at different places of the beat
				chosen := rng.IntN(worlds) // here, since Each calls from several goroutines
				polytest.NoError(t, e.Each(func(w *sim.Worker, b *sim.Block) error {
					mask := make([]bool, b.Len())
					mask[chosen%len(mask)] = true
					b.Restart(w, mask, nil)
					return nil
				}))
			}
		}
		if rng.IntN(2) == 0 { // a change from outside, for the step that comes next
			edits := runners.Edits{runners.SetRate{Name: "Robot", Rate: runners.Hz(25)}}
			polytest.NoError(t, e.Change(runners.Change{N: max(e.Sim().Blocks()[0].N(),
				int64(cfg.Changes[len(cfg.Changes)-1].N)), Edits: edits}))
			for range 30 {
				clock.now += 13 * time.Millisecond
				frame()
			}
		}
		skipped += driver.Total().Skipped
		changed += len(e.Sim().Changes())
		steps := opt.Log.Steps()
		polytest.NoError(t, e.Close())
		if got, err := Replay(path, 2); err != nil || got != steps {
			t.Fatalf("seed %d, %v: %d steps identical (%v), want %d", seed, mode, got, err, steps)
		}
	}
	if skipped == 0 || changed == 0 {
		t.Errorf("%d control steps were skipped, %d changes made; want some", skipped, changed)
	}
}

// What a timeline says is what a world does, through changes of rates, phases and runners.
func TestTimelineIsWhatAWorldDoes(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 8))
		cfg := preset(t, "quadruped", "worlds=1", "max_steps=40", "recording.enabled=false")
		var did []string
		call := func(name, runner string, phase runners.Phase) sim.Binding {
			return sim.Binding{
				Binding: runners.Binding{Name: name, Runner: runner, Phase: phase, Priority: rng.IntN(300) - 150},
				Call: func(ctx *runners.StepContext, w *sim.World) {
					did = append(did, fmt.Sprintf("%d %s %d", w.NS(), name, ctx.DT))
				},
			}
		}
		extra := []sim.Binding{call("a", "Robot", runners.Control), call("b", "Capture", runners.Acquisition),
			call("c", "Sensors", runners.Export)}
		var changes []runners.Change
		n := 1
		for range 1 + rng.IntN(6) {
			n += rng.IntN(12)
			name := []string{"a", "b", "c"}[rng.IntN(3)]
			runner := []string{"Robot", "Capture", "Sensors"}[rng.IntN(3)]
			var edit runners.Edit
			switch rng.IntN(5) {
			case 0:
				edit = runners.SetPhase{Name: name, Phase: []runners.Phase{runners.Acquisition, runners.Control,
					runners.Validation, runners.Export}[rng.IntN(4)]}
			case 1:
				edit = runners.Rebind{Name: name, Runner: runner}
			case 2:
				edit = runners.ToggleBinding{Name: name, Enabled: rng.IntN(2) == 0}
			case 3:
				edit = runners.SetRate{Name: "Capture", Rate: runners.Hz([]int64{25, 30, 40}[rng.IntN(3)])}
			case 4:
				edit = runners.ToggleRunner{Name: "Capture", Enabled: rng.IntN(2) == 0}
			}
			changes = append(changes, runners.Change{N: int64(n), Edits: runners.Edits{edit}})
		}
		e := open(t, cfg, OpenOptions{Bindings: extra})
		for _, c := range changes {
			polytest.NoError(t, e.Change(c))
		}
		clock := runners.NewClock(e.Plan().Schedule())
		for _, c := range changes {
			polytest.NoError(t, clock.Add(c, nil))
		}
		did = nil
		play(t, e, 39, 39)
		polytest.NoError(t, e.Close())
		var want []string
		end, begun := int64(39*20e6), false
		polytest.NoError(t, clock.Timeline(end, func(at runners.Instant) error {
			for _, c := range at.Calls {
				if len(c.Name) == 1 && (begun || c.Phase > runners.Acquisition) && (at.NS < end || c.Phase == runners.Acquisition) {
					want = append(want, fmt.Sprintf("%d %s %d", at.NS, c.Name, c.DT))
				}
			}
			begun = true
			return nil
		}))
		if !slices.Equal(did, want) {
			for i := range min(len(did), len(want)) {
				if did[i] != want[i] {
					t.Fatalf("seed %d, %+v: call %d is %s, the timeline has %s", seed, changes, i, did[i], want[i])
				}
			}
			t.Fatalf("seed %d: %d calls, the timeline has %d", seed, len(did), len(want))
		}
	}
}

// A run whose clock has changed without end goes on from its state, which does not grow with the changes.
func TestStateForgetsChangesOfTheClock(t *testing.T) {
	cfg := preset(t, "InvertedPendulum-v5", "worlds=2", "recording.enabled=false")
	e := open(t, cfg, OpenOptions{})
	change := func(e *Env, n int) {
		edit := runners.SetPriority{Name: "observation", Priority: n % 7}
		intervene(t, e, runlog.Intervention{Effect: &runlog.Change{N: int64(n), Edits: runners.Edits{edit}}})
	}
	for n := range 40 {
		change(e, n)
		polytest.NoError(t, e.Step())
	}
	at := polytest.Must(e.State())(t)
	if n := len(at.Changes); n > 2 || at.Origin == nil {
		t.Fatalf("the state has %d changes after the version %+v", n, at.Origin)
	}
	text := polytest.Must(json.Marshal(at))(t)
	again := State{Worlds: at.Worlds}
	polytest.NoError(t, json.Unmarshal(text, &again))
	next := open(t, cfg, OpenOptions{Continue: &again})
	for n := 40; n < 50; n++ {
		for _, e := range []*Env{e, next} {
			change(e, n)
			polytest.NoError(t, e.Step())
		}
	}
	if !next.Sim().Snapshot().Equal(e.Sim().Snapshot()) {
		t.Error("a run that goes on has other bits")
	}
	cfg.Seed = 99
	polytest.ErrorContains(t, polytest.Err(Open(cfg, OpenOptions{Continue: &again})), "the snapshot does not fit")
}
