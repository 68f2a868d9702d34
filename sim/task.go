package sim

import (
	"fmt"
	"math"
	"path"
	"slices"

	"github.com/polyrhythm-rl/polyrhythm/internal/bounds"
	"github.com/polyrhythm-rl/polyrhythm/physics"
)

// Task defines the episodes of a run: how they start and end, what an action does, and the observations and rewards.
// One value serves all worlds, and its methods are called on several goroutines at once, so it must not store the
// data of a world; these belong in [World.Memory]. If a method panics, the episode of that world ends with a fault.
type Task interface {
	// Spec describes the task's sizes and bounds; it must not change.
	Spec() Spec

	// Reset writes the initial state of an episode. When it is called, w.State() holds the model's initial state and
	// w.Memory() zeros.
	Reset(w *World)

	// Act puts an action in force by writing w.Control(). action has ActionSize finite values, not clipped to the
	// bounds; of a task with Discrete choices, a whole number in range.
	Act(w *World, action []float32)

	// Observe writes the observation at w's instant to dst, which has ObservationSize values of at most MaxValue in
	// size. It may write w.Memory() and, at t = 0, w.Info().
	Observe(w *World, dst []float64)

	// Reward is called once per control step, at its end and before Observe: the reward of the step and whether the
	// episode is over by the task's own rules. It may write w.Info(). These values, too, are at most MaxValue in size.
	Reward(w *World) (reward float64, terminated bool)
}

// LocalTask is a [Task] with working memory for each block of worlds, for the length of a callback.
type LocalTask interface {
	Task

	// NewLocal allocates the memory. It is called once for each block, and [World.Local] returns the result.
	NewLocal() any
}

// EndingTask is a [Task] that is told when an episode is complete.
type EndingTask interface {
	Task

	// Ended is called when an episode has ended by itself, by its time limit or by a fault, but not when it was cut
	// short from outside. The world still has its last state and memory. It may write w.Lasting(), and should do so by
	// quantities of the episode alone. If it panics, the run ends.
	Ended(w *World)
}

// Spec describes a task.
type Spec struct {
	Name            string
	ObservationSize int
	ActionSize      int
	ActionLow       []float64 // ActionSize; -Inf where there is no bound
	ActionHigh      []float64 // ActionSize; +Inf where there is no bound
	MemorySize      int       // values in World.Memory
	LastingSize     int       // values at its end that outlive episodes, see World.Lasting
	MaxSteps        int64     // control steps until an episode is truncated; 0: never

	// ObservationNames and ActionNames name each value, for people and for the dataset's schema; nil for no names.
	ObservationNames []string
	ActionNames      []string

	// InfoNames name the values of World.Info: quantities of each step for people, which are not part of the
	// observation or the reward. The elements of a vector are named "tendon_length[0]", "tendon_length[1]" and so on.
	InfoNames []string

	// ResetInfoNames are those of InfoNames that Reset or Observe also writes when an episode begins.
	ResetInfoNames []string

	// EndNames name the task's own rules by which an episode can end, see [World.EndBy]; nil: they have no names.
	EndNames []string

	// Derived, Probes and Parameters are the sources of what the task reads in World.Derived and World.Probe and
	// changes in World.Parameters; see [physics.Outputs] and [physics.Model].
	Derived    []string
	Probes     []string
	Parameters []string

	// Groups are named parts of the observation, such as what only a critic sees. The first is called "policy" and
	// begins at 0. Nil: one group "policy" that is everything.
	Groups []Group

	// Pictures are the parts of the observation that are pictures, in the order of their values.
	Pictures []Picture

	// Discrete is the number of choices of the agent: the action is then one value, a whole number from 0 to
	// Discrete-1. 0: actions are continuous.
	Discrete int

	// Float32Observations says that observed values are float32s.
	Float32Observations bool

	// ObservationLow and ObservationHigh are the declared bounds of each observed value; nil: unbounded.
	ObservationLow  []float64
	ObservationHigh []float64

	// WarmupSteps is the number of physics substeps taken as an episode begins, before t = 0, under the control that
	// Reset wrote.
	WarmupSteps int
}

// Group is a named part of the observation: Size values from First on.
type Group struct {
	Name        string
	First, Size int
}

// Picture is a part of the observation that is a picture: Height × Width × Channels values from First on, the rows from
// the top, in each its pixels from the left, in each its channels.
type Picture struct {
	First, Height, Width, Channels int

	// Name is what the picture shows, such as the name of a camera, after the name of its group and a slash unless the
	// group is the first. Pictures of the same name are one after the other, such as those of the last control steps.
	Name string

	// Layers are what the channels of a pixel are, in their order; nil: it is not said.
	Layers []PictureLayer
}

// PictureLayer is some channels of a picture's pixels.
type PictureLayer struct {
	Kind     string // what they are: "rgb", "depth", "segmentation", "normals" or "distance"
	Channels int

	// Factor makes an observed value one in the unit of the kind: a byte of rgb, metres of depth and distance, the number
	// of segmentation. 0: no one factor does.
	Factor float64

	// Scale is not 0 if every value is, to the last bit, Scale times a float32 with Floats; without them, times a byte
	// divided by 255 of rgb, times a float32 of depth but at most Far, m, or times a whole number of segmentation, -1 to
	// 65,534.
	Scale, Far float64
	Floats     bool
}

// Size is the number of values of the picture.
func (p Picture) Size() int { return p.Height * p.Width * p.Channels }

// ByteFactors returns, for each channel of a pixel, the factor that makes an observed value a byte; 0: it is none.
func (p Picture) ByteFactors() []float64 {
	factors, channel := make([]float64, p.Channels), 0
	for _, l := range p.Layers {
		for range l.Channels {
			if l.Kind == physics.RGB {
				factors[channel] = l.Factor
			}
			channel++
		}
	}
	return factors
}

// follows reports whether p is the picture after q of the same name and kind.
func (p Picture) follows(q *Picture) bool {
	return p.First == q.First+q.Size() && p.Name == q.Name && p.Height == q.Height && p.Width == q.Width &&
		slices.Equal(p.Layers, q.Layers)
}

// checkPictures checks the pictures.
func (s *Spec) checkPictures(b *bounds.Check) {
	end := 0 // of the picture before
	for i, p := range s.Pictures {
		if min(p.Height, p.Width, p.Channels) < 1 || p.Height > s.ObservationSize/p.Width/p.Channels {
			b.Fail("Pictures[%d] is %d × %d × %d, want at least 1 each and at most %d together", i, p.Height, p.Width,
				p.Channels, s.ObservationSize)
			return
		}
		inside := func(g Group) bool { return p.First >= g.First && p.First+p.Size() <= g.First+g.Size }
		if p.First < end || !slices.ContainsFunc(s.AllGroups(), inside) {
			b.Fail("Pictures[%d] is %d values from %d, want them in one group and after the picture before", i, p.Size(),
				p.First)
		}
		layered := 0
		for _, l := range p.Layers {
			layered += l.Channels
			if l.Channels < 1 || l.Factor-l.Factor != 0 || l.Scale-l.Scale != 0 {
				b.Fail("Pictures[%d] has a layer %q of %d channels with the factor %v and the scale %v, want at least 1 and "+
					"finite ones", i, l.Kind, l.Channels, l.Factor, l.Scale)
			}
		}
		if p.Layers != nil && layered != p.Channels {
			b.Fail("Pictures[%d] has layers of %d channels, want its %d", i, layered, p.Channels)
		}
		named := func(q Picture) bool { return q.Name != "" && q.Name == p.Name }
		if slices.ContainsFunc(s.Pictures[:i], named) && !p.follows(&s.Pictures[i-1]) {
			b.Fail("Pictures[%d] has the name %q of one before it, want it next to that and of the same kind", i, p.Name)
		}
		end = p.First + p.Size()
	}
}

// SuccessInfo returns the index of the info that is above 0 where an episode has succeeded so far: "success", or one of a
// command, such as "lift/success" or "command/lift/episode_success" of a lifting_command; -1 if there is none.
func (s *Spec) SuccessInfo() int {
	return slices.IndexFunc(s.InfoNames, func(name string) bool {
		name = path.Base(name)
		return name == "success" || name == "episode_success"
	})
}

// The names of how an episode ends where no rule of the task's has one.
const (
	EndTerminated = "terminated" // by the task
	EndTimeLimit  = "time_limit"
	EndFault      = "fault"
)

// Ends are the names of all that can end an episode.
func (s *Spec) Ends() []string {
	ends := slices.Clone(s.EndNames)
	for _, name := range []string{EndTerminated, EndTimeLimit, EndFault} {
		if !slices.Contains(ends, name) {
			ends = append(ends, name)
		}
	}
	return ends
}

// AllGroups returns Groups or, where there are none, the one group that is everything.
func (s *Spec) AllGroups() []Group {
	if len(s.Groups) == 0 {
		return []Group{{Name: "policy", Size: s.ObservationSize}}
	}
	return s.Groups
}

// checkGroups checks the groups.
func (s *Spec) checkGroups(b *bounds.Check) {
	for i, g := range s.Groups {
		if i == 0 && (g.Name != "policy" || g.First != 0) {
			b.Fail("the first of Groups is %q from %d, want \"policy\" from 0", g.Name, g.First)
		}
		if g.Name == "" || slices.ContainsFunc(s.Groups[:i], func(h Group) bool { return h.Name == g.Name }) {
			b.Fail("the name of Groups[%d] is %q, want names that differ", i, g.Name)
		}
		if g.First < 0 || g.Size < 1 || g.First+g.Size > s.ObservationSize {
			b.Fail("group %q is %d values from %d, want at least 1 within the %d of the observation", g.Name,
				g.Size, g.First, s.ObservationSize)
		}
	}
}

// ActionError is the error of an action that no world can take.
type ActionError string

func (e ActionError) Error() string { return string(e) }

// CheckAction returns an [ActionError], which names the world, unless all values of its action are finite and, for a
// discrete task, a valid choice.
func (s *Spec) CheckAction(world int, action []float32) error {
	for i, a := range action {
		if a-a != 0 {
			return ActionError(fmt.Sprintf("value %d of the action of world %d is %v, want a finite number", i, world, a))
		}
		if s.Discrete > 0 && !(a >= 0 && a < float32(s.Discrete) && a == float32(int32(a))) {
			return ActionError(fmt.Sprintf("the action of world %d is %v, want a whole number from 0 to %d", world, a,
				s.Discrete-1))
		}
	}
	return nil
}

// maxSize is the largest of the sizes of a task, so that the memory of one world can be computed.
const maxSize = 1 << 24

// Check returns an error if a field is out of range or contradicts another. [New] calls it.
func (s *Spec) Check() error {
	var b bounds.Check
	b.Whole("ObservationSize", int64(s.ObservationSize), 1, maxSize)
	b.Whole("ActionSize", int64(s.ActionSize), 1, maxSize)
	b.Whole("MemorySize", int64(s.MemorySize), 0, maxSize)
	b.Whole("LastingSize", int64(s.LastingSize), 0, int64(s.MemorySize))
	b.Whole("WarmupSteps", int64(s.WarmupSteps), 0, maxSize)
	b.Whole("MaxSteps", s.MaxSteps, 0, math.MaxInt64)
	if s.Discrete < 0 || s.Discrete > 0 && s.ActionSize != 1 {
		b.Fail("%d discrete choices in %d action values, want at least 0 and, if there are any, 1 value",
			s.Discrete, s.ActionSize)
	}
	if s.ActionLow == nil || s.ActionHigh == nil {
		b.Fail("ActionLow and ActionHigh are not both given, want the bounds of each action value, or infinities")
	}
	checkBounds(&b, "Action", s.ActionLow, s.ActionHigh, s.ActionSize)
	checkBounds(&b, "Observation", s.ObservationLow, s.ObservationHigh, s.ObservationSize)
	oneForEach(&b, "ObservationNames", s.ObservationNames, s.ObservationSize)
	oneForEach(&b, "ActionNames", s.ActionNames, s.ActionSize)
	s.checkGroups(&b)
	s.checkPictures(&b)
	for i, name := range s.InfoNames {
		if slices.Contains(s.InfoNames[:i], name) {
			b.Fail("InfoNames has %q twice, want each name once", name)
		}
	}
	for _, name := range s.ResetInfoNames {
		if !slices.Contains(s.InfoNames, name) {
			b.Fail("reset info %q is not among its infos %q", name, s.InfoNames)
		}
	}
	return b.Err()
}

// oneForEach checks a list with an entry for each of n values; nil: none.
func oneForEach[T any](b *bounds.Check, what string, list []T, n int) {
	if list != nil && len(list) != n {
		b.Fail("%s has %d values, want %d", what, len(list), n)
	}
}

// checkBounds checks a pair of bounds of n values; nil: unbounded.
func checkBounds(b *bounds.Check, what string, low, high []float64, n int) {
	oneForEach(b, what+"Low", low, n)
	oneForEach(b, what+"High", high, n)
	for k, limits := range [][]float64{low, high} {
		if i := slices.IndexFunc(limits, math.IsNaN); i >= 0 {
			b.Fail("%s%s[%d] is NaN, want a number", what, []string{"Low", "High"}[k], i)
		}
	}
	for i := range min(len(low), len(high)) {
		if low[i] > high[i] {
			b.Fail("%sLow[%d] is %v, want at most %sHigh[%d], which is %v", what, i, low[i], what, i, high[i])
		}
	}
}
