package box2d

import (
	"os"
	"slices"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/box2d/scene"
	"github.com/polyrhythm-rl/polyrhythm/physics/physicstest"
)

// A test that leaves C memory open fails the package.
func TestMain(m *testing.M) {
	code := m.Run()
	if n := OpenHandles(); n != 0 && code == 0 {
		println("handles left open:", n)
		code = 1
	}
	os.Exit(code)
}

// lander is a body on two sprung legs with engines, sensors and a ground to be filled in:
// the size of Gymnasium's LunarLander.
func lander() *scene.Scene {
	leg := func(side float64) scene.Body {
		return scene.Body{
			Name: map[float64]string{-1: "left", 1: "right"}[side], Position: [2]float64{10 - side*0.67, 3.95},
			Angle:    side * 0.05,
			Fixtures: []scene.Fixture{{Vertices: scene.Box(0.067, 0.267), Density: 1, Friction: 0.2, Category: 0x20, Mask: 1}},
		}
	}
	hinge := func(side float64, name string) scene.Revolute {
		j := scene.Revolute{
			Name: name, BodyA: "hull", BodyB: name, AnchorB: [2]float64{side * 0.67, 0.6},
			Limited: true, Lower: 0.4, Upper: 0.9, Motor: true, MotorSpeed: 0.3 * side, MaxMotorTorque: 40,
		}
		if side > 0 {
			j.Lower, j.Upper = -0.9, -0.4
		}
		return j
	}
	return &scene.Scene{
		Gravity: [2]float64{0, -10}, Timestep: 1.0 / 50, VelocityIterations: 180, PositionIterations: 60,
		Ground: scene.Ground{MaxShapes: 16, MaxVertices: 4},
		Bodies: []scene.Body{
			{
				Name: "hull", Position: [2]float64{10, 3.95},
				Fixtures: []scene.Fixture{{
					Vertices: [][2]float64{{-0.47, 0.57}, {-0.57, 0}, {-0.57, -0.33}, {0.57, -0.33}, {0.57, 0}, {0.47, 0.57}},
					Density:  5, Friction: 0.1, Category: 0x10, Mask: 1,
				}},
			},
			leg(-1), leg(1),
		},
		Joints: []scene.Revolute{hinge(-1, "left"), hinge(1, "right")},
		Actuators: []scene.Actuator{
			{Name: "wind", Kind: scene.Force, Target: "hull"},
			{Name: "spin", Kind: scene.Torque, Target: "hull"},
			{Name: "engine", Kind: scene.Impulse, Target: "hull"},
			{Name: "knee", Kind: scene.Motor, Target: "left"},
		},
		Rays: []scene.Ray{
			{Name: "down", Body: "hull", Vector: [2]float64{0.3, -6}, Category: 1},
			{Name: "ahead", Body: "left", Vector: [2]float64{-4, -4}, Turns: true, Category: 1},
		},
	}
}

// hills writes a ground of edges and a block into a row.
func hills(tb testing.TB, m physics.Model, s *scene.Scene, row []float64) {
	tb.Helper()
	ground := part(tb, m, row, "ground")
	s.Ground.Clear(ground)
	s.Ground.Add(ground, 0.2, [2]float64{0, 0}, [2]float64{20, 0})
	for i := range 10 {
		x, y := 2*float64(i), 3+0.4*float64(i*i%5)
		s.Ground.Add(ground, 0.1, [2]float64{x, y}, [2]float64{x + 2, 3 + 0.4*float64((i+1)*(i+1)%5)})
	}
	if s.Ground.MaxVertices >= 4 {
		s.Ground.Add(ground, 2.5, [2]float64{11, 3}, [2]float64{11.5, 3}, [2]float64{11.5, 4}, [2]float64{11, 4})
	}
}

// part returns a field of a row.
func part(tb testing.TB, m physics.Model, row []float64, name string) []float64 {
	tb.Helper()
	span := polytest.Must(m.Field(name))(tb)
	return span.In(row)
}

// grounded is a model whose initial state has a ground, for the conformance suite.
type grounded struct {
	*Model
	row []float64
}

func (g grounded) InitialState(dst []float64) {
	g.Model.InitialState(dst)
	copy(dst, g.row)
}

func newGrounded(tb testing.TB, s *scene.Scene) grounded {
	tb.Helper()
	m := polytest.Must(New(s))(tb)
	g := grounded{Model: m, row: make([]float64, m.StateSize())}
	m.InitialState(g.row)
	hills(tb, m, s, g.row)
	return g
}

func TestConformance(t *testing.T) {
	physicstest.Run(t, func(tb testing.TB) physics.Model { return newGrounded(tb, lander()) }, physicstest.Options{
		Sources:  []string{"body/hull", "pose", "joint/left", "rays", "touched/left", "joint/left/torque", "ray/down"},
		Derived:  []string{"rays", "joint/right", "body/left"},
		Constant: "body_mass",
		Position: "body/hull",
		Control:  3,
		EngineError: func(m physics.Model, row []float64) {
			span := polytest.Must(m.Field("engine"))(t)
			span.In(row)[0] = 2
		},
		OpenHandles: OpenHandles,
	})
}

// Worlds have their objects from the allocator of this package: some, and little. Where
// Box2D's own is in use, chunkBytes is 0, and a world has ten times as much.
func TestWorldsTakeLittleMemory(t *testing.T) {
	before := chunkBytes()
	g := newGrounded(t, lander())
	t.Cleanup(func() { g.Close() })
	const worlds = 100
	stepper, rows := newStepper(t, g, worlds, physics.Outputs{}), newRows(t, g, worlds, physics.Outputs{})
	ids, n := make([]int32, worlds), slices.Repeat([]int32{1}, worlds)
	for i := range ids {
		ids[i] = int32(i)
	}
	if faults := stepper.Step(rows, ids, n); faults != 0 {
		t.Fatal(stepper.FaultMessage(0))
	}
	if each := (chunkBytes() - before) / worlds; each < 1<<10 || each > 15<<10 {
		t.Errorf("%d bytes a world, want 1 to 15 KiB", each)
	}
	rows.Close()
	if after := chunkBytes(); after != before {
		t.Errorf("%d bytes are left of worlds that are closed", after-before)
	}
}
