// The scene of lander() in box2d_test.go, written by hand against Box2D's public
// interface: an oracle that shares no code with the package. It reads the number of
// steps and then the control of each, and prints the bodies, flags and rays after it, as
// hexadecimal floats.
//
//   c++ -O2 plain.cpp -lbox2d

#include <box2d/box2d.h>

#include <cmath>
#include <cstdio>
#include <initializer_list>

namespace {

b2Body* bodies[3];  // hull, left, right
int contact[3], touched[3];

struct Listener : b2ContactListener {
  void BeginContact(b2Contact* c) override { Set(c, 1); }
  void EndContact(b2Contact* c) override { Set(c, 0); }
  void Set(b2Contact* c, int flag) {
    for (int i = 0; i < 3; i++) {
      if (c->GetFixtureA()->GetBody() == bodies[i] || c->GetFixtureB()->GetBody() == bodies[i]) {
        contact[i] = flag;
        touched[i] += flag;
      }
    }
  }
};

struct Lidar : b2RayCastCallback {
  float fraction = 1;
  float ReportFixture(b2Fixture* f, const b2Vec2&, const b2Vec2&, float at) override {
    if ((f->GetFilterData().categoryBits & 1) == 0) {
      return -1;
    }
    return fraction = at;
  }
};

double Cast(b2World& world, b2Vec2 from, double x, double y) {
  Lidar lidar;
  world.RayCast(&lidar, from, b2Vec2(float(from.x + x), float(from.y + y)));
  return lidar.fraction;
}

b2Body* MakeBody(b2World& world, double x, double y, double angle, const b2PolygonShape& shape,
                 float density, float friction, int category) {
  b2BodyDef def;
  def.type = b2_dynamicBody;
  def.position.Set(float(x), float(y));
  def.angle = float(angle);
  b2Body* body = world.CreateBody(&def);
  b2FixtureDef fixture;
  fixture.shape = &shape;
  fixture.density = density;
  fixture.friction = friction;
  fixture.filter.categoryBits = uint16(category);
  fixture.filter.maskBits = 1;
  body->CreateFixture(&fixture);
  return body;
}

}  // namespace

int main() {
  b2World world(b2Vec2(0, -10));
  Listener listener;
  world.SetContactListener(&listener);

  b2BodyDef still;
  b2Body* moon = world.CreateBody(&still);
  b2FixtureDef ground;
  b2EdgeShape edge;
  ground.shape = &edge;
  ground.friction = 0.2f;
  edge.SetTwoSided(b2Vec2(0, 0), b2Vec2(20, 0));
  moon->CreateFixture(&ground);
  ground.friction = 0.1f;
  for (int i = 0; i < 10; i++) {
    double y0 = 3 + 0.4 * (i * i % 5), y1 = 3 + 0.4 * ((i + 1) * (i + 1) % 5);
    edge.SetTwoSided(b2Vec2(2.0f * i, float(y0)), b2Vec2(2.0f * i + 2, float(y1)));
    moon->CreateFixture(&ground);
  }
  b2PolygonShape block;
  b2Vec2 corners[] = {{11, 3}, {11.5f, 3}, {11.5f, 4}, {11, 4}};
  block.Set(corners, 4);
  ground.shape = &block;
  ground.friction = 2.5f;
  moon->CreateFixture(&ground);

  b2PolygonShape hull, leg;
  b2Vec2 outline[] = {{-0.47f, 0.57f},  {-0.57f, 0}, {-0.57f, -0.33f},
                      {0.57f, -0.33f}, {0.57f, 0},  {0.47f, 0.57f}};
  hull.Set(outline, 6);
  b2Vec2 box[] = {{-0.067f, -0.267f}, {0.067f, -0.267f}, {0.067f, 0.267f}, {-0.067f, 0.267f}};
  leg.Set(box, 4);
  bodies[0] = MakeBody(world, 10, 3.95, 0, hull, 5, 0.1f, 0x10);
  b2RevoluteJoint* joints[2];
  for (int side : {-1, 1}) {
    bodies[side < 0 ? 1 : 2] =
        MakeBody(world, 10 - side * 0.67, 3.95, side * 0.05, leg, 1, 0.2f, 0x20);
  }
  for (int side : {-1, 1}) {
    b2RevoluteJointDef def;
    def.bodyA = bodies[0];
    def.bodyB = bodies[side < 0 ? 1 : 2];
    def.localAnchorB.Set(float(side * 0.67), 0.6f);
    def.enableLimit = def.enableMotor = true;
    def.lowerAngle = side < 0 ? 0.4f : -0.9f;
    def.upperAngle = side < 0 ? 0.9f : -0.4f;
    def.motorSpeed = float(0.3 * side);
    def.maxMotorTorque = 40;
    joints[side < 0 ? 0 : 1] = static_cast<b2RevoluteJoint*>(world.CreateJoint(&def));
  }

  int steps;
  if (scanf("%d", &steps) != 1) {
    return 1;
  }
  for (int step = 0; step < steps; step++) {
    double u[9];  // force x, y; torque; impulse x, y, at x, y; speed, torque
    for (double& x : u) {
      if (scanf("%lf", &x) != 1) {
        return 1;
      }
    }
    if (u[0] != 0 || u[1] != 0) {
      bodies[0]->ApplyForceToCenter(b2Vec2(float(u[0]), float(u[1])), true);
    }
    if (u[2] != 0) {
      bodies[0]->ApplyTorque(float(u[2]), true);
    }
    if (u[3] != 0 || u[4] != 0) {
      bodies[0]->ApplyLinearImpulse(b2Vec2(float(u[3]), float(u[4])),
                                    b2Vec2(float(u[5]), float(u[6])), true);
    }
    joints[0]->SetMotorSpeed(float(u[7]));
    joints[0]->SetMaxMotorTorque(float(u[8]));
    world.Step(1.0f / 50, 180, 60);

    for (int i = 0; i < 3; i++) {
      b2Body* b = bodies[i];
      printf("%a %a %a %a %a %a %d %d %d ", b->GetPosition().x, b->GetPosition().y, b->GetAngle(),
             b->GetLinearVelocity().x, b->GetLinearVelocity().y, b->GetAngularVelocity(),
             b->IsAwake(), contact[i], touched[i]);
    }
    b2Rot q = bodies[1]->GetTransform().q;
    printf("%a %a %a %a\n", joints[1]->GetJointAngle(), joints[1]->GetJointSpeed(),
           Cast(world, bodies[0]->GetPosition(), 0.3, -6),
           Cast(world, bodies[1]->GetPosition(), double(q.c) * -4 - double(q.s) * -4,
                double(q.s) * -4 + double(q.c) * -4));
  }
}
