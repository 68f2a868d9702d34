package box2d

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/box2d/scene"
	"github.com/polyrhythm-rl/polyrhythm/physics/physicstest"
)

// Each line breaks a sound scene in one way; the error must say what is wrong.
func TestNewErrors(t *testing.T) {
	first := func(s *scene.Scene) *scene.Fixture { return &s.Bodies[0].Fixtures[0] }
	for want, spoil := range map[string]func(*scene.Scene){
		"scene: timestep is 0, want":                 func(s *scene.Scene) { s.Timestep = 0 },
		"timestep is nan":                            func(s *scene.Scene) { s.Timestep = math.NaN() },
		"timestep is 1e-60,":                         func(s *scene.Scene) { s.Timestep = 1e-60 },
		"gravity along y is inf":                     func(s *scene.Scene) { s.Gravity[1] = math.Inf(1) },
		"0 velocity iterations, want 1 to":           func(s *scene.Scene) { s.VelocityIterations = 0 },
		"-1 position iterations":                     func(s *scene.Scene) { s.PositionIterations = -1 },
		"-1 contacts":                                func(s *scene.Scene) { s.MaxContacts = -1 },
		"20000 ground shapes":                        func(s *scene.Scene) { s.Ground.MaxShapes = 20000 },
		"10003 shapes":                               func(s *scene.Scene) { s.Ground.MaxShapes = 10000 },
		"up to 9 vertices":                           func(s *scene.Scene) { s.Ground.MaxVertices = 9 },
		"a scene of no bodies":                       func(s *scene.Scene) { s.Bodies = nil },
		`body 0 has the name ""`:                     func(s *scene.Scene) { s.Bodies[0].Name = "" },
		`the name of body "a/b"`:                     func(s *scene.Scene) { s.Bodies[0].Name = "a/b" },
		`two of the name "left": each body`:          func(s *scene.Scene) { s.Bodies[2].Name = "left" },
		"body hull has no fixture":                   func(s *scene.Scene) { s.Bodies[0].Fixtures = nil },
		"body left: x is nan":                        func(s *scene.Scene) { s.Bodies[1].Position[0] = math.NaN() },
		"body hull: linear damping is -1, want 0 to": func(s *scene.Scene) { s.Bodies[0].LinearDamping = -1 },
		"body hull: mass is 0, want 1e-06 to":        func(s *scene.Scene) { first(s).Density = 0 },
		"fixture 0: density is -1":                   func(s *scene.Scene) { first(s).Density = -1 },
		"restitution is 2, want 0 to 1":              func(s *scene.Scene) { first(s).Restitution = 2 },
		"body hull, fixture 0: radius is 0, want":    func(s *scene.Scene) { first(s).Vertices = nil },
		"fixture 0: 2 vertices, want 3 to 8":         func(s *scene.Scene) { first(s).Vertices = scene.Box(1, 1)[:2] },
		"vertices 0 and 1 are less than 5 mm":        func(s *scene.Scene) { v := first(s).Vertices; v[1] = v[0] },
		"not strictly convex at vertex":              func(s *scene.Scene) { first(s).Vertices[4] = [2]float64{} },
		"a coordinate is 1000, want -100 to 100":     func(s *scene.Scene) { first(s).Vertices[4][0] = 1000 },
		"a coordinate is nan":                        func(s *scene.Scene) { first(s).Vertices[4][0] = math.NaN() },
		"lies too far from the body's origin": func(s *scene.Scene) {
			*first(s) = scene.Fixture{Center: [2]float64{90, 0}, Radius: 0.1, Density: 1}
		},
		`joint left is between "hull" and "leg"`:        func(s *scene.Scene) { s.Joints[0].BodyB = "leg" },
		`between "hull" and "hull"`:                     func(s *scene.Scene) { s.Joints[0].BodyB = "hull" },
		"joint left: upper limit is 0.9, want 1 to":     func(s *scene.Scene) { s.Joints[0].Lower = 1 },
		"joint left: motor torque is -1":                func(s *scene.Scene) { s.Joints[0].MaxMotorTorque = -1 },
		"joint left: anchor A's x is inf":               func(s *scene.Scene) { s.Joints[0].AnchorA[0] = math.Inf(1) },
		`unknown body "hill": the nearest`:              func(s *scene.Scene) { s.Actuators[0].Target = "hill" },
		`unknown joint "hull", want one of left, right`: func(s *scene.Scene) { s.Actuators[3].Target = "hull" },
		"joint left has no motor":                       func(s *scene.Scene) { s.Joints[0].Motor = false },
		"is of kind 9":                                  func(s *scene.Scene) { s.Actuators[0].Kind = 9 },
		`ray down: unknown body "sky"`:                  func(s *scene.Scene) { s.Rays[0].Body = "sky" },
		"ray: length is 0, want 0.001 to":               func(s *scene.Scene) { s.Rays[0].Vector = [2]float64{} },
	} {
		s := lander()
		spoil(s)
		m, err := New(s)
		if err == nil {
			m.Close()
			t.Errorf("no error, want one with %q", want)
		} else if !strings.HasPrefix(err.Error(), "box2d: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("got %q, want one with %q", err, want)
		}
	}
}

// Each case spoils a row that has been stepped; the fault must say what is wrong, and the
// sound row must go on afterwards.
func TestRowFaults(t *testing.T) {
	s := lander()
	m := closing(t, s)
	stepper, rows := newStepper(t, m, 1, physics.Outputs{}), newRows(t, m, 1, physics.Outputs{})
	for range 30 {
		mustStep(t, stepper, rows, 0, 1)
	}
	good := slices.Clone(rows.Row(0))
	if n := good[m.contacts-1]; n < 2 {
		t.Fatalf("%v contacts, want at least 2 to spoil", n)
	}
	region := func(offset int) func([]float64) []float64 {
		return func(row []float64) []float64 { return row[m.Fields["engine"].Offset+offset:] }
	}
	field := func(name string) func([]float64) []float64 {
		return func(row []float64) []float64 { return row[m.Fields[name].Offset:] }
	}
	engine := m.Fields["engine"].Offset
	contact := m.contacts - engine
	pressed := contact // the first contact that touches
	for good[engine+pressed+4] == 0 {
		pressed += 19
	}
	tree := contact + 32*19
	for _, c := range []struct {
		part  func([]float64) []float64
		value []float64
		fault physics.Fault
		want  string
	}{
		{field("control"), []float64{math.NaN()}, physics.FaultNotFinite, "control[0] is nan"},
		{field("control"), []float64{1e13}, physics.FaultNotFinite, "control[0] is 1e+13"},
		// on the way
		{field("body/hull"), slices.Repeat([]float64{99999.5, 0, 0, 90, 0, 0}, 3), physics.FaultNotFinite, "is at (1000"},
		{field("control"), []float64{1e11}, physics.FaultNotFinite, "control[0], 1e+11, brings body hull to more than"},
		{field("actuator/knee"), []float64{1e6}, physics.FaultNotFinite, "control[7] is 1e+06 rad/s"},
		{region(pressed + 9 + 2), []float64{-1}, physics.FaultEngine, "is -1, want 0 to 1e+12"},
		{region(pressed + 9 + 2), []float64{1e11}, physics.FaultNotFinite, "a contact's impulse is (1e+11"},
		{region(2 + 3*11), []float64{1e11}, physics.FaultNotFinite, "joint left: an impulse is 1e+11"},
		{field("gravity"), []float64{math.Inf(-1)}, physics.FaultNotFinite, "gravity[0] is -inf"},
		{field("body/left"), []float64{1, 2e5}, physics.FaultNotFinite, "body/left[1] is 200000, want -100000 to 100000"},
		{field("body/left"), []float64{1, 2, 3, math.NaN()}, physics.FaultNotFinite, "body/left[3] is nan"},
		{field("awake/left"), []float64{0.5}, physics.FaultEngine, "awake/left[0] is 0.5, want a whole number from 0 to 1"},
		{field("contact/left"), []float64{-1}, physics.FaultEngine, "contact/left[0] is -1, want a whole number from 0 to 1"},
		{field("touched/left"), []float64{1.5}, physics.FaultEngine, "touched/left[0] is 1.5"},
		{field("ground"), []float64{17}, physics.FaultEngine, "ground[0] is 17, want a whole number from 0 to 16"},
		{field("ground"), []float64{math.NaN()}, physics.FaultNotFinite, "ground[0] is nan"},
		{field("ground"), []float64{11}, physics.FaultEngine, "the ground was changed after"},
		{field("ground"), []float64{1, 5}, physics.FaultEngine, "ground[1] is 5, want a whole number from 2 to 4"},
		{field("ground"), []float64{1, 2, -1}, physics.FaultEngine, "ground[2] is -1, want 0 to"},
		{field("ground"), []float64{1, 2, 1, 1, 1, 1, 1.004}, physics.FaultEngine, "an edge shorter than 5 mm"},
		{field("ground"), []float64{1, 3, 1, 0, 0, 1, 0, 2, 0}, physics.FaultEngine,
			"ground shape 0: the polygon is not strictly convex"},
		// crosses itself
		{field("ground"), []float64{1, 4, 1, 0, 0, 1, 1, 1, 0, 0, 1}, physics.FaultEngine, "not strictly convex"},
		{field("ground"), []float64{1, 2, 1, 3e5, 0}, physics.FaultNotFinite, "ground[3] is 300000"},
		{region(0), []float64{2}, physics.FaultEngine, "engine[0] is 2"},
		{region(1), []float64{7}, physics.FaultEngine, "the ground was changed"},
		{region(2 + 8), []float64{1.5}, physics.FaultEngine, "engine[10] is 1.5, want -1 to 1"},
		{region(2 + 3*11 + 2*5), []float64{5, 0, 4}, physics.FaultEngine, "the box of fixture 0 is (5, 0) to (4"},
		{region(contact - 1), []float64{33}, physics.FaultEngine, "] is 33, want a whole number from 0 to 32"},
		{region(contact), []float64{15}, physics.FaultEngine, "] is 15, want a whole number from 0 to 14"},
		// the filter forbids it
		{region(contact), []float64{12, 13}, physics.FaultEngine, "form none"},
		{region(contact), []float64{0, 1}, physics.FaultEngine, "form none"},                      // both of the ground
		{region(contact + 19), good[m.contacts : m.contacts+2], physics.FaultEngine, "form none"}, // twice the same
		{region(contact + 4), []float64{3}, physics.FaultEngine, "] is 3, want a whole number from 0 to 2"},
		{region(contact + 9 + 4), []float64{-1}, physics.FaultEngine, "] is -1, want a whole number from 0 to"},
		{region(tree), []float64{99}, physics.FaultEngine, "] is 99, want a whole number from 0 to 28"},
		{region(tree), []float64{0}, physics.FaultEngine, "of the tree"},
		{region(tree + 1), []float64{65536.5}, physics.FaultEngine, "] is 65536.5, want a whole number"},
		{region(tree + 1), []float64{99}, physics.FaultEngine, "no child for node 2"},
		{region(tree + 1), []float64{65536*2 + 2}, physics.FaultEngine, "child"},
	} {
		copy(rows.Row(0), good)
		copy(c.part(rows.Row(0)), c.value)
		bad := slices.Clone(rows.Row(0))
		if n := stepper.Step(rows, []int32{0}, []int32{2}); n != 1 || rows.Fault[0] != c.fault ||
			!strings.Contains(stepper.FaultMessage(0), c.want) {
			t.Errorf("%d faults, %s: %q; want %s with %q", n, rows.Fault[0], stepper.FaultMessage(0), c.fault, c.want)
		}
		for i := range bad {
			if math.Float64bits(bad[i]) != math.Float64bits(rows.Row(0)[i]) {
				t.Fatalf("%q: value %d of the row has changed", c.want, i)
			}
		}
		copy(rows.Row(0), good)
		mustStep(t, stepper, rows, 0, 1)
	}
}

// More contacts than there is room for are a fault, not a loss.
func TestTooManyContacts(t *testing.T) {
	s := heap()
	s.MaxContacts = 12
	m := closing(t, s)
	stepper, rows := newStepper(t, m, 1, physics.Outputs{}), newRows(t, m, 1, physics.Outputs{})
	for range 600 {
		if stepper.Step(rows, []int32{0}, []int32{1}) != 0 {
			if message := stepper.FaultMessage(0); rows.Fault[0] != physics.FaultEngine ||
				!strings.Contains(message, "contacts, the scene has room for 12 (MaxContacts)") {
				t.Errorf("%s: %s", rows.Fault[0], message)
			}
			return
		}
	}
	t.Error("no fault")
}

// Controls of any size, on bodies from grams to tons that are jointed and piled up, end in
// states or faults: Box2D's asserts hold.
func TestViolence(t *testing.T) {
	s := heap()
	for i := range s.Bodies {
		s.Bodies[i].Fixtures[0].Density = math.Pow(10, float64(i%7)-3)
	}
	m := closing(t, s)
	stepper, rows := newStepper(t, m, 1, outputs(t, m, "rays")), newRows(t, m, 1, outputs(t, m, "rays"))
	random := rand.New(rand.NewPCG(1, 1))
	faults, steps := 0, 0
	for range 300 {
		m.InitialState(rows.Row(0))
		size := math.Pow(10, 9*random.Float64())
		for range 20 {
			for i, control := 0, part(t, m, rows.Row(0), "control"); i < len(control); i++ {
				control[i] = size * random.NormFloat64()
			}
			copy(part(t, m, rows.Row(0), "actuator/kick")[2:], part(t, m, rows.Row(0), "body/part6")[:2])
			steps++
			if stepper.Step(rows, []int32{0}, []int32{3}) != 0 {
				faults++
				break
			}
		}
	}
	if faults < 50 || steps < 1000 {
		t.Errorf("%d faults in %d calls: not what this is to try", faults, steps)
	}
}

// A model stays while a bare loop or rows with live worlds use it; physicstest looks at steppers.
func TestCloseOrder(t *testing.T) {
	m := polytest.Must(New(lander()))(t)
	s := polytest.Must(m.NewStepper(1, physics.Outputs{}))(t)
	raw := polytest.Must(NewBaseline(m, 1))(t)
	rows := physics.NewRows(m, 1, physics.Outputs{}, 2)
	s.Step(rows, []int32{0}, []int32{1})
	for _, close := range []func() error{s.Close, raw.Close, rows.Close} {
		if err := m.Close(); err == nil {
			t.Error("closed a model that is in use")
		}
		if err := close(); err != nil {
			t.Error(err)
		}
	}
	if err := m.Close(); err != nil {
		t.Error(err)
	}
}

func TestLeakIsLoud(t *testing.T) {
	physicstest.Leak(t, func() error {
		_, err := New(lander())
		return err
	}, "box2d: a model was never closed", "load_test.go")
}

// Whatever numbers are written into a row, wherever, a step ends in a state or a fault.
func FuzzRow(f *testing.F) {
	f.Add([]byte{0, 10, 1, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f})
	f.Add([]byte{3, 200, 0, 40, 7, 1, 99, 2, 3, 200, 4, 200, 200, 9})
	s := heap()
	m, err := New(s)
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { m.Close() })
	start := make([]float64, m.StateSize())
	m.InitialState(start)
	hills(f, m, s, start)
	stepper, err := m.NewStepper(1, outputs(f, m, "rays", "force/part1"))
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { stepper.Close() })
	rows := physics.NewRows(m, 1, outputs(f, m, "rays", "force/part1"), 4)
	f.Cleanup(func() { rows.Close() })
	copy(rows.Row(0), start)
	for range 50 {
		mustStep(f, stepper, rows, 0, 2)
	}
	stepped := slices.Clone(rows.Row(0))
	used := m.contacts + 19*int(stepped[m.contacts-1])
	ground := m.Fields["ground"]

	// each edit takes a place and a value from the text
	values := []float64{0, 1, -1, 2, 0.5, 3, 1e-300, 1e-30, 1e-3, 1e3, 9.9e4, -9.9e4, 1e6, 1e12, -1e12, 1e300, math.NaN(),
		math.Inf(1), 65537, 1<<32 - 1}
	f.Fuzz(func(t *testing.T, text []byte) {
		row := rows.Row(0)
		if len(text) > 0 && text[0]&1 == 0 {
			copy(row, start)
		} else {
			copy(row, stepped)
		}
		for rest := text; len(rest) >= 4; rest = rest[4:] {
			// anywhere in the used parts, or in the tree
			place := (int(rest[1])<<8 | int(rest[2])) % used
			if rest[0]&2 != 0 {
				place = len(row) - 1 - place%80
			}
			if value := int(rest[3]); value < len(values) {
				row[place] = values[value]
			} else if value < 128 {
				row[place] = float64(value - 64)
			} else {
				row[place] *= 1 + float64(value-192)/32
			}
		}
		for range 3 {
			if stepper.Step(rows, []int32{0}, []int32{2}) != 0 {
				if stepper.FaultMessage(0) == "" {
					t.Error("a fault without a message")
				}
				return
			}
			for i, x := range row[:used] {
				if math.IsNaN(x) && (i < ground.Offset || i >= ground.Offset+ground.Len) { // of the ground not all is used
					t.Fatalf("value %d is %v after a step that went well", i, x)
				}
			}
		}
	})
}

// Whatever the numbers of a scene, compiling it ends in a model or an error.
func FuzzScene(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
	f.Fuzz(func(t *testing.T, text []byte) {
		next := func() float64 {
			if len(text) == 0 {
				return 0.5
			}
			b := text[0]
			text = text[1:]
			switch {
			case b == 255:
				return math.NaN()
			case b == 254:
				return math.Inf(1)
			case b > 240:
				return math.Pow(10, float64(b)-247)
			}
			return (float64(b) - 120) / 40
		}
		vector := func() [2]float64 { return [2]float64{next(), next()} }
		s := &scene.Scene{Gravity: vector(), Timestep: math.Abs(next()) / 50, VelocityIterations: 4, PositionIterations: 2,
			MaxContacts: 64}
		s.Ground = scene.Ground{MaxShapes: 2, MaxVertices: 4}
		for _, name := range []string{"a", "b"} {
			b := scene.Body{Name: name, Position: vector(), Angle: next()}
			for range 1 + int(math.Abs(next()))%2 {
				fixture := scene.Fixture{Density: next(), Friction: next(), Restitution: next(), Radius: next(), Center: vector()}
				for range int(math.Abs(next())*10) % 9 {
					fixture.Vertices = append(fixture.Vertices, vector())
				}
				b.Fixtures = append(b.Fixtures, fixture)
			}
			s.Bodies = append(s.Bodies, b)
		}
		s.Joints = []scene.Revolute{{Name: "j", BodyA: "a", BodyB: "b", AnchorA: vector(), AnchorB: vector(), Limited: true,
			Lower: -1, Upper: next(), Motor: true, MotorSpeed: next(), MaxMotorTorque: next()}}
		s.Rays = []scene.Ray{{Name: "r", Body: "a", Vector: vector(), Turns: true}}
		m, err := New(s)
		if err != nil {
			return
		}
		defer m.Close()
		stepper := polytest.Must(m.NewStepper(1, outputs(t, m, "rays")))(t)
		defer stepper.Close()
		rows := physics.NewRows(m, 1, outputs(t, m, "rays"), 9)
		defer rows.Close()
		ground := part(t, m, rows.Row(0), "ground")
		s.Ground.Add(ground, next(), vector(), vector())
		s.Ground.Add(ground, next(), vector(), vector(), vector(), vector())
		stepper.Forward(rows, []int32{0})
		stepper.Step(rows, []int32{0}, []int32{8})
	})
}
