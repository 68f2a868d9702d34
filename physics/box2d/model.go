package box2d

// #include "shim.h"
import "C"

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"unsafe"

	"github.com/polyrhythm-rl/polyrhythm/internal/handle"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/box2d/scene"
)

// Limits of a scene, beside those of its numbers (shim.cpp).
const (
	maxShapes     = 10000 // of ground and bodies together
	maxContacts   = 10000
	maxIterations = 10000
	maxVertices   = 8 // Box2D's own
)

// defaultContacts is the room for contacts of a scene that does not say.
const defaultContacts = 32

// Model is a compiled scene. It implements [physics.Model] and may be used by any
// number of goroutines, Close apart.
type Model struct {
	c *C.pb_Scene

	stateSize   int
	controlSize int
	contacts    int // where a row's contacts begin, behind their number
	fields      map[string]physics.Span
	outputs     map[string]output
	initial     []float64
	ranges      [][2]float64 // of each control
	constants   map[string][]float64
	drawn       drawn // what a renderer needs of the scene

	lent handle.Lender // to open steppers, bare loops and live worlds of rows
}

// output is a probe and what it reads.
type output struct {
	physics.Probe
	at C.pb_Output
}

// Version returns the version that the Box2D library in use reports; 2.4.1 reports
// "2.4.0".
func Version() string {
	var v [3]C.int32_t
	C.pb_version(&v[0])
	return fmt.Sprintf("%d.%d.%d", v[0], v[1], v[2])
}

// New compiles a scene, which is not kept. Close the model when done. An error names
// what Box2D could not take.
func New(s *scene.Scene) (*Model, error) {
	m, err := compile(s)
	if err != nil {
		return nil, fmt.Errorf("box2d: %w", err)
	}
	m.lent.Lend(handle.Watch(&handles, m, "model"))
	return m, nil
}

// compile is New without the watch.
func compile(s *scene.Scene) (*Model, error) {
	c, err := newCompiler(s)
	if err != nil {
		return nil, err
	}
	m := &Model{fields: map[string]physics.Span{}, outputs: map[string]output{}}
	c.settings.layout = m.layout(s, len(c.fixtures), int(c.settings.max_contacts))
	m.stateSize = int(c.settings.layout.size)
	m.contacts = int(c.settings.layout.contacts)
	m.controlSize = m.fields["control"].Len
	c.settings.control_size = C.int32_t(m.controlSize)
	m.describeControl(s)
	m.describeOutputs(s)
	m.describeInitialState(s)
	m.drawn = drawnOf(s)

	constants := make([]float64, 4*len(s.Bodies))
	var message [C.PB_MESSAGE]C.char
	m.c = C.pb_makeScene(&c.settings,
		unsafe.SliceData(c.bodies), C.int(len(c.bodies)),
		unsafe.SliceData(c.fixtures), C.int(len(c.fixtures)),
		unsafe.SliceData(c.joints), C.int(len(c.joints)),
		unsafe.SliceData(c.actuators), C.int(len(c.actuators)),
		unsafe.SliceData(c.rays), C.int(len(c.rays)),
		(*C.double)(unsafe.SliceData(constants)), &message[0])
	if m.c == nil {
		return nil, errors.New(C.GoString(&message[0]))
	}
	m.describeConstants(constants)
	return m, nil
}

// describeControl finds the ranges of the control.
func (m *Model) describeControl(s *scene.Scene) {
	for _, a := range s.Actuators {
		for i := range a.Kind.Size() {
			lo := math.Inf(-1)
			if a.Kind == scene.Motor && i == 1 {
				lo = 0
			}
			m.ranges = append(m.ranges, [2]float64{lo, math.Inf(1)})
		}
	}
}

// describeOutputs names what can be probed.
func (m *Model) describeOutputs(s *scene.Scene) {
	add := func(source string, stage physics.Stage, kind C.int32_t, size, index, count int) {
		m.outputs[source] = output{
			Probe: physics.Probe{Source: source, Size: size, Stage: stage},
			at:    C.pb_Output{kind: kind, index: C.int32_t(index), count: C.int32_t(count)},
		}
	}
	add("pose", physics.Motion, C.PB_OUT_POSE, 3*len(s.Bodies), 0, len(s.Bodies))
	for i, b := range s.Bodies {
		add("body/"+b.Name, physics.Motion, C.PB_OUT_BODY, C.PB_BODY, i, 1)
		add("awake/"+b.Name, physics.Motion, C.PB_OUT_AWAKE, 1, i, 1)
		add("contact/"+b.Name, physics.Motion, C.PB_OUT_CONTACT, 1, i, 1)
		add("touched/"+b.Name, physics.Motion, C.PB_OUT_TOUCHED, 1, i, 1)
		add("force/"+b.Name, physics.Force, C.PB_OUT_FORCE, 1, i, 1)
	}
	for i, j := range s.Joints {
		add("joint/"+j.Name, physics.Motion, C.PB_OUT_JOINT, 2, i, 1)
		add("joint/"+j.Name+"/torque", physics.Force, C.PB_OUT_JOINT_TORQUE, 1, i, 1)
	}
	for i, r := range s.Rays {
		add("ray/"+r.Name, physics.Motion, C.PB_OUT_RAYS, 1, i, 1)
	}
	if n := len(s.Rays); n > 0 {
		add("rays", physics.Motion, C.PB_OUT_RAYS, n, 0, n)
	}
}

// describeInitialState writes the row of a world that has not been stepped.
func (m *Model) describeInitialState(s *scene.Scene) {
	m.initial = make([]float64, m.stateSize)
	part := func(name string) []float64 { return m.fields[name].In(m.initial) }
	for _, a := range s.Actuators {
		if a.Kind == scene.Motor {
			j := s.Joints[slices.IndexFunc(s.Joints, func(j scene.Revolute) bool { return j.Name == a.On })]
			copy(part("actuator/"+a.Name), []float64{j.MotorSpeed, j.MaxMotorTorque})
		}
	}
	copy(part("gravity"), s.Gravity[:])
	for _, b := range s.Bodies {
		copy(part("body/"+b.Name), []float64{b.Position[0], b.Position[1], b.Angle})
		part("awake/" + b.Name)[0] = 1
	}
}

// describeConstants sorts what the compiler found: mass, inertia and centre of each body.
func (m *Model) describeConstants(found []float64) {
	m.constants = map[string][]float64{}
	for i := 0; i < len(found); i += 4 {
		m.constants["body_mass"] = append(m.constants["body_mass"], found[i])
		m.constants["body_inertia"] = append(m.constants["body_inertia"], found[i+1])
		m.constants["body_center"] = append(m.constants["body_center"], found[i+2:i+4]...)
	}
}

// StateSize implements [physics.Model].
func (m *Model) StateSize() int { return m.stateSize }

// ControlSize implements [physics.Model].
func (m *Model) ControlSize() int { return m.controlSize }

// ControlRange implements [physics.Model]: a motor's largest torque is at least 0;
// nothing else is limited.
func (m *Model) ControlRange(i int) (lo, hi float64) { return m.ranges[i][0], m.ranges[i][1] }

// Field implements [physics.Model]. Package scene lists the fields.
func (m *Model) Field(name string) (physics.Span, error) {
	span, ok := m.fields[name]
	if !ok {
		names := slices.Sorted(maps.Keys(m.fields))
		return physics.Span{}, fmt.Errorf("box2d: %w (the state has %s)", physics.UnknownError("field", name, names), strings.Join(names, ", "))
	}
	return span, nil
}

// InitialState implements [physics.Model]: the bodies at rest where the scene has
// them, over no ground.
func (m *Model) InitialState(dst []float64) {
	if len(dst) != m.stateSize {
		panic(fmt.Sprintf("box2d: state row of %d values, want %d", len(dst), m.stateSize))
	}
	copy(dst, m.initial)
}

// Keyframe implements [physics.Model]: a scene has none.
func (m *Model) Keyframe(name string, _ []float64) error {
	return fmt.Errorf("box2d: %w", physics.UnknownError("keyframe", name, nil))
}

// Probe implements [physics.Model]. Package scene lists the sources.
func (m *Model) Probe(source string) (physics.Probe, error) {
	o, ok := m.outputs[source]
	if !ok {
		return physics.Probe{}, fmt.Errorf("box2d: %w", physics.UnknownError("probe", source, slices.Sorted(maps.Keys(m.outputs))))
	}
	return o.Probe, nil
}

// Derived implements [physics.Model]: the Motion probes, at the state after the last
// substep.
func (m *Model) Derived(source string) (physics.Derived, error) {
	o, ok := m.outputs[source]
	if !ok || o.Stage != physics.Motion {
		var known []string
		for _, name := range slices.Sorted(maps.Keys(m.outputs)) {
			if m.outputs[name].Stage == physics.Motion {
				known = append(known, name)
			}
		}
		return physics.Derived{}, fmt.Errorf("box2d: %w", physics.UnknownError("derived value", source, known))
	}
	return physics.Derived{Source: source, Size: o.Size}, nil
}

// Constant implements [physics.Model]. Package scene lists the names.
func (m *Model) Constant(name string) ([]float64, error) {
	values, ok := m.constants[name]
	if !ok {
		return nil, fmt.Errorf("box2d: %w", physics.UnknownError("constant", name, slices.Sorted(maps.Keys(m.constants))))
	}
	return slices.Clone(values), nil
}

// Parameter implements [physics.Model]: a scene has none.
func (m *Model) Parameter(source string) (physics.Parameter, error) {
	return physics.Parameter{}, fmt.Errorf("box2d: %w", physics.UnknownError("parameter", source, nil))
}

// Nominal implements [physics.Model]: a scene has no parameters.
func (m *Model) Nominal(source string) ([]float64, error) {
	_, err := m.Parameter(source)
	return nil, err
}

// Close implements [physics.Model]. It fails while steppers or bare loops of the model
// are open, or rows it was used with; closing a second time does nothing.
func (m *Model) Close() error {
	if n := m.lent.Close(func() {
		C.pb_deleteScene(m.c)
		m.c = nil
	}); n > 0 {
		return fmt.Errorf("box2d: model closed with %d steppers, bare loops or rows open", n)
	}
	return nil
}
