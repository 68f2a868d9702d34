package sensors

import (
	"fmt"
	"math"
	"strings"

	"github.com/polyrhythm-rl/polyrhythm/internal/bounds"
	"github.com/polyrhythm-rl/polyrhythm/physics/terrain"
)

// Scan makes a channel the distances along rays to the ground or to geoms. The values are found from the pose of a
// frame when the channel is read, so a scan takes nothing of a physics step, and the errors of the channel act on them.
type Scan struct {
	// Frame is "site/NAME" or "body/NAME", from whose origin rays begin.
	Frame string `yaml:"frame"`

	// Geoms says that the rays meet the geoms that cameras see, from outside, but those that hang from the same body
	// below the world as the frame: everything but the robot. They are cast by package physics/cast. Otherwise they
	// meet the terrain of the scene alone, in which heights are looked up.
	Geoms bool `yaml:"geoms,omitempty"`

	// Pattern is "grid" or "ring", rays along -z of the aligned frame, or "pinhole", rays of a camera that looks along
	// -z with y up. Alignment is "base" (the frame's axes), "yaw" (turned with it about the vertical alone; the
	// default) or "world".
	Pattern   string `yaml:"pattern,omitempty"`
	Alignment string `yaml:"ray_alignment,omitempty"`

	// MaxDistance is the value of a ray that meets nothing nearer, in m; 5 if it is 0.
	MaxDistance float64 `yaml:"max_distance,omitempty"`

	// Rise is how far behind the frame the rays of a grid or ring begin, in m, so that ground above the frame is seen.
	// Distances still count from the frame, and are then negative.
	Rise float64 `yaml:"rise,omitempty"`

	// Size and Resolution are the extent along x and y, and the distance of the rays, of a grid, in m; [1.6, 1] and 0.1
	// if they are not given. Rays are ordered along x, then y.
	Size       *[2]float64 `yaml:"size,omitempty"`
	Resolution float64     `yaml:"resolution,omitempty"`

	// Rings are those of a ring.
	Rings []Ring `yaml:"rings,omitempty"`

	// Width and Height are the rays of a pinhole, row by row from the upper left, and FOV its vertical field of view in
	// degrees; 16, 12 and 45 if they are not given.
	Width  int      `yaml:"width,omitempty"`
	Height int      `yaml:"height,omitempty"`
	FOV    *float64 `yaml:"fovy,omitempty"`
}

// Ring is a circle of rays about the frame, the first along x.
type Ring struct {
	Radius  float64 `yaml:"radius"` // m
	Samples int     `yaml:"num_samples"`
}

// MaxRays is the largest number of rays of a scan.
const MaxRays = 1 << 16

// The patterns and alignments of a scan, the defaults first.
var (
	patterns   = []string{"grid", "ring", "pinhole"}
	alignments = []string{"yaw", "base", "world"}
)

// filled returns the scan with its defaults.
func (s Scan) filled() Scan {
	for _, text := range []struct {
		target *string
		value  string
	}{{&s.Pattern, patterns[0]}, {&s.Alignment, alignments[0]}} {
		if *text.target == "" {
			*text.target = text.value
		}
	}
	for _, number := range []struct {
		target *float64
		value  float64
	}{{&s.MaxDistance, 5}, {&s.Resolution, 0.1}} {
		if *number.target == 0 {
			*number.target = number.value
		}
	}
	if s.FOV == nil {
		s.FOV = new(45.0)
	}
	if s.Size == nil {
		s.Size = &[2]float64{1.6, 1}
	}
	if s.Width == 0 && s.Height == 0 {
		s.Width, s.Height = 16, 12
	}
	return s
}

// validate reports the first setting that is out of its bounds, by its key.
func (s Scan) validate() error {
	var c bounds.Check
	kind, name, ok := strings.Cut(s.Frame, "/")
	if !ok || name == "" || kind != "site" && kind != "body" {
		c.Fail("frame is %q, want site/NAME or body/NAME", s.Frame)
	}
	s = s.filled()
	c.OneOf("pattern", s.Pattern, patterns...)
	c.OneOf("ray_alignment", s.Alignment, alignments...)
	c.Number("max_distance", s.MaxDistance, 0.001, 1000)
	c.Number("rise", s.Rise, 0, 1000)
	for i, axis := range []string{"size[0]", "size[1]"} {
		c.Number(axis, s.Size[i], 0, 1000)
	}
	c.Number("resolution", s.Resolution, 0.001, 1000)
	for i, r := range s.Rings {
		c.Number(fmt.Sprintf("rings[%d].radius", i), r.Radius, 0, 1000)
		c.Whole(fmt.Sprintf("rings[%d].num_samples", i), int64(r.Samples), 1, MaxRays)
	}
	c.Whole("width", int64(s.Width), 1, MaxRays)
	c.Whole("height", int64(s.Height), 1, MaxRays)
	c.Number("fovy", *s.FOV, 0.1, 170)
	if s.Pattern == "ring" && len(s.Rings) == 0 {
		c.Fail("rings: not given, want the rings of the pattern")
	}
	if n := s.count(); c.Err() == nil && (n < 1 || n > MaxRays) {
		c.Fail("%s: %d rays, want 1 to %d", map[string]string{"grid": "size", "ring": "rings",
			"pinhole": "width"}[s.Pattern], n, MaxRays)
	}
	return c.Err()
}

// raysAlong is the number of rays of a grid along an axis.
func (s *Scan) raysAlong(axis int) int64 {
	return int64(math.Floor(s.Size[axis]/s.Resolution+1e-9)) + 1
}

func (s *Scan) count() (n int64) {
	switch s.Pattern {
	case "grid":
		return min(s.raysAlong(0), 1<<20) * min(s.raysAlong(1), 1<<20)
	case "pinhole":
		return int64(s.Width) * int64(s.Height)
	}
	for _, r := range s.Rings {
		n += int64(r.Samples)
	}
	return n
}

// picture is the height, width and channels of the distances along a grid or of a pinhole: pictures whose rows are
// along x or across the view; zero for a ring.
func (s *Scan) picture() [3]int {
	switch f := s.filled(); f.Pattern {
	case "grid":
		return [3]int{int(f.raysAlong(1)), int(f.raysAlong(0)), 1}
	case "pinhole":
		return [3]int{f.Height, f.Width, 1}
	}
	return [3]int{}
}

// String describes the scan for the metadata of a dataset and for what a snapshot fits.
func (s Scan) String() string {
	s = s.filled()
	text := fmt.Sprintf("%v m, every %v m", *s.Size, s.Resolution)
	switch s.Pattern {
	case "ring":
		text = fmt.Sprint(s.Rings)
	case "pinhole":
		text = fmt.Sprintf("%d × %d, %v°", s.Width, s.Height, *s.FOV)
	}
	if s.Geoms {
		text += ", to geoms"
	}
	return fmt.Sprintf("%s of %s, %s, from %s, rise %v, to %v m", s.Pattern, text, s.Alignment, s.Frame, s.Rise,
		s.MaxDistance)
}

// Reads returns the engine probes that the channel reads: Sources or, of a scan, those of the pose of its frame, or, of
// a camera, that of the pose of everything.
func (c *Channel) Reads() []string {
	switch {
	case c.Scan != nil:
		return c.Scan.sources()
	case c.Camera != nil:
		return poseProbes
	}
	return c.Sources
}

// sources are the probes of the frame's pose, its position, and its quaternion (of a body) or matrix (of a site), and
// then, for geoms, those of the pose of everything.
func (s *Scan) sources() []string {
	sources := []string{s.Frame + "/position", s.Frame + "/quaternion"}
	if strings.HasPrefix(s.Frame, "site/") {
		sources[1] = s.Frame + "/matrix"
	}
	if s.Geoms {
		sources = append(sources, poseProbes...)
	}
	return sources
}

// poseSize is the number of values of the pose of the frame.
func (s *Scan) poseSize() int {
	if strings.HasPrefix(s.Frame, "site/") {
		return 3 + 9
	}
	return 3 + 4
}

// caster casts the rays of a scan. It is immutable.
type caster struct {
	scan   Scan
	ground *terrain.Terrain // terrain that rays meet; nil: they meet geoms
	rays   []ray
	eye    int // number of the scan among those that meet geoms
}

// ray is a ray in the aligned frame: where it begins, and its direction of length 1.
type ray struct{ origin, direction [3]float64 }

func newCaster(s Scan, ground *terrain.Terrain) *caster {
	c := &caster{scan: s.filled(), ground: ground}
	s = c.scan
	down := [3]float64{0, 0, -1}
	switch s.Pattern {
	case "grid":
		nx, ny := s.raysAlong(0), s.raysAlong(1)
		for j := range ny {
			for i := range nx {
				x, y := s.Resolution*(float64(i)-float64(nx-1)/2), s.Resolution*(float64(j)-float64(ny-1)/2)
				c.rays = append(c.rays, ray{[3]float64{x, y, s.Rise}, down})
			}
		}
	case "ring":
		for _, r := range s.Rings {
			for i := range r.Samples {
				sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(r.Samples))
				c.rays = append(c.rays, ray{[3]float64{r.Radius * cos, r.Radius * sin, s.Rise}, down})
			}
		}
	case "pinhole":
		tan := math.Tan(*s.FOV * math.Pi / 360)
		for row := range s.Height {
			for column := range s.Width {
				x := (2*(float64(column)+0.5) - float64(s.Width)) / float64(s.Height) * tan
				y := (float64(s.Height) - 2*(float64(row)+0.5)) / float64(s.Height) * tan
				n := math.Sqrt(float64(x*x) + float64(y*y) + 1)
				c.rays = append(c.rays, ray{direction: [3]float64{x / n, y / n, -1 / n}})
			}
		}
	}
	return c
}

// rise is how far behind the frame the rays begin.
func (c *caster) rise() float64 {
	if c.scan.Pattern == "pinhole" {
		return 0
	}
	return c.scan.Rise
}

// aim calls f with each ray in the world, from the pose of the frame.
func (c *caster) aim(pose []float64, f func(i int, origin, direction [3]float64)) {
	m := c.axes(pose[3:])
	for i := range c.rays {
		r := &c.rays[i]
		origin, direction := rotate(&m, &r.origin), rotate(&m, &r.direction)
		for k := range origin {
			origin[k] += pose[k]
		}
		f(i, origin, direction)
	}
}

// cast writes the values of all rays to the ground from the pose of the frame to dst.
func (c *caster) cast(dst, pose []float64) {
	rise := c.rise()
	c.aim(pose, func(i int, origin, direction [3]float64) {
		dst[i] = c.scan.MaxDistance
		if d, ok := c.ground.Ray(origin, direction, c.scan.MaxDistance+rise); ok {
			dst[i] = d - rise
		}
	})
}

// rotate returns a vector of the aligned frame in the world.
func rotate(m *[9]float64, v *[3]float64) [3]float64 {
	var out [3]float64
	for i := range out {
		out[i] = float64(m[3*i]*v[0]) + float64(m[3*i+1]*v[1]) + float64(m[3*i+2]*v[2])
	}
	return out
}

// axes returns the matrix of the aligned frame, from the frame's quaternion or matrix.
func (c *caster) axes(turn []float64) (m [9]float64) {
	if len(turn) == 9 {
		copy(m[:], turn)
	} else {
		w, x, y, z := turn[0], turn[1], turn[2], turn[3]
		m = [9]float64{
			1 - 2*(float64(y*y)+float64(z*z)), 2 * (float64(x*y) - float64(w*z)), 2 * (float64(x*z) + float64(w*y)),
			2 * (float64(x*y) + float64(w*z)), 1 - 2*(float64(x*x)+float64(z*z)), 2 * (float64(y*z) - float64(w*x)),
			2 * (float64(x*z) - float64(w*y)), 2 * (float64(y*z) + float64(w*x)), 1 - 2*(float64(x*x)+float64(y*y)),
		}
	}
	switch c.scan.Alignment {
	case "world":
		return [9]float64{0: 1, 4: 1, 8: 1}
	case "yaw":
		cos, sin := m[0], m[3] // of the x axis
		n := math.Sqrt(float64(cos*cos) + float64(sin*sin))
		if n == 0 {
			return [9]float64{0: 1, 4: 1, 8: 1}
		}
		cos, sin = cos/n, sin/n
		return [9]float64{cos, -sin, 0, sin, cos, 0, 0, 0, 1}
	}
	return m
}
