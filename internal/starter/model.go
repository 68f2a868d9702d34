package starter

import (
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/polyrhythm-rl/polyrhythm/physics/mujoco"
	"github.com/polyrhythm-rl/polyrhythm/physics/mujoco/scene"
)

// Model is a compiled model file. Close it when done. Its methods may be called from any
// goroutine.
type Model struct {
	path         string
	allowOutside bool
	compiled     *mujoco.Model
	d            mujoco.Description
}

// Open compiles the MJCF or URDF file at path with a floor and light where it has none.
func Open(path string, allowOutside bool) (*Model, error) {
	m, err := mujoco.Compile(scene.Settings{Models: []scene.Model{{File: path}}, AllowOutside: allowOutside}, "", mujoco.Options{})
	if err != nil {
		return nil, err
	}
	return &Model{path, allowOutside, m, m.Describe()}, nil
}

// Close frees the compiled model.
func (m *Model) Close() error { return m.compiled.Close() }

// Configuration returns a configuration for the model, as YAML with comments, to stand
// in a folder, to which the path of the model in it is relative.
func (m *Model) Configuration(folder string) ([]byte, error) {
	file, err := filepath.Abs(m.path)
	if err != nil {
		return nil, err
	}
	if folder, err = filepath.Abs(folder); err != nil {
		return nil, err
	}
	if relative, err := filepath.Rel(folder, file); err == nil {
		file = relative
	}
	return New(&m.d, Options{File: filepath.ToSlash(file), AllowOutside: m.allowOutside, Usable: func(source string) bool {
		_, err := m.compiled.Probe(source)
		return err == nil
	}})
}

// List writes what the model has: bodies, joints, actuators, sensors and keyframes.
func (m *Model) List(w io.Writer) error {
	d := &m.d
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "%s: %s kg, a physics step of %g ms\n", m.path, short(d.TotalMass), 1000*d.Timestep)
	fmt.Fprintf(t, "\nBODY\tMASS (kg)\tCOLLIDES BY\n")
	for _, b := range d.Bodies[1:] {
		n := 0
		for _, g := range b.Geoms {
			if d.Geoms[g].Collides() {
				n++
			}
		}
		fmt.Fprintf(t, "%s%s\t%s\t%s\n", strings.Repeat("  ", m.depth(b.Parent)), b.Ref, short(b.Mass), plural(n, "geom"))
	}
	fmt.Fprintf(t, "\nJOINT\tTYPE\tBODY\tRANGE (rad, m)\n")
	for _, j := range d.Joints {
		limits := ""
		if j.Limited {
			limits = span2(j.Range)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", j.Ref, j.Type, d.Bodies[j.Body].Ref, limits)
	}
	m.listRest(t)
	return t.Flush()
}

// depth returns the number of bodies above and with b, the world apart.
func (m *Model) depth(b int) int {
	n := 0
	for ; b > 0; b = m.d.Bodies[b].Parent {
		n++
	}
	return n
}

// listRest writes actuators, sensors and keyframes.
func (m *Model) listRest(t io.Writer) {
	d := &m.d
	if len(d.Actuators) > 0 {
		fmt.Fprintf(t, "\nACTUATOR\tKIND\tDRIVES\tCONTROL\n")
	}
	for _, a := range d.Actuators {
		target, control := a.Transmission, ""
		switch {
		case a.Target < 0:
		case a.Transmission == "joint" || a.Transmission == "jointinparent":
			target = "joint " + d.Joints[a.Target].Ref
		case a.Transmission == "tendon":
			target = "tendon " + d.Tendons[a.Target].Ref
		}
		if a.ControlLimited {
			control = span2(a.ControlRange)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", a.Ref, a.Kind, target, control)
	}
	if len(d.Sensors) > 0 {
		fmt.Fprintf(t, "\nSENSOR\tTYPE\tAT\tVALUES\n")
	}
	for _, s := range d.Sensors {
		fmt.Fprintf(t, "%s\t%s\t%s\t%d\n", s.Ref, s.Type, s.Object, s.Size)
	}
	if len(d.Keyframes) > 0 {
		fmt.Fprintf(t, "\nKEYFRAME\n")
	}
	for _, k := range d.Keyframes {
		fmt.Fprintf(t, "%s\n", k.Ref)
	}
	for _, none := range []struct {
		n    int
		what string
	}{{len(d.Actuators), "actuators"}, {len(d.Sensors), "sensors"}, {len(d.Keyframes), "keyframes"}} {
		if none.n == 0 {
			fmt.Fprintf(t, "\nno %s\n", none.what)
		}
	}
}

// span2 formats a range.
func span2(r [2]float64) string {
	return fmt.Sprintf("%s to %s", number(round3(r[0])), number(round3(r[1])))
}

// round3 rounds to three decimals.
func round3(x float64) float64 { return math.Round(1000*x) / 1000 }
