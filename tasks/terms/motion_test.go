package terms_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sim"
	"github.com/polyrhythm-rl/polyrhythm/tasks/motion"
)

// bow is a motion in which everything moves.
const bow = `
keyframes:
  - {time: 0s}
  - {time: 800ms, base: {x: 0.1, z: -0.04, yaw: 0.4}, joints: {"F._hip": 0.2, ".*_knee": -0.1}}
  - {time: 1600ms, base: {x: 0.2, y: 0.1, z: 0.02, pitch: 0.3, yaw: -0.3}, joints: {".*_abduction": 0.2}}
  - {time: 2500ms, base: {z: 0, pitch: 0, roll: 0.2}, joints: {"F._hip": 0}}
`

// imitating returns a task on the quadruped with every term of motions, for a motion in a file.
func imitating(file, command string) string {
	return `
block_size: 2
episode: 400ms
scale_rewards_by_dt: false
actions: [{term: joint_position, scale: 0.9}]
observations:
  policy:
    - {term: generated_commands, command: motion}
    - {term: motion_anchor_pos_b}
    - {term: motion_anchor_ori_b}
    - {term: robot_body_pos_b}
    - {term: robot_body_ori_b}
commands:
  - {term: motion, motion_file: ` + file + `, anchor_body: trunk, bodies: [trunk, ".*_shank", FL_thigh],
     ` + command + `}
rewards:
  - {term: motion_global_anchor_position_error_exp, weight: 1}
  - {term: motion_global_anchor_orientation_error_exp, weight: 1}
  - {term: motion_relative_body_position_error_exp, weight: 1}
  - {name: front, term: motion_relative_body_position_error_exp, bodies: ["F._shank"], std: 0.1, weight: 1}
  - {term: motion_relative_body_orientation_error_exp, weight: 1}
  - {term: motion_global_body_linear_velocity_error_exp, weight: 1}
  - {term: motion_global_body_angular_velocity_error_exp, weight: 1}
terminations:
  - {term: time_out}
  - {term: bad_anchor_pos, threshold: 0.2}
  - {term: bad_anchor_pos_z_only, threshold: 0.1, truncate: true}
  - {term: bad_anchor_ori, threshold: 0.15, truncate: true}
  - {term: bad_motion_body_pos, threshold: 0.25, truncate: true}
  - {term: bad_motion_body_pos_z_only, bodies: [".*_shank"], threshold: 0.15, truncate: true}
`
}

const scattered = `pose_range: {x: [-0.05, 0.05], z: [0, 0.05], roll: [-0.2, 0.2], pitch: [-0.3, 0.3], yaw: [-2, 2]},
  velocity_range: {x: [-0.5, 0.5], z: [-0.5, 0.5], yaw: [-1, 1]}, joint_position_range: [-0.2, 0.2]`

// clipFile writes a motion, and returns its path and the clip at the control rate of a robot.
func clipFile(t *testing.T, text string) (path string, c *motion.Clip, r *motion.Robot) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "motion.yaml")
	polytest.NoError(t, os.WriteFile(path, []byte(text), 0o666))
	config := polytest.Must(parse(t, "", plainAction+"observations: {policy: [{term: joint_pos_rel}]}\n"))(t)
	r = polytest.Must(env.OpenRobot(t.Context(), config))(t)
	t.Cleanup(func() { polytest.NoError(t, r.Model.Close()) })
	return path, polytest.Must(motion.Load(path, r, motion.LoadOptions{Rate: runners.Hz(50)}))(t), r
}

type matrix [3][3]float64

func matrixOf(q []float64) (m matrix) {
	w, x, y, z := q[0], q[1], q[2], q[3]
	return matrix{
		{w*w + x*x - y*y - z*z, 2 * (x*y - w*z), 2 * (x*z + w*y)},
		{2 * (x*y + w*z), w*w - x*x + y*y - z*z, 2 * (y*z - w*x)},
		{2 * (x*z - w*y), 2 * (y*z + w*x), w*w - x*x - y*y + z*z},
	}
}

func (m matrix) transposed() (r matrix) {
	for i := range 3 {
		for k := range 3 {
			r[i][k] = m[k][i]
		}
	}
	return r
}

func (m matrix) times(n matrix) (r matrix) {
	for i := range 3 {
		for k := range 3 {
			r[i][k] = m[i][0]*n[0][k] + m[i][1]*n[1][k] + m[i][2]*n[2][k]
		}
	}
	return r
}

func (m matrix) turn(v []float64) (r [3]float64) {
	for i := range 3 {
		r[i] = m[i][0]*v[0] + m[i][1]*v[1] + m[i][2]*v[2]
	}
	return r
}

// angle is that of the rotation between two matrices, by their distance: |A - B| = 2√2 sin φ/2.
func (m matrix) angle(n matrix) float64 {
	sum := 0.0
	for i := range 3 {
		for k := range 3 {
			sum += square(m[i][k] - n[i][k])
		}
	}
	return 2 * math.Asin(math.Min(1, math.Sqrt(sum/8)))
}

func minus(a, b []float64) []float64 { return []float64{a[0] - b[0], a[1] - b[1], a[2] - b[2]} }

// compared is where a body is, how it is turned and how it moves, of the motion, of the motion beside the robot, and of
// the robot.
type compared struct {
	p, near, robot            []float64
	turn, nearTurn, robotTurn matrix
	u, w, robotU              []float64
}

// compare looks at bodies of the robot beside frame k of a motion.
func compare(c *motion.Clip, k int, probe func(string) []float64, bodies ...string) (list []compared) {
	anchor := slices.Index(c.Bodies, "trunk")
	m, mq, _, _ := c.Body(k, anchor)
	a := probe("body/trunk/position")
	d := matrixOf(probe("body/trunk/quaternion")).times(matrixOf(mq).transposed())
	yaw := math.Atan2(d[1][0], d[0][0])
	turn := matrix{{math.Cos(yaw), -math.Sin(yaw), 0}, {math.Sin(yaw), math.Cos(yaw), 0}, {0, 0, 1}}
	for _, body := range bodies {
		p, q, u, w := c.Body(k, slices.Index(c.Bodies, body))
		arm := turn.turn(minus(p, m))
		list = append(list, compared{
			p, []float64{a[0] + arm[0], a[1] + arm[1], m[2] + arm[2]}, probe("body/" + body + "/position"),
			matrixOf(q), turn.times(matrixOf(q)), matrixOf(probe("body/" + body + "/quaternion")),
			u, w, probe("body/" + body + "/velocity"),
		})
	}
	return list
}

func meanOf(list []compared, f func(c *compared) float64) float64 {
	sum := 0.0
	for i := range list {
		sum += f(&list[i])
	}
	return sum / float64(len(list))
}

var followed = []string{"trunk", "FL_thigh", "FL_shank", "FR_shank", "RL_shank", "RR_shank"}

// imitator compares what the task says of each step with naive formulas.
type imitator struct {
	t      *testing.T
	clip   *motion.Clip
	robot  *motion.Robot
	spec   sim.Spec
	seen   map[string]int // how often each termination held
	all    []map[string]float64
	frames []int // of each world: what is to be imitated next; -1 if its episode ended
}

func (b *imitator) info(w *sim.World, name string) float64 {
	i := slices.Index(b.spec.InfoNames, name)
	if i < 0 {
		b.t.Fatalf("no info %s among %v", name, b.spec.InfoNames)
	}
	return w.Info()[i]
}

func (b *imitator) Rewarded(w *sim.World, _ float64) {
	k := int(b.info(w, "motion/start")) + int(w.Steps())
	probe := func(source string) []float64 {
		values, _ := w.Probe(slices.Index(b.spec.Probes, source))
		return values
	}
	list := compare(b.clip, k, probe, followed...)
	front := compare(b.clip, k, probe, "FL_shank", "FR_shank")
	trunk := &list[0]
	near := func(c *compared) float64 { return square(length(minus(c.near, c.robot))) }
	speed := func(c *compared) float64 { return length(minus(c.u, c.robotU)) }
	spin := func(c *compared) float64 { return length(minus(c.w, c.robotU[3:])) }
	qSum, uSum := 0.0, 0.0
	position, velocity := b.clip.Joint(k)
	for i, j := range b.robot.Joints {
		qSum += square(position[i] - w.State()[j.Position])
		uSum += square(velocity[i] - w.State()[j.Velocity])
	}
	want := map[string]float64{
		"reward/motion_global_anchor_position_error_exp":    math.Exp(-square(length(minus(trunk.p, trunk.robot))) / 0.09),
		"reward/motion_global_anchor_orientation_error_exp": math.Exp(-square(trunk.turn.angle(trunk.robotTurn)) / 0.16),
		"reward/motion_relative_body_position_error_exp":    math.Exp(-meanOf(list, near) / 0.09),
		"reward/front": math.Exp(-meanOf(front, near) / 0.01),
		"reward/motion_relative_body_orientation_error_exp": math.Exp(-meanOf(list, func(c *compared) float64 {
			return square(c.nearTurn.angle(c.robotTurn))
		}) / 0.16),
		"reward/motion_global_body_linear_velocity_error_exp": math.Exp(-meanOf(list,
			func(c *compared) float64 { return square(speed(c)) })),
		"reward/motion_global_body_angular_velocity_error_exp": math.Exp(-meanOf(list,
			func(c *compared) float64 { return square(spin(c)) }) / square(3.14)),
		"motion/error_anchor_pos":     length(minus(trunk.p, trunk.robot)),
		"motion/error_anchor_rot":     trunk.turn.angle(trunk.robotTurn),
		"motion/error_anchor_lin_vel": speed(trunk),
		"motion/error_anchor_ang_vel": spin(trunk),
		"motion/error_body_pos":       meanOf(list, func(c *compared) float64 { return length(minus(c.near, c.robot)) }),
		"motion/error_body_rot":       meanOf(list, func(c *compared) float64 { return c.nearTurn.angle(c.robotTurn) }),
		"motion/error_body_lin_vel":   meanOf(list, speed),
		"motion/error_body_ang_vel":   meanOf(list, spin),
		"motion/mpkpe":                meanOf(list, func(c *compared) float64 { return length(minus(c.p, c.robot)) }),
		"motion/error_joint_pos":      math.Sqrt(qSum),
		"motion/error_joint_vel":      math.Sqrt(uSum),
	}
	for name, x := range want {
		if got := b.info(w, name); math.Abs(got-x) > 1e-7*math.Max(1, x) {
			b.t.Errorf("world %d, step %d: %s is %v, want %v", w.Index(), w.Steps(), name, got, x)
		}
	}
	highest := func(f func(c *compared) float64) (x float64) {
		for i := range list {
			if f == nil || f(&list[i]) > x {
				x = f(&list[i])
			}
		}
		return x
	}
	legs := func(c *compared) float64 {
		if c == trunk || c == &list[1] {
			return 0
		}
		return math.Abs(c.near[2] - c.robot[2])
	}
	held := map[string]bool{
		"bad_anchor_pos":             length(minus(trunk.p, trunk.robot)) > 0.2,
		"bad_anchor_pos_z_only":      math.Abs(trunk.p[2]-trunk.robot[2]) > 0.1,
		"bad_anchor_ori":             math.Abs(trunk.turn[2][2]-trunk.robotTurn[2][2]) > 0.15,
		"bad_motion_body_pos":        highest(func(c *compared) float64 { return length(minus(c.near, c.robot)) }) > 0.25,
		"bad_motion_body_pos_z_only": highest(legs) > 0.15,
		"end":                        k == b.clip.Frames-1,
		"time_out":                   w.Steps() == 20,
	}
	ended := false
	for name, yes := range held {
		if yes {
			b.seen[name]++
			ended = true
		}
	}
	terminated, truncated := w.Ended()
	if terminated != held["bad_anchor_pos"] || (terminated || truncated) != ended {
		b.t.Errorf("world %d, step %d: terminated %v, truncated %v, though what held is %v", w.Index(), w.Steps(), terminated,
			truncated, held)
	}
	if b.frames[w.Index()] = k + 1; ended {
		b.frames[w.Index()] = -1
	}
	b.see(w, probe, k+1)
}

// see works out what the next observation is.
func (b *imitator) see(w *sim.World, probe func(string) []float64, k int) {
	if k >= b.clip.Frames {
		return
	}
	values := map[string]float64{}
	note := func(name string, position [3]float64, turn matrix) {
		for i, axis := range []string{"x", "y", "z"} {
			values[strings.Replace(name, "*", "pos", 1)+"_"+axis] = position[i]
			for c, column := range []string{"x", "y"} {
				values[strings.Replace(name, "*", "ori", 1)+"_"+axis+column] = turn[i][c]
			}
		}
	}
	origin, back := probe("body/trunk/position"), matrixOf(probe("body/trunk/quaternion")).transposed()
	p, q, _, _ := b.clip.Body(k, slices.Index(b.clip.Bodies, "trunk"))
	note("motion_anchor_*", back.turn(minus(p, origin)), back.times(matrixOf(q)))
	for _, body := range followed {
		note(body, back.turn(minus(probe("body/"+body+"/position"), origin)),
			back.times(matrixOf(probe("body/"+body+"/quaternion"))))
	}
	position, velocity := b.clip.Joint(k)
	for i, name := range b.clip.Joints {
		values["motion_"+name+"_pos"], values["motion_"+name+"_vel"] = position[i], velocity[i]
	}
	b.all[w.Index()] = values
}

func (b *imitator) Ended(*sim.World, sim.Episode) {}

// TestMotionTerms compares every observation, reward, termination and metric of a motion with naive formulas, over a
// rollout of random actions from random starts.
func TestMotionTerms(t *testing.T) {
	file, clip, r := clipFile(t, bow)
	b := &imitator{t: t, clip: clip, robot: r, seen: map[string]int{}, all: make([]map[string]float64, 4),
		frames: make([]int, 4)}
	e := open(t, env.OpenOptions{Workers: 1, Observers: []sim.Observer{b}}, "", imitating(file,
		"sampling_mode: uniform, "+scattered), "worlds=4", "seed=5")
	b.spec = e.Sim().Spec()
	for n := range 500 {
		e.SampleActions()
		step(t, e)
		for w, values := range b.all {
			if b.frames[w] < 0 {
				continue
			}
			for i, name := range b.spec.ObservationNames {
				got := e.Sim().Observations()[w*b.spec.ObservationSize+i]
				if want, ok := values[name]; !ok || math.Abs(got-want) > 1e-9 {
					t.Errorf("step %d of world %d: %s is %v, want %v, %t", n, w, name, got, want, ok)
				}
			}
		}
		if t.Failed() {
			return
		}
	}
	if len(b.seen) != 7 {
		t.Errorf("only %v held, want each termination, the time limit and the end of the motion", b.seen)
	}
}

// TestMotionStartsInItsFrames: without ranges an episode begins in the very state of a frame, and with an action of 0 a
// joint_position that follows the command asks for the positions of the next one.
func TestMotionStartsInItsFrames(t *testing.T) {
	file, clip, r := clipFile(t, bow)
	text := strings.Replace(imitating(file, "sampling_mode: start"), "{term: joint_position, scale: 0.9}",
		"{term: joint_position, scale: 0.9, command: motion}", 1)
	e := open(t, env.OpenOptions{Workers: 1}, "", text)
	row := slices.Clone(r.Start)
	r.Place(row, clip, 0)
	qpos := polytest.Must(r.Model.Field("qpos"))(t)
	polytest.EqualSlices(t, stateOf(t, e, 1, "qpos"), qpos.In(row), "the state of the first frame")
	step(t, e)
	want, _ := clip.Joint(1)
	if got := stateOf(t, e, 1, "control"); !closeness(got, want, 1e-12) {
		t.Errorf("the targets are %v, want %v", got, want)
	}
	if specs := e.Sim().Commands(); len(specs) != 0 {
		t.Errorf("%v can be set from outside, want nothing", specs)
	}
	allocated := polytest.Allocations(200, func() { step(t, e) })
	builtIn := polytest.Must(env.Make("HalfCheetah-v5", env.Options{Worlds: 2, Workers: 1}))(t)
	defer builtIn.Close()
	if want := polytest.Allocations(200, func() { step(t, builtIn) }); allocated > want {
		t.Errorf("a step allocates %v times, want at most %v", allocated, want)
	}
}

// sampler follows the rule of adaptive sampling with a memory of its own for each world.
type sampler struct {
	t        *testing.T
	spec     sim.Spec
	frames   int
	failed   [][]float64
	expected []float64 // starts in each second
	counted  []float64
	failures int
}

func (b *sampler) Rewarded(*sim.World, float64) {}

func (b *sampler) Ended(w *sim.World, e sim.Episode) {
	info := func(name string) float64 { return w.Info()[slices.Index(b.spec.InfoNames, name)] }
	n, f := len(b.expected), b.failed[w.Index()]
	start := info("motion/start")
	// What this episode began with.
	weights, sum := make([]float64, n), 0.0
	for s := range n {
		for i, factor := range []float64{1, 0.5, 0.25} {
			weights[s] += factor * (f[min(s+i, n-1)] + 0.2/float64(n))
		}
		sum += weights[s]
	}
	entropy := 0.0
	for s := range weights {
		p := weights[s] / sum
		entropy -= p * math.Log(p) / math.Log(float64(n))
		b.expected[s] += p
	}
	if got := info("motion/sampling_entropy"); math.Abs(got-entropy) > 1e-9 {
		b.t.Errorf("episode %d of world %d: the entropy is %v, want %v", e.Number, w.Index(), got, entropy)
	}
	b.counted[min(int((start+0.5)/float64(b.frames-1)*float64(n)), n-1)]++
	for s := range f {
		f[s] *= 0.7
	}
	if e.Terminated {
		f[(int(start)+int(e.Steps))*n/b.frames] += 0.3
		b.failures++
	}
}

// TestAdaptiveSampling: each world's starts follow from where its own episodes failed, as the rule says.
func TestAdaptiveSampling(t *testing.T) {
	file, clip, _ := clipFile(t, strings.Replace(bow, "pitch: 0.3", "pitch: 1", 1))
	n := int(float64(clip.Frames)/50) + 1
	b := &sampler{t: t, frames: clip.Frames, failed: make([][]float64, 8), expected: make([]float64, n),
		counted: make([]float64, n)}
	for i := range b.failed {
		b.failed[i] = make([]float64, n)
	}
	text := imitating(file, "sampling_mode: adaptive, adaptive_kernel_size: 3, adaptive_lambda: 0.5, "+
		"adaptive_uniform_ratio: 0.2, adaptive_alpha: 0.3")
	e := open(t, env.OpenOptions{Workers: 1, Observers: []sim.Observer{b}}, "",
		strings.ReplaceAll(text, ", truncate: true", ""), "worlds=8")
	b.spec = e.Sim().Spec()
	for range 1500 {
		e.SampleActions() // the robot falls where the motion leans most
		step(t, e)
	}
	for s := range n {
		if d := math.Abs(b.counted[s] - b.expected[s]); d > 4*math.Sqrt(b.expected[s]+1) {
			t.Errorf("%v starts in second %d, want about %v", b.counted[s], s, b.expected[s])
		}
	}
	if b.failures < 50 || slices.Max(b.expected) < 1.2*slices.Min(b.expected) {
		t.Errorf("%d failures, starts %v: the rollout tests nothing", b.failures, b.expected)
	}
}

func TestMotionRefusals(t *testing.T) {
	file, _, _ := clipFile(t, bow)
	good := imitating(file, "sampling_mode: start")
	replace := func(old, with string) string {
		if !strings.Contains(good, old) {
			t.Fatalf("no %q", old)
		}
		return strings.Replace(good, old, with, 1)
	}
	for _, c := range []struct{ text, want string }{
		{replace("motion_file: "+file, "csv_rate: 30"), "commands[0].motion_file: not given, want the path of a motion"},
		{replace(file, file+"x"), "commands[0].motion_file: " + file + "x: want a file that ends in"},
		{replace(file, filepath.Join(filepath.Dir(file), "none.npz")), "commands[0].motion_file: open "},
		{replace("anchor_body: trunk", "anchor_body: trunc"), `commands[0].anchor_body: the robot has no body "trunc"`},
		{replace(`bodies: [trunk,`, `bodies: [trunc,`), `commands[0].bodies[0]: no body of the command matches "trunc"`},
		{replace("sampling_mode: start", "sampling_mode: end"), `commands[0].sampling_mode is "end", want`},
		{replace("sampling_mode: start", "resampling: [1s, 2s]"), "commands[0].resampling: a motion is not drawn anew"},
		{replace(`bodies: ["F._shank"]`, `bodies: ["F._thigh"]`) + "", ""},
		{replace(`bodies: ["F._shank"]`, `bodies: ["FR_thigh"]`), `rewards[3].bodies[0]: no body of the command matches`},
		{replace("{term: motion_anchor_pos_b}", "{term: motion_anchor_pos_b, command: other}"), `no command "other"`},
		{replace("- {term: motion,", "- {name: v, term: uniform_velocity, lin_vel_x: [0, 1]}\n  - {term: motion,") +
			"  - {name: wrong, term: bad_anchor_pos, command: v}\n", "is v, want a motion command"},
	} {
		err := refusal(t, "", c.text)
		if c.want == "" && err == nil {
			continue
		}
		polytest.ErrorContains(t, err, c.want)
		if err != nil && strings.Contains(fmt.Sprint(err), "\n") {
			t.Errorf("more than one line: %v", err)
		}
	}
}

// TestSnapshotBelongsToItsMotion: worlds do not go on from a snapshot with another motion in the file of the same name.
func TestSnapshotBelongsToItsMotion(t *testing.T) {
	file, _, _ := clipFile(t, bow)
	text := imitating(file, "sampling_mode: adaptive")
	e, same := open(t, env.OpenOptions{Workers: 1}, "", text), open(t, env.OpenOptions{Workers: 1}, "", text)
	for n := range 30 {
		swing(t, e, n)
	}
	snapshot := e.Sim().Snapshot()
	polytest.NoError(t, same.Sim().Restore(snapshot))
	for n := range 30 {
		swing(t, e, n)
		swing(t, same, n)
		polytest.EqualSlices(t, same.Sim().Observations(), e.Sim().Observations(), "step %d after the snapshot", n)
	}
	polytest.NoError(t, os.WriteFile(file, []byte(strings.Replace(bow, "0.4", "0.5", 1)), 0o666))
	other := open(t, env.OpenOptions{Workers: 1}, "", text)
	polytest.ErrorContains(t, other.Sim().Restore(snapshot), "motion motion: digest")
}
