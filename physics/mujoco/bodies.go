package mujoco

import "github.com/polyrhythm-rl/polyrhythm/physics"

var _ physics.Bodied = (*Model)(nil)

// Bodies implements [physics.Bodied]: all bodies that can move relative to the world,
// mocap bodies among them.
func (m *Model) Bodies() []physics.Body {
	d := m.Describe()
	var bodies []physics.Body
	for _, b := range d.Bodies {
		if b.Static && !b.Mocap {
			continue
		}
		body := physics.Body{
			Name:   b.Ref,
			Pose:   []string{"body/" + b.Ref + "/position", "body/" + b.Ref + "/quaternion"},
			Wrench: m.fields["xfrc_applied/"+b.Ref],
		}
		for _, j := range b.Joints {
			if joint := &d.Joints[j]; joint.Type == "free" {
				body.Velocity = m.fields["joint/"+joint.Ref+"/velocity"]
				body.Velocity.Len = 3
			}
		}
		bodies = append(bodies, body)
	}
	return bodies
}

// PoseSize implements [physics.Bodied].
func (m *Model) PoseSize() int { return 7 }
