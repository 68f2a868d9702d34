#include "shim.h"

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>

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

bool Complain(char* message, const char* format, ...) __attribute__((format(printf, 2, 3)));

// Write a message and return false.
bool Complain(char* message, const char* format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(message, PB_MESSAGE, format, args);
  va_end(args);
  return false;
}

bool Outside(double x, double lo, double hi) { return !(x >= lo && x <= hi); }

// Set up the shape of a fixture.
bool MakeShape(const pb_Body& body, int index, const pb_Fixture& from, pb_Scene::Shape* to,
               char* message) {
  for (int i = 0; i < 2 * std::max(from.vertices, 1); i++) {
    if (Outside(from.points[i], -kMaxLocal, kMaxLocal)) {
      return Complain(message, "body %s, fixture %d: coordinate %g, want within %g m", body.name,
                      index, from.points[i], kMaxLocal);
    }
  }
  if (Outside(from.density, 0, 1e9) || Outside(from.friction, 0, 1e6) ||
      Outside(from.restitution, 0, 1)) {
    return Complain(message,
                    "body %s, fixture %d: density %g, friction %g, restitution %g; want 0 to 1e9, "
                    "0 to 1e6, 0 to 1",
                    body.name, index, from.density, from.friction, from.restitution);
  }
  to->round = from.vertices == 0;
  if (to->round) {
    if (Outside(from.radius, b2_linearSlop, kMaxLocal)) {
      return Complain(message, "body %s, fixture %d: radius %g, want 0.005 to %g m", body.name,
                      index, from.radius, kMaxLocal);
    }
    to->circle.m_p = b2Vec2(float(from.points[0]), float(from.points[1]));
    to->circle.m_radius = float(from.radius);
    return true;
  }
  b2Vec2 points[b2_maxPolygonVertices];
  for (int i = 0; i < from.vertices; i++) {
    points[i] = b2Vec2(float(from.points[2 * i]), float(from.points[2 * i + 1]));
  }
  char why[PB_MESSAGE];
  if (!MakePolygon(points, from.vertices, &to->polygon, why)) {
    return Complain(message, "body %s, fixture %d: %.300s", body.name, index, why);
  }
  return true;
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
      return Complain(message,
                      "body %s: fixture %d lies too far from the body's origin for its size",
                      body.name, i);
    }
  }
  if (Outside(mass, kMinMass, kMaxMass)) {
    return Complain(message, "body %s has a mass of %g kg, want %g to %g", body.name, mass,
                    kMinMass, kMaxMass);
  }
  return true;
}

bool CheckJoint(const pb_Joint& j, char* message) {
  for (double x : {j.anchor_a[0], j.anchor_a[1], j.anchor_b[0], j.anchor_b[1]}) {
    if (Outside(x, -kMaxLocal, kMaxLocal)) {
      return Complain(message, "joint %s: anchor coordinate %g, want within %g m", j.name, x,
                      kMaxLocal);
    }
  }
  if (Outside(j.reference, -kMaxAngle, kMaxAngle) || Outside(j.lower, -kMaxAngle, j.upper) ||
      Outside(j.upper, j.lower, kMaxAngle)) {
    return Complain(message, "joint %s: reference angle %g, limits %g to %g", j.name, j.reference,
                    j.lower, j.upper);
  }
  if (Outside(j.speed, -kMaxSpeed, kMaxSpeed) || Outside(j.torque, 0, kMaxNumber)) {
    return Complain(message, "joint %s: motor speed %g, torque %g", j.name, j.speed, j.torque);
  }
  return true;
}

// Check the numbers of a scene and set up its shapes.
bool Compile(pb_Scene* s, double* constants, char* message) {
  if (!(float(s->settings.timestep) > 0) || !(s->settings.timestep <= 1)) {
    return Complain(message, "timestep is %g s, want more than 0 and at most 1",
                    s->settings.timestep);
  }
  if (Outside(s->settings.gravity[0], -kMaxSpeed, kMaxSpeed) ||
      Outside(s->settings.gravity[1], -kMaxSpeed, kMaxSpeed)) {
    return Complain(message, "gravity is (%g, %g)", s->settings.gravity[0], s->settings.gravity[1]);
  }
  const pb_Fixture* fixtures = s->fixtures.data();
  pb_Scene::Shape* shapes = s->shapes.data();
  for (const pb_Body& body : s->bodies) {
    if (Outside(body.x, -kMaxPosition, kMaxPosition) ||
        Outside(body.y, -kMaxPosition, kMaxPosition) ||
        Outside(body.angle, -kMaxAngle, kMaxAngle)) {
      return Complain(message, "body %s is at (%g, %g), angle %g", body.name, body.x, body.y,
                      body.angle);
    }
    if (Outside(body.linear_damping, 0, kMaxSpeed) || Outside(body.angular_damping, 0, kMaxSpeed)) {
      return Complain(message, "body %s: damping %g, %g; want 0 to %g", body.name,
                      body.linear_damping, body.angular_damping, kMaxSpeed);
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
    double length = std::hypot(ray.vector[0], ray.vector[1]);
    if (Outside(length, 1e-3, 1e4)) {
      return Complain(message, "a ray is %g m long, want 1e-3 to 1e4", length);
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
    Complain(message, "two boxes in one place make no contact: not the Box2D this was written for");
    return nullptr;
  }
  auto s = std::make_unique<pb_Scene>();
  s->settings = *settings;
  s->layout = settings->layout;
  s->bodies.assign(bodies, bodies + nbody);
  s->fixtures.assign(fixtures, fixtures + nfixture);
  s->joints.assign(joints, joints + njoint);
  s->actuators.assign(actuators, actuators + nactuator);
  s->rays.assign(rays, rays + nray);
  s->shapes.resize(nfixture);
  return Compile(s.get(), constants, message) ? s.release() : nullptr;
} catch (const std::exception& e) {
  Complain(message, "%s", e.what());
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

int64_t pb_builds(const pb_Live* l) {
  int64_t builds = 0;
  for (const auto& world : l->worlds) {
    builds += world ? world->builds() : 0;
  }
  return builds;
}

//------------------------------ Steppers ---------------------------------------------------------

struct pb_Stepper_ {
  const pb_Scene* scene;
  std::vector<pb_Output> motion, force;  // probes by stage
  std::vector<pb_Output> derived;
  int sample_size, derived_size;
  std::vector<char> messages;  // PB_MESSAGE for each world of a call
};

namespace {

// One pb_call, seen from one of its worlds.
struct Call {
  const pb_Stepper& stepper;
  World& world;
  double* row;
  double* samples;  // the world's ring
  int slots;
  double* derived;  // the world's
  Fault* fault;

  double* Slot(int64_t boundary) const {
    return samples + size_t(boundary % slots) * stepper.sample_size;
  }

  void Read(const std::vector<pb_Output>& outputs, double* to) const {
    for (const pb_Output& output : outputs) {
      world.Read(output, to + output.to);
    }
  }

  const double* Control() const { return row + stepper.scene->layout.control; }

  // Whether the control can be applied.
  bool CheckControl() const {
    for (int i = 0; i < stepper.scene->settings.control_size; i++) {
      if (!(std::fabs(Control()[i]) <= kMaxNumber)) {
        return fault->Raise(PB_FAULT_NOT_FINITE, "control[%d] is %g", i, Control()[i]);
      }
    }
    for (const pb_Actuator& actuator : stepper.scene->actuators) {
      if (actuator.kind == PB_MOTOR && std::fabs(Control()[actuator.at]) > kMaxSpeed) {
        return fault->Raise(PB_FAULT_NOT_FINITE, "control[%d] is %g rad/s", actuator.at,
                            Control()[actuator.at]);
      }
    }
    return true;
  }

  bool Advance(int64_t boundary, int n) const {
    if (!CheckControl() || !world.Prepare(row, fault)) {
      return false;
    }
    for (int i = 0; i < n; i++, boundary++) {
      Read(stepper.motion, Slot(boundary));
      if (!world.Substep(Control(), fault)) {
        return false;
      }
      Read(stepper.force, Slot(boundary));
    }
    world.Store(row);
    Read(stepper.motion, Slot(boundary));
    Read(stepper.derived, derived);
    return true;
  }

  // What a row stands for needs no computing. For the forces of its next substep the
  // world takes it, and is forgotten.
  bool Forward() const {
    if (!CheckControl() || !world.Prepare(row, fault)) {
      return false;
    }
    Read(stepper.motion, Slot(0));
    Read(stepper.derived, derived);
    if (!stepper.force.empty()) {
      if (!world.Substep(Control(), fault)) {
        return false;
      }
      Read(stepper.force, Slot(0));
      world.Forget();
    }
    return true;
  }
};

}  // namespace

pb_Stepper* pb_makeStepper(const pb_Scene* scene, int worlds, const pb_Output* probes, int nprobe,
                           int sample_size, const pb_Output* derived, int nderived,
                           int derived_size, char* message) try {
  auto s = std::make_unique<pb_Stepper>();
  s->scene = scene;
  for (const pb_Output* p = probes; p < probes + nprobe; p++) {
    (p->kind < PB_OUT_JOINT_TORQUE ? s->motion : s->force).push_back(*p);
  }
  s->derived.assign(derived, derived + nderived);
  s->sample_size = sample_size;
  s->derived_size = derived_size;
  s->messages.resize(size_t(worlds) * PB_MESSAGE);
  return s.release();
} catch (const std::exception& e) {
  Complain(message, "%s", e.what());
  return nullptr;
}

void pb_deleteStepper(pb_Stepper* s) { delete s; }

int pb_call(pb_Stepper* s, pb_Live* live, double* state, double* samples, int slots,
            double* derived, int64_t* boundary, uint8_t* fault, const int32_t* ids,
            const int32_t* n, int count) {
  int faults = 0;
  for (int i = 0; i < count; i++) {
    Fault raised(&s->messages[size_t(i) * PB_MESSAGE]);
    int32_t id = ids[i];
    fault[id] = PB_FAULT_NONE;
    if (n && n[i] == 0) {
      continue;
    }
    bool ok = false;
    std::unique_ptr<World>& world = live->worlds[id];
    try {
      if (!world) {
        world = std::make_unique<World>(*s->scene);
      }
      Call call{*s,
                *world,
                state + size_t(id) * s->scene->layout.size,
                samples + size_t(id) * slots * s->sample_size,
                slots,
                derived + size_t(id) * s->derived_size,
                &raised};
      ok = n ? call.Advance(boundary[id], n[i]) : call.Forward();
    } catch (const std::exception& e) {
      raised.Raise(PB_FAULT_ENGINE, "%s", e.what());
      world.reset();
    }
    if (ok) {
      boundary[id] = n ? boundary[id] + n[i] : 0;
    } else {
      fault[id] = uint8_t(raised.code);
      faults++;
    }
  }
  return faults;
}

const char* pb_faultMessage(const pb_Stepper* s, int i) {
  return &s->messages[size_t(i) * PB_MESSAGE];
}
