// Contacts of a state, for those who look at a model rather than step it.

#ifndef POLYRHYTHM_PHYSICS_MUJOCO_CONTACT_H_
#define POLYRHYTHM_PHYSICS_MUJOCO_CONTACT_H_

#include "shim.h"

// A contact: two geoms and the distance between them, negative where they overlap.
typedef struct {
  int32_t geom[2];  // -1: not a geom
  double distance;
} pr_Contact;

// Write the contacts of a state row, at most `most`, and their number to found; it may be
// more. Return 1 and write message on failure.
int pr_contacts(const mjModel* m, const double* row, pr_Contact* contacts, int most, int* found,
                char* message);

#endif  // POLYRHYTHM_PHYSICS_MUJOCO_CONTACT_H_
