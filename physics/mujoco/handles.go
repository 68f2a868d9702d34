package mujoco

import "github.com/polyrhythm-rl/polyrhythm/internal/handle"

// handles counts what is open in the process, like the C memory behind it.
var handles = handle.Counter{Engine: "mujoco"}

// OpenHandles returns the number of models, steppers and bare loops of this
// process that are not closed, so that a test can hold it to zero.
func OpenHandles() int { return handles.Open() }
