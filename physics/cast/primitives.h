// The shapes that are not meshes, as geometries of Embree's kind "user".

#ifndef POLYRHYTHM_PHYSICS_CAST_PRIMITIVES_H_
#define POLYRHYTHM_PHYSICS_CAST_PRIMITIVES_H_

#include "cast.h"
#include "embree.h"

// Where a shape is: its position and rotation matrix by rows, whose columns are the shape's axes.
typedef struct {
  float position[3];
  float rotation[9];
} pr_Frame;

// A shape in its place.
typedef struct {
  int32_t kind;
  int32_t shape;  // its number
  int32_t behind;  // of a plane: the camera is behind it and sees its back
  float size[3];
  pr_Frame frame;
} pr_Primitive;

// Half of the box around a primitive, along its axes, with room for the roundings of whoever turns it.
void pr_halfOf(const pr_Primitive* p, float half[3]);

// Find where rays enter a primitive nearer than their far ends: these are then there, with normals, and the hit of
// the ray is the shape.
void pr_meetPrimitive(const pr_Primitive* p, pr_EmbreeRays* rays, int32_t* shape);

// Callbacks for Embree; the user's pointer is the first of the primitives. A ray hits where it enters a
// shape; one that begins inside does not hit it.
void pr_boundPrimitive(const pr_EmbreeBoundsCall* call);
void pr_intersectPrimitive(const pr_EmbreeRayCall* call);
void pr_occludePrimitive(const pr_EmbreeRayCall* call);

// A filter for meshes: takes back hits from behind.
void pr_hideBacks(const pr_EmbreeFilterCall* call);

#endif  // POLYRHYTHM_PHYSICS_CAST_PRIMITIVES_H_
