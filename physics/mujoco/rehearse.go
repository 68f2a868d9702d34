package mujoco

// #include <signal.h>
// #include "rehearse.h"
// #include "shim.h"
import "C"

import (
	"errors"
	"fmt"
	"sync"
	"syscall"
)

// reading is held while MuJoCo reads or compiles a model and, alone, while a copy of the process begins.
var reading sync.RWMutex

// crash is the error of a model that crashed MuJoCo.
type crash struct{ error }

// rehearse has a copy of the process do something with a model first. It returns a crash, or the error of MuJoCo, whose
// libraries then print nothing in this process. Where the files are trusted or no copy can be made, it returns nil.
func (w *workshop) rehearse(start func() C.pr_Copy, action, path string) error {
	if w.trusted {
		return nil
	}
	reading.Lock()
	c := start()
	reading.Unlock()
	var message [C.PR_MESSAGE]C.char
	switch signal := C.pr_outcome(c, &message[0]); {
	case signal == 0 && message[0] == 0:
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
