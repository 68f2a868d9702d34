// Package runlog records a run in a file: its inputs, and hashes of the state of every world after each step. A
// replay of the run is compared with the file, and the first difference is returned as an error.
//
// A [Log] either writes a file or compares with one; both are filled in the same way. Each block of worlds has a
// [Block], filled by the goroutine that steps the block. At the end of a segment the records are taken in the
// order of the blocks, so that the file does not depend on the number of goroutines.
//
// # The file
//
// All numbers are little-endian. A file begins with the 8 bytes of its magic and its version as a uint32. Records
// follow, each of them
//
//	kind     uint8
//	length   uint32
//	payload  that many bytes
//	CRC32C   uint32, of all of the above
//
//	kind          payload
//	header        JSON of Header; once, first
//	state         n int64, first world uint32, worlds uint32; for each world NumAspects
//	              hashes uint64: the state after n control steps
//	actions       n int64, first world uint32, worlds uint32, float32 values of each
//	              world in turn: the actions of step n
//	restart       n int64, first world uint32, worlds uint32, a byte 0 or 1 for each
//	              world: which of them began a new episode before step n; then, if
//	              they were given seeds, a uint64 for each world
//	intervention  n int64, parts: an Intervention before step n
//	segment       number int64: the end of a segment
//	end           n int64: the end of the file; the run was closed after n control steps
//
// The parts of an intervention are an intent, a decision and an effect, in this order, each of them at most once. A
// part is its kind, such as "push", and then its fields, in the order in which the fields method of its type declares
// them:
//
//	type of the field         form
//	integer                   int64
//	float64, [3]float64       their bits
//	bool                      a byte 0 or 1
//	*bool                     a byte 0 or 1, or 2 for nil
//	text, JSON, edits         the number of bytes uint32, and these; edits are in JSON
//	[]float64, []uint32       the number of values uint32, and these
//
// A payload with a kind, a value or a length that is none of these is damage.
//
// A log may continue in further files, which begin with the same magic, version and header; see [Files].
//
// Hashes are not chained: each is that of one state alone. A record whose checksum is wrong is damage of the log,
// never a difference between runs.
package runlog
