package settings

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/internal/decode"
	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
)

// ProjectFile is the file of the project, in the working folder.
const ProjectFile = "polyrhythm.yaml"

// maxFile is the most bytes of a file.
const maxFile = 64 << 10

// files returns those that are looked for, the lowest layer first.
func files() (list []Candidate) {
	if path := userFile(); path != "" {
		list = append(list, Candidate{Layer: User, Path: path})
	}
	return append(list, Candidate{Layer: Project, Path: ProjectFile})
}

// userFile returns the path of the file of the user; "" if nobody knows his folder. A relative XDG_CONFIG_HOME counts
// as none, as the XDG Base Directory Specification has it.
func userFile() string {
	folder := os.Getenv("XDG_CONFIG_HOME")
	if !filepath.IsAbs(folder) {
		home, err := os.UserHomeDir()
		if err != nil || !filepath.IsAbs(home) {
			return ""
		}
		folder = filepath.Join(home, ".config")
	}
	return filepath.Join(folder, "polyrhythm", "config.yaml")
}

// load reads a file and checks it; nil if there is none.
func (f *Candidate) load() (map[string]any, error) {
	data, err := disk.ReadFile(f.Path, maxFile)
	if err != nil {
		// Nobody has seen it, as where the home is another user's. A link to nothing, and a file that only others may
		// read, are seen.
		if _, unseen := os.Lstat(f.Path); unseen != nil {
			return nil, nil
		}
		return nil, fmt.Errorf("settings: %w", err)
	}
	tree, err := parse(data, f.Layer)
	if err != nil {
		return nil, decode.WithKey(f.Path, err)
	}
	f.Read = true
	return tree, nil
}

// parse returns what a file of a layer says, whose keys are known and whose values are valid. Errors begin with the
// key, and do not show what is no setting.
func parse(data []byte, layer Layer) (map[string]any, error) {
	value, _, err := decode.Document("", data) // with null, of which the keys must be known, too
	if err != nil {
		return nil, err
	}
	tree, ok := value.(map[string]any)
	switch {
	case value == nil:
		return nil, nil
	case !ok:
		return nil, fmt.Errorf("want a mapping of keys to values, such as runs: /data/runs")
	}
	if err := checkKind(tree); err != nil {
		return nil, err
	}
	v := Defaults
	if err := decode.Into("", tree, &v); err != nil {
		return nil, err
	}
	tree, _ = decode.WithoutNull(tree).(map[string]any)
	if err := v.Validate(); err != nil {
		return nil, err
	}
	if _, ok := tree["ffmpeg"]; ok {
		err = checkProgram(v.FFmpeg, layer)
	}
	return tree, err
}

// checkProgram refuses a program that a project could bring along.
func checkProgram(path string, layer Layer) error {
	switch {
	case layer == Project:
		return fmt.Errorf("ffmpeg: a program is named by the file of the user or by %s alone, since files of "+
			"projects come from others", VariableOf("ffmpeg"))
	case strings.Contains(path, "/") && !filepath.IsAbs(path) && !strings.HasPrefix(path, home):
		return fmt.Errorf("ffmpeg is %q, want an absolute path, one that begins with ~/, or a name in PATH", path)
	}
	return nil
}

// checkKind refuses the configuration of a run that has the name of a file of settings.
func checkKind(tree map[string]any) error {
	keys := Keys()
	for _, f := range decode.Fields(reflect.TypeFor[configs.Config]()) {
		if _, ok := tree[f.Key]; ok && !slices.Contains(keys, f.Key) {
			return fmt.Errorf("%s: a key of the configuration of a run, want settings of the programs; give the "+
				"configuration another name", f.Key)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(tree)) {
		if key == "extends" {
			return fmt.Errorf("%s: a key of the configuration of a run, want settings of the programs; give the "+
				"configuration another name", key)
		}
	}
	return nil
}
