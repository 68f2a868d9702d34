package robot

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/internal/bounds"
	"github.com/polyrhythm-rl/polyrhythm/internal/decode"
	"github.com/polyrhythm-rl/polyrhythm/tasks/terms"
)

// Settings are the sections of a configuration that describe a task.
type Settings struct {
	// Start is the pose in which episodes begin.
	Start Start `yaml:"start,omitempty"`

	// Episode is the time after which a termination time_out truncates an episode; nil for [DefaultEpisode].
	Episode *time.Duration `yaml:"episode,omitempty"`

	// Actions make up the action vector, one after the other.
	Actions []terms.Entry `yaml:"actions,omitempty"`

	// Observations are groups of entries: "policy", which is what the policy sees, then
	// "critic", if it is there, then the others by name.
	Observations map[string]Group `yaml:"observations,omitempty"`

	// Rewards are added up: weight × value, times the length of a control step unless ScaleRewardsByDT is false.
	Rewards          []terms.Entry `yaml:"rewards,omitempty"`
	ScaleRewardsByDT *bool         `yaml:"scale_rewards_by_dt,omitempty"`

	Terminations []terms.Entry `yaml:"terminations,omitempty"`
	Commands     []terms.Entry `yaml:"commands,omitempty"`
	Events       []terms.Entry `yaml:"events,omitempty"`
	Curriculum   []terms.Entry `yaml:"curriculum,omitempty"`

	// Infos are expressions whose values are reported and not rewarded.
	Infos []terms.Entry `yaml:"infos,omitempty"`
}

// DefaultEpisode is the length of an episode with a time_out.
const DefaultEpisode = 20 * time.Second

// Start is the pose in which episodes begin, before events: a keyframe of the model or,
// without one, the model's own state, and changes to it.
type Start struct {
	// Keyframe is the name of a keyframe; "" for the model's initial state.
	Keyframe string `yaml:"keyframe,omitempty"`

	// Height of the base, in m; nil keeps it.
	Height *float64 `yaml:"height,omitempty"`

	// Joints holds positions by patterns of joint names, in rad or m; the other joints keep theirs.
	Joints map[string]any `yaml:"joints,omitempty"`
}

// Group is a group of observations. In YAML it is the list of its entries, or a mapping.
type Group struct {
	Terms []terms.Entry `yaml:"terms"`

	// Noise is whether the noise of the entries is added; true if it is not given.
	Noise bool `yaml:"noise"`
}

// FromYAML implements [decode.Value].
func (g *Group) FromYAML(key string, value any) (want string, err error) {
	if list, ok := value.([]any); ok {
		for i, entry := range list {
			if _, ok := entry.(map[string]any); !ok {
				return "", decode.Invalid(fmt.Sprintf("%s[%d]", key, i), entry, "a mapping of keys to values")
			}
		}
		value = map[string]any{"terms": list}
	}
	tree, ok := value.(map[string]any)
	if !ok {
		return "a list of entries, or a mapping with the keys terms and noise", nil
	}
	type plain Group // without this method
	all := plain{Noise: true}
	err = decode.Into(key, tree, &all)
	*g = Group(all)
	return "", err
}

// MarshalYAML returns the list of entries, if that says everything.
func (g Group) MarshalYAML() (any, error) {
	if g.Noise {
		return g.Terms, nil
	}
	return map[string]any{"terms": g.Terms, "noise": false}, nil
}

// policyGroup and criticGroup are the names of groups with a meaning.
const (
	policyGroup = "policy"
	criticGroup = "critic"
)

// groups returns the names of the groups in the order of the observation vector.
func (s *Settings) groups() []string {
	first := []string{criticGroup, policyGroup}
	return slices.SortedFunc(maps.Keys(s.Observations), func(a, b string) int {
		return cmp.Or(slices.Index(first, b)-slices.Index(first, a), strings.Compare(a, b))
	})
}

// Given returns the key of the first section that is given; "" if all are empty.
func (s *Settings) Given() string {
	v := reflect.ValueOf(s).Elem()
	for i := range v.NumField() {
		if !v.Field(i).IsZero() {
			key, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("yaml"), ",")
			return key
		}
	}
	return ""
}

// Validate checks all that does not depend on the model: the terms and their parameters.
// Its errors begin with the key.
func (s *Settings) Validate() error {
	_, err := s.parse()
	return err
}

// parsed are the entries of all sections.
type parsed struct {
	entries map[terms.Kind][]terms.Parsed
	groups  []parsedGroup
}

type parsedGroup struct {
	name    string
	noise   bool
	entries []terms.Parsed
}

// parse checks the entries of all sections.
func (s *Settings) parse() (*parsed, error) {
	var c bounds.Check
	if s.Episode != nil {
		c.Time("episode", *s.Episode, time.Millisecond, 1e7*time.Second)
	}
	if s.Start.Height != nil {
		c.Number("start.height", *s.Start.Height, -1e6, 1e6)
	}
	if err := c.Err(); err != nil {
		return nil, err
	}
	p := &parsed{entries: map[terms.Kind][]terms.Parsed{}}
	for _, section := range []struct {
		kind    terms.Kind
		entries []terms.Entry
	}{
		{terms.Actions, s.Actions}, {terms.Rewards, s.Rewards}, {terms.Terminations, s.Terminations},
		{terms.Commands, s.Commands}, {terms.Events, s.Events}, {terms.Curriculum, s.Curriculum},
		{terms.Infos, s.Infos},
	} {
		var err error
		if p.entries[section.kind], err = terms.Parse(section.kind, string(section.kind), section.entries); err != nil {
			return nil, err
		}
	}
	for _, name := range s.groups() {
		if !terms.IsName(name) {
			return nil, fmt.Errorf("observations has a group %q, want names of at most 64 letters, digits and _", name)
		}
		group := s.Observations[name]
		entries, err := terms.Parse(terms.Observations, "observations."+name, group.Terms)
		if err != nil {
			return nil, err
		}
		if len(entries) == 0 {
			return nil, fmt.Errorf("observations.%s has no entries, want at least one", name)
		}
		p.groups = append(p.groups, parsedGroup{name, group.Noise, entries})
	}
	if len(p.entries[terms.Actions]) == 0 {
		return nil, fmt.Errorf("actions has no entries, want at least one, such as {term: joint_position}")
	}
	if len(p.groups) == 0 || p.groups[0].name != policyGroup {
		return nil, fmt.Errorf("observations has no group policy, want one, such as {policy: [{term: joint_pos_rel}]}")
	}
	return p, nil
}
