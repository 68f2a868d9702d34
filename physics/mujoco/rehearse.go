package mujoco

// #include <signal.h>
// #include "rehearse.h"
// #include "shim.h"
import "C"

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"sync"
	"syscall"
)

// reading is held while MuJoCo reads or compiles a model and, alone, while a copy of the process begins.
var reading sync.RWMutex

// crash is the error of a model that crashed MuJoCo.
type crash struct{ error }

// proven holds what copies of this process did without an error, as [workshop.proof] names it. What was done once is not
// done again: a copy takes as long as the page tables of all memory are large, and programs open a model often.
var proven = struct {
	sync.Mutex
	done map[[sha256.Size]byte]bool
}{done: map[[sha256.Size]byte]bool{}}

// mostProven bounds the memory of proven; what is beyond begins anew.
const mostProven = 1 << 14

// proof names the next rehearsal of a workshop: its number, with all that decided what MuJoCo is given. It is not ok where
// the process has a limit on its memory, of which another time leaves less.
func (w *workshop) proof() (name [sha256.Size]byte, ok bool) {
	w.asked++
	w.sources.note("rehearsal", fmt.Append(nil, w.asked))
	w.sources.inputs.Sum(name[:0])
	return name, C.pr_isLimited() == 0
}

// rehearse has a copy of the process do something with a model first. It returns a crash, or the error of MuJoCo, whose
// libraries then print nothing in this process. Where the files are trusted or no copy can be made, it returns nil.
func (w *workshop) rehearse(start func() C.pr_Copy, action, path string) error {
	if w.trusted {
		return nil
	}
	proof, lasts := w.proof()
	proven.Lock()
	done := lasts && proven.done[proof]
	proven.Unlock()
	if done {
		return nil
	}
	reading.Lock()
	c := start()
	reading.Unlock()
	var message [C.PR_MESSAGE]C.char
	switch signal := C.pr_outcome(c, &message[0]); {
	case signal == 0 && message[0] == 0:
		if lasts && c.pid != 0 {
			proven.Lock()
			if len(proven.done) >= mostProven {
				clear(proven.done)
			}
			proven.done[proof] = true
			proven.Unlock()
		}
		return nil
	case signal == 0:
		return errors.New(oneLine(&message[0]))
	case signal == C.SIGKILL:
		return crash{fmt.Errorf("%s: the process that was %s the model was killed, as where memory runs out", path,
			action)}
	case signal == C.SIGALRM:
		return crash{fmt.Errorf("%s: MuJoCo was not done with %s the model after %d s", path, action, C.PR_PATIENCE)}
	case signal < 0:
		return crash{fmt.Errorf("%s: MuJoCo ended the process that was %s the model", path, action)}
	default:
		return crash{fmt.Errorf("%s: MuJoCo crashed while it was %s the model: %v", path, action,
			syscall.Signal(signal))}
	}
}
