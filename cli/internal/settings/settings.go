package settings

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"

	"github.com/spf13/pflag"
	"github.com/spf13/viper"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/internal/bounds"
	"github.com/polyrhythm-rl/polyrhythm/internal/decode"
)

// Preferences are the settings of a command, by the keys of their files.
type Preferences struct {
	Runs        string `yaml:"runs"`        // folder of new runs, relative to the working folder or absolute
	Workers     int    `yaml:"workers"`     // threads that step worlds, where a configuration says 0; 0: one per CPU
	LogEvery    int64  `yaml:"log_every"`   // control steps from one logged state to the next; 0: no log
	TensorBoard bool   `yaml:"tensorboard"` // whether a training writes events, where its configuration leaves it open
	Quiet       bool   `yaml:"quiet"`       // no progress
	Verbose     bool   `yaml:"verbose"`     // say which settings are not the defaults
	Colour      string `yaml:"colour"`      // of errors and warnings: one of [Colours]
	Theme       string `yaml:"theme"`       // of drawn curves: one of [Themes]
	Kernels     string `yaml:"kernels"`     // of OpenBLAS, by its names; "": its own choice
	MemoryMB    int64  `yaml:"memory_mb"`   // MiB that the process may take; 0: what the machine has
	Gymnasium   string `yaml:"gymnasium"`   // folder of Gymnasium's model files; "": where the set-up puts them
	Robots      string `yaml:"robots"`      // folder of the models of packages; "": that of train fetch
	FFmpeg      string `yaml:"ffmpeg"`      // the program, a path or a name in PATH; "": ffmpeg
}

// Defaults are the values that no layer gives.
var Defaults = Preferences{Runs: "runs", LogEvery: 1, TensorBoard: true, Colour: Colours[0], Theme: Themes[0]}

// Colours are the values of colour.
var Colours = []string{"auto", "always", "never"}

// Themes are the values of theme.
var Themes = []string{"light", Dark}

// Dark is the theme of light lines on a dark ground.
const Dark = "dark"

// kernelName is what names of OpenBLAS's kernels look like.
var kernelName = regexp.MustCompile(`^[A-Za-z0-9_]{1,64}$`)

// Validate returns the first problem. Its error begins with a key.
func (v *Preferences) Validate() error {
	var c bounds.Check
	if v.Runs == "" || v.Runs == "-" {
		c.Fail("runs is %q, want a folder", v.Runs)
	}
	c.Whole("workers", int64(v.Workers), 0, configs.MaxWorkers)
	c.Whole("log_every", v.LogEvery, 0, math.MaxInt64)
	c.OneOf("colour", v.Colour, Colours...)
	c.OneOf("theme", v.Theme, Themes...)
	c.Whole("memory_mb", v.MemoryMB, 0, maxMemoryMB)
	if v.Kernels != "" && !kernelName.MatchString(v.Kernels) {
		c.Fail("kernels is %q, want a name of OpenBLAS's, such as Haswell", v.Kernels)
	}
	return c.Err()
}

// maxMemoryMB is 1 EiB.
const maxMemoryMB = 1 << 40

// A Layer is where a value comes from.
type Layer string

// The layers, the lowest first.
const (
	Default  Layer = "default"
	User     Layer = "user file"
	Project  Layer = "project file"
	Variable Layer = "variable"
	Flag     Layer = "flag"
)

// Setting is the value of one key.
type Setting struct {
	Key   string `json:"setting"`
	Value any    `json:"value"` // text, truth value or whole number
	From  Layer  `json:"from"`
	Where string `json:"where,omitempty"` // path of the file, name of the variable or of the flag; "": a default
}

// String returns the layer and where it is, such as "variable POLYRHYTHM_RUNS".
func (s Setting) String() string { return strings.TrimSpace(string(s.From) + " " + s.Where) }

// Candidate is a file of settings that is looked for.
type Candidate struct {
	Layer Layer  `json:"layer"`
	Path  string `json:"path"`
	Read  bool   `json:"read"` // else there is none
}

// Settings are all settings of a command. They do not change.
type Settings struct {
	Preferences
	All   []Setting   // in the order of [Preferences]
	Files []Candidate // that were looked for, the lowest layer first
}

// New returns the defaults.
func New() *Settings {
	s := &Settings{Preferences: Defaults}
	for _, key := range Keys() {
		s.All = append(s.All, Setting{Key: key, Value: Defaults.get(key), From: Default})
	}
	return s
}

// Of returns a setting. It panics if there is none with that key.
func (s *Settings) Of(key string) Setting {
	for _, one := range s.All {
		if one.Key == key {
			return one
		}
	}
	panic("no setting " + key)
}

// Keys returns the keys of all settings.
func Keys() (keys []string) {
	for _, f := range decode.Fields(reflect.TypeFor[Preferences]()) {
		keys = append(keys, f.Key)
	}
	return keys
}

// get returns a value, as text, bool, int or int64.
func (v *Preferences) get(key string) any { return v.field(key).Interface() }

func (v *Preferences) field(key string) reflect.Value {
	for _, f := range decode.Fields(reflect.TypeFor[Preferences]()) {
		if f.Key == key {
			return reflect.ValueOf(v).Elem().FieldByIndex(f.Index)
		}
	}
	panic("no setting " + key)
}

// prefix begins the names of variables.
const prefix = "POLYRHYTHM_"

// VariableOf returns the name of the variable of a setting.
func VariableOf(key string) string { return prefix + strings.ToUpper(key) }

// FlagOf returns the name of the flag of a setting, where a command has it.
func FlagOf(key string) string { return strings.ReplaceAll(key, "_", "-") }

const (
	// FilesVariable says whether files of settings are read.
	FilesVariable = configs.SettingsVariable
	// kernelVariable is OpenBLAS's own.
	kernelVariable = "OPENBLAS_CORETYPE"
)

// Load finds the settings of a command whose flags are parsed: in its flags, in the variables of the process and in the
// files. Errors are one line that names the layer and the key.
func Load(flags *pflag.FlagSet) (*Settings, error) {
	read, err := readsFiles()
	if err != nil {
		return nil, err
	}
	s := New()
	v := viper.New()
	layers := map[Layer]map[string]any{}
	if read {
		s.Files = files()
	}
	for i := range s.Files {
		f := &s.Files[i]
		tree, err := f.load()
		if err == nil {
			err = v.MergeConfigMap(tree)
		}
		if err != nil {
			return nil, err
		}
		layers[f.Layer] = tree
	}
	for i := range s.All {
		one := &s.All[i]
		v.SetDefault(one.Key, one.Value)
		if err := bind(v, flags, one.Key); err != nil {
			return nil, err
		}
		s.locate(one, flags, layers)
		if err := s.set(one, v.Get(one.Key)); err != nil {
			return nil, one.wrap(err)
		}
	}
	return s, nil
}

// variablesOf returns the variables of a setting, of which the first that is set counts.
func variablesOf(key string) []string {
	if key == "kernels" {
		return []string{VariableOf(key), kernelVariable}
	}
	return []string{VariableOf(key)}
}

// bind lets the variables of a setting count, and its flag where the command has one of that name.
func bind(v *viper.Viper, flags *pflag.FlagSet, key string) error {
	err := v.BindEnv(append([]string{key}, variablesOf(key)...)...)
	if flag := flags.Lookup(FlagOf(key)); flag != nil && err == nil {
		err = v.BindPFlag(key, flag)
	}
	return err
}

// locate says where the value of a setting comes from: of the layers that have one, the highest.
func (s *Settings) locate(one *Setting, flags *pflag.FlagSet, layers map[Layer]map[string]any) {
	for _, f := range s.Files {
		if value, ok := layers[f.Layer][one.Key]; ok {
			one.From, one.Where, one.Value = f.Layer, f.Path, value
		}
	}
	for _, name := range variablesOf(one.Key) {
		// Execute sets OpenBLAS's variable to what a file says.
		if text := os.Getenv(name); text != "" && (name != kernelVariable || text != one.Value) {
			one.From, one.Where = Variable, name
			break
		}
	}
	if flags.Changed(FlagOf(one.Key)) {
		one.From, one.Where = Flag, "--"+FlagOf(one.Key)
	}
}

// set decodes a value, which is text if it is from a variable or a flag.
func (s *Settings) set(one *Setting, value any) error {
	field := s.field(one.Key)
	if text, ok := value.(string); ok && field.Kind() != reflect.String {
		var err error
		if value, err = decode.Parse(one.Key, []byte(text)); err != nil {
			return err
		}
		if value == nil {
			return decode.Invalid(one.Key, text, "a value")
		}
	}
	value, err := decode.Clean(one.Key, value)
	if err != nil {
		return err
	}
	if err := decode.Into("", map[string]any{one.Key: value}, &s.Preferences); err != nil {
		return err
	}
	if err := s.Validate(); err != nil {
		return err
	}
	if below, ok := strings.CutPrefix(fmt.Sprint(value), home); ok {
		folder, err := os.UserHomeDir()
		if err != nil {
			return fmt.Errorf("%s: %w", one.Key, err)
		}
		field.SetString(filepath.Join(folder, below))
	}
	one.Value = field.Interface()
	return nil
}

// home begins a path below the user's home. Shells replace it neither in files nor in --runs=~/runs.
const home = "~/"

// wrap names in an error about a value, which begins with the key, the layer.
func (s Setting) wrap(err error) error {
	switch s.From {
	case Flag:
		return fmt.Errorf("%s%s", s.Where, strings.TrimPrefix(err.Error(), s.Key))
	case Variable:
		return fmt.Errorf("%s: %w", s, err)
	}
	return fmt.Errorf("%s: %w", s.Where, err)
}

// readsFiles says whether files of settings are read.
func readsFiles() (bool, error) {
	switch text := os.Getenv(FilesVariable); text {
	case "":
		return true, nil
	case "off":
		return false, nil
	default:
		return false, fmt.Errorf("variable %s: it is %q, want off, or none", FilesVariable, text)
	}
}
