// Package rl learns policies with proximal policy optimisation, PPO (Schulman et al., "Proximal Policy Optimization
// Algorithms", 2017), with soft actor-critic, SAC (Haarnoja et al., "Soft Actor-Critic Algorithms and Applications",
// 2018, the second version), and offline by TD3+BC. A policy may also imitate a [Teacher], or what was [Recorded]. A
// [Learner] does one of these with the samples of a [Source].
//
// It declares the environment it consumes ([Env]), imports no package of this project that knows worlds, and knows
// nothing about physics. Networks, distributions and the optimiser are those of package nn.
//
// # Where to find what
//
//	env.go, source.go                what is learned from: Env, Source, Teacher, Recorded
//	settings.go, sac_settings.go     what a user sets; shared_settings.go is below both
//	symmetry.go                      mirror images
//	algorithm.go                     Algorithm, and the list of definitions
//	learner.go, checkpoint.go        Learner: begin, continue, resume
//	policy.go, network.go            Policy: acts, and becomes data
//	metrics.go                       what an iteration reports
//
// Algorithms that learn from whole rollouts:
//
//	ppo.go                           PPO: an iteration, its details and their sources
//	distill.go, clone.go             imitation of a teacher, and of rows
//	rollout_learner.go, loss.go      what they share: state, sequences, chunks
//	agent.go, collector.go           networks; what steps worlds under them
//	rollout.go, weights.go, part.go  samples; what goes to collectors and comes back
//
// Algorithms that learn from a replay:
//
//	sac.go                           SAC: an iteration, its details and their sources
//	td3bc.go                         TD3+BC: its details and their sources
//	replay_learner.go                what they share: state, working memory
//	replay_update.go                 gradient steps
//	replay.go, replay_file.go        Replay: its rows, and their file
//	replay_fill.go                   rows that were recorded
//	layout.go, replay_read.go        where values are in a row; reading minibatches
//
// # Learning from whole rollouts
//
// Rollouts may be collected elsewhere, which [Parts] are for. [Weights], the networks and how to standardise
// observations, go to the collectors; each has a slice of the worlds, whole blocks, and returns a [RolloutPart]:
// samples, the states of a recurrent policy, and the moments of observations and the finished episodes of each world.
// The learner puts the samples side by side and merges the rest in the order of worlds, as it does with a rollout of
// its own, which is one part. So the bits do not depend on the slices. Everything else stays with the learner: it sums
// the discounted return over worlds within each step, which no slice could do.
//
// A [Distiller] and a [Cloner] do the same with another loss of the policy: -ln π of what a teacher would have done, or
// of what was done. A Cloner's rollouts are made of rows, and have no rewards to scale.
//
// The policy is a network whose outputs describe a Gaussian or, of an agent that has choices, a categorical
// distribution. It may read other columns of the observation than the value network, see [Shape].
//
// # The same bits
//
// On one kind of processor, a run depends on its seed, its settings, the environment and the OpenBLAS kernel
// ([nn.Kernel]), and not on the number of workers or the size of blocks: each world is always the same row of a matrix
// of the same height ([nn.PanelHeight]); every random number is keyed by what it is for, such as (seed, world, control
// step); what a rollout gathers is kept per world and merged in world order; a minibatch is cut into chunks by its
// size alone, and the chunks are summed by a fixed tree; weights and parts name each other by digests. SAC keys what
// it draws from the replay by gradient step, as the shifts of pictures, and its noise by gradient step and chunk.
package rl
