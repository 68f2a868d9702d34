package disk

import (
	"bytes"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

// What has no bytes of its own is refused by whatever opens a file, at once, also behind a link.
func TestOnlyFilesAreOpened(t *testing.T) {
	dir := t.TempDir()
	pipe, socket := filepath.Join(dir, "pipe"), filepath.Join(dir, "socket")
	polytest.NoError(t, syscall.Mkfifo(pipe, 0o600))
	listener := polytest.Must(net.Listen("unix", socket))(t)
	defer listener.Close()
	for path, want := range map[string]string{
		pipe: "pipe", "/dev/zero": "device", dir: "directory", socket: "such device or address",
	} {
		link := filepath.Join(dir, "link-"+filepath.Base(path))
		polytest.NoError(t, os.Symlink(path, link))
		for _, path := range []string{path, link} {
			refused := func(_ any, err error) {
				t.Helper()
				if err == nil || !strings.Contains(err.Error(), path) {
					t.Errorf("%s: error %v, want one with its name", path, err)
				}
			}
			_, err := ReadFile(path, 1<<20)
			polytest.ErrorContains(t, err, want)
			refused(ReadKind(path, "magic", 1<<20))
			refused(Open(path))
			refused(Change(path))
			refused(Append(path))
			refused(OS{}.Append(path, 0))
			refused(nil, ReadJSON(path, new(any)))
		}
	}
}

func TestReadFileIsBounded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	polytest.NoError(t, os.WriteFile(path, []byte("magic and more"), 0o600))
	for max, want := range map[int64]string{14: "", 13: "is more than 13 bytes", 0: "is more than 0 bytes"} {
		data, err := ReadFile(path, max)
		if want == "" {
			polytest.NoError(t, err)
			polytest.Equal(t, string(data), "magic and more", "a file is")
			continue
		}
		polytest.ErrorContains(t, err, want)
	}
	// A terabyte that takes no room, and that nobody reads.
	polytest.NoError(t, os.Truncate(path, 1<<40))
	polytest.ErrorContains(t, polytest.Err(ReadFile(path, MaxText)), "is more than 67108864 bytes")
	data, err := ReadKind(path, "other", MaxText)
	polytest.NoError(t, err)
	polytest.Equal(t, string(data), "magic", "a file of another kind is")
	polytest.ErrorContains(t, polytest.Err(ReadAll(bytes.NewReader(make([]byte, 3)), "input", 2)), "input is more than 2 bytes")
}

// What a user names may be a pipe.
func TestReadInputReadsPipes(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	polytest.NoError(t, syscall.Mkfifo(pipe, 0o600))
	done := make(chan error)
	go func() { done <- os.WriteFile(pipe, []byte("settings"), 0) }()
	data, err := ReadInput(pipe, 100)
	polytest.NoError(t, err)
	polytest.NoError(t, <-done)
	polytest.Equal(t, string(data), "settings", "a pipe had")
}
