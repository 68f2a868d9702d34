package env

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/box2d"
	"github.com/polyrhythm-rl/polyrhythm/physics/box2d/scene"
	"github.com/polyrhythm-rl/polyrhythm/physics/mujoco"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sensors"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// Task describes a task: its name, its model or scene, its clock and its constructor.
type Task struct {
	// Name is the name of the task in configurations, Make and --task, such as "Arm-v0": a letter, then letters, digits
	// and any of ._-
	Name string

	// Model is the path of the MJCF file. If Files is set, it is a path in Files, and so are the paths in the MJCF
	// file. Otherwise a relative path is searched for in the working folder and then in the folder of the program. The
	// model of a configuration replaces it.
	Model string

	// Files contains Model, such as an embed.FS; nil for the file system.
	Files fs.FS

	// Scene returns the scene of a task on Box2D, which has no Model.
	Scene func(Setup) (*scene.Scene, error)

	// Control is the rate of control steps in hertz, or their period: "50", "200/3", "20ms". It may be "" if Preset has
	// runners.
	Control string

	// Substeps is the number of physics substeps in a control step, at least 1.
	Substeps int

	// Preset is the initial configuration for --task and Make, as YAML; its task.name must be Name. If it is "", there
	// is one runner, Robot, at the rate Control, there are no sensors, and everything else has its default.
	Preset string

	// New returns the task for a compiled model. It is called once for each env that is opened.
	New func(Setup) (sim.Task, error)

	open    func(Setup) (physics.Model, error) // compiles the scene of a described task; nil for others
	builtin bool                               // Model is one of Gymnasium's files, see findAsset
}

// Setup is the argument of [Task.New] and [Task.Scene].
type Setup struct {
	Name    string         // the name under which the task is registered, for its Spec
	Model   physics.Model  // the compiled model; nil in Scene
	Sensors *sensors.Suite // the channels of the configuration; nil in Scene

	ControlSeconds float64 // length of a control step, in seconds
	SubstepSeconds float64 // length of a physics substep, in seconds

	options     map[string]any // from the configuration
	stepOffset  int64          // see OpenOptions
	controlRate runners.Rate
	mjcf        func([]byte) // that of mujoco.Options
}

// Options decodes the task.options of the configuration into dst, a pointer to a struct whose fields have yaml tags
// and hold the defaults. A key that the struct lacks is an error, as is a value of another type.
func (s Setup) Options(dst any) error {
	return configs.DecodeOptions("task.options", s.options, dst)
}

// registry holds the registered tasks, in the order of their registration.
var registry struct {
	sync.RWMutex
	tasks []Task
}

var taskName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9._-]*$`)

// Register adds a task to those that Make, configurations and the commands of package cli can use. Call it at the
// start of main, before using them. It panics if a field of the task is missing or invalid, or if its name is taken,
// since these are mistakes of the program. The model file is read when worlds are opened. Any goroutine may call
// Register.
func Register(t Task) {
	if err := t.check(); err != nil {
		panic(fmt.Sprintf("env.Register: task %q: %v", t.Name, err))
	}
	registry.Lock()
	defer registry.Unlock()
	if slices.ContainsFunc(append(builtinTasks(), registry.tasks...),
		func(other Task) bool { return other.Name == t.Name }) {
		panic(fmt.Sprintf("env.Register: task %q is registered already, want another name", t.Name))
	}
	registry.tasks = append(registry.tasks, t)
}

// check returns an error unless the description is complete.
func (t *Task) check() error {
	if !taskName.MatchString(t.Name) {
		return errors.New("want a name of a letter, then letters, digits and any of ._-")
	}
	if (t.Model == "") == (t.Scene == nil) {
		return errors.New("want either Model or Scene")
	}
	if t.New == nil {
		return errors.New("the field New is nil, want a function that returns the task")
	}
	if t.Substeps < 1 || t.Substeps > configs.MaxSubsteps {
		return fmt.Errorf("the field Substeps is %d, want 1 to %d", t.Substeps, configs.MaxSubsteps)
	}
	if t.Control != "" || t.Preset == "" {
		if _, err := runners.ParseRate(t.Control); err != nil {
			return fmt.Errorf("the field Control: %w", err)
		}
	}
	c, err := configs.Parse("Preset", []byte(t.preset()), nil, nil)
	if err != nil {
		return err
	}
	if c.Task.Name != t.Name {
		return fmt.Errorf("task.name in the field Preset is %q, want %q", c.Task.Name, t.Name)
	}
	return nil
}

// preset returns the initial configuration of the task, as YAML.
func (t *Task) preset() string {
	if t.Preset != "" {
		return t.Preset
	}
	return fmt.Sprintf("task: {name: %s}\nrunners:\n  - {name: Robot, rate: %q}\n", t.Name, t.Control)
}

// TaskNames returns the names of all tasks: the built-in ones, then the registered ones.
func TaskNames() []string {
	var names []string
	for _, t := range allTasks() {
		names = append(names, t.Name)
	}
	return names
}

func allTasks() []Task {
	registry.RLock()
	defer registry.RUnlock()
	return append(builtinTasks(), registry.tasks...)
}

func findTask(name string) (Task, error) {
	all := allTasks()
	if i := slices.IndexFunc(all, func(t Task) bool { return t.Name == name }); i >= 0 {
		return all[i], nil
	}
	return Task{}, fmt.Errorf("task.name: %w; train tasks lists all, and a configuration with scene.models describes a task "+
		"of its own", physics.UnknownError("task", name, TaskNames()))
}

// Preset returns the initial configuration of a task, as YAML, and a name for it in errors: the first two arguments
// of [configs.Parse].
func Preset(task string) (name string, data []byte, err error) {
	t, err := findTask(task)
	if err != nil {
		return "", nil, err
	}
	if !t.builtin {
		return "the preset of " + task, []byte(t.preset()), nil
	}
	return configs.Preset(task)
}

// AlgorithmPreset is [Preset] for learning by an algorithm, such as "sac", one of [PresetAlgorithms]; "" for the first.
func AlgorithmPreset(task, algorithm string) (name string, data []byte, err error) {
	if algorithm == "" {
		return Preset(task)
	}
	known, err := PresetAlgorithms(task)
	if err == nil && !slices.Contains(known, algorithm) {
		err = configs.NoAlgorithm(task, algorithm, known, isContinuous(task))
	}
	if err != nil {
		return "", nil, err
	}
	if t, err := findTask(task); err == nil && t.builtin {
		return configs.AlgorithmPreset(task, algorithm)
	}
	return Preset(task)
}

// isContinuous reports whether the worlds of a task's preset can be opened, and their actions are no choices.
func isContinuous(task string) bool {
	name, data, err := Preset(task)
	if err != nil {
		return false
	}
	c, err := configs.Parse(name, data, nil, []string{"worlds=1"})
	if err != nil {
		return false
	}
	e, err := Open(c, OpenOptions{})
	if err != nil {
		return false
	}
	discrete := e.Sim().Spec().Discrete
	return e.Close() == nil && discrete == 0
}

// PresetAlgorithms returns the algorithms for which a task has a preset, that of [Preset] first. A registered task has
// the one.
func PresetAlgorithms(task string) ([]string, error) {
	t, err := findTask(task)
	if err != nil {
		return nil, err
	}
	if t.builtin {
		return configs.PresetAlgorithms(task)
	}
	c, err := configs.Parse("Preset", []byte(t.preset()), nil, nil)
	if err != nil {
		return nil, err
	}
	return []string{c.Training.Algorithm.String()}, nil
}

// load compiles the model in file or, if file is "", the task's own model or scene.
func (t *Task) load(file string, s Setup) (physics.Model, error) {
	if t.open != nil {
		return t.open(s)
	}
	if t.Scene != nil {
		if file != "" {
			return nil, ConfigError{Err: fmt.Errorf("is %s, want none: %s has a scene of its own", file, t.Name)}
		}
		var m *box2d.Model
		made, err := t.Scene(s)
		if err == nil {
			m, err = box2d.New(made)
		}
		if err != nil {
			return nil, ConfigError{Err: err}
		}
		return m, nil
	}
	opt := mujoco.Options{Timestep: s.SubstepSeconds, Trusted: file == "", MJCF: s.mjcf} // the task's own
	if file == "" && t.Files != nil {
		return modelOf(mujoco.LoadFS(t.Files, t.Model, opt))
	}
	if file == "" {
		var err error
		if file, err = t.modelPath(); err != nil {
			return nil, err
		}
	}
	return modelOf(mujoco.Load(file, opt))
}

// modelOf returns a nil physics.Model with an error, not one that holds a nil *mujoco.Model.
func modelOf(m *mujoco.Model, err error) (physics.Model, error) {
	if err != nil {
		return nil, err
	}
	return m, nil
}

// modelPath returns the path of the task's own model file.
func (t *Task) modelPath() (string, error) {
	if t.builtin {
		return findAsset(t.Model)
	}
	if filepath.IsAbs(t.Model) {
		return t.Model, nil
	}
	var folders []string
	if dir, err := os.Getwd(); err == nil {
		folders = append(folders, dir)
	}
	if program, err := os.Executable(); err == nil {
		if program, err = filepath.EvalSymlinks(program); err == nil {
			folders = append(folders, filepath.Dir(program))
		}
	}
	for _, dir := range folders {
		path := filepath.Join(dir, t.Model)
		if _, err := os.Stat(path); err == nil {
			return path, nil
		}
	}
	return "", ConfigError{Err: fmt.Errorf("model %s of task %s is in none of the folders %s: %w",
		t.Model, t.Name, strings.Join(folders, ", "), fs.ErrNotExist)}
}
