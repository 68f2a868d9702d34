#define _GNU_SOURCE  // dl_iterate_phdr
#include "parameters.h"
#include "shim.h"

#include <link.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(mjtNum) == sizeof(double), "state rows are doubles");

//------------------------------ Errors -----------------------------------------------------------

// The trap of the guarded call running on this thread, NULL outside of one.
typedef struct {
  jmp_buf escape;
  char* message;
} Trap;
static _Thread_local Trap* trap = NULL;

// An error must not return to the engine, which would end the process. Inside a
// batch MuJoCo traps errors itself, before this handler. Everything below an
// error is dropped: warnings inside simulations are counted by the engine, those
// of the compiler come back in mj_loadXML's buffer.
static void logHandler(const mjLogMessage* log) {
  if (log->level != mjLOG_ERROR) {
    return;
  }
  if (trap) {
    snprintf(trap->message, PR_MESSAGE, "%s", log->subject);
    longjmp(trap->escape, 1);
  }
  fprintf(stderr, "mujoco: unguarded engine error: %s\n", log->subject);
  abort();
}

static void setLogHandler(void) {
  mju_setLogHandler(logHandler);
}

void pr_installLogHandler(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, setLogHandler);
}

int pr_guard(void (*call)(void*), void* arg, char* message) {
  Trap here = {.message = message};
  if (setjmp(here.escape)) {
    trap = NULL;
    return 1;
  }
  trap = &here;
  call(arg);
  trap = NULL;
  return 0;
}

//------------------------------ Libraries --------------------------------------------------------

typedef struct {
  char* mujoco;
  char* own;
  int size;
} Libraries;

static int note(struct dl_phdr_info* info, size_t unused, void* arg) {
  (void)unused;
  Libraries* l = arg;
  const char* name = strrchr(info->dlpi_name, '/');
  if (name && !strncmp(name, "/libmujoco.so", strlen("/libmujoco.so"))) {
    snprintf(l->mujoco, l->size, "%s", info->dlpi_name);
  }
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr)* part = info->dlpi_phdr + i;
    uintptr_t offset = (uintptr_t)note - info->dlpi_addr - part->p_vaddr;
    if (part->p_type == PT_LOAD && offset < part->p_memsz) {
      snprintf(l->own, l->size, "%s", info->dlpi_name);
    }
  }
  return 0;
}

void pr_libraries(char* mujoco, char* own, int size) {
  Libraries l = {.mujoco = mujoco, .own = own, .size = size};
  mujoco[0] = own[0] = '\0';
  dl_iterate_phdr(note, &l);
}

//------------------------------ Models -----------------------------------------------------------

typedef struct {
  const mjModel* model;
  mjData* data;
  double* initial;
  double* keyframes;
} ResetStates;

static void resetStates(void* arg) {
  ResetStates* r = arg;
  int nstate = mj_stateSize(r->model, mjSTATE_INTEGRATION);
  r->data = mj_makeData(r->model);
  mj_getState(r->model, r->data, r->initial, mjSTATE_INTEGRATION);
  for (int key = 0; key < r->model->nkey; key++) {
    mj_resetDataKeyframe(r->model, r->data, key);
    mj_getState(r->model, r->data, r->keyframes + (size_t)key * nstate, mjSTATE_INTEGRATION);
  }
}

int pr_resetStates(const mjModel* m, double* initial, double* keyframes, char* message) {
  ResetStates r = {.model = m, .initial = initial, .keyframes = keyframes};
  int failed = pr_guard(resetStates, &r, message);
  mj_deleteData(r.data);
  return failed;
}

//------------------------------ Steppers ---------------------------------------------------------

struct pr_Stepper_ {
  mjBatch* batch;  // one simulation per world of a call, one thread
  double* rows;    // the batch's state rows
  int nstate;
  int* sims;  // the simulations of a call: 0, 1, ... but those with invalid parameters
  pr_Parameters* parameters;  // NULL if there are none
  pr_Probe* probes;
  int nprobe;
  int sample_size;
  int refresh;
  int split;  // take the stages of mj_step one by one, see step
  pr_Derived* derived;
  int nderived;
  int derived_size;
  int rne;
  double* derived_rows;  // of a call's simulations
  pr_Overflow overflow;
  char (*messages)[PR_MESSAGE];  // one per simulation
};

typedef struct {
  const mjModel* model;
  int worlds;
  const pr_Parameter* list;
  int nparameter;
  const double* low;
  const double* high;
  char* message;
  mjBatch* batch;
  pr_Parameters* parameters;
} MakeBatch;

static void makeBatch(void* arg) {
  MakeBatch* b = arg;
  mjBatchConfig config;
  mjb_defaultConfig(&config);
  config.nthread = 1;     // the workers are the threads
  config.persistent = 0;  // one mjData: nothing may survive a call but the rows
  b->batch = mjb_makeBatch(b->model, b->worlds, &config, b->message, PR_MESSAGE);
  if (b->batch && b->nparameter) {
    pr_makeParameters(&b->parameters, b->batch, b->list, b->nparameter, b->low, b->high);
  }
}

pr_Stepper* pr_makeStepper(const mjModel* m, int worlds, const pr_Probe* probes, int nprobe,
                           int refresh, const pr_Derived* derived, int nderived, int rne,
                           const pr_Parameter* parameters, int nparameter, const double* low,
                           const double* high, char* message) {
  MakeBatch b = {.model = m,
                 .worlds = worlds,
                 .list = parameters,
                 .nparameter = nparameter,
                 .low = low,
                 .high = high,
                 .message = message};
  message[0] = '\0';
  int failed = pr_guard(makeBatch, &b, message) || !b.batch;
  pr_Stepper* s = failed ? NULL : calloc(1, sizeof *s);
  if (!s) {
    if (!failed) {
      snprintf(message, PR_MESSAGE, "out of memory");
    }
    pr_deleteParameters(b.parameters);
    mjb_deleteBatch(b.batch);
    return NULL;
  }
  s->batch = b.batch;
  s->parameters = b.parameters;
  s->rows = mjb_state(b.batch);
  s->nstate = mjb_nstate(b.batch);
  s->nprobe = nprobe;
  s->refresh = refresh;
  s->nderived = nderived;
  s->rne = rne;
  for (int i = 0; i < nprobe; i++) {
    s->sample_size += probes[i].size;
    int sensor = probes[i].kind == PR_FIELD && probes[i].field == offsetof(mjData, sensordata);
    s->split |= m->opt.integrator == mjINT_RK4 && probes[i].kind != PR_STATE && !sensor;
  }
  for (int i = 0; i < nderived; i++) {
    s->derived_size += derived[i].size;
  }

  s->sims = calloc(worlds, sizeof *s->sims);
  s->probes = calloc(nprobe + 1, sizeof *s->probes);
  s->derived = calloc(nderived + 1, sizeof *s->derived);
  s->derived_rows = calloc((size_t)worlds * s->derived_size + 1, sizeof *s->derived_rows);
  s->messages = calloc(worlds, sizeof *s->messages);
  if (!s->sims || !s->probes || !s->derived || !s->derived_rows || !s->messages) {
    snprintf(message, PR_MESSAGE, "out of memory");
    pr_deleteStepper(s);
    return NULL;
  }
  if (nprobe) {
    memcpy(s->probes, probes, nprobe * sizeof *probes);
  }
  if (nderived) {
    memcpy(s->derived, derived, nderived * sizeof *derived);
  }
  return s;
}

int pr_constants(const pr_Stepper* s) {
  return s->parameters ? pr_constantsSize(s->parameters) : 0;
}

void pr_deleteStepper(pr_Stepper* s) {
  pr_deleteParameters(s->parameters);
  mjb_deleteBatch(s->batch);
  free(s->sims);
  free(s->probes);
  free(s->derived);
  free(s->derived_rows);
  free(s->messages);
  free(s);
}

pr_Overflow pr_overflow(const pr_Stepper* s) {
  return s->overflow;
}

// Arguments of one pr_call, for the function run in each simulation.
typedef struct {
  pr_Stepper* stepper;
  double* samples;
  int slots;
  const int64_t* boundary;
  uint8_t* fault;
  const int32_t* ids;
  const int32_t* n;
} Call;

// The slot of a boundary of a world.
static double* sampleSlot(const Call* call, int32_t id, int64_t boundary) {
  size_t slot = (size_t)id * call->slots + (size_t)(boundary % call->slots);
  return call->samples + slot * call->stepper->sample_size;
}

// The array whose address stands `at` bytes into mjData.
static const mjtNum* field(const mjData* d, int32_t at) {
  return *(mjtNum* const*)((const char*)d + at);
}

// Copy probes of mjData into a sample: those that are parts of the state.
static void sampleState(const pr_Stepper* s, const mjData* d, double* sample) {
  for (const pr_Probe* p = s->probes; p < s->probes + s->nprobe; p++) {
    if (p->kind == PR_STATE) {
      memcpy(sample + p->to, field(d, p->field) + p->from, p->size * sizeof(double));
    }
  }
}

// Add up the forces of the contacts of a body or geom. The force of a contact acts on
// its second geom, along the axes of its frame.
static void contactForce(const mjModel* m, const mjData* d, const pr_Probe* p, double force[3]) {
  mju_zero3(force);
  for (int i = 0; i < d->ncon; i++) {
    const mjContact* c = d->contact + i;
    double sign = 0;
    for (int side = 0; side < 2; side++) {
      int geom = c->geom[side];
      if (geom >= 0 && (p->kind == PR_CONTACT_GEOM ? geom : m->geom_bodyid[geom]) == p->from) {
        sign += side ? 1 : -1;
      }
    }
    if (sign == 0 || c->efc_address < 0) {
      continue;
    }
    mjtNum along[6], world[3];
    mj_contactForce(m, d, i, along);
    mju_mulMatTVec3(world, c->frame, along);
    mju_addToScl3(force, world, sign);
  }
}

// Copy probes of mjData into a sample: what the engine computes, with or without the
// Force ones.
static void sampleComputed(const pr_Stepper* s, const mjModel* m, const mjData* d, double* sample,
                           int with_force) {
  for (const pr_Probe* p = s->probes; p < s->probes + s->nprobe; p++) {
    if (p->force && !with_force) {
      continue;
    }
    mjtNum velocity[6];  // angular, then linear
    switch (p->kind) {
      case PR_FIELD:
        memcpy(sample + p->to, field(d, p->field) + p->from, p->size * sizeof(double));
        break;
      case PR_VELOCITY:
        mj_objectVelocity(m, d, p->field, p->from, velocity, /*flg_local=*/0);
        mju_copy3(sample + p->to, velocity + 3);
        mju_copy3(sample + p->to + 3, velocity);
        break;
      case PR_CONTACT_BODY:
      case PR_CONTACT_GEOM:
        contactForce(m, d, p, sample + p->to);
        break;
    }
  }
}

// Copy the derived values out of mjData.
static void derive(const pr_Stepper* s, const mjData* d, int sim) {
  double* row = s->derived_rows + (size_t)sim * s->derived_size;
  for (const pr_Derived* v = s->derived; v < s->derived + s->nderived; v++) {
    memcpy(row + v->to, field(d, v->field) + v->from, v->size * sizeof(double));
  }
}

// Fault the simulation if one of the n numbers of a field is bad. The test is
// mju_isBad's (NaN, or beyond mjMAXVAL), inline because it runs every substep.
static int badNumber(const Call* call, int sim, const char* field, const mjtNum* x, int n,
                     int substep) {
  for (int i = 0; i < n; i++) {
    if (!(fabs(x[i]) <= mjMAXVAL)) {
      call->fault[call->ids[sim]] = PR_FAULT_NOT_FINITE;
      snprintf(call->stepper->messages[sim], PR_MESSAGE, "%s[%d] is %g after %d substeps", field, i,
               x[i], substep);
      return 1;
    }
  }
  return 0;
}

static int badState(const Call* call, int sim, const mjModel* m, const mjData* d, int substep) {
  return badNumber(call, sim, "qpos", d->qpos, m->nq, substep) ||
         badNumber(call, sim, "qvel", d->qvel, m->nv, substep) ||
         badNumber(call, sim, "act", d->act, m->na, substep);
}

// Fault the simulation if the engine met a bad number in the substep just taken.
static int badWarning(const Call* call, int sim, const mjData* d, int substep) {
  static const struct {
    int warning;
    const char* field;
  } bad[] = {{mjWARN_BADQPOS, "qpos"},
             {mjWARN_BADQVEL, "qvel"},
             {mjWARN_BADQACC, "qacc"},
             {mjWARN_BADCTRL, "ctrl"}};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    const mjWarningStat* w = d->warning + bad[i].warning;
    if (w->number) {
      call->fault[call->ids[sim]] = PR_FAULT_NOT_FINITE;
      snprintf(call->stepper->messages[sim], PR_MESSAGE,
               "%s[%d] is not finite or too large in substep %d", bad[i].field, w->lastinfo,
               substep + 1);
      return 1;
    }
  }
  return 0;
}

// Count what did not fit since the warnings were cleared.
static void countOverflow(pr_Stepper* s, const mjData* d) {
  s->overflow.contacts += d->warning[mjWARN_CONTACTFULL].number;
  s->overflow.constraints += d->warning[mjWARN_CNSTRFULL].number;
}

// Bring the Motion values up to date with the state. LIGHT is enough for the
// probes that read body frames and body velocities only; model.go sorts them.
static void refresh(const pr_Stepper* s, const mjModel* m, mjData* d) {
  switch (s->refresh) {
    case PR_REFRESH_LIGHT:
      mj_kinematics(m, d);
      mj_comPos(m, d);
      mj_sensorPos(m, d);
      mj_comVel(m, d);
      mj_sensorVel(m, d);
      break;
    case PR_REFRESH_FULL:
      mj_step1(m, d);
      break;
  }
}

// Take one substep and sample what was computed at its beginning. Return 1 at a fault.
static int step(const Call* call, const mjModel* m, mjData* d, int sim, int substep,
                double* sample) {
  pr_Stepper* s = call->stepper;
  if (s->split) {
    // the trial states of the integrator replace what mj_forward computed, sensors apart
    mj_checkPos(m, d);
    mj_checkVel(m, d);
    mj_forward(m, d);
    mj_checkAcc(m, d);
    if (m->opt.enableflags & mjENBL_FWDINV) {
      mj_compareFwdInv(m, d);
    }
    if (badWarning(call, sim, d, substep)) {
      return 1;
    }
    sampleComputed(s, m, d, sample, 1);
    mj_RungeKutta(m, d, 4);
  } else {
    mj_step(m, d);
  }
  if (badWarning(call, sim, d, substep) || badState(call, sim, m, d, substep + 1)) {
    return 1;
  }
  if (!s->split) {
    sampleComputed(s, m, d, sample, 1);
  }
  return 0;
}

// mjb_apply function: the substeps of one world.
static void advance(const mjModel* m, mjData* d, int sim, void* arg) {
  const Call* call = arg;
  pr_Stepper* s = call->stepper;
  int32_t id = call->ids[sim];
  int32_t n = call->n[sim];
  int64_t boundary = call->boundary[id];
  if (n == 0) {
    return;
  }

  // a bad number from outside must not reach the samples
  memset(d->warning, 0, sizeof d->warning);
  if (badState(call, sim, m, d, 0) || badNumber(call, sim, "ctrl", d->ctrl, m->nu, 0)) {
    return;
  }

  // what mj_step leaves belongs to the state before it: the boundary's sample
  for (int32_t k = 0; k < n; k++, boundary++) {
    double* sample = sampleSlot(call, id, boundary);
    sampleState(s, d, sample);
    if (step(call, m, d, sim, k, sample)) {
      return;
    }
  }

  countOverflow(s, d);

  // save before anything else, so that nothing else can change the result
  mj_getState(m, d, s->rows + (size_t)sim * s->nstate, mjSTATE_INTEGRATION);
  if (s->rne) {
    mj_rnePostConstraint(m, d);
  }
  derive(s, d, sim);
  double* sample = sampleSlot(call, id, boundary);
  sampleState(s, d, sample);
  refresh(s, m, d);
  sampleComputed(s, m, d, sample, 0);
}

// mjb_apply function: every stage at the state of one world.
static void forward(const mjModel* m, mjData* d, int sim, void* arg) {
  const Call* call = arg;
  pr_Stepper* s = call->stepper;
  double* sample = sampleSlot(call, call->ids[sim], 0);

  memset(d->warning, 0, sizeof d->warning);
  if (badState(call, sim, m, d, 0) || badNumber(call, sim, "ctrl", d->ctrl, m->nu, 0)) {
    return;
  }
  if (s->rne) {
    // what the simulation before left; mj_forward computes them for sensors only
    mju_zero(d->cacc, 6 * m->nbody);
    mju_zero(d->cfrc_int, 6 * m->nbody);
    mju_zero(d->cfrc_ext, 6 * m->nbody);
  }
  mj_forward(m, d);
  countOverflow(s, d);
  if (badNumber(call, sim, "qacc", d->qacc, m->nv, 0)) {
    return;
  }
  mj_getState(m, d, s->rows + (size_t)sim * s->nstate, mjSTATE_INTEGRATION);
  derive(s, d, sim);
  sampleState(s, d, sample);
  sampleComputed(s, m, d, sample, 1);
}

// Run func on the worlds of a call: rows in, mjb_apply, rows out where it went
// well. func saves the row itself, so mjb_apply does not.
static int apply(Call* call, mjfBatchFunc func, double* state, double* derived,
                 const pr_WorldParameters* parameters, int count) {
  pr_Stepper* s = call->stepper;
  size_t row = s->nstate * sizeof(double);
  for (int i = 0; i < count; i++) {
    memcpy(s->rows + (size_t)i * s->nstate, state + (size_t)call->ids[i] * s->nstate, row);
    call->fault[call->ids[i]] = PR_FAULT_NONE;
    s->messages[i][0] = '\0';
    s->sims[i] = i;
  }

  int nsim = count;
  if (s->parameters) {
    nsim = pr_loadParameters(s->parameters, parameters, call->ids, count, s->sims, call->fault,
                             s->messages);
  }
  if (nsim) {
    mjb_apply(s->batch, s->sims, nsim, func, call, /*save=*/0);
  }

  const int* status = mjb_status(s->batch);
  for (int k = 0; k < nsim; k++) {
    int i = s->sims[k];
    if (status[i]) {
      call->fault[call->ids[i]] = PR_FAULT_ENGINE;
      snprintf(s->messages[i], PR_MESSAGE, "%s", mjb_error(s->batch, i));
    }
  }
  int faults = 0;
  for (int i = 0; i < count; i++) {
    if (call->fault[call->ids[i]] != PR_FAULT_NONE) {
      faults++;
      continue;
    }
    memcpy(state + (size_t)call->ids[i] * s->nstate, s->rows + (size_t)i * s->nstate, row);
    if (s->derived_size && (!call->n || call->n[i] > 0)) {
      memcpy(derived + (size_t)call->ids[i] * s->derived_size,
             s->derived_rows + (size_t)i * s->derived_size, s->derived_size * sizeof(double));
    }
  }
  return faults;
}

int pr_call(pr_Stepper* s, double* state, double* samples, int slots, double* derived,
            const double* parameters, double* known, double* constants, uint8_t* valid,
            int64_t* boundary, uint8_t* fault, const int32_t* ids, const int32_t* n, int count) {
  Call call = {.stepper = s,
               .samples = samples,
               .slots = slots,
               .boundary = boundary,
               .fault = fault,
               .ids = ids,
               .n = n};
  pr_WorldParameters own = {
      .rows = parameters, .known = known, .constants = constants, .valid = valid};
  int faults = apply(&call, n ? advance : forward, state, derived, &own, count);
  for (int i = 0; i < count; i++) {
    if (fault[ids[i]] == PR_FAULT_NONE) {
      boundary[ids[i]] = n ? boundary[ids[i]] + n[i] : 0;
    }
  }
  return faults;
}

const char* pr_faultMessage(const pr_Stepper* s, int i) {
  return s->messages[i];
}
