package curve

import (
	"image/color"
	"sync/atomic"

	"gonum.org/v1/plot/plotter"
)

// theme is the colours of a picture that are no data's.
type theme struct {
	ground, ink, grid color.Color
}

var (
	light  = theme{ground: color.White, ink: color.Black, grid: plotter.DefaultGridLineStyle.Color}
	dark   = theme{ground: color.Gray{0x1c}, ink: color.Gray{0xd8}, grid: color.Gray{0x48}}
	isDark atomic.Bool
)

// SetDark makes pictures that are begun from now on light on a dark ground, or dark on a white one as they are at
// first. It holds for the whole process. restore brings the theme before it back.
func SetDark(on bool) (restore func()) {
	before := isDark.Swap(on)
	return func() { isDark.Store(before) }
}

func themeOf() theme {
	if isDark.Load() {
		return dark
	}
	return light
}
