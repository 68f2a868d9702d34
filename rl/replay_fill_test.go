package rl

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

// A replay that is filled has each recorded transition once, whatever the number of worlds, which are filled alike.
func TestFilledReplayHasEachTransitionOnce(t *testing.T) {
	rows := newDrives(31)
	want := map[string]int{}
	transition := func(now, action, reward any, next any, over bool) string {
		return fmt.Sprint(now, action, reward, next, over)
	}
	narrow := func(values []float64) (all []float32) {
		for _, v := range values {
			all = append(all, float32(v))
		}
		return all
	}
	for _, episode := range rows.episodes {
		for k, at := range episode {
			reward, over, known := rows.Reward(int(at))
			var next []float32
			if known && !over {
				next = narrow(rows.observed[episode[k+1]])
			}
			if known {
				want[transition(narrow(rows.observed[at]), rows.acted[at], float32(reward), next, over)]++
			}
		}
	}
	for _, worlds := range []int{1, 3, 7, 64} {
		set := sacSettings()
		env := newCart(worlds, 4, 1)
		s := polytest.Must(NewLearner(FilledWorlds{env, rows}, set, 1))(t).(*SAC)
		got, r, one := map[string]int{}, s.replay, newTransitions(1)
		least, most := slices.Min(r.count), slices.Max(r.count)
		if whole := int64(rows.Len()); most > (whole+int64(worlds)-1)/int64(worlds)+1 || worlds < 64 && least < most/2 {
			t.Errorf("%d worlds have %d to %d of %d rows", worlds, least, most, whole)
		}
		for world := range worlds {
			for row := range r.count[world] {
				if r.kind[r.place(world, row)] == seam {
					continue
				}
				r.follow(one, world, row, 1, 1)
				now, next, over := r.row(world, row), []float32(nil), one.discount[0] == 0
				if !over {
					next = r.data[one.next[0]:][:r.observation]
				}
				got[transition(now[:r.observation], now[r.observation], now[r.size()-1], next, over)]++
			}
		}
		if !maps.Equal(got, want) {
			t.Errorf("%d worlds: %d different transitions, want %d", worlds, len(got), len(want))
		}
		for k := range s.observations.Mean {
			mean := 0.0
			for _, row := range rows.observed {
				mean += row[k] / float64(rows.Len())
			}
			if d := s.observations.Mean[k] - mean; math.Abs(d) > 1e-9 {
				t.Errorf("%d worlds: the mean of value %d is %g, want %g", worlds, k, s.observations.Mean[k], mean)
			}
		}
	}
}

// What begins with recorded transitions learns from them at once. It does not depend on the number of workers or the
// size of blocks, and goes on from what its replay wrote as if it had never stopped, without what was recorded.
func TestDeterminismOfFilledWorlds(t *testing.T) {
	set, rows := sacSettings(), newDrives(60)
	set.SAC.RandomSteps = 1
	run := func(block, workers, times int, written *bytes.Buffer) *SAC {
		s := polytest.Must(NewLearner(FilledWorlds{newCart(9, block, workers), rows}, set, 1))(t).(*SAC)
		for i := range times {
			m := polytest.Must(s.Iterate(t.Context()))(t)
			polytest.Equal(t, m.GradientSteps, 36, "gradient steps of iteration %d", i)
			if i%7 == 3 && written != nil {
				polytest.NoError(t, s.replay.WriteNew(written))
			}
		}
		return s
	}
	one := run(1, 1, 30, nil)
	want := append(learnerBytes(t, one), replayBytesOf(t, one.replay)...)
	other := run(4, 3, 30, nil)
	if got := append(learnerBytes(t, other), replayBytesOf(t, other.replay)...); !bytes.Equal(got, want) {
		t.Error("blocks of 4 on 3 workers differ")
	}

	var written bytes.Buffer
	was := run(3, 2, 20, &written)
	polytest.NoError(t, was.replay.WriteNew(&written))
	c := polytest.Must(ReadCheckpoint(bytes.NewReader(learnerBytes(t, was))))(t)
	replay := polytest.Must(NewReplay(was.shape, set))(t)
	polytest.NoError(t, replay.Read(bytes.NewReader(written.Bytes())))
	again := polytest.Must(Continue(Worlds{was.env}, c, Memory{Replay: replay}, c.Settings))(t)
	for range 10 {
		polytest.Must(again.Iterate(t.Context()))(t)
	}
	if !bytes.Equal(learnerBytes(t, again), want[:len(learnerBytes(t, again))]) {
		t.Error("the learner that was continued differs")
	}

	// A new run from a checkpoint has the checkpoint's moments.
	on := polytest.Must(Resume(FilledWorlds{newCart(4, 4, 1), rows}, c, set, 2))(t).(*SAC)
	polytest.EqualSlices(t, on.observations.Mean, was.observations.Mean, "mean of the observations")
	if on.replay.longest() == 0 {
		t.Error("its replay is empty")
	}
}

func TestFilledWorldsNameWhatIsWrong(t *testing.T) {
	bad := newDrives(3)
	bad.observed[7][1] = math.NaN()
	small, many := sacSettings(), newDrives(60)
	small.SAC.Replay = int64(many.Len() / 2)
	for _, c := range []struct {
		rows *drives
		set  Settings
		want string
	}{
		{&drives{}, sacSettings(), "nothing was recorded"},
		{newDrives(2), td3bcSettings(), "algorithm is td3bc, want one that learns from worlds and what was recorded"},
		{bad, sacSettings(), "value 1 that was observed in row 7 is NaN"},
		{many, small, fmt.Sprintf("sac.replay is %d, want at least ", small.SAC.Replay)},
	} {
		polytest.ErrorContains(t, polytest.Err(NewLearner(FilledWorlds{newCart(4, 4, 1), c.rows}, c.set, 1)), c.want)
	}
}
