package box2d

// #include "shim.h"
import "C"

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"unsafe"

	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/box2d/scene"
	"github.com/polyrhythm-rl/polyrhythm/physics/internal/engine"
)

// Limits of a scene, beside those of its numbers (shim.cpp).
const (
	maxShapes     = 10000 // shapes of ground and bodies together
	maxContacts   = 10000
	maxIterations = 10000
	maxVertices   = 8 // Box2D's own limit
)

// defaultContacts is the room for contacts of a scene that does not say.
const defaultContacts = 32

// Model is a compiled scene. It implements [physics.Model] and may be used by any number of goroutines, Close apart.
//
// Package scene lists the fields, the sources of probes and the names of constants. Derived values are
// the Motion probes, at the state after the last substep. A scene has no keyframes and no parameters. A
// motor's largest torque is at least 0; no other control is limited. In the initial state the bodies are at
// rest where the scene has them, over no ground.
type Model struct {
	base
	c        *C.pb_Scene
	contacts int // start of the contacts in a row, behind their number
	outputs  map[string]C.pb_Output
	sketch   sketch // what a renderer needs of the scene
}

type (
	base  = engine.Model
	owner = engine.Owner
)

// Version returns the version that the Box2D library in use reports; 2.4.1 reports "2.4.0".
func Version() string {
	var v [3]C.int32_t
	C.pb_version(&v[0])
	return fmt.Sprintf("%d.%d.%d", v[0], v[1], v[2])
}

// New compiles a scene, which is not kept. Close the model when done. An error names what Box2D could not take.
func New(s *scene.Scene) (*Model, error) {
	m, err := compile(s)
	if err != nil {
		return nil, fmt.Errorf("box2d: %w", err)
	}
	engine.Open(&m.base)
	return m, nil
}

// compile is New without the watch.
func compile(s *scene.Scene) (*Model, error) {
	c, err := newCompiler(s)
	if err != nil {
		return nil, err
	}
	m := &Model{base: base{Engine: "box2d", Handles: &handles}, outputs: map[string]C.pb_Output{}}
	c.settings.layout = m.layout(s, len(c.fixtures), int(c.settings.max_contacts))
	m.Initial = make([]float64, c.settings.layout.size)
	m.contacts = int(c.settings.layout.contacts)
	c.settings.control_size = C.int32_t(m.Fields["control"].Len)
	m.describeOutputs(s)
	m.describeInitialState(s)
	m.sketch = drawnOf(s)

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

func (m *Model) describeOutputs(s *scene.Scene) {
	m.Probes, m.Computed = map[string]physics.Vector{}, map[string]int{}
	add := func(source string, stage physics.Stage, kind C.int32_t, size, index, count int) {
		m.Probes[source] = physics.Vector{Source: source, Size: size, Stage: stage}
		if stage == physics.Motion {
			m.Computed[source] = size
		}
		m.outputs[source] = C.pb_Output{kind, C.int32_t(stage), C.int32_t(index), C.int32_t(count), 0}
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
	part := func(name string) []float64 { return m.Fields[name].In(m.Initial) }
	m.Ranges = slices.Repeat([][2]float64{{math.Inf(-1), math.Inf(1)}}, m.Fields["control"].Len)
	for _, a := range s.Actuators {
		if a.Kind == scene.Motor {
			m.Ranges[m.Fields["actuator/"+a.Name].Offset+1][0] = 0 // a row begins with the control
			j := s.Joints[slices.IndexFunc(s.Joints, func(j scene.Revolute) bool { return j.Name == a.Target })]
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
	m.Constants = map[string][]float64{}
	for i := 0; i < len(found); i += 4 {
		m.Constants["body_mass"] = append(m.Constants["body_mass"], found[i])
		m.Constants["body_inertia"] = append(m.Constants["body_inertia"], found[i+1])
		m.Constants["body_center"] = append(m.Constants["body_center"], found[i+2:i+4]...)
	}
}

// Close implements [physics.Model]. It fails while steppers or bare loops of the model
// are open, or rows it was used with; closing a second time does nothing.
func (m *Model) Close() error {
	return engine.Close(&m.base, func() { C.pb_deleteScene(m.c) })
}

var handles engine.Counter

// OpenHandles returns the number of models, steppers, bare loops and rows' live worlds
// of this process that are not closed, so that a test can hold it to zero.
func OpenHandles() int { return handles.Open() }

var _ physics.Bodied = (*Model)(nil)

// Bodies implements [physics.Bodied].
func (m *Model) Bodies() []physics.Body {
	bodies := make([]physics.Body, len(m.sketch.bodies))
	for i, b := range m.sketch.bodies {
		offset := m.Fields["body/"+b.Name].Offset
		bodies[i] = physics.Body{
			Name:     b.Name,
			Pose:     []string{"body/" + b.Name},
			Velocity: physics.Span{Offset: offset + 3, Len: 2},
		}
	}
	return bodies
}

// PoseSize implements [physics.Bodied].
func (m *Model) PoseSize() int { return 3 }
