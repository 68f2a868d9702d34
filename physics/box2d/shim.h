// C side of package box2d: a stepper over live b2Worlds, behind plain C. It uses
// Box2D's library as it is.
//
// Memory: pointers passed in are borrowed for the length of the call. What the
// pb_make* functions return is freed by the matching pb_delete*. No C++ exception
// leaves any of them.

#ifndef POLYRHYTHM_PHYSICS_BOX2D_SHIM_H_
#define POLYRHYTHM_PHYSICS_BOX2D_SHIM_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Sizes of the buffers that receive a message and that hold a name.
enum { PB_MESSAGE = 512, PB_NAME = 64 };

//------------------------------ Scenes -----------------------------------------------------------

// Values per body, joint and contact in a state row.
enum {
  PB_BODY = 6,      // x, y, angle, vx, vy, angular velocity
  PB_POSE = 11,     // see Pose
  PB_JOINT = 5,     // see Impulses
  PB_BOX = 4,       // lower x, y, upper x, y
  PB_CONTACT = 19,  // see World::StoreContact
};

// Where the parts of a state row begin.
typedef struct {
  int32_t control;
  int32_t gravity;
  int32_t bodies;   // PB_BODY each
  int32_t awake;    // 1 for each body; likewise contact and touched
  int32_t contact;
  int32_t touched;
  int32_t ground;
  int32_t built;         // of the engine part: 1 if the rest of it holds a stepped world
  int32_t ground_hash;   // of the ground that the world was built with
  int32_t poses;         // PB_POSE for each body
  int32_t joints;        // PB_JOINT for each joint
  int32_t boxes;         // PB_BOX for each fixture of a body: its fat box in the tree
  int32_t contact_count;
  int32_t contacts;      // PB_CONTACT each
  int32_t root;          // of the tree
  int32_t children;      // one packed pair for each inner node of the tree
  int32_t size;
} pb_Layout;

typedef struct {
  pb_Layout layout;
  double gravity[2];
  double timestep;
  int32_t velocity_iterations;
  int32_t position_iterations;
  int32_t control_size;
  int32_t max_shapes;
  int32_t max_vertices;
  int32_t max_contacts;
  int32_t sleepless;
} pb_Settings;

typedef struct {
  char name[PB_NAME];
  double x, y, angle;
  double linear_damping, angular_damping;
  int32_t fixed_rotation, bullet;
  int32_t fixtures;  // the next so many of the scene's fixtures are its
} pb_Body;

typedef struct {
  int32_t vertices;   // 0: a circle
  double points[16];  // x, y of each vertex, or of the circle's centre
  double radius;
  double density, friction, restitution;
  uint16_t category, mask;
} pb_Fixture;

typedef struct {
  char name[PB_NAME];
  int32_t body_a, body_b;  // body_a -1: the ground
  double anchor_a[2], anchor_b[2];
  double reference;
  int32_t limited;
  double lower, upper;
  int32_t motor;
  double speed, torque;
  int32_t collide;
} pb_Joint;

// The kinds of scene.Kind.
enum { PB_FORCE, PB_TORQUE, PB_IMPULSE, PB_MOTOR };

typedef struct {
  int32_t kind;
  int32_t on;  // index of the body, or of a motor's joint
  int32_t at;  // its first value in control
} pb_Actuator;

typedef struct {
  int32_t body;
  double vector[2];
  int32_t turns;
  uint16_t category;
} pb_Ray;

typedef struct pb_Scene_ pb_Scene;

// Compile a scene; the arrays are copied. constants receives the mass, the inertia
// about the centre of mass and that centre's x and y, of each body. Indices are
// checked by the caller, numbers here. NULL on failure, with the reason in message.
pb_Scene* pb_makeScene(const pb_Settings* settings, const pb_Body* bodies, int nbody,
                       const pb_Fixture* fixtures, int nfixture, const pb_Joint* joints, int njoint,
                       const pb_Actuator* actuators, int nactuator, const pb_Ray* rays, int nray,
                       double* constants, char* message);

void pb_deleteScene(pb_Scene* s);

// The version that the library reports.
void pb_version(int32_t version[3]);

//------------------------------ Live worlds ------------------------------------------------------

typedef struct pb_Live_ pb_Live;

// Make room for the live worlds of `worlds` rows; the worlds themselves come with
// their first step. scene is borrowed until pb_deleteLive. NULL if there is no
// memory.
pb_Live* pb_makeLive(const pb_Scene* scene, int worlds);

void pb_deleteLive(pb_Live* l);

// Bytes that the worlds of the process have taken for their objects: 0 without any, and
// where Box2D's own allocator is in use.
int64_t pb_chunkBytes(void);

// Number of worlds that were built anew from their rows so far.
int64_t pb_builds(const pb_Live* l);

//------------------------------ Steppers ---------------------------------------------------------

// What an output reads, and when: at the end of a substep or in it, or at the end of a call.
enum {
  PB_OUT_BODY,
  PB_OUT_POSE,
  PB_OUT_AWAKE,
  PB_OUT_CONTACT,
  PB_OUT_TOUCHED,
  PB_OUT_JOINT,
  PB_OUT_RAYS,
  PB_OUT_JOINT_TORQUE,
  PB_OUT_FORCE,
};
enum { PB_MOTION, PB_FORCE_STAGE, PB_DERIVED };

// One output: what it reads of the count bodies, joints or rays from index on, to
// index `to` of a sample or of a row of derived values.
typedef struct {
  int32_t kind, stage;
  int32_t index, count;
  int32_t to;
} pb_Output;

// Outcome of a call for one world; the values of physics.Fault.
enum { PB_FAULT_NONE, PB_FAULT_ENGINE, PB_FAULT_NOT_FINITE };

// Advance world ids[i] by n[i] substeps, for i in [0, count); if n is NULL, put
// them at boundary 0 and fill slot 0 instead. The arrays are those of
// physics.Rows, indexed by world; live is the rows' own. Arguments are checked by the
// caller. Write the message of each fault, "" if there is none, to messages, PB_MESSAGE bytes
// for each of ids. Return the number of faulted worlds.
int pb_call(pb_Live* live, const pb_Output* outputs, int noutput, double* state,
            const uint64_t* versions, double* samples, int sample_size, int slots, double* derived,
            int derived_size, int64_t* boundary, uint8_t* fault, const int32_t* ids,
            const int32_t* n, int count, char* messages);

//------------------------------ Bare loops -------------------------------------------------------

// What a program without this project would run: Baseline.Run. state has the rows of which
// worlds are built, derived_size is that of a world. Return 1 and write message if a world
// could not be built or has come to harm.
int pb_run(pb_Live* l, double* state, const pb_Output* outputs, int noutput, double* derived,
           int derived_size, const double* controls, const int32_t* resets,
           const double* reset_rows, int steps, int substeps, char* message);

// Bring the row of a world of pb_run up to date, the control apart.
void pb_store(pb_Live* l, int world, double* row);

#ifdef __cplusplus
}
#endif

#endif  // POLYRHYTHM_PHYSICS_BOX2D_SHIM_H_
