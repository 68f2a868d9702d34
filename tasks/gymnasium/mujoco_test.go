package gymnasium_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/physics/mujoco"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// TestResetsAreGymnasiums compares the distribution of every coordinate at a reset
// with Gymnasium's, and that of the places drawn in two dimensions.
func TestResetsAreGymnasiums(t *testing.T) {
	const resets = 2000
	for _, p := range parityTasks {
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			want := play(t, []request{{Task: p.Name, Arguments: map[string]any{}, Resets: resets - 1}})[0]
			run, model := p.open(t, nil, resets, nil)
			var got, theirs [][]float64 // positions, then velocities, then distances
			for _, b := range run.Blocks() {
				for i := range b.Len() {
					var row []float64
					for _, name := range []string{"qpos", "qvel"} {
						span := polytest.Must(model.Field(name))(t)
						row = append(row, span.In(b.State(i))...)
					}
					got = append(got, withDistances(row, len(want.Resets[0].QPos)))
				}
			}
			for _, r := range want.Resets {
				theirs = append(theirs, withDistances(slices.Concat(r.QPos, r.QVel), len(r.QPos)))
			}
			for k := range got[0] {
				if d := furthest(column(got, k), column(theirs, k)); d > 0.1 {
					t.Errorf("coordinate %d: the distributions are %.3f apart", k, d)
				}
			}
		})
	}
}

// withDistances adds how far from the origin the last two pairs of positions are: Reacher's target and Pusher's object.
func withDistances(row []float64, positions int) []float64 {
	for _, from := range []int{positions - 2, positions - 4} {
		if from >= 0 {
			row = append(row, math.Hypot(row[from], row[from+1]))
		}
	}
	return row
}

func column(rows [][]float64, k int) []float64 {
	var values []float64
	for _, r := range rows {
		values = append(values, r[k])
	}
	return values
}

// furthest is Kolmogorov and Smirnov's statistic of two samples: the largest distance of their distribution
// functions. For 2,000 values each it exceeds 0.1 once in 10⁸ times if they come from one distribution; between a
// uniform and a normal one of the same scale it is 0.16.
func furthest(a, b []float64) float64 {
	slices.Sort(a)
	slices.Sort(b)
	largest, i, j := 0.0, 0, 0
	for i < len(a) && j < len(b) {
		v := min(a[i], b[j])
		for i < len(a) && a[i] == v {
			i++
		}
		for j < len(b) && b[j] == v {
			j++
		}
		largest = max(largest, math.Abs(float64(i)/float64(len(a))-float64(j)/float64(len(b))))
	}
	return largest
}

func TestConstructorErrors(t *testing.T) {
	const still = `<mujoco><worldbody><body><freejoint/><geom size="1"/></body></worldbody></mujoco>`
	const point = `<mujoco><worldbody><body><joint type="slide"/><geom size="1"/></body></worldbody></mujoco>`
	for _, c := range []struct {
		task    string
		model   string // a file, or MJCF
		options map[string]any
		want    string
	}{
		{"Reacher-v5", "half_cheetah.xml", nil, `Reacher-v5: want a model with a body "fingertip"`},
		{"Pusher-v5", "humanoid.xml", nil, `Pusher-v5: want a model with a body "tips_arm"`},
		{"Pusher-v5", "reacher.xml", nil, "Pusher-v5: the model has 4 positions and 4 velocities, want at least 11 and 11"},
		{"InvertedDoublePendulum-v5", "hopper.xml", nil, "InvertedDoublePendulum-v5: the model has no site"},
		{"Ant-v5", "ant.xml", map[string]any{"main_body": "tors"},
			`Ant-v5: want a model with a body "tors": mujoco: unknown derived value "xpos/tors": ` +
				`the nearest known one is "xpos/torso"`},
		{"Ant-v5", "ant.xml", map[string]any{"main_body": 14},
			"Ant-v5: main_body is 14, want a body's name or its number, below 14"},
		{"Ant-v5", "ant.xml", map[string]any{"main_body": -1}, "Ant-v5: main_body is -1"},
		{"Ant-v5", "ant.xml", map[string]any{"main_body": true}, "Ant-v5: main_body is true"},
		{"Ant-v5", "ant.xml", map[string]any{"healthy_z_rage": []any{0, 1}}, "did you mean options.healthy_z_range?"},
		{"Hopper-v5", "hopper.xml", map[string]any{"healthy_z_range": []any{0.7}},
			"options.healthy_z_range is a list of 1, want a list of 2 values"},
		{"Humanoid-v5", "inverted_pendulum.xml", nil,
			"Humanoid-v5: the model has 2 positions and 2 velocities, want at least 3 and 6"},
		{"Hopper-v5", still, nil, "Hopper-v5: the model has 0 actuators, want at least 1"},
	} {
		checkConstructorError(t, c.task, c.model, c.options, c.want)
	}
	for _, p := range parityTasks {
		if p.Name != "Reacher-v5" && p.Name != "Pusher-v5" {
			checkConstructorError(t, p.Name, p.Model, map[string]any{"reset_noise_scale": -0.1},
				p.Name+": reset_noise_scale is -0.1, want at least 0")
		}
		if p.Name != "HalfCheetah-v5" {
			checkConstructorError(t, p.Name, point, nil, p.Name+": the model has 1 positions and 1 velocities")
		}
	}
}

func checkConstructorError(t *testing.T, task, model string, options map[string]any, want string) {
	t.Helper()
	var m *mujoco.Model
	var err error
	if strings.HasPrefix(model, "<") {
		m, err = mujoco.LoadBytes("test.xml", []byte(model), mujoco.Options{})
	} else {
		m, err = mujoco.Load("../../third_party/gymnasium/assets/"+model, mujoco.Options{})
	}
	polytest.NoError(t, err)
	defer func() { polytest.NoError(t, m.Close()) }()
	p := parityTasks[slices.IndexFunc(parityTasks, func(p parityTask) bool { return p.Name == task })]
	if _, err := p.build(m, 0.05, options); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%s of %.20s with %v: error %v, want one with %q", task, model, options, err, want)
	}
}

func TestStepsWithoutAllocating(t *testing.T) {
	for _, p := range parityTasks {
		run, _ := p.open(t, nil, 2, nil)
		random := rand.New(rand.NewPCG(1, 2))
		err := run.Each(func(w *sim.Worker, b *sim.Block) error {
			mask := make([]bool, b.Len())
			if n := polytest.Allocations(100, func() {
				for i := range b.Actions() {
					b.Actions()[i] = float32(random.Float64()*2 - 1)
				}
				if err := b.Step(w); err != nil {
					t.Error(err)
				}
				for i := range mask {
					mask[i] = b.Terminations()[i] || b.Truncations()[i]
				}
				b.Restart(w, mask, nil)
			}); n != 0 {
				t.Errorf("%s: %v allocations a step, want 0", p.Name, n)
			}
			return nil
		})
		polytest.NoError(t, err)
	}
}
