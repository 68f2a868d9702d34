package rl

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

// collectAll collects and absorbs a rollout and learns nothing else from it.
func collectAll(p *PPO) (episodeStats, error) {
	part, err := p.collector().Collect(context.Background(), p.giveWeights())
	if err == nil {
		err = p.addRollouts([]*RolloutPart{part})
	}
	return p.episodes, err
}

// cut returns the worlds first to end-1 of a cart as an environment of their own.
func (e *cart) cut(first, end int) *cart {
	c := &cart{fakeEnv[*cartBlock]{shape: e.shape}}
	for _, b := range e.blocks {
		if b.first >= first && b.first < end {
			c.blocks = append(c.blocks, b)
		}
	}
	c.shape.First, c.shape.Worlds, c.shape.Blocks = first, end-first, len(c.blocks)
	return c
}

// collectorsOf returns a collector for each slice of an environment, whose last worlds are before the ends.
func collectorsOf(t testing.TB, env *cart, s Settings, seed uint64, ends ...int) []*RolloutCollector {
	t.Helper()
	var all []*RolloutCollector
	first := 0
	for _, end := range append(ends, env.shape.Worlds) {
		c := polytest.Must(NewRolloutCollector(env.cut(first, end), s, seed))(t)
		all, first = append(all, c), end
	}
	return all
}

// collectBytes collects parts as other processes do: weights and parts go as bytes, and the last part comes first.
func collectBytes(collectors []*RolloutCollector) func(context.Context, *Weights) ([]*RolloutPart, error) {
	return func(ctx context.Context, o *Weights) (parts []*RolloutPart, err error) {
		for _, c := range slices.Backward(collectors) {
			given, err := ReadWeights(o.Encode())
			if err != nil {
				return nil, err
			}
			part, err := c.Collect(ctx, given)
			if err != nil {
				return nil, err
			}
			part.Extra = []byte("extra")
			if part, _, err = ReadPart(part.Encode()); err != nil {
				return nil, err
			}
			parts = append(parts, part)
		}
		return parts, nil
	}
}

// variants are settings that differ in what a part carries.
func variants() map[string]Settings {
	plain := cartSettings()
	plain.RolloutSteps = 50 // in the middle of episodes
	plain.Epochs = 2
	raw := plain
	raw.NormaliseObservations, raw.ScaleRewards, raw.Schedule, raw.TargetKL = false, false, Adaptive, 0.02
	symmetric := plain
	symmetric.Symmetry = cartSymmetry
	recurrent := plain
	recurrent.Recurrent, recurrent.Sequence = 6, 16
	both := symmetric
	both.Recurrent = 6
	diverging := plain
	diverging.Activation, diverging.LearningRate, diverging.Hidden = ReLU, 1, slices.Repeat([]int{64}, 16)
	return map[string]Settings{"diverging": diverging, "plain": plain, "raw": raw, "symmetric": symmetric,
		"recurrent": recurrent, "both": both}
}

// faultyCart is a cart of 13 worlds in which some steps end in a fault, and of which policy
// and value network see different columns.
func faultyCart(blockSize, workers int) *cart {
	e := newCart(13, blockSize, workers)
	e.shape.Policy, e.shape.Critic = ColumnRange{First: 0, Size: 2}, ColumnRange{First: 1, Size: 2}
	for _, b := range e.blocks {
		b.faultAt = func(world int, episode, step int64) bool { return (int64(world)+episode)%5 == 3 && step == 17 }
	}
	return e
}

// Parts of slices, whatever their number, make what the worlds make together: metrics,
// checkpoints and the state between iterations.
func TestDeterminismOfParts(t *testing.T) {
	for name, s := range variants() {
		iterations := 4
		if name == "diverging" {
			iterations = 2
		}
		whole := polytest.Must(New(faultyCart(3, 2), s, 7))(t)
		var want []string
		retries := 0
		for range iterations {
			m := iterate(t, whole, 1)
			want = append(want, fmt.Sprint(m))
			retries += m.Retries
		}
		if name == "diverging" && retries == 0 {
			t.Error("no update was repeated, want settings that diverge")
		}
		file := checkpointBytes(t, whole)
		for _, ends := range [][]int{{}, {6}, {3, 12}} {
			t.Run(fmt.Sprint(name, ends), func(t *testing.T) {
				env := faultyCart(3, 2)
				collect := collectBytes(collectorsOf(t, env, s, 7, ends...))
				p := polytest.Must(begin(newPPO(env.shape, s, 7, elsewhere(collect).open)))(t)
				for i := range iterations {
					m := polytest.Must(p.Iterate(t.Context()))(t)
					if got := fmt.Sprint(m); got != want[i] {
						t.Fatalf("iteration %d: %s, want %s", i+1, got, want[i])
					}
				}
				polytest.EqualSlices(t, checkpointBytes(t, p), file, "the checkpoints differ")
				polytest.Equal(t, fmt.Sprint(p.Memory()), fmt.Sprint(whole.Memory()), "the states of the worlds")
			})
		}
	}
}

// A rollout's bytes depend on nothing that was before it, such as values that an earlier one left behind.
func TestDeterminismOfPartBytes(t *testing.T) {
	for name, s := range variants() {
		c := collectorsOf(t, faultyCart(3, 2), s, 7)[0]
		p := polytest.Must(begin(newPPO(c.shape, s, 7, elsewhere(nil).open)))(t)
		var digests [2]Digest
		for i := range digests {
			if i > 0 {
				fill(c.part.observation, c.part.action, c.part.logProb, c.part.value, c.part.final, c.part.last)
				fill(c.part.initial.policy, c.part.initial.value, c.part.initial.image)
				c.states.clear()
				c.env = faultyCart(3, 1)
			}
			part := polytest.Must(c.Collect(t.Context(), p.giveWeights()))(t)
			var err error
			_, digests[i], err = ReadPart(part.Encode())
			polytest.NoError(t, err)
		}
		if digests[0] != digests[1] {
			t.Errorf("%s: digests %v and %v of one rollout", name, digests[0], digests[1])
		}
	}
}

func TestPartsThatDoNotBelong(t *testing.T) {
	s := variants()["recurrent"]
	env := faultyCart(3, 2)
	collectors := collectorsOf(t, env, s, 7, 3, 9)
	learner := func(collect elsewhere) *PPO {
		return polytest.Must(begin(newPPO(env.shape, s, 7, collect.open)))(t)
	}
	var files [][]byte
	collectBytes := collectBytes(collectors)
	if _, err := learner(func(ctx context.Context, o *Weights) ([]*RolloutPart, error) {
		parts, err := collectBytes(ctx, o)
		if o.Step > 0 {
			return nil, context.Canceled
		}
		for _, p := range slices.Backward(parts) {
			files = append(files, p.Encode())
		}
		return parts, err
	}).Iterate(t.Context()); err != context.Canceled {
		t.Fatal(err)
	}
	parts := func() []*RolloutPart {
		var all []*RolloutPart
		for _, file := range files {
			p, _, err := ReadPart(file)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, p)
		}
		return all
	}
	for _, c := range []struct {
		want  string
		spoil func(p []*RolloutPart) []*RolloutPart
	}{
		{"the part of worlds 3 to 8 is missing", func(p []*RolloutPart) []*RolloutPart { return slices.Delete(p, 1, 2) }},
		{"the part of worlds 0 to 2 is missing", func(p []*RolloutPart) []*RolloutPart { return p[1:] }},
		{"the part of worlds 9 to 12 is missing", func(p []*RolloutPart) []*RolloutPart { return p[:2] }},
		{"the part of worlds 0 to 12 is missing", func(p []*RolloutPart) []*RolloutPart { return nil }},
		{"two parts have world 3: the part of worlds 3 to 8 at control step 0",
			func(p []*RolloutPart) []*RolloutPart { return append(p, parts()[1]) }},
		{"the part of worlds 3 to 8 at control step 50, want control step 0",
			func(p []*RolloutPart) []*RolloutPart { p[1].Step = 50; return p }},
		{"was collected under the weights 07", func(p []*RolloutPart) []*RolloutPart { p[2].Weights = Digest{7}; return p }},
		{"has 49 control steps, want 50", func(p []*RolloutPart) []*RolloutPart { p[0].steps = 49; return p }},
		{"values, want 900", func(p []*RolloutPart) []*RolloutPart { p[1].observation = p[1].observation[1:]; return p }},
		{"states of the policy, want", func(p []*RolloutPart) []*RolloutPart { p[1].initial.policy = nil; return p }},
		{"want worlds of 0 to 12", func(p []*RolloutPart) []*RolloutPart { p[2].Worlds = 5; return p }},
	} {
		p := learner(func(context.Context, *Weights) ([]*RolloutPart, error) { return c.spoil(parts()), nil })
		before := checkpointBytes(t, p)
		_, err := p.Iterate(t.Context())
		polytest.ErrorContains(t, err, c.want)
		polytest.EqualSlices(t, checkpointBytes(t, p), before, "after %v the learner is another", err)
	}
}

// Whatever the bytes say, a part is refused or has the same bytes again.
func FuzzReadPart(f *testing.F) {
	for _, name := range []string{"plain", "both"} {
		s := variants()[name]
		s.RolloutSteps, s.Hidden = 3, []int{2}
		c := collectorsOf(f, newCart(2, 1, 1), s, 7)[0]
		p := polytest.Must(begin(newPPO(c.shape, s, 7, elsewhere(nil).open)))(f)
		part := polytest.Must(c.Collect(context.Background(), p.giveWeights()))(f)
		sections, _, err := partKind.Decode(part.Encode())
		if err != nil {
			f.Fatal(err)
		}
		f.Add(sections[0], sections[1], []byte("extra"))
	}
	f.Fuzz(func(t *testing.T, head, arrays, extra []byte) {
		part, digest, err := ReadPart(partKind.Encode(head, arrays, extra))
		if err != nil {
			return
		}
		again := part.Encode()
		if _, d, err := ReadPart(again); err != nil || d != digest {
			t.Errorf("a part that was read became other bytes (%v)", err)
		}
	})
}

// The same for weights.
func FuzzReadWeights(f *testing.F) {
	p := polytest.Must(begin(newPPO(newCart(2, 1, 1).shape, cartSettings(), 7, elsewhere(nil).open)))(f)
	sections, _, err := weightsKind.Decode(p.giveWeights().Encode())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(sections[0], sections[1], sections[2])
	f.Fuzz(func(t *testing.T, head, params, moments []byte) {
		message := weightsKind.Encode(head, params, moments)
		o, err := ReadWeights(message)
		if err != nil {
			return
		}
		if o.seal(); !bytes.Equal(o.Encode(), message) {
			t.Error("weights that were read became other bytes")
		}
	})
}
