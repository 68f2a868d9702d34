// Package crash makes the traceback of a crash inside C name its functions. Import it for its side effect:
//
//	import _ "github.com/polyrhythm-rl/polyrhythm/cli/internal/crash"
//
// It links github.com/ianlancetaylor/cgosymbolizer, and wraps two of the functions
// that the package registers with the Go runtime:
//
//   - Traceback. The runtime collects the C stack at every signal that arrives while
//     a thread is in C, including those of the profiler. Unwinding the stack then can
//     deadlock on locks that the interrupted code holds. So the stack is unwound only
//     if the signal ends the process. For other signals, only the address of the
//     interrupted instruction is recorded, which is all that a profile needs.
//   - Symbols. Code without debug information, such as libmujoco's, is named
//     from its symbol table, including static functions.
//
// It also ends a process whose limits of memory are too low for Go's runtime, with one line in place of a dump.
//
// On systems other than Linux the package does nothing.
package crash
