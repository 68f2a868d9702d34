#include "loss.h"

#include <math.h>

/* No fused multiply and add, which would change the bits; gcc makes none with
   -std=c11. */
#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif

void rl_surrogate(double *restrict log_prob, const float *old, const float *advantage, const int *samples, int n,
                  double mean, double scale, double clip, double size, double *policy, double *kl, double *clipped) {
  for (int i = 0; i < n; i++) {
    /* ratio of the action's probability now to that at acting time */
    double log_ratio = log_prob[i] - old[samples[i]], ratio = exp(log_ratio);
    double near = ratio < 1 - clip ? 1 - clip : ratio > 1 + clip ? 1 + clip : ratio;
    *kl += ratio - 1 - log_ratio;
    *clipped += fabs(ratio - 1) > clip;

    /* -min(ratio A, near A); its derivative by the log probability is -ratio A, or 0 where the
       clipped branch is the smaller one */
    double a = (advantage[samples[i]] - mean) * scale, free = ratio * a, held = near * a;
    *policy -= free <= held ? free : held;
    log_prob[i] = free <= held ? -free / size : 0;
  }
}

double rl_value_loss(float *restrict delta, const float *value, const float *old, const float *target,
                     const int *samples, int n, double clip, double weight, double size) {
  double loss = 0;
  for (int i = 0; i < n; i++) {
    double v = value[i], before = old[samples[i]], aim = target[samples[i]];
    double e = v - aim, slope = e, moved = v - before;
    if (fabs(moved) > clip) {
      double held = before + copysign(clip, moved) - aim;
      if (fabs(held) > fabs(e)) e = held, slope = 0; /* a constant */
    }
    loss += 0.5 * (e * e);
    delta[i] = (float)(weight * slope / size);
  }
  return loss;
}
