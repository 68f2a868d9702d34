// Package crash makes a crash inside C name its functions. Importing it for its
// effect is all there is to do:
//
//	import _ "github.com/polyrhythm-rl/polyrhythm/internal/crash"
//
// It links github.com/ianlancetaylor/cgosymbolizer, and stands between that
// package and the Go runtime in two places:
//
//   - Traceback. The runtime asks for the C stack at every signal that arrives
//     while a thread is in C, the profiler's included. Unwinding there can
//     dead-lock on locks that the interrupted code holds. So the stack is
//     unwound only when the signal ends the process; otherwise one address, that
//     of the interrupted instruction, is recorded, which is what a profile
//     needs.
//   - Symbols. Code without debug information, such as libmujoco's, is named
//     from its symbol table, static functions included.
//
// On systems other than Linux the package does nothing.
package crash
