package runners_test

import (
	"encoding/json"
	"fmt"
	"log"
	"os"

	"github.com/polyrhythm-rl/polyrhythm/runners"
)

// Rates are read from text as they stand in a configuration.
func ExampleParseRate() {
	for _, text := range []string{"50", "29.97", "400/6", "15ms", "fast"} {
		r, err := runners.ParseRate(text)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Printf("%s is %d/%d Hz, a step of %g s\n", text, r.Num(), r.Den(), r.Seconds())
	}
	// Output:
	// 50 is 50/1 Hz, a step of 0.02 s
	// 29.97 is 2997/100 Hz, a step of 0.0333667000333667 s
	// 400/6 is 200/3 Hz, a step of 0.015 s
	// 15ms is 200/3 Hz, a step of 0.015 s
	// rate "fast": not a number; want hertz ("50", "29.97"), a fraction ("200/3", "30000/1001") or a period with its unit ("15ms"; ns, us, µs, ms, s)
}

// Labels are floors of the exact boundary, so steps of 30 Hz cycle.
func ExampleRate_DT() {
	capture := runners.Hz(30)
	for k := range int64(3) {
		fmt.Println(capture.Label(k), capture.DT(k))
	}
	// Output:
	// 0 33333333
	// 33333333 33333333
	// 66666666 33333334
}

// Physics at 500 Hz has taken ten steps before control step 1, and seventeen
// begin before boundary 1 of a 30 Hz runner.
func ExampleRate_Reached() {
	physics := runners.Hz(500)
	fmt.Println(physics.Reached(runners.Hz(50), 1), physics.Reached(runners.Hz(30), 1))
	// Output: 10 17
}

// The default runners of a scene share a boundary every 100 ms.
func ExampleCursor() {
	s, err := runners.Compile([]runners.Runner{
		{Name: "Robot", Rate: runners.Hz(50)},
		{Name: "Capture", Rate: runners.Hz(30)},
	}, []runners.Binding{
		{Name: "recorder", Runner: "Capture", Phase: runners.Control, Priority: 100},
		{Name: "controller", Runner: "Robot", Phase: runners.Control, Priority: -200, Writes: true},
		{Name: "latch", Phase: runners.Acquisition, Beat: true},
	})
	if err != nil {
		log.Fatal(err)
	}
	bindings := s.Bindings()
	for c := s.Start(); c.NS() <= 100_000_000; c.Next() {
		fmt.Print(c.NS(), ":")
		for _, call := range c.Calls() {
			ctx := c.Context(call)
			fmt.Printf(" %s (%d ns)", bindings[call].Name, ctx.DT)
		}
		fmt.Println()
	}
	// Output:
	// 0: latch (100000000 ns) controller (20000000 ns) recorder (33333333 ns)
	// 20000000: controller (20000000 ns)
	// 33333333: recorder (33333333 ns)
	// 40000000: controller (20000000 ns)
	// 60000000: controller (20000000 ns)
	// 66666666: recorder (33333334 ns)
	// 80000000: controller (20000000 ns)
	// 100000000: latch (100000000 ns) controller (20000000 ns) recorder (33333333 ns)
}

// The timeline is data: one JSON object per instant.
func ExampleTimeline() {
	s, err := runners.Compile([]runners.Runner{
		{Name: "Robot", Rate: runners.Hz(50)},
		{Name: "Capture", Rate: runners.Hz(30)},
	}, nil)
	if err != nil {
		log.Fatal(err)
	}
	out := json.NewEncoder(os.Stdout)
	err = runners.Timeline(s, 35_000_000, func(at runners.Instant) error { return out.Encode(at) })
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// {"t_ns":0,"sync":true,"runners":["Robot","Capture"],"dts_ns":{"Capture":33333333,"Robot":20000000},"calls":[]}
	// {"t_ns":20000000,"sync":false,"runners":["Robot"],"dts_ns":{"Robot":20000000},"calls":[]}
	// {"t_ns":33333333,"sync":false,"runners":["Capture"],"dts_ns":{"Capture":33333333},"calls":[]}
}
