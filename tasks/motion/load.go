package motion

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/polyrhythm-rl/polyrhythm/internal/bounds"
	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/runners"
)

// Kinds are the endings of the names of motion files.
var Kinds = []string{".npz", ".csv", ".yaml"}

// LoadOptions are the options of [Load].
type LoadOptions struct {
	// CSVRate is the rate of the lines of a CSV file; zero: 30 Hz.
	CSVRate runners.Rate

	// Rate is that of the clip; zero: that of the file.
	Rate runners.Rate

	// ReadFile reads a file of at most max bytes; nil: from the disk.
	ReadFile func(path string, max int64) ([]byte, error)
}

// Load reads the motion of a robot from a file, whose kind is its ending. The clip has the joints and bodies of the
// robot, in its order. Errors begin with the path.
func Load(path string, r *Robot, opt LoadOptions) (*Clip, error) {
	kind := strings.ToLower(filepath.Ext(path))
	if !slices.Contains(Kinds, kind) {
		return nil, fmt.Errorf("%s: want a file that ends in %s", path, bounds.Words(Kinds, "or"))
	}
	read := opt.ReadFile
	if read == nil {
		read = disk.ReadFile
	}
	data, err := read(path, MaxBytes)
	if err != nil {
		return nil, err // which has the path
	}
	c, err := load(data, kind, r, opt)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return c, nil
}

func load(data []byte, kind string, r *Robot, opt LoadOptions) (c *Clip, err error) {
	var t *Track
	switch kind {
	case ".npz":
		if c, err = ReadNPZ(data); err == nil {
			c, err = c.Reorder(r)
		}
		if err == nil && opt.Rate != (runners.Rate{}) {
			c, err = c.Resample(opt.Rate, r)
		}
		return c, err
	case ".csv":
		if opt.CSVRate.IsZero() {
			opt.CSVRate = runners.Hz(30)
		}
		t, err = readCSV(data, r, opt.CSVRate)
	case ".yaml":
		t, err = readKeyframes(data, r)
	}
	if err != nil {
		return nil, err
	}
	return r.ResampledClip(t, opt.Rate)
}

// ResampledClip is [Robot.Clip] of a track at another rate; zero: its own.
func (r *Robot) ResampledClip(t *Track, rate runners.Rate) (*Clip, error) {
	if err := checkFrames(t.Rows); err != nil {
		return nil, err
	}
	if rate == (runners.Rate{}) {
		rate = t.Rate
	}
	t, err := t.Resample(rate)
	if err != nil {
		return nil, err
	}
	return r.Clip(t)
}
