package render

import (
	"context"
	"errors"
	"image"
	"image/color"
	"image/gif"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/internal/ffmpeg"
	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/runners"
)

// fake is a model whose renderer paints a square at the place that its pose says, on a gradient.
type fake struct {
	physics.Model
	fails int64 // the pose with this value cannot be drawn; 0: all can
	open  int
	focus []float64 // where the camera looked, by pose, when one renderer drew
}

func (f *fake) Cameras() []string     { return nil }
func (f *fake) Pose() physics.Vector  { return physics.Vector{Source: "pose", Size: 1} }
func (f *fake) PoseOf(_, _ []float64) {}
func (f *fake) Scenery() physics.Span { return physics.Span{Len: 1} }

func (f *fake) NewRenderer(v physics.View) (physics.Renderer, error) {
	f.open++
	return &fakeRenderer{model: f}, nil
}

type fakeRenderer struct {
	model   *fake
	scenery float64
}

func (r *fakeRenderer) SetScenery(values []float64) error {
	r.scenery = values[0]
	return nil
}

func (r *fakeRenderer) Focus(pose []float64) ([3]float64, error) {
	return [3]float64{pose[0], 7, float64(int(pose[0]) % 2)}, nil
}

func (r *fakeRenderer) Render(pose []float64, focus [3]float64, picture *image.RGBA) error {
	if r.model.fails != 0 && pose[0] == float64(r.model.fails) {
		return errors.New("cannot draw this")
	}
	if r.model.open == 1 {
		r.model.focus = append(r.model.focus, focus[0])
	}
	bounds := picture.Bounds()
	for y := range bounds.Dy() {
		for x := range bounds.Dx() {
			c := color.RGBA{uint8(4 * x), uint8(5 * y), uint8(r.scenery), 255}
			if x0 := int(pose[0]); x >= x0%40 && x < x0%40+8 && y >= 10 && y < 18 {
				c = color.RGBA{250, 240, 20, 255}
			}
			picture.SetRGBA(x, y, c)
		}
	}
	return nil
}

func (r *fakeRenderer) Close() error { r.model.open--; return nil }

// episode has a pose every 20 ms, measured then, which is the number of the row.
func episode(rows int) *Episode {
	e := &Episode{Length: int64(rows) * 20e6, Scenery: []float64{60}}
	for i := range rows {
		ns := int64(i) * 20e6
		e.Times, e.Stamps, e.Poses = append(e.Times, ns), append(e.Stamps, ns), append(e.Poses, []float64{float64(i)})
	}
	return e
}

var small = physics.View{Width: 60, Height: 40}

// painted returns the picture of a pose.
func painted(t *testing.T, pose float64) *image.RGBA {
	t.Helper()
	p := image.NewRGBA(image.Rect(0, 0, 60, 40))
	r := &fakeRenderer{model: &fake{}, scenery: 60}
	polytest.NoError(t, r.Render([]float64{pose}, [3]float64{}, p))
	return p
}

// pick returns the rows that frames at a rate show.
func pick(e *Episode, fps runners.Rate, frames int) []float64 {
	var rows []float64
	for k := range frames {
		rows = append(rows, e.At(fps.Timestamp(int64(k)))[0])
	}
	return rows
}

// Each frame shows the newest pose that was measured at or before its time, to the nanosecond.
func TestFramesAreTheNewestPoses(t *testing.T) {
	e := episode(6)
	polytest.Equal(t, framesIn(e.Length, runners.Hz(30)), 4, "frames of 30 Hz in 120 ms")
	polytest.EqualSlices(t, pick(e, runners.Hz(30), 4), []float64{0, 1, 3, 5}, "30 Hz shows")
	polytest.EqualSlices(t, pick(e, runners.Hz(50), 6), []float64{0, 1, 2, 3, 4, 5}, "50 Hz shows")
	for _, c := range []struct {
		ns   int64
		want float64
	}{{0, 0}, {19_999_999, 0}, {20_000_000, 1}, {1e12, 5}, {-5, 0}} {
		polytest.Equal(t, e.At(c.ns)[0], c.want, "at %d ns row", c.ns)
	}
	for i := range e.Stamps[1:] { // rows that come 7 ms after what they hold
		e.Stamps[1+i] -= 7e6
	}
	for ns, want := range map[int64]float64{12_999_999: 0, 13_000_000: 1, 20_000_000: 1, 33_000_000: 2, 1e12: 5} {
		polytest.Equal(t, e.At(ns)[0], want, "with stamps, at %d ns row", ns)
	}
	for _, c := range []struct{ end, want int64 }{{0, 1}, {1, 1}, {33_333_333, 1}, {33_333_334, 2},
		{1e9, 30}, {1e9 + 1, 31}, {3600e9, 108000}} {
		if n := framesIn(c.end, runners.Hz(30)); n != c.want {
			t.Errorf("%d frames in %d ns, want %d", n, c.end, c.want)
		}
	}
}

func write(t *testing.T, m *fake, e *Episode, opt Options, name string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), name)
	polytest.NoError(t, CheckOut(out, false))
	polytest.NoError(t, Write(context.Background(), m, e, opt, out))
	polytest.Equal(t, m.open, 0, "renderers left open")
	return out
}

// composed plays a GIF as a viewer does.
func composed(t *testing.T, path string) (pictures []*image.RGBA, delays []int) {
	t.Helper()
	f := polytest.Must(os.Open(path))(t)
	defer f.Close()
	g := polytest.Must(gif.DecodeAll(f))(t)
	if g.LoopCount != 0 {
		t.Errorf("it repeats %d times, want for ever", g.LoopCount)
	}
	screen := image.NewRGBA(image.Rect(0, 0, g.Config.Width, g.Config.Height))
	for _, frame := range g.Image {
		for y := frame.Rect.Min.Y; y < frame.Rect.Max.Y; y++ {
			for x := frame.Rect.Min.X; x < frame.Rect.Max.X; x++ {
				if c := color.RGBAModel.Convert(frame.At(x, y)).(color.RGBA); c.A == 255 {
					screen.SetRGBA(x, y, c)
				}
			}
		}
		now := image.NewRGBA(screen.Rect)
		copy(now.Pix, screen.Pix)
		pictures = append(pictures, now)
	}
	return pictures, g.Delay
}

// off returns the mean difference of two pictures, in steps of 8 bits.
func off(a, b *image.RGBA) float64 {
	sum := 0.0
	for i := range a.Pix {
		sum += math.Abs(float64(a.Pix[i]) - float64(b.Pix[i]))
	}
	return sum / float64(len(a.Pix))
}

// A GIF shows the frames in good colours, for as long as they last.
func TestGIF(t *testing.T) {
	e := episode(12)
	out := write(t, &fake{}, e, Options{View: small, FPS: runners.Hz(30)}, "clip.gif")
	pictures, delays := composed(t, out)
	want := pick(e, runners.Hz(30), 8)
	if len(pictures) != len(want) || !slices.Equal(delays, []int{3, 4, 3, 3, 4, 3, 3, 4}) {
		t.Fatalf("%d pictures with delays %v, want %d", len(pictures), delays, len(want))
	}
	for k, pose := range want {
		if d := off(pictures[k], painted(t, pose)); d > 4 {
			t.Errorf("frame %d is off by %.1f", k, d)
		}
	}
}

// Frames that are alike are one, shown longer.
func TestGIFMergesFrames(t *testing.T) {
	e := episode(2)
	e.Length = 1e9
	pictures, delays := composed(t, write(t, &fake{}, e, Options{View: small, FPS: runners.Hz(100)}, "clip.GIF"))
	if len(pictures) != 2 || !slices.Equal(delays, []int{2, 98}) {
		t.Errorf("%d pictures with delays %v, want 2: 2 and 98", len(pictures), delays)
	}
}

// PNG files have the exact pixels.
func TestPNGFolder(t *testing.T) {
	e := episode(5)
	out := write(t, &fake{}, e, Options{View: small, FPS: runners.Hz(50), From: 20e6, Until: 80e6}, "frames")
	names, err := filepath.Glob(filepath.Join(out, "*"))
	if err != nil || len(names) != 3 || filepath.Base(names[2]) != "000002.png" {
		t.Fatalf("files %v, %v; want 000000.png to 000002.png", names, err)
	}
	for k, name := range names {
		f := polytest.Must(os.Open(name))(t)
		got, err := png.Decode(f)
		f.Close()
		polytest.NoError(t, err)
		polytest.EqualSlices(t, got.(*image.RGBA).Pix, painted(t, float64(k+1)).Pix,
			"%s differs from what was drawn", name)
	}
}

// The bytes do not depend on the number of renderers.
func TestSameBytesForAnyNumberOfRenderers(t *testing.T) {
	var first []byte
	for _, n := range []int{1, 2, 3, 50} {
		data := polytest.Must(os.ReadFile(write(t, &fake{}, episode(30), Options{View: small, Renderers: n}, "clip.gif")))(t)
		if first == nil {
			first = data
		}
		polytest.EqualSlices(t, data, first, "%d renderers give other bytes than one", n)
	}
}

// The camera follows a steady walk exactly and evens out what goes to and fro.
func TestSmoothFocus(t *testing.T) {
	c := &clip{episode: episode(100), options: Options{FPS: runners.Hz(50)}, frames: 100,
		renderers: []physics.Renderer{&fakeRenderer{}}}
	polytest.NoError(t, c.follow(context.Background()))
	for k, focus := range c.focus {
		if math.Abs(focus[0]-float64(k)) > 1e-9 || math.Abs(focus[1]-7) > 1e-9 {
			t.Fatalf("frame %d looks at %v, want %d 7", k, focus, k)
		}
		if k > 40 && k < 60 && math.Abs(focus[2]-0.5) > 0.01 {
			t.Errorf("frame %d looks at the height %v, want 0.5", k, focus[2])
		}
	}
}

// listFolder returns the names in the folder of out.
func listFolder(t *testing.T, out string) (names []string) {
	t.Helper()
	entries := polytest.Must(os.ReadDir(filepath.Dir(out)))(t)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// After an error, and when it is cancelled, nothing is left of a clip.
func TestNothingIsLeft(t *testing.T) {
	for _, name := range []string{"clip.gif", "clip.mp4", "frames"} {
		out := filepath.Join(t.TempDir(), name)
		if err := CheckOut(out, false); errors.Is(err, ffmpeg.ErrMissing) {
			continue
		}
		m := &fake{fails: 17}
		polytest.ErrorContains(t, Write(context.Background(), m, episode(20), Options{View: small, FPS: runners.Hz(50)}, out),
			"cannot draw this")
		ctx, cancel := context.WithCancel(context.Background())
		opt := Options{View: small, FPS: runners.Hz(50), Progress: func(done, total int64) {
			if done == total/2 {
				cancel()
			}
		}}
		if err := Write(ctx, m, episode(16), opt, out); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: cancelled, error %v", name, err)
		}
		if got := listFolder(t, out); len(got) > 0 || m.open != 0 {
			t.Errorf("%s: %v left, and %d renderers open", name, got, m.open)
		}
	}
}

// ffmpeg gets every byte of every frame at the right rate, and what it says when it fails is the error.
func TestFFmpeg(t *testing.T) {
	script := filepath.Join(t.TempDir(), "ffmpeg")
	t.Setenv(ffmpeg.Variable, script)
	out := filepath.Join(t.TempDir(), "clip.mp4")
	if err := CheckOut(out, false); !errors.Is(err, ffmpeg.ErrMissing) || !strings.Contains(err.Error(), ".gif") {
		t.Errorf("without ffmpeg: %v", err)
	}
	stand := func(text string) {
		polytest.NoError(t, os.WriteFile(script, []byte("#!/bin/sh\n"+text+"\n"), 0o777))
	}
	stand(`for last; do :; done; echo "$@" > "$last"; wc -c >> "$last"`)
	draw := func(ctx context.Context, opt Options) error {
		opt.View = small
		return Write(ctx, &fake{}, episode(10), opt, out)
	}
	polytest.NoError(t, draw(context.Background(), Options{FPS: runners.Hz(50)}))
	got, err := os.ReadFile(out)
	if err != nil || !strings.Contains(string(got), "-video_size 60x40 -framerate 50/1") ||
		!strings.Contains(string(got), "\n96000\n") {
		t.Errorf("ffmpeg got %q, %v; want 10 frames of 9600 bytes", got, err)
	}
	os.Remove(out)
	stand(`echo "Unknown encoder 'libx264'" >&2; exit 1`)
	polytest.ErrorContains(t, draw(context.Background(), Options{}), "ffmpeg: Unknown encoder 'libx264'")
	stand(`cat > /dev/null; exit 3`)
	polytest.ErrorContains(t, draw(context.Background(), Options{}), "ffmpeg: exit status 3")
	ctx, cancel := context.WithCancel(context.Background())
	started := filepath.Join(t.TempDir(), "started")
	stand("cat > " + started + "; exit 0") // the script and cat are two processes
	opt := Options{Progress: func(int64, int64) {
		for _, err := os.Stat(started); err != nil; _, err = os.Stat(started) {
			time.Sleep(time.Millisecond)
		}
		cancel()
	}}
	polytest.ErrorIs(t, draw(ctx, opt), context.Canceled)
	if got := listFolder(t, out); len(got) > 0 {
		t.Errorf("%v left", got)
	}
}

func TestCheckOut(t *testing.T) {
	dir := t.TempDir()
	full := filepath.Join(dir, "full")
	file := filepath.Join(dir, "there.gif")
	polytest.NoError(t, os.Mkdir(full, 0o777))
	for _, path := range []string{file, filepath.Join(full, "x")} {
		polytest.NoError(t, os.WriteFile(path, nil, 0o666))
	}
	for _, c := range []struct {
		out     string
		replace bool
		want    string
		target  error
	}{
		{file, false, "is there already", ErrOut},
		{file, true, "", nil},
		{filepath.Join(dir, "new.gif"), false, "", nil},
		{filepath.Join(dir, "new"), false, "", nil},
		{full, true, "is not empty", disk.ErrFolder},
		{filepath.Join(dir, "clip.avi"), false, "ends in .avi", ErrOut},
		{filepath.Join(dir, "none", "clip.gif"), false, "in a folder that does not exist", ErrOut},
	} {
		err := CheckOut(c.out, c.replace)
		if c.target == nil && err != nil || c.target != nil &&
			(!errors.Is(err, c.target) || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.out, err, c.want)
		}
	}
}

// A palette has the colours of pictures that have few.
func TestPaletteIsExactForFewColours(t *testing.T) {
	p := image.NewRGBA(image.Rect(0, 0, 16, 4))
	var want []color.RGBA
	for x := range 16 {
		c := color.RGBA{uint8(16 * x), uint8(255 - 16*x), uint8(8 * x), 255}
		want = append(want, c)
		for y := range 4 {
			p.SetRGBA(x, y, c)
		}
	}
	colors := paletteOf([]*image.RGBA{p})
	for _, c := range want {
		if !slices.Contains(colors, color.Color(c)) {
			t.Errorf("the palette lacks %v", c)
		}
	}
	g := &gifWriter{out: io.Discard}
	if err := g.start(physics.View{Width: 16, Height: 4}, runners.Hz(30), []*image.RGBA{p}); err != nil {
		t.Error(err)
	}
}
