#include "baseline.h"

#include <stdlib.h>
#include <string.h>

struct pr_Raw_ {
  const mjModel* model;
  int worlds;
  int rne;
  mjData** data;  // one per world
};

static void makeRaw(void* arg) {
  pr_Baseline* r = arg;
  r->data = calloc(r->worlds, sizeof *r->data);
  if (!r->data) {
    mju_error("out of memory");
  }
  for (int i = 0; i < r->worlds; i++) {
    r->data[i] = mj_makeData(r->model);
  }
}

pr_Baseline* pr_makeBaseline(const mjModel* m, int worlds, int rne, char* message) {
  pr_Baseline* r = calloc(1, sizeof *r);
  if (!r) {
    strcpy(message, "out of memory");
    return NULL;
  }
  r->model = m;
  r->worlds = worlds;
  r->rne = rne;
  if (pr_guard(makeRaw, r, message)) {
    pr_deleteRaw(r);
    return NULL;
  }
  return r;
}

void pr_deleteRaw(pr_Baseline* r) {
  for (int i = 0; r->data && i < r->worlds; i++) {
    mj_deleteData(r->data[i]);
  }
  free(r->data);
  free(r);
}

typedef struct {
  pr_Baseline* raw;
  const double* controls;
  const int32_t* resets;
  const double* reset_rows;
  int steps;
  int substeps;
} Run;

static void run(void* arg) {
  const Run* run = arg;
  const mjModel* m = run->raw->model;
  int worlds = run->raw->worlds;
  int nstate = mj_stateSize(m, mjSTATE_INTEGRATION);

  for (int step = 0; step < run->steps; step++) {
    for (int world = 0; world < worlds; world++) {
      mjData* d = run->raw->data[world];
      size_t at = (size_t)step * worlds + world;
      if (run->resets && run->resets[at] >= 0) {
        mj_setState(m, d, run->reset_rows + (size_t)run->resets[at] * nstate, mjSTATE_INTEGRATION);
        mj_forward(m, d);
      }
      mju_copy(d->ctrl, run->controls + at * m->nu, m->nu);
      for (int i = 0; i < run->substeps; i++) {
        mj_step(m, d);
      }
      if (run->raw->rne) {
        mj_rnePostConstraint(m, d);
      }
    }
  }
}

int pr_runRaw(pr_Baseline* r, const double* controls, const int32_t* resets, const double* reset_rows,
              int steps, int substeps, char* message) {
  Run args = {.raw = r,
              .controls = controls,
              .resets = resets,
              .reset_rows = reset_rows,
              .steps = steps,
              .substeps = substeps};
  return pr_guard(run, &args, message);
}

void pr_readRaw(const pr_Baseline* r, int world, double* state, double* sensordata) {
  const mjData* d = r->data[world];
  if (state) {
    mj_getState(r->model, d, state, mjSTATE_INTEGRATION);
  }
  if (sensordata) {
    mju_copy(sensordata, d->sensordata, r->model->nsensordata);
  }
}

void pr_readRawDerived(const pr_Baseline* r, int world, pr_Derived value, double* dst) {
  mjtNum* const* field = (mjtNum* const*)((const char*)r->data[world] + value.field);
  mju_copy(dst, *field + value.from, value.size);
}
