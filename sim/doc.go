// Package sim steps many worlds at once, each on its own exact timeline.
//
// A [World] is one copy of a scene: a row of physics state, what its sensors
// have measured, and a [Task] that acts, observes and judges. Worlds are packed
// into fixed [Block]s. A block is the unit of work: any [Worker] may step it,
// with one call into the physics engine, and nothing a block computes depends
// on which worker that was or how many there are.
//
// # One step of a block
//
// [Block.Step] goes from one decision point to the next. The decision point of a
// control instant t lies after its Acquisition phase and before its Control
// phase: observations are ready, actions are not yet taken.
//
//	Control(t)      the controller puts the action in force; a binding after it sees it
//	Physics(t)      one engine call for the whole block, up to the next instant
//	                at which a binding may write to physics; from there it goes on
//	Validation(t), Export(t)
//	every instant τ in (t, t'): Acquisition … Export of what fires at τ
//	Acquisition(t') channels, then reward, termination and observation, then the latch
//	                a world that ended is closed, reset, and acquires again at its t = 0
//
// Each world walks its own schedule from its own t = 0, so the worlds of a block
// stand at different points of the beat. A walk stops where it needs physics;
// the block then advances all the worlds that stopped in one engine call, each
// by its own number of substeps, and the walks resume.
//
// # From outside
//
// What is not decided by a configuration and a seed comes in at decision points,
// between calls of [Sim.Each], and is logged: actions, restarts, changes of the
// clock ([Sim.Change]) and skips ([Sim.Skip]). A [Snapshot] is taken and restored
// there. Other goroutines look in through a [Watch] at any time.
//
// # Randomness
//
// Every draw comes from a stream keyed by seed, world, episode and purpose
// (package internal/random). There is no global source and no clock.
package sim
