package cli

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/polyrhythm-rl/polyrhythm/cli/internal/checkup"
	"github.com/polyrhythm-rl/polyrhythm/cli/internal/settings"
	"github.com/polyrhythm-rl/polyrhythm/cli/internal/starter"
	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
)

func newNew() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "new MODEL.xml --out CONFIG.yaml",
		Short: "Write a configuration for a robot from its model file",
		Example: "  train new robot.xml\n" +
			"  train new robot.xml --out robot.yaml",
		Long: "List the bodies, joints, actuators, sensors and keyframes of the MJCF or URDF file MODEL.xml, and " +
			"write a configuration\n" +
			"for it, with comments, that runs as it is: what the model lacks is added. Without --out it only lists.",
		Args: oneArgument("MODEL.xml"),
	}
	out := cmd.Flags().String("out", "", "write the configuration to `FILE`")
	allowOutside := cmd.Flags().Bool("allow-outside", false,
		"let the model include files and use meshes outside of its folder")
	force := cmd.Flags().Bool("force", false, "replace FILE if it is there")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if *out != "" {
			if err := checkNew("out", *out, *force); err != nil {
				return err
			}
			if filepath.Base(*out) == settings.ProjectFile {
				return usagef("--out is %q, a name of settings of the programs, want another one", *out)
			}
		}
		bar := showProgress(cmd, "new "+filepath.Base(args[0]))
		bar.barOnly = true // elsewhere the list of the model begins the output
		defer bar.Close()
		bar.Update(0, mostTrials, "")
		model, err := starter.Open(args[0], *allowOutside)
		if err != nil { // the error in the words of this command
			return usagef("%s", strings.Replace(err.Error(), "scene.allow_outside: true", "--allow-outside", 1))
		}
		defer model.Close()
		if *out == "" {
			bar.Close()
			return model.List(cmd.OutOrStdout())
		}
		text, notes, err := configure(cmd.Context(), model, *out, func(trial int64) {
			bar.Update(trial, mostTrials, fmt.Sprintf("trial %d", trial))
		})
		bar.Close()
		if err != nil {
			return fmt.Errorf("%s: %w", args[0], err)
		}
		if err := model.List(cmd.OutOrStdout()); err != nil {
			return err
		}
		if err := disk.Replace(disk.OS{}, *out, false, disk.Bytes(text)); err != nil {
			return err
		}
		fmt.Fprintln(cmd.OutOrStdout())
		for _, note := range notes {
			fmt.Fprintln(cmd.OutOrStdout(), note)
		}
		fmt.Fprintf(cmd.OutOrStdout(), "wrote %[1]s; next: train check --config %[1]s\n", *out)
		return nil
	}
	return cmd
}

// configure returns the configuration of a model for the file out, and what it leaves out or its trial warns of. It
// tries others until a trial finds nothing that other gains, scales or steps cure, and returns the best. It says by
// trying which trial begins, from 1.
func configure(ctx context.Context, model *starter.ModelFile, out string, trying func(trial int64)) (text []byte,
	notes []string, err error) {
	var previous []byte
	var found []checkup.Finding
	tuning, least := starter.Tuning{}, math.MaxInt
	for trial := int64(1); ; trial++ {
		trying(trial)
		candidate, omissions, err := model.Configuration(filepath.Dir(out), tuning)
		if err != nil {
			return nil, nil, asUsage(err)
		}
		if !bytes.Equal(candidate, previous) { // otherwise the tuning changes nothing here
			c, err := configs.Parse(out, candidate, nil, nil)
			var report *checkup.Report
			if err == nil {
				report, err = checkup.Run(ctx, c)
			}
			if err != nil {
				return nil, nil, fmt.Errorf("the configuration does not run: %w", err)
			}
			previous, found = candidate, report.Findings
			if len(found) < least {
				least, text, notes = len(found), candidate, nil
				for _, l := range omissions {
					notes = append(notes, "left out: "+l)
				}
				for _, w := range report.Warnings {
					notes = append(notes, "warning: "+w)
				}
			}
		}
		next := tune(tuning, found)
		if next == tuning {
			return text, notes, nil
		}
		tuning = next
	}
}

// mostSteps is how often the trial may change one choice, and mostTrials how many there are at most: one without a
// change, one for parts that pass through one another, and those of the remedies.
const (
	mostSteps  = 3
	mostTrials = 2 + 6*mostSteps
)

// tune returns what to try next against what a trial found, the gravest first; t itself if nothing is left.
func tune(t starter.Tuning, found []checkup.Finding) starter.Tuning {
	hasFinding := func(f checkup.Finding) bool { return slices.Contains(found, f) }
	for _, remedy := range []struct {
		applies bool
		steps   *int
	}{
		{hasFinding(checkup.Overlaps), &t.Higher},
		{hasFinding(checkup.Costly), &t.Cheaper},
		{hasFinding(checkup.Unstable) || hasFinding(checkup.Stiff), &t.Finer},
		{hasFinding(checkup.Weak) || hasFinding(checkup.Saturated), &t.Stronger},
		{hasFinding(checkup.Falls), &t.Stiffer},
		{hasFinding(checkup.FallsAtRandom) || hasFinding(checkup.Saturated) || hasFinding(checkup.Unstable), &t.Calmer},
	} {
		// the robot's own parts may have ended the episode
		if (hasFinding(checkup.Tangled) || hasFinding(checkup.Falls)) && !t.PassThrough {
			t.PassThrough = true
			return t
		}
		if remedy.applies && *remedy.steps < mostSteps {
			*remedy.steps++
			return t
		}
	}
	return t
}
