package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
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
	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/render"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sim"
	"github.com/polyrhythm-rl/polyrhythm/training/policies"
	"github.com/polyrhythm-rl/polyrhythm/training/rollouts"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

const (
	clipSeconds = 8                // length of the clip of a run, in seconds of an episode
	clipLimit   = 30 * time.Second // time that making the clip may take
)

// newClip returns the command by which people, and run, draw a policy.
func newClip() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "clip RUN",
		Short:   "Draw the clip of a training again",
		Example: "  train clip runs/quadruped-001",
		Long: fmt.Sprintf("Draw the clip of the training in the folder RUN, %s: an episode of its policy, up to %d s, with the "+
			"seed after that of the training. A training draws it at its end, and gives up after %v. This command takes as "+
			"long as it needs.", rundir.ClipFile, clipSeconds, clipLimit),
		Args: oneArgument("RUN"),
	}
	frames := cmd.Flags().Bool("frames", false, "print how many frames are drawn, and of how many")
	cmd.Flags().Lookup("frames").Hidden = true // for drawApart
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := checkFolders("a training", args...); err != nil {
			return err
		}
		checkpoint, err := rundir.ReadCheckpoint(args[0])
		if err != nil {
			return err
		}
		c, err := configs.Parse(args[0], []byte(checkpoint.User), nil, nil)
		if err != nil {
			return asUsage(err)
		}
		_, err = work(cmd, "drawing", func(bar *progress) (any, error) {
			report := bar.count("frame")
			if *frames {
				report = func(done, total int64) { fmt.Fprintln(cmd.OutOrStdout(), done, total) }
			}
			return nil, drawPolicy(cmd.Context(), c, args[0], report)
		})
		if err == nil && !*frames {
			fmt.Fprintln(cmd.OutOrStdout(), "drew", filepath.Join(args[0], rundir.ClipFile))
		}
		return err
	}
	return cmd
}

// drawPolicy records an episode of a run's policy in a temporary folder and draws it.
func drawPolicy(ctx context.Context, c *configs.Config, run string, progress func(done, total int64)) (err error) {
	temporary, err := os.MkdirTemp("", "polyrhythm-clip-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temporary)) }()
	policy, err := policies.Open(run)
	if err != nil {
		return err
	}
	clipConfig(c)
	folder := filepath.Join(temporary, "dataset")
	if _, err := rollouts.Rollout(ctx, c, rollouts.RolloutOptions{Policy: policy, Episodes: 1,
		Folder: folder}); err != nil {
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
	m, err := rollouts.DrawableOf(ctx, d)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	opt := clipOptions()
	opt.Until, opt.Progress = clipSeconds*1e9, progress
	return render.Write(ctx, m, e, opt, filepath.Join(run, rundir.ClipFile))
}

// clipOptions say how clips are drawn that nobody asked for alone. Shadows and smooth edges would take seven times as long.
func clipOptions() render.Options {
	return render.Options{View: physics.View{Width: 480, Height: 360, Quality: physics.Fast}, FPS: runners.Hz(20)}
}

// clipConfig changes a run's configuration to one short episode with poses, of another seed.
func clipConfig(c *configs.Config) {
	c.Seed++
	c.Worlds, c.BlockSize = 1, 0
	c.Autoreset = sim.SameStep
	c.Time.Mode = runners.SimHighPerformance
	r := configs.Default().Recording
	r.Sync = recorder.SyncNever
	c.Recording = r
	if plan, err := env.NewPlan(c); err == nil {
		steps := int(clipSeconds/plan.Schedule().ControlRate().Seconds()) + 1
		if c.MaxSteps == 0 || c.MaxSteps > steps {
			c.MaxSteps = steps
		}
	}
}

// makeClip draws the policy of a run by another process, since a renderer or a driver that crashes must not take the
// run along. It says so on out, and does nothing where this process is not the program train.
func makeClip(cmd *cobra.Command, out io.Writer, c *configs.Config, run string,
	progress func(done, total int64)) error {
	if !c.Recording.Clips() || cmd.Context().Value(diskKey{}) == nil {
		return nil
	}
	if !settingsOf(cmd).Quiet {
		fmt.Fprintln(out, "drawing", filepath.Join(run, rundir.ClipFile))
	}
	if err := drawApart(cmd.Context(), clipLimit, run, progress); err != nil {
		return fmt.Errorf("no clip of the policy: %s; recording.clip=false leaves it out", oneLine(err))
	}
	return nil
}

// drawApart runs train clip for a limited time. It kills it then and when ctx is cancelled, and removes what is left.
func drawApart(ctx context.Context, limit time.Duration, run string, progress func(done, total int64)) (err error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	program, err := os.Executable()
	if err != nil {
		return err
	}
	temporary, err := os.MkdirTemp("", "polyrhythm-clip-")
	if err != nil {
		return err
	}
	defer func() {
		os.Remove(filepath.Join(run, rundir.ClipFile+disk.Part))
		err = errors.Join(err, os.RemoveAll(temporary))
	}()
	var stderr bytes.Buffer
	child := exec.CommandContext(ctx, program, "clip", run, "--frames", "--colour=never", "--verbose=false")
	child.Env = append(os.Environ(), "TMPDIR="+temporary)
	child.Stderr = &stderr
	frames, err := child.StdoutPipe()
	if err != nil {
		return err
	}
	// If this process is killed, the run may be continued, which draws the clip anew.
	// The signal comes when the thread ends that starts the process.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	child.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err = child.Start(); err == nil {
		var done, total int64
		for n, _ := fmt.Fscan(frames, &done, &total); n == 2; n, _ = fmt.Fscan(frames, &done, &total) {
			progress(done, total)
		}
		err = child.Wait()
	}
	switch {
	case err == nil:
		return nil
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return fmt.Errorf("drawing it has taken more than %v, and train clip %s draws it without a limit", limit, run)
	case stderr.Len() > 0:
		return errors.New(strings.TrimPrefix(oneLine(errors.New(stderr.String())), "train: "))
	}
	return err
}
