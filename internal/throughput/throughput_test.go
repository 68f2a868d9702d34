package throughput

import (
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
