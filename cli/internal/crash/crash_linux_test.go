package crash

import (
	"context"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// build compiles testdata/crasher.
func build(t *testing.T) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "crasher")
	if out, err := exec.Command("go", "build", "-o", bin, "./testdata/crasher").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return bin
}

// inOrder reports whether each string of want is a line of lines, in that order; other lines may lie between them.
func inOrder(text string, want []string) bool {
	for line := range strings.Lines(text) {
		if len(want) > 0 && strings.TrimSpace(line) == want[0] {
			want = want[1:]
		}
	}
	return len(want) == 0
}

func TestTraceNamesCFunctions(t *testing.T) {
	bin := build(t)
	for mode, want := range map[string][]string{
		"own":    {"write_nowhere", "crash_here", "main.main()"},
		"mujoco": {"mj_step", "crash_in_mujoco", "main.main()"},
		"deep":   {"write_nowhere", "crash_deep", "crash_deep", "main.main()"},
		"abort":  {"give_up", "main.main()"},
	} {
		t.Run(mode, func(t *testing.T) {
			cmd := exec.Command(bin, mode)
			cmd.Args[0] = "crasher" // like the shell for a program found through PATH
			out, err := cmd.CombinedOutput()
			if err == nil {
				t.Fatalf("the program ended without an error, want a crash\n%s", out)
			}
			if !inOrder(string(out), want) {
				t.Errorf("want lines %q, in this order, in\n%s", want, out)
			}
		})
	}
}

// A process that cannot run within its limits says so in one line.
func TestLimits(t *testing.T) {
	bin := build(t)
	for limit, want := range map[string]string{
		"-v 300000": "crasher: the limit of the address space is 300000 KiB (ulimit -v), want at least 2097152 KiB\n",
		"-s 64":     "crasher: the limit of a stack is 64 KiB (ulimit -s), want at least 256 KiB\n",
	} {
		out, err := exec.Command("bash", "-c", "ulimit "+limit+" && exec "+bin+" none").CombinedOutput()
		if err == nil || string(out) != want {
			t.Errorf("%s: %v, %q, want %q", limit, err, out, want)
		}
	}
}

// Profiling threads in C does not hang, and the profile names C functions.
func TestProfile(t *testing.T) {
	bin := build(t)
	path := filepath.Join(t.TempDir(), "cpu.prof")
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	if out, err := exec.CommandContext(ctx, bin, "profile", path).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.Command("go", "tool", "pprof", "-top", bin, path).CombinedOutput()
	if err != nil {
		t.Fatalf("pprof: %v\n%s", err, out)
	}
	for _, name := range []string{"busy", "mju_quatIntegrate"} {
		if !strings.Contains(string(out), " "+name+"\n") {
			t.Errorf("%s is missing in the profile:\n%s", name, out)
		}
	}
}
