package actuator

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/physics/mujoco/scene"
)

// Columns are those that a table of measurements must have: the time in s, the position that was asked for less the
// position, in rad (or m), the velocity in rad/s (or m/s), and the torque in N·m (or N). It may have JointColumn, which
// tells joints apart whose actuators are of one kind, and others, which nobody reads.
var Columns = []string{timeColumn, scene.Quantities[0], scene.Quantities[1], scene.Torque}

const timeColumn = "t"

// JointColumn is the column that names a joint.
const JointColumn = "joint"

// maxRows is the most rows that measurements may have: about 2 GiB while a network learns.
const maxRows = 20_000_000

// Measurements are rows of tables, in series in which each row is a period after the one before.
type Measurements struct {
	Period time.Duration
	Rows   int

	series [][]row
	times  map[string][]timed // of each joint and table, until they are in series
	order  []string           // of times
}

// row has a value for each of scene.Quantities, and the torque.
type row [3]float64

type timed struct {
	at  float64 // s
	row row
}

// Add reads a table in CSV with a head. Errors begin with name and the line. The rows of each joint must be in the
// order of time. Call [Measurements.Divide] after the last.
func (m *Measurements) Add(name string, from io.Reader) error {
	in := csv.NewReader(disk.Unmarked(from))
	in.ReuseRecord = true
	head, err := in.Read()
	if errors.Is(err, io.EOF) {
		err = errors.New("the file is empty")
	}
	if err != nil {
		return fmt.Errorf("%s: %w, want a head with the columns %s", name, err, strings.Join(Columns, ", "))
	}
	places, joint := make([]int, len(Columns)), slices.Index(head, JointColumn)
	for i, column := range Columns {
		if places[i] = slices.Index(head, column); places[i] < 0 {
			return fmt.Errorf("%s: the head is %q, want the columns %s", name, head, strings.Join(Columns, ", "))
		}
	}
	if m.times == nil {
		m.times = map[string][]timed{}
	}
	for {
		fields, err := in.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		line, _ := in.FieldPos(0)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		var values [4]float64
		for i, place := range places {
			v, err := strconv.ParseFloat(strings.TrimSpace(fields[place]), 64)
			if err != nil || v-v != 0 {
				return fmt.Errorf("%s:%d: %s is %q, want a finite number", name, line, Columns[i], fields[place])
			}
			values[i] = v
		}
		series := name
		if joint >= 0 {
			series += "\x00" + fields[joint]
		}
		before := m.times[series]
		if len(before) == 0 {
			m.order = append(m.order, series)
		} else if last := before[len(before)-1].at; values[0] <= last {
			return fmt.Errorf("%s:%d: t is %v s after %v, want later rows later", name, line, values[0], last)
		}
		if m.Rows++; m.Rows > maxRows {
			return fmt.Errorf("%s:%d: the tables have more than %d rows, want fewer", name, line, maxRows)
		}
		m.times[series] = append(before, timed{values[0], row(values[1:])})
	}
}

// Divide makes series of the rows. The period is the median of the times between them, in whole microseconds; a row
// that comes more than a tenth of it too early or too late begins another series.
func (m *Measurements) Divide() error {
	var gaps []float64
	for _, series := range m.order {
		for i, r := range m.times[series][1:] {
			gaps = append(gaps, r.at-m.times[series][i].at)
		}
	}
	if len(gaps) == 0 {
		return fmt.Errorf("%d rows of measurements, want at least two of a joint", m.Rows)
	}
	slices.Sort(gaps)
	period := gaps[len(gaps)/2]
	micros := math.Round(period * 1e6)
	if !(micros >= 1 && micros <= 1e6) {
		return fmt.Errorf("the rows are %v s apart, want 1 µs to 1 s", period)
	}
	m.Period = time.Duration(micros) * time.Microsecond
	for _, series := range m.order {
		rows, first := m.times[series], 0
		for i := 1; i <= len(rows); i++ {
			if i < len(rows) && math.Abs(rows[i].at-rows[i-1].at-period) <= period/10 {
				continue
			}
			one := make([]row, 0, i-first)
			for _, r := range rows[first:i] {
				one = append(one, r.row)
			}
			m.series, first = append(m.series, one), i
		}
	}
	m.times, m.order = nil, nil
	return nil
}
