package training

import (
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"strconv"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/rl"
	"github.com/polyrhythm-rl/polyrhythm/sim/runlog"
)

// The values of runlog.Header.Kind, and the keys and values of its Driver.
const (
	kindTrain   = "train"
	kindRollout = "rollout"
	kindPlay    = "play"
	kindLive    = env.LiveKind

	driverPolicy     = "policy"     // key: RandomPolicy, ZeroPolicy, checkpointPolicy or scriptPolicy
	driverCheckpoint = "checkpoint" // key: CRC32C of the copied checkpoint or script, if there is one
	driverTeacher    = "teacher"    // key: CRC32C of TeacherFile, if there is one
	driverSteps      = "steps"      // key: control steps of a rollout with an end in seconds
	checkpointPolicy = "checkpoint" // the policy in DriverFile
	scriptPolicy     = "script"     // the policy in ScriptFile

	kernelVersion    = "openblas kernel"
	processorVersion = "processor"
)

type logging struct {
	every  int64 // control steps from one logged state to the next; 0: no log
	kind   string
	policy string // the kind of the rollout's Policy; "" for a training

	teacher string // checksum of TeacherFile; "" without

	contents []byte // of the checkpoint or script that drives the run, if any

	log *runlog.Log // set by create; nil: none
}

// copyOf is the name of the copy, in the run folder, of the file of a kind of policy.
func copyOf(kind string) string {
	if kind == scriptPolicy {
		return ScriptFile
	}
	return DriverFile
}

// marker is the first file of a run, without disk.Part, see unbegun.
func (l *logging) marker() string {
	if l.kind == kindLive {
		return LiveStateFile
	}
	return RecipeFile
}

// create creates the log of a run in its folder, and beside it a copy of the checkpoint
// or script that drives the run; of a run that goes on it continues the log from a position.
// It returns nil, nil if l.every is 0; a rollout has the copy all the same. After an error it leaves no new log.
func (l *logging) create(folder string, config *configs.Config, opt env.OpenOptions,
	position *runlog.Position) (*runlog.Log, error) {
	if l.every == 0 && l.kind != kindRollout {
		return nil, nil
	}
	h := l.header(config, opt)
	if l.every == 0 {
		return nil, l.copyDriver(folder)
	}
	path := filepath.Join(folder, LogFile)
	if position != nil {
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			return nil, err
		}
		if err = (disk.Beginning{Bytes: position.Bytes, CRC32C: position.CRC32C}).Check(f); err == nil {
			l.log, err = runlog.Continue(f, h, *position)
		}
		if err != nil {
			return nil, errors.Join(fmt.Errorf("%s: %w", path, err), f.Close())
		}
		return l.log, nil
	}
	// The log comes first: if it exists already, nothing in the folder is touched.
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o666)
	if err != nil {
		return nil, fmt.Errorf("run log: %w", err)
	}
	if l.log, err = runlog.Create(f, h); err != nil {
		return nil, errors.Join(err, f.Close(), os.Remove(path))
	}
	if err = l.copyDriver(folder); err != nil {
		return nil, errors.Join(err, l.log.Close(), os.Remove(path))
	}
	return l.log, nil
}

// copyDriver writes the copy of what drives the run, if anything does.
func (l *logging) copyDriver(folder string) error {
	if l.contents == nil {
		return nil
	}
	return disk.Replace(disk.OS{}, filepath.Join(folder, copyOf(l.policy)), false, disk.Bytes(l.contents))
}

// header returns the header of the log.
func (l *logging) header(config *configs.Config, opt env.OpenOptions) runlog.Header {
	h := env.LogHeader(config, opt)
	h.Kind, h.Every, h.Driver = l.kind, l.every, map[string]string{}
	h.Actions = l.kind == kindLive
	h.Versions[kernelVersion] = rl.Kernel()
	if l.policy != "" {
		h.Driver[driverPolicy] = l.policy
	}
	if l.teacher != "" {
		h.Driver[driverTeacher] = l.teacher
	}
	if opt.Steps > 0 {
		h.Driver[driverSteps] = strconv.FormatInt(opt.Steps, 10)
	}
	if l.contents != nil {
		h.Driver[driverCheckpoint] = checksum(l.contents)
	}
	return h
}

// checksum returns the CRC32C of data in hexadecimal.
func checksum(data []byte) string {
	return fmt.Sprintf("%08x", crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli)))
}
