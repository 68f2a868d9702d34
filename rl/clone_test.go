package rl

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/policy"
	"github.com/polyrhythm-rl/polyrhythm/rl/nn"
)

// braking is what a cart's teacher did, in states that were drawn.
type braking struct{ x, v []float64 }

func newBraking(n int) *braking {
	r, b := rand.New(rand.NewPCG(1, 2)), &braking{}
	for range n {
		b.x, b.v = append(b.x, 4*r.Float64()-2), append(b.v, 2*r.Float64()-1)
	}
	return b
}

func (b *braking) Len() int { return len(b.x) }

func (b *braking) Row(i int, observation []float64, action []float32) {
	observation[0], observation[1], observation[2] = b.x[i], b.v[i], 100+b.x[i]/4
	action[0] = float32(brake(b.x[i], b.v[i]))
}

// echoes is what somebody did who repeated what was observed a step before, in episodes of several lengths, whose rows
// are mixed.
type echoes struct {
	x, phase, acted []float64
	episodes        [][]int32
}

func newEchoes(episodes int) *echoes {
	r, e := rand.New(rand.NewPCG(3, 4)), &echoes{episodes: make([][]int32, episodes)}
	before := make([]float64, episodes)
	for step := range 40 {
		for i := range episodes {
			if step < 20+i%20 {
				e.episodes[i] = append(e.episodes[i], int32(len(e.x)))
				x := 2*r.Float64() - 1
				e.x, e.acted, before[i] = append(e.x, x), append(e.acted, before[i]), x
			}
		}
	}
	e.phase = make([]float64, len(e.x))
	return e
}

// newPlans is what somebody did who decided on size actions from what was observed before the first of them.
func newPlans(episodes, size int) *echoes {
	e := newEchoes(episodes)
	for _, rows := range e.episodes {
		for step, i := range rows {
			phase := step % size
			e.phase[i] = float64(phase) / float64(size)
			e.acted[i] = e.x[rows[step-phase]] * float64(phase+1) / float64(size)
		}
	}
	return e
}

func (e *echoes) Len() int            { return len(e.x) }
func (e *echoes) Episodes() [][]int32 { return e.episodes }
func (e *echoes) Row(i int, observation []float64, action []float32) {
	observation[0], observation[1], observation[2] = e.x[i], e.phase[i], 1
	action[0] = float32(e.acted[i])
}

// apart is the root of the mean squared error of a policy.
func (e *echoes) apart(t *testing.T, p *Policy) float64 {
	sum, scratch, action := 0.0, p.NewScratch(), []float32{0}
	observation, state := make([]float64, 3), make([]float32, p.State())
	for _, rows := range e.episodes {
		clear(state)
		for _, i := range rows {
			e.Row(int(i), observation, action)
			polytest.NoError(t, p.Act(action, observation, state, 0, scratch))
			d := float64(action[0]) - e.acted[i]
			sum += d * d
		}
	}
	return math.Sqrt(sum / float64(len(e.x)))
}

// A policy with a memory learns from sequences what one without cannot, with the same bits for any blocks and workers
// and where it goes on from a checkpoint.
func TestCloneWithMemory(t *testing.T) {
	s := cartSettings()
	s.Algorithm, s.InitialStd, s.LearningRate, s.Epochs = AlgorithmClone, 0.5, 5e-3, 4
	s.PolicyHidden, s.Sequence, s.Minibatch = []int{16}, 8, 128
	with := s
	with.Recurrent = 8
	cloneWithState(t, newEchoes(50), s, 0.5, with, 0.15)
}

// cloneWithState trains clones: by settings without a state, whose error is at least some, and by those with one, whose
// error is at most some, and which it returns as [cloneAnywhere] does.
func cloneWithState(t *testing.T, rows *echoes, s Settings, least float64, with Settings, most float64) (*Cloner,
	[]byte) {
	t.Helper()
	plain := cloner(t, newCart(16, 8, 2), rows, s)
	iterate(t, plain, 60)
	if apart := rows.apart(t, plain.Policy()); apart < least {
		t.Errorf("without a state the error is %.2f, which cannot be", apart)
	}
	polytest.ErrorContains(t, polytest.Err(NewLearner(Rows{newCart(4, 4, 1).shape, newBraking(9)}, with, 1)),
		"the episodes of what was recorded are not known")
	p, checkpoint := cloneAnywhere(t, rows, with)
	if apart := rows.apart(t, p.Policy()); apart > most {
		t.Errorf("with a state the error is %.2f", apart)
	}
	return p, checkpoint
}

// cloneAnywhere trains a clone, whose checkpoint has the same bytes for any blocks and workers, and where it goes on
// from one.
func cloneAnywhere(t *testing.T, rows Recorded, s Settings) (p *Cloner, checkpoint []byte) {
	t.Helper()
	for _, of := range [][2]int{{8, 1}, {5, 3}} {
		p = cloner(t, newCart(16, of[0], of[1]), rows, s)
		if m := iterate(t, p, 60); m.Episodes != 0 {
			t.Errorf("%d episodes ended in which nobody was rewarded", m.Episodes)
		}
		if got := checkpointBytes(t, p); checkpoint == nil {
			checkpoint = got
		} else {
			polytest.EqualSlices(t, got, checkpoint, "blocks of %d and %d workers", of[0], of[1])
		}
	}
	begun := cloner(t, newCart(16, 8, 2), rows, s)
	iterate(t, begun, 23)
	c := polytest.Must(ReadCheckpoint(bytes.NewReader(checkpointBytes(t, begun))))(t)
	on := polytest.Must(Continue(Rows{newCart(16, 8, 2).shape, rows}, c, begun.Memory(), s))(t)
	iterate(t, on, 37)
	polytest.EqualSlices(t, checkpointBytes(t, on), checkpoint, "continued after 23 iterations")
	return p, checkpoint
}

// A policy that decides on chunks of actions learns what one that decides on each cannot, with the same bits for any
// blocks and workers and where it goes on from a checkpoint; as data it acts alike.
func TestCloneInChunks(t *testing.T) {
	s := cartSettings()
	s.Algorithm, s.InitialStd, s.LearningRate, s.Epochs = AlgorithmClone, 0.5, 5e-3, 4
	s.PolicyHidden, s.Minibatch = []int{32}, 128
	rows, with := newPlans(50, 4), s
	with.ChunkSize = 4
	p, want := cloneWithState(t, rows, s, 0.25, with, 0.1)
	actsAlike(t, p.Policy(), rows)
	c := polytest.Must(ReadCheckpoint(bytes.NewReader(want)))(t)
	s.Algorithm = AlgorithmPPO
	polytest.ErrorContains(t, polytest.Err(Resume(Worlds{newCart(16, 8, 2)}, c, s, 1)), "chunk_size is 1, want 4")
}

// actsAlike compares a policy in worlds that are in several steps of their chunks with the same one as data in each.
func actsAlike(t *testing.T, p *Policy, rows *echoes) {
	t.Helper()
	const worlds = 5
	state, action := make([]float32, worlds*p.State()), make([]float32, worlds)
	observation, scratch := make([]float64, worlds*p.Observation()), p.NewScratch()
	var alone []*policy.Policy
	for range worlds {
		alone = append(alone, polytest.Must(policy.New(p.Network()))(t))
	}
	for step := range 60 {
		for i, one := range alone {
			if (step+3*i)%(5+2*i) == 0 { // an episode begins
				clear(nn.RowOf(state, p.State(), i))
				one.Reset()
			}
			rows.Row((7*step+i)%rows.Len(), nn.RowOf(observation, p.Observation(), i), action)
		}
		polytest.NoError(t, p.Act(action, observation, state, 0, scratch))
		for i, one := range alone {
			var got [1]float32
			polytest.NoError(t, one.Act(got[:], nn.RowOf(observation, p.Observation(), i)))
			for k, v := range one.State() {
				if d := v - nn.RowOf(state, p.State(), i)[k]; d > 1e-5 || d < -1e-5 {
					t.Fatalf("step %d: the state of world %d is %v, want %v", step, i, one.State(),
						nn.RowOf(state, p.State(), i))
				}
			}
			if d := got[0] - action[i]; d > 1e-5 || d < -1e-5 {
				t.Fatalf("step %d: world %d does %v, want %v", step, i, got, action[i])
			}
		}
	}
}

// Each world plays each episode once in an epoch, from its first row to its last, and stands anywhere where it would be
// after as many steps.
func TestRecordedEpisodesInOrder(t *testing.T) {
	s := cartSettings()
	s.Algorithm, s.Recurrent = AlgorithmClone, 2
	rows := newEchoes(7)
	r := cloner(t, newCart(4, 4, 1), rows, s).rollouts.(*recording)
	played := func() *player { return newPlayer(r.collector, r, rows.episodes, 0, 0, 4) }
	b := played()
	b.seek(0)
	for step := range 3 * rows.Len() {
		for i := range b.worlds {
			w := &b.worlds[i]
			if row := b.rowsOf(w)[w.row]; b.observation[3*i] != rows.x[row] || b.action[i] != float32(rows.acted[row]) {
				t.Fatalf("step %d: world %d shows another row than %d", step, i, row)
			}
			if step%rows.Len() == 0 && (w.episode != 0 || w.row != 0 || w.epoch != int64(step/rows.Len())) {
				t.Errorf("step %d: world %d is at %+v, want the beginning of an epoch", step, i, *w)
			}
		}
		if step%11 == 0 {
			there := played()
			there.seek(int64(step))
			polytest.Equal(t, fmt.Sprint(there.worlds, there.observation), fmt.Sprint(b.worlds, b.observation), "step %d", step)
		}
		polytest.NoError(t, b.Step())
	}
	if first, second := b.worlds[0].order, b.worlds[1].order; slices.Equal(first, second) {
		t.Error("two worlds play in the same order")
	}
}

func cloner(t *testing.T, env Env, rows Recorded, s Settings) *Cloner {
	t.Helper()
	return polytest.Must(begin(newCloner(env.Shape(), rows, s, 1)))(t)
}

// A clone comes to do what was done, with the same bits for any number of workers and where it goes on from a
// checkpoint, and PPO goes on from it.
func TestClone(t *testing.T) {
	s := cartSettings()
	s.Algorithm, s.InitialStd, s.LearningRate, s.Epochs = AlgorithmClone, 0.5, 3e-3, 4
	rows := newBraking(3000)
	p, want := cloneAnywhere(t, rows, s)

	policy, worst := p.Policy(), 0.0
	for _, seen := range [][2]float64{{0, 0}, {1, 0}, {-0.5, 0.4}, {0.3, -0.7}, {-1.5, 1}, {1.8, 0.9}} {
		var action [1]float32
		in := []float64{seen[0], seen[1], 100 + seen[0]/4}
		polytest.NoError(t, policy.Act(action[:], in, nil, 0, policy.NewScratch()))
		worst = max(worst, math.Abs(float64(action[0])-brake(seen[0], seen[1])))
	}
	if worst > 0.15 {
		t.Errorf("the clone is up to %g from what was done", worst)
	}
	c := polytest.Must(ReadCheckpoint(bytes.NewReader(want)))(t)
	s.Algorithm = AlgorithmPPO
	on := polytest.Must(Resume(Worlds{newCart(16, 8, 2)}, c, s, 1))(t).(*PPO)
	if m := iterate(t, on, 1); m.ApproxKL == 0 || m.LearningRate != s.LearningRate || m.EnvSteps != int64(on.samples()) {
		t.Errorf("PPO learned on with %+v, want its own steps alone, at the rate of its beginning", m)
	}
	s.Algorithm = AlgorithmClone
	for _, none := range []Recorded{nil, newBraking(0)} {
		polytest.ErrorContains(t, polytest.Err(NewLearner(Rows{newCart(4, 4, 1).shape, none}, s, 1)),
			"want at least one row")
	}
}

// Each epoch takes every row once.
func TestRecordedOrder(t *testing.T) {
	s := cartSettings()
	s.Algorithm = AlgorithmClone
	r := cloner(t, newCart(4, 4, 1), newBraking(37), s).rollouts.(*recording)
	for epoch := range int64(3) {
		taken := map[int]bool{}
		for k := range int64(37) {
			taken[r.row(1, 37*epoch+k)] = true
		}
		polytest.Equal(t, len(taken), 37, "rows in epoch %d", epoch)
	}
}
