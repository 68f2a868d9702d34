package actuator_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/polyrhythm-rl/polyrhythm/training/actuator"
)

// A network learns from a table, as one of a robot's log.
func Example() {
	var m actuator.Measurements
	err := m.Add("knee.csv", strings.NewReader(measured(2000, 5)))
	if err == nil {
		err = m.Divide()
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	s := actuator.DefaultSettings()
	s.Epochs = 5
	n, fit, err := actuator.Learn(context.Background(), &m, s)
	fmt.Println(n.ObservationNames[1], n.ActionNames, fit.Period, err)
	// Output: position_error[-5ms] [torque] 5ms <nil>
}
