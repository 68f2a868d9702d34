#include "kernels.h"

#include <limits.h>
#include <string.h>

/* Use eight lanes where the processor has them. AVX2 alone, without FMA: fused
   operations would change the bits. */
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__)
#define WIDE __attribute__((target_clones("avx2", "default")))
#else
#define WIDE
#endif

static inline int bits_of(float x) {
  int u;
  memcpy(&u, &x, sizeof u);
  return u;
}

static inline float float_of(int u) {
  float x;
  memcpy(&x, &u, sizeof x);
  return x;
}

/* Powers of ln 2 over factorials: 2^f = 1 + f LN2_1 + f^2 LN2_2 + ... */
#define LN2_1 0.693147180559945309417
#define LN2_2 (LN2_1 * LN2_1 / 2)
#define LN2_3 (LN2_2 * LN2_1 / 3)
#define LN2_4 (LN2_3 * LN2_1 / 4)
#define LN2_5 (LN2_4 * LN2_1 / 5)
#define LN2_6 (LN2_5 * LN2_1 / 6)
#define LN2_7 (LN2_6 * LN2_1 / 7)

/* tanh, good to 4e-7 relative; NaN stays NaN.

   With t = e^(-2|x|) = 2^n (1+m), n an integer and |m| < 1/2, it is (1-t)/(1+t);
   1-t written as (1-2^n) - 2^n m keeps its digits when x is near 0. 1+m is the
   series of 2^f on |f| <= 1/2; the first term left out is below 6e-9.

   Comparisons are made on bits, whose order is that of the numbers when they are
   not negative: unlike those of floats they can be vectorised with any flags. */
static inline float tanh_of(float x) {
  const int sign = bits_of(x) & INT_MIN, magnitude = bits_of(x) & INT_MAX;
  const int nine = 0x41100000, infinity = 0x7f800000, quiet_nan = 0x7fc00000;
  /* 1 - tanh(9) is less than half a unit in the last place */
  float a = float_of(magnitude > nine ? nine : magnitude);
  float y = a * (float)(-2 / LN2_1);
  int n = (int)(y - 0.5f);
  float f = y - (float)n;
  float m = (float)LN2_6 + f * (float)LN2_7;
  m = (float)LN2_5 + f * m;
  m = (float)LN2_4 + f * m;
  m = (float)LN2_3 + f * m;
  m = (float)LN2_2 + f * m;
  m = (float)LN2_1 + f * m;
  float s = float_of((n + 127) << 23);
  m = s * (f * m);
  float r = ((1.0f - s) - m) / ((1.0f + s) + m);
  return float_of(bits_of(r) | sign | (magnitude > infinity ? quiet_nan : 0));
}

WIDE void rl_add_bias(float *restrict y, const float *restrict bias, int rows, int columns) {
  for (int r = 0; r < rows; r++, y += columns)
    for (int c = 0; c < columns; c++) y[c] += bias[c];
}

WIDE void rl_add_bias_tanh(float *restrict y, const float *restrict bias, int rows, int columns) {
  for (int r = 0; r < rows; r++, y += columns)
    for (int c = 0; c < columns; c++) y[c] = tanh_of(y[c] + bias[c]);
}

WIDE void rl_tanh_slope(float *restrict delta, const float *restrict y, int n) {
  for (int i = 0; i < n; i++) delta[i] *= 1.0f - y[i] * y[i];
}

WIDE void rl_add(float *restrict sum, const float *restrict term, int rows, int columns) {
  for (int r = 0; r < rows; r++, term += columns)
    for (int c = 0; c < columns; c++) sum[c] += term[c];
}
