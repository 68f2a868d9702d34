package exam

import (
	"errors"
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/internal/decode"
	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/training/internal/usage"
	"github.com/polyrhythm-rl/polyrhythm/training/sweep"
)

type planFile struct {
	Exam struct {
		Plan `yaml:",inline"`
		Axes map[string]any `yaml:"axes"` // values as [sweep.ParseRange] takes them, or lists
	} `yaml:"exam"`
}

// ReadFile reads the part of a plan that a YAML file holds below the key exam: all but the configuration and the policies.
// What the file leaves out has its default. Errors are of type [env.ConfigError].
func ReadFile(path string) (*Plan, error) {
	data, err := disk.ReadInput(path, configs.MaxFile)
	if err == nil {
		var p *Plan
		if p, err = parseFile(data); err == nil {
			return p, nil
		}
		err = fmt.Errorf("%s: %w", path, err)
	}
	return nil, usage.Mark(err)
}

func parseFile(data []byte) (*Plan, error) {
	value, _, err := decode.Document("", data)
	if err != nil {
		return nil, err
	}
	var f planFile
	f.Exam.Plan = *Default()
	if err := decode.Into("", value, &f); err != nil {
		return nil, err
	}
	var document struct {
		Exam struct {
			Axes yaml.Node `yaml:"axes"` // in the order of the file
		} `yaml:"exam"`
	}
	if err := yaml.Unmarshal(data, &document); err != nil {
		return nil, err
	}
	p := &f.Exam.Plan
	if p.Axes, err = sweep.RangesOf(&document.Exam.Axes); err != nil {
		return nil, fmt.Errorf("exam.axes.%w", err)
	}
	if p.Gate != nil {
		if p.Gate.Against == "" {
			return nil, errors.New("exam.gate.against is not given, want the run or the checkpoint that may be replaced")
		}
		if p.Gate.Margin == 0 {
			p.Gate.Margin = DefaultMargin
		}
	}
	return p, nil
}

// Set adds a condition about what has a name; text is YAML.
func (s *Success) Set(name, text string) error {
	value, err := decode.Parse("success."+name, []byte(text))
	if err != nil {
		return err
	}
	var c Condition
	switch want, err := c.FromYAML("success."+name, value); {
	case err != nil:
		return err
	case want != "":
		return fmt.Errorf("success.%s is %s, want %s", name, text, want)
	}
	if *s == nil {
		*s = Success{}
	}
	(*s)[name] = c
	return nil
}
