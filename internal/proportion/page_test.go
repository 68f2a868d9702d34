package proportion_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/internal/proportion"
)

// TestPageHasTheFigures wants the figures of the page about the exam to be those that this package computes.
func TestPageHasTheFigures(t *testing.T) {
	page := string(polytest.Must(os.ReadFile("../../docs/explanation/exam.md"))(t))
	needed := func(loss, discordance, bound float64) string {
		if discordance < 2*loss/1.5 { // hardly a pair in which the candidate alone succeeds
			return ""
		}
		return fmt.Sprintf("%.0f", proportion.PairsNeeded(loss, discordance, bound, 0.05, 0.9))
	}
	var rows []string
	for _, d := range []float64{0.05, 0.1, 0.2, 0.3, 0.5} {
		rows = append(rows, fmt.Sprintf("| %.0f %% | %s | %s | %s | %s |", 100*d, needed(0, d, 0.05), needed(0, d, 0.1),
			needed(0.05, d, 0), needed(0.1, d, 0)))
	}
	rows = append(rows, "takes "+needed(0.1, 0.2, 0.05)+" pairs at a discordance of 20 %")
	for _, loss := range []float64{-0.025, 0, 0.025, 0.05, 0.1} {
		o := usual.Outcomes(loss, 0.2)
		rows = append(rows, fmt.Sprintf("| %.3g | %.1f %% | %.1f %% | %.1f %% | %.0f |", 100*loss, 100*o.Passes,
			100*o.Fails, 100*(1-o.Passes-o.Fails), o.Pairs))
	}
	levels := proportion.Spend(usual.Looks, usual.Alpha)
	rows = append(rows, fmt.Sprintf("| %.0e | %.5f | %.3f | %.3f |", levels[0], levels[1], levels[2], levels[3]))
	for _, row := range rows {
		if !strings.Contains(page, row) {
			t.Errorf("the page lacks %q", row)
		}
	}
}
