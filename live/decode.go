package live

import (
	"errors"
	"fmt"
	"math"
	"math/bits"

	"google.golang.org/protobuf/proto"

	"github.com/polyrhythm-rl/polyrhythm/live/wire"
)

// Decoder follows a stream of updates and holds the state of the worlds at the newest
// decision point that it has seen. It checks everything that comes from the network. One
// goroutine at a time may use it.
type Decoder struct {
	Welcome *wire.Welcome // nil before the first update
	Missed  uint64        // frames that the server left out, because the client was slow or away

	// Ack, if not nil, is called with each acknowledgement, which come in between on a
	// WebSocket.
	Ack func(*wire.Ack)

	// Decision, if not nil, is called with each decision that the client is to make.
	Decision func(*wire.Decision)

	// Ping, if not nil, is called with the id of each ping, for the answer.
	Ping func(id uint64)

	layout layout
	frame  *wire.Frame // newest; nil before the first
	last   []int64
	motion []int64
	lost   bool // a gap came, so only a key frame can follow
}

// Limits of what a decoder takes from a server.
const (
	maxTracks = 1 << 12
	maxValues = 1 << 22 // of all tracks and worlds
	maxUpdate = 1 << 24 // bytes
)

// Update takes the next encoded update. After an error the decoder must not be used.
func (d *Decoder) Update(data []byte) error {
	if len(data) > maxUpdate {
		return fmt.Errorf("an update of %d bytes, want at most %d", len(data), maxUpdate)
	}
	var u wire.Update
	if err := proto.Unmarshal(data, &u); err != nil {
		return fmt.Errorf("an update is not valid: %w", err)
	}
	return d.Take(&u)
}

// Take is [Decoder.Update] for an update that has been decoded from its bytes. It keeps u.
func (d *Decoder) Take(u *wire.Update) error {
	switch kind := u.Kind.(type) {
	case *wire.Update_Welcome:
		return d.welcome(kind.Welcome)
	case *wire.Update_Gap:
		d.Missed += kind.Gap.GetMissed()
		d.lost = true
		return nil
	case *wire.Update_Frame:
		return d.take(kind.Frame)
	case *wire.Update_Ack:
		if d.Ack != nil {
			d.Ack(kind.Ack)
		}
		return nil
	case *wire.Update_Decision:
		if d.Decision != nil {
			d.Decision(kind.Decision)
		}
		return nil
	case *wire.Update_Ping:
		if d.Ping != nil {
			d.Ping(kind.Ping.GetId())
		}
		return nil
	}
	return errors.New("an update is empty, want a welcome, a frame, a gap, an ack, a decision or a ping")
}

// welcome begins a session, or goes on with one.
func (d *Decoder) welcome(w *wire.Welcome) error {
	tracks, worlds := w.GetDescription().GetTracks(), int(w.GetDescription().GetWorlds())
	size := 0
	for _, t := range tracks {
		if !(t.GetResolution() >= 0 && t.GetResolution() < math.MaxFloat64) || int(t.GetSize()) > maxValues {
			return fmt.Errorf("track %q has %d values of resolution %v, want at most %d and a finite one", t.GetName(), t.GetSize(), t.GetResolution(), maxValues)
		}
		size += int(t.GetSize())
		if size > maxValues {
			return fmt.Errorf("the tracks have more than %d values", maxValues)
		}
	}
	if len(tracks) > maxTracks || worlds > maxValues || size*worlds > maxValues {
		return fmt.Errorf("%d worlds with %d values in %d tracks, want at most %d values in %d tracks", worlds, size, len(tracks), maxValues, maxTracks)
	}
	d.Welcome = w
	same := d.frame != nil && len(d.last) == size*worlds && len(d.layout.tracks) == len(tracks)
	d.layout = newLayout(tracks)
	if !same {
		d.last, d.motion, d.frame = make([]int64, size*worlds), make([]int64, size*worlds), nil
	}
	return nil
}

// take decodes a frame.
func (d *Decoder) take(f *wire.Frame) error {
	if d.Welcome == nil {
		return errors.New("a frame came before the welcome")
	}
	if !f.GetKey() && (d.frame == nil || d.lost) {
		return fmt.Errorf("frame %d is a difference, want a key frame", f.GetNumber())
	}
	if !f.GetKey() && f.GetNumber() != d.frame.GetNumber()+1 {
		return fmt.Errorf("frame %d came after frame %d, want the next one or a gap", f.GetNumber(), d.frame.GetNumber())
	}
	if got, want := len(f.GetWorlds()), int(d.Welcome.GetDescription().GetWorlds()); got != want {
		return fmt.Errorf("frame %d has %d worlds, want %d", f.GetNumber(), got, want)
	}
	if f.GetKey() {
		clear(d.last)
		clear(d.motion)
	}
	for w, world := range f.GetWorlds() {
		if got, want := len(world.GetTracks()), len(d.layout.tracks); got != want {
			return fmt.Errorf("frame %d, world %d: %d tracks, want %d", f.GetNumber(), w, got, want)
		}
		i := w * d.layout.size
		for t, values := range world.GetTracks() {
			track := d.layout.tracks[t]
			end := i + int(track.GetSize())
			if err := apply(values, track, d.last[i:end], d.motion[i:end], f.GetKey()); err != nil {
				return fmt.Errorf("frame %d, world %d, track %s: %w", f.GetNumber(), w, track.GetName(), err)
			}
			i = end
		}
	}
	d.frame, d.lost = f, false
	return nil
}

// apply adds the differences of a track.
func apply(v *wire.Values, track *wire.Track, last, motion []int64, key bool) error {
	if n := max(len(v.GetSteps()), len(v.GetBits()), len(v.GetMotion())); n > len(last) {
		return fmt.Errorf("%d values, want at most %d", n, len(last))
	}
	if track.GetResolution() == 0 {
		for j, number := range v.GetBits() {
			last[j] ^= int64(bits.ReverseBytes64(number))
		}
		return nil
	}
	for j := range last {
		step := int64(0)
		if j < len(v.GetSteps()) {
			step = v.GetSteps()[j]
		}
		before := last[j]
		last[j] = before + motion[j] + step
		motion[j] = last[j] - before
	}
	if key {
		clear(motion)
		copy(motion, v.GetMotion())
	}
	return nil
}

// Frame returns the newest frame; nil before the first. Its tracks are differences: use
// Values for what they stand for.
func (d *Decoder) Frame() *wire.Frame { return d.frame }

// Values appends the values of a track of a world at the newest frame, and returns their
// timestamp in ns since the episode began: the frame's own for a track that is not
// stamped, and -1 for a channel that still has the value of the reset.
func (d *Decoder) Values(dst []float64, world, track int) (values []float64, stampNS int64) {
	i := world * d.layout.size
	for _, t := range d.layout.tracks[:track] {
		i += int(t.GetSize())
	}
	t := d.layout.tracks[track]
	for _, k := range d.last[i : i+int(t.GetSize())] {
		if t.GetResolution() == 0 {
			dst = append(dst, math.Float64frombits(uint64(k)))
		} else {
			dst = append(dst, float64(k)*t.GetResolution())
		}
	}
	w := d.frame.GetWorlds()[world]
	stampNS = w.GetNs()
	if t.GetStamped() {
		stampNS = -1
		if age := w.GetTracks()[track].AgeNs; age != nil {
			stampNS = w.GetNs() - int64(*age)
		}
	}
	return dst, stampNS
}
