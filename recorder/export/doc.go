// Package export writes a dataset anew in the layouts that other tools read:
// Hugging Face datasets, Minari, LeRobot, Parquet, MCAP and CSV.
//
// A dataset holds the rows of one episode among those of the other worlds. Every
// export brings them together, in ascending order of episodes, by an external
// merge sort: it reads a table once, sorts as many rows as [Options.Memory]
// holds, and where there are more puts them aside on the disk and merges. So
// memory is bounded whatever the size of the dataset, and the disk needs room
// for the largest table once more while the export runs. Where the target keeps
// an episode in one piece, as Minari and LeRobot do, memory also holds the longest
// episode.
//
// The number of rows of every episode is compared with what the table
// "episodes" says; an export that would be short fails. Values are those of the
// dataset, bit for bit, but where [Formats] says otherwise.
//
// The room may import recorder, runners and physics (for its errors about names).
// An export runs on one goroutine.
package export
