package rl

import (
	"fmt"

	"github.com/polyrhythm-rl/polyrhythm/policy"
	"github.com/polyrhythm-rl/polyrhythm/rl/nn"
)

// Env is a batched environment whose worlds are packed into blocks. It is the
// only thing this package knows about what is being learned.
//
// Worlds reset themselves in the step that ends an episode (same-step autoreset): the block then already shows the
// new episode's first observation, and the last observation of the old one is kept apart.
type Env interface {
	// Shape describes the environment; it never changes.
	Shape() Shape

	// Rollout calls f once for every block, on at most Shape.Workers goroutines at once, and returns when all calls
	// have. worker, in [0, Workers), is different for calls that run at the same time. f drives its block alone. The
	// error is the first one of f or of the environment. Blocks stay where f left them until the next Rollout.
	Rollout(f func(worker int, b Block) error) error
}

// Shape is the size of an environment.
type Shape struct {
	First       int // the first of the worlds, counted in the whole run; 0 unless they are a slice of it
	Worlds      int // the number of them
	Blocks      int // blocks they are packed into
	BlockSize   int // worlds in the largest block, at most [PanelHeight]
	Workers     int // goroutines that step blocks at the same time
	Observation int // values per observation
	Action      int // values per action

	// Policy and Critic are the columns of an observation that the policy and the
	// value network read. The zero ColumnRange is all of them.
	Policy, Critic ColumnRange

	// Pictures are the parts of an observation that are pictures, in the order of their values. The policy and the
	// value network read each of them wholly or not at all. They are as other values to learners without convolutions.
	Pictures []Picture

	// ByteFactors are, for each of Pictures and each of its channels, the factor that makes of an observed value a whole
	// number from 0 to 255; 0: none does. With convolutions SAC keeps these numbers, rounded, in place of the values. nil:
	// there are no such channels.
	ByteFactors [][]float64

	// Choices is the number of choices of an agent whose action is one value, a whole
	// number from 0 to Choices-1; 0: actions are continuous.
	Choices int

	// ActionLow and ActionHigh bound each value of an action; ±Inf where there is no bound. Length Action.
	ActionLow, ActionHigh []float64
}

// ColumnRange is a range of columns of an observation: First, First+1, …, First+Size-1.
type ColumnRange = nn.ColumnRange

// PanelHeight is the largest number of worlds of a block, see [nn.PanelHeight].
const PanelHeight = nn.PanelHeight

// Block is a group of worlds that are stepped together. All slices belong to the
// block, are row-major with one row per world, and are valid until the next Step.
type Block interface {
	Index() int // number of the block, in [0, Shape.Blocks)
	First() int // run-wide number of its first world; the others follow
	Len() int   // worlds in it; the last block of an environment may be shorter

	Observations() []float64 // Len × Observation: what to act on
	Actions() []float32      // Len × Action: the caller writes it before Step

	// Step advances every world by one control step. A world that fails is
	// reported by Faults; an error means that the block cannot go on.
	Step() error

	// Of the step just taken, Len values each. Any of the three flags ends the
	// episode. After a fault the reward is not to be used.
	Rewards() []float64
	Terminations() []bool // the task reached an end; nothing would have followed
	Truncations() []bool  // cut off, by a time limit for instance
	Faults() []bool       // the world failed

	// Valid in the rows of the worlds whose episode ended in this step.
	FinalObservations() []float64 // Len × Observation: the old episode's last
	EpisodeReturns() []float64    // sum of the episode's rewards
	EpisodeLengths() []int64      // its control steps
}

func (s Shape) validate() error {
	if s.First < 0 {
		return fmt.Errorf("rl: environment has First %d, want at least 0", s.First)
	}
	for _, size := range []struct {
		name  string
		value int
	}{{"Worlds", s.Worlds}, {"Blocks", s.Blocks}, {"BlockSize", s.BlockSize}, {"Workers", s.Workers}} {
		if size.value < 1 {
			return fmt.Errorf("rl: environment has %s %d, want at least 1", size.name, size.value)
		}
	}
	if s.BlockSize > PanelHeight {
		return fmt.Errorf("rl: environment has blocks of %d worlds, want at most %d", s.BlockSize, PanelHeight)
	}
	if most := s.Blocks * s.BlockSize; s.Worlds > most {
		return fmt.Errorf("rl: environment has %d worlds, want at most %d (%d blocks of %d)",
			s.Worlds, most, s.Blocks, s.BlockSize)
	}
	if err := s.validateSizes(); err != nil {
		return fmt.Errorf("rl: environment: %w", err)
	}
	return s.validateBounds()
}

const maxVector = 1 << 20 // observation or action values

// validateSizes checks the numbers of values.
func (s Shape) validateSizes() error {
	if min(s.Observation, s.Action) < 1 || max(s.Observation, s.Action) > maxVector {
		return fmt.Errorf("%d observed and %d action values, want 1 to %d", s.Observation, s.Action, maxVector)
	}
	for _, reads := range []struct {
		who string
		ColumnRange
	}{{"policy", s.Policy}, {"value network", s.Critic}} {
		if span := reads.Within(s.Observation); span.First < 0 || span.Size < 1 ||
			span.First > s.Observation-span.Size {
			return fmt.Errorf("the %s reads %d values from %d, want at least 1 of the %d observed",
				reads.who, span.Size, span.First, s.Observation)
		}
	}
	if err := s.validatePictures(); err != nil {
		return err
	}
	if s.Choices < 0 || s.Choices > maxVector || s.Choices > 0 && s.Action != 1 {
		return fmt.Errorf("%d choices in %d action values, want 1 to %d in 1, or 0", s.Choices, s.Action, maxVector)
	}
	return nil
}

func (s Shape) validateBounds() error {
	if len(s.ActionLow) != s.Action || len(s.ActionHigh) != s.Action {
		return fmt.Errorf("rl: environment has %d lower and %d upper action bounds, want %d each",
			len(s.ActionLow), len(s.ActionHigh), s.Action)
	}
	for i := range s.Action {
		if s.Choices == 1 && s.ActionLow[i] == s.ActionHigh[i] { // the one choice is 0
			continue
		}
		if !(s.ActionLow[i] < s.ActionHigh[i]) {
			return fmt.Errorf("rl: bounds of action value %d are [%g, %g], want the first below the second",
				i, s.ActionLow[i], s.ActionHigh[i])
		}
	}
	return nil
}

// Picture is a part of an observation that is a picture.
type Picture = policy.Picture

// picturesOf are the pictures among some columns, counted from the first one of these.
func (s Shape) picturesOf(columns ColumnRange) (list []Picture) {
	for _, p := range s.Pictures {
		if p.First >= columns.First && p.First < columns.First+columns.Size {
			p.First -= columns.First
			list = append(list, p)
		}
	}
	return list
}

// validatePictures checks where the pictures are.
func (s Shape) validatePictures() error {
	end := 0 // of the picture before
	for _, p := range s.Pictures {
		if min(p.Height, p.Width, p.Channels) < 1 || p.Height > s.Observation/p.Width/p.Channels ||
			p.First < end || p.First > s.Observation-p.Size() {
			return fmt.Errorf("a picture of %d × %d × %d values from %d, want one in the %d observed, after the one "+
				"before", p.Height, p.Width, p.Channels, p.First, s.Observation)
		}
		end = p.First + p.Size()
		for _, span := range []ColumnRange{s.Policy.Within(s.Observation), s.Critic.Within(s.Observation)} {
			read := min(end, span.First+span.Size) - max(p.First, span.First)
			if read > 0 && read < p.Size() {
				return fmt.Errorf("%d of the %d values of a picture are read, want all or none", read, p.Size())
			}
		}
	}
	if len(s.ByteFactors) != 0 && len(s.ByteFactors) != len(s.Pictures) {
		return fmt.Errorf("the byte factors of %d pictures, want none or those of all %d", len(s.ByteFactors), len(s.Pictures))
	}
	for i, factors := range s.ByteFactors {
		if want := s.Pictures[i].Channels; len(factors) != want {
			return fmt.Errorf("%d byte factors of a picture of %d channels, want one for each", len(factors), want)
		}
		for _, f := range factors {
			if !nn.Usable(f) {
				return fmt.Errorf("a byte factor of %g, want a number of at most %g in size", f, nn.MaxValue)
			}
		}
	}
	return nil
}

// moments is the number of values of the moments of observations.
func (s Shape) moments() int { return nn.MomentsSize(s.Observation, s.Pictures) }
