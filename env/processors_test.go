package env

import (
	"fmt"
	"os"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

// The default number of workers is no larger than the quota of a control group of version 2 that the process is in, or
// of one around it, but at least 2: Go's own rule.
func TestProcessorsInAControlGroup(t *testing.T) {
	const inside = "POLYTEST_IN_CONTROL_GROUP"
	if os.Getenv(inside) != "" {
		fmt.Println(Processors(), "processors")
		return
	}
	groups := polytest.Groups{Root: "/", Path: "/outer/inner", Files: map[string]string{
		"outer/cpu.max": "50000 100000\n", "outer/inner/cpu.max": "max 100000\n"}}
	cmd := polytest.InGroups(t, groups, os.Args[0], "-test.run", "ProcessorsInAControlGroup")
	cmd.Env = append(os.Environ(), inside+"=1", "GOMAXPROCS=")
	out, err := cmd.Output() // the race detector warns on the other stream that it does not find /proc/self/exe
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var n int
	if fmt.Sscanf(string(out), "%d processors", &n); n < 1 || n > 2 {
		t.Errorf("got %q, want 1 or 2", out)
	}
}
