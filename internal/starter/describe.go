package starter

import (
	"gonum.org/v1/gonum/spatial/r3"

	"github.com/polyrhythm-rl/polyrhythm/physics/mujoco"
)

var (
	kinds = map[string]kind{"free": free, "ball": ball, "slide": slide, "hinge": hinge}
	forms = map[string]form{
		"plane": plane, "hfield": plane, "sphere": sphere, "capsule": capsule,
		"ellipsoid": ellipsoid, "cylinder": cylinder, "box": box,
	}
)

// treeOf returns the kinematic tree of a model and its own pose.
func treeOf(d *mujoco.Description) (t *tree, home []float64) {
	t = &tree{gravity: r3.Norm(vector(d.Gravity))}
	home = make([]float64, d.PositionSize)
	for _, b := range d.Bodies {
		t.bodies = append(t.bodies, body{
			name: b.Ref, parent: b.Parent, place: frameOf(b.Position, b.Quaternion),
			centre: vector(b.Centre), mass: b.Mass, joints: b.Joints, shapes: b.Geoms,
		})
	}
	for _, j := range d.Joints {
		t.joints = append(t.joints, joint{
			name: j.Ref, kind: kinds[j.Type], body: j.Body,
			axis: vector(j.Axis), anchor: vector(j.Anchor), address: j.PositionAt, home: j.Home[0],
			low: j.Range[0], high: j.Range[1], inertia: j.Inertia, actuated: len(j.Actuators) > 0,
		})
		copy(home[j.PositionAt:], j.Home)
	}
	for i := range d.Geoms {
		g := &d.Geoms[i]
		s := shape{
			name: g.Ref, body: g.Body, form: forms[g.Type], size: vector(g.Size),
			place: frameOf(g.Position, g.Quaternion), collides: g.Collides(),
		}
		if s.form == other {
			s.size, s.boxAt = vector(g.BoxSize), vector(g.BoxCentre)
		}
		t.shapes = append(t.shapes, s)
	}
	return t, home
}

func vector(v [3]float64) r3.Vec { return r3.Vec{X: v[0], Y: v[1], Z: v[2]} }

func frameOf(at [3]float64, turn [4]float64) frame { return frame{vector(at), unit(turn[:])} }
