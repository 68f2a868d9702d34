package main

import (
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// Whatever a caller sends, a request is refused with a reason or becomes a configuration that is valid.
func FuzzReadRequest(f *testing.F) {
	for _, text := range []string{
		`{"task":"HalfCheetah-v5","options":"{frame_skip: 2, reset_noise_scale: 1}","worlds":3,"seed":18446744073709551615}`,
		`{"task":"Hopper-v5","options":"{healthy_z_range: [0.7, .inf]}","autoreset":"disabled","max_steps":-1}`,
		`{"text":"task: {name: quadruped}\n","overrides":["worlds=2"],"environ":["POLYRHYTHM_SEED=3"]}`,
		`{"task":"quadrupd"}`, `{"worlds":-1}`, `{"seed":-1}`, `[]`, `{"options":"{a"}`, "",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var r request
		if (&call{arguments: data}).read(&r) != nil {
			return
		}
		r.Config = "" // no file of this machine is read
		if strings.Contains(r.Options, "xml_file") {
			return
		}
		c, err := r.config()
		if err != nil {
			return
		}
		if err := c.Validate(); err != nil {
			t.Errorf("%s became a configuration that is not valid: %v", data, err)
		}
	})
}

func openForTest(t *testing.T, n int) *worlds {
	t.Helper()
	seed := uint64(1)
	w, _, err := open(&request{Task: "Hopper-v5", Worlds: n, Workers: 3, Autoreset: "next_step", Seed: &seed, MaxSteps: 7})
	polytest.NoError(t, err)
	t.Cleanup(func() { polytest.NoError(t, w.release()) })
	return w
}

func stepAll(t *testing.T, w *worlds) {
	t.Helper()
	_, _, err := w.step()
	polytest.NoError(t, err)
}

// numbers are 0 to n-1.
func numbers(n int32) (all []int32) {
	for i := range n {
		all = append(all, i)
	}
	return all
}

// Worlds that are sent block by block, in whatever order they come back, do what worlds do that step together.
func TestPoolDoesWhatStepDoes(t *testing.T) {
	const n, steps = 24, 30
	action := func(world, step, i int) float32 { return float32((world*7+step*3+i)%11)/5 - 1 }

	together := openForTest(t, n)
	for step := range steps {
		for k := range together.action {
			together.action[k] = action(k/3, step, k%3)
		}
		stepAll(t, together)
	}

	apart := openForTest(t, n)
	taken := make([]int, n)
	send := func(ids []int32) {
		var actions []float32
		for _, id := range ids {
			for i := range 3 {
				actions = append(actions, action(int(id), taken[id], i))
			}
			taken[id]++
		}
		polytest.NoError(t, apart.send(ids, actions))
	}
	send(numbers(n))
	room := make([]int32, n)
	for out := n; out > 0; {
		got := polytest.Must(apart.receive(room, 1, time.Minute))(t)
		out -= got
		if ids := room[:got]; taken[ids[0]] < steps {
			send(ids)
			out += got
		}
	}
	if !slices.Equal(apart.observation, together.observation) || !slices.Equal(apart.reward, together.reward) {
		t.Error("worlds that were sent stand elsewhere than worlds that stepped together")
	}
}

// Who waits for worlds steps some of them: the others here wait for that.
func TestReceiveSteps(t *testing.T) {
	w := openForTest(t, 16)
	var helped atomic.Bool
	w.pool = startPool(w.env, func(worker *sim.Worker, b *sim.Block) error {
		if worker.Index() == 0 {
			helped.Store(true)
		}
		for !helped.Load() {
			runtime.Gosched()
		}
		return b.Step(worker)
	})
	polytest.NoError(t, w.send(numbers(16), make([]float32, 48)))
	if n := polytest.Must(w.receive(make([]int32, 16), 16, 10*time.Second))(t); n != 16 {
		t.Fatalf("%d of 16 worlds are done", n)
	}
}

// Worlds whose steps cannot begin say why to whoever waits for them.
func TestReceiveFromAPoolThatNeverBegan(t *testing.T) {
	w := openForTest(t, 16)
	begun, end := make(chan struct{}, 16), make(chan struct{})
	ended := make(chan error)
	go func() {
		ended <- w.env.Each(func(*sim.Worker, *sim.Block) error {
			begun <- struct{}{}
			<-end
			return nil
		})
	}()
	<-begun
	polytest.NoError(t, w.send(numbers(16), make([]float32, 48)))
	_, err := w.receive(make([]int32, 16), 16, time.Hour)
	close(end)
	polytest.NoError(t, <-ended)
	if !errors.Is(err, sim.ErrBusy) {
		t.Errorf("error %v, want %v", err, sim.ErrBusy)
	}
	polytest.ErrorContains(t, w.send(numbers(16), make([]float32, 48)), "make new ones")
	polytest.ErrorContains(t, w.pool.stop(), sim.ErrBusy.Error())
	w.pool = nil
}

// However long an error is, its beginning and its cause are there, in whole characters.
func TestShortened(t *testing.T) {
	for _, middle := range []string{"", "x", strings.Repeat("ü", 50), strings.Repeat("語", 5000)} {
		text := "observations: " + middle + ": no such term"
		for _, size := range []int{60, 61, 62, 63, 200, 8191} {
			got := shortened(text, size)
			if len(got) > size || !utf8.ValidString(got) || !strings.HasPrefix(got, "observations") ||
				!strings.HasSuffix(got, ": no such term") || len(text) <= size && got != text {
				t.Errorf("%d bytes of %d: %q", size, len(text), got)
			}
		}
	}
}

// A training that was ended has no further iteration, whether or not it waited for a call.
func TestNoIterationAfterTheEnd(t *testing.T) {
	for _, waits := range []bool{false, true} {
		tr := &trainer{waits: waits, metrics: make(chan map[string]*float64), next: make(chan struct{}), over: make(chan struct{})}
		close(tr.over)
		c := &call{arguments: []byte("1000")}
		polytest.NoError(t, tr.iteration(c))
		if answer := c.answer.(map[string]any); answer["coming"] != false {
			t.Errorf("the answer is %v", answer)
		}
	}
}

func TestWorldsUnderWayAreClosed(t *testing.T) {
	w := openForTest(t, 16)
	polytest.NoError(t, w.send(numbers(16), make([]float32, 48)))
	_, _, err := w.step()
	polytest.ErrorContains(t, err, "receive them first")
}

// What Python steps through allocates nothing in Go's heap that grows with steps.
func TestStepAllocatesLittle(t *testing.T) {
	w := openForTest(t, 16)
	for range 20 {
		stepAll(t, w)
	}
	per := polytest.Allocations(100, func() { stepAll(t, w) })
	// The goroutines of one call of Each, and no world's or block's.
	if per > 24 {
		t.Errorf("a step allocates %.0f times", per)
	}
}
