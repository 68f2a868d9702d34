#define _GNU_SOURCE  // dl_iterate_phdr
#include "shim.h"

#include <link.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(mjtNum) == sizeof(double), "state rows are doubles");

//------------------------------ Errors -----------------------------------------------------------

// The trap of the guarded function running on this thread, NULL outside of one.
static _Thread_local pr_Trap* trap = NULL;

// An error must not return to the engine, which would end the process. Inside a
// batch MuJoCo traps errors itself, before this handler. Everything below an
// error is dropped: warnings inside simulations are counted by the engine, those
// of the compiler come back in mj_loadXML's buffer.
void pr_logHandler(const mjLogMessage* log) {
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

void pr_arm(pr_Trap* t) {
  trap = t;
}

void pr_disarm(pr_Trap* t) {
  (void)t;
  trap = NULL;
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

mjSpec* pr_parseSpec(const char* path, const mjVFS* vfs, char* message) {
  PR_GUARD(message, NULL);
  return mj_parseXML(path, vfs, message, PR_MESSAGE);
}

int pr_loadPlugins(const char* folder, char* message) {
  PR_GUARD(message, 1);
  mj_loadAllPluginLibraries(folder, NULL);
  return 0;
}

int pr_attach(mjSpec* parent, mjSpec* child, const char* prefix, const double pos[3],
              const double quat[4], char* message) {
  PR_GUARD(message, 1);
  mjs_setDeepCopy(parent, 1);
  mjsFrame* frame = mjs_addFrame(mjs_findBody(parent, "world"), NULL);
  memcpy(frame->pos, pos, sizeof frame->pos);
  memcpy(frame->quat, quat, sizeof frame->quat);
  if (!mjs_attach(frame->element, child->element, prefix, "")) {
    snprintf(message, PR_MESSAGE, "%s", mjs_getError(parent));
    return 1;
  }
  return 0;
}

mjModel* pr_compileSpec(mjSpec* s, const mjVFS* vfs, double timestep, char* message) {
  message[0] = '\0';
  PR_GUARD(message, NULL);
  mjModel* m = mj_compile(s, vfs);
  if (!m) {
    snprintf(message, PR_MESSAGE, "%s", mjs_getError(s));
    return NULL;
  }
  int used = 0;
  for (int i = 0; i < mjs_numWarnings(s) && used < PR_MESSAGE; i++) {
    used += snprintf(message + used, PR_MESSAGE - used, "%s\n", mjs_getWarning(s, i));
  }
  m->opt.disableflags |= mjDSBL_AUTORESET;
  // Constraints of one kinematic tree are one island: looking for islands and
  // gathering what belongs to each only takes time. The result is the same, bit for
  // bit. Sleeping works by islands.
  if (m->ntree == 1 && !(m->opt.enableflags & mjENBL_SLEEP)) {
    m->opt.disableflags |= mjDSBL_ISLAND;
  }
  if (timestep > 0) {
    m->opt.timestep = timestep;
  }
  return m;
}

// The digits that MuJoCo writes of a number in XML: not in its headers, but its Python package
// calls them too.
int _mjPRIVATE__get_xml_precision(void);
void _mjPRIVATE__set_xml_precision(int precision);

// The digits that tell any two doubles apart.
enum { DIGITS = 17 };

char* pr_saveXML(mjSpec* s, const mjModel* m, char* message) {
  message[0] = '\0';
  int digits = _mjPRIVATE__get_xml_precision();
  char* volatile xml = NULL;
  PR_GUARD(message, (_mjPRIVATE__set_xml_precision(digits), free(xml), NULL));
  if (!mj_copyBack(s, m)) {
    snprintf(message, PR_MESSAGE, "%s", mjs_getError(s));
    return NULL;
  }
  _mjPRIVATE__set_xml_precision(DIGITS);
  char none[1];
  int size = mj_saveXMLString(s, none, sizeof none, message, PR_MESSAGE);
  if (size > 0) {
    message[0] = '\0';
    xml = malloc(size + 1);
    if (!xml || mj_saveXMLString(s, xml, size + 1, message, PR_MESSAGE)) {
      free(xml);
      xml = NULL;
    }
  }
  _mjPRIVATE__set_xml_precision(digits);
  return xml;
}

static void freeModel(mjModel* volatile* m) {
  mj_deleteModel(*m);
}

void* pr_saveModel(const mjModel* m, mjtSize* size, char* message) {
  message[0] = '\0';
  __attribute__((cleanup(freeModel))) mjModel* volatile whole = NULL;
  PR_GUARD(message, NULL);
  whole = mj_embedAssets(m, message, PR_MESSAGE);
  if (!whole) {
    return NULL;
  }
  *size = mj_sizeModel(whole);
  void* buffer = calloc(1, *size);
  if (buffer) {
    mj_saveModel(whole, NULL, buffer, *size);
  } else {
    snprintf(message, PR_MESSAGE, "no memory for %lld bytes", (long long)*size);
  }
  return buffer;
}

static void freeData(mjData* volatile* d) {
  mj_deleteData(*d);
}

// An mjData that is freed at the end of its function, also after an engine error.
#define OWN_DATA __attribute__((cleanup(freeData))) mjData* volatile

int pr_resetStates(const mjModel* m, double* initial, double* keyframes, char* message) {
  OWN_DATA data = NULL;
  PR_GUARD(message, 1);
  int nstate = mj_stateSize(m, mjSTATE_INTEGRATION);
  data = mj_makeData(m);
  mj_getState(m, data, initial, mjSTATE_INTEGRATION);
  for (int key = 0; key < m->nkey; key++) {
    mj_resetDataKeyframe(m, data, key);
    mj_getState(m, data, keyframes + (size_t)key * nstate, mjSTATE_INTEGRATION);
  }
  return 0;
}

int pr_contacts(const mjModel* m, const double* row, pr_Contact* contacts, int most, int* found,
                char* message) {
  OWN_DATA data = NULL;
  PR_GUARD(message, 1);
  data = mj_makeData(m);
  mj_setState(m, data, row, mjSTATE_INTEGRATION);
  mj_fwdPosition(m, data);
  *found = data->ncon;
  for (int i = 0; i < *found && i < most; i++) {
    const mjContact* from = &data->contact[i];
    contacts[i] = (pr_Contact){{from->geom[0], from->geom[1]}, from->dist};
  }
  return 0;
}

int pr_equalities(const mjModel* m, const double* row, double* off, char* message) {
  OWN_DATA data = NULL;
  PR_GUARD(message, 1);
  data = mj_makeData(m);
  mj_setState(m, data, row, mjSTATE_INTEGRATION);
  mj_fwdPosition(m, data);
  mju_zero(off, m->neq);
  for (int i = 0; i < data->nefc; i++) {
    if (data->efc_type[i] == mjCNSTR_EQUALITY) {
      double* to = off + data->efc_id[i];
      *to = mju_max(*to, fabs(data->efc_pos[i]));
    }
  }
  return 0;
}

//------------------------------ Actuators --------------------------------------------------------

static double clampTo(double x, const mjtNum range[2]) {
  return mju_max(range[0], mju_min(range[1], x));
}

// The distance of an actuator's joint from its target, and its speed.
static void readMotor(const mjModel* m, const mjData* d, int id, mjtNum now[2]) {
  int control = m->actuator_ctrladr[id], output = m->actuator_outadr[id];
  mjtNum read = 0;
  const mjtNum* held = mj_readCtrl(m, d, id, d->time, &read, /*interp=*/0);
  mjtNum target = held ? *held : read;
  if (m->actuator_ctrllimited[control]) {
    target = clampTo(target, m->actuator_ctrlrange + 2 * control);
  }
  now[0] = target - d->actuator_length[output];
  now[1] = d->actuator_velocity[output];
}

// The network of an actuator, NULL if it has none.
static const mjtNum* networkOf(const mjModel* m, int id) {
  const mjtNum* p = m->actuator_biasprm + (size_t)id * mjNBIAS;
  if (m->actuator_biastype[id] != mjBIAS_USER || p[mjNBIAS - 1] != PR_MOTOR || !(p[PR_NETWORK] >= 1) ||
      p[PR_NETWORK] > (double)m->nnumericdata) {
    return NULL;
  }
  return m->numeric_data + (size_t)p[PR_NETWORK] - 1;
}

static double activate(double x, int function) {
  switch (function) {
    case 0:
      return tanh(x);
    case 1:
      return x > 0 ? x : expm1(x);
    default:
      return x > 0 ? x : 0;
  }
}

// What a network makes of now and of the steps before.
static double evaluate(const mjtNum* net, const mjtNum now[2], const mjtNum* before) {
  double a[PR_MAX_UNITS], b[PR_MAX_UNITS];
  double *from = a, *to = b;
  int back = net[PR_NET_BACK], inputs = net[PR_NET_INPUTS], layers = net[PR_NET_LAYERS];
  const mjtNum range[2] = {-net[PR_NET_LIMIT], net[PR_NET_LIMIT]};
  const mjtNum *sizes = net + PR_NET_HEAD, *input = sizes + layers, *w = input + 4 * inputs;
  for (int i = 0; i < inputs; i++, input += 4) {
    int quantity = input[0], ago = input[1];
    double value = ago ? before[quantity * back + ago - 1] : now[quantity];
    from[i] = clampTo((value - input[2]) * input[3], range);
  }
  for (int l = 0; l < layers; l++) {
    int outputs = sizes[l];
    memcpy(to, w + (size_t)inputs * outputs, outputs * sizeof(double));
    for (int i = 0; i < inputs; i++, w += outputs) {
      for (int o = 0; o < outputs; o++) {
        to[o] += from[i] * w[o];
      }
    }
    w += outputs;
    for (int o = 0; o < outputs && l < layers - 1; o++) {
      to[o] = activate(to[o], net[PR_NET_FUNCTION]);
    }
    double* swap = from;
    from = to, to = swap, inputs = outputs;
  }
  return clampTo(from[0], net + PR_NET_LOW);
}

mjtNum pr_motorHistory(const mjModel* m, const mjData* d, int id) {
  const mjtNum* net = networkOf(m, id);
  int first = m->actuator_actadr[id], n = m->actuator_actnum[id];
  if (!net) {
    if (n > 1) {
      mju_zero(d->act_dot + first, n);
    }
    return 0;
  }
  mjtNum now[2];
  readMotor(m, d, id, now);
  int back = net[PR_NET_BACK];
  for (int quantity = 0; quantity < 2; quantity++) {
    const mjtNum* was = d->act + first + quantity * back;
    for (int k = 0; k < back; k++) {
      mjtNum next = k ? was[k - 1] : now[quantity];
      d->act_dot[first + quantity * back + k] = (next - was[k]) / m->opt.timestep;
    }
  }
  return 0;
}

mjtNum pr_motorBias(const mjModel* m, const mjData* d, int id) {
  const mjtNum* p = m->actuator_biasprm + (size_t)id * mjNBIAS;
  if (p[mjNBIAS - 1] != PR_MOTOR) {
    return 0;
  }
  mjtNum now[2];
  readMotor(m, d, id, now);
  const mjtNum* net = networkOf(m, id);
  mjtNum torque = net ? evaluate(net, now, d->act + (m->actuator_actnum[id] ? m->actuator_actadr[id] : 0))
                      : p[0] * now[0] - p[1] * now[1];
  mjtNum speed = now[1];
  if (p[PR_REST] == 0) {
    return clampTo(torque, m->actuator_forcerange + 2 * id);
  }
  // the line from the torque at rest to the speed without load, and beyond it as far as the
  // limit of the torque lets it
  mjtNum limit = m->actuator_forcerange[2 * id + 1], rest = p[PR_REST], top = p[PR_TOP];
  mjtNum most = top * (1 + limit / rest);
  mjtNum relative = mju_max(-most, mju_min(most, speed)) / top;
  mjtNum range[2] = {mju_max(rest * (-1 - relative), -limit), mju_min(rest * (1 - relative), limit)};
  return clampTo(torque, range);
}

// Whether an actuator has one activation that is its target in time, and this is at rest.
static int idle(const mjModel* m, const mjData* d, int id) {
  int dynamics = m->actuator_dyntype[id];
  return m->actuator_actnum[id] == 1 && d->act[m->actuator_actadr[id]] == 0 &&
         (dynamics == mjDYN_INTEGRATOR || dynamics == mjDYN_FILTER || dynamics == mjDYN_FILTEREXACT);
}

// Let servos of positions hold what they act on where it is: delayed ones until a control arrives, and, if activations
// is set, those whose activation is 0 by this.
static void holdServos(const mjModel* m, mjData* d, int activations) {
  mj_fwdPosition(m, d);
  for (int i = 0; i < m->nactuator; i++) {
    const mjtNum *gain = m->actuator_gainprm + (size_t)i * mjNGAIN;
    const mjtNum *bias = m->actuator_biasprm + (size_t)i * mjNBIAS;
    int n = m->actuator_history[2 * i], control = m->actuator_ctrladr[i];
    int servo = bias[mjNBIAS - 1] == PR_MOTOR || (gain[0] != 0 && bias[1] == -gain[0]);
    if (m->actuator_ctrlnum[i] != 1 || !servo) {
      continue;
    }
    mjtNum values[PR_MAX_DELAY], length = d->actuator_length[m->actuator_outadr[i]];
    int integrates = m->actuator_dyntype[i] == mjDYN_INTEGRATOR;  // its control is a speed
    if (m->actuator_ctrllimited[control] && !integrates) {
      length = clampTo(length, m->actuator_ctrlrange + 2 * control);
    }
    if (activations && idle(m, d, i)) {
      d->act[m->actuator_actadr[i]] =
          m->actuator_actlimited[i] ? clampTo(length, m->actuator_actrange + 2 * i) : length;
    }
    if (m->actuator_delay[i] <= 0 || n > PR_MAX_DELAY || integrates) {
      continue;
    }
    for (int k = 0; k < n; k++) {
      values[k] = length;
    }
    mj_initCtrlHistory(m, d, i, /*times=*/NULL, values);
  }
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
  int parameter_size;
  int refresh;
  int hold;   // a Forward lets idle activations of servos hold their place
  int split;  // take the stages of mj_step one by one, see step
  int momentum, wrench;  // there are probes of these kinds
  pr_Probe* derived;
  int nderived;
  int derived_size;
  int rne;
  double* derived_rows;  // of a call's simulations
  pr_Overflow overflow;
  char (*messages)[PR_MESSAGE];  // one per simulation
};

// Make the batch of a stepper and its parameters.
static int makeBatch(pr_Stepper* s, const mjModel* m, int worlds, const pr_Parameter* list,
                     int nparameter, const double* low, const double* high, char* message) {
  PR_GUARD(message, 1);
  mjBatchConfig config;
  mjb_defaultConfig(&config);
  config.nthread = 1;     // the workers are the threads
  config.persistent = 0;  // one mjData: nothing may survive a call but the rows
  s->batch = mjb_makeBatch(m, worlds, &config, message, PR_MESSAGE);
  if (s->batch && nparameter) {
    pr_makeParameters(&s->parameters, s->batch, list, nparameter, low, high);
  }
  return !s->batch;
}

void* pr_copyOf(const void* from, int n, size_t size) {
  void* to = calloc(n + 1, size);
  if (to && n) {
    memcpy(to, from, n * size);
  }
  return to;
}

// Whether the engine need not compute what a probe reads.
static int ready(const pr_Probe* p) {
  return p->kind == PR_STATE || p->kind == PR_PARAMETER;
}

pr_Stepper* pr_makeStepper(const mjModel* m, int worlds, int hold, const pr_Probe* probes,
                           int nprobe, int refresh, const pr_Probe* derived, int nderived, int rne,
                           const pr_Parameter* parameters, int nparameter, const double* low,
                           const double* high, char* message) {
  pr_Stepper* s = calloc(1, sizeof *s);
  snprintf(message, PR_MESSAGE, "out of memory");
  if (!s) {
    return NULL;
  }
  s->hold = hold;
  s->nprobe = nprobe;
  s->refresh = refresh;
  s->nderived = nderived;
  s->rne = rne;
  for (int i = 0; i < nprobe; i++) {
    s->sample_size += probes[i].size;
    int sensor = probes[i].kind == PR_FIELD && probes[i].field == offsetof(mjData, sensordata);
    s->momentum |= probes[i].kind == PR_ANGULAR_MOMENTUM;
    s->wrench |= probes[i].kind == PR_WRENCH || probes[i].kind == PR_INCOMING_WRENCH;
    s->split |= s->wrench;  // it is computed from the velocity, which mj_step replaces
    s->split |= m->opt.integrator == mjINT_RK4 && !ready(probes + i) && !sensor;
  }
  for (int i = 0; i < nderived; i++) {
    s->derived_size += derived[i].size;
  }
  for (int i = 0; i < nparameter; i++) {
    s->parameter_size += parameters[i].size;
  }
  s->sims = calloc(worlds, sizeof *s->sims);
  s->probes = pr_copyOf(probes, nprobe, sizeof *probes);
  s->derived = pr_copyOf(derived, nderived, sizeof *derived);
  s->derived_rows = calloc((size_t)worlds * s->derived_size + 1, sizeof *s->derived_rows);
  s->messages = calloc(worlds, sizeof *s->messages);
  if (!s->sims || !s->probes || !s->derived || !s->derived_rows || !s->messages ||
      makeBatch(s, m, worlds, parameters, nparameter, low, high, message)) {
    pr_deleteStepper(s);
    return NULL;
  }
  s->rows = mjb_state(s->batch);
  s->nstate = mjb_nstate(s->batch);
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
  const double* parameters;
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

// Count the contacts between two sets of geoms, and add up the forces on the first. A
// contact within both sets counts once, and its forces cancel.
static void contactPair(const mjModel* m, const mjData* d, const uint8_t* sides, double* out) {
  mju_zero(out, 4);
  for (int i = 0; i < d->ncon; i++) {
    const mjContact* c = d->contact + i;
    if (c->geom[0] < 0 || c->geom[1] < 0 || c->efc_address < 0) {
      continue;
    }
    int a = sides[c->geom[0]], b = sides[c->geom[1]];
    int on = ((b & 1) && (a & 2)) - ((a & 1) && (b & 2));
    if (!on && !((a & 1) && (b & 2))) {
      continue;
    }
    out[0]++;
    if (on) {
      mjtNum along[6], world[3];
      mj_contactForce(m, d, i, along);
      mju_mulMatTVec3(world, c->frame, along);
      mju_addToScl3(out + 1, world, on);
    }
  }
}

// Whether a body is another one or hangs on it.
static int within(const mjModel* m, int body, int root) {
  while (body > root) {
    body = m->body_parentid[body];
  }
  return body == root;
}

// Whether a probe is about a geom.
static int counts(const mjModel* m, const pr_Probe* p, int geom) {
  return p->sides ? p->sides[geom] : within(m, m->geom_bodyid[geom], p->from);
}

// The size of the largest force of a contact between two geoms that a probe is about.
static double contactWithin(const mjModel* m, const mjData* d, const pr_Probe* p) {
  double largest = 0;
  for (int i = 0; i < d->ncon; i++) {
    const mjContact* c = d->contact + i;
    if (c->geom[0] < 0 || c->geom[1] < 0 || c->efc_address < 0 || !counts(m, p, c->geom[0]) ||
        !counts(m, p, c->geom[1])) {
      continue;
    }
    mjtNum along[6];
    mj_contactForce(m, d, i, along);
    largest = mju_max(largest, mju_norm3(along));
  }
  return largest;
}

// What the parent exerts on a body: the engine has it about the centre of mass of the
// tree, torque first.
static void parentWrench(const mjModel* m, const mjData* d, int body, double wrench[6]) {
  const mjtNum* internal = d->cfrc_int + 6 * body;
  mjtNum arm[3], moment[3];
  mju_sub3(arm, d->subtree_com + 3 * m->body_rootid[body], d->xpos + 3 * body);
  mju_cross(moment, arm, internal + 3);
  mju_copy3(wrench, internal + 3);
  mju_add3(wrench + 3, internal, moment);
}

// What a probe is: part of the state, what the engine computes from it, a force, or a parameter.
enum { STATE = 1, MOTION = 2, FORCE = 4, PARAMETER = 8 };

static int kindOf(const pr_Probe* p) {
  if (p->force) {
    return FORCE;
  }
  return p->kind == PR_PARAMETER ? PARAMETER : p->kind == PR_STATE ? STATE : MOTION;
}

// Copy those of n probes that are of some kinds from mjData, or a row of parameters, into a sample.
static void copyProbes(const pr_Probe* p, int n, const mjModel* m, const mjData* d,
                       const double* parameters, double* sample, int kinds) {
  for (const pr_Probe* end = p + n; p < end; p++) {
    if (!(kinds & kindOf(p))) {
      continue;
    }
    mjtNum velocity[6];  // angular, then linear
    mjtNum wrench[6];    // in world axes
    switch (p->kind) {
      case PR_STATE:
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
      case PR_CONTACT_PAIR:
        contactPair(m, d, p->sides, sample + p->to);
        break;
      case PR_CONTACT_WITHIN:
        sample[p->to] = contactWithin(m, d, p);
        break;
      case PR_ANGULAR_MOMENTUM:
        mju_copy3(sample + p->to, d->subtree_angmom + 3 * p->from);
        break;
      case PR_WRENCH:
        parentWrench(m, d, p->from, sample + p->to);
        break;
      case PR_INCOMING_WRENCH:
        parentWrench(m, d, p->from, wrench);
        mju_mulMatTVec3(sample + p->to, d->xmat + 9 * p->from, wrench);
        mju_mulMatTVec3(sample + p->to + 3, d->xmat + 9 * p->from, wrench + 3);
        break;
      case PR_PARAMETER:
        memcpy(sample + p->to, parameters + p->from, p->size * sizeof(double));
        break;
    }
  }
}

static void take(const Call* call, int sim, const mjModel* m, mjData* d, double* sample, int kinds) {
  const pr_Stepper* s = call->stepper;
  // what the engine computes for its own sensors only; its marks say so still
  if (s->momentum && kinds & MOTION) {
    mj_subtreeVel(m, d);
    d->flg_subtreevel = 0;
  }
  if (s->wrench && kinds & FORCE) {
    mj_rnePostConstraint(m, d);
    d->flg_rnepost = 0;
  }
  const double* parameters = call->parameters + (size_t)call->ids[sim] * s->parameter_size;
  copyProbes(s->probes, s->nprobe, m, d, parameters, sample, kinds);
}

static void derive(const pr_Stepper* s, const mjModel* m, const mjData* d, int sim) {
  copyProbes(s->derived, s->nderived, m, d, NULL, s->derived_rows + (size_t)sim * s->derived_size, MOTION);
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

// Forget earlier warnings. A bad number from outside must not reach the samples.
static int badInput(const Call* call, int sim, const mjModel* m, mjData* d) {
  memset(d->warning, 0, sizeof d->warning);
  return badState(call, sim, m, d, 0) || badNumber(call, sim, "ctrl", d->ctrl, m->nu, 0);
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

// Forget that the kinetic energy of the state before is known: the engine forgets it after its sensor has read it,
// which is of the stage of positions.
static void forgetEnergy(mjData* d) {
  d->flg_energyvel = 0;
}

// Bring the Motion values up to date with the state. LIGHT is enough for the
// probes that read body frames and body velocities only; model.go sorts them.
static void refresh(const pr_Stepper* s, const mjModel* m, mjData* d) {
  forgetEnergy(d);
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

// Integrate what mj_forward has computed, as mj_step does.
static void integrate(const mjModel* m, mjData* d) {
  switch (m->opt.integrator) {
    case mjINT_EULER:
      mj_Euler(m, d);
      break;
    case mjINT_RK4:
      mj_RungeKutta(m, d, 4);
      break;
    default:
      mj_implicit(m, d);
  }
}

// Take one substep and sample what was computed at its beginning. Return 1 at a fault.
static int step(const Call* call, const mjModel* m, mjData* d, int sim, int substep,
                double* sample) {
  pr_Stepper* s = call->stepper;
  forgetEnergy(d);
  if (s->split) {
    // integrating replaces what was computed by that of trial states, or the velocity alone
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
    take(call, sim, m, d, sample, MOTION | FORCE);
    integrate(m, d);
  } else {
    mj_step(m, d);
  }
  if (badWarning(call, sim, d, substep) || badState(call, sim, m, d, substep + 1)) {
    return 1;
  }
  if (!s->split) {
    take(call, sim, m, d, sample, MOTION | FORCE);
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
  if (n == 0 || badInput(call, sim, m, d)) {
    return;
  }

  // what mj_step leaves belongs to the state before it: the boundary's sample
  for (int32_t k = 0; k < n; k++, boundary++) {
    double* sample = sampleSlot(call, id, boundary);
    // the parameters of the first boundary are those that were in force until then: who has read them reads them again
    take(call, sim, m, d, sample, k ? STATE | PARAMETER : STATE);
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
  derive(s, m, d, sim);
  double* sample = sampleSlot(call, id, boundary);
  take(call, sim, m, d, sample, STATE | PARAMETER);
  refresh(s, m, d);
  take(call, sim, m, d, sample, MOTION);
}

// mjb_apply function: every stage at the state of one world.
static void forward(const mjModel* m, mjData* d, int sim, void* arg) {
  const Call* call = arg;
  pr_Stepper* s = call->stepper;
  double* sample = sampleSlot(call, call->ids[sim], 0);
  if (badInput(call, sim, m, d)) {
    return;
  }
  if (m->nhistory || (s->hold && m->na)) {
    holdServos(m, d, s->hold);
  }
  if (s->rne) {
    // what the simulation before left; mj_forward computes them for sensors only
    mju_zero(d->cacc, 6 * m->nbody);
    mju_zero(d->cfrc_int, 6 * m->nbody);
    mju_zero(d->cfrc_ext, 6 * m->nbody);
  }
  forgetEnergy(d);
  mj_forward(m, d);
  countOverflow(s, d);
  if (badNumber(call, sim, "qacc", d->qacc, m->nv, 0)) {
    return;
  }
  mj_getState(m, d, s->rows + (size_t)sim * s->nstate, mjSTATE_INTEGRATION);
  derive(s, m, d, sim);
  take(call, sim, m, d, sample, STATE | PARAMETER | MOTION | FORCE);
}

// Rows in, mjb_apply, rows out where it went well. The functions save the rows themselves, so
// mjb_apply does not.
int pr_call(pr_Stepper* s, double* state, double* samples, int slots, double* derived,
            const double* parameters, double* known, double* constants, uint8_t* valid,
            int64_t* boundary, uint8_t* fault, const int32_t* ids, const int32_t* n, int count) {
  Call call = {.stepper = s,
               .parameters = parameters,
               .samples = samples,
               .slots = slots,
               .boundary = boundary,
               .fault = fault,
               .ids = ids,
               .n = n};
  size_t row = s->nstate * sizeof(double);
  for (int i = 0; i < count; i++) {
    memcpy(s->rows + (size_t)i * s->nstate, state + (size_t)ids[i] * s->nstate, row);
    fault[ids[i]] = PR_FAULT_NONE;
    s->messages[i][0] = '\0';
    s->sims[i] = i;
  }

  int nsim = count;
  if (s->parameters) {
    pr_WorldParameters own = {parameters, known, constants, valid};
    nsim = pr_loadParameters(s->parameters, &own, ids, count, s->sims, fault, s->messages);
  }
  if (nsim) {
    mjb_apply(s->batch, s->sims, nsim, n ? advance : forward, &call, /*save=*/0);
  }

  const int* status = mjb_status(s->batch);
  for (int k = 0; k < nsim; k++) {
    int i = s->sims[k];
    if (status[i]) {
      fault[ids[i]] = PR_FAULT_ENGINE;
      snprintf(s->messages[i], PR_MESSAGE, "%s", mjb_error(s->batch, i));
    }
  }
  int faults = 0;
  for (int i = 0; i < count; i++) {
    size_t id = ids[i];
    if (fault[id] != PR_FAULT_NONE) {
      faults++;
      continue;
    }
    memcpy(state + id * s->nstate, s->rows + (size_t)i * s->nstate, row);
    if (s->derived_size && (!n || n[i] > 0)) {
      memcpy(derived + id * s->derived_size, s->derived_rows + (size_t)i * s->derived_size,
             s->derived_size * sizeof(double));
    }
    boundary[id] = n ? boundary[id] + n[i] : 0;
  }
  return faults;
}

const char* pr_faultMessage(const pr_Stepper* s, int i) {
  return s->messages[i];
}
