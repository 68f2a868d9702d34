package training

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/rl"
)

// writeCheckpoint writes the bytes of a checkpoint to a file named after its steps, and links
// latest to it. If the process is killed at any point, latest links to a whole checkpoint,
// this one or the one before.
func writeCheckpoint(fsys disk.FS, folder string, envSteps int64, data []byte) error {
	name := checkpointName(envSteps)
	err := disk.Replace(fsys, filepath.Join(folder, name), true, disk.Bytes(data))
	if err == nil {
		err = disk.ReplaceLink(fsys, name, filepath.Join(folder, LatestFile))
	}
	if err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	return nil
}

func checkpointName(envSteps int64) string { return fmt.Sprintf("checkpoint-%012d.ckpt", envSteps) }

func isCheckpoint(name string) bool {
	return strings.HasPrefix(name, "checkpoint-") && strings.HasSuffix(name, ".ckpt")
}

// Checkpoint is a learner's state, read from a file.
type Checkpoint struct {
	*rl.Checkpoint
	Path string // of the file; for a run folder, of its latest checkpoint

	contents []byte // of the file
}

// ReadCheckpoint reads the checkpoint at path or, if path is a run folder, its latest checkpoint. After
// [configs.Builtin], path is the name of a policy that the program has itself, one of [configs.Policies].
func ReadCheckpoint(path string) (*Checkpoint, error) {
	contents, path, err := readCheckpointFile(path)
	if err != nil {
		return nil, err
	}
	return parseCheckpoint(path, contents)
}

func parseCheckpoint(path string, contents []byte) (*Checkpoint, error) {
	c, err := rl.ReadCheckpoint(bytes.NewReader(contents))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &Checkpoint{c, path, contents}, nil
}

// runFolder is the folder of the run that wrote the checkpoint at path, which may be that folder; "" for a policy that
// the program has itself.
func runFolder(path string) string {
	if isBuiltin(path) {
		return ""
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return path
	}
	return filepath.Dir(path)
}

func isBuiltin(path string) bool { return strings.HasPrefix(path, configs.Builtin) }

// readCheckpointFile returns the contents and the path of the file that ReadCheckpoint reads.
func readCheckpointFile(path string) ([]byte, string, error) {
	if isBuiltin(path) {
		contents, err := configs.Policy(strings.TrimPrefix(path, configs.Builtin))
		return contents, path, asUsage(err)
	}
	folder := ""
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		folder, path = path, filepath.Join(path, LatestFile)
	}
	contents, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		why := ", want a run folder or the file of a checkpoint"
		if _, run := os.Lstat(filepath.Join(folder, MetricsFile)); folder != "" && run == nil {
			why = ": its run ended before the first one"
		}
		if folder != "" && isUnbegun(folder) {
			why = ": its run was killed before it began, and begins anew with the same command, without --resume"
		}
		if folder != "" {
			err = &disk.Missing{Path: path, Text: folder + " holds no checkpoint" + why}
		}
		return nil, "", asUsage(err)
	}
	return contents, path, err
}
