package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
)

func newExportScene() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "export-scene --config FILE --out SCENE.xml|SCENE.mjb",
		Short:   "Write the compiled scene for other programs",
		Example: "  train export-scene --config robot.yaml --out scene.xml",
		Long: "Compile the scene of a configuration, with its terrain, its actuators, its floor and the length " +
			"of its physics step, and write it as MuJoCo's own programs open it.\n" +
			"SCENE.xml is MJCF for any recent version, which names meshes and pictures by absolute paths. SCENE.mjb " +
			"holds everything, for the same version of MuJoCo.",
		Args: withoutArguments,
	}
	var config configFlags
	config.Add(cmd)
	out := cmd.Flags().String("out", "", "write to `SCENE.xml` or SCENE.mjb")
	force := cmd.Flags().Bool("force", false, "replace SCENE if it is there")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		c, err := config.Load()
		if err != nil {
			return err
		}
		if err := checkOut(*out, "file", "SCENE.xml or SCENE.mjb"); err != nil {
			return err
		}
		if err := checkNew("out", *out, *force, ".xml", ".mjb"); err != nil {
			return err
		}
		data, notes, err := env.ExportScene(cmd.Context(), c, kindOf(*out) == ".mjb")
		if err != nil {
			return err
		}
		if err := disk.Replace(disk.OS{}, *out, false, disk.Bytes(data)); err != nil {
			return err
		}
		for _, note := range notes {
			fmt.Fprintf(cmd.OutOrStdout(), "note: %s\n", note)
		}
		fmt.Fprintf(cmd.OutOrStdout(), "wrote %s\n", *out)
		return nil
	}
	return cmd
}
