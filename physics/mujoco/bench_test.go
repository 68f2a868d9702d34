package mujoco

import (
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/physics"
)

// BenchmarkAgainstRaw steps the same worlds through the same controls with a
// stepper and with the bare C loop, on one thread, in short rounds by turns,
// and reports the median ratio of their speeds: 1 would be no cost at all.
func BenchmarkAgainstRaw(b *testing.B) {
	for _, c := range []struct {
		name, path string
		substeps   int
		sources    []string
	}{
		{"half_cheetah", cheetah, 5, []string{"qpos", "qvel"}},
		{"half_cheetah_bare", cheetah, 5, nil},
		{"hopper_light", hopper, 10, light},
		{"hopper_full", hopper, 10, full},
	} {
		b.Run(c.name, func(b *testing.B) {
			if _, err := os.Stat(c.path); err != nil {
				b.Skip("the set-up has not fetched it: ", err)
			}
			againstRaw(b, c.path, c.substeps, c.sources)
		})
	}
}

func againstRaw(b *testing.B, path string, substeps int, sources []string) {
	const worlds, steps = 16, 10 // a round is some ten milliseconds
	m := open(b, path, Options{})
	ps := probes(b, m, sources...)
	s := stepper(b, m, worlds, ps)
	raw := bareLoop(b, m, worlds)

	// every round plays the same tape from the same state
	random := rand.New(rand.NewPCG(1, 2))
	nu := m.ControlSize()
	tape := make([]float64, steps*worlds*nu)
	for i := range tape {
		tape[i] = 2*random.Float64() - 1
	}
	start := make([]float64, m.StateSize())
	m.InitialState(start)
	resets := slices.Repeat([]int32{-1}, steps*worlds)
	clear(resets[:worlds])

	rows := physics.NewRows(m, worlds, ps, substeps+1)
	control, _ := m.Field("control")
	ids, n := make([]int32, worlds), make([]int32, worlds)
	for i := range ids {
		ids[i], n[i] = int32(i), int32(substeps)
	}
	ours := func() {
		for id := range worlds {
			copy(rows.Row(id), start)
		}
		faults := s.Forward(rows, ids)
		for step := range steps {
			for id := range worlds {
				copy(control.In(rows.Row(id)), tape[(step*worlds+id)*nu:])
			}
			faults += s.Step(rows, ids, n)
		}
		if faults != 0 {
			b.Fatal("a world faulted")
		}
	}

	b.ReportAllocs()
	var ratios []float64
	var rawTime, ourTime time.Duration
	for b.Loop() {
		t0 := time.Now()
		if err := raw.Run(tape, resets, start, substeps); err != nil {
			b.Fatal(err)
		}
		t1 := time.Now()
		ours()
		t2 := time.Now()
		rawTime, ourTime = rawTime+t1.Sub(t0), ourTime+t2.Sub(t1)
		ratios = append(ratios, float64(t1.Sub(t0))/float64(t2.Sub(t1)))
	}
	slices.Sort(ratios)
	substepsDone := float64(len(ratios) * steps * worlds * substeps)
	b.ReportMetric(ratios[len(ratios)/2], "ratio")
	b.ReportMetric(substepsDone/ourTime.Seconds(), "substeps/s")
	b.ReportMetric(substepsDone/rawTime.Seconds(), "raw-substeps/s")
}
