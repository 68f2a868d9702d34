package throughput

import (
	"math"
	"testing"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

// The three passes must do the same work, else the ratio says nothing.
func TestBothLoopsDoTheSameWork(t *testing.T) {
	for _, task := range []string{"quadruped", "HalfCheetah-v5"} {
		t.Run(task, func(t *testing.T) {
			name, data, err := configs.Preset(task)
			if err != nil {
				t.Fatal(err)
			}
			cfg := polytest.Must(configs.Parse(name, data, []string{"worlds=12", "max_steps=9", "workers=2"}, nil))(t)
			report := polytest.Must(Measure(t.Context(), []*configs.Config{cfg}, Options{Duration: 100 * time.Millisecond}))(t)
			r := report.Lines[0]
			if !r.SameState {
				t.Error("the bare loop and the measured pass ended in different states")
			}
			polytest.Equal(t, r.AllocsPerStep, 0, "allocations a step")
			if !r.Recording || r.Workers != 2 || r.Worlds != 12 || r.Task != task {
				t.Errorf("result %+v lacks a description of the measurement", r)
			}
			if !(r.RatioToRaw > 0) || r.EnvStepsPerS <= 0 || r.RawPhysicsStepsPerS <= 0 {
				t.Errorf("result %+v, want positive figures", r)
			}
			// In 100 ms the clock of the quadruped has 52 instants and 5 control steps, that of the cheetah 12 and 2.
			want := map[string]float64{"quadruped": 52. / 5, "HalfCheetah-v5": 12. / 2}[task]
			if math.Abs(r.InstantsPerStep-want) > 0.01 {
				t.Errorf("%v instants a step, want %v", r.InstantsPerStep, want)
			}
			want = map[string]float64{"quadruped": 30. / 50, "HalfCheetah-v5": 30. / 20}[task]
			if math.Abs(r.RowsPerStep-want) > 1e-9 {
				t.Errorf("%v rows a step, want %v", r.RowsPerStep, want)
			}
			t.Logf("%+v", r)
		})
	}
}

// Rounds of many worlds have different ones, and bare loops that begin where these are; the
// last block is smaller than the others, and has none.
func TestManyWorldsTakeTurns(t *testing.T) {
	for _, task := range []string{"InvertedPendulum-v5", "LunarLander-v3"} {
		name, data, err := configs.Preset(task)
		if err != nil {
			t.Fatal(err)
		}
		cfg := polytest.Must(configs.Parse(name, data, []string{"worlds=1650", "max_steps=5", "workers=2",
			"recording.enabled=false"}, nil))(t)
		m := polytest.Must(open(t.Context(), cfg, Options{}))(t)
		for range 5 {
			polytest.NoError(t, m.round(3))
			if m.worlds != 1024 || m.differ {
				t.Fatalf("%s, round %d: of %d worlds, in different states: %t", task, m.rounds, m.worlds, m.differ)
			}
		}
		blocks := m.timedWorlds.Sim().Blocks()
		if first, last := blocks[0].N(), blocks[len(blocks)-1].N(); first < 10 || last != 1 {
			t.Errorf("%s: the first block took %d steps and the last one, of %d worlds, %d; want at least 10 and the one "+
				"before all rounds", task, first, blocks[len(blocks)-1].Len(), last)
		}
		if err := m.close(); err != nil {
			t.Error(err)
		}
	}
}

// Pushes and masses of their own would take the bare loop elsewhere.
func TestEventsThatOneLoopLacksAreLeftOut(t *testing.T) {
	cfg, err := configs.Load("../../../configs/quadruped.yaml", []string{
		"worlds=4", "max_steps=9", "workers=1", "recording.enabled=false",
		`events=[{term: reset_joints_by_offset, position_range: [-0.1, 0.1]},
			{name: push, term: push_by_setting_velocity, mode: interval, interval: [20ms, 40ms], velocity_range: {x: [-1, 1]}},
			{term: body_mass, bodies: [trunk], ranges: [0.5, 2]}]`,
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	r := polytest.Must(Measure(t.Context(), []*configs.Config{cfg}, Options{Duration: 50 * time.Millisecond}))(t).Lines[0]
	polytest.EqualSlices(t, r.WithoutEvents, []string{"push", "body_mass"}, "left out")
	if !r.SameState {
		t.Error("the loops ended in different states")
	}
}
