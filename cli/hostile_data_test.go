package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

// table is a folder with streams, whose journal names their messages, line by line: kind, shard, offset, length, rows,
// episodes and checksums of the message and of the line.
type table struct {
	dir     string
	streams []string
	lines   [][]string // of the journal, without its header
	header  string
}

func openTable(t *testing.T, dir string) *table {
	text := string(polytest.Must(os.ReadFile(filepath.Join(dir, "data.journal")))(t))
	header, rest, _ := strings.Cut(text, "\n")
	b := &table{dir: dir, header: header + "\n", streams: polytest.Must(filepath.Glob(filepath.Join(dir, "data-*.arrow")))(t)}
	for line := range strings.Lines(rest) {
		b.lines = append(b.lines, strings.Fields(line))
	}
	return b
}

// seal writes the journal with right checksums of messages and lines, and what is made of it.
func (b *table) seal(t *testing.T) {
	var journal strings.Builder
	for _, fields := range b.lines {
		if stream := polytest.Must(os.ReadFile(b.streams[0]))(t); len(fields) == 8 {
			offset, _ := strconv.ParseInt(fields[2], 10, 64)
			length, _ := strconv.ParseInt(fields[3], 10, 64)
			if offset >= 0 && length >= 0 && length <= int64(len(stream)) && offset <= int64(len(stream))-length {
				fields[6] = fmt.Sprintf("%08x", crc32.Checksum(stream[offset:offset+length], format.Castagnoli))
			}
		}
		line := strings.Join(fields[:len(fields)-1], " ")
		fmt.Fprintf(&journal, "%s %08x\n", line, crc32.Checksum([]byte(line), format.Castagnoli))
	}
	polytest.NoError(t, os.WriteFile(filepath.Join(b.dir, "data.journal"), []byte(b.header+journal.String()), 0o600))
	sum := sha256.Sum256([]byte(journal.String()))
	state := filepath.Join(b.dir, "state.json")
	text := regexp.MustCompile(`"_fingerprint": "[0-9a-f]*"`).ReplaceAll(polytest.Must(os.ReadFile(state))(t),
		[]byte(`"_fingerprint": "`+hex.EncodeToString(sum[:8])+`"`))
	polytest.NoError(t, os.WriteFile(state, text, 0o600))
}

var hostileNumbers = []string{"0", "1", "-1", "8", "255", "65536", "2147483647", "2147483648", "4294967295", "1099511627776",
	"9223372036854775807", "-9223372036854775808"}

// change changes something in a table, and says what.
func (b *table) change(t *testing.T, r *rand.Rand) (what string) {
	if r.IntN(4) == 0 {
		line, field := r.IntN(len(b.lines)), 1+r.IntN(5)
		b.lines[line][field] = hostileNumbers[r.IntN(len(hostileNumbers))]
		return fmt.Sprintf("line %d of the journal is %v", line, b.lines[line])
	}
	data := polytest.Must(os.ReadFile(b.streams[0]))(t)
	for range 1 + r.IntN(3) {
		fields := b.lines[r.IntN(len(b.lines))]
		at := polytest.Must(strconv.Atoi(fields[2]))(t)
		at = min(at+r.IntN(600), len(data)-1) // more often what describes a message
		if r.IntN(3) == 0 {
			at = r.IntN(len(data))
		}
		number := make([]byte, 8)
		if value, _ := strconv.ParseUint(hostileNumbers[r.IntN(len(hostileNumbers))], 10, 64); value > 0 {
			for k := range number {
				number[k] = byte(value >> (8 * k))
			}
		}
		copy(data[at&^3:], number[:4<<r.IntN(2)])
		what += fmt.Sprintf("%x at %d, ", number, at)
	}
	polytest.NoError(t, os.WriteFile(b.streams[0], data, 0o600))
	return what
}

// files lists what there is below a folder, but for what is below others.
func files(t *testing.T, root string, others ...string) (found []string) {
	polytest.NoError(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if slices.Contains(others, path) {
			return fs.SkipDir
		}
		found = append(found, path)
		return err
	}))
	return found
}

// A dataset that says anything under right checksums is read or refused in one line, in little memory, and nothing is
// written outside the folder that was asked for.
func TestHostileDatasetsLong(t *testing.T) {
	polytest.LimitMemory(t, 4<<30)
	cases, _ := polytest.Cases(t, 10, 40, 1000) // each command stays in memory, by cobra's map of completions
	root := t.TempDir()
	data := filepath.Join(root, "a", "data")
	mustTrain(t, "rollout", "--task", "HalfCheetah-v5", "--policy", "random", "--episodes", "2", "--set", "worlds=2",
		"--set", "max_steps=20", "--set", "recording.batch_rows=16", "--out", data)
	for i := range cases {
		r := rand.New(rand.NewPCG(9, uint64(i)))
		copied, out := filepath.Join(root, "b", "c", "copied"), filepath.Join(root, "b", "out")
		polytest.NoError(t, os.RemoveAll(filepath.Join(root, "b")))
		polytest.NoError(t, os.CopyFS(copied, os.DirFS(data)))
		changed := openTable(t, []string{copied, copied, filepath.Join(copied, format.EpisodesTable)}[r.IntN(3)])
		what := changed.change(t, r)
		changed.seal(t)
		before := files(t, root, copied)
		for _, args := range [][]string{
			{"inspect", copied},
			{"export", copied, "--to", []string{"csv", "parquet", "hf", "lerobot", "mcap"}[r.IntN(5)], "--out", out},
			{"recover", copied},
		} {
			code, _, errs := train(t, args...)
			if wrong := code != 0 && code != Failed && code != Usage; wrong || code != 0 && strings.Count(errs, "\n") != 1 {
				t.Errorf("case %d, %s: train %s: exit %d: %s\nwant one line", i, what, args[0], code, errs)
			}
		}
		if after := files(t, root, copied, out); !slices.Equal(after, before) {
			t.Errorf("case %d, %s: files are %q, want %q", i, what, after, before)
		}
	}
}

// What is no file, in place of one that a command reads, is refused at once.
func TestWhatIsNoFileIsRefused(t *testing.T) {
	polytest.LimitMemory(t, 4<<30)
	root := t.TempDir()
	data := filepath.Join(root, "data")
	mustTrain(t, "rollout", "--task", "HalfCheetah-v5", "--policy", "random", "--episodes", "2", "--set", "worlds=2",
		"--set", "max_steps=20", "--out", data)
	slice := func(worlds, out string) string {
		mustTrain(t, "rollout", "--task", "HalfCheetah-v5", "--episodes", "2", "--set", "worlds=2", "--set", "block_size=1", "--set",
			"max_steps=20", "--slice", worlds, "--out", filepath.Join(root, out))
		return filepath.Join(root, out)
	}
	first, second := slice("0:1", "first"), slice("1:2", "second")
	run := filepath.Join(root, "run")
	mustTrain(t, append([]string{"run", "--task", "HalfCheetah-v5", "--set", "recording.enabled=false", "--out", run}, small...)...)
	live := serveHere(t, "--paused")
	live.stop()
	pipe := filepath.Join(root, "pipe.csv")
	polytest.NoError(t, syscall.Mkfifo(pipe, 0o600))
	refused := func(path, name string, args ...string) {
		t.Helper()
		if code, _, errs := train(t, args...); code == 0 || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, name) {
			t.Errorf("%s for %s: train %s: exit %d: %s\nwant one line that names it", path, name, args[0], code, errs)
		}
	}
	for _, path := range []string{"/dev/zero", pipe} {
		copied, out := filepath.Join(root, "copied"), filepath.Join(root, "out")
		for _, c := range []struct {
			folder string
			name   string
			args   []string
		}{
			{live.out, rundir.LiveStateFile, []string{"serve", "--resume", copied, "--listen", "", "--grpc", "127.0.0.1:0"}},
			{live.out, rundir.LiveKeyFile, []string{"serve", "--resume", copied, "--listen", "", "--grpc", "127.0.0.1:0"}},
			{live.out, rundir.LogFile, []string{"replay", copied}},
			{second, rundir.SliceFile, []string{"merge", first, copied, "--out", out}},
			{data, rundir.RecipeFile, []string{"regenerate", copied, "--out", out}},
			{data, rundir.LogFile, []string{"replay", copied}},
			{run, rundir.ReportFile, []string{"verify", copied}},
			{run, rundir.ConfigFile, []string{"verify", copied}},
			{run, rundir.LatestFile, []string{"eval", copied}},
		} {
			polytest.NoError(t, os.RemoveAll(copied))
			polytest.NoError(t, exec.Command("cp", "-a", c.folder, copied).Run()) // with the links of a run
			polytest.NoError(t, os.Remove(filepath.Join(copied, c.name)))
			polytest.NoError(t, os.Symlink(path, filepath.Join(copied, c.name)))
			refused(path, c.name, c.args...)
		}
		for _, name := range []string{format.DocumentFile, "data.journal", "state.json", "dataset_info.json",
			"data-00000-of-00001.arrow"} {
			polytest.NoError(t, os.RemoveAll(copied))
			polytest.NoError(t, os.CopyFS(copied, os.DirFS(data)))
			polytest.NoError(t, os.Remove(filepath.Join(copied, name)))
			polytest.NoError(t, os.Symlink(path, filepath.Join(copied, name)))
			refused(path, name, "export", copied, "--to", "csv", "--out", out)
		}
		// Checkpoints, policies and configurations of other files, certificates, and tables.
		refused(path, path, "export-policy", path, "--to", "onnx", "--out", filepath.Join(root, "x.onnx"))
		refused(path, path, "rollout", "--task", "HalfCheetah-v5", "--policy", path, "--episodes", "1", "--out",
			filepath.Join(root, "out"))
		refused(path, path, "serve", "--task", "HalfCheetah-v5", "--cert", path, "--key", path)
		refused(path, path, "serve", "--task", "HalfCheetah-v5", "--tokens", path)
	}
}
