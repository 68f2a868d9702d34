package rundir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/sim/runlog"
)

// The first bytes of files.
const (
	containerMagic = "prhythm\n" // of checkpoints and states
	gifMagic       = "GIF89a"
)

// maxKey is more than the size of a [LiveKeyFile].
const maxKey = 64

// files are those of run folders and of sweeps, see package training/sweep, with what their contents show.
var files = map[string]disk.Judge{
	ConfigFile:      disk.Contains("task:", 1<<16),
	ChangesFile:     disk.BeginsWith("["),
	ReportFile:      disk.HasKeys("status", "task"),
	MetricsFile:     disk.Contains("env_steps", 1<<12),
	EventsFile:      disk.Contains("brain.Event:2", 64),
	EvaluationsFile: disk.Contains("env_steps", 1<<12),
	CurveFile:       disk.BeginsWith(disk.PNG),
	ClipFile:        disk.BeginsWith(gifMagic),
	LatestFile:      disk.LeadsTo(IsCheckpoint),
	BestFile:        disk.LeadsTo(IsCheckpoint),
	StateFile:       disk.BeginsWith(containerMagic),
	LogFile:         ownsLog,
	DriverFile:      disk.BeginsWith(containerMagic),
	TeacherFile:     disk.BeginsWith(containerMagic),
	ClonedFile:      disk.HasKeys("dataset", "digest"),
	SliceFile:       disk.HasKeys("run", "recorded"),
	ScriptFile:      disk.Any,
	ModelFile:       disk.Contains("polyrhythm.adapter", 64),
	RecipeFile:      disk.BeginsWith(containerMagic),
	RegenerateFile:  disk.BeginsWith(containerMagic),
	SweepFile:       disk.HasKeys("plan", "runs"),
	LiveStateFile:   disk.BeginsWith(containerMagic),
	LiveKeyFile:     ownsKey,
	ExamFile:        disk.HasKeys("plan", "versions"),
	ExamJournal:     disk.BeginsWith(`{"cell":`),
	ExamReport:      disk.HasKeys("task", "cells"),
	ExamPage:        disk.Contains("polyrhythm exam", 1<<8),
	ExamJUnit:       disk.Contains("<testsuites>", 1<<8),

	"sweep.csv":   disk.Contains("trial,", 64),
	"sweep.png":   disk.BeginsWith(disk.PNG),
	"best.yaml":   disk.Contains("task:", 1<<16),
	"seeds.csv":   disk.Contains("env_steps", 1<<10),
	"summary.csv": disk.Contains("quantity,", 64),
	"seeds.png":   disk.BeginsWith(disk.PNG),
}

// begunJSON are those of them whose beginning, in a file that is not finished, is all that shows what it is.
var begunJSON = []string{ReportFile, ClonedFile, SliceFile, SweepFile, ExamFile, ExamReport}

// begunText likewise, where the beginning shows nothing.
var begunText = []string{ConfigFile, "sweep.csv", "best.yaml", "seeds.csv", "summary.csv", ExamPage, ExamJUnit}

var (
	runsOfSweep = regexp.MustCompile(`^(trial-\d{3,}|seed-\d+)$`)
	replayFiles = regexp.MustCompile(`^\d{12,}\.rows(\.part)?$`)
	logFiles    = regexp.MustCompile(`^run\.log\.\d+$`)
	cellFiles   = regexp.MustCompile(`^(cell-\d{3,}|limit-\d+)\.yaml$`)
	clipFiles   = regexp.MustCompile(`^episode-\d+\.gif$`)
)

// EpisodeClip returns the name of the file of a drawn episode.
func EpisodeClip(number int64) string { return fmt.Sprintf("episode-%d.gif", number) }

// Owns reports whether an entry of the folder of a run, of a training, a sweep, a rollout or a slice of one, or of a live
// run, is one that it left there, by its name from that folder and its contents. Of an entry in a folder of these, it is
// asked after that. An error of one that is says that it is damaged, else why it cannot be read.
func Owns(run, name string, entry fs.DirEntry) (bool, error) {
	path := filepath.Join(run, name)
	first, rest, below := strings.Cut(filepath.ToSlash(name), "/")
	base, part := strings.CutSuffix(name, disk.Part)
	switch judge := files[base]; {
	case below && first == DatasetFolder:
		return recorder.Owns(filepath.Join(run, first), rest, entry)
	case below && first == ReplayFolder:
		return ownsReplay(path, entry)
	case below && runsOfSweep.MatchString(first):
		return Owns(filepath.Join(run, first), rest, entry)
	case entry.IsDir() && (name == DatasetFolder || name == ReplayFolder || runsOfSweep.MatchString(name)):
		return true, nil
	case !below && IsCheckpoint(base):
		return disk.BeginsWith(containerMagic)(path, entry)
	case clipFiles.MatchString(base):
		return disk.BeginsWith(gifMagic)(path, entry)
	case !below && cellFiles.MatchString(base):
		return disk.Contains("task:", 1<<16)(path, entry)
	case logFiles.MatchString(name):
		return ownsLog(path, entry)
	case judge == nil:
		return recorder.Owns(run, name, entry)
	case part && slices.Contains(begunJSON, base):
		return disk.BeginsWith("{")(path, entry)
	case part && slices.Contains(begunText, base):
		return disk.Any(path, entry)
	default:
		return judge(path, entry)
	}
}

func ownsReplay(path string, entry fs.DirEntry) (bool, error) {
	if !replayFiles.MatchString(entry.Name()) {
		return false, nil
	}
	return disk.Contains(containerMagic, 64)(path, entry)
}

var ownsLog = disk.OrBlank(func(path string, entry fs.DirEntry) (bool, error) {
	if !entry.Type().IsRegular() {
		return false, nil
	}
	return runlog.IsLog(path)
}, len(containerMagic))

func ownsKey(_ string, entry fs.DirEntry) (bool, error) {
	info, err := entry.Info()
	return err == nil && info.Mode().IsRegular() && info.Size() <= maxKey, err
}

// Remove removes what a run wrote into a folder, and the folder if nothing else is in it. Where there is none it does nothing.
func Remove(folder string) error {
	_, err := disk.RemoveKnown(disk.OS{}, folder, Owns)
	return err
}

// Find reports whether the file of this name in a run folder is one of a run, see [Owns], and its size. Where there is none
// it is not.
func Find(folder, name string) (ours bool, size int64, err error) {
	info, err := os.Lstat(filepath.Join(folder, name))
	if errors.Is(err, fs.ErrNotExist) {
		return false, 0, nil
	}
	if err != nil {
		return false, 0, err
	}
	ours, err = Owns(folder, name, fs.FileInfoToDirEntry(info))
	return ours, info.Size(), err
}
