#include "textures.h"

#include <string.h>

static const float TURN = 6.2831853f;

// The most looks that a sample takes at a texture, along the longer axis of what it covers.
enum { TAPS = 4 };

// The least radius of a round shape and slope of its pole, in parts of its sizes, by which steps are divided.
static const float LEAST = 1e-3f;

pr_Spot pr_flatSpot(const pr_Seen* s, const pr_Point* p) {
  pr_Spot spot = {.face = 0};
  for (int k = 0; k < 2; k++) {
    const float repeat = k ? -s->repeat[k] : s->repeat[k];
    spot.at[k] = p->at[k] * repeat + s->phase[k];
    spot.steps[0][k] = p->steps[0][k] * repeat;
    spot.steps[1][k] = p->steps[1][k] * repeat;
  }
  return spot;
}

// Return a point of a shape in parts of its sizes, from -1 to 1; points of the ends of a capsule are beyond.
static pr_Point inSizes(const pr_Seen* s, const pr_Point* p) {
  const int round = s->kind == PR_SPHERE || s->kind == PR_CAPSULE || s->kind == PR_CYLINDER;
  const float beyond = fabsf(p->at[2]) - s->size[1];
  pr_Point unit;
  for (int k = 0; k < 3; k++) {
    float size = s->size[round && k < 2 ? 0 : round ? s->kind != PR_SPHERE : k];
    unit.at[k] = p->at[k] / size;
    if (k == 2 && s->kind == PR_CAPSULE && beyond > 0) {
      size = s->size[0];
      unit.at[k] = copysignf(1 + beyond / size, p->at[k]);
    }
    unit.steps[0][k] = p->steps[0][k] / size;
    unit.steps[1][k] = p->steps[1][k] / size;
  }
  return unit;
}

pr_Spot pr_sideSpot(const pr_Seen* s, const pr_Point* p, float up) {
  const pr_Point unit = inSizes(s, p);
  const float* u = unit.at;
  const int level = s->kind == PR_CYLINDER && fabsf(up) > 0.5f;
  pr_Spot spot = {.face = 0};
  if (s->kind == PR_BOX || level) {
    const float a = fabsf(u[0]), b = fabsf(u[1]), c = fabsf(u[2]);
    const int across = level || (c >= a && c >= b) ? 2 : b >= a ? 1 : 0;
    const int i = across == 0, j = across == 2 ? 1 : 2;
    const float half = level ? 0.5f : -0.5f;
    spot.at[0] = 0.5f + 0.5f * u[i];
    spot.at[1] = 0.5f + half * u[j];
    for (int k = 0; k < 2; k++) {
      spot.steps[k][0] = 0.5f * unit.steps[k][i];
      spot.steps[k][1] = half * unit.steps[k][j];
    }
  } else {
    const float around = atan2f(u[1], u[0]) / TURN;
    const float square = fmaxf(u[0] * u[0] + u[1] * u[1], LEAST * LEAST);
    float slope = -0.5f;  // of the rows over the height
    spot.at[0] = around < 0 ? around + 1 : around;
    if (s->kind == PR_CYLINDER || (s->kind == PR_CAPSULE && fabsf(u[2]) <= 1)) {
      spot.at[1] = 0.5f - 0.5f * u[2];
    } else {
      const int capsule = s->kind == PR_CAPSULE;
      const float high = fminf(capsule ? fabsf(u[2]) - 1 : fabsf(u[2]), 1);
      const float steep = asinf(high) / TURN;
      spot.at[1] = capsule ? (u[2] > 0 ? 1 - 4 * steep : 4 * steep) : 0.5f - copysignf(2 * steep, u[2]);
      slope = -(capsule ? 4 : 2) / (TURN * fmaxf(sqrtf(1 - high * high), LEAST));
    }
    for (int k = 0; k < 2; k++) {
      const float* step = unit.steps[k];
      spot.steps[k][0] = (u[0] * step[1] - u[1] * step[0]) / (TURN * square);
      spot.steps[k][1] = slope * step[2];
    }
  }
  for (int k = 0; k < 2; k++) {
    spot.at[k] *= s->repeat[k];
    spot.steps[0][k] *= s->repeat[k];
    spot.steps[1][k] *= s->repeat[k];
  }
  return spot;
}

static void cross(const float a[3], const float b[3], float to[3]) {
  for (int k = 0; k < 3; k++) {
    to[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
  }
}

static float dot(const float a[3], const float b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

pr_Spot pr_cornerSpot(const pr_Seen* s, const pr_Mesh* mesh, uint32_t face, float u, float v, const pr_Point* p) {
  const float* c = mesh->texcoords + 6 * (size_t)face;
  const float* corners[3];
  float first[3], second[3], normal[3], side[3];
  for (int k = 0; k < 3; k++) {
    corners[k] = mesh->vertices + 3 * (size_t)mesh->faces[3 * (size_t)face + k];
  }
  for (int k = 0; k < 3; k++) {
    first[k] = corners[1][k] - corners[0][k];
    second[k] = corners[2][k] - corners[0][k];
  }
  cross(first, second, normal);
  const float square = fmaxf(dot(normal, normal), 1e-36f);
  pr_Spot spot = {.face = 0};
  for (int k = 0; k < 2; k++) {
    spot.at[k] = ((1 - u - v) * c[k] + u * c[2 + k] + v * c[4 + k]) * s->repeat[k];
  }
  for (int j = 0; j < 2; j++) {
    cross(p->steps[j], second, side);
    const float du = dot(side, normal) / square;
    cross(first, p->steps[j], side);
    const float dv = dot(side, normal) / square;
    for (int k = 0; k < 2; k++) {
      spot.steps[j][k] = (du * (c[2 + k] - c[k]) + dv * (c[4 + k] - c[k])) * s->repeat[k];
    }
  }
  return spot;
}

// Return the spot of a cube in a direction, as OpenGL chooses its faces.
static pr_Spot faceSpot(const pr_Texture* x, const pr_Point* direction) {
  const float* d = direction->at;
  const float a = fabsf(d[0]), b = fabsf(d[1]), c = fabsf(d[2]);
  const int axis = a >= b && a >= c ? 0 : b >= c ? 1 : 2;
  const float side = d[axis] < 0 ? -1 : 1, far = 1 / fmaxf(fabsf(d[axis]), 1e-20f);
  const int axes[2] = {axis == 0 ? 2 : 0, axis == 1 ? 2 : 1};  // along columns and along rows
  const float signs[2] = {axis == 0 ? -side : axis == 2 ? side : 1, axis == 1 ? side : -1};
  pr_Spot spot = {.face = x->faces > 1 ? 2 * axis + (side < 0) : 0};
  for (int k = 0; k < 2; k++) {
    const float slope = signs[k] * d[axes[k]] * far;
    spot.at[k] = 0.5f + 0.5f * slope;
    for (int j = 0; j < 2; j++) {
      const float* step = direction->steps[j];
      spot.steps[j][k] = 0.5f * far * (signs[k] * step[axes[k]] - slope * side * step[axis]);
    }
  }
  return spot;
}

pr_Spot pr_cubeSpot(const pr_Seen* s, const pr_Texture* x, const pr_Point* p) {
  pr_Point d = s->kind == PR_MESH ? *p : inSizes(s, p);
  const int round = s->kind == PR_SPHERE || s->kind == PR_CAPSULE || s->kind == PR_CYLINDER;
  for (int k = 0; k < 3 && s->uniform; k++) {
    const float size = s->size[round ? k == 2 && s->kind != PR_SPHERE : k];
    d.at[k] *= size;
    d.steps[0][k] *= size;
    d.steps[1][k] *= size;
  }
  return faceSpot(x, &d);
}

// The levels in which samples are looked up: where they begin, how large they are, and whether they are of cubes.
typedef struct {
  Mask first;
  Mask size[2];
  Mask cube;
} Levels;

// Add a part of the colours between four texels of levels at a place of them.
INLINE void blend(const uint32_t* texels, const Levels* s, const Lanes at[2], const Lanes part, Lanes sum[3]) {
  Mask near[2], far[2], corners[4];
  Lanes shares[2];
  for (int k = 0; k < 2; k++) {
    for (int i = 0; i < LANES; i++) {
      const int n = s->size[k][i], last = n - 1;
      const float place = at[k][i] * (float)n - 0.5f;
      const int before = (int)(place + 1) - 1;  // it is not below -0.5
      shares[k][i] = place - (float)before;
      near[k][i] = before >= 0 ? before < n ? before : last : s->cube[i] ? 0 : last;
      far[k][i] = before + 1 < n ? before + 1 : s->cube[i] ? last : 0;
    }
  }
  for (int i = 0; i < LANES; i++) {
    const int high = s->first[i] + near[1][i] * s->size[0][i], low = s->first[i] + far[1][i] * s->size[0][i];
    corners[0][i] = (int32_t)texels[high + near[0][i]];
    corners[1][i] = (int32_t)texels[high + far[0][i]];
    corners[2][i] = (int32_t)texels[low + near[0][i]];
    corners[3][i] = (int32_t)texels[low + far[0][i]];
  }
  for (int k = 0; k < 3; k++) {
    for (int i = 0; i < LANES; i++) {
      const float a = (float)(corners[0][i] >> 8 * k & 255), b = (float)(corners[1][i] >> 8 * k & 255);
      const float c = (float)(corners[2][i] >> 8 * k & 255), d = (float)(corners[3][i] >> 8 * k & 255);
      const float over = a + shares[0][i] * (b - a), under = c + shares[0][i] * (d - c);
      sum[k][i] += part[i] * (over + shares[1][i] * (under - over));
    }
  }
}

// What a sample covers of a texture is about an ellipse of which the steps are conjugate radii. Its longer axis is divided
// into parts that are as long as the shorter one, or a part of it; each of them is looked up between eight texels of the two
// levels whose texels are about as large.
WIDE void pr_filter(const uint32_t* texels, const pr_Spots* s, Lanes color[3]) {
  Lanes axis[2], width, parts[2], at[2], repeats;
  Mask taps, level, bits;
  Levels levels[2];
  int most = 0, between = 0;
  for (int i = 0; i < LANES; i++) {
    levels[0].size[0][i] = s->textures[i]->levels[0].width;
    levels[0].size[1][i] = s->textures[i]->levels[0].height;
    levels[0].cube[i] = levels[1].cube[i] = s->textures[i]->cube;
    repeats[i] = s->textures[i]->cube ? 0 : 1;
  }
  for (int i = 0; i < LANES; i++) {
    const float w = (float)levels[0].size[0][i], h = (float)levels[0].size[1][i];
    const float a = s->steps[0][0][i] * w, b = s->steps[0][1][i] * h, c = s->steps[1][0][i] * w, d = s->steps[1][1][i] * h;
    const float xx = a * a + c * c, yy = b * b + d * d, xy = a * b + c * d;
    const float difference = 0.5f * (xx - yy), root = sqrtf(difference * difference + xy * xy);
    // in texels; what is no number, or infinite, is as large as can be
    static const float largest = 1 << 24;
    const float reach = sqrtf(0.5f * (xx + yy) + root), longer = reach < largest ? reach : largest;
    const float area = fabsf(a * d - b * c), across = area / (longer > 1e-20f ? longer : 1e-20f);
    const float shorter = across < longer ? across : longer;
    const float least = longer / TAPS > 1 ? longer / TAPS : 1;
    width[i] = shorter > least ? shorter : least;
    const float ratio = longer / width[i];
    taps[i] = (int)ratio;
    taps[i] += ratio > (float)taps[i];
    const float x = difference >= 0 ? difference + root : xy, y = difference >= 0 ? xy : root - difference;
    const float length = sqrtf(x * x + y * y), scale = length > 0 ? longer / length : 0;
    axis[0][i] = x * scale / w;
    axis[1][i] = y * scale / h;
  }
  // the logarithm of the width to base 2, as if it were straight between powers of 2
  memcpy(bits, width, sizeof bits);
  for (int i = 0; i < LANES; i++) {
    level[i] = (bits[i] >> 23) - 127;
    bits[i] = (bits[i] & 0x7fffff) | 0x3f800000;
    taps[i] = taps[i] > 1 ? taps[i] : 1;
    most = taps[i] > most ? taps[i] : most;
  }
  memcpy(parts[1], bits, sizeof bits);
  for (int i = 0; i < LANES; i++) {
    const pr_Texture* x = s->textures[i];
    const int last = x->nlevel - 1, coarse = level[i] >= last;
    parts[1][i] = coarse ? 0 : parts[1][i] - 1;
    between |= parts[1][i] > 0;
    for (int k = 0; k < 2; k++) {
      const pr_Level* from = &x->levels[coarse ? last : level[i] + k];
      levels[k].first[i] = from->first + from->width * from->height * s->face[i];
      levels[k].size[0][i] = from->width;
      levels[k].size[1][i] = from->height;
    }
  }
  for (int i = 0; i < LANES; i++) {
    const float whole = 1 / (255.0f * (float)taps[i]);
    parts[0][i] = whole * (1 - parts[1][i]);
    parts[1][i] *= whole;
    color[0][i] = color[1][i] = color[2][i] = 0;
  }
  for (int tap = 0; tap < most; tap++) {
    for (int k = 0; k < 2; k++) {
      // bounded, which is also what is no number, so that it has an integer; from there on there are no fractions
      static const float bound = 1 << 23;
      for (int i = 0; i < LANES; i++) {
        const float along = ((float)tap + 0.5f) / (float)taps[i] - 0.5f, place = s->at[k][i] + along * axis[k][i];
        const float low = place > -bound ? place : -bound;
        at[k][i] = low < bound ? low : bound;
      }
      for (int i = 0; i < LANES; i++) {
        const float whole = (float)(int)at[k][i], below = whole > at[k][i] ? 1.0f : 0.0f;
        const float part = at[k][i] - repeats[i] * (whole - below), least = part > 0 ? part : 0;
        at[k][i] = least < 1 ? least : 1;
      }
    }
    for (int k = 0; k < 1 + between; k++) {
      for (int i = 0; i < LANES; i++) {
        parts[k][i] = tap < taps[i] ? parts[k][i] : 0;
      }
      blend(texels, &levels[k], at, parts[k], color);
    }
  }
}
