// What a caster consists of.

#ifndef POLYRHYTHM_PHYSICS_CAST_CASTER_H_
#define POLYRHYTHM_PHYSICS_CAST_CASTER_H_

#include "primitives.h"

enum { PR_LEVELS = 24 };  // the most copies of a texture

// One of the copies of a texture. Of a cube its faces are below each other.
typedef struct {
  int width;  // of a face
  int height;
  int first;  // where in the texels of all textures it begins
} pr_Level;

// A texture as a chain of copies, each half the size of the one before.
typedef struct {
  pr_Level levels[PR_LEVELS];
  int nlevel;
  int faces;
  int cube;
} pr_Texture;

// The textures of a scene.
struct pr_Textures_ {
  pr_Texture* list;
  int n;
  uint32_t* texels;  // of all of them: red, green and blue from the lowest byte on
  int ntexel;
};

// A mesh, with the normals of its first vertices.
struct pr_Mesh_ {
  pr_EmbreeObject geometry;
  pr_EmbreeObject scene;
  float* vertices;  // Embree's
  uint32_t* faces;  // likewise
  float* normals;
  int64_t nvertex;
  int64_t nface;
  int64_t nnormal;
  float* texcoords;  // NULL: none
  int smooth;        // if it bends, its normals are found from its vertices
};

// The pixels in which a primitive may be seen, from the first to the last; none if they are less.
typedef struct {
  int left, right;
  int top, bottom;
} pr_Window;

// Scenes on a device of their own, since Embree builds one scene of a device at a time. One has, by their numbers,
// an instance of the scene of the primitives that stand still (STILL), and an instance of a mesh for each shape that
// is one. The scenes of meshes that do not bend are on another device, and other casters have them, too: any number of
// threads may look into a scene that has been built. Primitives that move are looked for in their windows instead, which takes less than to build a tree of
// them for each picture; the other scene has them, for shadows.
struct pr_Caster_ {
  pr_Mesh** bending;  // the caster's own meshes, whose vertices are other ones in each world
  int nbending;
  const pr_Embree* embree;
  pr_EmbreeObject device;
  pr_EmbreeObject scene;
  pr_EmbreeObject still_scene;
  pr_EmbreeObject moving_scene;
  pr_EmbreeObject moving_geometry;
  const pr_Mesh** meshes;
  pr_EmbreeObject* instances;  // of meshes, by the number of the shape, NULL for others

  pr_Lighting lighting;
  pr_Seen* shapes;
  pr_Frame* frames;  // of the shapes
  const pr_Textures* textures;
  int shines;  // some shape has highlights
  int clear;   // some shape is not opaque
  int nshape;
  int nmesh;

  pr_Primitive* planes;  // which Embree does not see, since they have no end
  pr_Primitive* moving;
  pr_Primitive* still;
  pr_Window* windows;  // of those that move, in the picture that is taken
  int* row;            // those that may be in a row of tiles
  int nplane;
  int nmoving;
  int nstill;
  int* instanced;  // the shapes of the meshes, in the order of their instances
  int ninstanced;
};

enum { PR_GEOMETRY_STILL, PR_GEOMETRY_MESHES };

// So many primitives that stand still are looked for as those that move: a tree takes longer.
enum { PR_FEW = 32 };

// The numbers of values of the places of a shape, with its size, its colour, its opacity and its texture, of a mount,
// with its angle, of the light without lamps, with the sky, and of a lamp.
enum { PR_PLACE = 24, PR_SIZE = 12, PR_COLOR = 15, PR_ALPHA = 18, PR_TEXTURE = 19, PR_REPEAT = 20, PR_PHASE = 22 };
enum { PR_MOUNT = 13, PR_ANGLE = 12, PR_LIGHT = 13, PR_SKY = 6, PR_SKYBOX = 12, PR_LAMP = 9 };

// Whether there is anything in the scene of what stands still and meshes.
static inline int pr_hasScene(const pr_Caster* c) { return c->nstill > 0 || c->ninstanced > 0; }

// The opacity of a colour as MuJoCo's renderer has it, which draws what is not opaque twice, once in each order.
static inline float pr_opacityOf(double alpha) { return alpha < 0.995 ? (float)(1 - (1 - alpha) * (1 - alpha)) : 1; }

// Where a picture goes; NULL for what is not wanted.
typedef struct {
  uint8_t* rgb;
  float* depth;
  int32_t* labels;
  float* normals;
} pr_Picture;

// Take a picture of the scene as it stands from a camera in a frame, its position and rotation matrix. lamps
// are the places of the lamps, PR_LAMP values each.
void pr_look(pr_Caster* c, const double* frame, const double* lamps, const pr_Eye* eye, const pr_Picture* to);

// Write how far n rays go in the scene as it stands, or most.
void pr_measure(pr_Caster* c, const double* rays, int n, float most, double* distances);

#endif  // POLYRHYTHM_PHYSICS_CAST_CASTER_H_
