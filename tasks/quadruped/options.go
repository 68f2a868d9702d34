package quadruped

import (
	"fmt"
	"math"
)

// Options are the task's own settings. [DefaultOptions] gives values that learn
// to walk; the zero value is not usable.
type Options struct {
	Command Command `yaml:"command"`
	Action  Action  `yaml:"action"`
	Gait    Gait    `yaml:"gait"`
	Start   Start   `yaml:"start"`
	Fall    Fall    `yaml:"fall"`
	Reward  Reward  `yaml:"reward"`
}

// Command holds the ranges, lowest and highest, that an episode's command is
// drawn from, in the frame of the robot's heading.
type Command struct {
	Forward []float64 `yaml:"forward,flow"`  // m/s
	Left    []float64 `yaml:"left,flow"`     // m/s
	YawRate []float64 `yaml:"yaw_rate,flow"` // rad/s, counter-clockwise
}

// ranges returns the range of each value.
func (c *Command) ranges() [3][]float64 { return [...][]float64{c.Forward, c.Left, c.YawRate} }

// Action says how far an action of 1 moves a motor's target from home, in rad.
type Action struct {
	Abduction float64 `yaml:"abduction"`
	Hip       float64 `yaml:"hip"`
	Knee      float64 `yaml:"knee"`
}

// Gait is the rhythm that the clock in the observation keeps, and that the gait
// term of the reward asks for: a trot, front left with rear right and front
// right with rear left, each pair on the floor for the given part of a cycle.
type Gait struct {
	Frequency float64 `yaml:"frequency"` // cycles per second
	Stance    float64 `yaml:"stance"`    // part of a cycle, in (0, 1)
	Contact   float64 `yaml:"contact"`   // N; a foot that feels more is on the floor
}

// Start bounds how far an episode's start lies from the home pose. Lift is drawn
// evenly from 0 to its bound, the others from minus to plus theirs. The heading
// is any.
type Start struct {
	Lift     float64 `yaml:"lift"`     // m, of the trunk; keeps feet of moved joints out of the floor
	Joint    float64 `yaml:"joint"`    // rad
	Velocity float64 `yaml:"velocity"` // m/s, of the trunk
	Rotation float64 `yaml:"rotation"` // rad/s, of the trunk
}

// Fall says when the robot has fallen, which ends the episode.
type Fall struct {
	Height float64 `yaml:"height"` // m; the trunk's centre is lower
	Tilt   float64 `yaml:"tilt"`   // rad; the trunk leans further from the vertical
}

// Reward weighs the terms of one control step's reward. Errors and speeds are
// those of the true state at the end of the step. A term of weight 0 is not
// computed.
type Reward struct {
	Velocity   float64 `yaml:"velocity"`    // exp(-e²/0.25), e the error in horizontal velocity, m/s
	YawRate    float64 `yaml:"yaw_rate"`    // exp(-e²/0.25), e the error in yaw rate, rad/s
	Gait       float64 `yaml:"gait"`        // part of the feet that are on the floor when, and only when, the gait has them there
	Alive      float64 `yaml:"alive"`       // 1
	Bounce     float64 `yaml:"bounce"`      // squared vertical speed, (m/s)²
	Roll       float64 `yaml:"roll"`        // squared roll and pitch rates, (rad/s)²
	Tilt       float64 `yaml:"tilt"`        // squared sine of the trunk's lean
	ActionRate float64 `yaml:"action_rate"` // squared change of the action
	JointSpeed float64 `yaml:"joint_speed"` // squared speeds of the twelve joints, (rad/s)²
}

// DefaultOptions asks for a steady walk straight ahead.
func DefaultOptions() Options {
	return Options{
		Command: Command{
			Forward: []float64{0.8, 0.8},
			Left:    []float64{0, 0},
			YawRate: []float64{0, 0},
		},
		Action: Action{Abduction: 0.25, Hip: 0.5, Knee: 0.5},
		Gait:   Gait{Frequency: 2, Stance: 0.5, Contact: 5},
		Start:  Start{Lift: 0.03, Joint: 0.1, Velocity: 0.2, Rotation: 0.2},
		Fall:   Fall{Height: 0.18, Tilt: 0.8},
		Reward: Reward{
			Velocity:   1,
			YawRate:    0.5,
			Gait:       0.5,
			Alive:      0.25,
			Bounce:     -1,
			Roll:       -0.05,
			Tilt:       -1,
			ActionRate: -0.05,
			JointSpeed: -0.0005,
		},
	}
}

// check names the first option that cannot be used, by its key.
func (o *Options) check() error {
	for _, r := range []struct {
		key string
		of  []float64
	}{
		{"command.forward", o.Command.Forward},
		{"command.left", o.Command.Left},
		{"command.yaw_rate", o.Command.YawRate},
	} {
		if len(r.of) != 2 || !(r.of[0] <= r.of[1]) || !(r.of[1]-r.of[0] < math.Inf(1)) {
			return fmt.Errorf("quadruped: %s is %v, want the lowest and the highest value, such as [0, 0.8]", r.key, r.of)
		}
	}
	for _, v := range []struct {
		key       string
		value     float64
		low, high float64 // exclusive bounds
	}{
		{"action.abduction", o.Action.Abduction, 0, math.Pi},
		{"action.hip", o.Action.Hip, 0, math.Pi},
		{"action.knee", o.Action.Knee, 0, math.Pi},
		{"gait.frequency", o.Gait.Frequency, 0, 100},
		{"gait.stance", o.Gait.Stance, 0, 1},
		{"fall.tilt", o.Fall.Tilt, 0, math.Pi},
	} {
		if !(v.low < v.value && v.value < v.high) {
			return fmt.Errorf("quadruped: %s is %v, want more than %v, below %.4g", v.key, v.value, v.low, v.high)
		}
	}
	for _, v := range []struct {
		key   string
		value float64
	}{
		{"gait.contact", o.Gait.Contact},
		{"start.lift", o.Start.Lift},
		{"start.joint", o.Start.Joint},
		{"start.velocity", o.Start.Velocity},
		{"start.rotation", o.Start.Rotation},
		{"fall.height", o.Fall.Height},
	} {
		if !(v.value >= 0) || math.IsInf(v.value, 1) {
			return fmt.Errorf("quadruped: %s is %v, want a finite number of at least 0", v.key, v.value)
		}
	}
	for _, term := range terms(&o.Reward) {
		if term.weight-term.weight != 0 {
			return fmt.Errorf("quadruped: reward.%s is %v, want a finite number", term.key, term.weight)
		}
	}
	return nil
}
