package motion_test

import (
	"fmt"

	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/tasks/motion"
)

// A joint that moves evenly at 30 frames a second, at 60.
func ExampleTrack_Resample() {
	track := &motion.Track{Rate: runners.Hz(30), Rows: 4, Joints: []float64{0, 1, 2, 3}}
	twice, err := track.Resample(runners.Hz(60))
	fmt.Println(twice.Rows, twice.Joints, err)
	// Output: 7 [0 0.5 1 1.5 2 2.5 3] <nil>
}
