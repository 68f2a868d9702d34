package nn_test

import (
	"fmt"

	"github.com/polyrhythm-rl/polyrhythm/policy"
	"github.com/polyrhythm-rl/polyrhythm/rl/nn"
)

// A network learns x·y by gradient descent: a pass forward, the loss's derivative by the outputs, a pass backward and a
// step of Adam.
func Example() {
	nn.OneThread()
	const rows = 64
	encoder := nn.NewEncoder(2, nil, nil, policy.Tanh) // reads two values, none of them a picture
	net := nn.NewNetwork(encoder, 0, []int{32}, 1, policy.Tanh)
	params, grad := make([]float32, net.Parameters()), make([]float32, net.Parameters())
	net.Initialise(params, 1, 1, 0)
	work, adam, noise := net.NewWork(rows, rows, true), nn.NewAdam(len(params)), nn.NewStream()
	first, last := 0.0, 0.0
	for step := range int64(2000) {
		noise.Key(1, nn.DrawTransitions, step, 0)
		for i := range work.Input() {
			work.Input()[i] = float32(2*noise.Float64() - 1)
		}
		net.Forward(params, work, nn.Batch{Rows: rows})
		loss := 0.0
		for i := range rows {
			apart := work.Output()[i] - work.Input()[2*i]*work.Input()[2*i+1]
			work.OutputDelta()[i] = apart / rows
			loss += float64(apart*apart) / 2 / rows
		}
		net.Backward(params, grad, work, nn.Batch{Rows: rows})
		adam.Move(adam.Step(1, 0.01), params, grad, 0, len(params))
		if step == 0 {
			first = loss
		}
		last = loss
	}
	fmt.Println("a hundredth of the first loss is left, or less:", last < first/100)
	// Output: a hundredth of the first loss is left, or less: true
}
