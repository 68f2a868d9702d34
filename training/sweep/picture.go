package sweep

import (
	"io"
	"math"
	"path/filepath"

	"github.com/polyrhythm-rl/polyrhythm/internal/curve"
	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
)

// draw draws the trials that are over, unless all failed.
func (s *sweep) draw() error {
	p := s.plan
	c := curve.Sweep{Title: p.config.Task.Name, Objective: p.Objective, Minimise: p.Minimise, Best: -1, Rungs: p.Search.Method == Halving}
	for i := range p.Over {
		r := &p.Over[i]
		axis := curve.Axis{Key: r.Key, Low: r.low, High: r.high, Log: r.scale == Log || r.scale == WholeLog}
		switch {
		case r.scale != "":
		case r.numeric():
			axis.Low, axis.High = math.Inf(1), math.Inf(-1)
			for _, v := range r.values {
				axis.Low, axis.High = min(axis.Low, r.coordinate(v)), max(axis.High, r.coordinate(v))
			}
		default:
			axis.Names = r.values
		}
		c.Axes = append(c.Axes, axis)
	}
	drawn := false
	for k, t := range s.report.Trials {
		point := curve.Trial{Value: t.Mean, Stopped: t.State == Stopped, Rungs: t.rungs}
		for i := range p.Over {
			point.X = append(point.X, p.Over[i].coordinate(t.Values[i]))
		}
		if t == s.report.Best {
			c.Best = k
		}
		drawn = drawn || !math.IsNaN(t.Mean)
		c.Trials = append(c.Trials, point)
	}
	if !drawn {
		return nil
	}
	return disk.Replace(disk.OS{}, filepath.Join(s.report.Folder, PictureFile), false, func(w io.Writer) error { return curve.WriteSweepPNG(w, c) })
}
