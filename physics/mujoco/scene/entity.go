package scene

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/polyrhythm-rl/polyrhythm/internal/bounds"
)

// Entities returns the names of the entities, that of the first model first, and the entity of each model.
func (s Settings) Entities() (names []string, entities []int) {
	for i, m := range s.Models {
		name := m.Name
		if i == 0 {
			name = cmp.Or(name, Robot)
		}
		entity := 0
		if name != "" {
			entity = len(names)
			names = append(names, name)
		}
		entities = append(entities, entity)
	}
	return names, entities
}

// checkNames reports a name of an entity that cannot be spelled or is given twice, and a first model without a file.
func (s Settings) checkNames(c *bounds.Check) {
	names, _ := s.Entities()
	for i, name := range names {
		if !isName(name) {
			c.Fail("models: the name %q of an entity, want at most 64 letters, digits and _", name)
		}
		if slices.Contains(names[:i], name) {
			c.Fail("models: the name %q of an entity is given twice, want different names; the first model is %q "+
				"unless it has another name", name, Robot)
		}
	}
	if len(s.Models) > 0 && s.Models[0].Shape.given() {
		c.Fail("models[0].shape: want a file: the first model is the robot")
	}
}

// isName reports whether an expression can spell a name.
func isName(name string) bool {
	return name != "" && len(name) <= 64 &&
		strings.Trim(strings.ToLower(name), "abcdefghijklmnopqrstuvwxyz0123456789_") == ""
}

// ContactPair is a pair of sets of geoms, of which the source contact/pair/NAME measures the contacts.
type ContactPair struct {
	Name string `yaml:"name"`

	// Primary are the geoms on which forces are measured, and Secondary what they touch; anything if it is not given.
	Primary   ContactSet `yaml:"primary"`
	Secondary ContactSet `yaml:"secondary,omitempty"`
}

// ContactSet is a set of geoms. The regular expressions must match whole names, and each at least one.
type ContactSet struct {
	// Entity is the name of the entity to which names belong; that of the first model if it is not given.
	Entity string `yaml:"entity,omitempty"`

	// Geoms are patterns of the names of geoms, Bodies of bodies, whose geoms count, and Subtrees of bodies that count
	// with all that hangs on them.
	Geoms    []string `yaml:"geoms,omitempty"`
	Bodies   []string `yaml:"bodies,omitempty"`
	Subtrees []string `yaml:"subtrees,omitempty"`
}

// Given reports whether the set is not the zero value.
func (s ContactSet) Given() bool {
	return s.Entity != "" || s.Geoms != nil || s.Bodies != nil || s.Subtrees != nil
}

func (p ContactPair) validate() error {
	var c bounds.Check
	if !isName(p.Name) {
		c.Fail("name is %q, want 1 to 64 letters, digits and _", p.Name)
	}
	c.Part("primary", p.Primary.validate())
	if p.Secondary.Given() {
		c.Part("secondary", p.Secondary.validate())
	}
	return c.Err()
}

func (s ContactSet) validate() error {
	var c bounds.Check
	if s.Geoms == nil && s.Bodies == nil && s.Subtrees == nil {
		c.Fail("geoms: not given, nor bodies or subtrees, want patterns of names")
	}
	for key, patterns := range map[string][]string{"geoms": s.Geoms, "bodies": s.Bodies, "subtrees": s.Subtrees} {
		if patterns != nil {
			checkPatterns(&c, key, patterns)
		}
	}
	return c.Err()
}

// Shapes are the types of a [Shape], and Sizes the numbers of values in its size.
var (
	Shapes = []string{"box", "sphere", "ellipsoid", "capsule", "cylinder"}
	sizes  = []int{3, 1, 3, 2, 2}
)

// Shape is a body of one geom.
type Shape struct {
	// Type is "box", "sphere", "ellipsoid", "capsule" or "cylinder".
	Type string `yaml:"type"`

	// Size in m: the half sides of a box, the radius of a sphere, the radii of an ellipsoid, the radius and the
	// half length, along z, of a capsule or a cylinder.
	Size []float64 `yaml:"size"`

	// Mass in kg; 0 is that of water.
	Mass float64 `yaml:"mass,omitempty"`

	// Color is red, green, blue and opacity, each 0 to 1; grey if it is not given.
	Color []float64 `yaml:"color,omitempty"`
}

func (s Shape) given() bool { return s.Type != "" || s.Size != nil || s.Mass != 0 || s.Color != nil }

func (s Shape) validate() error {
	var c bounds.Check
	c.OneOf("type", s.Type, Shapes...)
	if i := slices.Index(Shapes, s.Type); i >= 0 {
		checkValues(&c, "size", s.Size, []int{sizes[i]}, 1e-6, 1e4)
	}
	c.Number("mass", s.Mass, 0, 1e9)
	if s.Color != nil {
		checkValues(&c, "color", s.Color, []int{4}, 0, 1)
	}
	return c.Err()
}

// checkValues checks a list whose length is one of some.
func checkValues(c *bounds.Check, key string, list []float64, lengths []int, low, high float64) {
	if !slices.Contains(lengths, len(list)) {
		want := fmt.Sprint(lengths[0])
		for _, n := range lengths[1:] {
			want += fmt.Sprintf(" or %d", n)
		}
		c.Fail("%s is a list of %d, want %s values", key, len(list), want)
	}
	for i, x := range list {
		c.Number(fmt.Sprintf("%s[%d]", key, i), x, low, high)
	}
}

// Collision changes how geoms collide. What is not given stays as in the file. Of several entries that match a geom,
// the first that gives a value counts for it.
type Collision struct {
	// Geoms are regular expressions. A geom of the models matches if one of them matches its whole name, or "#3", the
	// number in the compiled scene, of one without a name. Each must match at least one.
	Geoms []string `yaml:"geoms"`

	// ConType and ConAffinity are bits: two geoms collide if the one's contype and the other's conaffinity share one.
	ConType     *int `yaml:"contype,omitempty"`
	ConAffinity *int `yaml:"conaffinity,omitempty"`

	// ConDim is the number of dimensions of a contact: 1 without friction, 3 sliding, 4 and torsional, 6 and rolling.
	ConDim *int `yaml:"condim,omitempty"`

	// Priority decides whose condim, friction, solref and solimp a contact has; the larger wins.
	Priority *int `yaml:"priority,omitempty"`

	// Friction holds the coefficients: sliding; torsional, m; rolling, m. Those behind the last stay.
	Friction []float64 `yaml:"friction,omitempty"`

	// SolRef holds time constant (s) and damping ratio, or negative stiffness and damping; SolImp the impedance.
	SolRef []float64 `yaml:"solref,omitempty"`
	SolImp []float64 `yaml:"solimp,omitempty"`
}

func (a Collision) validate() error {
	var c bounds.Check
	checkPatterns(&c, "geoms", a.Geoms)
	for _, bits := range []struct {
		key   string
		value *int
	}{{"contype", a.ConType}, {"conaffinity", a.ConAffinity}} {
		if bits.value != nil {
			c.Whole(bits.key, int64(*bits.value), 0, 1<<31-1)
		}
	}
	if a.Priority != nil {
		c.Whole("priority", int64(*a.Priority), -1000, 1000)
	}
	if a.ConDim != nil && !slices.Contains([]int{1, 3, 4, 6}, *a.ConDim) {
		c.Fail("condim is %d, want 1, 3, 4 or 6", *a.ConDim)
	}
	if a.Friction != nil {
		checkValues(&c, "friction", a.Friction, []int{1, 2, 3}, 0, 1e6)
	}
	if a.SolRef != nil {
		checkValues(&c, "solref", a.SolRef, []int{2}, -1e9, 1e9)
	}
	if a.SolImp != nil {
		checkValues(&c, "solimp", a.SolImp, []int{3, 5}, 0, 1e3)
	}
	return c.Err()
}
