package mujoco

import (
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/mujoco/scene"
	"github.com/polyrhythm-rl/polyrhythm/physics/physicstest"
)

func TestVersion(t *testing.T) {
	if v := Version(); !strings.HasPrefix(v, "4.0.") {
		t.Errorf("version is %q, want 4.0.x", v)
	}
}

func TestMetadata(t *testing.T) {
	m := open(t, hopper, Options{})
	polytest.Equal(t, m.Timestep(), 0.002, "timestep")
	// 1 time, 13 qpos, 11 qvel, 1 act, then history, warm start, control
	history := polytest.Must(m.Field("history"))(t)
	for name, want := range map[string][2]int{
		"time":                 {0, 1},
		"qpos":                 {1, 13},
		"qvel":                 {14, 11},
		"act":                  {25, 1},
		"warmstart":            {26 + history.Len, 11},
		"control":              {37 + history.Len, 3},
		"joint/root/position":  {1, 7},
		"joint/root/velocity":  {14, 6},
		"joint/right/position": {9, 1},
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
}

func TestKeyframe(t *testing.T) {
	m := open(t, hopper, Options{})
	state := make([]float64, m.StateSize())
	polytest.NoError(t, m.Keyframe("home", state))
	position, _ := m.Field("joint/left/position")
	control, _ := m.Field("control")
	if got := position.In(state)[0]; got != 0.005 {
		t.Errorf("left stands at %v in home, want 0.005", got)
	}
	polytest.EqualSlices(t, control.In(state), []float64{0.005, -0.02, 0}, "control in home")
	polytest.ErrorContains(t, m.Keyframe("hom", state), `"home"`)
}

func TestUnknownNames(t *testing.T) {
	m := open(t, hopper, Options{})
	polytest.ErrorContains(t, polytest.Err(m.Probe("sensor/giro")), `"sensor/gyro"`)
	polytest.ErrorContains(t, polytest.Err(m.Field("joint/lefd/position")), `"joint/left/position"`)
	for _, source := range []string{"sensor/late_gyro", "sensor/slow_gyro"} {
		polytest.ErrorContains(t, polytest.Err(m.Probe(source)), "delay")
	}
}

func TestTimestep(t *testing.T) {
	const step = 1.0 / 3000
	m := open(t, hopper, Options{Timestep: step})
	polytest.Equal(t, m.Timestep(), step, "timestep")
	raw := bareLoop(t, m, 1)
	polytest.NoError(t, raw.Run(make([]float64, m.ControlSize()), nil, nil, 1))
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
	for path, want := range map[string]string{
		filepath.Join(t.TempDir(), "none.xml"): "no such file",
		t.TempDir():                            "not a regular file",
		"a\x00b.xml":                           "invalid argument",
		write(t, "<mujoco><worldbody><body>"):  "XML",
		write(t, `<mujoco><actuator><motor joint="knee"/></actuator></mujoco>`): "knee",
		write(t, `<mujoco><asset><mesh name="m" file="none.obj"/></asset><worldbody>
			<geom type="mesh" mesh="m"/></worldbody></mujoco>`): "none.obj",
		write(t, `<mujoco><size memory="1"/><worldbody><body><freejoint/><geom size="1"/>
			</body></worldbody></mujoco>`): "memory",
		write(t, `<mujoco><size memory="8000000T"/><worldbody><body><freejoint/><geom size="1"/>
			</body></worldbody></mujoco>`): "memory",
		write(t, `<mujoco><worldbody><body pos="nan 0 0"><freejoint/><geom size="nan"/></body></worldbody>
			</mujoco>`): "NaN",
	} {
		err := polytest.Err(Load(path, Options{}))
		polytest.ErrorContains(t, err, want)
		if err == nil || !strings.Contains(err.Error(), path) || strings.Contains(err.Error(), "\n") {
			t.Errorf("error is %v, want one line with %q", err, path)
		}
	}
	if _, err := os.Stat("MUJOCO_LOG.TXT"); err == nil {
		t.Error("MuJoCo wrote MUJOCO_LOG.TXT")
	}
}

// A model given as bytes is the model of the file, and nothing is read from disk.
func TestLoadBytes(t *testing.T) {
	text := polytest.Must(os.ReadFile(hopper))(t)
	m := polytest.Must(LoadBytes("no/such/folder/hopper.xml", text, Options{}))(t)
	defer m.Close()
	got, want := make([]float64, m.StateSize()), make([]float64, m.StateSize())
	m.InitialState(got)
	open(t, hopper, Options{}).InitialState(want)
	polytest.EqualSlices(t, got, want, "initial state")

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
	warned := write(t, `<mujoco><compiler settotalmass="3"/><worldbody><body><freejoint/><geom size="1"/></body>
		</worldbody></mujoco>`)
	if m := open(t, warned, Options{}); !strings.Contains(m.Warnings(), "settotalmass") {
		t.Errorf("warnings are %q, want the one on settotalmass", m.Warnings())
	}
}

// A model stays while a bare loop uses it; physicstest looks at steppers.
func TestCloseOrder(t *testing.T) {
	m := polytest.Must(Load(hopper, Options{}))(t)
	raw := polytest.Must(NewBaseline(m, 1))(t)
	polytest.ErrorContains(t, m.Close(), "1 open")
	polytest.NoError(t, raw.Close())
	polytest.NoError(t, m.Close())
	defer func() {
		if why := fmt.Sprint(recover()); !strings.Contains(why, "the bare loop is closed") {
			t.Errorf("reading a closed loop: %s", why)
		}
	}()
	raw.State(0, make([]float64, m.StateSize()))
}

func TestLeakIsLoud(t *testing.T) {
	physicstest.Leak(t, func() error {
		_, err := Load(hopper, Options{})
		return err
	}, "mujoco: a model was never closed", "load_test.go")
}

// Contacts and constraints that do not fit are left out without a fault, and counted:
// once a step, since the model is of Euler's.
func TestOverflow(t *testing.T) {
	var balls strings.Builder
	for i := range 40 {
		fmt.Fprintf(&balls, `<body pos="%g %g 0.05"><freejoint/><geom size="0.1"/></body>`, 0.15*float64(i%6),
			0.15*float64(i/6))
	}
	for _, c := range []struct{ memory, want string }{
		{"60K", "contacts were left out 7 times, constraints 7 times"},
		{"100K", "contacts were left out 0 times, constraints 7 times"},
		{"10M", ""},
	} {
		m := open(t, write(t, `<mujoco><size memory="`+c.memory+`"/><worldbody>
			<geom type="plane" size="5 5 1"/>`+balls.String()+`</worldbody></mujoco>`), Options{})
		s := stepper(t, m, 2, physics.Outputs{})
		rows := physics.NewRows(m, 2, physics.Outputs{}, 4)
		s.Forward(rows, []int32{1})
		step(t, s, rows, []int32{0, 1}, []int32{3, 3})
		if got := m.Overflow(); got != "" {
			t.Errorf("%s: %q while the stepper is open", c.memory, got)
		}
		polytest.NoError(t, s.Close())
		if got := m.Overflow(); (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.memory, got, c.want)
		}
	}
}

// The memory that a model reserves for contacts is no memory that it takes: it may be more than scene.memory_mb. What is
// used of it counts.
func TestReservedMemory(t *testing.T) {
	model := func(attributes, bodies string) string {
		return write(t, `<mujoco><size `+attributes+`/><worldbody>
			<body><joint/><geom size=".1"/></body>`+bodies+`</worldbody></mujoco>`)
	}
	for _, size := range []string{`memory="3G"`, `njmax="8000" nconmax="4000"`} {
		m := open(t, model(size, ""), Options{})
		s := stepper(t, m, 1, physics.Outputs{})
		rows := physics.NewRows(m, 1, physics.Outputs{}, 4)
		s.Forward(rows, []int32{0})
		step(t, s, rows, []int32{0}, []int32{1})
	}
	// a thousand balls in one place touch one another half a million times
	heap := strings.Repeat(`<body><freejoint/><geom size=".1" pos="0 0 3"/></body>`, 1000)
	path := model(`memory="3G"`, heap)
	_, err := Compile(scene.Settings{Models: []scene.Model{{File: path}}, MemoryMB: 100}, "", Options{})
	polytest.ErrorContains(t, err, "it takes more than 100 MB of memory to compile (scene.memory_mb)")
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
	m := polytest.Must(LoadFS(files, "robots/arm.xml", Options{}))(t)
	if joints := m.Describe().Joints; len(joints) != 1 || joints[0].Name != "shoulder" {
		t.Errorf("joints %+v", joints)
	}
	polytest.NoError(t, m.Close())
	polytest.ErrorIs(t, polytest.Err(LoadFS(files, "arm.xml", Options{})), fs.ErrNotExist)
	delete(files, "robots/meshes/link.obj")
	polytest.ErrorContains(t, polytest.Err(LoadFS(files, "robots/arm.xml", Options{})), "link.obj")
}
