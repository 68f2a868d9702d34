// Parameters that each world has of its own: part of a stepper, see shim.h.

#ifndef POLYRHYTHM_PHYSICS_MUJOCO_PARAMETERS_H_
#define POLYRHYTHM_PHYSICS_MUJOCO_PARAMETERS_H_

#include "shim.h"

typedef struct pr_Parameters_ pr_Parameters;

// Give the simulations of a batch values of their own for n parameters, whose limits are
// low and high, one for each value. Everything is copied. It may raise an engine error;
// what *made points to must then be deleted, too.
void pr_makeParameters(pr_Parameters** made, mjBatch* batch, const pr_Parameter* parameters, int n,
                       const double* low, const double* high);

void pr_deleteParameters(pr_Parameters* p);

// Put the parameters of world ids[i] into force in simulation i, for all i in [0, count).
// The simulations in which that went well are written to sims, in order, and their
// number is returned. The others get a fault and a message.
int pr_loadParameters(pr_Parameters* p, const pr_WorldParameters* worlds, const int32_t* ids,
                      int count, int* sims, uint8_t* fault, char (*messages)[PR_MESSAGE]);

// The number of doubles in which a world's derived constants are kept.
int pr_constantsSize(const pr_Parameters* p);

#endif  // POLYRHYTHM_PHYSICS_MUJOCO_PARAMETERS_H_
