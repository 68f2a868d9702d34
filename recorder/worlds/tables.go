package worlds

import (
	"fmt"
	"slices"
	"strings"

	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sensors"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// field is a column of a table with rows, and its stamp, or the place of one.
type field struct {
	column int // number of the column
	set    func(row format.Row, column int, m *moment)
}

// moment is what a row is about.
type moment struct {
	world *sim.World
	ctx   *runners.StepContext
	tally tally     // what has happened since the last row
	room  []float64 // memory for the longest channel, shared by the worlds of the block

	calibration [sensors.CalibrationSize]float64 // memory for that of a camera
}

// rowEpisode is the column of a table with rows that has the number of the episode.
const rowEpisode = 1

func (r *rateTable) describe(c *Recorder, b TableRates, spec sim.Spec, s Selection) format.Table {
	content := contents[b.Table]
	rate, note := b.Rates.describe(" Its ", ".")
	d := description{Recorder: c, table: r, spec: &spec, selected: s, Table: format.Table{
		Name: b.Table,
		Rate: rate,
		Description: "One row each time its binding fires in a world, at the time t_ns since its episode began. " +
			"Every value carries the time it belongs to." + note,
	}}
	d.control, d.note = s.Control.describe("; its ", "")
	d.addPlace()
	if content.step {
		d.addStep()
	}
	d.addReward()
	if content.agent {
		d.addAgent()
	}
	if content.infos && s.Infos && len(spec.InfoNames) > 0 {
		d.addInfos()
	}
	if content.channels {
		for _, i := range c.channels {
			switch info := c.suite.Info(i); {
			case info.Camera == nil:
				d.addChannel(i, &info)
			case content.pose: // pictures are recorded once
				d.addCamera(i, &info)
			}
		}
	}
	if content.pose && c.pose.Size > 0 {
		d.addPose()
	}
	if content.pose && c.pose.LookSize > 0 {
		d.addLook()
	}
	return d.Table
}

// description is the table of rateTable as it is described, a group of columns after the other.
type description struct {
	*Recorder
	format.Table
	table         *rateTable
	spec          *sim.Spec
	selected      Selection
	control, note string // the rate of control, and what a description says where it changes
}

// add adds columns that are set together.
func (d *description) add(set func(row format.Row, column int, m *moment), columns ...format.Column) {
	d.table.fields = append(d.table.fields, field{len(d.Columns), set})
	d.Columns = append(d.Columns, columns...)
}

func (d *description) addPlace() {
	d.add(func(row format.Row, column int, m *moment) { row.Int(column, m.world.NS()) },
		format.Column{Name: "t_ns", Kind: format.Int64, Unit: "ns", Source: "clock",
			Description: "time since the episode began"})
	d.add(func(row format.Row, column int, m *moment) { row.Int(column, m.world.Episode()) },
		column("episode", format.Int64, "run", "run-wide number of the episode"))
	d.add(func(row format.Row, column int, m *moment) { row.Int(column, int64(m.world.Index())) },
		column("world", format.Int32, "run", "world the episode ran in"))
}

func (d *description) addStep() {
	d.add(func(row format.Row, column int, m *moment) { row.Int(column, m.world.StepN()) },
		column("n", format.Int64, "run", "run-wide number of the control step"))
	d.add(func(row format.Row, column int, m *moment) { row.Bool(column, m.ctx.Sync) },
		column("sync", format.Bool, "clock", "all runners have a boundary at this instant"))
	d.add(func(row format.Row, column int, m *moment) { row.Bool(column, m.tally.Rows == 0) },
		column("first", format.Bool, "recorder", "first row of its episode"))
	d.add(func(row format.Row, column int, m *moment) { row.Bool(column, m.world.Fault() != physics.FaultNone) },
		column("fault", format.Bool, "physics", "the world has failed; physics stands at its last valid state"))
}

func (d *description) addReward() {
	d.add(func(row format.Row, column int, m *moment) { row.Float(column, m.tally.Reward) },
		format.Column{Name: "reward", Kind: format.Float64, Source: "task", Rate: d.control,
			Description: "sum of the control rewards stamped after the previous row, up to t_ns" + d.note})
	d.add(func(row format.Row, column int, m *moment) { row.Int(column, m.tally.Steps) },
		column("reward_steps", format.Int32, "recorder", "number of control rewards in reward"))
}

func (d *description) addAgent() {
	spec := d.spec
	d.add(setAction, format.Column{
		Name: "action", Kind: format.Float32, Len: spec.ActionSize, Nullable: true,
		Source: "controller", Rate: d.control, Names: spec.ActionNames, Description: "action in force" + d.note,
		Low: format.Bounds(spec.ActionLow), High: format.Bounds(spec.ActionHigh), Choices: spec.Discrete,
	}, stampColumn("action"))
	observation := observationColumn(spec, "observation", "newest observation"+d.note)
	observation.Nullable, observation.Rate, observation.Parts = true, d.control, partsOf(spec)
	observation.Low, observation.High = format.Bounds(spec.ObservationLow), format.Bounds(spec.ObservationHigh)
	d.add(d.setObservation(d.table.index), observation, stampColumn("observation"))
}

func (d *description) addInfos() {
	infos := infoColumn(d.spec, format.InfoColumn,
		"the task's infos of the newest control step, such as the terms of its reward"+d.note)
	infos.Rate = d.control
	d.add(setInfos, infos, stampColumn(format.InfoColumn))
}

// rateOf returns the rate of a channel, and what a description says where it changes.
func (d *description) rateOf(info *sensors.Info) (rate, note string) {
	if rates, ok := d.selected.ChannelRates[info.Name]; ok {
		return rates.describe("; its ", "")
	}
	return info.Rate.String(), ""
}

func (d *description) addChannel(i int, info *sensors.Info) {
	rate, note := d.rateOf(info)
	d.add(d.setChannel(i), format.Column{
		Name: info.Name, Kind: format.Float64, Len: info.Size, Unit: info.Unit,
		Source: strings.Join(info.Sources, ","), Rate: rate, Frame: info.Frame,
		Stage: info.Stage.String(), Model: info.Channel.Model(),
		Description: fmt.Sprintf("%s channel on runner %s%s", info.Stage, info.Runner, note),
	}, stampColumn(info.Name))
}

// addCamera adds the pictures of a channel with a camera, a column for each kind, and the calibration.
func (d *description) addCamera(i int, info *sensors.Info) {
	rate, note := d.rateOf(info)
	camera, columns := format.NewCalibration(info.Name+"_", info.Picture[1], info.Picture[0],
		info.Calibration.Projection, info.Calibration.Focal, info.Calibration.Principal, info.Camera.Coefficients(),
		slices.Contains(d.selected.Varying, info.Name))
	for _, kind := range info.Camera.Kinds {
		picture := format.PictureColumn(info.Name+"_"+kind, kind, info.Picture[1], info.Picture[0])
		picture.Rate, picture.Stage, picture.Model, picture.Nullable = rate, info.Stage.String(),
			info.Channel.Model(), false
		picture.Camera = camera
		if kind == physics.Segmentation {
			picture.SetSegments(info.Camera.Labelled(), info.Segments)
		}
		picture.Description += fmt.Sprintf("; camera on runner %s%s", info.Runner, note)
		d.add(d.setPicture(i, info, kind), picture, stampColumn(picture.Name))
	}
	for k, column := range columns {
		column.Rate, column.Stage, column.Nullable = rate, info.Stage.String(), false
		d.add(setCalibration(i, k), column, stampColumn(column.Name))
	}
}

func (d *description) addPose() {
	probe := d.pose.Probe
	d.add(func(row format.Row, column int, m *moment) {
		pose, ns := m.world.Probe(probe)
		row.Floats(column, pose)
		row.Int(column+1, ns)
	}, format.Column{
		Name: format.PoseColumn, Kind: format.Float64, Len: d.pose.Size, Nullable: true, Source: "physics",
		Stage:       physics.Motion.String(),
		Description: "where everything is, as train render draws it; the truth, whatever the sensors measure",
	}, stampColumn(format.PoseColumn))
}

func (d *description) addLook() {
	drawn := d.pose
	d.add(func(row format.Row, column int, m *moment) {
		look, n := m.room[:drawn.LookSize], 0
		for i := range drawn.Looks {
			values, ns := m.world.Probe(drawn.Probe + 1 + i)
			n += copy(look[n:], values)
			row.Int(column+1, ns)
		}
		row.Floats(column, look)
	}, format.Column{
		Name: format.LookColumn, Kind: format.Float64, Len: drawn.LookSize, Nullable: true,
		Source: strings.Join(drawn.Looks, ","), Stage: physics.Motion.String(),
		Description: "parameters of the world that pictures of the pose show, one after the other",
	}, stampColumn(format.LookColumn))
}

func setAction(row format.Row, column int, m *moment) {
	if action, ns, ok := m.world.Action(); ok {
		row.Floats32(column, action)
		row.Int(column+1, ns)
	}
}

// setInfos sets the infos of the newest step, if one was rewarded since the row before. Their time is that of the
// observation after it. A failed step has none.
func setInfos(row format.Row, column int, m *moment) {
	if _, ns, ok := m.world.Observation(); ok && m.tally.Steps > 0 && m.world.Fault() == physics.FaultNone {
		row.Floats(column, m.world.Info())
		row.Int(column+1, ns)
	}
}

func (c *Recorder) setObservation(table int) func(row format.Row, column int, m *moment) {
	return func(row format.Row, column int, m *moment) {
		if observation, ns, ok := m.world.Observation(); ok {
			c.check(m.world, table, row.Observation(column, observation))
			row.Int(column+1, ns)
		}
	}
}

// check fails the writing of a table unless the error is nil.
func (c *Recorder) check(w *sim.World, table int, err error) {
	if err != nil {
		c.blocks[w.Block()].writer.Fail(table, fmt.Errorf("world %d at %d ns of episode %d: %w", w.Index(), w.NS(),
			w.Episode(), err))
	}
}

func (c *Recorder) setChannel(i int) func(row format.Row, column int, m *moment) {
	return func(row format.Row, column int, m *moment) {
		value := m.room[:c.suite.Size(i)]
		ns, ok := m.world.Read(value, i)
		row.Floats(column, value)
		if ok {
			row.Int(column+1, ns)
		}
	}
}

// setPicture sets the newest picture of a kind, of those that a channel shows.
func (c *Recorder) setPicture(i int, info *sensors.Info, kind string) func(row format.Row, column int, m *moment) {
	offset, channels := 0, info.Picture[2]
	for _, other := range info.Camera.Kinds {
		if other == kind {
			break
		}
		offset += physics.ChannelsOf(other)
	}
	far := info.Far
	return func(row format.Row, column int, m *moment) {
		value := m.room[:c.suite.Size(i)]
		ns, ok := m.world.Read(value, i)
		format.Pack(row.Pixels(column), kind, value[offset:], channels, far)
		if ok {
			row.Int(column+1, ns)
		}
	}
}

// setCalibration sets the pose of the camera of a channel for its newest picture, or the intrinsics.
func setCalibration(i, part int) func(row format.Row, column int, m *moment) {
	return func(row format.Row, column int, m *moment) {
		ns, ok := m.world.ReadCalibration(m.calibration[:], i)
		values := [...][]float64{m.calibration[:7], m.calibration[7:]}
		row.Floats(column, values[part])
		if ok {
			row.Int(column+1, ns)
		}
	}
}

// partsOf returns the parts of the observation, nil for one of the policy without pictures.
func partsOf(spec *sim.Spec) (parts []format.Part) {
	if len(spec.Groups) == 0 && len(spec.Pictures) == 0 {
		return nil
	}
	add := func(group string, size int, picture bool) {
		if size > 0 {
			parts = append(parts, format.Part{Group: group, Len: size, Picture: picture})
		}
	}
	for _, g := range spec.AllGroups() {
		start, end := g.First, g.First+g.Size
		for _, p := range spec.Pictures {
			if p.First >= start && p.First < end {
				add(g.Name, p.First-start, false)
				add(g.Name, p.Size(), true)
				start = p.First + p.Size()
			}
		}
		add(g.Name, end-start, false)
	}
	return parts
}

// Pictures returns the pictures of an observation, a column with this name, whose pixels are columns of their own: all
// whose layers are exact.
func Pictures(spec *sim.Spec, name string) (pictures []format.ListPicture) {
	count := map[string]int{} // pictures by name
	for _, p := range spec.Pictures {
		count[p.Name]++
	}
	numbers := map[string]int{}
	for _, p := range spec.Pictures {
		number := ""
		if count[p.Name] > 1 {
			number = fmt.Sprint("_", numbers[p.Name])
			numbers[p.Name]++
		}
		inexact := func(l sim.PictureLayer) bool { return l.Scale == 0 }
		if p.Name == "" || spec.Float32Observations || slices.ContainsFunc(p.Layers, inexact) {
			continue
		}
		first := p.First
		for _, l := range p.Layers {
			picture := format.ListPicture{Name: name + "_" + p.Name + "_" + l.Kind + number, Kind: l.Kind,
				Width: p.Width, Height: p.Height, First: first, Step: p.Channels, Floats: l.Floats, Scale: l.Scale}
			if l.Kind == physics.Depth && !l.Floats {
				picture.Far = l.Far
			}
			pictures = append(pictures, picture)
			first += l.Channels
		}
	}
	return pictures
}

// observationColumn returns a column of observations.
func observationColumn(spec *sim.Spec, name, description string) format.Column {
	c := format.Column{Name: name, Kind: format.Float64, Len: spec.ObservationSize, Source: "task",
		Pictures: Pictures(spec, name), Description: description}
	if spec.Float32Observations {
		c.Kind = format.Float32
	}
	c.SetNames(spec.ObservationNames)
	return c
}

// infoColumn returns a column of the task's infos.
func infoColumn(spec *sim.Spec, name, description string) format.Column {
	c := format.Column{Name: name, Kind: format.Float64, Len: len(spec.InfoNames), Nullable: true, Source: "task",
		Description: description}
	c.SetNames(spec.InfoNames)
	return c
}

func column(name string, kind format.Kind, source, description string) format.Column {
	return format.Column{Name: name, Kind: kind, Source: source, Description: description}
}

func stampColumn(name string) format.Column {
	return format.Column{
		Name: name + "_stamp_ns", Kind: format.Int64, Nullable: true, Unit: "ns", Source: "clock",
		Description: "time that " + name + " belongs to; null before the first one of the episode",
	}
}

// episodeField is a column of the table of episodes, or the first of some.
type episodeField struct {
	column int
	set    func(row format.Row, column int, w *sim.World, e sim.Episode)
}

func (c *Recorder) episodeTable(spec sim.Spec, infos bool) format.Table {
	t := format.Table{
		Name:        format.EpisodesTable,
		Description: "One row for each episode, when it is closed.",
		// They are few: each survives a kill once its segment has ended.
		BatchRows:     64,
		FlushSegments: 1,
	}
	add := func(set func(row format.Row, column int, w *sim.World, e sim.Episode), columns ...format.Column) {
		c.episode = append(c.episode, episodeField{len(t.Columns), set})
		t.Columns = append(t.Columns, columns...)
	}
	add(func(row format.Row, column int, _ *sim.World, e sim.Episode) { row.Int(column, e.Number) },
		column("episode", format.Int64, "run", "run-wide number of the episode"))
	add(func(row format.Row, column int, w *sim.World, _ sim.Episode) { row.Int(column, int64(w.Index())) },
		column("world", format.Int32, "run", "world the episode ran in"))
	add(func(row format.Row, column int, _ *sim.World, e sim.Episode) { row.Int(column, e.Start) },
		column("start_n", format.Int64, "run", "run-wide number of its first control step"))
	add(func(row format.Row, column int, _ *sim.World, e sim.Episode) { row.Int(column, e.LengthNS) },
		format.Column{Name: "length_ns", Kind: format.Int64, Unit: "ns", Source: "clock",
			Description: "its end T; it covers [0, T)"})
	add(func(row format.Row, column int, _ *sim.World, e sim.Episode) { row.Int(column, e.Steps) },
		column("steps", format.Int64, "run", "control steps"))
	add(func(row format.Row, column int, _ *sim.World, e sim.Episode) { row.Bool(column, e.Terminated) },
		column("terminated", format.Bool, "task", "ended by the task's own rules"))
	add(func(row format.Row, column int, _ *sim.World, e sim.Episode) { row.Bool(column, e.Truncated) },
		column("truncated", format.Bool, "run", "ended by its time limit or by a fault"))
	add(func(row format.Row, column int, _ *sim.World, e sim.Episode) {
		row.Bool(column, e.Fault != physics.FaultNone)
	},
		column("fault", format.Bool, "physics", "ended by a fault"))
	add(func(row format.Row, column int, _ *sim.World, e sim.Episode) { row.Bool(column, e.Complete) },
		column("complete", format.Bool, "run", "false where the run ended first"))
	add(func(row format.Row, column int, _ *sim.World, e sim.Episode) { row.Float(column, e.Return) },
		column("return", format.Float64, "task", "sum of its control rewards"))
	t.Columns = append(t.Columns, column("recorded", format.Bool, "recorder",
		"its rows are kept; false where the configuration selects others"))
	c.parts = len(t.Columns)
	for i := range c.rates {
		name, prefix := c.tables[i].Name, format.PartPrefix(c.tables, i)
		t.Columns = append(t.Columns,
			column(prefix+"tail_reward", format.Float64, "task",
				"sum of the control rewards after its last row in table "+name),
			column(prefix+"tail_reward_steps", format.Int32, "recorder",
				"number of control rewards in "+prefix+"tail_reward"),
			column(prefix+"rows", format.Int64, "recorder", "its rows in table "+name),
		)
	}
	add(func(row format.Row, column int, w *sim.World, e sim.Episode) {
		c.check(w, len(c.rates), row.Observation(column, e.FinalObservation))
	},
		observationColumn(&spec, "final_observation", "last observation"))
	if i := spec.SuccessInfo(); i >= 0 {
		add(func(row format.Row, column int, w *sim.World, _ sim.Episode) { row.Bool(column, w.Info()[i] > 0) },
			column("success", format.Bool, "task",
				"the task's "+spec.InfoNames[i]+" is above 0 at its last control step"))
	}
	for i, name := range spec.InfoNames {
		add(func(row format.Row, column int, _ *sim.World, e sim.Episode) {
			row.Float(column, e.InfoSum[i]/float64(e.Steps))
		}, column("mean_"+name, format.Float64, "task", "mean over the control steps of the task's "+name))
	}
	if infos && len(spec.InfoNames) > 0 {
		add(func(row format.Row, column int, w *sim.World, e sim.Episode) {
			if e.Steps > 0 && e.Fault == physics.FaultNone {
				row.Floats(column, w.Info())
			}
		}, infoColumn(&spec, "final_info", "the task's infos of the last control step"))
	}
	if n := c.pose.Scenery.Len; n > 0 {
		add(func(row format.Row, column int, w *sim.World, _ sim.Episode) {
			row.Floats(column, c.pose.Scenery.In(w.State()))
		}, format.Column{Name: format.SceneryColumn, Kind: format.Float64, Len: n, Source: "physics",
			Description: "what stays where it is in the episode, as train render draws it"})
	}
	return t
}
