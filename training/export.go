package training

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/policy"
	"github.com/polyrhythm-rl/polyrhythm/policy/onnx"
	"github.com/polyrhythm-rl/polyrhythm/training/internal/usage"
	"github.com/polyrhythm-rl/polyrhythm/training/policies"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

// PolicyFormat is a file format of [ExportPolicy].
type PolicyFormat struct {
	Name, What string
	write      func(io.Writer, *policy.Network) error
}

// PolicyFormats returns the formats of [ExportPolicy].
func PolicyFormats() []PolicyFormat {
	return []PolicyFormat{
		{"onnx", "an ONNX model, for onnxruntime and others", onnx.Write},
		{"policy", "for the Go package policy", func(w io.Writer, n *policy.Network) error { return n.Write(w) }},
	}
}

// ExportPolicy writes the policy of a checkpoint, as it acts in evaluations, to the file
// at path, which appears when all is written. config is the configuration of the
// training: a world of its task is opened, which names the values. It returns the number of bytes.
func ExportPolicy(ctx context.Context, config *configs.Config, c *rundir.Checkpoint, format PolicyFormat,
	path string) (int64, error) {
	if err := cmp.Or(usage.WantConfig(config), usage.WantPolicy(c)); err != nil {
		return 0, err
	}
	p := c.Policy()
	spec, err := specOf(ctx, config)
	if err != nil {
		return 0, err
	}
	if err := policies.CheckFit(p, spec); err != nil {
		return 0, fmt.Errorf("%s: %w", c.Path, err)
	}
	n := p.Network()
	n.Task, n.Version, n.EnvSteps = spec.Name, env.Version, c.EnvSteps
	n.ActionNames = spec.ActionNames
	if spec.ObservationNames != nil {
		n.ObservationNames = spec.ObservationNames[p.Reads().First:][:p.Reads().Size]
	}
	err = disk.Replace(disk.OS{}, path, true, func(w io.Writer) error { return format.write(w, n) })
	if err != nil {
		return 0, fmt.Errorf("export-policy: %w", err)
	}
	info, err := os.Stat(path)
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}
