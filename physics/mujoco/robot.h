// The robot of a model: what pictures show whose camera is none of the model's.

#ifndef POLYRHYTHM_PHYSICS_MUJOCO_ROBOT_H_
#define POLYRHYTHM_PHYSICS_MUJOCO_ROBOT_H_

#include "shim.h"

typedef struct {
  int32_t body;      // the robot's body that hangs from the world; 0: the model has no bodies
  int32_t moves;     // 1: it can move as a whole
  double centre[3];  // its centre of mass in the model's first pose, m
  double distance;   // from there at which a camera with the model's free field of view shows all of it, m
} pr_Robot;

// Find the robot: of the bodies that hang from the world, the one whose tree has the most actuators and, of those, the
// most degrees of freedom, the first of equals. Return 1 and write message on failure.
int pr_findRobot(const mjModel* m, pr_Robot* robot, char* message);

#endif  // POLYRHYTHM_PHYSICS_MUJOCO_ROBOT_H_
