// Package sweep trains with many values of some keys of a configuration and finds the best ones.
//
// A [Plan] says which keys are swept over which [Range], how a [Search] chooses the values of each trial, with how
// many seeds a trial is trained, and by which number trials are compared. [Run] executes it: each run is an ordinary
// training in a run folder trial-NNN, or trial-NNN/seed-K with several seeds, or seed-K if no key is swept. It can be
// stopped at any time and continued, and its results do not depend on how many runs train at once.
package sweep
