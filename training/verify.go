package training

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/rl"
	"github.com/polyrhythm-rl/polyrhythm/rl/nn"
	"github.com/polyrhythm-rl/polyrhythm/training/internal/logs"
	"github.com/polyrhythm-rl/polyrhythm/training/internal/usage"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

const tenths = 10

// iterationsUpTo is how many iterations come before the end of a tenth of them.
func iterationsUpTo(d *rundir.Digests, part int) int { return d.Iterations * part / tenths }

// digestsOf returns the digests of a training that has ended. Its checkpoint counts without the configuration, which
// has paths.
func digestsOf(folder string, learner rl.Learner) (*rundir.Digests, error) {
	checkpoint := sha256.New()
	if err := learner.Checkpoint(checkpoint, ""); err != nil {
		return nil, err
	}
	metrics, err := disk.ReadFile(filepath.Join(folder, rundir.MetricsFile), disk.MaxWhole)
	if err != nil {
		return nil, err
	}
	var source cloneSource
	if err := disk.ReadJSON(filepath.Join(folder, rundir.ClonedFile), &source); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	evaluations, err := disk.ReadFile(filepath.Join(folder, rundir.EvaluationsFile), disk.MaxWhole)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	lines := bytes.SplitAfter(metrics, []byte("\n"))
	d := &rundir.Digests{Checkpoint: fmt.Sprintf("%x", checkpoint.Sum(nil)), Iterations: len(lines) - 2, // less the header
		Dataset: source.Digest}
	for part, end, line := 1, 0, 0; part <= tenths; part++ {
		for ; line < 1+iterationsUpTo(d, part); line++ {
			end += len(lines[line])
		}
		d.Metrics = append(d.Metrics, logs.Checksum(metrics[:end]))
	}
	if len(evaluations) > 0 {
		d.Evaluations = logs.Checksum(evaluations)
	}
	return d, nil
}

// differenceOf says where another training differs from that of d; "" if it does not.
func differenceOf(d, other *rundir.Digests) string {
	if d.Iterations != other.Iterations {
		return fmt.Sprintf("it has %d iterations, want %d", other.Iterations, d.Iterations)
	}
	for part := range min(len(d.Metrics), len(other.Metrics)) {
		if d.Metrics[part] != other.Metrics[part] {
			return fmt.Sprintf("%s differs first in iterations %d to %d of %d", rundir.MetricsFile, iterationsUpTo(d, part)+1,
				iterationsUpTo(d, part+1), d.Iterations)
		}
	}
	if d.Evaluations != "" && d.Evaluations != other.Evaluations {
		return fmt.Sprintf("%s differs: its checksum is %s, want %s", rundir.EvaluationsFile, other.Evaluations, d.Evaluations)
	}
	if d.Checkpoint != other.Checkpoint {
		return fmt.Sprintf("the digest of the final checkpoint is %s, want %s", other.Checkpoint, d.Checkpoint)
	}
	return ""
}

// Verified is a training that was done again.
type Verified struct {
	*rundir.Report        // of the new one, whose folder is gone
	Differs        string // where it differs from the first; "" if it is identical
}

// Verify trains again, in a temporary folder, what a report is about, and compares their digests. The configuration
// must be that of the report; its number of workers does not matter. It fails where the result cannot be the same: with
// another kernel of OpenBLAS, or if the report is of a run that did not begin from its configuration alone or has not
// ended. note is called with each version that differs from the report's and can change bits.
func Verify(ctx context.Context, config *configs.Config, want *rundir.Report, progress func(TrainProgress),
	note func(string)) (v Verified, err error) {
	switch {
	case want.Digests == nil:
		return v, usage.Errorf("the report has no digests, want that of a training that is done and began from its "+
			"configuration alone; its status is %q", want.Status)
	case len(want.Digests.Metrics) != tenths || want.Digests.Iterations < 0:
		return v, usage.Errorf("the report is damaged: digests of %d parts of %d iterations, want %d parts",
			len(want.Digests.Metrics), want.Digests.Iterations, tenths)
	case want.Seed != config.Seed:
		return v, usage.Errorf("the seed of the configuration is %d, that of the report %d", config.Seed, want.Seed)
	case want.BLASKernel != nn.Kernel():
		return v, usage.Errorf("the run was made with OpenBLAS's kernel %s, this process uses %s: set OPENBLAS_CORETYPE=%s",
			want.BLASKernel, nn.Kernel(), want.BLASKernel)
	}
	if dataset := config.Training.Dataset; want.Digests.Dataset != "" {
		if _, err := openUnchanged(dataset, want.Digests.Dataset); err != nil {
			return v, err
		}
	}
	for _, other := range logs.OtherVersions(want.Versions) {
		note("the run was made with " + other)
	}
	folder, err := os.MkdirTemp("", "polyrhythm-verify-")
	if err != nil {
		return v, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	v.Report, err = Train(ctx, config, TrainOptions{Folder: folder, Progress: progress, Warn: note})
	if err != nil {
		return v, err
	}
	v.Differs = differenceOf(want.Digests, v.Digests)
	return v, nil
}

// ReportIn returns the report of a named result in a file of results, by seed and, if it is not "", by kernel of
// OpenBLAS, with the result's configuration.
func ReportIn(path, name string, seed uint64, kernel string) (*rundir.Report, *Result, error) {
	results := map[string]*Result{}
	if err := disk.ReadJSON(path, &results); err != nil {
		return nil, nil, err
	}
	result, known := results[name]
	if !known || result == nil {
		return nil, nil, usage.Errorf("%s has no result %q, want one of %q", path, name, slices.Sorted(maps.Keys(results)))
	}
	var seeds []string
	for i := range result.Runs {
		r := &result.Runs[i]
		if r.Seed == seed && (kernel == "" || r.BLASKernel == kernel) {
			return r, result, nil
		}
		seeds = append(seeds, fmt.Sprintf("%d with %s", r.Seed, r.BLASKernel))
	}
	return nil, nil, usage.Errorf("%s has no run of %s with the seed %d and the kernel %q, want one of %q", path, name, seed,
		kernel, seeds)
}

// Result is a line of a table of results, from which each of its runs can be made again.
type Result struct {
	Configuration string          `json:"configuration"` // path of the file, from the folder of the results
	Set           []string        `json:"set"`           // settings in place of the file's, KEY=VALUE
	Runs          []rundir.Report `json:"runs"`
}
