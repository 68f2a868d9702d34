package cli

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/polyrhythm-rl/polyrhythm/cli/internal/checkup"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sim"
	"github.com/polyrhythm-rl/polyrhythm/training"
)

func newCheck() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "check --config FILE",
		Short:   "Try a configuration for a second and say what looks wrong",
		Example: "  train check --config robot.yaml",
		Long: "Open a configuration, print its sizes, rates, terms and order of execution, and take a second of " +
			"steps in\n" +
			"eight worlds: half of them at rest, with actions of 0, and half with random actions. Warnings name what " +
			"looks\nwrong; they are no error.",
		Args: withoutArguments,
	}
	var config configFlags
	config.Add(cmd)
	config.AddAlgorithm()
	config.Alias("seed", "seed", "use the seed `N`")
	format := addFormat(cmd, "text", "json")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		c, err := config.Load()
		if err != nil {
			return err
		}
		plan, err := env.NewPlan(c)
		if err != nil {
			return err
		}
		report, err := checkup.Run(cmd.Context(), c)
		if err != nil {
			return err
		}
		trainConfig := *c // live worlds are checked as those of a training
		trainConfig.Autoreset, trainConfig.Time.Mode = sim.SameStep, runners.SimHighPerformance
		if err := training.Check(cmd.Context(), &trainConfig); err != nil {
			return err
		}
		return printAs(cmd, format, report, func(w io.Writer, r *checkup.Report) {
			printSizes(w, r)
			printTerms(w, r)
			fmt.Fprintln(w)
			printOrder(w, plan)
			printTrial(w, r)
		})
	}
	return cmd
}

func printSizes(w io.Writer, r *checkup.Report) {
	fmt.Fprintf(w, "%s\n", r.Task)
	if m := r.Model; m != nil {
		fmt.Fprintf(w,
			"  model         %d bodies, %d joints, %d degrees of freedom, %d actuators, %d geoms, %d sensors, "+
				"%.4g kg\n", m.Bodies, m.Joints, m.Freedom, m.Actuators, m.Geoms, m.Sensors, m.Mass)
	}
	var groups []string
	for _, g := range r.Groups {
		groups = append(groups, fmt.Sprintf("%s %d", g.Name, g.Size))
	}
	fmt.Fprintf(w, "  observations  %s\n", strings.Join(groups, ", "))
	fmt.Fprintf(w, "  actions       %d\n", len(r.Actions))
	fmt.Fprintf(w, "  control       %s Hz, %d physics steps each, at %s Hz\n", r.Rates.Control, r.Rates.Substeps,
		r.Rates.Physics)
	var runs []string
	for _, run := range r.Rates.Runners {
		runs = append(runs, fmt.Sprintf("%s %s Hz", run.Name, run.Rate))
	}
	fmt.Fprintf(w, "  runners       %s; they meet every %.4g s\n", strings.Join(runs, ", "), r.Rates.BeatS)
}

func printTerms(w io.Writer, r *checkup.Report) {
	if len(r.Terms) == 0 {
		return
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(t, "\nSECTION\tNAME\tWEIGHT\tTERM\n")
	for _, e := range r.Terms {
		weight, formula := "", e.Term
		if e.Weight != nil {
			weight = fmt.Sprintf("%g", *e.Weight)
		}
		if e.Expr != "" {
			formula = "expr " + e.Expr
		}
		if p := e.Parameters(); p != "" {
			formula += " (" + p + ")"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", e.Section, e.Name, weight, formula)
	}
	t.Flush()
}

func printTrial(w io.Writer, r *checkup.Report) {
	fmt.Fprintf(w, "\n%g s in %d worlds\n", r.Trial.Seconds, r.Trial.Worlds)
	for _, o := range []struct {
		title   string
		outcome checkup.Outcome
	}{{"at rest (actions of 0)", r.Trial.Rest}, {"random actions", r.Trial.Random}} {
		end := ""
		if o.outcome.FirstEndS > 0 {
			end = fmt.Sprintf(", the first after %.3g s", o.outcome.FirstEndS)
		}
		fmt.Fprintf(w, "  %-23s %d worlds, %s ended%s; reward %.4g per step\n", o.title+":", o.outcome.Worlds,
			count(o.outcome.Episodes, "episode"), end, o.outcome.Reward)
	}
	if len(r.Trial.Rewards) > 0 {
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		fmt.Fprint(t, "\nREWARD PER STEP\tMEAN\tLOWEST\tHIGHEST\n")
		for _, v := range r.Trial.Rewards {
			fmt.Fprintf(t, "%s\t%.3g\t%.3g\t%.3g\n", v.Name, v.Mean, v.Low, v.High)
		}
		t.Flush()
	}
	fmt.Fprintln(w)
	for _, text := range r.Warnings {
		fmt.Fprintf(w, "warning: %s\n", text)
	}
	if len(r.Warnings) == 0 {
		fmt.Fprintln(w, "no warnings")
	}
}
