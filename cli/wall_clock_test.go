package cli

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/live/rpc"
	"github.com/polyrhythm-rl/polyrhythm/live/wire"
)

// jumps move the wall clock of a process, in s, each at a change of its files: to before it began, by a century, and
// back.
var jumps = []string{"2:clock:-100000000", "6:clock:3200000000", "9:clock:-3200000000", "12:clock:100000000"}

// jumping returns a function that makes a command whose wall clock jumps as its files below a folder change, and that
// says whether it has. Where the kernel lets nobody have that, the test is skipped.
func jumping(t *testing.T) func(cmd *exec.Cmd, folder string) (jumped func() int) {
	t.Helper()
	faults := filepath.Join(t.TempDir(), "faults")
	if text, err := exec.Command("cc", "-O1", "-o", faults, "../python/tests_chaos/chaos/faults.c").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	try := exec.Command(faults, "-d", t.TempDir(), "-o", os.DevNull, jumps[0], "--", "true")
	if text, err := try.CombinedOutput(); err != nil {
		t.Skipf("no program can be asked for its system calls here: %v %s", err, text)
	}
	return func(cmd *exec.Cmd, folder string) func() int {
		log := filepath.Join(t.TempDir(), "log")
		arguments := append([]string{faults, "-d", folder, "-o", log}, jumps...)
		cmd.Path, cmd.Args = faults, append(append(arguments, "--", cmd.Path), cmd.Args[1:]...)
		return func() int {
			text, _ := os.ReadFile(log)
			return bytes.Count(text, []byte("clock"))
		}
	}
}

// A training whose wall clock jumps by years has the bytes of any other. A live run goes on at its pace, its clients
// keep their sessions, and its log replays.
func TestWallClockThatJumpsLong(t *testing.T) {
	polytest.OnlySlow(t)
	jump := jumping(t)
	folder := t.TempDir()
	k := describedKind(t)
	want, got := filepath.Join(folder, "undisturbed"), filepath.Join(folder, "jumping")
	polytest.NoError(t, process(t, continued(k, want)...).Run())
	cmd := process(t, continued(k, got)...)
	jumped := jump(cmd, got)
	text, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	polytest.Equal(t, jumped(), len(jumps), "jumps of the clock of a training")
	polytest.SameFiles(t, "a training whose clock jumps", results(t, got), results(t, want))

	run := filepath.Join(folder, "live")
	cmd = process(t, "serve", "--out", run, "--task", "quadruped", "--policy", "random", "--listen", "", "--grpc",
		"127.0.0.1:0", "--log-every", "5")
	jumped = jump(cmd, run)
	var said shared
	cmd.Stderr = &said
	polytest.NoError(t, cmd.Start())
	defer cmd.Process.Kill()
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	var address []string
	for address == nil {
		address = regexp.MustCompile(`serving at grpc://(\S+)`).FindStringSubmatch(said.text())
		select {
		case err := <-ended:
			t.Fatalf("it ended with %v: %s", err, said.text())
		case <-time.After(10 * time.Millisecond):
		}
	}
	conn := polytest.Must(grpc.NewClient(address[1], grpc.WithTransportCredentials(insecure.NewCredentials())))(t)
	defer conn.Close()
	name, frames := "", 0
	request := &wire.JoinRequest{Name: "timeless"}
	for visit := range 4 { // with the same session
		f := rpc.Follower{Client: rpc.NewLiveClient(conn), Request: request}
		f.Joined = func(w *wire.Welcome) {
			if request.Session = w.Session; name != "" {
				polytest.Equal(t, w.Client, name, "the name at visit %d", visit)
			}
			name = w.Client
		}
		enough := fmt.Errorf("enough")
		err := f.Follow(t.Context(), func(frame *wire.Frame) error {
			if frames++; frames >= 50*(visit+1) && (visit < 3 || jumped() >= len(jumps)) {
				return enough
			}
			return nil
		})
		polytest.ErrorIs(t, err, enough)
	}
	polytest.NoError(t, cmd.Process.Signal(syscall.SIGINT))
	<-ended
	polytest.Equal(t, cmd.ProcessState.ExitCode(), Interrupted, "the exit code")
	if text := mustTrain(t, "replay", run); !strings.Contains(text, "identical") {
		t.Errorf("replay: %s", text)
	}
}
