package training

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/rl"
	"github.com/polyrhythm-rl/polyrhythm/sim"
	"github.com/polyrhythm-rl/polyrhythm/training/internal/logs"
	"github.com/polyrhythm-rl/polyrhythm/training/internal/usage"
	"github.com/polyrhythm-rl/polyrhythm/training/policies"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

// TeacherGroup is the group of the observation that a teacher reads; without it that is what the student reads.
const TeacherGroup = "teacher"

// teacher is a policy from which another learns, and what it reads of an observation.
type teacher struct {
	*rl.Policy
	columns sim.Group
	scratch []*rl.Scratch // by worker
	seen    [][]float64   // likewise: what a block shows the teacher
}

// copyTeacher copies the teacher that a training begins with to its folder.
func copyTeacher(checkpoint *rundir.Checkpoint, folder string) error {
	return disk.Replace(disk.OS{}, filepath.Join(folder, rundir.TeacherFile), true, disk.Bytes(checkpoint.Contents))
}

// teacherChecksum is that of the teacher in a run folder; "" for a run that has none.
func teacherChecksum(c *configs.Config, folder string) (string, error) {
	if c.Training.Algorithm != rl.AlgorithmDistill {
		return "", nil
	}
	path := filepath.Join(folder, rundir.TeacherFile)
	contents, err := disk.ReadFile(path, disk.MaxWhole)
	if errors.Is(err, fs.ErrNotExist) {
		return "", usage.Errorf("%s is not there, want the teacher that the run learns from", path)
	}
	return logs.Checksum(contents), err
}

// openTeacher opens the teacher in a run folder for the worlds of an env.
func openTeacher(ctx context.Context, folder string, e *env.Env) (*teacher, error) {
	c, err := rundir.ReadCheckpoint(filepath.Join(folder, rundir.TeacherFile))
	if err != nil {
		return nil, err
	}
	spec := e.Sim().Spec()
	groups := spec.AllGroups()
	t := &teacher{Policy: c.Policy().Narrow(), columns: groups[0]}
	if i := slices.IndexFunc(groups, func(g sim.Group) bool { return g.Name == TeacherGroup }); i >= 0 {
		t.columns = groups[i]
	}
	if err := t.fits(ctx, c, spec); err != nil {
		return nil, usage.Errorf("the teacher: %w", err)
	}
	for range e.Sim().Workers() {
		t.scratch = append(t.scratch, t.NewScratch())
		t.seen = append(t.seen, make([]float64, rl.PanelHeight*t.columns.Size))
	}
	return t, nil
}

// fits returns an error unless the teacher reads what its group shows, by names where there are any, and acts as the
// student does.
func (t *teacher) fits(ctx context.Context, c *rundir.Checkpoint, spec sim.Spec) error {
	if err := policies.CheckActions(t.Action(), t.Choices(), spec); err != nil {
		return err
	}
	switch {
	case t.State() > 0:
		return errors.New("it has a memory, want one without")
	case t.Observation() != t.columns.Size:
		return fmt.Errorf("it reads %d values, and the group %s of the observation has %d: want as many, in a group %s",
			t.Observation(), t.columns.Name, t.columns.Size, TeacherGroup)
	case spec.ObservationNames == nil:
		return nil
	}
	config, err := configs.Parse(c.Path, []byte(c.User), nil, nil)
	if err != nil {
		return err
	}
	teacherSpec, err := specOf(ctx, config)
	if err != nil {
		return err
	}
	shown := spec.ObservationNames[t.columns.First:][:t.columns.Size]
	for i, name := range teacherSpec.ObservationNames[min(c.Policy().Reads().First, len(teacherSpec.ObservationNames)):] {
		if i < len(shown) && name != strings.TrimPrefix(shown[i], TeacherGroup+"/") {
			return fmt.Errorf("it reads %s as value %d, want that in place of %s in the group %s", name, i, shown[i],
				t.columns.Name)
		}
	}
	for i, name := range teacherSpec.ActionNames {
		if i < len(spec.ActionNames) && name != spec.ActionNames[i] {
			return fmt.Errorf("its action value %d is %s, want %s as in %s", i, name, spec.ActionNames[i], spec.Name)
		}
	}
	return nil
}

// specOf opens a world of a configuration and describes its task.
func specOf(ctx context.Context, config *configs.Config) (spec sim.Spec, err error) {
	one := *config
	one.Worlds, one.Recording.Enabled = 1, false
	e, err := env.Open(&one, env.OpenOptions{Context: ctx, Workers: 1})
	if err != nil {
		return spec, err
	}
	return e.Sim().Spec(), e.Close()
}

// Teach implements [rl.Teacher].
func (t *teacher) Teach(worker int, b rl.Block, dst []float32) error {
	all, size := b.Observations(), t.columns.Size
	stride := len(all) / b.Len()
	seen := t.seen[worker][:b.Len()*size]
	for i := range b.Len() {
		copy(seen[i*size:(i+1)*size], all[i*stride+t.columns.First:])
	}
	if err := t.Act(dst, seen, nil, b.First(), t.scratch[worker]); err != nil {
		return fmt.Errorf("the teacher: %w", err)
	}
	return nil
}
