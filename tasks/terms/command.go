package terms

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/internal/bounds"
)

// Command is a bound command term.
type Command struct {
	Names []string // of its values

	// Sample draws a new command into value, zero when an episode begins.
	Sample func(v *View, r *rand.Rand, value []float64)

	// Update, if not nil, follows Sample, and changes the value at the end of each control
	// step without a new one.
	Update func(v *View, value []float64)

	// Bounds returns the lowest and the highest value of each, whatever the curriculum
	// has reached, for commands from outside.
	Bounds func() (low, high []float64)

	// Hold, if not nil, makes Update leave a value from outside as it is.
	Hold func(v *View, value []float64)

	velocity *Staged[VelocityRanges] // of uniform_velocity
	pose     *uniformPoseParameters  // of uniform_pose

	value, due Slot
}

// Set sets the command from outside until the episode ends or it is set again. With nil a
// new command is drawn at the next instant at which the task observes.
func (c *Command) Set(v *View, value []float64) {
	due := &v.Kept(c.due)[0]
	if value == nil {
		*due = 0
		return
	}
	*due = math.Inf(1)
	kept := v.Kept(c.value)
	copy(kept, value)
	if c.Hold != nil {
		c.Hold(v, kept)
	}
}

// Size returns the number of values.
func (c *Command) Size() int { return len(c.Names) }

// CommandKeys are the keys of each entry of commands.
type CommandKeys struct {
	// Resampling is the shortest and the longest time until a new command is drawn.
	Resampling [2]time.Duration `yaml:"resampling"`
}

var defaultResampling = [2]time.Duration{10 * time.Second, 10 * time.Second}

// Check implements the check of parameters.
func (k *CommandKeys) Check(c *bounds.Check) {
	c.Time("resampling[0]", k.Resampling[0], time.Millisecond, 1e6*time.Second)
	c.Time("resampling[1]", k.Resampling[1], k.Resampling[0], 1e6*time.Second)
}

// BindCommand binds an entry of commands. observe is to be called once for each world and
// instant at which it observes.
func (b *Binder) BindCommand(p *Parsed) (c *Command, observe func(v *View)) {
	c, keys := b.Bind(p, AtCommand).(*Command), p.Common.(*CommandKeys)
	c.value, c.due = b.Memory(c.Size()), b.Memory(1)
	b.commands[p.Head.Name] = c
	b.add(kept("command."+p.Head.Name, c.Size(), "", "", c.value))
	key, least := b.Key(), keys.Resampling[0]
	spread := float64(keys.Resampling[1] - least)
	return c, func(v *View) {
		value, due := v.Kept(c.value), &v.Kept(c.due)[0]
		if v.NS() == 0 || float64(v.NS()) >= *due {
			r := v.Draw(key)
			*due = float64(v.NS()) + float64(least) + math.Floor(spread*r.Float64())
			c.Sample(v, r, value)
		}
		if c.Update != nil {
			c.Update(v, value)
		}
	}
}

func commandTerms() []Term {
	return []Term{
		command("uniform_velocity", uniformVelocity, uniformVelocityParameters{HeadingStiffness: 1, RelHeading: 1}),
		command("uniform_pose", uniformPose, uniformPoseParameters{Frame: baseFrame}),
	}
}

// VelocityRanges are the ranges of a velocity command. A curriculum may change them.
type VelocityRanges struct {
	// LinVelX is the range of the forward velocity, m/s.
	LinVelX Range `yaml:"lin_vel_x"`
	// LinVelY is the range of the velocity to the left, m/s.
	LinVelY Range `yaml:"lin_vel_y"`
	// AngVelZ is the range of the yaw rate, rad/s, positive to the left.
	AngVelZ Range `yaml:"ang_vel_z"`
}

func (r *VelocityRanges) check(c *bounds.Check) {
	r.LinVelX.check(c, "lin_vel_x")
	r.LinVelY.check(c, "lin_vel_y")
	r.AngVelZ.check(c, "ang_vel_z")
}

type uniformVelocityParameters struct {
	VelocityRanges `yaml:",inline"`
	// Heading is the range of a heading to turn to, rad in the world, in place of a drawn
	// yaw rate; none if not given.
	Heading *Range `yaml:"heading"`
	// HeadingStiffness is the yaw rate for each rad of error in the heading, 1/s.
	HeadingStiffness float64 `yaml:"heading_control_stiffness"`
	// RelHeading is the share of commands that have a heading, of 1.
	RelHeading float64 `yaml:"rel_heading_envs"`
	// RelStanding is the share of commands that are 0, of 1.
	RelStanding float64 `yaml:"rel_standing_envs"`
}

// Check implements the check of parameters.
func (p *uniformVelocityParameters) Check(c *bounds.Check) {
	p.VelocityRanges.check(c)
	if p.Heading != nil {
		p.Heading.check(c, "heading")
	}
	c.Number("heading_control_stiffness", p.HeadingStiffness, 0, 1e6)
	c.Number("rel_heading_envs", p.RelHeading, 0, 1)
	c.Number("rel_standing_envs", p.RelStanding, 0, 1)
}

// uniformVelocity commands a velocity in the plane: forward, to the left, and a yaw rate,
// each drawn evenly from its range. With a heading the yaw rate is
//
//	clip(heading_control_stiffness·wrap(heading - ψ), ang_vel_z)
//
// at each step, ψ being the heading of the base. Unit m/s, m/s, rad/s. Frame: base. The
// draws are the same in both peers, but for mjlab's share of episodes that begin at the
// commanded velocity, which we leave to events.
func uniformVelocity(b *Binder, p *uniformVelocityParameters) *Command {
	ranges := &Staged[VelocityRanges]{first: p.VelocityRanges}
	extra := b.Memory(3) // heading, whether there is one, whether to stand
	c := &Command{Names: []string{"lin_vel_x", "lin_vel_y", "ang_vel_z"}, velocity: ranges}
	c.Sample = func(v *View, r *rand.Rand, value []float64) {
		within, kept := ranges.At(v.RunStep()), v.Kept(extra)
		value[0], value[1], value[2] = uniform(r, within.LinVelX), uniform(r, within.LinVelY), uniform(r, within.AngVelZ)
		kept[1] = 0
		if p.Heading != nil {
			kept[0] = uniform(r, *p.Heading)
			kept[1] = truth(r.Float64() < p.RelHeading)
		}
		kept[2] = truth(r.Float64() < p.RelStanding)
	}
	c.Hold = func(v *View, _ []float64) {
		kept := v.Kept(extra)
		kept[1], kept[2] = 0, 0
	}
	c.Bounds = func() (low, high []float64) {
		low, high = make([]float64, 3), make([]float64, 3) // 0, to stand, is always possible
		widen := func(r VelocityRanges) {
			for i, within := range []Range{r.LinVelX, r.LinVelY, r.AngVelZ} {
				low[i], high[i] = min(low[i], within[0]), max(high[i], within[1])
			}
		}
		widen(ranges.first)
		for _, s := range ranges.stages {
			widen(s.value)
		}
		return low, high
	}
	var heading Handle
	if p.Heading != nil {
		heading = b.Quantity("heading")
	}
	c.Update = func(v *View, value []float64) {
		kept := v.Kept(extra)
		if kept[1] != 0 {
			within := ranges.At(v.RunStep()).AngVelZ
			rate := float64(p.HeadingStiffness * wrap(kept[0]-v.Scalar(heading)))
			value[2] = min(max(rate, within[0]), within[1])
		}
		if kept[2] != 0 {
			clear(value)
		}
	}
	return c
}

func truth(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

// wrap brings an angle to -π to π.
func wrap(angle float64) float64 { return math.Remainder(angle, 2*math.Pi) }

// The frames of a pose command.
const (
	baseFrame  = "base"
	worldFrame = "world"
)

type uniformPoseParameters struct {
	// Body is the name of the body that should take the pose.
	Body string `yaml:"body"`
	// Frame of the pose: base or world.
	Frame string `yaml:"frame"`
	// PosX is the range of x, m.
	PosX Range `yaml:"pos_x"`
	// PosY is the range of y, m.
	PosY Range `yaml:"pos_y"`
	// PosZ is the range of z, m.
	PosZ Range `yaml:"pos_z"`
	// Roll is the range of the rotation about the x axis, rad.
	Roll Range `yaml:"roll"`
	// Pitch is the range of the rotation about the y axis, after roll, rad.
	Pitch Range `yaml:"pitch"`
	// Yaw is the range of the rotation about the z axis, after pitch, rad.
	Yaw Range `yaml:"yaw"`
}

// Check implements the check of parameters.
func (p *uniformPoseParameters) Check(c *bounds.Check) {
	c.OneOf("frame", p.Frame, baseFrame, worldFrame)
	for _, r := range []struct {
		key string
		of  Range
	}{{"pos_x", p.PosX}, {"pos_y", p.PosY}, {"pos_z", p.PosZ}, {"roll", p.Roll}, {"pitch", p.Pitch}, {"yaw", p.Yaw}} {
		r.of.check(c, r.key)
	}
}

// uniformPose commands a pose of a body: a position, and an orientation as a quaternion
// w x y z with w ≥ 0, whose roll, pitch and yaw are drawn evenly from their ranges. Unit m
// and 1, 7 values. Frame: the base's or the world's; the base of a robot that is fixed to
// the world is the body below the world that carries its first actuated joint. In Isaac Lab
// the frame is always the base's, and the sign of the quaternion is free unless
// make_quat_unique is set; mjlab has no such term.
func uniformPose(b *Binder, p *uniformPoseParameters) *Command {
	b.Body("body", p.Body)
	return &Command{
		Names: []string{"x", "y", "z", "qw", "qx", "qy", "qz"},
		pose:  p,
		Sample: func(_ *View, r *rand.Rand, value []float64) {
			value[0], value[1], value[2] = uniform(r, p.PosX), uniform(r, p.PosY), uniform(r, p.PosZ)
			q := fromRollPitchYaw(uniform(r, p.Roll), uniform(r, p.Pitch), uniform(r, p.Yaw))
			copy(value[3:], q[:])
		},
		Bounds: func() (low, high []float64) {
			low, high = []float64{0, 0, 0, -1, -1, -1, -1}, []float64{0, 0, 0, 1, 1, 1, 1}
			for i, within := range []Range{p.PosX, p.PosY, p.PosZ} {
				low[i], high[i] = within[0], within[1]
			}
			return low, high
		},
		Hold: func(_ *View, value []float64) {
			q := normalized(value[3:7])
			copy(value[3:], q[:])
		},
	}
}
