package main

import (
	"image"
	"slices"

	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/render"
)

// picture says which world is drawn, and how.
type picture struct {
	World    int    `json:"world"`
	Width    int    `json:"width"`
	Height   int    `json:"height"`
	Camera   string `json:"camera"`
	CameraID *int   `json:"camera_id"` // of the model's cameras, −1 for the free one; in place of Camera
}

// drawing is the renderer of some worlds.
type drawing struct {
	model    physics.Drawable
	view     physics.View
	renderer physics.Renderer
	looks    []physics.Vector // parameters of the worlds that pictures show
	pose     []float64        // of the model
	canvas   *image.RGBA
}

// render draws a world as it stands and returns height × width × 3 bytes, from the top left. The
// renderer is kept until the worlds are closed or another view is asked for.
func (w *worlds) render(c *call) error {
	var p picture
	if err := c.read(&p); err != nil {
		return err
	}
	if err := w.ready(); err != nil {
		return err
	}
	if err := w.openDrawing(p); err != nil {
		return err
	}
	d := w.drawing
	var row []float64
	for _, b := range w.env.Sim().Blocks() {
		if p.World >= b.First() && p.World < b.First()+b.Len() {
			row = b.State(p.World - b.First())
		}
	}
	if scenery := d.model.Scenery(); scenery.Len > 0 {
		if err := d.renderer.SetScenery(scenery.In(row)); err != nil {
			return err
		}
	}
	d.model.PoseOf(row, d.pose)
	pose, err := w.env.ReadLooks(slices.Clip(d.pose), p.World, d.looks)
	if err != nil {
		return err
	}
	if err := physics.Render(d.renderer, pose, d.canvas); err != nil {
		return err
	}
	c.payload = make([]byte, 3*p.Width*p.Height)
	for i := range p.Width * p.Height {
		copy(c.payload[3*i:3*i+3], d.canvas.Pix[4*i:])
	}
	return nil
}

// openDrawing opens the renderer for a view, unless it is the one that is open.
func (w *worlds) openDrawing(p picture) error {
	model, ok := w.env.Model().(physics.Drawable)
	if !ok {
		return usagef("the engine of these worlds draws nothing")
	}
	view := physics.View{Width: p.Width, Height: p.Height, Camera: p.Camera, Quality: physics.Balanced}
	if cameras := model.Cameras(); p.CameraID != nil {
		id := *p.CameraID
		switch {
		case id < -1 || id >= len(cameras):
			return usagef("camera_id is %d, want -1 to %d", id, len(cameras)-1)
		case id == -1:
			view.Camera = physics.FreeCamera
		case cameras[id] == "":
			return usagef("camera_id is %d, a camera without a name, want one with a name", id)
		default:
			view.Camera = cameras[id]
		}
	}
	view, err := view.Filled()
	if err == nil {
		_, err = view.FindCamera(model.Cameras())
	}
	if err != nil {
		return usagef("%w", err)
	}
	if w.drawing != nil && w.drawing.view == view {
		return nil
	}
	if err := w.closeDrawing(); err != nil {
		return err
	}
	looks, err := w.env.Looks()
	if err != nil {
		return err
	}
	renderer, err := render.NewRenderer(model, view, looks...)
	if err != nil {
		return err
	}
	canvas := image.NewRGBA(image.Rect(0, 0, view.Width, view.Height))
	w.drawing = &drawing{model, view, renderer, looks, make([]float64, model.Pose().Size), canvas}
	return nil
}

// closeDrawing closes the renderer, if there is one.
func (w *worlds) closeDrawing() error {
	if w.drawing == nil {
		return nil
	}
	defer func() { w.drawing = nil }()
	return w.drawing.renderer.Close()
}
