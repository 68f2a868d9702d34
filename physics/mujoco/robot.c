#include "robot.h"

#include <stdio.h>

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

static void choose(const mjModel* m, pr_Robot* r) {
  int mostDriven = 0, most = 0;
  for (int body = 1; body < m->nbody; body++) {
    int driven = 0, dofs = 0;
    for (int i = body; m->body_parentid[body] == 0 && i < m->nbody; i++) {
      dofs += m->body_rootid[i] == body ? m->body_dofnum[i] : 0;
    }
    for (int i = 0; m->body_parentid[body] == 0 && i < m->nactuator; i++) {
      driven += drives(m, i, body);
    }
    if (r->body == 0 || driven > mostDriven || (driven == mostDriven && dofs > most)) {
      r->body = body;
      mostDriven = driven;
      most = dofs;
    }
  }
  for (int i = 0; r->body && i < m->body_jntnum[r->body]; i++) {
    int type = m->jnt_type[m->body_jntadr[r->body] + i];
    r->moves |= type == mjJNT_FREE || type == mjJNT_SLIDE;
  }
}

// Measure the robot in the model's first pose: the distance is the radius of a sphere around it, times a factor for the
// angle of view.
static void measure(const mjModel* m, const mjData* d, pr_Robot* r) {
  double radius = 0;
  mju_copy3(r->centre, d->subtree_com + 3 * r->body);
  for (int i = 0; i < m->ngeom; i++) {
    if (r->body && m->body_rootid[m->geom_bodyid[i]] == r->body) {
      radius = mju_max(radius, mju_dist3(d->geom_xpos + 3 * i, r->centre) + m->geom_rbound[i]);
    }
  }
  double half = mju_clip(m->vis.global.fovy, 10, 120) / 2 * mjPI / 180;
  r->distance = radius > 0 ? 1.15 * radius / mju_sin(half) : 1.5 * m->stat.extent;
}

static int measureFirst(const mjModel* m, mjData* d, pr_Robot* r, char* message) {
  PR_GUARD(message, 1);
  if (m->nkey > 0) {
    mj_resetDataKeyframe(m, d, 0);
  }
  mj_kinematics(m, d);
  mj_comPos(m, d);
  measure(m, d, r);
  return 0;
}

static mjData* makeData(const mjModel* m, char* message) {
  PR_GUARD(message, NULL);
  return mj_makeData(m);
}

int pr_findRobot(const mjModel* m, pr_Robot* robot, char* message) {
  *robot = (pr_Robot){0};
  snprintf(message, PR_MESSAGE, "out of memory");
  mjData* d = makeData(m, message);
  if (!d) {
    return 1;
  }
  choose(m, robot);
  int failed = measureFirst(m, d, robot, message);
  mj_deleteData(d);
  return failed;
}
