package plot

import (
	"context"
	"errors"
	"fmt"
	"image/color"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"

	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/runners"
)

// ErrOptions is wrapped by errors about the [Options].
var ErrOptions = errors.New("want others")

// Options says what is drawn.
type Options struct {
	Episode int64 // run-wide number
	// From and Until bound the time of the rows that are drawn, since the episode began, both included. The
	// picture ends with the last row's step if that is earlier.
	From, Until time.Duration
	// Columns are drawn; if there are none, all that have stamps except the observation.
	Columns []string
	Dark    bool // light on a dark ground, in place of dark on white
	// ClockChanges says that rates change in mid-run. The boundaries of the runners are not drawn then.
	ClockChanges bool
}

// Sizes of the picture.
const (
	width       = 11 * vg.Inch
	headHeight  = 0.75 * vg.Inch
	panelHeight = 1.35 * vg.Inch
	axisHeight  = 0.35 * vg.Inch
	gap         = 0.08 * vg.Inch
	margin      = 10
	maxParts    = 3 // number of values of a list that are drawn, at most
)

// Colours that colour-blind people can distinguish, too (Okabe and Ito).
var (
	onWhite = theme{color.White, color.RGBA{0x22, 0x22, 0x22, 0xff}, color.RGBA{0x9a, 0x9a, 0x9a, 0xff}, color.Gray{0xe0},
		color.RGBA{0xc0, 0x2b, 0x6b, 0xff},
		[maxParts]color.RGBA{{0x00, 0x72, 0xb2, 0xff}, {0xd5, 0x5e, 0x00, 0xff}, {0x00, 0x9e, 0x73, 0xff}}}
	onDark = theme{color.Gray{0x1c}, color.RGBA{0xd8, 0xd8, 0xd8, 0xff}, color.RGBA{0x80, 0x80, 0x80, 0xff}, color.Gray{0x38},
		color.RGBA{0xcc, 0x79, 0xa7, 0xff},
		[maxParts]color.RGBA{{0x56, 0xb4, 0xe9, 0xff}, {0xe6, 0x9f, 0x00, 0xff}, {0x00, 0x9e, 0x73, 0xff}}}
)

// theme is the colours of a picture.
type theme struct {
	ground     color.Color
	ink, quiet color.RGBA // of texts and markers; of axes and boundaries
	lane       color.Gray
	beat       color.RGBA
	parts      [maxParts]color.RGBA // of the values of a list
}

// WritePNG draws an episode. Every sample is a marker at its stamp, the time it belongs to: dots for the fastest table,
// a larger ring for each slower one, around the sample that its row saw. The lanes above show when the clock's runners
// fire and which tables have rows then; lines from top to bottom mark the rows on the beat.
func WritePNG(ctx context.Context, w io.Writer, d *recorder.Dataset, o Options) error {
	from, until := o.From.Nanoseconds(), o.Until.Nanoseconds()
	if from < 0 || until <= from {
		return fmt.Errorf("from %v until %v, want 0 or more and later than that", o.From, o.Until)
	}
	g, err := gather(ctx, d, &o, from, until)
	if err != nil {
		return err
	}
	if g.theme = onWhite; o.Dark {
		g.theme = onDark
	}
	until = min(until, g.end())
	o.Until = time.Duration(until)
	lanes := lanesOf(d, g, &o, from, until)
	panels := [][]*plot.Plot{{lanePanel(lanes, g)}}
	for _, name := range g.names {
		if p := seriesPanel(name, g); p != nil {
			panels = append(panels, []*plot.Plot{p})
		}
	}
	for i, row := range panels {
		p := row[0]
		p.X.Min, p.X.Max = float64(from)/1e6, float64(until)/1e6
		p.X.Padding = 0
		p.X.Tick.Marker = round(11, i == len(panels)-1)
		p.Add(plotFunc(g.marks))
	}
	panels[len(panels)-1][0].X.Label.Text = "time since the episode began, ms"

	total := headHeight + panelHeight*vg.Length(len(panels)) + axisHeight
	canvas := vgimg.NewWith(vgimg.UseWH(width, total), vgimg.UseDPI(110))
	page := draw.New(canvas)
	page.SetColor(g.theme.ground)
	page.Fill(page.Rectangle.Path())
	head(draw.Crop(page, 0, 0, total-headHeight, 0), d, g, &o)
	tiles := draw.Tiles{Rows: len(panels), Cols: 1, PadY: gap, PadLeft: margin, PadRight: margin, PadBottom: gap}
	for i, row := range plot.Align(panels, tiles, draw.Crop(page, 0, 0, 0, -headHeight)) {
		panels[i][0].Draw(row[0])
	}
	_, err = vgimg.PngCanvas{Canvas: canvas}.WriteTo(w)
	return err
}

// newPanel returns a plot in the picture's style.
func (t *theme) newPanel() *plot.Plot {
	p := plot.New()
	p.BackgroundColor = color.Transparent
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Color, a.Tick.Color = t.quiet, t.quiet
		a.Label.TextStyle.Font = sans(9)
		a.Label.TextStyle.Color = t.ink
		a.Tick.Label.Font = sans(8)
		a.Tick.Label.Color = t.ink
		a.Width, a.Tick.Width = 0.5, 0.5
		a.Tick.Length = 3
	}
	return p
}

func sans(size vg.Length) font.Font {
	return font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}
}

// lane is one line of the upper part: a runner, or a table at a rate that no runner has.
type lane struct {
	name   string
	fires  []int64 // timestamps of the runner's boundaries
	tables []int   // numbers of the window's tables that have rows at these boundaries
	rate   runners.Rate
}

// lanesOf returns the lanes, fastest at the top.
func lanesOf(d *recorder.Dataset, g *window, o *Options, from, until int64) []lane {
	var all []lane
	used := map[int]bool{}
	for _, r := range d.Metadata.Runners {
		rate, err := runners.ParseRate(r.Rate)
		if err != nil {
			continue
		}
		l := lane{name: fmt.Sprintf("%s  %s", r.Name, hertz(rate)), rate: rate}
		if !o.ClockChanges {
			l.fires = timestamps(rate, from, until)
		}
		for i, t := range g.tables {
			if t.rate == rate && !used[i] {
				used[i] = true
				l.tables = append(l.tables, i)
			}
		}
		all = append(all, l)
	}
	for i, t := range g.tables {
		if !used[i] {
			name := strings.TrimSpace(t.name + "  " + hertz(t.rate))
			all = append(all, lane{name: name, tables: []int{i}, rate: t.rate})
		}
	}
	slices.SortStableFunc(all, func(a, b lane) int { return faster(a.rate, b.rate) })
	return all
}

func hertz(rate runners.Rate) string {
	if rate.IsZero() {
		return ""
	}
	return rate.String() + " Hz"
}

// timestamps returns the timestamps of a rate's boundaries from ≤ timestamp ≤ until.
func timestamps(rate runners.Rate, from, until int64) []int64 {
	var all []int64
	k := max(0, int64(float64(from)/1e9/rate.Seconds())-1)
	for ; rate.Timestamp(k) <= until; k++ {
		if ns := rate.Timestamp(k); ns >= from {
			all = append(all, ns)
		}
	}
	return all
}

// plotFunc is a [plot.Plotter] that leaves the size of the panel alone.
type plotFunc func(c draw.Canvas, p *plot.Plot)

// Plot implements plot.Plotter.
func (f plotFunc) Plot(c draw.Canvas, p *plot.Plot) { f(c, p) }

// points returns the places of finite values at times in ns.
func points(times []int64, value func(i int) float64) (all plotter.XYs) {
	for i, ns := range times {
		if v := value(i); !math.IsNaN(v) && !math.IsInf(v, 0) {
			all = append(all, plotter.XY{X: float64(ns) / 1e6, Y: v})
		}
	}
	return all
}

// markers are glyphs at points.
func markers(points plotter.XYs, style draw.GlyphStyle, c color.Color) plotFunc {
	style.Color = c
	return (&plotter.Scatter{XYs: points, GlyphStyle: style}).Plot
}

// lanePanel shows when the runners fire, and the rows.
func lanePanel(lanes []lane, g *window) *plot.Plot {
	p := g.theme.newPanel()
	p.Y.Min, p.Y.Max = -0.6, float64(len(lanes))-0.4
	p.Y.Padding = 4
	p.Y.LineStyle.Width, p.Y.Tick.Length = 0, 0
	var names plot.ConstantTicks
	for i, l := range lanes {
		height := float64(len(lanes) - 1 - i)
		names = append(names, plot.Tick{Value: height, Label: l.name})
		p.Add(plotFunc(func(c draw.Canvas, p *plot.Plot) {
			x, y := p.Transforms(&c)
			c.StrokeLine2(draw.LineStyle{Color: g.theme.lane, Width: 0.5}, c.Min.X, y(height), c.Max.X, y(height))
			for _, ns := range l.fires {
				c.StrokeLine2(draw.LineStyle{Color: g.theme.quiet, Width: 0.6}, x(float64(ns)/1e6), y(height)-4,
					x(float64(ns)/1e6), y(height)+4)
			}
		}))
		for _, t := range l.tables {
			p.Add(markers(points(g.tables[t].times, func(int) float64 { return height }), shapeOf(g, t), g.theme.ink))
		}
	}
	p.Y.Tick.Marker = names
	return p
}

// seriesPanel shows the samples of one column in all tables; nil if there are none.
func seriesPanel(name string, g *window) *plot.Plot {
	p := g.theme.newPanel()
	p.Y.Padding = 6
	p.X.Padding = 0
	parts := 0
	low, high := math.Inf(1), math.Inf(-1)
	for i := len(g.tables) - 1; i >= 0; i-- { // rings below, dots above
		s := g.tables[i].series[name]
		if s == nil || len(s.stamps) == 0 {
			continue
		}
		parts = len(s.values[0])
		for part := range min(parts, maxParts) {
			values := points(s.stamps, func(k int) float64 { return s.values[k][part] })
			if s.all {
				p.Add(holdLine(values, g.theme.parts[part]))
			}
			p.Add(markers(values, shapeOf(g, i), g.theme.parts[part]))
			_, _, least, most := plotter.XYRange(values)
			low, high = min(low, least), max(high, most)
		}
	}
	if parts == 0 {
		return nil
	}
	if low > high {
		low, high = 0, 0
	}
	room := 0.08 * (high - low)
	if room == 0 {
		room = max(0.5, 0.1*math.Abs(high))
	}
	p.Y.Min, p.Y.Max = low-room, high+room
	label := g.units[name]
	if parts > maxParts {
		label = strings.TrimPrefix(fmt.Sprintf("%s, %d of %d", label, maxParts, parts), ", ")
	}
	p.Y.Label.Text = strings.TrimSpace(name + "\n" + label)
	p.Y.Tick.Marker = round(5, true)
	return p
}

// holdLine is a thin line that shows each value until the next.
func holdLine(points plotter.XYs, c color.RGBA) plotFunc {
	var steps plotter.XYs
	for i, p := range points {
		steps = append(steps, plotter.XY{X: p.X, Y: points[max(0, i-1)].Y}, p)
	}
	faint := draw.LineStyle{Color: color.NRGBA{c.R, c.G, c.B, 0x60}, Width: 0.6}
	return (&plotter.Line{XYs: steps, LineStyle: faint}).Plot
}

// shapeOf returns the marker of a table: a dot for the fastest, then larger and larger rings.
func shapeOf(g *window, table int) draw.GlyphStyle {
	if table == 0 && len(g.tables) > 1 {
		return draw.GlyphStyle{Radius: 1.1, Shape: draw.CircleGlyph{}}
	}
	if len(g.tables) == 1 {
		return draw.GlyphStyle{Radius: 2.2, Shape: draw.CircleGlyph{}}
	}
	return draw.GlyphStyle{Radius: vg.Length(0.6 + 2*float64(table)), Shape: draw.RingGlyph{}}
}

// marks draws the sync points.
func (g *window) marks(c draw.Canvas, p *plot.Plot) {
	x, _ := p.Transforms(&c)
	hue := g.theme.beat
	hue.A = 0x90
	style := draw.LineStyle{Color: color.NRGBA(hue), Width: 0.9, Dashes: []vg.Length{4, 2}}
	for _, ns := range g.sync {
		if position := x(float64(ns) / 1e6); c.ContainsX(position) {
			c.StrokeLine2(style, position, c.Min.Y, position, c.Max.Y)
		}
	}
}

// round places at most n ticks, at multiples of 1, 2 or 5 times a power of ten.
func round(n int, labelled bool) plot.TickerFunc {
	return func(low, high float64) (ticks []plot.Tick) {
		step := math.Pow(10, math.Floor(math.Log10((high-low)/float64(n))))
		for i := 0; (high-low)/step >= float64(n); i++ {
			step *= [...]float64{2, 2.5, 2}[i%3]
		}
		for k := math.Ceil(low / step); k*step <= high; k++ {
			tick := plot.Tick{Value: k * step}
			if labelled {
				tick.Label = strconv.FormatFloat(k*step+0, 'g', 6, 64) // never -0
			}
			ticks = append(ticks, tick)
		}
		return ticks
	}
}

// head writes the title and the meaning of the markers.
func head(c draw.Canvas, d *recorder.Dataset, g *window, o *Options) {
	style := plot.New().Title.TextStyle
	style.Font, style.Color = sans(13), g.theme.ink
	style.XAlign, style.YAlign = draw.XLeft, draw.YTop
	left, top := c.Min.X+14, c.Max.Y-10
	c.FillText(style, vg.Point{X: left, Y: top}, fmt.Sprintf("%s, episode %d, %g to %g ms", d.Metadata.Task, o.Episode,
		float64(o.From)/1e6, float64(o.Until)/1e6))

	style.Font = sans(9)
	style.YAlign = draw.YCenter
	x, y := left, top-28
	text := func(s string) {
		c.FillText(style, vg.Point{X: x, Y: y}, s)
		x += style.Width(s) + 16
	}
	for i, t := range g.tables {
		glyph := shapeOf(g, i)
		glyph.Color = g.theme.ink
		c.DrawGlyph(glyph, vg.Point{X: x + 4, Y: y})
		x += 13
		text(strings.TrimSpace("table " + t.name + ", " + hertz(t.rate)))
	}
	for part, color := range g.theme.parts {
		c.DrawGlyph(draw.GlyphStyle{Color: color, Radius: 2.5, Shape: draw.CircleGlyph{}}, vg.Point{X: x + 3, Y: y})
		x += 10
		text(fmt.Sprintf("[%d]", part))
	}
	if len(g.sync) > 0 {
		c.StrokeLine2(draw.LineStyle{Color: g.theme.beat, Width: 1, Dashes: []vg.Length{4, 2}}, x, y-6, x, y+6)
		x += 6
		text("sync point: all rates meet")
	}
}
