package export

import (
	"errors"
	"fmt"
	"math"
	"path"
	"regexp"
	"strconv"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/ipc"

	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
)

// minariVersion is the release of Minari whose Arrow layout is written.
const minariVersion = "0.5.4"

// minariName matches the names that Minari accepts for a dataset, which must be the name of its folder.
var minariName = regexp.MustCompile(`^[-_0-9A-Za-z]+-v[0-9]+$`)

// minariMaxSteps is the number of steps that Minari reads of an episode: it takes the first batch of a scan, which has at most 2¹⁷
// rows, one of them for the last observation.
const minariMaxSteps = 1<<17 - 1

// ErrName is wrapped by the error of [Export] for an output folder whose name the format cannot have.
var ErrName = errors.New("want a folder named like NAME-v0")

var _ = register("minari", "Minari: a folder per episode with observations, actions and rewards of every control step", (*job).writeMinari)

// writeMinari writes data/N/part-0.arrow and metadata for episode N. It needs the table control, of which each row is a step with its
// observation, action and reward. Minari numbers episodes from 0 without gaps; the run's numbers are in their metadata.
func (j *job) writeMinari() error {
	if !minariName.MatchString(j.name) {
		return fmt.Errorf("minari: output folder %q: %w", j.name, ErrName)
	}
	t, err := j.table(format.ControlTable)
	if err != nil {
		return fmt.Errorf("minari has a row for each control step: %w", err)
	}
	m, err := newMinari(j, t)
	if err != nil {
		return err
	}
	if err := j.expect(t); err != nil {
		return err
	}
	if err := j.eachEpisode([]*format.Table{t}, m.write); err != nil {
		return err
	}
	j.result.Episodes = m.episodes
	return m.close()
}

// table returns a selected table by its name.
func (j *job) table(name string) (*format.Table, error) {
	for _, t := range j.tables {
		if t.Name == name {
			return t, nil
		}
	}
	for i := range j.d.Tables {
		if j.d.Tables[i].Name == name {
			return nil, fmt.Errorf("%w: %q was not selected", ErrTable, name)
		}
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
)

// minari writes one episode after another.
type minari struct {
	job    *job
	from   *format.Layout // table control
	to     *format.Layout
	schema *arrow.Schema

	observation, action, reward, rewardSteps int // columns of from
	stamps                                   [2]int
	time                                     int
	choices                                  bool // an action is a single integer
	table                                    *format.Table

	data     []byte // rows of the episode
	blank    []byte // a row
	episodes int64
	steps    int64
}

func newMinari(j *job, t *format.Table) (*minari, error) {
	m := &minari{job: j, from: format.NewLayout(t), table: t}
	for name, column := range map[string]*int{
		"observation": &m.observation, "action": &m.action, "reward": &m.reward, "reward_steps": &m.rewardSteps,
		"observation_stamp_ns": &m.stamps[0], "action_stamp_ns": &m.stamps[1], "t_ns": &m.time,
	} {
		if *column = m.from.Column(name); *column < 0 {
			return nil, fmt.Errorf("minari: table %q has no column %q", t.Name, name)
		}
	}
	observation, action := t.Columns[m.observation], t.Columns[m.action]
	m.choices = action.Choices > 0
	actions := format.Column{Name: "actions", Kind: action.Kind, Len: action.Len}
	if m.choices {
		actions.Kind, actions.Len = format.Int64, 0
	}
	m.to = format.NewLayout(&format.Table{Columns: []format.Column{
		minariObservations: {Name: "observations", Kind: observation.Kind, Len: observation.Len},
		minariActions:      actions,
		minariRewards:      {Name: "rewards", Kind: format.Float64},
		minariTerminations: {Name: "terminations", Kind: format.Bool},
		minariTruncations:  {Name: "truncations", Kind: format.Bool},
	}})
	m.schema, m.blank = arrowSchema(m.to), m.to.Zeros()
	return m, nil
}

// write writes an episode of T steps as T+1 rows, of which the last has only the final observation.
func (m *minari) write(e *episode) error {
	m.data = m.data[:0]
	switch {
	case e.lacksRows():
		return m.job.leaveOut(lostRows)
	case !e.recorded():
		return m.job.leaveOut(notRecorded)
	}
	for {
		rows, err := e.rows(0)
		if err != nil {
			return err
		}
		if len(rows) == 0 {
			break
		}
		for ; len(rows) > 0; rows = rows[m.from.Stride:] {
			if err := m.step(e, rows[:m.from.Stride]); err != nil {
				return err
			}
		}
	}
	n := int64(len(m.data) / m.to.Stride)
	switch steps, ok := e.int("steps"); {
	case ok && steps != n:
		return fmt.Errorf("minari: table %q has %d rows of episode %d, which has %d control steps: want one for each",
			m.table.Name, n, e.number, steps)
	case n == 0:
		return m.job.leaveOut(noRows)
	case n > minariMaxSteps:
		return fmt.Errorf("minari: episode %d has %d steps, but Minari reads at most %d of one", e.number, n, minariMaxSteps)
	}
	if err := m.end(e); err != nil {
		return err
	}
	return m.save(e, n)
}

// grow adds a row of zeros.
func (m *minari) grow() []byte {
	at := len(m.data)
	m.data = append(m.data, m.blank...)
	return m.data[at:]
}

// step adds a row for the step that begins at a row of the table. The reward of that row belongs to the step before.
func (m *minari) step(e *episode, row []byte) error {
	at := m.from.Int(row, m.time)
	for i, of := range [...]int{m.observation, m.action} {
		if m.from.IsNull(row, of) || m.from.IsNull(row, m.stamps[i]) || m.from.Int(row, m.stamps[i]) != at {
			return fmt.Errorf("minari: the %s of episode %d at %d ns is not of that time: "+
				"table %q must be recorded in the control phase, after the controller", m.from.Table.Columns[of].Name, e.number, at, m.table.Name)
		}
	}
	if k := len(m.data) / m.to.Stride; k > 0 {
		if n := m.from.Int(row, m.rewardSteps); n > 1 {
			return fmt.Errorf("minari: episode %d has %d control steps before %d ns in one row of table %q, want 1",
				e.number, n, at, m.table.Name)
		}
		m.to.Row(m.data[(k-1)*m.to.Stride:]).Float(minariRewards, m.from.Float(row, m.reward, 0))
	}
	to := m.grow()
	copy(m.to.Bytes(to, minariObservations), m.from.Bytes(row, m.observation))
	if m.choices {
		m.to.Row(to).Int(minariActions, int64(m.from.Float(row, m.action, 0)))
	} else {
		copy(m.to.Bytes(to, minariActions), m.from.Bytes(row, m.action))
	}
	return nil
}

// end completes the last step and adds the last observation.
func (m *minari) end(e *episode) error {
	last := m.to.Row(m.data[len(m.data)-m.to.Stride:])
	reward, _ := e.float(prefixOf(m.table.Name) + "tail_reward")
	last.Float(minariRewards, reward)
	last.Bool(minariTerminations, e.is("terminated"))
	last.Bool(minariTruncations, e.is("truncated"))
	final := e.table.Column("final_observation")
	if final < 0 || e.table.IsNull(e.row, final) {
		return fmt.Errorf("minari: table %q has no final_observation of episode %d", format.EpisodesTable, e.number)
	}
	row := m.grow()
	to := m.to.Bytes(row, minariObservations)
	if from := e.table.Bytes(e.row, final); len(from) == len(to) {
		copy(to, from)
		return nil
	}
	return fmt.Errorf("minari: final_observation of episode %d is no observation: %d values, want %d",
		e.number, e.table.Values(final), m.to.Values(minariObservations))
}

func (m *minari) save(e *episode, steps int64) error {
	folder := path.Join("data", strconv.FormatInt(m.episodes, 10))
	f, err := m.job.open(folder, "part-0.arrow")
	if err != nil {
		return err
	}
	if err := errors.Join(m.saveRows(f), f.Close()); err != nil {
		return err
	}
	world, _ := e.int("world")
	err = m.job.writeJSON(path.Join(folder, "metadata.json"), map[string]any{
		"id": m.episodes, "total_steps": steps,
		"episode": e.number, "world": world, "complete": e.complete(), "fault": e.is("fault"),
	})
	m.episodes++
	m.steps += steps
	return err
}

func (m *minari) saveRows(f *file) error {
	w, err := ipc.NewFileWriter(f, ipc.WithSchema(m.schema))
	if err != nil {
		return err
	}
	record := m.to.Record(m.schema, m.data)
	defer record.Release()
	return errors.Join(w.Write(record), w.Close())
}

// close writes the metadata of the whole dataset.
func (m *minari) close() error {
	action := boxOf(&m.table.Columns[m.action])
	if m.choices {
		action = fmt.Sprintf(`{"type": "Discrete", "dtype": "int64", "start": 0, "n": %d}`, m.table.Columns[m.action].Choices)
	}
	meta := &m.job.d.Metadata
	return m.job.writeJSON("data/metadata.json", map[string]any{
		"dataset_id":        m.job.name,
		"data_format":       "arrow",
		"jpeg_encoding":     false,
		"minari_version":    minariVersion,
		"total_episodes":    m.episodes,
		"total_steps":       m.steps,
		"dataset_size":      math.Round(float64(m.job.result.Bytes)/1e5) / 10, // MB
		"observation_space": boxOf(&m.table.Columns[m.observation]),
		"action_space":      action,
		"description":       fmt.Sprintf("%s, seed %d, recorded by Polyrhythm", meta.Task, meta.Seed),
	})
}

// boxOf returns the space of a column's vectors as Minari writes it: JSON with Python's infinities.
func boxOf(c *format.Column) string {
	bounds := func(of []format.Bound, none float64) []byte {
		var text []byte
		for i := range c.Len {
			v := none
			if len(of) > 0 {
				v = float64(of[i])
			}
			if i > 0 {
				text = append(text, ", "...)
			}
			switch {
			case math.IsInf(v, 1):
				text = append(text, "Infinity"...)
			case math.IsInf(v, -1):
				text = append(text, "-Infinity"...)
			default:
				text = strconv.AppendFloat(text, v, 'g', -1, 64)
			}
		}
		return text
	}
	return fmt.Sprintf(`{"type": "Box", "dtype": "%s", "shape": [%d], "low": [%s], "high": [%s]}`,
		c.Kind, c.Len, bounds(c.Low, math.Inf(-1)), bounds(c.High, math.Inf(1)))
}
