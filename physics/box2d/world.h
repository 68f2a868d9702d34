// A live b2World and the state row it stands for.

#ifndef POLYRHYTHM_PHYSICS_BOX2D_WORLD_H_
#define POLYRHYTHM_PHYSICS_BOX2D_WORLD_H_

#include <box2d/box2d.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "shim.h"

#if defined(__GLIBC__) && (defined(__x86_64__) || defined(__aarch64__))
// glibc 2.35 has a second version of hypot, which differs in errno only. With the first
// one a library built there also loads with glibc 2.34, as the Python wheel says.
#ifdef __x86_64__
__asm__(".symver hypot, hypot@GLIBC_2.2.5");
#else
__asm__(".symver hypot, hypot@GLIBC_2.17");
#endif
#endif

// Largest coordinate (m), speed (m/s, rad/s) and angle (rad) of a healthy world.
// Beyond the first, a float32 is coarser than Box2D's own tolerances.
constexpr double kMaxPosition = 1e5;
constexpr double kMaxSpeed = 1e5;
constexpr double kMaxAngle = 1e6;
// Largest change of speed that a stored impulse may bring to a body it acts on. Like
// kMaxSpeed it keeps the solver's products far from float32's largest number: beyond that
// they become NaNs, on which Box2D's asserts end the process.
constexpr double kMaxKick = 1e9;
// Largest magnitude of any other number in a row or a control.
constexpr double kMaxNumber = 1e12;
// Largest number of contacts that a body's count of them goes up to.
constexpr double kMaxTouched = 1e6;

// A compiled scene: immutable, shared by all worlds.
struct pb_Scene_ {
  pb_Settings settings;
  std::vector<pb_Body> bodies;
  std::vector<pb_Fixture> fixtures;
  std::vector<pb_Joint> joints;
  std::vector<pb_Actuator> actuators;
  std::vector<pb_Ray> rays;

  // Either shape of a fixture.
  struct Shape {
    b2PolygonShape polygon;
    b2CircleShape circle;
    bool round;
    const b2Shape* Get() const {
      return round ? static_cast<const b2Shape*>(&circle) : &polygon;
    }
  };
  std::vector<Shape> shapes;  // of the fixtures

  // What an impulse of 1 does to a body: to its speed, to its angular velocity.
  struct Ease {
    double linear, angular;
    double Most() const { return std::max(linear, angular); }
  };
  std::vector<Ease> ease;  // of the bodies

  int Stride() const { return 2 + 2 * settings.max_vertices; }  // of a ground shape in a row
};

// Why a world cannot be loaded or stepped.
struct Fault {
  int code = PB_FAULT_NONE;
  char* message;  // PB_MESSAGE bytes

  explicit Fault(char* buffer) : message(buffer) { message[0] = '\0'; }
  // Note the fault and return false, for callers that pass it on.
  bool Raise(int code, const char* format, ...) __attribute__((format(printf, 3, 4)));
};

// Write the points of a strictly convex polygon, in either order, to shape. Return
// false and write why to message if Box2D could not take it.
bool MakePolygon(const b2Vec2* points, int count, b2PolygonShape* shape, char* message);

// A world of a row. It is a cache: after Prepare(row) it stands where the row says,
// whatever it was before. What it needs for a moment only belongs to the thread.
class World : private b2ContactListener {
 public:
  explicit World(const pb_Scene& scene);
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  // Make this the world of row, the control apart: at once if it is so already, as it is
  // if the row's version is that of the last call or if the row says so, else by building it
  // from the row. False, with a fault, if the row stands for none.
  bool Prepare(const double* row, uint64_t version, Fault* fault);

  // Apply control and take one substep. From the first one on, until Store, the
  // world stands for no row. False, with a fault, if it came to harm.
  bool Substep(const double* control, Fault* fault);

  // Apply control and step, substeps times, without a look at what comes of it: what a
  // program without this project would run. False, with a fault, if a control is bad.
  bool Drive(const double* control, int substeps, Fault* fault);

  // Write the state to row, the one that Prepare was given, control apart. The world
  // must be healthy.
  void Store(double* row);

  // Whether the world is one that a row can hold; else a fault.
  bool Healthy(Fault* fault) const;

  // Stand for no row any more.
  void Forget() { current_ = false; }

  // Whether the world stands for a row.
  bool Current() const { return current_; }

  // Write an output's values.
  void Read(const pb_Output& output, double* values) const;

  int64_t builds() const { return builds_; }

 private:
  void BeginContact(b2Contact* contact) override { Note(contact, true); }
  void EndContact(b2Contact* contact) override { Note(contact, false); }
  void Note(b2Contact* contact, bool begins);

  bool Same(const double* row) const;
  bool Load(const double* row, Fault* fault);

  bool CheckPlain(const double* row, Fault* fault) const;
  bool CheckGround(const double* row, Fault* fault) const;
  bool CheckEngine(const double* row, Fault* fault) const;
  void Build(const double* row, bool built);
  bool LoadTree(const double* row, Fault* fault) const;
  bool LoadContacts(const double* row, Fault* fault) const;
  void LoadBody(const double* row, int body);
  bool Apply(const double* control, Fault* fault);
  double Ease(b2Body* body) const;

  int StoreState(double* row) const;
  void StoreContact(double* to, b2Contact* contact) const;
  void StoreTree(double* row, int proxies) const;

  double RayFraction(const pb_Ray& ray) const;
  double ContactForce(int body) const;

  b2DynamicTree& Tree() const;
  int Proxies(const double* row) const;      // number of leaves of the tree
  int GroundValues(const double* row) const;  // used ones of the ground part
  uint64_t Still(const double* row) const;    // digest of what steps leave alone

  const pb_Scene& scene_;
  const pb_Layout& at_;
  std::optional<b2World> world_;
  std::vector<b2Body*> bodies_;
  std::vector<b2RevoluteJoint*> joints_;
  std::vector<b2Fixture*> fixtures_;  // of the bodies
  std::vector<uint8_t> contact_;      // flag of the last event, by body
  std::vector<int32_t> touched_;      // contacts begun, by body
  bool current_ = false;              // the world stands for a row
  bool stepped_ = false;              // and has been stored there
  uint64_t version_ = 0;              // of that row
  uint64_t still_ = 0;                // a digest of what steps leave alone in it
  int32_t insertions_ = 0;            // of the tree when it was last stored
  int64_t builds_ = 0;
};

#endif  // POLYRHYTHM_PHYSICS_BOX2D_WORLD_H_
