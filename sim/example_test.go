package sim_test

import (
	"fmt"

	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/pointmass"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sensors"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// glide pushes a point mass; the reward is how far it is along x.
type glide struct{ position physics.Span }

func (g *glide) Spec() sim.Spec {
	return sim.Spec{Name: "glide", ObservationSize: 2, ActionSize: 2, ActionLow: []float64{-1, -1},
		ActionHigh: []float64{1, 1}, MaxSteps: 4}
}
func (g *glide) Reset(*sim.World) {}
func (g *glide) Act(w *sim.World, action []float32) {
	w.Control()[0], w.Control()[1] = float64(action[0]), float64(action[1])
}
func (g *glide) Observe(w *sim.World, dst []float64) { copy(dst, g.position.In(w.State())) }
func (g *glide) Reward(w *sim.World) (float64, bool) { return g.position.In(w.State())[0], false }

// Eight worlds of a task are stepped under one clock: control at 8 Hz, physics at 64 Hz.
func Example() {
	model := pointmass.New(1. / 64)
	position, err := model.Field("position")
	if err != nil {
		panic(err)
	}
	robot := []runners.Runner{{Name: "Robot", Rate: runners.Hz(8)}}
	suite, err := sensors.Compile(model, runners.Hz(64), robot, nil)
	if err != nil {
		panic(err)
	}
	schedule, err := runners.Compile(robot, []runners.Binding{
		{Name: "observation", Runner: "Robot", Phase: runners.Acquisition, Role: runners.Observe},
		{Name: "controller", Runner: "Robot", Phase: runners.Control, Role: runners.Act},
		{Name: "physics", Runner: "Robot", Phase: runners.Physics, Role: runners.Integrate, Substeps: 8},
	})
	if err != nil {
		panic(err)
	}
	worlds, err := sim.New(sim.Config{
		Model: model, Task: &glide{position}, Sensors: suite, Clock: runners.NewClock(schedule), Worlds: 8, Workers: 2,
	})
	if err != nil {
		panic(err)
	}
	defer worlds.Close()
	for range 4 {
		worlds.Actions()[0] = 1 // world 0 is pushed along x, the others rest
		if err := worlds.Step(); err != nil {
			panic(err)
		}
	}
	fmt.Println(worlds.EpisodeReturns()[:2], worlds.Truncations()[:2])
	// Output: [0.244140625 0] [true true]
}
