package live

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/polyrhythm-rl/polyrhythm/sim"
	"github.com/polyrhythm-rl/polyrhythm/sim/runlog"
)

// The limits of replies.
const (
	maxReplyBytes = 16 << 10
	maxWhyBytes   = 4 << 10
)

type reply struct {
	Commands map[string]map[string]*float64 `json:"commands,omitempty"` // null releases one
	Action   []float32                      `json:"action,omitempty"`
	Why      string                         `json:"why,omitempty"`
}

// replyEffects is what a reply that has been checked does.
type replyEffects struct {
	commands []runlog.Command
	action   []float32       // nil: the policy's
	text     json.RawMessage // the reply, for the log
}

// parseReply checks the form of a reply. It takes anything and panics at nothing.
func parseReply(text string) (r reply, err error) {
	if len(text) > maxReplyBytes {
		return r, fmt.Errorf("%d bytes, want at most %d", len(text), maxReplyBytes)
	}
	var fields map[string]json.RawMessage // package json takes the names of a struct's fields in any case
	if err = json.Unmarshal([]byte(text), &fields); err == nil {
		err = json.Unmarshal([]byte(text), &r)
	}
	if err != nil {
		return r, fmt.Errorf("%w, want JSON of the schema", plainJSON(err))
	}
	if fields == nil {
		return r, errors.New("it is null, want an object")
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if name != "commands" && name != "action" && name != "why" {
			return r, fmt.Errorf("unknown field %q, want commands, action or why", name)
		}
	}
	if len(r.Why) > maxWhyBytes {
		return r, fmt.Errorf("why has %d bytes, want at most %d", len(r.Why), maxWhyBytes)
	}
	return r, nil
}

// plainJSON is an error of package json in the words of who wrote the JSON.
func plainJSON(err error) error {
	var syntax *json.SyntaxError
	var wrong *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return fmt.Errorf("it is not JSON at byte %d: %w", syntax.Offset, err)
	case errors.As(err, &wrong):
		what := cmp.Or(wrong.Field, "it")
		want := map[reflect.Kind]string{
			reflect.Map: "an object", reflect.Struct: "an object", reflect.Slice: "a list", reflect.String: "a text",
			reflect.Bool: "true or false",
		}[wrong.Type.Kind()]
		return fmt.Errorf("%s is a JSON %s, want %s", what, wrong.Value, cmp.Or(want, "a number"))
	}
	return err
}

func (s *Server) checkReply(world int, text string) (d *replyEffects, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("reply: %w", err)
		}
	}()
	r, err := parseReply(text)
	if err != nil {
		return nil, err
	}
	d = &replyEffects{action: r.Action}
	for _, spec := range s.env.Sim().Commands() {
		values, ok := r.Commands[spec.Name]
		if !ok {
			continue
		}
		c, err := commandOf(world, &spec, values)
		if err == nil {
			err = s.env.CheckEffect(&c)
		}
		if err != nil {
			return nil, err
		}
		d.commands = append(d.commands, c)
	}
	if n := len(r.Commands) - len(d.commands); n > 0 {
		return nil, fmt.Errorf("%d commands that the task does not have, want those of the schema", n)
	}
	if r.Action != nil {
		if err := s.checkValues(world, r.Action); err != nil {
			return nil, fmt.Errorf("action: %w", err)
		}
	}
	d.text, err = json.Marshal(r)
	return d, err
}

// commandOf returns a command with values by their names; nil releases it.
func commandOf(world int, spec *sim.CommandSpec, values map[string]*float64) (runlog.Command, error) {
	c := runlog.Command{World: world, Name: spec.Name}
	if values == nil {
		return c, nil
	}
	for _, name := range spec.ValueNames {
		if v := values[name]; v != nil {
			c.Values = append(c.Values, *v)
		}
	}
	if len(c.Values) != len(spec.ValueNames) || len(values) != len(spec.ValueNames) {
		return c, fmt.Errorf("command %s: the values are not %s, want each of them once, as a number",
			spec.Name, strings.Join(spec.ValueNames, ", "))
	}
	return c, nil
}

type object = map[string]any

func (s *Server) replySchema() (string, error) {
	number := func(low, high float64) object {
		o := object{"type": "number"}
		if !math.IsInf(low, 0) {
			o["minimum"] = low
		}
		if !math.IsInf(high, 0) {
			o["maximum"] = high
		}
		return o
	}
	closed := func(properties object) object {
		return object{"type": "object", "properties": properties, "additionalProperties": false}
	}
	commands, items := object{}, []object{}
	for _, c := range s.env.Sim().Commands() {
		values := object{}
		for i, name := range c.ValueNames {
			values[name] = number(c.Low[i], c.High[i])
		}
		command := closed(values)
		command["type"], command["required"] = []string{"object", "null"}, c.ValueNames
		commands[c.Name] = command
	}
	for i := range s.spec.ActionSize {
		if s.spec.Discrete > 0 {
			items = append(items, object{"type": "integer", "minimum": 0, "maximum": s.spec.Discrete - 1})
		} else {
			items = append(items, number(s.spec.ActionLow[i], s.spec.ActionHigh[i]))
		}
	}
	properties := object{
		"why":    object{"type": "string", "description": "the reason, for people and the log"},
		"action": object{"type": "array", "prefixItems": items, "minItems": len(items), "maxItems": len(items)},
	}
	if len(commands) > 0 {
		properties["commands"] = closed(commands)
	}
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(closed(properties))
	return strings.TrimSpace(text.String()), err
}
