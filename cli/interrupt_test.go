package cli

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

// pipe makes a named pipe.
func pipe(t *testing.T, name string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	polytest.NoError(t, syscall.Mkfifo(path, 0o600))
	return path
}

// await waits until something is so.
func await(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("after a minute: %s", what)
		}
	}
}

// waitForReader opens a named pipe for writing once it is open for reading.
func waitForReader(t *testing.T, path string) {
	t.Helper()
	await(t, "nobody reads "+path, func() bool {
		f, err := os.OpenFile(path, os.O_WRONLY|syscall.O_NONBLOCK, 0)
		if err == nil {
			t.Cleanup(func() { f.Close() })
		}
		return err == nil
	})
}

// wantInterruption sends a signal to a process and checks that it exits as interrupted.
func wantInterruption(t *testing.T, cmd *exec.Cmd, stderr *bytes.Buffer, sent syscall.Signal) {
	t.Helper()
	polytest.NoError(t, cmd.Process.Signal(sent))
	stuck := time.AfterFunc(time.Minute, func() { cmd.Process.Kill() })
	defer stuck.Stop()
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != Interrupted || lastLine(stderr.String()) != "train: interrupted" {
		t.Errorf("%q ended with %v and %q, want exit code %d", cmd.Args, cmd.ProcessState, stderr, Interrupted)
	}
}

// slowModel writes a model whose mesh, points on a sphere, takes MuJoCo many seconds: it looks for their convex hull.
func slowModel(t *testing.T) string {
	t.Helper()
	const points = 400_000
	var text bytes.Buffer
	text.WriteString(`<mujoco><asset><mesh name="m" vertex="`)
	for i := range points {
		z := 1 - (2*float64(i)+1)/points
		sin, cos := math.Sincos(2.4 * float64(i))
		r := math.Sqrt(1 - z*z)
		fmt.Fprintf(&text, "%.6f %.6f %.6f ", r*cos, r*sin, z)
	}
	text.WriteString(`"/></asset><worldbody><geom type="mesh" mesh="m"/></worldbody></mujoco>`)
	path := filepath.Join(t.TempDir(), "model.xml")
	polytest.NoError(t, os.WriteFile(path, text.Bytes(), 0o666))
	return path
}

// A command that is blocked by a file, or by an engine that compiles a model, ends at the
// first signal, and leaves no files.
func TestInterruptedWhileNothingIsOnDisk(t *testing.T) {
	takesLong(t)
	for i, c := range []struct{ command, flag string }{
		{"run", "--config="}, {"rollout", "--config="}, {"order", "--config="}, {"timeline", "--config="},
		{"run", "--set=model="}, {"rollout", "--set=model="},
	} {
		t.Run(c.command+c.flag, func(t *testing.T) {
			t.Parallel()
			path, out := pipe(t, "pipe"), filepath.Join(t.TempDir(), "out")
			args := []string{c.command, c.flag + path}
			compiles := c.flag != "--config="
			if compiles {
				args = []string{c.command, c.flag + slowModel(t), "--task=HalfCheetah-v5"}
			}
			if c.command == "run" || c.command == "rollout" {
				args = append(args, "--out="+out)
			}
			if c.command == "rollout" {
				args = append(args, "--episodes=1")
			}
			cmd, stderr := startUnder(t, ":", args...)
			if compiles {
				await(t, out+" is not there", func() bool { return exists(out) })
			} else {
				waitForReader(t, path)
			}
			wantInterruption(t, cmd, stderr, []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP,
				syscall.SIGUSR1, syscall.SIGUSR2}[i%5])
			if _, err := os.Lstat(out); err == nil {
				t.Errorf("%s is left", out)
			}
		})
	}
}

// waitForIterations returns when a training has logged a number of further iterations.
func waitForIterations(t *testing.T, out string, more int) {
	t.Helper()
	lines := func() int {
		data, _ := os.ReadFile(filepath.Join(out, "metrics.csv"))
		return bytes.Count(data, []byte("\n"))
	}
	want := max(1, lines()) + more
	await(t, fmt.Sprintf("there are no %d lines of metrics", want), func() bool { return lines() >= want })
}

// SIGHUP and SIGUSR1 end a training like Ctrl-C, but SIGHUP not under nohup.
func TestHangup(t *testing.T) {
	takesLong(t)
	for first, ending := range map[string]syscall.Signal{
		":": syscall.SIGHUP, "true": syscall.SIGUSR1, "trap '' HUP": syscall.SIGTERM,
	} {
		out := filepath.Join(t.TempDir(), "run")
		args := append([]string{"run", "--task=quadruped", "--out", out}, small...)
		cmd, stderr := startUnder(t, first, append(args, "--set=training.steps=100000000")...)
		waitForIterations(t, out, 1)
		if strings.HasPrefix(first, "trap") {
			polytest.NoError(t, cmd.Process.Signal(syscall.SIGHUP))
			waitForIterations(t, out, 3)
		}
		wantInterruption(t, cmd, stderr, ending)
		if report := mustTrain(t, "eval", out); !strings.Contains(report, "return") {
			t.Errorf("%q: evaluated: %s", first, report)
		}
	}
}
