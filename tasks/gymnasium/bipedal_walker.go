package gymnasium

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/box2d/scene"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// bipedalWalkerOptions are the constructor arguments of Gymnasium's task.
type bipedalWalkerOptions struct {
	Hardcore bool `yaml:"hardcore"` // stumps, pits and stairs on the way
}

// ground has room for the terrain.
func (o bipedalWalkerOptions) ground() scene.Ground {
	const edges = walkerTerrainLength - 1
	if o.Hardcore {
		return scene.Ground{MaxShapes: edges + maxBoxes, MaxVertices: 4}
	}
	return scene.Ground{MaxShapes: edges}
}

// walkerContacts is room for every pair of shapes whose boxes may overlap: a part of the walker spans at most 8
// points of the ground, and as many obstacles are never near.
const walkerContacts = 5 * 16

// A half of the walker's leg, and how far the hips lie below the hull's origin, m.
const (
	walkerLegWidth  = 8 / scale
	walkerLegHeight = 34 / scale
	walkerLegDown   = -8 / scale
)

// bipedalWalkerScene is a hull on two legs of two parts each, above a terrain
// that each episode shapes. timestep is the length of a physics step in seconds.
func bipedalWalkerScene(opt bipedalWalkerOptions, timestep float64) scene.Scene {
	const (
		torque = walkerTorque
		height = float64(walkerLegHeight)
		down   = float64(walkerLegDown)
		x      = float64(terrainStep) * terrainStartPad / 2
	)
	y := float64(terrainHeight) + 2*height
	s := planarScene(scene.Body{
		Name: "hull", Position: [2]float64{x, y},
		Fill: scene.Color{R: 127, G: 51, B: 229}, Outline: scene.Color{R: 76, G: 76, B: 127},
	}, 0x0020, [][2]float64{{-30, +9}, {+6, +9}, {+34, +1}, {+34, -8}, {-30, -8}}, -10, timestep)
	s.Ground, s.MaxContacts, s.Picture = opt.ground(), walkerContacts, walkerPicture()
	for i, side := range []float64{-1, +1} {
		upper, lower := fmt.Sprintf("leg%d", i), fmt.Sprintf("foot%d", i)
		hip, knee := fmt.Sprintf("hip%d", i), fmt.Sprintf("knee%d", i)
		angle, dark := side*0.05, uint8(50*i) // the far leg is darker
		s.Bodies = append(s.Bodies,
			walkerLimb(upper, [2]float64{x, y - height/2 - down}, angle, walkerLegWidth, dark),
			walkerLimb(lower, [2]float64{x, y - height*3/2 - down}, angle, 0.8*walkerLegWidth, dark))
		s.Joints = append(s.Joints,
			scene.Revolute{
				Name: hip, BodyA: "hull", BodyB: upper,
				AnchorA: [2]float64{0, down}, AnchorB: [2]float64{0, height / 2},
				ReferenceAngle: angle,
				Motor:          true, MotorSpeed: side, MaxMotorTorque: torque,
				Limited: true, Lower: -0.8, Upper: 1.1,
			},
			scene.Revolute{
				Name: knee, BodyA: upper, BodyB: lower,
				AnchorA: [2]float64{0, -height / 2}, AnchorB: [2]float64{0, height / 2},
				Motor: true, MotorSpeed: 1, MaxMotorTorque: torque,
				Limited: true, Lower: -1.6, Upper: -0.1,
			})
		for _, joint := range []string{hip, knee} {
			s.Actuators = append(s.Actuators, scene.Actuator{Name: joint, Kind: scene.Motor, Target: joint})
		}
	}
	for i := range walkerRays {
		angle := float64(1.5*float64(i)) / walkerRays // from straight down to almost ahead
		s.Rays = append(s.Rays, scene.Ray{
			Name: fmt.Sprintf("lidar%d", i), Body: "hull", Category: 0x0001,
			Vector: [2]float64{math.Sin(angle) * walkerRayRange, -math.Cos(angle) * walkerRayRange},
		})
	}
	return s
}

// walkerLimb returns one of the two parts of a leg. dark makes its colours darker.
func walkerLimb(name string, position [2]float64, angle, width float64, dark uint8) scene.Body {
	return limb(name, position, angle, width/2, float64(walkerLegHeight)/2,
		scene.Color{R: 178 - dark, G: 101 - dark, B: 152 - dark}, scene.Color{R: 127 - dark, G: 76 - dark, B: 101 - dark})
}

// walkerPicture is grass under a bright sky, with a flag at the start; the view follows the hull.
func walkerPicture() scene.Picture {
	return scene.Picture{
		Width: viewWidth, Height: viewHeight,
		Follow: "hull", FollowX: viewWidth / 5,
		Sky:     scene.Color{R: 215, G: 225, B: 255},
		Soil:    scene.Color{R: 102, G: 153, B: 76},
		Surface: [2]scene.Color{{G: 204}, {R: 60, G: 150, B: 40}},
		Rock:    scene.Color{R: 225, G: 225, B: 225},
		Flags: []scene.Flag{{X: 3 * terrainStep, Y: terrainHeight, Height: 50 / scale,
			Color: scene.Color{R: 230, G: 51}}},
	}
}

// bipedalWalkerTask is BipedalWalker-v3, or BipedalWalkerHardcore-v3: walk to the far
// end of rough ground, with little torque. It ends with a fall or at the far end.
type bipedalWalkerTask struct {
	planar
	opt    bipedalWalkerOptions
	motors [4]physics.Span
}

// Indices into a world's memory.
const (
	walkerShaping = iota // shaping at the last control instant
	walkerMemory         // number of values
)

// newBipedalWalker makes the task for a model compiled from [bipedalWalkerScene] with
// the same options and timestep. BipedalWalkerHardcore-v3 allows more time.
func newBipedalWalker(m physics.Model, name string, timestep float64, opt bipedalWalkerOptions) (sim.Task, error) {
	maxSteps := int64(1600)
	if name == "BipedalWalkerHardcore-v3" {
		maxSteps = 2000
	}
	t := &bipedalWalkerTask{opt: opt}
	if err := t.bind(m, name, timestep, "hull", "foot", map[string]*physics.Span{
		"actuator/hip0": &t.motors[0], "actuator/knee0": &t.motors[1],
		"actuator/hip1": &t.motors[2], "actuator/knee1": &t.motors[3],
	}); err != nil {
		return nil, err
	}
	t.room = opt.ground()
	leg := []float64{math.Pi, 5, math.Pi, 5, 5}
	high := singles(slices.Concat([]float64{math.Pi, 5, 5, 5}, leg, leg, slices.Repeat([]float64{1}, walkerRays))...)
	low := make([]float64, len(high))
	for i := range low {
		low[i] = -high[i]
	}
	low[8], low[13] = 0, 0 // contacts
	t.spec.ObservationNames = []string{
		"hull_angle", "hull_angular_velocity", "x_velocity", "y_velocity",
		"hip0_angle", "hip0_speed", "knee0_angle", "knee0_speed", "foot0_contact",
		"hip1_angle", "hip1_speed", "knee1_angle", "knee1_speed", "foot1_contact",
		"lidar0", "lidar1", "lidar2", "lidar3", "lidar4", "lidar5", "lidar6", "lidar7", "lidar8", "lidar9",
	}
	t.spec.ObservationLow, t.spec.ObservationHigh = low, high
	t.spec.ActionSize, t.spec.ActionNames = 4, []string{"hip0", "knee0", "hip1", "knee1"}
	t.spec.ActionLow, t.spec.ActionHigh = []float64{-1, -1, -1, -1}, []float64{1, 1, 1, 1}
	t.spec.ObservationSize, t.spec.MemorySize, t.spec.MaxSteps = len(high), walkerMemory, maxSteps
	t.spec.Derived = []string{"joint/hip0", "joint/knee0", "joint/hip1", "joint/knee1", "rays"}
	return t, nil
}

// random draws a terrain from a world's stream.
type random struct{ *rand.Rand }

func (r random) uniform(low, high float64) float64 { return low + float64((high-low)*r.Float64()) }
func (r random) integer(low, high int) int         { return low + r.IntN(high-low) }

// Reset lays the terrain and pushes the hull for one physics step.
func (t *bipedalWalkerTask) Reset(w *sim.World) {
	r := random{w.Random(sim.ResetDraws)}
	var terrain walkerTerrain
	terrain.generate(r, t.opt.Hardcore)
	t.begin(w, &terrain, r.uniform(-5, 5))
}

// begin writes the start of an episode: its terrain and the push in newtons.
// The motors are off until the first action.
func (t *bipedalWalkerTask) begin(w *sim.World, terrain *walkerTerrain, push float64) {
	const friction = 2.5
	row := w.State()
	ground := t.ground.In(row)
	t.room.Clear(ground)
	for _, b := range terrain.boxes[:terrain.n] {
		t.room.Add(ground, friction,
			[2]float64{b.left, b.bottom}, [2]float64{b.right, b.bottom}, [2]float64{b.right, b.top}, [2]float64{b.left, b.top})
	}
	for i := range walkerTerrainLength - 1 {
		t.room.Add(ground, friction,
			[2]float64{float64(i) * terrainStep, terrain.y[i]}, [2]float64{float64(i+1) * terrainStep, terrain.y[i+1]})
	}
	clear(w.Control())
	t.push.In(w.Control())[0] = push * t.steps
}

// Act drives each motor at full speed in the direction of its action, with a torque up to the action's size.
func (t *bipedalWalkerTask) Act(w *sim.World, action []float32) {
	clear(t.push.In(w.Control()))
	for i, a := range action {
		motor, v := t.motors[i].In(w.Control()), float64(a)
		motor[0] = walkerMotorSpeed[i] * sign(v)
		motor[1] = walkerTorque * min(math.Abs(v), 1)
	}
}

// view reads what is observed from a world's row and the engine.
func (t *bipedalWalkerTask) view(w *sim.World) walkerView {
	derived := w.Derived()
	v := walkerView{planarView: t.planar.view(w), rays: derived[2*len(t.motors):]}
	for i := range v.joint {
		v.joint[i], v.speed[i] = derived[2*i], derived[2*i+1]
	}
	return v
}

// Observe is Gymnasium's state vector: the hull, the legs, and ten rays.
func (t *bipedalWalkerTask) Observe(w *sim.World, dst []float64) {
	view := t.view(w)
	if w.Steps() == 0 {
		w.Memory()[walkerShaping] = view.shaping()
	}
	view.observe(dst)
}

// Reward is Gymnasium's reward: the distance covered, less the cost of the torques.
func (t *bipedalWalkerTask) Reward(w *sim.World) (reward float64, terminated bool) {
	view := t.view(w)
	action, _, _ := w.Action()
	reward, terminated = view.reward(w.Memory()[walkerShaping], action, w.ReadState().In(t.touched).At(0) != 0)
	w.Memory()[walkerShaping] = view.shaping()
	return reward, terminated
}
