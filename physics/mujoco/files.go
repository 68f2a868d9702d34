package mujoco

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Bounds of model files. What MuJoCo does while it parses takes time that grows with the
// square of the number of objects, so more of them would seem to hang.
const (
	maxXML     = 64 << 20 // bytes of one XML file
	maxObjects = 50_000   // elements, after those that repeat others have done so
	maxCopies  = 20_000   // elements that one <replicate>, <attach> or <flexcomp> makes
	maxFiles   = 1_000    // XML files of a model
)

// OutsideError is the error of a model that refers to a file outside its own folder.
type OutsideError struct {
	Place  string // file and line that refer to it, such as "go2.xml:12"
	File   string // the file, with its folder
	Folder string // the model's
}

func (e *OutsideError) Error() string {
	return fmt.Sprintf("%s: %s lies outside the model's folder %s, want it inside, or scene.allow_outside: true", e.Place, e.File, e.Folder)
}

// document is an XML file of a model.
type document struct {
	path     string // as a message names it
	root     *element
	elements int
}

// sources is where the files of models are and what they may refer to.
type sources struct {
	memory map[string][]byte // by clean path; looked at before the disk; may be nil
	folder string            // models must not leave it; "" if they may
	limit  int64             // bytes that compiling may take
}

// read returns the contents of an XML file.
func (s *sources) read(path string) ([]byte, error) {
	if data, ok := s.memory[clean(path)]; ok {
		return data, nil
	}
	size, err := s.stat(path)
	if err != nil {
		return nil, err
	}
	if size > maxXML {
		return nil, fmt.Errorf("%s has %d bytes, want at most %d", path, size, maxXML)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxXML))
}

// exists reports whether there is a file, of any kind.
func (s *sources) exists(path string) bool {
	if _, ok := s.memory[clean(path)]; ok {
		return true
	}
	_, err := os.Stat(path)
	return err == nil
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
	return info.Size(), nil
}

// inside checks that a file on disk lies in the folder of the models, after symbolic
// links.
func (s *sources) inside(path, place string) error {
	if _, ok := s.memory[clean(path)]; ok || s.folder == "" {
		return nil
	}
	real, err := realPath(path)
	if err != nil {
		return fmt.Errorf("%s: %w", place, err)
	}
	folder, err := realPath(s.folder)
	if err != nil {
		return fmt.Errorf("%s: %w", place, err)
	}
	inside, err := filepath.Rel(folder, real)
	if err != nil || inside == ".." || strings.HasPrefix(inside, "../") {
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
	for at := path; ; at = filepath.Dir(at) {
		real, err := filepath.EvalSymlinks(at)
		if err == nil {
			return filepath.Join(real, rest), nil
		}
		if !errors.Is(err, os.ErrNotExist) || at == filepath.Dir(at) {
			return "", err
		}
		rest = filepath.Join(filepath.Base(at), rest)
	}
}

// clean is the form in which paths are compared. MuJoCo takes a backslash for a slash.
func clean(path string) string { return filepath.Clean(strings.ReplaceAll(path, `\`, "/")) }

// under returns the path of a file that is named in a model, relative to folder unless it
// is absolute.
func under(folder, name string) string {
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
	included map[string]string  // where each file was included, by clean path
	models   map[string]*branch // that it may attach, by name
	meshes   string             // meshdir
	objects  float64
	busy     bool // it is being read, so a reference to it is a cycle

	counts map[*element]float64 // of objects in bodies and frames; −1 while it is counted
	named  map[string]*element  // bodies and frames, by tag, space and name
}

// readTree reads the XML files of a model and reports what MuJoCo would not stand: a
// reference to nothing, to itself or to a file that may not be read, something that
// repeats itself too often, and numbers that are none.
func (s *sources) readTree(path string) (*tree, error) {
	t := &tree{sources: s, models: map[string]*branch{}}
	b, err := t.readModel(path)
	if err != nil {
		return nil, err
	}
	if b.objects > maxObjects {
		return nil, fmt.Errorf("%s has %.6g objects, want at most %d", path, b.objects, maxObjects)
	}
	for _, d := range t.documents {
		if err := walkOwn(d, d.root, checkNumbers); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// readDocument reads one XML file.
func (t *tree) readDocument(path string) (*document, error) {
	if len(t.documents) >= maxFiles {
		return nil, fmt.Errorf("%s is XML file %d of the model, want at most %d", path, len(t.documents)+1, maxFiles)
	}
	text, err := t.read(path)
	if err != nil {
		return nil, readError{err}
	}
	d := &document{path: path}
	if d.root, err = parseXML(d, text); err != nil {
		return nil, err
	}
	t.documents = append(t.documents, d)
	return d, nil
}

// readModel reads a model file and the models that it attaches.
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
		included: map[string]string{clean(path): path}, models: map[string]*branch{},
		counts: map[*element]float64{}, named: map[string]*element{},
	}
	t.models[clean(path)] = b
	if err := t.include(b, root); err != nil {
		return nil, err
	}
	for _, step := range []func(*branch, *element) error{note, t.findModels} {
		if err := walk(root.root, func(e *element) error { return step(b, e) }); err != nil {
			return nil, err
		}
	}
	if b.objects, err = t.countObjects(b, root.root); err != nil {
		return nil, err
	}
	b.busy = false
	return b, nil
}

// walk calls f for an element and all below it, in order, until f fails.
func walk(e *element, f func(*element) error) error {
	if err := f(e); err != nil {
		return err
	}
	for _, child := range e.children {
		if err := walk(child, f); err != nil {
			return err
		}
	}
	return nil
}

// include reads the files that a document includes, depth first, and puts their elements
// below the <include>.
func (t *tree) include(b *branch, d *document) error {
	var includes []*element
	_ = walk(d.root, func(e *element) error {
		if e.tag == "include" {
			includes = append(includes, e)
		}
		return nil
	})
	for _, e := range includes {
		name := e.attr("file")
		if name == "" {
			return e.errorf("<include> has no file, want one")
		}
		// as MuJoCo looks for it: beside the model, then beside the including file
		path := under(b.folder, name)
		if !t.exists(path) {
			if beside := under(filepath.Dir(d.path), name); t.exists(beside) {
				path = beside
			}
		}
		if err := t.usable(e, path, "file"); err != nil {
			return err
		}
		if first, ok := b.included[clean(path)]; ok {
			return e.errorf("%s is included although it is part of the model since %s, want each file once", path, first)
		}
		b.included[clean(path)] = e.place()
		part, err := t.readDocument(path)
		if err != nil {
			return e.because(err)
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

// readError is the error of a file that cannot be read, before any of its lines.
type readError struct{ error }

// because returns an error of a file that e refers to: as it is, if it says where.
func (e *element) because(err error) error {
	if unread, ok := err.(readError); ok {
		return e.errorf("%w", unread.error)
	}
	return err
}

// usable checks that a file that e refers to may be read and is there.
func (t *tree) usable(e *element, path, attr string) error {
	if err := t.inside(path, e.place()); err != nil {
		return err
	}
	if !t.exists(path) {
		return e.errorf("<%s %s=%q>: there is no file %s", e.tag, attr, e.attr(attr), path)
	}
	return nil
}

// note remembers where the meshes of a model are, and its bodies and frames.
func note(b *branch, e *element) error {
	switch e.tag {
	case "compiler":
		for _, name := range []string{"assetdir", "meshdir"} {
			if e.has(name) {
				b.meshes = e.attr(name)
			}
		}
	case "body", "frame":
		b.named[e.tag+" "+e.attr("name")] = e
	}
	return nil
}

// findModels reads the models that a model attaches.
func (t *tree) findModels(b *branch, e *element) error {
	if e.tag != "model" || e.attr("file") == "" {
		return nil
	}
	path := under(b.folder, e.attr("file"))
	if err := t.usable(e, path, "file"); err != nil {
		return err
	}
	child, err := t.readModel(path)
	if err != nil {
		return e.because(err)
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

// countObjects returns how many elements there are in e and below it, after those that
// repeat others have done so. The points of a flexible body count as three elements each,
// for the time that they take.
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
		n, err := t.attached(b, e)
		return 1 + n, err
	case "flexcomp":
		points, err := t.flexPoints(b, e)
		return 1 + 3*points, err
	case "mesh":
		return 1, checkBuiltin(e)
	case "hfield":
		rows, _ := wholeNumber(e.attr("nrow"))
		columns, _ := wholeNumber(e.attr("ncol"))
		return 1, t.afford(e, rows*columns*costOfCell)
	}
	return 1, nil
}

// afford checks that an element which MuJoCo makes room for while it parses does not take
// all memory.
func (t *tree) afford(e *element, bytes float64) error {
	if bytes > float64(t.limit) {
		return e.errorf("<%s> takes about %.6g MB of memory, want at most %d MB (scene.memory_mb)", e.tag, bytes/(1<<20), t.limit>>20)
	}
	return nil
}

// attached returns how many elements an <attach> adds: a whole model or, without one, a
// body or a frame of its own.
func (t *tree) attached(b *branch, e *element) (float64, error) {
	if e.has("model") {
		if child := b.models[e.attr("model")]; child != nil {
			return child.objects, nil
		}
		return 0, nil // MuJoCo reports it
	}
	for _, tag := range []string{"body", "frame"} {
		own := b.named[tag+" "+e.attr(tag)]
		if !e.has(tag) || own == nil {
			continue
		}
		n, err := t.countObjects(b, own)
		if err == nil && n < 0 {
			err = e.errorf("<attach %s=%q> attaches something to itself, want no cycle", tag, e.attr(tag))
		}
		return n, err
	}
	return 0, nil
}

// wholeNumber parses a number of an attribute.
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
		path := under(under(b.folder, b.meshes), name)
		if t.exists(path) { // otherwise MuJoCo looks elsewhere or reports it
			if err := t.usable(e, path, "file"); err != nil {
				return 0, err
			}
			size, err := t.stat(path)
			if err != nil {
				return 0, e.errorf("%w", err)
			}
			points = max(points, float64(size)/64) // a line of text or a record
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
		return e.errorf("<mesh params=%q> has up to %.6g vertices, want at most %d", e.attr("params"), product, maxVertices)
	}
	return nil
}

// maxVertices is the most vertices of a mesh that MuJoCo makes itself.
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
func hasNaN(a attribute) bool {
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

// find returns the first element that f accepts, nil if there is none.
func (t *tree) find(f func(*element) bool) *element {
	var found *element
	for _, d := range t.documents {
		err := walkOwn(d, d.root, func(e *element) error {
			if f(e) {
				found = e
				return io.EOF
			}
			return nil
		})
		if err != nil {
			return found
		}
	}
	return nil
}

// walkOwn is walk without what a document includes.
func walkOwn(d *document, e *element, f func(*element) error) error {
	if e.doc != d {
		return nil
	}
	if err := f(e); err != nil {
		return err
	}
	for _, child := range e.children {
		if err := walkOwn(d, child, f); err != nil {
			return err
		}
	}
	return nil
}
