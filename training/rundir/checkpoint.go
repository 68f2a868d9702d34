package rundir

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/internal/container"
	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/rl"
	"github.com/polyrhythm-rl/polyrhythm/training/internal/usage"
)

// CheckpointName returns the name of the file of a checkpoint after so many environment steps.
func CheckpointName(envSteps int64) string { return fmt.Sprintf("checkpoint-%012d.ckpt", envSteps) }

// IsCheckpoint reports whether a file of this name in a run folder is a checkpoint.
func IsCheckpoint(name string) bool {
	return strings.HasPrefix(name, "checkpoint-") && strings.HasSuffix(name, ".ckpt")
}

// Checkpoint is a learner's state, read from a file.
type Checkpoint struct {
	*rl.Checkpoint
	Path string // of the file; for a run folder, of its latest checkpoint

	Contents []byte // of the file
}

// ReadCheckpoint reads the checkpoint at path or, if path is a run folder, its latest checkpoint. After
// [configs.Builtin], path is the name of a policy that the program has itself, one of [configs.Policies].
func ReadCheckpoint(path string) (*Checkpoint, error) {
	contents, file, err := ReadCheckpointFile(path)
	if err != nil {
		return nil, err
	}
	c, err := ParseCheckpoint(file, contents)
	if file == path {
		err = usage.MarkKind(err)
	}
	return c, err
}

// ParseCheckpoint reads a checkpoint from the contents of its file, which it keeps. Errors name the path.
func ParseCheckpoint(path string, contents []byte) (*Checkpoint, error) {
	c, err := rl.ReadCheckpoint(bytes.NewReader(contents))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &Checkpoint{c, path, contents}, nil
}

// runFolder is the folder of the run that wrote the checkpoint at path, which may be that folder; "" for a policy that
// the program has itself.
func runFolder(path string) string {
	if IsBuiltin(path) {
		return ""
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return path
	}
	return filepath.Dir(path)
}

// IsBuiltin reports whether path names a policy that the program has itself.
func IsBuiltin(path string) bool { return strings.HasPrefix(path, configs.Builtin) }

// ReadCheckpointFile returns the contents and the path of the file that ReadCheckpoint reads.
func ReadCheckpointFile(path string) ([]byte, string, error) {
	if IsBuiltin(path) {
		contents, err := configs.Policy(strings.TrimPrefix(path, configs.Builtin))
		return contents, path, usage.Mark(err)
	}
	folder := ""
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		folder, path = path, filepath.Join(path, LatestFile)
	}
	contents, err := disk.ReadKind(path, container.Magic, disk.MaxWhole)
	if errors.Is(err, fs.ErrNotExist) {
		why := ", want a run folder or the file of a checkpoint"
		if _, run := os.Lstat(filepath.Join(folder, MetricsFile)); folder != "" && run == nil {
			why = ": its run ended before the first one"
		}
		if folder != "" && IsUnbegun(folder) {
			why = ": its run was killed before it began, and begins anew with the same command, without --resume"
		}
		if folder != "" {
			err = &disk.Missing{Path: path, Text: folder + " holds no checkpoint" + why}
		}
		return nil, "", usage.Mark(err)
	}
	if errors.Is(err, syscall.ENOTDIR) {
		err = usage.Mark(err)
	}
	return contents, path, err
}

// Evaluation returns what the run of a checkpoint says of its policy; nil if it says nothing.
func (c *Checkpoint) Evaluation() *Evaluation {
	folder := runFolder(c.Path)
	if folder == "" {
		return nil
	}
	if report, err := ReadReport(folder); err == nil && report.EnvSteps == c.EnvSteps && report.Evaluation != nil {
		return report.Evaluation
	}
	text, err := disk.ReadFile(filepath.Join(folder, EvaluationsFile), disk.MaxWhole)
	if err != nil {
		return nil // as of a checkpoint that was copied
	}
	all, _ := ReadEvaluations(bytes.NewReader(text))
	for i := range all {
		if all[i].EnvSteps == c.EnvSteps {
			return &all[i].Evaluation
		}
	}
	return nil
}
