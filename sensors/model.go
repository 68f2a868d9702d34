package sensors

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/internal/bounds"
	"github.com/polyrhythm-rl/polyrhythm/physics"
)

// Channel describes one measured vector, and the errors of the measurement. A zero field has no effect. The others
// apply in the order of the fields, as in a real sensor: errors of the element, its range, its converter, and then
// the transmission to the reader. Colours of a camera with errors are converted to 8 bits, to bytes divided by 255, unless
// there is a Quantisation; the other pictures with errors are float32s. A distance of a scan or a depth that is of nothing stays the largest that there is,
// at most that of Saturation, and errors make none larger. The yaml tags are the keys of a sensor in a configuration.
type Channel struct {
	Name    string   `yaml:"name"`
	Runner  string   `yaml:"runner"`           // name of the runner at whose rate the channel is sampled
	Sources []string `yaml:"sources"`          // engine probes, joined in this order; all of one stage
	Scan    *Scan    `yaml:"scan,omitempty"`   // distances to the ground, in place of sources; nil: none
	Camera  *Camera  `yaml:"camera,omitempty"` // pictures, in place of sources; nil: none
	Unit    string   `yaml:"unit,omitempty"`   // unit of the values, such as "rad"; "" if they have none
	Frame   string   `yaml:"frame,omitempty"`  // frame of reference of the values, such as "imu"

	Bias       Bias       `yaml:"bias,omitempty"`
	Noise      Noise      `yaml:"noise,omitempty"`
	Saturation Saturation `yaml:"saturation,omitempty"`
	// step of the converter, in the channel's unit; values are rounded to multiples of it
	Quantisation float64 `yaml:"quantisation,omitempty"`
	Hold         Hold    `yaml:"hold,omitempty"`

	// Dropout is the probability that a sample never arrives, at least 0 and below 1. Readers then still see the
	// previous sample, with its own stamp.
	Dropout float64 `yaml:"dropout,omitempty"`

	// Latency is the time from the measurement of a sample to its arrival. For each sample a delay from [0, Jitter], in
	// whole nanoseconds, is drawn and added. A sample that arrives after a newer one is never seen.
	Latency time.Duration `yaml:"latency,omitempty"`
	Jitter  time.Duration `yaml:"jitter,omitempty"`

	// History above 1 makes the channel a window of that many samples, newest first, one period of the channel apart.
	// In place of a sample that was lost or has not arrived, the window shows the newest sample before it, or the value
	// of the reset if there is none. The stamp is that of the newest sample.
	History int `yaml:"history,omitempty"`
}

// Bias is an error that changes slowly: it is drawn at the reset and then follows a random walk.
type Bias struct {
	Std  float64 `yaml:"std"`  // standard deviation at the reset, in the channel's unit
	Walk float64 `yaml:"walk"` // standard deviation of the random walk, in the channel's unit per √s
}

// Noise is white Gaussian noise, drawn for each sample.
type Noise struct {
	Std float64 `yaml:"std"` // standard deviation, in the channel's unit
}

// Saturation is the range of the sensor, to which values are clamped. The zero value is an unlimited range.
type Saturation struct {
	Low  float64 `yaml:"low"` // in the channel's unit
	High float64 `yaml:"high"`
}

// Hold makes the sensor stick. During a hold, samples repeat the value of the sample that began it, with their own
// stamps.
type Hold struct {
	Time time.Duration `yaml:"time"` // length of a hold
	// that a sample outside a hold begins one; 1 for a sample-and-hold sensor
	Probability float64 `yaml:"probability"`
}

// MaxHistory is the longest window of a channel, in samples.
const MaxHistory = 1000

// MaxDelay is the upper bound of latency plus jitter, which limits the memory of a channel, and of the length of a
// hold.
const MaxDelay = 10 * time.Second

// remembers reports whether the channel has a memory: its samples depend on earlier ones, may be lost, or are shown
// several at a time.
func (c *Channel) remembers() bool {
	return c.Bias != Bias{} || c.Hold.Time > 0 || c.Dropout > 0 || c.History > 1
}

// HasErrors reports whether the channel has errors that change values one by one.
func (c *Channel) HasErrors() bool {
	return c.Bias != Bias{} || c.Noise.Std > 0 || c.Saturation != Saturation{} || c.Quantisation > 0
}

// InBytes reports whether the colours of a channel's camera are bytes divided by 255: with errors, too, unless the
// quantisation is another.
func (c *Channel) InBytes() bool { return c.Quantisation == 0 }

// Model describes the errors of the channel in a few words, for people and for the metadata of a dataset; "exact" if
// there are none.
func (c *Channel) Model() string {
	var parts []string
	add := func(present bool, format string, args ...any) {
		if present {
			parts = append(parts, fmt.Sprintf(format, args...))
		}
	}
	add(c.Scan != nil, "scan(%v)", c.Scan)
	add(c.Camera != nil, "camera(%v)", c.Camera)
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

// Validate returns an error for the first invalid setting, which begins with its yaml key. It does not check Name
// and Runner, see [Compile].
func (c *Channel) Validate() error {
	var b bounds.Check
	switch {
	case c.Scan != nil && c.Camera != nil:
		b.Fail("scan is given with a camera, want one of them")
	case (c.Scan != nil || c.Camera != nil) && len(c.Sources) > 0:
		b.Fail("sources is %q with a scan or a camera, want one of them", c.Sources)
	case c.Scan != nil:
		b.Part("scan", c.Scan.validate())
	case c.Camera != nil:
		b.Part("camera", c.Camera.validate())
		switch kinds := c.Camera.Kinds; {
		case !c.HasErrors():
		case len(kinds) > 1:
			b.Fail("camera.kinds are %s with a bias, noise, saturation or quantisation, want one kind, whose unit "+
				"they have", strings.Join(kinds, ", "))
		case slices.Contains(kinds, physics.Segmentation):
			b.Fail("camera.kinds is %s with a bias, noise, saturation or quantisation, want none: they are numbers "+
				"of geoms", physics.Segmentation)
		}
	case len(c.Sources) == 0 || slices.Contains(c.Sources, ""):
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
