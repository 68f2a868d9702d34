package cli

import (
	"bytes"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
	"github.com/polyrhythm-rl/polyrhythm/recorder/recovery"
)

// rolling returns the arguments of a rollout that writes little but its dataset.
func rolling(out string, more ...string) []string {
	return append([]string{"rollout", "--task", "quadruped", "--set", "worlds=4", "--set", "max_steps=60", "--set",
		"recording.batch_rows=40",
		"--set", "recording.tables=[capture, control, sensors]", "--log-every", "0", "--out", out}, more...)
}

// tableFolders are those of the tables of rolling.
var tableFolders = map[string]string{"capture": ".", "control": "control", "sensors": "sensors", "episodes": "episodes"}

// startUnder starts train as a process of its own, after other commands of a shell. It does not ignore SIGHUP even
// where the tests do, as under nohup: what is caught here when it starts has its default there.
func startUnder(t *testing.T, first string, args ...string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	self := polytest.Must(os.Executable())(t)
	cmd := exec.Command("sh", append([]string{"-c", first + `; exec "$0" "$@"`, self}, args...)...)
	cmd.Env = append(os.Environ(), asTrain+"=1")
	errs := &bytes.Buffer{}
	cmd.Stderr = errs
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, syscall.SIGHUP)
	defer signal.Stop(caught)
	polytest.NoError(t, cmd.Start())
	return cmd, errs
}

// wantFailure waits for a process and checks for exit code 1 and one line with all the texts.
func wantFailure(t *testing.T, cmd *exec.Cmd, errs *bytes.Buffer, texts ...string) {
	t.Helper()
	wantExit(t, Failed, cmd, errs, texts...)
}

// wantExit is wantFailure for any exit code.
func wantExit(t *testing.T, want int, cmd *exec.Cmd, errs *bytes.Buffer, texts ...string) {
	t.Helper()
	cmd.Wait()
	message := lastLine(errs.String())
	if code := cmd.ProcessState.ExitCode(); code != want {
		t.Errorf("exit code %d, want %d: %s", code, want, errs)
	}
	for _, text := range texts {
		if !strings.Contains(message, text) {
			t.Errorf("it says %q, want %q in it", message, text)
		}
	}
	if strings.Contains(errs.String(), "goroutine") {
		t.Errorf("it says %s", errs)
	}
}

// lastLine returns the last line of stderr, which follows those of progress.
func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}

// wantAcknowledged recovers a dataset and checks that it has every row that its journals acknowledged.
func wantAcknowledged(t *testing.T, out string) {
	t.Helper()
	want, total := map[string]int64{}, int64(0)
	for table, folder := range tableFolders {
		want[table] = acknowledged(t, filepath.Join(out, folder))
		total += want[table]
	}
	if total == 0 {
		t.Fatal("nothing was acknowledged")
	}
	d, _, err := recovery.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	for table, rows := range want {
		if got, err := d.Rows(table); err != nil || got != rows {
			t.Errorf("table %s: %d rows after recovery, %v; %d were acknowledged", table, got, err, rows)
		}
		for _, err := range d.Batches(table) {
			if err != nil {
				t.Error(err)
			}
		}
	}
}

// A full disk ends the run with exit code 1, and every acknowledged row is safe.
func TestDiskFull(t *testing.T) {
	takesLong(t)
	t.Run("file size limit", func(t *testing.T) {
		out := filepath.Join(t.TempDir(), "out")
		cmd, errs := startUnder(t, "ulimit -f 256", rolling(out, "--episodes", "200")...)
		wantFailure(t, cmd, errs, "train: table", "file too large", out)
		wantAcknowledged(t, out)
	})
	t.Run("small file system", func(t *testing.T) {
		out := t.TempDir()
		if err := exec.Command("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", out).Run(); err != nil {
			t.Skip("no right to mount a small file system")
		}
		defer exec.Command("umount", out).Run()
		cmd, errs := startUnder(t, ":", rolling(out, "--episodes", "200")...)
		wantFailure(t, cmd, errs, "train: table", "no space left on device", out)
		// Recovery writes too, so it needs another disk, or room on this one.
		copied := filepath.Join(t.TempDir(), "copied")
		polytest.NoError(t, os.CopyFS(copied, os.DirFS(out)))
		wantAcknowledged(t, copied)
	})
}

// A folder that cannot be written to ends a run at once, and stays empty. A file in its place is wrong usage.
func TestFolderThatCannotBeWritten(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	polytest.NoError(t, os.WriteFile(file, nil, 0o666))
	for _, out := range []string{file, filepath.Join(file, "out")} {
		code, _, stderr := train(t, rolling(out, "--episodes", "4")...)
		if want := "train: output folder: " + out + " is a file or in one, want a new or an empty folder\n"; code != Usage || stderr != want {
			t.Errorf("exit %d, %q; want %d, %q", code, stderr, Usage, want)
		}
	}
	t.Run("read-only file system", func(t *testing.T) {
		out := t.TempDir()
		if err := exec.Command("mount", "-t", "tmpfs", "-o", "ro", "tmpfs", out).Run(); err != nil {
			t.Skip("no right to mount a read-only file system")
		}
		defer exec.Command("umount", out).Run()
		cmd, errs := startUnder(t, ":", rolling(out, "--episodes", "4")...)
		wantFailure(t, cmd, errs, out, "read-only file system")
	})
}

// awaitRows waits until a dataset's first batch is acknowledged.
func awaitRows(t *testing.T, out string) {
	t.Helper()
	await(t, "nothing is recorded", func() bool { return acknowledged(t, out) > 0 })
}

// A run whose folder is removed ends with exit code 1.
func TestFolderThatVanishes(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	cmd, errs := startUnder(t, ":", rolling(out, "--episodes", "300")...)
	awaitRows(t, out)
	polytest.NoError(t, os.RemoveAll(out))
	wantFailure(t, cmd, errs, out, "no such file or directory")
}

// Of two runs into one folder the second fails, and the first is not affected.
func TestTwoRunsIntoOneFolder(t *testing.T) {
	takesLong(t)
	out := filepath.Join(t.TempDir(), "out")
	first, output := startUnder(t, ":", rolling(out, "--episodes", "60")...)
	awaitRows(t, out)
	if err := first.Process.Signal(syscall.SIGSTOP); err != nil { // in the middle, as long as the second one takes
		t.Fatal(err)
	}
	second, errs := startUnder(t, ":", rolling(out, "--episodes", "4")...)
	wantExit(t, Usage, second, errs, out, "is not empty")
	polytest.NoError(t, first.Process.Signal(syscall.SIGCONT))
	if err := first.Wait(); err != nil {
		t.Fatalf("%v: %s", err, output)
	}
	d := polytest.Must(recorder.Open(out))(t)
	if episodes, err := d.Rows(format.EpisodesTable); err != nil || episodes != 60 {
		t.Errorf("%d episodes, %v, want 60", episodes, err)
	}
}
