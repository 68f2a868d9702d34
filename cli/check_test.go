package cli

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/cli/internal/checkup"
)

// started returns a configuration that train new wrote for the built-in quadruped.
func started(t *testing.T) string {
	t.Helper()
	config := filepath.Join(t.TempDir(), "walk.yaml")
	mustTrain(t, "new", "../configs/quadruped.xml", "--out", config)
	return config
}

// check runs train check and returns its report.
func check(t *testing.T, args ...string) checkup.Report {
	t.Helper()
	all := lines[checkup.Report](t, mustTrain(t, append([]string{"check", "--format", "json"}, args...)...))
	if len(all) != 1 {
		t.Fatalf("%d lines, want one", len(all))
	}
	return all[0]
}

// What train new writes passes its check, and the report says what it is.
func TestCheckOfNew(t *testing.T) {
	config := started(t)
	r := check(t, "--config", config)
	if len(r.Warnings) > 0 {
		t.Errorf("warnings %q, want none", r.Warnings)
	}
	if r.Task != "quadruped-velocity" || r.Model == nil || r.Model.Actuators != 12 || len(r.Actions) != 12 ||
		len(r.Groups) != 2 || r.Rates.Control != "50" || r.Rates.Substeps != 10 {
		t.Errorf("the report says %+v", r)
	}
	i := slices.IndexFunc(r.Terms, func(e checkup.SectionEntry) bool {
		return e.Section == "rewards" &&
			e.Name == "track_lin_vel_xy_exp"
	})
	if i < 0 || *r.Terms[i].Weight != 2 || r.Terms[i].ParameterValues["std"] != 0.5 {
		t.Errorf("the terms are %+v", r.Terms)
	}
	if r.Trial.Seconds != 1 || r.Trial.Worlds != 8 || r.Trial.Rest.Episodes > 0 {
		t.Errorf("the trial was %+v", r.Trial)
	}
	text := mustTrain(t, "check", "--config", config)
	says(t, text, "quadruped-velocity", "SECTION", "PHASE", "REWARD PER STEP", "no warnings")
}

// A wrong configuration ends with exit code 2, one that only looks wrong with 0, and a
// built-in task can be checked too.
func TestCheckCodes(t *testing.T) {
	refuses(t, Usage, "check --task quadruped --set sensors.gyro.sources=[sensor/none]", "sensor/none")
	// What run refuses, check refuses, too, in the same words.
	for set, want := range map[string]string{
		"training.symmetry={weight: 1, observation: {swap: [[0, 999]]}}": "swap[0][1] is 999, want 0 to 46",
		"worlds=1048576' --set 'recording.every_world=1":                 "recording.memory_mb is 256, want at least 1238",
	} {
		refuses(t, Usage, "check --task quadruped --set '"+set+"'", want)
		refuses(t, Usage, "run --task quadruped --set '"+set+"'", want)
	}
	r := check(t, "--task", "LunarLander-v3")
	if r.Model != nil || len(r.Terms) > 0 || len(r.Groups) != 1 || r.Trial.Random.Worlds != 4 {
		t.Errorf("the report of a task on Box2D says %+v", r)
	}
}
