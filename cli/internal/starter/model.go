package starter

import (
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/physics/mujoco"
	"github.com/polyrhythm-rl/polyrhythm/physics/mujoco/scene"
)

// ModelFile is a compiled model file. Close it when done. Its methods may be called from any goroutine.
type ModelFile struct {
	path         string
	allowOutside bool
	free         bool // the configuration sets the base free
	rotors       []scene.Actuators
	own          mujoco.Description // what the file has itself, without what is added to rotors
	compiled     *mujoco.Model
	d            mujoco.Description
}

// Open compiles the MJCF or URDF file at path with a floor and light where it has none. A robot on legs, wheels or rotors
// whose file does not say how its base moves gets a free one, and rotors get thrust.
func Open(path string, allowOutside bool) (*ModelFile, error) {
	m, err := compile(path, allowOutside, false, nil)
	if err != nil || !m.mayFloat() {
		return m, err
	}
	loose, err := compile(path, allowOutside, true, nil)
	if err != nil { // the first body has a joint already
		return m, nil
	}
	if rotors := (&tree{&loose.d}).findRotors(); rotors != nil {
		flying, err := compile(path, allowOutside, true, rotors)
		if err != nil {
			return nil, errors.Join(err, m.Close(), loose.Close())
		}
		flying.own = loose.d
		return flying, errors.Join(m.Close(), loose.Close())
	}
	if r := recognise(&tree{&loose.d}); r == nil || r.family != legged && r.family != wheeled {
		return m, loose.Close()
	}
	return loose, m.Close()
}

func compile(path string, allowOutside, free bool, rotors []scene.Actuators) (*ModelFile, error) {
	s := scene.Settings{Models: []scene.Model{{File: path, Free: free}}, AllowOutside: allowOutside, Actuators: rotors}
	m, err := mujoco.Compile(s, "", mujoco.Options{})
	if err != nil {
		return nil, err
	}
	d := m.Describe()
	for i := range d.Joints {
		if j := &d.Joints[i]; j.Type == "hinge" && j.Range[1]-j.Range[0] > manyTurns {
			j.Limited, j.Range = false, [2]float64{math.Inf(-1), math.Inf(1)}
		}
	}
	return &ModelFile{path, allowOutside, free, rotors, d, m, d}, nil
}

// manyTurns is the range from which on a hinge counts as one that turns on and on, rad: that of a wheel that a file, for
// want of a better type, limits by huge numbers.
const manyTurns = 16 * math.Pi

// mayFloat reports whether a robot may have legs or wheels: two chains of joints, and no link called world that holds it.
func (m *ModelFile) mayFloat() bool {
	t := &tree{&m.d}
	ends := 0
	for _, root := range m.d.Bodies[0].Children {
		ends += max(len(t.leaves(root)), min(len(m.d.Bodies[root].Joints), 1))
	}
	if m.d.Base != 0 || ends < 2 {
		return false
	}
	text, err := disk.ReadFile(m.path, disk.MaxText)
	text = regexp.MustCompile(`(?s)<!--.*?-->`).ReplaceAll(text, nil)
	return err == nil && !regexp.MustCompile(`<link\s+name\s*=\s*["']world["']`).Match(text)
}

// Close frees the compiled model.
func (m *ModelFile) Close() error { return m.compiled.Close() }

// List writes what the model has: bodies, joints, actuators, sensors and keyframes.
func (m *ModelFile) List(w io.Writer) error {
	d := &m.own
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "%s: %s kg, a physics step of %g ms\n", m.path, short(d.TotalMass), 1000*d.Timestep)
	section(t, "BODY\tMASS (kg)\tCOLLIDES BY", "bodies", d.Bodies[1:], func(b mujoco.Body) string {
		colliding := slices.DeleteFunc(slices.Clone(b.Geoms), func(g int) bool { return !d.Geoms[g].Collides() })
		depth := 0
		for parent := b.Parent; parent > 0; parent = d.Bodies[parent].Parent {
			depth++
		}
		indent := strings.Repeat("  ", depth)
		return fmt.Sprintf("%s%s\t%s\t%s", indent, b.Ref, short(b.Mass), plural(len(colliding), "geom"))
	})
	section(t, "JOINT\tTYPE\tBODY\tRANGE (rad, m)", "joints", d.Joints, func(j mujoco.Joint) string {
		return fmt.Sprintf("%s\t%s\t%s\t%s", j.Ref, j.Type, d.Bodies[j.Body].Ref, span2(j.Limited, j.Range))
	})
	section(t, "ACTUATOR\tKIND\tDRIVES\tCONTROL", "actuators", d.Actuators, func(a mujoco.Actuator) string {
		target := a.Transmission
		switch {
		case a.Target < 0:
		case ofJoint(&a):
			target = "joint " + d.Joints[a.Target].Ref
		case a.Transmission == "tendon":
			target = "tendon " + d.Tendons[a.Target].Ref
		}
		return fmt.Sprintf("%s\t%s\t%s\t%s", a.Ref, a.Kind, target, span2(a.ControlLimited, a.ControlRange))
	})
	section(t, "SENSOR\tTYPE\tAT\tVALUES", "sensors", d.Sensors, func(s mujoco.Sensor) string {
		return fmt.Sprintf("%s\t%s\t%s\t%d", s.Ref, s.Type, s.Object, s.Size)
	})
	section(t, "KEYFRAME", "keyframes", d.Keyframes, func(k mujoco.Keyframe) string { return k.Ref })
	return t.Flush()
}

// section writes a line for each of some things, or that there are none.
func section[T any](w io.Writer, header, noun string, all []T, line func(T) string) {
	if len(all) == 0 {
		fmt.Fprintf(w, "\nno %s\n", noun)
		return
	}
	fmt.Fprintf(w, "\n%s\n", header)
	for _, item := range all {
		fmt.Fprintln(w, line(item))
	}
}

// span2 formats a range of three decimals; "" without one.
func span2(limited bool, r [2]float64) string {
	if !limited {
		return ""
	}
	return fmt.Sprintf("%s to %s", number(math.Round(1000*r[0])/1000), number(math.Round(1000*r[1])/1000))
}
