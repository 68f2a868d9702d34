package motion

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/polyrhythm-rl/polyrhythm/internal/bounds"
	"github.com/polyrhythm-rl/polyrhythm/internal/decode"
	"github.com/polyrhythm-rl/polyrhythm/internal/spell"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/tasks/internal/rotation"
)

// keyframes are the contents of a file of keyframes.
type keyframes struct {
	// Rate is that of the frames, in hertz or as a period.
	Rate rate `yaml:"rate"`
	// Hold lists bodies that stay where the start pose has them, or go where keyframes say, such as feet. Inverse
	// kinematics moves the joints between the base and these bodies.
	Hold []string `yaml:"hold"`
	// Keyframes are in the order of time; the first is at 0s. What one does not give stays as it was.
	Keyframes []keyframe `yaml:"keyframes"`
}

// rate is a rate in YAML, a number or a text.
type rate struct{ runners.Rate }

// FromYAML implements [decode.Value].
func (r *rate) FromYAML(_ string, value any) (want string, err error) {
	switch value.(type) {
	case int, float64, string:
		if r.Rate, err = runners.ParseRate(fmt.Sprint(value)); err == nil {
			return "", nil
		}
	}
	return "a rate, such as 50 or 30000/1001", nil
}

type keyframe struct {
	// Time since the beginning.
	Time time.Duration `yaml:"time"`
	// Base is the place of the base relative to the start pose.
	Base place `yaml:"base"`
	// Bodies are the places of bodies among hold relative to those in the start pose, by their names.
	Bodies map[string]place `yaml:"bodies"`
	// Joints are positions relative to the start pose by patterns of joint names, rad or m.
	Joints map[string]float64 `yaml:"joints"`
}

// place is a change of a pose: a shift in m along the axes of the world, and turns in rad about its fixed axes, first
// roll about x, then pitch about y, then yaw about z. A nil keeps what it was in the keyframe before.
type place struct {
	X     *float64 `yaml:"x"`
	Y     *float64 `yaml:"y"`
	Z     *float64 `yaml:"z"`
	Roll  *float64 `yaml:"roll"`
	Pitch *float64 `yaml:"pitch"`
	Yaw   *float64 `yaml:"yaw"`
}

// FromYAML implements [decode.Value], so that places can be the values of a mapping.
func (p *place) FromYAML(key string, value any) (want string, err error) {
	tree, ok := value.(map[string]any)
	if !ok {
		return "a mapping with some of x, y, z, roll, pitch and yaw", nil
	}
	type plain place // without this method
	return "", decode.Into(key, tree, (*plain)(p))
}

// overlay returns the six values of a place after those before.
func (p *place) overlay(previous [6]float64) [6]float64 {
	for i, x := range []*float64{p.X, p.Y, p.Z, p.Roll, p.Pitch, p.Yaw} {
		if x != nil {
			previous[i] = *x
		}
	}
	return previous
}

// pose is what a keyframe says in full.
type pose struct {
	seconds float64
	base    [6]float64
	bodies  [][6]float64 // places of the bodies that are held
	joints  []float64    // positions of the robot's joints, relative to the start
}

// readKeyframes makes a track of the contents of a file of keyframes. Between two keyframes all values go from one to
// the other with the least jerk: 10s³ - 15s⁴ + 6s⁵ of the way, s being the share of the time. The track begins in
// the robot's start pose.
//
// The method is that of damped least squares (Wampler, "Manipulator inverse kinematic solutions based on vector
// formulations and damped least-squares methods", IEEE Transactions on Systems, Man, and Cybernetics 16, 1986).
func readKeyframes(data []byte, r *Robot) (*Track, error) {
	tree, _, err := decode.Document("", data)
	if err != nil {
		return nil, err
	}
	fields, ok := tree.(map[string]any)
	if !ok {
		return nil, decode.Invalid("the file", tree, "a mapping with the keys rate, hold and keyframes")
	}
	file := keyframes{Rate: rate{DefaultRate}}
	if err := decode.Into("", fields, &file); err != nil {
		return nil, err
	}
	rate := file.Rate.Rate
	s, err := newSolver(r, file.Hold)
	if err != nil {
		return nil, err
	}
	defer s.kinematics.close()
	poses, err := file.poses(s)
	if err != nil {
		return nil, err
	}
	t := &Track{Rate: rate}
	last := poses[len(poses)-1].seconds
	if most := last/rate.Seconds() + 1; most > MaxFrames {
		return nil, fmt.Errorf("%.0f frames, want at most %d", most, MaxFrames)
	}
	for ; float64(t.Rows)*rate.Seconds() <= last+1e-9; t.Rows++ {
		if err := s.solve(interpolate(poses, float64(t.Rows)*rate.Seconds()), t); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// poses returns what the keyframes say in full.
func (f *keyframes) poses(s *solver) ([]pose, error) {
	var list []pose
	current := pose{bodies: make([][6]float64, len(s.heldBodies)), joints: make([]float64, len(s.robot.Joints))}
	var c bounds.Check
	if len(f.Keyframes) < 2 {
		c.Fail("keyframes has %d entries, want at least 2", len(f.Keyframes))
	}
	for i := range f.Keyframes {
		k, key := &f.Keyframes[i], fmt.Sprintf("keyframes[%d]", i)
		if i == 0 {
			c.Time(key+".time", k.Time, 0, 0)
		} else {
			c.Time(key+".time", k.Time, f.Keyframes[i-1].Time+time.Millisecond, 1e6*time.Second)
		}
		current.seconds, current.base = k.Time.Seconds(), k.Base.overlay(current.base)
		if current.base != [6]float64{} && !s.robot.Free() {
			c.Fail("%s.base: the robot is fixed to the world", key)
		}
		current.bodies, current.joints = slices.Clone(current.bodies), slices.Clone(current.joints)
		for _, name := range slices.Sorted(maps.Keys(k.Bodies)) {
			goal, n := k.Bodies[name], slices.Index(f.Hold, name)
			if n < 0 {
				c.Fail("%s.bodies: %s is not among hold, want one of %v", key, name, f.Hold)
				continue
			}
			current.bodies[n] = goal.overlay(current.bodies[n])
		}
		for _, text := range slices.Sorted(maps.Keys(k.Joints)) {
			if err := s.setJoints(current.joints, text, k.Joints[text]); err != nil {
				c.Fail("%s.joints: %w", key, err)
			}
		}
		for _, x := range slices.Concat(current.base[:], current.joints, slices.Concat(six(current.bodies)...)) {
			c.Number(key, x, -maxKeyframe, maxKeyframe)
		}
		list = append(list, current)
	}
	return list, c.Err()
}

// maxKeyframe is the largest shift in m and turn in rad of a keyframe.
const maxKeyframe = 1000

func six(list [][6]float64) (all [][]float64) {
	for i := range list {
		all = append(all, list[i][:])
	}
	return all
}

// interpolate returns the pose at a time.
func interpolate(poses []pose, seconds float64) pose {
	i := 1
	for i < len(poses)-1 && poses[i].seconds <= seconds {
		i++
	}
	a, b := poses[i-1], poses[i]
	share := min(1, (seconds-a.seconds)/(b.seconds-a.seconds))
	way := share * share * share * (10 + float64(share*(float64(6*share)-15)))
	p := pose{seconds: seconds, joints: line(a.joints, b.joints, way)}
	p.base = [6]float64(line(a.base[:], b.base[:], way))
	for n := range a.bodies {
		p.bodies = append(p.bodies, [6]float64(line(a.bodies[n][:], b.bodies[n][:], way)))
	}
	return p
}

// solver finds the positions of the joints for which bodies are where they should be.
type solver struct {
	robot      *Robot
	kinematics *kinematics
	heldBodies []int // bodies
	start      []target
	chain      []int     // joints between the base and the held bodies
	joints     []float64 // start positions of all
	positions  []float64 // positions of all now
}

type target struct {
	position   [3]float64
	quaternion [4]float64
}

func newSolver(r *Robot, hold []string) (*solver, error) {
	s := &solver{robot: r}
	for i, name := range hold {
		n := slices.IndexFunc(r.Bodies, func(b Body) bool { return b.Name == name })
		if n < 0 {
			return nil, fmt.Errorf("hold[%d]: no body %q%s", i, name, spell.Hint(name, r.bodyNames()))
		}
		s.heldBodies = append(s.heldBodies, n)
	}
	for i, j := range r.Joints {
		if slices.ContainsFunc(s.heldBodies, func(body int) bool { return r.carries(j.Body, body) }) {
			s.chain = append(s.chain, i)
		}
		s.joints = append(s.joints, r.Start[j.Position])
	}
	s.positions = slices.Clone(s.joints)
	var err error
	if s.kinematics, err = newKinematics(r); err != nil {
		return nil, err
	}
	if err := s.kinematics.forward(); err != nil {
		s.kinematics.close()
		return nil, fmt.Errorf("the start pose: %w", err)
	}
	for _, body := range s.heldBodies {
		p, q, _ := s.kinematics.body(body)
		s.start = append(s.start, target{[3]float64(p), quaternion(q)})
	}
	return s, nil
}

// carries reports whether a body hangs on another, or is that one.
func (r *Robot) carries(ancestor, body int) bool {
	for ; body >= 0; body = r.Bodies[body].Parent {
		if body == ancestor {
			return true
		}
	}
	return false
}

// setJoints sets the joints that a pattern matches, which must not be those that the solver moves.
func (s *solver) setJoints(joints []float64, text string, value float64) error {
	re, err := regexp.Compile("^(?:" + text + ")$")
	if err != nil {
		return fmt.Errorf("%.80q, want a regular expression: %w", text, err)
	}
	found := false
	for i, j := range s.robot.Joints {
		if !re.MatchString(j.Name) {
			continue
		}
		if slices.Contains(s.chain, i) {
			return fmt.Errorf("%s holds a body of hold, want another joint", j.Name)
		}
		joints[i], found = value, true
	}
	if !found {
		return fmt.Errorf("no joint matches %q%s", text, spell.Hint(text, s.robot.jointNames()))
	}
	return nil
}

// displace returns a pose after a change.
func displace(t target, displacement [6]float64) target {
	for i := range 3 {
		t.position[i] += displacement[i]
	}
	turn := rotation.Product(rotationQuaternion([3]float64{0, 0, displacement[5]}),
		rotation.Product(rotationQuaternion([3]float64{0, displacement[4], 0}),
			rotationQuaternion([3]float64{displacement[3], 0, 0})))
	t.quaternion = rotation.Product(turn, t.quaternion)
	return t
}

// The solver stops when all bodies are within tolerance of their places, in m and rad.
const (
	tolerance  = 1e-6
	reachable  = 1e-3 // beyond it a place is out of reach
	iterations = 100
	damping    = 1e-3
)

// solve appends the row of a pose to a track. It begins where the row before ended.
func (s *solver) solve(p pose, t *Track) error {
	row := s.kinematics.row()
	if s.robot.Free() {
		base := s.robot.Base.In(row)
		start := s.robot.Base.In(s.robot.Start)
		goal := displace(target{[3]float64(start), unitQuaternion(start[3:])}, p.base)
		copy(base, goal.position[:])
		copy(base[3:], goal.quaternion[:])
		t.Base = append(t.Base, base...)
	}
	for i := range s.positions {
		if !slices.Contains(s.chain, i) {
			s.positions[i] = s.joints[i] + p.joints[i]
		}
	}
	for n := 0; ; n++ {
		s.place()
		if err := s.kinematics.forward(); err != nil {
			return fmt.Errorf("at %.3g s: %w", p.seconds, err)
		}
		errs, worst, body := s.errors(p)
		if worst < tolerance || n == iterations && worst < reachable {
			break
		}
		if n == iterations {
			return fmt.Errorf("at %.3g s: %s is %.3g m or rad away from its place, which it cannot reach", p.seconds,
				s.robot.Bodies[body].Name, worst)
		}
		s.improve(errs)
	}
	t.Joints = append(t.Joints, s.positions...)
	return nil
}

// place writes the positions of the joints into the row.
func (s *solver) place() {
	row := s.kinematics.row()
	for i, j := range s.robot.Joints {
		row[j.Position] = s.positions[i]
	}
}

// errors returns how the held bodies should move and turn, 6 values each, the largest of them, and of which body it is.
func (s *solver) errors(p pose) (errs []float64, worst float64, body int) {
	for n, index := range s.heldBodies {
		want := displace(s.start[n], p.bodies[n])
		position, q, _ := s.kinematics.body(index)
		turn := rotation.Vector(rotation.Product(want.quaternion, rotation.Conjugate(quaternion(q))))
		for i := range 3 {
			errs = append(errs, want.position[i]-position[i])
		}
		errs = append(errs, turn[:]...)
	}
	for i, e := range errs {
		if math.Abs(e) > worst {
			worst, body = math.Abs(e), s.heldBodies[i/6]
		}
	}
	return errs, worst, body
}

// improve moves the joints by a damped step of Gauss and Newton: (JᵀJ + λ²) Δq = Jᵀe, within their limits.
func (s *solver) improve(errs []float64) {
	n := len(s.chain)
	if n == 0 {
		return
	}
	jacobian := mat.NewDense(len(errs), n, nil)
	for c, i := range s.chain {
		j := &s.robot.Joints[i]
		p, q, _ := s.kinematics.body(j.Body)
		axis, arm := rotation.Rotate(quaternion(q), j.Axis), rotation.Rotate(quaternion(q), j.Anchor)
		for k, index := range s.heldBodies {
			if !s.robot.carries(j.Body, index) {
				continue
			}
			position, _, _ := s.kinematics.body(index)
			move, turn := axis, [3]float64{}
			if !j.Slide {
				d := [3]float64{position[0] - p[0] - arm[0], position[1] - p[1] - arm[1], position[2] - p[2] - arm[2]}
				move, turn = cross(axis, d), axis
			}
			for x := range 3 {
				jacobian.Set(6*k+x, c, move[x])
				jacobian.Set(6*k+3+x, c, turn[x])
			}
		}
	}
	var square mat.SymDense
	square.SymOuterK(1, jacobian.T())
	for i := range n {
		square.SetSym(i, i, square.At(i, i)+damping*damping)
	}
	var right, step mat.VecDense
	right.MulVec(jacobian.T(), mat.NewVecDense(len(errs), errs))
	var factors mat.Cholesky
	if !factors.Factorize(&square) || factors.SolveVecTo(&step, &right) != nil {
		return // the places then stay out of reach
	}
	for c, i := range s.chain {
		j := &s.robot.Joints[i]
		s.positions[i] = min(max(s.positions[i]+step.AtVec(c), j.Low), j.High)
	}
}

func cross(a, b [3]float64) [3]float64 {
	return [3]float64{
		float64(a[1]*b[2]) - float64(a[2]*b[1]),
		float64(a[2]*b[0]) - float64(a[0]*b[2]),
		float64(a[0]*b[1]) - float64(a[1]*b[0]),
	}
}
