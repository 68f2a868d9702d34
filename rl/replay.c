#include "replay.h"

#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif

#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__)
#define WIDE __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define WIDE
#endif

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
