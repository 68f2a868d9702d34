package sim

import (
	"fmt"
	"reflect"

	"github.com/polyrhythm-rl/polyrhythm/internal/memory"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/sensors"
)

// CheckMemory returns an error where this process has no room for so many worlds and workers, and for some bytes
// beside them. One goroutine at a time may call it.
func (s *Sim) CheckMemory(worlds, workers int, beside int64) error {
	need := memory.Need{Go: int64(worlds)*s.rowBytes() + beside, Threads: workers}
	if engine, ok := s.config.Model.(interface{ WorldBytes() int }); ok {
		need.Engine = int64(worlds) * int64(engine.WorldBytes())
	}
	return memory.Check(fmt.Sprintf("%d worlds of %s", worlds, s.spec.Name), need)
}

// rowBytes is what one world takes of the buffers and of its block: it makes them for one world, and measures.
func (s *Sim) rowBytes() int64 {
	block := newBlock(s, 0, 0, newBuffers(s.spec, 1))
	return heapBytes(reflect.ValueOf(block), map[uintptr]bool{})
}

// heapBytes is the size of what a block points to and owns.
func heapBytes(v reflect.Value, seen map[uintptr]bool) int64 {
	switch v.Kind() {
	case reflect.Slice:
		return int64(v.Cap()) * int64(v.Type().Elem().Size())
	case reflect.Struct:
		var n int64
		for i := range v.NumField() {
			n += heapBytes(v.Field(i), seen)
		}
		return n
	case reflect.Pointer:
		switch v.Type() {
		case reflect.TypeFor[*Block](), reflect.TypeFor[*physics.Rows](), reflect.TypeFor[*sensors.Bank]():
			if p := v.Pointer(); !v.IsNil() && !seen[p] {
				seen[p] = true
				return int64(v.Type().Elem().Size()) + heapBytes(v.Elem(), seen)
			}
		}
	}
	return 0
}
