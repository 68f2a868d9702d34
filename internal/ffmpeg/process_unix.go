//go:build unix

package ffmpeg

import (
	"os/exec"
	"syscall"
)

// separate makes a program, before it is started, the first of a group of processes.
func separate(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// kill ends the program and the processes that it has started: it may be a script.
func kill(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
