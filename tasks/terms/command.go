package terms

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/internal/bounds"
)

// commandTerms are the terms of commands, in the order of the page.
var commandTerms = []Term{
	term("uniform_velocity", uniformVelocity, uniformVelocityParameters{HeadingStiffness: 1, RelHeading: 1}),
	term("uniform_pose", uniformPose, uniformPoseParameters{Frame: baseFrame}),
	term("lifting_command", liftingCommand, liftingParameters{SuccessThreshold: 0.05, Difficulty: "fixed",
		TargetPosition: pointParameters{X: Range{0.3, 0.5}, Y: Range{-0.2, 0.2}, Z: Range{0.2, 0.4}}}),
	term(MotionTerm, motionCommand, motionParameters{CSVRate: 30, Sampling: adaptiveSampling, KernelSize: 1, Lambda: 0.8,
		UniformRatio: 0.1, Alpha: 0.1}),
}

// Command is a bound command term.
type Command struct {
	Name  string   // name of its entry
	Names []string // names of its values

	// Sample draws a new command into value, zero when an episode begins. It is nil for a command that is never drawn,
	// nor set from outside.
	Sample func(v *View, r *rand.Rand, value []float64)

	// Update, if not nil, follows Sample, and changes the value at the end of each control step without a new one.
	Update func(v *View, value []float64)

	// Bounds returns the lowest and the highest value of each, whatever the curriculum
	// has reached, for commands from outside. It is nil with Sample.
	Bounds func() (low, high []float64)

	// Hold, if not nil, makes Update leave a value from outside as it is.
	Hold func(v *View, value []float64)

	velocity *Staged[VelocityRanges] // its ranges, if it is a uniform_velocity
	pose     *uniformPoseParameters  // its parameters, if it is a uniform_pose
	lifted   *entity                 // the object of lifting_command

	infos func() (Handle, []string) // values that a motion or a lifting_command reports in place of its own

	value, due    Slot
	key           Key
	least, spread float64 // ns until a new command is drawn
}

// Set sets the command from outside until the episode ends or it is set again. With nil a
// new command is drawn at the next instant at which the task observes.
func (c *Command) Set(v *View, value []float64) {
	due := &v.Slot(c.due)[0]
	if value == nil {
		*due = 0
		return
	}
	*due = math.Inf(1)
	kept := v.Slot(c.value)
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

func (k *CommandKeys) checkKeys(c *bounds.Check) {
	c.Time("resampling[0]", k.Resampling[0], time.Millisecond, 1e6*time.Second)
	c.Time("resampling[1]", k.Resampling[1], k.Resampling[0], 1e6*time.Second)
}

// BindCommand binds an entry of commands.
func (b *Binder) BindCommand(p *Parsed) *Command {
	c, keys := b.Bind(p, CommandPhase).(*Command), p.Common.(*CommandKeys)
	c.Name, c.key, c.value, c.due = p.Head.Name, b.Key(), b.Memory(c.Size()), b.Memory(1)
	c.least, c.spread = float64(keys.Resampling[0]), float64(keys.Resampling[1]-keys.Resampling[0])
	b.commands[c.Name] = c
	b.add(memoryQuantity("command."+c.Name, c.Size(), "", "", c.value))
	return c
}

// Observe draws a new command if it is time, and updates it. It is called once for each
// world and instant at which it observes.
func (c *Command) Observe(v *View) {
	value, due := v.Slot(c.value), &v.Slot(c.due)[0]
	if c.Sample != nil && (v.NS() == 0 || float64(v.NS()) >= *due) {
		r := v.Draw(c.key)
		*due = float64(v.NS()) + c.least + math.Floor(c.spread*r.Float64())
		c.Sample(v, r, value)
	}
	if c.Update != nil {
		c.Update(v, value)
	}
}

// CommandInfo returns the value of a command at the end of a control step or what it reports in its place, and the
// names of the values as infos.
func (b *Binder) CommandInfo(c *Command) (Handle, []string) {
	b.phase = RewardPhase
	if c.infos != nil {
		return c.infos()
	}
	return b.Quantity("command." + c.Name), indexLabels("command/"+c.Name, c.Size())
}

// Command returns the value of a command by its entry's name, or fails unless it has size values. size 0 accepts any.
func (b *Binder) Command(key, name string, size int) Handle {
	c, ok := b.commands[name]
	if !ok {
		b.Fail(key, ": %s", noEntry("command", name, slices.Sorted(maps.Keys(b.commands))))
		return b.nothing(size)
	}
	if size > 0 && c.Size() != size {
		b.Fail(key, "is %s, a command of %d values, want one of %d", name, c.Size(), size)
		return b.nothing(size)
	}
	return b.Quantity("command." + name)
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

type uniformVelocityParameters struct {
	VelocityRanges `yaml:",inline"`
	// Heading is the range of a heading to turn to, rad in the world, in place of a drawn
	// yaw rate; none if not given.
	Heading *Range `yaml:"heading"`
	// HeadingStiffness is the yaw rate for each rad of error in the heading, 1/s.
	HeadingStiffness float64 `yaml:"heading_control_stiffness" want:"0..1e6"`
	// RelHeading is the share of commands that have a heading, of 1.
	RelHeading float64 `yaml:"rel_heading_envs" want:"0..1"`
	// RelStanding is the share of commands that are 0, of 1.
	RelStanding float64 `yaml:"rel_standing_envs" want:"0..1"`
}

// uniformVelocity commands a velocity in the plane: forward, to the left, and a yaw rate,
// each drawn evenly from its range. With a heading the yaw rate is
//
//	clip(heading_control_stiffness·wrap(heading - ψ), ang_vel_z)
//
// at each step, ψ being the heading of the base; the key entity makes it that of another
// entity, as it does for the rewards. Unit m/s, m/s, rad/s. Frame: base. The draws are
// those of both peers. mjlab has three more shares, which we have not: of commands that keep
// their direction in the world (rel_world_envs), of commands straight ahead at 0.3 m/s or
// more (rel_forward_envs), and of episodes that begin at the commanded velocity
// (init_velocity_prob), which is left to events here.
func uniformVelocity(b *Binder, p *uniformVelocityParameters) *Command {
	b.subject() // its velocity, whether or not its heading is needed
	ranges := &Staged[VelocityRanges]{first: p.VelocityRanges}
	extra := b.Memory(3) // heading, whether there is one, whether to stand
	c := &Command{Names: []string{"lin_vel_x", "lin_vel_y", "ang_vel_z"}, velocity: ranges}
	c.Sample = func(v *View, r *rand.Rand, value []float64) {
		limits, kept := ranges.Current(v.RunStep()), v.Slot(extra)
		value[0], value[1], value[2] = uniform(r, limits.LinVelX), uniform(r, limits.LinVelY), uniform(r, limits.AngVelZ)
		kept[1] = 0
		if p.Heading != nil {
			kept[0] = uniform(r, *p.Heading)
			kept[1] = truth(r.Float64() < p.RelHeading)
		}
		kept[2] = truth(r.Float64() < p.RelStanding)
	}
	c.Hold = func(v *View, _ []float64) {
		kept := v.Slot(extra)
		kept[1], kept[2] = 0, 0
	}
	c.Bounds = func() (low, high []float64) {
		low, high = make([]float64, 3), make([]float64, 3) // 0, to stand, is always possible
		for _, s := range append([]stage[VelocityRanges]{{0, ranges.first}}, ranges.stages...) {
			for i, limits := range []Range{s.value.LinVelX, s.value.LinVelY, s.value.AngVelZ} {
				low[i], high[i] = min(low[i], limits[0]), max(high[i], limits[1])
			}
		}
		return low, high
	}
	var heading Handle
	if p.Heading != nil {
		heading = b.Quantity("heading")
	}
	c.Update = func(v *View, value []float64) {
		kept := v.Slot(extra)
		if kept[1] != 0 {
			limits := ranges.Current(v.RunStep()).AngVelZ
			rate := float64(p.HeadingStiffness * wrap(kept[0]-v.Scalar(heading)))
			value[2] = min(max(rate, limits[0]), limits[1])
		}
		if kept[2] != 0 {
			clear(value)
		}
	}
	return c
}

// baseFrame is the frame of a pose command that moves with the base.
const baseFrame = "base"

type uniformPoseParameters struct {
	// Body is the name of the body that should take the pose.
	Body string `yaml:"body"`
	// Frame of the pose: base or world.
	Frame string `yaml:"frame" want:"base|world"`
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

// uniformPose commands a pose of a body: a position, and an orientation as a quaternion w x y z with w ≥ 0, whose
// roll, pitch and yaw are drawn evenly from their ranges. Unit m and 1, 7 values. Frame: the base's or the world's;
// the base of a robot that is fixed to the world is the body, or the world, that its first joint moves a part against.
// In Isaac Lab the frame is always the base's, and the sign of the quaternion is free unless make_quat_unique is set;
// mjlab has no such term.
func uniformPose(b *Binder, p *uniformPoseParameters) *Command {
	b.One("body", "body", p.Body)
	return &Command{
		Names: []string{"x", "y", "z", "qw", "qx", "qy", "qz"},
		pose:  p,
		Sample: func(_ *View, r *rand.Rand, value []float64) {
			value[0], value[1], value[2] = uniform(r, p.PosX), uniform(r, p.PosY), uniform(r, p.PosZ)
			q := eulerQuaternion(uniform(r, p.Roll), uniform(r, p.Pitch), uniform(r, p.Yaw))
			copy(value[3:], q[:])
		},
		Bounds: func() (low, high []float64) {
			low, high = []float64{0, 0, 0, -1, -1, -1, -1}, []float64{0, 0, 0, 1, 1, 1, 1}
			for i, limits := range []Range{p.PosX, p.PosY, p.PosZ} {
				low[i], high[i] = limits[0], limits[1]
			}
			return low, high
		},
		Hold: func(_ *View, value []float64) {
			q := normalize(value[3:7])
			copy(value[3:], q[:])
		},
	}
}
