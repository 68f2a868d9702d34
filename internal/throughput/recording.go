package throughput

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// Recording is the result of [MeasureRecording].
type Recording struct {
	Task          string            `json:"task"`
	Worlds        int               `json:"worlds"`
	Workers       int               `json:"workers"`
	Compression   string            `json:"compression"`
	Rounds        int               `json:"rounds"`
	StepsPerRound int               `json:"steps_per_round"` // control steps of each world
	SegmentSteps  int               `json:"segment_steps"`   // control steps per segment, after which rows go to the writer
	Costs         []Cost            `json:"costs"`           // by set of tables; the first is without recording
	Versions      map[string]string `json:"versions"`
}

// Cost is the speed with one set of recorded tables. Rates are medians over the rounds.
type Cost struct {
	Tables       []string  `json:"tables"`
	EnvStepsPerS float64   `json:"env_steps_per_s"` // control steps of all worlds per second
	Ratio        float64   `json:"ratio"`           // to EnvStepsPerS without recording; median of the ratios of the rounds
	RatioLow     float64   `json:"ratio_low"`       // first quartile
	RatioHigh    float64   `json:"ratio_high"`      // third quartile
	CPURatio     float64   `json:"cpu_ratio"`       // processor time per step without recording to that with it, including the writer; median
	BytesPerS    float64   `json:"bytes_per_s"`     // on disk, without the table of episodes
	BytesPerRow  []float64 `json:"bytes_per_row"`   // on disk, by table
}

// recordingRoundTime is the approximate time of one set of tables in a round: several
// segments, so that waiting for the writer at the end has little weight.
const recordingRoundTime = time.Second

// recordingSegment is the largest number of control steps per segment.
const recordingSegment = 64

// recorded is a set of tables, and the worlds that record them.
type recorded struct {
	tables []string
	env    *env.Env
	folder string
	times  []float64 // seconds, by round
	cpu    []float64 // seconds of processor time, by round
}

// MeasureRecording measures the cost of recording. It interleaves rounds with the same
// random actions in worlds that record nothing, one table, and all tables of the
// configuration's data. A round includes the time until the writer has written all its
// rows. duration, progress and ctx are as for [Measure].
func MeasureRecording(ctx context.Context, cfg *configs.Config, duration time.Duration, progress func(share float64)) (_ *Recording, err error) {
	folder, err := os.MkdirTemp("", "polyrhythm-bench-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	ways := []*recorded{{}, {tables: []string{configs.CaptureTable}}, {tables: []string{configs.CaptureTable, configs.ControlTable}}}
	if len(cfg.Sensors) > 0 {
		all := append(ways[2].tables[:2:2], configs.SensorsTable)
		ways[2].tables = all
	}
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
	r := &Recording{
		Task: cfg.Task.Name, Worlds: cfg.Worlds, Workers: ways[0].env.Sim().Workers(), Compression: cfg.Recording.Compression,
		SegmentSteps: segment, Versions: env.Versions(),
	}
	// A first round, which is not counted, measures the time of one segment.
	if err := m.round(1); err != nil {
		return nil, err
	}
	segments := max(1, int(recordingRoundTime.Seconds()/ways[0].times[0]))
	for _, w := range ways {
		w.times, w.cpu = nil, nil
	}
	r.StepsPerRound = segments * segment
	for begin := time.Now(); r.Rounds < minRounds || time.Since(begin) < duration; r.Rounds++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := m.round(segments); err != nil {
			return nil, err
		}
		if progress != nil {
			progress(min(time.Since(begin).Seconds()/duration.Seconds(), float64(r.Rounds+1)/minRounds))
		}
	}
	if err := m.costs(r); err != nil {
		return nil, err
	}
	return r, nil
}

// costs appends to r what each way costs beside the first, which records nothing.
func (m *recordings) costs(r *Recording) error {
	steps := float64(r.StepsPerRound * r.Worlds)
	for _, w := range m.ways {
		var ratios, cpu []float64
		for i := range w.times {
			ratios = append(ratios, m.ways[0].times[i]/w.times[i])
			cpu = append(cpu, m.ways[0].cpu[i]/w.cpu[i])
		}
		c := Cost{
			Tables: w.tables, EnvStepsPerS: steps / quantile(w.times, 0.5),
			Ratio: quantile(ratios, 0.5), RatioLow: quantile(ratios, 0.25), RatioHigh: quantile(ratios, 0.75),
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

// round steps a number of segments with every set of tables, and stores the time of
// each.
func (m *recordings) round(segments int) error {
	for i := range m.ways {
		w := m.ways[(i+m.rounds)%len(m.ways)]
		begin, cpu := time.Now(), processorTime()
		for s := range segments {
			err := w.env.Each(func(worker *sim.Worker, b *sim.Block) error {
				for step := range m.segment {
					m.actions.fill(b, m.done+s*m.segment+step)
					if err := b.Step(worker); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				return err
			}
		}
		if err := w.env.Drain(); err != nil {
			return err
		}
		w.times = append(w.times, time.Since(begin).Seconds())
		w.cpu = append(w.cpu, (processorTime() - cpu).Seconds())
	}
	m.rounds++
	m.done += segments * m.segment
	return nil
}

// processorTime returns the processor time of the process, over all its threads.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // cannot happen: the arguments are valid
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// sizes closes the worlds and sets the sizes on disk in c. steps is the number of
// control steps of all worlds.
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
