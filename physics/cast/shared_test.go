package cast_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/cast"
)

// newAssets returns how many times assets are in casters that are not among those before.
func newAssets(before map[[32]byte]int) (counts []int) {
	for key, n := range cast.Assets() {
		if n != before[key] {
			counts = append(counts, n-before[key])
		}
	}
	return counts
}

// Casters of a model that workers open at once have one tree of each mesh together, and their textures. Pictures have
// the bits of one alone, also while others are opened and closed, in any order. The last one frees what they had.
func TestCastersShareMeshes(t *testing.T) {
	const workers, rounds = 4, 6
	m, camera := load(t, write(t, zoo)), modelCamera("far", 50, 37)
	poses := randomPoses(m, 1, 5)
	before := cast.Assets()
	want := room(1, camera)
	alone := open(t, m, camera)
	polytest.NoError(t, alone.Cast(0, poses, want))
	polytest.NoError(t, alone.Close())
	polytest.Equal(t, len(newAssets(before)), 0, "what the first caster has left")
	for round := range rounds {
		var casters [workers]*cast.Caster
		var all sync.WaitGroup
		for i := range casters {
			all.Go(func() {
				c, err := cast.Open(m, []cast.Camera{camera})
				if err != nil {
					t.Error(err)
					return
				}
				casters[i] = c
				look(t, c, poses, want)
			})
		}
		all.Wait()
		if t.Failed() {
			return
		}
		// the wedge, the hills and the textures; two geoms have the wedge
		polytest.EqualSlices(t, newAssets(before), []int{workers, workers, workers}, "times that each asset is in casters")
		random := rand.New(rand.NewPCG(uint64(round), 1))
		order := random.Perm(workers)
		for k, i := range order {
			all.Go(func() {
				if err := casters[i].Close(); err != nil {
					t.Error(err)
				}
			})
			for _, other := range order[k+1:] {
				all.Go(func() { look(t, casters[other], poses, want) })
			}
			all.Wait()
		}
		polytest.Equal(t, len(newAssets(before)), 0, "what the casters have left")
	}
}

// look checks that a caster takes the wanted pictures.
func look(t *testing.T, c *cast.Caster, poses []float64, want cast.Pictures) {
	got := cast.Pictures{RGB: make([]byte, len(want.RGB)), Depth: make([]float32, len(want.Depth)),
		Segmentation: make([]int32, len(want.Segmentation)), Normals: make([]float32, len(want.Normals))}
	if err := c.Cast(0, poses, got); err != nil {
		t.Error(err)
	}
	if !slices.Equal(got.RGB, want.RGB) || !slices.Equal(got.Depth, want.Depth) ||
		!slices.Equal(got.Segmentation, want.Segmentation) || !slices.Equal(got.Normals, want.Normals) {
		t.Error("a caster that shares takes other pictures than one alone")
	}
}

// changed is a model with other meshes or textures.
type changed struct {
	physics.Optical
	change func(*physics.Optics)
}

func (c changed) Optics(visible physics.Visible) physics.Optics {
	o := c.Optical.Optics(visible)
	c.change(&o)
	return o
}

// Assets are shared by what is in them: models that were loaded apart share, and what differs in one number does not.
func TestWhatIsShared(t *testing.T) {
	path := write(t, zoo)
	first := open(t, load(t, path), modelCamera("far", 8, 8))
	held := cast.Assets()
	m := load(t, path)
	for name, part := range map[string]struct {
		change func(*physics.Optics)
		more   int // number of assets that are not those of the first
	}{
		"nothing":      {func(*physics.Optics) {}, 0},
		"vertex":       {func(o *physics.Optics) { o.Meshes[0].Vertices[4] += 0.125 }, 1},
		"normal":       {func(o *physics.Optics) { o.Meshes[0].Normals[4] = -o.Meshes[0].Normals[4] - 0.125 }, 1},
		"face":         {func(o *physics.Optics) { f := o.Meshes[1].Faces; f[0], f[1], f[2] = f[1], f[2], f[0] }, 1},
		"texture":      {func(o *physics.Optics) { o.Textures[1].Pixels[7] ^= 1 }, 1},
		"shape of one": {func(o *physics.Optics) { x := &o.Textures[1]; x.Width, x.Height = x.Width/2, 2*x.Height }, 1},
	} {
		c := open(t, changed{m, part.change}, modelCamera("far", 8, 8))
		more := 0
		for key := range cast.Assets() {
			if _, ok := held[key]; !ok {
				more++
			}
		}
		polytest.Equal(t, more, part.more, "%s: assets of its own", name)
		polytest.NoError(t, c.Close())
		if got := cast.Assets(); !maps.Equal(got, held) {
			t.Errorf("%s: %d assets are left, want the %d of the first caster", name, len(got), len(held))
		}
	}
	polytest.NoError(t, first.Close())
}

// Meshes that bend are each caster's own: casters of other poses change nothing.
func TestBendingMeshesAreNotShared(t *testing.T) {
	const casters = 3
	m, camera := load(t, "testdata/gallery/cloth.xml"), modelCamera("view", 40, 30)
	poses := randomPoses(m, casters, 9)
	before, size := cast.Assets(), len(poses)/casters
	var want [casters]cast.Pictures
	for i := range want {
		want[i] = room(1, camera)
		c := open(t, m, camera)
		polytest.NoError(t, c.Cast(0, poses[i*size:(i+1)*size], want[i]))
		polytest.NoError(t, c.Close())
		for k := range i {
			if slices.Equal(want[i].Depth, want[k].Depth) {
				t.Fatalf("poses %d and %d look alike", k, i)
			}
		}
	}
	var together [casters]*cast.Caster
	for i := range together {
		together[i] = open(t, m, camera)
	}
	polytest.EqualSlices(t, newAssets(before), []int{casters}, "assets, which are the textures")
	for range 3 {
		for i, c := range together {
			look(t, c, poses[i*size:(i+1)*size], want[i])
		}
	}
}
