package configs

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/polyrhythm-rl/polyrhythm/internal/decode"
	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

var update = flag.Bool("update", false, "write schema.json")

// The presets and the described tasks are valid by the schema in this folder, which is
// that of the types, and what Load refuses for its keys or types is not.
func TestSchema(t *testing.T) {
	if *update {
		polytest.NoError(t, os.WriteFile("schema.json", Schema(), 0o666))
	}
	if text, err := os.ReadFile("schema.json"); err != nil || !bytes.Equal(text, Schema()) {
		t.Fatalf("schema.json is stale (%v); write it with go test ./configs -run TestSchema -update", err)
	}
	schema := polytest.Must(jsonschema.NewCompiler().Compile("schema.json"))(t)
	validate := func(text []byte) error {
		value := polytest.Must(decode.Parse("", text))(t)
		return schema.Validate(value)
	}
	files, err := filepath.Glob("*.yaml")
	described, err2 := filepath.Glob("described/*.yaml")
	if err != nil || err2 != nil || len(files) < 10 || len(described) < 3 {
		t.Fatalf("%d presets and %d described tasks: %v, %v", len(files), len(described), err, err2)
	}
	for _, name := range append(files, described...) {
		text := polytest.Must(os.ReadFile(name))(t)
		if err := validate(text); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		line := "# yaml-language-server: $schema=" + strings.Repeat("../", strings.Count(name, "/")) + "schema.json\n"
		if !bytes.HasPrefix(text, []byte(line)) {
			t.Errorf("%s does not begin with %q", name, line)
		}
	}
	if err := validate([]byte("extends: a.yaml\nobservations: {critic: null}")); err != nil {
		t.Errorf("a group that is removed: %v", err)
	}
	for _, text := range []string{
		"wrlds: 1", "worlds: many", "training: {gama: 1}", "runners: [{name: A, rate: true}]", "sensors: {}",
		"rewards: [{term: nope}]", "rewards: [{weight: 1}]", "rewards: [{term: is_alive, wieght: 1}]", "rewards: [{expr: 1}]",
		"observations: {policy: [{term: joint_pos_rel, joint: [a]}]}", "observations: {policy: {noises: false}}",
		"infos: [{term: is_alive}]",
	} {
		if err := validate([]byte(text)); err == nil {
			t.Errorf("%s: it is valid, want an error", text)
		}
	}
}
