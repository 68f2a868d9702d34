package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/render"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/training"
)

const (
	clipSeconds = 8               // of an episode that the clip of a run shows
	clipLimit   = 3 * time.Minute // that making it may take
)

// newClip returns the command that run executes, in a process of its own, to draw the
// policy that it has trained.
func newClip() *cobra.Command {
	cmd := &cobra.Command{
		Use:    "clip RUN",
		Short:  "Draw an episode of a run's policy",
		Hidden: true,
		Args:   oneArgument("RUN"),
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		checkpoint, err := training.ReadCheckpoint(args[0])
		if err != nil {
			return err
		}
		c, err := configs.Parse(args[0], []byte(checkpoint.User), nil, nil)
		if err != nil {
			return asUsage(err)
		}
		return onDisk(cmd.Context(), func() error { return drawPolicy(cmd.Context(), c, args[0]) })
	}
	return cmd
}

// drawPolicy records an episode of a run's policy in a temporary folder and draws it.
func drawPolicy(ctx context.Context, c *configs.Config, run string) (err error) {
	temporary, err := os.MkdirTemp("", "polyrhythm-clip-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temporary)) }()
	policy, err := training.OpenPolicy(run)
	if err != nil {
		return err
	}
	clipConfig(c)
	folder := filepath.Join(temporary, "dataset")
	if _, err := training.Rollout(ctx, c, training.RolloutOptions{Policy: policy, Episodes: 1, Folder: folder}); err != nil {
		return err
	}
	d, err := recorder.Open(folder)
	if err != nil {
		return err
	}
	e, err := render.ReadEpisode(ctx, d, 0, nil)
	if err != nil {
		return err
	}
	m, err := drawableOf(ctx, d)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	opt := render.Options{View: physics.View{Width: 480, Height: 360}, FPS: runners.Hz(25), Until: clipSeconds * 1e9}
	return render.Write(ctx, m, e, opt, filepath.Join(run, training.ClipFile))
}

// clipConfig changes the configuration of a run to one short episode with poses, of
// another seed than those of the training.
func clipConfig(c *configs.Config) {
	c.Seed++
	c.Worlds, c.BlockSize = 1, 0
	c.Autoreset = configs.SameStep
	c.Time.Mode = runners.SimHighPerformance
	r := configs.Default().Recording
	r.Sync = configs.SyncNone
	c.Recording = r
	if plan, err := env.NewPlan(c); err == nil {
		steps := int(clipSeconds/plan.ControlRate().Seconds()) + 1
		if c.MaxSteps == 0 || c.MaxSteps > steps {
			c.MaxSteps = steps
		}
	}
}

// makeClip draws the policy of a trained run by another process of this program: a
// renderer that fails, or a driver that crashes, must not take the run along. It does
// nothing where this process is not the program train.
func makeClip(cmd *cobra.Command, c *configs.Config, run string) error {
	if !c.Recording.Clips() || cmd.Context().Value(diskKey{}) == nil {
		return nil
	}
	if err := drawApart(cmd.Context(), clipLimit, run); err != nil {
		return fmt.Errorf("no clip of the policy: %s; recording.clip=false leaves it out", oneLine(err))
	}
	return nil
}

// drawApart runs train clip, which may take a limited time.
func drawApart(ctx context.Context, limit time.Duration, run string) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	program, err := os.Executable()
	if err != nil {
		return err
	}
	var said bytes.Buffer
	child := exec.CommandContext(ctx, program, "clip", run)
	child.Stderr = &said
	child.Cancel = func() error { return child.Process.Signal(os.Interrupt) }
	child.WaitDelay = gracePeriod
	// If this process is killed, the run may be continued, which draws the clip anew.
	// The signal comes when the thread ends that starts the process.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	child.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	err = child.Run()
	switch {
	case err == nil:
		return nil
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return fmt.Errorf("drawing it has taken more than %v", limit)
	case said.Len() > 0:
		return errors.New(strings.TrimPrefix(oneLine(errors.New(said.String())), "train: "))
	}
	return err
}
