package mujoco

// #include "shim.h"
import "C"

import (
	"fmt"
	"math"
	"slices"
	"unsafe"

	"github.com/polyrhythm-rl/polyrhythm/physics/mujoco/scene"
)

// Description lists what a model has, in the model's order: the index of a thing in its
// list is its ID in MuJoCo. Units are metres, kilograms, seconds and radians; quaternions
// are w, x, y, z. A Description is plain data, independent of the model.
//
// Each thing has a Ref, by which sources such as "body/REF/position" name it: its name,
// or "#ID" if it has none.
type Description struct {
	Name     string  // of the model
	Timestep float64 // length of a physics step
	// FileTimestep is the length that the file of a scene's first model gives; 0 for a
	// model that was not compiled from a scene.
	FileTimestep float64
	TotalMass    float64 // of all bodies
	Gravity      [3]float64
	Physics      scene.Physics // the other options in force

	// Base is the ID of the first body with a free joint, the floating base of a robot; 0,
	// the world, if there is none.
	Base int

	PositionSize, VelocitySize, ControlSize int // of qpos, qvel and control

	Bodies    []Body // the first is the world
	Joints    []Joint
	Geoms     []Geom
	Sites     []Site
	Tendons   []Tendon
	Actuators []Actuator
	Sensors   []Sensor
	Keyframes []Keyframe
	Cameras   []Camera
	Lights    int
}

// Body is a body of a model.
type Body struct {
	Name, Ref   string
	Parent      int // ID; the world is its own parent
	Mass        float64
	SubtreeMass float64    // of the body and all below it
	Position    [3]float64 // in the parent's frame
	Quaternion  [4]float64
	Centre      [3]float64 // of mass, in the body's frame
	Root        int        // ID of the body below the world that this one hangs from; 0 for the world
	Static      bool       // it cannot move relative to the world
	Mocap       bool       // it is placed from outside
	Joints      []int      // IDs
	Geoms       []int      // IDs
	Sites       []int      // IDs
	Children    []int      // IDs of bodies
}

// Joint is a joint of a model.
type Joint struct {
	Name, Ref string
	Type      string // "free", "ball", "slide" or "hinge"
	Body      int    // ID of the body that it moves

	Limited      bool
	Range        [2]float64 // ∓Inf unless Limited; of a ball joint, on its angle
	Axis, Anchor [3]float64 // in the body's frame
	Home         []float64  // position in the model's initial state
	Stiffness    float64
	Damping      float64 // of its first degree of freedom
	Armature     float64 // likewise
	FrictionLoss float64 // likewise
	Inertia      float64 // likewise: kg·m² or kg that it moves in the initial state, armature included

	PositionAt, PositionSize int // in qpos
	VelocityAt, VelocitySize int // in qvel

	Actuators []int // IDs of those that act on this joint
}

// Geom is a geom of a model.
type Geom struct {
	Name, Ref            string
	Body                 int    // ID
	Type                 string // "plane", "hfield", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh" or "sdf"
	Size                 [3]float64
	Position             [3]float64 // in the body's frame
	Quaternion           [4]float64
	BoxCentre, BoxSize   [3]float64 // of the bounding box in the geom's frame: its centre and half sizes
	ConType, ConAffinity int
	Paired               bool       // in a contact pair that the file lists
	Friction             [3]float64 // sliding, torsional, rolling
	Group                int
}

// Collides reports whether the geom can touch others, by their contact bits or as one of a
// pair that the file lists.
func (g *Geom) Collides() bool { return g.ConType != 0 || g.ConAffinity != 0 || g.Paired }

// Site is a site of a model.
type Site struct {
	Name, Ref string
	Body      int        // ID
	Position  [3]float64 // in the body's frame
}

// Tendon is a tendon of a model.
type Tendon struct {
	Name, Ref string
	Limited   bool
	Range     [2]float64 // ∓Inf unless Limited
}

// The kinds of actuators.
const (
	KindPosition = "position" // force = KP · control − KP · length − KD · velocity
	KindVelocity = "velocity" // force = KD · control − KD · velocity
	KindMotor    = "motor"    // force = gain · control
	KindGeneral  = "general"  // anything else
)

// Actuator is an actuator of a model.
type Actuator struct {
	Name, Ref string

	// Kind is inferred from the gain and the bias. An actuator with an activation, as the
	// <position> of a model with a time constant has, counts as what it is in the long run;
	// Activations is not 0 then.
	Kind        string
	Activations int

	// Transmission is "joint", "jointinparent", "slidercrank", "tendon", "site", "body" or
	// "so3", and Target is the ID of what it acts on (of a site, for slidercrank); −1 if
	// there is none.
	Transmission string
	Target       int

	Gear float64 // the first number of the gear
	Gain float64 // force per unit of control, if it is constant
	KP   float64 // stiffness, of KindPosition
	KD   float64 // damping, of KindPosition and KindVelocity

	ControlLimited bool
	ControlRange   [2]float64 // ∓Inf unless ControlLimited; of the first control
	ForceLimited   bool
	ForceRange     [2]float64 // ∓Inf unless ForceLimited

	ControlAt, ControlSize int // in control
}

// Sensor is a sensor of a model.
type Sensor struct {
	Name, Ref string
	Type      string // MuJoCo's, such as "gyro"
	Object    string // what it measures at, such as "site/imu"; "" for none
	Size      int
	Force     bool // it is computed with the forces of a step; otherwise with the motion
}

// Keyframe is a keyframe of a model.
type Keyframe struct {
	Name, Ref string
	Time      float64
	Position  []float64 // qpos
	Velocity  []float64 // qvel
	Control   []float64
}

// Camera is a camera of a model.
type Camera struct {
	Name, Ref string
	Body      int    // ID of the body that it is fixed to
	Mode      string // "fixed", "track", "trackcom", "targetbody" or "targetbodycom"
	Target    int    // ID of the body that it looks at; −1 for none
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
		Lights:       int(m.c.nlight),
	}
	m.listBodies(&d)
	m.listJoints(&d)
	m.listGeoms(&d)
	m.listSites(&d)
	m.listTendons(&d)
	m.listActuators(&d)
	m.listSensors(&d)
	m.listKeyframes(&d)
	m.listCameras(&d)
	return d
}

// called returns the name and the Ref of an object.
func (m *Model) called(kind C.int, id int) (name, ref string) {
	return m.name(kind, id), m.label(kind, id)
}

// numbers copies n numbers of MuJoCo's from place from on.
func numbers(p *C.mjtNum, from, n int) []float64 {
	out := make([]float64, n)
	for i, v := range unsafe.Slice(p, from+n)[from:] {
		out[i] = float64(v)
	}
	return out
}

func vector3(p *C.mjtNum, id int) [3]float64 { return [3]float64(numbers(p, 3*id, 3)) }

// ints returns a view of n integers of MuJoCo's.
func ints(p *C.int, n int) []C.int { return unsafe.Slice(p, n) }

func (m *Model) listBodies(d *Description) {
	n := int(m.c.nbody)
	parents, roots := ints(m.c.body_parentid, n), ints(m.c.body_rootid, n)
	welds, mocaps := ints(m.c.body_weldid, n), ints(m.c.body_mocapid, n)
	mass, subtree := numbers(m.c.body_mass, 0, n), numbers(m.c.body_subtreemass, 0, n)
	for i := range n {
		b := Body{
			Parent: int(parents[i]), Root: int(roots[i]),
			Mass: mass[i], SubtreeMass: subtree[i],
			Position:   vector3(m.c.body_pos, i),
			Quaternion: [4]float64(numbers(m.c.body_quat, 4*i, 4)),
			Centre:     vector3(m.c.body_ipos, i),
			Static:     welds[i] == 0 && mocaps[i] < 0,
			Mocap:      mocaps[i] >= 0,
		}
		b.Name, b.Ref = m.called(C.mjOBJ_BODY, i)
		d.Bodies = append(d.Bodies, b)
		if i > 0 {
			d.Bodies[b.Parent].Children = append(d.Bodies[b.Parent].Children, i)
		}
	}
}

var jointTypes = [...]string{C.mjJNT_FREE: "free", C.mjJNT_BALL: "ball", C.mjJNT_SLIDE: "slide", C.mjJNT_HINGE: "hinge"}

// jointSizes returns the length of the position and of the velocity of a joint.
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
	n := int(m.c.njnt)
	types, bodies := ints(m.c.jnt_type, n), ints(m.c.jnt_bodyid, n)
	positions, velocities := ints(m.c.jnt_qposadr, n), ints(m.c.jnt_dofadr, n)
	limited := unsafe.Slice(m.c.jnt_limited, n)
	limits := unsafe.Slice(m.c.jnt_range, 2*n)
	for i := range n {
		j := Joint{
			Type: jointTypes[types[i]], Body: int(bodies[i]),
			Limited: bool(limited[i]), Range: limits2(bool(limited[i]), limits[2*i:]),
			Axis:       vector3(m.c.jnt_axis, i),
			Anchor:     vector3(m.c.jnt_pos, i),
			Stiffness:  numbers(m.c.jnt_stiffness, i, 1)[0],
			PositionAt: int(positions[i]), VelocityAt: int(velocities[i]),
		}
		j.Name, j.Ref = m.called(C.mjOBJ_JOINT, i)
		j.PositionSize, j.VelocitySize = jointSizes(types[i])
		j.Home = numbers(m.c.qpos0, j.PositionAt, j.PositionSize)
		j.Damping = numbers(m.c.dof_damping, j.VelocityAt, 1)[0]
		j.Armature = numbers(m.c.dof_armature, j.VelocityAt, 1)[0]
		j.Inertia = numbers(m.c.dof_M0, j.VelocityAt, 1)[0]
		j.FrictionLoss = numbers(m.c.dof_frictionloss, j.VelocityAt, 1)[0]
		d.Joints = append(d.Joints, j)
		d.Bodies[j.Body].Joints = append(d.Bodies[j.Body].Joints, i)
		if j.Type == "free" && d.Base == 0 {
			d.Base = j.Body
		}
	}
}

var geomTypes = [...]string{
	C.mjGEOM_PLANE: "plane", C.mjGEOM_HFIELD: "hfield", C.mjGEOM_SPHERE: "sphere", C.mjGEOM_CAPSULE: "capsule",
	C.mjGEOM_ELLIPSOID: "ellipsoid", C.mjGEOM_CYLINDER: "cylinder", C.mjGEOM_BOX: "box", C.mjGEOM_MESH: "mesh", C.mjGEOM_SDF: "sdf",
}

func (m *Model) listGeoms(d *Description) {
	n := int(m.c.ngeom)
	types, bodies, groups := ints(m.c.geom_type, n), ints(m.c.geom_bodyid, n), ints(m.c.geom_group, n)
	contypes, affinities := ints(m.c.geom_contype, n), ints(m.c.geom_conaffinity, n)
	for i := range n {
		g := Geom{
			Body: int(bodies[i]), Type: geomTypes[types[i]],
			Size:       vector3(m.c.geom_size, i),
			Position:   vector3(m.c.geom_pos, i),
			Quaternion: [4]float64(numbers(m.c.geom_quat, 4*i, 4)),
			BoxCentre:  vector3(m.c.geom_aabb, 2*i), BoxSize: vector3(m.c.geom_aabb, 2*i+1),
			ConType: int(contypes[i]), ConAffinity: int(affinities[i]),
			Friction: vector3(m.c.geom_friction, i),
			Group:    int(groups[i]),
		}
		g.Name, g.Ref = m.called(C.mjOBJ_GEOM, i)
		d.Geoms = append(d.Geoms, g)
		d.Bodies[g.Body].Geoms = append(d.Bodies[g.Body].Geoms, i)
	}
	pairs := int(m.c.npair)
	for _, side := range [][]C.int{ints(m.c.pair_geom1, pairs), ints(m.c.pair_geom2, pairs)} {
		for _, i := range side {
			d.Geoms[i].Paired = true
		}
	}
}

func (m *Model) listSites(d *Description) {
	n := int(m.c.nsite)
	bodies := ints(m.c.site_bodyid, n)
	for i := range n {
		s := Site{Body: int(bodies[i]), Position: vector3(m.c.site_pos, i)}
		s.Name, s.Ref = m.called(C.mjOBJ_SITE, i)
		d.Sites = append(d.Sites, s)
		d.Bodies[s.Body].Sites = append(d.Bodies[s.Body].Sites, i)
	}
}

func (m *Model) listTendons(d *Description) {
	n := int(m.c.ntendon)
	limited := unsafe.Slice(m.c.tendon_limited, n)
	limits := unsafe.Slice(m.c.tendon_range, 2*n)
	for i := range n {
		t := Tendon{Limited: bool(limited[i]), Range: limits2(bool(limited[i]), limits[2*i:])}
		t.Name, t.Ref = m.called(C.mjOBJ_TENDON, i)
		d.Tendons = append(d.Tendons, t)
	}
}

var transmissions = [...]string{
	C.mjTRN_JOINT: "joint", C.mjTRN_JOINTINPARENT: "jointinparent", C.mjTRN_SLIDERCRANK: "slidercrank",
	C.mjTRN_TENDON: "tendon", C.mjTRN_SITE: "site", C.mjTRN_BODY: "body", C.mjTRN_SO3: "so3",
}

func (m *Model) listActuators(d *Description) {
	n := int(m.c.nactuator)
	targets, transmission := ints(m.c.actuator_trnid, 2*n), ints(m.c.actuator_trntype, n)
	controls, counts := ints(m.c.actuator_ctrladr, n), ints(m.c.actuator_ctrlnum, n)
	outputs, activations := ints(m.c.actuator_outadr, n), ints(m.c.actuator_actnum, n)
	forced := unsafe.Slice(m.c.actuator_forcelimited, n)
	forces := unsafe.Slice(m.c.actuator_forcerange, 2*n)
	limited := unsafe.Slice(m.c.actuator_ctrllimited, m.c.nu)
	limits := unsafe.Slice(m.c.actuator_ctrlrange, 2*m.c.nu)
	for i := range n {
		a := Actuator{
			Transmission: "undefined", Target: int(targets[2*i]),
			Activations:  int(activations[i]),
			ForceLimited: bool(forced[i]), ForceRange: limits2(bool(forced[i]), forces[2*i:]),
			ControlAt: int(controls[i]), ControlSize: int(counts[i]),
			Gear:         numbers(m.c.actuator_gear, 6*int(outputs[i]), 1)[0],
			ControlRange: [2]float64{math.Inf(-1), math.Inf(1)},
		}
		a.Name, a.Ref = m.called(C.mjOBJ_ACTUATOR, i)
		if t := int(transmission[i]); t < len(transmissions) {
			a.Transmission = transmissions[t]
		}
		if a.ControlSize > 0 {
			a.ControlLimited = bool(limited[a.ControlAt])
			a.ControlRange = limits2(a.ControlLimited, limits[2*a.ControlAt:])
		}
		m.classify(&a, i)
		d.Actuators = append(d.Actuators, a)
		if a.Transmission == "joint" || a.Transmission == "jointinparent" {
			j := &d.Joints[a.Target]
			j.Actuators = append(j.Actuators, i)
		}
	}
}

// classify fills in the kind and the gains of actuator i.
func (m *Model) classify(a *Actuator, i int) {
	n := int(m.c.nactuator)
	gain := numbers(m.c.actuator_gainprm, C.mjNGAIN*i, C.mjNGAIN)
	bias := numbers(m.c.actuator_biasprm, C.mjNBIAS*i, C.mjNBIAS)
	gainType, biasType := ints(m.c.actuator_gaintype, n)[i], ints(m.c.actuator_biastype, n)[i]
	a.Kind = KindGeneral
	if gainType != C.mjGAIN_FIXED || a.ControlSize != 1 {
		return
	}
	a.Gain = gain[0]
	rest := slices.ContainsFunc(bias[3:], func(v float64) bool { return v != 0 })
	switch {
	case rest:
	case biasType == C.mjBIAS_NONE:
		a.Kind = KindMotor
	case biasType != C.mjBIAS_AFFINE || bias[0] != 0:
	case bias[1] == -gain[0] && gain[0] != 0:
		a.Kind, a.KP, a.KD = KindPosition, gain[0], -bias[2]
	case bias[1] == 0 && bias[2] == -gain[0] && gain[0] != 0:
		a.Kind, a.KD = KindVelocity, gain[0]
	}
}

func (m *Model) listSensors(d *Description) {
	n := int(m.c.nsensor)
	types, sizes, needs := ints(m.c.sensor_type, n), ints(m.c.sensor_dim, n), ints(m.c.sensor_needstage, n)
	kinds, ids := ints(m.c.sensor_objtype, n), ints(m.c.sensor_objid, n)
	for i := range n {
		s := Sensor{Type: sensorType(types[i]), Size: int(sizes[i]), Force: needs[i] == C.mjSTAGE_ACC}
		s.Name, s.Ref = m.called(C.mjOBJ_SENSOR, i)
		if kinds[i] != C.mjOBJ_UNKNOWN && ids[i] >= 0 {
			_, ref := m.called(kinds[i], int(ids[i]))
			s.Object = C.GoString(C.mju_type2Str(kinds[i])) + "/" + ref
		}
		d.Sensors = append(d.Sensors, s)
	}
}

// sensorType returns the name of a sensor's type, as in MJCF.
func sensorType(kind C.int) string {
	if name, ok := sensorTypes[kind]; ok {
		return name
	}
	return fmt.Sprintf("sensor type %d", int(kind))
}

var sensorTypes = map[C.int]string{
	C.mjSENS_TOUCH: "touch", C.mjSENS_ACCELEROMETER: "accelerometer", C.mjSENS_VELOCIMETER: "velocimeter",
	C.mjSENS_GYRO: "gyro", C.mjSENS_FORCE: "force", C.mjSENS_TORQUE: "torque", C.mjSENS_MAGNETOMETER: "magnetometer",
	C.mjSENS_RANGEFINDER: "rangefinder", C.mjSENS_CAMPROJECTION: "camprojection",
	C.mjSENS_JOINTPOS: "jointpos", C.mjSENS_JOINTVEL: "jointvel", C.mjSENS_TENDONPOS: "tendonpos", C.mjSENS_TENDONVEL: "tendonvel",
	C.mjSENS_ACTUATORPOS: "actuatorpos", C.mjSENS_ACTUATORVEL: "actuatorvel", C.mjSENS_ACTUATORFRC: "actuatorfrc",
	C.mjSENS_JOINTACTFRC: "jointactuatorfrc", C.mjSENS_TENDONACTFRC: "tendonactuatorfrc",
	C.mjSENS_BALLQUAT: "ballquat", C.mjSENS_BALLANGVEL: "ballangvel",
	C.mjSENS_JOINTLIMITPOS: "jointlimitpos", C.mjSENS_JOINTLIMITVEL: "jointlimitvel", C.mjSENS_JOINTLIMITFRC: "jointlimitfrc",
	C.mjSENS_TENDONLIMITPOS: "tendonlimitpos", C.mjSENS_TENDONLIMITVEL: "tendonlimitvel", C.mjSENS_TENDONLIMITFRC: "tendonlimitfrc",
	C.mjSENS_FRAMEPOS: "framepos", C.mjSENS_FRAMEQUAT: "framequat",
	C.mjSENS_FRAMEXAXIS: "framexaxis", C.mjSENS_FRAMEYAXIS: "frameyaxis", C.mjSENS_FRAMEZAXIS: "framezaxis",
	C.mjSENS_FRAMELINVEL: "framelinvel", C.mjSENS_FRAMEANGVEL: "frameangvel",
	C.mjSENS_FRAMELINACC: "framelinacc", C.mjSENS_FRAMEANGACC: "frameangacc",
	C.mjSENS_SUBTREECOM: "subtreecom", C.mjSENS_SUBTREELINVEL: "subtreelinvel", C.mjSENS_SUBTREEANGMOM: "subtreeangmom",
	C.mjSENS_INSIDESITE: "insidesite", C.mjSENS_GEOMDIST: "distance", C.mjSENS_GEOMNORMAL: "normal", C.mjSENS_GEOMFROMTO: "fromto",
	C.mjSENS_CONTACT: "contact", C.mjSENS_E_POTENTIAL: "e_potential", C.mjSENS_E_KINETIC: "e_kinetic", C.mjSENS_CLOCK: "clock",
	C.mjSENS_TACTILE: "tactile", C.mjSENS_PLUGIN: "plugin", C.mjSENS_USER: "user",
}

func (m *Model) listKeyframes(d *Description) {
	nq, nv, nu := int(m.c.nq), int(m.c.nv), int(m.c.nu)
	for i := range int(m.c.nkey) {
		k := Keyframe{
			Time:     numbers(m.c.key_time, i, 1)[0],
			Position: numbers(m.c.key_qpos, i*nq, nq),
			Velocity: numbers(m.c.key_qvel, i*nv, nv),
			Control:  numbers(m.c.key_ctrl, i*nu, nu),
		}
		k.Name, k.Ref = m.called(C.mjOBJ_KEY, i)
		d.Keyframes = append(d.Keyframes, k)
	}
}

var cameraModes = [...]string{
	C.mjCAMLIGHT_FIXED: "fixed", C.mjCAMLIGHT_TRACK: "track", C.mjCAMLIGHT_TRACKCOM: "trackcom",
	C.mjCAMLIGHT_TARGETBODY: "targetbody", C.mjCAMLIGHT_TARGETBODYCOM: "targetbodycom",
}

func (m *Model) listCameras(d *Description) {
	n := int(m.c.ncam)
	modes, bodies, targets := ints(m.c.cam_mode, n), ints(m.c.cam_bodyid, n), ints(m.c.cam_targetbodyid, n)
	for i := range n {
		c := Camera{Body: int(bodies[i]), Mode: cameraModes[modes[i]], Target: int(targets[i])}
		c.Name, c.Ref = m.called(C.mjOBJ_CAMERA, i)
		d.Cameras = append(d.Cameras, c)
	}
}
