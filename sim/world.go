package sim

import (
	"fmt"
	"math/rand/v2"
	"runtime/debug"

	"github.com/polyrhythm-rl/polyrhythm/internal/random"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sensors"
)

// World is one copy of the scene, as its callbacks see it. A *World is valid
// for the length of a callback and must not be kept: it belongs to whichever
// goroutine steps its block. Slices it returns share the block's memory.
type World struct {
	block *Block
	id    int // row in the block

	version  int            // of the run's plan
	cursor   runners.Cursor // the instant the world stands at
	anchored int64          // substep boundary at the cursor's anchor
	call     int            // what fires next there, an index into cursor.Calls
	acting   bool           // the decision point of this instant is behind
	written  bool           // physics may be written to here and has not gone on since
	changed  bool           // the clock changed at this instant
	before   runners.Cursor // then: as the world arrived here
	jumped   bool           // no step has led here, so there is none to observe
	now      sensors.Now    // the instant
	stepNS   int64          // timestamp of the control instant of this step

	// context is what the callback that runs is told; kept here because one on
	// the stack of walk would be allocated for every call.
	context runners.StepContext

	state   worldState
	episode int64       // run-wide number of the running episode
	root    random.Root // of what it draws
	seeded  bool        // the world has a seed of its own, not the run's
	start   int64       // step n at which it began
	steps   int64       // control steps completed in it
	ret     float64
	observe stamp  // of the observation
	act     stamp  // of the action in force
	latched int64  // beats since the run began
	faults  int64  // episodes that a fault ended
	watch   *Watch // nil: nobody watches
	trace   *Trace // nil: not traced

	fault   physics.Fault
	message string // what the fault was

	random random.Stream
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

// Schedule is the clock that the world follows now, after the changes it has made.
func (w *World) Schedule() *runners.Schedule { return w.clock().schedule }

// Block is the number of the world's block.
func (w *World) Block() int { return w.block.index }

// Episode is the run-wide number of the running episode: world w of W runs the
// episodes w, w+W, w+2W and so on.
func (w *World) Episode() int64 { return w.episode }

// Steps is the number of control steps completed in the episode.
func (w *World) Steps() int64 { return w.steps }

// NS is the timestamp of the instant the world stands at, in nanoseconds since its
// episode began.
func (w *World) NS() int64 { return w.now.NS }

// State is the world's physics row. At a decision point, and where a binding with
// Writes fires, it is the state of that instant, at the substep boundary there or
// the first after it; elsewhere physics may have run ahead.
func (w *World) State() []float64 { return w.block.rows.Row(w.id) }

// Control is the part of State that actions are written to.
func (w *World) Control() []float64 { return w.block.sim.control.In(w.State()) }

// Memory is what the task keeps for this world between calls; zero when an
// episode begins.
func (w *World) Memory() []float64 {
	n := w.block.sim.spec.MemorySize
	return w.block.memory[w.id*n : (w.id+1)*n : (w.id+1)*n]
}

// Derived is what the physics engine computed along the way in its last call, the
// values of Spec.Derived one after the other; see [physics.Derived]. It belongs to
// no instant.
func (w *World) Derived() []float64 { return w.block.rows.DerivedRow(w.id) }

// Info is what the task says about the step just evaluated, one value for each
// of Spec.InfoNames; the task writes it in Reward, and what it also tells of an
// episode that begins in Reset, or in Observe at t = 0.
func (w *World) Info() []float64 {
	n := len(w.block.sim.spec.InfoNames)
	return w.block.info[w.id*n : (w.id+1)*n : (w.id+1)*n]
}

// Observation is the newest observation, and the timestamp of its instant.
func (w *World) Observation() (values []float64, stampNS int64, ok bool) {
	n := w.block.sim.spec.ObservationSize
	return w.block.observation[w.id*n : (w.id+1)*n : (w.id+1)*n], w.observe.ns, w.observe.ok
}

// Action is the action in force and the timestamp of the instant it came into
// force; not ok before the first one of an episode.
func (w *World) Action() (values []float32, stampNS int64, ok bool) {
	n := w.block.sim.spec.ActionSize
	return w.block.inForce[w.id*n : (w.id+1)*n : (w.id+1)*n], w.act.ns, w.act.ok
}

// Read writes what a sensor channel says at the world's instant to dst and
// returns the timestamp of the instant it was measured at; not ok where it still
// shows the value of the reset. See [sensors.Bank.Read].
func (w *World) Read(dst []float64, channel int) (stampNS int64, ok bool) {
	return w.block.bank.Read(dst, channel, w.id, w.now)
}

// Purpose says what a world's random numbers are drawn for. Draws for different
// purposes are independent.
type Purpose = random.Purpose

// What a task draws for.
const (
	ResetDraws = random.Reset // initial states and commands of an episode
	TaskDraws  = random.Task  // anything while an episode runs
)

// Random returns the world's random stream for a purpose in this episode, at its
// start. It is valid until the next call of Random or StepRandom.
func (w *World) Random(p Purpose) *rand.Rand {
	return w.random.Key(w.root.Seed, w.root.World, w.root.Episode, uint64(p))
}

// StepRandom is [World.Random] for one step: its stream is further keyed by the
// number of control steps completed in the episode, so that draws per step need no
// memory. Two calls with one purpose between two steps give the same numbers, and
// so do one in Reward and one in the Act that follows it.
func (w *World) StepRandom(p Purpose) *rand.Rand {
	return w.random.Key(w.root.Seed, w.root.World, w.root.Episode, uint64(p), uint64(w.steps))
}

// StepN is the run-wide number of the control step being taken.
func (w *World) StepN() int64 { return w.block.n }

// StepOffsetNS is how far the world's instant lies behind the control instant of
// the step being taken, in nanoseconds.
func (w *World) StepOffsetNS() int64 { return w.now.NS - w.stepNS }

// Fault says whether, and why, the world has failed; it then stands at its last
// valid state until its next decision point, where its episode ends.
func (w *World) Fault() physics.Fault { return w.fault }

// walk fires what the schedule says, instant by instant, until physics is needed
// or the next decision point is reached. It returns the number of substeps physics
// must advance before the walk can go on; 0 at the decision point.
func (w *World) walk() (substeps int32) {
	// One recover per walk rather than per callback keeps the cost off the
	// path of every instant. After a panic the walk goes on without the task:
	// the world ends at its decision point like after any other fault.
	defer func() {
		if p := recover(); p != nil {
			firing := w.clock().bindings[w.cursor.Calls()[w.call-1]].Name
			w.fail(physics.FaultTask, fmt.Sprintf("binding %q panicked: %v\n%s", firing, p, debug.Stack()))
			substeps = w.walk()
		}
	}()
	c := w.clock()
	for {
		calls := w.cursor.Calls()
		decisionPoint := !w.acting && w.cursor.Fired().Has(c.control)
		for w.call < len(calls) {
			b := &c.bindings[calls[w.call]]
			if decisionPoint && b.Phase > runners.Acquisition {
				return 0
			}
			if b.afterPhysics && w.written {
				if n := w.integrate(); n > 0 {
					return n
				}
			}
			w.call++
			if w.changed && w.before.Acquired(b.Name) {
				continue
			}
			w.written = w.written || b.Writes
			var n int32
			if w.trace == nil {
				n = w.fire(b)
			} else {
				n = w.trace.fire(w, c, b)
			}
			if n > 0 {
				return n
			}
		}
		if decisionPoint {
			return 0
		}
		if w.written {
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

// fire does what a binding is for. It returns the substeps that physics must
// advance, 0 for any but the binding that integrates.
func (w *World) fire(b *bound) (substeps int32) {
	switch b.Role {
	case Sense:
		w.block.bank.Sample(b.Channel, w.id, w.now)
	case Integrate:
		return w.integrate()
	case Act:
		w.putInForce()
	case Observe:
		w.finishStep()
	case Latch:
		w.latch()
	case Call:
		if b.Call == nil {
			return 0
		}
		w.context = w.cursor.Context(w.cursor.Calls()[w.call-1])
		b.Call(&w.context, w)
	}
	return 0
}

// integrate lets physics run ahead, from its place in the order of the instant: it
// takes every substep that begins before the next instant at which something may
// write to it, whether that is one of its runner's or not. It returns how many
// those are.
func (w *World) integrate() (substeps int32) {
	w.written = false
	if w.fault != physics.FaultNone {
		return 0
	}
	return int32(w.substepsBefore(w.cursor.NextWrite()) - w.block.rows.Boundary[w.id])
}

// substepsBefore is the substep boundary that physics has reached when it has taken
// every substep that begins before boundary k of a runner.
func (w *World) substepsBefore(id runners.ID, k int64) int64 {
	c := w.clock()
	return w.anchored + c.substep.Reached(c.rates[id], k)
}

// putInForce makes the action that was handed to the step the one in force.
func (w *World) putInForce() {
	inForce, _, _ := w.Action()
	copy(inForce, w.block.actionOf(w.id))
	w.act = stamp{w.now.NS, true}
	if w.fault == physics.FaultNone {
		w.block.sim.task.Act(w, inForce)
	}
}

// finishStep closes the control step that ends at this instant and observes; at the
// start of an episode it only observes.
func (w *World) finishStep() {
	b, s := w.block, w.block.sim
	if w.now.NS > 0 && !w.jumped {
		w.steps++
		if w.fault == physics.FaultNone {
			reward, terminated := s.task.Reward(w)
			if !isFinite(reward) {
				w.fail(physics.FaultTask, fmt.Sprintf("the reward of step %d is %v", w.steps, reward))
			} else {
				b.reward[w.id], b.terminated[w.id] = reward, terminated
				w.ret += reward
				total := b.infoSum(w.id)
				for i, v := range w.Info() {
					total[i] += v
				}
			}
		}
		b.truncated[w.id] = s.spec.MaxSteps > 0 && w.steps >= s.spec.MaxSteps
		for _, o := range s.observers {
			o.Rewarded(w, b.reward[w.id])
		}
	}
	if w.fault != physics.FaultNone {
		return // the last valid observation stays
	}
	observation, _, _ := w.Observation()
	next := b.scratch
	s.task.Observe(w, next)
	for i, v := range next {
		if !isFinite(v) {
			w.fail(physics.FaultTask, fmt.Sprintf("observation value %d is %v", i, v))
			return
		}
	}
	copy(observation, next)
	w.observe = stamp{w.now.NS, true}
}

// fail ends the world's episode at its next decision point. The first fault counts.
func (w *World) fail(f physics.Fault, message string) {
	if w.fault == physics.FaultNone {
		w.fault, w.message = f, message
	}
}

func isFinite(v float64) bool { return v-v == 0 }

// next gives the world the number of its next episode, and the root of its draws.
func (w *World) next() {
	s := w.block.sim
	w.episode += int64(s.worlds)
	if w.seeded {
		w.root.Episode++
	} else {
		w.root = random.Root{Seed: s.seed, World: uint64(w.Index()), Episode: uint64(w.episode)}
	}
}

// reseed makes the world's next episode the first one of world 0 of a run of one
// world with that seed.
func (w *World) reseed(seed uint64) {
	w.seeded = true
	w.root = random.Root{Seed: seed, Episode: ^uint64(0)} // next adds 1
}

// prepare makes the world ready for the episode whose number it has: everything
// as at t = 0, except that physics has not computed the state yet.
func (w *World) prepare() {
	b, s := w.block, w.block.sim
	w.state = running
	w.start, w.steps, w.ret = b.n, 0, 0
	w.observe, w.act, w.stepNS = stamp{}, stamp{}, 0
	w.fault, w.message = physics.FaultNone, ""
	w.version, w.anchored = s.plan.Begin(b.n), 0
	w.cursor = w.clock().schedule.Start()
	w.arrive()
	b.rows.Boundary[w.id] = 0 // also where physics then refuses the state
	s.model.InitialState(w.State())
	clear(w.Memory())
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
	s.task.Reset(w)
}

// ended tells the observers that the world's episode is closed.
func (w *World) ended(complete bool) {
	for _, o := range w.block.sim.observers {
		o.Ended(w, w.record(complete))
	}
}

// record describes the world's episode as it stands.
func (w *World) record(complete bool) Episode {
	b := w.block
	observation, _, _ := w.Observation()
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
		Complete:         complete,
		FinalObservation: observation,
		InfoSum:          b.infoSum(w.id),
	}
}
