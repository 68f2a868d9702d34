package env

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/configs"
)

// Every task has a configuration by its name alone, that opens and steps.
func TestTaskConfigOfEveryTask(t *testing.T) {
	for _, name := range TaskNames() {
		t.Run(name, func(t *testing.T) {
			c, err := TaskConfig(name, nil)
			if err != nil {
				t.Fatal(err)
			}
			if c.Recording.Enabled {
				t.Error("it would be recorded")
			}
			c.Worlds = 1
			e, err := Open(&c, OpenOptions{Workers: 1})
			if err != nil {
				t.Fatal(err)
			}
			if err := e.Sim().Step(); err != nil {
				t.Error(err)
			}
			if err := e.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestTaskConfigFollowsFrameSkipAndModel(t *testing.T) {
	folder := t.TempDir()
	model, err := findAsset("half_cheetah.xml")
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(model)
	if err != nil {
		t.Fatal(err)
	}
	slower := filepath.Join(folder, "cheetah.xml")
	text := strings.Replace(string(data), `timestep="0.01"`, `timestep="0.003"`, 1)
	if err := os.WriteFile(slower, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		options  map[string]any
		rate     string
		substeps int
	}{
		{nil, "20", 5},
		{map[string]any{"frame_skip": 5}, "20", 5},
		{map[string]any{"frame_skip": 3}, "100/3", 3},
		{map[string]any{"xml_file": "half_cheetah.xml"}, "20", 5},
		{map[string]any{"xml_file": slower}, "200/3", 5},
		{map[string]any{"xml_file": slower, "frame_skip": 1}, "1000/3", 1},
	} {
		got, err := TaskConfig("HalfCheetah-v5", c.options)
		if err != nil {
			t.Errorf("%v: %v", c.options, err)
			continue
		}
		p, err := NewPlan(&got)
		if err != nil {
			t.Errorf("%v: %v", c.options, err)
			continue
		}
		if n, err := p.SubstepsPerControl(); n != c.substeps || err != nil || got.Runners[0].Rate.String() != c.rate || len(got.Runners) != 1 {
			t.Errorf("%v: %d substeps (%v) and runners %v, want %d and one of rate %s", c.options, n, err, got.Runners, c.substeps, c.rate)
		}
		if len(got.Task.Options) != 0 {
			t.Errorf("%v: the task keeps the options %v", c.options, got.Task.Options)
		}
	}
}

func TestTaskConfigErrors(t *testing.T) {
	for _, c := range []struct {
		name    string
		options map[string]any
		want    string
	}{
		{"HalfCheeta-v5", nil, `unknown task "HalfCheeta-v5": the nearest known one is "HalfCheetah-v5"`},
		{"HalfCheetah-v5", map[string]any{"frame_skip": 0}, "task.options.frame_skip is 0"},
		{"HalfCheetah-v5", map[string]any{"frame_skip": 1_000_000_000}, "task.options.frame_skip is 1000000000, want 1 to 65536"},
		{"HalfCheetah-v5", map[string]any{"frame_skip": "two"}, "task.options.frame_skip"},
		{"HalfCheetah-v5", map[string]any{"xml_file": ""}, "task.options.xml_file is empty"},
		{"BipedalWalker-v3", map[string]any{"frame_skip": 2}, "task.options.frame_skip: BipedalWalker-v3 does not have this option"},
		{"LunarLander-v3", map[string]any{"xml_file": "ant.xml"}, "task.options.xml_file: LunarLander-v3 does not have this option"},
		{"HalfCheetah-v5", map[string]any{"frame_skp": 2}, "did you mean task.options.frame_skip?"},
		{"HalfCheetah-v5", map[string]any{"xml_file": "./nowhere.xml"}, "task.options.xml_file"},
		{"HalfCheetah-v5", map[string]any{"xml_file": "cheetah.xml"}, "task.options.xml_file"},
	} {
		if _, err := TaskConfig(c.name, c.options); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %v: %v, want %s", c.name, c.options, err, c.want)
		}
	}
}

// The presets of Gymnasium's MuJoCo tasks have Gymnasium's clock.
func TestPresetsHaveGymnasiumsClock(t *testing.T) {
	for _, name := range TaskNames() {
		if !strings.HasSuffix(name, "-v5") {
			continue
		}
		t.Run(name, func(t *testing.T) {
			own, err := TaskConfig(name, nil)
			if err != nil {
				t.Fatal(err)
			}
			want, err := NewPlan(&own)
			if err != nil {
				t.Fatal(err)
			}
			file, data, err := configs.Preset(name)
			if err != nil {
				t.Fatal(err)
			}
			c, err := configs.Parse(file, data, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			c.Worlds = 1
			e, err := Open(c, OpenOptions{Workers: 1})
			if err != nil {
				t.Fatal(err)
			}
			if p := e.Plan(); p.ControlRate() != want.ControlRate() || p.SubstepRate() != want.SubstepRate() {
				t.Errorf("control at %v Hz, physics at %v Hz, want %v and %v", p.ControlRate(), p.SubstepRate(), want.ControlRate(), want.SubstepRate())
			}
			for range 3 {
				if err := e.Sim().Step(); err != nil {
					t.Error(err)
				}
			}
			if n := e.Sim().Faults(); n > 0 {
				t.Errorf("%d faults", n)
			}
			if err := e.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}
