package rundir

import (
	"bytes"
	"encoding/csv"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

// Evaluations are read as they were written, bit for bit, and the table has one header.
func TestEvaluationsTable(t *testing.T) {
	want := []Intermediate{
		{640, Evaluation{Seed: 1<<64 - 1, Episodes: 3, MeanReturn: 1.0 / 3, StdReturn: 5e-324, MinReturn: -1e300,
			MaxReturn: math.Copysign(0, -1), MeanLength: 12.5, Terminated: 1, Truncated: 2,
			Infos: map[string]float64{"a, b": 0.1, "z": 2}}},
		{1 << 50, Evaluation{Episodes: 1, MeanReturn: 4, Faults: 1, FirstFault: "world 3, \"x\"\nand more",
			Infos: map[string]float64{"a, b": -7, "z": 1e-9}}},
	}
	var text bytes.Buffer
	for i := range want {
		polytest.NoError(t, WriteEvaluation(&text, &want[i], i == 0))
	}
	lines := polytest.Must(csv.NewReader(bytes.NewReader(text.Bytes())).ReadAll())(t)
	if names := strings.Join(lines[0], "|"); len(lines) != 3 || names != "env_steps|seed|episodes|mean_return|std_return|"+
		"min_return|max_return|mean_length|terminated|truncated|faults|info/a, b|info/z|first_fault" {
		t.Errorf("%d lines, the first is %s", len(lines), names)
	}
	got := polytest.Must(ReadEvaluations(bytes.NewReader(text.Bytes())))(t)
	if !reflect.DeepEqual(got, want) || !math.Signbit(got[0].MaxReturn) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if none := polytest.Must(ReadEvaluations(strings.NewReader("")))(t); len(none) != 0 {
		t.Errorf("%d evaluations of an empty file", len(none))
	}
	_, err := ReadEvaluations(strings.NewReader("env_steps,mean_return\n1,2\n3,x\n"))
	polytest.ErrorContains(t, err, `line 3: mean_return is "x", want a number`)
	empty := polytest.Must(ReadEvaluations(strings.NewReader("env_steps,mean_return\n1,\n")))(t)
	if !math.IsNaN(empty[0].MeanReturn) {
		t.Errorf("an empty cell is %v, want NaN", empty[0].MeanReturn)
	}
}
