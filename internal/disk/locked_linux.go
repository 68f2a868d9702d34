package disk

import (
	"bufio"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// locksFile lists the locks that the processes of this machine hold: proc_locks(5).
const locksFile = "/proc/locks"

// Locked reports whether a process holds the lock on a file or folder, see [TryLock]. Unlike TryLock it takes no lock,
// so it disturbs nobody who is about to. It is false where the system does not say.
func Locked(path string) bool {
	info, err := os.Stat(path)
	if err != nil {
		return false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return false
	}
	f, err := os.Open(locksFile)
	if err != nil {
		return false
	}
	defer f.Close()
	inode := strconv.FormatUint(stat.Ino, 10)
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		// "1: FLOCK  ADVISORY  WRITE 4242 fd:01:123456 0 EOF". The device may be another one than that of stat: btrfs
		// and overlays have several.
		fields := strings.Fields(lines.Text())
		if len(fields) > 5 && fields[1] == "FLOCK" && strings.HasSuffix(fields[5], ":"+inode) {
			return true
		}
	}
	return false
}
