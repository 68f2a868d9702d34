package configs

import (
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/polyrhythm-rl/polyrhythm/internal/decode"
	"github.com/polyrhythm-rl/polyrhythm/internal/spell"
)

// Load reads the configuration file at path, or the preset of a name that begins with [Builtin]. It then applies environ, entries NAME=value as os.Environ
// returns them, of which those that do not begin with POLYRHYTHM_ are ignored, and overrides, entries
// key=value as the --set flag takes them, where a later entry overrides an earlier one. defaults, entries
// key=value, replace values of [Default] and are overridden by the file.
//
// The configuration is validated, see [Config.Validate]. Every error is one line that names the layer and the key.
func Load(path string, overrides, environ []string, defaults ...string) (*Config, error) {
	data, err := ReadInput(path)
	if err != nil {
		return nil, fmt.Errorf("configuration: %w", err)
	}
	return Parse(path, data, overrides, environ, defaults...)
}

// Parse is [Load] for a file with the contents data. Its path appears in errors, and
// relative paths in the file, of models and of the file that it extends, are relative to its folder.
func Parse(path string, data []byte, overrides, environ []string, defaults ...string) (*Config, error) {
	return newLayers().parse(path, data, overrides, environ, defaults)
}

// Explain is [Parse] that returns the configuration as YAML in its canonical form, with a comment behind each value that
// a layer has set: the path of the file, the variable or the flag.
func Explain(path string, data []byte, overrides, environ []string, defaults ...string) ([]byte, error) {
	l := newLayers()
	c, err := l.parse(path, data, overrides, environ, defaults)
	if err != nil {
		return nil, err
	}
	return l.origins.explain(c)
}

// parse adds all layers, and returns the configuration that they make.
func (l *layers) parse(path string, data []byte, overrides, environ, defaults []string) (*Config, error) {
	for _, d := range defaults {
		key, text, _ := strings.Cut(d, "=")
		if err := l.override(key, text, ""); err != nil {
			return nil, err
		}
	}
	l.defaults, l.origins = l.tree, origins{}
	files, err := l.addFile(path, data, nil)
	if err != nil {
		return nil, err
	}
	if err := l.applyEnvironment(environ); err != nil {
		return nil, err
	}
	for _, o := range overrides {
		key, text, ok := strings.Cut(o, "=")
		if !ok {
			return nil, fmt.Errorf("%s: want key=value", flagOf(o))
		}
		if err := l.override(key, text, flagOf(o)); err != nil {
			return nil, fmt.Errorf("%s: %w", flagOf(o), err)
		}
	}
	c, err := resolve(l.tree)
	if err != nil {
		_, section := keyOf(err)
		for _, f := range files { // the last that has the section wins
			if _, ok := f.tree[section]; ok {
				path = f.path
			}
		}
		err = Locate(err, path, overrides, environ)
	}
	return c, err
}

// maxFlag is how many characters of an override errors show.
const maxFlag = 200

// flagOf is an override as errors name it. Of a long one, such as a list of observations, it is the beginning: what is
// wrong with it comes behind.
func flagOf(override string) string {
	text := []rune(decode.Printable(override))
	if len(text) > maxFlag {
		text = append(text[:maxFlag], '…')
	}
	return "--set " + string(text)
}

// leadingKey is a key with which an error begins, such as rewards[0].term.
var leadingKey = regexp.MustCompile(`^[a-z_]+([.\[][^ :]*)?`)

// keyOf returns the key with which an error begins, and its section.
func keyOf(err error) (key, section string) {
	key = leadingKey.FindString(err.Error())
	section, _, _ = strings.Cut(strings.ReplaceAll(key, "[", "."), ".")
	return key, section
}

// Locate names in an error that was found when all layers were merged, or later, the layer that its key comes
// from, which the arguments of [Parse] say. An error that does not begin with a key stays as it is.
func Locate(err error, path string, overrides, environ []string) error {
	key, section := keyOf(err)
	sections := decode.Fields(reflect.TypeFor[Config]())
	if !slices.ContainsFunc(sections, func(f decode.Field) bool { return f.Key == section }) {
		return err
	}
	// sets reports whether a layer that sets one key can have brought another.
	sets := func(set string) bool {
		return key == set || strings.HasPrefix(set, key+".") ||
			strings.HasPrefix(key, set+".") || strings.HasPrefix(key, set+"[")
	}
	for _, o := range slices.Backward(overrides) {
		set, _, _ := strings.Cut(o, "=")
		if sets(set) {
			return fmt.Errorf("%s: %w", flagOf(o), err)
		}
		if list, _ := entryOf(set); list != "" && strings.HasPrefix(key, list+"[") {
			path += " with " + flagOf(o) // by the name of an entry, which may be this one
		}
	}
	for _, entry := range environ {
		name, _, _ := strings.Cut(entry, "=")
		if leaf, ok := variables()[name]; ok && sets(leaf) {
			return fmt.Errorf("variable %s: %w", name, err)
		}
	}
	return fmt.Errorf("%s: %w", path, err)
}

// With returns a copy of a configuration from [Load] in which some keys have other values,
// given as YAML. The keys are those of [Load]'s overrides.
func (c *Config) With(keys, values []string) (*Config, error) {
	file, err := decode.Parse("", c.YAML())
	if err != nil {
		return nil, err
	}
	l := newLayers()
	l.merge(file.(map[string]any), "")
	for i, key := range keys {
		if err := l.override(key, values[i], ""); err != nil {
			return nil, err
		}
	}
	return resolve(l.tree)
}

// defaultTree returns [Default], the lowest layer.
func defaultTree() map[string]any {
	c := Default()
	tree, err := decode.Parse("", c.YAML())
	if err != nil {
		panic(err) // cannot happen: YAML produced it
	}
	return tree.(map[string]any)
}

func resolve(tree map[string]any) (*Config, error) {
	placeEach(tree["sensors"], func(fields map[string]any) {
		if hold, ok := fields["hold"].(map[string]any); ok && hold["probability"] == nil {
			hold["probability"] = 1
		}
		if camera, ok := fields["camera"].(map[string]any); ok && (isZeros(camera["distortion"]) ||
			isZeros(camera["position"]) && isZeros(camera["quaternion"])) {
			// Configurations that were recorded before 0.1.0 have zeros for what had not been given, and older ones no distortion.
			for _, key := range []string{"position", "quaternion", "distortion"} {
				if isZeros(camera[key]) {
					delete(camera, key)
				}
			}
		}
	})
	var c Config
	if err := decode.Into("", tree, &c); err != nil {
		return nil, err
	}
	// An empty list becomes nil, so that equal configurations compare equal.
	if len(c.Bindings) == 0 {
		c.Bindings = nil
	}
	if len(c.Sensors) == 0 {
		c.Sensors = nil
	}
	if len(c.Scene.Actuators) == 0 {
		c.Scene.Actuators = nil
	}
	if err := c.Validate(); err != nil {
		return nil, err
	}
	return &c, nil
}

func isZeros(list any) bool {
	items, ok := list.([]any)
	return ok && len(items) > 0 && !slices.ContainsFunc(items, func(v any) bool { return v != any(0) })
}

// plainKey matches a key that a variable and a flag can spell.
var plainKey = regexp.MustCompile(`^[a-z0-9_]+$`)

// checkKeys returns an error unless every key of a free-form mapping is plain.
func checkKeys(path string, tree map[string]any) error {
	for _, key := range slices.Sorted(maps.Keys(tree)) {
		if !plainKey.MatchString(key) {
			return fmt.Errorf("%s: key %q, want only the characters a-z, 0-9 and _", path, key)
		}
		sub, _ := tree[key].(map[string]any)
		if err := checkKeys(path+"."+key, sub); err != nil {
			return err
		}
	}
	return nil
}

// envPrefix is the prefix of the environment variables of the configuration.
const envPrefix = "POLYRHYTHM_"

// The environment variables with the prefix POLYRHYTHM_ that are not configuration keys.
const (
	GymnasiumVariable = envPrefix + "GYMNASIUM" // the folder of the model files of Gymnasium's MuJoCo tasks
	RobotsVariable    = envPrefix + "ROBOTS"    // the folder of the models of [RobotPackages]
	FFmpegVariable    = envPrefix + "FFMPEG"    // the path of ffmpeg, see internal/ffmpeg
	PythonVariable    = envPrefix + "PYTHON"    // the path of the Python whose pip fetches the models of robots
)

// SettingsVariable is off where the programs read no files of settings.
const SettingsVariable = envPrefix + "SETTINGS"

// otherVariables are no keys: those above, and the settings of the programs, which package cli knows.
var otherVariables = []string{GymnasiumVariable, RobotsVariable, FFmpegVariable, PythonVariable, SettingsVariable, envPrefix + "RUNS",
	envPrefix + "LOG_EVERY", envPrefix + "TENSORBOARD", envPrefix + "QUIET", envPrefix + "VERBOSE", envPrefix + "COLOUR", envPrefix + "THEME",
	envPrefix + "KERNELS", envPrefix + "MEMORY_MB"}

// variables returns the keys that variables can set, by the names of these. The caller must not change the map.
var variables = sync.OnceValue(func() map[string]string {
	keys := map[string]string{}
	for _, k := range decode.Leaves(reflect.TypeFor[Config]()) {
		keys[envName(k)] = k
	}
	return keys
})

// optionsKey is the key of the task's options, whose own keys this package cannot check.
const optionsKey = "task.options"

func (l *layers) applyEnvironment(environ []string) error {
	keys := variables()
	options := envName(optionsKey) + "_"
	for _, entry := range slices.Sorted(slices.Values(environ)) {
		name, text, _ := strings.Cut(entry, "=")
		if !strings.HasPrefix(name, envPrefix) || slices.Contains(otherVariables, name) {
			continue
		}
		key, ok := keys[name]
		if !ok && strings.HasPrefix(name, options) {
			key, ok = optionsKey+"."+strings.ToLower(name[len(options):]), true
		}
		if list := listOf(name); !ok && list != "" {
			return fmt.Errorf("variable %s: a variable can only set all of %s, as %s; want --set %s.NAME.KEY=VALUE "+
				"for a part of it", name, list, envName(list), list)
		}
		if !ok {
			return fmt.Errorf("variable %s: unknown configuration key%s", name, suggestVariable(name, keys))
		}
		if err := l.override(key, text, "variable "+name); err != nil {
			return fmt.Errorf("variable %s: %w", name, err)
		}
	}
	return nil
}

// suggestVariable ends the error of an unknown variable; keys are those of the known ones.
func suggestVariable(name string, keys map[string]string) string {
	known := slices.Sorted(slices.Values(slices.AppendSeq(slices.Clone(otherVariables), maps.Keys(keys))))
	ours := spell.Translate(strings.ToLower(name[len(envPrefix):]))
	for _, variable := range known {
		if key := keys[variable]; key == ours || strings.HasSuffix(key, "."+ours) {
			return "; did you mean " + variable + "?"
		}
	}
	if nearest := spell.Nearest(name, known); spell.Near(name[len(envPrefix):], nearest[len(envPrefix):]) {
		return "; did you mean " + nearest + "?"
	}
	return ""
}

// listOf returns the list of entries of which a variable names a part; "" for any other.
func listOf(variable string) string {
	lists := []string{observationsKey}
	for _, list := range namedLists {
		lists = append(lists, list.path)
	}
	for _, list := range lists {
		if strings.HasPrefix(variable, envName(list)+"_") {
			return list
		}
	}
	return ""
}

func envName(key string) string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(key, ".", "_"))
}
