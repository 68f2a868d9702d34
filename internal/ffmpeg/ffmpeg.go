// Package ffmpeg encodes frames as H.264 in MP4 files, and decodes those of videos, by the program ffmpeg.
package ffmpeg

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// Variable is the environment variable with the path of ffmpeg; without it, it is looked for in PATH.
const Variable = "POLYRHYTHM_FFMPEG"

// ErrMissing is wrapped by the error of [Find].
var ErrMissing = errors.New("the package ffmpeg (Debian's name) or its path in " + Variable)

// Find returns the path of ffmpeg. The error says what takes it, and what else will do: a GIF, say.
func Find(purpose, instead string) (string, error) {
	name := cmp.Or(os.Getenv(Variable), "ffmpeg")
	path, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("%s takes ffmpeg, and %s is not there: want %s, or %w", purpose, name, instead,
			ErrMissing)
	}
	return path, nil
}

// Frames says what an [Encoder] gets and writes.
type Frames struct {
	Width, Height int
	Format        string // format of a frame's bytes, by ffmpeg's name: rgba, rgb24

	// Rate is frames per second, a fraction, such as a runners.Rate.
	Rate interface {
		Num() int64
		Den() int64
	}

	// Matrix is that by which the file has the colours. The file says which, but not every reader asks.
	Matrix Matrix

	// KeyFrames is the distance of frames that are encoded without others, so that a reader may begin there; 0 leaves
	// it to the encoder.
	KeyFrames int
}

// Matrix turns red, green and blue into luma and chroma.
type Matrix int

const (
	BT709 Matrix = iota // which players of large pictures take
	BT601               // which libraries take that decode for programs, such as LeRobot's PyAV
)

// names returns those of the matrix for scaling and as a tag.
func (m Matrix) names() (scaled, tag string) {
	if m == BT601 {
		return "bt601", "smpte170m"
	}
	return "bt709", "bt709"
}

// colours are what the file says of its values; see [Start].
func (m Matrix) colours() []string {
	_, tag := m.names()
	return []string{"-colorspace", tag, "-color_primaries", "bt709", "-color_trc", "iec61966-2-1", "-color_range", "tv"}
}

// filters returns what turns the frames into those that are encoded.
func (f *Frames) filters() string {
	right, bottom := f.Width%2, f.Height%2
	filters := ""
	if right+bottom > 0 {
		filters = fmt.Sprintf("format=gbrp,pad=%d:%d,fillborders=right=%d:bottom=%d:mode=smear,", f.Width+right,
			f.Height+bottom, right, bottom)
	}
	matrix, tag := f.Matrix.names()
	return filters + "scale=out_color_matrix=" + matrix +
		":out_range=tv:flags=bicubic+accurate_rnd+full_chroma_int+full_chroma_inp,format=yuv420p," +
		"setparams=range=tv:colorspace=" + tag + ":color_primaries=bt709:color_trc=iec61966-2-1"
}

// process is a running ffmpeg.
type process struct {
	ctx    context.Context
	cmd    *exec.Cmd // nil: it has ended
	stderr bytes.Buffer
}

// prepare sets what ffmpeg is to run with.
func (p *process) prepare(ctx context.Context, ffmpeg string, args ...string) {
	p.ctx, p.cmd = ctx, exec.CommandContext(ctx, ffmpeg, append([]string{"-y", "-loglevel", "error", "-nostdin"}, args...)...)
	separate(p.cmd) // Ctrl-C is for this program
	p.cmd.Cancel = func() error { return kill(p.cmd) }
	p.cmd.Stderr = &p.stderr
}

// Discard ends ffmpeg, if it runs, whatever it was doing.
func (p *process) Discard() {
	if p.cmd != nil {
		kill(p.cmd)
		p.wait(nil)
	}
}

// wait waits until ffmpeg has ended. If it failed or err is not nil, it returns what ffmpeg said, or the error.
func (p *process) wait(err error) error {
	err = cmp.Or(p.cmd.Wait(), err)
	p.cmd = nil
	if err == nil {
		return nil
	}
	if ctxErr := p.ctx.Err(); ctxErr != nil {
		return ctxErr
	}
	if words := strings.Fields(p.stderr.String()); len(words) > 0 {
		return fmt.Errorf("ffmpeg: %s", strings.Join(words, " "))
	}
	return fmt.Errorf("ffmpeg: %w", err)
}

// Encoder is a running ffmpeg. Its methods are for one goroutine.
type Encoder struct {
	process
	pipe io.WriteCloser
}

// Start starts ffmpeg, which writes the frames that it gets to a file. H.264 with 4:2:0 has no odd widths and heights: such
// frames get their last column or row twice. Colours are those of sRGB, and the file says so, and by which matrix: a
// player that is not told takes BT.601 for small pictures and BT.709 for large ones. A cancelled context ends it.
func Start(ctx context.Context, ffmpeg string, f Frames, file string) (*Encoder, error) {
	args := []string{
		"-f", "rawvideo", "-pixel_format", f.Format, "-video_size", fmt.Sprintf("%dx%d", f.Width, f.Height),
		"-framerate", fmt.Sprintf("%d/%d", f.Rate.Num(), f.Rate.Den()), "-i", "pipe:0",
		"-an", "-c:v", "libx264", "-preset", "fast", "-crf", "18", "-vf", f.filters()}
	args = append(args, f.Matrix.colours()...)
	if f.KeyFrames > 0 {
		args = append(args, "-g", strconv.Itoa(f.KeyFrames))
	}
	e := &Encoder{}
	e.prepare(ctx, ffmpeg, append(args, "-movflags", "+faststart", "-f", "mp4", file)...)
	var err error
	if e.pipe, err = e.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if err := e.cmd.Start(); err != nil {
		return nil, err
	}
	return e, nil
}

// Write adds the bytes of a frame, or a part of them. After an error ffmpeg has ended.
func (e *Encoder) Write(frame []byte) (int, error) {
	n, err := e.pipe.Write(frame)
	if err != nil {
		err = e.end(err)
	}
	return n, err
}

// Close waits until ffmpeg has written the file and ended.
func (e *Encoder) Close() error {
	if e.cmd == nil {
		return nil
	}
	return e.end(nil)
}

// end waits until ffmpeg, which gets no more frames, has ended.
func (e *Encoder) end(err error) error {
	e.pipe.Close()
	return e.wait(err)
}

// Decoder is a running ffmpeg, which reads the frames of a file. Its methods are for one goroutine.
type Decoder struct {
	process
	pipe io.ReadCloser
}

// Open starts ffmpeg, which decodes the frames of a file as red, green and blue bytes, in their order, and scales
// frames of another size. A cancelled context ends it.
func Open(ctx context.Context, ffmpeg, file string, width, height int) (*Decoder, error) {
	d := &Decoder{}
	d.prepare(ctx, ffmpeg, "-noautorotate", "-i", file, "-an", "-fps_mode", "passthrough",
		"-f", "rawvideo", "-pix_fmt", "rgb24", "-s", fmt.Sprintf("%dx%d", width, height), "pipe:1")
	var err error
	if d.pipe, err = d.cmd.StdoutPipe(); err != nil {
		return nil, err
	}
	if err := d.cmd.Start(); err != nil {
		return nil, err
	}
	return d, nil
}

// Read reads a frame into all of pixels, height × width × 3. It returns [io.EOF] after the last one; after an error ffmpeg
// has ended.
func (d *Decoder) Read(pixels []byte) error {
	_, err := io.ReadFull(d.pipe, pixels)
	switch err {
	case nil:
		return nil
	case io.EOF:
		return cmp.Or(d.wait(nil), err)
	case io.ErrUnexpectedEOF: // it says why
	default:
		kill(d.cmd)
	}
	return d.wait(err)
}
