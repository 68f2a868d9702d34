package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/training"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

func newVerify() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "verify RUN | RESULTS --result NAME --seed N",
		Short:   "Train again what a run or a table of results reports, and compare",
		Example: "  train verify runs/quadruped-001",
		Long: "Train again, in a temporary folder, and compare the metrics of all iterations and the final " +
			"checkpoint with what was reported: by run.json and config.yaml of the folder RUN, which needs no other " +
			"of its files, or by a file of results such as docs/evidence/results.json. It prints that they are " +
			"identical, or where they first differ. A training has the same bits on processors of one kind, with the " +
			"same kernel of OpenBLAS, for any number of workers. Exit code 0 means identical.",
		Args: oneArgument("RUN or RESULTS"),
	}
	name := cmd.Flags().String("result", "", "of a file of results, the result `NAME`, such as hopper-1m")
	seed := cmd.Flags().Uint64("seed", 0, "of a result, the run with the seed `N`")
	kernel := cmd.Flags().String("kernel", "", "of a result, the run with OpenBLAS's kernel `NAME`; the first if not "+
		"given")
	workers := cmd.Flags().Int("workers", 0, "step worlds on `N` threads; 0 for one per CPU")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if (*name != "") != cmd.Flags().Changed("seed") || *name == "" && *kernel != "" {
			return usagef("want --result with --seed, and --kernel with both, or none of them")
		}
		if *name != "" {
			if err := checkThere(args...); err != nil {
				return err
			}
		} else if err := checkFolders("a run, or --result with --seed for a file of results", args...); err != nil {
			return err
		}
		config, want, err := readReported(args[0], *name, *seed, *kernel)
		if err != nil {
			return err
		}
		config.Workers = *workers
		v, err := work(cmd, "training "+config.Task.Name, func(bar *progress) (training.Verified, error) {
			return training.Verify(cmd.Context(), config, want,
				func(t training.TrainProgress) {
					bar.Update(t.EnvSteps, t.Total, fmt.Sprintf("%.0f steps/s", t.StepsPerS))
				},
				bar.Warn)
		})
		if err != nil {
			return err
		}
		if v.Differs != "" {
			return errors.New("the training is not that of the report: " + v.Differs)
		}
		fmt.Fprintf(cmd.OutOrStdout(), "identical, %s, return %s\n", count(v.EnvSteps, "environment step"),
			tenths(v.Evaluation.MeanReturn))
		return nil
	}
	return cmd
}

// readReported returns what a run folder or, by a name, a file of results reports of a training, and its configuration,
// which takes nothing from the environment.
func readReported(path, name string, seed uint64, kernel string) (*configs.Config, *rundir.Report, error) {
	var report *rundir.Report
	var sets []string
	var err error
	file := filepath.Join(path, rundir.ConfigFile)
	if name == "" {
		report, err = rundir.ReadReport(path)
	} else {
		var result *training.Result
		if report, result, err = training.ReportIn(path, name, seed, kernel); err == nil {
			file = filepath.Join(filepath.Dir(path), filepath.FromSlash(result.Configuration))
			sets = append(slices.Clone(result.Set), "seed="+strconv.FormatUint(seed, 10))
		}
	}
	if name != "" || errors.Is(err, fs.ErrNotExist) { // a file of results is the user's
		err = asUsage(err)
	}
	if err != nil {
		return nil, nil, err
	}
	text, err := disk.ReadFile(file, configs.MaxFile) // which nobody has named: a pipe would be waited for
	if err != nil {
		return nil, nil, asUsage(fmt.Errorf("configuration: %w", err))
	}
	config, err := configs.Parse(file, text, sets, nil)
	return config, report, asUsage(err)
}
