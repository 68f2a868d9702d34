package gymnasium

// The controllers that Gymnasium ships with its Box2D tasks, in its single
// precision. A product is rounded before it is added: Go might fuse the two.

// landerHeuristic is lunar_lander.heuristic. It flies towards the pad at an angle
// and a height that depend on how far it is.
func landerHeuristic(action, s []float32, continuous bool) {
	target := min(max(float32(s[0]*0.5)+s[2], -0.4), 0.4)
	hover := float32(0.55 * abs(s[0]))
	angleTodo := float32((target-s[4])*0.5) - s[5]
	hoverTodo := float32((hover-s[1])*0.5) - float32(s[3]*0.5)
	if s[6] != 0 || s[7] != 0 {
		angleTodo = 0
		hoverTodo = -s[3] * 0.5
	}
	if continuous {
		action[0] = min(max(float32(hoverTodo*20)-1, -1), 1)
		action[1] = min(max(-angleTodo*20, -1), 1)
		return
	}
	switch {
	case hoverTodo > abs(angleTodo) && hoverTodo > 0.05:
		action[0] = 2
	case angleTodo < -0.05:
		action[0] = 3
	case angleTodo > 0.05:
		action[0] = 1
	default:
		action[0] = 0
	}
}

func abs(v float32) float32 { return max(v, -v) }

// walkerHeuristic is BipedalWalkerHeuristics: a gait of three phases.
type walkerHeuristic struct {
	phase  int // 0: stand on one leg, 1: put the other down, 2: push off
	moving int // which leg
	knee   float32
}

func newWalkerHeuristic() *walkerHeuristic { return &walkerHeuristic{knee: 0.1} }

func (h *walkerHeuristic) act(action, s []float32) {
	const speed = 0.29
	moving, supporting := h.moving, 1-h.moving
	at := func(leg int) []float32 { return s[4+5*leg:] } // hip, its speed, knee, its speed, contact
	var hip, knee [2]float32                             // targets; 0: none

	if h.phase == 0 {
		hip[moving], knee[moving] = 1.1, -0.6
		h.knee += 0.03
		if s[2] > speed {
			h.knee += 0.03
		}
		h.knee = min(h.knee, 0.1)
		knee[supporting] = h.knee
		if at(supporting)[0] < 0.10 {
			h.phase = 1
		}
	}
	if h.phase == 1 {
		hip[moving], knee[moving], knee[supporting] = 0.1, 0.1, h.knee
		if at(moving)[4] != 0 {
			h.phase = 2
			h.knee = min(at(moving)[2], 0.1)
		}
	}
	if h.phase == 2 {
		knee[moving], knee[supporting] = h.knee, 1
		if at(supporting)[2] > 0.88 || s[2] > 1.2*speed {
			h.phase = 0
			h.moving = supporting
		}
	}

	level := float32(0.9*(0-s[0])) - float32(1.5*s[1])
	damping := float32(15 * s[3])
	for leg := range 2 {
		j := at(leg)
		var hipTodo, kneeTodo float32
		if hip[leg] != 0 {
			hipTodo = float32(0.9*(hip[leg]-j[0])) - float32(0.25*j[1])
		}
		if knee[leg] != 0 {
			kneeTodo = float32(4*(knee[leg]-j[2])) - float32(0.25*j[3])
		}
		action[2*leg] = min(max(0.5*(hipTodo-level), -1), 1)
		action[2*leg+1] = min(max(0.5*(kneeTodo-damping), -1), 1)
	}
}
