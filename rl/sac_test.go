package rl

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/rl/nn"
)

// sacSettings suit the cart.
func sacSettings() Settings {
	s := DefaultSettings()
	s.Algorithm = AlgorithmSAC
	s.TotalSteps = 6000
	s.SAC = SACSettings{Segment: 4, Minibatch: 64, RandomSteps: 400, Hidden: []int{32, 32}, LearningRate: 3e-3,
		Replay: 5000}
	return s
}

// pendulum is Gymnasium's Pendulum-v1: a rod that a weak motor has to swing up and hold. Its observation is the
// cosine and sine of the angle from upright and the speed; an episode has 200 steps.
type pendulum struct{ fakeEnv[*pendulumBlock] }

type pendulumBlock struct {
	fakeBlock
	angle, speed, sum []float64
	episode, length   []int64
}

func newPendulum(worlds, blockSize, workers int) *pendulum {
	e := &pendulum{fakeEnv[*pendulumBlock]{shape: Shape{Worlds: worlds, BlockSize: blockSize, Workers: workers,
		Observation: 3, Action: 1, ActionLow: []float64{-2}, ActionHigh: []float64{2}}}}
	e.fill(func(b fakeBlock) *pendulumBlock {
		n := b.worlds
		p := &pendulumBlock{b, make([]float64, n), make([]float64, n), make([]float64, n), make([]int64, n), make([]int64, n)}
		for i := range n {
			p.reset(i)
		}
		return p
	})
	return e
}

func (b *pendulumBlock) reset(i int) {
	s := nn.NewStream()
	s.Key(5, 0, int64(b.first+i), b.episode[i])
	b.angle[i], b.speed[i] = math.Pi*(2*s.Float64()-1), 2*s.Float64()-1
	b.sum[i], b.length[i] = 0, 0
	b.observe(b.observation, i)
}

func (b *pendulumBlock) observe(dst []float64, i int) {
	dst[3*i], dst[3*i+1], dst[3*i+2] = math.Cos(b.angle[i]), math.Sin(b.angle[i]), b.speed[i]
}

func (b *pendulumBlock) Step() error {
	for i := range b.worlds {
		u, angle := float64(b.action[i]), math.Remainder(b.angle[i], 2*math.Pi)
		b.reward[i] = -(angle*angle + 0.1*b.speed[i]*b.speed[i] + 0.001*u*u)
		b.speed[i] = min(max(b.speed[i]+(15*math.Sin(angle)+3*u)*0.05, -8), 8)
		b.angle[i] += 0.05 * b.speed[i]
		b.sum[i] += b.reward[i]
		b.length[i]++
		b.observe(b.observation, i)
		if b.truncated[i] = b.length[i] == 200; b.truncated[i] {
			b.endReturn[i], b.endLength[i] = b.sum[i], b.length[i]
			b.observe(b.final, i)
			b.episode[i]++
			b.reset(i)
		}
	}
	return nil
}

// SAC swings the pendulum up as in the published results, a mean return of -150 or so, in 8,000 steps, also with
// critics that have quantiles.
func TestSACSwingsThePendulumUp(t *testing.T) {
	for _, quantiles := range []int{0, 9} {
		set := DefaultSettings()
		set.Algorithm, set.TotalSteps = AlgorithmSAC, 8000
		set.SAC = SACSettings{Segment: 5, Minibatch: 128, RandomSteps: 1000, Hidden: []int{64, 64},
			LearningRate: 1e-3, TargetRate: 0.01, LayerNorm: true, Quantiles: quantiles}
		s := polytest.Must(begin(newSAC(newPendulum(8, 8, 1), set, 1)))(t)
		for s.EnvSteps() < set.TotalSteps {
			polytest.Must(s.Iterate(t.Context()))(t)
		}
		policy, env := s.Policy(), newPendulum(16, 16, 1)
		b, scratch, sum := env.blocks[0], policy.NewScratch(), 0.0
		for range 200 {
			polytest.NoError(t, policy.Act(b.action, b.observation, nil, 0, scratch))
			polytest.NoError(t, b.Step())
		}
		for i := range b.worlds {
			sum += b.endReturn[i] / float64(b.worlds)
		}
		t.Logf("%d quantiles: mean return %.1f", quantiles, sum)
		if sum < -200 {
			t.Errorf("%d quantiles: mean return %.1f, want at least -200", quantiles, sum)
		}
	}
}

func learnerBytes(t testing.TB, l Learner) []byte {
	t.Helper()
	var b bytes.Buffer
	polytest.NoError(t, l.Checkpoint(&b, "user"))
	return b.Bytes()
}

func replayBytesOf(t testing.TB, r *Replay) []byte {
	t.Helper()
	var b bytes.Buffer
	polytest.NoError(t, r.WriteNew(&b))
	return b.Bytes()
}

// options are settings that each change what a gradient step does.
var options = map[string]func(*Settings){
	"plain": func(*Settings) {},
	"all": func(s *Settings) {
		s.SAC.LayerNorm, s.SAC.Dropout, s.SAC.Critics, s.SAC.TargetCritics = true, 0.1, 5, 2
		s.SAC.Steps, s.SAC.PolicyEvery, s.SAC.UpdateRatio, s.SAC.Minibatch = 3, 3, 0.3, 150
		s.NormaliseObservations, s.SAC.Replay = false, 600
	},
	"quantiles": func(s *Settings) {
		s.SAC.Quantiles, s.SAC.LayerNorm, s.SAC.Steps = 7, true, 2
	},
	"symmetry": func(s *Settings) {
		s.Symmetry, s.SAC.Minibatch = cartSymmetry, 150
	},
	"steered": func(s *Settings) {
		s.SAC.MaxGradNorm, s.SAC.Schedule, s.SAC.FixedTemperature, s.SAC.Temperature = 0.01, Linear, true, 0.2
	},
}

// A run does not depend on the number of workers or the size of blocks.
func TestDeterminismOfSAC(t *testing.T) {
	for name, change := range options {
		t.Run(name, func(t *testing.T) {
			var want []byte
			for _, c := range [][2]int{{1, 1}, {3, 2}, {9, 3}, {4, 1}} {
				set := sacSettings()
				change(&set)
				env := newCart(9, c[0], c[1])
				for _, b := range env.blocks {
					b.faultAt = func(world int, episode, step int64) bool { return world == 2 && episode%3 == 1 && step == 5 }
				}
				s := polytest.Must(begin(newSAC(env, set, 1)))(t)
				for range 25 {
					polytest.Must(s.Iterate(t.Context()))(t)
				}
				got := append(learnerBytes(t, s), replayBytesOf(t, s.replay)...)
				if want == nil {
					want = got
				}
				if !bytes.Equal(got, want) {
					t.Errorf("blocks of %d on %d workers differ", c[0], c[1])
				}
				if s.adam.Steps == 0 || name == "all" && s.policySteps*3 != s.adam.Steps-s.adam.Steps%3 {
					t.Errorf("%d steps of the critics and %d of the policy", s.adam.Steps, s.policySteps)
				}
			}
		})
	}
}

// A learner that is continued, with a replay that was written in parts, does what it would have done. Without the
// replay it is refused, and with another one it does something else.
func TestDeterminismOfContinueOfSAC(t *testing.T) {
	for name, change := range options {
		t.Run(name, func(t *testing.T) {
			set := sacSettings()
			change(&set)
			run := func(times int, written *bytes.Buffer) *SAC {
				s := polytest.Must(begin(newSAC(newCart(9, 3, 2), set, 1)))(t)
				for i := range times {
					polytest.Must(s.Iterate(t.Context()))(t)
					if i%7 == 3 && written != nil {
						polytest.NoError(t, s.replay.WriteNew(written))
					}
				}
				return s
			}
			want := learnerBytes(t, run(40, nil))
			var written bytes.Buffer
			was := run(25, &written)
			polytest.NoError(t, was.replay.WriteNew(&written))
			c := polytest.Must(ReadCheckpoint(bytes.NewReader(learnerBytes(t, was))))(t)
			polytest.ErrorContains(t, polytest.Err(Continue(Worlds{was.env}, c, Memory{}, c.Settings)),
				"no replay, want that of 9 worlds")
			replay := polytest.Must(NewReplay(was.shape, set))(t)
			polytest.NoError(t, replay.Read(bytes.NewReader(written.Bytes())))
			again := polytest.Must(Continue(Worlds{was.env}, c, Memory{Replay: replay}, c.Settings))(t)
			for range 15 {
				polytest.Must(again.Iterate(t.Context()))(t)
			}
			if !bytes.Equal(learnerBytes(t, again), want) {
				t.Error("the learner that was continued differs")
			}
		})
	}
}

// Learning goes on from a checkpoint alone, with an empty replay that fills first.
func TestResumeOfSAC(t *testing.T) {
	set := sacSettings()
	was := polytest.Must(begin(newSAC(newCart(8, 4, 1), set, 1)))(t)
	for range 20 {
		polytest.Must(was.Iterate(t.Context()))(t)
	}
	c := polytest.Must(ReadCheckpoint(bytes.NewReader(learnerBytes(t, was))))(t)
	l := polytest.Must(Resume(Worlds{newCart(4, 4, 1)}, c, set, 2))(t)
	if before := learnerBytes(t, l); !bytes.Contains(before, learnerBytes(t, was)[1000:1400]) {
		t.Error("the parameters are not those of the checkpoint")
	}
	s := l.(*SAC)
	for s.controlSteps < was.controlSteps+110 {
		steps := s.adam.Steps
		m := polytest.Must(s.Iterate(t.Context()))(t)
		if few := s.controlSteps < was.controlSteps+100; few != (m.GradientSteps == 0) ||
			m.GradientSteps != s.adam.Steps-steps {
			t.Errorf("%d gradient steps after %d control steps", m.GradientSteps, s.controlSteps-was.controlSteps)
		}
	}
	resumed := polytest.Must(ReadCheckpoint(bytes.NewReader(learnerBytes(t, s))))(t)
	polytest.Equal(t, resumed.ReplayFrom, was.controlSteps, "control steps before the replay's first")
	set.TotalSteps = resumed.EnvSteps + 399
	polytest.ErrorContains(t, polytest.Err(Resume(Worlds{newCart(4, 4, 1)}, resumed, set, 2)),
		"steps is 1487, want at least sac.random_steps, which is 400, more than the 1088 that the checkpoint has taken")
	for want, change := range map[string]func(*Settings){
		"algorithm is ppo, want sac as in the checkpoint": func(s *Settings) { s.Algorithm = "" },
		"sac.hidden is [8], want [32 32]":                 func(s *Settings) { s.SAC.Hidden = []int{8} },
		"sac.critics is 3, want 2":                        func(s *Settings) { s.SAC.Critics = 3 },
		"sac.quantiles is 4, want 1":                      func(s *Settings) { s.SAC.Quantiles = 4 },
		"sac.layer_norm is true, want false":              func(s *Settings) { s.SAC.LayerNorm = true },
		"normalise_observations is false, want true":      func(s *Settings) { s.NormaliseObservations = false },
	} {
		other := set
		change(&other)
		polytest.ErrorContains(t, polytest.Err(Resume(Worlds{newCart(4, 4, 1)}, c, other, 2)), want)
	}
}

// Learning begins after the random steps, also where episodes are cut off meanwhile, whose final observations are rows.
func TestSACBeginsAfterTheRandomSteps(t *testing.T) {
	set := sacSettings()
	set.SAC.Segment, set.SAC.RandomSteps = 1, 400
	s := polytest.Must(begin(newSAC(newCart(4, 4, 1), set, 1)))(t)
	for s.envSteps < 500 {
		m := polytest.Must(s.Iterate(t.Context()))(t)
		if begun := m.GradientSteps > 0; begun != (s.envSteps >= 400) {
			t.Fatalf("%d gradient steps after %d environment steps", m.GradientSteps, s.envSteps)
		}
	}
}

// After an interruption the learner is as it was, for a checkpoint.
func TestInterruptedSAC(t *testing.T) {
	s := polytest.Must(begin(newSAC(newCart(8, 4, 2), sacSettings(), 1)))(t)
	for range 20 {
		polytest.Must(s.Iterate(t.Context()))(t)
	}
	want := learnerBytes(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	steps := 0
	s.env.(*cart).blocks[0].bonus = func(int, int64) float64 {
		if steps++; steps == 16 { // the last of the rollout's block
			cancel()
		}
		return 0
	}
	if _, err := s.Iterate(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want that it was cancelled", err)
	}
	if !bytes.Equal(learnerBytes(t, s), want) {
		t.Error("the learner differs from before the iteration")
	}
}

func TestNewSACNamesWhatIsWrong(t *testing.T) {
	for want, change := range map[string]func(*Shape, *Settings){
		"algorithm is \"dqn\", want ppo, sac, distill, clone or td3bc": func(_ *Shape, s *Settings) {
			s.Algorithm = "dqn"
		},
		"algorithm is sac, want ppo: the actions are choices": func(e *Shape, _ *Settings) {
			e.Choices = 3
		},
		"action value 0 has the bounds -1 and +Inf": func(e *Shape, _ *Settings) {
			e.ActionHigh = []float64{math.Inf(1)}
		},
		"memory_mb is 1, want at least 201": func(_ *Shape, s *Settings) {
			s.MemoryMB, s.SAC.Replay = 1, 1e7
		},
		"sac.replay is 15, want at least 16, 2 for each of 8 worlds": func(_ *Shape, s *Settings) {
			s.SAC.Replay = 15
		},
		"sac.replay is 23, want at least 24, 3 for each of 8 worlds": func(_ *Shape, s *Settings) {
			s.SAC.Replay, s.SAC.Steps = 23, 3
		},
		"sac.target_critics is 3, want at most critics, which is 2": func(_ *Shape, s *Settings) {
			s.SAC.TargetCritics = 3
		},
		"steps is 399, want at least sac.random_steps, which is 400: nothing is learnt before": func(_ *Shape, s *Settings) {
			s.TotalSteps = 399
		},
		"recurrent is 4, want 0 with algorithm sac": func(_ *Shape, s *Settings) {
			s.Recurrent = 4
		},
		"symmetry.weight is 0.1, want 0 with algorithm td3bc": func(_ *Shape, s *Settings) {
			s.Algorithm, s.Symmetry.Weight = AlgorithmTD3BC, 0.1
		},
		"symmetry.action.negate[0] is 1, want": func(_ *Shape, s *Settings) {
			s.Symmetry = Symmetry{Weight: 0.1, Action: Mirror{Negate: []int{1}}}
		},
		"convolutions: 2 given, want none: nothing that is observed is a picture": func(_ *Shape, s *Settings) {
			s.Convolutions = seenConvolutions
		},
		"convolutions[1].kernel is 2, want at most 1: it reads 1 × 3 pixels": func(e *Shape, s *Settings) {
			s.Convolutions, e.Pictures = seenConvolutions, []Picture{picture(0, 1, 3, 1)}
		},
		"convolutions: 1 given with algorithm sac, whose policy reads 0 pictures and whose critics read 1": func(e *Shape,
			s *Settings) {
			s.Convolutions, e.Pictures = seenConvolutions[:1], []Picture{picture(0, 1, 2, 1)}
			e.Policy = ColumnRange{First: 2, Size: 1}
		},
		"symmetry.weight is 1, want 0 with algorithm sac and 1 convolutions": func(e *Shape, s *Settings) {
			s.Convolutions, e.Pictures, s.Symmetry = seenConvolutions[:1], []Picture{picture(0, 1, 3, 1)}, cartSymmetry
		},
		"sac.random_shift is 4, want 0 without convolutions": func(_ *Shape, s *Settings) {
			s.SAC.RandomShift = 4
		},
		"convolutions: 1 given, want none with algorithm td3bc": func(e *Shape, s *Settings) {
			s.Convolutions, e.Pictures, s.Algorithm = seenConvolutions[:1], []Picture{picture(0, 1, 3, 1)}, AlgorithmTD3BC
		},
		"recurrent is 4, want 0 with algorithm td3bc": func(_ *Shape, s *Settings) {
			s.Algorithm, s.Recurrent = AlgorithmTD3BC, 4
		},
		"update_ratio is 65": func(_ *Shape, s *Settings) {
			s.SAC.UpdateRatio = 65
		},
		"sac.schedule is \"adaptive\", want constant or linear": func(_ *Shape, s *Settings) {
			s.SAC.Schedule = Adaptive
		},
		"sac.max_grad_norm is -1, want": func(_ *Shape, s *Settings) {
			s.SAC.MaxGradNorm = -1
		},
		"sac.target_entropy is -3, want none with fixed_temperature": func(_ *Shape, s *Settings) {
			s.SAC.TargetEntropy, s.SAC.FixedTemperature = new(float64), true
			*s.SAC.TargetEntropy = -3
		},
		"dropout is 1": func(_ *Shape, s *Settings) {
			s.SAC.Dropout = 1
		},
	} {
		env, set := newCart(8, 4, 1), sacSettings()
		change(&env.shape, &set)
		_, err := NewLearner(Worlds{env}, set, 1)
		polytest.ErrorContains(t, err, want)
		polytest.Equal(t, errors.As(err, new(SettingsError)), true, "whether it is a SettingsError: %v", err)
	}
	_, err := NewLearner(Parts{Of: newCart(8, 4, 1).Shape()}, sacSettings(), 1)
	polytest.ErrorContains(t, err, "algorithm is sac, want one that learns from parts of rollouts")
}

// The smallest replay has something to learn from where all episodes end with a rollout, and one that has nothing left
// is an error. So is one that was written so.
func TestSACLearnsFromTheSmallestReplay(t *testing.T) {
	set := sacSettings()
	set.SAC.Segment, set.SAC.RandomSteps, set.SAC.Replay = 200, 1, 8 // the pendulum's episodes have 200 steps
	set.SAC.UpdateRatio = 0.05
	s := polytest.Must(begin(newSAC(newPendulum(4, 4, 1), set, 1)))(t)
	m := polytest.Must(s.Iterate(t.Context()))(t)
	polytest.Equal(t, m.GradientSteps, 40, "gradient steps")
	polytest.Equal(t, slices.Index(s.replay.kind, seam) >= 0, true, "whether a final observation is kept")
	s.replay = newReplay(s.shape, SACSettings{Replay: 4}) // one row for each world, the final observation
	polytest.ErrorContains(t, polytest.Err(s.Iterate(t.Context())), "rl: no row of the replay has an action")
}

// A number that is not finite ends the run in one line.
func TestSACRefusesNumbersThatAreNotFinite(t *testing.T) {
	s := polytest.Must(begin(newSAC(newCart(8, 4, 1), sacSettings(), 1)))(t)
	for range 15 {
		polytest.Must(s.Iterate(t.Context()))(t)
	}
	s.criticParams(s.params, 1)[3] = float32(math.NaN())
	polytest.ErrorContains(t, polytest.Err(s.Iterate(t.Context())),
		"rl: iteration 16: the critics' loss is NaN, want a finite number")
}

// learnedSAC has learned in the cart a little, with a minibatch of several chunks and a team.
func learnedSAC(t *testing.T, change func(*SACSettings)) *SAC {
	t.Helper()
	set := sacSettings()
	set.SAC.Minibatch = 300
	change(&set.SAC)
	s := polytest.Must(begin(newSAC(newCart(8, 4, 2), set, 1)))(t)
	for range 15 {
		polytest.Must(s.Iterate(t.Context()))(t)
	}
	s.team = nn.NewTeam(2)
	t.Cleanup(s.team.Close)
	return s
}

// The gradient of the critics and that of the policy are each shortened to the longest that is allowed: a step is Adam's,
// in double precision, against the gradient of that length. A shorter one stays as it is.
func TestSACShortensGradients(t *testing.T) {
	for _, most := range []float64{0, 1e-3, 1e5} {
		s := learnedSAC(t, func(o *SACSettings) { o.MaxGradNorm = most })
		params, first, second := widen(s.params), widen(s.adam.First), widen(s.adam.Second)
		steps, policySteps, offset := s.adam.Steps, s.policySteps, len(s.policy.params)
		length := s.step(&replayChunk{})
		for _, part := range []struct {
			name       string
			first, end int
			steps      int64 // of Adam before
			rate       float64
			reported   float64
		}{
			{"policy", 0, offset, policySteps, s.choices.LearningRate, 0},
			{"critics", offset, len(params) - 1, steps, s.choices.CriticRate, length},
		} {
			squared := 0.0
			for _, g := range s.grads[part.first:part.end] {
				squared += float64(g) * float64(g)
			}
			norm, scale := math.Sqrt(squared), 1.0
			if most > 0 {
				scale = min(1, most/norm)
			}
			if short := most == 1e-3; short != (scale < 0.5) || !short && scale != 1 {
				t.Fatalf("%s: a gradient of the length %g with at most %g", part.name, norm, most)
			}
			if part.reported != 0 && math.Abs(part.reported-norm) > 1e-6*norm {
				t.Errorf("%s: the length is reported as %g, want %g, before it is shortened", part.name, part.reported, norm)
			}
			n := float64(part.steps + 1)
			for i := part.first; i < part.end; i++ {
				g := scale * float64(s.grads[i])
				m, v := 0.9*first[i]+0.1*g, 0.999*second[i]+0.001*g*g
				want := params[i] - part.rate*m/(1-math.Pow(0.9, n))/(math.Sqrt(v/(1-math.Pow(0.999, n)))+1e-8)
				if got := float64(s.params[i]); math.Abs(got-want) > 1e-5*part.rate+1e-6*math.Abs(want) {
					t.Fatalf("%s, at most %g: parameter %d is %v, want %v", part.name, most, i, got, want)
				}
			}
		}
	}
}

// A linear schedule takes as long steps as a constant one of the learning rates that are left, and none at the end.
func TestScheduleOfSAC(t *testing.T) {
	const halfway = 6000 / 2
	constant := learnedSAC(t, func(*SACSettings) {})
	linear := learnedSAC(t, func(*SACSettings) {})
	linear.choices.Schedule = Linear
	each := int64(linear.choices.Segment * linear.shape.Worlds)
	for _, before := range []int64{0, halfway, 6000 - each, 6000, 7000} {
		left := max(0, 1-float64(before)/6000)
		constant.envSteps, linear.envSteps = before, before
		constant.choices.LearningRate, constant.choices.CriticRate = left*3e-3, left*3e-3
		a, b := polytest.Must(constant.Iterate(t.Context()))(t), polytest.Must(linear.Iterate(t.Context()))(t)
		if a.GradientSteps == 0 || b.LearningRate != 3e-3*left || a.LearningRate != b.LearningRate {
			t.Errorf("after %d steps the learning rate is %g, want %g", before, b.LearningRate, 3e-3*left)
		}
		if !slices.Equal(constant.params, linear.params) {
			t.Errorf("after %d steps the parameters differ from those by a constant rate of %g", before, 3e-3*left)
		}
	}
	last := slices.Clone(linear.params)
	polytest.Must(linear.Iterate(t.Context()))(t)
	polytest.EqualSlices(t, linear.params, last, "parameters after an iteration at the learning rate 0")
}

// A fixed temperature stays where it begins, and one that is steered does not.
func TestFixedTemperature(t *testing.T) {
	for _, fixed := range []bool{true, false} {
		s := learnedSAC(t, func(o *SACSettings) { o.FixedTemperature, o.Temperature = fixed, 0.2 })
		m := polytest.Must(s.Iterate(t.Context()))(t)
		if stays := math.Abs(m.Temperature-0.2) < 1e-7; stays != fixed || s.policySteps == 0 {
			t.Errorf("fixed %t: the temperature is %g after %d steps, and was 0.2", fixed, m.Temperature, s.policySteps)
		}
	}
}

// The metrics have the columns of the algorithm, and no number that is not known.
func TestSACMetrics(t *testing.T) {
	m := newMetrics(AlgorithmSAC)
	names, _ := m.Columns()
	text := fmt.Sprint(names)
	for column, want := range map[string]bool{
		"temperature": true, "gradient_steps": true, "approx_kl": false, "epochs": false,
	} {
		if got := bytes.Contains([]byte(text), []byte(column)); got != want {
			t.Errorf("%s among %s: %t", column, text, got)
		}
	}
}

func BenchmarkSACStep(b *testing.B) {
	for _, workers := range []int{1, 2} {
		for name, norm := range map[string]bool{"plain": false, "norm": true} {
			b.Run(fmt.Sprintf("%s,workers=%d", name, workers), func(b *testing.B) {
				set := DefaultSettings()
				set.Algorithm = AlgorithmSAC
				set.SAC = SACSettings{RandomSteps: 1000, LayerNorm: norm, UpdateRatio: 1e-6}
				s := polytest.Must(begin(newSAC(newStill(16, workers), set, 1)))(b)
				for s.replay.count[0] < 200 {
					polytest.Must(s.Iterate(b.Context()))(b)
				}
				s.team = nn.NewTeam(workers)
				defer s.team.Close()
				var sum replayChunk
				for b.Loop() {
					s.step(&sum)
				}
			})
		}
	}
}
