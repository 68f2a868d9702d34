// Package actuator learns the torque of an actuator from measurements of it: an actuator network, after Hwangbo et al.
// 2019, "Learning agile and dynamic motor skills for legged robots". [Read] reads the measurements, [Learn] makes the
// network of them, which actuators of type [scene.Learned] compute in each physics step.
package actuator

import (
	"context"
	"fmt"
	"math"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/polyrhythm-rl/polyrhythm/internal/bounds"
	"github.com/polyrhythm-rl/polyrhythm/physics/mujoco/scene"
	"github.com/polyrhythm-rl/polyrhythm/policy"
	"github.com/polyrhythm-rl/polyrhythm/rl"
)

// Settings say how a network learns.
type Settings struct {
	History int    // instants that it sees, a period apart, the last one among them
	Hidden  []int  // units of each hidden layer
	Epochs  int    // passes over the rows
	Seed    uint64 // of the first weights and the order of the rows

	// Progress is called, unless it is nil, with the rows that were taken of all that will be.
	Progress func(done, total int64)
}

// DefaultSettings returns settings that suit an hour of measurements.
func DefaultSettings() Settings {
	return Settings{History: 3, Hidden: []int{32, 32}, Epochs: 100, Seed: 1}
}

// Validate reports the first setting that is out of its bounds, by the name of its flag.
func (s Settings) Validate() error {
	var c bounds.Check
	c.Whole("history", int64(s.History), 1, 64)
	c.Whole("hidden layers", int64(len(s.Hidden)), 1, 8)
	for _, n := range s.Hidden {
		c.Whole("hidden", int64(n), 1, 256)
	}
	c.Whole("epochs", int64(s.Epochs), 1, 1e6)
	return c.Err()
}

// Fit says how near a network comes to the measured torques. Errors are roots of mean squares, in N·m.
type Fit struct {
	Period time.Duration `json:"period_ns"` // between two rows
	Back   time.Duration `json:"back_ns"`   // how far the network looks back
	Series int           `json:"series"`    // runs of rows without a gap
	Rows   int           `json:"rows"`      // that it learned from
	Error  float64       `json:"error"`     // of them

	// HeldOut rows, every tenth half a hundred, are those it did not learn from. Torque is the deviation of
	// their torques from the mean of all; LineError that of the best line, KP·position error − KD·velocity + Constant,
	// of the other rows.
	HeldOut      int     `json:"held_out"`
	HeldOutError float64 `json:"held_out_error"`
	Torque       float64 `json:"torque"`
	LineError    float64 `json:"line_error"`
	KP           float64 `json:"kp"`
	KD           float64 `json:"kd"`
	Constant     float64 `json:"constant"`

	// Measured and Computed are the torques of the held-out rows, N·m.
	Measured []float64 `json:"-"`
	Computed []float64 `json:"-"`
}

// blockRows is the number of successive rows that are learned from, or held out, together; every heldOut-th block is
// held out.
const blockRows, heldOut = 50, 10

// samples are inputs of a network and the torques that go with them, implements [rl.Recorded].
type samples struct {
	size   int
	inputs []float64 // standardised
	torque []float64 // N·m
	mean   float64
	scale  float64 // of torque
}

// Len implements [rl.Recorded].
func (s *samples) Len() int { return len(s.torque) }

// Row implements [rl.Recorded].
func (s *samples) Row(i int, observation []float64, action []float32) {
	copy(observation, s.input(i))
	action[0] = float32((s.torque[i] - s.mean) / s.scale)
}

func (s *samples) input(i int) []float64 { return s.inputs[i*s.size : (i+1)*s.size] }

// The learner takes this many rows at a time, in minibatches.
const (
	worlds    = 64
	segment   = 64
	minibatch = 256
)

// limit is that of a standardised input, in deviations.
const limit = 10

// Learn makes a network of measurements. The same rows and settings make the same network on the same kind of
// processor. It reads the quantities of [scene.Quantities] at the instants of [Settings.History].
func Learn(ctx context.Context, m *Measurements, s Settings) (*policy.Network, *Fit, error) {
	if err := s.Validate(); err != nil {
		return nil, nil, err
	}
	learned, heldOutRows := m.samples(s.History)
	if learned.Len() < blockRows || heldOutRows.Len() == 0 {
		return nil, nil, fmt.Errorf("%d rows to learn from and %d to compare with, want %d and 1 at least: "+
			"%d series with %d instants each are too short", learned.Len(), heldOutRows.Len(), blockRows, len(m.series), s.History)
	}
	fit := &Fit{Period: m.Period, Back: time.Duration(s.History-1) * m.Period, Series: len(m.series),
		Rows: learned.Len(), HeldOut: heldOutRows.Len(), Measured: heldOutRows.torque}
	fit.line(learned, heldOutRows, s.History)
	mean, scale := learned.standardise()
	heldOutRows.apply(mean, scale)
	heldOutRows.mean, heldOutRows.scale = learned.mean, learned.scale

	shape := rl.Shape{Worlds: worlds, Blocks: worlds / rl.PanelHeight, BlockSize: rl.PanelHeight, Workers: 1,
		Observation: learned.size, Action: 1, ActionLow: []float64{math.Inf(-1)}, ActionHigh: []float64{math.Inf(1)}}
	how := rl.DefaultSettings()
	how.Algorithm, how.RolloutSteps, how.Minibatch, how.Epochs = rl.AlgorithmClone, segment, minibatch, 1
	how.TotalSteps = int64(s.Epochs) * int64(learned.Len())
	how.LearningRate, how.Schedule, how.Hidden, how.Activation = 3e-3, rl.Linear, s.Hidden, rl.ELU
	how.NormaliseObservations, how.InitialStd = false, 0.5
	learner, err := rl.NewLearner(rl.Rows{Of: shape, Recorded: learned}, how, s.Seed)
	if err != nil {
		return nil, nil, err
	}
	for learner.EnvSteps() < how.TotalSteps {
		if _, err := learner.Iterate(ctx); err != nil {
			return nil, nil, err
		}
		if s.Progress != nil {
			s.Progress(min(learner.EnvSteps(), how.TotalSteps), how.TotalSteps)
		}
	}
	n := learner.Policy().Network()
	n.Task, n.Limit, n.ActionNames, n.EnvSteps = "actuator", limit, []string{scene.Torque}, how.TotalSteps
	for which := range scene.Quantities {
		for k := range s.History {
			n.ObservationNames = append(n.ObservationNames, scene.QuantityName(which, time.Duration(k)*m.Period))
		}
	}
	n.Mean, n.Scale = mean, scale
	last := &n.Layers[len(n.Layers)-1]
	for _, list := range [][]float32{last.Weights, last.Biases} {
		for i := range list {
			list[i] = float32(float64(list[i]) * learned.scale)
		}
	}
	last.Biases[0] += float32(learned.mean)
	network, err := policy.New(n)
	if err != nil {
		return nil, nil, err
	}
	fit.Error, _ = learned.apart(network, mean, scale)
	fit.HeldOutError, fit.Computed = heldOutRows.apart(network, mean, scale)
	return n, fit, nil
}

// samples returns the rows to learn from and those held out.
func (m *Measurements) samples(history int) (learned, held *samples) {
	size := len(scene.Quantities) * history
	learned, held = &samples{size: size}, &samples{size: size}
	count := 0
	for _, s := range m.series {
		for i := history - 1; i < len(s); i++ {
			rows := learned
			if count/blockRows%heldOut == heldOut-1 {
				rows = held
			}
			count++
			for which := range scene.Quantities {
				for k := range history {
					rows.inputs = append(rows.inputs, s[i-k][which])
				}
			}
			rows.torque = append(rows.torque, s[i][len(scene.Quantities)])
		}
	}
	return learned, held
}

// standardise makes means of inputs and torque 0 and their deviations 1, and returns those of the inputs.
func (s *samples) standardise() (mean, scale []float64) {
	mean, scale = make([]float64, s.size), make([]float64, s.size)
	for k := range s.size {
		mean[k], scale[k] = moments(s.Len(), func(i int) float64 { return s.input(i)[k] })
		scale[k] = 1 / scale[k]
	}
	s.apply(mean, scale)
	s.mean, s.scale = moments(s.Len(), func(i int) float64 { return s.torque[i] })
	return mean, scale
}

func (s *samples) apply(mean, scale []float64) {
	for i := range s.Len() {
		for k, v := range s.input(i) {
			s.input(i)[k] = min(max((v-mean[k])*scale[k], -limit), limit)
		}
	}
}

// moments returns mean and deviation of n values, 1 where they are all the same.
func moments(n int, value func(int) float64) (mean, deviation float64) {
	for i := range n {
		mean += (value(i) - mean) / float64(i+1)
	}
	sum := 0.0
	for i := range n {
		d := value(i) - mean
		sum += float64(d * d)
	}
	if deviation = math.Sqrt(sum / float64(n)); deviation < 1e-9 {
		deviation = 1
	}
	return mean, deviation
}

// apart returns how far the torques of a network are from those measured, and the former.
func (s *samples) apart(p *policy.Policy, mean, scale []float64) (float64, []float64) {
	computed, observation, action := make([]float64, s.Len()), make([]float64, s.size), make([]float32, 1)
	for i := range s.Len() {
		for k, z := range s.input(i) {
			observation[k] = z/scale[k] + mean[k]
		}
		p.Act(action, observation)
		computed[i] = float64(action[0])
	}
	return distance(computed, s.torque), computed
}

// distance is the root of the mean square of differences.
func distance(a, b []float64) float64 {
	sum := 0.0
	for i := range a {
		d := a[i] - b[i]
		sum += float64(d * d)
	}
	return math.Sqrt(sum / float64(len(a)))
}

// line fits the best line to rows that are not standardised yet, and compares it with those held out.
func (f *Fit) line(learned, held *samples, history int) {
	row := func(s *samples, i int) []float64 { return []float64{s.input(i)[0], -s.input(i)[history], 1} }
	// normal equations, with a little that keeps them solvable where an input never changes
	a, b := mat.NewSymDense(3, nil), mat.NewVecDense(3, nil)
	for i := range learned.Len() {
		x := mat.NewVecDense(3, row(learned, i))
		a.SymRankOne(a, 1, x)
		b.AddScaledVec(b, learned.torque[i], x)
	}
	for k := range 3 {
		a.SetSym(k, k, a.At(k, k)+1e-9*float64(learned.Len()))
	}
	var solved mat.Cholesky
	c := mat.NewVecDense(3, nil)
	if solved.Factorize(a) {
		_ = solved.SolveVecTo(c, b) // what it warns of, nearly equal inputs, is no error here
	}
	f.KP, f.KD, f.Constant = c.AtVec(0), c.AtVec(1), c.AtVec(2)
	along, level := make([]float64, held.Len()), make([]float64, held.Len())
	mean, _ := moments(held.Len(), func(i int) float64 { return held.torque[i] })
	for i := range along {
		along[i] = mat.Dot(c, mat.NewVecDense(3, row(held, i)))
		level[i] = mean
	}
	f.LineError, f.Torque = distance(along, held.torque), distance(level, held.torque)
}
