// Scenes: several model files merged into one mjSpec, changed and compiled. scene.go
// decides what to do; each function here is one step of it. Functions that return an int
// or a pointer return 1 or NULL on failure, with the reason in message (PR_MESSAGE bytes).

#ifndef POLYRHYTHM_PHYSICS_MUJOCO_SCENE_H_
#define POLYRHYTHM_PHYSICS_MUJOCO_SCENE_H_

#include "shim.h"

// A file in memory.
typedef struct {
  const char* name;
  const void* data;
  int size;
} pr_File;

// Make a virtual file system of nfile files. Free it with pr_deleteVFS.
mjVFS* pr_makeVFS(const pr_File* files, int nfile, char* message);

// Free a virtual file system; NULL is none.
void pr_deleteVFS(mjVFS* vfs);

// Parse the file at path, which is in vfs or, where that is NULL or has none of this name,
// on disk. Free the spec with mj_deleteSpec.
mjSpec* pr_parseSpec(const char* path, const mjVFS* vfs, char* message);

// Copy all that is in child to parent, into a frame at pos with orientation quat, with
// names that begin with prefix.
int pr_attach(mjSpec* parent, mjSpec* child, const char* prefix, const double pos[3],
              const double quat[4], char* message);

// What an added actuator is.
enum { PR_SERVO_POSITION, PR_SERVO_VELOCITY, PR_SERVO_EFFORT };

// An actuator of a joint. Limits and the force range hold where the first number is less
// than the second.
typedef struct {
  const char* name;
  const char* joint;  // its name
  int kind;
  double kp;
  double kd;
  double limits[2];
  double force[2];
  int inherit;  // 1: the limits are the range of the joint
} pr_Actuator;

// Add an actuator.
int pr_addActuator(mjSpec* s, const pr_Actuator* a, char* message);

// Give a body a free joint.
int pr_addFreeJoint(mjsBody* body, char* message);

// Delete an element.
int pr_deleteElement(mjSpec* s, mjsElement* e, char* message);

// Add a plane at z = 0 with a checkered material, under these names. It collides with
// everything that collides at all.
int pr_addFloor(mjSpec* s, const char* geom, const char* material, const char* texture,
                char* message);

// Add a spot light above body, which it follows, or above the world if body is
// NULL; and, as far as the model does not set them, a soft headlight and the color of haze.
int pr_addLight(mjSpec* s, mjsBody* body, const char* name, char* message);

// Add a sky of this name.
int pr_addSky(mjSpec* s, const char* name, char* message);

// Compile a spec whose files are in vfs, which may be NULL, or on disk. Autoreset is
// disabled, and so are islands where there is only one; if timestep > 0, it is set
// (seconds). message receives the error, or on success the compiler's warnings, "" if
// none.
mjModel* pr_compileSpec(mjSpec* s, const mjVFS* vfs, double timestep, char* message);

#endif  // POLYRHYTHM_PHYSICS_MUJOCO_SCENE_H_
