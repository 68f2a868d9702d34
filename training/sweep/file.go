package sweep

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/internal/decode"
	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
)

type planFile struct {
	Plan `yaml:",inline"`
	Over map[string]any `yaml:"over"` // values as ParseRange takes them, or lists
}

// ReadFile reads the part of a plan that a YAML file holds: all but the configuration and LogEvery. What the
// file leaves out has its default. Errors are of type [env.ConfigError].
func ReadFile(path string) (*Plan, error) {
	data, err := disk.ReadInput(path, configs.MaxFile)
	if err == nil {
		var p *Plan
		if p, err = parseFile(data); err == nil {
			return p, nil
		}
		err = fmt.Errorf("%s: %w", path, err)
	}
	return nil, env.ConfigError{Err: err}
}

// Default returns a plan without a configuration and ranges.
func Default() *Plan {
	return &Plan{SearchOptions: SearchOptions{Method: Halton}, Seeds: 1, Objective: Return, LogEvery: 1}
}

func parseFile(data []byte) (*Plan, error) {
	value, _, err := decode.Document("", data)
	if err != nil {
		return nil, err
	}
	f := planFile{Plan: *Default()}
	p := &f.Plan
	if err := decode.Into("", value, &f); err != nil {
		return nil, err
	}
	var document struct {
		Over yaml.Node `yaml:"over"` // in the order of the file
	}
	if err := yaml.Unmarshal(data, &document); err != nil {
		return nil, err
	}
	if p.Over, err = RangesOf(&document.Over); err != nil {
		return nil, fmt.Errorf("over.%w", err)
	}
	return p, nil
}

// RangesOf returns the ranges that a mapping of YAML has, by their keys and in its order: texts that [ParseRange] reads, or
// lists of values. Errors begin with the key.
func RangesOf(mapping *yaml.Node) (list []Range, err error) {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		key, node := mapping.Content[i].Value, mapping.Content[i+1]
		text := node.Value
		if node.Kind != yaml.ScalarNode {
			if node.Kind != yaml.SequenceNode {
				return nil, fmt.Errorf("%s is a mapping, want a range or a list of values", key)
			}
			if text, err = valueText(node); err != nil {
				return nil, fmt.Errorf("%s: %w", key, err)
			}
			text = strings.TrimSuffix(strings.TrimPrefix(text, "["), "]")
		}
		r, err := ParseRange(key, text)
		if err != nil {
			return nil, err
		}
		list = append(list, r)
	}
	return list, nil
}
