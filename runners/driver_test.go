package runners

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

// handClock shows what a test sets it to.
type handClock struct{ now time.Duration }

func (c *handClock) Now() time.Duration { return c.now }

// noClock fails the test that lets it be read.
type noClock struct{ t testing.TB }

func (c noClock) Now() time.Duration {
	c.t.Error("the clock was read")
	return 0
}

// callLog is a Driven that writes down every call: its binding, instant, step
// and the swarm around it, all by name. Its work takes time on the clock.
type callLog struct {
	lines   []string
	skips   []Skip
	control ID
	limit   int // lines that are kept; 0: all
	count   int

	clock *handClock
	cost  func() time.Duration // of one instant; nil: none

	instant func(c *Cursor) error // called last, if not nil
	follow  func(c *Cursor)       // if not nil
}

func (l *callLog) Control() ID { return l.control }

func (l *callLog) Follow(c *Cursor) {
	if l.follow != nil {
		l.follow(c)
	}
}

func (l *callLog) Skip(s Skip) error {
	l.skips = append(l.skips, s)
	return nil
}

func (l *callLog) Instant(c *Cursor) error {
	l.count++
	runners, entries := c.s.runners, c.s.entries
	for _, call := range c.Calls() {
		if l.limit > 0 && len(l.lines) == l.limit {
			break
		}
		ctx := c.Context(call)
		line := fmt.Sprintf("%d %s dt %d sync %v", ctx.NS, entries[call].Name, ctx.DT, ctx.Sync)
		swarm := make([]string, len(runners))
		for id, r := range runners {
			swarm[id] = fmt.Sprint(r.Name, ctx.Step(ID(id)), ctx.Alpha(ID(id)))
		}
		slices.Sort(swarm) // runners may have other IDs in another run
		l.lines = append(l.lines, line+" "+strings.Join(swarm, " "))
	}
	if l.cost != nil {
		l.clock.now += l.cost()
	}
	if l.instant != nil {
		return l.instant(c)
	}
	return nil
}

func mustDriver(t testing.TB, s *Schedule, to Driven, set Settings) *Driver {
	t.Helper()
	return polytest.Must(NewDriver(s, to, set))(t)
}

func mustFrame(t testing.TB, d *Driver) Frame {
	t.Helper()
	return polytest.Must(d.Frame())(t)
}

// expectedLog is the log of n calls of a schedule, walked by hand.
func expectedLog(t testing.TB, s *Schedule, n int) []string {
	t.Helper()
	l := &callLog{limit: n}
	for c := s.Start(); len(l.lines) < n; c.Next() {
		polytest.NoError(t, l.Instant(&c))
	}
	return l.lines
}

// TestSeedsLoop follows the pseudocode of a fixed time step loop with exact
// numbers, frame by frame: 60 Hz, at most 5 steps a frame, at most 0.25 s
// elapsed, and what is left over as alpha.
func TestSeedsLoop(t *testing.T) {
	const fps, maxStepsPerFrame = 60, 5
	fixedDT := big.NewRat(1, 60)
	s := mustCompile(t, []Runner{{Name: "Robot", Rate: Hz(60)}},
		[]Binding{{Name: "step", Runner: "Robot", Phase: Physics}})
	rng := rand.New(rand.NewPCG(60, 5))
	clock, to := &handClock{}, &callLog{}
	d := mustDriver(t, s, to, Settings{Clock: clock, MaxBacklog: time.Hour}) // the pseudocode drops no backlog
	mustFrame(t, d)                                                          // time 0: no time has passed, no step is due

	accumulator, compared, stalled := new(big.Rat), 0, 0
	for frame := range 20_000 {
		elapsed := time.Duration(rng.Int64N(int64(time.Second / 30)))
		switch rng.IntN(100) {
		case 0:
			elapsed = 300 * time.Millisecond
		case 1:
			elapsed = time.Duration(rng.Int64N(int64(time.Minute)))
		}
		clock.now += elapsed

		// accumulator += min(realElapsed, 0.25)
		accumulator.Add(accumulator, big.NewRat(min(int64(elapsed), 250_000_000), 1e9))
		// while accumulator >= FIXED_DT and sub < MAX_STEPS_PER_FRAME
		sub := int64(0)
		for accumulator.Cmp(fixedDT) >= 0 && sub < maxStepsPerFrame {
			// step(FIXED_DT); accumulator -= FIXED_DT
			sub++
			accumulator.Sub(accumulator, fixedDT)
		}
		// alpha = accumulator / FIXED_DT
		alpha, _ := new(big.Rat).Quo(accumulator, fixedDT).Float64()

		f := mustFrame(t, d)
		if f.Steps != sub || f.Instants != sub {
			t.Fatalf("frame %d after %v: %d steps in %d instants, want %d", frame, elapsed, f.Steps, f.Instants, sub)
		}
		got := d.Alpha(0)
		if accumulator.Cmp(fixedDT) < 0 {
			compared++
			if got != alpha {
				t.Fatalf("frame %d: alpha %v, want %v", frame, got, alpha)
			}
		} else {
			stalled++
			if got != math.Nextafter(1, 0) || alpha < 1 { // where the pseudocode leaves [0, 1)
				t.Fatalf("frame %d, %v behind: alpha %v, want the largest below 1", frame, d.Backlog(), got)
			}
		}
	}
	if compared < 10_000 || stalled < 100 {
		t.Errorf("alpha was compared in %d frames and at its limit in %d: the draw is too one-sided", compared, stalled)
	}
	if steps := d.Total().Steps; int64(len(to.lines)) != steps || d.current.boundaryOf(0) != steps-1 {
		t.Errorf("%d calls at the end of %d steps, the last at boundary %d", len(to.lines), steps, d.current.boundaryOf(0))
	}
}

// variation is one way to drive the same schedule.
type variation struct {
	name string
	set  Settings
	// elapsed is the wall time between frames, cost that of an instant
	elapsed, cost func() time.Duration
}

func variations(rng *rand.Rand) []variation {
	jitter := func(mean time.Duration) func() time.Duration {
		return func() time.Duration { return time.Duration(rng.Int64N(2*int64(mean) + 1)) }
	}
	var vs []variation
	for _, fps := range []time.Duration{1, 2, 7, 24, 30, 60, 75, 144, 500, 1000} {
		period := time.Second / fps
		vs = append(vs,
			variation{name: fmt.Sprintf("%d fps", fps), elapsed: func() time.Duration { return period }},
			variation{name: fmt.Sprintf("%d fps with jitter", fps), elapsed: jitter(period)},
			variation{
				name: fmt.Sprintf("%d fps with jitter and a budget", fps), elapsed: jitter(period), cost: jitter(time.Millisecond),
				set: Settings{Budget: time.Duration(1 + rng.Int64N(int64(20*time.Millisecond)))},
			})
	}
	for _, limit := range []time.Duration{1, time.Microsecond, time.Millisecond, time.Second} {
		vs = append(vs,
			variation{name: fmt.Sprintf("budget %v", limit), elapsed: jitter(10 * time.Millisecond),
				cost: jitter(time.Millisecond), set: Settings{Budget: limit}},
			variation{name: fmt.Sprintf("backlog of %v", limit), elapsed: jitter(50 * time.Millisecond),
				set: Settings{MaxBacklog: limit}},
			variation{name: fmt.Sprintf("elapsed at most %v", limit+time.Millisecond), elapsed: jitter(50 * time.Millisecond),
				set: Settings{MaxElapsed: limit + time.Millisecond}})
	}
	backwards := func() time.Duration {
		return time.Duration(rng.Int64N(int64(40*time.Millisecond))) - 15*time.Millisecond
	}
	stalls := func() time.Duration {
		return []time.Duration{0, 0, time.Millisecond, 20 * time.Millisecond, time.Second, time.Hour}[rng.IntN(6)]
	}
	vs = append(vs,
		variation{name: "one step a frame", elapsed: jitter(time.Millisecond), set: Settings{MaxSteps: 1}},
		variation{name: "a clock that steps back", elapsed: backwards},
		variation{name: "stalls", elapsed: stalls},
		variation{name: "a frame that takes longer than its time", elapsed: jitter(time.Millisecond),
			cost: jitter(100 * time.Millisecond)},
		variation{name: "as fast as possible", set: Settings{Mode: SimHighPerformance}},
		variation{name: "as fast as possible, one step a frame", set: Settings{Mode: SimHighPerformance, MaxSteps: 1}},
	)
	return vs
}

// drive runs a schedule until n calls are logged.
func (v variation) drive(t *testing.T, s *Schedule, control ID, n int) []string {
	t.Helper()
	clock := &handClock{now: -time.Hour}
	to := &callLog{control: control, limit: n, clock: clock, cost: v.cost}
	set := v.set
	set.Clock = clock
	if set.Mode == SimHighPerformance {
		set.Clock = noClock{t}
	}
	d := mustDriver(t, s, to, set)
	for len(to.lines) < n {
		if v.elapsed != nil {
			clock.now += v.elapsed()
		}
		f := mustFrame(t, d)
		if set.Mode != SimHighPerformance {
			checkFrame(t, d, f)
		}
	}
	if len(to.skips) > 0 {
		t.Fatalf("%s: %d skips in a deterministic mode", v.name, len(to.skips))
	}
	return to.lines
}

// checkFrame tests what holds after every frame of a mode on the wall clock.
func checkFrame(t *testing.T, d *Driver, f Frame) {
	t.Helper()
	game := d.set.Mode == GameRealtime
	if f.Delta < 0 || f.Delta > d.set.MaxElapsed && !game || f.Dropped < 0 || f.Dropped > 0 && game {
		t.Fatalf("frame %+v exceeds a limit of %+v", f, d.set)
	}
	if f.Steps > int64(d.set.MaxSteps) && f.Instants > 1 && !game { // which looks before control instants
		t.Fatalf("frame %+v takes more than %d steps", f, d.set.MaxSteps)
	}
	if d.current.dueNS() > d.wall {
		t.Fatalf("at %d ns, ahead of the wall clock at %d ns", d.current.ns, d.wall)
	}
	if b := d.Backlog(); b < 0 || b > d.set.MaxBacklog && d.wall > d.next.dueNS() {
		t.Fatalf("a backlog of %v with the next instant at %d ns, the wall clock at %d", b, d.next.ns, d.wall)
	}
	for id := range d.current.s.runners {
		if a := d.Alpha(ID(id)); !(a >= 0 && a < 1) {
			t.Fatalf("alpha of runner %d is %v after frame %+v", id, a, f)
		}
	}
}

// TestAnyWayOfDrivingGivesTheSameLogLong: whatever the frame rate, its jitter, the
// limits, the budget, stalls, and whichever IDs the
// runners have, the same calls happen in the same order with the same contexts.
func TestAnyWayOfDrivingGivesTheSameLogLong(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1000))
	runners, bindings := quadruped()
	calls := 400
	if !polytest.Slow(t) {
		calls = 150
	}
	want := expectedLog(t, mustCompile(t, runners, bindings), calls)
	for _, order := range [][]int{{0, 1, 2}, {1, 0, 2}, {2, 1, 0}, {1, 2, 0}, {0, 2, 1}, {2, 0, 1}} {
		permuted := make([]Runner, len(runners))
		for to, from := range order {
			permuted[to] = runners[from]
		}
		s := mustCompile(t, permuted, bindings)
		control, _ := s.Runner("Robot")
		for _, v := range variations(rng) {
			got := v.drive(t, s, control, calls)
			if !slices.Equal(got, want) {
				for j := range got {
					if got[j] != want[j] {
						t.Fatalf("%s, runners %v: call %d is\n%s, want\n%s", v.name, order, j, got[j], want[j])
					}
				}
			}
		}
	}
}

// TestStalls: after no time, 1 s, 1 h, and a clock that steps back, alpha stays
// in [0, 1), the calls go on where they were, and what is dropped is counted.
func TestStalls(t *testing.T) {
	runners, bindings := quadruped()
	s := mustCompile(t, runners, bindings)
	for _, c := range []struct {
		name           string
		stall          time.Duration
		delta, dropped time.Duration
		frames         int // until the backlog is worked off
	}{
		{"none", 0, 0, 0, 0},
		{"1 s", time.Second, 250 * time.Millisecond, 750 * time.Millisecond, 3},
		{"1 h", time.Hour, 250 * time.Millisecond, time.Hour - 250*time.Millisecond, 3},
		{"back by 1 s", -time.Second, 0, 0, 0},
		{"back to the beginning of time", math.MinInt64, 0, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			clock, to := &handClock{}, &callLog{}
			d := mustDriver(t, s, to, Settings{Clock: clock})
			for range 11 {
				checkFrame(t, d, mustFrame(t, d))
				clock.now += 10 * time.Millisecond
			}
			clock.now += c.stall - 10*time.Millisecond
			if c.stall == math.MinInt64 {
				clock.now = c.stall
			}
			f := mustFrame(t, d)
			checkFrame(t, d, f)
			if f.Delta != c.delta || f.Dropped != c.dropped {
				t.Errorf("after the stall %+v, want %v elapsed and %v dropped", f, c.delta, c.dropped)
			}
			frames := 0
			for ; d.Backlog() >= 20*time.Millisecond; frames++ {
				checkFrame(t, d, mustFrame(t, d))
			}
			if frames != c.frames-1 && c.frames > 0 || c.frames == 0 && frames > 0 {
				t.Errorf("worked off in %d more frames, want %d", frames, c.frames-1)
			}
			for range 10 {
				clock.now += 10 * time.Millisecond
				checkFrame(t, d, mustFrame(t, d))
			}
			if simulated := 100*time.Millisecond + c.delta + 100*time.Millisecond; d.Total().Delta != simulated ||
				d.current.ns/2e6 != int64(simulated)/2e6 {
				t.Errorf("at %d ns after %v of wall time, want %v", d.current.ns, d.Total().Delta, simulated)
			}
			polytest.EqualSlices(t, to.lines, expectedLog(t, s, len(to.lines)),
				"the calls are not those of the schedule")
		})
	}
}

// The difference of two readings of a clock may not fit a reading.
func TestAStallLongerThanTheClock(t *testing.T) {
	clock := &handClock{now: math.MinInt64}
	d := mustDriver(t, mustCompile(t, defaults(), nil), &callLog{}, Settings{Clock: clock})
	mustFrame(t, d)
	clock.now = math.MaxInt64
	if f := mustFrame(t, d); f.Delta != 250*time.Millisecond || f.Dropped != math.MaxInt64 {
		t.Errorf("%+v, want 250 ms elapsed and the rest dropped", f)
	}
}

// The backlog is kept from frame to frame up to its limit; beyond it wall time is
// dropped, and never a step.
func TestBacklogIsKeptAndLimited(t *testing.T) {
	s := mustCompile(t, []Runner{{Name: "Robot", Rate: Hz(100)}}, []Binding{{Name: "b", Runner: "Robot"}})
	clock, to := &handClock{}, &callLog{}
	d := mustDriver(t, s, to, Settings{Clock: clock})
	mustFrame(t, d)
	for i, want := range []Frame{
		{Delta: 200e6, Steps: 5, Instants: 5},                      // 150 ms are left
		{Delta: 200e6, Steps: 5, Instants: 5, Dropped: 50e6},       // 300 − 50
		{Delta: 200e6, Steps: 5, Instants: 5, Dropped: 150e6},      // 400 − 150
		{Delta: 250e6, Steps: 5, Instants: 5, Dropped: 5e9 - 50e6}, // of 5 s: 4.75 s, and 450 − 250
	} {
		clock.now += 200 * time.Millisecond
		if i == 3 {
			clock.now += 4800 * time.Millisecond
		}
		polytest.Equal(t, mustFrame(t, d), want, "frame %d", i)
		if i > 0 && d.Backlog() != 250*time.Millisecond {
			t.Errorf("frame %d: a backlog of %v, want 250 ms", i, d.Backlog())
		}
	}
	if total := d.Total(); total.Steps != 21 || len(to.lines) != 21 || total.Delta != 850e6 {
		t.Errorf("%d calls, total %+v; want 21 and 850 ms", len(to.lines), total)
	}
}

// A runner slower than the limits still comes due, to the nanosecond.
func TestSlowRunnersComeDue(t *testing.T) {
	for _, runners := range [][]Runner{
		{{Name: "Slow", Rate: Rate{1, 3}}},
		{{Name: "Third", Rate: Rate{3, 1}}}, // 333,333,333.3 ns
		{{Name: "Off", Rate: Hz(500), Disabled: true}, {Name: "Slow", Rate: Hz(1)}},
	} {
		s := mustCompile(t, runners, nil)
		clock, to := &handClock{}, &callLog{}
		d := mustDriver(t, s, to, Settings{Clock: clock})
		at := s.Start()
		for frame := range 1000 {
			clock.now = time.Duration(frame) * 10 * time.Millisecond
			checkFrame(t, d, mustFrame(t, d))
			for c := at; c.NS() < int64(clock.now); c.Next() {
				at = c
			}
		}
		if d.current != at || d.Total().Dropped != 0 {
			t.Errorf("%v: after 10 s at %d ns, want %d; %v dropped", runners, d.current.ns, at.ns, d.Total().Dropped)
		}
	}
}

// An instant is never early, not even by the fraction of a nanosecond that its
// timestamp leaves out; Wait says how long to sleep for it.
func TestNeverAheadByLessThanANanosecond(t *testing.T) {
	s := mustCompile(t, []Runner{{Name: "Capture", Rate: Hz(30)}}, nil)
	clock := &handClock{}
	d := mustDriver(t, s, &callLog{}, Settings{Clock: clock})
	mustFrame(t, d)
	if d.Wait() != 33333334 {
		t.Errorf("the wait at 0 is %d ns, want 33333334", d.Wait())
	}
	for _, c := range []struct {
		now      time.Duration
		instants int64
		wait     time.Duration
	}{{33333333, 0, 1}, {33333334, 1, 33333333}, {66666666, 0, 1}, {66666667, 1, 33333333}, {100000000 - 1, 0, 1},
		{100000000, 1, 33333334}} {
		clock.now = c.now
		if f := mustFrame(t, d); f.Instants != c.instants || d.Wait() != c.wait {
			t.Errorf("at %d ns %d instants and a wait of %d, want %d and %d", c.now, f.Instants, d.Wait(), c.instants, c.wait)
		}
	}
	d = mustDriver(t, s, &callLog{}, Settings{Mode: SimHighPerformance, Clock: noClock{t}})
	polytest.Equal(t, d.Wait(), 0, "without a wall clock a wait of")
}

// A budget decides when an instant fires and never which: a frame with an
// instant due fires at least one, however small the budget, and stops between
// instants.
func TestBudgetStopsBetweenInstants(t *testing.T) {
	runners, bindings := quadruped()
	s := mustCompile(t, runners, bindings)
	clock := &handClock{}
	to := &callLog{clock: clock, cost: func() time.Duration { return time.Millisecond }}
	d := mustDriver(t, s, to, Settings{Clock: clock, Budget: 3 * time.Millisecond})
	mustFrame(t, d)
	for frame := range 50 {
		clock.now += 20 * time.Millisecond
		if f := mustFrame(t, d); f.Instants != 3 {
			t.Fatalf("frame %d fired %d instants of 1 ms in a budget of 3 ms", frame, f.Instants)
		}
	}
	d.set.Budget = 1
	if f := mustFrame(t, d); f.Instants != 1 {
		t.Errorf("%d instants in a budget of 1 ns, want one", f.Instants)
	}
}

// Free updates lie outside the clock: before and after all instants of a frame,
// with the frame's time; without them, nothing.
func TestFreeUpdates(t *testing.T) {
	s := mustCompile(t, defaults(), []Binding{{Name: "b", Runner: "Robot"}})
	clock := &handClock{}
	var log []string
	to := &callLog{instant: func(c *Cursor) error {
		log = append(log, fmt.Sprint(c.NS()))
		return nil
	}}
	d := mustDriver(t, s, to, Settings{
		Clock:            clock,
		OnFreePreUpdate:  func(delta time.Duration) { log = append(log, "pre "+delta.String()) },
		OnFreePostUpdate: func(delta time.Duration) { log = append(log, "post "+delta.String()) },
	})
	for _, now := range []time.Duration{5, 5 + 10e6, 5 + 45e6, 5 + 5e9} {
		clock.now = now
		mustFrame(t, d)
	}
	want := []string{
		"pre 0s", "0", "post 0s", "pre 10ms", "post 10ms", "pre 35ms", "20000000", "33333333", "40000000", "post 35ms",
		"pre 250ms", "60000000", "66666666", "80000000", "100000000", "120000000", "133333333", "140000000", "post 250ms",
	}
	if !slices.Equal(log, want) {
		t.Errorf("%q, want %q", log, want)
	}

	d = mustDriver(t, s, &callLog{}, Settings{Mode: SimHighPerformance, OnFreePreUpdate: func(delta time.Duration) {
		if delta != 0 {
			t.Errorf("a frame of %v without a wall clock", delta)
		}
	}})
	mustFrame(t, d)
}

// Game Realtime skips whole control intervals when it cannot keep up: nothing
// fires in them, the rest is as if they had not been, and each is told.
func TestGameRealtimeSkipsWholeControlIntervals(t *testing.T) {
	runners, bindings := quadruped()
	s := mustCompile(t, runners, bindings)
	clock, to := &handClock{}, &callLog{}
	var fired []int64
	to.instant = func(c *Cursor) error {
		fired = append(fired, c.NS())
		return nil
	}
	d := mustDriver(t, s, to, Settings{Mode: GameRealtime, Clock: clock})
	mustFrame(t, d)
	clock.now = 215 * time.Millisecond
	f := mustFrame(t, d)
	// 5 steps to 100 ms and on to before 120 ms; then to the last control
	// instant that has passed, at 200 ms
	want := Skip{N: 6, Intervals: 5, FromNS: 120e6, ToNS: 220e6}
	if !slices.Equal(to.skips, []Skip{want}) || f.Skips != 1 || f.Skipped != 5 || f.Steps != 5 || f.Dropped != 0 {
		t.Errorf("skips %+v in frame %+v, want %+v", to.skips, f, want)
	}
	if last := fired[len(fired)-1]; last != 118e6 {
		t.Errorf("the last instant before the skip is at %d ns, want 118 ms", last)
	}
	if d.NS() != 200e6 || d.Backlog() != 15*time.Millisecond || d.Alpha(0) != 0.75 ||
		d.Alpha(2) != math.Nextafter(1, 0) || d.Wait() != 5*time.Millisecond {
		t.Errorf("after the skip at %d ns, a backlog of %v, alpha %v, a wait of %v", d.NS(), d.Backlog(), d.Alpha(0),
			d.Wait())
	}
	fired = nil
	if f = mustFrame(t, d); len(fired) > 0 {
		t.Errorf("after the skip %v fired, want nothing before 220 ms", fired)
	}
	clock.now += 7 * time.Millisecond
	if f = mustFrame(t, d); !slices.Equal(fired, []int64{220e6, 222e6}) || f.Skips != 0 ||
		d.Backlog() != 2*time.Millisecond {
		t.Errorf("after the skip %v fired, a backlog of %v", fired, d.Backlog())
	}
}

// A machine that is too slow by half, on a bad clock: Game Realtime keeps up by
// skipping, fires whole control intervals only, and its log of skips is enough
// to repeat the run exactly. The other modes refuse none of the steps.
func TestGameRealtimeIsReplayedFromItsLogLong(t *testing.T) {
	runners, bindings := quadruped()
	runners[0], runners[1] = runners[1], runners[0] // the control runner is not runner 0
	s := mustCompile(t, runners, bindings)
	seeds := uint64(20)
	if !polytest.Slow(t) {
		seeds = 4
	}
	for seed := range seeds {
		rng := rand.New(rand.NewPCG(seed, 4))
		clock := &handClock{}
		to := &callLog{control: 1, clock: clock,
			cost: func() time.Duration { return time.Duration(rng.Int64N(int64(6 * time.Millisecond))) }}
		var at []int64
		to.instant = func(c *Cursor) error {
			at = append(at, c.NS())
			return nil
		}
		d := mustDriver(t, s, to, Settings{Mode: GameRealtime, Clock: clock, MaxSteps: 2 + int(seed%4),
			Budget: time.Duration(seed%3) * 5 * time.Millisecond})
		for range 300 {
			clock.now += time.Duration(rng.Int64N(int64(30 * time.Millisecond)))
			f := mustFrame(t, d)
			checkFrame(t, d, f)
			if d.wall-d.next.dueNS() >= 20e6 && f.Skips > 0 {
				t.Fatalf("seed %d: after a skip %d ns are still due from %d ns", seed, d.wall, d.next.ns)
			}
		}
		total := d.Total()
		if total.Skips == 0 || total.Skips != int64(len(to.skips)) {
			t.Fatalf("seed %d: %+v with %d skips logged, want some", seed, total, len(to.skips))
		}

		// what is missing is whole control intervals, from control instant to
		// control instant, and it is what the log says
		skipped, next := int64(0), 0
		for c, i := s.Start(), 0; i < len(at); c.Next() {
			if c.NS() == at[i] {
				i++
				continue
			}
			for next < len(to.skips) && to.skips[next].ToNS <= c.NS() {
				next++
			}
			if next == len(to.skips) || c.NS() < to.skips[next].FromNS {
				t.Fatalf("seed %d: %d ns did not fire, and no skip says so", seed, c.NS())
			}
			if c.Fired().Has(1) {
				skipped++
			}
		}
		for _, k := range to.skips {
			if k.FromNS%20e6 != 0 || k.ToNS-k.FromNS != k.Intervals*20e6 || k.Intervals < 1 {
				t.Errorf("seed %d: %+v is not over whole control intervals", seed, k)
			}
		}
		if last := to.skips[len(to.skips)-1]; last.ToNS > at[len(at)-1] {
			skipped += last.Intervals // the last frame skipped
		}
		if skipped != total.Skipped {
			t.Errorf("seed %d: %d control instants did not fire, want the %d skipped", seed, skipped, total.Skipped)
		}

		// through JSON, as a run log has it
		text := polytest.Must(json.Marshal(to.skips))(t)
		var skips []Skip
		polytest.NoError(t, json.Unmarshal(text, &skips))
		again := &callLog{control: 1}
		r := mustDriver(t, s, again, Settings{Mode: SimHighPerformance, Clock: noClock{t}, Replay: skips})
		for r.Total().Instants < total.Instants {
			mustFrame(t, r)
		}
		n := len(to.lines)
		if len(again.lines) < n || !slices.Equal(again.lines[:n], to.lines) {
			t.Errorf("seed %d: the replay has other calls", seed)
		}
		for i, k := range again.skips {
			polytest.Equal(t, k, to.skips[i], "seed %d: skip %d replayed as", seed, i)
		}
	}
}

// A stall of any length is skipped, counted and told in Game Realtime: what was
// simulated and skipped is the wall time, within one control step, however the
// limits of a frame are set. A frame simulates MaxElapsed at most.
func TestGameRealtimeFollowsTheClockThroughStalls(t *testing.T) {
	runners, bindings := quadruped()
	s := mustCompile(t, runners, bindings)
	for _, set := range []Settings{
		{},
		{MaxElapsed: time.Millisecond},
		{MaxSteps: 1},
		{MaxSteps: 1000},
		{MaxBacklog: 1},
		{Budget: 5 * time.Millisecond},
	} {
		clock, to := &handClock{}, &callLog{}
		set.Mode, set.Clock = GameRealtime, clock
		d := mustDriver(t, s, to, set)
		mustFrame(t, d)
		for second := range 26 {
			for range 60 {
				clock.now += time.Second / 60
				f := mustFrame(t, d)
				checkFrame(t, d, f)
				if behind := clock.now - time.Duration(d.NS()); behind < 0 || behind >= 20*time.Millisecond {
					t.Fatalf("%+v: at %v after %v of wall time", set, time.Duration(d.current.ns), clock.now)
				}
			}
			if second%2 == 1 && second < 20 {
				clock.now += time.Second
				f := mustFrame(t, d)
				if most := max(set.MaxElapsed, 20*time.Millisecond); set.MaxElapsed > 0 &&
					f.Steps > int64(most/(20*time.Millisecond)) {
					t.Fatalf("%+v: %+v", set, f)
				}
			}
		}
		total := d.Total()
		skipped := int64(0)
		for _, k := range to.skips {
			skipped += k.Intervals
		}
		if total.Dropped != 0 || total.Delta != clock.now || total.Skipped != skipped || total.Skips != int64(len(to.skips)) {
			t.Errorf("%+v after %v: %+v, %d intervals told", set, clock.now, total, skipped)
		}
		if set.MaxSteps < 1000 && total.Skipped < 10*30 {
			t.Errorf("%+v: %d intervals skipped in ten stalls of 1 s, want most of their 500", set, total.Skipped)
		}
		control := total.Skipped
		for _, line := range to.lines {
			if strings.Contains(line, " observe ") {
				control++
			}
		}
		if want := int64(clock.now/(20*time.Millisecond)) + 1; control != want {
			t.Errorf("%+v: %d control instants fired or skipped in %v, want %d", set, control, clock.now, want)
		}
	}
}

// The clock ends where an int64 does, also for a wall clock that runs on.
func TestGameRealtimeEndsWithTheClock(t *testing.T) {
	clock, to := &handClock{now: math.MinInt64}, &callLog{}
	d := mustDriver(t, mustCompile(t, defaults(), nil), to, Settings{Mode: GameRealtime, Clock: clock})
	mustFrame(t, d)
	clock.now = math.MaxInt64
	if f := mustFrame(t, d); f.Delta != math.MaxInt64 || f.Dropped != math.MaxInt64 || f.Skips != 1 {
		t.Errorf("%+v", f)
	}
	for range 3 {
		if f := mustFrame(t, d); f.Delta != 0 {
			t.Errorf("%+v", f)
		}
	}
	if !d.ended || d.current.ns < math.MaxInt64-50e6 {
		t.Errorf("at %d ns, want the end of the clock", d.current.ns)
	}
}

// A log that jumps elsewhere, or before the first instant, is that of no run.
func TestReplayOfAnotherRun(t *testing.T) {
	for want, skip := range map[string]Skip{
		"3 intervals from 0 ns after 0 control instants, where this run is at 0 ns":               {Intervals: 3},
		"1 intervals from 60000000 ns after 2 control instants, where this run is at 40000000 ns": {2, 1, 60e6, 80e6},
	} {
		d := mustDriver(t, mustCompile(t, defaults(), nil), &callLog{},
			Settings{Mode: SimHighPerformance, Replay: []Skip{skip}})
		polytest.ErrorContains(t, polytest.Err(d.Frame()), "replay: skip 0 covers "+want+", want the log of this run")
	}
}

// A schedule may be adopted in the middle of a drive.
func TestDriverFollowsAnAdoptedSchedule(t *testing.T) {
	s := mustCompile(t, defaults(), []Binding{{Name: "b", Runner: "Robot"}})
	next := polytest.Must(s.Apply(SetRate{"Robot", Hz(100)}, SetRate{"Capture", Hz(25)}))(t)
	for _, mode := range []Mode{SimRealtime, SimHighPerformance, GameRealtime} {
		clock := &handClock{}
		var got []string
		to := &callLog{instant: func(c *Cursor) error {
			got = append(got, fmt.Sprint(c.NS()/1e6, c.Fired()))
			return nil
		}, follow: func(c *Cursor) {
			if c.NS() >= 60e6 {
				c.Adopt(next)
			}
		}}
		d := mustDriver(t, s, to, Settings{Mode: mode, Clock: clock})
		for len(got) < 14 {
			mustFrame(t, d)
			clock.now += 10 * time.Millisecond
		}
		want := []string{"0 3", "20 1", "33 2", "40 1", "60 1", "66 2", "80 1", "100 3", "110 1", "120 1", "130 1", "140 3",
			"150 1", "160 1"}
		if !slices.Equal(got[:14], want) {
			t.Errorf("%v: %q, want %q", mode, got, want)
		}
		if steps := d.Total().Steps; steps != d.current.boundaryOf(0)+1+5 {
			t.Errorf("%v: %d steps of Robot, want 5 and %d", mode, steps, d.current.boundaryOf(0)+1)
		}
	}
}

func TestDriverEndsWithTheClock(t *testing.T) {
	s := mustCompile(t, []Runner{{Name: "Slow", Rate: Rate{1, maxTerm - 1}}}, nil)
	d := mustDriver(t, s, &callLog{}, Settings{Mode: SimHighPerformance})
	if f := mustFrame(t, d); f.Instants != 5 || !d.ended {
		t.Errorf("%+v, want the 5 instants of 68 years on a clock of 292", f)
	}
	if f := mustFrame(t, d); f != (Frame{}) || d.Wait() != 0 {
		t.Errorf("after the end of the clock: %+v", f)
	}
}

func TestDriverErrors(t *testing.T) {
	s := mustCompile(t, defaults(), nil)
	for _, c := range []struct {
		set  Settings
		want string
	}{
		{Settings{Mode: 3}, "mode is 3, want one of sim_realtime, sim_high_performance, game_realtime"},
		{Settings{MaxSteps: -1}, "driver: max_elapsed is 0s, max_backlog 0s, max_steps -1 and budget 0s, want none of " +
			"them negative"},
		{Settings{MaxElapsed: -1, Budget: -2},
			"driver: max_elapsed is -1ns, max_backlog 0s, max_steps 0 and budget -2ns, want none of them negative"},
		{Settings{MaxBacklog: -1}, "driver: max_elapsed is 0s, max_backlog -1ns, max_steps 0 and budget 0s, want none of " +
			"them negative"},
		{Settings{Replay: make([]Skip, 2)}, "driver: 2 skips to replay in mode sim_realtime, want mode sim_high_performance"},
	} {
		polytest.ErrorContains(t, polytest.Err(NewDriver(s, &callLog{}, c.set)), c.want)
	}
	broken := errors.New("broken")
	fails := &callLog{instant: func(c *Cursor) error {
		if c.NS() == 33333333 {
			return broken
		}
		return nil
	}}
	d := mustDriver(t, s, fails, Settings{Mode: SimHighPerformance})
	if f, err := d.Frame(); err != broken || f.Instants != 3 {
		t.Errorf("%v after %d instants, want %v after the third", err, f.Instants, broken)
	}
}

func TestModeText(t *testing.T) {
	for m, name := range modeNames {
		text, err := Mode(m).MarshalText()
		if err != nil || string(text) != name {
			t.Errorf("mode %d written as %q (%v), want %q", m, text, err, name)
		}
		var back Mode
		if err := back.UnmarshalText([]byte(strings.ToUpper(name))); err != nil || back != Mode(m) {
			t.Errorf("%q read as %v (%v)", strings.ToUpper(name), back, err)
		}
	}
	polytest.Equal(t, (Settings{}).Mode, SimRealtime, "want sim_realtime as the default")
	var m Mode
	const want = `mode is "fast", want one of sim_realtime, sim_high_performance, game_realtime`
	polytest.ErrorContains(t, m.UnmarshalText([]byte("fast")), want)
	if Mode(7).String() != "Mode(7)" {
		t.Errorf("mode 7 is %s", Mode(7))
	}
}

// A frame allocates nothing, in any mode.
func TestFramesDoNotAllocate(t *testing.T) {
	runners, bindings := quadruped()
	s := mustCompile(t, runners, bindings)
	for _, mode := range []Mode{SimRealtime, SimHighPerformance, GameRealtime} {
		clock := &handClock{}
		d := mustDriver(t, s, newEmptyCallbacks(s), Settings{Mode: mode, Clock: clock, Budget: time.Hour})
		allocs := polytest.Allocations(100, func() {
			clock.now += 100 * time.Millisecond // what Game Realtime cannot keep up with
			polytest.Must(d.Frame())(t)
		})
		if allocs != 0 {
			t.Errorf("%v: %v allocations a frame", mode, allocs)
		}
	}
}

// FuzzDriver drives by frames whose lengths, costs and limits come from bytes,
// and expects the calls of the schedule, and alpha in [0, 1).
func FuzzDriver(f *testing.F) {
	f.Add([]byte{0, 0, 100, 7, 255, 255, 128, 1}, uint8(0), uint8(0), uint8(0))
	f.Add([]byte{20, 0, 20, 0, 20, 0, 250, 250, 3, 3}, uint8(1), uint8(3), uint8(2))
	f.Add([]byte{0, 200, 0, 200, 0, 200, 255, 0}, uint8(2), uint8(1), uint8(9))
	runners, bindings := quadruped()
	s := mustCompile(f, runners, bindings)
	f.Fuzz(func(t *testing.T, frames []byte, mode, steps, budget uint8) {
		clock := &handClock{}
		var cost time.Duration
		to := &callLog{clock: clock, cost: func() time.Duration { return cost }}
		var at []Cursor
		to.instant = func(c *Cursor) error {
			at = append(at, *c)
			return nil
		}
		d := mustDriver(t, s, to, Settings{
			Mode: Mode(mode % uint8(numModes)), Clock: clock, MaxSteps: int(steps),
			Budget: time.Duration(budget) * time.Millisecond,
		})
		for len(frames) >= 2 {
			elapsed := time.Duration(int8(frames[0])) // above 100: a stall; below 0: back
			if elapsed > 100 {
				elapsed *= 100
			}
			clock.now += elapsed * time.Millisecond
			cost = time.Duration(frames[1]) * 50 * time.Microsecond
			frames = frames[2:]
			checkFrame(t, d, mustFrame(t, d))
		}
		c, skips := s.Start(), to.skips
		for _, got := range at {
			if len(skips) > 0 && skips[0].FromNS == c.NS() {
				for ; c.NS() < skips[0].ToNS; c.Next() {
				}
				skips = skips[1:]
			}
			if got != c {
				t.Fatalf("%d ns fired, want %d", got.NS(), c.NS())
			}
			c.Next()
		}
		if d.set.Mode != GameRealtime && len(to.skips) > 0 {
			t.Fatalf("%d skips in mode %v", len(to.skips), d.set.Mode)
		}
	})
}

// follower is driven with control steps of lengths of its own, one rate after the
// other, and keeps the exact time that it has simulated or skipped, in seconds.
type follower struct {
	rates []Rate // by control step; the last one goes on
	n     int64  // steps taken or skipped
	own   big.Rat
	fired []string
	skips []Skip

	t         testing.TB
	schedules map[Rate]*Schedule
}

func newFollower(t testing.TB, rates ...Rate) *follower {
	return &follower{rates: rates, t: t, schedules: map[Rate]*Schedule{}}
}

func (f *follower) rate() Rate { return f.rates[min(f.n, int64(len(f.rates)-1))] }

func (f *follower) schedule() *Schedule {
	if f.schedules[f.rate()] == nil {
		f.schedules[f.rate()] = mustCompile(f.t, []Runner{{Name: "control", Rate: f.rate()}}, nil)
	}
	return f.schedules[f.rate()]
}

func (f *follower) take(intervals int64) {
	period := big.NewRat(f.rate().den, f.rate().num)
	f.own.Add(&f.own, period.Mul(period, big.NewRat(intervals, 1)))
	f.n += intervals
}

func (f *follower) Control() ID { return 0 }

func (f *follower) Instant(c *Cursor) error {
	if c.NS() > 0 { // the step that ends here
		f.take(1)
	}
	f.fired = append(f.fired, fmt.Sprint(f.n, " at ", f.own.RatString()))
	return nil
}

func (f *follower) Skip(s Skip) error {
	f.skips = append(f.skips, s)
	f.take(s.Intervals)
	return nil
}

func (f *follower) Follow(c *Cursor) {
	if s := f.schedule(); s != c.s {
		c.Continue(s)
	}
}

// A driver that follows other clocks, changed at any step, also by a skip or between
// two frames, is never ahead of the wall clock, not by a fraction of a nanosecond, and
// Game Realtime stays within one control step of it. Its skips repeat the run.
func TestFollowersOfRandomClocksLong(t *testing.T) {
	runs := uint64(400)
	if !polytest.Slow(t) {
		runs = 100
	}
	pool := []Rate{{30, 1}, {50, 1}, {100, 1}, {200, 3}, {30000, 1001}, {7, 1}, {999, 7}}
	skips := 0
	for seed := range runs {
		rng := rand.New(rand.NewPCG(seed, 77))
		to := newFollower(t)
		for range 1 + rng.IntN(60) {
			r := pool[rng.IntN(len(pool))]
			for range 1 + rng.IntN(8) {
				to.rates = append(to.rates, r)
			}
		}
		mode := SimRealtime
		if seed%2 == 1 {
			mode = GameRealtime
		}
		clock := &handClock{now: time.Duration(rng.Int64())}
		origin := clock.now
		d := mustDriver(t, to.schedule(), to, Settings{Mode: mode, Clock: clock, MaxSteps: 1 + rng.IntN(6)})
		for range 200 {
			mustFrame(t, d)
			wall := big.NewRat(int64(clock.now-origin), nsPerSecond)
			behind := new(big.Rat).Sub(wall, &to.own)
			if behind.Sign() < 0 {
				t.Fatalf("seed %d, %v: %s s ahead of the wall clock after %d steps", seed, mode, behind.Neg(behind).RatString(),
					to.n)
			}
			// and what anchors are later
			step := new(big.Rat).Add(big.NewRat(to.rate().den, to.rate().num), big.NewRat(1, 1_000_000))
			if mode == GameRealtime && behind.Cmp(step) >= 0 {
				t.Fatalf("seed %d: %s s behind after %d steps and %+v", seed, behind.FloatString(9), to.n, d.Total())
			}
			switch {
			case seed%3 == 0:
				clock.now += d.Wait() // to the nanosecond
			case rng.IntN(12) == 0:
				clock.now += time.Duration(rng.Int64N(int64(2 * time.Second)))
			default:
				clock.now += time.Duration(rng.Int64N(int64(80 * time.Millisecond)))
			}
			if seed%4 < 2 && rng.IntN(20) == 0 { // a change comes between two frames
				r := pool[rng.IntN(len(pool))]
				to.rates = append(slices.Clone(to.rates[:min(to.n, int64(len(to.rates)))]), r)
				for int64(len(to.rates)) <= to.n {
					to.rates = append(to.rates, r)
				}
			}
		}
		skips += len(to.skips)

		if seed%4 < 2 {
			continue
		}
		again := newFollower(t, to.rates...)
		replay := mustDriver(t, again.schedule(), again, Settings{Mode: SimHighPerformance, Clock: noClock{t},
			Replay: to.skips})
		for len(again.fired) < len(to.fired) {
			mustFrame(t, replay)
		}
		if n := len(to.fired); !slices.Equal(again.fired[:n], to.fired) || len(again.skips) < len(to.skips)-1 {
			t.Fatalf("seed %d: the replay is another run", seed)
		}
	}
	if skips < int(runs)/2 {
		t.Errorf("%d skips in %d runs, want more", skips, runs)
	}
}
