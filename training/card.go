package training

import (
	"bytes"
	"fmt"
	"path/filepath"

	"go.yaml.in/yaml/v3"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

// cardHead is what Hugging Face's Hub reads of a model's card. See huggingface/hub-docs, modelcard.md.
type cardHead struct {
	License  string      `yaml:"license"`
	Library  string      `yaml:"library_name"`
	Pipeline string      `yaml:"pipeline_tag"`
	Tags     []string    `yaml:"tags,flow"`
	Index    []cardIndex `yaml:"model-index,omitempty"`
}

type cardIndex struct {
	Name    string       `yaml:"name"`
	Results []cardResult `yaml:"results"`
}

type cardResult struct {
	Task    cardThing    `yaml:"task"`
	Dataset cardThing    `yaml:"dataset"`
	Metrics []cardMetric `yaml:"metrics"`
}

type cardThing struct {
	Type string `yaml:"type"`
	Name string `yaml:"name"`
}

type cardMetric struct {
	Type  string  `yaml:"type"`
	Name  string  `yaml:"name"`
	Value float64 `yaml:"value"`
}

// PolicyCard returns the card of a repository on Hugging Face's Hub with a policy that [ExportPolicy] wrote to a file:
// licence, by its identifier there, such as "apache-2.0", results of the evaluation that the run made of this
// checkpoint, if it made one, how it was trained, and how to load it.
func PolicyCard(config *configs.Config, c *rundir.Checkpoint, format PolicyFormat, file, licence string) ([]byte, error) {
	task, name := config.Task.Name, filepath.Base(file)
	head := cardHead{License: licence, Library: "polyrhythm", Pipeline: "reinforcement-learning",
		Tags: []string{"reinforcement-learning", "robotics", "polyrhythm", format.Name, task}}
	e := c.Evaluation()
	if e != nil {
		head.Index = []cardIndex{{name, []cardResult{{
			Task:    cardThing{"reinforcement-learning", "Reinforcement learning"},
			Dataset: cardThing{task, task},
			Metrics: []cardMetric{{"mean_reward", "Mean return", e.MeanReturn}, {"std_reward", "Standard deviation of returns",
				e.StdReturn}, {"mean_ep_length", "Mean length, control steps", e.MeanLength}},
		}}}}
	}
	text, err := yaml.Marshal(head)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "---\n%s---\n\n# %s: %s\n\n", text, task, name)
	fmt.Fprintf(&b, "A policy for the task `%s`, trained by Polyrhythm %s for %d environment steps with seed %d.\n\n",
		task, env.Version, c.EnvSteps, config.Seed)
	if e != nil {
		fmt.Fprintf(&b, "| episodes | return | lowest | highest | control steps |\n|---|---|---|---|---|\n"+
			"| %d, seed %d | %.1f ± %.1f | %.1f | %.1f | %.1f |\n\n", e.Episodes, e.Seed, e.MeanReturn, e.StdReturn,
			e.MinReturn, e.MaxReturn, e.MeanLength)
	}
	fmt.Fprintf(&b, "## How to load it\n\n%s\n\n", loadingPolicy(format.Name, name, c.Policy().State() > 0))
	fmt.Fprintf(&b, "## The configuration of the training\n\n```yaml\n%s```\n", c.User)
	return b.Bytes(), nil
}

func loadingPolicy(format, name string, recurrent bool) string {
	if format == "policy" {
		return fmt.Sprintf("```go\np, err := policy.Load(%q) // package github.com/polyrhythm-rl/polyrhythm/policy\n"+
			"err = p.Act(action, observation)\n```", name)
	}
	lines := fmt.Sprintf("import numpy as np, onnxruntime\n\nsession = onnxruntime.InferenceSession(%q)\n", name)
	if recurrent {
		lines += "state = np.zeros((1, session.get_inputs()[1].shape[1]), np.float32)  # again when an episode begins\n" +
			"action, state = session.run([\"action\", \"next_state\"], {\"observation\": observation, \"state\": state})\n"
	} else {
		lines += "(action,) = session.run([\"action\"], {\"observation\": observation})  # float32, batch × values\n"
	}
	return "```python\n" + lines + "```"
}
