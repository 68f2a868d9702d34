package cli_test

import (
	"context"
	"os"

	"github.com/polyrhythm-rl/polyrhythm/cli"
)

// The commands may be run from a program: here the instants of two runners in 40 ms.
func ExampleRun() {
	cli.Run(context.Background(), []string{"timeline", "--runner", "Robot=50", "--runner", "Capture=30",
		"--until", "40ms", "--format", "json"}, os.Stdout, os.Stderr)
	// Output:
	// {"t_ns":0,"sync":true,"runners":["Robot","Capture"],"dts_ns":{"Capture":33333333,"Robot":20000000},"calls":[]}
	// {"t_ns":20000000,"sync":false,"runners":["Robot"],"dts_ns":{"Robot":20000000},"calls":[]}
	// {"t_ns":33333333,"sync":false,"runners":["Capture"],"dts_ns":{"Capture":33333333},"calls":[]}
	// {"t_ns":40000000,"sync":false,"runners":["Robot"],"dts_ns":{"Robot":20000000},"calls":[]}
}
