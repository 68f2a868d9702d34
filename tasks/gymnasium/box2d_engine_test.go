package gymnasium

import (
	"math"
	"os"
	"runtime"
	"strconv"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/box2d"
	"github.com/polyrhythm-rl/polyrhythm/physics/box2d/scene"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sensors"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

const timestep = 1.0 / 50

func compile(t *testing.T, s scene.Scene) physics.Model {
	t.Helper()
	m, err := box2d.New(&s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return m
}

func newLander(t *testing.T, opt LunarLanderOptions) (*LunarLander, physics.Model) {
	t.Helper()
	m := compile(t, LunarLanderScene(opt, timestep))
	task, err := NewLunarLander(m, opt, timestep)
	if err != nil {
		t.Fatal(err)
	}
	return task, m
}

func newWalker(t *testing.T, opt BipedalWalkerOptions) (*BipedalWalker, physics.Model) {
	t.Helper()
	m := compile(t, BipedalWalkerScene(opt, timestep))
	task, err := NewBipedalWalker(m, opt, timestep)
	if err != nil {
		t.Fatal(err)
	}
	return task, m
}

// newRun makes worlds of a task at 50 Hz.
func newRun(t *testing.T, m physics.Model, task sim.Task, change func(*sim.Config)) *sim.Sim {
	t.Helper()
	c := sim.Config{
		Model: m, Task: task,
		Runners: []runners.Runner{{Name: "Robot", Rate: runners.Hz(50)}},
		Bindings: []sim.Binding{
			{Binding: runners.Binding{Name: "observation", Runner: "Robot", Phase: runners.Acquisition}, Role: sim.Observe},
			{Binding: runners.Binding{Name: "controller", Runner: "Robot", Phase: runners.Control}, Role: sim.Act},
			{Binding: runners.Binding{Name: "physics", Runner: "Robot", Phase: runners.Physics}, Role: sim.Integrate, Substeps: 1},
		},
		Worlds: 1, Workers: runtime.GOMAXPROCS(0), Seed: 1,
	}
	var err error
	if c.Sensors, err = sensors.Compile(m, runners.Hz(50), c.Runners, nil); err != nil {
		t.Fatal(err)
	}
	change(&c)
	run, err := sim.New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := run.Close(); err != nil {
			t.Error(err)
		}
	})
	return run
}

// outcomes notes how episodes ended, by number.
type outcomes []sim.Episode

func (o outcomes) Rewarded(*sim.World, float64) {}
func (o outcomes) Ended(_ *sim.World, e sim.Episode) {
	if e.Complete {
		o[e.Number] = e
	}
}

// play takes n episodes of a task under controllers, one for each episode.
func play(t *testing.T, m physics.Model, task sim.Task, n int, controller func() func(action, observation []float32)) outcomes {
	t.Helper()
	ended := make(outcomes, n)
	run := newRun(t, m, task, func(c *sim.Config) {
		c.Worlds, c.Episodes, c.Observers = min(n, 32), int64(n), []sim.Observer{ended}
	})
	spec := run.Spec()
	err := run.Each(func(w *sim.Worker, b *sim.Block) error {
		controllers := make([]func(action, observation []float32), b.Len())
		for i := range controllers {
			controllers[i] = controller()
		}
		observation := make([]float32, spec.ObservationSize)
		active := func() bool {
			for i := range b.Len() {
				if b.Active(i) {
					return true
				}
			}
			return false
		}
		for active() {
			for i, act := range controllers {
				for k := range observation {
					observation[k] = float32(b.Observation()[i*spec.ObservationSize+k])
				}
				act(b.Action()[i*spec.ActionSize:(i+1)*spec.ActionSize], observation)
			}
			if err := b.Step(w); err != nil {
				return err
			}
			for i := range controllers {
				if b.Terminated()[i] || b.Truncated()[i] {
					controllers[i] = controller()
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range ended {
		if !e.Complete || e.Fault != physics.FaultNone {
			t.Errorf("episode %d: complete %t, fault %v: %s", i, e.Complete, e.Fault, e.FaultMessage)
		}
	}
	return ended
}

// carriedLander begins its episodes where Gymnasium's began, and shakes the
// engines as Gymnasium did.
type carriedLander struct {
	*LunarLander
	episodes []landerStart
}

type landerStart struct {
	moon       moon
	push, wind [2]float64
	dispersion []float64 // two for each step
}

func startOfLander(e *box2dEpisode) (s landerStart) {
	reset := e.resetDraws()
	s.moon = newMoon([12]float64(reset))
	s.push = [2]float64(reset[12:])
	s.wind = [2]float64(reset[14:]) // dispersion of the reset's step where there is no wind
	s.dispersion = e.stepDraws()
	return s
}

func (c carriedLander) Reset(w *sim.World) {
	e := &c.episodes[w.Episode()]
	c.begin(w, e.moon, e.push, e.wind)
}

func (c carriedLander) Act(w *sim.World, action []float32) {
	d := c.episodes[w.Episode()].dispersion[2*w.Steps():]
	c.fire(w, action, [2]float64{d[0] / lunarScale, d[1] / lunarScale})
}

// carriedWalker begins its episodes where Gymnasium's began.
type carriedWalker struct {
	*BipedalWalker
	episodes []walkerStart
}

type walkerStart struct {
	terrain walkerTerrain
	push    float64
}

func startOfWalker(t *testing.T, e *box2dEpisode, hardcore bool) (s walkerStart) {
	drawn := &replayed{t, e.resetDraws()}
	s.terrain.generate(drawn, hardcore)
	s.push = drawn.next[len(drawn.next)-1] // after the clouds
	return s
}

func (c carriedWalker) Reset(w *sim.World) {
	e := &c.episodes[w.Episode()]
	c.begin(w, &e.terrain, e.push)
}

// The rays of our engine from where Gymnasium's walker stood, over its terrain.
func TestLidarIsGymnasiums(t *testing.T) {
	const every = 25 // steps between two that are compared
	for _, variant := range []struct {
		arguments string
		hardcore  bool
	}{{`{}`, false}, {`{"hardcore": true}`, true}} {
		task, m := newWalker(t, BipedalWalkerOptions{variant.hardcore})
		derived, err := m.Derived("rays")
		if err != nil {
			t.Fatal(err)
		}
		outputs := physics.Outputs{Derived: []physics.Derived{derived}}
		stepper, err := m.NewStepper(1, outputs)
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := stepper.Close(); err != nil {
				t.Error(err)
			}
		}()
		compared, short, largest := 0, 0, 0.0
		gymnasiumEpisodes(t, "BipedalWalker-v3", variant.arguments, 4, "heuristic", "steps", func(i int, e *box2dEpisode) {
			for n := 0; n < len(e.Steps); n += every {
				rows := physics.NewRows(m, 1, outputs, 2)
				ground := task.ground.In(rows.Row(0))
				for _, shape := range e.Ground {
					corners := make([][2]float64, len(shape)/2)
					for k := range corners {
						corners[k] = [2]float64{float64(shape[2*k]), float64(shape[2*k+1])}
					}
					task.room.Add(ground, 2.5, corners...)
				}
				s := &e.Steps[n].State
				hull := s.Bodies[0]
				copy(task.hull.In(rows.Row(0)), []float64{float64(hull[0]), float64(hull[1]), float64(hull[2])})
				if faults := stepper.Forward(rows, []int32{0}); faults != 0 {
					t.Fatalf("episode %d step %d: %s", i, n, stepper.FaultMessage(0))
				}
				for k, got := range rows.DerivedRow(0) {
					want := float64(s.Rays[k])
					largest = max(largest, math.Abs(got-want))
					if math.Abs(got-want) > 1e-5 {
						t.Errorf("%s: episode %d step %d: ray %d reaches %v, want %v", variant.arguments, i, n, k, got, want)
					}
					if want < 1 {
						short++
					}
					compared++
				}
				if err := rows.Close(); err != nil {
					t.Fatal(err)
				}
			}
		})
		t.Logf("%s: %d rays, %d of them on the ground, differ by at most %.2g", variant.arguments, compared, short, largest)
		if short < compared/2 || compared < 100 {
			t.Errorf("%s: only %d rays of %d meet the ground", variant.arguments, short, compared)
		}
	}
}

// episodesFor is how many episodes a comparison takes: POLYTEST_BOX2D_EPISODES,
// else few with POLYTEST_SLOW=1, else half of them.
func episodesFor(t *testing.T, few int) (n int, asked bool) {
	text := os.Getenv("POLYTEST_BOX2D_EPISODES")
	if text == "" {
		if os.Getenv("POLYTEST_SLOW") != "1" {
			few /= 2
		}
		return few, false
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 2 {
		t.Fatalf("POLYTEST_BOX2D_EPISODES is %q, want a number of at least 2", text)
	}
	return n, true
}
