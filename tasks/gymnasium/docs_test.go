package gymnasium_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
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
		fmt.Fprintf(&table, "| %s |", p.name)
		for _, cell := range cells {
			if len(cell) == 0 {
				cell = []string{"–"}
			}
			fmt.Fprintf(&table, " %s |", strings.Join(cell, " "))
		}
		table.WriteString("\n")
	}
	text, err := os.ReadFile("../../docs/parity.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), "|---|---|---|---|\n"+table.String()+"\n") {
		t.Errorf("docs/parity.md has another table; it should be\n%s", &table)
	}
}
