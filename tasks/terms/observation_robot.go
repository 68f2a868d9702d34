package terms

import (
	"math"
	"slices"

	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/sensors"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// observeQuantity returns an observation that is a quantity.
func observeQuantity(h Handle, names ...string) *Observation {
	return &Observation{Names: names, Read: func(v *View, dst []float64) { copy(dst, v.Values(h)) }}
}

// baseLinVel is the velocity of the base:
//
//	Rᵀ·v
//
// v is the velocity of the origin of the base's frame in the world, R the orientation of the base. Unit m/s. Frame:
// base. mjlab takes the origin of the frame too; Isaac Lab's root_lin_vel_b is the velocity of the centre of mass.
func baseLinVel(b *Binder, _ *struct{}) *Observation {
	return observeQuantity(b.Quantity("base_lin_vel"), labels("base_lin_vel", axisSuffixes, "")...)
}

// baseAngVel is the angular velocity of the base. Unit rad/s. Frame: base.
func baseAngVel(b *Binder, _ *struct{}) *Observation {
	return observeQuantity(b.Quantity("base_ang_vel"), labels("base_ang_vel", axisSuffixes, "")...)
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
	names := labels("projected_gravity", axisSuffixes, "")
	if p.Channel == "" {
		return observeQuantity(b.Quantity("projected_gravity"), names...)
	}
	channel := b.channel("channel", p.Channel, 4)
	b.plan.scratch = max(b.plan.scratch, 4)
	return &Observation{Names: names, Read: func(v *View, dst []float64) {
		q := v.scratch[:4] // an array of its own would go to the heap, since Read may call a caster of pictures
		v.Read(q, channel)
		if length := math.Sqrt(sumOfSquares(q)); length > 0 {
			for i := range q {
				q[i] /= length
			}
		} else { // a channel without a sample, or one that dropped it
			q[0] = 1
		}
		gravityDirection(dst, [4]float64(q))
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
	return observeQuantity(b.Quantity("base_pos").part(2, 3), "base_pos_z")
}

type jointPosParameters struct {
	jointParameters `yaml:",inline"`
	// Biased adds the bias of the encoders, where an event gives them one.
	Biased bool `yaml:"biased"`
	// Channel is the name of an entry of sensors that reads the positions of the joints, in
	// the same order, in place of the true ones.
	Channel string `yaml:"channel"`
}

// jointPosRel is the position of each joint relative to the start pose:
//
//	q - q_start + bias
//
// bias is that of its encoder, if biased is true and an event gives it one. Unit rad or m. Order: that of the model.
// mjlab has biased: false as its default; Isaac Lab has no bias.
func jointPosRel(b *Binder, p *jointPosParameters) *Observation {
	joints := b.Joints("joints", p.Joints)
	position, start := b.JointValues("joint_pos", joints), b.Start(joints)
	channel := -1
	if p.Channel != "" {
		channel = b.channel("channel", p.Channel, len(joints))
	}
	var bias func(*View, int) float64
	if p.Biased {
		bias = b.encoderBiases(joints)
	}
	return &Observation{Names: labels("", b.jointNames(joints), "_pos"), Read: func(v *View, dst []float64) {
		if channel >= 0 {
			v.Read(dst, channel)
		} else {
			copy(dst, v.Values(position))
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
	return observeQuantity(b.JointValues("joint_vel", joints), labels("", b.jointNames(joints), "_vel")...)
}

// lastAction is the action of the control step that just ended, within its bounds and before scale and offset; 0 when
// an episode begins. Unit 1. In both peers it is the action as the policy gave it, also beyond the bounds.
func lastAction(b *Binder, _ *struct{}) *Observation {
	return observeQuantity(b.Quantity("action"), labels("last_action_", b.actionNames, "")...)
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
	return observeQuantity(value, labels(p.Command+"_", b.commands[p.Command].Names, "")...)
}

type channelParameters struct {
	// Channel is the name of an entry of sensors.
	Channel string `yaml:"channel"`
}

// sensorChannel is what a sensor channel of the configuration reads at the instant of the observation, with its
// noise, latency and rate. Unit: that of the channel. The values of a camera's pictures are rounded to float32 where
// noise, clip or a list of scales changes them. The peers have no channels with rates of their own.
func sensorChannel(b *Binder, p *channelParameters) *Observation {
	i := b.channel("channel", p.Channel, 0)
	if b.err != nil {
		return &Observation{}
	}
	info := b.Robot.Sensors.Info(i)
	return &Observation{Names: indexLabels(p.Channel, info.Size), Picture: pictureOf(&info),
		Read: func(v *View, dst []float64) { v.Read(dst, i) }}
}

// pictureOf describes the pictures of a channel; zero if it has none.
func pictureOf(info *sensors.Info) sim.Picture {
	p := sim.Picture{Height: info.Picture[0], Width: info.Picture[1], Channels: info.Picture[2]}
	switch {
	case p.Size() == 0:
		return sim.Picture{}
	case info.Camera == nil:
		p.Layers = []sim.PictureLayer{{Kind: "distance", Channels: p.Channels, Factor: 1}}
	default:
		for _, kind := range info.Camera.Kinds {
			layer := sim.PictureLayer{Kind: kind, Channels: physics.ChannelsOf(kind), Factor: 1, Scale: 1}
			switch kind {
			case physics.RGB:
				layer.Factor = 255 // to bytes
				layer.Floats = info.Channel.HasErrors() && !info.Channel.InBytes()
			case physics.Depth:
				layer.Far = info.Far
			case physics.Normals:
				layer.Floats = true
			case physics.Segmentation:
				beyond := func(s physics.Segment) bool { return s.Label >= math.MaxUint16 }
				layer.Floats = slices.ContainsFunc(info.Segments, beyond)
			}
			p.Layers = append(p.Layers, layer)
		}
	}
	p.Name = info.Name
	return p
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
