package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/training/catalog"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

func newCompare() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "compare RUN RUN...",
		Short:   "Compare trainings: settings that differ, results, and their curves in one picture",
		Example: "  train compare runs/quadruped-001 runs/quadruped-002 --out curves.png",
		Long: "Print what each of the trainings in the folders RUN reached, also the means of its reward terms, and the settings " +
			"in which they differ, those of rewards first. Long values are cut; --format json has them whole. With --out " +
			"their learning curves are drawn into one picture, with evaluations on the way as dots.",
		Args: atLeast(2, "RUN"),
	}
	out := cmd.Flags().String("out", "", "draw the learning curves into the PNG `FILE`")
	force := cmd.Flags().Bool("force", false, "replace FILE if it is there")
	format := addFormat(cmd, "table", "json")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if *out != "" {
			if err := checkNew("out", *out, *force, ".png"); err != nil {
				return err
			}
		}
		c, runs, err := compareRuns(args)
		if err != nil {
			return err
		}
		if *out != "" {
			if err := catalog.Draw(*out, runs); err != nil {
				return fmt.Errorf("--out: %w", err)
			}
		}
		return printAs(cmd, format, c, printComparison)
	}
	return cmd
}

// comparison says in which settings trainings differ, and what they reached.
type comparison struct {
	Runs     []runRow            `json:"runs"`
	Terms    []rewardTerm        `json:"terms"`
	Settings []differentSettings `json:"settings"` // those of rewards first
}

// rewardTerm is what a term of the reward gives in a control step, in the mean of the final evaluations of runs; null of a
// run that has no such term, or no evaluation.
type rewardTerm struct {
	Name  string     `json:"name"`
	Means []*float64 `json:"means"`
}

// rewardPrefix begins the names of the infos that are terms of the reward.
const rewardPrefix = "reward/"

// differentSettings are the values of one key, by run, as YAML; null where a run has none.
type differentSettings struct {
	Key    string    `json:"key"`
	Values []*string `json:"values"`
}

// compareRuns reads the runs in some folders.
func compareRuns(paths []string) (c comparison, runs []catalog.Run, err error) {
	var settings []map[string]string
	var infos []map[string]float64
	for _, path := range paths {
		r, err := catalog.Open(path)
		if err == nil && r.Kind != catalog.Training {
			err = fmt.Errorf("%s is a %s, want the folder of a training", path, r.Kind)
		}
		if err != nil {
			return c, nil, asUsage(err)
		}
		s, err := readSettings(filepath.Join(path, rundir.ConfigFile))
		if err != nil {
			return c, nil, err
		}
		runs, settings, infos = append(runs, r), append(settings, s), append(infos, r.Infos)
	}
	c.Runs, c.Terms = describeRuns(runs), compareTerms(infos)
	for _, key := range keysOf(settings) {
		d := differentSettings{Key: key}
		differ := false
		for _, s := range settings {
			value, ok := s[key]
			first, firstOK := settings[0][key]
			differ = differ || ok != firstOK || value != first
			if ok {
				d.Values = append(d.Values, &value)
			} else {
				d.Values = append(d.Values, nil)
			}
		}
		if differ {
			c.Settings = append(c.Settings, d)
		}
	}
	return c, runs, nil
}

// compareTerms returns the terms of the reward among the infos of runs.
func compareTerms(infos []map[string]float64) (terms []rewardTerm) {
	for _, key := range keysOf(infos) {
		name, isTerm := strings.CutPrefix(key, rewardPrefix)
		if !isTerm {
			continue
		}
		t := rewardTerm{Name: name}
		for _, of := range infos {
			if mean, ok := of[key]; ok {
				t.Means = append(t.Means, &mean)
			} else {
				t.Means = append(t.Means, nil)
			}
		}
		terms = append(terms, t)
	}
	return terms
}

// keysOf returns the keys of some mappings, each once, those of rewards first.
func keysOf[V any](list []map[string]V) (keys []string) {
	for _, m := range list {
		keys = slices.AppendSeq(keys, maps.Keys(m))
	}
	other := func(key string) int {
		if strings.HasPrefix(key, "rewards.") {
			return 0
		}
		return 1
	}
	slices.SortFunc(keys, func(a, b string) int { return cmp.Or(other(a)-other(b), cmp.Compare(a, b)) })
	return slices.Compact(keys)
}

// readSettings returns the values in a configuration by their keys, such as training.gamma or rewards.alive.weight. A
// list is one value, unless its entries have names.
func readSettings(path string) (map[string]string, error) {
	text, err := disk.ReadFile(path, configs.MaxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // the run was killed before it wrote the file
	}
	if err != nil {
		return nil, err
	}
	settings, err := parseSettings(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return settings, nil
}

// parseSettings is readSettings for the contents of a file.
func parseSettings(text []byte) (map[string]string, error) {
	var root yaml.Node
	if err := yaml.Unmarshal(text, &root); err != nil {
		return nil, err
	}
	settings := map[string]string{}
	for _, document := range root.Content {
		if err := flatten("", document, settings); err != nil {
			return nil, err
		}
	}
	return settings, nil
}

// flatten adds the values below a node, whose key is given, to settings.
func flatten(key string, n *yaml.Node, settings map[string]string) error {
	prefix := key
	if key != "" {
		prefix += "."
	}
	switch {
	case n.Kind == yaml.MappingNode && len(n.Content) > 0:
		for i := 0; i+1 < len(n.Content); i += 2 {
			if err := flatten(prefix+n.Content[i].Value, n.Content[i+1], settings); err != nil {
				return err
			}
		}
		return nil
	case n.Kind == yaml.SequenceNode && len(n.Content) > 0 && !slices.ContainsFunc(n.Content, unnamed):
		for _, entry := range n.Content {
			if err := flatten(prefix+entryName(entry), entry, settings); err != nil {
				return err
			}
		}
		return nil
	}
	n.Style = yaml.FlowStyle // a list on one line
	text, err := yaml.Marshal(n)
	settings[key] = strings.TrimSpace(string(text))
	return err
}

func unnamed(n *yaml.Node) bool { return entryName(n) == "" }

// entryName is the name by which --set finds an entry of a list: its name or its term; "" for none.
func entryName(n *yaml.Node) string {
	names := map[string]string{}
	if n.Kind == yaml.MappingNode {
		for i := 0; i+1 < len(n.Content); i += 2 {
			names[n.Content[i].Value] = n.Content[i+1].Value
		}
	}
	if name := names["name"]; name != "" {
		return name
	}
	return names["term"]
}

// longestCell is the most characters of a value in a table.
const longestCell = 40

// cutText leaves out the end of a text that is longer than so many characters.
func cutText(text string, most int) string {
	if r := []rune(text); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return text
}

func printComparison(w io.Writer, c comparison) {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	line := func(head string, cell func(i int, r runRow) string) {
		fmt.Fprint(table, head)
		for i, r := range c.Runs {
			fmt.Fprint(table, "\t", cell(i, r))
		}
		fmt.Fprintln(table)
	}
	line("", func(_ int, r runRow) string { return r.Path })
	line("task", func(_ int, r runRow) string { return orDash(r.Task) })
	line("state", func(_ int, r runRow) string { return orDash(r.State) })
	line("steps", func(_ int, r runRow) string { return fmt.Sprint(r.Steps) })
	line("return", func(_ int, r runRow) string {
		if r.Return == nil || math.IsNaN(*r.Return) {
			return "-"
		}
		return tenths(*r.Return)
	})
	for _, t := range c.Terms {
		line(rewardPrefix+t.Name, func(i int, _ runRow) string {
			if t.Means[i] == nil {
				return "-"
			}
			return fmt.Sprintf("%.4g", *t.Means[i])
		})
	}
	for _, s := range c.Settings {
		line(s.Key, func(i int, _ runRow) string {
			if s.Values[i] == nil {
				return "-"
			}
			return cutText(*s.Values[i], longestCell)
		})
	}
	table.Flush()
	if len(c.Settings) == 0 {
		fmt.Fprintln(w, "no setting differs")
	}
}
