package inspect_test

import (
	"context"
	"fmt"
	"log"

	"github.com/polyrhythm-rl/polyrhythm/internal/tests/exampletest"
	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/recorder/inspect"
)

// An inspection says what is in a dataset and whether it keeps its promises.
func ExampleDataset() {
	path, remove := exampletest.Dataset()
	defer remove()
	d, err := recorder.Open(path)
	if err != nil {
		log.Fatal(err)
	}
	report, err := inspect.Dataset(context.Background(), d, inspect.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.Metadata.Task, report.Episodes.Count, "episodes, every check passed:", report.OK)
	// Output: quadruped 4 episodes, every check passed: true
}
