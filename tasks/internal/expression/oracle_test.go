package expression

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/expr-lang/expr/ast"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

// naive evaluates a tree without any thought of speed: every part is a slice, of one value for a number.
func naive(n ast.Node) []float64 {
	one := func(x float64) []float64 { return []float64{x} }
	switch n := n.(type) {
	case *ast.IntegerNode:
		return one(float64(n.Value))
	case *ast.FloatNode:
		return one(n.Value)
	case *ast.IdentifierNode:
		for i, q := range scope {
			if q.Name == n.Value {
				return frame[i]
			}
		}
	case *ast.MemberNode:
		if i, ok := n.Property.(*ast.IntegerNode); ok {
			return one(naive(n.Node)[i.Value])
		}
		return frame[2] // command.velocity
	case *ast.SliceNode:
		return naive(n.Node)[n.From.(*ast.IntegerNode).Value:n.To.(*ast.IntegerNode).Value]
	case *ast.ArrayNode:
		var v []float64
		for _, part := range n.Nodes {
			v = append(v, naive(part)...)
		}
		return v
	case *ast.UnaryNode:
		return naiveCall(prefixes[n.Operator], naive(n.Node))
	case *ast.BinaryNode:
		return naiveCall(operators[n.Operator], naive(n.Left), naive(n.Right))
	case *ast.ConditionalNode:
		return naiveCall(choice, naive(n.Cond), naive(n.Exp1), naive(n.Exp2))
	case *ast.CallNode:
		var args [][]float64
		for _, arg := range n.Arguments {
			args = append(args, naive(arg))
		}
		name := n.Callee.(*ast.IdentifierNode).Value
		if f, ok := shapes[name]; ok { // whose formulas TestQuaternions looks at
			to := make([]float64, max(f.resultSize, 1))
			f.function(to, [3][]float64(append(args, nil, nil)[:3]))
			return to
		}
		if len(args) == 1 && functions[name].most > 1 { // min and max of one vector
			args = slices.Collect(slices.Chunk(args[0], 1))
		}
		result := naiveCall(functions[name], args...)
		if name == "dot" {
			return []float64{sum(result)}
		}
		return result
	}
	panic(fmt.Sprintf("the oracle does not know %T", n))
}

// naiveCall applies the function of a rule, which TestFormulas looks at, to what it broadcasts.
func naiveCall(r rule, args ...[]float64) []float64 {
	if of, ok := r.function.(func([]float64) float64); ok {
		return []float64{of(args[0])}
	}
	size := 1
	for _, arg := range args {
		size = max(size, len(arg))
	}
	result := make([]float64, size)
	for i := range result {
		x := make([]float64, len(args))
		for k, arg := range args {
			x[k] = arg[i%len(arg)]
		}
		switch of := r.function.(type) {
		case func(x float64) float64:
			result[i] = of(x[0])
		case func(x, y float64) float64: // of min and max as many as there are
			result[i] = x[0]
			for _, y := range x[1:] {
				result[i] = of(result[i], y)
			}
		case func(x, y, z float64) float64:
			result[i] = of(x[0], x[1], x[2])
		}
	}
	return result
}

// writer writes random formulas.
type writer struct{ *rand.Rand }

func (w writer) pick(choices ...string) string { return choices[w.IntN(len(choices))] }

// number writes a formula whose value is a vector of the given size, 0 for a number,
func (w writer) number(size, depth int) string {
	if depth == 0 {
		if size > 0 {
			return w.vector(size)
		}
		return w.pick("2", "0.5", "-3", "base_height", "time", "joint_vel[1]", "command.velocity[0]", "action[2]")
	}
	a := func() string { return w.number(w.broadcast(size), depth-1) }
	if w.IntN(4) == 0 && (size == 0 || size == 3 || size == 4) {
		return w.rotation(size, depth)
	}
	switch w.IntN(9) {
	case 0, 1:
		return "(" + w.number(size, depth-1) + " " + w.pick("+", "-", "*", "/", "%", "^") + " " + a() + ")"
	case 2:
		return "(" + a() + " " + w.pick("+", "-", "*", "/", "%", "^") + " " + w.number(size, depth-1) + ")"
	case 3:
		return w.pick("abs", "square", "sqrt", "exp", "tanh", "sin", "-") + "(" + w.number(size, depth-1) + ")"
	case 4:
		return w.pick("min", "max", "clamp") + "(" + a() + ", " + w.number(size, depth-1) + ", " + a() + ")"
	case 5:
		return "where(" + w.truth(w.broadcast(size), depth-1) + ", " + w.number(size, depth-1) + ", " + a() + ")"
	case 6:
		return "(" + w.truth(0, depth-1) + " ? " + w.number(size, depth-1) + " : " + a() + ")"
	case 7:
		return "atan2(" + w.number(size, depth-1) + ", " + a() + ")"
	}
	return w.made(size, depth)
}

// rotation writes a call of a function of quaternions.
func (w writer) rotation(size, depth int) string {
	for _, name := range slices.Sorted(maps.Keys(shapes)) {
		f := shapes[name]
		if f.resultSize != size || w.IntN(3) > 0 {
			continue
		}
		var args []string
		for _, takes := range f.argumentSizes {
			args = append(args, w.number(takes, depth-1))
		}
		return name + "(" + strings.Join(args, ", ") + ")"
	}
	return w.made(size, depth)
}

// made writes a number made of a vector, or a vector made of numbers or of a longer one.
func (w writer) made(size, depth int) string {
	n := 1 + w.IntN(4)
	if size == 0 {
		v := w.number(n, depth-1)
		switch w.IntN(3) {
		case 0:
			return w.pick("sum", "mean", "norm", "min", "max") + "(" + v + ")"
		case 1:
			return "dot(" + v + ", " + w.number(n, depth-1) + ")"
		}
		return fmt.Sprintf("%s[%d]", v, w.IntN(n))
	}
	if w.IntN(2) == 0 {
		from := w.IntN(3)
		return fmt.Sprintf("(%s)[%d:%d]", w.number(from+size+w.IntN(2), depth-1), from, from+size)
	}
	parts := make([]string, size)
	for i := range parts {
		parts[i] = w.number(0, depth-1)
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

func (w writer) vector(size int) string {
	switch size {
	case 3:
		return w.pick("base_lin_vel", "command.velocity")
	case 4:
		return w.pick("joint_pos", "joint_vel", "joint_torque", "action")
	case 1, 2:
		return fmt.Sprintf("joint_vel[%d:%d]", 4-size, 4)
	}
	return "[" + strings.Repeat("time, ", size-1) + "base_height]"
}

// broadcast returns the size of an operand of an operator on vectors of a size.
func (w writer) broadcast(size int) int { return size * w.IntN(2) }

// truth writes a formula whose value is a truth value or a vector of them.
func (w writer) truth(size, depth int) string {
	if depth == 0 {
		if size == 4 {
			return "foot_contact"
		}
		return w.number(size, 0) + " < 0.2"
	}
	switch w.IntN(5) {
	case 0:
		return "(" + w.truth(size, depth-1) + " " + w.pick("and", "or", "&&") + " " + w.truth(w.broadcast(size), depth-1) +
			")"
	case 1:
		return "not (" + w.truth(size, depth-1) + ")"
	case 2:
		if size == 0 {
			return w.pick("any", "all") + "(" + w.truth(1+w.IntN(4), depth-1) + ")"
		}
	case 3:
		if size == 0 {
			return "(" + w.number(0, depth-1) + " < " + w.number(0, depth-1) + " >= " + w.number(0, depth-1) + ")"
		}
	}
	return w.number(size, depth-1) + w.pick(" < ", " >= ") + w.number(w.broadcast(size), depth-1)
}

func sameBits(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }

// TestAgainstNaiveWalk compares random formulas with a walk over their trees.
func TestAgainstNaiveWalk(t *testing.T) {
	w := writer{rand.New(rand.NewPCG(1, 2))}
	finite, vectors := 0, 0
	for range 3000 {
		source := w.number(w.IntN(2)*(1+w.IntN(5)), 1+w.IntN(5))
		if len(source) > 4096 {
			continue
		}
		p, err := Compile(source, scope)
		if err != nil {
			if strings.Contains(err.Error(), "want at most") {
				continue
			}
			t.Fatalf("%.500s: %v", source, err)
		}
		want, got := naive(polytest.Must(parse(source))(t)), evaluate(p, frame)
		if !slices.EqualFunc(got, want, sameBits) {
			t.Fatalf("%s is %v, want %v", source, got, want)
		}
		if p.Size > 0 {
			vectors++
		}
		if !slices.ContainsFunc(got, func(x float64) bool { return x-x != 0 }) {
			finite++
		}
	}
	if finite < 1000 || vectors < 1000 {
		t.Errorf("%d results were finite and %d vectors, want at least 1000 of each: the formulas test little", finite,
			vectors)
	}
}

// matrix is the rotation of a unit quaternion, by the formula of textbooks.
func matrix(q []float64) (m [3][3]float64) {
	w, x, y, z := q[0], q[1], q[2], q[3]
	return [3][3]float64{
		{1 - 2*(y*y+z*z), 2 * (x*y - w*z), 2 * (x*z + w*y)},
		{2 * (x*y + w*z), 1 - 2*(x*x+z*z), 2 * (y*z - w*x)},
		{2 * (x*z - w*y), 2 * (y*z + w*x), 1 - 2*(x*x+y*y)},
	}
}

// TestQuaternions compares the functions of quaternions with rotation matrices.
func TestQuaternions(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	call := func(name string, args ...[]float64) []float64 {
		f := shapes[name]
		to := make([]float64, max(f.resultSize, 1))
		f.function(to, [3][]float64(append(args, nil, nil)[:3]))
		return to
	}
	times := func(m [3][3]float64, v []float64) []float64 {
		out := make([]float64, 3)
		for i := range 3 {
			out[i] = m[i][0]*v[0] + m[i][1]*v[1] + m[i][2]*v[2]
		}
		return out
	}
	quaternion := func() []float64 {
		q := []float64{r.NormFloat64(), r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}
		n := norm(q)
		for i := range q {
			q[i] /= n
		}
		return q
	}
	for range 500 {
		a, b := quaternion(), quaternion()
		v := []float64{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}
		angles := call("euler_xyz_from_quat", a)
		cr, sr, cp, sp := math.Cos(angles[0]), math.Sin(angles[0]), math.Cos(angles[1]), math.Sin(angles[1])
		cy, sy := math.Cos(angles[2]), math.Sin(angles[2])
		roll, pitch := [3][3]float64{{1}, {0, cr, -sr}, {0, sr, cr}}, [3][3]float64{{cp, 0, sp}, {0, 1}, {-sp, 0, cp}}
		yaw := [3][3]float64{{cy, -sy}, {sy, cy}, {0, 0, 1}}
		apart := call("quat_box_minus", a, b)
		angle := norm(apart)
		for _, c := range []struct {
			name      string
			got, want []float64
		}{
			{"quat_apply", call("quat_apply", a, v), times(matrix(a), v)},
			{"quat_apply_inverse", times(matrix(a), call("quat_apply_inverse", a, v)), v},
			{"quat_mul", times(matrix(call("quat_mul", a, b)), v), times(matrix(a), times(matrix(b), v))},
			{"quat_conjugate", times(matrix(call("quat_conjugate", a)), times(matrix(a), v)), v},
			{"euler_xyz_from_quat", times(yaw, times(pitch, times(roll, v))), times(matrix(a), v)},
			{"quat_from_euler_xyz", times(matrix(call("quat_from_euler_xyz", angles[:1], angles[1:2], angles[2:])), v),
				times(matrix(a), v)},
			{"yaw_quat", times(matrix(call("yaw_quat", a)), v), times(yaw, v)},
			{"quat_apply_yaw", call("quat_apply_yaw", a, v), times(yaw, v)},
			{"quat_box_minus", times(matrix(call("quat_from_angle_axis", []float64{angle}, apart)), times(matrix(b), v)),
				times(matrix(a), v)},
			{"quat_error_magnitude", call("quat_error_magnitude", a, b), []float64{angle}},
			{"axis_angle_from_quat", call("axis_angle_from_quat", call("quat_mul", a, call("quat_conjugate", b))), apart},
		} {
			if !slices.EqualFunc(c.got, c.want, func(x, y float64) bool { return math.Abs(x-y) < 1e-12 }) {
				t.Fatalf("%s of %v, %v and %v: %v, want %v", c.name, a, b, v, c.got, c.want)
			}
		}
		if angle > math.Pi {
			t.Fatalf("the angle between %v and %v is %v, want at most π", a, b, angle)
		}
	}
	// a half turn, and a very small one
	if got := call("axis_angle_from_quat", []float64{0, 0, 1, 0}); !slices.Equal(got, []float64{0, math.Pi, 0}) {
		t.Errorf("a half turn about y is %v", got)
	}
	if got := call("axis_angle_from_quat", []float64{1, 1e-12, 0, 0}); got[0] != 2e-12 {
		t.Errorf("a turn by 2e-12 about x is %v", got)
	}
	near := func(a, b []float64) bool {
		return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Abs(x-y) < 1e-12 })
	}
	// an axis of any length, also where its square is no number that a computer has, and none where nothing turns
	for _, c := range []struct {
		angle      float64
		axis, want []float64
	}{
		{0, []float64{0, 0, 0}, []float64{1, 0, 0, 0}},
		{1, []float64{0, 0, 0}, []float64{1, 0, 0, 0}},
		{0, []float64{0, 5, 0}, []float64{1, 0, 0, 0}},
		{math.Pi, []float64{3e-170, 4e-170, 0}, []float64{0, 0.6, 0.8, 0}},
		{math.Pi, []float64{3e-160, 0, -4e-160}, []float64{0, 0.6, 0, -0.8}},
		{math.Pi, []float64{0, 3e200, 4e200}, []float64{0, 0, 0.6, 0.8}},
	} {
		if got := call("quat_from_angle_axis", []float64{c.angle}, c.axis); !near(got, c.want) {
			t.Errorf("quat_from_angle_axis of %v and %v is %v, want %v", c.angle, c.axis, got, c.want)
		}
	}
	// x up or down, where roll and yaw are about the same axis: the angles are those of the same turn
	for _, pitch := range []float64{math.Pi / 2, -math.Pi / 2} {
		for range 100 {
			q := call("quat_from_euler_xyz", []float64{r.NormFloat64()}, []float64{pitch}, []float64{2 * r.NormFloat64()})
			angles := call("euler_xyz_from_quat", q)
			again := call("quat_from_euler_xyz", angles[:1], angles[1:2], angles[2:])
			// the half angle of a turn of nearly π/2 is known to half the digits
			if off := call("quat_error_magnitude", q, again)[0]; off > 1e-7 {
				t.Fatalf("the angles of %v are %v, which is %v, %v rad away", q, angles, again, off)
			}
		}
	}
}

// FuzzCompile compiles anything: an error has a place in the text, and a program gives
// the same bits whatever was in its scratch before.
func FuzzCompile(f *testing.F) {
	for _, seed := range []string{
		"1", "exp(-square(command.velocity[0] - base_lin_vel[0]) / 0.25)", "where(foot_contact, joint_vel, -action)[1:3]",
		"any(joint_vel > 1) and not terminated", "a?.b ?? c", "let x = 1; x", "map(1..9, {# + 1})", "{a: 1}", "[[1], 2][0]",
		"1 < 2 < 3 < 4",
		"'a' matches 'b'", "b'\\x00'", "`", "/*", "//", "if true {1} else {2}", "::sum(joint_vel)", "joint_vel | sum()",
		"0x7fffffffffffffff", "1e-999", ".5.5", "((((((((((1))))))))))", "- - - - -1", "2^2^2^2^2",
		"sensor[\"left-gyro\"][2]", "#", "$env", "not in", "min(1, joint_vel, 2)", "\u00e9 + \U0001f600",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, source string) {
		p, err := Compile(source, scope)
		if err != nil {
			wrong, ok := err.(*Error)
			if !ok || wrong.Line < 1 || wrong.Column < 1 || strings.ContainsAny(err.Error(), "\n\r") {
				t.Fatalf("%q: error is %#v, want one line with a place", source, err)
			}
			return
		}
		first := evaluate(p, frame)
		second := make([]float64, len(first))
		p.Vector(second, frame, slices.Repeat([]float64{7}, p.Scratch))
		if !slices.EqualFunc(first, second, sameBits) {
			t.Fatalf("%q is %v, then %v", source, first, second)
		}
	})
}
