package cli

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

// The policies that come with the program do what they have learned, wherever a run or a policy is wanted.
func TestPoliciesOfTheProgram(t *testing.T) {
	// About half of what the evaluation of the training said.
	least := map[string]float64{"quadruped": 900, "halfcheetah": 3000, "lunarlander": 120, "gantry": 13}
	for _, p := range configs.Policies() {
		t.Run(p.Name, func(t *testing.T) {
			checkpoint := polytest.Must(rundir.ReadCheckpoint(configs.Builtin + p.Name))(t)
			c := polytest.Must(configs.Parse(p.Name, []byte(checkpoint.User), nil, nil))(t)
			for _, m := range c.Scene.Models {
				if !strings.HasPrefix(m.File, configs.Builtin) {
					t.Errorf("its model is %s, which other machines do not have", m.File)
				}
			}
			var result rundir.Evaluation
			out := mustTrain(t, "eval", configs.Builtin+p.Name, "--episodes", "8", "--format", "json")
			polytest.NoError(t, json.Unmarshal([]byte(out), &result))
			if want, ok := least[p.Name]; !ok || result.MeanReturn < want {
				t.Errorf("the mean return is %.1f, want at least %.1f (%v)", result.MeanReturn, want, ok)
			}
			out = mustTrain(t, "demo", p.Name, "--episodes", "1", "--mode", "sim_high_performance")
			says(t, out, "1 episode")
		})
	}
	out := mustTrain(t, "demo", "--list")
	for _, p := range configs.Policies() {
		says(t, out, p.Name+" ", p.About)
	}
	var listed []struct{ Name, About string }
	polytest.NoError(t, json.Unmarshal([]byte(mustTrain(t, "demo", "--list", "--format", "json")), &listed))
	for i, p := range configs.Policies() {
		if len(listed) != len(configs.Policies()) || listed[i].Name != p.Name || listed[i].About != p.About {
			t.Errorf("as JSON there are %+v, want %+v", listed, configs.Policies())
		}
	}
	refuses(t, Usage, "demo walker", `no trained policy "walker" comes with the program, want one of quadruped, `)
	refuses(t, Usage, "demo quadruped --task Ant-v5", "--task is given with builtin:quadruped, want it without")
	refuses(t, Usage, "eval builtin:walker", `no trained policy "walker" comes`)
	refuses(t, Usage, "rollout --task Ant-v5 --policy builtin:quadruped --episodes 1 --out x", "policy builtin:quadruped: ")

	// What it drives replays: the run keeps a copy.
	run := filepath.Join(t.TempDir(), "run")
	mustTrain(t, "rollout", "--task", "LunarLander-v3", "--policy", "builtin:lunarlander", "--episodes", "1", "--out", run)
	says(t, mustTrain(t, "replay", run), "identical")
	contents := polytest.Must(configs.Policy("lunarlander"))(t)
	if got := polytest.Files(t, run)[rundir.DriverFile]; !bytes.Equal([]byte(got), contents) {
		t.Errorf("the run keeps a policy of %d bytes, want the %d of the program's", len(got), len(contents))
	}
}

// Without arguments the page is served, at a port that is free.
func TestDemoServesThePage(t *testing.T) {
	code, _, errs := train(t, "demo", "--seconds", "0.1", "--listen", "127.0.0.1:0")
	if code != Done || !strings.Contains(errs, "watch and steer it at http://127.0.0.1:") {
		t.Errorf("exit %d: %s", code, errs)
	}
}
