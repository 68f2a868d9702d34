package cli

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/recorder"
)

// A closed pipe, as of train | head, ends a command like Ctrl-C: the dataset is closed,
// and no error is printed.
func TestNobodyReads(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	unread := func() *os.File {
		read, write, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { write.Close() })
		if err := read.Close(); err != nil {
			t.Fatal(err)
		}
		return write
	}
	wantInterrupted := func(cmd *exec.Cmd) {
		t.Helper()
		cmd.Env = append(os.Environ(), asTrain+"=1")
		cmd.Run()
		if code := cmd.ProcessState.ExitCode(); code != Interrupted {
			t.Errorf("%q: %v, want exit code %d", cmd.Args[1], cmd.ProcessState, Interrupted)
		}
	}

	out := filepath.Join(t.TempDir(), "out")
	rollout := exec.Command(self, "rollout", "--task", "LunarLander-v3", "--set", "worlds=2", "--seconds", "100000", "--out", out,
		"--set", "task.options={enable_wind: true, wind_power: 21}") // says a warning
	rollout.Stderr = unread()
	wantInterrupted(rollout)
	if _, err := recorder.Open(out); err != nil {
		t.Error(err)
	}

	inspect := exec.Command(self, "inspect", out)
	inspect.Stdout = unread()
	var said bytes.Buffer
	inspect.Stderr = &said
	wantInterrupted(inspect)
	if said.Len() > 0 {
		t.Errorf("inspect says %q, want nothing", said.String())
	}
}
