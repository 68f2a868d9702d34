package render_test

import (
	"context"
	"fmt"
	"log"
	"math/big"
	"os"
	"path/filepath"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/render"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/training/policies"
	"github.com/polyrhythm-rl/polyrhythm/training/rollouts"
)

// An episode of a dataset becomes a GIF.
func Example() {
	dir, err := os.MkdirTemp("", "render")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	c, err := env.TaskConfig("Hopper-v5", nil)
	if err != nil {
		log.Fatal(err)
	}
	c.Worlds, c.Recording.Enabled = 1, true
	if err := record(&c, filepath.Join(dir, "dataset")); err != nil {
		log.Fatal(err)
	}

	d, err := recorder.Open(filepath.Join(dir, "dataset"))
	if err != nil {
		log.Fatal(err)
	}
	e, err := render.ReadEpisode(context.Background(), d, 0, nil)
	if err != nil {
		log.Fatal(err)
	}
	m, err := env.OpenModel(context.Background(), &c)
	if err != nil {
		log.Fatal(err)
	}
	defer m.Close()
	opt := render.Options{View: physics.View{Width: 160, Height: 120}, FPS: runners.Hz(10)}
	opt.Progress = func(done, total int64) {
		if done == total {
			fmt.Println(total, "frames")
		}
	}
	if err := render.Write(context.Background(), m.(physics.Drawable), e, opt,
		filepath.Join(dir, "clip.gif")); err != nil {
		log.Fatal(err)
	}
	// Output: 6 frames
}

// record records half a second of a policy that does nothing.
func record(c *configs.Config, folder string) error {
	policy, err := policies.Open(policies.Zero)
	if err != nil {
		return err
	}
	_, err = rollouts.Rollout(context.Background(), c, rollouts.RolloutOptions{
		Policy: policy, Seconds: big.NewRat(1, 2), Folder: folder,
	})
	return err
}
