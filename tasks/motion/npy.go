package motion

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// MaxBytes is the largest size of a motion file, and of its arrays together.
const MaxBytes = 512 << 20

// array is an array of NumPy's format: numbers, or texts where texts is not nil, in C order.
type array struct {
	shape   []int
	numbers []float64
	texts   []string
}

const npyMagic = "\x93NUMPY"

// npyHeader is the header that NumPy writes, a Python dictionary with these three keys in this order.
var npyHeader = regexp.MustCompile(
	`^\{'descr': '([<>|=])([fiuUb])([0-9]{1,4})', 'fortran_order': (True|False), 'shape': \(([0-9, ]*)\), ?\} *\n?$`)

// readNPY reads an array of numbers or of texts: NumPy's format, version 1, 2 or 3, in either order of bytes and of
// dimensions. allowed is asked about its shape and its bytes before any is read.
func readNPY(r io.Reader, allowed func(shape []int, bytes int64) error) (*array, error) {
	head := make([]byte, 8)
	if _, err := io.ReadFull(r, head); err != nil || string(head[:6]) != npyMagic {
		return nil, fmt.Errorf("no array of NumPy's format")
	}
	size := make([]byte, 2)
	if head[6] != 1 {
		size = make([]byte, 4)
	}
	if head[6] < 1 || head[6] > 3 || head[7] != 0 {
		return nil, fmt.Errorf("version %d.%d of NumPy's format, want 1.0 to 3.0", head[6], head[7])
	}
	if _, err := io.ReadFull(r, size); err != nil {
		return nil, fmt.Errorf("torn: its header is not whole")
	}
	length := binary.LittleEndian.Uint32(append(size, 0, 0))
	const mostHeader = 1 << 16
	if length > mostHeader {
		return nil, fmt.Errorf("a header of %d bytes, want at most %d", length, mostHeader)
	}
	text := make([]byte, length)
	if _, err := io.ReadFull(r, text); err != nil {
		return nil, fmt.Errorf("torn: its header is not whole")
	}
	m := npyHeader.FindSubmatch(text)
	if m == nil {
		return nil, fmt.Errorf("header %.80q, want numbers or texts", text)
	}
	a := &array{}
	count := 1
	for _, part := range strings.Split(string(m[5]), ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		n, err := strconv.Atoi(part)
		if err != nil || n > MaxBytes || count*max(n, 1) > MaxBytes {
			return nil, fmt.Errorf("shape (%.80s), want at most %d bytes", m[5], MaxBytes)
		}
		a.shape, count = append(a.shape, n), count*n
	}
	kind, order := string(m[2]), binary.ByteOrder(binary.LittleEndian)
	if string(m[1]) == ">" {
		order = binary.BigEndian
	}
	item, _ := strconv.Atoi(string(m[3]))
	number := numberReader(kind, item, order)
	if kind == "U" {
		item *= 4 // UTF-32
	} else if number == nil {
		return nil, fmt.Errorf("numbers of type %s%d, want floats or whole numbers of at most 8 bytes", kind, item)
	}
	if item == 0 { // any number of them are no bytes
		return nil, fmt.Errorf("texts of no length, want some")
	}
	if err := allowed(a.shape, int64(max(item, 4))*int64(count)); err != nil { // small numbers become larger ones
		return nil, err
	}
	if err := a.read(r, item, count, number, order); err != nil {
		return nil, err
	}
	if string(m[4]) == "True" {
		a.numbers, a.texts = reorderFortran(a.numbers, a.shape), reorderFortran(a.texts, a.shape)
	}
	return a, nil
}

// read reads count items of a size, numbers or, where number is nil, texts. Memory grows with what r delivers.
func (a *array) read(r io.Reader, item, count int, number func([]byte) float64, order binary.ByteOrder) error {
	a.texts = []string{}
	if number != nil {
		a.numbers, a.texts = []float64{}, nil
	}
	buffer := make([]byte, item*min(count, max(1, 1<<16/item)))
	for left := count; left > 0; {
		part := buffer[:item*min(left, len(buffer)/item)]
		if n, err := io.ReadFull(r, part); errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return fmt.Errorf("torn: %d bytes, want %d", item*(count-left)+n, item*count)
		} else if err != nil {
			return fmt.Errorf("torn: %w", err)
		}
		for ; len(part) > 0; part, left = part[item:], left-1 {
			if number != nil {
				a.numbers = append(a.numbers, number(part))
			} else {
				a.texts = append(a.texts, utf32(part[:item], order))
			}
		}
	}
	return nil
}

// reorderFortran returns the items of an array, the first dimension of which goes fastest, in the order of C.
func reorderFortran[T any](items []T, shape []int) []T {
	if items == nil || len(shape) < 2 {
		return items
	}
	list, index := make([]T, 0, len(items)), make([]int, len(shape))
	for range items {
		place, stride := 0, 1
		for d, i := range index {
			place, stride = place+i*stride, stride*shape[d]
		}
		list = append(list, items[place])
		for d := len(index) - 1; d >= 0; d-- {
			if index[d]++; index[d] < shape[d] {
				break
			}
			index[d] = 0
		}
	}
	return list
}

// numberReader returns the function that reads a number of a type; nil for one that is not known.
func numberReader(kind string, size int, order binary.ByteOrder) func([]byte) float64 {
	switch fmt.Sprint(kind, size) {
	case "f4":
		return func(b []byte) float64 { return float64(math.Float32frombits(order.Uint32(b))) }
	case "f8":
		return func(b []byte) float64 { return math.Float64frombits(order.Uint64(b)) }
	case "i1":
		return func(b []byte) float64 { return float64(int8(b[0])) }
	case "i2":
		return func(b []byte) float64 { return float64(int16(order.Uint16(b))) }
	case "i4":
		return func(b []byte) float64 { return float64(int32(order.Uint32(b))) }
	case "i8":
		return func(b []byte) float64 { return float64(int64(order.Uint64(b))) }
	case "u1", "b1":
		return func(b []byte) float64 { return float64(b[0]) }
	case "u2":
		return func(b []byte) float64 { return float64(order.Uint16(b)) }
	case "u4":
		return func(b []byte) float64 { return float64(order.Uint32(b)) }
	case "u8":
		return func(b []byte) float64 { return float64(order.Uint64(b)) }
	}
	return nil
}

// utf32 returns a text in UTF-32, which ends with the first 0.
func utf32(data []byte, order binary.ByteOrder) string {
	var b strings.Builder
	for ; len(data) >= 4; data = data[4:] {
		c := order.Uint32(data)
		if c == 0 {
			break
		}
		if c > utf8.MaxRune {
			c = utf8.RuneError
		}
		b.WriteRune(rune(c))
	}
	return b.String()
}

// appendNPY appends an array in NumPy's format 1.0: doubles, or texts.
func appendNPY(dst []byte, a *array) []byte {
	kind, longest := "<f8", 1
	if a.texts != nil {
		for _, text := range a.texts {
			longest = max(longest, utf8.RuneCountInString(text))
		}
		kind = fmt.Sprintf("<U%d", longest)
	}
	var shape strings.Builder
	for _, n := range a.shape {
		fmt.Fprintf(&shape, "%d, ", n)
	}
	dims := strings.TrimSuffix(shape.String(), " ")
	if len(a.shape) != 1 {
		dims = strings.TrimSuffix(dims, ",")
	}
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", kind, dims)
	const prefix = len(npyMagic) + 4
	pad := 63 - (prefix+len(header))%64 // the data begin at a multiple of 64
	header += strings.Repeat(" ", pad) + "\n"
	dst = append(dst, npyMagic+"\x01\x00"...)
	dst = binary.LittleEndian.AppendUint16(dst, uint16(len(header)))
	dst = append(dst, header...)
	for _, x := range a.numbers {
		dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(x))
	}
	for _, text := range a.texts {
		item := bytes.Repeat([]byte{0}, 4*longest)
		for i, c := range []rune(text) {
			binary.LittleEndian.PutUint32(item[4*i:], uint32(c))
		}
		dst = append(dst, item...)
	}
	return dst
}
