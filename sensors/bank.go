package sensors

import (
	"math"
	"math/rand/v2"

	"github.com/polyrhythm-rl/polyrhythm/internal/random"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/runners"
)

// Now is an instant of one world's time, as readers see it.
type Now struct {
	NS       int64 // timestamp of the instant, in nanoseconds
	Newest   int64 // the newest substep boundary at or before it
	NewestNS int64 // its timestamp
	Reached  int64 // how many substep boundaries lie strictly before it
	Anchor   Anchor
}

// Anchor is the instant that runners count their boundaries from: 0 until a
// change of rates begins anew at a beat. Substeps are counted through.
type Anchor struct {
	NS       int64 // its timestamp
	Boundary int64 // the substep boundary there
}

// At returns the instant that boundary k of a runner with rate r, counted from the
// anchor, stands for; ns is its timestamp.
func (s *Suite) At(a Anchor, r runners.Rate, k, ns int64) Now {
	now := Now{NS: ns, Newest: a.Boundary + s.substep.Newest(r, k), Reached: a.Boundary + s.substep.Reached(r, k), Anchor: a}
	now.NewestNS = s.Timestamp(a, now.Newest)
	return now
}

// Timestamp is that of a substep boundary not before the anchor, in nanoseconds.
func (s *Suite) Timestamp(a Anchor, boundary int64) int64 {
	return a.NS + s.substep.Timestamp(boundary-a.Boundary)
}

// Bank holds what the worlds of one block have measured. It borrows the block's
// physics rows. It belongs to whoever holds the block, one goroutine at a time.
type Bank struct {
	suite *Suite
	rows  *physics.Rows

	root     []random.Root   // worlds
	prefixes []random.Prefix // worlds × channels
	initial  []float64       // worlds × SampleSize: the sample computed at the reset
	count    []int64         // worlds × channels: samples taken in this episode
	taken    []taken         // worlds × ring
	notes    []int64         // worlds × notes of channels with a memory
	memory   []float64       // worlds × their values
	random   random.Stream

	scratchNotes  [noteWords]int64
	scratchValues []float64 // the longest memory of a channel
}

// taken is one measurement: of which state, and from when on it may be read.
type taken struct {
	ns        int64 // timestamp of the boundary
	boundary  int64 // substep boundary it was measured at
	arrivalNS int64 // timestamp of the instant it arrives at, or never
}

// never is when a lost sample arrives.
const never = math.MaxInt64

// NewBank allocates the bank of a block whose physics is kept in rows.
func (s *Suite) NewBank(rows *physics.Rows) *Bank {
	return &Bank{
		suite:    s,
		rows:     rows,
		root:     make([]random.Root, rows.Worlds),
		prefixes: make([]random.Prefix, rows.Worlds*len(s.channels)),
		initial:  make([]float64, rows.Worlds*rows.SampleSize),
		count:    make([]int64, rows.Worlds*len(s.channels)),
		taken:    make([]taken, rows.Worlds*s.ring),
		notes:    make([]int64, rows.Worlds*s.notes),
		memory:   make([]float64, rows.Worlds*s.memory),

		scratchValues: make([]float64, s.widest),
	}
}

// Reset forgets what world id has measured; an episode begins, whose errors are drawn
// from root. Its physics stands at boundary 0 with slot 0 filled.
func (b *Bank) Reset(id int, root random.Root) {
	b.setRoot(id, root)
	clear(b.counts(id))
	copy(b.initialSample(id), b.rows.Sample(id, 0))
	for i := range b.suite.channels {
		if c := &b.suite.channels[i]; c.remembers() {
			b.begin(c, id)
		}
	}
}

func (b *Bank) setRoot(id int, root random.Root) {
	b.root[id] = root
	n := len(b.suite.channels)
	for i := range n {
		b.prefixes[id*n+i] = random.NewPrefix(root.Seed, root.World, root.Episode, uint64(random.Sensor), b.suite.channels[i].key)
	}
}

func (b *Bank) initialSample(id int) []float64 {
	size := b.rows.SampleSize
	return b.initial[id*size : (id+1)*size]
}

// Sample notes that a channel fired in world id at the instant now. A world whose
// physics broke down stays at its last valid boundary.
func (b *Bank) Sample(channel, id int, now Now) {
	c := &b.suite.channels[channel]
	count := &b.counts(id)[channel]
	t := taken{ns: now.NewestNS, boundary: now.Newest}
	if valid := b.rows.Boundary[id]; valid < t.boundary {
		t = taken{ns: b.suite.Timestamp(now.Anchor, valid), boundary: valid}
		if c.Stage == physics.Force && !c.remembers() && *count > 0 && b.ringOf(c, id)[c.entry(*count-1)].boundary == valid {
			return // the force there will never be known, and the ones before must stay
		}
	}
	t.arrivalNS = b.arrival(c, id, *count, t.ns)
	if c.remembers() {
		b.remember(c, id, *count, now)
	}
	b.ringOf(c, id)[c.entry(*count)] = t
	*count++
}

// arrival is when a sample measured at ns arrives.
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

// Skip moves the state that world id's physics stands at to a later substep boundary.
// It is then the oldest that can be read: nothing that was measured before can. The
// forces there are those of the last substep that was taken. Samples are counted on,
// so that none has the noise of an earlier one.
func (b *Bank) Skip(id int, to int64) {
	from := b.rows.Boundary[id]
	to = max(from, to)
	now := b.initialSample(id)
	copy(now, b.rows.Sample(id, max(0, from-1)))
	for _, p := range b.suite.motion {
		copy(p.In(now), p.In(b.rows.Sample(id, from)))
	}
	// At an instant between the two the newest boundary is the one before.
	for k := max(from, to-1); k <= to; k++ {
		copy(b.rows.Sample(id, k), now)
	}
	b.rows.Boundary[id] = to
	ring := b.ring(id)
	for i := range ring {
		ring[i].boundary, ring[i].arrivalNS = math.MaxInt64, never // physics is never there
	}
	for i := range b.suite.channels {
		if c := &b.suite.channels[i]; c.remembers() {
			m := b.memoryOf(c, id)
			m.notes[noteMeasured] = b.counts(id)[i]
			b.keepReset(c, id, &m)
		}
	}
}

// Read writes the value of a channel of world id that is known at the instant
// now to dst, which has the channel's size, and returns the timestamp of the
// instant it was measured at, in nanoseconds. ok is false while no sample has
// arrived: dst then holds the value of the reset.
func (b *Bank) Read(dst []float64, channel, id int, now Now) (stampNS int64, ok bool) {
	c := &b.suite.channels[channel]
	if c.remembers() {
		return b.readMemory(dst, c, channel, id, now)
	}
	row, sample, count := b.initialSample(id), int64(beforeFirst), b.counts(id)[channel]
	if n := b.arrived(c, id, count, count-1, b.limit(c, id, now), now); n >= 0 {
		t := b.ringOf(c, id)[c.entry(n)]
		row, sample, stampNS, ok = b.rows.Sample(id, t.boundary), n, t.ns, true
	}
	b.value(dst, c, id, sample, row, nil)
	return stampNS, ok
}

// limit is the newest substep boundary whose values a reader at now may know.
func (b *Bank) limit(c *compiled, id int, now Now) int64 {
	if c.Stage == physics.Force {
		return min(now.Reached, b.rows.Boundary[id]) - 1
	}
	return b.newest(id, now)
}

// newest is the substep boundary at which world id stands at now, not where physics
// has run ahead to.
func (b *Bank) newest(id int, now Now) int64 { return min(now.Newest, b.rows.Boundary[id]) }

// arrived is the newest of count samples, not after sample from, that a reader at
// now has; -1 if the ring holds none. limit is that of [Bank.limit].
func (b *Bank) arrived(c *compiled, id int, count, from, limit int64, now Now) int64 {
	ring := b.ringOf(c, id)
	for n := from; n >= 0 && n >= count-int64(len(ring)); n-- {
		t := &ring[c.entry(n)]
		if t.boundary > limit || t.arrivalNS > now.NS {
			continue
		}
		if !c.remembers() && b.stale(id, t.boundary, now) {
			return -1 // older ones are too
		}
		return n
	}
	return -1
}

// stale reports whether a sample of physics is so old at now that its memory may be
// reused, which depends on how far physics runs ahead. A sample that anybody needs
// is younger, except where its channel was switched off.
func (b *Bank) stale(id int, boundary int64, now Now) bool {
	return b.newest(id, now)-boundary > int64(b.suite.history)
}

// value works out what the sensor makes of a sample of physics. bias may be nil.
func (b *Bank) value(dst []float64, c *compiled, id int, sample int64, row, bias []float64) {
	at := 0
	for _, p := range c.parts {
		at += copy(dst[at:], p.In(row))
	}
	dst = dst[:at]
	for i, v := range bias {
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
}

// beforeFirst is the number that the value of the reset counts as.
const beforeFirst = -1

// What is drawn for a sample besides its noise.
const (
	drawBias = iota + 1
	drawHold
	drawDropout
	drawJitter
)

// draws are the random numbers for one purpose of one sample, by its number in the
// episode.
func (b *Bank) draws(c *compiled, id int, sample int64, purpose uint64) *rand.Rand {
	return b.random.KeyAfter(b.prefix(c, id), uint64(sample), purpose)
}

// prefix is what the keys of all draws of a channel in world id's episode begin with.
func (b *Bank) prefix(c *compiled, id int) random.Prefix {
	return b.prefixes[id*len(b.suite.channels)+c.index]
}
