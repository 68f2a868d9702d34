/* Loops over float arrays that the Go compiler would not vectorise. Each
   element is computed by itself with plain IEEE operations, so the width of the
   vectors does not show in the result. See kernels.go. */
#ifndef POLYRHYTHM_RL_KERNELS_H
#define POLYRHYTHM_RL_KERNELS_H

void rl_add(float *sum, const float *term, int rows, int columns);

/* activation: 0 tanh, 1 ELU, 2 ReLU; of rl_activate alone 3, none */
void rl_activate(int activation, float *y, const float *bias, int rows, int columns);
void rl_slope(int activation, float *delta, const float *y, float *sum, int rows, int columns);

void rl_adam(float *params, float *first, float *second, const float *grad, int n,
             float scale, float rate, float spread, float epsilon);
double rl_squares(const float *v, int n);
void rl_sum_tree(float *rows, long size, int n, int columns);

void rl_gaussian(double *log_prob, double *z, const float *action, const float *mean, int stride, const int *samples,
                 int n, int size, const double *inverse, double entropy);
void rl_gaussian_slope(float *delta, int stride, double *by_log_std, const double *z, const double *slope, int n,
                       int size, const double *inverse);
void rl_gather(float *dst, const float *matrix, int size, int columns, const int *samples, int n);

void rl_patches(float *dst, int stride, const float *x, const int *in, const int *out, int kernel, int step,
                int padding);
void rl_add_patches(float *x, const float *patches, const int *in, const int *out, int kernel, int step, int padding);

void rl_gru(float *state, float *gates, float *kept, const float *recurrent, const float *previous,
            const float *bias, int rows, int units);
void rl_gru_slope(float *delta, float *by_input, float *by_recurrent, const float *gates, const float *kept,
                  const float *previous, int rows, int units);

void rl_multiply(float *y, const float *factor, long n);
void rl_polyak(float *target, const float *params, int n, float rate);

void rl_norm(float *y, float *scaled, float *inverse, const float *gain, int rows, int columns);
void rl_norm_slope(float *delta, const float *scaled, const float *inverse, const float *gain, float *by_gain,
                   int rows, int columns);

#endif
