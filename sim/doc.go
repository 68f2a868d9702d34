// Package sim steps many worlds at once, each on its own exact timeline.
//
// A [World] is one copy of a scene: a row of physics state, its sensors' measurements, and a [Task] with actions,
// observations and rewards. Worlds are packed into fixed [Block]s. A block is the unit of work: any [Worker] may
// step it, with few calls into the physics engine, and the results do not depend on which worker does, nor on the
// number of workers.
//
// # One step of a block
//
// [Block.Step] goes from one decision point to the next. The decision point of a control instant t lies after its
// Acquisition phase and before its Control phase: observations are ready, actions are not yet taken.
//
//	Control(t)      the controller puts the action in force; later bindings read it
//	Physics(t)      one engine call for the whole block, up to the next instant
//	                at which a binding may write to physics
//	Validation(t), Export(t)
//	every instant τ in (t, t'): Acquisition … Export of the bindings that fire at τ
//	Acquisition(t') channels, then reward, termination and observation, then the latch
//	                a world whose episode ended is reset and acquires again at its t = 0
//
// Each world follows its own schedule from its own t = 0, so the worlds of a block are at different points of the
// beat. The walk of a world stops where physics must advance. The block then advances all worlds that stopped in
// one engine call, each by its own number of substeps, and their walks continue.
//
// # Inputs and readers
//
// Inputs beside the configuration and the seed arrive at decision points, between calls of [Sim.Each], and are
// logged: actions, restarts, changes of the clock ([Sim.Change]) and skips ([Sim.Skip]). A [Snapshot] is taken and
// restored there. Other goroutines may read a world through a [Watch] at any time.
//
// # Randomness
//
// Every draw comes from a stream keyed by seed, world, episode and purpose. There is no global source.
package sim
