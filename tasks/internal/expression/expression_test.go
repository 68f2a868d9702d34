package expression

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

// scope is what the tests' formulas are over.
var scope = Scope{
	{Name: "base_height"},
	{Name: "base_lin_vel", Size: 3},
	{Name: "command.velocity", Size: 3},
	{Name: "joint_pos", Size: 4},
	{Name: "joint_vel", Size: 4},
	{Name: "joint_torque", Size: 4},
	{Name: "action", Size: 4},
	{Name: "terminated", Bool: true},
	{Name: "foot_contact", Size: 4, Bool: true},
	{Name: "sensor.left-gyro", Size: 3},
	{Name: "time"},
}

// values is a frame of the scope.
type values [][]float64

func (v values) Quantity(i int) []float64 { return v[i] }

var frame = values{
	{0.3}, {0.5, -0.25, 0.125}, {1, 0.5, 0}, {0.1, -0.2, 0.3, -0.4}, {1, -2, 3, -4}, {10, 20, -30, 40},
	{0.5, -0.5, 0.25, 1}, {0}, {1, 0, 0, 1}, {0.5, 0.25, -1}, {2},
}

// spoilt returns scratch whose values must not matter.
func spoilt(p *Program) []float64 {
	return slices.Repeat([]float64{math.NaN()}, p.Scratch)
}

func evaluate(p *Program, f Frame) []float64 {
	result := make([]float64, max(p.Size, 1))
	p.Vector(result, f, spoilt(p))
	return result
}

// formulas holds formulas with their values.
var formulas = []struct {
	source string
	want   []float64
}{
	{"1 + 2 * 3 - 4 / 8", []float64{6.5}},
	{"-2^2", []float64{-4}},
	{"2^3^2", []float64{512}},
	{"2 ** -1", []float64{0.5}},
	{"7 % 4 + -7 % 4", []float64{0}},
	{"base_height", []float64{0.3}},
	{"base_height - 0.3", []float64{0}},
	{"square(base_height)", []float64{0.3 * 0.3}},
	{"base_height^2", []float64{0.3 * 0.3}},
	{"base_height^3", []float64{math.Pow(0.3, 3)}},
	{"base_height / time", []float64{0.3 / 2}},
	{"sqrt(base_height) * sqrt(base_height)", []float64{math.Sqrt(0.3) * math.Sqrt(0.3)}},
	{"sqrt(base_height)", []float64{math.Sqrt(0.3)}},
	{"base_lin_vel", []float64{0.5, -0.25, 0.125}},
	{"base_lin_vel[1]", []float64{-0.25}},
	{"base_lin_vel[1:]", []float64{-0.25, 0.125}},
	{"base_lin_vel[:2]", []float64{0.5, -0.25}},
	{"base_lin_vel[1:2][0]", []float64{-0.25}},
	{"(base_lin_vel - command.velocity)[:2] + base_lin_vel[1:]", []float64{-0.75, -0.625}},
	{"command.velocity - base_lin_vel", []float64{0.5, 0.75, -0.125}},
	{"exp(-sum(square((command.velocity - base_lin_vel)[:2])) / 0.25)", []float64{math.Exp(-(0.25 + 0.5625) / 0.25)}},
	{"1 - joint_pos", []float64{0.9, 1.2, 0.7, 1.4}},
	{"joint_pos / 2 - 1", []float64{-0.95, -1.1, -0.85, -1.2}},
	{"sum(abs(joint_torque * joint_vel))", []float64{10 + 40 + 90 + 160}},
	{"mean(joint_vel)", []float64{-0.5}},
	{"norm([3, 4])", []float64{5}},
	{"dot(joint_vel, joint_vel)", []float64{30}},
	{"max(joint_vel) - min(joint_vel)", []float64{7}},
	{"max(joint_vel, 0)", []float64{1, 0, 3, 0}},
	{"min(1, joint_vel, 2)", []float64{1, -2, 1, -4}},
	{"clamp(joint_vel, -1, 2)", []float64{1, -1, 2, -1}},
	{"atan2(base_lin_vel[1], base_lin_vel[0])", []float64{math.Atan2(-0.25, 0.5)}},
	{"joint_vel > 0", []float64{1, 0, 1, 0}},
	{"any(joint_vel > 2)", []float64{1}},
	{"all(joint_vel > 2)", []float64{0}},
	{"all(foot_contact or not foot_contact)", []float64{1}},
	{"foot_contact and joint_vel > 0", []float64{1, 0, 0, 0}},
	{"where(foot_contact, joint_vel, 0)", []float64{1, 0, 0, -4}},
	{"where(terminated, joint_vel, joint_vel * 2)", []float64{2, -4, 6, -8}},
	{"where(foot_contact, 1, 2)", []float64{1, 2, 2, 1}},
	{"where(foot_contact and joint_vel > 0, action, joint_pos)[2]", []float64{0.3}},
	{"terminated ? 1/0 : 3", []float64{3}},
	{"0.2 < base_height <= 0.3 && !terminated", []float64{1}},
	{"terminated == false", []float64{1}},
	{"base_height != 0.3 or true", []float64{1}},
	{"[base_height, 2 * base_height, 1][1]", []float64{0.6}},
	{`sensor["left-gyro"][0]`, []float64{0.5}},
	{"sum(joint_vel - mean(joint_vel))", []float64{0}},
	{"base_height + // of the trunk\n 1", []float64{1.3}},
	{"abs(sin(1)) + cos(2) + tan(3) - tanh(4)", []float64{math.Sin(1) + math.Cos(2) + math.Tan(3) - math.Tanh(4)}},
	{"1 / 0", []float64{math.Inf(1)}},
	{"0 / 0 + sqrt(-1)", []float64{math.NaN()}},
	{"-log(0)", []float64{math.Inf(1)}},
	{"min(0/0, 1)", []float64{math.NaN()}},
}

func TestFormulas(t *testing.T) {
	for _, c := range formulas {
		p, err := Compile(c.source, scope)
		if err != nil {
			t.Errorf("%s: %v", c.source, err)
			continue
		}
		got := evaluate(p, frame)
		if !slices.EqualFunc(got, c.want, sameBits) {
			t.Errorf("%s is %v, want %v", c.source, got, c.want)
		}
	}
}

func TestWrongFormulas(t *testing.T) {
	deep := strings.Repeat("-", 70) + "1"
	for _, c := range []struct{ source, want string }{
		{"", "line 1, column 1: the formula is empty"},
		{" \n ", "line 1, column 1: the formula is empty"},
		{"base_hight", "line 1, column 1: no quantity base_hight; did you mean base_height?"},
		{"1 +\n  command.velocty[0]", "line 2, column 3: no quantity command.velocty; did you mean command.velocity?"},
		{"2 * summ(joint_vel)", "line 1, column 5: no function summ; did you mean sum?"},
		{"joint_vel + base_lin_vel",
			"line 1, column 11: + is of a vector of 4 numbers and a vector of 3 numbers, want the same size"},
		{"dot(joint_vel, base_lin_vel)",
			"line 1, column 1: dot is of a vector of 4 numbers and a vector of 3 numbers, want two vectors of the same size"},
		{"where(foot_contact, base_lin_vel, 0)",
			"line 1, column 1: where is of a vector of 4 truth values and a vector of 3 numbers, want the same size"},
		{"sum(base_height)", "line 1, column 1: sum is of a number, want a vector"},
		{"max(base_height)", "line 1, column 1: max is of a number, want a vector"},
		{"sum()", "line 1, column 1: sum has 0 arguments, want 1"},
		{"min()", "line 1, column 1: min has 0 arguments, want 1 or more"},
		{"base_height[0]", "line 1, column 12: [] is of a number, want a vector"},
		{"joint_vel[4]", "line 1, column 10: index is 4, want 0 to 3"},
		{"joint_vel[-1]", "line 1, column 10: want a whole number from 0 to 3 in the brackets"},
		{"joint_vel[time]", "line 1, column 10: want a whole number from 0 to 3 in the brackets"},
		{"joint_vel[2:2]", "line 1, column 10: the part is 2:2, want 0 ≤ from < to ≤ 4"},
		{"joint_vel[:5]", "line 1, column 10: the part is 0:5, want 0 ≤ from < to ≤ 4"},
		{"terminated + 1",
			"line 1, column 12: + is of a truth value, want numbers; where(c, 1, 0) makes a number of a truth value c"},
		{"-terminated",
			"line 1, column 1: - is of a truth value, want numbers; where(c, 1, 0) makes a number of a truth value c"},
		{"not base_height", "line 1, column 1: not is of a number, want truth values"},
		{"base_height and terminated", "line 1, column 13: and is of a number, want truth values"},
		{"base_height ? 1 : 2", "line 1, column 1: the condition is a number, want a truth value"},
		{"terminated ? 1 : true", "line 1, column 1: the choice is between a number and a truth value, want the same type"},
		{"any(joint_vel)", "line 1, column 1: any is of a vector of 4 numbers, want truth values"},
		{"all(terminated)", "line 1, column 1: all is of a truth value, want a vector"},
		{"[joint_vel]", "line 1, column 2: value 0 of the vector is a vector of 4 numbers, want a number"},
		{"[1, true]", "line 1, column 5: value 1 of the vector is a truth value, and those before are not"},
		{"[]", "line 1, column 1: the vector has no values, want at least one"},
		{"1 +", "line 1, column 3: the formula ends too early"},
		{"(1 + 2", "line 1, column 6: the formula ends too early"},
		{"1 2", `line 1, column 3: unexpected "2"`},
		{"joint_vel[0", "line 1, column 11: the formula ends too early"},
		{"1 @ 2", "line 1, column 3: unrecognized character: U+0040 '@'"},
		{"'text'",
			"line 1, column 1: this is not part of the language of formulas: numbers, quantities, operators and calls"},
		{"let a = 1; a",
			"line 1, column 5: this is not part of the language of formulas: numbers, quantities, operators and calls"},
		{"joint_vel?.x",
			"line 1, column 12: this is not part of the language of formulas: numbers, quantities, operators and calls"},
		{"1 in [1]", "line 1, column 3: operator in is not part of the language of formulas"},
		{"map(joint_vel, # * 2)", "line 1, column 1: no function map; did you mean max?"},
		{"99999999999999999999", "line 1, column 20: a number is too large"},
		{"1e400", "line 1, column 5: a number is too large"},
		{"\xff", "line 1, column 1: the formula is not valid UTF-8"},
		{deep, "line 1, column 65: the formula nests more than 64 deep, want at most that"},
		{strings.Repeat("(", 2000) + "1" + strings.Repeat(")", 2000),
			"line 1, column 65: more than 64 brackets are open, want at most that"},
		{strings.Repeat("1+", 600) + "1", "the formula has more than 1000 parts, want at most that"},
		{strings.Repeat(" ", 5000), "line 1, column 1: the formula has 5000 bytes, want at most 4096"},
	} {
		_, err := Compile(c.source, scope)
		var wrong *Error
		if !errors.As(err, &wrong) {
			t.Errorf("%.40q: error is %v, want %s", c.source, err, c.want)
			continue
		}
		if got := err.Error(); got != c.want && !(!strings.HasPrefix(c.want, "line") && strings.HasSuffix(got, c.want)) {
			t.Errorf("%.40q: error is\n%s\nwant\n%s", c.source, got, c.want)
		}
	}
}

// TestSharedTrees compiles a formula whose tree is huge though its text is short: the
// parser gives the comparisons of a < b < c the same b.
func TestSharedTrees(t *testing.T) {
	source := "1"
	for range 30 {
		source = "where(1 < " + source + " < 2, 1, 0)"
	}
	polytest.ErrorContains(t, polytest.Err(Compile(source, scope)), "more than 1000 parts")
}

func TestHugeQuantitiesAreBounded(t *testing.T) {
	huge := Scope{{Name: "v", Size: 1 << 40}}
	polytest.ErrorContains(t, polytest.Err(Compile("sum(square(v))", huge)), "values of memory")
}

func TestUsesAndBool(t *testing.T) {
	p, err := Compile("time > 1 or time < base_height", Scope{{Name: "base_height"},
		{Name: "unread"}, {Name: "time"}})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(p.Uses, []int{0, 2}) || !p.Bool || p.Size != 0 {
		t.Errorf("uses %v, truth value %v, size %d, want [0 2], true, 0", p.Uses, p.Bool, p.Size)
	}
}

func TestNoAllocation(t *testing.T) {
	var f Frame = frame
	for _, source := range []string{
		"exp(-square(command.velocity[0] - base_lin_vel[0]) / 0.25)",
		"sum(where(foot_contact and joint_vel > 0, joint_torque, [1, 2, 3, 2 * base_height]) * clamp(joint_vel, -1, 1)) + " +
			"1 * norm(joint_pos - mean(joint_pos))",
	} {
		p := polytest.Must(Compile(source, scope))(t)
		scratch := make([]float64, p.Scratch)
		if n := polytest.Allocations(100, func() { p.Float(f, scratch) }); n != 0 {
			t.Errorf("%s allocates %v times, want 0", source, n)
		}
	}
}
