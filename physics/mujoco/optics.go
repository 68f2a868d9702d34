package mujoco

// #include "optics.h"
import "C"

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"unsafe"

	"gonum.org/v1/gonum/num/quat"

	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/internal/engine"
)

var _ physics.Optical = (*Model)(nil)

// Optics implements [physics.Optical]: the geoms of the groups that MuJoCo's viewer shows, labelled by their numbers, and
// what else is visible. The lamps are the first eight lights that are on.
// Textures lie on geoms, sites and skins; those of flexes and tendons count with their mean colour.
func (m *Model) Optics(visible physics.Visible) physics.Optics {
	shapes, geoms, meshes := m.shapes()
	movable, bodies := m.movable(visible.Looks)
	d := m.Describe()
	extent := float64(m.c.stat.extent)
	o := physics.Optics{
		Meshes:  meshes,
		Ambient: colorAt(&m.c.vis.headlight.ambient[0], 0),
		Head:    colorAt(&m.c.vis.headlight.diffuse[0], 0),
		Near:    float64(m.c.vis._map.znear) * extent,
		Far:     float64(m.c.vis._map.zfar) * extent,

		HeadSpecular: colorAt(&m.c.vis.headlight.specular[0], 0),
	}
	if m.c.vis.headlight.active == 0 {
		o.Ambient, o.Head, o.HeadSpecular = [3]float32{}, [3]float32{}, [3]float32{}
	}
	for _, light := range m.lamps() {
		light := int(light)
		kind, cutoff := valueAt(m.c.light_type, light), valueAt(m.c.light_cutoff, light)
		o.Lights = append(o.Lights, physics.Light{
			Directional: kind == C.mjLIGHT_DIRECTIONAL,
			Spot:        kind == C.mjLIGHT_SPOT && cutoff <= 90, // OpenGL has no wider cones
			Cutoff:      float64(cutoff),
			Exponent:    float64(valueAt(m.c.light_exponent, light)),
			Shadows:     bool(valueAt(m.c.light_castshadow, light)),
			Color:       colorAt(m.c.light_diffuse, light),
			Specular:    colorAt(m.c.light_specular, light),
			Attenuation: colorAt(m.c.light_attenuation, light),
		})
		for i, v := range colorAt(m.c.light_ambient, light) {
			o.Ambient[i] += v
		}
	}
	textures := map[int]int{}
	for i, s := range shapes {
		shape := physics.OpticalShape{
			Kind: s.Kind, Size: s.Size, Mesh: s.Mesh, Label: int32(geoms[i]), Still: !movable[geoms[i]],
			Name: d.Geoms[geoms[i]].Ref, Body: d.Bodies[d.Geoms[geoms[i]].Body].Ref,
			Tree: d.Bodies[d.Geoms[geoms[i]].Body].Root, Color: [3]float32(s.Color[:3]), Texture: -1,
		}
		shape.Emission, shape.Specular, shape.Exponent = m.finish(id(m.c.geom_matid, geoms[i]))
		if material := id(m.c.geom_matid, geoms[i]); material >= 0 {
			shape.Reflectance = float32(valueAt(m.c.mat_reflectance, material))
		}
		m.paint(&shape, m.surface(geoms[i]), &o, textures)
		o.Shapes = append(o.Shapes, shape)
	}
	for i := range int(m.c.ntex) {
		if valueAt(m.c.tex_type, i) == C.mjTEXTURE_SKYBOX {
			o.Sky = m.sky(i)
			break
		}
	}
	for i, s := range o.Shapes {
		geom := geoms[i]
		if valueAt(m.c.geom_type, geom) == C.mjGEOM_HFIELD && s.Mesh < len(meshes) {
			field := id(m.c.geom_dataid, geom)
			columns, rows := id(m.c.hfield_ncol, field), id(m.c.hfield_nrow, field)
			if mesh := &o.Meshes[s.Mesh]; len(mesh.Vertices) == 3*rows*columns {
				addSides(mesh, rows, columns, -float32(number(m.c.hfield_size, 4*field+3)))
			}
		}
	}
	m.addFlexes(&o)
	m.addExtras(&o, visible, bodies, textures)
	o.Unseen = m.listUnseen(visible)
	return o
}

// Tree implements [physics.Optical].
func (m *Model) Tree(frame string) (int, error) {
	d := m.Describe()
	kind, name, _ := strings.Cut(frame, "/")
	bodies := map[string]int{} // of the frames of the kind
	switch kind {
	case "body":
		for i := range d.Bodies {
			bodies[d.Bodies[i].Ref] = i
		}
	case "site":
		for i := range d.Sites {
			bodies[d.Sites[i].Ref] = d.Sites[i].Body
		}
	}
	body, ok := bodies[name]
	if !ok {
		return 0, fmt.Errorf("mujoco: %w", physics.UnknownError(kind, name, slices.Sorted(maps.Keys(bodies))))
	}
	return d.Bodies[body].Root, nil
}

// Shows implements [physics.Optical].
func (m *Model) Shows(source string) bool { return m.parameters[source].look.size > 0 }

// movable says of each geom and of each body whether it can move: with a joint, or by looks.
func (m *Model) movable(looks []physics.Vector) (geoms, bodies []bool) {
	geoms, bodies = make([]bool, int(m.c.ngeom)), make([]bool, int(m.c.nbody))
	for _, look := range looks {
		p, flags := m.parameters[look.Source], geoms
		switch array, _, _ := strings.Cut(look.Source, "/"); array {
		case "body_pos", "body_quat":
			flags = bodies
		case "geom_pos", "geom_quat", "geom_size":
		default:
			continue
		}
		for i := p.first / p.width; i < (p.first+look.Size)/p.width; i++ {
			flags[i] = true
		}
	}
	for i, b := range m.Describe().Bodies {
		bodies[i] = bodies[i] || !b.Static || i > 0 && bodies[b.Parent]
	}
	for i := range geoms {
		geoms[i] = geoms[i] || bodies[id(m.c.geom_bodyid, i)]
	}
	return geoms, bodies
}

// addSides adds the sides and the bottom, at a height, to the surface of a field. They have no normals.
func addSides(m *physics.Mesh, rows, columns int, bottom float32) {
	var rim []uint32 // outline, counterclockwise as seen from above
	for c := range columns - 1 {
		rim = append(rim, uint32(c))
	}
	for r := range rows - 1 {
		rim = append(rim, uint32(r*columns+columns-1))
	}
	for c := columns - 1; c > 0; c-- {
		rim = append(rim, uint32((rows-1)*columns+c))
	}
	for r := rows - 1; r > 0; r-- {
		rim = append(rim, uint32(r*columns))
	}
	first := uint32(len(m.Vertices) / 3)
	for _, v := range rim {
		m.Vertices = append(m.Vertices, m.Vertices[3*v], m.Vertices[3*v+1], bottom)
	}
	for i, v := range rim {
		next := (i + 1) % len(rim)
		low, nextLow := first+uint32(i), first+uint32(next)
		m.Faces = append(m.Faces, v, low, nextLow, v, nextLow, rim[next])
	}
	corners := [4]uint32{
		first, first + uint32(columns-1), first + uint32(columns+rows-2), first + uint32(2*columns+rows-3),
	}
	m.Faces = append(m.Faces, corners[0], corners[2], corners[1], corners[0], corners[3], corners[2])
}

// lamps returns the first lights that are on.
func (m *Model) lamps() (lights []C.int32_t) {
	for i := range int(m.c.nlight) {
		if bool(valueAt(m.c.light_active, i)) && valueAt(m.c.light_type, i) != C.mjLIGHT_IMAGE &&
			len(lights) < physics.MaxLights {
			lights = append(lights, C.int32_t(i))
		}
	}
	return lights
}

func colorAt(p *C.float, i int) [3]float32 { return [3]float32(floats32(p, 3*i, 3)) }

// finish returns emission, strength and exponent of the highlights of a material, -1 for none, as MuJoCo's renderer has
// them.
func (m *Model) finish(material int) (emission, specular, exponent float32) {
	if material < 0 {
		return 0, 0.5, 64
	}
	return float32(valueAt(m.c.mat_emission, material)), float32(valueAt(m.c.mat_specular, material)),
		128 * float32(valueAt(m.c.mat_shininess, material))
}

// surface is what is painted: its material, -1 for none, its own colour and its size.
type surface struct {
	material int
	rgba     [4]float32
	size     [3]float64
}

// surface returns that of a geom.
func (m *Model) surface(geom int) surface {
	return surface{id(m.c.geom_matid, geom), [4]float32(floats32(m.c.geom_rgba, 4*geom, 4)), vector3(m.c.geom_size, geom)}
}

// paint sets the texture of a shape. textures are the places of the model's textures in o.
func (m *Model) paint(s *physics.OpticalShape, of surface, o *physics.Optics, textures map[int]int) {
	material, size := of.material, of.size
	if !m.painted(material) {
		return
	}
	texture := id(m.c.mat_texid, material*C.mjNTEXROLE+C.mjTEXROLE_RGB)
	known, ok := textures[texture]
	if !ok {
		known = len(o.Textures)
		textures[texture] = known
		o.Textures = append(o.Textures, m.texture(texture))
	}
	s.Texture = known
	color := m.materialColor(of.rgba, material)
	s.Color = [3]float32(color[:3])
	s.Uniform = bool(valueAt(m.c.mat_texuniform, material))
	var repeat [2]float64
	for i, v := range floats32(m.c.mat_texrepeat, 2*material, 2) {
		repeat[i] = 1
		if v > 0 {
			repeat[i] = float64(v)
		}
	}
	switch {
	case o.Textures[known].Cube:
		s.Mapping = physics.MappingCube
	case s.Kind == physics.ShapePlane:
		s.Mapping = physics.MappingFlat
		layFlat(s, repeat, size, size[0] > 0 && size[1] > 0)
	case s.Kind == physics.ShapeMesh && (s.Mesh >= len(o.Meshes) || o.Meshes[s.Mesh].TexCoords == nil):
		s.Mapping = physics.MappingFlat
		layFlat(s, repeat, size, false)
	default:
		s.Mapping = physics.MappingSides
		if s.Kind == physics.ShapeMesh {
			s.Mapping = physics.MappingMesh
		}
		if s.Kind == physics.ShapeSphere || s.Kind == physics.ShapeCapsule || s.Kind == physics.ShapeCylinder {
			size[1] = size[0]
		}
		for i := range s.Repeat {
			s.Repeat[i] = repeat[i]
			if s.Uniform {
				s.Repeat[i] *= size[i]
			}
		}
	}
}

// layFlat lays a flat texture on a shape: two metres or, unless it is uniform, the shape have it so many times. It
// begins at the upper left corner, or has its middle in that of the shape.
func layFlat(s *physics.OpticalShape, repeat [2]float64, size [3]float64, corner bool) {
	for i := range s.Repeat {
		s.Repeat[i], s.Phase[i] = repeat[i]/2, -0.5
		if !s.Uniform && size[i] > 0 {
			s.Repeat[i] /= size[i]
		}
		if corner {
			s.Phase[i] = s.Repeat[i] * size[i]
		}
	}
}

// painted reports whether a material, -1 for none, has a texture.
func (m *Model) painted(material int) bool {
	return material >= 0 && id(m.c.mat_texid, material*C.mjNTEXROLE+C.mjTEXROLE_RGB) >= 0
}

// tint is what multiplies the colour of something with a material, -1 for none, on which textures lie.
func (m *Model) tint(material int) [3]float32 {
	if m.painted(material) {
		return [3]float32{1, 1, 1}
	}
	return m.tintOf(material)
}

// tintOf is what a material, -1 for none, multiplies the colour by of what its texture does not lie on.
func (m *Model) tintOf(material int) [3]float32 {
	if material >= 0 {
		if texture := id(m.c.mat_texid, material*C.mjNTEXROLE+C.mjTEXROLE_RGB); texture >= 0 {
			return m.meanColor(texture)
		}
	}
	return [3]float32{1, 1, 1}
}

// texture copies a texture, without what it has beyond three channels.
func (m *Model) texture(index int) physics.Texture {
	t := physics.Texture{Width: id(m.c.tex_width, index), Height: id(m.c.tex_height, index)}
	channels, pixels := id(m.c.tex_nchannel, index), t.Width*t.Height
	start := int(valueAt(m.c.tex_adr, index))
	data := unsafe.Slice((*byte)(unsafe.Pointer(m.c.tex_data)), int(m.c.ntexdata))[start:][:channels*pixels]
	t.Pixels = make([]byte, 3*pixels)
	t.Cube = valueAt(m.c.tex_type, index) != C.mjTEXTURE_2D
	for p := range pixels {
		for i := range 3 {
			t.Pixels[3*p+i] = data[channels*p+min(i, channels-1)]
		}
	}
	return t
}

// sky returns the mean colours of the faces of a skybox above and below.
func (m *Model) sky(index int) (colors [2][3]float32) {
	t := m.texture(index)
	face := 3 * t.Width * t.Width
	for k, n := range []int{2, 3} { // faces are right, left, up, down, front, back
		if len(t.Pixels) < (n+1)*face { // a single face serves as all six
			n = 0
		}
		pixels := t.Pixels[n*face:][:min(face, len(t.Pixels)-n*face)]
		var sum [3]int
		for i, v := range pixels {
			sum[i%3] += int(v)
		}
		for i, s := range sum {
			colors[k][i] = float32(s) / float32(len(pixels)/3) / 255
		}
	}
	return colors
}

// Placer implements [physics.Placer]. It owns an mjData.
type Placer struct {
	owner
	c      *C.pr_Placer
	pose   int // number of values of a pose
	size   int
	angles []float64 // fields of view of the cameras
	varies []bool    // the angle is among the looks
	lenses []physics.Lens

	message [C.PR_MESSAGE]C.char
}

// NewPlacer implements [physics.Optical].
func (m *Model) NewPlacer(mounts []physics.Mount, visible physics.Visible) (physics.Placer, error) {
	p := &Placer{pose: m.Pose().Size}
	_, geoms, _ := m.shapes()
	frames := make([]C.pr_Frame, 0, len(geoms)+len(mounts))
	var tints []float64
	add := func(f C.pr_Frame, tint [3]float32) {
		frames = append(frames, f)
		tints = append(tints, float64(tint[0]), float64(tint[1]), float64(tint[2]))
	}
	for _, geom := range geoms {
		add(C.pr_Frame{kind: C.mjOBJ_GEOM, id: C.int32_t(geom)}, m.tint(id(m.c.geom_matid, geom)))
	}
	for _, f := range m.flexes() {
		add(C.pr_Frame{kind: C.mjOBJ_FLEX, id: C.int32_t(f.id)}, m.tintOf(id(m.c.flex_matid, f.id)))
		p.size += 3 * f.vertices
	}
	for _, e := range m.extras(visible) {
		tint := m.tintOf(e.material)
		if e.textured {
			tint = m.tint(e.material)
		}
		for part := range e.parts {
			add(C.pr_Frame{kind: e.kind, id: C.int32_t(e.id), part: C.int32_t(part)}, tint)
		}
		p.size += 3 * e.vertices
	}
	shapes := len(frames)
	var looks []C.pr_Look
	for _, look := range visible.Looks {
		if !m.Shows(look.Source) || int(m.parameters[look.Source].look.size) != look.Size {
			return nil, fmt.Errorf("mujoco: parameter %q of %d values cannot be seen, want one of the model's that can",
				look.Source, look.Size)
		}
		looks = append(looks, m.parameters[look.Source].look)
		p.pose += look.Size
	}
	for _, mount := range mounts {
		frame, angle, lens, err := m.frameOf(mount)
		if err != nil {
			return nil, fmt.Errorf("mujoco: %w", err)
		}
		frames, p.angles, p.lenses = append(frames, frame), append(p.angles, angle), append(p.lenses, lens)
		p.varies = append(p.varies, mount.Camera != "" && m.changesAngle(visible.Looks, int(frame.id)))
	}
	lights := m.lamps()
	p.size += 19*shapes + 13*len(mounts) + 6 + 9*len(lights)
	err := engine.Own(&p.owner, &m.base, "placer", func() (func(), error) {
		err := try(func(message *C.char) bool {
			p.c = C.pr_makePlacer(m.c, unsafe.SliceData(frames), C.int(len(frames)), C.int(shapes), doubles(tints),
				unsafe.SliceData(looks), C.int(len(looks)), unsafe.SliceData(lights), C.int(len(lights)), message)
			return p.c != nil
		})
		return func() { C.pr_deletePlacer(p.c) }, err
	})
	if err != nil {
		return nil, err
	}
	return p, nil
}

// changesAngle reports whether the field of view of a camera is among the looks.
func (m *Model) changesAngle(looks []physics.Vector, camera int) bool {
	return slices.ContainsFunc(looks, func(look physics.Vector) bool {
		array, _, _ := strings.Cut(look.Source, "/")
		first := m.parameters[look.Source].first
		return array == "cam_fovy" && first <= camera && camera < first+look.Size
	})
}

// lensOf returns the lens of a camera, the zero value where its fovy says everything. MuJoCo's principal point is where
// the middle of the sensor is as seen from the axis of view, to the right and down.
func (m *Model) lensOf(camera int) (l physics.Lens) {
	for k := range 2 {
		size := float64(valueAt(m.c.cam_sensorsize, 2*camera+k))
		if valueAt(m.c.cam_sensorsize, 2*camera+1) == 0 {
			return physics.Lens{}
		}
		l.Focal[k] = float64(valueAt(m.c.cam_intrinsic, 4*camera+k)) / size
		l.Principal[k] = -float64(valueAt(m.c.cam_intrinsic, 4*camera+2+k)) / size
	}
	return l
}

// frameOf returns the frame of a mount, and the field of view and lens of its camera.
func (m *Model) frameOf(mount physics.Mount) (f C.pr_Frame, angle float64, lens physics.Lens, err error) {
	if mount.Camera != "" {
		names := m.Cameras()
		for i, name := range names {
			if name != mount.Camera {
				continue
			}
			if valueAt(m.c.cam_projection, i) != C.mjPROJ_PERSPECTIVE {
				return f, 0, lens, fmt.Errorf("camera %q has an orthographic projection, want one in perspective", name)
			}
			return C.pr_Frame{kind: C.mjOBJ_CAMERA, id: C.int32_t(i)}, number(m.c.cam_fovy, i), m.lensOf(i), nil
		}
		return f, 0, lens, physics.UnknownError("camera", mount.Camera, names)
	}
	body := mount.Body
	if body == "" {
		body = "world"
	}
	names := make([]string, int(m.c.nbody))
	f.kind, f.id = C.mjOBJ_XBODY, -1
	for i := range names {
		if names[i] = m.label(C.mjOBJ_BODY, i); names[i] == body {
			f.id = C.int32_t(i)
		}
	}
	if f.id < 0 {
		return f, 0, lens, physics.UnknownError("body", body, names)
	}
	q := number4(mount.Quaternion)
	if q == (quat.Number{}) {
		q.Real = 1
	}
	length := quat.Abs(q)
	if math.IsNaN(length) || length < 1e-6 || length > 1e6 {
		return f, 0, lens, fmt.Errorf("quaternion is %v, want four numbers that are not all 0", mount.Quaternion)
	}
	for _, v := range mount.Position {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return f, 0, lens, fmt.Errorf("position is %v, want three finite numbers", mount.Position)
		}
	}
	for i := range 3 {
		f.position[i] = C.double(mount.Position[i])
		axis := stance{quaternion: [4]float64{q.Real / length, q.Imag / length, q.Jmag / length, q.Kmag / length}}
		var unit [3]float64
		unit[i] = 1
		for k, v := range axis.compose(unit, [4]float64{1}).position {
			f.matrix[3*k+i] = C.double(v)
		}
	}
	return f, 0, lens, nil
}

// Lens implements [physics.Placer].
func (p *Placer) Lens(mount int) (fieldOfView float64, lens physics.Lens, varies bool) {
	return p.angles[mount], p.lenses[mount], p.varies[mount]
}

// Size implements [physics.Placer].
func (p *Placer) Size() int { return p.size }

// Place implements [physics.Placer].
func (p *Placer) Place(dst, poses []float64) error {
	if p.Closed() {
		return errors.New("mujoco: the placer is closed")
	}
	worlds := len(poses) / max(1, p.pose)
	if len(poses) != worlds*p.pose || len(dst) != worlds*p.size {
		return fmt.Errorf("mujoco: poses of %d values for %d, want multiples of %d and %d",
			len(poses), len(dst), p.pose, p.size)
	}
	for i, v := range poses {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("mujoco: value %d of the poses is %v, want a finite number", i, v)
		}
	}
	if C.pr_place(p.c, doubles(poses), C.int(worlds), C.int(p.pose), doubles(dst), C.int(p.size), &p.message[0]) != 0 {
		return fmt.Errorf("mujoco: %s", oneLine(&p.message[0]))
	}
	return nil
}
