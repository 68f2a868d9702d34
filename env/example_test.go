package env_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"
	"testing/fstest"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// Worlds are opened by the name of their task and stepped together.
func ExampleMake() {
	envs, err := env.Make("HalfCheetah-v5", env.Options{Worlds: 64, Seed: 1})
	if err != nil {
		log.Fatal(err)
	}
	defer envs.Close()
	for range 100 {
		envs.SampleActions()
		if err := envs.Step(); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println(len(envs.Sim().Observations()), "observed values,", len(envs.Sim().Rewards()), "rewards")
	// Output: 1088 observed values, 64 rewards
}

// machine is a wall clock for the example: each frame takes 120 ms.
type machine struct{ now time.Duration }

func (m *machine) Now() time.Duration { m.now += 120 * time.Millisecond; return m.now }

// Worlds are driven by the wall clock, frame by frame: HalfCheetah-v5 takes control steps of 50 ms.
func ExampleEnv_Drive() {
	envs, err := env.Make("HalfCheetah-v5", env.Options{Worlds: 4, Seed: 1})
	if err != nil {
		log.Fatal(err)
	}
	defer envs.Close()
	settings := runners.Settings{
		Mode: runners.SimRealtime, Clock: &machine{},
		OnFreePostUpdate: func(delta time.Duration) { fmt.Println("draw a frame of", delta) },
	}
	driver, err := envs.Drive(settings, func(w *sim.Worker, b *sim.Block) error {
		envs.SampleBlock(b)
		return b.Step(w)
	})
	if err != nil {
		log.Fatal(err)
	}
	for range 4 {
		if _, err := driver.Frame(); err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%v simulated, alpha %.1f\n", time.Duration(driver.NS()), driver.Alpha(0))
	}
	// Output:
	// draw a frame of 0s
	// 0s simulated, alpha 0.0
	// draw a frame of 120ms
	// 100ms simulated, alpha 0.4
	// draw a frame of 120ms
	// 200ms simulated, alpha 0.8
	// draw a frame of 120ms
	// 350ms simulated, alpha 0.2
}

// swing keeps a pendulum moving: the reward is its speed.
type swing struct{ angle, speed physics.Span }

func newSwing(s env.Setup) (sim.Task, error) {
	angle, err := s.Model.Field("qpos")
	if err != nil {
		return nil, err
	}
	speed, err := s.Model.Field("qvel")
	return &swing{angle, speed}, err
}

func (t *swing) Spec() sim.Spec {
	return sim.Spec{Name: "Swing-v0", ObservationSize: 2, ActionSize: 1,
		ActionLow: []float64{-1}, ActionHigh: []float64{1}, MaxSteps: 100}
}
func (t *swing) Reset(w *sim.World)                 { t.angle.In(w.State())[0] = w.Random(sim.ResetDraws).Float64() }
func (t *swing) Act(w *sim.World, action []float32) { w.Control()[0] = float64(action[0]) }
func (t *swing) Observe(w *sim.World, dst []float64) {
	dst[0], dst[1] = t.angle.In(w.State())[0], t.speed.In(w.State())[0]
}
func (t *swing) Reward(w *sim.World) (reward float64, terminated bool) {
	speed := t.speed.In(w.State())[0]
	return speed * speed, false
}

// A task of one's own is registered once and then opened, recorded, learned and replayed as ours are.
func ExampleRegister() {
	env.Register(env.Task{
		Name: "Swing-v0", Model: "swing.xml", Control: "50", Substeps: 10, New: newSwing,
		Files: fstest.MapFS{"swing.xml": {Data: []byte(`<mujoco>
			<worldbody><body><joint name="hinge" axis="0 1 0"/>
			<geom type="capsule" size=".02" fromto="0 0 0 0 0 -.5"/></body></worldbody>
			<actuator><motor joint="hinge"/></actuator></mujoco>`)}}, // most programs have an embed.FS or a file
	})
	envs, err := env.Make("Swing-v0", env.Options{Worlds: 3})
	if err != nil {
		log.Fatal(err)
	}
	defer envs.Close()
	for range 100 {
		envs.SampleActions()
		if err := envs.Step(); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println(envs.Sim().Truncations(), envs.Sim().EpisodeLengths())
	// Output: [true true true] [100 100 100]
}

// A configuration's clock is resolved without a model, and worlds then open under it.
func ExampleNewPlan() {
	name, data, err := env.Preset("Hopper-v5")
	if err != nil {
		panic(err)
	}
	config, err := configs.Parse(name, data, []string{"worlds=4", "recording.enabled=false"}, nil)
	if err != nil {
		panic(err)
	}
	plan, err := env.NewPlan(config)
	if err != nil {
		panic(err)
	}
	for _, e := range plan.Schedule().Order() {
		fmt.Println(e.Phase, e.Name)
	}
	worlds, err := env.Open(config, env.OpenOptions{Plan: plan})
	if err != nil {
		panic(err)
	}
	defer worlds.Close()
	fmt.Println(worlds.Sim().Worlds(), "worlds at", plan.Schedule().ControlRate(), "Hz")
	// Output:
	// Acquisition position
	// Acquisition velocity
	// Acquisition observation
	// Acquisition latch
	// Control controller
	// Control recorder
	// Physics physics
	// 4 worlds at 125 Hz
}

// A run with a log is executed again, and every state compared.
func ExampleReplay() {
	folder, err := os.MkdirTemp("", "polyrhythm-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "run.log")
	worlds, err := env.Make("Hopper-v5", env.Options{Worlds: 2, Seed: 1, Log: path})
	if err != nil {
		panic(err)
	}
	for range 10 {
		worlds.SampleActions()
		if err := worlds.Step(); err != nil {
			panic(err)
		}
	}
	if err := worlds.Close(); err != nil {
		panic(err)
	}
	fmt.Println(env.Replay(path, 1))
	// Output: 10 <nil>
}
