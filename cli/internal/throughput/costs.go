package throughput

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// Costs is the result of [MeasureCosts].
type Costs struct {
	Setting
	Compression   recorder.Compression `json:"compression"`
	Rounds        int                  `json:"rounds"`
	StepsPerRound int                  `json:"steps_per_round"` // control steps of each world
	SegmentSteps  int                  `json:"segment_steps"`   // control steps, after which rows go to the writer

	Costs       []Cost            `json:"costs"`   // costs of the ways to run the worlds
	Unavailable []string          `json:"without"` // names of ways that the task does not allow
	Versions    map[string]string `json:"versions"`
}

// Cost is the speed of one way to run the worlds. Rates are medians over the rounds.
type Cost struct {
	Name         string   `json:"name"`
	Tables       []string `json:"tables"`
	EnvStepsPerS float64  `json:"env_steps_per_s"` // control steps of all worlds per second
	Ratio        float64  `json:"ratio"`           // median of the ratios to the speed without recording
	RatioLow     float64  `json:"ratio_low"`       // first quartile
	RatioHigh    float64  `json:"ratio_high"`      // third quartile
	// median of the ratios of processor times without and with recording
	CPURatio    float64   `json:"cpu_ratio"`
	BytesPerS   float64   `json:"bytes_per_s"`   // bytes on disk, without the table of episodes
	BytesPerRow []float64 `json:"bytes_per_row"` // bytes on disk, by table
}

// recordingRoundTime is about the longest time of a way in a round: several segments, for one wait at the end.
const recordingRoundTime = time.Second

// recordingSegment is the largest number of control steps per segment.
const recordingSegment = 64

// variant is one way to run the worlds.
type variant struct {
	way
	name    string
	change  func(c *configs.Config)
	policy  bool // the policy takes the actions; otherwise they are random
	worlds  *worlds
	folder  string
	blocked bool // the task does not allow this way
}

// reference is the way that the others are compared with.
const reference = "nothing recorded"

// variants returns the ways to run the worlds of cfg, each with more than the one before.
func variants(cfg *configs.Config, opt Options) []*variant {
	record := func(tables ...string) func(*configs.Config) {
		return func(c *configs.Config) { c.Recording.Enabled, c.Recording.Tables = tables != nil, tables }
	}
	senseless := func(c *configs.Config) {
		c.Recording.Enabled, c.Recording.Tables = false, []string{format.CaptureTable}
		c.Bindings = slices.DeleteFunc(slices.Clone(c.Bindings), func(b configs.Binding) bool {
			return slices.ContainsFunc(c.Sensors, func(s configs.Channel) bool { return s.Name == b.Name })
		})
		c.Sensors = nil
	}
	all := []string{format.CaptureTable, format.ControlTable, format.SensorsTable}
	if len(cfg.Sensors) == 0 {
		all = all[:2]
	}
	ways := []*variant{
		{name: "control runner only", change: func(c *configs.Config) {
			senseless(c)
			c.Runners = c.Runners[:1]
			c.Bindings = slices.DeleteFunc(c.Bindings, func(b configs.Binding) bool {
				return b.Runner != "" && b.Runner != c.Runners[0].Name
			})
		}},
		{name: "no sensors", change: senseless},
		{name: reference, change: func(c *configs.Config) { c.Recording.Enabled = false }},
		{name: strings.Join(all[:1], ", "), change: record(all[:1]...)},
		{name: strings.Join(all, ", "), change: record(all...)},
	}
	if opt.Act != nil {
		ways = append(ways, &variant{name: "the policy acts", policy: true, change: ways[2].change})
	}
	return ways
}

// open opens the worlds in a folder. The task may not allow to leave out what is needed by it.
func (v *variant) open(ctx context.Context, cfg *configs.Config, folder string, opt Options) (err error) {
	c, options := *cfg, env.OpenOptions{Context: ctx}
	v.change(&c)
	if c.Recording.Enabled {
		v.folder = folder
		options.Dataset = v.folder
	}
	if !v.policy {
		opt.Act = nil
	}
	v.worlds, err = openWorlds(&c, options, opt)
	var bad env.ConfigError
	if v.blocked = errors.As(err, &bad) && len(c.Sensors) < len(cfg.Sensors); v.blocked {
		return nil
	}
	return err
}

// MeasureCosts measures what the parts of a configuration cost. It interleaves rounds of worlds with the control
// runner alone, without sensors, that record nothing, one table, and all tables, and of those that the policy of opt
// acts in. A round includes the time until the writer has written all its rows. opt and ctx are as for [Measure].
func MeasureCosts(ctx context.Context, cfg *configs.Config, opt Options) (_ *Costs, err error) {
	folder, err := os.MkdirTemp("", "polyrhythm-bench-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	m := &comparison{segment: recordingSegment}
	r := &Costs{Setting: settingOf(cfg, opt), Compression: cfg.Recording.Compression, Versions: env.Versions()}
	defer func() {
		for _, v := range m.ways {
			if v.worlds != nil {
				err = errors.Join(err, v.worlds.Close())
			}
		}
	}()
	for i, v := range variants(cfg, opt) {
		if err := v.open(ctx, cfg, filepath.Join(folder, strconv.Itoa(i)), opt); err != nil {
			return nil, err
		}
		if v.blocked {
			r.Unavailable = append(r.Unavailable, v.name)
			continue
		}
		m.ways = append(m.ways, v)
		m.segment = v.worlds.SegmentSteps(m.segment)
		v.run = func(segments int) error { return m.step(v.worlds, segments) }
		if v.name == reference {
			m.base, r.Workers = &v.way, v.worlds.Sim().Workers()
		}
	}
	r.SegmentSteps = m.segment
	// A first round, which is not counted, measures the time of one segment.
	if err := m.round(1); err != nil {
		return nil, err
	}
	roundTime := min(recordingRoundTime, opt.Duration/time.Duration(minRounds*len(m.ways)))
	segments := max(1, int(roundTime.Seconds()/m.base.wall[0]))
	for _, v := range m.ways {
		v.wall, v.cpu = nil, nil
	}
	r.StepsPerRound = segments * m.segment
	if r.Rounds, err = repeat(ctx, opt, func() error { return m.round(segments) }); err != nil {
		return nil, err
	}
	return r, m.costs(r)
}

// costs appends to r what each way costs beside the reference.
func (m *comparison) costs(r *Costs) error {
	steps := float64(r.StepsPerRound * r.Worlds)
	for _, v := range m.ways {
		ratio, cpu := ratios(m.base.wall, v.wall), ratios(m.base.cpu, v.cpu)
		c := Cost{
			Name: v.name, EnvStepsPerS: steps / quantile(v.wall, 0.5),
			Ratio: quantile(ratio, 0.5), RatioLow: quantile(ratio, 0.25), RatioHigh: quantile(ratio, 0.75),
			CPURatio: quantile(cpu, 0.5),
		}
		if err := v.sizes(&c, float64(m.done*r.Worlds)); err != nil {
			return err
		}
		r.Costs = append(r.Costs, c)
	}
	return nil
}

// comparison steps the worlds in all ways, in interleaved rounds.
type comparison struct {
	ways    []*variant
	base    *way // way with which the others are compared
	segment int
	rounds  int
	done    int // number of control steps of each world so far
}

func (m *comparison) round(segments int) error {
	ways := make([]*way, len(m.ways))
	for i, v := range m.ways {
		ways[i] = &v.way
	}
	if err := runRound(m.rounds, segments, ways...); err != nil {
		return err
	}
	m.rounds++
	m.done += segments * m.segment
	return nil
}

func (m *comparison) step(e *worlds, segments int) error {
	for s := range segments {
		err := e.Each(func(worker *sim.Worker, b *sim.Block) error {
			return e.steps(b, worker, m.done+s*m.segment, m.segment)
		})
		if err != nil {
			return err
		}
	}
	return e.Drain()
}

// sizes closes the worlds and sets the tables and their sizes on disk in c, after a number of control steps of all
// worlds.
func (v *variant) sizes(c *Cost, steps float64) error {
	e := v.worlds
	v.worlds = nil
	if err := e.Close(); err != nil || v.folder == "" {
		return err
	}
	c.Tables = strings.Split(v.name, ", ")
	d, err := recorder.Open(v.folder)
	if err != nil {
		return err
	}
	for _, table := range c.Tables {
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
