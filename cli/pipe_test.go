package cli

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

// A closed pipe, as of train | head, ends a command like Ctrl-C. One of the standard error does not.
func TestNobodyReads(t *testing.T) {
	t.Parallel()
	unread := func() *os.File {
		read, write, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { write.Close() })
		polytest.NoError(t, read.Close())
		return write
	}
	rollout := process(t, "rollout", "--task", "LunarLander-v3", "--episodes", "2", "--set", "worlds=2", "--out",
		filepath.Join(t.TempDir(), "out"),
		"--set", "task.options={enable_wind: true, wind_power: 21}") // says a warning
	rollout.Stderr = unread()
	if err := rollout.Run(); err != nil {
		t.Errorf("rollout, whose warnings nobody reads: %v", err)
	}

	for _, args := range [][]string{{"play", "--task", "Hopper-v5", "--frames"}, {"order", "--task", "Hopper-v5"}} {
		cmd := process(t, args...)
		cmd.Stdout = unread()
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		cmd.Run()
		if code := cmd.ProcessState.ExitCode(); code != Interrupted ||
			strings.TrimPrefix(stderr.String(), "train: interrupted\n") != "" {
			t.Errorf("%s: %v, which says %q, want exit code %d", args[0], cmd.ProcessState, stderr.String(),
				Interrupted)
		}
	}
}

// Strangers who break off downloads do not end a live run.
func TestBrokenDownloadsDoNotEndTheRun(t *testing.T) {
	t.Parallel()
	serve := process(t, "serve", "--task", "Hopper-v5", "--listen", "127.0.0.1:0", "--grpc", "")
	stderr := polytest.Must(serve.StderrPipe())(t)
	polytest.NoError(t, serve.Start())
	defer serve.Process.Kill()
	var address string
	for lines := bufio.NewScanner(stderr); address == "" && lines.Scan(); {
		if target, ok := strings.CutPrefix(lines.Text(), "serving at ws://"); ok {
			address, _, _ = strings.Cut(target, "/")
		}
	}
	for range 20 {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatalf("the server is gone: %v", err)
		}
		fmt.Fprintf(conn, "GET /libraries.js HTTP/1.1\r\nHost: %s\r\n\r\n", address)
		io.ReadFull(conn, make([]byte, 100))
		conn.Close()
	}
	answer, err := http.Get("http://" + address + "/libraries.js")
	if err != nil {
		t.Fatalf("the server is gone: %v", err)
	}
	defer answer.Body.Close()
	if n, err := io.Copy(io.Discard, answer.Body); n < 100_000 || err != nil {
		t.Errorf("%d bytes of a download, %v", n, err)
	}
	polytest.NoError(t, serve.Process.Signal(os.Interrupt))
	if serve.Wait(); serve.ProcessState.ExitCode() != Interrupted {
		t.Errorf("after Ctrl-C: %v", serve.ProcessState)
	}
}
