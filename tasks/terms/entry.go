package terms

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/polyrhythm-rl/polyrhythm/internal/bounds"
	"github.com/polyrhythm-rl/polyrhythm/internal/decode"
	"github.com/polyrhythm-rl/polyrhythm/internal/spell"
)

// Kind is the section of a configuration that a term belongs to.
type Kind string

const (
	Actions      Kind = "actions"
	Observations Kind = "observations"
	Rewards      Kind = "rewards"
	Terminations Kind = "terminations"
	Commands     Kind = "commands"
	Events       Kind = "events"
	Curriculum   Kind = "curriculum"
)

// one is the name of an entry of the section in errors.
func (k Kind) one() string {
	if k == Curriculum {
		return "curriculum term"
	}
	return strings.TrimSuffix(string(k), "s")
}

// Entry is one entry of a section as it stands in the configuration: either the key
// "term" and the parameters of that term, or "expr" with an expression; and "name".
type Entry map[string]any

// MarshalYAML writes the entry in one line, first what it is and then its parameters by
// name.
func (e Entry) MarshalYAML() (any, error) {
	node := &yaml.Node{Kind: yaml.MappingNode, Style: yaml.FlowStyle}
	add := func(key string) error {
		var k, v yaml.Node
		if err := errors.Join(k.Encode(key), v.Encode(e[key])); err != nil {
			return err
		}
		node.Content = append(node.Content, &k, &v)
		return nil
	}
	first := []string{"name", "term", "expr", "weight", "mode"}
	for _, key := range first {
		if _, ok := e[key]; ok {
			if err := add(key); err != nil {
				return nil, err
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(e)) {
		if !slices.Contains(first, key) {
			if err := add(key); err != nil {
				return nil, err
			}
		}
	}
	return node, nil
}

// Head holds the keys that entries of all sections have.
type Head struct {
	// Name of the entry, in its section; the term's if it is not given.
	Name string `yaml:"name"`
	// Term is the name of a term.
	Term string `yaml:"term"`
	// Expr is an expression over the quantities, in place of a term.
	Expr string `yaml:"expr"`
}

// Parsed is an entry whose keys and values have been checked, without a model.
type Parsed struct {
	Key  string // where it stands, such as "rewards[3]"
	Head Head
	Kind Kind

	Common     any // a pointer to the keys that all entries of the kind have, such as *RewardKeys
	Parameters any // a pointer to the parameters of its term; nil for an expression

	row *Term
}

// MaxEntries is the largest number of entries in a section.
const MaxEntries = 256

// Parse checks the entries of a section: the term must exist and have the parameters
// that are given. Errors begin with the key, such as "rewards[3].std". key is that of
// the section.
func Parse(kind Kind, key string, entries []Entry) ([]Parsed, error) {
	if len(entries) > MaxEntries {
		return nil, fmt.Errorf("%s has %d entries, want at most %d", key, len(entries), MaxEntries)
	}
	var list []Parsed
	names := map[string]bool{}
	for i, entry := range entries {
		p, err := parse(kind, fmt.Sprintf("%s[%d]", key, i), entry)
		if err != nil {
			return nil, err
		}
		if names[p.Head.Name] {
			return nil, fmt.Errorf("%s.name: %q is given twice in %s, want different names", p.Key, p.Head.Name, key)
		}
		names[p.Head.Name] = true
		list = append(list, p)
	}
	return list, nil
}

// parse checks one entry.
func parse(kind Kind, key string, entry Entry) (Parsed, error) {
	p := Parsed{Key: key, Kind: kind}
	term, hasTerm := entry["term"]
	_, hasExpr := entry["expr"]
	switch name, isText := term.(string); {
	case hasTerm && hasExpr:
		return p, fmt.Errorf("%s has a term and an expr, want one of them", key)
	case hasExpr && !takesExpressions(kind):
		return p, fmt.Errorf("%s.expr: %s has no expressions, want a term", key, kind)
	case !hasTerm && !hasExpr:
		return p, fmt.Errorf("%s has no term%s", key, map[bool]string{true: " and no expr, want one of them", false: ", want one"}[takesExpressions(kind)])
	case hasTerm && !isText:
		return p, decode.Wrong(key+".term", term, "the name of a term")
	case hasTerm:
		row, err := find(kind, name)
		if err != nil {
			return p, fmt.Errorf("%s.term: %w", key, err)
		}
		p.row = row
	default:
		p.row = &expressions[slices.IndexFunc(expressions, func(t Term) bool { return t.Kind == kind })]
	}
	all := p.row.keys()
	if err := decode.Into(key, entry, all.Interface()); err != nil {
		return p, err
	}
	p.Head = all.Elem().Field(0).Interface().(Head)
	p.Common = all.Elem().Field(1).Addr().Interface()
	p.Parameters = all.Elem().Field(2).Addr().Interface()
	if p.Head.Name == "" {
		p.Head.Name = p.Head.Term
	}
	if err := checkName(key, p.Head); err != nil {
		return p, err
	}
	for _, part := range []any{p.Common, p.Parameters} {
		if part, ok := part.(checker); ok {
			var c bounds.Check
			part.Check(&c)
			if err := c.Err(); err != nil {
				return p, fmt.Errorf("%s.%w", key, err)
			}
		}
	}
	return p, nil
}

// checkName checks that a --set flag and an expression can spell the name.
func checkName(key string, h Head) error {
	if h.Name == "" {
		return fmt.Errorf("%s.name: not given, want a name for the expression", key)
	}
	if !IsName(h.Name) {
		return fmt.Errorf("%s.name is %q, want at most 64 letters, digits and _", key, h.Name)
	}
	return nil
}

// IsName reports whether a --set flag and an expression can spell a name: 1 to 64 letters
// of ASCII, digits and _.
func IsName(name string) bool {
	special := func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_')
	}
	return len(name) >= 1 && len(name) <= 64 && !strings.ContainsFunc(name, special)
}

// find returns the term of a name, or an error with the nearest.
func find(kind Kind, name string) (*Term, error) {
	var known, elsewhere []string
	for i := range table {
		if t := &table[i]; t.Kind == kind {
			if t.Name == name {
				return t, nil
			}
			known = append(known, t.Name)
		} else if t.Name == name {
			elsewhere = append(elsewhere, string(t.Kind))
		}
	}
	if elsewhere != nil {
		return nil, fmt.Errorf("%s is a term of %s, not of %s", name, elsewhere[0], kind)
	}
	return nil, fmt.Errorf("no %s %q; did you mean %s?", kind.one(), name, spell.Nearest(name, known))
}

// takesExpressions reports whether entries of a kind may be expressions.
func takesExpressions(kind Kind) bool {
	return slices.ContainsFunc(expressions, func(t Term) bool { return t.Kind == kind })
}

// The keys that all entries of a kind have.
type (
	// RewardKeys are the keys of each entry of rewards.
	RewardKeys struct {
		// Weight by which the value is multiplied.
		Weight *float64 `yaml:"weight"`
	}

	// TerminationKeys are the keys of each entry of terminations.
	TerminationKeys struct {
		// Truncate makes it end the episode as truncated rather than terminated: the
		// state is then valued by what would have followed.
		Truncate bool `yaml:"truncate"`
	}

	// EventKeys are the keys of each entry of events.
	EventKeys struct {
		// Mode says when it happens: startup (in every episode alike, drawn once per
		// world), reset (when an episode begins) or interval (during episodes).
		Mode string `yaml:"mode"`
		// Interval is the shortest and the longest time between two of mode interval.
		Interval [2]time.Duration `yaml:"interval"`
	}

	// NoKeys is for kinds whose entries have none.
	NoKeys struct{}
)

// Check implements the check of parameters.
func (k *RewardKeys) Check(c *bounds.Check) {
	if k.Weight == nil {
		c.Fail("weight: not given, want a number")
	}
}

// The modes of events.
const (
	Startup  = "startup"
	Reset    = "reset"
	Interval = "interval"
)

// Check implements the check of parameters.
func (k *EventKeys) Check(c *bounds.Check) {
	c.OneOf("mode", k.Mode, Startup, Reset, Interval)
	if k.Mode == Interval {
		c.Time("interval[0]", k.Interval[0], time.Millisecond, 1e6*time.Second)
		c.Time("interval[1]", k.Interval[1], k.Interval[0], 1e6*time.Second)
	} else if k.Interval != [2]time.Duration{} {
		c.Fail("interval: want none with mode %s", k.Mode)
	}
}

// all is an entry with all its keys.
type all[C, P any] struct {
	Head       `yaml:",inline"`
	Common     C `yaml:",inline"`
	Parameters P `yaml:",inline"`
}

// keysOf returns a function that returns a pointer to an entry with the defaults.
func keysOf[C, P any](common C, defaults P) func() reflect.Value {
	return func() reflect.Value {
		return reflect.ValueOf(&all[C, P]{Common: common, Parameters: defaults})
	}
}
