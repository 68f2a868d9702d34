package env

import (
	"fmt"
	"strings"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/box2d"
	"github.com/polyrhythm-rl/polyrhythm/physics/box2d/scene"
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
	noFile   bool   // its scene is no file, and frame_skip and xml_file are no options of it
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
	model    physics.Model
	sensors  *sensors.Suite
	dt       float64        // seconds per control step
	timestep float64        // seconds per physics step
	options  map[string]any // from the configuration
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
		mujocoTask("Ant-v5", "20", 5, "ant.xml", gymnasium.NewAnt, gymnasium.DefaultAntOptions),
		mujocoTask("HalfCheetah-v5", "20", 5, "half_cheetah.xml", gymnasium.NewHalfCheetah, gymnasium.DefaultHalfCheetahOptions),
		mujocoTask("Hopper-v5", "125", 4, "hopper.xml", gymnasium.NewHopper, gymnasium.DefaultHopperOptions),
		mujocoTask("Humanoid-v5", "200/3", 5, "humanoid.xml", gymnasium.NewHumanoid, gymnasium.DefaultHumanoidOptions),
		mujocoTask("HumanoidStandup-v5", "200/3", 5, "humanoidstandup.xml", gymnasium.NewHumanoidStandup, gymnasium.DefaultHumanoidStandupOptions),
		mujocoTask("InvertedDoublePendulum-v5", "20", 5, "inverted_double_pendulum.xml", gymnasium.NewInvertedDoublePendulum, gymnasium.DefaultInvertedDoublePendulumOptions),
		mujocoTask("InvertedPendulum-v5", "25", 2, "inverted_pendulum.xml", gymnasium.NewInvertedPendulum, gymnasium.DefaultInvertedPendulumOptions),
		mujocoTask("Pusher-v5", "20", 5, "pusher_v5.xml", gymnasium.NewPusher, gymnasium.DefaultPusherOptions),
		mujocoTask("Reacher-v5", "50", 2, "reacher.xml", gymnasium.NewReacher, gymnasium.DefaultReacherOptions),
		mujocoTask("Swimmer-v5", "25", 4, "swimmer.xml", gymnasium.NewSwimmer, gymnasium.DefaultSwimmerOptions),
		mujocoTask("Walker2d-v5", "125", 4, "walker2d_v5.xml", gymnasium.NewWalker2d, gymnasium.DefaultWalker2dOptions),
		box2dTask("LunarLander-v3", gymnasium.LunarLanderScene, gymnasium.NewLunarLander, gymnasium.DefaultLunarLanderOptions),
		box2dTask("LunarLanderContinuous-v3", gymnasium.LunarLanderScene, gymnasium.NewLunarLander, gymnasium.DefaultLunarLanderContinuousOptions),
		box2dTask("BipedalWalker-v3", gymnasium.BipedalWalkerScene, gymnasium.NewBipedalWalker, gymnasium.DefaultBipedalWalkerOptions),
		box2dTask("BipedalWalkerHardcore-v3", gymnasium.BipedalWalkerScene, gymnasium.NewBipedalWalkerHardcore, gymnasium.DefaultBipedalWalkerHardcoreOptions),
	}
}

// mujocoTask is a MuJoCo task of Gymnasium's: its rate of control steps, the physics
// steps in one, and its model file.
func mujocoTask[T sim.Task, O any](name, rate string, substeps int, file string,
	build func(m physics.Model, dt float64, opt O) (T, error), defaults func() O) taskKind {
	return taskKind{
		name: name, substeps: substeps, rate: rate,
		load: gymnasiumModel(file),
		build: func(in taskInput) (sim.Task, error) {
			opt := defaults()
			if err := configs.DecodeOptions("task.options", in.options, &opt); err != nil {
				return nil, err
			}
			return build(in.model, in.dt, opt)
		},
	}
}

// box2dTask is a Box2D task of Gymnasium's: one physics step in a control step, at
// 50 Hz, in a scene that depends on the task's options.
func box2dTask[T sim.Task, O any](name string, sceneOf func(opt O, timestep float64) scene.Scene,
	build func(m physics.Model, opt O, timestep float64) (T, error), defaults func() O) taskKind {
	return taskKind{
		name: name, substeps: 1, rate: "50", noFile: true,
		load: func(in modelInput) (physics.Model, error) {
			if in.file != "" {
				return nil, ConfigError{Err: fmt.Errorf("model is %s; %s has a scene of its own and takes no file", in.file, name)}
			}
			opt := defaults()
			if err := configs.DecodeOptions("task.options", in.options, &opt); err != nil {
				return nil, ConfigError{Err: err}
			}
			s := sceneOf(opt, in.timestep)
			m, err := box2d.New(&s)
			if err != nil {
				return nil, ConfigError{Err: err}
			}
			return m, nil
		},
		build: func(in taskInput) (sim.Task, error) {
			opt := defaults()
			if err := configs.DecodeOptions("task.options", in.options, &opt); err != nil {
				return nil, err
			}
			return build(in.model, opt, in.timestep)
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
