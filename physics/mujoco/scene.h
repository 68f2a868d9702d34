// Scenes: several model files merged into one mjSpec, changed and compiled. scene.go
// decides what to do; each function here is one step of it. Functions that return an int
// or a pointer return 1 or NULL on failure, with the reason in message (PR_MESSAGE bytes).

#ifndef POLYRHYTHM_PHYSICS_MUJOCO_SCENE_H_
#define POLYRHYTHM_PHYSICS_MUJOCO_SCENE_H_

#include "shim.h"

// Parse the file at path. Free the spec with mj_deleteSpec.
mjSpec* pr_parseSpec(const char* path, char* message);

// Copy all that is in child to parent, into a frame at pos with orientation quat, with
// names that begin with prefix.
int pr_attach(mjSpec* parent, mjSpec* child, const char* prefix, const double pos[3],
              const double quat[4], char* message);

// What an added actuator is.
enum { PR_SERVO_POSITION, PR_SERVO_VELOCITY, PR_SERVO_EFFORT };

// An actuator of a joint. Limits and the force range hold where the first number is less
// than the second.
typedef struct {
  const char* joint;  // name of the joint, and of the actuator
  int kind;
  double kp;
  double kd;
  double limits[2];
  double force[2];
  int inherit;  // 1: the limits are the range of the joint
} pr_Actuator;

// Add an actuator.
int pr_addActuator(mjSpec* s, const pr_Actuator* a, char* message);

// Delete an element.
int pr_deleteElement(mjSpec* s, mjsElement* e, char* message);

// Add a plane at z = 0 with a checkered material, under these names. It collides with
// everything that collides at all.
int pr_addFloor(mjSpec* s, const char* geom, const char* material, const char* texture,
                char* message);

// Add a directional light above body, which it follows, or above the world if body is
// NULL; and, as far as the model does not set them, a soft headlight and the color of haze.
int pr_addLight(mjSpec* s, mjsBody* body, const char* name, char* message);

// Add a sky of this name.
int pr_addSky(mjSpec* s, const char* name, char* message);

// Compile s as pr_loadModel does.
mjModel* pr_compileSpec(mjSpec* s, double timestep, char* message);

#endif  // POLYRHYTHM_PHYSICS_MUJOCO_SCENE_H_
