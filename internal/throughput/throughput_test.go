package throughput

import (
	"slices"
	"testing"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/configs"
)

// The three passes must do the same work, else the ratio says nothing.
func TestBothLoopsDoTheSameWork(t *testing.T) {
	for _, task := range []string{"quadruped", "HalfCheetah-v5"} {
		t.Run(task, func(t *testing.T) {
			name, data, err := configs.Preset(task)
			if err != nil {
				t.Fatal(err)
			}
			cfg, err := configs.Parse(name, data, []string{"worlds=12", "max_steps=9"}, nil)
			if err != nil {
				t.Fatal(err)
			}
			r, err := Measure(t.Context(), cfg, Settings{Workers: 2, Duration: 100 * time.Millisecond, Record: true}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if !r.SameState {
				t.Error("the bare loop and the measured pass ended in different states")
			}
			if r.AllocsPerStep != 0 {
				t.Errorf("%v allocations a step, want 0", r.AllocsPerStep)
			}
			if !r.Recording || r.Workers != 2 || r.Worlds != 12 || r.Task != task {
				t.Errorf("result %+v lacks a description of the measurement", r)
			}
			if !(r.RatioToRaw > 0) || r.EnvStepsPerS <= 0 || r.RawPhysicsStepsPerS <= 0 {
				t.Errorf("result %+v, want positive figures", r)
			}
			t.Logf("%+v", r)
		})
	}
}

// Pushes and masses of their own would take the bare loop elsewhere.
func TestEventsThatOneLoopLacksAreLeftOut(t *testing.T) {
	cfg, err := configs.Load("../../configs/described/quadruped.yaml", []string{
		"worlds=4", "max_steps=9",
		`events=[{term: reset_joints_by_offset, position_range: [-0.1, 0.1]},
			{name: push, term: push_by_setting_velocity, mode: interval, interval: [20ms, 40ms], velocity_range: {x: [-1, 1]}},
			{term: body_mass, bodies: [trunk], ranges: [0.5, 2]}]`,
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Measure(t.Context(), cfg, Settings{Workers: 1, Duration: 50 * time.Millisecond}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"push", "body_mass"}; !slices.Equal(r.WithoutEvents, want) {
		t.Errorf("left out are %q, want %q", r.WithoutEvents, want)
	}
	if !r.SameState {
		t.Error("the loops ended in different states")
	}
}
