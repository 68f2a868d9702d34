package runners

import (
	"bytes"
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/polyrhythm-rl/polyrhythm/internal/spell"
)

// Edit is one change to the runners or their bindings. The types below are the only
// ones that implement it; Edits marshals them as JSON. An Edit is a value; any
// goroutine may use it.
type Edit interface {
	// op returns the name of the edit in JSON.
	op() string
	// apply makes the change and checks what does not depend on later edits.
	apply(*draft) error
}

type (
	// AddRunner adds a runner with the lowest ID never used. When all IDs have been
	// used, it takes the lowest ID of a removed runner.
	AddRunner struct{ Runner }

	// RemoveRunner removes a runner without bindings. The others keep their IDs.
	// Runner 0, whose steps a Driver counts, can only be disabled.
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
	RemoveBinding struct {
		Name string `json:"name"`
	}

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
	ToggleBinding struct {
		Name    string `json:"name"`
		Enabled bool   `json:"enabled"`
	}
)

func (AddRunner) op() string     { return "add_runner" }
func (RemoveRunner) op() string  { return "remove_runner" }
func (RenameRunner) op() string  { return "rename_runner" }
func (SetRate) op() string       { return "set_rate" }
func (ToggleRunner) op() string  { return "toggle_runner" }
func (AddBinding) op() string    { return "add_binding" }
func (RemoveBinding) op() string { return "remove_binding" }
func (Rebind) op() string        { return "rebind" }
func (SetPhase) op() string      { return "set_phase" }
func (SetPriority) op() string   { return "set_priority" }
func (ToggleBinding) op() string { return "toggle_binding" }

// Apply returns a new schedule with the edits applied in order. The schedule itself
// does not change; a Cursor moves from it to the result with Adopt. Apply returns an
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
	return compile(d.runners, d.bindings, maxRows)
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

// CheckName returns an error unless name is valid for a runner, binding or channel,
// and so for a command-line flag and a column of a table.
func CheckName(name string) error {
	invalid := func(r rune) bool { return r == '.' || r == '=' || unicode.IsSpace(r) || !unicode.IsPrint(r) }
	if name == "" || strings.ContainsFunc(name, invalid) {
		return fmt.Errorf("name is %q, want one or more printable characters without dots, equals signs and spaces", name)
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
	var bound []string
	for _, b := range d.bindings {
		if b.Runner == e.Name {
			bound = append(bound, strconv.Quote(b.Name))
		}
	}
	if len(bound) > 0 {
		return fmt.Errorf("remove runner %q: it has bindings %s, want none; remove them or bind them to another runner first",
			e.Name, strings.Join(bound, ", "))
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
		return fmt.Errorf("rename runner %q to %q: the name is taken, want one other than %s", e.Name, e.To, runnerNames(d.runners))
	}
	r.Name = e.To
	for i := range d.bindings {
		if b := &d.bindings[i]; b.Runner == e.Name && !b.Beat {
			b.Runner = e.To
		}
	}
	return nil
}

func (e SetRate) apply(d *draft) error {
	r, err := d.runner(e.Name)
	if err != nil {
		return fmt.Errorf("set rate %s Hz: %w", e.Rate, err)
	}
	r.Rate = e.Rate
	return nil
}

func (e ToggleRunner) apply(d *draft) error {
	r, err := d.runner(e.Name)
	if err != nil {
		return fmt.Errorf("toggle runner: %w", err)
	}
	r.Disabled = !e.Enabled
	return nil
}

func (e AddBinding) apply(d *draft) error {
	if err := CheckName(e.Name); err != nil {
		return fmt.Errorf("add binding: %w", err)
	}
	d.bindings = append(d.bindings, e.Binding)
	return nil
}

func (e RemoveBinding) apply(d *draft) error {
	if _, err := d.binding(e.Name); err != nil {
		return fmt.Errorf("remove binding: %w", err)
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
		return fmt.Errorf("bind %q to runner %q: it is a beat binding, want one of a runner; remove it and add it again on the runner", e.Name, e.Runner)
	}
	if _, err := d.runner(e.Runner); err != nil {
		return fmt.Errorf("bind %q: %w", e.Name, err)
	}
	b.Runner = e.Runner
	return nil
}

func (e SetPhase) apply(d *draft) error {
	b, err := d.binding(e.Name)
	if err != nil {
		return fmt.Errorf("set phase %v: %w", e.Phase, err)
	}
	b.Phase = e.Phase
	return nil
}

func (e SetPriority) apply(d *draft) error {
	b, err := d.binding(e.Name)
	if err != nil {
		return fmt.Errorf("set priority %d: %w", e.Priority, err)
	}
	b.Priority = e.Priority
	return nil
}

func (e ToggleBinding) apply(d *draft) error {
	b, err := d.binding(e.Name)
	if err != nil {
		return fmt.Errorf("toggle binding: %w", err)
	}
	b.Disabled = !e.Enabled
	return nil
}

// Edits is a list of edits with a JSON form: an array of objects with one key each,
// the name of the edit, as in
//
//	[{"add_runner":{"name":"Lidar","rate":"20"}},{"rebind":{"name":"scan","runner":"Lidar"}}]
//
// An unknown edit or field, a missing field and a field given twice are errors. Only
// fields that MarshalJSON omits may be missing: disabled, writes and beat are then
// false, and runner is empty.
type Edits []Edit

// editReaders holds every kind of edit. It is never modified.
var editReaders = []editReader{
	readerOf[AddRunner](), readerOf[RemoveRunner](), readerOf[RenameRunner](), readerOf[SetRate](), readerOf[ToggleRunner](),
	readerOf[AddBinding](), readerOf[RemoveBinding](), readerOf[Rebind](), readerOf[SetPhase](), readerOf[SetPriority](), readerOf[ToggleBinding](),
}

// editReader reads the JSON of one kind of edit.
type editReader struct {
	op   string
	read func(text []byte) (Edit, error)
}

func readerOf[E Edit]() editReader {
	var zero E
	return editReader{zero.op(), func(text []byte) (Edit, error) {
		var e E
		err := readFields(text, reflect.ValueOf(&e).Elem())
		return e, err
	}}
}

// MarshalJSON returns a JSON array; an empty or nil list is [].
func (e Edits) MarshalJSON() ([]byte, error) {
	list := make([]map[string]Edit, len(e))
	for i, edit := range e {
		list[i] = map[string]Edit{edit.op(): edit}
	}
	return json.Marshal(list)
}

// UnmarshalJSON reads what MarshalJSON returns. On an error the list is unchanged.
func (e *Edits) UnmarshalJSON(text []byte) error {
	var list []json.RawMessage
	if err := json.Unmarshal(text, &list); err != nil {
		return err
	}
	edits := make(Edits, len(list))
	for i, one := range list {
		var err error
		if edits[i], err = readEdit(one); err != nil {
			return fmt.Errorf("edits[%d]%w", i, err)
		}
	}
	*e = edits
	return nil
}

// readEdit reads an object with one key, the name of the edit. Its error continues
// the path of the object: it begins with a key (".name"), a colon or a space.
func readEdit(text []byte) (edit Edit, err error) {
	known := make([]string, len(editReaders))
	for i, r := range editReaders {
		known[i] = r.op
	}
	keys := 0
	err = readObject(text, func(op string, fields json.RawMessage) error {
		keys++
		i := slices.Index(known, op)
		if i < 0 {
			return fmt.Errorf(".%s: unknown edit; did you mean %s? There are %s", op, spell.Nearest(op, known), strings.Join(known, ", "))
		}
		if edit, err = editReaders[i].read(fields); err != nil {
			return fmt.Errorf(".%s%w", op, err)
		}
		return nil
	})
	if err == nil && keys != 1 {
		err = fmt.Errorf(" has %d keys, want one, the name of the edit", keys)
	}
	return edit, err
}

// readObject calls read for each key of a JSON object, in order.
func readObject(text []byte, read func(key string, value json.RawMessage) error) error {
	d := json.NewDecoder(bytes.NewReader(text))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return fmt.Errorf(" is %s, want a mapping of keys to values", text)
	}
	var seen []string
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return err
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return err
		}
		if slices.Contains(seen, key.(string)) {
			return fmt.Errorf(".%s: given twice", key)
		}
		seen = append(seen, key.(string))
		if err := read(key.(string), value); err != nil {
			return err
		}
	}
	return nil
}

// readFields reads a JSON object into the fields of an edit. Names must match exactly.
func readFields(text []byte, edit reflect.Value) error {
	fields := fieldsOf(edit.Type())
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.name
	}
	given := make([]bool, len(fields))
	err := readObject(text, func(key string, value json.RawMessage) error {
		i := slices.Index(names, key)
		if i < 0 {
			return fmt.Errorf(".%s: unknown key; did you mean %s?", key, spell.Nearest(key, names))
		}
		given[i] = string(value) != "null"
		if err := readField(value, edit.FieldByIndex(fields[i].index)); err != nil {
			return fmt.Errorf(".%s%w", key, err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for i, f := range fields {
		if !given[i] && !f.optional {
			return fmt.Errorf(".%s: not given, want %s", f.name, wanted(edit.FieldByIndex(f.index)))
		}
	}
	return nil
}

// readField reads one JSON value into a field of an edit.
func readField(value json.RawMessage, field reflect.Value) error {
	err := json.Unmarshal(value, field.Addr().Interface())
	if err == nil {
		return nil
	}
	if _, ok := field.Addr().Interface().(encoding.TextUnmarshaler); ok && value[0] == '"' {
		return fmt.Errorf(": %w", err) // the error of a rate or phase already has what is wanted
	}
	return fmt.Errorf(" is %s, want %s", value, wanted(field))
}

// wanted describes the valid values of a field of an edit, for error messages.
func wanted(field reflect.Value) string {
	switch field.Interface().(type) {
	case bool:
		return "true or false"
	case int:
		return "a whole number"
	case Phase:
		return "one of " + strings.Join(phaseNames[:], ", ")
	case Rate:
		return "a rate as text, such as \"50\", \"200/3\" or \"15ms\""
	}
	return "a name"
}

// editField is a field of an edit in JSON.
type editField struct {
	name     string
	optional bool
	index    []int
}

// fieldsOf lists the fields of a struct, with those of embedded structs promoted.
func fieldsOf(t reflect.Type) []editField {
	var fields []editField
	for _, f := range reflect.VisibleFields(t) {
		if f.Anonymous {
			continue
		}
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		fields = append(fields, editField{name, options == "omitempty", f.Index})
	}
	return fields
}
