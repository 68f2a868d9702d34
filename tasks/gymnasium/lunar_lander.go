package gymnasium

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/box2d/scene"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// lunarLanderOptions are the constructor arguments of Gymnasium's task.
type lunarLanderOptions struct {
	Continuous      bool    `yaml:"continuous"`       // throttles rather than choices
	Gravity         float64 `yaml:"gravity"`          // m/s², between -12 and 0
	EnableWind      bool    `yaml:"enable_wind"`      // while no leg is on the ground
	WindPower       float64 `yaml:"wind_power"`       // most force, N
	TurbulencePower float64 `yaml:"turbulence_power"` // most torque, N·m
}

var lunarLanderDefaults = lunarLanderOptions{Gravity: -10, WindPower: 15, TurbulencePower: 1.5}

// moonGround has room for a floor and the surface above it.
var moonGround = scene.Ground{MaxShapes: 1 + len(moon{}) - 1}

// lunarLanderScene is the lander on its two legs, high above a moon that each
// episode shapes. timestep is the length of a physics step in seconds.
func lunarLanderScene(opt lunarLanderOptions, timestep float64) scene.Scene {
	const x, y = viewWidth / 2, viewHeight
	s := planarScene(
		scene.Body{Name: "lander", Position: [2]float64{x, y}, Fill: landerFill, Outline: landerOutline}, 0x0010,
		[][2]float64{{-14, +17}, {-17, 0}, {-17, -10}, {+17, -10}, {+17, 0}, {+14, +17}}, opt.Gravity, timestep)
	s.Ground, s.Picture = moonGround, moonPicture()
	s.Actuators = append(s.Actuators, // the push is also that of the wind
		scene.Actuator{Name: "turbulence", Kind: scene.Torque, Target: "lander"},
		scene.Actuator{Name: "main", Kind: scene.Impulse, Target: "lander"},
		scene.Actuator{Name: "side", Kind: scene.Impulse, Target: "lander"})
	for i, side := range []float64{-1, +1} {
		name := fmt.Sprintf("leg%d", i)
		angle := side * 0.05
		s.Bodies = append(s.Bodies, limb(name, [2]float64{x - float64(side*landerLegAway), y}, angle,
			2/scale, 8/scale, landerFill, landerOutline))
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
	white, grey, yellow := scene.Color{R: 255, G: 255, B: 255}, scene.Color{R: 190, G: 190, B: 200},
		scene.Color{R: 230, G: 205, B: 20}
	p := scene.Picture{
		Width: viewWidth, Height: viewHeight,
		Soil: white, Surface: [2]scene.Color{grey, grey},
	}
	const pad = viewWidth / 10 // half its length
	for _, side := range []float64{-1, +1} {
		p.Flags = append(p.Flags, scene.Flag{X: viewWidth/2 + float64(side*pad), Y: padHeight, Height: 50 / scale,
			Color: yellow})
	}
	return p
}

// lunarLanderTask is LunarLander-v3: land on the pad, softly, upright, and with little fuel. It ends with a crash,
// beyond the viewport, or when the lander has come to rest.
type lunarLanderTask struct {
	planar
	opt                           lunarLanderOptions
	awake, turbulence, main, side physics.Span
}

// Indices into a world's memory.
const (
	landerShaping    = iota // shaping at the last control instant
	landerWind              // index in the pattern of the wind
	landerTurbulence        // and of the turbulence
	landerMain              // throttle in force
	landerSide
	landerMemory // number of values
)

// newLunarLander makes the task for a model compiled from [lunarLanderScene] with the same options and timestep.
func newLunarLander(m physics.Model, name string, timestep float64, opt lunarLanderOptions) (sim.Task, error) {
	if !(opt.Gravity > -12 && opt.Gravity < 0) {
		return nil, fmt.Errorf("%s: gravity is %v, want more than -12, below 0", name, opt.Gravity)
	}
	t := &lunarLanderTask{opt: opt}
	if err := t.bind(m, name, timestep, "lander", "leg", map[string]*physics.Span{"awake/lander": &t.awake,
		"actuator/turbulence": &t.turbulence, "actuator/main": &t.main, "actuator/side": &t.side}); err != nil {
		return nil, err
	}
	t.spec.ObservationNames = []string{"x", "y", "x_velocity", "y_velocity", "angle", "angular_velocity", "leg0_contact",
		"leg1_contact"}
	t.spec.ObservationLow = singles(-2.5, -2.5, -10, -10, -2*math.Pi, -10, 0, 0)
	t.spec.ObservationHigh = singles(2.5, 2.5, 10, 10, 2*math.Pi, 10, 1, 1)
	t.spec.ObservationSize, t.spec.MemorySize, t.spec.MaxSteps = 8, landerMemory, 1000
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

// Warnings lists the options that Gymnasium warns of but accepts.
func (t *lunarLanderTask) Warnings() (all []string) {
	for _, option := range []struct {
		name       string
		value, max float64
	}{{"wind_power", t.opt.WindPower, 20}, {"turbulence_power", t.opt.TurbulencePower, 2}} {
		if option.value < 0 || option.value > option.max {
			all = append(all, fmt.Sprintf("LunarLander-v3: %s value is recommended to be between 0.0 and %.1f, "+
				"(current value: %v)", option.name, option.max, option.value))
		}
	}
	return all
}

// Reset shapes the moon and pushes the lander for one physics step.
func (t *lunarLanderTask) Reset(w *sim.World) {
	r := w.Random(sim.ResetDraws)
	var heights [12]float64
	for i := range heights {
		heights[i] = viewHeight / 2 * r.Float64()
	}
	const most = 1000 // N, along either axis
	push := [2]float64{most * (2*r.Float64() - 1), most * (2*r.Float64() - 1)}
	wind := [2]float64{windIndex(r), windIndex(r)}
	t.begin(w, newMoon(heights), push, wind)
}

func windIndex(r *rand.Rand) float64 { return float64(r.IntN(2*9999) - 9999) }

// begin writes the start of an episode: its moon, the push in newtons, and where
// the patterns of wind and turbulence begin.
func (t *lunarLanderTask) begin(w *sim.World, m moon, push, wind [2]float64) {
	ground := t.ground.In(w.State())
	moonGround.Clear(ground)
	moonGround.Add(ground, 0.2, [2]float64{0, 0}, [2]float64{viewWidth, 0})
	for i := range len(m) - 1 {
		moonGround.Add(ground, 0.1, [2]float64{chunk * float64(i), m[i]}, [2]float64{chunk * float64(i+1), m[i+1]})
	}
	w.Memory()[landerWind], w.Memory()[landerTurbulence] = wind[0], wind[1]
	t.blow(w)
	// Box2D adds forces up in single precision.
	force := t.push.In(w.Control())
	for i := range force {
		force[i] = float64(float32(push[i]*t.steps) + float32(force[i]))
	}
}

// blow sets the force and torque of the wind for the next control step: none while a leg is on the ground.
func (t *lunarLanderTask) blow(w *sim.World) {
	clear(t.push.In(w.Control()))
	clear(t.turbulence.In(w.Control()))
	if view := t.view(w); t.opt.EnableWind && !view.feet[0] && !view.feet[1] {
		memory := w.Memory()
		t.push.In(w.Control())[0] = gust(memory[landerWind]) * t.opt.WindPower
		t.turbulence.In(w.Control())[0] = gust(memory[landerTurbulence]) * t.opt.TurbulencePower
		memory[landerWind]++
		memory[landerTurbulence]++
	}
}

// Act fires the engines, whose nozzles shake.
func (t *lunarLanderTask) Act(w *sim.World, action []float32) {
	r := w.StepRandom(sim.TaskDraws)
	dispersion := [2]float64{(2*r.Float64() - 1) / scale, (2*r.Float64() - 1) / scale}
	t.fire(w, action, dispersion)
}

func (t *lunarLanderTask) fire(w *sim.World, action []float32, dispersion [2]float64) {
	t.blow(w)
	var power throttle
	if t.opt.Continuous {
		power = newThrottle(action)
	} else {
		power = discreteThrottle(int(action[0]))
	}
	view := t.view(w)
	main, side := t.main.In(w.Control()), t.side.In(w.Control())
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

// give writes an impulse of 1/50 s to an actuator, which repeats it in every physics step.
func (t *lunarLanderTask) give(actuator []float64, p impulse) {
	actuator[0], actuator[1], actuator[2], actuator[3] = p.x/t.steps, p.y/t.steps, p.atX, p.atY
}

func (t *lunarLanderTask) view(w *sim.World) landerView { return landerView(t.planar.view(w)) }

// Observe is Gymnasium's state vector.
func (t *lunarLanderTask) Observe(w *sim.World, dst []float64) {
	view := t.view(w)
	observation := view.observe()
	if w.Steps() == 0 {
		w.Memory()[landerShaping] = observation.shaping()
	}
	copy(dst, observation[:])
}

// Reward is Gymnasium's reward: the gain in shaping less the cost of the fuel.
func (t *lunarLanderTask) Reward(w *sim.World) (reward float64, terminated bool) {
	memory, row := w.Memory(), w.ReadState()
	view := t.view(w)
	observation := view.observe()
	power := throttle{main: memory[landerMain], side: memory[landerSide]}
	reward, terminated = observation.reward(memory[landerShaping], power, row.In(t.touched).At(0) != 0,
		row.In(t.awake).At(0) != 0)
	memory[landerShaping] = observation.shaping()
	return reward, terminated
}
