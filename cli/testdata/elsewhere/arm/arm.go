package main

import (
	"math"

	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

const link = 0.3 // m, length of each of the two links

// options are the task's own, in a configuration below task.options.
type options struct {
	Reach       float64 `yaml:"reach"`        // m, how far away points may be
	ControlCost float64 `yaml:"control_cost"` // per squared control
}

// arm reaches for a point that is drawn anew in each episode. One value serves all
// worlds; what a world remembers, its point, is in World.Memory.
type arm struct {
	opt      options
	spec     sim.Spec
	position [2]physics.Span // shoulder and elbow, rad
	velocity [2]physics.Span // rad/s
}

func newArm(s env.Setup) (sim.Task, error) {
	a := &arm{opt: options{Reach: 0.5, ControlCost: 0.01}}
	if err := s.Options(&a.opt); err != nil {
		return nil, err
	}
	for i, joint := range []string{"shoulder", "elbow"} {
		var err error
		if a.position[i], err = s.Model.Field("joint/" + joint + "/position"); err != nil {
			return nil, err
		}
		if a.velocity[i], err = s.Model.Field("joint/" + joint + "/velocity"); err != nil {
			return nil, err
		}
	}
	a.spec = sim.Spec{
		Name: "Arm-v0", ObservationSize: 8, ActionSize: 2, MemorySize: 2, MaxSteps: 100,
		ActionLow: []float64{-1, -1}, ActionHigh: []float64{1, 1},
		InfoNames: []string{"distance"},
	}
	return a, nil
}

func (a *arm) Spec() sim.Spec { return a.spec }

// Reset draws the joints' angles and the point.
func (a *arm) Reset(w *sim.World) {
	r := w.Random(sim.ResetDraws)
	for i := range a.position {
		a.position[i].In(w.State())[0] = 2*r.Float64() - 1
	}
	radius, angle := a.opt.Reach*math.Sqrt(r.Float64()), 2*math.Pi*r.Float64()
	w.Memory()[0], w.Memory()[1] = radius*math.Cos(angle), radius*math.Sin(angle)
}

// Act sets the two motors.
func (a *arm) Act(w *sim.World, action []float32) {
	for i, v := range action {
		w.Control()[i] = max(-1, min(1, float64(v)))
	}
}

// away is how far the hand is from the point, in metres along x and y.
func (a *arm) away(w *sim.World) (x, y float64) {
	shoulder := a.position[0].In(w.State())[0]
	elbow := shoulder + a.position[1].In(w.State())[0]
	return w.Memory()[0] - link*(math.Cos(shoulder)+math.Cos(elbow)),
		w.Memory()[1] - link*(math.Sin(shoulder)+math.Sin(elbow))
}

// Observe writes sines and cosines of the angles, speeds, and the way to the point.
func (a *arm) Observe(w *sim.World, dst []float64) {
	for i := range a.position {
		dst[i], dst[2+i] = math.Sincos(a.position[i].In(w.State())[0])
		dst[4+i] = a.velocity[i].In(w.State())[0]
	}
	dst[6], dst[7] = a.away(w)
}

// Reward is less by the distance and by the square of the controls.
func (a *arm) Reward(w *sim.World) (reward float64, terminated bool) {
	distance := math.Hypot(a.away(w))
	w.Info()[0] = distance
	cost := 0.0
	for _, c := range w.Control() {
		cost += a.opt.ControlCost * c * c
	}
	return -distance - cost, false
}
