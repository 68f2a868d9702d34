package configs

import (
	"embed"
	"fmt"
	"strings"
)

//go:embed *.yaml
var presets embed.FS

// Models holds the model files of the presets, which a configuration names with "builtin:" before them.
//
//go:embed *.xml
var Models embed.FS

// Preset returns the file name and the contents of the preset for a task, which are
// the first two arguments of [Parse]. The error lists the tasks that have a preset.
func Preset(task string) (name string, data []byte, err error) {
	entries, err := presets.ReadDir(".")
	if err != nil {
		return "", nil, err
	}
	var known []string
	for _, entry := range entries {
		data, err := presets.ReadFile(entry.Name())
		if err != nil {
			return "", nil, err
		}
		c, err := Parse(entry.Name(), data, nil, nil)
		if err != nil {
			return "", nil, err
		}
		if c.Task.Name == task {
			return entry.Name(), data, nil
		}
		known = append(known, c.Task.Name)
	}
	return "", nil, fmt.Errorf("no preset for task %q, want one of %s", task, strings.Join(known, ", "))
}
