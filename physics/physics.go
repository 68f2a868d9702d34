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
	// Force values (accelerations, contact forces) also depend on the control in force while the substep that starts
	// at boundary k is integrated, so they exist only after that boundary and are read strictly later.
	Force
)

func (s Stage) String() string { return nameOf("Stage", s, "motion", "force") }

// nameOf returns the name of a value of an enumeration.
func nameOf[T ~uint8](kind string, value T, names ...string) string {
	if int(value) < len(names) {
		return names[value]
	}
	return fmt.Sprintf("%s(%d)", kind, uint8(value))
}

// Vector is one vector of values of an engine: a probe, a derived value or a parameter.
type Vector struct {
	// name of the probe, derived value or parameter, such as "sensor/gyro", "cfrc_ext" or "geom_friction/foot"
	Source string
	Size   int   // number of values
	Stage  Stage // stage of a probe
}

// Outputs is what a stepper leaves behind beside the state, and what it takes from the
// rows rather than from the model. Each are laid out in this order.
type Outputs struct {
	Probes []Vector // sampled at every substep boundary

	// Derived are values that the engine has computed along the way and that are no function of the new state alone:
	// of the state before the last substep, say, or of a trial state within it. They are there once per call, for
	// tasks whose definition reads them; they belong to no instant, so no sensor may.
	Derived []Vector

	// Parameters are constants of the scene that each world has of its own, such as the masses of the bodies.
	Parameters []Vector
}

// Sizes are the numbers of values per world that [Outputs] take.
type Sizes struct{ Sample, Derived, Parameter int }

// Sizes returns the sizes of a sample, of the derived values and of the parameters.
func (o Outputs) Sizes() Sizes {
	size := func(list []Vector) (n int) {
		for _, v := range list {
			n += v.Size
		}
		return n
	}
	return Sizes{size(o.Probes), size(o.Derived), size(o.Parameters)}
}

// Check returns an error unless every probe, derived value and parameter is as m returns it for its source, and no
// parameter is there twice. An engine calls it before it makes a stepper.
func (o Outputs) Check(m Model) error {
	for _, kind := range []struct {
		name string
		list []Vector
		find func(source string) (Vector, error)
	}{{"probe", o.Probes, m.Probe}, {"derived value", o.Derived, m.Derived}, {"parameter", o.Parameters, m.Parameter}} {
		for _, want := range kind.list {
			known, err := kind.find(want.Source)
			if err == nil && known != want {
				err = fmt.Errorf("%s %+v, want %+v as the model returned it", kind.name, want, known)
			}
			if err != nil {
				return err
			}
		}
	}
	for i, want := range o.Parameters {
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

	// Field finds a named part of a state row. Every engine has "control"; MuJoCo adds "qpos", "qvel" and the other
	// components of its integration state. An unknown name is an error that lists the known ones.
	Field(name string) (Span, error)

	// InitialState writes the state a world has before its task randomises it. dst has length StateSize.
	InitialState(dst []float64)

	// Keyframe writes a named state of the scene, such as "home". dst has length StateSize. An unknown name is an
	// error that names the nearest known one.
	Keyframe(name string, dst []float64) error

	// Probe resolves a source name. An unknown source is an error that names the nearest known one.
	Probe(source string) (Vector, error)

	// Derived resolves the source name of a derived value. An unknown source is
	// an error that names the nearest known one.
	Derived(source string) (Vector, error)

	// Constant returns parameters of the compiled scene by name, such as "body_mass"; the slice is the caller's. An
	// unknown name is an error that names the nearest known one.
	Constant(name string) ([]float64, error)

	// Parameter resolves the source name of constants that each world can have of its own. An unknown source is an
	// error that names the nearest known one, if the engine has any.
	Parameter(source string) (Vector, error)

	// Nominal returns the values that a parameter has in the compiled scene; the
	// slice is the caller's. It returns an error as Parameter does.
	Nominal(source string) ([]float64, error)

	// NewStepper allocates working memory that can step up to worlds worlds in one call, sample out's probes at every
	// substep boundary, leave its derived values, and give each world its own values of out's parameters. Two
	// parameters may overlap, as a whole array and one of its parts: the later one in out decides.
	NewStepper(worlds int, out Outputs) (Stepper, error)

	// Close frees the model. Its steppers must be closed first.
	Close() error
}

// Stepper advances rows of state. It is not safe for concurrent use, and keeps
// nothing between calls that could influence a result.
//
// The state row decides the future. An engine that needs live objects keeps them in [Rows.Cache], as a cache of the
// rows: it uses a live world only while the row's version is the one at which it stored the row, or the row says what
// it would store there, and else makes a new one from the row, with the same future to the bit.
type Stepper interface {
	// Step advances world ids[i] of rows by n[i] substeps under the control its state row holds, for all i, in one
	// call. ids ascend without repeats; n[i] ≥ 0.
	//
	// At entry the row stands at substep boundary k = rows.Boundary[id]; at return it stands at k+n, and Boundary is
	// updated. Sample slot of boundary j ([Rows.Sample]) then holds: for j in [k, k+n) both Motion and Force values
	// at j, the latter under the control of this call; for j = k+n the Motion values (its Force values belong to the
	// next call and are left as they were). Splitting a call in two gives the same bits.
	//
	// Where n > 0, the derived values ([Rows.DerivedRow]) are those the engine held when the last substep was done,
	// before it computed anything more for the sake of the samples. Where n is 0 they are left as they were.
	//
	// Parameters ([Rows.ParameterRow]) are part of the input, like the state row. They
	// may change between any two calls, and hold from then on. One that is not finite,
	// or that no scene can have, such as a negative mass, is a fault of its world.
	//
	// A world in which the engine fails or a value stops being finite is a fault: rows.Fault[id] is set, its state
	// row and derived values keep what they had before the call, Boundary does not move, samples of boundaries after
	// k are unspecified, and the others are unaffected. Step returns the number of faulted worlds in this call.
	// Rows.Fault of a world that went well is set to FaultNone.
	Step(rows *Rows, ids, n []int32) int

	// Forward makes the rows consistent after their state was written from outside: it sets rows.Boundary to 0,
	// computes every stage from the state and control the row holds and fills slot 0, Motion and Force, without
	// advancing. Derived values are then those of a scene that has just been reset to this state: whatever the engine
	// works out only after a step is 0. Motion at slot 0 and the future of the row are the same for any number of
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
	FaultTask            // a callback of the world panicked or produced a value that is not finite
)

func (f Fault) String() string {
	return nameOf("Fault", f, "none", "engine error", "state not finite", "task error")
}

// Rows is the physics memory of one block of worlds, contiguous and row-major, allocated once. It belongs to whoever
// holds the block; a stepper borrows it for the length of a call.
type Rows struct {
	Worlds     int
	StateSize  int // values per state row
	SampleSize int // values per sample: the sizes of the probes, added up
	Slots      int // samples kept per world

	DerivedSize   int // derived values per world: their sizes, added up
	ParameterSize int // parameters per world: their sizes, added up

	Samples    []float64 // Worlds × Slots × SampleSize, used as a ring
	Derived    []float64 // Worlds × DerivedSize: of the last Forward, or Step that advanced; 0 before
	Parameters []float64 // Worlds × ParameterSize; the compiled scene's at first
	Boundary   []int64   // Worlds: the substep boundary each state row stands at
	Fault      []Fault   // Worlds: outcome of the last call

	// Cache is the engine's own memory for these rows, nil until a stepper that needs some sets it. It is a cache of
	// the rows, see [Stepper], and goes with these rows only, never with a copy of them.
	Cache io.Closer

	state    []float64 // Worlds × StateSize
	versions []uint64  // Worlds: how often each row was given out to be written
	control  Span
}

// ReadOnly is access to values for reading alone.
type ReadOnly struct{ values []float64 }

// Len is the number of values.
func (v ReadOnly) Len() int { return len(v.values) }

// At returns value i.
func (v ReadOnly) At(i int) float64 { return v.values[i] }

// In returns the part of the values that the span covers.
func (v ReadOnly) In(s Span) ReadOnly { return ReadOnly{s.In(v.values)} }

// CopyTo copies the values to dst, of the same length.
func (v ReadOnly) CopyTo(dst []float64) {
	if copy(dst, v.values) != len(dst) || len(dst) != len(v.values) {
		panic(fmt.Sprintf("physics: %d values for %d", len(v.values), len(dst)))
	}
}

// NewRows allocates rows for worlds worlds of m, all in m's initial state and with the parameters of the compiled
// scene. It panics for a parameter that m does not have. slots is the number of substep boundaries whose samples are
// kept: at least one more than the largest number of substeps in one call. Close the rows before the model, when no
// stepper uses them any more.
func NewRows(m Model, worlds int, out Outputs, slots int) *Rows {
	sizes := out.Sizes()
	r := &Rows{
		Worlds:        worlds,
		StateSize:     m.StateSize(),
		SampleSize:    sizes.Sample,
		Slots:         slots,
		DerivedSize:   sizes.Derived,
		ParameterSize: sizes.Parameter,
		Samples:       make([]float64, worlds*slots*sizes.Sample),
		Derived:       make([]float64, worlds*sizes.Derived),
		Boundary:      make([]int64, worlds),
		Fault:         make([]Fault, worlds),
		state:         make([]float64, worlds*m.StateSize()),
		versions:      make([]uint64, worlds),
	}
	var err error
	if r.control, err = m.Field("control"); err != nil {
		panic(err) // every model has the initial state
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

// Row returns the state row of world id, to be written until a stepper's next call with it;
// take it anew after that. It shares the rows' memory. Each call advances the row's version,
// so that an engine which keeps live objects looks at the whole row in its next call. There is
// no other access to write by, the control apart, which engines read in each call.
func (r *Rows) Row(id int) []float64 {
	r.versions[id]++
	return r.row(id)
}

func (r *Rows) row(id int) []float64 { return Span{id * r.StateSize, r.StateSize}.In(r.state) }

// Read returns the state row of world id, to be read.
func (r *Rows) Read(id int) ReadOnly { return ReadOnly{r.row(id)} }

// Control returns the field "control" of the row of world id, to be written; it shares the rows' memory.
func (r *Rows) Control(id int) []float64 { return r.control.In(r.row(id)) }

// Memory returns what an engine's stepper works on: the state rows, Worlds × StateSize, and how
// often each was given out to be written, Worlds. It shares the rows' memory.
func (r *Rows) Memory() (state []float64, versions []uint64) { return r.state, r.versions }

// Clone returns a copy without what an engine keeps for the rows.
func (r *Rows) Clone() *Rows {
	c := *r
	c.Cache = nil
	c.state, c.versions = slices.Clone(r.state), slices.Clone(r.versions)
	c.Samples, c.Derived, c.Parameters = slices.Clone(r.Samples), slices.Clone(r.Derived), slices.Clone(r.Parameters)
	c.Boundary, c.Fault = slices.Clone(r.Boundary), slices.Clone(r.Fault)
	return &c
}

// Sample returns the ring slot of substep boundary k of world id; it shares
// the rows' memory and is overwritten Slots boundaries later.
func (r *Rows) Sample(id int, k int64) []float64 {
	return Span{(id*r.Slots + int(k%int64(r.Slots))) * r.SampleSize, r.SampleSize}.In(r.Samples)
}

// DerivedRow returns the derived values of world id; it shares the rows' memory.
func (r *Rows) DerivedRow(id int) []float64 {
	return Span{id * r.DerivedSize, r.DerivedSize}.In(r.Derived)
}

// ParameterRow returns the parameters of world id; it shares the rows' memory.
func (r *Rows) ParameterRow(id int) []float64 {
	return Span{id * r.ParameterSize, r.ParameterSize}.In(r.Parameters)
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
