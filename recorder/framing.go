package recorder

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
)

// A stream without a journal is read through framing, which lets a message out only if its metadata could not make a reader
// go astray: Arrow's own code takes lengths and offsets as they stand, asks for the memory they speak of, and dies of it.
// The metadata of a message is a FlatBuffer; every offset, length and count in it is followed here and must stay inside.
// References: the Arrow columnar format, "Encapsulated message format" and Message.fbs, Schema.fbs; the FlatBuffers
// internals page.

// maxMetadata bounds the metadata of one message; that of a schema with ten thousand columns takes 2 MB.
const maxMetadata = 64 << 20

// framing reads a stream message by message.
type framing struct {
	in     *bufio.Reader
	offset int64 // of the next message
	size   int64 // of the file

	head []byte // of the present message, to be let out first
	body int64  // bytes of its body that are still to be let out
	done bool   // the end of the stream has been let out
	err  error  // sticky
}

// Read is part of io.Reader.
func (f *framing) Read(p []byte) (int, error) {
	if len(f.head) == 0 && f.body == 0 && f.err == nil {
		f.err = f.next()
	}
	if f.err != nil {
		return 0, f.err
	}
	if len(f.head) > 0 {
		n := copy(p, f.head)
		f.head = f.head[n:]
		return n, nil
	}
	n, err := f.in.Read(p[:min(int64(len(p)), f.body)])
	f.body -= int64(n)
	if err != nil {
		f.err = fmt.Errorf("the body of a message before %d: %w", f.offset, err)
	}
	return n, f.err
}

// next reads the head of a message.
func (f *framing) next() error {
	if f.done {
		return io.EOF
	}
	var prefix [8]byte
	if n, err := io.ReadFull(f.in, prefix[:]); err != nil {
		if errors.Is(err, io.EOF) {
			return fmt.Errorf("no end of the stream at %d: the file ends there, want a message or the end", f.offset)
		}
		return fmt.Errorf("%d bytes of a message at %d, want at least 8: %w", n, f.offset, err)
	}
	if mark := binary.LittleEndian.Uint32(prefix[:]); mark != math.MaxUint32 {
		return fmt.Errorf("message at %d begins with %08x, want ffffffff", f.offset, mark)
	}
	length := int64(int32(binary.LittleEndian.Uint32(prefix[4:])))
	left := f.size - f.offset - 8
	switch {
	case length == 0:
		f.done, f.head = true, prefix[:]
		f.offset += 8
		return nil
	case length < 0 || length > maxMetadata || length > left:
		return fmt.Errorf("message at %d has metadata of %d bytes, and %d are left in the file", f.offset, length, left)
	}
	f.head = make([]byte, 8+length)
	copy(f.head, prefix[:])
	if _, err := io.ReadFull(f.in, f.head[8:]); err != nil {
		return fmt.Errorf("metadata of the message at %d: %w", f.offset, err)
	}
	body, err := checkMessage(f.head[8:])
	if err != nil {
		return fmt.Errorf("metadata of the message at %d: %w", f.offset, err)
	}
	if body > left-length {
		return fmt.Errorf("message at %d has a body of %d bytes, and %d are left in the file", f.offset, body, left-length)
	}
	f.body = body
	f.offset += 8 + length + body
	return nil
}

// errFlatbuffer is what is wrong with metadata that cannot be followed.
var errFlatbuffer = errors.New("an offset or a count leads outside")

// Kinds of messages, as Message.fbs numbers them.
const (
	messageSchema     = 1
	messageDictionary = 2
	messageBatch      = 3
)

// checkMessage follows the metadata of a message and returns the length of its body.
func checkMessage(metadata []byte) (body int64, err error) {
	c := &flatbuffer{data: metadata, budget: len(metadata)}
	defer func() {
		if r := recover(); r != nil {
			if r != any(errFlatbuffer) {
				panic(r)
			}
			err = errFlatbuffer
		}
	}()
	m := c.table(c.reference(0))
	body = int64(c.scalar(m, 3, 8))
	if body < 0 {
		return 0, fmt.Errorf("a body of %d bytes", body)
	}
	c.keyValues(m, 4)
	header, ok := c.child(m, 2)
	switch kind := c.scalar(m, 1, 1); {
	case !ok:
		return 0, errors.New("no header")
	case kind == messageSchema:
		c.vector(header, 1, 4, func(at int) { c.field(c.table(c.reference(at)), 0) })
		c.keyValues(header, 2)
		c.vector(header, 3, 8, nil)
	case kind == messageDictionary:
		if data, ok := c.child(header, 1); ok {
			err = c.batch(data, body)
		}
	case kind == messageBatch:
		err = c.batch(header, body)
	default:
		err = fmt.Errorf("a message of kind %d, want a schema, a dictionary or a record batch", kind)
	}
	return body, err
}

// flatbuffer follows a FlatBuffer. Whatever leads outside panics with errFlatbuffer.
type flatbuffer struct {
	data   []byte
	budget int // steps that may still be taken: tables may be shared, and lead to each other again and again
}

// inside returns at if n bytes there are inside.
func (c *flatbuffer) inside(at, n int) int {
	if c.budget--; c.budget < 0 || at < 0 || n < 0 || at > len(c.data) || n > len(c.data)-at {
		panic(errFlatbuffer)
	}
	return at
}

func (c *flatbuffer) u16(at int) int {
	return int(binary.LittleEndian.Uint16(c.data[c.inside(at, 2):]))
}

func (c *flatbuffer) u32(at int) int {
	return int(binary.LittleEndian.Uint32(c.data[c.inside(at, 4):]))
}

// reference follows the offset that stands at a place.
func (c *flatbuffer) reference(at int) int { return c.inside(at+c.u32(at), 4) }

// fbTable is a table: its place, and that of its fields' offsets.
type fbTable struct{ at, size, vtable, fields int }

func (c *flatbuffer) table(at int) fbTable {
	vtable := at - int(int32(c.u32(at)))
	c.inside(vtable, 4)
	length, size := c.u16(vtable), c.u16(vtable+2)
	if length < 4 || length%2 != 0 || size < 4 {
		panic(errFlatbuffer)
	}
	c.inside(vtable, length)
	c.inside(at, size)
	return fbTable{at, size, vtable, length/2 - 2}
}

// place returns where field i of a table stands, with so many bytes.
func (c *flatbuffer) place(t fbTable, i, bytes int) (at int, ok bool) {
	if i >= t.fields {
		return 0, false
	}
	offset := c.u16(t.vtable + 4 + 2*i)
	if offset == 0 {
		return 0, false
	}
	if offset < 4 || offset+bytes > t.size {
		panic(errFlatbuffer)
	}
	return t.at + offset, true
}

// scalar returns a whole number of 1, 2, 4 or 8 bytes; 0 if it is not there.
func (c *flatbuffer) scalar(t fbTable, i, bytes int) uint64 {
	at, ok := c.place(t, i, bytes)
	if !ok {
		return 0
	}
	var wide [8]byte
	copy(wide[:], c.data[at:at+bytes])
	return binary.LittleEndian.Uint64(wide[:])
}

// child returns the table that a field refers to.
func (c *flatbuffer) child(t fbTable, i int) (fbTable, bool) {
	at, ok := c.place(t, i, 4)
	if !ok {
		return fbTable{}, false
	}
	return c.table(c.reference(at)), true
}

// vector follows a field that refers to a vector of values of so many bytes, and each of these if told how.
func (c *flatbuffer) vector(t fbTable, i, bytes int, each func(at int)) {
	at, ok := c.place(t, i, 4)
	if !ok {
		return
	}
	at = c.reference(at)
	n := c.u32(at)
	if n > len(c.data)/bytes {
		panic(errFlatbuffer)
	}
	c.inside(at+4, n*bytes)
	if each != nil {
		for k := range n {
			each(at + 4 + k*bytes)
		}
	}
}

func (c *flatbuffer) text(t fbTable, i int) { c.vector(t, i, 1, nil) }

func (c *flatbuffer) keyValues(t fbTable, i int) {
	c.vector(t, i, 4, func(at int) {
		kv := c.table(c.reference(at))
		c.text(kv, 0)
		c.text(kv, 1)
	})
}

// maxNesting bounds lists of lists of lists.
const maxNesting = 32

// Places of fields in the tables of Schema.fbs, and types with more than scalars in theirs.
const (
	typeTimestamp = 10
	typeUnion     = 14
)

// field follows a Field of a schema.
func (c *flatbuffer) field(t fbTable, depth int) {
	if depth > maxNesting {
		panic(errFlatbuffer)
	}
	c.text(t, 0)
	c.scalar(t, 1, 1)
	typ, ok := c.child(t, 3)
	if !ok {
		panic(errFlatbuffer)
	}
	for i := range typ.fields {
		switch kind := c.scalar(t, 2, 1); {
		case kind == typeTimestamp && i == 1:
			c.text(typ, i)
		case kind == typeUnion && i == 1:
			c.vector(typ, i, 4, nil)
		default:
			c.place(typ, i, 1)
		}
	}
	if dictionary, ok := c.child(t, 4); ok {
		c.scalar(dictionary, 0, 8)
		if index, ok := c.child(dictionary, 1); ok {
			c.scalar(index, 0, 4)
		}
	}
	c.vector(t, 5, 4, func(at int) { c.field(c.table(c.reference(at)), depth+1) })
	c.keyValues(t, 6)
}

// batch follows a RecordBatch, whose buffers must lie in the body.
func (c *flatbuffer) batch(t fbTable, body int64) error {
	var err error
	rows := int64(c.scalar(t, 0, 8))
	if rows < 0 {
		return fmt.Errorf("a batch of %d rows", rows)
	}
	c.vector(t, 1, 16, func(at int) {
		length, nulls := int64(binary.LittleEndian.Uint64(c.data[at:])), int64(binary.LittleEndian.Uint64(c.data[at+8:]))
		if length < 0 || nulls < 0 || nulls > length {
			err = fmt.Errorf("a column of %d values, %d of them null", length, nulls)
		}
	})
	c.vector(t, 2, 16, func(at int) {
		offset, length := int64(binary.LittleEndian.Uint64(c.data[at:])), int64(binary.LittleEndian.Uint64(c.data[at+8:]))
		if offset < 0 || length < 0 || offset > body || length > body-offset {
			err = fmt.Errorf("a buffer of %d bytes at %d in a body of %d bytes", length, offset, body)
		}
	})
	if compression, ok := c.child(t, 3); ok {
		c.scalar(compression, 0, 1)
		c.scalar(compression, 1, 1)
	}
	c.vector(t, 4, 8, nil)
	return err
}
