package mujoco

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/physicstest"
)

func TestVersion(t *testing.T) {
	if v := Version(); !strings.HasPrefix(v, "4.0.") {
		t.Errorf("version is %q, want 4.0.x", v)
	}
}

func TestMetadata(t *testing.T) {
	m := open(t, hopper, Options{})
	if got := m.Timestep(); got != 0.002 {
		t.Errorf("timestep is %v, want the file's 0.002", got)
	}
	if got, want := m.JointNames(), []string{"root", "left", "right", "tail"}; !slices.Equal(got, want) {
		t.Errorf("joints are %v, want %v", got, want)
	}
	if got, want := m.ActuatorNames(), []string{"left", "right", "slow"}; !slices.Equal(got, want) {
		t.Errorf("actuators are %v, want %v", got, want)
	}

	// 1 time, 13 qpos, 11 qvel, 1 act, then history, warm start, control
	history, err := m.Field("history")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][2]int{
		"time":                {0, 1},
		"qpos":                {1, 13},
		"qvel":                {14, 11},
		"act":                 {25, 1},
		"warmstart":           {26 + history.Len, 11},
		"control":             {37 + history.Len, 3},
		"joint/root/position": {1, 7},
		"joint/root/velocity": {14, 6},
		"joint/right/position": {
			9, 1,
		},
		"joint/right/velocity": {21, 1},
		"joint/tail/position":  {10, 4},
		"joint/tail/velocity":  {22, 3},
		"actuator/slow":        {39 + history.Len, 1},
	} {
		span, err := m.Field(name)
		if err != nil || span.Offset != want[0] || span.Len != want[1] {
			t.Errorf("field %s is %+v, %v; want offset and length %v", name, span, err, want)
		}
	}

	if lo, hi := m.ControlRange(1); lo != -0.4 || hi != 0.4 {
		t.Errorf("range of control 1 is %v to %v", lo, hi)
	}
	if lo, hi := m.ControlRange(2); !math.IsInf(lo, -1) || !math.IsInf(hi, 1) {
		t.Errorf("range of control 2 is %v to %v, want none", lo, hi)
	}
	if lo, hi, err := m.JointRange("left"); lo != -0.01 || hi != 0.01 || err != nil {
		t.Errorf("range of left is %v to %v, %v", lo, hi, err)
	}
	if lo, hi, err := m.JointRange("right"); !math.IsInf(lo, -1) || !math.IsInf(hi, 1) || err != nil {
		t.Errorf("range of right is %v to %v, %v; want none", lo, hi, err)
	}
	if _, _, err := m.JointRange("lft"); err == nil || !strings.Contains(err.Error(), `"left"`) {
		t.Errorf("range of lft: %v, want the nearest named", err)
	}
}

func TestKeyframe(t *testing.T) {
	m := open(t, hopper, Options{})
	state := make([]float64, m.StateSize())
	if err := m.Keyframe("home", state); err != nil {
		t.Fatal(err)
	}
	position, _ := m.Field("joint/left/position")
	control, _ := m.Field("control")
	if got := position.In(state)[0]; got != 0.005 {
		t.Errorf("left stands at %v in home, want 0.005", got)
	}
	if got, want := control.In(state), []float64{0.005, -0.02, 0}; !slices.Equal(got, want) {
		t.Errorf("control in home is %v, want %v", got, want)
	}
	if err := m.Keyframe("hom", state); err == nil || !strings.Contains(err.Error(), `"home"`) {
		t.Errorf("keyframe hom: %v, want the nearest named", err)
	}
}

func TestUnknownNames(t *testing.T) {
	m := open(t, hopper, Options{})
	if _, err := m.Probe("sensor/giro"); err == nil || !strings.Contains(err.Error(), `"sensor/gyro"`) {
		t.Errorf("probe sensor/giro: %v, want the nearest named", err)
	}
	if _, err := m.Field("joint/lefd/position"); err == nil || !strings.Contains(err.Error(), `"joint/left/position"`) {
		t.Errorf("field joint/lefd/position: %v, want the nearest named", err)
	}
	for _, source := range []string{"sensor/late_gyro", "sensor/slow_gyro"} {
		if _, err := m.Probe(source); err == nil || !strings.Contains(err.Error(), "delay") {
			t.Errorf("probe of %s: %v, want it refused for its delay or interval", source, err)
		}
	}
}

func TestTimestep(t *testing.T) {
	const step = 1.0 / 3000
	m := open(t, hopper, Options{Timestep: step})
	if m.Timestep() != step {
		t.Errorf("timestep is %v, want %v", m.Timestep(), step)
	}
	raw := bareLoop(t, m, 1)
	if err := raw.Run(make([]float64, m.ControlSize()), nil, nil, 1); err != nil {
		t.Fatal(err)
	}
	state := make([]float64, m.StateSize())
	raw.State(0, state)
	if state[0] != step {
		t.Errorf("a substep took %v s, want %v", state[0], step)
	}
	for _, bad := range []float64{-1, math.NaN(), math.Inf(1)} {
		if m, err := Load(hopper, Options{Timestep: bad}); err == nil {
			m.Close()
			t.Errorf("timestep %v was accepted", bad)
		}
	}
}

// A model that does not load is an error of one line that names the file and
// says what is wrong, and nothing is written into the working folder.
func TestLoadErrors(t *testing.T) {
	scene := func(text string) func(testing.TB) string {
		return func(t testing.TB) string { return write(t, text) }
	}
	for _, c := range []struct {
		name, want string
		path       func(testing.TB) string
	}{
		{"missing", "no such file", func(t testing.TB) string { return filepath.Join(t.TempDir(), "none.xml") }},
		{"folder", "not a regular file", func(t testing.TB) string { return t.TempDir() }},
		{"zero byte in the path", "invalid argument", func(testing.TB) string { return "a\x00b.xml" }},
		{"empty", "XML", scene("")},
		{"not XML", "XML", scene("hello, world")},
		{"binary", "XML", scene("\x7fELF\x00\x01\xff\xfe")},
		{"cut short", "XML", scene("<mujoco><worldbody><body>")},
		{"unknown element", "legs", scene("<mujoco><legs/></mujoco>")},
		{"unknown joint", "knee", scene(`<mujoco><actuator><motor joint="knee"/></actuator></mujoco>`)},
		{"no mass", "mass", scene(`<mujoco><worldbody><body><freejoint/></body></worldbody></mujoco>`)},
		{"missing include", "none.xml", scene(`<mujoco><include file="none.xml"/></mujoco>`)},
		{"missing mesh", "none.obj", scene(`<mujoco><asset><mesh name="m" file="none.obj"/></asset><worldbody><geom type="mesh" mesh="m"/></worldbody></mujoco>`)},
		{"too little memory", "memory", scene(`<mujoco><size memory="1"/><worldbody><body><freejoint/><geom size="1"/></body></worldbody></mujoco>`)},
		{"too much memory", "memory", scene(`<mujoco><size memory="8000000T"/><worldbody><body><freejoint/><geom size="1"/></body></worldbody></mujoco>`)},
		{"deep", "XML", scene("<mujoco><worldbody>" + strings.Repeat("<body>", 100_000) + "</worldbody></mujoco>")},
		{"entity bomb", "", scene(`<!DOCTYPE m [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;">]><mujoco model="&b;"><legs/></mujoco>`)},
		{"NaN", "", scene(`<mujoco><worldbody><body pos="nan 0 0"><freejoint/><geom size="nan"/></body></worldbody></mujoco>`)},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.name == "too much memory" && !mallocRefuses {
				t.Skip("not with the address sanitizer")
			}
			path := c.path(t)
			m, err := Load(path, Options{})
			if err == nil {
				m.Close()
				t.Fatal("loaded")
			}
			t.Log(err)
			if !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("error is %q, want one line with %q and %q", err, path, c.want)
			}
		})
	}
	if _, err := os.Stat("MUJOCO_LOG.TXT"); err == nil {
		t.Error("MuJoCo wrote MUJOCO_LOG.TXT")
	}
}

// A model given as bytes is the model of the file, and nothing is read from disk.
func TestLoadBytes(t *testing.T) {
	text, err := os.ReadFile(hopper)
	if err != nil {
		t.Fatal(err)
	}
	m, err := LoadBytes("no/such/folder/hopper.xml", text, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	got, want := make([]float64, m.StateSize()), make([]float64, m.StateSize())
	m.InitialState(got)
	open(t, hopper, Options{}).InitialState(want)
	if !slices.Equal(got, want) {
		t.Errorf("initial state is %v, want %v", got, want)
	}

	for _, text := range []string{"", "hello, world", `<mujoco><include file="none.xml"/></mujoco>`} {
		m, err := LoadBytes("mine.xml", []byte(text), Options{})
		if err == nil {
			m.Close()
			t.Errorf("loaded %q", text)
		} else if !strings.Contains(err.Error(), "mine.xml") {
			t.Errorf("error is %q, want it to name mine.xml", err)
		}
	}
}

func TestWarnings(t *testing.T) {
	if m := open(t, hopper, Options{}); m.Warnings() != "" {
		t.Errorf("warnings of a clean model are %q", m.Warnings())
	}
	warned := write(t, `<mujoco><compiler settotalmass="3"/><worldbody><body><freejoint/><geom size="1"/></body></worldbody></mujoco>`)
	if m := open(t, warned, Options{}); !strings.Contains(m.Warnings(), "settotalmass") {
		t.Errorf("warnings are %q, want the one on settotalmass", m.Warnings())
	}
}

// A model stays while a bare loop uses it; physicstest looks at steppers.
func TestCloseOrder(t *testing.T) {
	m, err := Load(hopper, Options{})
	if err != nil {
		t.Fatal(err)
	}
	raw, err := NewBaseline(m, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Close(); err == nil {
		t.Error("closed a model with a bare loop open")
	}
	raw.Close()
	if err := m.Close(); err != nil {
		t.Error(err)
	}
}

func TestLeakIsLoud(t *testing.T) {
	physicstest.Leak(t, func() error {
		_, err := Load(hopper, Options{})
		return err
	}, "mujoco: a model was never closed", "load_test.go")
}

// Whatever the text of a model, loading it ends in a model or an error.
func FuzzLoad(f *testing.F) {
	scene, err := os.ReadFile(hopper)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(scene)
	f.Add([]byte(`<mujoco><worldbody><body><freejoint/><geom size="1"/></body></worldbody></mujoco>`))
	f.Add([]byte(`<mujoco><size nkey="3" memory="1M"/><keyframe><key name="a" qpos="1"/></keyframe></mujoco>`))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := Load(write(t, string(text)), Options{})
		if err != nil {
			return
		}
		defer m.Close()
		s, err := m.NewStepper(1, physics.Outputs{})
		if err != nil {
			return
		}
		defer s.Close()
		rows := physics.NewRows(m, 1, physics.Outputs{}, 2)
		s.Forward(rows, []int32{0})
		s.Step(rows, []int32{0}, []int32{1})
	})
}

// Contacts and constraints that do not fit are left out without a fault, and counted:
// once a step, since the model is of Euler's.
func TestOverflow(t *testing.T) {
	var balls strings.Builder
	for i := range 40 {
		fmt.Fprintf(&balls, `<body pos="%g %g 0.05"><freejoint/><geom size="0.1"/></body>`, 0.15*float64(i%6), 0.15*float64(i/6))
	}
	for _, c := range []struct{ memory, want string }{
		{"60K", "contacts were left out 7 times, constraints 7 times"},
		{"100K", "contacts were left out 0 times, constraints 7 times"},
		{"10M", ""},
	} {
		m := open(t, write(t, `<mujoco><size memory="`+c.memory+`"/><worldbody><geom type="plane" size="5 5 1"/>`+balls.String()+`</worldbody></mujoco>`), Options{})
		s, err := m.NewStepper(2, physics.Outputs{})
		if err != nil {
			t.Fatal(err)
		}
		rows := physics.NewRows(m, 2, physics.Outputs{}, 4)
		s.Forward(rows, []int32{1})
		if n := s.Step(rows, []int32{0, 1}, []int32{3, 3}); n != 0 {
			t.Errorf("%s: %d faults: %s", c.memory, n, s.FaultMessage(0))
		}
		if got := m.Overflow(); got != "" {
			t.Errorf("%s: %q while the stepper is open", c.memory, got)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if got := m.Overflow(); (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.memory, got, c.want)
		}
	}
}

// A model, what it includes and its meshes are found in a file system as on disk.
func TestLoadFS(t *testing.T) {
	pyramid := "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
	files := fstest.MapFS{
		"robots/arm.xml": {Data: []byte(`<mujoco><compiler meshdir="meshes"/><include file="parts.xml"/>
			<worldbody><body><joint name="shoulder"/><geom type="mesh" mesh="link"/></body></worldbody></mujoco>`)},
		"robots/parts.xml":       {Data: []byte(`<mujoco><asset><mesh name="link" file="link.obj"/></asset></mujoco>`)},
		"robots/meshes/link.obj": {Data: []byte(pyramid)},
		"robots/empty":           {},
	}
	m, err := LoadFS(files, "robots/arm.xml", Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := m.JointNames(); !slices.Equal(got, []string{"shoulder"}) {
		t.Errorf("joints %q", got)
	}
	if err := m.Close(); err != nil {
		t.Error(err)
	}
	if _, err := LoadFS(files, "arm.xml", Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
	delete(files, "robots/meshes/link.obj")
	if _, err := LoadFS(files, "robots/arm.xml", Options{}); err == nil || !strings.Contains(err.Error(), "link.obj") {
		t.Errorf("a mesh that is not there: %v", err)
	}
}
