package env

import (
	"io/fs"
	"os"

	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/box2d/scene"
	"github.com/polyrhythm-rl/polyrhythm/sim"
	"github.com/polyrhythm-rl/polyrhythm/tasks/gymnasium"
	"github.com/polyrhythm-rl/polyrhythm/tasks/quadruped"
)

// builtinTasks returns the built-in tasks. Each has a preset in configs; the clock of the
// quadruped is only in its preset.
func builtinTasks() []Task {
	return []Task{
		{
			Name: "quadruped", Model: "quadruped.xml", Files: quadruped.Files, Substeps: 10,
			New: func(s Setup) (sim.Task, error) {
				opt := quadruped.DefaultOptions()
				if err := s.Options(&opt); err != nil {
					return nil, err
				}
				return quadruped.New(s.Model, s.Sensors, s.ControlSeconds, opt)
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

// mujocoTask returns a MuJoCo task of Gymnasium with its rate of control steps, the
// number of physics substeps in one, and its model file.
func mujocoTask[T sim.Task, O any](name, rate string, substeps int, file string,
	build func(m physics.Model, dt float64, opt O) (T, error), defaults func() O) Task {
	return Task{
		Name: name, Model: file, Files: gymnasiumFiles{}, Control: rate, Substeps: substeps,
		New: func(s Setup) (sim.Task, error) {
			opt := defaults()
			if err := s.Options(&opt); err != nil {
				return nil, err
			}
			return build(s.Model, s.ControlSeconds, opt)
		},
	}
}

// box2dTask returns a Box2D task of Gymnasium: one physics substep per control step, at
// 50 Hz, in a scene that depends on the options of the task.
func box2dTask[T sim.Task, O any](name string, sceneOf func(opt O, timestep float64) scene.Scene,
	build func(m physics.Model, opt O, timestep float64) (T, error), defaults func() O) Task {
	return Task{
		Name: name, Control: "50", Substeps: 1,
		Scene: func(s Setup) (*scene.Scene, error) {
			opt := defaults()
			if err := s.Options(&opt); err != nil {
				return nil, err
			}
			made := sceneOf(opt, s.SubstepSeconds)
			return &made, nil
		},
		New: func(s Setup) (sim.Task, error) {
			opt := defaults()
			if err := s.Options(&opt); err != nil {
				return nil, err
			}
			return build(s.Model, opt, s.SubstepSeconds)
		},
	}
}

// gymnasiumFiles is the file system of Gymnasium's model files, see findAsset.
type gymnasiumFiles struct{}

// Open implements [fs.FS].
func (gymnasiumFiles) Open(name string) (fs.File, error) {
	path, err := findAsset(name)
	if err != nil {
		return nil, err
	}
	return os.Open(path)
}
