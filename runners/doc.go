// Package runners is the clock: up to eight fixed rational rates on one exact
// timeline, the order in which what is bound to them runs, how that changes in
// mid-run, and when it happens in wall time. It knows no physics, reads no wall
// clock but the one a Driver is given, and needs nothing but the standard library,
// and internal/spell to name what was misspelt.
//
// # Time
//
// Boundary k of a runner at Num/Den Hz is the rational instant k·Den/Num
// seconds after the anchor. Its timestamp is the floor of that in nanoseconds,
// computed from k with 128-bit integers. Two boundaries are the same instant
// when their rationals are equal: i·a.Den·b.Num = j·b.Den·a.Num. Timestamps are
// for people and files; they are never compared to decide what fires, nothing
// is accumulated, and no floating-point number takes part. Compile refuses
// rates whose distinct boundaries come closer than 1 ns, so distinct instants
// also have distinct timestamps.
//
// The beat is the greatest common divisor of all registered rates. What
// happens between two beats repeats, so Compile walks one beat by arithmetic
// and stores it as a table, which every world replays from its own time 0:
// 52 instants for 500, 50 and 30 Hz. A beat of more than 65,536 instants is
// stepped by the same arithmetic each time; a Cursor gives the same answers.
//
// # Order
//
// At an instant the enabled bindings of the runners that fire run by (phase,
// priority, registration). The runner is no part of that key: on a shared step
// the runners' callbacks interleave, never one whole runner after the other.
// Beat bindings, the sync points, fire at every beat as the last of their
// phase.
//
// # Driving a world
//
// A driver holds one Schedule for all worlds and one Cursor per world. A
// control step begins and ends at the decision point: after Acquisition with its
// sync point, before Control, of an instant at which the control runner fires.
//
//	step(cursor, action):                 the cursor stands on a control instant t
//	    run the calls of Control at t     the action takes effect
//	    physics := cursor.NextWrite()     nothing writes to physics before that
//	    run the calls of Physics at t     integrate up to there; stamp the samples
//	    run the calls of Validation and Export at t
//	    loop:
//	        cursor.Next()
//	        if the control runner fires here:
//	            run the calls of Acquisition, the latch last; return
//	        run the calls of all phases   readers take samples stamped ≤ here
//
// The calls are cursor.Calls(), cut where the phase changes; each gets its
// cursor.Context(call). How many physics steps lie before an instant is
// exact: Rate.Reached of the physics rate for the boundary that NextWrite or
// Boundary names.
//
// Where wall time matters, a Driver moves one cursor of its own, from frame to
// frame, and calls back at each instant: never ahead of the clock in
// SimRealtime, without a clock in SimHighPerformance, skipping in GameRealtime.
// What a frame does is written out at Driver. One that steps whole control
// steps takes each when the driver reaches its end, and has the driver follow
// their length (Follower, Cursor.Continue).
//
// # Keeping and changing the clock
//
// A Cursor is copied to keep it in memory; Cursor.Anchor, Cursor.Boundary and
// Schedule.Resume keep it in a file. Every world starts at its own time 0, the
// common anchor of all its runners.
//
// A Schedule never changes. Edits lead from one to the next (Schedule.Apply),
// and a cursor moves over at a decision point (Cursor.Adopt): at any of them
// while the rates stay, else at a beat, which becomes the new anchor of all
// runners. A Plan holds the changes of a run in order, each with the step from
// which it is valid, and takes every world's cursor through them:
//
//	at the decision point of step n:
//	    before := cursor
//	    version = plan.Follow(&cursor, version, n)
//	    if it changed: look up the bindings of that version by name;
//	    run those of cursor.Calls() that were not before.Acquired
//	when an episode begins at step n:
//	    version = plan.Begin(n); cursor = plan.Schedule(version).Start()
//
// Boundaries count from the anchor, so a count of physics steps starts again at
// 0 there too: it is exact, because every runner has a boundary at a beat.
package runners
