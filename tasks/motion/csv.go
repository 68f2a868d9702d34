package motion

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/runners"
)

// baseColumns are the first columns of a CSV file, of a robot that moves freely: mind the order of the quaternion.
var baseColumns = []string{"x", "y", "z", "qx", "qy", "qz", "qw"}

// readCSV reads a track from the contents of a CSV file: in each line the pose of the base, as x, y, z in m and the
// quaternion x y z w, and the positions of the joints in rad or m, in the order of the robot. A first line of names
// says another order of the joints.
func readCSV(data []byte, r *Robot, rate runners.Rate) (*Track, error) {
	lines := csv.NewReader(disk.Unmarked(bytes.NewReader(data)))
	lines.FieldsPerRecord, lines.ReuseRecord, lines.TrimLeadingSpace = -1, true, true
	t := &Track{Rate: rate}
	base := 0
	if r.Free() {
		base, t.Base = len(baseColumns), []float64{}
	}
	order, _ := match("joint", nil, len(r.Joints), r.jointNames())
	for {
		fields, err := lines.Read()
		if errors.Is(err, io.EOF) {
			return t, nil
		}
		if err != nil {
			return nil, err
		}
		number, _ := lines.FieldPos(0)
		if _, err := strconv.ParseFloat(fields[0], 64); err != nil && t.Rows == 0 && number == 1 {
			if order, err = readHeader(fields, base, r); err != nil {
				return nil, err
			}
			continue
		}
		if len(fields) != base+len(r.Joints) {
			return nil, fmt.Errorf("line %d has %d values, want %d: %d of the base and %d joints", number, len(fields),
				base+len(r.Joints), base, len(r.Joints))
		}
		if t.Rows++; t.Rows > MaxFrames {
			return nil, fmt.Errorf("over %d lines, want at most that", MaxFrames)
		}
		values := make([]float64, len(fields))
		for i, text := range fields {
			if values[i], err = strconv.ParseFloat(text, 64); err != nil || !(math.Abs(values[i]) <= maxValue) {
				return nil, fmt.Errorf("line %d has %.40q, want numbers of at most %g", number, text, maxValue)
			}
		}
		if base > 0 {
			q := []float64{values[6], values[3], values[4], values[5]}
			if err := checkQuaternion(q); err != nil {
				return nil, fmt.Errorf("line %d: %w", number, err)
			}
			unit := unitQuaternion(q)
			t.Base = append(append(t.Base, values[:3]...), unit[:]...)
		}
		for _, i := range order {
			t.Joints = append(t.Joints, values[base+i])
		}
	}
}

// readHeader returns for each joint of the robot its column after those of the base.
func readHeader(fields []string, base int, r *Robot) (order []int, err error) {
	if len(fields) < base || strings.Join(fields[:base], ",") != strings.Join(baseColumns[:base], ",") {
		return nil, fmt.Errorf("line 1 has the names %.80q, want %s first", fields[:min(base, len(fields))],
			strings.Join(baseColumns, ", "))
	}
	return match("joint", append([]string{}, fields[base:]...), len(fields)-base, r.jointNames())
}

// WriteCSV writes the clip as a CSV file with a first line of names: the pose of the base, unless it is fixed to the
// world, and the joints, in the shortest digits that float32 needs. What follows from these, bodies and velocities, is
// left out.
func (c *Clip) WriteCSV(w io.Writer, fixed bool) error {
	names := slices.Concat(baseColumns, c.Joints)
	first := 0
	if fixed {
		first = len(baseColumns)
	}
	out := csv.NewWriter(w)
	err := out.Write(names[first:])
	for k := 0; k < c.Frames && err == nil; k++ {
		p, q, _, _ := c.Body(k, 0)
		joints, _ := c.Joint(k)
		fields := make([]string, 0, len(names))
		for _, x := range slices.Concat(p, q[1:], q[:1], joints) {
			fields = append(fields, strconv.FormatFloat(x, 'g', -1, 32))
		}
		err = out.Write(fields[first:])
	}
	out.Flush()
	return cmp.Or(err, out.Error())
}

// unitQuaternion returns a quaternion with the length 1.
func unitQuaternion(q []float64) [4]float64 {
	length := math.Sqrt(float64(q[0]*q[0]) + float64(q[1]*q[1]) + float64(q[2]*q[2]) + float64(q[3]*q[3]))
	return [4]float64{q[0] / length, q[1] / length, q[2] / length, q[3] / length}
}
