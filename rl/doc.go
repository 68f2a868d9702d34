// Package rl learns policies with proximal policy optimisation, PPO (Schulman et al., "Proximal Policy Optimization
// Algorithms", 2017), with soft actor-critic, SAC (Haarnoja et al., "Soft Actor-Critic Algorithms and Applications",
// 2018, the second version), and offline by TD3+BC. A policy may also imitate a [Teacher], or what was [Recorded]. A
// [Learner] does one of these with the samples of a [Source].
//
// It declares the environment it consumes ([Env]), imports no package of this project that knows worlds, and knows
// nothing about physics. Networks, distributions and the optimiser are those of package nn.
//
// # One iteration of PPO
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
//	             - Entropy·H, clipped, one step of Adam                    nn/adam.go
//
// The first step may be done elsewhere, which [Parts] are for. [Weights], the networks and how to standardise
// observations, go to the collectors; each has a slice of the worlds, whole blocks, and returns a [Part]: samples, the
// states of a recurrent policy, and the moments of observations and the finished episodes of each world. The learner
// puts the samples side by side and merges the rest in the order of worlds, as it does with a rollout of its own, which
// is one part. So the bits do not depend on the slices. Everything else stays with the learner: it sums the discounted
// return over worlds within each step, which no slice could do.
//
// A [Distiller] and a [Cloner] do the same with another loss of the policy: -ln π of what a teacher would have done, or
// of what was done. A Cloner's rollouts are made of rows, and have no rewards to scale.
//
// The policy is a network whose outputs describe a Gaussian or, of an agent that has choices, a categorical
// distribution. It may read other columns of the observation than the value network, see [Shape].
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
//	36  what a teacher would have done in place of advantages (AlgorithmDistill): the student acts, the loss is -ln π of
//	    the teacher's action: Ross, Gordon and Bagnell, "A Reduction of Imitation Learning and Structured Prediction to
//	    No-Regret Online Learning", 2011, without its mixture of both policies and with the newest rollout alone
//	38  chunks of actions (ChunkSize): the policy's outputs are those of several control steps, learned from each row:
//	    Zhao et al., "Learning Fine-Grained Bimanual Manipulation with Low-Cost Hardware", 2023, without its mean of
//	    the chunks that overlap; after an episode's end its last action is repeated: Chi et al., "Diffusion Policy:
//	    Visuomotor Policy Learning via Action Diffusion", 2023
//
// # One iteration of SAC
//
//	collect      every block, on any worker: observe, draw an action (at first     sac_collect.go
//	             uniformly), step, for SACSettings.Segment control steps, into the
//	             replay                                                            replay.go
//	learn        UpdateRatio times for each environment step:                      sac_update.go
//	             draw transitions (s, a, r, s') uniformly from the replay
//	             critics: gradient of ½(Q(s,a) - y)², where a' is drawn from the policy and
//	             y = r + γ(min Q'(s',a') - α ln π(a'|s')), one step of Adam; each target Q'
//	             goes TargetRate of the way to its critic                          nn/critic.go
//	             policy: gradient of α ln π(a|s) - min Q(s,a), through a = tanh(μ + σz)
//	             temperature: gradient of -ln α (ln π(a|s) + TargetEntropy)
//
// Its details and their sources; "v1" and "v2" are Haarnoja et al., "Soft Actor-Critic: Off-Policy Maximum Entropy Deep
// Reinforcement Learning with a Stochastic Actor", ICML 2018, and the paper above, which this follows, and SB3 the code
// of Raffin et al., "Stable-Baselines3", JMLR 2021. The gradients are tested against finite differences of these
// losses in double precision, the replay against an oracle that keeps whole histories.
//
//	S1  two critics, each with a target; the least of the targets in y, the least of the critics in the policy's loss:
//	    v2 algorithm 1; Fujimoto et al., "Addressing Function Approximation Error in Actor-Critic Methods", 2018
//	S2  squashed Gaussian, ln(1 - tanh²u) as 2(ln 2 - |u| - ln(1 + e^(-2|u|))): v1 appendix C; the deviation from the
//	    network, its logarithm within [-20, 2]: v1's code
//	S3  actions from -1 to 1 within their bounds, which must be finite; in evaluations tanh μ: v1's code
//	S4  learned temperature, by the gradient of -ln α (ln π + H) rather than of α: v2 section 5, in the form of v2's code
//	    and SB3; H = -(action values): v2 appendix D
//	S5  layers of 256 and ReLU, Adam of 3e-4 with ε = 1e-8, minibatches of 256, τ = 0.005, 10⁶ transitions: v2 appendix
//	    D; 10,000 uniform actions first: SB3's zoo; orthogonal weights as in 2: ours
//	S6  many worlds, a segment of each, then as many gradient steps as are due: Seo et al., "FastTD3", 2025, and
//	    FlashSAC; the number due is that of ⌊UpdateRatio × environment steps⌋, whatever the segments
//	S7  update ratio above 1, more critics, of which a few are drawn for each y, and their mean in the policy's loss
//	    (Critics, TargetCritics); one step of the policy for several of the critics (PolicyEvery): Chen et al.,
//	    "Randomized Ensembled Double Q-Learning", REDQ, 2021
//	S8  dropout and layer norm in the critics, dropout also where they are targets (Dropout, LayerNorm): Hiraoka et al.,
//	    "Dropout Q-Functions for Doubly Efficient Reinforcement Learning", DroQ, 2022; with dropout the mean of the critics
//	    in the policy's loss: their code; layer norm: Ba et al. 2016
//	S9  n-step returns (Steps), shorter at an episode's end and before the newest observation, with no correction and the
//	    entropy of the last action alone: Barth-Maron et al., "Distributed Distributional Deterministic Policy
//	    Gradients", 2018; FastTD3
//	S10 a truncated episode is continued by the value of its final observation, a terminated one is not, nor is one
//	    that a fault ended, whose last step earns 0: details 18 and 19
//	S11 the replay has observations as they were seen; they are standardised by the moments of now, clipped to ±10:
//	    FastTD3 and Lee et al., "SimBa", 2025. Without NormaliseObservations nothing is clipped
//	S12 the critics may see what the policy does not: detail 23
//	S13 a fixed temperature (FixedTemperature): v1, whose scale of rewards is its inverse; learning rates that fall
//	    linearly (Schedule): detail 4; the gradient of the critics and that of the policy clipped, each over its own
//	    parameters (MaxGradNorm): FastTD3's code
//	S14 a symmetry: 27, of μ before it is squashed
//	S15 critics of quantiles (Quantiles), whose mean is their value: Dabney et al., "Distributional Reinforcement Learning
//	    with Quantile Regression", 2018; of the target whose value is the least, all quantiles: FastTD3, which has
//	    categories in their place
//	S16 convolutions of the policy whose features the critics read, too (Convolutions); they learn from the critics' loss
//	    alone: Yarats et al., "Improving Sample Efficiency in Model-Free Reinforcement Learning from Images", SAC-AE, AAAI
//	    2021. No target of them, and in the policy's loss their features from before the critics' step: the code of Yarats
//	    et al., "Mastering Visual Continuous Control: Improved Data-Augmented Reinforcement Learning", DrQ-v2, ICLR 2022.
//	    Where the critics read no pictures, they learn from the policy's loss: detail 23
//	S17 pictures shifted at random, anew for each observation of each transition, their edge beyond it (RandomShift):
//	    Kostrikov et al., "Image Augmentation Is All You Need", DrQ, ICLR 2021, once and by whole pixels
//	S18 colours kept as bytes: Mnih et al. 2015; a channel is standardised as in 35 when it is read
//
// # TD3+BC
//
// Offline, by Fujimoto and Gu, "A Minimalist Approach to Offline Reinforcement Learning", NeurIPS 2021, and Fujimoto et
// al. 2018; td3bc.go has what is not SAC's:
//
//	T1  a deterministic policy, tanh of its outputs, which has a target, too; noise of 0.2, clipped at 0.5, on what the
//	    target does; targets follow when the policy takes a step, every second of the critics': TD3
//	T2  the policy's loss is (π(s) - a)² - λ Q(s, π(s)) with λ = α / mean |Q| over the minibatch, Q the first critic,
//	    α = 2.5: the paper's section 4
//	T3  observations are standardised by all rows': the paper's; clipped to ±10: detail 2
//	T4  two layers of 256, ReLU, Adam of 3e-4, minibatches of 256, τ = 0.005: the paper's; orthogonal weights: ours
//	T5  a row whose successor is not known is no transition: ours
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
