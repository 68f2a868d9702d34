package recorder_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
)

// A dataset of one table is written by one block, and read back.
func Example() {
	dir, err := os.MkdirTemp("", "dataset")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "weather")
	w, err := recorder.Create(path, []format.Table{{Name: "weather", Columns: []format.Column{
		{Name: "t_ns", Kind: format.Int64}, {Name: "wind", Kind: format.Float64, Unit: "m/s"},
	}}}, 1, format.Metadata{}, recorder.Options{})
	if err != nil {
		log.Fatal(err)
	}
	block := w.BlockWriter(0)
	for n := range int64(3) {
		row := block.Begin(0, recorder.Key{N: n})
		row.Int(0, n*1e9)
		row.Float(1, 4.5)
	}
	if err := block.EndSegment(); err != nil {
		log.Fatal(err)
	}
	if err := w.Close(); err != nil {
		log.Fatal(err)
	}

	d, err := recorder.Open(path)
	if err != nil {
		log.Fatal(err)
	}
	for batch, err := range d.Batches("weather") {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(batch.NumRows(), "rows of", batch.ColumnName(1), batch.Column(1))
	}
	// Output: 3 rows of wind [4.5 4.5 4.5]
}
