package runlog

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/polyrhythm-rl/polyrhythm/runners"
)

// field is a named value of an intervention. The value is a pointer to an int, an int64, a float64, a [3]float64, a
// bool, a *bool, a string, a json.RawMessage, a []float64 or a []uint32, of which nil is the one without values, or a
// runners.Edits. The package documentation says how a record has it.
type field struct {
	name  string
	value any
}

var order = binary.LittleEndian

// append appends the value to the payload of a record.
func (f field) append(dst []byte) []byte {
	switch v := f.value.(type) {
	case *int:
		return order.AppendUint64(dst, uint64(*v))
	case *bool:
		return append(dst, flag(*v))
	case **bool:
		if *v == nil {
			return append(dst, unsaid)
		}
		return append(dst, flag(**v))
	case *string:
		return append(order.AppendUint32(dst, uint32(len(*v))), *v...)
	case *json.RawMessage:
		return append(order.AppendUint32(dst, uint32(len(*v))), *v...)
	case *runners.Edits:
		text := field{f.name, textOf(*v)}
		return text.append(dst)
	case *[]float64:
		dst = order.AppendUint32(dst, uint32(len(*v)))
	case *[]uint32:
		dst = order.AppendUint32(dst, uint32(len(*v)))
	}
	dst, err := binary.Append(dst, order, f.value)
	if err != nil {
		panic(err) // cannot happen: the values have fixed sizes
	}
	return dst
}

// unsaid is the byte of a *bool that is nil.
const unsaid = 2

func flag(v bool) byte {
	if v {
		return 1
	}
	return 0
}

// textOf returns edits in JSON.
func textOf(edits runners.Edits) *string {
	data, err := edits.MarshalJSON()
	if err != nil {
		panic(err) // cannot happen: plain data
	}
	text := string(data)
	return &text
}

// take sets the value from the beginning of a payload and returns the rest.
func (f field) take(data []byte) (rest []byte, err error) {
	switch v := f.value.(type) {
	case *int:
		var wide int64
		rest, err = field{f.name, &wide}.take(data)
		*v = int(wide)
		return rest, err
	case *bool:
		b, rest, err := takeFlag(data, 1)
		*v = b == 1
		return rest, err
	case **bool:
		b, rest, err := takeFlag(data, unsaid)
		if yes := b == 1; b != unsaid {
			*v = &yes
		}
		return rest, err
	case *string:
		text, rest, err := takeText(data)
		*v = string(text)
		return rest, err
	case *json.RawMessage:
		text, rest, err := takeText(data)
		if err == nil && len(text) > 0 && !json.Valid(text) {
			err = fmt.Errorf("is %.40q, want JSON", text)
		}
		*v = append(json.RawMessage(nil), text...)
		return rest, err
	case *runners.Edits:
		text, rest, err := takeText(data)
		if err == nil {
			err = json.Unmarshal(text, v)
			if err != nil {
				err = fmt.Errorf("is %.40q, want edits in JSON: %w", text, err)
			}
		}
		return rest, err
	case *[]float64:
		return takeList(data, v)
	case *[]uint32:
		return takeList(data, v)
	}
	size := binary.Size(f.value)
	if len(data) < size {
		return nil, shortage(data, size)
	}
	_, err = binary.Decode(data, order, f.value)
	return data[size:], err
}

func shortage(data []byte, want int) error {
	return fmt.Errorf("has %d bytes, want %d", len(data), want)
}

func takeFlag(data []byte, most byte) (b byte, rest []byte, err error) {
	switch {
	case len(data) == 0:
		return 0, nil, shortage(data, 1)
	case data[0] > most:
		return 0, nil, fmt.Errorf("is %d, want 0 to %d", data[0], most)
	}
	return data[0], data[1:], nil
}

// takeText takes a number of bytes and these, which share memory with data.
func takeText(data []byte) (text, rest []byte, err error) {
	n, rest, err := takeCount(data, 1)
	if err != nil {
		return nil, nil, err
	}
	return rest[:n], rest[n:], nil
}

// takeList takes a number of values and these.
func takeList[T float64 | uint32](data []byte, list *[]T) (rest []byte, err error) {
	size := binary.Size(T(0))
	n, rest, err := takeCount(data, size)
	if err != nil || n == 0 {
		return rest, err
	}
	*list = make([]T, n)
	_, err = binary.Decode(rest, order, *list)
	return rest[n*size:], err
}

// takeCount takes the number of values of a size in bytes that follow.
func takeCount(data []byte, size int) (n int, rest []byte, err error) {
	if len(data) < 4 {
		return 0, nil, shortage(data, 4)
	}
	count, rest := uint64(order.Uint32(data)), data[4:]
	if need := count * uint64(size); need > uint64(len(rest)) {
		return 0, nil, fmt.Errorf("has %d bytes, want %d", len(rest), need)
	}
	return int(count), rest, nil
}

// String returns the name and the value, for an error.
func (f field) String() string {
	switch v := f.value.(type) {
	case *string:
		return fmt.Sprintf("%s %q", f.name, *v)
	case *json.RawMessage:
		return fmt.Sprintf("%s %.200s", f.name, *v)
	case *runners.Edits:
		return fmt.Sprintf("%s %s", f.name, *textOf(*v))
	case **bool:
		if *v == nil {
			return f.name + " unsaid"
		}
		return fmt.Sprintf("%s %t", f.name, **v)
	}
	return fmt.Sprintf("%s %v", f.name, reflect.ValueOf(f.value).Elem())
}

// part is one of the parts of an intervention in a record: its kind as a string, and its fields.
type part struct {
	kind   string
	fields []field
}

// The kinds of the parts that are no effects.
const (
	intentKind   = "intent"
	decisionKind = "decision"
)

// parts returns the parts that are there, in the order of a record.
func (i *Intervention) parts() (parts []part) {
	if i.Intent != nil {
		parts = append(parts, part{intentKind, i.Intent.fields()})
	}
	if i.Decision != nil {
		parts = append(parts, part{decisionKind, i.Decision.fields()})
	}
	if i.Effect != nil {
		parts = append(parts, part{i.Effect.Kind(), i.Effect.fields()})
	}
	return parts
}

// append appends the intervention to the payload of a record.
func (i *Intervention) append(dst []byte) []byte {
	for _, p := range i.parts() {
		dst = field{"kind", &p.kind}.append(dst)
		for _, f := range p.fields {
			dst = f.append(dst)
		}
	}
	return dst
}

// Check returns an error for an intervention that has no part.
func (i *Intervention) Check() error {
	if len(i.parts()) == 0 {
		return errors.New("an intervention has no part, want an intent, a decision or an effect")
	}
	return nil
}

// take sets an empty intervention from the rest of a payload.
func (i *Intervention) take(data []byte) (err error) {
	for len(data) > 0 {
		var kind string
		if data, err = (field{"kind", &kind}).take(data); err != nil {
			return fmt.Errorf("the kind of a part of an intervention %w", err)
		}
		fields := i.add(kind)
		if fields == nil {
			return fmt.Errorf("part %d of an intervention is of the kind %.40q, want an intent, a decision and an effect, in "+
				"this order", len(i.parts())+1, kind)
		}
		for _, f := range fields {
			if data, err = f.take(data); err != nil {
				return fmt.Errorf("the field %s of a part %s %w", f.name, kind, err)
			}
		}
	}
	return i.Check()
}

// add adds an empty part and returns its fields; nil if the kind is unknown or comes too late.
func (i *Intervention) add(kind string) []field {
	switch {
	case i.Effect != nil:
		return nil
	case kind == intentKind && i.Intent == nil && i.Decision == nil:
		i.Intent = &Intent{}
		return i.Intent.fields()
	case kind == decisionKind && i.Decision == nil:
		i.Decision = &Decision{}
		return i.Decision.fields()
	}
	for _, newEffect := range newEffects {
		if effect := newEffect(); effect.Kind() == kind {
			i.Effect = effect
			return effect.fields()
		}
	}
	return nil
}

// String describes the intervention for an error.
func (i *Intervention) String() string {
	var text []string
	for _, p := range i.parts() {
		var values []string
		for _, f := range p.fields {
			values = append(values, f.String())
		}
		text = append(text, fmt.Sprintf("%s (%s)", p.kind, strings.Join(values, ", ")))
	}
	return strings.Join(text, ", ")
}
