package physicstest

import (
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"
)

// Leak checks that what open opens and forgets is reported: as report, followed by
// the place, in file, where it was opened. Since the report panics, it happens in a
// process of its own, which runs the same test again. A test calls Leak once.
func Leak(t *testing.T, open func() error, report, file string) {
	t.Helper()
	const variable = "POLYTEST_LEAK"
	if os.Getenv(variable) != "" {
		if err := open(); err != nil {
			t.Fatal(err)
		}
		for range 1000 { // the clean-up runs at some time
			runtime.GC()
			time.Sleep(10 * time.Millisecond)
		}
		t.Fatal("the leak went unnoticed")
	}
	test := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	test.Env = append(os.Environ(), variable+"=1")
	out, err := test.CombinedOutput()
	place := string(out)
	if _, rest, ok := strings.Cut(place, "panic: "+report+"; opened at "); ok {
		place, _, _ = strings.Cut(rest, "\n")
	}
	if err == nil || !strings.Contains(place, "/"+file+":") {
		t.Errorf("a leak: %v, want a panic of %q that names %s; it said:\n%s", err, report, file, out)
	}
}
