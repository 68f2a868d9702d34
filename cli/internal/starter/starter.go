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

// Tuning changes what the rules choose, against what a trial of it has shown. The numbers
// are of doublings and halvings.
type Tuning struct {
	Stiffer     int  // number of times that the stiffness of added actuators is doubled
	Stronger    int  // number of times that their effort is doubled, where the model has none
	Calmer      int  // number of times that the scale of the actions is halved
	Finer       int  // number of times that the physics step is halved
	Cheaper     int  // number of times that the cost of effort is divided by ten
	Higher      int  // number of centimetres by which a floating base is lifted
	PassThrough bool // the robot's own parts pass through one another
}

// Configuration returns a configuration for the model, as YAML with comments, to stand in a folder, to which the
// path of the model in it is relative, and what it leaves out, a line each.
func (m *ModelFile) Configuration(folder string, tuning Tuning) (text []byte, omissions []string, err error) {
	file, err := filepath.Abs(m.path)
	if err == nil {
		folder, err = filepath.Abs(folder)
	}
	if err != nil {
		return nil, nil, err
	}
	if relative, err := filepath.Rel(folder, file); err == nil {
		file = relative
	}
	r := recognise(&tree{&m.d})
	switch {
	case len(m.d.Joints) == 0:
		return nil, nil, errors.New("the model has no joints, want a model in which something moves")
	case !(m.d.Timestep > 0):
		return nil, nil, fmt.Errorf("the model has a timestep of %v s, want more than 0", m.d.Timestep)
	case r == nil:
		return nil, nil, errors.New("the model has no hinge or slide joint and no actuator, want something that moves")
	}
	w := &writer{robot: r, model: m, file: filepath.ToSlash(file), tuning: tuning}
	w.step = m.d.Timestep / twice(tuning.Finer)
	w.chooseDrives()
	w.choosePose()
	w.chooseGains()
	w.leaveOut()
	text, err = w.write()
	return text, w.omissions, err
}

// recognise finds a model's robot. Legs show in its own pose, else in a keyframe, or else where limits bend them.
func recognise(t *tree) *robot {
	home := t.home()
	r := classify(t, home)
	if r == nil || !r.floating || r.family == legged {
		return r
	}
	if k := standKeyframe(t.Description); k != nil {
		if other := classify(t, k.Position); other.family == legged {
			return other
		}
	}
	if low, ok := r.ground(r.root, r.frames(home)); ok && low > clear {
		return classify(t, t.ownPose(home))
	}
	return r
}

// ofJoint reports whether an actuator acts on a joint.
func ofJoint(a *mujoco.Actuator) bool {
	return a.Transmission == "joint" || a.Transmission == "jointinparent"
}

type writer struct {
	*robot
	model  *ModelFile
	file   string // path of the model in the configuration
	tuning Tuning
	step   float64 // length of a physics step, s

	drives        map[int]drive // drives by joint
	others        []int         // actuators that the actions drive directly: of tendons, muscles and so on
	omissions     []string      // parts of the model that the configuration leaves out, a line each
	gains         map[int]gains
	pose          []float64
	frames        []frame // frames of the bodies in the pose
	keyframe      string
	height        *float64 // height of the base, where it is not the model's or keyframe's
	footing       float64  // height of the ground on which the robot stands
	raisedFooting bool     // the ground is the top of an object, which may be small
	startJoints   []int    // joints that start elsewhere than in the model or keyframe
	feet          []string // patterns of the names of feet
	contacts      []string // quantities of the contact forces of the legs' feet
}

type drive struct {
	kind     string  // position, velocity or effort, as in scene.Actuators
	added    bool    // the configuration adds the actuator
	actuator int     // number of the model's actuator, unless it is added
	limit    float64 // limit of the target velocity or of the control of an effort; 0 if there is none
	effort   float64 // the most that the model's own actuator or joint bears, N·m; 0 if that is not known
}

// chooseDrives decides which actuators stay. Those of position and velocity do; motors do unless the robot has legs,
// which learn better with positions. Others are replaced on legs, and else driven as they are, as those of tendons.
func (w *writer) chooseDrives() {
	w.drives = map[int]drive{}
	var joints []int
	for _, k := range w.joints {
		d := w.driveOf(k)
		actuators := w.Joints[k].Actuators
		scalar := !slices.ContainsFunc(actuators, func(i int) bool { return w.Actuators[i].ControlSize != 1 })
		if d.added && len(actuators) > 0 && w.family != legged && scalar {
			w.others = append(w.others, actuators...)
			w.idle = append(w.idle, k)
			continue
		}
		w.drives[k] = d
		joints = append(joints, k)
	}
	w.joints = joints
	for i := range w.Actuators {
		a := &w.Actuators[i]
		if (!ofJoint(a) || w.Joints[a.Target].PositionSize != 1) && a.ControlSize == 1 {
			w.others = append(w.others, i)
		}
	}
	slices.Sort(w.others)
}

func (w *writer) hinges() []int {
	all := slices.Concat(w.joints, w.idle)
	slices.Sort(all)
	return all
}

func (w *writer) driveOf(k int) drive {
	for _, i := range w.Joints[k].Actuators {
		a := &w.Actuators[i]
		limit := finite(max(math.Abs(a.ControlRange[0]), math.Abs(a.ControlRange[1])))
		d := drive{actuator: i, limit: limit, effort: w.effortOf(k, a)}
		switch {
		case a.Activations > 0 || a.Gear == 0:
			continue
		case a.Kind == mujoco.KindPosition:
			d.kind = "position"
		case a.Kind == mujoco.KindVelocity:
			d.kind, d.limit = "velocity", d.limit/math.Abs(a.Gear)
		case a.Kind == mujoco.KindMotor && w.family != legged && limit > 0: // wheels, too
			d.kind = "effort"
		case a.Kind == mujoco.KindMotor:
			d.kind, d.added = "position", true
		default:
			continue
		}
		return d
	}
	effort := finite(w.Joints[k].Effort)
	if wheel := w.wheelOf(k); wheel != nil {
		return drive{kind: "velocity", added: true, limit: w.spin(wheel), effort: effort}
	}
	return drive{kind: "position", added: true, effort: effort}
}

// effortOf returns the most torque or force that an actuator exerts on a joint, 0 if nothing bounds it.
func (w *writer) effortOf(k int, a *mujoco.Actuator) float64 {
	most := w.Joints[k].Effort
	if a.Kind == mujoco.KindMotor && a.ControlLimited {
		most = min(most, math.Max(-a.ControlRange[0], a.ControlRange[1])*math.Abs(a.Gear*a.Gain))
	}
	if a.ForceLimited {
		most = min(most, math.Max(-a.ForceRange[0], a.ForceRange[1])*math.Abs(a.Gear))
	}
	return finite(most)
}

// finite returns x, or 0 if it is infinite.
func finite(x float64) float64 {
	if math.IsInf(x, 0) {
		return 0
	}
	return x
}

// leaveOut notes the joints and actuators that no action drives.
func (w *writer) leaveOut() {
	driven := func(k int) bool {
		_, ok := w.drives[k]
		return ok || slices.ContainsFunc(w.Joints[k].Actuators, func(i int) bool {
			return slices.Contains(w.others, i)
		})
	}
	note := func(title string, names []string) {
		if names != nil {
			w.omissions = append(w.omissions, title+": "+some(names))
		}
	}
	note("joints without an actuator of their own", namesWhere(w.Joints, hingeName, func(k int) bool {
		return !driven(k) && slices.Contains(w.roots, w.rootOf(w.Joints[k].Body)) && w.family != flyer
	}))
	actuator := func(a mujoco.Actuator) string { return a.Ref }
	note("actuators that no action drives, whose control stays 0", namesWhere(w.Actuators, actuator, func(i int) bool {
		a := &w.Actuators[i]
		if d, ok := w.drives[a.Target]; ofJoint(a) && ok {
			return !d.added && d.actuator != i
		}
		return !slices.Contains(w.others, i)
	}))
	note("what is no part of the robot", namesWhere(w.Bodies, bodyName, func(b int) bool {
		return b > 0 && w.Bodies[b].Parent == 0 && !slices.Contains(w.roots, b) &&
			slices.ContainsFunc(w.Joints, func(j mujoco.Joint) bool { return w.rootOf(j.Body) == b })
	}))
}

// some names a few of many things.
func some(names []string) string {
	if n := len(names); n > 8 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:6], ", "), n-6)
	}
	return strings.Join(names, ", ")
}

func (w *writer) choosePose() {
	home := w.home()
	original := slices.Clone(home)
	onFeet := func(pose []float64) bool {
		return w.family != legged || len(w.findLegs(w.root, w.tree.frames(pose))) == len(w.legs)
	}
	if k := standKeyframe(w.Description); k != nil && onFeet(k.Position) {
		w.keyframe, w.pose = k.Name, slices.Clone(k.Position)
		original = slices.Clone(w.pose)
	} else {
		w.pose = w.ownPose(home)
		// Tendons that hold legs hold them in the pose for which they were made.
		hung := slices.ContainsFunc(w.idle, func(k int) bool { return len(w.others) > 0 && w.legOf(k) >= 0 })
		if w.family == legged && !hung {
			w.stand(w.pose, !slices.Equal(w.pose, original))
		}
		if w.family == arm {
			w.raise(w.pose)
		}
	}
	for _, k := range w.hinges() {
		j := &w.Joints[k]
		if w.pose[j.PositionAt] == original[j.PositionAt] {
			continue
		}
		w.pose[j.PositionAt] = clamp(math.Round(w.pose[j.PositionAt]*100)/100+0, j) // + 0 makes -0 a 0
		if w.pose[j.PositionAt] != original[j.PositionAt] {
			w.startJoints = append(w.startJoints, k)
		}
	}
	w.frames = w.tree.frames(w.pose)
	w.chooseHeight()
	w.chooseFeet()
}

// tooHigh and tooLow are how far above and below its footing the robot may start, m. On
// legs it starts dropHeight of its legs' length above, since events bend them.
const tooHigh, tooLow, dropHeight = 0.02, 0.002, 0.03

// hoverHeight is the least height at which what flies begins, and hovers, m.
const hoverHeight = 1.0

// chooseHeight moves a floating base to where the robot touches what it stands on, or hovers.
func (w *writer) chooseHeight() {
	if !w.floating || w.gravity() == 0 {
		return
	}
	if w.family == flyer {
		if z := w.Joints[w.Bodies[w.root].Joints[0]].PositionAt + 2; w.pose[z] < hoverHeight {
			height := hoverHeight
			w.height, w.pose[z] = &height, height
			w.frames = w.tree.frames(w.pose)
		}
		return
	}
	w.footing, w.raisedFooting = w.tree.footing(w.root, w.frames)
	low, ok := w.ground(w.root, w.frames)
	low -= w.footing
	lift := 0.01 * float64(w.tuning.Higher)
	onGround := w.family == legged || w.family == wheeled
	if !ok || lift == 0 && low >= -tooLow && (low <= tooHigh || !onGround) {
		return
	}
	z := w.Joints[w.Bodies[w.root].Joints[0]].PositionAt + 2
	if w.family == legged {
		low -= dropHeight * w.legLength()
	}
	height := math.Ceil((w.pose[z]-low+lift)*1000) / 1000
	w.height = &height
	w.pose[z] = height
	w.frames = w.tree.frames(w.pose)
}

// standKeyframe returns the keyframe to start from: home, or one for standing, or the first with a name; nil if none.
func standKeyframe(d *mujoco.Description) *mujoco.Keyframe {
	for _, name := range []string{"^home$", "home|stand", "init|default", "."} {
		pattern := regexp.MustCompile("(?i)" + name)
		i := slices.IndexFunc(d.Keyframes, func(k mujoco.Keyframe) bool { return pattern.MatchString(k.Name) })
		if i >= 0 {
			return &d.Keyframes[i]
		}
	}
	return nil
}

// chooseFeet finds patterns for the feet: their soles, if each is one geom with a name of its own, or their bodies.
func (w *writer) chooseFeet() {
	var bodies, geoms []int
	single := true
	for _, l := range w.legs {
		g := l.soles[0]
		bodies, geoms = append(bodies, w.Geoms[g].Body), append(geoms, g)
		single = single && len(l.soles) == 1
	}
	w.feet = patternsWhere(w.Bodies, bodyName, func(i int) bool { return slices.Contains(bodies, i) })
	soles := patternsWhere(w.Geoms, geomName, func(i int) bool { return slices.Contains(geoms, i) })
	ofBody := func(p string) bool {
		return slices.ContainsFunc(w.Bodies, func(b mujoco.Body) bool { return matches(p, []string{b.Ref}) > 0 })
	}
	if single = single && !slices.ContainsFunc(soles, ofBody); single {
		w.feet = soles
	}
	for i, g := range geoms {
		contact := "body." + w.Bodies[bodies[i]].Ref
		if single {
			contact = "geom." + w.Geoms[g].Ref
		}
		w.contacts = append(w.contacts, contact+".contact")
	}
}

// implausible is the ratio of a model's largest effort to the rule's from which a model's efforts mean nothing.
const implausible = 20

// chooseGains computes the gains of the joints, with the efforts of the model unless these are implausible.
func (w *writer) chooseGains() {
	w.gains = map[int]gains{}
	ownEffort, rule := 0.0, 0.0
	for _, k := range w.joints {
		ownEffort = max(ownEffort, w.drives[k].effort)
		rule = max(rule, w.gainsOf(k, 0, Tuning{}).effort)
	}
	for _, k := range w.joints {
		d := w.drives[k]
		if ownEffort > implausible*rule {
			d.effort = 0
			if d.kind == "effort" {
				a := &w.Actuators[d.actuator]
				d.limit = min(d.limit, w.gainsOf(k, 0, Tuning{}).effort/math.Abs(a.Gear*a.Gain))
			}
			w.drives[k] = d
		}
		w.gains[k] = w.gainsOf(k, d.effort, w.tuning)
	}
	if ownEffort > implausible*rule {
		w.omissions = append(w.omissions, fmt.Sprintf(
			"efforts of up to %s N m, as the weight of the robot asks for %s at most", short(ownEffort), short(rule)))
	}
}

func (w *writer) name() string {
	base := strings.TrimSuffix(filepath.Base(w.file), filepath.Ext(w.file))
	base = strings.Trim(regexp.MustCompile(`[^A-Za-z0-9]+`).ReplaceAllString(base, "-"), "-")
	if base == "" || !regexp.MustCompile(`^[A-Za-z]`).MatchString(base) {
		base = "robot-" + base
	}
	return strings.TrimSuffix(base, "-") + map[family]string{legged: "-velocity", arm: "-reach",
		flyer: "-hover", wheeled: "-drive", otherFamily: "-task"}[w.family]
}
