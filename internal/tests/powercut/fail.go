package powercut

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// Failing is a process some of whose system calls fail.
type Failing struct {
	strace *exec.Cmd
	said   bytes.Buffer
	trace  string     // path
	ended  chan error // of strace
}

// Fail makes system calls of a process that runs fail from now on, in all of its threads: those of these names, separated
// by commas, that are about one of the paths, with an error such as ENOSPC. The calls have no effect. It returns once that
// is so. The caller calls Wait.
func Fail(pid int, calls, errno string, paths ...string) (*Failing, error) {
	strace, err := exec.LookPath("strace")
	if err != nil {
		return nil, err
	}
	file, err := os.CreateTemp("", "failing-")
	if err != nil {
		return nil, err
	}
	if err := file.Close(); err != nil {
		return nil, err
	}
	args := []string{"-f", "-qq", "-p", fmt.Sprint(pid), "-o", file.Name(), "-e", "signal=none", "-e", "trace=" + calls,
		"-e", "inject=" + calls + ":error=" + errno}
	for _, path := range paths {
		args = append(args, "-P", path)
	}
	f := &Failing{strace: exec.Command(strace, args...), trace: file.Name()}
	f.strace.Stderr = &f.said
	if err := f.strace.Start(); err != nil {
		return nil, err
	}
	f.ended = make(chan error, 1)
	go func() { f.ended <- f.strace.Wait() }()
	for !traced(pid) {
		select {
		case err := <-f.ended:
			return nil, fmt.Errorf("strace of %d ended: %w: %s", pid, err, f.said.String())
		case <-time.After(time.Millisecond):
		}
	}
	return f, nil
}

// traced reports whether all threads of a process have a tracer.
func traced(pid int) bool {
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", pid))
	for _, thread := range threads {
		status, err := os.ReadFile(thread)
		if err == nil && untraced.Match(status) || err != nil && !errors.Is(err, fs.ErrNotExist) { // not: it has ended
			return false
		}
	}
	return err == nil && len(threads) > 0
}

var untraced = regexp.MustCompile(`(?m)^TracerPid:\s+0$`)

// Wait waits until the process has ended, and returns the calls that failed, a line each.
func (f *Failing) Wait() ([]string, error) {
	if err := <-f.ended; err != nil {
		return nil, fmt.Errorf("%w: %s", err, f.said.String())
	}
	text, err := os.ReadFile(f.trace)
	if err = errors.Join(err, os.Remove(f.trace)); err != nil {
		return nil, err
	}
	var failed []string
	for line := range strings.Lines(string(text)) {
		if strings.Contains(line, "(INJECTED)") {
			failed = append(failed, strings.TrimSpace(line))
		}
	}
	return failed, nil
}
