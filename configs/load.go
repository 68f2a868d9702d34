package configs

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/polyrhythm-rl/polyrhythm/internal/decode"
	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/internal/spell"
	"github.com/polyrhythm-rl/polyrhythm/physics/mujoco/scene"
	"github.com/polyrhythm-rl/polyrhythm/tasks/terms"
)

// Load reads the configuration file at path. It then applies environ, entries NAME=value as os.Environ
// returns them, of which those that do not begin with POLYRHYTHM_ are ignored, and overrides, entries
// key=value as the --set flag takes them, where a later entry overrides an earlier one. defaults, entries
// key=value, replace values of [Default] and are overridden by the file.
//
// The configuration is validated, see [Config.Validate]. Every error is one line that names the layer and the key.
func Load(path string, overrides, environ []string, defaults ...string) (*Config, error) {
	data, err := disk.ReadFile(path, MaxFile)
	if err != nil {
		return nil, fmt.Errorf("configuration: %w", err)
	}
	return Parse(path, data, overrides, environ, defaults...)
}

// Parse is [Load] for a file with the contents data. Its path appears in errors, and
// relative paths in the file, of models and of the file that it extends, are relative to its folder.
func Parse(path string, data []byte, overrides, environ []string, defaults ...string) (*Config, error) {
	l := layers{tree: defaultTree()}
	for _, d := range defaults {
		key, text, _ := strings.Cut(d, "=")
		if err := l.override(key, text); err != nil {
			return nil, err
		}
	}
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
			return nil, fmt.Errorf("--set %s: want key=value", decode.Printable(o))
		}
		if err := l.override(key, text); err != nil {
			return nil, fmt.Errorf("--set %s: %w", decode.Printable(o), err)
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

// file is a layer of [Parse].
type file struct {
	path string
	tree map[string]any
}

// extendsKey is the key of a file with the path of another, the layer below it, or [Builtin] and the name of a preset's
// file. It is not part of a [Config].
const extendsKey = "extends"

// addFile adds a file on top, with the files that it extends below it, and returns all of these, the lowest first.
// above are the paths of those that extend it.
func (l *layers) addFile(path string, data []byte, above []string) (files []file, err error) {
	value, err := decode.Parse("", data)
	if err != nil {
		return nil, decode.WithKey(path, err)
	}
	tree, ok := value.(map[string]any)
	if !ok && value != nil {
		return nil, fmt.Errorf("%s is %s, want a mapping of keys to values", path, decode.Describe(value))
	}
	base, extends := tree[extendsKey]
	delete(tree, extendsKey)
	whole := maps.Clone(tree)
	var edits []edit
	if extends {
		edits = takeEdits(tree, data)
	}
	err = checkLayer(tree)
	if err == nil {
		err = checkNulls(nil, data)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if extends {
		name, ok := base.(string)
		if !ok || name == "" {
			return nil, fmt.Errorf("%s: %s is %s, want the path of a configuration", path, extendsKey,
				decode.Describe(base))
		}
		preset, builtin := strings.CutPrefix(name, Builtin)
		if !builtin && !filepath.IsAbs(name) {
			name = filepath.Join(filepath.Dir(path), name)
		}
		above = append(above, filepath.Clean(path))
		if slices.Contains(above, filepath.Clean(name)) {
			return nil, fmt.Errorf("%s: %s is %s, which itself extends this file", path, extendsKey, name)
		}
		var below []byte
		if builtin {
			below, err = builtinPreset(preset)
		} else {
			below, err = disk.ReadFile(name, MaxFile)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", path, extendsKey, err)
		}
		if files, err = l.addFile(name, below, above); err != nil {
			return nil, err
		}
	}
	l.merge(tree, filepath.Dir(path))
	for _, e := range edits {
		if err := l.overrideItem(e.list, e.name, nil, e.value, filepath.Dir(path)); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	return append(files, file{path, whole}), nil
}

// edit is a change of the entry of a name in a list of the layers below: other values of some keys; nil removes it. The
// groups of observations are such a list, of which an edit removes one.
type edit struct {
	list, name string
	value      any
}

// takeEdits takes out of a layer, whose text is data, the lists that it gives as mappings: from the names of entries to
// what changes in them, as overrides do. It returns them in the order of lists, then of names.
func takeEdits(tree map[string]any, data []byte) (edits []edit) {
	var raw map[string]any // with null, which tree lacks
	if yaml.Unmarshal(data, &raw) != nil {
		return nil // which is said elsewhere
	}
	take := func(list string, raw, tree map[string]any, keys ...string) {
		for _, name := range slices.Sorted(maps.Keys(raw)) {
			if !slices.Contains(keys, name) {
				edits = append(edits, edit{list, name, tree[name]})
				delete(tree, name)
			}
		}
	}
	for _, list := range namedLists {
		if named, ok := raw[list].(map[string]any); ok {
			changed, _ := tree[list].(map[string]any)
			take(list, named, changed)
			delete(tree, list)
		}
	}
	groups, _ := raw[observationsKey].(map[string]any)
	observations, _ := tree[observationsKey].(map[string]any)
	for _, group := range slices.Sorted(maps.Keys(groups)) {
		if groups[group] == nil {
			edits = append(edits, edit{observationsKey, group, nil})
			delete(observations, group)
		}
		if named, ok := groups[group].(map[string]any); ok {
			changed, _ := observations[group].(map[string]any)
			if take("observations."+group, named, changed, groupKeys...); len(changed) == 0 {
				delete(observations, group)
			}
		}
	}
	return edits
}

// observationsKey is the key of the groups of observations, by their names.
const observationsKey = "observations"

// groupKeys are the keys of a group of observations that is a mapping.
var groupKeys = []string{"terms", "noise"}

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
			return fmt.Errorf("--set %s: %w", decode.Printable(o), err)
		}
		if list, _, _ := entryOf(strings.Split(set, ".")); list != "" && strings.HasPrefix(key, list+"[") {
			path += " with --set " + decode.Printable(o) // by the name of an entry, which may be this one
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
	l := layers{tree: defaultTree()}
	l.merge(file.(map[string]any), "")
	for i, key := range keys {
		if err := l.override(key, values[i]); err != nil {
			return nil, err
		}
	}
	return resolve(l.tree)
}

// placeFiles makes the paths of model files, networks, motions and datasets in a layer absolute, which are relative to a folder.
func placeFiles(layer map[string]any, folder string) {
	place := func(fields map[string]any, key string) {
		file, ok := fields[key].(string)
		if !ok || file == "" || strings.HasPrefix(file, scene.Builtin) {
			return
		}
		if !filepath.IsAbs(file) {
			file = filepath.Join(folder, file)
		}
		if path, err := filepath.Abs(file); err == nil { // else it cannot be opened, which is said then
			fields[key] = path
		}
	}
	place(layer, "model")
	scene, _ := layer["scene"].(map[string]any)
	placeEach(scene["models"], func(fields map[string]any) { place(fields, "file") })
	placeEach(scene["actuators"], func(fields map[string]any) { place(fields, "network") })
	if training, ok := layer["training"].(map[string]any); ok {
		place(training, "dataset")
	}
	placeEach(layer["commands"], func(fields map[string]any) {
		if fields["term"] == terms.MotionTerm {
			place(fields, terms.MotionFile)
		}
	})
}

// placeEach calls f for each entry of a list.
func placeEach(list any, f func(fields map[string]any)) {
	items, _ := list.([]any)
	for _, item := range items {
		if fields, ok := item.(map[string]any); ok {
			f(fields)
		}
	}
}

type layers struct{ tree map[string]any }

// merge adds a layer on top: its values replace those below, mappings key by key. Its files are relative to folder.
func (l *layers) merge(layer map[string]any, folder string) {
	placeFiles(layer, folder)
	l.tree = merged(l.tree, layer)
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

// checkLayer checks the keys of a layer and the types of its values, so that layers can be merged.
func checkLayer(tree map[string]any) error {
	var c Config
	if err := decode.Into("", tree, &c); err != nil {
		return err
	}
	return checkKeys("task.options", c.Task.Options)
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
	FFmpegVariable    = envPrefix + "FFMPEG"    // the path of ffmpeg, see internal/ffmpeg
)

// SettingsVariable is off where the programs read no files of settings.
const SettingsVariable = envPrefix + "SETTINGS"

// otherVariables are no keys: those above, and the settings of the programs, which package cli knows.
var otherVariables = []string{GymnasiumVariable, FFmpegVariable, SettingsVariable, envPrefix + "RUNS",
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
		if err := l.override(key, text); err != nil {
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
	for _, list := range append([]string{observationsKey}, namedLists...) {
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
	path := strings.Split(key, ".")
	list, name, field := entryOf(path)
	switch {
	case text == "":
		value = ""
	case value == nil && len(path) == 2 && path[0] == observationsKey && path[1] != "":
		list, name = observationsKey, path[1]
	case value == nil && (name == "" || len(field) > 0):
		return decode.Invalid(key, text, "a value")
	}
	if key != decode.Printable(key) {
		return fmt.Errorf("the key is %q, want one such as training.steps", key)
	}
	if name != "" {
		return l.overrideItem(list, name, field, value, "")
	}
	layer := nested(path, value)
	if err := checkLayer(layer); err != nil {
		return err
	}
	if err := checkMappings("", l.tree, layer); err != nil {
		return err
	}
	if err := checkNulls(path, []byte(text)); err != nil {
		return err
	}
	l.merge(layer, "")
	return nil
}

// checkNulls returns an error if a layer, whose text is data and is of a key, has null for a key that nobody knows.
func checkNulls(key []string, data []byte) error {
	var raw any
	if err := yaml.Unmarshal(data, &raw); err != nil {
		return err
	}
	if key != nil {
		raw = nested(key, raw)
	} else if fields, ok := raw.(map[string]any); ok {
		delete(fields, extendsKey)
	}
	return decode.UnknownNull(raw, reflect.TypeFor[Config]())
}

// checkMappings returns an error if a layer has a mapping where the tree below it has a value.
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
var namedLists = []string{"runners", "bindings", "sensors", "actions", "rewards", "terminations", "commands", "events",
	"curriculum", "infos"}

// entryOf cuts the key of a part of an entry, such as runners.Robot.rate or observations.policy.gyro.scale, into the
// list, the name of the entry and its field. name is "" for any other key.
func entryOf(path []string) (list, name string, field []string) {
	switch {
	case len(path) > 1 && slices.Contains(namedLists, path[0]):
		return path[0], path[1], path[2:]
	case len(path) > 2 && path[0] == observationsKey && !(len(path) == 3 && slices.Contains(groupKeys, path[2])):
		return strings.Join(path[:2], "."), path[2], path[3:]
	}
	return "", "", nil
}

// removeGroup removes a group of observations.
func (l *layers) removeGroup(name string) error {
	groups, _ := l.tree[observationsKey].(map[string]any)
	if _, ok := groups[name]; !ok {
		return unknownEntry(observationsKey, name, slices.Sorted(maps.Keys(groups)))
	}
	groups = maps.Clone(groups)
	delete(groups, name)
	l.tree[observationsKey] = groups
	return nil
}

// unknownEntry is the error of a name that no entry of a list has.
func unknownEntry(list, name string, names []string) error {
	if len(names) == 0 {
		return fmt.Errorf("%s.%s: unknown name; %s is empty", list, name, list)
	}
	hint := strings.Replace(spell.Hint(name, names), "did you mean ", "did you mean "+list+".", 1)
	return fmt.Errorf("%s.%s: unknown name%s", list, name, hint)
}

// overrideItem sets a field of the entry of a name in a list, or removes the entry if value is nil. Bindings get an
// entry if there is none. Files that are set are relative to folder.
func (l *layers) overrideItem(list, name string, field []string, value any, folder string) error {
	if list == observationsKey {
		return l.removeGroup(name)
	}
	at := list + "." + name
	change, ok := value.(map[string]any)
	if len(field) > 0 {
		change = nested(field, value)
	} else if !ok && value != nil {
		return fmt.Errorf("%s is an entry, want a key of it too: %s.KEY=VALUE, or null, which removes it", at, at)
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
	path, items := l.entries(list)
	var names []string
	for i, item := range items {
		fields, _ := item.(map[string]any)
		names = append(names, nameOf(fields))
		if names[i] == name {
			items[i] = merged(fields, change)
		}
	}
	switch {
	case slices.Contains(names, name):
		if value == nil {
			items = slices.DeleteFunc(items, func(item any) bool {
				fields, _ := item.(map[string]any)
				return nameOf(fields) == name
			})
		}
	case list == "bindings" && value != nil:
		items = append(items, merged(map[string]any{"name": name}, change))
	default:
		return unknownEntry(list, name, names)
	}
	l.merge(nested(path, items), folder)
	return nil
}

// entries returns a copy of a list of entries, and its place: of a group of observations it may be below terms.
func (l *layers) entries(list string) (path []string, items []any) {
	path = strings.Split(list, ".")
	at := any(l.tree)
	for i := 0; i < len(path); i++ {
		fields, _ := at.(map[string]any)
		at = fields[path[i]]
		if _, ok := at.(map[string]any); ok && i == len(path)-1 {
			path = append(path, "terms")
		}
	}
	items, _ = at.([]any)
	return path, slices.Clone(items)
}

// nameOf returns the name of an entry: that of its term if it has none of its own.
func nameOf(fields map[string]any) string {
	name, _ := fields["name"].(string)
	term, _ := fields["term"].(string)
	return cmp.Or(name, term)
}

// nested returns the mapping that holds value at path.
func nested(path []string, value any) map[string]any {
	tree := map[string]any{path[len(path)-1]: value}
	for i := len(path) - 2; i >= 0; i-- {
		tree = map[string]any{path[i]: tree}
	}
	return tree
}

// merged returns a copy of under in which the values of over take precedence. It changes neither.
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
