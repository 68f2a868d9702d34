#include "world.h"

#include <algorithm>
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

// Whether x is a whole number from lo to hi.
bool Whole(double x, double lo, double hi) { return x >= lo && x <= hi && x == std::floor(x); }

b2Vec2 Vec(const double* xy) { return b2Vec2(float(xy[0]), float(xy[1])); }

void Put(double* to, const b2Vec2& v) {
  to[0] = v.x;
  to[1] = v.y;
}

// Body index of a fixture, -1 for the ground.
int BodyIndex(b2Fixture* fixture) { return int(fixture->GetBody()->GetUserData().pointer) - 1; }

// A hash of n numbers, FNV-1a over their bytes.
double Hash(const double* x, int n) {
  uint32_t hash = 2166136261u;
  const auto* bytes = reinterpret_cast<const unsigned char*>(x);
  for (size_t i = 0; i < n * sizeof(double); i++) {
    hash = (hash ^ bytes[i]) * 16777619u;
  }
  return hash;
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
      at_(scene.layout),
      bodies_(scene.bodies.size()),
      joints_(scene.joints.size()),
      fixtures_(scene.settings.max_shapes + scene.fixtures.size()),
      ground_(scene.settings.max_vertices > 2 ? scene.settings.max_shapes : 0),
      contact_(scene.bodies.size()),
      touched_(scene.bodies.size()),
      stack_(2 * fixtures_.size()),
      parent_(2 * fixtures_.size()),
      row_(scene.layout.size) {}

//------------------------------ Contacts as they begin and end -----------------------------------

void World::BeginContact(b2Contact* contact) {
  for (b2Fixture* fixture : {contact->GetFixtureA(), contact->GetFixtureB()}) {
    int body = BodyIndex(fixture);
    if (body >= 0) {
      contact_[body] = 1;
      touched_[body] = std::min(touched_[body] + 1, int32_t(kMaxTouched));
    }
  }
}

void World::EndContact(b2Contact* contact) {
  for (b2Fixture* fixture : {contact->GetFixtureA(), contact->GetFixtureB()}) {
    int body = BodyIndex(fixture);
    if (body >= 0) {
      contact_[body] = 0;
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

// Only what is in use is compared: room for more shapes and contacts decides nothing.
bool World::Same(const double* row) const {
  const double* mine = row_.data();
  auto same = [&](int from, int count) {
    return memcmp(row + from, mine + from, count * sizeof(double)) == 0;
  };
  if (!same(at_.gravity, at_.ground - at_.gravity) || !same(at_.ground, GroundValues(mine)) ||
      !same(at_.built, 1)) {
    return false;
  }
  if (mine[at_.built] == 0) {
    return true;
  }
  int contacts = int(mine[at_.contact_count]);
  return same(at_.built, at_.contacts + contacts * PB_CONTACT - at_.built) &&
         same(at_.root, Proxies(mine));
}

void World::Remember(const double* row) {
  std::fill(row_.begin(), row_.end(), 0.0);  // no traces of another world beyond what is used
  auto copy = [&](int from, int count) {
    memcpy(row_.data() + from, row + from, count * sizeof(double));
  };
  copy(at_.gravity, at_.ground - at_.gravity);
  copy(at_.ground, GroundValues(row));
  copy(at_.built, 1);
  if (row[at_.built] != 0) {
    copy(at_.built, at_.contacts + int(row[at_.contact_count]) * PB_CONTACT - at_.built);
    copy(at_.root, Proxies(row));
  }
}

bool World::Prepare(const double* row, Fault* fault) {
  if (current_ && Same(row)) {
    return true;
  }
  current_ = false;
  if (!Load(row, fault)) {
    return false;
  }
  Remember(row);
  current_ = true;
  return true;
}

//------------------------------ Row to world -----------------------------------------------------

bool World::Load(const double* row, Fault* fault) {
  if (!CheckFinite(row, fault) || !CheckPlain(row, fault) || !CheckGround(row, fault)) {
    return false;
  }
  bool built = row[at_.built] != 0;
  if (built && !CheckEngine(row, fault)) {
    return false;
  }
  Build(row, built);
  if (built && !(LoadTree(row, fault) && LoadContacts(row, fault))) {
    return false;
  }
  insertions_ = Of(Tree(), reveal::TreeInsertionCount());  // before bodies are put elsewhere
  for (size_t i = 0; i < joints_.size() && built; i++) {
    LoadJoint(row, i);
  }
  for (size_t i = 0; i < bodies_.size(); i++) {
    LoadBody(row, i);
    contact_[i] = row[at_.contact + i] != 0;
    touched_[i] = int32_t(row[at_.touched + i]);
  }
  return Healthy(fault);
}

// No number that is used may be bad, so that the checks that follow need not think of it.
bool World::CheckFinite(const double* row, Fault* fault) const {
  auto check = [&](const char* part, int from, int count) {
    for (int i = 0; i < count; i++) {
      if (Bad(row[from + i], kMaxNumber)) {
        return fault->Raise(PB_FAULT_NOT_FINITE, "%s[%d] is %g", part, i, row[from + i]);
      }
    }
    return true;
  };
  for (size_t i = 0; i < bodies_.size(); i++) {
    static const char* names[PB_BODY] = {"x", "y", "angle", "vx", "vy", "angular velocity"};
    static const double bounds[PB_BODY] = {kMaxPosition, kMaxPosition, kMaxAngle,
                                           kMaxSpeed,    kMaxSpeed,    kMaxSpeed};
    for (int k = 0; k < PB_BODY; k++) {
      double x = row[at_.bodies + i * PB_BODY + k];
      if (Bad(x, bounds[k])) {
        return fault->Raise(PB_FAULT_NOT_FINITE, "body %s: %s is %g", scene_.bodies[i].name,
                            names[k], x);
      }
    }
  }
  for (int i = 0; i < 2; i++) {
    if (Bad(row[at_.gravity + i], kMaxSpeed)) {
      return fault->Raise(PB_FAULT_NOT_FINITE, "gravity[%d] is %g", i, row[at_.gravity + i]);
    }
  }
  if (!check("awake", at_.awake, bodies_.size()) ||
      !check("contact", at_.contact, bodies_.size()) ||
      !check("touched", at_.touched, bodies_.size()) || !check("ground", at_.ground, 1)) {
    return false;
  }
  if (!Whole(row[at_.ground], 0, scene_.settings.max_shapes)) {
    return fault->Raise(PB_FAULT_ENGINE, "ground of %g shapes, want 0 to %d", row[at_.ground],
                        scene_.settings.max_shapes);
  }
  if (!check("ground", at_.ground, GroundValues(row)) || !check("engine", at_.built, 1)) {
    return false;
  }
  if (!Whole(row[at_.built], 0, 1)) {
    return fault->Raise(PB_FAULT_ENGINE, "engine[0] is %g, want 0 or 1", row[at_.built]);
  }
  if (row[at_.built] == 0) {
    return true;
  }
  if (!check("engine", at_.built, at_.contacts - at_.built)) {
    return false;
  }
  if (!Whole(row[at_.contact_count], 0, scene_.settings.max_contacts)) {
    return fault->Raise(PB_FAULT_ENGINE, "%g contacts, want 0 to %d", row[at_.contact_count],
                        scene_.settings.max_contacts);
  }
  return check("contacts", at_.contacts, int(row[at_.contact_count]) * PB_CONTACT) &&
         check("tree", at_.root, Proxies(row));
}

bool World::CheckPlain(const double* row, Fault* fault) const {
  for (size_t i = 0; i < bodies_.size(); i++) {
    if (!Whole(row[at_.awake + i], 0, 1)) {
      return fault->Raise(PB_FAULT_ENGINE, "awake/%s is %g, want 0 or 1", scene_.bodies[i].name,
                          row[at_.awake + i]);
    }
    if (!Whole(row[at_.contact + i], 0, 1)) {
      return fault->Raise(PB_FAULT_ENGINE, "contact/%s is %g, want 0 or 1", scene_.bodies[i].name,
                          row[at_.contact + i]);
    }
    if (!Whole(row[at_.touched + i], 0, kMaxTouched)) {
      return fault->Raise(PB_FAULT_ENGINE, "touched/%s is %g, want a count up to %g",
                          scene_.bodies[i].name, row[at_.touched + i], kMaxTouched);
    }
  }
  return true;
}

// Check the shapes of the ground, and set the polygons among them up in ground_.
bool World::CheckGround(const double* row, Fault* fault) {
  for (int i = 0; i < int(row[at_.ground]); i++) {
    const double* shape = row + at_.ground + 1 + i * scene_.Stride();
    if (!Whole(shape[0], 2, scene_.settings.max_vertices)) {
      return fault->Raise(PB_FAULT_ENGINE, "ground shape %d has %g vertices, want 2 to %d", i,
                          shape[0], scene_.settings.max_vertices);
    }
    if (shape[1] < 0) {
      return fault->Raise(PB_FAULT_ENGINE, "ground shape %d: friction is %g, want at least 0", i,
                          shape[1]);
    }
    int count = int(shape[0]);
    b2Vec2 points[b2_maxPolygonVertices];
    for (int k = 0; k < count; k++) {
      const double* xy = shape + 2 + 2 * k;
      if (Bad(xy[0], kMaxPosition) || Bad(xy[1], kMaxPosition)) {
        return fault->Raise(PB_FAULT_ENGINE,
                            "ground shape %d: vertex %d is (%g, %g), want within %g m", i, k, xy[0],
                            xy[1], kMaxPosition);
      }
      points[k] = Vec(xy);
    }
    if (count == 2) {
      if (!(b2Distance(points[0], points[1]) >= kSlop)) {
        return fault->Raise(PB_FAULT_ENGINE, "ground shape %d: an edge shorter than 5 mm", i);
      }
      continue;
    }
    char why[PB_MESSAGE];
    if (!MakePolygon(points, count, &ground_[i], why)) {
      return fault->Raise(PB_FAULT_ENGINE, "ground shape %d: %.400s", i, why);
    }
  }
  return true;
}

bool World::CheckEngine(const double* row, Fault* fault) const {
  if (row[at_.ground_hash] != Hash(row + at_.ground, GroundValues(row))) {
    return fault->Raise(PB_FAULT_ENGINE,
                        "the ground was changed after the world's first step: it may be written "
                        "into an initial state only");
  }
  for (size_t i = 0; i < bodies_.size(); i++) {
    const double* pose = row + at_.poses + i * PB_POSE;
    static const double bounds[PB_POSE] = {
        kMaxPosition,     kMaxPosition,     kMaxAngle, 2 * kMaxPosition, 2 * kMaxPosition,
        2 * kMaxPosition, 2 * kMaxPosition, kMaxAngle, 1,                1,
        kMaxNumber};
    for (int k = 0; k < PB_POSE; k++) {
      if (Bad(pose[k], bounds[k])) {
        return fault->Raise(PB_FAULT_ENGINE, "engine: value %d of the pose of body %s is %g", k,
                            scene_.bodies[i].name, pose[k]);
      }
    }
  }
  for (size_t i = 0; i < scene_.fixtures.size(); i++) {
    const double* box = row + at_.boxes + i * PB_BOX;
    if (!(box[0] <= box[2] && box[1] <= box[3]) || Bad(box[0], 4 * kMaxPosition) ||
        Bad(box[1], 4 * kMaxPosition) || Bad(box[2], 4 * kMaxPosition) ||
        Bad(box[3], 4 * kMaxPosition)) {
      return fault->Raise(PB_FAULT_ENGINE, "engine: the box of fixture %zu is (%g, %g) to (%g, %g)",
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
  int count = int(row[at_.ground]);
  for (int i = 0; i < count; i++) {
    const double* shape = row + at_.ground + 1 + i * scene_.Stride();
    b2EdgeShape edge;
    b2FixtureDef def;
    def.friction = float(shape[1]);
    if (shape[0] == 2) {
      edge.SetTwoSided(Vec(shape + 2), Vec(shape + 4));
      def.shape = &edge;
    } else {
      def.shape = &ground_[i];
    }
    def.userData.pointer = i;
    fixtures_[i] = ground->CreateFixture(&def);
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
      fixtures_[count++] = bodies_[i]->CreateFixture(&part);
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
bool World::LoadTree(const double* row, Fault* fault) {
  b2DynamicTree& tree = Tree();
  b2TreeNode* nodes = Of(tree, reveal::TreeNodes());
  int proxies = Proxies(row);
  int count = 2 * proxies - 1;
  const double* root = row + at_.root;
  if (!Whole(*root, 0, count - 1)) {
    return fault->Raise(PB_FAULT_ENGINE, "engine: the root of the tree is %g, want 0 to %d", *root,
                        count - 1);
  }

  // boxes and links
  std::fill_n(parent_.begin(), count, b2_nullNode);
  const double* box = row + at_.boxes;
  for (int i = int(row[at_.ground]); i < proxies; i++, box += PB_BOX) {
    nodes[Of(*fixtures_[i], reveal::FixtureProxies())->proxyId].aabb = {Vec(box), Vec(box + 2)};
  }
  const double* children = row + at_.children;
  for (int i = 0; i < count; i++) {
    nodes[i].moved = false;
    if (nodes[i].IsLeaf()) {
      continue;
    }
    if (!Whole(*children, 0, double(kPack) * kPack - 1)) {
      return fault->Raise(PB_FAULT_ENGINE, "engine: children %g of node %d", *children, i);
    }
    int64_t packed = int64_t(*children++);
    nodes[i].child1 = int32(packed / kPack);
    nodes[i].child2 = int32(packed % kPack);
    for (int32 child : {nodes[i].child1, nodes[i].child2}) {
      if (child >= count || parent_[child] != b2_nullNode) {
        return fault->Raise(PB_FAULT_ENGINE, "engine: node %d is no child for node %d of the tree",
                            child, i);
      }
      parent_[child] = i;
    }
  }

  // from the root on, every node once
  int top = 0, seen = 0;
  stack_[top++] = int32_t(*root);
  if (parent_[int(*root)] != b2_nullNode) {
    return fault->Raise(PB_FAULT_ENGINE, "engine: the root of the tree has a parent");
  }
  // stack_ keeps, behind what is to be visited, the nodes in the order of visiting
  for (; top > 0; seen++) {
    int32_t node = stack_[--top];
    stack_[count - 1 - seen] = node;
    nodes[node].parent = parent_[node];
    if (!nodes[node].IsLeaf()) {
      stack_[top++] = nodes[node].child1;
      stack_[top++] = nodes[node].child2;
    }
  }
  if (seen != count) {
    return fault->Raise(PB_FAULT_ENGINE, "engine: the tree reaches %d of %d nodes", seen, count);
  }
  for (int i = 0; i < count; i++) {  // children before parents
    b2TreeNode& node = nodes[stack_[i]];
    if (!node.IsLeaf()) {
      node.height = 1 + std::max(nodes[node.child1].height, nodes[node.child2].height);
      node.aabb.Combine(nodes[node.child1].aabb, nodes[node.child2].aabb);
    }
  }
  Of(tree, reveal::TreeRoot()) = int32(*root);
  return true;
}

// New contacts go to the heads of all lists that they are in; so the last of the row
// comes first.
bool World::LoadContacts(const double* row, Fault* fault) {
  auto& manager = const_cast<b2ContactManager&>(world_->GetContactManager());
  int proxies = Proxies(row);
  for (int i = int(row[at_.contact_count]) - 1; i >= 0; i--) {
    const double* from = row + at_.contacts + i * PB_CONTACT;
    if (!Whole(from[0], 0, proxies - 1) || !Whole(from[1], 0, proxies - 1) ||
        !Whole(from[2], 0, 1) || !Whole(from[3], b2Manifold::e_circles, b2Manifold::e_faceB) ||
        !Whole(from[4], 0, b2_maxManifoldPoints)) {
      return fault->Raise(PB_FAULT_ENGINE, "engine: contact %d is of %g and %g, %g, %g, %g", i,
                          from[0], from[1], from[2], from[3], from[4]);
    }
    b2Fixture *a = fixtures_[int(from[0])], *b = fixtures_[int(from[1])];
    int32 before = manager.m_contactCount;
    manager.AddPair(Of(*a, reveal::FixtureProxies()), Of(*b, reveal::FixtureProxies()));
    b2Contact* contact = manager.m_contactList;
    if (manager.m_contactCount != before + 1 || contact->GetFixtureA() != a) {
      return fault->Raise(PB_FAULT_ENGINE, "engine: contact %d: shapes %g and %g form none", i,
                          from[0], from[1]);
    }
    if (Bad(from[5], 1.01) || Bad(from[6], 1.01) || Bad(from[7], 2 * kMaxPosition) ||
        Bad(from[8], 2 * kMaxPosition)) {
      return fault->Raise(PB_FAULT_ENGINE, "engine: contact %d: normal (%g, %g) at (%g, %g)", i,
                          from[5], from[6], from[7], from[8]);
    }
    b2Manifold& manifold = *contact->GetManifold();
    manifold.type = b2Manifold::Type(int(from[3]));
    manifold.pointCount = int(from[4]);
    manifold.localNormal = Vec(from + 5);
    manifold.localPoint = Vec(from + 7);
    for (int k = 0; k < b2_maxManifoldPoints; k++) {
      const double* point = from + 9 + 5 * k;
      if (!Whole(point[4], 0, UINT32_MAX) || Bad(point[0], 2 * kMaxPosition) ||
          Bad(point[1], 2 * kMaxPosition)) {
        return fault->Raise(PB_FAULT_ENGINE,
                            "engine: contact %d: point %d is at (%g, %g), its id %g", i, k,
                            point[0], point[1], point[4]);
      }
      if (k < manifold.pointCount && point[2] < 0) {
        return fault->Raise(PB_FAULT_ENGINE,
                            "engine: contact %d: the normal impulse of point %d is %g", i, k,
                            point[2]);
      }
      manifold.points[k].localPoint = Vec(point);
      manifold.points[k].normalImpulse = float(point[2]);
      manifold.points[k].tangentImpulse = float(point[3]);
      manifold.points[k].id.key = uint32(point[4]);
    }
    uint32& flags = Of(*contact, reveal::ContactFlags());
    flags = (from[2] != 0 ? reveal::ContactEnabled() : 0u) |
            (manifold.pointCount > 0 ? reveal::ContactTouching() : 0u);
  }
  return true;
}

// Comes after the contacts and joints, whose creation may wake bodies.
void World::LoadBody(const double* row, int i) {
  b2Body& body = *bodies_[i];
  const double* from = row + at_.bodies + i * PB_BODY;
  if (row[at_.built] != 0) {
    const double* pose = row + at_.poses + i * PB_POSE;
    b2Transform& transform = Of(body, reveal::BodyTransform());
    b2Sweep& sweep = Of(body, reveal::BodySweep());
    transform.p = Vec(pose);
    sweep.a = float(pose[2]);
    sweep.c = Vec(pose + 3);
    sweep.c0 = Vec(pose + 5);
    sweep.a0 = float(pose[7]);
    transform.q.s = float(pose[8]);
    transform.q.c = float(pose[9]);
    Of(body, reveal::BodySleepTime()) = float(pose[10]);
    if (float(from[0]) != transform.p.x || float(from[1]) != transform.p.y ||
        float(from[2]) != sweep.a) {  // put there from outside
      body.SetTransform(Vec(from), float(from[2]));
    }
  }
  Of(body, reveal::BodyLinearVelocity()) = Vec(from + 3);
  Of(body, reveal::BodyAngularVelocity()) = float(from[5]);
  bool awake = row[at_.awake + i] != 0 || from[3] != 0 || from[4] != 0 || from[5] != 0 ||
               scene_.settings.sleepless;
  uint16& flags = Of(body, reveal::BodyFlags());
  flags = awake ? flags | reveal::BodyAwake() : flags & ~reveal::BodyAwake();
}

void World::LoadJoint(const double* row, int i) {
  b2RevoluteJoint& joint = *joints_[i];
  const double* from = row + at_.joints + i * PB_JOINT;
  Of(joint, reveal::JointImpulse()) = Vec(from);
  Of(joint, reveal::JointMotorImpulse()) = float(from[2]);
  Of(joint, reveal::JointLowerImpulse()) = float(from[3]);
  Of(joint, reveal::JointUpperImpulse()) = float(from[4]);
}

//------------------------------ World to row -----------------------------------------------------

// The row gets what has changed: the ground and gravity never do, the tree seldom.
void World::Store(double* row) {
  double* mine = row_.data();
  b2DynamicTree& tree = Tree();
  int32 insertions = Of(tree, reveal::TreeInsertionCount());
  bool first = mine[at_.built] == 0;
  bool moved = first || insertions != insertions_;
  int before = first ? 0 : int(mine[at_.contact_count]);
  if (first) {
    mine[at_.built] = 1;
    mine[at_.ground_hash] = Hash(mine + at_.ground, GroundValues(mine));
  }

  for (size_t i = 0; i < bodies_.size(); i++) {
    StoreBody(mine, i);
    mine[at_.awake + i] = bodies_[i]->IsAwake();
    mine[at_.contact + i] = contact_[i];
    mine[at_.touched + i] = touched_[i];
  }
  for (size_t i = 0; i < joints_.size(); i++) {
    StoreJoint(mine, i);
  }
  int contacts = 0;
  for (b2Contact* c = world_->GetContactList(); c; c = c->GetNext(), contacts++) {
    StoreContact(mine + at_.contacts + contacts * PB_CONTACT, c);
  }
  mine[at_.contact_count] = contacts;
  if (contacts < before) {
    std::fill_n(mine + at_.contacts + contacts * PB_CONTACT, (before - contacts) * PB_CONTACT, 0.0);
  }
  if (moved) {
    StoreBoxes(mine);
    StoreTree(mine);
    insertions_ = insertions;
  }

  auto copy = [&](int from, int count) { memcpy(row + from, mine + from, count * sizeof(double)); };
  copy(at_.bodies, at_.ground - at_.bodies);
  copy(at_.built, at_.contacts + std::max(contacts, before) * PB_CONTACT - at_.built);
  if (moved) {
    copy(at_.root, Proxies(mine));
  }
  current_ = true;
}

void World::StoreAll(double* row) {
  memcpy(row + at_.gravity, row_.data() + at_.gravity,
         (row_.size() - at_.gravity) * sizeof(double));
  if (!current_) {
    Store(row);
  }
}

void World::StoreBody(double* row, int i) const {
  b2Body& body = *bodies_[i];
  const b2Transform& transform = body.GetTransform();
  const b2Sweep& sweep = Of(body, reveal::BodySweep());
  double* to = row + at_.bodies + i * PB_BODY;
  Put(to, transform.p);
  to[2] = sweep.a;
  Put(to + 3, body.GetLinearVelocity());
  to[5] = body.GetAngularVelocity();
  double* pose = row + at_.poses + i * PB_POSE;
  Put(pose, transform.p);
  pose[2] = sweep.a;
  Put(pose + 3, sweep.c);
  Put(pose + 5, sweep.c0);
  pose[7] = sweep.a0;
  pose[8] = transform.q.s;
  pose[9] = transform.q.c;
  pose[10] = Of(body, reveal::BodySleepTime());
}

void World::StoreJoint(double* row, int i) const {
  b2RevoluteJoint& joint = *joints_[i];
  double* to = row + at_.joints + i * PB_JOINT;
  Put(to, Of(joint, reveal::JointImpulse()));
  to[2] = Of(joint, reveal::JointMotorImpulse());
  to[3] = Of(joint, reveal::JointLowerImpulse());
  to[4] = Of(joint, reveal::JointUpperImpulse());
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

void World::StoreBoxes(double* row) const {
  double* box = row + at_.boxes;
  const b2TreeNode* nodes = Of(Tree(), reveal::TreeNodes());
  for (int i = int(row[at_.ground]); i < Proxies(row); i++, box += PB_BOX) {
    const b2AABB& aabb = nodes[Of(*fixtures_[i], reveal::FixtureProxies())->proxyId].aabb;
    Put(box, aabb.lowerBound);
    Put(box + 2, aabb.upperBound);
  }
}

void World::StoreTree(double* row) const {
  const b2TreeNode* nodes = Of(Tree(), reveal::TreeNodes());
  row[at_.root] = Of(Tree(), reveal::TreeRoot());
  double* children = row + at_.children;
  for (int i = 0; i < 2 * Proxies(row) - 1; i++) {
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
  int i = int(body->GetUserData().pointer) - 1;
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
    Put(impulses, Of(joint, reveal::JointImpulse()));
    impulses[2] = Of(joint, reveal::JointMotorImpulse());
    impulses[3] = Of(joint, reveal::JointLowerImpulse());
    impulses[4] = Of(joint, reveal::JointUpperImpulse());
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
        Put(values, bodies_[i]->GetPosition());
        values[2] = bodies_[i]->GetAngle();
        Put(values + 3, bodies_[i]->GetLinearVelocity());
        values[5] = bodies_[i]->GetAngularVelocity();
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
