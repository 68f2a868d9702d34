package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/fanout"
)

// A server and its clients in processes of their own measure one another, in rounds.
func TestBenchLive(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var problems bytes.Buffer
	run := exec.Command(self, "bench", "live", "--task", "quadruped", "--clients", "1,3", "--stuck", "2", "--rounds", "1", "--seconds", "1", "--format", "json")
	run.Env = append(os.Environ(), asTrain+"=1")
	run.Stderr = &problems
	out, err := run.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, problems.String())
	}
	var results []fanout.Result
	if err := json.Unmarshal(out, &results); err != nil {
		t.Fatal(err)
	}
	if len(results) != 4 || results[0].Clients != 1 || results[3].Clients != 3 || results[3].Subject != "quadruped, beside 2 that never read" {
		t.Fatalf("results are %s, want those of 1 and 3 clients, alone and beside others", out)
	}
	for _, r := range results {
		for _, times := range []fanout.Times{r.Sync, r.Ack, r.Seen, r.Join} {
			if times.N == 0 || !(0 < times.P50 && times.P50 <= times.P95 && times.P95 <= times.P99) {
				t.Errorf("with %d clients: %+v", r.Clients, r)
			}
		}
		if !(r.BytesPerTick > 50 && r.BytesPerTick < 400) {
			t.Errorf("%v B a tick", r.BytesPerTick)
		}
	}
}

func TestBenchLiveUsage(t *testing.T) {
	for args, want := range map[string]string{
		"--clients 0":            "--clients has 0, want 1 to 500",
		"--rounds 0":             "--rounds is 0, want 1 to 1000",
		"--stuck -1":             "--stuck is -1, want 0 to 500",
		"--seconds 0":            "--seconds is 0, want 0.1 to 3600",
		"--colyseus /nowhere":    "run npm install in /nowhere",
		"--set worlds=2":         "worlds is 2, want 1",
		"clients 127.0.0.1 x 1":  "expected integer",
		"clients 127.0.0.1 1000": "accepts between 3 and 4 arg",
	} {
		var stdout, stderr bytes.Buffer
		line := append([]string{"bench", "live"}, strings.Fields(args)...)
		if !strings.HasPrefix(args, "clients") {
			line = append(line, "--task", "quadruped")
		}
		if code := Run(context.Background(), line, &stdout, &stderr); code != Usage || !strings.Contains(stderr.String(), want) {
			t.Errorf("%s: exit code %d, %s; want %d and %q", args, code, stderr.String(), Usage, want)
		}
	}
}
