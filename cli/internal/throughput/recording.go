package throughput

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// Recording is the result of [MeasureRecording].
type Recording struct {
	Task          string `json:"task"`
	Worlds        int    `json:"worlds"`
	Workers       int    `json:"workers"`
	Compression   string `json:"compression"`
	Rounds        int    `json:"rounds"`
	StepsPerRound int    `json:"steps_per_round"` // control steps of each world
	SegmentSteps  int    `json:"segment_steps"`   // control steps, after which rows go to the writer

	Costs    []Cost            `json:"costs"` // by set of tables; the first is without recording
	Versions map[string]string `json:"versions"`
}

// Cost is the speed with one set of recorded tables. Rates are medians over the rounds.
type Cost struct {
	Tables       []string  `json:"tables"`
	EnvStepsPerS float64   `json:"env_steps_per_s"` // control steps of all worlds per second
	Ratio        float64   `json:"ratio"`           // of it to that without recording; median of the rounds' ratios
	RatioLow     float64   `json:"ratio_low"`       // first quartile
	RatioHigh    float64   `json:"ratio_high"`      // third quartile
	CPURatio     float64   `json:"cpu_ratio"`       // of processor times without and with recording; median
	BytesPerS    float64   `json:"bytes_per_s"`     // on disk, without the table of episodes
	BytesPerRow  []float64 `json:"bytes_per_row"`   // on disk, by table
}

// recordingRoundTime is about the time of one set of tables in a round: several segments, for one wait at the end.
const recordingRoundTime = time.Second

// recordingSegment is the largest number of control steps per segment.
const recordingSegment = 64

// recorded is a set of tables, and the worlds that record them.
type recorded struct {
	way
	tables []string
	env    *env.Env
	folder string
}

// MeasureRecording measures the cost of recording. It interleaves rounds with the same random actions in
// worlds that record nothing, one table, and all tables of the configuration's data. A round includes the
// time until the writer has written all its rows. duration, progress and ctx are as for [Measure].
func MeasureRecording(ctx context.Context, cfg *configs.Config, duration time.Duration,
	progress func(share float64)) (_ *Recording, err error) {
	folder, err := os.MkdirTemp("", "polyrhythm-bench-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	all := []string{configs.CaptureTable, configs.ControlTable, configs.SensorsTable}
	if len(cfg.Sensors) == 0 {
		all = all[:2]
	}
	ways := []*recorded{{}, {tables: all[:1]}, {tables: all}}
	defer func() {
		for _, w := range ways {
			if w.env != nil {
				err = errors.Join(err, w.env.Close())
			}
		}
	}()
	segment := recordingSegment
	for i, w := range ways {
		c := *cfg
		opt := env.OpenOptions{Context: ctx}
		if w.tables != nil {
			c.Recording.Enabled, c.Recording.Tables = true, w.tables
			w.folder = filepath.Join(folder, strconv.Itoa(i))
			opt.Dataset = w.folder
		}
		if w.env, err = env.Open(&c, opt); err != nil {
			return nil, err
		}
		segment = w.env.SegmentSteps(segment)
	}

	m := &recordings{ways: ways, actions: newTape(ways[0].env.Sim().Spec(), cfg.Seed), segment: segment}
	for _, w := range ways {
		w.run = func(segments int) error { return m.step(w.env, segments) }
	}
	r := &Recording{
		Task: cfg.Task.Name, Worlds: cfg.Worlds, Workers: ways[0].env.Sim().Workers(), Compression: cfg.Recording.Compression,
		SegmentSteps: segment, Versions: env.Versions(),
	}
	// A first round, which is not counted, measures the time of one segment.
	if err := m.round(1); err != nil {
		return nil, err
	}
	segments := max(1, int(recordingRoundTime.Seconds()/ways[0].wall[0]))
	for _, w := range ways {
		w.wall, w.cpu = nil, nil
	}
	r.StepsPerRound = segments * segment
	if r.Rounds, err = repeat(ctx, duration, progress, func() error { return m.round(segments) }); err != nil {
		return nil, err
	}
	return r, m.costs(r)
}

// costs appends to r what each way costs beside the first, which records nothing.
func (m *recordings) costs(r *Recording) error {
	steps := float64(r.StepsPerRound * r.Worlds)
	for _, w := range m.ways {
		base := m.ways[0]
		ratio, cpu := ratios(base.wall, w.wall), ratios(base.cpu, w.cpu)
		c := Cost{
			Tables: w.tables, EnvStepsPerS: steps / quantile(w.wall, 0.5),
			Ratio: quantile(ratio, 0.5), RatioLow: quantile(ratio, 0.25), RatioHigh: quantile(ratio, 0.75),
			CPURatio: quantile(cpu, 0.5),
		}
		if err := w.sizes(&c, float64(m.done*r.Worlds)); err != nil {
			return err
		}
		r.Costs = append(r.Costs, c)
	}
	return nil
}

// recordings steps the worlds of all sets of tables, in interleaved rounds.
type recordings struct {
	ways    []*recorded
	actions tape
	segment int
	rounds  int
	done    int // control steps of each world so far
}

func (m *recordings) round(segments int) error {
	if err := take(m.rounds, segments, &m.ways[0].way, &m.ways[1].way, &m.ways[2].way); err != nil {
		return err
	}
	m.rounds++
	m.done += segments * m.segment
	return nil
}

func (m *recordings) step(e *env.Env, segments int) error {
	for s := range segments {
		err := e.Each(func(worker *sim.Worker, b *sim.Block) error {
			return m.actions.steps(b, worker, m.done+s*m.segment, m.segment)
		})
		if err != nil {
			return err
		}
	}
	return e.Drain()
}

// sizes closes the worlds and sets the sizes on disk in c, after a number of control steps of all worlds.
func (w *recorded) sizes(c *Cost, steps float64) error {
	e := w.env
	w.env = nil
	if err := e.Close(); err != nil || w.folder == "" {
		return err
	}
	d, err := recorder.Open(w.folder)
	if err != nil {
		return err
	}
	for _, table := range w.tables {
		rows, err := d.Rows(table)
		if err != nil {
			return err
		}
		bytes, err := d.Bytes(table)
		if err != nil {
			return err
		}
		c.BytesPerRow = append(c.BytesPerRow, float64(bytes)/float64(max(1, rows)))
		c.BytesPerS += float64(bytes) / steps * c.EnvStepsPerS
	}
	return nil
}
