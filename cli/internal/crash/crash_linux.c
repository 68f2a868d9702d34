// The linker sends calls of cgosymbolizer's X here, to __wrap_X; __real_X is
// the function itself. The structs are those of runtime.SetCgoTraceback.

#define _GNU_SOURCE // for REG_RIP

#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>
#include <unwind.h>

// From libbacktrace, which is part of cgosymbolizer.
struct backtrace_state;
typedef void (*backtrace_error)(void *data, const char *message, int number);
typedef void (*backtrace_symbol)(void *data, uintptr_t pc, const char *name, uintptr_t value, uintptr_t size);
struct backtrace_state *backtrace_create_state(const char *file, int threaded, backtrace_error, void *data);
int backtrace_syminfo(struct backtrace_state *, uintptr_t pc, backtrace_symbol, backtrace_error, void *data);

static struct backtrace_state *symbols;

static void ignore_error(void *data, const char *message, int number) {
  (void)data, (void)message, (void)number;
}

// Initialisation

void __real_cgoSymbolizerInit(char *program);

// Without a name libbacktrace opens /proc/self/exe, which is right also when
// the program was found through PATH.
void __wrap_cgoSymbolizerInit(char *program) {
  (void)program;
  __real_cgoSymbolizerInit(NULL);
  symbols = backtrace_create_state(NULL, 1, ignore_error, NULL);
}

// Traceback

struct traceback {
  uintptr_t context;
  uintptr_t signal_context;
  uintptr_t *pcs; // ended by 0 when not full
  uintptr_t max;
};

#if defined(__x86_64__)

static uintptr_t interrupted(const ucontext_t *uc) { return uc->uc_mcontext.gregs[REG_RIP]; }

// The kernel lays the siginfo right after its ucontext, which is shorter than
// the C library's: flags, link, stack, machine context and 64 signals.
static const siginfo_t *info_of(const ucontext_t *uc) {
  return (const siginfo_t *)((const char *)uc + offsetof(ucontext_t, uc_sigmask) + 8);
}

#elif defined(__aarch64__)

static uintptr_t interrupted(const ucontext_t *uc) { return uc->uc_mcontext.pc; }

// The kernel lays the siginfo right before the ucontext.
static const siginfo_t *info_of(const ucontext_t *uc) { return (const siginfo_t *)uc - 1; }

#else
#error "crash: add the machine's signal frame"
#endif

static int ends_process(int number) {
  switch (number) {
  case SIGSEGV:
  case SIGBUS:
  case SIGFPE:
  case SIGILL:
  case SIGTRAP:
  case SIGABRT:
    return 1;
  }
  return 0;
}

struct walk {
  struct traceback *to;
  uintptr_t n;     // addresses recorded
  uintptr_t frame; // the last frame's address: they only go up
  int below;       // not yet past the frames of the signal handler
};

static _Unwind_Reason_Code visit(struct _Unwind_Context *context, void *data) {
  struct walk *w = data;
  int exact;
  uintptr_t pc = _Unwind_GetIPInfo(context, &exact);
  if (w->below) {
    w->below = pc != w->to->pcs[0];
    w->frame = _Unwind_GetCFA(context);
    return _URC_NO_REASON;
  }
  uintptr_t frame = _Unwind_GetCFA(context);
  if (pc == 0 || frame <= w->frame || w->n == w->to->max) {
    return _URC_END_OF_STACK;
  }
  w->frame = frame;
  w->to->pcs[w->n++] = exact ? pc : pc - 1; // of the call, not of what follows it
  return _URC_NO_REASON;
}

void __wrap_cgoTraceback(void *arg) {
  struct traceback *t = arg;
  if (t->max == 0) {
    return;
  }
  t->pcs[0] = 0;
  if (t->context != 0 || t->signal_context == 0) {
    return;
  }
  const ucontext_t *uc = (const ucontext_t *)t->signal_context;
  t->pcs[0] = interrupted(uc);
  struct walk w = {.to = t, .n = 1, .below = 1};
  if (ends_process(info_of(uc)->si_signo)) {
    _Unwind_Backtrace(visit, &w);
  }
  if (w.n < t->max) {
    t->pcs[w.n] = 0;
  }
}

// Symbols

struct symbol {
  uintptr_t pc;
  const char *file;
  uintptr_t line;
  const char *function;
  uintptr_t entry;
  uintptr_t more;
  uintptr_t data;
};

static void name_symbol(void *data, uintptr_t pc, const char *name, uintptr_t value, uintptr_t size) {
  struct symbol *s = data;
  (void)pc, (void)size;
  s->function = name;
  s->entry = value;
}

void __real_cgoSymbolizer(void *arg);

void __wrap_cgoSymbolizer(void *arg) {
  struct symbol *s = arg;
  __real_cgoSymbolizer(s);
  if (s->pc != 0 && s->function == NULL && !s->more && symbols != NULL) {
    backtrace_syminfo(symbols, s->pc, name_symbol, ignore_error, s);
  }
}
