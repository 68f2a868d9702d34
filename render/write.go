package render

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/runners"
)

// ErrOut is wrapped by the error of [CheckOut] for a place to which no clip can be written.
var ErrOut = errors.New("want a new .gif or .mp4 file, or a new or empty folder for PNG files")

// CheckOut returns an error unless a clip can be written to the path out: a file that ends in .gif or .mp4, for which
// ffmpeg must be there, or a folder. A file that exists is refused unless replace is set.
func CheckOut(out string, replace bool) error {
	extension := strings.ToLower(filepath.Ext(out))
	info, err := os.Stat(out)
	exists := err == nil
	switch {
	case out == "":
		return fmt.Errorf("no file given: %w", ErrOut)
	case extension != ".gif" && extension != ".mp4" && extension != "" && !(exists && info.IsDir()):
		return fmt.Errorf("%s ends in %s: %w", out, extension, ErrOut)
	case extension == "":
		return disk.CheckFolder(out)
	case exists && !info.Mode().IsRegular():
		return fmt.Errorf("%s is no file: %w", out, ErrOut)
	case exists && !replace:
		return fmt.Errorf("%s is there already: %w", out, ErrOut)
	}
	if folder, err := os.Stat(filepath.Dir(out)); err != nil || !folder.IsDir() {
		return fmt.Errorf("%s is in a folder that does not exist: %w", out, ErrOut)
	}
	if extension == ".mp4" {
		_, err = findFFmpeg()
		return err
	}
	return nil
}

// Write draws an episode with the renderer of m and writes a clip to the path out, which [CheckOut] must have
// accepted. Frame k is at the time k/FPS, before the episode's end, and shows the newest pose of then or before. The
// file or folder appears under its name when it is complete.
func Write(ctx context.Context, m physics.Drawable, e *Episode, opt Options, out string) error {
	switch strings.ToLower(filepath.Ext(out)) {
	case ".gif":
		return disk.Replace(disk.OS{}, out, false, func(w io.Writer) error {
			return drawClip(ctx, m, e, opt, &gifWriter{out: w})
		})
	case ".mp4":
		program, err := findFFmpeg()
		if err != nil {
			return err
		}
		return disk.Replace(disk.OS{}, out, false, func(w io.Writer) error {
			return drawClip(ctx, m, e, opt, &mp4Writer{ctx: ctx, out: w, program: program})
		})
	}
	return disk.NewFolder(disk.OS{}, out, disk.Files(ownsFrame), func(partial string) error {
		return drawClip(ctx, m, e, opt, &frameWriter{dir: partial})
	})
}

// frameFiles are the names of the files of a frameWriter.
var frameFiles = regexp.MustCompile(`^\d{6,}\.png$`)

// ownsFrame judges the files of a frameWriter.
func ownsFrame(path string, entry fs.DirEntry) (bool, error) {
	if !frameFiles.MatchString(entry.Name()) {
		return false, nil
	}
	return disk.BeginsWith(disk.PNG)(path, entry)
}

// frameWriter writes each frame as a PNG file, 000000.png and so on.
type frameWriter struct {
	dir    string
	frames int64
}

func (f *frameWriter) start(physics.View, runners.Rate, []*image.RGBA) error { return nil }

func (f *frameWriter) frame(p *image.RGBA) error {
	file, err := os.OpenFile(filepath.Join(f.dir, fmt.Sprintf("%06d.png", f.frames)), os.O_CREATE|os.O_EXCL|os.O_WRONLY,
		0o666)
	if err != nil {
		return err
	}
	f.frames++
	encoder := png.Encoder{CompressionLevel: png.BestSpeed}
	return errors.Join(encoder.Encode(file, p), file.Close())
}

func (f *frameWriter) close() error { return nil }

func (f *frameWriter) discard() {}
