package cast

// #include "cast.h"
import "C"

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"hash"
	"runtime"
	"slices"
	"sync"
	"unsafe"

	"github.com/polyrhythm-rl/polyrhythm/physics"
)

// asset is what does not change of a scene, in C memory: a mesh with the tree of its triangles, or all textures.
// Casters share those with the same contents, so that those of many workers take little more memory than one, and open
// sooner.
type asset struct {
	key      [sha256.Size]byte
	mesh     *C.pr_Mesh
	textures *C.pr_Textures
	casters  int // number of times that it is in casters
}

// assets are those that open casters have, by their contents. Its lock is held while one is made or deleted.
var assets = struct {
	sync.Mutex
	known map[[sha256.Size]byte]*asset
}{known: map[[sha256.Size]byte]*asset{}}

// share returns the asset of a key, which the caster then has, and makes it if there is none.
func (c *Caster) share(key [sha256.Size]byte, fill func(*asset) error) (*asset, error) {
	assets.Lock()
	defer assets.Unlock()
	a, ok := assets.known[key]
	if !ok {
		a = &asset{key: key}
		if err := fill(a); err != nil {
			a.delete()
			return nil, err
		}
		assets.known[key] = a
	}
	a.casters++
	c.shared = append(c.shared, a)
	return a, nil
}

// release takes an asset from a caster that is closed, and frees it if that was the last one.
func (a *asset) release() {
	assets.Lock()
	defer assets.Unlock()
	if a.casters--; a.casters == 0 {
		delete(assets.known, a.key)
		a.delete()
	}
}

func (a *asset) delete() {
	if a.mesh != nil {
		C.pr_deleteMesh(a.mesh)
	}
	if a.textures != nil {
		C.pr_deleteTextures(a.textures)
	}
}

// shareMesh returns the asset of a mesh that does not bend.
func (c *Caster) shareMesh(m *physics.Mesh) (*asset, error) {
	h := sha256.New()
	h.Write([]byte("mesh"))
	sum(h, []int64{int64(flag(m.Smooth))})
	sum(h, m.Vertices)
	sum(h, m.Normals)
	sum(h, m.Faces)
	sum(h, m.TexCoords)
	return c.share([sha256.Size]byte(h.Sum(nil)), func(a *asset) error {
		surface, unpin := surfaceOf(m)
		defer unpin()
		a.mesh = C.pr_makeMesh(&surface, &c.message[0])
		return c.try(a.mesh != nil)
	})
}

// shareTextures returns the asset of the textures of a scene.
func (c *Caster) shareTextures(textures []physics.Texture) (*asset, error) {
	h := sha256.New()
	h.Write([]byte("textures"))
	for _, t := range textures {
		sum(h, []int64{int64(t.Width), int64(t.Height), int64(flag(t.Cube))})
		sum(h, t.Pixels)
	}
	return c.share([sha256.Size]byte(h.Sum(nil)), func(a *asset) error {
		if a.textures = C.pr_makeTextures(C.int(len(textures))); a.textures == nil {
			return errors.New("out of memory")
		}
		for _, t := range textures {
			pixels, faces, levels := pyramid(t)
			failed := C.pr_addTexture(a.textures, C.int(t.Width), C.int(t.Height/faces), C.int(faces), C.int(flag(t.Cube)),
				C.int(levels), (*C.uint8_t)(unsafe.SliceData(pixels)), C.int64_t(len(pixels)/3), &c.message[0])
			if err := c.try(failed == 0); err != nil {
				return err
			}
		}
		return nil
	})
}

// sum adds values and their number to a digest.
func sum[T byte | int64 | uint32 | float32](h hash.Hash, values []T) {
	h.Write(binary.NativeEndian.AppendUint64(nil, uint64(len(values))))
	h.Write(unsafe.Slice((*byte)(address(values)), len(values)*int(unsafe.Sizeof(T(0)))))
}

// surfaceOf returns a mesh as C has it, whose values stay where they are until it is unpinned.
func surfaceOf(m *physics.Mesh) (s C.pr_Surface, unpin func()) {
	var pinner runtime.Pinner
	pin := func(p unsafe.Pointer) unsafe.Pointer {
		if p != nil {
			pinner.Pin(p)
		}
		return p
	}
	return C.pr_Surface{
		vertices: (*C.float)(pin(address(m.Vertices))), nvertex: C.int64_t(len(m.Vertices) / 3),
		normals: (*C.float)(pin(address(m.Normals))), nnormal: C.int64_t(len(m.Normals) / 3),
		faces: (*C.uint32_t)(pin(address(m.Faces))), nface: C.int64_t(len(m.Faces) / 3),
		texcoords: (*C.float)(pin(address(m.TexCoords))), bends: flag(m.Bends), smooth: flag(m.Smooth),
	}, pinner.Unpin
}

// pyramid returns a texture followed by copies of it, each half as wide and as high as the one
// before, down to one pixel, and the numbers of its faces and copies.
func pyramid(t physics.Texture) (pixels []byte, faces, levels int) {
	faces, levels = 1, 1
	if t.Cube && t.Height == 6*t.Width {
		faces = 6
	}
	pixels = slices.Clone(t.Pixels)
	last := t.Pixels
	w, h := t.Width, t.Height/faces
	for w > 1 || h > 1 {
		nw, nh := max(1, w/2), max(1, h/2)
		next := make([]byte, 3*nw*nh*faces)
		for i := range next {
			x, y, k := i/3%nw, i/3/nw%nh, i%3
			face := last[i/(3*nw*nh)*3*w*h:]
			sum, n := 0, 0
			for row := y * h / nh; row < (y+1)*h/nh; row++ {
				for column := x * w / nw; column < (x+1)*w/nw; column++ {
					sum += int(face[3*(row*w+column)+k])
					n++
				}
			}
			next[i] = byte((sum + n/2) / n)
		}
		pixels, levels = append(pixels, next...), levels+1
		last, w, h = next, nw, nh
	}
	return pixels, faces, levels
}
