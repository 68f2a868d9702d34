// Package rl learns policies with proximal policy optimisation, PPO (Schulman et
// al., "Proximal Policy Optimization Algorithms", 2017).
//
// It declares the environment it consumes ([Env]), imports no package of this project that knows worlds, and knows
// nothing about physics. Matrix products go to OpenBLAS; everything else is here.
//
// # One iteration
//
//	collect      every block, on any worker: observe, draw an action, step,
//	             for Settings.RolloutSteps control steps                   collector.go
//	addRollouts  running moments take in the rollout's observations, world part.go
//	             by world
//	update       scale rewards, by the deviation of the discounted return  update.go
//	             advantages: generalised advantage estimation, backwards   advantage.go
//	             in time
//	             improve: for each epoch: shuffle; for each minibatch:     sequence.go
//	             gradient of -min(ρA, clip(ρ)A) + ValueWeight·½(V-target)²
//	             - Entropy·H, clipped, one step of Adam                    adam.go
//
// The first step may be done elsewhere, in parts. [Weights], the networks and how to standardise observations, go to
// the collectors; each has a slice of the worlds, whole blocks, and returns a [Part]: samples, the states of a
// recurrent policy, and the moments of observations and the finished episodes of each world. The learner puts the
// samples side by side and merges the rest in the order of worlds, as it does with a rollout of its own, which is one
// part. So the bits do not depend on the slices. Everything else stays with the learner: it sums the discounted
// return over worlds within each step, which no slice could do.
//
// The policy is a network (mlp.go, gru.go) whose outputs describe a Gaussian or, of an agent that
// has choices, a categorical distribution (distribution.go). It may read other columns of
// the observation than the value network, see [Shape].
//
// # Details and their sources
//
// "37" is Huang et al., "The 37 Implementation Details of Proximal Policy Optimization", ICLR Blog Track 2022: c for
// its core, a for its continuous-action and l for its LSTM list. The gradients of every activation, distribution,
// part of the loss and of the GRU are tested against finite differences of a reference in double precision.
//
//	 1  many worlds, rollouts of fixed length, episodes run on: 37 c1
//	 2  orthogonal weights (√2, policy output 0.01, value 1), zero biases: 37 c2
//	 3  Adam with ε = 1e-5: 37 c3
//	 4  learning rate falls linearly to 0 (Schedule Linear): 37 c4
//	 5  advantages by GAE(λ); target = A + V: 37 c5; Schulman et al. 2016
//	 6  shuffled minibatches without replacement: 37 c6
//	 7  advantages standardised per minibatch: 37 c7
//	 8  clipped ratio: 37 c8; PPO eq. 7
//	 9  value clipped around its old value (ClipValue): 37 c9
//	10  one loss of three terms: 37 c10; PPO eq. 9
//	11  gradient clipped to MaxGradNorm over all parameters: 37 c11
//	12  approximate KL (ρ-1) - ln ρ, clip fraction, explained variance: 37 c12; Schulman, "Approximating KL
//	    Divergence", 2020
//	13  Gaussian actions, state-independent log standard deviation, independent components: 37 a1, a2, a3
//	14  separate networks for policy and value, of sizes of their own (PolicyHidden, CriticHidden): 37 c13, a4;
//	    tanh, ELU (Clevert et al. 2016) or ReLU (Nair and Hinton 2010), all begin as in 2
//	15  the environment gets the action clipped to its bounds, the learner keeps it as drawn: 37 a5
//	16  observations standardised by running moments, then clipped to ±10: 37 a6, a7; here the moments are frozen
//	    during a rollout, so that workers may be of any speed, and a first rollout only fills them
//	17  rewards divided by the running deviation of the discounted return, then clipped to ±10: 37 a8, a9; here a
//	    whole rollout by the deviation that includes it
//	18  a truncated episode is continued by the value of its final observation, a terminated one is not: Pardo et
//	    al., "Time Limits in Reinforcement Learning", 2018
//	19  a fault ends an episode without a value of what follows, and the faulted step earns 0: ours
//	20  stop the update after an epoch whose mean KL is above 1.5·TargetKL: OpenAI, Spinning Up, 2018
//	21  learning rate ÷1.5 above 2·TargetKL, ×1.5 below half of it, within 1e-5 and 1e-2, after each minibatch
//	    (Schedule Adaptive; here by detail 12's estimate): Rudin et al., "Learning to Walk in Minutes Using
//	    Massively Parallel Deep RL", 2021
//	22  one of several choices: logits of a categorical distribution, its entropy in the loss: 37 c1 to c13;
//	    Bridle, "Training Stochastic Model Recognition Algorithms", 1990
//	23  the value network may see what the policy does not (Shape.Policy, Shape.Critic); one standardiser for all:
//	    Pinto et al., "Asymmetric Actor Critic for Image-Based Robot Learning", 2018
//	24  standard deviations held within [MinStd, MaxStd]: those that are parameters after each step of Adam, ours;
//	    those of StateStd in the network's output, whose derivative is then 0: the code of Haarnoja et al., "Soft
//	    Actor-Critic", 2018
//	25  standard deviations from the network (StateStd), its last biases begin at InitialStd: Haarnoja et al. 2018;
//	    the beginning as in detail 13
//	26  first episodes of random length (stagger_episodes of a configuration), so that time limits do not come at
//	    once: Rudin et al. 2021, its code
//	27  mirror loss: Weight·|μ(s) - M(μ(M s))|² (Symmetry); M acts on the task's own units, whatever the
//	    standardiser: Yu, Turk and Liu, "Learning Symmetric and Low-Energy Locomotion", 2018
//	28  an update in which a loss, a gradient or a parameter is not finite begins again from the networks before it,
//	    with a quarter of the learning rate, five times at most: ours
//	29  a GRU before the hidden layers of policy and value network (Recurrent), each its own; orthogonal weights,
//	    zero biases, state zero at first and where an episode begins: Cho et al. 2014, in PyTorch's form; the place:
//	    RSL-RL, SB3-contrib's RecurrentPPO and Sample Factory; 37 l1, l2, l3
//	30  minibatches of whole sequences of one world (Sequence), the gradient passing back through a sequence but not
//	    through an episode's beginning: 37 l4, Sample Factory (a recurrence of 32 steps); no padding: the shorter
//	    sequences come last
//	31  a sequence begins with the state kept when acting, not computed anew in each epoch: Kapturowski et al.,
//	    "Recurrent Experience Replay in Distributed RL", 2019
//	32  the final observation of a truncated episode is valued in its last state, what follows the rollout in the
//	    current one: 18, with memory
//	33  with a symmetry, the mirror images are an episode of their own: the policy's state for them is kept beside
//	    the other: 27, with memory
//	34  convolutions before the rest of policy and value network (Convolutions), each its own, where they read
//	    pictures; an activation after each; they begin as in 2: the networks of Mnih et al., "Human-level control
//	    through deep reinforcement learning", 2015; 37, its Atari list, shares them between both networks
//	35  a channel of a picture is standardised by one mean and one deviation, over pixels and time: ours; 37 divides
//	    bytes by 255
//
// # The same bits
//
// On one kind of processor, a run depends on its seed, its settings, the environment and the OpenBLAS kernel
// ([Kernel]), and not on the number of workers or the size of blocks: each world is always the same row of a matrix
// of the same height ([PanelHeight]); every random number is keyed by what it is for, such as (seed, world, control
// step); what a rollout gathers is kept per world and merged in world order; a minibatch is cut into chunks by its
// size alone, and the chunks are summed by a fixed tree; weights and parts name each other by digests.
package rl
