package exam

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/polyrhythm-rl/polyrhythm/internal/decode"
	"github.com/polyrhythm-rl/polyrhythm/internal/spell"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// Success says when an episode is a success: when all its conditions hold, by the name of what they are about. That is an
// info of the task, an end of an episode ([sim.Spec.Ends]), "return" or "steps". Without conditions it is what the task says
// ([sim.Spec.SuccessInfo]) or else, for a task that says nothing, that the episode lasts until its time limit. An episode
// that a fault ended is none.
type Success map[string]Condition

// Condition is what one value must be. In YAML it is true, false, or a mapping.
type Condition struct {
	// Is says that the episode ends so, or does not; or that the last value of an info is above 0, or is not.
	Is *bool `json:"is,omitempty" yaml:"is"`

	// Min and Max are bounds of a value, both included; nil: none.
	Min *float64 `json:"min,omitempty" yaml:"min"`
	Max *float64 `json:"max,omitempty" yaml:"max"`

	// Of says which value of an info has the bounds: Mean of its control steps, or Last. "": Mean.
	Of string `json:"of,omitempty" yaml:"of"`
}

// What the bounds of an info are of.
const (
	Mean = "mean"
	Last = "last"
)

// FromYAML implements [decode.Value].
func (c *Condition) FromYAML(key string, value any) (want string, err error) {
	switch v := value.(type) {
	case bool:
		c.Is = &v
		return "", nil
	case map[string]any:
		type plain Condition // without this method
		var p plain
		if err := decode.Into(key, v, &p); err != nil {
			return "", err
		}
		*c = Condition(p)
		return "", nil
	}
	return "true, false, or a mapping such as {max: 0.25}", nil
}

// The names of what an episode has beside infos and ends.
const (
	returnName = "return"
	stepsName  = "steps"
)

// judge decides whether an episode was a success. It is called in [sim.Observer.Ended].
type judge func(w *sim.World, e *sim.Episode) bool

// compile returns the judge of episodes of a task.
func (s Success) compile(spec sim.Spec) (judge, error) {
	if len(s) == 0 {
		if i := spec.SuccessInfo(); i >= 0 {
			return func(w *sim.World, _ *sim.Episode) bool { return w.Info()[i] > 0 }, nil
		}
		return func(_ *sim.World, e *sim.Episode) bool { return e.End == sim.EndTimeLimit }, nil
	}
	var all []judge
	for _, name := range slices.Sorted(maps.Keys(s)) {
		j, err := s[name].compile(name, spec)
		if err != nil {
			return nil, fmt.Errorf("success.%s: %w", name, err)
		}
		all = append(all, j)
	}
	return func(w *sim.World, e *sim.Episode) bool {
		for _, j := range all {
			if !j(w, e) {
				return false
			}
		}
		return true
	}, nil
}

func (c Condition) compile(name string, spec sim.Spec) (judge, error) {
	bounded := c.Min != nil || c.Max != nil
	info := slices.Index(spec.InfoNames, name)
	switch {
	case (c.Is != nil) == bounded:
		return nil, errors.New("want true, false, or a mapping with min, max or both")
	case c.Is != nil && c.Of != "":
		return nil, errors.New("of is given, want it with min or max")
	case c.Of != "" && c.Of != Mean && c.Of != Last:
		return nil, fmt.Errorf("of is %q, want %s or %s", c.Of, Mean, Last)
	case c.Min != nil && c.Max != nil && !(*c.Min <= *c.Max):
		return nil, fmt.Errorf("min is %v and max is %v, want the lesser one first", *c.Min, *c.Max)
	case info >= 0 && c.Is != nil:
		return func(w *sim.World, _ *sim.Episode) bool { return (w.Info()[info] > 0) == *c.Is }, nil
	case info >= 0 && c.Of == Last:
		return func(w *sim.World, _ *sim.Episode) bool { return c.holds(w.Info()[info]) }, nil
	case info >= 0:
		return func(_ *sim.World, e *sim.Episode) bool { return c.holds(e.InfoSum[info] / float64(e.Steps)) }, nil
	case name == returnName && bounded:
		return func(_ *sim.World, e *sim.Episode) bool { return c.holds(e.Return) }, nil
	case name == stepsName && bounded:
		return func(_ *sim.World, e *sim.Episode) bool { return c.holds(float64(e.Steps)) }, nil
	case slices.Contains(spec.Ends(), name) && c.Is != nil:
		return func(_ *sim.World, e *sim.Episode) bool { return (e.End == name) == *c.Is }, nil
	case slices.Contains(spec.Ends(), name):
		return nil, errors.New("episodes end so or do not, want true or false")
	case name == returnName || name == stepsName:
		return nil, errors.New("want a mapping with min, max or both")
	}
	known := slices.Concat(spec.Ends(), []string{returnName, stepsName}, spec.InfoNames)
	return nil, fmt.Errorf("%s has no info and no end of this name%s", cmp.Or(spec.Name, "the task"), spell.Hint(name, known))
}

func (c Condition) holds(v float64) bool {
	return (c.Min == nil || v >= *c.Min) && (c.Max == nil || v <= *c.Max)
}

// words returns the conditions in words. The names of a task's infos tell what a name is of.
func (s Success) words(infos []string) (words []string) {
	if len(s) == 0 {
		spec := sim.Spec{InfoNames: infos}
		if i := spec.SuccessInfo(); i >= 0 {
			return []string{infos[i] + " is above 0 at its end"}
		}
		return []string{"it lasts until its time limit"}
	}
	for _, name := range slices.Sorted(maps.Keys(s)) {
		words = append(words, s[name].words(name, slices.Contains(infos, name)))
	}
	return words
}

func (c Condition) words(name string, info bool) string {
	if c.Is != nil {
		not := ""
		if !*c.Is {
			not = "not "
		}
		if info {
			return name + " is " + not + "above 0 at its end"
		}
		return "the rule that ends it is " + not + name
	}
	var bounds []string
	if c.Min != nil {
		bounds = append(bounds, fmt.Sprintf("at least %v", *c.Min))
	}
	if c.Max != nil {
		bounds = append(bounds, fmt.Sprintf("at most %v", *c.Max))
	}
	bound := strings.Join(bounds, " and ")
	switch {
	case info && c.Of == Last:
		return name + " is " + bound + " at its end"
	case info:
		return "the mean of " + name + " over its control steps is " + bound
	case name == stepsName:
		return "its number of control steps is " + bound
	}
	return "its " + name + " is " + bound
}
