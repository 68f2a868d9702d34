package terms

import (
	"fmt"
	"math"
	"slices"

	"github.com/polyrhythm-rl/polyrhythm/internal/bounds"
	"github.com/polyrhythm-rl/polyrhythm/internal/decode"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// observationTerms are the terms of observations, in the order of the page.
var observationTerms = []Term{
	term("base_lin_vel", baseLinVel, struct{}{}),
	term("base_ang_vel", baseAngVel, struct{}{}),
	term("projected_gravity", projectedGravity, gravityParameters{}),
	term("base_pos_z", basePosZ, struct{}{}),
	term("joint_pos_rel", jointPosRel, jointPosParameters{Biased: true}),
	term("joint_vel_rel", jointVelRel, jointParameters{}),
	term("last_action", lastAction, struct{}{}),
	term("generated_commands", generatedCommands, commandParameters{}),
	term("sensor", sensorChannel, channelParameters{}),
	term("body_pose_w", bodyPoseW, bodyParameters{}),
	term("body_pose_b", bodyPoseB, bodyParameters{}),
	term("body_incoming_wrench", bodyIncomingWrench, bodyParameters{}),
	term("foot_height", footHeight, feetParameters{}),
	term("foot_contact", footContact, contactParameters{Force: 1}),
	term("foot_contact_forces", footContactForces, feetParameters{}),
	term("foot_air_time", footAirTime, contactParameters{Force: 1}),
	term("gait_phase", gaitPhase, gaitParameters{Frequency: 2}),
	term("ee_to_object_distance", eeToObjectDistance, reachParameters{}),
	term("object_to_goal_distance", objectToGoalDistance, liftParameters{}),
	term("target_position", targetPosition, reachParameters{}),
	term("ee_velocity", eeVelocity, siteParameters{}),
	term("motion_anchor_pos_b", motionAnchorPosB, motionNameParameters{Command: MotionTerm}),
	term("motion_anchor_ori_b", motionAnchorOriB, motionNameParameters{Command: MotionTerm}),
	term("robot_body_pos_b", robotBodyPosB, motionNameParameters{Command: MotionTerm}),
	term("robot_body_ori_b", robotBodyOriB, motionNameParameters{Command: MotionTerm}),
}

// Observation is a bound observation term.
type Observation struct {
	Names []string // names of its values

	// Picture describes the pictures that the values are, one after the other, but for First; its name is that of the
	// channel. Zero: they are none.
	Picture sim.Picture

	// Read writes the values at the world's instant to dst, of the length of Names.
	Read func(v *View, dst []float64)
}

// ObservationKeys are the keys of each entry of observations. They apply in the order
// noise, clip, scale, delay, history.
type ObservationKeys struct {
	// Noise is added to each value, drawn anew for each step. Entries with the same name in
	// two groups have the same draws.
	Noise noiseParameters `yaml:"noise"`
	// Clip holds the lowest and the highest value, before scale.
	Clip *Range `yaml:"clip" want:"any"`
	// Scale is a number, or a list with one for each value, by which values are multiplied.
	Scale any `yaml:"scale"`
	// Delay is the number of control steps by which the values are late, or a lowest and a
	// highest number, of which each episode draws one.
	Delay Delay `yaml:"delay"`
	// History is the number of control steps whose values are observed, the oldest first,
	// the newest last. In the first steps the first values stand for those before them.
	History int `yaml:"history" want:"0..1000"`
}

type noiseParameters struct {
	// Std is the standard deviation of normal noise.
	Std float64 `yaml:"std" want:"0..1e9"`
	// Uniform is the largest size of noise that is even from minus to plus it.
	Uniform float64 `yaml:"uniform" want:"0..1e9"`
}

// maxObserved is the largest number of observed values in all groups.
const maxObserved = 1 << 20

func (k *ObservationKeys) checkKeys(c *bounds.Check) {
	if k.Noise.Std > 0 && k.Noise.Uniform > 0 {
		c.Fail("noise has std and uniform, want one of them")
	}
	if k.Clip != nil && !(k.Clip[0] <= k.Clip[1]) {
		c.Fail("clip is [%v, %v], want the lower first", k.Clip[0], k.Clip[1])
	}
}

// BindObservation binds an entry of observations with its noise, unless it is off, its
// clip, scale, delay and history.
func (b *Binder) BindObservation(p *Parsed, noise bool) *Observation {
	o, k := b.Bind(p, ObservePhase).(*Observation), p.Common.(*ObservationKeys)
	n, key, read, clip := len(o.Names), b.Key(), o.Read, k.Clip
	scale := b.perValue("scale", k.Scale, n)
	noise = noise && (k.Noise.Std > 0 || k.Noise.Uniform > 0)
	picture := o.Picture
	var round rounding
	if b.err == nil && picture.Size() > 0 {
		picture, round = scaled(picture, scale, noise, clip)
	}
	process := func(v *View, dst []float64) {
		read(v, dst)
		if noise {
			r := v.Draw(key)
			for i := range dst {
				if k.Noise.Std > 0 {
					dst[i] += float64(k.Noise.Std * r.NormFloat64())
				} else {
					dst[i] += float64(k.Noise.Uniform * (2*r.Float64() - 1))
				}
			}
		}
		if clip != nil {
			for i, x := range dst {
				dst[i] = min(max(x, clip[0]), clip[1])
			}
		}
		round.pixels(dst, before)
		for i, s := range scale {
			dst[i] *= s
		}
		round.pixels(dst, after)
	}
	if b.err != nil {
		return &Observation{}
	}
	history := max(k.History, 1)
	if most := maxObserved - b.observed; n*history > most {
		b.Fail("", ": it has %d values, want at most %d with those of the entries before it", n*history, most)
		return &Observation{}
	}
	b.observed += n * history
	ring := newDelayLine(b, k.Delay, n, history)
	if ring.cap == 1 {
		return &Observation{Names: o.Names, Picture: picture, Read: process}
	}
	var names []string
	for lag := history - 1; lag > 0; lag-- {
		names = append(names, labels("", o.Names, fmt.Sprintf("[t-%d]", lag))...)
	}
	return &Observation{Names: append(names, o.Names...), Picture: picture, Read: func(v *View, dst []float64) {
		process(v, dst[:n])
		ring.push(v, dst[:n])
		for i := range history {
			ring.read(v, dst[i*n:i*n+n], history-1-i)
		}
	}}
}

// rounding says which channels of the pixels of pictures become float32s, and when: those that noise or a clip has changed
// before the scale, those of which each value has a scale of its own after it.
type rounding []roundingTime

type roundingTime byte

const (
	never roundingTime = iota
	before
	after
)

// pixels rounds the values of channels whose time it is.
func (r rounding) pixels(dst []float64, now roundingTime) {
	for channel, time := range r {
		if time != now {
			continue
		}
		for i := channel; i < len(dst); i += len(r) {
			dst[i] = float64(float32(min(max(dst[i], -math.MaxFloat32), math.MaxFloat32)))
		}
	}
}

// scaled returns a picture whose values noise or a clip have changed, and which a scale has multiplied: one number for each
// of its values and those of the pictures after it, nil for 1. Its values are such as a column of pictures stores to the
// last bit after a rounding, nil for none.
func scaled(p sim.Picture, scale []float64, noise bool, clip *Range) (sim.Picture, rounding) {
	p.Layers = slices.Clone(p.Layers)
	round, first := make(rounding, p.Channels), 0 // first channel of the layer
	for i := range p.Layers {
		l := &p.Layers[i]
		factor, when := l.Scale, never
		if l.Scale != 0 && (noise || clip != nil && !clipped(l, clip)) {
			l.Floats, when = true, before
		}
		if scale != nil {
			l.Factor, l.Scale = l.Factor/scale[first], l.Scale*scale[first]
			for k, s := range scale {
				if c := k % p.Channels; c >= first && c < first+l.Channels && s != scale[first] {
					l.Factor, l.Scale = 0, factor
					l.Floats, when = true, after
				}
			}
		}
		if s := math.Abs(l.Scale); !(s > 1e-100 && s < 1e100) { // what is nearly 0 or infinite loses bits
			l.Scale = 0
		}
		if l.Scale == 0 {
			l.Floats, when = false, never
		}
		if l.Factor-l.Factor != 0 { // of a scale of 0
			l.Factor = 0
		}
		for c := range l.Channels {
			round[first+c] = when
		}
		first += l.Channels
	}
	if !slices.ContainsFunc(round, func(when roundingTime) bool { return when != never }) {
		round = nil
	}
	return p, round
}

// clipped reports whether what a clip makes of the values of a layer is stored as such, and makes the layer that.
func clipped(l *sim.PictureLayer, clip *Range) bool {
	switch l.Kind {
	case physics.RGB:
		return !l.Floats && clip[0] <= 0 && clip[1] >= 1
	case physics.Depth:
		if low := clip[0]; l.Floats || low > 0 || float64(float32(low)) != low || !(clip[1] > 0) {
			return false
		}
		l.Far = min(l.Far, clip[1])
		return true
	}
	return false
}

// perValue returns the number of each of n values, nil if all are 1.
func (b *Binder) perValue(key string, value any, n int) []float64 {
	if value == nil {
		return nil
	}
	if x, ok := number(value); ok {
		return slices.Repeat([]float64{x}, n)
	}
	given, ok := value.([]any)
	switch {
	case !ok:
		b.Fail(key, "is %s, want a number or a list of %d values", decode.Describe(value), n)
	case len(given) != n:
		b.Fail(key, "is a list of %d, want a number or a list of %d values", len(given), n)
	}
	var list []float64
	for i, x := range given {
		scale, _ := number(x)
		if scale-scale != 0 {
			b.Fail(fmt.Sprintf("%s[%d]", key, i), "is %s, want a finite number", decode.Describe(x))
		}
		list = append(list, scale)
	}
	return list
}
