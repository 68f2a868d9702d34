package starter

import (
	"math"
	"math/rand/v2"
	"slices"
)

// How the workspace of an arm is sampled.
const (
	reachPoses = 4000
	reachSeed  = 1
	inner      = 0.25 // share of the poses beyond each end of the box, along each axis
)

// reach returns a box that a hand reaches, in the world, m: the middle half of random positions above the ground.
func (w *writer) reach(hand int) (low, high [3]float64) {
	r := rand.New(rand.NewPCG(reachSeed, reachSeed))
	joints := w.chain(0, hand)
	pose := slices.Clone(w.pose)
	floor := min(0, w.frames[w.rootOf(hand)].position.Z)
	var samples [3][]float64
	for range reachPoses {
		for _, k := range joints {
			j := &w.Joints[k]
			from, to := j.Range[0], j.Range[1]
			if math.IsInf(to-from, 0) {
				from, to = w.pose[j.PositionAt]-span(j)/2, w.pose[j.PositionAt]+span(j)/2
			}
			pose[j.PositionAt] = from + r.Float64()*(to-from)
		}
		if position := w.tree.frames(pose)[hand].position; position.Z > floor {
			for i, v := range []float64{position.X, position.Y, position.Z} {
				samples[i] = append(samples[i], v)
			}
		}
	}
	for i := range samples {
		if len(samples[i]) == 0 { // the hand only moves below its base
			continue
		}
		slices.Sort(samples[i])
		n := float64(len(samples[i]) - 1)
		low[i] = math.Round(samples[i][int(inner*n)]*1000) / 1000
		high[i] = math.Round(samples[i][int((1-inner)*n)]*1000) / 1000
	}
	return low, high
}
