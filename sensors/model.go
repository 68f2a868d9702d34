package sensors

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"time"
)

// Channel describes one measured vector, and how the measurement differs from the
// truth. What is zero does nothing. The rest acts in the order of the fields, as
// in a real sensor: errors of the element, its range, its converter, and then
// the way to the reader.
type Channel struct {
	Name    string
	Runner  string   // how often it is taken
	Sources []string // engine probes, joined in this order; all of one stage
	Unit    string   // of every value, such as "rad"; "" where it has none
	Frame   string   // the frame the values are expressed in, such as "imu"

	Bias         Bias
	Noise        Noise
	Saturation   Saturation
	Quantisation float64 // step of the converter, in the channel's unit: values are its nearest multiples
	Hold         Hold

	// Dropout is the probability that a sample never arrives, below 1. Readers go
	// on seeing the one before, with its own stamp.
	Dropout float64

	// Latency is the time from the instant measured to the instant readable.
	// Jitter is added to it, drawn for each sample from [0, Jitter] in whole
	// nanoseconds. A sample that arrives after a newer one is not seen.
	Latency time.Duration
	Jitter  time.Duration

	// History above 1 makes the channel a window: that many samples, newest first,
	// one period of the channel apart. Where one was lost or is still on its way,
	// its place shows the newest before it; before the first, the value of the
	// reset. The stamp is that of the newest.
	History int
}

// Bias is an error that changes slowly: drawn at the reset, then a random walk.
type Bias struct {
	Std  float64 // standard deviation at the reset, in the channel's unit
	Walk float64 // standard deviation that a second of walking adds, in the unit per √s
}

// Noise is white: drawn anew for each sample.
type Noise struct {
	Std float64 // standard deviation, Gaussian, in the channel's unit
}

// Saturation is the range of the sensor; beyond it values stay at its ends.
type Saturation struct {
	Low, High float64 // in the channel's unit; both 0: unlimited
}

// Hold makes the sensor stick: while it is held, samples repeat the value of the
// one at which it stuck, with stamps of their own.
type Hold struct {
	Time        time.Duration // how long it sticks
	Probability float64       // that a sample which is not held begins a hold; 1 samples and holds
}

// MaxHistory is the longest window of a channel, in samples.
const MaxHistory = 1000

// MaxDelay bounds latency and jitter together, and so the memory that a channel
// asks for.
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

func (c *Channel) check() error {
	for _, v := range []struct {
		what  string
		value float64
	}{
		{"bias std", c.Bias.Std}, {"bias walk", c.Bias.Walk}, {"noise std", c.Noise.Std}, {"quantisation", c.Quantisation},
	} {
		if !(v.value >= 0) || math.IsInf(v.value, 1) {
			return fmt.Errorf("%s is %v; it must be a finite number ≥ 0", v.what, v.value)
		}
	}
	for _, d := range []struct {
		what string
		time time.Duration
	}{{"latency", c.Latency}, {"jitter", c.Jitter}, {"hold time", c.Hold.Time}} {
		if d.time < 0 {
			return fmt.Errorf("%s is %v; it must be at least 0", d.what, d.time)
		}
	}
	switch {
	case c.Name == "":
		return errors.New("it has no name")
	case len(c.Sources) == 0:
		return errors.New("it has no sources; name at least one, such as \"qpos\" or \"sensor/gyro\"")
	case c.Saturation != Saturation{} && !(c.Saturation.Low < c.Saturation.High):
		return fmt.Errorf("saturation is from %v to %v; it must be from a number to a greater one", c.Saturation.Low, c.Saturation.High)
	case c.Hold.Time > 0 && !(c.Hold.Probability > 0 && c.Hold.Probability <= 1):
		return fmt.Errorf("hold probability is %v; it must be above 0 and at most 1", c.Hold.Probability)
	case !(c.Dropout >= 0 && c.Dropout < 1):
		return fmt.Errorf("dropout is %v; it must be at least 0 and below 1", c.Dropout)
	case c.Latency > MaxDelay || c.Jitter > MaxDelay-c.Latency:
		return fmt.Errorf("latency is %v and jitter %v; together they must be at most %v", c.Latency, c.Jitter, MaxDelay)
	case c.History < 0 || c.History > MaxHistory:
		return fmt.Errorf("history is %d; it must be between 0 and %d samples", c.History, MaxHistory)
	}
	return nil
}
