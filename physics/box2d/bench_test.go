package box2d

import (
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/box2d/scene"
)

// walker is the size of Gymnasium's BipedalWalker: a hull on two legs of two parts over
// 199 edges, with ten rays.
func walker() *scene.Scene {
	part := func(name string, y, width, angle float64) scene.Body {
		return scene.Body{Name: name, Position: [2]float64{4.67, y}, Angle: angle, Fixtures: []scene.Fixture{
			{Vertices: scene.Box(width, 0.567), Density: 1, Friction: 0.2, Category: 0x20, Mask: 1},
		}}
	}
	joint := func(name, a, b string, up, lower, upper float64) scene.Revolute {
		return scene.Revolute{Name: name, BodyA: a, BodyB: b, AnchorA: [2]float64{0, up}, AnchorB: [2]float64{0, 0.567},
			Limited: true, Lower: lower, Upper: upper, Motor: true, MotorSpeed: 1, MaxMotorTorque: 80}
	}
	s := &scene.Scene{
		Gravity: [2]float64{0, -10}, Timestep: 1.0 / 50, VelocityIterations: 180, PositionIterations: 60,
		Ground: scene.Ground{MaxShapes: 199},
		Bodies: []scene.Body{{Name: "hull", Position: [2]float64{4.67, 5.6}, Fixtures: []scene.Fixture{{
			Vertices: [][2]float64{{-1, 0.3}, {0.2, 0.3}, {1.13, 0.033}, {1.13, -0.27}, {-1, -0.27}},
			Density:  5, Friction: 0.1, Category: 0x20, Mask: 1,
		}}}},
	}
	for i, side := range []string{"left", "right"} {
		angle := 0.05 * float64(2*i-1)
		s.Bodies = append(s.Bodies, part(side+"_upper", 5.3, 0.133, angle), part(side+"_lower", 4.17, 0.107, angle))
		s.Joints = append(s.Joints,
			joint(side+"_hip", "hull", side+"_upper", -0.267, -0.8, 1.1),
			joint(side+"_knee", side+"_upper", side+"_lower", -0.567, -1.6, -0.1))
	}
	for _, j := range s.Joints {
		s.Actuators = append(s.Actuators, scene.Actuator{Name: j.Name, Kind: scene.Motor, On: j.Name})
	}
	for i := range 10 {
		s.Rays = append(s.Rays, scene.Ray{Name: strconv.Itoa(i), Body: "hull", Vector: [2]float64{float64(i) * 0.5, -5}, Category: 1})
	}
	return s
}

// terrain is what an episode of the walker walks on.
func terrain(tb testing.TB, m physics.Model, s *scene.Scene, row []float64) {
	random := rand.New(rand.NewPCG(1, 2))
	ground := part(tb, m, row, "ground")
	y := 3.0
	for i := range 199 {
		x, next := 0.467*float64(i), y+0.05*(random.Float64()-0.5)
		s.Ground.Add(ground, 2.5, [2]float64{x, y}, [2]float64{x + 0.467, next})
		y = next
	}
}

// BenchmarkStep alternates short rounds of the stepper and of the bare loop on the same
// tape: 16 worlds, one substep a call, episodes of 200 steps. Times are the thread's own.
func BenchmarkStep(b *testing.B) {
	for _, c := range []struct {
		name    string
		scene   *scene.Scene
		ground  func(testing.TB, physics.Model, *scene.Scene, []float64)
		derived []string
	}{
		{"lander", lander(), hills, nil},
		{"walker", walker(), terrain, []string{"rays"}},
	} {
		b.Run(c.name, func(b *testing.B) {
			m, err := New(c.scene)
			if err != nil {
				b.Fatal(err)
			}
			defer m.Close()
			const worlds, episode, round = 16, 200, 10
			start := make([]float64, m.StateSize())
			m.InitialState(start)
			c.ground(b, m, c.scene, start)
			var out physics.Outputs
			for _, source := range c.derived {
				d, err := m.Derived(source)
				if err != nil {
					b.Fatal(err)
				}
				out.Derived = append(out.Derived, d)
			}
			stepper, err := m.NewStepper(worlds, out)
			if err != nil {
				b.Fatal(err)
			}
			defer stepper.Close()
			rows := physics.NewRows(m, worlds, out, 2)
			defer rows.Close()
			raw, err := NewBaseline(m, worlds, c.derived...)
			if err != nil {
				b.Fatal(err)
			}
			defer raw.Close()

			ids, n := make([]int32, worlds), make([]int32, worlds)
			for i := range ids {
				ids[i], n[i] = int32(i), 1
			}
			resets := make([]int32, episode*worlds)
			for i := worlds; i < len(resets); i++ {
				resets[i] = -1
			}
			nu := m.ControlSize()
			controls := make([]float64, episode*worlds*nu)
			random := rand.New(rand.NewPCG(3, 4))
			for i := range controls {
				controls[i] = 4*random.Float64() - 2
				if c.name == "lander" && i%nu >= 3 { // engine at the hull, motor as it was
					controls[i] = []float64{0, 3, 10, 4, -0.3, 40}[i%nu-3] * (0.9 + 0.2*random.Float64())
				}
			}
			var ours, bare time.Duration
			var ratios []float64
			runtime.LockOSThread() // its clock runs only while it does
			defer runtime.UnlockOSThread()
			b.ResetTimer()
			for range b.N {
				for first := 0; first < episode; first += round {
					begin := threadTime(b)
					for step := first; step < first+round; step++ {
						for id := range worlds {
							if step == 0 {
								copy(rows.Row(id), start)
							}
							copy(rows.Row(id)[:nu], controls[(step*worlds+id)*nu:])
						}
						if stepper.Step(rows, ids, n) != 0 {
							b.Fatal(stepper.FaultMessage(0))
						}
					}
					middle := threadTime(b)
					if err := raw.Run(controls[first*worlds*nu:][:round*worlds*nu], resets[first*worlds:][:round*worlds], start, 1); err != nil {
						b.Fatal(err)
					}
					our, raw := middle-begin, threadTime(b)-middle
					ours, bare = ours+our, bare+raw
					ratios = append(ratios, raw.Seconds()/our.Seconds())
				}
			}
			slices.Sort(ratios)
			steps := float64(b.N * worlds * episode)
			b.ReportMetric(ours.Seconds()/steps*1e6, "µs/step")
			b.ReportMetric(bare.Seconds()/steps*1e6, "µs/bare_step")
			b.ReportMetric(ratios[len(ratios)/2], "ratio")
		})
	}
}

// BenchmarkRebuild measures a step whose world must first be built from its row.
func BenchmarkRebuild(b *testing.B) {
	s := walker()
	m, err := New(s)
	if err != nil {
		b.Fatal(err)
	}
	defer m.Close()
	stepper, err := m.NewStepper(1, physics.Outputs{})
	if err != nil {
		b.Fatal(err)
	}
	defer stepper.Close()
	rows := physics.NewRows(m, 1, physics.Outputs{}, 2)
	defer rows.Close()
	terrain(b, m, s, rows.Row(0))
	stepper.Step(rows, []int32{0}, []int32{1})
	saved := slices.Clone(rows.Row(0))
	for b.Loop() {
		copy(rows.Row(0), saved)
		stepper.Step(rows, []int32{0}, []int32{1})
	}
}

// BenchmarkMemory reports what a stepped world takes outside Go, and its row.
func BenchmarkMemory(b *testing.B) {
	for name, s := range map[string]*scene.Scene{"lander": lander(), "walker": walker()} {
		b.Run(name, func(b *testing.B) {
			m, err := New(s)
			if err != nil {
				b.Fatal(err)
			}
			defer m.Close()
			const worlds = 1024
			stepper, err := m.NewStepper(worlds, physics.Outputs{})
			if err != nil {
				b.Fatal(err)
			}
			defer stepper.Close()
			ids, n := make([]int32, worlds), make([]int32, worlds)
			for i := range ids {
				ids[i], n[i] = int32(i), 20
			}
			for b.Loop() {
				rows := physics.NewRows(m, worlds, physics.Outputs{}, 21)
				for id := range worlds {
					map[string]func(testing.TB, physics.Model, *scene.Scene, []float64){"lander": hills, "walker": terrain}[name](b, m, s, rows.Row(id))
				}
				before := resident(b)
				stepper.Step(rows, ids, n)
				b.ReportMetric(float64(resident(b)-before)/worlds/1024, "KiB/world")
				b.ReportMetric(float64(8*m.StateSize())/1024, "KiB/row")
				rows.Close()
			}
		})
	}
}

// threadTime returns the processor time that this thread has had.
func threadTime(tb testing.TB) time.Duration {
	var spec syscall.Timespec
	const threadClock = 3 // CLOCK_THREAD_CPUTIME_ID
	if _, _, err := syscall.Syscall(syscall.SYS_CLOCK_GETTIME, threadClock, uintptr(unsafe.Pointer(&spec)), 0); err != 0 {
		tb.Fatal(err)
	}
	return time.Duration(spec.Nano())
}

// resident returns the memory of this process that is in use, in bytes.
func resident(tb testing.TB) int {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		tb.Skip(err)
	}
	pages, err := strconv.Atoi(strings.Fields(string(text))[1])
	if err != nil {
		tb.Fatal(fmt.Errorf("statm: %w", err))
	}
	return pages * os.Getpagesize()
}
