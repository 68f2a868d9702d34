#include "scene.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Arguments and results of the function that runs guarded; each uses some.
typedef struct {
  mjSpec* spec;
  mjSpec* child;
  mjVFS* vfs;
  const pr_File* files;
  int nfile;
  const char* path;
  const char* prefix;
  const double* pos;
  const double* quat;
  const pr_Actuator* actuator;
  mjsElement* element;
  mjsBody* body;
  const char* name;
  const char* material;
  const char* texture;
  mjModel* model;
  char* message;
  int failed;
} Step;

// Run one step guarded. What the engine says of a failure stands in message.
static int run(void (*step)(void*), Step* s) {
  s->message[0] = '\0';
  return pr_guard(step, s, s->message) || s->failed;
}

// Note that a step failed; why is NULL where the spec holds the reason.
static void fail(Step* s, const char* why) {
  s->failed = 1;
  if (!why) {
    why = mjs_getError(s->spec);
  }
  snprintf(s->message, PR_MESSAGE, "%s", why && why[0] ? why : "the reason is unknown");
}

//------------------------------ Files ------------------------------------------------------------

static void addFiles(void* arg) {
  Step* s = arg;
  for (const pr_File* f = s->files; f < s->files + s->nfile; f++) {
    if (mj_addBufferVFS(s->vfs, f->name, f->data, f->size)) {
      mju_error("could not take the file %s into memory", f->name);
    }
  }
}

mjVFS* pr_makeVFS(const pr_File* files, int nfile, char* message) {
  mjVFS* vfs = calloc(1, sizeof *vfs);
  if (!vfs) {
    snprintf(message, PR_MESSAGE, "out of memory");
    return NULL;
  }
  mj_defaultVFS(vfs);
  Step s = {.files = files, .nfile = nfile, .vfs = vfs, .message = message};
  pr_installLogHandler();
  if (run(addFiles, &s)) {
    pr_deleteVFS(vfs);
    return NULL;
  }
  return vfs;
}

void pr_deleteVFS(mjVFS* vfs) {
  if (vfs) {
    mj_deleteVFS(vfs);
    free(vfs);
  }
}

static void parseSpec(void* arg) {
  Step* s = arg;
  s->spec = mj_parseXML(s->path, s->vfs, s->message, PR_MESSAGE);
}

mjSpec* pr_parseSpec(const char* path, const mjVFS* vfs, char* message) {
  Step s = {.path = path, .vfs = (mjVFS*)vfs, .message = message};
  pr_installLogHandler();
  return run(parseSpec, &s) ? NULL : s.spec;
}

static void attach(void* arg) {
  Step* s = arg;
  mjs_setDeepCopy(s->spec, 1);
  mjsFrame* frame = mjs_addFrame(mjs_findBody(s->spec, "world"), NULL);
  memcpy(frame->pos, s->pos, sizeof frame->pos);
  memcpy(frame->quat, s->quat, sizeof frame->quat);
  if (!mjs_attach(frame->element, s->child->element, s->prefix, "")) {
    fail(s, NULL);
  }
}

int pr_attach(mjSpec* parent, mjSpec* child, const char* prefix, const double pos[3],
              const double quat[4], char* message) {
  Step s = {.spec = parent,
            .child = child,
            .prefix = prefix,
            .pos = pos,
            .quat = quat,
            .message = message};
  return run(attach, &s);
}

//------------------------------ Actuators --------------------------------------------------------

static void setRange(double range[2], mjtLimited* limited, const double wanted[2]) {
  *limited = wanted[0] < wanted[1] ? mjLIMITED_TRUE : mjLIMITED_FALSE;
  range[0] = wanted[0];
  range[1] = wanted[1];
}

static void addActuator(void* arg) {
  Step* s = arg;
  const pr_Actuator* a = s->actuator;
  mjsActuator* made = mjs_addActuator(s->spec, NULL);
  made->trntype = mjTRN_JOINT;
  mjs_setString(made->target, a->joint);
  setRange(made->ctrlrange, &made->ctrllimited, a->limits);
  setRange(made->forcerange, &made->forcelimited, a->force);

  const char* wrong = NULL;
  double kd = a->kd;
  switch (a->kind) {
    case PR_SERVO_POSITION:
      if (a->inherit) {
        made->ctrllimited = mjLIMITED_AUTO;
      }
      wrong = mjs_setToPosition(made, a->kp, &kd, NULL, NULL, a->inherit ? 1 : 0);
      break;
    case PR_SERVO_VELOCITY:
      wrong = mjs_setToVelocity(made, kd);
      break;
    case PR_SERVO_EFFORT:
      wrong = mjs_setToMotor(made);
      break;
  }
  if ((wrong && wrong[0]) || mjs_setName(made->element, a->name)) {
    fail(s, wrong && wrong[0] ? wrong : NULL);
  }
}

int pr_addActuator(mjSpec* spec, const pr_Actuator* a, char* message) {
  Step s = {.spec = spec, .actuator = a, .message = message};
  return run(addActuator, &s);
}

static void addFreeJoint(void* arg) {
  Step* s = arg;
  if (!mjs_addFreeJoint(s->body)) {
    fail(s, "the body takes no free joint");
  }
}

int pr_addFreeJoint(mjsBody* body, char* message) {
  Step s = {.body = body, .message = message};
  return run(addFreeJoint, &s);
}

static void deleteElement(void* arg) {
  Step* s = arg;
  if (mjs_delete(s->spec, s->element)) {
    fail(s, NULL);
  }
}

int pr_deleteElement(mjSpec* spec, mjsElement* e, char* message) {
  Step s = {.spec = spec, .element = e, .message = message};
  return run(deleteElement, &s);
}

//------------------------------ Floor and light --------------------------------------------------

static void setColor(double dst[3], double r, double g, double b) {
  dst[0] = r;
  dst[1] = g;
  dst[2] = b;
}

static void setShade(float dst[3], float shade) {
  dst[0] = dst[1] = dst[2] = shade;
}

static void addFloor(void* arg) {
  Step* s = arg;
  mjsTexture* texture = mjs_addTexture(s->spec, NULL);
  texture->type = mjTEXTURE_2D;
  texture->builtin = mjBUILTIN_CHECKER;
  texture->mark = mjMARK_EDGE;
  texture->width = texture->height = 300;
  setColor(texture->rgb1, 0.22, 0.30, 0.38);
  setColor(texture->rgb2, 0.16, 0.23, 0.30);
  setColor(texture->markrgb, 0.55, 0.60, 0.65);

  mjsMaterial* material = mjs_addMaterial(s->spec, NULL);
  mjs_setInStringVec(material->textures, mjTEXROLE_RGB, s->texture);
  material->texuniform = 1;
  material->texrepeat[0] = material->texrepeat[1] = 1;  // a pair of squares is 2 m wide
  material->reflectance = 0.1f;

  mjsGeom* floor = mjs_addGeom(mjs_findBody(s->spec, "world"), NULL);
  floor->type = mjGEOM_PLANE;
  floor->size[0] = floor->size[1] = 0;  // without end
  floor->size[2] = 0.05;                // distance of the grid lines
  floor->contype = floor->conaffinity = INT_MAX;
  mjs_setString(floor->material, s->material);

  if (mjs_setName(texture->element, s->texture) || mjs_setName(material->element, s->material) ||
      mjs_setName(floor->element, s->name)) {
    fail(s, NULL);
  }
}

int pr_addFloor(mjSpec* spec, const char* geom, const char* material, const char* texture,
                char* message) {
  Step s = {.spec = spec, .name = geom, .material = material, .texture = texture, .message = message};
  return run(addFloor, &s);
}

static void addLight(void* arg) {
  Step* s = arg;
  mjsLight* light = mjs_addLight(s->body ? s->body : mjs_findBody(s->spec, "world"), NULL);
  light->type = mjLIGHT_SPOT;  // the shadows of a directional light flicker on an endless floor
  light->cutoff = 55;
  light->exponent = 2;
  light->mode = s->body ? mjCAMLIGHT_TRACKCOM : mjCAMLIGHT_FIXED;
  light->pos[0] = -1;
  light->pos[1] = -1;
  light->pos[2] = 4;
  light->dir[0] = 0.25;
  light->dir[1] = 0.25;
  light->dir[2] = -1;
  setShade(light->diffuse, 0.7f);
  setShade(light->specular, 0.2f);

  if (!s->spec->authored.visual_headlight) {
    setShade(s->spec->visual.headlight.ambient, 0.3f);
    setShade(s->spec->visual.headlight.diffuse, 0.4f);
    setShade(s->spec->visual.headlight.specular, 0);
  }
  if (!s->spec->authored.visual_rgba) {
    float* haze = s->spec->visual.rgba.haze;
    haze[0] = 0.75f;
    haze[1] = 0.82f;
    haze[2] = 0.90f;
    haze[3] = 1;
  }
  if (mjs_setName(light->element, s->name)) {
    fail(s, NULL);
  }
}

int pr_addLight(mjSpec* spec, mjsBody* body, const char* name, char* message) {
  Step s = {.spec = spec, .body = body, .name = name, .message = message};
  return run(addLight, &s);
}

static void addSky(void* arg) {
  Step* s = arg;
  mjsTexture* sky = mjs_addTexture(s->spec, NULL);
  sky->type = mjTEXTURE_SKYBOX;
  sky->builtin = mjBUILTIN_GRADIENT;
  sky->width = 256;
  sky->height = 6 * 256;
  setColor(sky->rgb1, 0.45, 0.62, 0.82);
  setColor(sky->rgb2, 0.90, 0.93, 0.97);
  if (mjs_setName(sky->element, s->name)) {
    fail(s, NULL);
  }
}

int pr_addSky(mjSpec* spec, const char* name, char* message) {
  Step s = {.spec = spec, .name = name, .message = message};
  return run(addSky, &s);
}

//------------------------------ Compiling --------------------------------------------------------

static void compileSpec(void* arg) {
  Step* s = arg;
  s->model = mj_compile(s->spec, s->vfs);
  if (!s->model) {
    fail(s, NULL);
    return;
  }
  int used = 0;
  for (int i = 0; i < mjs_numWarnings(s->spec) && used < PR_MESSAGE; i++) {
    used += snprintf(s->message + used, PR_MESSAGE - used, "%s\n", mjs_getWarning(s->spec, i));
  }
}

mjModel* pr_compileSpec(mjSpec* spec, const mjVFS* vfs, double timestep, char* message) {
  Step s = {.spec = spec, .vfs = (mjVFS*)vfs, .message = message};
  if (run(compileSpec, &s)) {
    return NULL;
  }
  mjModel* m = s.model;
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
