// C side of package mujoco: what Go cannot express (error traps, functions run
// inside mjb_apply), and nothing that Go can do as well.
//
// Memory: pointers passed in are borrowed for the length of the call. What the
// pr_make* functions return is freed by the matching pr_delete*.

#ifndef POLYRHYTHM_PHYSICS_MUJOCO_SHIM_H_
#define POLYRHYTHM_PHYSICS_MUJOCO_SHIM_H_

#include <stdint.h>

#include <mujoco/mujoco.h>
#include <mujoco/mjbatch.h>

// Size of every buffer that receives a message from the engine.
enum { PR_MESSAGE = 2048 };

//------------------------------ Errors -----------------------------------------------------------

// Make this shim's log handler the process's. A call into the engine that comes before is
// not guarded.
void pr_installLogHandler(void);

// Run call(arg). An engine error inside ends it early: the error is written into
// message (PR_MESSAGE bytes) and 1 is returned; otherwise 0. May not be nested.
int pr_guard(void (*call)(void*), void* arg, char* message);

//------------------------------ Models -----------------------------------------------------------

// Write the paths of MuJoCo's shared library, as the dynamic linker found it, and of the
// one that this code is in; "" for what is part of the program itself.
void pr_libraries(char* mujoco, char* own, int size);

// Write the integration state after mj_resetData into initial (nstate), and
// after a reset to each keyframe into keyframes (nkey x nstate). Return 1 and
// write message on failure.
int pr_resetStates(const mjModel* m, double* initial, double* keyframes, char* message);

//------------------------------ Steppers ---------------------------------------------------------

// What a probe reads.
enum {
  PR_STATE,         // an mjtNum array of mjData that is part of the state
  PR_FIELD,         // an mjtNum array of mjData that the engine computes from the state
  PR_VELOCITY,      // linear, then angular velocity of an object, in world axes
  PR_CONTACT_BODY,  // net contact force on a body, in world axes
  PR_CONTACT_GEOM,  // net contact force on a geom, in world axes
};

// One probe: size values, to index `to` of a sample.
typedef struct {
  int32_t kind;
  int32_t force;  // 1: the value exists only after the substep that starts at its boundary
  int32_t field;  // PR_STATE, PR_FIELD: where in mjData the array's address stands, in bytes;
                  // PR_VELOCITY: the mjtObj
  int32_t from;   // PR_STATE, PR_FIELD: the first value; else the object
  int32_t size;
  int32_t to;
} pr_Probe;

// One derived value: size values from index `from` of an mjtNum array of mjData, to
// index `to` of a row.
typedef struct {
  int32_t field;  // where in mjData the array's address stands, in bytes
  int32_t from;
  int32_t size;
  int32_t to;
} pr_Derived;

// One parameter: size values of an mjtNum array of mjModel, or of mjOption's, from index
// `from` of the array, at index `to` of a row.
typedef struct {
  const char* source;  // its name in messages
  const char* field;   // as mjb_expand names it
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
// pr_deleteStepper; rne says whether a derived value takes mj_rnePostConstraint; low
// and high are the limits of each value of the parameters. NULL on failure, with the
// reason in message.
pr_Stepper* pr_makeStepper(const mjModel* m, int worlds, const pr_Probe* probes, int nprobe,
                           int refresh, const pr_Derived* derived, int nderived, int rne,
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

#endif  // POLYRHYTHM_PHYSICS_MUJOCO_SHIM_H_
