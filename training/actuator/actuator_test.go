package actuator_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/physics/mujoco/scene"
	"github.com/polyrhythm-rl/polyrhythm/policy"
	"github.com/polyrhythm-rl/polyrhythm/training/actuator"
)

// measured is the table of a motor that no line describes: it is late by a row, saturates, and has dry friction.
func measured(rows int, seed uint64) string {
	r := rand.New(rand.NewPCG(seed, 1))
	var text strings.Builder
	text.WriteString("t,joint,position_error,velocity,torque\n")
	var e, v, before float64
	for i := range rows {
		before = e
		e = 0.95*e + 0.06*r.NormFloat64()
		v = 0.97*v + 0.5*r.NormFloat64()
		torque := 12*math.Tanh(40*before/12) - 0.3*v - 0.8*math.Tanh(5*v)
		fmt.Fprintf(&text, "%.4f,knee,%v,%v,%v\n", 0.005*float64(i), e, v, torque)
	}
	return text.String()
}

func read(t *testing.T, tables ...string) *actuator.Measurements {
	t.Helper()
	var m actuator.Measurements
	for i, table := range tables {
		table = strings.Repeat("\ufeff", i%2) + table // as some spreadsheets write it
		polytest.NoError(t, m.Add(fmt.Sprintf("log%d.csv", i), strings.NewReader(table)))
	}
	polytest.NoError(t, m.Divide())
	return &m
}

// A network learns what a line cannot, with the same bits each time, and its file says what it observes.
func TestLearn(t *testing.T) {
	s := actuator.DefaultSettings()
	s.Hidden, s.Epochs = []int{24, 24}, 40
	var files [][]byte
	for range 2 {
		m := read(t, measured(4000, 1), measured(2000, 2))
		polytest.Equal(t, m.Period, 5*time.Millisecond, "period")
		n, fit, err := actuator.Learn(t.Context(), m, s)
		polytest.NoError(t, err)
		if fit.HeldOutError > 0.06*fit.Torque || fit.HeldOutError > 0.3*fit.LineError || fit.Rows+fit.HeldOut != 6000-2*2 {
			t.Errorf("%+v: the network has learned little", *fit)
		}
		polytest.EqualSlices(t, n.ObservationNames, []string{"position_error[0s]", "position_error[-5ms]",
			"position_error[-10ms]", "velocity[0s]", "velocity[-5ms]", "velocity[-10ms]"}, "names")
		polytest.EqualSlices(t, n.ActionNames, []string{scene.Torque}, "names")
		var file bytes.Buffer
		polytest.NoError(t, n.Write(&file))
		files = append(files, file.Bytes())
		own := polytest.Must(policy.New(n))(t)
		action := make([]float32, 1)
		own.Act(action, []float64{0, 0.5, 0.5, 0, 0, 0})
		if math.Abs(float64(action[0])-12*math.Tanh(20./12)) > 1.5 {
			t.Errorf("torque %v at an error of 0.5, want about %v", action[0], 12*math.Tanh(20./12))
		}
	}
	polytest.EqualSlices(t, files[1], files[0], "file")
}

// A line is found again, whatever the period, and gaps and joints are series of their own.
func TestLineAndSeries(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	var text strings.Builder
	text.WriteString("torque,velocity,more,position_error,t,joint\n")
	for i := range 900 {
		e, v, at := r.NormFloat64(), r.NormFloat64(), 0.0025*float64(i/2)
		if i >= 500 {
			at++ // a gap
		}
		fmt.Fprintf(&text, "%v,%v,x,%v,%v,%s\n", 30*e-2*v+1, v, e, at, []string{"hip", "knee"}[i%2])
	}
	m := read(t, text.String())
	s := actuator.DefaultSettings()
	s.History, s.Epochs = 1, 1
	_, fit, err := actuator.Learn(t.Context(), m, s)
	polytest.NoError(t, err)
	polytest.Equal(t, fit.Series, 4, "series")
	polytest.Equal(t, fit.Period, 2500*time.Microsecond, "period")
	for _, pair := range [][2]float64{{fit.KP, 30}, {fit.KD, 2}, {fit.Constant, 1}, {fit.LineError, 0}} {
		if math.Abs(pair[0]-pair[1]) > 1e-4 {
			t.Errorf("%+v, want 30·e - 2·v + 1", *fit)
		}
	}
}

func TestWrongMeasurements(t *testing.T) {
	head := "t,position_error,velocity,torque\n"
	for table, want := range map[string]string{
		"":                                   "log.csv: the file is empty, want a head with the columns t, position_error, vel",
		"t,velocity,torque\n":                `log.csv: the head is ["t" "velocity" "torque"], want the columns t, po`,
		head + "0,1,2\n":                     "log.csv: record on line 2: wrong number of fields",
		head + "0,1,2,3\n0.01,1,fast,3\n":    `log.csv:3: velocity is "fast", want a finite number`,
		head + "0,1,2,NaN\n":                 `log.csv:2: torque is "NaN", want a finite number`,
		head + "0,1,2,3\n1,1,2,3\n1,1,2,3\n": "log.csv:4: t is 1 s after 1, want later rows later",
		head:                                 "0 rows of measurements, want at least two of a joint",
		head + "0,1,2,3\n":                   "1 rows of measurements, want at least two of a joint",
		head + "0,1,2,3\n5,1,2,3\n":          "the rows are 5 s apart, want 1 µs to 1 s",
		head + "0,1,2,3\n0.1,1,2,3\n":        "0 rows to learn from and 0 to compare with, want 50 and 1 at least",
	} {
		var m actuator.Measurements
		err := m.Add("log.csv", strings.NewReader(table))
		if err == nil {
			err = m.Divide()
		}
		if err == nil {
			_, _, err = actuator.Learn(t.Context(), &m, actuator.DefaultSettings())
		}
		polytest.ErrorContains(t, err, want)
	}
	s := actuator.DefaultSettings()
	s.History = 65
	_, _, err := actuator.Learn(t.Context(), read(t, measured(100, 1)), s)
	polytest.ErrorContains(t, err, "history is 65, want 1 to 64")
}

// Whatever is read is refused or finite.
func FuzzAdd(f *testing.F) {
	f.Add([]byte(measured(5, 1)))
	f.Add([]byte("t,position_error,velocity,torque\n0,1,2,3\n1e-3,1,\"2\",3\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var m actuator.Measurements
		if m.Add("log.csv", bytes.NewReader(data)) == nil && m.Divide() == nil &&
			(m.Rows < 2 || m.Period < time.Microsecond || m.Period > time.Second) {
			t.Errorf("%d rows, %v apart", m.Rows, m.Period)
		}
	})
}
