package docs_test

import (
	"bytes"
	"errors"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/recorder/plot"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// TestEpisodeFigure draws the beginning of a recorded episode: a quadruped whose legs swing. As with TestFigures,
// POLYTEST_FIGURES=1 replaces the picture in images.
func TestEpisodeFigure(t *testing.T) {
	name, data, err := configs.Preset("quadruped")
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := configs.Parse(name, data, []string{"worlds=1", "recording.tables=[capture, control, sensors]"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	e, err := env.Open(cfg, env.OpenOptions{Workers: 1, Dataset: dir})
	if err != nil {
		t.Fatal(err)
	}
	step := 0
	err = e.Each(func(w *sim.Worker, b *sim.Block) error {
		for ; step < 15; step++ {
			for i := range b.Actions() {
				b.Actions()[i] = float32(0.6 * math.Sin(0.9*float64(step)+float64(i)))
			}
			if err := b.Step(w); err != nil {
				return err
			}
		}
		return nil
	})
	if err = errors.Join(err, e.Close()); err != nil {
		t.Fatal(err)
	}
	d, err := recorder.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	columns := []string{"action", "joint_velocity", "orientation", "foot_contact"}
	o := plot.Options{Until: 250 * time.Millisecond, Columns: columns}
	if err := plot.WritePNG(t.Context(), &out, d, o); err != nil {
		t.Fatal(err)
	}
	if _, err := png.Decode(bytes.NewReader(out.Bytes())); err != nil {
		t.Error(err)
	}
	if os.Getenv("POLYTEST_FIGURES") == "1" {
		if err := os.WriteFile(filepath.Join("images", "episode.png"), out.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}
