// A bare loop over b2World::Step: what a program without this project would run. It is
// the measure of the stepper's speed and the oracle of its bits.

#ifndef POLYRHYTHM_PHYSICS_BOX2D_RAW_H_
#define POLYRHYTHM_PHYSICS_BOX2D_RAW_H_

#include "shim.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pb_Raw_ pb_Raw;

// Make `worlds` worlds in the state of the row initial. Of derived, values for
// derived_size numbers, each is read after every step of a tape. scene is borrowed until
// pb_deleteRaw. NULL on failure, with the reason in message.
pb_Raw* pb_makeRaw(const pb_Scene* scene, int worlds, const double* initial,
                   const pb_Output* derived, int nderived, int derived_size, char* message);

void pb_deleteRaw(pb_Raw* r);

// For each step, for each world: if resets is not NULL and resets[step][world]
// is not -1, build the world of that one of reset_rows; then apply
// controls[step][world] and call b2World::Step, `substeps` times; then read the
// derived values. Return 1 and write message if a world could not be built or has
// come to harm.
int pb_runRaw(pb_Raw* r, const double* controls, const int32_t* resets, const double* reset_rows,
              int steps, int substeps, char* message);

// Copy a world's state row, with the control it was last stepped under, and its derived
// values.
void pb_readRaw(pb_Raw* r, int world, double* state, double* derived);

#ifdef __cplusplus
}
#endif

#endif  // POLYRHYTHM_PHYSICS_BOX2D_RAW_H_
