package rollouts

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/recorder/frames"
	"github.com/polyrhythm-rl/polyrhythm/training/internal/usage"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

// AddFrames adds what a camera sees to a dataset, in the pose of each row of its table capture, see
// [frames.Add], and returns the folder of the pictures and their number of rows.
func AddFrames(ctx context.Context, d *recorder.Dataset, opt frames.Options) (folder string, rows int64, err error) {
	m, err := DrawableOf(ctx, d)
	if err != nil {
		return "", 0, err
	}
	defer m.Close()
	optical, ok := m.(physics.Optical)
	if !ok {
		return "", 0, usage.Errorf("%s is of a run whose scene has two dimensions, want a dataset of one of MuJoCo's", d.Dir())
	}
	if camera := opt.Camera.Name; camera != "" {
		if known := m.Cameras(); !slices.Contains(known, camera) {
			return "", 0, usage.Mark(physics.UnknownError("camera", camera, known))
		}
	}
	if body := opt.Camera.Body; body != "" && body != "world" {
		if _, err := optical.Tree("body/" + body); err != nil {
			return "", 0, usage.Mark(err)
		}
	}
	folder, rows, err = frames.Add(ctx, d, optical, opt)
	if errors.Is(err, frames.ErrOptions) {
		err = usage.Mark(err)
	}
	return folder, rows, err
}

// DrawableOf compiles the model of the run of a dataset, which must not have changed since. Close it.
func DrawableOf(ctx context.Context, d *recorder.Dataset) (physics.Drawable, error) {
	about := filepath.Join(d.Dir(), "the dataset's configuration")
	c, err := configs.Parse(about, []byte(d.Metadata.Configuration), nil, nil)
	if err != nil {
		return nil, err
	}
	m, err := env.OpenModel(ctx, c)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", about, err)
	}
	if err := SameModel(d, m); err != nil {
		return nil, errors.Join(err, m.Close())
	}
	drawable, ok := m.(physics.Drawable)
	if !ok {
		return nil, errors.Join(fmt.Errorf("%s: the engine of %s draws nothing", d.Dir(), c.Task.Name), m.Close())
	}
	return drawable, nil
}

// SameModel returns an error if the run of a dataset had another model than m, whose poses would be drawn wrongly.
func SameModel(d *recorder.Dataset, m physics.Model) error {
	compiled, ok := m.(interface{ Digest() uint32 })
	folder := d.Dir()
	if filepath.Base(folder) == rundir.DatasetFolder {
		folder = filepath.Dir(folder)
	}
	if !ok {
		return nil
	}
	if text := rundir.ChangedModel(folder, fmt.Sprintf("%08x", compiled.Digest())); text != "" {
		return usage.Errorf("%s; want the one that was recorded", text)
	}
	return nil
}
