/* Loops over the rows of a replay; see replay_read.go. */
#ifndef POLYRHYTHM_RL_REPLAY_H
#define POLYRHYTHM_RL_REPLAY_H

void rl_pick(float *dst, int stride, const float *data, const long *rows, int n, int columns, const float *mean,
             const float *scale, float limit);
void rl_look(float *dst, int stride, const float *data, const unsigned char *bytes, const long *rows, int n, long size,
             long row_bytes, int height, int width, int channels, const int *place, int pixel_floats, int pixel_bytes,
             const float *table, const float *mean, const float *scale, float limit, const int *shifts);

#endif
