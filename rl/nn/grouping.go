package nn

// maxChunks is the largest number of chunks of a minibatch.
const maxChunks = 64

// GradBlock is the number of parameters by whose blocks a gradient's sum and its length are computed.
const GradBlock = 4096

// Grouping is how minibatches and chunks are made of sequences, which are never torn apart. A minibatch is cut into
// chunks whose number depends on its size alone. The gradient of each is computed by itself and they are summed by a
// fixed tree, see [SumTree], so that the bits do not depend on how many workers share them.
type Grouping struct {
	Minibatch int // sequences of a minibatch; the last of an epoch may have fewer
	Least     int // sequences that are not worth another chunk
	Length    int // control steps of a sequence; the last of a rollout may have fewer
}

// Chunks is the number of chunks of a minibatch of so many sequences.
func (g Grouping) Chunks(sequences int) int {
	return min(maxChunks, (sequences+g.Least-1)/g.Least)
}

// PerChunk is the number of sequences of each chunk but the last.
func (g Grouping) PerChunk(sequences int) int {
	n := g.Chunks(sequences)
	return (sequences + n - 1) / n
}

// MostPerChunk is the largest number of sequences of a chunk of any minibatch of up to so
// many. A smaller minibatch may have larger chunks: if 64 make one chunk, 65 make two of
// 33.
func (g Grouping) MostPerChunk(sequences int) int {
	return min(sequences, max(g.Least, g.PerChunk(sequences)))
}
