// Package catalog lists what runs left on the disk: trainings, sweeps, live runs and datasets. It only reads, but for
// [Removal.Remove].
package catalog

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/polyrhythm-rl/polyrhythm/internal/curve"
	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

// The kinds of a [Run].
const (
	Training = "training"
	Sweep    = "sweep"   // several trainings, by keys or seeds
	Exam     = "exam"    // of a policy
	Live     = "live"    // a run of train serve, or of train play with a log
	Dataset  = "dataset" // a rollout, a merged or a converted dataset
)

// The states of a [Run], beside those of a training's report such as rundir.StatusDone.
const (
	Running = "running" // a process holds the lock on its folder
	Stopped = "stopped" // no process holds it, and the run is not done: it was killed, or can go on
	Damaged = "damaged" // a run of which something cannot be read, see Run.Problem
)

// Run is what one run left in its folder. Values that the folder does not say are zero, or NaN.
type Run struct {
	Path     string
	Kind     string             // Training, Sweep, Exam, Live or Dataset
	Task     string             // of its worlds
	Steps    int64              // environment steps of a training
	State    string             // Running, Stopped or that of the report
	Return   float64            // mean return: of the last evaluation or, without one, of the last iteration with an episode's end
	Bytes    int64              // of all files in the folder
	Recorded int64              // bytes of these that are in the dataset of a training
	Changed  time.Time          // the newest change of a file
	Infos    map[string]float64 // of the final evaluation of a training
	Problem  error              // why it is damaged; nil of any other run

	curve curve.Named // of a training, for [Draw]
}

// List returns the runs in the folder root and in those below it, by path. Folders whose names begin with a dot are
// left out, and so is what lies inside of a run. Links are not followed. The folder itself may be a run. One that is damaged
// is listed with its problem, and so is a folder that cannot be read, which is of no kind.
func List(root string) ([]Run, error) {
	var runs []Run
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist) && path != root: // removed since its folder was read
			return nil
		case err != nil && path == root && entry == nil:
			return err
		case err != nil: // WalkDir calls once more for a folder that it cannot read
			if n := len(runs); n == 0 || runs[n-1].Path != path {
				runs = append(runs, Run{Path: path, State: Damaged, Return: math.NaN(), Problem: err})
			}
			return nil
		case !entry.IsDir():
			return nil
		case path != root && strings.HasPrefix(entry.Name(), "."):
			return fs.SkipDir
		}
		run, err := Open(path)
		if err != nil && run.Problem == nil {
			return nil
		}
		runs = append(runs, run)
		return fs.SkipDir
	})
	return runs, err
}

var errNoRun = errors.New("no run")

// Open returns the run in a folder, by what its files contain. It fails if the folder holds none. Of a damaged run it returns
// what can be read, with its problem, which is the error too.
func Open(path string) (Run, error) {
	r := Run{Path: path, Return: math.NaN()}
	info, err := os.Stat(path)
	if err != nil {
		return r, err
	}
	if !info.IsDir() {
		return r, fmt.Errorf("%s is a file and %w, want the folder of a run", path, errNoRun)
	}
	r.Changed = info.ModTime()
	found := contents{folder: path}
	switch {
	case found.begun(rundir.SweepFile):
		r.Kind = Sweep
	case found.begun(rundir.ExamFile):
		r.Kind = Exam
		err = r.readExam(found.has(rundir.ExamReport))
	case found.begun(rundir.StateFile), found.filled(rundir.MetricsFile), found.has(rundir.ReportFile):
		r.Kind = Training
		err = r.readTraining()
	case found.begun(rundir.LiveStateFile):
		r.Kind = Live
	case found.has(format.DocumentFile):
		r.Kind = Dataset
		err = r.readDataset()
	case found.begun(rundir.RecipeFile), found.begun(rundir.RegenerateFile):
		r.Kind, r.State = Dataset, Stopped
	case found.filled(rundir.LogFile):
		r.Kind = Live
	case found.failed != nil:
		r.Problem, r.State = found.failed, Damaged
		return r, r.Problem
	default:
		return r, fmt.Errorf("%s holds %w", path, errNoRun)
	}
	r.Problem = cmp.Or(err, found.failed, found.damaged, r.measure())
	if r.Problem != nil {
		r.State = Damaged
	}
	if disk.Locked(path) {
		r.State = Running
	}
	return r, r.Problem
}

// contents answers what the files in a folder are.
type contents struct {
	folder          string
	failed, damaged error // of the first file of a run that cannot be read, or is damaged
}

// find reports whether the file of a name is of a run, and its size.
func (c *contents) find(name string) (ours bool, size int64) {
	ours, size, err := rundir.Find(c.folder, name)
	if err != nil && ours && c.damaged == nil {
		c.damaged = err
	}
	if err != nil && !ours && c.failed == nil {
		c.failed = err
	}
	return ours, size
}

func (c *contents) has(name string) bool {
	ours, _ := c.find(name)
	return ours
}

// filled is has for a file that other programs, too, leave empty.
func (c *contents) filled(name string) bool {
	ours, size := c.find(name)
	return ours && size > 0
}

// begun is has for the first file of a run, which it may have begun to write.
func (c *contents) begun(name string) bool { return c.has(name) || c.has(name+disk.Part) }

// readTraining reads what the files of a training say. A run that goes on writes them meanwhile.
func (r *Run) readTraining() error {
	r.State = Stopped
	var config struct {
		Task struct {
			Name string `yaml:"name"`
		} `yaml:"task"`
	}
	text, err := disk.ReadFile(filepath.Join(r.Path, rundir.ConfigFile), disk.MaxText)
	if err == nil {
		err = yaml.Unmarshal(text, &config)
	}
	if err == nil {
		r.Task = config.Task.Name
	} else if !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: %w", filepath.Join(r.Path, rundir.ConfigFile), err)
	}
	r.curve.Name = r.Path
	if r.curve.Points, err = readCurve(filepath.Join(r.Path, rundir.MetricsFile)); err != nil {
		return err
	}
	if r.curve.Evaluations, err = readCurve(filepath.Join(r.Path, rundir.EvaluationsFile)); err != nil {
		return err
	}
	for _, p := range r.curve.Points {
		r.Steps = p.EnvSteps
		if !math.IsNaN(p.Return) {
			r.Return = p.Return
		}
	}
	report, err := rundir.ReadReport(r.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	r.Task, r.State, r.Steps = report.Task, report.Status, max(r.Steps, report.EnvSteps)
	if report.Evaluation != nil {
		r.Return, r.Infos = report.Evaluation.MeanReturn, report.Evaluation.Infos
	}
	return nil
}

// Draw draws the learning curves of trainings, as [Open] read them, into one picture, a PNG file that it replaces. What
// evaluations on the way reached are dots.
func Draw(file string, runs []Run) error {
	curves := make([]curve.Named, len(runs))
	for i, r := range runs {
		curves[i] = r.curve
	}
	return curve.DrawNamed(file, curves)
}

// readCurve returns the learning curve in a file, as far as it has whole lines; nil if there is no such file.
func readCurve(path string) ([]curve.Point, error) {
	text, err := disk.ReadFile(path, disk.MaxWhole)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	whole := strings.LastIndexByte(string(text), '\n') + 1
	points, err := curve.Read(strings.NewReader(string(text[:whole])))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return points, nil
}

// readExam reads what an exam says of itself once it is over.
func (r *Run) readExam(over bool) error {
	if r.State = Stopped; !over {
		return nil
	}
	var report struct {
		Task string `json:"task"`
	}
	r.State = rundir.StatusDone
	err := disk.ReadJSON(filepath.Join(r.Path, rundir.ExamReport), &report)
	r.Task = report.Task
	return err
}

// readDataset reads what a dataset says of its run.
func (r *Run) readDataset() error {
	if doc, _, err := format.ReadDocument(r.Path); err == nil {
		r.Task = doc.Metadata.Task
	}
	switch _, err := recorder.Open(r.Path); {
	case err == nil:
		r.State = rundir.StatusDone
	case errors.Is(err, recorder.ErrUnfinished):
		r.State = Stopped
	default:
		return err
	}
	return nil
}

// measure reads the sizes of all files in the folder, and the time of the newest change.
func (r *Run) measure() error {
	dataset := filepath.Join(r.Path, rundir.DatasetFolder) + string(filepath.Separator)
	return filepath.WalkDir(r.Path, func(path string, entry fs.DirEntry, err error) error {
		var info fs.FileInfo
		if err == nil {
			info, err = entry.Info()
		}
		if errors.Is(err, fs.ErrNotExist) { // removed meanwhile
			return nil
		}
		if err != nil {
			return err
		}
		if info.Mode().IsRegular() {
			r.Bytes += info.Size()
			if r.Kind == Training && strings.HasPrefix(path, dataset) {
				r.Recorded += info.Size()
			}
		}
		if info.ModTime().After(r.Changed) {
			r.Changed = info.ModTime()
		}
		return nil
	})
}

// Orders are the names of what [Sort] sorts by.
var Orders = []string{"name", "task", "steps", "state", "return", "size", "age"}

// Sort sorts runs by one of [Orders], the smallest first and NaN last; those that are equal by path.
func Sort(runs []Run, order string) error {
	compare, ok := map[string]func(a, b Run) int{
		"name":  func(a, b Run) int { return 0 },
		"task":  func(a, b Run) int { return strings.Compare(a.Task, b.Task) },
		"steps": func(a, b Run) int { return int(min(max(a.Steps-b.Steps, -1), 1)) },
		"state": func(a, b Run) int { return strings.Compare(a.State, b.State) },
		"return": func(a, b Run) int {
			switch {
			case a.Return < b.Return, math.IsNaN(b.Return) && !math.IsNaN(a.Return):
				return -1
			case a.Return > b.Return, math.IsNaN(a.Return) && !math.IsNaN(b.Return):
				return 1
			}
			return 0
		},
		"size": func(a, b Run) int { return int(min(max(a.Bytes-b.Bytes, -1), 1)) },
		"age":  func(a, b Run) int { return b.Changed.Compare(a.Changed) },
	}[order]
	if !ok {
		return fmt.Errorf("order %q, want one of %s", order, strings.Join(Orders, ", "))
	}
	slices.SortFunc(runs, func(a, b Run) int {
		if c := compare(a, b); c != 0 {
			return c
		}
		return strings.Compare(a.Path, b.Path)
	})
	return nil
}
