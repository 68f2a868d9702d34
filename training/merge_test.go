package training

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/sim"
	"github.com/polyrhythm-rl/polyrhythm/training/internal/runs"
	"github.com/polyrhythm-rl/polyrhythm/training/policies"
	"github.com/polyrhythm-rl/polyrhythm/training/rollouts"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

// rollSlice records a slice, or the whole run, and returns its folder.
func rollSlice(t *testing.T, config *configs.Config, policy string, opt rollouts.RolloutOptions) string {
	t.Helper()
	var err error
	if opt.Policy, err = policies.Open(policy); err != nil {
		t.Fatal(err)
	}
	opt.Folder = filepath.Join(t.TempDir(), "data")
	must(rollouts.Rollout(t.Context(), config, opt))(t)
	return opt.Folder
}

func TestMergeRefusesSlices(t *testing.T) {
	sets := []string{"worlds=6", "block_size=2", "max_steps=5"}
	slice := func(from, to int, more ...string) string {
		return rollSlice(t, parse(t, "Reacher-v5", append(sets, more...)...), policies.Random, rollouts.RolloutOptions{Episodes: 6,
			Slice: sim.Slice{From: from, To: to}})
	}
	a, b, wide := slice(0, 2), slice(2, 6), slice(2, 4)
	seed, zero := slice(2, 6, "seed=2"), rollSlice(t, parse(t, "Reacher-v5", sets...), policies.Zero,
		rollouts.RolloutOptions{Episodes: 6, Slice: sim.Slice{From: 2, To: 6}})
	more := rollSlice(t, parse(t, "Reacher-v5", sets...), policies.Random, rollouts.RolloutOptions{Episodes: 7,
		Slice: sim.Slice{From: 2, To: 6}})
	gamma := slice(2, 6, "recording.batch_rows=77")
	whole := rollSlice(t, parse(t, "Reacher-v5", sets...), policies.Random, rollouts.RolloutOptions{Episodes: 6})
	changed := func(from, old, new string) string {
		to := filepath.Join(t.TempDir(), "data")
		noError(t, os.CopyFS(to, os.DirFS(from)))
		path := filepath.Join(to, rundir.SliceFile)
		text := must(os.ReadFile(path))(t)
		if strings.Count(string(text), old) != 1 {
			t.Fatalf("%s is not once in %s", old, text)
		}
		text = []byte(strings.Replace(string(text), old, new, 1))
		var r runs.SliceRecord
		if json.Unmarshal(text, &r) == nil {
			noError(t, disk.Replace(disk.OS{}, path, false, disk.JSON(r.Signed())))
		} else {
			noError(t, os.WriteFile(path, text, 0o666))
		}
		return to
	}
	stopped, cancel := context.WithCancel(t.Context())
	policy := must(policies.Open(policies.Random))(t)
	unfinished := filepath.Join(t.TempDir(), "data")
	_, err := rollouts.Rollout(stopped, parse(t, "Reacher-v5", append(sets, "recording.memory_mb=1")...),
		rollouts.RolloutOptions{Policy: policy, Episodes: 6, Slice: sim.Slice{From: 2, To: 6}, Folder: unfinished,
			Progress: func(int64, int64, int64) { cancel() }})
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	processor, kernel := changed(b, `"processor": "`, `"processor": "other `), changed(b, `"openblas kernel": "`,
		`"openblas kernel": "other `)
	for _, c := range []struct {
		folders []string
		want    string
		usage   bool
	}{
		{nil, "no slices given, want the folders of all slices of a run", true},
		{[]string{a}, "no slice has the worlds 2:6, want all worlds 0:6", true},
		{[]string{b}, "no slice has the worlds 0:2, want all worlds 0:6", true},
		{[]string{wide, a}, "no slice has the worlds 4:6, want all worlds 0:6", true},
		{[]string{a, b, a}, a + " and " + a + " both have the worlds 0:2, want each world once", true},
		{[]string{a, b, wide}, b + " and " + wide + " both have the worlds 2:4, want each world once", true},
		{[]string{a, whole}, whole + " has no slice.json, want the folder of a slice that is done", true},
		{[]string{a, unfinished}, unfinished + " has no slice.json, want the folder of a slice that is done", true},
		{[]string{a, filepath.Join(a, "none")}, "none has no slice.json", true},
		{[]string{a, seed}, seed + " is not of the run of " + a +
			": it has the seed 2, the other has the seed 1; want slices of one run", true},
		{[]string{a, zero}, "it has the policy zero, the other has the policy random", true},
		{[]string{a, more}, "it has an end after 7 episodes, the other has an end after 6 episodes", true},
		{[]string{a, gamma}, `it has the line "  batch_rows: 77" in its configuration`, true},
		{[]string{a, processor}, "it has processor other ", true},
		{[]string{a, kernel}, "it has openblas kernel other ", true},
		{[]string{a, changed(b, `"polyrhythm": "`, `"polyrhythm": "9.`)}, "it has polyrhythm 9.", true},
		{[]string{a, changed(b, `"from": 2`, `"from": 3`)},
			"slice.json is damaged: the worlds 3:6 of 6 in blocks of 2 are no slice", false},
		{[]string{a, changed(b, `"from": 2`, `"from": `)}, "slice.json is damaged: invalid character", false},
	} {
		out := filepath.Join(t.TempDir(), "merged")
		_, err := rollouts.Merge(t.Context(), c.folders, out, rollouts.MergeOptions{})
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("error %v, want %q", err, c.want)
		}
		polytest.Equal(t, errors.As(err, new(env.ConfigError)), c.usage, "%v: wrong usage", err)
		if left, _ := os.ReadDir(filepath.Dir(out)); len(left) > 0 {
			t.Errorf("%v: it left %v", err, left)
		}
	}
	// A dataset states the version of the program that made it, so that it cannot be of two.
	errorContains(t, errOf(rollouts.Merge(t.Context(), []string{a, changed(b, `"polyrhythm": "`, `"polyrhythm": "9.`)},
		filepath.Join(t.TempDir(), "merged"), rollouts.MergeOptions{Mixed: true})), "it has polyrhythm 9.")
	for _, other := range []string{processor, kernel} {
		if _, err := rollouts.Merge(t.Context(), []string{a, other}, filepath.Join(t.TempDir(), "merged"),
			rollouts.MergeOptions{Mixed: true}); err != nil {
			t.Errorf("mixed: %v", err)
		}
	}
	usageError(t, errOf(rollouts.Merge(t.Context(), []string{a, b}, whole, rollouts.MergeOptions{})), "is not empty")
}

// What a killed merge left is removed by the next one, which makes the same dataset.
func TestMergeAfterAKilledOne(t *testing.T) {
	config := parse(t, "Reacher-v5", "worlds=2", "block_size=1", "max_steps=5")
	var folders []string
	for w := range 2 {
		folders = append(folders, rollSlice(t, config, policies.Random, rollouts.RolloutOptions{Episodes: 4, Slice: sim.Slice{From: w,
			To: w + 1}}))
	}
	want := polytest.Files(t, rollSlice(t, config, policies.Random, rollouts.RolloutOptions{Episodes: 4}))
	out := filepath.Join(t.TempDir(), "merged")
	partial := filepath.Join(filepath.Dir(out), ".merged.partial")
	noError(t, os.MkdirAll(filepath.Join(partial, "episodes"), 0o777))
	for name, half := range map[string]string{"data.journal": "polyrhythm-jour", "polyrhythm.json": `{"format_version": 2, "ta`,
		"data-00000.arrow.part": "\xff\xff\xff\xff half", "episodes/data.journal": "poly"} {
		noError(t, os.WriteFile(filepath.Join(partial, name), []byte(half), 0o666))
	}
	merged := must(rollouts.Merge(t.Context(), folders, out, rollouts.MergeOptions{}))(t)
	polytest.SameFiles(t, "after a killed merge", polytest.Files(t, out), want)
	if merged.Episodes != 4 || merged.Task != "Reacher-v5" || merged.Rows == 0 || merged.Bytes == 0 {
		t.Errorf("merged %+v", merged)
	}
	if _, err := os.Stat(partial); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s is still there: %v", partial, err)
	}
}

// Where slices have logs and the merged run has none, Merge says why.
func TestMergeSaysWhyThereIsNoLog(t *testing.T) {
	config := parse(t, "Reacher-v5", "worlds=2", "block_size=1", "max_steps=5")
	for _, c := range []struct {
		name     string
		end      rollouts.RolloutOptions
		logEvery [2]int64
		want     string
	}{
		{"the same", rollouts.RolloutOptions{Seconds: big.NewRat(1, 2)}, [2]int64{3, 3}, ""},
		{"without logs", rollouts.RolloutOptions{Seconds: big.NewRat(1, 2)}, [2]int64{}, ""},
		{"every 3 and every 4 steps", rollouts.RolloutOptions{Seconds: big.NewRat(1, 2)}, [2]int64{3, 4}, "--log-every"},
		{"one without", rollouts.RolloutOptions{Seconds: big.NewRat(1, 2)}, [2]int64{3, 0}, "has none"},
		{"an end in episodes", rollouts.RolloutOptions{Episodes: 4}, [2]int64{3, 3}, "ends after episodes"},
	} {
		var folders []string
		for w, every := range c.logEvery {
			opt := c.end
			opt.Slice, opt.LogEvery = sim.Slice{From: w, To: w + 1}, every
			folders = append(folders, rollSlice(t, config, policies.Random, opt))
		}
		out := filepath.Join(t.TempDir(), "merged")
		merged, err := rollouts.Merge(t.Context(), folders, out, rollouts.MergeOptions{})
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		_, missing := os.Stat(filepath.Join(out, rundir.LogFile))
		if (merged.NoLog == "") != (c.want == "") || !strings.Contains(merged.NoLog, c.want) || c.want != "" &&
			missing == nil {
			t.Errorf("%s: no log since %q, want %q; its file: %v", c.name, merged.NoLog, c.want, missing)
		}
	}
}

// A slice with a log is replayed by itself.
func TestReplayOfASlice(t *testing.T) {
	folder := rollSlice(t, parse(t, "Reacher-v5", "worlds=6", "block_size=2", "max_steps=9"), policies.Random,
		rollouts.RolloutOptions{Episodes: 13, Slice: sim.Slice{From: 2, To: 6}, LogEvery: 1})
	if r, err := Replay(t.Context(), folder, ReplayOptions{}); err != nil || r.Worlds != 4 || r.Steps == 0 {
		t.Errorf("replayed %+v, %v", r, err)
	}
}

func TestEpisodesOfSlices(t *testing.T) {
	for _, episodes := range []int64{0, 1, 4, 5, 11, 12, 30} {
		total := int64(0)
		for _, s := range []sim.Slice{{From: 0, To: 2}, {From: 2, To: 3}, {From: 3, To: 5}} {
			want := int64(0)
			for e := range episodes {
				if w := int(e % 5); w >= s.From && w < s.To {
					want++
				}
			}
			got := runs.EpisodeCount(s, 5, episodes)
			if total += got; got != want {
				t.Errorf("slice %v of 5 worlds has %d of %d episodes, want %d", s, got, episodes, want)
			}
		}
		if total != episodes || runs.EpisodeCount(sim.Slice{}, 5, episodes) != episodes {
			t.Errorf("%d episodes in all slices, want %d", total, episodes)
		}
	}
}

// The labels of slices go to the merged dataset: those of all episodes of each slice as they are, of one slice's as
// labels of each, and episodes have the words and the success that they had.
func TestMergeKeepsLabels(t *testing.T) {
	yes, no := true, false
	var folders []string
	var parts []*recorder.Dataset
	for _, slice := range []sim.Slice{{From: 0, To: 2}, {From: 2, To: 4}} {
		folder := rollSlice(t, parse(t, "Reacher-v5", "worlds=4", "block_size=2", "max_steps=5"), policies.Zero,
			rollouts.RolloutOptions{Episodes: 6, Slice: slice})
		folders, parts = append(folders, folder), append(parts, must(recorder.Open(folder))(t))
	}
	merge := func() *recorder.Dataset {
		merged := filepath.Join(t.TempDir(), "merged")
		must(rollouts.Merge(t.Context(), folders, merged, rollouts.MergeOptions{}))(t)
		return must(recorder.Open(merged))(t)
	}
	if _, err := os.Stat(filepath.Join(merge().Dir(), recorder.LabelsFile)); err == nil {
		t.Error("a merged dataset without labels has a file of them")
	}
	numbers := make([][]int64, len(parts))
	for i, d := range parts {
		for e, err := range d.Episodes() {
			noError(t, err)
			numbers[i] = append(numbers[i], e.Number)
		}
		labels := &recorder.Labels{List: []recorder.Label{{Task: "walk"}, {Task: "run", FromNS: 5}}}
		if i == 0 {
			labels.Add(recorder.Label{Success: &yes})
			labels.Add(recorder.Label{Episode: &numbers[0][0], Success: &no})
		} else {
			labels.Add(recorder.Label{Episode: &numbers[1][0], Task: "turn", FromNS: 7})
		}
		noError(t, labels.Write(d))
	}
	if len(numbers[0]) < 2 || len(numbers[1]) < 1 {
		t.Fatalf("episodes %v, want more", numbers)
	}
	got := must(merge().Labels())(t)
	for i, d := range parts {
		want := must(d.Labels())(t)
		for _, n := range numbers[i] {
			for _, ns := range []int64{0, 6, 8} {
				polytest.Equal(t, got.Task(n, ns), want.Task(n, ns), "episode %d at %d ns: the task", n, ns)
			}
			a, b := got.Success(n, nil), want.Success(n, nil)
			if (a == nil) != (b == nil) || a != nil && *a != *b {
				t.Errorf("episode %d: success %v, want %v", n, a, b)
			}
		}
	}
	if l := got.List[:2]; l[0].Episode != nil || l[1].Episode != nil || got.List[2].Episode == nil {
		t.Errorf("labels %+v, want two of all episodes", got.List)
	}
}
