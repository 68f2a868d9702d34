package rl

import (
	"cmp"

	"github.com/polyrhythm-rl/polyrhythm/internal/memory"
)

// Algorithm is how a policy is learned.
type Algorithm string

// The algorithms.
const (
	AlgorithmPPO Algorithm = "ppo" // also the meaning of ""
	AlgorithmSAC Algorithm = "sac"

	// AlgorithmDistill is PPO with another loss of the policy, see [Teacher].
	AlgorithmDistill Algorithm = "distill"

	// AlgorithmClone learns by the same loss from what was recorded, see [Recorded].
	AlgorithmClone Algorithm = "clone"

	// AlgorithmTD3BC learns from what was recorded and how it was rewarded, see [RecordedRewards].
	AlgorithmTD3BC Algorithm = "td3bc"
)

// String returns the name of the algorithm.
func (a Algorithm) String() string { return string(cmp.Or(a, AlgorithmPPO)) }

// Offline reports whether a policy is learned from what was recorded, and no world is stepped for it.
func (a Algorithm) Offline() bool { return a.definition().offline }

// algorithms are the definitions of all algorithms, each in the file of the algorithm.
func algorithms() []algorithm { return []algorithm{ppo(), sac(), distill(), clone(), td3bc()} }

// definition returns that of the algorithm, or of PPO for a name that [Settings.Validate] refuses.
func (a Algorithm) definition() algorithm {
	for _, d := range algorithms() {
		if d.name == a {
			return d
		}
	}
	return ppo()
}

// algorithm is what the package asks of an algorithm.
type algorithm struct {
	name Algorithm

	offline  bool // learns from what was recorded: no world is stepped
	imitates bool // learns what another policy would do, or did
	replays  bool // learns from transitions that it draws from a replay, by SACSettings

	deterministic bool // its policy has no deviations: the action is the mean
	sharesEncoder bool // its critics read what the policy's convolutions give
	plainPictures bool // its networks have no convolutions

	// check returns an error if the algorithm cannot learn by the settings in worlds of the shape, and else about what a
	// learner takes.
	check func(Shape, Settings) (memory.Need, error)

	// parameters are the numbers of what a learner learns, and of its targets.
	parameters func(Shape, *Settings) (params, targets int)

	// What opens each [Source], with parameters of zero; nil: the algorithm does not learn from it.
	worlds func(Worlds, Settings, uint64) (trainable, error)
	filled func(FilledWorlds, Settings, uint64) (trainable, error)
	taught func(TaughtWorlds, Settings, uint64) (trainable, error)
	parts  func(Parts, Settings, uint64) (trainable, error)
	rows   func(Rows, Settings, uint64) (trainable, error)
}

// Check returns an error if [NewLearner] would refuse the settings in worlds of this shape, and else
// about how many bytes a learner takes. It allocates nothing large.
func Check(shape Shape, settings Settings) (bytes int64, err error) {
	need, err := settings.Algorithm.definition().check(shape, settings)
	return need.Go, err
}
