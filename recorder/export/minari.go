package export

import (
	"errors"
	"fmt"
	"math"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
)

// minariVersion is the release of Minari whose Arrow layout is written.
const minariVersion = "0.5.4"

// minariName matches the names that Minari accepts for a dataset, which must be the name of its folder.
var minariName = regexp.MustCompile(`^[-_0-9A-Za-z]+-v[0-9]+$`)

// minariMaxSteps is the number of steps that Minari reads of an episode: it takes the first batch of a scan, which has
// at most 2¹⁷ rows, one of them for the last observation.
const minariMaxSteps = 1<<17 - 1

// ErrName is wrapped by the error of [Export] for an output folder whose name the format cannot have.
var ErrName = errors.New("want a folder named like NAME-v0")

// writeMinari writes data/N/part-0.arrow and metadata for episode N, from the rows of the table control, which are
// steps. Minari numbers episodes from 0 without gaps; the run's numbers are in their metadata.
func (j *job) writeMinari() error {
	if !minariName.MatchString(j.name) {
		return fmt.Errorf("minari: output folder %q: %w", j.name, ErrName)
	}
	t, err := j.table(format.ControlTable)
	if err != nil {
		return fmt.Errorf("minari has a row for each control step: %w", err)
	}
	m := &minari{}
	if m.frames, err = j.newFrames(t, map[string]*int{
		"observation": &m.observation, "action": &m.action,
		"observation_stamp_ns": &m.stamps[0], "action_stamp_ns": &m.stamps[1],
	}); err != nil {
		return fmt.Errorf("minari: %w", err)
	}
	observation, action := t.Columns[m.observation], t.Columns[m.action]
	m.choices = action.Choices > 0
	actions := format.Column{Name: "actions", Kind: action.Kind, Len: action.Len}
	if m.choices {
		actions.Kind, actions.Len = format.Int64, 0
	}
	m.observers = observers(m.input, m.observation, true)
	if m.observers[0].count() == 0 {
		return fmt.Errorf("minari: the policy observes nothing in table %q: %w where it does", t.Name, ErrTable)
	}
	columns := append([]format.Column{{Name: "observations", Kind: observation.Kind,
		Len: m.observers[0].count()},
		actions, {Name: "rewards", Kind: format.Float64}}, columnsOf(format.Bool, "terminations", "truncations")...)
	for _, observer := range m.observers[1:] {
		columns = append(columns, format.Column{Name: format.Privileged + observer.group, Kind: observation.Kind,
			Len: observer.count()})
	}
	m.become(columns)
	m.schema = arrowSchema(m.output)
	tables := []*format.Table{t}
	if capture, err := j.table(format.CaptureTable); err == nil {
		if m.infos, err = newMinariInfos(capture); err != nil {
			return fmt.Errorf("minari: %w", err)
		}
		if m.infos != nil {
			tables = append(tables, capture)
		}
	}
	return m.export(tables, m.write, m.close)
}

func (j *job) table(name string) (*format.Table, error) {
	if i := slices.IndexFunc(j.tables, func(t *format.Table) bool { return t.Name == name }); i >= 0 {
		return j.tables[i], nil
	}
	if _, err := j.d.Rows(name); err == nil {
		return nil, fmt.Errorf("%w: %q was not selected", ErrTable, name)
	}
	return nil, fmt.Errorf("%w: the dataset has no %q; record it with recording.tables", ErrTable, name)
}

// Columns of an episode in Minari.
const (
	minariObservations = iota
	minariActions
	minariRewards
	minariTerminations
	minariTruncations
	minariPrivileged // number of the first column of infos
)

type minari struct {
	frames
	schema *arrow.Schema

	observation, action int // numbers of columns of the table
	stamps              [2]int
	choices             bool // an action is a single integer
	observers           []observer
	values, seen        []float64 // room for an observation, and for what one of them sees of it

	infos *minariInfos // nil: there are no pictures
	times []int64      // of the steps of the episode
}

// write writes an episode of T steps as T+1 rows, of which the last has only the final observation.
func (m *minari) write(e *episode) error {
	if e.lacksRows() {
		return m.job.leaveOut(lostRows)
	}
	m.times = m.times[:0]
	empty, err := m.read(e, m.step)
	if err != nil {
		return err
	}
	n := m.length()
	switch steps, ok := e.int("steps"); {
	case ok && steps != n && e.isRecorded():
		return fmt.Errorf("minari: table %q has %d rows of episode %d, which has %d control steps: want one for each",
			m.input.Name, n, e.number, steps)
	case empty:
		return nil
	case n > minariMaxSteps:
		return fmt.Errorf("minari: episode %d has %d steps, but Minari reads at most %d of one", e.number,
			n, minariMaxSteps)
	}
	if err := m.end(e); err != nil {
		return err
	}
	if m.infos != nil {
		if err := m.infos.read(e, m.times); err != nil {
			return err
		}
	}
	return m.save(e, n)
}

// step adds a row for the step that begins at a row of the table. The reward of that row belongs to the step before.
func (m *minari) step(e *episode, row []byte) error {
	ns := m.input.Int(row, m.time)
	for i, column := range [...]int{m.observation, m.action} {
		if m.input.IsNull(row, column) || m.input.IsNull(row, m.stamps[i]) || m.input.Int(row, m.stamps[i]) != ns {
			return fmt.Errorf("minari: the %s of episode %d at %d ns is not of that time: "+
				"table %q must be recorded in the control phase, after the controller", m.input.Columns[column].Name,
				e.number, ns, m.input.Name)
		}
	}
	if m.length() > 0 {
		if n := m.input.Int(row, m.rewardSteps); n > 1 {
			return fmt.Errorf("minari: episode %d has %d control steps before %d ns in one row of table %q, want 1",
				e.number, n, ns, m.input.Name)
		}
		m.last().Float(minariRewards, m.input.Float(row, m.reward, 0))
	}
	m.times = append(m.times, ns)
	frame := m.grow()
	m.values = m.input.AppendFloats(m.values[:0], row, m.observation)
	m.observe()
	if m.choices {
		m.last().Int(minariActions, int64(m.input.Float(row, m.action, 0)))
	} else {
		copy(m.output.Bytes(frame, minariActions), m.input.Bytes(row, m.action))
	}
	return nil
}

// end completes the last step and adds the last observation.
func (m *minari) end(e *episode) error {
	m.last().Float(minariRewards, e.float(m.prefix+"tail_reward"))
	m.last().Bool(minariTerminations, e.flag("terminated"))
	m.last().Bool(minariTruncations, e.flag("truncated"))
	column, ok := e.column("final_observation")
	if !ok {
		return fmt.Errorf("minari: table %q has no final_observation of episode %d", format.EpisodesTable, e.number)
	}
	if got, want := e.table.Values(column), m.input.Values(m.observation); got != want {
		return fmt.Errorf("minari: final_observation of episode %d is no observation: %d values, want %d",
			e.number, got, want)
	}
	m.values = e.table.AppendFloats(m.values[:0], e.row, column)
	m.grow()
	m.observe()
	return nil
}

// observe copies the values of an observation to the last row: what the policy sees, and what only others see.
func (m *minari) observe() {
	for i := range m.observers {
		column := minariObservations
		if i > 0 {
			column = minariPrivileged + i - 1
		}
		observer := &m.observers[i]
		m.seen = m.seen[:0]
		for k := range observer.count() {
			m.seen = append(m.seen, m.values[observer.index(k)])
		}
		m.last().Floats(column, m.seen)
	}
}

func (m *minari) save(e *episode, steps int64) error {
	folder := path.Join("data", strconv.FormatInt(m.episodes, 10))
	f, err := m.job.open(folder, "part-0.arrow")
	if err != nil {
		return err
	}
	schema, record := m.schema, m.output.Record(m.schema, m.rows)
	defer func() { record.Release() }()
	fields, columns := schema.Fields(), record.Columns()
	infos := minariStruct{fields: slices.Clone(fields[minariPrivileged:])}
	for _, column := range columns[minariPrivileged:] {
		infos.children = append(infos.children, column.Data())
	}
	if m.infos != nil {
		m.infos.add(&infos)
	}
	if len(infos.fields) > 0 {
		kind := arrow.StructOf(infos.fields...)
		data := array.NewData(kind, int(record.NumRows()), []*memory.Buffer{nil}, infos.children, 0, 0)
		schema = arrow.NewSchema(append(fields[:minariPrivileged:minariPrivileged],
			arrow.Field{Name: "infos", Type: kind}), nil)
		record = array.NewRecord(schema, append(columns[:minariPrivileged:minariPrivileged], array.NewStructData(data)),
			record.NumRows())
	}
	w, err := ipc.NewFileWriter(f, ipc.WithSchema(schema))
	if err != nil {
		return err
	}
	if err := errors.Join(w.Write(record), w.Close(), f.Close()); err != nil {
		return err
	}
	world, _ := e.int("world")
	metadata := map[string]any{
		"id": m.episodes, "total_steps": steps, "task": m.job.labels.Task(e.number, 0),
		"episode": e.number, "world": world, "complete": e.complete(), "fault": e.flag("fault"),
	}
	if success := e.success(); success != nil {
		metadata["success"] = *success
	}
	err = m.job.writeJSON(path.Join(folder, "metadata.json"), metadata)
	m.episodes++
	m.total += steps
	return err
}

func (m *minari) close() error {
	action := boxOf(&m.input.Columns[m.action])
	if m.choices {
		action = fmt.Sprintf(`{"type": "Discrete", "dtype": "int64", "start": 0, "n": %d}`,
			m.input.Columns[m.action].Choices)
	}
	meta := &m.job.d.Metadata
	return m.job.writeJSON("data/metadata.json", map[string]any{
		"dataset_id":        m.job.name,
		"data_format":       "arrow",
		"jpeg_encoding":     false,
		"minari_version":    minariVersion,
		"total_episodes":    m.episodes,
		"total_steps":       m.total,
		"dataset_size":      math.Round(float64(m.job.result.Bytes)/1e5) / 10, // MB
		"observation_space": boxOf(m.observationSpace()),
		"action_space":      action,
		"description":       fmt.Sprintf("%s, seed %d, recorded by Polyrhythm", meta.Task, meta.Seed),
	})
}

// observationSpace describes the observations.
func (m *minari) observationSpace() *format.Column {
	column, observer := m.input.Columns[m.observation], &m.observers[0]
	pick := func(all []format.Bound) (bounds []format.Bound) {
		for i := range all[:min(len(all), observer.count())] {
			bounds = append(bounds, all[observer.index(i)])
		}
		return bounds
	}
	column.Len, column.Low, column.High = observer.count(), pick(column.Low), pick(column.High)
	return &column
}

// boxOf returns the space of a column's vectors as Minari writes it: JSON with Python's infinities.
func boxOf(c *format.Column) string {
	infinities := strings.NewReplacer("+Inf", "Infinity", "-Inf", "-Infinity")
	bounds := func(limits []format.Bound, none float64) string {
		texts := make([]string, c.Len)
		for i := range texts {
			v := none
			if len(limits) > 0 {
				v = float64(limits[i])
			}
			texts[i] = infinities.Replace(strconv.FormatFloat(v, 'g', -1, 64))
		}
		return strings.Join(texts, ", ")
	}
	return fmt.Sprintf(`{"type": "Box", "dtype": "%s", "shape": [%d], "low": [%s], "high": [%s]}`,
		c.Kind, c.Len, bounds(c.Low, math.Inf(-1)), bounds(c.High, math.Inf(1)))
}
