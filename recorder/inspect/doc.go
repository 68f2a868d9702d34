// Package inspect reads a whole dataset, once, and says what is in it and whether it keeps the promises of
// docs/datasets.md: rows at the exact timestamps of their rate without a gap, sync flags on the beat, stamps that are never of
// the future, rewards that add up to each return. Whatever the size of the dataset, it holds one record batch and a few
// numbers for each world and column.
//
// It goes by the tables that the dataset describes and by the names of their columns, so that it reads any set of tables.
package inspect
