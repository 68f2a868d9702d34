package policy

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"reflect"

	"github.com/polyrhythm-rl/polyrhythm/internal/container"
)

// In a file, see package container, header is a [Header] as JSON, and arrays has, little-endian, the means
// and scales (float64), then (float32) the weights and biases of each filter, of a recurrent policy the input
// weights, recurrent weights and biases of the GRU, the weights and biases of each layer, and the lower and upper
// bounds.
var fileKind = container.Format{Name: "policy", Version: 3, Sections: []string{"header", "arrays"}}

// Write writes n to a file that [Read] reads. The bytes depend on n alone.
func (n *Network) Write(w io.Writer) error {
	if err := n.Check(); err != nil {
		return err
	}
	header, err := json.Marshal(n.Header)
	if err != nil {
		return err
	}
	var arrays []byte
	for _, a := range n.arrays() {
		if arrays, err = binary.Append(arrays, binary.LittleEndian, a.values.Interface()); err != nil {
			return err
		}
	}
	_, err = w.Write(fileKind.Encode(header, arrays))
	return err
}

// Read reads a file that [Network.Write] wrote. A file that is something else, damaged,
// cut short or longer than it says is refused with the reason.
func Read(r io.Reader) (*Network, error) {
	sections, err := fileKind.Read(r)
	if err != nil {
		return nil, err
	}
	n := new(Network)
	if err := json.Unmarshal(sections[0], &n.Header); err != nil {
		return nil, fmt.Errorf("damaged header: %w", err)
	}
	if err := n.checkHeader(); err != nil {
		return nil, fmt.Errorf("damaged header: %w", err)
	}
	if n.Recurrent > 0 {
		n.GRU = new(GRU)
	}
	if filters := len(n.stacks()) * len(n.Convolutions); filters > 0 {
		n.Filters = make([]Layer, filters)
	}
	n.Layers = make([]Layer, len(n.Sizes)-1)
	want := int64(0)
	for _, a := range n.arrays() {
		want += a.size * int64(a.values.Type().Elem().Size())
	}
	data := sections[1]
	if int64(len(data)) != want {
		return nil, fmt.Errorf("damaged: arrays of %d bytes, want %d", len(data), want)
	}
	for _, a := range n.arrays() {
		a.values.Set(reflect.MakeSlice(a.values.Type(), int(a.size), int(a.size)))
		size, err := binary.Decode(data, binary.LittleEndian, a.values.Interface())
		if err != nil {
			return nil, err
		}
		data = data[size:]
	}
	return n, n.Check()
}
