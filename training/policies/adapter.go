package policies

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/polyrhythm-rl/polyrhythm/internal/bounds"
	"github.com/polyrhythm-rl/polyrhythm/internal/decode"
	"github.com/polyrhythm-rl/polyrhythm/internal/spell"
	"github.com/polyrhythm-rl/polyrhythm/policy/onnx"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// adapter leads from a task's observations to those of another program's policy, and from its actions to the task's. Its
// file is YAML; docs/reference/adapters.md has its keys.
type adapter struct {
	Input  string            `yaml:"input"`
	Output string            `yaml:"output"`
	States map[string]string `yaml:"states"`

	Joints       []string        `yaml:"joints"`
	Observations []observedEntry `yaml:"observations"`
	Clip         *float64        `yaml:"clip_observations"`
	History      history         `yaml:"history"`
	Actions      actionKeys      `yaml:"actions"`
}

// observedEntry is some values of what the policy observes: those of the task that have names, those of the policy's
// previous action, or constants.
type observedEntry struct {
	Values   []string `yaml:"values"`
	Previous bool     `yaml:"previous_action"`
	Constant numbers  `yaml:"constant"`
	Scale    numbers  `yaml:"scale"`
	Offset   numbers  `yaml:"offset"`
}

// history is how the frames of the last control steps are one observation.
type history struct {
	Frames int    `yaml:"frames"`
	Newest string `yaml:"newest"` // first or last
	By     string `yaml:"by"`     // frame or entry
	Begins string `yaml:"begins"` // repeated or zeros
}

// actionKeys is what the policy's action means.
type actionKeys struct {
	Values []string `yaml:"values"`
	Clip   *float64 `yaml:"clip"`
	Scale  numbers  `yaml:"scale"`
	Offset numbers  `yaml:"offset"`
}

// numbers is one number for all values, or one for each.
type numbers []float64

func (n *numbers) FromYAML(_ string, value any) (string, error) {
	list, ok := value.([]any)
	if !ok {
		list = []any{value}
	}
	*n = nil
	for _, v := range list {
		switch v := v.(type) {
		case int:
			*n = append(*n, float64(v))
		case float64:
			*n = append(*n, v)
		}
		if k := len(*n); k == 0 || math.IsInf((*n)[k-1], 0) || math.IsNaN((*n)[k-1]) {
			return "a number or a list of numbers", nil
		}
	}
	if len(*n) != len(list) || len(list) == 0 {
		return "a number or a list of numbers", nil
	}
	return "", nil
}

// of returns the number of a value.
func (n numbers) of(i int, otherwise float64) float64 {
	switch len(n) {
	case 0:
		return otherwise
	case 1:
		return n[0]
	}
	return n[i]
}

// fits returns an error unless there is one number, one for each of so many values, or none.
func (n numbers) fits(key string, size int) error {
	if len(n) > 1 && len(n) != size {
		return fmt.Errorf("%s has %d numbers, want 1 or %d", key, len(n), size)
	}
	return nil
}

// parseAdapter reads an adapter; nil if the text is empty.
func parseAdapter(text string) (*adapter, error) {
	if text == "" {
		return nil, nil
	}
	tree, err := decode.Parse("", []byte(text))
	if err != nil {
		return nil, err
	}
	a := &adapter{History: history{Frames: 1, Newest: "last", By: "frame", Begins: "repeated"}}
	if err := decode.Into("", tree, a); err != nil {
		return nil, err
	}
	h := a.History
	for _, word := range []struct{ key, got, one, other string }{
		{"history.newest", h.Newest, "first", "last"}, {"history.by", h.By, "frame", "entry"},
		{"history.begins", h.Begins, "repeated", "zeros"},
	} {
		if word.got != word.one && word.got != word.other {
			return nil, decode.Invalid(word.key, word.got, word.one+" or "+word.other)
		}
	}
	switch {
	case h.Frames < 1 || h.Frames > maxFrames:
		return nil, decode.Invalid("history.frames", h.Frames, fmt.Sprintf("1 to %d", maxFrames))
	case a.Clip != nil && !(*a.Clip > 0):
		return nil, decode.Invalid("clip_observations", *a.Clip, "more than 0")
	case a.Actions.Clip != nil && !(*a.Actions.Clip > 0):
		return nil, decode.Invalid("actions.clip", *a.Actions.Clip, "more than 0")
	}
	for i, o := range a.Observations {
		given := 0
		for _, has := range []bool{o.Values != nil, o.Previous, o.Constant != nil} {
			if has {
				given++
			}
		}
		if given != 1 {
			return nil, fmt.Errorf("observations[%d] has %d of values, previous_action and constant, want one", i, given)
		}
	}
	return a, nil
}

const maxFrames = 1000 // of a history

// ports returns the ports that the adapter names.
func (a *adapter) ports() onnx.Ports {
	if a == nil {
		return onnx.Ports{}
	}
	p := onnx.Ports{Observation: a.Input, Action: a.Output}
	for from, to := range a.States {
		p.States = append(p.States, [2]string{from, to})
	}
	slices.SortFunc(p.States, func(x, y [2]string) int { return strings.Compare(x[0], y[0]) })
	return p
}

// column is where a value of the policy's observation comes from.
type column struct {
	from          int // value of the task's observation, or of the previous action; -1: a constant
	previous      bool
	scale, offset float64
}

// fitted is a network and its adapter in a task.
type fitted struct {
	model   *onnx.Model
	columns []column // of a frame
	places  []int    // of each value of a frame, in the policy's observation, for the newest frame
	strides []int    // from there to the place of the frame before
	frames  int
	repeat  bool    // the frames before the first are as the first
	clip    float64 // of a frame

	previous  int   // values of the previous action that are kept
	actions   []int // value of the task's action, by the policy's; nil: a choice
	actClip   float32
	scale     []float64 // by value of the policy's action
	offset    []float64
	low, high []float32 // by value of the task's action
	states    int       // values of a row's memory
}

// fit fits a network into a task. A nil adapter is that of a policy with the same observations and actions.
func (a *adapter) fit(model *onnx.Model, spec sim.Spec) (*fitted, error) {
	if a == nil {
		a = &adapter{History: history{Frames: 1}}
	}
	f := &fitted{model: model, frames: a.History.Frames, repeat: a.History.Begins == "repeated", clip: math.Inf(1),
		actClip: float32(math.Inf(1))}
	if a.Clip != nil {
		f.clip = *a.Clip
	}
	if err := a.fitActions(f, spec); err != nil {
		return nil, err
	}
	sizes, err := a.fitObservations(f, spec)
	if err != nil {
		return nil, err
	}
	if got := len(f.columns) * f.frames; got != model.Observation() {
		what := fmt.Sprintf("the %d of %s", len(f.columns), spec.Name)
		if a.Observations != nil || f.frames > 1 {
			what = fmt.Sprintf("the %d values in %d frames of its adapter", len(f.columns), f.frames)
		}
		return nil, fmt.Errorf("it observes %d values, want %s", model.Observation(), what)
	}
	f.arrange(sizes, a.History)
	f.states = model.State() + f.previous
	if f.frames > 1 {
		f.states += f.frames * len(f.columns)
	}
	return f, nil
}

// valueNames are the names of values, where the task gives them none, those that scripts have, too.
func valueNames(names []string, plain string, size int) []string {
	if names != nil {
		return names
	}
	names = make([]string, size)
	for i := range names {
		names[i] = fmt.Sprintf("%s[%d]", plain, i)
	}
	return names
}

// named returns the indices of the values that names or patterns of an adapter name, in their order.
func (a *adapter) named(key, kind string, names, known []string) (list []int, err error) {
	for i, name := range names {
		each := []string{name}
		if strings.Contains(name, placeholder) {
			if each = nil; a.Joints == nil {
				return nil, fmt.Errorf("%s[%d] is %q, and the adapter has no joints", key, i, name)
			}
			for _, joint := range a.Joints {
				each = append(each, strings.ReplaceAll(name, placeholder, joint))
			}
		}
		for _, one := range each {
			if at := slices.Index(known, one); at >= 0 {
				list = append(list, at)
				continue
			}
			if len(each) > 1 {
				return nil, fmt.Errorf("%s[%d]: the task has no %s %s%s", key, i, kind, one, spell.Hint(one, known))
			}
			matched, err := bounds.Matches(kind, one, known)
			if err != nil {
				return nil, fmt.Errorf("%s[%d]%w", key, i, err)
			}
			list = append(list, matched...)
		}
		if len(list) > maxColumns {
			return nil, fmt.Errorf("%s names more than %d values", key, maxColumns)
		}
	}
	return list, nil
}

const (
	placeholder = "{joint}"
	maxColumns  = 1 << 20 // values that an adapter names
)

// fitObservations makes the columns of a frame, and returns how many each entry has.
func (a *adapter) fitObservations(f *fitted, spec sim.Spec) (sizes []int, err error) {
	if a.Observations == nil {
		size := spec.ObservationSize
		if spec.Groups != nil {
			size = spec.Groups[0].Size // what a policy observes; others are for critics and teachers
		}
		for i := range size {
			f.columns = append(f.columns, column{from: i, scale: 1})
		}
		return []int{size}, nil
	}
	known := valueNames(spec.ObservationNames, "observation", spec.ObservationSize)
	for i, o := range a.Observations {
		key := fmt.Sprintf("observations[%d]", i)
		list, constant := []int(nil), o.Constant != nil
		switch {
		case constant:
			for range o.Constant {
				list = append(list, -1)
			}
		case o.Previous && spec.Discrete > 0:
			return nil, fmt.Errorf("%s.previous_action is true, and %s has %d choices, want continuous actions", key, spec.Name,
				spec.Discrete)
		case o.Previous:
			f.previous = f.model.Action()
			for k := range f.model.Action() {
				list = append(list, k)
			}
		default:
			if list, err = a.named(key+".values", "observed value", o.Values, known); err != nil {
				return nil, err
			}
		}
		for _, n := range []struct {
			key string
			of  numbers
		}{{"scale", o.Scale}, {"offset", o.Offset}} {
			if err := n.of.fits(key+"."+n.key, len(list)); err != nil {
				return nil, err
			}
		}
		for k, from := range list {
			c := column{from: from, previous: o.Previous, scale: o.Scale.of(k, 1), offset: o.Offset.of(k, 0)}
			if constant {
				c.offset += float64(c.scale * o.Constant[k])
			}
			f.columns = append(f.columns, c)
		}
		if sizes = append(sizes, len(list)); len(f.columns) > maxColumns {
			return nil, fmt.Errorf("observations has more than %d values", maxColumns)
		}
	}
	return sizes, nil
}

// arrange says where the frames of a history are in the policy's observation.
func (f *fitted) arrange(sizes []int, h history) {
	at := 0
	for _, size := range sizes {
		for k := range size {
			place, stride := at+k, len(f.columns)
			if h.By == "entry" {
				place, stride = at*f.frames+k, size
			}
			if h.Newest == "first" {
				f.places, f.strides = append(f.places, place), append(f.strides, stride)
			} else {
				f.places, f.strides = append(f.places, place+(f.frames-1)*stride), append(f.strides, -stride)
			}
		}
		at += size
	}
}

// fitActions says what the values of the policy's action are in the task.
func (a *adapter) fitActions(f *fitted, spec sim.Spec) error {
	keys, size := a.Actions, f.model.Action()
	if spec.Discrete > 0 {
		switch {
		case keys.Values != nil || keys.Clip != nil || keys.Scale != nil || keys.Offset != nil:
			return fmt.Errorf("actions is given, and %s has %d choices, want no adapter of actions", spec.Name, spec.Discrete)
		case f.model.Chooses() && size == 1, !f.model.Chooses() && size == spec.Discrete:
			return nil
		}
		return fmt.Errorf("it gives %d values, want one whole number or the value of each of the %d choices of %s", size,
			spec.Discrete, spec.Name)
	}
	if f.model.Chooses() {
		return fmt.Errorf("it gives a choice, want continuous actions as %s has", spec.Name)
	}
	if keys.Clip != nil {
		f.actClip = float32(*keys.Clip)
	}
	for k := range spec.ActionSize {
		f.low, f.high = append(f.low, float32(spec.ActionLow[k])), append(f.high, float32(spec.ActionHigh[k]))
	}
	known := valueNames(spec.ActionNames, "action", spec.ActionSize)
	if keys.Values == nil {
		keys.Values = known
	}
	var err error
	if f.actions, err = a.named("actions.values", "value of an action", keys.Values, known); err != nil {
		return err
	}
	if len(f.actions) != size {
		what := fmt.Sprintf("the %d of %s", spec.ActionSize, spec.Name)
		if a.Actions.Values != nil {
			what = fmt.Sprintf("the %d that actions.values of its adapter names", len(f.actions))
		}
		return fmt.Errorf("it has %d action values, want %s", size, what)
	}
	times := make([]int, spec.ActionSize)
	for _, k := range f.actions {
		times[k]++
	}
	for k, n := range times {
		if n != 1 {
			return fmt.Errorf("actions.values names %s %d times, want each value of the action of %s once: %s", known[k], n,
				spec.Name, strings.Join(known, ", "))
		}
	}
	for _, n := range []struct {
		key string
		of  numbers
	}{{"actions.scale", keys.Scale}, {"actions.offset", keys.Offset}} {
		if err := n.of.fits(n.key, size); err != nil {
			return err
		}
	}
	for k := range size {
		f.scale, f.offset = append(f.scale, keys.Scale.of(k, 1)), append(f.offset, keys.Offset.of(k, 0))
	}
	return nil
}

// observe writes what the policy observes to dst, from an observation of the task and the memory of its row, to which
// the frame is added.
func (f *fitted) observe(dst []float32, observation []float64, memory []float32, begins bool) {
	previous := memory[f.model.State():][:f.previous]
	frames := memory[f.model.State()+f.previous:] // the newest first
	size := len(f.columns)
	if f.frames > 1 {
		copy(frames[size:], frames[:len(frames)-size])
	}
	for i := range f.columns {
		c := &f.columns[i]
		v := 0.0
		switch {
		case c.from < 0:
		case c.previous:
			v = float64(previous[c.from])
		default:
			v = observation[c.from]
		}
		v = min(max(float64(v*c.scale)+c.offset, -f.clip), f.clip)
		dst[f.places[i]] = float32(v)
		if f.frames > 1 {
			frames[i] = float32(v)
		}
	}
	if f.frames == 1 {
		return
	}
	if begins && f.repeat {
		for k := 1; k < f.frames; k++ {
			copy(frames[k*size:], frames[:size])
		}
	}
	for k := 1; k < f.frames; k++ {
		for i, v := range frames[k*size:][:size] {
			dst[f.places[i]+k*f.strides[i]] = v
		}
	}
}

// act writes the task's action from the policy's, which it keeps.
func (f *fitted) act(dst, given, memory []float32) {
	if f.actions == nil {
		best := 0
		if f.model.Chooses() {
			dst[0] = given[0]
			return
		}
		for i, v := range given {
			if v > given[best] {
				best = i
			}
		}
		dst[0] = float32(best)
		return
	}
	for i, k := range f.actions {
		v := min(max(given[i], -f.actClip), f.actClip)
		if f.previous > 0 {
			memory[f.model.State()+i] = v
		}
		dst[k] = min(max(float32(float64(float64(v)*f.scale[i])+f.offset[i]), f.low[k]), f.high[k])
	}
}
