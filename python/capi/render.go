package main

// #include <stdint.h>
import "C"

import (
	"encoding/json"
	"image"
	"unsafe"

	"github.com/polyrhythm-rl/polyrhythm/physics"
)

// picture says how worlds are drawn, in a request of polyrhythm_render.
type picture struct {
	Width    int    `json:"width"`
	Height   int    `json:"height"`
	Camera   string `json:"camera"`
	CameraID *int   `json:"camera_id"` // of the model's cameras, −1 for the free one; in place of Camera
}

// polyrhythm_render draws a world as it stands into rgb, which has room for height ×
// width × 3 bytes, from the top left. view is JSON. The renderer is opened by the first
// call and kept until the worlds are closed or another view is asked for.
//
//export polyrhythm_render
func polyrhythm_render(handle C.int64_t, view *C.char, world C.int32_t, rgb *C.uint8_t, n C.int64_t, message *C.char, size C.int32_t) C.int32_t {
	return report(message, size, func() error {
		return use(handle, func(w *worlds) error {
			var p picture
			if err := json.Unmarshal([]byte(C.GoString(view)), &p); err != nil {
				return usagef("the view: %w", err)
			}
			if world < 0 || int(world) >= len(w.reward) {
				return usagef("world is %d, want 0 to %d", int(world), len(w.reward)-1)
			}
			if want := int64(p.Width) * int64(p.Height) * 3; int64(n) != want {
				return usagef("the picture has room for %d bytes, want %d", int64(n), want)
			}
			return w.render(p, int(world), unsafe.Slice((*uint8)(unsafe.Pointer(rgb)), int(n)))
		})
	})
}

// drawing is the renderer of some worlds.
type drawing struct {
	model    physics.Drawable
	view     physics.View
	renderer physics.Renderer
	pose     []float64
	to       *image.RGBA
}

// render draws a world into rgb.
func (w *worlds) render(p picture, world int, rgb []uint8) error {
	if err := w.ready(); err != nil {
		return err
	}
	if err := w.openDrawing(p); err != nil {
		return err
	}
	d := w.drawing
	var row []float64
	for _, b := range w.env.Sim().Blocks() {
		if world >= b.First() && world < b.First()+b.Len() {
			row = b.State(world - b.First())
		}
	}
	if scenery := d.model.Scenery(); scenery.Len > 0 {
		if err := d.renderer.SetScenery(scenery.In(row)); err != nil {
			return err
		}
	}
	d.model.PoseOf(row, d.pose)
	if err := d.renderer.Render(d.pose, d.to); err != nil {
		return err
	}
	for i := range len(rgb) / 3 {
		copy(rgb[3*i:3*i+3], d.to.Pix[4*i:])
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
	renderer, err := model.NewRenderer(view)
	if err != nil {
		return err
	}
	w.drawing = &drawing{model, view, renderer, make([]float64, model.Pose().Size), image.NewRGBA(image.Rect(0, 0, view.Width, view.Height))}
	return nil
}

// closeDrawing closes the renderer, if there is one.
func (w *worlds) closeDrawing() error {
	if w.drawing == nil {
		return nil
	}
	err := w.drawing.renderer.Close()
	w.drawing = nil
	return err
}
