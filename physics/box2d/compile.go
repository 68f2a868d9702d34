package box2d

// #include "shim.h"
import "C"

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/box2d/scene"
)

// Kinds cross the boundary as they are.
var (
	_ [0]struct{} = [scene.Force - C.PB_FORCE]struct{}{}
	_ [0]struct{} = [scene.Torque - C.PB_TORQUE]struct{}{}
	_ [0]struct{} = [scene.Impulse - C.PB_IMPULSE]struct{}{}
	_ [0]struct{} = [scene.Motor - C.PB_MOTOR]struct{}{}
)

// compiler turns a scene into what C takes: names become indices. It checks names and
// counts; the numbers are checked in C, as float32s.
type compiler struct {
	settings  C.pb_Settings
	bodies    []C.pb_Body
	fixtures  []C.pb_Fixture
	joints    []C.pb_Joint
	actuators []C.pb_Actuator
	rays      []C.pb_Ray

	bodyNames, jointNames []string
}

func newCompiler(s *scene.Scene) (*compiler, error) {
	c := &compiler{}
	for _, part := range []func(*scene.Scene) error{
		c.addSettings, c.addBodies, c.addJoints, c.addActuators, c.addRays,
	} {
		if err := part(s); err != nil {
			return nil, err
		}
	}
	if n := s.Ground.MaxShapes + len(c.fixtures); n > maxShapes {
		return nil, fmt.Errorf("%d shapes of ground and bodies, want at most %d", n, maxShapes)
	}
	return c, nil
}

func (c *compiler) addSettings(s *scene.Scene) error {
	for _, n := range []struct {
		name        string
		got, lo, hi int
	}{
		{"velocity iterations", s.VelocityIterations, 1, maxIterations},
		{"position iterations", s.PositionIterations, 1, maxIterations},
		{"ground shapes", s.Ground.MaxShapes, 0, maxShapes},
		{"contacts", s.MaxContacts, 0, maxContacts},
	} {
		if n.got < n.lo || n.got > n.hi {
			return fmt.Errorf("%d %s, want %d to %d", n.got, n.name, n.lo, n.hi)
		}
	}
	if n := s.Ground.MaxVertices; n != 0 && (n < 2 || n > maxVertices) {
		return fmt.Errorf("ground shapes of up to %d vertices, want 2 to %d", n, maxVertices)
	}
	c.settings = C.pb_Settings{
		gravity:             doubles2(s.Gravity),
		timestep:            C.double(s.Timestep),
		velocity_iterations: C.int32_t(s.VelocityIterations),
		position_iterations: C.int32_t(s.PositionIterations),
		max_shapes:          C.int32_t(s.Ground.MaxShapes),
		max_vertices:        C.int32_t((s.Ground.Stride() - 2) / 2),
		max_contacts:        C.int32_t(cmp.Or(s.MaxContacts, defaultContacts)),
		sleepless:           flag(s.Sleepless),
	}
	return nil
}

func (c *compiler) addBodies(s *scene.Scene) error {
	if len(s.Bodies) == 0 {
		return fmt.Errorf("a scene of no bodies, want at least 1")
	}
	for _, b := range s.Bodies {
		if err := addName(&c.bodyNames, "body", b.Name); err != nil {
			return err
		}
		if len(b.Fixtures) == 0 {
			return fmt.Errorf("body %s has no fixture, want at least 1", b.Name)
		}
		for i, f := range b.Fixtures {
			if n := len(f.Vertices); n != 0 && (n < 3 || n > maxVertices) {
				return fmt.Errorf("body %s, fixture %d: %d vertices, want 3 to %d, or none and a radius", b.Name,
					i, n, maxVertices)
			}
			c.fixtures = append(c.fixtures, fixtureOf(f))
		}
		c.bodies = append(c.bodies, C.pb_Body{
			name:            nameOf(b.Name),
			x:               C.double(b.Position[0]),
			y:               C.double(b.Position[1]),
			angle:           C.double(b.Angle),
			linear_damping:  C.double(b.LinearDamping),
			angular_damping: C.double(b.AngularDamping),
			fixed_rotation:  flag(b.FixedRotation),
			bullet:          flag(b.Bullet),
			fixtures:        C.int32_t(len(b.Fixtures)),
		})
	}
	return nil
}

func fixtureOf(f scene.Fixture) C.pb_Fixture {
	fixture := C.pb_Fixture{
		vertices:    C.int32_t(len(f.Vertices)),
		radius:      C.double(f.Radius),
		density:     C.double(f.Density),
		friction:    C.double(f.Friction),
		restitution: C.double(f.Restitution),
		category:    C.uint16_t(cmp.Or(f.Category, 0x0001)),
		mask:        C.uint16_t(cmp.Or(f.Mask, 0xFFFF)),
	}
	points := f.Vertices
	if len(points) == 0 {
		points = [][2]float64{f.Center}
	}
	for i, p := range points {
		fixture.points[2*i], fixture.points[2*i+1] = C.double(p[0]), C.double(p[1])
	}
	return fixture
}

func (c *compiler) addJoints(s *scene.Scene) error {
	for _, j := range s.Joints {
		if err := addName(&c.jointNames, "joint", j.Name); err != nil {
			return err
		}
		a, b := -1, slices.Index(c.bodyNames, j.BodyB)
		if j.BodyA != "" {
			a = slices.Index(c.bodyNames, j.BodyA)
		}
		if (j.BodyA != "" && a < 0) || b < 0 || a == b {
			return fmt.Errorf("joint %s is between %q and %q, want two of the bodies %q", j.Name, j.BodyA,
				j.BodyB, c.bodyNames)
		}
		c.joints = append(c.joints, C.pb_Joint{
			name:      nameOf(j.Name),
			body_a:    C.int32_t(a),
			body_b:    C.int32_t(b),
			anchor_a:  doubles2(j.AnchorA),
			anchor_b:  doubles2(j.AnchorB),
			reference: C.double(j.ReferenceAngle),
			limited:   flag(j.Limited),
			lower:     C.double(j.Lower),
			upper:     C.double(j.Upper),
			motor:     flag(j.Motor),
			speed:     C.double(j.MotorSpeed),
			torque:    C.double(j.MaxMotorTorque),
			collide:   flag(j.Collide),
		})
	}
	return nil
}

func (c *compiler) addActuators(s *scene.Scene) error {
	var names []string
	offset := 0
	for _, a := range s.Actuators {
		if err := addName(&names, "actuator", a.Name); err != nil {
			return err
		}
		if a.Kind > scene.Motor {
			return fmt.Errorf("actuator %s is of kind %d, want 0 to %d", a.Name, a.Kind, scene.Motor)
		}
		kind, known := "body", c.bodyNames
		if a.Kind == scene.Motor {
			kind, known = "joint", c.jointNames
		}
		target := slices.Index(known, a.Target)
		if target < 0 {
			return fmt.Errorf("actuator %s: %w", a.Name, physics.UnknownError(kind, a.Target, known))
		}
		if a.Kind == scene.Motor && !s.Joints[target].Motor {
			return fmt.Errorf("actuator %s: joint %s has no motor", a.Name, a.Target)
		}
		c.actuators = append(c.actuators, C.pb_Actuator{kind: C.int32_t(a.Kind), on: C.int32_t(target),
			at: C.int32_t(offset)})
		offset += a.Kind.Size()
	}
	return nil
}

func (c *compiler) addRays(s *scene.Scene) error {
	var names []string
	for _, r := range s.Rays {
		if err := addName(&names, "ray", r.Name); err != nil {
			return err
		}
		body := slices.Index(c.bodyNames, r.Body)
		if body < 0 {
			return fmt.Errorf("ray %s: %w", r.Name, physics.UnknownError("body", r.Body, c.bodyNames))
		}
		c.rays = append(c.rays, C.pb_Ray{
			body:     C.int32_t(body),
			vector:   doubles2(r.Vector),
			turns:    flag(r.Turns),
			category: C.uint16_t(cmp.Or(r.Category, 0xFFFF)),
		})
	}
	return nil
}

// addName appends a name that can stand in "kind/NAME" to names.
func addName(names *[]string, kind, name string) error {
	if name == "" || len(name) >= C.PB_NAME {
		return fmt.Errorf("%s %d has the name %q, want one of 1 to %d bytes", kind, len(*names), name, C.PB_NAME-1)
	}
	for _, r := range name {
		if r == '/' || r <= ' ' {
			return fmt.Errorf("the name of %s %q has a slash or a space", kind, name)
		}
	}
	if slices.Contains(*names, name) {
		return fmt.Errorf("two of the name %q: each %s needs its own", name, kind)
	}
	*names = append(*names, name)
	return nil
}

func nameOf(name string) (chars [C.PB_NAME]C.char) {
	for i := range len(name) {
		chars[i] = C.char(name[i])
	}
	return chars
}

func doubles2(v [2]float64) [2]C.double { return [2]C.double{C.double(v[0]), C.double(v[1])} }

func flag(b bool) C.int32_t {
	if b {
		return 1
	}
	return 0
}

// layout lays out the state row of a scene and names its parts. What is compared at
// every step, and used from the start, comes in few pieces: see World::Same.
func (m *Model) layout(s *scene.Scene, fixtures, contacts int) C.pb_Layout {
	var layout C.pb_Layout
	m.Fields = map[string]physics.Span{}
	size := 0
	part := func(name string, count int) C.int32_t {
		if name != "" {
			m.Fields[name] = physics.Span{Offset: size, Len: count}
		}
		size += count
		return C.int32_t(size - count)
	}
	perBody := func(kind string, count int) C.int32_t {
		first := size
		for _, b := range s.Bodies {
			part(kind+b.Name, count)
		}
		return C.int32_t(first)
	}

	control := 0
	for _, a := range s.Actuators {
		m.Fields["actuator/"+a.Name] = physics.Span{Offset: control, Len: a.Kind.Size()}
		control += a.Kind.Size()
	}
	layout.control = part("control", control)
	layout.gravity = part("gravity", 2)
	layout.bodies = perBody("body/", C.PB_BODY)
	layout.awake = perBody("awake/", 1)
	layout.contact = perBody("contact/", 1)
	layout.touched = perBody("touched/", 1)
	layout.ground = part("ground", s.Ground.Size())

	engine := size
	layout.built = part("", 1)
	layout.ground_hash = part("", 1)
	layout.poses = part("", len(s.Bodies)*C.PB_POSE)
	layout.joints = part("", len(s.Joints)*C.PB_JOINT)
	layout.boxes = part("", fixtures*C.PB_BOX)
	layout.contact_count = part("", 1)
	layout.contacts = part("", contacts*C.PB_CONTACT)
	layout.root = part("", 1)
	layout.children = part("", s.Ground.MaxShapes+fixtures-1)
	m.Fields["engine"] = physics.Span{Offset: engine, Len: size - engine}
	layout.size = C.int32_t(size)
	m.Components = slices.Sorted(maps.Keys(m.Fields))
	return layout
}
