package terms

import (
	"math"
	"math/rand/v2"

	"github.com/polyrhythm-rl/polyrhythm/sim"
)

type liftingParameters struct {
	// SuccessThreshold is the distance from the target within which the object is at its goal, m.
	SuccessThreshold float64 `yaml:"success_threshold" want:"above 0..1e9"`
	// Difficulty is fixed, with the target at (0.4, 0, 0.3), or dynamic, with one that is drawn.
	Difficulty string `yaml:"difficulty" want:"fixed|dynamic"`
	// TargetPosition holds the ranges of the target with difficulty dynamic, m.
	TargetPosition pointParameters `yaml:"target_position_range"`
	// ObjectPose holds the ranges of where the object begins, m, and of its yaw, rad; it begins where start and events
	// put it if not given.
	ObjectPose *objectPoseParameters `yaml:"object_pose_range"`
}

type objectPoseParameters struct {
	pointParameters `yaml:",inline"`
	// Yaw is the range of the turn about the vertical, rad.
	Yaw Range `yaml:"yaw"`
}

// draw draws x, y, z and the yaw.
func (p *objectPoseParameters) draw(r *rand.Rand) [4]float64 {
	return [4]float64{uniform(r, p.X), uniform(r, p.Y), uniform(r, p.Z), uniform(r, p.Yaw)}
}

// dynamicTarget is the difficulty with a drawn target.
const dynamicTarget = "dynamic"

// liftingCommand commands where an object should be: a position. The object is the entity that the entry names by the
// key entity, and must move freely. As an episode begins, the object is put where object_pose_range says, at rest,
// whatever start and events say, and again with each new command within an episode: before the physics steps that follow
// the observation with the new target. Unit m, 3 values. Frame: world; on a terrain, relative to the world's patch.
//
// Infos, as command/NAME/object_height and so on: the height of the object's frame, its distance from the target as
// position_error, at_goal, which is 1 where that is less than success_threshold, and episode_success, which stays 1
// from then on until a new command is drawn.
//
// In mjlab the entity is entity_name, the object is put anew before the observation with the new target, and the default
// of object_pose_range is x [0.3, 0.35], y [-0.1, 0.1], z [0.02, 0.05] and any yaw. Isaac Lab's tasks have a
// uniform_pose command for it.
func liftingCommand(b *Binder, p *liftingParameters) *Command {
	pose, velocity := b.Base("entity")
	object, key := b.subject(), b.Key()
	succeeded := b.Memory(1)
	place := func(v *View, drawn []float64) {
		position := pose.In(v.State())
		q := eulerQuaternion(0, 0, drawn[3])
		copy(position, drawn[:3])
		copy(position[3:], q[:])
		clear(velocity.In(v.State()))
		b.moveToPatch(v, position)
	}
	var pending Slot // 1 and where the object goes before the next physics step
	if p.ObjectPose != nil {
		pending = b.Memory(5)
		b.OnReset(func(v *View) {
			drawn := p.ObjectPose.draw(v.Random(sim.Purpose(key)))
			place(v, drawn[:])
		})
		b.OnAct(func(v *View) {
			if next := v.Slot(pending); next[0] != 0 {
				next[0] = 0
				place(v, next[1:])
			}
		})
	}
	ranges := []Range{p.TargetPosition.X, p.TargetPosition.Y, p.TargetPosition.Z}
	if p.Difficulty != dynamicTarget {
		ranges = []Range{{0.4, 0.4}, {0, 0}, {0.3, 0.3}}
	}
	c := &Command{Names: []string{"x", "y", "z"}, lifted: object}
	c.Sample = func(v *View, r *rand.Rand, value []float64) {
		for i, limits := range ranges {
			value[i] = uniform(r, limits)
		}
		b.moveToPatch(v, value)
		v.Slot(succeeded)[0] = 0
		if p.ObjectPose != nil && v.NS() > 0 {
			next, drawn := v.Slot(pending), p.ObjectPose.draw(r)
			next[0] = 1
			copy(next[1:], drawn[:])
		}
	}
	c.Bounds = func() (low, high []float64) {
		for _, limits := range ranges {
			low, high = append(low, limits[0]), append(high, limits[1])
		}
		return low, high
	}
	reach := func(v *View) (height, separation float64) {
		position := pose.In(v.State())
		return position[2], distance(position[:3], v.Slot(c.value))
	}
	b.OnStep(func(v *View) {
		if _, distance := reach(v); distance < p.SuccessThreshold {
			v.Slot(succeeded)[0] = 1
		}
	})
	c.infos = func() (Handle, []string) {
		names := labels("command/"+c.Name+"/", []string{"object_height", "position_error", "at_goal", "episode_success"}, "")
		return b.use(b.add(quantity{name: "metrics of " + c.Name, size: len(names), compute: func(v *View, dst []float64) {
			dst[0], dst[1] = reach(v)
			dst[2] = truth(dst[1] < p.SuccessThreshold)
			dst[3] = max(dst[2], v.Slot(succeeded)[0]) // which does not count this step yet
		}})), names
	}
	return c
}

// lifting returns a lifting command by its entry's name: where its object is, and its value.
func (b *Binder) lifting(name string) (object, target Handle) {
	target = b.Command("command", name, 3)
	c := b.commands[name]
	if b.err != nil || c.lifted == nil {
		b.Fail("command", "is %s, want a lifting_command", name)
		return target, target
	}
	return b.Quantity(c.lifted.quantity("base_pos")), target
}

type liftParameters struct {
	// Command is the name of a lifting_command, whose object counts.
	Command string `yaml:"command"`
}

type siteParameters struct {
	// Site is the name of a site of the robot: its end effector.
	Site string `yaml:"site"`
}

type reachParameters struct {
	liftParameters `yaml:",inline"`
	siteParameters `yaml:",inline"`
}

// site returns the position, m, and the matrix by rows of a site, in the world.
func (b *Binder) site(name string) (position, matrix Handle) {
	b.One("site", "site", name)
	if b.err != nil {
		return b.nothing(3), b.nothing(9)
	}
	return b.Quantity("site." + name + ".position"), b.probeValues("site/"+name+"/matrix", 9)
}

// observeVector returns an observation: the vector from one position to another, in the frame of the robot's base.
func (b *Binder) observeVector(name string, start, end Handle) *Observation {
	_, turn := b.rootPose()
	return &Observation{Names: labels(name, axisSuffixes, ""), Read: func(v *View, dst []float64) {
		d := difference(v.Values(end), v.Values(start))
		rotateInverse(dst, [4]float64(v.Values(turn)), d[:])
	}}
}

// eeToObjectDistance is the vector from the end effector to the object of a lifting_command. Unit m. Frame: that of
// the robot's base. mjlab has the same, with the name of the object.
func eeToObjectDistance(b *Binder, p *reachParameters) *Observation {
	object, _ := b.lifting(p.Command)
	site, _ := b.site(p.Site)
	return b.observeVector("ee_to_object", site, object)
}

// objectToGoalDistance is the vector from the object of a lifting_command to its target. Unit m. Frame: that of the
// robot's base. mjlab has the same, with the name of the object.
func objectToGoalDistance(b *Binder, p *liftParameters) *Observation {
	object, target := b.lifting(p.Command)
	return b.observeVector("object_to_goal", object, target)
}

// targetPosition is the vector from the end effector to the target of a lifting_command. Unit m. Frame: that of the
// site. The same in mjlab.
func targetPosition(b *Binder, p *reachParameters) *Observation {
	_, target := b.lifting(p.Command)
	site, matrix := b.site(p.Site)
	return &Observation{Names: labels("target_position", axisSuffixes, ""), Read: func(v *View, dst []float64) {
		d := difference(v.Values(target), v.Values(site))
		rotateToSite(dst, v.Values(matrix), d[:])
	}}
}

// eeVelocity is the velocity of a site. Unit m/s. Frame: that of the site. The same in mjlab.
func eeVelocity(b *Binder, p *siteParameters) *Observation {
	_, matrix := b.site(p.Site)
	velocity := b.nothing(6)
	if b.err == nil {
		velocity = b.Quantity("site." + p.Site + ".velocity")
	}
	return &Observation{Names: labels("ee_velocity", axisSuffixes, ""), Read: func(v *View, dst []float64) {
		rotateToSite(dst, v.Values(matrix), v.Values(velocity))
	}}
}

// rotateToSite rotates a vector of the world into the frame whose axes are the columns of a matrix.
func rotateToSite(dst, matrix, u []float64) {
	for i := range 3 {
		dst[i] = float64(matrix[i]*u[0]) + float64(matrix[3+i]*u[1]) + float64(matrix[6+i]*u[2])
	}
}

type stagedParameters struct {
	reachParameters `yaml:",inline"`
	// ReachingStd is the distance between end effector and object at which the first factor falls to 1/e, m.
	ReachingStd float64 `yaml:"reaching_std" want:"above 0..1e9"`
	// BringingStd is the distance between object and target at which bringing falls to 1/e, m.
	BringingStd float64 `yaml:"bringing_std" want:"above 0..1e9"`
}

// stagedPositionReward rewards reaching an object, and once that is reached bringing it to the target of a
// lifting_command:
//
//	exp(-|e - o|² / reaching_std²)·(1 + exp(-|o - c|² / bringing_std²))
//
// e is the end effector, o the object and c the target. Unit 1, 0 to 2. mjlab has the same; Isaac Lab's lifting task
// adds three rewards for it.
func stagedPositionReward(b *Binder, p *stagedParameters) RewardFunc {
	object, target := b.lifting(p.Command)
	site, _ := b.site(p.Site)
	return func(v *View) float64 {
		o := v.Values(object)
		bringing := closeness(o, v.Values(target), p.BringingStd)
		return float64(closeness(v.Values(site), o, p.ReachingStd) * (1 + bringing))
	}
}

// closeness is exp(-|a - b|² / std²).
func closeness(a, b []float64, std float64) float64 { return math.Exp(-square(distance(a, b) / std)) }

type bringParameters struct {
	liftParameters `yaml:",inline"`
	// Std is the distance at which the reward falls to 1/e, m.
	Std float64 `yaml:"std" want:"above 0..1e9"`
}

// bringObjectReward rewards the object of a lifting_command for being at the target:
//
//	exp(-|o - c|² / std²)
//
// o is the object and c the target. Unit 1, 0 to 1. The same in mjlab; Isaac Lab has object_goal_distance, with a tanh
// and a height from which it counts.
func bringObjectReward(b *Binder, p *bringParameters) RewardFunc {
	object, target := b.lifting(p.Command)
	return func(v *View) float64 { return closeness(v.Values(object), v.Values(target), p.Std) }
}
