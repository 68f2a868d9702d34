package configs

import (
	"embed"
	"fmt"
	"strings"

	"github.com/polyrhythm-rl/polyrhythm/physics/mujoco/scene"
)

// Builtin begins the name of a trained policy that the program has itself, such as "builtin:quadruped", as it begins
// those of model files, and of presets that a configuration extends.
const Builtin = scene.Builtin

//go:embed policies
var policyFiles embed.FS

// TrainedPolicy is a policy that the program has itself. Its checkpoint has the configuration of its training.
type TrainedPolicy struct {
	Name  string // which follows Builtin where a checkpoint is wanted
	About string // what it does, in one sentence without a full stop
}

// Policies returns the trained policies that the program has itself. python/benchmarks/gallery.py made their
// checkpoints.
func Policies() []TrainedPolicy {
	return []TrainedPolicy{
		{"quadruped", "a robot with four legs walks and turns as commanded, and is pushed"},
		{"halfcheetah", "Gymnasium's HalfCheetah-v5 runs"},
		{"lunarlander", "Gymnasium's LunarLander-v3 lands between the flags"},
		{"gantry", "a gantry sees by a camera where a part lies, and moves there"},
	}
}

// Policy returns the checkpoint of one of [Policies]. The error lists their names.
func Policy(name string) ([]byte, error) {
	var known []string
	for _, p := range Policies() {
		if p.Name == name {
			return policyFiles.ReadFile("policies/" + name + ".ckpt")
		}
		known = append(known, p.Name)
	}
	return nil, fmt.Errorf("no trained policy %q comes with the program, want one of %s", name, strings.Join(known, ", "))
}
