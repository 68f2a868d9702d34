package rl

import (
	"context"
	"fmt"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

// shared lets helpers take part in the updates of a learner, each of which is lost and made again where lost says so.
func shared(t *testing.T, p *PPO, env *cart, s Settings, learners int, lost func(request int) bool) (requests *int) {
	t.Helper()
	helper := func(number int) *Helper {
		shape := env.shape
		shape.Workers = number // any number of them
		return polytest.Must(NewHelper(shape, s, 7, number, learners))(t)
	}
	helpers := make([]*Helper, learners)
	for i := 1; i < learners; i++ {
		helpers[i] = helper(i)
	}
	requests = new(int)
	var samples, before, newest []byte
	p.ShareWith(learners-1, func(ctx context.Context, request []byte, own func(), take func([]byte) (int, error)) error {
		*requests++
		if sections, _, _ := requestKind.Decode(request); sections[2] != nil {
			samples = request
		}
		done := make(chan struct{})
		go func() { // as answers come while the learner computes
			defer close(done)
			for i := learners - 1; i > 0; i-- {
				if lost(*requests) {
					helpers[i] = helper(i)
					polytest.Must(helpers[i].Answer(ctx, samples))(t)
				}
				answer := polytest.Must(helpers[i].Answer(ctx, request))(t)
				if got, err := take(answer); got != i || err != nil {
					t.Errorf("an answer of %d, error %v, want %d", got, err, i)
				}
				if before != nil {
					if got, err := take(before); got != 0 || err != nil {
						t.Errorf("a late answer is of %d, error %v, want 0", got, err)
					}
				}
				newest = answer
			}
		}()
		own()
		<-done
		before = newest
		return ctx.Err()
	})
	return requests
}

// Learners that share the updates make what one makes, for any number of them: metrics and checkpoints.
func TestDeterminismOfSharedUpdates(t *testing.T) {
	for name, s := range variants() {
		iterations := 3
		if name == "diverging" {
			iterations = 1
		}
		s.Minibatch = 450 // of 650 samples: 8 chunks, and then 4
		if s.Recurrent > 0 {
			s.Sequence = 10 // 3 chunks, and then 2
		}
		learn := func(learners int) (all string, file []byte) {
			env := faultyCart(3, 2)
			p := polytest.Must(New(env, s, 7))(t)
			if learners > 1 {
				requests := shared(t, p, env, s, learners, func(request int) bool { return request%5 == 3 })
				defer func() {
					if *requests < 2*iterations {
						t.Errorf("%d requests, want samples and gradients of each iteration", *requests)
					}
				}()
			}
			for range iterations {
				all += fmt.Sprintln(iterate(t, p, 1))
			}
			return all, checkpointBytes(t, p)
		}
		want, file := learn(1)
		for _, learners := range []int{2, 3, 5, 11} { // the last of which have nothing to do
			t.Run(fmt.Sprint(name, learners), func(t *testing.T) {
				got, saved := learn(learners)
				polytest.Equal(t, got, want, "the metrics")
				polytest.EqualSlices(t, saved, file, "the checkpoints differ")
			})
		}
	}
}

// The rows of a share, cut into groups, are all of it, and the tree adds each group before anything else to it.
func TestGroups(t *testing.T) {
	for n := 1; n < 70; n++ {
		for learners := 1; learners < 9; learners++ {
			next := 0
			for learner := range learners {
				from, to := share(n, learner, learners)
				for at, size := range groups(from, to) {
					if at != next || size&(size-1) != 0 || at%size != 0 {
						t.Fatalf("share %d of %d of %d rows: a group of %d at %d, want one at %d", learner, learners, n, size, at, next)
					}
					next += size
				}
			}
			if next != n {
				t.Fatalf("the shares of %d learners have %d rows, want %d", learners, next, n)
			}
		}
	}
}

func TestHelperRefuses(t *testing.T) {
	env, s := faultyCart(3, 2), variants()["plain"]
	p := polytest.Must(New(env, s, 7))(t)
	iterate(t, p, 1)
	polytest.ErrorContains(t, errOf(NewHelper(env.shape, s, 7, 2, 2)), "helper 2 of 2 learners, want 1 to 1")
	h := polytest.Must(NewHelper(env.shape, s, 7, 1, 2))(t)
	ask := func(weights, rollout, params, minibatch []byte) error {
		request := requestKind.Encode(make([]byte, 8), weights, rollout, params, minibatch)
		return errOf(h.Answer(t.Context(), request))
	}
	params, one := appendFixed(nil, p.params), []byte{0, 0, 0, 0}
	polytest.ErrorContains(t, ask(nil, nil, params, one), "a helper without samples")
	polytest.ErrorContains(t, errOf(h.Answer(t.Context(), one)), "reading a request")
	polytest.NoError(t, ask(p.weights.bytes, p.collector.part.Encode(), nil, nil))
	polytest.NoError(t, ask(nil, nil, params, one))
	polytest.ErrorContains(t, ask(nil, nil, params[4:], one), "bytes of parameters, want")
	polytest.ErrorContains(t, ask(nil, nil, params, []byte{0, 0, 0, 1}), "a request for sample 16777216, want 0 to 649")
	few := collectorsOf(t, env, s, 7, 6)[0]
	part := polytest.Must(few.Collect(t.Context(), p.giveWeights()))(t)
	polytest.ErrorContains(t, ask(p.weights.bytes, part.Encode(), nil, nil), "worlds 0 to 5 at control step")

	p.ShareWith(1, nil)
	p.sharing.number = 5
	_, _, err := p.whose(answerKind.Encode([]byte{5, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0}, nil, nil))
	polytest.ErrorContains(t, err, "an answer of learner 2, want 1 to 1")
	polytest.ErrorContains(t, p.takeSums(nil, nil, 0, 1), "with 0 bytes of losses, want 64")
	polytest.ErrorContains(t, p.takeSums(make([]byte, 64), nil, 0, 1), "with 0 bytes of sums, want")
}

func errOf[T any](_ T, err error) error { return err }
