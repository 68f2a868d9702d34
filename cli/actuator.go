package cli

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/training/actuator"
)

func newActuator() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "actuator DATA.csv ... --out FILE",
		Short:   "Learn the torque of an actuator from measurements",
		Example: "  train actuator motor-1.csv motor-2.csv --out motor.yaml",
		Long: "Learn a network that computes the torque of an actuator, for scene.actuators with type: learned. Each " +
			"DATA.csv has a head with the columns " + strings.Join(actuator.Columns, ", ") +
			" (s; rad, the position that was asked for less the position; rad/s; N·m; of slide joints m, m/s and N), " +
			"and may have " +
			actuator.JointColumn + " where it is of several joints with actuators of one kind. The rows of a " +
			"joint are one period apart; where they are not, another series begins. Every tenth 50 rows are not " +
			"learned from, but compared with.",
		Args: atLeast(1, "DATA.csv"),
	}
	s := actuator.DefaultSettings()
	out := cmd.Flags().String("out", "", "write the network to `FILE`, which package policy reads")
	picture := cmd.Flags().String("picture", "", "draw torques that were measured and computed to `FILE.png`")
	force := cmd.Flags().Bool("force", false, "replace the files if they are there")
	cmd.Flags().IntVar(&s.History, "history", s.History, "observe `N` successive rows, the last among them")
	cmd.Flags().IntSliceVar(&s.Hidden, "hidden", s.Hidden, "`UNITS` of each hidden layer")
	cmd.Flags().IntVar(&s.Epochs, "epochs", s.Epochs, "take each row `N` times")
	cmd.Flags().Uint64Var(&s.Seed, "seed", s.Seed, "draw the first weights and the order of rows from `SEED`")
	output := addFormat(cmd, "table", "json")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := s.Validate(); err != nil {
			return usagef("--%w", err)
		}
		if err := checkOut(*out, "file", "FILE"); err != nil {
			return err
		}
		if err := checkNew("out", *out, *force); err != nil {
			return err
		}
		if *picture != "" {
			if err := checkNew("picture", *picture, *force, ".png"); err != nil {
				return err
			}
		}
		var m actuator.Measurements
		for _, path := range args {
			if err := addTable(&m, path); err != nil {
				return asUsage(err)
			}
		}
		if err := m.Divide(); err != nil {
			return asUsage(err)
		}
		bar := showProgress(cmd, "learning")
		s.Progress = func(done, total int64) { bar.Update(done, total, fmt.Sprintf("%d rows", done)) }
		network, fit, err := actuator.Learn(cmd.Context(), &m, s)
		bar.Close()
		if err != nil {
			return err
		}
		if _, err := onDisk(cmd.Context(), func() (any, error) {
			if *picture != "" {
				if err := fit.Draw(*picture); err != nil {
					return nil, err
				}
			}
			return nil, disk.Replace(disk.OS{}, *out, false, network.Write)
		}); err != nil {
			return err
		}
		return printAs(cmd, output, learnedActuator{File: *out, Fit: fit}, printActuator)
	}
	return cmd
}

// addTable reads a table of measurements.
func addTable(m *actuator.Measurements, path string) (err error) {
	f, err := disk.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return m.Add(path, f)
}

// learnedActuator is what was learned.
type learnedActuator struct {
	File string `json:"file"`
	*actuator.Fit
}

func printActuator(out io.Writer, r learnedActuator) {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "rows\t%d in %d series, %v apart, and %d held out\n", r.Rows, r.Series, r.Period, r.HeldOut)
	fmt.Fprintf(table, "torque\t%.4g N·m about its mean\n", r.Torque)
	fmt.Fprintf(table, "line\t%.4g N·m from it: kp %.4g, kd %.4g, %.4g constant\n", r.LineError, r.KP, r.KD, r.Constant)
	fmt.Fprintf(table, "network\t%.4g N·m from it, %.4g from the rows that it learned from\n", r.HeldOutError, r.Error)
	fmt.Fprintf(table, "looks back\t%v\n", r.Back)
	_ = table.Flush()
	fmt.Fprintf(out, "the network is in %s\n", r.File)
}
