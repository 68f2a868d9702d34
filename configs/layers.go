package configs

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/polyrhythm-rl/polyrhythm/internal/decode"
	"github.com/polyrhythm-rl/polyrhythm/internal/spell"
	"github.com/polyrhythm-rl/polyrhythm/physics/mujoco/scene"
	"github.com/polyrhythm-rl/polyrhythm/tasks/terms"
)

// layers is a configuration while it is put together. Files, variables and flags are layers, and each is added in the
// same way on top of those before it:
//
//   - null takes back what the layers below say of a key, whose default counts again;
//   - a mapping is merged with the mapping below it, key by key;
//   - a mapping in place of a list whose entries have names changes, adds and removes entries by their names;
//   - any other value replaces the one below it.
type layers struct {
	tree     map[string]any // what all layers say, without null
	defaults map[string]any // what the lowest layer says
	origins  origins
}

// layer is what a file, a variable or a flag says.
type layer struct {
	tree   map[string]any // with null
	text   *yaml.Node     // the same, with its keys in the order of the text
	folder string         // the one that its files are relative to; "" for the working folder
	key    string         // of the value that is all of the layer; "" for a file
	origin string         // what has it: "dog.yaml", "--set worlds=3"
}

// newLayers returns the lowest layer, the defaults.
func newLayers() *layers {
	tree := defaultTree()
	return &layers{tree: tree, defaults: tree, origins: origins{}}
}

// add adds a layer on top. It changes the layer's tree.
func (l *layers) add(y layer) error {
	edits := takeEdits(&y)
	if err := checkLayer(y.tree); err != nil {
		return err
	}
	if y.key != "" {
		if err := checkMappings("", l.tree, y.tree); err != nil {
			return err
		}
	}
	l.merge(y.tree, y.folder)
	l.origins.mark("", y.tree, y.origin)
	for _, e := range edits {
		if err := l.edit(e, &y); err != nil {
			return err
		}
	}
	return nil
}

// merge adds a layer without edits on top.
func (l *layers) merge(tree map[string]any, folder string) {
	placeFiles(tree, folder)
	l.tree = merged(l.tree, tree, l.defaults)
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
	value, text, err := decode.Document("", data)
	if err != nil {
		return nil, decode.WithKey(path, err)
	}
	tree, ok := value.(map[string]any)
	if !ok && value != nil {
		// which quotes nothing: the file is no configuration, and may hold secrets
		return nil, fmt.Errorf("%s is %s, want a mapping of keys to values", path, kindOf(value))
	}
	base, extends := tree[extendsKey]
	delete(tree, extendsKey)
	if extends {
		if files, err = l.addBase(path, base, above); err != nil {
			return nil, err
		}
	}
	whole := maps.Clone(tree)
	if err = l.add(layer{tree, text, folderOf(path), "", path}); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return append(files, file{path, whole}), nil
}

// addBase adds the file that another file, at path, extends: base is the value of its key.
func (l *layers) addBase(path string, base any, above []string) (files []file, err error) {
	name, ok := base.(string)
	if !ok || name == "" {
		return nil, fmt.Errorf("%s: %s is %s, want the path of a configuration", path, extendsKey, decode.Describe(base))
	}
	builtin := strings.HasPrefix(name, Builtin)
	if kind := filepath.Ext(name); !builtin && kind != ".yaml" && kind != ".yml" {
		return nil, fmt.Errorf("%s: %s is %q, want %sNAME or a file that ends in .yaml or .yml", path, extendsKey, name, Builtin)
	}
	name = within(folderOf(path), name)
	above = append(above, filepath.Clean(path))
	if slices.Contains(above, filepath.Clean(name)) {
		return nil, fmt.Errorf("%s: %s is %s, which itself extends this file", path, extendsKey, name)
	}
	data, err := ReadFile(name, MaxFile)
	if err != nil {
		return nil, fmt.Errorf("%s: %s: %w", path, extendsKey, err)
	}
	return l.addFile(name, data, above)
}

// kindOf names what a value is that is no mapping.
func kindOf(value any) string {
	switch value.(type) {
	case string:
		return "a text"
	case []any:
		return "a list"
	}
	return "a single value"
}

// override adds a layer with one value, given as YAML text, by what origin says.
func (l *layers) override(key, text, origin string) error {
	value, node, err := decode.Document(key, []byte(text))
	if err != nil {
		return err
	}
	if text == "" {
		value = ""
	}
	if key != decode.Printable(key) {
		return fmt.Errorf("the key is %q, want one such as training.steps", key)
	}
	path := strings.Split(key, ".")
	return l.add(layer{nested(path, value), nestedNode(path, node), "", key, origin})
}

// placeFiles makes the paths of model files, networks, motions and datasets in a layer absolute, which are relative to a folder.
func placeFiles(layer map[string]any, folder string) {
	place := func(fields map[string]any, key string) {
		file, ok := fields[key].(string)
		if !ok || file == "" {
			return
		}
		file = within(folder, file)
		if !isNamed(file) { // beside a preset it is
			path, err := filepath.Abs(file)
			if err != nil { // it cannot be opened, which is said then
				return
			}
			file = path
		}
		fields[key] = file
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

// namedList is a list whose entries have names, by which a layer reaches them.
type namedList struct {
	path  string
	whole []string   // an entry that is added has one of these keys, so that a slip in a name adds none
	entry func() any // a pointer to what the entry is decoded into; nil if its term says what keys it has
}

var ofTerms = []string{"term", "expr"}

var namedLists = []namedList{
	{"runners", []string{"rate"}, func() any { return &Runner{} }},
	{"bindings", nil, func() any { return &Binding{} }},
	{"sensors", []string{"runner"}, func() any { return &Channel{} }},
	{"actions", ofTerms, nil}, {"rewards", ofTerms, nil}, {"terminations", ofTerms, nil}, {"commands", ofTerms, nil},
	{"events", ofTerms, nil}, {"curriculum", ofTerms, nil}, {"infos", ofTerms, nil},
	{"scene.models", []string{"file", "shape"}, func() any { return &scene.Model{} }},
	{"scene.contacts", []string{"primary"}, func() any { return &scene.ContactPair{} }},
	{"scene.actuators", []string{"type"}, func() any { return &scene.Actuators{} }}, // by their joints
}

// observationsKey is the key of the groups of observations, by their names. Each is a list of entries with names, too.
const observationsKey = "observations"

// groupKeys are the keys of a group of observations that is a mapping.
var groupKeys = []string{"terms", "noise"}

// isGroupKey reports whether a key of a group is one of these, or can only be a slip for one.
func isGroupKey(key string, value any) bool {
	_, entry := value.(map[string]any)
	return slices.Contains(groupKeys, key) || value != nil && !entry
}

// listAt returns the list of entries with names at a path.
func listAt(path []string) namedList {
	at := strings.Join(path, ".")
	for _, list := range namedLists {
		if list.path == at {
			return list
		}
	}
	return namedList{at, ofTerms, nil}
}

// edit is what a layer says of the entry of a name in a list.
type edit struct {
	list   []string // its path
	name   string
	change any  // a mapping of what changes; nil removes the entry, or a group of observations
	part   bool // the layer is a value in an entry, which must be there
}

// key is the key of the entry.
func (e *edit) key() string { return strings.Join(e.list, ".") + "." + e.name }

// afterKey is the key of a change with the name of the entry behind which the changed one stands.
const afterKey = "after"

// takeEdits takes out of a layer the lists that it gives as mappings. It returns the edits in the order of the text.
func takeEdits(y *layer) (edits []edit) {
	tree, text := y.tree, y.text
	take := func(entries map[string]any, list []string, group bool) {
		for _, name := range inOrder(entries, text, list) {
			if !group || !isGroupKey(name, entries[name]) {
				e := edit{list: list, name: name, change: entries[name]}
				e.part = strings.HasPrefix(y.key, e.key()+".")
				edits = append(edits, e)
				delete(entries, name)
			}
		}
	}
	for _, list := range namedLists {
		path := strings.Split(list.path, ".")
		fields := tree
		for _, key := range path[:len(path)-1] {
			fields, _ = fields[key].(map[string]any)
		}
		last := path[len(path)-1]
		if entries, ok := fields[last].(map[string]any); ok {
			take(entries, path, false)
			delete(fields, last)
		}
	}
	groups, _ := tree[observationsKey].(map[string]any)
	for _, group := range inOrder(groups, text, []string{observationsKey}) {
		switch entries := groups[group].(type) {
		case nil:
			edits = append(edits, edit{list: []string{observationsKey}, name: group})
			delete(groups, group)
		case map[string]any:
			if take(entries, []string{observationsKey, group}, true); len(entries) == 0 {
				delete(groups, group)
			}
		}
	}
	return edits
}

// inOrder returns the keys of a mapping in the order of the text, in which the mapping is at path.
func inOrder(mapping map[string]any, text *yaml.Node, path []string) (keys []string) {
	for _, key := range path {
		text = decode.At(text, key)
	}
	for _, key := range decode.Keys(text) {
		if _, ok := mapping[key]; ok {
			keys = append(keys, key)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(mapping)) { // what the text has by reference
		if !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	return keys
}

// edit changes, adds or removes an entry, as a layer says.
func (l *layers) edit(e edit, y *layer) error {
	if len(e.list) == 1 && e.list[0] == observationsKey {
		return l.removeGroup(e.name)
	}
	change, ok := e.change.(map[string]any)
	if !ok && e.change != nil {
		return fmt.Errorf("%s is %s, want a mapping of what changes in the entry, or null, which removes it", e.key(),
			decode.Describe(e.change))
	}
	change = maps.Clone(change)
	after, moves := change[afterKey]
	delete(change, afterKey)
	list := listAt(e.list)
	if list.entry != nil {
		if err := decode.Into(e.key(), change, list.entry()); err != nil {
			return err
		}
	}
	path, items := l.entries(e.list)
	names := entryNames(items)
	i := slices.Index(names, e.name)
	switch {
	case i < 0 && (e.change == nil || e.name == ""):
		return unknownEntry(e.list, e.name, names)
	case i < 0:
		if err := list.checkNew(&e, change, names); err != nil {
			return err
		}
		added := newEntry(e.list, e.name)
		l.origins.mark(e.key(), added, y.origin)
		i, items = len(items), append(items, merged(added, change, nil))
	case e.change == nil:
		items = slices.Delete(items, i, i+1)
	default:
		fields, _ := items[i].(map[string]any)
		items[i] = merged(fields, change, nil)
	}
	if moves {
		if err := e.move(items, i, after); err != nil {
			return err
		}
	}
	l.merge(nested(path, items), y.folder)
	l.origins.mark(e.key(), e.change, y.origin)
	return nil
}

// move puts item i behind the entry with the name that the edit gives.
func (e *edit) move(items []any, i int, after any) error {
	names := entryNames(items)
	place := slices.Index(names, fmt.Sprint(after))
	if place < 0 || place == i {
		return fmt.Errorf("%s.%s is %s, want the name of another entry%s", e.key(), afterKey, decode.Describe(after),
			spell.Hint(fmt.Sprint(after), names))
	}
	item := items[i]
	if place < i {
		place++
	}
	_ = slices.Insert(slices.Delete(items, i, i+1), place, item) // in place: Delete leaves the room
	return nil
}

// newEntry returns an entry of which only the name is known.
func newEntry(list []string, name string) map[string]any {
	if strings.Join(list, ".") == "scene.actuators" {
		return map[string]any{"joints": []any{name}}
	}
	return map[string]any{"name": name}
}

// checkNew returns an error unless an edit adds a whole entry to a list with these names: its name may be a slip. Runners
// have little but the rate that makes them whole, so their names must not be near to another one.
func (n *namedList) checkNew(e *edit, change map[string]any, names []string) error {
	if n.whole == nil {
		return nil
	}
	whole := !e.part && slices.ContainsFunc(n.whole, func(key string) bool { return change[key] != nil })
	switch {
	case whole && n.path == "runners" && spell.Meant(e.name, names) != "":
		return fmt.Errorf("%w (a new runner wants a name that is not so near)", unknownEntry(e.list, e.name, names))
	case !whole:
		return fmt.Errorf("%w (a new entry wants %s)", unknownEntry(e.list, e.name, names), strings.Join(n.whole, " or "))
	}
	return nil
}

// entries returns a copy of a list of entries, and its place: of a group of observations it may be below terms.
func (l *layers) entries(list []string) (path []string, items []any) {
	path = slices.Clone(list)
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

// entryNames returns the names of the entries of a list: an entry without one of its own has that of its term, actuators
// that of their joints.
func entryNames(items []any) (names []string) {
	for _, item := range items {
		fields, _ := item.(map[string]any)
		name, _ := fields["name"].(string)
		term, _ := fields["term"].(string)
		var joints []string
		list, _ := fields["joints"].([]any)
		for _, joint := range list {
			joints = append(joints, fmt.Sprint(joint))
		}
		names = append(names, cmp.Or(name, term, strings.Join(joints, ", ")))
	}
	return names
}

// removeGroup removes a group of observations.
func (l *layers) removeGroup(name string) error {
	groups, _ := l.tree[observationsKey].(map[string]any)
	if _, ok := groups[name]; !ok {
		return unknownEntry([]string{observationsKey}, name, slices.Sorted(maps.Keys(groups)))
	}
	groups = maps.Clone(groups)
	delete(groups, name)
	l.tree = maps.Clone(l.tree)
	l.tree[observationsKey] = groups
	return nil
}

// unknownEntry is the error of a name that no entry of a list has.
func unknownEntry(list []string, name string, names []string) error {
	at := strings.Join(list, ".")
	names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == "" })
	if len(names) == 0 {
		return fmt.Errorf("%s.%s: unknown name; %s is empty", at, name, at)
	}
	hint := strings.Replace(spell.Hint(name, names), "did you mean ", "did you mean "+at+".", 1)
	return fmt.Errorf("%s.%s: unknown name%s", at, name, hint)
}

// entryOf cuts the key of a part of an entry, such as runners.Robot.rate or observations.policy.gyro.scale, into the
// list and the name of the entry. name is "" for any other key.
func entryOf(key string) (list, name string) {
	for _, named := range namedLists {
		if rest, ok := strings.CutPrefix(key, named.path+"."); ok {
			name, _, _ = strings.Cut(rest, ".")
			return named.path, name
		}
	}
	path := strings.Split(key, ".")
	if len(path) > 2 && path[0] == observationsKey && !slices.Contains(groupKeys, path[2]) {
		return strings.Join(path[:2], "."), path[2]
	}
	return "", ""
}

// checkLayer checks the keys of a layer and the types of its values, so that layers can be merged.
func checkLayer(tree map[string]any) error {
	var c Config
	if err := decode.Into("", tree, &c); err != nil {
		return err
	}
	return checkKeys("task.options", c.Task.Options)
}

// checkMappings returns an error if a layer has a mapping where the tree below it has a value, unless that is a list
// whose entries have names.
func checkMappings(path string, tree, layer map[string]any) error {
	for _, key := range slices.Sorted(maps.Keys(layer)) {
		over, ok := layer[key].(map[string]any)
		if !ok || len(over) == 0 || tree[key] == nil {
			continue
		}
		at := decode.Join(path, key)
		below, ok := tree[key].(map[string]any)
		if !ok && named(at) {
			continue
		}
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

// named reports whether the entries of the list at a key have names.
func named(key string) bool {
	group, ok := strings.CutPrefix(key, observationsKey+".")
	return ok && !strings.Contains(group, ".") ||
		slices.ContainsFunc(namedLists, func(list namedList) bool { return list.path == key })
}

// nested returns the mapping that holds value at path.
func nested(path []string, value any) map[string]any {
	for i := len(path) - 1; i > 0; i-- {
		value = map[string]any{path[i]: value}
	}
	return map[string]any{path[0]: value}
}

// nestedNode is nested for a value with its text.
func nestedNode(path []string, value *yaml.Node) *yaml.Node {
	for _, key := range slices.Backward(path) {
		value = &yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{{Kind: yaml.ScalarNode, Value: key}, value}}
	}
	return value
}

// merged returns a copy of under in which the values of over take precedence: null takes back a key, which then has the
// value of defaults, if that has one. It changes none of them.
func merged(under, over, defaults map[string]any) map[string]any {
	tree := make(map[string]any, len(under)+len(over))
	maps.Copy(tree, under)
	for key, value := range over {
		switch v := value.(type) {
		case nil:
			if standard, ok := defaults[key]; ok {
				tree[key] = standard
			} else {
				delete(tree, key)
			}
		case map[string]any:
			below, _ := tree[key].(map[string]any)
			base, _ := defaults[key].(map[string]any)
			tree[key] = merged(below, v, base)
		default:
			tree[key] = decode.WithoutNull(value)
		}
	}
	return tree
}
