package mujoco

// The flags for MuJoCo, here and nowhere else. The set-up puts the headers and
// the library into third_party/mujoco (or links it to MUJOCO_DIR). $ORIGIN lets
// a binary find a libmujoco that is shipped beside it; with the tag wheel, only there.

// #cgo CFLAGS: -std=c11 -O2 -Wall -Wextra -I${SRCDIR}/../../third_party/mujoco/include
// #cgo LDFLAGS: -L${SRCDIR}/../../third_party/mujoco/lib -lmujoco -ldl -lm
// #cgo !wheel LDFLAGS: -Wl,-rpath,${SRCDIR}/../../third_party/mujoco/lib
// #cgo LDFLAGS: -Wl,-rpath,$ORIGIN
import "C"
