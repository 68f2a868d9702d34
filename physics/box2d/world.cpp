#include "world.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "reveal.h"

using reveal::Of;

namespace {

// The smallest distance between features of a shape that Box2D tells apart.
constexpr double kSlop = b2_linearSlop;

// Inner nodes keep their children as one number: first * kPack + second.
constexpr int32_t kPack = 1 << 16;

bool Bad(double x, double bound) { return !(std::fabs(x) <= bound); }

// What a number of a row may be.
struct Bound {
  double lo, hi;
  bool whole = false;

  bool Holds(double x) const { return x >= lo && x <= hi && (!whole || x == std::floor(x)); }
};

Bound Within(double size) { return {-size, size}; }
Bound Whole(double lo, double hi) { return {lo, hi, true}; }

// Looks at the numbers of a field of a row.
struct Check {
  const double* row;
  Fault* fault;
  const char *kind, *name;  // the field is called kind and name
  int field;                // where it begins

  // Whether each of count numbers from a place on is within the bounds, which repeat; else
  // a fault.
  bool operator()(int from, int count, std::initializer_list<Bound> bounds) const {
    for (int i = 0; i < count; i++) {
      const Bound& bound = bounds.begin()[i % bounds.size()];
      double x = row[from + i];
      if (!bound.Holds(x)) {
        return fault->Raise(Bad(x, kMaxPosition) ? PB_FAULT_NOT_FINITE : PB_FAULT_ENGINE,
                            "%s%s[%d] is %g, want %s%g to %g", kind, name, from + i - field, x,
                            bound.whole ? "a whole number from " : "", bound.lo, bound.hi);
      }
    }
    return true;
  }
};

b2Vec2 Vec(const double* xy) { return b2Vec2(float(xy[0]), float(xy[1])); }

void Put(double* to, const b2Vec2& v) {
  to[0] = v.x;
  to[1] = v.y;
}

// What a row holds of a body, a pose of the engine and a joint, in its order.
std::array<float*, PB_POSE> Pose(b2Body& body) {
  b2Transform& t = Of(body, reveal::BodyTransform());
  b2Sweep& s = Of(body, reveal::BodySweep());
  return {&t.p.x,  &t.p.y, &s.a,   &s.c.x, &s.c.y, &s.c0.x,
          &s.c0.y, &s.a0,  &t.q.s, &t.q.c, &Of(body, reveal::BodySleepTime())};
}

std::array<float*, PB_BODY> Motion(b2Body& body) {
  b2Vec2 &p = Of(body, reveal::BodyTransform()).p, &v = Of(body, reveal::BodyLinearVelocity());
  return {&p.x, &p.y, &Of(body, reveal::BodySweep()).a,
          &v.x, &v.y, &Of(body, reveal::BodyAngularVelocity())};
}

std::array<float*, PB_JOINT> Impulses(b2RevoluteJoint& joint) {
  b2Vec2& v = Of(joint, reveal::JointImpulse());
  return {&v.x, &v.y, &Of(joint, reveal::JointMotorImpulse()),
          &Of(joint, reveal::JointLowerImpulse()), &Of(joint, reveal::JointUpperImpulse())};
}

template <size_t N>
void Read(const std::array<float*, N>& values, const double* from) {
  for (size_t i = 0; i < N; i++) {
    *values[i] = float(from[i]);
  }
}

template <size_t N>
void Write(const std::array<float*, N>& values, double* to) {
  for (size_t i = 0; i < N; i++) {
    to[i] = *values[i];
  }
}

// Index of a body, -1 for the ground.
int BodyIndex(b2Body* body) { return int(body->GetUserData().pointer) - 1; }

// A hash of n numbers, FNV-1a over their bytes.
double Hash(const double* x, int n) {
  uint32_t hash = 2166136261u;
  const auto* bytes = reinterpret_cast<const unsigned char*>(x);
  for (size_t i = 0; i < n * sizeof(double); i++) {
    hash = (hash ^ bytes[i]) * 16777619u;
  }
  return hash;
}

// A digest of n numbers and of another digest.
uint64_t Digest(uint64_t digest, const double* x, int n) {
  for (int i = 0; i < n; i++) {
    uint64_t word;
    memcpy(&word, x + i, sizeof word);
    digest = (digest ^ word) * 0x9e3779b97f4a7c15u;
    digest ^= digest >> 29;
  }
  return digest;
}

// What a thread needs while it loads a world or looks whether a row stands for it.
struct Scratch {
  std::vector<double> row;
  std::vector<b2PolygonShape> ground;  // polygons of the row under inspection
  std::vector<b2Fixture*> fixtures;    // the ground's, then those of the bodies
};

// On the heap: a library with Go's runtime has little thread-local memory of its own.
Scratch& Own() {
  thread_local std::unique_ptr<Scratch> scratch(new Scratch);
  return *scratch;
}

// At least n elements of a part of the scratch.
template <typename T>
T* Room(std::vector<T>& part, size_t n) {
  if (part.size() < n) {
    part.resize(n);
  }
  return part.data();
}

}  // namespace

bool Fault::Raise(int c, const char* format, ...) {
  code = c;
  va_list args;
  va_start(args, format);
  vsnprintf(message, PB_MESSAGE, format, args);
  va_end(args);
  return false;
}

// Every corner must lie clear of every edge that it is no end of, on one side. That
// makes a convex polygon whose hull Box2D finds without welding or dropping points,
// both of which end in its asserts.
bool MakePolygon(const b2Vec2* points, int count, b2PolygonShape* shape, char* message) {
  double side = 0;
  for (int i = 0; i < count; i++) {
    const b2Vec2 &a = points[i], &b = points[(i + 1) % count];
    double x = double(b.x) - a.x, y = double(b.y) - a.y, length = std::hypot(x, y);
    if (!(length >= kSlop)) {
      snprintf(message, PB_MESSAGE, "vertices %d and %d are less than 5 mm apart", i,
               (i + 1) % count);
      return false;
    }
    for (int k = 0; k < count; k++) {
      if (k == i || k == (i + 1) % count) {
        continue;
      }
      double to_x = double(points[k].x) - a.x, to_y = double(points[k].y) - a.y;
      double distance = (x * to_y - y * to_x) / length;
      side = side == 0 ? distance : side;
      if (!(std::fabs(distance) >= kSlop) || (distance > 0) != (side > 0)) {
        snprintf(message, PB_MESSAGE, "the polygon is not strictly convex at vertex %d", k);
        return false;
      }
    }
  }
  shape->Set(points, count);
  return true;
}

World::World(const pb_Scene& scene)
    : scene_(scene),
      at_(scene.settings.layout),
      bodies_(scene.bodies.size()),
      joints_(scene.joints.size()),
      fixtures_(scene.fixtures.size()),
      contact_(scene.bodies.size()),
      touched_(scene.bodies.size()) {}

//------------------------------ Contacts as they begin and end -----------------------------------

void World::Note(b2Contact* contact, bool begins) {
  for (b2Fixture* fixture : {contact->GetFixtureA(), contact->GetFixtureB()}) {
    int body = BodyIndex(fixture->GetBody());
    if (body >= 0) {
      contact_[body] = begins;
      touched_[body] = std::min(touched_[body] + begins, int32_t(kMaxTouched));
    }
  }
}

//------------------------------ Rows -------------------------------------------------------------

int World::GroundValues(const double* row) const {
  return 1 + int(row[at_.ground]) * scene_.Stride();
}

int World::Proxies(const double* row) const {
  return int(row[at_.ground]) + int(scene_.fixtures.size());
}

b2DynamicTree& World::Tree() const {
  auto& manager = const_cast<b2ContactManager&>(world_->GetContactManager());
  return Of(manager.m_broadPhase, reveal::BroadPhaseTree());
}

uint64_t World::Still(const double* row) const {
  return Digest(Digest(Digest(0, row + at_.gravity, 2), row + at_.ground, GroundValues(row)),
                row + at_.built, 2);
}

// Only what is in use is compared: room for more shapes and contacts decides nothing.
// What steps leave alone is compared by its digest.
bool World::Same(const double* row) const {
  if (!stepped_ || !Whole(0, scene_.settings.max_shapes).Holds(row[at_.ground]) ||
      Still(row) != still_) {
    return false;
  }
  double* mine = Room(Own().row, at_.size);
  int contacts = StoreState(mine);
  int proxies = Proxies(row);
  StoreTree(mine, proxies);
  auto same = [&](int from, int to) {
    return memcmp(row + from, mine + from, (to - from) * sizeof(double)) == 0;
  };
  return same(at_.bodies, at_.ground) && same(at_.poses, at_.contacts + contacts * PB_CONTACT) &&
         same(at_.root, at_.root + proxies);
}

bool World::Prepare(const double* row, uint64_t version, Fault* fault) {
  if (!current_ || (version != version_ && !Same(row))) {
    current_ = stepped_ = false;
    if (!Load(row, fault)) {
      return false;
    }
    current_ = true;
  }
  version_ = version;
  return true;
}

//------------------------------ Row to world -----------------------------------------------------

bool World::Load(const double* row, Fault* fault) {
  if (!CheckPlain(row, fault) || !CheckGround(row, fault) || !CheckEngine(row, fault)) {
    return false;
  }
  bool built = stepped_ = row[at_.built] != 0;
  still_ = Still(row);
  Build(row, built);
  if (built && !(LoadTree(row, fault) && LoadContacts(row, fault))) {
    return false;
  }
  insertions_ = Of(Tree(), reveal::TreeInsertionCount());  // before bodies are put elsewhere
  for (size_t i = 0; i < joints_.size() && built; i++) {
    ::Read(Impulses(*joints_[i]), row + at_.joints + i * PB_JOINT);
  }
  for (size_t i = 0; i < bodies_.size(); i++) {
    LoadBody(row, i);
    contact_[i] = row[at_.contact + i] != 0;
    touched_[i] = int32_t(row[at_.touched + i]);
  }
  return Healthy(fault);
}

// No number that is used may be bad, so that what follows need not think of it.
bool World::CheckPlain(const double* row, Fault* fault) const {
  const Bound place = Within(kMaxPosition), speed = Within(kMaxSpeed);
  for (int i = 0; i < int(bodies_.size()); i++) {
    auto check = [&](const char* kind, int at, int n, std::initializer_list<Bound> bounds) {
      return Check{row, fault, kind, scene_.bodies[i].name, at + n * i}(at + n * i, n, bounds);
    };
    if (!check("body/", at_.bodies, PB_BODY,
               {place, place, Within(kMaxAngle), speed, speed, speed}) ||
        !check("awake/", at_.awake, 1, {Whole(0, 1)}) ||
        !check("contact/", at_.contact, 1, {Whole(0, 1)}) ||
        !check("touched/", at_.touched, 1, {Whole(0, kMaxTouched)})) {
      return false;
    }
  }
  return Check{row, fault, "gravity", "", at_.gravity}(at_.gravity, 2, {speed});
}

// Check the shapes of the ground, and set the polygons among them up in the scratch.
bool World::CheckGround(const double* row, Fault* fault) const {
  Check check{row, fault, "ground", "", at_.ground};
  if (!check(at_.ground, 1, {Whole(0, scene_.settings.max_shapes)})) {
    return false;
  }
  b2PolygonShape* polygons = Room(Own().ground, int(row[at_.ground]));
  for (int i = 0; i < int(row[at_.ground]); i++) {
    int at = at_.ground + 1 + i * scene_.Stride();
    if (!check(at, 2, {Whole(2, scene_.settings.max_vertices), {0, kMaxNumber}}) ||
        !check(at + 2, 2 * int(row[at]), {Within(kMaxPosition)})) {
      return false;
    }
    int count = int(row[at]);
    b2Vec2 points[b2_maxPolygonVertices];
    for (int k = 0; k < count; k++) {
      points[k] = Vec(row + at + 2 + 2 * k);
    }
    char why[PB_MESSAGE] = "an edge shorter than 5 mm";
    if (count == 2 ? !(b2Distance(points[0], points[1]) >= kSlop)
                   : !MakePolygon(points, count, &polygons[i], why)) {
      return fault->Raise(PB_FAULT_ENGINE, "ground shape %d: %.400s", i, why);
    }
  }
  return true;
}

bool World::CheckEngine(const double* row, Fault* fault) const {
  Check check{row, fault, "engine", "", at_.built};
  if (!check(at_.built, 1, {Whole(0, 1)}) || row[at_.built] == 0) {
    return row[at_.built] == 0;
  }
  if (row[at_.ground_hash] != Hash(row + at_.ground, GroundValues(row))) {
    return fault->Raise(PB_FAULT_ENGINE,
                        "the ground was changed after the world's first step: it may be written "
                        "into an initial state only");
  }
  int proxies = Proxies(row), fixtures = int(fixtures_.size());
  const Bound place = Within(kMaxPosition), local = Within(2 * kMaxPosition), any = Within(kMaxNumber),
              angle = Within(kMaxAngle), impulse{0, kMaxNumber}, unit = Within(1),
              normal = Within(1.01), id = Whole(0, UINT32_MAX), shape = Whole(0, proxies - 1);
  if (!check(at_.poses, int(bodies_.size()) * PB_POSE,
             {place, place, angle, local, local, local, local, angle, unit, unit, any}) ||
      !check(at_.joints, int(joints_.size()) * PB_JOINT, {any}) ||
      !check(at_.boxes, fixtures * PB_BOX, {Within(4 * kMaxPosition)}) ||
      !check(at_.contact_count, 1, {Whole(0, scene_.settings.max_contacts)}) ||
      !check(at_.contacts, int(row[at_.contact_count]) * PB_CONTACT,
             {shape, shape, Whole(0, 1), Whole(b2Manifold::e_circles, b2Manifold::e_faceB),
              Whole(0, b2_maxManifoldPoints), normal, normal, local, local,
              local, local, impulse, any, id, local, local, impulse, any, id}) ||
      !check(at_.root, 1, {Whole(0, 2 * proxies - 2)}) ||
      !check(at_.children, proxies - 1, {Whole(0, double(kPack) * kPack - 1)})) {
    return false;
  }
  for (int i = 0; i < fixtures; i++) {
    const double* box = row + at_.boxes + i * PB_BOX;
    if (!(box[0] <= box[2] && box[1] <= box[3])) {
      return fault->Raise(PB_FAULT_ENGINE, "engine: the box of fixture %d is (%g, %g) to (%g, %g)",
                          i, box[0], box[1], box[2], box[3]);
    }
  }
  return true;
}

// Make a new world with everything the scene and the ground say. Bodies stand where
// they last stood for the engine or, in a new world, where the row puts them.
void World::Build(const double* row, bool built) {
  builds_++;
  world_.emplace(Vec(row + at_.gravity));
  world_->SetAllowSleeping(!scene_.settings.sleepless);
  world_->SetContactListener(this);

  b2BodyDef still;
  b2Body* ground = world_->CreateBody(&still);
  int count = int(row[at_.ground]), parts = 0;
  b2Fixture** fixtures = Room(Own().fixtures, Proxies(row));
  for (int i = 0; i < count; i++) {
    const double* shape = row + at_.ground + 1 + i * scene_.Stride();
    b2EdgeShape edge;
    b2FixtureDef def;
    def.friction = float(shape[1]);
    if (shape[0] == 2) {
      edge.SetTwoSided(Vec(shape + 2), Vec(shape + 4));
      def.shape = &edge;
    } else {
      def.shape = &Own().ground[i];
    }
    def.userData.pointer = i;
    fixtures[i] = ground->CreateFixture(&def);
  }

  const pb_Fixture* from = scene_.fixtures.data();
  const pb_Scene::Shape* shape = scene_.shapes.data();
  for (size_t i = 0; i < bodies_.size(); i++) {
    const pb_Body& body = scene_.bodies[i];
    const double* pose = row + (built ? at_.poses + i * PB_POSE : at_.bodies + i * PB_BODY);
    b2BodyDef def;
    def.type = b2_dynamicBody;
    def.position = Vec(pose);
    def.angle = float(pose[2]);
    def.linearDamping = float(body.linear_damping);
    def.angularDamping = float(body.angular_damping);
    def.fixedRotation = body.fixed_rotation;
    def.bullet = body.bullet;
    def.userData.pointer = i + 1;
    bodies_[i] = world_->CreateBody(&def);
    for (int k = 0; k < body.fixtures; k++, from++, shape++) {
      b2FixtureDef part;
      part.shape = shape->Get();
      part.density = float(from->density);
      part.friction = float(from->friction);
      part.restitution = float(from->restitution);
      part.filter.categoryBits = from->category;
      part.filter.maskBits = from->mask;
      part.userData.pointer = count;
      fixtures[count++] = fixtures_[parts++] = bodies_[i]->CreateFixture(&part);
    }
  }

  for (size_t i = 0; i < joints_.size(); i++) {
    const pb_Joint& joint = scene_.joints[i];
    b2RevoluteJointDef def;
    def.bodyA = joint.body_a < 0 ? ground : bodies_[joint.body_a];
    def.bodyB = bodies_[joint.body_b];
    def.localAnchorA = Vec(joint.anchor_a);
    def.localAnchorB = Vec(joint.anchor_b);
    def.referenceAngle = float(joint.reference);
    def.enableLimit = joint.limited;
    def.lowerAngle = float(joint.lower);
    def.upperAngle = float(joint.upper);
    def.enableMotor = joint.motor;
    def.motorSpeed = float(joint.speed);
    def.maxMotorTorque = float(joint.torque);
    def.collideConnected = joint.collide;
    joints_[i] = static_cast<b2RevoluteJoint*>(world_->CreateJoint(&def));
  }

  if (built) {
    // what a step leaves behind
    auto& manager = const_cast<b2ContactManager&>(world_->GetContactManager());
    Of(manager.m_broadPhase, reveal::BroadPhaseMoveCount()) = 0;
    Of(*world_, reveal::WorldNewContacts()) = false;
    Of(*world_, reveal::WorldInvDt0()) = 1.0f / float(scene_.settings.timestep);
  }
}

// Give the tree the shape and the boxes of the row. The structure decides the order in
// which the broad phase finds pairs. Which node a proxy has follows from the order
// of creation, and the ground's boxes from its shapes; parents, heights and the boxes
// of inner nodes follow from the rest.
bool World::LoadTree(const double* row, Fault* fault) const {
  b2DynamicTree& tree = Tree();
  b2TreeNode* nodes = Of(tree, reveal::TreeNodes());
  constexpr int32 kUnseen = b2_nullNode - 1;
  int count = 2 * Proxies(row) - 1, seen = 0;
  const double* box = row + at_.boxes;
  for (b2Fixture* fixture : fixtures_) {
    nodes[Of(*fixture, reveal::FixtureProxies())->proxyId].aabb = {Vec(box), Vec(box + 2)};
    box += PB_BOX;
  }
  const double* children = row + at_.children;
  for (b2TreeNode* node = nodes; node < nodes + count; node++) {
    node->moved = false;
    node->parent = kUnseen;
    if (!node->IsLeaf()) {
      int64_t packed = int64_t(*children++);
      node->child1 = int32(packed / kPack);
      node->child2 = int32(packed % kPack);
    }
  }
  auto visit = [&](auto& visit, int32 i, int32 parent) {  // every node once
    if (i >= count || nodes[i].parent != kUnseen) {
      return fault->Raise(PB_FAULT_ENGINE, "engine: node %d is no child for node %d of the tree", i,
                          parent);
    }
    b2TreeNode& node = nodes[i];
    node.parent = parent;
    seen++;
    if (node.IsLeaf()) {
      return true;
    }
    if (!visit(visit, node.child1, i) || !visit(visit, node.child2, i)) {
      return false;
    }
    node.height = 1 + std::max(nodes[node.child1].height, nodes[node.child2].height);
    node.aabb.Combine(nodes[node.child1].aabb, nodes[node.child2].aabb);
    return true;
  };
  int32 root = Of(tree, reveal::TreeRoot()) = int32(row[at_.root]);
  return visit(visit, root, b2_nullNode) &&
         (seen == count || fault->Raise(PB_FAULT_ENGINE, "engine: the root of the tree reaches %d of %d nodes",
                                        seen, count));
}

// New contacts go to the heads of all lists that they are in; so the last of the row
// comes first.
bool World::LoadContacts(const double* row, Fault* fault) const {
  auto& manager = const_cast<b2ContactManager&>(world_->GetContactManager());
  for (int i = int(row[at_.contact_count]) - 1; i >= 0; i--) {
    const double* from = row + at_.contacts + i * PB_CONTACT;
    b2Fixture *a = Own().fixtures[int(from[0])], *b = Own().fixtures[int(from[1])];
    int32 before = manager.m_contactCount;
    manager.AddPair(Of(*a, reveal::FixtureProxies()), Of(*b, reveal::FixtureProxies()));
    b2Contact* contact = manager.m_contactList;
    if (manager.m_contactCount != before + 1 || contact->GetFixtureA() != a) {
      return fault->Raise(PB_FAULT_ENGINE, "engine: contact %d: shapes %g and %g form none", i,
                          from[0], from[1]);
    }
    b2Manifold& manifold = *contact->GetManifold();
    manifold.type = b2Manifold::Type(int(from[3]));
    manifold.pointCount = int(from[4]);
    manifold.localNormal = Vec(from + 5);
    manifold.localPoint = Vec(from + 7);
    from += 9;
    for (b2ManifoldPoint& point : manifold.points) {
      point.localPoint = Vec(from);
      point.normalImpulse = float(from[2]);
      point.tangentImpulse = float(from[3]);
      point.id.key = uint32(from[4]);
      from += 5;
    }
    contact->SetEnabled(row[at_.contacts + i * PB_CONTACT + 2] != 0);
    if (manifold.pointCount > 0) {
      Of(*contact, reveal::ContactFlags()) |= reveal::Contact::kTouching;
    }
  }
  return true;
}

// Comes after the contacts and joints, whose creation may wake bodies.
void World::LoadBody(const double* row, int i) {
  b2Body& body = *bodies_[i];
  const double* from = row + at_.bodies + i * PB_BODY;
  body.SetAwake(row[at_.awake + i] != 0 || from[3] != 0 || from[4] != 0 || from[5] != 0 ||
                scene_.settings.sleepless);
  if (row[at_.built] != 0) {
    const double* pose = row + at_.poses + i * PB_POSE;
    ::Read(Pose(body), pose);
    if (!std::equal(pose, pose + 3, from, [](double a, double b) { return float(a) == float(b); })) {
      // put there from outside
      body.SetTransform(Vec(from), float(from[2]));
    }
  }
  Of(body, reveal::BodyLinearVelocity()) = Vec(from + 3);
  Of(body, reveal::BodyAngularVelocity()) = float(from[5]);
}

//------------------------------ World to row -----------------------------------------------------

// The row gets what has changed: the ground and gravity never do, the tree seldom.
void World::Store(double* row) {
  int32 insertions = Of(Tree(), reveal::TreeInsertionCount());
  bool first = row[at_.built] == 0;
  int before = first ? 0 : int(row[at_.contact_count]);
  if (first) {
    row[at_.built] = 1;
    row[at_.ground_hash] = Hash(row + at_.ground, GroundValues(row));
    still_ = Still(row);
  }
  int contacts = StoreState(row);
  if (contacts < before) {  // no traces of earlier ones
    std::fill_n(row + at_.contacts + contacts * PB_CONTACT, (before - contacts) * PB_CONTACT, 0.0);
  }
  if (first || insertions != insertions_) {
    StoreTree(row, Proxies(row));
    insertions_ = insertions;
  }
  current_ = stepped_ = true;
}

// Write bodies, joints and contacts, and return the number of contacts.
int World::StoreState(double* row) const {
  for (size_t i = 0; i < bodies_.size(); i++) {
    Write(Motion(*bodies_[i]), row + at_.bodies + i * PB_BODY);
    Write(Pose(*bodies_[i]), row + at_.poses + i * PB_POSE);
    row[at_.awake + i] = bodies_[i]->IsAwake();
    row[at_.contact + i] = contact_[i];
    row[at_.touched + i] = touched_[i];
  }
  for (size_t i = 0; i < joints_.size(); i++) {
    Write(Impulses(*joints_[i]), row + at_.joints + i * PB_JOINT);
  }
  int contacts = 0;
  auto& world = const_cast<b2World&>(*world_);
  for (b2Contact* c = world.GetContactList(); c; c = c->GetNext(), contacts++) {
    StoreContact(row + at_.contacts + contacts * PB_CONTACT, c);
  }
  row[at_.contact_count] = contacts;
  return contacts;
}

// What lies beyond a manifold's points is not initialised by Box2D, and never read.
void World::StoreContact(double* to, b2Contact* contact) const {
  const b2Manifold& manifold = *contact->GetManifold();
  std::fill_n(to, int(PB_CONTACT), 0.0);
  to[0] = double(contact->GetFixtureA()->GetUserData().pointer);
  to[1] = double(contact->GetFixtureB()->GetUserData().pointer);
  to[2] = contact->IsEnabled();
  to[4] = manifold.pointCount;
  if (manifold.pointCount == 0) {
    return;
  }
  to[3] = manifold.type;
  if (manifold.type != b2Manifold::e_circles) {
    Put(to + 5, manifold.localNormal);
  }
  Put(to + 7, manifold.localPoint);
  for (int k = 0; k < manifold.pointCount; k++) {
    double* point = to + 9 + 5 * k;
    Put(point, manifold.points[k].localPoint);
    point[2] = manifold.points[k].normalImpulse;
    point[3] = manifold.points[k].tangentImpulse;
    point[4] = manifold.points[k].id.key;
  }
}

void World::StoreTree(double* row, int proxies) const {
  const b2TreeNode* nodes = Of(Tree(), reveal::TreeNodes());
  double* box = row + at_.boxes;
  for (b2Fixture* fixture : fixtures_) {
    const b2AABB& aabb = nodes[Of(*fixture, reveal::FixtureProxies())->proxyId].aabb;
    Put(box, aabb.lowerBound);
    Put(box + 2, aabb.upperBound);
    box += PB_BOX;
  }
  row[at_.root] = Of(Tree(), reveal::TreeRoot());
  double* children = row + at_.children;
  for (int i = 0; i < 2 * proxies - 1; i++) {
    if (!nodes[i].IsLeaf()) {
      *children++ = double(nodes[i].child1) * kPack + nodes[i].child2;
    }
  }
}

//------------------------------ Steps ------------------------------------------------------------

bool World::Substep(const double* control, Fault* fault) {
  return Drive(control, 1, fault) && Healthy(fault);
}

bool World::Drive(const double* control, int substeps, Fault* fault) {
  current_ = false;
  for (int i = 0; i < substeps; i++) {
    if (!Apply(control, fault)) {
      return false;
    }
    world_->Step(float(scene_.settings.timestep), scene_.settings.velocity_iterations,
                 scene_.settings.position_iterations);
  }
  return true;
}

bool World::Apply(const double* control, Fault* fault) {
  for (const pb_Actuator& actuator : scene_.actuators) {
    const double* value = control + actuator.at;
    switch (actuator.kind) {
      case PB_FORCE:
        if (value[0] != 0 || value[1] != 0) {
          bodies_[actuator.on]->ApplyForceToCenter(Vec(value), true);
        }
        break;
      case PB_TORQUE:
        if (value[0] != 0) {
          bodies_[actuator.on]->ApplyTorque(float(value[0]), true);
        }
        break;
      case PB_IMPULSE:
        if (value[0] != 0 || value[1] != 0) {
          bodies_[actuator.on]->ApplyLinearImpulse(Vec(value), Vec(value + 2), true);
        }
        break;
      case PB_MOTOR: {
        // not by the setters: they wake the bodies only where the value changes, and
        // waking a body that is awake would keep it from ever falling asleep
        b2RevoluteJoint& joint = *joints_[actuator.on];
        Of(joint, reveal::JointMotorSpeed()) = float(value[0]);
        Of(joint, reveal::JointMaxMotorTorque()) = float(std::max(value[1], 0.0));
        for (b2Body* body : {joint.GetBodyA(), joint.GetBodyB()}) {
          if (!body->IsAwake()) {
            body->SetAwake(true);
          }
        }
        continue;
      }
    }

    // what the body would come to, before the solver has its say
    b2Body& body = *bodies_[actuator.on];
    const pb_Scene_::Ease& ease = scene_.ease[actuator.on];
    const b2Vec2 &v = body.GetLinearVelocity(), &force = Of(body, reveal::BodyForce());
    double dt = scene_.settings.timestep;
    if (Bad(v.x + dt * ease.linear * force.x, kMaxSpeed) ||
        Bad(v.y + dt * ease.linear * force.y, kMaxSpeed) ||
        Bad(body.GetAngularVelocity() + dt * ease.angular * Of(body, reveal::BodyTorque()),
            kMaxSpeed)) {
      return fault->Raise(PB_FAULT_NOT_FINITE,
                          "control[%d], %g, brings body %s to more than %g m/s or rad/s",
                          actuator.at, value[0], scene_.bodies[actuator.on].name, kMaxSpeed);
    }
  }
  return true;
}

double World::Ease(b2Body* body) const {
  int i = BodyIndex(body);
  return i < 0 ? 0 : scene_.ease[i].Most();
}

bool World::Healthy(Fault* fault) const {
  for (size_t i = 0; i < bodies_.size(); i++) {
    b2Body& body = *bodies_[i];
    const b2Vec2 &p = body.GetPosition(), &v = body.GetLinearVelocity();
    const b2Sweep& sweep = Of(body, reveal::BodySweep());
    float w = body.GetAngularVelocity();
    if (Bad(p.x, kMaxPosition) || Bad(p.y, kMaxPosition) || Bad(sweep.a, kMaxAngle) ||
        Bad(sweep.c0.x, 2 * kMaxPosition) || Bad(sweep.c0.y, 2 * kMaxPosition) ||
        Bad(sweep.a0, kMaxAngle) || Bad(v.x, kMaxSpeed) || Bad(v.y, kMaxSpeed) ||
        Bad(w, kMaxSpeed)) {
      return fault->Raise(PB_FAULT_NOT_FINITE,
                          "body %s is at (%g, %g), angle %g, velocity (%g, %g), %g",
                          scene_.bodies[i].name, p.x, p.y, sweep.a, v.x, v.y, w);
    }
  }
  for (size_t i = 0; i < joints_.size(); i++) {
    double impulses[PB_JOINT];
    b2RevoluteJoint& joint = *joints_[i];
    Write(Impulses(joint), impulses);
    double ease = std::max(Ease(joint.GetBodyA()), Ease(joint.GetBodyB()));
    for (double impulse : impulses) {
      if (Bad(impulse * ease, kMaxKick)) {
        return fault->Raise(PB_FAULT_NOT_FINITE, "joint %s: an impulse is %g",
                            scene_.joints[i].name, impulse);
      }
    }
  }
  if (world_->GetContactCount() > scene_.settings.max_contacts) {
    return fault->Raise(PB_FAULT_ENGINE, "%d contacts, the scene has room for %d (MaxContacts)",
                        world_->GetContactCount(), scene_.settings.max_contacts);
  }
  for (b2Contact* c = const_cast<b2World&>(*world_).GetContactList(); c; c = c->GetNext()) {
    const b2Manifold& manifold = *c->GetManifold();
    double ease = std::max(Ease(c->GetFixtureA()->GetBody()), Ease(c->GetFixtureB()->GetBody()));
    for (int k = 0; k < manifold.pointCount; k++) {
      const b2ManifoldPoint& point = manifold.points[k];
      if (Bad(point.normalImpulse * ease, kMaxKick) || Bad(point.tangentImpulse * ease, kMaxKick)) {
        return fault->Raise(PB_FAULT_NOT_FINITE, "a contact's impulse is (%g, %g)",
                            point.normalImpulse, point.tangentImpulse);
      }
    }
  }
  return true;
}

//------------------------------ Outputs ----------------------------------------------------------

void World::Read(const pb_Output& output, double* values) const {
  for (int i = output.index; i < output.index + output.count; i++) {
    switch (output.kind) {
      case PB_OUT_BODY:
        Write(Motion(*bodies_[i]), values);
        values += PB_BODY;
        break;
      case PB_OUT_POSE:
        Put(values, bodies_[i]->GetPosition());
        values[2] = bodies_[i]->GetAngle();
        values += 3;
        break;
      case PB_OUT_AWAKE:
        *values++ = bodies_[i]->IsAwake();
        break;
      case PB_OUT_CONTACT:
        *values++ = contact_[i];
        break;
      case PB_OUT_TOUCHED:
        *values++ = touched_[i];
        break;
      case PB_OUT_JOINT:
        *values++ = joints_[i]->GetJointAngle();
        *values++ = joints_[i]->GetJointSpeed();
        break;
      case PB_OUT_RAYS:
        *values++ = RayFraction(scene_.rays[i]);
        break;
      case PB_OUT_JOINT_TORQUE:
        *values++ = joints_[i]->GetMotorTorque(1.0f / float(scene_.settings.timestep));
        break;
      case PB_OUT_FORCE:
        *values++ = ContactForce(i);
        break;
    }
  }
}

double World::RayFraction(const pb_Ray& ray) const {
  struct Closest : b2RayCastCallback {
    uint16_t category;
    float fraction = 1;
    float ReportFixture(b2Fixture* fixture, const b2Vec2&, const b2Vec2&, float f) override {
      if ((fixture->GetFilterData().categoryBits & category) == 0) {
        return -1;  // as if it were not there
      }
      fraction = f;
      return f;  // nothing beyond
    }
  } closest;
  closest.category = ray.category;
  const b2Transform& transform = bodies_[ray.body]->GetTransform();
  double x = ray.vector[0], y = ray.vector[1];
  if (ray.turns) {
    double s = transform.q.s, c = transform.q.c;
    x = c * ray.vector[0] - s * ray.vector[1];
    y = s * ray.vector[0] + c * ray.vector[1];
  }
  const b2Vec2& from = transform.p;
  b2Vec2 to(float(from.x + x), float(from.y + y));
  if ((to - from).LengthSquared() > 0) {  // Box2D asserts it; far out a short ray may vanish
    world_->RayCast(&closest, from, to);
  }
  return closest.fraction;
}

double World::ContactForce(int i) const {
  double impulse = 0;
  for (b2ContactEdge* edge = bodies_[i]->GetContactList(); edge; edge = edge->next) {
    const b2Manifold& manifold = *edge->contact->GetManifold();
    for (int k = 0; k < manifold.pointCount; k++) {
      impulse += manifold.points[k].normalImpulse;
    }
  }
  return impulse / float(scene_.settings.timestep);
}
