package physics_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/pointmass"
)

func TestCheckTape(t *testing.T) {
	m := pointmass.New(0.01)
	const worlds, steps = 3, 4
	controls := make([]float64, steps*worlds*m.ControlSize())
	rows := make([]float64, 2*m.StateSize())
	resets := make([]int32, steps*worlds)
	resets[1], resets[2] = 1, -1
	polytest.Equal(t, physics.CheckTape(m, worlds, controls, resets, rows), steps, "steps")
	polytest.Equal(t, physics.CheckTape(m, worlds, controls, nil, nil), steps, "steps without resets")

	wrong := func(place int, row int32) []int32 {
		r := append([]int32(nil), resets...)
		r[place] = row
		return r
	}
	for want, call := range map[string]func(){
		"want a multiple of 6":    func() { physics.CheckTape(m, worlds, controls[1:], resets, rows) },
		"want a multiple of 0":    func() { physics.CheckTape(m, 0, controls, resets, rows) },
		"11 resets for 4 steps":   func() { physics.CheckTape(m, worlds, controls, resets[1:], rows) },
		"resets[5] is row 2":      func() { physics.CheckTape(m, worlds, controls, wrong(5, 2), rows) },
		"resets[0] is row -2":     func() { physics.CheckTape(m, worlds, controls, wrong(0, -2), rows) },
		"want -1 or one of 0 row": func() { physics.CheckTape(m, worlds, controls, resets, nil) },
	} {
		t.Run(want, func(t *testing.T) {
			defer func() {
				if got := fmt.Sprint(recover()); !strings.Contains(got, want) {
					t.Errorf("panic is %q, want %q", got, want)
				}
			}()
			call()
		})
	}
}
