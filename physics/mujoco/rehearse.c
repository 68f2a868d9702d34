#define _GNU_SOURCE  // pipe2
#include "rehearse.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shim.h"

// Make this process, a copy, one that ends by a crash: silently, without a handler of the runtime
// that it is a copy of, and with its parent.
static void becomeCopy(void) {
  for (int s = 1; s < NSIG; s++) {
    signal(s, SIG_DFL);
  }
  signal(SIGINT, SIG_IGN);  // of a terminal, which its parent gets, too
  signal(SIGQUIT, SIG_IGN);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  struct rlimit core = {0, 0};
  setrlimit(RLIMIT_CORE, &core);
  int null = open("/dev/null", O_RDWR);
  if (null >= 0) {
    dup2(null, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
  }
  alarm(PR_PATIENCE);
}

// Begin a copy. Its own result has the pid 0 and the end of the pipe to put a byte into.
static pr_Copy begin(int* isCopy) {
  *isCopy = 0;
  pr_Copy none = {0, -1};
  int ends[2];
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK)) {
    return none;
  }
  pid_t parent = getpid(), pid = fork();
  if (pid == 0) {
    close(ends[0]);
    becomeCopy();
    if (getppid() != parent) {  // it ended before PR_SET_PDEATHSIG
      _exit(1);
    }
    *isCopy = 1;
    return (pr_Copy){0, ends[1]};
  }
  close(ends[1]);
  if (pid < 0) {
    close(ends[0]);
    return none;
  }
  return (pr_Copy){pid, ends[0]};
}

// End a copy, which failed with a message or, if that is NULL, did not.
static void end(pr_Copy self, const char* message) {
  ssize_t size = message ? strlen(message) + 1 : 1;
  _exit(write(self.said, message ? message : "", size) == size ? 0 : 1);  // at once, as PIPE_BUF is more
}

int pr_outcome(pr_Copy copy, char* message) {
  message[0] = '\0';
  if (!copy.pid) {
    return 0;
  }
  int status = 0;
  pid_t got;
  do {
    got = waitpid(copy.pid, &status, 0);
  } while (got < 0 && errno == EINTR);
  ssize_t came = read(copy.said, message, PR_MESSAGE);  // also where another wait took the status
  close(copy.said);
  if (came > 0) {
    return 0;
  }
  return got == copy.pid && WIFSIGNALED(status) ? WTERMSIG(status) : -1;
}

pr_Copy pr_rehearseParse(const char* path, const mjVFS* vfs) {
  int isCopy;
  pr_Copy copy = begin(&isCopy);
  if (isCopy) {
    char message[PR_MESSAGE];
    end(copy, pr_parseSpec(path, vfs, message) ? NULL : message);
  }
  return copy;
}

pr_Copy pr_rehearseCompile(mjSpec* s, const mjVFS* vfs, double timestep) {
  int isCopy;
  pr_Copy copy = begin(&isCopy);
  if (isCopy) {
    char message[PR_MESSAGE];
    end(copy, pr_compileSpec(s, vfs, timestep, message) ? NULL : message);
  }
  return copy;
}

static void firstStep(const mjModel* m) {
  char message[PR_MESSAGE];
  PR_GUARD(message, );
  mjData* d = mj_makeData(m);
  mj_step(m, d);
}

pr_Copy pr_rehearseStart(const mjModel* m) {
  int isCopy;
  pr_Copy copy = begin(&isCopy);
  if (isCopy) {
    char message[PR_MESSAGE];
    size_t row = mj_stateSize(m, mjSTATE_INTEGRATION);
    double* initial = calloc(row, sizeof *initial);
    double* keyframes = calloc(m->nkey * row + 1, sizeof *keyframes);
    if (initial && keyframes) {
      pr_resetStates(m, initial, keyframes, message);
    }
    firstStep(m);
    end(copy, NULL);
  }
  return copy;
}
