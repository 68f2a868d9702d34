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

static inline int within(int v, int size) { return v < 0 ? 0 : v >= size ? size - 1 : v; }

/* data and bytes point to where the pictures of the rows of a replay begin in their floats and bytes; rows are places of
   the rows' floats, which are size values each, and row_bytes is the number of a row's bytes. place, of a channel, is its
   place among the bytes of a pixel or, less than 0, -1 less that among its floats; table has what each of 256 bytes
   becomes, by channel. Beyond the edge of a picture is its edge. */
void rl_look(float *restrict dst, int stride, const float *restrict data, const unsigned char *restrict bytes,
             const long *restrict rows, int n, long size, long row_bytes, int height, int width, int channels,
             const int *restrict place, int pixel_floats, int pixel_bytes, const float *restrict table,
             const float *restrict mean, const float *restrict scale, float limit, const int *restrict shifts) {
  for (int i = 0; i < n; i++) {
    const float *restrict floats = data + rows[i];
    const unsigned char *restrict own = bytes + rows[i] / size * row_bytes;
    float *restrict to = dst + (long)i * stride;
    const int down = shifts ? shifts[2 * i] : 0, right = shifts ? shifts[2 * i + 1] : 0;
    for (int y = 0; y < height; y++)
      for (int x = 0; x < width; x++, to += channels) {
        const long pixel = (long)within(y + down, height) * width + within(x + right, width);
        const unsigned char *restrict b = own + pixel * pixel_bytes;
        for (int c = 0; c < channels; c++) {
          if (place[c] >= 0) {
            to[c] = table[256 * c + b[place[c]]];
          } else {
            float z = (floats[pixel * pixel_floats - 1 - place[c]] - mean[c]) * scale[c];
            z = z > limit ? limit : z;
            to[c] = z < -limit ? -limit : z;
          }
        }
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
