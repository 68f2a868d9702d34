package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
	"github.com/polyrhythm-rl/polyrhythm/render"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/tasks/motion"
	"github.com/polyrhythm-rl/polyrhythm/tasks/terms"
	"github.com/polyrhythm-rl/polyrhythm/training/rollouts"
)

// motionFlags are those of the command motion.
type motionFlags struct {
	config      configFlags
	out         string
	force       bool
	episode     int64
	rate, lines string
	opt         motion.LoadOptions
	fixed       bool // the base of the robot is fixed to the world; known once its motion has been read
}

// kindOf returns the ending of a file's name.
func kindOf(file string) string { return strings.ToLower(filepath.Ext(file)) }

func newMotion() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "motion SOURCE [--out FILE]",
		Short:   "Make a reference motion of a recorded episode or a file, or list what it holds",
		Example: "  train motion runs/walk --out walk.npz",
		Long: "Make a motion that the command term motion imitates. SOURCE is a dataset or a run folder, of which an " +
			"episode is taken, or a file: .npz with mjlab's arrays; .csv with the pose of the base (x, y, z in m, " +
			"quaternion x y z w) and the joints (rad, m) in each line; .yaml with keyframes. The robot is that of " +
			"--config or --task, by default the dataset's own; a .npz is listed without one. Positions are " +
			"interpolated at the exact instants of --rate, velocities are differences, and the bodies are where the " +
			"engine's forward kinematics has them. Without --out the motion is only listed; FILE is .npz or .csv, of " +
			"which the latter holds positions alone.",
		Args: oneArgument("SOURCE"),
	}
	var f motionFlags
	f.config.Add(cmd)
	cmd.Flags().StringVar(&f.out, "out", "", "write to `FILE`, .npz or .csv")
	cmd.Flags().BoolVar(&f.force, "force", false, "replace FILE if it is there")
	cmd.Flags().Int64Var(&f.episode, "episode", lastEpisode,
		"take episode `N` of the dataset; -1 for the last one that the run ended")
	cmd.Flags().StringVar(&f.rate, "rate", "", "make `N` frames a second, such as 50 or 30000/1001; by default as "+
		"many as the source has")
	cmd.Flags().StringVar(&f.lines, "csv-rate", "30", "take a .csv to have `N` lines a second")
	output := addFormat(cmd, "table", "json")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := f.check(); err != nil {
			return err
		}
		clip, err := f.read(cmd, args[0])
		if err != nil {
			return err
		}
		if f.out != "" {
			write := clip.WriteNPZ
			if kindOf(f.out) == ".csv" {
				write = func(w io.Writer) error { return clip.WriteCSV(w, f.fixed) }
			}
			if _, err := onDisk(cmd.Context(), func() (any, error) {
				return nil, disk.Replace(disk.OS{}, f.out, false, write)
			}); err != nil {
				return err
			}
		}
		return printAs(cmd, output, listMotion(clip, f.out), printMotion)
	}
	return cmd
}

func (f *motionFlags) check() (err error) {
	if f.opt.CSVRate, err = runners.ParseRate(f.lines); err != nil {
		return usagef("--csv-rate: %w", err)
	}
	if f.rate != "" {
		if f.opt.Rate, err = runners.ParseRate(f.rate); err != nil {
			return usagef("--rate: %w", err)
		}
	}
	if f.episode < lastEpisode {
		return usagef("--episode is %d, want at least 0, or -1 for the last", f.episode)
	}
	if f.out == "" {
		return nil
	}
	return checkNew("out", f.out, f.force, ".npz", ".csv")
}

// read makes the motion.
func (f *motionFlags) read(cmd *cobra.Command, source string) (clip *motion.Clip, err error) {
	var d *recorder.Dataset
	var c *configs.Config
	kind := kindOf(source)
	isFile := slices.Contains(motion.Kinds, kind)
	hasConfig := f.config.file != "" || f.config.task != ""
	switch {
	case checkThere(source) != nil:
		return nil, checkThere(source)
	case isFile && !hasConfig && kind == ".npz" && f.rate == "" && kindOf(f.out) != ".csv":
		data, err := disk.ReadInput(source, motion.MaxBytes)
		if err != nil {
			return nil, err
		}
		if clip, err = motion.ReadNPZ(data); err != nil {
			return nil, fmt.Errorf("%s: %w", source, err)
		}
		return clip, nil
	case isFile && !hasConfig:
		return nil, usagef("no robot given for %s, want --config FILE or --task NAME", source)
	case !isFile:
		if d, err = openDataset(cmd.ErrOrStderr(), source); err != nil {
			return nil, err
		}
	}
	if hasConfig {
		c, err = f.config.Load()
	} else {
		c, err = f.config.Parse(filepath.Join(d.Dir(), "the dataset's configuration"), []byte(d.Metadata.Configuration))
	}
	if err != nil {
		return nil, err
	}
	r, err := env.OpenRobot(cmd.Context(), c)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.Model.Close()) }()
	f.fixed = !r.Free()
	if isFile {
		return motion.Load(source, r, f.opt)
	}
	if err := rollouts.SameModel(d, r.Model); err != nil {
		return nil, err
	}
	return f.record(cmd, d, r)
}

// record makes a motion of an episode of a dataset.
func (f *motionFlags) record(cmd *cobra.Command, d *recorder.Dataset, r *motion.Robot) (*motion.Clip, error) {
	e, err := readEpisode(cmd, d, f.episode)
	if err != nil {
		return nil, err
	}
	rate, err := runners.ParseRate(d.Tables[d.Table(format.CaptureTable)].Rate)
	if err != nil {
		return nil, fmt.Errorf("%s: the rate of its table %s changes in mid-run, want one rate", d.Dir(),
			format.CaptureTable)
	}
	t, err := r.NewTrack(rate, e.Times, e.Stamps, e.Poses)
	if err == nil {
		var clip *motion.Clip
		if clip, err = r.ResampledClip(t, f.opt.Rate); err == nil {
			return clip, nil
		}
	}
	return nil, fmt.Errorf("%s, episode %d: %w", d.Dir(), e.Number, err)
}

// motionReport is what a motion holds.
type motionReport struct {
	File    string        `json:"file,omitempty"`
	Frames  int           `json:"frames"`
	Rate    string        `json:"rate_hz"`
	Seconds float64       `json:"seconds"`
	Bodies  []motionBody  `json:"bodies"`
	Joints  []motionJoint `json:"joints"`
}

type motionJoint struct {
	Name    string  `json:"name"`
	Low     float64 `json:"low"`
	High    float64 `json:"high"`
	Fastest float64 `json:"fastest"`
}

type motionBody struct {
	Name    string     `json:"name"`
	Low     [3]float64 `json:"low"`
	High    [3]float64 `json:"high"`
	Fastest float64    `json:"fastest"`
}

func listMotion(c *motion.Clip, file string) motionReport {
	report := motionReport{File: file, Frames: c.Frames, Rate: c.Rate.String(), Seconds: c.Seconds()}
	for i := range c.JointCount() {
		j := motionJoint{Name: nameIn(c.Joints, i), Low: math.Inf(1), High: math.Inf(-1)}
		for k := range c.Frames {
			position, velocity := c.Joint(k)
			j.Low, j.High = min(j.Low, position[i]), max(j.High, position[i])
			j.Fastest = max(j.Fastest, math.Abs(velocity[i]))
		}
		report.Joints = append(report.Joints, j)
	}
	for i := range c.BodyCount() {
		b := motionBody{Name: nameIn(c.Bodies, i)}
		for k := range c.Frames {
			position, _, linear, _ := c.Body(k, i)
			for axis, x := range position {
				if k == 0 {
					b.Low[axis], b.High[axis] = x, x
				}
				b.Low[axis], b.High[axis] = min(b.Low[axis], x), max(b.High[axis], x)
			}
			b.Fastest = max(b.Fastest, math.Hypot(math.Hypot(linear[0], linear[1]), linear[2]))
		}
		report.Bodies = append(report.Bodies, b)
	}
	return report
}

// nameIn returns the name of thing i, its number if there are no names.
func nameIn(names []string, i int) string {
	if names == nil {
		return fmt.Sprint("#", i)
	}
	return names[i]
}

func printMotion(out io.Writer, r motionReport) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	defer w.Flush()
	fmt.Fprintf(w, "%s at %s, %.4g s, of %d bodies and %s", count(int64(r.Frames), "frame"), hertz(r.Rate), r.Seconds,
		len(r.Bodies), count(int64(len(r.Joints)), "joint"))
	if r.File != "" {
		fmt.Fprintf(w, ", in %s", r.File)
	}
	fmt.Fprint(w, "\n\nJOINT\tFROM (rad, m)\tTO\tFASTEST (rad/s, m/s)\n")
	for _, j := range r.Joints {
		fmt.Fprintf(w, "%s\t%.4g\t%.4g\t%.4g\n", j.Name, j.Low, j.High, j.Fastest)
	}
	fmt.Fprint(w, "\nBODY\tX FROM\tTO (m)\tY FROM\tTO\tZ FROM\tTO\tFASTEST (m/s)\n")
	for _, b := range r.Bodies {
		fmt.Fprintf(w, "%s", b.Name)
		for axis := range 3 {
			fmt.Fprintf(w, "\t%.4g\t%.4g", b.Low[axis], b.High[axis])
		}
		fmt.Fprintf(w, "\t%.4g\n", b.Fastest)
	}
}

// imitatedMotion returns the motion that an episode of a dataset imitates, as it should have gone.
func imitatedMotion(ctx context.Context, d *recorder.Dataset, e *render.Episode) (imitatedMotion *render.Episode,
	err error) {
	source := filepath.Join(d.Dir(), "the dataset's configuration")
	c, err := configs.Parse(source, []byte(d.Metadata.Configuration), nil, nil)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(c.Commands, func(e terms.Entry) bool { return e["term"] == terms.MotionTerm })
	if i < 0 {
		return nil, usagef("--motion: %s imitates no motion: it has no command motion", d.Dir())
	}
	plan, err := env.NewPlan(c)
	if err != nil {
		return nil, err
	}
	r, err := env.OpenRobot(ctx, c)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.Model.Close()) }()
	name, clip, err := terms.LoadMotion(c.Commands[i], r, plan.Schedule().ControlRate(), configs.ReadFile)
	if err != nil {
		return nil, err
	}
	first, err := startOf(d, e.Number, name)
	if err != nil {
		return nil, err
	}
	model, ok := r.Model.(physics.Drawable)
	if !ok {
		return nil, fmt.Errorf("%s: the engine of %s draws nothing", d.Dir(), c.Task.Name)
	}
	imitatedMotion = &render.Episode{Number: e.Number, Length: e.Length}
	row := slices.Clone(r.Start)
	for k := first; k < clip.Frames; k++ {
		r.Place(row, clip, k)
		pose := make([]float64, model.Pose().Size)
		model.PoseOf(row, pose)
		imitatedMotion.Stamps = append(imitatedMotion.Stamps, clip.Rate.Timestamp(int64(k-first)))
		imitatedMotion.Poses = append(imitatedMotion.Poses, pose)
	}
	return imitatedMotion, nil
}

// startOf returns the frame of a motion in which an episode began.
func startOf(d *recorder.Dataset, episode int64, command string) (frame int, err error) {
	for r, err := range d.EachRow(format.EpisodesTable) {
		if err != nil {
			return 0, err
		}
		if r.Int("episode") == episode {
			frame = int(math.Round(r.Float("mean_" + command + "/start")))
		}
		if r.Err != nil {
			return 0, fmt.Errorf("table %q: %w", format.EpisodesTable, r.Err)
		}
	}
	return frame, nil
}
