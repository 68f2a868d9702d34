package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sim"
	"github.com/polyrhythm-rl/polyrhythm/training/policies"
	"github.com/polyrhythm-rl/polyrhythm/training/rollouts"
	"github.com/polyrhythm-rl/polyrhythm/training/serving"
)

func newPlay() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "play RUN|--config FILE [--episodes N | --seconds S]",
		Short:   "Drive worlds frame by frame, by the wall clock, and record nothing",
		Example: "  train play runs/quadruped-001",
		Long: "Drive worlds frame by frame in the mode of time.mode, by default sim_realtime, until the episodes " +
			"or the seconds are over, or Ctrl-C. With --out the run writes a log, which train replay executes again, " +
			"with the skips of game_realtime. With --frames each frame is printed. RUN, a run folder or a " +
			"checkpoint, plays a trained policy in one world of its configuration, with the seed after that of the " +
			"training, and serves the page on which to watch and steer it. --listen does so for other policies.",
		Args: atMostOneArgument("RUN or checkpoint"),
	}
	config := configFlags{defaults: []string{"time.mode=" + runners.SimRealtime.String()}}
	config.AddRun(cmd)
	config.Alias("mode", "time.mode", "drive in the mode `MODE`: sim_realtime, sim_high_performance or game_realtime")
	config.Alias("frames", "time.free_updates", "run the free updates and print each frame")
	cmd.Flags().Lookup("frames").NoOptDefVal = "true"
	policy := addPolicy(cmd)
	episodes := cmd.Flags().Int64("episodes", 0, "end after `N` episodes; 0 for no limit")
	seconds := cmd.Flags().String("seconds", "", "end after `S` seconds of simulated time, including what is skipped")
	fps := cmd.Flags().Float64("fps", 0, "run `N` frames a second; 0 for one whenever a control step is due")
	out := cmd.Flags().String("out", "", "write a log of the run to the folder `DIR`, new or empty")
	logEvery := addLogFlag(cmd)
	var o serveFlags
	cmd.Flags().StringVar(&o.web, "listen", "",
		"let programs and a page watch and steer the run at `ADDRESS`; with RUN "+defaultPage+
			", or another port if that is taken; \"\" for none")
	cmd.Flags().StringVar(&o.grpc, "grpc", "", "also serve gRPC at `ADDRESS`, with RUN or --listen")
	o.addFlags(cmd)
	format := addFormat(cmd, "table", "json")
	oneOf(cmd, "episodes", "seconds")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		load := config.Load
		if len(args) > 0 {
			*policy = args[0]
			load = func() (*configs.Config, error) { return loadRun(cmd, &config, args[0]) }
		} else if config.file == "" && config.task == "" {
			return usagef("no run and no configuration given, want RUN, --config FILE or --task NAME")
		}
		c, err := load()
		if err != nil {
			return err
		}
		opt := rollouts.PlayOptions{Episodes: *episodes, Folder: *out, LogEvery: *logEvery, FPS: *fps}
		switch {
		case *episodes < 0:
			return usagef("--episodes is %d, want at least 0", *episodes)
		case !(*fps >= 0 && *fps <= maxFPS):
			return usagef("--fps is %v, want 0 to %v", *fps, float64(maxFPS))
		case c.Autoreset == sim.Disabled: // also where the task is served
			return usagef("autoreset is %s, want %s or %s to play", c.Autoreset, sim.SameStep, sim.NextStep)
		}
		if *seconds != "" {
			if opt.Seconds, err = runners.ParseSeconds(*seconds); err != nil {
				return usagef("--%w", err)
			}
		}
		if opt.Policy, err = policies.Open(*policy); err != nil {
			return err
		}
		live, err := o.live(cmd, c, len(args) > 0)
		if err != nil {
			return err
		}
		opt.Warn = func(text string) { printWarning(cmd, text) }
		run := func() (rollouts.Played, error) { return rollouts.Play(cmd.Context(), c, opt) }
		if opt.Frame = printFrames(cmd.OutOrStdout(), c, *format == "json"); live {
			o.run.PlayOptions = opt
			run = func() (rollouts.Played, error) { return serving.Serve(cmd.Context(), c, o.run) }
		}
		return play(cmd, c, run, *format == "json")
	}
	return cmd
}

const maxFPS = 1e6

// loadRun returns a training's configuration, for one world by the wall clock and another seed.
func loadRun(cmd *cobra.Command, config *configFlags, path string) (*configs.Config, error) {
	if err := config.withoutOwn(cmd, path); err != nil {
		return nil, err
	}
	hasSeed := slices.ContainsFunc(config.sets, func(set string) bool { return strings.HasPrefix(set, "seed=") })
	config.sets = append([]string{"worlds=1", "time.mode=" + runners.SimRealtime.String()}, config.sets...)
	_, c, err := config.Trained(path)
	if err == nil && !hasSeed {
		c.Seed++
	}
	return c, err
}

// withoutOwn returns an error if a flag is given that the run at a path has an answer to.
func (f *configFlags) withoutOwn(cmd *cobra.Command, path string) error {
	for _, name := range []string{"config", "task", "policy"} {
		if cmd.Flags().Changed(name) {
			return usagef("--%s is given with %s, want it without: the run has its own", name, path)
		}
	}
	return nil
}

// live reports whether a run is to be served, and prepares that.
func (o *serveFlags) live(cmd *cobra.Command, c *configs.Config, run bool) (bool, error) {
	if run && !cmd.Flags().Changed("listen") && c.Time.Mode == runners.SimRealtime {
		o.web, o.anyPort = defaultPage, true
	}
	if o.web == "" && o.grpc == "" {
		for _, name := range []string{"tokens", "cert", "key", "host", "origin", "channels", "resolution", "paused"} {
			if cmd.Flags().Changed(name) {
				return false, usagef("--%s is given and --listen is not, want both", name)
			}
		}
		return false, nil
	}
	o.printTo(cmd.ErrOrStderr())
	return true, o.secure(func(text string) { printWarning(cmd, text) })
}

// printFrames returns a function that prints frames as lines of a table or of JSON.
func printFrames(out io.Writer, c *configs.Config, asJSON bool) func(rollouts.PlayFrame) {
	if asJSON {
		lines := json.NewEncoder(out)
		return func(f rollouts.PlayFrame) {
			lines.Encode(frame{f.Number, f.Delta.Nanoseconds(), f.Dropped.Nanoseconds(), f.Steps, f.Skipped, f.NS, f.N,
				f.Alpha, f.Backlog.Nanoseconds()})
		}
	}
	const columns = "%8v %12v %6v %12v %9v %6v %12v %8v\n"
	if c.Time.FreeUpdates {
		fmt.Fprintf(out, columns, "FRAME", "DELTA (ns)", "STEPS", "TIME (ns)", "STEP N", "ALPHA", "BACKLOG (ns)",
			"SKIPPED")
	}
	return func(f rollouts.PlayFrame) {
		fmt.Fprintf(out, columns, f.Number, f.Delta.Nanoseconds(), f.Steps, f.NS, f.N, fmt.Sprintf("%.3f", f.Alpha),
			f.Backlog.Nanoseconds(), f.Skipped)
	}
}

// play prints the summary of a run, even of an interrupted one.
func play(cmd *cobra.Command, c *configs.Config, run func() (rollouts.Played, error), asJSON bool) error {
	out := cmd.OutOrStdout()
	played, err := onDisk(cmd.Context(), run)
	if err != nil && cmd.Context().Err() == nil {
		return err
	}
	if total := played.Total; asJSON {
		json.NewEncoder(out).Encode(summary{c.Task.Name, played.Mode.String(), played.Episodes, played.Faults,
			played.Steps, total.Delta.Nanoseconds(), total.Dropped.Nanoseconds(), total.Skipped, total.Skips})
	} else {
		faults := ""
		if played.Faults > 0 {
			faults = fmt.Sprintf(" (a fault ended %d of them)", played.Faults)
		}
		fmt.Fprintf(out, "%s, %s: %s%s, %s; %s\n", c.Task.Name, played.Mode, count(played.Episodes, "episode"), faults,
			count(played.Steps, "control step"), rollouts.AboutTime(total))
	}
	return err
}

type frame struct {
	Frame   int64   `json:"frame"`
	Delta   int64   `json:"delta_ns"`
	Dropped int64   `json:"dropped_ns"`
	Steps   int64   `json:"steps"`
	Skipped int64   `json:"skipped"`
	NS      int64   `json:"t_ns"`
	N       int64   `json:"n"`
	Alpha   float64 `json:"alpha"`
	Backlog int64   `json:"backlog_ns"`
}

type summary struct {
	Task     string `json:"task"`
	Mode     string `json:"mode"`
	Episodes int64  `json:"episodes"`
	Faults   int64  `json:"faults"` // episodes that a fault ended
	Steps    int64  `json:"steps"`
	Wall     int64  `json:"wall_ns"` // wall time that the run followed
	Dropped  int64  `json:"dropped_ns"`
	Skipped  int64  `json:"skipped"` // number of control intervals
	Skips    int64  `json:"skips"`
}
