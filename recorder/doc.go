// Package recorder writes and reads datasets: typed tables of rows as Arrow IPC streams, in a folder that Hugging Face
// datasets, pyarrow and polars load as it is.
//
// # A dataset on disk
//
// The dataset folder is itself the first table (normally the capture table); every further table has a sub-folder of its
// name. Each of these folders is what load_from_disk expects:
//
//	DATASET/polyrhythm.json                   what was recorded: metadata and all tables with their columns
//	DATASET/data-00000-of-00002.arrow …       the rows of the first table, as Arrow IPC streams
//	DATASET/data.journal                      one line per message of those streams: place, rows, episodes, checksum
//	DATASET/dataset_info.json, state.json     what Hugging Face reads; state.json is written last
//	DATASET/episodes/…                        the second table, in the same way
//
// While a dataset is being written its streams are called data-00000.arrow.part and there is no state.json. A run that is
// killed leaves these and the journals: every row whose message stands in a journal can be had back. [Recover] does that, and
// says in recovered.json what is missing. Whoever writes or recovers a dataset holds a lock on the first table's journal.
//
// # Order, and why the bytes do not depend on timing
//
// Rows come from blocks of worlds that are stepped by any number of goroutines. Each block has its own [BlockWriter]; a block
// hands over its rows segment by segment (a segment is a stretch of the run that every block passes through, for instance
// one rollout). One goroutine writes: segment after segment, within it block after block, within a block by [Key]. Record
// batches and shards are cut by rows and bytes alone. So the files are a function of the rows and of nothing else.
//
// Memory is that of the segments which are being filled or wait to be written, from one pool for all block writers, and one record
// batch per table. When the disk is slow a block writer waits for its own previous segment and, where more than Options.StagedBytes
// wait to be written, for the writer; nothing is dropped.
//
// [Writer] and [Dataset] know tables, not worlds: what a row says is their caller's business. Of this package [Capture] alone, which
// fills rows from worlds, needs sim, sensors, physics and runners. Imported by env.
package recorder
