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
)

// kindNames are the names in polyrhythm.json and in messages, by Kind.
var kindNames = [...]string{Int64: "int64", Int32: "int32", Float64: "float64", Float32: "float32", Bool: "bool"}

// String returns the kind's name as polyrhythm.json has it.
func (k Kind) String() string {
	if !k.valid() {
		return fmt.Sprintf("Kind(%d)", uint8(k))
	}
	return kindNames[k]
}

// MarshalText returns the kind's name.
func (k Kind) MarshalText() ([]byte, error) {
	if !k.valid() {
		return nil, fmt.Errorf("column kind is %d, want one of Int64 … Bool", uint8(k))
	}
	return []byte(kindNames[k]), nil
}

// UnmarshalText reads a kind's name.
func (k *Kind) UnmarshalText(text []byte) error {
	for i := Int64; i <= Bool; i++ {
		if kindNames[i] == string(text) {
			*k = i
			return nil
		}
	}
	return fmt.Errorf("column kind is %q, want one of %q", text, kindNames[Int64:])
}

func (k Kind) valid() bool { return k >= Int64 && k <= Bool }

// Size returns the bytes that one value takes in memory; a bool takes one.
func (k Kind) Size() int {
	switch k {
	case Int64, Float64:
		return 8
	case Int32, Float32:
		return 4
	default:
		return 1
	}
}

// ArrowType returns the Arrow type of one value.
func (k Kind) ArrowType() arrow.DataType {
	switch k {
	case Int64:
		return arrow.PrimitiveTypes.Int64
	case Int32:
		return arrow.PrimitiveTypes.Int32
	case Float64:
		return arrow.PrimitiveTypes.Float64
	case Float32:
		return arrow.PrimitiveTypes.Float32
	default:
		return arrow.FixedWidthTypes.Boolean
	}
}
