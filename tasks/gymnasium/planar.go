package gymnasium

import (
	"fmt"
	"maps"
	"slices"

	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/box2d/scene"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// Gymnasium draws its Box2D tasks at scale pixels a metre and fps frames a second;
// observations and engines are scaled by both.
const (
	scale = 30.0
	fps   = 50

	viewWidth  = 600 / scale // m
	viewHeight = 400 / scale
)

// planar is what the Box2D tasks have in common: a body on two feet above a ground that
// each episode shapes, pushed for one physics step as the episode begins.
type planar struct {
	spec sim.Spec
	room scene.Ground

	// steps is the number of physics steps that pass in 1/50 s, which is what
	// Gymnasium's forces and impulses are made for.
	steps float64

	ground, body, touched physics.Span
	feet                  [2]physics.Span // whether they are on the ground
	push                  physics.Span    // place in the control, with which a row begins
}

// bind fills in t for a model with a body and feet of given names, and finds further fields. The
// caller adds what actions and observations are made of.
func (t *planar) bind(m physics.Model, name string, timestep float64, body, foot string,
	fields map[string]*physics.Span) error {
	t.steps = 1 / float64(timestep*fps)
	t.spec = sim.Spec{Name: name, Float32Observations: true, WarmupSteps: 1}
	maps.Copy(fields, map[string]*physics.Span{
		"ground": &t.ground, "body/" + body: &t.body, "touched/" + body: &t.touched,
		"contact/" + foot + "0": &t.feet[0], "contact/" + foot + "1": &t.feet[1], "actuator/push": &t.push,
	})
	for _, field := range slices.Sorted(maps.Keys(fields)) {
		span, err := m.Field(field)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		*fields[field] = span
	}
	return nil
}

// Spec implements [sim.Task].
func (t *planar) Spec() sim.Spec { return t.spec }

// planarView is what observations are made of: the engine's numbers, in metres, radians and seconds.
type planarView struct {
	x, y, vx, vy, angle, omega float64
	feet                       [2]bool // whether they are on the ground
}

// view reads what is observed from a world's row.
func (t *planar) view(w *sim.World) planarView {
	row := w.ReadState()
	b := row.In(t.body)
	return planarView{
		x: b.At(0), y: b.At(1), angle: b.At(2), vx: b.At(3), vy: b.At(4), omega: b.At(5),
		feet: [2]bool{row.In(t.feet[0]).At(0) != 0, row.In(t.feet[1]).At(0) != 0},
	}
}

// planarScene is a scene of a body, which gets a convex outline in pixels, and its push.
// timestep is the length of a physics step in seconds.
func planarScene(body scene.Body, category uint16, pixels [][2]float64, gravity, timestep float64) scene.Scene {
	for i := range pixels {
		pixels[i][0] /= scale
		pixels[i][1] /= scale
	}
	body.Fixtures = []scene.Fixture{{Vertices: pixels, Density: 5, Friction: 0.1, Category: category, Mask: 0x0001}}
	return scene.Scene{
		Gravity:            [2]float64{0, gravity},
		Timestep:           timestep,
		VelocityIterations: 6 * 30,
		PositionIterations: 2 * 30,
		Bodies:             []scene.Body{body},
		Actuators:          []scene.Actuator{{Name: "push", Kind: scene.Force, Target: body.Name}},
	}
}

// limb is a part of a leg, of half a width and half a height in metres.
func limb(name string, position [2]float64, angle, width, height float64, fill, outline scene.Color) scene.Body {
	return scene.Body{
		Name: name, Position: position, Angle: angle, Fill: fill, Outline: outline,
		Fixtures: []scene.Fixture{{
			Vertices: scene.Box(width, height), Density: 1, Friction: 0.2, Category: 0x0020, Mask: 0x0001,
		}},
	}
}
