package memory

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
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
		var e *Error
		if err := Check("7 worlds", need); !errors.As(err, &e) {
			t.Errorf("%+v: %v, want an Error", need, err)
		}
	}
	if n := addressSpace(); n < 1<<20 {
		t.Errorf("%d bytes are mapped", n)
	}
	e := &Error{What: "7 worlds", Need: 3 << 30, Left: 5 << 20, Of: "address space (ulimit -v)"}
	if got, want := e.Error(), "7 worlds need 3.0 GiB of address space (ulimit -v); 5 MiB are left"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// What does not fit into the memory of a control group is refused, for a process in it alone.
func TestCheckInControlGroup(t *testing.T) {
	const inside = "POLYTEST_IN_CONTROL_GROUP"
	if os.Getenv(inside) != "" {
		fmt.Println(Check("7 worlds", Need{Go: 200 << 20, Engine: 57 << 20}))
		fmt.Println(Check("6 worlds", Need{Go: 200 << 20, Engine: 50 << 20}))
		return
	}
	name := fmt.Sprintf("polytest-%d", os.Getpid())
	group, limit := filepath.Join("/sys/fs/cgroup/memory", name), "memory.limit_in_bytes"
	if _, err := os.Stat(filepath.Dir(group)); err != nil {
		group, limit = filepath.Join("/sys/fs/cgroup", filepath.Base(group)), "memory.max"
	}
	if err := os.Mkdir(group, 0o755); err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { polytest.NoError(t, os.Remove(group)) })
	if err := os.WriteFile(filepath.Join(group, limit), []byte("268435456"), 0o600); err != nil {
		t.Skip(err)
	}
	const script = `echo $$ > "$1/cgroup.procs" && exec "$0" -test.run CheckInControlGroup`
	cmd := exec.Command("sh", "-c", script, os.Args[0], group)
	cmd.Env = append(os.Environ(), inside+"=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	want := "7 worlds need 257 MiB of the memory of its control group; 256 MiB are left\n<nil>\n"
	if !strings.Contains(string(out), want) {
		t.Errorf("got %q, want %q", out, want)
	}
}
