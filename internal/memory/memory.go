// Package memory checks in advance whether the process has enough memory for a large
// allocation, since Go and C end the process when an allocation fails.
package memory

import (
	"fmt"
	"math"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/KimMachineGun/automemlimit/memlimit"
)

// Need is the memory that something needs.
type Need struct {
	Go      int64 // bytes on Go's heap that are in use at once
	Engine  int64 // bytes that an engine allocates itself and writes to
	Threads int   // new threads; each reserves address space for its stack and for malloc
}

const (
	threadSpace = 72 << 20 // address space of a thread: 8 MiB of stack and 64 MiB for malloc
	heapStep    = 64 << 20 // Go's heap grows in steps of this size
	program     = 16 << 20 // memory that any run takes beside: stacks, the collector's own memory, buffers of libraries
)

// Peak is about the most memory, in bytes, that the process takes for n: beside what is in use, the garbage that
// Go's collector lets lie, as GOGC and GOMEMLIMIT say.
func (n Need) Peak() int64 { return n.heap() + n.Engine + program }

// heap is the size to which Go's heap grows.
func (n Need) heap() int64 {
	garbage := float64(n.Go) * percent() / 100
	if limit := debug.SetMemoryLimit(-1); float64(limit) < float64(n.Go)+garbage {
		return max(n.Go, limit)
	}
	return n.Go + int64(garbage)
}

// percent is the size of the garbage, as a percentage of what is in use, at which Go collects it; GOGC=off counts as
// the default.
func percent() float64 {
	sample := []metrics.Sample{{Name: "/gc/gogc:percent"}}
	if metrics.Read(sample); sample[0].Value.Kind() == metrics.KindUint64 && sample[0].Value.Uint64() <= math.MaxInt32 {
		return float64(sample[0].Value.Uint64())
	}
	return 100
}

// Shortage reports that there is not enough memory.
type Shortage struct {
	Consumer  string // the objects that need the memory, in the plural, such as "64 worlds"
	Need      int64  // needed bytes
	Available int64  // available bytes
	Resource  string // kind of memory
}

// Error implements error.
func (e *Shortage) Error() string {
	return fmt.Sprintf("%s need %s of %s; %s are left", e.Consumer, size(e.Need), e.Resource, size(e.Available))
}

// size formats a number of bytes.
func size(bytes int64) string {
	if bytes < 1<<30 {
		return fmt.Sprintf("%d MiB", max(0, bytes)>>20)
	}
	return fmt.Sprintf("%.1f GiB", float64(bytes)/(1<<30))
}

// Check returns an [*Shortage] unless need fits into the address space that the limit of
// the process (ulimit -v) leaves, into the machine's memory and swap together, used or not, and into
// what the process leaves of the memory of its control group and those around it, as a container has it, and of
// [SetLimit]. There the garbage of Go's heap counts, see [Need.Peak]. What is in use on it must also fit into the limit that GOMEMLIMIT
// gives it, beyond which Go would do little but collect garbage. An amount that cannot be determined counts as enough.
// consumer is as in [Error].
func Check(consumer string, need Need) error {
	if limit, ok := addressLimit(); ok {
		// malloc leaves gaps, so an engine uses up to twice its memory in address space.
		n := need.heap() + heapStep + 2*need.Engine + int64(need.Threads)*threadSpace
		if available := limit - addressSpace(); n > available {
			return &Shortage{consumer, n, available, "address space (ulimit -v)"}
		}
	}
	peak := need.Peak()
	if total, ok := machine(); ok && peak > total {
		return &Shortage{consumer, peak, total, "this machine's memory"}
	}
	if limit := allowed.Load(); limit > 0 {
		if available := limit - processBytes(); peak > available {
			return &Shortage{consumer, peak, available, "the memory of the settings (memory_mb)"}
		}
	}
	if total := debug.SetMemoryLimit(-1); need.Go > total {
		return &Shortage{consumer, need.Go, total, "Go's memory (GOMEMLIMIT)"}
	}
	if total, err := memlimit.FromCgroup(); err == nil && total < 1<<62 {
		if available := int64(total) - processBytes(); peak > available {
			return &Shortage{consumer, peak, available, "the memory of its control group"}
		}
	}
	return nil
}

// addressSpace returns the size of the address space that the process has mapped, in
// bytes; 0 if it cannot be determined.
func addressSpace() int64 {
	data, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	pages, _, _ := strings.Cut(string(data), " ")
	n, err := strconv.ParseInt(pages, 10, 64)
	if err != nil {
		return 0
	}
	return n * int64(os.Getpagesize())
}

// processBytes returns the memory that the process uses and that no file backs, in bytes; 0 if it cannot be determined.
func processBytes() int64 {
	data, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, line, _ := strings.Cut(string(data), "RssAnon:")
	value, _, _ := strings.Cut(line, "kB")
	n, err := strconv.ParseInt(strings.TrimSpace(value), 10, 64)
	if err != nil {
		return 0
	}
	return n << 10
}

// allowed is the limit of [SetLimit] in bytes; 0: none.
var allowed atomic.Int64

// SetLimit makes [Check] refuse what would take the process beyond a number of bytes, as if its control group had that
// limit; 0 for none. restore brings the limit before it back.
func SetLimit(bytes int64) (restore func()) {
	before := allowed.Swap(bytes)
	return func() { allowed.Store(before) }
}
