package gymnasium

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/box2d/scene"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// LunarLanderOptions are the constructor arguments of Gymnasium's task, by the
// same names.
type LunarLanderOptions struct {
	Continuous      bool    `yaml:"continuous"`       // throttles rather than choices
	Gravity         float64 `yaml:"gravity"`          // m/s², between -12 and 0
	EnableWind      bool    `yaml:"enable_wind"`      // while no leg is on the ground
	WindPower       float64 `yaml:"wind_power"`       // most force, N
	TurbulencePower float64 `yaml:"turbulence_power"` // most torque, N·m
}

// DefaultLunarLanderOptions are Gymnasium's defaults.
func DefaultLunarLanderOptions() LunarLanderOptions {
	return LunarLanderOptions{Gravity: -10, WindPower: 15, TurbulencePower: 1.5}
}

// DefaultLunarLanderContinuousOptions are those for LunarLanderContinuous-v3.
func DefaultLunarLanderContinuousOptions() LunarLanderOptions {
	opt := DefaultLunarLanderOptions()
	opt.Continuous = true
	return opt
}

// Warnings lists the options that Gymnasium warns of but accepts.
func (o LunarLanderOptions) Warnings() []string {
	var all []string
	if o.WindPower < 0 || o.WindPower > 20 {
		all = append(all, fmt.Sprintf("LunarLander-v3: wind_power value is recommended to be between 0.0 and 20.0, (current value: %v)", o.WindPower))
	}
	if o.TurbulencePower < 0 || o.TurbulencePower > 2 {
		all = append(all, fmt.Sprintf("LunarLander-v3: turbulence_power value is recommended to be between 0.0 and 2.0, (current value: %v)", o.TurbulencePower))
	}
	return all
}

// moonGround has room for a floor and the surface above it.
var moonGround = scene.Ground{MaxShapes: 1 + len(moon{}) - 1}

// LunarLanderScene is the lander on its two legs, high above a moon that each
// episode shapes. timestep is the length of a physics step in seconds.
func LunarLanderScene(opt LunarLanderOptions, timestep float64) scene.Scene {
	const x, y = lunarWidth / 2, lunarHeight
	hull := [][2]float64{{-14, +17}, {-17, 0}, {-17, -10}, {+17, -10}, {+17, 0}, {+14, +17}} // pixels
	for i := range hull {
		hull[i][0] /= lunarScale
		hull[i][1] /= lunarScale
	}
	s := scene.Scene{
		Gravity:            [2]float64{0, opt.Gravity},
		Timestep:           timestep,
		VelocityIterations: 6 * 30,
		PositionIterations: 2 * 30,
		Ground:             moonGround,
		Bodies: []scene.Body{{
			Name:     "lander",
			Position: [2]float64{x, y},
			Fill:     landerFill, Outline: landerOutline,
			Fixtures: []scene.Fixture{{Vertices: hull, Density: 5, Friction: 0.1, Category: 0x0010, Mask: 0x0001}},
		}},
		Actuators: []scene.Actuator{
			{Name: "push", Kind: scene.Force, On: "lander"}, // at the start, and of the wind
			{Name: "turbulence", Kind: scene.Torque, On: "lander"},
			{Name: "main", Kind: scene.Impulse, On: "lander"},
			{Name: "side", Kind: scene.Impulse, On: "lander"},
		},
		Picture: moonPicture(),
	}
	for i, side := range []float64{-1, +1} {
		name := fmt.Sprintf("leg%d", i)
		angle := side * 0.05
		s.Bodies = append(s.Bodies, scene.Body{
			Name:     name,
			Position: [2]float64{x - float64(side*landerLegAway), y},
			Angle:    angle,
			Fill:     landerFill, Outline: landerOutline,
			Fixtures: []scene.Fixture{{
				Vertices: scene.Box(2/lunarScale, 8/lunarScale), Density: 1, Friction: 0.2, Category: 0x0020, Mask: 0x0001,
			}},
		})
		j := scene.Revolute{
			Name: name, BodyA: "lander", BodyB: name,
			AnchorB:        [2]float64{side * landerLegAway, landerLegDown},
			ReferenceAngle: angle,
			Motor:          true,
			MotorSpeed:     0.3 * side,
			MaxMotorTorque: 40,
			Limited:        true,
			Lower:          0.4, Upper: 0.9,
		}
		if side > 0 {
			j.Lower, j.Upper = -0.9, -0.4
		}
		s.Joints = append(s.Joints, j)
	}
	return s
}

// Colours of the lander.
var (
	landerFill    = scene.Color{R: 128, G: 102, B: 230}
	landerOutline = scene.Color{R: 77, G: 77, B: 128}
)

// moonPicture is a white moon under a black sky, with flags on both sides of the pad.
func moonPicture() scene.Picture {
	white, grey, yellow := scene.Color{R: 255, G: 255, B: 255}, scene.Color{R: 190, G: 190, B: 200}, scene.Color{R: 230, G: 205, B: 20}
	p := scene.Picture{
		Width: lunarWidth, Height: lunarHeight,
		Soil: white, Surface: [2]scene.Color{grey, grey},
	}
	const pad = lunarWidth / 10 // from its middle to its ends
	for _, side := range []float64{-1, +1} {
		p.Flags = append(p.Flags, scene.Flag{X: lunarWidth/2 + float64(side*pad), Y: padHeight, Height: 50 / lunarScale, Color: yellow})
	}
	return p
}

// LunarLander is LunarLander-v3: land on the pad, softly, upright, and with
// little fuel. It ends with a crash, beyond the viewport, or when the lander has
// come to rest.
type LunarLander struct {
	opt  LunarLanderOptions
	spec sim.Spec

	// steps is the number of physics steps that pass in 1/50 s, which is what
	// Gymnasium's forces and impulses are made for.
	steps float64

	ground, lander, awake, crashed physics.Span
	legs                           [2]physics.Span // whether they are on the ground
	push, turbulence, main, side   physics.Span
}

// Indices into a world's memory.
const (
	landerShaping    = iota // at the last control instant
	landerWind              // index in the pattern of the wind
	landerTurbulence        // and of the turbulence
	landerMain              // throttle in force
	landerSide
	landerMemory // number of values
)

// NewLunarLander makes the task for a model compiled from [LunarLanderScene] with
// the same options and timestep.
func NewLunarLander(m physics.Model, opt LunarLanderOptions, timestep float64) (*LunarLander, error) {
	if !(opt.Gravity > -12 && opt.Gravity < 0) {
		return nil, fmt.Errorf("LunarLander-v3: gravity is %v, want more than -12, below 0", opt.Gravity)
	}
	t := &LunarLander{opt: opt, steps: 1 / float64(timestep*lunarFPS)}
	err := findFields(m, map[string]*physics.Span{
		"ground": &t.ground, "body/lander": &t.lander, "awake/lander": &t.awake, "touched/lander": &t.crashed,
		"contact/leg0": &t.legs[0], "contact/leg1": &t.legs[1],
		"actuator/push": &t.push, "actuator/turbulence": &t.turbulence, "actuator/main": &t.main, "actuator/side": &t.side,
	})
	if err != nil {
		return nil, fmt.Errorf("LunarLander-v3: %w", err)
	}
	t.spec = sim.Spec{
		Name:                "LunarLander-v3",
		ObservationSize:     8,
		ObservationNames:    []string{"x", "y", "x_velocity", "y_velocity", "angle", "angular_velocity", "leg0_contact", "leg1_contact"},
		ObservationLow:      singles(-2.5, -2.5, -10, -10, -2*math.Pi, -10, 0, 0),
		ObservationHigh:     singles(2.5, 2.5, 10, 10, 2*math.Pi, 10, 1, 1),
		Float32Observations: true,
		MemorySize:          landerMemory,
		MaxSteps:            1000,
		WarmupSteps:         1,
	}
	if opt.Continuous {
		t.spec.ActionSize = 2
		t.spec.ActionLow, t.spec.ActionHigh = []float64{-1, -1}, []float64{1, 1}
		t.spec.ActionNames = []string{"main", "side"}
	} else {
		t.spec.ActionSize, t.spec.Discrete = 1, 4
		t.spec.ActionLow, t.spec.ActionHigh = []float64{0}, []float64{3}
		t.spec.ActionNames = []string{"engine"}
	}
	return t, nil
}

// Spec implements [sim.Task].
func (t *LunarLander) Spec() sim.Spec { return t.spec }

// Warnings are those of the options.
func (t *LunarLander) Warnings() []string { return t.opt.Warnings() }

// Reset shapes the moon and pushes the lander for one physics step.
func (t *LunarLander) Reset(w *sim.World) {
	r := w.Random(sim.ResetDraws)
	var heights [12]float64
	for i := range heights {
		heights[i] = lunarHeight / 2 * r.Float64()
	}
	const most = 1000 // N, along either axis
	push := [2]float64{most * (2*r.Float64() - 1), most * (2*r.Float64() - 1)}
	wind := [2]float64{windIndex(r), windIndex(r)}
	t.begin(w, newMoon(heights), push, wind)
}

func windIndex(r *rand.Rand) float64 { return float64(r.IntN(2*9999) - 9999) }

// begin writes the start of an episode: its moon, the push in newtons, and where
// the patterns of wind and turbulence begin.
func (t *LunarLander) begin(w *sim.World, m moon, push, wind [2]float64) {
	ground := t.ground.In(w.State())
	moonGround.Clear(ground)
	moonGround.Add(ground, 0.2, [2]float64{0, 0}, [2]float64{lunarWidth, 0})
	for i := range len(m) - 1 {
		moonGround.Add(ground, 0.1, [2]float64{chunk * float64(i), m[i]}, [2]float64{chunk * float64(i+1), m[i+1]})
	}
	w.Memory()[landerWind], w.Memory()[landerTurbulence] = wind[0], wind[1]
	t.blow(w)
	// Box2D adds forces up in single precision.
	force := t.push.In(w.State())
	for i := range force {
		force[i] = float64(float32(push[i]*t.steps) + float32(force[i]))
	}
}

// blow sets the force and torque of the wind for the next control step: none
// while a leg is on the ground.
func (t *LunarLander) blow(w *sim.World) {
	clear(t.push.In(w.State()))
	clear(t.turbulence.In(w.State()))
	if view := t.view(w); t.opt.EnableWind && !view.legs[0] && !view.legs[1] {
		memory := w.Memory()
		t.push.In(w.State())[0] = gust(memory[landerWind]) * t.opt.WindPower
		t.turbulence.In(w.State())[0] = gust(memory[landerTurbulence]) * t.opt.TurbulencePower
		memory[landerWind]++
		memory[landerTurbulence]++
	}
}

// Act fires the engines, whose nozzles shake.
func (t *LunarLander) Act(w *sim.World, action []float32) {
	r := w.StepRandom(sim.TaskDraws)
	dispersion := [2]float64{(2*r.Float64() - 1) / lunarScale, (2*r.Float64() - 1) / lunarScale}
	t.fire(w, action, dispersion)
}

func (t *LunarLander) fire(w *sim.World, action []float32, dispersion [2]float64) {
	t.blow(w)
	var power throttle
	if t.opt.Continuous {
		power = throttleOf(action)
	} else {
		power = throttleOfChoice(int(action[0]))
	}
	view := t.view(w)
	main, side := t.main.In(w.State()), t.side.In(w.State())
	clear(main)
	clear(side)
	if power.main > 0 {
		t.give(main, view.mainEngine(power.main, dispersion))
	}
	if power.side > 0 {
		t.give(side, view.sideEngine(power.side, power.direction, dispersion))
	}
	w.Memory()[landerMain], w.Memory()[landerSide] = power.main, power.side
}

// give writes an impulse of 1/50 s to an actuator, which repeats it in every physics
// step.
func (t *LunarLander) give(actuator []float64, p impulse) {
	actuator[0], actuator[1], actuator[2], actuator[3] = p.x/t.steps, p.y/t.steps, p.atX, p.atY
}

// view reads what is observed from a world's row.
func (t *LunarLander) view(w *sim.World) landerView {
	row := w.State()
	b := t.lander.In(row)
	return landerView{
		x: b[0], y: b[1], angle: b[2], vx: b[3], vy: b[4], omega: b[5],
		legs: [2]bool{t.legs[0].In(row)[0] != 0, t.legs[1].In(row)[0] != 0},
	}
}

// Observe is Gymnasium's state vector.
func (t *LunarLander) Observe(w *sim.World, dst []float64) {
	view := t.view(w)
	observation := view.observe()
	if w.Steps() == 0 {
		w.Memory()[landerShaping] = observation.shaping()
	}
	copy(dst, observation[:])
}

// Reward is Gymnasium's reward: the gain in shaping less the cost of the fuel.
func (t *LunarLander) Reward(w *sim.World) (reward float64, terminated bool) {
	memory, row := w.Memory(), w.State()
	view := t.view(w)
	observation := view.observe()
	power := throttle{main: memory[landerMain], side: memory[landerSide]}
	reward, terminated = observation.reward(memory[landerShaping], power, t.crashed.In(row)[0] != 0, t.awake.In(row)[0] != 0)
	memory[landerShaping] = observation.shaping()
	return reward, terminated
}
