package sim

// buffers hold the inputs and outputs of a run, one row per world, row-major. Those of a sim are allocated once and
// never moved; those of its blocks are parts of them. [Sim] documents the arrays that the methods return.
type buffers struct {
	observation []float64
	action      []float32
	reward      []float64
	terminated  []bool
	truncated   []bool
	fault       []bool
	info        []float64
	final       []float64
	finalInfo   []float64
	returns     []float64
	lengths     []int64
}

func newBuffers(spec Spec, worlds int) buffers {
	return buffers{
		observation: make([]float64, worlds*spec.ObservationSize),
		action:      make([]float32, worlds*spec.ActionSize),
		reward:      make([]float64, worlds),
		terminated:  make([]bool, worlds),
		truncated:   make([]bool, worlds),
		fault:       make([]bool, worlds),
		info:        make([]float64, worlds*len(spec.InfoNames)),
		final:       make([]float64, worlds*spec.ObservationSize),
		finalInfo:   make([]float64, worlds*len(spec.InfoNames)),
		returns:     make([]float64, worlds),
		lengths:     make([]int64, worlds),
	}
}

// view returns the part of the buffers for worlds worlds, starting at first.
func (b *buffers) view(spec Spec, first, worlds int) buffers {
	return buffers{
		observation: part(b.observation, first, worlds, spec.ObservationSize),
		action:      part(b.action, first, worlds, spec.ActionSize),
		reward:      part(b.reward, first, worlds, 1),
		terminated:  part(b.terminated, first, worlds, 1),
		truncated:   part(b.truncated, first, worlds, 1),
		fault:       part(b.fault, first, worlds, 1),
		info:        part(b.info, first, worlds, len(spec.InfoNames)),
		final:       part(b.final, first, worlds, spec.ObservationSize),
		finalInfo:   part(b.finalInfo, first, worlds, len(spec.InfoNames)),
		returns:     part(b.returns, first, worlds, 1),
		lengths:     part(b.lengths, first, worlds, 1),
	}
}

// part returns rows of size values each, starting at row first.
func part[T any](all []T, first, rows, size int) []T {
	return all[first*size : (first+rows)*size : (first+rows)*size]
}

// Observations are worlds × ObservationSize: the current ones. With [SameStep], the row of a world whose episode ended
// in the last step is the first observation of the next episode.
func (b *buffers) Observations() []float64 { return b.observation }

// Actions are worlds × ActionSize: those of the next step, for the caller to write. The task clips values outside the
// bounds of [Spec]. A discrete action is one value, a whole number from 0 to Discrete-1.
func (b *buffers) Actions() []float32 { return b.action }

// Rewards are those of the last step, one per world.
func (b *buffers) Rewards() []float64 { return b.reward }

// Terminations say of each world whether a rule of the task ended its episode in the last step.
func (b *buffers) Terminations() []bool { return b.terminated }

// Truncations say of each world whether the time limit or a fault ended its episode in the last step.
func (b *buffers) Truncations() []bool { return b.truncated }

// Faults say of each world whether a failure of physics or of the task ended its episode in the last step.
func (b *buffers) Faults() []bool { return b.fault }

// Infos are worlds × InfoNames: the task's quantities besides the reward, of the last step or of the start of an
// episode.
func (b *buffers) Infos() []float64 { return b.info }

// FinalObservations are worlds × ObservationSize: the last observations of the episodes that ended in the last step.
// The rows of other worlds are those of earlier episodes, here and in the next three arrays.
func (b *buffers) FinalObservations() []float64 { return b.final }

// FinalInfos are worlds × InfoNames: the infos of the last step of such an episode.
func (b *buffers) FinalInfos() []float64 { return b.finalInfo }

// EpisodeReturns are the sums of the rewards of such episodes, one per world.
func (b *buffers) EpisodeReturns() []float64 { return b.returns }

// EpisodeLengths are the numbers of control steps of such episodes, one per world.
func (b *buffers) EpisodeLengths() []int64 { return b.lengths }
