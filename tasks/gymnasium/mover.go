package gymnasium

import (
	"fmt"
	"math"
	"slices"

	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// mover is a task whose robot moves away from where it begins, rewarded for its speed along x and for being healthy,
// less the costs of its torques and of contacts. Its parts depend on the task.
type mover struct {
	robot
	weight   float64 // weight of the speed
	costs    float64 // weight of the torques
	health   health
	place    int        // coordinates that say where the robot is: x, or x and y
	cut      float64    // largest velocity in the observation
	forces   [2]float64 // limits of observed forces
	observed []physics.Span
	tendons  [2]physics.Span // lengths and velocities

	position func(w *sim.World) [2]float64   // place of what moves, x and y, m; its speed is rewarded
	healthy  func(qpos, qvel []float64) bool // nil: there is no bonus
	contact  func(w *sim.World) float64      // cost; nil: none
	torques  func(w *sim.World) float64      // cost
	infos    []int                           // parts of the info
	reset    int                             // how many of infos there are at a reset
}

// unlimited is a range that everything finite is in.
var unlimited = [2]float64{math.Inf(-1), math.Inf(1)}

func inside(v float64, limits [2]float64) bool { return limits[0] < v && v < limits[1] }

// infoValues are the values that a task may tell of a step: those of infoNames, in this order.
type infoValues [tendonValues]float64

const (
	xPosition = iota
	yPosition
	zDistance
	distance
	xVelocity
	yVelocity
	rewardForward
	rewardCtrl
	rewardContact
	rewardSurvive
	rewardLinup
	rewardQuadctrl
	rewardImpact
	tendonValues // lengths and velocities of all tendons
)

var infoNames = [...]string{
	"x_position", "y_position", "z_distance_from_origin", "distance_from_origin", "x_velocity", "y_velocity",
	"reward_forward", "reward_ctrl", "reward_contact", "reward_survive", "reward_linup", "reward_quadctrl",
	"reward_impact",
}

// bind fills in t as [robot.bind] does. The observation is that of the coordinates, to which a task may add.
func (t *mover) bind(m physics.Model, name string, dt float64, nq, nv int, b base, place int) *needs {
	n := t.robot.bind(m, name, dt, nq, nv)
	n.noise(b.ResetNoiseScale)
	t.costs, t.place, t.cut, t.forces = b.CtrlCostWeight, place, math.Inf(1), unlimited
	if b.ExcludeCurrentPositionsFromObservation {
		t.hidden = place
	}
	t.spec.ObservationSize = t.qpos.Len - t.hidden + t.qvel.Len
	t.spec.MemorySize = place // at the last control instant
	t.position = func(w *sim.World) (position [2]float64) {
		copy(position[:place], t.qpos.In(w.State()))
		return position
	}
	t.torques = func(w *sim.World) float64 {
		action, _, _ := w.Action()
		return actionCost(t.costs, action)
	}
	return n
}

// report lists the parts of info. The first ones are there at a reset.
func (t *mover) report(reset int, parts ...int) {
	t.infos, t.reset = parts, reset
	for i, k := range parts {
		if k == tendonValues {
			t.spec.InfoNames = append(t.spec.InfoNames, vector("tendon_length", t.tendons[0].Len)...)
			t.spec.InfoNames = append(t.spec.InfoNames, vector("tendon_velocity", t.tendons[1].Len)...)
		} else {
			t.spec.InfoNames = append(t.spec.InfoNames, infoNames[k])
		}
		if i == reset-1 {
			t.spec.ResetInfoNames = slices.Clone(t.spec.InfoNames)
		}
	}
}

// write writes parts of info: where the robot is, and v.
func (t *mover) write(w *sim.World, parts []int, v infoValues) {
	qpos, info := t.qpos.In(w.State()), w.Info()
	v[xPosition] = qpos[0]
	if t.place == 2 {
		v[yPosition], v[distance] = qpos[1], norm(qpos[:2]...)
	}
	if len(qpos) > t.place {
		v[zDistance] = qpos[t.place] - t.initial[t.place]
	}
	for _, k := range parts {
		if k < tendonValues {
			info[0] = v[k]
			info = info[1:]
			continue
		}
		for _, span := range t.tendons {
			info = info[copy(info, span.In(w.Derived())):]
		}
	}
}

// Observe is the positions, without where the robot is unless that is asked for, the
// velocities, and values of the engine.
func (t *mover) Observe(w *sim.World, dst []float64) {
	if w.Steps() == 0 {
		if position := t.position(w); len(w.Memory()) > 0 {
			copy(w.Memory(), position[:])
		}
		t.write(w, t.infos[:t.reset], infoValues{})
	}
	velocities, rest := t.observe(w, dst)
	if !math.IsInf(t.cut, 1) {
		clipTo(velocities, [2]float64{-t.cut, t.cut})
	}
	for _, span := range t.observed {
		n := copy(rest, span.In(w.Derived()))
		if t.forces != unlimited {
			clipTo(rest[:n], t.forces)
		}
		rest = rest[n:]
	}
}

// Reward is the mean forward velocity over the step and a bonus while healthy, less the costs.
func (t *mover) Reward(w *sim.World) (reward float64, terminated bool) {
	var v infoValues
	before, dt := w.Memory(), t.step(w)
	position := t.position(w)
	for i := range before {
		v[xVelocity+i] = (position[i] - before[i]) / dt
		before[i] = position[i]
	}
	v[rewardForward] = float64(t.weight * v[xVelocity])
	reward = v[rewardForward]
	if t.healthy != nil {
		if t.healthy(t.coordinates(w)) {
			v[rewardSurvive] = t.health.HealthyReward
		} else {
			terminated = t.health.TerminateWhenUnhealthy
		}
		reward += v[rewardSurvive]
	}
	cost := t.torques(w)
	v[rewardCtrl] = -cost
	if t.contact != nil {
		contact := t.contact(w)
		v[rewardContact] = -contact
		cost += contact
	}
	t.write(w, t.infos, v)
	return reward - cost, terminated
}

// newHalfCheetah makes HalfCheetah-v5, a planar two-legged runner. It never terminates.
func newHalfCheetah(m physics.Model, name string, dt float64, opt runOptions) (sim.Task, error) {
	t := &mover{weight: opt.ForwardRewardWeight}
	n := t.bind(m, name, dt, 1, 1, opt.base, 1)
	t.normal = true
	t.report(1, xPosition, xVelocity, rewardForward, rewardCtrl)
	return t, n.err
}

// newSwimmer makes Swimmer-v5, a chain of links in a viscous fluid. It never terminates.
func newSwimmer(m physics.Model, name string, dt float64, opt runOptions) (sim.Task, error) {
	t := &mover{weight: opt.ForwardRewardWeight}
	n := t.bind(m, name, dt, 2, 1, opt.base, 2)
	t.report(3, xPosition, yPosition, distance, xVelocity, yVelocity, rewardForward, rewardCtrl)
	return t, n.err
}

// newWalker2d makes Walker2d-v5, a walker of two legs in a vertical plane.
func newWalker2d(m physics.Model, name string, dt float64, opt walkerOptions) (sim.Task, error) {
	return newHopper(m, name, dt, hopperOptions{opt, unlimited})
}

// newHopper makes Hopper-v5, a walker of one leg in a vertical plane: x, height and pitch of
// its torso are the first coordinates. It is healthy while height, pitch and, of a hopper,
// every coordinate from the pitch on are within their ranges.
func newHopper(m physics.Model, name string, dt float64, opt hopperOptions) (sim.Task, error) {
	t := &mover{weight: opt.ForwardRewardWeight, health: opt.health}
	n := t.bind(m, name, dt, 3, 1, opt.base, 1)
	t.cut = 10 // m/s or rad/s
	t.healthy = func(qpos, qvel []float64) bool {
		wild := func(v float64) bool { return !inside(v, opt.HealthyStateRange) }
		return !slices.ContainsFunc(qpos[2:], wild) && !slices.ContainsFunc(qvel, wild) &&
			inside(qpos[1], opt.HealthyZRange) && inside(qpos[2], opt.HealthyAngleRange)
	}
	t.report(2, xPosition, zDistance, xVelocity, rewardForward, rewardCtrl, rewardSurvive)
	return t, n.err
}

// newAnt makes Ant-v5, a torso on four legs, rewarded for the speed of its main body.
func newAnt(m physics.Model, name string, dt float64, opt antOptions) (sim.Task, error) {
	t := &mover{weight: opt.ForwardRewardWeight, health: opt.health}
	n := t.bind(m, name, dt, 3, 1, opt.base, 2)
	t.normal, t.forces = true, opt.ContactForceRange
	main := n.bodyOption("main_body", opt.MainBody)
	contacts := n.derived("cfrc_ext")
	if opt.IncludeCfrcExtInObservation {
		t.include(contacts, forces)
	}
	t.position = func(w *sim.World) [2]float64 { return [2]float64(main.In(w.Derived())) }
	t.healthy = func(qpos, _ []float64) bool {
		return opt.HealthyZRange[0] <= qpos[2] && qpos[2] <= opt.HealthyZRange[1]
	}
	t.contact = func(w *sim.World) float64 {
		return float64(opt.ContactCostWeight * sum(contacts.In(w.Derived()), func(f float64) float64 {
			f = clamp(f, opt.ContactForceRange)
			return float64(f * f)
		}))
	}
	t.report(3, xPosition, yPosition, distance,
		xVelocity, yVelocity, rewardForward, rewardCtrl, rewardContact, rewardSurvive)
	return t, n.err
}

// bodyOption asks for the position of the body that an option gives by its number or its name.
func (n *needs) bodyOption(option string, which any) physics.Span {
	switch which := which.(type) {
	case string:
		return n.body(which)
	case int:
		all := n.derived("xpos")
		if which >= 0 && 3*which < all.Len {
			return physics.Span{Offset: all.Offset + 3*which, Len: 3}
		}
		n.fail(fmt.Errorf("%s is %d, want a body's name or its number, below %d", option, which, all.Len/3))
	default:
		n.fail(fmt.Errorf("%s is %v, want a body's name or its number", option, which))
	}
	return physics.Span{}
}

func (t *mover) include(span physics.Span, skip int) {
	if span.Len >= skip {
		span = physics.Span{Offset: span.Offset + skip, Len: span.Len - skip}
		t.observed = append(t.observed, span)
		t.spec.ObservationSize += span.Len
	}
}

// humanoid fills in what Humanoid-v5 and HumanoidStandup-v5 have in common. The observation
// adds, unless told otherwise, inertia and velocity of each body but the world, then the
// forces of the motors but on the torso's free joint, then the contact forces on each body.
func (t *mover) humanoid(m physics.Model, name string, dt float64, b base, include body,
	weight float64, limits [2]float64) *needs {
	n := t.bind(m, name, dt, 3, 6, b, 2)
	wanted := [...]bool{include.IncludeCinertInObservation, include.IncludeCvelInObservation,
		include.IncludeQfrcActuatorInObservation, include.IncludeCfrcExtInObservation}
	skip := [...]int{10, 6, 6, forces}
	var impacts physics.Span
	for i, source := range []string{"cinert", "cvel", "qfrc_actuator", "cfrc_ext"} {
		if impacts = n.derived(source); wanted[i] {
			t.include(impacts, skip[i])
		}
	}
	t.tendons = [2]physics.Span{n.derived("ten_length"), n.derived("ten_velocity")}
	t.contact = func(w *sim.World) float64 {
		return clamp(float64(weight*squares(impacts.In(w.Derived()))), limits)
	}
	t.torques = func(w *sim.World) float64 { return float64(t.costs * squares(w.Control())) }
	return n
}

// newHumanoid makes Humanoid-v5, a body on two legs, rewarded for the speed of its centre of mass.
func newHumanoid(m physics.Model, name string, dt float64, opt humanoidOptions) (sim.Task, error) {
	t := &mover{weight: opt.ForwardRewardWeight, health: opt.health}
	n := t.humanoid(m, name, dt, opt.base, opt.body, opt.ContactCostWeight, opt.ContactCostRange)
	centres, masses := n.derived("xipos"), n.constant("body_mass")
	total := sum(masses, func(m float64) float64 { return m })
	t.position = func(w *sim.World) [2]float64 {
		x, y, centre := 0.0, 0.0, centres.In(w.Derived())
		for i, m := range masses {
			x += float64(m * centre[3*i])
			y += float64(m * centre[3*i+1])
		}
		return [2]float64{x / total, y / total}
	}
	t.healthy = func(qpos, _ []float64) bool { return inside(qpos[2], opt.HealthyZRange) }
	t.report(4, xPosition, yPosition, tendonValues, distance,
		xVelocity, yVelocity, rewardSurvive, rewardForward, rewardCtrl, rewardContact)
	return t, n.err
}

// standup is HumanoidStandup-v5: a body that lies on its back, rewarded for the height of its
// torso, less the costs of torques and of impacts. It never terminates.
type standup struct{ mover }

func newHumanoidStandup(m physics.Model, name string, dt float64, opt standupOptions) (sim.Task, error) {
	t := &standup{}
	n := t.humanoid(m, name, dt, opt.base, opt.body, opt.ImpactCostWeight, opt.ImpactCostRange)
	t.spec.MemorySize = 0
	t.report(4, xPosition, yPosition, zDistance, tendonValues, rewardLinup, rewardQuadctrl, rewardImpact)
	return t, n.err
}

// Reward is the torso's height over the length of a physics step and 1, less the costs.
func (t *standup) Reward(w *sim.World) (reward float64, terminated bool) {
	up, ctrl, impact := t.qpos.In(w.State())[2]/t.timestep, t.torques(w), t.contact(w)
	t.write(w, t.infos, infoValues{rewardLinup: up, rewardQuadctrl: -ctrl, rewardImpact: -impact})
	return up - ctrl - impact + 1, false
}
