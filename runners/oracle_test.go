package runners

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

// oracle answers everything about an instant from its exact time alone, with
// math/big and no shortcut. It shares no code with the schedule.
type oracle struct {
	runners  []Runner // the zero Runner where one was removed
	bindings []Binding
	beat     *big.Rat // rate of the beat
	anchor   int64    // ns that all timestamps are later by
}

func newOracle(runners []Runner, bindings []Binding) *oracle {
	o := &oracle{runners: runners, bindings: bindings, beat: new(big.Rat)}
	for i := range runners {
		if o.there(i) {
			o.beat = ratGCD(o.beat, o.hz(i))
		}
	}
	return o
}

func (o *oracle) there(i int) bool { return o.runners[i] != (Runner{}) }

func (o *oracle) hz(i int) *big.Rat { return big.NewRat(o.runners[i].Rate.num, o.runners[i].Rate.den) }

// ratGCD is Euclid's algorithm on rationals.
func ratGCD(a, b *big.Rat) *big.Rat {
	for b.Sign() != 0 {
		_, rest := ratFloor(new(big.Rat).Quo(a, b))
		a, b = b, rest.Mul(rest, b)
	}
	return a
}

// ratFloor splits x ≥ 0 into its floor and the fraction that is left.
func ratFloor(x *big.Rat) (*big.Int, *big.Rat) {
	whole := new(big.Int).Quo(x.Num(), x.Denom())
	return whole, new(big.Rat).Sub(x, new(big.Rat).SetInt(whole))
}

// steps returns how many periods of a rate the time t holds: whole ones, and
// the fraction.
func steps(hz, t *big.Rat) (int64, *big.Rat) {
	k, frac := ratFloor(new(big.Rat).Mul(hz, t))
	return k.Int64(), frac
}

func boundary(hz *big.Rat, k int64) *big.Rat {
	return new(big.Rat).Quo(new(big.Rat).SetInt64(k), hz)
}

func timestamp(t *big.Rat) int64 {
	ns, _ := ratFloor(new(big.Rat).Mul(t, big.NewRat(1e9, 1)))
	return ns.Int64()
}

// following returns the first boundary strictly after t of the runners named.
func (o *oracle) following(t *big.Rat, use func(i int) bool) *big.Rat {
	var first *big.Rat
	for i := range o.runners {
		if !o.there(i) || !use(i) {
			continue
		}
		k, _ := steps(o.hz(i), t)
		if next := boundary(o.hz(i), k+1); first == nil || next.Cmp(first) < 0 {
			first = next
		}
	}
	return first
}

func (o *oracle) next(t *big.Rat) *big.Rat {
	return o.following(t, func(i int) bool { return !o.runners[i].Disabled })
}

// nextWrite returns when an enabled writer fires next, nil for never.
func (o *oracle) nextWrite(t *big.Rat) *big.Rat {
	first := o.following(t, func(i int) bool {
		return !o.runners[i].Disabled && slices.ContainsFunc(o.bindings, func(b Binding) bool {
			return b.Runner == o.runners[i].Name && b.Writes && !b.Disabled
		})
	})
	if slices.ContainsFunc(o.bindings, func(b Binding) bool { return b.Beat && b.Writes && !b.Disabled }) {
		k, _ := ratFloor(new(big.Rat).Mul(o.beat, t))
		beat := new(big.Rat).SetInt(k.Add(k, big.NewInt(1)))
		if beat.Quo(beat, o.beat); first == nil || beat.Cmp(first) < 0 {
			first = beat
		}
	}
	return first
}

func (o *oracle) sync(t *big.Rat) bool { return new(big.Rat).Mul(o.beat, t).IsInt() }

// calls selects what fires at t, then sorts it.
func (o *oracle) calls(t *big.Rat) []uint16 {
	calls := []uint16{}
	for i, b := range o.bindings {
		fires := b.Beat && o.sync(t)
		for j, r := range o.runners {
			if o.there(j) && r.Name == b.Runner && !r.Disabled {
				fires = new(big.Rat).Mul(o.hz(j), t).IsInt()
			}
		}
		if fires && !b.Disabled {
			calls = append(calls, uint16(i))
		}
	}
	sort.SliceStable(calls, func(i, j int) bool {
		a, b := o.bindings[calls[i]], o.bindings[calls[j]]
		if a.Phase != b.Phase {
			return a.Phase < b.Phase
		}
		if a.Beat != b.Beat {
			return b.Beat
		}
		return a.Priority < b.Priority
	})
	return calls
}

// rates are those of the runners by ID, the zero Rate where there is none.
func (o *oracle) rates() (rates [MaxRunners]Rate) {
	for i, r := range o.runners {
		rates[i] = r.Rate
	}
	return rates
}

// spaced reports whether distinct boundaries are at least 1 ns apart.
func (o *oracle) spaced() bool {
	for i := range o.runners {
		for j := range o.runners[:i+1] {
			if !o.there(i) || !o.there(j) {
				continue
			}
			apart := ratGCD(new(big.Rat).Inv(o.hz(i)), new(big.Rat).Inv(o.hz(j)))
			if apart.Cmp(big.NewRat(1, 1e9)) < 0 {
				return false
			}
		}
	}
	return true
}

// check compares all that a cursor says with the oracle at time t.
func (o *oracle) check(c *Cursor, t *big.Rat) error {
	if got, want := c.NS(), o.anchor+timestamp(t); got != want || c.Anchor() != o.anchor {
		return fmt.Errorf("at %s s: timestamp %d, want %d", t.RatString(), got, want)
	}
	if got, want := c.Sync(), o.sync(t); got != want {
		return fmt.Errorf("at %s s: sync %v, want %v", t.RatString(), got, want)
	}
	lead := -1
	if err := o.checkStep(c, t, NoRunner, o.beat, false); err != nil {
		return err
	}
	for i, r := range o.runners {
		id := ID(i)
		if !o.there(i) {
			if c.Step(id) != (RunnerState{}) || c.Alpha(id) != 0 || c.Fired().Has(id) {
				return fmt.Errorf("at %s s: step of a removed runner is %+v, alpha %v", t.RatString(), c.Step(id), c.Alpha(id))
			}
			continue
		}
		if err := o.checkStep(c, t, id, o.hz(i), r.Disabled); err != nil {
			return err
		}
		if lead < 0 && c.Fired().Has(id) {
			lead = i
		}
	}
	if extra := c.Fired() >> len(o.runners); extra != 0 {
		return fmt.Errorf("at %s s: runners that are not there fired: %b", t.RatString(), c.Fired())
	}
	wantK, _ := steps(o.hz(lead), t)
	if id, k := c.Boundary(); id != ID(lead) || k != wantK {
		return fmt.Errorf("at %s s: boundary %d of runner %d, want %d of %d", t.RatString(), k, id, wantK, lead)
	}
	calls := o.calls(t)
	if !slices.Equal(c.Calls(), calls) {
		return fmt.Errorf("at %s s: calls %v, want %v", t.RatString(), c.Calls(), calls)
	}
	for _, call := range calls {
		if err := o.checkContext(c, t, call); err != nil {
			return err
		}
	}
	return o.checkNextWrite(c, t)
}

// checkStep compares the state and the alpha of a runner of a rate, or of the beat.
func (o *oracle) checkStep(c *Cursor, t *big.Rat, id ID, hz *big.Rat, disabled bool) error {
	k, frac := steps(hz, t)
	want := RunnerState{K: k, NS: o.anchor + timestamp(boundary(hz, k)), Fired: frac.Sign() == 0 && !disabled}
	end := bigTimestamp(boundary(hz, k+1))
	want.DT = new(big.Int).Sub(end, bigTimestamp(boundary(hz, k))).Int64()
	alpha, _ := frac.Float64()
	alpha = min(alpha, math.Nextafter(1, 0))
	got := c.Alpha(id)
	if id == NoRunner && !o.onClock(end) {
		want.DT = math.MaxInt64
		if math.Abs(got-alpha) <= 1e-15 {
			got = alpha
		}
	}
	if step := c.Step(id); step != want {
		return fmt.Errorf("at %s s: step of runner %d is %+v, want %+v", t.RatString(), id, step, want)
	}
	if fired := c.Fired().Has(id); fired != (want.Fired && id != NoRunner) {
		return fmt.Errorf("at %s s: runner %d fired %v, want %v", t.RatString(), id, fired, want.Fired)
	}
	if got != alpha {
		return fmt.Errorf("at %s s: alpha of runner %d is %v, want %v", t.RatString(), id, got, alpha)
	}
	return nil
}

func bigTimestamp(t *big.Rat) *big.Int {
	ns, _ := ratFloor(new(big.Rat).Mul(t, big.NewRat(1e9, 1)))
	return ns
}

// onClock reports whether a timestamp before the anchor is added is on the clock.
func (o *oracle) onClock(timestamp *big.Int) bool {
	return new(big.Int).Add(timestamp, big.NewInt(o.anchor)).IsInt64()
}

func (o *oracle) checkContext(c *Cursor, t *big.Rat, call uint16) error {
	ctx := c.Context(call)
	hz, id := o.beat, NoRunner
	for i, r := range o.runners {
		if o.there(i) && r.Name == o.bindings[call].Runner {
			hz, id = o.hz(i), ID(i)
		}
	}
	period := new(big.Rat).Inv(hz)
	end := bigTimestamp(new(big.Rat).Add(t, period))
	dt := new(big.Int).Sub(end, bigTimestamp(t))
	if id == NoRunner && !o.onClock(end) {
		dt.SetInt64(math.MaxInt64)
	}
	seconds, _ := period.Float64()
	if ctx.ID != id || ctx.Phase != o.bindings[call].Phase || ctx.DT != dt.Int64() || ctx.Seconds != seconds ||
		ctx.NS != o.anchor+timestamp(t) || ctx.Sync != o.sync(t) {
		return fmt.Errorf("at %s s: context of call %d is %+v, want runner %d, dt %d, %v s, timestamp %d, sync %v",
			t.RatString(), call, ctx, id, dt, seconds, o.anchor+timestamp(t), o.sync(t))
	}
	return nil
}

func (o *oracle) checkNextWrite(c *Cursor, t *big.Rat) error {
	id, k := c.NextWrite()
	want := o.nextWrite(t)
	if want == nil || !o.onClock(bigTimestamp(want)) { // never, or past the end of the clock
		if id != NoRunner || k != -1 {
			return fmt.Errorf("at %s s: next write at boundary %d of runner %d, want none", t.RatString(), k, id)
		}
		return nil
	}
	if int(id) >= len(o.runners) {
		return fmt.Errorf("at %s s: next write by runner %d, want at %s s", t.RatString(), id, want.RatString())
	}
	if got := boundary(o.hz(int(id)), k); got.Cmp(want) != 0 {
		return fmt.Errorf("at %s s: next write at %s s, want %s s", t.RatString(), got.RatString(), want.RatString())
	}
	return nil
}

// compare compiles the set and compares n instants from time 0 and n from
// boundary far of the first enabled runner with the oracle.
func (o *oracle) compare(n int, far int64) error {
	s, err := Compile(o.runners, o.bindings)
	if err != nil {
		return err
	}
	c, t := s.Start(), new(big.Rat)
	if err := o.walk(&c, t, n); err != nil {
		return fmt.Errorf("from the start: %w", err)
	}
	id := s.enabled.first()
	if c, err = s.Resume(0, id, far); err != nil {
		return err
	}
	if err := o.walk(&c, boundary(o.hz(int(id)), far), n); err != nil {
		return fmt.Errorf("from boundary %d of runner %d: %w", far, id, err)
	}
	return nil
}

// clockLimit is where comparisons stop: well inside the clock, so that the
// runners' next boundaries are too, but a few for the slowest.
var clockLimit = big.NewRat(1<<62, 1e9)

func (o *oracle) comparable(t *big.Rat) bool {
	return new(big.Rat).Add(t, big.NewRat(o.anchor, 1e9)).Cmp(clockLimit) <= 0
}

func (o *oracle) walk(c *Cursor, t *big.Rat, n int) error {
	for range n {
		if err := o.check(c, t); err != nil {
			return err
		}
		// found again by name, a cursor is the same
		id, k := c.Boundary()
		if again, err := c.s.Resume(c.Anchor(), id, k); err != nil || again != *c {
			return fmt.Errorf("at %s s: Resume(%d, %d, %d) is %+v (%v), want %+v", t.RatString(), c.Anchor(), id, k, again, err,
				*c)
		}
		if t = o.next(t); !o.comparable(t) {
			return nil
		}
		c.Next()
	}
	return nil
}

// farBoundary picks a boundary of the first enabled runner up to clockLimit.
func (o *oracle) farBoundary(pick uint64) int64 {
	for i, r := range o.runners {
		if !r.Disabled {
			last, _ := steps(o.hz(i), clockLimit)
			return int64(pick % uint64(last+1))
		}
	}
	return 0
}

var commonRates = []Rate{
	Hz(1), Hz(10), Hz(20), Hz(25), Hz(30), Hz(50), Hz(60), Hz(100), Hz(125), Hz(200), Hz(240), Hz(500), Hz(1000),
	{200, 3}, {1000, 3}, {2997, 100}, {30000, 1001}, {24000, 1001}, {60000, 1001}, Hz(997), Hz(7919),
}

// randomRate draws a usual rate, one whose beat with others is long, or any.
func randomRate(rng *rand.Rand, kind int) Rate {
	num, den := int64(1), int64(1)
	switch kind {
	case 0: // usual
		return commonRates[rng.IntN(14)]
	case 1: // NTSC and primes, small rationals, very slow
		switch rng.IntN(3) {
		case 0:
			return commonRates[rng.IntN(len(commonRates))]
		case 1:
			num, den = 1+rng.Int64N(1000), 1+rng.Int64N(1000)
		case 2:
			den = 1 + rng.Int64N(maxTerm-1)
		}
	case 2: // very fast, or large on both sides
		num = 1 + rng.Int64N(1_000_000_000)
		if rng.IntN(2) == 0 {
			den = 1 + rng.Int64N(maxTerm-1)
		}
	}
	r, err := NewRate(num, den)
	if err != nil {
		panic(err)
	}
	return r
}

// randomSet draws sets of usual rates, sets of unusual ones, and sets of any,
// many of which have boundaries too close to each other.
func randomSet(rng *rand.Rand) *oracle {
	runners := make([]Runner, 1+rng.IntN(MaxRunners))
	kinds := 1 + rng.IntN(3)
	for i := range runners {
		kind := kinds - 1
		if kind == 2 {
			kind = rng.IntN(3)
		}
		runners[i] = Runner{Name: fmt.Sprint("r", i), Rate: randomRate(rng, kind), Disabled: rng.IntN(6) == 0}
	}
	runners[rng.IntN(len(runners))].Disabled = false

	bindings := make([]Binding, rng.IntN(10))
	for i := range bindings {
		b := Binding{
			Name: fmt.Sprint("b", i), Phase: Phase(rng.IntN(int(numPhases))), Priority: rng.IntN(5) - 2,
			Disabled: rng.IntN(8) == 0, Writes: rng.IntN(4) == 0, Beat: rng.IntN(6) == 0,
		}
		if !b.Beat {
			b.Runner = runners[rng.IntN(len(runners))].Name
		}
		bindings[i] = b
	}
	return newOracle(runners, bindings)
}

// TestScheduleAgainstOracleLong compares 1,000 random sets of 1 to 8 runners, or 10,000
// with POLYTEST_SLOW=1, with exact rationals: timestamps, fired sets, order, dt, alpha, sync and next writes,
// near time 0 and far from it.
func TestScheduleAgainstOracleLong(t *testing.T) {
	const shards = 10
	sets := 1000
	if !polytest.Slow(t) {
		sets = 100
	}
	for shard := range uint64(shards) {
		t.Run(fmt.Sprint(shard), func(t *testing.T) {
			t.Parallel()
			compareRandomSets(t, rand.New(rand.NewPCG(50, shard)), sets)
		})
	}
}

func compareRandomSets(t *testing.T, rng *rand.Rand, sets int) {
	refused := 0
	for done := 0; done < sets; {
		o := randomSet(rng)
		_, err := Compile(o.runners, o.bindings)
		if spaced := o.spaced(); (err == nil) != spaced {
			t.Fatalf("%+v: compiled with %v, boundaries at least 1 ns apart: %v", o.runners, err, spaced)
		}
		if err != nil {
			refused++
			continue
		}
		if err := o.compare(12, o.farBoundary(rng.Uint64())); err != nil {
			t.Fatalf("%+v\n%+v\n%v", o.runners, o.bindings, err)
		}
		done++
	}
	if refused < sets/20 {
		t.Errorf("%d of %d sets were refused: the draw is too one-sided to mean anything", refused, sets)
	}
}

// TestWholeBeatsAgainstOracle follows the usual sets over the end of the beat
// into the next.
func TestWholeBeatsAgainstOracle(t *testing.T) {
	for _, rates := range [][]Rate{
		{Hz(50), Hz(30)}, {Hz(50), Hz(30), Hz(500)}, {Hz(200), Hz(60)}, {Hz(500), Hz(30)},
		{{200, 3}, {1000, 3}, Hz(30)}, {{1, 3}, {1, 7}}, {{3, 7}, {5, 11}},
	} {
		o := newOracle(runnersAt(rates...), []Binding{
			{Name: "latch", Beat: true, Writes: true}, {Name: "first", Runner: "r0"},
			{Name: "last", Runner: fmt.Sprint("r", len(rates)-1), Priority: -1},
		})
		if err := o.compare(130, o.farBoundary(987654321987654321)); err != nil {
			t.Errorf("%v: %v", rates, err)
		}
	}
}

// FuzzSchedule compares sets built from bytes with the oracle.
func FuzzSchedule(f *testing.F) {
	add := func(far uint64, fields ...uint32) {
		var data []byte
		for _, v := range fields {
			data = binary.BigEndian.AppendUint32(data, v)
		}
		f.Add(data, []byte{0, 8, 0x51, 130, 7, 255}, far)
	}
	add(0, 50, 1, 30, 1)
	add(1<<40, 50, 1, 30, 1, 500, 1)
	add(12345, 997, 1, 30000, 1001)
	add(math.MaxUint64, 1, 1<<31-1, 1, 1<<31-19, 1000000000, 1)
	f.Fuzz(func(t *testing.T, rates, places []byte, far uint64) {
		var runners []Runner
		for ; len(rates) >= 8 && len(runners) < MaxRunners; rates = rates[8:] {
			num, den := binary.BigEndian.Uint32(rates), binary.BigEndian.Uint32(rates[4:])
			r, err := NewRate(int64(num&^(1<<31)), int64(den&^(1<<31)))
			if err != nil {
				return
			}
			runners = append(runners, Runner{Name: fmt.Sprint("r", len(runners)), Rate: r, Disabled: num>>31 == 1})
		}
		if !slices.ContainsFunc(runners, func(r Runner) bool { return !r.Disabled }) {
			return
		}
		var bindings []Binding
		for i, p := range places[:min(len(places), 16)] {
			b := Binding{Name: fmt.Sprint("b", i), Phase: Phase(p % 5), Priority: int(p >> 6), Writes: p&16 != 0,
				Beat: p&8 != 0, Disabled: p == 255}
			if !b.Beat {
				b.Runner = runners[int(p)%len(runners)].Name
			}
			bindings = append(bindings, b)
		}
		o := newOracle(runners, bindings)
		if _, err := Compile(runners, bindings); (err == nil) != o.spaced() {
			t.Fatalf("compiled with %v, boundaries at least 1 ns apart: %v", err, o.spaced())
		} else if err != nil {
			return
		}
		if err := o.compare(8, o.farBoundary(far)); err != nil {
			t.Fatalf("%+v\n%+v\n%v", runners, bindings, err)
		}
	})
}

// runnersAt names runners r0, r1, … at the given rates.
func runnersAt(rates ...Rate) []Runner {
	runners := make([]Runner, len(rates))
	for i, r := range rates {
		runners[i] = Runner{Name: fmt.Sprint("r", i), Rate: r}
	}
	return runners
}
