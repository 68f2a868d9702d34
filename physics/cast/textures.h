// Textures: where in one a point of a shape is, and the colour of what a pixel covers there.

#ifndef POLYRHYTHM_PHYSICS_CAST_TEXTURES_H_
#define POLYRHYTHM_PHYSICS_CAST_TEXTURES_H_

#include "caster.h"
#include "lanes.h"

// A point of a shape in its frame, or a direction, and how far the points are from it that a sample to the right and one
// below show.
typedef struct {
  float at[3];
  float steps[2][3];
} pr_Point;

// A place in a texture: column and row in repetitions, and how far the places are from it that a sample to the right and one
// below show.
typedef struct {
  float at[2];
  float steps[2][2];
  int face;  // of a cube
} pr_Spot;

// The spots of the rays of a tile, each in a texture.
typedef struct {
  Lanes at[2];
  Lanes steps[2][2];
  Mask face;
  const pr_Texture* textures[LANES];
} pr_Spots;

// Return the spot of a point of a texture that lies in the plane of x and y.
pr_Spot pr_flatSpot(const pr_Seen* s, const pr_Point* p);

// Return the spot of a point of a texture that is around a shape. up is the part of the surface's normal along z.
pr_Spot pr_sideSpot(const pr_Seen* s, const pr_Point* p, float up);

// Return the spot that the texture coordinates of a face of a mesh say, of the point u and v of the way from its first
// corner to its second and third.
pr_Spot pr_cornerSpot(const pr_Seen* s, const pr_Mesh* mesh, uint32_t face, float u, float v, const pr_Point* p);

// Return the spot of a cube that lies on a shape.
pr_Spot pr_cubeSpot(const pr_Seen* s, const pr_Texture* x, const pr_Point* p);

// Write the mean colours of what samples cover at spots, from 0 to 1. texels are those of all textures.
void pr_filter(const uint32_t* texels, const pr_Spots* spots, Lanes color[3]);

#endif  // POLYRHYTHM_PHYSICS_CAST_TEXTURES_H_
