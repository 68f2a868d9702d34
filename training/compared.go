package training

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/rl"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

// compared are the files of a training that its replay makes again, in memory.
type compared struct {
	training *training
	folder   string
	left     []string // checkpoints that are not compared yet
	count    int      // files that were compared

	metrics []byte // of the file, what is not compared yet; nil: there is none
	cut     bool   // it ended before the newest iteration
	table   *rl.MetricsWriter
	lines   bytes.Buffer // of table, since the last comparison
}

// openCompared compares what there is before the first iteration of a training.
func openCompared(folder string, t *training) (*compared, error) {
	c := &compared{training: t, folder: folder}
	path := filepath.Join(folder, rundir.ConfigFile)
	switch data, err := disk.ReadFile(path, configs.MaxFile); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, err
	default:
		config, err := configs.Parse(path, data, nil, nil)
		if err != nil {
			return nil, err
		}
		if !bytes.Equal(data, config.YAML()) || portable(config) != t.user {
			return nil, fmt.Errorf("%s is not the configuration of the run, which its log has", path)
		}
		c.count++
	}
	var err error
	if c.left, err = checkpointsIn(folder); err != nil {
		return nil, err
	}
	if c.metrics, err = disk.ReadFile(filepath.Join(folder, rundir.MetricsFile), disk.MaxWhole); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if c.metrics != nil {
		c.count++
	}
	c.table = rl.NewMetricsWriter(&c.lines, true, infoColumns(t.env.Sim().Spec().InfoNames)...)
	return c, c.checkpoint()
}

func (c *compared) compare(m rl.Metrics) error {
	t := c.training
	if err := c.table.Write(m, t.infos.Means(len(t.env.Sim().Spec().InfoNames))...); err != nil {
		return err
	}
	rest, same := bytes.CutPrefix(c.metrics, c.lines.Bytes())
	switch {
	case same:
		c.metrics = rest
	case bytes.HasPrefix(c.lines.Bytes(), c.metrics): // the run ended in the update, or was killed
		c.metrics, c.cut = nil, c.cut || c.metrics != nil
	default:
		return fmt.Errorf("%s differs in iteration %d", filepath.Join(c.folder, rundir.MetricsFile), m.Iteration)
	}
	c.lines.Reset()
	return c.checkpoint()
}

// checkpoint compares the checkpoint of the newest iteration, if there is one.
func (c *compared) checkpoint() error {
	name := rundir.CheckpointName(c.training.learner.EnvSteps())
	i := slices.Index(c.left, name)
	if i < 0 {
		return nil
	}
	path := filepath.Join(c.folder, name)
	data, err := disk.ReadFile(path, disk.MaxWhole)
	if err != nil {
		return err
	}
	repeated, err := c.training.encodeLearner()
	if err != nil {
		return err
	}
	if !bytes.Equal(data, repeated) {
		return fmt.Errorf("%s differs from what the run made", path)
	}
	if c.cut {
		return fmt.Errorf("%s ends before %s", filepath.Join(c.folder, rundir.MetricsFile), name)
	}
	c.left, c.count = slices.Delete(c.left, i, i+1), c.count+1
	return nil
}

// end returns an error if there is more than the run made.
func (c *compared) end() error {
	switch {
	case len(c.metrics) > 0:
		return fmt.Errorf("%s goes on after the end of the run", filepath.Join(c.folder, rundir.MetricsFile))
	case len(c.left) > 0:
		return fmt.Errorf("%s is of no iteration of the run", filepath.Join(c.folder, c.left[0]))
	}
	return nil
}
