package cli

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

// change is something that happened to a file: "create", "write" or "rename", which gave it its name.
type change struct{ what, path string }

// watcher sees the changes of all files below a folder, by inotify.
type watcher struct {
	events *os.File
	fd     int
	dirs   map[int32]string // by watch descriptor
}

func newWatcher(t *testing.T, dir string) *watcher {
	t.Helper()
	fd := polytest.Must(syscall.InotifyInit1(syscall.IN_NONBLOCK | syscall.IN_CLOEXEC))(t)
	w := &watcher{os.NewFile(uintptr(fd), "inotify"), fd, map[int32]string{}}
	t.Cleanup(func() { w.events.Close() })
	w.add(dir)
	return w
}

// add watches a folder and those in it. It may have been removed again.
func (w *watcher) add(dir string) (found []change) {
	wd, err := syscall.InotifyAddWatch(w.fd, dir, syscall.IN_CREATE|syscall.IN_MODIFY|syscall.IN_MOVED_TO)
	if err != nil {
		return nil
	}
	w.dirs[int32(wd)] = dir
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if found = append(found, change{"create", path}); e.IsDir() {
			found = append(found, w.add(path)...)
		}
	}
	return found
}

// next returns the next changes, at least one, or an error after Stop.
func (w *watcher) next() (all []change, err error) {
	buffer := make([]byte, 1<<16)
	for len(all) == 0 {
		n, err := w.events.Read(buffer)
		if err != nil {
			return nil, err
		}
		for offset := 0; offset < n; {
			wd := int32(binary.NativeEndian.Uint32(buffer[offset:]))
			mask := binary.NativeEndian.Uint32(buffer[offset+4:])
			size := int(binary.NativeEndian.Uint32(buffer[offset+12:]))
			name := strings.TrimRight(string(buffer[offset+16:offset+16+size]), "\x00")
			offset += 16 + size
			path := filepath.Join(w.dirs[wd], name)
			switch {
			case mask&syscall.IN_CREATE != 0:
				all = append(all, change{"create", path})
				if mask&syscall.IN_ISDIR != 0 {
					all = append(all, w.add(path)...)
				}
			case mask&syscall.IN_MODIFY != 0:
				all = append(all, change{"write", path})
			case mask&syscall.IN_MOVED_TO != 0:
				all = append(all, change{"rename", path})
			}
		}
	}
	return all, nil
}

// follow calls its function with each change until the process ends by itself or the function says to kill
// it, as kill -9 does. It returns whether it ended by itself.
func (w *watcher) follow(t *testing.T, cmd *exec.Cmd, follow func(change) (kill bool)) (ended bool) {
	t.Helper()
	polytest.NoError(t, w.events.SetReadDeadline(time.Time{}))
	done := make(chan error, 1)
	go func() {
		done <- cmd.Wait()
		w.events.SetReadDeadline(time.Now()) // next returns
	}()
	for killed := false; ; {
		changes, err := w.next()
		if err != nil {
			break
		}
		for _, c := range changes {
			if !killed && follow(c) {
				killed = true
				cmd.Process.Kill()
			}
		}
	}
	if err, exit := <-done, (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.Exited()
}

// exists reports whether there is something at path.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}
