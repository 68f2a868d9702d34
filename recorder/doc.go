// Package recorder writes and reads datasets: typed tables of rows as Arrow IPC streams, in a folder that Hugging Face
// datasets, pyarrow and polars load directly.
//
// # A dataset on disk
//
// The first table, normally capture, is in the dataset folder itself; every other table is in a sub-folder of its name.
// Each of these folders is what load_from_disk expects:
//
//	DATASET/polyrhythm.json                   what was recorded: metadata and all tables with their columns
//	DATASET/data-00000-of-00002.arrow …       the rows of the first table, as Arrow IPC streams
//	DATASET/data.journal                      one line per message of those streams: place, rows, episodes, checksum
//	DATASET/dataset_info.json, state.json     what Hugging Face reads; state.json is written last
//	DATASET/episodes/…                        the second table, in the same way
//
// While a dataset is being written, its streams are called data-00000.arrow.part and there is no state.json. A killed
// run leaves these and the journals. Every row whose message is in a journal can then be recovered; see
// recorder/recovery. A process that writes or recovers a dataset holds a lock on polyrhythm.json.
//
// # Order, and why the bytes do not depend on timing
//
// Rows come from blocks of worlds that are stepped by any number of goroutines. Each block has its own [BlockWriter],
// which hands over its rows segment by segment. A segment is a stretch of the run that every block passes through, for
// instance one rollout. One goroutine writes: segment after segment, within it block after block, within a block by
// [Key]. Record batches and shards are cut by rows and bytes alone. The files are therefore a function of the rows.
//
// Memory holds the segments that are being filled or wait to be written, from one pool for all block writers, and one
// record batch per table, as rows and as columns. When the disk is slow, a block writer waits for its own previous
// segment and, while more than [Options].StagedBytes are queued, for the writer. Nothing is dropped.
//
// # Slices
//
// A dataset may be of some blocks of a run ([Options].Slice). Its journals then say of which segment and block the rows
// of each batch are, and where among them the episodes ended, and each segment begins a batch. [Merge] makes the
// dataset of the whole run from such slices: it takes rows segment after segment and slice after slice, and cuts them
// into batches and shards as the writer of the whole run would.
//
// The package knows tables, not worlds: recorder/worlds fills the tables of a run. It imports recorder/format,
// recorder/internal/folder and internal/disk.
package recorder
