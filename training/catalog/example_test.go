package catalog_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/polyrhythm-rl/polyrhythm/training/catalog"
)

// The runs of a folder, those with the highest return last.
func Example() {
	root, err := os.MkdirTemp("", "runs")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(root)
	folder := filepath.Join(root, "ant-001") // in place of a training's
	for name, text := range map[string]string{
		"config.yaml": "task: {name: Ant-v5}\n",
		"run.json":    `{"status": "done", "task": "Ant-v5", "env_steps": 1000000, "evaluation": {"mean_return": 3258.4}}`,
	} {
		if err := os.MkdirAll(folder, 0o777); err != nil {
			log.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o666); err != nil {
			log.Fatal(err)
		}
	}

	runs, err := catalog.List(root)
	if err != nil {
		log.Fatal(err)
	}
	if err := catalog.Sort(runs, "return"); err != nil {
		log.Fatal(err)
	}
	for _, r := range runs {
		fmt.Println(r.Kind, r.Task, r.Steps, r.State, r.Return)
	}
	// Output: training Ant-v5 1000000 done 3258.4
}
