package mujoco

// #include <stdlib.h>
// #include "shim.h"
import "C"

import (
	"hash/crc32"
	"unsafe"
)

// Digest is the CRC32C of the compiled model: of all that its files say, those that they
// include too.
func (m *Model) Digest() uint32 {
	size := C.mj_sizeModel(m.c)
	buffer := C.calloc(1, C.size_t(size))
	defer C.free(buffer)
	C.mj_saveModel(m.c, nil, buffer, size)
	return crc32.Checksum(unsafe.Slice((*byte)(buffer), size), crc32.MakeTable(crc32.Castagnoli))
}
