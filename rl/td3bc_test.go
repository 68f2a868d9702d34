package rl

import (
	"bytes"
	"math"
	"slices"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/rl/internal/nntest"
	"github.com/polyrhythm-rl/polyrhythm/rl/nn"
)

// drives are episodes of carts whose drivers push at random or away from the origin, each as often as brake.
type drives struct {
	observed [][]float64
	acted    []float32
	reward   []float64
	over     []bool
	episodes [][]int32
	mean     float64 // return of an episode
}

func newDrives(episodes int) *drives {
	d, cart := &drives{}, newCart(1, 1, 1)
	b, noise := cart.blocks[0], nn.NewStream()
	for e := range episodes {
		noise.Key(5, 0, int64(e), 0)
		var rows []int32
		for done := false; !done; {
			seen := slices.Clone(b.observation)
			u := 2*noise.Float64() - 1
			switch e % 3 {
			case 1:
				u = brake(seen[0], seen[1])
			case 2:
				u = -brake(seen[0], seen[1])
			}
			b.action[0] = float32(u)
			_ = b.Step()
			rows = append(rows, int32(len(d.acted)))
			d.observed, d.acted = append(d.observed, seen), append(d.acted, b.action[0])
			d.reward, d.over = append(d.reward, b.reward[0]), append(d.over, b.terminated[0])
			d.mean += b.reward[0] / float64(episodes)
			done = b.terminated[0] || b.truncated[0]
		}
		d.episodes = append(d.episodes, rows)
	}
	return d
}

func (d *drives) Len() int            { return len(d.acted) }
func (d *drives) Episodes() [][]int32 { return d.episodes }
func (d *drives) Row(i int, observation []float64, action []float32) {
	copy(observation, d.observed[i])
	action[0] = d.acted[i]
}

func (d *drives) Reward(i int) (float64, bool, bool) {
	last := slices.ContainsFunc(d.episodes, func(rows []int32) bool { return rows[len(rows)-1] == int32(i) })
	return d.reward[i], d.over[i], d.over[i] || !last
}

// drive returns the mean return of a policy over episodes of a cart.
func drive(t *testing.T, p *Policy, episodes int) (mean float64) {
	t.Helper()
	b := newCart(1, 1, 1).blocks[0]
	scratch := p.NewScratch()
	for n := 0; n < episodes; {
		polytest.NoError(t, p.Act(b.action, b.observation, nil, 0, scratch))
		_ = b.Step()
		if b.terminated[0] || b.truncated[0] {
			mean += b.endReturn[0] / float64(episodes)
			n++
		}
	}
	return mean
}

func td3bcSettings() Settings {
	s := sacSettings()
	s.Algorithm, s.Gamma = AlgorithmTD3BC, 0.95
	s.SAC.Segment, s.SAC.RandomSteps, s.SAC.Replay, s.SAC.LearningRate, s.SAC.TargetRate = 8, 0, 0, 1e-3, 0.02
	weight := 30.0
	s.SAC.ValueWeight = &weight
	return s
}

func offline(t *testing.T, env Env, rows Recorded, s Settings) *TD3BC {
	t.Helper()
	return polytest.Must(begin(newTD3BC(env.Shape(), rows, s, 1)))(t)
}

func iterations(t *testing.T, s Learner, n int) (m Metrics) {
	t.Helper()
	for range n {
		m = polytest.Must(s.Iterate(t.Context()))(t)
	}
	return m
}

// From drivers of whom one brakes, it learns to brake; a clone of all does what they do on average. The bits are the
// same for any number of workers, and where it goes on from a checkpoint.
func TestDeterminismOfTD3BC(t *testing.T) {
	rows, set := newDrives(90), td3bcSettings()
	var want []byte
	var m Metrics
	for _, of := range [][2]int{{8, 1}, {5, 3}} {
		s := offline(t, newCart(16, of[0], of[1]), rows, set)
		m = iterations(t, s, 20)
		if got := learnerBytes(t, s); want == nil {
			want = got
		} else {
			polytest.EqualSlices(t, got, want, "blocks of %d and %d workers", of[0], of[1])
		}
		if learned := drive(t, s.Policy(), 60); learned < rows.mean+40 {
			t.Errorf("the policy earns %.1f, what was recorded %.1f", learned, rows.mean)
		}
	}
	if m.EnvSteps != 20*8*16 || m.GradientSteps != 8*16 || !math.IsNaN(m.Temperature) || math.IsNaN(m.MeanValue) {
		t.Errorf("metrics %+v", m)
	}
	begun := offline(t, newCart(16, 8, 2), rows, set)
	iterations(t, begun, 9)
	c := polytest.Must(ReadCheckpoint(bytes.NewReader(learnerBytes(t, begun))))(t)
	on := polytest.Must(Continue(Rows{newCart(16, 8, 2).shape, rows}, c, begun.Memory(), set))(t)
	iterations(t, on, 11)
	polytest.EqualSlices(t, learnerBytes(t, on), want, "continued after 9 iterations")

	none := 0.0
	set.SAC.ValueWeight = &none
	clone := offline(t, newCart(16, 8, 2), rows, set)
	iterations(t, clone, 20)
	if cloned := drive(t, clone.Policy(), 60); cloned > rows.mean+10 {
		t.Errorf("a clone earns %.1f, what was recorded %.1f", cloned, rows.mean)
	}
}

// What a policy does from a checkpoint is tanh of the network's outputs, without deviations.
func TestDeterministicHead(t *testing.T) {
	s := offline(t, newCart(4, 4, 1), newDrives(6), td3bcSettings())
	iterations(t, s, 1)
	p := s.Policy()
	polytest.Equal(t, p.net.Outputs(), 1, "outputs")
	polytest.Equal(t, len(p.params), p.net.Parameters(), "parameters")
	polytest.Equal(t, len(p.Network().Layers[len(p.Network().Layers)-1].Biases), 1, "exported outputs")
}

// The gradients are those of the losses in double precision, written down from the paper.
func TestTD3BCGradient(t *testing.T) {
	for name, change := range map[string]func(*SACSettings){
		"plain":       func(*SACSettings) {},
		"layer norm":  func(o *SACSettings) { o.LayerNorm, o.Activation = true, ELU },
		"two columns": func(o *SACSettings) { o.Activation = ELU },
	} {
		t.Run(name, func(t *testing.T) {
			env := newCart(4, 2, 1)
			if name == "two columns" {
				env.shape.Policy, env.shape.Critic = ColumnRange{First: 1, Size: 2}, ColumnRange{First: 0, Size: 2}
			}
			set := td3bcSettings()
			set.SAC.Minibatch, set.SAC.Hidden, set.SAC.Activation = 140, []int{6, 5}, Tanh
			change(&set.SAC)
			s := offline(t, env, newDrives(12), set)
			iterations(t, s, 3)
			testTD3BCGradient(t, s)
		})
	}
}

func testTD3BCGradient(t *testing.T, s *TD3BC) {
	o, size, from, weight := s.choices, s.shape.Action, len(s.policy.params), 0.7
	noise := nn.NewStream()
	s.noise.Key(1, nn.DrawTransitions, 2, 3)
	s.replay.draw(s.drawn, 1, s.settings.Gamma, s.noise)
	does := func(params, x []float64) (action []float64) {
		for _, v := range nntest.MLP(s.policy.net.MLP, params, x) {
			action = append(action, math.Tanh(v))
		}
		return action
	}
	values := func(params []float64, k int) []float64 {
		return params[k*s.critic.Parameters():][:s.critic.Parameters()]
	}
	w, targets, moments := &s.workers[0], widen(s.targets), 0.0
	for chunk := range s.chunks {
		s.chunks[chunk] = replayChunk{}
		each := s.group.PerChunk(o.Minibatch)
		part := s.drawn.part(chunk*each, min((chunk+1)*each, o.Minibatch))
		noise.Key(1, nn.DrawNext, 2, int64(chunk))
		target := make([]float64, len(part.now))
		for j := range part.now {
			action := does(targets[2*s.critic.Parameters():], s.seen64(part.next[j], s.shape.Policy))
			for i, v := range action {
				action[i] = min(max(v+min(max(0.2*noise.NormFloat64(), -0.5), 0.5), -1), 1)
			}
			x := append(s.seen64(part.next[j], s.shape.Critic), action...)
			least := min(value64(s.critic, values(targets, 0), x, nil), value64(s.critic, values(targets, 1), x, nil))
			target[j] = part.reward[j] + part.discount[j]*least
		}
		w.noise.Key(1, nn.DrawNext, 2, int64(chunk))
		s.criticGradient(w, chunk, part, 0)
		checkGradient(t, s.replayLearner, chunk, from, len(s.params)-1, func(params []float64) (loss float64) {
			for k := range 2 {
				for j, at := range part.now {
					x := append(s.seen64(at, s.shape.Critic), widen(s.replay.acted(at))...)
					rest := value64(s.critic, values(params[from:], k), x, nil) - target[j]
					loss += 0.5 * rest * rest / float64(o.Minibatch)
				}
			}
			return loss
		})
		valued := func(params []float64, at int64) float64 {
			x := append(s.seen64(at, s.shape.Critic), does(params[:from], s.seen64(at, s.shape.Policy))...)
			return value64(s.critic, values(params[from:], 0), x, nil)
		}
		s.valueSize(w, chunk, part)
		s.cloningGradient(w, chunk, part, weight)
		loss := func(params []float64) (loss float64) {
			for _, at := range part.now {
				loss -= weight * valued(params, at)
				for i, a := range does(params[:from], s.seen64(at, s.shape.Policy)) {
					apart := a - float64(s.replay.data[at+int64(s.shape.Observation+i)])
					loss += apart * apart / float64(size)
				}
			}
			return loss / float64(o.Minibatch)
		}
		for _, at := range part.now {
			moments += math.Abs(valued(widen(s.params), at)) / float64(o.Minibatch)
		}
		if got, want := s.chunks[chunk].policyLoss/float64(o.Minibatch), loss(widen(s.params)); math.Abs(got-want) > 1e-4 {
			t.Errorf("the policy's loss: %g, want %g", got, want)
		}
		checkGradient(t, s.replayLearner, chunk, 0, from, loss)
	}
	if got, want := s.valueWeight(), 30/moments; math.Abs(got-want) > 1e-4*want {
		t.Errorf("the values' weight is %g, want %g", got, want)
	}
}

// Rows that are followed by nothing known are never learned from, but are what the row before led to.
func TestRecordedRowsBecomeAReplay(t *testing.T) {
	rows := newDrives(9)
	whole := rows.episodes
	for range 5 { // episodes of one row, which is part of no transition
		alone := int32(rows.Len())
		rows.observed, rows.acted = append(rows.observed, []float64{1, 2, 3}), append(rows.acted, 0)
		rows.reward, rows.over = append(rows.reward, 0), append(rows.over, false)
		rows.episodes = append([][]int32{{alone}}, rows.episodes...)
	}
	s := offline(t, newCart(4, 4, 1), rows, td3bcSettings())
	i := int64(0)
	for _, episode := range whole {
		for k, at := range episode {
			row, kind := s.replay.row(0, i), s.replay.kind[s.replay.place(0, i)]
			reward, over, known := rows.Reward(int(at))
			want := goesOn
			switch {
			case over:
				want = stopped
			case !known:
				want = seam
			}
			if kind != want || row[0] != float32(rows.observed[at][0]) || row[3] != rows.acted[at] ||
				row[4] != float32(reward) {
				t.Fatalf("step %d of an episode is %v of kind %v, want %v", k, row, kind, want)
			}
			i++
		}
	}
	polytest.Equal(t, s.replay.count[0], i, "rows")
}

// A sum of several rewards ends with its episode, also where what the last action earned is not known.
func TestRewardsOfSeveralStepsStayInTheEpisode(t *testing.T) {
	rows := newDrives(9)
	s := offline(t, newCart(4, 4, 1), rows, td3bcSettings())
	got, size, gamma, first, cut := newTransitions(1), int64(s.replay.size()), 0.5, int64(0), 0
	for _, episode := range rows.episodes {
		for k := range episode {
			if s.replay.kind[first+int64(k)] == seam {
				cut++
				continue
			}
			sum, discount, next := 0.0, 1.0, int64(k)
			for next < int64(k)+3 {
				reward, over, known := rows.Reward(int(episode[next]))
				if !known {
					break
				}
				sum += discount * float64(float32(reward))
				discount *= gamma
				next++
				if over {
					discount = 0
					break
				}
			}
			s.replay.follow(got, 0, first+int64(k), 3, gamma)
			if got.next[0] != (first+next)*size || got.reward[0] != sum || got.discount[0] != discount {
				t.Fatalf("step %d of an episode leads to row %d, with %g and %g, want row %d, with %g and %g", k,
					got.next[0]/size, got.reward[0], got.discount[0], first+next, sum, discount)
			}
		}
		first += int64(len(episode))
	}
	if cut == 0 {
		t.Error("every episode was terminated, want some that were cut off")
	}
}

func TestTD3BCNamesWhatIsWrong(t *testing.T) {
	bad := newDrives(3)
	bad.reward[7] = math.NaN()
	alone := newDrives(1)
	alone.episodes = [][]int32{{0}}
	alone.over[0] = false
	choices := newCart(4, 4, 1)
	choices.shape.Choices = 3
	quantiles := td3bcSettings()
	quantiles.SAC.Quantiles = 5
	for _, c := range []struct {
		shape Shape
		rows  Recorded
		set   Settings
		want  string
	}{
		{newCart(4, 4, 1).shape, newBraking(9), td3bcSettings(), "the rewards of what was recorded are not known"},
		{newCart(4, 4, 1).shape, nil, td3bcSettings(), "nothing was recorded"},
		{newCart(4, 4, 1).shape, newDrives(2), sacSettings(), "algorithm is sac, want one that learns from what was recorded"},
		{newCart(4, 4, 1).shape, bad, td3bcSettings(), "the reward of row 7 is NaN"},
		{newCart(4, 4, 1).shape, alone, td3bcSettings(), "no row has a reward"},
		{newCart(4, 4, 1).shape, newDrives(2), quantiles, "sac.quantiles is 5, want 1 with algorithm td3bc"},
		{choices.shape, newDrives(2), td3bcSettings(), "algorithm is td3bc, want clone: the actions are choices"},
	} {
		polytest.ErrorContains(t, polytest.Err(NewLearner(Rows{c.shape, c.rows}, c.set, 1)), c.want)
	}
}
