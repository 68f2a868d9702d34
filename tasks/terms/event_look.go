package terms

import (
	"math"
	"math/rand/v2"

	"github.com/polyrhythm-rl/polyrhythm/internal/bounds"
)

// The events below change what cameras see, and nothing else but the sensors of the model that measure with a camera.

type camerasParameters struct {
	// Cameras are patterns of the names of the model's cameras.
	Cameras Patterns `yaml:"cameras"`
}

// fixed returns the names of cameras or lights, of which each must be fixed to its body.
func (b *Binder) fixed(key, kind string, patterns Patterns, parts []Part) []string {
	index, names := b.Select(key, kind, patterns)
	for n, i := range index {
		if parts[i].Follows {
			b.Fail(key, ": %s %s follows what it looks at, want one with mode fixed", kind, names[n])
		}
	}
	return names
}

type cameraPlaceParameters struct {
	camerasParameters `yaml:",inline"`
	placeChange       `yaml:",inline"`
}

// camPos moves cameras on their bodies, by default by an offset. Unit m. Frame: that of the body. In mjlab the ranges are
// by the numbers of the axes and, unless an operation is given, places; Isaac Lab has no such term.
func camPos(b *Binder, p *cameraPlaceParameters) EventFunc {
	names := b.fixed("cameras", "camera", p.Cameras, b.Robot.Cameras)
	return shifts(&p.placeChange, b.parameters("cameras", "cam_pos/", names, 3))
}

type cameraTurnParameters struct {
	camerasParameters `yaml:",inline"`
	turnChange        `yaml:",inline"`
}

// camQuat turns cameras on their bodies:
//
//	q = q(roll, pitch, yaw)·q_model
//
// Each angle is drawn evenly from its range. Unit rad. Frame: that of the body. mjlab has the same; Isaac Lab has no
// such term.
func camQuat(b *Binder, p *cameraTurnParameters) EventFunc {
	names := b.fixed("cameras", "camera", p.Cameras, b.Robot.Cameras)
	return turns(&p.turnChange, b.parameters("cameras", "cam_quat/", names, 4))
}

type cameraAngleParameters struct {
	camerasParameters `yaml:",inline"`
	change            `yaml:",inline"`
}

// The vertical angles that a camera can have, degrees.
const leastAngle, mostAngle = 0.1, 170

func (p *cameraAngleParameters) checkKeys(c *bounds.Check) { p.check(c, leastAngle) }

// camFOVY changes the fields of view of cameras, by default to a value from the range. Unit: degrees, vertical, 0.1 to
// 170. A channel with a fovy of its own keeps it. mjlab has the same; Isaac Lab has no such term.
func camFOVY(b *Binder, p *cameraAngleParameters) EventFunc {
	_, names := b.Select("cameras", "camera", p.Cameras)
	return changes(&p.change, leastAngle, mostAngle, b.parameters("cameras", "cam_fovy/", names, 1))
}

type lightsParameters struct {
	// Lights are patterns of the names of the model's lights, #0 and so on of those without.
	Lights Patterns `yaml:"lights"`
}

type lightPlaceParameters struct {
	lightsParameters `yaml:",inline"`
	placeChange      `yaml:",inline"`
}

// lightPos moves lights on their bodies, by default by an offset. Unit m. Frame: that of the body. In mjlab the ranges
// are by the numbers of the axes and, unless an operation is given, places; Isaac Lab has no such term.
func lightPos(b *Binder, p *lightPlaceParameters) EventFunc {
	names := b.fixed("lights", "light", p.Lights, b.Robot.Lights)
	return shifts(&p.placeChange, b.parameters("lights", "light_pos/", names, 3))
}

// lightDir changes the direction in which lights shine, by default by an offset to the unit vector. Unit 1. Frame: that
// of the body. In mjlab the ranges are by the numbers of the axes and, unless an operation is given, directions; Isaac
// Lab has no such term.
func lightDir(b *Binder, p *lightPlaceParameters) EventFunc {
	names := b.fixed("lights", "light", p.Lights, b.Robot.Lights)
	return shifts(&p.placeChange, b.parameters("lights", "light_dir/", names, 3))
}

// colorChange says how colours are drawn.
type colorChange struct {
	change `yaml:",inline"`
	// Axes are the parts that change: 0 red, 1 green, 2 blue.
	Axes []int `yaml:"axes" want:"0..2"`
	// Grey draws one value for the three.
	Grey bool `yaml:"grey"`
}

var defaultColor = colorChange{change: defaultChange, Axes: []int{0, 1, 2}}

func (p *colorChange) checkKeys(c *bounds.Check) {
	p.check(c, 0)
	checkAxes(c, p.Axes, 3)
}

// colors returns the event that changes the colours of some objects, between 0 and 1.
func (b *Binder) colors(p *colorChange, key string, sources []string) EventFunc {
	var objects [][]constant
	for _, source := range sources {
		all := b.parameter(key, source, 3)
		var chosen []constant
		for _, axis := range p.Axes {
			chosen = append(chosen, all[axis])
		}
		objects = append(objects, chosen)
	}
	if !p.Grey {
		return changes(&p.change, 0, 1, objects)
	}
	return func(v *View, r *rand.Rand) {
		values, drawn := v.Parameters(), 0.0
		for n, object := range objects {
			if n == 0 || !p.SharedRandom {
				drawn = draw(r, *p.Ranges, p.Distribution)
			}
			for _, c := range object {
				values[c.at] = math.Min(math.Max(operate(p.Operation, c.nominal, drawn), 0), 1)
			}
		}
	}
}

// each returns the sources of an array's parameters of some objects.
func each(array string, names []string) (sources []string) {
	for _, name := range names {
		sources = append(sources, array+"/"+name)
	}
	return sources
}

type lightColorParameters struct {
	lightsParameters `yaml:",inline"`
	colorChange      `yaml:",inline"`
}

// lightDiffuse changes the colours of lights, by default to values from the range, for each of red, green and blue. Unit:
// 0 to 1. Cameras see the first light that is on. mjlab has the same; Isaac Lab has no such term.
func lightDiffuse(b *Binder, p *lightColorParameters) EventFunc {
	_, names := b.Select("lights", "light", p.Lights)
	return b.colors(&p.colorChange, "lights", each("light_diffuse", names))
}

// lightAmbient is light_diffuse for the light that lights add everywhere.
func lightAmbient(b *Binder, p *lightColorParameters) EventFunc {
	_, names := b.Select("lights", "light", p.Lights)
	return b.colors(&p.colorChange, "lights", each("light_ambient", names))
}

// headlightDiffuse changes the colour of the light that shines from the camera (visual/headlight of the model), by
// default to values from the range, for each of red, green and blue. Unit: 0 to 1. mjlab and Isaac Lab have no such term.
func headlightDiffuse(b *Binder, p *colorChange) EventFunc {
	return b.colors(p, "", []string{"headlight_diffuse"})
}

// headlightAmbient is headlight_diffuse for the light that is everywhere.
func headlightAmbient(b *Binder, p *colorChange) EventFunc {
	return b.colors(p, "", []string{"headlight_ambient"})
}

type geomColorParameters struct {
	geomsParameters `yaml:",inline"`
	colorChange     `yaml:",inline"`
}

// geomRGBA changes the colours of geoms, by default to values from the range, for each of red, green and blue. Unit: 0 to
// 1. In MuJoCo the colour of a geom replaces that of its material, so that a geom with a material keeps none of it but
// the texture. mjlab has the same, with opacity as a fourth part, and without effect on geoms with a material; Isaac
// Lab has randomize_visual_color.
func geomRGBA(b *Binder, p *geomColorParameters) EventFunc {
	_, names := b.Select("geoms", "geom", p.Geoms)
	return b.colors(&p.colorChange, "geoms", each("geom_rgba", names))
}

type materialColorParameters struct {
	// Materials are patterns of material names.
	Materials   Patterns `yaml:"materials"`
	colorChange `yaml:",inline"`
}

// matRGBA changes the colours of materials, and of all geoms that have them, by default to values from the range, for
// each of red, green and blue. Unit: 0 to 1; a texture is multiplied by it. mjlab has the same, with opacity as a fourth
// part; Isaac Lab has no such term.
func matRGBA(b *Binder, p *materialColorParameters) EventFunc {
	_, names := b.Select("materials", "material", p.Materials)
	return b.colors(&p.colorChange, "materials", each("mat_rgba", names))
}
