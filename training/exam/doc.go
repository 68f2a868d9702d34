// Package exam examines policies: how often they succeed, where they break, and whether one may replace another.
//
// A [Plan] says which conditions an exam has, its cells: the configuration as it is, which is the control cell, and the
// combinations of the values of its axes. [Run] has a policy take episodes in each cell, and a reference policy the same
// ones, until the number of episodes is enough, and returns a [Report]. Episode i of every cell and of every policy has the
// same seed ([sim.EpisodeSeed]). So outcomes are pairs, and no number depends on the number of worlds or of workers, or on
// where an exam was stopped. [Again] records one episode, to the same bits.
//
// Statistics are those of package proportion. An error that the caller can correct is of type [env.ConfigError].
package exam
