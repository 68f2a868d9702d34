#include "primitives.h"

#include "lanes.h"

// Rays in the frame of a shape.
typedef struct {
  Lanes origin[3];
  Lanes direction[3];
} Rays;

// Where rays enter a shape: how far along the ray, INFINITY where they miss it, and the normal that
// points out of it, of any length, in the frame of the shape.
typedef struct {
  Lanes at;
  Lanes normal[3];
} Entry;

// Keep divisors of lines that run parallel to something away from 0.
INLINE float apart(float x) {
  const float least = x < 0 ? -1e-20f : 1e-20f;
  return fabsf(x) > 1e-20f ? x : least;
}

// The point of a line that is nearest to the middle is found first: the origin may be far away, and squares of
// large numbers would leave little of the radius.
INLINE void enterEllipsoid(int n, const float* size, const Rays* r, Entry* e) {
  for (int i = 0; i < n; i++) {
    const float ox = r->origin[0][i] / size[0], oy = r->origin[1][i] / size[1], oz = r->origin[2][i] / size[2];
    const float dx = r->direction[0][i] / size[0], dy = r->direction[1][i] / size[1], dz = r->direction[2][i] / size[2];
    const float dd = dx * dx + dy * dy + dz * dz;
    const float middle = -(ox * dx + oy * dy + oz * dz) / dd;
    const float x = ox + middle * dx, y = oy + middle * dy, z = oz + middle * dz;
    const float left = (1 - (x * x + y * y + z * z)) / dd;
    const float back = sqrtf(left > 0 ? left : 0);
    e->at[i] = left > 0 ? middle - back : INFINITY;
    e->normal[0][i] = (x - back * dx) / size[0];
    e->normal[1][i] = (y - back * dy) / size[1];
    e->normal[2][i] = (z - back * dz) / size[2];
  }
}

INLINE void enterCapsule(int n, const float* size, const Rays* r, Entry* e) {
  const float radius = size[0], half = size[1];
  for (int i = 0; i < n; i++) {
    const float ox = r->origin[0][i], oy = r->origin[1][i], oz = r->origin[2][i];
    const float dx = r->direction[0][i], dy = r->direction[1][i], dz = r->direction[2][i];
    // the side
    const float across = apart(dx * dx + dy * dy);
    const float beside = -(ox * dx + oy * dy) / across;
    const float sx = ox + beside * dx, sy = oy + beside * dy;
    const float left = (radius * radius - (sx * sx + sy * sy)) / across;
    const float back = sqrtf(left > 0 ? left : 0);
    const float side = beside - back, height = oz + side * dz;
    // the ball at the end beyond which the line comes to the side
    const float end = copysignf(half, height);
    const float dd = across + dz * dz;
    const float middle = -(ox * dx + oy * dy + (oz - end) * dz) / dd;
    const float x = ox + middle * dx, y = oy + middle * dy, z = oz - end + middle * dz;
    const float room = (radius * radius - (x * x + y * y + z * z)) / dd;
    const float retreat = sqrtf(room > 0 ? room : 0);
    const int on = fabsf(height) <= half;
    const float ball = room > 0 ? middle - retreat : INFINITY;
    const float at = on ? side : ball;
    e->at[i] = left > 0 ? at : INFINITY;
    e->normal[0][i] = on ? sx - back * dx : x - retreat * dx;
    e->normal[1][i] = on ? sy - back * dy : y - retreat * dy;
    e->normal[2][i] = on ? 0 : z - retreat * dz;
  }
}

INLINE void enterCylinder(int n, const float* size, const Rays* r, Entry* e) {
  const float radius = size[0], half = size[1];
  for (int i = 0; i < n; i++) {
    const float ox = r->origin[0][i], oy = r->origin[1][i], oz = r->origin[2][i];
    const float dx = r->direction[0][i], dy = r->direction[1][i], dz = apart(r->direction[2][i]);
    const float across = apart(dx * dx + dy * dy);
    const float beside = -(ox * dx + oy * dy) / across;
    const float sx = ox + beside * dx, sy = oy + beside * dy;
    const float left = (radius * radius - (sx * sx + sy * sy)) / across;
    const float back = sqrtf(left > 0 ? left : 0);
    const float up = dz > 0 ? half : -half;
    const float lid = (-up - oz) / dz, floor = (up - oz) / dz;
    const float side = beside - back;
    const int top = lid > side;
    const float in = top ? lid : side;
    const float out = beside + back < floor ? beside + back : floor;
    e->at[i] = (left > 0) & (in < out) ? in : INFINITY;
    e->normal[0][i] = top ? 0 : sx - back * dx;
    e->normal[1][i] = top ? 0 : sy - back * dy;
    e->normal[2][i] = top ? -dz : 0;
  }
}

INLINE void enterBox(int n, const float* size, const Rays* r, Entry* e) {
  for (int i = 0; i < n; i++) {
    const float dx = apart(r->direction[0][i]), dy = apart(r->direction[1][i]), dz = apart(r->direction[2][i]);
    const float ox = r->origin[0][i], oy = r->origin[1][i], oz = r->origin[2][i];
    const float fx = copysignf(size[0], dx), fy = copysignf(size[1], dy), fz = copysignf(size[2], dz);
    const float ix = (-fx - ox) / dx, iy = (-fy - oy) / dy, iz = (-fz - oz) / dz;
    const float ax = (fx - ox) / dx, ay = (fy - oy) / dy, az = (fz - oz) / dz;
    const float iyz = iy > iz ? iy : iz, ayz = ay < az ? ay : az;
    const float first = ix > iyz ? ix : iyz, last = ax < ayz ? ax : ayz;
    e->at[i] = first < last ? first : INFINITY;
    e->normal[0][i] = ix > iyz ? -dx : 0;
    e->normal[1][i] = (ix <= iyz) & (iy > iz) ? -dy : 0;
    e->normal[2][i] = (ix <= iyz) & (iy <= iz) ? -dz : 0;
  }
}

// Turn n of Embree's rays into the frame of a shape.
INLINE void turn(int n, const pr_Primitive* p, const float* rays, Rays* r) {
  const float* m = p->frame.rotation;
  const float* at = p->frame.position;
  const float* origin = rays + PR_RAY_ORIGIN * n;
  const float* direction = rays + PR_RAY_DIRECTION * n;
  for (int i = 0; i < n; i++) {
    const float x = origin[i] - at[0], y = origin[n + i] - at[1], z = origin[2 * n + i] - at[2];
    const float u = direction[i], v = direction[n + i], w = direction[2 * n + i];
    for (int k = 0; k < 3; k++) {
      r->origin[k][i] = m[k] * x + m[3 + k] * y + m[6 + k] * z;
      r->direction[k][i] = m[k] * u + m[3 + k] * v + m[6 + k] * w;
    }
  }
}

// Where n rays enter a shape.
INLINE void enter(int n, const pr_Primitive* p, const float* rays, Entry* e) {
  Rays r;
  turn(n, p, rays, &r);
  switch (p->kind) {
    case PR_SPHERE:
    case PR_ELLIPSOID:
      enterEllipsoid(n, p->size, &r, e);
      return;
    case PR_CAPSULE:
      enterCapsule(n, p->size, &r, e);
      return;
    case PR_CYLINDER:
      enterCylinder(n, p->size, &r, e);
      return;
    default:
      enterBox(n, p->size, &r, e);
  }
}

INLINE void intersect(int n, const pr_EmbreeRayCall* call) {
  const pr_Primitive* p = (const pr_Primitive*)call->user + call->primitive;
  float* rays = call->rays;
  float* hits = rays + PR_RAY_VALUES * n;
  uint32_t* names = (uint32_t*)hits;
  const int* valid = call->valid;
  const float* near = rays + PR_RAY_NEAR * n;
  float* far = rays + PR_RAY_FAR * n;
  const float* m = p->frame.rotation;
  const uint32_t primitive = call->primitive, geometry = call->geometry, instance = call->context->instance;
  Entry e;
  enter(n, p, rays, &e);
  for (int i = 0; i < n; i++) {
    const int hit = (valid[i] != 0) & (e.at[i] > near[i]) & (e.at[i] < far[i]);
    far[i] = hit ? e.at[i] : far[i];
    for (int k = 0; k < 3; k++) {
      float* normal = hits + (PR_HIT_NORMAL + k) * n + i;
      const float* row = m + 3 * k;
      const float turned = row[0] * e.normal[0][i] + row[1] * e.normal[1][i] + row[2] * e.normal[2][i];
      *normal = hit ? turned : *normal;
    }
    uint32_t* name = names + i;
    name[PR_HIT_PRIMITIVE * n] = hit ? primitive : name[PR_HIT_PRIMITIVE * n];
    name[PR_HIT_GEOMETRY * n] = hit ? geometry : name[PR_HIT_GEOMETRY * n];
    name[PR_HIT_INSTANCE * n] = hit ? instance : name[PR_HIT_INSTANCE * n];
  }
}

INLINE void occlude(int n, const pr_EmbreeRayCall* call) {
  const pr_Primitive* p = (const pr_Primitive*)call->user + call->primitive;
  float* rays = call->rays;
  const int* valid = call->valid;
  const float* near = rays + PR_RAY_NEAR * n;
  float* far = rays + PR_RAY_FAR * n;
  Entry e;
  enter(n, p, rays, &e);
  for (int i = 0; i < n; i++) {
    const int hit = (valid[i] != 0) & (e.at[i] > near[i]) & (e.at[i] < far[i]);
    far[i] = hit ? -INFINITY : far[i];
  }
}

WIDE void pr_meetPrimitive(const pr_Primitive* p, pr_EmbreeRays* rays, int32_t* shape) {
  Entry e;
  enter(LANES, p, (const float*)rays, &e);
  const float* m = p->frame.rotation;
  for (int i = 0; i < LANES; i++) {
    const int hit = (e.at[i] > rays->near[i]) & (e.at[i] < rays->far[i]);
    const float x = e.normal[0][i], y = e.normal[1][i], z = e.normal[2][i];
    for (int k = 0; k < 3; k++) {
      const float turned = m[3 * k] * x + m[3 * k + 1] * y + m[3 * k + 2] * z;
      rays->normal[k][i] = hit ? turned : rays->normal[k][i];
    }
    rays->far[i] = hit ? e.at[i] : rays->far[i];
    shape[i] = hit ? p->shape : shape[i];
  }
}

// Embree's packets have as many rays as the processor has lanes.
WIDE void pr_intersectPrimitive(const pr_EmbreeRayCall* call) {
  switch (call->n) {
    case 16:
      intersect(16, call);
      return;
    case 8:
      intersect(8, call);
      return;
    case 4:
      intersect(4, call);
      return;
    default:
      intersect(1, call);
  }
}

WIDE void pr_occludePrimitive(const pr_EmbreeRayCall* call) {
  switch (call->n) {
    case 16:
      occlude(16, call);
      return;
    case 8:
      occlude(8, call);
      return;
    case 4:
      occlude(4, call);
      return;
    default:
      occlude(1, call);
  }
}

void pr_halfOf(const pr_Primitive* p, float half[3]) {
  const int round = p->kind == PR_CAPSULE || p->kind == PR_CYLINDER;
  half[0] = p->size[0];
  half[1] = round ? p->size[0] : p->size[1];
  half[2] = round ? p->size[1] + (p->kind == PR_CAPSULE ? p->size[0] : 0) : p->size[2];
  for (int k = 0; k < 3; k++) {
    half[k] += 1e-5f * half[k];
  }
}

void pr_boundPrimitive(const pr_EmbreeBoundsCall* call) {
  const pr_Primitive* p = (const pr_Primitive*)call->user + call->primitive;
  float half[3];
  pr_halfOf(p, half);
  for (int k = 0; k < 3; k++) {
    const float* row = p->frame.rotation + 3 * k;
    float reach = fabsf(row[0]) * half[0] + fabsf(row[1]) * half[1] + fabsf(row[2]) * half[2];
    reach += 1e-6f * fabsf(p->frame.position[k]);  // the roundings of all this
    call->bounds->lower[k] = p->frame.position[k] - reach;
    call->bounds->upper[k] = p->frame.position[k] + reach;
  }
}

void pr_hideBacks(const pr_EmbreeFilterCall* call) {
  const int n = (int)call->n;
  const float* direction = (const float*)call->rays + PR_RAY_DIRECTION * n;
  const float* normal = (const float*)call->hits + PR_HIT_NORMAL * n;
  for (int i = 0; i < n; i++) {
    const float facing =
        direction[i] * normal[i] + direction[n + i] * normal[n + i] + direction[2 * n + i] * normal[2 * n + i];
    call->valid[i] = facing < 0 ? call->valid[i] : 0;
  }
}
