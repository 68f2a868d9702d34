package rl

import (
	"fmt"
	"math"
	"testing"
)

// randomSegment fills p with samples that exercise every branch of the loss:
// ratios inside and outside the clip range, advantages of both signs, values that
// moved little and much.
func randomSegment(p *PPO, seed uint64) {
	s := newStream()
	s.key(seed, 0, 0, 0)
	seg := &p.rollout
	for i := range p.params {
		p.params[i] += float32(0.05 * s.NormFloat64())
	}
	for i := range seg.observation {
		seg.observation[i] = float32(s.NormFloat64())
	}
	mean, value := reference64(p)
	for i := range seg.value {
		logProb := 0.0
		for j := range p.shape.Action {
			std := math.Exp(float64(p.policy.logStd()[j]))
			z := s.NormFloat64()
			seg.action[i*p.shape.Action+j] = float32(mean[i][j] + std*z)
			logProb -= z*z/2 + math.Log(std) + math.Log(2*math.Pi)/2
		}
		seg.logProb[i] = float32(logProb + 0.3*s.NormFloat64())
		seg.advantage[i] = float32(1 + 2*s.NormFloat64())
		seg.value[i] = float32(value[i] + 0.2*s.NormFloat64())
		seg.target[i] = float32(value[i] + s.NormFloat64())
	}
}

func widen(v []float32) []float64 {
	w := make([]float64, len(v))
	for i := range v {
		w[i] = float64(v[i])
	}
	return w
}

// reference64 runs both networks over the rollout in double precision.
func reference64(p *PPO) (mean [][]float64, value []float64) {
	params := widen(p.params)
	for i := range p.rollout.value {
		x := rowOf(p.rollout.observation, p.shape.Observation, i)
		mean = append(mean, p.policy.net.reference(params, widen(p.shape.Policy.of(x))))
		value = append(value, p.value.reference(params[len(p.policy.params):], widen(p.shape.Critic.of(x)))[0])
	}
	return mean, value
}

// lossOf is the loss of a minibatch as the paper writes it, in double precision.
func lossOf(p *PPO, params []float64, minibatch []int32) float64 {
	seg, s := &p.rollout, p.settings
	logStd := params[p.policy.net.parameters():len(p.policy.params)]
	n := float64(len(minibatch))
	mean, variance := 0.0, 0.0
	for _, i := range minibatch {
		mean += float64(seg.advantage[i]) / n
	}
	for _, i := range minibatch {
		variance += math.Pow(float64(seg.advantage[i])-mean, 2) / (n - 1)
	}
	loss := 0.0
	for _, i := range minibatch {
		x := rowOf(seg.observation, p.shape.Observation, int(i))
		logProb, entropy := 0.0, 0.0
		for j, mu := range p.policy.net.reference(params, widen(p.shape.Policy.of(x))) {
			z := (float64(seg.action[int(i)*p.shape.Action+j]) - mu) / math.Exp(logStd[j])
			logProb -= z*z/2 + logStd[j] + math.Log(2*math.Pi)/2
			entropy += logStd[j] + math.Log(2*math.Pi*math.E)/2
		}
		advantage := float64(seg.advantage[i])
		if s.NormaliseAdvantages {
			advantage = (advantage - mean) / (math.Sqrt(variance) + 1e-8)
		}
		ratio := math.Exp(logProb - float64(seg.logProb[i]))
		clipped := math.Max(1-s.Clip, math.Min(1+s.Clip, ratio))
		surrogate := math.Min(ratio*advantage, clipped*advantage)

		v := p.value.reference(params[len(p.policy.params):], widen(p.shape.Critic.of(x)))[0]
		old, target := float64(seg.value[i]), float64(seg.target[i])
		squared := math.Pow(v-target, 2)
		if s.ClipValue {
			near := old + math.Max(-s.Clip, math.Min(s.Clip, v-old))
			squared = math.Max(squared, math.Pow(near-target, 2))
		}
		loss += (-surrogate + s.ValueWeight*squared/2 - s.Entropy*entropy) / n
	}
	return loss
}

// The gradient agrees with finite differences of the reference loss.
func TestGradient(t *testing.T) {
	for _, c := range []struct {
		clipValue, normalise bool
		entropy              float64
		minibatch            int
		policy, critic       Span
	}{
		{true, true, 0.01, 200, Span{}, Span{}}, // four chunks, the last shorter
		{false, false, 0, 64, Span{}, Span{}},   // one chunk
		{true, false, 0.1, 37, Span{0, 2}, Span{}},
		{false, true, 0, 65, Span{0, 1}, Span{1, 2}}, // two chunks
	} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			s := DefaultSettings()
			s.Hidden, s.RolloutSteps = []int{6, 5}, 64
			s.ClipValue, s.NormaliseAdvantages, s.Entropy, s.Minibatch = c.clipValue, c.normalise, c.entropy, c.minibatch
			env := newCart(4, 4, 2)
			env.shape.Policy, env.shape.Critic = c.policy, c.critic
			p, err := New(env, s, 1)
			if err != nil {
				t.Fatal(err)
			}
			randomSegment(p, 3)
			p.iteration = 1
			p.shuffleSamples(0)
			minibatch := p.order[:c.minibatch]
			l, grad := p.gradient(t.Context(), minibatch)
			if outside := l.clipped / float64(c.minibatch); outside < 0.2 || outside > 0.8 {
				t.Fatalf("%.0f %% of the ratios are clipped: the samples miss a branch", 100*outside)
			}
			params := widen(p.params)
			for i := range params {
				const h = 1e-6
				at := params[i]
				params[i] = at + h
				up := lossOf(p, params, minibatch)
				params[i] = at - h
				down := lossOf(p, params, minibatch)
				params[i] = at
				want := (up - down) / (2 * h)
				if got := float64(grad[i]); math.Abs(got-want) > 2e-5*(1+math.Abs(want)) {
					t.Errorf("parameter %d: derivative %g, want %g", i, got, want)
				}
			}
		})
	}
}

// Scaled rewards are the task's, divided by the deviation of the discounted
// return, which starts anew with each episode.
func TestScaleRewards(t *testing.T) {
	s := cartSettings()
	s.RolloutSteps = 50
	p, err := New(newCart(3, 3, 1), s, 1)
	if err != nil {
		t.Fatal(err)
	}
	r := newStream()
	r.key(1, 0, 0, 0)
	var returns []float64
	sums := make([]float64, 3)
	for range 2 { // rollouts: the sums go on from one to the next
		reward := make([]float64, 150)
		for i := range reward {
			reward[i] = 3 + r.NormFloat64()
			p.rollout.end[i] = ending(max(0, r.IntN(20)-17))
			if r.IntN(50) == 0 {
				reward[i] = 1e4
			}
			sums[i%3] = sums[i%3]*s.Gamma + reward[i]
			returns = append(returns, sums[i%3])
			if p.rollout.end[i] != goesOn {
				sums[i%3] = 0
			}
		}
		copy(p.rollout.reward, reward)
		p.scaleRewards()
		_, variance := twoPass(returns)
		for i, got := range p.rollout.reward {
			want := math.Min(10, reward[i]/math.Sqrt(variance+1e-8))
			if math.Abs(got-want) > 1e-9 {
				t.Fatalf("reward %d is scaled to %g, want %g", i, got, want)
			}
		}
	}
}

func twoPass(v []float64) (mean, variance float64) {
	for _, x := range v {
		mean += x / float64(len(v))
	}
	for _, x := range v {
		variance += (x - mean) * (x - mean) / float64(len(v))
	}
	return mean, variance
}

func TestShuffleIsAPermutation(t *testing.T) {
	p, err := New(newCart(4, 4, 1), cartSettings(), 1)
	if err != nil {
		t.Fatal(err)
	}
	var before []int32
	for epoch := range 3 {
		p.shuffleSamples(epoch)
		seen, same := make([]bool, len(p.order)), 0
		for i, sample := range p.order {
			if seen[sample] {
				t.Fatalf("epoch %d: sample %d twice", epoch, sample)
			}
			seen[sample] = true
			if before != nil && before[i] == sample {
				same++
			}
		}
		if same > len(p.order)/10 {
			t.Errorf("epoch %d: %d of %d samples are where they were", epoch, same, len(p.order))
		}
		before = append([]int32(nil), p.order...)
	}
}

func TestAdam(t *testing.T) {
	const n, steps = 7, 20
	params, want := make([]float32, n), make([]float64, n)
	m, v := make([]float64, n), make([]float64, n)
	a, s := newAdam(n), newStream()
	s.key(1, 0, 0, 0)
	for step := 1; step <= steps; step++ {
		grad := make([]float32, n)
		for i := range grad {
			grad[i] = float32(s.NormFloat64())
			g := 0.5 * float64(grad[i])
			m[i] = 0.9*m[i] + 0.1*g
			v[i] = 0.999*v[i] + 0.001*g*g
			want[i] -= 0.01 * m[i] / (1 - math.Pow(0.9, float64(step))) /
				(math.Sqrt(v[i]/(1-math.Pow(0.999, float64(step)))) + 1e-5)
		}
		a.step(params, grad, 0.5, 0.01, 3)
	}
	for i := range params {
		if math.Abs(float64(params[i])-want[i]) > 1e-6 {
			t.Errorf("parameter %d is %g, want %g", i, params[i], want[i])
		}
	}
}

func TestExplainedVariance(t *testing.T) {
	target := []float32{1, 2, 3, 4}
	for _, c := range []struct {
		value []float32
		want  float64
	}{
		{[]float32{1, 2, 3, 4}, 1},
		{[]float32{5, 5, 5, 5}, 0},
		{[]float32{2, 4, 6, 8}, 0},
		{[]float32{-1, -2, -3, -4}, -3},
	} {
		if got := explainedVariance(c.value, target); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("values %g for targets %g explain %g, want %g", c.value, target, got, c.want)
		}
	}
	if got := explainedVariance(target, []float32{2, 2, 2, 2}); !math.IsNaN(got) {
		t.Errorf("constant targets are explained to %g, want NaN", got)
	}
}
