package ffmpeg

import (
	"os/exec"
	"syscall"
)

// separate makes a program, before it is started, the first of a group of processes.
func separate(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// kill ends the program.
func kill(cmd *exec.Cmd) error { return cmd.Process.Kill() }
