// Package sensors turns what physics sampled into what a robot would measure.
//
// A [Channel] is one measured vector: a runner says how often it is taken, its
// sources say what of, and its fields how it errs: bias, noise, range, resolution,
// holds, losses, delays, and how many samples a reader sees. Channels are
// compiled against a model into a [Suite], shared by all worlds; a [Bank] holds
// what a block of worlds has measured so far.
//
// Taking and reading are apart. Physics runs ahead and keeps a sample of every
// substep boundary; when a channel fires, the bank notes which boundary was the
// newest; a reader at instant τ gets the newest taken sample that may be known
// at τ:
//
//   - a Motion channel: stamp ≤ τ;
//   - a Force channel: stamp < τ, since the force at τ follows from an action
//     that is only chosen at τ;
//   - with a delay L, moreover stamp + L ≤ τ, compared in nanoseconds.
//
// Before the first such sample, it gets the value computed at the reset,
// without a stamp. Nothing is interpolated.
//
// Every draw is a function of (seed, world, episode, channel, sample): every reader
// of a sample sees the same value. A channel whose samples depend on earlier ones
// keeps what it needs of them; reading never changes it.
package sensors
