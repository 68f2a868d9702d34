package gymnasium

import (
	"fmt"

	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/sim"
	"github.com/polyrhythm-rl/polyrhythm/sim/stream"
)

// HalfCheetahOptions are the constructor arguments of Gymnasium's task, by the
// same names. Frame skip and model file belong to the configuration.
type HalfCheetahOptions struct {
	ForwardRewardWeight                    float64 `yaml:"forward_reward_weight"`
	CtrlCostWeight                         float64 `yaml:"ctrl_cost_weight"`
	ResetNoiseScale                        float64 `yaml:"reset_noise_scale"`
	ExcludeCurrentPositionsFromObservation bool    `yaml:"exclude_current_positions_from_observation"`
}

// DefaultHalfCheetahOptions are Gymnasium's defaults.
func DefaultHalfCheetahOptions() HalfCheetahOptions {
	return HalfCheetahOptions{
		ForwardRewardWeight:                    1,
		CtrlCostWeight:                         0.1,
		ResetNoiseScale:                        0.1,
		ExcludeCurrentPositionsFromObservation: true,
	}
}

// HalfCheetah is HalfCheetah-v5: a planar two-legged runner, rewarded for speed
// along x less the cost of its torques. It never terminates.
type HalfCheetah struct {
	opt  HalfCheetahOptions
	spec sim.Spec
	qpos physics.Span
	qvel physics.Span
	skip int // positions left out of the observation
}

// Where HalfCheetah keeps what it remembers.
const (
	cheetahX      = iota // x position at the last control instant, m
	cheetahMemory        // number of values
)

// NewHalfCheetah makes the task for a model compiled from half_cheetah.xml, or
// one with its coordinates.
func NewHalfCheetah(m physics.Model, opt HalfCheetahOptions) (*HalfCheetah, error) {
	if opt.ResetNoiseScale < 0 {
		return nil, fmt.Errorf("HalfCheetah-v5: reset_noise_scale is %v; it must be at least 0", opt.ResetNoiseScale)
	}
	t := &HalfCheetah{opt: opt}
	var err error
	if t.qpos, err = m.Field("qpos"); err != nil {
		return nil, err
	}
	if t.qvel, err = m.Field("qvel"); err != nil {
		return nil, err
	}
	if t.qpos.Len < 1 || t.qpos.Len != t.qvel.Len {
		return nil, fmt.Errorf("HalfCheetah-v5: the model has %d positions and %d velocities; it needs as many of both and at least one", t.qpos.Len, t.qvel.Len)
	}
	if opt.ExcludeCurrentPositionsFromObservation {
		t.skip = 1
	}
	t.spec = sim.Spec{
		Name:            "HalfCheetah-v5",
		ObservationSize: t.qpos.Len - t.skip + t.qvel.Len,
		ActionSize:      m.ControlSize(),
		MemorySize:      cheetahMemory,
		MaxSteps:        1000,
		InfoNames:       []string{"x_position", "x_velocity", "reward_forward", "reward_ctrl"},
	}
	for i := range m.ControlSize() {
		low, high := m.ControlRange(i)
		t.spec.ActionLow = append(t.spec.ActionLow, low)
		t.spec.ActionHigh = append(t.spec.ActionHigh, high)
	}
	return t, nil
}

// Spec implements [sim.Task].
func (t *HalfCheetah) Spec() sim.Spec { return t.spec }

// Reset adds uniform noise to the positions and Gaussian noise to the velocities.
func (t *HalfCheetah) Reset(w *sim.World) {
	r := w.Random(stream.Reset)
	scale := t.opt.ResetNoiseScale
	qpos, qvel := t.qpos.In(w.State()), t.qvel.In(w.State())
	for i := range qpos {
		qpos[i] += float64(scale * (2*r.Float64() - 1))
	}
	for i := range qvel {
		qvel[i] += float64(scale * r.NormFloat64())
	}
	w.Memory()[cheetahX] = qpos[0]
}

// Act applies the action as it is; the engine limits the torques.
func (t *HalfCheetah) Act(w *sim.World, action []float32) {
	control := w.Control()
	for i, a := range action {
		control[i] = float64(a)
	}
}

// Observe is the positions, without x unless asked for, and the velocities.
func (t *HalfCheetah) Observe(w *sim.World, dst []float64) {
	n := copy(dst, t.qpos.In(w.State())[t.skip:])
	copy(dst[n:], t.qvel.In(w.State()))
}

// Evaluate is Gymnasium's reward: the mean forward velocity over the step less
// the control cost, which Gymnasium works out in the action's single precision.
func (t *HalfCheetah) Evaluate(w *sim.World) (reward float64, terminated bool) {
	memory := w.Memory()
	x := t.qpos.In(w.State())[0]
	velocity := (x - memory[cheetahX]) / w.ControlSeconds()
	memory[cheetahX] = x

	action, _, _ := w.Action()
	var squares float32
	for _, a := range action {
		squares += float32(a * a)
	}
	forward := float64(t.opt.ForwardRewardWeight * velocity)
	cost := float64(float32(t.opt.CtrlCostWeight) * squares)
	info := w.Info()
	info[0], info[1], info[2], info[3] = x, velocity, forward, -cost
	return forward - cost, false
}
