// Package runners is the clock: up to eight runners with fixed rational rates on one exact timeline, the order in
// which the bindings of the runners run, changes of both during a run, and the relation to wall time. It contains
// no physics, and reads no wall clock but the one in a Driver's Settings.
//
// # Time
//
// Boundary k of a runner at Num/Den Hz is the rational instant k·Den/Num seconds after the anchor. Its timestamp
// is the floor of that in nanoseconds, computed from k with 128-bit integers. Two boundaries are the same instant
// when their rationals are equal: i·a.Den·b.Num = j·b.Den·a.Num. Timestamps are for people and files: what fires
// is decided without comparing them, without accumulating periods and without floating-point numbers. Compile
// refuses rates whose distinct boundaries are less than 1 ns apart, so distinct instants have distinct timestamps.
//
// The beat is the greatest common divisor of all registered rates. The pattern of instants repeats from beat to
// beat: 52 instants for 500, 50 and 30 Hz. A Cursor keeps the next boundary of each runner, and compares them.
//
// # Order
//
// At an instant the enabled bindings of the runners that fire run in order of (phase, priority, registration),
// whichever runner they are on. Beat bindings, the sync points, fire at every beat, last in their phase.
//
// The bindings of worlds have roles: one acts, one advances physics, one observes. From these follow the control
// runner, the rate of physics substeps, and what may not run after physics. Compile checks them. A schedule whose
// bindings only call functions has none of these.
//
// # Driving a world
//
// An engine holds one Schedule for all worlds and one Cursor per world. A control step begins and ends at a decision
// point: in an instant at which the control runner fires, after Acquisition and its sync point and before Control.
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
// Each callback receives cursor.Context(call). Rate.Reached of the physics rate counts the physics steps before the
// boundary that NextWrite or Boundary returns, exactly. A Driver relates a cursor of its own to wall time.
//
// # Storing and changing the clock
//
// Copy a Cursor to store it in memory; use Cursor.Anchor, Cursor.Boundary and Schedule.Resume to store it in a file.
//
// A Schedule never changes. Schedule.Apply makes a new one by edits, and a cursor moves to it at a decision point with
// Cursor.Adopt: at any one if the rates are the same, otherwise only at a beat, which becomes the new anchor of all
// runners. A Clock holds the changes of a run in order, each with the step from which it is valid, and applies them to
// every world's cursor:
//
//	at the decision point of step n:
//	    before := cursor
//	    version = clock.Follow(&cursor, version, n)
//	    if the version changed:
//	        look up the bindings of the new version by name
//	    run those of cursor.Calls() that were not before.Acquired
//	when an episode begins at step n:
//	    version = clock.Begin(n); cursor = clock.Schedule(version).Start()
//
// A new anchor also restarts the count of physics steps at 0, exactly, because every runner has a boundary at a beat.
package runners
