package mujoco

// #include <stdlib.h>
// #include "scene.h"
import "C"

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unsafe"

	"github.com/polyrhythm-rl/polyrhythm/internal/handle"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/mujoco/scene"
)

// The least size of the pictures that a compiled scene can be drawn in, in pixels.
const (
	minWidth  = 1280
	minHeight = 960
)

// Compile compiles a scene. The files of its models are relative to folder. Close the
// model when done.
//
// The keyframes of all models are those of the scene. In a keyframe, the control of an
// added position actuator is the position of its joint, as far as its limits let it; that
// of any other added actuator is 0.
//
// An error about a setting begins with its key, such as "scene.models[0].file".
func Compile(s scene.Settings, folder string, opt Options) (*Model, error) {
	if err := s.Validate(); err != nil {
		return nil, fmt.Errorf("scene.%w", err)
	}
	if err := opt.check(); err != nil {
		return nil, err
	}
	files := sources{limit: s.MemoryBytes()}
	w, err := newWorkshop(&files, nil)
	if err != nil {
		return nil, err
	}
	defer w.close()
	b := &builder{settings: s}
	for i, model := range s.Models {
		key := fmt.Sprintf("scene.models[%d]", i)
		path := under(folder, model.File)
		if !s.AllowOutside {
			files.folder = filepath.Dir(path)
		}
		spec, err := w.parse(path, model.Prefix)
		if err != nil {
			return nil, fmt.Errorf("%s.file: %w", key, err)
		}
		if err := b.merge(spec, model); err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
	}
	if err := b.checkActuators(); err != nil {
		return nil, err
	}
	if err := b.addSurroundings(); err != nil {
		return nil, fmt.Errorf("scene: %w", err)
	}
	own := float64(b.spec.option.timestep)
	m, err := w.compile(b.spec, opt, b.holdKeyframes)
	if err != nil {
		return nil, fmt.Errorf("scene: %w", err)
	}
	m.fileTimestep = own
	m.lent.Lend(handle.Watch(&handles, m, "model"))
	return m, nil
}

// workshop holds what a model or a scene is made of, until it is compiled.
type workshop struct {
	budget  budget
	vfs     *C.mjVFS // NULL without files in memory
	specs   []*C.mjSpec
	origins []origin
}

// newWorkshop takes files in memory into C's.
func newWorkshop(s *sources, files []file) (*workshop, error) {
	w := &workshop{budget: budget{sources: s}}
	if len(files) == 0 {
		return w, nil
	}
	held := make([]C.pr_File, len(files))
	for i, f := range files {
		held[i] = C.pr_File{name: C.CString(f.name), data: C.CBytes(f.data), size: C.int(len(f.data))}
		defer C.free(unsafe.Pointer(held[i].name))
		defer C.free(held[i].data)
	}
	var message [C.PR_MESSAGE]C.char
	if w.vfs = C.pr_makeVFS(unsafe.SliceData(held), C.int(len(held)), &message[0]); w.vfs == nil {
		return nil, errors.New(oneLine(&message[0]))
	}
	return w, nil
}

func (w *workshop) close() {
	for _, spec := range slices.Backward(w.specs) {
		C.mj_deleteSpec(spec)
	}
	C.pr_deleteVFS(w.vfs)
}

// parse reads a model file, checks all that it refers to, and parses it. Its names will
// begin with prefix. The spec is the workshop's.
func (w *workshop) parse(path, prefix string) (*C.mjSpec, error) {
	t, err := w.budget.readTree(path)
	if err != nil {
		return nil, err
	}
	w.origins = append(w.origins, origin{t, prefix})
	var message [C.PR_MESSAGE]C.char
	cpath := C.CString(path)
	defer C.free(unsafe.Pointer(cpath))
	spec := C.pr_parseSpec(cpath, w.vfs, &message[0])
	if spec == nil {
		return nil, explain(w.origins[len(w.origins)-1:], oneLine(&message[0]))
	}
	w.specs = append(w.specs, spec)
	return spec, w.budget.checkSpec(spec, t)
}

// compile compiles a spec; finish, unless it is nil, may change the result.
func (w *workshop) compile(spec *C.mjSpec, opt Options, finish func(*C.mjModel)) (*Model, error) {
	var message [C.PR_MESSAGE]C.char
	c := C.pr_compileSpec(spec, w.vfs, C.double(opt.Timestep), &message[0])
	if c == nil {
		return nil, explain(w.origins, oneLine(&message[0]))
	}
	if finish != nil {
		finish(c)
	}
	m, err := newModel(c, oneLine(&message[0]))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", w.origins[0].documents[0].path, err)
	}
	return m, nil
}

// builder puts a scene together.
type builder struct {
	settings scene.Settings
	spec     *C.mjSpec // of the first model, which the others are attached to

	known   []string    // names of all hinge and slide joints
	matched [][]bool    // for each entry and pattern of Actuators, whether a joint matched
	added   []int       // for each entry of Actuators, how many joints it got an actuator for
	holding [][2]string // added position actuators and their joints
}

// joint is a hinge or slide joint of a model that is not compiled yet.
type joint struct {
	name    string // with the prefix of the model
	own     string // in its file
	c       *C.mjsJoint
	limited bool
}

// merge adds what one model lacks and attaches it to the first.
func (b *builder) merge(spec *C.mjSpec, model scene.Model) error {
	if model.Free {
		if err := float(spec); err != nil {
			return err
		}
	}
	if err := nameJoints(spec); err != nil {
		return err
	}
	if err := b.addActuators(spec, model.Prefix); err != nil {
		return err
	}
	if model.SelfCollision != nil && !*model.SelfCollision {
		separate(spec)
	}
	if b.spec == nil {
		b.spec = spec
		setPhysics(&spec.option, b.settings.Physics)
		return nil
	}
	var message [C.PR_MESSAGE]C.char
	prefix := C.CString(model.Prefix)
	defer C.free(unsafe.Pointer(prefix))
	var position [3]C.double
	for i, v := range model.Position {
		position[i] = C.double(v)
	}
	quat := quaternion(model.Rotation)
	if C.pr_attach(b.spec, spec, prefix, &position[0], &quat[0], &message[0]) != 0 {
		return errors.New(oneLine(&message[0]))
	}
	return nil
}

// setPhysics replaces the options that the settings give.
func setPhysics(o *C.mjOption, p scene.Physics) {
	for _, choice := range []struct {
		to    *C.int
		is    string
		known []string
	}{{&o.cone, p.Cone, scene.Cones}, {&o.integrator, p.Integrator, scene.Integrators}, {&o.solver, p.Solver, scene.Solvers}} {
		if i := slices.Index(choice.known, choice.is); i >= 0 {
			*choice.to = C.int(i)
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

// separate keeps the moving geoms of a spec from colliding with one another. Two geoms
// collide if the contype of one and the conaffinity of the other share a bit: moving
// geoms keep their bits as conaffinity only, so they still meet all that offers a contype.
func separate(spec *C.mjSpec) {
	for _, e := range elements(spec, C.mjOBJ_GEOM) {
		g := C.mjs_asGeom(e)
		if elementName(C.mjs_getParent(e).element) == "world" {
			g.contype |= g.conaffinity
			continue
		}
		g.conaffinity |= g.contype
		g.contype = 0
	}
}

// quaternion returns the rotation by roll, pitch and yaw about the fixed axes, in this
// order.
func quaternion(rotation [3]float64) [4]C.double {
	sr, cr := math.Sincos(rotation[0] / 2)
	sp, cp := math.Sincos(rotation[1] / 2)
	sy, cy := math.Sincos(rotation[2] / 2)
	return [4]C.double{
		C.double(float64(cr*cp*cy) + float64(sr*sp*sy)),
		C.double(float64(sr*cp*cy) - float64(cr*sp*sy)),
		C.double(float64(cr*sp*cy) + float64(sr*cp*sy)),
		C.double(float64(cr*cp*sy) - float64(sr*sp*cy)),
	}
}

// elements returns the elements of one kind in a spec.
func elements(spec *C.mjSpec, kind C.mjtObj) []*C.mjsElement {
	var list []*C.mjsElement
	for e := C.mjs_firstElement(spec, kind); e != nil; e = C.mjs_nextElement(spec, e) {
		list = append(list, e)
	}
	return list
}

func elementName(e *C.mjsElement) string { return text(unsafe.Pointer(C.mjs_getName(e))) }

// text returns a string of a spec.
func text(s unsafe.Pointer) string { return C.GoString(C.mjs_getString(s)) }

// setString sets a string of a spec.
func setString(dst unsafe.Pointer, value string) {
	c := C.CString(value)
	defer C.free(unsafe.Pointer(c))
	C.mjs_setString(dst, c)
}

// nameJoints gives hinge and slide joints without a name the name joint_N, so that
// patterns can match them. N counts the joints of the file from 0.
func nameJoints(spec *C.mjSpec) error {
	taken := map[string]bool{}
	joints := elements(spec, C.mjOBJ_JOINT)
	for _, e := range joints {
		taken[elementName(e)] = true
	}
	for i, e := range joints {
		if kind := C.mjs_asJoint(e)._type; elementName(e) != "" || kind != C.mjJNT_HINGE && kind != C.mjJNT_SLIDE {
			continue
		}
		name := fmt.Sprintf("joint_%d", i)
		for taken[name] {
			name += "_"
		}
		c := C.CString(name)
		failed := C.mjs_setName(e, c)
		C.free(unsafe.Pointer(c))
		if failed != 0 {
			return fmt.Errorf("joint %d has no name and cannot be called %s", i, name)
		}
	}
	return nil
}

// jointsOf returns the named hinge and slide joints of a spec.
func jointsOf(spec *C.mjSpec, prefix string) []joint {
	var list []joint
	for _, e := range elements(spec, C.mjOBJ_JOINT) {
		c, name := C.mjs_asJoint(e), elementName(e)
		if name == "" || (c._type != C.mjJNT_HINGE && c._type != C.mjJNT_SLIDE) {
			continue
		}
		limited := c.limited == C.mjLIMITED_TRUE ||
			(c.limited == C.mjLIMITED_AUTO && c._range[0] < c._range[1])
		list = append(list, joint{name: prefix + name, own: name, c: c, limited: limited})
	}
	return list
}

// addActuators adds those of the settings that match joints of a spec.
func (b *builder) addActuators(spec *C.mjSpec, prefix string) error {
	patterns, err := b.patterns()
	if err != nil {
		return err
	}
	acting := map[string][]*C.mjsElement{} // actuators by the joint that they act on
	for _, e := range elements(spec, C.mjOBJ_ACTUATOR) {
		if a := C.mjs_asActuator(e); a.trntype == C.mjTRN_JOINT || a.trntype == C.mjTRN_JOINTINPARENT {
			target := text(a.target)
			acting[target] = append(acting[target], e)
		}
	}
	var old []*C.mjsElement
	entries := map[string]int{} // of the joints to get an actuator
	joints := jointsOf(spec, prefix)
	for _, j := range joints {
		b.known = append(b.known, j.name)
		entry := b.entryFor(j.name, patterns)
		if entry < 0 || (len(acting[j.own]) > 0 && !b.settings.Actuators[entry].Replace) {
			continue
		}
		entries[j.name] = entry
		old = append(old, acting[j.own]...)
	}
	if err := deleteActuators(spec, old); err != nil {
		return err
	}
	for _, j := range joints {
		entry, ok := entries[j.name]
		if !ok {
			continue
		}
		a := b.settings.Actuators[entry]
		name, err := addActuator(spec, a, j)
		if err != nil {
			return fmt.Errorf("joint %s: %w", j.name, err)
		}
		b.added[entry]++
		if a.Kind() == scene.Position {
			b.holding = append(b.holding, [2]string{prefix + name, j.name})
		}
	}
	return nil
}

// patterns compiles the patterns of each entry of Actuators.
func (b *builder) patterns() ([][]*regexp.Regexp, error) {
	all := make([][]*regexp.Regexp, len(b.settings.Actuators))
	first := b.matched == nil
	for i, a := range b.settings.Actuators {
		for _, text := range a.Joints {
			pattern, err := scene.Pattern(text)
			if err != nil {
				return nil, err
			}
			all[i] = append(all[i], pattern)
		}
		if first {
			b.matched = append(b.matched, make([]bool, len(a.Joints)))
			b.added = append(b.added, 0)
		}
	}
	return all, nil
}

// entryFor returns the first entry of Actuators that matches a joint, −1 if there is
// none, and notes all patterns that match.
func (b *builder) entryFor(name string, patterns [][]*regexp.Regexp) int {
	entry := -1
	for i, list := range patterns {
		for k, pattern := range list {
			if pattern.MatchString(name) {
				b.matched[i][k] = true
				if entry < 0 {
					entry = i
				}
			}
		}
	}
	return entry
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
			return fmt.Errorf("keyframe %q has %d controls for %d actuators, want one for each, so that some can be replaced", elementName(e), n, len(all))
		}
		var kept []C.double
		for i, actuator := range all {
			if !slices.Contains(old, actuator) {
				kept = append(kept, controls[i])
			}
		}
		C.mjs_setDouble(key.ctrl, unsafe.SliceData(append(kept, 0)), C.int(len(kept)))
	}
	var message [C.PR_MESSAGE]C.char
	for _, e := range old {
		if C.pr_deleteElement(spec, e, &message[0]) != 0 {
			return errors.New(oneLine(&message[0]))
		}
	}
	return nil
}

// addActuator adds one actuator to a spec and returns its name.
func addActuator(spec *C.mjSpec, a scene.Actuators, j joint) (string, error) {
	name := freeName(spec, C.mjOBJ_ACTUATOR, j.own)
	defer C.free(unsafe.Pointer(name))
	own := C.CString(j.own)
	defer C.free(unsafe.Pointer(own))
	plan := C.pr_Actuator{name: name, joint: own, kp: C.double(a.KP), kd: C.double(a.KD)}
	switch a.Kind() {
	case scene.Position:
		plan.kind = C.PR_SERVO_POSITION
		if j.limited && a.Limits == nil {
			plan.inherit = 1
		}
	case scene.Velocity:
		plan.kind = C.PR_SERVO_VELOCITY
	case scene.Effort:
		plan.kind = C.PR_SERVO_EFFORT
		plan.limits = [2]C.double{C.double(-a.Effort), C.double(a.Effort)}
	}
	plan.force = [2]C.double{C.double(-a.Effort), C.double(a.Effort)}
	if a.Limits != nil {
		plan.limits = [2]C.double{C.double(a.Limits[0]), C.double(a.Limits[1])}
	}
	if a.Armature != nil {
		j.c.armature = C.double(*a.Armature)
	}
	var message [C.PR_MESSAGE]C.char
	if C.pr_addActuator(spec, &plan, &message[0]) != 0 {
		return "", errors.New(oneLine(&message[0]))
	}
	return C.GoString(name), nil
}

// float gives the first body of a model a free joint.
func float(spec *C.mjSpec) error {
	world := C.CString("world")
	defer C.free(unsafe.Pointer(world))
	first := C.mjs_firstChild(C.mjs_findBody(spec, world), C.mjOBJ_BODY, 0)
	if first == nil {
		return errors.New("free is true, want a model with a body below the world")
	}
	body := C.mjs_asBody(first)
	if C.mjs_firstChild(body, C.mjOBJ_JOINT, 0) != nil {
		return fmt.Errorf("free is true, want a model whose first body has no joint: %s has one", elementName(first))
	}
	var message [C.PR_MESSAGE]C.char
	if C.pr_addFreeJoint(body, &message[0]) != 0 {
		return errors.New(oneLine(&message[0]))
	}
	return nil
}

// checkActuators reports a pattern that matches no joint and an entry that adds nothing.
func (b *builder) checkActuators() error {
	for i, a := range b.settings.Actuators {
		for k, pattern := range a.Joints {
			if !b.matched[i][k] {
				return fmt.Errorf("scene.actuators[%d].joints[%d]: %w", i, k,
					physics.UnknownError("hinge or slide joint", pattern, b.known))
			}
		}
		if b.added[i] == 0 {
			return fmt.Errorf("scene.actuators[%d] adds nothing: %s have an actuator in the model or match an entry before; "+
				"replace: true replaces those of the model", i, strings.Join(a.Joints, ", "))
		}
	}
	return nil
}

// addSurroundings adds the floor, the light and the sky that the models lack, and makes
// pictures of a useful size possible.
func (b *builder) addSurroundings() error {
	global := &b.spec.visual.global
	global.offwidth, global.offheight = max(global.offwidth, minWidth), max(global.offheight, minHeight)

	if b.settings.Floor == scene.Yes || (b.settings.Floor == scene.Auto && !b.hasFloor()) {
		if err := b.addFloor(); err != nil {
			return err
		}
	}
	lights := C.mjs_firstElement(b.spec, C.mjOBJ_LIGHT) != nil
	if b.settings.Light == scene.Yes || (b.settings.Light == scene.Auto && !lights) {
		return b.addLight()
	}
	return nil
}

// hasFloor reports whether there is a plane or a height field that something can stand on.
func (b *builder) hasFloor() bool {
	paired := map[string]bool{} // geoms in pairs that the files list
	for _, e := range elements(b.spec, C.mjOBJ_PAIR) {
		p := C.mjs_asPair(e)
		paired[C.GoString(C.mjs_getString(p.geomname1))] = true
		paired[C.GoString(C.mjs_getString(p.geomname2))] = true
	}
	return slices.ContainsFunc(elements(b.spec, C.mjOBJ_GEOM), func(e *C.mjsElement) bool {
		g := C.mjs_asGeom(e)
		ground := g._type == C.mjGEOM_PLANE || g._type == C.mjGEOM_HFIELD
		return ground && (g.contype != 0 || g.conaffinity != 0 || paired[elementName(e)])
	})
}

// freeName returns name, with a number behind it if something of this kind has it already.
// The caller frees it.
func freeName(spec *C.mjSpec, kind C.mjtObj, name string) *C.char {
	for i := 1; ; i++ {
		candidate := name
		if i > 1 {
			candidate = fmt.Sprintf("%s%d", name, i)
		}
		c := C.CString(candidate)
		if C.mjs_findElement(spec, kind, c) == nil {
			return c
		}
		C.free(unsafe.Pointer(c))
	}
}

func (b *builder) addFloor() error {
	geom := freeName(b.spec, C.mjOBJ_GEOM, "floor")
	defer C.free(unsafe.Pointer(geom))
	material := freeName(b.spec, C.mjOBJ_MATERIAL, "floor")
	defer C.free(unsafe.Pointer(material))
	texture := freeName(b.spec, C.mjOBJ_TEXTURE, "floor")
	defer C.free(unsafe.Pointer(texture))
	var message [C.PR_MESSAGE]C.char
	if C.pr_addFloor(b.spec, geom, material, texture, &message[0]) != 0 {
		return errors.New(oneLine(&message[0]))
	}
	return nil
}

// addLight adds a light that follows the first body with a free joint, and a sky if there
// is none.
func (b *builder) addLight() error {
	var body *C.mjsBody
	for _, e := range elements(b.spec, C.mjOBJ_JOINT) {
		if C.mjs_asJoint(e)._type == C.mjJNT_FREE {
			body = C.mjs_getParent(e)
			break
		}
	}
	name := freeName(b.spec, C.mjOBJ_LIGHT, "light")
	defer C.free(unsafe.Pointer(name))
	var message [C.PR_MESSAGE]C.char
	if C.pr_addLight(b.spec, body, name, &message[0]) != 0 {
		return errors.New(oneLine(&message[0]))
	}
	for _, e := range elements(b.spec, C.mjOBJ_TEXTURE) {
		if C.mjs_asTexture(e)._type == C.mjTEXTURE_SKYBOX {
			return nil
		}
	}
	sky := freeName(b.spec, C.mjOBJ_TEXTURE, "sky")
	defer C.free(unsafe.Pointer(sky))
	if C.pr_addSky(b.spec, sky, &message[0]) != 0 {
		return errors.New(oneLine(&message[0]))
	}
	return nil
}

// holdKeyframes sets the controls of added position actuators, in each keyframe, to the
// position of their joint, within the limits of the control.
func (b *builder) holdKeyframes(c *C.mjModel) {
	nu, nq := int(c.nu), int(c.nq)
	controls := unsafe.Slice(c.key_ctrl, int(c.nkey)*nu)
	positions := unsafe.Slice(c.key_qpos, int(c.nkey)*nq)
	for _, pair := range b.holding {
		actuator, joint := idOf(c, C.mjOBJ_ACTUATOR, pair[0]), idOf(c, C.mjOBJ_JOINT, pair[1])
		control := int(ints(c.actuator_ctrladr, int(c.nactuator))[actuator])
		position := int(ints(c.jnt_qposadr, int(c.njnt))[joint])
		limits := limits2(bool(unsafe.Slice(c.actuator_ctrllimited, nu)[control]), unsafe.Slice(c.actuator_ctrlrange, 2*nu)[2*control:])
		for key := range int(c.nkey) {
			held := float64(positions[key*nq+position])
			controls[key*nu+control] = C.mjtNum(min(max(held, limits[0]), limits[1]))
		}
	}
}

// idOf returns the ID of a thing that a compiled model has.
func idOf(c *C.mjModel, kind C.int, name string) int {
	cname := C.CString(name)
	defer C.free(unsafe.Pointer(cname))
	return int(C.mj_name2id(c, kind, cname))
}
