package runners

import (
	"testing"
	"time"
)

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

// emptyCallbacks runs every call through a function that does nothing, as a
// driver of worlds would: with its step context, which stays in one place.
type emptyCallbacks struct {
	ctx   StepContext
	calls []func(*StepContext)
}

func (e *emptyCallbacks) Control() ID     { return 0 }
func (e *emptyCallbacks) Skip(Skip) error { return nil }
func (e *emptyCallbacks) Instant(c *Cursor) error {
	for _, call := range c.Calls() {
		e.ctx = c.Context(call)
		e.calls[call](&e.ctx)
	}
	return nil
}

func newEmptyCallbacks(s *Schedule) *emptyCallbacks {
	e := &emptyCallbacks{}
	for range s.Bindings() {
		e.calls = append(e.calls, func(*StepContext) {})
	}
	return e
}

// BenchmarkDriver drives the quadruped's clock, 520 instants a simulated second,
// with empty callbacks, and reports the time of one instant.
func BenchmarkDriver(b *testing.B) {
	runners, bindings := quadruped()
	s := mustCompile(b, runners, bindings)
	perInstant := func(b *testing.B, d *Driver) {
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(d.Total().Instants), "ns/instant")
	}
	b.Run("advance", func(b *testing.B) {
		b.ReportAllocs()
		d := mustDriver(b, s, newEmptyCallbacks(s), Settings{Mode: SimHighPerformance})
		for b.Loop() {
			if _, err := d.Advance(100e6); err != nil {
				b.Fatal(err)
			}
		}
		perInstant(b, d)
	})
	for _, mode := range []Mode{SimRealtime, SimHighPerformance, GameRealtime} {
		b.Run(mode.String(), func(b *testing.B) {
			b.ReportAllocs()
			clock := &handClock{}
			d := mustDriver(b, s, newEmptyCallbacks(s), Settings{Mode: mode, Clock: clock, Budget: time.Hour})
			for b.Loop() {
				clock.now += time.Second / 60
				if _, err := d.Frame(); err != nil {
					b.Fatal(err)
				}
			}
			perInstant(b, d)
		})
	}
}

// BenchmarkSwarm reads the step and the alpha of every runner.
func BenchmarkSwarm(b *testing.B) {
	runners, bindings := quadruped()
	s := mustCompile(b, runners, bindings)
	b.ReportAllocs()
	c := s.Start()
	c.Next()
	ctx := c.Context(1)
	for b.Loop() {
		for id := range ID(3) {
			sink += ctx.Step(id).K + int64(ctx.Alpha(id)*2)
		}
	}
}

// BenchmarkAdopt moves a cursor to a schedule with another binding switched off.
func BenchmarkAdopt(b *testing.B) {
	runners, bindings := quadruped()
	s := mustCompile(b, runners, bindings)
	next, err := s.Apply(ToggleBinding{"recorder", false})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	c := s.Start()
	for b.Loop() {
		c.Adopt(next)
		c.Adopt(s)
	}
}

// BenchmarkApply resolves the order after a change of a rate.
func BenchmarkApply(b *testing.B) {
	runners, bindings := quadruped()
	s := mustCompile(b, runners, bindings)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Apply(SetRate{"Capture", Hz(25)}); err != nil {
			b.Fatal(err)
		}
	}
}
