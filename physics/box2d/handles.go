package box2d

import "github.com/polyrhythm-rl/polyrhythm/internal/handle"

// handles counts what is open in the process, like the C memory behind it.
var handles = handle.Counter{Engine: "box2d"}

// OpenHandles returns the number of models, steppers, bare loops and rows' live worlds
// of this process that are not closed, so that a test can hold it to zero.
func OpenHandles() int { return handles.Open() }
