package configs

import (
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/polyrhythm-rl/polyrhythm/internal/decode"
	"github.com/polyrhythm-rl/polyrhythm/internal/spell"
)

// Load reads the configuration file at path. It then applies environ, entries
// NAME=value as os.Environ returns them, of which those that do not begin with
// POLYRHYTHM_ are ignored, and overrides, entries key=value as the --set flag takes
// them, where a later entry overrides an earlier one. defaults, entries key=value,
// replace values of [Default] and are overridden by the file.
//
// The configuration is validated, see [Config.Validate]. Every error is one line that
// names the layer and the key.
func Load(path string, overrides, environ []string, defaults ...string) (*Config, error) {
	data, err := readFile(path)
	if err != nil {
		return nil, fmt.Errorf("configuration: %w", err)
	}
	return Parse(path, data, overrides, environ, defaults...)
}

// maxFile is the size of the largest configuration file, in bytes.
const maxFile = 1 << 20

// readFile reads a file, which may also be a pipe or a device. It returns an error if
// there are more than maxFile bytes.
func readFile(path string) (_ []byte, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(data) > maxFile {
		err = fmt.Errorf("the size of %s is more than %d bytes, want at most that", path, maxFile)
	}
	return data, err
}

// Parse is [Load] for a file with the contents data. Its path appears in errors, and
// relative paths in the file, of models, are relative to its folder.
func Parse(path string, data []byte, overrides, environ []string, defaults ...string) (*Config, error) {
	file, err := decode.Parse("", data)
	if err != nil {
		return nil, decode.Under(path, err)
	}
	tree, ok := file.(map[string]any)
	if !ok && file != nil {
		return nil, fmt.Errorf("%s is %s, want a mapping of keys to values", path, decode.Describe(file))
	}
	if err := checkLayer(tree); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	placeFiles(tree, filepath.Dir(path))

	l := layers{tree: defaultTree()}
	for _, d := range defaults {
		key, text, _ := strings.Cut(d, "=")
		value, err := decode.Parse(key, []byte(text))
		if err != nil {
			return nil, err
		}
		l.merge(nested(strings.Split(key, "."), value))
	}
	l.merge(tree)
	alone := maps.Clone(l.tree)
	if err := l.applyEnvironment(environ); err != nil {
		return nil, err
	}
	for _, o := range overrides {
		key, text, ok := strings.Cut(o, "=")
		if !ok {
			return nil, fmt.Errorf("--set %s: want key=value", decode.Printable(o))
		}
		if err := l.override(key, text); err != nil {
			return nil, fmt.Errorf("--set %s: %w", decode.Printable(o), err)
		}
	}
	c, err := resolve(l.tree)
	if err != nil {
		if _, own := resolve(alone); own != nil && own.Error() == err.Error() {
			err = fmt.Errorf("%s: %w", path, err)
		}
	}
	return c, err
}

// With returns a copy of a configuration from [Load] in which some keys have other values,
// given as YAML. The keys are those of [Load]'s overrides.
func (c *Config) With(keys, values []string) (*Config, error) {
	file, err := decode.Parse("", c.YAML())
	if err != nil {
		return nil, err
	}
	l := layers{tree: defaultTree()}
	l.merge(file.(map[string]any))
	for i, key := range keys {
		if err := l.override(key, values[i]); err != nil {
			return nil, err
		}
	}
	return resolve(l.tree)
}

// placeFiles makes the paths of model files in a configuration file relative to its
// folder.
func placeFiles(tree map[string]any, folder string) {
	place := func(fields map[string]any, key string) {
		if file, ok := fields[key].(string); ok && file != "" && !filepath.IsAbs(file) {
			fields[key] = filepath.Join(folder, file)
		}
	}
	place(tree, "model")
	scene, _ := tree["scene"].(map[string]any)
	models, _ := scene["models"].([]any)
	for _, model := range models {
		if fields, ok := model.(map[string]any); ok {
			place(fields, "file")
		}
	}
}

// layers is a configuration to which one layer after the other is added.
type layers struct{ tree map[string]any }

// merge adds a layer on top: its values replace those below, mappings key by key.
func (l *layers) merge(layer map[string]any) { l.tree = merged(l.tree, layer) }

// defaultTree returns [Default], the lowest layer.
func defaultTree() map[string]any {
	c := Default()
	tree, err := decode.Parse("", c.YAML())
	if err != nil {
		panic(err) // cannot happen: YAML produced it
	}
	return tree.(map[string]any)
}

// resolve makes a validated Config of the merged layers.
func resolve(tree map[string]any) (*Config, error) {
	for _, list := range []string{"runners", "sensors"} {
		items, _ := tree[list].([]any)
		for _, item := range items {
			fields, ok := item.(map[string]any)
			if !ok {
				continue // decoding will return the error
			}
			if fields["enabled"] == nil {
				fields["enabled"] = true
			}
			if hold, ok := fields["hold"].(map[string]any); ok && hold["probability"] == nil {
				hold["probability"] = 1
			}
		}
	}
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
	if err := c.placeFiles(); err != nil {
		return nil, err
	}
	if err := c.Validate(); err != nil {
		return nil, err
	}
	return &c, nil
}

// placeFiles makes the paths of model files absolute.
func (c *Config) placeFiles() (err error) {
	if c.Model != "" {
		if c.Model, err = filepath.Abs(c.Model); err != nil {
			return fmt.Errorf("model: %w", err)
		}
	}
	for i := range c.Scene.Models {
		m := &c.Scene.Models[i]
		if m.File == "" {
			continue // Validate returns the error
		}
		if m.File, err = filepath.Abs(m.File); err != nil {
			return fmt.Errorf("scene.models[%d].file: %w", i, err)
		}
	}
	return nil
}

// checkLayer checks one layer: its keys must be known and its values must have the
// right types, so that the layers can be merged.
func checkLayer(tree map[string]any) error {
	var c Config
	if err := decode.Into("", tree, &c); err != nil {
		return err
	}
	if err := checkChanges(c.Changes); err != nil {
		return err
	}
	return checkKeys("task.options", c.Task.Options)
}

// checkKeys returns an error unless a variable and a flag can spell every key of a
// free-form mapping.
func checkKeys(path string, tree map[string]any) error {
	for _, key := range slices.Sorted(maps.Keys(tree)) {
		plain := func(r rune) bool { return r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '_' }
		if key == "" || strings.IndexFunc(key, func(r rune) bool { return !plain(r) }) >= 0 {
			return fmt.Errorf("%s: key %q, want only the characters a-z, 0-9 and _", path, key)
		}
		if sub, ok := tree[key].(map[string]any); ok {
			if err := checkKeys(path+"."+key, sub); err != nil {
				return err
			}
		}
	}
	return nil
}

// envPrefix is the prefix of the environment variables of the configuration.
const envPrefix = "POLYRHYTHM_"

// The environment variables with the prefix POLYRHYTHM_ that are not configuration keys.
const (
	GymnasiumVariable = envPrefix + "GYMNASIUM" // the folder of the model files of Gymnasium's MuJoCo tasks
	GLVariable        = envPrefix + "GL"        // where OpenGL comes from, see package physics/mujoco
	FFmpegVariable    = envPrefix + "FFMPEG"    // the path of ffmpeg, see package render
)

// otherVariables are all of them.
var otherVariables = []string{GymnasiumVariable, GLVariable, FFmpegVariable}

// optionsKey is the key of the task's options, whose own keys this package cannot check.
const optionsKey = "task.options"

// applyEnvironment adds the layer of the environment variables.
func (l *layers) applyEnvironment(environ []string) error {
	keys := map[string]string{}
	for _, k := range decode.Leaves(reflect.TypeFor[Config]()) {
		keys[envName(k)] = k
	}
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
			return fmt.Errorf("variable %s: a variable can only set all of %s, as %s; want --set %s.NAME.KEY=VALUE for a part of it",
				name, list, envName(list), list)
		}
		if !ok {
			return fmt.Errorf("variable %s: unknown configuration key; did you mean %s?",
				name, spell.Nearest(name, slices.Sorted(maps.Keys(keys))))
		}
		if err := l.override(key, text); err != nil {
			return fmt.Errorf("variable %s: %w", name, err)
		}
	}
	return nil
}

// listOf returns the list of entries of which a variable names a part; "" for any other.
func listOf(variable string) string {
	for _, list := range append([]string{"observations"}, namedLists...) {
		if strings.HasPrefix(variable, envName(list)+"_") {
			return list
		}
	}
	return ""
}

func envName(key string) string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(key, ".", "_"))
}

// override sets one value, given as YAML text, in a layer on top.
func (l *layers) override(key, text string) error {
	value, err := decode.Parse(key, []byte(text))
	if err != nil {
		return err
	}
	switch {
	case text == "":
		value = ""
	case value == nil:
		return decode.Wrong(key, text, "a value")
	}
	if key != decode.Printable(key) {
		return fmt.Errorf("the key is %q, want one such as training.steps", key)
	}
	path := strings.Split(key, ".")
	if list, name, field := entryOf(path); name != "" {
		return l.overrideItem(list, name, field, value)
	}
	layer := nested(path, value)
	if err := checkLayer(layer); err != nil {
		return err
	}
	if err := checkMappings("", l.tree, layer); err != nil {
		return err
	}
	l.merge(layer)
	return nil
}

// checkMappings returns an error if a layer has a mapping where the tree below it has
// a value.
func checkMappings(path string, tree, layer map[string]any) error {
	for _, key := range slices.Sorted(maps.Keys(layer)) {
		over, ok := layer[key].(map[string]any)
		if !ok || len(over) == 0 || tree[key] == nil {
			continue
		}
		at := decode.Join(path, key)
		below, ok := tree[key].(map[string]any)
		if !ok {
			first := slices.Min(slices.Collect(maps.Keys(over)))
			return fmt.Errorf("%s: %s is %s, want a mapping", decode.Join(at, first), at, decode.Describe(tree[key]))
		}
		if err := checkMappings(at, below, over); err != nil {
			return err
		}
	}
	return nil
}

// namedLists are the lists whose entries have names, by which a key reaches them.
var namedLists = []string{"runners", "bindings", "sensors", "actions", "rewards", "terminations", "commands", "events", "curriculum"}

// entryOf cuts the key of a part of an entry of a list, such as runners.Robot.rate or
// observations.policy.gyro.scale, into the list, the name of the entry and its field.
// name is "" for any other key.
func entryOf(path []string) (list, name string, field []string) {
	switch {
	case len(path) > 1 && slices.Contains(namedLists, path[0]):
		return path[0], path[1], path[2:]
	case len(path) > 2 && path[0] == "observations" && !(len(path) == 3 && (path[2] == "terms" || path[2] == "noise")):
		return strings.Join(path[:2], "."), path[2], path[3:]
	}
	return "", "", nil
}

// overrideItem sets a field of the entry with the given name in a list. For bindings
// it adds the entry if there is none.
func (l *layers) overrideItem(list, name string, field []string, value any) error {
	at := list + "." + name
	change, ok := value.(map[string]any)
	if len(field) > 0 {
		change = nested(field, value)
	} else if !ok {
		return fmt.Errorf("%s is an entry, want a key of it too: %s.KEY=VALUE", at, at)
	}
	var err error
	switch list {
	case "runners":
		err = decode.Into(at, change, &Runner{})
	case "bindings":
		err = decode.Into(at, change, &Binding{})
	case "sensors":
		err = decode.Into(at, change, &Channel{})
	}
	if err != nil {
		return err
	}
	old, set := l.items(list)
	items := make([]any, 0, len(old)+1) // a copy: old belongs to a layer below
	var names []string
	found := false
	for _, item := range old {
		fields, ok := item.(map[string]any)
		if ok && nameOf(fields) == name {
			item, found = merged(fields, change), true
		}
		names = append(names, nameOf(fields))
		items = append(items, item)
	}
	if !found {
		if list != "bindings" {
			if len(names) == 0 {
				return fmt.Errorf("%s: unknown name; %s is empty", at, list)
			}
			return fmt.Errorf("%s: unknown name; did you mean %s.%s?", at, list, spell.Nearest(name, names))
		}
		items = append(items, merged(map[string]any{"name": name}, change))
	}
	set(items)
	return nil
}

// items returns the entries of a list, and a function that replaces them.
func (l *layers) items(list string) (items []any, set func([]any)) {
	group, ok := strings.CutPrefix(list, "observations.")
	if !ok {
		items, _ = l.tree[list].([]any)
		return items, func(items []any) { l.tree[list] = items }
	}
	groups, _ := l.tree["observations"].(map[string]any)
	if fields, ok := groups[group].(map[string]any); ok {
		items, _ = fields["terms"].([]any)
		return items, func(items []any) {
			l.merge(map[string]any{"observations": map[string]any{group: map[string]any{"terms": items}}})
		}
	}
	items, _ = groups[group].([]any)
	return items, func(items []any) { l.merge(map[string]any{"observations": map[string]any{group: items}}) }
}

// nameOf returns the name of an entry: that of its term if it has none of its own.
func nameOf(fields map[string]any) string {
	for _, key := range []string{"name", "term"} {
		if name, ok := fields[key].(string); ok {
			return name
		}
	}
	return ""
}

// nested returns the mapping that holds value at path.
func nested(path []string, value any) map[string]any {
	tree := map[string]any{path[len(path)-1]: value}
	for i := len(path) - 2; i >= 0; i-- {
		tree = map[string]any{path[i]: tree}
	}
	return tree
}

// merged returns a copy of under in which the values of over take precedence. It
// changes neither.
func merged(under, over map[string]any) map[string]any {
	tree := maps.Clone(under)
	for key, value := range over {
		a, aok := tree[key].(map[string]any)
		b, bok := value.(map[string]any)
		if aok && bok {
			value = merged(a, b)
		}
		tree[key] = value
	}
	return tree
}
