package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
)

// asTrain is the variable that makes the test binary run as train.
const asTrain = "POLYTEST_AS_TRAIN"

func TestMain(m *testing.M) {
	if os.Getenv(asTrain) == "1" {
		executeMain(newTrain("train"))
	}
	if args := os.Getenv(asSoakClient); args != "" {
		runSoakClient(args)
		return
	}
	code := m.Run()
	closeChromium()
	os.Exit(code)
}

// start starts train as a process of its own.
func start(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	cmd := process(t, args...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd
}

// killAfter kills a process as kill -9 does, some time after now, and waits for its end. It returns whether it came to one
// of its own before.
func killAfter(t *testing.T, cmd *exec.Cmd, after time.Duration) (ended bool) {
	t.Helper()
	timer := time.AfterFunc(after, func() { cmd.Process.Kill() })
	defer timer.Stop()
	err := cmd.Wait()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.Exited()
}

// waitForDataset returns when a dataset has been begun in a folder, and the time; or that a minute from now, without one.
func waitForDataset(dir string) time.Time {
	for begin := time.Now(); time.Since(begin) < time.Minute; time.Sleep(time.Millisecond / 4) {
		if _, err := os.Lstat(filepath.Join(dir, format.DocumentFile)); err == nil {
			break
		}
	}
	return time.Now()
}

// acknowledged counts, without the reader, the rows in the whole lines of a table's
// journal.
func acknowledged(t *testing.T, dir string) (rows int64) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "data.journal"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); strings.HasSuffix(line, "\n") && f[0] == "batch" {
			n, err := strconv.ParseInt(f[4], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			rows += n
		}
	}
	return rows
}

// A rollout is killed at random moments, from its first to its last. After recover every
// acknowledged row is there, bit for bit as in an undisturbed run, and the dataset loads.
// POLYTEST_KILLS sets the number of moments.
func TestKilledAtAnyMoment(t *testing.T) {
	kills := 12
	if text := os.Getenv("POLYTEST_KILLS"); text != "" {
		var err error
		if kills, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	dir := t.TempDir()
	args := []string{"rollout", "--task", "quadruped", "--set", "worlds=4", "--set", "max_steps=60", "--episodes", "48",
		"--set", "recording.tables=[capture, control, sensors]", "--set", "recording.batch_rows=40", "--out"}
	undisturbed := filepath.Join(dir, "undisturbed")
	cmd := start(t, append(args, undisturbed)...)
	begun := waitForDataset(undisturbed)
	if !killAfter(t, cmd, time.Minute) || !cmd.ProcessState.Success() {
		t.Fatalf("the undisturbed run ended with %v", cmd.ProcessState)
	}
	took := time.Since(begun) // for recording

	tables := map[string]string{"capture": ".", "control": "control", "sensors": "sensors", "episodes": "episodes"}
	seen := map[string]int{}
	random := rand.New(rand.NewPCG(uint64(begun.UnixNano()), 0))
	for i := range kills {
		out := filepath.Join(dir, fmt.Sprint(i))
		after := time.Duration(random.Int64N(int64(took) * 19 / 20))
		cmd := start(t, append(args, out)...)
		if begun = time.Now(); i%8 != 7 { // the others while they start, or soon after
			begun = waitForDataset(out)
		}
		ended := killAfter(t, cmd, after)
		if ended { // other runs were slower: aim before that
			took = min(took, time.Since(begun))
		}
		want := map[string]int64{}
		for table, folder := range tables {
			want[table] = acknowledged(t, filepath.Join(out, folder))
		}
		what := fmt.Sprintf("killed after %v of %v, with %v rows acknowledged", after, took, want)
		_, err := os.Stat(filepath.Join(out, "state.json"))
		finished := err == nil

		if i%2 == 1 { // the recovery, too
			killAfter(t, start(t, "recover", out), time.Duration(random.Int64N(int64(60*time.Millisecond))))
		}
		command := []string{"recover", "inspect"}[i/2%2]
		code, stdout, stderr := train(t, command, out)
		switch {
		case ended != finished && ended:
			t.Fatalf("%s: it ended without a state.json", what)
		case code != Done:
			// Only a run that had recorded nothing may leave nothing to recover.
			if text, err := os.ReadFile(filepath.Join(out, format.DocumentFile)); err == nil && bytes.HasSuffix(text, []byte("}\n")) {
				t.Fatalf("%s: %s ended with %d: %s", what, command, code, stderr)
			}
			seen["before the dataset"]++
			continue
		case finished:
			seen["after its end"]++
		default:
			seen["while recording"]++
			if i%2 == 0 && !strings.Contains(stdout+stderr, "is recovered") {
				t.Errorf("%s: %s said nothing of a recovery: %q, %q", what, command, stdout, stderr)
			}
		}
		d, err := recorder.Open(out)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		for table, folder := range tables {
			if n, err := d.Rows(table); err != nil || n != want[table] {
				t.Errorf("%s: table %s has %d rows, %v", what, table, n, err)
			}
			got, whole := shardBytes(t, filepath.Join(out, folder)), shardBytes(t, filepath.Join(undisturbed, folder))
			if end := len(got) - 8; !bytes.HasPrefix(whole, got[:end]) { // 8 bytes end a stream
				t.Errorf("%s: table %s is no beginning of the undisturbed one", what, table)
			}
		}
		if code, _, stderr := train(t, "inspect", out); code != Done {
			t.Errorf("%s: inspected: %s", what, stderr)
		}
		if t.Failed() {
			t.FailNow()
		}
		if err := os.RemoveAll(out); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d kills: %v", kills, seen)
}

// shardBytes reads the only stream of a table.
func shardBytes(t *testing.T, dir string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "data-00000-of-00001.arrow"))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestDatasetCommandErrors(t *testing.T) {
	dir := t.TempDir()
	good := filepath.Join(dir, "good")
	mustTrain(t, "rollout", "--task", "quadruped", "--set", "worlds=2", "--set", "max_steps=5", "--episodes", "2", "--out", good)
	bad := filepath.Join(dir, "bad")
	if err := os.CopyFS(bad, os.DirFS(good)); err != nil {
		t.Fatal(err)
	}
	shard := filepath.Join(bad, "data-00000-of-00001.arrow")
	data := shardBytes(t, bad)
	data[len(data)-100] ^= 4
	if err := os.WriteFile(shard, data, 0o666); err != nil {
		t.Fatal(err)
	}
	torn := filepath.Join(dir, "torn")
	if err := os.Mkdir(torn, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(torn, format.DocumentFile), []byte(`{"format_`), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		code int
		args []string
		want string
	}{
		{Usage, []string{"recover"}, "no DATASET given, want one"},
		{Usage, []string{"recover", filepath.Join(dir, "nowhere")}, "no such file"},
		{Usage, []string{"inspect", good, "--from", "2s", "--until", "1s", "--plot", "x.png"}, "want --from at least 0 and --until later"},
		{Usage, []string{"inspect", good, "--episode", "1"}, "--episode: want --plot FILE.png with it"},
		{Failed, []string{"recover", dir}, "is not a dataset, it has no polyrhythm.json"},
		{Failed, []string{"recover", torn}, "polyrhythm.json: it is cut after 9 bytes"},
		{Failed, []string{"inspect", torn}, "polyrhythm.json: it is cut after 9 bytes"},
		{Failed, []string{"recover", bad}, "data-00000-of-00001.arrow: batch at "},
		{Failed, []string{"inspect", bad}, "data-00000-of-00001.arrow: batch at "},
		{Failed, []string{"inspect", good, "--plot", filepath.Join(dir, "x.png"), "--episode", "9"}, "episode 9 has no row"},
	} {
		code, _, errs := train(t, c.args...)
		if code != c.code || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, c.want) {
			t.Errorf("%q: got exit %d and %q; want exit %d and one line with %q", c.args, code, errs, c.code, c.want)
		}
	}
	if out := mustTrain(t, "recover", good); !strings.HasSuffix(out, "is whole\n") {
		t.Errorf("recover of a whole dataset said %q", out)
	}
	if out := mustTrain(t, "recover", bad, "--cut"); !strings.Contains(out, "acknowledged ones are lost: data-00000-of-00001.arrow: batch at ") {
		t.Errorf("recover --cut said %q", out)
	}
	mustTrain(t, "inspect", bad)
	picture := filepath.Join(dir, "x.png")
	mustTrain(t, "inspect", good, "--plot", picture, "--episode", "1", "--until", "80ms")
	if data, err := os.ReadFile(picture); err != nil || !bytes.HasPrefix(data, []byte("\x89PNG")) {
		t.Errorf("--plot wrote %d bytes, %v, want a PNG", len(data), err)
	}
}
