package mujoco

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/physics/mujoco/scene"
)

// countProven returns the number of rehearsals that this process need not do again.
func countProven() int {
	proven.Lock()
	defer proven.Unlock()
	return len(proven.done)
}

// changed returns the time at which something about a file changed last.
func changed(info os.FileInfo) syscall.Timespec { return info.Sys().(*syscall.Stat_t).Ctim }

// What was rehearsed once is not rehearsed again, until anything changes that decides what MuJoCo is given: here also a
// file whose size and time of change are put back.
func TestRehearsedOnce(t *testing.T) {
	folder, files := t.TempDir(), rich()
	for name, text := range files {
		path := filepath.Join(folder, name)
		polytest.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		polytest.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	s, opt := scene.Settings{Models: slices.Clone(one.Models)}, Options{}
	s.MemoryMB = scene.DefaultMemoryMB
	compile := func() int {
		t.Helper()
		before := countProven()
		m, err := Compile(s, folder, opt)
		polytest.NoError(t, err)
		polytest.NoError(t, m.Close())
		return countProven() - before
	}
	polytest.Equal(t, compile(), 3, "rehearsals of a new model: parse, compile and start")
	polytest.Equal(t, compile(), 0, "rehearsals of the same model")

	replace := func(name, old, text string) func() {
		return func() {
			path := filepath.Join(folder, name)
			info, err := os.Stat(path)
			polytest.NoError(t, err)
			files[name] = strings.Replace(files[name], old, text, 1)
			for after := info; changed(after) == changed(info); { // the clock of files may tick a hundred times a second
				polytest.NoError(t, os.WriteFile(path, []byte(files[name]), 0o644))
				polytest.NoError(t, os.Chtimes(path, info.ModTime(), info.ModTime()))
				after, err = os.Stat(path)
				polytest.NoError(t, err)
			}
		}
	}
	for _, c := range []struct {
		name   string
		change func()
		want   int
	}{
		{"a body's mass in the model's file", replace("main.xml", `mass="0.2"`, `mass="0.3"`), 3},
		{"a scale in an included file", replace("parts.xml", `0.2 0.2 0.2`, `0.2 0.2 0.3`), 3},
		{"a corner of a mesh", replace("assets/rock.obj", "1", "2"), 2}, // parsing does not open it
		{"a picture", replace("assets/grain.png", "", ""), 2},
		{"a setting", func() { s.Models[0].GravComp = 0.5 }, 3},
		{"the timestep", func() { opt.Timestep = 0.001 }, 3},
		{"the memory", func() { s.MemoryMB++ }, 3},
	} {
		c.change()
		polytest.Equal(t, compile(), c.want, "rehearsals after a change of %s", c.name)
		polytest.Equal(t, compile(), 0, "rehearsals of the same model after a change of %s", c.name)
	}
}

// What a copy refused is asked of a copy each time, since this process must not try it.
func TestRefusalIsNotRemembered(t *testing.T) {
	files := map[string]string{"main.xml": `<mujoco><worldbody><body><joint/></body></worldbody></mujoco>`}
	folder := t.TempDir()
	for name, text := range files {
		polytest.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644))
	}
	_, first := Compile(one, folder, Options{})
	before := countProven()
	_, second := Compile(one, folder, Options{})
	polytest.Equal(t, second.Error(), first.Error(), "the second refusal")
	polytest.Equal(t, countProven(), before, "rehearsals remembered")
}
