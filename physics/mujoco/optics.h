// Where everything is that cameras see: kinematics for many poses in one call.

#ifndef POLYRHYTHM_PHYSICS_MUJOCO_OPTICS_H_
#define POLYRHYTHM_PHYSICS_MUJOCO_OPTICS_H_

#include <stddef.h>

#include "shim.h"

// A frame to be placed: of a geom, a flex, a site, a tendon, a skin or a camera of the model, at a place of a body, or at
// the centre of mass of a body and all below it, with the axes of the world.
typedef struct {
  int32_t kind;  // mjOBJ_GEOM and its like, mjOBJ_XBODY or mjOBJ_BODY
  int32_t id;
  int32_t part;        // of a tendon, or of a flex that is a line: the capsule
  double position[3];  // of mjOBJ_XBODY
  double matrix[9];    // likewise
} pr_Frame;

// The number of capsules that a tendon has around what it wraps around.
enum { PR_WRAP_PARTS = 16 };

// The light from everywhere where there is no other, as in MuJoCo's renderer.
#define PR_DARK 0.3f

// A model, and the colours of its sky at the zenith and the nadir, which mjModel has none of.
typedef struct {
  mjModel model;
  float sky[6];
} pr_View;

// Where in pr_View the colours of the sky are, in bytes.
enum { PR_ZENITH = offsetof(pr_View, sky), PR_NADIR = PR_ZENITH + 3 * sizeof(float) };

// What the values of an array are.
enum {
  PR_NUMBERS,   // of mjtNum
  PR_SINGLES,   // of float
  PR_TEXTURES,  // the numbers of the colour textures of materials, among those of their other roles
};

// Some values of an array of mjModel or of pr_View that each pose has of its own.
typedef struct {
  int32_t at;       // where in pr_View the array's address stands or, inlined, the array, in bytes
  int32_t inlined;  // 1: the array is part of pr_View
  int32_t type;     // PR_NUMBERS or its like
  int32_t from;     // the first value
  int32_t size;
  int32_t total;    // of the array
} pr_Look;

typedef struct pr_Placer_ pr_Placer;

// A skybox: its colours at the zenith and the nadir, and its number among the textures.
typedef struct {
  float colors[6];
  int32_t texture;
} pr_Sky;

// Make a placer for n frames, those of nshape geoms and flexes first, for looks and for lights of the model. The sky is the
// first of its skies, and of another one that has its colours; means are the mean colours of its textures (3 each). What is
// passed is copied, but m, which is borrowed until pr_deletePlacer. NULL on failure, with the reason in message.
pr_Placer* pr_makePlacer(const mjModel* m, const pr_Sky* skies, int nsky, const float* means, const pr_Frame* frames, int n,
                         int nshape, const pr_Look* looks, int nlook, const int32_t* lights, int nlight,
                         char* message);

// Free a placer.
void pr_deletePlacer(pr_Placer* p);

// For each of `worlds` poses, which are qpos, mocap_pos, mocap_quat and the looks, write what physics.Placer says.
// Return 1 and write message on failure.
int pr_place(pr_Placer* p, const double* poses, int worlds, int pose, double* dst, int size, char* message);

#endif  // POLYRHYTHM_PHYSICS_MUJOCO_OPTICS_H_
