package training

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/training/policies"
	"github.com/polyrhythm-rl/polyrhythm/training/rollouts"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

// wall is a clock that the test sets.
type wall struct{ now time.Duration }

func (w *wall) Now() time.Duration { return w.now }

func playConfig(t *testing.T, sets ...string) *configs.Config {
	t.Helper()
	return parse(t, "quadruped", append([]string{"worlds=2", "time.free_updates=true"}, sets...)...)
}

func playPolicy(t *testing.T) *policies.Policy {
	t.Helper()
	return must(policies.Open(policies.Random))(t)
}

// After ten stalls of 1 s in 26 s of wall time, worlds in Game Realtime are at 26 s. The
// skipped intervals are counted and logged, and the log replays identically.
func TestPlayThroughStalls(t *testing.T) {
	for _, mode := range []runners.Mode{runners.GameRealtime, runners.SimRealtime} {
		clock := &wall{}
		var frames []rollouts.PlayFrame
		stalls := 0
		opt := rollouts.PlayOptions{
			Policy: playPolicy(t), Seconds: big.NewRat(26, 1), Folder: filepath.Join(t.TempDir(), "run"), LogEvery: 1, FPS: 60,
			Frame: func(f rollouts.PlayFrame) { frames = append(frames, f) },
			Clock: clock,
		}
		opt.Sleep = func(_ context.Context, d time.Duration) {
			clock.now += d
			if stalls < 10 && clock.now >= time.Duration(2*(stalls+1))*time.Second {
				clock.now += time.Second
				stalls++
			}
		}
		c := playConfig(t, "time.mode="+mode.String(), "max_steps=100",
			"changes=[{n: 300, edits: [{set_rate: {name: Capture, rate: 25}}, "+
				"{toggle_runner: {name: Sensors, enabled: false}}]}]")
		played := must(rollouts.Play(t.Context(), c, opt))(t)
		last := frames[len(frames)-1]
		total := played.Total
		if stalls != 10 || total.Delta+total.Dropped != clock.now || last.NS < 26e9 || played.Steps != last.N ||
			int(last.Number) != len(frames) {
			t.Errorf("%v: %d stalls in %v, %+v, last %+v", mode, stalls, clock.now, played, last)
		}
		steps, skipped := int64(0), int64(0)
		for i, f := range frames {
			steps, skipped = steps+f.Steps, skipped+f.Skipped
			if !(f.Alpha >= 0 && f.Alpha < 1) || f.Number != int64(i+1) || f.N != steps {
				t.Fatalf("%v: frame %+v after %d steps", mode, f, steps)
			}
		}
		if steps != played.Steps || skipped != total.Skipped {
			t.Errorf("%v: frames of %d steps and %d skipped intervals, in all %+v", mode, steps, skipped, played)
		}
		if mode == runners.GameRealtime {
			if ended := 26*time.Second + 40*time.Millisecond; total.Dropped != 0 || clock.now > ended ||
				(played.Steps+total.Skipped)*20 < 26_000-20 || total.Skipped < 300 {
				t.Errorf("%v: %+v after %v", mode, played, clock.now)
			}
		} else if total.Skipped != 0 || total.Dropped < 10*750*time.Millisecond || played.Steps != 1300 {
			t.Errorf("%v: %+v", mode, played)
		}
		done, err := Replay(t.Context(), opt.Folder, ReplayOptions{Workers: 3})
		if err != nil || done.Steps != played.Steps {
			t.Errorf("%v: %d steps replayed (%v), want %d", mode, done.Steps, err, played.Steps)
		}
	}
}

// An interrupted run reports how far it came, and replays up to there.
func TestPlayInterrupted(t *testing.T) {
	clock := &wall{}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	frames := 0
	opt := rollouts.PlayOptions{
		Policy: playPolicy(t), Folder: filepath.Join(t.TempDir(), "run"), LogEvery: 1, Clock: clock,
		Frame: func(f rollouts.PlayFrame) {
			if frames++; frames == 40 {
				cancel()
			}
		},
		Sleep: func(_ context.Context, d time.Duration) {
			clock.now += d
			if frames%7 == 6 {
				clock.now += 400 * time.Millisecond
			}
		},
	}
	played, err := rollouts.Play(ctx, playConfig(t, "time.mode=game_realtime"), opt)
	if !errors.Is(err, context.Canceled) || played.Steps < 30 || played.Total.Skips == 0 {
		t.Errorf("%+v, %v", played, err)
	}
	done, err := Replay(t.Context(), opt.Folder, ReplayOptions{})
	if err != nil || done.Steps != played.Steps {
		t.Errorf("%d steps replayed (%v), want %d", done.Steps, err, played.Steps)
	}
}

// Frames are reported only with time.free_updates.
func TestPlayWithoutFreeUpdates(t *testing.T) {
	for _, on := range []bool{false, true} {
		frames := 0
		played, err := rollouts.Play(t.Context(), playConfig(t, "time.mode=sim_high_performance", fmt.Sprintf("time.free_updates=%t",
			on), "max_steps=20"),
			rollouts.PlayOptions{Policy: playPolicy(t), Episodes: 2, Frame: func(rollouts.PlayFrame) { frames++ }})
		if err != nil || played.Steps != 20 || played.Episodes != 2 || on != (frames > 0) {
			t.Errorf("free updates %t: %d frames, %+v (%v)", on, frames, played, err)
		}
	}
}

// A log with the skips of another run fails where the two differ.
func TestReplayOfDamagedSkips(t *testing.T) {
	clock := &wall{}
	opt := rollouts.PlayOptions{
		Policy: playPolicy(t), Seconds: big.NewRat(2, 1), Folder: filepath.Join(t.TempDir(),
			"run"), LogEvery: 1, Clock: clock,
		Sleep: func(_ context.Context, d time.Duration) { clock.now += d + 300*time.Millisecond },
	}
	must(rollouts.Play(t.Context(), playConfig(t, "time.mode=game_realtime"), opt))(t)
	path := filepath.Join(opt.Folder, rundir.LogFile)
	log := must(os.ReadFile(path))(t)
	i := strings.Index(string(log), "skip")
	if i < 0 {
		t.Fatal("no skip in the log")
	}
	log[i+len("skip")+8]++ // the number of intervals, which follows n
	noError(t, os.WriteFile(path, log, 0o666))
	errorContains(t, errOf(Replay(t.Context(), opt.Folder, ReplayOptions{})), "log damaged at offset")
}
