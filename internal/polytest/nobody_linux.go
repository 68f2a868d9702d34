package polytest

import (
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
)

// nobody is a user who owns no file.
const nobody = 65534

// AsNobody calls f by a goroutine whose files are opened with the rights of a user who owns nothing, also where the test
// is run by root. So what f reads in a folder of mode 0 is refused.
func AsNobody(t testing.TB, f func()) {
	t.Helper()
	if os.Geteuid() != 0 {
		f()
		return
	}
	NoError(t, os.Chmod(filepath.Dir(t.TempDir()), 0o755)) // the parent of the test's folders is root's alone
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // for ever, so that the thread ends with the goroutine
		if err := syscall.Setfsuid(nobody); err != nil {
			t.Errorf("the user of files is as before: %v", err)
			return
		}
		f()
	}()
	<-done
}
