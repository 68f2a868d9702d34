package powercut

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Recording is what a program did to the files below a folder.
type Recording struct {
	folder     string
	root       *node
	operations []operation
	before     int // of the operations: those that make what was in the folder at first, all on the disk
}

// node is a file, folder or symbolic link, whatever its names are.
type node struct {
	folder bool
	target string           // of a symbolic link
	now    map[string]*node // of a folder, after all operations so far
	size   int64            // of a file, likewise
	offset map[string]int64 // by descriptor: where the next write begins
}

// operation is one of: a change of names in folders, a change of a file's bytes, or what forces either to the disk.
type operation struct {
	names []name // that the operation sets, all or none

	file  *node
	at    int64 // offset of data
	data  []byte
	size  int64 // of the file after the operation
	short bool  // it sets the size, and no data

	synced []*node // files and folders
	begun  int     // only what was done before this operation is forced
}

// name is a name in a folder, and what it means from then on; nil: nothing.
type name struct {
	folder *node
	name   string
	node   *node
}

// newRecording begins a recording with what is in the folder, if it exists.
func newRecording(folder string) (*Recording, error) {
	r := &Recording{folder: folder, root: &node{folder: true, now: map[string]*node{}}}
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case path == folder && (err == nil || errors.Is(err, fs.ErrNotExist)):
			return nil
		case err != nil:
			return err
		case entry.IsDir():
			return r.mkdir(path)
		case entry.Type()&fs.ModeSymlink != 0:
			target, err := os.Readlink(path)
			return cmp.Or(err, r.symlink(target, path))
		}
		data, err := os.ReadFile(path)
		return cmp.Or(err, r.open(path, "O_WRONLY", ""), r.write(path, "", 0, data))
	})
	if err == nil && r.Len() > 0 {
		err = r.syncAll(folder, r.Len())
	}
	r.before = r.Len()
	return r, err
}

// Len returns the number of operations of the program.
func (r *Recording) Len() int { return len(r.operations) - r.before }

func (r *Recording) inside(path string) bool {
	return path == r.folder || strings.HasPrefix(path, r.folder+"/")
}

// find returns the folder of a path and its last element; nil for the root, and for paths outside.
func (r *Recording) find(path string) (folder *node, base string, err error) {
	relative, err := filepath.Rel(r.folder, path)
	if err != nil {
		return nil, "", err
	}
	parts := strings.Split(relative, "/")
	folder = r.root
	for _, part := range parts[:len(parts)-1] {
		if folder = folder.now[part]; folder == nil || !folder.folder {
			return nil, "", fmt.Errorf("no folder of %s is known", path)
		}
	}
	return folder, parts[len(parts)-1], nil
}

// node returns what a path names now; nil without an error outside of the folder.
func (r *Recording) node(path string) (*node, error) {
	if path == r.folder {
		return r.root, nil
	}
	if !r.inside(path) {
		return nil, nil
	}
	folder, base, err := r.find(path)
	if err != nil {
		return nil, err
	}
	if n := folder.now[base]; n != nil {
		return n, nil
	}
	return nil, fmt.Errorf("%s is not known", path)
}

// set records that names have other meanings.
func (r *Recording) set(names ...name) {
	for _, n := range names {
		if n.node == nil {
			delete(n.folder.now, n.name)
		} else {
			n.folder.now[n.name] = n.node
		}
	}
	r.operations = append(r.operations, operation{names: names})
}

// put records a new name.
func (r *Recording) put(path string, n *node) error {
	if path == r.folder || !r.inside(path) {
		return nil
	}
	folder, base, err := r.find(path)
	if err == nil {
		r.set(name{folder, base, n})
	}
	return err
}

// open records what opening a file for writing does, whose descriptor is the file's from then on.
func (r *Recording) open(path, flags, descriptor string) error {
	if !r.inside(path) || !strings.Contains(flags, "O_WRONLY") && !strings.Contains(flags, "O_RDWR") {
		return nil
	}
	folder, base, err := r.find(path)
	if err != nil {
		return err
	}
	n := folder.now[base]
	switch {
	case n == nil:
		n = &node{offset: map[string]int64{}}
		r.set(name{folder, base, n})
	case strings.Contains(flags, "O_TRUNC") && n.size > 0:
		r.resize(n, 0)
	}
	n.offset[descriptor] = 0
	if strings.Contains(flags, "O_APPEND") {
		n.offset[descriptor] = atEnd
	}
	return nil
}

// atEnd is where a descriptor stands whose writes are all at the end that the file then has.
const atEnd = -1

// write records a write at an offset, or where a descriptor stands if that is negative.
func (r *Recording) write(path, descriptor string, offset int64, data []byte) error {
	n, err := r.node(path)
	if n == nil || err != nil || len(data) == 0 {
		return err
	}
	start := offset
	if offset < 0 {
		start = n.offset[descriptor]
		if start == atEnd {
			start = n.size
		} else {
			n.offset[descriptor] += int64(len(data))
		}
	}
	n.size = max(n.size, start+int64(len(data)))
	r.operations = append(r.operations, operation{file: n, at: start, data: data, size: n.size})
	return nil
}

func (r *Recording) seek(path, descriptor string, offset int64) error {
	n, err := r.node(path)
	if n != nil && !n.folder && n.offset[descriptor] != atEnd {
		n.offset[descriptor] = offset
	}
	return err
}

// duplicate gives a descriptor another number.
func (r *Recording) duplicate(path, descriptor, other string) error {
	n, err := r.node(path)
	if n != nil && !n.folder {
		n.offset[other] = n.offset[descriptor]
	}
	return err
}

func (r *Recording) truncate(path string, size int64) error {
	n, err := r.node(path)
	if n != nil && err == nil {
		r.resize(n, size)
	}
	return err
}

func (r *Recording) resize(n *node, size int64) {
	n.size = size
	r.operations = append(r.operations, operation{file: n, size: size, short: true})
}

func (r *Recording) rename(from, to string, exchange bool) error {
	if !r.inside(from) && !r.inside(to) {
		return nil
	}
	if !r.inside(from) || !r.inside(to) {
		return errors.New("a rename into the folder or out of it")
	}
	n, err := r.node(from)
	if err != nil {
		return err
	}
	source, old, err := r.find(from)
	target, base, err2 := r.find(to)
	if err := errors.Join(err, err2); err != nil {
		return err
	}
	other := name{source, old, nil}
	if exchange {
		other.node = target.now[base]
	}
	r.set(other, name{target, base, n})
	return nil
}

func (r *Recording) remove(path string) error {
	if _, err := r.node(path); err != nil {
		return err
	}
	return r.put(path, nil)
}

func (r *Recording) mkdir(path string) error {
	return r.put(path, &node{folder: true, now: map[string]*node{}})
}

func (r *Recording) symlink(target, path string) error { return r.put(path, &node{target: target}) }

func (r *Recording) sync(path string, begun int) error {
	n, err := r.node(path)
	if n != nil {
		r.operations = append(r.operations, operation{synced: []*node{n}, begun: begun})
	}
	return err
}

// syncAll records that everything is forced to the disk, of which a path is in the folder.
func (r *Recording) syncAll(path string, begun int) error {
	if !r.inside(path) {
		return nil
	}
	all := []*node{r.root}
	for _, o := range r.operations[:begun] {
		for _, n := range o.names {
			if n.node != nil {
				all = append(all, n.node)
			}
		}
	}
	r.operations = append(r.operations, operation{synced: all, begun: begun})
	return nil
}

// forced returns the operations before cut that are on the disk whatever else is: those of a file before the newest
// fsync of it, and those of names in folders before the newest fsync of all of these.
func (r *Recording) forced(cut int) []bool {
	forced := make([]bool, cut)
	safe := map[*node]int{} // operations on it before this one are safe
	for i := cut - 1; i >= 0; i-- {
		o := &r.operations[i]
		for _, n := range o.synced {
			safe[n] = max(safe[n], o.begun)
		}
		switch {
		case o.file != nil:
			forced[i] = i < safe[o.file]
		case o.names != nil:
			forced[i] = !slices.ContainsFunc(o.names, func(n name) bool { return i >= safe[n.folder] })
		}
	}
	return forced
}

// Choice decides what is on the disk of what no fsync has forced there.
type Choice struct {
	Name string
	// Names reports whether a change of names is there.
	Names func() bool
	// Data returns how many of so many bytes of a write are there, and whether zeros are in place of the others, as
	// the file's size was there before its data.
	Data func(bytes int) (present int, zeros bool)
}

func always(value bool) func() bool { return func() bool { return value } }

// Choices are those that make the most of one kind of loss, and then so many at random, which tear writes at sectors of
// 512 bytes.
func Choices(random int, seed uint64) []Choice {
	all := func(n int) (int, bool) { return n, false }
	none := func(int) (int, bool) { return 0, false }
	zeros := func(int) (int, bool) { return 0, true }
	list := []Choice{
		{"all is there, as after a kill", always(true), all},
		{"only what was forced", always(false), none},
		{"names without data", always(true), none},
		{"names and sizes without data", always(true), zeros},
		{"data without names", always(false), all},
	}
	for i := range random {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		list = append(list, Choice{fmt.Sprintf("random %d of seed %d", i, seed),
			func() bool { return r.IntN(2) == 0 },
			func(n int) (int, bool) {
				switch r.IntN(4) {
				case 0:
					return n, false
				case 1:
					return 0, r.IntN(2) == 0
				}
				const sector = 512
				return min(n, r.IntN(n/sector+1)*sector), r.IntN(2) == 0
			}})
	}
	return list
}

// After writes, to a folder that does not exist, a state that the disk may have when the power is cut after so many
// operations.
func (r *Recording) After(cut int, c Choice, folder string) error {
	cut += r.before
	forced := r.forced(cut)
	names := map[*node]map[string]*node{r.root: {}}
	data := map[*node][]byte{}
	for i, o := range r.operations[:cut] {
		switch {
		case o.names != nil:
			if !forced[i] && !c.Names() {
				continue
			}
			for _, n := range o.names {
				in := names[n.folder]
				if in == nil {
					in = map[string]*node{}
					names[n.folder] = in
				}
				if n.node == nil {
					delete(in, n.name)
				} else {
					in[n.name] = n.node
				}
			}
		case o.file != nil:
			data[o.file] = o.change(data[o.file], forced[i], c)
		}
	}
	return write(folder, r.root, names, data)
}

// change returns the bytes of the operation's file, which were d before it.
func (o *operation) change(d []byte, forced bool, c Choice) []byte {
	if o.short {
		if !forced {
			if present, _ := c.Data(1); present == 0 {
				return d
			}
		}
		return resized(d, o.size)
	}
	present, zeros := len(o.data), false
	if !forced {
		present, zeros = c.Data(len(o.data))
	}
	size := o.at + int64(present)
	switch {
	case zeros:
		size = o.at + int64(len(o.data))
	case present == 0:
		return d
	}
	d = resized(d, max(size, int64(len(d))))
	copy(d[o.at:], o.data[:present])
	return d
}

// resized returns d with so many bytes, zeros at its end where it had fewer.
func resized(d []byte, size int64) []byte {
	if more := size - int64(len(d)); more > 0 {
		return append(d, make([]byte, more)...)
	}
	return d[:size]
}

// write makes a folder with what a node has in it.
func write(path string, n *node, names map[*node]map[string]*node, data map[*node][]byte) error {
	switch {
	case n.target != "":
		return os.Symlink(n.target, path)
	case !n.folder:
		return os.WriteFile(path, data[n], 0o666)
	}
	if err := os.Mkdir(path, 0o777); err != nil {
		return err
	}
	for base, child := range names[n] {
		if err := write(filepath.Join(path, base), child, names, data); err != nil {
			return err
		}
	}
	return nil
}
