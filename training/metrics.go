package training

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/gif"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/internal/curve"
	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/rl"
	"github.com/polyrhythm-rl/polyrhythm/training/internal/runs"
	"github.com/polyrhythm-rl/polyrhythm/training/internal/tfevents"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

const infoPrefix = "info/"

// metrics writes what a training reports of itself: [rundir.MetricsFile], with evaluations on the way
// [rundir.EvaluationsFile] and, unless switched off, [rundir.EventsFile]. The events also hold the evaluations.
type metrics struct {
	csv         *grown
	evaluations *grown // nil: there are none

	table  *rl.MetricsWriter
	file   *grown           // of events; nil: switched off
	events *tfevents.Writer // likewise
	infos  []string         // columns after those of rl.Metrics
}

func infoColumns(infos []string) (columns []string) {
	for _, name := range infos {
		columns = append(columns, infoPrefix+name)
	}
	return columns
}

// grown is a file that grows, and knows what it has.
type grown struct {
	*os.File
	done disk.Beginning
}

// Write implements [io.Writer].
func (g *grown) Write(p []byte) (int, error) {
	n, err := g.File.Write(p)
	g.done.Add(p[:n])
	return n, err
}

// synced forces a file to the disk and returns what it has; nothing for nil.
func (g *grown) synced() (disk.Beginning, error) {
	if g == nil {
		return disk.Beginning{}, nil
	}
	return g.done, g.Sync()
}

// openMetrics creates the files in a folder or, of a run that goes on, cuts them to what its
// State says of them; it then also returns the curve so far. infos names the infos of the task, and evaluates says
// whether there are evaluations on the way.
func openMetrics(folder string, infos []string, tensorBoard, evaluates bool, saved *runs.TrainingState) (m *metrics,
	points []curve.Point, err error) {
	m = &metrics{infos: infoColumns(infos)}
	defer func(opened *metrics) {
		if err != nil {
			m, err = nil, errors.Join(err, opened.close())
		}
	}(m)
	begins := saved == nil
	if begins {
		saved = &runs.TrainingState{}
	}
	if m.csv, err = openCut(filepath.Join(folder, rundir.MetricsFile), begins, saved.Metrics); err != nil {
		return nil, nil, err
	}
	if points, err = curve.Read(io.NewSectionReader(m.csv, 0, saved.Metrics.Bytes)); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", m.csv.Name(), err)
	}
	m.table = rl.NewMetricsWriter(m.csv, saved.Metrics.Bytes == 0, m.infos...)
	if evaluates {
		if m.evaluations, err = openCut(filepath.Join(folder, rundir.EvaluationsFile), begins, saved.Evaluations); err != nil {
			return nil, nil, err
		}
	}
	if !tensorBoard {
		return m, points, nil
	}
	if m.file, err = openCut(filepath.Join(folder, rundir.EventsFile), begins, saved.Events); err != nil {
		return nil, nil, err
	}
	if begins {
		m.events, err = tfevents.Create(m.file, time.Now())
	} else {
		m.events = tfevents.Continue(m.file)
	}
	return m, points, err
}

// openCut opens a file to write at its end, which it creates or else cuts to what it must have.
func openCut(path string, create bool, done disk.Beginning) (*grown, error) {
	if create {
		f, err := os.Create(path)
		if err != nil {
			return nil, err
		}
		return &grown{File: f}, nil
	}
	f, err := disk.Change(path)
	if err != nil {
		return nil, err
	}
	if err = done.Check(f); err != nil {
		err = fmt.Errorf("%s: %w", path, err)
	} else {
		err = f.Truncate(done.Bytes)
	}
	if err == nil {
		_, err = f.Seek(done.Bytes, io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &grown{f, done}, nil
}

// write adds an iteration. infos are the means of the episodes that ended in it.
func (m *metrics) write(it rl.Metrics, infos []float64, stepsPerS float64) error {
	if err := m.table.Write(it, infos...); err != nil {
		return err
	}
	if m.events == nil {
		return nil
	}
	names, values := it.Columns()
	for i, name := range names {
		names[i] = "train/" + name
	}
	names, values = append(names, m.infos...), append(values, infos...)
	return m.events.Write(time.Now(), it.EnvSteps, append(names, "train/steps_per_s"), append(values, stepsPerS))
}

// columns returns the metrics of an iteration with the names of their columns.
func (m *metrics) columns(it rl.Metrics, infos []float64) (names []string, values []float64) {
	names, values = it.Columns()
	return append(names, m.infos...), append(values, infos...)
}

// readEvaluations returns those that are in the file.
func (m *metrics) readEvaluations() (all []rundir.Intermediate, err error) {
	if m.evaluations != nil {
		all, err = rundir.ReadEvaluations(io.NewSectionReader(m.evaluations, 0, m.evaluations.done.Bytes))
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", m.evaluations.Name(), err)
	}
	return all, err
}

// writeIntermediate adds an evaluation on the way.
func (m *metrics) writeIntermediate(i *rundir.Intermediate) error {
	if err := rundir.WriteEvaluation(m.evaluations, i, m.evaluations.done.Bytes == 0); err != nil {
		return err
	}
	return m.writeEvaluation(i.EnvSteps, &i.Evaluation)
}

func (m *metrics) writeEvaluation(envSteps int64, e *rundir.Evaluation) error {
	if m.events == nil {
		return nil
	}
	tags := []string{"evaluation/mean_return", "evaluation/std_return", "evaluation/min_return", "evaluation/max_return",
		"evaluation/mean_length"}
	return m.events.Write(time.Now(), envSteps, tags,
		[]float64{e.MeanReturn, e.StdReturn, e.MinReturn, e.MaxReturn, e.MeanLength})
}

// writeClip adds a clip of the policy, a GIF, unless there is none at path.
func (m *metrics) writeClip(envSteps int64, path string) error {
	if m.events == nil {
		return nil
	}
	data, err := disk.ReadFile(path, disk.MaxWhole)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var size image.Config
	if err == nil {
		size, err = gif.DecodeConfig(bytes.NewReader(data))
	}
	if err != nil {
		return err
	}
	return m.events.WriteImage(time.Now(), envSteps, "clip", size.Width, size.Height, data)
}

func (m *metrics) close() (err error) {
	for _, f := range []*grown{m.csv, m.evaluations, m.file} {
		if f != nil {
			err = errors.Join(err, f.Close())
		}
	}
	return err
}
