package sim_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"pgregory.net/rapid"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/physics/pointmass"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sensors"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// drive takes steps control steps whose actions follow from observations and the run-wide step, and now and then are
// left as they are, and returns what every world went through, by world. from is the step it begins with.
func drive(t testing.TB, run *sim.Sim, from, steps int) []string {
	t.Helper()
	seen := make([]string, run.Worlds())
	polytest.NoError(t, run.Each(func(w *sim.Worker, b *sim.Block) error {
		for step := from; step < from+steps; step++ {
			if step%4 != 3 {
				act(b, step)
			}
			if err := b.Step(w); err != nil {
				return err
			}
			for i := range b.Len() {
				seen[b.First()+i] += fmt.Sprintln(step, b.Rewards()[i], b.Terminations()[i], b.Truncations()[i], b.Faults()[i],
					b.State(i),
					b.Observations()[i*chaseObservation:(i+1)*chaseObservation],
					b.FinalObservations()[i*chaseObservation:(i+1)*chaseObservation],
					b.EpisodeReturns()[i], b.EpisodeLengths()[i], b.Infos()[i], b.FinalInfos()[i], b.Active(i))
			}
		}
		return nil
	}))
	return seen
}

func restore(t testing.TB, run *sim.Sim, s *sim.Snapshot) {
	t.Helper()
	polytest.NoError(t, run.Restore(s))
}

// filed is a snapshot after a journey through a file.
func filed(t testing.TB, s *sim.Snapshot) *sim.Snapshot {
	t.Helper()
	return polytest.Must(sim.ReadSnapshot(iotest.HalfReader(bytes.NewReader(s.Encode()))))(t)
}

// witness notes all that callbacks and observers of a run are shown, as text.
type witness struct {
	mu   sync.Mutex
	seen []string
}

func (k *witness) note(w *sim.World, format string, values ...any) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.seen = append(k.seen, fmt.Sprintf("world %d at %d ns: ", w.Index(), w.NS())+fmt.Sprintf(format, values...))
}

func (k *witness) Rewarded(w *sim.World, reward float64) { k.note(w, "reward %v", reward) }
func (k *witness) Ended(w *sim.World, e sim.Episode)     { k.note(w, "%+v", e) }
func (k *witness) call(c *runners.StepContext, w *sim.World) {
	var value [2]float64
	for ch := range 3 {
		stamp, ok := w.Read(value[:], ch)
		k.note(w, "channel %d: %v %d %t", ch, value, stamp, ok)
	}
	action, actionNS, acted := w.Action()
	observation, observationNS, observed := w.Observation()
	k.note(w, "dt %d sync %t action %v %d %t observation %v %d %t info %v memory %v derived %v n %d + %d ns, step %d "+
		"of %d",
		c.DT, c.Sync, action, actionNS, acted, observation, observationNS, observed, w.Info(), w.Memory(), w.Derived(),
		w.StepN(), w.StepOffsetNS(), w.Steps(), w.Episode())
}

// take returns what was noted since the last call, in a fixed order.
func (k *witness) take() []string {
	taken := k.seen
	k.seen = nil
	slices.SortStableFunc(taken, func(a, b string) int {
		return strings.Compare(strings.SplitN(a, " at ", 2)[0], strings.SplitN(b, " at ", 2)[0])
	})
	return taken
}

// reseed restarts some worlds now and then, with seeds or without.
func reseed(t testing.TB, run *sim.Sim, step int) {
	t.Helper()
	if step != 9 && step != 23 && step != 24 {
		return
	}
	polytest.NoError(t, run.Each(func(w *sim.Worker, b *sim.Block) error {
		mask, seeds := make([]bool, b.Len()), make([]uint64, b.Len())
		for i := range mask {
			mask[i], seeds[i] = (b.First()+i+step)%3 == 0, uint64(100*step+b.First()+i)
		}
		if step == 24 {
			seeds = nil
		}
		b.Restart(w, mask, seeds)
		return nil
	}))
}

// From every step, in a run of any shape, a restored world does what it did before.
func TestRestoreAtEveryStep(t *testing.T) {
	const steps = 60
	for _, mode := range []sim.Autoreset{sim.SameStep, sim.NextStep, sim.Disabled} {
		witnesses := map[*sim.Sim]*witness{}
		shape := func(workers, size int) *sim.Sim {
			k := &witness{}
			run := newSetup(t, func(s *setup) {
				s.Observers = []sim.Observer{k}
				s.add(runners.Binding{Name: "before", Runner: "Capture", Phase: runners.Acquisition, Priority: -200}, k.call)
				s.add(runners.Binding{Name: "after", Runner: "Capture", Phase: runners.Control, Priority: 100}, k.call)
				s.add(runners.Binding{Name: "first", Runner: "Robot", Phase: runners.Control, Priority: -300}, k.call)
				s.Autoreset, s.Workers, s.BlockSize, s.task.steps = mode, workers, size, 13
				s.Episodes = 40
				s.task.mishap = func(w *sim.World, where string) float64 {
					if w.Index() == 2 && w.Steps() == 7 || where == "reset" && w.Episode() == 17 {
						return math.NaN()
					}
					return 0
				}
			})
			witnesses[run] = k
			run.Watch(6)
			return run
		}
		run := shape(1, 5)
		snapshots, seen := []*sim.Snapshot{run.Snapshot()}, make([][]string, steps)
		noted, beats := make([][]string, steps), make([]sim.Latched, steps)
		witnesses[run].take()
		for n := range steps {
			reseed(t, run, n)
			seen[n] = drive(t, run, n, 1)
			noted[n] = witnesses[run].take()
			run.Watch(6).Latest(&beats[n])
			snapshots = append(snapshots, run.Snapshot())
		}
		others := []*sim.Sim{run, shape(2, 1), shape(3, 12)}
		for from := range steps {
			other := others[from%len(others)]
			restore(t, other, filed(t, snapshots[from]))
			witnesses[other].take()
			for n := from; n < steps; n++ {
				reseed(t, other, n)
				for w, got := range drive(t, other, n, 1) {
					if got != seen[n][w] {
						t.Fatalf("mode %s: restored at step %d, world %d differs at step %d:\n%s%s", mode, from, w, n, got, seen[n][w])
					}
				}
				if got := witnesses[other].take(); !slices.Equal(got, noted[n]) {
					t.Fatalf("mode %s: restored at step %d, callbacks see at step %d\n%q, want\n%q", mode, from, n, got, noted[n])
				}
			}
			// The newest beat is one that was passed since.
			var beat sim.Latched
			if other.Watch(6).Latest(&beat); from < steps-10 && !reflect.DeepEqual(beat, beats[steps-1]) {
				t.Fatalf("mode %s: restored at step %d, beat\n%+v, want\n%+v", mode, from, beat, beats[steps-1])
			}
			if !other.Snapshot().Equal(snapshots[steps]) {
				t.Fatalf("mode %s: restored at step %d, other bits at the end", mode, from)
			}
			if other.FaultCount() != run.FaultCount() {
				t.Fatalf("mode %s: %d faults, want %d", mode, other.FaultCount(), run.FaultCount())
			}
		}
	}
}

// Whatever the rates, latencies, limits and place, the run from a snapshot is the run without one.
func TestRestoreProperty(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		rate := func(name string, choices ...runners.Rate) runners.Rate {
			return rapid.SampledFrom(choices).Draw(r, name)
		}
		third := polytest.Must(runners.NewRate(200, 3))(r)
		control := rate("control", runners.Hz(50), third, runners.Hz(20))
		capture := rate("capture", runners.Hz(30), runners.Hz(7), third)
		fast := rate("sensors", runners.Hz(500), runners.Hz(60), runners.Hz(333))
		latency := time.Duration(rapid.Int64Range(0, int64(30*time.Millisecond)).Draw(r, "latency"))
		substeps := rapid.IntRange(1, 12).Draw(r, "substeps")
		worlds := rapid.IntRange(1, 9).Draw(r, "worlds")
		limit := rapid.Float64Range(0.2, 4).Draw(r, "limit")
		mode := rapid.SampledFrom([]sim.Autoreset{sim.SameStep, sim.NextStep}).Draw(r, "autoreset")
		seed := rapid.Uint64().Draw(r, "seed")
		shape := func(size string) *sim.Sim {
			run := newSetup(t, func(s *setup) {
				s.Runners = []runners.Runner{{Name: "Robot", Rate: control}, {Name: "Capture", Rate: capture},
					{Name: "Sensors", Rate: fast}}
				substep := polytest.Must(control.Times(int64(substeps)))(r)
				model := pointmass.New(substep.Seconds())
				suite := polytest.Must(sensors.Compile(model, substep, s.Runners, []sensors.Channel{
					{Name: "position", Runner: "Sensors", Sources: []string{"position"}, Noise: sensors.Noise{Std: 0.1}},
					{
						Name: "velocity", Runner: "Sensors", Sources: []string{"velocity"}, Latency: latency, Jitter: latency / 2,
						Bias: sensors.Bias{Std: 0.1, Walk: 0.1}, Hold: sensors.Hold{Time: 4 * time.Millisecond, Probability: 0.2},
					},
					{Name: "acceleration", Runner: "Capture", Sources: []string{"acceleration"}, Dropout: 0.5},
				}))(r)
				s.Model, s.Sensors, s.task.suite = model, suite, suite
				s.Bindings[2].Runner = "Capture"
				s.setPhysics("Robot", substeps)
				s.Worlds, s.BlockSize, s.Seed, s.Autoreset = worlds, rapid.IntRange(1, worlds).Draw(r, size), seed, mode
				s.task.limit, s.task.steps = limit, 25
			})
			return run
		}
		first, second := shape("size"), shape("other size")
		before := rapid.IntRange(0, 60).Draw(r, "before")
		drive(t, first, 0, before)
		snapshot := first.Snapshot()
		drive(t, second, 0, rapid.IntRange(0, 30).Draw(r, "elsewhere"))
		polytest.NoError(r, second.Restore(snapshot))
		want, got := drive(t, first, before, 40), drive(t, second, before, 40)
		if !slices.Equal(got, want) {
			r.Fatalf("a run restored at step %d differs", before)
		}
	})
}

// A StateSaver keeps a number for each world.
type companion struct{ kept []byte }

func (c *companion) AppendState(dst []byte, world int) []byte { return append(dst, c.kept[world]) }
func (c *companion) SetState(world int, state []byte) error {
	if len(state) != 1 {
		return fmt.Errorf("%d bytes, want 1", len(state))
	}
	c.kept[world] = state[0]
	return nil
}

func TestSnapshotCarriesItsCompanion(t *testing.T) {
	c := &companion{kept: []byte("twelve bytes")}
	with := newSetup(t, func(s *setup) { s.StateSaver = c })
	without := newSetup(t, nil)
	snapshot := filed(t, with.Snapshot())
	c.kept = make([]byte, 12)
	restore(t, with, snapshot)
	if string(c.kept) != "twelve bytes" {
		t.Errorf("the companion keeps %q", c.kept)
	}
	restore(t, without, snapshot)
	err := with.Restore(without.Snapshot())
	polytest.ErrorContains(t, err, "taken without a StateSaver")
}

func TestRestoreRefusesWhatDoesNotFit(t *testing.T) {
	snapshot := newSetup(t, nil).Snapshot()
	for _, c := range []struct {
		name   string
		change func(*setup)
		want   string // "" if it fits
	}{
		{"the same", nil, ""},
		{"workers and blocks", func(s *setup) { s.Workers, s.BlockSize = 3, 2 }, ""},
		{"onlooker", func(s *setup) {
			s.add(runners.Binding{Name: "reader", Runner: "Capture", Phase: runners.Export},
				func(*runners.StepContext, *sim.World) {})
		}, ""},
		{"writer", func(s *setup) {
			s.add(runners.Binding{Name: "push", Runner: "Capture", Phase: runners.Control, Writes: true},
				func(*runners.StepContext, *sim.World) {})
		}, `binding push`},
		{"worlds", func(s *setup) { s.Worlds = 13 }, `it has "worlds: 12", this run has "worlds: 13"`},
		{"seed", func(s *setup) { s.Seed = 9 }, `it has "seed: 7", this run has "seed: 9"`},
		{"limit", func(s *setup) { s.MaxSteps = 9 }, `this run has "time limit: 9"`},
		{"stagger", func(s *setup) { s.Stagger = true }, `this run has "first episodes: staggered"`},
		{"rate", func(s *setup) { s.Runners[1].Rate = runners.Hz(25) },
			`it has "runner 1: Capture at 30 Hz, disabled false", this run has "runner 1: Capture at 25 Hz`},
		{"substeps", func(s *setup) { s.setPhysics("Robot", 5) }, "substeps 10"},
		{"autoreset", func(s *setup) { s.Autoreset = sim.Disabled }, "autoreset"},
		{"log", func(s *setup) { s.Log = newLog(t, &memory{}) }, "has a log"},
		{"identity", func(s *setup) { s.Identity = []string{"engine: other"} },
			`it has "nothing more", this run has "engine: other"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			run := newSetup(t, c.change)
			before := run.Snapshot()
			switch err := run.Restore(snapshot); {
			case c.want == "" && err != nil:
				t.Error(err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("error %v, want %q", err, c.want)
			case c.want != "" && !run.Snapshot().Equal(before):
				t.Error("a refused snapshot changed the run")
			}
		})
	}
}

func TestRestoreRefusesMissingWorlds(t *testing.T) {
	run := newSetup(t, nil)
	for _, worlds := range []int{0, 11, 13} {
		err := run.Restore(sim.Resized(run.Snapshot(), worlds))
		polytest.ErrorContains(t, err, fmt.Sprintf("a snapshot of %d worlds, want 12", worlds))
	}
}

func TestReadSnapshotRefuses(t *testing.T) {
	run := newSetup(t, func(s *setup) { s.Worlds = 2 })
	good := run.Snapshot().Encode()
	for want, file := range map[string]string{
		"damaged: its checksum is":         string(good[:len(good)-40]) + "x" + string(good[len(good)-39:]),
		"it does not begin with \"prhythm": "PK\x03\x04 and so on",
		"cut short: 0 bytes":               "",
	} {
		polytest.ErrorContains(t, polytest.Err(sim.ReadSnapshot(strings.NewReader(file))), want)
	}
	unreadable := errors.New("unreadable")
	polytest.ErrorIs(t, polytest.Err(sim.ReadSnapshot(iotest.ErrReader(unreadable))), unreadable)
}

// Whatever a file says: it is read or refused without exhausting memory, restored
// or refused, and worlds that took it can be stepped.
func FuzzReadSnapshot(f *testing.F) {
	run := newSetup(f, func(s *setup) { s.Worlds = 2 })
	drive(f, run, 0, 5)
	file := run.Snapshot().Encode()
	f.Add(file, 0, byte(0))
	f.Add(file[:100], 1, byte(1))
	f.Fuzz(func(t *testing.T, data []byte, at int, change byte) {
		// As it is, and with its checksums made right.
		if s, err := sim.ReadSnapshot(bytes.NewReader(data)); err == nil {
			restoreAndStep(t, run, s)
		}
		s := sim.Altered(run.Snapshot(), at, change)
		restoreAndStep(t, run, s)
	})
}

func restoreAndStep(t *testing.T, run *sim.Sim, s *sim.Snapshot) {
	good := run.Snapshot()
	defer func() {
		polytest.NoError(t, run.Restore(good))
	}()
	if run.Restore(s) == nil {
		_ = run.Step() // an action that is not finite is refused
	}
}
