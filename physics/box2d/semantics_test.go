package box2d

import (
	"math"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/box2d/scene"
)

// bench is a box of 2 kg above a floor of two edges that meet at x = 0, whose top is y = 0.
func bench() *scene.Scene {
	return &scene.Scene{
		Gravity: [2]float64{0, -10}, Timestep: 0.01, VelocityIterations: 20, PositionIterations: 10,
		Ground: scene.Ground{MaxShapes: 2},
		Bodies: []scene.Body{{Name: "box", Position: [2]float64{0, 3}, Fixtures: []scene.Fixture{
			{Vertices: scene.Box(0.5, 0.25), Density: 4, Friction: 0.5},
		}}},
		Actuators: []scene.Actuator{
			{Name: "push", Kind: scene.Force, Target: "box"},
			{Name: "twist", Kind: scene.Torque, Target: "box"},
			{Name: "kick", Kind: scene.Impulse, Target: "box"},
		},
		Rays: []scene.Ray{
			{Name: "down", Body: "box", Vector: [2]float64{0, -4}},
			{Name: "under", Body: "box", Vector: [2]float64{0, -4}, Turns: true},
			{Name: "blind", Body: "box", Vector: [2]float64{0, -4}, Category: 2},
			{Name: "short", Body: "box", Vector: [2]float64{0, -2}},
		},
	}
}

// floored compiles bench and puts its floor into one row.
func floored(t *testing.T, sources ...string) (m *Model, stepper physics.Stepper, rows *physics.Rows,
	read func(string) []float64) {
	s := bench()
	m = polytest.Must(New(s))(t)
	t.Cleanup(func() { polytest.NoError(t, m.Close()) })
	out := outputs(t, m, sources...)
	stepper, rows = newStepper(t, m, 1, out), newRows(t, m, 1, out)
	ground := part(t, m, rows.Row(0), "ground")
	s.Ground.Add(ground, 0.5, [2]float64{-10, 0}, [2]float64{0, 0})
	s.Ground.Add(ground, 0.5, [2]float64{0, 0}, [2]float64{10, 0})
	stepper.Forward(rows, []int32{0})
	return m, stepper, rows, func(name string) []float64 { return part(t, m, rows.Row(0), name) }
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s is %v, want %v within %v", what, got, want, tolerance)
	}
}

// Box2D's integrator is semi-implicit Euler, so free flight has closed formulas.
func TestActuators(t *testing.T) {
	m, stepper, rows, read := floored(t)
	mass := polytest.Must(m.Constant("body_mass"))(t)
	inertia := polytest.Must(m.Constant("body_inertia"))(t)
	near(t, "mass", mass[0], 2, 1e-6)
	near(t, "inertia", inertia[0], 2*(1+0.25)/12, 1e-6)

	copy(read("actuator/push"), []float64{6, 20}) // holds the box up
	read("actuator/twist")[0] = 1.0 / 16
	mustStep(t, stepper, rows, 0, 1)
	mustStep(t, stepper, rows, 0, 3)
	body := read("body/box")
	for i, want := range []float64{0.01 * 0.03 * 10, 3, 0.01 * 0.003 * 10, 0.12, 0, 0.012} {
		near(t, "value of body/box", body[i], want, 2e-6)
	}

	// an impulse of a substep, at the right edge of the box
	clear(read("control"))
	copy(read("actuator/kick"), []float64{0, 0.2, body[0] + 0.5, body[1]})
	read("gravity")[1] = 0
	mustStep(t, stepper, rows, 0, 1)
	near(t, "vy", body[4], 0.1, 1e-6)
	near(t, "angular velocity", body[5], 0.012+0.5*0.2/inertia[0], 1e-5)
	polytest.Equal(t, read("gravity")[1], 0, "gravity")
}

// At rest the floor carries the weight, the box falls asleep, and only what acts wakes it.
func TestRestSleepAndWaking(t *testing.T) {
	_, stepper, rows, read := floored(t, "force/box", "awake/box", "touched/box")
	for range 40 {
		mustStep(t, stepper, rows, 0, 5)
	}
	if read("awake/box")[0] != 0 {
		t.Fatalf("after 2 s the box is awake, at %v", read("body/box"))
	}
	near(t, "height of its centre", read("body/box")[1], 0.25, 0.02)
	if touched := read("touched/box")[0]; touched < 2 || read("contact/box")[0] != 1 {
		t.Errorf("contact %v, %v begun; want 1 and at least the two edges", read("contact/box")[0], touched)
	}
	mustStep(t, stepper, rows, 0, 5)
	polytest.Equal(t, read("awake/box")[0], 0, "controls of 0 woke the box")

	read("actuator/push")[1] = 0.1
	mustStep(t, stepper, rows, 0, 7)
	polytest.Equal(t, read("awake/box")[0], 1, "a force did not wake the box")
	near(t, "force of the floor", rows.Sample(0, rows.Boundary[0]-1)[0], 2*10-0.1, 0.05)

	read("actuator/push")[1] = 0
	for range 40 {
		mustStep(t, stepper, rows, 0, 5)
	}
	read("body/box")[3] = 0.5
	mustStep(t, stepper, rows, 0, 1)
	if x := read("body/box")[3]; read("awake/box")[0] != 1 || !(x > 0.1 && x < 0.5) {
		t.Errorf("a velocity written into the row: awake %v, vx %v; want 1 and less than 0.5 by friction",
			read("awake/box")[0], x)
	}
}

// A pose written into a row that has been stepped is where the world goes on from.
func TestPlacing(t *testing.T) {
	_, stepper, rows, read := floored(t, "body/box", "ray/down", "pose")
	mustStep(t, stepper, rows, 0, 3)
	copy(read("body/box"), []float64{5, 0.24, math.Pi, 0, 0, 0})
	stepper.Forward(rows, []int32{0})
	sample := rows.Sample(0, 0)
	near(t, "x after a Forward", sample[0], 5, 0)
	near(t, "ray after a Forward", sample[6], 0.06, 1e-6)
	polytest.EqualSlices(t, sample[7:], sample[:3], "the pose")
	polytest.Equal(t, read("touched/box")[0], 0, "a Forward made contacts")
	mustStep(t, stepper, rows, 0, 1)
	polytest.Equal(t, read("contact/box")[0], 1, "a box put into the floor does not touch it")
}

// The flag follows the last event: 0 after one of two contacts has ended. The count goes
// up with a contact that ends within one call.
func TestContactEvents(t *testing.T) {
	_, stepper, rows, read := floored(t)
	copy(read("body/box"), []float64{0.3, 0.28, 0, 0, -1, 0}) // over both edges
	mustStep(t, stepper, rows, 0, 5)
	if read("contact/box")[0] != 1 || read("touched/box")[0] != 2 {
		t.Fatalf("contact %v, %v begun; want 1 and 2", read("contact/box")[0], read("touched/box")[0])
	}
	read("body/box")[3] = 3 // slide off the left edge
	for range 30 {
		mustStep(t, stepper, rows, 0, 1)
	}
	near(t, "height", read("body/box")[1], 0.25, 0.02)
	if read("contact/box")[0] != 0 || read("touched/box")[0] != 2 {
		t.Errorf("on one edge: contact %v, %v begun; want 0, by the event of the other, and 2", read("contact/box")[0],
			read("touched/box")[0])
	}

	copy(read("body/box"), []float64{5, 0.4, 0, 0, -12, 0}) // down, and kicked up in between
	read("actuator/kick")[1], read("actuator/kick")[2] = 5, 5
	before := read("touched/box")[0]
	mustStep(t, stepper, rows, 0, 7)
	if read("contact/box")[0] != 0 || read("touched/box")[0] <= before {
		t.Errorf("bounced within a call: contact %v, %v begun; want 0, and more than %v", read("contact/box")[0],
			read("touched/box")[0], before)
	}
}

func TestRays(t *testing.T) {
	_, stepper, rows, read := floored(t, "rays", "ray/short")
	for _, c := range []struct {
		angle float64
		want  [4]float64 // down, under, blind, short
	}{
		{0, [4]float64{0.75, 0.75, 1, 1}},
		{math.Pi / 3, [4]float64{0.75, 1, 1, 1}},
		{math.Pi / 6, [4]float64{0.75, 0.75 / math.Cos(math.Pi/6), 1, 1}},
	} {
		copy(read("body/box"), []float64{2, 3, c.angle})
		stepper.Forward(rows, []int32{0})
		for i, want := range c.want {
			near(t, "ray", rows.Sample(0, 0)[i], want, 1e-6)
		}
		polytest.Equal(t, rows.Sample(0, 0)[4], rows.Sample(0, 0)[3], "ray/short is not the last of rays")
	}
}

// What Forward says of forces is what the next substep finds, and it takes nothing away.
func TestForcesAfterForward(t *testing.T) {
	_, stepper, rows, read := floored(t, "force/box")
	copy(read("body/box"), []float64{2, 0.25, 0, 0, -1, 0})
	stepper.Forward(rows, []int32{0})
	force := rows.Sample(0, 0)[0]
	if !(force > 20) {
		t.Errorf("a box that hits the floor feels %v N", force)
	}
	mustStep(t, stepper, rows, 0, 1)
	if got := rows.Sample(0, 0)[0]; got != force {
		t.Errorf("force of the first substep is %v, Forward said %v", got, force)
	}
}
