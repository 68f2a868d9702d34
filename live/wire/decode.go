package wire

import (
	"errors"
	"fmt"
	"math"

	"google.golang.org/protobuf/proto"
)

// Decoder follows a stream of updates and holds the state of the worlds at the newest decision point that it has
// seen. It checks everything that comes from the network. One goroutine at a time may use it.
type Decoder struct {
	Welcome *Welcome // nil before the first update
	Missed  int64    // frames that the server left out, because the client was slow or away

	Speed float64 // simulated time in a second of wall time

	// Newest is the update that came last, which may be an acknowledgement, a decision to be made
	// or a ping to be answered.
	Newest *Update

	tracks    []*Track
	frame     *Frame    // newest; nil before the first
	multiples []int64   // multiples of the resolutions
	exact     []float64 // values of the tracks without
}

// MaxValues is the most values, of all tracks and worlds, that a decoder takes from a server.
const MaxValues = 1 << 22

// Further limits of what a decoder takes from a server.
const (
	maxTracks = 1 << 12
	maxUpdate = 1 << 24 // bytes
)

// Size is the number of values of the tracks of one world.
func Size(tracks []*Track) (n int) {
	for _, t := range tracks {
		n += int(t.GetSize())
	}
	return n
}

// Update takes the next encoded update. After an error the decoder must not be used.
func (d *Decoder) Update(data []byte) error {
	if len(data) > maxUpdate {
		return fmt.Errorf("an update of %d bytes, want at most %d", len(data), maxUpdate)
	}
	var u Update
	if err := proto.Unmarshal(data, &u); err != nil {
		return fmt.Errorf("an update is not valid: %w", err)
	}
	return d.Take(&u)
}

// Take is [Decoder.Update] for an update that has been decoded from its bytes. It keeps u.
func (d *Decoder) Take(u *Update) error {
	d.Newest = u
	switch kind := u.Kind.(type) {
	case *Update_Welcome:
		return d.welcome(kind.Welcome)
	case *Update_Frame:
		return d.takeFrame(kind.Frame)
	case nil:
		return errors.New("an update is empty, want a welcome, a frame, an ack, a decision or a ping")
	}
	return nil
}

func (d *Decoder) welcome(w *Welcome) error {
	tracks, worlds := w.GetDescription().GetTracks(), int(w.GetDescription().GetWorlds())
	size := Size(tracks)
	if len(tracks) > maxTracks || max(worlds, size) > MaxValues || size*worlds > MaxValues {
		return fmt.Errorf("%d worlds with %d values in %d tracks, want at most %d values in %d tracks",
			worlds, size, len(tracks), MaxValues, maxTracks)
	}
	for _, t := range tracks {
		if !(t.GetResolution() >= 0 && t.GetResolution() < math.MaxFloat64) {
			return fmt.Errorf("track %q has the resolution %v, want a finite one", t.GetName(), t.GetResolution())
		}
	}
	same := d.frame != nil && len(d.multiples) == size*worlds && len(d.tracks) == len(tracks)
	d.Welcome, d.tracks = w, tracks
	if !same {
		d.multiples, d.exact, d.frame = make([]int64, size*worlds), make([]float64, size*worlds), nil
	}
	return nil
}

func (d *Decoder) takeFrame(f *Frame) error {
	if d.Welcome == nil {
		return errors.New("a frame came before the welcome")
	}
	if !f.GetKey() && d.frame == nil {
		return fmt.Errorf("frame %d is a difference, want a key frame", f.GetNumber())
	}
	if !f.GetKey() && f.GetNumber() != d.frame.GetNumber()+1 {
		return fmt.Errorf("frame %d came after frame %d, want the next one or a key frame",
			f.GetNumber(), d.frame.GetNumber())
	}
	if got, want := len(f.GetWorlds()), int(d.Welcome.GetDescription().GetWorlds()); got != want {
		return fmt.Errorf("frame %d has %d worlds, want %d", f.GetNumber(), got, want)
	}
	if f.GetKey() {
		clear(d.multiples)
		if d.frame != nil {
			d.Missed += max(0, f.GetNumber()-d.frame.GetNumber()-1)
		}
	}
	for w, world := range f.GetWorlds() {
		if got, want := len(world.GetTracks()), len(d.tracks); got != want {
			return fmt.Errorf("frame %d, world %d: %d tracks, want %d", f.GetNumber(), w, got, want)
		}
		i := w * Size(d.tracks)
		for t, values := range world.GetTracks() {
			track := d.tracks[t]
			end := i + int(track.GetSize())
			n, exact := len(values.GetExact()), track.GetResolution() == 0
			if len(values.GetSteps()) > end-i || exact && n != end-i || !exact && n != 0 {
				return fmt.Errorf("frame %d, world %d, track %s: %d steps and %d exact values, want the %d of the track",
					f.GetNumber(), w, track.GetName(), len(values.GetSteps()), n, end-i)
			}
			for j, step := range values.GetSteps() {
				d.multiples[i+j] += step
			}
			copy(d.exact[i:end], values.GetExact())
			i = end
		}
	}
	d.frame = f
	if f.GetSpeed() != 0 {
		d.Speed = f.GetSpeed()
	}
	return nil
}

// Frame returns the newest frame; nil before the first. Its tracks are differences: use
// Values for what they stand for.
func (d *Decoder) Frame() *Frame { return d.frame }

// Values appends the values of a track of a world at the newest frame, and returns their
// timestamp in ns since the episode began: the frame's own for a track that is not
// stamped, and -1 for a channel that still has the value of the reset.
func (d *Decoder) Values(dst []float64, world, track int) (values []float64, stampNS int64) {
	i, t := world*Size(d.tracks)+Size(d.tracks[:track]), d.tracks[track]
	end := i + int(t.GetSize())
	if t.GetResolution() == 0 {
		dst = append(dst, d.exact[i:end]...)
	} else {
		for _, k := range d.multiples[i:end] {
			dst = append(dst, float64(k)*t.GetResolution())
		}
	}
	return dst, d.Stamp(world, track)
}

// Stamp returns the timestamp of the values of a track of a world at the newest frame, see Values.
func (d *Decoder) Stamp(world, track int) (stampNS int64) {
	w := d.frame.GetWorlds()[world]
	if !d.tracks[track].GetStamped() {
		return w.GetNs()
	}
	if age := w.GetTracks()[track].AgeNs; age != nil {
		return w.GetNs() - int64(*age)
	}
	return -1
}
