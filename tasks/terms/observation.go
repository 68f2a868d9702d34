package terms

import (
	"fmt"
	"math"

	"github.com/polyrhythm-rl/polyrhythm/internal/bounds"
	"github.com/polyrhythm-rl/polyrhythm/internal/decode"
)

// Observation is a bound observation term.
type Observation struct {
	Names []string // of its values

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
	Clip *Range `yaml:"clip"`
	// Scale is a number, or a list with one for each value, by which values are multiplied.
	Scale any `yaml:"scale"`
	// Delay is the number of control steps by which the values are late, or a lowest and a
	// highest number, of which each episode draws one.
	Delay Delay `yaml:"delay"`
	// History is the number of control steps whose values are observed, the oldest first,
	// the newest last. In the first steps the first values stand for those before them.
	History int `yaml:"history"`
}

type noiseParameters struct {
	// Std is the standard deviation of normal noise.
	Std float64 `yaml:"std"`
	// Uniform is the largest size of noise that is even from minus to plus it.
	Uniform float64 `yaml:"uniform"`
}

// maxHistory is the largest number of observed steps, maxObserved that of values in all
// groups.
const (
	maxHistory  = 1000
	maxObserved = 1 << 20
)

// Check implements the check of parameters.
func (k *ObservationKeys) Check(c *bounds.Check) {
	c.Number("noise.std", k.Noise.Std, 0, 1e9)
	c.Number("noise.uniform", k.Noise.Uniform, 0, 1e9)
	if k.Noise.Std > 0 && k.Noise.Uniform > 0 {
		c.Fail("noise has std and uniform, want one of them")
	}
	if k.Clip != nil && !(k.Clip[0] <= k.Clip[1]) {
		c.Fail("clip is [%v, %v], want the lower first", k.Clip[0], k.Clip[1])
	}
	c.Whole("history", int64(k.History), 0, maxHistory)
}

// BindObservation binds an entry of observations with its noise, unless it is off, its
// clip, scale, delay and history.
func (b *Binder) BindObservation(p *Parsed, noise bool) *Observation {
	o, k := b.Bind(p, AtObserve).(*Observation), p.Common.(*ObservationKeys)
	n := len(o.Names)
	scale := b.perValue("scale", k.Scale, n)
	key, read := b.Key(), o.Read
	noise = noise && (k.Noise.Std > 0 || k.Noise.Uniform > 0)
	clip := k.Clip
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
	history := max(k.History, 1)
	if most := maxObserved - b.observed; n*history > most {
		b.Fail("", ": it has %d values, want at most %d with those of the entries before it", n*history, most)
		return &Observation{}
	}
	b.observed += n * history
	ring := newDelayed(b, k.Delay, n, history)
	if ring.cap == 1 {
		return &Observation{o.Names, process}
	}
	var names []string
	for back := history - 1; back >= 0; back-- {
		for _, name := range o.Names {
			if back > 0 {
				name = fmt.Sprintf("%s[t-%d]", name, back)
			}
			names = append(names, name)
		}
	}
	return &Observation{names, func(v *View, dst []float64) {
		process(v, dst[:n])
		ring.push(v, dst[:n])
		for i := range history {
			ring.read(v, dst[i*n:i*n+n], history-1-i)
		}
	}}
}

// perValue returns the number of each of n values, nil if all are 1.
func (b *Binder) perValue(key string, value any, n int) []float64 {
	list := make([]float64, n)
	switch v := value.(type) {
	case nil:
		return nil
	case int, uint64, float64:
		for i := range list {
			list[i] = number(v)
		}
	case []any:
		if len(v) != n {
			b.Fail(key, "is a list of %d, want a number or a list of %d values", len(v), n)
			return nil
		}
		for i, x := range v {
			list[i] = number(x)
			if list[i]-list[i] != 0 {
				b.Fail(fmt.Sprintf("%s[%d]", key, i), "is %s, want a finite number", decode.Describe(x))
			}
		}
	default:
		b.Fail(key, "is %s, want a number or a list of %d values", decode.Describe(value), n)
	}
	return list
}

func observationTerms() []Term {
	return []Term{
		observation("base_lin_vel", baseLinVel, struct{}{}),
		observation("base_ang_vel", baseAngVel, struct{}{}),
		observation("projected_gravity", projectedGravity, gravityParameters{}),
		observation("base_pos_z", basePosZ, struct{}{}),
		observation("joint_pos_rel", jointPosRel, jointPosParameters{Biased: true}),
		observation("joint_vel_rel", jointVelRel, jointParameters{}),
		observation("last_action", lastAction, struct{}{}),
		observation("generated_commands", generatedCommands, commandParameters{}),
		observation("sensor", sensorChannel, channelParameters{}),
		observation("body_pose_w", bodyPoseW, bodyParameters{}),
		observation("foot_height", footHeight, feetParameters{}),
		observation("foot_contact", footContact, contactParameters{Force: 1}),
		observation("gait_phase", gaitPhase, gaitParameters{Frequency: 2}),
	}
}

// axes are the suffixes of the names of vectors.
var axes = []string{"_x", "_y", "_z"}

func suffixed(name string, suffixes []string) []string {
	var names []string
	for _, s := range suffixes {
		names = append(names, name+s)
	}
	return names
}

// shown returns an observation that is a quantity.
func shown(h Handle, names ...string) *Observation {
	return &Observation{names, func(v *View, dst []float64) { copy(dst, v.At(h)) }}
}

// baseLinVel is the velocity of the base:
//
//	Rᵀ·v
//
// v is the velocity of the origin of the base's frame in the world, R the orientation of
// the base. Unit m/s. Frame: base. mjlab takes the origin of the frame too; Isaac Lab's
// root_lin_vel_b is the velocity of the centre of mass.
func baseLinVel(b *Binder, _ *struct{}) *Observation {
	return shown(b.Quantity("base_lin_vel"), suffixed("base_lin_vel", axes)...)
}

// baseAngVel is the angular velocity of the base. Unit rad/s. Frame: base.
func baseAngVel(b *Binder, _ *struct{}) *Observation {
	return shown(b.Quantity("base_ang_vel"), suffixed("base_ang_vel", axes)...)
}

type gravityParameters struct {
	// Channel is the name of an entry of sensors that reads the orientation as a quaternion
	// w x y z, of any length, in place of the true one.
	Channel string `yaml:"channel"`
}

// projectedGravity is the direction of gravity:
//
//	Rᵀ·(0, 0, -1)
//
// Unit 1; a base that stands upright sees (0, 0, -1). Frame: base, or that of the channel.
func projectedGravity(b *Binder, p *gravityParameters) *Observation {
	names := suffixed("projected_gravity", axes)
	if p.Channel == "" {
		return shown(b.Quantity("projected_gravity"), names...)
	}
	channel := b.channel("channel", p.Channel, 4)
	return &Observation{names, func(v *View, dst []float64) {
		var q [4]float64
		v.Read(q[:], channel)
		length := math.Sqrt(sumOfSquares(q[:]))
		for i := range q {
			q[i] /= length
		}
		for i, up := range upOf(q) {
			dst[i] = -up
		}
	}}
}

// channel returns the number of a sensor channel of n values.
func (b *Binder) channel(key, name string, n int) int {
	i, err := b.Robot.Sensors.Find(name)
	if err != nil {
		b.Fail(key, ": %w", err)
		return 0
	}
	if size := b.Robot.Sensors.Info(i).Size; size != n {
		b.Fail(key, "is %s, a channel of %d values, want one of %d", name, size, n)
	}
	return i
}

// basePosZ is the height of the origin of the base's frame. Unit m. Frame: world.
func basePosZ(b *Binder, _ *struct{}) *Observation {
	return shown(b.Quantity("base_height"), "base_pos_z")
}

type jointParameters struct {
	// Joints are patterns of joint names; the actuated joints if not given.
	Joints Patterns `yaml:"joints"`
}

type jointPosParameters struct {
	// Joints are patterns of joint names; the actuated joints if not given.
	Joints Patterns `yaml:"joints"`
	// Biased adds the bias of the encoders, where an event gives them one.
	Biased bool `yaml:"biased"`
	// Channel is the name of an entry of sensors that reads the positions of the joints, in
	// the same order, in place of the true ones.
	Channel string `yaml:"channel"`
}

// jointNames returns the names of joints with a suffix.
func (b *Binder) jointNames(joints []int, suffix string) []string {
	var names []string
	for _, j := range joints {
		names = append(names, b.Robot.Joints[j].Name+suffix)
	}
	return names
}

// jointPosRel is the position of each joint relative to the start pose:
//
//	q - q_start + bias
//
// bias is that of its encoder, if biased is true and an event gives it one. Unit rad or
// m. Order: that of the model. mjlab has biased: false as its default; Isaac Lab has no
// bias.
func jointPosRel(b *Binder, p *jointPosParameters) *Observation {
	joints := b.Joints("joints", p.Joints)
	position, start := b.JointPos(joints), b.Start(joints)
	channel := -1
	if p.Channel != "" {
		channel = b.channel("channel", p.Channel, len(joints))
	}
	var bias func(*View, int) float64
	if p.Biased {
		bias = b.biasOf(joints)
	}
	return &Observation{b.jointNames(joints, "_pos"), func(v *View, dst []float64) {
		if channel >= 0 {
			v.Read(dst, channel)
		} else {
			copy(dst, v.At(position))
		}
		for i := range dst {
			dst[i] -= start[i]
			if bias != nil {
				dst[i] += bias(v, i)
			}
		}
	}}
}

// jointVelRel is the velocity of each joint. Unit rad/s or m/s. Order: that of the model.
// In both peers it is relative to a default velocity, which is 0 for nearly all robots;
// here it is always 0.
func jointVelRel(b *Binder, p *jointParameters) *Observation {
	joints := b.Joints("joints", p.Joints)
	return shown(b.JointVel(joints), b.jointNames(joints, "_vel")...)
}

// lastAction is the action of the control step that just ended, within its bounds and
// before scale and offset; 0 when an episode begins. Unit 1. In both peers it is the
// action as the policy gave it, also beyond the bounds.
func lastAction(b *Binder, _ *struct{}) *Observation {
	return shown(b.Quantity("action"), suffixed("last_action_", b.actionNames)...)
}

type commandParameters struct {
	// Command is the name of an entry of commands.
	Command string `yaml:"command"`
}

// generatedCommands is the value of a command. Unit and frame: those of the command.
func generatedCommands(b *Binder, p *commandParameters) *Observation {
	value := b.Command("command", p.Command, 0)
	if b.err != nil {
		return &Observation{}
	}
	return shown(value, suffixed(p.Command+"_", b.commands[p.Command].Names)...)
}

type channelParameters struct {
	// Channel is the name of an entry of sensors.
	Channel string `yaml:"channel"`
}

// sensorChannel is what a sensor channel of the configuration reads at the instant of the
// observation, with its noise, latency and rate. Unit: that of the channel. The peers have
// no channels with rates of their own.
func sensorChannel(b *Binder, p *channelParameters) *Observation {
	i, err := b.Robot.Sensors.Find(p.Channel)
	if err != nil {
		b.Fail("channel", ": %w", err)
		return &Observation{}
	}
	var names []string
	for k := range b.Robot.Sensors.Info(i).Size {
		names = append(names, fmt.Sprintf("%s[%d]", p.Channel, k))
	}
	return &Observation{names, func(v *View, dst []float64) { v.Read(dst, i) }}
}

type bodyParameters struct {
	// Bodies are patterns of body names.
	Bodies Patterns `yaml:"bodies"`
}

// bodyPoseW is the pose of each body: the position of the origin of its frame, and its
// orientation as a quaternion w x y z. Unit m and 1, 7 values for each body. Frame: world;
// each world has its own origin, as the environments of the peers have.
func bodyPoseW(b *Binder, p *bodyParameters) *Observation {
	o := &Observation{}
	var position, quaternion []Handle
	for _, i := range b.Bodies("bodies", p.Bodies) {
		name := b.Robot.Bodies[i].Name
		position = append(position, b.Quantity("body."+name+".position"))
		quaternion = append(quaternion, b.Quantity("body."+name+".quaternion"))
		o.Names = append(o.Names, suffixed(name, []string{"_x", "_y", "_z", "_qw", "_qx", "_qy", "_qz"})...)
	}
	o.Read = func(v *View, dst []float64) {
		for i := range position {
			copy(dst[7*i:], v.At(position[i]))
			copy(dst[7*i+3:], v.At(quaternion[i]))
		}
	}
	return o
}

type feetParameters struct {
	// Feet are patterns of the names of bodies, geoms or sites: the first of these kinds
	// in which each pattern matches something.
	Feet Patterns `yaml:"feet"`
}

type contactParameters struct {
	// Feet are patterns of the names of bodies, geoms or sites, as in foot_height.
	Feet Patterns `yaml:"feet"`
	// Force above which a foot is in contact, in N.
	Force float64 `yaml:"force"`
}

// Check implements the check of parameters.
func (p *contactParameters) Check(c *bounds.Check) { c.Number("force", p.Force, 0, 1e9) }

// footHeight is the height of each foot: of the origin of its body, its geom or its site.
// Unit m. Frame: world.
func footHeight(b *Binder, p *feetParameters) *Observation {
	feet := b.Feet("feet", p.Feet, 1)
	position := feet.Position()
	o := &Observation{Read: func(v *View, dst []float64) {
		all := v.At(position)
		for i := range dst {
			dst[i] = all[3*i+2]
		}
	}}
	for _, name := range feet.Names() {
		o.Names = append(o.Names, name+"_height")
	}
	return o
}

// footContact is 1 for each foot that is in contact, else 0:
//
//	|F| > force
//
// F is the net contact force on the body or geom in the newest substep. Unit 1. Isaac Lab
// and mjlab read contact sensors, whose threshold is the sensor's.
func footContact(b *Binder, p *contactParameters) *Observation {
	feet := b.Feet("feet", p.Feet, p.Force)
	contact := feet.Contact()
	var names []string
	for _, name := range feet.Names() {
		names = append(names, name+"_contact")
	}
	return shown(contact, names...)
}

type gaitParameters struct {
	// Frequency is the number of cycles per second, in Hz.
	Frequency float64 `yaml:"frequency"`
}

// Check implements the check of parameters.
func (p *gaitParameters) Check(c *bounds.Check) { c.Above("frequency", p.Frequency, 0, 1000) }

// gaitPhase is a clock for a gait, as a point on the unit circle:
//
//	sin 2πφ, cos 2πφ    φ = frac(frequency·t)
//
// t is the time since the episode began. Unit 1.
func gaitPhase(_ *Binder, p *gaitParameters) *Observation {
	return &Observation{[]string{"gait_sin", "gait_cos"}, func(v *View, dst []float64) {
		cycles := float64(p.Frequency * float64(v.NS()) * 1e-9)
		dst[0], dst[1] = math.Sincos(2 * math.Pi * (cycles - math.Floor(cycles)))
	}}
}

func observationExpression(b *Binder, _ *struct{}) *Observation {
	e := b.Expression()
	names := []string{b.name}
	if e.Size > 0 {
		names = nil
		for i := range e.Size {
			names = append(names, fmt.Sprintf("%s[%d]", b.name, i))
		}
	}
	return &Observation{names, e.Vector}
}
