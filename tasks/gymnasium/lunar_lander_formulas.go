package gymnasium

import "math"

// The lander's legs and engines, and the pad.
const (
	landerLegDown   = 18 / scale // depth of a leg's centre below the hip, m
	landerLegAway   = 20 / scale // beside it
	mainEnginePower = 13.0
	sideEnginePower = 0.6
	mainEngineDown  = 4 / scale // below the lander's origin, m
	sideEngineAway  = 12        // beside it, pixels
	sideEngineUp    = 14        // above it, pixels; Gymnasium has 17 along x
	sideEngineUpX   = 17

	padHeight = viewHeight / 4
)

// landerRest is the height of a lander that stands on the pad, m: a sum of two rounded numbers, as Gymnasium has it.
var landerRest = float64(padHeight) + float64(landerLegDown)

// landerView is what the lander's observation is made of.
type landerView planarView

// landerObservation is Gymnasium's state vector, in double precision.
type landerObservation [8]float64

func (v *landerView) observe() landerObservation {
	return landerObservation{
		(v.x - viewWidth/2) / (viewWidth / 2),
		(v.y - landerRest) / (viewHeight / 2),
		float64(v.vx*(viewWidth/2)) / fps,
		float64(v.vy*(viewHeight/2)) / fps,
		v.angle,
		float64(20*v.omega) / fps,
		number(v.feet[0]),
		number(v.feet[1]),
	}
}

// shaping is the potential whose difference is rewarded: nearer, slower, more upright and on its legs is better.
func (o *landerObservation) shaping() float64 {
	hypot := func(a, b float64) float64 { return math.Sqrt(float64(a*a) + float64(b*b)) }
	s := -float64(100 * hypot(o[0], o[1]))
	s -= float64(100 * hypot(o[2], o[3]))
	s -= float64(100 * math.Abs(o[4]))
	s += float64(10 * o[6])
	return s + float64(10*o[7])
}

// reward returns the reward of the step that ended here, and whether it was the last:
// by a crash, by leaving the viewport, or by coming to rest.
func (o *landerObservation) reward(shapingBefore float64, t throttle, crashed, awake bool) (reward float64,
	terminated bool) {
	if !awake {
		return +100, true
	}
	if crashed || math.Abs(o[0]) >= 1 {
		return -100, true
	}
	reward = o.shaping() - shapingBefore
	reward -= float64(t.main * 0.30)
	return reward - float64(t.side*0.03), false
}

// throttle is how far the two engines are open, 0 or 0.5 to 1, and which of the
// side engines: -1 the left one, +1 the right one.
type throttle struct{ main, side, direction float64 }

// newThrottle reads a continuous action: the main engine runs above 0, the side
// engines beyond ±0.5, each from half power up.
func newThrottle(action []float32) (t throttle) {
	main, side := clip(float64(action[0])), clip(float64(action[1]))
	if main > 0 {
		t.main = (main + 1) * 0.5
	}
	if math.Abs(side) > 0.5 {
		t.side, t.direction = math.Abs(side), math.Copysign(1, side)
	}
	return t
}

// discreteThrottle reads a discrete action: nothing, left, main, right engine.
func discreteThrottle(choice int) (t throttle) {
	switch choice {
	case 1, 3:
		t.side, t.direction = 1, float64(choice-2)
	case 2:
		t.main = 1
	}
	return t
}

// impulse is a linear impulse, N·s, at a point of the world, m.
type impulse struct{ x, y, atX, atY float64 }

// mainEngine is what the main engine does to a lander. dispersion, m, shakes the nozzle.
func (v *landerView) mainEngine(power float64, dispersion [2]float64) impulse {
	sin, cos := math.Sincos(v.angle)
	along := float64(mainEngineDown) + float64(2*dispersion[0])
	ox := float64(sin*along) - float64(cos*dispersion[1])
	oy := -float64(cos*along) - float64(sin*dispersion[1])
	return impulse{
		x: -float64(ox*mainEnginePower) * power, y: -float64(oy*mainEnginePower) * power,
		atX: v.x + ox, atY: v.y + oy,
	}
}

// sideEngine is what a side engine does. As in Gymnasium, the point it acts on moves
// with the angle in a way that no real engine's would.
func (v *landerView) sideEngine(power, direction float64, dispersion [2]float64) impulse {
	sin, cos := math.Sincos(v.angle)
	across := float64(3*dispersion[1]) + float64(direction*sideEngineAway)/scale
	ox := float64(sin*dispersion[0]) - float64(cos*across)
	oy := -float64(cos*dispersion[0]) - float64(sin*across)
	return impulse{
		x: -float64(ox*sideEnginePower) * power, y: -float64(oy*sideEnginePower) * power,
		atX: v.x + ox - float64(sin*sideEngineUpX)/scale,
		atY: v.y + oy + float64(cos*sideEngineUp)/scale,
	}
}

// gust is the wind at an index of its pattern, as a share of its power: between
// -1 and 1, and never periodic.
func gust(index float64) float64 {
	return math.Tanh(math.Sin(float64(0.02*index)) + math.Sin(float64(float64(math.Pi)*float64(0.01)*index)))
}

// moon is the surface of the lander's moon: its height at x = 0, 2, … 20 m.
type moon [11]float64

// newMoon smooths a row of heights, m, with a flat landing pad in the middle.
func newMoon(heights [12]float64) (m moon) {
	for i := 3; i <= 7; i++ {
		heights[i] = padHeight
	}
	for i := range m {
		before := heights[(i+len(heights)-1)%len(heights)]
		m[i] = 0.33 * (before + heights[i] + heights[i+1])
	}
	return m
}

// chunk is the distance between two points of the surface, m.
const chunk = viewWidth / 10
