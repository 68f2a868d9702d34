package rl

import (
	"cmp"
	"context"
	"errors"
	"fmt"
)

// Recorded is what somebody observed and did, which [AlgorithmClone] learns from: behaviour cloning. It is read by one
// goroutine at a time, and must not change while a learner has it.
type Recorded interface {
	Len() int // observations, at least 1

	// Row writes observation i, Shape.Observation values, and the action that followed.
	Row(i int, observation []float64, action []float32)
}

// LearnFrom sets the rows that a learner of AlgorithmClone learns from, before its first iteration. An iteration takes
// as many of them as the worlds have steps in a rollout, in an order that is drawn anew when all were taken. No world
// is stepped.
func (p *PPO) LearnFrom(rows Recorded) error {
	switch {
	case p.settings.Algorithm != AlgorithmClone:
		return fmt.Errorf("rl: a learner by %s has no use for what was recorded, want %s",
			cmp.Or(p.settings.Algorithm, AlgorithmPPO), AlgorithmClone)
	case rows == nil || rows.Len() == 0:
		return errors.New("rl: nothing was recorded, want at least one row to learn from")
	}
	p.recorded = &recording{Recorded: rows, epoch: -1, shuffle: newStream(), order: make([]int32, rows.Len()),
		observation: make([]float64, p.shape.Observation)}
	return nil
}

// recording is rows, with the order in which they are taken.
type recording struct {
	Recorded
	epoch       int64 // of order; −1: none yet
	order       []int32
	shuffle     stream
	observation []float64 // working memory
}

// at is the k-th row that is taken, counted from 0 through all epochs.
func (r *recording) at(seed uint64, k int64) int {
	n := int64(len(r.order))
	if epoch := k / n; epoch != r.epoch {
		r.epoch = epoch
		r.shuffle.key(seed, drawRecorded, epoch, 0)
		for i := range r.order {
			r.order[i] = int32(i)
		}
		for i := len(r.order) - 1; i > 0; i-- {
			j := r.shuffle.Int32N(int32(i + 1))
			r.order[i], r.order[j] = r.order[j], r.order[i]
		}
	}
	return int(r.order[k%n])
}

// takeRecorded makes a part of the next rows, as if the worlds had done what was recorded.
func (c *Collector) takeRecorded(ctx context.Context, o *Weights, from *recording) (*Part, error) {
	if err := c.begin(o); err != nil {
		return nil, err
	}
	size, first := c.shape.Observation, o.Step*int64(c.shape.Worlds)
	for i := range c.samples() {
		if i%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		from.Row(from.at(c.seed, first+int64(i)), from.observation, rowOf(c.part.action, c.shape.Action, i))
		row := rowOf(c.part.observation, size, i)
		if err := standardiseRows(c.policy.standardise, row, from.observation, i%c.shape.Worlds); err != nil {
			return nil, err
		}
		if c.seen != nil {
			c.seen[i%c.shape.Worlds].addObserved(from.observation, c.shape.Pictures)
		}
	}
	return &c.part, nil
}
