package render

import (
	"context"
	"image"
	"io"
	"os"

	"github.com/polyrhythm-rl/polyrhythm/internal/ffmpeg"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/runners"
)

// findFFmpeg returns the path of ffmpeg.
func findFFmpeg() (string, error) { return ffmpeg.Find("an .mp4", "a clip that ends in .gif") }

// mp4Writer writes a temporary file by ffmpeg, which goes back in it.
type mp4Writer struct {
	ctx     context.Context
	out     io.Writer
	program string
	file    *os.File
	encoder *ffmpeg.Encoder
}

func (m *mp4Writer) start(view physics.View, fps runners.Rate, _ []*image.RGBA) (err error) {
	if m.file, err = os.CreateTemp("", "polyrhythm-*.mp4"); err != nil {
		return err
	}
	m.encoder, err = ffmpeg.Start(m.ctx, m.program,
		ffmpeg.Frames{Width: view.Width, Height: view.Height, Format: "rgba", Rate: fps}, m.file.Name())
	return err
}

func (m *mp4Writer) frame(p *image.RGBA) error {
	_, err := m.encoder.Write(p.Pix)
	return err
}

func (m *mp4Writer) close() error {
	defer m.discard()
	if err := m.encoder.Close(); err != nil {
		return err
	}
	if _, err := m.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	_, err := io.Copy(m.out, m.file)
	return err
}

func (m *mp4Writer) discard() {
	if m.encoder != nil {
		m.encoder.Discard()
	}
	if m.file != nil {
		m.file.Close()
		os.Remove(m.file.Name())
		m.file = nil
	}
}
