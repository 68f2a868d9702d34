package terms

import (
	"fmt"
	"math"
	"slices"

	"github.com/polyrhythm-rl/polyrhythm/internal/bounds"
	"github.com/polyrhythm-rl/polyrhythm/internal/decode"
)

// Observation is a bound observation term.
type Observation struct {
	Names []string // of its values

	// Picture is the height, width and channels of the pictures that the values are, one after the other; zero: they are
	// none. See [sensors.Info].
	Picture [3]int

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
	o, k := b.Bind(p, AtObserve).(*Observation), p.Common.(*ObservationKeys)
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
	history := max(k.History, 1)
	if most := maxObserved - b.observed; n*history > most {
		b.Fail("", ": it has %d values, want at most %d with those of the entries before it", n*history, most)
		return &Observation{}
	}
	b.observed += n * history
	ring := newDelayed(b, k.Delay, n, history)
	if ring.cap == 1 {
		return &Observation{Names: o.Names, Picture: o.Picture, Read: process}
	}
	var names []string
	for back := history - 1; back > 0; back-- {
		names = append(names, named("", o.Names, fmt.Sprintf("[t-%d]", back))...)
	}
	return &Observation{Names: append(names, o.Names...), Picture: o.Picture, Read: func(v *View, dst []float64) {
		process(v, dst[:n])
		ring.push(v, dst[:n])
		for i := range history {
			ring.read(v, dst[i*n:i*n+n], history-1-i)
		}
	}}
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

// axes are the suffixes of the names of vectors.
var axes = []string{"_x", "_y", "_z"}

// named puts a prefix and a suffix around names.
func named(prefix string, names []string, suffix string) []string {
	var list []string
	for _, name := range names {
		list = append(list, prefix+name+suffix)
	}
	return list
}

// indexed are the names of the n values of a vector.
func indexed(name string, n int) []string {
	var names []string
	for i := range n {
		names = append(names, fmt.Sprintf("%s[%d]", name, i))
	}
	return names
}

// shown returns an observation that is a quantity.
func shown(h Handle, names ...string) *Observation {
	return &Observation{Names: names, Read: func(v *View, dst []float64) { copy(dst, v.At(h)) }}
}

// baseLinVel is the velocity of the base:
//
//	Rᵀ·v
//
// v is the velocity of the origin of the base's frame in the world, R the orientation of the base. Unit m/s. Frame:
// base. mjlab takes the origin of the frame too; Isaac Lab's root_lin_vel_b is the velocity of the centre of mass.
func baseLinVel(b *Binder, _ *struct{}) *Observation {
	return shown(b.Quantity("base_lin_vel"), named("base_lin_vel", axes, "")...)
}

// baseAngVel is the angular velocity of the base. Unit rad/s. Frame: base.
func baseAngVel(b *Binder, _ *struct{}) *Observation {
	return shown(b.Quantity("base_ang_vel"), named("base_ang_vel", axes, "")...)
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
	names := named("projected_gravity", axes, "")
	if p.Channel == "" {
		return shown(b.Quantity("projected_gravity"), names...)
	}
	channel := b.channel("channel", p.Channel, 4)
	b.plan.scratch = max(b.plan.scratch, 4)
	return &Observation{Names: names, Read: func(v *View, dst []float64) {
		q := v.scratch[:4] // an array of its own would go to the heap, since Read may call a caster of pictures
		v.Read(q, channel)
		length := math.Sqrt(sumOfSquares(q))
		for i := range q {
			q[i] /= length
		}
		down(dst, [4]float64(q))
	}}
}

// channel returns the number of a sensor channel of n values; n 0 accepts any.
func (b *Binder) channel(key, name string, n int) int {
	i, err := b.Robot.Sensors.Find(name)
	if err != nil {
		b.Fail(key, ": %w", err)
		return 0
	}
	if size := b.Robot.Sensors.Info(i).Size; n > 0 && size != n {
		b.Fail(key, "is %s, a channel of %d values, want one of %d", name, size, n)
	}
	return i
}

// basePosZ is the height of the origin of the base's frame. Unit m. Frame: world.
func basePosZ(b *Binder, _ *struct{}) *Observation {
	return shown(b.Quantity("base_pos").part(2, 3), "base_pos_z")
}

type jointPosParameters struct {
	jointParameters `yaml:",inline"`
	// Biased adds the bias of the encoders, where an event gives them one.
	Biased bool `yaml:"biased"`
	// Channel is the name of an entry of sensors that reads the positions of the joints, in
	// the same order, in place of the true ones.
	Channel string `yaml:"channel"`
}

// jointNames returns the names of joints.
func (b *Binder) jointNames(joints []int) []string {
	var names []string
	for _, j := range joints {
		names = append(names, b.Robot.Joints[j].Name)
	}
	return names
}

// jointPosRel is the position of each joint relative to the start pose:
//
//	q - q_start + bias
//
// bias is that of its encoder, if biased is true and an event gives it one. Unit rad or m. Order: that of the model.
// mjlab has biased: false as its default; Isaac Lab has no bias.
func jointPosRel(b *Binder, p *jointPosParameters) *Observation {
	joints := b.Joints("joints", p.Joints)
	position, start := b.OfJoints("joint_pos", joints), b.Start(joints)
	channel := -1
	if p.Channel != "" {
		channel = b.channel("channel", p.Channel, len(joints))
	}
	var bias func(*View, int) float64
	if p.Biased {
		bias = b.biasOf(joints)
	}
	return &Observation{Names: named("", b.jointNames(joints), "_pos"), Read: func(v *View, dst []float64) {
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

// jointVelRel is the velocity of each joint. Unit rad/s or m/s. Order: that of the model. In both peers it is
// relative to a default velocity, which is 0 for nearly all robots; here it is always 0.
func jointVelRel(b *Binder, p *jointParameters) *Observation {
	joints := b.Joints("joints", p.Joints)
	return shown(b.OfJoints("joint_vel", joints), named("", b.jointNames(joints), "_vel")...)
}

// lastAction is the action of the control step that just ended, within its bounds and before scale and offset; 0 when
// an episode begins. Unit 1. In both peers it is the action as the policy gave it, also beyond the bounds.
func lastAction(b *Binder, _ *struct{}) *Observation {
	return shown(b.Quantity("action"), named("last_action_", b.actionNames, "")...)
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
	return shown(value, named(p.Command+"_", b.commands[p.Command].Names, "")...)
}

type channelParameters struct {
	// Channel is the name of an entry of sensors.
	Channel string `yaml:"channel"`
}

// sensorChannel is what a sensor channel of the configuration reads at the instant of the observation, with its
// noise, latency and rate. Unit: that of the channel. The peers have no channels with rates of their own.
func sensorChannel(b *Binder, p *channelParameters) *Observation {
	i := b.channel("channel", p.Channel, 0)
	if b.err != nil {
		return &Observation{}
	}
	info := b.Robot.Sensors.Info(i)
	return &Observation{Names: indexed(p.Channel, info.Size), Picture: info.Picture,
		Read: func(v *View, dst []float64) { v.Read(dst, i) }}
}

// bodyPoseW is the pose of each body: the position of the origin of its frame, and its
// orientation as a quaternion w x y z. Unit m and 1, 7 values for each body. Frame: world;
// each world has its own origin, as the environments of the peers have.
func bodyPoseW(b *Binder, p *bodyParameters) *Observation {
	o := &Observation{}
	var position, quaternion []Handle
	_, names := b.Select("bodies", "body", p.Bodies)
	for _, name := range names {
		position = append(position, b.Quantity("body."+name+".position"))
		quaternion = append(quaternion, b.Quantity("body."+name+".quaternion"))
		o.Names = append(o.Names, named(name, []string{"_x", "_y", "_z", "_qw", "_qx", "_qy", "_qz"}, "")...)
	}
	o.Read = func(v *View, dst []float64) {
		for i := range position {
			copy(dst[7*i:], v.At(position[i]))
			copy(dst[7*i+3:], v.At(quaternion[i]))
		}
	}
	return o
}

// bodyPoseB is the pose of each body as the base sees it:
//
//	Rᵀ·(p_body - p)    q⁻¹·q_body
//
// p, q and R are of the base or, for a robot that is fixed to the world, of the body that carries its first joint; the
// quaternion is w x y z with w ≥ 0. Unit m and 1, 7 values for each body. Frame: base. Isaac Lab's and mjlab's tasks
// have body_pos_b and the like; mjlab's robot_body_pos_b is that of a motion command.
func bodyPoseB(b *Binder, p *bodyParameters) *Observation {
	position, quaternion := b.rootPose()
	pose := func(name string) [2]Handle {
		return [2]Handle{b.Quantity("body." + name + ".position"), b.Quantity("body." + name + ".quaternion")}
	}
	o := &Observation{}
	var bodies [][2]Handle
	_, names := b.Select("bodies", "body", p.Bodies)
	for _, name := range names {
		bodies = append(bodies, pose(name))
		o.Names = append(o.Names, named(name, []string{"_x_b", "_y_b", "_z_b", "_qw_b", "_qx_b", "_qy_b", "_qz_b"}, "")...)
	}
	o.Read = func(v *View, dst []float64) {
		at, inverse := v.At(position), [4]float64(v.At(quaternion))
		for i, body := range bodies {
			var arm [3]float64
			for k, x := range v.At(body[0]) {
				arm[k] = x - at[k]
			}
			intoFrame(dst[7*i:], inverse, arm[:])
			q := product(conjugate(inverse), [4]float64(v.At(body[1])))
			if q[0] < 0 {
				q = [4]float64{-q[0], -q[1], -q[2], -q[3]}
			}
			copy(dst[7*i+3:], q[:])
		}
	}
	return o
}

// bodyIncomingWrench is what the parent exerts on each body through the joints between them: a force, and a torque
// about the origin of the body's frame, in the newest substep. Unit N and N·m, 6 values for each body. Frame: that of
// the body. Isaac Lab has the same; mjlab has no such term.
func bodyIncomingWrench(b *Binder, p *bodyParameters) *Observation {
	o := &Observation{}
	var wrenches [][2]Handle
	_, names := b.Select("bodies", "body", p.Bodies)
	for _, name := range names {
		wrenches = append(wrenches, [2]Handle{b.Quantity("body." + name + ".wrench"),
			b.Quantity("body." + name + ".quaternion")})
		o.Names = append(o.Names, named(name+"_force", axes, "")...)
		o.Names = append(o.Names, named(name+"_torque", axes, "")...)
	}
	o.Read = func(v *View, dst []float64) {
		for i, of := range wrenches {
			w, q := v.At(of[0]), [4]float64(v.At(of[1]))
			intoFrame(dst[6*i:], q, w[:3])
			intoFrame(dst[6*i+3:], q, w[3:])
		}
	}
	return o
}

type contactParameters struct {
	feetParameters `yaml:",inline"`
	// Force above which a foot is in contact, N.
	Force float64 `yaml:"force" want:"0..1e9"`
}

// footHeight is the height of each foot above the ground: of the origin of its body, its geom or its site.
// Unit m. The ground is the highest at the place of the scene's terrain, or z = 0. The same in mjlab, where a sensor
// measures it.
func footHeight(b *Binder, p *feetParameters) *Observation {
	feet := b.Feet("feet", p.Feet, 1)
	height := feet.Height()
	return shown(height, named("", feet.names, "_height")...)
}

// footContact is 1 for each foot that is in contact, else 0:
//
//	|F| > force
//
// F is the net contact force on the body or geom in the newest substep. Unit 1. Isaac Lab
// and mjlab read contact sensors, whose threshold is the sensor's.
func footContact(b *Binder, p *contactParameters) *Observation {
	feet := b.Feet("feet", p.Feet, p.Force)
	return shown(feet.Contact(), named("", feet.names, "_contact")...)
}

// footAirTime is the time for which each foot has been in the air, in whole control steps; 0 in contact. Unit s. mjlab
// has the same, of a contact sensor, in physics steps.
func footAirTime(b *Binder, p *contactParameters) *Observation {
	feet := b.Feet("feet", p.Feet, p.Force)
	air, _ := feet.Times()
	return &Observation{
		Names: named("", feet.names, "_air_time"),
		Read:  func(v *View, dst []float64) { copy(dst, v.Kept(air)) },
	}
}

// footContactForces is the net contact force on each foot, made small:
//
//	sign(F)·ln(1 + |F|) of each component
//
// in the newest substep. Unit: F in N. Frame: world. The same in mjlab.
func footContactForces(b *Binder, p *feetParameters) *Observation {
	feet := b.Feet("feet", p.Feet, 1)
	force := feet.Force()
	var names []string
	for _, name := range feet.names {
		names = append(names, named(name+"_force", axes, "")...)
	}
	return &Observation{Names: names, Read: func(v *View, dst []float64) {
		for i, f := range v.At(force) {
			dst[i] = math.Copysign(math.Log1p(math.Abs(f)), f)
		}
	}}
}

type gaitParameters struct {
	// Frequency is the number of cycles per second, in Hz.
	Frequency float64 `yaml:"frequency" want:"above 0..1000"`
}

// gaitPhase is a clock for a gait, as a point on the unit circle:
//
//	sin 2πφ, cos 2πφ    φ = frac(frequency·t)
//
// t is the time since the episode began. Unit 1.
func gaitPhase(_ *Binder, p *gaitParameters) *Observation {
	return &Observation{Names: []string{"gait_sin", "gait_cos"}, Read: func(v *View, dst []float64) {
		cycles := float64(p.Frequency * float64(v.NS()) * 1e-9)
		dst[0], dst[1] = math.Sincos(2 * math.Pi * (cycles - math.Floor(cycles)))
	}}
}

func observationExpression(b *Binder, _ *struct{}) *Observation {
	e := b.formula("expr", b.entry.Head.Expr)
	if e.Size == 0 {
		return &Observation{Names: []string{b.entry.Head.Name}, Read: e.Vector}
	}
	return &Observation{Names: indexed(b.entry.Head.Name, e.Size), Read: e.Vector}
}
