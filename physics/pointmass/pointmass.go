package pointmass

import (
	"fmt"
	"math"
	"slices"

	"github.com/polyrhythm-rl/polyrhythm/physics"
)

// Bound is the largest coordinate, in metres, that the engine accepts.
const Bound = 1e6

// dims is the dimension of the space the mass moves in.
const dims = 2

// The parts of a state row.
const (
	position  = 0
	velocity  = position + dims
	control   = velocity + dims
	stateSize = control + dims
)

var (
	fieldNames = []string{"position", "velocity", "control"}
	probeNames = []string{"position", "velocity", "acceleration", "pose"}

	derivedValues = []physics.Derived{{Source: "acceleration", Size: dims}, {Source: "power", Size: 1}}
)

// Model is the point mass. It implements [physics.Model] and may be used by any
// number of goroutines.
type Model struct {
	timestep float64
}

// New returns a point mass that starts at rest at the origin. timestep is the
// length of a substep in seconds.
func New(timestep float64) *Model {
	if !(timestep > 0) || math.IsInf(timestep, 0) {
		panic(fmt.Sprintf("pointmass: timestep is %v s, want a positive number", timestep))
	}
	return &Model{timestep: timestep}
}

// StateSize implements [physics.Model].
func (*Model) StateSize() int { return stateSize }

// ControlSize implements [physics.Model].
func (*Model) ControlSize() int { return dims }

// ControlRange implements [physics.Model]: the force has no limit.
func (*Model) ControlRange(int) (lo, hi float64) { return math.Inf(-1), math.Inf(1) }

// Field implements [physics.Model].
func (*Model) Field(name string) (physics.Span, error) {
	i := slices.Index(fieldNames, name)
	if i < 0 {
		return physics.Span{}, fmt.Errorf("pointmass: %w (the state has %q)", physics.UnknownError("field", name, fieldNames), fieldNames)
	}
	return physics.Span{Offset: i * dims, Len: dims}, nil
}

// InitialState implements [physics.Model]: at rest at the origin, no force.
func (*Model) InitialState(dst []float64) {
	if len(dst) != stateSize {
		panic(fmt.Sprintf("pointmass: state row of %d values, want %d", len(dst), stateSize))
	}
	clear(dst)
}

// Keyframe implements [physics.Model]: the point mass has none.
func (*Model) Keyframe(name string, _ []float64) error {
	return fmt.Errorf("pointmass: %w", physics.UnknownError("keyframe", name, nil))
}

// Probe implements [physics.Model].
func (*Model) Probe(source string) (physics.Probe, error) {
	if !slices.Contains(probeNames, source) {
		return physics.Probe{}, fmt.Errorf("pointmass: %w", physics.UnknownError("probe", source, probeNames))
	}
	p := physics.Probe{Source: source, Size: dims, Stage: physics.Motion}
	if source == "acceleration" {
		p.Stage = physics.Force
	}
	return p, nil
}

// Derived implements [physics.Model].
func (*Model) Derived(source string) (physics.Derived, error) {
	var known []string
	for _, d := range derivedValues {
		if d.Source == source {
			return d, nil
		}
		known = append(known, d.Source)
	}
	return physics.Derived{}, fmt.Errorf("pointmass: %w", physics.UnknownError("derived value", source, known))
}

// Constant implements [physics.Model]: "mass", in kg.
func (*Model) Constant(name string) ([]float64, error) {
	if name != "mass" {
		return nil, fmt.Errorf("pointmass: %w", physics.UnknownError("constant", name, []string{"mass"}))
	}
	return []float64{1}, nil
}

// Parameter implements [physics.Model]: "mass", in kg.
func (*Model) Parameter(source string) (physics.Parameter, error) {
	if source != "mass" {
		return physics.Parameter{}, fmt.Errorf("pointmass: %w", physics.UnknownError("parameter", source, []string{"mass"}))
	}
	return physics.Parameter{Source: source, Size: 1}, nil
}

// Nominal implements [physics.Model].
func (m *Model) Nominal(source string) ([]float64, error) {
	if _, err := m.Parameter(source); err != nil {
		return nil, err
	}
	return []float64{1}, nil
}

// NewStepper implements [physics.Model].
func (m *Model) NewStepper(worlds int, out physics.Outputs) (physics.Stepper, error) {
	if worlds < 1 {
		return nil, fmt.Errorf("pointmass: stepper for %d worlds, want at least 1", worlds)
	}
	if err := out.Check(m); err != nil {
		return nil, fmt.Errorf("pointmass: %w", err)
	}
	return &Stepper{
		model:    m,
		worlds:   worlds,
		probes:   slices.Clone(out.Probes),
		derived:  slices.Clone(out.Derived),
		sizes:    out.Sizes(),
		messages: map[int32]string{},
	}, nil
}

// Close implements [physics.Model]; there is nothing to free.
func (*Model) Close() error { return nil }

// Stepper implements [physics.Stepper], for one goroutine at a time.
type Stepper struct {
	model    *Model
	worlds   int
	probes   []physics.Probe
	derived  []physics.Derived
	sizes    physics.Sizes
	messages map[int32]string // faults of the last call, by world
}

// Step implements [physics.Stepper].
func (s *Stepper) Step(rows *physics.Rows, ids, n []int32) int {
	s.begin(rows, ids, n)
	for i, id := range ids {
		rows.Fault[id] = physics.FaultNone
		if n[i] > 0 {
			s.advance(rows, id, n[i])
		}
	}
	return len(s.messages)
}

// advance takes the substeps of one world on a copy of its row, which replaces
// the row if all went well.
func (s *Stepper) advance(rows *physics.Rows, id, n int32) {
	row := rows.Row(int(id))
	state := [stateSize]float64(row)
	mass := s.massOf(rows, id)
	if mass == 0 || !s.healthy(rows, id, &state, 0) {
		return
	}
	k := rows.Boundary[id]
	var before [stateSize]float64
	for step := range n {
		before = state
		dt := s.model.timestep
		for d := range dims {
			state[velocity+d] += float64(dt * (state[control+d] / mass))
			state[position+d] += float64(dt * state[velocity+d])
		}
		if !s.healthy(rows, id, &state, step+1) {
			return
		}
		s.sample(rows.Sample(int(id), k+int64(step)), &before, mass, true)
	}
	copy(row, state[:])
	s.derive(rows.DerivedRow(int(id)), &before, mass)
	s.sample(rows.Sample(int(id), k+int64(n)), &state, mass, false)
	rows.Boundary[id] = k + int64(n)
}

// Forward implements [physics.Stepper].
func (s *Stepper) Forward(rows *physics.Rows, ids []int32) int {
	s.begin(rows, ids, nil)
	for _, id := range ids {
		rows.Fault[id] = physics.FaultNone
		state := [stateSize]float64(rows.Row(int(id)))
		if mass := s.massOf(rows, id); mass != 0 && s.healthy(rows, id, &state, 0) {
			rows.Boundary[id] = 0
			s.derive(rows.DerivedRow(int(id)), &state, mass)
			s.sample(rows.Sample(int(id), 0), &state, mass, true)
		}
	}
	return len(s.messages)
}

// massOf returns the mass in kg of a world, or 0 after a fault if it has none that a mass
// can have.
func (s *Stepper) massOf(rows *physics.Rows, id int32) float64 {
	if s.sizes.Parameter == 0 {
		return 1
	}
	mass := rows.ParameterRow(int(id))[0]
	switch {
	case math.IsNaN(mass) || math.IsInf(mass, 0):
		rows.Fault[id] = physics.FaultNotFinite
		s.messages[id] = fmt.Sprintf("parameter mass is %v, want a finite number", mass)
		return 0
	case mass <= 0:
		rows.Fault[id] = physics.FaultEngine
		s.messages[id] = fmt.Sprintf("parameter mass is %v kg, want more than 0", mass)
		return 0
	}
	return mass
}

// healthy faults the world if its state cannot be stepped or kept.
func (s *Stepper) healthy(rows *physics.Rows, id int32, state *[stateSize]float64, substep int32) bool {
	for i, x := range state {
		name := fieldNames[i/dims]
		switch {
		case math.IsNaN(x) || math.IsInf(x, 0):
			rows.Fault[id] = physics.FaultNotFinite
			s.messages[id] = fmt.Sprintf("%s[%d] is %v after %d substeps", name, i%dims, x, substep)
			return false
		case i < velocity && math.Abs(x) > Bound:
			rows.Fault[id] = physics.FaultEngine
			s.messages[id] = fmt.Sprintf("%s[%d] is %v m after %d substeps, want at most %v", name, i%dims, x, substep, Bound)
			return false
		}
	}
	return true
}

// sample writes the probes' values at a state, with or without the Force ones.
func (s *Stepper) sample(dst []float64, state *[stateSize]float64, mass float64, force bool) {
	for _, p := range s.probes {
		switch p.Source {
		case "position", "pose":
			copy(dst[:dims], state[position:])
		case "velocity":
			copy(dst[:dims], state[velocity:])
		case "acceleration":
			if force {
				accelerate(dst, state, mass)
			}
		}
		dst = dst[dims:]
	}
}

// derive writes the derived values of a substep that begins at a state.
func (s *Stepper) derive(dst []float64, state *[stateSize]float64, mass float64) {
	for _, d := range s.derived {
		switch d.Source {
		case "acceleration":
			accelerate(dst, state, mass)
		case "power":
			dst[0] = float64(state[control]*state[velocity]) + float64(state[control+1]*state[velocity+1])
		}
		dst = dst[d.Size:]
	}
}

// accelerate writes the acceleration under the force in a state, in m/s².
func accelerate(dst []float64, state *[stateSize]float64, mass float64) {
	for d := range dims {
		dst[d] = state[control+d] / mass
	}
}

// begin panics on misuse and forgets the faults of the last call.
func (s *Stepper) begin(rows *physics.Rows, ids, n []int32) {
	if s.model == nil {
		panic("pointmass: the stepper is closed")
	}
	rows.CheckCall(s.worlds, stateSize, s.sizes, ids, n)
	clear(s.messages)
}

// FaultMessage implements [physics.Stepper].
func (s *Stepper) FaultMessage(id int32) string { return s.messages[id] }

// Close implements [physics.Stepper]. Closing a second time does nothing.
func (s *Stepper) Close() error {
	s.model = nil
	return nil
}
