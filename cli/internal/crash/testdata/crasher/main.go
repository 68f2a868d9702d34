// Command crasher crashes or computes inside C, as its argument says. The tests of package crash run it.
package main

/*
#cgo CFLAGS: -g -O0 -I${SRCDIR}/../../../../../third_party/mujoco/include
#cgo LDFLAGS: -L${SRCDIR}/../../../../../third_party/mujoco/lib -lmujoco
#cgo LDFLAGS: -Wl,-rpath,${SRCDIR}/../../../../../third_party/mujoco/lib
#include <stdlib.h>
#include <mujoco/mujoco.h>

static void write_nowhere(int *p) { *p = 1; }
static void crash_here(void)      { write_nowhere((int *)16); }
static void crash_in_mujoco(void) { mj_step((const mjModel *)16, (mjData *)16); }
static void give_up(void)         { abort(); }

// crash_deep crashes on a stack of several pages.
static int crash_deep(int depth) {
  volatile char room[4096];
  room[depth] = 1;
  return depth == 0 ? (write_nowhere((int *)16), 0) : crash_deep(depth - 1) + room[depth];
}

// busy allocates and integrates, so that a signal interrupts it with locks held. It
// also counts in a loop: a profile names only the function that a signal interrupts,
// not its callers, and about half of the signals should interrupt this one.
static double busy(int rounds) {
  double sum = 0;
  for (int i = 0; i < rounds; i++) {
    double *p = malloc(64 + i % 4096);
    p[0] = i;
    mjtNum q[4] = {1, 0, 0, 0}, v[3] = {p[0], 1, 2};
    mju_quatIntegrate(q, v, 0.002);
    sum += q[0] + p[0];
    free(p);
    for (int n = 0; n < 30; n++) {
      sum += n;
    }
  }
  return sum;
}
*/
import "C"

import (
	"log"
	"os"
	"runtime/pprof"
	"sync"

	_ "github.com/polyrhythm-rl/polyrhythm/cli/internal/crash"
)

func main() {
	switch os.Args[1] {
	case "own":
		C.crash_here()
	case "mujoco":
		C.crash_in_mujoco()
	case "deep":
		C.crash_deep(100)
	case "abort":
		C.give_up()
	case "profile":
		profile(os.Args[2])
	}
}

// profile writes a CPU profile of four threads that spend nearly all their time in C.
func profile(path string) {
	f, err := os.Create(path)
	if err != nil {
		log.Fatal(err)
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		log.Fatal(err)
	}
	var threads sync.WaitGroup
	for range 4 {
		threads.Go(func() {
			for range 100 {
				C.busy(20000)
			}
		})
	}
	threads.Wait()
	pprof.StopCPUProfile()
	if err := f.Close(); err != nil {
		log.Fatal(err)
	}
}
