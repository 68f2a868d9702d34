package cli

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/internal/proportion"
	"github.com/polyrhythm-rl/polyrhythm/training/exam"
	"github.com/polyrhythm-rl/polyrhythm/training/policies"
	"github.com/polyrhythm-rl/polyrhythm/training/sweep"
)

func newExam() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "exam POLICY",
		Short: "Measure how often a policy succeeds, where it breaks, and whether it may replace another",
		Example: "  train exam runs/walk-002 --axis push=0N,50N,100N --axis friction=0.4,1.0\n" +
			"  train exam runs/walk-002 --against runs/walk-001 --margin 0.05 --episodes 500",
		Long: "Have a policy take episodes in the configuration of its training, and in each cell of a grid of disturbances, and " +
			"print its rates of success with their intervals. The same episodes are taken in all cells. An axis is a key of the " +
			"configuration, as of --set, or " + axisNames() + "; its VALUES are as those of train sweep. With --against it is a " +
			"gate: another policy takes the same episodes, and the exit code is 0 if the policy passes (in no cell is it worse by " +
			"the margin), 1 if it fails (it is worse in one) and 2 if that stays undecided. The folder of the exam has the result " +
			"as a page, exam.html, and for programs, report.json and junit.xml. POLICY is a run, a checkpoint or, with " +
			"--config or --task, any that train rollout takes but random. With --again, an episode of an exam is recorded.",
		Args: atMostOneArgument("POLICY"),
	}
	var config configFlags
	config.AddRun(cmd)
	flags := cmd.Flags()
	file := flags.String("exam", "", "read the exam from `FILE`, a YAML file with the keys success, axes, episodes, gate and so on "+
		"below exam; flags override it")
	axes := flags.StringArray("axis", nil, "examine over `KEY=VALUES`; may be repeated")
	conditions := flags.StringArray("success", nil, "an episode succeeds if `NAME=VALUE` holds: true or false of an info or an end, "+
		"or {min: A, max: B}; may be repeated")
	cells := flags.Int("cells", 0, "examine `N` points that fill the space of the axes; 0 for all combinations")
	episodes := flags.Int("episodes", 0, "take `N` episodes in each cell at most; 0 for 200")
	width := flags.Float64("width", 0, "end a cell when the interval of its rate is no wider than `W`; 0 for all episodes")
	alpha := flags.Float64("alpha", 0, "intervals at the level 1 − `ALPHA`, and a gate with that error; 0 for 0.05")
	against := flags.String("against", "", "ask whether the policy may replace `POLICY`")
	margin := flags.Float64("margin", 0, "with --against, the loss of success that is not accepted, `M`; 0 for 0.05")
	out := flags.String("out", "", "write to the folder `DIR`, new or empty, instead of the next exam-TASK-NNN in --runs")
	resume := flags.String("resume", "", "continue the stopped exam in the folder `DIR`; only --workers may be given with it")
	again := flags.String("again", "", "record an episode of the exam in the folder `DIR` as a dataset in the folder of --out")
	cell := flags.Int("cell", 0, "with --again, of the cell `N`")
	episode := flags.Int("episode", 0, "with --again, the episode `N` of the cell")
	reference := flags.Bool("reference", false, "with --again, by the policy of --against")
	requires(cmd, "against", "margin")
	requires(cmd, "again", "cell", "episode", "reference")
	format := addFormat(cmd, "table", "json")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if *again != "" {
			if err := onlyWith(cmd, "again", "cell", "episode", "reference", "out"); err != nil {
				return err
			}
			return examAgain(cmd, *again, *out, *cell, *episode, *reference)
		}
		if *resume != "" {
			return resumeExam(cmd, args, *resume, config, format)
		}
		if len(args) == 0 {
			return usagef("no POLICY given, want one, or --resume DIR or --again DIR")
		}
		p, err := readExam(*file, *axes, *conditions)
		if err != nil {
			return err
		}
		setIf(cmd, "cells", &p.Cells, *cells)
		setIf(cmd, "width", &p.Episodes.Width, *width)
		setIf(cmd, "alpha", &p.Alpha, *alpha)
		if cmd.Flags().Changed("episodes") && *episodes != 0 {
			p.Episodes.Most, p.Episodes.Least = *episodes, min(p.Episodes.Least, *episodes)
		}
		if *against != "" {
			p.Gate = &exam.Gate{Against: *against, Margin: exam.DefaultMargin}
			setIf(cmd, "margin", &p.Gate.Margin, *margin)
		}
		return beginExam(cmd, p, args[0], config, exam.Options{Folder: *out}, format)
	}
	return cmd
}

// readExam reads the plan of an exam in a file, or without one the default, and adds axes and conditions of flags.
func readExam(file string, axes, conditions []string) (p *exam.Plan, err error) {
	p = exam.Default()
	if file != "" {
		if p, err = exam.ReadFile(file); err != nil {
			return nil, err
		}
	}
	for _, text := range axes {
		r, err := parseRange("axis", text)
		if err != nil {
			return nil, err
		}
		p.Axes = append(slices.DeleteFunc(p.Axes, func(other sweep.Range) bool { return other.Key == r.Key }), r)
	}
	for _, text := range conditions {
		name, value, ok := strings.Cut(text, "=")
		if !ok {
			value = "true"
		}
		if err := p.Success.Set(name, value); err != nil {
			return nil, usagef("--success: %w", err)
		}
	}
	return p, nil
}

// setIf sets a value where its flag is given and is not 0.
func setIf[T int | float64](cmd *cobra.Command, flag string, value *T, given T) {
	if cmd.Flags().Changed(flag) && given != 0 {
		*value = given
	}
}

// axisNames lists the axes that have names, with what they are.
func axisNames() string {
	var names []string
	for _, a := range exam.Axes {
		name := a.Name
		if a.Unit != "" {
			name += ", " + a.Unit
		}
		names = append(names, fmt.Sprintf("%s (%s)", name, a.Text))
	}
	return strings.Join(names, "; ")
}

// beginExam completes a plan by the configuration and the policies, and runs it.
func beginExam(cmd *cobra.Command, p *exam.Plan, policy string, flags configFlags, opt exam.Options, format *string) (err error) {
	if opt.Candidate, err = policies.Open(policy); err != nil {
		return err
	}
	c, err := examined(cmd, opt.Candidate, policy, &flags)
	if err != nil {
		return err
	}
	own := *c
	own.Workers = 0
	p.Configuration, p.Candidate = string(own.YAML()), exam.SubjectOf(opt.Candidate)
	if p.Gate != nil {
		if opt.Reference, err = policies.Open(p.Gate.Against); err != nil {
			return err
		}
		s := exam.SubjectOf(opt.Reference)
		p.Reference = &s
	}
	opt.Workers = c.Workers
	return runExam(cmd, p, opt, format)
}

// examined returns the configuration of an exam: that of the flags, or that of the training of the policy.
func examined(cmd *cobra.Command, policy *policies.Policy, name string, flags *configFlags) (*configs.Config, error) {
	if cmd.Flags().Changed("config") || cmd.Flags().Changed("task") {
		return flags.Load()
	}
	checkpoint := policy.Checkpoint()
	if checkpoint == nil {
		return nil, usagef("%s is no policy that was trained here, want --config FILE or --task NAME for it", name)
	}
	return flags.Parse(name, []byte(checkpoint.User))
}

// resumeExam goes on with an exam.
func resumeExam(cmd *cobra.Command, args []string, folder string, flags configFlags, format *string) error {
	if err := onlyWith(cmd, "resume", "workers", "format", "cpuprofile"); err != nil {
		return err
	}
	if len(args) > 0 || flags.hasChanges() {
		return usagef("--resume is given with a POLICY or --set, want it without: the exam keeps what it began with")
	}
	if err := checkFolders("an exam", folder); err != nil {
		return err
	}
	p, err := exam.Read(folder)
	if err != nil {
		return err
	}
	c, err := flags.Parse(folder, []byte(p.Configuration))
	if err != nil {
		return err
	}
	opt := exam.Options{Folder: folder, Continue: true, Workers: c.Workers}
	if opt.Candidate, err = policies.Open(p.Candidate.Name); err == nil && p.Reference != nil {
		opt.Reference, err = policies.Open(p.Reference.Name)
	}
	if err != nil {
		return err
	}
	return runExam(cmd, p, opt, format)
}

func runExam(cmd *cobra.Command, p *exam.Plan, opt exam.Options, format *string) error {
	opt.Runs = settingsOf(cmd).Runs
	folder := ""
	r, err := work(cmd, "examining", func(bar *progress) (r *exam.Report, err error) {
		opt.Warn = bar.Warn
		opt.Progress = func(q exam.Progress) {
			bar.Update(q.Done, q.Total, fmt.Sprintf("cell %d of %d", q.Cell+1, q.Cells))
		}
		r, folder, err = exam.Run(cmd.Context(), p, opt)
		return r, err
	})
	if err != nil {
		if folder != "" && r == nil {
			fmt.Fprintf(cmd.ErrOrStderr(), "stopped; %s --resume %s goes on\n", cmd.CommandPath(), folder)
		}
		return err
	}
	if err := printAs(cmd, format, r, printExam); err != nil {
		return err
	}
	if *format == "table" {
		fmt.Fprintf(cmd.OutOrStdout(), "all files are in %s\n", folder)
	}
	switch r.Verdict {
	case proportion.Fails.String():
		return &gateError{fmt.Sprintf("the gate fails: %s is worse than %s", r.Candidate.Name, r.Reference.Name), Failed}
	case proportion.Undecided.String():
		return &gateError{fmt.Sprintf("the gate is undecided: more episodes may tell whether %s is worse than %s by %v",
			r.Candidate.Name, r.Reference.Name, r.Margin), undecided}
	}
	return nil
}

// undecided is the exit code of a gate that is not decided.
const undecided = 2

// gateError is the error of a gate that the policy does not pass.
type gateError struct {
	text string
	code int
}

func (e *gateError) Error() string { return e.text }

// examAgain records an episode of an exam.
func examAgain(cmd *cobra.Command, folder, out string, cell, episode int, reference bool) error {
	if err := cmp.Or(checkFolders("an exam", folder), checkOut(out, "folder", "DIR")); err != nil {
		return err
	}
	p, err := exam.Read(folder)
	if err != nil {
		return err
	}
	subject := p.Candidate
	if reference {
		if p.Reference == nil {
			return usagef("--reference is given, and the exam in %s has no such policy", folder)
		}
		subject = *p.Reference
	}
	opt := exam.AgainOptions{Reference: reference, Cell: cell, Episode: episode, Folder: out}
	if opt.Policy, err = policies.Open(subject.Name); err != nil {
		return err
	}
	e, err := work(cmd, "recording", func(bar *progress) (exam.Episode, error) {
		opt.Warn = bar.Warn
		return exam.Again(cmd.Context(), folder, opt)
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(cmd.OutOrStdout(), "episode %d of cell %d, the same to the last bit: %s by %s, return %s; recorded in %s\n", episode,
		cell, count(e.Steps, "step"), e.End, tenths(e.Return), out)
	return nil
}

func printExam(w io.Writer, r *exam.Report) {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	head := append([]string{"CELL"}, r.Axes...)
	head = append(head, "EPISODES", "SUCCESS", strconv.Itoa(int(100*(1-r.Alpha)+0.5))+" %", "RETURN")
	if len(r.Axes) > 0 {
		head = append(head, "AGAINST CONTROL", "P (HOLM)")
	}
	if r.Reference != nil {
		head = append(head, "REFERENCE", "LOSS", "GATE")
	}
	fmt.Fprintln(table, strings.Join(append(head, "ENDS"), "\t"))
	for _, c := range r.Cells {
		rate := c.Candidate
		row := []string{"control"}
		if c.Values != nil {
			row[0] = strconv.Itoa(c.Cell)
		}
		for _, axis := range r.Axes {
			row = append(row, orDash(c.Values[axis]))
		}
		row = append(row, strconv.Itoa(rate.Episodes), percent(rate.Rate), span(rate.Low, rate.High), tenths(rate.MeanReturn))
		switch {
		case c.Control != nil:
			row = append(row, points(c.Control.Difference), fmt.Sprintf("%.2g", c.Control.Holm))
		case len(r.Axes) > 0:
			row = append(row, "-", "-")
		}
		if g := c.Gate; g != nil {
			row = append(row, percent(c.Reference.Rate), points(g.Loss)+" ("+points(g.Low)+" to "+points(g.High)+")", g.Verdict)
		}
		var ends []string
		for _, name := range slices.Sorted(maps.Keys(rate.Ends)) {
			ends = append(ends, fmt.Sprintf("%d %s", rate.Ends[name], name))
		}
		fmt.Fprintln(table, strings.Join(append(row, strings.Join(ends, ", ")), "\t"))
	}
	table.Flush()
	for _, l := range r.Limits {
		from := ""
		if l.Bounded {
			from = fmt.Sprintf(", and none of %d at %v", l.Episodes, l.Succeeds)
		}
		fmt.Fprintf(w, "%s breaks it: episode %d fails at %v%s; it ends by %s (%s)\n", l.Axis, l.Episode, l.Fails, from, l.End, l.File)
	}
	for _, c := range r.Cells {
		if c.Candidate.Fault != "" {
			fmt.Fprintf(w, "first fault of cell %d: %s\n", c.Cell, c.Candidate.Fault)
			break
		}
	}
	if r.Verdict != "" {
		verdict := r.Verdict
		if verdict == proportion.Undecided.String() {
			verdict = "is " + verdict
		}
		fmt.Fprintf(w, "the gate %s at a margin of %s\n", verdict, points(r.Margin))
	}
}

func percent(rate float64) string { return fmt.Sprintf("%.1f %%", 100*rate) }

// points is a difference of rates in percentage points.
func points(difference float64) string { return fmt.Sprintf("%+.1f", 100*difference) }

func span(low, high float64) string { return fmt.Sprintf("%.1f–%.1f", 100*low, 100*high) }
