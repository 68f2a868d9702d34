package box2d

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/box2d/scene"
)

// heap is a scene that goes everywhere in Box2D: boxes and balls that fall on a ground and on each other, bounce and
// come to rest and asleep; a chain with limits and motors of which one is hung on the ground; a bullet.
func heap() *scene.Scene {
	s := &scene.Scene{
		Gravity: [2]float64{0.3, -9.8}, Timestep: 1.0 / 60, VelocityIterations: 8, PositionIterations: 3,
		Ground: scene.Ground{MaxShapes: 16, MaxVertices: 4}, MaxContacts: 256,
	}
	for i := range 14 {
		f := scene.Fixture{Vertices: scene.Box(0.3+0.02*float64(i), 0.25), Density: 1 + float64(i%3), Friction: 0.4}
		if i%4 == 3 {
			f = scene.Fixture{Radius: 0.3, Center: [2]float64{0.05, 0}, Density: 2, Friction: 0.3, Restitution: 0.6}
		}
		b := scene.Body{Name: fmt.Sprintf("part%d", i), Position: [2]float64{8 + 0.9*float64(i%4), 5 + 0.7*float64(i/4)},
			Angle: 0.2 * float64(i), Fixtures: []scene.Fixture{f}}
		if i%5 == 0 {
			b.Fixtures = append(b.Fixtures, scene.Fixture{Vertices: [][2]float64{{0.3, 0.1}, {0.8, 0.1}, {0.3, 0.6}},
				Density: 0.5, Friction: 0.9})
		}
		b.Bullet = i == 3 || i == 6
		s.Bodies = append(s.Bodies, b)
	}
	for i := range 4 {
		s.Joints = append(s.Joints, scene.Revolute{
			Name: fmt.Sprintf("link%d", i), BodyA: fmt.Sprintf("part%d", i), BodyB: fmt.Sprintf("part%d", i+1),
			AnchorA: [2]float64{0.45, 0}, AnchorB: [2]float64{-0.45, 0}, Limited: i%2 == 0, Lower: -0.5, Upper: 0.7,
			Motor: i < 2, MotorSpeed: 2, MaxMotorTorque: 3, Collide: i == 3,
		})
	}
	s.Joints = append(s.Joints, scene.Revolute{
		Name: "hook", BodyB: "part13", AnchorA: [2]float64{12, 9}, AnchorB: [2]float64{0, 0.8}, ReferenceAngle: 0.1,
	})
	s.Actuators = []scene.Actuator{
		{Name: "push", Kind: scene.Force, Target: "part4"},
		{Name: "kick", Kind: scene.Impulse, Target: "part6"},
		{Name: "spin", Kind: scene.Torque, Target: "part13"},
	}
	s.Rays = []scene.Ray{{Name: "down", Body: "part13", Vector: [2]float64{0, -9}}}
	return s
}

// play writes the control of a step: bursts with long rests, so that bodies fall asleep and are woken.
func play(tb testing.TB, m physics.Model, row []float64, step int) {
	control := part(tb, m, row, "control")
	clear(control)
	if step%400 > 60 {
		return
	}
	random := rand.New(rand.NewPCG(9, uint64(step)))
	for _, actuator := range []struct {
		name  string
		scale float64
	}{{"push", 40}, {"kick", 3}, {"spin", 20}} {
		for i, values := 0, part(tb, m, row, "actuator/"+actuator.name); i < len(values); i++ {
			values[i] = actuator.scale * (2*random.Float64() - 1)
		}
	}
	kick := part(tb, m, row, "actuator/kick")
	for i, x := range part(tb, m, row, "body/part6")[:2] {
		kick[2+i] = x + 0.03*kick[2+i]
	}
	if step%20 == 0 {
		kick[0], kick[1] = 0, 150 // faster than its own size a substep: time of impact
	}
}

func outputs(tb testing.TB, m physics.Model, sources ...string) physics.Outputs {
	tb.Helper()
	var out physics.Outputs
	for _, source := range sources {
		p := polytest.Must(m.Probe(source))(tb)
		out.Probes = append(out.Probes, p)
	}
	return out
}

func newStepper(tb testing.TB, m physics.Model, worlds int, out physics.Outputs) physics.Stepper {
	tb.Helper()
	s := polytest.Must(m.NewStepper(worlds, out))(tb)
	tb.Cleanup(func() { polytest.NoError(tb, s.Close()) })
	return s
}

func newRows(tb testing.TB, m physics.Model, worlds int, out physics.Outputs) *physics.Rows {
	rows := physics.NewRows(m, worlds, out, 8)
	tb.Cleanup(func() { polytest.NoError(tb, rows.Close()) })
	return rows
}

// closing compiles a scene with hills and closes it after what was opened later.
func closing(tb testing.TB, s *scene.Scene) grounded {
	m := newGrounded(tb, s)
	tb.Cleanup(func() { polytest.NoError(tb, m.Close()) })
	return m
}

func mustStep(tb testing.TB, s physics.Stepper, rows *physics.Rows, id, n int32) {
	tb.Helper()
	if s.Step(rows, []int32{id}, []int32{n}) != 0 {
		tb.Fatalf("fault %s: %s", rows.Fault[id], s.FaultMessage(id))
	}
}

// difference says where two rows differ, "" if nowhere.
func difference(m *Model, a, b []float64) string {
	for i := range a {
		if math.Float64bits(a[i]) != math.Float64bits(b[i]) {
			for name, span := range m.Fields {
				if i >= span.Offset && i < span.Offset+span.Len && name != "control" {
					return fmt.Sprintf("value %d of %s is %v, want %v", i-span.Offset, name, a[i], b[i])
				}
			}
		}
	}
	return ""
}

// From every state of a long undisturbed run, a world that is built from the row alone takes the next step to the
// same bits: in rows and a stepper that never saw it, and in rows whose live world has just been somewhere else. So
// the row decides the whole future.
func TestRestoreAtEveryStep(t *testing.T) {
	const steps = 2000
	for _, s := range []*scene.Scene{heap(), lander()} {
		m := closing(t, s)
		out := outputs(t, m, "rays")
		stepper, other := newStepper(t, m, 1, out), newStepper(t, m, 1, out)
		run, fresh, used := newRows(t, m, 1, out), newRows(t, m, 1, out), newRows(t, m, 1, out)
		elsewhere := slices.Clone(run.Row(0))

		var asleep, woken, ended, contacts int
		for step := range steps {
			if s.MaxContacts == 256 {
				play(t, m, run.Row(0), step)
			}
			before := slices.Clone(run.Row(0))
			mustStep(t, stepper, run, 0, 1)

			// a world that has never been there
			copy(fresh.Row(0), before)
			polytest.NoError(t, fresh.Close())
			mustStep(t, other, fresh, 0, 1)
			if d := difference(m.Model, fresh.Row(0), run.Row(0)); d != "" {
				t.Fatalf("step %d from a fresh world: %s", step, d)
			}
			if fresh.Sample(0, fresh.Boundary[0])[0] != run.Sample(0, run.Boundary[0])[0] {
				t.Fatalf("step %d: rays differ", step)
			}

			// a world that is in the middle of something else
			copy(used.Row(0), elsewhere)
			mustStep(t, other, used, 0, 1)
			copy(elsewhere, used.Row(0))
			copy(used.Row(0), before)
			mustStep(t, other, used, 0, 1)
			if d := difference(m.Model, used.Row(0), run.Row(0)); d != "" {
				t.Fatalf("step %d from a world used otherwise: %s", step, d)
			}

			for _, b := range s.Bodies {
				wasAwake, isAwake := part(t, m, before, "awake/"+b.Name)[0], part(t, m, run.Row(0), "awake/"+b.Name)[0]
				asleep += int(1 - isAwake)
				woken += int((1 - wasAwake) * isAwake)
				ended += int(max(0, part(t, m, before, "contact/"+b.Name)[0]-part(t, m, run.Row(0), "contact/"+b.Name)[0]))
			}
			contacts = max(contacts, int(run.Row(0)[m.contactCountAt()]))
		}
		if builds := run.Cache.(*live).builds(); builds != 1 {
			t.Errorf("the undisturbed run built %d worlds, want 1: its cache did not hold", builds)
		}
		t.Logf("%d body-steps asleep, %d wakings, %d ended contacts, up to %d contacts", asleep, woken, ended, contacts)
		if s.MaxContacts == 256 && (asleep < 100 || woken < 10 || ended < 50 || contacts < 30) {
			t.Error("the scene does not go where it should")
		}
	}
}

// contactCountAt is where a row holds its number of contacts.
func (m *Model) contactCountAt() int { return m.contacts - 1 }

// The stepper ends in the bits of the bare loop, whose worlds are never stored or looked at in between.
func TestSameBitsAsTheRawLoop(t *testing.T) {
	const worlds, steps, substeps = 3, 300, 2
	for _, s := range []*scene.Scene{heap(), lander()} {
		m := closing(t, s)
		out := physics.Outputs{}
		d := polytest.Must(m.Derived("rays"))(t)
		out.Derived = append(out.Derived, d)
		stepper, rows := newStepper(t, m, worlds, out), newRows(t, m, worlds, out)
		raw := polytest.Must(NewBaseline(m.Model, worlds, "rays"))(t)
		defer raw.Close()

		var controls, starts []float64
		var resets []int32
		for step := range steps {
			for id := range worlds {
				row := rows.Row(id)
				reset := int32(-1)
				if step == 0 || step == 100*id+50 {
					m.InitialState(row)
					if err := rows.Close(); err != nil { // the others are built anew as well
						t.Fatal(err)
					}
				}
				if s.MaxContacts == 256 {
					play(t, m, row, step+id)
				}
				if step == 0 || step == 100*id+50 {
					reset = int32(len(starts) / m.StateSize())
					starts = append(starts, row...)
				}
				resets = append(resets, reset)
				controls = append(controls, part(t, m, row, "control")...)
			}
			if stepper.Step(rows, []int32{0, 1, 2}, []int32{substeps, substeps, substeps}) != 0 {
				t.Fatal(stepper.FaultMessage(0), stepper.FaultMessage(1), stepper.FaultMessage(2))
			}
		}
		polytest.NoError(t, raw.Run(controls, resets, starts, substeps))
		got := make([]float64, m.StateSize())
		for id := range worlds {
			raw.State(id, got)
			polytest.Equal(t, difference(m.Model, rows.Row(id), got), "", "world %d against the bare loop", id)
			if !slices.Equal(rows.DerivedRow(id), raw.Derived(id)) {
				t.Errorf("world %d: derived values %v, the bare loop has %v", id, rows.DerivedRow(id), raw.Derived(id))
			}
		}
	}
}
