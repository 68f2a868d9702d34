package box2d

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"math"
	"slices"

	"golang.org/x/image/vector"

	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/box2d/scene"
)

var _ physics.Drawable = (*Model)(nil)

type sketch struct {
	bodies  []scene.Body // bodies with shapes and colours
	ground  scene.Ground
	picture scene.Picture
	follow  int // the body that the view moves with; -1: none
}

// drawnOf copies what a renderer needs, and fills in the picture.
func drawnOf(s *scene.Scene) sketch {
	d := sketch{ground: s.Ground, picture: s.Picture}
	d.picture.Flags = slices.Clone(s.Picture.Flags)
	for _, b := range s.Bodies {
		b.Fixtures = slices.Clone(b.Fixtures)
		for i := range b.Fixtures {
			b.Fixtures[i].Vertices = slices.Clone(b.Fixtures[i].Vertices)
		}
		if (b.Fill == scene.Color{} && b.Outline == scene.Color{}) {
			b.Fill, b.Outline = scene.Color{R: 150, G: 160, B: 180}, scene.Color{R: 80, G: 85, B: 100}
		}
		d.bodies = append(d.bodies, b)
	}
	p := &d.picture
	if p.Width <= 0 || p.Height <= 0 {
		p.Width, p.Height = 20, 15
		p.Follow, p.FollowX = s.Bodies[0].Name, 10
		p.Sky, p.Soil = scene.Color{R: 215, G: 225, B: 240}, scene.Color{R: 120, G: 130, B: 120}
		p.Rock = p.Soil
	}
	d.follow = slices.IndexFunc(d.bodies, func(b scene.Body) bool { return b.Name == p.Follow })
	return d
}

// Cameras implements [physics.Drawable]: a scene has none of its own.
func (m *Model) Cameras() []string { return nil }

// Pose implements [physics.Drawable]: x, y and angle of each body.
func (m *Model) Pose() physics.Vector { return m.Probes["pose"] }

// PoseOf implements [physics.Drawable].
func (m *Model) PoseOf(row, dst []float64) {
	for i, b := range m.sketch.bodies {
		copy(dst[3*i:3*i+3], m.Fields["body/"+b.Name].In(row))
	}
}

// Scenery implements [physics.Drawable]: the ground.
func (m *Model) Scenery() physics.Span {
	if m.sketch.ground.MaxShapes == 0 {
		return physics.Span{}
	}
	return m.Fields["ground"]
}

// Renderer draws a scene, with smooth edges. It implements [physics.Renderer].
type Renderer struct {
	model  *Model
	view   physics.View
	shapes [][][2]float64 // shapes of the ground, m

	// State of the picture that is drawn:
	picture     *image.RGBA
	raster      vector.Rasterizer
	path        [][2]float32 // what the next fill paints: closed polygons, in pixels,
	ends        []int        // ends of the polygons in path
	scale       float64      // pixels per metre
	left, floor float64      // coordinates of the picture's lower left corner, m
}

// NewRenderer implements [physics.Drawable].
func (m *Model) NewRenderer(view physics.View) (physics.Renderer, error) {
	view, err := view.Filled()
	if err == nil {
		_, err = view.FindCamera(nil)
	}
	if err != nil {
		return nil, fmt.Errorf("box2d: %w", err)
	}
	return &Renderer{model: m, view: view}, nil
}

// Close implements [physics.Renderer]. There is nothing to free.
func (r *Renderer) Close() error { return nil }

// SetScenery implements [physics.Renderer].
func (r *Renderer) SetScenery(values []float64) error {
	shapes, err := r.model.Outlines(values)
	if err == nil {
		r.shapes = shapes
	}
	return err
}

// Outlines implements [physics.Outlined].
func (m *Model) Outlines(values []float64) (shapes [][][2]float64, err error) {
	if n := m.Scenery().Len; len(values) != n {
		return nil, fmt.Errorf("box2d: scenery of %d values, want %d", len(values), n)
	}
	if len(values) == 0 {
		return nil, nil
	}
	ground := m.sketch.ground
	count, stride := values[0], ground.Stride()
	if !(count >= 0 && count <= float64(ground.MaxShapes)) {
		return nil, fmt.Errorf("box2d: scenery of %v shapes, want 0 to %d", count, ground.MaxShapes)
	}
	for i := range int(count) {
		part := values[1+i*stride:][:stride]
		n := part[0]
		if !(n >= 2 && n <= float64(stride/2-1)) {
			return nil, fmt.Errorf("box2d: a shape of %v vertices in the scenery, want 2 to %d", n, stride/2-1)
		}
		var s [][2]float64
		for k := range int(n) {
			s = append(s, [2]float64{part[2+2*k], part[3+2*k]})
		}
		shapes = append(shapes, s)
	}
	return shapes, nil
}

// Focus implements [physics.Renderer]: the origin of the body that the scene's picture follows.
func (r *Renderer) Focus(pose []float64) (focus [3]float64, err error) {
	if err := r.check(pose); err != nil {
		return focus, err
	}
	if body := r.model.sketch.follow; body >= 0 {
		focus[0], focus[1] = pose[3*body], pose[3*body+1]
	}
	return focus, nil
}

func (r *Renderer) check(pose []float64) error {
	if want := 3 * len(r.model.sketch.bodies); len(pose) != want {
		return fmt.Errorf("box2d: a pose of %d values, want %d", len(pose), want)
	}
	for i, v := range pose {
		if !(math.Abs(v) < 1e9) {
			return fmt.Errorf("box2d: value %d of the pose is %v, want a number below 1e9", i, v)
		}
	}
	return nil
}

// Render implements [physics.Renderer].
func (r *Renderer) Render(pose []float64, focus [3]float64, picture *image.RGBA) error {
	if err := r.check(pose); err != nil {
		return err
	}
	if picture.Rect.Dx() != r.view.Width || picture.Rect.Dy() != r.view.Height {
		return fmt.Errorf("box2d: a picture of %d × %d pixels, want %d × %d", picture.Rect.Dx(), picture.Rect.Dy(),
			r.view.Width, r.view.Height)
	}
	r.picture = picture
	r.aim(focus)
	draw.Draw(picture, picture.Rect, uniform(r.model.sketch.picture.Sky), image.Point{}, draw.Src)
	r.drawGround()
	for _, f := range r.model.sketch.picture.Flags {
		r.drawFlag(f)
	}
	for i := len(r.model.sketch.bodies) - 1; i >= 0; i-- {
		r.drawBody(&r.model.sketch.bodies[i], pose[3*i:3*i+3])
	}
	return nil
}

// aim works out what is seen: with FreeCamera all of the ground, else the scene's view.
func (r *Renderer) aim(focus [3]float64) {
	p := &r.model.sketch.picture
	width, left := p.Width, 0.0
	if r.model.sketch.follow >= 0 {
		left = focus[0] - p.FollowX
	}
	if r.view.Camera == physics.FreeCamera && len(r.shapes) > 0 {
		low, high := math.Inf(1), math.Inf(-1)
		for _, s := range r.shapes {
			for _, v := range s {
				low, high = min(low, v[0]), max(high, v[0])
			}
		}
		left, width = low, high-low
		r.scale = float64(r.view.Width) / width
	} else {
		r.scale = min(float64(r.view.Width)/width, float64(r.view.Height)/p.Height)
	}
	// what there is room for beside the view lies on both sides of it, and above it
	r.left = left - (float64(r.view.Width)/r.scale-width)/2
	r.floor = 0
}

func uniform(c scene.Color) *image.Uniform {
	return image.NewUniform(color.RGBA{c.R, c.G, c.B, 255})
}

// pixel returns where a point in metres is, in pixels from the upper left.
func (r *Renderer) pixel(x, y float64) (float32, float32) {
	return float32((x - r.left) * r.scale), float32(float64(r.view.Height) - (y-r.floor)*r.scale)
}

// add adds a closed polygon to what the next fill paints. Polygons that overlap must turn the same way round.
func (r *Renderer) add(points ...[2]float64) {
	r.ends = append(r.ends, len(r.path)+len(points))
	for _, p := range points {
		x, y := r.pixel(p[0], p[1])
		r.path = append(r.path, [2]float32{x, y})
	}
}

// fill paints what was added. Only the rectangle around it is touched.
func (r *Renderer) fill(c scene.Color) {
	box := r.bounds()
	if !box.Empty() {
		r.raster.Reset(box.Dx(), box.Dy())
		left, top := float32(box.Min.X), float32(box.Min.Y)
		start := 0
		for _, end := range r.ends {
			for i, p := range r.path[start:end] {
				if i == 0 {
					r.raster.MoveTo(p[0]-left, p[1]-top)
				} else {
					r.raster.LineTo(p[0]-left, p[1]-top)
				}
			}
			r.raster.ClosePath()
			start = end
		}
		r.raster.Draw(r.picture, box, uniform(c), image.Point{})
	}
	r.path, r.ends = r.path[:0], r.ends[:0]
}

func (r *Renderer) bounds() image.Rectangle {
	if len(r.path) == 0 {
		return image.Rectangle{}
	}
	low, high := r.path[0], r.path[0]
	for _, p := range r.path {
		low = [2]float32{min(low[0], p[0]), min(low[1], p[1])}
		high = [2]float32{max(high[0], p[0]), max(high[1], p[1])}
	}
	const limit = 1 << 20 // limit of coordinates in pixels: beyond it an int might not hold the number
	clip := func(x float32) int { return int(min(max(x, -limit), limit)) }
	return image.Rect(clip(low[0])-1, clip(low[1])-1, clip(high[0])+2, clip(high[1])+2).Intersect(r.picture.Rect)
}

// line adds a line of a width in pixels of a picture 600 pixels wide.
func (r *Renderer) line(a, b [2]float64, width float64) {
	dx, dy := b[0]-a[0], b[1]-a[1]
	length := math.Hypot(dx, dy)
	if length == 0 {
		return
	}
	half := width / 2 * max(1, float64(r.view.Width)/600) / r.scale
	nx, ny := -dy/length*half, dx/length*half
	ex, ey := dx/length*half*0.5, dy/length*half*0.5 // so that lines of an outline meet
	r.add([2]float64{a[0] + nx - ex, a[1] + ny - ey}, [2]float64{a[0] - nx - ex, a[1] - ny - ey},
		[2]float64{b[0] - nx + ex, b[1] - ny + ey}, [2]float64{b[0] + nx + ex, b[1] + ny + ey})
}

// isVisible reports whether any of x from low to high is in the picture.
func (r *Renderer) isVisible(low, high float64) bool {
	const margin = 1 // m
	return high >= r.left-margin && low <= r.left+float64(r.view.Width)/r.scale+margin
}

// drawGround fills what is below edges, draws these by turns in two colours, and then the polygons.
func (r *Renderer) drawGround() {
	p := &r.model.sketch.picture
	for _, s := range r.shapes {
		if a, b := s[0], s[1]; len(s) == 2 {
			if a[0] > b[0] { // all polygons turn the same way round, so that there are no seams
				a, b = b, a
			}
			if r.isVisible(a[0], b[0]) {
				bottom := min(r.floor, a[1], b[1])
				r.add(a, b, [2]float64{b[0], bottom}, [2]float64{a[0], bottom})
			}
		}
	}
	r.fill(p.Soil)
	for turn, c := range p.Surface {
		for i, s := range r.shapes {
			if len(s) == 2 && i%2 == turn && r.isVisible(min(s[0][0], s[1][0]), max(s[0][0], s[1][0])) {
				r.line(s[0], s[1], 2)
			}
		}
		r.fill(c)
	}
	for _, s := range r.shapes {
		if len(s) > 2 && r.isVisible(s[0][0]-20, s[0][0]+20) {
			r.drawPolygon(s, p.Rock, scene.Color{R: p.Rock.R / 5 * 3, G: p.Rock.G / 5 * 3, B: p.Rock.B / 5 * 3})
		}
	}
}

func (r *Renderer) drawPolygon(points [][2]float64, interior, outline scene.Color) {
	r.add(points...)
	r.fill(interior)
	for i, a := range points {
		r.line(a, points[(i+1)%len(points)], 1.2)
	}
	r.fill(outline)
}

func (r *Renderer) drawFlag(f scene.Flag) {
	top := f.Y + f.Height
	r.line([2]float64{f.X, f.Y}, [2]float64{f.X, top}, 1.5)
	pole := scene.Color{R: 90, G: 90, B: 90}
	if sky := r.model.sketch.picture.Sky; int(sky.R)+int(sky.G)+int(sky.B) < 384 {
		pole = scene.Color{R: 255, G: 255, B: 255}
	}
	r.fill(pole)
	r.add([2]float64{f.X, top}, [2]float64{f.X, top - f.Height/5}, [2]float64{f.X + f.Height/2, top - f.Height/10})
	r.fill(f.Color)
}

// drawBody draws the shapes of a body at its x, y and angle.
func (r *Renderer) drawBody(b *scene.Body, pose []float64) {
	sin, cos := math.Sincos(pose[2])
	place := func(v [2]float64) [2]float64 {
		return [2]float64{pose[0] + cos*v[0] - sin*v[1], pose[1] + sin*v[0] + cos*v[1]}
	}
	for _, f := range b.Fixtures {
		var points [][2]float64
		for _, v := range outline(f, 40) {
			points = append(points, place(v))
		}
		r.drawPolygon(points, b.Fill, b.Outline)
		if len(f.Vertices) == 0 { // a spoke shows how a circle turns
			r.line(place(f.Center), points[0], 1.2)
			r.fill(b.Outline)
		}
	}
}
