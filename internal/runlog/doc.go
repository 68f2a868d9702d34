// Package runlog is the file that says what a run did: what came into it from
// outside, and hashes of every world's state, step by step. A run that is
// executed again is compared with it, and the first difference is named.
//
// A [Log] either writes a file or compares with one; the worlds that fill it do
// not know which. Each block of worlds has a [Block], filled by whoever steps the
// block; at the end of a segment the blocks' records are taken in block order, so
// that a file does not depend on how many goroutines filled it.
//
// # The file
//
// All numbers are little-endian. A file begins with the 8 bytes of its magic and
// its version as a uint32. Records follow, each of them
//
//	kind     uint8
//	length   uint32
//	payload  that many bytes
//	CRC32C   uint32, of all of the above
//
//	kind       payload
//	header     JSON of Header; once, first
//	state      n int64, first world uint32, worlds uint32; for each world NumParts
//	           hashes uint64: the state after n control steps
//	actions    n int64, first world uint32, worlds uint32, float32 values of each
//	           world in turn: what step n was taken under
//	restart    n int64, first world uint32, worlds uint32, a byte 0 or 1 for each
//	           world: which of them began a new episode before step n; then, if
//	           they were given seeds, a uint64 for each world
//	note       n int64, text: what changed from outside before step n
//	segment    number int64: the records of a segment end here
//	end        n int64: nothing follows; the run was closed after n control steps
//
// Hashes are not chained: what differs at one step is not carried to the next. A
// record whose checksum is wrong is damage of the log, never a difference between
// runs.
//
// The package is a leaf: standard library only.
package runlog
