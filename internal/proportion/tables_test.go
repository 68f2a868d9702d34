package proportion_test

import (
	"encoding/csv"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/internal/proportion"
)

// read returns the rows of a file that testdata/tables.py has written; each field has one number or several.
func read(t *testing.T, name string, least int) (rows [][][]float64) {
	t.Helper()
	file := polytest.Must(os.Open("testdata/" + name))(t)
	defer file.Close()
	lines := polytest.Must(csv.NewReader(file).ReadAll())(t)[1:]
	if len(lines) < least {
		t.Fatalf("%s has %d rows, want at least %d", name, len(lines), least)
	}
	for _, line := range lines {
		row := make([][]float64, len(line))
		for i, field := range line {
			for _, word := range strings.Fields(field) {
				row[i] = append(row[i], polytest.Must(strconv.ParseFloat(word, 64))(t))
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// near reports a value that is farther from the one wanted than so much.
func near(t polytest.TB, got, want, tolerance float64, subject string, args ...any) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf(subject+": got %v, want %v: %.2g apart", append(args, got, want, math.Abs(got-want))...)
	}
}

// TestAgainstOtherPrograms compares with statsmodels (Wilson, McNemar), and with the definitions of the other two
// intervals in 30 digits (mpmath), whose likeliest probabilities an optimiser finds.
func TestAgainstOtherPrograms(t *testing.T) {
	for _, row := range read(t, "tables.csv", 1000) {
		p := proportion.Paired{Both: int(row[0][0]), OnlyReference: int(row[1][0]), OnlyCandidate: int(row[2][0]),
			Neither: int(row[3][0])}
		alpha := row[4][0]
		for i, interval := range []proportion.Interval{
			proportion.Wilson(p.Both+p.OnlyCandidate, p.Pairs(), alpha),
			p.Tango(alpha),
		} {
			name := []string{"Wilson", "Tango"}[i]
			near(t, interval.Low, row[5+2*i][0], 1e-12, "%s of %+v at %v, low", name, p, alpha)
			near(t, interval.High, row[6+2*i][0], 1e-12, "%s of %+v at %v, high", name, p, alpha)
		}
		near(t, p.McNemar(), row[9][0], 1e-12*row[9][0], "McNemar of %+v", p)
		sequence := proportion.Sequence(p.Both+p.OnlyCandidate, p.Pairs(), alpha)
		near(t, sequence.Low, row[10][0], 1e-12, "Sequence of %+v at %v, low", p, alpha)
		near(t, sequence.High, row[11][0], 1e-12, "Sequence of %+v at %v, high", p, alpha)
	}
}

func TestHolmAgainstStatsmodels(t *testing.T) {
	for _, row := range read(t, "holm.csv", 100) {
		for i, got := range proportion.Holm(row[0]) {
			near(t, got, row[1][i], 1e-15, "Holm(%v)[%d]", row[0], i)
		}
	}
}

// TestSpendAgainstIntegrals compares with the integrals of two and three looks in many digits (mpmath).
func TestSpendAgainstIntegrals(t *testing.T) {
	for _, row := range read(t, "levels.csv", 8) {
		looks := make([]int, len(row[0]))
		for i, look := range row[0] {
			looks[i] = int(look)
		}
		for i, got := range proportion.Spend(looks, row[1][0]) {
			near(t, got/row[2][i], 1, 1e-10, "Spend(%v, %v)[%d]", looks, row[1][0], i)
		}
	}
}
