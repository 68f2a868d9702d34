package rl

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

func learned(t testing.TB) *PPO {
	t.Helper()
	s := cartSettings()
	s.Hidden, s.Schedule, s.TargetKL = []int{5, 4}, Adaptive, 0.01
	p := polytest.Must(New(newCart(5, 4, 2), s, 11))(t)
	iterate(t, p, 2)
	return p
}

func TestCheckpointRoundTrip(t *testing.T) {
	p := learned(t)
	file := checkpointBytes(t, p)
	c := polytest.Must(ReadCheckpoint(iotest.OneByteReader(bytes.NewReader(file))))(t)
	if c.User != "user text" || c.Iteration != 2 || c.EnvSteps != p.EnvSteps() || c.Seed != 11 ||
		!reflect.DeepEqual(c.Settings, p.settings) {
		t.Errorf("read back %+v", c.CheckpointHeader)
	}
	if !reflect.DeepEqual(c.Policy(), p.Policy()) {
		t.Error("the policy read back is another one")
	}
	again := polytest.Must(Resume(Worlds{newCart(5, 4, 2)}, c, c.Settings, c.Seed))(t).(*PPO)
	polytest.EqualSlices(t, checkpointBytes(t, again), file, "the checkpoint of a resumed learner differs")
}

// A checkpoint says which columns each network reads.
func TestCheckpointOfNetworksThatReadDifferentColumns(t *testing.T) {
	env := newCart(5, 4, 2)
	env.shape.Policy, env.shape.Critic = ColumnRange{First: 0, Size: 2}, ColumnRange{First: 1, Size: 2}
	p := polytest.Must(New(env, cartSettings(), 11))(t)
	iterate(t, p, 2)
	c := polytest.Must(ReadCheckpoint(bytes.NewReader(checkpointBytes(t, p))))(t)
	polytest.ErrorContains(t, polytest.Err(Resume(Worlds{newCart(5, 4, 2)}, c, c.Settings, c.Seed)),
		"shows the policy 3 values from 0, the checkpoint wants 2 from 0")

	// What the policy does not read has no influence on it, and need not be there.
	policy, narrow := c.Policy(), c.Policy().Narrow()
	if policy.Observation() != 3 || narrow.Observation() != 2 || narrow.Reads() != (ColumnRange{First: 0, Size: 2}) {
		t.Fatalf("policies for %d and %d values, the second reads %v", policy.Observation(), narrow.Observation(),
			narrow.Reads())
	}
	var actions [3]float32
	for i, in := range [][]float64{{1, 2, 3}, {1, 2, 300}} {
		polytest.NoError(t, policy.Act(actions[i:i+1], in, nil, 0, policy.NewScratch()))
	}
	polytest.NoError(t, narrow.Act(actions[2:], []float64{1, 2}, nil, 0, narrow.NewScratch()))
	if actions[0] != actions[1] || actions[0] != actions[2] {
		t.Errorf("actions %v, want the same three", actions)
	}
}

func TestResumeRefusesAnotherTask(t *testing.T) {
	c := polytest.Must(ReadCheckpoint(bytes.NewReader(checkpointBytes(t, learned(t)))))(t)
	polytest.ErrorContains(t, polytest.Err(Resume(Worlds{newStill(4, 1)}, c, c.Settings, c.Seed)), "17 observed values")
	other := newCart(5, 4, 2)
	other.shape.ActionHigh = []float64{2}
	polytest.ErrorContains(t, polytest.Err(Resume(Worlds{other}, c, c.Settings, c.Seed)), "action bounds [-1] to [2]")
}

// Sections with a right checksum are not trusted either.
func TestReadCheckpointRefusesSealedNonsense(t *testing.T) {
	file := checkpointBytes(t, learned(t))
	sections, _, err := checkpointKind.Decode(file)
	if err != nil {
		t.Fatal(err)
	}
	header, arrays := string(sections[0]), sections[1]
	build := func(header string, arrays []byte) []byte { return checkpointKind.Encode([]byte(header), arrays) }
	polytest.Must(ReadCheckpoint(bytes.NewReader(build(header, arrays))))(t)
	nan := bytes.Clone(arrays)
	copy(nan[40:], []byte{0, 0, 0xc0, 0x7f})
	for _, c := range []struct {
		want string
		file []byte
	}{
		{"damaged header: EOF", build("", nil)},
		{"damaged header", build(header[1:], arrays)},
		{"damaged header: more follows", build(header+" 1", arrays)},
		{"unknown field", build(strings.Replace(header, `"Seed"`, `"Sead"`, 1), arrays)},
		{"hidden[0] is 50000000", build(strings.Replace(header, "[5,4]", "[50000000,4]", 1), arrays)},
		{"want 6444810356", build(strings.Replace(header, "[5,4]", "[16384,16384]", 1), arrays)},
		{"want 1 to 1048576", build(strings.Replace(header, `"Observation":3`, `"Observation":3000000`, 1), arrays)},
		{"gamma is 7", build(strings.Replace(header, `"Gamma":0.99`, `"Gamma":7`, 1), arrays)},
		{"counters", build(strings.Replace(header, `"Iteration":2`, `"Iteration":-2`, 1), arrays)},
		{"arrays of", build(header, arrays[1:])},
		{"the value network reads 2 values from 2, want at least 1 of the 3",
			build(strings.Replace(header, `"Iteration"`, `"CriticReads":{"First":2,"Size":2},"Iteration"`, 1), arrays)},
		{"-1 choices in 1 action values, want 1 to 1048576 in 1, or 0",
			build(strings.Replace(header, `"Iteration"`, `"Choices":-1,"Iteration"`, 1), arrays)},
		{"reads 4611686018427387904 values",
			build(strings.Replace(header, `"Iteration"`,
				`"PolicyReads":{"First":4611686018427387904,"Size":4611686018427387904},"Iteration"`, 1), arrays)},
		{"a parameter is NaN", build(header, nan)},
	} {
		polytest.ErrorContains(t, polytest.Err(ReadCheckpoint(bytes.NewReader(c.file))), c.want)
	}
}

// Whatever is accepted can be used and written again.
func FuzzReadCheckpoint(f *testing.F) {
	file := checkpointBytes(f, learned(f))
	add := func(file []byte) {
		sections, _, err := checkpointKind.Decode(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(sections[0], sections[1])
	}
	add(file)
	f.Add([]byte("{}"), []byte(nil))
	for _, change := range []func(*Shape, *Settings){
		func(e *Shape, _ *Settings) { e.Choices, e.Policy = 3, ColumnRange{First: 1, Size: 2} },
		func(_ *Shape, s *Settings) { s.StateStd, s.MaxStd, s.CriticHidden = true, 2, []int{3} },
		func(_ *Shape, s *Settings) {
			s.Symmetry = Symmetry{1, Mirror{Swap: [][]int{{0, 1}}}, Mirror{Negate: []int{0}}}
		},
	} {
		env, s := newCart(2, 2, 1), cartSettings()
		s.Hidden = []int{2}
		change(&env.shape, &s)
		p := polytest.Must(New(env, s, 1))(f)
		add(checkpointBytes(f, p))
	}
	f.Fuzz(func(t *testing.T, header, arrays []byte) {
		c, err := ReadCheckpoint(bytes.NewReader(checkpointKind.Encode(header, arrays)))
		if err != nil {
			return
		}
		p := c.Policy()
		action := make([]float32, p.Action())
		if err := p.Act(action, make([]float64, p.Observation()), make([]float32, p.State()), 0, p.NewScratch()); err != nil {
			t.Errorf("an accepted policy does not act: %v", err)
		}
		file := polytest.Must(c.encode())(t)
		again, err := ReadCheckpoint(bytes.NewReader(file))
		if err != nil || !reflect.DeepEqual(again, c) {
			t.Errorf("written and read again: %v, %v", again, err)
		}
	})
}

func TestCheckpointRefusesTextThatIsNotUTF8(t *testing.T) {
	if err := learned(t).Checkpoint(new(bytes.Buffer), "\xff"); err == nil {
		t.Error("accepted")
	}
}

// A resumed learner follows the settings it is given: with more steps the linear
// schedule has something left to learn with.
func TestResumeFollowsItsSettings(t *testing.T) {
	s := cartSettings()
	s.Schedule, s.TotalSteps = Linear, 4*64*5
	p := polytest.Must(New(newCart(5, 4, 2), s, 11))(t)
	for p.EnvSteps() < s.TotalSteps {
		iterate(t, p, 1)
	}
	c := polytest.Must(ReadCheckpoint(bytes.NewReader(checkpointBytes(t, p))))(t)
	more := s
	more.TotalSteps, more.LearningRate = 2*c.EnvSteps, 2*s.LearningRate
	more.RolloutSteps, more.Minibatch = 2*s.RolloutSteps, 16
	again := polytest.Must(Resume(Worlds{newCart(5, 4, 2)}, c, more, 11))(t).(*PPO)
	m := iterate(t, again, 1)
	if m.LearningRate != s.LearningRate { // half of the steps are left, at twice the rate
		t.Errorf("the learning rate is %v, want %v", m.LearningRate, s.LearningRate)
	}
	if taken := again.EnvSteps() - c.EnvSteps; taken != int64(more.RolloutSteps*5) {
		t.Errorf("a rollout of %d steps, want %d", taken, more.RolloutSteps*5)
	}
	for want, change := range map[string]func(s *Settings){
		"steps is 1280, want more than the 1280 that":      func(s *Settings) { s.TotalSteps = 1280 },
		"hidden is [8], want [32 32] as in the checkpoint": func(s *Settings) { s.Hidden = []int{8} },
		"initial_std is 2, want 1 as in":                   func(s *Settings) { s.InitialStd = 2 },
		"normalise_observations is false, want true as in": func(s *Settings) { s.NormaliseObservations = false },
		"scale_rewards is false, want true as in":          func(s *Settings) { s.ScaleRewards = false },
		"activation is elu, want tanh as in":               func(s *Settings) { s.Activation = ELU },
		"policy_hidden is [8], want [32 32] as in":         func(s *Settings) { s.PolicyHidden = []int{8} },
		"critic_hidden is [8], want [32 32] as in":         func(s *Settings) { s.CriticHidden = []int{8} },
		"state_dependent_std is true, want false as in":    func(s *Settings) { s.StateStd = true },
		"gamma is 2, want 0 to 1":                          func(s *Settings) { s.Gamma = 2 },
	} {
		s := more
		change(&s)
		polytest.ErrorContains(t, polytest.Err(Resume(Worlds{newCart(5, 4, 2)}, c, s, 11)), want)
	}
}

// From the same fresh episodes, learners of each kind of policy do after a checkpoint what they would have done,
// and the policy read back is the same.
func TestCheckpointOfEachKindOfPolicy(t *testing.T) {
	for name, change := range map[string]func(*Shape, *Settings){
		"choices": func(e *Shape, _ *Settings) { e.Choices = 3 },
		"elu":     func(_ *Shape, s *Settings) { s.Activation = ELU },
		"sizes":   func(_ *Shape, s *Settings) { s.PolicyHidden, s.CriticHidden = []int{7}, []int{9, 3} },
		"std":     func(_ *Shape, s *Settings) { s.StateStd, s.MinStd, s.MaxStd = true, 0.9, 1.1 },
		"mirror":  func(_ *Shape, s *Settings) { s.Symmetry = cartSymmetry },
		"columns": func(e *Shape, _ *Settings) {
			e.Policy, e.Critic = ColumnRange{First: 0, Size: 2}, ColumnRange{First: 1, Size: 2}
		},
		"plain": func(*Shape, *Settings) {},
	} {
		t.Run(name, func(t *testing.T) {
			s := cartSettings()
			s.Schedule, s.TargetKL = Adaptive, 0.01
			env := func(workers int) *cart {
				e := newCart(5, 4, workers)
				change(&e.shape, &s)
				return e
			}
			p := polytest.Must(New(env(2), s, 11))(t)
			iterate(t, p, 2)
			file := checkpointBytes(t, p)
			c := polytest.Must(ReadCheckpoint(bytes.NewReader(file)))(t)
			if !reflect.DeepEqual(c.Policy(), p.Policy()) {
				t.Error("the policy is another one")
			}
			p.collector().env = env(2)
			clear(p.discounted)
			again := polytest.Must(Resume(Worlds{env(1)}, c, c.Settings, c.Seed))(t).(*PPO)
			if a, b := iterate(t, p, 2), iterate(t, again, 2); fmt.Sprint(a) != fmt.Sprint(b) {
				t.Errorf("resumed: %+v, want %+v", b, a)
			}
			polytest.EqualSlices(t, checkpointBytes(t, p), checkpointBytes(t, again),
				"the resumed learner learned something else")
		})
	}
}

// A minibatch larger than a rollout takes no memory of its size, and learns the same.
func TestMinibatchBeyondTheRollout(t *testing.T) {
	var files [][]byte
	for _, minibatch := range []int{64 * 5, math.MaxInt32} {
		s := cartSettings()
		s.Minibatch = minibatch
		p := polytest.Must(New(newCart(5, 4, 2), s, 1))(t)
		iterate(t, p, 1)
		p.settings.Minibatch = 0 // the file says it
		files = append(files, checkpointBytes(t, p))
	}
	polytest.EqualSlices(t, files[0], files[1], "a minibatch of a whole rollout and a larger one learn differently")
}
