package training

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/internal/runlog"
	"github.com/polyrhythm-rl/polyrhythm/rl"
)

// What a run log says of what drove the worlds, in runlog.Header.
const (
	kindTrain   = "train"
	kindRollout = "rollout"
	kindPlay    = "play"

	driverPolicy     = "policy"     // of a rollout: RandomPolicy, ZeroPolicy or one of those below
	driverCheckpoint = "checkpoint" // CRC32C of the file that keeps the policy, if there is one
	driverSteps      = "steps"      // control steps of a rollout that ends by its time
	checkpointPolicy = "checkpoint" // the policy in DriverFile
	scriptPolicy     = "script"     // the policy in ScriptFile

	kernelVersion = "openblas kernel"
)

// logging is the log of a run to be: none where every is 0.
type logging struct {
	every  int64 // control steps from one logged state to the next; 0: no log
	kind   string
	policy string // what acts in a rollout: the kind of a Policy
	driver string // the file of the checkpoint or script that drives the run; ""
}

// copy is the name under which a run's folder keeps what drives it.
func (l *logging) copy() string {
	if l.policy == scriptPolicy {
		return ScriptFile
	}
	return DriverFile
}

// create begins the log of a run in its folder, and keeps there the checkpoint
// that drives it. It returns nil without an error where there is to be no log.
// After an error what it has made is gone.
func (l *logging) create(folder string, config *configs.Config, opt env.OpenOptions) (_ *runlog.Log, err error) {
	if l.every == 0 {
		return nil, nil
	}
	h := env.LogHeader(config, opt)
	h.Kind, h.Every, h.Driver = l.kind, l.every, map[string]string{}
	h.Versions[kernelVersion] = rl.Kernel()
	if l.policy != "" {
		h.Driver[driverPolicy] = l.policy
	}
	if opt.Steps > 0 {
		h.Driver[driverSteps] = strconv.FormatInt(opt.Steps, 10)
	}
	var driver []byte
	if l.driver != "" {
		if driver, err = os.ReadFile(l.driver); err != nil {
			return nil, err
		}
		h.Driver[driverCheckpoint] = checksum(driver)
	}
	// The log comes first: of two runs into one folder it refuses the second, which then touches nothing.
	path := filepath.Join(folder, LogFile)
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o666)
	if err != nil {
		return nil, fmt.Errorf("run log: %w", err)
	}
	log, err := runlog.Create(f, h)
	if err != nil {
		return nil, errors.Join(err, f.Close(), os.Remove(path))
	}
	if l.driver == "" {
		return log, nil
	}
	err = disk.Replace(disk.OS{}, filepath.Join(folder, l.copy()), false, func(w io.Writer) error {
		_, err := w.Write(driver)
		return err
	})
	if err != nil {
		return nil, errors.Join(err, log.Close(), os.Remove(path))
	}
	return log, nil
}

func checksum(data []byte) string {
	return fmt.Sprintf("%08x", crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli)))
}
