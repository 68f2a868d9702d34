package scene

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/internal/bounds"
	"github.com/polyrhythm-rl/polyrhythm/physics/terrain"
)

// Bounds of the settings.
const (
	MaxModels     = 64
	MaxActuators  = 256     // entries of [Settings.Actuators]
	MaxCollisions = 256     // entries of [Settings.Collisions]
	MaxContacts   = 256     // entries of [Settings.Contacts]
	MaxPatterns   = 1024    // patterns of an entry
	MaxPattern    = 512     // characters of a pattern
	MaxMemoryMB   = 1 << 20 // 1 TiB

	DefaultMemoryMB = 1024
)

// Settings describe a scene. The zero value of each field but Models is its default.
type Settings struct {
	// Models are the model files, at least one. They are merged in this order. The first
	// gives the physics options, such as the timestep.
	Models []Model `yaml:"models"`

	// AllowOutside says that a model may include files and use meshes and textures that lie
	// outside the folder of its own file.
	AllowOutside bool `yaml:"allow_outside"`

	// Floor says whether a plane at z = 0 is added to the world. With Auto it is added if the models have neither a
	// height field nor a plane to stand on, and there is no Terrain. Planes that are walls or collide with nothing are
	// no floors.
	Floor Choice `yaml:"floor"`

	// Light says whether a light is added. With Auto it is added if the models have none.
	Light Choice `yaml:"light"`

	// Actuators are added to the joints that they name. Of several entries that match a joint, the first counts.
	Actuators []Actuators `yaml:"actuators"`

	// Collisions change how geoms of the models collide.
	Collisions []Collision `yaml:"collisions,omitempty"`

	// Contacts are pairs of sets of geoms whose contacts are measured.
	Contacts []ContactPair `yaml:"contacts,omitempty"`

	// Terrain is rough ground, in place of a floor, which the models lose if they have one; none if it is the zero
	// value.
	Terrain terrain.Settings `yaml:"terrain,omitempty"`

	// Physics replaces physics options of the first model.
	Physics Physics `yaml:"physics,omitempty"`

	// MemoryMB is the most memory that compiling the scene may take, in MB of 2^20 bytes;
	// 0 is DefaultMemoryMB. A copy of the process measures it, which compiles first.
	MemoryMB int `yaml:"memory_mb"`
}

// Builtin begins the name of a model file that the program has itself, such as "builtin:quadruped.xml".
const Builtin = "builtin:"

// Robot is the name of the first model's entity, unless that has another.
const Robot = "robot"

// Model is a model file or a shape, and where it stands.
type Model struct {
	// Name makes the model an entity of its own: a thing that the terms of a task can address by this name. A model
	// without one belongs to the entity of the first model.
	Name string `yaml:"name,omitempty"`

	// File is an MJCF or URDF file: a path or, after [Builtin], one that the program has.
	File string `yaml:"file,omitempty"`

	// Shape is a body of one geom, in place of a file. Body, geom and joint have the model's name.
	Shape Shape `yaml:"shape,omitempty"`

	// Prefix begins the names of all that is in the file, so that one file can be merged more than once.
	Prefix string `yaml:"prefix,omitempty"`

	// Position is where the origin of the model's world stands, in metres.
	Position [3]float64 `yaml:"position,omitempty"`

	// Rotation is roll, pitch and yaw of the model's world in radians: turned about the fixed x axis, then y, then z.
	Rotation [3]float64 `yaml:"rotation,omitempty"`

	// Free gives the first body below the model's world a free joint. A URDF robot and a shape stand
	// fixed to the world without it.
	Free bool `yaml:"free,omitempty"`

	// GravComp is the share of its weight that is taken off each body of the model, as a robot that compensates for
	// gravity does; 1 is all of it.
	GravComp float64 `yaml:"gravcomp,omitempty"`

	// SelfCollision set to false keeps the moving bodies of the model from colliding with one another, except by pairs
	// that the file lists. They still collide with what is fixed, with mocap bodies and with other models. It makes
	// steps faster.
	SelfCollision *bool `yaml:"self_collision,omitempty"`
}

// The types of added actuators.
const (
	Position = "position" // torque = KP · (control − position) − KD · velocity
	Velocity = "velocity" // torque = KD · (control − velocity)
	Effort   = "effort"   // torque = control
	DCMotor  = "dc_motor" // as Position, and no more than the torque-speed line of a motor gives, see Actuators
	Thrust   = "thrust"   // thrust = control along the axis of a joint that is the axle of a rotor, see Actuators
	Learned  = "learned"  // torque = Network(control − position, velocity, both earlier too), limited as with DCMotor
)

// Actuators adds an actuator to each hinge or slide joint that it matches and that has
// none. An added actuator has the name of its joint, with a number behind it if another
// actuator has that. Torques of slide joints are forces in N, their positions metres.
type Actuators struct {
	// Joints are regular expressions. A joint matches if one of them matches its whole
	// name. Each must match at least one joint.
	Joints []string `yaml:"joints"`

	// Type is Position, Velocity, Effort, DCMotor, Thrust or Learned; "" is Position. A thrust acts on the body that
	// carries the joint, at the joint.
	Type string `yaml:"type,omitempty"`

	// KP is the stiffness in N·m/rad (Position and DCMotor).
	KP float64 `yaml:"kp,omitempty"`

	// KD is the damping in N·m·s/rad (Position, Velocity and DCMotor).
	KD float64 `yaml:"kd,omitempty"`

	// Effort limits the torque to ±Effort, in N·m; 0 is no limit. With Type Effort it also limits the control. With
	// Type Thrust it is the largest thrust, in N, and the least is 0.
	Effort float64 `yaml:"effort,omitempty"`

	// TorquePerThrust is the torque of the rotor's drag on the body that carries it, about the axis of the joint, in
	// N·m for a newton of thrust (Thrust only). It is negative for a rotor that turns about the axis by the right hand.
	TorquePerThrust float64 `yaml:"torque_per_thrust,omitempty"`

	// SaturationEffort is the torque that a motor at rest could give, in N·m, and VelocityLimit its speed without load,
	// in rad/s (DCMotor; Learned at will). At speed v its torque is from -SaturationEffort·(1 + v/VelocityLimit) to
	// SaturationEffort·(1 - v/VelocityLimit), and within ±Effort.
	SaturationEffort float64 `yaml:"saturation_effort,omitempty"`
	VelocityLimit    float64 `yaml:"velocity_limit,omitempty"`

	// Network is the file of package policy that computes the torque (Learned only). It has one action, torque in
	// N·m, and observes values position_error[−t] (rad) and velocity[−t] (rad/s) of the instant, t = 0s, and of times t
	// before it, whole numbers of physics steps. Before the first step of an episode both were zero.
	Network string `yaml:"network,omitempty"`

	// Delay is the time until a control is in force, rounded to whole physics steps, at least one. Until the first
	// arrives, an actuator of positions holds the joint where the episode begins.
	Delay time.Duration `yaml:"delay,omitempty"`

	// Limits are the lowest and highest control. Without them, Position takes the range of
	// the joint, if it has one; Effort takes ±Effort.
	Limits []float64 `yaml:"limits,omitempty"`

	// Armature replaces the rotor inertia of the joint, in kg·m²; nil keeps it.
	Armature *float64 `yaml:"armature,omitempty"`

	// Replace removes the actuators that a matching joint has already.
	Replace bool `yaml:"replace,omitempty"`
}

// Default returns settings with every default filled in, without models.
func Default() Settings { return Settings{MemoryMB: DefaultMemoryMB} }

// MemoryBytes returns the most memory that compiling may take, in bytes.
func (s Settings) MemoryBytes() int64 { return int64(cmp.Or(s.MemoryMB, DefaultMemoryMB)) << 20 }

// Validate reports the first setting that is out of its bounds. Its errors begin with
// the key, such as "models[0].file".
func (s Settings) Validate() error {
	var c bounds.Check
	c.Whole("models", int64(len(s.Models)), 1, MaxModels)
	for i, m := range s.Models {
		c.Part(fmt.Sprintf("models[%d]", i), m.validate())
	}
	if len(s.Models) > 0 && (s.Models[0].Prefix != "" || s.Models[0].isPlaced()) {
		c.Fail("models[0] has a prefix, position or rotation, want none: the first model's world is the scene's")
	}
	s.checkNames(&c)
	c.Whole("actuators", int64(len(s.Actuators)), 0, MaxActuators)
	for i, a := range s.Actuators {
		c.Part(fmt.Sprintf("actuators[%d]", i), a.validate())
	}
	c.Whole("collisions", int64(len(s.Collisions)), 0, MaxCollisions)
	for i, a := range s.Collisions {
		c.Part(fmt.Sprintf("collisions[%d]", i), a.validate())
	}
	c.Whole("contacts", int64(len(s.Contacts)), 0, MaxContacts)
	for i, p := range s.Contacts {
		c.Part(fmt.Sprintf("contacts[%d]", i), p.validate())
		if slices.ContainsFunc(s.Contacts[:i], func(o ContactPair) bool { return o.Name == p.Name }) {
			c.Fail("contacts[%d].name: %q is given twice, want different names", i, p.Name)
		}
	}
	if s.Terrain.Given() {
		c.Part("terrain", s.Terrain.Validate())
		if s.Floor == Yes {
			c.Fail("floor is true beside terrain, want auto or false: the terrain is in place of a floor")
		}
	}
	c.Part("physics", s.Physics.validate())
	c.Whole("memory_mb", int64(s.MemoryMB), 0, MaxMemoryMB)
	return c.Err()
}

// PassesThroughItself reports whether SelfCollision is set to false.
func (m Model) PassesThroughItself() bool { return m.SelfCollision != nil && !*m.SelfCollision }

// isPlaced reports whether the model's world is not that of the scene.
func (m Model) isPlaced() bool { return m.Position != [3]float64{} || m.Rotation != [3]float64{} }

func (m Model) validate() error {
	var c bounds.Check
	switch hasShape := m.Shape.given(); {
	case hasShape && m.File != "":
		c.Fail("file and shape are both given, want one of them")
	case hasShape:
		c.Part("shape", m.Shape.validate())
		if m.Name == "" {
			c.Fail("name: not given, want a name for the shape")
		}
		if m.Prefix != "" {
			c.Fail("prefix is %q, want none: a shape has the model's name", m.Prefix)
		}
	case m.File == "" || strings.ContainsRune(m.File, 0):
		c.Fail("file is %q, want the path of an MJCF or URDF file", m.File)
	}
	if strings.ContainsFunc(m.Prefix, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		c.Fail("prefix is %q, want text without control characters", m.Prefix)
	}
	c.Number("gravcomp", m.GravComp, 0, 10)
	for i := range 3 {
		c.Number(fmt.Sprintf("position[%d]", i), m.Position[i], -1e6, 1e6)
		c.Number(fmt.Sprintf("rotation[%d]", i), m.Rotation[i], -1e3, 1e3)
	}
	return c.Err()
}

func (a Actuators) validate() error {
	var c bounds.Check
	checkPatterns(&c, "joints", a.Joints)
	kind := a.Kind()
	c.OneOf("type", kind, Position, Velocity, Effort, DCMotor, Thrust, Learned)
	if kind == Position || kind == DCMotor {
		c.Above("kp", a.KP, 0, 1e9)
	} else if a.KP != 0 {
		c.Fail("kp is %v, want none with type: %s", a.KP, kind)
	}
	switch {
	case kind == Velocity:
		c.Above("kd", a.KD, 0, 1e9)
	case (kind == Effort || kind == Thrust || kind == Learned) && a.KD != 0:
		c.Fail("kd is %v, want none with type: %s", a.KD, kind)
	default:
		c.Number("kd", a.KD, 0, 1e9)
	}
	if kind == Learned {
		if a.Network == "" || strings.ContainsRune(a.Network, 0) {
			c.Fail("network is %q, want the path of a file that train actuator made", a.Network)
		}
	} else if a.Network != "" {
		c.Fail("network is %q, want none with type: %s", a.Network, kind)
	}
	c.Number("torque_per_thrust", a.TorquePerThrust, -1e3, 1e3)
	if kind != Thrust && a.TorquePerThrust != 0 {
		c.Fail("torque_per_thrust is %v, want none with type: %s", a.TorquePerThrust, kind)
	}
	if kind == DCMotor || kind == Thrust || kind == Learned {
		c.Above("effort", a.Effort, 0, 1e9)
	} else {
		c.Number("effort", a.Effort, 0, 1e9)
	}
	if kind == DCMotor || kind == Learned && (a.SaturationEffort != 0 || a.VelocityLimit != 0) {
		c.Above("saturation_effort", a.SaturationEffort, 0, 1e9)
		c.Above("velocity_limit", a.VelocityLimit, 0, 1e9)
	} else if a.SaturationEffort != 0 || a.VelocityLimit != 0 {
		c.Fail("saturation_effort and velocity_limit are %v and %v, want none with type: %s", a.SaturationEffort,
			a.VelocityLimit, kind)
	}
	c.Time("delay", a.Delay, 0, time.Second)
	if a.Limits != nil {
		if len(a.Limits) != 2 {
			c.Fail("limits is a list of %d, want a list of 2 values", len(a.Limits))
		} else if lo, hi := a.Limits[0], a.Limits[1]; !(lo < hi) || math.IsInf(lo, 0) || math.IsInf(hi, 0) {
			c.Fail("limits is [%v, %v], want two finite numbers, the lower first", lo, hi)
		}
	}
	if a.Armature != nil {
		c.Number("armature", *a.Armature, 0, 1e6)
	}
	return c.Err()
}

func checkPatterns(c *bounds.Check, key string, patterns []string) {
	c.Whole(key, int64(len(patterns)), 1, MaxPatterns)
	for i, pattern := range patterns {
		key := fmt.Sprintf("%s[%d]", key, i)
		if len(pattern) > MaxPattern {
			c.Fail("%s has %d characters, want at most %d", key, len(pattern), MaxPattern)
		} else if _, err := Pattern(pattern); err != nil {
			c.Fail("%s is %q, want a regular expression: %w", key, pattern, err)
		}
	}
}

// Kind returns Type, or its default.
func (a Actuators) Kind() string { return cmp.Or(a.Type, Position) }

// Pattern compiles a regular expression that matches whole names.
func Pattern(text string) (*regexp.Regexp, error) {
	if _, err := regexp.Compile(text); err != nil { // "a)|(b" must not pass
		return nil, err
	}
	return regexp.Compile("^(?:" + text + ")$")
}
