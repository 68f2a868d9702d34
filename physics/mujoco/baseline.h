// A bare loop over mj_step: what a program without this project would run. It is
// the measure of the stepper's speed and the oracle of its bits.

#ifndef POLYRHYTHM_PHYSICS_MUJOCO_RAW_H_
#define POLYRHYTHM_PHYSICS_MUJOCO_RAW_H_

#include "shim.h"

typedef struct pr_Raw_ pr_Baseline;

// Make an mjData for each of `worlds` worlds. m is borrowed until pr_deleteRaw.
// rne says whether a step ends with mj_rnePostConstraint. NULL on failure, with
// the reason in message.
pr_Baseline* pr_makeBaseline(const mjModel* m, int worlds, int rne, char* message);

// Free the worlds.
void pr_deleteRaw(pr_Baseline* r);

// For each step, for each world: if resets is not NULL and resets[step][world]
// is not -1, set the state to that one of reset_rows and call mj_forward; then
// copy controls[step][world] to ctrl, call mj_step `substeps` times and, if so
// made, mj_rnePostConstraint. Return 1 and write message if the engine raised an
// error.
int pr_runRaw(pr_Baseline* r, const double* controls, const int32_t* resets, const double* reset_rows,
              int steps, int substeps, char* message);

// Copy a world's integration state and sensordata; either may be NULL.
void pr_readRaw(const pr_Baseline* r, int world, double* state, double* sensordata);

// Copy a derived value of a world to dst.
void pr_readRawDerived(const pr_Baseline* r, int world, pr_Derived value, double* dst);

#endif  // POLYRHYTHM_PHYSICS_MUJOCO_RAW_H_
