package demonstrations

import (
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"path/filepath"
	"slices"

	"golang.org/x/image/draw"

	"github.com/polyrhythm-rl/polyrhythm/internal/ffmpeg"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
)

// album has the pictures of one row after another of a LeRobot dataset.
type album struct {
	ctx    context.Context // of one call of Set.Each
	wanted []format.Column
	stored []string        // names of the features whose files the rows have
	films  []*film         // by wanted picture; nil: its files are in the rows
	own    []format.Column // columns of the pictures in their own sizes, by wanted picture
	pixels []byte          // of one of them
	pages  [][]byte        // pixels of the row, by wanted picture
}

// film are the videos of a feature, one after the other.
type film struct {
	program string
	picture *format.Column
	files   []string // that are left
	decoder *ffmpeg.Decoder
}

// videosOf returns the files of a feature of videos, in the order of their frames.
func videosOf(dir, name string) []string {
	files, err := filepath.Glob(filepath.Join(dir, "videos", name, "chunk-*", "file-*.mp4"))
	if err != nil {
		return nil // the name has brackets
	}
	return files
}

// CheckPictures returns an error unless the set's pictures, of the same names, can be those of columns of pictures. Colours
// are scaled to a column's size.
func (s *Set) CheckPictures(columns []format.Column) error {
	for i := range columns {
		if _, _, err := s.stored(&columns[i]); err != nil {
			return err
		}
	}
	return nil
}

// stored returns the column of a picture as the set has it, that is to be one of another column.
func (s *Set) stored(c *format.Column) (own format.Column, video bool, err error) {
	k := slices.IndexFunc(s.Pictures, func(p Picture) bool { return p.Name == c.Name })
	if k < 0 {
		return own, false, fmt.Errorf("no feature %s of pictures, want it", c.Name)
	}
	p, exact := &s.Pictures[k], c.Kind != format.Uint8
	size := fmt.Sprintf("%s is %d × %d × %d", c.Name, p.Height, p.Width, p.Channels)
	want := fmt.Sprintf("%d × %d × %d", c.Height(), c.Width, c.Channels())
	switch {
	case exact && p.Video:
		return own, false, fmt.Errorf("%s is a video, want images, whose values are exact", c.Name)
	case exact && (p.Width != c.Width || p.Height != c.Height()) || p.Channels != c.Channels():
		return own, false, fmt.Errorf("%s, want %s", size, want)
	case min(p.Width, p.Height) < 1 || p.Width > maxSide || p.Height > maxSide:
		return own, false, fmt.Errorf("%s, want from 1 to %d pixels a side", size, maxSide)
	case p.Width*c.Height() != p.Height*c.Width:
		return own, false, fmt.Errorf("%s, want the shape of %s, to which it can be scaled", size, want)
	}
	own = *c
	own.Width, own.Len = p.Width, p.Width*p.Height*p.Channels
	return own, p.Video, nil
}

// maxSide is the largest width or height of a picture that is read.
const maxSide = 1 << 12

// newAlbum returns an album of the pictures of a set, in a folder, that are wanted.
func newAlbum(ctx context.Context, s *Set, dir string, wanted []format.Column) (*album, error) {
	a := &album{ctx: ctx, wanted: wanted, films: make([]*film, len(wanted)), own: make([]format.Column, len(wanted))}
	for i := range wanted {
		c, video := &wanted[i], false
		var err error
		if a.own[i], video, err = s.stored(c); err != nil {
			return nil, err
		}
		a.pages = append(a.pages, make([]byte, c.Len*c.Kind.Size()))
		if !video {
			a.stored = append(a.stored, c.Name)
			continue
		}
		program, err := ffmpeg.Find("the videos of "+c.Name, "a dataset of images")
		if err != nil {
			return nil, err
		}
		a.films[i] = &film{program: program, picture: &a.own[i], files: videosOf(dir, c.Name)}
	}
	return a, nil
}

// turn reads the pictures of the next row, whose files of stored pictures are given.
func (a *album) turn(files [][]byte) error {
	for i := range a.wanted {
		own, pixels := &a.own[i], a.pages[i]
		isScaled := own.Len != a.wanted[i].Len
		if isScaled {
			a.pixels = slices.Grow(a.pixels[:0], own.Len)[:own.Len]
			pixels = a.pixels
		}
		var err error
		if film := a.films[i]; film != nil {
			if err = film.read(a.ctx, pixels); err == io.EOF {
				err = errors.New("its videos have fewer frames than there are rows, want one for each")
			}
		} else {
			err = own.DecodePicture(pixels, files[0])
			files = files[1:]
		}
		if err != nil {
			return fmt.Errorf("%s: %w", own.Name, err)
		}
		if isScaled {
			scale(a.pages[i], &a.wanted[i], pixels, own)
		}
	}
	return nil
}

// end returns an error if films have more frames than there were rows.
func (a *album) end() error {
	for _, film := range a.films {
		if film == nil {
			continue
		}
		err := film.read(a.ctx, make([]byte, film.picture.Len))
		if err == nil {
			err = errors.New("its videos have more frames than there are rows, want one for each")
		}
		if err != io.EOF {
			return fmt.Errorf("%s: %w", film.picture.Name, err)
		}
	}
	return nil
}

// scale scales colours to another size.
func scale(dst []byte, to *format.Column, src []byte, from *format.Column) {
	picture := image.NewRGBA(image.Rect(0, 0, from.Width, from.Height()))
	for i := range from.Len / 3 {
		copy(picture.Pix[4*i:], src[3*i:3*i+3])
		picture.Pix[4*i+3] = 255
	}
	scaled := image.NewRGBA(image.Rect(0, 0, to.Width, to.Height()))
	draw.CatmullRom.Scale(scaled, scaled.Rect, picture, picture.Rect, draw.Src, nil)
	for i := range to.Len / 3 {
		copy(dst[3*i:3*i+3], scaled.Pix[4*i:])
	}
}

// read reads the next frame; io.EOF: there is none.
func (f *film) read(ctx context.Context, pixels []byte) error {
	for {
		if f.decoder == nil {
			if len(f.files) == 0 {
				return io.EOF
			}
			var err error
			if f.decoder, err = ffmpeg.Open(ctx, f.program, f.files[0], f.picture.Width,
				f.picture.Height()); err != nil {
				return err
			}
			f.files = f.files[1:]
		}
		err := f.decoder.Read(pixels)
		if !errors.Is(err, io.EOF) {
			return err
		}
		f.decoder = nil // it has ended
	}
}

// close ends what runs.
func (a *album) close() {
	for _, film := range a.films {
		if film != nil && film.decoder != nil {
			film.decoder.Discard()
		}
	}
}
