// Package nn has the networks of learning and their mathematics, in single precision, with the derivatives of each
// part. It knows no environment and no algorithm.
//
//	network.go       policy and value networks: an Encoder, a GRU and an MLP, one after the other
//	convolution.go   Encoder: convolutions, which read pictures
//	gru.go           GRU: a memory
//	mlp.go           MLP: fully connected layers
//	critic.go        Critic: an MLP that values an action, with layer norm and dropout
//	distribution.go  Distribution: what the outputs of a policy mean
//	moments.go       Moments, Standardiser: the running mean and deviation of what is observed
//	adam.go          Adam
//	grouping.go      Grouping: how a minibatch's gradient is summed
//	panel.go         PanelHeight: which row of a product a world is
//	random.go        Stream: random numbers by key
//	team.go          Team: goroutines that share tasks
//	blas.go          products of matrices, by OpenBLAS
//	kernels.go       loops in C, of kernels.c
//
// A network here is a plan, which is immutable: sizes and functions. Its parameters are a flat vector of the caller's,
// so that an optimiser sees one vector for all networks of a learner. What a pass leaves is in working memory, Work,
// one for each goroutine. A pass forward is followed by one backward with the same plan, parameters and memory, which
// writes the derivative of a loss by each parameter over a vector like that of the parameters.
//
// Nothing here depends on the number of goroutines, so results repeat bit for bit on one kind of processor with one
// OpenBLAS kernel, see [Kernel]. Functions panic where the lengths of slices do not fit; no other input fails.
package nn
