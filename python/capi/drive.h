// What a frame calls back, and what it did.

#include <stdint.h>

// Called for what (0: a free update before all steps, 1: take a control step, 2: a free
// update after them) with the wall time that the frame adds, in seconds. Anything but 0
// ends the frame.
typedef int32_t (*polyrhythm_callback)(int32_t what, double seconds);

static inline int32_t polyrhythm_call(polyrhythm_callback f, int32_t what, double seconds) { return f(what, seconds); }

// Wall time added and dropped, control intervals skipped, simulated time, alpha, backlog,
// and how long to wait for the next control step; times in seconds.
enum { polyrhythm_frame_values = 7 };
