package runners

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"slices"
	"strings"
)

// MaxRunners is the largest number of runners on one timeline.
const MaxRunners = 8

// ID identifies a runner: its index in the slice given to Compile. A runner keeps its ID through all changes of the
// clock; see AddRunner and RemoveRunner.
type ID uint8

// NoRunner is the ID of bindings that fire at the beat instead of on a runner.
const NoRunner ID = math.MaxUint8

// Mask is a set of runners.
type Mask uint8

// Has reports whether the runner is in the set. NoRunner never is.
func (m Mask) Has(id ID) bool { return m&(1<<id) != 0 }

// first returns the lowest ID of a set that is not empty.
func (m Mask) first() ID { return ID(bits.TrailingZeros8(uint8(m))) }

// Runner is a fixed rate on the shared timeline. A disabled runner does not fire, but still has boundaries: they
// count for the beat and for Cursor.Step.
type Runner struct {
	Name     string `json:"name"`
	Rate     Rate   `json:"rate"`
	Disabled bool   `json:"disabled,omitempty"`
}

// Binding places one callback on the timeline. The engine keeps the callback and finds it by the binding's index.
type Binding struct {
	// Name is unique among the bindings.
	Name string `json:"name"`
	// Runner is the name of the runner on which the binding fires; empty with Beat.
	Runner string `json:"runner,omitempty"`
	// Phase is the first key of the order at an instant, across runners.
	Phase Phase `json:"phase"`
	// Priority orders the bindings of a phase, lowest first; ties keep the order of registration.
	Priority int `json:"priority"`
	// Disabled bindings keep their place in the order and never fire.
	Disabled bool `json:"disabled,omitempty"`
	// Writes says that the callback may change the physics state. Physics then never runs past an instant at which the
	// binding fires, whichever runner physics is on.
	Writes bool `json:"writes,omitempty"`
	// Beat makes the binding a sync point: it fires at every beat of all registered runners, last in its phase, instead
	// of on a runner.
	Beat bool `json:"beat,omitempty"`

	// Role is what the binding does when it fires. It keeps the role that it had when the clock began, whatever edits
	// change, and so has no place in JSON; nor have the two below.
	Role Role `json:"-"`
	// Channel is the index of the channel of role Sense among those of the engine.
	Channel int `json:"-"`
	// Substeps is the number of physics substeps in a step of the runner, of role Integrate.
	Substeps int `json:"-"`
}

// maxBindings is the number of bindings that a uint16 can index.
const maxBindings = 1 << 16

// Schedule is the compiled execution order of a set of runners and bindings. It never changes, so all worlds and
// goroutines share one; only each world's Cursor moves.
type Schedule struct {
	runners []Runner // by ID; the zero Runner where one was removed
	entries []Entry  // by binding
	order   []uint16 // every binding, in execution order

	first   []Binding // with which the clock began
	control ID        // of the control steps; NoRunner without roles
	physics *Entry    // of role Integrate; nil without roles
	substep Rate      // of physics

	rates   [MaxRunners]Rate
	all     Mask // registered runners
	enabled Mask
	writers Mask // enabled runners with an enabled binding that writes
	// beatWrites: an enabled beat binding writes
	beatWrites bool

	// period of the beat in seconds, and the number of boundaries of each runner in one beat; 0 when it overflows an
	// int64, as the clock then ends within the beat
	period      *big.Rat
	beatSeconds float64
	perBeat     [MaxRunners]int64

	last [MaxRunners]int64 // index of the last boundary on the clock

	// the bindings that run, by set of fired runners, where there is no beat, and those
	// that run at a beat, where all enabled runners fire
	calls     [1 << MaxRunners][]uint16
	beatCalls []uint16
}

// Compile checks the runners and bindings, of which it keeps copies, and resolves them into a schedule. It returns
// an error when there is no runner or more than MaxRunners, no runner is enabled, a name is empty or repeated, a
// rate is the zero value, distinct boundaries are less than 1 ns apart, or a binding has an unknown runner or phase.
// Where a binding has a [Role], it also returns one unless the roles are those of worlds.
func Compile(runners []Runner, bindings []Binding) (*Schedule, error) {
	if i := slices.IndexFunc(runners, func(r Runner) bool { return r.Name == "" }); i >= 0 {
		return nil, fmt.Errorf("runner %d has no name, want one", i)
	}
	return compile(runners, bindings, slices.Clone(bindings))
}

// compile is Compile, but accepts the zero Runner in place of a removed one. The roles are those that the bindings had
// when the clock began.
func compile(runners []Runner, bindings, first []Binding) (*Schedule, error) {
	s := &Schedule{runners: slices.Clone(runners), first: first, control: NoRunner}
	if err := s.addRunners(); err != nil {
		return nil, err
	}
	if err := s.addBindings(bindings); err != nil {
		return nil, err
	}
	s.resolveOrder()
	if err := s.resolveRoles(); err != nil {
		return nil, err
	}
	return s, nil
}

// addRunners checks the runners and computes their beat.
func (s *Schedule) addRunners() error {
	n := len(s.runners)
	if n < 1 || n > MaxRunners {
		return fmt.Errorf("there are %d runners, want 1 to %d", n, MaxRunners)
	}
	for i, r := range s.runners {
		if r.Name == "" {
			continue
		}
		if r.Rate.IsZero() {
			return fmt.Errorf("runner %q has no rate, want one", r.Name)
		}
		if first, _ := s.Runner(r.Name); int(first) != i {
			return fmt.Errorf("runner %q: the name is taken by runner %d, want a unique one", r.Name, first)
		}
		for _, earlier := range s.runners[:i+1] {
			if earlier.Name == "" {
				continue
			}
			if err := checkSpacing(earlier, r); err != nil {
				return err
			}
		}
		s.rates[i] = r.Rate
		s.last[i] = r.Rate.lastBoundary()
		s.all |= 1 << i
		if !r.Disabled {
			s.enabled |= 1 << i
		}
	}
	if s.enabled == 0 {
		return fmt.Errorf("all runners are disabled (%s), want at least one enabled", runnerNames(s.runners))
	}

	s.period = beatPeriod(slices.DeleteFunc(slices.Clone(s.rates[:]), Rate.IsZero))
	s.beatSeconds, _ = s.period.Float64()
	for i, r := range s.rates {
		if r.IsZero() {
			continue
		}
		count := new(big.Rat).Mul(s.period, big.NewRat(r.num, r.den)).Num()
		if count.IsInt64() {
			s.perBeat[i] = count.Int64()
		}
	}
	return nil
}

// checkSpacing returns an error when two runners (or one, given twice) have distinct boundaries less than 1 ns
// apart, since these could have equal timestamps.
func checkSpacing(a, b Runner) error {
	// the differences of boundaries are the multiples of the gcd of the
	// periods, gcd(a.den·b.num, b.den·a.num)/(a.num·b.num)
	g := gcd(uint64(a.Rate.den*b.Rate.num), uint64(b.Rate.den*a.Rate.num))
	limit := uint64(a.Rate.num * b.Rate.num)
	hi, lo := bits.Mul64(g, nsPerSecond)
	if hi > 0 || lo >= limit {
		return nil
	}
	gap := float64(g) * nsPerSecond / float64(limit)
	if a.Name == b.Name {
		return fmt.Errorf("boundaries of runner %q at %s Hz are %.3g ns apart, want at least 1 ns",
			a.Name, a.Rate, gap)
	}
	return fmt.Errorf("boundaries of runners %q at %s Hz and %q at %s Hz are %.3g ns apart, "+
		"want the same instant or at least 1 ns",
		a.Name, a.Rate, b.Name, b.Rate, gap)
}

// addBindings checks the bindings and finds their runners.
func (s *Schedule) addBindings(bindings []Binding) error {
	if len(bindings) > maxBindings {
		return fmt.Errorf("there are %d bindings, want at most %d", len(bindings), maxBindings)
	}
	names := make(map[string]int, len(bindings))
	for i, b := range bindings {
		if b.Name == "" {
			return fmt.Errorf("binding %d has no name, want one", i)
		}
		if earlier, ok := names[b.Name]; ok {
			return fmt.Errorf("binding %q: the name is taken by binding %d, want a unique one", b.Name, earlier)
		}
		names[b.Name] = i
		if b.Phase >= numPhases {
			return fmt.Errorf("binding %q: phase is %d, want one of %s", b.Name, uint8(b.Phase),
				strings.Join(phaseNames[:], ", "))
		}

		e := Entry{Binding: b, Index: i, ID: NoRunner, Enabled: !b.Disabled}
		e.takeRole(s.first)
		switch id, found := s.Runner(b.Runner); {
		case b.Beat && b.Runner != "":
			return fmt.Errorf("binding %q: fires at the beat and on runner %q, want one of them", b.Name, b.Runner)
		case b.Beat:
			s.beatWrites = s.beatWrites || e.Writes && e.Enabled
		case !found:
			return fmt.Errorf("binding %q: no runner %q, want one of %s", b.Name, b.Runner, runnerNames(s.runners))
		default:
			e.ID, e.Rate = id, s.rates[id]
			e.Enabled = e.Enabled && s.enabled.Has(id)
			if e.Writes && e.Enabled {
				s.writers |= 1 << id
			}
		}
		s.entries = append(s.entries, e)
	}
	return nil
}

// resolveOrder sorts the bindings and stores, for every set of runners that may fire together, the bindings that
// then run.
func (s *Schedule) resolveOrder() {
	s.order = make([]uint16, len(s.entries))
	for i := range s.order {
		s.order[i] = uint16(i)
	}
	last := func(b *Entry) int {
		if b.Beat {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(s.order, func(i, j uint16) int {
		a, b := &s.entries[i], &s.entries[j]
		return cmp.Or(cmp.Compare(a.Phase, b.Phase), cmp.Compare(last(a), last(b)), cmp.Compare(a.Priority, b.Priority))
	})
	for fired := range s.calls {
		if m := Mask(fired); m&^s.enabled == 0 {
			s.calls[m] = s.callsOf(m, false)
		}
	}
	s.beatCalls = s.callsOf(s.enabled, true)
}

// callsOf returns the enabled bindings of the fired runners and, if beat is true, the beat bindings, in execution
// order.
func (s *Schedule) callsOf(fired Mask, beat bool) []uint16 {
	var calls []uint16
	for _, i := range s.order {
		b := &s.entries[i]
		if !b.Disabled && (fired.Has(b.ID) || b.Beat && beat) {
			calls = append(calls, i)
		}
	}
	return slices.Clip(calls)
}

// runnerNames lists the runners that were not removed.
func runnerNames(runners []Runner) string {
	var names []string
	for _, r := range runners {
		if r.Name != "" {
			names = append(names, r.Name)
		}
	}
	return strings.Join(names, ", ")
}

// Runners returns a copy of the runners, by ID, with the zero Runner in place of a removed one.
func (s *Schedule) Runners() []Runner { return slices.Clone(s.runners) }

// Bindings returns a copy of the bindings in order of registration.
func (s *Schedule) Bindings() []Binding {
	bindings := make([]Binding, len(s.entries))
	for i := range s.entries {
		bindings[i] = s.entries[i].Binding
	}
	return bindings
}

// Binding returns the binding of that name, which the caller must not modify; nil without one.
func (s *Schedule) Binding(name string) *Entry {
	i := slices.IndexFunc(s.entries, func(e Entry) bool { return e.Name == name })
	if i < 0 {
		return nil
	}
	return &s.entries[i]
}

// Runner returns the ID of the runner of that name, NoRunner and false without one.
func (s *Schedule) Runner(name string) (id ID, ok bool) {
	i := slices.IndexFunc(s.runners, func(r Runner) bool { return r.Name == name })
	if i < 0 || name == "" {
		return NoRunner, false
	}
	return ID(i), true
}

// Rate returns the rate of a runner of this schedule. It panics when id is not below the length of Runners.
func (s *Schedule) Rate(id ID) Rate { return s.runners[id].Rate }

// Entry is a binding of a schedule, with what is resolved of it.
type Entry struct {
	Binding
	// Index is that of the binding in the order of registration, as in Cursor.Calls.
	Index int
	// First is the index of the binding of this name among those with which the clock began, −1 if there is none.
	First int
	// ID is the binding's runner and Rate the rate of it; NoRunner and the zero Rate at the beat.
	ID   ID
	Rate Rate
	// Enabled says that the binding fires: neither it nor its runner is disabled.
	Enabled bool
	// AfterPhysics says that it runs after the binding of role Integrate at an instant.
	AfterPhysics bool
}

// RateText returns the rate of the binding's runner in hertz, as Rate.String does, or "beat".
func (e *Entry) RateText() string {
	if e.Beat {
		return "beat"
	}
	return e.Rate.String()
}

// Entries returns the bindings in order of registration. The slice belongs to the schedule and must not be modified.
func (s *Schedule) Entries() []Entry { return s.entries }

// Order returns every binding, including disabled ones, in the order in which they run at an instant where all of
// them fire: by phase, then priority, then registration, with beat bindings last in their phase. The runner does not
// matter.
func (s *Schedule) Order() []Entry {
	entries := make([]Entry, len(s.order))
	for place, i := range s.order {
		entries[place] = s.entries[i]
	}
	return entries
}

// BeatPeriod returns the exact seconds from one beat of all registered runners to the next. The caller owns the
// result.
func (s *Schedule) BeatPeriod() *big.Rat { return new(big.Rat).Set(s.period) }

// BeatRate returns the beat as a rate: the greatest common divisor of the rates, 10 Hz for 50 and 30. ok is false when
// it is too slow for a Rate, as with 1/2147483647 and 1/2147483629 Hz.
func (s *Schedule) BeatRate() (rate Rate, ok bool) {
	if s.period.Num().Cmp(big.NewInt(maxTerm)) >= 0 {
		return Rate{}, false
	}
	return Rate{s.period.Denom().Int64(), s.period.Num().Int64()}, true
}

// Start returns a cursor at time 0, where every enabled runner fires.
func (s *Schedule) Start() Cursor {
	return s.origin(0)
}

// Resume returns a cursor at boundary k of a runner, counted from an anchor, which is given by its timestamp in ns: the
// inverse of Anchor and Boundary. It takes the same time for every k. It returns an error when there is no such runner,
// k is negative, the clock ends before the boundary, or no enabled runner fires there.
func (s *Schedule) Resume(anchorNS int64, id ID, k int64) (Cursor, error) {
	if !s.all.Has(id) {
		return Cursor{}, fmt.Errorf("boundary %d of runner %d: no such runner, want one of %s", k, id, runnerNames(s.runners))
	}
	name := s.runners[id].Name
	if k < 0 || k > s.last[id] {
		return Cursor{}, fmt.Errorf("boundary of runner %q is %d, want 0 to %d", name, k, s.last[id])
	}
	if timestamp := s.rates[id].Timestamp(k); anchorNS < 0 || anchorNS > math.MaxInt64-timestamp {
		return Cursor{}, fmt.Errorf("boundary %d of runner %q: anchor is at %d ns, want 0 to %d ns", k, name, anchorNS,
			math.MaxInt64-timestamp)
	}
	c, ok := s.resume(anchorNS, id, k)
	if !ok {
		return Cursor{}, fmt.Errorf("boundary %d of runner %q: no enabled runner fires there, want one", k, name)
	}
	return c, nil
}

// resume is Resume for a boundary on the clock. ok is false when no enabled runner fires there.
func (s *Schedule) resume(anchorNS int64, id ID, k int64) (c Cursor, ok bool) {
	c = Cursor{s: s, anchor: anchorNS, ns: anchorNS + s.rates[id].Timestamp(k)}
	var boundaries Mask // runners with a boundary there, enabled or not
	for i := range s.runners {
		if !s.all.Has(ID(i)) {
			continue
		}
		newest, rem := s.rates[i].split(s.rates[id], k)
		if c.next[i] = newest + 1; rem == 0 {
			boundaries |= 1 << i
		}
	}
	c.fired, c.sync = boundaries&s.enabled, boundaries == s.all
	return c, c.fired != 0
}
