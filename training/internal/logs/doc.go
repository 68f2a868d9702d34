// Package logs knows what the header of a run log says of the run: its kind, what drove it, and the versions on which its
// bits depend. It creates the log of a run, and finds what drove it again.
package logs
