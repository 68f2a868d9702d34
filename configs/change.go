package configs

import (
	"encoding/json"
	"fmt"

	"github.com/polyrhythm-rl/polyrhythm/runners"
)

// Parse returns the change in the form of package runners. A rate may be a number or a
// string. The error begins with the path below the change, such as "edits[0]".
func (c Change) Parse() (runners.Change, error) {
	edits := make([]map[string]any, len(c.Edits))
	for i, edit := range c.Edits {
		edits[i] = map[string]any{}
		for op, fields := range edit {
			edits[i][op] = withRateAsText(fields)
		}
	}
	text, err := json.Marshal(edits)
	if err != nil {
		return runners.Change{}, fmt.Errorf("edits: %w", err)
	}
	out := runners.Change{N: int64(c.N)}
	return out, json.Unmarshal(text, &out.Edits)
}

func withRateAsText(fields any) any {
	tree, ok := fields.(map[string]any)
	if !ok {
		return fields
	}
	if text := rateText(tree["rate"]); text != "" {
		tree = merged(tree, map[string]any{"rate": text})
	}
	return tree
}

// checkChanges returns an error unless all edits can be parsed. Whether they can be
// applied depends on the bindings of the task, see env.NewPlan.
func checkChanges(changes []Change) error {
	for i, c := range changes {
		if _, err := c.Parse(); err != nil {
			return fmt.Errorf("changes[%d].%w", i, err)
		}
	}
	return nil
}
