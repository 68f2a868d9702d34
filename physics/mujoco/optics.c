#include "optics.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pr_Placer_ {
  pr_View view;  // with arrays of its own where looks change them; the others are borrowed
  mjData* data;
  pr_Frame* frames;
  int n;
  int nshape;
  pr_Sky* skies;
  int nsky;
  float* means;  // colours of the textures
  pr_Look* looks;
  void** arrays;  // of the looks: what is changed; to be freed from `owned`
  void** owned;
  double* normals;     // of the vertices of a flex or a skin, by their numbers
  mjtByte* sameframe;  // NULL where no look moves a geom on its body
  int nlook;
  int32_t* lights;
  int nlight;
  int tendons;  // 1: some are to be placed
};

static mjData* makeData(const mjModel* m, char* message) {
  PR_GUARD(message, NULL);
  return mj_makeData(m);
}

// Give the model an array of its own for each look, unless one before has it. Return 1 without memory.
static int ownArrays(pr_Placer* p, const mjModel* m) {
  static const size_t sizes[] = {
      [PR_NUMBERS] = sizeof(mjtNum), [PR_SINGLES] = sizeof(float), [PR_TEXTURES] = mjNTEXROLE * sizeof(int)};
  for (int i = 0; i < p->nlook; i++) {
    const pr_Look* l = p->looks + i;
    void* place = (char*)&p->view + l->at;
    if (l->inlined) {
      p->arrays[i] = place;
      continue;
    }
    void** address = place;
    if (*address == *(void* const*)((const char*)m + l->at)) {
      *address = p->owned[i] = pr_copyOf(*address, l->total, sizes[l->type]);
      if (!*address) {
        return 1;
      }
    }
    p->arrays[i] = *address;
    if ((l->at == offsetof(mjModel, geom_pos) || l->at == offsetof(mjModel, geom_quat)) && !p->sameframe) {
      // no geom is taken to be where its body is
      p->view.model.geom_sameframe = p->sameframe = calloc(m->ngeom, sizeof *p->sameframe);
      if (!p->sameframe) {
        return 1;
      }
    }
  }
  return 0;
}

pr_Placer* pr_makePlacer(const mjModel* m, const pr_Sky* skies, int nsky, const float* means, const pr_Frame* frames, int n,
                         int nshape, const pr_Look* looks, int nlook, const int32_t* lights, int nlight,
                         char* message) {
  snprintf(message, PR_MESSAGE, "out of memory");
  pr_Placer* p = calloc(1, sizeof *p);
  if (!p) {
    return NULL;
  }
  p->view.model = *m;
  if (nsky > 0) {
    memcpy(p->view.sky, skies->colors, sizeof p->view.sky);
  }
  p->nsky = nsky;
  p->n = n;
  p->nshape = nshape;
  p->nlook = nlook;
  p->nlight = nlight;
  for (int i = 0; i < nshape; i++) {
    p->tendons |= frames[i].kind == mjOBJ_TENDON;
  }
  p->skies = pr_copyOf(skies, nsky, sizeof *skies);
  p->frames = pr_copyOf(frames, n, sizeof *frames);
  p->means = pr_copyOf(means, 3 * m->ntex, sizeof *means);
  p->looks = pr_copyOf(looks, nlook, sizeof *looks);
  p->lights = pr_copyOf(lights, nlight, sizeof *lights);
  p->arrays = calloc(nlook + 1, sizeof *p->arrays);
  p->owned = calloc(nlook + 1, sizeof *p->owned);
  p->normals = calloc(3 * mjMAX(m->nflexvert, m->nskinvert) + 1, sizeof *p->normals);
  p->data = makeData(m, message);
  if (!p->skies || !p->frames || !p->means || !p->looks || !p->lights || !p->arrays || !p->owned || !p->normals || !p->data ||
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
  void* const memory[] = {p->skies, p->frames, p->means, p->looks, p->lights, p->arrays, p->owned, p->normals, p->sameframe};
  for (size_t i = 0; i < sizeof memory / sizeof *memory; i++) {
    free(memory[i]);
  }
  free(p);
}

// Where a capsule begins and ends, and its radius, 0 if there is none.
typedef struct {
  mjtNum ends[2][3];
  mjtNum radius;
} Capsule;

// Write the point of the way from `from` to `to` around a sphere or a cylinder, both on it, that is such a part of the way
// from the first. The way begins along `along`.
static void wrapPoint(const mjModel* m, const mjData* d, int geom, const mjtNum* from, const mjtNum* to,
                      const mjtNum* along, mjtNum part, mjtNum* point) {
  const mjtNum* middle = d->geom_xpos + 3 * geom;
  const mjtNum* matrix = d->geom_xmat + 9 * geom;
  const mjtNum z[3] = {matrix[2], matrix[5], matrix[8]};
  mjtNum axis[3], first[3], last[3], side[3], shift = 0;
  mju_sub3(first, from, middle);
  mju_sub3(last, to, middle);
  if (m->geom_type[geom] == mjGEOM_CYLINDER) {  // around its axis, while it moves along it
    const mjtNum low = mju_dot3(first, z), high = mju_dot3(last, z);
    mju_addToScl3(first, z, -low);
    mju_addToScl3(last, z, -high);
    shift = low + part * (high - low);
    mju_cross(side, z, first);
    mju_scl3(axis, z, mju_dot3(side, along) < 0 ? -1 : 1);
  } else {
    mju_cross(axis, first, along);
    mju_normalize3(axis);
  }
  mju_cross(side, axis, first);
  mjtNum angle = atan2(mju_dot3(last, side), mju_dot3(last, first));
  angle = part * (angle < -1e-6 ? angle + 2 * mjPI : angle);
  mju_addScl3(point, middle, z, shift);
  mju_addToScl3(point, first, cos(angle));
  mju_addToScl3(point, side, sin(angle));
}

// Return a capsule of a tendon, as MuJoCo's renderer has it: between the points of its path, PR_WRAP_PARTS of them around
// what it wraps around, and none at a pulley.
static Capsule tendonPart(const mjModel* m, const mjData* d, const pr_Frame* f) {
  const int first = d->ten_wrapadr[f->id], end = first + d->ten_wrapnum[f->id];
  const mjtNum* points = d->wrap_xpos;
  Capsule c = {.radius = 0};
  mju_copy3(c.ends[0], points + 3 * first);
  mju_copy3(c.ends[1], points + 3 * first);
  int part = f->part;
  for (int i = first; i + 1 < end; i++) {
    const int wraps = d->wrap_obj[i] >= 0 && d->wrap_obj[i + 1] >= 0, parts = wraps ? PR_WRAP_PARTS : 1;
    if (part >= parts) {
      part -= parts;
      continue;
    }
    if (d->wrap_obj[i] == -2 || d->wrap_obj[i + 1] == -2) {
      return c;
    }
    const mjtNum* from = points + 3 * i;
    c.radius = m->tendon_width[f->id];
    mju_copy3(c.ends[0], from);
    mju_copy3(c.ends[1], from + 3);
    if (wraps) {
      mjtNum along[3];
      mju_sub3(along, from, from - 3);  // from the site before
      for (int k = 0; k < 2; k++) {
        wrapPoint(m, d, d->wrap_obj[i], from, from + 3, along, (mjtNum)(part + k) / PR_WRAP_PARTS, c.ends[k]);
      }
    }
    return c;
  }
  return c;
}

// Return a capsule of a flex that is a line: around one of its edges.
static Capsule linePart(const mjModel* m, const mjData* d, const pr_Frame* f) {
  const int* edge = m->flex_edge + 2 * (m->flex_edgeadr[f->id] + f->part);
  Capsule c = {.radius = m->flex_radius[f->id]};
  for (int k = 0; k < 2; k++) {
    mju_copy3(c.ends[k], d->flexvert_xpos + 3 * (m->flex_vertadr[f->id] + edge[k]));
  }
  return c;
}

static int isLine(const mjModel* m, const pr_Frame* f) { return f->kind == mjOBJ_FLEX && m->flex_dim[f->id] == 1; }

// Write position, rotation matrix and size of a capsule.
static void placeCapsule(const Capsule* c, double* to) {
  mjtNum along[3], turn[4];
  mju_sub3(along, c->ends[1], c->ends[0]);
  mju_quatZ2Vec(turn, along);
  mju_quat2Mat(to + 3, turn);
  mju_add3(to, c->ends[0], c->ends[1]);
  mju_scl3(to, to, 0.5);
  to[12] = c->radius;
  to[13] = 0.5 * mju_norm3(along);
  to[14] = 0;
}

// Write position, rotation matrix and, of a shape, its size.
static void placeFrame(const mjModel* m, const mjData* d, const pr_Frame* f, double* to) {
  static const double axes[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  if (f->kind == mjOBJ_TENDON || isLine(m, f)) {
    const Capsule c = f->kind == mjOBJ_TENDON ? tendonPart(m, d, f) : linePart(m, d, f);
    placeCapsule(&c, to);
    return;
  }
  switch (f->kind) {
    case mjOBJ_XBODY:
      mju_mulMatVec3(to, d->xmat + 9 * f->id, f->position);
      mju_addTo3(to, d->xpos + 3 * f->id);
      mju_mulMatMat(to + 3, d->xmat + 9 * f->id, f->matrix, 3, 3, 3);
      return;
    case mjOBJ_BODY:
      mju_copy3(to, d->subtree_com + 3 * f->id);
      mju_copy(to + 3, axes, 9);
      return;
    case mjOBJ_FLEX:  // its vertices are where they are
    case mjOBJ_SKIN:
      mju_zero3(to);
      mju_copy(to + 3, axes, 9);
      mju_zero3(to + 12);
      return;
    case mjOBJ_CAMERA:
      mju_copy3(to, d->cam_xpos + 3 * f->id);
      mju_copy(to + 3, d->cam_xmat + 9 * f->id, 9);
      return;
    case mjOBJ_SITE:
      mju_copy3(to, d->site_xpos + 3 * f->id);
      mju_copy(to + 3, d->site_xmat + 9 * f->id, 9);
      mju_copy3(to + 12, m->site_size + 3 * f->id);
      return;
    default:
      mju_copy3(to, d->geom_xpos + 3 * f->id);
      mju_copy(to + 3, d->geom_xmat + 9 * f->id, 9);
      mju_copy3(to + 12, m->geom_size + 3 * f->id);
  }
}

// Put the values of the looks into the model.
static void look(const pr_Placer* p, const double* values) {
  for (int i = 0; i < p->nlook; i++) {
    const pr_Look* l = p->looks + i;
    for (int k = 0; k < l->size; k++) {
      const double value = *values++;
      if (l->type == PR_SINGLES) {
        ((float*)p->arrays[i])[l->from + k] = (float)value;
      } else if (l->type == PR_NUMBERS) {
        ((mjtNum*)p->arrays[i])[l->from + k] = value;
      } else {
        ((int*)p->arrays[i])[mjNTEXROLE * (l->from + k) + mjTEXROLE_RGB] =
            value >= 0 && value < (double)p->view.model.ntex ? (int)value : -1;
      }
    }
  }
}

// What a shape is painted with: its own colour, the numbers of its material and its texture, -1 for none, and whether
// the texture lies on it or counts with its mean colour.
typedef struct {
  const float* own;
  int material;
  int texture;
  int lies;
} Paint;

static Paint paintOf(const mjModel* m, const pr_Frame* f) {
  Paint p;
  switch (f->kind) {
    case mjOBJ_FLEX:
      p = (Paint){.own = m->flex_rgba, .material = m->flex_matid[f->id], .lies = 0};
      break;
    case mjOBJ_SITE:
      p = (Paint){.own = m->site_rgba, .material = m->site_matid[f->id], .lies = 1};
      break;
    case mjOBJ_TENDON:
      p = (Paint){.own = m->tendon_rgba, .material = m->tendon_matid[f->id], .lies = 0};
      break;
    case mjOBJ_SKIN:
      p = (Paint){.own = m->skin_rgba, .material = m->skin_matid[f->id], .lies = m->skin_texcoordadr[f->id] >= 0};
      break;
    default:
      p = (Paint){.own = m->geom_rgba, .material = m->geom_matid[f->id], .lies = 1};
  }
  p.own += 4 * f->id;
  p.texture = p.material < 0 ? -1 : m->mat_texid[mjNTEXROLE * p.material + mjTEXROLE_RGB];
  return p;
}

// Write colour and opacity of a shape: its own or, where it has none, those of its material.
static void placeColor(const pr_Placer* p, const Paint* paint, double* to) {
  static const float none[4] = {0.5f, 0.5f, 0.5f, 1};
  const int plain = paint->material < 0 || memcmp(paint->own, none, sizeof none);
  const float* color = plain ? paint->own : p->view.model.mat_rgba + 4 * paint->material;
  for (int k = 0; k < 3; k++) {
    to[k] = color[k] * (paint->texture >= 0 && !paint->lies ? (double)p->means[3 * paint->texture + k] : 1);
  }
  to[3] = color[3];
}

// Whether a texture that is no cube lies on a geom along x and y.
static int liesFlat(const mjModel* m, int geom) {
  const int type = m->geom_type[geom], mesh = type == mjGEOM_MESH || type == mjGEOM_SDF;
  return type == mjGEOM_PLANE || type == mjGEOM_HFIELD || (mesh && m->mesh_texcoordadr[m->geom_dataid[geom]] < 0);
}

// Write the texture of a shape, its repetitions and where it begins, as MuJoCo's renderer has them: two metres or, unless
// it is uniform, the shape have a flat one so many times. That begins at the upper left corner of a plane, or has its
// middle in that of the shape. size is the shape's; that of a skin is 0.
static void placeTexture(const mjModel* m, const pr_Frame* f, const Paint* paint, const double* size, double* to) {
  to[0] = paint->lies ? paint->texture : -1;
  mju_zero(to + 1, 4);
  if (to[0] < 0) {
    return;
  }
  const int type = f->kind == mjOBJ_GEOM ? m->geom_type[f->id] : f->kind == mjOBJ_SITE ? m->site_type[f->id] : mjGEOM_NONE;
  const int round = type == mjGEOM_SPHERE || type == mjGEOM_CAPSULE || type == mjGEOM_CYLINDER;
  const int flat = f->kind == mjOBJ_GEOM && liesFlat(m, f->id), uniform = m->mat_texuniform[paint->material];
  const int corner = type == mjGEOM_PLANE && size[0] > 0 && size[1] > 0;
  for (int k = 0; k < 2; k++) {
    const double repeat = m->mat_texrepeat[2 * paint->material + k], length = size[round ? 0 : k];
    to[1 + k] = repeat > 0 ? repeat : 1;
    if (!flat) {
      to[1 + k] *= uniform && length > 0 ? length : 1;
      continue;
    }
    to[1 + k] /= 2;
    if (!uniform && length > 0) {
      to[1 + k] /= length;
    }
    to[3 + k] = corner ? to[1 + k] * length : -0.5;
  }
}

// The number of the texture of the sky, or -1: that of the first skybox that has its colours.
static int skyOf(const pr_Placer* p) {
  for (int i = 0; i < p->nsky; i++) {
    if (!memcmp(p->view.sky, p->skies[i].colors, sizeof p->view.sky)) {
      return p->skies[i].texture;
    }
  }
  return -1;
}

// The light from everywhere and from the camera, the sky, then place, direction and light of each lamp. Return where they
// end.
static double* placeLight(const pr_Placer* p, double* dst) {
  const mjModel* m = &p->view.model;
  const mjData* d = p->data;
  for (int k = 0; k < 3; k++) {
    float ambient = m->vis.headlight.active ? m->vis.headlight.ambient[k] : p->nlight > 0 ? 0 : PR_DARK;
    for (int i = 0; i < p->nlight; i++) {
      ambient += m->light_ambient[3 * p->lights[i] + k];
    }
    dst[k] = ambient;
    dst[3 + k] = m->vis.headlight.active ? m->vis.headlight.diffuse[k] : 0;
  }
  dst += 6;
  for (int k = 0; k < 6; k++) {
    *dst++ = p->view.sky[k];
  }
  *dst++ = skyOf(p);
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

// Write the normals of n vertices: the sums of those of the triangles that they are corners of, each as long as twice its
// area.
static void sumNormals(double* normals, const mjtNum* vertices, int n, const int* triangles, int ntriangle) {
  memset(normals, 0, 3 * (size_t)n * sizeof *normals);
  for (int i = 0; i < ntriangle; i++) {
    const int* corner = triangles + 3 * i;
    mjtNum edges[2][3], normal[3];
    mju_sub3(edges[0], vertices + 3 * corner[1], vertices + 3 * corner[0]);
    mju_sub3(edges[1], vertices + 3 * corner[2], vertices + 3 * corner[0]);
    mju_cross(normal, edges[0], edges[1]);
    for (int k = 0; k < 3; k++) {
      mju_addTo3(normals + 3 * corner[k], normal);
    }
  }
}

// Write the vertices of a flex as its surface has them, its radius beyond those of its triangles: of a sheet those of
// its front and then those of its back, between which its edges are. Return where they end.
static double* placeFlex(const pr_Placer* p, int flex, double* dst) {
  const mjModel* m = &p->view.model;
  const int sheet = m->flex_dim[flex] == 2, n = m->flex_vertnum[flex];
  const int* triangles = sheet ? m->flex_elem + m->flex_elemdataadr[flex] : m->flex_shell + m->flex_shelldataadr[flex];
  const mjtNum* at = p->data->flexvert_xpos + 3 * m->flex_vertadr[flex];
  sumNormals(p->normals, at, n, triangles, (sheet ? m->flex_elemnum : m->flex_shellnum)[flex]);
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

// Write the vertices of a skin: means of where its bones take them, by their weights, and inflated along the normals
// between their faces. Return where they end.
static double* placeSkin(const pr_Placer* p, int skin, double* dst) {
  const mjModel* m = &p->view.model;
  const mjData* d = p->data;
  const int n = m->skin_vertnum[skin];
  const float* vertices = m->skin_vert + 3 * m->skin_vertadr[skin];
  mju_zero(dst, 3 * n);
  for (int bone = m->skin_boneadr[skin]; bone < m->skin_boneadr[skin] + m->skin_bonenum[skin]; bone++) {
    const int body = m->skin_bonebodyid[bone];
    mjtNum bound[3], inverse[4], turn[4], matrix[9], offset[3];
    for (int k = 0; k < 3; k++) {
      bound[k] = m->skin_bonebindpos[3 * bone + k];
    }
    for (int k = 0; k < 4; k++) {
      inverse[k] = k > 0 ? -m->skin_bonebindquat[4 * bone + k] : m->skin_bonebindquat[4 * bone];
    }
    mju_mulQuat(turn, d->xquat + 4 * body, inverse);
    mju_quat2Mat(matrix, turn);
    mju_mulMatVec3(offset, matrix, bound);
    mju_sub3(offset, d->xpos + 3 * body, offset);
    const int first = m->skin_bonevertadr[bone];
    for (int i = first; i < first + m->skin_bonevertnum[bone]; i++) {
      const float* from = vertices + 3 * m->skin_bonevertid[i];
      const mjtNum at[3] = {from[0], from[1], from[2]};
      mjtNum to[3];
      mju_mulMatVec3(to, matrix, at);
      mju_addTo3(to, offset);
      mju_addToScl3(dst + 3 * m->skin_bonevertid[i], to, m->skin_bonevertweight[i]);
    }
  }
  if (m->skin_inflate[skin] != 0) {
    sumNormals(p->normals, dst, n, m->skin_face + 3 * m->skin_faceadr[skin], m->skin_facenum[skin]);
    for (int i = 0; i < n; i++) {
      mjtNum normal[3];
      mju_copy3(normal, p->normals + 3 * i);
      if (mju_normalize3(normal) >= mjMINVAL) {
        mju_addToScl3(dst + 3 * i, normal, m->skin_inflate[skin]);
      }
    }
  }
  return dst + 3 * n;
}

// Place everything in one pose.
static void placeOne(const pr_Placer* p, const double* pose, double* dst) {
  const mjModel* m = &p->view.model;
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
  if (p->tendons) {
    mj_tendon(m, d);
  }
  for (int i = 0; i < p->n; i++) {
    const pr_Frame* f = p->frames + i;
    placeFrame(m, d, f, dst);
    dst += 12;
    if (i >= p->nshape) {
      *dst++ = f->kind == mjOBJ_CAMERA ? m->cam_fovy[f->id] : 0;
      continue;
    }
    const Paint paint = paintOf(m, f);
    placeColor(p, &paint, dst + 3);
    placeTexture(m, f, &paint, dst, dst + 7);
    dst += 12;
  }
  dst = placeLight(p, dst);
  for (int i = 0; i < p->nshape; i++) {
    if (p->frames[i].kind == mjOBJ_FLEX && !isLine(m, p->frames + i)) {
      dst = placeFlex(p, p->frames[i].id, dst);
    } else if (p->frames[i].kind == mjOBJ_SKIN) {
      dst = placeSkin(p, p->frames[i].id, dst);
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
