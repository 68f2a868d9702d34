package sensors

import "math"

// A channel has a memory if its samples depend on earlier ones, may be lost, or are shown several at a time. Its
// samples are measured in order, each when a later one is taken, and their values are stored beside the ring. The
// memory thus depends only on the samples taken, and reading does not change it.

// The notes of a channel with a memory, for one world.
const (
	noteMeasured  = iota // number of samples measured, including those that were never readable
	noteLastNS           // stamp of the newest measured sample, in nanoseconds
	noteHeldUntil        // time at which the current hold ends, in nanoseconds
	noteKept             // 1 if vectorKept holds a sample, 0 if it holds the value of the reset
	noteKeptNS           // stamp of the sample of vectorKept, in nanoseconds
	noteWords
)

// The values of a channel with a memory, for one world: these vectors, then one for each entry of the ring.
const (
	vectorBias = iota
	vectorHeld // the output during a hold
	vectorKept // the newest sample that had arrived when it left the ring
	vectors
)

// memory is the memory of one channel in one world.
type memory struct {
	notes  []int64
	values []float64
	width  int // values of a vector: those of a sample and, of a camera, its calibration
}

func (m *memory) vector(i int) []float64 { return m.values[i*m.width : (i+1)*m.width] }

// sample returns the vector that holds the value of a sample while it is in the ring.
func (m *memory) sample(c *compiled, sample int64) []float64 {
	return m.vector(vectors + int(c.entry(sample)))
}

func (b *Bank) memoryOf(c *compiled, id int) memory {
	return memory{
		notes:  b.notesOf(id)[c.notes.Offset:][:c.notes.Len],
		values: c.memory.In(b.memoryValues(id)),
		width:  c.vector(),
	}
}

// scratch returns a copy of a memory, valid until the next call.
func (b *Bank) scratch(m memory) memory {
	return memory{
		notes:  b.scratchNotes[:copy(b.scratchNotes[:], m.notes)],
		values: b.scratchValues[:copy(b.scratchValues, m.values)],
		width:  m.width,
	}
}

// clearMemory sets a memory to its value at the reset.
func (b *Bank) clearMemory(m *memory, c *compiled, id int) {
	clear(m.notes)
	clear(m.values)
	if c.Bias.Std > 0 {
		b.addBias(m, c, id, beforeFirst, c.Bias.Std)
	}
	b.keepReset(c, id, m)
}

// addBias adds a normal number with standard deviation std to the bias, drawn for a sample.
func (b *Bank) addBias(m *memory, c *compiled, id int, sample int64, std float64) {
	b.random.AddNormals(m.vector(vectorBias)[:c.width], std, b.prefix(c, id).And(uint64(sample)).And(drawBias))
}

// keepReset makes readers see the value of the reset until a sample arrives.
func (b *Bank) keepReset(c *compiled, id int, m *memory) {
	m.notes[noteKept], m.notes[noteKeptNS] = 0, 0
	b.value(m.vector(vectorKept), c, id, beforeFirst, b.initialSample(id), m.vector(vectorBias))
}

// prepareRing prepares the ring for sample number count, taken at now. It measures the samples that can be measured,
// and keeps the value of the one that leaves the ring.
func (b *Bank) prepareRing(c *compiled, id int, count int64, now *Now) {
	m, ring := b.memoryOf(c, id), b.ringOf(c, id)
	b.measure(&m, c, id, b.measurable(c, id, count, now))
	if n := m.notes[noteMeasured]; n < count && b.stale(id, ring[c.entry(n)].boundary, now) {
		b.restart(&m, c, id, count)
	}
	out := count - int64(c.ring.Len)
	if out < 0 {
		return
	}
	if m.notes[noteMeasured] <= out { // the world has failed, so this sample is never measured
		m.notes[noteMeasured] = out + 1
		return
	}
	if t := ring[c.entry(out)]; t.arrivalNS <= now.NS {
		copy(m.vector(vectorKept), m.sample(c, out))
		m.notes[noteKept], m.notes[noteKeptNS] = 1, t.ns
	}
}

// restart discards the count samples taken before the channel was disabled. Readers have seen the newest, which is
// not measured any more, so they must not get an older one. Bias and holds continue from the newest measured sample.
func (b *Bank) restart(m *memory, c *compiled, id int, count int64) {
	ring := b.ringOf(c, id)
	for i := range ring {
		ring[i].arrivalNS = never
	}
	reset := b.scratch(*m)
	b.clearMemory(&reset, c, id)
	copy(m.vector(vectorKept), reset.vector(vectorKept))
	m.notes[noteMeasured], m.notes[noteKept], m.notes[noteKeptNS] = count, 0, 0
}

// measurable returns how many of count samples can be measured at now. Samples are measured in order. An unmeasured
// sample is stale only if the channel was disabled in the meantime.
func (b *Bank) measurable(c *compiled, id int, count int64, now *Now) int64 {
	ring, limit := b.ringOf(c, id), b.limit(c.Stage, id, now)
	n := max(b.memoryOf(c, id).notes[noteMeasured], count-int64(len(ring)))
	for n < count {
		boundary := ring[c.entry(n)].boundary
		if boundary > limit || b.stale(id, boundary, now) {
			break
		}
		n++
	}
	return n
}

// measure measures the samples before end that have not been measured.
func (b *Bank) measure(m *memory, c *compiled, id int, end int64) {
	for n := m.notes[noteMeasured]; n < end; n++ {
		t := b.ringOf(c, id)[c.entry(n)]
		if c.Bias.Walk > 0 && n > 0 {
			seconds := float64(t.ns-m.notes[noteLastNS]) * 1e-9
			b.addBias(m, c, id, n, c.Bias.Walk*math.Sqrt(seconds))
		}
		m.notes[noteLastNS] = t.ns
		dst := m.sample(c, n)
		m.notes[noteMeasured] = n + 1
		if t.ns < m.notes[noteHeldUntil] {
			copy(dst, m.vector(vectorHeld))
			continue
		}
		b.value(dst, c, id, n, b.rows.Sample(id, t.boundary), m.vector(vectorBias))
		if c.Hold.Time > 0 && b.draws(c, id, n, drawHold).Float64() < c.Hold.Probability {
			copy(m.vector(vectorHeld), dst)
			m.notes[noteHeldUntil] = t.ns + int64(c.Hold.Time)
		}
	}
}

// readMemory implements [Bank.Read] and [Bank.ReadCalibration] for a channel with a memory. Either may be nil.
func (b *Bank) readMemory(dst, calibration []float64, c *compiled, channel, id int, now *Now) (stampNS int64,
	ok bool) {
	m := b.memoryOf(c, id)
	count := b.counts(id)[channel]
	limit := b.limit(c.Stage, id, now)
	if ring := b.ringOf(c, id); count > 0 && b.stale(id, ring[c.entry(count-1)].boundary, now) {
		// The channel was disabled. Older samples are still in the memory, but readers must not go back to them.
		m = b.scratch(m)
		b.clearMemory(&m, c, id)
	} else if end := b.measurable(c, id, count, now); end > m.notes[noteMeasured] {
		// Measured in a copy, since reading must not change the memory.
		m = b.scratch(m)
		b.measure(&m, c, id, end)
	}
	newest := b.newestArrival(c, id, count, m.notes[noteMeasured]-1, limit, now)
	if newest >= 0 {
		stampNS, ok = b.ringOf(c, id)[c.entry(newest)].ns, true
	} else {
		stampNS, ok = m.notes[noteKeptNS], m.notes[noteKept] == 1
	}
	if calibration != nil {
		sample := m.vector(vectorKept)
		if newest >= 0 {
			sample = m.sample(c, newest)
		}
		copy(calibration, sample[c.width:])
		return stampNS, ok
	}
	for i := range max(1, c.History) {
		sample := m.vector(vectorKept)
		if newest >= 0 {
			if n := b.newestArrival(c, id, count, newest-int64(i), limit, now); n >= 0 {
				sample = m.sample(c, n)
			}
		}
		copy(dst[i*c.width:], sample[:c.width])
	}
	return stampNS, ok
}
