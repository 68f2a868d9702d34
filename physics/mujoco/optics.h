// Where everything is that cameras see: kinematics for many poses in one call.

#ifndef POLYRHYTHM_PHYSICS_MUJOCO_OPTICS_H_
#define POLYRHYTHM_PHYSICS_MUJOCO_OPTICS_H_

#include "shim.h"

// A frame to be placed: of a geom, a flex, a site, a tendon, a skin or a camera of the model, or at a place of a body.
typedef struct {
  int32_t kind;  // mjOBJ_GEOM and its like, or mjOBJ_XBODY
  int32_t id;
  int32_t part;        // of a tendon, or of a flex that is a line: the capsule
  double position[3];  // of mjOBJ_XBODY
  double matrix[9];    // likewise
} pr_Frame;

// Some values of an array of mjModel that each pose has of its own.
typedef struct {
  int32_t at;       // where in mjModel the array's address stands or, inlined, the array, in bytes
  int32_t inlined;  // 1: the array is part of mjModel
  int32_t single;   // 1: of float, else of mjtNum
  int32_t from;     // the first value
  int32_t size;
  int32_t total;    // of the array
} pr_Look;

typedef struct pr_Placer_ pr_Placer;

// Make a placer for n frames, those of nshape shapes first, for looks and for lights of the model. tints
// multiply the colours of these shapes, 3 for each. What is passed is copied, but m, which is borrowed until
// pr_deletePlacer. NULL on failure, with the reason in message.
pr_Placer* pr_makePlacer(const mjModel* m, const pr_Frame* frames, int n, int nshape, const double* tints,
                         const pr_Look* looks, int nlook, const int32_t* lights, int nlight, char* message);

// Free a placer.
void pr_deletePlacer(pr_Placer* p);

// For each of `worlds` poses, which are qpos, mocap_pos, mocap_quat and the looks, write what physics.Placer says.
// Return 1 and write message on failure.
int pr_place(pr_Placer* p, const double* poses, int worlds, int pose, double* dst, int size, char* message);

#endif  // POLYRHYTHM_PHYSICS_MUJOCO_OPTICS_H_
