package format

import (
	"fmt"

	"github.com/apache/arrow/go/v17/arrow"
)

// Kind is the type of one value of a column.
type Kind uint8

// The kinds that a column can have. The zero Kind is invalid.
const (
	Int64 Kind = iota + 1
	Int32
	Float64
	Float32
	Bool
	Uint8  // of pictures
	Uint16 // of pictures
)

// kinds has, by Kind, the name in polyrhythm.json and in messages, the bytes of a value in memory, and its Arrow type.
var kinds = [...]struct {
	name  string
	size  int
	arrow arrow.DataType
}{
	{},
	Int64:   {"int64", 8, arrow.PrimitiveTypes.Int64},
	Int32:   {"int32", 4, arrow.PrimitiveTypes.Int32},
	Float64: {"float64", 8, arrow.PrimitiveTypes.Float64},
	Float32: {"float32", 4, arrow.PrimitiveTypes.Float32},
	Bool:    {"bool", 1, arrow.FixedWidthTypes.Boolean},
	Uint8:   {"uint8", 1, arrow.PrimitiveTypes.Uint8},
	Uint16:  {"uint16", 2, arrow.PrimitiveTypes.Uint16},
}

// String returns the kind's name as polyrhythm.json has it.
func (k Kind) String() string {
	if !k.valid() {
		return fmt.Sprintf("Kind(%d)", uint8(k))
	}
	return kinds[k].name
}

// MarshalText returns the kind's name.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText reads a kind's name.
func (k *Kind) UnmarshalText(text []byte) error {
	for i := Int64; i <= Uint16; i++ {
		if kinds[i].name == string(text) {
			*k = i
			return nil
		}
	}
	return fmt.Errorf("column kind is %q, want int64, int32, float64, float32, bool, uint8 or uint16", text)
}

func (k Kind) valid() bool { return k >= Int64 && k <= Uint16 }

// Size returns the bytes that one value takes in memory; a bool takes one.
func (k Kind) Size() int { return kinds[k].size }

// ArrowType returns the Arrow type of one value.
func (k Kind) ArrowType() arrow.DataType { return kinds[k].arrow }
