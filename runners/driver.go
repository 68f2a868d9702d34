package runners

import (
	"fmt"
	"math"
	"time"
)

// WallClock shows the wall time. Only a Driver reads it, so a test controls time with one of its own.
type WallClock interface {
	// Now returns the time since some fixed origin. A step back counts as if no time had passed.
	Now() time.Duration
}

// NewSystemClock returns the machine's monotonic clock, starting at 0.
func NewSystemClock() WallClock { return systemClock{time.Now()} }

type systemClock struct{ origin time.Time }

func (c systemClock) Now() time.Duration { return time.Since(c.origin) }

// Driven is what a Driver advances: one world, or many in lockstep. All methods are called on the goroutine that
// calls the driver. Cursors and IDs are those of the schedule that the driver's cursor then follows.
type Driven interface {
	// Instant runs the callbacks of the instant at the cursor, which is valid only during the call and must not be moved.
	// An error ends the frame.
	Instant(c *Cursor) error

	// Control returns the runner whose boundaries are the decision points.
	Control() ID

	// Skip is called for each jump, before the instant at its end fires. Nothing fires in between. An error ends the
	// frame.
	Skip(s Skip) error

	// Follow may move the driver's cursor to another schedule, by Adopt or Continue, before the driver decides when the
	// next instant is due. The cursor is at the control instant that fired last or, after a skip, at the one before the
	// next to fire. Follow is called after each of these, and again when a frame begins there.
	Follow(c *Cursor)
}

// Continue moves the cursor to the start of another schedule, from the current instant, whether or not that is a
// beat, for a timeline that follows other clocks. The anchor is the current instant rounded up to a whole
// nanosecond, so the cursor is never ahead of those clocks.
func (c *Cursor) Continue(next *Schedule) {
	*c = next.origin(c.dueNS())
}

// Skip is one jump of a Driver over whole control intervals. The skips of a run in GameRealtime suffice to repeat
// it: see Settings.Replay.
type Skip struct {
	// N is the number of control instants that the driver had fired before the jump, since it was made.
	N int64 `json:"n"`
	// Intervals is the number of control intervals jumped, at least 1. No instant from FromNS up to ToNS fires, and the
	// control instant at ToNS is the next to fire, unless Follow then changes the clock.
	Intervals int64 `json:"intervals"`
	FromNS    int64 `json:"from_ns"`
	ToNS      int64 `json:"to_ns"`
}

// Settings configures a Driver. The zero value is SimRealtime on the machine's clock with the default limits. The
// yaml tags are the keys of a configuration under time.
type Settings struct {
	Mode Mode `yaml:"mode"`

	// MaxElapsed is the most wall time that one frame may simulate, 0 for DefaultMaxElapsed. The rest of a longer stall
	// is dropped, or in GameRealtime skipped.
	MaxElapsed time.Duration `yaml:"max_elapsed"`

	// MaxBacklog is the most wall time that may remain to be simulated at the end of a frame, 0 for DefaultMaxBacklog.
	// Wall time in excess of it is dropped; steps never are. The limit is at least the time until the next instant is
	// due, so that slow runners fire at all. It has no effect in GameRealtime, which skips.
	MaxBacklog time.Duration `yaml:"max_backlog"`

	// MaxSteps is the most steps of runner 0 that one frame may take, 0 for DefaultMaxSteps. A frame always fires at
	// least one instant that is due. GameRealtime checks this limit and Budget before control instants only.
	MaxSteps int `yaml:"max_steps"`

	// Budget is the wall time after which a frame starts no further instant, 0 for no limit. It is ignored in
	// SimHighPerformance, which reads no clock.
	Budget time.Duration `yaml:"budget"`

	// Clock is the wall clock; nil means NewSystemClock.
	Clock WallClock `yaml:"-"`

	// OnFreePreUpdate and OnFreePostUpdate, if not nil, are called in every frame before and after all instants,
	// outside the simulated clock, with the frame's Delta. They are for work at the refresh rate, such as drawing.
	OnFreePreUpdate, OnFreePostUpdate func(delta time.Duration) `yaml:"-"`

	// Replay makes a driver in SimHighPerformance jump where a run in GameRealtime did. It is not modified.
	Replay []Skip `yaml:"-"`
}

// The limits of a Driver where its Settings have 0.
const (
	DefaultMaxElapsed = 250 * time.Millisecond
	DefaultMaxSteps   = 5
	DefaultMaxBacklog = 250 * time.Millisecond
)

// Frame is the result of one frame of a Driver or, from Driver.Total, the sum of all.
type Frame struct {
	// Delta is the wall time since the last frame, in SimRealtime at most MaxElapsed, 0 in SimHighPerformance.
	Delta time.Duration
	// Dropped is the wall time that will not be simulated: the rest of a stall, and backlog beyond its limit. No step
	// is lost. It is 0 in GameRealtime.
	Dropped time.Duration
	// Instants is the number of instants that fired, Steps the number of steps of runner 0.
	Instants, Steps int64
	// Skips is the number of jumps, Skipped that of the control intervals that they jumped over.
	Skips, Skipped int64
}

// Driver advances one timeline frame by frame: it fires the instants in order, each as soon as the wall clock has
// reached it; docs/explanation/time.md has the loop of a frame. Which instants fire depends on the schedule and, in
// GameRealtime only, on the skips. The instant at time 0 fires in the first frame, which also sets the origin of wall
// time. Equal readings of the clock give equal frames.
//
// One goroutine at a time may use a driver. After an error it must not be used again.
type Driver struct {
	set    Settings
	target Driven

	current Cursor // last instant that fired or, after a jump, the control instant before next; invalid until started
	next    Cursor // the instant to fire next
	started bool   // at least one instant fired
	jumped  bool   // current did not fire, and nothing fires between it and the next control instant
	ended   bool   // the clock ends before another instant

	last    time.Duration // last reading of the clock
	wall    int64         // ns up to which the timeline may advance
	k0      int64         // latest boundary of runner 0 that fired or was jumped over
	control int64         // number of control instants that fired
	skipped int           // number of skips of Replay that were made
	total   Frame
}

// NewDriver returns a driver at time 0 of a schedule. It returns an error when the mode is unknown, a limit is
// negative or Replay is given in another mode than SimHighPerformance.
func NewDriver(s *Schedule, target Driven, set Settings) (*Driver, error) {
	if set.Mode >= numModes {
		_, err := set.Mode.MarshalText()
		return nil, err
	}
	if set.MaxElapsed < 0 || set.MaxBacklog < 0 || set.Budget < 0 || set.MaxSteps < 0 {
		return nil, fmt.Errorf("driver: max_elapsed is %v, max_backlog %v, max_steps %d and "+
			"budget %v, want none of them negative",
			set.MaxElapsed, set.MaxBacklog, set.MaxSteps, set.Budget)
	}
	if len(set.Replay) > 0 && set.Mode != SimHighPerformance {
		return nil, fmt.Errorf("driver: %d skips to replay in mode %v, want mode %v", len(set.Replay), set.Mode,
			SimHighPerformance)
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
	return &Driver{set: set, target: target, next: s.Start(), k0: -1}, nil
}

// Frame runs one frame and returns what it did. In SimHighPerformance it takes MaxSteps steps of runner 0, or fewer
// when the clock ends first. The error is that of the Driven, or of a skip of Replay that does not match the run.
func (d *Driver) Frame() (Frame, error) {
	var f Frame
	limits := limits{wall: math.MaxInt64, simulated: math.MaxInt64, steps: int64(d.set.MaxSteps)}
	if d.set.Mode != SimHighPerformance {
		limits.start = d.set.Clock.Now()
		f.Delta, f.Dropped = d.elapsed(limits.start)
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

// elapsed returns the wall time since the last reading of the clock, up to its limit, and the rest.
func (d *Driver) elapsed(now time.Duration) (delta, dropped time.Duration) {
	last := d.last
	d.last = now
	if !d.started || now <= last { // the origin, or the clock stood still or stepped back
		return 0, 0
	}
	passed := uint64(now) - uint64(last) // the difference may overflow an int64
	most := uint64(d.set.MaxElapsed)
	if d.set.Mode == GameRealtime {
		most = uint64(math.MaxInt64 - d.wall) // where the clock ends
	}
	delta = time.Duration(min(passed, most))
	return delta, time.Duration(min(passed-uint64(delta), math.MaxInt64))
}

// limits bound a frame.
type limits struct {
	wall      int64         // ns up to which the timeline may advance
	simulated int64         // ns beyond which GameRealtime skips
	steps     int64         // steps of runner 0
	start     time.Duration // reading of the clock when the frame began
}

// run fires the instants that are due, within the limits. stopped says that it reached a limit while an instant was
// due.
func (d *Driver) run(f *Frame, l limits) (stopped bool, err error) {
	if d.started && d.current.Fired().Has(d.target.Control()) {
		d.follow()
	}
	for !d.ended && d.next.reachedBy(l.wall) {
		decision := d.next.Fired().Has(d.target.Control())
		if decision && d.replaying() {
			if err := d.replay(f); err != nil {
				return false, err
			}
			continue
		}
		steps := d.boundaryOf0(&d.next) - d.k0
		if decision || d.set.Mode != GameRealtime { // GameRealtime stops at decision points only
			late := d.set.Mode == GameRealtime && d.next.ns > l.simulated
			if f.Instants > 0 && (f.Steps+steps > l.steps || late || d.overBudget(l.start)) {
				return true, nil
			}
		}
		f.Steps += steps
		f.Instants++
		if decision {
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
	d.current, d.started, d.jumped = d.next, true, false
	if err := d.target.Instant(&d.current); err != nil {
		return err
	}
	d.k0 = d.boundaryOf0(&d.current)
	d.findNext()
	if d.current.Fired().Has(d.target.Control()) {
		d.follow()
	}
	if d.set.Mode == SimHighPerformance {
		d.wall = max(d.wall, d.current.dueNS())
	}
	return nil
}

// follow lets the cursor be moved, and finds the next instant again when it was.
func (d *Driver) follow() {
	previous := d.current
	if d.target.Follow(&d.current); d.current != previous {
		d.k0 = d.boundaryOf0(&d.current)
		d.findNext()
	}
}

// findNext sets next to the instant that fires after current.
func (d *Driver) findNext() {
	d.next = d.current
	if d.jumped {
		d.ended = d.next.Jump(d.target.Control(), 1) != nil
		d.k0 = d.next.boundaryOf(0)
		if d.next.Fired().Has(0) {
			d.k0--
		}
		return
	}
	d.ended = !d.next.advance()
}

// boundaryOf0 returns the index of runner 0's latest boundary at the instant of a cursor, given that k0 is that of
// the instant before. While runner 0 is enabled, the index changes only where it fires.
func (d *Driver) boundaryOf0(c *Cursor) int64 {
	if c.s.enabled.Has(0) && !c.fired.Has(0) {
		return d.k0
	}
	return c.boundaryOf(0)
}

// overBudget reports whether the frame that began at that time has used up its budget.
func (d *Driver) overBudget(start time.Duration) bool {
	return d.set.Budget > 0 && d.set.Mode != SimHighPerformance && d.set.Clock.Now()-start >= d.set.Budget
}

// catchUp skips to the last control instant that the wall clock has reached, so that nothing before it is due. It
// repeats this where Follow then changes to a faster control rate.
func (d *Driver) catchUp(f *Frame) error {
	for !d.ended && d.next.reachedBy(d.wall) {
		id := d.target.Control()
		reached := d.next.s.rates[id].reachedBy(d.wall - d.next.anchor)
		lag := reached - d.next.boundaryOf(id)
		if d.next.onClock(id, reached+1) {
			lag++
		}
		if lag == 0 { // the clock ends here
			return nil
		}
		if err := d.jump(f, id, lag); err != nil {
			return err
		}
	}
	return nil
}

// replaying reports whether the run being repeated jumped from the next instant.
func (d *Driver) replaying() bool {
	return d.skipped < len(d.set.Replay) && d.set.Replay[d.skipped].N == d.control
}

// replay makes the next jump of the run being repeated.
func (d *Driver) replay(f *Frame) error {
	logged := d.set.Replay[d.skipped]
	if !d.started || logged.FromNS != d.next.ns || logged.Intervals < 1 {
		return fmt.Errorf("replay: skip %d covers %d intervals from %d ns after %d control instants, where this run "+
			"is at %d ns, want the log of this run",
			d.skipped, logged.Intervals, logged.FromNS, logged.N, d.next.ns)
	}
	d.skipped++
	return d.jump(f, d.target.Control(), logged.Intervals)
}

// jump skips control intervals, starting at the control instant that is next.
func (d *Driver) jump(f *Frame, id ID, intervals int64) error {
	start := d.next
	k := start.boundaryOf(id) + intervals
	end, err := start.s.Resume(start.anchor, id, k)
	if err != nil {
		return err
	}
	if d.current, err = start.s.Resume(start.anchor, id, k-1); err != nil {
		return err
	}
	d.jumped = true
	d.findNext()
	if d.set.Mode == SimHighPerformance {
		d.wall = max(d.wall, d.current.dueNS())
	}
	f.Skips++
	f.Skipped += intervals
	if err := d.target.Skip(Skip{N: d.control, Intervals: intervals, FromNS: start.ns, ToNS: end.ns}); err != nil {
		return err
	}
	d.follow()
	return nil
}

// backlogLimit returns the larger of MaxBacklog and the time from runner 0's latest boundary until the next instant
// is due.
func (d *Driver) backlogLimit() time.Duration {
	if !d.started || d.ended {
		return d.set.MaxBacklog
	}
	untilNext := d.next.dueNS() - d.current.Step(0).NS
	return max(d.set.MaxBacklog, time.Duration(untilNext))
}

// count adds a frame to the total.
func (d *Driver) count(f Frame) {
	d.total.Delta += f.Delta
	d.total.Dropped += f.Dropped
	d.total.Instants += f.Instants
	d.total.Steps += f.Steps
	d.total.Skips += f.Skips
	d.total.Skipped += f.Skipped
}

// Total returns the sum of all frames.
func (d *Driver) Total() Frame { return d.total }

// NS returns the position of the timeline in ns: the timestamp of the last instant that fired or, after a skip, of
// the control instant before the next. It is 0 before the first.
func (d *Driver) NS() int64 {
	if !d.started {
		return 0
	}
	return d.current.ns
}

// Backlog returns the wall time that remains to be simulated, counted from the latest boundary of runner 0. In
// SimRealtime, between frames, it is at most the larger of MaxBacklog and the time until the next instant is due.
func (d *Driver) Backlog() time.Duration {
	if !d.started {
		return 0
	}
	return time.Duration(d.wall - d.current.Step(0).NS)
}

// Alpha returns the position of the wall clock between a runner's latest boundary and its next, for interpolation:
// min(backlog/dt, 1 − 2⁻⁵³), in [0, 1) however late the simulation is.
func (d *Driver) Alpha(id ID) float64 {
	if !d.started {
		return 0
	}
	step := d.current.Step(id)
	rate := d.current.s.rates[id]
	backlog := d.wall - step.NS
	if backlog > step.DT {
		return math.Nextafter(1, 0)
	}
	// Measure from the exact boundary, rem/Num ns after its timestamp. The
	// difference is not negative: wall is a whole ns that is not before the boundary.
	_, rem := rate.timestamp(step.K)
	num := uint64(backlog)*uint64(rate.num) - rem
	den := uint64(rate.den) * nsPerSecond
	if num >= den {
		return math.Nextafter(1, 0)
	}
	return fraction(num, den)
}

// Wait returns the wall time from the last reading of the clock until an instant is due: a loop without a display
// may sleep that long between frames. It is 0 in SimHighPerformance and at the end of the clock.
func (d *Driver) Wait() time.Duration {
	if d.set.Mode == SimHighPerformance || d.ended {
		return 0
	}
	return time.Duration(max(0, d.next.dueNS()-d.wall))
}
