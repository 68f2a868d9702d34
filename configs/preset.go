package configs

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/internal/spell"
	"github.com/polyrhythm-rl/polyrhythm/rl"
)

// presets are the files of configurations that the program has: of each task its own, named after it, and in the folder
// of an algorithm those of the same names for learning by that one.
//
//go:embed *.yaml sac
var presets embed.FS

// describedPresets are those of tasks that the program has no code of, with their motions.
//
//go:embed described
var describedPresets embed.FS

// Models holds the model files of the presets, which a configuration names with "builtin:" before them.
//
//go:embed *.xml
var Models embed.FS

// Preset returns the file name and the contents of the preset for a task, which are
// the first two arguments of [Parse]. The error lists the tasks that have a preset.
func Preset(task string) (name string, data []byte, err error) {
	name = presetFile(task)
	if data, err = presets.ReadFile(name); err == nil && taskIn(data) == task {
		return name, data, nil
	}
	files, err := fs.Glob(presets, "*.yaml")
	if err != nil {
		return "", nil, err
	}
	var known []string
	for _, file := range files {
		if data, err = presets.ReadFile(file); err != nil {
			return "", nil, err
		}
		known = append(known, taskIn(data))
	}
	return "", nil, fmt.Errorf("no preset for task %q, want one of %s", task, strings.Join(known, ", "))
}

// AlgorithmPreset is [Preset] for learning by an algorithm, such as "sac", one of [PresetAlgorithms].
func AlgorithmPreset(task, algorithm string) (name string, data []byte, err error) {
	known, err := PresetAlgorithms(task)
	if err != nil {
		return "", nil, err
	}
	switch slices.Index(known, algorithm) {
	case -1:
		return "", nil, NoAlgorithm(task, algorithm, known, false)
	case 0:
		return Preset(task)
	}
	name = path.Join(algorithm, presetFile(task))
	data, err = presets.ReadFile(name)
	return name, data, err
}

// PresetAlgorithms returns the algorithms for which a task has a preset, that of [Preset] first.
func PresetAlgorithms(task string) ([]string, error) {
	name, data, err := Preset(task)
	if err != nil {
		return nil, err
	}
	c, err := Parse(name, data, nil, nil)
	if err != nil {
		return nil, err
	}
	algorithms := []string{c.Training.Algorithm.String()}
	files, err := fs.Glob(presets, "*/"+name)
	for _, file := range files {
		algorithms = append(algorithms, path.Dir(file))
	}
	return algorithms, err
}

// NoAlgorithm is the error of a task that has presets for the algorithms known, and none for another one. Where the
// task's actions are known to be continuous, which those of SAC are, it says that SAC needs no preset.
func NoAlgorithm(task, algorithm string, known []string, continuous bool) error {
	hint := spell.Hint(algorithm, known)
	if rl.Algorithm(algorithm) == rl.AlgorithmSAC && continuous {
		hint += ", or training.algorithm=sac, which learns it with the defaults"
	}
	return fmt.Errorf("no preset of %s for the algorithm %q%s", task, algorithm, hint)
}

// presetFile is the name of a task's preset: that of the task in small letters, without its version.
func presetFile(task string) string {
	name, _, _ := strings.Cut(strings.ToLower(task), "-v")
	return name + ".yaml"
}

// taskIn is the name of the task in a preset; "" if it has none.
func taskIn(data []byte) string {
	var c struct{ Task Task }
	_ = yaml.Unmarshal(data, &c) // presets can be read: a test parses each
	return c.Task.Name
}

// ReadFile reads a file of at most max bytes that a configuration names, or one of the program's own, whose name begins
// with [Builtin]: a preset, or a motion of one.
func ReadFile(path string, max int64) ([]byte, error) {
	if name, ok := strings.CutPrefix(path, Builtin); ok {
		return builtinFile(name)
	}
	return disk.ReadFile(path, max)
}

// ReadInput is [ReadFile] for a configuration that a person names: where it is no preset, it may be a pipe.
func ReadInput(path string) ([]byte, error) {
	if name, ok := strings.CutPrefix(path, Builtin); ok {
		return builtinFile(name)
	}
	return disk.ReadInput(path, MaxFile)
}

// folderOf returns the folder of a configuration, also of one that the program has itself.
func folderOf(file string) string {
	if name, ok := strings.CutPrefix(file, Builtin); ok {
		return Builtin + path.Dir(name)
	}
	return filepath.Dir(file)
}

// within returns the path of a file that is relative to a folder, which may be one of the program itself.
func within(folder, file string) string {
	if filepath.IsAbs(file) || isNamed(file) {
		return file
	}
	if name, ok := strings.CutPrefix(folder, Builtin); ok {
		return Builtin + path.Join(name, filepath.ToSlash(file))
	}
	return filepath.Join(folder, file)
}

// isNamed reports whether a file is named by what has it, not by a path.
func isNamed(file string) bool {
	return strings.HasPrefix(file, Builtin) || strings.HasPrefix(file, Robots) || strings.HasPrefix(file, Gymnasium)
}

// builtinFile returns the contents of a file of a preset.
func builtinFile(name string) ([]byte, error) {
	var known []string
	for _, files := range []embed.FS{presets, describedPresets} {
		data, err := files.ReadFile(name)
		if err == nil {
			return data, nil
		}
		err = fs.WalkDir(files, ".", func(file string, entry fs.DirEntry, err error) error {
			if err == nil && !entry.IsDir() {
				known = append(known, file)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return nil, fmt.Errorf("no preset %q comes with the program%s", name, spell.Hint(name, known))
}
