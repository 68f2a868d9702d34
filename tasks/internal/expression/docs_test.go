package expression

import (
	"os"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

// TestDocs looks for every function in docs/configuration.md, and for the bounds.
func TestDocs(t *testing.T) {
	data := polytest.Must(os.ReadFile("../../../docs/configuration.md"))(t)
	_, section, ok := strings.Cut(string(data), "\n## Expressions\n")
	if !ok {
		t.Fatal("no section Expressions")
	}
	for name := range functions {
		if !strings.Contains(section, "`"+name+"`") && !strings.Contains(section, "`"+name+"(") {
			t.Errorf("the page does not name %s", name)
		}
	}
	for name := range shapes {
		if !strings.Contains(section, "`"+name+"(") {
			t.Errorf("the page does not name %s", name)
		}
	}
	for operator, r := range operators {
		if r.truth && r.operands != truths && !strings.Contains(section, "`"+operator+"`") {
			t.Errorf("the page does not name %s", operator)
		}
	}
	bounds := strings.Join(strings.Fields(section), " ")
	if !strings.Contains(bounds, "at most 4096 bytes, 1000 parts and 64 levels") ||
		maxBytes != 4096 || maxNodes != 1000 || maxDepth != 64 {
		t.Errorf("the bounds are %d bytes, %d parts and %d levels, which the page does not say", maxBytes, maxNodes, maxDepth)
	}
}
