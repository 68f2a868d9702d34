// Package spell finds the known name nearest to a misspelt one.
package spell

import (
	"cmp"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

// Nearest returns the name in known at the least [Distance] from word, the first if
// several are equally near. It panics if known is empty.
func Nearest(word string, known []string) string {
	return slices.MinFunc(known, func(a, b string) int { return cmp.Compare(Distance(word, a), Distance(word, b)) })
}

// Distance returns the Levenshtein distance of two words, without regard to case.
func Distance(a, b string) int {
	return levenshtein.ComputeDistance(strings.ToLower(a), strings.ToLower(b))
}
