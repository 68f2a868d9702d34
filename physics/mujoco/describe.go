package mujoco

// #include "shim.h"
import "C"

import (
	"math"
	"slices"
	"strings"
	"unsafe"

	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/mujoco/scene"
)

// Description lists what a model has, in the model's order: the index of a thing in its
// list is its ID in MuJoCo. Units are metres, kilograms, seconds and radians; quaternions
// are w, x, y, z. A Description is plain data, independent of the model.
//
// Each thing has a Ref, by which sources such as "body/REF/position" name it: its name, or "#ID" if it has none.
type Description struct {
	Name     string  // name of the model
	Timestep float64 // length of a physics step
	// FileTimestep is the length that the file of a scene's first model gives; 0 for a
	// model that was not compiled from a scene.
	FileTimestep float64
	TotalMass    float64 // mass of all bodies
	Gravity      [3]float64
	Physics      scene.Physics // other options in force

	// Base is the ID of the first body with a free joint that is no entity beside the robot: the robot's floating base;
	// 0, the world, if there is none.
	Base int

	PositionSize, VelocitySize, ControlSize int // numbers of values of qpos, qvel and control

	// Entities are the names of a scene's entities, the robot first: those that Entity of the things below counts.
	Entities []string

	Contacts []string // names of the pairs of sets of geoms whose contacts are measured

	Bodies    []Body // bodies; the first is the world
	Joints    []Joint
	Couplings []Coupling // that are in force at first
	Loops     []Loop     // that are in force at first
	Geoms     []Geom
	Sites     []Site
	Tendons   []Tendon
	Actuators []Actuator
	Sensors   []Sensor
	Keyframes []Keyframe
	Pairs     []Pair
	Cameras   []Fixture
	Lights    []Fixture
	Materials []Fixture
	Textures  []Fixture
}

// Body is a body of a model.
type Body struct {
	Name, Ref   string
	Entity      int
	Parent      int // ID of the parent; the world is its own parent
	Mass        float64
	SubtreeMass float64    // mass of the body and of all bodies below it
	Position    [3]float64 // position in the parent's frame
	Quaternion  [4]float64
	Centre      [3]float64 // centre of mass in the body's frame
	Root        int        // ID of the body below the world that this one hangs from; 0 for the world
	Static      bool       // it cannot move relative to the world
	Mocap       bool       // it is placed from outside
	Joints      []int      // IDs of joints
	Geoms       []int      // IDs of geoms
	Sites       []int      // IDs of sites
	Children    []int      // IDs of bodies
}

// Joint is a joint of a model.
type Joint struct {
	Name, Ref string
	Entity    int
	Type      string // "free", "ball", "slide" or "hinge"
	Body      int    // ID of the moved body

	Limited      bool
	Range        [2]float64 // ∓Inf unless Limited; of a ball joint, on its angle
	Axis, Anchor [3]float64 // in the body's frame
	Home         []float64  // position in the model's initial state
	Effort       float64    // the most torque or force of its actuators together, N·m or N; +Inf without a limit
	Inertia      float64    // kg·m² or kg that its first degree of freedom moves at first, with armature

	PositionAt, PositionSize int // place in qpos
	VelocityAt, VelocitySize int // place in qvel

	Actuators []int // IDs of the actuators that act on this joint
	Follows   bool  // a constraint makes it follow another joint, as a <mimic> of URDF does
}

// Coupling is a constraint that makes a hinge or a slide follow another, as a <mimic> of URDF does: what it is beyond
// its home is a polynomial of what its driver is beyond its own.
type Coupling struct {
	Joint, Driver int // IDs; Driver is −1 where the joint is held in place
	Polynomial    [5]float64
}

// Loop is a connect or weld constraint, which holds two bodies together beside the tree of bodies.
type Loop struct {
	Bodies [2]int // IDs
}

// Geom is a geom of a model.
type Geom struct {
	Name, Ref string
	Entity    int
	Body      int // ID of the body
	// "plane", "hfield", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh" or "sdf"
	Type                 string
	Size                 [3]float64
	Position             [3]float64 // position in the body's frame
	Quaternion           [4]float64
	BoxCentre, BoxSize   [3]float64 // centre and half sizes of the bounding box, in the geom's frame
	ConType, ConAffinity int
	Paired               bool // the file lists a contact pair with the geom
	Group                int
}

// Collides reports whether the geom can touch others, by their contact bits or as one of a pair that the file lists.
func (g *Geom) Collides() bool { return g.ConType != 0 || g.ConAffinity != 0 || g.Paired }

// Site is a site of a model.
type Site struct {
	Name, Ref string
	Entity    int
	Body      int        // ID of the body
	Position  [3]float64 // position in the body's frame

	Quaternion [4]float64
}

// Tendon is a tendon of a model.
type Tendon struct {
	Name, Ref string
	Entity    int
	Limited   bool
	Range     [2]float64 // ∓Inf unless Limited
	Joints    []int      // IDs of the joints whose positions add up to the length of a fixed tendon
	Held      bool       // a constraint that is in force at first holds its length
}

// Pair is a pair of geoms that the model lists, for contacts with a friction of their own.
type Pair struct{ Name, Ref string }

// Fixture is a camera, a light, a material or a texture.
type Fixture struct {
	Name, Ref string
	Entity    int
	Body      int  // ID of the body of a camera or a light
	Follows   bool // the camera or light is not fixed to its body, but follows its target in another way

	Sky *[2][3]float64 // of a skybox: the colours that cameras see at the zenith and the nadir, 0 to 1; nil of others
}

// The kinds of actuators.
const (
	KindPosition = scene.Position // force = KP · control − KP · length − KD · velocity
	KindVelocity = scene.Velocity // force = KD · control − KD · velocity
	KindMotor    = "motor"        // force = gain · control
	KindDCMotor  = scene.DCMotor  // as KindPosition, with the torque-speed line of a DC motor
	KindLearned  = scene.Learned  // a network computes the torque of a servo of positions, see scene.Learned
	KindMuscle   = "muscle"       // its control is an excitation, from 0 to 1
	KindGeneral  = "general"      // anything else
)

// Actuator is an actuator of a model.
type Actuator struct {
	Name, Ref string
	Entity    int

	// Kind is inferred from the gain and the bias. An actuator with an activation, as the <position> of a model with
	// a time constant has, counts as what it is in the long run, and an <intvelocity>, whose control is the speed of
	// a target, as KindGeneral; Activations is not 0 then.
	Kind        string
	Activations int

	// Transmission is "joint", "jointinparent", "slidercrank", "tendon", "site", "body" or "so3", and Target is the
	// ID of what it acts on (of a site, for slidercrank); −1 if there is none.
	Transmission string
	Target       int

	Length float64 // length of the transmission in the model's initial state: m or rad, times the gear

	Gear float64 // the first number of the gear

	// Gears are all numbers of the gear: at a site a force in N, then a torque in N·m, along its axes.
	Gears [6]float64

	Gain float64 // force per unit of control, if it is constant
	KP   float64 // stiffness, of KindPosition and KindDCMotor
	KD   float64 // damping, of KindPosition, KindVelocity and KindDCMotor

	ControlLimited bool
	ControlRange   [2]float64 // ∓Inf unless ControlLimited; of the first control
	ForceLimited   bool
	ForceRange     [2]float64 // ∓Inf unless ForceLimited

	ControlAt, ControlSize int // place in control
}

// Sensor is a sensor of a model.
type Sensor struct {
	Name, Ref string
	Type      string // MuJoCo's type, such as "gyro"
	Object    string // object at which the sensor measures, such as "site/imu"; "" for none
	Size      int
}

// Keyframe is a keyframe of a model.
type Keyframe struct {
	Name, Ref string
	Time      float64
	Position  []float64 // qpos
	Velocity  []float64 // qvel
	Control   []float64
}

// Describe returns what the model has. It may be called from any goroutine.
func (m *Model) Describe() Description {
	d := Description{
		Name:         C.GoString(m.c.names), // the first name is the model's
		Timestep:     m.timestep,
		FileTimestep: m.fileTimestep,
		TotalMass:    float64(C.mj_getTotalmass(m.c)),
		Gravity:      [3]float64{float64(m.c.opt.gravity[0]), float64(m.c.opt.gravity[1]), float64(m.c.opt.gravity[2])},
		Physics: scene.Physics{
			Cone:       scene.Cones[m.c.opt.cone],
			Impratio:   float64(m.c.opt.impratio),
			Integrator: scene.Integrators[m.c.opt.integrator],
			Solver:     scene.Solvers[m.c.opt.solver],
			Iterations: int(m.c.opt.iterations),
			LineSearch: int(m.c.opt.ls_iterations),
		},
		PositionSize: int(m.c.nq),
		VelocitySize: int(m.c.nv),
		ControlSize:  int(m.c.nu),
		Entities:     m.entities.names,
		Contacts:     m.pairs.names,
	}
	m.listBodies(&d)
	m.listJoints(&d)
	m.listGeoms(&d)
	m.listSites(&d)
	m.listTendons(&d)
	m.holdTendons(&d)
	m.listFixtures(&d)
	m.listActuators(&d)
	m.listSensors(&d)
	m.listKeyframes(&d)
	return d
}

func (m *Model) names(kind C.int, id int) (name, ref string) {
	return m.name(kind, id), m.label(kind, id)
}

// valueAt returns value i of an array of the model.
func valueAt[T any](p *T, i int) T { return unsafe.Slice(p, i+1)[i] }

func id(p *C.int, i int) int { return int(valueAt(p, i)) }

func number(p *C.mjtNum, i int) float64 { return float64(valueAt(p, i)) }

// numbers copies n numbers of MuJoCo's from place from on.
func numbers(p *C.mjtNum, first, n int) []float64 {
	out := make([]float64, n)
	for i, v := range unsafe.Slice(p, first+n)[first:] {
		out[i] = float64(v)
	}
	return out
}

func vector3(p *C.mjtNum, id int) [3]float64 { return [3]float64(numbers(p, 3*id, 3)) }

// rangeOf returns limits of object i, infinite unless it is limited.
func rangeOf(limited *C.mjtBool, limits *C.mjtNum, i int) [2]float64 {
	if !bool(valueAt(limited, i)) {
		return unlimited
	}
	return [2]float64(numbers(limits, 2*i, 2))
}

var unlimited = [2]float64{math.Inf(-1), math.Inf(1)}

func ints(p *C.int, n int) []C.int { return unsafe.Slice(p, n) }

func (m *Model) listBodies(d *Description) {
	for i := range int(m.c.nbody) {
		mocap := id(m.c.body_mocapid, i) >= 0
		b := Body{
			Parent: id(m.c.body_parentid, i), Root: id(m.c.body_rootid, i),
			Mass: number(m.c.body_mass, i), SubtreeMass: number(m.c.body_subtreemass, i),
			Position:   vector3(m.c.body_pos, i),
			Quaternion: [4]float64(numbers(m.c.body_quat, 4*i, 4)),
			Centre:     vector3(m.c.body_ipos, i),
			Static:     id(m.c.body_weldid, i) == 0 && !mocap,
			Mocap:      mocap,
		}
		b.Name, b.Ref = m.names(C.mjOBJ_BODY, i)
		b.Entity = m.entity(C.mjOBJ_BODY, i)
		d.Bodies = append(d.Bodies, b)
		if i > 0 {
			d.Bodies[b.Parent].Children = append(d.Bodies[b.Parent].Children, i)
		}
	}
}

// Names in the orders of mjtJoint, mjtGeom and mjtTrn.
var (
	jointTypes    = strings.Fields("free ball slide hinge")
	geomTypes     = strings.Fields("plane hfield sphere capsule ellipsoid cylinder box mesh sdf")
	transmissions = strings.Fields("joint jointinparent slidercrank tendon site body so3")

	_ [0]struct{} = [C.mjJNT_HINGE + C.mjGEOM_SDF + C.mjTRN_SO3 - 3 - 8 - 6]struct{}{}
)

func jointSizes(kind C.int) (nq, nv int) {
	switch kind {
	case C.mjJNT_FREE:
		return 7, 6
	case C.mjJNT_BALL:
		return 4, 3
	}
	return 1, 1
}

func (m *Model) listJoints(d *Description) {
	for i := range int(m.c.njnt) {
		kind, dof := valueAt(m.c.jnt_type, i), id(m.c.jnt_dofadr, i)
		effort := rangeOf(m.c.jnt_actfrclimited, m.c.jnt_actfrcrange, i)
		j := Joint{
			Type: jointTypes[kind], Body: id(m.c.jnt_bodyid, i),
			Limited:    bool(valueAt(m.c.jnt_limited, i)),
			Range:      rangeOf(m.c.jnt_limited, m.c.jnt_range, i),
			Axis:       vector3(m.c.jnt_axis, i),
			Anchor:     vector3(m.c.jnt_pos, i),
			PositionAt: id(m.c.jnt_qposadr, i), VelocityAt: dof,
			Inertia: number(m.c.dof_M0, dof),
			Effort:  max(-effort[0], effort[1]),
		}
		j.Name, j.Ref = m.names(C.mjOBJ_JOINT, i)
		j.Entity = m.entity(C.mjOBJ_JOINT, i)
		j.PositionSize, j.VelocitySize = jointSizes(kind)
		j.Home = numbers(m.c.qpos0, j.PositionAt, j.PositionSize)
		d.Joints = append(d.Joints, j)
		d.Bodies[j.Body].Joints = append(d.Bodies[j.Body].Joints, i)
		if j.Type == "free" && d.Base == 0 && j.Entity == 0 {
			d.Base = j.Body
		}
	}
	for i := range int(m.c.neq) {
		kind := valueAt(m.c.eq_type, i)
		if !bool(valueAt(m.c.eq_active0, i)) {
			continue
		}
		if kind == C.mjEQ_CONNECT || kind == C.mjEQ_WELD {
			l := Loop{[2]int{id(m.c.eq_obj1id, i), id(m.c.eq_obj2id, i)}}
			if valueAt(m.c.eq_objtype, i) == C.mjOBJ_SITE {
				l.Bodies = [2]int{id(m.c.site_bodyid, l.Bodies[0]), id(m.c.site_bodyid, l.Bodies[1])}
			}
			d.Loops = append(d.Loops, l)
		}
		if kind != C.mjEQ_JOINT {
			continue
		}
		c := Coupling{Joint: id(m.c.eq_obj1id, i), Driver: id(m.c.eq_obj2id, i),
			Polynomial: [5]float64(numbers(m.c.eq_data, C.mjNEQDATA*i, 5))}
		d.Couplings = append(d.Couplings, c)
		d.Joints[c.Joint].Follows = d.Joints[c.Joint].Follows || c.Driver >= 0
	}
}

func (m *Model) listGeoms(d *Description) {
	for i := range int(m.c.ngeom) {
		g := Geom{
			Body: id(m.c.geom_bodyid, i), Type: geomTypes[id(m.c.geom_type, i)],
			Size:       vector3(m.c.geom_size, i),
			Position:   vector3(m.c.geom_pos, i),
			Quaternion: [4]float64(numbers(m.c.geom_quat, 4*i, 4)),
			BoxCentre:  vector3(m.c.geom_aabb, 2*i), BoxSize: vector3(m.c.geom_aabb, 2*i+1),
			ConType: id(m.c.geom_contype, i), ConAffinity: id(m.c.geom_conaffinity, i),
			Group: id(m.c.geom_group, i),
		}
		g.Name, g.Ref = m.names(C.mjOBJ_GEOM, i)
		g.Entity = m.entity(C.mjOBJ_GEOM, i)
		d.Geoms = append(d.Geoms, g)
		d.Bodies[g.Body].Geoms = append(d.Bodies[g.Body].Geoms, i)
	}
	for i := range int(m.c.npair) {
		var p Pair
		p.Name, p.Ref = m.names(C.mjOBJ_PAIR, i)
		d.Pairs = append(d.Pairs, p)
		d.Geoms[id(m.c.pair_geom1, i)].Paired, d.Geoms[id(m.c.pair_geom2, i)].Paired = true, true
	}
}

func (m *Model) listSites(d *Description) {
	for i := range int(m.c.nsite) {
		s := Site{Body: id(m.c.site_bodyid, i), Position: vector3(m.c.site_pos, i)}
		s.Quaternion = [4]float64(numbers(m.c.site_quat, 4*i, 4))
		s.Name, s.Ref = m.names(C.mjOBJ_SITE, i)
		s.Entity = m.entity(C.mjOBJ_SITE, i)
		d.Sites = append(d.Sites, s)
		d.Bodies[s.Body].Sites = append(d.Bodies[s.Body].Sites, i)
	}
}

func (m *Model) listTendons(d *Description) {
	for i := range int(m.c.ntendon) {
		t := Tendon{
			Limited: bool(valueAt(m.c.tendon_limited, i)), Range: rangeOf(m.c.tendon_limited, m.c.tendon_range, i),
		}
		t.Name, t.Ref = m.names(C.mjOBJ_TENDON, i)
		t.Entity = m.entity(C.mjOBJ_TENDON, i)
		for w := range id(m.c.tendon_num, i) {
			if at := id(m.c.tendon_adr, i) + w; valueAt(m.c.wrap_type, at) == C.mjWRAP_JOINT {
				t.Joints = append(t.Joints, id(m.c.wrap_objid, at))
			}
		}
		d.Tendons = append(d.Tendons, t)
	}
}

// holdTendons marks the tendons whose lengths constraints hold.
func (m *Model) holdTendons(d *Description) {
	for i := range int(m.c.neq) {
		if valueAt(m.c.eq_type, i) == C.mjEQ_TENDON && bool(valueAt(m.c.eq_active0, i)) {
			for _, tendon := range []int{id(m.c.eq_obj1id, i), id(m.c.eq_obj2id, i)} {
				if tendon >= 0 {
					d.Tendons[tendon].Held = true
				}
			}
		}
	}
}

func (m *Model) listFixtures(d *Description) {
	list := func(kind C.int, n C.mjtSize, body, mode *C.int) (all []Fixture) {
		for i := range int(n) {
			f := Fixture{Entity: m.entity(C.mjtObj(kind), i)}
			f.Name, f.Ref = m.names(kind, i)
			if body != nil {
				f.Body, f.Follows = id(body, i), id(mode, i) != C.mjCAMLIGHT_FIXED
			}
			all = append(all, f)
		}
		return all
	}
	d.Cameras = list(C.mjOBJ_CAMERA, m.c.ncam, m.c.cam_bodyid, m.c.cam_mode)
	d.Lights = list(C.mjOBJ_LIGHT, m.c.nlight, m.c.light_bodyid, m.c.light_mode)
	d.Materials = list(C.mjOBJ_MATERIAL, m.c.nmat, nil, nil)
	d.Textures = list(C.mjOBJ_TEXTURE, m.c.ntex, nil, nil)
	for i := range d.Textures {
		d.Textures[i].Sky = m.skies[i]
	}
}

func (m *Model) listActuators(d *Description) {
	for i := range int(m.c.nactuator) {
		output := id(m.c.actuator_outadr, i)
		a := Actuator{
			Transmission: "undefined", Target: id(m.c.actuator_trnid, 2*i),
			Activations:  id(m.c.actuator_actnum, i),
			ForceLimited: bool(valueAt(m.c.actuator_forcelimited, i)),
			ForceRange:   rangeOf(m.c.actuator_forcelimited, m.c.actuator_forcerange, i),
			ControlAt:    id(m.c.actuator_ctrladr, i), ControlSize: id(m.c.actuator_ctrlnum, i),
			Length:       number(m.c.actuator_length0, output),
			Gear:         number(m.c.actuator_gear, 6*output),
			Gears:        [6]float64(numbers(m.c.actuator_gear, 6*output, 6)),
			ControlRange: unlimited,
		}
		a.Name, a.Ref = m.names(C.mjOBJ_ACTUATOR, i)
		a.Entity = m.entity(C.mjOBJ_ACTUATOR, i)
		if t := id(m.c.actuator_trntype, i); t < len(transmissions) {
			a.Transmission = transmissions[t]
		}
		if a.ControlSize > 0 {
			a.ControlLimited = bool(valueAt(m.c.actuator_ctrllimited, a.ControlAt))
			a.ControlRange = rangeOf(m.c.actuator_ctrllimited, m.c.actuator_ctrlrange, a.ControlAt)
		}
		m.classify(&a, i)
		d.Actuators = append(d.Actuators, a)
		if a.Transmission == "joint" || a.Transmission == "jointinparent" {
			j := &d.Joints[a.Target]
			j.Actuators = append(j.Actuators, i)
		}
	}
}

func (m *Model) classify(a *Actuator, i int) {
	gain := number(m.c.actuator_gainprm, C.mjNGAIN*i)
	bias := numbers(m.c.actuator_biasprm, C.mjNBIAS*i, C.mjNBIAS)
	gainType, biasType := valueAt(m.c.actuator_gaintype, i), valueAt(m.c.actuator_biastype, i)
	a.Kind = KindGeneral
	if gainType == C.mjGAIN_MUSCLE {
		a.Kind = KindMuscle
	}
	if gainType != C.mjGAIN_FIXED || a.ControlSize != 1 {
		return
	}
	if biasType == C.mjBIAS_USER && bias[C.mjNBIAS-1] == C.PR_MOTOR {
		if a.Kind = KindDCMotor; bias[C.PR_NETWORK] > 0 {
			a.Kind = KindLearned
		}
		a.KP, a.KD = bias[0], bias[1]
		return
	}
	a.Gain = gain
	rest := slices.ContainsFunc(bias[3:], func(v float64) bool { return v != 0 })
	switch {
	case rest:
	case biasType == C.mjBIAS_NONE:
		a.Kind = KindMotor
	case biasType != C.mjBIAS_AFFINE || bias[0] != 0 || valueAt(m.c.actuator_dyntype, i) == C.mjDYN_INTEGRATOR:
	case bias[1] == -gain && gain != 0:
		a.Kind, a.KP, a.KD = KindPosition, gain, -bias[2]
	case bias[1] == 0 && bias[2] == -gain && gain != 0:
		a.Kind, a.KD = KindVelocity, gain
	}
}

func (m *Model) listSensors(d *Description) {
	for i := range int(m.c.nsensor) {
		kind, object, target := valueAt(m.c.sensor_type, i), valueAt(m.c.sensor_objtype, i), id(m.c.sensor_objid, i)
		s := Sensor{Type: sensorTypes[kind], Size: id(m.c.sensor_dim, i)}
		s.Name, s.Ref = m.names(C.mjOBJ_SENSOR, i)
		if object != C.mjOBJ_UNKNOWN && target >= 0 {
			s.Object = C.GoString(C.mju_type2Str(object)) + "/" + m.label(object, target)
		}
		d.Sensors = append(d.Sensors, s)
	}
}

// sensorTypes are the types of sensors in the order of mjtSensor.
var sensorTypes = strings.Fields(`touch accelerometer velocimeter gyro force torque magnetometer rangefinder
	camprojection jointpos jointvel tendonpos tendonvel actuatorpos actuatorvel actuatorfrc jointactuatorfrc
	tendonactuatorfrc ballquat ballangvel jointlimitpos jointlimitvel jointlimitfrc tendonlimitpos tendonlimitvel
	tendonlimitfrc framepos framequat framexaxis frameyaxis framezaxis framelinvel frameangvel framelinacc frameangacc
	subtreecom subtreelinvel subtreeangmom insidesite distance normal fromto contact e_potential e_kinetic clock
	tactile plugin user`)

var _ [0]struct{} = [C.mjSENS_USER - 48]struct{}{}

func (m *Model) listKeyframes(d *Description) {
	nq, nv, nu := int(m.c.nq), int(m.c.nv), int(m.c.nu)
	for i := range int(m.c.nkey) {
		k := Keyframe{
			Time:     number(m.c.key_time, i),
			Position: numbers(m.c.key_qpos, i*nq, nq),
			Velocity: numbers(m.c.key_qvel, i*nv, nv),
			Control:  numbers(m.c.key_ctrl, i*nu, nu),
		}
		k.Name, k.Ref = m.names(C.mjOBJ_KEY, i)
		d.Keyframes = append(d.Keyframes, k)
	}
}

var _ physics.Bodied = (*Model)(nil)

// Bodies implements [physics.Bodied]: all bodies that can move relative to the world, mocap bodies among them.
func (m *Model) Bodies() []physics.Body {
	d := m.Describe()
	var bodies []physics.Body
	for _, b := range d.Bodies {
		if b.Static && !b.Mocap {
			continue
		}
		body := physics.Body{
			Name:   b.Ref,
			Pose:   []string{"body/" + b.Ref + "/position", "body/" + b.Ref + "/quaternion"},
			Wrench: m.Fields["xfrc_applied/"+b.Ref],
		}
		for _, j := range b.Joints {
			if joint := &d.Joints[j]; joint.Type == "free" {
				body.Velocity = m.Fields["joint/"+joint.Ref+"/velocity"]
				body.Velocity.Len = 3
			}
		}
		bodies = append(bodies, body)
	}
	return bodies
}

// PoseSize implements [physics.Bodied].
func (m *Model) PoseSize() int { return 7 }
