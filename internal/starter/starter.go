package starter

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/polyrhythm-rl/polyrhythm/physics/mujoco"
)

// Options say where a configuration stands and what it is for.
type Options struct {
	// File is the path of the model as it stands in the configuration.
	File string

	// AllowOutside is the key scene.allow_outside.
	AllowOutside bool

	// Usable reports whether a sensor channel can read a source; nil for always.
	Usable func(source string) bool
}

// The errors for models that no policy can move.
var (
	errNothingMoves = errors.New("the model has no joints, want a model in which something moves")
	errNothingActs  = errors.New("the model has no hinge or slide joint, want one that an actuator can move")
)

// New returns a configuration for a model, as YAML with comments. The description is
// that of the scene with a floor and light where the model has none.
func New(d *mujoco.Description, opt Options) ([]byte, error) {
	t, home := treeOf(d)
	r := recognise(d, t, home)
	if r == nil {
		return nil, errNothingMoves
	}
	if len(r.joints) == 0 {
		return nil, errNothingActs
	}
	w := &writer{robot: r, d: d, opt: opt, step: d.Timestep}
	w.chooseDrives()
	w.choosePose(home)
	w.chooseGains()
	w.head()
	w.scene()
	w.start()
	w.clock()
	w.sensors()
	w.actions()
	w.observations()
	w.rewards()
	w.terminations()
	w.commands()
	w.events()
	w.training()
	return []byte(w.text.String()), nil
}

// recognise finds the robot of a model. Legs show in the model's own pose, or else in a
// keyframe to start from, or else, for a robot above the ground, where limits bend them.
func recognise(d *mujoco.Description, t *tree, home []float64) *robot {
	r := classify(t, home)
	if r == nil || !r.floating || r.family == legged {
		return r
	}
	if k := standing(d); k != nil {
		if other := classify(t, k.Position); other.family == legged {
			return other
		}
	}
	if r.aloft(home) {
		return classify(t, t.ownPose(home))
	}
	return r
}

// writer holds what was chosen for a robot, and the text.
type writer struct {
	*robot
	d    *mujoco.Description
	opt  Options
	text strings.Builder

	step     float64 // of physics, s
	substeps int     // of physics in a control step

	drives   map[int]drive // by joint
	replaced bool          // some joints have actuators that are replaced
	gains    map[int]gains
	pose     []float64
	frames   []frame // in the pose
	keyframe string
	height   *float64 // of the base, where it is not the model's or keyframe's
	posed    []int    // joints that start elsewhere than in the model or keyframe
	feet     []string // patterns of feet
	contacts []string // the quantity of the contact force of each leg's foot
}

// drive is how a joint is driven.
type drive struct {
	kind   string  // position, velocity or effort, as in scene.Actuators
	added  bool    // the configuration adds it
	limit  float64 // of the control, for velocity and effort; 0 if there is none
	effort float64 // of an actuator that is replaced, N·m; 0 if there is none
}

// line appends a line of YAML.
func (w *writer) line(format string, args ...any) {
	fmt.Fprintf(&w.text, format, args...)
	w.text.WriteByte('\n')
}

// chooseDrives decides for each joint whether its actuators stay. Position and velocity
// actuators do; motors do unless the robot has legs, which learn better with positions;
// others do not.
func (w *writer) chooseDrives() {
	w.drives = map[int]drive{}
	if all := w.hinges(); 3*len(w.joints) < len(all) { // tendons drive the rest
		w.joints = all
	}
	for _, k := range w.joints {
		w.drives[k] = w.driveOf(k)
	}
	for _, k := range w.joints {
		if d := w.drives[k]; d.added && len(w.d.Joints[k].Actuators) > 0 {
			w.replaced = true
		}
	}
}

// hinges returns all hinges and slides below the root.
func (w *writer) hinges() []int {
	var all []int
	for k, j := range w.tree.joints {
		if w.within(j.body, w.root) && (j.kind == hinge || j.kind == slide) {
			all = append(all, k)
		}
	}
	return all
}

func (w *writer) driveOf(k int) drive {
	for _, i := range w.d.Joints[k].Actuators {
		a := &w.d.Actuators[i]
		limit := math.Max(math.Abs(a.ControlRange[0]), math.Abs(a.ControlRange[1]))
		if math.IsInf(limit, 0) {
			limit = 0
		}
		switch {
		case a.Activations > 0:
		case a.Kind == mujoco.KindPosition:
			return drive{kind: "position"}
		case a.Kind == mujoco.KindVelocity:
			return drive{kind: "velocity", limit: limit}
		case a.Kind == mujoco.KindMotor && w.family != legged && limit > 0:
			return drive{kind: "effort", limit: limit}
		case a.Kind == mujoco.KindMotor:
			effort := limit * math.Abs(a.Gear*a.Gain)
			if a.ForceLimited {
				force := math.Abs(a.Gear) * math.Max(-a.ForceRange[0], a.ForceRange[1])
				if effort == 0 || force < effort {
					effort = force
				}
			}
			return drive{kind: "position", added: true, effort: effort}
		}
	}
	return drive{kind: "position", added: true}
}

// choosePose decides where episodes start.
func (w *writer) choosePose(home []float64) {
	own := slices.Clone(home)
	w.pose = own
	if k := standing(w.d); k != nil && w.onFeet(k.Position) {
		w.keyframe, w.pose = k.Name, slices.Clone(k.Position)
		own = slices.Clone(w.pose)
	} else {
		w.pose = w.ownPose(home)
		if w.family == legged {
			w.stand(w.pose, !slices.Equal(w.pose, own))
		}
	}
	for _, k := range w.hinges() {
		j := w.tree.joints[k]
		if w.pose[j.address] == own[j.address] {
			continue
		}
		w.pose[j.address] = clamp(math.Round(w.pose[j.address]*100)/100+0, j) // +0: no -0
		if w.pose[j.address] != own[j.address] {
			w.posed = append(w.posed, k)
		}
	}
	w.frames = w.tree.frames(w.pose)
	w.chooseHeight()
	w.chooseFeet()
}

// onFeet reports whether a robot with legs stands on all of them in a pose.
func (w *writer) onFeet(pose []float64) bool {
	return w.family != legged || len(w.findLegs(w.root, w.tree.frames(pose))) == len(w.legs)
}

// tooHigh and tooLow are how far above and below the floor the robot may start, m. On
// legs it starts dropHeight of its legs' length above, since events bend them.
const tooHigh, tooLow, dropHeight = 0.02, 0.002, 0.03

// chooseHeight moves a floating base to where the robot touches the floor.
func (w *writer) chooseHeight() {
	if !w.floating || w.gravity == 0 {
		return
	}
	low, ok := w.ground(w.root, w.frames)
	if !ok || low >= -tooLow && (low <= tooHigh || w.family != legged) {
		return
	}
	z := w.tree.joints[w.freeJoint()].address + 2
	if w.family == legged {
		low -= dropHeight * w.legLength()
	}
	height := math.Ceil((w.pose[z]-low)*1000) / 1000
	w.height = &height
	w.pose[z] = height
	w.frames = w.tree.frames(w.pose)
}

// freeJoint returns the free joint of the root.
func (w *writer) freeJoint() int {
	return w.bodies[w.root].joints[slices.IndexFunc(w.bodies[w.root].joints, func(k int) bool { return w.tree.joints[k].kind == free })]
}

// standing returns the keyframe to start from: one named home, or named for standing, or
// else the first that has a name; nil if there is none.
func standing(d *mujoco.Description) *mujoco.Keyframe {
	var best *mujoco.Keyframe
	rank := 0
	for i := range d.Keyframes {
		k := &d.Keyframes[i]
		name, r := strings.ToLower(k.Name), 1
		switch {
		case name == "":
			continue
		case name == "home":
			r = 4
		case strings.Contains(name, "home") || strings.Contains(name, "stand"):
			r = 3
		case strings.Contains(name, "init") || strings.Contains(name, "default"):
			r = 2
		}
		if r > rank {
			best, rank = k, r
		}
	}
	return best
}

// chooseFeet finds patterns for the feet: their soles, where each is one geom with a
// name that no body has, or else their bodies.
func (w *writer) chooseFeet() {
	var geoms, bodies []string
	single := true
	for _, l := range w.legs {
		bodies = append(bodies, w.bodies[w.shapes[l.soles[0]].body].name)
		single = single && len(l.soles) == 1
		geoms = append(geoms, w.shapes[l.soles[0]].name)
	}
	var allBodies, allGeoms []string
	for _, b := range w.d.Bodies {
		allBodies = append(allBodies, b.Ref)
	}
	for _, g := range w.d.Geoms {
		allGeoms = append(allGeoms, g.Ref)
	}
	w.feet = patterns(bodies, allBodies)
	for _, b := range bodies {
		w.contacts = append(w.contacts, "body."+b+".contact")
	}
	if !single {
		return
	}
	found := patterns(geoms, allGeoms)
	for _, p := range found {
		if matches(p, allBodies) > 0 {
			return
		}
	}
	w.feet = found
	for i, g := range geoms {
		w.contacts[i] = "geom." + g + ".contact"
	}
}

// chooseGains computes the gains of the actuators that are added.
func (w *writer) chooseGains() {
	w.gains = map[int]gains{}
	for _, k := range w.joints {
		g := w.gainsOf(k, w.frames, w.step)
		if e := w.drives[k].effort; e > 0 {
			g.effort = e
			g.kp = min(g.kp, e/armSag)
		}
		w.gains[k] = g
	}
}

// name returns the name of the task: the model's file and what it does.
func (w *writer) name() string {
	base := strings.TrimSuffix(filepath.Base(w.opt.File), filepath.Ext(w.opt.File))
	base = strings.Trim(regexp.MustCompile(`[^A-Za-z0-9]+`).ReplaceAllString(base, "-"), "-")
	if base == "" || !regexp.MustCompile(`^[A-Za-z]`).MatchString(base) {
		base = "robot-" + base
	}
	return strings.TrimSuffix(base, "-") + map[family]string{legged: "-velocity", arm: "-reach", something: "-task"}[w.family]
}
