package cli

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/polyrhythm-rl/polyrhythm/recorder"
)

func newLabel() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "label DATASET --task TEXT | --success true|false",
		Short:   "Say what a recorded episode was about, and whether it succeeded",
		Example: "  train label runs/walk --task \"walk forward\"",
		Long: "Write to labels.json of the dataset in the folder DATASET, which may also be a run folder, what the " +
			"robot was to do (LeRobot's task), or whether it did. Exports have it. The rest of the dataset does not " +
			"change.",
		Args: oneArgument("DATASET"),
	}
	task := cmd.Flags().String("task", "", "the words `TEXT` for what the robot was to do; else task.label of the "+
		"configuration, else the name of its task")
	success := cmd.Flags().String("success", "",
		"whether the episode succeeded, `true or false`, in place of what was recorded")
	episodes := cmd.Flags().Int64Slice("episode", nil, "of the episode `N`; may be repeated (default all)")
	start := cmd.Flags().Duration("from", 0, "with --task, of the rows from `TIME` of the episode on, such as 1.5s")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		label := recorder.Label{Task: *task, FromNS: start.Nanoseconds()}
		if *success != "" {
			value, err := strconv.ParseBool(*success)
			if err != nil {
				return usagef("--success is %q, want true or false", *success)
			}
			label.Success = &value
		}
		switch {
		case *task == "" && *success == "":
			return usagef("no label given, want --task TEXT or --success true or false")
		case recorder.CheckTask(*task) != nil:
			return usagef("--%w", recorder.CheckTask(*task))
		case *start < 0 || *start > 0 && *task == "":
			return usagef("--from is %v, want at least 0, and --task", *start)
		}
		d, err := openDataset(cmd.ErrOrStderr(), args[0])
		if err != nil {
			return err
		}
		labels, err := d.Labels()
		if err != nil {
			return err
		}
		if err := addLabels(d, labels, label, *episodes); err != nil {
			return err
		}
		if err := labels.Write(d); err != nil {
			return err
		}
		fmt.Fprintf(cmd.OutOrStdout(), "%s in %s\n", count(int64(len(labels.List)), "label"), d.Dir())
		return nil
	}
	return cmd
}

// addLabels adds a label of all episodes, or one of each of some.
func addLabels(d *recorder.Dataset, labels *recorder.Labels, label recorder.Label, episodes []int64) error {
	if len(episodes) == 0 {
		labels.Add(label)
		return nil
	}
	if !d.HasEpisodes() {
		return errors.New("the dataset has no table of episodes, want labels without --episode")
	}
	var numbers []int64
	for e, err := range d.Episodes() {
		if err != nil {
			return err
		}
		numbers = append(numbers, e.Number)
	}
	for _, number := range episodes {
		if !slices.Contains(numbers, number) {
			return usagef("--episode is %d, want one of the %d that %s lists", number, len(numbers), d.Dir())
		}
		label.Episode = &number
		labels.Add(label)
	}
	return nil
}
