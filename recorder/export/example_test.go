package export_test

import (
	"context"
	"fmt"
	"log"

	"github.com/polyrhythm-rl/polyrhythm/internal/tests/exampletest"
	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/recorder/export"
)

// A dataset is written anew as Parquet.
func ExampleExport() {
	path, remove := exampletest.Dataset()
	defer remove()
	d, err := recorder.Open(path)
	if err != nil {
		log.Fatal(err)
	}
	parquet, err := export.FormatOf("parquet")
	if err != nil {
		log.Fatal(err)
	}
	result, err := export.Export(context.Background(), d, parquet, path+"-parquet", export.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Episodes, "episodes,", result.Incomplete, "incomplete")
	// Output: 4 episodes, 0 incomplete
}
