package rundir

import (
	"fmt"
	"path/filepath"

	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/sim/runlog"
)

// ChangedModel returns a warning if a model has another digest, see env.Env.ModelDigest,
// than the one of the run to which the checkpoint at path belongs; "" if it has not, or
// where that is not known. path may also be the run's folder.
func ChangedModel(path, digest string) string {
	folder := runFolder(path)
	if folder == "" {
		return ""
	}
	if recorded := modelOf(folder); recorded != "" && digest != "" && recorded != digest {
		return fmt.Sprintf("the model has changed since the run of %s: its digest is %s, that of the run's was %s",
			path, digest, recorded)
	}
	return ""
}

// modelOf returns the digest of a run's model from its report or, without one, its log; "" if neither has it.
func modelOf(folder string) string {
	if report, err := ReadReport(folder); err == nil && report.Model != "" {
		return report.Model
	}
	f, err := disk.Open(filepath.Join(folder, LogFile))
	if err != nil {
		return ""
	}
	defer f.Close()
	log, err := runlog.NewReader(f)
	if err != nil {
		return ""
	}
	return log.Header().Model
}
