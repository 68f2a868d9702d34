#define _GNU_SOURCE  // pipe2
#include "rehearse.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shim.h"

#ifdef __SANITIZE_ADDRESS__
// Where memory is not enough, an allocation returns NULL as it does without AddressSanitizer, which would else end a
// copy with a report that it cannot finish.
const char* __asan_default_options(void) {
  return "allocator_may_return_null=1";
}
#endif

// Of a copy: where to say what came of it, what to say where memory was not enough, and how many bytes it may take.
static int said;
static char outgrown[PR_MESSAGE];
static int64_t allowed;

// What MuJoCo allocates in one piece of so many bytes is counted by what of it is used: the arena of a model, which it
// reserves for as many contacts as there may ever be, stays nearly empty. It is used from both ends, and where the
// parts in use come to more than is allowed the copy meets memory that it may not touch. One piece may be a few times
// what is allowed: worlds would have to reserve more than machines let them.
enum { RESERVED = 64 << 20, MOST_RESERVED = 64, MOST_TIMES = 8 };

static struct {
  char* at;
  size_t size;
} reserved[MOST_RESERVED];

// The bytes of memory of a kind in use: RssAnon of this process alone or, of shared memory, RssShmem, which is that of
// pieces that are reserved.
static int64_t inUse(const char* kind) {
  long kilobytes = 0;
  char line[256];
  size_t length = strlen(kind);
  FILE* f = fopen("/proc/self/status", "r");
  while (f && fgets(line, sizeof line, f) &&
         (strncmp(line, kind, length) || sscanf(line + length, ": %ld", &kilobytes) != 1)) {
  }
  if (f) {
    fclose(f);
  }
  return (int64_t)kilobytes << 10;
}

// How many of them the copy began with: of shared memory, with the most since, and of its own. C has memory that was
// freed before, and uses it again without asking the system, whose limit does not see it: so it is given back before
// the copy begins, and what is in use is counted at the end.
static int64_t inherited, most, own;

static void countReserved(void) {
  int64_t now = inUse("RssShmem");
  most = now > most ? now : most;
}

static void* reserve(size_t size) {
  if (size / MOST_TIMES > (size_t)allowed) {
    errno = ENOMEM;
    return NULL;
  }
  void* at = mmap(NULL, size, PROT_NONE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) {
    return NULL;
  }
  size_t page = sysconf(_SC_PAGESIZE), end = allowed / 2 / page * page, all = (size + page - 1) / page * page;
  if (all <= 2 * end) {
    end = all;
  }
  if (mprotect(at, end, PROT_READ | PROT_WRITE) ||
      mprotect((char*)at + all - end, end, PROT_READ | PROT_WRITE)) {
    munmap(at, size);
    return NULL;
  }
  return at;
}

// The mju_user_malloc of a copy.
static void* allocate(size_t size) {
  for (int i = 0; size >= RESERVED && i < MOST_RESERVED; i++) {
    if (!reserved[i].at) {
      reserved[i].at = reserve(size);
      reserved[i].size = size;
      return reserved[i].at;
    }
  }
  return aligned_alloc(64, (size + 63) / 64 * 64);
}

// Its mju_user_free.
static void release(void* at) {
  for (int i = 0; at && i < MOST_RESERVED; i++) {
    if (reserved[i].at == at) {
      countReserved();
      munmap(at, reserved[i].size);
      reserved[i].at = NULL;
      return;
    }
  }
  free(at);
}

static int isReserved(const char* at) {
  for (int i = 0; i < MOST_RESERVED; i++) {
    if (reserved[i].at && at >= reserved[i].at && at < reserved[i].at + reserved[i].size) {
      return 1;
    }
  }
  return 0;
}

// Whether an error of MuJoCo's is that an allocation failed.
static int lacksMemory(const char* message) {
  return errno == ENOMEM && strstr(message, "lloc");  // errno alone may be of an attempt that had another way
}

// End a copy, which failed with a message or, if that is NULL, did not.
static void end(const char* message) {
  if (!message) {
    countReserved();
    message = most - inherited > allowed || inUse("RssAnon") - own > allowed ? outgrown : "";
  } else if (lacksMemory(message)) {
    message = outgrown;
  }
  ssize_t size = strlen(message) + 1;
  _exit(write(said, message, size) == size ? 0 : 1);  // at once, as PIPE_BUF is more
}

// C++ aborts where memory is not enough, and C may use the NULL that it got.
static void onCrash(int signal, siginfo_t* info, void* context) {
  (void)context;
  if (errno == ENOMEM || (signal == SIGSEGV && isReserved(info->si_addr))) {
    end(outgrown);
  }  // else the signal comes again, without a handler
}

int pr_isLimited(void) {
  struct rlimit space, data;
  return getrlimit(RLIMIT_AS, &space) || getrlimit(RLIMIT_DATA, &data) || space.rlim_cur != RLIM_INFINITY ||
         data.rlim_cur != RLIM_INFINITY;
}

// Let a copy take so many bytes beside those that it has, or as many as the limits of the process leave.
static void limitMemory(int64_t memory) {
  malloc_trim(0);
  long space = 0, data = 0, page = sysconf(_SC_PAGESIZE);
  FILE* f = fopen("/proc/self/statm", "r");
  int known = f && fscanf(f, "%ld %*d %*d %*d %*d %ld", &space, &data) == 2;
  if (f) {
    fclose(f);
  }
  struct rlimit limit;
  const char* whose = "scene.memory_mb";
  if (known && !getrlimit(RLIMIT_AS, &limit) && limit.rlim_cur - space * page < (rlim_t)memory) {
    memory = limit.rlim_cur - space * page;
    whose = "ulimit -v";
  }
  if (known && !getrlimit(RLIMIT_DATA, &limit) && limit.rlim_cur > (rlim_t)(data * page + memory)) {
    limit.rlim_cur = data * page + memory;
    setrlimit(RLIMIT_DATA, &limit);
  }
  snprintf(outgrown, sizeof outgrown, "it takes more than %lld MB of memory to compile (%s)",
           (long long)memory >> 20, whose);
  allowed = memory, inherited = most = inUse("RssShmem"), own = inUse("RssAnon");
  mju_user_malloc = allocate, mju_user_free = release;
  struct sigaction crash = {.sa_sigaction = onCrash, .sa_flags = SA_RESETHAND | SA_SIGINFO};
  sigaction(SIGABRT, &crash, NULL);
  sigaction(SIGSEGV, &crash, NULL);
}

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

// Begin a copy, which sees isCopy set.
static pr_Copy begin(int64_t memory, int* isCopy) {
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
    said = ends[1];
    limitMemory(memory);
    *isCopy = 1;
    errno = 0;
    return none;
  }
  close(ends[1]);
  if (pid < 0) {
    close(ends[0]);
    return none;
  }
  return (pr_Copy){pid, ends[0]};
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

pr_Copy pr_rehearseParse(const char* path, const mjVFS* vfs, int64_t memory) {
  int isCopy;
  pr_Copy copy = begin(memory, &isCopy);
  if (isCopy) {
    char message[PR_MESSAGE];
    end(pr_parseSpec(path, vfs, message) ? NULL : message);
  }
  return copy;
}

pr_Copy pr_rehearseCompile(mjSpec* s, const mjVFS* vfs, double timestep, int64_t memory) {
  int isCopy;
  pr_Copy copy = begin(memory, &isCopy);
  if (isCopy) {
    char message[PR_MESSAGE];
    end(pr_compileSpec(s, vfs, timestep, message) ? NULL : message);
  }
  return copy;
}

// Make data and step once. Return 1 with the error in message if MuJoCo has one.
static int firstStep(const mjModel* m, char* message) {
  PR_GUARD(message, 1);
  mjData* d = mj_makeData(m);
  mj_step(m, d);
  return 0;
}

pr_Copy pr_rehearseStart(const mjModel* m, int64_t memory) {
  int isCopy;
  pr_Copy copy = begin(memory, &isCopy);
  if (isCopy) {
    char message[PR_MESSAGE];
    size_t row = mj_stateSize(m, mjSTATE_INTEGRATION);
    double* initial = calloc(row, sizeof *initial);
    double* keyframes = calloc(m->nkey * row + 1, sizeof *keyframes);
    if (!initial || !keyframes) {
      end(outgrown);
    }
    pr_resetStates(m, initial, keyframes, message);
    end(firstStep(m, message) && lacksMemory(message) ? message : NULL);  // others come where the model is used
  }
  return copy;
}
