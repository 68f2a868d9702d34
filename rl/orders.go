package rl

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
)

// Digest identifies the bytes of orders or of a part: their SHA-256.
type Digest [sha256.Size]byte

// String returns the beginning of the digest, in hexadecimal.
func (d Digest) String() string { return hex.EncodeToString(d[:8]) }

// Orders are what collectors need for a rollout: the networks and how to standardise
// observations. Those of a learner share its memory: they are valid until it goes on.
//
// As bytes, all numbers little-endian: the magic "PRHORDER", the version as a uint32 (1),
// Step (int64), whether nothing but the moments of observations is learned from the rollout
// (one byte, 0 or 1), the number of parameters and that of observed values (uint32 each), the
// parameters (float32), the mean and the scale of each observed value (float64), and the
// digest of all before.
type Orders struct {
	Step int64 // control steps of every world before the rollout

	look        bool // nothing is learned from the rollout but the moments of observations
	params      []float32
	standardise standardiser
}

const (
	ordersMagic = "PRHORDER"
	ordersHead  = 8 + 1 + 4 + 4 // bytes before the arrays
)

// Encode returns the orders as bytes.
func (o *Orders) Encode() []byte { return endMessage(o.content()) }

// Digest returns the digest of the bytes.
func (o *Orders) Digest() Digest { return sha256.Sum256(o.content()) }

// content is all but the digest.
func (o *Orders) content() []byte {
	m := beginMessage(ordersMagic)
	m = binary.LittleEndian.AppendUint64(m, uint64(o.Step))
	m = append(m, flag(o.look))
	m = binary.LittleEndian.AppendUint32(m, uint32(len(o.params)))
	m = binary.LittleEndian.AppendUint32(m, uint32(len(o.standardise.mean)))
	m = appendSingles(m, o.params)
	m = appendDoubles(m, o.standardise.mean...)
	return appendDoubles(m, o.standardise.scale...)
}

// ReadOrders is the inverse of [Orders.Encode]. Bytes that are something else, damaged or
// of another version are refused with the reason.
func ReadOrders(message []byte) (*Orders, error) {
	o, err := readOrders(message)
	if err != nil {
		return nil, fmt.Errorf("rl: reading orders: %w", err)
	}
	return o, nil
}

func readOrders(message []byte) (*Orders, error) {
	m, _, err := openMessage(message, ordersMagic)
	if err != nil {
		return nil, err
	}
	if len(m) < ordersHead {
		return nil, fmt.Errorf("damaged: %d bytes, want at least %d", len(m), ordersHead)
	}
	o := &Orders{Step: int64(binary.LittleEndian.Uint64(m)), look: m[8] == 1}
	params, observation := binary.LittleEndian.Uint32(m[9:]), binary.LittleEndian.Uint32(m[13:])
	if o.Step < 0 || m[8] > 1 {
		return nil, errors.New("damaged: a control step below 0 or a flag above 1")
	}
	m = m[ordersHead:]
	if got, want := uint64(len(m)), 4*uint64(params)+16*uint64(observation); got != want {
		return nil, fmt.Errorf("damaged: arrays of %d bytes, want %d", got, want)
	}
	o.params = make([]float32, params)
	o.standardise = newStandardiser(int(observation))
	m = takeSingles(m, o.params)
	m = takeDoubles(m, o.standardise.mean)
	takeDoubles(m, o.standardise.scale)
	return o, nil
}
