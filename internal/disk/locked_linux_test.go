package disk

import (
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

func TestLocked(t *testing.T) {
	folder := t.TempDir()
	if Locked(folder) || Locked(folder+"/none") {
		t.Fatal("a folder is locked that nobody locked")
	}
	lock := polytest.Must(TryLock(folder))(t)
	if !Locked(folder) {
		t.Error("a locked folder is not")
	}
	lock.Release()
	if Locked(folder) {
		t.Error("a folder is still locked when its lock was released")
	}
}
