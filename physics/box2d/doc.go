// Package box2d is the Box2D engine behind package physics. It is the only package that calls Box2D 2.4.1, whose
// library it uses unmodified; two of its allocators give way to those of replaced.cpp when a program is linked.
//
// [New] compiles a scene (package scene) once; everything the simulation asks of a [Model] afterwards is answered
// from Go memory, so a Model may be read by any number of goroutines. A stepper advances a whole block of worlds in a
// single call into C++ (shim.cpp), which takes the substeps, samples the probes between them, and sorts out faults.
//
// # State
//
// A state row holds everything that decides the future of a world, as numbers that are exact. Package scene names the
// parts that others may read and write; docs/explanation/decisions.md says what else there is, and why.
//
// Box2D itself wants live objects. Each row's b2World is kept in [physics.Rows.Cache] as a cache: a step uses it
// while nobody was given the row to write, or the row is, byte for byte, what the world would be stored as, and else
// builds a new one from the row (world.cpp). Members that have no accessor are reached through reveal.h.
//
// # Faults
//
// Debian's library keeps Box2D's asserts, which end the process. So everything that comes from outside is checked
// before it gets there: the scene when it is compiled, a row whenever a world is built from it, the control at every
// call. A number that is not finite or absurdly large (a position beyond 1e5 m, where a float32 is coarser than
// Box2D's tolerances), from outside or after a substep, is a [physics.FaultNotFinite]; a row that stands for no
// world, and more contacts than the scene has room for, are a [physics.FaultEngine].
//
// # Memory
//
// Models, steppers, bare loops and what they keep in rows own C memory and must be closed. One that is garbage
// collected while open is reported on stderr with the place that opened it, and panics in tests. See [OpenHandles].
package box2d
