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

// works is the working memory of every pass.
func (p *rolloutLearner) works() (all []nn.Work) {
	for _, a := range p.collector().actors {
		all = append(all, a.policy, a.value, a.image)
	}
	for _, l := range p.learners {
		all = append(all, l.policy, l.value)
	}
	return all
}

// recorded is a cart that keeps what it shows: at [step][world] the observation that is
// acted on, and the last one of an episode that the step ends.
type recorded struct {
	*cart
	shown, final [][][]float64
}

type recordedBlock struct {
	*cartBlock
	to   *recorded
	step int
}

func (e *recorded) Rollout(f func(worker int, b Block) error) error {
	return e.cart.Rollout(func(worker int, b Block) error {
		r := &recordedBlock{b.(*cartBlock), e, 0}
		r.show()
		return f(worker, r)
	})
}

func (b *recordedBlock) show() {
	for i := range b.worlds {
		b.to.shown[b.step][b.first+i] = slices.Clone(nn.RowOf(b.observation, 3, i))
	}
}

func (b *recordedBlock) Step() error {
	if err := b.cartBlock.Step(); err != nil {
		return err
	}
	for i := range b.worlds {
		b.to.final[b.step][b.first+i] = slices.Clone(nn.RowOf(b.final, 3, i))
	}
	b.step++
	b.show()
	return nil
}

func newRecorded(worlds, steps int) *recorded {
	e := &recorded{cart: newCart(worlds, 4, 2)}
	for range steps + 1 {
		e.shown, e.final = append(e.shown, make([][]float64, worlds)), append(e.final, make([][]float64, worlds))
	}
	for _, b := range e.blocks {
		b.faultAt = func(world int, episode, step int64) bool { return world == 1 && episode%2 == 0 && step == 13 }
	}
	return e
}

// checkBegin checks that a sequence that begins with a sample, if one does, has the state h before it.
func (p *rolloutLearner) checkBegin(t *testing.T, begin []float32, sample int, h []float64) {
	t.Helper()
	if sample/p.shape.Worlds%p.settings.Sequence != 0 {
		return
	}
	for i, v := range nn.RowOf(begin, p.settings.Recurrent, p.sequenceOf(sample)) {
		if math.Abs(float64(v)-h[i]) > 1e-5 {
			t.Errorf("the sequence from sample %d on begins in the state %g, want %g", sample, v, h[i])
		}
	}
}

// In a rollout the states of a world begin at zero with each episode, whatever ended the
// one before, and go on from one rollout to the next. The final observation of an episode
// that was cut off is valued in its last state, what follows the rollout in the current one.
func TestStatesBeginWithEpisodes(t *testing.T) {
	const worlds, steps = 6, 70
	s := cartSettings()
	s.RolloutSteps, s.Recurrent, s.Sequence, s.NormaliseObservations = steps, 5, 16, false
	env := newRecorded(worlds, steps)
	p := polytest.Must(New(env, s, 3))(t)
	params := widen(p.valueParams())
	after := func(h, observation []float64) []float64 {
		x := make([]float64, 3)
		for i, v := range observation {
			x[i] = math.Max(-nn.ObservationLimit, math.Min(nn.ObservationLimit, v))
		}
		return nntest.GRU(p.value.Cell, params, x, h)
	}
	check := func(what string, step, world int, got float32, h []float64) {
		t.Helper()
		if want := nntest.MLP(p.value.MLP, params[p.value.Cell.Parameters():], h)[0]; math.Abs(float64(got)-want) > 1e-5 {
			t.Errorf("%s of world %d in step %d is valued %g, want %g", what, world, step, got, want)
		}
	}
	ends, states := map[ending]int{}, make([][]float64, worlds)
	for w := range states {
		states[w] = make([]float64, s.Recurrent)
	}
	for range 2 { // rollouts
		polytest.Must(collectAll(p))(t)
		for w, h := range states {
			for step := range steps {
				at := step*worlds + w
				p.checkBegin(t, p.rollout.initial.value, at, h)
				h = after(h, env.shown[step][w])
				check("an observation", step, w, p.rollout.value[at], h)
				ends[p.rollout.end[at]]++
				if p.rollout.end[at] == cutOff {
					check("a final observation", step, w, p.rollout.final[at], after(h, env.final[step][w]))
				}
				if p.rollout.end[at] != goesOn {
					h = make([]float64, s.Recurrent)
				}
			}
			check("what follows the rollout", steps, w, p.rollout.last[w], after(h, env.shown[steps][w]))
			states[w] = h
		}
	}
	if ends[stopped] < 3 || ends[cutOff] < 3 {
		t.Errorf("%d episodes were stopped and %d cut off, want at least 3 each", ends[stopped], ends[cutOff])
	}
}

// The policy of a checkpoint, which carries states by itself, draws the actions of a
// rollout again, to the bit, in blocks of any size.
func TestDeterminismOfRecurrentActing(t *testing.T) {
	const worlds, steps = 6, 70
	s := cartSettings()
	s.RolloutSteps, s.Recurrent, s.NormaliseObservations = steps, 9, false
	env := newRecorded(worlds, steps)
	env.shape.ActionLow, env.shape.ActionHigh = []float64{-100}, []float64{100} // so that Act returns the mean
	p := polytest.Must(New(env, s, 3))(t)
	c := polytest.Must(ReadCheckpoint(bytes.NewReader(checkpointBytes(t, p))))(t)
	polytest.Must(collectAll(p))(t)
	policy := c.Policy()
	scratch, draw, action := policy.NewScratch(), policy.actions.NewDraw(), make([]float32, worlds)
	states := make([]float32, worlds*policy.State())
	for _, blockSize := range []int{1, 4, 6} {
		clear(states)
		for step := range steps {
			for first := 0; first < worlds; first += blockSize {
				end := min(first+blockSize, worlds)
				observation := slices.Concat(env.shown[step][first:end]...)
				polytest.NoError(t, policy.Act(action[first:end], observation, states[first*9:end*9], first, scratch))
			}
			for w, mean := range action {
				var drawn [1]float32
				draw.Noise.Key(p.seed, nn.DrawAction, int64(w), int64(step))
				policy.actions.Draw(drawn[:], []float32{mean}, policy.logStd(), p.collector().std, &draw)
				if got, want := drawn[0], p.rollout.action[step*worlds+w]; got != want {
					t.Fatalf("blocks of %d: world %d does %g in step %d, want %g", blockSize, w, got, step, want)
				}
				if p.rollout.end[step*worlds+w] != goesOn {
					clear(nn.RowOf(states, 9, w))
				}
			}
		}
	}
}

// With a symmetry, the state of the policy that sees the mirror images is kept, too.
func TestStatesOfMirrorImages(t *testing.T) {
	const worlds, steps = 6, 70
	s := cartSettings()
	s.RolloutSteps, s.Recurrent, s.Sequence = steps, 5, 16
	s.Symmetry = cartSymmetry
	env := newRecorded(worlds, steps)
	p := polytest.Must(New(env, s, 3))(t)
	iterate(t, p, 1) // observations are standardised from now on
	before := slices.Clone(p.states.image)
	polytest.Must(collectAll(p))(t)
	params, image := widen(p.policy.params), make([]float32, 3)
	for w := range worlds {
		h := widen(nn.RowOf(before, s.Recurrent, w))
		for step := range steps {
			at := step*worlds + w
			p.checkBegin(t, p.rollout.initial.image, at, h)
			p.mirror.reflect(image, nn.RowOf(p.rollout.observation, 3, at))
			if h = nntest.GRU(p.policy.net.Cell, params, widen(image), h); p.rollout.end[at] != goesOn {
				clear(h)
			}
		}
	}
	if slices.Equal(before, make([]float32, len(before))) {
		t.Error("no state passed from one rollout to the next")
	}
}

// The first gradient of an update finds the policy where it acted.
func TestUpdateBeginsWhereItActed(t *testing.T) {
	s := cartSettings()
	s.RolloutSteps, s.Recurrent, s.Sequence = 50, 9, 8
	env := newRecorded(6, 50)
	p := polytest.Must(New(env, s, 3))(t)
	iterate(t, p, 1)
	polytest.Must(collectAll(p))(t)
	p.shuffleSamples(0)
	for rest := p.order; len(rest) > 0; {
		minibatch := p.nextMinibatch(rest)
		rest = rest[len(minibatch):]
		if l, _, _ := p.gradient(t.Context(), minibatch); l.kl > 1e-8 || l.clipped > 0 {
			t.Errorf("a divergence of %g and %g clipped samples before the first step, want none", l.kl, l.clipped)
		}
	}
}

// recall is a task of memory. The first observation of an episode of 9 steps is -1 or 1, the others are 0; each later
// step is rewarded with 1 where the action, 0 or 1, is what the first observation said.
type recall struct{ fakeEnv[*recallBlock] }

type recallBlock struct {
	fakeBlock
	step    int
	episode int64
}

const recallSteps = 9

func newRecall(worlds, workers int) *recall {
	e := &recall{fakeEnv[*recallBlock]{shape: Shape{
		Worlds: worlds, BlockSize: 16, Workers: workers, Observation: 1, Action: 1,
		Choices: 2, ActionLow: []float64{0}, ActionHigh: []float64{1},
	}}}
	e.fill(func(shown fakeBlock) *recallBlock {
		b := &recallBlock{fakeBlock: shown}
		b.begin()
		return b
	})
	return e
}

// cue is what the first observation of a world's episode says.
func (b *recallBlock) cue(i int) float32 {
	s := nn.NewStream()
	s.Key(5, 0, int64(b.first+i), b.episode)
	return float32(s.IntN(2))
}

func (b *recallBlock) begin() {
	b.step = 0
	for i := range b.worlds {
		b.observation[i] = float64(2*b.cue(i) - 1)
	}
}

func (b *recallBlock) Step() error {
	b.step++
	last := b.step == recallSteps
	for i := range b.worlds {
		b.reward[i], b.terminated[i], b.endLength[i] = 0, last, recallSteps
		if b.step > 1 && b.action[i] == b.cue(i) {
			b.reward[i] = 1
		}
		if b.step == 1 {
			b.endReturn[i] = 0
		}
		b.endReturn[i] += b.reward[i]
	}
	if last {
		b.episode++
		b.begin()
	} else {
		clear(b.observation)
	}
	return nil
}

// A recurrent policy learns to remember; another one stays at chance, which is 4 of 8.
func TestRecurrentPolicyRemembers(t *testing.T) {
	if testing.Short() {
		t.Skip("it learns for seconds")
	}
	for recurrent, ok := range map[int]func(mean float64) bool{
		0:  func(mean float64) bool { return mean > 3 && mean < 5 },
		16: func(mean float64) bool { return mean > 7.9 },
	} {
		s := cartSettings()
		s.Hidden, s.Recurrent, s.LearningRate = []int{16}, recurrent, 3e-3
		s.RolloutSteps, s.Minibatch, s.Epochs = 36, 512, 4 // rollouts of four episodes
		p := polytest.Must(New(newRecall(64, 2), s, 1))(t)
		m := iterate(t, p, 30)
		episodes := polytest.Must(Evaluate(newRecall(64, 2), p.Policy(), 256))(t)
		mean := 0.0
		for _, e := range episodes {
			mean += e.Return / float64(len(episodes))
		}
		t.Logf("%d units: mean return %.2f; last iteration %+v", recurrent, mean, m)
		if !ok(mean) {
			t.Errorf("%d recurrent units: mean return %.2f of at most 8", recurrent, mean)
		}
	}
}
