package plot

import (
	"bytes"
	"context"
	"errors"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
	"github.com/polyrhythm-rl/polyrhythm/runners"
)

// record writes two episodes of a signal that three tables see: each at its own rate, the newest sample of 500 Hz.
func record(t *testing.T) *recorder.Dataset {
	t.Helper()
	meta := format.Metadata{Task: "swing", Beat: "10", Runners: []format.Runner{{Name: "Robot", Rate: "50"},
		{Name: "Capture", Rate: "30"}, {Name: "Sensors", Rate: "500"}}}
	columns := []format.Column{
		{Name: "t_ns", Kind: format.Int64}, {Name: "episode", Kind: format.Int64}, {Name: "world", Kind: format.Int32},
		{Name: "sync", Kind: format.Bool},
		{Name: "gyro", Kind: format.Float64, Len: 3, Unit: "rad/s"},
		{Name: "gyro_stamp_ns", Kind: format.Int64, Nullable: true},
	}
	action := []format.Column{{Name: "action", Kind: format.Float32, Len: 5},
		{Name: "action_stamp_ns", Kind: format.Int64}}
	tables := []format.Table{
		{Name: "capture", Rate: "30", Columns: append(slices.Clone(columns), action...)},
		{Name: "control", Rate: "50", Columns: append(slices.Clone(columns), action...)},
		{Name: "sensors", Rate: "500", Columns: columns},
	}
	dir := t.TempDir()
	w := polytest.Must(recorder.Create(dir, tables, 1, meta, recorder.Options{BatchRows: 50}))(t)
	motor := runners.Hz(50)
	for episode := range int64(2) {
		for i, table := range tables {
			rate, _ := runners.ParseRate(table.Rate)
			for k := int64(0); rate.Timestamp(k) < 1e9; k++ {
				ns := rate.Timestamp(k)
				r := w.BlockWriter(0).Begin(i, recorder.Key{N: episode})
				r.Int(0, ns)
				r.Int(1, episode)
				r.Int(2, 0)
				r.Bool(3, ns%1e8 == 0)
				stamp := ns / 2e6 * 2e6
				s := float64(stamp) / 1e9
				r.Floats(4, []float64{math.Sin(20 * s), 0.6 * math.Cos(31*s), 0.3*math.Sin(55*s) + 0.2})
				r.Int(5, stamp)
				if i < 2 {
					stamp := motor.Timestamp(motor.Newest(rate, k))
					a := make([]float64, 5)
					for j := range a {
						a[j] = math.Sin(float64(stamp)/1e9*(8+3*float64(j))) * (1 + float64(episode))
					}
					r.Floats(6, a)
					r.Int(7, stamp)
				}
			}
		}
	}
	polytest.NoError(t, w.BlockWriter(0).EndSegment())
	polytest.NoError(t, w.Close())
	d := polytest.Must(recorder.Open(dir))(t)
	return d
}

// What is drawn is what the tables hold in the window: each sample once, at its stamp, and the rows on the beat.
func TestGather(t *testing.T) {
	g := polytest.Must(gather(t.Context(), record(t), &Options{Episode: 1}, 100e6, 300e6))(t)
	var names []string
	for _, s := range g.tables {
		names = append(names, s.name)
	}
	if !slices.Equal(names, []string{"sensors", "control", "capture"}) ||
		!slices.Equal(g.names, []string{"gyro", "action"}) {
		t.Errorf("tables %q, columns %q, want the fastest table first", names, g.names)
	}
	if !slices.Equal(g.sync, []int64{100e6, 200e6, 300e6}) {
		t.Errorf("sync points %v, want 100, 200 and 300 ms", g.sync)
	}
	sensors, capture := g.tables[0], g.tables[2]
	if got := sensors.series["gyro"].stamps; len(got) != 101 || got[0] != 100e6 || got[100] != 300e6 {
		t.Errorf("%d samples of sensors, want 101 from 100 to 300 ms", len(got))
	}
	polytest.EqualSlices(t, capture.series["gyro"].stamps, []int64{100e6, 132e6, 166e6, 200e6, 232e6, 266e6, 300e6},
		"samples that capture saw stand at")
	// 100, 133.3, 166.7, 200 … ms see the actions of 100, 120, 160, 200 …
	polytest.EqualSlices(t, capture.series["action"].stamps, []int64{100e6, 120e6, 160e6, 200e6, 220e6, 260e6, 300e6},
		"actions that capture saw stand at")
	polytest.Equal(t, capture.series["action"].values[1][0], float64(float32(2*math.Sin(0.12*8))), "action of 120 ms")
}

func TestWritePNG(t *testing.T) {
	d := record(t)
	draw := func(o Options) []byte {
		var out bytes.Buffer
		polytest.NoError(t, WritePNG(t.Context(), &out, d, o))
		return out.Bytes()
	}
	o := Options{Episode: 1, Until: 250 * time.Millisecond}
	first := draw(o)
	image := polytest.Must(png.Decode(bytes.NewReader(first)))(t)
	if size := image.Bounds().Size(); size.X < 1000 || size.Y < 300 {
		t.Errorf("a picture of %v", size)
	}
	polytest.EqualSlices(t, first, draw(o), "drawn again, it is another picture")
	// Beyond the episode there is nothing to draw, however long that is.
	polytest.EqualSlices(t, draw(Options{Until: time.Second}), draw(Options{Until: math.MaxInt64}),
		"until long after the episode, it is another picture than until its end")
	o.Columns = []string{"action"}
	few, err := png.Decode(bytes.NewReader(draw(o)))
	if err != nil || few.Bounds().Dy() >= image.Bounds().Dy() {
		t.Errorf("with one column of two it is %v high, want less than %v", few.Bounds().Dy(), image.Bounds().Dy())
	}
	if dir := os.Getenv("POLYTEST_PICTURES"); dir != "" {
		polytest.NoError(t, os.WriteFile(filepath.Join(dir, "swing.png"), first, 0o666))
	}
}

func TestWritePNGRefuses(t *testing.T) {
	d := record(t)
	for want, o := range map[string]Options{
		"episode 7 has no row":   {Episode: 7, Until: time.Second},
		"has no row from":        {From: 2 * time.Second, Until: 3 * time.Second},
		"later than that":        {From: time.Second, Until: time.Second},
		`no column "giro"`:       {Until: time.Second, Columns: []string{"giro"}},
		"want 0 or more and lat": {From: -time.Second, Until: time.Second},
	} {
		if err := WritePNG(t.Context(), &bytes.Buffer{}, d, o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: error %v, want one with %q", o, err, want)
		}
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if err := WritePNG(cancelled, &bytes.Buffer{}, d, Options{Until: time.Second}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: error %v, want %v", err, context.Canceled)
	}
}
