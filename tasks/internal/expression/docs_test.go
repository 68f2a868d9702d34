package expression

import (
	"os"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

// TestDocs looks for every function in docs/reference/configuration/expressions.md, and for the bounds.
func TestDocs(t *testing.T) {
	page := string(polytest.Must(os.ReadFile("../../../docs/reference/configuration/expressions.md"))(t))
	for name := range functions {
		if !strings.Contains(page, "`"+name+"`") && !strings.Contains(page, "`"+name+"(") {
			t.Errorf("the page does not name %s", name)
		}
	}
	for name := range shapes {
		if !strings.Contains(page, "`"+name+"(") {
			t.Errorf("the page does not name %s", name)
		}
	}
	for operator, r := range operators {
		if r.truth && r.operands != truths && !strings.Contains(page, "`"+operator+"`") {
			t.Errorf("the page does not name %s", operator)
		}
	}
	bounds := strings.Join(strings.Fields(page), " ")
	if !strings.Contains(bounds, "at most 4096 bytes, 1000 parts and 64 levels") ||
		maxBytes != 4096 || maxNodes != 1000 || maxDepth != 64 {
		t.Errorf("the bounds are %d bytes, %d parts and %d levels, which the page does not say", maxBytes, maxNodes, maxDepth)
	}
}
