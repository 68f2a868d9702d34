// Where everything is that cameras see: kinematics for many poses in one call.

#ifndef POLYRHYTHM_PHYSICS_MUJOCO_OPTICS_H_
#define POLYRHYTHM_PHYSICS_MUJOCO_OPTICS_H_

#include "shim.h"

// A frame to be placed: of a geom or a camera of the model, or at a place of a body.
typedef struct {
  int32_t kind;  // mjOBJ_GEOM, mjOBJ_CAMERA or mjOBJ_XBODY
  int32_t id;
  double position[3];  // of mjOBJ_XBODY
  double matrix[9];    // likewise
} pr_Frame;

typedef struct pr_Placer_ pr_Placer;

// Make a placer for n frames, which are copied, and for a light of the model, -1 for none. m is
// borrowed until pr_deletePlacer. NULL on failure, with the reason in message.
pr_Placer* pr_makePlacer(const mjModel* m, const pr_Frame* frames, int n, int light, char* message);

// Free a placer.
void pr_deletePlacer(pr_Placer* p);

// For each of `worlds` poses, which are qpos, mocap_pos and mocap_quat, write position and
// rotation matrix of each frame, then position and direction of the light. Return 1 and write
// message on failure.
int pr_place(pr_Placer* p, const double* poses, int worlds, double* dst, char* message);

#endif  // POLYRHYTHM_PHYSICS_MUJOCO_OPTICS_H_
