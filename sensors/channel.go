package sensors

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/bits"
	"strings"

	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/runners"
)

// Info is what a suite knows of a compiled channel.
type Info struct {
	Channel
	Size  int // values that a reader gets: those of a sample, for each of History samples
	Stage physics.Stage
	Rate  runners.Rate
}

// Suite is a set of channels compiled against one model: immutable, shared by
// all blocks and goroutines.
type Suite struct {
	channels []compiled
	probes   []physics.Probe
	substep  runners.Rate   // rate of substep boundaries
	ring     int            // ring entries of one world, all channels together
	notes    int            // whole numbers that channels with a memory keep for one world
	memory   int            // values that they keep for it
	widest   int            // the longest memory of a channel
	history  int            // substep boundaries that must stay readable behind an instant
	motion   []physics.Span // of a sample, the Motion values
}

type compiled struct {
	Info
	index  int            // in the suite
	width  int            // values per sample
	key    uint64         // of the channel's draws, from the name
	parts  []physics.Span // of a sample row, joined to the channel's value
	ring   physics.Span   // of a world's ring entries; a power of two of them
	notes  physics.Span   // of a world's notes; empty without a memory
	memory physics.Span   // of a world's memory; likewise
}

// Compile resolves channels against a model whose substep boundaries come at
// rate substep. Each channel's runner must be in runs. The error names the
// channel.
func Compile(m physics.Model, substep runners.Rate, runs []runners.Runner, channels []Channel) (*Suite, error) {
	s := &Suite{substep: substep}
	at := map[string]physics.Span{} // where each source lies in a sample
	size := 0
	names := map[string]bool{}
	for _, c := range channels {
		if c.Name == "" {
			return nil, fmt.Errorf("sensor channel %d of %d has no name", len(s.channels)+1, len(channels))
		}
		if err := c.Validate(); err != nil {
			return nil, fmt.Errorf("sensor channel %q: %w", c.Name, err)
		}
		if names[c.Name] {
			return nil, fmt.Errorf("sensor channel %q is given twice; channel names must differ", c.Name)
		}
		names[c.Name] = true
		rate, err := rateOf(runs, c.Runner)
		if err != nil {
			return nil, fmt.Errorf("sensor channel %q: %w", c.Name, err)
		}
		k := compiled{Info: Info{Channel: c, Rate: rate}, index: len(s.channels), key: nameKey(c.Name)}
		for i, source := range c.Sources {
			p, err := m.Probe(source)
			if err != nil {
				return nil, fmt.Errorf("sensor channel %q: %w", c.Name, err)
			}
			if i > 0 && p.Stage != k.Stage {
				return nil, fmt.Errorf("sensor channel %q: source %q is a %v value but %q is a %v value; a channel's sources must be of one stage, so split it in two",
					c.Name, source, p.Stage, c.Sources[0], k.Stage)
			}
			k.Stage = p.Stage
			span, seen := at[source]
			if !seen {
				span = physics.Span{Offset: size, Len: p.Size}
				at[source] = span
				size += p.Size
				s.probes = append(s.probes, p)
				if p.Stage == physics.Motion {
					s.motion = appendSpan(s.motion, span)
				}
			}
			k.width += span.Len
			k.parts = appendSpan(k.parts, span)
		}
		k.Size = k.width * max(1, c.History)
		k.ring = physics.Span{Offset: s.ring, Len: k.entries(rate.Seconds()/room, substep)}
		s.ring += k.ring.Len
		if k.remembers() {
			k.notes = physics.Span{Offset: s.notes, Len: noteWords}
			k.memory = physics.Span{Offset: s.memory, Len: k.width * (vectors + k.ring.Len)}
			s.notes += k.notes.Len
			s.memory += k.memory.Len
			s.widest = max(s.widest, k.memory.Len)
		}
		s.history = max(s.history, k.history(room*rate.Seconds(), substep))
		s.channels = append(s.channels, k)
	}
	return s, nil
}

// room is how many times faster or slower than it began a channel may become
// without new memory.
const room = 4

// entries is how many of its samples a channel must remember when it takes one
// every period seconds: those on their way, the one in force, and the one before
// it, since a force is known late. One with a memory also needs those of its
// window, and those taken since physics last moved, which it has not measured. The
// number is rounded up to a power of two.
func (k *compiled) entries(period float64, substep runners.Rate) int {
	n := int(math.Ceil((k.Latency+k.Jitter).Seconds()/period)) + 3
	if k.remembers() {
		n += k.History + int(math.Ceil(2*substep.Seconds()/period))
	}
	return 1 << bits.Len(uint(n-1))
}

// entry is the ring entry of a sample.
func (k *compiled) entry(sample int64) int64 { return sample & int64(k.ring.Len-1) }

// history is how many substep boundaries back a sample may lie that is still
// needed: it is until the next one has arrived, one period and the latency after
// it was measured. A channel with a memory has copied it when the next is taken.
func (k *compiled) history(period float64, substep runners.Rate) int {
	if !k.remembers() {
		period += (k.Latency + k.Jitter).Seconds()
	}
	return int(math.Ceil(period/substep.Seconds())) + 2
}

// Supports reports, as an error if not, whether a channel can be taken at another rate
// in the memory there is.
func (s *Suite) Supports(channel int, rate runners.Rate) error {
	k := &s.channels[channel]
	if k.entries(rate.Seconds(), s.substep) > k.ring.Len || k.history(rate.Seconds(), s.substep) > s.history {
		return fmt.Errorf("sensor channel %q cannot go from %v to %v Hz during a run; up to %d times faster or slower is possible", k.Name, k.Rate, rate, room)
	}
	return nil
}

func rateOf(runs []runners.Runner, name string) (runners.Rate, error) {
	var known []string
	for _, r := range runs {
		if r.Name == name {
			return r.Rate, nil
		}
		known = append(known, r.Name)
	}
	return runners.Rate{}, fmt.Errorf("runner %q is not there; the runners are %s", name, strings.Join(known, ", "))
}

// appendSpan adds a span, joining it to the last one when it follows directly.
func appendSpan(spans []physics.Span, s physics.Span) []physics.Span {
	if n := len(spans); n > 0 && spans[n-1].Offset+spans[n-1].Len == s.Offset {
		spans[n-1].Len += s.Len
		return spans
	}
	return append(spans, s)
}

// nameKey hashes a channel's name, so that adding a channel leaves the noise of
// the others as it was.
func nameKey(name string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(name))
	return h.Sum64()
}

// Len is the number of channels.
func (s *Suite) Len() int { return len(s.channels) }

// Info describes channel i.
func (s *Suite) Info(i int) Info { return s.channels[i].Info }

// Size is the number of values that [Bank.Read] writes for channel i.
func (s *Suite) Size(i int) int { return s.channels[i].Size }

// Find returns the index of the named channel. The error lists the channels
// there are.
func (s *Suite) Find(name string) (int, error) {
	var known []string
	for i, c := range s.channels {
		if c.Name == name {
			return i, nil
		}
		known = append(known, c.Name)
	}
	if len(known) == 0 {
		return 0, fmt.Errorf("sensor channel %q is not there; the configuration has no sensors", name)
	}
	return 0, fmt.Errorf("sensor channel %q is not there; the channels are %s", name, strings.Join(known, ", "))
}

// Probes are the engine values the channels are made of, in the order of a
// sample row.
func (s *Suite) Probes() []physics.Probe { return s.probes }

// Slots is the number of substep boundaries [physics.Rows] must keep so that
// every channel can be read while physics is up to ahead substeps in front.
func (s *Suite) Slots(ahead int) int { return ahead + s.history + 1 }
