package sim_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sim"
	"github.com/polyrhythm-rl/polyrhythm/sim/runlog"
)

// heavy is chase with a mass that differs from world to world, from episode to episode
// and, now and then, from step to step; it is rewarded by the substeps of each step.
type heavy struct {
	*chase
	mass func(w *sim.World) float64 // in Act; nil: as above
}

func (h heavy) Spec() sim.Spec {
	spec := h.chase.Spec()
	spec.Parameters = []string{"mass"}
	spec.Probes = []string{"velocity", "acceleration"}
	return spec
}

func (h heavy) Reset(w *sim.World) {
	h.chase.Reset(w)
	run, episode := w.LastingRandom(sim.ResetDraws).Float64(), w.Random(sim.ResetDraws).Float64()
	if w.Parameters()[0] != 1 {
		panic("the mass is not that of the model")
	}
	w.Parameters()[0] = 1 + run + episode
}

func (h heavy) Act(w *sim.World, action []float32) {
	h.chase.Act(w, action)
	switch {
	case h.mass != nil:
		w.Parameters()[0] = h.mass(w)
	case w.Steps()%8 == 7:
		w.Parameters()[0] += 0.25
	}
}

func (h heavy) Reward(w *sim.World) (float64, bool) {
	reward, terminated := h.chase.Reward(w)
	var sum [2]float64
	for back := range 10 {
		velocity, _ := w.ProbeAt(0, back)
		acceleration, _ := w.ProbeAt(1, back)
		sum[0] += velocity[0]
		sum[1] += acceleration[1]
	}
	return reward + 0.01*(sum[0]+sum[1]), terminated
}

func weigh(s *setup) { s.Task = heavy{s.task, nil} }

func TestParametersAreDeterministic(t *testing.T) {
	want := trace(t, newSetup(t, weigh), 120, 120)
	light := trace(t, newSetup(t, nil), 120, 120)
	for i := range want {
		if want[i] == light[i] {
			t.Errorf("world %d: the mass changed nothing", i)
		}
	}
	idle := func(s *setup) {
		b := runners.Binding{Name: "idle writer", Runner: "Sensors", Phase: runners.Control, Writes: true}
		s.add(b, func(*runners.StepContext, *sim.World) {})
	}
	for _, c := range []struct {
		name   string
		change func(*setup)
	}{
		{"3 workers, blocks of 5", func(s *setup) { s.Workers, s.BlockSize = 3, 5 }},
		{"8 workers, blocks of 1", func(s *setup) { s.Workers, s.BlockSize = 8, 1 }},
		{"substeps one by one", idle},
		{"observed", func(s *setup) { s.Probes = []string{"pose", "acceleration"} }},
	} {
		got := trace(t, newSetup(t, func(s *setup) { weigh(s); c.change(s) }), 120, 120)
		polytest.EqualSlices(t, got, want, "%s: other bits", c.name)
	}
}

func TestSnapshotHoldsParameters(t *testing.T) {
	run := newSetup(t, weigh)
	drive(t, run, 0, 30)
	snapshot := filed(t, run.Snapshot())
	want := drive(t, run, 30, 60)
	other := newSetup(t, func(s *setup) { weigh(s); s.BlockSize, s.Workers = 5, 2 })
	drive(t, other, 0, 3)
	restore(t, other, snapshot)
	polytest.EqualSlices(t, drive(t, other, 30, 60), want, "a restored run went on in another way")

	// one without parameters does not fit
	plain := newSetup(t, spec(func(spec *sim.Spec) { spec.Probes = []string{"velocity", "acceleration"} }))
	polytest.ErrorContains(t, plain.Restore(snapshot), "parameters: [mass]")
}

// Samples that are only observed go along with a snapshot, also through its file; a run
// that began to observe later sees the state at which it was restored.
func TestSnapshotHoldsWhatIsObserved(t *testing.T) {
	shown := func(into map[string][]float64) func(*setup) {
		return func(s *setup) {
			weigh(s)
			s.Probes = []string{"pose"}
			b := runners.Binding{Name: "look", Runner: "Capture", Phase: runners.Export}
			s.add(b, func(ctx *runners.StepContext, w *sim.World) {
				values, ns := w.Probe(2)
				key := fmt.Sprint(w.Index(), w.Episode(), ctx.NS, ns)
				into[key] = append(into[key], values...)
			})
		}
	}
	want, again, late := map[string][]float64{}, map[string][]float64{}, map[string][]float64{}
	run, plain := newSetup(t, shown(want)), newSetup(t, weigh)
	drive(t, run, 0, 30)
	drive(t, plain, 0, 30)
	snapshot, without := filed(t, run.Snapshot()), filed(t, plain.Snapshot())
	clear(want)
	drive(t, run, 30, 20)

	other := newSetup(t, shown(again))
	restore(t, other, snapshot)
	if !other.Snapshot().Equal(snapshot) {
		t.Error("a restored run has another snapshot")
	}
	clear(again)
	drive(t, other, 30, 20)
	if len(want) == 0 || !reflect.DeepEqual(again, want) {
		t.Error("a restored run shows other poses")
	}
	last := newSetup(t, shown(late))
	restore(t, last, without)
	clear(late)
	drive(t, last, 30, 20)
	if !reflect.DeepEqual(late, want) { // control instants are substep boundaries here
		t.Error("a run restored from one that observed nothing shows other poses")
	}

	// and one that observes nothing goes on from either
	restore(t, plain, snapshot)
	drive(t, plain, 30, 20)
	if !plain.Snapshot().Equal(sim.WithoutObserved(last.Snapshot())) {
		t.Error("a run that observes nothing went on in another way")
	}
}

// heavyLog is the log of 20 steps, compared with another log if there is one.
func heavyLog(t testing.TB, compare []byte, change func(*setup)) ([]byte, error) {
	t.Helper()
	var f memory
	log := newLog(t, &f)
	if compare != nil {
		log = polytest.Must(runlog.Compare(io.NopCloser(bytes.NewReader(compare))))(t)
	}
	run := polytest.Must(changed(t, func(s *setup) {
		weigh(s)
		change(s)
		s.BlockSize, s.Log = 3, log
	}).open())(t)
	err := errors.Join(steps(run, 0, 20), run.Close(), log.Close())
	return f.Bytes(), err
}

// A parameter that differs is seen at once, whether or not it has had an effect; probes
// that are only observed are not part of the log.
func TestLogHasParameters(t *testing.T) {
	log, err := heavyLog(t, nil, func(*setup) {})
	polytest.NoError(t, err)
	if _, err := heavyLog(t, log, func(s *setup) { s.Workers, s.Probes = 3, []string{"pose"} }); !errors.Is(err,
		runlog.ErrEnd) {
		t.Errorf("repeated and observed: error %v, want the end", err)
	}
	_, err = heavyLog(t, log, func(s *setup) {
		b := runners.Binding{Name: "tamper", Runner: "Robot", Phase: runners.Acquisition, Priority: 100}
		s.add(b, func(_ *runners.StepContext, w *sim.World) { // after this step's physics
			if w.Index() == 5 && w.Steps() == 9 {
				w.Parameters()[0] += 1e-9
			}
		})
	})
	if err == nil || !strings.HasSuffix(err.Error(), "after 9 control steps: world 5, physics") {
		t.Errorf("with another mass: error %v, want one that names the step", err)
	}
}

// ends notes the episodes that ended with a fault.
type ends struct{ faults []sim.Episode }

func (*ends) Rewarded(*sim.World, float64) {}
func (e *ends) Ended(_ *sim.World, ended sim.Episode) {
	if ended.Fault != physics.FaultNone {
		e.faults = append(e.faults, ended)
	}
}

// A mass that none can have ends the episode, and no more than that.
func TestBadParameterIsAFault(t *testing.T) {
	for _, c := range []struct {
		mass    float64
		fault   physics.Fault
		message string
	}{
		{-2, physics.FaultEngine, "mass is -2 kg, want more than 0"},
		{math.NaN(), physics.FaultNotFinite, "mass is NaN, want a finite number"},
	} {
		var seen ends
		run := newSetup(t, func(s *setup) {
			s.Observers = []sim.Observer{&seen}
			s.Task = heavy{s.task, func(w *sim.World) float64 {
				if w.Index() == 4 && w.Episode() == 4 && w.Steps() == 3 {
					return c.mass
				}
				return w.Parameters()[0]
			}}
		})
		drive(t, run, 0, 10)
		if len(seen.faults) != 1 || seen.faults[0].Number != 4 || seen.faults[0].Steps != 4 ||
			seen.faults[0].Fault != c.fault || !strings.Contains(seen.faults[0].FaultMessage, c.message) {
			t.Errorf("mass %v: episodes that failed are %+v, want one with %q", c.mass, seen.faults, c.message)
		}
	}
}

// What a task asks of the engine and says of its observations is checked.
func TestSpecOfProbesParametersGroupsAndPictures(t *testing.T) {
	group := func(groups ...sim.Group) func(*sim.Spec) {
		return func(s *sim.Spec) { s.Groups = groups }
	}
	picture := func(first, height, width, channels int, layers ...sim.PictureLayer) sim.Picture {
		return sim.Picture{First: first, Height: height, Width: width, Channels: channels, Layers: layers}
	}
	pictures := func(pictures ...sim.Picture) func(*sim.Spec) {
		return func(s *sim.Spec) {
			s.Groups, s.Pictures = []sim.Group{{"policy", 0, 4}, {"critic", 4, 3}}, pictures
		}
	}
	named := func(name string, p sim.Picture) sim.Picture { p.Name = name; return p }
	for _, c := range []struct {
		change func(*sim.Spec)
		want   string // "" for no error
	}{
		{func(s *sim.Spec) { s.Probes = []string{"velocty"} }, `"velocty": the nearest known one is "velocity"`},
		{func(s *sim.Spec) { s.Parameters = []string{"weight"} }, `unknown parameter "weight"`},
		{func(s *sim.Spec) { s.Parameters = []string{"mass", "mass"} }, "twice"},
		{group(sim.Group{"policy", 0, 4}, sim.Group{"critic", 2, 5}), ""},
		{group(sim.Group{"critic", 0, 4}), `the first of Groups is "critic" from 0, want "policy" from 0`},
		{group(sim.Group{"policy", 1, 4}), `from 1, want "policy" from 0`},
		{group(sim.Group{"policy", 0, 4}, sim.Group{"policy", 4, 1}), "want names that differ"},
		{group(sim.Group{"policy", 0, 8}), `group "policy" is 8 values from 0, want at least 1 within the 7`},
		{group(sim.Group{"policy", 0, 4}, sim.Group{"critic", 4, 0}), `group "critic" is 0 values`},
		{pictures(picture(0, 1, 1, 2), picture(2, 2, 1, 1), picture(4, 1, 3, 1)), ""},
		{pictures(picture(0, 1, 1, 2), picture(1, 2, 1, 1)), "Pictures[1] is 2 values from 1, want them in one"},
		{pictures(picture(3, 1, 2, 1)), "Pictures[0] is 2 values from 3, want them in one group"},
		{pictures(picture(0, 1<<62, 4, 1)), "× 4 × 1, want at least 1 each and at most 7 together"},
		{pictures(picture(0, 1, 0, 1)), "Pictures[0] is 1 × 0 × 1, want"},
		{pictures(named("a", picture(0, 1, 2, 1)), named("a", picture(2, 1, 2, 1))), ""},
		{pictures(named("a", picture(0, 1, 2, 1)), named("a", picture(2, 2, 1, 1))), `Pictures[1] has the name "a" of one`},
		{pictures(named("a", picture(0, 1, 1, 1)), picture(1, 1, 1, 1), named("a", picture(2, 1, 1, 1))), "want it next to"},
		{pictures(picture(0, 1, 1, 4, sim.PictureLayer{Kind: "rgb", Channels: 3, Factor: 255}, sim.PictureLayer{Kind: "depth", Channels: 1})), ""},
		{pictures(picture(0, 1, 1, 4, sim.PictureLayer{Kind: "rgb", Channels: 3, Factor: 255})), "Pictures[0] has layers of 3 channels, want its 4"},
		{pictures(picture(0, 1, 1, 1, sim.PictureLayer{Kind: "rgb", Channels: 1, Factor: math.Inf(1)})), "with the factor +Inf and the scale 0, want at"},
		{pictures(picture(0, 1, 1, 1, sim.PictureLayer{Kind: "rgb", Channels: 1, Scale: math.NaN()})), "and the scale NaN, want at"},
	} {
		run, err := changed(t, func(s *setup) { s.edit(c.change) }).open()
		if err == nil {
			run.Close()
		}
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
	spec := sim.Spec{ObservationSize: 3}
	if got := spec.AllGroups(); len(got) != 1 || got[0] != (sim.Group{"policy", 0, 3}) {
		t.Errorf("groups of a task without any are %v", got)
	}
}
