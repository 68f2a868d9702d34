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

// Task describes a task: its name, its scene, its clock, and what makes it.
type Task struct {
	// Name is what configurations, Make and --task call the task, such as "Arm-v0": a
	// letter, then letters, digits and any of ._-
	Name string

	// Model is the MJCF file of the scene. With Files it is a path in there, and so is
	// what the file refers to. Without, a relative path is looked for in the working
	// folder and then in the folder of the program. A configuration's own model takes
	// its place.
	Model string

	// Files holds Model, such as an embed.FS; nil: the file system.
	Files fs.FS

	// Scene makes the scene of a task on Box2D, which has no Model.
	Scene func(Setup) (*scene.Scene, error)

	// Control is the rate of control steps in hertz, or their period: "50", "200/3",
	// "20ms". It may be "" where Preset has runners.
	Control string

	// Substeps is the number of physics steps in a control step.
	Substeps int

	// Preset is the configuration, as YAML, that --task and Make begin with; its
	// task.name is Name. "": one runner, Robot, at the rate Control, no sensors, and
	// all else by default.
	Preset string

	// New makes the task for a compiled scene. It is called once for each env that is
	// opened.
	New func(Setup) (sim.Task, error)
}

// Setup is what a task is made from.
type Setup struct {
	Model   physics.Model  // the compiled scene; nil for Scene
	Sensors *sensors.Suite // the channels of the configuration; nil for Scene

	ControlSeconds float64 // length of a control step
	SubstepSeconds float64 // length of a physics step

	options map[string]any // from the configuration
}

// Options decodes the task.options of the configuration into dst, a pointer to a struct
// whose fields have yaml tags and hold the defaults. A key that the struct lacks is an
// error, as is a value of another type.
func (s Setup) Options(dst any) error {
	return configs.DecodeOptions("task.options", s.options, dst)
}

// registry holds the tasks of the program's own, in the order they were registered.
var registry struct {
	sync.RWMutex
	tasks []Task
}

var taskName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9._-]*$`)

// Register adds a task of the program's own to those that Make, configurations and the
// commands of package cli know. Call it before they are used, as main begins. It panics
// where the task lacks something, its name is malformed or taken, or its preset is no
// configuration: mistakes of the program. That the model file is there, and fits, is
// seen when worlds are opened. It may be called from any goroutine.
func Register(t Task) {
	if err := t.check(); err != nil {
		panic(fmt.Sprintf("env.Register: task %q: %v", t.Name, err))
	}
	registry.Lock()
	defer registry.Unlock()
	if slices.ContainsFunc(append(builtinTasks(), registry.tasks...), func(other Task) bool { return other.Name == t.Name }) {
		panic(fmt.Sprintf("env.Register: task %q: there is one of this name already", t.Name))
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
		return errors.New("the field New is nil, want what makes the task")
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
		return fmt.Errorf("the field Preset is of task %q", c.Task.Name)
	}
	return nil
}

// preset is the configuration that the task comes with.
func (t *Task) preset() string {
	if t.Preset != "" {
		return t.Preset
	}
	return fmt.Sprintf("task: {name: %s}\nrunners:\n  - {name: Robot, rate: %q}\n", t.Name, t.Control)
}

// TaskNames are the names of all tasks: ours, then those that were registered.
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
	known := TaskNames()
	return Task{}, fmt.Errorf("task.name: %w; there are %s", physics.UnknownError("task", name, known), strings.Join(known, ", "))
}

// isRegistered reports whether the program has registered a task.
func isRegistered(name string) bool {
	registry.RLock()
	defer registry.RUnlock()
	return slices.ContainsFunc(registry.tasks, func(t Task) bool { return t.Name == name })
}

// Preset returns the configuration that a task comes with, as YAML, and a name for it in
// errors, to be handed to [configs.Parse].
func Preset(task string) (name string, data []byte, err error) {
	t, err := findTask(task)
	if err != nil {
		return "", nil, err
	}
	if isRegistered(task) {
		return "the preset of " + task, []byte(t.preset()), nil
	}
	return configs.Preset(task)
}

// load compiles the scene: that of file where it is given, else the task's own.
func (t *Task) load(file string, s Setup) (physics.Model, error) {
	if t.Scene != nil {
		if file != "" {
			return nil, ConfigError{Err: fmt.Errorf("model is %s; %s has a scene of its own and takes no file", file, t.Name)}
		}
		made, err := t.Scene(s)
		if err != nil {
			return nil, ConfigError{Err: err}
		}
		m, err := box2d.New(made)
		if err != nil {
			return nil, ConfigError{Err: err}
		}
		return m, nil
	}
	opt := mujoco.Options{Timestep: s.SubstepSeconds}
	if file == "" && t.Files != nil {
		if _, ours := t.Files.(gymnasiumFiles); !ours {
			return modelOf(mujoco.LoadFS(t.Files, t.Model, opt))
		}
	}
	if file == "" {
		var err error
		if file, err = t.modelPath(); err != nil {
			return nil, err
		}
	}
	return modelOf(mujoco.Load(file, opt))
}

// modelOf keeps a nil *mujoco.Model from becoming a physics.Model that is not nil.
func modelOf(m *mujoco.Model, err error) (physics.Model, error) {
	if err != nil {
		return nil, err
	}
	return m, nil
}

// modelPath is where the task's own model file lies.
func (t *Task) modelPath() (string, error) {
	if _, ours := t.Files.(gymnasiumFiles); ours {
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
