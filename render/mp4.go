package render

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/runners"
)

// FFmpegVariable is the environment variable with the path of ffmpeg; without it, it is looked for in PATH.
const FFmpegVariable = "POLYRHYTHM_FFMPEG"

// ErrFFmpeg is wrapped by the error of [FindFFmpeg].
var ErrFFmpeg = errors.New("want a clip that ends in .gif, or the package ffmpeg (Debian's name) or its path in " +
	FFmpegVariable)

// FindFFmpeg returns the path of ffmpeg.
func FindFFmpeg() (string, error) {
	name := os.Getenv(FFmpegVariable)
	if name == "" {
		name = "ffmpeg"
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("an .mp4 takes ffmpeg, and %s is not there: %w", name, ErrFFmpeg)
	}
	return path, nil
}

// mp4Writer pipes frames to ffmpeg, which writes a temporary file: it goes back in it.
type mp4Writer struct {
	ctx    context.Context
	to     io.Writer
	ffmpeg string
	file   *os.File
	cmd    *exec.Cmd
	pipe   io.WriteCloser
	stderr bytes.Buffer
}

func (m *mp4Writer) begin(view physics.View, fps runners.Rate, _ []*image.RGBA) (err error) {
	if m.file, err = os.CreateTemp("", "polyrhythm-*.mp4"); err != nil {
		return err
	}
	m.cmd = exec.CommandContext(m.ctx, m.ffmpeg, "-y", "-loglevel", "error", "-nostdin",
		"-f", "rawvideo", "-pixel_format", "rgba", "-video_size", fmt.Sprintf("%dx%d", view.Width, view.Height),
		"-framerate", fmt.Sprintf("%d/%d", fps.Num(), fps.Den()), "-i", "pipe:0",
		"-an", "-c:v", "libx264", "-preset", "fast", "-crf", "18", "-pix_fmt", "yuv420p",
		"-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-movflags", "+faststart", "-f", "mp4", m.file.Name())
	m.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // Ctrl-C is for this program
	m.cmd.Cancel = m.kill
	m.cmd.Stderr = &m.stderr
	if m.pipe, err = m.cmd.StdinPipe(); err != nil {
		return err
	}
	if err := m.cmd.Start(); err != nil {
		m.cmd = nil
		return err
	}
	return nil
}

func (m *mp4Writer) frame(p *image.RGBA) error {
	if _, err := m.pipe.Write(p.Pix); err != nil {
		return m.end(err)
	}
	return nil
}

// kill ends ffmpeg and the processes that it has started: it may be a script.
func (m *mp4Writer) kill() error { return syscall.Kill(-m.cmd.Process.Pid, syscall.SIGKILL) }

// end waits until ffmpeg, which gets no more frames, has ended. If it failed or err is not nil, it
// returns what ffmpeg said, or the error.
func (m *mp4Writer) end(err error) error {
	m.pipe.Close()
	err = cmp.Or(m.cmd.Wait(), err)
	m.cmd = nil
	if err == nil {
		return nil
	}
	if cancelled := m.ctx.Err(); cancelled != nil {
		return cancelled
	}
	if words := strings.Fields(m.stderr.String()); len(words) > 0 {
		return fmt.Errorf("ffmpeg: %s", strings.Join(words, " "))
	}
	return fmt.Errorf("ffmpeg: %w", err)
}

func (m *mp4Writer) close() error {
	defer m.discard()
	if err := m.end(nil); err != nil {
		return err
	}
	if _, err := m.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	_, err := io.Copy(m.to, m.file)
	return err
}

func (m *mp4Writer) discard() {
	if m.cmd != nil {
		m.kill()
		m.end(nil)
	}
	if m.file != nil {
		m.file.Close()
		os.Remove(m.file.Name())
		m.file = nil
	}
}
