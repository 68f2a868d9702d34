package pointmass

import (
	"fmt"
	"math"
	"slices"

	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/internal/engine"
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

var fieldNames = []string{"position", "velocity", "control"}

// Model is the point mass. It implements [physics.Model] and may be used by any number of goroutines.
type Model struct {
	base
	timestep float64
}

type base = engine.Model

// New returns a point mass that starts at rest at the origin. timestep is the length of a substep in seconds.
func New(timestep float64) *Model {
	if !(timestep > 0) || math.IsInf(timestep, 0) {
		panic(fmt.Sprintf("pointmass: timestep is %v s, want a positive number", timestep))
	}
	m := &Model{timestep: timestep, base: base{
		Engine:     "pointmass",
		Fields:     map[string]physics.Span{},
		Components: fieldNames,
		Probes:     map[string]physics.Vector{},
		Computed:   map[string]int{"acceleration": dims, "power": 1},
		Constants:  map[string][]float64{"mass": {1}}, // kg
		Nominals:   map[string][]float64{"mass": {1}},
		Initial:    make([]float64, stateSize),
		Ranges:     slices.Repeat([][2]float64{{math.Inf(-1), math.Inf(1)}}, dims),
	}}
	for i, name := range fieldNames {
		m.Fields[name] = physics.Span{Offset: i * dims, Len: dims}
	}
	for _, name := range []string{"position", "velocity", "acceleration", "pose"} {
		m.Probes[name] = physics.Vector{Source: name, Size: dims, Stage: physics.Motion}
	}
	m.Probes["acceleration"] = physics.Vector{Source: "acceleration", Size: dims, Stage: physics.Force}
	return m
}

// NewStepper implements [physics.Model].
func (m *Model) NewStepper(worlds int, out physics.Outputs) (physics.Stepper, error) {
	return engine.NewStepper(&m.base, m, worlds, out, func() (engine.Calls, error) {
		return &stepper{model: m, out: out, messages: make([]string, worlds)}, nil
	})
}

// Close implements [physics.Model]; there is nothing to free.
func (*Model) Close() error { return nil }

// stepper implements [engine.Calls].
type stepper struct {
	model    *Model
	out      physics.Outputs
	messages []string // faults of the last call
}

func (s *stepper) Delete() {}

func (s *stepper) FaultMessage(i int) string { return s.messages[i] }

func (s *stepper) Call(rows *physics.Rows, ids, n []int32) (faults int) {
	for i, id := range ids {
		rows.Fault[id], s.messages[i] = physics.FaultNone, ""
		var err error
		if n == nil {
			err = s.forward(rows, id)
		} else if n[i] > 0 {
			err = s.advance(rows, id, n[i])
		}
		if err != nil {
			faults++
			s.messages[i] = err.Error()
		}
	}
	return faults
}

// advance takes the substeps of one world on a copy of its row, which replaces the row if all went well.
func (s *stepper) advance(rows *physics.Rows, id, n int32) error {
	row := rows.Row(int(id))
	state := [stateSize]float64(row)
	mass, err := massOf(rows, id, &state)
	if err != nil {
		return err
	}
	k := rows.Boundary[id]
	var previous [stateSize]float64
	for step := range n {
		previous = state
		dt := s.model.timestep
		for d := range dims {
			state[velocity+d] += float64(dt * (state[control+d] / mass))
			state[position+d] += float64(dt * state[velocity+d])
		}
		if err := healthy(rows, id, &state, step+1); err != nil {
			return err
		}
		s.sample(rows.Sample(int(id), k+int64(step)), &previous, mass, true)
	}
	copy(row, state[:])
	s.derive(rows.DerivedRow(int(id)), &previous, mass)
	s.sample(rows.Sample(int(id), k+int64(n)), &state, mass, false)
	rows.Boundary[id] = k + int64(n)
	return nil
}

func (s *stepper) forward(rows *physics.Rows, id int32) error {
	state := [stateSize]float64(rows.Row(int(id)))
	mass, err := massOf(rows, id, &state)
	if err != nil {
		return err
	}
	rows.Boundary[id] = 0
	s.derive(rows.DerivedRow(int(id)), &state, mass)
	s.sample(rows.Sample(int(id), 0), &state, mass, true)
	return nil
}

// massOf returns the mass in kg of a world, or faults it if its mass is none or its state cannot be stepped.
func massOf(rows *physics.Rows, id int32, state *[stateSize]float64) (float64, error) {
	mass := 1.0
	if rows.ParameterSize > 0 {
		mass = rows.ParameterRow(int(id))[0]
	}
	switch {
	case math.IsNaN(mass) || math.IsInf(mass, 0):
		rows.Fault[id] = physics.FaultNotFinite
		return mass, fmt.Errorf("parameter mass is %v, want a finite number", mass)
	case mass <= 0:
		rows.Fault[id] = physics.FaultEngine
		return mass, fmt.Errorf("parameter mass is %v kg, want more than 0", mass)
	}
	return mass, healthy(rows, id, state, 0)
}

// healthy faults the world if its state cannot be stepped or kept.
func healthy(rows *physics.Rows, id int32, state *[stateSize]float64, substep int32) error {
	for i, x := range state {
		name := fieldNames[i/dims]
		switch {
		case math.IsNaN(x) || math.IsInf(x, 0):
			rows.Fault[id] = physics.FaultNotFinite
			return fmt.Errorf("%s[%d] is %v after %d substeps", name, i%dims, x, substep)
		case i < velocity && math.Abs(x) > Bound:
			rows.Fault[id] = physics.FaultEngine
			return fmt.Errorf("%s[%d] is %v m after %d substeps, want at most %v", name, i%dims, x, substep, Bound)
		}
	}
	return nil
}

// sample writes the probes' values at a state, with or without the Force ones.
func (s *stepper) sample(dst []float64, state *[stateSize]float64, mass float64, force bool) {
	for _, p := range s.out.Probes {
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

func (s *stepper) derive(dst []float64, state *[stateSize]float64, mass float64) {
	for _, d := range s.out.Derived {
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
