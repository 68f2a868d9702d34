package rl

import (
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/polyrhythm-rl/polyrhythm/internal/container"
	"github.com/polyrhythm-rl/polyrhythm/rl/nn"
)

// RolloutPart is the rollout of a slice of the worlds.
type RolloutPart struct {
	First, Worlds int    // the worlds First, First+1, …
	Step          int64  // control steps of every world before the rollout
	Weights       Digest // of the weights under which it was collected

	// Extra is for the caller: it is stored, and has its part in the digest.
	Extra []byte

	steps int // of every world
	samples
	after    states         // of the worlds, after the rollout
	mean, m2 []float64      // moments of the observations, by world; without Settings.NormaliseObservations none
	finished []episodeStats // by world
}

// seen are the moments of the observations of a world, which share memory with the part.
func (p *RolloutPart) seen(w int, count float64) nn.Moments {
	size := len(p.mean) / p.Worlds
	return nn.Moments{Count: count, Mean: nn.RowOf(p.mean, size, w), M2: nn.RowOf(p.m2, size, w)}
}

// String names the part by its worlds and its control step.
func (p *RolloutPart) String() string {
	return fmt.Sprintf("the part of worlds %d to %d at control step %d", p.First, p.First+p.Worlds-1, p.Step)
}

// fits returns an error unless the part is one of a learner's worlds.
func (p *RolloutPart) fits(a *agent) error {
	if p.First < 0 || p.Worlds < 1 || p.First > a.shape.Worlds-p.Worlds {
		return fmt.Errorf("%v, want worlds of 0 to %d", p, a.shape.Worlds-1)
	}
	if p.steps != a.settings.RolloutSteps {
		return fmt.Errorf("%v has %d control steps, want %d", p, p.steps, a.settings.RolloutSteps)
	}
	samples, sequences := p.Worlds*p.steps, a.settings.sequences(p.Worlds)
	units, images, seen := a.settings.Recurrent, 0, 0
	if a.mirror != nil {
		images = units
	}
	if a.settings.NormaliseObservations {
		seen = p.Worlds * a.shape.moments()
	}
	want := []int{
		samples * a.shape.Observation, samples * a.acts(), samples, samples, samples, samples, samples, p.Worlds,
		sequences * units, sequences * units, sequences * images, p.Worlds * units, p.Worlds * units, p.Worlds * images,
		seen, seen, p.Worlds,
	}
	for i, array := range p.arrays() {
		if got := array.values.Len(); got != want[i] {
			return fmt.Errorf("%v has %d %s, want %d", p, got, array.what, want[i])
		}
	}
	return nil
}

// Check returns an error unless a part is one of the rollout that a learner ordered with these weights, and of worlds
// of the learner. It may be called by any goroutine until the learner has the parts.
func (o *Weights) Check(part *RolloutPart) error {
	if err := part.fits(o.learner); err != nil {
		return fmt.Errorf("rl: %w", err)
	}
	if part.Step != o.Step {
		return fmt.Errorf("rl: %v, want control step %d", part, o.Step)
	}
	if want := o.Digest(); part.Weights != want {
		return fmt.Errorf("rl: %v was collected under the weights %v, want %v", part, part.Weights, want)
	}
	return nil
}

var partKind = container.Format{Name: "rollout", Version: 3, Sections: []string{"head", "arrays", "extra"}}

// partHead is the section head of an encoded part, without padding.
type partHead struct {
	First, Worlds, Steps uint32
	Step                 int64
	Weights              Digest
}

// partArray is an array of a part.
type partArray struct {
	what   string
	values reflect.Value // a slice that can be set
}

// arrays lists the arrays of a part in the order of the section arrays, where each begins
// with the number of its values (uint32).
func (p *RolloutPart) arrays() (all []partArray) {
	for pair := range slices.Chunk([]any{
		"observed values", &p.observation, "action values", &p.action, "probabilities", &p.logProb, "values", &p.value,
		"rewards", &p.reward, "endings", &p.end, "final values", &p.final, "last values", &p.last,
		"states of the policy", &p.initial.policy, "states of the value network", &p.initial.value,
		"states for mirror images", &p.initial.image, "states of the policy after it", &p.after.policy,
		"states of the value network after it", &p.after.value, "states for mirror images after it", &p.after.image,
		"means", &p.mean, "sums of squares", &p.m2, "statistics of episodes", &p.finished,
	}, 2) {
		all = append(all, partArray{pair[0].(string), reflect.ValueOf(pair[1]).Elem()})
	}
	return all
}

// Encode returns the part as bytes, see package container; they depend on nothing but what
// it holds. The section extra is Extra.
func (p *RolloutPart) Encode() []byte {
	head := partHead{uint32(p.First), uint32(p.Worlds), uint32(p.steps), p.Step, p.Weights}
	var data []byte
	for _, a := range p.arrays() {
		data = binary.LittleEndian.AppendUint32(data, uint32(a.values.Len()))
		data = appendFixed(data, a.values.Interface())
	}
	return partKind.Encode(appendFixed(nil, head), data, p.Extra)
}

// ReadPart is the inverse of [RolloutPart.Encode], and returns the digest of the bytes. Bytes that
// are something else, damaged or of another version are refused with the reason. Memory
// grows with the bytes, not with what they claim. Extra shares memory with them.
func ReadPart(message []byte) (*RolloutPart, Digest, error) {
	sections, digest, err := partKind.Decode(message)
	p := &RolloutPart{}
	if err == nil {
		p.Extra = sections[2]
		err = p.read(sections[0], sections[1])
	}
	if err != nil {
		return nil, Digest(digest), fmt.Errorf("rl: reading a part: %w", err)
	}
	return p, Digest(digest), nil
}

func (p *RolloutPart) read(first, data []byte) error {
	var head partHead
	if n, err := binary.Decode(first, binary.LittleEndian, &head); err != nil || n < len(first) {
		return fmt.Errorf("damaged: a head of %d bytes, want %d", len(first), binary.Size(head))
	}
	p.First, p.Worlds, p.steps = int(head.First), int(head.Worlds), int(head.Steps)
	p.Step, p.Weights = head.Step, head.Weights
	for _, a := range p.arrays() {
		if len(data) < 4 {
			return errors.New("damaged: arrays are missing")
		}
		values := a.values
		n, size := uint64(binary.LittleEndian.Uint32(data)), uint64(values.Type().Elem().Size())
		if data = data[4:]; n*size > uint64(len(data)) {
			return fmt.Errorf("damaged: an array of %d values of %d bytes, want at most %d bytes", n, size, len(data))
		}
		values.Set(reflect.MakeSlice(values.Type(), int(n), int(n)))
		if _, err := binary.Decode(data, binary.LittleEndian, values.Interface()); err != nil {
			return err
		}
		data = data[n*size:]
	}
	if len(data) > 0 {
		return fmt.Errorf("damaged: %d bytes follow the arrays", len(data))
	}
	return p.check()
}

// check returns an error unless the values are such as a collector sees.
func (p *RolloutPart) check() error {
	for _, r := range p.reward {
		if !nn.Usable(r) {
			return fmt.Errorf("damaged: a reward is %g, want a number of at most %g in size", r, nn.MaxValue)
		}
	}
	for _, end := range p.end {
		if end > cutOff {
			return fmt.Errorf("damaged: an ending is %d, want at most %d", end, cutOff)
		}
	}
	for _, mean := range p.mean {
		if !nn.Usable(mean) {
			return fmt.Errorf("damaged: a mean is %g, want a number of at most %g in size", mean, nn.MaxValue)
		}
	}
	for _, v := range p.m2 {
		if most := float64(p.steps) * 4 * nn.MaxValue * nn.MaxValue; !(v >= 0 && v <= most) {
			return fmt.Errorf("damaged: a sum of squares is %g, want 0 to %g", v, most)
		}
	}
	for _, f := range p.finished {
		least, most := min(f.Faults, f.Returns.Count, f.Length.Count), max(f.Faults, f.Returns.Count, f.Length.Count)
		if least < 0 || most > int64(p.steps) {
			return fmt.Errorf("damaged: %d to %d faults and episodes of a world, want 0 to %d", least, most, p.steps)
		}
	}
	return nil
}
