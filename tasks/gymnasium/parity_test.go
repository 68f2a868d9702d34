package gymnasium_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/internal/decode"
	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/mujoco"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sim"
	"github.com/polyrhythm-rl/polyrhythm/tasks/gymnasium"
)

// grade says how near a quantity must be to Gymnasium's.
type grade int

const (
	bits   grade = iota // the same bits
	kernel              // the same bits on x86-64, as long as NumPy's library does not fuse; else nearly
	nearly              // within tolerance, relatively
)

// tolerance is of the quantities that need not agree to the bit.
const tolerance = 1e-9

// grades are the quantities of a task that are not graded bits. "angles" are the sines and cosines of an observation.
type grades map[string]grade

// parityTask is one of Gymnasium's MuJoCo tasks as the tests build it.
type parityTask struct {
	gymnasium.TaskBuilder
	angles [2]int // part of the observation that is sines and cosines
	grades grades
}

// build makes the task with options.
func (p parityTask) build(m physics.Model, dt float64, options map[string]any) (sim.Task, error) {
	decode := func(out any) error { return configs.DecodeOptions("options", options, out) }
	return p.New(m, decode, dt, 0)
}

// options yields Gymnasium's names of the options and the defaults.
func (p parityTask) options() map[string]any {
	all := map[string]any{}
	v := reflect.ValueOf(p.Options)
	for _, f := range decode.Fields(v.Type()) {
		all[f.Key] = v.FieldByName(f.Name).Interface()
	}
	return all
}

var parityTasks = func() (all []parityTask) {
	angles := map[string][2]int{"InvertedDoublePendulum-v5": {1, 5}, "Reacher-v5": {0, 4}}
	graded := map[string]grades{
		"Ant-v5": {"distance_from_origin": kernel},
		"Humanoid-v5": {
			"distance_from_origin": kernel, "x_velocity": kernel, "y_velocity": kernel,
			"reward_forward": kernel, "reward": kernel,
		},
		"InvertedDoublePendulum-v5": {
			"angles": nearly, "reward": nearly, "distance_penalty": nearly, "velocity_penalty": nearly,
		},
		"Pusher-v5":  {"reward": kernel, "reward_dist": kernel, "reward_near": kernel},
		"Reacher-v5": {"angles": nearly, "reward": kernel, "reward_dist": kernel},
		"Swimmer-v5": {"distance_from_origin": kernel},
	}
	for _, task := range gymnasium.Tasks() {
		if task.Scene == nil {
			all = append(all, parityTask{task, angles[task.Name], graded[task.Name]})
		}
	}
	return all
}()

type doubles = gymnasium.Doubles

// request asks peers/trajectories.py to play a task.
type request struct {
	Task      string         `json:"task"`
	Arguments map[string]any `json:"arguments"` // of Gymnasium's constructor
	Seed      int            `json:"seed"`
	Steps     int            `json:"steps"`
	Resets    int            `json:"resets"` // after the steps
}

// trajectory is its answer.
type trajectory struct {
	Defaults map[string]any `json:"defaults"` // of the constructor's arguments; limits as text
	MaxSteps int64          `json:"max_steps"`
	Low      doubles        `json:"low"` // of an action
	High     doubles        `json:"high"`
	Resets   []struct {
		QPos, QVel  doubles
		Observation doubles
		Names       []string // of Info
		Info        doubles
	} `json:"resets"`
	Actions      doubles  `json:"actions"`
	Observations doubles  `json:"observations"`
	Rewards      doubles  `json:"rewards"`
	Terminated   []bool   `json:"terminated"`
	Truncated    []bool   `json:"truncated"`
	Names        []string `json:"names"` // of Info
	Info         doubles  `json:"info"`
}

// play has Gymnasium play all requests and returns its answers in order.
func play(t *testing.T, requests []request) []trajectory {
	t.Helper()
	python := polytest.Python(t)
	var in bytes.Buffer
	for _, r := range requests {
		r.Arguments = jsonable(r.Arguments).(map[string]any)
		polytest.NoError(t, json.NewEncoder(&in).Encode(r))
	}
	script := polytest.Must(filepath.Abs("../../internal/tests/peers/trajectories.py"))(t)
	cmd := exec.Command(python, script)
	cmd.Dir = t.TempDir() // MuJoCo writes its log there
	// A kernel that does not fuse, so that norms are the same on all of x86-64.
	cmd.Env = append(os.Environ(), "OPENBLAS_CORETYPE=Haswell")
	var complaints bytes.Buffer
	cmd.Stdin, cmd.Stderr = &in, &complaints
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, &complaints)
	}
	all := make([]trajectory, len(requests))
	d := json.NewDecoder(bufio.NewReader(bytes.NewReader(out)))
	for i := range all {
		polytest.NoError(t, d.Decode(&all[i]))
	}
	return all
}

// jsonable writes infinite numbers as text.
func jsonable(value any) any {
	switch v := value.(type) {
	case float64:
		if math.IsInf(v, 0) {
			return fmt.Sprint(v)
		}
	case []any:
		list := []any{}
		for _, item := range v {
			list = append(list, jsonable(item))
		}
		return list
	case map[string]any:
		tree := map[string]any{}
		for key, item := range v {
			tree[key] = jsonable(item)
		}
		return tree
	}
	return value
}

// startAt is a task whose episodes begin in the states of trajectories rather than
// in random ones: the k-th episode of world w in the k-th of trajectory w.
type startAt struct {
	sim.Task
	from       []trajectory
	qpos, qvel physics.Span
}

func (s startAt) Reset(w *sim.World) {
	s.Task.Reset(w)
	world, k := w.Index(), int(w.Episode())/len(s.from)
	if resets := s.from[world].Resets; k < len(resets) {
		copy(s.qpos.In(w.State()), resets[k].QPos)
		copy(s.qvel.In(w.State()), resets[k].QVel)
	}
}

// worst collects the largest relative difference of each quantity.
type worst map[string]float64

// open builds a task for arguments of Gymnasium's constructor, frame_skip and
// xml_file among them, and worlds of it whose episodes are wrapped.
func (p parityTask) open(t *testing.T, arguments map[string]any, worlds int,
	wrap func(sim.Task, *mujoco.Model) sim.Task) (*sim.Sim, *mujoco.Model) {
	t.Helper()
	options := maps.Clone(arguments)
	file, skip := p.Model, p.Substeps
	if name, ok := options["xml_file"]; ok {
		file = name.(string)
	}
	if n, ok := options["frame_skip"]; ok {
		skip = n.(int)
	}
	delete(options, "xml_file")
	delete(options, "frame_skip")
	if !filepath.IsAbs(file) {
		file = filepath.Join("../../third_party/gymnasium/assets", file)
	}
	model := polytest.Must(mujoco.Load(file, mujoco.Options{}))(t)
	t.Cleanup(func() { polytest.NoError(t, model.Close()) })
	step := polytest.Must(runners.ParseRate(fmt.Sprintf("%vs", model.Timestep())))(t)
	control := polytest.Must(runners.NewRate(step.Num(), step.Den()*int64(skip)))(t)
	task := polytest.Must(p.build(model, control.Seconds(), options))(t)
	if wrap != nil {
		task = wrap(task, model)
	}
	suite, clock := gymnasium.ClockOf(t, model, control, step, skip)
	run, err := sim.New(sim.Config{
		Model: model, Task: task, Sensors: suite, Clock: clock, Worlds: worlds, Workers: 1, Autoreset: sim.Disabled,
	})
	polytest.NoError(t, err)
	t.Cleanup(func() { polytest.NoError(t, run.Close()) })
	return run, model
}

// compare plays trajectories of one set of arguments again, a world each, and
// compares every number. It returns the differences.
func (p parityTask) compare(t *testing.T, arguments map[string]any, want []trajectory) worst {
	t.Helper()
	run, _ := p.open(t, arguments, len(want), func(task sim.Task, m *mujoco.Model) sim.Task {
		s := startAt{Task: task, from: want}
		for name, span := range map[string]*physics.Span{"qpos": &s.qpos, "qvel": &s.qvel} {
			var err error
			if *span, err = m.Field(name); err != nil {
				t.Fatal(err)
			}
		}
		return s
	})
	spec := run.Spec()
	c := &comparison{t: t, task: p, spec: spec, worst: worst{}}
	err := run.Each(func(w *sim.Worker, b *sim.Block) error {
		mask := make([]bool, b.Len())
		episode := make([]int, b.Len())
		for i := range b.Len() {
			c.reset(b, i, &want[b.First()+i], 0)
		}
		for step := range want[b.First()].Rewards {
			for i := range b.Len() {
				j := &want[b.First()+i]
				for k := range spec.ActionSize {
					b.Actions()[i*spec.ActionSize+k] = float32(j.Actions[step*spec.ActionSize+k])
				}
			}
			if err := b.Step(w); err != nil {
				return err
			}
			again := false
			for i := range b.Len() {
				c.step(b, i, &want[b.First()+i], step)
				mask[i] = b.Terminations()[i] || b.Truncations()[i]
				again = again || mask[i]
			}
			if t.Failed() {
				return nil
			}
			if again {
				b.Restart(w, mask, nil)
				for i := range mask {
					if mask[i] {
						episode[i]++
						c.reset(b, i, &want[b.First()+i], episode[i])
					}
				}
			}
		}
		return nil
	})
	polytest.NoError(t, err)
	return c.worst
}

// comparison holds a task's numbers against Gymnasium's.
type comparison struct {
	t     *testing.T
	task  parityTask
	spec  sim.Spec
	worst worst
}

func (c *comparison) step(b *sim.Block, i int, want *trajectory, step int) {
	at := func(n int, values doubles) []float64 { return values[step*n : (step+1)*n] }
	where := fmt.Sprintf("world %d step %d", b.First()+i, step+1)
	if n := len(want.Observations) / len(want.Rewards); n != c.spec.ObservationSize {
		c.t.Fatalf("observations of %d values, want %d", c.spec.ObservationSize, n)
	}
	c.observation(where, row(b.Observations(), i, c.spec.ObservationSize), at(c.spec.ObservationSize, want.Observations))
	c.same(where, "reward", b.Rewards()[i], want.Rewards[step])
	if b.Terminations()[i] != want.Terminated[step] || b.Truncations()[i] != want.Truncated[step] {
		c.t.Errorf("%s: terminated %t, truncated %t, want %t, %t", where,
			b.Terminations()[i], b.Truncations()[i], want.Terminated[step], want.Truncated[step])
	}
	c.info(where, c.spec.InfoNames, row(b.Infos(), i, len(c.spec.InfoNames)), want.Names, at(len(want.Names), want.Info))
}

func (c *comparison) reset(b *sim.Block, i int, want *trajectory, episode int) {
	where := fmt.Sprintf("world %d reset %d", b.First()+i, episode)
	from := want.Resets[episode]
	c.observation(where, row(b.Observations(), i, c.spec.ObservationSize), from.Observation)
	info := row(b.Infos(), i, len(c.spec.InfoNames))
	var told []float64
	for k, name := range c.spec.InfoNames {
		if slices.Contains(c.spec.ResetInfoNames, name) {
			told = append(told, info[k])
		}
	}
	c.info(where, c.spec.ResetInfoNames, told, from.Names, from.Info)
}

func row(values []float64, i, n int) []float64 { return values[i*n : (i+1)*n] }

func (c *comparison) observation(where string, got, want []float64) {
	if len(got) != len(want) {
		c.t.Fatalf("%s: observation has %d values, want %d", where, len(got), len(want))
	}
	for k := range got {
		what := "observation"
		if k >= c.task.angles[0] && k < c.task.angles[1] {
			what = "angles"
		}
		c.same(fmt.Sprintf("%s value %d", where, k), what, got[k], want[k])
	}
}

func (c *comparison) info(where string, names []string, got []float64, wantNames []string, want []float64) {
	if !slices.Equal(names, wantNames) {
		c.t.Fatalf("%s: info is %v, want %v", where, names, wantNames)
	}
	for k, name := range names {
		what, _, _ := strings.Cut(name, "[")
		c.same(where, what, got[k], want[k])
	}
}

func (c *comparison) same(where, what string, got, want float64) {
	difference := 0.0
	if math.Float64bits(got) != math.Float64bits(want) && got != want { // -0 is 0
		difference = math.Abs(got-want) / max(math.Abs(got), math.Abs(want))
	}
	c.worst[what] = max(c.worst[what], difference)
	allowed := 0.0
	if g := c.task.grades[what]; g == nearly || g == kernel && runtime.GOARCH != "amd64" {
		allowed = tolerance
	}
	if !(difference <= allowed) {
		c.t.Errorf("%s: %s is %v, want %v", where, what, got, want)
	}
}

// TestTasksAreGymnasiums plays ten seeds of every task with its default arguments.
func TestTasksAreGymnasiums(t *testing.T) {
	const seeds, steps = 10, 200
	for _, p := range parityTasks {
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			var requests []request
			for seed := range seeds {
				requests = append(requests, request{Task: p.Name, Seed: seed, Steps: steps, Arguments: map[string]any{}})
			}
			worst := p.compare(t, nil, play(t, requests))
			for _, what := range slices.Sorted(maps.Keys(worst)) {
				t.Logf("%s: %.2g", what, worst[what])
			}
		})
	}
}
