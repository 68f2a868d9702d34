package cli

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
)

func newTasks() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "tasks",
		Short:   "List the tasks that --task names: observations, actions, rate, steps of training",
		Example: "  train tasks",
		Long: "List the tasks that --task names: how many values an observation and an action have, how many choices " +
			"there are if actions are choices, the rate of control steps, and how many steps the task's own " +
			"configuration trains and by which algorithm, then those that --algorithm names. A task whose model cannot " +
			"be read is listed with the reason.",
		Args: withoutArguments,
	}
	format := addFormat(cmd, "table", "json")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		var rows []taskRow
		for _, name := range env.TaskNames() {
			rows = append(rows, describeTask(name))
		}
		return printAs(cmd, format, rows, printTasks)
	}
	return cmd
}

// taskRow is a task as JSON.
type taskRow struct {
	Task         string `json:"task"`
	Observations int    `json:"observations"`
	Actions      int    `json:"actions"`
	Choices      int    `json:"choices,omitempty"`
	Rate         string `json:"rate"` // rate of control steps
	Steps        int64  `json:"steps"`
	Error        string `json:"error,omitempty"`

	Presets []presetRow `json:"presets"` // the task's own, which has Steps, and those of other algorithms
}

// presetRow is a built-in configuration of a task.
type presetRow struct {
	Algorithm string `json:"algorithm"`
	Steps     int64  `json:"steps"`
}

// presetsOf lists the built-in configurations of a task.
func presetsOf(task string) (rows []presetRow, err error) {
	algorithms, err := env.PresetAlgorithms(task)
	for _, algorithm := range algorithms {
		file, data, err := env.AlgorithmPreset(task, algorithm)
		if err != nil {
			return nil, err
		}
		c, err := configs.Parse(file, data, nil, nil)
		if err != nil {
			return nil, err
		}
		rows = append(rows, presetRow{algorithm, c.Training.TotalSteps})
	}
	return rows, err
}

// describeTask opens a world of a task.
func describeTask(name string) (row taskRow) {
	row.Task = name
	file, data, err := env.Preset(name)
	var c *configs.Config
	if err == nil {
		c, err = configs.Parse(file, data, []string{"worlds=1", "workers=1", "recording.enabled=false"}, nil)
	}
	if err == nil {
		row.Steps = c.Training.TotalSteps
		row.Presets, err = presetsOf(name)
	}
	var e *env.Env
	if err == nil {
		e, err = env.Open(c, env.OpenOptions{})
	}
	if err != nil {
		row.Error = oneLine(err)
		return row
	}
	spec := e.Sim().Spec()
	row.Observations, row.Actions, row.Choices = spec.ObservationSize, spec.ActionSize, spec.Discrete
	row.Rate = e.Plan().Schedule().ControlRate().String()
	if err := e.Close(); err != nil {
		row.Error = oneLine(err)
	}
	return row
}

func printTasks(w io.Writer, rows []taskRow) {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "TASK\tOBSERVATIONS\tACTIONS\tRATE\tSTEPS")
	for _, r := range rows {
		if r.Error != "" {
			fmt.Fprintf(table, "%s\t%s\n", r.Task, r.Error)
			continue
		}
		actions := fmt.Sprint(r.Actions)
		if r.Choices > 0 {
			actions = count(r.Choices, "choice")
		}
		steps := make([]string, len(r.Presets))
		for i, p := range r.Presets {
			steps[i] = fmt.Sprintf("%d by %s", p.Steps, p.Algorithm)
		}
		fmt.Fprintf(table, "%s\t%d\t%s\t%s Hz\t%s\n", r.Task, r.Observations, actions, r.Rate, strings.Join(steps, ", "))
	}
	table.Flush()
}
