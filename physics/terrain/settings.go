package terrain

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/polyrhythm-rl/polyrhythm/internal/bounds"
)

// Bounds of the settings.
const (
	MaxRows  = 1000 // number of rows or columns
	MaxKinds = 64

	maxLength = 1000 // m
	maxCount  = 1000
)

// Settings describe a terrain; their zero value describes none.
type Settings struct {
	// Seed decides all that is drawn.
	Seed uint64 `yaml:"seed,omitempty"`

	// Rows and Columns are the numbers of patches along x and y. A row is a level of difficulty, a column has one kind.
	Rows    int `yaml:"num_rows"`
	Columns int `yaml:"num_cols"`

	// Size is the length of a patch along x and y, in m; [8, 8] if it is not given.
	Size *[2]float64 `yaml:"size,omitempty"`

	// BorderWidth is the width of the flat ground around the grid, in m; 5 if it is not given.
	BorderWidth float64 `yaml:"border_width,omitempty"`

	// HorizontalScale is the distance between the samples of fields, in m; 0.1 if it is not given.
	HorizontalScale float64 `yaml:"horizontal_scale,omitempty"`

	// DifficultyRange is the difficulty at the beginning of the first row and at the end of the last one, of 0 to 1;
	// [0, 1] if it is not given.
	DifficultyRange *[2]float64 `yaml:"difficulty_range,omitempty"`

	// Kinds share the columns by their proportions.
	Kinds []SubTerrain `yaml:"sub_terrains"`

	// FlatPatches are the flat places that are looked for in each patch, for starts.
	FlatPatches FlatPatches `yaml:"flat_patches,omitempty"`
}

// SubTerrain is a kind of ground and its parameters. A range goes from its first value at difficulty 0 to its second at
// difficulty 1. A nil parameter has the kind's default; one that the kind does not have must be nil.
type SubTerrain struct {
	Kind       string   `yaml:"kind"`
	Proportion *float64 `yaml:"proportion,omitempty"` // of all columns, to the sum of those of all kinds; 1 if nil

	PlatformWidth *float64 `yaml:"platform_width,omitempty"` // width of the flat square in the middle, m
	BorderWidth   *float64 `yaml:"border_width,omitempty"`   // width of the flat frame of the patch, m

	StepHeightRange *[2]float64 `yaml:"step_height_range,omitempty"` // m
	StepWidth       *float64    `yaml:"step_width,omitempty"`        // m
	StepThickness   *float64    `yaml:"step_thickness,omitempty"`    // m

	GridWidth       *float64    `yaml:"grid_width,omitempty"`        // width of a cell, m
	GridHeightRange *[2]float64 `yaml:"grid_height_range,omitempty"` // m
	TiltRange       *[2]float64 `yaml:"tilt_range,omitempty"`        // the largest tilt of a cell, rad

	StoneSizeRange     *[2]float64 `yaml:"stone_size_range,omitempty"`     // m
	StoneDistanceRange *[2]float64 `yaml:"stone_distance_range,omitempty"` // m
	BeamWidthRange     *[2]float64 `yaml:"beam_width_range,omitempty"`     // m
	NumBeams           *int        `yaml:"num_beams,omitempty"`
	Depth              *float64    `yaml:"depth,omitempty"` // depth of the ground beside stones and beams, m

	RingHeightRange *[2]float64 `yaml:"ring_height_range,omitempty"` // m
	// width of a ring, and of the ground between two rings, m
	RingWidth *float64 `yaml:"ring_width,omitempty"`

	NumObstacles        *int        `yaml:"num_obstacles,omitempty"`
	ObstacleHeightRange *[2]float64 `yaml:"obstacle_height_range,omitempty"` // m
	// the least and the largest that are drawn, m
	ObstacleWidthRange *[2]float64 `yaml:"obstacle_width_range,omitempty"`

	SlopeRange     *[2]float64 `yaml:"slope_range,omitempty"`     // rise by length
	NoiseRange     *[2]float64 `yaml:"noise_range,omitempty"`     // the largest height, m
	NoiseStep      *float64    `yaml:"noise_step,omitempty"`      // heights are multiples of it, m
	AmplitudeRange *[2]float64 `yaml:"amplitude_range,omitempty"` // m
	NumWaves       *float64    `yaml:"num_waves,omitempty"`       // number of waves across the patch
	// octaves of noise, each half as high and twice as fine
	Octaves    *int     `yaml:"octaves,omitempty"`
	NoiseScale *float64 `yaml:"noise_scale,omitempty"` // distance of the coarsest gradients, m
}

// FlatPatches say which flat places are looked for in each patch.
type FlatPatches struct {
	// number of flat places in each patch, at most; 0: none are looked for
	Num    int     `yaml:"num_patches,omitempty"`
	Radius float64 `yaml:"patch_radius,omitempty"` // m; 0.5 if it is not given
	// height difference between two points of a flat place, m; 0.05 if it is not given
	MaxHeightDiff float64 `yaml:"max_height_diff,omitempty"`
}

// Given reports whether there is a terrain.
func (s Settings) Given() bool { return !s.IsZero() }

// IsZero reports whether nothing is set, in which case YAML leaves the terrain out.
func (s Settings) IsZero() bool { return reflect.ValueOf(s).IsZero() }

// filled returns the settings with their defaults.
func (s Settings) filled() Settings {
	s.Size = cmp.Or(s.Size, &[2]float64{8, 8})
	s.BorderWidth, s.HorizontalScale = cmp.Or(s.BorderWidth, 5), cmp.Or(s.HorizontalScale, 0.1)
	s.DifficultyRange = cmp.Or(s.DifficultyRange, &[2]float64{0, 1})
	s.FlatPatches.Radius = cmp.Or(s.FlatPatches.Radius, 0.5)
	s.FlatPatches.MaxHeightDiff = cmp.Or(s.FlatPatches.MaxHeightDiff, 0.05)
	return s
}

// Validate reports the first setting that is out of its bounds. Its errors begin with the key.
func (s Settings) Validate() error {
	s = s.filled()
	var c bounds.Check
	c.Whole("num_rows", int64(s.Rows), 1, MaxRows)
	c.Whole("num_cols", int64(s.Columns), 1, MaxRows)
	for i, axis := range []string{"size[0]", "size[1]"} {
		c.Number(axis, s.Size[i], 1, maxLength)
	}
	c.Number("border_width", s.BorderWidth, 0.1, maxLength)
	c.Number("horizontal_scale", s.HorizontalScale, 0.005, 1)
	c.Number("difficulty_range[0]", s.DifficultyRange[0], 0, 1)
	c.Number("difficulty_range[1]", s.DifficultyRange[1], s.DifficultyRange[0], 1)
	c.Whole("sub_terrains", int64(len(s.Kinds)), 1, MaxKinds)
	sum := 0.0
	for i, k := range s.Kinds {
		c.Part(fmt.Sprintf("sub_terrains[%d]", i), k.validate(min(s.Size[0], s.Size[1])))
		sum += or(k.Proportion, 1)
	}
	if len(s.Kinds) > 0 && !(sum > 0) {
		c.Fail("sub_terrains have proportions of %v in all, want more than 0", sum)
	}
	c.Whole("flat_patches.num_patches", int64(s.FlatPatches.Num), 0, maxCount)
	c.Number("flat_patches.patch_radius", s.FlatPatches.Radius, 0.01, maxLength)
	c.Number("flat_patches.max_height_diff", s.FlatPatches.MaxHeightDiff, 0, maxLength)
	return c.Err()
}

// limits are the bounds of a parameter by its key.
var limits = map[string][2]float64{
	"proportion": {0, 1e6}, "platform_width": {0, maxLength}, "border_width": {0, maxLength / 2},
	"step_height_range": {0, 2}, "step_width": {0.05, maxLength}, "step_thickness": {0.001, 1},
	"grid_width": {0.05, maxLength}, "grid_height_range": {0, 5}, "tilt_range": {0, 1},
	"stone_size_range": {0.05, maxLength}, "stone_distance_range": {0, maxLength},
	"beam_width_range": {0.05, maxLength},
	"num_beams":        {1, 64}, "depth": {0.01, 100}, "ring_height_range": {0, 5}, "ring_width": {0.05, maxLength},
	"num_obstacles": {0, maxCount}, "obstacle_height_range": {0, 5}, "obstacle_width_range": {0.05, maxLength},
	"slope_range": {0, 2}, "noise_range": {0, 5}, "noise_step": {1e-4, 1}, "amplitude_range": {0, 5},
	"num_waves": {0, maxCount}, "octaves": {1, 8}, "noise_scale": {0.05, maxLength},
}

// validate checks a kind in patches whose shorter side is size.
func (k *SubTerrain) validate(size float64) error {
	var c bounds.Check
	maker, ok := makers[k.Kind]
	if !ok {
		c.OneOf("kind", k.Kind, Kinds()...)
		return c.Err()
	}
	v := reflect.ValueOf(k).Elem()
	for i := range v.NumField() {
		key, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("yaml"), ",")
		if key == "kind" || v.Field(i).IsNil() {
			continue
		}
		if key != "proportion" && !slices.Contains(maker.keys, key) {
			c.Fail("%s: not of %s, which has %s", key, k.Kind,
				bounds.Words(append(slices.Clip(maker.keys), "proportion"), "and"))
		}
		bound := limits[key]
		switch value := v.Field(i).Elem().Interface().(type) {
		case float64:
			c.Number(key, value, bound[0], bound[1])
		case int:
			c.Whole(key, int64(value), int64(bound[0]), int64(bound[1]))
		case [2]float64:
			c.Number(key+"[0]", value[0], bound[0], bound[1])
			c.Number(key+"[1]", value[1], bound[0], bound[1])
		}
	}
	p := k.withDefaults(maker)
	if 2**p.BorderWidth+*p.PlatformWidth > size {
		c.Fail("platform_width is %v with a border_width of %v, want at most the patch, which is %v wide",
			*p.PlatformWidth, *p.BorderWidth, size)
	}
	return c.Err()
}

// withDefaults returns the kind with the defaults of its maker.
func (k SubTerrain) withDefaults(m maker) SubTerrain {
	dst, defaults := reflect.ValueOf(&k).Elem(), reflect.ValueOf(m.defaults)
	for i := range dst.NumField() {
		if f := dst.Field(i); f.Kind() == reflect.Pointer && f.IsNil() {
			f.Set(defaults.Field(i))
		}
	}
	if k.BorderWidth == nil {
		k.BorderWidth = new(float64)
	}
	if k.PlatformWidth == nil {
		k.PlatformWidth = new(float64)
	}
	return k
}

// or returns what p points to, or another value if it is nil.
func or[T any](p *T, otherwise T) T {
	if p == nil {
		return otherwise
	}
	return *p
}

// samples are the numbers of samples of a field along x and y.
func (s *Settings) samples() (nx, ny int) {
	return int(s.Size[0]/s.HorizontalScale+0.5) + 1, int(s.Size[1]/s.HorizontalScale+0.5) + 1
}

// Bytes is an upper bound of the memory that the terrain takes here and in an engine while it is compiled.
func (s Settings) Bytes() float64 {
	s = s.filled()
	nx, ny := s.samples()
	fields, boxes := 0.0, 4.0
	for column := range s.Columns {
		k := s.kindOf(column)
		if m := makers[k.Kind]; m.field != nil {
			fields += float64(s.Rows)
		} else {
			boxes += float64(s.Rows) * float64(m.most(k.withDefaults(m), &s))
		}
	}
	return fields*float64(nx)*float64(ny)*bytesOfSample + boxes*bytesOfBox
}

// What a sample and a box take, in bytes, measured with MuJoCo and rounded up.
const (
	bytesOfSample = 40
	bytesOfBox    = 8 << 10
)

// kindOf returns the kind of a column: shares in the order of the kinds, as in Isaac Lab.
func (s *Settings) kindOf(column int) *SubTerrain {
	sum := 0.0
	for _, k := range s.Kinds {
		sum += or(k.Proportion, 1)
	}
	share := 0.0
	for i := range s.Kinds {
		share += or(s.Kinds[i].Proportion, 1)
		if float64(column)/float64(s.Columns)+0.001 < share/sum {
			return &s.Kinds[i]
		}
	}
	return &s.Kinds[len(s.Kinds)-1]
}
