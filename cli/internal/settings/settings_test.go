package settings

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/spf13/pflag"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/internal/decode"
	"github.com/polyrhythm-rl/polyrhythm/internal/memory"
	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/rl/nn"
)

// machine is a user with a project, and nothing in either.
type machine struct {
	t    *testing.T
	user string // the file of the user
}

func newMachine(t *testing.T) machine {
	t.Helper()
	for _, entry := range os.Environ() {
		if name, _, _ := strings.Cut(entry, "="); strings.HasPrefix(name, prefix) || name == kernelVariable {
			unset(t, name)
		}
	}
	t.Chdir(t.TempDir())
	home := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", home)
	user := filepath.Join(home, "polyrhythm", "config.yaml")
	polytest.NoError(t, os.MkdirAll(filepath.Dir(user), 0o777))
	return machine{t, user}
}

// unset removes a variable for the time of a test.
func unset(t *testing.T, name string) {
	t.Helper()
	t.Setenv(name, "") // which brings it back
	polytest.NoError(t, os.Unsetenv(name))
}

func (m machine) write(path, text string) {
	m.t.Helper()
	polytest.NoError(m.t, os.WriteFile(path, []byte(text), 0o600))
}

// load parses arguments by the flags of a command that has all, and loads the settings.
func (m machine) load(args ...string) (*Settings, error) {
	m.t.Helper()
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	AddFlags(flags)
	flags.Int("workers", 0, "")
	flags.Int64("log-every", 1, "")
	polytest.NoError(m.t, flags.Parse(args))
	return Load(flags)
}

// values has for each setting one for the user's file, the project's, a variable and a flag; "" where the layer has none.
var values = map[string][4]string{
	"runs":        {"/a", "b/c", "d", "e f"},
	"workers":     {"1", "2", "3", "4"},
	"log_every":   {"0", "2", "3", "9223372036854775807"},
	"tensorboard": {"false", "true", "false", ""},
	"quiet":       {"true", "false", "true", "false"},
	"verbose":     {"true", "false", "true", "false"},
	"colour":      {"never", "always", "never", "always"},
	"theme":       {"dark", "light", "dark", "light"},
	"kernels":     {"Haswell", "Zen", "SkylakeX", "Prescott"},
	"memory_mb":   {"1", "2", "3", "4"},
	"gymnasium":   {"/a", "b", "c", ""},
	"robots":      {"/a", "b", "c", ""},
	"ffmpeg":      {"/a", "", "c", ""},
}

// Of the layers that have a value, the highest counts, whatever the others have.
func TestPrecedence(t *testing.T) {
	if got := len(values); got != len(Keys()) {
		t.Fatalf("the test has %d settings, want %v", got, Keys())
	}
	for key, layers := range values {
		for some := range 1 << len(layers) {
			t.Run(fmt.Sprintf("%s/%04b", key, some), func(t *testing.T) {
				m := newMachine(t)
				want, from, where, args := fmt.Sprint(Defaults.get(key)), Default, "", []string{}
				for i, text := range layers {
					if text == "" || some>>i&1 == 0 {
						continue
					}
					switch want = text; i {
					case 0:
						m.write(m.user, fmt.Sprintf("%s: %s\n", key, text))
						from, where = User, m.user
					case 1:
						m.write(ProjectFile, fmt.Sprintf("%s: %s\n", key, text))
						from, where = Project, ProjectFile
					case 2:
						t.Setenv(VariableOf(key), text)
						from, where = Variable, VariableOf(key)
					case 3:
						args = []string{"--" + FlagOf(key) + "=" + text}
						from, where = Flag, "--"+FlagOf(key)
					}
				}
				s := polytest.Must(m.load(args...))(t)
				one := s.Of(key)
				if fmt.Sprint(one.Value) != want || one.From != from || one.Where != where {
					t.Errorf("got %v from %q, want %s from %s %s", one.Value, one, want, from, where)
				}
				if got := s.get(key); got != one.Value {
					t.Errorf("the value is %v, want %v", got, one.Value)
				}
				rest := s.Preferences
				rest.field(key).Set(reflect.ValueOf(Defaults.get(key)))
				if rest != Defaults {
					t.Errorf("other settings are %+v, want the defaults", rest)
				}
			})
		}
	}
}

// Every setting has a variable that configurations accept, and none is the variable of a key that means something else.
func TestVariables(t *testing.T) {
	task := []byte("task: {name: quadruped}\n")
	for _, key := range Keys() {
		name := VariableOf(key)
		if key == "workers" { // which fills the key of the same name
			continue
		}
		if _, err := configs.Parse("", task, nil, []string{name + "=3"}); err != nil {
			t.Error(err)
		}
		for _, leaf := range decode.Leaves(reflect.TypeFor[configs.Config]()) {
			if strings.ReplaceAll(leaf, ".", "_") == key {
				t.Errorf("%s is the variable of the setting %s and of the key %s", name, key, leaf)
			}
		}
	}
	c := polytest.Must(configs.Parse("", task, nil, []string{VariableOf("workers") + "=3"}))(t)
	if c.Workers != 3 {
		t.Errorf("the configuration has %d workers, want 3", c.Workers)
	}
	_, err := configs.Parse("", task, nil, []string{"POLYRHYTHM_RUN=x"})
	if want := "did you mean POLYRHYTHM_RUNS?"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %q", err, want)
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct{ file, want string }{
		{"workerz: 3", "workerz: unknown key; did you mean workers?"},
		{"Runs: x", "Runs: unknown key; did you mean runs?"}, // viper would fold it
		{"color: never", "color: unknown key; did you mean colour?"},
		{"bogus: 1", "bogus: unknown key, want one of runs, workers, "},
		{"bogus:", "bogus: unknown key, want one of runs, workers, "},
		{"workers: x", `workers is "x", want a whole number`},
		{"workers: '3'", `workers is "3", want a whole number`}, // viper would take it for 3
		{"workers: 1.5", "workers is 1.5, want a whole number"},
		{"workers: 010", "workers is 010, want a whole number without a leading 0"},
		{"workers: -1", "workers is -1, want 0 to 1024"},
		{"workers: 1025", "workers is 1025, want 0 to 1024"},
		{"log_every: -1", "log_every is -1, want at least 0"},
		{"log_every: 1s", `log_every is "1s", want a whole number`},
		{"memory_mb: 1e99", "memory_mb is 1e+99, want a whole number"},
		{"quiet: 1", "quiet is 1, want true or false"},
		{"quiet: 'yes'", `quiet is "yes", want true or false`},
		{"runs: ''", `runs is "", want a folder`},
		{"runs: '-'", `runs is "-", want a folder`},
		{"runs: [a]", "runs is a list of 1, want text"},
		{"runs: 7", "runs is 7, want text"},
		{"theme: blue", `theme is "blue", want light or dark`},
		{"colour: true", `colour is true, want text`},
		{"kernels: 'a b'", `kernels is "a b", want a name of OpenBLAS's`},
		{"task: {name: quadruped}", "task: a key of the configuration of a run, want settings of the programs"},
		{"workers: 2\nworlds: 2", "worlds: a key of the configuration of a run"},
		{"extends: /etc/passwd", "extends: a key of the configuration of a run"},
		{"- runs", "want a mapping of keys to values"},
		{"secret", "want a mapping of keys to values"},
		{"quiet: true\n---\nquiet: false", "want one YAML document"},
		{"quiet: true\nquiet: false", "already defined"},
		{"a: [", "did not find"},
		{"\x00", "control characters are not allowed"},
		{"ffmpeg: ./evil", "ffmpeg: a program is named by the file of the user or by POLYRHYTHM_FFMPEG alone"},
	} {
		m := newMachine(t)
		m.write(ProjectFile, c.file)
		_, err := m.load()
		if err == nil || !strings.HasPrefix(err.Error(), ProjectFile+": ") || !strings.Contains(err.Error(), c.want) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: got %v, want one line with %q", c.file, err, c.want)
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("the error shows what is no setting: %v", err)
		}
	}
	for _, c := range []struct{ name, text, want string }{
		{"POLYRHYTHM_WORKERS", "x", `variable POLYRHYTHM_WORKERS: workers is "x", want a whole number`},
		{"POLYRHYTHM_WORKERS", "null", `variable POLYRHYTHM_WORKERS: workers is "null", want a value`},
		{"POLYRHYTHM_QUIET", "1", "variable POLYRHYTHM_QUIET: quiet is 1, want true or false"},
		{"POLYRHYTHM_THEME", "blue", `variable POLYRHYTHM_THEME: theme is "blue", want light or dark`},
		{"POLYRHYTHM_LOG_EVERY", "[1]", "variable POLYRHYTHM_LOG_EVERY: log_every is a list of 1, want a whole number"},
		{FilesVariable, "on", `variable POLYRHYTHM_SETTINGS: it is "on", want off, or none`},
	} {
		m := newMachine(t)
		t.Setenv(c.name, c.text)
		if _, err := m.load(); err == nil || err.Error() != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
		unset(t, c.name)
	}
	m := newMachine(t)
	if _, err := m.load("--colour=pink"); err == nil || err.Error() != `--colour is "pink", want auto, always or never` {
		t.Errorf("got %v", err)
	}
	for _, path := range []string{"bin/ffmpeg", "./ffmpeg", "../ffmpeg"} {
		m.write(m.user, "ffmpeg: "+path)
		if _, err := m.load(); err == nil || !strings.Contains(err.Error(), "want an absolute path") {
			t.Errorf("%s: got %v, want it to be refused: a project could bring it along", path, err)
		}
	}
	m.write(m.user, "theme: blue")
	if _, err := m.load(); err == nil || !strings.HasPrefix(err.Error(), m.user+": theme is") {
		t.Errorf("got %v, want one that names %s", err, m.user)
	}
	t.Setenv(FilesVariable, "off")
	if s, err := m.load(); err != nil || s.Files != nil {
		t.Errorf("got %v, %v: want no file to be read", s, err)
	}
}

// What is no plain file is refused in one line, at once, and nothing of it is taken.
func TestOddFiles(t *testing.T) {
	for _, c := range []struct {
		what, want string
		make       func(path string) error
	}{
		{"pipe", "want a file", func(path string) error { return syscall.Mkfifo(path, 0o600) }},
		{"folder", "want a file", func(path string) error { return os.Mkdir(path, 0o700) }},
		{"device", "want a file", func(path string) error { return os.Symlink("/dev/zero", path) }},
		{"link to nothing", "no such file", func(path string) error { return os.Symlink("nowhere", path) }},
		{"link to itself", "too many", func(path string) error { return os.Symlink(ProjectFile, path) }},
		{"long file", "is more than 65536 bytes", func(path string) error {
			return os.WriteFile(path, []byte(strings.Repeat("# much\n", maxFile/7+1)), 0o600)
		}},
		{"huge file", "is more than 65536 bytes", func(path string) error {
			return errors.Join(os.WriteFile(path, nil, 0o600), os.Truncate(path, 1<<40))
		}},
	} {
		m := newMachine(t)
		if err := c.make(ProjectFile); err != nil {
			t.Logf("%s: %v", c.what, err) // a file system may have none of them
			continue
		}
		_, err := m.load()
		if err == nil || !strings.Contains(err.Error(), ProjectFile) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want one with %q", c.what, err, c.want)
		}
	}
	m := newMachine(t)
	m.write(filepath.Join(m.user, "..", "..", "file"), "")
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(m.user, "..", "..", "file"))
	if s, err := m.load(); err != nil || s.Files[0].Read {
		t.Errorf("got %v, %v: want no file of the user in what is no folder", s, err)
	}
	if os.Geteuid() != 0 {
		m = newMachine(t)
		m.write(ProjectFile, "")
		polytest.NoError(t, os.Chmod(ProjectFile, 0))
		if _, err := m.load(); !errors.Is(err, os.ErrPermission) {
			t.Errorf("got %v, want one of permissions", err)
		}
		polytest.NoError(t, os.Remove(ProjectFile))
		m.write(m.user, "bogus: 1")
		polytest.NoError(t, os.Chmod(filepath.Dir(m.user), 0))
		if s, err := m.load(); err != nil || s.Files[0].Read {
			t.Errorf("got %v, %v: want no file in a folder of somebody else", s, err)
		}
		polytest.NoError(t, os.Chmod(filepath.Dir(m.user), 0o700))
	}
}

// Empty files, empty variables and null give nothing.
func TestNothingGiven(t *testing.T) {
	for _, text := range []string{"", "# a comment\n", "\ufeff", "runs:\nworkers: null\n", "{}", "---\n"} {
		m := newMachine(t)
		m.write(ProjectFile, text)
		for _, key := range Keys() {
			t.Setenv(VariableOf(key), "")
		}
		s, err := m.load()
		if err != nil || s.Preferences != Defaults || !s.Files[1].Read || s.Files[0].Read {
			t.Errorf("%q: got %+v, %v: want the defaults", text, s, err)
		}
	}
}

func TestHome(t *testing.T) {
	m := newMachine(t)
	home := t.TempDir()
	t.Setenv("HOME", home)
	m.write(m.user, "runs: ~/runs\ngymnasium: ~/assets\nffmpeg: ~x\n")
	s := polytest.Must(m.load())(t)
	if s.Runs != filepath.Join(home, "runs") || s.Gymnasium != filepath.Join(home, "assets") || s.FFmpeg != "~x" {
		t.Errorf("got %+v, want folders in %s", s.Preferences, home)
	}
	s = polytest.Must(m.load("--runs=~/flag"))(t)
	if s.Runs != filepath.Join(home, "flag") {
		t.Errorf("got %s, want a folder in %s", s.Runs, home)
	}
	for _, relative := range []string{"", "config", "./x"} {
		t.Setenv("XDG_CONFIG_HOME", relative)
		if got, want := userFile(), filepath.Join(home, ".config", "polyrhythm", "config.yaml"); got != want {
			t.Errorf("XDG_CONFIG_HOME=%s: got %s, want %s", relative, got, want)
		}
	}
	unset(t, "HOME")
	if s, err := m.load(); err != nil || len(s.Files) != 1 {
		t.Errorf("got %+v, %v: want the file of the project alone", s, err)
	}
}

// Apply asks to begin again where OpenBLAS has other kernels, once, and takes back the rest.
func TestApply(t *testing.T) {
	m := newMachine(t)
	other := "Haswell"
	if strings.EqualFold(nn.Kernel(), other) {
		other = "Prescott"
	}
	m.write(m.user, "kernels: "+other+"\ngymnasium: /assets\nmemory_mb: 1\nffmpeg: /bin/ffmpeg\n")
	s := polytest.Must(m.load())(t)
	begun := errors.New("begun again")
	var environ []string
	_, err := s.Apply(func(all []string) error { environ = all; return begun })
	if !errors.Is(err, begun) || !slices.Contains(environ, kernelVariable+"="+other) {
		t.Errorf("got %v with %q, want %s=%s", err, environ, kernelVariable, other)
	}
	if _, err := s.Apply(nil); err == nil || !strings.Contains(err.Error(), m.user+": kernels is") {
		t.Errorf("got %v, want one about kernels in %s", err, m.user)
	}

	t.Setenv(kernelVariable, other) // as after it has begun again
	s = polytest.Must(m.load())(t)
	if one := s.Of("kernels"); one.From != User {
		t.Errorf("the kernels are from the %s, want the file, which they were from before", one)
	}
	if _, err := s.Apply(func([]string) error { t.Error("it begins again"); return nil }); err == nil ||
		!strings.Contains(err.Error(), "OpenBLAS takes "+nn.Kernel()) {
		t.Errorf("got %v, want the kernels that it has", err)
	}
	t.Setenv(kernelVariable, "another") // OpenBLAS's variable is a variable
	s = polytest.Must(m.load())(t)
	if one := s.Of("kernels"); one.From != Variable || one.Where != kernelVariable {
		t.Errorf("the kernels are from the %s, want %s", one, kernelVariable)
	}

	for name, can := range executable {
		if can {
			continue
		}
		m.write(ProjectFile, "kernels: "+name)
		unset(t, kernelVariable)
		s := polytest.Must(m.load())(t)
		if _, err := s.Apply(func([]string) error { return begun }); err == nil || errors.Is(err, begun) {
			t.Errorf("got %v, want no beginning with kernels that end the process", err)
		}
	}

	t.Setenv(kernelVariable, "another")
	s = polytest.Must(m.load())(t)
	restore := polytest.Must(s.Apply(nil))(t)
	if got := os.Getenv(configs.GymnasiumVariable) + os.Getenv(configs.FFmpegVariable); got != "/assets/bin/ffmpeg" {
		t.Errorf("the variables are %s", got)
	}
	shortage := (*memory.Shortage)(nil)
	if err := memory.Check("this", memory.Need{Engine: 1 << 20}); !errors.As(err, &shortage) {
		t.Errorf("got %v, want a shortage", err)
	}
	restore()
	if got, ok := os.LookupEnv(configs.GymnasiumVariable); ok {
		t.Errorf("the variable is still %s", got)
	}
	if err := memory.Check("this", memory.Need{Engine: 1 << 20}); err != nil {
		t.Error(err)
	}
}

// FuzzFile parses any text as a file: it is refused in one line, or its values are valid and are those that the layers
// above see.
func FuzzFile(f *testing.F) {
	for key, layers := range values {
		f.Add(fmt.Sprintf("%s: %s\n", key, layers[0]), key == "runs")
	}
	f.Add("a: &a [*a]", true)
	f.Add("<<: {runs: x}", false)
	f.Add("runs: !!binary aGk=", false)
	f.Add("? [a]\n: b", false)
	f.Fuzz(func(t *testing.T, text string, project bool) {
		layer := User
		if project {
			layer = Project
		}
		tree, err := parse([]byte(text), layer)
		if err != nil {
			if line := err.Error(); line == "" || strings.ContainsAny(line, "\n\r") {
				t.Fatalf("the error is %q, want one line", line)
			}
			return
		}
		v := Defaults
		if err := errors.Join(decode.Into("", tree, &v), v.Validate()); err != nil {
			t.Fatalf("%v is accepted: %v", tree, err)
		}
		for key, value := range tree {
			if !slices.Contains(Keys(), key) || fmt.Sprint(v.get(key)) != fmt.Sprint(value) {
				t.Fatalf("%s is %v, want %v", key, v.get(key), value)
			}
		}
	})
}
