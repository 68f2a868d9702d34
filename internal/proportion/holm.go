package proportion

import (
	"cmp"
	"slices"
)

// Holm returns p-values that are adjusted for there being many, in the order given (Holm 1979): with m of them, the
// i-th smallest, from 0, becomes
//
//	min(1, max over j ≤ i of (m-j)·p_j)
//
// Whoever rejects what is at most alpha here rejects, with probability 1 - alpha at least, no hypothesis that is true,
// however the tests depend on each other. The values lie in [0, 1] and are not NaN.
func Holm(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(p[i], p[j]) })
	adjusted, most := make([]float64, len(p)), 0.0
	for i, of := range order {
		most = max(most, min(1, float64(len(p)-i)*p[of]))
		adjusted[of] = most
	}
	return adjusted
}
