package runners

import "testing"

// quadruped is the clock of the project's own robot: 50 Hz control, 30 Hz
// recording, 500 Hz sensors.
func quadruped() ([]Runner, []Binding) {
	return []Runner{
			{Name: "Robot", Rate: Hz(50)},
			{Name: "Capture", Rate: Hz(30)},
			{Name: "Sensors", Rate: Hz(500)},
		}, []Binding{
			{Name: "recorder", Runner: "Capture", Phase: Control, Priority: 100},
			{Name: "policy", Runner: "Robot", Phase: Control, Priority: -200, Writes: true},
			{Name: "sensors", Runner: "Sensors", Phase: Acquisition},
			{Name: "latch", Phase: Acquisition, Beat: true},
			{Name: "observe", Runner: "Robot", Phase: Acquisition, Priority: 100},
			{Name: "mujoco", Runner: "Robot", Phase: Physics},
			{Name: "faults", Runner: "Robot", Phase: Validation},
		}
}

var sink int64

// BenchmarkInstant steps to the next instant and asks what runs there: from
// the stored beat, and by arithmetic.
func BenchmarkInstant(b *testing.B) {
	runners, bindings := quadruped()
	for _, path := range []struct {
		name     string
		rowLimit int
	}{{"stored", maxRows}, {"arithmetic", 0}} {
		s, err := compile(runners, bindings, path.rowLimit)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(path.name, func(b *testing.B) {
			b.ReportAllocs()
			c := s.Start()
			for b.Loop() {
				c.Next()
				sink += c.NS() + int64(len(c.Calls()))
			}
		})
	}
}

// BenchmarkContext fills the step context of one call.
func BenchmarkContext(b *testing.B) {
	s, err := Compile(quadruped())
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	c := s.Start()
	for b.Loop() {
		ctx := c.Context(1)
		sink += ctx.DT
	}
}

// BenchmarkNextWrite finds how far physics may run.
func BenchmarkNextWrite(b *testing.B) {
	s, err := Compile(quadruped())
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	c := s.Start()
	for b.Loop() {
		_, k := c.NextWrite()
		sink += k
	}
}

// BenchmarkAlpha computes one entry of the swarm.
func BenchmarkAlpha(b *testing.B) {
	s, err := Compile(quadruped())
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	c := s.Start()
	c.Next()
	for b.Loop() {
		sink += int64(c.Alpha(0) * 2)
	}
}
