package terms

import "testing"

// TestFieldArrays: what an event changes is a quantity.
func TestFieldArrays(t *testing.T) {
	for _, f := range fields {
		if _, ok := fieldArrays[f.array]; !ok {
			t.Errorf("%s changes %q, which is not among the arrays of quantities", f.Name, f.array)
		}
	}
}
