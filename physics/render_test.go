package physics

import (
	"math"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

func TestView(t *testing.T) {
	if v, err := (View{}).Filled(); err != nil || v.Width != 640 || v.Height != 480 || v.Camera != TrackCamera {
		t.Errorf("the zero value: %+v, %v", v, err)
	}
	for want, v := range map[string]View{
		"width is -1, want 1 to 4096":             {Width: -1, Height: 1},
		"height is 4097, want 1 to 4096":          {Width: 1, Height: 4097},
		"azimuth is NaN, want -1e+06 to 1e+06":    {Azimuth: math.NaN()},
		"elevation is -Inf, want -1e+06 to 1e+06": {Elevation: math.Inf(-1)},
		"distance is 1e+07, want 0 to 1e+06":      {Distance: 1e7},
		"distance is -1, want 0 to 1e+06":         {Distance: -1},
		`camera "tack"`:                           {Camera: "tack"},
	} {
		v, err := v.Filled()
		if err == nil {
			_, err = v.FindCamera([]string{"track", "front"})
		}
		polytest.ErrorContains(t, err, want)
	}
}
