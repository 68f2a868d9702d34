#define _GNU_SOURCE
#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

// Below these limits Go's runtime ends the process with a dump before main, or as soon
// as it starts a thread. So they are checked before the runtime begins.
#define LEAST_SPACE (2ull << 30)    // bytes of address space
#define LEAST_STACK (256ull << 10)  // bytes of a thread's stack

static void want(int resource, const char* what, const char* option, unsigned long long least) {
  struct rlimit limit;
  if (getrlimit(resource, &limit) || limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= least) {
    return;
  }
  fprintf(stderr, "%s: the limit of %s is %llu KiB (ulimit %s), want at least %llu KiB\n",
          program_invocation_short_name, what, (unsigned long long)limit.rlim_cur >> 10, option, least >> 10);
  _exit(1);
}

__attribute__((constructor)) static void check_limits(void) {
  want(RLIMIT_AS, "the address space", "-v", LEAST_SPACE);
  want(RLIMIT_STACK, "a stack", "-s", LEAST_STACK);
  struct rlimit space;
  if (!getrlimit(RLIMIT_AS, &space) && space.rlim_cur != RLIM_INFINITY) {
    mallopt(M_ARENA_MAX, 1);  // each arena of a thread maps 64 MiB, and while it begins 128
  }
}
