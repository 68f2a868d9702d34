package polytest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// InControlGroup returns a command in a control group of its own, within another one that has a limit of memory in
// bytes. Where no groups can be made, which takes root, the test is skipped.
func InControlGroup(t testing.TB, limit int64, name string, args ...string) *exec.Cmd {
	t.Helper()
	root, file := "/sys/fs/cgroup/memory", "memory.limit_in_bytes"
	if _, err := os.Stat(root); err != nil {
		root, file = "/sys/fs/cgroup", "memory.max"
	}
	outer := filepath.Join(root, fmt.Sprintf("polytest-%d", os.Getpid()))
	inner := filepath.Join(outer, "inner")
	for _, group := range []string{outer, inner} {
		if err := os.Mkdir(group, 0o755); err != nil {
			t.Skip(err)
		}
		t.Cleanup(func() { NoError(t, os.Remove(group)) })
	}
	if err := os.WriteFile(filepath.Join(outer, file), fmt.Append(nil, limit), 0o600); err != nil {
		t.Skip(err)
	}
	const enter = `echo $$ > "$0/cgroup.procs" && exec "$@"`
	return exec.Command("sh", append([]string{"-c", enter, inner, name}, args...)...)
}
