package runners

import (
	"fmt"
	"math"
	"time"
)

// Clock is a wall clock. A Driver reads it and nothing else does, so tests own
// time by bringing their own.
type Clock interface {
	// Now returns the time since some fixed origin. It should not step back;
	// a Driver copes when it does.
	Now() time.Duration
}

// NewSystemClock returns the machine's monotonic clock, starting at 0.
func NewSystemClock() Clock { return systemClock{time.Now()} }

type systemClock struct{ origin time.Time }

func (c systemClock) Now() time.Duration { return time.Since(c.origin) }

// Driven is what a Driver advances: a world, or many that keep step. All calls
// come from the goroutine that calls the driver. The cursors and IDs that it
// sees are those of the schedule that the driver then holds.
type Driven interface {
	// Instant runs what fires at the instant that the cursor stands on. The
	// cursor is the driver's: valid during the call, not to be moved, but at
	// the decision point of the instant Instant may have it Adopt another
	// schedule, which the driver then follows.
	Instant(c *Cursor) error

	// Control returns the runner whose boundaries are the decision points.
	Control() ID

	// Skip is called for a jump, before the instant it leads to fires. Nothing
	// fires in between. An error ends the frame.
	Skip(s Skip) error
}

// Follower is a Driven that does not follow the driver's schedule by itself.
type Follower interface {
	Driven
	// Follow may move the driver's cursor to another schedule, by Adopt or
	// Continue, before the driver decides when the next instant is due. The
	// cursor stands where what is driven stands: on the control instant that
	// fired last or, after a skip, on the one before the next to fire. Follow is
	// called after each of them, and again when a frame begins there.
	Follow(c *Cursor)
}

// Continue moves the cursor to the beginning of another schedule, from the instant
// it stands on, be it a beat or not: for a timeline that follows what keeps clocks of
// its own. The anchor is the first whole nanosecond that is not before the instant,
// so the cursor is never ahead of them.
func (c *Cursor) Continue(next *Schedule) {
	anchor := c.dueNS()
	*c = Cursor{s: next, at: next.start(), anchor: anchor, ns: anchor}
}

// Skip is one jump of a Driver over whole control intervals. The skips of a run
// in GameRealtime are all that is needed to repeat it: see Settings.Replay.
type Skip struct {
	// N is how many control instants had fired before the jump, over the life
	// of the driver.
	N int64 `json:"n"`
	// Intervals is how many control intervals were jumped, at least 1: the
	// control instant at FromNS and those that follow it do not fire, the one
	// at ToNS is the next to fire, unless a Follower then changes the clock.
	// Both are timestamps.
	Intervals int64 `json:"intervals"`
	FromNS    int64 `json:"from_ns"`
	ToNS      int64 `json:"to_ns"`
}

// Settings says how a Driver drives. The zero value is SimRealtime on the
// machine's clock with the usual limits. The yaml tags are the keys under time of a
// configuration.
type Settings struct {
	Mode Mode `yaml:"mode"`

	// MaxElapsed is how much wall time one frame may simulate, 0 for
	// DefaultMaxElapsed. What a stall lasted beyond it is dropped, in GameRealtime
	// skipped.
	MaxElapsed time.Duration `yaml:"max_elapsed"`

	// MaxBacklog is how much wall time may wait to be simulated when a frame
	// ends, 0 for DefaultMaxBacklog. What exceeds it is dropped; steps never are.
	// The time until the next instant is due may always wait, or slow runners
	// never would be. GameRealtime skips before so much waits.
	MaxBacklog time.Duration `yaml:"max_backlog"`

	// MaxSteps is how many steps of runner 0 one frame may take, 0 for
	// DefaultMaxSteps. A frame fires at least one instant that is due.
	// GameRealtime looks at it, and at Budget, before control instants only.
	MaxSteps int `yaml:"max_steps"`

	// Budget is how much wall time a frame may spend before it starts no
	// further instant, 0 for no limit. Ignored in SimHighPerformance, which
	// reads no clock.
	Budget time.Duration `yaml:"budget"`

	// Clock is the wall clock; nil means NewSystemClock. It is never read in
	// SimHighPerformance.
	Clock Clock `yaml:"-"`

	// OnFreePreUpdate and OnFreePostUpdate, if not nil, are called in every
	// frame before and after all instants, outside the simulated clock, with
	// the frame's Delta. They are for what belongs on the refresh rate, such as
	// drawing.
	OnFreePreUpdate, OnFreePostUpdate func(delta time.Duration) `yaml:"-"`

	// Replay makes a driver in SimHighPerformance jump where a run in
	// GameRealtime did. The driver does not change it.
	Replay []Skip `yaml:"-"`
}

// The limits of a Driver whose settings give none.
const (
	DefaultMaxElapsed = 250 * time.Millisecond
	DefaultMaxSteps   = 5
	DefaultMaxBacklog = 250 * time.Millisecond
)

// Frame is what one frame of a Driver did, or, from Driver.Total, what all of
// them did.
type Frame struct {
	// Delta is the wall time that the frame added: what passed since the last
	// one, in SimRealtime at most MaxElapsed. 0 in SimHighPerformance.
	Delta time.Duration
	// Dropped is the wall time that was taken away: the rest of a stall, and
	// backlog beyond its limit. The simulation runs that much later than the
	// wall clock from then on; no step is lost by it. 0 in GameRealtime.
	Dropped time.Duration
	// Instants that fired, and Steps of runner 0 among them.
	Instants, Steps int64
	// Skips is the number of jumps, Skipped of control intervals jumped. Both
	// are 0 but in GameRealtime and its replay.
	Skips, Skipped int64
}

// Driver advances one timeline frame by frame. It fires the instants in order,
// each when the wall clock has reached it; which instants fire depends on the
// schedule and, in GameRealtime only, on the skips.
//
//	Frame():
//	    elapsed := max(clock − last, 0)
//	    SimRealtime: elapsed = min(elapsed, MaxElapsed)   the rest is dropped
//	    OnFreePreUpdate(elapsed)
//	    wall += elapsed
//	    while the next instant ≤ wall:
//	        if this frame has taken MaxSteps steps of runner 0, or spent its Budget,
//	        or, in GameRealtime, simulated MaxElapsed:
//	            SimRealtime:  stop
//	            GameRealtime: before a control instant, skip to the last one ≤ wall; stop
//	        fire the instant
//	    backlog := wall − newest boundary of runner 0     SimRealtime: beyond MaxBacklog dropped
//	    OnFreePostUpdate(elapsed)
//
// The instant at time 0 fires in the first frame, which also sets the origin of
// wall time. A step of a runner is taken when the wall clock has reached its
// end, where the next begins: that is the accumulator loop of a fixed time step,
// with Alpha what is left over.
//
// Given the same readings of the clock a driver does the same. One goroutine at
// a time may use it. After an error it must not be used further.
type Driver struct {
	set      Settings
	to       Driven
	follower Follower // to, if it is one

	at      Cursor // newest instant that fired or, after a jump, the control instant before next; not one before the first
	next    Cursor // the instant to fire next
	started bool
	jumped  bool // at did not fire: nothing does from there to the next control instant
	ended   bool // the clock ends before another instant

	last    time.Duration // newest reading of the clock
	wall    int64         // ns that the timeline may have reached
	k0      int64         // newest boundary of runner 0 that fired or was jumped
	control int64         // control instants that fired
	skipped int           // skips of Replay that are behind
	total   Frame
}

// NewDriver returns a driver at time 0 of a schedule. It is an error when a
// limit is negative or Replay does not fit the mode.
func NewDriver(s *Schedule, to Driven, set Settings) (*Driver, error) {
	if set.Mode >= numModes {
		_, err := set.Mode.MarshalText()
		return nil, err
	}
	if set.MaxElapsed < 0 || set.MaxBacklog < 0 || set.Budget < 0 || set.MaxSteps < 0 {
		return nil, fmt.Errorf("driver: at most %v elapsed, %v backlog and %d steps a frame in a budget of %v: want none of them negative",
			set.MaxElapsed, set.MaxBacklog, set.MaxSteps, set.Budget)
	}
	if len(set.Replay) > 0 && set.Mode != SimHighPerformance {
		return nil, fmt.Errorf("driver: %d skips to replay in mode %v: want mode %v", len(set.Replay), set.Mode, SimHighPerformance)
	}
	if set.MaxElapsed == 0 {
		set.MaxElapsed = DefaultMaxElapsed
	}
	if set.MaxSteps == 0 {
		set.MaxSteps = DefaultMaxSteps
	}
	if set.MaxBacklog == 0 {
		set.MaxBacklog = DefaultMaxBacklog
	}
	if set.Clock == nil {
		set.Clock = NewSystemClock()
	}
	d := &Driver{set: set, to: to, next: s.Start(), k0: -1}
	d.follower, _ = to.(Follower)
	return d, nil
}

// Frame runs one frame and returns what it did. In SimHighPerformance it takes
// MaxSteps steps of runner 0, or fewer instants when the clock ends.
func (d *Driver) Frame() (Frame, error) {
	var f Frame
	// SimHighPerformance waits for nothing.
	limits := limits{wall: math.MaxInt64, simulated: math.MaxInt64, steps: int64(d.set.MaxSteps)}
	if d.set.Mode != SimHighPerformance {
		limits.began = d.set.Clock.Now()
		f.Delta, f.Dropped = d.elapsed(limits.began)
		if most := int64(d.set.MaxElapsed); d.wall < math.MaxInt64-most {
			limits.simulated = d.wall + most
		}
		d.wall += int64(f.Delta)
		limits.wall = d.wall
	}

	if d.set.OnFreePreUpdate != nil {
		d.set.OnFreePreUpdate(f.Delta)
	}
	stopped, err := d.run(&f, limits)
	if err != nil {
		return f, err
	}
	if stopped && d.set.Mode == GameRealtime {
		if err := d.catchUp(&f); err != nil {
			return f, err
		}
	}
	if d.set.Mode == SimRealtime {
		if excess := d.Backlog() - d.backlogLimit(); excess > 0 {
			d.wall -= int64(excess)
			f.Dropped += excess
		}
	}
	if d.set.OnFreePostUpdate != nil {
		d.set.OnFreePostUpdate(f.Delta)
	}
	d.count(f)
	return f, nil
}

// Advance fires all instants of the next ns of simulated time, whatever the
// limits of a frame; however a length of time is split into advances, the same
// instants fire. The first one also fires the instant at time 0. It is an error
// unless the mode is SimHighPerformance.
func (d *Driver) Advance(ns int64) (Frame, error) {
	if d.set.Mode != SimHighPerformance || ns < 0 {
		return Frame{}, fmt.Errorf("advance by %d ns in mode %v: want at least 0 ns in mode %v", ns, d.set.Mode, SimHighPerformance)
	}
	var f Frame
	d.wall += ns
	_, err := d.run(&f, limits{wall: d.wall, simulated: math.MaxInt64, steps: math.MaxInt64})
	d.count(f)
	return f, err
}

// elapsed returns the wall time since the last reading, clamped, and the rest.
func (d *Driver) elapsed(now time.Duration) (delta, dropped time.Duration) {
	last := d.last
	d.last = now
	if !d.started || now <= last { // the origin, or the clock stood still or stepped back
		return 0, 0
	}
	passed := uint64(now) - uint64(last) // the difference of two int64 may not be one
	most := uint64(d.set.MaxElapsed)
	if d.set.Mode == GameRealtime {
		most = uint64(math.MaxInt64 - d.wall) // where the clock ends
	}
	delta = time.Duration(min(passed, most))
	return delta, time.Duration(min(passed-uint64(delta), math.MaxInt64))
}

// limits are how far a frame or an advance goes.
type limits struct {
	wall      int64 // ns that the timeline may reach
	simulated int64 // ns beyond which GameRealtime skips
	steps     int64 // of runner 0
	began     time.Duration
}

// run fires the instants that are due, within the limits. It returns whether it
// stopped at a limit with an instant due.
func (d *Driver) run(f *Frame, l limits) (stopped bool, err error) {
	if d.started && d.at.Fired().Has(d.to.Control()) {
		d.follow()
	}
	for !d.ended && d.next.reachedBy(l.wall) {
		agent := d.next.Fired().Has(d.to.Control())
		if agent && d.replaying() {
			if err := d.replay(f); err != nil {
				return false, err
			}
			continue
		}
		steps := d.newestOf0(&d.next) - d.k0
		if agent || d.set.Mode != GameRealtime { // which decides at decision points only
			late := d.set.Mode == GameRealtime && d.next.ns > l.simulated
			if f.Instants > 0 && (f.Steps+steps > l.steps || late || d.spent(l.began)) {
				return true, nil
			}
		}
		f.Steps += steps
		f.Instants++
		if agent {
			d.control++
		}
		if err := d.fire(); err != nil {
			return false, err
		}
	}
	return false, nil
}

// fire runs the next instant and finds the one after it.
func (d *Driver) fire() error {
	d.at, d.started, d.jumped = d.next, true, false
	if err := d.to.Instant(&d.at); err != nil {
		return err
	}
	// by what at is now: it may have adopted another schedule
	d.k0 = d.newestOf0(&d.at)
	d.goOn()
	if d.at.Fired().Has(d.to.Control()) {
		d.follow()
	}
	if d.set.Mode == SimHighPerformance {
		d.wall = max(d.wall, d.at.dueNS())
	}
	return nil
}

// follow moves the driver to the schedule that what is driven goes on with, from
// the control instant it stands on.
func (d *Driver) follow() {
	if d.follower == nil {
		return
	}
	before := d.at
	if d.follower.Follow(&d.at); d.at != before {
		d.k0 = d.newestOf0(&d.at)
		d.goOn()
	}
}

// goOn finds the instant that fires after at.
func (d *Driver) goOn() {
	d.next = d.at
	if d.jumped {
		d.ended = d.next.Jump(d.to.Control(), 1) != nil
		d.k0 = d.next.boundaryOf(0)
		if d.next.Fired().Has(0) {
			d.k0--
		}
		return
	}
	d.ended = !d.next.advance()
}

// newestOf0 returns the index of runner 0's newest boundary at the instant of a
// cursor, given that k0 is that of the instant before. While it is enabled, it
// has none but where it fires.
func (d *Driver) newestOf0(c *Cursor) int64 {
	if c.s.enabled.Has(0) && !c.at.fired.Has(0) {
		return d.k0
	}
	return c.boundaryOf(0)
}

// spent reports whether the frame that began then has used up its budget.
func (d *Driver) spent(began time.Duration) bool {
	return d.set.Budget > 0 && d.set.Mode != SimHighPerformance && d.set.Clock.Now()-began >= d.set.Budget
}

// catchUp passes over the control intervals up to the last control instant that the
// wall clock has reached, so that none is due; once more where a Follower has shorter
// ones from there on.
func (d *Driver) catchUp(f *Frame) error {
	for !d.ended && d.next.reachedBy(d.wall) {
		id := d.to.Control()
		reached := d.next.s.rates[id].reachedBy(d.wall - d.next.anchor)
		behind := reached - d.next.boundaryOf(id)
		if d.next.onClock(id, reached+1) {
			behind++
		}
		if behind == 0 { // the clock ends here
			return nil
		}
		if err := d.jump(f, id, behind); err != nil {
			return err
		}
	}
	return nil
}

// replaying reports whether the run being repeated jumped from here.
func (d *Driver) replaying() bool {
	return d.skipped < len(d.set.Replay) && d.set.Replay[d.skipped].N == d.control
}

// replay makes the next jump of the run being repeated.
func (d *Driver) replay(f *Frame) error {
	logged := d.set.Replay[d.skipped]
	if !d.started || logged.FromNS != d.next.ns || logged.Intervals < 1 {
		return fmt.Errorf("replay: skip %d is over %d intervals from %d ns after %d control instants; this run is then at %d ns: not the log of this run",
			d.skipped, logged.Intervals, logged.FromNS, logged.N, d.next.ns)
	}
	d.skipped++
	return d.jump(f, d.to.Control(), logged.Intervals)
}

// jump passes over control intervals, from the control instant that is next.
func (d *Driver) jump(f *Frame, id ID, intervals int64) error {
	from := d.next
	k := from.boundaryOf(id) + intervals
	to, err := from.s.Resume(from.anchor, id, k)
	if err != nil {
		return err
	}
	if d.at, err = from.s.Resume(from.anchor, id, k-1); err != nil {
		return err
	}
	d.jumped = true
	d.goOn()
	if d.set.Mode == SimHighPerformance {
		d.wall = max(d.wall, d.at.dueNS())
	}
	f.Skips++
	f.Skipped += intervals
	if err := d.to.Skip(Skip{N: d.control, Intervals: intervals, FromNS: from.ns, ToNS: to.ns}); err != nil {
		return err
	}
	d.follow()
	return nil
}

// backlogLimit is how long wall time may wait: MaxBacklog, or until the next
// instant is due where that is longer.
func (d *Driver) backlogLimit() time.Duration {
	if !d.started || d.ended {
		return d.set.MaxBacklog
	}
	untilNext := d.next.dueNS() - d.at.Step(0).NS
	return max(d.set.MaxBacklog, time.Duration(untilNext))
}

func (d *Driver) count(f Frame) {
	d.total.Delta += f.Delta
	d.total.Dropped += f.Dropped
	d.total.Instants += f.Instants
	d.total.Steps += f.Steps
	d.total.Skips += f.Skips
	d.total.Skipped += f.Skipped
}

// Total returns what all frames and advances did together.
func (d *Driver) Total() Frame { return d.total }

// NS returns how far the timeline is, in ns: the timestamp of the newest instant that
// fired or was passed over by a skip, 0 before the first.
func (d *Driver) NS() int64 {
	if !d.started {
		return 0
	}
	return d.at.ns
}

// Backlog returns the wall time that has been admitted and not been simulated:
// since the newest boundary of runner 0. Between frames it is at most
// MaxBacklog, or until the next instant is due where that is longer.
func (d *Driver) Backlog() time.Duration {
	if !d.started {
		return 0
	}
	return time.Duration(d.wall - d.at.Step(0).NS)
}

// Alpha returns how far the wall clock is from a runner's newest boundary towards
// its next, for interpolation between them: min(backlog/dt, 1 − 2⁻⁵³), and so in
// [0, 1) however late the simulation is.
func (d *Driver) Alpha(id ID) float64 {
	if !d.started {
		return 0
	}
	step := d.at.Step(id)
	rate := d.at.s.rates[id]
	backlog := d.wall - step.NS
	if backlog > step.DT {
		return math.Nextafter(1, 0)
	}
	// From the exact boundary, whose timestamp left out rem/Num ns. That is 0 only
	// between the timestamp and the boundary, where wall cannot stand.
	_, rem := rate.timestamp(step.K)
	num := uint64(backlog)*uint64(rate.num) - rem
	den := uint64(rate.den) * nsPerSecond
	if num >= den {
		return math.Nextafter(1, 0)
	}
	return fraction(num, den)
}

// Wait returns how much wall time must pass, since the clock was last read, until
// an instant is due: how long a loop without a display may sleep between frames.
// 0 in SimHighPerformance.
func (d *Driver) Wait() time.Duration {
	if d.set.Mode == SimHighPerformance || d.ended {
		return 0
	}
	return time.Duration(max(0, d.next.dueNS()-d.wall))
}
