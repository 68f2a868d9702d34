package motion

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// MaxBytes is the largest size of a motion file and of each of its arrays.
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
	`^\{'descr': '([<|=])([fiuUb])([0-9]{1,4})', 'fortran_order': (True|False), 'shape': \(([0-9, ]*)\), ?\} *\n?$`)

// readNPY reads an array of numbers or of texts: NumPy's format, version 1, 2 or 3, little-endian, in C order.
func readNPY(r io.Reader) (*array, error) {
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
		return nil, fmt.Errorf("header %.80q, want numbers or texts, little-endian", text)
	}
	if string(m[4]) == "True" {
		return nil, fmt.Errorf("in the order of Fortran, want that of C")
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
	item, _ := strconv.Atoi(string(m[3]))
	return a, a.read(r, string(m[2]), item, count)
}

// read reads count items of a kind, f, i, u, b or U, and a size.
func (a *array) read(r io.Reader, kind string, item, count int) error {
	bytesEach := item
	if kind == "U" {
		bytesEach *= 4 // UTF-32
	}
	want := int64(bytesEach) * int64(count)
	if want > MaxBytes {
		return fmt.Errorf("%d bytes, want at most %d", want, MaxBytes)
	}
	data, err := io.ReadAll(io.LimitReader(r, want+1))
	if err != nil {
		return fmt.Errorf("torn: %w", err)
	}
	if int64(len(data)) != want {
		return fmt.Errorf("torn: %d bytes, want %d", len(data), want)
	}
	if kind == "U" {
		a.texts = []string{}
		for i := range count {
			a.texts = append(a.texts, utf32(data[i*bytesEach:][:bytesEach]))
		}
		return nil
	}
	number := numberOf(kind, item)
	if number == nil {
		return fmt.Errorf("numbers of type %s%d, want floats of 4 or 8 bytes or whole numbers", kind, item)
	}
	a.numbers = make([]float64, count)
	for i := range a.numbers {
		a.numbers[i] = number(data[i*item:])
	}
	return nil
}

// numberOf returns the function that reads a number of a type; nil for one that is not known.
func numberOf(kind string, size int) func([]byte) float64 {
	order := binary.LittleEndian
	switch fmt.Sprint(kind, size) {
	case "f4":
		return func(b []byte) float64 { return float64(math.Float32frombits(order.Uint32(b))) }
	case "f8":
		return func(b []byte) float64 { return math.Float64frombits(order.Uint64(b)) }
	case "i4":
		return func(b []byte) float64 { return float64(int32(order.Uint32(b))) }
	case "i8":
		return func(b []byte) float64 { return float64(int64(order.Uint64(b))) }
	}
	return nil
}

// utf32 returns a text in UTF-32, which ends with the first 0.
func utf32(data []byte) string {
	var b strings.Builder
	for ; len(data) >= 4; data = data[4:] {
		c := binary.LittleEndian.Uint32(data)
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
	const before = len(npyMagic) + 4
	pad := 63 - (before+len(header))%64 // the data begin at a multiple of 64
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
