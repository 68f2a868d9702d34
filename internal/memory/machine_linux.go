package memory

import "syscall"

// addressLimit returns the limit of the process's address space in bytes; not ok: it has none.
func addressLimit() (bytes int64, ok bool) {
	var limit syscall.Rlimit
	err := syscall.Getrlimit(syscall.RLIMIT_AS, &limit)
	return int64(limit.Cur), err == nil && limit.Cur < 1<<62
}

// machine returns the size of the machine's memory and swap together, in bytes.
func machine() (bytes int64, ok bool) {
	var info syscall.Sysinfo_t
	if err := syscall.Sysinfo(&info); err != nil {
		return 0, false
	}
	return (int64(info.Totalram) + int64(info.Totalswap)) * int64(info.Unit), true
}
