package mujoco

// The flags for MuJoCo, here and nowhere else. The set-up puts the headers and
// the library into third_party/mujoco (or links it to MUJOCO_DIR). $ORIGIN lets
// a binary find a libmujoco that is shipped beside it; with the tag wheel, only there.

// #cgo CFLAGS: -std=c11 -O3 -Wall -Wextra -I${SRCDIR}/../../third_party/mujoco/include
// #cgo LDFLAGS: -L${SRCDIR}/../../third_party/mujoco/lib -lmujoco -ldl -lm
// #cgo !wheel LDFLAGS: -Wl,-rpath,${SRCDIR}/../../third_party/mujoco/lib
// #cgo LDFLAGS: -Wl,-rpath,$ORIGIN
// #include "shim.h"
import "C"

import (
	"errors"
	"strings"
	"unsafe"
)

// try makes a call into C that gets room for a message, and returns that as an error if the call says that it failed.
func try(call func(message *C.char) (ok bool)) error {
	var message [C.PR_MESSAGE]C.char
	if call(&message[0]) {
		return nil
	}
	return errors.New(oneLine(&message[0]))
}

// cString returns text for the length of a call into C.
func cString(text string) *C.char {
	return (*C.char)(unsafe.Pointer(unsafe.SliceData(append([]byte(text), 0))))
}

// doubles returns the address of numbers for the length of a call into C.
func doubles(values []float64) *C.double { return (*C.double)(unsafe.SliceData(values)) }

func oneLine(message *C.char) string {
	var lines []string
	for line := range strings.Lines(C.GoString(message)) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.ReplaceAll(strings.Join(lines, "; "), ":;", ":")
}
