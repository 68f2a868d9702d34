package rl

import (
	"bytes"
	"fmt"
	"math"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/rl/nn"
)

// step is what the oracle knows of a step of a world.
type step struct {
	observation, action, reward float64
	end                         ending
	next                        float64 // what was observed after it, in the same episode
}

// A replay gives the transitions of the newest rows, each as often as another, with the n-step sums of an oracle that
// keeps whole histories; also after it was written in parts and read again.
func TestReplayAgainstAnOracle(t *testing.T) {
	const worlds, gamma = 3, 0.9
	for _, c := range []struct{ steps, n, capacity int }{
		{40, 1, 200}, {40, 3, 200}, {300, 1, 60}, {300, 4, 60}, {7, 9, 27},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			shape := Shape{Worlds: worlds, Blocks: 1, BlockSize: worlds, Workers: 1, Observation: 1, Action: 1,
				ActionLow: []float64{-1}, ActionHigh: []float64{1}}
			set := DefaultSettings()
			set.Algorithm, set.SAC.Replay = AlgorithmSAC, int64(c.capacity)
			r := polytest.Must(NewReplay(shape, set))(t)
			histories, noise, now := [worlds][]step{}, nn.NewStream(), [worlds]float64{}
			noise.Key(uint64(c.steps), 0, int64(c.n), 0)
			var written bytes.Buffer
			value := 0.0
			fresh := func() float64 { value++; return value } // no two are the same
			for w := range worlds {
				now[w] = fresh()
			}
			for at := range c.steps {
				for w := range worlds {
					s := step{observation: now[w], action: fresh(), reward: fresh(), end: ending(max(0, noise.IntN(12)-9))}
					s.next = fresh()
					now[w] = s.next
					r.observe(w, []float64{s.observation})
					r.act(w)[0] = float32(s.action)
					r.complete(w, s.reward, s.end, []float64{s.next})
					if s.end != goesOn {
						now[w] = fresh()
					}
					r.observe(w, []float64{now[w]})
					histories[w] = append(histories[w], s)
				}
				if noise.IntN(10) == 0 || at == c.steps-1 {
					polytest.NoError(t, r.WriteNew(&written))
				}
			}
			again := polytest.Must(NewReplay(shape, set))(t)
			polytest.NoError(t, again.Read(bytes.NewReader(written.Bytes())))
			for w := range worlds {
				again.observe(w, []float64{now[w]})
			}
			checkDraws(t, r, histories[:], c.n, gamma)
			checkDraws(t, again, histories[:], c.n, gamma)
			polytest.Equal(t, len(replayBytesOf(t, again)), 0, "bytes to write of what was read")
		})
	}
}

// checkDraws compares transitions that are drawn with those of the oracle.
func checkDraws(t *testing.T, r *Replay, histories [][]step, n int, gamma float64) {
	t.Helper()
	type place struct{ world, step int }
	places := map[float32]place{}
	for w, history := range histories {
		for i, s := range history {
			places[float32(s.observation)] = place{w, i}
		}
	}
	const draws = 20_000
	drawn, noise := newTransitions(draws), nn.NewStream()
	noise.Key(1, 2, 3, 4)
	r.draw(drawn, n, gamma, noise)
	counts := map[place]int{}
	for i := range draws {
		at, ok := places[r.data[drawn.now[i]]]
		if !ok {
			t.Fatalf("a row observes %g, which began no step", r.data[drawn.now[i]])
		}
		counts[at]++
		history := histories[at.world]
		sum, discount, last := 0.0, 1.0, history[at.step]
		polytest.Equal(t, float64(r.data[drawn.now[i]+1]), last.action, "the action")
		for k := 0; k < n && at.step+k < len(history); k++ {
			last = history[at.step+k]
			sum += discount * last.reward
			discount *= gamma
			if last.end != goesOn {
				break
			}
		}
		if last.end == stopped {
			discount = 0
		} else {
			polytest.Equal(t, float64(r.data[drawn.next[i]]), last.next, "what follows")
		}
		if math.Abs(drawn.reward[i]-sum) > 1e-9*sum || drawn.discount[i] != discount {
			t.Fatalf("%d rewards %g and discount %g, want %g and %g", n, drawn.reward[i], drawn.discount[i], sum, discount)
		}
	}
	// which are there: the newest rows, of which an episode that was cut off has one more
	want := 0
	for w, history := range histories {
		rows := r.rows - 1
		for i := len(history) - 1; i >= 0; i-- {
			if history[i].end == cutOff {
				rows--
			}
			if rows--; rows < 0 {
				break
			}
			want++
			if counts[place{w, i}] == 0 {
				t.Errorf("step %d of world %d was never drawn", i, w)
			}
		}
	}
	polytest.Equal(t, len(counts), want, "different transitions")
	mean := float64(draws) / float64(want)
	for at, n := range counts {
		if math.Abs(float64(n)-mean) > 6*math.Sqrt(mean) {
			t.Errorf("%v was drawn %d times, want about %.0f", at, n, mean)
		}
	}
}

// Drawing ends however few of the rows have an action.
func TestReplayDrawsTheOneTransition(t *testing.T) {
	r := newReplay(Shape{Worlds: 3, Observation: 1, Action: 1}, SACSettings{Replay: 30_000})
	for row := range int64(10_000) {
		for w := range 3 {
			r.observe(w, []float64{float64(row)})
			r.complete(w, 1, goesOn, nil)
			r.kind[r.place(w, row)] = seam
		}
	}
	polytest.Equal(t, r.hasAction(), false, "whether a row has an action")
	r.kind[r.place(1, 4321)] = stopped
	polytest.Equal(t, r.hasAction(), true, "whether a row has an action")
	drawn, noise := newTransitions(10), nn.NewStream()
	noise.Key(1, 2, 3, 4)
	r.draw(drawn, 1, 0.9, noise)
	for _, at := range drawn.now {
		polytest.Equal(t, r.data[at], 4321, "what was observed")
	}
}

// What no learner has written is refused.
func FuzzReplayRead(f *testing.F) {
	shape := Shape{Worlds: 2, Blocks: 1, BlockSize: 2, Workers: 1, Observation: 2, Action: 1,
		ActionLow: []float64{-1}, ActionHigh: []float64{1}}
	o := SACSettings{Replay: 20}.filled()
	r := newReplay(shape, o)
	for range 5 {
		for w := range 2 {
			r.observe(w, []float64{1, 2})
			r.complete(w, 1, cutOff, []float64{3, 4})
		}
	}
	whole := replayBytesOf(f, r)
	f.Add(whole)
	f.Add(whole[:len(whole)-1])
	f.Add([]byte{9})
	f.Fuzz(func(t *testing.T, data []byte) {
		again := newReplay(shape, o)
		if again.Read(bytes.NewReader(data)) == nil && len(data) > 0 && again.longest() < 0 {
			t.Error("a replay of less than nothing")
		}
	})
}

func TestReplayReadRefusesNonsense(t *testing.T) {
	shape := Shape{Worlds: 2, Blocks: 1, BlockSize: 2, Workers: 1, Observation: 2, Action: 1}
	o := SACSettings{Replay: 20}.filled()
	r := newReplay(shape, o)
	r.observe(0, []float64{1, 2})
	r.complete(0, 1, goesOn, nil)
	whole := replayBytesOf(t, r)
	read := func(data []byte, shape Shape) error { return newReplay(shape, o).Read(bytes.NewReader(data)) }
	polytest.NoError(t, read(whole, shape))
	polytest.ErrorContains(t, read(whole[:len(whole)-3], shape), "cut short")
	polytest.ErrorContains(t, read(whole[:5], shape), "unexpected EOF")
	polytest.ErrorContains(t, read(append(bytes.Clone(whole), whole...), shape),
		"rows 0 to 1 of world 0, of which it has 1")
	other := bytes.Clone(whole)
	other[len(other)/2] ^= 1
	polytest.ErrorContains(t, read(other, shape), "damaged")
	shape.Worlds = 3
	polytest.ErrorContains(t, read(whole, shape), "it is of other worlds")
}
