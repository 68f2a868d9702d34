// Package spell finds what a misspelt name was meant to be.
package spell

import (
	"cmp"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

// Nearest returns the name that takes the fewest edits to reach from word, the first of
// equals. known must not be empty.
func Nearest(word string, known []string) string {
	return slices.MinFunc(known, func(a, b string) int { return cmp.Compare(Distance(word, a), Distance(word, b)) })
}

// Distance is the number of edits of a letter between two words; capitals do not count.
func Distance(a, b string) int {
	return levenshtein.ComputeDistance(strings.ToLower(a), strings.ToLower(b))
}
