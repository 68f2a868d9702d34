package box2d

import "github.com/polyrhythm-rl/polyrhythm/physics"

var _ physics.Bodied = (*Model)(nil)

// Bodies implements [physics.Bodied].
func (m *Model) Bodies() []physics.Body {
	bodies := make([]physics.Body, len(m.drawn.bodies))
	for i, b := range m.drawn.bodies {
		at := m.fields["body/"+b.Name].Offset
		bodies[i] = physics.Body{
			Name:     b.Name,
			Pose:     []string{"body/" + b.Name},
			Velocity: physics.Span{Offset: at + 3, Len: 2},
		}
	}
	return bodies
}

// PoseSize implements [physics.Bodied].
func (m *Model) PoseSize() int { return 3 }
