package quadruped

import (
	"embed"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/sensors"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// Files holds the model file of the robot, quadruped.xml.
//
//go:embed quadruped.xml
var Files embed.FS

// The sensor channels the task reads. FootContact serves the reward's gait
// term alone.
const (
	Gyro          = "gyro"           // 3 values, rad/s in the trunk's frame
	Orientation   = "orientation"    // 4 values, quaternion w x y z of the trunk in the world
	JointPosition = "joint_position" // 12 values, rad
	JointVelocity = "joint_velocity" // 12 values, rad/s
	FootContact   = "foot_contact"   // 4 values, N
)

const (
	legs   = 4
	joints = 3 * legs
)

// legNames and jointNames make up the names and the order of joints, actuators
// and feet: FL_abduction, FL_hip, FL_knee, FR_abduction, ….
var (
	legNames   = [legs]string{"FL", "FR", "RL", "RR"}
	jointNames = [3]string{"abduction", "hip", "knee"}
)

// legPhase is where in the gait's cycle each leg is when front left begins its
// stance: the diagonals of a trot move together.
var legPhase = [legs]float64{0, 0.5, 0.5, 0}

// Values are scaled to about the same size before the agent sees them, so that it
// also learns without running normalisation.
const (
	gyroScale  = 0.25
	speedScale = 0.05
)

// Where the parts of an observation lie.
const (
	seeCommand  = 0                    // forward m/s, left m/s, yaw rate rad/s
	seeGyro     = seeCommand + 3       // gyroScale × rad/s
	seeGravity  = seeGyro + 3          // unit vector of gravity in the trunk's frame
	seePosition = seeGravity + 3       // rad from home
	seeVelocity = seePosition + joints // speedScale × rad/s
	seeAction   = seeVelocity + joints // the last action
	seeClock    = seeAction + joints   // sine and cosine of the gait's phase
	seen        = seeClock + 2         // number of values
)

// Indices into a world's memory.
const (
	memoryCommand = 0                 // as in the observation
	memoryAction  = memoryCommand + 3 // the last action, within its bounds
	memorySize    = memoryAction + joints
)

// Quadruped is the task: walk at the commanded velocity without falling. It
// implements [sim.Task].
type Quadruped struct {
	opt   Options
	spec  sim.Spec
	terms []term // of the reward, those with a weight

	home      []float64       // state row of the pose that actions are offsets from
	joint     [joints]float64 // its joint angles, rad
	target    [joints]float64 // its motor targets, rad
	low, high [joints]float64 // range of the targets, rad

	trunk, trunkVelocity physics.Span // position m and quaternion; m/s in the world, rad/s in the trunk
	position, velocity   physics.Span // of the joints, rad and rad/s

	gyro, orientation, jointPosition, jointVelocity, footContact int // channels
}

// New makes the task for a model compiled from quadruped.xml in [Files], or from a file of the user's
// with the same names of joints, actuators and keyframe, stepped every dt
// seconds. The suite must have the channels the task reads.
func New(m physics.Model, suite *sensors.Suite, dt float64, opt Options) (*Quadruped, error) {
	if err := opt.check(); err != nil {
		return nil, err
	}
	t := &Quadruped{opt: opt}
	for _, term := range terms(&t.opt.Reward) {
		if term.weight != 0 {
			t.terms = append(t.terms, term)
		}
	}
	if err := t.findState(m); err != nil {
		return nil, fmt.Errorf("quadruped: %w", err)
	}
	if err := t.findChannels(suite); err != nil {
		return nil, fmt.Errorf("quadruped: %w", err)
	}
	t.describe(dt)
	return t, nil
}

// findState finds the trunk, joints and motors in the model's state.
func (t *Quadruped) findState(m physics.Model) error {
	t.home = make([]float64, m.StateSize())
	if err := m.Keyframe("home", t.home); err != nil {
		return err
	}
	if m.ControlSize() != joints {
		return fmt.Errorf("the model has %d actuators, want %d", m.ControlSize(), joints)
	}
	control, err := m.Field("control")
	if err != nil {
		return err
	}
	copy(t.target[:], control.In(t.home))
	for _, part := range []struct {
		name string
		size int
		span *physics.Span
	}{
		{"joint/root/position", 7, &t.trunk},
		{"joint/root/velocity", 6, &t.trunkVelocity},
	} {
		if *part.span, err = m.Field(part.name); err != nil {
			return err
		}
		if part.span.Len != part.size {
			return fmt.Errorf("%s has %d values, want the %d of a free joint", part.name, part.span.Len, part.size)
		}
	}
	for i := range joints {
		name := legNames[i/3] + "_" + jointNames[i%3]
		if err := extend(m, "joint/"+name+"/position", &t.position, i); err != nil {
			return err
		}
		if err := extend(m, "joint/"+name+"/velocity", &t.velocity, i); err != nil {
			return err
		}
		motor, err := m.Field("actuator/" + name)
		if err != nil {
			return err
		}
		if motor.Offset != control.Offset+i {
			return fmt.Errorf("actuator %s is number %d of the model's, want %d", name, motor.Offset-control.Offset, i)
		}
		t.low[i], t.high[i] = m.ControlRange(i)
	}
	copy(t.joint[:], t.position.In(t.home))
	return nil
}

// extend makes value i of span the named field, which must follow the others.
func extend(m physics.Model, name string, span *physics.Span, i int) error {
	field, err := m.Field(name)
	if err != nil {
		return err
	}
	if i == 0 {
		*span = physics.Span{Offset: field.Offset}
	}
	if field.Len != 1 || field.Offset != span.Offset+i {
		return fmt.Errorf("%s has %d values at %d of the state, want one at %d: legs and joints must stand in the order %v, %v",
			name, field.Len, field.Offset, span.Offset+i, legNames, jointNames)
	}
	span.Len++
	return nil
}

// findChannels finds the sensor channels.
func (t *Quadruped) findChannels(suite *sensors.Suite) error {
	for _, c := range []struct {
		name   string
		size   int
		needed bool
		index  *int
	}{
		{Gyro, 3, true, &t.gyro},
		{Orientation, 4, true, &t.orientation},
		{JointPosition, joints, true, &t.jointPosition},
		{JointVelocity, joints, true, &t.jointVelocity},
		{FootContact, legs, t.opt.Reward.Gait != 0, &t.footContact},
	} {
		if !c.needed {
			continue
		}
		i, err := suite.Find(c.name)
		if err != nil {
			return err
		}
		if size := suite.Info(i).Size; size != c.size {
			return fmt.Errorf("sensor channel %q has %d values, want %d", c.name, size, c.size)
		}
		*c.index = i
	}
	return nil
}

// episodeSeconds is how long an episode lasts if the robot does not fall.
const episodeSeconds = 20

func (t *Quadruped) describe(dt float64) {
	t.spec = sim.Spec{
		Name:            "quadruped",
		ObservationSize: seen,
		ActionSize:      joints,
		MemorySize:      memorySize,
		MaxSteps:        int64(math.Round(episodeSeconds / dt)),
		InfoNames:       infoNames,
	}
	see := func(names ...string) { t.spec.ObservationNames = append(t.spec.ObservationNames, names...) }
	see("command_forward", "command_left", "command_yaw_rate")
	see("gyro_x", "gyro_y", "gyro_z", "gravity_x", "gravity_y", "gravity_z")
	for _, suffix := range []string{"_position", "_velocity", "_action"} {
		for i := range joints {
			see(legNames[i/3] + "_" + jointNames[i%3] + suffix)
		}
	}
	see("gait_sin", "gait_cos")
	for i := range joints {
		t.spec.ActionNames = append(t.spec.ActionNames, legNames[i/3]+"_"+jointNames[i%3])
		t.spec.ActionLow = append(t.spec.ActionLow, -1)
		t.spec.ActionHigh = append(t.spec.ActionHigh, 1)
	}
}

// Spec implements [sim.Task].
func (t *Quadruped) Spec() sim.Spec { return t.spec }

// Reset puts the robot near its home pose, facing anywhere and moving a little,
// and draws the episode's command.
func (t *Quadruped) Reset(w *sim.World) {
	r := w.Random(sim.ResetDraws)
	state := w.State()
	copy(state, t.home)

	trunk := t.trunk.In(state)
	trunk[2] += float64(t.opt.Start.Lift * r.Float64())
	half := within(r, math.Pi) / 2
	trunk[3], trunk[4], trunk[5], trunk[6] = math.Cos(half), 0, 0, math.Sin(half)
	velocity := t.trunkVelocity.In(state)
	for i := range velocity {
		bound := t.opt.Start.Velocity
		if i >= 3 {
			bound = t.opt.Start.Rotation
		}
		velocity[i] = within(r, bound)
	}
	for i, angle := range t.joint {
		t.position.In(state)[i] = angle + within(r, t.opt.Start.Joint)
	}

	command := w.Memory()[memoryCommand:]
	for i, limits := range t.opt.Command.ranges() {
		command[i] = limits[0] + float64((limits[1]-limits[0])*r.Float64())
	}
}

// Commands implements [sim.CommandTask]: the velocity, within the ranges that episodes
// draw from, or 0.
func (t *Quadruped) Commands() []sim.CommandSpec {
	velocity := sim.CommandSpec{Name: "velocity", ValueNames: []string{"forward", "left", "yaw_rate"}}
	for _, limits := range t.opt.Command.ranges() {
		velocity.Low, velocity.High = append(velocity.Low, min(limits[0], 0)), append(velocity.High, max(limits[1], 0))
	}
	return []sim.CommandSpec{velocity}
}

// SetCommand implements [sim.CommandTask]. The task by itself keeps a command to the end
// of the episode, so without values nothing changes.
func (t *Quadruped) SetCommand(w *sim.World, _ int, values []float64) {
	copy(w.Memory()[memoryCommand:], values)
}

// within draws evenly from [-bound, bound).
func within(r *rand.Rand, bound float64) float64 { return bound * (2*r.Float64() - 1) }

// Act sets the motors' targets: home, moved by the action, within the range of
// each motor.
func (t *Quadruped) Act(w *sim.World, action []float32) {
	scale := [3]float64{t.opt.Action.Abduction, t.opt.Action.Hip, t.opt.Action.Knee}
	control := w.Control()
	for i, a := range action {
		target := t.target[i] + float64(scale[i%3]*bounded(a))
		control[i] = min(max(target, t.low[i]), t.high[i])
	}
}

// bounded brings one value of an action within its bounds.
func bounded(a float32) float64 { return min(max(float64(a), -1), 1) }

// Observe implements [sim.Task]; the parts are listed with seeCommand.
func (t *Quadruped) Observe(w *sim.World, dst []float64) {
	memory := w.Memory()
	copy(dst[seeCommand:seeGyro], memory[memoryCommand:])

	gyro := dst[seeGyro:seeGravity]
	w.Read(gyro, t.gyro)
	for i := range gyro {
		gyro[i] *= gyroScale
	}

	var q [4]float64
	w.Read(q[:], t.orientation)
	normalise(&q)
	up := vertical(q)
	for i := range up {
		dst[seeGravity+i] = -up[i]
	}

	position := dst[seePosition:seeVelocity]
	w.Read(position, t.jointPosition)
	for i := range position {
		position[i] -= t.joint[i]
	}
	velocity := dst[seeVelocity:seeAction]
	w.Read(velocity, t.jointVelocity)
	for i := range velocity {
		velocity[i] *= speedScale
	}
	copy(dst[seeAction:seeClock], memory[memoryAction:])
	dst[seeClock], dst[seeClock+1] = math.Sincos(2 * math.Pi * t.phase(w))
}

// phase is where in the gait's cycle the world's instant lies, in [0, 1).
func (t *Quadruped) phase(w *sim.World) float64 {
	return fraction(float64(t.opt.Gait.Frequency * float64(w.NS()) * 1e-9))
}

func fraction(x float64) float64 { return x - math.Floor(x) }

// Reward adds up the terms of the reward, and ends the episode when the robot
// has fallen.
func (t *Quadruped) Reward(w *sim.World) (reward float64, terminated bool) {
	j := t.outcome(w)
	for i := range t.terms {
		reward += float64(t.terms[i].weight * t.terms[i].value(j))
	}
	copy(w.Memory()[memoryAction:], j.action[:])
	j.inform(w.Info())
	return reward, j.height < t.opt.Fall.Height || j.up[2] < math.Cos(t.opt.Fall.Tilt)
}
