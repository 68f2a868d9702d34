package export

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/polyrhythm-rl/polyrhythm/internal/ffmpeg"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
	"github.com/polyrhythm-rl/polyrhythm/runners"
)

// video encodes the pictures of a column, episode after episode, in one file after another.
type video struct {
	source   source
	layout   *format.Layout // layout of this column alone
	program  string
	pictures []byte // pictures of the episode, as rows of the layout

	encoder *ffmpeg.Encoder
	file    string
	files   int64
	frames  int64 // number of frames in the file so far
}

// addVideo makes the pictures of a column a video. Its sides are even, which those of H.264 with 4:2:0 must be.
func (r *lerobot) addVideo(from source, c format.Column) error {
	if c.Width%2 != 0 || c.Height()%2 != 0 {
		return fmt.Errorf("pictures of %s have %d × %d pixels, and the sides of a video are even: want others, or "+
			"an export without video: %w", from.from().Name, c.Width, c.Height(), ErrVideo)
	}
	program, err := ffmpeg.Find("a video", "an export without video")
	if err != nil {
		return err
	}
	r.videos = append(r.videos, &video{source: from, program: program,
		layout: format.NewLayout(&format.Table{Columns: []format.Column{c}})})
	return nil
}

func (r *lerobot) discardVideos() {
	for _, v := range r.videos {
		if v.encoder != nil {
			v.encoder.Discard()
		}
	}
}

func (v *video) column() *format.Column { return &v.layout.Columns[0] }
func (v *video) name() string           { return v.column().Name }

// add adds the pixels of a picture to those of the episode.
func (v *video) add(pixels []byte) {
	row := v.layout.Zeros()
	copy(v.layout.Bytes(row, 0), pixels)
	v.pictures = append(v.pictures, row...)
}

// write encodes the pictures of the episode.
func (v *video) write(j *job, rate runners.Rate) error {
	if v.encoder != nil {
		if info, err := os.Stat(v.file); err == nil && info.Size() >= lerobotVideoMB<<20 {
			if err := v.close(j); err != nil {
				return err
			}
		}
	}
	if v.encoder == nil {
		v.file = filepath.Join(j.dir, fmt.Sprintf(lerobotVideos, v.name(), v.files/lerobotChunk, v.files%lerobotChunk))
		if err := j.fsys.MkdirAll(filepath.Dir(v.file)); err != nil {
			return err
		}
		var err error
		v.encoder, err = ffmpeg.Start(j.ctx, v.program, ffmpeg.Frames{Width: v.column().Width,
			Height: v.column().Height(), Format: "rgb24", Rate: rate, Matrix: ffmpeg.BT601, KeyFrames: 2}, v.file)
		if err != nil {
			return err
		}
		v.files++
		v.frames = 0
	}
	for rows := v.pictures; len(rows) > 0; rows = rows[v.layout.Stride:] {
		if _, err := v.encoder.Write(v.layout.Bytes(rows, 0)); err != nil {
			return fmt.Errorf("%s: %w", v.file, err)
		}
		v.frames++
	}
	return nil
}

// close ends the file.
func (v *video) close(j *job) error {
	encoder := v.encoder
	v.encoder = nil
	if err := encoder.Close(); err != nil {
		return fmt.Errorf("%s: %w", v.file, err)
	}
	info, err := os.Stat(v.file)
	if err != nil {
		return err
	}
	j.result.Bytes += info.Size()
	return nil
}

// info describes the video as LeRobot does.
func (v *video) info(rate runners.Rate) map[string]any {
	return map[string]any{
		"video.height": v.column().Height(), "video.width": v.column().Width, "video.channels": v.column().Channels(),
		"video.codec": "h264", "video.pix_fmt": "yuv420p", "video.fps": rate.Num(), "video.is_depth_map": false,
		"has_audio": false,
	}
}
