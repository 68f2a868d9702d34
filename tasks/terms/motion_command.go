package terms

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/polyrhythm-rl/polyrhythm/internal/bounds"
	"github.com/polyrhythm-rl/polyrhythm/internal/spell"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sim"
	"github.com/polyrhythm-rl/polyrhythm/tasks/internal/rotation"
	"github.com/polyrhythm-rl/polyrhythm/tasks/motion"
)

// The ways to choose the frame in which an episode begins.
const (
	adaptiveSampling = "adaptive"
	uniformSampling  = "uniform"
	startSampling    = "start"
)

// MotionTerm is the name of the command term whose parameter [MotionFile] is a path.
const (
	MotionTerm = "motion"
	MotionFile = "motion_file"
)

type motionParameters struct {
	// File is the path of the motion: .npz, .csv or .yaml. A relative path is relative to the configuration file.
	File string `yaml:"motion_file"`
	// CSVRate is the number of lines in a second of a .csv file, Hz.
	CSVRate float64 `yaml:"csv_rate" want:"0.001..1e6"`
	// Anchor is the name of the body by which robot and motion are compared as wholes; the base if not given.
	Anchor string `yaml:"anchor_body"`
	// Bodies are patterns of the names of the bodies that are compared; all of the robot if not given.
	Bodies Patterns `yaml:"bodies"`
	// Pose holds ranges that are added to the pose of the base in which an episode begins: x, y, z in m, roll, pitch,
	// yaw in rad about the axes of the world.
	Pose axesParameters `yaml:"pose_range"`
	// Velocity holds ranges that are added to its velocity: x, y, z in m/s, roll, pitch, yaw in rad/s, along the axes of
	// the world.
	Velocity axesParameters `yaml:"velocity_range"`
	// JointPosition is the range of what is added to the position of each joint, rad or m, within its limits.
	JointPosition Range `yaml:"joint_position_range"`
	// Sampling says in which frame an episode begins: adaptive, uniform or start, the first.
	Sampling string `yaml:"sampling_mode" want:"adaptive|uniform|start"`
	// KernelSize is the number of seconds over which a failure is spread to those before it.
	KernelSize int `yaml:"adaptive_kernel_size" want:"1..1000"`
	// Lambda is the factor by which it weighs less in each second before.
	Lambda float64 `yaml:"adaptive_lambda" want:"above 0..1"`
	// UniformRatio is the weight of starts anywhere beside those of failures.
	UniformRatio float64 `yaml:"adaptive_uniform_ratio" want:"above 0..1e6"`
	// Alpha is the weight of the newest episode among the failures that a world remembers.
	Alpha float64 `yaml:"adaptive_alpha" want:"above 0..1"`
}

func (p *motionParameters) checkKeys(c *bounds.Check) {
	if p.File == "" {
		c.Fail("%s: not given, want the path of a motion", MotionFile)
	}
}

// reference is the motion of a command, and where the robot is beside it.
type reference struct {
	*motionParameters
	b    *Binder
	name string // name of the command
	key  Key

	// The clip has the control rate, and the joints and bodies of the robot in its order.
	robot *motion.Robot
	clip  *motion.Clip

	// These bodies of the clip are compared, and the anchor as a whole.
	bodies []int
	anchor int

	frame   Slot // the frame that is to be imitated at the end of the control step
	start   Slot // the frame in which the episode began
	entropy Slot // the entropy of the probabilities of the seconds when it began

	// How often episodes failed in each second, then the second of the last failure plus 1. The slot is lasting.
	failed Slot
}

// motionCommand commands the frames of a motion, one after the other: the positions of all joints of the robot, then
// their velocities. The value is that of the frame at the end of the control step that follows. An episode begins
// with the robot in a frame, which sampling_mode chooses, with what the ranges add, whatever start and events say. It
// is truncated at the end of the motion. Unit rad or m and rad/s or m/s.
//
// The motion is brought to the first control rate. It has one clock with the world: with another control rate later,
// the nearest frame counts. resampling has no meaning, and the command cannot be set from outside.
//
// Start: uniform is evenly from all frames. adaptive divides the motion into seconds, and each world remembers in
// which of them its episodes were terminated: at the end of each episode
//
//	f ← (1 - adaptive_alpha)·f + adaptive_alpha·(1 in the second in which it was terminated)
//
// A second is drawn with a probability proportional to Σ λ^i·(f[s+i] + adaptive_uniform_ratio/n) over i from 0 to
// adaptive_kernel_size - 1, n being the number of seconds and the last standing for those after it; the frame is
// drawn evenly in it.
//
// Infos, as NAME/error_anchor_pos and so on: the distances |Δp|, angles |Δφ| and speeds |Δv|, |Δω| of the anchor
// between robot and motion; error_body_pos, _rot, _lin_vel, _ang_vel, which are means over the bodies, positions and
// angles to the motion that stands where the robot stands, see motion_relative_body_position_error_exp; and
// error_joint_pos and _vel, lengths of vectors. mpkpe is the mean of |Δp| of the bodies in the world. start is the
// frame in which the episode began, sampling_entropy that of the probabilities of the seconds, of 1.
//
// mjlab begins another part of the motion within an episode where the motion ends; here the episode ends. There all
// environments share the memory of failures, and forget with each step of all; here each world has its own and forgets
// with each of its episodes, so that worlds do not depend on one another. The default of adaptive_alpha is therefore
// 0.1 in place of 0.001. mjlab keeps joints within 0.9 of their ranges at the start, and bodies in the order given.
func motionCommand(b *Binder, p *motionParameters) *Command {
	m := &reference{motionParameters: p, b: b, name: b.entry.Head.Name, key: b.Key()}
	if keys := b.entry.Common.(*CommandKeys); keys.Resampling != defaultResampling {
		b.Fail("resampling", ": a motion is not drawn anew, want none")
	}
	m.frame, m.start, m.entropy = b.Memory(1), b.Memory(1), b.Memory(1)
	if m.load(); b.err != nil {
		return &Command{}
	}
	if p.Sampling == adaptiveSampling {
		m.failed = b.Lasting(m.seconds() + 1)
		b.plan.scratch = max(b.plan.scratch, m.seconds())
		b.OnTerminate(m.noteFailure)
	}
	b.references[m.name] = m
	b.OnReset(m.begin)
	b.OnStep(func(v *View) {
		if v.Slot(m.frame)[0] >= float64(m.clip.Frames-1) {
			v.Truncate()
		}
	})
	n := m.clip.JointCount()
	names := append(labels("", m.clip.Joints, "_pos"), labels("", m.clip.Joints, "_vel")...)
	return &Command{Names: names, infos: m.infos, Update: func(v *View, value []float64) {
		frames := math.Round((float64(v.Seconds()) + float64(v.ControlSeconds())) / m.clip.Rate.Seconds())
		frame := min(v.Slot(m.start)[0]+frames, float64(m.clip.Frames-1))
		v.Slot(m.frame)[0] = frame
		position, velocity := m.clip.Joint(int(frame))
		copy(value[:n], position)
		copy(value[n:], velocity)
	}}
}

// load reads the motion and finds the bodies.
func (m *reference) load() {
	b := m.b
	var err error
	if m.robot, err = b.Robot.MotionRobot(); err != nil {
		b.Fail("", ": %w", err)
		return
	}
	if m.clip, err = m.read(m.robot, b.Robot.ControlRate, b.Robot.ReadFile); err != nil {
		b.Fail(MotionFile, ": %w", err)
		return
	}
	names := m.clip.Bodies
	if m.Anchor != "" {
		if m.anchor = slices.Index(names, m.Anchor); m.anchor < 0 {
			b.Fail("anchor_body", ": the robot has no body %q%s", m.Anchor, spell.Hint(m.Anchor, names))
		}
	}
	m.bodies = m.choose("bodies", m.Bodies, nil)
}

// read reads the motion at the control rate, by the function of [motion.LoadOptions].
func (p *motionParameters) read(r *motion.Robot, rate runners.Rate,
	file func(path string, max int64) ([]byte, error)) (*motion.Clip, error) {
	lines, err := motion.NearestRate(p.CSVRate)
	if err != nil {
		return nil, err
	}
	return motion.Load(p.File, r, motion.LoadOptions{CSVRate: lines, Rate: rate, ReadFile: file})
}

// LoadMotion reads the motion of an entry of commands, of the term [MotionTerm], for a robot and its control rate. It
// also returns the entry's name. read is the function of [motion.LoadOptions].
func LoadMotion(entry Entry, r *motion.Robot, rate runners.Rate, read func(path string, max int64) ([]byte, error)) (
	name string, c *motion.Clip, err error) {
	list, err := Parse(Commands, string(Commands), []Entry{entry})
	if err != nil {
		return "", nil, err
	}
	p, ok := list[0].Parameters.(*motionParameters)
	if !ok {
		return "", nil, fmt.Errorf("command %s is no motion", list[0].Head.Name)
	}
	c, err = p.read(r, rate, read)
	return list[0].Head.Name, c, err
}

// choose returns the bodies among some that patterns select, all without patterns. nil stands for those of the robot.
func (m *reference) choose(key string, patterns Patterns, candidates []int) []int {
	if candidates == nil {
		for i := range m.clip.Bodies {
			candidates = append(candidates, i)
		}
	}
	if patterns == nil {
		return candidates
	}
	var names []string
	for _, i := range candidates {
		names = append(names, m.clip.Bodies[i])
	}
	selection, err := choose("body of the command", patterns, names)
	if err != nil {
		m.b.Fail(key, "%w", err)
	}
	for n, i := range selection {
		selection[n] = candidates[i]
	}
	return selection
}

// seconds is the number of parts in which failures are counted.
func (m *reference) seconds() int {
	return int(float64(float64(m.clip.Frames)*m.clip.Rate.Seconds())+1e-9) + 1
}

// noteFailure notes the second of the motion in which the episode is terminated.
func (m *reference) noteFailure(v *View) {
	n := m.seconds()
	second := min(int(v.Slot(m.frame)[0])*n/m.clip.Frames, n-1)
	v.LastingSlot(m.failed)[n] = float64(second + 1)
}

// probabilities writes those of the seconds in which an episode may begin, and returns their entropy, 1 where all are
// alike.
func (m *reference) probabilities(list, failed []float64) (entropy float64) {
	n, sum := len(list), 0.0
	for s := range list {
		list[s] = 0
		weight := 1.0
		for i := range m.KernelSize {
			list[s] += float64(weight * (failed[min(s+i, n-1)] + m.UniformRatio/float64(n)))
			weight *= m.Lambda
		}
		sum += list[s]
	}
	if n == 1 {
		list[0] = 1
		return 1
	}
	for s := range list {
		list[s] /= sum
		entropy -= float64(list[s] * math.Log(list[s]+1e-12))
	}
	return entropy / math.Log(float64(n))
}

// sample draws the frame in which an episode begins. The last frame is none, since the command would lie beyond it.
func (m *reference) sample(v *View, r *rand.Rand) int {
	v.Slot(m.entropy)[0] = 1
	switch m.Sampling {
	case startSampling:
		return 0
	case uniformSampling:
		return r.IntN(m.clip.Frames - 1)
	}
	n, lasting := m.seconds(), v.LastingSlot(m.failed)
	last := int(lasting[n]) - 1
	for s := range lasting[:n] {
		lasting[s] = float64(lasting[s] * (1 - m.Alpha))
		if s == last {
			lasting[s] += m.Alpha
		}
	}
	lasting[n] = 0
	probabilities := v.scratch[:n]
	v.Slot(m.entropy)[0] = m.probabilities(probabilities, lasting[:n])
	second, draw := 0, r.Float64()
	for s, p := range probabilities {
		if second = s; draw < p {
			break
		}
		draw -= p
	}
	return int((float64(second) + r.Float64()) / float64(n) * float64(m.clip.Frames-1))
}

// begin chooses where the episode begins and puts the robot there.
func (m *reference) begin(v *View) {
	r := v.Random(sim.Purpose(m.key))
	k := m.sample(v, r)
	v.Slot(m.start)[0], v.Slot(m.frame)[0] = float64(k), float64(k)
	state := v.State()
	m.robot.Place(state, m.clip, k)
	if m.robot.Free() {
		pose, u := m.robot.Base.In(state), m.robot.BaseVelocity.In(state)
		move, turn := m.Pose.draw(r)
		linear, angular := m.Velocity.draw(r)
		q := rotation.Product(eulerQuaternion(turn[0], turn[1], turn[2]), normalize(pose[3:7]))
		_, _, _, spin := m.clip.Body(k, 0)
		for i := range 3 {
			pose[i] += move[i]
			u[i] += linear[i]
			angular[i] += spin[i]
		}
		copy(pose[3:], q[:])
		rotateInverse(u[3:6], q, angular[:])
	}
	for i := range m.robot.Joints {
		j := &m.robot.Joints[i]
		state[j.Position] = min(max(state[j.Position]+uniform(r, m.JointPosition), j.Low), j.High)
	}
}

// Identity returns a line for each motion, with a digest of it.
func (b *Binder) Identity() (lines []string) {
	for _, name := range slices.Sorted(maps.Keys(b.references)) {
		lines = append(lines, fmt.Sprintf("motion %s: digest %08x", name, b.references[name].clip.Digest()))
	}
	return lines
}

// motionReference returns the reference of a motion command by its entry's name, or fails.
func (b *Binder) motionReference(key, name string) *reference {
	if m, ok := b.references[name]; ok {
		return m
	}
	if _, ok := b.commands[name]; ok {
		b.Fail(key, "is %s, want a motion command", name)
	} else {
		b.Command(key, name, 0)
	}
	return nil
}

// motionJoints is a quantity: the positions of joints in the frame of a motion that is to be imitated.
func (b *Binder) motionJoints(command string, joints []int) Handle {
	m := b.motionReference("command", command)
	if m == nil {
		return b.nothing(len(joints))
	}
	var index []int
	for _, name := range b.jointNames(joints) {
		i := slices.Index(m.clip.Joints, name)
		if i < 0 {
			b.Fail("command", "is %s, whose robot has no joint %s", command, name)
			return b.nothing(len(joints))
		}
		index = append(index, i)
	}
	name := fmt.Sprintf("motion %s of joints %v", command, joints)
	return b.use(b.add(quantity{name: name, size: len(joints), early: true, compute: func(v *View, dst []float64) {
		position, _ := m.clip.Joint(m.currentFrame(v))
		for i, k := range index {
			dst[i] = position[k]
		}
	}}))
}

// currentFrame is the frame that is to be imitated.
func (m *reference) currentFrame(v *View) int { return int(v.Slot(m.frame)[0]) }

// probes returns the numbers of a probe of each of some bodies of the robot.
func (m *reference) probes(what string, bodies ...int) (list []int) {
	for _, i := range bodies {
		list = append(list, m.b.probeNumber("body/"+m.clip.Bodies[i]+"/"+what))
	}
	return list
}

// bodyProbes are the probes of some bodies of the robot.
type bodyProbes struct{ position, quaternion, velocity []int }

func (m *reference) bodyProbes(bodies ...int) bodyProbes {
	return bodyProbes{m.probes("position", bodies...), m.probes("quaternion", bodies...), m.probes("velocity", bodies...)}
}

// relative is a quantity: the bodies of the motion as if it stood where the robot stands, 7 values each. Its anchor is
// above the same point of the ground as the robot's, and its heading differs from the robot's as far as the roll and
// pitch of the two do:
//
//	p = (x, y of the robot's anchor, z of the motion's) + Ψ·(p_motion - anchor_motion)    q = Ψ·q_motion
//
// Ψ is the yaw of the rotation from the motion's anchor to the robot's.
func (m *reference) relative(bodies []int) Handle {
	name := fmt.Sprintf("motion %s of %v beside the robot", m.name, bodies)
	return m.b.use(m.b.add(quantity{name: name, size: 7 * len(bodies), bind: func(*Binder) func(*View, []float64) {
		position, orientation := m.probes("position", m.anchor)[0], m.probes("quaternion", m.anchor)[0]
		return func(v *View, dst []float64) {
			k := m.currentFrame(v)
			anchor, q, _, _ := m.clip.Body(k, m.anchor)
			robot := v.probe(position)
			turn := rotation.Yaw(rotation.Product([4]float64(v.probe(orientation)), rotation.Conjugate([4]float64(q))))
			for n, i := range bodies {
				p, q, _, _ := m.clip.Body(k, i)
				arm := rotation.Rotate(turn, difference(p, anchor))
				dst[7*n], dst[7*n+1], dst[7*n+2] = robot[0]+arm[0], robot[1]+arm[1], anchor[2]+arm[2]
				goal := rotation.Product(turn, [4]float64(q))
				copy(dst[7*n+3:], goal[:])
			}
		}
	}}))
}

// infos returns what is reported of each control step, and its names.
func (m *reference) infos() (Handle, []string) {
	names := strings.Fields("error_anchor_pos error_anchor_rot error_anchor_lin_vel error_anchor_ang_vel error_body_pos " +
		"error_body_rot error_body_lin_vel error_body_ang_vel error_joint_pos error_joint_vel mpkpe start sampling_entropy")
	anchor, bodies, goals := m.bodyProbes(m.anchor), m.bodyProbes(m.bodies...), m.relative(m.bodies)
	all := quantity{name: "motion errors of " + m.name, size: len(names), compute: func(v *View, dst []float64) {
		clear(dst)
		k := m.currentFrame(v)
		p, q, linear, angular := m.clip.Body(k, m.anchor)
		u := v.probe(anchor.velocity[0])
		dst[0] = distance(p, v.probe(anchor.position[0]))
		dst[1] = rotationAngle(q, v.probe(anchor.quaternion[0]))
		dst[2], dst[3] = distance(linear, u), distance(angular, u[3:])
		share := 1 / float64(len(m.bodies))
		for n, i := range m.bodies {
			world, _, linear, angular := m.clip.Body(k, i)
			p, u, goal := v.probe(bodies.position[n]), v.probe(bodies.velocity[n]), v.Values(goals)[7*n:]
			dst[4] += float64(share * distance(goal, p))
			dst[5] += float64(share * rotationAngle(goal[3:7], v.probe(bodies.quaternion[n])))
			dst[6] += float64(share * distance(linear, u))
			dst[7] += float64(share * distance(angular, u[3:]))
			dst[10] += float64(share * distance(world, p))
		}
		position, velocity := m.clip.Joint(k)
		state := v.State()
		for i, j := range m.robot.Joints {
			dst[8] += square(position[i] - state[j.Position])
			dst[9] += square(velocity[i] - state[j.Velocity])
		}
		dst[8], dst[9] = math.Sqrt(dst[8]), math.Sqrt(dst[9])
		dst[11], dst[12] = v.Slot(m.start)[0], v.Slot(m.entropy)[0]
	}}
	return m.b.use(m.b.add(all)), labels(m.name+"/", names, "")
}
