package box2d

import (
	"bufio"
	"bytes"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

// A program written against Box2D's public interface alone (testdata/plain.cpp) comes to
// the same bits: bodies, flags, joints and rays, at every step.
func TestSameBitsAsAPlainProgram(t *testing.T) {
	const steps = 400
	s := lander()
	m := closing(t, s)
	sources := []string{}
	for _, b := range s.Bodies {
		for _, what := range []string{"body/", "awake/", "contact/", "touched/"} {
			sources = append(sources, what+b.Name)
		}
	}
	out := outputs(t, m, append(sources, "joint/right", "rays")...)
	stepper, rows := newStepper(t, m, 1, out), newRows(t, m, 1, out)

	var tape bytes.Buffer
	var got [][]float64
	random := rand.New(rand.NewPCG(4, 2))
	fmt.Fprintln(&tape, steps)
	for step := range steps {
		control := part(t, m, rows.Row(0), "control")
		clear(control)
		if step%3 == 0 {
			control[0], control[2] = 30*(random.Float64()-0.5), 4*(random.Float64()-0.5)
		}
		if hull := part(t, m, rows.Row(0), "body/hull"); step%5 == 0 && step < 300 && hull[1] < 5 {
			copy(control[3:], []float64{2 * (random.Float64() - 0.5), 14 * random.Float64(), hull[0] + 0.1*random.Float64(),
				hull[1]})
		}
		// the setters of 2.4.1 wake where the value changes: so it changes at every step
		control[7], control[8] = -0.3+0.1*random.Float64(), 40+random.Float64()
		for _, u := range control {
			fmt.Fprintf(&tape, "%v ", u)
		}
		mustStep(t, stepper, rows, 0, 1)
		got = append(got, append([]float64(nil), rows.Sample(0, rows.Boundary[0])...))
	}

	program := filepath.Join(t.TempDir(), "plain")
	compiler := polytest.Must(exec.Command("go", "env", "CXX").Output())(t)
	command := append(strings.Fields(string(compiler)), "-std=c++17", "-O2", "-o", program,
		filepath.Join("testdata", "plain.cpp"), "-lbox2d")
	if output, err := exec.Command(command[0], command[1:]...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", command, err, output)
	}
	run := exec.Command(program)
	run.Stdin = &tape
	output := polytest.Must(run.Output())(t)
	lines := bufio.NewScanner(bytes.NewReader(output))
	touched := false
	for step := 0; lines.Scan(); step++ {
		for i, text := range strings.Fields(lines.Text()) {
			want := polytest.Must(strconv.ParseFloat(text, 64))(t)
			if got[step][i] != want {
				t.Fatalf("step %d, value %d: %v, the plain program has %v", step, i, got[step][i], want)
			}
		}
		touched = touched || got[step][out.Probes[0].Size+2*out.Probes[1].Size] > 0
		if step == steps-1 && touched {
			return
		}
	}
	t.Errorf("the plain program printed too little, or nothing touched (%v)", touched)
}
