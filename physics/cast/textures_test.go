package cast_test

import (
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/physics"
)

// textured has textures on every kind of shape, by every mapping. Their colours say where one is in them.
const textured = `<mujoco>
  <statistic extent="3" center="0 0 0"/>
  <visual><headlight ambient="1 1 1" diffuse="0 0 0" specular="0 0 0"/><map znear="0.01" zfar="50"/></visual>
  <asset>
    <texture name="flat" type="2d" file="face0.png"/>
    <texture name="cube" type="cube" fileright="face0.png" fileleft="face1.png" fileup="face2.png" filedown="face3.png"
      filefront="face4.png" fileback="face5.png"/>
    <texture name="one" type="cube" file="face3.png"/>
    <material name="flat" texture="flat" texrepeat="2 1.5" specular="0"/>
    <material name="even" texture="flat" texrepeat="3 2" texuniform="true" specular="0"/>
    <material name="wide" texture="flat" texrepeat=".3 .2" texuniform="true" specular="0"/>
    <material name="cube" texture="cube" specular="0"/>
    <material name="metres" texture="cube" texuniform="true" specular="0"/>
    <material name="one" texture="one" specular="0"/>
    <mesh name="tent" vertex="-.5 -.5 0 .5 -.5 0 .5 .5 0 -.5 .5 0 0 0 .5" texcoord="0 0 1 0 1 1 0 1 .5 .5"
      face="0 1 4 1 2 4 2 3 4 3 0 4 0 2 1 0 3 2"/>
    <mesh name="plain" vertex="-.5 -.5 0 .5 -.5 0 .5 .5 0 -.5 .5 0 0 0 .5"/>
  </asset>
  <worldbody>
    <geom type="box" size=".4 .3 .2" pos="-2 0 0" material="flat"/>
    <geom type="box" size=".4 .3 .2" pos="-1 0 0" euler="20 30 10" material="even"/>
    <geom type="sphere" size=".4" pos="0 0 0" euler="30 0 70" material="flat"/>
    <geom type="cylinder" size=".3 .4" pos="1 0 0" euler="0 30 50" material="even"/>
    <geom type="capsule" size=".2 .3" pos="2 0 0" material="flat"/>
    <geom type="ellipsoid" size=".2 .3 .4" pos="-2 -1 0" euler="0 0 200" material="even"/>
    <geom type="box" size=".4 .3 .2" pos="-2 1 0" euler="10 20 30" material="cube"/>
    <geom type="capsule" size=".2 .3" pos="-1 1 0" material="metres"/>
    <geom type="sphere" size=".3" pos="-1 -1 0" material="metres"/>
    <geom type="cylinder" size=".3 .3" pos="0 -1 0" euler="60 0 0" material="cube"/>
    <geom type="ellipsoid" size=".2 .3 .4" pos="1 -1 0" material="one"/>
    <geom type="mesh" mesh="plain" pos="1 1 0" material="cube"/>
    <geom type="mesh" mesh="plain" pos="2 -1 0" material="flat"/>
    <geom type="plane" size=".4 .3 .1" pos="2 1 0" material="flat"/>
    <geom type="plane" size="0 0 1" pos="0 0 -1" material="wide"/>
    <body name="tent" pos="0 1 0"><freejoint/><geom type="mesh" mesh="tent" mass="1" material="flat"/></body>
    <camera name="front" pos="0 -3.5 3" xyaxes="1 0 0 0 .65 .76" fovy="60"/>
    <camera name="side" pos="3.5 2 2.5" xyaxes="-.5 .87 0 -.4 -.23 .89" fovy="60"/>
    <camera name="near" pos="-1.9 -1 .7" xyaxes="1 0 0 0 .57 .82" fovy="60"/>
  </worldbody>
</mujoco>`

// writeTextured puts the scene and its textures into a folder.
func writeTextured(t testing.TB) string {
	path := write(t, textured)
	for face := range 6 {
		picture := image.NewRGBA(image.Rect(0, 0, 64, 64))
		for i := range 64 * 64 {
			picture.Set(i%64, i/64, color.RGBA{uint8(4*(i%64) + 2), uint8(4*(i/64) + 2), uint8(40 * face), 255})
		}
		f := polytest.Must(os.Create(filepath.Join(filepath.Dir(path), fmt.Sprintf("face%d.png", face))))(t)
		polytest.NoError(t, png.Encode(f, picture))
		polytest.NoError(t, f.Close())
	}
	return path
}

type vector [3]float64

func (a vector) dot(b vector) float64 { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }

// texelOf is where in its texture the point p in the frame of a geom of the scene is, as MuJoCo's documentation and
// OpenGL's specification of cubes have it, in repetitions, and the face of a cube.
func texelOf(kind, material string, size [3]float64, p vector) (column, row float64, face int) {
	half := vector(size) // of the box around it
	switch kind {
	case "sphere":
		half = vector{size[0], size[0], size[0]}
	case "capsule", "cylinder":
		half = vector{size[0], size[0], size[1]}
	}
	repeat := vector{2, 1.5}
	if material == "even" {
		repeat = vector{3 * half[0], 2 * half[1]}
	}
	unit, high := vector{p[0] / half[0], p[1] / half[1], p[2] / half[2]}, math.Abs(p[2])-half[2]
	if kind == "capsule" && high > 0 {
		unit[2] = math.Copysign(1+high/half[0], p[2])
	}
	if material == "cube" || material == "metres" || material == "one" {
		d := unit
		if kind == "mesh" {
			d = p
		}
		if material == "metres" {
			d = vector{d[0] * half[0], d[1] * half[1], d[2] * half[2]}
		}
		x, y, z := math.Abs(d[0]), math.Abs(d[1]), math.Abs(d[2])
		var s, t, along float64
		switch {
		case x >= y && x >= z && d[0] > 0:
			face, s, t, along = 0, -d[2], -d[1], x
		case x >= y && x >= z:
			face, s, t, along = 1, d[2], -d[1], x
		case y >= z && d[1] > 0:
			face, s, t, along = 2, d[0], d[2], y
		case y >= z:
			face, s, t, along = 3, d[0], -d[2], y
		case d[2] > 0:
			face, s, t, along = 4, d[0], -d[1], z
		default:
			face, s, t, along = 5, -d[0], -d[1], z
		}
		if material == "one" {
			face = 3
		}
		return (s/along + 1) / 2, (t/along + 1) / 2, face
	}
	turn := math.Mod(math.Atan2(unit[1], unit[0])/(2*math.Pi)+1, 1)
	switch kind {
	case "plane":
		if size[0] == 0 { // without end: two metres have it so many times
			return 0.3*p[0]/2 - 0.5, -0.2*p[1]/2 - 0.5, 0
		}
		column, row = (unit[0]+1)/2, (1-unit[1])/2
	case "box":
		x, y, z := math.Abs(unit[0]), math.Abs(unit[1]), math.Abs(unit[2])
		switch {
		case z >= x && z >= y:
			column, row = (unit[0]+1)/2, (1-unit[1])/2
		case x >= y:
			column, row = (unit[1]+1)/2, (1-unit[2])/2
		default:
			column, row = (unit[0]+1)/2, (1-unit[2])/2
		}
	case "sphere", "ellipsoid":
		column, row = turn, math.Acos(max(-1, min(unit[2], 1)))/math.Pi
	case "cylinder":
		column, row = turn, (1-unit[2])/2
		if math.Abs(unit[2]) > 0.9999 {
			column, row = (unit[0]+1)/2, (unit[1]+1)/2
		}
	case "capsule":
		column, row = turn, (1-unit[2])/2
		if steep := math.Asin(max(0, min(math.Abs(unit[2])-1, 1))) / (math.Pi / 2); unit[2] > 1 {
			row = 1 - steep
		} else if unit[2] < -1 {
			row = steep
		}
	case "mesh": // without texture coordinates: along x and y, once each repetition in the size of the geom
		return p[0]/half[0]*2/2 - 0.5, -p[1]/half[1]*1.5/2 - 0.5, 0
	case "tent":
		// the corners say what x and y say, as seen from above
		column, row = p[0]+0.5, p[1]+0.5
	}
	return column * repeat[0], row * repeat[1], 0
}

// The colours of pixels are those of the texels that a second computation finds where depths and labels say.
func TestTexturesByHand(t *testing.T) {
	const width, height = 480, 360
	m := load(t, writeTextured(t))
	row, pose := make([]float64, m.StateSize()), make([]float64, m.Pose().Size)
	m.InitialState(row)
	m.PoseOf(row, pose)
	described := m.Describe()
	materials := []string{"flat", "even", "flat", "even", "flat", "even", "cube", "metres", "metres", "cube", "one", "cube",
		"flat", "flat", "wide", "flat"}
	placer := polytest.Must(m.NewPlacer(nil, physics.Visible{}))(t)
	defer func() { polytest.NoError(t, placer.Close()) }()
	places := make([]float64, placer.Size())
	polytest.NoError(t, placer.Place(places, pose))
	compared, wrong, example := map[int]int{}, map[int]int{}, map[int]string{}
	for _, eye := range []struct {
		name  string
		place vector
		axes  [2]vector
	}{
		{"front", vector{0, -3.5, 3}, [2]vector{{1, 0, 0}, {0, .65, .76}}},
		{"side", vector{3.5, 2, 2.5}, [2]vector{{-.5, .87, 0}, {-.4, -.23, .89}}},
		{"near", vector{-1.9, -1, .7}, [2]vector{{1, 0, 0}, {0, .57, .82}}},
	} {
		camera := modelCamera(eye.name, width, height)
		pictures := room(1, camera)
		polytest.NoError(t, open(t, m, camera).Cast(0, pose, pictures))
		right, up := unitOf(eye.axes[0]), eye.axes[1]
		for k := range up {
			up[k] -= eye.axes[1].dot(right) * right[k]
		}
		up = unitOf(up)
		back := vector{right[1]*up[2] - right[2]*up[1], right[2]*up[0] - right[0]*up[2], right[0]*up[1] - right[1]*up[0]}
		for i, depth := range pictures.Depth {
			label := int(pictures.Segmentation[i])
			x, y := i%width, i/width
			edge := label < 0 || x == 0 || y == 0 || x == width-1 || y == height-1
			for _, k := range []int{-1, 1, -width, width} {
				edge = edge || pictures.Segmentation[i+k] != int32(label)
			}
			if edge {
				continue
			}
			step := 2 * math.Tan(30*math.Pi/180) / height
			u, v := (float64(x)+0.5-width/2)*step, (height/2-0.5-float64(y))*step
			place := places[24*label:]
			var p, along vector
			for k := range along {
				along[k] = u*right[k] + v*up[k] - back[k]
			}
			if label == 14 && float64(depth)*step*0.15*64 > -2*unitOf(along)[2] { // far away the ground is blurred
				continue
			}
			for j := range p {
				for k := range 3 {
					at := eye.place[k] + float64(depth)*along[k] - place[k]
					p[j] += place[3+3*k+j] * at
				}
			}
			geom := &described.Geoms[label]
			kind := geom.Type
			if label == 15 {
				kind = "tent"
				for k := range p {
					p[k] = eye.place[k] + float64(depth)*along[k] - vector{0, 1, 0}[k]
				}
			}
			column, row, face := texelOf(kind, materials[label], geom.Size, p)
			column, row = column-math.Floor(column), row-math.Floor(row)
			if min(column, row, 1-column, 1-row) < 0.1 { // where the texture begins anew
				continue
			}
			compared[label]++
			for k, want := range []float64{255 * column, 255 * row, float64(40 * face)} {
				if math.Abs(float64(pictures.RGB[3*i+k])-want) > 14 {
					wrong[label]++
					example[label] = fmt.Sprintf("such as %v for %.0f %.0f %d at %d, %d before %s",
						pictures.RGB[3*i:3*i+3], 255*column, 255*row, 40*face, x, y, eye.name)
					break
				}
			}
		}
	}
	for label := range materials {
		// surfaces that are seen at a slant are blurred
		if compared[label] < 200 || wrong[label] > compared[label]/20 {
			t.Errorf("geom %d: %d of %d pixels differ, %s", label, wrong[label], compared[label], example[label])
		}
	}
}

func unitOf(a vector) vector {
	length := math.Sqrt(a.dot(a))
	return vector{a[0] / length, a[1] / length, a[2] / length}
}
