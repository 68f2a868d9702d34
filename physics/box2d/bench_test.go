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

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/box2d/scene"
)

// walker is the size of Gymnasium's BipedalWalker: a hull on two legs of two parts over 199 edges, with ten rays.
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
		s.Actuators = append(s.Actuators, scene.Actuator{Name: j.Name, Kind: scene.Motor, Target: j.Name})
	}
	for i := range 10 {
		s.Rays = append(s.Rays, scene.Ray{Name: strconv.Itoa(i), Body: "hull", Vector: [2]float64{float64(i) * 0.5, -5},
			Category: 1})
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

// BenchmarkRebuild measures a step whose world must first be built from its row.
func BenchmarkRebuild(b *testing.B) {
	s := walker()
	m := polytest.Must(New(s))(b)
	defer m.Close()
	stepper := polytest.Must(m.NewStepper(1, physics.Outputs{}))(b)
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

// BenchmarkWorlds reports what many worlds cost: memory outside Go for each, its row, and the
// time of the thread for a step. Each pass steps every world once, as programs do that wait for
// all of them, 16 worlds a call; so what a step touches comes from the cache that holds them all.
func BenchmarkWorlds(b *testing.B) {
	grounds := map[string]func(testing.TB, physics.Model, *scene.Scene, []float64){"lander": hills, "walker": terrain}
	for name, s := range map[string]*scene.Scene{"lander": lander(), "walker": walker()} {
		for _, worlds := range []int{16, 64, 256, 1024, 4096} {
			b.Run(fmt.Sprintf("%s/%d", name, worlds), func(b *testing.B) {
				m := polytest.Must(New(s))(b)
				defer m.Close()
				stepper := polytest.Must(m.NewStepper(16, physics.Outputs{}))(b)
				defer stepper.Close()
				ids, n := make([]int32, 16), slices.Repeat([]int32{1}, 16)
				for i := range ids {
					ids[i] = int32(i)
				}
				blocks := make([]*physics.Rows, worlds/16)
				for i := range blocks {
					blocks[i] = physics.NewRows(m, 16, physics.Outputs{}, 2)
					defer blocks[i].Close()
					for id := range 16 {
						grounds[name](b, m, s, blocks[i].Row(id))
					}
				}
				before := resident(b)
				pass := func() {
					for _, rows := range blocks {
						if stepper.Step(rows, ids, n) != 0 {
							b.Fatal(stepper.FaultMessage(0))
						}
					}
				}
				for range 20 {
					pass()
				}
				each := float64(resident(b)-before) / float64(worlds) / 1024
				runtime.LockOSThread() // its clock runs only while it does
				defer runtime.UnlockOSThread()
				begin, passes := threadTime(b), 0
				for b.Loop() {
					pass()
					passes++
				}
				b.ReportMetric((threadTime(b)-begin).Seconds()*1e6/float64(passes*worlds), "µs/step")
				b.ReportMetric(each, "KiB/world")
				b.ReportMetric(float64(8*m.StateSize())/1024, "KiB/row")
			})
		}
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
