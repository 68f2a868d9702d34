// What reads model files is MuJoCo's, and a file may crash it. So each is first read in a copy of
// this process, where a crash ends nothing but the copy.

#ifndef POLYRHYTHM_PHYSICS_MUJOCO_REHEARSE_H_
#define POLYRHYTHM_PHYSICS_MUJOCO_REHEARSE_H_

#include <mujoco/mujoco.h>
#include <stdint.h>
#include <sys/types.h>

// A copy of this process; pid is 0 if none could be made.
typedef struct {
  pid_t pid;
  int said;  // a pipe, in which it puts what came of it
} pr_Copy;

// Begin a copy that does what pr_parseSpec, pr_compileSpec or pr_resetStates and a first step do, with
// at most memory bytes beside those that this process has. The other arguments are borrowed until it
// returns. No other thread may be in MuJoCo meanwhile: what it has locked would stay locked in the copy.
pr_Copy pr_rehearseParse(const char* path, const mjVFS* vfs, int64_t memory);
pr_Copy pr_rehearseCompile(mjSpec* s, const mjVFS* vfs, double timestep, int64_t memory);
pr_Copy pr_rehearseStart(const mjModel* m, int64_t memory);

// Whether this process has a limit on its memory: ulimit -v or -d.
int pr_isLimited(void);

// Wait for the end of a copy. Return 0 if it came to its end, or there was none, with MuJoCo's error, or that memory
// was not enough, in message, "" if there is none; else the signal that ended it, SIGALRM after PR_PATIENCE s; or -1
// if it ended itself or its signal is not known.
int pr_outcome(pr_Copy copy, char* message);

#define PR_PATIENCE 600

#endif  // POLYRHYTHM_PHYSICS_MUJOCO_REHEARSE_H_
