package rl

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/rl/nn"
)

// cartSettings learn the cart in a few seconds.
func cartSettings() Settings {
	s := DefaultSettings()
	s.Hidden = []int{32, 32}
	s.RolloutSteps, s.Minibatch, s.Epochs = 64, 128, 10
	s.LearningRate, s.Schedule = 1e-3, Constant
	return s
}

// begin draws the first parameters of a learner.
func begin[L trainable](l L, err error) (L, error) {
	if err == nil {
		l.initialise()
	}
	return l, err
}

// collector is that of a learner in worlds of this process.
func (p *rolloutLearner) collector() *RolloutCollector { return p.rollouts.(*RolloutCollector) }

func iterate(t testing.TB, p Learner, times int) Metrics {
	t.Helper()
	var m Metrics
	for range times {
		m = polytest.Must(p.Iterate(t.Context()))(t)
	}
	return m
}

func checkpointBytes(t testing.TB, p Learner) []byte {
	t.Helper()
	var b bytes.Buffer
	polytest.NoError(t, p.Checkpoint(&b, "user text"))
	return b.Bytes()
}

func meanReturn(t testing.TB, env *cart, policy *Policy) float64 {
	t.Helper()
	sum := 0.0
	for _, e := range polytest.Must(Evaluate(env, policy, 64))(t) {
		sum += e.Return
	}
	return sum / 64
}

// A controller that does nothing earns about -63 here, the linear-quadratic regulator about 25. A policy of three
// choices, left, nothing and right, holds the cart too.
func TestLearnsToHoldTheCart(t *testing.T) {
	if testing.Short() {
		t.Skip("it learns for seconds")
	}
	for name, c := range map[string]struct {
		schedule Schedule
		choices  int
	}{"constant": {Constant, 0}, "adaptive": {Adaptive, 0}, "choices": {Constant, 3}} {
		t.Run(name, func(t *testing.T) {
			s := cartSettings()
			s.Schedule, s.TargetKL = c.schedule, 0.02
			env := func(worlds int) *cart {
				e := newCart(worlds, 16, 2)
				if c.choices > 0 {
					e.shape.Choices, e.shape.ActionLow, e.shape.ActionHigh = 3, []float64{0}, []float64{2}
				}
				for _, b := range e.blocks {
					b.choices = c.choices > 0
				}
				return e
			}
			p := polytest.Must(New(env(32), s, 1))(t)
			before := meanReturn(t, env(64), p.Policy())
			m := iterate(t, p, 40)
			after := meanReturn(t, env(64), p.Policy())
			t.Logf("return %.1f before, %.1f after; last iteration %+v", before, after, m)
			if before > 0 || after < 20 {
				t.Errorf("mean return %.1f before and %.1f after learning, want below 0 and at least 20", before, after)
			}
			if c.choices > 0 && (!math.IsNaN(m.Std) || !(m.Entropy > 0 && m.Entropy < math.Log(3))) {
				t.Errorf("std %g and entropy %g, want NaN and between 0 and ln 3", m.Std, m.Entropy)
			}
		})
	}
}

// Choices are drawn as often as their probabilities say.
func TestDrawChoice(t *testing.T) {
	logits := []float32{-1, 2, 0, -200}
	prob, count := make([]float64, 4), make([]float64, 4)
	nn.Softmax(prob, logits)
	want := slices.Clone(prob)
	s, action := nn.NewStream(), make([]float32, 1)
	const draws = 100_000
	for i := range int64(draws) {
		s.Key(1, nn.DrawAction, 0, i)
		logProb := nn.DrawChoice(action, logits, prob, s)
		count[int(action[0])]++
		if p := want[int(action[0])]; math.Abs(math.Exp(float64(logProb))-p) > 1e-6 {
			t.Fatalf("choice %g has log probability %g, want %g", action[0], logProb, math.Log(p))
		}
	}
	for i, p := range want {
		if sigma := math.Sqrt(p * (1 - p) / draws); math.Abs(count[i]/draws-p) > 4*sigma {
			t.Errorf("choice %d drawn %g times of %d, want a part of %g", i, count[i], draws, p)
		}
	}
}

// Standard deviations stay within their bounds, whatever the gradient.
func TestStdStaysWithinItsBounds(t *testing.T) {
	for _, ofState := range []bool{false, true} {
		s := cartSettings()
		s.StateStd, s.MinStd, s.MaxStd, s.Entropy, s.LearningRate = ofState, 0.5, 1.05, 1, 1e-2
		p := polytest.Must(New(newCart(8, 8, 1), s, 1))(t)
		m := iterate(t, p, 5)
		if m.Std > 1.05+1e-6 || m.Std < 1.04 {
			t.Errorf("state-dependent %t: std %g under a strong entropy bonus, want about 1.05", ofState, m.Std)
		}
		c := polytest.Must(ReadCheckpoint(bytes.NewReader(checkpointBytes(t, p))))(t)
		s.MaxStd, s.LearningRate = 1, 1e-9 // a lower ceiling, for the checkpoint too
		p = polytest.Must(Resume(Worlds{newCart(8, 8, 1)}, c, s, 1))(t).(*PPO)
		for _, v := range p.policy.logStd() {
			if v > 0 {
				t.Errorf("a log standard deviation of %g acts under a ceiling of 0", v)
			}
		}
		if m := iterate(t, p, 1); m.Std > 1+1e-6 {
			t.Errorf("state-dependent %t: std %g under a ceiling of 1", ofState, m.Std)
		}
		s.InitialStd, s.MinStd, s.MaxStd = 0.3, 0, 0
		p = polytest.Must(New(newCart(8, 8, 1), s, 1))(t)
		if m := iterate(t, p, 1); math.Abs(m.Std-0.3) > 0.01 {
			t.Errorf("state-dependent %t: std %g at first, want 0.3", ofState, m.Std)
		}
	}
}

// A policy learned with a symmetry is nearer to its mirror image than one without.
func TestSymmetryMakesThePolicySymmetric(t *testing.T) {
	asymmetry := func(weight float64) float64 {
		env := newCart(32, 16, 1)
		env.shape.Policy = ColumnRange{First: 0, Size: 2}
		s := cartSettings()
		s.Symmetry = Symmetry{weight, Mirror{Negate: []int{0, 1}}, Mirror{Negate: []int{0}}}
		p := polytest.Must(New(env, s, 1))(t)
		iterate(t, p, 10)
		policy, sum := p.Policy(), 0.0
		act := func(x, v float64) float64 {
			var action [1]float32
			polytest.NoError(t, policy.Act(action[:], []float64{x, v, 0}, nil, 0, policy.NewScratch()))
			return float64(action[0])
		}
		for x := -2.0; x <= 2; x += 0.25 {
			sum += math.Abs(act(x, 0.3) + act(-x, -0.3))
		}
		return sum
	}
	if with, without := asymmetry(10), asymmetry(0); with > without/4 {
		t.Errorf("asymmetry %g with the loss and %g without, want a quarter at most", with, without)
	}
}

func TestDeterminismOverWorkersAndBlocks(t *testing.T) {
	for name, change := range map[string]func(*Settings){
		"plain":     func(*Settings) {},
		"recurrent": func(s *Settings) { s.Recurrent, s.Sequence = 12, 7 }, // 64 steps: the last sequence has 1
		"recurrent with a symmetry": func(s *Settings) {
			s.Recurrent, s.Symmetry = 12, cartSymmetry
		},
	} {
		s := cartSettings()
		s.Minibatch = 300 // several chunks, of unequal size, and a short last minibatch
		change(&s)
		t.Run(name, func(t *testing.T) { testDeterminism(t, s) })
	}
}

func testDeterminism(t *testing.T, s Settings) {
	learn := func(blockSize, workers int, seed uint64) []byte {
		env := newCart(21, blockSize, workers)
		for _, b := range env.blocks {
			b.faultAt = func(world int, episode, step int64) bool { return world == 5 && episode%2 == 1 && step == 7 }
		}
		p := polytest.Must(New(env, s, seed))(t)
		iterate(t, p, 3)
		return checkpointBytes(t, p)
	}
	want := learn(16, 1, 7)
	for _, c := range []struct{ blockSize, workers int }{{16, 1}, {16, 2}, {16, 4}, {4, 1}, {4, 2}, {4, 3}, {5, 2},
		{1, 3}, {1, 8}} {
		polytest.EqualSlices(t, learn(c.blockSize, c.workers, 7), want,
			"kernel %s: blocks of %d on %d workers learned something else", nn.Kernel(), c.blockSize, c.workers)
	}
	if bytes.Equal(learn(16, 1, 8), want) {
		t.Error("another seed learned the same")
	}
}

func TestDeterminismOfEvaluation(t *testing.T) {
	s := cartSettings()
	s.Recurrent = 8
	p := polytest.Must(New(newCart(21, 16, 2), s, 3))(t)
	iterate(t, p, 1)
	want := polytest.Must(Evaluate(newCart(21, 16, 1), p.Policy(), 50))(t)
	for _, c := range []struct{ blockSize, workers int }{{16, 2}, {4, 3}, {1, 2}} {
		got := polytest.Must(Evaluate(newCart(21, c.blockSize, c.workers), p.Policy(), 50))(t)
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("kernel %s: blocks of %d on %d workers: other episodes", nn.Kernel(), c.blockSize, c.workers)
		}
	}
}

func TestIterateReports(t *testing.T) {
	env := newCart(10, 4, 2)
	for _, b := range env.blocks {
		b.faultAt = func(world int, episode, step int64) bool { return world == 5 && step == 7 }
	}
	s := cartSettings()
	s.RolloutSteps, s.TargetKL = 80, 1e-9
	p := polytest.Must(New(env, s, 1))(t)
	m := iterate(t, p, 1)
	if m.Iteration != 1 || m.EnvSteps != 2*80*10 {
		t.Errorf("iteration %d after %d environment steps, want 1 after %d", m.Iteration, m.EnvSteps, 2*80*10)
	}
	// World 5 faults every 7 steps: 11 times in the 3 steps left of the warm-up rollout's 80 and the 80 of this one.
	polytest.Equal(t, m.Faults, 11, "faults")
	if good := m.Episodes - m.Faults; good < 18 {
		t.Errorf("%d episodes ended well, want at least 18", good)
	}
	if m.MaxLength != 40 || m.MinReturn > m.MeanReturn || m.MeanReturn > m.MaxReturn {
		t.Errorf("lengths up to %g, returns %g ≤ %g ≤ %g; want 40 and ascending", m.MaxLength, m.MinReturn, m.MeanReturn,
			m.MaxReturn)
	}
	polytest.Equal(t, m.Epochs, 1, "epochs under a target divergence of 1e-9")
	if m.Std <= 0 || m.GradNorm <= 0 || math.IsNaN(m.ExplainedVariance) || m.LearningRate != s.LearningRate {
		t.Errorf("odd metrics: %+v", m)
	}
}

func TestIterateRefusesNumbersThatAreNotFinite(t *testing.T) {
	for _, c := range []struct {
		want  string
		spoil func(*cart)
	}{
		{"world 2 observed NaN as value 1", func(e *cart) { e.blocks[0].observation[2*3+1] = math.NaN() }},
		{"world 3 observed +Inf as value 0", func(e *cart) { e.blocks[0].observation[3*3] = math.Inf(1) }},
		{"world 1 was rewarded -Inf", func(e *cart) { e.blocks[0].x[1] = math.Inf(1) }},
	} {
		env := newCart(4, 4, 1)
		c.spoil(env)
		p := polytest.Must(New(env, cartSettings(), 1))(t)
		polytest.ErrorContains(t, polytest.Err(p.Iterate(t.Context())), c.want)
	}
}

// An update that diverges begins again with smaller steps, and what is learned is finite
// and the same for any number of workers.
func TestDeterminismOfRetries(t *testing.T) {
	s := cartSettings()
	s.Activation, s.LearningRate, s.Hidden = ReLU, 1, slices.Repeat([]int{64}, 16) // explodes
	s.RolloutSteps, s.Epochs, s.Minibatch = 16, 2, 32
	var files [2][]byte
	for i := range files {
		p := polytest.Must(New(newCart(8, 4, 1+i), s, 1))(t)
		m := iterate(t, p, 1)
		if m.Retries < 1 || m.LearningRate != math.Pow(4, -float64(m.Retries)) || m.Epochs != 2 {
			t.Fatalf("%d retries with a learning rate of %g at last and %d epochs: the test needs an update that diverges",
				m.Retries, m.LearningRate, m.Epochs)
		}
		files[i] = checkpointBytes(t, p)
		polytest.Must(ReadCheckpoint(bytes.NewReader(files[i])))(t)
		if m := iterate(t, p, 1); m.Retries == 0 && m.LearningRate != s.LearningRate {
			t.Errorf("the learning rate of the next update is %g, want %g again", m.LearningRate, s.LearningRate)
		}
	}
	polytest.EqualSlices(t, files[0], files[1], "two workers learned something else")
	// Nothing is left of the attempts before.
	p := polytest.Must(New(newCart(8, 4, 1), s, 1))(t)
	m := iterate(t, p, 1)
	s.LearningRate = m.LearningRate
	calm := polytest.Must(New(newCart(8, 4, 1), s, 1))(t)
	if m := iterate(t, calm, 1); m.Retries != 0 {
		t.Fatalf("%d retries at a learning rate of %g", m.Retries, s.LearningRate)
	}
	if !slices.Equal(p.params, calm.params) || !reflect.DeepEqual(p.adam, calm.adam) {
		t.Error("an update after a retry is not the one that begins with its learning rate")
	}
}

// Where smaller steps do not help, the error names the world and the step, and the learner is as it was before.
func TestDivergenceNamesItsPlace(t *testing.T) {
	testDivergence(t, 0, "at control step 20")
	testDivergence(t, 4, "in the control steps 16 to 23")
}

// rewardOnce makes world 5 be rewarded so much more at control step 20.
func (e *cart) rewardOnce(bonus float64) {
	for _, b := range e.blocks {
		b.bonus = func(world int, step int64) float64 {
			if world == 5 && step == 20 {
				return bonus
			}
			return 0
		}
	}
}

func testDivergence(t *testing.T, recurrent int, place string) {
	t.Helper()
	env := newCart(8, 4, 2)
	env.rewardOnce(1e90)
	s := cartSettings()
	s.ScaleRewards, s.NormaliseObservations, s.RolloutSteps, s.Lambda = false, false, 16, 0
	if s.Recurrent = recurrent; recurrent > 0 {
		s.Sequence = 8
	}
	p := polytest.Must(New(env, s, 1))(t)
	iterate(t, p, 1) // up to step 15
	before := checkpointBytes(t, p)
	_, err := p.Iterate(t.Context())
	want := "rl: iteration 2: the policy's loss is +Inf for world 5 " + place + " in epoch 1, want a finite number, " +
		"also with steps down to 0.00098 of learning_rate"
	if err == nil || strings.NewReplacer("-Inf", "+Inf", "NaN", "+Inf").Replace(err.Error()) != want {
		t.Errorf("got %v, want %s", err, want)
	}
	polytest.EqualSlices(t, checkpointBytes(t, p), before, "the learner is another one after the error")
}

// A reward whose square would overflow is refused with its place, before the running
// moments have it. So is an observation.
func TestHugeValuesAreRefused(t *testing.T) {
	env := newCart(8, 4, 2)
	env.rewardOnce(1e155)
	s := cartSettings()
	s.RolloutSteps, s.NormaliseObservations = 16, false
	p := polytest.Must(New(env, s, 1))(t)
	iterate(t, p, 1)
	_, err := p.Iterate(t.Context())
	polytest.ErrorContains(t, err, "rl: world 5 was rewarded 1e+155 at control step 20, want")
	polytest.Must(ReadCheckpoint(bytes.NewReader(checkpointBytes(t, p))))(t)
	for _, v := range []float64{-1e155, math.Inf(1), math.NaN()} {
		if bad := nn.NewStandardiser(3).Apply(make([]float32, 3), []float64{1e100, v, v}); bad != 1 {
			t.Errorf("an observation of %g: value %d is refused, want 1", v, bad)
		}
	}
}

func TestLinearScheduleReachesZero(t *testing.T) {
	s := cartSettings()
	s.Schedule, s.NormaliseObservations = Linear, false
	s.TotalSteps = int64(2 * s.RolloutSteps * 8)
	p := polytest.Must(New(newCart(8, 8, 1), s, 1))(t)
	for i, want := range []float64{1, 0.5, 0} {
		if m := iterate(t, p, 1); m.LearningRate != want*s.LearningRate {
			t.Errorf("iteration %d: learning rate %g, want %g", i, m.LearningRate, want*s.LearningRate)
		}
	}
}

// Whatever is left in working memory must not show.
func TestScratchHoldsNothing(t *testing.T) {
	symmetric := cartSettings()
	symmetric.StateStd, symmetric.Symmetry = true, cartSymmetry
	recurrent := cartSettings()
	recurrent.Recurrent, recurrent.Sequence = 6, 10
	both := symmetric
	both.Recurrent = 6
	seeing := cartSettings()
	seeing.Convolutions, seeing.Epochs = seenConvolutions, 2
	learn := func(s Settings, scribble bool) []byte {
		env := newCart(9, 4, 2)
		if len(s.Convolutions) > 0 {
			env = newSeenCart(9, 4, 2)
		}
		p := polytest.Must(New(env, s, 1))(t)
		for range 2 {
			if scribble {
				for _, a := range p.collector().actors {
					fill(a.final)
				}
				for _, w := range p.works() {
					fill(w.Buffers()...)
				}
				fill(p.rollout.initial.policy, p.rollout.initial.value, p.rollout.initial.image)
				fill(p.grads, p.rollout.observation, p.rollout.action, p.rollout.final, p.rollout.last, p.rollout.advantage, p.std,
					p.collector().std)
			}
			iterate(t, p, 1)
		}
		return checkpointBytes(t, p)
	}
	for _, s := range []Settings{cartSettings(), symmetric, recurrent, both, seeing} {
		polytest.EqualSlices(t, learn(s, false), learn(s, true), "scribbling over working memory changed the result")
	}
}

func fill(slices ...[]float32) {
	for _, s := range slices {
		for i := range s {
			s[i] = 12345
		}
	}
}

func TestNewNamesWhatIsWrong(t *testing.T) {
	for _, c := range []struct {
		want  string
		spoil func(*Shape, *Settings)
	}{
		{"gamma is 1.5, want 0 to 1", func(_ *Shape, s *Settings) { s.Gamma = 1.5 }},
		{"lambda is NaN", func(_ *Shape, s *Settings) { s.Lambda = math.NaN() }},
		{"learning_rate is 0, want more than 0", func(_ *Shape, s *Settings) { s.LearningRate = 0 }},
		{"target_kl is 0, want more than 0", func(_ *Shape, s *Settings) { s.Schedule = Adaptive }},
		{`schedule is "cosine", want constant, linear or adaptive`, func(_ *Shape, s *Settings) { s.Schedule = "cosine" }},
		{"minibatch is 0", func(_ *Shape, s *Settings) { s.Minibatch = 0 }},
		{"hidden[1] is 0", func(_ *Shape, s *Settings) { s.Hidden = []int{8, 0} }},
		{`activation is "gelu", want tanh, elu or relu`, func(_ *Shape, s *Settings) { s.Activation = "gelu" }},
		{"critic_hidden[0] is 0", func(_ *Shape, s *Settings) { s.CriticHidden = []int{0} }},
		{"min_std is 2, want at most initial_std, which is 1", func(_ *Shape, s *Settings) { s.MinStd = 2 }},
		{"max_std is 0.5, want at least initial_std, which is 1", func(_ *Shape, s *Settings) { s.MaxStd = 0.5 }},
		{"max_std is -1, want 1e-06 to 1000", func(_ *Shape, s *Settings) { s.MaxStd = -1 }},
		{"convolutions[1].kernel is 0, want 1 to 256", func(_ *Shape, s *Settings) {
			s.Convolutions = []Convolution{{Channels: 1, Kernel: 1}, {Channels: 1}}
		}},
		{"convolutions[0].padding is 2, want 0 to 1", func(_ *Shape, s *Settings) {
			s.Convolutions = []Convolution{convolution(1, 2, 1, 2)}
		}},
		{"convolutions: 1 given, want none: nothing that is observed is a picture", func(_ *Shape, s *Settings) {
			s.Convolutions = seenConvolutions[1:]
		}},
		{"convolutions[1].kernel is 3, want at most 1: it reads 1 × 2 pixels", func(e *Shape, s *Settings) {
			e.Pictures, e.Observation = []Picture{picture(0, 1, 3, 1)}, 3
			s.Convolutions = []Convolution{convolution(1, 1, 2, 0), {Channels: 1, Kernel: 3}}
		}},
		{"1 of the 2 values of a picture are read, want all or none", func(e *Shape, s *Settings) {
			e.Pictures, e.Policy = []Picture{picture(1, 1, 2, 1)}, ColumnRange{First: 0, Size: 2}
		}},
		{"a picture of 1 × 2 × 1 values from 2, want one in the 3 observed", func(e *Shape, s *Settings) {
			e.Pictures = []Picture{picture(2, 1, 2, 1)}
		}},
		{"the byte factors of 2 pictures, want none or those of all 1", func(e *Shape, s *Settings) {
			e.Pictures, e.ByteFactors = []Picture{picture(0, 1, 2, 1)}, [][]float64{{1}, {1}}
		}},
		{"2 byte factors of a picture of 1 channels, want one for each", func(e *Shape, s *Settings) {
			e.Pictures, e.ByteFactors = []Picture{picture(0, 1, 2, 1)}, [][]float64{{1, 1}}
		}},
		{"a byte factor of NaN, want a number", func(e *Shape, s *Settings) {
			e.Pictures, e.ByteFactors = []Picture{picture(0, 1, 2, 1)}, [][]float64{{math.NaN()}}
		}},
		{"recurrent is -1, want 0 to 16384", func(_ *Shape, s *Settings) { s.Recurrent = -1 }},
		{"sequence is -8, want 0 to 1048576", func(_ *Shape, s *Settings) { s.Sequence = -8 }},
		{"symmetry.weight is -1", func(_ *Shape, s *Settings) { s.Symmetry.Weight = -1 }},
		{"observation.swap[0] is [1], want two", func(_ *Shape, s *Settings) { s.Symmetry.Observation.Swap = [][]int{{1}} }},
		{"symmetry.observation.swap[1][0] is 1, want an index that is in no other place",
			func(_ *Shape, s *Settings) { s.Symmetry.Observation.Swap = [][]int{{0, 1}, {1, 2}} }},
		{"symmetry.observation.swap[0] is [0 1], want negate to hold both or neither", func(_ *Shape, s *Settings) {
			s.Symmetry.Observation = Mirror{[][]int{{0, 1}}, []int{1}}
		}},
		{"symmetry.action.negate[0] is 1, want 0 to 0",
			func(_ *Shape, s *Settings) { s.Symmetry = Symmetry{1, Mirror{}, Mirror{Negate: []int{1}}} }},
		{"is 1, want 0 to 0: the actions are choices", func(e *Shape, s *Settings) { e.Choices, s.Symmetry.Weight = 3, 1 }},
		{"std is true, want false: the actions are choices", func(e *Shape, s *Settings) { e.Choices, s.StateStd = 3, true }},
		{"2 choices in 3 action values, want 1 to 1048576 in 1", func(e *Shape, _ *Settings) { e.Choices, e.Action = 2, 3 }},
		{"blocks of 17 worlds, want at most 16", func(e *Shape, _ *Settings) { e.BlockSize = 17 }},
		{"5 worlds, want at most 4 (1 blocks of 4)", func(e *Shape, _ *Settings) { e.Worlds = 5 }},
		{"Workers 0, want at least 1", func(e *Shape, _ *Settings) { e.Workers = 0 }},
		{"bounds of action value 0 are [1, 1]", func(e *Shape, _ *Settings) { e.ActionLow = []float64{1} }},
		{"the policy reads 3 values from 1, want at least 1 of the 3 observed",
			func(e *Shape, _ *Settings) { e.Policy = ColumnRange{First: 1, Size: 3} }},
		{"the value network reads 0 values from 2", func(e *Shape, _ *Settings) { e.Critic = ColumnRange{First: 2, Size: 0} }},
		{"2 lower and 1 upper action bounds, want 1", func(e *Shape, _ *Settings) { e.ActionLow = make([]float64, 2) }},
	} {
		env, s := newCart(4, 4, 1), cartSettings()
		c.spoil(&env.shape, &s)
		polytest.ErrorContains(t, polytest.Err(New(env, s, 1)), c.want)
	}
}

// An action of one choice, 0, has no range; others have one.
func TestBoundsOfOneChoice(t *testing.T) {
	for _, c := range []struct {
		choices   int
		low, high float64
		want      string
	}{
		{1, 0, 0, ""},
		{1, 1, 0, "bounds of action value 0 are [1, 0], want the first below the second"},
		{2, 0, 1, ""},
		{2, 0, 0, "bounds of action value 0 are [0, 0], want"},
		{0, 0, 0, "bounds of action value 0 are [0, 0], want"},
	} {
		s := newCart(4, 4, 1).shape
		s.Choices, s.ActionLow, s.ActionHigh = c.choices, []float64{c.low}, []float64{c.high}
		if err := s.validate(); c.want != "" {
			polytest.ErrorContains(t, err, c.want)
		} else {
			polytest.NoError(t, err)
		}
	}
}
