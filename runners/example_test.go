package runners_test

import (
	"encoding/json"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/runners"
)

// Rates are read from text as they stand in a configuration.
func ExampleParseRate() {
	for _, text := range []string{"50", "29.97", "400/6", "15ms", "fast"} {
		r, err := runners.ParseRate(text)
		if err != nil {
			fmt.Println(err.Error()[:26])
			continue
		}
		fmt.Printf("%s is %d/%d Hz, a step of %g s\n", text, r.Num(), r.Den(), r.Seconds())
	}
	// Output:
	// 50 is 50/1 Hz, a step of 0.02 s
	// 29.97 is 2997/100 Hz, a step of 0.0333667000333667 s
	// 400/6 is 200/3 Hz, a step of 0.015 s
	// 15ms is 200/3 Hz, a step of 0.015 s
	// rate "fast": not a number;
}

// Timestamps are floors of the exact boundary, so steps of 30 Hz cycle.
func ExampleRate_DT() {
	capture := runners.Hz(30)
	for k := range int64(3) {
		fmt.Println(capture.Timestamp(k), capture.DT(k))
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
func ExampleClock_Timeline() {
	s, err := runners.Compile([]runners.Runner{
		{Name: "Robot", Rate: runners.Hz(50)},
		{Name: "Capture", Rate: runners.Hz(30)},
	}, nil)
	if err != nil {
		log.Fatal(err)
	}
	out := json.NewEncoder(os.Stdout)
	err = runners.NewClock(s).Timeline(35_000_000,
		func(at runners.Instant) error { return out.Encode(at) })
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// {"t_ns":0,"sync":true,"runners":["Robot","Capture"],"dts_ns":{"Capture":33333333,"Robot":20000000},"calls":[]}
	// {"t_ns":20000000,"sync":false,"runners":["Robot"],"dts_ns":{"Robot":20000000},"calls":[]}
	// {"t_ns":33333333,"sync":false,"runners":["Capture"],"dts_ns":{"Capture":33333333},"calls":[]}
}

// world prints what a Driver has it do. Its clock is that of the test.
type world struct{ now time.Duration }

func (w *world) Now() time.Duration        { return w.now }
func (w *world) Control() runners.ID       { return 0 }
func (w *world) Skip(s runners.Skip) error { fmt.Printf("skip %+v\n", s); return nil }
func (w *world) Follow(*runners.Cursor)    {}
func (w *world) Instant(c *runners.Cursor) error {
	fmt.Println(c.NS())
	return nil
}

// A driver fires what the wall clock has reached, and says how far it is into
// the next step.
func ExampleDriver() {
	s, err := runners.Compile([]runners.Runner{{Name: "Robot", Rate: runners.Hz(50)},
		{Name: "Capture", Rate: runners.Hz(30)}}, nil)
	if err != nil {
		log.Fatal(err)
	}
	w := &world{}
	d, err := runners.NewDriver(s, w, runners.Settings{Mode: runners.SimRealtime, Clock: w})
	if err != nil {
		log.Fatal(err)
	}
	for _, w.now = range []time.Duration{0, 35 * time.Millisecond, 36 * time.Millisecond, 10 * time.Second} {
		f, err := d.Frame()
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%d steps, alpha %.2f, backlog %v, dropped %v\n", f.Steps, d.Alpha(0), d.Backlog(), f.Dropped)
	}
	// Output:
	// 0
	// 1 steps, alpha 0.00, backlog 0s, dropped 0s
	// 20000000
	// 33333333
	// 1 steps, alpha 0.75, backlog 15ms, dropped 0s
	// 0 steps, alpha 0.80, backlog 16ms, dropped 0s
	// 40000000
	// 60000000
	// 66666666
	// 80000000
	// 100000000
	// 120000000
	// 133333333
	// 5 steps, alpha 1.00, backlog 166ms, dropped 9.714s
}

// A change of a rate waits for the beat of each world, here 100 ms, and becomes
// its anchor.
func ExampleClock() {
	s, err := runners.Compile([]runners.Runner{{Name: "Robot", Rate: runners.Hz(50)},
		{Name: "Capture", Rate: runners.Hz(30)}}, nil)
	if err != nil {
		log.Fatal(err)
	}
	clock := runners.NewClock(s)
	err = clock.Add(runners.Change{N: 2, Edits: runners.Edits{runners.SetRate{Name: "Capture", Rate: runners.Hz(25)}}},
		nil)
	if err != nil {
		log.Fatal(err)
	}
	c, version := s.Start(), 0
	for n := int64(0); n < 8; n++ {
		version = clock.Follow(&c, version, n) // at the decision point of step n
		fmt.Printf("step %d at %d ns: version %d, Capture at its boundary %d\n", n, c.NS(), version, c.Step(1).K)
		for c.Next(); !c.Fired().Has(0); c.Next() {
		}
	}
	// Output:
	// step 0 at 0 ns: version 0, Capture at its boundary 0
	// step 1 at 20000000 ns: version 0, Capture at its boundary 0
	// step 2 at 40000000 ns: version 0, Capture at its boundary 1
	// step 3 at 60000000 ns: version 0, Capture at its boundary 1
	// step 4 at 80000000 ns: version 0, Capture at its boundary 2
	// step 5 at 100000000 ns: version 1, Capture at its boundary 0
	// step 6 at 120000000 ns: version 1, Capture at its boundary 0
	// step 7 at 140000000 ns: version 1, Capture at its boundary 1
}
