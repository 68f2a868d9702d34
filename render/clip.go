package render

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"image/draw"
	"math"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/cast"
	"github.com/polyrhythm-rl/polyrhythm/runners"
)

// Options say how an episode is drawn.
type Options struct {
	View physics.View
	FPS  runners.Rate // frames per second of the episode's time; zero: 30

	// From and Until are the part of the episode that is drawn, in ns; Until 0 is for its end.
	From, Until int64

	// Beside, if not nil, is drawn at the same times, from the same place and with the same looks in the left half of each
	// frame, which is twice as wide as the view then.
	Beside *Episode

	// Renderers is the number of renderers that draw at once, at least 1; 0 for 2. The
	// frames are the same for any number.
	Renderers int

	// Progress, if it is not nil, is called after each frame.
	Progress func(done, total int64)
}

// writer takes the frames of a clip, one after the other.
type writer interface {
	// start is called once, with a rate and a few frames from all over the clip, which show its colours.
	start(view physics.View, fps runners.Rate, samples []*image.RGBA) error

	// frame takes the next frame, which it must not keep.
	frame(*image.RGBA) error

	// close completes the clip.
	close() error

	// discard gives up, after an error.
	discard()
}

// MaxFrames is the largest number of frames of a clip.
const MaxFrames = 1_000_000

// paletteSamples is the number of frames that a writer sees first.
const paletteSamples = 12

// smoothing is the standard deviation, in seconds, of the average over time by which the camera follows the robot.
const smoothing = 0.25

type clip struct {
	episode   *Episode
	options   Options
	frames    int64
	focus     [][3]float64 // focus of each frame
	renderers []physics.Renderer
}

// NewRenderer opens the renderer of a model: that of package cast or, for a scene of two dimensions, its own. looks are
// parameters of the model that can be seen, see [physics.Optical]: a pose is that of the model, then their values. Close
// it before the model.
func NewRenderer(m physics.Drawable, view physics.View, looks ...physics.Vector) (physics.Renderer, error) {
	switch m := m.(type) {
	case physics.Optical:
		return cast.NewRenderer(m, view, looks...)
	case physics.Planar:
		return m.NewRenderer(view)
	}
	return nil, errors.New("the engine of the model draws nothing")
}

// drawClip draws an episode and gives its frames to w, which it closes or discards.
func drawClip(ctx context.Context, m physics.Drawable, e *Episode, opt Options, w writer) (err error) {
	defer func() {
		if err != nil {
			w.discard()
		}
	}()
	if opt.FPS.IsZero() {
		opt.FPS = runners.Hz(30)
	}
	if opt.Renderers == 0 {
		opt.Renderers = 2
	}
	c := &clip{episode: e, options: opt}
	if err := c.measure(m); err != nil {
		return err
	}
	defer func() {
		for _, r := range c.renderers {
			err = errors.Join(err, r.Close())
		}
	}()
	if err := c.open(m); err != nil {
		return err
	}
	if err := c.follow(ctx); err != nil {
		return err
	}
	samples, err := c.samples(ctx)
	if err != nil {
		return err
	}
	view := c.options.View
	view.Width = samples[0].Rect.Dx()
	if err := w.start(view, opt.FPS, samples); err != nil {
		return err
	}
	if err := c.draw(ctx, w.frame); err != nil {
		return err
	}
	return w.close()
}

// ErrOptions is wrapped by errors about the [Options].
var ErrOptions = errors.New("options of a clip")

// optionError is an error that wraps ErrOptions without showing its text.
type optionError struct{ error }

func (optionError) Is(target error) bool { return target == ErrOptions }

func (c *clip) measure(m physics.Drawable) (err error) {
	opt, end := &c.options, c.episode.Length
	if opt.Until != 0 {
		end = min(end, opt.Until)
	}
	if opt.From < 0 || opt.From >= end && opt.From > 0 {
		return optionError{fmt.Errorf("the clip begins %d ns after the beginning of the episode, want less than "+
			"its end, %d ns", opt.From, end)}
	}
	if c.frames = framesIn(end-opt.From, opt.FPS); c.frames > MaxFrames {
		return optionError{fmt.Errorf("the clip has %d frames, want at most %d", c.frames, MaxFrames)}
	}
	if opt.View, err = opt.View.Filled(); err != nil {
		return optionError{err}
	}
	if _, err := opt.View.FindCamera(m.Cameras()); err != nil {
		return optionError{err}
	}
	return nil
}

// framesIn returns the number of frames whose time is before the end, at least 1.
func framesIn(end int64, fps runners.Rate) int64 {
	n := int64(float64(end)/1e9/fps.Seconds()) + 2
	for n > 1 && fps.Timestamp(n-1) >= end {
		n--
	}
	return max(1, n)
}

// open opens the renderers, no more than there are frames.
func (c *clip) open(m physics.Drawable) error {
	var looks []physics.Vector
	for _, source := range c.episode.Sources {
		look, err := m.Parameter(source)
		if err != nil {
			return err
		}
		looks = append(looks, look)
	}
	for range min(int64(c.options.Renderers), c.frames) {
		r, err := NewRenderer(m, c.options.View, looks...)
		if err != nil {
			return err
		}
		c.renderers = append(c.renderers, r)
		if c.episode.Scenery != nil {
			if err := r.SetScenery(c.episode.Scenery); err != nil {
				return err
			}
		}
	}
	return nil
}

// pose returns the pose of an episode in a frame, with the looks of the one that is drawn.
func (c *clip) pose(of *Episode, frame int64) []float64 {
	ns := c.time(frame)
	return slices.Concat(of.At(ns), c.episode.look(ns))
}

func (c *clip) time(frame int64) int64 { return c.options.From + c.options.FPS.Timestamp(frame) }

// follow works out where a camera that follows the robot looks in each frame: at the
// average of the robot's places around its time, weighted by a Gaussian.
func (c *clip) follow(ctx context.Context) error {
	raw := make([][3]float64, c.frames)
	for k := range raw {
		if err := ctx.Err(); err != nil {
			return err
		}
		focus, err := c.renderers[0].Focus(c.pose(c.episode, int64(k)))
		if err != nil {
			return err
		}
		raw[k] = focus
	}
	reach := int(math.Ceil(3 * smoothing / c.options.FPS.Seconds()))
	reach = min(reach, len(raw)-1)
	weights := make([]float64, reach+1)
	for i := range weights {
		x := float64(i) * c.options.FPS.Seconds() / smoothing
		weights[i] = math.Exp(-x * x / 2)
	}
	c.focus = make([][3]float64, len(raw))
	for k := range raw {
		// as far on both sides, so that the ends of the clip are not ahead or behind
		radius := min(reach, k, len(raw)-1-k)
		sum := 0.0
		for i := -radius; i <= radius; i++ {
			weight := weights[max(i, -i)]
			sum += weight
			for axis := range 3 {
				c.focus[k][axis] += weight * raw[k+i][axis]
			}
		}
		for axis := range 3 {
			c.focus[k][axis] /= sum
		}
	}
	return nil
}

// picture returns an empty frame.
func (c *clip) picture() *image.RGBA {
	frame := c.view()
	if c.options.Beside != nil {
		frame.Max.X *= 2
	}
	return image.NewRGBA(frame)
}

// view is what a renderer draws at once.
func (c *clip) view() image.Rectangle {
	return image.Rect(0, 0, c.options.View.Width, c.options.View.Height)
}

func (c *clip) render(r physics.Renderer, frame int64, picture *image.RGBA) error {
	poses, part := [][]float64{c.pose(c.episode, frame)}, picture
	if other := c.options.Beside; other != nil {
		poses, part = [][]float64{c.pose(other, frame), poses[0]}, image.NewRGBA(c.view())
	}
	for i, pose := range poses {
		if err := r.Render(pose, c.focus[frame], part); err != nil {
			return fmt.Errorf("frame %d: %w", frame, err)
		}
		if part != picture {
			target := part.Rect.Add(image.Pt(i*part.Rect.Dx(), 0))
			draw.Draw(picture, target, part, image.Point{}, draw.Src)
		}
	}
	return nil
}

func (c *clip) samples(ctx context.Context) ([]*image.RGBA, error) {
	n := min(paletteSamples, c.frames)
	var all []*image.RGBA
	for i := range n {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		picture := c.picture()
		if err := c.render(c.renderers[0], i*(c.frames-1)/max(1, n-1), picture); err != nil {
			return nil, err
		}
		all = append(all, picture)
	}
	return all, nil
}

// draw draws all frames, as many at once as there are renderers, and gives them to write in
// order, while those that follow are drawn.
func (c *clip) draw(ctx context.Context, write func(*image.RGBA) error) error {
	n := int64(len(c.renderers))
	var current, next []*image.RGBA
	for range n {
		current, next = append(current, c.picture()), append(next, c.picture())
	}
	for first := int64(0); first < c.frames+n; first += n {
		var group errgroup.Group
		for i := range min(n, c.frames-first) {
			group.Go(func() error { return c.render(c.renderers[i], first+i, next[i]) })
		}
		var err error
		for k := max(0, first-n); k < min(first, c.frames) && err == nil; k++ {
			if err = write(current[k%n]); err == nil && c.options.Progress != nil {
				c.options.Progress(k+1, c.frames)
			}
		}
		if err = cmp.Or(err, group.Wait(), ctx.Err()); err != nil { // the renderers are closed after this
			return err
		}
		current, next = next, current
	}
	return nil
}
