// What is needed of Embree 3, opened at run time. Its headers are no part of the set-up for those who
// use this module as a library, and its binary interface is fixed: embree_test.go compares.

#ifndef POLYRHYTHM_PHYSICS_CAST_EMBREE_H_
#define POLYRHYTHM_PHYSICS_CAST_EMBREE_H_

#include <stddef.h>
#include <stdint.h>

enum {
  PR_EMBREE_TRIANGLE = 0,
  PR_EMBREE_USER = 120,
  PR_EMBREE_INSTANCE = 121,

  PR_EMBREE_INDEX = 0,
  PR_EMBREE_VERTEX = 1,

  PR_EMBREE_UINT3 = 0x5003,
  PR_EMBREE_FLOAT3 = 0x9003,
  PR_EMBREE_FLOAT3X4_ROWS = 0x9134,

  PR_EMBREE_QUALITY_LOW = 0,
  PR_EMBREE_QUALITY_HIGH = 2,

  PR_EMBREE_DYNAMIC = 1,
  PR_EMBREE_ROBUST = 4,

  PR_EMBREE_COHERENT = 1,
};

#define PR_EMBREE_NONE ((uint32_t)-1)

typedef struct pr_EmbreeObject_* pr_EmbreeObject;  // a device, a scene or a geometry

typedef struct {
  float lower[3], align0;
  float upper[3], align1;
} __attribute__((aligned(16))) pr_EmbreeBounds;

typedef struct {
  int flags;
  void* filter;
  uint32_t instance;
} pr_EmbreeContext;

typedef struct {
  void* user;
  uint32_t primitive;
  uint32_t time;
  pr_EmbreeBounds* bounds;
} pr_EmbreeBoundsCall;

// Of an intersection and of an occlusion, where rays have no hits.
typedef struct {
  int* valid;
  void* user;
  uint32_t primitive;
  pr_EmbreeContext* context;
  void* rays;
  uint32_t n;
  uint32_t geometry;
} pr_EmbreeRayCall;

typedef struct {
  int* valid;
  void* user;
  pr_EmbreeContext* context;
  void* rays;
  void* hits;
  uint32_t n;
} pr_EmbreeFilterCall;

// The values of a packet of n rays are n of each of these after the other.
enum { PR_RAY_ORIGIN = 0, PR_RAY_NEAR = 3, PR_RAY_DIRECTION = 4, PR_RAY_FAR = 8, PR_RAY_VALUES = 12 };
enum { PR_HIT_NORMAL = 0, PR_HIT_U = 3, PR_HIT_V, PR_HIT_PRIMITIVE, PR_HIT_GEOMETRY, PR_HIT_INSTANCE };

// A packet of 16 rays with their hits.
typedef struct {
  float origin[3][16];
  float near[16];
  float direction[3][16];
  float time[16];
  float far[16];
  uint32_t mask[16];
  uint32_t id[16];
  uint32_t flags[16];
  float normal[3][16];
  float u[16];
  float v[16];
  uint32_t primitive[16];
  uint32_t geometry[16];
  uint32_t instance[16];
} __attribute__((aligned(64))) pr_EmbreeRays;

// Embree's functions.
typedef struct {
  pr_EmbreeObject (*newDevice)(const char* config);
  void (*releaseDevice)(pr_EmbreeObject device);
  int (*deviceError)(pr_EmbreeObject device);
  ptrdiff_t (*deviceProperty)(pr_EmbreeObject device, int property);
  pr_EmbreeObject (*newScene)(pr_EmbreeObject device);
  void (*releaseScene)(pr_EmbreeObject scene);
  void (*commitScene)(pr_EmbreeObject scene);
  void (*setFlags)(pr_EmbreeObject scene, int flags);
  void (*setQuality)(pr_EmbreeObject scene, int quality);
  void (*attach)(pr_EmbreeObject scene, pr_EmbreeObject geometry, uint32_t id);
  pr_EmbreeObject (*newGeometry)(pr_EmbreeObject device, int type);
  void (*releaseGeometry)(pr_EmbreeObject geometry);
  void (*commitGeometry)(pr_EmbreeObject geometry);
  void* (*newBuffer)(pr_EmbreeObject geometry, int type, uint32_t slot, int format, size_t stride, size_t items);
  void (*updateBuffer)(pr_EmbreeObject geometry, int type, uint32_t slot);
  void (*setFilter)(pr_EmbreeObject geometry, void (*filter)(const pr_EmbreeFilterCall*));
  void (*setUser)(pr_EmbreeObject geometry, void* user);
  void (*setPrimitives)(pr_EmbreeObject geometry, uint32_t n);
  void (*setBounds)(pr_EmbreeObject geometry, void (*bounds)(const pr_EmbreeBoundsCall*), void* user);
  void (*setIntersect)(pr_EmbreeObject geometry, void (*intersect)(const pr_EmbreeRayCall*));
  void (*setOccluded)(pr_EmbreeObject geometry, void (*occluded)(const pr_EmbreeRayCall*));
  void (*setInstanced)(pr_EmbreeObject geometry, pr_EmbreeObject scene);
  void (*setTransform)(pr_EmbreeObject geometry, uint32_t time, int format, const void* values);
  void (*intersect16)(const int* valid, pr_EmbreeObject scene, pr_EmbreeContext* context, pr_EmbreeRays* rays);
  void (*occluded16)(const int* valid, pr_EmbreeObject scene, pr_EmbreeContext* context, pr_EmbreeRays* rays);
} pr_Embree;

// Return Embree's functions, opened at the first call, or NULL with the reason in message
// (size bytes). Any thread may call it.
const pr_Embree* pr_openEmbree(char* message, int size);

#endif  // POLYRHYTHM_PHYSICS_CAST_EMBREE_H_
