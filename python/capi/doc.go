// Command capi is the C library behind the Python package: worlds of package env
// as handles and shared memory. It is built with -buildmode=c-shared.
//
// Every function returns a status and, where that is not 0, writes what went wrong
// to a buffer of the caller's, cut to its size and ended by a zero byte. No
// function panics, prints or ends the process. A handle is a number; one that is
// not known is an error. Calls with different handles may run at the same time; of
// two calls with one handle, the second is refused.
//
// # Memory
//
// polyrhythm_open tells the addresses of the worlds' arrays. They are Go's memory,
// pinned until polyrhythm_release: polyrhythm_close frees the engine and leaves the
// arrays, so a reader that still has one reads old numbers, never freed memory. What
// a function hands over otherwise is on the C heap and freed by polyrhythm_free.
//
// # Threads and signals
//
// Go's runtime starts with the library and does not survive a fork: the caller must
// not enter the library in a forked child. It installs no handler for SIGINT or
// SIGTERM, so the program's own stay in force.
package main

func main() {}
