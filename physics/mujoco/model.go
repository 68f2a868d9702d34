package mujoco

// #include "shim.h"
// #include <stdlib.h>
import "C"

import (
	"fmt"
	"hash/crc32"
	"io/fs"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"unsafe"

	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/internal/engine"
	"github.com/polyrhythm-rl/polyrhythm/physics/terrain"
)

// Options changes what the model file says.
type Options struct {
	// Timestep is the length of a substep in seconds; 0 means the file's.
	Timestep float64

	// Builtin holds the models of a scene whose names begin with [scene.Builtin]. They refer to no other file.
	Builtin fs.FS

	// MJCF, if it is not nil, is called with the compiled model as an MJCF file. Its assets have absolute paths there.
	MJCF func([]byte)

	// Trusted says that the files are known not to crash MuJoCo, as those that a program brings along. Others are
	// read, compiled and stepped once in a copy of the process first.
	Trusted bool
}

// Model is a compiled MuJoCo model. It implements [physics.Model] and may be
// used by any number of goroutines, Close apart. The initial state is that after mj_resetData.
// Things go by their names, or "#3" for one without a name, by its number in the model.
//
// # Fields
//
// The components of the state are "time", "qpos", "qvel", "act", "history", "warmstart", "control", "qfrc_applied",
// "xfrc_applied", "eq_active", "mocap_pos", "mocap_quat", "userdata", "plugin" and "plastic". Parts of them are
// "joint/NAME/position" (in qpos), "joint/NAME/velocity" (in qvel), "actuator/NAME" (in control),
// "qfrc_applied/JOINT", "xfrc_applied/BODY" (force in N, then torque in N·m, at the centre of mass in world axes; it
// acts until it is changed), "mocap_pos/BODY" and "mocap_quat/BODY".
//
// # Derived values
//
// The sources are fields of mjData as mj_step leaves them, whole ("cvel", the world body included) or, where the
// parts belong to named objects, in part ("cvel/torso"): of bodies "xpos", "xquat", "xipos", "subtree_com", "cinert",
// "cvel", "cacc", "cfrc_int" and "cfrc_ext"; of geoms "geom_xpos"; of sites "site_xpos"; of tendons "ten_length" and
// "ten_velocity"; of degrees of freedom "qfrc_actuator" and "qfrc_constraint", in whole only.
//
// After mj_step these belong to the state before the last substep or, under RK4, to the trial state of its last
// stage. "cacc", "cfrc_int" and "cfrc_ext" are those of mj_rnePostConstraint, called once after the substeps; after a
// Forward they are 0, unless a sensor of the model makes mj_forward compute them.
//
// # Constants
//
// The names are those of mjModel's arrays, one value or vector per object, in the model's
// order, and "timestep", the length of a physics step in seconds.
//
// # Parameters
//
// The sources are arrays of mjModel, whole or of one object, in the units of the model file:
//
//	body_mass/BODY, body_pos/BODY, body_quat/BODY, body_ipos/BODY, body_iquat/BODY, body_inertia/BODY
//	geom_pos/GEOM, geom_quat/GEOM, geom_size/GEOM, geom_friction/GEOM, geom_solref/GEOM, geom_solimp/GEOM
//	site_pos/SITE, site_quat/SITE
//	jnt_range/JOINT, jnt_stiffness/JOINT, jnt_actfrcrange/JOINT, qpos0/JOINT
//	dof_damping/JOINT, dof_armature/JOINT, dof_frictionloss/JOINT
//	pair_friction/PAIR
//	tendon_damping/TENDON, tendon_stiffness/TENDON, tendon_frictionloss/TENDON, tendon_armature/TENDON
//	actuator_gainprm/ACTUATOR, actuator_biasprm/ACTUATOR, actuator_forcerange/ACTUATOR
//	gravity
//	cam_pos/CAMERA, cam_quat/CAMERA, cam_fovy/CAMERA
//
// and some that no step reads:
//
//	light_pos/LIGHT, light_dir/LIGHT, light_diffuse/LIGHT, light_ambient/LIGHT, headlight_diffuse, headlight_ambient
//	geom_rgba/GEOM, mat_rgba/MATERIAL
//
// Masses, inertias, places, sizes, armatures and tendons decide constants which the engine computes when the model is
// compiled. They are computed anew, by mj_setConst, in the first call after such a parameter has changed, which takes
// about as long as a few substeps; the others may change in every step. Sizes are those of spheres, capsules,
// ellipsoids, cylinders and boxes. Shapes, renderers' pictures and descriptions are those of the compiled model;
// what casts rays shows the parameters, see [Model.Shows]. "parameter/" and a source is a probe of a parameter that
// worlds have of their own: at a boundary, what was in force until then.
type Model struct {
	base
	c        *C.mjModel
	warnings string
	timestep float64
	// fileTimestep is that of the file, of a scene; else 0.
	fileTimestep float64
	// fileNear is visual/map/znear of the file where the compiled model has another, of a scene with terrain; else 0.
	fileNear C.float
	// terrain is that of a scene that has one.
	terrain *terrain.Terrain
	// notes, entities and pairs are those of a scene.
	notes    []string
	entities ownership
	pairs    pairs

	skies []*[2][3]float64 // colours of skyboxes at the zenith and the nadir, by the numbers of textures; nil of others

	probes     map[string]probe
	refusals   map[string]string // reasons why probes cannot be sampled, by probe
	derived    map[string]probe
	parameters map[string]parameter

	// How often contacts and constraints did not fit, in steppers that are closed.
	contactsLost, constraintsLost atomic.Int64
}

type (
	base  = engine.Model
	owner = engine.Owner
)

// probe is a probe or a derived value.
type probe struct {
	parts   []C.pr_Probe // parts of the value, in order
	refresh C.int        // computation that brings the value up to date after a substep
	rne     C.int        // 1: the value takes mj_rnePostConstraint
}

// Version returns the version of the MuJoCo library in use, such as "4.0.1".
func Version() string { return C.GoString(C.mj_versionString()) }

// Libraries returns the path of the MuJoCo library in use, as the dynamic linker found it, and that of the shared
// library which this package is in; "" for what is part of the program itself.
func Libraries() (mujoco, polyrhythm string) {
	var m, o [4096]C.char
	C.pr_libraries(&m[0], &o[0], C.int(len(m)))
	return C.GoString(&m[0]), C.GoString(&o[0])
}

// loadLimit is how much memory a model may take that is no part of a scene, which has a limit of its own, in bytes.
const loadLimit = 16 << 30

// Load compiles the MJCF (or URDF) file at path. Close the model when done.
// An error of the compiler is MuJoCo's own message after the file and the line.
func Load(path string, opt Options) (*Model, error) {
	return openModel(path, nil, opt)
}

// LoadBytes is [Load] for an MJCF file whose contents are at hand; name stands
// for the file in messages. The file must not refer to others.
func LoadBytes(name string, data []byte, opt Options) (*Model, error) {
	return openModel(clean(name), map[string][]byte{clean(name): data}, opt)
}

// LoadFS is [Load] for an MJCF file in fsys, such as an embed.FS, where the files that
// it refers to lie too. All files of fsys are read.
func LoadFS(fsys fs.FS, name string, opt Options) (*Model, error) {
	files := map[string][]byte{}
	err := fs.WalkDir(fsys, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		data, err := fs.ReadFile(fsys, path)
		if err == nil && len(data) > 0 {
			files[path] = data
		}
		return err
	})
	if err == nil && files[name] == nil {
		err = &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	if err != nil {
		return nil, fmt.Errorf("mujoco: %w", err)
	}
	return openModel(name, files, opt)
}

// openModel compiles the file called name, which is one of files or on disk.
func openModel(name string, files map[string][]byte, opt Options) (_ *Model, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("mujoco: %w", err)
		}
	}()
	if err := opt.check(); err != nil {
		return nil, err
	}
	w, err := newWorkshop(newSources(files), loadLimit, opt)
	if err != nil {
		return nil, err
	}
	defer w.close()
	spec, err := w.parse(name, "")
	if err != nil {
		return nil, err
	}
	return w.compile(spec, opt, nil)
}

// newModel makes a Model of a compiled one, which it owns, also where it fails.
func newModel(c *C.mjModel, warnings string) (*Model, error) {
	m := &Model{c: c, warnings: warnings, timestep: float64(c.opt.timestep)}
	m.Engine, m.Handles = "mujoco", &handles
	m.describe()
	if err := m.resetStates(); err != nil {
		C.mj_deleteModel(c)
		return nil, err
	}
	engine.Open(&m.base)
	return m, nil
}

// check reports options out of their bounds, and a library of another version than the headers.
func (opt Options) check() error {
	if version, want := int(C.mj_version()), int(C.mjVERSION_HEADER); version != want {
		return fmt.Errorf("the library is version %d, the headers were of %d: rebuild with go build -a", version, want)
	}
	if !(opt.Timestep >= 0) || math.IsInf(opt.Timestep, 0) {
		return fmt.Errorf("timestep is %v s, want a positive number or 0 for the file's", opt.Timestep)
	}
	return nil
}

// Notes returns what a user may not expect of the scene that the model was compiled from, such as a floor that gave way
// to a terrain: a line each, with the keys of its settings.
func (m *Model) Notes() []string { return slices.Clone(m.notes) }

// Warnings returns the compiler's warnings about a model that it accepted, in one line; "" if there are none.
func (m *Model) Warnings() string { return m.warnings }

// Overflow says, in one line, how often the model's memory was too small for all contacts or constraints of a step,
// which then went on without the rest; "" if it never was. It counts closed steppers only. It may be called from any
// goroutine, also after Close.
func (m *Model) Overflow() string {
	contacts, constraints := m.contactsLost.Load(), m.constraintsLost.Load()
	if contacts == 0 && constraints == 0 {
		return ""
	}
	return fmt.Sprintf("the model's memory was too small: contacts were left out %d times, constraints %d times; "+
		"give it more by <size memory=\"...\"/>", contacts, constraints)
}

// Timestep returns the length of a substep in seconds.
func (m *Model) Timestep() float64 { return m.timestep }

// Probe implements [physics.Model]. Quaternions are w, x, y, z; everything is in the world's frame.
//
//	qpos, qvel             Motion: the generalised position and velocity
//	pose                   Motion: what decides where everything is: qpos, then the
//	                       positions of the mocap bodies, then their quaternions
//	joint/NAME/position    Motion: part of qpos; likewise joint/NAME/velocity of qvel
//	body/NAME/position     Motion, 3: the origin of the body's frame, m
//	body/NAME/quaternion   Motion, 4
//	body/NAME/velocity     Motion, 6: linear, of that origin, m/s; angular, rad/s
//	body/NAME/wrench       Force, 6: the force, N, of the parent through the joints, and its torque about that origin, N·m
//	body/NAME/incoming_wrench  Force, 6: the same along the axes that the body had as it acted
//	joint/NAME/axis        Motion, 3: of a hinge or slide
//	joint/NAME/anchor      Motion, 3: m
//	geom/NAME/position     Motion, 3: m
//	geom/NAME/matrix       Motion, 9: its axes as columns, by rows
//	site/NAME/position     Motion, 3: m
//	site/NAME/velocity     Motion, 6: as of a body
//	qacc                   Force: the generalised acceleration
//	joint/NAME/torque      Force: of the actuators on the joint, N·m or N
//	actuator_force         Force: of all actuators, in their own spaces
//	actuator/NAME/force    Force: of one
//	contact/body/NAME      Force, 3: the sum of the contact forces on the body, N
//	contact/geom/NAME      Force, 3: the sum of the contact forces on the geom, N
//	contact/within/NAME    Force, 1: the largest force of a contact between two bodies that are, or hang on, the body, N
//	contact/entity/NAME    Force, 1: the same of all bodies of an entity of a scene that has several trees
//	contact/pair/NAME      Force, 4: of a pair of scene.contacts the number of contacts, and the force on the first
//	                       set, N
//	sensor/NAME            a sensor of the position or velocity stage is Motion, one
//	                       of the acceleration stage Force
//
// A sensor with a delay or an interval of its own is refused: its reading depends on more than the state row, and
// rates and latency belong to package sensors.
func (m *Model) Probe(source string) (physics.Vector, error) {
	if why := m.refusals[source]; why != "" {
		return physics.Vector{}, fmt.Errorf("mujoco: cannot probe %q: %s", source, why)
	}
	return m.base.Probe(source)
}

// Close implements [physics.Model]. It fails while steppers or bare loops of the
// model are open; closing a second time does nothing.
func (m *Model) Close() error {
	return engine.Close(&m.base, func() {
		C.mj_deleteModel(m.c)
		C.free(unsafe.Pointer(m.pairs.sides))
		m.c, m.pairs.sides = nil, nil
	})
}

// components names the parts of the integration state in the order of mjtState's bits, which is their order in a row.
var components = [...]string{
	"time", "qpos", "qvel", "act", "history", "warmstart", "control",
	"qfrc_applied", "xfrc_applied", "eq_active", "mocap_pos", "mocap_quat",
	"userdata", "plugin", "plastic",
}

// The table above must cover mjSTATE_INTEGRATION: all bits below the next one.
var _ [0]struct{} = [C.mjSTATE_INTEGRATION - (1<<len(components) - 1)]struct{}{}

// describe copies out of the C model everything that the Go model answers.
func (m *Model) describe() {
	m.describeState()
	m.describeJoints()
	m.describeBodies()
	m.describeActuators()
	m.describeProbes()
	m.describeSensors()
	m.describeDerived()
	m.describeConstants()
	m.describeSkies()
	m.describeParameters()
}

func (m *Model) describeState() {
	m.Fields = map[string]physics.Span{}
	size := 0
	for bit, name := range components {
		n := int(C.mj_stateSize(m.c, C.int(1)<<bit))
		m.Fields[name] = physics.Span{Offset: size, Len: n}
		size += n
	}
	m.Initial = make([]float64, size)
	m.Components = append(slices.Clone(components[:]), "joint/NAME/position", "joint/NAME/velocity", "actuator/NAME",
		"qfrc_applied/JOINT", "xfrc_applied/BODY", "mocap_pos/BODY", "mocap_quat/BODY")
}

func (m *Model) describeJoints() {
	for i := range int(m.c.njnt) {
		joint, position, velocity := m.jointParts(i)
		m.addField("joint/"+joint+"/position", "qpos", position.first, position.size)
		m.addField("joint/"+joint+"/velocity", "qvel", velocity.first, velocity.size)
		m.addField("qfrc_applied/"+joint, "qfrc_applied", velocity.first, velocity.size)
	}
}

func (m *Model) describeBodies() {
	for i := range int(m.c.nbody) {
		body := m.label(C.mjOBJ_BODY, i)
		m.addField("xfrc_applied/"+body, "xfrc_applied", 6*i, 6)
		if mocap := id(m.c.body_mocapid, i); mocap >= 0 {
			m.addField("mocap_pos/"+body, "mocap_pos", 3*mocap, 3)
			m.addField("mocap_quat/"+body, "mocap_quat", 4*mocap, 4)
		}
	}
}

func (m *Model) addField(name, component string, offset, size int) {
	m.Fields[name] = physics.Span{Offset: m.Fields[component].Offset + offset, Len: size}
}

func (m *Model) describeActuators() {
	for i := range int(m.c.nu) {
		m.Ranges = append(m.Ranges, rangeOf(m.c.actuator_ctrllimited, m.c.actuator_ctrlrange, i))
	}
	for i := range int(m.c.nactuator) {
		m.addField("actuator/"+m.label(C.mjOBJ_ACTUATOR, i), "control",
			id(m.c.actuator_ctrladr, i), id(m.c.actuator_ctrlnum, i))
	}
}

func (m *Model) describeSensors() {
	var d *C.mjData // nil: it only serves to find the offsets of fields
	for i := range int(m.c.nsensor) {
		stage := physics.Motion
		if valueAt(m.c.sensor_needstage, i) == C.mjSTAGE_ACC {
			stage = physics.Force
		}
		source := "sensor/" + m.label(C.mjOBJ_SENSOR, i)
		m.addProbe(source, stage, C.PR_FIELD,
			part{unsafe.Offsetof(d.sensordata), id(m.c.sensor_adr, i), id(m.c.sensor_dim, i)})
		p := m.probes[source]
		if stage == physics.Motion {
			p.refresh = m.sensorRefresh(i)
		}
		m.probes[source] = p
		if delay, interval := number(m.c.sensor_delay, i), number(m.c.sensor_interval, 2*i); delay > 0 || interval > 0 {
			m.refusals[source] = fmt.Sprintf("it has a delay (%g s) or an interval (%g s) in the model", delay,
				interval)
		}
	}
}

// sensorRefresh says what it takes to compute sensor i, of the position or velocity stage, at a new state. Body
// frames and velocities are enough for the sensors listed; whatever else is probed (contacts, limits, tendons,
// cameras, energies, distances, plugins) gets everything mj_step1 does.
func (m *Model) sensorRefresh(i int) C.int {
	if m.c.nplugin > 0 || valueAt(m.c.sensor_objtype, i) == C.mjOBJ_CAMERA ||
		valueAt(m.c.sensor_reftype, i) == C.mjOBJ_CAMERA {
		return C.PR_REFRESH_FULL
	}
	switch valueAt(m.c.sensor_type, i) {
	case C.mjSENS_JOINTPOS, C.mjSENS_JOINTVEL, C.mjSENS_BALLQUAT, C.mjSENS_BALLANGVEL,
		C.mjSENS_VELOCIMETER, C.mjSENS_GYRO, C.mjSENS_MAGNETOMETER,
		C.mjSENS_FRAMEPOS, C.mjSENS_FRAMEQUAT, C.mjSENS_FRAMEXAXIS, C.mjSENS_FRAMEYAXIS, C.mjSENS_FRAMEZAXIS,
		C.mjSENS_FRAMELINVEL, C.mjSENS_FRAMEANGVEL, C.mjSENS_SUBTREECOM, C.mjSENS_CLOCK:
		return C.PR_REFRESH_LIGHT
	}
	return C.PR_REFRESH_FULL
}

func (m *Model) name(kind C.int, id int) string {
	return C.GoString(C.mj_id2name(m.c, kind, C.int(id)))
}

func (m *Model) resetStates() error {
	nkey, size := int(m.c.nkey), m.StateSize()
	all := make([]float64, nkey*size)
	if err := try(func(message *C.char) bool {
		return C.pr_resetStates(m.c, doubles(m.Initial), doubles(all), message) == 0
	}); err != nil {
		return err
	}
	m.Keyframes = map[string][]float64{}
	for key := range nkey {
		m.Keyframes[m.label(C.mjOBJ_KEY, key)] = all[key*size : (key+1)*size]
	}
	return nil
}

var handles engine.Counter

// OpenHandles returns the number of models, steppers and bare loops of this
// process that are not closed, so that a test can hold it to zero.
func OpenHandles() int { return handles.Open() }

// Digest is the CRC32C of the compiled model: of all that its files say, those that they
// include and their assets too, wherever they lie.
func (m *Model) Digest() uint32 {
	var pin runtime.Pinner
	defer pin.Unpin()
	c := *m.c // a copy without the paths of assets
	if m.fileNear > 0 {
		c.vis._map.znear = m.fileNear // the value of the model's file: the far end follows from the rest
	}
	if c.npaths > 1 {
		c.npaths = 0
	}
	for _, list := range []struct {
		addresses *(*C.int)
		n         C.mjtSize
	}{{&c.mesh_pathadr, c.nmesh}, {&c.hfield_pathadr, c.nhfield}, {&c.skin_pathadr, c.nskin},
		{&c.tex_pathadr, c.ntex}} {
		if list.n > 0 {
			places := slices.Clone(unsafe.Slice(*list.addresses, list.n))
			for i, place := range places {
				places[i] = min(place, 0) // -1: it comes from no file
			}
			pin.Pin(&places[0])
			*list.addresses = &places[0]
		}
	}
	size := C.mj_sizeModel(&c)
	buffer := C.calloc(1, C.size_t(size))
	defer C.free(buffer)
	C.mj_saveModel(&c, nil, buffer, size)
	return crc32.Checksum(unsafe.Slice((*byte)(buffer), size), crc32.MakeTable(crc32.Castagnoli))
}

// Contact is a contact of two geoms.
type Contact struct {
	Geoms    [2]int  // IDs; −1 for an object that is no geom, such as a flexible body
	Distance float64 // m, negative where they overlap
}

const maxContacts = 4096

// Contacts returns the contacts of a state row, at most 4096. It may be called from any
// goroutine; it takes the memory and the time of a step.
func (m *Model) Contacts(row []float64) ([]Contact, error) {
	if len(row) != m.StateSize() {
		return nil, fmt.Errorf("mujoco: the state has %d values, want %d", len(row), m.StateSize())
	}
	found := make([]C.pr_Contact, maxContacts)
	n := C.int(0)
	if err := try(func(message *C.char) bool {
		return C.pr_contacts(m.c, doubles(row), unsafe.SliceData(found), maxContacts, &n, message) == 0
	}); err != nil {
		return nil, fmt.Errorf("mujoco: %w", err)
	}
	list := make([]Contact, min(int(n), maxContacts))
	for i := range list {
		list[i] = Contact{[2]int{int(found[i].geom[0]), int(found[i].geom[1])}, float64(found[i].distance)}
	}
	return list, nil
}

// Equality is a constraint of a model that keeps bodies, joints, tendons or a flex where another has them.
type Equality struct {
	Type string  // MuJoCo's type, such as "connect"
	Ref  string  // name of the constraint, or "#ID"
	Off  float64 // largest error of the constraint in a state, m or rad; 0 if it is not in force
}

// Equalities returns the equality constraints of the model in a state row. It may be called from any goroutine.
func (m *Model) Equalities(row []float64) ([]Equality, error) {
	if len(row) != m.StateSize() {
		return nil, fmt.Errorf("mujoco: the state has %d values, want %d", len(row), m.StateSize())
	}
	off := make([]float64, int(m.c.neq))
	if err := try(func(message *C.char) bool {
		return C.pr_equalities(m.c, doubles(row), doubles(off), message) == 0
	}); err != nil {
		return nil, fmt.Errorf("mujoco: %w", err)
	}
	list := make([]Equality, len(off))
	for i, x := range off {
		list[i] = Equality{equalities[id(m.c.eq_type, i)], m.label(C.mjOBJ_EQUALITY, i), x}
	}
	return list, nil
}

// equalities are the types of constraints in the order of mjtEq.
var equalities = strings.Fields("connect weld joint tendon flex flexvert flexstrain distance")
