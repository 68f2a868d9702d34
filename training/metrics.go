package training

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"

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
