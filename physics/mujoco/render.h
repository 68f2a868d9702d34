// Pictures of a model by MuJoCo's own renderer, off screen. OpenGL comes from EGL
// without a surface or from OSMesa, which are opened at run time, so that nothing is
// linked. All functions on a renderer must be called on the thread that made it.

#ifndef POLYRHYTHM_PHYSICS_MUJOCO_RENDER_H_
#define POLYRHYTHM_PHYSICS_MUJOCO_RENDER_H_

#include <stdint.h>

#include "shim.h"

// Where OpenGL comes from.
enum { PR_GL_AUTO, PR_GL_EGL, PR_GL_OSMESA };

// The camera of a renderer, where it is none of the model's.
enum { PR_CAMERA_FREE = -1, PR_CAMERA_TRACK = -2 };

// How a renderer draws.
typedef struct {
  int gl;  // PR_GL_...; the first renderer of a process decides it for all
  int width;
  int height;
  int camera;        // of the model, or PR_CAMERA_...
  double azimuth;    // of a camera that is none of the model's, in degrees
  double elevation;  // in degrees
  double distance;   // in metres; 0 to choose it by the size of the robot
  int samples;       // per pixel: 0, 2 or 4
  int shadow_size;   // pixels of a shadow's picture on each side; 0 for no shadows
  int reflections;   // 1: floors reflect, where their material does
} pr_View;

typedef struct pr_Renderer_ pr_Renderer;

// Make a renderer of m, which is borrowed until pr_deleteRenderer. NULL on failure, with
// the reason in message.
pr_Renderer* pr_makeRenderer(const mjModel* m, const pr_View* view, char* message);

// Free a renderer.
void pr_deleteRenderer(pr_Renderer* r);

// Return PR_GL_EGL or PR_GL_OSMESA, whichever the process uses; PR_GL_AUTO before the
// first renderer.
int pr_glInUse(void);

// Write the point (3 values, m) that a camera which follows the robot looks at: the
// robot's centre of mass in a pose or, where its base cannot move, a point that stays.
// A pose is qpos, mocap_pos and mocap_quat. Return 1 and write message on failure.
int pr_focus(pr_Renderer* r, const double* pose, double* at, char* message);

// Draw a pose into rgba: height x width x 4 bytes, from the top left, opaque. at is the
// point that PR_CAMERA_TRACK looks at. Return 1 and write message on failure.
int pr_render(pr_Renderer* r, const double* pose, const double* at, uint8_t* rgba, char* message);

#endif  // POLYRHYTHM_PHYSICS_MUJOCO_RENDER_H_
