// The callback of a frame, and the values that a frame returns.

#include <stdint.h>

// A frame calls it with what = 0 for a free update before all control steps, 1 to take a
// control step, 2 for a free update after all of them; seconds is the wall time that the
// frame adds, 0 for a control step. Any result but 0 ends the frame with an error.
typedef int32_t (*polyrhythm_callback)(int32_t what, double seconds);

static inline int32_t polyrhythm_call(polyrhythm_callback f, int32_t what, double seconds) { return f(what, seconds); }

// The number of values of a frame: wall time added, wall time dropped, control intervals
// skipped, simulated time, alpha, backlog, and the wait until the next control step.
// Times are in seconds.
enum { polyrhythm_frame_values = 7 };
