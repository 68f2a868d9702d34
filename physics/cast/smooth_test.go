package cast_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/cast"
)

// ball returns the vertices, normals and faces of a coarse ball of radius 1, as an asset has them.
func ball() (vertices, faces string) {
	const rings, sectors = 8, 16
	var v, f strings.Builder
	for i := range rings + 1 {
		for j := range sectors {
			sin, cos := math.Sincos(math.Pi * float64(i) / rings)
			y, x := math.Sincos(2 * math.Pi * float64(j) / sectors)
			fmt.Fprintf(&v, "%.9f %.9f %.9f ", sin*x, sin*y, cos)
			if i < rings {
				a, b := i*sectors+j, i*sectors+(j+1)%sectors
				if i > 0 {
					fmt.Fprintf(&f, "%d %d %d ", a, a+sectors, b)
				}
				if i < rings-1 {
					fmt.Fprintf(&f, "%d %d %d ", b, a+sectors, b+sectors)
				}
			}
		}
	}
	return v.String(), f.String()
}

// A coarse ball with normals has the light of a sphere; one without has that of its faces. Depths and labels are those
// of the faces in both.
func TestSmoothMeshHasLightOfSphere(t *testing.T) {
	vertices, faces := ball()
	take := func(mesh string) cast.Pictures {
		m := load(t, write(t, `<mujoco>
		  <visual><headlight ambient="0 0 0" diffuse=".4 .4 .4" specular="0 0 0"/><map znear="0.01" zfar="50"/></visual>
		  <statistic extent="1"/>
		  <asset><material name="white" specular="0"/>`+mesh+`</asset>
		  <worldbody>
		    <light directional="true" dir="1 0 -1" ambient="0 0 0" diffuse="0.5 0.5 0.5" specular="0 0 0" castshadow="false"/>
		    <body pos="0 0 1" euler="10 20 30"><freejoint/><geom type="mesh" mesh="ball" mass="1" material="white"/></body>
		  </worldbody></mujoco>`))
		camera := cast.Camera{Mount: physics.Mount{Position: [3]float64{0, 0, 6}}, FieldOfView: 20, Width: 60, Height: 60}
		c := open(t, m, camera)
		row, pose := make([]float64, m.StateSize()), make([]float64, m.Pose().Size)
		m.InitialState(row)
		m.PoseOf(row, pose)
		pictures := room(1, camera)
		polytest.NoError(t, c.Cast(0, pose, pictures))
		return pictures
	}
	asset := func(attributes string) string {
		return `<mesh name="ball" vertex="` + vertices + `" face="` + faces + `" ` + attributes + `/>`
	}
	smooth := take(asset(`normal="` + vertices + `"`))
	flat := take(asset(`smoothnormal="false"`))
	polytest.EqualSlices(t, smooth.Segmentation, flat.Segmentation, "labels")
	worst := map[string]int{}
	for i, depth := range smooth.Depth {
		if smooth.Segmentation[i] < 0 {
			continue
		}
		if math.Abs(float64(depth-flat.Depth[i])) > 1e-5 {
			t.Fatalf("depth %v of pixel %d, and %v without normals", depth, i, flat.Depth[i])
		}
		// the light of a sphere around the middle of the body where the ray meets the face
		step := 2 * math.Tan(10*math.Pi/180) / 60
		along := [3]float64{(float64(i%60) + 0.5 - 30) * step, (29.5 - float64(i/60)) * step, -1}
		var n, at [3]float64
		square := 0.0
		for k := range 3 {
			at[k] = along[k] * float64(depth)
			n[k] = at[k] + [3]float64{0, 0, 5}[k]
			square += n[k] * n[k]
		}
		if square < 0.85 { // at the rim of a coarse face
			continue
		}
		lamp := 0.0
		for k := range 3 {
			n[k] /= math.Sqrt(square)
			lamp += n[k] * [3]float64{-math.Sqrt2 / 2, 0, math.Sqrt2 / 2}[k]
		}
		want := 255 * (0.4*max(0, n[2]) + 0.5*max(0, lamp))
		for name, p := range map[string]cast.Pictures{"smooth": smooth, "flat": flat} {
			worst[name] = max(worst[name], int(math.Abs(float64(p.RGB[3*i])-want)))
		}
	}
	if worst["smooth"] > 12 || worst["flat"] < 25 {
		t.Errorf("colours differ from a sphere's by %v, want at most 12 for the smooth one and more for the flat one", worst)
	}
}
