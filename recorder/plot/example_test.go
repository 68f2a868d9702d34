package plot_test

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/internal/tests/exampletest"
	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/recorder/plot"
)

// A picture shows every sample of an episode's first 100 ms at its time.
func ExampleWritePNG() {
	path, remove := exampletest.Dataset()
	defer remove()
	d, err := recorder.Open(path)
	if err != nil {
		log.Fatal(err)
	}
	var png bytes.Buffer
	err = plot.WritePNG(context.Background(), &png, d,
		plot.Options{Until: 100 * time.Millisecond, Columns: []string{"gyro"}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%q\n", png.Bytes()[1:4])
	// Output: "PNG"
}
