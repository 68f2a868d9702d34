#include "shim.h"

#include <stdio.h>
#include <stdlib.h>

struct pr_Baseline_ {
  const mjModel* model;
  int worlds;
  int rne;
  mjData* data[];  // one per world
};

static int makeData(pr_Baseline* b, char* message) {
  PR_GUARD(message, 1);
  for (int i = 0; i < b->worlds; i++) {
    b->data[i] = mj_makeData(b->model);
  }
  return 0;
}

pr_Baseline* pr_makeBaseline(const mjModel* m, int worlds, int rne, char* message) {
  snprintf(message, PR_MESSAGE, "out of memory");
  pr_Baseline* b = calloc(1, sizeof *b + worlds * sizeof *b->data);
  if (!b) {
    return NULL;
  }
  b->model = m;
  b->worlds = worlds;
  b->rne = rne;
  if (makeData(b, message)) {
    pr_deleteBaseline(b);
    return NULL;
  }
  return b;
}

void pr_deleteBaseline(pr_Baseline* b) {
  for (int i = 0; i < b->worlds; i++) {
    mj_deleteData(b->data[i]);
  }
  free(b);
}

int pr_runBaseline(pr_Baseline* b, const double* controls, const int32_t* resets,
                   const double* reset_rows, int steps, int substeps, char* message) {
  PR_GUARD(message, 1);
  const mjModel* m = b->model;
  int nstate = mj_stateSize(m, mjSTATE_INTEGRATION);
  for (int step = 0; step < steps; step++) {
    for (int world = 0; world < b->worlds; world++) {
      mjData* d = b->data[world];
      size_t at = (size_t)step * b->worlds + world;
      if (resets && resets[at] >= 0) {
        mj_setState(m, d, reset_rows + (size_t)resets[at] * nstate, mjSTATE_INTEGRATION);
        mj_forward(m, d);
      }
      mju_copy(d->ctrl, controls + at * m->nu, m->nu);
      for (int i = 0; i < substeps; i++) {
        mj_step(m, d);
      }
      if (b->rne) {
        mj_rnePostConstraint(m, d);
      }
    }
  }
  return 0;
}

void pr_readBaseline(const pr_Baseline* b, int world, double* state, double* sensordata) {
  const mjData* d = b->data[world];
  if (state) {
    mj_getState(b->model, d, state, mjSTATE_INTEGRATION);
  }
  if (sensordata) {
    mju_copy(sensordata, d->sensordata, b->model->nsensordata);
  }
}

void pr_readDerived(const pr_Baseline* b, int world, pr_Probe value, double* dst) {
  mjtNum* const* field = (mjtNum* const*)((const char*)b->data[world] + value.field);
  mju_copy(dst, *field + value.from, value.size);
}
