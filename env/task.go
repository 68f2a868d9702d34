package env

import (
	"fmt"
	"strings"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/mujoco"
	"github.com/polyrhythm-rl/polyrhythm/sensors"
	"github.com/polyrhythm-rl/polyrhythm/sim"
	"github.com/polyrhythm-rl/polyrhythm/tasks/gymnasium"
	"github.com/polyrhythm-rl/polyrhythm/tasks/quadruped"
)

// taskKind is what the harness knows of a task before it is built.
type taskKind struct {
	name     string
	substeps int    // physics steps per control step, unless the configuration says
	rate     string // of control steps where a configuration is made for the task alone; "": its preset's
	load     func(in modelInput) (physics.Model, error)
	build    func(in taskInput) (sim.Task, error)
}

// modelInput is what a task's scene is compiled from.
type modelInput struct {
	file     string         // the configuration's own model; "": the task's
	timestep float64        // seconds per physics step
	options  map[string]any // from the configuration
}

// taskInput is what a task is built from.
type taskInput struct {
	model   physics.Model
	sensors *sensors.Suite
	dt      float64        // seconds per control step
	options map[string]any // from the configuration
}

// taskKinds lists every task there is.
func taskKinds() []taskKind {
	return []taskKind{
		{
			name:     "quadruped",
			substeps: 10,
			load: mujocoModel(func(opt mujoco.Options) (*mujoco.Model, error) {
				return mujoco.LoadBytes("quadruped.xml", quadruped.MJCF(), opt)
			}),
			build: func(in taskInput) (sim.Task, error) {
				opt := quadruped.DefaultOptions()
				if err := configs.DecodeOptions("task.options", in.options, &opt); err != nil {
					return nil, err
				}
				return quadruped.New(in.model, in.sensors, in.dt, opt)
			},
		},
		{
			name:     "HalfCheetah-v5",
			substeps: 5,
			rate:     "20",
			load:     gymnasiumModel("half_cheetah.xml"),
			build: func(in taskInput) (sim.Task, error) {
				opt := gymnasium.DefaultHalfCheetahOptions()
				if err := configs.DecodeOptions("task.options", in.options, &opt); err != nil {
					return nil, err
				}
				return gymnasium.NewHalfCheetah(in.model, opt)
			},
		},
	}
}

func findTask(name string) (taskKind, error) {
	var known []string
	for _, k := range taskKinds() {
		if k.name == name {
			return k, nil
		}
		known = append(known, k.name)
	}
	return taskKind{}, fmt.Errorf("task.name: %w; there are %s", physics.UnknownError("task", name, known), strings.Join(known, ", "))
}

// mujocoModel loads the task's own MJCF, or the configuration's in its place.
func mujocoModel(own func(mujoco.Options) (*mujoco.Model, error)) func(modelInput) (physics.Model, error) {
	return func(in modelInput) (physics.Model, error) {
		load := own
		if in.file != "" {
			load = func(opt mujoco.Options) (*mujoco.Model, error) { return mujoco.Load(in.file, opt) }
		}
		m, err := load(mujoco.Options{Timestep: in.timestep})
		if err != nil {
			return nil, err
		}
		return m, nil
	}
}

// gymnasiumModel loads one of Gymnasium's model files.
func gymnasiumModel(file string) func(modelInput) (physics.Model, error) {
	return mujocoModel(func(opt mujoco.Options) (*mujoco.Model, error) {
		path, err := findAsset("gymnasium", "assets", file)
		if err != nil {
			return nil, err
		}
		return mujoco.Load(path, opt)
	})
}
