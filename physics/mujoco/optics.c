#include "optics.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pr_Placer_ {
  mjModel model;  // with arrays of its own where looks change them; the others are borrowed
  mjData* data;
  pr_Frame* frames;
  int n;
  int nshape;
  double* tints;
  pr_Look* looks;
  void** arrays;  // of the looks: what is changed; to be freed from `owned`
  void** owned;
  double* normals;     // of the vertices of a flex, by their numbers
  mjtByte* sameframe;  // NULL where no look moves a geom on its body
  int nlook;
  int32_t* lights;
  int nlight;
};

static mjData* makeData(const mjModel* m, char* message) {
  PR_GUARD(message, NULL);
  return mj_makeData(m);
}

// Give the model an array of its own for each look, unless one before has it. Return 1 without memory.
static int ownArrays(pr_Placer* p, const mjModel* m) {
  for (int i = 0; i < p->nlook; i++) {
    const pr_Look* l = p->looks + i;
    void* place = (char*)&p->model + l->at;
    if (l->inlined) {
      p->arrays[i] = place;
      continue;
    }
    void** address = place;
    if (*address == *(void* const*)((const char*)m + l->at)) {
      *address = p->owned[i] = pr_copyOf(*address, l->total, l->single ? sizeof(float) : sizeof(mjtNum));
      if (!*address) {
        return 1;
      }
    }
    p->arrays[i] = *address;
    if ((l->at == offsetof(mjModel, geom_pos) || l->at == offsetof(mjModel, geom_quat)) && !p->sameframe) {
      // no geom is taken to be where its body is
      p->model.geom_sameframe = p->sameframe = calloc(m->ngeom, sizeof *p->sameframe);
      if (!p->sameframe) {
        return 1;
      }
    }
  }
  return 0;
}

pr_Placer* pr_makePlacer(const mjModel* m, const pr_Frame* frames, int n, int nshape, const double* tints,
                         const pr_Look* looks, int nlook, const int32_t* lights, int nlight, char* message) {
  snprintf(message, PR_MESSAGE, "out of memory");
  pr_Placer* p = calloc(1, sizeof *p);
  if (!p) {
    return NULL;
  }
  p->model = *m;
  p->n = n;
  p->nshape = nshape;
  p->nlook = nlook;
  p->nlight = nlight;
  p->frames = pr_copyOf(frames, n, sizeof *frames);
  p->tints = pr_copyOf(tints, 3 * nshape, sizeof *tints);
  p->looks = pr_copyOf(looks, nlook, sizeof *looks);
  p->lights = pr_copyOf(lights, nlight, sizeof *lights);
  p->arrays = calloc(nlook + 1, sizeof *p->arrays);
  p->owned = calloc(nlook + 1, sizeof *p->owned);
  p->normals = calloc(3 * m->nflexvert + 1, sizeof *p->normals);
  p->data = makeData(m, message);
  if (!p->frames || !p->tints || !p->looks || !p->lights || !p->arrays || !p->owned || !p->normals || !p->data ||
      ownArrays(p, m)) {
    pr_deletePlacer(p);
    return NULL;
  }
  return p;
}

void pr_deletePlacer(pr_Placer* p) {
  mj_deleteData(p->data);
  for (int i = 0; p->owned && i < p->nlook; i++) {
    free(p->owned[i]);
  }
  void* const memory[] = {p->frames, p->tints, p->looks, p->lights, p->arrays, p->owned, p->normals, p->sameframe};
  for (size_t i = 0; i < sizeof memory / sizeof *memory; i++) {
    free(memory[i]);
  }
  free(p);
}

// Write position and rotation matrix of a frame.
static void placeFrame(const mjData* d, const pr_Frame* f, double* to) {
  if (f->kind == mjOBJ_XBODY) {
    mju_mulMatVec3(to, d->xmat + 9 * f->id, f->position);
    mju_addTo3(to, d->xpos + 3 * f->id);
    mju_mulMatMat(to + 3, d->xmat + 9 * f->id, f->matrix, 3, 3, 3);
    return;
  }
  if (f->kind == mjOBJ_FLEX) {  // its vertices are where they are
    static const double axes[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    mju_zero3(to);
    mju_copy(to + 3, axes, 9);
    return;
  }
  const int camera = f->kind == mjOBJ_CAMERA;
  mju_copy3(to, (camera ? d->cam_xpos : d->geom_xpos) + 3 * f->id);
  mju_copy(to + 3, (camera ? d->cam_xmat : d->geom_xmat) + 9 * f->id, 9);
}

// Put the values of the looks into the model.
static void look(const pr_Placer* p, const double* values) {
  for (int i = 0; i < p->nlook; i++) {
    const pr_Look* l = p->looks + i;
    for (int k = 0; k < l->size; k++) {
      if (l->single) {
        ((float*)p->arrays[i])[l->from + k] = (float)*values++;
      } else {
        ((mjtNum*)p->arrays[i])[l->from + k] = *values++;
      }
    }
  }
}

// The colour of a shape: its own or, where it has none, that of its material.
static const float* colorOf(const mjModel* m, const pr_Frame* f) {
  static const float none[4] = {0.5f, 0.5f, 0.5f, 1};
  const int flex = f->kind == mjOBJ_FLEX;
  const float* own = (flex ? m->flex_rgba : m->geom_rgba) + 4 * f->id;
  const int material = (flex ? m->flex_matid : m->geom_matid)[f->id];
  return material < 0 || memcmp(own, none, sizeof none) ? own : m->mat_rgba + 4 * material;
}

// The light from everywhere and from the camera, then place, direction and light of each lamp. Return where they end.
static double* placeLight(const pr_Placer* p, double* dst) {
  const mjModel* m = &p->model;
  const mjData* d = p->data;
  for (int k = 0; k < 3; k++) {
    float ambient = m->vis.headlight.active ? m->vis.headlight.ambient[k] : 0;
    for (int i = 0; i < p->nlight; i++) {
      ambient += m->light_ambient[3 * p->lights[i] + k];
    }
    dst[k] = ambient;
    dst[3 + k] = m->vis.headlight.active ? m->vis.headlight.diffuse[k] : 0;
  }
  dst += 6;
  for (int i = 0; i < p->nlight; i++, dst += 9) {
    const int light = p->lights[i];
    mju_copy3(dst, d->light_xpos + 3 * light);
    mju_copy3(dst + 3, d->light_xdir + 3 * light);
    for (int k = 0; k < 3; k++) {
      dst[6 + k] = m->light_diffuse[3 * light + k];
    }
  }
  return dst;
}

// Write the vertices of a flex as its surface has them, its radius beyond those of its triangles: of a sheet those of
// its front and then those of its back. Return where they end.
static double* placeFlex(const pr_Placer* p, int flex, double* dst) {
  const mjModel* m = &p->model;
  const int sheet = m->flex_dim[flex] == 2, n = m->flex_vertnum[flex];
  const int* triangles = sheet ? m->flex_elem + m->flex_elemdataadr[flex] : m->flex_shell + m->flex_shelldataadr[flex];
  const mjtNum* at = p->data->flexvert_xpos + 3 * m->flex_vertadr[flex];
  memset(p->normals, 0, 3 * (size_t)n * sizeof *p->normals);
  for (int i = 0; i < (sheet ? m->flex_elemnum : m->flex_shellnum)[flex]; i++) {
    const int* corner = triangles + 3 * i;
    mjtNum edges[2][3], normal[3];
    mju_sub3(edges[0], at + 3 * corner[1], at + 3 * corner[0]);
    mju_sub3(edges[1], at + 3 * corner[2], at + 3 * corner[0]);
    mju_cross(normal, edges[0], edges[1]);
    for (int k = 0; k < 3; k++) {
      mju_addTo3(p->normals + 3 * corner[k], normal);
    }
  }
  for (int side = 0; side <= sheet; side++) {
    for (int i = 0; i < n; i++, dst += 3) {
      mjtNum normal[3];
      mju_copy3(normal, p->normals + 3 * i);
      const int flat = mju_normalize3(normal) < mjMINVAL;  // inside of a body, or in no triangle
      mju_addScl3(dst, at + 3 * i, normal, flat ? 0 : side ? -m->flex_radius[flex] : m->flex_radius[flex]);
    }
  }
  return dst;
}

// Place everything in one pose.
static void placeOne(const pr_Placer* p, const double* pose, double* dst) {
  const mjModel* m = &p->model;
  mjData* d = p->data;
  mju_copy(d->qpos, pose, m->nq);
  mju_copy(d->mocap_pos, pose + m->nq, 3 * m->nmocap);
  mju_copy(d->mocap_quat, pose + m->nq + 3 * m->nmocap, 4 * m->nmocap);
  look(p, pose + m->nq + 7 * m->nmocap);
  mj_kinematics(m, d);
  mj_comPos(m, d);  // cameras and lights may follow a centre of mass
  mj_camlight(m, d);
  if (m->nflex) {
    mj_flex(m, d);
  }
  for (int i = 0; i < p->n; i++) {
    const pr_Frame* f = p->frames + i;
    placeFrame(d, f, dst);
    dst += 12;
    if (i >= p->nshape) {
      *dst++ = f->kind == mjOBJ_CAMERA ? m->cam_fovy[f->id] : 0;
      continue;
    }
    const float* color = colorOf(m, f);
    if (f->kind == mjOBJ_FLEX) {
      mju_zero3(dst);
    } else {
      mju_copy3(dst, m->geom_size + 3 * f->id);
    }
    for (int k = 0; k < 3; k++) {
      dst[3 + k] = color[k] * p->tints[3 * i + k];
    }
    dst[6] = color[3];
    dst += 7;
  }
  dst = placeLight(p, dst);
  for (int i = 0; i < p->nshape; i++) {
    if (p->frames[i].kind == mjOBJ_FLEX) {
      dst = placeFlex(p, p->frames[i].id, dst);
    }
  }
}

int pr_place(pr_Placer* p, const double* poses, int worlds, int pose, double* dst, int size, char* message) {
  PR_GUARD(message, 1);
  for (int w = 0; w < worlds; w++) {
    placeOne(p, poses + (size_t)w * pose, dst + (size_t)w * size);
  }
  return 0;
}
