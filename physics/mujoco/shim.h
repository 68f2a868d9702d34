// C side of package mujoco: what Go cannot express (error traps, functions run
// inside mjb_apply), and nothing that Go can do as well.
//
// Memory: pointers passed in are borrowed for the length of the call. What the
// pr_make* functions return is freed by the matching pr_delete*.

#ifndef POLYRHYTHM_PHYSICS_MUJOCO_SHIM_H_
#define POLYRHYTHM_PHYSICS_MUJOCO_SHIM_H_

#include <setjmp.h>
#include <stdint.h>

#include <mujoco/mujoco.h>
#include <mujoco/mjbatch.h>

// Size of every buffer that receives a message from the engine.
enum { PR_MESSAGE = 2048 };

//------------------------------ Errors -----------------------------------------------------------

// MuJoCo's log handler from the first load on. A call into the engine that comes before is not
// guarded.
void pr_logHandler(const mjLogMessage* log);

// PR_GUARD(message, failed): an engine error in what follows in this function ends it, with
// the error in message (PR_MESSAGE bytes) and failed as its result. May not be nested.
#define PR_GUARD(to, failed)                                                       \
  __attribute__((cleanup(pr_disarm))) pr_Trap pr_armed = {.message = (to)};        \
  if (setjmp(pr_armed.escape)) {                                                   \
    return failed;                                                                 \
  }                                                                                \
  pr_arm(&pr_armed)

typedef struct {
  jmp_buf escape;
  char* message;
} pr_Trap;

void pr_arm(pr_Trap* trap);
void pr_disarm(pr_Trap* trap);

//------------------------------ Models -----------------------------------------------------------

// Write the paths of MuJoCo's shared library, as the dynamic linker found it, and of the
// one that this code is in; "" for what is part of the program itself.
void pr_libraries(char* mujoco, char* own, int size);

// Parse the file at path, which is in vfs or, where that has none of this name, on disk. Free the
// spec with mj_deleteSpec. NULL on failure, with the reason in message.
mjSpec* pr_parseSpec(const char* path, const mjVFS* vfs, char* message);

// Register the plugins of all libraries in a folder. Return 1 and write message on failure.
int pr_loadPlugins(const char* folder, char* message);

// Copy all that is in child to parent, into a frame at pos with orientation quat, with
// names that begin with prefix. Return 1 and write message on failure.
int pr_attach(mjSpec* parent, mjSpec* child, const char* prefix, const double pos[3],
              const double quat[4], char* message);

// Compile a spec whose files are in vfs or on disk. Autoreset is
// disabled, and so are islands where there is only one; if timestep > 0, it is set
// (seconds). message receives the error, with NULL, or the compiler's warnings, "" if none.
mjModel* pr_compileSpec(mjSpec* s, const mjVFS* vfs, double timestep, char* message);

// Return the MJCF of a spec with the values of the model that was compiled from it, to be freed;
// NULL and a message on failure. Nothing else may read or write XML meanwhile.
char* pr_saveXML(mjSpec* s, const mjModel* m, char* message);

// Return a model with all its assets in MuJoCo's binary format, to be freed, and its size in bytes;
// NULL and a message on failure.
void* pr_saveModel(const mjModel* m, mjtSize* size, char* message);

// Write the integration state after mj_resetData into initial (nstate), and
// after a reset to each keyframe into keyframes (nkey x nstate). Return 1 and
// write message on failure.
int pr_resetStates(const mjModel* m, double* initial, double* keyframes, char* message);

// A contact: two geoms and the distance between them, negative where they overlap.
typedef struct {
  int32_t geom[2];  // -1: not a geom
  double distance;
} pr_Contact;

// Write the contacts of a state row, at most `most`, and their number to found; it may be
// more. Return 1 and write message on failure.
int pr_contacts(const mjModel* m, const double* row, pr_Contact* contacts, int most, int* found,
                char* message);

// Write how far each equality constraint is from holding in a state row, the largest of its
// errors in m or rad, to off (neq); 0 for one that is not in force. Return 1 and write message on
// failure.
int pr_equalities(const mjModel* m, const double* row, double* off, char* message);

//------------------------------ Steppers ---------------------------------------------------------

// The last bias parameter of an actuator whose torque pr_motorBias computes. The first two are
// stiffness and damping. The third must be 0: where the second is 0, the compiler takes what is in
// it for the damping ratio of a servo without stiffness.
#define PR_MOTOR 6172.5

// Further bias parameters: the torque at rest (0: there is no line), the speed without load and, for
// a torque by a network, the address of the network in the numeric data plus one.
enum { PR_REST = 3, PR_TOP, PR_NETWORK };

// A network in the numeric data: how many steps it looks back, the index of its activation (tanh,
// elu, relu), the limit of a standardised input, the bounds of the output, the number of inputs and
// that of layers; the outputs of each layer; of each input its quantity (0 position error,
// 1 velocity), how many steps ago, its mean and its scale; of each layer weights (inputs x
// outputs) and biases.
enum { PR_NET_BACK, PR_NET_FUNCTION, PR_NET_LIMIT, PR_NET_LOW, PR_NET_HIGH, PR_NET_INPUTS, PR_NET_LAYERS, PR_NET_HEAD };

// The most values of a layer of such a network.
#define PR_MAX_UNITS 256

// The largest number of substeps by which an added actuator is late.
#define PR_MAX_DELAY 1000

// mjcb_act_bias: the torque of a position servo on a DC motor, or of a network; 0 of all other
// user types.
mjtNum pr_motorBias(const mjModel* m, const mjData* d, int id);

// mjcb_act_dyn: the activations of an actuator with a network are the position errors and then the
// velocities of the steps before, the last one first; those of all other user types stay.
mjtNum pr_motorHistory(const mjModel* m, const mjData* d, int id);

// What a probe reads.
enum {
  PR_STATE,             // an mjtNum array of mjData that is part of the state
  PR_FIELD,             // an mjtNum array of mjData that the engine computes from the state
  PR_VELOCITY,          // linear, then angular velocity of an object, in world axes
  PR_CONTACT_BODY,      // net contact force on a body, in world axes
  PR_CONTACT_GEOM,      // net contact force on a geom, in world axes
  PR_CONTACT_PAIR,      // number of contacts between two sets of geoms, then the force on the first, in world axes
  PR_CONTACT_WITHIN,    // size of the largest contact force between two bodies of a subtree
  PR_ANGULAR_MOMENTUM,  // of a subtree about its centre of mass, in world axes
  PR_WRENCH,            // the parent's force and torque on a body, at its origin, in world axes
  PR_INCOMING_WRENCH,   // the same in the axes that the body had then
  PR_PARAMETER,         // values of the world's row of parameters
};

// One probe: size values, to index `to` of a sample; or a derived value, a PR_FIELD, of a row.
typedef struct {
  int32_t kind;
  int32_t force;  // 1: the value exists only after the substep that starts at its boundary
  int32_t field;  // PR_STATE, PR_FIELD: where in mjData the array's address stands, in bytes;
                  // PR_VELOCITY: the mjtObj
  int32_t from;   // PR_STATE, PR_FIELD, PR_PARAMETER: the first value; else the object
  int32_t size;
  int32_t to;
  // PR_CONTACT_PAIR: of each geom, 1 if it is in the first set plus 2 if in the second. PR_CONTACT_WITHIN: of each geom,
  // whether it counts; NULL: those of the subtree of a body. Borrowed.
  const uint8_t* sides;
} pr_Probe;

// One parameter: size values of an mjtNum array of mjModel, or of mjOption's, from index
// `from` of the array, at index `to` of a row. The engine's steps do not read one without a field.
typedef struct {
  const char* source;  // its name in messages
  const char* field;   // as mjb_expand names it, or NULL
  int32_t derives;     // 1: constants that mj_setConst computes depend on it
  int32_t from;
  int32_t size;
  int32_t to;
} pr_Parameter;

// Arrays of a block: its parameters, and what is kept of them between calls, which is 0
// at first.
typedef struct {
  const double* rows;  // worlds x parameters
  double* known;       // worlds x parameters: the rows of the last call
  double* constants;   // worlds x pr_constants: what follows from them
  uint8_t* valid;      // worlds: known and constants hold something
} pr_WorldParameters;

// What must be computed at the end of a call so that the probed Motion values
// are those of the new state.
enum {
  PR_REFRESH_NONE,   // none but parts of the state are probed
  PR_REFRESH_LIGHT,  // kinematics and body velocities
  PR_REFRESH_FULL,   // everything mj_step1 computes, collisions included
};

// Outcome of a call for one world; the values of physics.Fault.
enum { PR_FAULT_NONE, PR_FAULT_ENGINE, PR_FAULT_NOT_FINITE };

typedef struct pr_Stepper_ pr_Stepper;

// Make working memory for up to `worlds` worlds a call. Copies the model, the
// probes, the derived values and the parameters, but borrows their names until
// pr_deleteStepper; hold says whether a Forward lets servos hold their place by
// activations that are 0; rne says whether a derived value takes mj_rnePostConstraint; low
// and high are the limits of each value of the parameters. NULL on failure, with the
// reason in message.
pr_Stepper* pr_makeStepper(const mjModel* m, int worlds, int hold, const pr_Probe* probes,
                           int nprobe, int refresh, const pr_Probe* derived, int nderived, int rne,
                           const pr_Parameter* parameters, int nparameter, const double* low,
                           const double* high, char* message);

// The number of doubles in pr_WorldParameters.constants for each world.
int pr_constants(const pr_Stepper* s);

// Free a stepper.
void pr_deleteStepper(pr_Stepper* s);

// Advance world ids[i] by n[i] substeps, for i in [0, count), count at least 1; if n
// is NULL, put them at boundary 0 and compute every stage there instead. The arrays
// are those of physics.Rows, indexed by world; parameters to valid are the members of
// pr_WorldParameters. Arguments are checked by the caller.
// Return the number of faulted worlds.
int pr_call(pr_Stepper* s, double* state, double* samples, int slots, double* derived,
            const double* parameters, double* known, double* constants, uint8_t* valid,
            int64_t* boundary, uint8_t* fault, const int32_t* ids, const int32_t* n, int count);

// How often contacts and constraints did not all fit into the memory of the model
// since the stepper was made. Such a step goes on without the rest.
typedef struct {
  int64_t contacts;
  int64_t constraints;
} pr_Overflow;
pr_Overflow pr_overflow(const pr_Stepper* s);

// Message of the fault of ids[i] of the last call, "" if it had none. Valid
// until the next call.
const char* pr_faultMessage(const pr_Stepper* s, int i);

//------------------------------ Parameters: part of a stepper -------------------------------------

typedef struct pr_Parameters_ pr_Parameters;

// Copy n elements. NULL if memory is short.
void* pr_copyOf(const void* from, int n, size_t size);

// Give the simulations of a batch values of their own for n parameters, whose limits are
// low and high, one for each value. Everything is copied. It may raise an engine error;
// what *made points to must then be deleted, too.
void pr_makeParameters(pr_Parameters** made, mjBatch* batch, const pr_Parameter* parameters, int n,
                       const double* low, const double* high);

void pr_deleteParameters(pr_Parameters* p);

// Put the parameters of world ids[i] into force in simulation i, for all i in [0, count).
// The simulations in which that went well are written to sims, in order, and their
// number is returned. The others get a fault and a message.
int pr_loadParameters(pr_Parameters* p, const pr_WorldParameters* worlds, const int32_t* ids,
                      int count, int* sims, uint8_t* fault, char (*messages)[PR_MESSAGE]);

// The number of doubles in which a world's derived constants are kept.
int pr_constantsSize(const pr_Parameters* p);

//------------------------------ Bare loops -------------------------------------------------------

// A bare loop over mj_step: what a program without this project would run. It is
// the measure of the stepper's speed and the oracle of its bits.
typedef struct pr_Baseline_ pr_Baseline;

// Make an mjData for each of `worlds` worlds. m is borrowed until pr_deleteBaseline.
// rne says whether a step ends with mj_rnePostConstraint. NULL on failure, with
// the reason in message.
pr_Baseline* pr_makeBaseline(const mjModel* m, int worlds, int rne, char* message);

// Free the worlds.
void pr_deleteBaseline(pr_Baseline* b);

// For each step, for each world: if resets is not NULL and resets[step][world]
// is not -1, set the state to that one of reset_rows and call mj_forward; then
// copy controls[step][world] to ctrl, call mj_step `substeps` times and, if so
// made, mj_rnePostConstraint. Return 1 and write message if the engine raised an
// error.
int pr_runBaseline(pr_Baseline* b, const double* controls, const int32_t* resets,
                   const double* reset_rows, int steps, int substeps, char* message);

// Copy a world's integration state and sensordata; either may be NULL.
void pr_readBaseline(const pr_Baseline* b, int world, double* state, double* sensordata);

// Copy a derived value of a world to dst.
void pr_readDerived(const pr_Baseline* b, int world, pr_Probe value, double* dst);

#endif  // POLYRHYTHM_PHYSICS_MUJOCO_SHIM_H_
