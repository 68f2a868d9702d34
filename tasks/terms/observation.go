package terms

import (
	"fmt"
	"math"
	"slices"

	"github.com/polyrhythm-rl/polyrhythm/internal/bounds"
	"github.com/polyrhythm-rl/polyrhythm/internal/decode"
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
		for i, s := range scale {
			dst[i] *= s
		}
	}
	if b.err != nil {
		return &Observation{}
	}
	picture := scaled(o.Picture, scale, !noise && clip == nil)
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

// scaled returns a picture whose values have been multiplied by a scale: one number for each of its values and those of
// the pictures after it, nil for 1. exact says that nothing else has changed them.
func scaled(p sim.Picture, scale []float64, exact bool) sim.Picture {
	p.Layers = slices.Clone(p.Layers)
	if !exact {
		for i := range p.Layers {
			p.Layers[i].Scale = 0
		}
	}
	if scale == nil {
		return p
	}
	first := 0 // channel of the layer
	for i := range p.Layers {
		l := &p.Layers[i]
		l.Factor, l.Scale = l.Factor/scale[first], l.Scale*scale[first]
		for k, s := range scale {
			if c := k % p.Channels; c >= first && c < first+l.Channels && s != scale[first] {
				l.Factor, l.Scale = 0, 0
			}
		}
		if s := math.Abs(l.Scale); !(s > 1e-100 && s < 1e100) { // what is nearly 0 or infinite loses bits
			l.Scale = 0
		}
		if l.Factor-l.Factor != 0 { // of a scale of 0
			l.Factor = 0
		}
		first += l.Channels
	}
	return p
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
