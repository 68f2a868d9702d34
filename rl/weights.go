package rl

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/polyrhythm-rl/polyrhythm/internal/container"
	"github.com/polyrhythm-rl/polyrhythm/rl/nn"
)

// Digest identifies the bytes of weights or of a part: their SHA-256.
type Digest [sha256.Size]byte

// String returns the first bytes of the digest, in hexadecimal.
func (d Digest) String() string { return container.Digest(d).String() }

// Weights are what collectors need for a rollout: the networks and how to standardise
// observations. Those of a learner share its memory: they are valid until it goes on.
//
// As bytes, see package container, the section head has Step (int64) and whether nothing but the moments of
// observations is learned from the rollout (one byte, 0 or 1), parameters is the parameters (float32), and moments
// the mean and then the scale of each observed value (float64).
type Weights struct {
	Step int64 // control steps of every world before the rollout

	look        bool // nothing is learned from the rollout but the moments of observations
	params      []float32
	standardise nn.Standardiser
	bytes       []byte // encoded
	learner     *agent // that gave them; nil of weights that were read
}

type weightsHead struct {
	Step int64
	Look bool
}

var weightsKind = container.Format{Name: "weights", Version: 2, Sections: []string{"head", "parameters", "moments"}}

// seal sets the bytes.
func (o *Weights) seal() {
	o.bytes = weightsKind.Encode(appendFixed(nil, weightsHead{o.Step, o.look}), appendFixed(nil, o.params),
		appendFixed(appendFixed(nil, o.standardise.Mean), o.standardise.Scale))
}

// Encode returns the weights as bytes, which are not to be changed.
func (o *Weights) Encode() []byte { return o.bytes }

// Digest returns the digest of the bytes.
func (o *Weights) Digest() Digest { return Digest(container.Sum(o.bytes)) }

// ReadWeights is the inverse of [Weights.Encode]. Bytes that are something else, damaged or
// of another version are refused with the reason. The weights keep the bytes.
func ReadWeights(message []byte) (_ *Weights, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("rl: reading weights: %w", err)
		}
	}()
	sections, _, err := weightsKind.Decode(message)
	if err != nil {
		return nil, err
	}
	head, params, moments := sections[0], sections[1], sections[2]
	if len(head) != 9 || len(params)%4 != 0 || len(moments)%16 != 0 {
		return nil, fmt.Errorf("damaged: a head of %d bytes, want 9, %d bytes of parameters and %d of moments",
			len(head), len(params), len(moments))
	}
	o := &Weights{Step: int64(binary.LittleEndian.Uint64(head)), look: head[8] == 1,
		params: make([]float32, len(params)/4), bytes: message}
	if o.Step < 0 || head[8] > 1 {
		return nil, errors.New("damaged: a control step below 0 or a flag above 1")
	}
	o.standardise = nn.NewStandardiser(len(moments) / 16)
	container.TakeFloats(params, o.params)
	container.TakeFloats(container.TakeFloats(moments, o.standardise.Mean), o.standardise.Scale)
	return o, nil
}

// appendFixed appends values of fixed size.
func appendFixed(data []byte, values any) []byte {
	data, err := binary.Append(data, binary.LittleEndian, values)
	if err != nil {
		panic(err) // cannot happen: all have a fixed size
	}
	return data
}
