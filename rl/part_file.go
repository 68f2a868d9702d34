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

// appendFixed appends values of fixed size.
func appendFixed(data []byte, values any) []byte {
	data, err := binary.Append(data, binary.LittleEndian, values)
	if err != nil {
		panic(err) // cannot happen: all have a fixed size
	}
	return data
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
