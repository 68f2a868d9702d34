package sim_test

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// firing is one call of a recorder.
type firing struct {
	world, ns, dt int64
	sync          bool
}

// recordingSetup adds a recorder on Capture that notes when it fires.
func recordingSetup(fired *[]firing, change func(*setup)) func(*setup) {
	return func(s *setup) {
		s.Worlds = 3
		s.BlockSize = 3
		s.task.limit, s.task.steps = math.Inf(1), 0
		s.add(runners.Binding{Name: "recorder", Runner: "Capture", Phase: runners.Control, Priority: 100},
			func(ctx *runners.StepContext, w *sim.World) {
				*fired = append(*fired, firing{int64(w.Index()), w.NS(), ctx.DT, ctx.Sync})
			})
		if change != nil {
			change(s)
		}
	}
}

func mustChange(t *testing.T, run *sim.Sim, n int64, edits ...runners.Edit) {
	t.Helper()
	polytest.NoError(t, run.Change(runners.Change{N: n, Edits: edits}))
}

// At the instant of a change each binding fires once: what it moves across the
// decision point neither twice nor not at all, and what it enables begins there.
func TestAChangeFiresEachBindingOnceAtItsInstant(t *testing.T) {
	every20 := []int64{0, 20, 40, 60, 80, 100, 120, 140, 160}
	every40 := []int64{0, 20, 40, 60, 80, 120, 160} // 25 Hz from 80 ms on
	for _, c := range []struct {
		name  string
		begin runners.Phase
		edits []runners.Edit // at step 4, 80 ms
		want  []int64        // ms
	}{
		{"Acquisition to Control", runners.Acquisition, []runners.Edit{runners.SetPhase{Name: "look",
			Phase: runners.Control}}, every20},
		{"Control to Acquisition", runners.Control, []runners.Edit{runners.SetPhase{Name: "look",
			Phase: runners.Acquisition}}, every20},
		{"Export to Acquisition", runners.Export, []runners.Edit{runners.SetPhase{Name: "look", Phase: runners.Acquisition}},
			every20},
		{"Acquisition to Validation", runners.Acquisition, []runners.Edit{runners.SetPhase{Name: "look",
			Phase: runners.Validation}}, every20},
		{"off in Acquisition", runners.Acquisition, []runners.Edit{runners.ToggleBinding{Name: "look"}}, every20[:5]},
		{"off in Control", runners.Control, []runners.Edit{runners.ToggleBinding{Name: "look"}}, every20[:4]},
		{"to another runner and phase", runners.Acquisition,
			[]runners.Edit{runners.Rebind{Name: "look", Runner: "Slow"},
				runners.SetPhase{Name: "look", Phase: runners.Control}}, every40},
		{"to another runner and phase, back", runners.Control,
			[]runners.Edit{runners.Rebind{Name: "look", Runner: "Slow"},
				runners.SetPhase{Name: "look", Phase: runners.Acquisition}}, every40},
		{"two changes", runners.Control, []runners.Edit{runners.SetPhase{Name: "look", Phase: runners.Acquisition}, nil,
			runners.SetPhase{Name: "look", Phase: runners.Control}}, every20},
	} {
		for _, queued := range []int64{0, 4} {
			t.Run(fmt.Sprintf("%s, queued at step %d", c.name, queued), func(t *testing.T) {
				var got []int64
				run := newSetup(t, func(s *setup) {
					s.Worlds = 1
					s.task.limit, s.task.steps = math.Inf(1), 0
					s.Runners = append(s.Runners, runners.Runner{Name: "Slow", Rate: runners.Hz(25)})
					s.add(runners.Binding{Name: "look", Runner: "Robot", Phase: c.begin, Priority: 7},
						func(_ *runners.StepContext, w *sim.World) { got = append(got, w.NS()/1e6) })
				})
				trace(t, run, int(queued), 1)
				for _, group := range groups(c.edits) {
					mustChange(t, run, 4, group...)
				}
				traceSteps(t, run, int(queued), 9, 1)
				got = slices.DeleteFunc(got, func(ms int64) bool { return ms > 160 }) // Acquisition at the end of the last step
				if !slices.Equal(got, c.want) {
					t.Errorf("fired at %v ms, want %v", got, c.want)
				}
			})
		}
	}
}

// groups splits edits where they are nil.
func groups(edits []runners.Edit) (out [][]runners.Edit) {
	out = append(out, nil)
	for _, e := range edits {
		if e == nil {
			out = append(out, nil)
			continue
		}
		out[len(out)-1] = append(out[len(out)-1], e)
	}
	return out
}

// How long the last sample of a channel that was switched off can be read does not
// depend on how far physics runs ahead.
func TestAChannelThatIsOffIsReadTheSameFusedAndUnfused(t *testing.T) {
	read := func(writes bool) (stamps []int64) {
		run := newSetup(t, func(s *setup) {
			s.Worlds = 1
			s.task.limit, s.task.steps = math.Inf(1), 0
			s.add(runners.Binding{Name: "look", Runner: "Sensors", Phase: runners.Control, Writes: writes},
				func(_ *runners.StepContext, w *sim.World) {
					var value [2]float64
					for channel := range 3 {
						ns, ok := w.Read(value[:], channel)
						if !ok {
							ns = -1
						}
						stamps = append(stamps, ns)
					}
				})
		})
		var off []runners.Edit
		for _, name := range []string{"position", "velocity", "acceleration"} {
			off = append(off, runners.ToggleBinding{Name: name})
		}
		mustChange(t, run, 3, off...)
		trace(t, run, 12, 12)
		return stamps
	}
	fused, unfused := read(false), read(true)
	polytest.EqualSlices(t, fused, unfused, "stamps")
	polytest.Equal(t, fused[len(fused)-1], -1, "the last stamp")
}

// A runner that goes leaves the others their IDs, so what a callback holds stays
// true; and it can ask for what came, in the clock that its world has.
func TestCallbacksKeepTheIDsOfRunners(t *testing.T) {
	var faults []physics.Fault
	var steps []runners.RunnerState
	var camera []runners.ID
	run := newSetup(t, func(s *setup) {
		s.Worlds = 1
		s.task.limit, s.task.steps = math.Inf(1), 0
		s.add(runners.Binding{Name: "look", Runner: "Robot", Phase: runners.Control, Priority: 7},
			func(ctx *runners.StepContext, w *sim.World) {
				faults = append(faults, w.Fault())
				steps = append(steps, ctx.Step(2)) // Sensors
				ctx.Step(runners.NoRunner)
				id, _ := ctx.Runner("Camera")
				if same, _ := w.Schedule().Runner("Camera"); same != id {
					t.Errorf("Camera is runner %d of the context and %d of the world", id, same)
				}
				camera = append(camera, id)
			})
	})
	mustChange(t, run, 2, runners.RemoveRunner{Name: "Capture"})
	mustChange(t, run, 7, runners.AddRunner{Runner: runners.Runner{Name: "Camera", Rate: runners.Hz(25)}})
	if _, ok := run.Schedule().Runner("Capture"); !ok {
		t.Error("Capture is gone before its step")
	}
	trace(t, run, 10, 10)
	for i, s := range steps {
		if faults[i] != physics.FaultNone || s.DT != 2_000_000 || !s.Fired {
			t.Errorf("step %d: fault %v, Sensors at %+v", i, faults[i], s)
		}
	}
	polytest.EqualSlices(t, camera, []runners.ID{255, 255, 255, 255, 255, 255, 255, 3, 3, 3}, "Camera is runner")
	if _, ok := run.Schedule().Runner("Capture"); ok {
		t.Error("Capture is still there")
	}
}

// A change of what only looks on leaves the worlds as they are, bit for bit:
// also the stamps and values of channels across an anchor.
func TestDeterminismAcrossChangesOfOnlookers(t *testing.T) {
	var fired []firing
	want := trace(t, newSetup(t, recordingSetup(&fired, nil)), 60, 60)
	run := newSetup(t, recordingSetup(&fired, nil))
	mustChange(t, run, 3, runners.SetRate{Name: "Capture", Rate: runners.Hz(7)},
		runners.RenameRunner{Name: "Capture", To: "Camera"})
	mustChange(t, run, 20, runners.AddRunner{Runner: runners.Runner{Name: "Idle", Rate: runners.Hz(11)}})
	mustChange(t, run, 20, runners.SetPriority{Name: "recorder", Priority: -3})
	mustChange(t, run, 30, runners.RemoveRunner{Name: "Idle"})
	polytest.EqualSlices(t, trace(t, run, 60, 60), want, "other bits than without the changes")
}

func TestDeterminismOfChangesForAnyWorkersBlocksAndSegments(t *testing.T) {
	start := func(workers, size int) *sim.Sim {
		run := newSetup(t, func(s *setup) { s.Workers, s.BlockSize = workers, size })
		mustChange(t, run, 5, runners.SetRate{Name: "Sensors", Rate: runners.Hz(250)})
		mustChange(t, run, 30, runners.ToggleBinding{Name: "velocity", Enabled: false})
		mustChange(t, run, 50, runners.SetRate{Name: "Sensors", Rate: runners.Hz(1000)},
			runners.ToggleBinding{Name: "velocity", Enabled: true})
		return run
	}
	want := trace(t, start(1, 12), 120, 120)
	if slices.Equal(want, trace(t, newSetup(t, nil), 120, 120)) {
		t.Error("the changes changed nothing")
	}
	for _, c := range [][3]int{{2, 5, 7}, {3, 1, 120}, {8, 12, 1}} {
		polytest.EqualSlices(t, trace(t, start(c[0], c[1]), 120, c[2]), want,
			"%d workers, blocks of %d, segments of %d: other bits", c[0], c[1], c[2])
	}
}

func TestChangeErrors(t *testing.T) {
	var fired []firing
	run := newSetup(t, recordingSetup(&fired, nil))
	trace(t, run, 4, 4)
	for _, c := range []struct {
		n     int64
		edits []runners.Edit
		want  string
	}{
		{3, []runners.Edit{runners.ToggleBinding{Name: "recorder"}},
			"change at step 3, want step 4, which block 0 has reached, or later"},
		{9, []runners.Edit{runners.SetRate{Name: "Robot", Rate: runners.Hz(25)}},
			"rate of physics substeps is 250 Hz, want 500 Hz, for which the model was compiled"},
		{9, []runners.Edit{runners.SetRate{Name: "Sensors", Rate: runners.Hz(5000)}},
			"changes from 500 to 5000 Hz during a run, want at most 4 times faster or slower"},
		{9, []runners.Edit{runners.SetRate{Name: "Sensors", Rate: runners.Hz(5)}},
			"changes from 500 to 5 Hz during a run, want at most 4 times faster or slower"},
		{9, []runners.Edit{runners.ToggleBinding{Name: "controller"}}, `"controller" is disabled, want it enabled`},
		{9, []runners.Edit{runners.RemoveBinding{Name: "physics"}}, "there is no physics binding"},
		{9, []runners.Edit{runners.AddBinding{Binding: runners.Binding{Name: "new", Runner: "Robot"}}},
			`binding "new" is new, want one that the run began with`},
		{9, []runners.Edit{runners.Rebind{Name: "controller", Runner: "Capture"}},
			`"controller" defines the control runner, want it left there`},
		{9, []runners.Edit{ // and writes to physics no more
			runners.RemoveBinding{Name: "controller"},
			runners.AddBinding{Binding: runners.Binding{Name: "controller", Runner: "Robot", Phase: runners.Control,
				Priority: -200}},
		}, `"controller" defines the control runner, want it left there`},
		{9, []runners.Edit{runners.RemoveBinding{Name: "velocity"},
			runners.AddBinding{Binding: runners.Binding{Name: "velocity", Beat: true}}},
			`beat of binding "velocity" is true, want false as when the run began`},
		{9, []runners.Edit{runners.Rebind{Name: "recorder", Runner: "Cam"}}, `"Cam"`},
		{9, []runners.Edit{runners.SetPhase{Name: "latch", Phase: runners.Export}},
			`binding "latch" is in phase Export, after physics, want Acquisition or Control`},
		{9, []runners.Edit{runners.SetPhase{Name: "latch", Phase: runners.Physics}},
			`binding "latch" is in phase Physics, after physics, want Acquisition or Control`},
		{9, []runners.Edit{runners.RemoveRunner{Name: "Capture"}}, "recorder"},
	} {
		err := run.Change(runners.Change{N: c.n, Edits: c.edits})
		polytest.ErrorContains(t, err, c.want)
	}
	polytest.Equal(t, len(run.Changes()), 0, "changes after refused ones")
}

// A skip jumps the clock and nothing else: no rewards, no steps, no physics.
func TestSkipJumpsTheClockAlone(t *testing.T) {
	var fired []firing
	l := &log{rewards: map[int64]float64{}}
	run := newSetup(t, recordingSetup(&fired, func(s *setup) { s.Observers = []sim.Observer{l} }))
	trace(t, run, 3, 3)
	state := slices.Clone(run.Blocks()[0].State(1))
	rewards := l.rewards[1]
	fired = nil
	polytest.NoError(t, run.Skip(4))
	if !slices.Equal(run.Blocks()[0].State(1), state) || l.rewards[1] != rewards || len(fired) != 0 {
		t.Errorf("a skip moved something: %d calls", len(fired))
	}
	// From 60 ms to 140 ms; the recorder's boundaries at 66, 100 and 133 ms are gone.
	trace(t, run, 3, 3)
	var got []int64
	for _, f := range fired {
		if f.world == 1 {
			got = append(got, f.ns)
		}
	}
	polytest.EqualSlices(t, got, []int64{166_666_666}, "recorder at")
	if slices.Equal(run.Blocks()[0].State(1), state) {
		t.Error("physics stands still after a skip")
	}
	for _, c := range []int64{0, -1, math.MaxInt64} {
		if err := run.Skip(c); err == nil {
			t.Errorf("skip of %d intervals: no error", c)
		}
	}
}

// What no world can be in any more is forgotten, so a clock that changes without end costs no more than it did, and a
// run that goes on from a snapshot goes on with what is left.
func TestVersionsThatNobodyIsInAreForgotten(t *testing.T) {
	begin := func() *sim.Sim {
		return newSetup(t, func(s *setup) {
			s.Worlds, s.BlockSize = 3, 2
			s.task.limit, s.task.steps = math.Inf(1), 0
		})
	}
	run := begin()
	const steps = 600
	for n := range int64(steps) {
		name := fmt.Sprintf("extra%d", n/10)
		switch n % 10 {
		case 0:
			mustChange(t, run, n, runners.AddRunner{Runner: runners.Runner{Name: name, Rate: runners.Hz(10)}})
		case 5:
			mustChange(t, run, n, runners.RemoveRunner{Name: name})
		default:
			mustChange(t, run, n, runners.SetPriority{Name: "velocity", Priority: int(n)})
		}
		traceSteps(t, run, int(n), int(n)+1, 1)
		if kept := len(run.Changes()); kept > 20 {
			t.Fatalf("%d changes are kept at step %d", kept, n)
		}
	}
	text := polytest.Must(json.Marshal(run.Origin()))(t)
	var origin *runners.Version
	polytest.NoError(t, json.Unmarshal(text, &origin))
	next := begin()
	polytest.NoError(t, next.SetOrigin(origin))
	for _, c := range run.Changes() {
		polytest.NoError(t, next.Change(c))
	}
	polytest.NoError(t, next.Restore(run.Snapshot()))
	for _, r := range []*sim.Sim{run, next} {
		mustChange(t, r, steps, runners.SetPriority{Name: "velocity", Priority: 3})
	}
	want := traceSteps(t, run, steps, steps+50, 5)
	polytest.EqualSlices(t, traceSteps(t, next, steps, steps+50, 5), want, "worlds that go on")
	if !next.Snapshot().Equal(run.Snapshot()) {
		t.Error("worlds that go on have other bits")
	}
	polytest.ErrorContains(t, begin().Restore(run.Snapshot()), "the snapshot does not fit")
	origin.Runners[0].Rate = runners.Hz(25)
	polytest.ErrorContains(t, begin().SetOrigin(origin), "rate of physics substeps is 250 Hz, want 500 Hz")
	origin.Number = -1
	polytest.ErrorContains(t, begin().SetOrigin(origin), "version of the clock is -1, want at least 0")
}

// Changes that worlds are yet to make have a limit, and have room again once they are made.
func TestChangesThatWaitHaveALimit(t *testing.T) {
	run := newSetup(t, func(s *setup) {
		s.task.limit, s.task.steps = math.Inf(1), 0
	})
	edits := slices.Repeat([]runners.Edit{runners.SetPriority{Name: "velocity", Priority: 3}}, 256)
	for range 4 {
		mustChange(t, run, 2, edits...)
	}
	one := runners.Change{N: 2, Edits: edits[:1]}
	for _, err := range []error{run.Change(one), run.CheckChange(one)} {
		polytest.ErrorContains(t, err, "1025 edits of the clock would wait for worlds to make them, want at most 1024")
	}
	traceSteps(t, run, 0, 3, 1)
	mustChange(t, run, 3, edits...)
	polytest.Equal(t, len(run.Changes()), 1, "changes")
}
