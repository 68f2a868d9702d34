package gymnasium_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

// The table in the documentation is made of what the tests hold the tasks to.
func TestDocumentedParity(t *testing.T) {
	var table strings.Builder
	for _, p := range parityTasks {
		run, _ := p.open(t, nil, 1, nil)
		quantities := []string{"observation"}
		if p.angles[1] > 0 {
			quantities = append(quantities, "angles")
		}
		quantities = append(quantities, "reward", "terminated", "truncated")
		for _, name := range run.Spec().InfoNames {
			if name, _, _ = strings.Cut(name, "["); !slices.Contains(quantities, name) {
				quantities = append(quantities, name)
			}
		}
		var cells [3][]string
		for _, q := range quantities {
			cells[p.grades[q]] = append(cells[p.grades[q]], "`"+q+"`")
		}
		fmt.Fprintf(&table, "| %s |", p.Name)
		for _, cell := range cells {
			if len(cell) == 0 {
				cell = []string{"–"}
			}
			fmt.Fprintf(&table, " %s |", strings.Join(cell, " "))
		}
		table.WriteString("\n")
	}
	text := polytest.Must(os.ReadFile("../../docs/evidence/parity.md"))(t)
	if !strings.Contains(string(text), "|---|---|---|---|\n"+table.String()+"\n") {
		t.Errorf("docs/evidence/parity.md has another table; it should be\n%s", &table)
	}
}

// Every option stands in the documentation.
func TestOptionsAreDocumented(t *testing.T) {
	text := polytest.Must(os.ReadFile("../../docs/reference/configuration/gymnasium.md"))(t)
	for _, p := range parityTasks {
		task, _, _ := strings.Cut(p.Name, "-")
		for name := range p.options() {
			_, row, found := strings.Cut(string(text), "\n| `"+name+"` |")
			row, _, _ = strings.Cut(row, "\n")
			if !found || !regexp.MustCompile(`\b`+task+`\b`).MatchString(row) {
				t.Errorf("docs/reference/configuration/gymnasium.md lacks option %s of %s", name, p.Name)
			}
		}
	}
}
