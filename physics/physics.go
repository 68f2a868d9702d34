package physics

import (
	"fmt"
	"io"
	"slices"
)

// Stage says what a probed value depends on, and so when it may be read.
type Stage uint8

const (
	// Motion values are a function of the state alone (positions,
	// velocities): the sample of substep boundary k may be read at its instant.
	Motion Stage = iota
	// Force values (accelerations, contact forces) also depend on the control
	// in force while the substep that starts at boundary k is integrated, so
	// they exist only after that boundary and are read strictly later.
	Force
)

func (s Stage) String() string {
	switch s {
	case Motion:
		return "motion"
	case Force:
		return "force"
	}
	return fmt.Sprintf("Stage(%d)", uint8(s))
}

// Probe is one vector the engine samples at every substep boundary.
type Probe struct {
	Source string // what was asked for, such as "sensor/gyro" or "qpos"
	Size   int    // values per sample
	Stage  Stage
}

// Derived is one vector of values that the engine has computed along the way and
// that are no function of the new state alone: of the state before the last
// substep, say, or of a trial state within it. They are there for tasks whose
// definition reads them; they belong to no instant, so no sensor may.
type Derived struct {
	Source string // what was asked for, such as "cfrc_ext"
	Size   int    // values
}

// Parameter is one vector of constants of the scene that each world can have of its
// own, such as the masses of the bodies.
type Parameter struct {
	Source string // what was asked for, such as "body_mass" or "geom_friction/foot"
	Size   int    // values
}

// Outputs is what a stepper leaves behind beside the state: probes, sampled at
// every substep boundary, and derived values, once per call; and the parameters that
// it takes from the rows rather than from the model. Each are laid out in this order.
type Outputs struct {
	Probes     []Probe
	Derived    []Derived
	Parameters []Parameter
}

// SampleSize, DerivedSize and ParameterSize are the sizes of the probes, of the derived
// values and of the parameters, added up.
func (o Outputs) SampleSize() int {
	size := 0
	for _, p := range o.Probes {
		size += p.Size
	}
	return size
}

func (o Outputs) DerivedSize() int {
	size := 0
	for _, d := range o.Derived {
		size += d.Size
	}
	return size
}

func (o Outputs) ParameterSize() int {
	size := 0
	for _, p := range o.Parameters {
		size += p.Size
	}
	return size
}

// Check returns an error unless every probe, derived value and parameter is as m
// returns it for its source, and no parameter is there twice. An engine calls it before
// it makes a stepper.
func (o Outputs) Check(m Model) error {
	for _, want := range o.Probes {
		p, err := m.Probe(want.Source)
		if err != nil {
			return err
		}
		if p != want {
			return fmt.Errorf("probe %+v, want %+v as Probe returned it", want, p)
		}
	}
	for _, want := range o.Derived {
		d, err := m.Derived(want.Source)
		if err != nil {
			return err
		}
		if d != want {
			return fmt.Errorf("derived value %+v, want %+v as Derived returned it", want, d)
		}
	}
	for i, want := range o.Parameters {
		p, err := m.Parameter(want.Source)
		if err != nil {
			return err
		}
		if p != want {
			return fmt.Errorf("parameter %+v, want %+v as Parameter returned it", want, p)
		}
		if slices.Contains(o.Parameters[:i], want) {
			return fmt.Errorf("parameter %q is there twice, want it once", want.Source)
		}
	}
	return nil
}

// Span is a range of a row: values Offset to Offset+Len.
type Span struct{ Offset, Len int }

// In returns the part of row that the span covers; it shares row's memory.
func (s Span) In(row []float64) []float64 {
	return row[s.Offset : s.Offset+s.Len : s.Offset+s.Len]
}

// Model is a compiled scene: immutable, safe for concurrent use.
type Model interface {
	// StateSize is the number of values in a state row: everything that
	// decides the future of a world, warm start included.
	StateSize() int

	// ControlSize is the number of values in the "control" field.
	ControlSize() int

	// ControlRange is the range that the engine clamps value i of "control"
	// to, in the control's own unit; ∓Inf where it has no limit.
	ControlRange(i int) (lo, hi float64)

	// Field finds a named part of a state row. Every engine has "control";
	// MuJoCo adds "qpos", "qvel" and the other components of its integration
	// state. An unknown name is an error that lists the known ones.
	Field(name string) (Span, error)

	// InitialState writes the state a world has before its task randomises
	// it. dst has length StateSize.
	InitialState(dst []float64)

	// Keyframe writes a named state of the scene, such as "home". dst has
	// length StateSize. An unknown name is an error that names the nearest
	// known one.
	Keyframe(name string, dst []float64) error

	// Probe resolves a source name. An unknown source is an error that names
	// the nearest known one.
	Probe(source string) (Probe, error)

	// Derived resolves the source name of a derived value. An unknown source is
	// an error that names the nearest known one.
	Derived(source string) (Derived, error)

	// Constant returns parameters of the compiled scene by name, such as
	// "body_mass"; the slice is the caller's. An unknown name is an error that
	// names the nearest known one.
	Constant(name string) ([]float64, error)

	// Parameter resolves the source name of constants that each world can have of
	// its own. An unknown source is an error that names the nearest known one, if the
	// engine has any.
	Parameter(source string) (Parameter, error)

	// Nominal returns the values that a parameter has in the compiled scene; the
	// slice is the caller's. It returns an error as Parameter does.
	Nominal(source string) ([]float64, error)

	// NewStepper allocates working memory that can step up to worlds worlds
	// in one call, sample out's probes at every substep boundary, leave its
	// derived values, and give each world its own values of out's parameters. Two
	// parameters may overlap, as a whole array and one of its parts: the later one
	// in out decides.
	NewStepper(worlds int, out Outputs) (Stepper, error)

	// Close frees the model. Its steppers must be closed first.
	Close() error
}

// Stepper advances rows of state. It is not safe for concurrent use, and keeps
// nothing between calls that could influence a result.
//
// The state row decides the future. An engine that needs live objects keeps them in
// [Rows.Cache], as a cache of the rows: it uses a live world only while its row is,
// byte for byte, what it stored there last, and else makes a new one from the row,
// with the same future to the bit.
type Stepper interface {
	// Step advances world ids[i] of rows by n[i] substeps under the control
	// its state row holds, for all i, in one call. ids ascend without repeats;
	// n[i] ≥ 0.
	//
	// At entry the row stands at substep boundary k = rows.Boundary[id]; at
	// return it stands at k+n, and Boundary is updated. Sample slot of
	// boundary j ([Rows.Sample]) then holds: for j in [k, k+n) both Motion and
	// Force values at j, the latter under the control of this call; for
	// j = k+n the Motion values (its Force values belong to the next call and
	// are left as they were). Splitting a call in two gives the same bits.
	//
	// Where n > 0, the derived values ([Rows.DerivedRow]) are those the engine
	// held when the last substep was done, before it computed anything more for
	// the sake of the samples. Where n is 0 they are left as they were.
	//
	// Parameters ([Rows.ParameterRow]) are part of the input, like the state row. They
	// may change between any two calls, and hold from then on. One that is not finite,
	// or that no scene can have, such as a negative mass, is a fault of its world.
	//
	// A world in which the engine fails or a value stops being finite is a
	// fault: rows.Fault[id] is set, its state row and derived values keep what
	// they had before the call, Boundary does not move, samples of boundaries after k
	// are unspecified, and the others are unaffected. Step returns
	// the number of faulted worlds in this call. Rows.Fault of a world that
	// went well is set to FaultNone.
	Step(rows *Rows, ids, n []int32) int

	// Forward makes the rows consistent after their state was written from
	// outside: it sets rows.Boundary to 0, computes every stage from the state
	// and control the row holds and fills slot 0, Motion and Force, without
	// advancing. Derived values are then those of a scene that has just been
	// reset to this state: whatever the engine works out only after a step is 0.
	// Motion at slot 0 and the future of the row are the same for any number of
	// calls. Faults are reported as by Step.
	Forward(rows *Rows, ids []int32) int

	// FaultMessage describes the fault that world id had in the last call on
	// this stepper, in the engine's words; "" if it had none.
	FaultMessage(id int32) string

	// Close frees the stepper.
	Close() error
}

// Fault says why a world could not be advanced.
type Fault uint8

const (
	FaultNone      Fault = iota
	FaultEngine          // the engine raised an error
	FaultNotFinite       // the state became NaN, infinite or huge
	FaultTask            // a callback of this world panicked or produced a value that is not finite
)

func (f Fault) String() string {
	switch f {
	case FaultNone:
		return "none"
	case FaultEngine:
		return "engine error"
	case FaultNotFinite:
		return "state not finite"
	case FaultTask:
		return "task error"
	}
	return fmt.Sprintf("Fault(%d)", uint8(f))
}

// Rows is the physics memory of one block of worlds, contiguous and row-major,
// allocated once. It belongs to whoever holds the block; a stepper borrows it
// for the length of a call.
type Rows struct {
	Worlds     int
	StateSize  int // values per state row
	SampleSize int // values per sample: the sizes of the probes, added up
	Slots      int // samples kept per world

	DerivedSize   int // derived values per world: their sizes, added up
	ParameterSize int // parameters per world: their sizes, added up

	State      []float64 // Worlds × StateSize
	Samples    []float64 // Worlds × Slots × SampleSize, used as a ring
	Derived    []float64 // Worlds × DerivedSize: of the last Forward, or Step that advanced; 0 before
	Parameters []float64 // Worlds × ParameterSize; the compiled scene's at first
	Boundary   []int64   // Worlds: the substep boundary each state row stands at
	Fault      []Fault   // Worlds: outcome of the last call

	// Cache is the engine's own memory for these rows, nil until a stepper that
	// needs some sets it. It is a cache of the rows, see [Stepper], and goes
	// with these rows only, never with a copy of them.
	Cache io.Closer
}

// NewRows allocates rows for worlds worlds of m, all in m's initial state and with the
// parameters of the compiled scene. It panics for a parameter that m does not have.
// slots is the number of substep boundaries whose samples are kept: at least
// one more than the largest number of substeps in one call. Close the rows before
// the model, when no stepper uses them any more.
func NewRows(m Model, worlds int, out Outputs, slots int) *Rows {
	r := &Rows{
		Worlds:        worlds,
		StateSize:     m.StateSize(),
		SampleSize:    out.SampleSize(),
		Slots:         slots,
		DerivedSize:   out.DerivedSize(),
		ParameterSize: out.ParameterSize(),
		State:         make([]float64, worlds*m.StateSize()),
		Samples:       make([]float64, worlds*slots*out.SampleSize()),
		Derived:       make([]float64, worlds*out.DerivedSize()),
		Boundary:      make([]int64, worlds),
		Fault:         make([]Fault, worlds),
	}
	for range worlds {
		for _, p := range out.Parameters {
			nominal, err := m.Nominal(p.Source)
			if err != nil || len(nominal) != p.Size {
				panic(fmt.Sprintf("physics: parameter %+v has %d values, %v", p, len(nominal), err))
			}
			r.Parameters = append(r.Parameters, nominal...)
		}
	}
	for id := range worlds {
		m.InitialState(r.Row(id))
	}
	return r
}

// Row returns the state row of world id; it shares the rows' memory.
func (r *Rows) Row(id int) []float64 {
	return r.State[id*r.StateSize : (id+1)*r.StateSize : (id+1)*r.StateSize]
}

// Sample returns the ring slot of substep boundary k of world id; it shares
// the rows' memory and is overwritten Slots boundaries later.
func (r *Rows) Sample(id int, k int64) []float64 {
	at := (id*r.Slots + int(k%int64(r.Slots))) * r.SampleSize
	return r.Samples[at : at+r.SampleSize : at+r.SampleSize]
}

// DerivedRow returns the derived values of world id; it shares the rows' memory.
func (r *Rows) DerivedRow(id int) []float64 {
	return r.Derived[id*r.DerivedSize : (id+1)*r.DerivedSize : (id+1)*r.DerivedSize]
}

// ParameterRow returns the parameters of world id; it shares the rows' memory.
func (r *Rows) ParameterRow(id int) []float64 {
	return r.Parameters[id*r.ParameterSize : (id+1)*r.ParameterSize : (id+1)*r.ParameterSize]
}

// Close frees what an engine keeps for the rows. Closing a second time does
// nothing. The rows can still be read, and a later step fills the cache again.
func (r *Rows) Close() error {
	if r.Cache == nil {
		return nil
	}
	err := r.Cache.Close()
	r.Cache = nil
	return err
}
