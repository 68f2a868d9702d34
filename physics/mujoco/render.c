#define _GNU_SOURCE  // RTLD_DEFAULT
#include "render.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

//------------------------------ OpenGL -----------------------------------------------------------

// What is needed of EGL and OSMesa, whose headers are not: they are no part of the
// set-up, and these few names are fixed for good.
typedef void* EGLHandle;
enum {
  EGL_NONE = 0x3038,
  EGL_SURFACE_TYPE = 0x3033,
  EGL_PBUFFER_BIT = 0x0001,
  EGL_RENDERABLE_TYPE = 0x3040,
  EGL_OPENGL_BIT = 0x0008,
  EGL_OPENGL_API = 0x30A2,
  EGL_RED_SIZE = 0x3024,
  EGL_GREEN_SIZE = 0x3023,
  EGL_BLUE_SIZE = 0x3022,
  EGL_PLATFORM_SURFACELESS = 0x31DD,
  EGL_PLATFORM_DEVICE = 0x313F,
  OSMESA_RGBA = 0x1908,
  GL_UNSIGNED_BYTE = 0x1401,
};

static struct {
  int gl;  // PR_GL_AUTO until one is open
  // EGL
  EGLHandle display;
  EGLHandle config;
  void* (*address)(const char* name);
  unsigned (*initialize)(EGLHandle, int*, int*);
  unsigned (*chooseConfig)(EGLHandle, const int*, EGLHandle*, int, int*);
  EGLHandle (*createContext)(EGLHandle, EGLHandle, EGLHandle, const int*);
  unsigned (*destroyContext)(EGLHandle, EGLHandle);
  unsigned (*makeCurrent)(EGLHandle, EGLHandle, EGLHandle, EGLHandle);
  unsigned (*bindAPI)(unsigned);
  // OSMesa
  void* (*createOSMesa)(unsigned, int, int, int, void*);
  void (*destroyOSMesa)(void*);
  unsigned char (*makeOSMesaCurrent)(void*, void*, unsigned, int, int);
} gl;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

// A function of a library, and where its address is to stand.
typedef struct {
  const char* name;
  void* to;
} Function;

// Open the first of some libraries that exists, and find the functions. Its symbols become
// global: MuJoCo looks for its own OpenGL functions among them. Return 1 if all are there.
static int load(const char* const* names, const Function* functions) {
  void* library = NULL;
  for (; *names && !library; names++) {
    library = dlopen(*names, RTLD_NOW | RTLD_GLOBAL);
  }
  for (; library && functions->name; functions++) {
    void* at = dlsym(library, functions->name);
    memcpy(functions->to, &at, sizeof at);
    if (!at) {
      return 0;
    }
  }
  return library != NULL;
}

// Set the display and config of gl if this display can draw. Return 1 if so.
static int tryDisplay(EGLHandle display) {
  static const int wanted[] = {EGL_SURFACE_TYPE,    EGL_PBUFFER_BIT, EGL_RED_SIZE,  8,
                               EGL_GREEN_SIZE,      8,               EGL_BLUE_SIZE, 8,
                               EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT,  EGL_NONE};
  int found = 0;
  if (!display || !gl.initialize(display, NULL, NULL) || !gl.bindAPI(EGL_OPENGL_API) ||
      !gl.chooseConfig(display, wanted, &gl.config, 1, &found) || found < 1) {
    return 0;
  }
  EGLHandle context = gl.createContext(display, gl.config, NULL, NULL);
  if (!context) {
    return 0;
  }
  int works = gl.makeCurrent(display, NULL, NULL, context);
  if (works) {
    gl.makeCurrent(display, NULL, NULL, NULL);
    gl.display = display;
  }
  gl.destroyContext(display, context);
  return works;
}

// Open EGL without a surface: Mesa's platform for that, or the first device that
// works. Return 1 if it can draw.
static int openEGL(void) {
  static const char* const names[] = {"libEGL.so.1", "libEGL.so", NULL};
  static const Function functions[] = {
      {"eglGetProcAddress", &gl.address},       {"eglInitialize", &gl.initialize},
      {"eglChooseConfig", &gl.chooseConfig},    {"eglCreateContext", &gl.createContext},
      {"eglDestroyContext", &gl.destroyContext}, {"eglMakeCurrent", &gl.makeCurrent},
      {"eglBindAPI", &gl.bindAPI},              {NULL, NULL}};
  EGLHandle (*platformDisplay)(unsigned, void*, const int*);
  unsigned (*queryDevices)(int, void**, int*);
  if (!load(names, functions)) {
    return 0;
  }
  void* at = gl.address("eglGetPlatformDisplayEXT");
  memcpy(&platformDisplay, &at, sizeof at);
  if (!platformDisplay) {
    return 0;
  }
  if (tryDisplay(platformDisplay(EGL_PLATFORM_SURFACELESS, NULL, NULL))) {
    return 1;
  }
  at = gl.address("eglQueryDevicesEXT");
  memcpy(&queryDevices, &at, sizeof at);
  void* devices[16];
  int count = 0;
  if (!queryDevices || !queryDevices(16, devices, &count)) {
    return 0;
  }
  for (int i = 0; i < count; i++) {
    if (tryDisplay(platformDisplay(EGL_PLATFORM_DEVICE, devices[i], NULL))) {
      return 1;
    }
  }
  return 0;
}

// Open OSMesa. Return 1 if it is there.
static int openOSMesa(void) {
  static const char* const names[] = {"libOSMesa.so.8", "libOSMesa.so.6", "libOSMesa.so", NULL};
  static const Function functions[] = {{"OSMesaCreateContextExt", &gl.createOSMesa},
                                       {"OSMesaDestroyContext", &gl.destroyOSMesa},
                                       {"OSMesaMakeCurrent", &gl.makeOSMesaCurrent},
                                       {NULL, NULL}};
  return load(names, functions);
}

// Open OpenGL, once per process: MuJoCo keeps the functions that it finds first. The
// lock is held. Return 1 and write message on failure.
static int openGL(int wanted, char* message) {
  if (gl.gl != PR_GL_AUTO) {
    if (wanted != PR_GL_AUTO && wanted != gl.gl) {
      snprintf(message, PR_MESSAGE, "this process draws by %s already, want the same",
               gl.gl == PR_GL_EGL ? "egl" : "osmesa");
      return 1;
    }
    return 0;
  }
  if (wanted != PR_GL_OSMESA && openEGL()) {
    gl.gl = PR_GL_EGL;
  } else if (wanted != PR_GL_EGL && openOSMesa()) {
    gl.gl = PR_GL_OSMESA;
  }
  if (gl.gl == PR_GL_AUTO) {
    snprintf(message, PR_MESSAGE,
             wanted == PR_GL_EGL ? "cannot draw by EGL, want the packages libegl1 libegl-mesa0 "
                                   "libgl1-mesa-dri (Debian's names) or POLYRHYTHM_GL=osmesa"
             : wanted == PR_GL_OSMESA
                 ? "cannot draw by OSMesa, want the package libosmesa6 (Debian's name) or "
                   "POLYRHYTHM_GL=egl"
                 : "cannot draw: neither EGL nor OSMesa is there, want the packages libegl1 "
                   "libegl-mesa0 libgl1-mesa-dri, or libosmesa6 (Debian's names)");
    return 1;
  }
  return 0;
}

int pr_glInUse(void) {
  pthread_mutex_lock(&lock);
  int in_use = gl.gl;
  pthread_mutex_unlock(&lock);
  return in_use;
}

//------------------------------ Renderers --------------------------------------------------------

struct pr_Renderer_ {
  const mjModel* model;
  pr_View view;
  int robot;   // the robot's body that hangs from the world
  int moves;   // 1: it can move as a whole
  double home[3];    // the robot's centre of mass in the model's first pose
  double distance;   // of PR_CAMERA_TRACK
  void* context;     // of OpenGL
  uint8_t* pixels;   // what mjr_readPixels leaves: from the bottom, without alpha
  uint8_t* surface;  // OSMesa wants one, however small
  mjData* data;
  mjvScene scene;
  mjvOption option;
  mjvCamera camera;
  mjrContext mjr;
};

// Make the thread's OpenGL context. Return 1 if that fails.
static int makeContext(pr_Renderer* r) {
  if (gl.gl == PR_GL_OSMESA) {
    enum { SIDE = 16, DEPTH_BITS = 24 };
    r->surface = malloc(SIDE * SIDE * 4);
    r->context = gl.createOSMesa(OSMESA_RGBA, DEPTH_BITS, 8, 0, NULL);
    return !r->surface || !r->context ||
           !gl.makeOSMesaCurrent(r->context, r->surface, GL_UNSIGNED_BYTE, SIDE, SIDE);
  }
  gl.bindAPI(EGL_OPENGL_API);
  r->context = gl.createContext(gl.display, gl.config, NULL, NULL);
  return !r->context || !gl.makeCurrent(gl.display, NULL, NULL, r->context);
}

static void deleteContext(pr_Renderer* r) {
  if (r->context && gl.gl == PR_GL_OSMESA) {
    gl.makeOSMesaCurrent(NULL, NULL, 0, 0, 0);
    gl.destroyOSMesa(r->context);
  } else if (r->context) {
    gl.makeCurrent(gl.display, NULL, NULL, NULL);
    gl.destroyContext(gl.display, r->context);
  }
  free(r->surface);
}

// Return whether an actuator moves something in the tree of a body that hangs from the
// world: the joint, site or body that it acts on, or what its tendon passes.
static int drives(const mjModel* m, int actuator, int root) {
  int target = m->actuator_trnid[2 * actuator];
  switch (m->actuator_trntype[actuator]) {
    case mjTRN_JOINT:
    case mjTRN_JOINTINPARENT:
      return m->body_rootid[m->jnt_bodyid[target]] == root;
    case mjTRN_SLIDERCRANK:
    case mjTRN_SITE:
      return m->body_rootid[m->site_bodyid[target]] == root;
    case mjTRN_BODY:
      return m->body_rootid[target] == root;
    case mjTRN_TENDON:
      for (int i = 0; i < m->tendon_num[target]; i++) {
        int wrap = m->tendon_adr[target] + i, object = m->wrap_objid[wrap], body = 0;
        switch (m->wrap_type[wrap]) {
          case mjWRAP_JOINT:
            body = m->jnt_bodyid[object];
            break;
          case mjWRAP_SITE:
            body = m->site_bodyid[object];
            break;
          case mjWRAP_SPHERE:
          case mjWRAP_CYLINDER:
            body = m->geom_bodyid[object];
            break;
        }
        if (m->body_rootid[body] == root) {
          return 1;
        }
      }
  }
  return 0;
}

// Find the robot: of the bodies that hang from the world, the one whose tree has the
// most actuators and, of those, the most degrees of freedom, the first of equals.
static void findRobot(pr_Renderer* r) {
  const mjModel* m = r->model;
  int mostDriven = 0, most = 0;
  for (int body = 1; body < m->nbody; body++) {
    int driven = 0, dofs = 0;
    for (int i = body; m->body_parentid[body] == 0 && i < m->nbody; i++) {
      dofs += m->body_rootid[i] == body ? m->body_dofnum[i] : 0;
    }
    for (int i = 0; m->body_parentid[body] == 0 && i < m->nactuator; i++) {
      driven += drives(m, i, body);
    }
    if (r->robot == 0 || driven > mostDriven || (driven == mostDriven && dofs > most)) {
      r->robot = body;
      mostDriven = driven;
      most = dofs;
    }
  }
  for (int i = 0; r->robot && i < m->body_jntnum[r->robot]; i++) {
    int type = m->jnt_type[m->body_jntadr[r->robot] + i];
    r->moves |= type == mjJNT_FREE || type == mjJNT_SLIDE;
  }
}

// Choose how far away a camera is that shows the whole robot: the radius of a sphere
// around it, times a factor for the camera's angle of view.
static void chooseDistance(pr_Renderer* r) {
  const mjModel* m = r->model;
  double radius = 0;
  for (int i = 0; i < m->ngeom; i++) {
    if (r->robot && m->body_rootid[m->geom_bodyid[i]] == r->robot) {
      double far = mju_dist3(r->data->geom_xpos + 3 * i, r->home) + m->geom_rbound[i];
      radius = mju_max(radius, far);
    }
  }
  double half = mju_clip(m->vis.global.fovy, 10, 120) / 2 * mjPI / 180;
  r->distance = radius > 0 ? 1.15 * radius / mju_sin(half) : 1.5 * m->stat.extent;
}

// Show the geoms that MuJoCo's viewer shows, of groups 0 to 2 or, if the robot has none
// in them, all.
static void chooseGeoms(pr_Renderer* r) {
  const mjModel* m = r->model;
  mjv_defaultOption(&r->option);
  int shown = 0;
  for (int i = 0; i < m->ngeom; i++) {
    int group = mjMAX(0, mjMIN(mjNGROUP - 1, m->geom_group[i]));
    shown += m->body_weldid[m->geom_bodyid[i]] != 0 && r->option.geomgroup[group];
  }
  for (int i = 0; i < mjNGROUP && !shown; i++) {
    r->option.geomgroup[i] = 1;
  }
  // these read forces and sensors, which a pose does not have
  r->option.flags[mjVIS_RANGEFINDER] = r->option.flags[mjVIS_CONSTRAINT] = 0;
  r->option.flags[mjVIS_ACTUATOR] = r->option.flags[mjVIS_ACTIVATION] = 0;
}

static void choosePlace(pr_Renderer* r) {
  const pr_View* v = &r->view;
  mjv_defaultFreeCamera(r->model, &r->camera);
  r->camera.azimuth = v->azimuth;
  r->camera.elevation = v->elevation;
  if (v->camera >= 0) {
    r->camera.type = mjCAMERA_FIXED;
    r->camera.fixedcamid = v->camera;
    return;
  }
  if (v->camera == PR_CAMERA_TRACK) {
    r->camera.distance = r->distance;
  }
  if (v->distance > 0) {
    r->camera.distance = v->distance;
  }
}

// Give a context a sky, if its model has none: rows of colour from the zenith to below the horizon,
// as the six faces of a cube. The lock is held.
static void addSky(mjrContext* to) {
  enum { SIDE = 64 };
  static const double top[3] = {86, 132, 186}, middle[3] = {205, 222, 238}, low[3] = {132, 140, 150};
  static uint8_t sky[6 * SIDE * SIDE * 3];
  // the place of the sky in a model that has nothing else
  static int type[mjMAXTEXTURE], colorspace[mjMAXTEXTURE], height[mjMAXTEXTURE], width[mjMAXTEXTURE],
      nchannel[mjMAXTEXTURE];
  static mjtSize adr[mjMAXTEXTURE];
  int n = to->ntexture;
  for (int i = 0; i < n; i++) {
    if (to->textureType[i] == mjTEXTURE_SKYBOX) {
      return;
    }
  }
  if (n == mjMAXTEXTURE) {
    return;
  }
  for (int i = 0; i < 6 * SIDE * SIDE * 3; i++) {
    int face = i / (SIDE * SIDE * 3), row = i / (SIDE * 3) % SIDE;
    double x = face == 2 ? 0 : face == 3 ? 1 : (row + 0.5) / SIDE;  // 0 at the zenith
    sky[i] = (uint8_t)(0.5 + (x < 0.5 ? top[i % 3] + 2 * x * (middle[i % 3] - top[i % 3])
                                      : middle[i % 3] + (2 * x - 1) * (low[i % 3] - middle[i % 3])));
  }
  to->textureType[n] = type[n] = mjTEXTURE_SKYBOX;
  height[n] = 6 * SIDE;
  width[n] = SIDE;
  nchannel[n] = 3;
  to->ntexture++;
  to->mat_texid[mjNTEXROLE * (mjMAXMATERIAL - 1) + mjTEXROLE_RGB] = n;  // where MuJoCo looks for it
  mjModel only = {.ntex = n + 1, .ntexdata = sizeof sky, .tex_type = type, .tex_colorspace = colorspace,
                  .tex_height = height, .tex_width = width, .tex_nchannel = nchannel, .tex_adr = adr,
                  .tex_data = sky};
  mjr_uploadTexture(&only, to, n);
}

// Make the context of MuJoCo's renderer: the model with what the view changes of it.
// MuJoCo finds out where OpenGL is by an environment variable of its own, at the first
// context of a process. The lock is held.
static void makeRenderContext(pr_Renderer* r) {
  mjModel changed = *r->model;  // shallow
  changed.vis.global.offwidth = r->view.width;
  changed.vis.global.offheight = r->view.height;
  changed.vis.quality.offsamples = r->view.samples;
  changed.vis.quality.shadowsize = r->view.shadow_size;
  mjr_makeContext(&changed, &r->mjr, mjFONTSCALE_100);
  addSky(&r->mjr);
  mjr_setBuffer(mjFB_OFFSCREEN, &r->mjr);
  if (r->mjr.currentBuffer != mjFB_OFFSCREEN) {
    mju_error("OpenGL offers no picture of %d x %d pixels off screen", r->view.width,
              r->view.height);
  }
}

// Draw what mjData holds and leave it in pixels.
static void drawScene(pr_Renderer* r) {
  mj_fwdKinematics(r->model, r->data);
  mjv_updateScene(r->model, r->data, &r->option, NULL, &r->camera, mjCAT_ALL, &r->scene);
  mjrRect all = {0, 0, r->view.width, r->view.height};
  mjr_render(all, &r->scene, &r->mjr);
  mjr_readPixels(r->pixels, NULL, all, &r->mjr);
}

static int makeRenderer(pr_Renderer* r, char* message) {
  PR_GUARD(message, 1);
  r->data = mj_makeData(r->model);
  if (!r->data) {
    mju_error("out of memory");
  }
  if (r->model->nkey > 0) {
    mj_resetDataKeyframe(r->model, r->data, 0);
  }
  mj_kinematics(r->model, r->data);
  mj_comPos(r->model, r->data);
  findRobot(r);
  mju_copy3(r->home, r->data->subtree_com + 3 * r->robot);
  chooseDistance(r);
  chooseGeoms(r);
  choosePlace(r);
  const int maxgeom = 2 * r->model->ngeom + r->model->nsite + 1000;
  mjv_makeScene(r->model, &r->scene, maxgeom);
  r->scene.flags[mjRND_SHADOW] = r->view.shadow_size > 0;
  r->scene.flags[mjRND_REFLECTION] = r->view.reflections != 0;
  makeRenderContext(r);
  // the first picture of a context differs: those after it begin with the state of OpenGL
  // that the one before left behind
  drawScene(r);
  return 0;
}

// Make the renderer with the lock held and MuJoCo's variable set.
static int makeLocked(pr_Renderer* r, char* message) {
  if (openGL(r->view.gl, message)) {
    return 1;
  }
  if (makeContext(r)) {
    snprintf(message, PR_MESSAGE, "cannot draw: %s makes no OpenGL context",
             gl.gl == PR_GL_EGL ? "EGL" : "OSMesa");
    return 1;
  }
  const char* variable = "MUJOCO_GL";
  const char* now = getenv(variable);
  char* before = now ? strdup(now) : NULL;
  setenv(variable, gl.gl == PR_GL_EGL ? "egl" : "osmesa", 1);
  int failed = makeRenderer(r, message);
  if (before) {
    setenv(variable, before, 1);
  } else {
    unsetenv(variable);
  }
  free(before);
  return failed;
}

pr_Renderer* pr_makeRenderer(const mjModel* m, const pr_View* view, char* message) {
  message[0] = '\0';
  pr_Renderer* r = calloc(1, sizeof *r);
  uint8_t* pixels = malloc((size_t)view->width * view->height * 3);
  if (!r || !pixels) {
    snprintf(message, PR_MESSAGE, "out of memory");
    free(r);
    free(pixels);
    return NULL;
  }
  r->model = m;
  r->view = *view;
  r->pixels = pixels;
  mjv_defaultScene(&r->scene);
  mjr_defaultContext(&r->mjr);
  pthread_mutex_lock(&lock);
  int failed = makeLocked(r, message);
  pthread_mutex_unlock(&lock);
  if (failed) {
    pr_deleteRenderer(r);
    return NULL;
  }
  return r;
}

static void deleteGraphics(pr_Renderer* r) {
  char message[PR_MESSAGE];
  PR_GUARD(message, );
  if (r->context && r->mjr.glInitialized) {
    mjr_freeContext(&r->mjr);
  }
  mjv_freeScene(&r->scene);
}

void pr_deleteRenderer(pr_Renderer* r) {
  deleteGraphics(r);
  deleteContext(r);
  mj_deleteData(r->data);
  free(r->pixels);
  free(r);
}

// Set what the kinematics depend on.
static void setPose(pr_Renderer* r, const double* pose) {
  const mjModel* m = r->model;
  mjData* d = r->data;
  mju_copy(d->qpos, pose, m->nq);
  mju_copy(d->mocap_pos, pose + m->nq, 3 * m->nmocap);
  mju_copy(d->mocap_quat, pose + m->nq + 3 * m->nmocap, 4 * m->nmocap);
}

int pr_focus(pr_Renderer* r, const double* pose, double* at, char* message) {
  PR_GUARD(message, 1);
  mju_copy3(at, r->home);
  if (r->moves) {
    setPose(r, pose);
    mj_kinematics(r->model, r->data);
    mj_comPos(r->model, r->data);
    mju_copy3(at, r->data->subtree_com + 3 * r->robot);
  }
  return 0;
}

int pr_render(pr_Renderer* r, const double* pose, const double* at, uint8_t* rgba, char* message) {
  PR_GUARD(message, 1);
  int width = r->view.width, height = r->view.height;
  setPose(r, pose);
  if (r->view.camera == PR_CAMERA_TRACK) {
    mju_copy3(r->camera.lookat, at);
  }
  drawScene(r);
  uint8_t* to = rgba;
  for (int y = 0; y < height; y++) {
    const uint8_t* from = r->pixels + (size_t)(height - 1 - y) * width * 3;
    for (int x = 0; x < width; x++, from += 3, to += 4) {
      memcpy(to, from, 3);
      to[3] = 255;
    }
  }
  return 0;
}
