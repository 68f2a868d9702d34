package sweep_test

import (
	"fmt"
	"log"
	"math"
	"strconv"

	"github.com/polyrhythm-rl/polyrhythm/training/sweep"
)

// A search finds the least of a function. A sweep does the same with trainings.
func ExampleNewSearch() {
	rate, err := sweep.ParseRange("training.learning_rate", "log:1e-4..1e-2/5")
	if err != nil {
		log.Fatal(err)
	}
	search, err := sweep.NewSearch([]sweep.Range{rate}, sweep.SearchOptions{Method: sweep.Grid})
	if err != nil {
		log.Fatal(err)
	}
	var losses []float64
	for jobs := search.Next(nil); len(jobs) > 0; jobs = search.Next(losses) {
		losses = nil
		for _, job := range jobs {
			x, _ := strconv.ParseFloat(job.Values[0], 64)
			loss := math.Abs(math.Log10(x / 1e-3))
			fmt.Printf("trial %d: %s has a loss of %.1f\n", job.Trial+1, job.Values[0], loss)
			losses = append(losses, loss)
		}
	}
	// Output:
	// trial 1: 0.0001 has a loss of 1.0
	// trial 2: 0.000316228 has a loss of 0.5
	// trial 3: 0.001 has a loss of 0.0
	// trial 4: 0.00316228 has a loss of 0.5
	// trial 5: 0.01 has a loss of 1.0
}
