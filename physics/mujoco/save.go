package mujoco

// #include "shim.h"
// #include <stdlib.h>
import "C"

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"unsafe"
)

// MJB returns the compiled model in the binary format of MuJoCo, with all of its assets. Only the same version of
// MuJoCo reads it. It may be called from any goroutine.
func (m *Model) MJB() ([]byte, error) {
	var data []byte
	err := try(func(message *C.char) bool {
		var size C.mjtSize
		buffer := C.pr_saveModel(m.c, &size, message)
		if buffer == nil {
			return false
		}
		data = slices.Clone(unsafe.Slice((*byte)(buffer), size))
		C.free(buffer)
		return true
	})
	if err != nil {
		return nil, fmt.Errorf("mujoco: as MJB: %w", err)
	}
	return data, nil
}

// Callbacks returns the names of the actuators whose forces this package computes, those of the types dc_motor and
// learned. To any other program they have none.
func (m *Model) Callbacks() (names []string) {
	for i := range int(m.c.nactuator) {
		if valueAt(m.c.actuator_biastype, i) == C.mjBIAS_USER || valueAt(m.c.actuator_dyntype, i) == C.mjDYN_USER {
			names = append(names, m.label(C.mjOBJ_ACTUATOR, i))
		}
	}
	return names
}

// saveXML returns the MJCF of a spec that a model was compiled from, with the values of that.
func saveXML(spec *C.mjSpec, c *C.mjModel) ([]byte, error) {
	var text []byte
	err := try(func(message *C.char) bool {
		reading.Lock() // the process has a single number of digits
		defer reading.Unlock()
		buffer := C.pr_saveXML(spec, c, message)
		text = []byte(C.GoString(buffer))
		C.free(unsafe.Pointer(buffer))
		return buffer != nil
	})
	if err != nil {
		return nil, fmt.Errorf("as MJCF: %w", err)
	}
	return text, nil
}

// makeAbsolute makes the paths absolute that a spec names files on disk by. It must not be compiled yet.
func makeAbsolute(spec *C.mjSpec) {
	for _, kind := range fileKinds {
		for _, e := range elements(spec, kind.kind) {
			names, folder := kind.files(e)
			for i, name := range names {
				path, err := filepath.Abs(resolve(resolve(homeOf(e), folder), name))
				if _, missing := os.Stat(path); name == "" || err != nil || missing != nil {
					continue
				}
				if i == 0 {
					setString(kind.file(e), path)
				} else {
					C.mjs_setInStringVec(C.mjs_asTexture(e).cubefiles, C.int(i-1), cString(path))
				}
			}
		}
	}
}
