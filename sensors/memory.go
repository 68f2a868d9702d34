package sensors

import "math"

// A channel with a memory is one whose samples depend on earlier ones, may be lost,
// or are shown several at a time. Its samples are measured one after the other, each
// when a later one is taken, and kept beside the ring: so what the memory holds
// follows from what was taken, and reading leaves it as it is.

// Notes of a channel with a memory, for one world.
const (
	noteMeasured  = iota // samples measured, those that were never readable included
	noteLastNS           // stamp of the newest of them
	noteHeldUntil        // the sensor sticks before this time, in nanoseconds
	noteKept             // 1: kept is a sample; 0: it is the value of the reset
	noteKeptNS           // its stamp
	noteWords
)

// Values of a channel with a memory, for one world: these vectors, then one for
// each entry of the ring.
const (
	vectorBias = iota
	vectorHeld // what the sensor shows while it sticks
	vectorKept // the newest sample that has left the ring and had arrived
	vectors
)

// memory is what a channel remembers in one world.
type memory struct {
	notes  []int64
	values []float64
	width  int
}

func (m *memory) vector(i int) []float64 { return m.values[i*m.width : (i+1)*m.width] }

// sample is where the value of a sample is kept while it is in the ring.
func (m *memory) sample(c *compiled, sample int64) []float64 {
	return m.vector(vectors + int(c.entry(sample)))
}

func (b *Bank) memoryOf(c *compiled, id int) memory {
	return memory{
		notes:  b.notesOf(id)[c.notes.Offset:][:c.notes.Len],
		values: c.memory.In(b.memoryValues(id)),
		width:  c.width,
	}
}

// scratch is a copy of a memory, valid until the next call.
func (b *Bank) scratch(m memory) memory {
	return memory{
		notes:  b.scratchNotes[:copy(b.scratchNotes[:], m.notes)],
		values: b.scratchValues[:copy(b.scratchValues, m.values)],
		width:  m.width,
	}
}

// begin makes the channel's memory that of a reset.
func (b *Bank) begin(c *compiled, id int) {
	m := b.memoryOf(c, id)
	b.forget(&m, c, id)
}

// forget makes a memory that of a reset.
func (b *Bank) forget(m *memory, c *compiled, id int) {
	clear(m.notes)
	clear(m.values)
	if c.Bias.Std > 0 {
		b.addBias(m, c, id, beforeFirst, c.Bias.Std)
	}
	b.keepReset(c, id, m)
}

// addBias lets the bias of a sample differ by a normal number from the one before.
func (b *Bank) addBias(m *memory, c *compiled, id int, sample int64, std float64) {
	b.random.AddNormals(m.vector(vectorBias), std, b.prefix(c, id).And(uint64(sample)).And(drawBias))
}

// keepReset makes the value of the reset what readers see until a sample arrives.
func (b *Bank) keepReset(c *compiled, id int, m *memory) {
	m.notes[noteKept], m.notes[noteKeptNS] = 0, 0
	b.value(m.vector(vectorKept), c, id, beforeFirst, b.initialSample(id), m.vector(vectorBias))
}

// remember prepares the ring for one more sample, taken at now: it measures what
// can be, and keeps what the new one will push out.
func (b *Bank) remember(c *compiled, id int, count int64, now Now) {
	m, ring := b.memoryOf(c, id), b.ringOf(c, id)
	b.measure(&m, c, id, b.measurable(c, id, count, now))
	if n := m.notes[noteMeasured]; n < count && b.stale(id, ring[c.entry(n)].boundary, now) {
		b.beginAgain(&m, c, id, count)
	}
	out := count - int64(c.ring.Len)
	if out < 0 {
		return
	}
	if m.notes[noteMeasured] <= out { // the world has failed: it never will be
		m.notes[noteMeasured] = out + 1
		return
	}
	if t := ring[c.entry(out)]; t.arrivalNS <= now.NS {
		copy(m.vector(vectorKept), m.sample(c, out))
		m.notes[noteKept], m.notes[noteKeptNS] = 1, t.ns
	}
}

// beginAgain forgets the count samples taken before the channel was switched off, of
// which the newest can be measured no more: readers have seen it, and must not go
// back to an older one. Bias and holds go on from the newest that was measured.
func (b *Bank) beginAgain(m *memory, c *compiled, id int, count int64) {
	ring := b.ringOf(c, id)
	for i := range ring {
		ring[i].arrivalNS = never
	}
	reset := b.scratch(*m)
	b.forget(&reset, c, id)
	copy(m.vector(vectorKept), reset.vector(vectorKept))
	m.notes[noteMeasured], m.notes[noteKept], m.notes[noteKeptNS] = count, 0, 0
}

// measurable is how many of count samples can have been measured at now: they are
// measured in order. One that is not is stale only where the channel was switched
// off meanwhile.
func (b *Bank) measurable(c *compiled, id int, count int64, now Now) int64 {
	ring, limit := b.ringOf(c, id), b.limit(c, id, now)
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

// measure measures the samples below end that are still to be.
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

// readMemory is Read for a channel with a memory.
func (b *Bank) readMemory(dst []float64, c *compiled, channel, id int, now Now) (stampNS int64, ok bool) {
	m := b.memoryOf(c, id)
	count := b.counts(id)[channel]
	limit := b.limit(c, id, now)
	if ring := b.ringOf(c, id); count > 0 && b.stale(id, ring[c.entry(count-1)].boundary, now) {
		// Switched off: older samples, which are still in the memory, would be a step back.
		m = b.scratch(m)
		b.forget(&m, c, id)
	} else if end := b.measurable(c, id, count, now); end > m.notes[noteMeasured] {
		// Not kept: what is remembered must not depend on who has read.
		m = b.scratch(m)
		b.measure(&m, c, id, end)
	}
	newest := b.arrived(c, id, count, m.notes[noteMeasured]-1, limit, now)
	if newest >= 0 {
		stampNS, ok = b.ringOf(c, id)[c.entry(newest)].ns, true
	} else {
		stampNS, ok = m.notes[noteKeptNS], m.notes[noteKept] == 1
	}
	for i := range max(1, c.History) {
		from := m.vector(vectorKept)
		if newest >= 0 {
			if n := b.arrived(c, id, count, newest-int64(i), limit, now); n >= 0 {
				from = m.sample(c, n)
			}
		}
		copy(dst[i*c.width:], from)
	}
	return stampNS, ok
}
