#include "kernels.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/* No fused multiply and add, which would change the bits; gcc makes none with
   -std=c11. */
#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif

/* Without errno, so that it can be vectorised. */
extern float sqrtf(float) __attribute__((const));

/* Use sixteen or eight lanes where the processor has them. */
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__)
#define WIDE __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define WIDE
#endif

/* Inlined into every version of a WIDE function, else it would have only the default instructions. */
#define INLINE static inline __attribute__((always_inline))

enum { LANES = 32 };

static inline int least(int a, int b) { return a < b ? a : b; }

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

/* The functions below take up to TILE numbers through one operation after the other: a number alone
   would wait for each, and a processor does not look far enough ahead to begin with the next ones. */
enum { STRIP = 16, TILE = 4 * STRIP };
#define EACH for (int i = 0; i < n; i++)

/* 2^y - 1 = (s-1) + s m for y <= 0, with s = 2^k a power of two and |m| < 1/2;
   k = round(y), and 1+m is the series of 2^f on |f| <= 1/2, whose first term left out
   is below 6e-9. */
INLINE void powers_of(const float *y, float *s, float *sm, int n) {
  float f[TILE];
  EACH {
    int k = (int)(y[i] - 0.5f);
    f[i] = y[i] - (float)k;
    s[i] = float_of((k + 127) << 23);
  }
  EACH sm[i] = (float)LN2_6 + f[i] * (float)LN2_7;
  EACH sm[i] = (float)LN2_5 + f[i] * sm[i];
  EACH sm[i] = (float)LN2_4 + f[i] * sm[i];
  EACH sm[i] = (float)LN2_3 + f[i] * sm[i];
  EACH sm[i] = (float)LN2_2 + f[i] * sm[i];
  EACH sm[i] = (float)LN2_1 + f[i] * sm[i];
  EACH sm[i] = s[i] * (f[i] * sm[i]);
}

/* min(|x|, most) times factor; most is given by its bits.

   Comparisons are made on bits, whose order is that of the numbers when they are
   not negative: unlike those of floats they can be vectorised with any flags. */
INLINE void scaled_magnitudes(float *y, const float *x, int most, float factor, int n) {
  EACH {
    int magnitude = bits_of(x[i]) & INT_MAX;
    y[i] = float_of(magnitude > most ? most : magnitude) * factor;
  }
}

/* All bits of a NaN where x is one, else none. */
static inline int nan_of(float x) {
  const int infinity = 0x7f800000, quiet_nan = 0x7fc00000;
  return (bits_of(x) & INT_MAX) > infinity ? quiet_nan : 0;
}

/* tanh, good to 4e-7 relative; NaN stays NaN.

   With t = e^(-2|x|) = s (1+m) it is (1-t)/(1+t); 1-t written as (1-s) - s m keeps
   its digits when x is near 0. */
INLINE void tanh_each(float *x, int n) {
  const int nine = 0x41100000; /* 1 - tanh(9) is less than half a unit in the last place */
  float y[TILE], s[TILE], m[TILE];
  scaled_magnitudes(y, x, nine, (float)(-2 / LN2_1), n);
  powers_of(y, s, m, n);
  EACH m[i] = ((1.0f - s[i]) - m[i]) / ((1.0f + s[i]) + m[i]);
  EACH x[i] = float_of(bits_of(m[i]) | (bits_of(x[i]) & INT_MIN) | nan_of(x[i]));
}

/* ELU with a = 1: x where x > 0, else e^x - 1, good to 4e-7 relative; NaN stays NaN. */
INLINE void elu_each(float *x, int n) {
  const int eighteen = 0x41900000; /* e^-18 is less than half a unit in the last place of 1 */
  float y[TILE], s[TILE], m[TILE];
  scaled_magnitudes(y, x, eighteen, (float)(-1 / LN2_1), n);
  powers_of(y, s, m, n);
  EACH m[i] = (s[i] - 1.0f) + m[i];
  EACH {
    int negative = bits_of(x[i]) >> 31; /* all bits or none */
    x[i] = float_of((bits_of(m[i]) & negative) | (bits_of(x[i]) & ~negative) | nan_of(x[i]));
  }
}

/* max(x, 0); NaN stays NaN. */
INLINE void relu_each(float *x, int n) {
  EACH x[i] = float_of((bits_of(x[i]) & ~(bits_of(x[i]) >> 31)) | nan_of(x[i]));
}

/* The derivatives, where the function's value is y. */
static inline float tanh_slope(float y) { return 1.0f - y * y; }
static inline float elu_slope(float y) {
  int negative = bits_of(y) >> 31; /* of -0 too, where both branches are 1 */
  return 1.0f + float_of(bits_of(y) & negative);
}
static inline float relu_slope(float y) {
  int positive = (-(bits_of(y) & INT_MAX)) >> 31; /* y is not negative */
  return float_of(0x3f800000 & positive);
}

/* Matrices are gone through in strips of columns, down all rows: the loop over the rows is the long one, and a row
   of a strip is a vector. A tile has HIGH rows of a strip; where there are fewer, or the strip is narrower, the rest
   of it is 0. */
enum { HIGH = TILE / STRIP };

#define BIAS_AND(name)                                                                          \
  INLINE void tile_##name(float *restrict y, const float *restrict bias, int rows, int columns, int n) { \
    float x[TILE] = {0};                                                                        \
    for (int r = 0; r < rows; r++)                                                              \
      for (int c = 0; c < n; c++) x[r * STRIP + c] = y[r * columns + c] + bias[c];              \
    name##_each(x, TILE);                                                                       \
    for (int r = 0; r < rows; r++)                                                              \
      for (int c = 0; c < n; c++) y[r * columns + c] = x[r * STRIP + c];                        \
  }                                                                                             \
  WIDE static void bias_##name(float *restrict y, const float *restrict bias, int rows, int columns) { \
    for (int c = 0; c < columns; c += STRIP) {                                                  \
      int n = columns - c, r = 0;                                                               \
      if (n >= STRIP)                                                                           \
        for (; r + HIGH <= rows; r += HIGH) tile_##name(y + r * columns + c, bias + c, HIGH, columns, STRIP); \
      for (; r < rows; r += HIGH)                                                               \
        tile_##name(y + r * columns + c, bias + c, least(rows - r, HIGH), columns, least(n, STRIP)); \
    }                                                                                           \
  }
BIAS_AND(tanh)
BIAS_AND(elu)
BIAS_AND(relu)

WIDE static void bias_none(float *restrict y, const float *restrict bias, int rows, int columns) {
  for (int r = 0; r < rows; r++, y += columns)
    for (int c = 0; c < columns; c++) y[c] += bias[c];
}

#define SLOPE_OF(name)                                                                           \
  static inline void steep_##name(float *restrict delta, const float *restrict y, float *restrict sum, \
                                  int rows, int columns, int n) {                                \
    float s[STRIP] = {0};                                                                        \
    for (int r = 0; r < rows; r++, delta += columns, y += columns)                               \
      for (int c = 0; c < n; c++) {                                                              \
        float d = delta[c] * name##_slope(y[c]);                                                 \
        delta[c] = d;                                                                            \
        s[c] += d;                                                                               \
      }                                                                                          \
    for (int c = 0; c < n; c++) sum[c] = s[c];                                                   \
  }                                                                                              \
  WIDE static void slopes_##name(float *restrict delta, const float *restrict y, float *restrict sum, \
                                 int rows, int columns) {                                        \
    int c = 0;                                                                                   \
    for (; c + STRIP <= columns; c += STRIP) steep_##name(delta + c, y + c, sum + c, rows, columns, STRIP); \
    steep_##name(delta + c, y + c, sum + c, rows, columns, columns - c);                         \
  }
SLOPE_OF(tanh)
SLOPE_OF(elu)
SLOPE_OF(relu)

void rl_activate(int activation, float *y, const float *bias, int rows, int columns) {
  void (*all[])(float *restrict, const float *restrict, int, int) = {bias_tanh, bias_elu, bias_relu, bias_none};
  all[activation](y, bias, rows, columns);
}

void rl_slope(int activation, float *delta, const float *y, float *sum, int rows, int columns) {
  void (*all[])(float *restrict, const float *restrict, float *restrict, int, int) = {
      slopes_tanh, slopes_elu, slopes_relu};
  all[activation](delta, y, sum, rows, columns);
}

WIDE void rl_adam(float *restrict params, float *restrict first, float *restrict second,
                  const float *restrict grad, int n, float scale, float rate, float spread,
                  float epsilon) {
  const float beta1 = 0.9f, beta2 = 0.999f, rest1 = (float)(1 - 0.9), rest2 = (float)(1 - 0.999);
  for (int i = 0; i < n; i++) {
    float d = scale * grad[i];
    float m = beta1 * first[i] + rest1 * d;
    float v = beta2 * second[i] + rest2 * (d * d);
    first[i] = m;
    second[i] = v;
    params[i] -= rate * m / (sqrtf(v) * spread + epsilon);
  }
}

/* Sums side by side, so that none waits for itself; what is left over goes to the first
   ones. */
WIDE double rl_squares(const float *restrict v, int n) {
  double s[LANES] = {0};
  int i = 0;
  for (; i + LANES <= n; i += LANES)
    for (int k = 0; k < LANES; k++) s[k] += (double)v[i + k] * (double)v[i + k];
  for (int k = 0; i + k < n; k++) s[k] += (double)v[i + k] * (double)v[i + k];
  for (int half = LANES / 2; half > 0; half /= 2)
    for (int k = 0; k < half; k++) s[k] += s[k + half];
  return s[0];
}

/* By blocks of columns, whose rows stay in the nearest cache from the first sum to the last. */
WIDE void rl_sum_tree(float *rows, long size, int n, int columns) {
  enum { BLOCK = 256 };
  for (int from = 0; from < columns; from += BLOCK) {
    const int width = least(columns - from, BLOCK);
    for (int span = 1; span < n; span *= 2)
      for (int i = 0; i + span < n; i += 2 * span) {
        float *restrict sum = rows + from + i * size;
        const float *restrict term = rows + from + (i + span) * size;
        for (int c = 0; c < width; c++) sum[c] += term[c];
      }
  }
}

WIDE void rl_add(float *restrict sum, const float *restrict term, int rows, int columns) {
  for (int r = 0; r < rows; r++, term += columns)
    for (int c = 0; c < columns; c++) sum[c] += term[c];
}

void rl_gaussian(double *restrict log_prob, double *restrict z, const float *action, const float *mean, int stride,
                 const int *samples, int n, int size, const double *restrict inverse, double entropy) {
  for (int i = 0; i < n; i++, mean += stride, z += size) {
    const float *a = action + (long)samples[i] * size;
    double squared = 0;
    for (int k = 0; k < size; k++) {
      z[k] = (double)(a[k] - mean[k]) * inverse[k];
      squared += z[k] * z[k];
    }
    log_prob[i] = 0.5 * (size - squared) - entropy; /* the entropy is that of size values with z^2 = 1 */
  }
}

void rl_gaussian_slope(float *restrict delta, int stride, double *restrict by_log_std, const double *restrict z,
                       const double *restrict slope, int n, int size, const double *restrict inverse) {
  for (int i = 0; i < n; i++, delta += stride, z += size)
    for (int k = 0; k < size; k++) {
      delta[k] = (float)(slope[i] * z[k] * inverse[k]);
      by_log_std[k] += slope[i] * (z[k] * z[k] - 1);
    }
}

void rl_gather(float *restrict dst, const float *restrict matrix, int size, int columns, const int *samples, int n) {
  for (int i = 0; i < n; i++, dst += columns) memcpy(dst, matrix + (long)samples[i] * size, columns * sizeof *dst);
}

/* What follows belongs to convolution.go. in and out are height, width and channels of what a convolution reads and
   writes. A window is what one pixel of the output is computed from: a square of pixels whose columns from up to to lie
   within the picture. */
typedef struct {
  int top, left, from, to;
} window;

static inline window window_of(int pixel, const int *in, const int *out, int kernel, int step, int padding) {
  window w = {pixel / out[1] * step - padding, pixel % out[1] * step - padding, 0, kernel};
  if (w.left < 0) w.from = -w.left;
  if (w.to > in[1] - w.left) w.to = in[1] - w.left;
  return w;
}

void rl_patches(float *restrict dst, int stride, const float *restrict x, const int *in, const int *out, int kernel,
                int step, int padding) {
  const int size = kernel * in[2]; /* of a row of a window */
  for (int i = 0; i < out[0] * out[1]; i++, dst += stride) {
    const window w = window_of(i, in, out, kernel, step, padding);
    for (int k = 0; k < kernel; k++) {
      float *restrict row = dst + k * size;
      const int y = w.top + k, from = w.from * in[2], to = y < 0 || y >= in[0] ? from : w.to * in[2];
      const float *restrict pixels = x + ((long)y * in[1] + w.left) * in[2];
      for (int c = 0; c < from; c++) row[c] = 0;
      for (int c = from; c < to; c++) row[c] = pixels[c];
      for (int c = to; c < size; c++) row[c] = 0;
    }
  }
}

void rl_add_patches(float *restrict x, const float *restrict patches, const int *in, const int *out, int kernel,
                    int step, int padding) {
  for (int i = 0; i < out[0] * out[1]; i++) {
    const window w = window_of(i, in, out, kernel, step, padding);
    for (int k = 0; k < kernel; k++, patches += kernel * in[2]) {
      const int y = w.top + k;
      if (y < 0 || y >= in[0]) continue;
      float *restrict pixels = x + ((long)y * in[1] + w.left) * in[2];
      for (int c = w.from * in[2]; c < w.to * in[2]; c++) pixels[c] += patches[c];
    }
  }
}

INLINE float tanh_of(float x) {
  tanh_each(&x, 1);
  return x;
}

/* 1 / (1 + e^-x), good to 2e-7; NaN stays NaN. */
INLINE float sigmoid_of(float x) { return 0.5f + 0.5f * tanh_of(0.5f * x); }

/* What follows belongs to gru.go; the formulas are at policy.GRU. Rows of gates have three parts
   of units values: r, z and n. */
WIDE void rl_gru(float *restrict state, float *restrict gates, float *restrict kept,
                 const float *restrict recurrent, const float *restrict previous,
                 const float *restrict bias, int rows, int units) {
  const float *candidate_bias = bias + 2 * units, *kept_bias = bias + 3 * units;
  for (int row = 0; row < rows; row++) {
    for (int i = 0; i < 2 * units; i++) gates[i] = sigmoid_of(gates[i] + recurrent[i] + bias[i]);
    const float *r = gates, *z = gates + units;
    float *n = gates + 2 * units;
    for (int i = 0; i < units; i++) {
      float k = recurrent[2 * units + i] + kept_bias[i];
      float c = tanh_of(n[i] + candidate_bias[i] + r[i] * k);
      kept[i] = k;
      n[i] = c;
      state[i] = c + z[i] * (previous[i] - c);
    }
    state += units, gates += 3 * units, kept += units, recurrent += 3 * units, previous += units;
  }
}

WIDE void rl_gru_slope(float *restrict delta, float *restrict by_input, float *restrict by_recurrent,
                       const float *restrict gates, const float *restrict kept,
                       const float *restrict previous, int rows, int units) {
  for (int row = 0; row < rows; row++) {
    for (int i = 0; i < units; i++) {
      float r = gates[i], z = gates[units + i], n = gates[2 * units + i], d = delta[i];
      float by_n = d * (1.0f - z) * tanh_slope(n);
      float by_z = d * (previous[i] - n) * (z * (1.0f - z));
      float by_r = by_n * kept[i] * (r * (1.0f - r));
      by_input[i] = by_r, by_input[units + i] = by_z, by_input[2 * units + i] = by_n;
      by_recurrent[i] = by_r, by_recurrent[units + i] = by_z, by_recurrent[2 * units + i] = by_n * r;
      delta[i] = d * z;
    }
    delta += units, by_input += 3 * units, by_recurrent += 3 * units;
    gates += 3 * units, kept += units, previous += units;
  }
}

WIDE void rl_multiply(float *restrict y, const float *restrict factor, long n) {
  for (long i = 0; i < n; i++) y[i] *= factor[i];
}

WIDE void rl_polyak(float *restrict target, const float *restrict params, int n, float rate) {
  for (int i = 0; i < n; i++) target[i] += rate * (params[i] - target[i]);
}

/* What follows belongs to critic.go. */
enum { NORM_LANES = 16 };

/* Sums side by side, in an order that depends on the number of columns alone. */
INLINE float sum_of(const float *s) {
  float t[NORM_LANES];
  for (int k = 0; k < NORM_LANES; k++) t[k] = s[k];
  for (int half = NORM_LANES / 2; half > 0; half /= 2)
    for (int k = 0; k < half; k++) t[k] += t[k + half];
  return t[0];
}

WIDE void rl_norm(float *restrict y, float *restrict scaled, float *restrict inverse, const float *restrict gain,
                  int rows, int columns) {
  const float share = 1.0f / (float)columns;
  for (int r = 0; r < rows; r++, y += columns, scaled += columns) {
    float s[NORM_LANES] = {0}, q[NORM_LANES] = {0};
    int c = 0;
    for (; c + NORM_LANES <= columns; c += NORM_LANES)
      for (int k = 0; k < NORM_LANES; k++) s[k] += y[c + k];
    for (int k = 0; c + k < columns; k++) s[k] += y[c + k];
    const float mean = sum_of(s) * share;
    for (c = 0; c + NORM_LANES <= columns; c += NORM_LANES)
      for (int k = 0; k < NORM_LANES; k++) {
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
    float s[NORM_LANES] = {0}, q[NORM_LANES] = {0};
    int c = 0;
    for (; c + NORM_LANES <= columns; c += NORM_LANES)
      for (int k = 0; k < NORM_LANES; k++) {
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
