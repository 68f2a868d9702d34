package terms

import (
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/polyrhythm-rl/polyrhythm/internal/decode"
	"github.com/polyrhythm-rl/polyrhythm/internal/spell"
	"github.com/polyrhythm-rl/polyrhythm/physics"
)

// Phase is a callback of the task. Quantities are brought up to date as it begins.
type Phase uint8

const (
	AtReset   Phase = iota // the state has been written, and nothing has been computed from it
	AtAct                  // the start of a control step
	AtReward               // the end of a control step
	AtCommand              // then, before commands change, and at t = 0
	AtObserve              // then
	phases
)

// Binder resolves what the entries of a configuration need from a robot. Its methods do
// not fail: they note the first error, which Err returns, and return something harmless.
// One goroutine at a time may use it.
type Binder struct {
	Robot *Robot

	err   error
	at    string // key of the entry that is bound
	kind  Kind
	name  string // of the entry
	expr  string // its expression
	phase Phase

	quantities []quantity
	index      map[string]int // of their names
	needing    []int          // what the quantity that is being bound needs
	size       int32          // values of quantities in a view
	scratch    int            // values of scratch for expressions
	plans      [phases][]int  // the quantities to compute, in order

	memory   int32 // values of all slots
	observed int   // values of all observations
	probes   []string
	params   []string
	spans    map[string]physics.Span // of the parameters in World.Parameters
	width    int                     // values of parameters
	onReset  []func(v *View)
	onStep   []func(v *View)

	base     int   // joint, -1 if there is none
	actuated []int // joints

	raw         [3]Slot // the latest actions, newest first
	actionNames []string
	bias        *Slot          // of the encoders of the actuated joints; nil: none
	driven      map[int]string // by index in the control, the action that sets it
	commands    map[string]*Command
	weights     map[string]*Staged[float64] // of rewards, by name
	feet        map[string]*Feet
	timeOut     bool
	offset      int64 // see NewBinder
}

// NewBinder returns a binder for a robot. stepOffset is added to the run-wide number of a
// control step wherever a curriculum depends on it.
func NewBinder(r *Robot, stepOffset int64) *Binder {
	b := &Binder{
		Robot:    r,
		offset:   stepOffset,
		index:    map[string]int{},
		spans:    map[string]physics.Span{},
		base:     r.base(),
		actuated: r.actuated(),
		driven:   map[int]string{},
		commands: map[string]*Command{},
		weights:  map[string]*Staged[float64]{},
		feet:     map[string]*Feet{},
	}
	b.define()
	return b
}

// Err returns the first error. It begins with the key of the entry.
func (b *Binder) Err() error { return b.err }

// Bind binds an entry, whose quantities are those of a phase, and returns one of the
// types of the kinds: *Action, *Observation, RewardFunc and so on.
func (b *Binder) Bind(p *Parsed, phase Phase) any {
	b.at, b.kind, b.name, b.phase = p.Key, p.Kind, p.Head.Name, phase
	b.expr = p.Head.Expr
	return p.row.bind(b, p)
}

// Fail notes an error about a parameter of the entry, formatted as by fmt.Errorf:
// "is 3, want 1 to 2" or ": no such joint".
func (b *Binder) Fail(parameter, format string, args ...any) {
	if b.err == nil {
		if format[0] != ':' && format[0] != '[' && format[0] != '.' {
			format = " " + format
		}
		b.err = fmt.Errorf("%s"+format, append([]any{decode.Join(b.at, parameter)}, args...)...)
	}
}

// Key returns the key of the entry's random stream. It depends on the names of section
// and entry only, so the draws of an entry do not change when others are added.
func (b *Binder) Key() Key {
	h := fnv.New64a()
	fmt.Fprintf(h, "%s/%s", b.kind, b.name)
	return Key(h.Sum64() | 1<<63) // sim has small numbers for its own purposes
}

// maxMemory is the largest number of values that a world remembers: 8 MiB.
const maxMemory = 1 << 20

// Memory returns a slot of n values in the memory of each world.
func (b *Binder) Memory(n int) Slot {
	if most := maxMemory - int(b.memory); n > most {
		b.Fail("", ": it has each world remember %d values, want at most %d with those of the entries before it", n, most)
		return Slot{}
	}
	s := Slot{b.memory, int32(n)}
	b.memory += int32(n)
	return s
}

// MemorySize returns the number of values of all slots.
func (b *Binder) MemorySize() int { return int(b.memory) }

// OnReset adds a function that is called after the state of an episode's start has been
// written and events have changed it.
func (b *Binder) OnReset(f func(v *View)) { b.onReset = append(b.onReset, f) }

// OnStep adds a function that is called at the end of each control step, before rewards
// and terminations; the quantities it reads are those of AtReward.
func (b *Binder) OnStep(f func(v *View)) { b.onStep = append(b.onStep, f) }

// Parameter returns the place in World.Parameters of an engine's parameter, such as
// "body_mass/trunk", which events may change.
func (b *Binder) Parameter(key, source string) physics.Span {
	if span, ok := b.spans[source]; ok {
		return span
	}
	p, err := b.Robot.Model.Parameter(source)
	if err != nil {
		b.Fail(key, ": %w", err)
		return physics.Span{}
	}
	span := physics.Span{Offset: b.width, Len: p.Size}
	b.width += p.Size
	b.params, b.spans[source] = append(b.params, source), span
	return span
}

// Base returns the parts of the state row that hold the pose of the base, a position in m
// and a quaternion w x y z in the world, and its velocity: linear in m/s in the world, and
// angular in rad/s in the base's frame. Without a free joint it fails.
func (b *Binder) Base(key string) (pose, velocity physics.Span) {
	if b.base < 0 {
		b.Fail(key, ": needs a base that moves freely, and the robot has no free joint")
		return physics.Span{}, physics.Span{}
	}
	j := &b.Robot.Joints[b.base]
	return j.Position, j.Velocity
}

// BindAction binds an entry of actions.
func (b *Binder) BindAction(p *Parsed) *Action { return b.Bind(p, AtAct).(*Action) }

// BindReward binds an entry of rewards, and returns its weight, which a curriculum may
// change, too.
func (b *Binder) BindReward(p *Parsed) (RewardFunc, *Staged[float64]) {
	value := b.Bind(p, AtReward).(RewardFunc)
	weight := &Staged[float64]{first: *p.Common.(*RewardKeys).Weight}
	b.weights[p.Head.Name] = weight
	return value, weight
}

// CommandInfo returns the value of a command at the end of a control step, and the names
// of its values as infos.
func (b *Binder) CommandInfo(name string) (Handle, []string) {
	c := b.commands[name]
	b.phase = AtReward
	var names []string
	for i := range c.Names {
		names = append(names, fmt.Sprintf("command/%s[%d]", name, i))
	}
	return b.Quantity("command." + name), names
}

// Place changes the positions in Robot.Start of the joints that patterns name.
func (b *Binder) Place(key string, positions map[string]any) {
	var joints []int
	for i, j := range b.Robot.Joints {
		if j.Type == Hinge || j.Type == Slide {
			joints = append(joints, i)
		}
	}
	for i, q := range b.PerJoint(key, positions, joints, math.NaN()) {
		if q == q {
			b.Robot.Start[b.Robot.Joints[joints[i]].Position.Offset] = q
		}
	}
}

// KeepActions makes the worlds keep the latest three actions, whose values have the given
// names, and returns where, the newest first. It is called after all actions are bound.
func (b *Binder) KeepActions(names []string) [3]Slot {
	b.actionNames = names
	for i, name := range []string{"action", "last_action", "last_last_action"} {
		b.raw[i] = b.Memory(len(names))
		doc := []string{"the action in force, within its bounds", "the action before it", "the action before that"}[i]
		b.add(kept(name, len(names), "1", doc, b.raw[i]))
	}
	return b.raw
}

// Probes and Parameters return the sources that the task needs, for sim.Spec.
func (b *Binder) Probes() []string     { return b.probes }
func (b *Binder) Parameters() []string { return b.params }

// Joints returns the indices in Robot.Joints of the hinge and slide joints that patterns
// select, in the order of the model; the actuated ones if there are no patterns.
func (b *Binder) Joints(key string, patterns Patterns) []int {
	if patterns == nil {
		return b.actuated
	}
	var among []int
	for i, j := range b.Robot.Joints {
		if j.Type == Hinge || j.Type == Slide {
			among = append(among, i)
		}
	}
	return b.match(key, "joint", patterns, among, func(i int) string { return b.Robot.Joints[i].Name })
}

// Joint returns the index in Robot.Joints of the hinge or slide joint of a name.
func (b *Binder) Joint(key, name string) int {
	var names []string
	for i, j := range b.Robot.Joints {
		if j.Type != Hinge && j.Type != Slide {
			continue
		}
		if j.Name == name {
			return i
		}
		names = append(names, j.Name)
	}
	b.Fail(key, ": %s", noSuch("joint", name, names))
	return 0
}

// Actuated is like Joints, for actuated joints only.
func (b *Binder) Actuated(key string, patterns Patterns) []int {
	if len(b.actuated) == 0 {
		b.Fail(key, ": the robot has no joint with an actuator; scene.actuators adds some")
		return nil
	}
	if patterns == nil {
		return b.actuated
	}
	return b.match(key, "actuated joint", patterns, b.actuated, func(i int) string { return b.Robot.Joints[i].Name })
}

// Bodies returns the indices of the bodies that patterns select, the world apart.
func (b *Binder) Bodies(key string, patterns Patterns) []int {
	var among []int
	for i := 1; i < len(b.Robot.Bodies); i++ {
		among = append(among, i)
	}
	return b.match(key, "body", patterns, among, func(i int) string { return b.Robot.Bodies[i].Name })
}

// Body returns the index of the body of a name.
func (b *Binder) Body(key, name string) int {
	var names []string
	for i, o := range b.Robot.Bodies {
		if o.Name == name {
			return i
		}
		names = append(names, o.Name)
	}
	b.Fail(key, ": %s", noSuch("body", name, names))
	return 0
}

// Geoms returns the indices of the geoms that patterns select.
func (b *Binder) Geoms(key string, patterns Patterns) []int {
	return b.match(key, "geom", patterns, upTo(len(b.Robot.Geoms)), func(i int) string { return b.Robot.Geoms[i].Name })
}

func upTo(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// match returns those of the indices whose names some pattern matches. Each pattern must
// match one.
func (b *Binder) match(key, kind string, patterns Patterns, among []int, name func(int) string) []int {
	switch {
	case patterns == nil:
		b.Fail(key, ": not given, want patterns of names")
	case len(patterns) == 0:
		b.Fail(key, "is empty, want patterns of names")
	}
	chosen := make([]bool, len(among))
	for n, text := range patterns {
		for i, yes := range b.matchOne(fmt.Sprintf("%s[%d]", key, n), kind, text, among, name) {
			chosen[i] = chosen[i] || yes
		}
	}
	var list []int
	for i, yes := range chosen {
		if yes {
			list = append(list, among[i])
		}
	}
	return list
}

// matchOne says which of the indices have names that a pattern matches, at least one.
func (b *Binder) matchOne(key, kind, text string, among []int, name func(int) string) []bool {
	re, err := pattern(text)
	if err != nil {
		b.Fail(key, "is %q, want a regular expression: %w", text, err)
		return nil
	}
	var names []string
	chosen, found := make([]bool, len(among)), false
	for n, i := range among {
		names = append(names, name(i))
		chosen[n] = re.MatchString(names[n])
		found = found || chosen[n]
	}
	if !found {
		b.Fail(key, ": %s", noMatch(kind, text, names))
	}
	return chosen
}

// noSuch says that nothing of a kind has a name, and names the nearest.
func noSuch(kind, name string, names []string) string {
	if len(names) == 0 {
		return fmt.Sprintf("no %s %q; there is none", kind, name)
	}
	return fmt.Sprintf("no %s %q; did you mean %s?", kind, name, spell.Nearest(name, names))
}

// noMatch says that a pattern matches no name, and names the nearest.
func noMatch(kind, text string, names []string) string {
	if len(names) == 0 {
		return fmt.Sprintf("no %s matches %q; there is none", kind, text)
	}
	return fmt.Sprintf("no %s matches %q; did you mean %s?", kind, text, spell.Nearest(text, names))
}

// PerJoint returns the number of each joint: value is a number for all, a mapping of
// patterns, each of which must match some of the joints, or nil. A joint that no pattern
// matches has the number otherwise.
func (b *Binder) PerJoint(key string, value PerJoint, joints []int, otherwise float64) []float64 {
	list := make([]float64, len(joints))
	for i := range list {
		list[i] = otherwise
	}
	switch v := value.(type) {
	case nil:
	case int, uint64, float64:
		for i := range list {
			list[i] = number(v)
		}
	case map[string]any:
		by := make([]string, len(joints))
		for _, text := range slices.Sorted(maps.Keys(v)) {
			at := entryKey(key, text)
			switch v[text].(type) {
			case int, uint64, float64:
			default:
				b.Fail(at, "is %s, want a number", decode.Describe(v[text]))
				return list
			}
			for i, yes := range b.matchOne(at, "joint", text, joints, func(i int) string { return b.Robot.Joints[i].Name }) {
				if !yes {
					continue
				}
				if by[i] != "" {
					b.Fail(key, ": the patterns %q and %q both match joint %s, want one for each joint", by[i], text, b.Robot.Joints[joints[i]].Name)
				}
				list[i], by[i] = number(v[text]), text
			}
		}
	default:
		b.Fail(key, "is %s, want a number, or a mapping of patterns of joint names to numbers", decode.Describe(value))
	}
	return list
}

// entryKey returns the key of an entry of a mapping from patterns. A pattern such as [0-9]
// would look like another part of the key, so it is quoted.
func entryKey(key, pattern string) string {
	if IsName(pattern) {
		return decode.Join(key, pattern)
	}
	return fmt.Sprintf("%s[%q]", key, pattern)
}

// number converts a number of a configuration.
func number(v any) float64 {
	switch v := v.(type) {
	case int:
		return float64(v)
	case uint64:
		return float64(v)
	case float64:
		return v
	}
	return math.NaN()
}

// Motor returns the actuator of a kind that drives a joint, or fails with what to add to
// the scene.
func (b *Binder) Motor(key string, joint int, kind ActuatorKind) *Actuator {
	var others []string
	for i := range b.Robot.Actuators {
		a := &b.Robot.Actuators[i]
		if a.Joint == joint && a.Kind == kind {
			return a
		}
		if a.Joint == joint {
			others = append(others, fmt.Sprintf("%s (%s)", a.Name, a.Kind))
		}
	}
	b.Fail(key, ": joint %s has no %s actuator, only %s; scene.actuators with type: %s and replace: true gives it one",
		b.Robot.Joints[joint].Name, kind, strings.Join(others, ", "), kind)
	return &Actuator{}
}

// Command returns the value of a command by its entry's name, or fails unless it has
// size values. size 0 accepts any.
func (b *Binder) Command(key, name string, size int) Handle {
	c, ok := b.commands[name]
	if !ok {
		known := slices.Sorted(maps.Keys(b.commands))
		if len(known) == 0 {
			b.Fail(key, ": no command %q: the configuration has no commands", name)
		} else {
			b.Fail(key, ": no command %q; did you mean %s?", name, spell.Nearest(name, known))
		}
		return b.nothing(size)
	}
	if size > 0 && c.Size() != size {
		b.Fail(key, "is %s, a command of %d values, want one of %d", name, c.Size(), size)
		return b.nothing(size)
	}
	return b.Quantity("command." + name)
}

// nothing returns a place for values that are never read, because binding has failed.
func (b *Binder) nothing(size int) Handle { return Handle{0, int32(max(size, 1))} }
