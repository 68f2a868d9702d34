package mujoco

// #include "rehearse.h"
// #include "shim.h"
// #include <stdlib.h>
import "C"

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"go.yaml.in/yaml/v3"

	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/mujoco/scene"
)

// The least size of the pictures that a compiled scene can be drawn in, in pixels.
const (
	minWidth  = 1280
	minHeight = 960
)

// Compile compiles a scene. The files of its models are relative to folder. Close the model when done.
//
// The keyframes of all models are those of the scene. In a keyframe, the control of an added position actuator is the
// position of its joint, as far as its limits let it; that of any other added actuator is 0.
//
// An error about a setting begins with its key, such as "scene.models[0].file".
func Compile(s scene.Settings, folder string, opt Options) (*Model, error) {
	if err := s.Validate(); err != nil {
		return nil, fmt.Errorf("scene.%w", err)
	}
	if err := opt.check(); err != nil {
		return nil, err
	}
	memory, err := builtinFiles(s.Models, opt.Builtin)
	if err != nil {
		return nil, err
	}
	files := newSources(memory)
	settings, err := yaml.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("scene: %w", err)
	}
	files.note(folder, settings)
	w, err := newWorkshop(files, s.MemoryBytes(), opt)
	if err != nil {
		return nil, err
	}
	defer w.close()
	b := newBuilder(s)
	b.timestep = opt.Timestep
	if err := b.readNetworks(files, folder); err != nil {
		return nil, err
	}
	names, entities := s.Entities()
	if err := b.mergeModels(w, files, folder); err != nil {
		return nil, err
	}
	if err := b.checkActuators(); err != nil {
		return nil, err
	}
	extent := 0.0 // extent of the scene without its terrain
	if s.Terrain.Given() && math.IsNaN(float64(b.spec.stat.extent)) {
		extent = w.extentOf(b.spec, opt)
	}
	ground, err := b.addTerrain(w.limit)
	if err != nil {
		return nil, fmt.Errorf("scene.terrain%w", err)
	}
	b.addSurroundings()
	if err := b.collideNumbered(w, opt); err != nil {
		return nil, b.withNotes(err)
	}
	if err := cmp.Or(b.checkCollisions(), b.separate()); err != nil {
		return nil, err
	}
	fileTimestep := float64(b.spec.option.timestep)
	if err := b.addNetworks(); err != nil {
		return nil, err
	}
	fileNear := C.float(0) // near end of the view in the model's file
	m, err := w.compile(b.spec, opt, func(c *C.mjModel) {
		b.holdKeyframes(c)
		b.placeNetworks(c)
		if extent > 0 { // the near end does not depend on the ground
			fileNear = c.vis._map.znear
			c.vis._map.znear *= C.float(extent / float64(c.stat.extent))
		}
	})
	if err != nil {
		return nil, b.withNotes(err)
	}
	m.fileTimestep, m.fileNear, m.terrain, m.notes = fileTimestep, fileNear, ground, append(b.notes, w.notes...)
	m.entities = b.entitiesOf(names, entities, m)
	if err := m.addPairs(s.Contacts); err != nil {
		return nil, errors.Join(fmt.Errorf("scene.contacts%w", err), m.Close())
	}
	return m, nil
}

// mergeModels puts the models of the scene together, in their order.
func (b *builder) mergeModels(w *workshop, files *sources, folder string) (err error) {
	for i, model := range b.settings.Models {
		key := fmt.Sprintf("scene.models[%d]", i)
		var spec *C.mjSpec
		if model.File == "" {
			spec = w.shape(model)
		} else {
			path := resolve(folder, model.File)
			if !b.settings.AllowOutside {
				files.folder = filepath.Dir(path)
			}
			if spec, err = w.parse(path, model.Prefix); err != nil {
				return fmt.Errorf("%s.file: %w", key, err)
			}
		}
		if b.timestep == 0 { // the first model decides
			b.timestep = float64(spec.option.timestep)
		}
		if err := b.fitNetworks(); err != nil {
			return err
		}
		if err := b.merge(spec, i, model.File != "" && w.origins[len(w.origins)-1].isURDF()); err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
		b.claim(i)
	}
	return nil
}

// withNotes returns an error of compiling with what the scene notes, which may be why.
func (b *builder) withNotes(err error) error {
	if b.notes != nil {
		return fmt.Errorf("scene: %w; %s", err, strings.Join(b.notes, "; "))
	}
	return fmt.Errorf("scene: %w", err)
}

// builtinFiles reads the models of a scene that the program has.
func builtinFiles(models []scene.Model, builtin fs.FS) (files map[string][]byte, err error) {
	files = map[string][]byte{}
	for i, model := range models {
		name, ok := strings.CutPrefix(model.File, scene.Builtin)
		if !ok {
			continue
		}
		var known []string
		if builtin != nil {
			if known, err = fs.Glob(builtin, "*"); err != nil {
				return nil, err
			}
		}
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("scene.models[%d].file is %s, want a path, or %s and one of %s",
				i, model.File, scene.Builtin, strings.Join(known, ", "))
		}
		if files[model.File], err = fs.ReadFile(builtin, name); err != nil {
			return nil, fmt.Errorf("scene.models[%d].file: %w", i, err)
		}
	}
	return files, nil
}

// workshop holds what a model or a scene is made of, until it is compiled.
type workshop struct {
	sources *sources
	limit   int64 // memory, in bytes, that reading, compiling and starting may each take
	vfs     *C.mjVFS
	specs   []*C.mjSpec
	origins []origin
	trusted bool     // files are compiled without a rehearsal in a copy of the process
	asked   int      // number of rehearsals that the model needs, so far
	notes   []string // what the models are not that their files say
}

func newWorkshop(s *sources, limit int64, opt Options) (*workshop, error) {
	installHandlers()
	// MuJoCo keeps its address, and where a name is not exact finds the file that it met first.
	w := &workshop{sources: s, limit: limit, trusted: opt.Trusted, vfs: (*C.mjVFS)(C.malloc(C.sizeof_mjVFS))}
	C.mj_defaultVFS(w.vfs)
	s.note("options", fmt.Appendf(nil, "%v %d", opt.Timestep, limit))
	for _, name := range slices.Sorted(maps.Keys(s.memory)) {
		data := s.memory[name]
		n := len(data)
		if n == 0 || n > math.MaxInt32 || C.mj_addBufferVFS(w.vfs, cString(name), unsafe.Pointer(&data[0]),
			C.int(n)) != 0 {
			w.close()
			return nil, fmt.Errorf("%s: the file has %d bytes, want 1 to %d", name, n, math.MaxInt32)
		}
	}
	return w, nil
}

var installHandlers = sync.OnceFunc(func() {
	C.mju_setLogHandler((*[0]byte)(C.pr_logHandler))
	C.mjcb_act_bias = (C.mjfAct)(C.pr_motorBias)
	C.mjcb_act_dyn = (C.mjfAct)(C.pr_motorHistory)
})

func (w *workshop) close() {
	for _, spec := range slices.Backward(w.specs) {
		C.mj_deleteSpec(spec)
	}
	C.mj_deleteVFS(w.vfs)
	C.free(unsafe.Pointer(w.vfs))
}

// parse reads a model file, checks all that it refers to, and parses it. Its names will
// begin with prefix. The spec is the workshop's.
func (w *workshop) parse(path, prefix string) (*C.mjSpec, error) {
	t, err := w.sources.readTree(path)
	if err != nil {
		return nil, err
	}
	if err := needPlugins(t); err != nil {
		return nil, err
	}
	w.origins = append(w.origins, origin{t, prefix})
	name := cString(path)
	var spec *C.mjSpec
	err = w.rehearse(func() C.pr_Copy { return C.pr_rehearseParse(name, w.vfs, C.int64_t(w.limit)) }, "reading", path)
	if err == nil {
		err = try(func(message *C.char) bool {
			reading.RLock()
			defer reading.RUnlock()
			spec = C.pr_parseSpec(name, w.vfs, message)
			return spec != nil
		})
	}
	if err != nil {
		return nil, explain(w.origins[len(w.origins)-1:], err)
	}
	w.specs = append(w.specs, spec)
	return spec, cmp.Or(checkFiles(spec, t), checkLengthRange(spec, t))
}

// path is that of the first model; a scene of shapes alone has none.
func (w *workshop) path() string {
	if len(w.origins) == 0 {
		return "shapes"
	}
	return w.origins[0].documents[0].path
}

// make compiles a spec into a model, which the caller deletes, and returns the warnings of the compiler.
func (w *workshop) make(spec *C.mjSpec, opt Options) (c *C.mjModel, warnings string, err error) {
	forgetNetworks(spec)
	rehearse := func() error {
		return w.rehearse(func() C.pr_Copy {
			return C.pr_rehearseCompile(spec, w.vfs, C.double(opt.Timestep), C.int64_t(w.limit))
		}, "compiling", w.path())
	}
	if err = rehearse(); err != nil && w.repair(spec, err) {
		err = rehearse()
	}
	if err == nil {
		err = try(func(message *C.char) bool {
			reading.RLock()
			defer reading.RUnlock()
			c = C.pr_compileSpec(spec, w.vfs, C.double(opt.Timestep), message)
			warnings = oneLine(message)
			return c != nil
		})
	}
	if err != nil {
		return nil, "", explain(w.origins, err)
	}
	return c, warnings, nil
}

// compile compiles a spec; finish, unless it is nil, may change the result.
func (w *workshop) compile(spec *C.mjSpec, opt Options, finish func(*C.mjModel)) (*Model, error) {
	if opt.MJCF != nil {
		makeAbsolute(spec)
	}
	path := w.path()
	c, warnings, err := w.make(spec, opt)
	if err != nil {
		return nil, err
	}
	if err := checkStepping(w.origins, c.opt.enableflags); err != nil {
		C.mj_deleteModel(c)
		return nil, err
	}
	if finish != nil {
		finish(c)
	}
	if err := w.rehearse(func() C.pr_Copy { return C.pr_rehearseStart(c, C.int64_t(w.limit)) }, "beginning",
		path); err != nil {
		C.mj_deleteModel(c)
		return nil, explain(w.origins, err)
	}
	m, err := newModel(c, warnings)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if opt.MJCF != nil {
		text, err := saveXML(spec, c)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("%s: %w", path, err), m.Close())
		}
		opt.MJCF(text)
	}
	return m, nil
}

// extentOf returns the extent of the model of a spec, m; 0 for one that is nothing yet.
func (w *workshop) extentOf(spec *C.mjSpec, opt Options) float64 {
	c, _, err := w.make(spec, opt)
	if err != nil {
		return 0
	}
	defer C.mj_deleteModel(c)
	return float64(c.stat.extent)
}

type builder struct {
	settings scene.Settings
	spec     *C.mjSpec // specification of the first model, to which the others are attached

	entries          []entry
	known            []string          // names of all hinge and slide joints
	holders          [][2]string       // added position actuators and their joints
	learnedActuators []learnedActuator // added actuators with networks

	timestep float64 // s

	collisions []collision
	geoms      []string // names of all geoms
	nameless   bool     // some geoms have no name
	floors     floors
	notes      []string
	owners     map[*C.mjsElement]int // number of the model of each element
}

// entry is one of the settings of actuators.
type entry struct {
	scene.Actuators
	patterns []*regexp.Regexp // of Joints
	hasMatch []bool           // by pattern: it matches the name of a joint
	added    int              // number of joints that got an actuator from the entry
	network  *network         // network of an actuator of type Learned
}

// newBuilder returns a builder for valid settings.
func newBuilder(s scene.Settings) *builder {
	b := &builder{settings: s, entries: make([]entry, len(s.Actuators)), owners: map[*C.mjsElement]int{}}
	for i, a := range s.Actuators {
		b.entries[i] = entry{Actuators: a, patterns: patternsOf(a.Joints), hasMatch: make([]bool, len(a.Joints))}
	}
	for _, a := range s.Collisions {
		c := collision{Collision: a, patterns: patternsOf(a.Geoms), hasMatch: make([]bool, len(a.Geoms))}
		for _, pattern := range c.patterns {
			c.numbers = append(c.numbers, numbersOf(pattern))
		}
		b.collisions = append(b.collisions, c)
	}
	return b
}

// patternsOf compiles patterns that are valid.
func patternsOf(texts []string) (list []*regexp.Regexp) {
	for _, text := range texts {
		pattern, _ := scene.Pattern(text)
		list = append(list, pattern)
	}
	return list
}

// joint is a hinge or slide joint of a model that is not compiled yet.
type joint struct {
	name     string // name with the prefix of the model
	fileName string // name in the model's file
	c        *C.mjsJoint
	limited  bool
}

// merge adds what one model lacks and attaches it to the first.
func (b *builder) merge(spec *C.mjSpec, index int, isURDF bool) error {
	model := b.settings.Models[index]
	if model.Free {
		if err := float(spec, model.Name); err != nil {
			return err
		}
	}
	if isURDF {
		excludeFixed(spec)
	}
	if err := nameJoints(spec); err != nil {
		return err
	}
	if err := b.addActuators(spec, model.Prefix); err != nil {
		return err
	}
	if model.GravComp > 0 {
		for _, e := range elements(spec, C.mjOBJ_BODY) {
			C.mjs_asBody(e).gravcomp = C.double(model.GravComp)
		}
	}
	b.collide(spec, model.Prefix)
	if err := b.findFloors(spec, index); err != nil {
		return err
	}
	if b.spec == nil {
		b.spec = spec
		setPhysics(&spec.option, b.settings.Physics)
		return nil
	}
	return try(func(message *C.char) bool {
		return C.pr_attach(b.spec, spec, cString(model.Prefix), doubles(model.Position[:]),
			doubles(quaternion(model.Rotation)), message) == 0
	})
}

func setPhysics(o *C.mjOption, p scene.Physics) {
	for _, choice := range []struct {
		target *C.int
		value  string
		known  []string
	}{{&o.cone, p.Cone, scene.Cones}, {&o.integrator, p.Integrator, scene.Integrators}, {&o.solver, p.Solver,
		scene.Solvers}} {
		if i := slices.Index(choice.known, choice.value); i >= 0 {
			*choice.target = C.int(i)
		}
	}
	if p.Impratio > 0 {
		o.impratio = C.mjtNum(p.Impratio)
	}
	if p.Iterations > 0 {
		o.iterations = C.int(p.Iterations)
	}
	if p.LineSearch > 0 {
		o.ls_iterations = C.int(p.LineSearch)
	}
	if p.Gravity != nil {
		for i, v := range p.Gravity {
			o.gravity[i] = C.mjtNum(v)
		}
	}
}

// The orders of scene.Cones, Integrators and Solvers are those of MuJoCo.
var (
	_ [0]struct{} = [C.mjCONE_ELLIPTIC - 1]struct{}{}
	_ [0]struct{} = [C.mjINT_IMPLICITFAST - 3]struct{}{}
	_ [0]struct{} = [C.mjSOL_NEWTON - 2]struct{}{}
)

// quaternion returns the rotation by roll, pitch and yaw about the fixed axes, in this order.
func quaternion(rotation [3]float64) []float64 {
	sr, cr := math.Sincos(rotation[0] / 2)
	sp, cp := math.Sincos(rotation[1] / 2)
	sy, cy := math.Sincos(rotation[2] / 2)
	return []float64{
		float64(cr*cp*cy) + float64(sr*sp*sy),
		float64(sr*cp*cy) - float64(cr*sp*sy),
		float64(cr*sp*cy) + float64(sr*cp*sy),
		float64(cr*cp*sy) - float64(sr*sp*cy),
	}
}

func elements(spec *C.mjSpec, kind C.mjtObj) []*C.mjsElement {
	var list []*C.mjsElement
	for e := C.mjs_firstElement(spec, kind); e != nil; e = C.mjs_nextElement(spec, e) {
		list = append(list, e)
	}
	return list
}

func elementName(e *C.mjsElement) string { return text(unsafe.Pointer(C.mjs_getName(e))) }

func text(s unsafe.Pointer) string { return C.GoString(C.mjs_getString(s)) }

func setString(dst unsafe.Pointer, value string) { C.mjs_setString(dst, cString(value)) }

// nameJoints gives hinge and slide joints without a name the name joint_N, so that
// patterns can match them. N counts the joints of the file from 0.
func nameJoints(spec *C.mjSpec) error {
	used := map[string]bool{}
	joints := elements(spec, C.mjOBJ_JOINT)
	for _, e := range joints {
		used[elementName(e)] = true
	}
	for i, e := range joints {
		if kind := C.mjs_asJoint(e)._type; elementName(e) != "" || kind != C.mjJNT_HINGE && kind != C.mjJNT_SLIDE {
			continue
		}
		name := fmt.Sprintf("joint_%d", i)
		for used[name] {
			name += "_"
		}
		if C.mjs_setName(e, cString(name)) != 0 {
			return fmt.Errorf("joint %d has no name and cannot be called %s", i, name)
		}
	}
	return nil
}

func jointsOf(spec *C.mjSpec, prefix string) []joint {
	var list []joint
	for _, e := range elements(spec, C.mjOBJ_JOINT) {
		c, name := C.mjs_asJoint(e), elementName(e)
		if name == "" || (c._type != C.mjJNT_HINGE && c._type != C.mjJNT_SLIDE) {
			continue
		}
		limited := c.limited == C.mjLIMITED_TRUE ||
			(c.limited == C.mjLIMITED_AUTO && c._range[0] < c._range[1])
		list = append(list, joint{name: prefix + name, fileName: name, c: c, limited: limited})
	}
	return list
}

func (b *builder) addActuators(spec *C.mjSpec, prefix string) error {
	acting := map[string][]*C.mjsElement{} // actuators by the joint that they act on
	for _, e := range elements(spec, C.mjOBJ_ACTUATOR) {
		if a := C.mjs_asActuator(e); a.trntype == C.mjTRN_JOINT || a.trntype == C.mjTRN_JOINTINPARENT {
			target := text(a.target)
			acting[target] = append(acting[target], e)
		}
	}
	var old []*C.mjsElement
	entries := map[string]*entry{} // entries by the joint that gets the actuator
	joints := jointsOf(spec, prefix)
	for _, j := range joints {
		b.known = append(b.known, j.name)
		entry := b.entryFor(j.name)
		if entry == nil || (len(acting[j.fileName]) > 0 && !entry.Replace) {
			continue
		}
		entries[j.name] = entry
		old = append(old, acting[j.fileName]...)
	}
	if err := deleteActuators(spec, old); err != nil {
		return err
	}
	for _, j := range joints {
		entry := entries[j.name]
		if entry == nil {
			continue
		}
		name, err := b.addActuator(spec, entry, j)
		if err != nil {
			return fmt.Errorf("joint %s: %w", j.name, err)
		}
		entry.added++
		if entry.network != nil {
			b.learnedActuators = append(b.learnedActuators, learnedActuator{prefix + name, entry.network})
		}
		if kind := entry.Kind(); kind == scene.Position || kind == scene.DCMotor || kind == scene.Learned {
			b.holders = append(b.holders, [2]string{prefix + name, j.name})
		}
	}
	return nil
}

// entryFor returns the first entry that matches a joint, nil if there is none, and notes all patterns that match.
func (b *builder) entryFor(name string) (first *entry) {
	for i := range b.entries {
		e := &b.entries[i]
		for k, pattern := range e.patterns {
			if pattern.MatchString(name) {
				e.hasMatch[k] = true
				first = cmp.Or(first, e)
			}
		}
	}
	return first
}

// deleteActuators removes actuators, and their controls from the keyframes, which MuJoCo
// would give to those that follow.
func deleteActuators(spec *C.mjSpec, old []*C.mjsElement) error {
	if len(old) == 0 {
		return nil
	}
	all := elements(spec, C.mjOBJ_ACTUATOR)
	for _, e := range elements(spec, C.mjOBJ_KEY) {
		key := C.mjs_asKey(e)
		var n C.int
		controls := unsafe.Slice(C.mjs_getDouble(key.ctrl, &n), int(n))
		if n == 0 {
			continue
		}
		if int(n) != len(all) {
			return fmt.Errorf("keyframe %q has %d controls for %d actuators, want one for each, so that some can be "+
				"replaced", elementName(e), n, len(all))
		}
		var remaining []C.double
		for i, actuator := range all {
			if !slices.Contains(old, actuator) {
				remaining = append(remaining, controls[i])
			}
		}
		C.mjs_setDouble(key.ctrl, unsafe.SliceData(append(remaining, 0)), C.int(len(remaining)))
	}
	for _, e := range old {
		if C.mjs_delete(spec, e) != 0 {
			return failure(spec)
		}
	}
	return nil
}

func (b *builder) addActuator(spec *C.mjSpec, a *entry, j joint) (string, error) {
	c := bareActuator(spec)
	c.trntype = C.mjTRN_JOINT
	setString(c.target, j.fileName)
	if a.Kind() == scene.Thrust {
		if err := placeThrust(spec, c, j, a.TorquePerThrust); err != nil {
			return "", err
		}
	}
	effort, limits := [2]C.double{C.double(-a.Effort), C.double(a.Effort)}, [2]C.double{}
	if a.Limits != nil {
		limits = [2]C.double{C.double(a.Limits[0]), C.double(a.Limits[1])}
	} else if a.Kind() == scene.Effort {
		limits = effort
	} else if a.Kind() == scene.Thrust {
		limits[1] = effort[1]
	}
	c.ctrlrange, c.ctrllimited = limits, limitedBy(limits)
	c.forcerange, c.forcelimited = effort, limitedBy(effort)
	if a.Delay > 0 {
		n := max(1, math.Round(a.Delay.Seconds()/b.timestep))
		if n > C.PR_MAX_DELAY {
			return "", fmt.Errorf("delay is %s, %v physics steps, want at most %d", a.Delay, n, C.PR_MAX_DELAY)
		}
		// the clock of the engine rounds: half a step before is certainly after the control before
		c.nsample, c.delay = C.int(n), C.double((n-0.5)*b.timestep)
	}
	if a.Armature != nil {
		j.c.armature = C.double(*a.Armature)
	}
	kd, inherit := C.double(a.KD), C.double(0)
	var problem *C.char
	switch a.Kind() {
	case scene.Position:
		if j.limited && a.Limits == nil {
			inherit, c.ctrllimited = 1, C.mjLIMITED_AUTO
		}
		problem = C.mjs_setToPosition(c, C.double(a.KP), &kd, nil, nil, inherit)
	case scene.Velocity:
		problem = C.mjs_setToVelocity(c, kd)
	case scene.Effort, scene.Thrust:
		problem = C.mjs_setToMotor(c)
	case scene.DCMotor, scene.Learned:
		c.gaintype, c.biastype, c.gainprm[0] = C.mjGAIN_FIXED, C.mjBIAS_USER, 0
		c.biasprm[0], c.biasprm[1] = C.double(a.KP), kd
		c.biasprm[C.PR_REST], c.biasprm[C.PR_TOP] = C.double(a.SaturationEffort), C.double(a.VelocityLimit)
		c.biasprm[C.mjNBIAS-1] = C.PR_MOTOR
		if a.network != nil {
			a.network.addMemory(c)
		}
	}
	if why := C.GoString(problem); why != "" {
		return "", errors.New(why)
	}
	return setFreeName(spec, c.element, j.fileName), nil
}

// placeThrust has an actuator push the body that carries a joint, at the joint and along its axis. The rotor itself, which
// may turn freely, passes no torque on.
func placeThrust(spec *C.mjSpec, c *C.mjsActuator, j joint, torquePerThrust float64) error {
	rotor := C.mjs_getParent(j.c.element)
	carrier := C.mjs_getParent(rotor.element)
	if rotor.alt._type != C.mjORIENTATION_QUAT || C.mjs_getFrame(rotor.element) != nil || C.mjs_getFrame(j.c.element) != nil {
		return errors.New("type is thrust, want a body whose place is given by pos and quat, as in URDF")
	}
	turn, anchor, axis := [4]C.mjtNum{}, [3]C.mjtNum{}, [3]C.mjtNum{}
	for i, x := range rotor.quat {
		turn[i] = C.mjtNum(x)
	}
	for i := range 3 {
		anchor[i], axis[i] = C.mjtNum(j.c.pos[i]), C.mjtNum(j.c.axis[i])
	}
	C.mju_normalize4(&turn[0])
	C.mju_rotVecQuat(&anchor[0], &anchor[0], &turn[0])
	C.mju_rotVecQuat(&axis[0], &axis[0], &turn[0])
	site := C.mjs_addSite(carrier, nil)
	site.alt._type = C.mjORIENTATION_ZAXIS
	for i := range 3 {
		site.pos[i], site.alt.zaxis[i] = rotor.pos[i]+C.double(anchor[i]), C.double(axis[i])
	}
	c.trntype = C.mjTRN_SITE
	setString(c.target, setFreeName(spec, site.element, j.fileName))
	c.gear = [6]C.double{2: 1, 5: C.double(torquePerThrust)}
	return nil
}

// bareActuator adds an actuator to a spec. What the defaults of the file say of its own actuators, such as their gear,
// does not hold for it.
func bareActuator(spec *C.mjSpec) *C.mjsActuator {
	c := C.mjs_addActuator(spec, nil)
	original := *c
	C.mjs_defaultActuator(c)
	c.element, c.target, c.refsite, c.slidersite = original.element, original.target, original.refsite,
		original.slidersite
	c.userdata, c.plugin, c.info = original.userdata, original.plugin, original.info
	return c
}

// limitedBy says that limits hold where the first is less than the second.
func limitedBy(limits [2]C.double) C.mjtLimited {
	if limits[0] < limits[1] {
		return C.mjLIMITED_TRUE
	}
	return C.mjLIMITED_FALSE
}

// failure is the error of a call on a spec that failed.
func failure(spec *C.mjSpec) error { return errors.New(oneLine(C.mjs_getError(spec))) }

func worldOf(spec *C.mjSpec) *C.mjsBody { return C.mjs_findBody(spec, cString("world")) }

// float gives the first body of a spec a free joint, with the name of that body if it has the given one.
func float(spec *C.mjSpec, name string) error {
	first := C.mjs_firstChild(worldOf(spec), C.mjOBJ_BODY, 0)
	if first == nil {
		return errors.New("free is true, want a model with a body below the world")
	}
	body := C.mjs_asBody(first)
	var joint *C.mjsJoint
	if C.mjs_firstChild(body, C.mjOBJ_JOINT, 0) == nil {
		joint = C.mjs_addFreeJoint(body)
	}
	if joint == nil {
		return fmt.Errorf("free is true, want a model whose first body has no joint: %s has one", elementName(first))
	}
	if name != "" && elementName(first) == name {
		C.mjs_setName(joint.element, cString(name))
	}
	return nil
}

// checkActuators reports a pattern that matches no joint and an entry that adds nothing.
func (b *builder) checkActuators() error {
	for i, e := range b.entries {
		for k, pattern := range e.Joints {
			if !e.hasMatch[k] {
				return fmt.Errorf("scene.actuators[%d].joints[%d]: %w", i, k,
					physics.UnknownError("hinge or slide joint", pattern, b.known))
			}
		}
		if e.added == 0 {
			return fmt.Errorf("scene.actuators[%d] adds nothing: %s have an actuator in the model or match an entry "+
				"before; replace: true replaces those of the model", i, strings.Join(e.Joints, ", "))
		}
	}
	return nil
}

// addSurroundings adds the floor, the light and the sky that the models lack, and makes
// pictures of a useful size possible.
func (b *builder) addSurroundings() {
	global := &b.spec.visual.global
	global.offwidth, global.offheight = max(global.offwidth, minWidth), max(global.offheight, minHeight)

	b.chooseFloor()
	lights := C.mjs_firstElement(b.spec, C.mjOBJ_LIGHT) != nil
	if b.settings.Light == scene.Yes || (b.settings.Light == scene.Auto && !lights) {
		addLight(b.spec)
		addSky(b.spec)
	}
}

// setFreeName gives an element a name, with a number behind it if another of its kind has it.
func setFreeName(spec *C.mjSpec, e *C.mjsElement, name string) string {
	free := name
	for i := 2; C.mjs_findElement(spec, e.elemtype, cString(free)) != nil; i++ {
		free = fmt.Sprintf("%s%d", name, i)
	}
	C.mjs_setName(e, cString(free))
	return free
}

// addFloor adds a plane at z = 0 with a checkered material. It collides with everything that collides at all.
func addFloor(spec *C.mjSpec) {
	texture := C.mjs_addTexture(spec, nil)
	texture._type, texture.builtin, texture.mark = C.mjTEXTURE_2D, C.mjBUILTIN_CHECKER, C.mjMARK_EDGE
	texture.width, texture.height = 300, 300
	texture.rgb1 = [3]C.double{0.22, 0.30, 0.38}
	texture.rgb2 = [3]C.double{0.16, 0.23, 0.30}
	texture.markrgb = [3]C.double{0.55, 0.60, 0.65}
	material := C.mjs_addMaterial(spec, nil)
	C.mjs_setInStringVec(material.textures, C.mjTEXROLE_RGB, cString(setFreeName(spec, texture.element, "floor")))
	material.texuniform = true
	material.texrepeat = [2]C.float{1, 1} // a pair of squares is 2 m wide
	material.reflectance = 0.1
	floor := C.mjs_addGeom(worldOf(spec), nil)
	floor._type = C.mjGEOM_PLANE
	floor.size = [3]C.double{0, 0, 0.05} // the plane has no end; 0.05 is the distance of the grid lines
	floor.contype, floor.conaffinity = math.MaxInt32, math.MaxInt32
	setString(floor.material, setFreeName(spec, material.element, "floor"))
	setFreeName(spec, floor.element, "floor")
}

// addLight adds a spot light above the first body with a free joint, which it follows, or above
// the world; and, as far as the model does not set them, a soft headlight and the color of haze.
func addLight(spec *C.mjSpec) {
	body, mode := worldOf(spec), C.mjtCamLight(C.mjCAMLIGHT_FIXED)
	for _, e := range slices.Backward(elements(spec, C.mjOBJ_JOINT)) {
		if C.mjs_asJoint(e)._type == C.mjJNT_FREE {
			body, mode = C.mjs_getParent(e), C.mjCAMLIGHT_TRACKCOM
		}
	}
	grey := func(shade C.float) [3]C.float { return [3]C.float{shade, shade, shade} }
	light := C.mjs_addLight(body, nil)
	light._type = C.mjLIGHT_SPOT // the shadows of a directional light flicker on an endless floor
	light.cutoff, light.exponent, light.mode = 55, 2, mode
	light.pos, light.dir = [3]C.double{-1, -1, 4}, [3]C.double{0.25, 0.25, -1}
	light.diffuse, light.specular = grey(0.7), grey(0.2)
	if spec.authored.visual_headlight == 0 {
		head := &spec.visual.headlight
		head.ambient, head.diffuse, head.specular = grey(0.3), grey(0.4), grey(0)
	}
	if spec.authored.visual_rgba == 0 {
		spec.visual.rgba.haze = [4]C.float{0.75, 0.82, 0.90, 1}
	}
	setFreeName(spec, light.element, "light")
}

// addSky adds a sky if there is none.
func addSky(spec *C.mjSpec) {
	if slices.ContainsFunc(elements(spec, C.mjOBJ_TEXTURE), func(e *C.mjsElement) bool {
		return C.mjs_asTexture(e)._type == C.mjTEXTURE_SKYBOX
	}) {
		return
	}
	sky := C.mjs_addTexture(spec, nil)
	sky._type, sky.builtin = C.mjTEXTURE_SKYBOX, C.mjBUILTIN_GRADIENT
	sky.width, sky.height = 256, 6*256
	sky.rgb1, sky.rgb2 = [3]C.double{0.45, 0.62, 0.82}, [3]C.double{0.90, 0.93, 0.97}
	setFreeName(spec, sky.element, "sky")
}

// holdKeyframes sets the controls of added position actuators, in each keyframe, to the
// position of their joint, within the limits of the control.
func (b *builder) holdKeyframes(c *C.mjModel) {
	nu, nq := int(c.nu), int(c.nq)
	controls := unsafe.Slice(c.key_ctrl, int(c.nkey)*nu)
	positions := unsafe.Slice(c.key_qpos, int(c.nkey)*nq)
	for _, pair := range b.holders {
		actuator, joint := idOf(c, C.mjOBJ_ACTUATOR, pair[0]), idOf(c, C.mjOBJ_JOINT, pair[1])
		control, position := id(c.actuator_ctrladr, actuator), id(c.jnt_qposadr, joint)
		limits := rangeOf(c.actuator_ctrllimited, c.actuator_ctrlrange, control)
		for key := range int(c.nkey) {
			target := float64(positions[key*nq+position])
			controls[key*nu+control] = C.mjtNum(min(max(target, limits[0]), limits[1]))
		}
	}
}

func idOf(c *C.mjModel, kind C.int, name string) int {
	return int(C.mj_name2id(c, kind, cString(name)))
}

// needPlugins loads MuJoCo's own plugins if a model names one that is not registered. A process
// that never needs them does not load them: another package of the process may have copies of its
// own, and a plugin can be registered once only.
func needPlugins(t *tree) error {
	var slot C.int
	missing := t.find(func(e *element) bool {
		return e.tag == "plugin" && e.has("plugin") && C.mjp_getPlugin(cString(e.attr("plugin")), &slot) == nil
	})
	if missing == nil {
		return nil
	}
	if err := loadPlugins(); err != nil {
		return missing.errorf("the plugins beside MuJoCo cannot be loaded: %w", err)
	}
	return nil
}

// loadPlugins registers the libraries in a folder plugin beside MuJoCo's or beside its folder.
var loadPlugins = sync.OnceValue(func() (failed error) {
	library, _ := Libraries()
	libraryDir := filepath.Dir(library)
	for _, folder := range []string{libraryDir, filepath.Dir(libraryDir)} {
		folder = filepath.Join(folder, "plugin")
		if libraries, err := filepath.Glob(filepath.Join(folder, "*.so")); err == nil && libraries != nil {
			failed = cmp.Or(failed, try(func(message *C.char) bool {
				return C.pr_loadPlugins(cString(folder), message) == 0
			}))
		}
	}
	return failed
})
