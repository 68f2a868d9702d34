package mujoco

// #include "optics.h"
// #include "robot.h"
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

// Optics implements [physics.Optical]: the geoms of [Model.Shapes], labelled by their numbers, and what else is visible. The
// lamps are the first lights that are on, eight with the headlight.
// Textures lie on geoms, sites and skins; those of flexes and tendons count with their mean colour.
func (m *Model) Optics(visible physics.Visible) physics.Optics {
	shapes, geoms, surfaces := m.shapes()
	meshes := m.meshes(surfaces)
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
		Haze:         colorAt(&m.c.vis.rgba.haze[0], 0),
		HazeWidth:    float64(m.c.vis._map.haze),
	}
	if m.c.vis.headlight.active == 0 {
		o.Ambient, o.Head, o.HeadSpecular = [3]float32{}, [3]float32{}, [3]float32{}
	}
	m.addLights(&o)
	for i, s := range shapes {
		geom, material := &d.Geoms[geoms[i]], id(m.c.geom_matid, geoms[i])
		shape := physics.OpticalShape{
			Kind: s.Kind, Size: s.Size, Mesh: s.Mesh, Label: int32(geoms[i]), Still: !movable[geoms[i]],
			Name: geom.Ref, Body: d.Bodies[geom.Body].Ref, BodyLabel: int32(geom.Body), Tree: d.Bodies[geom.Body].Root,
			Color: [3]float32(s.Color[:3]), Mapping: physics.MappingSides,
		}
		shape.Emission, shape.Specular, shape.Exponent = m.finish(material)
		if material >= 0 {
			color := m.materialColor([4]float32(floats32(m.c.geom_rgba, 4*geoms[i], 4)), material)
			shape.Color = [3]float32(color[:3])
			shape.Reflectance = float32(valueAt(m.c.mat_reflectance, material))
		}
		shape.Uniform = m.uniform(material)
		switch {
		case s.Kind == physics.ShapePlane, s.Kind == physics.ShapeMesh && meshes[s.Mesh].TexCoords == nil:
			shape.Mapping = physics.MappingFlat
		case s.Kind == physics.ShapeMesh:
			shape.Mapping = physics.MappingMesh
		}
		o.Shapes = append(o.Shapes, shape)
	}
	o.Textures = m.textures(visible.Looks)
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
	m.addExtras(&o, visible, bodies)
	for i := range o.Shapes {
		if s := &o.Shapes[i]; s.Body == "" {
			s.BodyLabel = int32(int(m.c.nbody)-int(m.c.ngeom)) + s.Label
		}
	}
	o.Unseen = m.listUnseen(visible)
	return o
}

// addLights adds the lights of the model, and what they add to the ambient light.
func (m *Model) addLights(o *physics.Optics) {
	lamps := m.lamps()
	if m.c.vis.headlight.active == 0 && len(lamps) == 0 {
		o.Ambient = [3]float32{C.PR_DARK, C.PR_DARK, C.PR_DARK}
	}
	for _, light := range lamps {
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

// lamps returns the first lights that are on, as many as OpenGL's, of which the headlight is one.
func (m *Model) lamps() (lights []C.int32_t) {
	most := physics.MaxLights
	if m.c.vis.headlight.active != 0 {
		most--
	}
	for i := range int(m.c.nlight) {
		if bool(valueAt(m.c.light_active, i)) && valueAt(m.c.light_type, i) != C.mjLIGHT_IMAGE && len(lights) < most {
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

// textures copies the textures that materials and the sky can have, with the others empty.
func (m *Model) textures(looks []physics.Vector) []physics.Texture {
	list := make([]physics.Texture, int(m.c.ntex))
	used := map[int]bool{}
	for i := range int(m.c.nmat) {
		used[m.textureOf(i)] = true
	}
	for i, sky := range m.skyboxes() {
		if i == 0 || colorsSky(looks) {
			used[int(sky.texture)] = true
		}
	}
	all := slices.ContainsFunc(looks, func(look physics.Vector) bool {
		array, _, _ := strings.Cut(look.Source, "/")
		return array == "mat_texid"
	})
	for i := range list {
		if all || used[i] {
			list[i] = m.texture(i)
		}
	}
	return list
}

// textureOf returns the number of the texture of a material, -1 for none.
func (m *Model) textureOf(material int) int {
	if material < 0 {
		return -1
	}
	return id(m.c.mat_texid, material*C.mjNTEXROLE+C.mjTEXROLE_RGB)
}

// uniform says of a material, -1 for none, whether its texture has a size that does not depend on that of shapes.
func (m *Model) uniform(material int) bool {
	return material >= 0 && bool(valueAt(m.c.mat_texuniform, material))
}

// texels returns the pixels of a texture in the model, row by row, and how many values each has.
func (m *Model) texels(index int) (values []byte, channels int) {
	channels = id(m.c.tex_nchannel, index)
	n := channels * id(m.c.tex_width, index) * id(m.c.tex_height, index)
	data := unsafe.Slice((*byte)(unsafe.Pointer(m.c.tex_data)), int(m.c.ntexdata))
	return data[int(valueAt(m.c.tex_adr, index)):][:n], channels
}

// texture copies a texture, without what it has beyond three channels.
func (m *Model) texture(index int) physics.Texture {
	t := physics.Texture{Width: id(m.c.tex_width, index), Height: id(m.c.tex_height, index),
		Cube: valueAt(m.c.tex_type, index) != C.mjTEXTURE_2D}
	texels, channels := m.texels(index)
	t.Pixels = make([]byte, 3*t.Width*t.Height)
	for i := range t.Pixels {
		t.Pixels[i] = texels[channels*(i/3)+min(i%3, channels-1)]
	}
	return t
}

// describeSkies finds the mean colours of the faces of skyboxes above and below.
func (m *Model) describeSkies() {
	m.skies = make([]*[2][3]float64, int(m.c.ntex))
	for i := range m.skies {
		if valueAt(m.c.tex_type, i) != C.mjTEXTURE_SKYBOX {
			continue
		}
		texels, channels := m.texels(i)
		width := id(m.c.tex_width, i)
		face, colors := channels*width*width, &[2][3]float64{}
		for k, n := range []int{2, 3} { // faces are right, left, up, down, front, back
			if len(texels) < (n+1)*face { // a single face serves as all six
				n = 0
			}
			pixels := texels[n*face:][:min(face, len(texels)-n*face)]
			for j := range 3 {
				sum := 0
				for at := min(j, channels-1); at < len(pixels); at += channels {
					sum += int(pixels[at])
				}
				colors[k][j] = float64(float32(sum) / float32(len(pixels)/channels) / 255)
			}
		}
		m.skies[i] = colors
	}
}

// skyColors returns the colours of the first skybox at its zenith and its nadir, or black.
func (m *Model) skyColors() (colors [6]C.float) {
	for _, sky := range m.skyboxes() {
		return sky.colors
	}
	return colors
}

// skyboxes returns the skyboxes in the order of their textures.
func (m *Model) skyboxes() (list []C.pr_Sky) {
	for i, sky := range m.skies {
		if sky == nil {
			continue
		}
		box := C.pr_Sky{texture: C.int32_t(i)}
		for k := range box.colors {
			box.colors[k] = C.float(sky[k/3][k%3])
		}
		list = append(list, box)
	}
	return list
}

// colorsSky reports whether worlds have the colours of the sky of their own.
func colorsSky(looks []physics.Vector) bool {
	return slices.ContainsFunc(looks, func(look physics.Vector) bool {
		return look.Source == "sky_zenith" || look.Source == "sky_nadir"
	})
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
	if err := m.checkSeen(); err != nil {
		return nil, fmt.Errorf("mujoco: %w", err)
	}
	p := &Placer{pose: m.Pose().Size}
	_, geoms, _ := m.shapes()
	frames := make([]C.pr_Frame, 0, len(geoms)+len(mounts))
	for _, geom := range geoms {
		frames = append(frames, C.pr_Frame{kind: C.mjOBJ_GEOM, id: C.int32_t(geom)})
	}
	for _, f := range m.flexes() {
		frames = append(frames, C.pr_Frame{kind: C.mjOBJ_FLEX, id: C.int32_t(f.id)})
		p.size += 3 * f.vertices
	}
	for _, e := range m.extras(visible) {
		for part := range e.parts {
			frames = append(frames, C.pr_Frame{kind: e.kind, id: C.int32_t(e.id), part: C.int32_t(part)})
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
	var means []C.float
	for i := range int(m.c.ntex) {
		for _, v := range m.meanColor(i) {
			means = append(means, C.float(v))
		}
	}
	lights, skies := m.lamps(), m.skyboxes()
	p.size += 24*shapes + 13*len(mounts) + 13 + 9*len(lights)
	err := engine.Own(&p.owner, &m.base, "placer", func() (func(), error) {
		err := try(func(message *C.char) bool {
			p.c = C.pr_makePlacer(m.c, unsafe.SliceData(skies), C.int(len(skies)), unsafe.SliceData(means), unsafe.SliceData(frames), C.int(len(frames)),
				C.int(shapes), unsafe.SliceData(looks), C.int(len(looks)), unsafe.SliceData(lights), C.int(len(lights)), message)
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
	if valueAt(m.c.cam_projection, camera) != C.mjPROJ_PERSPECTIVE {
		return physics.Lens{Orthographic: true} // MuJoCo ignores its sensor
	}
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
			return C.pr_Frame{kind: C.mjOBJ_CAMERA, id: C.int32_t(i)}, number(m.c.cam_fovy, i), m.lensOf(i), nil
		}
		return f, 0, lens, physics.UnknownError("camera", mount.Camera, names)
	}
	if mount.Robot {
		robot, err := m.findRobot()
		if err != nil {
			return f, 0, lens, err
		}
		if robot.moves != 0 {
			return C.pr_Frame{kind: C.mjOBJ_BODY, id: C.int32_t(robot.body)}, 0, lens, nil
		}
		mount = physics.Mount{}
		for i, v := range robot.centre {
			mount.Position[i] = float64(v)
		}
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
	worlds := len(dst) / p.size
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
