// Package env turns a configuration into worlds that run: it is the one room
// that knows all the others.
//
// [NewPlan] resolves the clock: runners, bindings, their order. It needs no
// engine, so it also serves to print them. [Open] builds the rest from a plan:
// the model, the sensors, the task, the worlds, and the recording.
package env
