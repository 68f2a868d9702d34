package mujoco

// #include <stdlib.h>
// #include "shim.h"
import "C"

import (
	"fmt"
	"io/fs"
	"maps"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"unsafe"

	"github.com/polyrhythm-rl/polyrhythm/internal/handle"
	"github.com/polyrhythm-rl/polyrhythm/physics"
)

// Options changes what the model file says.
type Options struct {
	// Timestep is the length of a substep in seconds; 0 means the file's.
	Timestep float64
}

// Model is a compiled MuJoCo model. It implements [physics.Model] and may be
// used by any number of goroutines, Close apart.
type Model struct {
	c        *C.mjModel
	warnings string
	timestep float64
	// fileTimestep is that of the file, of a scene; else 0.
	fileTimestep float64

	stateSize  int
	fields     map[string]physics.Span
	probes     map[string]probe
	derived    map[string]derived
	constants  map[string][]float64
	parameters map[string]parameter
	initial    []float64
	keyframes  map[string][]float64
	controls   [][2]float64 // range of each control
	joints     []string
	ranges     map[string][2]float64 // of each named joint
	actuators  []string

	lent handle.Lender // to open steppers and bare loops

	// How often contacts and constraints did not fit, in steppers that are closed.
	contactsLost, constraintsLost atomic.Int64
}

// probe is a probe and where its values lie.
type probe struct {
	physics.Probe
	at      []C.pr_Probe // its parts, in order
	refresh C.int        // what it takes to bring the value up to date after a substep
	refused string       // why it cannot be probed, "" if it can
}

// Version returns the version of the MuJoCo library in use, such as "4.0.1".
func Version() string { return C.GoString(C.mj_versionString()) }

// Libraries returns the path of the MuJoCo library in use, as the dynamic linker found it,
// and that of the shared library which this package is in; "" for what is part of the
// program itself.
func Libraries() (mujoco, own string) {
	var m, o [4096]C.char
	C.pr_libraries(&m[0], &o[0], C.int(len(m)))
	return C.GoString(&m[0]), C.GoString(&o[0])
}

// loadLimit is how much memory a model may take that is no part of a scene, which has a
// limit of its own, in bytes.
const loadLimit = 16 << 30

// Load compiles the MJCF (or URDF) file at path. Close the model when done.
// An error of the compiler is MuJoCo's own message after the file and the line.
func Load(path string, opt Options) (*Model, error) {
	return openModel(path, nil, opt)
}

// LoadBytes is [Load] for an MJCF file whose contents are at hand; name stands
// for the file in messages. The file must not refer to others.
func LoadBytes(name string, data []byte, opt Options) (*Model, error) {
	return openModel(name, []file{{name, data}}, opt)
}

// LoadFS is [Load] for an MJCF file in fsys, such as an embed.FS, where the files that
// it refers to lie too. All files of fsys are read.
func LoadFS(fsys fs.FS, name string, opt Options) (*Model, error) {
	var files []file
	err := fs.WalkDir(fsys, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		data, err := fs.ReadFile(fsys, path)
		if err == nil && len(data) > 0 {
			files = append(files, file{path, data})
		}
		return err
	})
	if err == nil && !slices.ContainsFunc(files, func(f file) bool { return f.name == name }) {
		err = &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	if err != nil {
		return nil, fmt.Errorf("mujoco: %w", err)
	}
	return openModel(name, files, opt)
}

// file is a file in memory.
type file struct {
	name string
	data []byte
}

// openModel compiles the file called name, which is one of files or, where there are none,
// on disk.
func openModel(name string, files []file, opt Options) (*Model, error) {
	for _, f := range files {
		if len(f.data) == 0 || len(f.data) > math.MaxInt32 {
			return nil, fmt.Errorf("mujoco: %s: the file has %d bytes, want 1 to %d", f.name, len(f.data), math.MaxInt32)
		}
	}
	m, err := compile(name, files, opt)
	if err != nil {
		return nil, fmt.Errorf("mujoco: %w", err)
	}
	m.lent.Lend(handle.Watch(&handles, m, "model"))
	return m, nil
}

// compile is openModel without watching the model.
func compile(name string, files []file, opt Options) (*Model, error) {
	if err := opt.check(); err != nil {
		return nil, err
	}
	s := sources{limit: loadLimit, memory: map[string][]byte{}}
	for _, f := range files {
		s.memory[clean(f.name)] = f.data
	}
	w, err := newWorkshop(&s, files)
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
	m.describe()
	if err := m.resetStates(); err != nil {
		C.mj_deleteModel(c)
		return nil, err
	}
	return m, nil
}

// check reports options out of their bounds, and a library of another version than the
// headers.
func (opt Options) check() error {
	if have, want := int(C.mj_version()), int(C.mjVERSION_HEADER); have != want {
		return fmt.Errorf("the library is version %d, the program was compiled with the headers of %d: rebuild with go build -a", have, want)
	}
	if !(opt.Timestep >= 0) || math.IsInf(opt.Timestep, 0) {
		return fmt.Errorf("timestep is %v s, want a positive number or 0 for the file's", opt.Timestep)
	}
	return nil
}

// oneLine joins the lines of a message of MuJoCo's.
func oneLine(message *C.char) string {
	var lines []string
	for line := range strings.Lines(C.GoString(message)) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.ReplaceAll(strings.Join(lines, "; "), ":;", ":")
}

// Warnings returns the compiler's warnings about a model that it accepted, in one
// line; "" if there are none.
func (m *Model) Warnings() string { return m.warnings }

// Overflow says, in one line, how often the model's memory was too small for all
// contacts or constraints of a step, which then went on without the rest; "" if it
// never was. It counts closed steppers only. It may be called from any
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

// JointNames returns the names of the joints in the model's order, "" for one
// without. The slice is the caller's.
func (m *Model) JointNames() []string { return slices.Clone(m.joints) }

// ActuatorNames returns the names of the actuators in the model's order, ""
// for one without. The slice is the caller's.
func (m *Model) ActuatorNames() []string { return slices.Clone(m.actuators) }

// JointRange returns the limits of a joint, in radians or metres; ∓Inf if it
// has none. A ball joint's limit is on its angle.
func (m *Model) JointRange(name string) (lo, hi float64, err error) {
	r, ok := m.ranges[name]
	if !ok {
		return 0, 0, physics.UnknownError("joint", name, slices.Sorted(maps.Keys(m.ranges)))
	}
	return r[0], r[1], nil
}

// StateSize implements [physics.Model].
func (m *Model) StateSize() int { return m.stateSize }

// ControlSize implements [physics.Model].
func (m *Model) ControlSize() int { return len(m.controls) }

// ControlRange implements [physics.Model].
func (m *Model) ControlRange(i int) (lo, hi float64) {
	return m.controls[i][0], m.controls[i][1]
}

// Field implements [physics.Model]. The components of the state are "time",
// "qpos", "qvel", "act", "history", "warmstart", "control", "qfrc_applied",
// "xfrc_applied", "eq_active", "mocap_pos", "mocap_quat", "userdata", "plugin"
// and "plastic". Parts of them are "joint/NAME/position" (in qpos),
// "joint/NAME/velocity" (in qvel), "actuator/NAME" (in control), "qfrc_applied/JOINT",
// "xfrc_applied/BODY" (force in N, then torque in N·m, at the centre of mass in world
// axes; it acts until it is changed), "mocap_pos/BODY" and "mocap_quat/BODY". An object
// without a name goes by its number, such as "#3".
func (m *Model) Field(name string) (physics.Span, error) {
	span, ok := m.fields[name]
	if !ok {
		err := physics.UnknownError("field", name, slices.Sorted(maps.Keys(m.fields)))
		return physics.Span{}, fmt.Errorf("mujoco: %w (the state has %s, joint/NAME/position, joint/NAME/velocity, actuator/NAME, qfrc_applied/JOINT, xfrc_applied/BODY, mocap_pos/BODY, mocap_quat/BODY)",
			err, strings.Join(components[:], ", "))
	}
	return span, nil
}

// InitialState implements [physics.Model]: the state after mj_resetData.
func (m *Model) InitialState(dst []float64) {
	mustHold(dst, m.stateSize)
	copy(dst, m.initial)
}

// Keyframe implements [physics.Model].
func (m *Model) Keyframe(name string, dst []float64) error {
	state, ok := m.keyframes[name]
	if !ok {
		return fmt.Errorf("mujoco: %w", physics.UnknownError("keyframe", name, slices.Sorted(maps.Keys(m.keyframes))))
	}
	mustHold(dst, m.stateSize)
	copy(dst, state)
	return nil
}

func mustHold(dst []float64, size int) {
	if len(dst) != size {
		panic(fmt.Sprintf("mujoco: state row of %d values, want %d", len(dst), size))
	}
}

// Probe implements [physics.Model]. NAME is that of a body, geom, site, joint,
// actuator or sensor, or "#3" for one without a name, by its number in the model.
// Quaternions are w, x, y, z; everything is in the world's frame.
//
//	qpos, qvel             Motion: the generalised position and velocity
//	pose                   Motion: what decides where everything is: qpos, then the
//	                       positions of the mocap bodies, then their quaternions
//	joint/NAME/position    Motion: part of qpos; likewise joint/NAME/velocity of qvel
//	body/NAME/position     Motion, 3: the origin of the body's frame, m
//	body/NAME/quaternion   Motion, 4
//	body/NAME/velocity     Motion, 6: linear, of that origin, m/s; angular, rad/s
//	geom/NAME/position     Motion, 3: m
//	site/NAME/position     Motion, 3: m
//	site/NAME/velocity     Motion, 6: as of a body
//	qacc                   Force: the generalised acceleration
//	joint/NAME/torque      Force: of the actuators on the joint, N·m or N
//	actuator_force         Force: of all actuators, in their own spaces
//	actuator/NAME/force    Force: of one
//	contact/body/NAME      Force, 3: the sum of the contact forces on the body, N
//	contact/geom/NAME      Force, 3: the sum of the contact forces on the geom, N
//	sensor/NAME            a sensor of the position or velocity stage is Motion, one
//	                       of the acceleration stage Force
//
// A sensor with a delay or an interval of its own is refused: its reading
// depends on more than the state row, and rates and latency belong to package
// sensors.
func (m *Model) Probe(source string) (physics.Probe, error) {
	p, err := m.probe(source)
	return p.Probe, err
}

func (m *Model) probe(source string) (probe, error) {
	p, ok := m.probes[source]
	if !ok {
		return probe{}, fmt.Errorf("mujoco: %w", physics.UnknownError("probe", source, slices.Sorted(maps.Keys(m.probes))))
	}
	if p.refused != "" {
		return probe{}, fmt.Errorf("mujoco: cannot probe %q: %s", source, p.refused)
	}
	return p, nil
}

// Close implements [physics.Model]. It fails while steppers or bare loops of the
// model are open; closing a second time does nothing.
func (m *Model) Close() error {
	if n := m.lent.Close(func() {
		C.mj_deleteModel(m.c)
		m.c = nil
	}); n > 0 {
		return fmt.Errorf("mujoco: model closed with %d steppers or bare loops open", n)
	}
	return nil
}

// components names the parts of the integration state in the order of mjtState's
// bits, which is their order in a row.
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
	m.describeParameters()
}

func (m *Model) describeState() {
	m.fields = map[string]physics.Span{}
	for bit, name := range components {
		size := int(C.mj_stateSize(m.c, C.int(1)<<bit))
		m.fields[name] = physics.Span{Offset: m.stateSize, Len: size}
		m.stateSize += size
	}
}

func (m *Model) describeJoints() {
	n := int(m.c.njnt)
	limited := unsafe.Slice(m.c.jnt_limited, n)
	limits := unsafe.Slice(m.c.jnt_range, 2*n)

	m.ranges = map[string][2]float64{}
	for i := range n {
		name := m.name(C.mjOBJ_JOINT, i)
		m.joints = append(m.joints, name)
		if name != "" {
			m.ranges[name] = limits2(bool(limited[i]), limits[2*i:])
		}
		joint, position, velocity := m.jointParts(i)
		m.addField("joint/"+joint+"/position", "qpos", position.from, position.size)
		m.addField("joint/"+joint+"/velocity", "qvel", velocity.from, velocity.size)
		m.addField("qfrc_applied/"+joint, "qfrc_applied", velocity.from, velocity.size)
	}
}

// describeBodies names what can be written of a body.
func (m *Model) describeBodies() {
	mocap := unsafe.Slice(m.c.body_mocapid, int(m.c.nbody))
	for i := range int(m.c.nbody) {
		body := m.label(C.mjOBJ_BODY, i)
		m.addField("xfrc_applied/"+body, "xfrc_applied", 6*i, 6)
		if at := int(mocap[i]); at >= 0 {
			m.addField("mocap_pos/"+body, "mocap_pos", 3*at, 3)
			m.addField("mocap_quat/"+body, "mocap_quat", 4*at, 4)
		}
	}
}

// addField names a part of a component of the state row.
func (m *Model) addField(name, component string, from, size int) {
	m.fields[name] = physics.Span{Offset: m.fields[component].Offset + from, Len: size}
}

func (m *Model) describeActuators() {
	nu, n := int(m.c.nu), int(m.c.nactuator)
	limited := unsafe.Slice(m.c.actuator_ctrllimited, nu)
	limits := unsafe.Slice(m.c.actuator_ctrlrange, 2*nu)
	for i := range nu {
		m.controls = append(m.controls, limits2(bool(limited[i]), limits[2*i:]))
	}

	first := unsafe.Slice(m.c.actuator_ctrladr, n)
	count := unsafe.Slice(m.c.actuator_ctrlnum, n)
	for i := range n {
		m.actuators = append(m.actuators, m.name(C.mjOBJ_ACTUATOR, i))
		m.addField("actuator/"+m.label(C.mjOBJ_ACTUATOR, i), "control", int(first[i]), int(count[i]))
	}
}

// limits2 is a range of MuJoCo's, infinite unless it is limited.
func limits2(limited bool, limits []C.mjtNum) [2]float64 {
	if !limited {
		return [2]float64{math.Inf(-1), math.Inf(1)}
	}
	return [2]float64{float64(limits[0]), float64(limits[1])}
}

func (m *Model) describeSensors() {
	n := int(m.c.nsensor)
	address := unsafe.Slice(m.c.sensor_adr, n)
	size := unsafe.Slice(m.c.sensor_dim, n)
	needs := unsafe.Slice(m.c.sensor_needstage, n)
	delay := unsafe.Slice(m.c.sensor_delay, n)
	interval := unsafe.Slice(m.c.sensor_interval, 2*n)
	var d C.mjData // for the places of its fields only
	for i := range n {
		name := m.name(C.mjOBJ_SENSOR, i)
		if name == "" {
			continue
		}
		source := "sensor/" + name
		p := probe{
			Probe:   physics.Probe{Source: source, Size: int(size[i]), Stage: physics.Motion},
			at:      []C.pr_Probe{{kind: C.PR_FIELD, field: C.int32_t(unsafe.Offsetof(d.sensordata)), from: address[i], size: size[i]}},
			refresh: m.sensorRefresh(i),
		}
		if needs[i] == C.mjSTAGE_ACC {
			p.Stage = physics.Force
			p.at[0].force = 1
			p.refresh = C.PR_REFRESH_NONE
		}
		if delay[i] > 0 || interval[2*i] > 0 {
			p.refused = fmt.Sprintf("it has a delay (%g s) or an interval (%g s) in the model", float64(delay[i]), float64(interval[2*i]))
		}
		m.probes[source] = p
	}
}

// sensorRefresh says what it takes to compute sensor i, of the position or
// velocity stage, at a new state. Body frames and velocities are enough for the
// sensors listed; whatever else is probed (contacts, limits, tendons, cameras,
// energies, distances, plugins) gets everything mj_step1 does.
func (m *Model) sensorRefresh(i int) C.int {
	n := int(m.c.nsensor)
	types := unsafe.Slice(m.c.sensor_type, n)
	object := unsafe.Slice(m.c.sensor_objtype, n)
	reference := unsafe.Slice(m.c.sensor_reftype, n)
	if m.c.nplugin > 0 || object[i] == C.mjOBJ_CAMERA || reference[i] == C.mjOBJ_CAMERA {
		return C.PR_REFRESH_FULL
	}
	switch types[i] {
	case C.mjSENS_JOINTPOS, C.mjSENS_JOINTVEL, C.mjSENS_BALLQUAT, C.mjSENS_BALLANGVEL,
		C.mjSENS_VELOCIMETER, C.mjSENS_GYRO, C.mjSENS_MAGNETOMETER,
		C.mjSENS_FRAMEPOS, C.mjSENS_FRAMEQUAT, C.mjSENS_FRAMEXAXIS, C.mjSENS_FRAMEYAXIS, C.mjSENS_FRAMEZAXIS,
		C.mjSENS_FRAMELINVEL, C.mjSENS_FRAMEANGVEL, C.mjSENS_SUBTREECOM, C.mjSENS_CLOCK:
		return C.PR_REFRESH_LIGHT
	}
	return C.PR_REFRESH_FULL
}

// name returns the name of an object of the model, "" if it has none.
func (m *Model) name(kind C.int, id int) string {
	return C.GoString(C.mj_id2name(m.c, kind, C.int(id)))
}

// resetStates fills in the initial state and the named keyframes.
func (m *Model) resetStates() error {
	nkey := int(m.c.nkey)
	m.initial = make([]float64, m.stateSize)
	all := make([]float64, nkey*m.stateSize)
	var message [C.PR_MESSAGE]C.char
	if C.pr_resetStates(m.c, (*C.double)(unsafe.SliceData(m.initial)), (*C.double)(unsafe.SliceData(all)), &message[0]) != 0 {
		return fmt.Errorf("%s", oneLine(&message[0]))
	}
	m.keyframes = map[string][]float64{}
	for key := range nkey {
		if name := m.name(C.mjOBJ_KEY, key); name != "" {
			m.keyframes[name] = all[key*m.stateSize : (key+1)*m.stateSize]
		}
	}
	return nil
}
