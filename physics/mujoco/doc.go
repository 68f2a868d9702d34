// Package mujoco is the MuJoCo engine behind package physics, through MuJoCo's
// batch API (mujoco/mjbatch.h). It is the only package that calls MuJoCo.
//
// [Load] compiles a model once; everything the simulation asks of a [Model] afterwards is answered from Go memory, so
// a Model may be read by any number of goroutines. A stepper owns an mjBatch of one thread and advances a whole block
// of worlds in a single call into C (shim.c), which takes the substeps, samples the probes between them, and sorts
// out faults.
//
// # State
//
// A state row is MuJoCo's integration state (mjSTATE_INTEGRATION), warm start
// included, in the order of mj_getState: [Model.Field] names its parts.
//
// # Faults
//
// MuJoCo by default resets a simulation silently when a number goes bad. Every model loaded here has that autoreset
// disabled (mjDSBL_AUTORESET): a bad number (NaN, infinite, or beyond 1e10 in magnitude, MuJoCo's own bound) in qpos,
// qvel, act, ctrl or qacc is a [physics.FaultNotFinite], and an error that the engine raises is a
// [physics.FaultEngine].
//
// # Islands
//
// A model of one kinematic tree is stepped without MuJoCo's search for constraint islands (mjDSBL_ISLAND), which then
// has nothing to part: the bits are the same, and a step takes 4 to 12 % less time. Models that sleep keep it.
//
// # Errors and the log
//
// MuJoCo's default log handler writes MUJOCO_LOG.TXT into the working folder and ends the process on an error. The
// first Load replaces it: an error in a call made here becomes a Go error, warnings are dropped (those of the
// compiler are kept, see [Model.Warnings]), and an error that nobody guards aborts with a message, because MuJoCo
// gives it no way to return.
//
// # Memory
//
// Models, steppers and bare loops own C memory and must be closed. One that is garbage collected while open is
// reported on stderr with the place that opened it, and panics in tests. See [OpenHandles].
package mujoco
