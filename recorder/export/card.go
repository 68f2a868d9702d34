package export

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
)

// CardFile is the card of a repository of Hugging Face's Hub.
const CardFile = "README.md"

// cardHead is what the Hub reads of a dataset's card. See huggingface/hub-docs, datasetcard.md.
type cardHead struct {
	License    string       `yaml:"license"`
	PrettyName string       `yaml:"pretty_name"`
	Categories []string     `yaml:"task_categories,flow"`
	Tags       []string     `yaml:"tags,flow"`
	Size       []string     `yaml:"size_categories,flow"`
	Configs    []cardConfig `yaml:"configs,omitempty"`
}

// cardConfig says which files load_dataset takes for a name.
type cardConfig struct {
	Name  string `yaml:"config_name"`
	Files string `yaml:"data_files"`
}

// writeCard writes the card, for a licence by its identifier on the Hub.
func (j *job) writeCard(f Format) error {
	metadata := j.d.Metadata
	head := cardHead{License: j.opt.Card, PrettyName: metadata.Task + ", " + j.name,
		Categories: []string{"robotics", "reinforcement-learning"}, Tags: []string{"polyrhythm", metadata.Task},
		Size: []string{sizeCategory(j.result.Rows)}}
	if f.Name == "lerobot" { // the Hub of LeRobot finds datasets by this tag
		head.Tags = append(head.Tags, "LeRobot")
	}
	files := map[string]string{"hf": "%s/*.arrow", "parquet": "%s.parquet", "csv": "%s.csv"}[f.Name]
	switch {
	case f.Name == "lerobot":
		head.Configs = []cardConfig{{"default", "data/*/*.parquet"}}
	case files != "":
		for _, t := range j.tables {
			head.Configs = append(head.Configs, cardConfig{t.Name, fmt.Sprintf(files, t.Name)})
		}
	}
	text, err := yaml.Marshal(head)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "---\n%s---\n\n# %s\n\n", text, head.PrettyName)
	if err := j.describe(&b); err != nil {
		return err
	}
	fmt.Fprintf(&b, "## How to load it\n\n```python\n%s```\n\n", loading(f.Name, j.name, j.tables[0].Name))
	b.WriteString("`source.json` has the configuration of the run, and the unit, rate and source of every column.\n")
	return j.writeFile(CardFile, b.Bytes())
}

// describe writes what was recorded, its returns and its columns.
func (j *job) describe(b *bytes.Buffer) error {
	metadata := j.d.Metadata
	n, sum, squares := 0.0, 0.0, 0.0
	for e, err := range j.d.Episodes() {
		switch {
		case err != nil:
			return err
		case e.Complete:
			d := e.Return - sum/max(n, 1)
			n, sum = n+1, sum+e.Return
			squares += d * (e.Return - sum/n)
		}
	}
	fmt.Fprintf(b, "%s of the task `%s`", plural(j.result.Episodes, "episode"), metadata.Task)
	if metadata.Label != "" && metadata.Label != metadata.Task {
		fmt.Fprintf(b, " (%s)", metadata.Label)
	}
	fmt.Fprintf(b, ", seed %d, recorded by Polyrhythm %s.", metadata.Seed, metadata.Versions["polyrhythm"])
	if n > 0 {
		fmt.Fprintf(b, " The run's %s that came to their end have a return of %.1f ± %.1f.",
			plural(int64(n), "episode"), sum/n, math.Sqrt(squares/n))
	}
	b.WriteString("\n\n| table | column | values | unit | rate |\n|---|---|---|---|---|\n")
	for _, t := range j.tables {
		for i := range t.Columns {
			c := &t.Columns[i]
			if strings.HasSuffix(c.Name, "_stamp_ns") {
				continue
			}
			fmt.Fprintf(b, "| %s | `%s` | %d | %s | %s |\n", t.Name, c.Name, max(c.Len, 1), c.Unit, rateOf(t, c))
		}
	}
	b.WriteString("\n")
	return nil
}

func rateOf(t *format.Table, c *format.Column) string {
	for _, rate := range []string{c.Rate, t.Rate} {
		if rate != "" {
			return rate + " Hz"
		}
	}
	return ""
}

// loading returns the lines of Python that load the folder of an export.
func loading(format, name, table string) string {
	switch format {
	case "hf":
		return fmt.Sprintf("import datasets\n\nrows = datasets.load_from_disk(%q)[%q]\n", name, table)
	case "parquet":
		return fmt.Sprintf("import datasets\n\nrows = datasets.load_dataset(%q, %q, split=\"train\")\n", name, table)
	case "csv", "png":
		return fmt.Sprintf("import pandas\n\nrows = pandas.read_csv(%q)\n", name+"/"+table+".csv")
	case "mcap":
		return fmt.Sprintf("import glob\nfrom mcap.reader import make_reader\n\nfor path in glob.glob(%q):\n"+
			"    for schema, channel, message in make_reader(open(path, \"rb\")).iter_messages():\n        ...\n",
			name+"/*.mcap")
	case "minari":
		return fmt.Sprintf("import minari\n\ndataset = minari.MinariDataset(%q)\n", name+"/data")
	}
	return fmt.Sprintf("from lerobot.datasets.lerobot_dataset import LeRobotDataset\n\n"+
		"dataset = LeRobotDataset(%q, root=%q)\n", "you/"+name, name)
}

// sizeCategory is the Hub's word for a number of rows.
func sizeCategory(rows int64) string {
	names := []string{"n<1K", "1K<n<10K", "10K<n<100K", "100K<n<1M", "1M<n<10M", "10M<n<100M", "100M<n<1B", "1B<n<10B"}
	limits := []int64{1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9}
	i, _ := slices.BinarySearch(limits, rows+1)
	return names[i]
}

func plural(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
