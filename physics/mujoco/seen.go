package mujoco

// #include "shim.h"
import "C"

import (
	"fmt"

	"github.com/polyrhythm-rl/polyrhythm/physics"
)

// checkSeen returns an error, which names object and attribute, unless pictures can show all numbers of the model that
// they are made of. A picture is made in float32.
func (m *Model) checkSeen() error {
	c, s := m.c, seen{model: m}
	for _, a := range []struct {
		kind      C.int
		count     C.mjtSize
		attribute string
		width     int
		values    *C.float
	}{
		{C.mjOBJ_MATERIAL, c.nmat, "texrepeat", 2, c.mat_texrepeat},
		{C.mjOBJ_MATERIAL, c.nmat, "emission", 1, c.mat_emission},
		{C.mjOBJ_MATERIAL, c.nmat, "specular", 1, c.mat_specular},
		{C.mjOBJ_MATERIAL, c.nmat, "shininess", 1, c.mat_shininess},
		{C.mjOBJ_MATERIAL, c.nmat, "reflectance", 1, c.mat_reflectance},
		{C.mjOBJ_MATERIAL, c.nmat, "rgba", 4, c.mat_rgba},
		{C.mjOBJ_GEOM, c.ngeom, "rgba", 4, c.geom_rgba},
		{C.mjOBJ_SITE, c.nsite, "rgba", 4, c.site_rgba},
		{C.mjOBJ_TENDON, c.ntendon, "rgba", 4, c.tendon_rgba},
		{C.mjOBJ_FLEX, c.nflex, "rgba", 4, c.flex_rgba},
		{C.mjOBJ_SKIN, c.nskin, "rgba", 4, c.skin_rgba},
		{C.mjOBJ_SKIN, c.nskin, "inflate", 1, c.skin_inflate},
		{C.mjOBJ_LIGHT, c.nlight, "ambient", 3, c.light_ambient},
		{C.mjOBJ_LIGHT, c.nlight, "diffuse", 3, c.light_diffuse},
		{C.mjOBJ_LIGHT, c.nlight, "specular", 3, c.light_specular},
		{C.mjOBJ_LIGHT, c.nlight, "attenuation", 3, c.light_attenuation},
		{C.mjOBJ_LIGHT, c.nlight, "cutoff", 1, c.light_cutoff},
		{C.mjOBJ_LIGHT, c.nlight, "exponent", 1, c.light_exponent},
		{C.mjOBJ_CAMERA, c.ncam, "sensorsize", 2, c.cam_sensorsize},
		{C.mjOBJ_CAMERA, c.ncam, "focal or principal", 4, c.cam_intrinsic},
	} {
		for i := range int(a.count) {
			s.check(a.kind, i, a.attribute, floats32(a.values, a.width*i, a.width))
		}
	}
	for _, a := range []struct {
		kind      C.int
		count     C.mjtSize
		attribute string
		width     int
		values    *C.mjtNum
	}{
		{C.mjOBJ_GEOM, c.ngeom, "size", 3, c.geom_size},
		{C.mjOBJ_SITE, c.nsite, "size", 3, c.site_size},
		{C.mjOBJ_TENDON, c.ntendon, "width", 1, c.tendon_width},
		{C.mjOBJ_FLEX, c.nflex, "radius", 1, c.flex_radius},
		{C.mjOBJ_CAMERA, c.ncam, "fovy", 1, c.cam_fovy},
	} {
		for i := range int(a.count) {
			s.check(a.kind, i, a.attribute, singles(numbers(a.values, a.width*i, a.width)))
		}
	}
	for i := range int(c.nmesh) {
		s.check(C.mjOBJ_MESH, i, "vertex", floats32(c.mesh_vert, 3*id(c.mesh_vertadr, i), 3*id(c.mesh_vertnum, i)))
		s.check(C.mjOBJ_MESH, i, "normal", floats32(c.mesh_normal, 3*id(c.mesh_normaladr, i), 3*id(c.mesh_normalnum, i)))
		if first := id(c.mesh_texcoordadr, i); first >= 0 && m.showsTexture(i) {
			s.check(C.mjOBJ_MESH, i, "texcoord", floats32(c.mesh_texcoord, 2*first, 2*id(c.mesh_texcoordnum, i)))
		}
	}
	for i := range int(c.nskin) {
		n := id(c.skin_vertnum, i)
		s.check(C.mjOBJ_SKIN, i, "vertex", floats32(c.skin_vert, 3*id(c.skin_vertadr, i), 3*n))
		if first := id(c.skin_texcoordadr, i); first >= 0 && m.textureOf(id(c.skin_matid, i)) >= 0 {
			s.check(C.mjOBJ_SKIN, i, "texcoord", floats32(c.skin_texcoord, 2*first, 2*n))
		}
	}
	for i := range int(c.nhfield) {
		s.check(C.mjOBJ_HFIELD, i, "elevation",
			floats32(c.hfield_data, id(c.hfield_adr, i), id(c.hfield_nrow, i)*id(c.hfield_ncol, i)))
		s.check(C.mjOBJ_HFIELD, i, "size", singles(numbers(c.hfield_size, 4*i, 4)))
	}
	return s.err
}

// showsTexture reports whether a geom has the mesh and a texture.
func (m *Model) showsTexture(mesh int) bool {
	for i := range int(m.c.ngeom) {
		kind := valueAt(m.c.geom_type, i)
		if (kind == C.mjGEOM_MESH || kind == C.mjGEOM_SDF) && id(m.c.geom_dataid, i) == mesh &&
			m.textureOf(id(m.c.geom_matid, i)) >= 0 {
			return true
		}
	}
	return false
}

// seen collects the first error of numbers of a model that pictures show.
type seen struct {
	model *Model
	err   error
}

func (s *seen) check(kind C.int, object int, attribute string, values []float32) {
	for _, v := range values {
		if s.err == nil && !physics.CanShow(float64(v)) {
			s.err = fmt.Errorf("%s %q has a %s of %v, want numbers up to %v, which pictures can show",
				C.GoString(C.mju_type2Str(kind)), s.model.label(kind, object), attribute, v, physics.MaxShown)
		}
	}
}

func singles(values []float64) []float32 {
	out := make([]float32, len(values))
	for i, v := range values {
		out[i] = float32(v)
	}
	return out
}
