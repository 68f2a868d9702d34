package box2d

// #include "shim.h"
import "C"

import (
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/box2d/scene"
)

// layout lays out the state row of a scene and names its parts. What is compared at
// every step, and used from the start, comes in few pieces: see World::Same.
func (m *Model) layout(s *scene.Scene, fixtures, contacts int) C.pb_Layout {
	var at C.pb_Layout
	size := 0
	part := func(name string, count int) C.int32_t {
		if name != "" {
			m.fields[name] = physics.Span{Offset: size, Len: count}
		}
		size += count
		return C.int32_t(size - count)
	}

	control := 0
	for _, a := range s.Actuators {
		m.fields["actuator/"+a.Name] = physics.Span{Offset: control, Len: a.Kind.Size()}
		control += a.Kind.Size()
	}
	at.control = part("control", control)
	at.gravity = part("gravity", 2)
	at.bodies = C.int32_t(size)
	for _, b := range s.Bodies {
		part("body/"+b.Name, C.PB_BODY)
	}
	at.awake = C.int32_t(size)
	for _, b := range s.Bodies {
		part("awake/"+b.Name, 1)
	}
	at.contact = C.int32_t(size)
	for _, b := range s.Bodies {
		part("contact/"+b.Name, 1)
	}
	at.touched = C.int32_t(size)
	for _, b := range s.Bodies {
		part("touched/"+b.Name, 1)
	}
	at.ground = part("ground", s.Ground.Size())

	engine := size
	at.built = part("", 1)
	at.ground_hash = part("", 1)
	at.poses = part("", len(s.Bodies)*C.PB_POSE)
	at.joints = part("", len(s.Joints)*C.PB_JOINT)
	at.boxes = part("", fixtures*C.PB_BOX)
	at.contact_count = part("", 1)
	at.contacts = part("", contacts*C.PB_CONTACT)
	at.root = part("", 1)
	at.children = part("", s.Ground.MaxShapes+fixtures-1)
	m.fields["engine"] = physics.Span{Offset: engine, Len: size - engine}
	at.size = C.int32_t(size)
	return at
}
