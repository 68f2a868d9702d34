package sim

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime/debug"

	"github.com/polyrhythm-rl/polyrhythm/internal/random"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sensors"
)

// World is one copy of the scene, for use in callbacks. A *World is valid only during a callback, on its goroutine,
// and must not be kept. Slices that its methods return share the block's memory.
type World struct {
	block *Block
	id    int // row in the block

	place
	life

	latched   int64  // beats since the run began
	faults    int64  // episodes that a fault ended
	lastFault string // see [Sim.LastFault]
	watch     *Watch // nil: not watched
	trace     *Trace // nil: not traced
	random    random.Stream
}

// place is where a world stands on the clock.
type place struct {
	version  int            // of the run's clock
	cursor   runners.Cursor // the world's instant
	anchored int64          // substep boundary at the cursor's anchor
	call     int            // index in cursor.Calls of the next call at the instant
	acting   bool           // the decision point of this instant has passed
	dirty    bool           // a call may have written to physics, which has not advanced since
	changed  bool           // the clock changed at this instant
	previous runners.Cursor // if changed: the cursor before the change
	jumped   bool           // a skip ended at this instant, so no step ends here
	now      sensors.Now    // the instant
	stepNS   int64          // timestamp of the control instant of this step

	// context is the argument of the running callback, kept here because a local variable of walk would be allocated
	// for every call.
	context runners.StepContext
}

// life is the episode of a world.
type life struct {
	state    worldState
	episode  int64       // run-wide number of the running episode
	root     random.Root // key of its random streams
	seeded   bool        // the world has a seed of its own, not the run's
	start    int64       // step n at which the episode began
	steps    int64       // control steps completed in it
	ret      float64
	observe  stamp // of the observation
	act      stamp // of the action in force
	cutShort bool  // Truncate was called in this step
	rule     int   // argument of EndBy in this step; -1: none
	fault    physics.Fault
	message  string // describes the fault
}

// stamp is the timestamp of an instant, or none.
type stamp struct {
	ns int64
	ok bool
}

type worldState uint8

const (
	running worldState = iota
	resting            // NextStep: it ended in the last step and restarts in this one
	ended              // its episode is over and nothing restarts it yet
	retired            // it has run all its episodes
)

// Index is the run-wide number of the world.
func (w *World) Index() int { return w.block.first + w.id }

// Row is the row of the world in the buffers of the [Sim], and in arrays with a row for each world that the sim
// holds. Unless that is a slice, it equals Index.
func (w *World) Row() int { return w.block.Row() + w.id }

// Schedule is the clock that the world follows now, after the changes it has made.
func (w *World) Schedule() *runners.Schedule { return w.block.sim.clock.Schedule(w.version) }

// Anchor is the timestamp, in ns, of the instant from which the boundaries of its clock count: 0, or that of the
// newest change of a rate.
func (w *World) Anchor() int64 { return w.cursor.Anchor() }

// Block is the index of the world's block in Sim.Blocks.
func (w *World) Block() int { return w.block.index }

// Episode is the run-wide number of the running episode: world w of W runs the episodes w, w+W, w+2W and so on.
func (w *World) Episode() int64 { return w.episode }

// Steps is the number of control steps completed in the episode.
func (w *World) Steps() int64 { return w.steps }

// NS is the timestamp of the world's instant, in ns since its episode began.
func (w *World) NS() int64 { return w.now.NS }

// State is the world's physics row, to be written during the callback. At a decision point, and where a binding with
// Writes fires, it is the state at the substep boundary of that instant or at the first after it. Elsewhere physics
// may have run ahead.
func (w *World) State() []float64 { return w.block.rows.Row(w.id) }

// ReadState is State, to be read. After a call of State an engine with live objects, as Box2D's, looks at the whole
// row in its next step, so ReadState is the faster one there.
func (w *World) ReadState() physics.ReadOnly { return w.block.rows.Read(w.id) }

// Control is the part of State to which actions are written, faster than by State.
func (w *World) Control() []float64 { return w.block.rows.Control(w.id) }

// Memory is the task's own memory for this world, with Spec.MemorySize values. It is zero when an episode begins, but
// for the part that is Lasting.
func (w *World) Memory() []float64 {
	return part(w.block.memory, w.id, 1, w.block.sim.spec.MemorySize)
}

// Lasting is the end of Memory, with Spec.LastingSize values, that keeps its values from episode to episode. It is zero
// when the run begins, and when the world is given a seed of its own. It is part of snapshots as all of Memory is.
func (w *World) Lasting() []float64 {
	return w.Memory()[w.passing():]
}

// passing is the number of values of Memory that do not outlive an episode.
func (w *World) passing() int { return w.block.sim.spec.MemorySize - w.block.sim.spec.LastingSize }

// Local is what the task's NewLocal returned for the world's block; nil where it is no [LocalTask].
func (w *World) Local() any { return w.block.local }

// Truncate ends the episode as truncated at the end of the control step that just ended. A task calls it in Reward.
func (w *World) Truncate() { w.cutShort = true }

// EndBy says by which rule, of [Spec.EndNames], the episode ends with the control step that just ended. A task calls it in
// Reward, together with Truncate or with true as its result.
func (w *World) EndBy(rule int) { w.rule = rule }

// end names how the world's complete episode ended.
func (w *World) end() string {
	b, names := w.block, w.block.sim.spec.EndNames
	switch {
	case w.fault != physics.FaultNone:
		return EndFault
	case w.rule >= 0 && w.rule < len(names):
		return names[w.rule]
	case b.terminated[w.id]:
		return EndTerminated
	}
	return EndTimeLimit
}

// Derived holds the values of Spec.Derived one after the other, as the physics engine computed them in its last
// call; see [physics.Outputs]. They belong to no exact instant.
func (w *World) Derived() []float64 { return w.block.rows.DerivedRow(w.id) }

// Parameters holds the values of Spec.Parameters one after the other: constants of the scene that this world has of
// its own. They are those of the model when an episode begins, and may be written in Reset and Act. A value that is
// not finite or that no scene can have is a fault of the world.
func (w *World) Parameters() []float64 { return w.block.rows.ParameterRow(w.id) }

// Probe is the newest sample of probe i that may be known at the world's instant, and the timestamp in ns of its
// substep boundary: a Motion probe at the newest boundary up to the instant, a Force probe at the newest before it.
// Before the first substep, the sample of a Force probe is that of the reset, at 0. Probes are numbered as in
// Spec.Probes, and those of Config.Probes follow.
func (w *World) Probe(i int) (values []float64, stampNS int64) { return w.ProbeAt(i, 0) }

// ProbeAt is Probe, but back substeps earlier, at most to the episode's first boundary. Samples of Spec.Probes reach
// back at least to the last control instant; those of Config.Probes do not. It panics for a sample that is not kept.
func (w *World) ProbeAt(i, back int) (values []float64, stampNS int64) {
	b := w.block
	return b.bank.Probe(i, w.id, w.now, back)
}

// Info holds the task's infos about the last step, one value for each of Spec.InfoNames. The task writes them in
// Reward, and those of Spec.ResetInfoNames also in Reset, or in Observe at t = 0.
func (w *World) Info() []float64 {
	return part(w.block.info, w.id, 1, len(w.block.sim.spec.InfoNames))
}

// Observation is the latest observation, with ObservationSize values, and the timestamp of its instant in ns. ok is
// false before the first of an episode.
func (w *World) Observation() (values []float64, stampNS int64, ok bool) {
	return part(w.block.observation, w.id, 1, w.block.sim.spec.ObservationSize), w.observe.ns, w.observe.ok
}

// Action is the action in force, with ActionSize values, and the timestamp in ns of the instant since which it is.
// ok is false before the first of an episode.
func (w *World) Action() (values []float32, stampNS int64, ok bool) {
	return part(w.block.inForce, w.id, 1, w.block.sim.spec.ActionSize), w.act.ns, w.act.ok
}

// Read writes the value of a sensor channel at the world's instant to dst and returns the timestamp of its
// measurement in ns. ok is false while the channel still has the value of the reset. See [sensors.Bank.Read].
func (w *World) Read(dst []float64, channel int) (stampNS int64, ok bool) {
	return w.block.bank.Read(dst, channel, w.id, w.now)
}

// ReadCalibration writes the calibration of the camera of a channel to dst, of the picture that Read gives. See
// [sensors.Bank.ReadCalibration].
func (w *World) ReadCalibration(dst []float64, channel int) (stampNS int64, ok bool) {
	return w.block.bank.ReadCalibration(dst, channel, w.id, w.now)
}

// Purpose is part of the key of a random stream. Streams of different purposes are independent.
type Purpose uint64

// The purposes of a task's random streams.
const (
	ResetDraws = Purpose(random.Reset) // initial states and commands of an episode
	TaskDraws  = Purpose(random.Task)  // anything while an episode runs
)

// Random returns the world's random stream for a purpose in this episode, at its start. It is valid until the next
// call of Random, StepRandom or LastingRandom.
func (w *World) Random(p Purpose) *rand.Rand {
	return w.random.Key(w.root.Seed, w.root.World, w.root.Episode, uint64(p))
}

// StepRandom is [World.Random] for one step: the key of its stream also has the number of control steps completed in
// the episode, so draws per step need no memory. Calls with the same purpose and number return the same numbers,
// such as one in Reward and one in the Act that follows it.
func (w *World) StepRandom(p Purpose) *rand.Rand {
	return w.random.Key(w.root.Seed, w.root.World, w.root.Episode, uint64(p), uint64(w.steps))
}

// LastingRandom is [World.Random] with the same numbers in every episode of the world.
func (w *World) LastingRandom(p Purpose) *rand.Rand {
	return w.random.Key(w.root.Seed, w.root.World, ^uint64(0), uint64(p))
}

// StepN is the run-wide number of the control step being taken.
func (w *World) StepN() int64 { return w.block.n }

// RunStep is the number of control steps that the run had taken when this step began, those of the episode alone where
// episodes are independent, see [Config].
func (w *World) RunStep() int64 {
	if w.block.sim.config.Independent {
		return w.block.n - w.start
	}
	return w.block.n
}

// StepOffsetNS is the time in ns from the control instant of the step being taken to the world's instant.
func (w *World) StepOffsetNS() int64 { return w.now.NS - w.stepNS }

// Fault is the reason why the world failed, or FaultNone. A world that failed keeps its last valid state until its
// next decision point, where its episode ends.
func (w *World) Fault() physics.Fault { return w.fault }

// walk fires the calls of the schedule, instant by instant, until physics must advance or the next decision point is
// reached. It returns the number of substeps that physics must take before the walk can continue, or 0 at the
// decision point.
func (w *World) walk() (substeps int32) {
	// One recover per walk is cheaper than one per callback. After a panic the walk continues without the task, and the
	// episode ends at the next decision point as after any other fault.
	defer func() {
		if p := recover(); p != nil {
			firing := w.Schedule().Entries()[w.cursor.Calls()[w.call-1]].Name
			w.fail(physics.FaultTask, fmt.Sprintf("binding %q panicked: %v\n%s", firing, p, debug.Stack()))
			substeps = w.walk()
		}
	}()
	schedule := w.Schedule()
	entries, control := schedule.Entries(), schedule.Control()
	for {
		calls := w.cursor.Calls()
		decisionPoint := !w.acting && w.cursor.Fired().Has(control)
		for w.call < len(calls) {
			b := &entries[calls[w.call]]
			if decisionPoint && b.Phase > runners.Acquisition {
				return 0
			}
			if b.AfterPhysics && w.dirty {
				if n := w.integrate(); n > 0 {
					return n
				}
			}
			w.call++
			if w.changed && w.previous.Acquired(b.Name) {
				continue
			}
			w.dirty = w.dirty || b.Writes
			var n int32
			if w.trace == nil {
				n = w.fire(b)
			} else {
				n = w.trace.fire(w, b)
			}
			if n > 0 {
				return n
			}
		}
		if decisionPoint {
			return 0
		}
		if w.dirty {
			if n := w.integrate(); n > 0 {
				return n
			}
		}
		w.cursor.Next()
		w.arrive()
		if w.trace != nil {
			w.trace.arrived(w)
		}
	}
}

// fire does what the role of a binding requires. It returns the number of substeps that physics must take.
func (w *World) fire(b *runners.Entry) (substeps int32) {
	switch b.Role {
	case runners.Sense:
		w.block.bank.Sample(b.Channel, w.id, w.now)
	case runners.Integrate:
		return w.integrate()
	case runners.Act:
		w.putInForce()
	case runners.Observe:
		w.finishStep()
	case runners.Latch:
		w.latch()
	case runners.Callback:
		if call := w.block.sim.calls[b.First]; call != nil {
			w.context = w.cursor.Context(w.cursor.Calls()[w.call-1])
			call(&w.context, w)
		}
	}
	return 0
}

// integrate returns the number of substeps that physics must take: all that begin before the next instant at which a
// binding may write to physics, whichever runner that binding is on.
func (w *World) integrate() (substeps int32) {
	w.dirty = false
	if w.fault != physics.FaultNone {
		return 0
	}
	return int32(w.substepsBefore(w.cursor.NextWrite()) - w.block.rows.Boundary[w.id])
}

// substepsBefore returns the substep boundary that physics reaches with all substeps that begin before boundary k of
// a runner.
func (w *World) substepsBefore(id runners.ID, k int64) int64 {
	schedule := w.Schedule()
	return w.anchored + schedule.SubstepRate().Reached(schedule.Rate(id), k)
}

// putInForce puts the caller's action for this step in force.
func (w *World) putInForce() {
	inForce, _, _ := w.Action()
	copy(inForce, w.block.actionOf(w.id))
	w.act = stamp{w.now.NS, true}
	if w.fault == physics.FaultNone {
		w.block.sim.config.Task.Act(w, inForce)
	}
}

// finishStep ends the control step at this instant and observes. At the start of an episode and after a skip it only
// observes.
func (w *World) finishStep() {
	b, s := w.block, w.block.sim
	if w.now.NS > 0 && !w.jumped {
		w.steps++
		w.cutShort, w.rule = false, -1
		if w.fault == physics.FaultNone {
			reward, terminated := s.config.Task.Reward(w)
			switch bad := w.badInfo(); {
			case !isUsable(reward) && bad != "":
				w.fail(physics.FaultTask, fmt.Sprintf("the reward of step %d is %v: %s", w.steps, reward, bad))
			case !isUsable(reward):
				w.fail(physics.FaultTask, fmt.Sprintf("the reward of step %d is %v", w.steps, reward))
			case bad != "":
				w.fail(physics.FaultTask, fmt.Sprintf("after step %d the info %s", w.steps, bad))
			default:
				b.reward[w.id], b.terminated[w.id] = reward, terminated
				w.ret += reward
				total := b.infoSum(w.id)
				for i, v := range w.Info() {
					total[i] += v
				}
			}
		}
		b.truncated[w.id] = w.cutShort || s.spec.MaxSteps > 0 && w.steps >= w.limit()
		for _, o := range s.config.Observers {
			o.Rewarded(w, b.reward[w.id])
		}
	}
	if w.fault != physics.FaultNone {
		return // the last valid observation stays
	}
	observation, _, _ := w.Observation()
	next := b.scratch
	s.config.Task.Observe(w, next)
	for i, v := range next {
		if !isUsable(v) {
			name := ""
			if names := s.spec.ObservationNames; names != nil {
				name = " (" + names[i] + ")"
			}
			w.fail(physics.FaultTask, fmt.Sprintf("observation value %d%s is %v", i, name, v))
			return
		}
	}
	copy(observation, next)
	w.observe = stamp{w.now.NS, true}
}

// badInfo says which info is the first that is not usable; "" if all are.
func (w *World) badInfo() string {
	for i, v := range w.Info() {
		if !isUsable(v) {
			return fmt.Sprintf("%s is %v", w.block.sim.spec.InfoNames[i], v)
		}
	}
	return ""
}

// limit is the number of control steps after which the episode is truncated; 0: never.
func (w *World) limit() int64 {
	s := w.block.sim
	if !s.config.Stagger || s.spec.MaxSteps == 0 || w.episode >= int64(s.config.Worlds) {
		return s.spec.MaxSteps
	}
	drawn := random.Hash(s.config.Seed, uint64(random.Stagger), uint64(w.Index()))
	return 1 + int64(drawn%uint64(s.spec.MaxSteps))
}

// fail ends the world's episode at its next decision point. The first fault counts.
func (w *World) fail(f physics.Fault, message string) {
	if w.fault == physics.FaultNone {
		w.fault, w.message = f, message
	}
}

// MaxValue is the largest size of a reward, an observed value or an info. A larger one, or one that is not finite,
// is a fault of its world. Sums and squares of usable values stay finite.
const MaxValue = 1e100

func isUsable(v float64) bool { return math.Abs(v) <= MaxValue }

// next sets the number of the world's next episode and the key of its random streams.
func (w *World) next() {
	s := w.block.sim
	w.episode += int64(s.config.Worlds)
	if s.config.Independent {
		w.reseed(EpisodeSeed(s.config.Seed, w.episode))
	}
	if w.seeded {
		w.root.Episode++
	} else {
		w.root = random.Root{Seed: s.config.Seed, World: uint64(w.Index()), Episode: uint64(w.episode)}
	}
}

// EpisodeSeed is the seed of a run whose first world's first episode is that of a number among independent episodes, see
// [Config], of a run with a seed.
func EpisodeSeed(seed uint64, number int64) uint64 {
	return random.Hash(seed, uint64(random.Episode), uint64(number))
}

// reseed makes the world's next episode the first one of world 0 of a run of one world with that seed.
func (w *World) reseed(seed uint64) {
	w.seeded = true
	clear(w.Lasting())
	w.root = random.Root{Seed: seed, Episode: ^uint64(0)} // next adds 1
}

// prepare sets everything to the start of the episode, t = 0, but leaves it to the engine to make the state
// consistent.
func (w *World) prepare() {
	b, s := w.block, w.block.sim
	w.state = running
	w.start, w.steps, w.ret = b.n, 0, 0
	w.observe, w.act, w.stepNS = stamp{}, stamp{}, 0
	w.fault, w.message = physics.FaultNone, ""
	w.version, w.anchored = s.clock.Begin(b.n), 0
	w.cursor = w.Schedule().Start()
	w.arrive()
	b.rows.Boundary[w.id] = 0 // also when the engine then finds a fault in the state
	s.config.Model.InitialState(w.State())
	copy(w.Parameters(), s.nominal)
	clear(w.Memory()[:w.passing()])
	clear(w.Info())
	clear(b.infoSum(w.id))
	inForce, _, _ := w.Action()
	clear(inForce)
	observation, _, _ := w.Observation()
	clear(observation)
	defer func() {
		if p := recover(); p != nil {
			w.fail(physics.FaultTask, fmt.Sprintf("the task's reset panicked: %v\n%s", p, debug.Stack()))
		}
	}()
	s.config.Task.Reset(w)
}

// ended calls Ended of each observer.
func (w *World) ended(complete bool) {
	for _, o := range w.block.sim.config.Observers {
		o.Ended(w, w.record(complete))
	}
}

// record describes the world's episode up to now.
func (w *World) record(complete bool) Episode {
	b := w.block
	observation, _, _ := w.Observation()
	end := ""
	if complete {
		end = w.end()
	}
	return Episode{
		Number:           w.episode,
		Start:            w.start,
		LengthNS:         w.now.NS,
		Steps:            w.steps,
		Return:           w.ret,
		Terminated:       complete && b.terminated[w.id],
		Truncated:        complete && b.truncated[w.id],
		Fault:            w.fault,
		FaultMessage:     w.message,
		End:              end,
		Complete:         complete,
		FinalObservation: observation,
		InfoSum:          b.infoSum(w.id),
	}
}
