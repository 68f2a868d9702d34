package rl

import (
	"sync"
	"sync/atomic"
)

// parallel calls f once for every task in [0, tasks), on at most workers
// goroutines, and returns when all calls have. worker, in [0, workers), differs
// between calls that run at the same time. Which worker does which task is
// not determined, so results must not depend on it.
func parallel(workers, tasks int, f func(worker, task int)) {
	workers = min(workers, tasks)
	if workers <= 1 {
		for task := range tasks {
			f(0, task)
		}
		return
	}
	var next atomic.Int64
	work := func(worker int) {
		for {
			task := int(next.Add(1)) - 1
			if task >= tasks {
				return
			}
			f(worker, task)
		}
	}
	var others sync.WaitGroup
	for worker := 1; worker < workers; worker++ {
		others.Go(func() { work(worker) })
	}
	work(0)
	others.Wait()
}
