package rl

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
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

func cloner(t *testing.T, env Env, rows Recorded, s Settings) *PPO {
	t.Helper()
	p := polytest.Must(New(env, s, 1))(t)
	polytest.NoError(t, p.LearnFrom(rows))
	return p
}

// A clone comes to do what was done, with the same bits for any number of workers and where it goes on from a
// checkpoint, and PPO goes on from it.
func TestClone(t *testing.T) {
	s := cartSettings()
	s.Algorithm, s.InitialStd, s.LearningRate, s.Epochs = AlgorithmClone, 0.5, 3e-3, 4
	rows := newBraking(3000)
	var want []byte
	var p *PPO
	for _, of := range [][2]int{{8, 1}, {5, 3}} {
		p = cloner(t, newCart(16, of[0], of[1]), rows, s)
		iterate(t, p, 40)
		if got := checkpointBytes(t, p); want == nil {
			want = got
		} else {
			polytest.EqualSlices(t, got, want, "blocks of %d and %d workers", of[0], of[1])
		}
	}
	begun := cloner(t, newCart(16, 8, 2), rows, s)
	iterate(t, begun, 17)
	c := polytest.Must(ReadCheckpoint(bytes.NewReader(checkpointBytes(t, begun))))(t)
	on := polytest.Must(Continue(newCart(16, 8, 2), c, begun.Memory(), s))(t).(*PPO)
	polytest.ErrorContains(t, polytest.Err(on.Iterate(t.Context())), "nothing was recorded")
	polytest.NoError(t, on.LearnFrom(rows))
	iterate(t, on, 23)
	polytest.EqualSlices(t, checkpointBytes(t, on), want, "continued after 17 iterations")

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
	c = polytest.Must(ReadCheckpoint(bytes.NewReader(want)))(t)
	s.Algorithm = AlgorithmPPO
	if m := iterate(t, polytest.Must(Resume(newCart(16, 8, 2), c, s, 1))(t).(*PPO), 1); m.ApproxKL == 0 {
		t.Error("PPO did not learn on")
	}
	polytest.ErrorContains(t, p.LearnFrom(newBraking(0)), "want at least one row")
	polytest.ErrorContains(t, polytest.Must(New(newCart(4, 4, 1), s, 1))(t).LearnFrom(rows), "want clone")
	s.Algorithm, s.Recurrent = AlgorithmClone, 4
	polytest.ErrorContains(t, s.Validate(), "recurrent is 4, want 0 with algorithm clone")
}

// Each epoch takes every row once.
func TestRecordedOrder(t *testing.T) {
	s := cartSettings()
	s.Algorithm = AlgorithmClone
	p := cloner(t, newCart(4, 4, 1), newBraking(37), s)
	for epoch := range int64(3) {
		taken := map[int]bool{}
		for k := range int64(37) {
			taken[p.recorded.at(1, 37*epoch+k)] = true
		}
		polytest.Equal(t, len(taken), 37, "rows in epoch %d", epoch)
	}
}
