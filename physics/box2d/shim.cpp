#include "shim.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <exception>
#include <limits>
#include <new>
#include <string>

#include "reveal.h"
#include "world.h"

using reveal::Of;

namespace {

// Coordinates of fixtures and anchors, in body coordinates, in metres.
constexpr double kMaxLocal = 100;

// Limits of a body's mass, in kg.
constexpr double kMinMass = 1e-6;
constexpr double kMaxMass = 1e9;

// Box2D fills a table of contact functions when the first contact of the process is
// made, without a lock; so the first one is made here, once.
bool WarmUp() {
  b2World world(b2Vec2_zero);
  b2PolygonShape box;
  box.SetAsBox(1, 1);
  for (int i = 0; i < 2; i++) {
    b2BodyDef def;
    def.type = b2_dynamicBody;
    world.CreateBody(&def)->CreateFixture(&box, 1);
  }
  world.Step(0.01f, 1, 1);
  return world.GetContactCount() > 0;
}

// A number of a scene, and what it may be.
struct Number {
  const char* what;
  double x, lo, hi;
};

Number Sized(const char* what, double x, double bound) { return {what, x, -bound, bound}; }

// Whether all of some numbers of a part of the scene are as they may be; else a complaint.
bool Check(char* message, const std::string& part, std::initializer_list<Number> numbers) {
  for (const Number& n : numbers) {
    if (!(n.x >= n.lo && n.x <= n.hi)) {
      return Fault(message).Raise(PB_FAULT_ENGINE, "%s: %s is %g, want %g to %g", part.c_str(), n.what,
                                  n.x, n.lo, n.hi);
    }
  }
  return true;
}

// Set up the shape of a fixture.
bool MakeShape(const pb_Body& body, int index, const pb_Fixture& from, pb_Scene::Shape* to,
               char* message) {
  std::string part = std::string("body ") + body.name + ", fixture " + std::to_string(index);
  for (int i = 0; i < 2 * std::max(from.vertices, 1); i++) {
    if (!Check(message, part, {Sized("a coordinate", from.points[i], kMaxLocal)})) {
      return false;
    }
  }
  to->round = from.vertices == 0;
  if (!Check(message, part,
             {{"density", from.density, 0, 1e9},
              {"friction", from.friction, 0, 1e6},
              {"restitution", from.restitution, 0, 1},
              {"radius", to->round ? from.radius : kMaxLocal, b2_linearSlop, kMaxLocal}})) {
    return false;
  }
  b2Vec2 points[b2_maxPolygonVertices];
  for (int i = 0; i < std::max(from.vertices, 1); i++) {
    points[i] = b2Vec2(float(from.points[2 * i]), float(from.points[2 * i + 1]));
  }
  if (to->round) {
    to->circle.m_p = points[0];
    to->circle.m_radius = float(from.radius);
    return true;
  }
  char why[PB_MESSAGE];
  return MakePolygon(points, from.vertices, &to->polygon, why) ||
         Fault(message).Raise(PB_FAULT_ENGINE, "%s: %.300s", part.c_str(), why);
}

// Box2D asserts that a body's inertia about its centre of mass is positive after each
// fixture, which rounding can break where the centre is far from the origin.
bool CheckMass(const pb_Body& body, const pb_Fixture* fixtures, const pb_Scene::Shape* shapes,
               char* message) {
  double mass = 0, x = 0, y = 0, inertia = 0;
  for (int i = 0; i < body.fixtures; i++) {
    b2MassData data;
    shapes[i].Get()->ComputeMass(&data, float(fixtures[i].density));
    mass += data.mass;
    x += double(data.mass) * data.center.x;
    y += double(data.mass) * data.center.y;
    inertia += data.I;
    if (mass > 0 && !(inertia - (x * x + y * y) / mass > 1e-3 * inertia)) {
      return Fault(message).Raise(PB_FAULT_ENGINE,
                      "body %s: fixture %d lies too far from the body's origin for its size",
                      body.name, i);
    }
  }
  return Check(message, std::string("body ") + body.name, {{"mass", mass, kMinMass, kMaxMass}});
}

bool CheckJoint(const pb_Joint& j, char* message) {
  return Check(message, std::string("joint ") + j.name,
               {Sized("anchor A's x", j.anchor_a[0], kMaxLocal),
                Sized("anchor A's y", j.anchor_a[1], kMaxLocal),
                Sized("anchor B's x", j.anchor_b[0], kMaxLocal),
                Sized("anchor B's y", j.anchor_b[1], kMaxLocal),
                Sized("reference angle", j.reference, kMaxAngle),
                Sized("lower limit", j.lower, kMaxAngle),
                {"upper limit", j.upper, j.lower, kMaxAngle},
                Sized("motor speed", j.speed, kMaxSpeed),
                {"motor torque", j.torque, 0, kMaxNumber}});
}

// Check the numbers of a scene and set up its shapes.
bool Compile(pb_Scene* s, double* constants, char* message) {
  const pb_Settings& settings = s->settings;
  if (!Check(message, "scene",
             {{"timestep", settings.timestep, std::numeric_limits<float>::min(), 1},
              Sized("gravity along x", settings.gravity[0], kMaxSpeed),
              Sized("gravity along y", settings.gravity[1], kMaxSpeed)})) {
    return false;
  }
  const pb_Fixture* fixtures = s->fixtures.data();
  pb_Scene::Shape* shapes = s->shapes.data();
  for (const pb_Body& body : s->bodies) {
    if (!Check(message, std::string("body ") + body.name,
               {Sized("x", body.x, kMaxPosition),
                Sized("y", body.y, kMaxPosition),
                Sized("angle", body.angle, kMaxAngle),
                {"linear damping", body.linear_damping, 0, kMaxSpeed},
                {"angular damping", body.angular_damping, 0, kMaxSpeed}})) {
      return false;
    }
    for (int i = 0; i < body.fixtures; i++) {
      if (!MakeShape(body, i, fixtures[i], &shapes[i], message)) {
        return false;
      }
    }
    if (!CheckMass(body, fixtures, shapes, message)) {
      return false;
    }
    fixtures += body.fixtures;
    shapes += body.fixtures;
  }
  for (const pb_Joint& joint : s->joints) {
    if (!CheckJoint(joint, message)) {
      return false;
    }
  }
  for (const pb_Ray& ray : s->rays) {
    if (!Check(message, "ray", {{"length", std::hypot(ray.vector[0], ray.vector[1]), 1e-3, 1e4}})) {
      return false;
    }
  }

  b2World world(b2Vec2_zero);
  const pb_Scene::Shape* shape = s->shapes.data();
  const pb_Fixture* fixture = s->fixtures.data();
  for (const pb_Body& from : s->bodies) {
    b2BodyDef def;
    def.type = b2_dynamicBody;
    def.fixedRotation = from.fixed_rotation;
    b2Body* body = world.CreateBody(&def);
    for (int i = 0; i < from.fixtures; i++, shape++, fixture++) {
      body->CreateFixture(shape->Get(), float(fixture->density));
    }
    double mass = body->GetMass(), inertia = Of(*body, reveal::BodyCentralInertia());
    s->ease.push_back({1 / mass, inertia > 0 ? 1 / inertia : 0});
    *constants++ = mass;
    *constants++ = inertia;
    *constants++ = body->GetLocalCenter().x;
    *constants++ = body->GetLocalCenter().y;
  }
  return true;
}

}  // namespace

//------------------------------ Scenes -----------------------------------------------------------

pb_Scene* pb_makeScene(const pb_Settings* settings, const pb_Body* bodies, int nbody,
                       const pb_Fixture* fixtures, int nfixture, const pb_Joint* joints, int njoint,
                       const pb_Actuator* actuators, int nactuator, const pb_Ray* rays, int nray,
                       double* constants, char* message) try {
  static const bool warm = WarmUp();
  if (!warm) {
    Fault(message).Raise(PB_FAULT_ENGINE, "two boxes in one place make no contact: not the Box2D this was written for");
    return nullptr;
  }
  auto s = std::make_unique<pb_Scene>();
  s->settings = *settings;
  s->bodies.assign(bodies, bodies + nbody);
  s->fixtures.assign(fixtures, fixtures + nfixture);
  s->joints.assign(joints, joints + njoint);
  s->actuators.assign(actuators, actuators + nactuator);
  s->rays.assign(rays, rays + nray);
  s->shapes.resize(nfixture);
  return Compile(s.get(), constants, message) ? s.release() : nullptr;
} catch (const std::exception& e) {
  Fault(message).Raise(PB_FAULT_ENGINE, "%s", e.what());
  return nullptr;
}

void pb_deleteScene(pb_Scene* s) { delete s; }

void pb_version(int32_t version[3]) {
  version[0] = b2_version.major;
  version[1] = b2_version.minor;
  version[2] = b2_version.revision;
}

//------------------------------ Live worlds ------------------------------------------------------

struct pb_Live_ {
  const pb_Scene* scene;
  std::vector<std::unique_ptr<World>> worlds;
};

pb_Live* pb_makeLive(const pb_Scene* scene, int worlds) try {
  auto l = std::make_unique<pb_Live>();
  l->scene = scene;
  l->worlds.resize(worlds);
  return l.release();
} catch (const std::exception&) {
  return nullptr;
}

void pb_deleteLive(pb_Live* l) { delete l; }

int pb_run(pb_Live* l, double* state, const pb_Output* outputs, int noutput, double* derived,
           int derived_size, const double* controls, const int32_t* resets,
           const double* reset_rows, int steps, int substeps, char* message) try {
  size_t worlds = l->worlds.size(), size = l->scene->settings.layout.size;
  Fault fault(message);
  for (size_t at = 0; at < steps * worlds; at++) {
    size_t id = at % worlds;
    std::unique_ptr<World>& world = l->worlds[id];
    bool reset = resets && resets[at] >= 0;
    if (reset) {
      std::copy_n(reset_rows + resets[at] * size, size, state + id * size);
    }
    if (reset || !world) {
      if (!world) {
        world = std::make_unique<World>(*l->scene);
      }
      world->Forget();
      if (!world->Prepare(state + id * size, 0, &fault)) {
        return 1;
      }
    }
    if (!world->Drive(controls + at * l->scene->settings.control_size, substeps, &fault)) {
      return 1;
    }
    for (const pb_Output* output = outputs; output < outputs + noutput; output++) {
      world->Read(*output, derived + id * derived_size + output->to);
    }
  }
  return !std::all_of(l->worlds.begin(), l->worlds.end(),
                      [&](const auto& world) { return !world || world->Healthy(&fault); });
} catch (const std::exception& e) {
  Fault(message).Raise(PB_FAULT_ENGINE, "%s", e.what());
  return 1;
}

void pb_store(pb_Live* l, int world, double* row) {
  if (l->worlds[world] && !l->worlds[world]->Current()) {
    l->worlds[world]->Store(row);
  }
}

int64_t pb_builds(const pb_Live* l) {
  int64_t builds = 0;
  for (const auto& world : l->worlds) {
    builds += world ? world->builds() : 0;
  }
  return builds;
}

//------------------------------ Steppers ---------------------------------------------------------

// Whether a control can be applied.
static bool CheckControl(const pb_Scene& scene, const double* control, Fault* fault) {
  for (int i = 0; i < scene.settings.control_size; i++) {
    if (!(std::fabs(control[i]) <= kMaxNumber)) {
      return fault->Raise(PB_FAULT_NOT_FINITE, "control[%d] is %g", i, control[i]);
    }
  }
  for (const pb_Actuator& actuator : scene.actuators) {
    if (actuator.kind == PB_MOTOR && std::fabs(control[actuator.at]) > kMaxSpeed) {
      return fault->Raise(PB_FAULT_NOT_FINITE, "control[%d] is %g rad/s", actuator.at,
                          control[actuator.at]);
    }
  }
  return true;
}

int pb_call(pb_Live* live, const pb_Output* outputs, int noutput, double* state,
            const uint64_t* versions, double* samples, int sample_size, int slots, double* derived,
            int derived_size, int64_t* boundary, uint8_t* fault, const int32_t* ids,
            const int32_t* n, int count, char* messages) {
  const pb_Scene& scene = *live->scene;
  const pb_Output* end = outputs + noutput;
  bool forces = std::any_of(outputs, end, [](auto& o) { return o.stage == PB_FORCE_STAGE; });
  int faults = 0;
  for (int i = 0; i < count; i++) {
    Fault raised(messages + size_t(i) * PB_MESSAGE);
    int32_t id = ids[i];
    fault[id] = PB_FAULT_NONE;
    if (n && n[i] == 0) {
      continue;
    }
    std::unique_ptr<World>& world = live->worlds[id];
    double* row = state + size_t(id) * scene.settings.layout.size;
    const double* control = row + scene.settings.layout.control;
    auto read = [&](int stage, double* to) {
      for (const pb_Output* output = outputs; output < end; output++) {
        if (output->stage == stage) {
          world->Read(*output, to + output->to);
        }
      }
    };
    auto slot = [&](int64_t k) {
      return samples + (size_t(id) * slots + size_t(k % slots)) * sample_size;
    };
    auto substep = [&](int64_t k) {
      bool ok = world->Substep(control, &raised);
      if (ok) {
        read(PB_FORCE_STAGE, slot(k));
      }
      return ok;
    };
    int64_t from = n ? boundary[id] : 0, to = n ? from + n[i] : 0;
    bool ok = false;
    try {
      if (!world) {
        world = std::make_unique<World>(scene);
      }
      ok = CheckControl(scene, control, &raised) && world->Prepare(row, versions[id], &raised);
      for (int64_t k = from; ok && k < to; k++) {
        read(PB_MOTION, slot(k));
        ok = substep(k);
      }
      if (ok) {
        if (n) {
          world->Store(row);
        }
        read(PB_MOTION, slot(to));
        read(PB_DERIVED, derived + size_t(id) * derived_size);
      }
      if (ok && !n && forces) {  // the world takes its next substep, and is forgotten
        ok = substep(0);
        world->Forget();
      }
    } catch (const std::exception& e) {
      ok = raised.Raise(PB_FAULT_ENGINE, "%s", e.what());
      world.reset();
    }
    if (ok) {
      boundary[id] = to;
    } else {
      fault[id] = uint8_t(raised.code);
      faults++;
    }
  }
  return faults;
}
