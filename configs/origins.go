package configs

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/polyrhythm-rl/polyrhythm/internal/decode"
)

// origins says which layer has set a value, by its key: "training.gamma", "rewards.trot.weight" by the name of an entry, or
// "rewards" of a whole list.
type origins map[string]string

// mark notes that a layer says value of key; null takes back what is known of it.
func (o origins) mark(key string, value any, origin string) {
	if fields, ok := value.(map[string]any); ok {
		for name, part := range fields {
			o.mark(decode.Join(key, name), part, origin)
		}
		return
	}
	maps.DeleteFunc(o, func(known, _ string) bool { return known == key || strings.HasPrefix(known, key+".") })
	if value != nil {
		o[key] = origin
	}
}

// of returns the layer that has set the value at a key, or what it is in; "" for none.
func (o origins) of(key string) string {
	for key != "" && o[key] == "" {
		key = key[:max(0, strings.LastIndexByte(key, '.'))]
	}
	return o[key]
}

// in returns the layers that have set a part of the value at a key, whose node is given.
func (o origins) in(key string, node *yaml.Node) (names []string) {
	if node.Kind != yaml.MappingNode || len(node.Content) == 0 {
		return []string{o.of(key)}
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		names = append(names, o.in(decode.Join(key, node.Content[i].Value), node.Content[i+1])...)
	}
	slices.Sort(names)
	return slices.DeleteFunc(slices.Compact(names), func(name string) bool { return name == "" })
}

// explain returns a configuration as YAML with a comment behind each line that a layer has set.
func (o origins) explain(c *Config) ([]byte, error) {
	var document yaml.Node
	if err := yaml.Unmarshal(c.YAML(), &document); err != nil {
		return nil, err
	}
	o.comment("", document.Content[0])
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	err := enc.Encode(&document)
	return b.Bytes(), err
}

// comment adds comments to the node of the value at a key.
func (o origins) comment(key string, node *yaml.Node) {
	oneLine := node.Kind == yaml.ScalarNode || node.Style&yaml.FlowStyle != 0 || len(node.Content) == 0
	switch {
	case oneLine:
		node.LineComment = strings.Join(o.in(key, node), ", ")
	case node.Kind == yaml.MappingNode:
		for i := 0; i+1 < len(node.Content); i += 2 {
			o.comment(decode.Join(key, node.Content[i].Value), node.Content[i+1])
		}
	case node.Kind == yaml.SequenceNode:
		var items []any
		for _, item := range node.Content {
			var fields any
			_ = item.Decode(&fields) // it has just been encoded
			items = append(items, fields)
		}
		for i, name := range entryNames(items) {
			o.comment(decode.Join(key, name), node.Content[i])
		}
	}
}
