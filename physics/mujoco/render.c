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

// Open the first of some libraries that exists. Its symbols become global: MuJoCo looks
// for its own OpenGL functions among them.
static void* openLibrary(const char* const* names) {
  void* library = NULL;
  for (; *names && !library; names++) {
    library = dlopen(*names, RTLD_NOW | RTLD_GLOBAL);
  }
  return library;
}

// Set *function to the function of that name. Return 0 if there is none.
static int find(void* library, const char* name, void* function) {
  void* at = dlsym(library, name);
  memcpy(function, &at, sizeof at);
  return at != NULL;
}

// Set the display and config of gl if this display can draw. Return 1 if so.
static int tryDisplay(void* egl, EGLHandle display) {
  static const int wanted[] = {EGL_SURFACE_TYPE,    EGL_PBUFFER_BIT, EGL_RED_SIZE,  8,
                               EGL_GREEN_SIZE,      8,               EGL_BLUE_SIZE, 8,
                               EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT,  EGL_NONE};
  unsigned (*initialize)(EGLHandle, int*, int*);
  unsigned (*chooseConfig)(EGLHandle, const int*, EGLHandle*, int, int*);
  int found = 0;
  if (!display || !find(egl, "eglInitialize", &initialize) ||
      !find(egl, "eglChooseConfig", &chooseConfig) || !initialize(display, NULL, NULL) ||
      !gl.bindAPI(EGL_OPENGL_API) ||
      !chooseConfig(display, wanted, &gl.config, 1, &found) || found < 1) {
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
  void* egl = openLibrary(names);
  EGLHandle (*platformDisplay)(unsigned, void*, const int*);
  unsigned (*queryDevices)(int, void**, int*);
  if (!egl || !find(egl, "eglGetProcAddress", &gl.address) ||
      !find(egl, "eglCreateContext", &gl.createContext) ||
      !find(egl, "eglDestroyContext", &gl.destroyContext) ||
      !find(egl, "eglMakeCurrent", &gl.makeCurrent) || !find(egl, "eglBindAPI", &gl.bindAPI)) {
    return 0;
  }
  void* at = gl.address("eglGetPlatformDisplayEXT");
  memcpy(&platformDisplay, &at, sizeof at);
  if (!platformDisplay) {
    return 0;
  }
  if (tryDisplay(egl, platformDisplay(EGL_PLATFORM_SURFACELESS, NULL, NULL))) {
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
    if (tryDisplay(egl, platformDisplay(EGL_PLATFORM_DEVICE, devices[i], NULL))) {
      return 1;
    }
  }
  return 0;
}

// Open OSMesa. Return 1 if it is there.
static int openOSMesa(void) {
  static const char* const names[] = {"libOSMesa.so.8", "libOSMesa.so.6", "libOSMesa.so", NULL};
  void* mesa = openLibrary(names);
  return mesa && find(mesa, "OSMesaCreateContextExt", &gl.createOSMesa) &&
         find(mesa, "OSMesaDestroyContext", &gl.destroyOSMesa) &&
         find(mesa, "OSMesaMakeCurrent", &gl.makeOSMesaCurrent);
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

// The arrays of a model's textures, one longer.
typedef struct {
  int* type;
  int* colorspace;
  int* height;
  int* width;
  int* channels;
  mjtSize* address;
  mjtByte* data;
} Textures;

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
  Textures textures; // while the context is made
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

// Find the robot: of the bodies that hang from the world, the one whose tree has the
// most degrees of freedom, the first of equals.
static void findRobot(pr_Renderer* r) {
  const mjModel* m = r->model;
  int most = 0;
  for (int body = 1; body < m->nbody; body++) {
    int dofs = 0;
    for (int i = body; m->body_parentid[body] == 0 && i < m->nbody; i++) {
      dofs += m->body_rootid[i] == body ? m->body_dofnum[i] : 0;
    }
    if (dofs > most || r->robot == 0) {
      r->robot = body;
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

// A sky for models that have none: rows of colour from the zenith to below the horizon,
// as the six faces of a cube.
enum { SKY = 64 };
static uint8_t sky[6 * SKY * SKY * 3];

static void paintSky(void) {
  static const double top[3] = {86, 132, 186}, middle[3] = {205, 222, 238}, low[3] = {132, 140, 150};
  for (int face = 0; face < 6; face++) {
    for (int row = 0; row < SKY; row++) {
      double x = face == 2 ? 0 : face == 3 ? 1 : (row + 0.5) / SKY;  // 0 at the zenith
      for (int i = 0; i < SKY * 3; i++) {
        double at = x < 0.5 ? top[i % 3] + 2 * x * (middle[i % 3] - top[i % 3])
                            : middle[i % 3] + (2 * x - 1) * (low[i % 3] - middle[i % 3]);
        sky[(face * SKY + row) * SKY * 3 + i] = (uint8_t)(at + 0.5);
      }
    }
  }
}

static void freeTextures(Textures* t) {
  free(t->type);
  free(t->colorspace);
  free(t->height);
  free(t->width);
  free(t->channels);
  free(t->address);
  free(t->data);
  *t = (Textures){0};
}

// Return a copy of size bytes with room for more behind them.
static void* longer(const void* from, size_t size, size_t more) {
  char* to = calloc(1, size + more);
  if (to && size) {
    memcpy(to, from, size);
  }
  return to;
}

// Give the model a sky, if it has none. to is a shallow copy of it and is changed;
// freeTextures frees t. Return 1 if memory is short.
static int addSky(mjModel* to, Textures* t) {
  size_t n = to->ntex, bytes = to->ntexdata;
  for (size_t i = 0; i < n; i++) {
    if (to->tex_type[i] == mjTEXTURE_SKYBOX) {
      return 0;
    }
  }
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, paintSky);
  t->type = longer(to->tex_type, n * sizeof *t->type, sizeof *t->type);
  t->colorspace = longer(to->tex_colorspace, n * sizeof *t->colorspace, sizeof *t->colorspace);
  t->height = longer(to->tex_height, n * sizeof *t->height, sizeof *t->height);
  t->width = longer(to->tex_width, n * sizeof *t->width, sizeof *t->width);
  t->channels = longer(to->tex_nchannel, n * sizeof *t->channels, sizeof *t->channels);
  t->address = longer(to->tex_adr, n * sizeof *t->address, sizeof *t->address);
  t->data = longer(to->tex_data, bytes, sizeof sky);
  if (!t->type || !t->colorspace || !t->height || !t->width || !t->channels || !t->address ||
      !t->data) {
    return 1;
  }
  t->type[n] = mjTEXTURE_SKYBOX;
  t->height[n] = 6 * SKY;
  t->width[n] = SKY;
  t->channels[n] = 3;
  t->address[n] = bytes;
  memcpy(t->data + bytes, sky, sizeof sky);
  to->ntex++;
  to->ntexdata += sizeof sky;
  to->tex_type = t->type;
  to->tex_colorspace = t->colorspace;
  to->tex_height = t->height;
  to->tex_width = t->width;
  to->tex_nchannel = t->channels;
  to->tex_adr = t->address;
  to->tex_data = t->data;
  return 0;
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
  if (addSky(&changed, &r->textures)) {
    mju_error("out of memory");
  }
  mjr_makeContext(&changed, &r->mjr, mjFONTSCALE_100);
  freeTextures(&r->textures);
  mjr_setBuffer(mjFB_OFFSCREEN, &r->mjr);
  if (r->mjr.currentBuffer != mjFB_OFFSCREEN) {
    mju_error("OpenGL offers no picture of %d x %d pixels off screen", r->view.width,
              r->view.height);
  }
}

static void drawScene(pr_Renderer* r);

static void makeRenderer(void* arg) {
  pr_Renderer* r = arg;
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
  int failed = pr_guard(makeRenderer, r, message);
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

static void deleteRenderer(void* arg) {
  pr_Renderer* r = arg;
  mjr_freeContext(&r->mjr);
  mjv_freeScene(&r->scene);
}

void pr_deleteRenderer(pr_Renderer* r) {
  char message[PR_MESSAGE];
  if (r->context && r->mjr.glInitialized) {
    pr_guard(deleteRenderer, r, message);
  } else {
    mjv_freeScene(&r->scene);
  }
  deleteContext(r);
  freeTextures(&r->textures);  // if an error came before
  mj_deleteData(r->data);
  free(r->pixels);
  free(r);
}

typedef struct {
  pr_Renderer* renderer;
  const double* pose;
  const double* at;
  double* focus;
  uint8_t* rgba;
} Draw;

// Set what the kinematics depend on.
static void setPose(pr_Renderer* r, const double* pose) {
  const mjModel* m = r->model;
  mjData* d = r->data;
  mju_copy(d->qpos, pose, m->nq);
  mju_copy(d->mocap_pos, pose + m->nq, 3 * m->nmocap);
  mju_copy(d->mocap_quat, pose + m->nq + 3 * m->nmocap, 4 * m->nmocap);
}

static void focus(void* arg) {
  Draw* draw = arg;
  pr_Renderer* r = draw->renderer;
  const double* at = r->home;
  if (r->moves) {
    setPose(r, draw->pose);
    mj_kinematics(r->model, r->data);
    mj_comPos(r->model, r->data);
    at = r->data->subtree_com + 3 * r->robot;
  }
  mju_copy3(draw->focus, at);
}

int pr_focus(pr_Renderer* r, const double* pose, double* at, char* message) {
  Draw draw = {.renderer = r, .pose = pose, .focus = at};
  return pr_guard(focus, &draw, message);
}

// Draw what mjData holds and leave it in pixels.
static void drawScene(pr_Renderer* r) {
  mj_fwdKinematics(r->model, r->data);
  mjv_updateScene(r->model, r->data, &r->option, NULL, &r->camera, mjCAT_ALL, &r->scene);
  mjrRect all = {0, 0, r->view.width, r->view.height};
  mjr_render(all, &r->scene, &r->mjr);
  mjr_readPixels(r->pixels, NULL, all, &r->mjr);
}

static void render(void* arg) {
  Draw* draw = arg;
  pr_Renderer* r = draw->renderer;
  int width = r->view.width, height = r->view.height;
  setPose(r, draw->pose);
  if (r->view.camera == PR_CAMERA_TRACK) {
    mju_copy3(r->camera.lookat, draw->at);
  }
  drawScene(r);
  for (int y = 0; y < height; y++) {
    const uint8_t* from = r->pixels + (size_t)(height - 1 - y) * width * 3;
    uint8_t* to = draw->rgba + (size_t)y * width * 4;
    for (int x = 0; x < width; x++, from += 3, to += 4) {
      to[0] = from[0];
      to[1] = from[1];
      to[2] = from[2];
      to[3] = 255;
    }
  }
}

int pr_render(pr_Renderer* r, const double* pose, const double* at, uint8_t* rgba, char* message) {
  Draw draw = {.renderer = r, .pose = pose, .at = at, .rgba = rgba};
  return pr_guard(render, &draw, message);
}
