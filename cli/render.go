package cli

import (
	"errors"
	"fmt"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/polyrhythm-rl/polyrhythm/internal/decode"
	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/recorder/frames"
	"github.com/polyrhythm-rl/polyrhythm/render"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sensors"
	"github.com/polyrhythm-rl/polyrhythm/training/rollouts"
)

// lastEpisode is the value of --episode for the last one.
const lastEpisode = -1

func newRender() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "render DATASET --out FILE | --into DATASET",
		Short:   "Draw a recorded episode as a clip",
		Example: "  train render runs/walk --out walk.gif",
		Long: "Draw an episode of the dataset in the folder DATASET, which may also be a run folder, without a " +
			"display. FILE ends in .gif, or in .mp4 if ffmpeg is installed; a name without an ending is a folder " +
			"of PNG files. The frames are drawn from the recorded poses (recording.pose), so they show what was " +
			"recorded: each shows the newest pose that was measured by then, in the colours and the light of its world. " +
			"MuJoCo's scenes are drawn by rays, which takes Embree 3. The dataset of a killed run is recovered first. " +
			"With --into, the dataset gets pictures for each row, see docs/how-to/cameras.md.",
	}
	f := renderFlags{workers: runtime.GOMAXPROCS(0)}
	f.addInto(cmd)
	f.addClip(cmd)
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if f.dataset != "" && len(args) == 0 {
			return nil
		}
		return oneArgument("DATASET")(cmd, args)
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) (err error) {
		if f.view.Width, f.view.Height, err = parseSize(f.size); err != nil {
			return err
		}
		if f.dataset != "" {
			return f.renderInto(cmd, args)
		}
		return f.renderClip(cmd, args[0])
	}
	return cmd
}

// renderFlags are the flags of render.
type renderFlags struct {
	view      physics.View
	size, fps string
	force     bool

	// With --into.
	dataset, channel string
	kinds            []string
	samples, workers int
	reflections      bool

	// Without it.
	out          string
	episode      int64
	from, until  time.Duration
	motion, best bool
}

func (f *renderFlags) addInto(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.dataset, "into", "", "in place of --out, add what the camera of --camera sees to the "+
		"dataset `DATASET`, for each row of its table capture, in a folder camera-NAME that Hugging Face's "+
		"datasets loads")
	flags.StringVar(&f.channel, "channel", "", "with --into, add what a camera of the keys `CAMERA` sees, those that "+
		"a channel's camera has in a configuration, such as {body: trunk, position: [0.3, 0, 0.1], max_distance: 5}; "+
		"--camera is its name then")
	flags.StringSliceVar(&f.kinds, "kinds", []string{physics.RGB},
		"with --into, add these `KINDS` of pictures: "+strings.Join(physics.PictureKinds(), ", "))
	complete(cmd, "kinds", physics.PictureKinds()...)
	flags.IntVar(&f.samples, "samples", 1, "with --into, mix each colour of `N` rays a pixel")
	flags.BoolVar(&f.reflections, "reflections", false, "with --into, show what planes with a reflectance reflect")
	flags.IntVar(&f.workers, "workers", f.workers,
		"with --into, take pictures in `N` threads; the files are the same for any number")
	requires(cmd, "into", "kinds", "workers", "samples", "reflections", "channel")
}

func (f *renderFlags) addClip(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.out, "out", "", "write to `FILE`.gif, FILE.mp4 or the folder FILE")
	flags.BoolVar(&f.force, "force", false, "replace FILE if it is there")
	flags.Int64Var(&f.episode, "episode", lastEpisode, "draw episode `N` of the run; -1 for the last one that the "+
		"run ended")
	flags.StringVar(&f.view.Camera, "camera", physics.TrackCamera,
		"look through the model's camera `NAME`, or track, which follows the robot, or free, which shows the scene")
	flags.Float64Var(&f.view.Azimuth, "azimuth", 0, "look in the direction of `DEGREES` with track and free; 0 "+
		"with --elevation 0 for the model's own")
	flags.Float64Var(&f.view.Elevation, "elevation", 0, "look up by `DEGREES` with track and free")
	flags.Float64Var(&f.view.Distance, "distance", 0,
		"look from `METRES` away with track and free; 0 to choose it by the size of the robot")
	flags.StringVar(&f.size, "size", "640x480", "draw `WIDTHxHEIGHT` pixels")
	flags.StringVar(&f.fps, "fps", "", "draw `N` frames for each second of the episode, such as 30 or 24000/1001; "+
		"without it "+clipFPS+", and "+gifFPS+" in a GIF, which grows with each frame; with --into, let the camera see "+
		"N times a second, and not in each row")
	flags.DurationVar(&f.from, "from", 0, "draw from `TIME` after the beginning of the episode, such as 1.5s")
	flags.DurationVar(&f.until, "until", 0, "draw until `TIME`; 0 for the end")
	flags.BoolVar(&f.motion, "motion", false, "draw the motion that the episode imitates beside it, on the left")
	flags.BoolVar(&f.best, "best", false, "draw reflections and smoother edges, which takes longer")
}

// renderInto adds pictures to the dataset of --into.
func (f *renderFlags) renderInto(cmd *cobra.Command, args []string) (err error) {
	if err := onlyInto(cmd, args, f.samples, f.workers); err != nil {
		return err
	}
	opt := frames.Options{Name: f.view.Camera, Workers: f.workers, Replace: f.force, Camera: sensors.Camera{
		Name: f.view.Camera, Width: f.view.Width, Height: f.view.Height, Kinds: f.kinds, Samples: f.samples,
		Reflections: f.reflections,
	}}
	if f.channel != "" {
		if !cmd.Flags().Changed("camera") {
			return usagef("--channel is given without --camera, want --camera NAME, the name of its camera")
		}
		opt.Camera.Name = ""
		keys, err := decode.Parse("--channel", []byte(f.channel))
		if err == nil {
			err = decode.Into("--channel", keys, &opt.Camera)
		}
		if err != nil {
			return asUsage(err)
		}
	}
	if f.fps != "" {
		if opt.Rate, err = runners.ParseRate(f.fps); err != nil {
			return usagef("--fps: %w", err)
		}
	}
	return addFrames(cmd, f.dataset, opt)
}

// renderClip draws an episode of a dataset to --out.
func (f *renderFlags) renderClip(cmd *cobra.Command, dataset string) (err error) {
	opt := render.Options{View: f.view, From: f.from.Nanoseconds(), Until: f.until.Nanoseconds()}
	if f.best {
		opt.View.Quality = physics.Best
	}
	fps := f.fps
	switch {
	case fps == "" && kindOf(f.out) == ".gif":
		fps = gifFPS
	case fps == "":
		fps = clipFPS
	}
	if opt.FPS, err = runners.ParseRate(fps); err != nil {
		return usagef("--fps: %w", err)
	}
	switch {
	case f.episode < lastEpisode:
		return usagef("--episode is %d, want at least 0, or -1 for the last", f.episode)
	case f.from < 0 || f.until != 0 && f.until <= f.from:
		return usagef("--from is %v and --until %v, want --from at least 0 and --until later", f.from, f.until)
	}
	if err := checkOut(f.out, "file", "FILE.gif, FILE.mp4 or a folder for PNG files"); err != nil {
		return err
	}
	if kind := kindOf(f.out); kind == ".gif" || kind == ".mp4" {
		if err := checkNew("out", f.out, f.force); err != nil {
			return err
		}
	}
	if err := render.CheckOut(f.out, f.force); errors.Is(err, disk.ErrFolder) {
		return asUsage(err)
	} else if err != nil {
		return usagef("--out: %w", err)
	}
	d, err := openDataset(cmd.ErrOrStderr(), dataset)
	if err != nil {
		return err
	}
	return renderEpisode(cmd, d, f.episode, f.motion, opt, f.out)
}

// The frames a second of clips without --fps. A GIF counts hundredths of a second.
const (
	clipFPS = "30"
	gifFPS  = "12.5"
)

// onlyInto refuses flags of clips beside --into.
func onlyInto(cmd *cobra.Command, args []string, samples, workers int) error {
	for _, name := range []string{
		"out", "episode", "azimuth", "elevation", "distance", "from", "until", "motion", "best",
	} {
		if cmd.Flags().Changed(name) {
			return usagef("--%s is given with --into, want --camera, --channel, --size, --fps, --kinds, --samples, "+
				"--reflections, --workers and --force alone", name)
		}
	}
	if len(args) > 0 {
		return usagef("%s is given with --into, want one of them", args[0])
	}
	if samples < 1 || samples > frames.MaxSamples {
		return usagef("--samples is %d, want 1 to %d", samples, frames.MaxSamples)
	}
	if workers < 1 || workers > 1024 {
		return usagef("--workers is %d, want 1 to 1024", workers)
	}
	return nil
}

// addFrames adds pictures to the dataset in a folder.
func addFrames(cmd *cobra.Command, dataset string, opt frames.Options) error {
	ctx, start := cmd.Context(), time.Now()
	d, err := openDataset(cmd.ErrOrStderr(), dataset)
	if err != nil {
		return err
	}
	folder := ""
	rows, err := work(cmd, "drawing", func(bar *progress) (rows int64, err error) {
		opt.Progress = bar.count("row")
		opt.Warn = func(text string) { printWarning(cmd, text) }
		folder, rows, err = rollouts.AddFrames(ctx, d, opt)
		return rows, err
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%s of %s in %s: %.1f s\n",
		count(rows, "row"), d.Metadata.Task, folder, time.Since(start).Seconds())
	return nil
}

var sizePattern = regexp.MustCompile(`^([0-9]{1,5})x([0-9]{1,5})$`)

func parseSize(text string) (width, height int, err error) {
	parts := sizePattern.FindStringSubmatch(text)
	if parts == nil {
		return 0, 0, usagef("--size is %q, want WIDTHxHEIGHT in pixels, such as 640x480", text)
	}
	width, _ = strconv.Atoi(parts[1])
	height, _ = strconv.Atoi(parts[2])
	if min(width, height) < 1 || max(width, height) > physics.MaxPixels {
		return 0, 0, usagef("--size is %q, want 1x1 to %[2]dx%[2]d pixels", text, physics.MaxPixels)
	}
	return width, height, nil
}

func renderEpisode(cmd *cobra.Command, d *recorder.Dataset, number int64, showMotion bool, opt render.Options,
	out string) error {
	ctx, start := cmd.Context(), time.Now()
	e, err := readEpisode(cmd, d, number)
	if err != nil {
		return err
	}
	if showMotion {
		if opt.Beside, err = imitatedMotion(ctx, d, e); err != nil {
			return err
		}
	}
	m, err := rollouts.DrawableOf(ctx, d)
	if err != nil {
		return err
	}
	defer m.Close()
	drawnFrames, err := work(cmd, "drawing", func(bar *progress) (drawnFrames int64, err error) {
		opt.Progress = func(done, total int64) {
			drawnFrames = done
			bar.count("frame")(done, total)
		}
		err = render.Write(ctx, m, e, opt, out)
		return drawnFrames, err
	})
	if errors.Is(err, render.ErrOptions) {
		return asUsage(err)
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(cmd.OutOrStdout(), "episode %d of %s, %s, in %s: %.1f s\n",
		e.Number, d.Metadata.Task, count(drawnFrames, "frame"), out, time.Since(start).Seconds())
	return nil
}

func readEpisode(cmd *cobra.Command, d *recorder.Dataset, number int64) (*render.Episode, error) {
	err := render.CheckPose(d)
	if err == nil && number == lastEpisode {
		number, err = render.ChooseEpisode(d)
	}
	if err != nil {
		return nil, err
	}
	bar := showProgress(cmd, "reading")
	defer bar.Close()
	e, err := render.ReadEpisode(cmd.Context(), d, number, bar.count("row"))
	if errors.Is(err, render.ErrEpisode) {
		err = usagef("--%w", err)
	}
	return e, err
}
