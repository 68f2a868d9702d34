package onnx

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
)

// MaxBytes is the size that a file may have.
const MaxBytes = 256 << 20

// The bounds of a file, so that no file takes memory or time without one.
const (
	maxItems  = 1 << 20 // nodes, names, attributes, dimensions and so on, together
	maxDims   = 8       // dimensions of a tensor
	maxValues = 1 << 25 // numbers in all tensors of a file, and in all that are computed from these alone
)

// decoder counts what it has decoded of a file.
type decoder struct {
	items, values int
}

// field is one field of a message: a whole number, the bits of a fixed one, or bytes.
type field struct {
	number protowire.Number
	kind   protowire.Type
	n      uint64
	data   []byte
}

// each calls f with each field of a message.
func each(message []byte, f func(field) error) error {
	for len(message) > 0 {
		number, kind, n := protowire.ConsumeTag(message)
		if n < 0 {
			return fmt.Errorf("a tag cannot be read: %w", protowire.ParseError(n))
		}
		message = message[n:]
		one := field{number: number, kind: kind}
		switch kind {
		case protowire.VarintType:
			one.n, n = protowire.ConsumeVarint(message)
		case protowire.Fixed32Type:
			var bits uint32
			bits, n = protowire.ConsumeFixed32(message)
			one.n = uint64(bits)
		case protowire.Fixed64Type:
			one.n, n = protowire.ConsumeFixed64(message)
		case protowire.BytesType:
			one.data, n = protowire.ConsumeBytes(message)
		default:
			return fmt.Errorf("field %d is a group, which ONNX has not", number)
		}
		if n < 0 {
			return fmt.Errorf("field %d cannot be read: %w", number, protowire.ParseError(n))
		}
		message = message[n:]
		if err := f(one); err != nil {
			return err
		}
	}
	return nil
}

var errKind = errors.New("it has another wire type than ONNX's, so that this is no ONNX model")

// bytes returns the bytes of a field, and counts it.
func (d *decoder) bytes(f field) ([]byte, error) {
	if f.kind != protowire.BytesType {
		return nil, fmt.Errorf("field %d: %w", f.number, errKind)
	}
	return f.data, d.count(1)
}

func (d *decoder) count(n int) error {
	if d.items += n; d.items > maxItems {
		return fmt.Errorf("it has more than %d nodes, names, attributes and dimensions", maxItems)
	}
	return nil
}

func (d *decoder) text(dst *string, f field) error {
	data, err := d.bytes(f)
	*dst = string(data)
	return err
}

func (d *decoder) texts(dst *[]string, f field) error {
	var s string
	err := d.text(&s, f)
	*dst = append(*dst, s)
	return err
}

func whole(dst *int64, f field) error {
	if f.kind != protowire.VarintType {
		return fmt.Errorf("field %d: %w", f.number, errKind)
	}
	*dst = int64(f.n)
	return nil
}

// wholes appends a whole number, or a packed list of them.
func (d *decoder) wholes(dst *[]int64, f field) error {
	if f.kind == protowire.VarintType {
		*dst = append(*dst, int64(f.n))
		return d.count(1)
	}
	data, err := d.bytes(f)
	for err == nil && len(data) > 0 {
		v, n := protowire.ConsumeVarint(data)
		if n < 0 {
			return fmt.Errorf("field %d cannot be read: %w", f.number, protowire.ParseError(n))
		}
		*dst, data = append(*dst, int64(v)), data[n:]
		err = d.count(1)
	}
	return err
}

// floats appends a float32, or a packed list of them.
func (d *decoder) floats(dst *[]float64, f field) error {
	if f.kind == protowire.Fixed32Type {
		*dst = append(*dst, float64(math.Float32frombits(uint32(f.n))))
		return d.count(1)
	}
	data, err := d.bytes(f)
	if err == nil && len(data)%4 != 0 {
		err = fmt.Errorf("field %d has %d bytes, want 4 for each number", f.number, len(data))
	}
	if err == nil {
		err = d.count(len(data) / 4)
	}
	for err == nil && len(data) > 0 {
		*dst = append(*dst, float64(math.Float32frombits(binary.LittleEndian.Uint32(data))))
		data = data[4:]
	}
	return err
}

// node is a NodeProto.
type node struct {
	name, operator, domain string
	inputs, outputs        []string
	attributes             map[string]*nodeAttribute
}

// nodeAttribute is an AttributeProto. Its used says that an operator has asked for it.
type nodeAttribute struct {
	kind   int64
	i      int64
	f      float64
	s      string
	t      *tensor
	ints   []int64
	floats []float64
	used   bool
}

// The kinds of attributes, by ONNX's numbers.
const (
	floatAttribute  = 1
	intAttribute    = 2
	textAttribute   = 3
	tensorAttribute = 4
	floatsAttribute = 6
	intsAttribute   = 7
)

// port is a ValueInfoProto: an input or an output of the graph.
type port struct {
	name    string
	element int64
	dims    []int64 // 0: dynamic
	shaped  bool    // dims are declared
}

// Graph is an ONNX file that was read. It does not change.
type Graph struct {
	Metadata map[string]string // the properties that whoever wrote the file gave it; of several of a name the first

	opset           int64
	nodes           []node
	constants       map[string]*tensor
	inputs, outputs []port
	values          int // numbers in all constants
}

// Read reads an ONNX file from its contents, which it keeps none of. A file that cannot be read, or whose tensors lie in
// other files, is refused with the reason. What it computes is not looked at, see [Graph.Model].
func Read(data []byte) (*Graph, error) {
	if len(data) > MaxBytes {
		return nil, fmt.Errorf("an ONNX model of %d bytes, want at most %d", len(data), MaxBytes)
	}
	f, err := read(data)
	if err != nil {
		return nil, fmt.Errorf("no ONNX model that can be read: %w", err)
	}
	return f, nil
}

func read(data []byte) (*Graph, error) {
	d, m := &decoder{}, &Graph{Metadata: map[string]string{}, constants: map[string]*tensor{}}
	var graph []byte
	err := each(data, func(f field) (err error) {
		switch f.number {
		case 7:
			if graph != nil {
				return errors.New("it has two graphs, want one")
			}
			graph, err = d.bytes(f)
		case 8:
			err = d.opset(m, f)
		case 14:
			err = d.property(m, f)
		case 20:
			err = errors.New("it has a graph of training, want one that acts alone")
		case 25:
			err = errors.New("it has functions of its own, want them in line (onnx.inliner.inline_local_functions)")
		}
		return err
	})
	switch {
	case err != nil:
		return nil, err
	case graph == nil:
		return nil, errors.New("it has no graph")
	case m.opset < leastOpset || m.opset > mostOpset:
		return nil, fmt.Errorf("its operators are of version %d of ONNX's, want %d to %d", m.opset, leastOpset, mostOpset)
	}
	err = each(graph, func(f field) error { return d.graphField(m, f) })
	m.values = d.values
	return m, err
}

// The versions of ONNX's operators whose meaning is known here.
const (
	leastOpset = 9
	mostOpset  = 28
)

func (d *decoder) opset(m *Graph, f field) error {
	data, err := d.bytes(f)
	if err != nil {
		return err
	}
	var domain string
	var version int64
	err = each(data, func(f field) error {
		switch f.number {
		case 1:
			return d.text(&domain, f)
		case 2:
			return whole(&version, f)
		}
		return nil
	})
	if isONNX(domain) {
		m.opset = version
	}
	return err
}

// isONNX reports whether a domain of operators is ONNX's own.
func isONNX(domain string) bool { return domain == "" || domain == "ai.onnx" }

func (d *decoder) property(m *Graph, f field) error {
	data, err := d.bytes(f)
	if err != nil {
		return err
	}
	var key, text string
	err = each(data, func(f field) error {
		switch f.number {
		case 1:
			return d.text(&key, f)
		case 2:
			return d.text(&text, f)
		}
		return nil
	})
	if _, known := m.Metadata[key]; !known {
		m.Metadata[key] = text
	}
	return err
}

// WithProperty returns the contents of a file with one more property, before those that it has.
func WithProperty(data []byte, key, text string) []byte {
	return append(fields(14, fields(1, key, 2, text)), data...)
}

func (d *decoder) graphField(m *Graph, f field) error {
	switch f.number {
	case 1, 5, 11, 12:
	case 15:
		return errors.New("it has a sparse tensor, want dense ones")
	default:
		return nil
	}
	data, err := d.bytes(f)
	if err != nil {
		return err
	}
	switch f.number {
	case 1:
		n, err := d.node(data)
		m.nodes = append(m.nodes, n)
		return err
	case 5:
		name, t, err := d.tensor(data)
		if err == nil && m.constants[name] != nil {
			err = fmt.Errorf("it has two tensors %s, want one", quote(name))
		}
		m.constants[name] = t
		return err
	case 11:
		p, err := d.port(data)
		m.inputs = append(m.inputs, p)
		return err
	default:
		p, err := d.port(data)
		m.outputs = append(m.outputs, p)
		return err
	}
}

func (d *decoder) node(data []byte) (n node, err error) {
	n.attributes = map[string]*nodeAttribute{}
	err = each(data, func(f field) error {
		switch f.number {
		case 1:
			return d.texts(&n.inputs, f)
		case 2:
			return d.texts(&n.outputs, f)
		case 3:
			return d.text(&n.name, f)
		case 4:
			return d.text(&n.operator, f)
		case 7:
			return d.text(&n.domain, f)
		case 5:
			data, err := d.bytes(f)
			if err != nil {
				return err
			}
			name, a, err := d.attribute(data)
			n.attributes[name] = a
			return err
		}
		return nil
	})
	if err != nil {
		err = fmt.Errorf("node %s: %w", quote(n.title()), err)
	}
	return n, err
}

// title is what errors call a node.
func (n *node) title() string {
	if n.name != "" {
		return n.name
	}
	if len(n.outputs) > 0 {
		return n.outputs[0]
	}
	return n.operator
}

func (d *decoder) attribute(data []byte) (name string, a *nodeAttribute, err error) {
	a = &nodeAttribute{}
	err = each(data, func(f field) (err error) {
		switch f.number {
		case 1:
			err = d.text(&name, f)
		case 2:
			if f.kind != protowire.Fixed32Type {
				return errKind
			}
			a.f = float64(math.Float32frombits(uint32(f.n)))
		case 3:
			err = whole(&a.i, f)
		case 4:
			err = d.text(&a.s, f)
		case 5:
			if data, err = d.bytes(f); err == nil {
				_, a.t, err = d.tensor(data)
			}
		case 7:
			err = d.floats(&a.floats, f)
		case 8:
			err = d.wholes(&a.ints, f)
		case 20:
			err = whole(&a.kind, f)
		}
		return err
	})
	if err != nil {
		err = fmt.Errorf("attribute %s: %w", quote(name), err)
	}
	return name, a, err
}

func (d *decoder) port(data []byte) (p port, err error) {
	var kind []byte // the TypeProto
	err = each(data, func(f field) (err error) {
		switch f.number {
		case 1:
			err = d.text(&p.name, f)
		case 2:
			kind, err = d.bytes(f)
		}
		return err
	})
	var tensor, shape []byte
	if err == nil {
		err = each(kind, func(f field) (err error) {
			if f.number == 1 {
				tensor, err = d.bytes(f)
			}
			return err
		})
	}
	if err == nil {
		err = each(tensor, func(f field) (err error) {
			switch f.number {
			case 1:
				err = whole(&p.element, f)
			case 2:
				p.shaped = true
				shape, err = d.bytes(f)
			}
			return err
		})
	}
	if err == nil {
		err = each(shape, func(f field) error {
			if f.number != 1 {
				return nil
			}
			data, err := d.bytes(f)
			size := int64(0)
			if err == nil {
				err = each(data, func(f field) error {
					if f.number == 1 {
						return whole(&size, f)
					}
					return nil
				})
			}
			p.dims = append(p.dims, max(0, size))
			return err
		})
	}
	if err == nil && len(p.dims) > maxDims {
		err = fmt.Errorf("it has %d dimensions, want at most %d", len(p.dims), maxDims)
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", quote(p.name), err)
	}
	return p, err
}

// tensor is numbers in a shape. All are kept as float64s, whose whole numbers are exact to 2⁵³.
type tensor struct {
	element int64
	dims    []int
	v       []float64 // row-major; nil for one that is known only when the network acts
}

// size is the number of values.
func (t *tensor) size() int { return product(t.dims) }

func product(dims []int) int {
	size := 1
	for _, d := range dims {
		size *= d
	}
	return size
}

// checkDims returns an error unless a tensor may have these dimensions.
func checkDims[T int | int64](dims []T) error {
	if len(dims) > maxDims {
		return fmt.Errorf("a tensor of %d dimensions, want at most %d", len(dims), maxDims)
	}
	size := int64(1)
	for _, d := range dims {
		if d < 0 || int64(d) > maxValues {
			return fmt.Errorf("a tensor with the dimension %d, want 0 to %d", d, maxValues)
		}
		size *= max(1, int64(d)) // zeros must not hide what a later slice of the others takes
		if size > maxValues {
			return fmt.Errorf("a tensor with the dimensions %v, want at most %d values", dims, maxValues)
		}
	}
	return nil
}

// The types of elements besides those of Write, by ONNX's numbers.
const (
	uint8Type  = 2
	int32Type  = 6
	boolType   = 9
	doubleType = 11
)

// elements are the names of the types, and the bytes that a value has in raw_data; 0: it cannot be read here.
var elements = map[int64]struct {
	name  string
	bytes int
}{
	float32Type: {"float32", 4}, doubleType: {"float64", 8}, int32Type: {"int32", 4}, int64Type: {"int64", 8},
	boolType: {"bool", 1}, uint8Type: {"uint8", 1}, 8: {"string", 0}, 10: {"float16", 0}, 16: {"bfloat16", 0},
}

// elementName names a type of elements.
func elementName(element int64) string {
	if e, ok := elements[element]; ok {
		return e.name
	}
	return fmt.Sprintf("type %d", element)
}

// isFloat reports whether elements are floating-point numbers.
func isFloat(element int64) bool { return element == float32Type || element == doubleType }

// fit makes values what the element's type can hold.
func fit(element int64, values []float64) {
	switch element {
	case float32Type:
		for i, v := range values {
			values[i] = float64(float32(v))
		}
	case int32Type, int64Type, uint8Type:
		least, most := -maxWhole, maxWhole
		switch element {
		case int32Type:
			least, most = math.MinInt32, math.MaxInt32
		case uint8Type:
			least, most = 0, 255
		}
		for i, v := range values {
			if v != v {
				v = 0
			}
			values[i] = min(max(math.Trunc(v), least), most)
		}
	}
}

// maxWhole is the size to which whole numbers are exact; larger ones, such as an end that means "all", become it.
const maxWhole = float64(1 << 53)

// tensor decodes a TensorProto.
func (d *decoder) tensor(data []byte) (name string, t *tensor, err error) {
	t = &tensor{}
	var dims []int64
	var raw []byte
	hasRaw := false
	typed := make([]field, 0, 1) // of the fields with numbers, which are decoded when their count is known
	location := int64(0)
	err = each(data, func(f field) (err error) {
		switch f.number {
		case 1:
			err = d.wholes(&dims, f)
		case 2:
			err = whole(&t.element, f)
		case 3:
			err = errors.New("it is a segment of a tensor, want the whole")
		case 4, 5, 7, 10:
			if len(typed) < maxItems {
				typed = append(typed, f)
			}
			if len(f.data) == 0 {
				err = d.count(1)
			}
		case 8:
			err = d.text(&name, f)
		case 9:
			hasRaw = true
			raw, err = d.bytes(f)
		case 13:
			location = 1
		case 14:
			err = whole(&location, f)
		}
		return err
	})
	e := elements[t.element]
	switch {
	case err != nil:
	case location != 0:
		err = errors.New("its numbers are in another file (external data), want all in this one: " +
			"torch.onnx.export(..., external_data=False), or onnx.save(onnx.load(FILE), NEW)")
	case e.bytes == 0:
		err = fmt.Errorf("its elements are %s, want float32, float64, int32, int64, uint8 or bool", elementName(t.element))
	default:
		err = checkDims(dims)
	}
	if err == nil {
		for _, n := range dims {
			t.dims = append(t.dims, int(n))
		}
		if d.values += t.size(); d.values > maxValues {
			err = fmt.Errorf("it has more than %d numbers in its tensors", maxValues)
		}
	}
	if err == nil {
		if hasRaw {
			t.v, err = fromRaw(t.element, raw, t.size(), e.bytes)
		} else {
			t.v, err = fromTyped(t.element, typed, t.size())
		}
	}
	if err != nil {
		return name, nil, fmt.Errorf("tensor %s: %w", quote(name), err)
	}
	fit(t.element, t.v)
	return name, t, nil
}

// fromRaw decodes raw_data.
func fromRaw(element int64, raw []byte, size, bytes int) ([]float64, error) {
	if len(raw) != size*bytes {
		return nil, fmt.Errorf("it has %d bytes, want %d for %d values of %s", len(raw), size*bytes, size,
			elementName(element))
	}
	values := make([]float64, size)
	for i := range values {
		b := raw[i*bytes:]
		switch element {
		case float32Type:
			values[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
		case doubleType:
			values[i] = math.Float64frombits(binary.LittleEndian.Uint64(b))
		case int32Type:
			values[i] = float64(int32(binary.LittleEndian.Uint32(b)))
		case int64Type:
			values[i] = float64(int64(binary.LittleEndian.Uint64(b)))
		default:
			values[i] = float64(b[0])
		}
	}
	return values, nil
}

// fromTyped decodes the numbers of the field for the element's type, in packed lists or one by one.
func fromTyped(element int64, list []field, size int) ([]float64, error) {
	want := map[int64]protowire.Number{float32Type: 4, doubleType: 10, int64Type: 7}[element]
	if want == 0 {
		want = 5 // int32_data
	}
	var values []float64
	for _, f := range list {
		if f.number != want {
			return nil, fmt.Errorf("its numbers are in field %d, want %d for %s", f.number, want, elementName(element))
		}
		one := fixedOrVarint(element)
		rest := f.data
		if f.kind == one {
			rest = nil
			values = append(values, number(element, f.n))
		} else if f.kind != protowire.BytesType {
			return nil, errKind
		}
		for len(rest) > 0 && len(values) <= size {
			var bits uint64
			var n int
			switch one {
			case protowire.Fixed32Type:
				var b uint32
				b, n = protowire.ConsumeFixed32(rest)
				bits = uint64(b)
			case protowire.Fixed64Type:
				bits, n = protowire.ConsumeFixed64(rest)
			default:
				bits, n = protowire.ConsumeVarint(rest)
			}
			if n < 0 {
				return nil, fmt.Errorf("its numbers cannot be read: %w", protowire.ParseError(n))
			}
			values, rest = append(values, number(element, bits)), rest[n:]
		}
		if len(values) > size {
			break
		}
	}
	if len(values) != size {
		return nil, fmt.Errorf("it has %d numbers or more, want %d", len(values), size)
	}
	return slices.Clip(values), nil
}

func fixedOrVarint(element int64) protowire.Type {
	switch element {
	case float32Type:
		return protowire.Fixed32Type
	case doubleType:
		return protowire.Fixed64Type
	}
	return protowire.VarintType
}

func number(element int64, bits uint64) float64 {
	switch element {
	case float32Type:
		return float64(math.Float32frombits(uint32(bits)))
	case doubleType:
		return math.Float64frombits(bits)
	case int32Type:
		return float64(int32(bits))
	case boolType, uint8Type:
		return float64(uint8(bits))
	}
	return float64(int64(bits))
}

// quote quotes a name of a file, or the beginning of a long one.
func quote(name string) string {
	const most = 80
	if len(name) > most {
		return fmt.Sprintf("%q…", name[:most])
	}
	return fmt.Sprintf("%q", name)
}
