package terms

import (
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/internal/bounds"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/tasks/internal/rotation"
)

// eventTerms are the terms of events that change the state, the memory or the forces of a world, in the order of the
// page; [fields] follow.
var eventTerms = []Term{
	term("reset_root_state_uniform", resetRootStateUniform, rootStateParameters{}),
	term("reset_root_state_from_flat_patches", resetRootStateFromFlatPatches, rootStateParameters{}),
	term("reset_joints_by_offset", resetJointsByOffset, jointOffsetParameters{SoftLimitFactor: 1}),
	term("reset_joints_by_scale", resetJointsByScale, jointScaleParameters{SoftLimitFactor: 1}),
	term("push_by_setting_velocity", pushBySettingVelocity, pushParameters{}),
	term("apply_external_force_torque", applyExternalForceTorque, wrenchParameters{}),
	markLasting(term("apply_body_impulse", applyBodyImpulse, impulseParameters{})),
	term("encoder_bias", encoderBias, biasParameters{}),
}

// ActsAtStart reports whether all that an event does is in the state with which an episode
// begins: it does not happen during episodes, and gives worlds no parameters of their own.
func (p *Parsed) ActsAtStart() bool { return !p.row.lasts && p.Common.(*EventKeys).Mode != Interval }

type rootStateParameters struct {
	// Pose holds ranges that are added to the start pose: x, y, z in m, roll, pitch, yaw in rad.
	Pose offsetParameters `yaml:"pose_range"`
	// Velocity holds ranges that are added to the start velocity: x, y, z in m/s, roll,
	// pitch, yaw in rad/s, along the axes of the world.
	Velocity offsetParameters `yaml:"velocity_range"`
}

// offsetParameters are the ranges of the axes of a pose or a velocity; nil of one that stays as it is.
type offsetParameters struct {
	// X is the range along x.
	X *Range `yaml:"x"`
	// Y is the range along y.
	Y *Range `yaml:"y"`
	// Z is the range along z.
	Z *Range `yaml:"z"`
	// Roll is the range about x.
	Roll *Range `yaml:"roll"`
	// Pitch is the range about y.
	Pitch *Range `yaml:"pitch"`
	// Yaw is the range about z.
	Yaw *Range `yaml:"yaw"`
}

func (p *offsetParameters) ranges() []*Range { return []*Range{p.X, p.Y, p.Z, p.Roll, p.Pitch, p.Yaw} }

type pointParameters struct {
	// X is the range along x.
	X Range `yaml:"x"`
	// Y is the range along y.
	Y Range `yaml:"y"`
	// Z is the range along z.
	Z Range `yaml:"z"`
}

type axesParameters struct {
	pointParameters `yaml:",inline"`
	// Roll is the range about x.
	Roll Range `yaml:"roll"`
	// Pitch is the range about y.
	Pitch Range `yaml:"pitch"`
	// Yaw is the range about z.
	Yaw Range `yaml:"yaw"`
}

// draw draws a value for each axis.
func (a *axesParameters) draw(r *rand.Rand) (linear, angular [3]float64) {
	linear = [3]float64{uniform(r, a.X), uniform(r, a.Y), uniform(r, a.Z)}
	return linear, [3]float64{uniform(r, a.Roll), uniform(r, a.Pitch), uniform(r, a.Yaw)}
}

// resetRootStateUniform puts the base near its start pose and gives it a velocity. Each
// value is drawn evenly from its range:
//
//	p = p_start + (x, y, z)    q = q_start·q(roll, pitch, yaw)
//	v = v_start + (x, y, z)    ω = ω_start + (roll, pitch, yaw)
//
// A number without a range is the one that an entry before it has drawn in this episode, or else 0. Without any range
// of the pose or of the velocity, this stays as it is. On a terrain the start is that on the world's patch, and as high
// above the highest ground within 0.4 m. Unit m, rad, m/s and rad/s. Frame: positions and velocities are along the axes
// of the world, the turn is about those of the base. The same in both peers, where a number without a range is 0.
func resetRootStateUniform(b *Binder, p *rootStateParameters) EventFunc {
	return b.resetRoot(p, slices.ContainsFunc(p.Pose.ranges(), isGiven))
}

func isGiven(r *Range) bool { return r != nil }

// resetRoot returns an event that writes the pose of a base, if wanted, and its velocity, if it has ranges.
func (b *Binder) resetRoot(p *rootStateParameters, writesPose bool) EventFunc {
	pose, velocity := b.Base("")
	startPose, startVelocity := pose.In(b.Robot.Start), velocity.In(b.Robot.Start)
	moves, pushes := p.Pose.ranges(), p.Velocity.ranges()
	writesVelocity := slices.ContainsFunc(pushes, isGiven)
	base := "base of " + b.subject().String()
	keptMoves, keptPushes := b.keep("pose of the "+base, 6), b.keep("velocity of the "+base, 6)
	for i, axis := range []string{"x", "y", "z", "roll", "pitch", "yaw"} {
		if isGiven(moves[i]) {
			b.writes(axis + " of the " + base)
		}
		if isGiven(pushes[i]) {
			b.writes("velocity " + axis + " of the " + base)
		}
	}
	return func(v *View, r *rand.Rand) {
		position, u := pose.In(v.State()), velocity.In(v.State())
		var move, push [6]float64
		drawOffsets(v, r, moves, keptMoves, move[:])
		drawOffsets(v, r, pushes, keptPushes, push[:])
		if writesPose {
			copy(position, startPose)
			for i := range 3 {
				position[i] += move[i]
			}
			b.moveToPatch(v, position)
			q := rotation.Product([4]float64(startPose[3:7]), eulerQuaternion(move[3], move[4], move[5]))
			copy(position[3:], q[:])
		}
		// the angular velocity is along the axes of the base, which turn with it
		if writesVelocity || writesPose && keptPushes != nil {
			copy(u, startVelocity)
			for i := range 3 {
				u[i] += push[i]
			}
			addAngular(u[3:6], [4]float64(position[3:7]), [3]float64(push[3:]))
		}
	}
}

// drawOffsets draws a number evenly from each range that is given. Another is what an entry before has drawn, where these
// numbers are kept, or 0. What is drawn from a range does not depend on which are given.
func drawOffsets(v *View, r *rand.Rand, ranges []*Range, kept *Slot, dst []float64) {
	for i, limits := range ranges {
		if limits != nil {
			dst[i] = uniform(r, *limits)
			continue
		}
		r.Float64()
		dst[i] = 0
		if kept != nil {
			dst[i] = v.Slot(*kept)[i]
		}
	}
	if kept != nil {
		copy(v.Slot(*kept), dst)
	}
}

// addAngular adds an angular velocity along the axes of the world to that of a body with
// the orientation q, which is along its own.
func addAngular(velocity []float64, q [4]float64, angular [3]float64) {
	var local [3]float64
	rotateInverse(local[:], normalize(q[:]), angular[:])
	for i, w := range local {
		velocity[i] += w
	}
}

// resetRootStateFromFlatPatches puts the base on one of the flat places of the world's patch, each as likely, and
// gives it a velocity:
//
//	p = p_start + place + (x, y, z)    q = q_start·q(roll, pitch, yaw)
//	v = v_start + (x, y, z)    ω = ω_start + (roll, pitch, yaw)
//
// scene.terrain.flat_patches says which places are flat; a patch without any has its start. The pose is always written;
// numbers without a range are as in reset_root_state_uniform. Unit m, rad, m/s and rad/s. Frame: positions and
// velocities are along the axes of the world, the turn is about those of the base. The same in mjlab.
func resetRootStateFromFlatPatches(b *Binder, p *rootStateParameters) EventFunc {
	ground := b.needGround()
	pose, _ := b.Base("")
	uniform := b.resetRoot(p, true)
	return func(v *View, r *rand.Rand) {
		patch := v.patch(ground)
		place := patch.Origin
		if n := len(patch.Flat); n > 0 {
			place = patch.Flat[r.IntN(n)]
		}
		uniform(v, r)
		position := pose.In(v.State())
		previous := ground.Highest(position[0], position[1], startReach)
		for i := range 2 {
			position[i] += place[i] - patch.Origin[i]
		}
		position[2] += ground.Highest(position[0], position[1], startReach) - previous
	}
}

type pushParameters struct {
	// Velocity holds ranges of what is added to the velocity: x, y, z in m/s, roll, pitch,
	// yaw in rad/s, along the axes of the world.
	Velocity axesParameters `yaml:"velocity_range"`
}

// pushBySettingVelocity pushes the base: it adds a velocity, whatever the masses are. Each
// value is drawn evenly from its range:
//
//	v += (x, y, z)    ω += (roll, pitch, yaw)
//
// Unit m/s and rad/s. Frame: world. The same in both peers; mode is usually interval.
func pushBySettingVelocity(b *Binder, p *pushParameters) EventFunc {
	pose, velocity := b.Base("")
	return func(v *View, r *rand.Rand) {
		u := velocity.In(v.State())
		linear, angular := p.Velocity.draw(r)
		for i, x := range linear {
			u[i] += x
		}
		addAngular(u[3:6], [4]float64(pose.In(v.State())[3:7]), angular)
	}
}

type jointOffsetParameters struct {
	jointParameters `yaml:",inline"`
	// Position is the range of what is added to the start position, rad or m; without it positions stay as they are.
	Position *Range `yaml:"position_range"`
	// Velocity is the range of what is added to the start velocity, rad/s or m/s; without it velocities stay as they are.
	Velocity *Range `yaml:"velocity_range"`
	// SoftLimitFactor is the share of the range of each joint, about its middle, within
	// which positions are drawn, of 1.
	SoftLimitFactor float64 `yaml:"soft_joint_pos_limit_factor" want:"above 0..1"`
}

// resetJointsByOffset puts the joints near their start positions and moves them. For each
// joint, two values are drawn evenly from the ranges:
//
//	q = clamp(q_start + position, low, high)    q̇ = q̇_start + velocity
//
// low and high are the limits of the joint, if it has any. Unit rad and rad/s, or m and
// m/s. The same in both peers, where a missing range is [0, 0]; Isaac Lab also bounds the velocity.
func resetJointsByOffset(b *Binder, p *jointOffsetParameters) EventFunc {
	add := func(start, drawn float64) float64 { return start + drawn }
	return b.joltJoints(p.Joints, p.SoftLimitFactor, p.Position, p.Velocity, add)
}

// joltJoints returns an event that gives each joint, from its start and a value drawn from a range, a position, within
// its narrowed limits, and a velocity; nil: it leaves that as it is.
func (b *Binder) joltJoints(patterns Patterns, factor float64, position, velocity *Range,
	combine func(start, drawn float64) float64,
) EventFunc {
	joints := b.Joints("joints", patterns)
	low, high := b.narrowLimits(joints, factor)
	start, ranges := b.Robot.Start, []*Range{position, velocity}
	for _, name := range b.jointNames(joints) {
		for i, what := range []string{"position", "velocity"} {
			if isGiven(ranges[i]) {
				b.writes(what + " of joint " + name)
			}
		}
	}
	return func(v *View, r *rand.Rand) {
		state := v.State()
		for n, i := range joints {
			q, u := b.Robot.Joints[i].Position.Offset, b.Robot.Joints[i].Velocity.Offset
			var drawn [2]float64
			drawOffsets(v, r, ranges, nil, drawn[:])
			if position != nil {
				state[q] = min(max(combine(start[q], drawn[0]), low[n]), high[n])
			}
			if velocity != nil {
				state[u] = combine(start[u], drawn[1])
			}
		}
	}
}

// resetJointsByScale puts the joints near their start positions and moves them. For each joint, two factors are drawn
// evenly from the ranges:
//
//	q = clamp(q_start·position, low, high)    q̇ = q̇_start·velocity
//
// low and high are the limits of the joint, if it has any. Unit 1. Isaac Lab has the same, and also bounds the
// velocity; mjlab has no such term.
func resetJointsByScale(b *Binder, p *jointScaleParameters) EventFunc {
	multiply := func(start, drawn float64) float64 { return start * drawn }
	return b.joltJoints(p.Joints, p.SoftLimitFactor, p.Position, p.Velocity, multiply)
}

type jointScaleParameters struct {
	jointParameters `yaml:",inline"`
	// Position is the range of the factor of the start position; without it positions stay as they are.
	Position *Range `yaml:"position_range"`
	// Velocity is the range of the factor of the start velocity; without it velocities stay as they are.
	Velocity *Range `yaml:"velocity_range"`
	// SoftLimitFactor is the share of the range of each joint, about its middle, within
	// which positions are drawn, of 1.
	SoftLimitFactor float64 `yaml:"soft_joint_pos_limit_factor" want:"above 0..1"`
}

type wrenchParameters struct {
	// Bodies are patterns of body names; the base, which must move freely, if not given.
	Bodies Patterns `yaml:"bodies"`
	// Force is the range of each component of the force, N; without it the force stays as it is.
	Force *Range `yaml:"force_range"`
	// Torque is the range of each component of the torque, N·m; without it the torque stays as it is.
	Torque *Range `yaml:"torque_range"`
}

// applyExternalForceTorque pulls and turns each of the bodies at its centre of mass until it happens again, or to the
// end of the episode. Each of the six components is drawn evenly from its range. Unit N and N·m. Frame: world. mjlab
// has the same; Isaac Lab's force is along the axes of the body unless is_global is set.
func applyExternalForceTorque(b *Binder, p *wrenchParameters) EventFunc {
	wrenches, names := b.wrenches(p.Bodies)
	p.note(b, names)
	return func(v *View, r *rand.Rand) {
		for _, span := range wrenches {
			p.draw(span.In(v.State()), r)
		}
	}
}

// note notes what the event writes.
func (p *wrenchParameters) note(b *Binder, bodies []string) {
	for _, name := range bodies {
		if p.Force != nil {
			b.writes("force on body " + name)
		}
		if p.Torque != nil {
			b.writes("torque on body " + name)
		}
	}
}

// draw draws a wrench.
func (p *wrenchParameters) draw(wrench []float64, r *rand.Rand) {
	for i := range wrench {
		if limits := [2]*Range{p.Force, p.Torque}[i/3]; limits != nil {
			wrench[i] = uniform(r, *limits)
		} else {
			r.Float64() // the other numbers do not depend on which are given
		}
	}
}

// wrenches returns where the wrenches on bodies stand in the state row, and the names of the bodies.
func (b *Binder) wrenches(patterns Patterns) (spans []physics.Span, names []string) {
	if e := b.subject(); len(patterns) == 0 && e.base >= 0 {
		patterns = Patterns{regexp.QuoteMeta(b.Robot.Bodies[b.Robot.Joints[e.base].Body].Name)}
	}
	_, names = b.Select("bodies", "body", patterns)
	for _, name := range names {
		span, err := b.Robot.Model.Field("xfrc_applied/" + name)
		if err != nil {
			b.Fail("bodies", ": %w", err)
		}
		spans = append(spans, span)
	}
	return spans, names
}

type impulseParameters struct {
	wrenchParameters `yaml:",inline"`
	// Duration is the shortest and the longest time for which a body is pushed.
	Duration [2]time.Duration `yaml:"duration"`
	// Point is where the force acts, in the frame of the body, less the centre of mass, m.
	Point [3]float64 `yaml:"body_point_offset"`
}

func (p *impulseParameters) checkKeys(c *bounds.Check) {
	c.Time("duration[0]", p.Duration[0], time.Millisecond, 1e6*time.Second)
	c.Time("duration[1]", p.Duration[1], p.Duration[0], 1e6*time.Second)
	for i, x := range p.Point {
		c.Number(fmt.Sprintf("body_point_offset[%d]", i), x, -maxValue, maxValue)
	}
}

// applyBodyImpulse pulls and turns each of the bodies for a time:
//
//	F    τ + (R·body_point_offset) × F
//
// Each of the six components, and the time, is drawn evenly from its range. It ends with the first control step that
// begins after that time. Unit N and N·m. Frame: world. The mode is usually interval: the interval is from the
// beginning of one to that of the next, which ends the one before. mjlab has the same; its cooldown_s is from the end
// of one to the beginning of the next, and its duration_s is the duration. Isaac Lab has no such term.
func applyBodyImpulse(b *Binder, p *impulseParameters) EventFunc {
	wrenches, names := b.wrenches(p.Bodies)
	p.note(b, names)
	var orientations []Handle
	if p.Point != [3]float64{} {
		for _, name := range names {
			orientations = append(orientations, b.Quantity("body."+name+".quaternion"))
		}
	}
	deadline := b.Memory(1) // ns; 0 while nothing acts
	b.OnAct(func(v *View) {
		if end := &v.Slot(deadline)[0]; *end > 0 && float64(v.NS()) >= *end {
			*end = 0
			for _, span := range wrenches {
				wrench := span.In(v.State())
				if p.Force != nil {
					clear(wrench[:3])
				}
				if p.Torque != nil || orientations != nil {
					clear(wrench[3:])
				}
			}
		}
	})
	least, spread := float64(p.Duration[0]), float64(p.Duration[1]-p.Duration[0])
	return func(v *View, r *rand.Rand) {
		v.Slot(deadline)[0] = float64(v.NS()) + least + math.Floor(spread*r.Float64())
		for i, span := range wrenches {
			wrench := span.In(v.State())
			if orientations != nil {
				clear(wrench[3:]) // the torque of the force is added to that which is drawn
			}
			p.draw(wrench, r)
			if orientations != nil {
				var arm [3]float64
				rotateInverse(arm[:], rotation.Conjugate([4]float64(v.Values(orientations[i]))), p.Point[:])
				wrench[3] += float64(arm[1]*wrench[2]) - float64(arm[2]*wrench[1])
				wrench[4] += float64(arm[2]*wrench[0]) - float64(arm[0]*wrench[2])
				wrench[5] += float64(arm[0]*wrench[1]) - float64(arm[1]*wrench[0])
			}
		}
	}
}

type biasParameters struct {
	actuatedParameters `yaml:",inline"`
	// Bias is the range of what an encoder measures less what is true, rad or m.
	Bias Range `yaml:"bias_range"`
}

// encoderBias gives the encoder of each joint a bias, drawn evenly from the range: the
// observation joint_pos_rel shows q + bias, and the action joint_position regulates it.
// Unit rad or m. mjlab has the same; Isaac Lab has no such term.
func encoderBias(b *Binder, p *biasParameters) EventFunc {
	slot := b.EncoderBias()
	var index []int
	for _, j := range b.Actuated("joints", p.Joints) {
		index = append(index, slices.Index(b.actuated, j))
		b.writes("bias of the encoder of joint " + b.Robot.Joints[j].Name)
	}
	return func(v *View, r *rand.Rand) {
		bias := v.Slot(slot)
		for _, k := range index {
			bias[k] = uniform(r, p.Bias)
		}
	}
}
