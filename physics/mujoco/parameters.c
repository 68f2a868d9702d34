#include "shim.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// An array of the model that mj_setConst may write.
typedef struct {
  const char* name;
  const char* nominal;  // the values of the batch's model
  char* rows;           // one row for each simulation; NULL while all have the nominal values
  size_t size;          // of a row, in bytes
  long at;              // where a world's values are kept, in bytes; -1: they are not
} Constant;

struct pr_Parameters_ {
  mjBatch* batch;
  pr_Parameter* parameters;
  mjtNum** rows;  // by parameter: its array's first row
  int* widths;    // by parameter: the length of such a row
  int count;
  int size;     // values of all parameters
  int derives;  // some derived constants depend on a parameter
  double* low;
  double* high;
  Constant* constants;
  int nconstant;
  int kept;    // doubles that a world's constants take
  int* stale;  // simulations whose constants are to be computed
};

//------------------------------ Constants --------------------------------------------------------

// List what mj_setConst writes.
static void listConstants(pr_Parameters* p) {
  const mjModel* m = mjb_model(p->batch);
#define X(field, fixed, kin0, inert0, spring)               \
  if (((fixed) | (kin0) | (inert0) | (spring)) & mjSC_OUT) { \
    add[n++] = (Constant){.name = #field, .nominal = (const char*)m->field, .at = -1}; \
  }
#define Y(scalar) add[n++] = (Constant){.name = #scalar, .nominal = (const char*)&m->scalar, .at = -1};
  Constant add[256];
  int n = 0;
  MJSETCONST_ARRAYS
#undef X
#define X Y
  MJSETCONST_SCALARS
#undef X
#undef Y
  p->constants = pr_copyOf(add, n, sizeof *add);
  if (!p->constants) {
    mju_error("out of memory");
  }
  p->nconstant = n;
}

// Find the rows of the constants that the engine has given each simulation by now.
static void findConstants(pr_Parameters* p) {
  for (Constant* c = p->constants; c < p->constants + p->nconstant; c++) {
    if (!c->rows) {
      int size = 0, element = 0;
      c->rows = (char*)mjb_expanded(p->batch, c->name, &size, &element);
      c->size = (size_t)size * element;
    }
  }
}

// Change every parameter that constants depend on in simulation 0, for a look at which
// constants change with them. What this misses is not kept, and so computed in every
// call: it costs time, and nothing else.
static void tryConstants(pr_Parameters* p) {
  int sim = 0;
  for (int trial = 0; trial < 2; trial++) {
    for (int i = 0; i < p->count; i++) {
      const pr_Parameter* q = p->parameters + i;
      for (int k = 0; q->derives && k < q->size; k++) {
        double change = trial ? 1e-3 * (1 + k % 7) : 0;
        double scale = trial ? 1.25 + 0.01 * (k % 5) : 0.75;
        mjtNum* value = p->rows[i] + q->from + k;
        *value = mju_min(mju_max(*value * scale + change, p->low[q->to + k]), p->high[q->to + k]);
      }
    }
    mjb_setConst(p->batch, &sim, 1);
  }
  findConstants(p);
  size_t kept = 0;
  for (Constant* c = p->constants; c < p->constants + p->nconstant; c++) {
    if (c->rows) {
      c->at = (long)kept;
      kept += (c->size + sizeof(double) - 1) / sizeof(double) * sizeof(double);
    }
  }
  p->kept = (int)(kept / sizeof(double));
}

// Put the constants of a world, or with NULL the model's, into a simulation.
static void loadConstants(pr_Parameters* p, int sim, const char* world) {
  for (const Constant* c = p->constants; c < p->constants + p->nconstant; c++) {
    if (c->rows) {
      const char* from = world && c->at >= 0 ? world + c->at : c->nominal;
      memcpy(c->rows + sim * c->size, from, c->size);
    }
  }
}

// Keep the constants of a simulation for its world. Return 0 if they do not fit.
static int saveConstants(const pr_Parameters* p, int sim, char* world) {
  for (const Constant* c = p->constants; c < p->constants + p->nconstant; c++) {
    if (!c->rows) {
      continue;
    }
    const char* from = c->rows + sim * c->size;
    if (c->at >= 0) {
      memcpy(world + c->at, from, c->size);
    } else if (memcmp(from, c->nominal, c->size)) {
      return 0;
    }
  }
  return 1;
}

//------------------------------ Parameters -------------------------------------------------------

void pr_makeParameters(pr_Parameters** made, mjBatch* batch, const pr_Parameter* parameters, int n,
                       const double* low, const double* high) {
  pr_Parameters* p = *made = calloc(1, sizeof *p);
  if (!p) {
    mju_error("out of memory");
  }
  p->batch = batch;
  for (int i = 0; i < n; i++) {
    p->size += parameters[i].size;
    p->derives |= parameters[i].derives;
  }
  p->count = n;
  p->parameters = pr_copyOf(parameters, n, sizeof *parameters);
  p->low = pr_copyOf(low, p->size, sizeof *low);
  p->high = pr_copyOf(high, p->size, sizeof *high);
  p->rows = calloc(n, sizeof *p->rows);
  p->widths = calloc(n, sizeof *p->widths);
  p->stale = calloc(mjb_nsim(batch), sizeof *p->stale);
  if (!p->parameters || !p->low || !p->high || !p->rows || !p->widths || !p->stale) {
    mju_error("out of memory");
  }
  for (int i = 0; i < n; i++) {
    int element;
    if (!parameters[i].field) {
      continue;
    }
    p->rows[i] = mjb_expand(batch, parameters[i].field, p->widths + i, &element);
    if (!p->rows[i]) {
      mju_error("the model has no field %s", parameters[i].field);
    }
  }
  if (p->derives) {
    listConstants(p);
    tryConstants(p);
  }
}

void pr_deleteParameters(pr_Parameters* p) {
  if (!p) {
    return;
  }
  free(p->parameters);
  free(p->low);
  free(p->high);
  free(p->rows);
  free(p->widths);
  free(p->stale);
  free(p->constants);
  free(p);
}

int pr_constantsSize(const pr_Parameters* p) {
  return p->kept;
}

// Fault the world if one of its parameters is no number, or one that no model has.
static int invalid(const pr_Parameters* p, const double* row, uint8_t* fault, char* message) {
  for (const pr_Parameter* q = p->parameters; q < p->parameters + p->count; q++) {
    for (int i = q->to; i < q->to + q->size; i++) {
      double x = row[i], low = p->low[i], high = p->high[i];
      if (x >= low && x <= high) {
        continue;
      }
      *fault = isfinite(x) ? PR_FAULT_ENGINE : PR_FAULT_NOT_FINITE;
      // a name of the model's may be longer than the message
      int at = snprintf(message, PR_MESSAGE, "parameter %.*s[%d] is %g, want ", PR_MESSAGE / 2,
                        q->source, i - q->to, x);
      char* rest = message + at;
      size_t room = PR_MESSAGE - at;
      if (!isfinite(x)) {
        snprintf(rest, room, "a finite number");
      } else if (low == high) {
        snprintf(rest, room, "%g as in the model: the engine cannot change this value",
                 low);
      } else if (x < low && low == mjMINVAL) {
        snprintf(rest, room, "more than 0");
      } else if (x < low) {
        snprintf(rest, room, "at least %g", low);
      } else {
        snprintf(rest, room, "at most %g", high);
      }
      return 1;
    }
  }
  return 0;
}

// Whether two rows differ in a parameter that constants depend on.
static int constantsDiffer(const pr_Parameters* p, const double* a, const double* b) {
  for (const pr_Parameter* q = p->parameters; q < p->parameters + p->count; q++) {
    if (q->derives && memcmp(a + q->to, b + q->to, q->size * sizeof *a)) {
      return 1;
    }
  }
  return 0;
}

// Put the values of a row into a simulation.
static void load(pr_Parameters* p, int sim, const double* row) {
  for (int i = 0; i < p->count; i++) {
    const pr_Parameter* q = p->parameters + i;
    if (!q->field) {
      continue;
    }
    memcpy(p->rows[i] + (size_t)sim * p->widths[i] + q->from, row + q->to, q->size * sizeof *row);
  }
}

int pr_loadParameters(pr_Parameters* p, const pr_WorldParameters* worlds, const int32_t* ids,
                      int count, int* sims, uint8_t* fault, char (*messages)[PR_MESSAGE]) {
  int nstale = 0;
  for (int i = 0; i < count; i++) {
    int32_t id = ids[i];
    const double* row = worlds->rows + (size_t)id * p->size;
    double* known = worlds->known + (size_t)id * p->size;
    int same = worlds->valid[id] && !memcmp(row, known, p->size * sizeof *row);
    if (!same && invalid(p, row, fault + id, messages[i])) {
      continue;
    }
    if (!p->derives) {
      worlds->valid[id] = 1;
    } else if (!same && (!worlds->valid[id] || constantsDiffer(p, row, known))) {
      worlds->valid[id] = 0;
      loadConstants(p, i, NULL);  // some are read before they are written
      p->stale[nstale++] = i;
    } else {
      loadConstants(p, i, (const char*)(worlds->constants + (size_t)id * p->kept));
    }
    load(p, i, row);  // last, as some parameters are among the constants: sizes of geoms
    if (!same) {
      memcpy(known, row, p->size * sizeof *row);
    }
  }

  if (nstale) {
    mjb_setConst(p->batch, p->stale, nstale);
    findConstants(p);
    const int* status = mjb_status(p->batch);
    for (int k = 0; k < nstale; k++) {
      int i = p->stale[k];
      int32_t id = ids[i];
      if (status[i]) {
        fault[id] = PR_FAULT_ENGINE;
        snprintf(messages[i], PR_MESSAGE, "parameters: %s", mjb_error(p->batch, i));
        continue;
      }
      char* kept = (char*)(worlds->constants + (size_t)id * p->kept);
      worlds->valid[id] = (uint8_t)saveConstants(p, i, kept);
    }
  }

  int nsim = 0;
  for (int i = 0; i < count; i++) {
    if (fault[ids[i]] == PR_FAULT_NONE) {
      sims[nsim++] = i;
    }
  }
  return nsim;
}
