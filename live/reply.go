package live

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/live/wire"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// The limits of replies.
const (
	maxReplyBytes = 16 << 10
	maxWhyBytes   = 4 << 10
)

// reply is the JSON of a reply.
type reply struct {
	Commands map[string]map[string]*float64 `json:"commands,omitempty"` // null releases one
	Action   []float32                      `json:"action,omitempty"`
	Why      string                         `json:"why,omitempty"`
}

// decided is what a reply does, after it has been checked.
type decided struct {
	commands []env.Command
	action   []float32       // nil: the policy's
	text     json.RawMessage // the reply, for the log
}

// parseReply checks the JSON of a reply against the commands and the actions of the task.
// It takes anything and panics at nothing.
func parseReply(text string) (*reply, error) {
	if len(text) > maxReplyBytes {
		return nil, fmt.Errorf("reply: %d bytes, want at most %d", len(text), maxReplyBytes)
	}
	var r *reply
	in := json.NewDecoder(strings.NewReader(text))
	if err := in.Decode(&r); err != nil {
		return nil, fmt.Errorf("reply: %w, want JSON of the schema", err)
	}
	if _, err := in.Token(); err != io.EOF {
		return nil, errors.New("reply: there is text after the JSON, want one value")
	}
	if r == nil {
		return nil, errors.New("reply: it is null, want an object")
	}
	var fields map[string]json.RawMessage // the decoder takes names of fields in any case
	if err := json.Unmarshal([]byte(text), &fields); err != nil {
		return nil, fmt.Errorf("reply: %w, want JSON of the schema", err)
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if name != "commands" && name != "action" && name != "why" {
			return nil, fmt.Errorf("reply: unknown field %q, want commands, action or why", name)
		}
	}
	if len(r.Why) > maxWhyBytes {
		return nil, fmt.Errorf("reply: why has %d bytes, want at most %d", len(r.Why), maxWhyBytes)
	}
	return r, nil
}

// checkReply returns what a reply does in a world.
func (s *Server) checkReply(world int, text string) (*decided, error) {
	r, err := parseReply(text)
	if err != nil {
		return nil, err
	}
	d := &decided{}
	known := 0
	for _, spec := range s.env.Sim().Commands() {
		values, ok := r.Commands[spec.Name]
		if !ok {
			continue
		}
		known++
		c, err := commandOf(world, &spec, values)
		if err == nil {
			err = s.env.CheckIntervention(env.Intervention{Command: &c})
		}
		if err != nil {
			return nil, fmt.Errorf("reply: %w", err)
		}
		d.commands = append(d.commands, c)
	}
	if known < len(r.Commands) {
		return nil, fmt.Errorf("reply: %d commands that the task does not have, want those of the schema", len(r.Commands)-known)
	}
	if r.Action != nil {
		if len(r.Action) == 0 { // which as an intent means that the policy acts again
			return nil, fmt.Errorf("reply: action has no values, want %d", s.spec.ActionSize)
		}
		in, err := s.checkAction(&wire.Action{World: uint32(world), Values: r.Action})
		if err != nil {
			return nil, fmt.Errorf("reply: %w", err)
		}
		d.action = in.action
	}
	d.text, err = json.Marshal(r)
	return d, err
}

// commandOf returns a command with values by their names; nil releases it.
func commandOf(world int, spec *sim.CommandSpec, values map[string]*float64) (env.Command, error) {
	c := env.Command{World: world, Name: spec.Name}
	if values == nil {
		return c, nil
	}
	for _, name := range spec.ValueNames {
		if v := values[name]; v != nil {
			c.Values = append(c.Values, *v)
		}
	}
	if len(c.Values) != len(spec.ValueNames) || len(values) != len(spec.ValueNames) {
		return c, fmt.Errorf("command %s: the values are not %s, want each of them once, as a number", spec.Name, strings.Join(spec.ValueNames, ", "))
	}
	return c, nil
}

// replySchema returns the JSON schema of replies.
func (s *Server) replySchema() (string, error) {
	type object = map[string]any
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
	properties := object{"why": object{"type": "string", "description": "the reason, for people and the log"}}
	commands := object{}
	for _, c := range s.env.Sim().Commands() {
		values := object{}
		for i, name := range c.ValueNames {
			values[name] = number(c.Low[i], c.High[i])
		}
		commands[c.Name] = object{"type": []string{"object", "null"}, "properties": values, "required": c.ValueNames, "additionalProperties": false}
	}
	if len(commands) > 0 {
		properties["commands"] = object{"type": "object", "properties": commands, "additionalProperties": false}
	}
	var items []object
	for i := range s.spec.ActionSize {
		item := number(0, float64(s.spec.Discrete-1))
		if s.spec.Discrete == 0 {
			item = number(s.spec.ActionLow[i], s.spec.ActionHigh[i])
		} else {
			item["type"] = "integer"
		}
		items = append(items, item)
	}
	properties["action"] = object{"type": "array", "prefixItems": items, "minItems": len(items), "maxItems": len(items)}
	var text bytes.Buffer
	to := json.NewEncoder(&text)
	to.SetEscapeHTML(false)
	err := to.Encode(object{"type": "object", "properties": properties, "additionalProperties": false})
	return strings.TrimSpace(text.String()), err
}
