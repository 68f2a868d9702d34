package logs

import (
	"cmp"
	"errors"
	"fmt"
	"hash/crc32"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/rl/nn"
	"github.com/polyrhythm-rl/polyrhythm/sim/runlog"
	"github.com/polyrhythm-rl/polyrhythm/training/policies"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

// The values of runlog.Header.Kind, and the keys and values of its Driver.
const (
	KindTrain   = "train"
	KindRollout = "rollout"
	KindPlay    = "play"
	KindLive    = env.LiveKind

	DriverPolicy     = "policy"     // key: policies.Policy.Kind
	DriverCheckpoint = "checkpoint" // key: CRC32C of the copied checkpoint or script, if there is one
	DriverTeacher    = "teacher"    // key: CRC32C of TeacherFile, if there is one
	DriverSteps      = "steps"      // key: control steps of a rollout with an end in seconds

	KernelVersion    = "openblas kernel"
	ProcessorVersion = "processor"
)

// Logging is how a run is logged.
type Logging struct {
	Every  int64 // control steps from one logged state to the next; 0: no log
	Kind   string
	Policy string // the kind of the rollout's Policy; "" for a training

	Teacher string // Checksum of TeacherFile; "" without

	Contents []byte // of the checkpoint or script that drives the run, if any

	Log *runlog.Log // set by create; nil: none
}

// New is how a run that a policy drives is logged, every so many control steps.
func New(kind string, every int64, p *policies.Policy) Logging {
	return Logging{Every: every, Kind: kind, Policy: p.Kind(), Contents: p.Contents()}
}

// DriverCopy is the name of the copy, in the run folder, of the file of a kind of policy.
func DriverCopy(kind string) string {
	switch kind {
	case policies.Script:
		return rundir.ScriptFile
	case policies.ONNX:
		return rundir.ModelFile
	}
	return rundir.DriverFile
}

// Marker is the first file of a run, without disk.Part, see unbegun.
func (l *Logging) Marker() string {
	if l.Kind == KindLive {
		return rundir.LiveStateFile
	}
	return rundir.RecipeFile
}

// Create creates the log of a run in its folder, and beside it a copy of the checkpoint
// or script that drives the run; of a run that goes on it continues the log from a position.
// It returns nil, nil if l.every is 0; a rollout has the copy all the same. After an error it leaves no new log.
func (l *Logging) Create(folder string, config *configs.Config, opt env.OpenOptions,
	position *runlog.Position) (*runlog.Log, error) {
	if l.Every == 0 && l.Kind != KindRollout {
		return nil, nil
	}
	h := l.Header(config, opt)
	if l.Every == 0 {
		return nil, l.copyDriver(folder)
	}
	path := filepath.Join(folder, rundir.LogFile)
	if position != nil {
		f, err := disk.Change(path)
		if err != nil {
			return nil, err
		}
		if err = (disk.Beginning{Bytes: position.Bytes, CRC32C: position.CRC32C}).Check(f); err == nil {
			l.Log, err = runlog.Continue(f, h, *position)
		}
		if err != nil {
			return nil, errors.Join(fmt.Errorf("%s: %w", path, err), f.Close())
		}
		return l.Log, nil
	}
	// The log comes first: if it exists already, nothing in the folder is touched.
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o666)
	if err != nil {
		return nil, fmt.Errorf("run log: %w", err)
	}
	if l.Log, err = runlog.Create(f, h); err != nil {
		return nil, errors.Join(err, f.Close(), os.Remove(path))
	}
	if err = l.copyDriver(folder); err != nil {
		return nil, errors.Join(err, l.Log.Close(), os.Remove(path))
	}
	return l.Log, nil
}

// copyDriver writes the copy of what drives the run, if anything does.
func (l *Logging) copyDriver(folder string) error {
	if l.Contents == nil {
		return nil
	}
	return disk.Replace(disk.OS{}, filepath.Join(folder, DriverCopy(l.Policy)), true, disk.Bytes(l.Contents))
}

// Header returns the header of the log.
func (l *Logging) Header(config *configs.Config, opt env.OpenOptions) runlog.Header {
	h := env.LogHeader(config, opt)
	h.Kind, h.Every, h.Driver = l.Kind, l.Every, map[string]string{}
	h.Actions = l.Kind == KindLive
	h.Versions[KernelVersion] = nn.Kernel()
	if l.Policy != "" {
		h.Driver[DriverPolicy] = l.Policy
	}
	if l.Teacher != "" {
		h.Driver[DriverTeacher] = l.Teacher
	}
	if opt.Steps > 0 {
		h.Driver[DriverSteps] = strconv.FormatInt(opt.Steps, 10)
	}
	if l.Contents != nil {
		h.Driver[DriverCheckpoint] = Checksum(l.Contents)
	}
	return h
}

// Checksum returns the CRC32C of data in hexadecimal.
func Checksum(data []byte) string {
	return fmt.Sprintf("%08x", crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli)))
}

// Mismatch says in which way a slice is not of the same run as another one; "" if it is.
func Mismatch(a, b runlog.Header, mixed bool) string {
	facts := func(h runlog.Header) []string {
		var list []string
		for _, fact := range []struct {
			format string
			value  any
		}{
			{"the kind %s", h.Kind}, {"the seed %d", h.Seed}, {"%d worlds", h.Worlds}, {"blocks of %d worlds", h.BlockSize},
			{"an end after %d episodes", h.Episodes},
			{"an end after %s control steps", cmp.Or(h.Driver[DriverSteps], "0")},
			{"the policy %s", h.Driver[DriverPolicy]},
			{"a policy file with CRC32C %s", cmp.Or(h.Driver[DriverCheckpoint], "none")},
			{"%d steps of training before it", h.StepOffset},
			{"a model with digest %s", cmp.Or(h.Model, "none")},
		} {
			list = append(list, fmt.Sprintf(fact.format, fact.value))
		}
		for _, name := range slices.Sorted(maps.Keys(h.Versions)) {
			if !mixed || name != ProcessorVersion && name != KernelVersion {
				list = append(list, fmt.Sprintf("%s %s", name, h.Versions[name]))
			}
		}
		for line := range strings.Lines(h.Configuration) {
			list = append(list, fmt.Sprintf("the line %q in its configuration", strings.TrimRight(line, "\n")))
		}
		return list
	}
	if own, theirs, differ := runlog.FirstDifference(facts(a), facts(b)); differ {
		return fmt.Sprintf("it has %s, the other has %s", own, theirs)
	}
	return ""
}

// Steps returns the control steps after which a run ends; 0 if it has no such end.
func Steps(h runlog.Header) (int64, error) {
	text, ok := h.Driver[DriverSteps]
	if !ok {
		return 0, nil
	}
	return strconv.ParseInt(text, 10, 64)
}

// ReadDriver returns the path and the contents of the copy of the checkpoint or script, by the kind of a Policy, that
// drove the run in a folder; nil if there is none. It fails if the file has changed.
func ReadDriver(folder string, h runlog.Header, kind string) (path string, contents []byte, err error) {
	want, ok := h.Driver[DriverCheckpoint]
	if !ok {
		return "", nil, nil
	}
	path = filepath.Join(folder, DriverCopy(kind))
	if contents, err = disk.ReadFile(path, disk.MaxWhole); err != nil {
		return "", nil, err
	}
	if got := Checksum(contents); got != want {
		return "", nil, fmt.Errorf("%s has CRC32C %s, the run log says %s: it is not the %s of the run", path, got, want, kind)
	}
	return path, contents, nil
}

// ReadPolicy opens the policy that drove the run in a folder.
func ReadPolicy(folder string, h runlog.Header) (*policies.Policy, error) {
	kind := h.Driver[DriverPolicy]
	path, contents, err := ReadDriver(folder, h, kind)
	if err != nil {
		return nil, err
	}
	return policies.Parse(kind, path, contents)
}

// OtherVersions says of each version that this program has another one.
func OtherVersions(want map[string]string) (all []string) {
	versions := Versions()
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if versions[name] != want[name] {
			all = append(all, fmt.Sprintf("%s %s, this is %s", name, want[name], versions[name]))
		}
	}
	return all
}

// Versions returns the versions of everything on which the bits of a run depend.
func Versions() map[string]string {
	all := env.LogHeader(&configs.Config{}, env.OpenOptions{}).Versions
	all[KernelVersion] = nn.Kernel()
	return all
}
