// Package inspect reads a whole dataset once, sums it up, and checks the promises of docs/reference/dataset-format.md: rows at the
// exact timestamps of their rate without a gap, sync flags on the beat, stamps that are never in the future, rewards
// that add up to each return. Memory holds one record batch and a few numbers for each world and column, whatever the
// size of the dataset.
//
// It recognises tables and columns by their description and names, so it reads any set of tables.
package inspect
