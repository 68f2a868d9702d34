package cli

import (
	"encoding/json"
	"image/gif"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
)

// The worst episodes of an evaluation are recorded and drawn: the dataset is of the same episodes, has rows of the worst
// alone, with the terms of their rewards, and can be made again.
func TestEvalWorst(t *testing.T) {
	t.Chdir(t.TempDir())
	args := []string{"eval", "builtin:quadruped", "--episodes", "7", "--set", "worlds=3", "--set", "max_steps=60", "--format", "json",
		"--set", "events.push={mode: interval, term: push_by_setting_velocity, interval: [300ms, 500ms], velocity_range: {x: [-3, 3], y: [-3, 3]}}"}
	var r worstReport
	polytest.NoError(t, json.Unmarshal([]byte(mustTrain(t, append(args, "--worst", "3", "--out", "worst")...)), &r))
	var plain worstReport
	polytest.NoError(t, json.Unmarshal([]byte(mustTrain(t, args...)), &plain))
	polytest.Equal(t, r.MeanReturn, plain.MeanReturn, "the mean return, and that without --worst")

	d := polytest.Must(recorder.Open("worst"))(t)
	var all []recorder.Episode
	sum := 0.0
	for e, err := range d.Episodes() {
		polytest.NoError(t, err)
		if e.Complete {
			all = append(all, e)
			sum += e.Return
		}
	}
	if got := sum / float64(len(all)); len(all) != 7 || math.Abs(got-r.MeanReturn) > 1e-9*math.Abs(got) {
		t.Errorf("%d episodes with the mean return %v, want the 7 of the evaluation with %v", len(all), got, r.MeanReturn)
	}
	slices.SortFunc(all, func(a, b recorder.Episode) int {
		if a.Return < b.Return {
			return -1
		}
		return 1
	})
	rows := map[int64]bool{}
	for row, err := range d.EachRow(format.ControlTable) {
		polytest.NoError(t, err)
		if rows[row.Int("episode")] = true; row.Int("reward_steps") == 1 && row.Floats(format.InfoColumn) == nil {
			t.Fatal("a step has no infos")
		}
	}
	if len(r.Worst) != 3 || len(rows) != 3 {
		t.Fatalf("%+v are the worst, and %d episodes have rows, want 3", r.Worst, len(rows))
	}
	for i, e := range r.Worst {
		if want := all[i]; e.Number != want.Number || e.Return != want.Return || e.Steps != want.Steps || !rows[e.Number] ||
			e.World != int(want.World) || e.Terminated != want.Terminated {
			t.Errorf("the worst but %d is %+v, want %+v", i, e, want)
		}
		f := polytest.Must(os.Open(e.Clip))(t)
		if g, err := gif.DecodeAll(f); err != nil || len(g.Image) < 2 {
			t.Errorf("its clip: %v", err)
		}
		f.Close()
	}
	says(t, mustTrain(t, "regenerate", "worst", "--out", "again"), "identical")
	says(t, mustTrain(t, "rm", "worst"), "removed worst")
	if left, _ := filepath.Glob("worst/*"); len(left) > 0 {
		t.Errorf("%q are left", left)
	}
	for flags, want := range map[string]string{
		"--worst 8 --out x": "--worst is 8, want 1 to 7, the number of episodes",
		"--worst 0 --out x": "--worst is 0, want 1 to 7, the number of episodes",
		"--worst 2":         "--worst is given without --out, want both",
		"--out x":           "--out is given without --worst, want both",
	} {
		refuses(t, Usage, "eval builtin:quadruped --episodes 7 "+flags, want)
	}
	refuses(t, Usage, "eval builtin:quadruped --episodes 7 --worst 2 --out again", "again is not empty, want a new or an empty folder")
}
