#include "optics.h"

#include <stdio.h>
#include <stdlib.h>

struct pr_Placer_ {
  const mjModel* model;
  mjData* data;
  pr_Frame* frames;
  int n;
  int light;
};

static mjData* makeData(const mjModel* m, char* message) {
  PR_GUARD(message, NULL);
  return mj_makeData(m);
}

pr_Placer* pr_makePlacer(const mjModel* m, const pr_Frame* frames, int n, int light, char* message) {
  snprintf(message, PR_MESSAGE, "out of memory");
  pr_Placer* p = calloc(1, sizeof *p);
  if (!p) {
    return NULL;
  }
  p->model = m;
  p->n = n;
  p->light = light;
  p->frames = pr_copyOf(frames, n, sizeof *frames);
  p->data = makeData(m, message);
  if (!p->frames || !p->data) {
    pr_deletePlacer(p);
    return NULL;
  }
  return p;
}

void pr_deletePlacer(pr_Placer* p) {
  mj_deleteData(p->data);
  free(p->frames);
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
  const int camera = f->kind == mjOBJ_CAMERA;
  mju_copy3(to, (camera ? d->cam_xpos : d->geom_xpos) + 3 * f->id);
  mju_copy(to + 3, (camera ? d->cam_xmat : d->geom_xmat) + 9 * f->id, 9);
}

// Place everything in one pose.
static void placeOne(const pr_Placer* p, const double* pose, double* dst) {
  const mjModel* m = p->model;
  mjData* d = p->data;
  mju_copy(d->qpos, pose, m->nq);
  mju_copy(d->mocap_pos, pose + m->nq, 3 * m->nmocap);
  mju_copy(d->mocap_quat, pose + m->nq + 3 * m->nmocap, 4 * m->nmocap);
  mj_kinematics(m, d);
  mj_comPos(m, d);  // cameras and lights may follow a centre of mass
  mj_camlight(m, d);
  for (int i = 0; i < p->n; i++) {
    placeFrame(d, p->frames + i, dst + 12 * i);
  }
  if (p->light >= 0) {
    mju_copy3(dst + 12 * p->n, d->light_xpos + 3 * p->light);
    mju_copy3(dst + 12 * p->n + 3, d->light_xdir + 3 * p->light);
  }
}

int pr_place(pr_Placer* p, const double* poses, int worlds, double* dst, char* message) {
  PR_GUARD(message, 1);
  const int pose = p->model->nq + 7 * p->model->nmocap;
  const int size = 12 * p->n + (p->light >= 0 ? 6 : 0);
  for (int w = 0; w < worlds; w++) {
    placeOne(p, poses + w * pose, dst + w * size);
  }
  return 0;
}
