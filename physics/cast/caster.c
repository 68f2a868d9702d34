#define _GNU_SOURCE  // M_PI

#include "caster.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int outOfMemory(char* message) {
  snprintf(message, PR_CAST_MESSAGE, "out of memory");
  return 1;
}

// Return 1 and write message if Embree has failed since the last question of this thread, in making a device if there is
// none.
static int failed(const pr_Embree* e, pr_EmbreeObject device, char* message) {
  static const char* const names[] = {
      "", "an unknown error", "an invalid argument", "an invalid operation", "no memory", "too old a processor",
  };
  const int code = e->deviceError(device);
  if (code) {
    snprintf(message, PR_CAST_MESSAGE, "Embree reports %s", names[code > 0 && code < 6 ? code : 1]);
  }
  return code != 0;
}

static void* room(int64_t n, size_t size) { return calloc(n > 0 ? (size_t)n : 1, size); }

// Return a device, which rtcReleaseDevice frees, or NULL with the reason in message.
static pr_EmbreeObject makeDevice(const pr_Embree* e, char* message) {
  pr_EmbreeObject device = e->newDevice("threads=1,ignore_config_files=1");
  if (!device && !failed(e, NULL, message)) {
    snprintf(message, PR_CAST_MESSAGE, "Embree cannot be used here");
  }
  return device;
}

static int allocate(pr_Caster* c, const pr_Seen* shapes, int n, int meshes) {
  c->shapes = room(n, sizeof *c->shapes);
  c->frames = room(n, sizeof *c->frames);
  c->planes = room(n, sizeof *c->planes);
  c->moving = room(n, sizeof *c->moving);
  c->still = room(n, sizeof *c->still);
  c->windows = room(n, sizeof *c->windows);
  c->row = room(n, sizeof *c->row);
  c->instances = room(n, sizeof *c->instances);
  c->instanced = room(n, sizeof *c->instanced);
  c->meshes = room(meshes, sizeof *c->meshes);
  c->bending = room(meshes, sizeof *c->bending);
  if (!c->shapes || !c->frames || !c->planes || !c->moving || !c->still || !c->windows || !c->row || !c->instances ||
      !c->instanced || !c->meshes || !c->bending) {
    return 1;
  }
  memcpy(c->shapes, shapes, n * sizeof *shapes);
  c->nshape = n;
  for (int i = 0; i < n; i++) {
    c->shines |= shapes[i].specular > 0;
  }
  return 0;
}

pr_Caster* pr_makeCaster(const pr_Lighting* lighting, const pr_Seen* shapes, int n, int meshes,
                         const pr_Textures* textures, char* message) {
  const pr_Embree* embree = pr_openEmbree(message, PR_CAST_MESSAGE);
  pr_Caster* c = embree ? calloc(1, sizeof *c) : NULL;
  if (!c) {
    if (embree) {
      outOfMemory(message);
    }
    return NULL;
  }
  c->embree = embree;
  c->lighting = *lighting;
  c->textures = textures;
  c->device = makeDevice(embree, message);
  if (c->device && !allocate(c, shapes, n, meshes)) {
    return c;
  }
  if (c->device) {
    outOfMemory(message);
  }
  pr_deleteCaster(c);
  return NULL;
}

void pr_deleteCaster(pr_Caster* c) {
  const pr_Embree* e = c->embree;
  for (int i = 0; i < c->nshape; i++) {
    if (c->instances[i]) {
      e->releaseGeometry(c->instances[i]);
    }
  }
  if (c->moving_geometry) {
    e->releaseGeometry(c->moving_geometry);
  }
  pr_EmbreeObject const scenes[] = {c->scene, c->moving_scene, c->still_scene};
  for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
    if (scenes[i]) {
      e->releaseScene(scenes[i]);
    }
  }
  for (int i = 0; i < c->nbending; i++) {
    pr_deleteMesh(c->bending[i]);
  }
  if (c->device) {
    e->releaseDevice(c->device);
  }
  void* const memory[] = {c->shapes, c->frames,    c->planes,    c->moving, c->still,  c->windows,
                          c->row,    c->instances, c->instanced, c->meshes, c->bending};
  for (size_t i = 0; i < sizeof memory / sizeof *memory; i++) {
    free(memory[i]);
  }
  free(c);
}

static void* copyOf(const void* from, int64_t n, size_t size) {
  void* copy = calloc(n > 0 ? n : 1, size);
  if (copy && n > 0) {
    memcpy(copy, from, n * size);
  }
  return copy;
}

// Copy what Embree does not have of a mesh. Return 1 if there is no memory.
static int copyMesh(const pr_Surface* s, pr_Mesh* m) {
  m->smooth = s->smooth;
  m->nvertex = s->nvertex;
  m->nface = s->nface;
  m->nnormal = s->smooth ? s->nvertex : s->nnormal;
  m->normals = s->smooth ? room(3 * s->nvertex, sizeof *m->normals)
                         : copyOf(s->normals, 3 * s->nnormal, sizeof *s->normals);
  m->texcoords = s->texcoords ? copyOf(s->texcoords, 6 * s->nface, sizeof *s->texcoords) : NULL;
  return !m->normals || (s->texcoords && !m->texcoords);
}

// Return a mesh on a device, or NULL. The scene of one that does not bend is built.
static pr_Mesh* makeMesh(const pr_Embree* e, pr_EmbreeObject device, const pr_Surface* s, char* message) {
  pr_Mesh* m = calloc(1, sizeof *m);
  if (!m || copyMesh(s, m)) {
    if (m) {
      pr_deleteMesh(m);
    }
    outOfMemory(message);
    return NULL;
  }
  m->geometry = e->newGeometry(device, PR_EMBREE_TRIANGLE);
  m->vertices = e->newBuffer(m->geometry, PR_EMBREE_VERTEX, 0, PR_EMBREE_FLOAT3, 3 * sizeof(float), s->nvertex);
  m->faces = e->newBuffer(m->geometry, PR_EMBREE_INDEX, 0, PR_EMBREE_UINT3, 3 * sizeof(uint32_t), s->nface);
  if (m->vertices && m->faces) {
    memcpy(m->vertices, s->vertices, s->nvertex * 3 * sizeof(float));
    memcpy(m->faces, s->faces, s->nface * 3 * sizeof(uint32_t));
    e->setFilter(m->geometry, pr_hideBacks);
    e->commitGeometry(m->geometry);
    m->scene = e->newScene(device);
    e->setFlags(m->scene, s->bends ? PR_EMBREE_ROBUST | PR_EMBREE_DYNAMIC : PR_EMBREE_ROBUST);
    e->setQuality(m->scene, s->bends ? PR_EMBREE_QUALITY_LOW : PR_EMBREE_QUALITY_HIGH);
    e->attach(m->scene, m->geometry, 0);
    if (!s->bends) {
      e->commitScene(m->scene);
    }
  }
  if (failed(e, device, message)) {
    pr_deleteMesh(m);
    return NULL;
  }
  return m;
}

pr_Mesh* pr_makeMesh(const pr_Surface* s, char* message) {
  static pr_EmbreeObject shared;  // the device of meshes that casters share, which is never released
  const pr_Embree* e = pr_openEmbree(message, PR_CAST_MESSAGE);
  if (e && !shared) {
    shared = makeDevice(e, message);
  }
  return shared ? makeMesh(e, shared, s, message) : NULL;
}

void pr_deleteMesh(pr_Mesh* m) {
  char message[PR_CAST_MESSAGE];
  const pr_Embree* e = pr_openEmbree(message, sizeof message);
  if (m->geometry) {
    e->releaseGeometry(m->geometry);
  }
  if (m->scene) {
    e->releaseScene(m->scene);
  }
  free(m->normals);
  free(m->texcoords);
  free(m);
}

void pr_addMesh(pr_Caster* c, const pr_Mesh* m) { c->meshes[c->nmesh++] = m; }

int pr_addBending(pr_Caster* c, const pr_Surface* s, char* message) {
  pr_Mesh* m = makeMesh(c->embree, c->device, s, message);
  if (m) {
    c->bending[c->nbending++] = m;
    pr_addMesh(c, m);
  }
  return !m;
}

pr_Textures* pr_makeTextures(int n) {
  pr_Textures* t = calloc(1, sizeof *t);
  if (t && !(t->list = room(n, sizeof *t->list))) {
    free(t);
    return NULL;
  }
  return t;
}

void pr_deleteTextures(pr_Textures* t) {
  free(t->list);
  free(t->texels);
  free(t);
}

int pr_addTexture(pr_Textures* all, int width, int height, int faces, int cube, int levels, const uint8_t* pixels,
                  int64_t n, char* message) {
  uint32_t* texels =
      n <= INT32_MAX - all->ntexel ? realloc(all->texels, (all->ntexel + n + 1) * sizeof *texels) : NULL;
  if (!texels) {
    return outOfMemory(message);
  }
  all->texels = texels;
  for (int64_t i = 0; i < n; i++, pixels += 3) {
    texels[all->ntexel + i] = pixels[0] | (uint32_t)pixels[1] << 8 | (uint32_t)pixels[2] << 16;
  }
  pr_Texture* t = &all->list[all->n++];
  *t = (pr_Texture){.nlevel = levels < PR_LEVELS ? levels : PR_LEVELS, .faces = faces, .cube = cube};
  int first = all->ntexel;
  for (int i = 0; i < t->nlevel; i++) {
    t->levels[i] = (pr_Level){width, height, first};
    first += width * height * faces;
    width = width > 1 ? width / 2 : 1;
    height = height > 1 ? height / 2 : 1;
  }
  all->ntexel += (int)n;
  return 0;
}

// Put shapes in their places, either all or those that move. All have their colours and textures.
static void place(pr_Caster* c, const double* places, int all) {
  c->clear = 0;
  for (int i = 0; i < c->nshape; i++) {
    const double* from = places + PR_PLACE * i;
    pr_Frame* f = &c->frames[i];
    pr_Seen* s = &c->shapes[i];
    for (int k = 0; k < 3; k++) {
      s->color[k] = (float)from[PR_COLOR + k];
    }
    s->opacity = pr_opacityOf(from[PR_ALPHA]);
    c->clear |= s->opacity < 1;
    const double texture = from[PR_TEXTURE];
    s->texture = texture >= 0 && texture < c->textures->n ? (int32_t)texture : -1;
    s->mapping = s->texture >= 0 && c->textures->list[s->texture].cube ? PR_CUBE : s->flat;
    if (s->mapping == PR_CUBE && s->flat == PR_CORNERS) {
      s->texture = -1;  // MuJoCo's renderer shows no cube on a mesh with texture coordinates
    }
    for (int k = 0; k < 2; k++) {
      s->repeat[k] = (float)from[PR_REPEAT + k];
      s->phase[k] = (float)from[PR_PHASE + k];
    }
    for (int k = 0; k < 3 && (all || !s->still); k++) {
      s->size[k] = (float)from[PR_SIZE + k];
      f->position[k] = (float)from[k];
      for (int j = 0; j < 3; j++) {
        f->rotation[3 * k + j] = (float)from[3 + 3 * k + j];
      }
    }
  }
}

// Put primitives where their shapes are.
static void follow(const pr_Caster* c, pr_Primitive* p, int n) {
  for (int i = 0; i < n; i++) {
    const float* size = c->shapes[p[i].shape].size;
    p[i].frame = c->frames[p[i].shape];
    for (int k = 0; k < 3; k++) {
      p[i].size[k] = size[p[i].kind == PR_SPHERE ? 0 : k];
    }
  }
}

static void placeInstance(const pr_Caster* c, int shape) {
  const pr_Frame* f = &c->frames[shape];
  float rows[12];
  for (int k = 0; k < 3; k++) {
    memcpy(rows + 4 * k, f->rotation + 3 * k, 3 * sizeof *rows);
    rows[4 * k + 3] = f->position[k];
  }
  c->embree->setTransform(c->instances[shape], 0, PR_EMBREE_FLOAT3X4_ROWS, rows);
  c->embree->commitGeometry(c->instances[shape]);
}

// Find the normals of the vertices of a mesh that bends, between those of their faces, which count by their areas.
static void findNormals(const pr_Mesh* b) {
  float* normals = b->normals;
  memset(normals, 0, 3 * (size_t)b->nvertex * sizeof *normals);
  for (int64_t i = 0; i < b->nface; i++) {
    const uint32_t* corner = b->faces + 3 * i;
    float e[2][3];
    for (int j = 0; j < 2; j++) {
      for (int k = 0; k < 3; k++) {
        e[j][k] = b->vertices[3 * (size_t)corner[j + 1] + k] - b->vertices[3 * (size_t)corner[0] + k];
      }
    }
    for (int k = 0; k < 3; k++) {
      const float minor = e[0][(k + 1) % 3] * e[1][(k + 2) % 3] - e[0][(k + 2) % 3] * e[1][(k + 1) % 3];
      for (int j = 0; j < 3; j++) {
        normals[3 * (size_t)corner[j] + k] += minor;
      }
    }
  }
  for (int64_t i = 0; i < b->nvertex; i++) {
    float* n = normals + 3 * i;
    const float length = sqrtf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    for (int k = 0; k < 3; k++) {
      n[k] = length > 0 ? n[k] / length : 0;
    }
  }
}

// Bend the meshes that do. places are those of a world with so many mounts.
static void bend(pr_Caster* c, const double* places, int mounts) {
  const pr_Embree* e = c->embree;
  const double* from = places + PR_PLACE * c->nshape + PR_MOUNT * mounts + PR_LIGHT + PR_LAMP * c->lighting.nlamp;
  for (int i = 0; i < c->nbending; i++) {
    const pr_Mesh* b = c->bending[i];
    for (int64_t k = 0; k < 3 * b->nvertex; k++) {
      b->vertices[k] = (float)*from++;
    }
    if (b->smooth) {
      findNormals(b);
    }
    e->updateBuffer(b->geometry, PR_EMBREE_VERTEX, 0);
    e->commitGeometry(b->geometry);
    e->commitScene(b->scene);
  }
}

// Sort the shapes into planes, primitives and instances.
static void sort(pr_Caster* c) {
  int still = 0;
  for (int i = 0; i < c->nshape; i++) {
    const pr_Seen* s = &c->shapes[i];
    still += s->still && s->kind != PR_MESH && s->kind != PR_PLANE && s->kind != PR_HIDDEN;
  }
  for (int i = 0; i < c->nshape; i++) {
    const pr_Seen* s = &c->shapes[i];
    pr_Primitive p = {.kind = s->kind, .shape = i};
    if (s->kind == PR_HIDDEN) {
      continue;
    }
    if (s->kind == PR_MESH) {
      c->instanced[c->ninstanced++] = i;
    } else if (s->kind == PR_PLANE) {
      c->planes[c->nplane++] = p;
    } else {
      if (s->still && still > PR_FEW) {
        c->still[c->nstill++] = p;
      } else {
        c->moving[c->nmoving++] = p;
      }
    }
  }
}

// Return a committed geometry of n primitives.
static pr_EmbreeObject makePrimitives(const pr_Caster* c, pr_Primitive* primitives, int n) {
  const pr_Embree* e = c->embree;
  pr_EmbreeObject geometry = e->newGeometry(c->device, PR_EMBREE_USER);
  e->setPrimitives(geometry, n);
  e->setUser(geometry, primitives);
  e->setBounds(geometry, pr_boundPrimitive, NULL);
  e->setIntersect(geometry, pr_intersectPrimitive);
  e->setOccluded(geometry, pr_occludePrimitive);
  e->commitGeometry(geometry);
  return geometry;
}

static pr_EmbreeObject makeInstance(const pr_Caster* c, pr_EmbreeObject of) {
  pr_EmbreeObject instance = c->embree->newGeometry(c->device, PR_EMBREE_INSTANCE);
  c->embree->setInstanced(instance, of);
  return instance;
}

static pr_EmbreeObject makeScene(const pr_Caster* c) {
  pr_EmbreeObject scene = c->embree->newScene(c->device);
  c->embree->setFlags(scene, PR_EMBREE_DYNAMIC);
  c->embree->setQuality(scene, PR_EMBREE_QUALITY_LOW);
  return scene;
}

static void addStill(pr_Caster* c) {
  const pr_Embree* e = c->embree;
  follow(c, c->still, c->nstill);
  c->still_scene = e->newScene(c->device);
  pr_EmbreeObject geometry = makePrimitives(c, c->still, c->nstill);
  e->attach(c->still_scene, geometry, 0);
  e->releaseGeometry(geometry);
  e->setQuality(c->still_scene, PR_EMBREE_QUALITY_HIGH);
  e->commitScene(c->still_scene);
  pr_EmbreeObject instance = makeInstance(c, c->still_scene);
  e->commitGeometry(instance);
  e->attach(c->scene, instance, PR_GEOMETRY_STILL);
  e->releaseGeometry(instance);
}

int pr_finishCaster(pr_Caster* c, const double* places, int mounts, char* message) {
  const pr_Embree* e = c->embree;
  sort(c);
  place(c, places, 1);
  bend(c, places, mounts);
  c->scene = makeScene(c);
  follow(c, c->planes, c->nplane);
  if (c->nstill > 0) {
    addStill(c);
  }
  if (c->nmoving > 0) {
    follow(c, c->moving, c->nmoving);
    c->moving_geometry = makePrimitives(c, c->moving, c->nmoving);
    c->moving_scene = makeScene(c);
    e->attach(c->moving_scene, c->moving_geometry, 0);
  }
  for (int i = 0; i < c->ninstanced; i++) {
    const int shape = c->instanced[i];
    c->instances[shape] = makeInstance(c, c->meshes[c->shapes[shape].mesh]->scene);
    placeInstance(c, shape);
    e->attach(c->scene, c->instances[shape], PR_GEOMETRY_MESHES + i);
  }
  e->commitScene(c->scene);
  return failed(c->embree, c->device, message);
}

// Move what moves to its place in a world, and with it the tree of primitives, if it is wanted.
static void move(pr_Caster* c, const double* places, int mounts, int tree) {
  place(c, places, 0);
  bend(c, places, mounts);
  follow(c, c->planes, c->nplane);
  follow(c, c->moving, c->nmoving);
  if (tree && c->nmoving > 0) {
    c->embree->commitGeometry(c->moving_geometry);
    c->embree->commitScene(c->moving_scene);
  }
  int moved = 0;
  for (int i = 0; i < c->ninstanced; i++) {
    if (!c->shapes[c->instanced[i]].still) {
      placeInstance(c, c->instanced[i]);
      moved = 1;
    }
  }
  if (moved) {
    c->embree->commitScene(c->scene);
  }
}

int pr_cast(pr_Caster* c, const double* places, int worlds, int size, int mount, int mounts, const pr_Eye* eye,
            uint8_t* rgb, float* depth, int32_t* labels, float* normals, char* message) {
  pr_Lighting* lighting = &c->lighting;
  int shadows = 0;
  for (int i = 0; i < lighting->nlamp; i++) {
    shadows |= lighting->lamps[i].shadows;
  }
  const size_t pixels = (size_t)eye->width * eye->height;
  for (int w = 0; w < worlds; w++, places += size) {
    move(c, places, mounts, rgb && (shadows || eye->reflections));
    const double* frame = places + PR_PLACE * c->nshape + PR_MOUNT * mount;
    const double* light = places + PR_PLACE * c->nshape + PR_MOUNT * mounts;
    const double* lamps = light + PR_LIGHT;
    pr_Eye at = *eye;
    if (eye->placed) {
      const double angle = frame[PR_ANGLE];
      const float high = eye->orthographic ? (float)angle : 2 * (float)tan(angle / 2 * M_PI / 180);
      at.step[0] = at.step[1] = high / (float)eye->height;
    }
    const double skybox = light[PR_SKYBOX];
    lighting->skybox = skybox >= 0 && skybox < c->textures->n ? (int32_t)skybox : lighting->plain;
    for (int k = 0; k < 3; k++) {
      lighting->ambient[k] = (float)light[k];
      lighting->head[k] = (float)light[3 + k];
      lighting->sky[0][k] = (float)light[PR_SKY + k];
      lighting->sky[1][k] = (float)light[PR_SKY + 3 + k];
      for (int i = 0; i < lighting->nlamp; i++) {
        lighting->lamps[i].color[k] = (float)lamps[PR_LAMP * i + 6 + k];
      }
    }
    pr_Picture to = {
        .rgb = rgb ? rgb + 3 * pixels * w : NULL,
        .depth = depth ? depth + pixels * w : NULL,
        .labels = labels ? labels + pixels * w : NULL,
        .normals = normals ? normals + 3 * pixels * w : NULL,
    };
    pr_look(c, frame, lamps, &at, &to);
  }
  return failed(c->embree, c->device, message);
}

int pr_castRays(pr_Caster* c, const double* places, const double* rays, int n, float most, double* distances,
                char* message) {
  move(c, places, 0, 1);
  pr_measure(c, rays, n, most, distances);
  return failed(c->embree, c->device, message);
}
