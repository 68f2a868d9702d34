package sim

// buffers hold the inputs and outputs of a run, one row per world, row-major. Those of a sim are allocated once and
// never moved; those of its blocks are parts of them. Methods return the buffers themselves, which stay valid after
// Close.
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

// of returns the part of the buffers for worlds worlds, starting at first.
func (b *buffers) of(spec Spec, first, worlds int) buffers {
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

// Observation is worlds × ObservationSize: the latest observations.
func (b *buffers) Observation() []float64 { return b.observation }

// Action is worlds × ActionSize: the caller writes the actions here before a step.
func (b *buffers) Action() []float32 { return b.action }

// Reward is one value per world: that of the last step.
func (b *buffers) Reward() []float64 { return b.reward }

// Terminated says of each world whether the task's own rules ended its episode in the last step.
func (b *buffers) Terminated() []bool { return b.terminated }

// Truncated says likewise whether the time limit or a fault did, besides or alone.
func (b *buffers) Truncated() []bool { return b.truncated }

// Fault says likewise whether a fault did.
func (b *buffers) Fault() []bool { return b.fault }

// Info is worlds × InfoNames, of the last step or of the start of an episode.
func (b *buffers) Info() []float64 { return b.info }

// FinalObservation is worlds × ObservationSize: the last observation of each episode that ended in the last step.
// Rows of other worlds are older, here and below.
func (b *buffers) FinalObservation() []float64 { return b.final }

// FinalInfo is worlds × InfoNames: the infos of such a last step.
func (b *buffers) FinalInfo() []float64 { return b.finalInfo }

// EpisodeReturn is one value per world: the sum of the rewards of such an episode.
func (b *buffers) EpisodeReturn() []float64 { return b.returns }

// EpisodeLength is one value per world: the number of its control steps.
func (b *buffers) EpisodeLength() []int64 { return b.lengths }
