package live

import (
	"math"
	"math/bits"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/polyrhythm-rl/polyrhythm/live/wire"
)

// sample is the state of all worlds at a decision point, as the goroutine of Run gathers it.
type sample struct {
	n       int64
	worlds  []worldSample
	values  []float64 // worlds × values of all tracks
	applied []applied

	decisions []decisionEvent

	paused bool
	speed  float64
}

type worldSample struct {
	episode, ns           int64
	terminated, truncated bool
	reward                float32
	ages                  []int64 // of each track, ns; -1: the value of the reset
}

// applied is an intent that was carried out, or could not be.
type applied struct {
	number       int64
	client, kind string
	err          string
	decision     string // to which it replies
}

// decisionEvent is what happened to a decision.
type decisionEvent struct{ id, event, client, reason string }

// layout says where the values of the tracks of one world are.
type layout struct {
	tracks []*wire.Track
	size   int // values of one world
}

func newLayout(tracks []*wire.Track) layout {
	l := layout{tracks: tracks}
	for _, t := range tracks {
		l.size += int(t.Size)
	}
	return l
}

// encoder encodes frames one after the other.
type encoder struct {
	layout
	last   []int64 // what the clients have: multiples of the resolution, or bits of a double
	motion []int64 // the last change of each, 0 for exact tracks
}

func newEncoder(l layout, worlds int) *encoder {
	return &encoder{layout: l, last: make([]int64, worlds*l.size), motion: make([]int64, worlds*l.size)}
}

// maxMultiple bounds the multiples of a resolution, so that no difference of three overflows.
const maxMultiple = 1 << 52

// quantise returns the multiple of the resolution that is nearest to x, 0 for NaN; with
// resolution 0 the bits of x.
func quantise(x, resolution float64) int64 {
	if resolution == 0 {
		return int64(math.Float64bits(x))
	}
	k := math.RoundToEven(x / resolution)
	if k != k {
		return 0
	}
	return int64(min(max(k, -maxMultiple), maxMultiple))
}

// exactNumber is what is sent of an exact value: the bits that differ, with those that often
// are 0 at the top.
func exactNumber(bitsOf, before int64) uint64 { return bits.ReverseBytes64(uint64(bitsOf ^ before)) }

// append appends a frame of s as an encoded Update and makes it the frame before the next.
func (e *encoder) append(dst []byte, s *sample, number int64, key bool) []byte {
	start := len(dst)
	dst = e.appendHead(dst, s, number, key)
	for w := range s.worlds {
		at := len(dst)
		dst = appendWorld(dst, &s.worlds[w])
		i := w * e.size
		for t, track := range e.tracks {
			from := len(dst)
			dst = e.appendTrack(dst, track, s.values[i:i+int(track.Size)], i, key)
			dst = appendAge(dst, s.worlds[w].ages[t])
			dst = wrap(dst, from, 6)
			i += int(track.Size)
		}
		dst = wrap(dst, at, 3)
	}
	for i := range s.applied {
		at := len(dst)
		dst = appendApplied(dst, &s.applied[i])
		dst = wrap(dst, at, 4)
	}
	for i := range s.decisions {
		at, d := len(dst), &s.decisions[i]
		dst = appendText(dst, 1, d.id)
		dst = appendText(dst, 2, d.event)
		dst = appendText(dst, 3, d.client)
		dst = appendText(dst, 4, d.reason)
		dst = wrap(dst, at, 8)
	}
	return wrap(dst, start, 2)
}

// appendSnapshot appends the newest frame, which is number, as a key frame for one client.
func (e *encoder) appendSnapshot(dst []byte, s *sample, number int64) []byte {
	start := len(dst)
	dst = e.appendHead(dst, s, number, true)
	for w := range s.worlds {
		at := len(dst)
		dst = appendWorld(dst, &s.worlds[w])
		i := w * e.size
		for t, track := range e.tracks {
			from, size := len(dst), int(track.Size)
			if track.Resolution == 0 {
				for _, k := range trimmed(e.last[i : i+size]) {
					dst = protowire.AppendVarint(dst, exactNumber(k, 0))
				}
				dst = wrapPacked(dst, from, 2)
			} else {
				for _, k := range trimmed(e.last[i : i+size]) {
					dst = protowire.AppendVarint(dst, protowire.EncodeZigZag(k))
				}
				dst = wrapPacked(dst, from, 1)
				moving := len(dst)
				for _, m := range trimmed(e.motion[i : i+size]) {
					dst = protowire.AppendVarint(dst, protowire.EncodeZigZag(m))
				}
				dst = wrapPacked(dst, moving, 3)
			}
			dst = appendAge(dst, s.worlds[w].ages[t])
			dst = wrap(dst, from, 6)
			i += size
		}
		dst = wrap(dst, at, 3)
	}
	return wrap(dst, start, 2)
}

// trimmed leaves out the zeros at the end.
func trimmed(values []int64) []int64 {
	for len(values) > 0 && values[len(values)-1] == 0 {
		values = values[:len(values)-1]
	}
	return values
}

func (e *encoder) appendHead(dst []byte, s *sample, number int64, key bool) []byte {
	dst = appendInt(dst, 1, s.n)
	dst = appendBool(dst, 2, key)
	dst = appendBool(dst, 5, s.paused)
	if key {
		dst = protowire.AppendTag(dst, 6, protowire.Fixed64Type)
		dst = protowire.AppendFixed64(dst, math.Float64bits(s.speed))
	}
	return appendInt(dst, 7, number)
}

func appendWorld(dst []byte, w *worldSample) []byte {
	dst = appendInt(dst, 1, w.episode)
	dst = appendInt(dst, 2, w.ns)
	dst = appendBool(dst, 3, w.terminated)
	dst = appendBool(dst, 4, w.truncated)
	if w.reward == 0 {
		return dst
	}
	dst = protowire.AppendTag(dst, 5, protowire.Fixed32Type)
	return protowire.AppendFixed32(dst, math.Float32bits(w.reward))
}

// appendTrack appends the values of a track, which begin at i of the encoder's, and makes
// them what the clients have.
func (e *encoder) appendTrack(dst []byte, track *wire.Track, values []float64, i int, key bool) []byte {
	start, end := len(dst), len(dst) // end of the last number that is not 0
	exact := track.Resolution == 0
	last, motion := e.last[i:i+len(values)], e.motion[i:i+len(values)]
	for j, x := range values {
		k, before, moved := quantise(x, track.Resolution), last[j], motion[j]
		if key {
			before, moved = 0, 0
		}
		last[j] = k
		var number uint64
		if exact {
			number = exactNumber(k, before)
		} else {
			number = protowire.EncodeZigZag(k - (before + moved))
			motion[j] = k - before
			if key {
				motion[j] = 0
			}
		}
		dst = protowire.AppendVarint(dst, number)
		if number != 0 {
			end = len(dst)
		}
	}
	if exact {
		return wrapPacked(dst[:end], start, 2)
	}
	return wrapPacked(dst[:end], start, 1)
}

func appendAge(dst []byte, age int64) []byte {
	if age < 0 {
		return dst
	}
	dst = protowire.AppendTag(dst, 4, protowire.VarintType)
	return protowire.AppendVarint(dst, uint64(age))
}

func appendApplied(dst []byte, a *applied) []byte {
	dst = appendInt(dst, 1, a.number)
	dst = appendText(dst, 2, a.client)
	dst = appendText(dst, 3, a.kind)
	dst = appendText(dst, 4, a.err)
	return appendText(dst, 5, a.decision)
}

func appendInt(dst []byte, field protowire.Number, v int64) []byte {
	if v == 0 {
		return dst
	}
	return protowire.AppendVarint(protowire.AppendTag(dst, field, protowire.VarintType), uint64(v))
}

func appendBool(dst []byte, field protowire.Number, v bool) []byte {
	if !v {
		return dst
	}
	return append(protowire.AppendTag(dst, field, protowire.VarintType), 1)
}

func appendText(dst []byte, field protowire.Number, text string) []byte {
	if text == "" {
		return dst
	}
	return protowire.AppendString(protowire.AppendTag(dst, field, protowire.BytesType), text)
}

// wrap makes dst[at:] the content of a field, whose tag and length it puts before.
func wrap(dst []byte, at int, field protowire.Number) []byte {
	var room [20]byte
	content := len(dst) - at
	head := protowire.AppendVarint(protowire.AppendTag(room[:0], field, protowire.BytesType), uint64(content))
	dst = append(dst, head...) // for its length
	copy(dst[at+len(head):], dst[at:at+content])
	copy(dst[at:], head)
	return dst
}

// wrapPacked is wrap for a list, which is left out if it is empty.
func wrapPacked(dst []byte, at int, field protowire.Number) []byte {
	if len(dst) == at {
		return dst
	}
	return wrap(dst, at, field)
}
