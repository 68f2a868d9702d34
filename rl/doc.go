// Package rl learns policies with proximal policy optimisation, PPO (Schulman et
// al., "Proximal Policy Optimization Algorithms", 2017).
//
// It declares the environment it consumes ([Env]), imports no package of this
// project that knows worlds, and knows nothing about physics. Matrix products go to OpenBLAS through
// gonum's netlib binding; everything else is here.
//
// # One iteration
//
//	collect      every block, on any worker: observe, draw an action, step,
//	             for Settings.RolloutSteps control steps                   collector.go
//	absorb       running moments take in the rollout's observations, world part.go
//	             by world
//	update       scale rewards, by the deviation of the discounted return  update.go
//	             advantages: generalised advantage estimation, backwards   advantage.go
//	             in time
//	             improve: for each epoch: shuffle; for each minibatch:     sequence.go
//	             gradient of -min(ρA, clip(ρ)A) + ValueWeight·½(V-target)²
//	             - Entropy·H, clipped, one step of Adam                    adam.go
//
// The first step may be done elsewhere, in parts. [Orders], the networks and how to standardise
// observations, go to the collectors; each has a slice of the worlds, whole blocks, and
// returns a [Part]: samples, the states of a recurrent policy, and the moments of
// observations and the finished episodes of each world. The learner puts the samples side by side and
// merges the rest in the order of worlds, as it does with a rollout of its own, which is
// one part. So the bits do not depend on the slices. Everything else stays with the learner:
// it sums the discounted return over worlds within each step, which no slice could do.
//
// The policy is a network (mlp.go, gru.go) whose outputs describe a Gaussian or, of an agent that
// has choices, a categorical distribution (distribution.go). It may read other columns of
// the observation than the value network, see [Shape].
//
// # Details and their sources
//
// "37" is Huang et al., "The 37 Implementation Details of Proximal Policy
// Optimization", ICLR Blog Track 2022: c for its core, a for its continuous-action and l
// for its LSTM list. The gradients of every activation, distribution, part of the loss and of the GRU are tested
// against finite differences of a reference in double precision.
//
//	 1  many worlds, rollouts of fixed length, episodes run on      37 c1
//	 2  orthogonal weights (√2, policy output 0.01, value 1), zero  37 c2
//	    biases
//	 3  Adam with ε = 1e-5                                          37 c3
//	 4  learning rate falls linearly to 0 (Schedule Linear)         37 c4
//	 5  advantages by GAE(λ); target = A + V                        37 c5; Schulman et al. 2016
//	 6  shuffled minibatches without replacement                    37 c6
//	 7  advantages standardised per minibatch                       37 c7
//	 8  clipped ratio                                               37 c8; PPO eq. 7
//	 9  value clipped around its old value (ClipValue)              37 c9
//	10  one loss of three terms                                     37 c10; PPO eq. 9
//	11  gradient clipped to MaxGradNorm over all parameters       37 c11
//	12  approximate KL (ρ-1) - ln ρ, clip fraction, explained       37 c12; Schulman,
//	    variance                                                    "Approximating KL Divergence", 2020
//	13  Gaussian actions, state-independent log standard deviation, 37 a1, a2, a3
//	    independent components
//	14  separate networks for policy and value, of sizes of their   37 c13, a4; ELU: Clevert et al. 2016;
//	    own (PolicyHidden, CriticHidden); tanh, ELU or ReLU         ReLU: Nair and Hinton 2010
//	    (Activation), all begin as in 2
//	15  the environment gets the action clipped to its bounds, the  37 a5
//	    learner keeps it as drawn
//	16  observations standardised by running moments, then clipped  37 a6, a7
//	    to ±10; here the moments are frozen during a rollout, so that
//	    workers may be of any speed, and a first rollout only fills
//	    them
//	17  rewards divided by the running deviation of the discounted  37 a8, a9
//	    return, then clipped to ±10; here a whole rollout by the
//	    deviation that includes it
//	18  a truncated episode is continued by the value of its final  Pardo et al., "Time Limits in
//	    observation; a terminated one is not                        Reinforcement Learning", 2018
//	19  a fault ends an episode without a value of what follows,    ours
//	    and the faulted step earns 0
//	20  stop the update after an epoch whose mean KL is above       OpenAI, Spinning Up, 2018 (1.5×)
//	    1.5·TargetKL
//	21  learning rate ÷1.5 above 2·TargetKL, ×1.5 below half of it, Rudin et al., "Learning to Walk in
//	    within 1e-5 and 1e-2, after each minibatch (Schedule        Minutes Using Massively Parallel
//	    Adaptive; here by detail 12's estimate)                     Deep RL", 2021
//	22  one of several choices: logits of a categorical             37 c1 to c13; Bridle, "Training
//	    distribution, its entropy in the loss                       Stochastic Model Recognition
//	                                                                Algorithms", 1990
//	23  the value network may see what the policy does not          Pinto et al., "Asymmetric Actor Critic
//	    (Shape.Policy, Shape.Critic); one standardiser for all      for Image-Based Robot Learning", 2018
//	24  standard deviations held within [MinStd, MaxStd]: those     Haarnoja et al., "Soft Actor-Critic",
//	    that are parameters after each step of Adam, those of       2018, its code; the first ours
//	    StateStd in the network's output, whose derivative is
//	    then 0
//	25  standard deviations from the network (StateStd), its last   Haarnoja et al. 2018; the beginning
//	    biases begin at InitialStd                                  as in detail 13
//	26  first episodes of random length (stagger_episodes of a      Rudin et al. 2021, its code
//	    configuration), so that time limits do not come at once
//	27  mirror loss: Weight·|μ(s) - M(μ(M s))|² (Symmetry); M       Yu, Turk and Liu, "Learning Symmetric
//	    acts on the task's own units, whatever the standardiser     and Low-Energy Locomotion", 2018
//	28  an update in which a loss, a gradient or a parameter is     ours
//	    not finite begins again from the networks before it, with
//	    a quarter of the learning rate, five times at most
//	29  a GRU before the hidden layers of policy and value network  Cho et al. 2014, in PyTorch's form; the
//	    (Recurrent), each its own; orthogonal weights, zero biases, place: RSL-RL, SB3-contrib's RecurrentPPO
//	    state zero at first and where an episode begins             and Sample Factory; 37 l1, l2, l3
//	30  minibatches of whole sequences of one world (Sequence),     37 l4, Sample Factory (a recurrence of
//	    the gradient passing back through a sequence but not        32 steps); no padding: the shorter
//	    through an episode's beginning                              sequences come last
//	31  a sequence begins with the state kept when acting, not      Kapturowski et al., "Recurrent Experience
//	    computed anew in each epoch                                 Replay in Distributed RL", 2019
//	32  the final observation of a truncated episode is valued in   18, with memory
//	    its last state, what follows the rollout in the current one
//	33  with a symmetry, the mirror images are an episode of their  27, with memory
//	    own: the policy's state for them is kept beside the other
//
// # The same bits
//
// On one kind of processor, a run depends on its seed, its settings, the
// environment and the OpenBLAS kernel ([Kernel]), and on nothing else: not on the
// number of workers, not on the size of blocks.
//
//   - Each world is always the same row of a matrix of the same height
//     ([PanelHeight]), because some kernels round a row by its place.
//   - Every random number is keyed by what it is for: (seed, world, control step)
//     for actions, (seed, iteration, epoch) for shuffling.
//   - What a rollout gathers is kept per world and merged in world order.
//   - Orders and parts name each other by digests, so that no part of other networks is taken.
//   - A minibatch is cut into chunks by its size alone, and the chunks are summed
//     in order.
//   - The states of a GRU belong to worlds, those of a chunk's sequences to its rows.
package rl
