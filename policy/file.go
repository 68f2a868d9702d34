package policy

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// The file of a policy, all numbers little-endian:
//
//	magic    8 bytes, "PRPOLICY"
//	version  uint32, 2 for a recurrent policy, else 1
//	length   uint32, of the header
//	header   a Header as JSON
//	arrays   means and scales (float64), then (float32) of a recurrent policy
//	         the input weights, recurrent weights and biases of the GRU,
//	         weights and biases of each layer, lower and upper bounds
//	crc      uint32, CRC-32C of all before
const (
	fileMagic   = "PRPOLICY"
	fileVersion = 2       // the newest
	maxHeader   = 1 << 26 // bytes
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Write writes n to a file that [Read] reads. The bytes depend on n alone.
func (n *Network) Write(w io.Writer) error {
	if err := n.Check(); err != nil {
		return err
	}
	header, err := json.Marshal(n.Header)
	if err != nil {
		return err
	}
	file := append([]byte(nil), fileMagic...)
	file = binary.LittleEndian.AppendUint32(file, n.version())
	file = binary.LittleEndian.AppendUint32(file, uint32(len(header)))
	file = append(file, header...)
	for _, a := range n.arrays() {
		if file, err = binary.Append(file, binary.LittleEndian, a); err != nil {
			return err
		}
	}
	file = binary.LittleEndian.AppendUint32(file, crc32.Checksum(file, castagnoli))
	_, err = w.Write(file)
	return err
}

// version is the oldest version of the format that has the header's fields.
func (h *Header) version() uint32 {
	if h.Recurrent > 0 {
		return 2
	}
	return 1
}

// arrays returns the arrays in the order of the file.
func (n *Network) arrays() []any {
	list := []any{n.Mean, n.Scale}
	if n.GRU != nil {
		list = append(list, n.GRU.Input, n.GRU.Recurrent, n.GRU.Biases)
	}
	for _, l := range n.Layers {
		list = append(list, l.Weights, l.Biases)
	}
	return append(list, n.Low, n.High)
}

// Read reads a file that [Network.Write] wrote. A file that is something else, damaged,
// cut short or longer than it says is refused with the reason.
func Read(r io.Reader) (*Network, error) {
	file, err := io.ReadAll(io.LimitReader(r, 8*maxSum))
	if err != nil {
		return nil, err
	}
	prefix := len(fileMagic) + 8
	if len(file) < prefix+4 {
		return nil, fmt.Errorf("cut short: %d bytes, want at least %d", len(file), prefix+4)
	}
	if magic := string(file[:len(fileMagic)]); magic != fileMagic {
		return nil, fmt.Errorf("it begins with %q, want %q", magic, fileMagic)
	}
	version := binary.LittleEndian.Uint32(file[len(fileMagic):])
	if version < 1 || version > fileVersion {
		return nil, fmt.Errorf("its version is %d, want 1 to %d", version, fileVersion)
	}
	body := file[:len(file)-4]
	if got, want := crc32.Checksum(body, castagnoli), binary.LittleEndian.Uint32(file[len(body):]); got != want {
		return nil, fmt.Errorf("damaged or cut short: its checksum is %08x, want %08x", got, want)
	}
	size := int64(binary.LittleEndian.Uint32(body[len(fileMagic)+4:]))
	body = body[prefix:]
	if size > min(maxHeader, int64(len(body))) {
		return nil, fmt.Errorf("damaged: a header of %d bytes, want at most %d", size, min(maxHeader, len(body)))
	}
	n := new(Network)
	if err := json.Unmarshal(body[:size], &n.Header); err != nil {
		return nil, fmt.Errorf("damaged header: %w", err)
	}
	if err := n.checkHeader(); err != nil {
		return nil, fmt.Errorf("damaged header: %w", err)
	}
	if n.version() != version {
		return nil, fmt.Errorf("damaged: its version is %d, its header is of version %d", version, n.version())
	}
	if err := n.readArrays(body[size:]); err != nil {
		return nil, err
	}
	return n, n.Check()
}

// readArrays fills the arrays of n, whose header is checked, from data.
func (n *Network) readArrays(data []byte) error {
	want := 16 * n.Inputs()
	input, recurrent, biases := n.gruSizes()
	want += 4 * (input + recurrent + biases)
	for l := range len(n.Sizes) - 1 {
		want += 4 * (n.reads(l) + 1) * n.Sizes[l+1]
	}
	bounds := 0
	if n.Discrete == 0 {
		bounds = n.Outputs()
	}
	if want += 8 * bounds; len(data) != want {
		return fmt.Errorf("damaged: arrays of %d bytes, want %d", len(data), want)
	}
	n.Mean, n.Scale = make([]float64, n.Inputs()), make([]float64, n.Inputs())
	if n.Recurrent > 0 {
		n.GRU = &GRU{make([]float32, input), make([]float32, recurrent), make([]float32, biases)}
	}
	for l := range len(n.Sizes) - 1 {
		in, out := n.reads(l), n.Sizes[l+1]
		n.Layers = append(n.Layers, Layer{make([]float32, in*out), make([]float32, out)})
	}
	n.Low, n.High = make([]float32, bounds), make([]float32, bounds)
	r := bytes.NewReader(data)
	var errs []error
	for _, a := range n.arrays() {
		errs = append(errs, binary.Read(r, binary.LittleEndian, a))
	}
	return errors.Join(errs...)
}
