package motion

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/tasks/internal/rotation"
)

// MaxFrames is the largest number of frames of a motion.
const MaxFrames = 1 << 20

// Track is a motion as positions alone: row k is at the exact instant k/Rate, or at Times[k].
type Track struct {
	Rate   runners.Rate
	Times  []int64 // ns, ascending from 0; nil: those of Rate
	Rows   int
	Base   []float64 // rows × 7: position in m and quaternion w x y z; empty for a robot that is fixed to the world
	Joints []float64 // rows × joints, rad or m
}

// NewTrack returns the track of recorded generalised positions, which are qpos and what may follow it, of the robot's
// model. times are those of the rows, in ns: they must be at the boundaries of a rate, without a gap; that of the first
// need not be 0. stamps say when the positions were measured, which is not later than that, and not all at once: a
// measurement that a row repeats is left out. Unless they are the times, the track has them as its Times.
func (r *Robot) NewTrack(rate runners.Rate, times, stamps []int64, positions [][]float64) (*Track, error) {
	qpos, err := r.Model.Field("qpos")
	if err != nil {
		return nil, err
	}
	t := &Track{Rate: rate}
	measured := !slices.Equal(times, stamps)
	if r.Free() {
		t.Base = []float64{}
	}
	first := int64(0)
	for k, ns := range times {
		if k == 0 {
			first = int64(math.Round(float64(ns) * 1e-9 / rate.Seconds()))
		}
		if want := rate.Timestamp(first + int64(k)); ns != want {
			return nil, fmt.Errorf("row %d is at %d ns, want %d, as at %s Hz: a motion has one rate", k, ns, want, rate)
		}
		if measured {
			switch stamp := stamps[k] - stamps[0]; {
			case t.Rows > 0 && stamp == t.Times[t.Rows-1]:
				continue
			case t.Rows > 0 && stamp < t.Times[t.Rows-1]:
				return nil, fmt.Errorf("row %d was measured at %d ns, before the row before it", k, stamps[k])
			default:
				t.Times = append(t.Times, stamp)
			}
		}
		t.Rows++
		for _, j := range r.Joints {
			t.Joints = append(t.Joints, positions[k][j.Position-qpos.Offset])
		}
		if r.Free() {
			base := physics.Span{Offset: r.Base.Offset - qpos.Offset, Len: 7}.In(positions[k])
			q := unitQuaternion(base[3:])
			t.Base = append(append(t.Base, base[:3]...), q[:]...)
		}
	}
	return t, nil
}

// Resample returns the track at the instants k/rate up to its last row, which are those of a Rate. A row of the result
// is a row of the track, bit for bit, where the two instants are the same; which they are is decided with whole
// numbers, of Times in ns. Elsewhere positions lie on the straight line between two rows, and orientations on the great
// circle (slerp).
func (t *Track) Resample(rate runners.Rate) (*Track, error) {
	if rate == t.Rate && t.Times == nil {
		return t, nil
	}
	rows, place := t.evenly(rate)
	if !rows.IsInt64() || rows.Int64() > MaxFrames {
		return nil, fmt.Errorf("%v frames at %s Hz, want at most %d", rows, rate, MaxFrames)
	}
	out := &Track{Rate: rate, Rows: int(rows.Int64())}
	joints := len(t.Joints) / t.Rows
	for j := range out.Rows {
		i, blend := place(j)
		next := i
		if blend > 0 {
			next++
		}
		out.Joints = append(out.Joints, line(frameValues(t.Joints, i, 1, 0, joints), frameValues(t.Joints, next, 1, 0, joints), blend)...)
		if t.Base != nil {
			a, b := frameValues(t.Base, i, 1, 0, 7), frameValues(t.Base, next, 1, 0, 7)
			out.Base = append(out.Base, line(a[:3], b[:3], blend)...)
			q := slerp(quaternion(a[3:]), quaternion(b[3:]), blend)
			out.Base = append(out.Base, q[:]...)
		}
	}
	return out, nil
}

// evenly returns how many instants of a rate there are up to the last row, and the place of instant j: a row, and the
// share of the way from it to the next. The places are to be asked for in order.
func (t *Track) evenly(rate runners.Rate) (rows *big.Int, place func(j int) (row int, share float64)) {
	if t.Times == nil { // instant j/rate is at j·step/unit rows
		step := new(big.Int).Mul(big.NewInt(t.Rate.Num()), big.NewInt(rate.Den()))
		unit := new(big.Int).Mul(big.NewInt(t.Rate.Den()), big.NewInt(rate.Num()))
		last := new(big.Int).Mul(big.NewInt(int64(t.Rows-1)), unit)
		return last.Add(last.Div(last, step), big.NewInt(1)), func(j int) (int, float64) {
			row, rest := new(big.Int).DivMod(new(big.Int).Mul(big.NewInt(int64(j)), step), unit, new(big.Int))
			share, _ := new(big.Rat).SetFrac(rest, unit).Float64()
			return int(row.Int64()), share
		}
	}
	// Instant j is at ⌊j·unit/Num⌋ ns.
	unit := new(big.Int).Mul(big.NewInt(1e9), big.NewInt(rate.Den()))
	beyond := new(big.Int).Mul(big.NewInt(t.Times[t.Rows-1]+1), big.NewInt(rate.Num()))
	rows = beyond.Add(beyond.Div(beyond.Sub(beyond, big.NewInt(1)), unit), big.NewInt(1))
	row := 0
	return rows, func(j int) (int, float64) {
		ns := rate.Timestamp(int64(j))
		for row+1 < t.Rows && t.Times[row+1] <= ns {
			row++
		}
		if ns <= t.Times[row] {
			return row, 0
		}
		return row, float64(ns-t.Times[row]) / float64(t.Times[row+1]-t.Times[row])
	}
}

// line returns the point of a straight line at a share of the way from a to b.
func line(a, b []float64, share float64) []float64 {
	list := make([]float64, len(a))
	for i := range a {
		list[i] = a[i]
		if share > 0 {
			list[i] = float64(a[i]*(1-share)) + float64(b[i]*share)
		}
	}
	return list
}

// Clip works out the velocities of a track and where the bodies are. Velocities are central differences over two
// periods, at the first and the last frame differences over one; those of orientations are of the rotation between
// the two frames. The bodies are where the engine's forward kinematics places them, and move as its velocities say.
func (r *Robot) Clip(t *Track) (*Clip, error) {
	if t.Rows < 2 {
		return nil, fmt.Errorf("%d frame, want at least 2", t.Rows)
	}
	k, err := newKinematics(r)
	if err != nil {
		return nil, err
	}
	defer k.close()
	n := len(r.Joints)
	c := &Clip{Rate: t.Rate, Frames: t.Rows, Joints: r.jointNames(), Bodies: r.bodyNames()}
	c.JointPos, c.JointVel = t.Joints, make([]float64, len(t.Joints))
	for f := range t.Rows {
		previous, next := max(f-1, 0), min(f+1, t.Rows-1)
		seconds := float64(next-previous) * t.Rate.Seconds()
		a, b, u := frameValues(t.Joints, previous, 1, 0, n), frameValues(t.Joints, next, 1, 0, n), frameValues(c.JointVel, f, 1, 0, n)
		row := k.row()
		for i, j := range r.Joints {
			u[i] = (b[i] - a[i]) / seconds
			row[j.Position], row[j.Velocity] = frameValues(t.Joints, f, 1, 0, n)[i], u[i]
		}
		if r.Free() {
			placeBase(r, row, frameValues(t.Base, f, 1, 0, 7), frameValues(t.Base, previous, 1, 0, 7), frameValues(t.Base, next, 1, 0, 7), seconds)
		}
		if err := k.forward(); err != nil {
			return nil, fmt.Errorf("frame %d: %w", f, err)
		}
		for i := range r.Bodies {
			p, q, u := k.body(i)
			c.BodyPos, c.BodyQuat = append(c.BodyPos, p...), append(c.BodyQuat, q...)
			c.BodyLinVel, c.BodyAngVel = append(c.BodyLinVel, u[:3]...), append(c.BodyAngVel, u[3:]...)
		}
	}
	return c, nil
}

// placeBase writes the pose of the base, and its velocity from the pose before to that after.
func placeBase(r *Robot, row, pose, previous, next []float64, seconds float64) {
	base, u := r.Base.In(row), r.BaseVelocity.In(row)
	copy(base, pose)
	for i := range 3 {
		u[i] = (next[i] - previous[i]) / seconds
	}
	turn := rotation.Vector(rotation.Product(quaternion(next[3:]), rotation.Conjugate(quaternion(previous[3:]))))
	local := rotation.Rotate(rotation.Conjugate(quaternion(pose[3:])), turn)
	for i, w := range local {
		u[3+i] = w / seconds
	}
}

// kinematics places the bodies of a robot by the engine. It is C memory until close.
type kinematics struct {
	robot   *Robot
	rows    *physics.Rows
	stepper physics.Stepper
}

func newKinematics(r *Robot) (*kinematics, error) {
	var out physics.Outputs
	for _, b := range r.Bodies {
		for _, what := range []string{"position", "quaternion", "velocity"} {
			probe, err := r.Model.Probe("body/" + b.Name + "/" + what)
			if err != nil {
				return nil, err
			}
			out.Probes = append(out.Probes, probe)
		}
	}
	stepper, err := r.Model.NewStepper(1, out)
	if err != nil {
		return nil, err
	}
	k := &kinematics{robot: r, rows: physics.NewRows(r.Model, 1, out, 1), stepper: stepper}
	if r.Start != nil {
		copy(k.row(), r.Start)
	}
	return k, nil
}

func (k *kinematics) close() {
	k.rows.Close()
	k.stepper.Close()
}

// row is the state row, to be written before forward.
func (k *kinematics) row() []float64 { return k.rows.Row(0) }

// forward works out where the bodies are.
func (k *kinematics) forward() error {
	if k.stepper.Forward(k.rows, []int32{0}) > 0 {
		return fmt.Errorf("the engine has no such state: %v, %s", k.rows.Fault[0], k.stepper.FaultMessage(0))
	}
	return nil
}

// body returns where a body is, its orientation, and its linear and angular velocity.
func (k *kinematics) body(i int) (position, quaternion, velocity []float64) {
	sample := k.rows.Sample(0, 0)[13*i:]
	return sample[:3], sample[3:7], sample[7:13]
}

func quaternion(q []float64) [4]float64 { return [4]float64(q[:4]) }

// rotationQuaternion returns the unit quaternion of axis times angle.
func rotationQuaternion(v [3]float64) [4]float64 {
	angle := math.Sqrt(float64(v[0]*v[0]) + float64(v[1]*v[1]) + float64(v[2]*v[2]))
	if angle < 1e-12 {
		return [4]float64{1, v[0] / 2, v[1] / 2, v[2] / 2}
	}
	sine, cosine := math.Sincos(angle / 2)
	return [4]float64{cosine, v[0] / angle * sine, v[1] / angle * sine, v[2] / angle * sine}
}

// slerp goes a share of the shorter way from a to b on the great circle.
func slerp(a, b [4]float64, share float64) [4]float64 {
	if share == 0 {
		return a
	}
	turn := rotation.Vector(rotation.Product(b, rotation.Conjugate(a)))
	for i := range turn {
		turn[i] *= share
	}
	q := rotation.Product(rotationQuaternion(turn), a)
	length := math.Sqrt(float64(q[0]*q[0]) + float64(q[1]*q[1]) + float64(q[2]*q[2]) + float64(q[3]*q[3]))
	for i := range q {
		q[i] /= length
	}
	return q
}
