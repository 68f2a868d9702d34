/* Loops of SAC over float arrays; see kernels.h. */
#ifndef POLYRHYTHM_RL_SAC_H
#define POLYRHYTHM_RL_SAC_H

void rl_multiply(float *y, const float *factor, long n);
void rl_polyak(float *target, const float *params, int n, float rate);
void rl_pick(float *dst, int stride, const float *data, const long *rows, int n, int columns, const float *mean,
             const float *scale, float limit);
void rl_look(float *dst, int stride, const float *data, const unsigned char *bytes, const long *rows, int n, long size,
             long row_bytes, int height, int width, int channels, const int *place, int pixel_floats, int pixel_bytes,
             const float *table, const float *mean, const float *scale, float limit, const int *shifts);
void rl_norm(float *y, float *scaled, float *inverse, const float *gain, int rows, int columns);
void rl_norm_slope(float *delta, const float *scaled, const float *inverse, const float *gain, float *by_gain,
                   int rows, int columns);

#endif
