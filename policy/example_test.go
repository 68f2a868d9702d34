package policy_test

import (
	"fmt"
	"log"
	"os"

	"github.com/polyrhythm-rl/polyrhythm/policy"
)

// A robot's program loads the policy once and acts at each control instant.
func ExampleLoad() {
	path, remove := exported()
	defer remove()
	p, err := policy.Load(path)
	if err != nil {
		log.Fatal(err)
	}
	observation := make([]float64, p.Network().Inputs())
	action := make([]float32, p.Network().Actions())
	for _, angle := range []float64{0.1, -3} {
		observation[0] = angle // as the robot's sensors say
		if err := p.Act(action, observation); err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s %.1f\n", p.Network().ActionNames[0], action[0])
	}
	// Output:
	// torque -0.2
	// torque 1.0
}

// exported writes a policy as train export-policy does. It returns the file, and what removes it.
func exported() (path string, remove func()) {
	n := &policy.Network{
		Header: policy.Header{
			Task: "pendulum", Limit: 10, Activation: policy.Tanh, Sizes: []int{1, 1},
			ObservationNames: []string{"angle"}, ActionNames: []string{"torque"},
		},
		Mean: []float64{0}, Scale: []float64{1},
		Layers: []policy.Layer{{Weights: []float32{-2}, Biases: []float32{0}}},
		Low:    []float32{-1}, High: []float32{1},
	}
	f, err := os.CreateTemp("", "*.policy")
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	if err := n.Write(f); err != nil {
		log.Fatal(err)
	}
	return f.Name(), func() { os.Remove(f.Name()) }
}
