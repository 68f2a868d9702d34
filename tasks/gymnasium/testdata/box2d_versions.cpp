// What a version of Box2D does to BipedalWalker-v3 under the controller that comes
// with it: a plain program without Gymnasium and without this project, to be built
// with either version. docs/parity.md has its figures.
//
//   g++ -O2 box2d_versions.cpp -lbox2d                           2.4
//   g++ -O2 -DBOX2D_2_3 -I SOURCES box2d_versions.cpp OBJECTS    2.3
//
// Usage: a.out EPISODES

#ifdef BOX2D_2_3
#include <Box2D/Box2D.h>
#else
#include <box2d/box2d.h>
#endif

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

namespace {

constexpr double kStep = 14 / 30.0, kHeight = 400 / 30.0 / 4;
constexpr double kLegWidth = 8 / 30.0, kLegHeight = 34 / 30.0, kLegDown = -8 / 30.0;
constexpr int kPoints = 200;

// Listener keeps what Gymnasium's listener keeps.
struct Listener : b2ContactListener {
  b2Body* hull = nullptr;
  b2Body* foot[2] = {};
  bool down[2] = {};
  bool fallen = false;

  void Set(b2Contact* contact, bool touches) {
    for (b2Body* body : {contact->GetFixtureA()->GetBody(), contact->GetFixtureB()->GetBody()}) {
      fallen |= touches && body == hull;
      for (int i = 0; i < 2; i++) {
        if (body == foot[i]) down[i] = touches;
      }
    }
  }
  void BeginContact(b2Contact* contact) override { Set(contact, true); }
  void EndContact(b2Contact* contact) override { Set(contact, false); }
};

// Controller is BipedalWalkerHeuristics.
struct Controller {
  int phase = 0, moving = 0;
  float knee = 0.1f;

  void Act(const float* s, float* action) {
    float hips[2] = {}, knees[2] = {};
    int m = moving, q = 1 - moving;
    const float *leg = s + 4 + 5 * m, *support = s + 4 + 5 * q;
    if (phase == 0) {
      hips[m] = 1.1f;
      knees[m] = -0.6f;
      knee = fminf(knee + (s[2] > 0.29f ? 0.06f : 0.03f), 0.1f);
      knees[q] = knee;
      if (support[0] < 0.1f) phase = 1;
    }
    if (phase == 1) {
      hips[m] = knees[m] = 0.1f;
      knees[q] = knee;
      if (leg[4] != 0) {
        phase = 2;
        knee = fminf(leg[2], 0.1f);
      }
    }
    if (phase == 2) {
      knees[m] = knee;
      knees[q] = 1;
      if (support[2] > 0.88f || s[2] > 0.348f) {
        phase = 0;
        moving = q;
      }
    }
    for (int i = 0; i < 2; i++) {
      const float* j = s + 4 + 5 * i;
      float h = hips[i] != 0 ? 0.9f * (hips[i] - j[0]) - 0.25f * j[1] : 0;
      float k = knees[i] != 0 ? 4 * (knees[i] - j[2]) - 0.25f * j[3] : 0;
      h += 0.9f * s[0] + 1.5f * s[1];
      k -= 15 * s[3];
      action[2 * i] = fmaxf(-1, fminf(1, 0.5f * h));
      action[2 * i + 1] = fmaxf(-1, fminf(1, 0.5f * k));
    }
  }
};

struct Outcome {
  double reward = 0;
  int steps = 0;
};

void LayGround(b2World& world, std::mt19937_64& draws) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  double height = kHeight, slope = 0, y[kPoints];
  int counter = 20;
  bool flat = false;
  for (int i = 0; i < kPoints; i++) {
    if (!flat) {
      slope = 0.8 * slope + 0.01 * ((kHeight > height) - (kHeight < height));
      if (i > 20) slope += uniform(draws) / 30;
      height += slope;
    }
    y[i] = height;
    flat = --counter == 0;
    if (flat) counter = 5 + draws() % 5;
  }
  b2BodyDef def;
  b2Body* ground = world.CreateBody(&def);
  for (int i = 0; i + 1 < kPoints; i++) {
    b2EdgeShape edge;
    b2Vec2 a(i * kStep, y[i]), b((i + 1) * kStep, y[i + 1]);
#ifdef BOX2D_2_3
    edge.Set(a, b);
#else
    edge.SetTwoSided(a, b);
#endif
    b2FixtureDef fixture;
    fixture.shape = &edge;
    fixture.friction = 2.5f;
    fixture.filter.categoryBits = 0x0001;
    ground->CreateFixture(&fixture);
  }
}

b2Body* MakeBody(b2World& world, double x, double y, double angle, const b2Shape& shape, float density, float friction) {
  b2BodyDef def;
  def.type = b2_dynamicBody;
  def.position.Set(x, y);
  def.angle = angle;
  b2Body* body = world.CreateBody(&def);
  b2FixtureDef fixture;
  fixture.shape = &shape;
  fixture.density = density;
  fixture.friction = friction;
  fixture.filter.categoryBits = 0x0020;
  fixture.filter.maskBits = 0x0001;
  body->CreateFixture(&fixture);
  return body;
}

b2RevoluteJoint* MakeJoint(b2World& world, b2Body* a, double anchor, b2Body* b, double lower, double upper) {
  b2RevoluteJointDef def;
  def.bodyA = a;
  def.bodyB = b;
  def.localAnchorA.Set(0, anchor);
  def.localAnchorB.Set(0, kLegHeight / 2);
  def.referenceAngle = b->GetAngle() - a->GetAngle();
  def.enableMotor = def.enableLimit = true;
  def.lowerAngle = lower;
  def.upperAngle = upper;
  return static_cast<b2RevoluteJoint*>(world.CreateJoint(&def));
}

Outcome Play(unsigned long seed) {
  std::mt19937_64 draws(seed);
  b2World world(b2Vec2(0, -10));
  Listener listener;
  world.SetContactListener(&listener);
  LayGround(world, draws);

  const double x = kStep * 20 / 2, y = kHeight + 2 * kLegHeight;
  b2Vec2 outline[5] = {{-1, 0.3f}, {0.2f, 0.3f}, {34 / 30.f, 1 / 30.f}, {34 / 30.f, -8 / 30.f}, {-1, -8 / 30.f}};
  b2PolygonShape hull_shape, upper, lower;
  hull_shape.Set(outline, 5);
  upper.SetAsBox(kLegWidth / 2, kLegHeight / 2);
  lower.SetAsBox(0.8 * kLegWidth / 2, kLegHeight / 2);
  b2Body* hull = listener.hull = MakeBody(world, x, y, 0, hull_shape, 5, 0.1f);
  hull->ApplyForceToCenter(b2Vec2(std::uniform_real_distribution<double>(-5, 5)(draws), 0), true);
  b2RevoluteJoint* joints[4];
  for (int i = 0; i < 2; i++) {
    double angle = i == 0 ? -0.05 : 0.05;
    b2Body* leg = MakeBody(world, x, y - kLegHeight / 2 - kLegDown, angle, upper, 1, 0.2f);
    joints[2 * i] = MakeJoint(world, hull, kLegDown, leg, -0.8, 1.1);
    listener.foot[i] = MakeBody(world, x, y - kLegHeight * 3 / 2 - kLegDown, angle, lower, 1, 0.2f);
    joints[2 * i + 1] = MakeJoint(world, leg, -kLegHeight / 2, listener.foot[i], -1.6, -0.1);
  }

  // Step -1 is the one inside Gymnasium's reset, step 0 that of its first, empty action.
  Outcome outcome;
  Controller controller;
  float action[4] = {}, s[14];
  double before = 0;
  for (int step = -1; step < 1600; step++) {
    for (int i = 0; i < 4; i++) {
      float speed = i % 2 == 0 ? 4 : 6;
      joints[i]->SetMotorSpeed(speed * ((action[i] > 0) - (action[i] < 0)));
      joints[i]->SetMaxMotorTorque(80 * fabsf(action[i]));
      joints[i]->GetBodyA()->SetAwake(true);
      joints[i]->GetBodyB()->SetAwake(true);
    }
    world.Step(1 / 50.f, 180, 60);
    b2Vec2 p = hull->GetPosition(), v = hull->GetLinearVelocity();
    double shaping = 130 * p.x / 30.0 - 5 * fabs(static_cast<double>(hull->GetAngle()));
    double reward = shaping - before;
    before = shaping;
    if (step < 0) continue;
    outcome.steps++;
    for (float a : action) reward -= 0.028 * fabsf(a);
    if (listener.fallen || p.x < 0) {
      outcome.reward -= 100;
      break;
    }
    outcome.reward += reward;
    if (p.x > 190 * kStep) break;

    s[0] = hull->GetAngle();
    s[1] = 2 * hull->GetAngularVelocity() / 50;
    s[2] = 0.3 * v.x * 20 / 50;
    s[3] = 0.3 * v.y * (400 / 30.0) / 50;
    for (int i = 0; i < 2; i++) {
      float* j = s + 4 + 5 * i;
      j[0] = joints[2 * i]->GetJointAngle();
      j[1] = joints[2 * i]->GetJointSpeed() / 4;
      j[2] = joints[2 * i + 1]->GetJointAngle() + 1;
      j[3] = joints[2 * i + 1]->GetJointSpeed() / 6;
      j[4] = listener.down[i];
    }
    controller.Act(s, action);
  }
  return outcome;
}

}  // namespace

int main(int argc, char** argv) {
  int episodes = argc > 1 ? atoi(argv[1]) : 0;
  if (episodes < 2) {
    fprintf(stderr, "usage: %s EPISODES, at least 2\n", argv[0]);
    return 2;
  }
  std::vector<double> rewards;
  double mean = 0, squares = 0, steps = 0;
  for (int e = 0; e < episodes; e++) {
    Outcome o = Play(e);
    rewards.push_back(o.reward);
    mean += o.reward / episodes;
    steps += static_cast<double>(o.steps) / episodes;
  }
  for (double r : rewards) squares += (r - mean) * (r - mean);
  double deviation = sqrt(squares / (episodes - 1));
  printf("%d episodes: return %.1f, deviation %.1f, standard error %.2f, length %.0f\n", episodes, mean, deviation,
         deviation / sqrt(episodes), steps);
}
