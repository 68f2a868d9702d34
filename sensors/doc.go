// Package sensors turns samples of physics into the measurements of a robot.
//
// A [Channel] is one measured vector. Its runner sets how often it is sampled, its sources name the engine values
// that it measures, and its other fields model its errors: bias, noise, range, resolution, holds, losses and
// delays. Channels are compiled against a model into a [Suite], which all worlds share. A [Bank] holds the
// measurements of a block of worlds.
//
// Sampling and reading are separate. Physics runs ahead and keeps a sample of every substep boundary. When a
// channel fires, the bank records the newest boundary. A reader at instant τ gets the newest recorded sample that
// is available at τ:
//
//   - a Motion channel: stamp ≤ τ;
//   - a Force channel: stamp < τ, since the force at τ follows from an action
//     that is only chosen at τ;
//   - with a delay L, also stamp + L ≤ τ, compared in nanoseconds.
//
// Before the first such sample, it gets the value computed at the reset, without a stamp. Nothing is interpolated.
//
// Every draw is a function of (seed, world, episode, channel, sample), so all readers of a sample see the same
// value. A channel whose samples depend on earlier ones has a memory of them, which reading never changes.
package sensors
