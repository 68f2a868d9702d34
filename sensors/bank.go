package sensors

import (
	"fmt"
	"iter"
	"math"
	"math/rand/v2"

	"github.com/polyrhythm-rl/polyrhythm/internal/random"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/runners"
)

// Now is an instant in the time of one world, at which channels are sampled and read. Timestamps are in ns.
type Now struct {
	NS       int64 // timestamp of the instant, in nanoseconds
	Newest   int64 // index of the newest substep boundary at or before the instant
	NewestNS int64 // timestamp of that boundary, in nanoseconds
	Reached  int64 // number of substep boundaries strictly before the instant
	Anchor   Anchor
}

// Anchor is the instant from which runners count their boundaries: the start of the episode, or the beat of the last
// change of rates. Substep boundaries are always counted from the start of the episode.
type Anchor struct {
	NS       int64 // timestamp, in nanoseconds
	Boundary int64 // index of the substep boundary at the anchor
}

// At returns the instant of boundary k of a runner with rate r, counted from the anchor. ns is its timestamp.
func (s *Suite) At(a Anchor, r runners.Rate, k, ns int64) Now {
	newest, reached := s.substep.Around(r, k)
	return Now{NS: ns, Newest: a.Boundary + newest, NewestNS: a.NS + s.substep.Timestamp(newest),
		Reached: a.Boundary + reached, Anchor: a}
}

// Timestamp returns the timestamp of a substep boundary at or after the anchor, in ns.
func (s *Suite) Timestamp(a Anchor, boundary int64) int64 {
	return a.NS + s.substep.Timestamp(boundary-a.Boundary)
}

// Bank holds the measurements of the worlds of one block. It keeps a reference to the block's physics rows. One
// goroutine at a time may use it. The id of a method is the index of the world in the block.
type Bank struct {
	suite *Suite
	rows  *physics.Rows

	root         []random.Root   // worlds
	prefixes     []random.Prefix // worlds × channels
	initial      []float64       // worlds × SampleSize: the sample computed at the reset
	count        []int64         // worlds × channels: samples taken in this episode
	measurements []measurement   // worlds × ring
	notes        []int64         // worlds × notes of channels with a memory
	memory       []float64       // worlds × values of channels with a memory
	random       random.Stream

	scratchNotes  [noteWords]int64
	scratchValues []float64 // room for the longest memory of a channel
	scratchPose   []float64 // room for the longest pose of a scan or a camera
	scratchExact  []float64 // room for the values of a channel that measures distances with errors

	eyes  *Eyes     // eyes of the worker that uses the bank; nil: none
	views []float64 // worlds × views of cameras: each a pose, its picture and calibration, whose last value is NaN for none
}

// measurement is one sample of a channel: when it was taken and when it arrives.
type measurement struct {
	ns        int64 // timestamp of the boundary
	boundary  int64 // index of the substep boundary of the measurement
	arrivalNS int64 // timestamp from which the measurement can be read, or never
}

// never is the arrival time of a lost sample.
const never = math.MaxInt64

// NewBank allocates the bank of a block whose physics samples are in rows, which it refers to from then on.
func (s *Suite) NewBank(rows *physics.Rows) *Bank {
	b := &Bank{
		suite:        s,
		rows:         rows,
		root:         make([]random.Root, rows.Worlds),
		prefixes:     make([]random.Prefix, rows.Worlds*len(s.channels)),
		initial:      make([]float64, rows.Worlds*rows.SampleSize),
		count:        make([]int64, rows.Worlds*len(s.channels)),
		measurements: make([]measurement, rows.Worlds*s.ring),
		notes:        make([]int64, rows.Worlds*s.notes),
		memory:       make([]float64, rows.Worlds*s.memory),

		scratchValues: make([]float64, s.widest),
		scratchPose:   make([]float64, s.pose),
		scratchExact:  make([]float64, s.exact),
		views:         make([]float64, rows.Worlds*s.views),
	}
	for i := range b.views {
		b.views[i] = math.NaN()
	}
	return b
}

// Reset discards the measurements of world id at the start of an episode. Errors are drawn from streams of the seed,
// world and episode. The physics of the world must be at boundary 0, with slot 0 filled.
func (b *Bank) Reset(id int, seed, world, episode uint64) {
	b.setRoot(id, random.Root{Seed: seed, World: world, Episode: episode})
	clear(b.counts(id))
	copy(b.initialSample(id), b.rows.Sample(id, 0))
	for i := range b.suite.channels {
		if c := &b.suite.channels[i]; c.lasts {
			m := b.memoryOf(c, id)
			b.clearMemory(&m, c, id)
		}
	}
}

func (b *Bank) setRoot(id int, root random.Root) {
	b.root[id] = root
	n := len(b.suite.channels)
	for i := range n {
		b.prefixes[id*n+i] = random.NewPrefix(root.Seed, root.World, root.Episode, uint64(random.Sensor),
			b.suite.channels[i].key)
	}
}

func (b *Bank) initialSample(id int) []float64 {
	return rowOf(b.initial, id, b.rows.SampleSize)
}

// Sample takes a sample of a channel in world id at the instant now, unless physics still stands at the boundary of
// the sample before: a channel has one sample for a stamp. In a world whose physics has failed, the sample is of the
// last valid boundary.
func (b *Bank) Sample(channel, id int, now Now) {
	c := &b.suite.channels[channel]
	count, ring := &b.count[id*len(b.suite.channels)+channel], b.ringOf(c, id)
	t := measurement{ns: now.NewestNS, boundary: now.Newest}
	if valid := b.rows.Boundary[id]; valid < t.boundary {
		t = measurement{ns: b.suite.Timestamp(now.Anchor, valid), boundary: valid}
	}
	if *count > 0 && ring[c.entry(*count-1)].boundary == t.boundary {
		return
	}
	t.arrivalNS = t.ns + int64(c.Latency)
	if c.delays {
		t.arrivalNS = b.arrival(c, id, *count, t.ns)
	}
	if c.lasts {
		b.prepareRing(c, id, *count, &now)
	}
	ring[c.entry(*count)] = t
	*count++
}

// arrival draws the timestamp at which a sample measured at ns arrives, or never.
func (b *Bank) arrival(c *compiled, id int, sample, ns int64) int64 {
	if c.Dropout > 0 && b.draws(c, id, sample, drawDropout).Float64() < c.Dropout {
		return never
	}
	ns += int64(c.Latency)
	if c.Jitter > 0 {
		ns += b.draws(c, id, sample, drawJitter).Int64N(int64(c.Jitter) + 1)
	}
	return ns
}

// Skip moves the physics state of world id to a later substep boundary without changing it. Samples taken before can
// no longer be read. The forces at the new boundary are those of the last substep that was simulated. The numbering
// of samples continues, so that no noise is drawn twice.
func (b *Bank) Skip(id int, boundary int64) {
	start := b.rows.Boundary[id]
	boundary = max(start, boundary)
	now := b.initialSample(id)
	copy(now, b.rows.Sample(id, max(0, start-1)))
	for _, motion := range [...][]physics.Span{b.suite.motion, b.suite.observedMotion} {
		for _, p := range motion {
			copy(p.In(now), p.In(b.rows.Sample(id, start)))
		}
	}
	// At an instant just before boundary to, the newest boundary is to-1.
	first := max(start, boundary-1)
	if b.suite.lookback {
		first = max(0, boundary-int64(b.rows.Slots)+1)
	}
	for k := first; k <= boundary; k++ {
		copy(b.rows.Sample(id, k), now)
	}
	b.rows.Boundary[id] = boundary
	ring := b.ring(id)
	for i := range ring {
		ring[i].boundary, ring[i].arrivalNS = math.MaxInt64, never // physics never reaches this boundary
	}
	for i := range b.suite.channels {
		if c := &b.suite.channels[i]; c.lasts {
			m := b.memoryOf(c, id)
			m.notes[noteMeasured] = b.counts(id)[i]
			b.keepReset(c, id, &m)
		}
	}
}

// SwitchOff makes a channel of world id return the value of the reset until a sample arrives that is taken from now
// on. Those taken before can no longer be read. Their numbering continues, and so do bias and holds.
func (b *Bank) SwitchOff(channel, id int) {
	c := &b.suite.channels[channel]
	ring := b.ringOf(c, id)
	for i := range ring {
		ring[i].arrivalNS = never
	}
	if c.lasts {
		m := b.memoryOf(c, id)
		b.restart(&m, c, id, b.counts(id)[channel])
	}
}

// Read writes the value of a channel of world id that is available at the instant now to dst, whose length is
// [Suite.Size] of the channel, and returns the timestamp at which it was measured, in ns. Until a sample has
// arrived, ok is false and dst holds the value of the reset.
func (b *Bank) Read(dst []float64, channel, id int, now Now) (stampNS int64, ok bool) {
	c := &b.suite.channels[channel]
	if c.lasts {
		return b.readMemory(dst, nil, c, channel, id, &now)
	}
	row, sample, stampNS, ok := b.newestSample(c, channel, id, &now)
	b.value(dst, c, id, sample, row, nil)
	return stampNS, ok
}

// newestSample returns the sample of physics that a channel without a memory has at now, with its number and stamp; that
// of the reset, and not ok, before the first.
func (b *Bank) newestSample(c *compiled, channel, id int, now *Now) (row []float64, sample, stampNS int64, ok bool) {
	count := b.count[id*len(b.suite.channels)+channel]
	if n := b.newestArrival(c, id, count, count-1, b.limit(c.Stage, id, now), now); n >= 0 {
		t := b.ringOf(c, id)[c.entry(n)]
		return b.rows.Sample(id, t.boundary), n, t.ns, true
	}
	return b.initialSample(id), beforeFirst, 0, false
}

// join writes the values of a channel, or the pose of a scan or camera, in a sample of physics to dst, and returns their
// number.
func (k *compiled) join(dst, row []float64) (n int) {
	for _, p := range k.parts {
		n += copy(dst[n:], p.In(row))
	}
	return n
}

// Probe returns a sample of probe i of [Suite.With] in world id, and the timestamp of its boundary in ns: the newest
// available at now, or the one back boundaries earlier, but none before boundary 0. It shares the rows' memory, and
// panics for a sample that is not kept.
func (b *Bank) Probe(i, id int, now Now, back int) (values []float64, stampNS int64) {
	p := &b.suite.added[i]
	k := max(b.limit(p.stage, id, &now)-int64(back), 0)
	if age := b.rows.Boundary[id] - k; back < 0 || age >= int64(b.rows.Slots) {
		panic(fmt.Sprintf("sensors: sample of probe %d from %d boundaries back, want 0 to %d fewer than the %d that "+
			"are kept", i, back, age-int64(back), b.rows.Slots))
	}
	if steps := now.Anchor.Boundary - k; steps > 0 {
		return p.In(b.rows.Sample(id, k)), now.Anchor.NS - b.suite.substep.Timestamp(steps)
	}
	return p.In(b.rows.Sample(id, k)), b.suite.Timestamp(now.Anchor, k)
}

// AppendObserved appends the samples of the observed probes of world id to dst, for [Bank.SetObservedState].
func (b *Bank) AppendObserved(dst []byte, id int) []byte {
	for v := range b.observed(id) {
		dst = appendFloats(dst, v)
	}
	return dst
}

// SetObservedState restores what AppendObserved appended for a world of a bank with the same suite and physics. It
// reports false, and changes nothing, for another length.
func (b *Bank) SetObservedState(id int, state []byte) bool {
	if len(state) != (1+b.rows.Slots)*8*b.suite.observed.Len {
		return false
	}
	for v := range b.observed(id) {
		state = setFloats(v, state)
	}
	return true
}

// SetObserved gives the observed probes of world id the values that they have in sample, at every boundary that is
// kept.
func (b *Bank) SetObserved(id int, sample []float64) {
	for v := range b.observed(id) {
		copy(v, b.suite.observed.In(sample))
	}
}

// observed yields the observed values of world id: of the reset, then of each slot.
func (b *Bank) observed(id int) iter.Seq[[]float64] {
	return func(yield func([]float64) bool) {
		more := yield(b.suite.observed.In(b.initialSample(id)))
		for k := int64(0); more && k < int64(b.rows.Slots); k++ {
			more = yield(b.suite.observed.In(b.rows.Sample(id, k)))
		}
	}
}

// limit returns the newest substep boundary whose values of a stage are available at now.
func (b *Bank) limit(stage physics.Stage, id int, now *Now) int64 {
	if stage == physics.Force {
		return min(now.Reached, b.rows.Boundary[id]) - 1
	}
	return b.newest(id, now)
}

// newest returns the newest substep boundary of world id at now, not the one to which physics has run ahead.
func (b *Bank) newest(id int, now *Now) int64 { return min(now.Newest, b.rows.Boundary[id]) }

// newestArrival returns the number of the newest of count samples, at most latest, that has arrived at now; -1 if the
// ring holds none. limit is that of [Bank.limit].
func (b *Bank) newestArrival(c *compiled, id int, count, latest, limit int64, now *Now) int64 {
	ring := b.ringOf(c, id)
	for n := latest; n >= 0 && n >= count-int64(len(ring)); n-- {
		t := &ring[c.entry(n)]
		if t.boundary > limit || t.arrivalNS > now.NS {
			continue
		}
		if !c.lasts && b.stale(id, t.boundary, now) {
			return -1 // the previous measurements are too old, too
		}
		return n
	}
	return -1
}

// stale reports whether a sample of physics is so old at now that its slot may have been overwritten, which depends
// on how far physics runs ahead. A sample in use is younger, unless its channel was not sampled for a time, between
// two runners.
func (b *Bank) stale(id int, boundary int64, now *Now) bool {
	return b.newest(id, now)-boundary > int64(b.suite.history)
}

// value computes the sensor's output for row, a sample of physics, and behind it the calibration of a camera where dst
// has room for it. bias may be nil.
func (b *Bank) value(dst []float64, c *compiled, id int, sample int64, row, bias []float64) {
	inputs := dst
	if c.scan != nil || c.camera != nil {
		inputs = b.scratchPose
	}
	offset := c.join(inputs, row)
	dst, rest := dst[:c.width], dst[c.width:]
	switch {
	case c.scan != nil && c.scan.ground == nil:
		b.eyes.scan(dst, c.scan, inputs[:offset])
	case c.scan != nil:
		c.scan.cast(dst, inputs[:offset])
	case c.camera != nil:
		picture, calibration := b.view(c, id, inputs[:offset])
		copy(dst, picture)
		copy(rest, calibration)
	}
	exact := b.scratchExact[:0]
	if c.measures {
		exact = append(exact, dst[:c.width]...)
	}
	for i, v := range bias[:min(len(bias), c.width)] {
		dst[i] += v
	}
	if c.Noise.Std > 0 {
		b.random.AddNormals(dst, c.Noise.Std, b.prefix(c, id).And(uint64(sample)))
	}
	if s := c.Saturation; s != (Saturation{}) {
		for i, v := range dst {
			dst[i] = min(max(v, s.Low), s.High)
		}
	}
	if step := c.Quantisation; step > 0 {
		for i, v := range dst {
			dst[i] = math.RoundToEven(v/step) * step
		}
	}
	if c.converts {
		c.convert(dst)
	}
	for i, v := range exact {
		if v >= c.Far || dst[i] > c.Far {
			dst[i] = c.Far
		}
	}
}

// convert makes the values of a picture with errors those of a camera.
func (k *compiled) convert(dst []float64) {
	if k.bytes {
		for i, v := range dst {
			dst[i] = math.RoundToEven(255*min(max(v, 0), 1)) / 255
		}
		return
	}
	for i, v := range dst {
		dst[i] = float64(float32(min(max(v, -math.MaxFloat32), math.MaxFloat32)))
	}
}

// beforeFirst is the sample number of the value of the reset.
const beforeFirst = -1

// The purposes of the draws for a sample, besides its noise.
const (
	drawBias = iota + 1
	drawHold
	drawDropout
	drawJitter
)

// draws returns the random numbers for one purpose of one sample, given by its number in the episode.
func (b *Bank) draws(c *compiled, id int, sample int64, purpose uint64) *rand.Rand {
	return b.random.KeyAfter(b.prefix(c, id), uint64(sample), purpose)
}

// prefix returns the common prefix of the keys of all draws of a channel in the current episode of world id.
func (b *Bank) prefix(c *compiled, id int) random.Prefix {
	return b.prefixes[id*len(b.suite.channels)+c.index]
}
