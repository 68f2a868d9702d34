package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	polytest.NoError(t, os.WriteFile(path, []byte(text), 0o666))
}

// A scripted rollout takes exactly the script's actions at its times, ends every episode with the script, and replays.
func TestScriptedRollout(t *testing.T) {
	for _, autoreset := range []string{"same_step", "next_step"} {
		t.Run(autoreset, func(t *testing.T) {
			dir := t.TempDir()
			path, out := filepath.Join(dir, "wave.csv"), filepath.Join(dir, "out")
			write(t, path,
				"t,action[0],action[1],action[2],action[3],action[4],action[5]\n0,0.5,0,0,0,0,0\n"+
					"0.1,-0.25,1,0,0,0,0\n0.3,0,0,0,0,0,0.125\n")
			// Steps 0 to 1, 2 to 5, and 6.
			mustTrain(t, "rollout", "--task", "HalfCheetah-v5", "--set", "worlds=3", "--set", "autoreset="+autoreset,
				"--set", "recording.tables=[capture,control]", "--policy", path, "--episodes", "7", "--out", out)
			d := polytest.Must(recorder.Open(out))(t)
			rows := 0
			for record, err := range d.Batches(format.ControlTable) {
				if err != nil {
					t.Fatal(err)
				}
				times := record.Column(record.Schema().FieldIndices("t_ns")[0]).(*array.Int64)
				list := record.Column(record.Schema().FieldIndices("action")[0]).(*array.FixedSizeList)
				actions := list.ListValues().(*array.Float32)
				for i := range times.Len() {
					rows++
					want := []float32{0, 0, 0, 0, 0, 0.125}
					switch step := times.Value(i) / 50_000_000; {
					case step < 2:
						want = []float32{0.5, 0, 0, 0, 0, 0}
					case step < 6:
						want = []float32{-0.25, 1, 0, 0, 0, 0}
					case step > 6:
						t.Errorf("a row at %d ns, after the end of the script", times.Value(i))
					}
					polytest.EqualSlices(t, actions.Float32Values()[6*i:6*i+6], want,
						"at %d ns the action", times.Value(i))
				}
			}
			polytest.Equal(t, rows, 7*7, "rows")
			mustTrain(t, "replay", out)
		})
	}
}

func TestScriptThatDoesNotFit(t *testing.T) {
	for text, want := range map[string]string{
		"action[0]\n1\n": "it has 1 columns of actions, want action[0], action[1], action[2], action[3], " +
			"action[4], action[5] for HalfCheetah-v5",
		"a\a,b,c,d,e,f\n0,0,0,0,0,0\n": `it has the columns ["a\a" "b" "c" "d" "e" "f"]` +
			`, want action[0], action[1], action[2], action[3], action[4], action[5] for HalfCheetah-v5`,
		"t,action[0]\n0.01,1\n": "the first action is at 1/100 s",
	} {
		path := filepath.Join(t.TempDir(), "script.csv")
		write(t, path, text)
		out := filepath.Join(t.TempDir(), "out")
		code, _, errs := train(t, "rollout", "--task", "HalfCheetah-v5", "--policy", path, "--episodes", "1", "--out", out)
		if code == Done || !strings.Contains(errs, want) {
			t.Errorf("%q: exit %d, %s; want %q", text, code, errs, want)
		}
		if left, _ := os.ReadDir(out); len(left) > 0 {
			t.Errorf("%q: left %v behind", text, left)
		}
	}
}

// --seconds is exact: every world takes the same number of control steps, whenever its episodes end, and the
// last episodes are marked as cut off. Any number of workers writes the same bytes.
func TestRolloutOfSeconds(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct{ workers, mode string }{{"1", "sim_high_performance"}, {"2", "sim_high_performance"},
		{"2", "sim_realtime"}} {
		out := filepath.Join(dir, c.workers+c.mode)
		mustTrain(t, "rollout", "--task", "quadruped", "--set", "worlds=3", "--set", "max_steps=30", "--workers", c.workers,
			"--set", "recording.tables=[capture, control]", "--set", "time.mode="+c.mode, "--seconds", "1.499", "--out", out)
		d := polytest.Must(recorder.Open(out))(t)
		steps, cut := map[int32]int64{}, 0
		for e, err := range d.Episodes() {
			if err != nil {
				t.Fatal(err)
			}
			steps[e.World] += e.Steps
			if !e.Complete {
				cut++
			}
		}
		for world := range int32(3) {
			if steps[world] != 75 {
				t.Errorf("%+v: world %d took %d steps, want 75", c, world, steps[world])
			}
		}
		if cut == 0 {
			t.Errorf("%+v: no episode was cut off", c)
		}
		if output := mustTrain(t, "replay", out); !strings.HasPrefix(output, "identical, 75 steps") {
			t.Errorf("%+v: replay: %s", c, output)
		}
	}
	one, two := polytest.Files(t, filepath.Join(dir, "1sim_high_performance")),
		polytest.Files(t, filepath.Join(dir, "2sim_high_performance"))
	for _, name := range []string{"data-00000-of-00001.arrow", "control/data-00000-of-00001.arrow",
		"episodes/data-00000-of-00001.arrow"} {
		if one[name] == "" || one[name] != two[name] {
			t.Errorf("%s: one and two workers write other bytes, or none", name)
		}
	}
}

func TestRolloutLengthErrors(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	for _, c := range []struct{ args, want string }{
		{"--seconds 0", ", want a number above 0, at most 9000000000"},
		{"--seconds -1", ", want a number above 0, at most 9000000000"},
		{"--seconds x", ", want a number above 0, at most 9000000000"},
		{"--seconds 1e30", ", want a number above 0, at most 9000000000"},
		{"--seconds 1 --episodes 1", "--episodes and --seconds are given, want one of them"},
		{"--episodes 0", "--episodes is 0, want at least 1"},
		{"", "want --episodes N or --seconds S"},
	} {
		refuses(t, Usage, "rollout --task quadruped --out "+out+" "+c.args, c.want)
	}
}
