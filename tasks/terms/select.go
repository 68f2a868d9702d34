package terms

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/polyrhythm-rl/polyrhythm/internal/bounds"
	"github.com/polyrhythm-rl/polyrhythm/internal/decode"
	"github.com/polyrhythm-rl/polyrhythm/internal/spell"
)

// Joints returns the indices in Robot.Joints of the hinge and slide joints that patterns select, in the order of the
// model; without patterns the actuated ones or, of a robot that tendons and muscles alone move, all.
func (b *Binder) Joints(key string, patterns Patterns) []int {
	if patterns == nil {
		e := b.subject()
		if e.number > 0 && e.joints == nil {
			b.Fail(key, ": entity %s has no hinge or slide joint", e.name)
		}
		return e.joints
	}
	index, _ := b.Select(key, "joint", patterns)
	return index
}

// Actuated is like Joints, for actuated joints only.
func (b *Binder) Actuated(key string, patterns Patterns) []int {
	e := b.subject()
	if len(e.actuated) == 0 {
		b.Fail(key, ": %s has no joint with an actuator; scene.actuators adds some", e)
		return nil
	}
	if patterns == nil {
		return e.actuated
	}
	index, _ := b.Select(key, "actuated joint", patterns)
	return index
}

// Select returns the objects of a kind that patterns select: joint (hinges and slides),
// actuated joint, actuator, body (the world apart), geom or site, of the entity that the entry addresses.
func (b *Binder) Select(key, kind string, patterns Patterns) (index []int, names []string) {
	all, allNames := b.Robot.objects(kind, b.subject().number)
	selection, err := choose(kind, patterns, allNames)
	if err != nil {
		b.Fail(key, "%w", err)
	}
	for _, i := range selection {
		index, names = append(index, all[i]), append(names, allNames[i])
	}
	return index, names
}

// One returns the index of the object of a kind that has a name.
func (b *Binder) One(key, kind, name string) int {
	index, names := b.Robot.objects(kind, b.subject().number)
	i := slices.Index(names, name)
	if i < 0 {
		b.Fail(key, ": no %s %q%s", kind, name, spell.Hint(name, names))
		return 0
	}
	return index[i]
}

// Motor returns the actuator of a kind that drives a joint, or fails with what to add to the scene.
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

// choose returns the indices of the names that some pattern matches. Each pattern must
// match one. The error goes on from the key.
func choose(kind string, patterns Patterns, names []string) (selection []int, err error) {
	switch {
	case patterns == nil:
		return nil, errors.New(": not given, want patterns of names")
	case len(patterns) == 0:
		return nil, errors.New(" is empty, want patterns of names")
	}
	for n, text := range patterns {
		matches, err := bounds.Matches(kind, text, names)
		if err != nil {
			return nil, fmt.Errorf("[%d]%w", n, err)
		}
		selection = append(selection, matches...)
	}
	slices.Sort(selection)
	return slices.Compact(selection), nil
}

// perName returns a number for each of the names of things of a kind: value is a number for all, a mapping of
// patterns, each of which must match some of the names, or nil. What no pattern matches has the number otherwise.
func (b *Binder) perName(key string, value PerJoint, kind string, names []string, fallback float64) []float64 {
	numbers, isMapping := value.(map[string]any)
	if x, ok := number(value); ok {
		fallback = x
	} else if value != nil && !isMapping {
		b.Fail(key, "is %s, want a number, or a mapping of patterns of %s names to numbers", decode.Describe(value), kind)
	}
	list, sources := slices.Repeat([]float64{fallback}, len(names)), make([]string, len(names))
	for _, text := range slices.Sorted(maps.Keys(numbers)) {
		entry := entryKey(key, text)
		x, ok := number(numbers[text])
		if !ok {
			b.Fail(entry, "is %s, want a number", decode.Describe(numbers[text]))
		}
		matched, err := bounds.Matches(kind, text, names)
		if err != nil {
			b.Fail(entry, "%w", err)
		}
		for _, i := range matched {
			if sources[i] != "" {
				b.Fail(key, ": the patterns %q and %q both match %s %s, want one for each %s", sources[i], text, kind, names[i], kind)
			}
			list[i], sources[i] = x, text
		}
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
func number(v any) (float64, bool) {
	switch v := v.(type) {
	case int:
		return float64(v), true
	case uint64:
		return float64(v), true
	case float64:
		return v, true
	}
	return math.NaN(), false
}
