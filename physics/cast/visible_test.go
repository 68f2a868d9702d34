package cast_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/cast"
	"github.com/polyrhythm-rl/polyrhythm/physics/mujoco"
)

// decorated is a scene in which TAG is "site" or "geom": what cameras see only if asked, or always.
const decorated = `<mujoco>
  <asset>
    <texture name="tiles" type="2d" builtin="checker" rgb1="0.9 0.8 0.7" rgb2="0.2 0.3 0.4" width="64" height="64"/>
    <texture name="dice" type="cube" builtin="flat" mark="cross" rgb1=".5 .9 .5" markrgb="1 0 0" width="16" height="96"/>
    <material name="tiles" texture="tiles" texrepeat="2 1"/>
    <material name="dice" texture="dice" texuniform="true"/>
    <material name="red" rgba="0.9 0.1 0.1 1" emission="0.2" specular="1" shininess="0.3"/>
  </asset>
  <statistic extent="2" center="0 0 0"/>
  <default><geom contype="0" conaffinity="0" mass="0"/></default>
  <worldbody>
    <light pos="1 -1 4" dir="-.2 .2 -1"/>
    <geom type="plane" size="3 3 1"/>
    <camera name="far" pos="0 -5 2.5" xyaxes="1 0 0 0 .35 1" fovy="50"/>
    <TAG type="box" size=".3 .2 .4" pos="-1.5 .5 .4" euler="0 0 30" material="tiles"/>
    <TAG type="sphere" size=".2" pos="-.8 .5 .4" material="dice"/>
    <TAG type="sphere" size=".3" pos="-.8 -.5 .4" rgba="1 1 1 0"/>
    <TAG type="sphere" size=".3" pos=".8 -.5 .4" group="3" material="red"/>
    <body pos="0 0 1">
      <freejoint/>
      <geom type="sphere" size=".1" mass="1"/>
      <TAG type="capsule" size=".12 .4" material="red" pos="1 0 0" euler="0 70 0"/>
      <TAG type="ellipsoid" size=".3 .15 .1" pos=".5 0 .5" rgba="0 0.5 1 .5"/>
      <TAG type="cylinder" size=".1 .2" pos="-.3 0 0" rgba=".3 .3 0 1" material="red"/>
    </body>
  </worldbody>
</mujoco>`

// openVisible opens a caster of what is visible, or skips the test where there is no Embree.
func openVisible(t *testing.T, m physics.Optical, visible physics.Visible, cameras ...cast.Camera) *cast.Caster {
	t.Helper()
	open(t, m, cameras...)
	c := polytest.Must(cast.OpenVisible(m, cameras, visible))(t)
	t.Cleanup(func() { polytest.NoError(t, c.Close()) })
	return c
}

// initialPose returns the pose of the initial state.
func initialPose(m *mujoco.Model) []float64 {
	row, pose := make([]float64, m.StateSize()), make([]float64, m.Pose().Size)
	m.InitialState(row)
	m.PoseOf(row, pose)
	return pose
}

// Sites look as geoms do that are in their places, of the groups and opacities that are seen; cameras that do not ask for
// them see none.
func TestSitesLookAsGeoms(t *testing.T) {
	sites := load(t, write(t, strings.ReplaceAll(decorated, "TAG", "site")))
	geoms := load(t, write(t, strings.ReplaceAll(decorated, "TAG", "geom")))
	camera := modelCamera("far", 61, 47)
	plain := open(t, sites, camera)
	c, want := openVisible(t, sites, physics.Visible{Sites: true}, camera), open(t, geoms, camera)
	poses := randomPoses(sites, 3, 5)
	got, expected, without := room(3, camera), room(3, camera), room(3, camera)
	polytest.NoError(t, c.Cast(0, poses, got))
	polytest.NoError(t, want.Cast(0, poses, expected))
	polytest.NoError(t, plain.Cast(0, poses, without))
	polytest.EqualSlices(t, got.RGB, expected.RGB, "colours of sites")
	polytest.EqualSlices(t, got.Depth, expected.Depth, "depths of sites")
	if slices.Equal(got.RGB, without.RGB) || slices.Max(without.Segmentation) != 1 {
		t.Error("sites are seen without being asked for")
	}
	// labels are behind those of the two geoms, by the numbers of the sites
	seen := map[int32]bool{}
	for _, label := range got.Segmentation {
		seen[label] = true
	}
	for _, label := range []int32{2, 3, 6, 7, 8} {
		if !seen[label] {
			t.Errorf("site %d is not seen", label-2)
		}
	}
	if seen[4] || seen[5] {
		t.Error("a site of opacity 0 or of group 3 is seen")
	}
}

// wrapped returns points of the shortest way from a to b around a ball: where it begins, some from where it comes to the ball
// to where it leaves it, and where it ends. They lie in the plane through its middle.
func wrapped(a, b, middle vector, radius float64) []vector {
	out := []vector{a}
	from, to := a.plus(middle, -1), b.plus(middle, -1)
	far, other := math.Sqrt(from.dot(from)), math.Sqrt(to.dot(to))
	x := vector{}.plus(from, 1/far)
	y := to.plus(x, -to.dot(x))
	y = vector{}.plus(y, 1/math.Sqrt(y.dot(y)))
	first := math.Acos(radius / far)
	last := math.Acos(to.dot(x)/other) - math.Acos(radius/other)
	for i := range 17 {
		angle := first + float64(i)/16*(last-first)
		out = append(out, middle.plus(x, radius*math.Cos(angle)).plus(y, radius*math.Sin(angle)))
	}
	return append(out, b)
}

// Capsules of tendons and of lines are where geoms are that follow their paths: between sites, around a cylinder, over a
// pulley, and along the edges of a flex.
func TestTendonsAndLinesLookAsCapsules(t *testing.T) {
	const scene = `<mujoco>
	  <asset><material name="red" rgba="0.9 0.1 0.1 1" emission="0.2"/></asset>
	  <statistic extent="2" center="0 0 0"/><visual><map znear="0.01"/></visual>
	  <default><geom contype="0" conaffinity="0"/></default>
	  <worldbody>
	    <light pos="1 -1 4" dir="-.2 .2 -1"/>
	    <geom type="plane" size="3 3 1"/>
	    <camera name="far" pos="0 -5 2.5" xyaxes="1 0 0 0 .35 1" fovy="50"/>
	    <body pos="0 0 3"><freejoint/><geom size=".05"/></body>
	    %s
	  </worldbody>%s</mujoco>`
	const sites = `<site name="a" pos="-1 0 1.5"/><site name="b" pos="-.2 .3 2"/><site name="c" pos=".6 0 .5"/>
	  <site name="d" pos="1 0 1"/><site name="e" pos="1.5 .5 2"/><site name="hub" pos="0 0 2.2"/>
	  <geom name="hub" %s pos="-.2 .05 .9" rgba="0 0 0 0"/>`
	const tendons = `<tendon>
	  <spatial width=".04" material="red"><site site="a"/><site site="b"/><site site="hub"/>
	    <pulley divisor="2"/><site site="d"/><site site="e"/></spatial>
	  <spatial width=".03" rgba="0 .3 1 1"><site site="a"/><geom geom="hub" sidesite="hub"/><site site="c"/></spatial>
	  <spatial group="3" width=".3"><site site="a"/><site site="e"/></spatial>
	  <spatial width=".3" rgba="0 0 0 0"><site site="a"/><site site="e"/></spatial>
	</tendon>`
	hub := fmt.Sprintf(sites, `type="sphere" size=".3"`)
	m := load(t, write(t, fmt.Sprintf(scene, hub+
		`<flexcomp name="line" type="grid" count="3 1 1" spacing=".5 .5 .5" pos="-.5 0 .3" radius=".05" mass="1" dim="1"/>`,
		tendons)))
	// a cylinder across the plane of the way around the ball leads it as the ball does
	drum := load(t, write(t, fmt.Sprintf(scene, fmt.Sprintf(sites, `type="cylinder" size=".3 1" zaxis=".05 .16 .08"`),
		tendons)))
	points := wrapped(vector{-1, 0, 1.5}, vector{.6, 0, .5}, vector{-.2, .05, .9}, .3)
	capsules := `<geom type="capsule" size=".04" fromto="-1 0 1.5 -.2 .3 2" material="red"/>
	  <geom type="capsule" size=".04" fromto="-.2 .3 2 0 0 2.2" material="red"/>
	  <geom type="capsule" size=".04" fromto="1 0 1 1.5 .5 2" material="red"/>`
	for i, b := range points[1:] {
		a := points[i]
		capsules += fmt.Sprintf(`<geom type="capsule" size=".03" fromto="%v %v %v %v %v %v" rgba="0 .3 1 1"/>`, a[0], a[1],
			a[2], b[0], b[1], b[2])
	}
	lines := `<geom type="capsule" size=".05" fromto="-1 0 .3 -.5 0 .3"/><geom type="capsule" size=".05" fromto="-.5 0 .3 0 0 .3"/>`
	camera := modelCamera("far", 122, 94)
	n := camera.Width * camera.Height
	want := load(t, write(t, fmt.Sprintf(scene, capsules, "")))
	wantLines := load(t, write(t, fmt.Sprintf(scene, lines, "")))
	for _, part := range []struct {
		name    string
		model   *mujoco.Model
		visible physics.Visible
		want    *mujoco.Model
		unseen  []string
		labels  []int32
	}{
		{"tendons", m, physics.Visible{Tendons: true}, want, []string{"a line of a flex"}, []int32{10, 11}},
		{"lines", m, physics.Visible{Lines: true}, wantLines, []string{"3 tendons"}, []int32{3}},
		{"around a cylinder", drum, physics.Visible{Tendons: true}, want, nil, []int32{9, 10}},
	} {
		m := part.model
		c := openVisible(t, m, part.visible, camera)
		polytest.EqualSlices(t, c.Unseen(), part.unseen, "what is not seen")
		got, expected, plain := room(1, camera), room(1, camera), room(1, camera)
		polytest.NoError(t, c.Cast(0, initialPose(m), got))
		polytest.NoError(t, open(t, part.want, camera).Cast(0, initialPose(part.want), expected))
		polytest.NoError(t, open(t, m, camera).Cast(0, initialPose(m), plain))
		different, decorated := 0, 0
		for i := range n {
			differs := math.Abs(float64(got.Depth[i]-expected.Depth[i])) > 1e-4
			for k := 3 * i; k < 3*i+3; k++ {
				differs = differs || max(got.RGB[k], expected.RGB[k])-min(got.RGB[k], expected.RGB[k]) > 1
			}
			if differs {
				different++
			}
			if got.Depth[i] != plain.Depth[i] {
				decorated++
			}
		}
		if different > 5 || decorated < 30 {
			t.Errorf("%s: %d pixels differ from those of geoms, and %d from those without", part.name, different, decorated)
		}
		for _, label := range part.labels {
			polytest.Equal(t, slices.Contains(got.Segmentation, label), true, "%s: label %d is seen", part.name, label)
		}
	}
}

// normalsOf returns the normals of the vertices of a surface: sums of those of the faces, by their areas.
func normalsOf(vertices []vector, faces [][3]int) []vector {
	cross := func(a, b vector) vector {
		return vector{a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]}
	}
	normals := make([]vector, len(vertices))
	for _, f := range faces {
		normal := cross(vertices[f[1]].plus(vertices[f[0]], -1), vertices[f[2]].plus(vertices[f[0]], -1))
		for _, corner := range f {
			normals[corner] = normals[corner].plus(normal, 1)
		}
	}
	return normals
}

// surfaceAt returns the height of a surface above (x, y), which is inflated along the normals of its vertices, and the
// upward part of the normal there, between those of the vertices.
func surfaceAt(vertices []vector, faces [][3]int, inflate, x, y float64) (z, up float64) {
	vertices = slices.Clone(vertices)
	for i, normal := range normalsOf(vertices, faces) {
		vertices[i] = vertices[i].plus(unitOf(normal), inflate)
	}
	normals := normalsOf(vertices, faces)
	for _, f := range faces {
		var shares vector
		for k := range 3 { // area of the triangle of the point and the other two corners
			b, c := vertices[f[(k+1)%3]], vertices[f[(k+2)%3]]
			shares[k] = (b[0]-x)*(c[1]-y) - (b[1]-y)*(c[0]-x)
		}
		if min(shares[0], shares[1], shares[2]) < 0 {
			continue
		}
		var between vector
		for k, share := range shares {
			share /= shares[0] + shares[1] + shares[2]
			z += share * vertices[f[k]][2]
			between = between.plus(unitOf(normals[f[k]]), share)
		}
		return z, unitOf(between)[2]
	}
	return math.NaN(), math.NaN()
}

// A skin is where its bones take its vertices, by their weights, inflated, and lit by normals between its faces: a roof of
// which one side moves with a body.
func TestSkinByHand(t *testing.T) {
	const scene = `<mujoco>
	  <visual><headlight ambient="0 0 0" diffuse="1 1 1" specular="0 0 0"/><map znear="0.01" zfar="50"/></visual>
	  <statistic extent="1"/>
	  <asset><material name="red" rgba="1 0 0 1" specular="0"/></asset>
	  <worldbody>
	    <geom type="plane" size="9 9 1" rgba="0 0 1 1"/>
	    <body name="still"/>
	    <body name="bone" pos="1 0 1"><freejoint/><geom size=".01" rgba="0 0 0 0"/></body>
	  </worldbody>
	  <deformable>
	    <skin vertex="-1 -1 1  -1 1 1  0 -1 2  0 1 2  1 -1 1  1 1 1" face="0 2 3  0 3 1  2 4 5  2 5 3" material="red" inflate="%v">
	      <bone body="still" bindpos="0 0 0" bindquat="1 0 0 0" vertid="0 1 2 3" vertweight="1 1 .5 .5"/>
	      <bone body="bone" bindpos="1 0 1" bindquat="1 0 0 0" vertid="2 3 4 5" vertweight=".5 .5 1 1"/>
	    </skin>
	  </deformable></mujoco>`
	faces := [][3]int{{0, 2, 3}, {0, 3, 1}, {2, 4, 5}, {2, 5, 3}}
	var cameras []cast.Camera
	for _, x := range []float64{-0.7, -0.3, -0.01, 0.2, 0.55} {
		cameras = append(cameras, cast.Camera{Mount: physics.Mount{Position: [3]float64{x, 0.1, 5}}, FieldOfView: 0.01,
			Width: 1, Height: 1})
	}
	for _, inflate := range []float64{0, 0.1} {
		m := load(t, write(t, fmt.Sprintf(scene, inflate)))
		c := openVisible(t, m, physics.Visible{Skins: true}, cameras...)
		polytest.Equal(t, len(c.Unseen()), 0, "kinds of what is not seen")
		polytest.EqualSlices(t, open(t, m, cameras[0]).Unseen(), []string{"a skin"}, "what is not seen")
		bound := initialPose(m)
		turned := slices.Clone(bound) // the bone is 0.5 m higher, and turned around an axis along y
		turned[2] += 0.5
		turned[3], turned[5] = math.Cos(0.1), math.Sin(0.1)
		for i, camera := range cameras {
			pictures := room(2, camera)
			polytest.NoError(t, c.Cast(i, slices.Concat(bound, turned), pictures))
			for w, angle := range []float64{0, 0.2} {
				vertices := []vector{{-1, -1, 1}, {-1, 1, 1}, {0, -1, 2}, {0, 1, 2}, {1, -1, 1}, {1, 1, 1}}
				for k := 2; k < 6; k++ {
					v := vertices[k]
					x, z := v[0]-1, v[2]-1
					to := vector{1 + x*math.Cos(angle) + z*math.Sin(angle), v[1],
						1 + 0.5*float64(w) + z*math.Cos(angle) - x*math.Sin(angle)}
					share := map[bool]float64{true: 0.5, false: 1}[k < 4]
					vertices[k] = vector{}.plus(v, 1-share).plus(to, share)
				}
				height, up := surfaceAt(vertices, faces, inflate, camera.Position[0], 0.1)
				if depth := float64(pictures.Depth[w]); math.Abs(depth-(5-height)) > 1e-4 || pictures.Segmentation[w] != 2 {
					t.Errorf("camera %d, world %d: depth %v of %d, want %v of 2", i, w, depth, pictures.Segmentation[w], 5-height)
				}
				if red := float64(pictures.RGB[3*w]) / 255; math.Abs(red-up) > 0.005 {
					t.Errorf("camera %d, world %d: red %v, want %v", i, w, red, up)
				}
			}
		}
	}
}
