package memory

import (
	"errors"
	"fmt"
	"math"
	"os"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

func TestCheck(t *testing.T) {
	if err := Check("worlds", Need{Go: 1 << 20, Engine: 1 << 20, Threads: 1}); err != nil {
		t.Errorf("2 MiB: %v", err)
	}
	there, ok := machine()
	if !ok || there < 1<<28 {
		t.Fatalf("the machine has %d bytes, %t", there, ok)
	}
	for _, need := range []Need{{Go: there + 1}, {Engine: there + 1}, {Go: there/2 + 1, Engine: there/2 + 1}} {
		var e *Shortage
		if err := Check("7 worlds", need); !errors.As(err, &e) {
			t.Errorf("%+v: %v, want an Error", need, err)
		}
	}
	if n := addressSpace(); n < 1<<20 {
		t.Errorf("%d bytes are mapped", n)
	}
	e := &Shortage{Consumer: "7 worlds", Need: 3 << 30, Available: 5 << 20, Resource: "address space (ulimit -v)"}
	if got, want := e.Error(), "7 worlds need 3.0 GiB of address space (ulimit -v); 5 MiB are left"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// What is in use counts with the garbage that Go's collector lets lie beside it.
func TestPeakCountsGarbage(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(50))
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(math.MaxInt64))
	need := Need{Go: 400 << 20, Engine: 7 << 20}
	for _, c := range []struct{ limit, want int64 }{{math.MaxInt64, 600}, {500 << 20, 500}, {300 << 20, 400}} {
		debug.SetMemoryLimit(c.limit)
		if got := need.Peak(); got != c.want<<20+7<<20+program {
			t.Errorf("limit %d: a peak of %d bytes, want %d MiB of Go's heap", c.limit, got, c.want)
		}
	}
}

// What does not fit into what GOMEMLIMIT allows is refused.
func TestCheckOfGoMemoryLimit(t *testing.T) {
	before := debug.SetMemoryLimit(256 << 20)
	defer debug.SetMemoryLimit(before)
	polytest.NoError(t, Check("7 worlds", Need{Go: 256 << 20, Engine: 1 << 20}))
	polytest.ErrorContains(t, Check("7 worlds", Need{Go: 257 << 20}),
		"7 worlds need 257 MiB of Go's memory (GOMEMLIMIT); 256 MiB are left")
}

// What does not fit into the memory of a control group, or of one around it, is refused, for a process in it alone.
func TestCheckInControlGroup(t *testing.T) {
	const inside = "POLYTEST_IN_CONTROL_GROUP"
	if os.Getenv(inside) != "" {
		fmt.Println(Check("7 worlds", Need{Go: 92 << 20, Engine: 57 << 20}))
		fmt.Println(Check("6 worlds", Need{Go: 60 << 20, Engine: 41 << 20}))
		used := make([]byte, 100<<20) // by what came before
		for i := 0; i < len(used); i += 4096 {
			used[i] = 1
		}
		fmt.Println(Check("6 more worlds", Need{Go: 60 << 20, Engine: 41 << 20}))
		runtime.KeepAlive(used)
		return
	}
	cmd := polytest.InControlGroup(t, 256<<20, os.Args[0], "-test.run", "CheckInControlGroup")
	cmd.Env = append(os.Environ(), inside+"=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	want := regexp.MustCompile(`7 worlds need 257 MiB of the memory of its control group; 2\d\d MiB are left\n<nil>\n` +
		`6 more worlds need 177 MiB of the memory of its control group; 1\d\d MiB are left\n`)
	if !want.Match(out) {
		t.Errorf("got %q, want %v", out, want)
	}
}

// The smallest limit of a group of version 2 and of those around it counts, wherever the hierarchy is mounted. Files are
// all that is read of groups, so files stand for a kernel here.
func TestCheckInGroupsOfVersion2(t *testing.T) {
	const inside = "POLYTEST_IN_CONTROL_GROUP"
	if os.Getenv(inside) != "" {
		fmt.Println(Check("7 worlds", Need{Go: 92 << 20, Engine: 57 << 20}))
		return
	}
	const limit, none, large = "268435456\n", "max\n", "9223372036854771712\n"
	for name, c := range map[string]struct {
		polytest.Groups
		refused bool
	}{
		"its own limit": {polytest.Groups{Root: "/", Path: "/outer/inner", Files: map[string]string{
			"outer/memory.max": large, "outer/inner/memory.max": limit}}, true},
		"that of a group around it": {polytest.Groups{Root: "/", Path: "/outer/middle/inner", Files: map[string]string{
			"outer/memory.max": limit, "outer/middle/memory.max": none, "outer/middle/inner/memory.max": large}}, true},
		"of a container with names of its own": {polytest.Groups{Root: "/", Path: "/", Files: map[string]string{
			"memory.max": limit}}, true},
		"of a container with the host's names": {polytest.Groups{Root: "/host/container", Path: "/host/container/job",
			Files: map[string]string{"memory.max": limit, "job/memory.max": none}}, true},
		"none": {polytest.Groups{Root: "/", Path: "/outer/inner", Files: map[string]string{
			"outer/memory.max": none, "outer/inner/memory.max": none, "other/memory.max": limit}}, false},
		"no controller of memory": {polytest.Groups{Root: "/", Path: "/outer", Files: map[string]string{
			"outer/pids.max": "5\n"}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			cmd := polytest.InGroups(t, c.Groups, os.Args[0], "-test.run", "CheckInGroupsOfVersion2")
			cmd.Env = append(os.Environ(), inside+"=1")
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			want := "<nil>\n"
			if c.refused {
				want = "7 worlds need 257 MiB of the memory of its control group; 255 MiB are left\n"
			}
			if !strings.HasPrefix(string(out), want) {
				t.Errorf("got %q, want %q", out, want)
			}
		})
	}
}
