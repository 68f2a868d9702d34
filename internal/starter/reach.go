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

// reach returns the ends of a box that the hand of an arm can reach, in the world, m:
// along each axis the middle half of the positions of random poses above the ground.
func (w *writer) reach() (low, high [3]float64) {
	r := rand.New(rand.NewPCG(reachSeed, reachSeed))
	joints := w.chain(0, w.hand)
	pose := slices.Clone(w.pose)
	floor := min(0, w.frames[w.root].at.Z)
	var seen [3][]float64
	for range reachPoses {
		for _, k := range joints {
			j := w.tree.joints[k]
			from, to := j.low, j.high
			if math.IsInf(to-from, 0) {
				from, to = w.pose[j.address]-span(j)/2, w.pose[j.address]+span(j)/2
			}
			pose[j.address] = from + r.Float64()*(to-from)
		}
		if at := w.tree.frames(pose)[w.hand].at; at.Z > floor {
			for i, v := range []float64{at.X, at.Y, at.Z} {
				seen[i] = append(seen[i], v)
			}
		}
	}
	for i := range seen {
		if len(seen[i]) == 0 { // it only moves below its base
			continue
		}
		slices.Sort(seen[i])
		n := float64(len(seen[i]) - 1)
		low[i] = math.Round(seen[i][int(inner*n)]*1000) / 1000
		high[i] = math.Round(seen[i][int((1-inner)*n)]*1000) / 1000
	}
	return low, high
}
