// Package runs has what all runs share: the worlds of a run or of a slice of one ([Worker]), the state from which it goes
// on ([State]), how its worlds are driven ([Drive]), the statistics of its episodes ([Results]), and what says later that
// a slice or a rollout was done ([SliceRecord], [Recipe]).
package runs
