package sensors

import (
	"math"

	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sim/stream"
)

// Now is an instant of one world's time, as readers see it.
type Now struct {
	NS       int64 // label of the instant, in nanoseconds
	Newest   int64 // the newest substep boundary at or before it
	NewestNS int64 // its label
	Reached  int64 // how many substep boundaries lie strictly before it
	Anchor   Anchor
}

// Anchor is the instant that runners count their boundaries from: 0 until a
// change of rates begins anew at a beat. Substeps are counted through.
type Anchor struct {
	NS       int64 // its label
	Boundary int64 // the substep boundary there
}

// At returns the instant that boundary k of a runner with rate r, counted from the
// anchor, stands for; ns is its label.
func (s *Suite) At(a Anchor, r runners.Rate, k, ns int64) Now {
	now := Now{NS: ns, Newest: a.Boundary + s.substep.Newest(r, k), Reached: a.Boundary + s.substep.Reached(r, k), Anchor: a}
	now.NewestNS = s.label(a, now.Newest)
	return now
}

// label is that of a substep boundary not before the anchor.
func (s *Suite) label(a Anchor, boundary int64) int64 {
	return a.NS + s.substep.Label(boundary-a.Boundary)
}

// Bank holds what the worlds of one block have measured. It borrows the block's
// physics rows. It belongs to whoever holds the block, one goroutine at a time.
type Bank struct {
	suite *Suite
	rows  *physics.Rows

	root    []stream.Root // worlds
	initial []float64     // worlds × SampleSize: the sample computed at the reset
	count   []int64       // worlds × channels: samples taken in this episode
	taken   []taken       // worlds × ring
	noise   stream.Stream
}

// taken is one measurement: of which state.
type taken struct {
	ns       int64 // label of the boundary
	boundary int64 // substep boundary it was measured at
}

// NewBank allocates the bank of a block whose physics is kept in rows.
func (s *Suite) NewBank(rows *physics.Rows) *Bank {
	return &Bank{
		suite:   s,
		rows:    rows,
		root:    make([]stream.Root, rows.Worlds),
		initial: make([]float64, rows.Worlds*rows.SampleSize),
		count:   make([]int64, rows.Worlds*len(s.channels)),
		taken:   make([]taken, rows.Worlds*s.ring),
	}
}

// Reset forgets what world id has measured; an episode begins, whose noise is drawn
// from root. Its physics stands at boundary 0 with slot 0 filled.
func (b *Bank) Reset(id int, root stream.Root) {
	b.root[id] = root
	clear(b.counts(id))
	copy(b.initialSample(id), b.rows.Sample(id, 0))
}

func (b *Bank) initialSample(id int) []float64 {
	size := b.rows.SampleSize
	return b.initial[id*size : (id+1)*size]
}

// Take notes that a channel fired in world id at the instant now. A world whose
// physics broke down stays at its last valid boundary.
func (b *Bank) Take(channel, id int, now Now) {
	c := &b.suite.channels[channel]
	count := &b.counts(id)[channel]
	t := taken{ns: now.NewestNS, boundary: now.Newest}
	if valid := b.rows.Boundary[id]; valid < t.boundary {
		t = taken{ns: b.suite.label(now.Anchor, valid), boundary: valid}
	}
	b.ring(id)[c.ring.Offset+int(*count%int64(c.ring.Len))] = t
	*count++
}

// Restamp makes the state that world id's physics stands at, whose boundary and
// sample have just been set, the oldest that can be read: nothing that was
// measured before can. Samples are counted on, so that none has the noise of an
// earlier one.
func (b *Bank) Restamp(id int) {
	ring := b.ring(id)
	for i := range ring {
		ring[i].boundary = math.MaxInt64 // physics is never there
	}
	copy(b.initialSample(id), b.rows.Sample(id, b.rows.Boundary[id]))
}

// Read writes the value of a channel of world id that is known at the instant
// now to dst, which has the channel's size, and returns the label of the
// instant it was measured at, in nanoseconds. ok is false while no sample has
// arrived: dst then holds the value of the reset.
func (b *Bank) Read(dst []float64, channel, id int, now Now) (stampNS int64, ok bool) {
	c := &b.suite.channels[channel]
	count := b.counts(id)[channel]
	ring := b.ring(id)[c.ring.Offset:][:c.ring.Len]

	row, sample := b.initialSample(id), int64(-1)
	limit := min(now.Newest, b.rows.Boundary[id])
	if c.Stage == physics.Force {
		limit = min(now.Reached, b.rows.Boundary[id]) - 1
	}
	for back := int64(1); back <= min(count, int64(len(ring))); back++ {
		t := ring[(count-back)%int64(len(ring))]
		if t.boundary > limit {
			continue
		}
		if t.ns+int64(c.Latency) > now.NS {
			continue
		}
		row, sample, stampNS, ok = b.rows.Sample(id, t.boundary), count-back, t.ns, true
		break
	}

	at := 0
	for _, p := range c.parts {
		at += copy(dst[at:], p.In(row))
	}
	if c.Noise.Std > 0 {
		b.addNoise(dst[:at], c, id, sample)
	}
	return stampNS, ok
}

// addNoise adds the noise that belongs to one sample, by its number in the
// episode. The value of the reset counts as sample -1.
func (b *Bank) addNoise(dst []float64, c *compiled, id int, sample int64) {
	root := &b.root[id]
	r := b.noise.Key(root.Seed, root.World, root.Episode, uint64(stream.Sensor), c.key, uint64(sample))
	for i := range dst {
		// Rounded before adding: a fused multiply-add would give other bits.
		dst[i] += float64(c.Noise.Std * r.NormFloat64())
	}
}
