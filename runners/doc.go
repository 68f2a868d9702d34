// Package runners is the clock: up to eight runners with fixed rational rates on one
// exact timeline, the order in which the bindings of the runners run, changes of both
// during a run, and the relation to wall time. It contains no physics, reads no wall
// clock but the one in a Driver's Settings, and imports only the standard library and
// internal/spell, which suggests spellings in error messages.
//
// # Time
//
// Boundary k of a runner at Num/Den Hz is the rational instant k·Den/Num
// seconds after the anchor. Its timestamp is the floor of that in nanoseconds,
// computed from k with 128-bit integers. Two boundaries are the same instant
// when their rationals are equal: i·a.Den·b.Num = j·b.Den·a.Num. Timestamps are
// for people and files: what fires is decided without comparing timestamps, without
// accumulating periods and without floating-point numbers. Compile refuses rates
// whose distinct boundaries are less than 1 ns apart, so distinct instants have
// distinct timestamps.
//
// The beat is the greatest common divisor of all registered rates. The pattern of
// instants repeats from beat to beat, so Compile computes one beat and stores it as a
// table that every world repeats from its own time 0: 52 instants for 500, 50 and
// 30 Hz. A beat of more than 65,536 instants is not stored; a Cursor then computes
// each instant as it moves, with the same results.
//
// # Order
//
// At an instant the enabled bindings of the runners that fire run in order of (phase,
// priority, registration). The runner is not part of that key: on a shared step the
// callbacks of several runners interleave. Beat bindings, the sync points, fire at
// every beat, last in their phase.
//
// # Driving a world
//
// An engine holds one Schedule for all worlds and one Cursor per world. A control
// step begins and ends at a decision point. It lies in an instant at which the control
// runner fires, after Acquisition and its sync point and before Control.
//
//	step(cursor, action):                 the cursor stands on a control instant t
//	    run the calls of Control at t     the action takes effect
//	    physics := cursor.NextWrite()     no binding writes to physics before that
//	    run the calls of Physics at t     integrate up to there; stamp the samples
//	    run the calls of Validation and Export at t
//	    loop:
//	        cursor.Next()
//	        if the control runner fires here:
//	            run the calls of Acquisition, the latch last; return
//	        run the calls of all phases   readers use samples with timestamps up to here
//
// The calls of a phase are those of cursor.Calls() with that phase; each callback
// receives cursor.Context(call). The number of physics steps before an instant is
// exact: Rate.Reached of the physics rate for the boundary that NextWrite or Boundary
// returns.
//
// For wall time there is Driver. It moves one cursor of its own from frame to frame
// and calls a Driven at each instant: never ahead of the wall clock in SimRealtime,
// without a wall clock in SimHighPerformance, and with skips in GameRealtime. Driver
// lists what a frame does. A Driven that only takes whole control steps takes each
// one when the driver reaches its end, and updates the driver's cursor when their
// length changes (Follower, Cursor.Continue).
//
// # Storing and changing the clock
//
// Copy a Cursor to store it in memory; use Cursor.Anchor, Cursor.Boundary and
// Schedule.Resume to store it in a file. Every world starts at its own time 0, the
// common anchor of all its runners.
//
// A Schedule never changes. Schedule.Apply makes a new one by edits, and a cursor
// moves to it at a decision point with Cursor.Adopt: at any decision point if the
// rates are the same, otherwise only at a beat, which becomes the new anchor of all
// runners. A Plan holds the changes of a run in order, each with the step from which
// it is valid, and applies them to every world's cursor:
//
//	at the decision point of step n:
//	    before := cursor
//	    version = plan.Follow(&cursor, version, n)
//	    if the version changed:
//	        look up the bindings of the new version by name
//	    run those of cursor.Calls() that were not before.Acquired
//	when an episode begins at step n:
//	    version = plan.Begin(n); cursor = plan.Schedule(version).Start()
//
// Boundaries are counted from the anchor, so a new anchor also restarts the count of
// physics steps at 0. That is exact, because every runner has a boundary at a beat.
package runners
