package sensors_test

import (
	"fmt"
	"log"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/physics/pointmass"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sensors"
)

// A velocity channel, sampled at 100 Hz with noise and read 4 ms later.
func ExampleCompile() {
	suite, err := sensors.Compile(pointmass.New(0.002), runners.Hz(500),
		[]runners.Runner{{Name: "Sensors", Rate: runners.Hz(100)}},
		[]sensors.Channel{{
			Name: "speed", Runner: "Sensors", Sources: []string{"velocity"}, Unit: "m/s",
			Noise: sensors.Noise{Std: 0.02}, Latency: 4 * time.Millisecond,
		}})
	if err != nil {
		log.Fatal(err)
	}
	speed := suite.Info(0)
	fmt.Printf("%s: %d values at %v Hz; %s\n", speed.Name, speed.Size, speed.Rate, speed.Model())
	// Output: speed: 2 values at 100 Hz; gaussian(std=0.02), latency(4ms)
}
