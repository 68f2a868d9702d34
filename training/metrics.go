package training

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/internal/curve"
	"github.com/polyrhythm-rl/polyrhythm/internal/tfevents"
	"github.com/polyrhythm-rl/polyrhythm/rl"
)

// infoPrefix begins the names of infos in metrics.
const infoPrefix = "info/"

// metrics writes what a training reports of itself: [MetricsFile] and, unless switched
// off, [EventsFile]. The events also hold the evaluations.
type metrics struct {
	csv    *os.File
	table  *rl.MetricsWriter
	file   *os.File         // of events; nil: switched off
	events *tfevents.Writer // likewise
	infos  []string         // columns after those of rl.Metrics
}

// createMetrics creates the files in a folder. infos names the infos of the task.
func createMetrics(folder string, infos []string, tensorBoard bool) (m *metrics, err error) {
	m = &metrics{}
	for _, name := range infos {
		m.infos = append(m.infos, infoPrefix+name)
	}
	if m.csv, err = os.Create(filepath.Join(folder, MetricsFile)); err != nil {
		return nil, err
	}
	m.table = rl.NewMetricsWriter(m.csv, true, m.infos...)
	if !tensorBoard {
		return m, nil
	}
	if m.file, err = os.Create(filepath.Join(folder, EventsFile)); err == nil {
		m.events, err = tfevents.Create(m.file, time.Now())
	}
	if err != nil {
		return nil, errors.Join(err, m.close())
	}
	return m, nil
}

// continueMetrics cuts the files of an earlier createMetrics to their sizes at a point and
// goes on with them. It also returns the curve so far.
func continueMetrics(p *Point, infos []string, tensorBoard bool) (*metrics, []curve.Point, error) {
	m := &metrics{}
	for _, name := range infos {
		m.infos = append(m.infos, infoPrefix+name)
	}
	var points []curve.Point
	var err error
	if m.csv, err = cutFile(filepath.Join(p.folder, MetricsFile), p.state.MetricsSize); err != nil {
		return nil, nil, err
	}
	if points, err = readCurve(io.NewSectionReader(m.csv, 0, p.state.MetricsSize)); err != nil {
		return nil, nil, errors.Join(fmt.Errorf("%s: %w", m.csv.Name(), err), m.close())
	}
	m.table = rl.NewMetricsWriter(m.csv, p.state.MetricsSize == 0, m.infos...)
	if !tensorBoard {
		return m, points, nil
	}
	if m.file, err = cutFile(filepath.Join(p.folder, EventsFile), p.state.EventsSize); err != nil {
		return nil, nil, errors.Join(err, m.close())
	}
	m.events = tfevents.Continue(m.file)
	return m, points, nil
}

// cutFile opens a file to write at its end, after cutting it to a size, which it must
// have.
func cutFile(path string, size int64) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && info.Size() < size {
		err = fmt.Errorf("%s has %d bytes, want at least %d to continue", path, info.Size(), size)
	}
	if err == nil {
		err = f.Truncate(size)
	}
	if err == nil {
		_, err = f.Seek(size, io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// readCurve returns the learning curve of the metrics in r.
func readCurve(r io.Reader) (points []curve.Point, err error) {
	lines, err := csv.NewReader(r).ReadAll()
	if err != nil || len(lines) == 0 {
		return nil, err
	}
	for _, line := range lines[1:] {
		var values [3]float64
		for i, name := range []string{"env_steps", "mean_return", "mean_length"} {
			at := slices.Index(lines[0], name)
			if at < 0 {
				return nil, fmt.Errorf("it has no column %s", name)
			}
			if line[at] == "" {
				values[i] = math.NaN()
			} else if values[i], err = strconv.ParseFloat(line[at], 64); err != nil {
				return nil, err
			}
		}
		points = append(points, curve.Point{EnvSteps: int64(values[0]), Return: values[1], Length: values[2]})
	}
	return points, nil
}

// sizes forces the files to the disk and returns their sizes.
func (m *metrics) sizes() (csv, events int64, err error) {
	if csv, err = syncedSize(m.csv); err != nil || m.file == nil {
		return csv, 0, err
	}
	events, err = syncedSize(m.file)
	return csv, events, err
}

func syncedSize(f *os.File) (int64, error) {
	if err := f.Sync(); err != nil {
		return 0, err
	}
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
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

// writeEvaluation adds an evaluation after a number of environment steps.
func (m *metrics) writeEvaluation(envSteps int64, e *Evaluation) error {
	if m.events == nil {
		return nil
	}
	return m.events.Write(time.Now(), envSteps,
		[]string{"evaluation/mean_return", "evaluation/std_return", "evaluation/min_return", "evaluation/max_return", "evaluation/mean_length"},
		[]float64{e.MeanReturn, e.StdReturn, e.MinReturn, e.MaxReturn, e.MeanLength})
}

// close closes the files.
func (m *metrics) close() error {
	var errs []error
	for _, f := range []*os.File{m.csv, m.file} {
		if f != nil {
			errs = append(errs, f.Close())
		}
	}
	return errors.Join(errs...)
}

// means returns the mean of each info over the episodes that were added, NaN without
// any, and removes the episodes. count is the number of infos.
func (r *results) means(count int) []float64 {
	sum := r.total()
	r.reset()
	if sum.n == 0 {
		return slices.Repeat([]float64{math.NaN()}, count)
	}
	for i := range sum.infos {
		sum.infos[i] /= float64(sum.n)
	}
	return sum.infos
}

// reset removes all episodes and keeps the memory.
func (r *results) reset() {
	for i := range r.worlds {
		infos := r.worlds[i].infos
		clear(infos)
		r.worlds[i] = tally{infos: infos}
	}
}
