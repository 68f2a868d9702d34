package env

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"

	"go.yaml.in/yaml/v3"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/mujoco"
	"github.com/polyrhythm-rl/polyrhythm/sensors"
	"github.com/polyrhythm-rl/polyrhythm/sim"
	"github.com/polyrhythm-rl/polyrhythm/tasks/motion"
	"github.com/polyrhythm-rl/polyrhythm/tasks/robot"
	"github.com/polyrhythm-rl/polyrhythm/tasks/terms"
)

// describedSubsteps is the default number of physics substeps in a control step of a described task.
const describedSubsteps = 10

// taskOf returns the task of a configuration: one that it describes, or the built-in or registered one that it names.
func taskOf(cfg *configs.Config) (Task, error) {
	named, err := findTask(cfg.Task.Name)
	if !cfg.Described() {
		if err == nil && named.New == nil {
			err = fmt.Errorf("task.name is %s, which its preset describes, want the sections of that too: "+
				"scene, actions, observations, …", named.Name)
		}
		return named, err
	}
	if err == nil && named.New != nil {
		return Task{}, fmt.Errorf("task.name is %s, which the program has itself, want another name for the "+
			"task that scene describes", cfg.Task.Name)
	}
	return Task{
		Name:     cfg.Task.Name,
		Substeps: describedSubsteps,
		open: func(s Setup) (physics.Model, error) {
			placed, err := place(cfg.Scene)
			if err != nil {
				return nil, ConfigError{Err: err}
			}
			return modelOf(mujoco.Compile(placed, "",
				mujoco.Options{Timestep: s.SubstepSeconds, Builtin: configs.Models, MJCF: s.mjcf}))
		},
		New: func(s Setup) (sim.Task, error) {
			m, ok := s.Model.(*mujoco.Model)
			if !ok {
				return nil, fmt.Errorf("the model is a %T, want one of MuJoCo", s.Model)
			}
			task, err := robot.New(cfg.Task.Name, &cfg.Settings, robotOf(m, s), s.stepOffset)
			if err != nil {
				return nil, err
			}
			return task, nil
		},
	}, nil
}

// description returns a line for the identity of a run of a described task; "" for any other.
func description(cfg *configs.Config) string {
	if !cfg.Described() {
		return ""
	}
	text, err := yaml.Marshal(cfg.Settings)
	if err == nil && cfg.Scene.Terrain.Given() { // where starts are is not in the model
		var ground []byte
		ground, err = yaml.Marshal(cfg.Scene.Terrain)
		text = append(text, ground...)
	}
	if err != nil {
		panic(err) // plain data can always be encoded
	}
	return fmt.Sprintf("task description: digest %08x", crc32.ChecksumIEEE(text))
}

// robotOf returns what the terms know of a compiled scene.
func robotOf(m *mujoco.Model, s Setup) *terms.Robot {
	d := m.Describe()
	r := &terms.Robot{Model: m, Sensors: s.Sensors, ControlSeconds: s.ControlSeconds, ControlRate: s.controlRate,
		ReadFile: configs.ReadFile,
		Ground:   m.Terrain(), Entities: d.Entities, Contacts: d.Contacts}
	for entity := range max(len(d.Entities), 1) {
		r.Trees = append(r.Trees, d.Trees(entity))
	}
	for _, b := range d.Bodies {
		r.Bodies = append(r.Bodies, terms.Part{Name: b.Ref, Body: b.Parent, Entity: b.Entity})
	}
	for _, g := range d.Geoms {
		r.Geoms = append(r.Geoms, terms.Part{Name: g.Ref, Body: g.Body, Type: g.Type, Entity: g.Entity})
	}
	for _, s := range d.Sites {
		r.Sites = append(r.Sites, terms.Part{Name: s.Ref, Body: s.Body, Entity: s.Entity})
	}
	for _, t := range d.Tendons {
		r.Tendons = append(r.Tendons, terms.Part{Name: t.Ref, Entity: t.Entity})
	}
	for _, p := range d.Pairs {
		r.Pairs = append(r.Pairs, terms.Part{Name: p.Ref})
	}
	for _, list := range []struct {
		from []mujoco.Fixture
		to   *[]terms.Part
	}{{d.Cameras, &r.Cameras}, {d.Lights, &r.Lights}, {d.Materials, &r.Materials}, {d.Textures, &r.Textures}} {
		for _, f := range list.from {
			*list.to = append(*list.to, terms.Part{Name: f.Ref, Body: f.Body, Entity: f.Entity, Follows: f.Follows,
				Sky: f.Sky})
		}
	}
	position, errPosition := m.Field("qpos")
	velocity, errVelocity := m.Field("qvel")
	if err := errors.Join(errPosition, errVelocity); err != nil {
		panic(err) // every model of MuJoCo has both
	}
	for _, j := range d.Joints {
		r.Joints = append(r.Joints, terms.Joint{
			Name: j.Ref, Type: jointTypes[j.Type], Body: j.Body, Entity: j.Entity, Low: j.Range[0], High: j.Range[1],
			Axis: j.Axis, Anchor: j.Anchor,
			Position: physics.Span{Offset: position.Offset + j.PositionAt, Len: j.PositionSize},
			Velocity: physics.Span{Offset: velocity.Offset + j.VelocityAt, Len: j.VelocitySize},
		})
	}
	for _, c := range d.Couplings {
		homes := [2]float64{d.Joints[c.Joint].Home[0]}
		if c.Driver >= 0 {
			homes[1] = d.Joints[c.Driver].Home[0]
		}
		r.Couplings = append(r.Couplings, terms.Coupling{Joint: c.Joint, Driver: c.Driver, Homes: homes,
			Polynomial: c.Polynomial})
	}
	for _, a := range d.Actuators {
		if a.ControlSize != 1 {
			continue
		}
		drives, target := -1, ""
		switch a.Transmission {
		case "joint", "jointinparent":
			drives, target = a.Target, d.Joints[a.Target].Ref
		case "tendon":
			target = d.Tendons[a.Target].Ref
		case "site":
			target = d.Sites[a.Target].Ref
		}
		r.Actuators = append(r.Actuators, terms.Actuator{
			Name: a.Ref, Kind: actuatorKinds[a.Kind], Joint: drives, Control: a.ControlAt, Entity: a.Entity,
			Transmission: a.Transmission, Target: target,
			Gear: a.Gear, Low: a.ControlRange[0], High: a.ControlRange[1],
			Motor: a.Kind == mujoco.KindDCMotor, Learned: a.Kind == mujoco.KindLearned,
		})
	}
	return r
}

// OpenRobot compiles the model of a configuration and returns what a reference motion moves in it, in its start pose.
// The caller closes the model of the result. Errors are those of [OpenModel]; a scene of Box2D is one.
func OpenRobot(ctx context.Context, cfg *configs.Config) (*motion.Robot, error) {
	p, err := NewPlan(cfg)
	if err != nil {
		return nil, err
	}
	_, setup, opened, err := openModel(ctx, cfg, p, nil)
	if err != nil {
		return nil, err
	}
	m, ok := opened.(*mujoco.Model)
	if !ok {
		err := fmt.Errorf("task %s has a scene of %s, want one of MuJoCo", cfg.Task.Name, engineOf(opened))
		return nil, errors.Join(err, opened.Close())
	}
	setup.Sensors = &sensors.Suite{} // the start pose needs no channels
	r := robotOf(m, setup)
	if err = robot.WriteStart(&cfg.Start, r); err == nil {
		var moving *motion.Robot
		if moving, err = r.MotionRobot(); err == nil {
			return moving, nil
		}
	}
	return nil, errors.Join(ConfigError{Err: err}, m.Close())
}

var jointTypes = map[string]terms.JointType{"hinge": terms.Hinge, "slide": terms.Slide, "ball": terms.Ball,
	"free": terms.Free}

var actuatorKinds = map[string]terms.ActuatorKind{
	mujoco.KindPosition: terms.PositionActuator,
	mujoco.KindDCMotor:  terms.PositionActuator,
	mujoco.KindLearned:  terms.PositionActuator,
	mujoco.KindVelocity: terms.VelocityActuator,
	mujoco.KindMotor:    terms.EffortActuator,
	mujoco.KindMuscle:   terms.MuscleActuator,
}
