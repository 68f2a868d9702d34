package runners

import (
	"bytes"
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/polyrhythm-rl/polyrhythm/internal/spell"
)

// Edit is one change to the runners or their bindings, a value of one of the types below. Edits marshals them as
// JSON.
type Edit interface {
	// apply makes the change and checks what does not depend on later edits.
	apply(*draft) error
}

type (
	// AddRunner adds a runner with the lowest ID never used or, when all have been, the lowest of a removed runner.
	AddRunner struct{ Runner }

	// RemoveRunner removes a runner without bindings. The others keep their IDs. Runner 0, whose steps a Driver counts,
	// can only be disabled.
	RemoveRunner struct {
		Name string `json:"name"`
	}

	// RenameRunner changes the name of a runner, also in its bindings.
	RenameRunner struct {
		Name string `json:"name"`
		To   string `json:"to"`
	}

	// SetRate changes the rate of a runner.
	SetRate struct {
		Name string `json:"name"`
		Rate Rate   `json:"rate"`
	}

	// ToggleRunner enables or disables a runner.
	ToggleRunner struct {
		Name    string `json:"name"`
		Enabled bool   `json:"enabled"`
	}

	// AddBinding adds a binding, last in the order of registration.
	AddBinding struct{ Binding }

	// RemoveBinding removes a binding.
	RemoveBinding RemoveRunner

	// Rebind moves a binding to another runner. It does not apply to a beat binding.
	Rebind struct {
		Name   string `json:"name"`
		Runner string `json:"runner"`
	}

	// SetPhase moves a binding to another phase.
	SetPhase struct {
		Name  string `json:"name"`
		Phase Phase  `json:"phase"`
	}

	// SetPriority changes the priority of a binding within its phase.
	SetPriority struct {
		Name     string `json:"name"`
		Priority int    `json:"priority"`
	}

	// ToggleBinding enables or disables a binding.
	ToggleBinding ToggleRunner
)

// Apply returns a new schedule with the edits applied in order, to which a Cursor moves with Adopt. It returns an
// error when an edit cannot be made or Compile refuses the result.
func (s *Schedule) Apply(edits ...Edit) (*Schedule, error) {
	d := &draft{s.Runners(), s.Bindings()}
	for i, e := range edits {
		if err := e.apply(d); err != nil {
			if len(edits) > 1 {
				err = fmt.Errorf("edit %d of %d: %w", i+1, len(edits), err)
			}
			return nil, err
		}
	}
	next, err := compile(d.runners, d.bindings, s.first)
	if err == nil && next.substep != s.substep {
		err = fmt.Errorf("rate of physics substeps is %v Hz, want %v Hz, for which the model was compiled: a runner at "+
			"%v Hz with %d substeps", next.substep, s.substep, s.physics.Rate, s.physics.Substeps)
	}
	if err != nil {
		return nil, err
	}
	return next, nil
}

// draft holds the runners and bindings while edits change them.
type draft struct {
	runners  []Runner // by ID, as in Schedule
	bindings []Binding
}

// runner finds a runner by name.
func (d *draft) runner(name string) (*Runner, error) {
	i := slices.IndexFunc(d.runners, func(r Runner) bool { return r.Name == name })
	if i < 0 || name == "" {
		return nil, fmt.Errorf("no runner %q, want one of %s", name, runnerNames(d.runners))
	}
	return &d.runners[i], nil
}

// binding finds a binding by name.
func (d *draft) binding(name string) (*Binding, error) {
	i := slices.IndexFunc(d.bindings, func(b Binding) bool { return b.Name == name })
	if i < 0 {
		names := make([]string, len(d.bindings))
		for i, b := range d.bindings {
			names[i] = b.Name
		}
		return nil, fmt.Errorf("no binding %q, want one of %s", name, strings.Join(names, ", "))
	}
	return &d.bindings[i], nil
}

// maxName is the most bytes of a name.
const maxName = 100

// CheckName returns an error unless name is valid for a runner, binding or channel, and so for a command-line flag
// and a column of a table.
func CheckName(name string) error {
	if len(name) > maxName {
		return fmt.Errorf("name %q... has %d bytes, want at most %d", name[:20], len(name), maxName)
	}
	invalid := func(r rune) bool { return r == '.' || r == '=' || unicode.IsSpace(r) || !unicode.IsPrint(r) }
	if name == "" || strings.ContainsFunc(name, invalid) {
		return fmt.Errorf("name is %q, want one or more printable characters "+
			"without dots, equals signs and spaces", name)
	}
	return nil
}

func (e AddRunner) apply(d *draft) error {
	if err := CheckName(e.Name); err != nil {
		return fmt.Errorf("add runner: %w", err)
	}
	if len(d.runners) < MaxRunners {
		d.runners = append(d.runners, e.Runner)
		return nil
	}
	free := slices.Index(d.runners, Runner{})
	if free < 0 {
		return fmt.Errorf("add runner %q to %d runners (%s), want at most %d; remove one first",
			e.Name, len(d.runners), runnerNames(d.runners), MaxRunners)
	}
	d.runners[free] = e.Runner
	return nil
}

func (e RemoveRunner) apply(d *draft) error {
	r, err := d.runner(e.Name)
	if err != nil {
		return fmt.Errorf("remove runner: %w", err)
	}
	if r == &d.runners[0] {
		return fmt.Errorf("remove runner %q: it is runner 0, want another; disable runner 0 instead", e.Name)
	}
	var bindings []string
	for _, b := range d.bindings {
		if b.Runner == e.Name {
			bindings = append(bindings, strconv.Quote(b.Name))
		}
	}
	if len(bindings) > 0 {
		return fmt.Errorf("remove runner %q: it has bindings %s, want none; remove "+
			"them or bind them to another runner first",
			e.Name, strings.Join(bindings, ", "))
	}
	*r = Runner{}
	return nil
}

func (e RenameRunner) apply(d *draft) error {
	r, err := d.runner(e.Name)
	if err != nil {
		return fmt.Errorf("rename runner: %w", err)
	}
	if err := CheckName(e.To); err != nil {
		return fmt.Errorf("rename runner %q: %w", e.Name, err)
	}
	if _, err := d.runner(e.To); err == nil && e.To != e.Name {
		return fmt.Errorf("rename runner %q to %q: the name is taken, want one other than %s", e.Name, e.To,
			runnerNames(d.runners))
	}
	r.Name = e.To
	for i := range d.bindings {
		if b := &d.bindings[i]; b.Runner == e.Name && !b.Beat {
			b.Runner = e.To
		}
	}
	return nil
}

// update sets something of the runner or binding that find finds.
func update[T any](find func(string) (*T, error), name string, set func(*T), what string, args ...any) error {
	t, err := find(name)
	if err != nil {
		return fmt.Errorf("%s: %w", fmt.Sprintf(what, args...), err)
	}
	set(t)
	return nil
}

func (e SetRate) apply(d *draft) error {
	return update(d.runner, e.Name, func(r *Runner) { r.Rate = e.Rate }, "set rate %s Hz", e.Rate)
}

func (e ToggleRunner) apply(d *draft) error {
	return update(d.runner, e.Name, func(r *Runner) { r.Disabled = !e.Enabled }, "toggle runner")
}

func (e AddBinding) apply(d *draft) error {
	if err := CheckName(e.Name); err != nil {
		return fmt.Errorf("add binding: %w", err)
	}
	d.bindings = append(d.bindings, e.Binding)
	return nil
}

func (e RemoveBinding) apply(d *draft) error {
	b, err := d.binding(e.Name)
	if err != nil {
		return fmt.Errorf("remove binding: %w", err)
	}
	if err := b.checkStays(); err != nil { // a later edit may add it on another runner
		return err
	}
	d.bindings = slices.DeleteFunc(d.bindings, func(b Binding) bool { return b.Name == e.Name })
	return nil
}

func (e Rebind) apply(d *draft) error {
	b, err := d.binding(e.Name)
	if err != nil {
		return fmt.Errorf("bind to runner %q: %w", e.Runner, err)
	}
	if b.Beat {
		return fmt.Errorf("bind %q to runner %q: it is a beat binding, want one of a runner; remove it and add it "+
			"again on the runner", e.Name, e.Runner)
	}
	if _, err := d.runner(e.Runner); err != nil {
		return fmt.Errorf("bind %q: %w", e.Name, err)
	}
	if err := b.checkStays(); err != nil {
		return err
	}
	b.Runner = e.Runner
	return nil
}

func (e SetPhase) apply(d *draft) error {
	return update(d.binding, e.Name, func(b *Binding) { b.Phase = e.Phase }, "set phase %v", e.Phase)
}

func (e SetPriority) apply(d *draft) error {
	return update(d.binding, e.Name, func(b *Binding) { b.Priority = e.Priority }, "set priority %d", e.Priority)
}

func (e ToggleBinding) apply(d *draft) error {
	return update(d.binding, e.Name, func(b *Binding) { b.Disabled = !e.Enabled }, "toggle binding")
}

// Edits is a list of edits with a JSON form: an array of objects with one key each, the name of the edit, as in
// [{"rebind":{"name":"scan","runner":"Lidar"}}]. An unknown edit or field, a missing field and a field given twice
// are errors. Only fields that MarshalJSON omits may be missing: disabled, writes and beat are then false, and
// runner is empty.
type Edits []Edit

// edits holds every kind of edit, and ops their names in JSON. They are never modified.
var (
	edits = []Edit{AddRunner{}, RemoveRunner{}, RenameRunner{}, SetRate{}, ToggleRunner{}, AddBinding{},
		RemoveBinding{}, Rebind{}, SetPhase{}, SetPriority{}, ToggleBinding{}}
	ops     = opsOf(edits)
	capital = regexp.MustCompile("(.)([A-Z])")
)

// opsOf returns the names of edits in JSON: that of AddRunner is add_runner.
func opsOf(edits []Edit) []string {
	names := make([]string, len(edits))
	for i, e := range edits {
		names[i] = strings.ToLower(capital.ReplaceAllString(reflect.TypeOf(e).Name(), "${1}_${2}"))
	}
	return names
}

// MarshalJSON returns a JSON array; an empty or nil list is [].
func (e Edits) MarshalJSON() ([]byte, error) {
	list := make([]map[string]Edit, len(e))
	for i, name := range opsOf(e) {
		list[i] = map[string]Edit{name: e[i]}
	}
	return json.Marshal(list)
}

// UnmarshalJSON reads what MarshalJSON returns. On an error the list is unchanged.
func (e *Edits) UnmarshalJSON(text []byte) error {
	var list []json.RawMessage
	if err := json.Unmarshal(text, &list); err != nil {
		return err
	}
	result := make(Edits, len(list))
	for i, one := range list {
		keys, err := readObject(one, "edit", ops, func(op int, fields json.RawMessage) error {
			edit := reflect.New(reflect.TypeOf(edits[op])).Elem()
			err := readFields(fields, edit)
			result[i] = edit.Interface().(Edit)
			return err
		})
		if err == nil && len(keys) != 1 {
			err = fmt.Errorf(" has %d keys, want one, the name of the edit", len(keys))
		}
		if err != nil {
			return fmt.Errorf("edits[%d]%w", i, err)
		}
	}
	*e = result
	return nil
}

// readObject calls read for each key of a JSON object, with its index in names, and returns
// these indices. An error continues the path of the object: it begins with a key (".name"), a colon or a space.
func readObject(text []byte, what string, names []string,
	read func(int, json.RawMessage) error) (keys []int, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return nil, fmt.Errorf(" is %s, want a mapping of keys to values", text)
	}
	for d.More() {
		var value json.RawMessage
		key, err := d.Token()
		if err == nil {
			err = d.Decode(&value)
		}
		if err != nil {
			return nil, err
		}
		i := slices.Index(names, key.(string))
		if i < 0 {
			return nil, fmt.Errorf(".%s: unknown %s%s", key, what, spell.Hint(key.(string), names))
		}
		if slices.Contains(keys, i) {
			return nil, fmt.Errorf(".%s: given twice", key)
		}
		keys = append(keys, i)
		if err := read(i, value); err != nil {
			return nil, fmt.Errorf(".%s%w", key, err)
		}
	}
	return keys, nil
}

// readFields reads a JSON object into the fields of an edit. Names must match exactly.
func readFields(text []byte, edit reflect.Value) error {
	fields := slices.DeleteFunc(reflect.VisibleFields(edit.Type()),
		func(f reflect.StructField) bool { return f.Anonymous || f.Tag.Get("json") == "-" })
	names, optional, null := make([]string, len(fields)), make([]bool, len(fields)), make([]bool, len(fields))
	for i, f := range fields {
		names[i], _, optional[i] = strings.Cut(f.Tag.Get("json"), ",omitempty")
	}
	keys, err := readObject(text, "key", names, func(i int, value json.RawMessage) error {
		null[i] = string(value) == "null"
		return readField(value, edit.FieldByIndex(fields[i].Index))
	})
	if err != nil {
		return err
	}
	for i, f := range fields {
		if !optional[i] && (null[i] || !slices.Contains(keys, i)) {
			return fmt.Errorf(".%s: not given, want %s", names[i], domain(edit.FieldByIndex(f.Index)))
		}
	}
	return nil
}

// readField reads one JSON value into a field of an edit. A rate may also be a number, of hertz.
func readField(value json.RawMessage, field reflect.Value) error {
	var hertz *float64
	if _, ok := field.Interface().(Rate); ok && json.Unmarshal(value, &hertz) == nil && hertz != nil {
		value = strconv.AppendQuote(nil, strconv.FormatFloat(*hertz, 'f', -1, 64))
	}
	err := json.Unmarshal(value, field.Addr().Interface())
	if err == nil {
		return nil
	}
	if _, ok := field.Addr().Interface().(encoding.TextUnmarshaler); ok && value[0] == '"' {
		return fmt.Errorf(": %w", err) // the error of a rate or phase already has what is wanted
	}
	return fmt.Errorf(" is %s, want %s", value, domain(field))
}

// domain describes the valid values of a field of an edit, for error messages.
func domain(field reflect.Value) string {
	switch field.Interface().(type) {
	case bool:
		return "true or false"
	case int:
		return "a whole number"
	case Phase:
		return "one of " + strings.Join(phaseNames[:], ", ")
	case Rate:
		return "a rate such as 50, \"200/3\" or \"15ms\""
	}
	return "a name"
}
