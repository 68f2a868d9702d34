package env

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

// Every task has a configuration by its name alone, that opens and steps.
func TestTaskConfigOfEveryTask(t *testing.T) {
	for _, name := range TaskNames() {
		t.Run(name, func(t *testing.T) {
			c := polytest.Must(TaskConfig(name, nil))(t)
			if c.Recording.Enabled {
				t.Error("it would be recorded")
			}
			c.Worlds = 1
			polytest.NoError(t, open(t, &c, OpenOptions{Workers: 1}).Sim().Step())
		})
	}
}

func TestTaskConfigFollowsFrameSkipAndModel(t *testing.T) {
	folder := t.TempDir()
	model := polytest.Must(findAsset("half_cheetah.xml"))(t)
	data := polytest.Must(os.ReadFile(model))(t)
	slower := filepath.Join(folder, "cheetah.xml")
	text := strings.Replace(string(data), `timestep="0.01"`, `timestep="0.003"`, 1)
	polytest.NoError(t, os.WriteFile(slower, []byte(text), 0o666))
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
		if n, err := p.SubstepsPerControl(); n != c.substeps || err != nil || got.Runners[0].Rate.String() != c.rate ||
			len(got.Runners) != 1 {
			t.Errorf("%v: %d substeps (%v) and runners %v, want %d and one of rate %s", c.options, n, err, got.Runners,
				c.substeps, c.rate)
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
		{"HalfCheetah-v5", map[string]any{"frame_skip": 1_000_000_000},
			"task.options.frame_skip is 1000000000, want 1 to 65536"},
		{"HalfCheetah-v5", map[string]any{"frame_skip": "two"}, "task.options.frame_skip"},
		{"HalfCheetah-v5", map[string]any{"xml_file": ""}, "task.options.xml_file is empty"},
		{"BipedalWalker-v3", map[string]any{"frame_skip": 2},
			"task.options.frame_skip: BipedalWalker-v3 does not have this option"},
		{"LunarLander-v3", map[string]any{"xml_file": "ant.xml"},
			"task.options.xml_file: LunarLander-v3 does not have this option"},
		{"HalfCheetah-v5", map[string]any{"frame_skp": 2}, "did you mean task.options.frame_skip?"},
		{"HalfCheetah-v5", map[string]any{"xml_file": "./nowhere.xml"}, "task.options.xml_file"},
		{"HalfCheetah-v5", map[string]any{"xml_file": "cheetah.xml"}, "task.options.xml_file"},
	} {
		polytest.ErrorContains(t, polytest.Err(TaskConfig(c.name, c.options)), c.want)
	}
}

// The presets of Gymnasium's MuJoCo tasks have Gymnasium's clock.
func TestPresetsHaveGymnasiumsClock(t *testing.T) {
	for _, name := range TaskNames() {
		if !strings.HasSuffix(name, "-v5") {
			continue
		}
		t.Run(name, func(t *testing.T) {
			own := polytest.Must(TaskConfig(name, nil))(t)
			want, p := polytest.Must(NewPlan(&own))(t), polytest.Must(NewPlan(preset(t, name)))(t)
			if p.Schedule().ControlRate() != want.Schedule().ControlRate() || p.Schedule().SubstepRate() != want.Schedule().SubstepRate() {
				t.Errorf("control at %v Hz, physics at %v Hz, want %v and %v", p.Schedule().ControlRate(), p.Schedule().SubstepRate(),
					want.Schedule().ControlRate(), want.Schedule().SubstepRate())
			}
		})
	}
}

// The options of a task that its preset describes are sections of a configuration.
func TestOptionsOfADescribedTask(t *testing.T) {
	e := polytest.Must(Make("quadruped", Options{Task: map[string]any{
		"commands": map[string]any{"velocity": map[string]any{"lin_vel_x": []any{0.25, 0.25}}}, "episode": "60ms",
	}}))(t)
	defer e.Close()
	if got, steps := e.Sim().Observations()[0], e.Sim().Spec().MaxSteps; got != 0.25 || steps != 3 {
		t.Errorf("commanded %v m/s for %d steps, want 0.25 for 3", got, steps)
	}
	for want, options := range map[string]map[string]any{
		"comands: unknown key; did you mean commands?": {"comands": 1},
		"commands.velocit: unknown name; did you mean": {
			"commands": map[string]any{"velocit": map[string]any{"lin_vel_x": 1}}},
		"scene.models[0].file is builtin:dog.xml, want a path, or builtin: and one of gantry.xml, gantry_colours.xml, quadruped.xml": {
			"scene": map[string]any{"models": []any{map[string]any{"file": "builtin:dog.xml"}}}},
		"infos[0].term: infos has no terms, want an expr": {"infos": []any{map[string]any{"term": "is_alive"}}},
	} {
		e, err := Make("quadruped", Options{Task: options})
		if err == nil {
			e.Close()
		}
		polytest.ErrorContains(t, err, want)
	}
}
