package sim_test

import (
	"hash/fnv"
	"math"
	"math/big"
	"slices"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/internal/random"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/pointmass"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sensors"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// An oracle says what the worlds of a scenario go through: every call, every latched
// beat, every episode. It knows rational numbers and what the documentation promises,
// takes no shortcut, and shares no code with the clock or the worlds.

// oracleClock is one version of the clock.
type oracleClock struct {
	n        int64           // from which step on
	runners  map[string]rate // by name
	ids      runners.ID      // that have been given out
	bindings []runners.Binding
	beat     *big.Rat // hertz
}

type rate struct {
	id       runners.ID
	hz       *big.Rat
	disabled bool
}

func hzOf(r runners.Rate) *big.Rat { return big.NewRat(r.Num(), r.Den()) }

// with is the clock after a change that is known to be possible.
func (c *oracleClock) with(change runners.Change) *oracleClock {
	next := &oracleClock{n: change.N, runners: map[string]rate{}, ids: c.ids, bindings: slices.Clone(c.bindings)}
	for name, r := range c.runners {
		next.runners[name] = r
	}
	binding := func(name string) *runners.Binding {
		return &next.bindings[slices.IndexFunc(next.bindings, func(b runners.Binding) bool { return b.Name == name })]
	}
	for _, edit := range change.Edits {
		switch e := edit.(type) {
		case runners.AddRunner:
			next.runners[e.Name] = rate{next.ids, hzOf(e.Rate), e.Disabled}
			next.ids++
		case runners.RemoveRunner:
			delete(next.runners, e.Name)
		case runners.SetRate:
			next.runners[e.Name] = rate{next.runners[e.Name].id, hzOf(e.Rate), next.runners[e.Name].disabled}
		case runners.ToggleRunner:
			next.runners[e.Name] = rate{next.runners[e.Name].id, next.runners[e.Name].hz, !e.Enabled}
		case runners.RenameRunner:
			renamed := next.runners[e.Name]
			delete(next.runners, e.Name)
			next.runners[e.To] = renamed
			for i := range next.bindings {
				if next.bindings[i].Runner == e.Name {
					next.bindings[i].Runner = e.To
				}
			}
		case runners.RemoveBinding:
			next.bindings = slices.DeleteFunc(next.bindings, func(b runners.Binding) bool { return b.Name == e.Name })
		case runners.AddBinding:
			next.bindings = append(next.bindings, e.Binding)
		case runners.Rebind:
			binding(e.Name).Runner = e.Runner
		case runners.SetPhase:
			binding(e.Name).Phase = e.Phase
		case runners.SetPriority:
			binding(e.Name).Priority = e.Priority
		case runners.ToggleBinding:
			binding(e.Name).Disabled = !e.Enabled
		}
	}
	next.measure()
	return next
}

// measure finds the beat: the greatest common divisor of the rates.
func (c *oracleClock) measure() {
	c.beat = new(big.Rat)
	for _, r := range c.runners {
		a, b := c.beat, new(big.Rat).Set(r.hz)
		for b.Sign() != 0 {
			a, b = b, new(big.Rat).Sub(a, new(big.Rat).Mul(b, whole(floor(new(big.Rat).Quo(a, b)))))
		}
		c.beat = a
	}
}

func whole(k int64) *big.Rat { return new(big.Rat).SetInt64(k) }

func floor(x *big.Rat) int64 { return new(big.Int).Quo(x.Num(), x.Denom()).Int64() }

func ceil(x *big.Rat) int64 {
	k := floor(x)
	if !x.IsInt() {
		k++
	}
	return k
}

func nanoseconds(t *big.Rat) int64 { return floor(new(big.Rat).Mul(t, whole(1e9))) }

// has reports whether boundaries at a rate have one at t.
func has(hz, t *big.Rat) bool { return new(big.Rat).Mul(hz, t).IsInt() }

// next is the first boundary at a rate strictly after t.
func next(hz, t *big.Rat) *big.Rat {
	return new(big.Rat).Quo(whole(floor(new(big.Rat).Mul(hz, t))+1), hz)
}

// fires reports whether a binding fires at t.
func (c *oracleClock) fires(b *runners.Binding, t *big.Rat) bool {
	r := c.runners[b.Runner]
	switch {
	case b.Disabled:
		return false
	case b.Beat:
		return has(c.beat, t)
	}
	return !r.disabled && has(r.hz, t)
}

// calls lists what fires at t, and physics in any case, in order.
func (c *oracleClock) calls(t *big.Rat) []runners.Binding {
	var calls []runners.Binding
	for _, b := range c.bindings {
		if b.Name == "physics" || c.fires(&b, t) {
			calls = append(calls, b)
		}
	}
	slices.SortStableFunc(calls, func(a, b runners.Binding) int {
		switch {
		case a.Phase != b.Phase:
			return int(a.Phase) - int(b.Phase)
		case a.Beat && !b.Beat:
			return 1
		case b.Beat && !a.Beat:
			return -1
		}
		return a.Priority - b.Priority
	})
	return calls
}

// nextOf is the first instant after t at which one of the bindings asked for, or with nil any enabled runner, fires.
func (c *oracleClock) nextOf(t *big.Rat, asked func(b *runners.Binding) bool) *big.Rat {
	var first *big.Rat
	earlier := func(at *big.Rat) {
		if first == nil || at.Cmp(first) < 0 {
			first = at
		}
	}
	if asked == nil {
		for _, r := range c.runners {
			if !r.disabled {
				earlier(next(r.hz, t))
			}
		}
		return first
	}
	for i := range c.bindings {
		b := &c.bindings[i]
		r := c.runners[b.Runner]
		switch {
		case b.Disabled || !asked(b):
		case b.Beat:
			earlier(next(c.beat, t))
		case !r.disabled:
			earlier(next(r.hz, t))
		}
	}
	return first
}

// sample is one measurement of a channel.
type sample struct {
	ns, boundary, arrival int64
	lost                  bool // the sensor never worked it out
}

// oracleWorld is one world as it should be.
type oracleWorld struct {
	o     *oracle
	index int64

	state          string // "running", "resting", "ended"
	episode, steps int64
	ret            float64
	terminated     bool // by the last step
	root           random.Root
	seeded         bool

	version  int
	anchorNS int64
	anchored int64           // substep boundary at the anchor
	t        *big.Rat        // since the anchor
	fired    map[string]bool // at this instant

	fault    physics.Fault
	x        [6]float64 // position, velocity, control at substep boundary
	boundary int64
	history  map[int64][6]float64 // by boundary; the control is that of the substep which begins there
	mass     float64
	initial  [6]float64
	samples  [][]sample // by channel
	forgot   []int      // how many of them nobody can read any more

	acted    int64 // ns, −1 before the first action
	sequence int64
	beat     sim.Latched // the newest since somebody watches
	lines    []line
}

type oracle struct {
	sc      *scenario
	roles   []*oracleClock
	worlds  []*oracleWorld
	n       int64
	watched bool
	keep    int64 // substeps for which a sample can be read at least
	stream  random.Stream
}

func newOracle(sc *scenario, keep int64) *oracle {
	first := &oracleClock{runners: map[string]rate{}, ids: runners.ID(len(sc.runners)), bindings: sc.plainBindings()}
	for i, r := range sc.runners {
		first.runners[r.Name] = rate{runners.ID(i), hzOf(r.Rate), r.Disabled}
	}
	first.measure()
	o := &oracle{sc: sc, roles: []*oracleClock{first}, keep: keep}
	for i := range sc.worlds {
		w := &oracleWorld{o: o, index: int64(i), state: "resting", episode: int64(i - sc.worlds)}
		o.worlds = append(o.worlds, w)
		w.begin()
	}
	o.watched = true
	return o
}

func (o *oracle) change(c runners.Change) {
	o.roles = append(o.roles, o.roles[len(o.roles)-1].with(c))
}

func (o *oracle) step() {
	for _, w := range o.worlds {
		w.step()
	}
	o.n++
	for _, w := range o.worlds {
		if w.state == "restarting" {
			w.begin()
		}
	}
}

func (w *oracleWorld) roles() *oracleClock { return w.o.roles[w.version] }
func (w *oracleWorld) ns() int64           { return w.anchorNS + nanoseconds(w.t) }

// substeps are those between the anchor and the instant, not rounded.
func (w *oracleWorld) substeps() *big.Rat { return new(big.Rat).Mul(w.o.sc.substepHz(), w.t) }
func (w *oracleWorld) newest() int64      { return w.anchored + floor(w.substeps()) }
func (w *oracleWorld) reached() int64     { return w.anchored + ceil(w.substeps()) }

func (w *oracleWorld) timestamp(boundary int64) int64 {
	return w.anchorNS + nanoseconds(new(big.Rat).Quo(whole(boundary-w.anchored), w.o.sc.substepHz()))
}

// begin begins the world's next episode.
func (w *oracleWorld) begin() {
	o := w.o
	w.state = "running"
	w.episode += int64(o.sc.worlds)
	if w.seeded {
		w.root.Episode++
	} else {
		w.root = random.Root{Seed: o.sc.seed, World: uint64(w.index), Episode: uint64(w.episode)}
	}
	w.steps, w.ret, w.fault = 0, 0, physics.FaultNone
	w.version = 0
	for w.version+1 < len(o.roles) && o.roles[w.version+1].n <= o.n {
		w.version++
	}
	w.anchorNS, w.anchored, w.t, w.fired = 0, 0, new(big.Rat), map[string]bool{}
	w.x = initialState(w.episode)
	w.mass = 1
	if w.episode%2 == 0 {
		w.mass = o.sc.massOf(w.episode, 0)
	}
	w.boundary, w.history, w.initial = 0, map[int64][6]float64{0: w.x}, w.x
	w.samples, w.forgot = make([][]sample, len(o.sc.channels)), make([]int, len(o.sc.channels))
	w.acted = -1
	w.run(true, false)
}

func (w *oracleWorld) controlHz() *big.Rat {
	c := w.roles()
	controller := slices.IndexFunc(c.bindings, func(b runners.Binding) bool { return b.Name == "controller" })
	return c.runners[c.bindings[controller].Runner].hz
}

// follow makes the changes that are due and possible.
func (w *oracleWorld) follow() {
	begun := w.version
	defer func() {
		for i, channel := range w.o.sc.channels {
			if w.o.roles[begun].samples(channel.Name) && !w.roles().samples(channel.Name) {
				w.forget(i)
				w.o.sc.seen.switchedOff++
			}
		}
	}()
	for w.fault == physics.FaultNone && w.version+1 < len(w.o.roles) {
		from, to := w.roles(), w.o.roles[w.version+1]
		same := len(from.runners) == len(to.runners)
		for _, r := range from.runners {
			same = same && slices.ContainsFunc(values(to.runners), func(s rate) bool {
				return s.id == r.id &&
					s.hz.Cmp(r.hz) == 0
			})
		}
		if to.n > w.o.n || !same && !has(from.beat, w.t) {
			return
		}
		if !same {
			w.anchored, w.anchorNS, w.t = w.newest(), w.ns(), new(big.Rat)
			w.o.sc.seen.anchors++
		}
		w.version++
	}
}

// samples reports whether the binding of a channel fires at all.
func (c *oracleClock) samples(channel string) bool {
	i := slices.IndexFunc(c.bindings, func(b runners.Binding) bool { return b.Name == channel })
	return i >= 0 && !c.bindings[i].Disabled && !c.runners[c.bindings[i].Runner].disabled
}

func values(m map[string]rate) (all []rate) {
	for _, r := range m {
		all = append(all, r)
	}
	return all
}

// step takes one control step.
func (w *oracleWorld) step() {
	if w.state == "resting" {
		w.begin()
		return
	}
	if w.state != "running" {
		return
	}
	w.follow()
	stepped := w.run(false, false)
	for !stepped {
		w.t, w.fired = w.roles().nextOf(w.t, nil), map[string]bool{}
		if stepped = has(w.controlHz(), w.t); stepped {
			w.run(true, false)
		} else {
			w.run(false, false)
		}
	}
	truncated := w.fault != physics.FaultNone || w.steps >= w.o.sc.limit
	if !truncated && !w.terminated {
		return
	}
	w.ended(w.terminated, truncated, true)
	w.state = map[sim.Autoreset]string{sim.SameStep: "restarting", sim.NextStep: "resting",
		sim.Disabled: "ended"}[w.o.sc.autoreset]
}

func (w *oracleWorld) ended(terminated, truncated, complete bool) {
	w.lines = append(w.lines, line{
		what: "ended", episode: w.episode, ns: w.ns(), steps: w.steps, ret: w.ret, fault: w.fault,
		terminated: terminated, truncated: truncated, complete: complete, beat: beatOf(&w.beat),
	})
}

// skip jumps over control intervals.
func (w *oracleWorld) skip(intervals int64) {
	if w.state != "running" {
		return
	}
	w.follow()
	k := floor(new(big.Rat).Mul(w.t, w.controlHz()))
	w.t, w.fired = new(big.Rat).Quo(whole(k+intervals), w.controlHz()), map[string]bool{}
	now, last := w.history[w.boundary], w.history[max(0, w.boundary-1)]
	copy(now[4:], last[4:]) // the force of the substep to come is not known yet
	w.boundary = max(w.boundary, w.reached())
	w.initial = now
	for k := range w.boundary + 1 { // as if it had always been so
		w.history[k] = now
	}
	for c, all := range w.samples {
		w.forget(c)
		if len(all) > 0 {
			all[len(all)-1].boundary = -1 // the state has moved
		}
	}
	w.run(true, true)
}

// forget makes the samples of a channel unreadable; the newest was not worked out yet.
func (w *oracleWorld) forget(channel int) {
	all := w.samples[channel]
	if len(all) > w.forgot[channel] {
		all[len(all)-1].lost = true
	}
	w.forgot[channel] = len(all)
}

// restart cuts the episode and begins another one.
func (w *oracleWorld) restart(seed uint64, seeded bool) {
	if w.state == "running" && w.steps > 0 {
		w.ended(false, false, false)
	}
	if seeded {
		w.seeded, w.root = true, random.Root{Seed: seed, Episode: math.MaxUint64}
	}
	w.begin()
}

// run makes the calls of the instant that have not been made, up to the decision
// point only if that is asked for, and reports false. jumped says that no step ends.
func (w *oracleWorld) run(toDecision, jumped bool) bool {
	c, wrote := w.roles(), false
	for _, b := range c.calls(w.t) {
		if toDecision && b.Phase > runners.Acquisition || w.fired[b.Name] {
			continue
		}
		w.fired[b.Name] = true
		wrote = wrote || b.Writes
		switch channel := slices.IndexFunc(w.o.sc.channels, func(ch sensors.Channel) bool { return ch.Name == b.Name }); {
		case channel >= 0:
			w.sense(channel)
		case b.Name == "physics":
			if wrote || c.fires(&b, w.t) {
				w.integrate()
			}
		case b.Name == "observation":
			w.observe(jumped)
		case b.Name == "controller":
			w.acted = w.ns()
			if w.fault == physics.FaultNone {
				if w.steps%2 == 1 {
					w.mass = w.o.sc.massOf(w.episode, w.steps)
				}
				w.x[4], w.x[5] = actionOf(w.index, w.o.n, 0), actionOf(w.index, w.o.n, 1)
			}
		case b.Name == "latch":
			w.latch()
		default:
			w.call(&b)
		}
	}
	return false
}

func (w *oracleWorld) observe(jumped bool) {
	if w.ns() == 0 || jumped {
		return
	}
	w.steps++
	w.terminated = w.fault == physics.FaultNone && terminates(w.episode, w.steps)
	if w.fault == physics.FaultNone {
		w.ret += rewardOf(w.steps)
	}
}

// call is what the callbacks of a scenario do and see.
func (w *oracleWorld) call(b *runners.Binding) {
	c := w.roles()
	hz, id := c.beat, runners.NoRunner
	if !b.Beat {
		hz, id = c.runners[b.Runner].hz, c.runners[b.Runner].id
	}
	l := line{
		what: b.Name, episode: w.episode, ns: w.ns(), dt: nanoseconds(next(hz, w.t)) - nanoseconds(w.t),
		n: w.o.n, steps: w.steps, id: id, phase: b.Phase, sync: has(c.beat, w.t), fault: w.fault, beat: beatOf(&w.beat),
	}
	l.state = w.x
	for i := range w.o.sc.channels {
		l.reads[i] = w.read(i)
	}
	for i, at := range w.o.sc.probes() {
		l.probes[i] = w.probe(at.probe, at.back)
	}
	w.lines = append(w.lines, l)
	e := w.o.sc.effect(b.Name, w.index, w.episode, l.ns)
	if b.Writes {
		w.x[4] = e.force
	}
	if e.breaks && b.Writes {
		w.x[0] = 2 * pointmass.Bound
	}
	if e.panics {
		w.fail(physics.FaultTask)
	}
}

func (w *oracleWorld) fail(f physics.Fault) {
	if w.fault == physics.FaultNone {
		w.fault = f
		w.o.sc.seen.faults++
	}
}

// probe is what a probe shows: velocity, acceleration, position.
func (w *oracleWorld) probe(i, back int) probed {
	k := w.stands()
	if i == 1 {
		k = min(w.reached(), w.boundary) - 1
	}
	k = max(k-int64(back), 0)
	p := probed{ns: w.timestamp(k)}
	if w.fault != physics.FaultNone {
		return p
	}
	from := [...]int{2, 4, 0}[i]
	x := w.history[k]
	p.value = [2]float64(x[from : from+2])
	return p
}

// integrate takes every substep that begins before the next instant at which something may write.
func (w *oracleWorld) integrate() {
	write := w.roles().nextOf(w.t, func(b *runners.Binding) bool { return b.Writes })
	end := w.anchored + ceil(new(big.Rat).Mul(w.o.sc.substepHz(), write))
	dt, _ := new(big.Rat).Inv(w.o.sc.substepHz()).Float64()
	for w.fault == physics.FaultNone && w.boundary < end {
		if math.Abs(w.x[0]) > pointmass.Bound || w.mass <= 0 {
			w.fail(physics.FaultEngine)
			return
		}
		x := w.x
		for d := range 2 {
			x[4+d] /= w.mass // the acceleration is what is looked at
		}
		w.history[w.boundary] = x
		for d := range 2 {
			w.x[2+d] += float64(dt * (w.x[4+d] / w.mass))
			w.x[d] += float64(dt * w.x[2+d])
		}
		w.boundary++
		w.history[w.boundary] = w.x
	}
}

// stands is the substep boundary the world stands at.
func (w *oracleWorld) stands() int64 { return min(w.newest(), w.boundary) }

func (w *oracleWorld) draw(channel, n int, purpose uint64) *randomDraw {
	h := fnv.New64a()
	h.Write([]byte(w.o.sc.channels[channel].Name))
	return w.o.stream.Key(w.root.Seed, w.root.World, w.root.Episode, uint64(random.Sensor), h.Sum64(), uint64(n), purpose)
}

// What package sensors draws for.
const (
	drawHold    = 2
	drawDropout = 3
	drawJitter  = 4
)

func remembers(c *sensors.Channel) bool { return c.Hold.Time > 0 || c.Dropout > 0 || c.History > 1 }

// gone reports whether a sample is so old that it may not be there any more.
func (w *oracleWorld) gone(s sample) bool { return w.stands()-s.boundary > w.o.keep }

// sense takes a sample of a channel.
func (w *oracleWorld) sense(channel int) {
	c, all := &w.o.sc.channels[channel], w.samples[channel]
	n := len(all)
	if remembers(c) && n > w.forgot[channel] && w.gone(all[n-1]) {
		w.forget(channel)
	}
	s := sample{boundary: w.stands()}
	if n > 0 && all[n-1].boundary == s.boundary {
		return // one sample for a boundary
	}
	s.ns = w.timestamp(s.boundary)
	s.arrival = s.ns + int64(c.Latency)
	if c.Jitter > 0 {
		s.arrival += w.draw(channel, n, drawJitter).Int64N(int64(c.Jitter) + 1)
	}
	if c.Dropout > 0 && w.draw(channel, n, drawDropout).Float64() < c.Dropout {
		s.arrival = math.MaxInt64
	}
	w.samples[channel] = append(all, s)
}

// known is the newest sample below end that a reader has; −1 for none.
func (w *oracleWorld) known(channel, end int) int {
	c, all := &w.o.sc.channels[channel], w.samples[channel]
	limit := w.stands()
	if c.Sources[0] == "acceleration" { // known once the substep has begun
		limit = min(w.reached(), w.boundary) - 1
	}
	if remembers(c) && len(all) > 0 && w.gone(all[len(all)-1]) {
		return -1
	}
	for n := end - 1; n >= w.forgot[channel]; n-- {
		if s := all[n]; s.boundary <= limit && s.arrival <= w.ns() {
			if !remembers(c) && w.gone(s) {
				return -1
			}
			return n
		}
	}
	return -1
}

// read is what a reader of a channel gets.
func (w *oracleWorld) read(channel int) (r read) {
	n := w.known(channel, len(w.samples[channel]))
	r.value = w.value(channel, n)
	if n >= 0 {
		r.ns, r.ok = w.samples[channel][n].ns, true
	}
	if w.o.sc.channels[channel].History > 1 {
		r.before = w.value(channel, w.known(channel, n))
	}
	return r.comparable(w.fault)
}

// value is that of a sample, −1 for the reset.
func (w *oracleWorld) value(channel, n int) [2]float64 {
	c := &w.o.sc.channels[channel]
	part := map[string]int{"position": 0, "velocity": 2, "acceleration": 4}[c.Sources[0]]
	of := func(x [6]float64) [2]float64 { return [2]float64(x[part : part+2]) }
	if n < 0 {
		return of(w.initial)
	}
	if c.Hold.Time == 0 {
		return of(w.history[w.samples[channel][n].boundary])
	}
	var held, v [2]float64
	until := int64(math.MinInt64)
	for i, s := range w.samples[channel][:n+1] {
		if s.lost {
			continue
		}
		if s.ns < until {
			v = held
			continue
		}
		v = of(w.history[s.boundary])
		if w.draw(channel, i, drawHold).Float64() < c.Hold.Probability {
			held, until = v, s.ns+int64(c.Hold.Time/time.Nanosecond)
		}
	}
	return v
}

func (w *oracleWorld) latch() {
	w.sequence++
	if !w.o.watched {
		return
	}
	if w.fault != physics.FaultNone {
		w.o.sc.seen.latchedFaults++
	}
	w.beat = sim.Latched{
		Sequence: w.sequence, Episode: w.episode, NS: w.ns(), Step: w.steps,
		Fault: w.fault, StateNS: w.timestamp(w.boundary), State: slices.Clone(w.x[:]), ActionNS: w.acted,
	}
	for i := range w.o.sc.channels {
		ns := int64(-1)
		if r := w.read(i); r.ok {
			ns = r.ns
		}
		w.beat.ChannelsNS = append(w.beat.ChannelsNS, ns)
	}
}
