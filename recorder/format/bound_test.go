package format

import (
	"encoding/json"
	"math"
	"slices"
	"testing"
)

func TestBounds(t *testing.T) {
	if b := Bounds([]float64{math.Inf(-1), math.Inf(-1)}); b != nil {
		t.Errorf("no bounds at all are %v, want none", b)
	}
	want := Bounds([]float64{-1, math.Inf(1), math.Inf(-1), 0.1, -math.MaxFloat64})
	text, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	if string(text) != `[-1,"Infinity","-Infinity",0.1,-1.7976931348623157e+308]` {
		t.Errorf("written as %s", text)
	}
	var got []Bound
	if err := json.Unmarshal(text, &got); err != nil || !slices.Equal(got, want) {
		t.Errorf("read as %v, %v, want %v", got, err, want)
	}
	for _, bad := range []string{`["inf"]`, `[null]`, `[true]`, `[1e999]`} {
		if err := json.Unmarshal([]byte(bad), &got); err == nil {
			t.Errorf("%s was read as %v", bad, got)
		}
	}
	if _, err := json.Marshal(Bound(math.NaN())); err == nil {
		t.Error("NaN was written")
	}
}
