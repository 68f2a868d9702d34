//go:build unix

package polytest

import (
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// LimitMemory lets the process map so many bytes more than it has, until the test has ended: one that takes memory
// without a bound fails, and the machine has some left.
func LimitMemory(t testing.TB, more uint64) {
	t.Helper()
	pages, _, _ := strings.Cut(string(Must(os.ReadFile("/proc/self/statm"))(t)), " ")
	mapped := Must(strconv.ParseUint(pages, 10, 64))(t) * uint64(os.Getpagesize())
	var before syscall.Rlimit
	NoError(t, syscall.Getrlimit(syscall.RLIMIT_AS, &before))
	NoError(t, syscall.Setrlimit(syscall.RLIMIT_AS, &syscall.Rlimit{Cur: min(before.Max, mapped+more), Max: before.Max}))
	t.Cleanup(func() { NoError(t, syscall.Setrlimit(syscall.RLIMIT_AS, &before)) })
}
