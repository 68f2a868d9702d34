package worlds

import (
	"fmt"
	"strings"

	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// rowColumns are the places of columns in a table with rows, −1 for those that the
// table does not have. The stamp of a value follows it.
type rowColumns struct {
	time, episode, world     int
	step, sync, first, fault int
	reward, rewardSteps      int
	action, observation      int
	channels                 int // a value and a stamp each
	pose                     int
}

// The columns for renderers; package render reads them.
const (
	poseColumn    = "pose"
	sceneryColumn = "scenery"
)

// rowTable describes a table with rows and sets the places of its columns.
func (c *Recorder) rowTable(b TableBinding, spec sim.Spec, s Selection, at *rowColumns) format.Table {
	has := contents[b.Table]
	rate, note := b.Rates.describe(true)
	t := format.Table{
		Name: b.Table,
		Rate: rate,
		Description: "One row each time its binding fires in a world, at the time t_ns since its episode began. " +
			"Every value carries the time it belongs to." + note,
	}
	control, controlNote := s.Control.describe(false)
	*at = rowColumns{step: -1, sync: -1, first: -1, fault: -1, action: -1, observation: -1, channels: -1, pose: -1}
	add := func(place *int, columns ...format.Column) {
		*place = len(t.Columns)
		t.Columns = append(t.Columns, columns...)
	}
	add(&at.time, format.Column{Name: "t_ns", Kind: format.Int64, Unit: "ns", Source: "clock", Description: "time since the episode began"})
	add(&at.episode, format.Column{Name: "episode", Kind: format.Int64, Source: "run", Description: "run-wide number of the episode"})
	add(&at.world, format.Column{Name: "world", Kind: format.Int32, Source: "run", Description: "world the episode ran in"})
	if has.step {
		add(&at.step, format.Column{Name: "n", Kind: format.Int64, Source: "run", Description: "run-wide number of the control step"})
		add(&at.sync, format.Column{Name: "sync", Kind: format.Bool, Source: "clock", Description: "all runners have a boundary at this instant"})
		add(&at.first, format.Column{Name: "first", Kind: format.Bool, Source: "recorder", Description: "first row of its episode"})
		add(&at.fault, format.Column{Name: "fault", Kind: format.Bool, Source: "physics", Description: "the world has failed; physics stands at its last valid state"})
	}
	add(&at.reward, format.Column{Name: "reward", Kind: format.Float64, Source: "task", Rate: control, Description: "sum of the control rewards stamped after the previous row, up to t_ns" + controlNote})
	add(&at.rewardSteps, format.Column{Name: "reward_steps", Kind: format.Int32, Source: "recorder", Description: "number of control rewards in reward"})
	if has.agent {
		add(&at.action, format.Column{
			Name: "action", Kind: format.Float32, Len: spec.ActionSize, Nullable: true,
			Source: "controller", Rate: control, Names: spec.ActionNames, Description: "action in force" + controlNote,
			Low: format.Bounds(spec.ActionLow), High: format.Bounds(spec.ActionHigh), Choices: spec.Discrete,
		}, stampColumn("action"))
		add(&at.observation, format.Column{
			Name: "observation", Kind: observationKind(spec), Len: spec.ObservationSize, Nullable: true,
			Source: "task", Rate: control, Names: spec.ObservationNames, Description: "newest observation" + controlNote,
			Low: format.Bounds(spec.ObservationLow), High: format.Bounds(spec.ObservationHigh),
		}, stampColumn("observation"))
	}
	if has.channels {
		add(&at.channels)
		for _, i := range c.channels {
			info := c.suite.Info(i)
			rate, note := info.Rate.String(), ""
			if rates, ok := s.ChannelRates[info.Name]; ok {
				rate, note = rates.describe(false)
			}
			t.Columns = append(t.Columns, format.Column{
				Name:        info.Name,
				Kind:        format.Float64,
				Len:         info.Size,
				Unit:        info.Unit,
				Source:      strings.Join(info.Sources, ","),
				Rate:        rate,
				Frame:       info.Frame,
				Stage:       info.Stage.String(),
				Model:       info.Channel.Model(),
				Description: fmt.Sprintf("%s channel on runner %s%s", info.Stage, info.Runner, note),
			}, stampColumn(info.Name))
		}
	}
	if has.pose && c.pose.Size > 0 {
		add(&at.pose, format.Column{
			Name: poseColumn, Kind: format.Float64, Len: c.pose.Size, Nullable: true, Source: "physics", Stage: physics.Motion.String(),
			Description: "where everything is, as train render draws it; the truth, whatever the sensors measure",
		}, stampColumn(poseColumn))
	}
	return t
}

// observationKind returns the type of the task's observations.
func observationKind(spec sim.Spec) format.Kind {
	if spec.Float32Observations {
		return format.Float32
	}
	return format.Float64
}

func stampColumn(of string) format.Column {
	return format.Column{
		Name: of + "_stamp_ns", Kind: format.Int64, Nullable: true, Unit: "ns", Source: "clock",
		Description: "time that " + of + " belongs to; null before the first one of the episode",
	}
}

// Columns of the episodes table, up to those whose place depends on the tables and
// the task.
const (
	epEpisode = iota
	epWorld
	epStart
	epLength
	epSteps
	epTerminated
	epTruncated
	epFault
	epComplete
	epReturn
	epRecorded
	epParts // epPartLen for each table with rows
)

// Columns about one table in the episodes table, from the first of them.
const (
	epTailReward = iota
	epTailSteps
	epRows
	epPartLen
)

// episodeColumns are the places of the columns behind epParts.
type episodeColumns struct {
	final int
	infos int // a mean for each of the task's infos

	scenery int // -1: none
}

func (c *Recorder) episodeTable(spec sim.Spec) format.Table {
	t := format.Table{
		Name:        format.EpisodesTable,
		Description: "One row for each episode, when it is closed.",
		// They are few: each survives a kill once its segment has ended.
		BatchRows:     64,
		FlushSegments: 1,
		Columns: []format.Column{
			epEpisode:    {Name: "episode", Kind: format.Int64, Source: "run", Description: "run-wide number of the episode"},
			epWorld:      {Name: "world", Kind: format.Int32, Source: "run", Description: "world the episode ran in"},
			epStart:      {Name: "start_n", Kind: format.Int64, Source: "run", Description: "run-wide number of its first control step"},
			epLength:     {Name: "length_ns", Kind: format.Int64, Unit: "ns", Source: "clock", Description: "its end T; it covers [0, T)"},
			epSteps:      {Name: "steps", Kind: format.Int64, Source: "run", Description: "control steps"},
			epTerminated: {Name: "terminated", Kind: format.Bool, Source: "task", Description: "ended by the task's own rules"},
			epTruncated:  {Name: "truncated", Kind: format.Bool, Source: "run", Description: "ended by its time limit or by a fault"},
			epFault:      {Name: "fault", Kind: format.Bool, Source: "physics", Description: "ended by a fault"},
			epComplete:   {Name: "complete", Kind: format.Bool, Source: "run", Description: "false where the run ended first"},
			epReturn:     {Name: "return", Kind: format.Float64, Source: "task", Description: "sum of its control rewards"},
			epRecorded:   {Name: "recorded", Kind: format.Bool, Source: "recorder", Description: "its rows are kept; false where the configuration selects others"},
		},
	}
	for i := range c.rates {
		name, prefix := c.tables[i].Name, format.PartPrefix(c.tables, i)
		t.Columns = append(t.Columns,
			format.Column{Name: prefix + "tail_reward", Kind: format.Float64, Source: "task", Description: "sum of the control rewards after its last row in table " + name},
			format.Column{Name: prefix + "tail_reward_steps", Kind: format.Int32, Source: "recorder", Description: "number of control rewards in " + prefix + "tail_reward"},
			format.Column{Name: prefix + "rows", Kind: format.Int64, Source: "recorder", Description: "its rows in table " + name},
		)
	}
	c.columns.final = len(t.Columns)
	t.Columns = append(t.Columns, format.Column{
		Name: "final_observation", Kind: observationKind(spec), Len: spec.ObservationSize, Source: "task", Names: spec.ObservationNames, Description: "last observation",
	})
	c.columns.infos, c.columns.scenery = len(t.Columns), -1
	for _, name := range spec.InfoNames {
		t.Columns = append(t.Columns, format.Column{
			Name: "mean_" + name, Kind: format.Float64, Source: "task", Description: "mean over the control steps of the task's " + name,
		})
	}
	if n := c.pose.Scenery.Len; n > 0 {
		c.columns.scenery = len(t.Columns)
		t.Columns = append(t.Columns, format.Column{
			Name: sceneryColumn, Kind: format.Float64, Len: n, Source: "physics", Description: "what stays where it is in the episode, as train render draws it",
		})
	}
	return t
}
