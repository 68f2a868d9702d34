package demonstrations_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/recorder/demonstrations"
	"github.com/polyrhythm-rl/polyrhythm/recorder/export"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
	"github.com/polyrhythm-rl/polyrhythm/training/policies"
	"github.com/polyrhythm-rl/polyrhythm/training/rollouts"
)

// record records random actions in a task, and exports them.
func record(t *testing.T, task string, sets ...string) (home string) {
	t.Helper()
	home = t.TempDir()
	name, preset, err := env.Preset(task)
	polytest.NoError(t, err)
	c := polytest.Must(configs.Parse(name, preset, append([]string{"worlds=3", "max_steps=12",
		"recording.tables=[capture, control]"}, sets...), nil))(t)
	d := rollout(t, c, home)
	exportTo(t, d, filepath.Join(home, "lerobot"), "control")
	return home
}

// rollout records random actions.
func rollout(t *testing.T, c *configs.Config, home string) *recorder.Dataset {
	t.Helper()
	random := polytest.Must(policies.Open(policies.Random))(t)
	folder := filepath.Join(home, "polyrhythm")
	if _, err := rollouts.Rollout(t.Context(), c, rollouts.RolloutOptions{Policy: random, Episodes: 7,
		Folder: folder}); err != nil && strings.Contains(err.Error(), "libembree3-3") {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	return polytest.Must(recorder.Open(folder))(t)
}

func exportTo(t *testing.T, d *recorder.Dataset, folder string, tables ...string) export.Result {
	t.Helper()
	lerobot := polytest.Must(export.FormatOf("lerobot"))(t)
	return polytest.Must(export.Export(t.Context(), d, lerobot, folder, export.Options{Tables: tables}))(t)
}

type row struct {
	episode             int64
	observation, action []float64
}

// rowsOf reads all rows with all pictures.
func rowsOf(s *demonstrations.Set) (rows []row, err error) {
	var pictures []format.Column
	for _, p := range s.Pictures {
		kind := physics.Depth
		if p.Channels == 3 {
			kind = physics.RGB
		}
		pictures = append(pictures, format.PictureColumn(p.Name, kind, min(p.Width, 64), min(p.Height, 64)))
	}
	err = s.Each(context.Background(), pictures, func(r demonstrations.Row) error {
		rows = append(rows, row{r.Episode, slices.Clone(r.Observation), slices.Clone(r.Action)})
		return nil
	}, map[int64]demonstrations.End{})
	return rows, err
}

// An export to LeRobot has what was recorded, as float32.
func TestLeRobotHasTheSameRows(t *testing.T) {
	for task, choices := range map[string]int{"quadruped": 0, "LunarLander-v3": 4} {
		home := record(t, task)
		own := polytest.Must(demonstrations.Open(filepath.Join(home, "polyrhythm")))(t)
		want := polytest.Must(rowsOf(own))(t)
		if len(want) != int(own.Rows) || own.Action.Choices != choices {
			t.Fatalf("%s: %d rows, want %d; %d choices", task, len(want), own.Rows, own.Action.Choices)
		}
		byEpisode := func(a, b row) int { return int(a.episode - b.episode) }
		slices.SortStableFunc(want, byEpisode)
		s := polytest.Must(demonstrations.Open(filepath.Join(home, "lerobot")))(t)
		if s.Format != "lerobot" || s.Configuration != own.Configuration || s.Observation.Len != own.Observation.Len ||
			s.Action.Len != own.Action.Len || s.Action.Choices >= 0 || s.Rows != own.Rows || s.Digest == own.Digest {
			t.Errorf("%+v, want that of %+v", s, own)
		}
		if task == "quadruped" && !slices.Equal(s.Observation.Names, own.Observation.Names) {
			t.Errorf("it names %q, want %q", s.Observation.Names, own.Observation.Names)
		}
		got := polytest.Must(rowsOf(s))(t)
		slices.SortStableFunc(got, byEpisode)
		if len(got) != len(want) {
			t.Fatalf("%d rows, want %d", len(got), len(want))
		}
		for i := range want {
			for _, values := range [][]float64{want[i].observation, want[i].action} {
				for k, v := range values {
					values[k] = float64(float32(v))
				}
			}
			if !reflect.DeepEqual(got[i], want[i]) {
				t.Fatalf("row %d is %v, want %v", i, got[i], want[i])
			}
		}
	}
}

// An export to LeRobot gives a policy what that of the task sees: not what only its critic does, and pictures once. It is
// of the table control, unless only capture has pictures; then an export of control says so. All are read with the critic's
// values.
func TestLeRobotIsForThePolicy(t *testing.T) {
	home := t.TempDir()
	record := func(name string, sets ...string) *recorder.Dataset {
		c := polytest.Must(configs.Load("../../configs/described/gantry_camera.yaml", append([]string{"worlds=2", "max_steps=6",
			"sensors.above.camera={width: 4, height: 3}", "training.convolutions=[]", "runners.Capture.rate=25",
			"recording={enabled: true, tables: [capture, control]}"}, sets...), nil))(t)
		return rollout(t, c, filepath.Join(home, name))
	}
	sees, blind := record("data"), record("data of the blind", "observations.policy=[{term: joint_pos_rel, joints: [head_.*], scale: 10}, {term: joint_vel_rel, joints: [head_.*]}]")
	for _, c := range []struct {
		name, table string
		d           *recorder.Dataset
		rows        int64 // per second
		hasPictures bool
	}{
		{"sees", "", sees, 20, true}, {"of control", "control", sees, 20, true}, {"of capture", "capture", sees, 25, true},
		{"blind", "", blind, 25, true}, {"blind, of control", "control", blind, 20, false},
	} {
		d, table, folder := c.d, c.table, filepath.Join(home, c.name)
		tables := []string{table}
		if table == "" {
			tables = nil
		}
		result := exportTo(t, d, folder, tables...)
		var info struct {
			Rate     int64 `json:"fps"`
			Features map[string]struct {
				Type  string   `json:"dtype"`
				Names []string `json:"names"`
			} `json:"features"`
		}
		polytest.NoError(t, json.Unmarshal(polytest.Must(os.ReadFile(filepath.Join(folder, "meta", "info.json")))(t), &info))
		polytest.Equal(t, info.Rate, c.rows, "%s: frames per second", c.name)
		joints := []string{"head_x_pos", "head_y_pos", "head_x_vel", "head_y_vel"}
		polytest.EqualSlices(t, info.Features["observation.state"].Names, joints, "observation.state")
		critic := []string{"critic/head_x_pos", "critic/head_y_pos", "critic/head_x_vel", "critic/head_y_vel",
			"critic/part[0]", "critic/part[1]"}
		polytest.EqualSlices(t, info.Features["privileged.critic"].Names, critic, "privileged.critic")
		if picture := info.Features["observation.images.above_depth"].Type; (picture == "image") != c.hasPictures ||
			(len(result.Pictures) > 0) == c.hasPictures {
			t.Errorf("%s: pictures are %q, left out are those of %q", c.name, picture, result.Pictures)
		}
		s := polytest.Must(demonstrations.Open(folder))(t)
		polytest.EqualSlices(t, s.Observation.Names, slices.Concat(joints, critic), "names that are read")
		for i, r := range polytest.Must(rowsOf(s))(t) {
			if len(r.observation) != 10 || r.observation[0] != r.observation[4] || r.observation[2] != r.observation[6] {
				t.Fatalf("row %d is %v, want the joints twice", i, r.observation)
			}
		}
	}
}

// An export to Minari has in observations what the policy of the task sees, as its space says, and in infos what only
// its critic does: together what was observed at each step, and after the last.
func TestMinariIsForThePolicy(t *testing.T) {
	home := t.TempDir()
	c := polytest.Must(configs.Load("../../configs/described/gantry_camera.yaml", []string{"worlds=2", "max_steps=6",
		"sensors.above.camera={width: 4, height: 3}", "training.convolutions=[]", "runners.Capture.rate=25",
		"recording={enabled: true, tables: [capture, control]}"}, nil))(t)
	d := rollout(t, c, home)
	minari := polytest.Must(export.FormatOf("minari"))(t)
	for name, pictures := range map[string]bool{"with-v0": true, "without-v0": false} {
		data := filepath.Join(home, name, "data")
		opt := export.Options{}
		if !pictures {
			opt.Tables = []string{"control"}
		}
		polytest.Must(export.Export(t.Context(), d, minari, filepath.Dir(data), opt))(t)
		about := polytest.Must(os.ReadFile(filepath.Join(data, "metadata.json")))(t)
		if box := `\"Box\", \"dtype\": \"float64\", \"shape\": [16], \"low\": [`; !strings.Contains(
			string(about), box) {
			t.Errorf("%s: the spaces are %s", name, about)
		}
		want := map[int64][]row{}
		own := polytest.Must(demonstrations.Open(filepath.Join(home, "polyrhythm")))(t)
		for _, r := range polytest.Must(rowsOf(own))(t) {
			want[r.episode] = append(want[r.episode], r)
		}
		for episode := range int64(len(want)) {
			f := polytest.Must(os.Open(filepath.Join(data, fmt.Sprint(episode), "part-0.arrow")))(t)
			defer f.Close()
			record := polytest.Must(polytest.Must(ipc.NewFileReader(f))(t).Record(0))(t)
			infos := record.Column(record.Schema().FieldIndices("infos")[0]).(*array.Struct)
			names := []string{}
			for _, f := range infos.DataType().(*arrow.StructType).Fields() {
				names = append(names, f.Name)
			}
			shown := []string{"privileged.critic"}
			if pictures {
				shown = append(shown, "above_depth", "above_depth_stamp_ns")
			}
			polytest.EqualSlices(t, names, shown, "infos")
			policy := record.Column(0).(*array.FixedSizeList).ListValues().(*array.Float64).Float64Values()
			critic := infos.Field(0).(*array.FixedSizeList).ListValues().(*array.Float64).Float64Values()
			polytest.Equal(t, int(record.NumRows()), len(want[episode])+1, "observations")
			for k, r := range want[episode] {
				polytest.EqualSlices(t, slices.Concat(policy[16*k:16*k+16], critic[6*k:6*k+6]), r.observation, "observation")
			}
			last := slices.Concat(policy[len(policy)-16:], critic[len(critic)-6:])
			if final := last[:2]; final[0] != last[16] || final[1] != last[17] || final[0] == 0 {
				t.Errorf("the last observation is %v, want the places of the joints twice", last)
			}
		}
	}
}

// rewardsOf returns what each row earned, NaN where that or what followed is not known, and which ended an episode.
func rewardsOf(t *testing.T, s *demonstrations.Set) (earned map[int64][]float64, over map[int64]bool) {
	t.Helper()
	earned, over = map[int64][]float64{}, map[int64]bool{}
	ends := map[int64]demonstrations.End{}
	polytest.NoError(t, s.Each(context.Background(), nil, func(r demonstrations.Row) error {
		rows := earned[r.Episode]
		if r.Follows {
			rows[len(rows)-1] = r.Earned
		}
		earned[r.Episode] = append(rows, math.NaN())
		return nil
	}, ends))
	for episode, end := range ends {
		if rows := earned[episode]; end.Over {
			rows[len(rows)-1], over[episode] = end.Earned, true
		}
	}
	return earned, over
}

// The rewards of an episode that was terminated sum up to its return; of one that was cut off, all are known but the
// last. An export to LeRobot has the same.
func TestRewards(t *testing.T) {
	home := record(t, "LunarLander-v3", "max_steps=90")
	folder := filepath.Join(home, "polyrhythm")
	own := polytest.Must(demonstrations.Open(folder))(t)
	earned, over := rewardsOf(t, own)
	other := polytest.Must(demonstrations.Open(filepath.Join(home, "lerobot")))(t)
	again, ended := rewardsOf(t, other)
	if !own.Rewarded || !other.Rewarded || !maps.Equal(over, ended) {
		t.Errorf("over are %v, in LeRobot's format %v; rewards %v and %v", over, ended, own.Rewarded, other.Rewarded)
	}
	terminated, truncated := 0, 0
	for e, err := range polytest.Must(recorder.Open(folder))(t).Episodes() {
		polytest.NoError(t, err)
		rows := earned[e.Number]
		sum, unknown := 0.0, 0
		for i, v := range rows {
			if math.IsNaN(v) {
				unknown++
				continue
			}
			sum += v
			if got := again[e.Number][i]; got != float64(float32(v)) {
				t.Errorf("row %d of episode %d earned %g, in LeRobot's format %g", i, e.Number, v, got)
			}
		}
		switch {
		case e.Terminated:
			terminated++
			if unknown != 0 || !over[e.Number] || math.Abs(sum-e.Return) > 1e-9*(1+math.Abs(e.Return)) {
				t.Errorf("the rewards of episode %d sum up to %g, %d unknown, want %g", e.Number, sum, unknown, e.Return)
			}
		default:
			truncated++
			if unknown != 1 || !math.IsNaN(rows[len(rows)-1]) || over[e.Number] {
				t.Errorf("of episode %d, which was cut off, %d rewards are unknown, want that of its last row", e.Number,
					unknown)
			}
		}
	}
	if terminated == 0 || truncated == 0 {
		t.Errorf("%d episodes were terminated, %d cut off, want some of each", terminated, truncated)
	}
}

// Files that are cut, or of which bytes have changed, are errors or other rows, never a crash.
func TestDamagedDemonstrations(t *testing.T) {
	t.Run("values", func(t *testing.T) { damage(t, record(t, "LunarLander-v3")) })
	t.Run("pictures", func(t *testing.T) {
		home := t.TempDir()
		exportTo(t, rollout(t, polytest.Must(configs.Load("../../configs/described/gantry.yaml", []string{"worlds=3", "max_steps=12",
			"sensors=[{name: above, runner: Robot, camera: {name: above, width: 8, height: 6, kinds: [rgb, segmentation]}}]",
			"observations={policy: [{term: joint_pos_rel, joints: [head_.*]}, {term: sensor, channel: above}]}",
			"recording={enabled: true, tables: [capture, control]}"}, nil))(t), home), filepath.Join(home, "lerobot"))
		damage(t, home)
	})
}

func damage(t *testing.T, home string) {
	t.Helper()
	r, damaged := rand.New(rand.NewPCG(3, 4)), 0
	for _, file := range []string{"lerobot/meta/info.json", "lerobot/data/chunk-000/file-000.parquet"} {
		path := filepath.Join(home, file)
		whole := polytest.Must(os.ReadFile(path))(t)
		for i := range 300 {
			text := slices.Clone(whole)
			if i%3 == 0 {
				text = text[:r.IntN(len(text))]
			} else {
				text[r.IntN(len(text))] ^= byte(1 << r.IntN(8))
			}
			polytest.NoError(t, os.WriteFile(path, text, 0o666))
			s, err := demonstrations.Open(filepath.Join(home, "lerobot"))
			if err == nil {
				_, err = rowsOf(s)
			}
			if err != nil {
				damaged++
			}
		}
		polytest.NoError(t, os.WriteFile(path, whole, 0o666))
	}
	if damaged < 120 {
		t.Errorf("%d of 600 damages were noticed, want most", damaged)
	}
	polytest.ErrorContains(t, polytest.Err(demonstrations.Open(home)), "is no dataset: want polyrhythm.json, or")
}

func Example() {
	s, err := demonstrations.Open("lerobot/pusht")
	if err != nil {
		fmt.Println("no such dataset")
		return
	}
	_ = s.Each(context.Background(), nil, func(r demonstrations.Row) error {
		fmt.Println(r.Episode, r.Observation, r.Action)
		return nil
	}, map[int64]demonstrations.End{})
	// Output: no such dataset
}
