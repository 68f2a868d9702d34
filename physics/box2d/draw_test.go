package box2d

import (
	"bytes"
	"image"
	"image/color"
	"math"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/box2d/scene"
)

// drawnScene is a red box and a blue ball over a ground of two edges and a rock.
func drawnScene() *scene.Scene {
	return &scene.Scene{
		Timestep: 0.02, VelocityIterations: 6, PositionIterations: 2,
		Ground: scene.Ground{MaxShapes: 3, MaxVertices: 4},
		Bodies: []scene.Body{
			{Name: "box", Position: [2]float64{5, 6}, Fill: scene.Color{R: 255}, Outline: scene.Color{R: 200},
				Fixtures: []scene.Fixture{{Vertices: scene.Box(1, 0.5), Density: 1}}},
			{Name: "ball", Position: [2]float64{8, 6}, Fill: scene.Color{B: 255}, Outline: scene.Color{B: 200},
				Fixtures: []scene.Fixture{{Radius: 0.7, Density: 1}}},
		},
		Picture: scene.Picture{
			Width: 20, Height: 15, Follow: "box", FollowX: 5,
			Sky: scene.Color{R: 200, G: 220, B: 255}, Soil: scene.Color{G: 150}, Rock: scene.Color{R: 90, G: 90, B: 90},
			Flags: []scene.Flag{{X: 12, Y: 3, Height: 2, Color: scene.Color{R: 255, G: 255}}},
		},
	}
}

func drawnGround(s *scene.Scene) []float64 {
	field := make([]float64, s.Ground.Size())
	s.Ground.Add(field, 1, [2]float64{-50, 3}, [2]float64{10, 3})
	s.Ground.Add(field, 1, [2]float64{70, 3}, [2]float64{10, 3}) // from right to left
	s.Ground.Add(field, 1, [2]float64{15, 3}, [2]float64{17, 3}, [2]float64{17, 5}, [2]float64{15, 5})
	return field
}

// drawing is a renderer and its picture.
type drawing struct {
	physics.Renderer
	picture *image.RGBA
}

func newDrawing(t *testing.T, m *Model, view physics.View) *drawing {
	t.Helper()
	return &drawing{polytest.Must(m.NewRenderer(view))(t), image.NewRGBA(image.Rect(0, 0, view.Width, view.Height))}
}

func (d *drawing) draw(t *testing.T, pose ...float64) {
	t.Helper()
	polytest.NoError(t, physics.Render(d, pose, d.picture))
}

// want checks the pixel at a point in metres of a view 20 m wide, 10 pixels a metre.
func (d *drawing) want(t *testing.T, what string, x, y float64, want color.RGBA) {
	t.Helper()
	polytest.Equal(t, d.picture.RGBAAt(int(10*x), int(150-10*y)), want, "%s: the pixel at %v %v", what, x, y)
}

func TestDraw(t *testing.T) {
	s := drawnScene()
	m := polytest.Must(New(s))(t)
	defer m.Close()
	s.Bodies[0].Fixtures[0].Vertices[0] = [2]float64{-9, -9} // the scene is not kept
	d := newDrawing(t, m, physics.View{Width: 200, Height: 150})
	polytest.NoError(t, d.SetScenery(drawnGround(s)))
	red, blue, sky := color.RGBA{255, 0, 0, 255}, color.RGBA{0, 0, 255, 255}, color.RGBA{200, 220, 255, 255}
	soil, rock := color.RGBA{0, 150, 0, 255}, color.RGBA{90, 90, 90, 255}
	d.draw(t, 5, 6, 0, 8, 6, 0)
	d.want(t, "box", 5.8, 6, red)
	d.want(t, "ball", 7.7, 6, blue)
	d.want(t, "above the box", 5, 6.8, sky)
	d.want(t, "soil", 2, 1, soil)
	d.want(t, "soil on the right", 19, 1, soil)
	d.want(t, "soil where the edges meet", 10, 1, soil)
	d.want(t, "rock", 16, 4, rock)
	d.want(t, "flag", 12.3, 4.8, color.RGBA{255, 255, 0, 255})

	d.draw(t, 5, 6, math.Pi/2, 8, 6, 0)
	d.want(t, "a box on its side", 5.8, 6, sky)
	d.want(t, "a box on its side", 5, 6.8, red)

	d.draw(t, 9, 6, 0, 8, 9, 0) // the view follows: the box is 5 m from the left again
	d.want(t, "box", 5, 6, red)
	d.want(t, "ball", 3.7, 9, blue)
	d.want(t, "rock", 12, 4, rock)
}

// A view of another shape shows more, at the same scale in both directions; the free camera shows all of the ground.
func TestDrawViews(t *testing.T) {
	s := drawnScene()
	m := polytest.Must(New(s))(t)
	defer m.Close()
	wide := newDrawing(t, m, physics.View{Width: 400, Height: 150})
	wide.draw(t, 5, 6, 0, 8, 6, 0)
	polytest.Equal(t, wide.picture.RGBAAt(100+50, 150-60), (color.RGBA{255, 0, 0, 255}), "wide: the box")
	free := newDrawing(t, m, physics.View{Width: 120, Height: 60, Camera: physics.FreeCamera})
	polytest.NoError(t, free.SetScenery(drawnGround(s)))
	free.draw(t, 5, 6, 0, 8, 6, 0)
	if got := free.picture.RGBAAt(55, 60-6); got.R < 200 || got.G > 60 || got.B > 60 { // 120 m at 1 pixel a metre
		t.Errorf("free: the box is %v", got)
	}
	before := bytes.Clone(free.picture.Pix)
	free.draw(t, 5, 6, 0, 8, 6, 0)
	polytest.EqualSlices(t, before, free.picture.Pix, "the same pose gave another picture")
}

func TestDrawErrors(t *testing.T) {
	s := drawnScene()
	m := polytest.Must(New(s))(t)
	defer m.Close()
	polytest.ErrorContains(t, polytest.Err(m.NewRenderer(physics.View{Camera: "fre"})), `"free"`)
	d := newDrawing(t, m, physics.View{Width: 20, Height: 15})
	ground := drawnGround(s)
	for _, c := range []struct {
		scenery []float64
		want    string
	}{
		{ground[1:], "scenery of 30 values, want 31"},
		{append([]float64{4}, ground[1:]...), "scenery of 4 shapes, want 0 to 3"},
		{append([]float64{math.NaN()}, ground[1:]...), "scenery of NaN shapes"},
		{append([]float64{1, 9}, ground[2:]...), "a shape of 9 vertices in the scenery, want 2 to 4"},
	} {
		polytest.ErrorContains(t, d.SetScenery(c.scenery), c.want)
	}
	for _, c := range []struct {
		pose []float64
		want string
	}{
		{make([]float64, 5), "a pose of 5 values, want 6"},
		{[]float64{0, 0, 0, math.Inf(1), 0, 0}, "value 3 of the pose is +Inf"},
	} {
		polytest.ErrorContains(t, physics.Render(d, c.pose, d.picture), c.want)
	}
}
