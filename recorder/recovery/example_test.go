package recovery_test

import (
	"fmt"
	"log"

	"github.com/polyrhythm-rl/polyrhythm/internal/tests/exampletest"
	"github.com/polyrhythm-rl/polyrhythm/recorder/recovery"
)

// A dataset that was closed is opened as it is; one of a run that was killed would be
// recovered first, and the second value would say what is missing.
func ExampleOpen() {
	path, remove := exampletest.Dataset()
	defer remove()
	d, recovered, err := recovery.Open(path)
	if err != nil {
		log.Fatal(err)
	}
	rows, err := d.Rows("episodes")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(rows, "episodes, recovered:", recovered != nil)
	// Output: 4 episodes, recovered: false
}
