// Command bench measures how fast worlds are stepped, against a bare C loop over
// the same physics. See bench --help.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/polyrhythm-rl/polyrhythm/cmd/internal/cli"
	_ "github.com/polyrhythm-rl/polyrhythm/cmd/internal/crash"
)

func main() { cli.Main(newBench()) }

// newBench returns the whole command.
func newBench() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "bench (--config FILE | --task NAME)",
		Short: "Measure steps per second, and the ratio to a bare C loop",
		Long: "Measure environment and physics steps per second with random actions, runners and recording on as configured. " +
			"Short rounds alternate with rounds of a bare C loop, which takes the same physics steps " +
			"from the same resets under the same controls on the same number of threads; medians are reported.",
		Args: cobra.NoArgs,
	}
	var config cli.ConfigFlags
	config.Add(cmd)
	config.Alias("worlds", "worlds", "step `N` worlds")
	config.Alias("workers", "workers", "step worlds on `N` threads; 0 for one per CPU")
	seconds := cmd.Flags().Float64("seconds", 10, "measure for about `S` seconds")
	format := cli.AddFormat(cmd, "table", "json")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if !(*seconds > 0 && *seconds <= 86400) {
			return cli.Usagef("--seconds: want more than 0, at most 86400, got %v", *seconds)
		}
		c, err := config.Load()
		if err != nil {
			return err
		}
		r, err := measure(cmd.Context(), c, time.Duration(*seconds*float64(time.Second)))
		if err != nil {
			return err
		}
		if format.String() == "json" {
			return json.NewEncoder(cmd.OutOrStdout()).Encode(r)
		}
		return r.print(cmd.OutOrStdout())
	}
	return cmd
}

func (r *result) print(w io.Writer) error {
	recording := "off"
	if r.Recording {
		recording = "on"
	}
	_, err := fmt.Fprintf(w, `%s, %d worlds in blocks of %d, %d workers, recording %s, %d rounds
  environment steps/s  %12.0f
  physics steps/s      %12.0f  (%d in an environment step)
  bare C loop          %12.0f
  ratio                %12.3f
  allocations per step %12.3f
`, r.Task, r.Worlds, r.BlockSize, r.Workers, recording, r.Rounds,
		r.EnvSteps, r.PhysicsSteps, r.Substeps, r.RawPhysicsSteps, r.Ratio, r.Allocs)
	return err
}
