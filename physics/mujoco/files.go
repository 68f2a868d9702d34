package mujoco

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"iter"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
)

// Bounds of model files. What MuJoCo does while it parses takes time that grows with the
// square of the number of objects, so more of them would seem to hang.
const (
	maxXML     = 64 << 20 // bytes of one XML file
	maxObjects = 50_000   // number of elements after all repetitions
	maxCopies  = 20_000   // elements that one <replicate>, <attach> or <flexcomp> makes
	maxFiles   = 1_000    // XML files of a model
)

// OutsideError is the error of a model that refers to a file outside its own folder.
type OutsideError struct {
	Place  string // file and line that refer to it, such as "go2.xml:12"
	File   string // the file, with its folder
	Folder string // folder of the model
}

func (e *OutsideError) Error() string {
	return fmt.Sprintf("%s: %s lies outside the model's folder %s, want it inside, or scene.allow_outside: true",
		e.Place, e.File, e.Folder)
}

type document struct {
	path string // path as a message names it
	root *element
}

// sources is where the files of models are and what they may refer to.
type sources struct {
	memory map[string][]byte // contents of files by clean path; they take precedence over the disk
	folder string            // folder that models must not leave; "" if they may
	inputs hash.Hash         // of all that decides what MuJoCo is given: what was read, which files are there, settings
}

// newSources makes the sources of models, some of whose files are in memory.
func newSources(memory map[string][]byte) *sources {
	s := &sources{memory: memory, inputs: sha256.New()}
	here, _ := os.Getwd() // what relative paths begin at
	s.note(here, nil)
	for _, name := range slices.Sorted(maps.Keys(memory)) {
		s.note(name, memory[name])
	}
	return s
}

// note adds something to the inputs, so that no other name and contents give the same.
func (s *sources) note(name string, contents []byte) {
	fmt.Fprintf(s.inputs, "%q %d\n%s", name, len(contents), contents)
}

// read returns the contents of a file, at most limit bytes.
func (s *sources) read(path string, limit int64) ([]byte, error) {
	if data, ok := s.memory[clean(path)]; ok {
		return data[:min(int64(len(data)), limit)], nil
	}
	f, err := disk.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, limit))
	s.note(path, data)
	return data, err
}

func (s *sources) exists(path string) bool {
	_, inMemory := s.memory[clean(path)]
	_, err := os.Stat(path)
	s.note(path, strconv.AppendBool(nil, err == nil))
	return inMemory || err == nil
}

// stat returns the size of a regular file. It opens nothing: opening a pipe would wait.
func (s *sources) stat(path string) (int64, error) {
	if data, ok := s.memory[clean(path)]; ok {
		return int64(len(data)), nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return 0, err
	}
	if !info.Mode().IsRegular() {
		return 0, fmt.Errorf("%s: not a regular file", path)
	}
	identity := "" // with the time at which the contents changed last, which no program can set
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		identity = fmt.Sprint(stat.Dev, stat.Ino, stat.Size, stat.Ctim)
	}
	s.note(path, []byte(identity))
	return info.Size(), nil
}

// checkInside checks that a file on disk lies in the folder of the models, after symbolic links.
func (s *sources) checkInside(path, place string) error {
	if _, ok := s.memory[clean(path)]; ok || s.folder == "" {
		return nil
	}
	real, err := realPath(path)
	folder, folderErr := realPath(s.folder)
	if err = cmp.Or(err, folderErr); err != nil {
		return fmt.Errorf("%s: %w", place, err)
	}
	if relative, err := filepath.Rel(folder, real); err != nil || !filepath.IsLocal(relative) {
		return &OutsideError{Place: place, File: path, Folder: s.folder}
	}
	return nil
}

// realPath returns an absolute path without symbolic links; of a path that does not
// exist, those of its longest part that does are followed.
func realPath(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	rest := ""
	for ancestor := path; ; ancestor = filepath.Dir(ancestor) {
		real, err := filepath.EvalSymlinks(ancestor)
		if err == nil {
			return filepath.Join(real, rest), nil
		}
		if !errors.Is(err, os.ErrNotExist) || ancestor == filepath.Dir(ancestor) {
			return "", err
		}
		rest = filepath.Join(filepath.Base(ancestor), rest)
	}
}

// clean is the form in which paths are compared. MuJoCo takes a backslash for a slash.
func clean(path string) string { return filepath.Clean(strings.ReplaceAll(path, `\`, "/")) }

// resolve returns the path of a file that is named in a model, relative to folder unless it is absolute.
func resolve(folder, name string) string {
	name = strings.ReplaceAll(name, `\`, "/")
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(folder, name)
}

// tree is what is known of the XML files of a model before MuJoCo reads them.
type tree struct {
	*sources
	documents []*document // each file, once
	models    map[string]*branch
}

// branch is a model file with what it includes.
type branch struct {
	folder   string // of the model file
	root     *document
	includes map[string]string  // place of the <include> of each file, by clean path
	models   map[string]*branch // models that <attach> may name, by name
	meshes   string             // meshdir
	objects  float64
	busy     bool // the branch is being read, so that a reference to it is a cycle

	counts   map[*element]float64 // number of objects in bodies and frames; −1 during the count
	elements map[string]*element  // bodies and frames by tag, space and name
}

// readTree reads the XML files of a model and reports what MuJoCo would not stand: a reference to nothing, to itself
// or to a file that may not be read, something that repeats itself too often, and numbers that are none.
func (s *sources) readTree(path string) (*tree, error) {
	t := &tree{sources: s, models: map[string]*branch{}}
	b, err := t.readModel(path)
	if err != nil {
		return nil, err
	}
	if b.objects > maxObjects {
		return nil, fmt.Errorf("%s has %.6g objects, want at most %d", path, b.objects, maxObjects)
	}
	for e := range t.elements() {
		if err := checkNumbers(e); err != nil {
			return nil, err
		}
	}
	return t, nil
}

func (t *tree) readDocument(path string) (*document, error) {
	if len(t.documents) >= maxFiles {
		return nil, fmt.Errorf("%s is XML file %d of the model, want at most %d", path, len(t.documents)+1, maxFiles)
	}
	size, err := t.stat(path)
	if err == nil && size > maxXML {
		err = fmt.Errorf("%s has %d bytes, want at most %d", path, size, maxXML)
	}
	var text []byte
	if err == nil {
		text, err = t.read(path, maxXML)
	}
	if err != nil {
		return nil, err
	}
	d := &document{path: path}
	if d.root, err = parseXML(d, text); err != nil {
		return nil, err
	}
	t.documents = append(t.documents, d)
	return d, nil
}

func (t *tree) readModel(path string) (*branch, error) {
	if b := t.models[clean(path)]; b != nil {
		return b, nil
	}
	root, err := t.readDocument(path)
	if err != nil {
		return nil, err
	}
	if tag := root.root.tag; tag != "mujoco" && tag != "robot" {
		return nil, root.root.errorf("XML begins with <%s>, want <mujoco> or <robot>", tag)
	}
	b := &branch{
		folder: filepath.Dir(path), root: root, busy: true,
		includes: map[string]string{clean(path): path}, models: map[string]*branch{},
		counts: map[*element]float64{}, elements: map[string]*element{},
	}
	t.models[clean(path)] = b
	if err := t.include(b, root); err != nil {
		return nil, err
	}
	for e := range root.root.all() {
		switch e.tag {
		case "compiler":
			for _, name := range []string{"assetdir", "meshdir"} {
				if folder, ok := e.find(name); ok {
					b.meshes = folder
				}
			}
		case "body", "frame":
			b.elements[e.tag+" "+e.attr("name")] = e
		}
	}
	for e := range root.root.all() {
		if err := t.findModels(b, e); err != nil {
			return nil, err
		}
	}
	if b.objects, err = t.countObjects(b, root.root); err != nil {
		return nil, err
	}
	b.busy = false
	return b, nil
}

// include reads the files that a document includes, depth first, and puts their elements below the <include>.
func (t *tree) include(b *branch, d *document) error {
	for _, e := range slices.Collect(d.root.all()) {
		if e.tag != "include" {
			continue
		}
		name := e.attr("file")
		if name == "" {
			return e.errorf("<include> has no file, want one")
		}
		// as MuJoCo looks for it: beside the model, then beside the including file
		path := resolve(b.folder, name)
		if !t.exists(path) {
			if sibling := resolve(filepath.Dir(d.path), name); t.exists(sibling) {
				path = sibling
			}
		}
		if _, err := t.checkUsable(e, path); err != nil {
			return err
		}
		if first, ok := b.includes[clean(path)]; ok {
			return e.errorf("%s is included although it is part of the model since %s, want each file once",
				path, first)
		}
		b.includes[clean(path)] = e.place()
		part, err := t.readDocument(path)
		if err != nil {
			return e.errorf("%w", err)
		}
		if len(part.root.children) == 0 {
			return e.errorf("%s has nothing to include", path)
		}
		if len(e.children) > 0 {
			return e.errorf("<include> has elements in it, want none")
		}
		if err := t.include(b, part); err != nil {
			return err
		}
		e.children = []*element{part.root}
	}
	return nil
}

// checkUsable checks that a file that something at a place names may be read and is there. It returns its size.
func (s *sources) checkUsable(place, tag, name, path string) (size int64, err error) {
	if err := s.checkInside(path, place); err != nil {
		return 0, err
	}
	if size, err = s.stat(path); errors.Is(err, os.ErrNotExist) {
		err = fmt.Errorf("<%s> names the file %q, and there is none at %s", tag, name, path)
	}
	if err != nil {
		return 0, fmt.Errorf("%s: %w", place, err)
	}
	return size, nil
}

// checkUsable is the same for a file that an attribute names.
func (t *tree) checkUsable(e *element, path string) (size int64, err error) {
	return t.sources.checkUsable(e.place(), e.tag, e.attr("file"), path)
}

func (t *tree) findModels(b *branch, e *element) error {
	if e.tag != "model" || e.attr("file") == "" {
		return nil
	}
	path := resolve(b.folder, e.attr("file"))
	if _, err := t.checkUsable(e, path); err != nil {
		return err
	}
	child, err := t.readModel(path)
	if err != nil {
		return e.errorf("%w", err)
	}
	if child.busy {
		return e.errorf("%s attaches itself, through the models that it attaches", path)
	}
	name := e.attr("name")
	if name == "" {
		name = child.root.root.attr("model")
	}
	b.models[name] = child
	return nil
}

// countObjects returns how many elements there are in e and below it, after those that repeat others have done so.
// The points of a flexible body count as three elements each, for the time that they take.
func (t *tree) countObjects(b *branch, e *element) (float64, error) {
	if n, ok := b.counts[e]; ok {
		return n, nil
	}
	b.counts[e] = -1
	total, err := t.countOwn(b, e)
	if err != nil {
		return 0, err
	}
	for _, child := range e.children {
		n, err := t.countObjects(b, child)
		if err != nil {
			return 0, err
		}
		total += n
	}
	if e.tag == "replicate" {
		if n, ok := wholeNumber(e.attr("count")); ok && n > 1 {
			total *= n
		}
	}
	limit := maxObjects
	if e.tag == "replicate" || e.tag == "attach" || e.tag == "flexcomp" {
		limit = maxCopies
	}
	if total > float64(limit) {
		return 0, e.errorf("<%s> makes %.6g objects, want at most %d", e.tag, total, limit)
	}
	b.counts[e] = total
	return total, nil
}

// countOwn is countObjects without what stands below e.
func (t *tree) countOwn(b *branch, e *element) (float64, error) {
	switch e.tag {
	case "attach":
		n, err := t.countAttached(b, e)
		return 1 + n, err
	case "flexcomp":
		points, err := t.flexPoints(b, e)
		return 1 + 3*points, err
	case "mesh":
		return 1, checkBuiltin(e)
	case "size": // MuJoCo makes each of its keyframes
		keyframes, _ := wholeNumber(e.attr("nkey"))
		return 1 + max(0, keyframes), nil
	}
	return 1, nil
}

// countAttached returns how many elements an <attach> adds: a whole model or, without one, a body or a frame of its
// own.
func (t *tree) countAttached(b *branch, e *element) (float64, error) {
	if e.has("model") {
		if child := b.models[e.attr("model")]; child != nil {
			return child.objects, nil
		}
		return 0, nil // MuJoCo reports it
	}
	for _, tag := range []string{"body", "frame"} {
		target := b.elements[tag+" "+e.attr(tag)]
		if !e.has(tag) || target == nil {
			continue
		}
		n, err := t.countObjects(b, target)
		if err == nil && n < 0 {
			err = e.errorf("<attach %s=%q> attaches something to itself, want no cycle", tag, e.attr(tag))
		}
		return n, err
	}
	return 0, nil
}

func wholeNumber(text string) (float64, bool) {
	v, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	return v, err == nil && !math.IsNaN(v)
}

// product multiplies the numbers of an attribute that are more than 1.
func product(text string) float64 {
	n := 1.0
	for _, word := range strings.Fields(text) {
		if v, ok := wholeNumber(word); ok && v > 1 {
			n *= v
		}
	}
	return n
}

// flexPoints returns the most points that a flexible body may have.
func (t *tree) flexPoints(b *branch, e *element) (float64, error) {
	points := max(product(e.attr("count")), product(e.attr("cellcount")))
	if name := e.attr("file"); name != "" {
		path := resolve(resolve(b.folder, b.meshes), name)
		if t.exists(path) { // otherwise MuJoCo looks elsewhere or reports it
			size, err := t.checkUsable(e, path)
			if err != nil {
				return 0, err
			}
			points = max(points, float64(size)/64) // a record is at least a line of text
		}
	}
	return points, nil
}

// checkBuiltin checks the resolution of a mesh that MuJoCo makes itself.
func checkBuiltin(e *element) error {
	if !e.has("builtin") {
		return nil
	}
	params := strings.Fields(e.attr("params"))
	product := product(strings.Join(params[:min(3, len(params))], " "))
	if len(params) > 0 {
		if first, ok := wholeNumber(params[0]); ok {
			product = max(product, first*first)
		}
	}
	if product > maxVertices {
		return e.errorf("<mesh params=%q> has up to %.6g vertices, want at most %d", e.attr("params"),
			product, maxVertices)
	}
	return nil
}

const maxVertices = 200_000

// checkNumbers reports an attribute that holds NaN, which MuJoCo takes.
func checkNumbers(e *element) error {
	if e.tag == "text" || e.tag == "plugin" || e.tag == "config" {
		return nil
	}
	for _, a := range e.attrs {
		if hasNaN(a) {
			return e.errorf("<%s %s=%q> holds NaN, want numbers", e.tag, a.name, a.value)
		}
	}
	return nil
}

// hasNaN reports whether an attribute is a list of numbers with NaN among them. A single
// word may be a name in most attributes of MuJoCo that are no number.
func hasNaN(a attr) bool {
	if !strings.Contains(strings.ToLower(a.value), "nan") || slices.Contains(nameAttributes, a.name) {
		return false
	}
	found := false
	for _, word := range strings.Fields(a.value) {
		v, err := strconv.ParseFloat(word, 64)
		if err != nil && !errors.Is(err, strconv.ErrRange) {
			return false
		}
		found = found || math.IsNaN(v)
	}
	return found
}

// nameAttributes are attributes of MuJoCo and of URDF that hold names.
var nameAttributes = strings.Fields(`name class childclass model prefix suffix file filename target body body1 body2
	geom geom1 geom2 joint joint1 joint2 jointinparent tendon tendon1 tendon2 actuator site site1 site2 sidesite refsite
	slidersite cranksite camera mesh hfield material texture objname refname link value key flex vertbody node
	fileright fileleft fileup filedown filefront fileback meshdir texturedir assetdir content_type plugin instance frame`)

func (t *tree) elements() iter.Seq[*element] {
	return func(yield func(*element) bool) {
		for _, d := range t.documents {
			if !d.root.visit(yield, d) {
				return
			}
		}
	}
}

func (t *tree) find(f func(*element) bool) *element {
	for e := range t.elements() {
		if f(e) {
			return e
		}
	}
	return nil
}
