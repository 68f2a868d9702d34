package runners

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Edit is one change to the runners or to what is bound to them, as data: the
// types below are all there are, and Edits writes them as JSON.
type Edit interface {
	// op names the edit in JSON.
	op() string
	// apply makes the change, as far as it can be judged without the others.
	apply(*draft) error
}

type (
	// AddRunner adds a runner, with the next free ID.
	AddRunner struct{ Runner }

	// RemoveRunner removes a runner that nothing is bound to. The IDs of those
	// after it go down by one.
	RemoveRunner struct {
		Name string `json:"name"`
	}

	// RenameRunner gives a runner another name; what is bound to it follows.
	RenameRunner struct {
		Name string `json:"name"`
		To   string `json:"to"`
	}

	// SetRate gives a runner another rate.
	SetRate struct {
		Name string `json:"name"`
		Rate Rate   `json:"rate"`
	}

	// ToggleRunner enables or disables a runner.
	ToggleRunner struct {
		Name    string `json:"name"`
		Enabled bool   `json:"enabled"`
	}

	// AddBinding adds a binding, registered last.
	AddBinding struct{ Binding }

	// RemoveBinding removes a binding.
	RemoveBinding struct {
		Name string `json:"name"`
	}

	// Rebind moves a binding to another runner. A beat binding has none.
	Rebind struct {
		Name   string `json:"name"`
		Runner string `json:"runner"`
	}

	// SetPhase moves a binding to another phase.
	SetPhase struct {
		Name  string `json:"name"`
		Phase Phase  `json:"phase"`
	}

	// SetPriority moves a binding within its phase.
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

// Apply returns the schedule that the edits, made in order, lead to, with its
// order of execution resolved once. The schedule itself does not change; a
// Cursor moves from it to the result with Adopt. An edit that cannot be made,
// or a result that Compile refuses, is an error that says why, and nothing is
// changed.
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
	return Compile(d.runners, d.bindings)
}

// draft is what edits change.
type draft struct {
	runners  []Runner
	bindings []Binding
}

// runner finds a runner by name.
func (d *draft) runner(name string) (*Runner, error) {
	i := slices.IndexFunc(d.runners, func(r Runner) bool { return r.Name == name })
	if i < 0 {
		return nil, fmt.Errorf("no runner %q, want one of %s", name, d.runnerNames())
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

func (d *draft) runnerNames() string {
	names := make([]string, len(d.runners))
	for i, r := range d.runners {
		names[i] = r.Name
	}
	return strings.Join(names, ", ")
}

func (e AddRunner) apply(d *draft) error {
	if len(d.runners) == MaxRunners {
		return fmt.Errorf("add runner %q: there are %d already (%s), want at most %d; remove one first",
			e.Name, len(d.runners), d.runnerNames(), MaxRunners)
	}
	d.runners = append(d.runners, e.Runner)
	return nil
}

func (e RemoveRunner) apply(d *draft) error {
	if _, err := d.runner(e.Name); err != nil {
		return fmt.Errorf("remove runner: %w", err)
	}
	var bound []string
	for _, b := range d.bindings {
		if b.Runner == e.Name {
			bound = append(bound, strconv.Quote(b.Name))
		}
	}
	if len(bound) > 0 {
		return fmt.Errorf("remove runner %q: still bound to it: %s; remove them or bind them to another runner first",
			e.Name, strings.Join(bound, ", "))
	}
	d.runners = slices.DeleteFunc(d.runners, func(r Runner) bool { return r.Name == e.Name })
	return nil
}

func (e RenameRunner) apply(d *draft) error {
	r, err := d.runner(e.Name)
	if err != nil {
		return fmt.Errorf("rename runner: %w", err)
	}
	if _, err := d.runner(e.To); err == nil && e.To != e.Name {
		return fmt.Errorf("rename runner %q to %q: the name is taken, want one that is not among %s", e.Name, e.To, d.runnerNames())
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
		return fmt.Errorf("bind %q to runner %q: it fires at the beat; remove it and add it anew to have it on a runner", e.Name, e.Runner)
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

// Edits is a list of edits that is read and written as JSON: an array of objects
// with one key each, the name of the edit, as in
//
//	[{"add_runner":{"name":"Lidar","rate":"20"}},{"rebind":{"name":"scan","runner":"Lidar"}}]
//
// An edit or a field that is not known is an error.
type Edits []Edit

// editReader says how the JSON of one kind of edit is read.
type editReader struct {
	op   string
	read func(text []byte) (Edit, error)
}

// editReaders holds every kind of edit. It does not change.
var editReaders = []editReader{
	readerOf[AddRunner](), readerOf[RemoveRunner](), readerOf[RenameRunner](), readerOf[SetRate](), readerOf[ToggleRunner](),
	readerOf[AddBinding](), readerOf[RemoveBinding](), readerOf[Rebind](), readerOf[SetPhase](), readerOf[SetPriority](), readerOf[ToggleBinding](),
}

func readerOf[E Edit]() editReader {
	var zero E
	return editReader{zero.op(), func(text []byte) (Edit, error) {
		var e E
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.DisallowUnknownFields()
		err := decoder.Decode(&e)
		return e, err
	}}
}

// MarshalJSON writes an array, also for no edits.
func (e Edits) MarshalJSON() ([]byte, error) {
	list := make([]map[string]Edit, len(e))
	for i, edit := range e {
		list[i] = map[string]Edit{edit.op(): edit}
	}
	return json.Marshal(list)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (e *Edits) UnmarshalJSON(text []byte) error {
	var list []map[string]json.RawMessage
	if err := json.Unmarshal(text, &list); err != nil {
		return err
	}
	edits := make(Edits, len(list))
	for i, one := range list {
		if len(one) != 1 {
			return fmt.Errorf("edit %d of %d has %d names, want one", i+1, len(list), len(one))
		}
		for op, fields := range one {
			edit, err := readEdit(op, fields)
			if err != nil {
				return fmt.Errorf("edit %d of %d: %w", i+1, len(list), err)
			}
			edits[i] = edit
		}
	}
	*e = edits
	return nil
}

func readEdit(op string, fields []byte) (Edit, error) {
	known := make([]string, len(editReaders))
	for i, r := range editReaders {
		if r.op == op {
			edit, err := r.read(fields)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", op, err)
			}
			return edit, nil
		}
		known[i] = r.op
	}
	return nil, fmt.Errorf("no edit %q, want one of %s", op, strings.Join(known, ", "))
}
