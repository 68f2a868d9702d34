#include <string.h>

#include "lanes.h"
#include "textures.h"

// How far a ray to the lamp begins above its surface: a length, and a part of the distance.
static const float LIFT = 1e-5f, LIFT_BY_DISTANCE = 2e-4f;

// How far behind what is not opaque a ray goes on, as a part of its distance.
static const float BEHIND = 1e-5f;

enum { LAYERS = 8 };  // the most things that a ray sees; the last counts as opaque

// The haze before the end of a plane, in units of how far away it is at the height of the camera: a cone around the
// camera, between the plane and that height.
typedef struct {
  int shown;
  float up[3];   // the normal of the plane
  float reach;   // the unit, m
  float height;  // of the camera
  float peak;    // how high the haze is opaque, from 0 at the plane to 1 at the camera
} Haze;

// A picture on its way.
typedef struct {
  pr_Caster* c;
  const pr_Eye* eye;
  const pr_Picture* to;
  float origin[3];
  float right[3], up[3], forward[3];  // of the camera
  float lamps[PR_LAMPS][3];           // the directions to them, or their positions
  float along[PR_LAMPS][3];           // the directions in which they shine
  float side;                         // of what a sample is of, in pixels
  float steps[2][3];                  // from what a sample is of to the next to the right and the next below, at depth 1
  Haze haze;
} Look;

// What a tile of 4 x 4 pixels shows.
typedef struct {
  pr_EmbreeRays rays;
  Mask valid;     // -1: the pixel is in the picture
  Mask shape;     // what the ray has hit, -1: nothing
  Lanes before;   // how far the ray has come before it was reflected
  Lanes steps[2][3];  // those of the look, for the ray
  Lanes point[3];
  Lanes flat[3];    // the normal of the surface, of length 1
  Lanes normal[3];  // what light sees as such: that between the normals of a mesh's vertices
  Lanes facing;     // the cosine of the angle between normal and ray
  Lanes lit[3];     // the light of the lamps and the camera, by the cosines of its angles to the normals
  Lanes shine[3];   // their highlights
  Lanes inverse;    // 1 over the length of the direction of the ray
  Lanes color[3];
  Lanes texture[3];
  Lanes emission;
  Lanes specular;
  Lanes exponent;  // of highlights
} Tile;

// Set what is alike in all tiles.
INLINE void begin(const Look* l, Tile* t) {
  pr_EmbreeRays* r = &t->rays;
  for (int i = 0; i < LANES; i++) {
    for (int k = 0; k < 3; k++) {
      r->origin[k][i] = l->origin[k];
      t->steps[0][k][i] = l->steps[0][k];
      t->steps[1][k][i] = l->steps[1][k];
    }
    r->time[i] = 0;
    r->mask[i] = PR_EMBREE_NONE;
    r->id[i] = r->flags[i] = 0;
    r->geometry[i] = r->instance[i] = PR_EMBREE_NONE;
    t->before[i] = 0;
  }
}

// Find how far the rays of a tile are to the right and up at depth 1, by the table of a lens that distorts: beside the
// middles of pixels as their neighbours let expect. steps are how far those of samples beside them are from them.
static void bendRays(const Look* l, int left, int top, const float offset[2], Lanes u, Lanes v, Lanes steps[2][2]) {
  const pr_Eye* e = l->eye;
  const ptrdiff_t strides[2] = {2, 2 * (ptrdiff_t)e->width};
  for (int i = 0; i < LANES; i++) {
    const int x = left + i % 4 < e->width ? left + i % 4 : e->width - 1;
    const int y = top + i / 4 < e->height ? top + i / 4 : e->height - 1;
    const float* ray = e->rays + 2 * ((size_t)y * e->width + x);
    const int before[2] = {x > 0, y > 0}, after[2] = {x < e->width - 1, y < e->height - 1};
    u[i] = ray[0];
    v[i] = ray[1];
    for (int k = 0; k < 2; k++) {
      const float* from = ray - before[k] * strides[k];
      const float* to = ray + after[k] * strides[k];
      const float between = (float)(before[k] + after[k] > 0 ? before[k] + after[k] : 1);
      const float part = (offset[k] - 0.5f) / between;
      u[i] += part * (to[0] - from[0]);
      v[i] += part * (to[1] - from[1]);
      steps[k][0][i] = l->side * (to[0] - from[0]) / between;
      steps[k][1][i] = l->side * (to[1] - from[1]) / between;
    }
  }
}

// Where a sample is in a pixel, from its left and top: the first in the middle, and the others as evenly as multiples of
// the powers of 1 over the plastic number, the root of x^3 = x + 1, are.
INLINE void offsetOf(int sample, float offset[2]) {
  const double x = 0.5 + sample * 0.75487766624669276, y = 0.5 + sample * 0.56984029099805327;
  offset[0] = (float)(x - floor(x));
  offset[1] = (float)(y - floor(y));
}

// Find how far the rays of a tile are to the right and up at depth 1, or of an orthographic camera from its middle.
INLINE void findRays(const pr_Eye* e, int left, int top, const float offset[2], Lanes u, Lanes v) {
  for (int i = 0; i < LANES; i++) {
    const int x = left + i % 4, y = top + i / 4;
    u[i] = ((float)x + offset[0] - e->middle[0]) * e->step[0];
    v[i] = (e->middle[1] - offset[1] - (float)y) * e->step[1];
  }
}

// Set the directions of the rays of a tile. Their lengths are 1 along the axis of view.
INLINE void direct(const Look* l, const Lanes u, const Lanes v, Tile* t) {
  for (int i = 0; i < LANES; i++) {
    for (int k = 0; k < 3; k++) {
      t->rays.direction[k][i] = l->forward[k] + u[i] * l->right[k] + v[i] * l->up[k];
    }
  }
}

// Aim the rays of a tile of a lens that distorts, or of an orthographic camera.
__attribute__((noinline)) static void aimBy(const Look* l, int left, int top, const float offset[2], Tile* t) {
  Lanes u, v, steps[2][2];
  if (l->eye->rays) {
    bendRays(l, left, top, offset, u, v, steps);
    direct(l, u, v, t);
    for (int k = 0; k < 3; k++) {
      for (int i = 0; i < LANES; i++) {
        t->steps[0][k][i] = steps[0][0][i] * l->right[k] + steps[0][1][i] * l->up[k];
        t->steps[1][k][i] = steps[1][0][i] * l->right[k] + steps[1][1][i] * l->up[k];
      }
    }
    return;
  }
  findRays(l->eye, left, top, offset, u, v);
  for (int k = 0; k < 3; k++) {
    for (int i = 0; i < LANES; i++) {
      t->rays.origin[k][i] = l->origin[k] + u[i] * l->right[k] + v[i] * l->up[k];
      t->rays.direction[k][i] = l->forward[k];
    }
  }
}

// Aim the rays of a tile at a place in its pixels.
INLINE void aim(const Look* l, int left, int top, const float offset[2], Tile* t) {
  const int width = l->eye->width, height = l->eye->height;
  pr_EmbreeRays* r = &t->rays;
  if (l->eye->rays || l->eye->orthographic) {
    aimBy(l, left, top, offset, t);
  } else {
    Lanes u, v;
    findRays(l->eye, left, top, offset, u, v);
    direct(l, u, v, t);
  }
  for (int i = 0; i < LANES; i++) {
    const int x = left + i % 4, y = top + i / 4;
    for (int k = 0; k < 3; k++) {
      r->normal[k][i] = 0;
    }
    t->valid[i] = x < width && y < height ? -1 : 0;
    r->near[i] = l->c->lighting.near;
    r->far[i] = l->c->lighting.far;
    t->shape[i] = -1;
  }
}

// Where rays come to the front of a plane (side 1), to its back (side -1) or to either (side 0), far where they do not.
INLINE void meetPlane(const pr_Primitive* p, float side, const pr_EmbreeRays* r, Lanes at) {
  const float* m = p->frame.rotation;
  const int endless[2] = {p->size[0] <= 0, p->size[1] <= 0};
  for (int i = 0; i < LANES; i++) {
    const float x = r->origin[0][i] - p->frame.position[0], y = r->origin[1][i] - p->frame.position[1],
                z = r->origin[2][i] - p->frame.position[2];
    const float u = r->direction[0][i], v = r->direction[1][i], w = r->direction[2][i];
    const float height = m[2] * x + m[5] * y + m[8] * z, rise = m[2] * u + m[5] * v + m[8] * w;
    const float from = side == 0 ? rise < 0 ? 1.0f : -1.0f : side;
    const float above = from * height, down = -from * rise;
    const float t = above / (down > 1e-20f ? down : 1e-20f);
    const float px = x + t * u, py = y + t * v, pz = z + t * w;
    const int within = (endless[0] | (fabsf(m[0] * px + m[3] * py + m[6] * pz) <= p->size[0])) &
                       (endless[1] | (fabsf(m[1] * px + m[4] * py + m[7] * pz) <= p->size[1]));
    const int hit = (above > 0) & (down > 0) & within & (t > r->near[i]) & (t < r->far[i]);
    at[i] = hit ? t : r->far[i];
  }
}

// From where the rays of a tile come.
typedef enum { FROM_EYE, FROM_EYE_ON, FROM_PLANE, FROM_SENSOR } From;

// Find the nearest planes.
INLINE void meetPlanes(const Look* l, From from, Tile* t) {
  Lanes at;
  for (int n = 0; n < l->c->nplane; n++) {
    const pr_Primitive* p = &l->c->planes[n];
    meetPlane(p, p->behind && from <= FROM_EYE_ON ? -1 : 1, &t->rays, at);
    for (int i = 0; i < LANES; i++) {
      const int hit = at[i] < t->rays.far[i];
      t->shape[i] = hit ? p->shape : t->shape[i];
      t->rays.far[i] = at[i];
      for (int k = 0; k < 3; k++) {
        t->rays.normal[k][i] = hit ? p->frame.rotation[3 * k + 2] : t->rays.normal[k][i];
      }
    }
  }
}

// Find the first and the last of n columns or rows, of which bounds are the least and the largest that their rays have,
// with a ray from low to high.
static void findBent(const float* bounds, int n, float low, float high, int* first, int* last) {
  *first = n;
  *last = -1;
  for (int i = 0; i < n; i++) {
    if (!(bounds[2 * i + 1] < low || bounds[2 * i] > high)) {
      *first = i < *first ? i : *first;
      *last = i;
    }
  }
}

// Find the pixels in which a primitive may be seen: those between the corners of the box around it, if it is before
// the camera as a whole, and one more to each side.
static pr_Window windowOf(const Look* l, const pr_Primitive* p) {
  const pr_Window none = {0, -1, 0, -1}, all = {0, l->eye->width - 1, 0, l->eye->height - 1};
  const float* const axes[3] = {l->right, l->up, l->forward};
  const float* m = p->frame.rotation;
  float half[3], middle[3], edges[3][3];
  float size = 0, depth = 0;  // of what lies around the middle, along the axis of view
  pr_halfOf(p, half);
  for (int k = 0; k < 3; k++) {
    const float* a = axes[k];
    middle[k] = 0;
    for (int j = 0; j < 3; j++) {
      middle[k] += a[j] * (p->frame.position[j] - l->origin[j]);
      edges[k][j] = half[j] * (a[0] * m[j] + a[1] * m[3 + j] + a[2] * m[6 + j]);
    }
  }
  for (int j = 0; j < 3; j++) {
    depth += fabsf(edges[2][j]);
    size += half[j];
  }
  const float slack = 1e-5f * (size + fabsf(middle[0]) + fabsf(middle[1]) + fabsf(middle[2]));  // for roundings
  if (middle[2] + depth + slack < l->c->lighting.near || middle[2] - depth - slack > l->c->lighting.far) {
    return none;
  }
  if (!(middle[2] - depth > 10 * slack)) {
    return all;
  }
  float low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
  for (int corner = 0; corner < 8; corner++) {
    float at[3];
    for (int k = 0; k < 3; k++) {
      at[k] = middle[k];
      for (int j = 0; j < 3; j++) {
        at[k] += corner >> j & 1 ? edges[k][j] : -edges[k][j];
      }
    }
    const float away = l->eye->orthographic ? 1 : at[2];
    for (int k = 0; k < 2; k++) {
      const float here = at[k] / away, error = 4 * slack / away;
      low[k] = fminf(low[k], here - error);
      high[k] = fmaxf(high[k], here + error);
    }
  }
  if (l->eye->rays) {
    const float* columns = l->eye->rays + 2 * (size_t)l->eye->width * l->eye->height;
    pr_Window w;
    findBent(columns, l->eye->width, low[0], high[0], &w.left, &w.right);
    findBent(columns + 2 * l->eye->width, l->eye->height, low[1], high[1], &w.top, &w.bottom);
    const int beside = l->eye->samples > 1;  // samples are up to half a pixel from the middles of pixels
    return (pr_Window){w.left - beside, w.right + beside, w.top - beside, w.bottom + beside};
  }
  const float width = (float)l->eye->width, height = (float)l->eye->height;
  const float* const step = l->eye->step;
  const float* const centre = l->eye->middle;
  const float edge[4] = {low[0] / step[0] + centre[0] - 1.5f, high[0] / step[0] + centre[0] + 0.5f,
                         centre[1] - high[1] / step[1] - 1.5f, centre[1] - low[1] / step[1] + 0.5f};
  const float last[4] = {width, width - 1, height, height - 1};
  int to[4];
  for (int i = 0; i < 4; i++) {
    to[i] = (int)fminf(fmaxf(edge[i], i % 2 ? -1 : 0), last[i]);  // a number that is none keeps all pixels
  }
  return (pr_Window){to[0], to[1], to[2], to[3]};
}

// Find the primitives in the windows of a tile, of the n that may be in its row.
INLINE void meetPrimitives(const Look* l, int n, int left, Tile* t) {
  const pr_Caster* c = l->c;
  for (int i = 0; i < n; i++) {
    const pr_Window* w = &c->windows[c->row[i]];
    if (w->left < left + 4 && w->right >= left) {
      pr_meetPrimitive(&c->moving[c->row[i]], &t->rays, t->shape);
    }
  }
}

// Choose the primitives that may be in a row of tiles.
static int chooseRow(const Look* l, int top) {
  const pr_Caster* c = l->c;
  int n = 0;
  for (int i = 0; i < c->nmoving; i++) {
    const pr_Window* w = &c->windows[i];
    if (w->left <= w->right && w->top < top + 4 && w->bottom >= top) {
      c->row[n++] = i;
    }
  }
  return n;
}

// Find the shapes that the rays have hit in Embree's scene.
INLINE void name(const Look* l, Tile* t) {
  const pr_Caster* c = l->c;
  const pr_EmbreeRays* r = &t->rays;
  for (int i = 0; i < LANES; i++) {
    if (r->geometry[i] == PR_EMBREE_NONE) {
      continue;
    }
    const uint32_t in = r->instance[i];
    if (in == PR_GEOMETRY_STILL) {
      t->shape[i] = c->still[r->primitive[i]].shape;
    } else {
      t->shape[i] = c->instanced[in - PR_GEOMETRY_MESHES];
    }
  }
}

// Turn the normals of meshes from their frames to the world's.
INLINE void turnNormals(const Look* l, Tile* t) {
  pr_EmbreeRays* r = &t->rays;
  for (int i = 0; i < LANES; i++) {
    if (r->geometry[i] == PR_EMBREE_NONE || r->instance[i] == PR_EMBREE_NONE || r->instance[i] < PR_GEOMETRY_MESHES) {
      continue;
    }
    const float* m = l->c->frames[t->shape[i]].rotation;
    const float x = r->normal[0][i], y = r->normal[1][i], z = r->normal[2][i];
    for (int k = 0; k < 3; k++) {
      r->normal[k][i] = m[3 * k] * x + m[3 * k + 1] * y + m[3 * k + 2] * z;
    }
  }
}

INLINE void findPoints(Tile* t) {
  const pr_EmbreeRays* r = &t->rays;
  for (int i = 0; i < LANES; i++) {
    const float x = r->normal[0][i], y = r->normal[1][i], z = r->normal[2][i];
    const float u = r->direction[0][i], v = r->direction[1][i], w = r->direction[2][i];
    const float square = x * x + y * y + z * z;
    const float scale = 1 / sqrtf(square > 1e-30f ? square : 1e-30f);
    t->inverse[i] = 1 / sqrtf(u * u + v * v + w * w);
    const float facing = -(x * u + y * v + z * w) * scale * t->inverse[i];
    t->facing[i] = facing > 0 ? facing : 0;
    for (int k = 0; k < 3; k++) {
      t->flat[k][i] = t->normal[k][i] = r->normal[k][i] * scale;
      t->point[k][i] = r->origin[k][i] + r->far[i] * r->direction[k][i];
    }
  }
}

// Put the normals between those of their vertices in place of those of faces.
INLINE void smooth(const Look* l, Tile* t) {
  const pr_Caster* c = l->c;
  const pr_EmbreeRays* r = &t->rays;
  for (int i = 0; i < LANES; i++) {
    if (r->geometry[i] == PR_EMBREE_NONE || r->instance[i] == PR_EMBREE_NONE || r->instance[i] < PR_GEOMETRY_MESHES) {
      continue;
    }
    const pr_Mesh* mesh = c->meshes[c->shapes[t->shape[i]].mesh];
    const uint32_t* corner = mesh->faces + 3 * (size_t)r->primitive[i];
    if (corner[0] >= mesh->nnormal || corner[1] >= mesh->nnormal || corner[2] >= mesh->nnormal) {
      continue;
    }
    const float* a = mesh->normals + 3 * (size_t)corner[0];
    const float* b = mesh->normals + 3 * (size_t)corner[1];
    const float* d = mesh->normals + 3 * (size_t)corner[2];
    const float* m = c->frames[t->shape[i]].rotation;
    const float u = r->u[i], v = r->v[i];
    float between[3], square = 0, product = 0;
    for (int k = 0; k < 3; k++) {
      between[k] = (1 - u - v) * a[k] + u * b[k] + v * d[k];
      square += between[k] * between[k];
    }
    if (square < 1e-12f) {
      continue;
    }
    for (int k = 0; k < 3; k++) {
      const float x = m[3 * k] * between[0] + m[3 * k + 1] * between[1] + m[3 * k + 2] * between[2];
      t->normal[k][i] = x / sqrtf(square);
      product -= t->normal[k][i] * r->direction[k][i];
    }
    t->facing[i] = product > 0 ? product * t->inverse[i] : 0;
  }
}

// Take the light away from rays to a lamp that are blocked.
INLINE void block(const pr_Caster* c, pr_EmbreeRays* s, Mask valid, Lanes lit) {
  Lanes at;
  for (int n = 0; n < c->nplane; n++) {
    meetPlane(&c->planes[n], 0, s, at);
    for (int i = 0; i < LANES; i++) {
      lit[i] = at[i] < s->far[i] ? 0 : lit[i];
    }
  }
  pr_EmbreeObject const scenes[] = {c->nmoving > 0 ? c->moving_scene : NULL, pr_hasScene(c) ? c->scene : NULL};
  for (int n = 0; n < 2; n++) {
    // Not flagged as coherent: from some rays so flagged Embree 3.13 did not return.
    pr_EmbreeContext context = {0, NULL, PR_EMBREE_NONE};
    if (scenes[n]) {
      c->embree->occluded16(valid, scenes[n], &context, s);
    }
    for (int i = 0; i < LANES; i++) {
      lit[i] = s->far[i] < 0 ? 0 : lit[i];
      valid[i] = s->far[i] < 0 ? 0 : valid[i];
    }
  }
}

// Take the light away from rays to a lamp that are blocked, but from those that begin at what is not opaque.
INLINE void blockOpaque(const pr_Caster* c, const Tile* t, pr_EmbreeRays* s, Mask valid, Lanes lit) {
  Lanes open;
  for (int i = 0; i < LANES; i++) {
    const int opaque = t->shape[i] < 0 || c->shapes[t->shape[i]].opacity >= 1;
    open[i] = opaque ? -1 : lit[i];
    valid[i] = opaque ? valid[i] : 0;
  }
  block(c, s, valid, lit);
  for (int i = 0; i < LANES; i++) {
    lit[i] = open[i] < 0 ? lit[i] : open[i];
  }
}

// Make light that comes from a spot, along rays to it, that of its cone.
INLINE void narrow(const pr_Lamp* g, const float* along, const pr_EmbreeRays* s, Mask valid, Lanes lit) {
  Lanes cosine;  // of the angle between a ray and the direction of the spot
  for (int i = 0; i < LANES; i++) {
    const float x = s->direction[0][i], y = s->direction[1][i], z = s->direction[2][i];
    const float square = x * x + y * y + z * z;
    cosine[i] = -(x * along[0] + y * along[1] + z * along[2]) / sqrtf(square > 1e-30f ? square : 1e-30f);
    lit[i] = cosine[i] >= g->cutoff ? lit[i] : 0;
    valid[i] = cosine[i] >= g->cutoff ? valid[i] : 0;
  }
  if (!(g->exponent >= 0 && g->exponent <= 128) || g->exponent != floorf(g->exponent)) {
    for (int i = 0; i < LANES; i++) {
      lit[i] = lit[i] > 0 ? lit[i] * powf(fminf(cosine[i], 1), g->exponent) : 0;
    }
    return;
  }
  for (int rest = (int)g->exponent; rest > 0; rest /= 2) {
    for (int i = 0; i < LANES; i++) {
      lit[i] = lit[i] > 0 && rest % 2 ? lit[i] * cosine[i] : lit[i];
      cosine[i] *= cosine[i];
    }
  }
}

// Powers of bases from 0 to 1, by logarithms and exponentials to base 2, which polynomials approximate.
INLINE void power(const Lanes base, const Lanes exponent, Lanes result) {
  Lanes x, y;
  Mask bits, whole;
  for (int i = 0; i < LANES; i++) {
    x[i] = base[i] > 1e-30f ? base[i] : 1e-30f;
  }
  memcpy(bits, x, sizeof bits);
  for (int i = 0; i < LANES; i++) {
    whole[i] = (bits[i] - 0x3f3504f3) >> 23;  // so that what is left is within a root of 2 around 1
    bits[i] -= whole[i] * (1 << 23);
  }
  memcpy(x, bits, sizeof x);
  for (int i = 0; i < LANES; i++) {
    const float s = (x[i] - 1) / (x[i] + 1), ss = s * s;
    const float ratio = s * (1 + ss * (1 / 3.0f + ss * (1 / 5.0f + ss * (1 / 7.0f + ss * (1 / 9.0f)))));
    const float logarithm = exponent[i] * ((float)whole[i] + 2.88539008f * ratio);
    y[i] = logarithm > -100 ? logarithm < 0 ? logarithm : 0 : -100;
  }
  for (int i = 0; i < LANES; i++) {
    whole[i] = (int32_t)(y[i] - 0.5f);  // towards 0: y is not above it
    const float z = (y[i] - (float)whole[i]) * 0.69314718f;
    y[i] = 1 + z * (1 + z * (1 / 2.0f + z * (1 / 6.0f + z * (1 / 24.0f + z * (1 / 120.0f + z * (1 / 720.0f))))));
  }
  for (int i = 0; i < LANES; i++) {
    bits[i] = (whole[i] + 127) * (1 << 23);
  }
  memcpy(x, bits, sizeof x);
  for (int i = 0; i < LANES; i++) {
    result[i] = x[i] * y[i];
  }
}

// Add the highlights of a light that comes from where the cosines of angles to normals and to rays are so large, with
// so much of its light, by the vector in the middle between light and eye.
INLINE void highlight(const Lanes cosine, const Lanes across, const float specular[3], const Lanes lit, Tile* t) {
  Lanes base, shine;
  Mask seen;
  int any = 0;
  for (int i = 0; i < LANES; i++) {
    const float square = 2 + 2 * across[i];
    const float middle = (cosine[i] + t->facing[i]) / sqrtf(square > 1e-12f ? square : 1e-12f);
    base[i] = middle < 1 ? middle : 1;
  }
  for (int i = 0; i < LANES; i++) {
    // no picture shows what is below e^-9
    shine[i] = lit[i] * t->specular[i];
    seen[i] = (cosine[i] > 0) & (base[i] > 0) & (t->exponent[i] * (base[i] - 1) > -9) & (shine[i] > 0);
  }
  for (int i = 0; i < LANES; i++) {
    shine[i] = seen[i] ? shine[i] : 0;
    any |= seen[i];
  }
  if (!any) {
    return;
  }
  Lanes powers;
  power(base, t->exponent, powers);
  for (int k = 0; k < 3; k++) {
    for (int i = 0; i < LANES; i++) {
      t->shine[k][i] += specular[k] * (shine[i] * powers[i]);
    }
  }
}

static int isBlack(const float color[3]) { return color[0] <= 0 && color[1] <= 0 && color[2] <= 0; }

// Add the light of the camera, which shines along its axis of view.
INLINE void lightAhead(const Look* l, Tile* t) {
  const pr_Lighting* g = &l->c->lighting;
  Lanes cosine, lit;
  for (int i = 0; i < LANES; i++) {
    const float product =
        -(t->normal[0][i] * l->forward[0] + t->normal[1][i] * l->forward[1] + t->normal[2][i] * l->forward[2]);
    cosine[i] = product > 0 ? product : 0;
    lit[i] = t->shape[i] >= 0 ? 1 : 0;
  }
  for (int k = 0; k < 3; k++) {
    for (int i = 0; i < LANES; i++) {
      t->lit[k][i] = g->head[k] * cosine[i];
      t->shine[k][i] = 0;
    }
  }
  if (l->c->shines && !isBlack(g->head_specular)) {
    Lanes across;
    for (int i = 0; i < LANES; i++) {
      across[i] = (t->rays.direction[0][i] * l->forward[0] + t->rays.direction[1][i] * l->forward[1] +
                   t->rays.direction[2][i] * l->forward[2]) *
                  t->inverse[i];
    }
    highlight(cosine, across, g->head_specular, lit, t);
  }
}

// Add the light of a lamp that comes to the points.
INLINE void light(const Look* l, int lamp, Tile* t) {
  const pr_Lamp* g = &l->c->lighting.lamps[lamp];
  const float* from = l->lamps[lamp];
  const float* a = g->attenuation;
  const int point = !g->directional;
  pr_EmbreeRays s __attribute__((aligned(64)));
  Mask valid;
  Lanes lit, cosine, across;
  int any = 0;
  for (int k = 0; k < 3; k++) {
    for (int i = 0; i < LANES; i++) {
      s.origin[k][i] = t->point[k][i] + (LIFT + LIFT_BY_DISTANCE * t->rays.far[i]) * t->flat[k][i];
      s.direction[k][i] = point ? from[k] - s.origin[k][i] : from[k];
    }
  }
  for (int i = 0; i < LANES; i++) {
    const float x = s.direction[0][i], y = s.direction[1][i], z = s.direction[2][i];
    const float square = x * x + y * y + z * z;
    const float distance = sqrtf(square > 1e-30f ? square : 1e-30f), near = 1 / distance;
    const float reach = a[0] + a[1] * distance + a[2] * square;
    cosine[i] = (x * t->normal[0][i] + y * t->normal[1][i] + z * t->normal[2][i]) * near;
    across[i] = -(x * t->rays.direction[0][i] + y * t->rays.direction[1][i] + z * t->rays.direction[2][i]) * near *
                t->inverse[i];
    lit[i] = point & (reach > 0) ? 1 / reach : 1;
  }
  for (int i = 0; i < LANES; i++) {
    valid[i] = (t->shape[i] >= 0) & (cosine[i] > 0) ? t->valid[i] : 0;
    lit[i] = valid[i] ? lit[i] : 0;
    any |= valid[i];
  }
  for (int i = 0; i < LANES; i++) {
    s.near[i] = s.time[i] = 0;
    s.far[i] = point ? 1 : INFINITY;
    s.mask[i] = PR_EMBREE_NONE;
    s.id[i] = s.flags[i] = 0;
  }
  if (!any) {
    return;
  }
  if (g->spot) {
    narrow(g, l->along[lamp], &s, valid, lit);
  }
  if (g->shadows && l->c->clear) {
    blockOpaque(l->c, t, &s, valid, lit);
  } else if (g->shadows) {
    block(l->c, &s, valid, lit);
  }
  for (int k = 0; k < 3; k++) {
    for (int i = 0; i < LANES; i++) {
      t->lit[k][i] += g->color[k] * (lit[i] * cosine[i]);
    }
  }
  if (l->c->shines && !isBlack(g->specular)) {
    highlight(cosine, across, g->specular, lit, t);
  }
}

// Find how far what the neighbours of samples show is from the points of a tile if surfaces go on flat.
INLINE void findSteps(const Look* l, const Tile* t, Lanes steps[2][3]) {
  Lanes away, down;
  const int orthographic = l->eye->orthographic;
  for (int i = 0; i < LANES; i++) {
    const float product = t->rays.direction[0][i] * t->flat[0][i] + t->rays.direction[1][i] * t->flat[1][i] +
                          t->rays.direction[2][i] * t->flat[2][i];
    down[i] = 1 / (product < -1e-6f ? product : -1e-6f);
    away[i] = orthographic ? 1 : t->before[i] + t->rays.far[i];
  }
  for (int j = 0; j < 2; j++) {
    const Lanes* from = t->steps[j];
    for (int i = 0; i < LANES; i++) {
      const float above = from[0][i] * t->flat[0][i] + from[1][i] * t->flat[1][i] + from[2][i] * t->flat[2][i];
      const float part = above * down[i];
      steps[j][0][i] = away[i] * (from[0][i] - part * t->rays.direction[0][i]);
      steps[j][1][i] = away[i] * (from[1][i] - part * t->rays.direction[1][i]);
      steps[j][2][i] = away[i] * (from[2][i] - part * t->rays.direction[2][i]);
    }
  }
}

// Find the spots of points of a shape whose texture lies in the plane of its x and y.
INLINE void spotsFlat(const Look* l, int shape, const Tile* t, const Lanes steps[2][3], pr_Spots* spots) {
  const pr_Seen* s = &l->c->shapes[shape];
  const pr_Frame* f = &l->c->frames[shape];
  for (int k = 0; k < 2; k++) {
    const float* m = f->rotation + k;
    const float repeat = k ? -s->repeat[k] : s->repeat[k];
    for (int i = 0; i < LANES; i++) {
      const float at = m[0] * (t->point[0][i] - f->position[0]) + m[3] * (t->point[1][i] - f->position[1]) +
                       m[6] * (t->point[2][i] - f->position[2]);
      spots->at[k][i] = at * repeat + s->phase[k];
      spots->steps[0][k][i] = (m[0] * steps[0][0][i] + m[3] * steps[0][1][i] + m[6] * steps[0][2][i]) * repeat;
      spots->steps[1][k][i] = (m[0] * steps[1][0][i] + m[3] * steps[1][1][i] + m[6] * steps[1][2][i]) * repeat;
    }
  }
  for (int i = 0; i < LANES; i++) {
    spots->face[i] = 0;
    spots->textures[i] = &l->c->textures->list[s->texture];
  }
}

// Return the spot of the point of ray i.
static pr_Spot spotOf(const Look* l, int i, const Tile* t, const Lanes steps[2][3]) {
  const pr_Seen* s = &l->c->shapes[t->shape[i]];
  const pr_Frame* f = &l->c->frames[t->shape[i]];
  const pr_Texture* x = &l->c->textures->list[s->texture];
  pr_Point p;
  float up = 0;  // the part of the normal along z
  for (int j = 0; j < 3; j++) {
    p.at[j] = p.steps[0][j] = p.steps[1][j] = 0;
    for (int k = 0; k < 3; k++) {
      const float axis = f->rotation[3 * k + j];
      p.at[j] += axis * (t->point[k][i] - f->position[k]);
      p.steps[0][j] += axis * steps[0][k][i];
      p.steps[1][j] += axis * steps[1][k][i];
    }
    up += f->rotation[3 * j + 2] * t->flat[j][i];
  }
  switch (s->mapping) {
    case PR_FLAT:
      return pr_flatSpot(s, &p);
    case PR_CORNERS:
      return pr_cornerSpot(s, l->c->meshes[s->mesh], t->rays.primitive[i], t->rays.u[i], t->rays.v[i], &p);
    case PR_CUBE:
      return pr_cubeSpot(s, x, &p);
    default:
      return pr_sideSpot(s, &p, up);
  }
}

// Set the spot of ray i.
INLINE void setSpot(const pr_Spot* spot, const pr_Texture* texture, int i, pr_Spots* to) {
  for (int k = 0; k < 2; k++) {
    to->at[k][i] = spot->at[k];
    to->steps[0][k][i] = spot->steps[0][k];
    to->steps[1][k][i] = spot->steps[1][k];
  }
  to->face[i] = spot->face;
  to->textures[i] = texture;
}

// Look up the textures of shapes, all rays having hit the same one if they are alike.
CALLED void lookUp(const Look* l, int alike, Tile* t) {
  const pr_Caster* c = l->c;
  pr_Spots spots;
  Lanes steps[2][3], color[3];
  findSteps(l, t, steps);
  if (alike && c->shapes[t->shape[0]].mapping == PR_FLAT) {
    spotsFlat(l, t->shape[0], t, steps, &spots);
    pr_filter(c->textures->texels, &spots, t->texture);
    return;
  }
  Mask has;
  const pr_Spot none = {.face = 0};
  const pr_Texture* some = NULL;
  for (int i = 0; i < LANES; i++) {
    const int texture = t->shape[i] >= 0 && t->valid[i] ? c->shapes[t->shape[i]].texture : -1;
    has[i] = texture >= 0;
    some = has[i] ? &c->textures->list[texture] : some;
  }
  if (!some) {
    return;
  }
  for (int i = 0; i < LANES; i++) {
    const pr_Spot spot = has[i] ? spotOf(l, i, t, steps) : none;
    setSpot(&spot, has[i] ? &c->textures->list[c->shapes[t->shape[i]].texture] : some, i, &spots);
  }
  pr_filter(c->textures->texels, &spots, color);
  for (int k = 0; k < 3; k++) {
    for (int i = 0; i < LANES; i++) {
      t->texture[k][i] = has[i] ? color[k][i] : t->texture[k][i];
    }
  }
}

// Collect the colours of the shapes.
INLINE void paint(const Look* l, Tile* t) {
  const pr_Seen* first = &l->c->shapes[t->shape[0] < 0 ? 0 : t->shape[0]];
  int alike = 1, textured = 0;  // all rays have hit the same shape; some have hit one with a texture
  for (int i = 0; i < LANES; i++) {
    alike &= t->shape[i] == t->shape[0];
    t->emission[i] = first->emission;
    t->specular[i] = first->specular;
    t->exponent[i] = first->exponent;
  }
  for (int k = 0; k < 3; k++) {
    for (int i = 0; i < LANES; i++) {
      t->color[k][i] = first->color[k];
      t->texture[k][i] = 1;
    }
  }
  if (alike && first->texture < 0) {
    return;
  }
  for (int i = 0; i < LANES; i++) {
    const pr_Seen* s = &l->c->shapes[t->shape[i] < 0 ? 0 : t->shape[i]];
    if (s != first) {
      for (int k = 0; k < 3; k++) {
        t->color[k][i] = s->color[k];
      }
      t->emission[i] = s->emission;
      t->specular[i] = s->specular;
      t->exponent[i] = s->exponent;
    }
    textured |= t->shape[i] >= 0 && s->texture >= 0;
  }
  if (textured) {
    lookUp(l, alike, t);
  }
}

static int seesSky(const Tile* t) {
  int sees = 0;
  for (int i = 0; i < LANES; i++) {
    sees |= t->shape[i] < 0 && t->valid[i];
  }
  return sees;
}

// Find the spots of a cube in directions, as OpenGL chooses its faces. steps are those of the neighbours of samples.
INLINE void spotsOfFaces(const pr_Texture* x, const Lanes direction[3], const Lanes steps[2][3], pr_Spots* spots) {
  const int faces = x->faces > 1;
  for (int i = 0; i < LANES; i++) {
    const float d0 = direction[0][i], d1 = direction[1][i], d2 = direction[2][i];
    const float a = fabsf(d0), b = fabsf(d1), c = fabsf(d2);
    const int first = (a >= b) & (a >= c), second = !first & (b >= c);
    const float along = first ? d0 : second ? d1 : d2, reach = fabsf(along);
    const float side = along < 0 ? -1.0f : 1.0f, far = 1 / (reach > 1e-20f ? reach : 1e-20f);
    const float columns = first ? -side : second ? 1.0f : side, rows = second ? side : -1.0f;  // the signs of their axes
    const float across = columns * (first ? d2 : d0) * far, down = rows * (second ? d2 : d1) * far;
    spots->face[i] = faces ? (first ? 0 : second ? 2 : 4) + (side < 0) : 0;
    spots->at[0][i] = 0.5f + 0.5f * across;
    spots->at[1][i] = 0.5f + 0.5f * down;
    for (int j = 0; j < 2; j++) {
      const float s0 = steps[j][0][i], s1 = steps[j][1][i], s2 = steps[j][2][i];
      const float ahead = first ? s0 : second ? s1 : s2;
      spots->steps[j][0][i] = 0.5f * far * (columns * (first ? s2 : s0) - across * side * ahead);
      spots->steps[j][1][i] = 0.5f * far * (rows * (second ? s2 : s1) - down * side * ahead);
    }
    spots->textures[i] = x;
  }
}

// Look the sky up where rays meet nothing.
CALLED void paintSky(const Look* l, Tile* t) {
  static const int axes[3] = {0, 2, 1};
  const pr_Texture* x = &l->c->textures->list[l->c->lighting.skybox];
  const float moves = l->eye->orthographic ? 0 : 1;
  pr_Spots spots;
  Lanes direction[3], steps[2][3], color[3];
  for (int k = 0; k < 3; k++) {
    const float side = k == 2 ? -1 : 1;
    for (int i = 0; i < LANES; i++) {
      direction[k][i] = side * t->rays.direction[axes[k]][i];
      steps[0][k][i] = moves * side * t->steps[0][axes[k]][i];
      steps[1][k][i] = moves * side * t->steps[1][axes[k]][i];
    }
  }
  spotsOfFaces(x, direction, steps, &spots);
  pr_filter(l->c->textures->texels, &spots, color);
  for (int k = 0; k < 3; k++) {
    for (int i = 0; i < LANES; i++) {
      t->texture[k][i] = t->shape[i] < 0 ? color[k][i] : t->texture[k][i];
    }
  }
}

// Put colour and light together, or the sky.
INLINE void shade(const Look* l, const Tile* t, Lanes out[3]) {
  const pr_Lighting* g = &l->c->lighting;
  float most = 1;  // MuJoCo's renderer adds the light of each lamp with shadows to what it has drawn, which is up to 1
  for (int i = 0; i < g->nlamp; i++) {
    most += g->lamps[i].shadows ? 1 : 0;
  }
  for (int k = 0; k < 3; k++) {
    for (int i = 0; i < LANES; i++) {
      const float height = 0.5f + 0.5f * t->rays.direction[2][i] * t->inverse[i];
      const float plain = g->sky[1][k] + height * (g->sky[0][k] - g->sky[1][k]);
      const float sky = g->skybox < 0 ? plain : t->texture[k][i];
      const float sum = t->emission[i] + g->ambient[k] + t->lit[k][i];
      const float color = t->color[k][i] * sum + t->shine[k][i];
      const float value = t->shape[i] < 0 ? sky : (color < most ? color : most) * t->texture[k][i];
      out[k][i] = value < 1 ? value : 1;
    }
  }
}

// Find the primitives that move and that rays meet which come from anywhere.
INLINE void meetMoving(const Look* l, Tile* t) {
  const pr_Caster* c = l->c;
  if (c->nmoving == 0) {
    return;
  }
  for (int i = 0; i < LANES; i++) {
    t->rays.geometry[i] = t->rays.instance[i] = PR_EMBREE_NONE;
  }
  pr_EmbreeContext context = {0, NULL, PR_EMBREE_NONE};
  c->embree->intersect16(t->valid, c->moving_scene, &context, &t->rays);
  for (int i = 0; i < LANES; i++) {
    t->shape[i] = t->rays.geometry[i] == PR_EMBREE_NONE ? t->shape[i] : c->moving[t->rays.primitive[i]].shape;
    t->rays.geometry[i] = PR_EMBREE_NONE;
  }
}

// Find what the rays of a tile meet first. n primitives may be in the row of rays that come from the camera, at first or
// behind something.
INLINE void meet(const Look* l, int n, int left, From from, Tile* t) {
  meetPlanes(l, from, t);
  if (from == FROM_PLANE) {
    meetMoving(l, t);
  } else {
    meetPrimitives(l, n, left, t);
  }
  if (pr_hasScene(l->c)) {
    for (int i = 0; i < LANES; i++) {
      t->rays.geometry[i] = t->rays.instance[i] = PR_EMBREE_NONE;
    }
    pr_EmbreeContext context = {from == FROM_EYE ? PR_EMBREE_COHERENT : 0, NULL, PR_EMBREE_NONE};
    l->c->embree->intersect16(t->valid, l->c->scene, &context, &t->rays);
    name(l, t);
  }
}

// Find what rays meet that are not the first of a pixel.
CALLED void meetAgain(const Look* l, int n, int left, From from, Tile* t) { meet(l, n, left, from, t); }

// Find the colours of what the rays of a tile have met.
CALLED void findColors(const Look* l, Tile* t, Lanes out[3]) {
  turnNormals(l, t);
  findPoints(t);
  if (l->c->ninstanced > 0) {
    smooth(l, t);
  }
  paint(l, t);
  if (l->c->lighting.skybox >= 0 && seesSky(t)) {
    paintSky(l, t);
  }
  lightAhead(l, t);
  for (int i = 0; i < l->c->lighting.nlamp; i++) {
    light(l, i, t);
  }
  shade(l, t, out);
}

// Let the rays of a tile that have met something that is not opaque go on behind it. More is how much of what they meet
// then is seen, and out is the colour of what they have met. Return 0 if no ray goes on.
INLINE int goOn(const Look* l, int last, const Lanes color[3], Tile* t, Lanes more, Lanes out[3]) {
  int any = 0;
  Lanes part;
  for (int i = 0; i < LANES; i++) {
    const float opacity = t->shape[i] < 0 || last ? 1 : l->c->shapes[t->shape[i]].opacity;
    part[i] = more[i] * opacity;
    more[i] -= part[i];
    t->valid[i] = more[i] > 0 ? t->valid[i] : 0;
    any |= t->valid[i];
  }
  for (int k = 0; k < 3; k++) {
    for (int i = 0; i < LANES; i++) {
      out[k][i] += part[i] * color[k][i];
      t->rays.normal[k][i] = 0;
    }
  }
  for (int i = 0; i < LANES; i++) {
    t->rays.near[i] = t->shape[i] < 0 ? t->rays.near[i] : t->rays.far[i] + BEHIND * t->rays.far[i];
    t->rays.far[i] = l->c->lighting.far;
    t->shape[i] = -1;
  }
  return any;
}

static void reflect(const Look* l, const Tile* t, Lanes out[3]);

// Return the haze before the end of the first plane without ends, as MuJoCo's renderer has it, if the camera is above.
static Haze hazeOf(const Look* l) {
  const pr_Lighting* g = &l->c->lighting;
  Haze z = {.reach = 0.7f * g->far};
  for (int n = 0; n < l->c->nplane; n++) {
    const pr_Primitive* p = &l->c->planes[n];
    if (p->size[0] > 0 || p->size[1] > 0) {
      continue;
    }
    for (int k = 0; k < 3; k++) {
      z.up[k] = p->frame.rotation[3 * k + 2];
      z.height += z.up[k] * (l->origin[k] - p->frame.position[k]) / z.reach;
    }
    // its outline is straight from the plane to the camera's height; at 45 degrees below its upper end it is opaque
    const float width = g->haze_width, inner = atan2f(1, width);
    z.peak = sqrtf(0.5f) * width * sinf(inner) / sinf(2.35619449f - inner);
    z.shown = z.height > 0;
    break;
  }
  return z;
}

// Add the haze to the colours that rays show, where what they have met is behind it.
__attribute__((noinline)) static void addHaze(const Look* l, const Tile* t, Lanes out[3]) {
  const Haze* z = &l->haze;
  const pr_Lighting* g = &l->c->lighting;
  for (int i = 0; i < LANES; i++) {
    float down = 0, square = 0;
    for (int k = 0; k < 3; k++) {
      down -= t->rays.direction[k][i] * z->up[k];
      square += t->rays.direction[k][i] * t->rays.direction[k][i];
    }
    const float level = sqrtf(fmaxf(square - down * down, 1e-12f * square)), slope = down / level;
    const float below = slope / (z->height + slope * g->haze_width);  // the camera, in parts of its height
    const float distance = z->reach * (1 - g->haze_width * below) / level;
    if (!(below > 0 && below < 1) || (t->shape[i] >= 0 && t->rays.far[i] < distance)) {
      continue;
    }
    const float part = 1 - below < z->peak ? (1 - below) / z->peak : below / (1 - z->peak);
    for (int k = 0; k < 3; k++) {
      out[k][i] += part * (g->haze[k] - out[k][i]);
    }
  }
}

// Find the colours of what the rays of a tile have met, with those that it reflects.
INLINE void findAll(const Look* l, From from, Tile* t, Lanes out[3]) {
  findColors(l, t, out);
  if (from == FROM_EYE && l->eye->reflections) {
    reflect(l, t, out);
  }
  if (from != FROM_PLANE && l->haze.shown) {
    addHaze(l, t, out);
  }
}

// Find the colours that the rays of a tile show, which have met what they meet first.
INLINE void see(const Look* l, int n, int left, From from, Tile* t, Lanes out[3]) {
  if (!l->c->clear) {
    findAll(l, from, t, out);
    return;
  }
  Lanes color[3], more;
  for (int i = 0; i < LANES; i++) {
    more[i] = 1;
    out[0][i] = out[1][i] = out[2][i] = 0;
  }
  for (int layer = 1;; layer++) {
    findAll(l, from, t, color);
    if (!goOn(l, layer == LAYERS, color, t, more, out)) {
      return;
    }
    meetAgain(l, n, left, from == FROM_EYE ? FROM_EYE_ON : from, t);
  }
}

// Add to the colours of opaque planes that reflect those of what the rays of the tile meet then, which is not reflected
// again, but not the sky.
WIDE static void reflect(const Look* l, const Tile* t, Lanes out[3]) {
  Tile r __attribute__((aligned(64)));
  Lanes part, color[3];
  int any = 0;
  begin(l, &r);
  for (int i = 0; i < LANES; i++) {
    const pr_Seen* s = &l->c->shapes[t->shape[i] < 0 ? 0 : t->shape[i]];
    const int reflects = t->shape[i] >= 0 && s->kind == PR_PLANE && s->opacity >= 1 && s->reflectance > 0;
    const float lift = LIFT + LIFT_BY_DISTANCE * t->rays.far[i];
    float product[3] = {0, 0, 0};
    for (int k = 0; k < 3; k++) {
      product[0] += t->rays.direction[k][i] * t->flat[k][i];
      product[1] += t->steps[0][k][i] * t->flat[k][i];
      product[2] += t->steps[1][k][i] * t->flat[k][i];
    }
    for (int k = 0; k < 3; k++) {
      r.rays.origin[k][i] = t->point[k][i] + lift * t->flat[k][i];
      r.rays.direction[k][i] = t->rays.direction[k][i] - 2 * product[0] * t->flat[k][i];
      r.steps[0][k][i] = t->steps[0][k][i] - 2 * product[1] * t->flat[k][i];
      r.steps[1][k][i] = t->steps[1][k][i] - 2 * product[2] * t->flat[k][i];
      r.rays.normal[k][i] = 0;
    }
    part[i] = s->reflectance;
    r.valid[i] = reflects ? t->valid[i] : 0;
    any |= r.valid[i];
    r.before[i] = t->rays.far[i];
    r.rays.near[i] = 0;
    r.rays.far[i] = l->c->lighting.far;
    r.shape[i] = -1;
  }
  if (!any) {
    return;
  }
  meetAgain(l, 0, 0, FROM_PLANE, &r);
  for (int i = 0; i < LANES; i++) {
    part[i] = r.valid[i] && r.shape[i] >= 0 ? part[i] : 0;
  }
  see(l, 0, 0, FROM_PLANE, &r, color);
  for (int k = 0; k < 3; k++) {
    for (int i = 0; i < LANES; i++) {
      const float sum = out[k][i] + part[i] * color[k][i];
      out[k][i] = sum < 1 ? sum : 1;
    }
  }
}

// Write depths and labels of a tile.
INLINE void writeHits(const Look* l, int left, int top, const Tile* t) {
  const pr_Picture* to = l->to;
  const int width = l->eye->width, height = l->eye->height;
  const int columns = width - left < 4 ? width - left : 4, rows = height - top < 4 ? height - top : 4;
  for (int row = 0; row < rows; row++) {
    const size_t at = (size_t)(top + row) * width + left;
    const int first = 4 * row;
    if (to->depth && columns == 4) {
      memcpy(to->depth + at, t->rays.far + first, 4 * sizeof(float));
    } else if (to->depth) {
      memcpy(to->depth + at, t->rays.far + first, columns * sizeof(float));
    }
    for (int i = 0; to->labels && i < columns; i++) {
      const int shape = t->shape[first + i];
      to->labels[at + i] = shape < 0 ? -1 : l->c->shapes[shape].label;
    }
  }
}

// Write the normals of the surfaces that the rays of a tile have met, in the optical frame of the camera.
__attribute__((noinline)) static void writeNormals(const Look* l, int left, int top, const Tile* met) {
  const int width = l->eye->width, height = l->eye->height;
  Tile t __attribute__((aligned(64))) = *met;
  turnNormals(l, &t);
  findPoints(&t);
  for (int i = 0; i < LANES; i++) {
    const int x = left + i % 4, y = top + i / 4;
    if (x >= width || y >= height) {
      continue;
    }
    float* to = l->to->normals + 3 * ((size_t)y * width + x);
    for (int k = 0; k < 3; k++) {
      to[k] = 0;
    }
    for (int k = 0; k < 3 && t.shape[i] >= 0; k++) {
      to[0] += l->right[k] * t.flat[k][i];
      to[1] -= l->up[k] * t.flat[k][i];
      to[2] += l->forward[k] * t.flat[k][i];
    }
  }
}

// Write the colours of a tile.
INLINE void writeColors(const Look* l, int left, int top, const Lanes values[3]) {
  const int width = l->eye->width, height = l->eye->height;
  const int columns = width - left < 4 ? width - left : 4, rows = height - top < 4 ? height - top : 4;
  uint8_t colors[3][LANES];
  for (int k = 0; k < 3; k++) {
    for (int i = 0; i < LANES; i++) {
      const float value = values[k][i] > 0 ? values[k][i] : 0;
      colors[k][i] = (uint8_t)(int)((value < 1 ? value : 1) * 255 + 0.5f);
    }
  }
  for (int row = 0; row < rows; row++) {
    uint8_t* to = l->to->rgb + 3 * ((size_t)(top + row) * width + left);
    for (int i = 0; i < columns; i++) {
      for (int k = 0; k < 3; k++) {
        to[3 * i + k] = colors[k][4 * row + i];
      }
    }
  }
}

WIDE static void lookAll(const Look* l) {
  const pr_Picture* to = l->to;
  const int samples = to->rgb ? l->eye->samples : 0;
  // depths, labels and normals are those of the ray through the middle, which is the only sample of colours, or before the first
  const int before = (to->depth || to->labels || to->normals) && samples != 1 ? 1 : 0;
  Tile t __attribute__((aligned(64)));
  Lanes colors[3], sums[3];
  begin(l, &t);
  for (int top = 0; top < l->eye->height; top += 4) {
    const int n = chooseRow(l, top);
    for (int left = 0; left < l->eye->width; left += 4) {
      for (int sample = -before; sample < samples; sample++) {
        float offset[2];
        offsetOf(sample < 0 ? 0 : sample, offset);
        aim(l, left, top, offset, &t);
        meet(l, n, left, FROM_EYE, &t);
        if (sample < 0 || samples == 1) {
          writeHits(l, left, top, &t);
          if (to->normals) {
            writeNormals(l, left, top, &t);
          }
        }
        if (sample < 0) {
          continue;
        }
        see(l, n, left, FROM_EYE, &t, colors);
        if (samples == 1) {
          writeColors(l, left, top, colors);
          continue;
        }
        for (int k = 0; k < 3; k++) {
          for (int i = 0; i < LANES; i++) {
            sums[k][i] = (sample == 0 ? 0 : sums[k][i]) + colors[k][i] / (float)samples;
          }
        }
        if (sample == samples - 1) {
          writeColors(l, left, top, sums);
        }
      }
    }
  }
}

// Let a camera behind a plane see its back, as MuJoCo's renderer shows it: with 0.3 of its opacity.
static void showBack(const Look* l, pr_Primitive* p) {
  float above = 0;
  for (int k = 0; k < 3; k++) {
    above += p->frame.rotation[3 * k + 2] * (l->origin[k] - p->frame.position[k]);
  }
  p->behind = l->eye->backs && above < 0;
  if (p->behind) {
    pr_Seen* s = &l->c->shapes[p->shape];
    s->opacity = pr_opacityOf(0.3f * (1 - sqrtf(1 - s->opacity)));
    l->c->clear = 1;
  }
}

void pr_look(pr_Caster* c, const double* frame, const double* lamps, const pr_Eye* eye, const pr_Picture* to) {
  Look l = {.c = c, .eye = eye, .to = to};
  l.side = 1 / sqrtf((float)eye->samples);
  for (int k = 0; k < 3; k++) {
    const double* row = frame + 3 + 3 * k;
    l.origin[k] = (float)frame[k];
    l.right[k] = (float)row[0];
    l.up[k] = (float)row[1];
    l.forward[k] = (float)-row[2];
    l.steps[0][k] = l.side * eye->step[0] * l.right[k];
    l.steps[1][k] = -l.side * eye->step[1] * l.up[k];
    for (int i = 0; i < c->lighting.nlamp; i++) {
      const double* lamp = lamps + PR_LAMP * i;
      l.lamps[i][k] = (float)(c->lighting.lamps[i].directional ? -lamp[3 + k] : lamp[k]);
      l.along[i][k] = (float)lamp[3 + k];
    }
  }
  for (int i = 0; i < c->nplane; i++) {
    showBack(&l, &c->planes[i]);
  }
  for (int i = 0; i < c->nmoving; i++) {
    c->windows[i] = windowOf(&l, &c->moving[i]);
  }
  if (eye->haze && to->rgb) {
    l.haze = hazeOf(&l);
  }
  lookAll(&l);
}

WIDE void pr_measure(pr_Caster* c, const double* rays, int n, float most, double* distances) {
  const Look l = {.c = c};
  pr_EmbreeObject const scenes[] = {c->nmoving > 0 ? c->moving_scene : NULL, pr_hasScene(c) ? c->scene : NULL};
  Tile t __attribute__((aligned(64)));
  begin(&l, &t);
  for (int first = 0; first < n; first += LANES) {
    for (int i = 0; i < LANES; i++) {
      const double* ray = rays + 6 * (first + i < n ? first + i : first);
      for (int k = 0; k < 3; k++) {
        t.rays.origin[k][i] = (float)ray[k];
        t.rays.direction[k][i] = (float)ray[3 + k];
      }
      t.rays.near[i] = 0;
      t.rays.far[i] = most;
      t.valid[i] = first + i < n ? -1 : 0;
    }
    meetPlanes(&l, FROM_SENSOR, &t);
    for (int k = 0; k < 2; k++) {
      pr_EmbreeContext context = {0, NULL, PR_EMBREE_NONE};
      if (scenes[k]) {
        c->embree->intersect16(t.valid, scenes[k], &context, &t.rays);
      }
    }
    for (int i = 0; i < LANES && first + i < n; i++) {
      distances[first + i] = t.rays.far[i];
    }
  }
}
