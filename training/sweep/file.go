package sweep

import (
	"fmt"
	"os"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/internal/decode"
)

// planFile is the form of a plan in a file of its own.
type planFile struct {
	Over       map[string]any `yaml:"over"` // values as ParseRange takes them, or lists
	Method     string         `yaml:"method"`
	Trials     int            `yaml:"trials"`
	Population int            `yaml:"population"`
	Eta        int            `yaml:"eta"`
	Rungs      int            `yaml:"rungs"`
	Seeds      int            `yaml:"seeds"`
	Objective  string         `yaml:"objective"`
	Minimise   bool           `yaml:"minimise"`
}

// ReadFile reads the part of a plan that a YAML file holds: all but the configuration and
// LogEvery. What the file leaves out has its default. Errors are of type
// [env.ConfigError].
func ReadFile(path string) (*Plan, error) {
	data, err := os.ReadFile(path)
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
	return &Plan{Search: SearchOptions{Method: Halton}, Seeds: 1, Objective: Return, LogEvery: 1}
}

func parseFile(data []byte) (*Plan, error) {
	value, err := decode.Parse("", data)
	if err != nil {
		return nil, err
	}
	p := Default()
	f := planFile{Method: p.Search.Method, Seeds: p.Seeds, Objective: p.Objective}
	if err := decode.Into("", value, &f); err != nil {
		return nil, err
	}
	p.Search = SearchOptions{Method: f.Method, Trials: f.Trials, Population: f.Population, Eta: f.Eta, Rungs: f.Rungs}
	p.Seeds, p.Objective, p.Minimise = f.Seeds, f.Objective, f.Minimise
	var document struct {
		Over yaml.Node `yaml:"over"` // in the order of the file
	}
	if err := yaml.Unmarshal(data, &document); err != nil {
		return nil, err
	}
	for i := 0; i+1 < len(document.Over.Content); i += 2 {
		key, node := document.Over.Content[i].Value, document.Over.Content[i+1]
		text := node.Value
		if node.Kind != yaml.ScalarNode {
			if node.Kind != yaml.SequenceNode {
				return nil, fmt.Errorf("over.%s is a mapping, want a range or a list of values", key)
			}
			if text, err = valueText(node); err != nil {
				return nil, fmt.Errorf("over.%s: %w", key, err)
			}
			text = strings.TrimSuffix(strings.TrimPrefix(text, "["), "]")
		}
		r, err := ParseRange(key, text)
		if err != nil {
			return nil, fmt.Errorf("over.%w", err)
		}
		p.Over = append(p.Over, r)
	}
	return p, nil
}
