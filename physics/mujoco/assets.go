package mujoco

// #include "shim.h"
import "C"

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unsafe"
)

type asset struct {
	tag   string // tag of the element
	name  string // name of the file as the model has it
	path  string
	place string // place of the element that names the file

	relocated bool   // MuJoCo would look for the file elsewhere
	pack      string // folder of the ROS package of the file, where it may lie too; "" for none
}

// checkUsable is that of its file, which may also lie in the folder of its package.
func (a *asset) checkUsable(s *sources) (size int64, err error) {
	size, err = s.checkUsable(a.place, a.tag, a.name, a.path)
	if a.pack == "" || !errors.As(err, new(*OutsideError)) {
		return size, err
	}
	pack := *s
	pack.folder = a.pack
	if n, packErr := pack.checkUsable(a.place, a.tag, a.name, a.path); packErr == nil {
		return n, nil
	}
	return size, err
}

// locate finds the file that an element names. The path is where MuJoCo looks or, if nothing is
// there, where it is after all.
func (t *tree) locate(e *C.mjsElement, tag, name, folder string) (*asset, error) {
	a := &asset{tag: tag, name: name, place: t.documents[0].path}
	var same []string // files of the same base name: MuJoCo may have added or removed a folder
	exact := t.find(func(x *element) bool {
		for _, attr := range fileAttributes {
			switch value := x.attr(attr); {
			case x.tag != tag || value == "":
			case clean(value) == clean(name):
				a.place, a.name = x.place(), value
				return true
			case filepath.Base(clean(value)) == filepath.Base(clean(name)) && !slices.Contains(same, value):
				a.place, same = x.place(), append(same, value)
			}
		}
		return false
	}) != nil
	if !exact && len(same) == 1 {
		a.name = same[0]
	}
	home := homeOf(e)
	a.path = resolve(resolve(home, folder), name)
	url := strings.Contains(a.name, "://")
	if absolute, err := filepath.Abs(home); err == nil && !url && t.documents[0].root.tag == "robot" {
		a.pack = t.packageOf(absolute, "")
	}
	if !url && t.exists(a.path) {
		return a, nil
	}
	others := []string{resolve(resolve(home, folder), a.name)} // MuJoCo may forget the folder of an included file
	if url {
		others, a.pack = t.candidates(home, folder, a.name)
	}
	for _, path := range others {
		if t.exists(path) {
			a.path, a.relocated = path, path != a.path
			return a, nil
		}
	}
	if url {
		return nil, fmt.Errorf("%s: <%s> names %s, want a file at %s", a.place, tag, a.name,
			strings.Join(others, " or "))
	}
	return a, nil
}

// homeOf returns the folder of the model file that an element comes from.
func homeOf(e *C.mjsElement) string {
	if origin := C.mjs_getOriginSpec(e); origin != nil {
		return text(origin.modelfiledir)
	}
	return ""
}

// candidates lists where the file of a URL such as package://NAME/meshes/leg.stl may be:
// beside the model, with NAME and without, or in the folder of the package, pack, or below a folder NAME that the
// model lies in.
func (s *sources) candidates(home, folder, url string) (list []string, pack string) {
	scheme, rest, _ := strings.Cut(url, "://")
	if strings.EqualFold(scheme, "file") {
		return []string{filepath.Clean("/" + rest)}, ""
	}
	pkg, inner, _ := strings.Cut(rest, "/")
	list = []string{resolve(resolve(home, folder), inner), resolve(home, inner), resolve(home, rest)}
	slices.Sort(list[:2])
	absolute, err := filepath.Abs(home)
	if err != nil {
		return slices.Compact(list), ""
	}
	if pack = s.packageOf(absolute, pkg); pack != "" {
		list = append(list, filepath.Join(pack, inner))
	}
	for dir := absolute; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if filepath.Base(dir) == pkg && dir != pack {
			list = append(list, filepath.Join(dir, inner))
		}
	}
	return slices.Compact(list), pack
}

// packageOf returns the folder of the ROS package of a name, or of any for "", that a folder lies in: the nearest above
// it with a package.xml that says so, or else its parent if that has the name or the folder is called as those for robots
// are; "" for none.
func (s *sources) packageOf(folder, name string) string {
	for dir := folder; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		manifest := filepath.Join(dir, "package.xml")
		if size, err := s.stat(manifest); err == nil && size < maxManifest {
			text, err := s.read(manifest, size)
			if words := manifestName.FindSubmatch(text); err == nil && words != nil && (name == "" || string(words[1]) == name) {
				return dir
			}
			break // the manifest of another package
		}
	}
	if parent := filepath.Dir(folder); filepath.Base(parent) == name || slices.Contains(robotFolders,
		filepath.Base(folder)) {
		return parent
	}
	return ""
}

// robotFolders are the names that ROS packages give to the folder of their URDF files.
var robotFolders = []string{"urdf", "robots"}

const maxManifest = 1 << 20 // bytes

var manifestName = regexp.MustCompile(`<name>\s*(.*?)\s*</name>`)

// checkFiles checks the files of a parsed model, which MuJoCo opens only when it compiles. Assets named by a URL, as in
// URDF, and those that MuJoCo would not find get the path of their file.
func checkFiles(spec *C.mjSpec, t *tree) error {
	colliding := map[string]bool{}
	for _, e := range elements(spec, C.mjOBJ_GEOM) {
		if g := C.mjs_asGeom(e); g.contype != 0 || g.conaffinity != 0 {
			colliding[text(g.meshname)] = true
		}
	}
	for _, kind := range fileKinds {
		for _, e := range elements(spec, kind.kind) {
			c := C.mjs_getCompiler(e)
			names, folder := kind.files(e)
			for i, name := range names {
				if name == "" {
					continue
				}
				a, err := t.locate(e, kind.tag, name, folder)
				var size int64
				if err == nil {
					size, err = a.checkUsable(t.sources)
				}
				if err == nil && size == 0 {
					err = fmt.Errorf("%s: %s has no bytes, want a file for <%s>", a.place, a.path, a.tag)
				}
				if isVisual := kind.tag == "texture" || kind.tag == "mesh" && !colliding[elementName(e)]; err != nil &&
					bool(c.discardvisual) && isVisual {
					continue // MuJoCo drops it, or reports it
				}
				if err != nil {
					return err
				}
				if a.relocated && i == 0 {
					setString(kind.file(e), a.path)
				}
			}
		}
	}
	return nil
}

// fileKind is a kind of assets that come from files.
type fileKind struct {
	kind C.mjtObj
	tag  string
	file func(*C.mjsElement) unsafe.Pointer
}

var fileKinds = []fileKind{
	{C.mjOBJ_MESH, "mesh", func(e *C.mjsElement) unsafe.Pointer { return C.mjs_asMesh(e).file }},
	{C.mjOBJ_HFIELD, "hfield", func(e *C.mjsElement) unsafe.Pointer { return C.mjs_asHField(e).file }},
	{C.mjOBJ_SKIN, "skin", func(e *C.mjsElement) unsafe.Pointer { return C.mjs_asSkin(e).file }},
	{C.mjOBJ_TEXTURE, "texture", func(e *C.mjsElement) unsafe.Pointer { return C.mjs_asTexture(e).file }},
}

// files returns the names of the files of an element, that of a texture's sides after its own, and the folder that the
// compiler's settings say they are in. A name is "" where there is none.
func (k fileKind) files(e *C.mjsElement) (names []string, folder string) {
	c := C.mjs_getCompiler(e)
	names = []string{text(k.file(e))}
	if k.tag != "texture" {
		return names, text(c.meshdir)
	}
	for side := range cubeFiles {
		if name := C.mjs_getInStringVec(C.mjs_asTexture(e).cubefiles, C.int(side)); name != nil {
			names = append(names, C.GoString(name))
		}
	}
	return names, text(c.texturedir)
}

// cubeFiles are the attributes for the sides of a cube, fileAttributes all that name files.
var (
	cubeFiles      = []string{"fileright", "fileleft", "fileup", "filedown", "filefront", "fileback"}
	fileAttributes = append([]string{"file", "filename"}, cubeFiles...)
)

// maxLengthSteps is the most steps that MuJoCo may simulate to find the range of an actuator's length.
const maxLengthSteps = 1e6

// checkLengthRange checks that the simulation which finds the ranges of actuators' lengths comes to an end.
func checkLengthRange(spec *C.mjSpec, t *tree) error {
	o := &spec.compiler.LRopt
	steps := float64(o.inttotal) / float64(o.timestep)
	if n := len(elements(spec, C.mjOBJ_ACTUATOR)); o.mode == C.mjLRMODE_NONE || n == 0 {
		return nil
	}
	if !(o.timestep > 0) || !(steps <= maxLengthSteps) {
		source := t.find(func(e *element) bool { return e.tag == "lengthrange" })
		if source == nil {
			source = t.documents[0].root
		}
		return source.errorf("<lengthrange> has a timestep of %g s for %g s, want a positive one of at least a "+
			"millionth of that", float64(o.timestep), float64(o.inttotal))
	}
	return nil
}
