package rl

import (
	"errors"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

// Each source refuses the algorithms that cannot learn from it, as an error of the settings.
func TestSourcesAndAlgorithms(t *testing.T) {
	env := newCart(4, 4, 1)
	settings := map[Algorithm]Settings{}
	for _, algorithm := range []Algorithm{"", AlgorithmPPO, AlgorithmDistill, AlgorithmClone} {
		s := cartSettings()
		s.Algorithm = algorithm
		settings[algorithm] = s
	}
	settings[AlgorithmSAC], settings[AlgorithmTD3BC] = sacSettings(), td3bcSettings()
	for _, c := range []struct {
		source Source
		suits  []Algorithm
		text   string
	}{
		{Worlds{env}, []Algorithm{"", AlgorithmPPO, AlgorithmSAC}, "worlds that nobody teaches"},
		{TaughtWorlds{env, braker{}}, []Algorithm{AlgorithmDistill}, "a teacher"},
		{Parts{Of: env.shape}, []Algorithm{"", AlgorithmPPO}, "parts of rollouts"},
		{Rows{env.shape, newDrives(3)}, []Algorithm{AlgorithmClone, AlgorithmTD3BC}, "what was recorded"},
	} {
		suited := map[Algorithm]bool{}
		for _, algorithm := range c.suits {
			suited[algorithm] = true
		}
		for algorithm, s := range settings {
			_, err := NewLearner(c.source, s, 1)
			if suited[algorithm] {
				polytest.NoError(t, err)
				continue
			}
			polytest.ErrorContains(t, err, "want one that learns from "+c.text)
			polytest.Equal(t, errors.As(err, new(SettingsError)), true, "%T and %q: whether it is a SettingsError", c.source,
				algorithm)
		}
	}
	s := cartSettings()
	s.Algorithm = AlgorithmClone
	polytest.ErrorContains(t, polytest.Err(New(env, s, 1)), "algorithm is clone, want ppo")
}

// The states of a slice are those of its worlds, of every network that has some.
func TestCutStates(t *testing.T) {
	for _, symmetry := range []Symmetry{{}, cartSymmetry} {
		p := learnedRecurrent(t, symmetry)
		all := p.Memory().States
		for _, slice := range [][2]int{{0, 5}, {0, 4}, {4, 1}} {
			want := p.states.rows(&p.agent, slice[0], slice[1]).list()
			polytest.EqualSlices(t, p.settings.CutStates(all, 5, slice[0], slice[1]), want, "worlds %v", slice)
		}
	}
}
