package rl

import (
	"bytes"
	"math"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

// braker is a cart's teacher, who brakes and goes home, by what the student does not see.
type braker struct{}

func (braker) Teach(_ int, b Block, dst []float32) error {
	c := b.(*cartBlock)
	for i := range dst {
		dst[i] = float32(brake(c.x[i], c.v[i]))
	}
	return nil
}

func brake(x, v float64) float64 { return min(max(-0.6*x-0.9*v, -1), 1) }

// A student comes to do what its teacher would do, and PPO goes on from it.
func TestDistill(t *testing.T) {
	s := cartSettings()
	s.Algorithm, s.InitialStd, s.LearningRate = AlgorithmDistill, 0.5, 3e-3
	e := newCart(16, 8, 2)
	polytest.ErrorContains(t, polytest.Err(NewLearner(TaughtWorlds{Env: e}, s, 1)), "there is no teacher")
	p := polytest.Must(NewLearner(TaughtWorlds{newCart(16, 8, 2), braker{}}, s, 1))(t)
	first := iterate(t, p, 1)
	last := iterate(t, p, 30)
	if !(last.PolicyLoss < first.PolicyLoss-1 && last.Std < 0.1 && last.ClipFraction == 0) {
		t.Errorf("the loss went from %g to %g, with a deviation of %g", first.PolicyLoss, last.PolicyLoss, last.Std)
	}
	policy := p.Policy()
	var worst float64
	for _, seen := range [][2]float64{{0, 0}, {1, 0}, {-0.5, 0.4}, {0.3, -0.7}, {-1.5, 1}, {1.8, 0.9}} {
		var action [1]float32
		in := []float64{seen[0], seen[1], 100 + seen[0]/4}
		polytest.NoError(t, policy.Act(action[:], in, nil, 0, policy.NewScratch()))
		worst = max(worst, math.Abs(float64(action[0])-brake(seen[0], seen[1])))
	}
	if worst > 0.15 {
		t.Errorf("the student is up to %g from its teacher", worst)
	}

	file := checkpointBytes(t, p)
	c := polytest.Must(ReadCheckpoint(bytes.NewReader(file)))(t)
	s.Algorithm = AlgorithmPPO
	again := polytest.Must(Resume(Worlds{newCart(16, 8, 2)}, c, s, 1))(t).(*PPO)
	if m := iterate(t, again, 1); m.ApproxKL == 0 {
		t.Error("PPO did not learn on")
	}
	back := polytest.Must(ReadCheckpoint(bytes.NewReader(checkpointBytes(t, again))))(t)
	s.Algorithm = AlgorithmDistill
	polytest.ErrorContains(t, back.CheckResume(s), "algorithm is distill, want ppo as in the checkpoint")
	s.Schedule, s.TargetKL = Adaptive, 0.01
	polytest.ErrorContains(t, s.Validate(), "schedule is adaptive, want constant or linear")
}

// A student has the same bits for any number of workers.
func TestDistillIsTheSameForAnyWorkers(t *testing.T) {
	s := cartSettings()
	s.Algorithm, s.Recurrent, s.Sequence = AlgorithmDistill, 4, 8
	var want []byte
	for _, of := range [][2]int{{8, 1}, {3, 2}, {5, 4}} {
		p := polytest.Must(NewLearner(TaughtWorlds{newCart(16, of[0], of[1]), braker{}}, s, 1))(t)
		iterate(t, p, 3)
		if got := checkpointBytes(t, p); want == nil {
			want = got
		} else {
			polytest.EqualSlices(t, got, want, "blocks of %d and %d workers", of[0], of[1])
		}
	}
}
