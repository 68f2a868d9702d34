package robot_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// TestQuadrupedIsPinned compares what the preset quadruped computes with testdata/quadruped.txt, which the task as a
// Go program wrote before a configuration described it: per step and world the reward and a digest of the
// observation's bits, noise of the sensors included. The episodes begin in given states, not in drawn ones.
func TestQuadrupedIsPinned(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("the bits are those of amd64; docs/evidence/arm64.md says which instructions have others")
	}
	const worlds, steps = 3, 120
	first := make([]bool, worlds)
	var e *env.Env
	e = open(t, load(t, "quadruped.yaml", fmt.Sprint("worlds=", worlds)), func(w *sim.World) {
		first[w.Index()] = w.NS() == 0
		if w.NS() != 0 {
			return
		}
		state := w.State()
		position, err1 := e.Model().Field("qpos")
		velocity, err2 := e.Model().Field("qvel")
		if err := errors.Join(e.Model().Keyframe("home", state), err1, err2); err != nil {
			t.Error(err)
			return
		}
		velocity.In(state)[3] = 5 * float64(w.Index()) // rad/s; the third falls over
		qpos, half := position.In(state), 0.4*float64(w.Index()-1)
		qpos[2] += 0.05 * float64(w.Index())
		qpos[3], qpos[6] = math.Cos(half), math.Sin(half)
		for i := range qpos[7:] {
			qpos[7+i] += 0.05 * math.Sin(float64(3*i+w.Index()))
		}
	})
	text := polytest.Must(os.ReadFile("testdata/quadruped.txt"))(t)
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	random, size := rand.New(rand.NewPCG(7, 11)), e.Sim().Spec().ObservationSize
	ended := 0
	for i := range steps {
		for k := range e.Sim().Actions() {
			e.Sim().Actions()[k] = float32(0.6 * random.NormFloat64())
		}
		polytest.NoError(t, e.Step())
		for w := range worlds {
			var wantEnded bool
			var wantReward float64
			var wantDigest uint64
			if _, err := fmt.Sscanf(lines[i*worlds+w], "%t %g %x", &wantEnded, &wantReward, &wantDigest); err != nil {
				t.Fatal(err)
			}
			if e.Sim().Terminations()[w] != wantEnded {
				t.Fatalf("step %d of world %d: terminated %t, want %t", i, w, !wantEnded, wantEnded)
			}
			if reward := e.Sim().Rewards()[w]; !first[w] && math.Abs(reward-wantReward) > 1e-13 {
				t.Fatalf("step %d of world %d: reward %v, want %v", i, w, reward, wantReward)
			}
			if wantEnded {
				ended++ // the observation is that of the next start, before it was placed
				continue
			}
			observation := e.Sim().Observations()[w*size : (w+1)*size]
			h := fnv.New64a()
			polytest.NoError(t, binary.Write(h, binary.LittleEndian, observation))
			if h.Sum64() != wantDigest {
				t.Fatalf("step %d of world %d: the observation has other bits: %v", i, w, observation)
			}
		}
	}
	if ended == 0 {
		t.Error("no episode ended")
	}
}
