package gymnasium

import (
	"encoding/json"
	"math"
	"runtime"
	"slices"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/decode"
	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/box2d"
	"github.com/polyrhythm-rl/polyrhythm/physics/box2d/scene"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sensors"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

const timestep = 1.0 / 50

// open makes a task with arguments of Gymnasium's constructor, in JSON.
func open(t *testing.T, name, arguments string) (sim.Task, *scene.Scene, physics.Model) {
	t.Helper()
	all := Tasks()
	task := all[slices.IndexFunc(all, func(task TaskBuilder) bool { return task.Name == name })]
	var given map[string]any
	polytest.NoError(t, json.Unmarshal([]byte(arguments), &given))
	options := func(out any) error { return decode.Into("", given, out) }
	s := polytest.Must(task.Scene(options, timestep))(t)
	m := polytest.Must(box2d.New(s))(t)
	t.Cleanup(func() { polytest.NoError(t, m.Close()) })
	return polytest.Must(task.New(m, options, timestep, timestep))(t), s, m
}

// ClockOf returns the clock of a task of Gymnasium and a suite without channels.
func ClockOf(t *testing.T, m physics.Model, control, substep runners.Rate, substeps int) (*sensors.Suite,
	*runners.Clock) {
	t.Helper()
	runs := []runners.Runner{{Name: "Robot", Rate: control}}
	suite := polytest.Must(sensors.Compile(m, substep, runs, nil))(t)
	schedule, err := runners.Compile(runs, []runners.Binding{
		{Name: "observation", Runner: "Robot", Phase: runners.Acquisition, Role: runners.Observe},
		{Name: "controller", Runner: "Robot", Phase: runners.Control, Role: runners.Act},
		{Name: "physics", Runner: "Robot", Phase: runners.Physics, Role: runners.Integrate, Substeps: substeps},
	})
	polytest.NoError(t, err)
	return suite, runners.NewClock(schedule)
}

// newRun makes worlds of a task at 50 Hz.
func newRun(t *testing.T, m physics.Model, task sim.Task, change func(*sim.Config)) *sim.Sim {
	t.Helper()
	c := sim.Config{Model: m, Task: task, Worlds: 1, Workers: runtime.GOMAXPROCS(0), Seed: 1}
	c.Sensors, c.Clock = ClockOf(t, m, runners.Hz(50), runners.Hz(50), 1)
	change(&c)
	run := polytest.Must(sim.New(c))(t)
	t.Cleanup(func() { polytest.NoError(t, run.Close()) })
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
func play(t *testing.T, m physics.Model, task sim.Task, n int,
	controller func() func(action, observation []float32)) outcomes {
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
					observation[k] = float32(b.Observations()[i*spec.ObservationSize+k])
				}
				act(b.Actions()[i*spec.ActionSize:(i+1)*spec.ActionSize], observation)
			}
			if err := b.Step(w); err != nil {
				return err
			}
			for i := range controllers {
				if b.Terminations()[i] || b.Truncations()[i] {
					controllers[i] = controller()
				}
			}
		}
		return nil
	})
	polytest.NoError(t, err)
	for i, e := range ended {
		if !e.Complete || e.Fault != physics.FaultNone {
			t.Errorf("episode %d: complete %t, fault %v: %s", i, e.Complete, e.Fault, e.FaultMessage)
		}
	}
	return ended
}

// carried makes a task whose episodes begin where Gymnasium's began, and Gymnasium's own controllers for it.
func carried(t *testing.T, name, arguments string, episodes []box2dEpisode) (sim.Task, physics.Model,
	func() func(action, observation []float32)) {
	t.Helper()
	task, _, m := open(t, name, arguments)
	if lander, ok := task.(*lunarLanderTask); ok {
		return carriedLander{lander, episodes}, m, func() func(action, observation []float32) {
			return func(action, observation []float32) { landerHeuristic(action, observation, lander.opt.Continuous) }
		}
	}
	return carriedWalker{task.(*bipedalWalkerTask), t, episodes}, m, walkerController
}

// carriedLander also shakes the engines as Gymnasium did.
type carriedLander struct {
	*lunarLanderTask
	episodes []box2dEpisode
}

func (c carriedLander) Reset(w *sim.World) {
	// Where there is no wind, what is drawn after the push is the dispersion of the reset's step.
	drawn := c.episodes[w.Episode()].resetDraws()
	c.begin(w, newMoon([12]float64(drawn)), [2]float64(drawn[12:]), [2]float64(drawn[14:]))
}

func (c carriedLander) Act(w *sim.World, action []float32) {
	d := c.episodes[w.Episode()].stepDraws()[2*w.Steps():]
	c.fire(w, action, [2]float64{d[0] / scale, d[1] / scale})
}

type carriedWalker struct {
	*bipedalWalkerTask
	t        *testing.T
	episodes []box2dEpisode
}

func (c carriedWalker) Reset(w *sim.World) {
	drawn := &replayed{c.t, c.episodes[w.Episode()].resetDraws()}
	var terrain walkerTerrain
	terrain.generate(drawn, c.opt.Hardcore)
	c.begin(w, &terrain, drawn.next[len(drawn.next)-1]) // after the clouds
}

// The rays of our engine from where Gymnasium's walker stood, over its terrain.
func TestLidarIsGymnasiums(t *testing.T) {
	const every = 25 // steps between two that are compared
	for _, arguments := range []string{`{}`, `{"hardcore": true}`} {
		opened, _, m := open(t, "BipedalWalker-v3", arguments)
		task := opened.(*bipedalWalkerTask)
		derived := polytest.Must(m.Derived("rays"))(t)
		outputs := physics.Outputs{Derived: []physics.Vector{derived}}
		stepper := polytest.Must(m.NewStepper(1, outputs))(t)
		defer func() { polytest.NoError(t, stepper.Close()) }()
		compared, short, largest := 0, 0, 0.0
		gymnasiumEpisodes(t, "BipedalWalker-v3", arguments, 4, "heuristic", "steps", func(i int, e *box2dEpisode) {
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
				copy(task.body.In(rows.Row(0)), []float64{float64(hull[0]), float64(hull[1]), float64(hull[2])})
				if faults := stepper.Forward(rows, []int32{0}); faults != 0 {
					t.Fatalf("episode %d step %d: %s", i, n, stepper.FaultMessage(0))
				}
				for k, got := range rows.DerivedRow(0) {
					want := float64(s.Rays[k])
					largest = max(largest, math.Abs(got-want))
					if math.Abs(got-want) > 1e-5 {
						t.Errorf("%s: episode %d step %d: ray %d reaches %v, want %v", arguments, i, n, k, got, want)
					}
					if want < 1 {
						short++
					}
					compared++
				}
				polytest.NoError(t, rows.Close())
			}
		})
		t.Logf("%s: %d rays, %d of them on the ground, differ by at most %.2g", arguments, compared, short, largest)
		if short < compared/2 || compared < 100 {
			t.Errorf("%s: only %d rays of %d meet the ground", arguments, short, compared)
		}
	}
}
