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

// ID identifies a runner: its index in the slice given to Compile. A runner keeps its
// ID through all changes of the clock; see AddRunner and RemoveRunner.
type ID uint8

// NoRunner is the ID of bindings that fire at the beat instead of on a runner.
const NoRunner ID = math.MaxUint8

// Mask is a set of runners.
type Mask uint8

// Has reports whether the runner is in the set. NoRunner never is.
func (m Mask) Has(id ID) bool { return m&(1<<id) != 0 }

// first returns the lowest ID of a set that is not empty.
func (m Mask) first() ID { return ID(bits.TrailingZeros8(uint8(m))) }

// Runner is one fixed-rate clock of the shared timeline. A disabled runner does not
// fire, but still has boundaries: they count for the beat and for Cursor.Step.
type Runner struct {
	Name     string `json:"name"`
	Rate     Rate   `json:"rate"`
	Disabled bool   `json:"disabled,omitempty"`
}

// Binding places one callback on the timeline. The engine keeps the callback itself
// and finds it by the binding's index.
type Binding struct {
	// Name is unique among the bindings.
	Name string `json:"name"`
	// Runner is the name of the runner on which the binding fires; empty with Beat.
	Runner string `json:"runner,omitempty"`
	// Phase is the first key of the order at an instant, across runners.
	Phase Phase `json:"phase"`
	// Priority orders the bindings of a phase, lowest first; ties keep the
	// order of registration.
	Priority int `json:"priority"`
	// Disabled bindings keep their place in the order and never fire.
	Disabled bool `json:"disabled,omitempty"`
	// Writes says that the callback may change the physics state. Physics then never
	// runs past an instant at which the binding fires, whichever runner physics is on.
	Writes bool `json:"writes,omitempty"`
	// Beat makes the binding a sync point: it fires at every beat of all registered
	// runners, last in its phase, instead of on a runner.
	Beat bool `json:"beat,omitempty"`
}

// maxRows is the longest beat, in instants, that Compile stores. For a longer beat
// each instant is computed when a cursor moves to it.
const maxRows = 1 << 16

// maxBindings is the number of bindings that a uint16 can index.
const maxBindings = 1 << 16

// Schedule is the compiled execution order of a set of runners and bindings. It never
// changes after Compile, so all worlds and goroutines share one; only each world's
// Cursor moves.
type Schedule struct {
	runners  []Runner // by ID; the zero Runner where one was removed
	bindings []Binding
	owners   []ID     // by binding: its runner, or NoRunner
	order    []uint16 // every binding, in execution order

	rates   [MaxRunners]Rate
	all     Mask // registered runners
	enabled Mask
	writers Mask // enabled runners with an enabled binding that writes
	// beatWrites: an enabled beat binding writes
	beatWrites bool

	// period of the beat in seconds, and the number of boundaries of each runner in
	// one beat; 0 when it overflows an int64, as the clock then ends within the beat
	period      *big.Rat
	beatSeconds float64
	perBeat     [MaxRunners]int64

	last [MaxRunners]int64 // index of the last boundary on the clock

	// the bindings that run, by set of fired runners, where there is no beat, and those
	// that run at a beat, where all enabled runners fire
	calls     [1 << MaxRunners][]uint16
	beatCalls []uint16

	rows []row // the instants of one beat; nil when it has more than maxRows
}

// row is one instant of the beat: the runners that fire, and the index, counted from
// the beat, of the boundary of the one with the lowest ID.
type row struct {
	k     int64
	fired Mask
}

// Compile checks the runners and bindings and resolves them into a schedule. It copies
// both slices. It returns an error when there is no runner or more than MaxRunners, no
// runner is enabled, a name is empty or repeated, a rate is the zero value, distinct
// boundaries are less than 1 ns apart, or a binding has an unknown runner or phase.
func Compile(runners []Runner, bindings []Binding) (*Schedule, error) {
	if i := slices.IndexFunc(runners, func(r Runner) bool { return r.Name == "" }); i >= 0 {
		return nil, fmt.Errorf("runner %d has no name, want one", i)
	}
	return compile(runners, bindings, maxRows)
}

// compile is like Compile, but accepts the zero Runner in place of a removed one, and
// stores a beat of at most rowLimit instants.
func compile(runners []Runner, bindings []Binding, rowLimit int) (*Schedule, error) {
	s := &Schedule{runners: slices.Clone(runners), bindings: slices.Clone(bindings)}
	if err := s.addRunners(); err != nil {
		return nil, err
	}
	if err := s.addBindings(); err != nil {
		return nil, err
	}
	s.resolveOrder()
	s.storeBeat(rowLimit)
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
		return fmt.Errorf("all runners are disabled (%s), want at least one enabled", s.names())
	}

	s.period = beatPeriod(s.registered())
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

// checkSpacing returns an error when two runners (or one, given twice) have distinct
// boundaries less than 1 ns apart, since these could have equal timestamps.
func checkSpacing(a, b Runner) error {
	// the differences of boundaries are the multiples of the gcd of the
	// periods, gcd(a.den·b.num, b.den·a.num)/(a.num·b.num)
	g := gcd(uint64(a.Rate.den*b.Rate.num), uint64(b.Rate.den*a.Rate.num))
	limit := uint64(a.Rate.num * b.Rate.num)
	hi, lo := bits.Mul64(g, nsPerSecond)
	if hi > 0 || lo >= limit {
		return nil
	}
	apart := float64(g) * nsPerSecond / float64(limit)
	if a.Name == b.Name {
		return fmt.Errorf("boundaries of runner %q at %s Hz are %.3g ns apart, want at least 1 ns", a.Name, a.Rate, apart)
	}
	return fmt.Errorf("boundaries of runners %q at %s Hz and %q at %s Hz are %.3g ns apart, want the same instant or at least 1 ns",
		a.Name, a.Rate, b.Name, b.Rate, apart)
}

// addBindings checks the bindings and finds their runners.
func (s *Schedule) addBindings() error {
	if len(s.bindings) > maxBindings {
		return fmt.Errorf("there are %d bindings, want at most %d", len(s.bindings), maxBindings)
	}
	seen := make(map[string]int, len(s.bindings))
	for i, b := range s.bindings {
		if b.Name == "" {
			return fmt.Errorf("binding %d has no name, want one", i)
		}
		if first, taken := seen[b.Name]; taken {
			return fmt.Errorf("binding %q: the name is taken by binding %d, want a unique one", b.Name, first)
		}
		seen[b.Name] = i
		if b.Phase >= numPhases {
			return fmt.Errorf("binding %q: phase is %d, want one of %s", b.Name, uint8(b.Phase), strings.Join(phaseNames[:], ", "))
		}

		owner := NoRunner
		switch id, found := s.Runner(b.Runner); {
		case b.Beat && b.Runner != "":
			return fmt.Errorf("binding %q: fires at the beat and on runner %q, want one of them", b.Name, b.Runner)
		case b.Beat:
			s.beatWrites = s.beatWrites || b.Writes && !b.Disabled
		case !found:
			return fmt.Errorf("binding %q: no runner %q, want one of %s", b.Name, b.Runner, s.names())
		default:
			owner = id
			if b.Writes && !b.Disabled && s.enabled.Has(id) {
				s.writers |= 1 << id
			}
		}
		s.owners = append(s.owners, owner)
	}
	return nil
}

// resolveOrder sorts the bindings and stores, for every set of runners that may fire
// together, the bindings that then run.
func (s *Schedule) resolveOrder() {
	s.order = make([]uint16, len(s.bindings))
	for i := range s.order {
		s.order[i] = uint16(i)
	}
	slices.SortStableFunc(s.order, func(i, j uint16) int {
		a, b := &s.bindings[i], &s.bindings[j]
		return cmp.Or(cmp.Compare(a.Phase, b.Phase), compareBool(a.Beat, b.Beat), cmp.Compare(a.Priority, b.Priority))
	})
	for fired := range s.calls {
		if m := Mask(fired); m&^s.enabled == 0 {
			s.calls[m] = s.callsOf(m, false)
		}
	}
	s.beatCalls = s.callsOf(s.enabled, true)
}

// callsOf returns the enabled bindings of the fired runners and, if beat is true, the
// beat bindings, in execution order.
func (s *Schedule) callsOf(fired Mask, beat bool) []uint16 {
	var calls []uint16
	for _, i := range s.order {
		b := &s.bindings[i]
		if !b.Disabled && (fired.Has(s.owners[i]) || b.Beat && beat) {
			calls = append(calls, i)
		}
	}
	return slices.Clip(calls)
}

// storeBeat computes the instants of one beat and stores them, unless there are more
// than limit.
func (s *Schedule) storeBeat(limit int) {
	// a beat has at least as many instants as boundaries of one runner
	for i := range s.runners {
		if s.enabled.Has(ID(i)) && (s.perBeat[i] == 0 || s.perBeat[i] > int64(limit)) {
			return
		}
	}
	var rows []row
	for at, ok := s.start(), true; ok; at, ok = s.after(at) {
		if at.sync && len(rows) > 0 {
			s.rows = rows
			return
		}
		if len(rows) == limit {
			return
		}
		rows = append(rows, row{k: at.k, fired: at.fired})
	}
}

// instant is one moment of the timeline: the runners that fire, the index of the
// boundary of the one with the lowest ID, and whether it is a beat.
type instant struct {
	k     int64
	fired Mask
	sync  bool
}

// start returns the instant at time 0, where every enabled runner fires.
func (s *Schedule) start() instant { return instant{fired: s.enabled, sync: true} }

// after returns the next instant. ok is false when the clock ends first.
func (s *Schedule) after(at instant) (next instant, ok bool) {
	id, k := s.earliest(s.enabled, at.fired.first(), at.k)
	if id == NoRunner {
		return instant{}, false
	}
	return s.instantAt(id, k), true
}

// earliest returns the first boundary after boundary k of runner lead that a runner in
// the set has: one such runner and its index, or NoRunner and −1 when the clock ends
// first. It compares boundaries as rationals and accumulates nothing.
func (s *Schedule) earliest(set Mask, lead ID, k int64) (ID, int64) {
	first, firstK := NoRunner, int64(-1)
	for i := range s.runners {
		if !set.Has(ID(i)) {
			continue
		}
		next := s.rates[i].Newest(s.rates[lead], k) + 1
		if first == NoRunner || compareBoundaries(s.rates[i], next, s.rates[first], firstK) < 0 {
			first, firstK = ID(i), next
		}
	}
	if first != NoRunner && firstK > s.last[first] {
		return NoRunner, -1
	}
	return first, firstK
}

// instantAt returns the instant of boundary k of a runner, which must be on the clock.
// When all runners with a boundary there are disabled, it returns the zero instant.
func (s *Schedule) instantAt(id ID, k int64) instant {
	var there Mask // runners with a boundary there, enabled or not
	for i := range s.runners {
		if !s.all.Has(ID(i)) {
			continue
		}
		if _, rem := s.rates[i].split(s.rates[id], k); rem == 0 {
			there |= 1 << i
		}
	}
	fired := there & s.enabled
	if fired == 0 {
		return instant{}
	}
	return instant{k: s.rates[fired.first()].Newest(s.rates[id], k), fired: fired, sync: there == s.all}
}

// compareBool orders false before true.
func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// names lists the runners for error messages.
func (s *Schedule) names() string { return runnerNames(s.runners) }

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

// registered returns the rates of the runners that were not removed.
func (s *Schedule) registered() []Rate {
	var rates []Rate
	for _, r := range s.rates {
		if !r.IsZero() {
			rates = append(rates, r)
		}
	}
	return rates
}

// Runners returns a copy of the runners, by ID, with the zero Runner in place of a
// removed one.
func (s *Schedule) Runners() []Runner { return slices.Clone(s.runners) }

// Bindings returns a copy of the bindings in order of registration.
func (s *Schedule) Bindings() []Binding { return slices.Clone(s.bindings) }

// Runner returns the ID of the runner of that name. Without one it returns NoRunner
// and false.
func (s *Schedule) Runner(name string) (id ID, ok bool) {
	i := slices.IndexFunc(s.runners, func(r Runner) bool { return r.Name == name })
	if i < 0 || name == "" {
		return NoRunner, false
	}
	return ID(i), true
}

// Rate returns the rate of a runner of this schedule. It panics when id is not below
// the length of Runners.
func (s *Schedule) Rate(id ID) Rate { return s.runners[id].Rate }

// Entry is one line of the execution order.
type Entry struct {
	Binding
	// Rate is the rate of the binding's runner in hertz, as from Rate.String, or
	// "beat".
	Rate string
	// Enabled says that the binding fires: neither it nor its runner is disabled.
	Enabled bool
	// Index is the binding's index in Schedule.Bindings, as in Cursor.Calls.
	Index int
}

// Order returns every binding, including disabled ones, in the order in which they
// run at an instant where all of them fire: by phase, then priority, then
// registration, with beat bindings last in their phase. The runner does not matter.
func (s *Schedule) Order() []Entry {
	entries := make([]Entry, len(s.order))
	for place, i := range s.order {
		e := Entry{Binding: s.bindings[i], Rate: "beat", Enabled: !s.bindings[i].Disabled, Index: int(i)}
		if id := s.owners[i]; id != NoRunner {
			e.Rate = s.rates[id].String()
			e.Enabled = e.Enabled && s.enabled.Has(id)
		}
		entries[place] = e
	}
	return entries
}

// BeatPeriod returns the exact seconds from one beat of all registered runners
// to the next. The caller owns the result.
func (s *Schedule) BeatPeriod() *big.Rat { return new(big.Rat).Set(s.period) }

// BeatRate returns the beat as a rate. ok is false when it is too slow for a Rate
// (see Beat), as with 1/2147483647 and 1/2147483629 Hz.
func (s *Schedule) BeatRate() (rate Rate, ok bool) {
	rate, err := Beat(s.registered()...)
	return rate, err == nil
}

// InstantsPerBeat returns the number of instants in one beat. ok is false when there
// are more than 65,536, in which case Compile stores none.
func (s *Schedule) InstantsPerBeat() (n int, ok bool) { return len(s.rows), s.rows != nil }

// Start returns a cursor at time 0, where every enabled runner fires.
func (s *Schedule) Start() Cursor {
	return Cursor{s: s, at: s.start()}
}

// At returns a cursor at boundary k of a runner, with its anchor at time 0. It takes
// the same time for every k. It returns an error when there is no such runner, k is
// negative, the clock ends before the boundary, or no enabled runner fires there.
func (s *Schedule) At(id ID, k int64) (Cursor, error) { return s.Resume(0, id, k) }

// Resume is like At with k counted from an anchor, given by its timestamp in ns. It
// restores a cursor from its Anchor and Boundary.
func (s *Schedule) Resume(anchorNS int64, id ID, k int64) (Cursor, error) {
	if !s.all.Has(id) {
		return Cursor{}, fmt.Errorf("boundary %d of runner %d: no such runner, want one of %s", k, id, s.names())
	}
	name := s.runners[id].Name
	if k < 0 || k > s.last[id] {
		return Cursor{}, fmt.Errorf("boundary of runner %q is %d, want 0 to %d", name, k, s.last[id])
	}
	if timestamp := s.rates[id].Timestamp(k); anchorNS < 0 || anchorNS > math.MaxInt64-timestamp {
		return Cursor{}, fmt.Errorf("boundary %d of runner %q: anchor is at %d ns, want 0 to %d ns", k, name, anchorNS, math.MaxInt64-timestamp)
	}
	c, ok := s.resume(anchorNS, id, k)
	if !ok {
		return Cursor{}, fmt.Errorf("boundary %d of runner %q: no enabled runner fires there, want one", k, name)
	}
	return c, nil
}

// resume is like Resume for a boundary on the clock. ok is false when no enabled
// runner fires there.
func (s *Schedule) resume(anchorNS int64, id ID, k int64) (c Cursor, ok bool) {
	at := s.instantAt(id, k)
	if at.fired == 0 {
		return Cursor{}, false
	}
	c = Cursor{s: s, at: at, anchor: anchorNS, ns: anchorNS + s.rates[id].Timestamp(k)}
	if s.rows != nil {
		lead := at.fired.first()
		c.cycle = at.k / s.perBeat[lead]
		within := at.k % s.perBeat[lead]
		place, _ := slices.BinarySearchFunc(s.rows, within, func(have row, want int64) int {
			return compareBoundaries(s.rates[have.fired.first()], have.k, s.rates[lead], want)
		})
		c.row = int32(place)
	}
	return c, true
}
