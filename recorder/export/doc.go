// Package export writes a dataset in the layouts of other tools: Hugging Face datasets, Minari, LeRobot, Parquet, MCAP
// and CSV.
//
// In a dataset the rows of one episode are mixed with those of other worlds. An export sorts them by episode with an
// external merge sort: it reads a table once, keeps up to [Options].Memory of rows in memory, and writes the others to
// a file, which it merges. Memory is therefore bounded whatever the size of the dataset, and the disk needs room for
// the largest table a second time while the export runs. Minari and LeRobot write an episode in one piece, so memory
// also holds the longest episode.
//
// An export compares the number of rows of every episode with the table "episodes" and fails rather than write fewer.
// Values keep their bits unless [Formats] says otherwise.
//
// An export runs on one goroutine. Each format is one file of this package. The package imports recorder,
// recorder/format, internal/disk and runners.
package export
