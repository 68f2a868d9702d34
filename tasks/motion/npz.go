package motion

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"slices"
	"strings"

	"github.com/polyrhythm-rl/polyrhythm/runners"
)

// The arrays of an NPZ file. fps and the names are optional; without fps the rate is [DefaultRate].
const (
	fpsArray    = "fps"
	jointsArray = "joint_names"
	bodiesArray = "body_names"
)

// mostNames is the largest size of an array that is not of frames, bytes.
const mostNames = 1 << 20

// DefaultRate is that of an NPZ file that does not say its own; it is what mjlab takes all of them to have.
var DefaultRate = runners.Hz(50)

// dataArrays are the arrays of frames, in the order of mjlab, with the number of values of each joint or body.
var dataArrays = []struct {
	name string
	size int // size of the last of three dimensions; 0: the array has two
	in   func(c *Clip) *[]float64
}{
	{"joint_pos", 0, func(c *Clip) *[]float64 { return &c.JointPos }},
	{"joint_vel", 0, func(c *Clip) *[]float64 { return &c.JointVel }},
	{"body_pos_w", 3, func(c *Clip) *[]float64 { return &c.BodyPos }},
	{"body_quat_w", 4, func(c *Clip) *[]float64 { return &c.BodyQuat }},
	{"body_lin_vel_w", 3, func(c *Clip) *[]float64 { return &c.BodyLinVel }},
	{"body_ang_vel_w", 3, func(c *Clip) *[]float64 { return &c.BodyAngVel }},
}

// ReadNPZ reads a clip from the contents of a file, as NumPy's savez and [Clip.WriteNPZ] write them.
func ReadNPZ(data []byte) (*Clip, error) {
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, fmt.Errorf("no NPZ file, or a torn one: %w", err)
	}
	arrays := map[string]*array{}
	var names []string
	all := int64(0)
	for _, f := range z.File {
		name := strings.TrimSuffix(f.Name, ".npy")
		known, frames := slices.Contains([]string{fpsArray, jointsArray, bodiesArray}, name), false
		for _, d := range dataArrays {
			frames = frames || d.name == name
		}
		names = append(names, name)
		if !known && !frames {
			continue
		}
		if arrays[name] != nil {
			return nil, fmt.Errorf("array %s is there twice", name)
		}
		allowed := func(shape []int, bytes int64) error {
			if all += bytes; all > MaxBytes {
				return fmt.Errorf("%d bytes with the arrays before it, want at most %d", all, MaxBytes)
			}
			switch {
			case frames && len(shape) > 0:
				return checkFrames(shape[0])
			case !frames && bytes > mostNames:
				return fmt.Errorf("%d bytes, want at most %d", bytes, mostNames)
			}
			return nil
		}
		if arrays[name], err = readMember(f, allowed); err != nil {
			return nil, fmt.Errorf("array %s: %w", name, err)
		}
	}
	c := &Clip{Rate: DefaultRate}
	if err := c.fill(arrays, names); err != nil {
		return nil, err
	}
	return c, c.check()
}

// readMember reads an array of an NPZ file, whose checksum must be right.
func readMember(f *zip.File, allowed func(shape []int, bytes int64) error) (a *array, err error) {
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	if a, err = readNPY(r, allowed); err != nil {
		return nil, err
	}
	if _, err := r.Read(make([]byte, 1)); err != io.EOF { // where the checksum is compared
		return nil, fmt.Errorf("torn: %w", err)
	}
	return a, nil
}

// fill takes the arrays of a file, whose shapes must agree.
func (c *Clip) fill(arrays map[string]*array, names []string) error {
	for _, d := range dataArrays {
		a := arrays[d.name]
		if a == nil {
			return fmt.Errorf("no array %s, only %s", d.name, nameList(names))
		}
		shape := slices.Clone(a.shape)
		if d.size > 0 && len(shape) == 3 && shape[2] == d.size {
			shape = shape[:2]
		}
		if a.numbers == nil || len(shape) != 2 {
			want := "(frames, joints)"
			if d.size > 0 {
				want = fmt.Sprintf("(frames, bodies, %d)", d.size)
			}
			return fmt.Errorf("array %s has the shape %v, want numbers of %s", d.name, a.shape, want)
		}
		like := arrays["joint_pos"].shape
		if d.size > 0 {
			like = arrays["body_pos_w"].shape
		}
		if shape[0] != arrays["joint_pos"].shape[0] || shape[1] != like[1] {
			return fmt.Errorf("array %s has the shape %v beside joint_pos with %v and body_pos_w with %v, want as many "+
				"frames, joints and bodies", d.name, a.shape, arrays["joint_pos"].shape, arrays["body_pos_w"].shape)
		}
		*d.in(c) = a.numbers
	}
	c.Frames = arrays["joint_pos"].shape[0]
	if a := arrays[fpsArray]; a != nil {
		if len(a.numbers) != 1 {
			return fmt.Errorf("array fps has the shape %v, want one number", a.shape)
		}
		var err error
		if c.Rate, err = NearestRate(a.numbers[0]); err != nil {
			return fmt.Errorf("array fps: %w", err)
		}
	}
	for _, n := range []struct {
		array string
		count int
		in    *[]string
	}{
		{jointsArray, arrays["joint_pos"].shape[1], &c.Joints},
		{bodiesArray, arrays["body_pos_w"].shape[1], &c.Bodies},
	} {
		if a := arrays[n.array]; a != nil {
			if a.texts == nil || len(a.texts) != n.count {
				return fmt.Errorf("array %s has the shape %v, want %d names", n.array, a.shape, n.count)
			}
			*n.in = a.texts
		}
	}
	return nil
}

// check returns an error unless the values are those of a motion.
func (c *Clip) check() error {
	if err := checkFrames(c.Frames); err != nil {
		return err
	}
	if len(c.BodyQuat) == 0 {
		return fmt.Errorf("no bodies, want at least one")
	}
	for _, d := range dataArrays {
		values := *d.in(c)
		for i, x := range values {
			if !(math.Abs(x) <= maxValue) {
				return fmt.Errorf("array %s has the value %v in frame %d, want numbers of at most %g", d.name, x,
					i*c.Frames/len(values), maxValue)
			}
		}
	}
	for i := 0; i < len(c.BodyQuat); i += 4 {
		if err := checkQuaternion(c.BodyQuat[i : i+4]); err != nil {
			return fmt.Errorf("array body_quat_w in frame %d: %w", i*c.Frames/len(c.BodyQuat), err)
		}
	}
	return nil
}

func checkFrames(n int) error {
	if n < 2 || n > MaxFrames {
		return fmt.Errorf("%d frames, want 2 to %d", n, MaxFrames)
	}
	return nil
}

// maxValue is the largest size of a value of a motion.
const maxValue = 1e6

// checkQuaternion returns an error unless a quaternion has the length 1, up to a hundredth.
func checkQuaternion(q []float64) error {
	length := math.Sqrt(q[0]*q[0] + q[1]*q[1] + q[2]*q[2] + q[3]*q[3])
	if !(math.Abs(length-1) <= 0.01) {
		return fmt.Errorf("the quaternion %v has the length %.4g, want 1", q, length)
	}
	return nil
}

// NearestRate returns the rate with the smallest denominator that is a number of hertz as a double: 30000/1001 for
// 29.97002997002997.
func NearestRate(hz float64) (runners.Rate, error) {
	if !(hz >= 1e-3 && hz <= 1e6) {
		return runners.Rate{}, fmt.Errorf("%v Hz, want 0.001 to 1,000,000", hz)
	}
	// The convergents of the continued fraction; the exact number is the last of them.
	rest := new(big.Rat).SetFloat64(hz)
	n0, d0, n1, d1 := big.NewInt(0), big.NewInt(1), big.NewInt(1), big.NewInt(0)
	for {
		whole := new(big.Int).Div(rest.Num(), rest.Denom())
		n0, n1 = n1, new(big.Int).Add(new(big.Int).Mul(whole, n1), n0)
		d0, d1 = d1, new(big.Int).Add(new(big.Int).Mul(whole, d1), d0)
		if value, _ := new(big.Rat).SetFrac(n1, d1).Float64(); value == hz {
			break
		}
		rest.Inv(rest.Sub(rest, new(big.Rat).SetInt(whole)))
	}
	if !n1.IsInt64() || !d1.IsInt64() {
		return runners.Rate{}, fmt.Errorf("%v Hz, want a rate such as 50 or 30000/1001", hz)
	}
	return runners.NewRate(n1.Int64(), d1.Int64())
}

// WriteNPZ writes the clip as NumPy's savez does, in doubles. The bytes depend on the clip alone.
func (c *Clip) WriteNPZ(w io.Writer) error {
	z := zip.NewWriter(w)
	write := func(name string, a *array) error {
		f, err := z.CreateHeader(&zip.FileHeader{Name: name + ".npy", Method: zip.Store})
		if err == nil {
			_, err = f.Write(appendNPY(nil, a))
		}
		return err
	}
	hz := float64(c.Rate.Num()) / float64(c.Rate.Den())
	errs := []error{write(fpsArray, &array{shape: []int{1}, numbers: []float64{hz}})}
	for _, d := range dataArrays {
		values := *d.in(c)
		shape := []int{c.Frames, len(values) / c.Frames}
		if d.size > 0 {
			shape = []int{c.Frames, c.BodyCount(), d.size}
		}
		errs = append(errs, write(d.name, &array{shape: shape, numbers: values}))
	}
	for _, n := range []struct {
		name  string
		texts []string
	}{{jointsArray, c.Joints}, {bodiesArray, c.Bodies}} {
		if n.texts != nil {
			errs = append(errs, write(n.name, &array{shape: []int{len(n.texts)}, texts: n.texts}))
		}
	}
	return errors.Join(append(errs, z.Close())...)
}
