package gymnasium_test

import (
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"strconv"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/physics/mujoco"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sensors"
	"github.com/polyrhythm-rl/polyrhythm/sim"
	"github.com/polyrhythm-rl/polyrhythm/tasks/gymnasium"
)

// trajectory is what testdata/trajectories.py prints for one seed.
type trajectory struct {
	QPos        []exact `json:"qpos"`
	QVel        []exact `json:"qvel"`
	Observation []exact `json:"observation"`
	Steps       []struct {
		Action      []exact `json:"action"`
		Observation []exact `json:"observation"`
		Reward      exact   `json:"reward"`
		Terminated  bool    `json:"terminated"`
	} `json:"steps"`
}

// exact is a float64 that travels in hexadecimal.
type exact float64

func (e *exact) UnmarshalText(text []byte) error {
	v, err := strconv.ParseFloat(string(text), 64)
	*e = exact(v)
	return err
}

func gymnasiumTrajectories(t *testing.T, task string, seeds, steps int) []trajectory {
	t.Helper()
	python := os.Getenv("POLYTEST_PYTHON")
	if python == "" {
		t.Skip("POLYTEST_PYTHON names no interpreter with Gymnasium; the test workflow sets it")
	}
	cmd := exec.Command(python, "testdata/trajectories.py", task, strconv.Itoa(seeds), strconv.Itoa(steps))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var all []trajectory
	for d := json.NewDecoder(out); d.More(); {
		var one trajectory
		if err := d.Decode(&one); err != nil {
			t.Fatal(err)
		}
		all = append(all, one)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if len(all) != seeds {
		t.Fatalf("%d trajectories, want %d", len(all), seeds)
	}
	return all
}

// startAt is a task that begins its episodes in the states of trajectories
// rather than in random ones: episode e in that of seed e.
type startAt struct {
	sim.Task
	model *mujoco.Model
	from  []trajectory
}

func (s startAt) Reset(w *sim.World) {
	s.Task.Reset(w) // sets up its memory; the state is replaced
	from := s.from[w.Episode()]
	for name, values := range map[string][]exact{"qpos": from.QPos, "qvel": from.QVel} {
		span, err := s.model.Field(name)
		if err != nil {
			panic(err)
		}
		for i, v := range values {
			w.State()[span.Offset+i] = float64(v)
		}
	}
	// What HalfCheetah remembers: the x it started from.
	w.Memory()[0] = float64(from.QPos[0])
}

func TestHalfCheetahIsGymnasiums(t *testing.T) {
	const seeds, steps = 10, 200
	want := gymnasiumTrajectories(t, "HalfCheetah-v5", seeds, steps)
	model, err := mujoco.Load("../../third_party/gymnasium/assets/half_cheetah.xml", mujoco.Options{Timestep: 0.01})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := model.Close(); err != nil {
			t.Error(err)
		}
	}()
	task, err := gymnasium.NewHalfCheetah(model, gymnasium.DefaultHalfCheetahOptions())
	if err != nil {
		t.Fatal(err)
	}
	runs := []runners.Runner{{Name: "Robot", Rate: runners.Hz(20)}}
	suite, err := sensors.Compile(model, runners.Hz(100), runs, nil)
	if err != nil {
		t.Fatal(err)
	}
	run, err := sim.New(sim.Config{
		Model: model, Task: startAt{task, model, want}, Sensors: suite, Runners: runs,
		Bindings: []sim.Binding{
			{Binding: runners.Binding{Name: "observation", Runner: "Robot", Phase: runners.Acquisition}, Role: sim.Judge},
			{Binding: runners.Binding{Name: "controller", Runner: "Robot", Phase: runners.Control}, Role: sim.Act},
			{Binding: runners.Binding{Name: "physics", Runner: "Robot", Phase: runners.Physics}, Role: sim.Integrate, Substeps: 5},
		},
		Worlds: seeds, BlockSize: seeds, Workers: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := run.Close(); err != nil {
			t.Error(err)
		}
	}()

	spec := run.Spec()
	same := func(seed, step int, what string, got []float64, want []exact) {
		if len(got) != len(want) {
			t.Fatalf("seed %d step %d: %s has %d values, want %d", seed, step, what, len(got), len(want))
		}
		for i := range got {
			if math.Float64bits(got[i]) != math.Float64bits(float64(want[i])) {
				t.Errorf("seed %d step %d: %s[%d] is %v, want %v", seed, step, what, i, got[i], float64(want[i]))
			}
		}
	}
	err = run.Each(func(w *sim.Worker, b *sim.Block) error {
		row := func(i int) []float64 {
			return b.Observation()[i*spec.ObservationSize : (i+1)*spec.ObservationSize]
		}
		for i := range b.Len() {
			same(i, 0, "first observation", row(i), want[i].Observation)
		}
		for step := range steps {
			for i := range b.Len() {
				for j, a := range want[i].Steps[step].Action {
					b.Action()[i*spec.ActionSize+j] = float32(a)
				}
			}
			if err := b.Step(w); err != nil {
				return err
			}
			for i := range b.Len() {
				s := want[i].Steps[step]
				same(i, step+1, "observation", row(i), s.Observation)
				same(i, step+1, "reward", b.Reward()[i:i+1], []exact{s.Reward})
				if b.Terminated()[i] != s.Terminated {
					t.Errorf("seed %d step %d: terminated %t, want %t", i, step+1, b.Terminated()[i], s.Terminated)
				}
			}
			if t.Failed() {
				break
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
