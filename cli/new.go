package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/internal/starter"
)

// newNew returns the command that writes the first configuration of a robot.
func newNew() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "new MODEL.xml --out CONFIG.yaml",
		Short: "Write a configuration for a robot from its model file",
		Long: "List the bodies, joints, actuators, sensors and keyframes of the MJCF or URDF file MODEL.xml, and write a configuration\n" +
			"for it, with comments, that runs as it is: what the model lacks is added. Without --out it only lists.",
		Args: oneArgument("MODEL.xml"),
	}
	out := cmd.Flags().String("out", "", "write the configuration to `FILE`")
	outside := cmd.Flags().Bool("allow-outside", false, "let the model include files and use meshes outside of its folder")
	force := cmd.Flags().Bool("force", false, "replace FILE if it exists")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if *out != "" {
			if err := checkNew(*out, *force); err != nil {
				return usagef("--out: %w", err)
			}
		}
		model, err := starter.Open(args[0], *outside)
		if err != nil {
			return asUsage(err)
		}
		defer model.Close()
		if err := model.List(cmd.OutOrStdout()); err != nil || *out == "" {
			return err
		}
		text, err := model.Configuration(filepath.Dir(*out))
		if err != nil {
			return usagef("%s: %w", args[0], err)
		}
		if err := tryConfiguration(*out, text); err != nil {
			return fmt.Errorf("the configuration for %s does not run: %w", args[0], err)
		}
		if err := disk.Replace(disk.OS{}, *out, false, disk.Bytes(text)); err != nil {
			return err
		}
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "\nwrote %[1]s; next: train check --config %[1]s\n", *out)
		return err
	}
	return cmd
}

// checkNew returns an error unless a file can be made at path.
func checkNew(path string, force bool) error {
	if err := checkFile(path); err != nil {
		return err
	}
	switch _, err := os.Lstat(path); {
	case err == nil && !force:
		return fmt.Errorf("%s exists, want a new file, or --force", path)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	return nil
}

// tryConfiguration opens a configuration with one world and takes a step.
func tryConfiguration(path string, text []byte) error {
	c, err := configs.Parse(path, text, []string{"worlds=1", "recording.enabled=false"}, nil)
	if err != nil {
		return err
	}
	e, err := env.Open(c, env.OpenOptions{Workers: 1})
	if err != nil {
		return err
	}
	return errors.Join(e.Step(), e.Close())
}
