// Command capi is the C library behind the Python package: it gives access to worlds of
// package env by handles and shared memory. It is built with -buildmode=c-shared.
//
// Every function returns a status. If that is not 0, it also writes an error message to the caller's buffer, cut to
// its size and ended by a zero byte. No function panics or ends the process. A handle is a number; an unknown handle
// is an error. Calls with different handles may run at the same time; of two simultaneous calls with one handle, the
// second fails.
//
// Where no array travels, functions have one shape: polyrhythm_ask calls one of the table
// functions by its name, with JSON and bytes in and out.
//
// # Memory
//
// "open" returns the addresses of the worlds' arrays. They are Go memory, pinned until "release": "close" frees the
// engine and keeps the arrays, so a caller that still has one reads old numbers, never freed memory. An answer is on
// the C heap; the caller frees it with polyrhythm_free.
//
// # Threads and signals
//
// Go's runtime starts with the library and does not survive a fork: a forked child must not call the library. The
// library installs no handler for SIGINT or SIGTERM, so the program's own handlers stay in place.
package main

func main() {}
