package quadruped

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/mujoco"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sensors"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// channels are those the task reads, without noise or latency, so that they
// show the true state.
func channels() []sensors.Channel {
	var position, velocity, touch []string
	for _, leg := range legNames {
		for _, joint := range jointNames {
			position = append(position, "sensor/"+leg+"_"+joint+"_pos")
			velocity = append(velocity, "sensor/"+leg+"_"+joint+"_vel")
		}
		touch = append(touch, "sensor/"+leg+"_touch")
	}
	return []sensors.Channel{
		{Name: Gyro, Runner: "Robot", Sources: []string{"sensor/imu_gyro"}},
		{Name: Orientation, Runner: "Robot", Sources: []string{"sensor/imu_quat"}},
		{Name: JointPosition, Runner: "Robot", Sources: position},
		{Name: JointVelocity, Runner: "Robot", Sources: velocity},
		{Name: FootContact, Runner: "Sensors", Sources: touch},
	}
}

var clock = []runners.Runner{
	{Name: "Robot", Rate: runners.Hz(50)},
	{Name: "Sensors", Rate: runners.Hz(500)},
}

func load(t testing.TB) *mujoco.Model {
	t.Helper()
	m, err := mujoco.Load("quadruped.xml", mujoco.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return m
}

func compile(t testing.TB, m physics.Model, channels []sensors.Channel) *sensors.Suite {
	t.Helper()
	suite, err := sensors.Compile(m, runners.Hz(500), clock, channels)
	if err != nil {
		t.Fatal(err)
	}
	return suite
}

// run is a simulation of the task. before is called at every control instant
// before reward and observation, after when both are there; either may be nil.
type run struct {
	*sim.Sim
	task *Quadruped
}

func newRun(t testing.TB, m physics.Model, worlds int, opt Options, before, after sim.Callback) run {
	t.Helper()
	suite := compile(t, m, channels())
	task, err := New(m, suite, 0.02, opt)
	if err != nil {
		t.Fatal(err)
	}
	bind := func(name, runner string, phase runners.Phase, priority int, b sim.Binding) sim.Binding {
		b.Binding = runners.Binding{Name: name, Runner: runner, Phase: phase, Priority: priority}
		return b
	}
	c := sim.Config{
		Model: m, Task: task, Sensors: suite, Runners: clock,
		Worlds: worlds, Workers: 1, Seed: 3,
		Bindings: []sim.Binding{
			bind("observation", "Robot", runners.Acquisition, 0, sim.Binding{Role: sim.Observe}),
			bind("controller", "Robot", runners.Control, 0, sim.Binding{Role: sim.Act}),
			bind("physics", "Robot", runners.Physics, 0, sim.Binding{Role: sim.Integrate, Substeps: 10}),
		},
	}
	for i := range suite.Len() {
		info := suite.Info(i)
		c.Bindings = append(c.Bindings, bind(info.Name, info.Runner, runners.Acquisition, -10, sim.Binding{Role: sim.Sense, Channel: i}))
	}
	if before != nil {
		c.Bindings = append(c.Bindings, bind("before", "Robot", runners.Acquisition, -1, sim.Binding{Call: before}))
	}
	if after != nil {
		c.Bindings = append(c.Bindings, bind("after", "Robot", runners.Acquisition, 1, sim.Binding{Call: after}))
	}
	s, err := sim.New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return run{s, task}
}

// act fills every world's action with draws from a Gaussian; some lie outside
// the bounds.
func (r run) act(random *rand.Rand) {
	for _, b := range r.Blocks() {
		for i := range b.Action() {
			b.Action()[i] = float32(0.7 * random.NormFloat64())
		}
	}
}

func (r run) step(t testing.TB) {
	t.Helper()
	if err := r.Step(); err != nil {
		t.Fatal(err)
	}
}

// matrix is the rotation of the unit quaternion q, from the body to the world,
// by Rodrigues' formula for its axis and angle.
func matrix(q []float64) (r [3][3]float64) {
	angle := 2 * math.Acos(min(max(q[0], -1), 1))
	s := math.Sin(angle / 2)
	if s == 0 {
		return [3][3]float64{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}
	}
	x, y, z := q[1]/s, q[2]/s, q[3]/s
	k := [3][3]float64{{0, -z, y}, {z, 0, -x}, {-y, x, 0}}
	for i := range 3 {
		for j := range 3 {
			if i == j {
				r[i][j] = 1
			}
			r[i][j] += math.Sin(angle) * k[i][j]
			for l := range 3 {
				r[i][j] += (1 - math.Cos(angle)) * k[i][l] * k[l][j]
			}
		}
	}
	return r
}

// layout reads a state as the model file lays it out: a free joint, then twelve
// hinges.
type layout struct{ qpos, qvel physics.Span }

func layoutOf(t testing.TB, m physics.Model) layout {
	t.Helper()
	var l layout
	var err error
	if l.qpos, err = m.Field("qpos"); err != nil {
		t.Fatal(err)
	}
	if l.qvel, err = m.Field("qvel"); err != nil {
		t.Fatal(err)
	}
	if l.qpos.Len != 19 || l.qvel.Len != 18 {
		t.Fatalf("qpos and qvel have %d and %d values, want 19 and 18", l.qpos.Len, l.qvel.Len)
	}
	return l
}

func (l layout) of(w *sim.World) (qpos, qvel []float64) {
	return l.qpos.In(w.State()), l.qvel.In(w.State())
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(1, math.Abs(a), math.Abs(b)) }

// only is a reward of a single term.
func only(key string, weight float64) Reward {
	var r Reward
	*map[string]*float64{
		"velocity":    &r.Velocity,
		"yaw_rate":    &r.YawRate,
		"gait":        &r.Gait,
		"alive":       &r.Alive,
		"bounce":      &r.Bounce,
		"roll":        &r.Roll,
		"tilt":        &r.Tilt,
		"action_rate": &r.ActionRate,
		"joint_speed": &r.JointSpeed,
	}[key] = weight
	return r
}

// TestRewardTermByTerm turns on one term at a time and compares every reward of
// a few hundred random steps with the formula, written out from the state.
func TestRewardTermByTerm(t *testing.T) {
	type step struct {
		qpos, qvel   []float64
		action, last []float64
		command      []float64
		touch        []float64
		seconds      float64
	}
	formulas := map[string]func(s step) float64{
		"velocity": func(s step) float64 {
			r := matrix(s.qpos[3:7])
			yaw := math.Atan2(r[1][0], r[0][0])
			forward := s.qvel[0]*math.Cos(yaw) + s.qvel[1]*math.Sin(yaw)
			left := s.qvel[1]*math.Cos(yaw) - s.qvel[0]*math.Sin(yaw)
			return math.Exp(-(math.Pow(forward-s.command[0], 2) + math.Pow(left-s.command[1], 2)) / 0.25)
		},
		"yaw_rate": func(s step) float64 { return math.Exp(-math.Pow(s.qvel[5]-s.command[2], 2) / 0.25) },
		"gait": func(s step) float64 {
			right := 0.0
			for leg, offset := range []float64{0, 0.5, 0.5, 0} {
				if (s.touch[leg] > 5) == (math.Mod(2*s.seconds+offset, 1) < 0.5) {
					right += 0.25
				}
			}
			return right
		},
		"alive":  func(step) float64 { return 1 },
		"bounce": func(s step) float64 { return s.qvel[2] * s.qvel[2] },
		"roll":   func(s step) float64 { return s.qvel[3]*s.qvel[3] + s.qvel[4]*s.qvel[4] },
		"tilt": func(s step) float64 {
			lean := math.Acos(matrix(s.qpos[3:7])[2][2])
			return math.Pow(math.Sin(lean), 2)
		},
		"action_rate": func(s step) (sum float64) {
			for i := range s.action {
				sum += math.Pow(s.action[i]-s.last[i], 2)
			}
			return sum
		},
		"joint_speed": func(s step) (sum float64) {
			for _, v := range s.qvel[6:] {
				sum += v * v
			}
			return sum
		},
	}

	every := Reward{Velocity: 1, YawRate: 1, Gait: 1, Alive: 1, Bounce: 1, Roll: 1, Tilt: 1, ActionRate: 1, JointSpeed: 1}
	if got, want := len(terms(&every)), len(formulas); got != want {
		t.Fatalf("there are %d terms, the test knows %d", got, want)
	}
	for _, term := range terms(&every) {
		t.Run(term.key, func(t *testing.T) {
			opt := DefaultOptions()
			opt.Command = Command{Forward: []float64{-1, 1}, Left: []float64{-0.5, 0.5}, YawRate: []float64{-1, 1}}
			const weight = -0.7
			opt.Reward = only(term.key, weight)

			m := load(t)
			state := layoutOf(t, m)
			var r run
			var want float64
			last := make([]float64, joints)
			before := func(_ *runners.StepContext, w *sim.World) {
				if w.NS() == 0 {
					clear(last)
					return
				}
				qpos, qvel := state.of(w)
				s := step{qpos: qpos, qvel: qvel, last: slices.Clone(last), command: w.Memory()[:3], touch: make([]float64, legs), seconds: float64(w.NS()) / 1e9}
				action, _, _ := w.Action()
				for i, a := range action {
					last[i] = min(max(float64(a), -1), 1)
				}
				s.action = last
				if channel, err := r.Sensors().Find(FootContact); err != nil {
					t.Error(err)
				} else {
					w.Read(s.touch, channel)
				}
				want = weight * formulas[term.key](s)
			}
			r = newRun(t, m, 1, opt, before, nil)
			random := rand.New(rand.NewPCG(1, 2))
			values := map[float64]bool{}
			for range 300 {
				r.act(random)
				r.step(t)
				got := r.Blocks()[0].Reward()[0]
				if !near(got, want) {
					t.Fatalf("reward %v, want %v", got, want)
				}
				values[got] = true
			}
			if len(values) < 3 && term.key != "alive" {
				t.Errorf("only %d different rewards in 300 steps: the walk does not exercise the term", len(values))
			}
		})
	}
}

func TestRewardIsTheWeightedSum(t *testing.T) {
	opt := DefaultOptions()
	keys := []string{"velocity", "yaw_rate", "gait", "alive", "bounce", "roll", "tilt", "action_rate", "joint_speed"}
	weights := map[string]float64{}
	for _, term := range terms(&opt.Reward) {
		weights[term.key] = term.weight
	}
	rewards := func(reward Reward) (sum []float64) {
		opt := opt
		opt.Reward = reward
		r := newRun(t, load(t), 2, opt, nil, nil)
		random := rand.New(rand.NewPCG(5, 6))
		for range 50 {
			r.act(random)
			r.step(t)
			sum = append(sum, r.Blocks()[0].Reward()...)
		}
		return sum
	}
	want := make([]float64, 100)
	for _, key := range keys {
		for i, v := range rewards(only(key, weights[key])) {
			want[i] += v
		}
	}
	for i, got := range rewards(opt.Reward) {
		if !near(got, want[i]) {
			t.Fatalf("step %d of world %d: reward %v, the terms add up to %v", i/2, i%2, got, want[i])
		}
	}
}

func TestObservation(t *testing.T) {
	opt := DefaultOptions()
	opt.Command = Command{Forward: []float64{-1, 1}, Left: []float64{-0.5, 0.5}, YawRate: []float64{-1, 1}}
	m := load(t)
	state := layoutOf(t, m)
	var r run
	var checked int
	home := []float64{0, 0.8, -1.6}
	after := func(_ *runners.StepContext, w *sim.World) {
		if r.Sim == nil {
			return // the first episodes begin inside New
		}
		qpos, qvel := state.of(w)
		rotation := matrix(qpos[3:7])
		want := slices.Clone(w.Memory()[:3])
		for _, v := range qvel[3:6] {
			want = append(want, 0.25*v)
		}
		for i := range 3 {
			want = append(want, -rotation[2][i])
		}
		for i, v := range qpos[7:] {
			want = append(want, v-home[i%3])
		}
		for _, v := range qvel[6:] {
			want = append(want, 0.05*v)
		}
		action, _, _ := w.Action()
		for _, a := range action {
			want = append(want, min(max(float64(a), -1), 1))
		}
		angle := 2 * math.Pi * 2 * float64(w.NS()) / 1e9
		want = append(want, math.Sin(angle), math.Cos(angle))

		got, _, _ := w.Observation()
		names := r.task.Spec().ObservationNames
		if len(got) != len(want) || len(names) != len(want) {
			t.Errorf("%d values and %d names observed, want %d", len(got), len(names), len(want))
			return
		}
		for i := range want {
			if math.Abs(got[i]-want[i]) > 1e-7 {
				t.Errorf("world %d at %d ns: observed %s = %v, want %v", w.Index(), w.NS(), names[i], got[i], want[i])
			}
		}
		checked++
	}
	r = newRun(t, m, 3, opt, nil, after)
	random := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		r.act(random)
		r.step(t)
	}
	if checked < 900 {
		t.Errorf("%d observations checked, want at least 900", checked)
	}
}

func TestStartIsWithinItsBounds(t *testing.T) {
	opt := DefaultOptions()
	opt.Command = Command{Forward: []float64{-0.4, 1}, Left: []float64{0.1, 0.3}, YawRate: []float64{-2, -1}}
	opt.Start = Start{Lift: 0.05, Joint: 0.2, Velocity: 0.3, Rotation: 0.4}
	type bound struct {
		name      string
		low, high float64
	}
	bounds := []bound{
		{"height", 0.301, 0.351}, {"heading", -math.Pi, math.Pi},
		{"vx", -0.3, 0.3}, {"vy", -0.3, 0.3}, {"vz", -0.3, 0.3},
		{"roll rate", -0.4, 0.4}, {"pitch rate", -0.4, 0.4}, {"yaw rate", -0.4, 0.4},
		{"command forward", -0.4, 1}, {"command left", 0.1, 0.3}, {"command yaw rate", -2, -1},
	}
	for i, home := range []float64{0, 0.8, -1.6, 0, 0.8, -1.6, 0, 0.8, -1.6, 0, 0.8, -1.6} {
		bounds = append(bounds, bound{fmt.Sprint("joint ", i), home - 0.2, home + 0.2})
	}
	lowest, highest := make([]float64, len(bounds)), make([]float64, len(bounds))
	for i, b := range bounds {
		lowest[i], highest[i] = b.high, b.low
	}
	m := load(t)
	state := layoutOf(t, m)
	starts := 0
	before := func(_ *runners.StepContext, w *sim.World) {
		if w.NS() > 0 {
			return
		}
		starts++
		qpos, qvel := state.of(w)
		if qpos[0] != 0 || qpos[1] != 0 || qpos[4] != 0 || qpos[5] != 0 {
			t.Errorf("world %d starts at %v, want x, y and lean 0", w.Index(), qpos[:7])
		}
		for _, v := range qvel[6:] {
			if v != 0 {
				t.Errorf("world %d starts with joint velocity %v, want 0", w.Index(), v)
			}
		}
		values := []float64{qpos[2], 2 * math.Atan2(qpos[6], qpos[3])}
		values = append(values, qvel[:6]...)
		values = append(values, w.Memory()[:3]...)
		values = append(values, qpos[7:]...)
		for i, v := range values {
			lowest[i], highest[i] = min(lowest[i], v), max(highest[i], v)
		}
		for _, v := range w.Memory()[3:] {
			if v != 0 {
				t.Errorf("world %d remembers action %v at its start, want 0", w.Index(), v)
			}
		}
	}
	newRun(t, m, 500, opt, before, nil)
	if starts != 500 {
		t.Fatalf("%d worlds started, want 500", starts)
	}
	for i, b := range bounds {
		if lowest[i] < b.low || highest[i] > b.high {
			t.Errorf("%s starts from %v to %v, want within [%v, %v]", b.name, lowest[i], highest[i], b.low, b.high)
		}
		if width := b.high - b.low; highest[i]-lowest[i] < 0.95*width {
			t.Errorf("%s starts from %v to %v, want most of [%v, %v]", b.name, lowest[i], highest[i], b.low, b.high)
		}
	}
}

// TestFall puts the trunk somewhere just before its episode may end.
func TestFall(t *testing.T) {
	opt := DefaultOptions()
	for _, c := range []struct {
		name        string
		height      float64
		roll, pitch float64
		fallen      bool
	}{
		{"standing", 0.3, 0, 0, false},
		{"low", opt.Fall.Height + 1e-6, 0, 0, false},
		{"too low", opt.Fall.Height - 1e-6, 0, 0, true},
		{"leaning left", 0.3, -opt.Fall.Tilt + 1e-6, 0, false},
		{"fallen left", 0.3, -opt.Fall.Tilt - 1e-6, 0, true},
		{"nose down", 0.3, 0, opt.Fall.Tilt - 1e-6, false},
		{"on its nose", 0.3, 0, opt.Fall.Tilt + 1e-6, true},
		{"on its back", 0.3, math.Pi, 0, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := load(t)
			state := layoutOf(t, m)
			before := func(_ *runners.StepContext, w *sim.World) {
				if w.NS() == 0 {
					return
				}
				qpos, _ := state.of(w)
				qpos[2] = c.height
				half := (c.roll + c.pitch) / 2 // one of them is 0
				qpos[3], qpos[4], qpos[5], qpos[6] = math.Cos(half), 0, 0, 0
				if c.roll != 0 {
					qpos[4] = math.Sin(half)
				} else {
					qpos[5] = math.Sin(half)
				}
			}
			r := newRun(t, m, 1, opt, before, nil)
			r.step(t)
			if got := r.Blocks()[0].Terminated()[0]; got != c.fallen {
				t.Errorf("terminated %v, want %v", got, c.fallen)
			}
		})
	}
}

func TestActionMovesTargetsFromHome(t *testing.T) {
	var targets []float64
	m := load(t)
	span, err := m.Field("control")
	if err != nil {
		t.Fatal(err)
	}
	before := func(_ *runners.StepContext, w *sim.World) { targets = slices.Clone(span.In(w.State())) }
	opt := DefaultOptions()
	opt.Action = Action{Abduction: 0.25, Hip: 0.5, Knee: 2}
	r := newRun(t, m, 1, opt, before, nil)
	for _, c := range []struct {
		action float32
		want   [3]float64
	}{
		{0, [3]float64{0, 0.8, -1.6}},
		{0.5, [3]float64{0.125, 1.05, -0.6}},
		{-0.375, [3]float64{-0.09375, 0.6125, -2.35}},
		{1, [3]float64{0.25, 1.3, -0.5}},   // a knee cannot be straightened further
		{-3, [3]float64{-0.25, 0.3, -2.6}}, // nor bent; -3 counts as -1
	} {
		for i := range joints {
			r.Blocks()[0].Action()[i] = c.action
		}
		r.step(t)
		for i, got := range targets {
			if !near(got, c.want[i%3]) {
				t.Errorf("action %v: target %d is %v, want %v", c.action, i, got, c.want[i%3])
			}
		}
	}
}

// TestStandsAtHome leaves the robot alone: it must not fall or wander.
func TestStandsAtHome(t *testing.T) {
	m := load(t)
	state := layoutOf(t, m)
	var position [3]float64
	after := func(_ *runners.StepContext, w *sim.World) {
		qpos, _ := state.of(w)
		position = [3]float64(qpos)
	}
	opt := DefaultOptions()
	opt.Start.Velocity, opt.Start.Rotation = 0, 0
	r := newRun(t, m, 1, opt, nil, after)
	for step := range 250 {
		r.step(t)
		if r.Blocks()[0].Terminated()[0] {
			t.Fatalf("fell in step %d", step)
		}
	}
	if height := position[2]; height < 0.25 || height > 0.31 {
		t.Errorf("stands %v m high, want 0.25 to 0.31", height)
	}
	if strayed := math.Hypot(position[0], position[1]); strayed > 0.1 {
		t.Errorf("strayed %v m in 5 s, want at most 0.1", strayed)
	}
}

func TestEpisodeLastsTwentySeconds(t *testing.T) {
	m := load(t)
	suite := compile(t, m, channels())
	for dt, want := range map[float64]int64{0.02: 1000, 0.01: 2000, 3.0 / 200: 1333} {
		task, err := New(m, suite, dt, DefaultOptions())
		if err != nil {
			t.Fatal(err)
		}
		if got := task.Spec().MaxSteps; got != want {
			t.Errorf("with %v s a step: %d steps, want %d", dt, got, want)
		}
	}
}

// TestModelSensors holds the model to what recordings of it promise.
func TestModelSensors(t *testing.T) {
	m := load(t)
	values := 0
	want := map[string]int{"sensor/imu_gyro": 3, "sensor/imu_accel": 3, "sensor/imu_quat": 4}
	for _, c := range channels()[2:] {
		for _, source := range c.Sources {
			want[source] = 1
		}
	}
	for source, size := range want {
		p, err := m.Probe(source)
		if err != nil {
			t.Error(err)
			continue
		}
		if p.Size != size {
			t.Errorf("%s has %d values, want %d", source, p.Size, size)
		}
		values += p.Size
	}
	if values != 38 {
		t.Errorf("%d sensor values, want 38", values)
	}
	if got := m.Timestep(); got != 0.002 {
		t.Errorf("timestep %v s, want 0.002", got)
	}
}

func TestNewNamesWhatIsWrong(t *testing.T) {
	m := load(t)
	all := channels()
	for _, c := range []struct {
		name     string
		channels []sensors.Channel
		change   func(*Options)
		want     string
	}{
		{"no gyro", all[1:], func(*Options) {}, `"gyro"`},
		{"no feet", all[:4], func(*Options) {}, `"foot_contact"`},
		{"wrong size", append(slices.Clone(all[1:]), sensors.Channel{Name: Gyro, Runner: "Robot", Sources: []string{"sensor/imu_quat"}}), func(*Options) {}, `"gyro" has 4 values, want 3`},
		{"one bound", all, func(o *Options) { o.Command.Left = []float64{1} }, "command.left is [1]"},
		{"bounds swapped", all, func(o *Options) { o.Command.Forward = []float64{1, 0} }, "command.forward is [1 0]"},
		{"not a number", all, func(o *Options) { o.Command.YawRate = []float64{0, math.NaN()} }, "command.yaw_rate is [0 NaN]"},
		{"no scale", all, func(o *Options) { o.Action.Knee = 0 }, "action.knee is 0"},
		{"no stance", all, func(o *Options) { o.Gait.Stance = 1 }, "gait.stance is 1"},
		{"negative start", all, func(o *Options) { o.Start.Joint = -1 }, "start.joint is -1"},
		{"infinite weight", all, func(o *Options) { o.Reward.Bounce = math.Inf(-1) }, "reward.bounce is -Inf"},
	} {
		t.Run(c.name, func(t *testing.T) {
			opt := DefaultOptions()
			c.change(&opt)
			_, err := New(m, compile(t, m, c.channels), 0.02, opt)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
		})
	}

	opt := DefaultOptions()
	opt.Reward.Gait = 0
	if _, err := New(m, compile(t, m, all[:4]), 0.02, opt); err != nil {
		t.Errorf("without the gait term: %v; it must do without foot_contact", err)
	}
}

func TestStepsWithoutAllocating(t *testing.T) {
	r := newRun(t, load(t), 4, DefaultOptions(), nil, nil)
	random := rand.New(rand.NewPCG(1, 2))
	b := r.Blocks()[0]
	err := r.Each(func(w *sim.Worker, block *sim.Block) error {
		if block != b {
			return nil
		}
		if n := testing.AllocsPerRun(200, func() {
			for i := range b.Action() {
				b.Action()[i] = float32(random.NormFloat64())
			}
			if err := b.Step(w); err != nil {
				t.Error(err)
			}
		}); n != 0 {
			t.Errorf("%v allocations a step, want 0", n)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestOptionsFromConfiguration changes some options and expects the others to
// stay as they are.
func TestOptionsFromConfiguration(t *testing.T) {
	got, want := DefaultOptions(), DefaultOptions()
	err := configs.DecodeOptions("task.options", map[string]any{
		"command": map[string]any{"yaw_rate": []any{-0.5, 0.5}},
		"reward":  map[string]any{"gait": 0, "tilt": -2.5},
	}, &got)
	if err != nil {
		t.Fatal(err)
	}
	want.Command.YawRate = []float64{-0.5, 0.5}
	want.Reward.Gait, want.Reward.Tilt = 0, -2.5
	if !reflect.DeepEqual(got, want) {
		t.Errorf("options %+v, want %+v", got, want)
	}

	err = configs.DecodeOptions("task.options", map[string]any{"reward": map[string]any{"speed": 1}}, &got)
	if err == nil || !strings.Contains(err.Error(), "task.options.reward.speed") {
		t.Errorf("unknown key: error %v, want one that names task.options.reward.speed", err)
	}
}
