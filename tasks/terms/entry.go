package terms

import (
	"cmp"
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
	Infos        Kind = "infos" // expressions alone
)

// singular is the name of an entry of the section in errors.
func (k Kind) singular() string {
	if k == Curriculum {
		return "curriculum term"
	}
	return strings.TrimSuffix(string(k), "s")
}

// Entry is one entry of a section as it stands in the configuration: either the key
// "term" and the parameters of that term, or "expr" with an expression; and "name".
type Entry map[string]any

// MarshalYAML writes the entry in one line, first what it is and then its parameters by name.
func (e Entry) MarshalYAML() (any, error) {
	first := []string{"mode", "weight", "expr", "term", "name"}
	order := func(a, b string) int {
		return cmp.Or(slices.Index(first, b)-slices.Index(first, a), strings.Compare(a, b))
	}
	node := &yaml.Node{Kind: yaml.MappingNode, Style: yaml.FlowStyle}
	for _, key := range slices.SortedFunc(maps.Keys(e), order) {
		var k, v yaml.Node
		if err := errors.Join(k.Encode(key), v.Encode(e[key])); err != nil {
			return nil, err
		}
		node.Content = append(node.Content, &k, &v)
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
	// Entity is the name of an entity of the scene that the term is about; the robot if it is not given.
	Entity string `yaml:"entity"`
}

// Parsed is an entry whose keys and values have been checked, without a model.
type Parsed struct {
	Key  string // key of the entry, such as "rewards[3]"
	Head Head
	Kind Kind

	Common     any // a pointer to the keys that all entries of the kind have, such as *RewardKeys
	Parameters any // a pointer to the parameters of its term; nil for an expression

	row   *Term
	entry Entry
}

// MaxEntries is the largest number of entries in a section.
const MaxEntries = 256

// Parse checks the entries of a section: the term must exist and have the parameters that are given. Errors begin
// with the key, such as "rewards[3].std". key is that of the section.
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
	p := Parsed{Key: key, Kind: kind, entry: entry}
	var err error
	if p.row, err = findRow(kind, key, entry); err != nil {
		return p, err
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
	switch name := p.Head.Name; {
	case name == "":
		return p, fmt.Errorf("%s.name: not given, want a name for the expression", key)
	case !IsName(name):
		return p, fmt.Errorf("%s.name is %q, want at most 64 letters, digits and _", key, name)
	}
	var c bounds.Check
	for _, part := range []any{p.Common, p.Parameters} {
		checkFields(&c, "", reflect.ValueOf(part).Elem())
		if part, ok := part.(checker); ok && c.Err() == nil {
			part.checkKeys(&c)
		}
	}
	if p.row.check != nil && c.Err() == nil {
		p.row.check(&c, p.Parameters)
	}
	if err := c.Err(); err != nil {
		return p, fmt.Errorf("%s.%w", key, err)
	}
	return p, nil
}

// IsName reports whether a --set flag and an expression can spell a name: 1 to 64 letters of ASCII, digits and _.
func IsName(name string) bool {
	special := func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_')
	}
	return len(name) >= 1 && len(name) <= 64 && !strings.ContainsFunc(name, special)
}

// findRow returns the row of the table that an entry stands for.
func findRow(kind Kind, key string, entry Entry) (*Term, error) {
	term, hasTerm := entry["term"]
	_, hasExpr := entry["expr"]
	expr := slices.IndexFunc(expressions, func(t Term) bool { return t.Kind == kind })
	name, isText := term.(string)
	switch {
	case hasTerm && hasExpr:
		return nil, fmt.Errorf("%s has a term and an expr, want one of them", key)
	case hasExpr && expr < 0:
		return nil, fmt.Errorf("%s.expr: %s has no expressions, want a term", key, kind)
	case hasExpr:
		return &expressions[expr], nil
	case !hasTerm && expr < 0:
		return nil, fmt.Errorf("%s has no term, want one", key)
	case !hasTerm:
		return nil, fmt.Errorf("%s has no term and no expr, want one of them", key)
	case !isText:
		return nil, decode.Invalid(key+".term", term, "the name of a term")
	case kind == Infos:
		return nil, fmt.Errorf("%s.term: infos has no terms, want an expr", key)
	}
	var known []string
	elsewhere := kind
	for i := range table {
		t := &table[i]
		switch {
		case t.Kind == kind && t.Name == name:
			return t, nil
		case t.Kind == kind:
			known = append(known, t.Name)
		case t.Name == name:
			elsewhere = t.Kind
		}
	}
	if elsewhere != kind {
		return nil, fmt.Errorf("%s.term: %s is a term of %s, not of %s", key, name, elsewhere, kind)
	}
	return nil, fmt.Errorf("%s.term: no %s %q%s", key, kind.singular(), name, spell.Hint(name, known))
}

// The keys that all entries of a kind have.
type (
	// RewardKeys are the keys of each entry of rewards.
	RewardKeys struct {
		// Weight by which the value is multiplied.
		Weight *float64 `yaml:"weight" want:"given"`
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
		Mode string `yaml:"mode" want:"startup|reset|interval"`
		// Interval is the shortest and the longest time between two of mode interval.
		Interval [2]time.Duration `yaml:"interval"`
	}

	// NoKeys is for kinds whose entries have none.
	NoKeys struct{}
)

// The modes of events.
const (
	Startup  = "startup"
	Reset    = "reset"
	Interval = "interval"
)

func (k *EventKeys) checkKeys(c *bounds.Check) {
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

// keysFunc returns a function that returns a pointer to an entry with the defaults.
func keysFunc[C, P any](common C, defaults P) func() reflect.Value {
	return func() reflect.Value {
		return reflect.ValueOf(&all[C, P]{Common: common, Parameters: defaults})
	}
}
