package cli

import (
	"bytes"
	"context"
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

	"github.com/polyrhythm-rl/polyrhythm/cli/internal/settings"
	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
)

// asTrain is the variable that makes the test binary run as train.
const asTrain = "POLYTEST_AS_TRAIN"

func TestMain(m *testing.M) {
	if os.Getenv(asTrain) == "1" {
		executeMain(newTrain("train"))
	}
	if what, folder, other := strings.Cut(os.Getenv(asOther), ":"); other {
		exit(others[what](folder))
	}
	if os.Getenv(showsPeak) == "1" {
		code := execute(context.Background(), newTrain("train"), os.Args[1:], os.Stdout, os.Stderr)
		fmt.Println(peak())
		os.Exit(code)
	}
	os.Setenv(settings.FilesVariable, "off") // tests do not depend on whose machine it is
	code := m.Run()
	closeChromium()
	os.Exit(code)
}

// exit ends the process.
func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(Failed)
	}
	os.Exit(Done)
}

// takesLong skips a test with -short, which is a minute of tests in all.
func takesLong(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("it takes seconds of processor time")
	}
}

// start starts train as a process of its own.
func start(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	cmd := process(t, args...)
	polytest.NoError(t, cmd.Start())
	return cmd
}

// killAfter kills a process as kill -9 does, some time after now, and waits for its end. It returns whether it came to
// one of its own before.
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

// killAlong starts train with these arguments n times and kills it, at once and then ever later in the time of the
// fastest that came to its end; before is called before each, after with whether it ended by itself.
func killAlong(t *testing.T, n int, before func(), after func(ended bool), args ...string) {
	t.Helper()
	before()
	startTime := time.Now()
	polytest.NoError(t, start(t, args...).Wait())
	fastest := time.Since(startTime)
	after(true)
	for i := range n {
		before()
		startTime = time.Now()
		ended := killAfter(t, start(t, args...), fastest*time.Duration(i)/time.Duration(n))
		if ended {
			fastest = min(fastest, time.Since(startTime))
		}
		after(ended)
	}
}

// waitForDataset returns when a dataset has been begun in a folder, and the time; or that a minute from now, without
// one.
func waitForDataset(dir string) time.Time {
	for startTime := time.Now(); time.Since(startTime) < time.Minute; time.Sleep(time.Millisecond / 4) {
		if _, err := os.Lstat(filepath.Join(dir, format.DocumentFile)); err == nil {
			break
		}
	}
	return time.Now()
}

// acknowledged counts, without the reader, the rows in the whole lines of a table's journal.
func acknowledged(t *testing.T, dir string) (rows int64) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "data.journal"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); strings.HasSuffix(line, "\n") && f[0] == "batch" {
			n := polytest.Must(strconv.ParseInt(f[4], 10, 64))(t)
			rows += n
		}
	}
	return rows
}

// A rollout is killed at random moments, from its first to its last. After recover every
// acknowledged row is there with its pictures, bit for bit as in an undisturbed run, and the dataset loads.
func TestKilledAtAnyMomentLong(t *testing.T) {
	polytest.OnlySlow(t)
	kills, _ := polytest.Cases(t, 3, 4, 20)
	dir := t.TempDir()
	args := []string{"rollout", "--task", "HalfCheetah-v5", "--set", "worlds=4", "--set", "max_steps=60",
		"--episodes", "48",
		"--set", "sensors=[{name: state, runner: Sensors, sources: [qpos]}, {name: front, runner: Capture, camera: " +
			"{name: track, width: 16, height: 12, kinds: [rgb, depth]}}]", "--policy", "random",
		"--set", "recording.tables=[capture, control, sensors]", "--set", "recording.batch_rows=40", "--out"}
	undisturbed := filepath.Join(dir, "undisturbed")
	cmd := start(t, append(args, undisturbed)...)
	startTime := waitForDataset(undisturbed)
	if !killAfter(t, cmd, time.Minute) || !cmd.ProcessState.Success() {
		t.Fatalf("the undisturbed run ended with %v", cmd.ProcessState)
	}
	took := time.Since(startTime) // for recording

	seen := map[string]int{}
	random := rand.New(rand.NewPCG(1, 2))
	for i := range kills {
		out := filepath.Join(dir, fmt.Sprint(i))
		after := time.Duration(random.Int64N(int64(took) * 19 / 20))
		cmd := start(t, append(args, out)...)
		if startTime = time.Now(); i%8 != 7 { // the others while they start, or soon after
			startTime = waitForDataset(out)
		}
		ended := killAfter(t, cmd, after)
		if ended { // other runs were slower: aim before that
			took = min(took, time.Since(startTime))
		}
		want := map[string]int64{}
		for table, folder := range tableFolders {
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
			if text, err := os.ReadFile(filepath.Join(out, format.DocumentFile)); err == nil &&
				bytes.HasSuffix(text, []byte("}\n")) {
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
		for table, folder := range tableFolders {
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
		polytest.NoError(t, os.RemoveAll(out))
	}
	t.Logf("%d kills: %v", kills, seen)
}

// shardBytes reads the only stream of a table.
func shardBytes(t *testing.T, dir string) []byte {
	t.Helper()
	data := polytest.Must(os.ReadFile(filepath.Join(dir, "data-00000-of-00001.arrow")))(t)
	return data
}

func TestDatasetCommandErrors(t *testing.T) {
	dir := t.TempDir()
	good := filepath.Join(dir, "good")
	mustTrain(t, words("rollout --task quadruped --set worlds=2 --set max_steps=5 --episodes 2 --out "+good)...)
	bad := filepath.Join(dir, "bad")
	polytest.NoError(t, os.CopyFS(bad, os.DirFS(good)))
	shard := filepath.Join(bad, "data-00000-of-00001.arrow")
	data := shardBytes(t, bad)
	data[len(data)-100] ^= 4
	polytest.NoError(t, os.WriteFile(shard, data, 0o666))
	torn := filepath.Join(dir, "torn")
	polytest.NoError(t, os.Mkdir(torn, 0o777))
	polytest.NoError(t, os.WriteFile(filepath.Join(torn, format.DocumentFile), []byte(`{"format_`), 0o666))
	for _, c := range []struct {
		code int
		args string
		want string
	}{
		{Usage, "recover", "no DATASET given, want one"},
		{Usage, "recover " + filepath.Join(dir, "nowhere"), "no such file"},
		{Usage, "inspect " + good + " --from 2s --until 1s --plot x.png", "want --from at least 0 and --until later"},
		{Usage, "inspect " + good + " --episode 1", "--episode is given without --plot, want both"},
		{Usage, "recover " + dir, "is not a dataset, it has no polyrhythm.json"},
		{Failed, "recover " + torn, "polyrhythm.json: it is cut after 9 bytes"},
		{Failed, "inspect " + torn, "polyrhythm.json: it is cut after 9 bytes"},
		{Failed, "recover " + bad, "data-00000-of-00001.arrow: batch at "},
		{Failed, "inspect " + bad, "data-00000-of-00001.arrow: batch at "},
		{Usage, "inspect " + good + " --plot " + filepath.Join(dir, "x.png") + " --episode 9", "episode 9 has no row"},
	} {
		refuses(t, c.code, c.args, c.want)
	}
	if out := mustTrain(t, "recover", good); !strings.HasSuffix(out, "is whole\n") {
		t.Errorf("recover of a whole dataset said %q", out)
	}
	if out := mustTrain(t, "recover", bad, "--cut"); !strings.Contains(out,
		"acknowledged ones are lost: data-00000-of-00001.arrow: batch at ") {
		t.Errorf("recover --cut said %q", out)
	}
	mustTrain(t, "inspect", bad)
	picture := filepath.Join(dir, "x.png")
	mustTrain(t, "inspect", good, "--plot", picture, "--episode", "1", "--until", "80ms")
	if data, err := os.ReadFile(picture); err != nil || !bytes.HasPrefix(data, []byte("\x89PNG")) {
		t.Errorf("--plot wrote %d bytes, %v, want a PNG", len(data), err)
	}
}
