package sim

import (
	"fmt"
	"reflect"

	"github.com/polyrhythm-rl/polyrhythm/internal/memory"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/sensors"
	"github.com/polyrhythm-rl/polyrhythm/sim/runlog"
)

// CheckMemory returns an error where this process has no room for so many worlds and workers, with the snapshots of
// Config.Snapshots and what Config.Beside says, and for some more bytes beside them. One goroutine at a time may call
// it.
func (s *Sim) CheckMemory(worlds, workers int, extra int64) error {
	if s.config.Beside != nil {
		extra += s.config.Beside(worlds)
	}
	need := memory.Need{Go: int64(worlds)*s.worldBytes() + extra, Threads: workers}
	if engine, ok := s.config.Model.(interface{ WorldBytes() int }); ok {
		need.Engine = int64(worlds) * int64(engine.WorldBytes())
	}
	return memory.Check(fmt.Sprintf("%d worlds of %s", worlds, s.spec.Name), need)
}

// worldBytes is what one world takes of the buffers, of its block, of what is logged of it at once and of snapshots:
// it makes a block of one world, and measures.
func (s *Sim) worldBytes() int64 {
	block := newBlock(s, 0, 0, newBuffers(s.spec, 1))
	n := heapBytes(reflect.ValueOf(block), map[uintptr]bool{})
	if s.config.Log != nil {
		n += int64(reflect.TypeFor[runlog.State]().Size())
	}
	snapshot := block.worlds[0].recordBytes()
	if len(s.config.Probes) > 0 {
		snapshot += len(block.bank.AppendObserved(nil, 0))
	}
	if s.config.StateSaver != nil {
		snapshot += len(s.config.StateSaver.AppendState(nil, s.config.Slice.From))
	}
	return n + int64(s.config.Snapshots*snapshot)
}

// heapBytes is the size of what a block points to and owns.
func heapBytes(v reflect.Value, visited map[uintptr]bool) int64 {
	switch v.Kind() {
	case reflect.Slice:
		return int64(v.Cap()) * int64(v.Type().Elem().Size())
	case reflect.Struct:
		var n int64
		for i := range v.NumField() {
			n += heapBytes(v.Field(i), visited)
		}
		return n
	case reflect.Pointer:
		switch v.Type() {
		case reflect.TypeFor[*Block](), reflect.TypeFor[*physics.Rows](), reflect.TypeFor[*sensors.Bank]():
			if p := v.Pointer(); !v.IsNil() && !visited[p] {
				visited[p] = true
				return int64(v.Type().Elem().Size()) + heapBytes(v.Elem(), visited)
			}
		}
	}
	return 0
}
