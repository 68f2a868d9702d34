#include "sac.h"

extern float sqrtf(float) __attribute__((const));

#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif

#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__)
#define WIDE __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define WIDE
#endif

/* Inlined into every version of a WIDE function. */
#define INLINE static inline __attribute__((always_inline))

WIDE void rl_multiply(float *restrict y, const float *restrict factor, long n) {
  for (long i = 0; i < n; i++) y[i] *= factor[i];
}

WIDE void rl_polyak(float *restrict target, const float *restrict params, int n, float rate) {
  for (int i = 0; i < n; i++) target[i] += rate * (params[i] - target[i]);
}

/* A comparison on floats is a blend here, since the result of both sides is a number. */
WIDE void rl_pick(float *restrict dst, int stride, const float *restrict data, const long *rows, int n, int columns,
                  const float *restrict mean, const float *restrict scale, float limit) {
  for (int i = 0; i < n; i++, dst += stride) {
    const float *restrict row = data + rows[i];
    for (int c = 0; c < columns; c++) {
      float z = (row[c] - mean[c]) * scale[c];
      z = z > limit ? limit : z;
      dst[c] = z < -limit ? -limit : z;
    }
  }
}

enum { LANES = 16 };

/* Sums side by side, in an order that depends on the number of columns alone. */
INLINE float sum_of(const float *s) {
  float t[LANES];
  for (int k = 0; k < LANES; k++) t[k] = s[k];
  for (int half = LANES / 2; half > 0; half /= 2)
    for (int k = 0; k < half; k++) t[k] += t[k + half];
  return t[0];
}

WIDE void rl_norm(float *restrict y, float *restrict scaled, float *restrict inverse, const float *restrict gain,
                  int rows, int columns) {
  const float share = 1.0f / (float)columns;
  for (int r = 0; r < rows; r++, y += columns, scaled += columns) {
    float s[LANES] = {0}, q[LANES] = {0};
    int c = 0;
    for (; c + LANES <= columns; c += LANES)
      for (int k = 0; k < LANES; k++) s[k] += y[c + k];
    for (int k = 0; c + k < columns; k++) s[k] += y[c + k];
    const float mean = sum_of(s) * share;
    for (c = 0; c + LANES <= columns; c += LANES)
      for (int k = 0; k < LANES; k++) {
        float d = y[c + k] - mean;
        q[k] += d * d;
      }
    for (int k = 0; c + k < columns; k++) {
      float d = y[c + k] - mean;
      q[k] += d * d;
    }
    const float one_over = 1.0f / sqrtf(sum_of(q) * share + 1e-5f);
    inverse[r] = one_over;
    for (c = 0; c < columns; c++) {
      float z = (y[c] - mean) * one_over;
      scaled[c] = z;
      y[c] = z * gain[c];
    }
  }
}

/* delta becomes the derivative by what was normalised; by_gain may be 0. */
WIDE void rl_norm_slope(float *restrict delta, const float *restrict scaled, const float *restrict inverse,
                        const float *restrict gain, float *restrict by_gain, int rows, int columns) {
  const float share = 1.0f / (float)columns;
  if (by_gain)
    for (int c = 0; c < columns; c++) by_gain[c] = 0;
  for (int r = 0; r < rows; r++, delta += columns, scaled += columns) {
    if (by_gain)
      for (int c = 0; c < columns; c++) by_gain[c] += delta[c] * scaled[c];
    float s[LANES] = {0}, q[LANES] = {0};
    int c = 0;
    for (; c + LANES <= columns; c += LANES)
      for (int k = 0; k < LANES; k++) {
        float d = delta[c + k] * gain[c + k];
        s[k] += d;
        q[k] += d * scaled[c + k];
      }
    for (int k = 0; c + k < columns; k++) {
      float d = delta[c + k] * gain[c + k];
      s[k] += d;
      q[k] += d * scaled[c + k];
    }
    const float mean = sum_of(s) * share, along = sum_of(q) * share, one_over = inverse[r];
    for (c = 0; c < columns; c++) delta[c] = (delta[c] * gain[c] - mean - scaled[c] * along) * one_over;
  }
}
