package sim_test

import (
	"bytes"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/pointmass"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sensors"
	"github.com/polyrhythm-rl/polyrhythm/sim"
	"github.com/polyrhythm-rl/polyrhythm/sim/runlog"
)

type randomDraw = rand.Rand

// scenario is a run as data: a clock, what is bound to it, and what happens.
type scenario struct {
	seed      uint64
	runners   []runners.Runner // the first is the control runner
	engine    string           // the runner that physics is on
	substeps  int
	latch     runners.Binding
	callbacks []runners.Binding
	channels  []sensors.Channel // with a binding each
	offs      []bool            // of the channels: begins disabled
	worlds    int
	block     int
	limit     int64 // control steps of an episode
	autoreset sim.Autoreset
	steps     int64
	mishaps   bool
	events    []event
	seen      *seen
}

// seen counts what scenarios came upon, so that a draw which shows nothing is noticed.
type seen struct{ calls, changes, anchors, switchedOff, faults, latchedFaults, skips, restarts, snapshots int }

// event is what happens before a step: one of its parts.
type event struct {
	at       int64 // step
	change   *runners.Change
	skip     int64
	restart  []bool // by world
	seeds    bool
	snapshot bool
}

func (e event) String() string {
	switch {
	case e.change != nil:
		text, _ := e.change.Edits.MarshalJSON()
		return fmt.Sprintf("at step %d queue for step %d: %s", e.at, e.change.N, text)
	case e.skip > 0:
		return fmt.Sprintf("at step %d skip %d control intervals", e.at, e.skip)
	case e.restart != nil:
		return fmt.Sprintf("at step %d restart %v, with seeds %t", e.at, e.restart, e.seeds)
	}
	return fmt.Sprintf("at step %d go on from a snapshot", e.at)
}

func (sc *scenario) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "seed %d: runners %v, physics on %s with %d substeps, %d worlds in blocks of %d, episodes of %d "+
		"steps, autoreset %s, %d steps, mishaps %t\n",
		sc.seed, sc.runners, sc.engine, sc.substeps, sc.worlds, sc.block, sc.limit, sc.autoreset, sc.steps, sc.mishaps)
	for _, c := range append([]runners.Binding{sc.latch}, sc.callbacks...) {
		fmt.Fprintf(&b, "  %+v\n", c)
	}
	for i, c := range sc.channels {
		fmt.Fprintf(&b, "  channel %s on %s: %v, %s, off %t\n", c.Name, c.Runner, c.Sources, c.Model(), sc.offs[i])
	}
	for _, e := range sc.events {
		fmt.Fprintf(&b, "  %v\n", e)
	}
	return b.String()
}

func (sc *scenario) substepRate() runners.Rate {
	i := slices.IndexFunc(sc.runners, func(r runners.Runner) bool { return r.Name == sc.engine })
	rate, err := sc.runners[i].Rate.Times(int64(sc.substeps))
	if err != nil {
		panic(err)
	}
	return rate
}

func (sc *scenario) substepHz() *big.Rat { return hzOf(sc.substepRate()) }

// plainBindings are all bindings of the scenario, in order of registration.
func (sc *scenario) plainBindings() []runners.Binding {
	control := sc.runners[0].Name
	all := []runners.Binding{
		{Name: "observation", Runner: control, Phase: runners.Acquisition},
		{Name: "controller", Runner: control, Phase: runners.Control, Priority: -200, Writes: true},
		{Name: "physics", Runner: sc.engine, Phase: runners.Physics},
		sc.latch,
	}
	for i, c := range sc.channels {
		all = append(all, runners.Binding{Name: c.Name, Runner: c.Runner, Phase: runners.Acquisition, Priority: -100,
			Disabled: sc.offs[i]})
	}
	return append(all, sc.callbacks...)
}

// What worlds do is a function of where they stand.

func mix(words ...any) uint64 {
	h := fnv.New64a()
	fmt.Fprint(h, words...)
	return h.Sum64()
}

func initialState(episode int64) [6]float64 {
	return [6]float64{float64(episode%7) - 3, float64(episode % 5)}
}
func actionOf(world, n int64, i int) float64 { return float64((world*7+n*3+int64(i))%11) - 5 }
func rewardOf(steps int64) float64           { return float64(steps%5) - 1 }
func terminates(episode, steps int64) bool   { return mix("end", episode, steps)%19 == 0 }

type effect struct {
	force          float64
	breaks, panics bool
}

func (sc *scenario) effect(name string, world, episode, ns int64) effect {
	h := mix(name, world, episode, ns)
	return effect{float64(h%13) - 6, sc.mishaps && h>>8%61 == 0, sc.mishaps && h>>16%151 == 0}
}

// line is what one callback saw, or one episode that ended.
type line struct {
	what                            string
	episode, ns, dt, n, steps       int64
	id                              runners.ID
	phase                           runners.Phase
	sync                            bool
	fault                           physics.Fault
	state                           [6]float64
	reads                           [2]read
	probes                          [5]probed
	beat                            beat
	ret                             float64
	terminated, truncated, complete bool
}

// beat is what is compared of the newest latched beat at every call.
type beat struct {
	sequence, ns, stateNS int64
	fault                 physics.Fault
}

func beatOf(l *sim.Latched) beat { return beat{l.Sequence, l.NS, l.StateNS, l.Fault} }

// read is what a channel showed.
type read struct {
	ns            int64
	ok            bool
	value, before [2]float64
}

// probed is what a probe showed.
type probed struct {
	ns    int64
	value [2]float64
}

// massOf is the mass of a world, negative at a mishap.
func (sc *scenario) massOf(episode, steps int64) float64 {
	h := mix("mass", episode, steps)
	if sc.mishaps && steps > 0 && h%97 == 0 {
		return -1
	}
	return 0.5 + float64(h>>8%8)/4
}

// comparable leaves out what is not promised of a world that has failed: the values.
func (r read) comparable(fault physics.Fault) read {
	if fault != physics.FaultNone {
		r.value, r.before = [2]float64{}, [2]float64{}
	}
	return r
}

// rail is the task of a scenario.
type rail struct {
	sc  *scenario
	pos physics.Span
}

func (r rail) Spec() sim.Spec {
	inf := math.Inf(1)
	return sim.Spec{
		Name: "rail", ObservationSize: 1, ActionSize: 2, ActionLow: []float64{-inf, -inf}, ActionHigh: []float64{inf, inf},
		MaxSteps: r.sc.limit,
		Probes:   []string{"velocity", "acceleration"}, Parameters: []string{"mass"},
	}
}

func (r rail) Reset(w *sim.World) {
	x := initialState(w.Episode())
	copy(w.State(), x[:])
	if w.Episode()%2 == 0 { // else it keeps that of the model
		w.Parameters()[0] = r.sc.massOf(w.Episode(), 0)
	}
}

func (r rail) Act(w *sim.World, action []float32) {
	if w.Steps()%2 == 1 {
		w.Parameters()[0] = r.sc.massOf(w.Episode(), w.Steps())
	}
	for i, a := range action {
		w.Control()[i] = float64(a)
	}
}

func (rail) Observe(w *sim.World, dst []float64) { dst[0] = float64(w.Steps()) }

func (rail) Reward(w *sim.World) (float64, bool) {
	return rewardOf(w.Steps()), terminates(w.Episode(), w.Steps())
}

// player plays a scenario with the real worlds.
type player struct {
	sc       *scenario
	run      *sim.Sim
	lines    [][]line
	watches  []*sim.Watch
	accepted []runners.Change
	keep     int64
}

func (p *player) Rewarded(*sim.World, float64) {}

func (p *player) Ended(w *sim.World, e sim.Episode) {
	p.lines[w.Index()] = append(p.lines[w.Index()], line{
		what: "ended", episode: e.Number, ns: e.LengthNS, steps: e.Steps, ret: e.Return, fault: e.Fault, beat: p.beat(w),
		terminated: e.Terminated, truncated: e.Truncated, complete: e.Complete,
	})
}

// beat is the newest one of a world, if anybody watches.
func (p *player) beat(w *sim.World) beat {
	var l sim.Latched
	if len(p.watches) > 0 {
		p.watches[w.Index()].Latest(&l)
	}
	return beatOf(&l)
}

// open makes the worlds; a clock that they refuse is an error.
func (p *player) open(workers int, log *runlog.Log) error {
	sc := p.sc
	substep := sc.substepRate()
	model := pointmass.New(substep.Seconds())
	suite, err := sensors.Compile(model, substep, sc.runners, sc.channels)
	if err != nil {
		return err
	}
	p.keep = int64(suite.Slots(0) - 1)
	pos, err := model.Field("position")
	if err != nil {
		return err
	}
	c := sim.Config{
		Model: model, Task: rail{sc, pos}, Sensors: suite, Observers: []sim.Observer{p}, Log: log,
		Probes: []string{"position"},
		Worlds: sc.worlds, BlockSize: sc.block, Workers: workers, Seed: sc.seed, Autoreset: sc.autoreset,
	}
	var bindings []runners.Binding
	c.Calls = map[string]sim.Callback{}
	for _, b := range sc.plainBindings() {
		switch channel := slices.IndexFunc(sc.channels, func(c sensors.Channel) bool { return c.Name == b.Name }); {
		case channel >= 0:
			b.Role, b.Channel = runners.Sense, channel
		case b.Name == "observation":
			b.Role = runners.Observe
		case b.Name == "controller":
			b.Role, b.Writes = runners.Act, false // it writes whatever it says
		case b.Name == "physics":
			b.Role, b.Substeps = runners.Integrate, sc.substeps
		case b.Name == "latch":
			b.Role = runners.Latch
		default:
			c.Calls[b.Name] = p.callback(b)
		}
		bindings = append(bindings, b)
	}
	schedule, err := runners.Compile(sc.runners, bindings)
	if err != nil {
		return err
	}
	c.Clock = runners.NewClock(schedule)
	if p.lines == nil {
		p.lines = make([][]line, sc.worlds)
	}
	p.watches = nil
	if p.run, err = sim.New(c); err != nil {
		return err
	}
	for i := range sc.worlds {
		p.watches = append(p.watches, p.run.Watch(i))
	}
	return nil
}

// callback notes what it sees, and does what the scenario says.
func (p *player) callback(b runners.Binding) sim.Callback {
	return func(ctx *runners.StepContext, w *sim.World) {
		l := line{
			what: b.Name, episode: w.Episode(), ns: ctx.NS, dt: ctx.DT, n: w.StepN(), steps: w.Steps(),
			id: ctx.ID, phase: ctx.Phase, sync: ctx.Sync, fault: w.Fault(), beat: p.beat(w),
		}
		l.state = [6]float64(w.State())
		for i := range p.sc.channels {
			var v [12]float64
			r := &l.reads[i]
			r.ns, r.ok = w.Read(v[:p.size(i)], i)
			r.value = [2]float64(v[:2])
			if p.sc.channels[i].History > 1 {
				r.before = [2]float64(v[2:4])
			}
			*r = r.comparable(w.Fault())
		}
		for i, at := range p.sc.probes() {
			values, ns := w.ProbeAt(at.probe, at.back)
			l.probes[i] = probed{ns, [2]float64(values)}
			if w.Fault() != physics.FaultNone {
				l.probes[i].value = [2]float64{}
			}
		}
		p.lines[w.Index()] = append(p.lines[w.Index()], l)
		e := p.sc.effect(b.Name, int64(w.Index()), w.Episode(), l.ns)
		if b.Writes {
			w.Control()[0] = e.force
		}
		if e.breaks && b.Writes {
			w.State()[0] = 2 * pointmass.Bound
		}
		if e.panics {
			panic("a mishap")
		}
	}
}

// probes lists which samples callbacks look at: velocity, acceleration, and the position, which is only observed.
func (sc *scenario) probes() [5]struct{ probe, back int } {
	return [5]struct{ probe, back int }{{0, 0}, {1, 0}, {2, 0}, {0, sc.substeps}, {1, 1}}
}

func (p *player) size(channel int) int { return 2 * max(1, p.sc.channels[channel].History) }

// happen lets an event happen, and tells the oracle, if there is one.
func (p *player) happen(e event, o *oracle) error {
	switch {
	case e.change != nil:
		if err := p.run.Change(*e.change); err != nil {
			return nil // refused: nothing has changed
		}
		p.accepted = append(p.accepted, *e.change)
		if o != nil {
			o.change(*e.change)
			p.sc.seen.changes++
		}
	case e.skip > 0:
		if err := p.run.Skip(e.skip); err != nil {
			return err
		}
		if o != nil {
			p.sc.seen.skips++
			for _, w := range o.worlds {
				w.skip(e.skip)
			}
		}
	case e.restart != nil:
		if o != nil {
			p.sc.seen.restarts++
			for i, w := range o.worlds {
				if e.restart[i] {
					w.restart(seedOf(i, e.at), e.seeds)
				}
			}
		}
		return p.run.Each(func(worker *sim.Worker, b *sim.Block) error {
			var seeds []uint64
			if e.seeds {
				for i := range b.Len() {
					seeds = append(seeds, seedOf(b.First()+i, e.at))
				}
			}
			b.Restart(worker, e.restart[b.First():b.First()+b.Len()], seeds)
			return nil
		})
	case e.snapshot && o != nil: // a run with a log cannot go back
		return p.goOnFromSnapshot(o)
	}
	return nil
}

func seedOf(world int, at int64) uint64 { return mix("seed", world, at) }

// goOnFromSnapshot goes on in other worlds.
func (p *player) goOnFromSnapshot(o *oracle) error {
	p.sc.seen.snapshots++
	snapshot, lines := p.run.Snapshot(), slices.Clone(p.lines)
	if err := p.run.Close(); err != nil {
		return err
	}
	p.lines = lines // without the episodes that Close ended
	if err := p.openAgain(); err != nil {
		return err
	}
	if err := p.run.Restore(snapshot); err != nil {
		return err
	}
	for _, w := range o.worlds {
		w.beat = sim.Latched{} // the new worlds' watches begin with the next one
	}
	return nil
}

func (p *player) openAgain() error {
	lines := p.lines
	p.lines = nil
	if err := p.open(1, nil); err != nil {
		return err
	}
	p.lines = lines
	for _, c := range p.accepted {
		if err := p.run.Change(c); err != nil {
			return fmt.Errorf("a change that was made is refused: %w", err)
		}
	}
	return nil
}

// play plays the scenario; check, if not nil, is called after every event and step.
func (p *player) play(o *oracle, check func() error) error {
	events := p.sc.events
	for n := int64(0); n < p.sc.steps; n++ {
		for len(events) > 0 && events[0].at <= n {
			if err := p.happen(events[0], o); err != nil {
				return err
			}
			if err := check(); err != nil {
				return fmt.Errorf("after %v: %w", events[0], err)
			}
			events = events[1:]
		}
		err := p.run.Each(func(worker *sim.Worker, b *sim.Block) error {
			for i := range b.Len() {
				for j := range 2 {
					b.Actions()[2*i+j] = float32(actionOf(int64(b.First()+i), n, j))
				}
			}
			return b.Step(worker)
		})
		if err != nil {
			return err
		}
		if o != nil {
			o.step()
		}
		if err := check(); err != nil {
			return fmt.Errorf("after step %d: %w", n, err)
		}
	}
	return nil
}

// compare says in what the worlds differ from those of the oracle.
func (p *player) compare(o *oracle) error {
	for i, w := range o.worlds {
		for j := range max(len(w.lines), len(p.lines[i])) {
			switch {
			case j >= len(w.lines):
				return fmt.Errorf("world %d: %+v, want nothing more", i, p.lines[i][j])
			case j >= len(p.lines[i]):
				return fmt.Errorf("world %d: nothing more, want %+v", i, w.lines[j])
			case p.lines[i][j] != w.lines[j]:
				return fmt.Errorf("world %d: call %d is\n%+v, want\n%+v", i, j, p.lines[i][j], w.lines[j])
			}
		}
		p.sc.seen.calls += len(w.lines)
		p.lines[i], w.lines = p.lines[i][:0], w.lines[:0]
		if err := compareBeats(p.watches[i], w.beat); err != nil {
			return fmt.Errorf("world %d: %w", i, err)
		}
		block := p.run.Blocks()[i/p.sc.block]
		if state := block.State(i % p.sc.block); w.state == "running" && !slices.Equal(state, w.x[:]) {
			return fmt.Errorf("world %d: state %v, want %v", i, state, w.x)
		}
	}
	return nil
}

func compareBeats(watch *sim.Watch, want sim.Latched) error {
	var got sim.Latched
	if !watch.Latest(&got) {
		if want.Sequence > 0 {
			return fmt.Errorf("no beat, want %+v", want)
		}
		return nil
	}
	got.Observation, got.ObservationNS, got.Action, got.Channels = nil, 0, nil, nil
	if a, b := fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", want); a != b {
		return fmt.Errorf("beat %s, want %s", a, b)
	}
	return nil
}

// errRefused says that a scenario is none.
var errRefused = errors.New("refused")

// try plays a scenario against the oracle, and again against a log of itself.
func (sc *scenario) try() error {
	p := &player{sc: sc}
	if err := p.open(1, nil); err != nil {
		return fmt.Errorf("%w: %w", errRefused, err)
	}
	defer func() { p.run.Close() }()
	o := newOracle(sc, p.keep)
	check := func() error { return p.compare(o) }
	if err := check(); err != nil {
		return fmt.Errorf("at the start: %w", err)
	}
	if err := p.play(o, check); err != nil {
		return err
	}

	var f memory
	log, err := runlog.Create(&f, runlog.Header{Kind: "test", Worlds: sc.worlds, BlockSize: sc.block, Every: 1})
	if err == nil {
		err = sc.playLogged(1, log)
	}
	if err != nil {
		return fmt.Errorf("with a log: %w", err)
	}
	if log, err = runlog.Compare(io.NopCloser(bytes.NewReader(f.Bytes()))); err != nil {
		return err
	}
	if err := sc.playLogged(3, log); err != nil && !errors.Is(err, runlog.ErrEnd) {
		return fmt.Errorf("replayed: %w", err)
	}
	return nil
}

func (sc *scenario) playLogged(workers int, log *runlog.Log) error {
	p := &player{sc: sc}
	if err := p.open(workers, log); err != nil {
		return err
	}
	err := p.play(nil, func() error { return nil })
	return errors.Join(err, p.run.Close(), log.Close())
}

// draw draws a scenario.
func draw(seed uint64, seen *seen) *scenario {
	r := rand.New(rand.NewPCG(seed, 10))
	pick := func(n int) int { return r.IntN(n) }
	chance := func(percent int) bool { return r.IntN(100) < percent }
	rates := []string{"50", "30", "100", "20", "200/3", "125", "7", "40", "24", "10", "250", "29.97", "15ms"}
	anyRate := func() runners.Rate { return mustRate(rates[pick(len(rates))]) }
	phase := func() runners.Phase { return runners.Phase(pick(5)) }

	sc := &scenario{
		seed: seed, seen: seen,
		runners: []runners.Runner{{Name: "Robot", Rate: mustRate([]string{"50", "20", "40", "200/3", "25"}[pick(5)])}},
		worlds:  1 + pick(3), limit: int64(3 + pick(30)), steps: int64(8 + pick(24)),
		autoreset: []sim.Autoreset{sim.SameStep, sim.NextStep, sim.Disabled}[pick(3)], mishaps: chance(40),
		latch: runners.Binding{Name: "latch", Beat: true, Phase: runners.Phase(pick(2)), Priority: pick(3) * 100},
	}
	sc.block = 1 + pick(sc.worlds)
	sc.engine, sc.substeps = "Robot", 1+pick(6)
	if chance(40) {
		sc.engine, sc.substeps = "Engine", 1+pick(3)
		rate := []string{"200", "100", "120", "400/3", "75"}[pick(5)]
		sc.runners = append(sc.runners, runners.Runner{Name: "Engine", Rate: mustRate(rate)})
	}
	for i := range 1 + pick(3) {
		sc.runners = append(sc.runners, runners.Runner{Name: fmt.Sprint("R", i), Rate: anyRate(), Disabled: chance(15)})
	}
	runnerNames := []string{"Spare", "Other"}
	for _, x := range sc.runners {
		runnerNames = append(runnerNames, x.Name)
	}
	runner := func() string { return runnerNames[2+pick(len(sc.runners))] }
	if chance(40) { // one with nothing bound to it, which may be removed
		idle := runners.Runner{Name: "Idle", Rate: mustRate(rates[pick(4)])}
		sc.runners = slices.Insert(sc.runners, 1, idle)
		runner = func() string { return runnerNames[2+pick(len(runnerNames)-2)] }
	}
	for i := range 1 + pick(4) {
		b := runners.Binding{
			Name: fmt.Sprint("b", i), Runner: runner(), Phase: phase(), Priority: pick(7)*100 - 300,
			Disabled: chance(25), Writes: chance(30), Beat: chance(15),
		}
		if b.Beat {
			b.Runner = ""
		}
		if b.Writes && b.Phase > runners.Control {
			b.Phase = runners.Phase(pick(2))
		}
		sc.callbacks = append(sc.callbacks, b)
	}
	for i := range pick(3) {
		c := sensors.Channel{Name: fmt.Sprint("c", i), Runner: runner(),
			Sources: []string{[]string{"position", "velocity", "acceleration"}[pick(3)]}}
		ms := func(n int) time.Duration { return time.Duration(pick(n)) * time.Millisecond / 2 }
		if chance(50) {
			c.Latency = ms(60)
		}
		if chance(30) {
			c.Jitter = ms(40)
		}
		if chance(40) {
			c.Dropout = 0.5
		}
		if chance(30) {
			c.Hold = sensors.Hold{Time: ms(100) + 1, Probability: 0.3}
		}
		if chance(20) {
			// What left the ring long ago is remembered once, not as a window.
			c.History, c.Dropout = 2+pick(2), 0
		}
		sc.channels, sc.offs = append(sc.channels, c), append(sc.offs, chance(25))
	}
	sc.drawEvents(r, runnerNames, anyRate, phase)
	return sc
}

// drawEvents draws what happens. Many changes are such that worlds refuse them.
func (sc *scenario) drawEvents(r *rand.Rand, runnerNames []string, anyRate func() runners.Rate,
	phase func() runners.Phase) {
	chance := func(percent int) bool { return r.IntN(100) < percent }
	var names []string // of what may be edited
	for _, b := range sc.plainBindings() {
		for range 3 { // the last ones more often
			names = append(names, b.Name)
		}
	}
	names = names[6:]
	for range 8 {
		for _, c := range sc.channels {
			names = append(names, c.Name)
		}
	}
	runner := func() string { return runnerNames[r.IntN(len(runnerNames))] }
	name := func() string { return names[r.IntN(len(names))] }
	last := int64(0)
	added := false
	for at := range sc.steps {
		if chance(35) {
			c := runners.Change{N: max(last, at+int64(r.IntN(3)))}
			last = c.N
			for range 1 + r.IntN(2) {
				var e runners.Edit
				switch r.IntN(18) {
				case 0:
					e = runners.SetRate{Name: runner(), Rate: anyRate()}
				case 1:
					e = runners.ToggleRunner{Name: runner(), Enabled: chance(60)}
				case 2:
					e = runners.RenameRunner{Name: runner(), To: runnerNames[r.IntN(2)]}
				case 3:
					if added {
						continue
					}
					added = true // once: then IDs are those of the order
					e = runners.AddRunner{Runner: runners.Runner{Name: "Added", Rate: anyRate()}}
				case 4:
					e = runners.RemoveBinding{Name: name()}
				case 10:
					e = runners.RemoveRunner{Name: "Idle"}
				case 5, 6:
					e = runners.Rebind{Name: name(), Runner: runner()}
				case 7, 8:
					e = runners.SetPhase{Name: name(), Phase: phase()}
				case 9:
					e = runners.SetPriority{Name: name(), Priority: r.IntN(7)*100 - 300}
				default:
					e = runners.ToggleBinding{Name: name(), Enabled: chance(60)}
				}
				c.Edits = append(c.Edits, e)
			}
			sc.events = append(sc.events, event{at: at, change: &c})
		}
		if chance(6) {
			sc.events = append(sc.events, event{at: at, skip: 1 + r.Int64N(4)})
		}
		if chance(8) {
			e := event{at: at, restart: make([]bool, sc.worlds), seeds: chance(40)}
			for i := range e.restart {
				e.restart[i] = chance(60)
			}
			sc.events = append(sc.events, e)
		}
		if chance(6) {
			sc.events = append(sc.events, event{at: at, snapshot: true})
		}
	}
}

func mustRate(text string) runners.Rate {
	r, err := runners.ParseRate(text)
	if err != nil {
		panic(err)
	}
	return r
}

// Random roles with random changes, faults, skips, restarts and snapshots go through what rational numbers say, and
// replay from their logs. POLYTEST_CASES plays so many of them, from seed 0 on.
func TestScenariosAgainstOracleLong(t *testing.T) {
	scenarios, _ := polytest.Cases(t, 50, 100, 600)
	var seen seen
	refused := 0
	for seed := range uint64(scenarios) {
		sc := draw(seed, &seen)
		switch err := sc.try(); {
		case errors.Is(err, errRefused):
			refused++
		case err != nil:
			t.Fatalf("%v\n%v", err, sc)
		}
	}
	t.Logf("%d scenarios, %d of them refused: %+v", scenarios, refused, seen)
	if n := scenarios / 10; refused > 2*n || min(seen.changes, seen.anchors, seen.switchedOff, seen.faults, seen.skips,
		seen.restarts, seen.snapshots) < n || seen.latchedFaults == 0 {
		t.Error("the draw is too one-sided")
	}
}
