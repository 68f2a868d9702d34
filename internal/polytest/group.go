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

// Groups are the control groups of version 2 that a process is told to be in, without a kernel that has them.
type Groups struct {
	Root  string            // group at which the hierarchy is mounted; "/" but in a container with the host's names
	Path  string            // group of the process, as its /proc/self/cgroup has it
	Files map[string]string // contents by path below the mount, such as outer/memory.max
}

// InGroups returns a command that finds, in a /proc of its own, such groups and that it uses 1 MiB of memory. Where
// nobody may mount that for a process of his own, the test is skipped.
func InGroups(t testing.TB, g Groups, name string, args ...string) *exec.Cmd {
	t.Helper()
	folder := t.TempDir()
	mount := filepath.Join(folder, "cgroup")
	files := map[string]string{
		"proc/self/cgroup":    "0::" + g.Path + "\n",
		"proc/self/mountinfo": fmt.Sprintf("30 23 0:26 %s %s rw - cgroup2 cgroup2 rw\n", g.Root, mount),
		"proc/self/status":    "RssAnon:\t1024 kB\n",
	}
	for path, text := range g.Files {
		files[filepath.Join("cgroup", path)] = text
	}
	for path, text := range files {
		path = filepath.Join(folder, path)
		NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	own := func(name string, args ...string) *exec.Cmd {
		return exec.Command("unshare", append([]string{"--user", "--map-root-user", "--mount", "sh", "-c",
			`mount --bind "$0" /proc && exec "$@"`, filepath.Join(folder, "proc"), name}, args...)...)
	}
	if text, err := own("true").CombinedOutput(); err != nil {
		t.Skipf("no process has a /proc of its own here: %v %s", err, text)
	}
	return own(name, args...)
}
