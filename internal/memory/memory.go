// Package memory compares what something big will take with what this process can still
// have. Go and C end the process where an allocation fails, so the comparison has to
// come first.
package memory

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// Need is what something takes, in bytes.
type Need struct {
	Go     int64 // on Go's heap
	Engine int64 // of an engine's own memory, as far as it is written to
	// Threads that come with it. Each reserves address space for its stack and for malloc.
	Threads int
}

const (
	threadSpace = 72 << 20 // address space of a thread: 8 MiB of stack, 64 MiB of malloc's
	heapStep    = 64 << 20 // Go's heap grows in steps of this size
)

// Error says that there is not enough. Sizes are in bytes.
type Error struct {
	What string // takes Need
	Need int64
	Left int64
	Of   string // what there is too little of
}

// Error implements error.
func (e *Error) Error() string {
	return fmt.Sprintf("%s need %s of %s; %s are left", e.What, size(e.Need), e.Of, size(e.Left))
}

// size is a number of bytes as a text.
func size(bytes int64) string {
	if bytes < 1<<30 {
		return fmt.Sprintf("%d MiB", max(0, bytes)>>20)
	}
	return fmt.Sprintf("%.1f GiB", float64(bytes)/(1<<30))
}

// Check returns an [*Error] where there is not enough for need: of address space, where
// the process has a limit (ulimit -v), or of the machine's memory and swap together,
// whoever else uses them. What cannot be found out is enough. what is in the plural.
func Check(what string, need Need) error {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_AS, &limit); err == nil && limit.Cur < 1<<62 {
		// malloc keeps blocks apart, so an engine's addresses are up to twice its memory.
		n := need.Go + need.Go/4 + heapStep + 2*need.Engine + int64(need.Threads)*threadSpace
		if left := int64(limit.Cur) - addressSpace(); n > left {
			return &Error{what, n, left, "address space (ulimit -v)"}
		}
	}
	if there, ok := machine(); ok && need.Go+need.Engine > there {
		return &Error{what, need.Go + need.Engine, there, "this machine's memory"}
	}
	return nil
}

// addressSpace is what the process has mapped.
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

// machine is the machine's memory and swap.
func machine() (int64, bool) {
	var info syscall.Sysinfo_t
	if err := syscall.Sysinfo(&info); err != nil {
		return 0, false
	}
	return int64((info.Totalram + info.Totalswap) * uint64(info.Unit)), true
}
