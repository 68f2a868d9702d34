package polytest

import "testing"

// Allocations returns how many allocations a call of f makes, as [testing.AllocsPerRun] counts them over runs calls and
// rounds them down: the least of five such counts, or the first that is 0. The count is that of the whole process, and
// now and then the runtime and goroutines that end allocate by themselves; f, if it allocates, does so each time.
func Allocations(runs int, f func()) float64 {
	least := testing.AllocsPerRun(runs, f)
	for tries := 1; tries < 5 && least > 0; tries++ {
		least = min(least, testing.AllocsPerRun(runs, f))
	}
	return least
}
