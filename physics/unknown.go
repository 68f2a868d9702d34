package physics

import "fmt"

// UnknownError is the error for a name that is not among known: kind says what
// was looked for ("probe", "field"). It names the known one that takes the
// fewest edits to reach, the first such in the order of known.
func UnknownError(kind, name string, known []string) error {
	if len(known) == 0 {
		return fmt.Errorf("unknown %s %q: there are none", kind, name)
	}
	nearest, best := known[0], editDistance(name, known[0])
	for _, k := range known[1:] {
		if d := editDistance(name, k); d < best {
			nearest, best = k, d
		}
	}
	return fmt.Errorf("unknown %s %q: the nearest known one is %q", kind, name, nearest)
}

// editDistance counts the bytes to insert, delete or replace to turn a into b
// (Levenshtein), by the usual dynamic programme over one row of its table.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
