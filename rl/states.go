package rl

import (
	"fmt"
	"slices"
)

// states are the states of the GRUs in several worlds, one row each; empty without.
type states struct {
	policy, value []float32
	image         []float32 // with a symmetry, of the policy that sees the mirror images
}

func (a *agent) newStates(worlds int) states {
	units := a.settings.Recurrent
	s := states{policy: make([]float32, worlds*units), value: make([]float32, worlds*units)}
	if a.mirror != nil {
		s.image = make([]float32, len(s.policy))
	}
	return s
}

// rows returns those of so many worlds from first on; they share memory.
func (s states) rows(a *agent, first, worlds int) states {
	units := a.settings.Recurrent
	part := func(all []float32) []float32 {
		if len(all) == 0 {
			return nil
		}
		return all[first*units : (first+worlds)*units : (first+worlds)*units]
	}
	return states{part(s.policy), part(s.value), part(s.image)}
}

// set takes over the values of other ones of the same size.
func (s states) set(other states) {
	copy(s.policy, other.policy)
	copy(s.value, other.value)
	copy(s.image, other.image)
}

// list returns a copy of the values, one array after the other.
func (s states) list() []float32 { return slices.Concat(s.policy, s.value, s.image) }

// setList takes over the values of a list of the same size.
func (s states) setList(list []float32) error {
	if got, want := len(list), len(s.policy)+len(s.value)+len(s.image); got != want {
		return fmt.Errorf("states of %d values, want %d", got, want)
	}
	for _, part := range [][]float32{s.policy, s.value, s.image} {
		list = list[copy(part, list):]
	}
	return nil
}

// CutStates cuts the states of so many worlds, from first on, out of those of all worlds, see [Memory]: what
// [Collector.SetStates] takes.
func (s *Settings) CutStates(list []float32, all, first, worlds int) []float32 {
	if s.Recurrent == 0 {
		return nil
	}
	var part []float32
	for network := range slices.Chunk(list, all*s.Recurrent) {
		part = append(part, network[first*s.Recurrent:(first+worlds)*s.Recurrent]...)
	}
	return part
}

// clear sets them to the beginning of an episode.
func (s states) clear() {
	clear(s.policy)
	clear(s.value)
	clear(s.image)
}
