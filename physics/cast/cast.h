// Pictures of a scene by casting rays. Pointers passed in are borrowed for the length of the call, but for meshes and
// textures, which casters borrow until they are deleted. A caster belongs to one thread at a time.

#ifndef POLYRHYTHM_PHYSICS_CAST_CAST_H_
#define POLYRHYTHM_PHYSICS_CAST_CAST_H_

#include <stdint.h>

// Size of every buffer that receives a message.
enum { PR_CAST_MESSAGE = 256 };

// The kinds of shapes, with the sizes of physics.OpticalShape.
enum {
  PR_HIDDEN = -1,  // not to be seen
  PR_PLANE,
  PR_SPHERE,
  PR_CAPSULE,
  PR_ELLIPSOID,
  PR_CYLINDER,
  PR_BOX,
  PR_MESH,
};

// How textures lie on shapes, as physics.MappingFlat and its like; cubes lie in one way.
enum { PR_FLAT, PR_SIDES, PR_CORNERS, PR_CUBE };

// A shape, as physics.OpticalShape.
typedef struct {
  int32_t kind;
  int32_t mesh;
  int32_t texture;  // -1: none
  int32_t mapping;
  int32_t flat;  // how a texture lies that is no cube
  int32_t uniform;
  int32_t still;
  int32_t label;
  float size[3];
  float color[3];
  float reflectance;
  float opacity;  // 1: nothing behind it is seen
  float emission;
  float specular;
  float exponent;  // of highlights
  float repeat[2];
  float phase[2];
} pr_Seen;

// A lamp, as physics.Light.
typedef struct {
  int32_t directional;
  int32_t shadows;
  int32_t spot;
  float attenuation[3];
  float cutoff;  // the cosine of half the angle of a spot's cone
  float exponent;
  float color[3];
  float specular[3];  // of highlights
} pr_Lamp;

enum { PR_LAMPS = 8 };  // the most lamps

// Light and sky, as physics.Optics.
typedef struct {
  float ambient[3];
  float head[3];
  float head_specular[3];
  pr_Lamp lamps[PR_LAMPS];
  int32_t nlamp;
  float sky[2][3];
  int32_t plain;   // the texture of a sky that a world does not say, a cube of which +y is the zenith and +z what is at -y, or -1
  int32_t skybox;  // that of the world that is seen; -1: colours alone
  float haze[3];
  float haze_width;
  float near;
  float far;
} pr_Lighting;

// A camera: pixels, how far the rays of neighbours are apart at depth 1 along x and y, and where in the picture the axis
// of view is, in pixels from its left and top. If placed, the angle of its mount's place says both. The rays of an
// orthographic camera are as far apart in m, and parallel. A lens that distorts
// has rays instead: of each pixel, row by row, how far its ray is to the right and up at depth 1; then, of each column,
// the least and the largest of what its rays are to the right, and of each row, of what they are up.
// Colours are means of so many samples.
typedef struct {
  const float* rays;  // NULL: none
  int32_t width;
  int32_t height;
  int32_t placed;
  int32_t orthographic;
  int32_t samples;
  int32_t reflections;  // planes that have a reflectance reflect
  int32_t haze;         // it hides the end of the first plane without ends
  int32_t backs;        // planes are seen from behind
  float step[2];
  float middle[2];
} pr_Eye;

typedef struct pr_Caster_ pr_Caster;
typedef struct pr_Mesh_ pr_Mesh;
typedef struct pr_Textures_ pr_Textures;

// A mesh: x, y, z of its vertices, the normals of the first nnormal of them, and three indices of vertices a face. A
// face is smooth if its vertices have normals, else flat. Texture coordinates are two for each corner of each face, or
// NULL.
typedef struct {
  const float* vertices;
  int64_t nvertex;
  const float* normals;
  int64_t nnormal;
  const uint32_t* faces;
  int64_t nface;
  const float* texcoords;
  int32_t bends;   // places have the vertices
  int32_t smooth;  // if it bends, its normals are found from its vertices
} pr_Surface;

// Make a mesh that does not bend, for any number of casters in any threads. One mesh at a time may be made or deleted.
// NULL on failure, with the reason in message. pr_deleteMesh frees it, after its casters.
pr_Mesh* pr_makeMesh(const pr_Surface* s, char* message);
void pr_deleteMesh(pr_Mesh* m);

// Make room for n textures, for any number of casters in any threads. NULL if there is no memory. pr_deleteTextures
// frees them, after their casters.
pr_Textures* pr_makeTextures(int n);
void pr_deleteTextures(pr_Textures* t);

// Add the next texture, of n pixels: red, green and blue of levels times so many faces, below each other, of width x height
// pixels, each level half as wide and as high as the one before, but at least 1. Return 1 on failure.
int pr_addTexture(pr_Textures* t, int width, int height, int faces, int cube, int levels, const uint8_t* pixels,
                  int64_t n, char* message);

// Make a caster of n shapes, which are copied, with room for meshes. NULL on failure, with the reason in message.
// pr_deleteCaster frees it.
pr_Caster* pr_makeCaster(const pr_Lighting* lighting, const pr_Seen* shapes, int n, int meshes,
                         const pr_Textures* textures, char* message);
void pr_deleteCaster(pr_Caster* c);

// Add the next mesh.
void pr_addMesh(pr_Caster* c, const pr_Mesh* m);

// Add the next mesh, which bends. Return 1 on failure.
int pr_addBending(pr_Caster* c, const pr_Surface* s, char* message);

// End the additions. place is that of one world with so many mounts, as pr_cast takes it: shapes that are still stay
// there. Return 1 on failure.
int pr_finishCaster(pr_Caster* c, const double* place, int mounts, char* message);

// Take a picture in each of `worlds` worlds. places has `size` values for each, as physics.Placer says. The camera
// is at mount `mount` of `mounts`. rgb (3 bytes), depth (m, along the axis of view), labels (-1: none) and normals (3, in
// the optical frame: to the right, down and ahead; 0: none) are worlds x height x width, from the top left; each may be
// NULL. Return 1 on failure.
int pr_cast(pr_Caster* c, const double* places, int worlds, int size, int mount, int mounts, const pr_Eye* eye,
            uint8_t* rgb, float* depth, int32_t* labels, float* normals, char* message);

// Write how far n rays go in a world until they come to the front of something, or most. A ray is a position and a
// direction of length 1. Return 1 on failure.
int pr_castRays(pr_Caster* c, const double* places, const double* rays, int n, float most, double* distances,
                char* message);

#endif  // POLYRHYTHM_PHYSICS_CAST_CAST_H_
