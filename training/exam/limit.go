package exam

import (
	"cmp"
	"context"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// Limit is the smallest value of an axis with numbers at which one of the candidate's first episodes fails that succeeds in
// the control cell, with the other axes at their first values. It is found by bisection between two values of the exam.
type Limit struct {
	Axis     string  `json:"axis"`
	Episodes int     `json:"episodes"`           // so many were looked at: those of a cell's first look
	Fails    float64 `json:"fails"`              // the smallest value at which one is known to fail
	Episode  int     `json:"episode"`            // the first that does
	End      string  `json:"end"`                // how it ends there
	Succeeds float64 `json:"succeeds,omitempty"` // the largest value below it at which none does
	Bounded  bool    `json:"bounded"`            // there is such a value; else the least value of the exam fails
	File     string  `json:"file"`               // the configuration of a run of one world, whose first episode it is
}

// bisections is how often the distance of two values of an exam is halved: to less than a hundredth.
const bisections = 7

// limits finds the limits of all axes with numbers over which an episode fails that succeeds in the control cell.
func (x *examination) limits(ctx context.Context) (list []Limit, err error) {
	for axis := range x.plan.Axes {
		l, c, err := x.limit(ctx, axis)
		if err != nil {
			return nil, err
		}
		if l == nil {
			continue
		}
		own := *c
		own.Seed, own.Worlds, own.Workers = sim.EpisodeSeed(own.Seed, int64(l.Episode)), 1, 0
		l.File = "limit-" + strconv.Itoa(axis+1) + ".yaml"
		if err := disk.Replace(disk.OS{}, filepath.Join(x.taken.Path(), l.File), false, disk.Bytes(own.YAML())); err != nil {
			return nil, err
		}
		list = append(list, *l)
	}
	return list, nil
}

// rung is a cell of an axis with numbers.
type rung struct {
	value float64
	cell  Cell
}

// ladder returns the cells of an axis with the other axes at their first values, by rising numbers; nil if its values are no
// numbers.
func (x *examination) ladder(axis int) (rungs []rung) {
	if len(x.cells) < 2 {
		return nil
	}
	for _, cell := range x.cells[1:] {
		others := false
		for i, value := range cell.Values {
			others = others || i != axis && value != x.cells[1].Values[i]
		}
		if others {
			continue
		}
		value, err := axisNumber(x.plan.Axes[axis].Key, cell.Values[axis])
		if err != nil {
			return nil
		}
		rungs = append(rungs, rung{value, cell})
	}
	slices.SortStableFunc(rungs, func(a, b rung) int { return cmp.Compare(a.value, b.value) })
	return rungs
}

// limit finds the limit of an axis, and the configuration in which the episode fails; nil if there is none.
func (x *examination) limit(ctx context.Context, axis int) (*Limit, *configs.Config, error) {
	rungs, n := x.ladder(axis), x.plan.Episodes.looks()[0]
	if len(rungs) < 2 {
		return nil, nil, nil
	}
	for k, r := range rungs {
		list := x.journal.done[part{r.cell.Number, false}]
		i := x.broken(list)
		if i < 0 {
			continue
		}
		l := &Limit{Axis: x.plan.Axes[axis].Key, Episodes: n, Fails: r.value, Episode: i, End: list[i].End}
		if k == 0 {
			return l, r.cell.config, nil
		}
		l.Succeeds, l.Bounded = rungs[k-1].value, true
		c, err := x.bisect(ctx, axis, l, r.cell)
		return l, c, err
	}
	return nil, nil, nil
}

// broken returns the first episode of the first look that fails and does not fail in the control cell; -1: none.
func (x *examination) broken(list []Episode) int {
	control := x.journal.done[part{0, false}]
	for i := range min(x.plan.Episodes.looks()[0], len(list), len(control)) {
		if control[i].Success && !list[i].Success {
			return i
		}
	}
	return -1
}

// bisect narrows a limit. It returns the configuration in which the episode fails.
func (x *examination) bisect(ctx context.Context, axis int, l *Limit, failing Cell) (*configs.Config, error) {
	values := slices.Clone(failing.Values)
	for range bisections {
		middle, _ := strconv.ParseFloat(strconv.FormatFloat(l.Succeeds+(l.Fails-l.Succeeds)/2, 'g', 6, 64), 64)
		if !(l.Succeeds < middle && middle < l.Fails) {
			break
		}
		values[axis] = strconv.FormatFloat(middle, 'g', -1, 64)
		c, err := x.plan.cellConfig(values)
		if err != nil { // a key that takes whole numbers alone, such as steps of a delay
			break
		}
		list, _, err := x.plan.runCell(ctx, Cell{config: c}, x.opt.Candidate, 0, l.Episodes, x.opt, func(int64) {})
		if err != nil {
			return nil, err
		}
		if i := x.broken(list); i < 0 {
			l.Succeeds = middle
		} else {
			l.Fails, l.Episode, l.End, failing.config = middle, i, list[i].End, c
		}
	}
	return failing.config, nil
}

// axisNumber returns a value of an axis as a number, in the axis' unit.
func axisNumber(name, text string) (float64, error) {
	text = strings.TrimSuffix(strings.TrimSpace(text), named(name).Unit)
	v, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err == nil && math.IsInf(v, 0) {
		err = strconv.ErrRange
	}
	return v, err
}
