package mujoco

// #include "scene.h"
import "C"

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// What compiling takes, in bytes, measured and rounded up.
const (
	costOfObject   = 8 << 10 // an element of the XML
	costOfKeyframe = 1 << 10
	costOfMesh     = 20 // for each byte of a mesh file: the hull and the tree of its faces
	costOfObj      = 12 // likewise, of one that is written as text
	costOfSkin     = 8  // for each byte of a skin file
	costOfPixel    = 8
	costOfCell     = 16 // of a height field
	costOfUser     = 24 // a user value of an object
	costOfContact  = 1 << 10
)

// maxPixels is the most pixels along a side of what is drawn.
const maxPixels = 16384

// budget adds up what compiling a scene takes, before it is done.
type budget struct {
	*sources
	total float64
	worst float64 // the greatest single item
	what  string  // it is for
}

// add adds an item, and fails if the sum is more than the limit.
func (b *budget) add(bytes float64, format string, args ...any) error {
	if !(bytes >= 0) { // NaN, or a negative size, which MuJoCo reports
		return nil
	}
	b.total += bytes
	if bytes >= b.worst {
		b.worst, b.what = bytes, fmt.Sprintf(format, args...)
	}
	if b.total <= float64(b.limit) {
		return nil
	}
	return fmt.Errorf("%s takes about %.6g MB of memory to compile, all so far %.6g MB, want at most %d MB (scene.memory_mb)",
		b.what, math.Ceil(b.worst/(1<<20)), math.Ceil(b.total/(1<<20)), b.limit>>20)
}

// checkSpec checks the files of a parsed model, which MuJoCo opens only when it compiles,
// and adds up what they and its sizes take. Assets named by a URL, as in URDF, and those
// that MuJoCo would not find get the path of their file.
func (b *budget) checkSpec(spec *C.mjSpec, t *tree) error {
	objects := 0.0
	for _, d := range t.documents {
		objects += float64(d.elements)
	}
	for _, model := range t.models {
		objects = max(objects, model.objects)
	}
	root := t.documents[0]
	if err := b.add(objects*costOfObject, "%s", root.path); err != nil {
		return err
	}
	for _, step := range []func(*C.mjSpec, *tree) error{
		b.checkMeshes, b.checkHeightFields, b.checkSkins, b.checkTextures,
		b.checkSizes, b.checkBuffers, b.checkVisual, b.checkLengthRange,
	} {
		if err := step(spec, t); err != nil {
			return err
		}
	}
	return nil
}

// asset is a file that an element of a model names.
type asset struct {
	tag  string // of the element
	name string // as in the model
	path string
	size int64

	moved bool     // MuJoCo would look elsewhere
	at    *element // nil if it is not found
}

func (a *asset) place(t *tree) string {
	if a.at != nil {
		return a.at.place()
	}
	return t.documents[0].path
}

// locate finds the file that an element names. attrs are the attributes that may do so.
// The path is where MuJoCo looks or, if nothing is there, where it is after all.
func (t *tree) locate(e *C.mjsElement, tag, name, folder string, attrs ...string) (*asset, error) {
	a := &asset{tag: tag, name: name}
	a.at = t.find(func(x *element) bool {
		return x.tag == tag && slices.ContainsFunc(attrs, func(attr string) bool {
			given := x.attr(attr)
			if given == "" || (given != name && filepath.Base(clean(given)) != filepath.Base(clean(name))) {
				return false
			}
			a.name = given // MuJoCo may have changed it
			return true
		})
	})
	home := ""
	if origin := C.mjs_getOriginSpec(e); origin != nil {
		home = text(origin.modelfiledir)
	}
	a.path = under(under(home, folder), name)
	url := strings.Contains(a.name, "://")
	if !url && t.exists(a.path) {
		return a, nil
	}
	others := []string{under(under(home, folder), a.name)} // of what is included, MuJoCo may forget the folder
	if url {
		others = candidates(home, folder, a.name)
	}
	for _, path := range others {
		if t.exists(path) {
			a.path, a.moved = path, path != a.path
			return a, nil
		}
	}
	if url {
		return nil, fmt.Errorf("%s: <%s> names %s, want a file at %s", a.place(t), tag, a.name, strings.Join(others, " or "))
	}
	return a, nil
}

// candidates lists where the file of a URL such as package://NAME/meshes/leg.stl may be:
// below a folder NAME that the model lies in, or beside the model, with NAME and without.
func candidates(home, folder, url string) []string {
	scheme, rest, _ := strings.Cut(url, "://")
	if strings.EqualFold(scheme, "file") {
		return []string{filepath.Clean("/" + rest)}
	}
	pkg, inside, _ := strings.Cut(rest, "/")
	list := []string{under(under(home, folder), inside), under(home, inside), under(home, rest)}
	absolute, err := filepath.Abs(home)
	for at := absolute; err == nil && at != filepath.Dir(at); at = filepath.Dir(at) {
		if filepath.Base(at) == pkg {
			list = append(list, filepath.Join(at, inside))
		}
	}
	slices.Sort(list[:2])
	return slices.Compact(list)
}

// check checks that a file may be read and is there, and fills in its size.
func (t *tree) check(a *asset) error {
	if err := t.inside(a.path, a.place(t)); err != nil {
		return err
	}
	if !t.exists(a.path) {
		return fmt.Errorf("%s: <%s> names the file %q, want one at %s", a.place(t), a.tag, a.name, a.path)
	}
	var err error
	if a.size, err = t.stat(a.path); err != nil {
		return fmt.Errorf("%s: %w", a.place(t), err)
	}
	if a.size == 0 {
		return fmt.Errorf("%s: %s has no bytes, want a file for <%s>", a.place(t), a.path, a.tag)
	}
	return nil
}

func (b *budget) checkMeshes(spec *C.mjSpec, t *tree) error {
	colliding := map[string]bool{}
	for _, e := range elements(spec, C.mjOBJ_GEOM) {
		if g := C.mjs_asGeom(e); g.contype != 0 || g.conaffinity != 0 {
			colliding[text(g.meshname)] = true
		}
	}
	for _, e := range elements(spec, C.mjOBJ_MESH) {
		m := C.mjs_asMesh(e)
		name := text(m.file)
		if name == "" {
			continue
		}
		c := C.mjs_getCompiler(e)
		a, err := t.locate(e, "mesh", name, text(c.meshdir), "file", "filename")
		if err == nil {
			err = t.check(a)
		}
		if err != nil && bool(c.discardvisual) && !colliding[elementName(e)] {
			continue // MuJoCo drops it, or reports it
		}
		if err != nil {
			return err
		}
		if a.moved {
			setString(m.file, a.path)
		}
		cost := costOfMesh
		if strings.EqualFold(filepath.Ext(a.path), ".obj") {
			cost = costOfObj
		}
		if err := b.add(float64(a.size)*float64(cost), "%s: <mesh> of %s", a.place(t), a.path); err != nil {
			return err
		}
	}
	return nil
}

func (b *budget) checkHeightFields(spec *C.mjSpec, t *tree) error {
	for _, e := range elements(spec, C.mjOBJ_HFIELD) {
		h := C.mjs_asHField(e)
		cells, place := float64(h.nrow)*float64(h.ncol), t.named("hfield", elementName(e))
		if name := text(h.file); name != "" {
			a, err := t.locate(e, "hfield", name, text(C.mjs_getCompiler(e).meshdir), "file")
			if err == nil {
				err = t.check(a)
			}
			if err != nil {
				return err
			}
			if a.moved {
				setString(h.file, a.path)
			}
			place, cells = a.place(t), max(cells, t.pixels(a))
		}
		if err := b.add(cells*costOfCell, "%s: <hfield> of %.6g cells", place, cells); err != nil {
			return err
		}
	}
	return nil
}

func (b *budget) checkSkins(spec *C.mjSpec, t *tree) error {
	for _, e := range elements(spec, C.mjOBJ_SKIN) {
		k := C.mjs_asSkin(e)
		name := text(k.file)
		if name == "" {
			continue
		}
		a, err := t.locate(e, "skin", name, text(C.mjs_getCompiler(e).meshdir), "file")
		if err == nil {
			err = t.check(a)
		}
		if err != nil {
			return err
		}
		if a.moved {
			setString(k.file, a.path)
		}
		if err := b.add(float64(a.size)*costOfSkin, "%s: <skin> of %s", a.place(t), a.path); err != nil {
			return err
		}
	}
	return nil
}

// cubeFiles are the attributes for the sides of a cube.
var cubeFiles = []string{"fileright", "fileleft", "fileup", "filedown", "filefront", "fileback"}

func (b *budget) checkTextures(spec *C.mjSpec, t *tree) error {
	for _, e := range elements(spec, C.mjOBJ_TEXTURE) {
		x := C.mjs_asTexture(e)
		place := t.named("texture", elementName(e))
		pixels := float64(x.width) * float64(x.height)
		if x._type != C.mjTEXTURE_2D {
			pixels = 6 * float64(x.width) * float64(x.width)
		}
		if x.builtin == C.mjBUILTIN_NONE {
			pixels = 0
		}
		names := []string{text(x.file)}
		for side := range cubeFiles {
			if name := C.mjs_getInStringVec(x.cubefiles, C.int(side)); name != nil {
				names = append(names, C.GoString(name))
			}
		}
		for _, name := range names {
			if name == "" {
				continue
			}
			c := C.mjs_getCompiler(e)
			a, err := t.locate(e, "texture", name, text(c.texturedir), append(cubeFiles, "file", "filename")...)
			if err == nil {
				err = t.check(a)
			}
			if err != nil && bool(c.discardvisual) {
				continue // as of a mesh
			}
			if err != nil {
				return err
			}
			if a.moved && name == text(x.file) {
				setString(x.file, a.path)
			}
			place, pixels = a.place(t), pixels+t.pixels(a)
		}
		if err := b.add(pixels*costOfPixel, "%s: <texture> of %.6g pixels", place, pixels); err != nil {
			return err
		}
	}
	return nil
}

// pixels returns how many pixels or cells a file has: what its header says, or its size.
func (t *tree) pixels(a *asset) float64 {
	head := t.memory[clean(a.path)]
	if head == nil {
		f, err := os.Open(a.path)
		if err != nil {
			return float64(a.size)
		}
		defer f.Close()
		head = make([]byte, 24)
		n, _ := io.ReadFull(f, head)
		head = head[:n]
	}
	if len(head) >= 24 && string(head[:8]) == "\x89PNG\r\n\x1a\n" {
		width, height := binary.BigEndian.Uint32(head[16:]), binary.BigEndian.Uint32(head[20:])
		return max(float64(width)*float64(height), float64(a.size))
	}
	return float64(a.size)
}

// named returns the place of the element with a tag and a name, or of the model.
func (t *tree) named(tag, name string) string {
	if e := t.find(func(e *element) bool { return e.tag == tag && (name == "" || e.attr("name") == name) }); e != nil {
		return e.place()
	}
	return t.documents[0].path
}

// checkSizes adds up what the <size> of a model asks for.
func (b *budget) checkSizes(spec *C.mjSpec, t *tree) error {
	count := func(kind C.mjtObj) float64 { return float64(len(elements(spec, kind))) }
	joints := count(C.mjOBJ_JOINT)
	for _, s := range []struct {
		name  string
		bytes float64
	}{
		{"memory", float64(spec.memory)},
		{"nuserdata", float64(spec.nuserdata) * costOfUser},
		{"nkey", float64(spec.nkey) * (costOfKeyframe + 100*joints)},
		{"nstack", float64(spec.nstack) * 8},
		{"njmax", float64(spec.njmax) * 8 * (20 + 6*joints)},
		{"nconmax", float64(spec.nconmax) * costOfContact},
		{"nemax", float64(spec.nemax) * costOfContact},
		{"nuser_body", float64(spec.nuser_body) * costOfUser * count(C.mjOBJ_BODY)},
		{"nuser_jnt", float64(spec.nuser_jnt) * costOfUser * joints},
		{"nuser_geom", float64(spec.nuser_geom) * costOfUser * count(C.mjOBJ_GEOM)},
		{"nuser_site", float64(spec.nuser_site) * costOfUser * count(C.mjOBJ_SITE)},
		{"nuser_cam", float64(spec.nuser_cam) * costOfUser * count(C.mjOBJ_CAMERA)},
		{"nuser_tendon", float64(spec.nuser_tendon) * costOfUser * count(C.mjOBJ_TENDON)},
		{"nuser_actuator", float64(spec.nuser_actuator) * costOfUser * count(C.mjOBJ_ACTUATOR)},
		{"nuser_sensor", float64(spec.nuser_sensor) * costOfUser * count(C.mjOBJ_SENSOR)},
	} {
		if err := b.add(s.bytes, "%s: %s of <size>", t.with("size", s.name), s.name); err != nil {
			return err
		}
	}
	return nil
}

// with returns the place of the first element with a tag and an attribute, or of the model.
func (t *tree) with(tag, attr string) string {
	if e := t.find(func(e *element) bool { return e.tag == tag && e.has(attr) }); e != nil {
		return e.place()
	}
	return t.documents[0].path
}

// checkBuffers adds up what sensors, actuators and numbers of the model's own keep.
func (b *budget) checkBuffers(spec *C.mjSpec, t *tree) error {
	for _, e := range elements(spec, C.mjOBJ_SENSOR) {
		s := C.mjs_asSensor(e)
		size := float64(max(s.dim, 1)) * float64(1+max(s.nsample, 0)) * costOfUser
		if err := b.add(size, "%s: sensor %q", t.sensor(elementName(e)), elementName(e)); err != nil {
			return err
		}
	}
	for _, e := range elements(spec, C.mjOBJ_ACTUATOR) {
		a := C.mjs_asActuator(e)
		size := float64(max(a.nsample, 0)+max(a.actdim, 0)) * costOfUser
		if err := b.add(size, "%s: actuator %q", t.actuator(elementName(e)), elementName(e)); err != nil {
			return err
		}
	}
	for _, e := range elements(spec, C.mjOBJ_NUMERIC) {
		size := float64(C.mjs_asNumeric(e).size) * costOfUser
		if err := b.add(size, "%s: numeric %q", t.named("numeric", elementName(e)), elementName(e)); err != nil {
			return err
		}
	}
	return nil
}

// sensor and actuator return the place of one, or of the model.
func (t *tree) sensor(name string) string   { return t.below("sensor", name) }
func (t *tree) actuator(name string) string { return t.below("actuator", name) }

// below returns the place of the element of a name in a section, or of the section.
func (t *tree) below(section, name string) string {
	var place string
	t.find(func(e *element) bool {
		if e.tag != section {
			return false
		}
		if place == "" {
			place = e.place()
		}
		for _, child := range e.children {
			if child.attr("name") == name {
				place = child.place()
				return true
			}
		}
		return false
	})
	if place == "" {
		return t.documents[0].path
	}
	return place
}

// checkVisual checks the sizes of pictures.
func (b *budget) checkVisual(spec *C.mjSpec, t *tree) error {
	v := &spec.visual
	for _, s := range []struct {
		tag, attr string
		got       C.int
		most      C.int
	}{
		{"global", "offwidth", v.global.offwidth, maxPixels},
		{"global", "offheight", v.global.offheight, maxPixels},
		{"quality", "shadowsize", v.quality.shadowsize, maxPixels},
		{"quality", "offsamples", v.quality.offsamples, 64},
		{"quality", "numslices", v.quality.numslices, 1024},
		{"quality", "numstacks", v.quality.numstacks, 1024},
		{"quality", "numquads", v.quality.numquads, 1024},
	} {
		if s.got < 0 || s.got > s.most {
			return fmt.Errorf("%s: %s of <%s> is %d, want 0 to %d", t.with(s.tag, s.attr), s.attr, s.tag, s.got, s.most)
		}
	}
	return nil
}

// maxLengthSteps is the most steps that MuJoCo may simulate to find the range of an
// actuator's length.
const maxLengthSteps = 1e6

// checkLengthRange checks that the simulation which finds the ranges of actuators' lengths
// comes to an end.
func (b *budget) checkLengthRange(spec *C.mjSpec, t *tree) error {
	o := &spec.compiler.LRopt
	steps := float64(o.inttotal) / float64(o.timestep)
	if n := len(elements(spec, C.mjOBJ_ACTUATOR)); o.mode == C.mjLRMODE_NONE || n == 0 {
		return nil
	}
	if !(o.timestep > 0) || !(steps <= maxLengthSteps) {
		return fmt.Errorf("%s: <lengthrange> has a timestep of %g s for %g s, want a positive one of at least a millionth of that",
			t.named("lengthrange", ""), float64(o.timestep), float64(o.inttotal))
	}
	return nil
}
