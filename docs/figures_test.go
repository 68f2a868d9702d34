// Package docs_test draws the pictures of the clock from the clock itself, so that they show what it does.
package docs_test

import (
	"fmt"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"testing"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/polyrhythm-rl/polyrhythm/runners"
)

var (
	blue   = color.NRGBA{0x3b, 0x6e, 0xa8, 0xff}
	orange = color.NRGBA{0xd9, 0x7a, 0x00, 0xff}
	green  = color.NRGBA{0x4a, 0x86, 0x32, 0xff}
	gray   = color.NRGBA{0x80, 0x80, 0x80, 0xff}
	black  = color.NRGBA{0x20, 0x20, 0x20, 0xff}
	yellow = color.NRGBA{0xff, 0xe0, 0x60, 0xff}
)

// TestFigures draws every picture. With POLYTEST_FIGURES=1 in the environment
// it replaces those in images, otherwise it draws them to nowhere.
func TestFigures(t *testing.T) {
	plot.DefaultFont.Variant = "Sans"
	plotter.DefaultFont.Variant = "Sans"
	folder := t.TempDir()
	if os.Getenv("POLYTEST_FIGURES") == "1" {
		folder = "images"
	}
	for _, f := range []struct {
		file          string
		draw          func(*testing.T) *plot.Plot
		width, height vg.Length
	}{
		{"beat.png", beat, 24, 7.5},
		{"modes.png", modes, 18, 12},
		{"trace.png", realTrace, 24, 9},
	} {
		path := filepath.Join(folder, f.file)
		if err := f.draw(t).Save(f.width*vg.Centimeter, f.height*vg.Centimeter, path); err != nil {
			t.Fatal(err)
		}
		file, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		_, err = png.Decode(file)
		file.Close()
		if err != nil {
			t.Errorf("%s: %v", f.file, err)
		}
	}
}

func line(t *testing.T, p *plot.Plot, c color.Color, width vg.Length, dashed bool, points ...plotter.XY) *plotter.Line {
	t.Helper()
	l, err := plotter.NewLine(plotter.XYs(points))
	if err != nil {
		t.Fatal(err)
	}
	l.Color, l.Width = c, width
	if dashed {
		l.Dashes = []vg.Length{vg.Points(3), vg.Points(3)}
	}
	p.Add(l)
	return l
}

func circles(t *testing.T, p *plot.Plot, points plotter.XYs) {
	t.Helper()
	for _, g := range []struct {
		shape draw.GlyphDrawer
		color color.Color
	}{{draw.CircleGlyph{}, color.White}, {draw.RingGlyph{}, black}} {
		s, err := plotter.NewScatter(points)
		if err != nil {
			t.Fatal(err)
		}
		s.GlyphStyle = draw.GlyphStyle{Shape: g.shape, Color: g.color, Radius: vg.Points(3.5)}
		p.Add(s)
	}
}

// beat draws one beat of 500, 50 and 30 Hz: a row per runner, a tick per step, a
// ring and a connecting line where several runners share an instant.
func beat(t *testing.T) *plot.Plot {
	all := []runners.Runner{
		{Name: "Robot", Rate: runners.Hz(50)}, {Name: "Capture", Rate: runners.Hz(30)},
		{Name: "Sensors", Rate: runners.Hz(500)},
	}
	rows := map[string]float64{"Robot": 1, "Capture": 2, "Sensors": 0}
	colors := map[string]color.Color{"Robot": orange, "Capture": green, "Sensors": blue}
	s, err := runners.Compile(all, nil)
	if err != nil {
		t.Fatal(err)
	}
	p := plot.New()
	p.X.Label.Text = "time of one world, ms"
	p.Y.Min, p.Y.Max = -0.5, 2.7
	p.X.Min, p.X.Max = -1, 101
	p.Y.LineStyle.Width = 0
	p.X.Padding, p.Y.Padding = 0, 0
	var ticks plot.ConstantTicks
	for _, r := range all {
		ticks = append(ticks, plot.Tick{Value: rows[r.Name], Label: fmt.Sprintf("%s %v Hz", r.Name, r.Rate)})
	}
	p.Y.Tick.Marker = ticks
	p.Y.Tick.Length = 0
	var tens plot.ConstantTicks
	for ms := 0; ms <= 100; ms += 10 {
		tens = append(tens, plot.Tick{Value: float64(ms), Label: fmt.Sprint(ms)})
	}
	p.X.Tick.Marker = tens

	for _, y := range rows {
		line(t, p, color.NRGBA{0xcc, 0xcc, 0xcc, 0xff}, vg.Points(1), false, plotter.XY{X: 0, Y: y}, plotter.XY{X: 100, Y: y})
	}
	var shared plotter.XYs
	labels := plotter.XYLabels{}
	instants := 0
	err = runners.NewClock(s).Timeline(100e6, func(at runners.Instant) error {
		instants++
		x := float64(at.NS) / 1e6
		if at.Sync {
			line(t, p, yellow, vg.Points(7), false, plotter.XY{X: x, Y: -0.5}, plotter.XY{X: x, Y: 2.7})
		}
		low, high := 2.0, 0.0
		for _, name := range at.Runners {
			y := rows[name]
			low, high = min(low, y), max(high, y)
			line(t, p, colors[name], vg.Points(1.8), false, plotter.XY{X: x, Y: y - 0.28}, plotter.XY{X: x, Y: y + 0.28})
			if len(at.Runners) > 1 {
				shared = append(shared, plotter.XY{X: x, Y: y})
			}
			if name == "Capture" {
				labels.XYs = append(labels.XYs, plotter.XY{X: x, Y: 2.38})
				labels.Labels = append(labels.Labels, thousands(at.NS)+" ns")
			}
		}
		if len(at.Runners) > 1 {
			line(t, p, black, vg.Points(0.8), !at.Sync, plotter.XY{X: x, Y: low}, plotter.XY{X: x, Y: high})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if instants != 53 || len(shared) != 2*3+4*2 {
		t.Errorf("%d instants with %d rings, want the 52 of a beat and the next beat with 14", instants, len(shared))
	}
	circles(t, p, shared)
	text, err := plotter.NewLabels(labels)
	if err != nil {
		t.Fatal(err)
	}
	for i := range text.TextStyle {
		text.TextStyle[i].XAlign = draw.XCenter
		text.TextStyle[i].Color = green
	}
	text.TextStyle[len(text.TextStyle)-1].XAlign = draw.XRight
	text.TextStyle[0].XAlign = draw.XLeft
	p.Add(text)
	return p
}

// thousands writes a number of at least 0 with commas.
func thousands(n int64) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return thousands(n/1000) + fmt.Sprintf(",%03d", n%1000)
}

// machine is a computer on which time passes only by work and by waiting. It
// runs what a driver tells it to, and notes how far the simulation is.
type machine struct {
	now    time.Duration
	worlds plotter.XYs
}

const (
	slowFrom, slowTo = 400 * time.Millisecond, 800 * time.Millisecond
	stallAt          = 1200 * time.Millisecond
	stall            = 500 * time.Millisecond
	budget           = 15 * time.Millisecond
)

func (m *machine) Now() time.Duration   { return m.now }
func (m *machine) Control() runners.ID  { return 0 }
func (*machine) Follow(*runners.Cursor) {}

// Skip notes where the simulation stands, one interval before the instant that fires next.
func (m *machine) Skip(s runners.Skip) error {
	return m.note(s.ToNS - (s.ToNS-s.FromNS)/s.Intervals)
}
func (m *machine) Instant(c *runners.Cursor) error {
	m.now += 2 * time.Millisecond
	if m.now >= slowFrom && m.now < slowTo {
		m.now += 28 * time.Millisecond
	}
	return m.note(c.NS())
}

func (m *machine) note(ns int64) error {
	point := plotter.XY{X: m.now.Seconds(), Y: float64(ns) / 1e9}
	if n := len(m.worlds); n > 0 { // steps, not slopes
		m.worlds = append(m.worlds, plotter.XY{X: point.X, Y: m.worlds[n-1].Y})
	}
	m.worlds = append(m.worlds, point)
	return nil
}

// modes draws simulated against wall time in the three modes, on a machine that
// is too slow for a while and then stands still for a while.
func modes(t *testing.T) *plot.Plot {
	const length = 2500 * time.Millisecond
	p := plot.New()
	p.X.Label.Text, p.Y.Label.Text = "wall clock, s", "simulated time, s"
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, length.Seconds(), 0, length.Seconds()
	for _, span := range [][2]time.Duration{{slowFrom, slowTo}, {stallAt, stallAt + stall}} {
		from, to := span[0].Seconds(), span[1].Seconds()
		corners := plotter.XYs{{X: from, Y: 0}, {X: to, Y: 0}, {X: to, Y: p.Y.Max}, {X: from, Y: p.Y.Max}}
		area, err := plotter.NewPolygon(corners)
		if err != nil {
			t.Fatal(err)
		}
		area.Color, area.LineStyle.Width = color.NRGBA{0xee, 0xee, 0xee, 0xff}, 0
		p.Add(area)
	}
	p.Legend.Add("the wall clock itself", line(t, p, gray, vg.Points(1), true, plotter.XY{}, plotter.XY{X: 2.5, Y: 2.5}))
	s, err := runners.Compile([]runners.Runner{{Name: "Robot", Rate: runners.Hz(50)}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []struct {
		mode  runners.Mode
		color color.Color
	}{{runners.SimHighPerformance, blue}, {runners.GameRealtime, orange}, {runners.SimRealtime, green}} {
		on := &machine{}
		d, err := runners.NewDriver(s, on, runners.Settings{Mode: m.mode, Clock: on, Budget: budget})
		if err != nil {
			t.Fatal(err)
		}
		stalled := false
		for on.now < length && d.Total().Instants < 150 {
			if _, err := d.Frame(); err != nil {
				t.Fatal(err)
			}
			if m.mode != runners.SimHighPerformance {
				on.now += time.Second / 60
			}
			if on.now >= stallAt && !stalled {
				on.now, stalled = on.now+stall, true
			}
		}
		for _, point := range on.worlds {
			if m.mode != runners.SimHighPerformance && point.Y > point.X {
				t.Fatalf("%v: at %v s simulated after %v s", m.mode, point.Y, point.X)
			}
		}
		if total := d.Total(); (total.Skipped > 0) != (m.mode == runners.GameRealtime) {
			t.Errorf("%v: %+v", m.mode, total)
		}
		inside := plotter.XYs{}
		for _, point := range on.worlds {
			if point.X <= p.X.Max && point.Y <= p.Y.Max {
				inside = append(inside, point)
			}
		}
		p.Legend.Add(m.mode.String(), line(t, p, m.color, vg.Points(1.8), false, inside...))
	}
	p.Legend.Left, p.Legend.Top = true, true
	p.Legend.XOffs, p.Legend.YOffs, p.Legend.Padding = vg.Points(75), vg.Points(-6), vg.Points(3)
	notes, err := plotter.NewLabels(plotter.XYLabels{
		XYs:    plotter.XYs{{X: slowFrom.Seconds() + 0.02, Y: 0.06}, {X: stallAt.Seconds() + 0.02, Y: 0.06}},
		Labels: []string{"a step needs 30 ms", "the process stands still"},
	})
	if err != nil {
		t.Fatal(err)
	}
	p.Add(notes)
	return p
}
