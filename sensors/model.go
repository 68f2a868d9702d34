package sensors

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/internal/bounds"
)

// Channel describes one measured vector, and how the measurement differs from the
// truth. What is zero does nothing. The rest acts in the order of the fields, as
// in a real sensor: errors of the element, its range, its converter, and then
// the way to the reader. The yaml tags are the keys of a configuration's sensor.
type Channel struct {
	Name    string   `yaml:"name"`
	Runner  string   `yaml:"runner"`          // how often it is taken
	Sources []string `yaml:"sources"`         // engine probes, joined in this order; all of one stage
	Unit    string   `yaml:"unit,omitempty"`  // of every value, such as "rad"; "" where it has none
	Frame   string   `yaml:"frame,omitempty"` // the frame the values are expressed in, such as "imu"

	Bias         Bias       `yaml:"bias,omitempty"`
	Noise        Noise      `yaml:"noise,omitempty"`
	Saturation   Saturation `yaml:"saturation,omitempty"`
	Quantisation float64    `yaml:"quantisation,omitempty"` // step of the converter, in the channel's unit: values are its nearest multiples
	Hold         Hold       `yaml:"hold,omitempty"`

	// Dropout is the probability that a sample never arrives, below 1. Readers go
	// on seeing the one before, with its own stamp.
	Dropout float64 `yaml:"dropout,omitempty"`

	// Latency is the time from the instant measured to the instant readable.
	// Jitter is added to it, drawn for each sample from [0, Jitter] in whole
	// nanoseconds. A sample that arrives after a newer one is not seen.
	Latency time.Duration `yaml:"latency,omitempty"`
	Jitter  time.Duration `yaml:"jitter,omitempty"`

	// History above 1 makes the channel a window: that many samples, newest first,
	// one period of the channel apart. Where one was lost or is still on its way,
	// its place shows the newest before it; before the first, the value of the
	// reset. The stamp is that of the newest.
	History int `yaml:"history,omitempty"`
}

// Bias is an error that changes slowly: drawn at the reset, then a random walk.
type Bias struct {
	Std  float64 `yaml:"std"`  // standard deviation at the reset, in the channel's unit
	Walk float64 `yaml:"walk"` // standard deviation that a second of walking adds, in the unit per √s
}

// Noise is white: drawn anew for each sample.
type Noise struct {
	Std float64 `yaml:"std"` // standard deviation, Gaussian, in the channel's unit
}

// Saturation is the range of the sensor; beyond it values stay at its ends.
type Saturation struct {
	Low  float64 `yaml:"low"` // in the channel's unit; both 0: unlimited
	High float64 `yaml:"high"`
}

// Hold makes the sensor stick: while it is held, samples repeat the value of the
// one at which it stuck, with stamps of their own.
type Hold struct {
	Time        time.Duration `yaml:"time"`        // how long it sticks
	Probability float64       `yaml:"probability"` // that a sample which is not held begins a hold; 1 samples and holds
}

// MaxHistory is the longest window of a channel, in samples.
const MaxHistory = 1000

// MaxDelay bounds latency and jitter together, and so the memory that a channel
// asks for, and how long a channel sticks.
const MaxDelay = 10 * time.Second

// remembers reports whether a sample's value or arrival depends on earlier ones,
// or several are shown at once.
func (c *Channel) remembers() bool {
	return c.Bias != Bias{} || c.Hold.Time > 0 || c.Dropout > 0 || c.History > 1
}

// Model describes in a few words what the channel does to the truth, for people
// and for a dataset's metadata; "exact" where that is nothing.
func (c *Channel) Model() string {
	var parts []string
	add := func(given bool, format string, args ...any) {
		if given {
			parts = append(parts, fmt.Sprintf(format, args...))
		}
	}
	add(c.Bias != Bias{}, "bias(std=%v, walk=%v)", c.Bias.Std, c.Bias.Walk)
	add(c.Noise.Std > 0, "gaussian(std=%v)", c.Noise.Std)
	add(c.Saturation != Saturation{}, "saturation(%v, %v)", c.Saturation.Low, c.Saturation.High)
	add(c.Quantisation > 0, "quantisation(%v)", c.Quantisation)
	add(c.Hold.Time > 0, "hold(%v, probability=%v)", c.Hold.Time, c.Hold.Probability)
	add(c.Dropout > 0, "dropout(%v)", c.Dropout)
	add(c.Latency > 0 || c.Jitter > 0, "latency(%v)", c.Latency)
	add(c.Jitter > 0, "jitter(%v)", c.Jitter)
	add(c.History > 1, "history(%d)", c.History)
	if parts == nil {
		return "exact"
	}
	return strings.Join(parts, ", ")
}

// Validate names the first setting that cannot be used, by its key in yaml.
func (c *Channel) Validate() error {
	var b bounds.Check
	if len(c.Sources) == 0 || slices.Contains(c.Sources, "") {
		b.Fail("sources is %q, want one or more names, such as qpos or sensor/gyro", c.Sources)
	}
	b.Number("bias.std", c.Bias.Std, 0, math.MaxFloat64)
	b.Number("bias.walk", c.Bias.Walk, 0, math.MaxFloat64)
	b.Number("noise.std", c.Noise.Std, 0, math.MaxFloat64)
	if s := c.Saturation; s != (Saturation{}) && !(s.Low < s.High) {
		b.Fail("saturation is %v to %v, want a number to a greater one", s.Low, s.High)
	}
	b.Number("quantisation", c.Quantisation, 0, math.MaxFloat64)
	b.Time("hold.time", c.Hold.Time, 0, MaxDelay)
	if c.Hold.Time > 0 {
		b.Above("hold.probability", c.Hold.Probability, 0, 1)
	}
	b.Below("dropout", c.Dropout, 0, 1)
	b.Time("latency", c.Latency, 0, MaxDelay)
	b.Time("jitter", c.Jitter, 0, MaxDelay)
	if c.Latency+c.Jitter > MaxDelay {
		b.Fail("jitter is %v with a latency of %v, want at most %v together", c.Jitter, c.Latency, MaxDelay)
	}
	b.Whole("history", int64(c.History), 0, MaxHistory)
	return b.Err()
}
