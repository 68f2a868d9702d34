package motion_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/tasks/motion"
)

const (
	arm = `<mujoco><worldbody><body name="upper" pos="0 0 1"><joint name="shoulder" axis="0 1 0" range="-90 90"/>
		<geom size="0.1"/><body name="lower" pos="0.5 0 0"><joint name="elbow" axis="0 1 0"/><geom size="0.1"/>
		</body></body></worldbody></mujoco>`
	leg = `<mujoco><compiler angle="radian"/><worldbody><body name="trunk" pos="0 0 0.95"><freejoint/><geom size="0.1"/>
		<body name="thigh"><joint name="yaw" axis="0 0 1"/><joint name="roll" axis="1 0 0"/><joint name="hip" axis="0 1 0"/>
		<geom size="0.05"/><body name="shin" pos="0 0 -0.45"><joint name="knee" axis="0 1 0" range="0 2.5"/>
		<geom size="0.05"/><body name="heel" pos="0 0 -0.45"><joint name="ankle" axis="0 1 0"/><geom size="0.05"/>
		<body name="foot" pos="0 0 -0.02"><joint name="ankle_roll" axis="1 0 0"/><geom size="0.05"/></body></body></body>
		</body><body name="head" pos="0 0 0.3"><joint name="neck" axis="0 1 0"/><geom size="0.05"/></body>
		</body></worldbody></mujoco>`
	bent   = "start.joints={hip: -0.4, knee: 0.8, ankle: -0.4}"
	crouch = `
rate: 60
hold: [foot]
keyframes:
  - {time: 0s}
  - {time: 400ms, base: {z: -0.1, yaw: 0.05}, bodies: {foot: {x: 0.02, pitch: 0.1}}, joints: {"n.*": 0.1}}
  - {time: 900ms, base: {x: 0.03}}
`
)

// robot is that of the preset quadruped, or of a model.
func robot(t testing.TB, model string, overrides ...string) *motion.Robot {
	t.Helper()
	name, data := "arm.yaml", []byte("task: {name: arm}\nscene: {models: [{file: arm.xml}]}\n"+
		"actions: [{term: joint_position}]\nobservations: {policy: [{term: joint_pos_rel}]}\n")
	if model == "" {
		var err error
		if name, data, err = configs.Preset("quadruped"); err != nil {
			t.Fatal(err)
		}
	} else {
		name = filepath.Join(t.TempDir(), name)
		polytest.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(name), "arm.xml"), []byte(model), 0o666))
	}
	c := polytest.Must(configs.Parse(name, data, overrides, nil))(t)
	r := polytest.Must(env.OpenRobot(t.Context(), c))(t)
	t.Cleanup(func() { polytest.NoError(t, r.Model.Close()) })
	return r
}

// file writes a motion file.
func file(t testing.TB, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	polytest.NoError(t, os.WriteFile(path, []byte(text), 0o666))
	return path
}

// waving is a track on which everything moves.
func waving(r *motion.Robot, rate runners.Rate, rows int) *motion.Track {
	t := &motion.Track{Rate: rate, Rows: rows}
	for k := range rows {
		s := float64(k) * rate.Seconds()
		for i := range r.Joints {
			t.Joints = append(t.Joints, 0.3*math.Sin(2*s+float64(i)))
		}
		if r.Free() {
			half := 0.4 * math.Sin(s)
			t.Base = append(t.Base, s, math.Sin(s), 0.5, math.Cos(half), 0, math.Sin(half)*0.6, math.Sin(half)*0.8)
		}
	}
	return t
}

// TestResampleAtExactInstants compares with interpolation in rational numbers: rows at common instants keep their bits.
func TestResampleAtExactInstants(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	rates := []runners.Rate{runners.Hz(30), runners.Hz(50), runners.Hz(120), runners.Hz(7)}
	for _, text := range []string{"30000/1001", "29.97", "15ms", "200/3"} {
		rates = append(rates, polytest.Must(runners.ParseRate(text))(t))
	}
	for range 60 {
		from, to := rates[r.IntN(len(rates))], rates[r.IntN(len(rates))]
		in := &motion.Track{Rate: from, Rows: 2 + r.IntN(40)}
		for range in.Rows {
			in.Joints = append(in.Joints, r.NormFloat64())
			q := [4]float64{r.NormFloat64(), r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}
			n := math.Sqrt(q[0]*q[0] + q[1]*q[1] + q[2]*q[2] + q[3]*q[3])
			in.Base = append(in.Base, r.NormFloat64(), 0, 1, q[0]/n, q[1]/n, q[2]/n, q[3]/n)
		}
		out := polytest.Must(in.Resample(to))(t)
		end := new(big.Rat).Mul(big.NewRat(int64(in.Rows-1), 1), big.NewRat(from.Den(), from.Num()))
		for j := 0; ; j++ {
			at := new(big.Rat).Mul(big.NewRat(int64(j), 1), big.NewRat(to.Den(), to.Num()))
			if at.Cmp(end) > 0 {
				polytest.Equal(t, out.Rows, j, "rows from %v to %v Hz", from, to)
				break
			}
			row := new(big.Rat).Mul(at, big.NewRat(from.Num(), from.Den()))
			i := int(new(big.Int).Div(row.Num(), row.Denom()).Int64())
			share, _ := new(big.Rat).Sub(row, big.NewRat(int64(i), 1)).Float64()
			if row.IsInt() {
				polytest.EqualSlices(t, out.Base[7*j:7*j+7], in.Base[7*i:7*i+7], "the base at a common instant")
				polytest.Equal(t, out.Joints[j], in.Joints[i], "the joint at a common instant")
				continue
			}
			want := in.Joints[i]*(1-share) + in.Joints[i+1]*share
			if math.Abs(out.Joints[j]-want) > 1e-12 {
				t.Fatalf("row %d at %v of row %d: %v, want %v", j, share, i, out.Joints[j], want)
			}
			checkSlerp(t, in.Base[7*i+3:7*i+7], in.Base[7*i+10:7*i+14], out.Base[7*j+3:7*j+7], share)
		}
	}
}

// TestTrackOfStamps: positions that were measured before the instants of their rows, once in two rows, are where they
// were then. A body at 1 m/s is at that speed throughout.
func TestTrackOfStamps(t *testing.T) {
	r, rate := robot(t, leg), runners.Hz(30)
	var times, stamps []int64
	var positions [][]float64
	for k := range int64(40) {
		ns := rate.Timestamp(k + 3)
		at := ns / 50e6 * 50e6 // at 20 Hz
		times, stamps = append(times, ns), append(stamps, at)
		pose := slices.Clone(r.Start[r.Base.Offset:])
		pose[0], pose[7] = float64(at)*1e-9, 2*float64(at)*1e-9
		positions = append(positions, pose)
	}
	track := polytest.Must(r.NewTrack(rate, times, stamps, positions))(t)
	polytest.Equal(t, track.Times[track.Rows-1], stamps[39]-stamps[0], "the last time")
	for _, want := range []runners.Rate{{}, runners.Hz(100), runners.Hz(20), runners.Hz(7)} {
		clip := polytest.Must(r.ResampledClip(track, want))(t)
		if want.IsZero() {
			want = rate
		}
		last := want.Timestamp(int64(clip.Frames - 1))
		if end := stamps[39] - stamps[0]; clip.Rate != want || last > end || want.Timestamp(int64(clip.Frames)) <= end {
			t.Errorf("%d frames at %v Hz, want all up to %d ns at %v Hz", clip.Frames, clip.Rate, end, want)
		}
		for f := range clip.Frames {
			at, _, velocity, _ := clip.Body(f, 0)
			joints, speeds := clip.Joint(f)
			for what, d := range map[string]float64{"base": at[0] - 0.1 - float64(f)*want.Seconds(), "speed": velocity[0] - 1,
				"joint": joints[0] - 0.2 - 2*float64(f)*want.Seconds(), "speed of the joint": speeds[0] - 2} {
				if math.Abs(d) > 1e-6 {
					t.Errorf("frame %d at %v Hz: the %s is %g off", f, want, what, d)
				}
			}
		}
	}
	stamps[20] = 0
	polytest.ErrorContains(t, polytest.Err(r.NewTrack(rate, times, stamps, positions)), "row 20 was measured at 0 ns, before")
}

// checkSlerp compares with the formula of the great circle: sin((1-s)θ)/sin θ · a + sin(sθ)/sin θ · b.
func checkSlerp(t *testing.T, a, b, got []float64, share float64) {
	t.Helper()
	dot := 0.0
	for i := range a {
		dot += a[i] * b[i]
	}
	sign := math.Copysign(1, dot)
	angle := math.Acos(min(1, math.Abs(dot)))
	same, other := 0.0, 0.0
	for i := range a {
		want := (math.Sin((1-share)*angle)*a[i] + math.Sin(share*angle)*sign*b[i]) / math.Sin(angle)
		same, other = max(same, math.Abs(got[i]-want)), max(other, math.Abs(got[i]+want))
	}
	if min(same, other) > 1e-9 {
		t.Fatalf("%v at %v between %v and %v is not on the great circle", got, share, a, b)
	}
}

// TestClipMovesAsItsBodiesDo: what the arrays call velocity is how the positions change, for every body and joint.
func TestClipMovesAsItsBodiesDo(t *testing.T) {
	for _, model := range []string{"", arm} {
		r := robot(t, model)
		c := polytest.Must(r.Clip(waving(r, runners.Hz(1000), 300)))(t)
		polytest.EqualSlices(t, c.JointPos, waving(r, runners.Hz(1000), 300).Joints, "the joints")
		for k := 1; k < c.Frames-1; k++ {
			for i := range c.BodyCount() {
				before, a, _, _ := c.Body(k-1, i)
				_, q, linear, angular := c.Body(k, i)
				after, b, _, _ := c.Body(k+1, i)
				for x := range 3 {
					if u := (after[x] - before[x]) / 0.002; math.Abs(u-linear[x]) > 1e-4 {
						t.Fatalf("frame %d, %s: moves by %v m/s, want %v", k, c.Bodies[i], linear, u)
					}
				}
				// q̇ = ω·q/2
				w, x, y, z := q[0], q[1], q[2], q[3]
				rate := []float64{
					(-angular[0]*x - angular[1]*y - angular[2]*z) / 2, (angular[0]*w + angular[1]*z - angular[2]*y) / 2,
					(angular[1]*w + angular[2]*x - angular[0]*z) / 2, (angular[2]*w + angular[0]*y - angular[1]*x) / 2,
				}
				for n := range 4 {
					if u := (b[n] - a[n]) / 0.002; math.Abs(u-rate[n]) > 1e-4 {
						t.Fatalf("frame %d, %s: turns by %v, want %v", k, c.Bodies[i], rate, u)
					}
				}
			}
		}
		checkPlaced(t, r, c)
	}
}

// checkPlaced: the state that a frame is written to has the frame's bodies.
func checkPlaced(t *testing.T, r *motion.Robot, c *motion.Clip) {
	t.Helper()
	row := slices.Clone(r.Start)
	r.Place(row, c, 100)
	qpos, qvel := polytest.Must(r.Model.Field("qpos"))(t), polytest.Must(r.Model.Field("qvel"))(t)
	before, after := slices.Clone(r.Start), slices.Clone(r.Start)
	r.Place(before, c, 99)
	r.Place(after, c, 101)
	for i, j := range r.Joints {
		polytest.Equal(t, row[j.Position], c.JointPos[100*len(r.Joints)+i], "a joint")
		if u := (after[j.Position] - before[j.Position]) / 0.002; math.Abs(u-row[j.Velocity]) > 1e-9 {
			t.Errorf("%s moves by %v, want %v", j.Name, row[j.Velocity], u)
		}
	}
	if r.Free() {
		u, p := qvel.In(row), qpos.In(row)
		linear, angular := 0.0, 0.0
		for x := range 3 {
			linear = max(linear, math.Abs((qpos.In(after)[x]-qpos.In(before)[x])/0.002-u[x]))
		}
		// The velocity in the base's frame turns the orientation: q̇ = q·ω/2.
		rate := (-p[4]*u[3] - p[5]*u[4] - p[6]*u[5]) / 2
		angular = math.Abs((qpos.In(after)[3]-qpos.In(before)[3])/0.002 - rate)
		if linear > 1e-5 || angular > 1e-5 {
			t.Errorf("the base moves otherwise, by %v m/s and %v", linear, angular)
		}
	}
}

// TestFilesRoundTrip: a clip survives its file to the bit, also through NumPy.
func TestFilesRoundTrip(t *testing.T) {
	r := robot(t, "")
	rate := polytest.Must(runners.ParseRate("30000/1001"))(t)
	c := polytest.Must(r.Clip(waving(r, rate, 20)))(t)
	var first, second bytes.Buffer
	polytest.NoError(t, c.WriteNPZ(&first))
	polytest.NoError(t, c.WriteNPZ(&second))
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("the same clip gives other bytes")
	}
	back := polytest.Must(motion.ReadNPZ(first.Bytes()))(t)
	sameClip(t, back, c, 0)
	python := polytest.Python(t)
	path := file(t, "clip.npz", first.String())
	script := `import sys, numpy as np
d = dict(np.load(sys.argv[1]))
assert d["body_quat_w"].shape == (20, len(d["body_names"]), 4) and d["joint_names"][0] == sys.argv[3], d
assert abs(d["fps"][0] - 30000/1001) < 1e-12
np.savez_compressed(sys.argv[2], **{k: v if k in ("fps", "joint_names", "body_names") else v.astype(np.float32)
  for k, v in d.items()})`
	other := filepath.Join(t.TempDir(), "other.npz")
	if out, err := exec.Command(python, "-c", script, path, other, r.Joints[0].Name).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	sameClip(t, polytest.Must(motion.ReadNPZ(polytest.Must(os.ReadFile(other))(t)))(t), c, 1e-6)
}

func sameClip(t *testing.T, got, want *motion.Clip, within float64) {
	t.Helper()
	polytest.Equal(t, got.Rate, want.Rate, "the rate")
	polytest.Equal(t, got.Frames, want.Frames, "frames")
	polytest.EqualSlices(t, got.Joints, want.Joints, "joints")
	polytest.EqualSlices(t, got.Bodies, want.Bodies, "bodies")
	arrays := func(c *motion.Clip) [][]float64 {
		return [][]float64{c.JointPos, c.JointVel, c.BodyPos, c.BodyQuat, c.BodyLinVel, c.BodyAngVel}
	}
	for n, a := range arrays(got) {
		for i, x := range a {
			if y := arrays(want)[n][i]; !(math.Abs(x-y) <= within*(1+math.Abs(y))) {
				t.Fatalf("array %d has %v at %d, want %v", n, x, i, y)
			}
		}
	}
}

// TestCSVIsItsTrack: the lines of a CSV file are the rows of a track, in the order of names if there are some.
func TestCSVIsItsTrack(t *testing.T) {
	r := robot(t, "")
	track := waving(r, runners.Hz(30), 12)
	n := len(r.Joints)
	var plain, named strings.Builder
	named.WriteString("x,y,z,qx,qy,qz,qw")
	for i := range n {
		fmt.Fprintf(&named, ",%s", r.Joints[n-1-i].Name)
	}
	named.WriteString("\n")
	for k := range track.Rows {
		b := track.Base[7*k:]
		for _, out := range []*strings.Builder{&plain, &named} {
			fmt.Fprintf(out, "%v, %v,%v,%v,%v,%v,%v", b[0], b[1], b[2], b[4], b[5], b[6], b[3])
			for i := range n {
				if out == &named {
					i = n - 1 - i
				}
				fmt.Fprintf(out, ",%v", track.Joints[k*n+i])
			}
			fmt.Fprintln(out)
		}
	}
	want := polytest.Must(r.Clip(track))(t)
	for _, mark := range []string{"", "\ufeff"} {
		for _, text := range []string{plain.String(), named.String()} {
			sameClip(t, polytest.Must(motion.Load(file(t, "a.csv", mark+text), r, motion.LoadOptions{}))(t), want, 1e-12)
		}
	}
	fast := polytest.Must(track.Resample(runners.Hz(50)))(t)
	sameClip(t, polytest.Must(motion.Load(file(t, "a.csv", plain.String()), r, motion.LoadOptions{Rate: runners.Hz(50)}))(t),
		polytest.Must(r.Clip(fast))(t), 1e-12)
	// What is written of a clip has float32's digits: velocities are differences of them.
	for _, r := range []*motion.Robot{r, robot(t, arm)} {
		want := polytest.Must(r.Clip(waving(r, runners.Hz(30), 12)))(t)
		var written strings.Builder
		polytest.NoError(t, want.WriteCSV(&written, !r.Free()))
		sameClip(t, polytest.Must(motion.Load(file(t, "a.csv", written.String()), r, motion.LoadOptions{}))(t), want, 1e-4)
	}
}

// TestKeyframesPutBodiesWhereTheySay compares the base, the held body and a joint with the keyframes.
func TestKeyframesPutBodiesWhereTheySay(t *testing.T) {
	r := robot(t, leg, bent)
	c := polytest.Must(motion.Load(file(t, "a.yaml", crouch), r, motion.LoadOptions{}))(t)
	polytest.Equal(t, c.Rate, runners.Hz(60), "the rate")
	polytest.Equal(t, c.Frames, 55, "frames")
	body := func(k int, name string) ([]float64, []float64) {
		p, q, _, _ := c.Body(k, slices.Index(c.Bodies, name))
		return p, q
	}
	for k := range c.Frames {
		s := float64(k) / 60
		first, second := min(s/0.4, 1), min(max((s-0.4)/0.5, 0), 1)
		ease := func(x float64) float64 { return 10*math.Pow(x, 3) - 15*math.Pow(x, 4) + 6*math.Pow(x, 5) }
		near := func(what string, got, want float64) {
			if math.Abs(got-want) > 2e-6 {
				t.Fatalf("frame %d: %s is %v, want %v", k, what, got, want)
			}
		}
		base, turn := body(k, "trunk")
		near("base x", base[0], 0.03*ease(second))
		near("base z", base[2], 0.95-0.1*ease(first))
		near("base yaw", 2*math.Atan2(turn[3], turn[0]), 0.05*ease(first))
		at, q := body(k, "foot")
		start, _ := body(0, "foot")
		near("foot x", at[0]-start[0], 0.02*ease(first))
		near("foot y", at[1], 0)
		near("foot z", at[2], start[2])
		near("foot roll", q[1], 0)
		near("foot pitch", 2*math.Atan2(q[2], q[0]), 0.1*ease(first))
		near("foot yaw", q[3], 0)
		joint, _ := c.Joint(k)
		near("neck", joint[slices.Index(c.Joints, "neck")], 0.1*ease(first))
	}
}

// npz writes arrays of NumPy's format: number returns value i, in the order of C, of one with a shape.
func npz(t *testing.T, order byteOrder, fortran bool, c *motion.Clip, names bool,
	number func(name string, i int) float64) string {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	write := func(name, descr string, shape []int, value func(dst []byte, i int) []byte) {
		dims, count, head := strings.Trim(strings.ReplaceAll(fmt.Sprint(shape), " ", ", "), "[]"), 1, "False"
		for _, n := range shape {
			count *= n
		}
		if fortran {
			head = "True"
		}
		head = fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': (%s,), }\n", descr, head, dims)
		data := binary.LittleEndian.AppendUint16([]byte("\x93NUMPY\x01\x00"), uint16(len(head)))
		data = append(data, head...)
		for i := range count {
			if fortran && len(shape) == 2 {
				i = i%shape[0]*shape[1] + i/shape[0]
			} else if fortran && len(shape) == 3 {
				i = (i%shape[0]*shape[1]+i/shape[0]%shape[1])*shape[2] + i/shape[0]/shape[1]
			}
			data = value(data, i)
		}
		f := polytest.Must(z.Create(name + ".npy"))(t)
		polytest.Must(f.Write(data))(t)
	}
	mark := map[byteOrder]string{binary.LittleEndian: "<", binary.BigEndian: ">"}[order]
	write("fps", "|u1", []int{1}, func(dst []byte, _ int) []byte { return append(dst, byte(c.Rate.Num())) })
	for _, a := range []struct {
		name  string
		shape []int
	}{
		{"joint_pos", []int{c.Frames, c.JointCount()}}, {"joint_vel", []int{c.Frames, c.JointCount()}},
		{"body_pos_w", []int{c.Frames, c.BodyCount(), 3}}, {"body_quat_w", []int{c.Frames, c.BodyCount(), 4}},
		{"body_lin_vel_w", []int{c.Frames, c.BodyCount(), 3}}, {"body_ang_vel_w", []int{c.Frames, c.BodyCount(), 3}},
	} {
		write(a.name, mark+"f8", a.shape, func(dst []byte, i int) []byte {
			return order.AppendUint64(dst, math.Float64bits(number(a.name, i)))
		})
	}
	for name, texts := range map[string][]string{"joint_names": c.Joints, "body_names": c.Bodies} {
		if !names {
			continue
		}
		write(name, mark+"U12", []int{len(texts)}, func(dst []byte, i int) []byte {
			text := make([]byte, 48)
			for k, r := range []rune(texts[i]) {
				order.PutUint32(text[4*k:], uint32(r))
			}
			return append(dst, text...)
		})
	}
	polytest.NoError(t, z.Close())
	return out.String()
}

// byteOrder is both of the interfaces of an order of bytes.
type byteOrder interface {
	binary.ByteOrder
	binary.AppendByteOrder
}

// TestNPZInOtherOrders: orders of bytes and dimensions are read as NumPy reads them; orders of bodies, joints and
// quaternions that forward kinematics tells are refused.
func TestNPZInOtherOrders(t *testing.T) {
	r := robot(t, leg, bent)
	c := polytest.Must(r.Clip(waving(r, runners.Hz(30), 9)))(t)
	arrays := map[string][]float64{"joint_pos": c.JointPos, "joint_vel": c.JointVel, "body_pos_w": c.BodyPos,
		"body_quat_w": c.BodyQuat, "body_lin_vel_w": c.BodyLinVel, "body_ang_vel_w": c.BodyAngVel}
	plain := func(name string, i int) float64 { return arrays[name][i] }
	for _, order := range []byteOrder{binary.LittleEndian, binary.BigEndian} {
		for _, fortran := range []bool{false, true} {
			for _, names := range []bool{false, true} {
				text := npz(t, order, fortran, c, names, plain)
				sameClip(t, polytest.Must(motion.Load(file(t, "a.npz", text), r, motion.LoadOptions{}))(t), c, 1e-12)
			}
		}
	}
	// trunk, thigh, head, shin, …; yaw, roll, hip, neck, knee, …
	bodies, joints := []int{0, 1, 5, 2, 3, 4}, []int{0, 1, 2, 6, 3, 4, 5}
	size := map[string]int{"body_pos_w": 3, "body_quat_w": 4, "body_lin_vel_w": 3, "body_ang_vel_w": 3}
	moved := func(name string, i int, joints, bodies []int) float64 {
		n := size[name]
		if n == 0 {
			return arrays[name][i/len(joints)*len(joints)+joints[i%len(joints)]]
		}
		return arrays[name][(i/n/len(bodies)*len(bodies)+bodies[i/n%len(bodies)])*n+i%n]
	}
	own, ours := []int{0, 1, 2, 3, 4, 5}, []int{0, 1, 2, 3, 4, 5, 6}
	swapped := func(name string, i int) int {
		if name == "body_quat_w" {
			return i/4*4 + (i+1)%4
		}
		return i
	}
	const wantJoints = "joints breadth first, want them in the robot's order or with joint_names"
	const wantBodies = "bodies breadth first, want them in the robot's order or with body_names"
	const wantQuats = "quaternions x y z w, want w x y z"
	for _, of := range []struct {
		names  bool
		number func(name string, i int) float64
		want   string
	}{
		{false, func(name string, i int) float64 { return moved(name, i, joints, bodies) }, wantJoints + ", and " + wantBodies},
		{false, func(name string, i int) float64 { return moved(name, i, ours, bodies) }, "it has " + wantBodies},
		{false, func(name string, i int) float64 { return moved(name, i, joints, own) }, "it has " + wantJoints},
		{true, func(name string, i int) float64 { return plain(name, swapped(name, i)) }, "it has " + wantQuats},
		{false, func(name string, i int) float64 { return moved(name, swapped(name, i), ours, bodies) },
			wantBodies + ", and " + wantQuats},
		{true, func(name string, i int) float64 { return moved(name, i, ours, []int{0, 3, 2, 1, 4, 5}) },
			" rad from where the joints place it beside trunk, want quaternions w x y z"},
	} {
		path := file(t, "a.npz", npz(t, binary.LittleEndian, false, c, of.names, of.number))
		polytest.ErrorContains(t, polytest.Err(motion.Load(path, r, motion.LoadOptions{})), of.want)
	}
}

// TestNPZIsNotReadBeyondItsLimits: what an array says of itself is looked at before it is read.
func TestNPZIsNotReadBeyondItsLimits(t *testing.T) {
	for _, c := range []struct{ name, descr, shape, want string }{
		{"joint_pos", "<f4", "1048577, 2", "array joint_pos: 1048577 frames, want 2 to 1048576"},
		{"body_pos_w", "<f8", "1000000, 30, 3", "array body_pos_w: 720000000 bytes with the arrays before it, want at most"},
		{"joint_names", "<U1", "500000", "array joint_names: 2000000 bytes, want at most 1048576"},
		{"joint_names", "<U0", "500000", "array joint_names: texts of no length"},
	} {
		var out bytes.Buffer
		z := zip.NewWriter(&out)
		head := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s,), }\n", c.descr, c.shape)
		f := polytest.Must(z.Create(c.name + ".npy"))(t)
		polytest.Must(fmt.Fprintf(f, "\x93NUMPY\x01\x00%c\x00%s", len(head), head))(t)
		polytest.NoError(t, z.Close())
		polytest.ErrorContains(t, polytest.Err(motion.ReadNPZ(out.Bytes())), c.want)
	}
}

// TestRefusals: what is wrong with a file is said in one line.
func TestRefusals(t *testing.T) {
	r, other := robot(t, ""), robot(t, arm)
	c := polytest.Must(r.Clip(waving(r, runners.Hz(50), 5)))(t)
	var npz bytes.Buffer
	polytest.NoError(t, c.WriteNPZ(&npz))
	line := strings.TrimSuffix(strings.Repeat("0,", 6), ",") + ",1" + strings.Repeat(",0.1", len(r.Joints)) + "\n"
	few := *c
	few.Joints, few.Bodies = nil, nil
	var nameless bytes.Buffer
	polytest.NoError(t, few.WriteNPZ(&nameless))
	for _, c := range []struct {
		robot      *motion.Robot
		name, text string
		want       string
	}{
		{r, "a.mp4", "", "want a file that ends in .npz, .csv or .yaml"},
		{r, "a.npz", "hello", "no NPZ file, or a torn one"},
		{r, "a.npz", npz.String()[:npz.Len()/2], "no NPZ file, or a torn one"},
		{r, "a.npz", strings.Replace(npz.String(), "joint_pos.npy", "joint_poz.npy", -1), "no array joint_pos, only"},
		{other, "a.npz", npz.String(), "joints without shoulder, elbow, and with FL_abduction, FL_hip"},
		{other, "a.npz", nameless.String(), "12 joints without names, want the robot's 2"},
		{r, "a.csv", line, "1 frames, want 2"},
		{r, "a.csv", line + "1,2\n", "line 2 has 2 values, want 19"},
		{r, "a.csv", line + strings.Replace(line, "0.1", "x", 1), `line 2 has "x", want numbers`},
		{r, "a.csv", line + strings.Replace(line, ",1,", ",3,", 1), "has the length 3, want 1"},
		{r, "a.csv", "x,y,z,qx,qy,qz,qw,hip\n" + line, "joints without FL_abduction"},
		{r, "a.yaml", "[1]", "want a mapping with the keys"},
		{r, "a.yaml", "keyframes: [{time: 0s}]", "keyframes has 1 entries, want at least 2"},
		{r, "a.yaml", "keyframes: [{time: 1s}, {time: 2s}]", "keyframes[0].time is 1s, want"},
		{r, "a.yaml", "keyframes: [{time: 0s}, {time: 0s}]", "keyframes[1].time is 0s, want 1ms to"},
		{r, "a.yaml", "hold: [FL_shenk]\nkeyframes: [{time: 0s}, {time: 1s}]", `no body "FL_shenk"; did you mean FL_shank`},
		{r, "a.yaml", "keyframes: [{time: 0s}, {time: 1s, joints: {wrist: 1}}]", `joints: no joint matches "wrist"`},
		{r, "a.yaml", "keyframes: [{time: 0s}, {time: 1s, bodies: {trunk: {x: 1}}}]", "trunk is not among hold"},
		{r, "a.yaml", "hold: [FL_shank]\nkeyframes: [{time: 0s}, {time: 1s, base: {z: 3}}]", "which it cannot reach"},
		{r, "a.yaml", "hold: [FL_shank]\nkeyframes: [{time: 0s}, {time: 1s, joints: {FL_hip: 1}}]", "FL_hip holds a body"},
		{other, "a.yaml", "keyframes: [{time: 0s}, {time: 1s, base: {z: 3}}]", "fixed to the world"},
	} {
		_, err := motion.Load(file(t, c.name, c.text), c.robot, motion.LoadOptions{})
		polytest.ErrorContains(t, err, c.want)
		if err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("more than one line: %v", err)
		}
	}
	_, err := motion.Load(filepath.Join(t.TempDir(), "none.npz"), r, motion.LoadOptions{})
	polytest.ErrorContains(t, err, "no such file")
}

func FuzzReadNPZ(f *testing.F) {
	r := robot(f, arm)
	c, err := r.Clip(waving(r, runners.Hz(50), 3))
	if err != nil {
		f.Fatal(err)
	}
	var npz bytes.Buffer
	if err := c.WriteNPZ(&npz); err != nil {
		f.Fatal(err)
	}
	f.Add(npz.Bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := motion.ReadNPZ(data)
		if err != nil {
			return
		}
		var out bytes.Buffer
		polytest.NoError(t, c.WriteNPZ(&out))
		again := polytest.Must(motion.ReadNPZ(out.Bytes()))(t)
		sameClip(t, again, c, 0)
	})
}

func FuzzCSVAndKeyframes(f *testing.F) {
	r := robot(f, arm)
	f.Add("0.1,0.2\n0.3,0.4\n", false)
	f.Add("hold: [lower]\nkeyframes: [{time: 0s}, {time: 30ms, joints: {}}]", true)
	f.Fuzz(func(t *testing.T, text string, keyframes bool) {
		name := "a.csv"
		if keyframes {
			name = "a.yaml"
		}
		c, err := motion.Load(file(t, name, text), r, motion.LoadOptions{})
		if err == nil && c.JointCount() != len(r.Joints) {
			t.Errorf("%d joints, want %d", c.JointCount(), len(r.Joints))
		}
	})
}
