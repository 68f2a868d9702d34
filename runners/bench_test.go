package runners

import (
	"testing"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
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

// BenchmarkInstant steps to the next instant and asks what runs there.
func BenchmarkInstant(b *testing.B) {
	c := polytest.Must(Compile(quadruped()))(b).Start()
	b.ReportAllocs()
	for b.Loop() {
		c.Next()
		sink += c.NS() + int64(len(c.Calls()))
	}
}

// BenchmarkCursor asks at one instant for what callbacks want, and adopts a schedule.
func BenchmarkCursor(b *testing.B) {
	s := polytest.Must(Compile(quadruped()))(b)
	next := polytest.Must(s.Apply(ToggleBinding{"recorder", false}))(b)
	c := s.Start()
	c.Next()
	ctx := c.Context(1)
	for _, of := range []struct {
		name string
		do   func()
	}{
		{"Context", func() { sink += c.Context(1).DT }},
		{"NextWrite", func() {
			_, k := c.NextWrite()
			sink += k
		}},
		{"Alpha", func() { sink += int64(c.Alpha(0) * 2) }},
		{"Swarm", func() {
			for id := range ID(3) {
				sink += ctx.Step(id).K + int64(ctx.Alpha(id)*2)
			}
		}},
		{"Adopt", func() {
			c.Adopt(next)
			c.Adopt(s)
		}},
		{"Apply", func() { polytest.Must(s.Apply(SetRate{"Capture", Hz(25)}))(b) }},
	} {
		b.Run(of.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				of.do()
			}
		})
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
func (e *emptyCallbacks) Follow(*Cursor)  {}
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
	for _, mode := range []Mode{SimRealtime, SimHighPerformance, GameRealtime} {
		b.Run(mode.String(), func(b *testing.B) {
			b.ReportAllocs()
			clock := &handClock{}
			d := mustDriver(b, s, newEmptyCallbacks(s), Settings{Mode: mode, Clock: clock, Budget: time.Hour})
			for b.Loop() {
				clock.now += time.Second / 60
				polytest.Must(d.Frame())(b)
			}
			perInstant(b, d)
		})
	}
}
