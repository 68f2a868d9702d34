package docs_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image/color"
	"strings"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// traced is the trace of a real run, as a timeline viewer reads it.
type traced struct {
	TraceEvents []struct {
		Name string  `json:"name"`
		Kind string  `json:"ph"`
		TS   float64 `json:"ts"`
		Dur  float64 `json:"dur"`
		TID  int     `json:"tid"`
		Args struct {
			Name string `json:"name"`
			NS   int64  `json:"t_ns"`
		} `json:"args"`
	} `json:"traceEvents"`
}

// traceRun steps one quadruped, sensors and recording on, and traces it.
func traceRun(t *testing.T) traced {
	t.Helper()
	name, data, err := configs.Preset("quadruped")
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := configs.Parse(name, data, []string{"worlds=1"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	trace := &sim.Trace{Events: 20_000}
	e, err := env.Open(cfg, env.OpenOptions{Workers: 1, Dataset: t.TempDir() + "/dataset", Trace: trace})
	if err != nil {
		t.Fatal(err)
	}
	err = e.Each(func(w *sim.Worker, b *sim.Block) error {
		for range 40 { // the standing robot; the last steps find warm caches
			if err := b.Step(w); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := trace.WriteJSON(&out); err != nil {
		t.Fatal(err)
	}
	var read traced
	if err := json.Unmarshal(out.Bytes(), &read); err != nil {
		t.Fatal(err)
	}
	return read
}

// realTrace draws two control steps of a real run from its trace, from a beat on:
// a row per track, a box per call, dashed lines at shared steps.
func realTrace(t *testing.T) *plot.Plot {
	read := traceRun(t)
	const from, to = 700_000_000, 740_000_000 // ns of the world's time
	tracks := map[int]string{}
	var first, last float64
	for _, e := range read.TraceEvents {
		if e.Kind == "M" && e.Args.Name != "" {
			tracks[e.TID] = e.Args.Name
		}
		if e.Kind == "X" && e.Args.NS >= from && e.Args.NS < to {
			if first == 0 {
				first = e.TS
			}
			last = e.TS + e.Dur
		}
	}
	// A row for each track with work, the first phase on top.
	rows := map[int]float64{}
	var ticks plot.ConstantTicks
	for id := 1000; id >= 0; id-- {
		if name, ok := tracks[id]; ok && name != "shared steps" {
			rows[id] = float64(len(rows))
			ticks = append(ticks, plot.Tick{Value: rows[id], Label: name})
		}
	}

	p := plot.New()
	p.X.Label.Text = "wall time of two control steps of one world, µs"
	p.Y.Tick.Marker = ticks
	p.Y.Tick.Length = 0
	p.Y.LineStyle.Width = 0
	p.X.Min, p.X.Max = 0, last-first
	p.Y.Min, p.Y.Max = -0.6, float64(len(rows))-0.4
	p.X.Padding, p.Y.Padding = 0, 0
	colors := map[string]color.Color{"Acquisition": blue, "Control": orange, "Physics": green, "beat": black}
	calls, shared := 0, 0
	for _, e := range read.TraceEvents {
		if e.TS < first || e.TS > last {
			continue
		}
		x := e.TS - first
		switch e.Kind {
		case "i":
			shared++
			c := color.Color(gray)
			if e.Name == "beat" {
				c = orange
			}
			line(t, p, c, vg.Points(0.7), true, plotter.XY{X: x, Y: p.Y.Min}, plotter.XY{X: x, Y: p.Y.Max})
		case "X":
			calls++
			phase, _, _ := strings.Cut(tracks[e.TID], ":")
			// Most calls are too short to see: at least a hairline each.
			width := max(e.Dur, (last-first)/900)
			y := rows[e.TID]
			box, err := plotter.NewPolygon(plotter.XYs{
				{X: x, Y: y - 0.35}, {X: x + width, Y: y - 0.35}, {X: x + width, Y: y + 0.35}, {X: x, Y: y + 0.35},
			})
			if err != nil {
				t.Fatal(err)
			}
			box.Color, box.LineStyle.Width = colors[phase], 0
			p.Add(box)
		}
	}
	// Two control steps hold 20 instants of six channels, and 2 each of the rest.
	if want := 20*6 + 2 + 1 + 2 + 2 + 2; calls != want || shared == 0 {
		t.Errorf("%d calls and %d shared steps in 40 ms, want %d and some: %s", calls, shared, want, fmt.Sprint(tracks))
	}
	return p
}
