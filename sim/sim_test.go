package sim_test

import (
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/internal/random"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/pointmass"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sensors"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// chase is a task on the point mass: stay near the origin, from a random start.
// It observes through its sensors, so that a wrong stamp changes its bits.
type chase struct {
	suite  *sensors.Suite
	pos    physics.Span
	limit  float64                                  // the episode ends beyond it
	steps  int64                                    // or after so many control steps
	warmup int                                      // substeps before t = 0
	push   float64                                  // the force while it warms up
	mishap func(w *sim.World, where string) float64 // what goes wrong; added to the reward
}

const (
	chaseObservation = 7
	chaseAction      = 2
)

func (c *chase) Spec() sim.Spec {
	inf := math.Inf(1)
	return sim.Spec{
		Name: "chase", ObservationSize: chaseObservation, ActionSize: chaseAction,
		ActionLow: []float64{-inf, -inf}, ActionHigh: []float64{inf, inf},
		MemorySize: 1, MaxSteps: c.steps, InfoNames: []string{"distance"}, ResetInfoNames: []string{"distance"},
		Derived: []string{"power"}, WarmupSteps: c.warmup,
	}
}

func (c *chase) Reset(w *sim.World) {
	r := w.Random(sim.ResetDraws)
	p := c.pos.In(w.State())
	for i := range p {
		p[i] = r.NormFloat64()
	}
	w.Control()[0] = c.push
	if c.mishap != nil {
		p[0] += c.mishap(w, "reset")
	}
}

func (c *chase) Act(w *sim.World, action []float32) {
	w.Memory()[0]++
	for i, a := range action {
		w.Control()[i] = float64(a)
	}
}

func (c *chase) Observe(w *sim.World, dst []float64) {
	at := 0
	for ch := range c.suite.Len() {
		w.Read(dst[at:at+2], ch)
		at += 2
	}
	dst[at] = w.Memory()[0] + w.Derived()[0] + w.StepRandom(sim.TaskDraws).Float64()
	if w.NS() == 0 {
		w.Info()[0] = c.distance(w)
	}
}

func (c *chase) distance(w *sim.World) float64 {
	p := c.pos.In(w.State())
	return math.Hypot(p[0], p[1])
}

func (c *chase) Reward(w *sim.World) (float64, bool) {
	distance := c.distance(w)
	reward := -distance
	w.Info()[0] = distance
	if c.mishap != nil {
		reward += c.mishap(w, "evaluate")
	}
	return reward, distance > c.limit
}

// setup is a run of chase worlds at 50 Hz control, 500 Hz sensors and 30 Hz
// capture; change edits its configuration before it starts.
type setup struct {
	sim.Config
	Runners  []runners.Runner
	Bindings []runners.Binding
	task     *chase
}

// open makes the worlds under the clock of the setup's runners and bindings.
func (s *setup) open() (run *sim.Sim, err error) {
	schedule, err := runners.Compile(s.Runners, s.Bindings)
	if err != nil {
		return nil, err
	}
	s.Clock = runners.NewClock(schedule)
	return sim.New(s.Config)
}

func newSetup(t testing.TB, change func(*setup)) *sim.Sim {
	t.Helper()
	s := &setup{}
	s.Runners = []runners.Runner{
		{Name: "Robot", Rate: runners.Hz(50)},
		{Name: "Capture", Rate: runners.Hz(30)},
		{Name: "Sensors", Rate: runners.Hz(500)},
	}
	const sense, acquisition = runners.Sense, runners.Acquisition
	s.Bindings = []runners.Binding{
		{Name: "position", Runner: "Sensors", Phase: acquisition, Priority: -100, Role: sense, Channel: 0},
		{Name: "velocity", Runner: "Sensors", Phase: acquisition, Priority: -100, Role: sense, Channel: 1},
		{Name: "acceleration", Runner: "Sensors", Phase: acquisition, Priority: -100, Role: sense, Channel: 2},
		{Name: "observation", Runner: "Robot", Phase: acquisition, Role: runners.Observe},
		{Name: "controller", Runner: "Robot", Phase: runners.Control, Priority: -200, Role: runners.Act},
		{Name: "physics", Runner: "Robot", Phase: runners.Physics, Role: runners.Integrate, Substeps: 10},
		{Name: "latch", Phase: acquisition, Beat: true, Role: runners.Latch},
	}
	s.Calls = map[string]sim.Callback{}
	model := pointmass.New(0.002)
	suite := polytest.Must(sensors.Compile(model, runners.Hz(500), s.Runners, []sensors.Channel{
		{Name: "position", Runner: "Sensors", Sources: []string{"position"}, Noise: sensors.Noise{Std: 0.01}},
		{Name: "velocity", Runner: "Sensors", Sources: []string{"velocity"}, Latency: 5 * time.Millisecond},
		{Name: "acceleration", Runner: "Sensors", Sources: []string{"acceleration"}},
	}))(t)
	pos := polytest.Must(model.Field("position"))(t)
	s.task = &chase{suite: suite, pos: pos, limit: 3, steps: 40}
	s.Model, s.Task, s.Sensors = model, s.task, suite
	s.Worlds, s.Workers, s.Seed = 12, 1, 7
	if change != nil {
		change(s)
	}
	run := polytest.Must(s.open())(t)
	t.Cleanup(func() {
		if err := run.Close(); err != nil {
			t.Error(err)
		}
	})
	return run
}

// edited is a task that describes itself in another way.
type edited struct {
	sim.Task
	change func(*sim.Spec)
}

func (e edited) Spec() sim.Spec {
	spec := e.Task.Spec()
	e.change(&spec)
	return spec
}

func (s *setup) edit(change func(*sim.Spec)) { s.Task = edited{s.Task, change} }

// spec is a change of what the task says of itself.
func spec(change func(*sim.Spec)) func(*setup) { return func(s *setup) { s.edit(change) } }

func (s *setup) add(b runners.Binding, call sim.Callback) {
	s.Bindings, s.Calls[b.Name] = append(s.Bindings, b), call
}

// act fills a block's actions from the run-wide world, the step and the observation, so that any difference feeds back.
func act(b *sim.Block, step int) {
	for i := range b.Len() {
		for j := range chaseAction {
			b.Actions()[i*chaseAction+j] = float32(math.Sin(float64((b.First()+i)*7+step*3+j))*3 -
				b.Observations()[i*chaseObservation+j])
		}
	}
}

// trace runs steps control steps in segments of the given length and returns what every world went through, by world.
func trace(t testing.TB, run *sim.Sim, steps, segment int) []uint64 {
	t.Helper()
	return traceSteps(t, run, 0, steps, segment)
}

// traceSteps is trace for the steps from first to before end.
func traceSteps(t testing.TB, run *sim.Sim, first, end, segment int) []uint64 {
	t.Helper()
	sums := make([]uint64, run.Worlds())
	for from := first; from < end; from += segment {
		polytest.NoError(t, run.Each(func(w *sim.Worker, b *sim.Block) error {
			for step := from; step < min(from+segment, end); step++ {
				act(b, step)
				if err := b.Step(w); err != nil {
					return err
				}
				for i := range b.Len() {
					h := fnv.New64a()
					fmt.Fprint(h, sums[b.First()+i], b.Rewards()[i], b.Terminations()[i], b.Truncations()[i], b.Faults()[i],
						b.Observations()[i*chaseObservation:(i+1)*chaseObservation],
						b.FinalObservations()[i*chaseObservation:(i+1)*chaseObservation],
						b.EpisodeReturns()[i], b.EpisodeLengths()[i])
					sums[b.First()+i] = h.Sum64()
				}
			}
			return nil
		}))
	}
	return sums
}

func TestDeterminismForAnyWorkersBlocksAndSegments(t *testing.T) {
	want := trace(t, newSetup(t, nil), 120, 120)
	for _, workers := range []int{1, 2, 3, 8} {
		for _, size := range []int{1, 5, 12} {
			for _, segment := range []int{1, 7, 120} {
				got := trace(t, newSetup(t, func(s *setup) { s.Workers, s.BlockSize = workers, size }), 120, segment)
				polytest.EqualSlices(t, got, want,
					"%d workers, blocks of %d, segments of %d: other bits than 1 worker", workers, size, segment)
			}
		}
	}
	other := trace(t, newSetup(t, func(s *setup) { s.Seed = 8 }), 120, 120)
	for w := range other {
		if other[w] == want[w] {
			t.Errorf("world %d: seed 8 gave the same as seed 7", w)
		}
	}
}

// A binding that may write to physics at 500 Hz splits every engine call into ten; nothing else may change.
func TestDeterminismFusedAndUnfused(t *testing.T) {
	want := trace(t, newSetup(t, nil), 100, 100)
	for _, onSensors := range []bool{false, true} {
		calls := 0
		got := trace(t, newSetup(t, func(s *setup) {
			b := runners.Binding{Name: "idle writer", Runner: "Sensors", Phase: runners.Control, Writes: true}
			s.add(b, func(*runners.StepContext, *sim.World) { calls++ })
			if onSensors {
				s.setPhysics("Sensors", 1)
			}
		}), 100, 100)
		if calls == 0 {
			t.Fatal("the writer never fired")
		}
		polytest.EqualSlices(t, got, want,
			"stepping physics one substep at a time, on Sensors %t, gave other bits", onSensors)
	}
}

func (s *setup) setPhysics(runner string, substeps int) {
	for i := range s.Bindings {
		if s.Bindings[i].Role == runners.Integrate {
			s.Bindings[i].Runner, s.Bindings[i].Substeps = runner, substeps
		}
	}
}

// reading is what a 30 Hz reader saw of one channel.
type reading struct {
	ns, stamp int64
	ok        bool
	value     [2]float64
}

// Every reader gets the newest sample that is not in its future.
func TestCausalityOfReaders(t *testing.T) {
	const period = 2_000_000 // ns between substeps
	latency := []int64{0, 5_000_000, 0}
	var seen [3][]reading
	truth := map[int64]bool{}
	run := newSetup(t, func(s *setup) {
		s.Worlds = 1
		s.task.limit = math.Inf(1)
		b := runners.Binding{Name: "recorder", Runner: "Capture", Phase: runners.Control, Priority: 100}
		s.add(b, func(ctx *runners.StepContext, w *sim.World) {
			if ctx.NS != w.NS() {
				t.Errorf("context says %d ns, world %d ns", ctx.NS, w.NS())
			}
			for ch := range seen {
				r := reading{ns: w.NS()}
				r.stamp, r.ok = w.Read(r.value[:], ch)
				seen[ch] = append(seen[ch], r)
			}
			_, actionNS, ok := w.Action()
			if want := w.NS() / 20_000_000 * 20_000_000; !ok || actionNS != want {
				t.Errorf("row at %d ns: action of %d ns (%t), want %d", w.NS(), actionNS, ok, want)
			}
			_, observationNS, ok := w.Observation()
			if want := w.NS() / 20_000_000 * 20_000_000; !ok || observationNS != want {
				t.Errorf("row at %d ns: observation of %d ns (%t), want %d", w.NS(), observationNS, ok, want)
			}
			if sync := w.NS()%100_000_000 == 0; sync != ctx.Sync {
				t.Errorf("row at %d ns: sync %t, want %t", w.NS(), ctx.Sync, sync)
			}
			truth[w.NS()] = true
		})
	})
	trace(t, run, 40, 40) // one episode of 800 ms

	for k := range int64(24) {
		if timestamp := runners.Hz(30).Timestamp(k); !truth[timestamp] {
			t.Errorf("no row at %d ns", timestamp)
		}
	}
	for ch, rows := range seen {
		for _, r := range rows[:24] {
			// The rule, restated over all boundaries there are.
			want, ok := int64(0), false
			for stamp := int64(0); stamp <= r.ns; stamp += period {
				known := stamp+latency[ch] <= r.ns
				if ch == 2 {
					known = stamp < r.ns
				}
				if known {
					want, ok = stamp, true
				}
			}
			if r.ok != ok || ok && r.stamp != want {
				t.Errorf("channel %d read at %d ns: stamp %d (%t), want %d (%t)", ch, r.ns, r.stamp, r.ok, want, ok)
			}
		}
	}
}

// The step path allocates nothing, whatever worlds do in it. A run is as long as it takes
// for every binding to fire and for episodes to end, since the count is rounded down.
func TestStepAllocatesNothing(t *testing.T) {
	for name, change := range map[string]func(*setup){
		"reading": func(s *setup) {
			sum := 0.0
			s.add(runners.Binding{Name: "reader", Runner: "Capture", Phase: runners.Export},
				func(ctx *runners.StepContext, w *sim.World) { sum += ctx.Alpha(0) })
		},
		"logged":                func(s *setup) { s.Log = newLog(t, &memory{}) },
		"parameters and probes": func(s *setup) { weigh(s); s.Probes = []string{"pose"} },
		"changes":               func(s *setup) { s.BlockSize = 12 },
		"watched":               func(*setup) {},
	} {
		t.Run(name, func(t *testing.T) {
			run := newSetup(t, change)
			watches, seen := map[int]*sim.Watch{}, sim.Latched{}
			for i := range run.Worlds() {
				switch name {
				case "watched":
					watches[i] = run.Watch(i)
				case "changes":
					mustChange(t, run, int64(210+40*i), runners.SetRate{Name: "Capture", Rate: runners.Hz(20 + int64(i%7))})
				}
			}
			trace(t, run, 700, 700) // memory grows: as many steps in one segment as are counted below, or more
			polytest.NoError(t, run.Each(func(w *sim.Worker, b *sim.Block) error {
				step := 0
				n := polytest.Allocations(5, func() {
					for range 100 {
						act(b, step)
						step++
						if err := b.Step(w); err != nil {
							t.Error(err)
						}
						if watch := watches[b.First()]; watch != nil {
							watch.Latest(&seen)
						}
					}
				})
				if n != 0 {
					t.Errorf("block %d: %v allocations in 100 steps", b.Index(), n)
				}
				return nil
			}))
		})
	}
}

func TestFaultsStayInTheirWorld(t *testing.T) {
	healthy := trace(t, newSetup(t, nil), 60, 60)
	for _, c := range []struct {
		name   string
		mishap func(w *sim.World, where string) float64
	}{
		{"panic", func(w *sim.World, _ string) float64 { panic("boom") }},
		{"reward not a number", func(*sim.World, string) float64 { return math.NaN() }},
		{"reward too large", func(*sim.World, string) float64 { return 1e155 }},
		{"info not a number", func(w *sim.World, where string) float64 {
			if where == "evaluate" {
				w.Info()[0] = math.Inf(1)
			}
			return 0
		}},
		{"state not finite", func(w *sim.World, _ string) float64 {
			w.State()[0] = math.NaN()
			return 0
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			run := newSetup(t, func(s *setup) {
				s.Workers = 2
				s.task.mishap = func(w *sim.World, where string) float64 {
					if w.Index() == 4 && w.Steps() == 5 {
						return c.mishap(w, where)
					}
					return 0
				}
			})
			got := trace(t, run, 60, 60)
			for w := range got {
				if (got[w] == healthy[w]) != (w != 4) {
					t.Errorf("world %d: same as in a healthy run: %t", w, got[w] == healthy[w])
				}
			}
			if run.FaultCount() < 1 {
				t.Errorf("%d faults counted, want at least 1", run.FaultCount())
			}
			_, message, _ := strings.Cut(run.LastFault(4), ": ")
			line, _, _ := strings.Cut(message, "\n")
			if line == "" || !strings.HasSuffix(run.FirstFault(), line) {
				t.Errorf("the last fault of world 4 is %q, and the first one %q", run.LastFault(4), run.FirstFault())
			}
			polytest.Equal(t, run.LastFault(3), "", "the last fault of a healthy world")
		})
	}
}

// log keeps the episodes a sim closes.
type log struct {
	rewards map[int64]float64
	closed  []sim.Episode
}

func (l *log) Rewarded(w *sim.World, reward float64) { l.rewards[w.Episode()] += reward }
func (l *log) Ended(w *sim.World, e sim.Episode) {
	if e.Number != w.Episode() {
		panic(fmt.Sprintf("episode %d closed in a world that runs %d", e.Number, w.Episode()))
	}
	e.FinalObservation, e.InfoSum = slices.Clone(e.FinalObservation), slices.Clone(e.InfoSum)
	l.closed = append(l.closed, e)
}

func TestEpisodesOfAWorldAndTheirReturns(t *testing.T) {
	for _, mode := range []sim.Autoreset{sim.SameStep, sim.NextStep} {
		l := &log{rewards: map[int64]float64{}}
		run := newSetup(t, func(s *setup) {
			s.Worlds, s.Episodes, s.Autoreset, s.Observers = 3, 7, mode, []sim.Observer{l}
			s.task.limit, s.task.steps = math.Inf(1), 10
		})
		for step := 0; run.Active(); step++ {
			if step > 200 {
				t.Fatalf("mode %s: still active after 200 steps", mode)
			}
			trace(t, run, 1, 1)
		}
		var numbers []int64
		for _, e := range l.closed {
			numbers = append(numbers, e.Number)
			if e.LengthNS != 200_000_000 || e.Steps != 10 || !e.Truncated || e.Terminated || !e.Complete {
				t.Errorf("mode %s: episode %+v, want 10 steps of 20 ms, truncated", mode, e)
			}
			if e.Return != l.rewards[e.Number] {
				t.Errorf("mode %s: episode %d: return %v, rewards add up to %v", mode, e.Number, e.Return, l.rewards[e.Number])
			}
			if e.InfoSum[0] != -e.Return {
				t.Errorf("mode %s: episode %d: distances add up to %v, return %v", mode, e.Number, e.InfoSum[0], e.Return)
			}
			apart := int64(10)
			if mode == sim.NextStep {
				apart = 11 // it rests for one step
			}
			polytest.Equal(t, e.Start, e.Number/3*apart, "mode %s: episode %d starts at step", mode, e.Number)
		}
		slices.Sort(numbers)
		polytest.EqualSlices(t, numbers, []int64{0, 1, 2, 3, 4, 5, 6}, "mode %s: episodes", mode)
	}
}

func TestRestartAndCloseEndWhatRuns(t *testing.T) {
	l := &log{rewards: map[int64]float64{}}
	run := newSetup(t, func(s *setup) {
		s.Worlds, s.BlockSize, s.Autoreset, s.Observers = 4, 4, sim.Disabled, []sim.Observer{l}
		s.task.limit, s.task.steps = math.Inf(1), 5
	})
	trace(t, run, 3, 3)
	polytest.NoError(t, run.Each(func(w *sim.Worker, b *sim.Block) error {
		b.Restart(w, []bool{false, true, false, false}, nil)
		return nil
	}))
	trace(t, run, 4, 4) // worlds 0, 2, 3 end and stand; world 1 goes on
	polytest.NoError(t, run.Close())
	var got []string
	for _, e := range l.closed {
		got = append(got, fmt.Sprintf("%d:%d:%t", e.Number, e.Steps, e.Complete))
	}
	want := []string{"1:3:false", "0:5:true", "2:5:true", "3:5:true", "5:4:false"}
	polytest.EqualSlices(t, got, want, "closed")
}

func TestErrors(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*setup)
		want   string
	}{
		{"no worlds", func(s *setup) { s.Worlds = -1 }, "worlds is -1, want at least 1"},
		{"no room", func(s *setup) { s.Worlds = 1 << 40 }, "1099511627776 worlds of chase need "},
		{"unknown autoreset", func(s *setup) { s.Autoreset = "never" }, `autoreset is "never", want one of`},
		{"no workers", func(s *setup) { s.Workers = 0 }, "workers is 0, want at least 1"},
		{"large blocks", func(s *setup) { s.BlockSize = 17 }, "block size is 17, want 1 to 16"},
		{"no physics", func(s *setup) { s.Bindings = slices.Delete(s.Bindings, 5, 6) }, "there is no physics binding"},
		{"no substeps", func(s *setup) { s.setPhysics("Robot", 0) }, "has 0 substeps, want at least 1"},
		{"observation elsewhere", func(s *setup) { s.Bindings[3].Runner = "Capture" },
			"want both on one, the control runner"},
		{"controller disabled", func(s *setup) { s.Bindings[4].Disabled = true }, `"controller" is disabled`},
		{"controller late", func(s *setup) { s.Bindings[4].Phase = runners.Export },
			"binding \"controller\" is in phase Export, want Control"},
		{"late writer", func(s *setup) {
			s.add(runners.Binding{Name: "push", Runner: "Robot", Phase: runners.Export, Writes: true},
				func(*runners.StepContext, *sim.World) {})
		}, `"push" writes to physics and is in phase `},
		{"reset info", spec(func(spec *sim.Spec) { spec.ResetInfoNames = []string{"distanse"} }),
			`task chase: reset info "distanse" is not among its infos ["distance"]`},
		{"derived value", spec(func(spec *sim.Spec) { spec.Derived = []string{"powers"} }),
			`task chase: pointmass: unknown derived value "powers": the nearest known one is "power"`},
		{"two choices at once", spec(func(spec *sim.Spec) { spec.Discrete = 4 }),
			"task chase: 4 discrete choices in 2 action values"},
		{"bounds", spec(func(spec *sim.Spec) { spec.ObservationLow = []float64{0} }),
			"task chase: ObservationLow has 1 values, want 7"},
		{"warm-up", spec(func(spec *sim.Spec) { spec.WarmupSteps = -1 }),
			"task chase: WarmupSteps is -1, want 0 to 16777216"},
		{"no observation", spec(func(spec *sim.Spec) { spec.ObservationSize = 0 }),
			"task chase: ObservationSize is 0, want 1 to 16777216"},
		{"a large observation", spec(func(spec *sim.Spec) { spec.ObservationSize = 1 << 40 }),
			"task chase: ObservationSize is 1099511627776, want 1 to 16777216"},
		{"action bounds missing", spec(func(spec *sim.Spec) { spec.ActionLow = nil }),
			"task chase: ActionLow and ActionHigh are not both given"},
		{"action bounds short", spec(func(spec *sim.Spec) { spec.ActionHigh = []float64{1} }),
			"task chase: ActionHigh has 1 values, want 2"},
		{"action bounds NaN", spec(func(spec *sim.Spec) { spec.ActionLow = []float64{-1, math.NaN()} }),
			"task chase: ActionLow[1] is NaN, want a number"},
		{"action bounds crossed", spec(func(spec *sim.Spec) {
			spec.ActionLow, spec.ActionHigh = []float64{2, -1}, []float64{1, 1}
		}),
			"task chase: ActionLow[0] is 2, want at most ActionHigh[0], which is 1"},
		{"names", spec(func(spec *sim.Spec) { spec.ActionNames = []string{"x"} }),
			"task chase: ActionNames has 1 values, want 2"},
		{"infos of one name", spec(func(spec *sim.Spec) { spec.InfoNames = []string{"a", "a"} }),
			`task chase: InfoNames has "a" twice`},
		{"two controllers", func(s *setup) {
			s.Bindings = append(s.Bindings, s.Bindings[4])
			s.Bindings[len(s.Bindings)-1].Name = "second"
		}, `"controller" and "second" are both the controller`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := changed(t, c.change).open()
			polytest.ErrorContains(t, err, c.want)
		})
	}
}

// Staggered first episodes end at steps that are spread over the time limit, the same for
// any number of workers; those after them have the whole limit.
func TestStaggeredFirstEpisodes(t *testing.T) {
	const worlds, limit = 64, 20
	lengths := func(workers int, seed uint64) (first, second []int64) {
		run := newSetup(t, func(s *setup) {
			s.Worlds, s.Workers, s.Seed, s.Stagger, s.MaxSteps = worlds, workers, seed, true, limit
			s.task.limit = math.Inf(1)
		})
		first, second = make([]int64, worlds), make([]int64, worlds)
		for range 2 * limit {
			polytest.NoError(t, run.Step())
			for w, truncated := range run.Truncations() {
				switch {
				case !truncated:
				case first[w] == 0:
					first[w] = run.EpisodeLengths()[w]
				default:
					second[w] = run.EpisodeLengths()[w]
				}
			}
		}
		return first, second
	}
	first, second := lengths(1, 7)
	again, _ := lengths(3, 7)
	other, _ := lengths(1, 8)
	if !slices.Equal(first, again) || slices.Equal(first, other) {
		t.Errorf("first episodes of %d steps, with more workers %d, with another seed %d", first, again, other)
	}
	seen := map[int64]bool{}
	for w, n := range first {
		seen[n] = true
		if n < 1 || n > limit || second[w] != limit {
			t.Errorf("world %d: episodes of %d and %d steps, want 1 to %d and %d", w, n, second[w], limit, limit)
		}
	}
	if len(seen) < limit/2 {
		t.Errorf("%d lengths of first episodes, want at least %d", len(seen), limit/2)
	}
}

// One action value is a choice.
type chooser struct{ *chase }

func (c chooser) Act(w *sim.World, action []float32) {
	w.Control()[0] = float64(action[0])
}

func TestActionsMustBeChoices(t *testing.T) {
	for _, c := range []struct {
		action float32
		want   string // "" if it is a choice
	}{
		{0, ""}, {3, ""},
		{4, "the action of world 3 is 4, want a whole number from 0 to 3"},
		{-1, "the action of world 3 is -1, want a whole number from 0 to 3"},
		{1.5, "the action of world 3 is 1.5, want a whole number from 0 to 3"},
		{1e20, "the action of world 3 is 1e+20, want a whole number from 0 to 3"},
		{float32(math.NaN()), "value 0 of the action of world 3 is NaN, want a finite number"},
	} {
		run := newSetup(t, func(s *setup) {
			s.Task = edited{chooser{s.task}, func(spec *sim.Spec) {
				spec.ActionSize, spec.Discrete = 1, 4
				spec.ActionLow, spec.ActionHigh = []float64{0}, []float64{3}
			}}
		})
		run.Actions()[3] = c.action
		if err := run.Step(); (err == nil) != (c.want == "") || err != nil && err.Error() != c.want {
			t.Errorf("action %v: error %v, want %q", c.action, err, c.want)
		}
	}
}

// The buffers of the blocks are those of the run, and stay in their part of them.
func TestBuffersOfTheRunAreThoseOfItsBlocks(t *testing.T) {
	run := newSetup(t, func(s *setup) { s.Worlds, s.BlockSize, s.Workers, s.task.steps = 7, 3, 2, 5 })
	observation := run.Observations()
	at := 0
	for _, b := range run.Blocks() {
		n := b.Len()
		views(t, "observation", b.Observations(), run.Observations(), at, n, chaseObservation)
		views(t, "action", b.Actions(), run.Actions(), at, n, chaseAction)
		views(t, "reward", b.Rewards(), run.Rewards(), at, n, 1)
		views(t, "terminated", b.Terminations(), run.Terminations(), at, n, 1)
		views(t, "truncated", b.Truncations(), run.Truncations(), at, n, 1)
		views(t, "fault", b.Faults(), run.Faults(), at, n, 1)
		views(t, "info", b.Infos(), run.Infos(), at, n, 1)
		views(t, "final observation", b.FinalObservations(), run.FinalObservations(), at, n, chaseObservation)
		views(t, "final info", b.FinalInfos(), run.FinalInfos(), at, n, 1)
		views(t, "return", b.EpisodeReturns(), run.EpisodeReturns(), at, n, 1)
		views(t, "length", b.EpisodeLengths(), run.EpisodeLengths(), at, n, 1)
		at += n
	}
	trace(t, run, 20, 3)
	if &observation[0] != &run.Observations()[0] {
		t.Error("the buffers have moved")
	}
}

// views checks that a block's buffer is its part of the run's.
func views[T any](t *testing.T, name string, block, run []T, first, worlds, size int) {
	t.Helper()
	if len(block) != worlds*size || cap(block) != len(block) || &block[0] != &run[first*size] || len(run) != 7*size {
		t.Errorf("%s: %d values (capacity %d) of a block of %d worlds, of %d of the run", name, len(block), cap(block),
			worlds, len(run))
	}
}

// What the task said about an episode's last step and about the start of the next
// one are both there in the step that ends it.
func TestInfoOfTheEndAndOfTheStart(t *testing.T) {
	run := newSetup(t, func(s *setup) { s.task.limit, s.task.steps = math.Inf(1), 5 })
	distance := func(b *sim.Block, i int) float64 { return math.Hypot(b.State(i)[0], b.State(i)[1]) }
	check := func(when string) {
		t.Helper()
		for _, b := range run.Blocks() {
			for i, got := range b.Infos() {
				polytest.Equal(t, got, distance(b, i), "%s: world %d tells", when, b.First()+i)
			}
		}
	}
	check("at the first start")
	trace(t, run, 4, 4)
	check("in the middle")
	trace(t, run, 1, 1)
	check("at the second start")
	for world, got := range run.FinalInfos() {
		if want := -run.Rewards()[world]; got != want || want == run.Infos()[world] {
			t.Errorf("at the end: world %d told %v, want %v", world, got, want)
		}
	}
}

// Physics settles before t = 0 under the reset's control, and everything is as if
// the episode had been reset to the state it warms up in.
func TestSettling(t *testing.T) {
	for _, warmup := range []int{1, 7, 1000} {
		run := newSetup(t, func(s *setup) {
			s.Workers, s.BlockSize = 2, 5
			s.task.warmup, s.task.push, s.task.limit = warmup, 0.25, math.Inf(1)
		})
		check := func(world int, b *sim.Block, i int, episode uint64) {
			t.Helper()
			var stream random.Stream
			r := stream.Key(7, uint64(world), episode, uint64(sim.ResetDraws))
			p, v := [2]float64{r.NormFloat64(), r.NormFloat64()}, [2]float64{}
			for range warmup {
				v[0] += float64(0.002 * 0.25)
				p[0] += float64(0.002 * v[0])
			}
			polytest.EqualSlices(t, b.State(i), []float64{p[0], p[1], v[0], v[1], 0.25, 0},
				"warmup %d: world %d begins episode %d in", warmup, world, episode)
			// channels: position with noise, velocity, acceleration; then the rest
			observation := b.Observations()[i*chaseObservation:][:chaseObservation]
			power := observation[6] - stream.Key(7, uint64(world), episode, uint64(sim.TaskDraws), 0).Float64()
			if want := []float64{v[0], 0, 0.25, 0}; !slices.Equal(observation[2:6], want) ||
				math.Abs(observation[0]-p[0]) > 0.1 || math.Abs(power-0.25*v[0]) > 1e-12 {
				t.Errorf("warmup %d: world %d observes %v, want about %v, then %v, and %v", warmup, world, observation, p, want,
					0.25*v[0])
			}
			if b.EpisodeLengths()[i] != 0 && b.EpisodeLengths()[i] != 40 {
				t.Errorf("an episode of %d control steps, want 40", b.EpisodeLengths()[i])
			}
		}
		for _, b := range run.Blocks() {
			for i := range b.Len() {
				check(b.First()+i, b, i, uint64(b.First()+i))
			}
		}
		trace(t, run, 40, 40)
		for _, b := range run.Blocks() {
			for i := range b.Len() {
				check(b.First()+i, b, i, uint64(b.First()+i+12))
			}
		}
	}
}

// Determinism and snapshots hold with settling too, and a world that breaks down while it warms up ends like any other.
func TestSettlingIsDeterministic(t *testing.T) {
	shape := func(workers, size int) *sim.Sim {
		return newSetup(t, func(s *setup) {
			s.Workers, s.BlockSize, s.task.warmup, s.task.push = workers, size, 30, 0.5
			s.task.mishap = func(w *sim.World, where string) float64 {
				if where == "reset" && w.Index() == 4 && w.Episode() == 16 {
					return pointmass.Bound - 1e-4 - w.State()[0] // settling takes it over the bound
				}
				return 0
			}
		})
	}
	first := shape(1, 12)
	want := trace(t, first, 100, 100)
	if first.FaultCount() < 1 {
		t.Error("no world broke down")
	}
	for _, size := range []int{1, 5} {
		polytest.EqualSlices(t, trace(t, shape(3, size), 100, 9), want, "blocks of %d: other bits", size)
	}
	other := shape(2, 7)
	restore(t, other, first.Snapshot())
	polytest.EqualSlices(t, traceSteps(t, other, 100, 140, 40), traceSteps(t, first, 100, 140, 40),
		"a restored run differs")
}

// lively is a point mass whose steppers keep something for the rows.
type lively struct {
	*pointmass.Model
	open *atomic.Int64
}

type livelyStepper struct {
	physics.Stepper
	open *atomic.Int64
}

// cache is what is kept; it must be closed once.
type cache struct{ open *atomic.Int64 }

func (c *cache) Close() error {
	c.open.Add(-1)
	return nil
}

func (m lively) NewStepper(worlds int, out physics.Outputs) (physics.Stepper, error) {
	s, err := m.Model.NewStepper(worlds, out)
	return &livelyStepper{s, m.open}, err
}

func (s *livelyStepper) Step(rows *physics.Rows, ids, n []int32) int {
	if rows.Cache == nil {
		s.open.Add(1)
		rows.Cache = &cache{s.open}
	}
	return s.Stepper.Step(rows, ids, n)
}

// What an engine keeps for the worlds is freed with the sim, once.
func TestCloseFreesWhatTheEngineKeeps(t *testing.T) {
	var open atomic.Int64
	run := newSetup(t, func(s *setup) {
		s.Model, s.BlockSize, s.Workers = lively{pointmass.New(0.002), &open}, 5, 2
	})
	trace(t, run, 50, 50)
	restore(t, run, run.Snapshot())
	trace(t, run, 5, 5)
	if open.Load() != 3 {
		t.Errorf("the engine keeps %d things for 3 blocks", open.Load())
	}
	for range 2 {
		if err := run.Close(); err != nil || open.Load() != 0 {
			t.Errorf("%d things are kept after Close (%v)", open.Load(), err)
		}
	}
}

// Whoever keeps a copy of the arrays by Updated has what they have, after whatever changes them.
func TestUpdatedFollowsTheArrays(t *testing.T) {
	shadow := map[int][]float64{} // observations, by block
	var lock sync.Mutex
	s := newSetup(t, func(s *setup) {
		s.Workers = 2
		s.Updated = func(b *sim.Block) {
			lock.Lock()
			defer lock.Unlock()
			shadow[b.Index()] = slices.Clone(b.Observations())
		}
	})
	check := func(what string) {
		t.Helper()
		for _, b := range s.Blocks() {
			polytest.EqualSlices(t, shadow[b.Index()], b.Observations(), "after %s, block %d", what, b.Index())
		}
	}
	start := s.Snapshot()
	polytest.NoError(t, s.Step())
	check("a step")
	polytest.NoError(t, s.Skip(2))
	check("a skip")
	polytest.NoError(t, s.Each(func(w *sim.Worker, b *sim.Block) error {
		b.Restart(w, slices.Repeat([]bool{true}, b.Len()), nil)
		return nil
	}))
	check("a restart")
	polytest.NoError(t, s.Restore(start))
	check("a restoration")
}

func TestPanicInABlockEndsTheRun(t *testing.T) {
	run := newSetup(t, func(s *setup) { s.Workers = 2 })
	err := run.Each(func(_ *sim.Worker, b *sim.Block) error {
		if b.Index() == 2 {
			panic("boom")
		}
		return nil
	})
	polytest.ErrorContains(t, err, "block 2: panic: boom")
}

// What a caller needs beside the worlds counts with them.
func TestCheckMemoryCountsAllTogether(t *testing.T) {
	s := newSetup(t, func(*setup) {})
	polytest.NoError(t, s.CheckMemory(1, 1, 0))
	polytest.ErrorContains(t, s.CheckMemory(1, 1, 1<<60), "of this machine's memory")
	s = newSetup(t, func(s *setup) { s.Beside = func(worlds int) int64 { return int64(worlds-min(worlds, 12)) << 59 } })
	polytest.ErrorContains(t, s.CheckMemory(14, 1, 0), "of this machine's memory")
}
