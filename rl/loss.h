/* Loops over the samples of a minibatch, see loss.go. */
#ifndef POLYRHYTHM_RL_LOSS_H
#define POLYRHYTHM_RL_LOSS_H

void rl_surrogate(double *log_prob, const float *old, const float *advantage, const int *samples, int n, double mean,
                  double scale, double clip, double size, double *policy, double *kl, double *clipped);
double rl_value_loss(float *delta, const float *value, const float *old, const float *target, const int *samples, int n,
                     double clip, double weight, double size);

#endif
