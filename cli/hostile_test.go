package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
)

// hostileValues take the place of values of a configuration.
var hostileValues = []string{
	".nan", ".inf", "-.inf", "-1", "0", "1e308", "-1e308", "9223372036854775808", "1e-320", "1000000000000",
	"null", "true", `""`, `" "`, `"\u0000"`, `"../../../../etc/passwd"`, `"."`, "[]", "{}", "[[[[[]]]]]", "{a: {b: {c: 1}}}",
	"[1, 2, 3]", "[3, 1]", "[.nan, 1]", "[0, 1e300]", `["(((("]`, `[".*)|(.*"]`, `["no_such_thing"]`, "no_such_thing", "10", "-5s", "1000000h", "5s",
	"2026-11-22", "0x7fffffffffffffff", "!!binary aGVsbG8=", "*missing", "!!python/object:os.system x",
	`"` + strings.Repeat("x", 5000) + `"`, "[" + strings.Repeat("1, ", 3000) + "1]", strings.Repeat("[", 200) + strings.Repeat("]", 200),
}

// hostileExpressions take the place of expressions, or of terms.
var hostileExpressions = []string{
	"", "(", "1 +", "1 / 0", "base_height", "base_lin_vel", "base_height <", "no_such_quantity", "base_lin_vel[3]", "base_lin_vel[-1]",
	"base_lin_vel[base_height]", "joint_pos + base_lin_vel", "base_height + time", "sum(1)", "norm()", "dot(base_lin_vel)", "where(1, 2, 3)",
	"not base_height", "true and 1", "command.none[0]", "sensor.none", "body.none.position", "command.velocity[9]", "let x = 1; x", "[1, 2] | map(# + 1)",
	`"text"`, "1..1000000000", "now()", "os.exit(1)", "base_height.x.y", "{}", "[]", "nil", "a ? b : c", "sqrt(\"2\")", "max()", "1e999",
	strings.Repeat("(", 3000) + "1" + strings.Repeat(")", 3000), strings.Repeat("1 + ", 3000) + "1", strings.Repeat("-", 4000) + "1",
	strings.Repeat("sum(", 100) + "joint_pos" + strings.Repeat(")", 100), strings.Repeat("x", 100_000),
}

// place is a value in a tree of YAML: set replaces it.
type place struct {
	path string
	set  func(value any)
}

// places lists all values of a tree below the sections that describe a task, in order.
func places(path string, tree any) []place {
	var all []place
	switch tree := tree.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(tree)) {
			at := strings.TrimPrefix(path+"."+key, ".")
			all = append(all, place{at, func(v any) { tree[key] = v }})
			all = append(all, places(at, tree[key])...)
		}
	case []any:
		for i := range tree {
			at := fmt.Sprintf("%s[%d]", path, i)
			all = append(all, place{at, func(v any) { tree[i] = v }})
			all = append(all, places(at, tree[i])...)
		}
	}
	return all
}

// raw is text that stands in YAML as it is.
type raw string

func (r raw) MarshalYAML() (any, error) {
	var node yaml.Node
	if err := yaml.Unmarshal([]byte(r), &node); err != nil || len(node.Content) == 0 {
		return string(r), nil
	}
	return node.Content[0], nil
}

// mutate returns a hostile variant of a configuration, and what was done to it.
func mutate(t *testing.T, r *rand.Rand, text string) (variant, what string) {
	t.Helper()
	if r.IntN(10) == 0 {
		return mutateText(r, text)
	}
	var tree any
	if err := yaml.Unmarshal([]byte(text), &tree); err != nil {
		t.Fatal(err)
	}
	all := slices.DeleteFunc(places("", tree), func(p place) bool {
		return strings.HasPrefix(p.path, "training") || strings.HasPrefix(p.path, "evaluation")
	})
	p := all[r.IntN(len(all))]
	switch r.IntN(6) {
	case 0:
		p.set(map[string]any{"term": "is_alive", "weight": 1, "surprise": r.IntN(10)})
		what = "a term"
	case 1:
		expr := hostileExpressions[r.IntN(len(hostileExpressions))]
		p.set(map[string]any{"name": "hostile", "expr": expr, "weight": 1})
		what = "expr " + brief(expr)
	default:
		value := hostileValues[r.IntN(len(hostileValues))]
		p.set(raw(value))
		what = brief(value)
	}
	var out bytes.Buffer
	if err := yaml.NewEncoder(&out).Encode(tree); err != nil {
		t.Fatal(err)
	}
	return out.String(), p.path + " = " + what
}

// mutateText damages the text itself.
func mutateText(r *rand.Rand, text string) (variant, what string) {
	at := r.IntN(len(text))
	insert := []string{"\x00", "\xff\xfe", "\t", "---\n", "&a [*a]", "}", "]", "'", "\"", ": :", "<<: {a: 1}\n", "\r", "\u202e", "# \n  "}[r.IntN(14)]
	if r.IntN(3) == 0 {
		return text[:at] + "\n  " + insert, fmt.Sprintf("cut at %d, then %q", at, insert)
	}
	return text[:at] + insert + text[at:], fmt.Sprintf("%q at %d", insert, at)
}

func brief(text string) string {
	if len(text) > 60 {
		return text[:60] + "…"
	}
	return text
}

// keyed matches an error that says where it is: a key of the file, a line, or a file.
var keyed = regexp.MustCompile(`(^|[ :])(task|seed|worlds|workers|block_size|max_steps|autoreset|scene|start|episode|runners|bindings|changes|time|sensors?|actions|observations|rewards|` +
	`scale_rewards_by_dt|terminations|commands|events|curriculum|recording|training|evaluation|model)([ .:\[]|$)|line \d+|\.yaml|\.xml`)

// opened parses a configuration and takes a few steps in one world.
func opened(path, text string) error {
	c, err := configs.Parse(path, []byte(text), []string{"worlds=1", "recording.enabled=false", "block_size=0"}, nil)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), hangTime)
	defer cancel()
	e, err := env.Open(c, env.OpenOptions{Context: ctx, Workers: 1})
	if err != nil {
		return err
	}
	for range 2 {
		e.SampleActions()
		err = errors.Join(err, e.Step())
	}
	return errors.Join(err, e.Close())
}

// hangTime is far more than any configuration of the test takes.
const hangTime = 2 * time.Minute

// A malformed configuration ends in one line that says where the mistake is, and neither
// in a crash nor in a hang. POLYTEST_SLOW tries ten times as many.
func TestHostileConfigurations(t *testing.T) {
	base := string(mustRead(t, started(t)))
	dir := filepath.Dir(started(t))
	want := 500
	if os.Getenv("POLYTEST_SLOW") != "" {
		want = 5000
	}
	r := rand.New(rand.NewPCG(11, 500))
	refused, tried := 0, 0
	var sample []string
	for ; refused < want && tried < 10*want; tried++ {
		text, what := mutate(t, r, base)
		err := opened(filepath.Join(dir, "hostile.yaml"), text)
		if err == nil {
			continue
		}
		refused++
		if refused%100 == 0 {
			sample = append(sample, text)
		}
		if line := oneLine(err); strings.ContainsAny(err.Error(), "\n\r") || len(line) > 2*longestLine || !keyed.MatchString(line) {
			t.Errorf("%s: %q, want one line that names a key, a line or a file", what, line)
		}
		if errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: not done after %v", what, hangTime)
		}
	}
	if refused < want {
		t.Errorf("%d of %d variants were refused, want %d", refused, tried, want)
	}
	for i, text := range sample {
		path := filepath.Join(dir, fmt.Sprintf("sample%d.yaml", i))
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		refusedByProcess(t, path)
	}
}

func mustRead(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// refusedByProcess runs train check on a configuration as a process with 4 GiB of address
// space, and wants exit code 2 and one line.
func refusedByProcess(t *testing.T, path string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), hangTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-c", `ulimit -v 4194304; exec "$0" "$@"`, self, "check", "--config", path)
	cmd.Env = append(os.Environ(), asTrain+"=1")
	var errs bytes.Buffer
	cmd.Stderr = &errs
	err = cmd.Run()
	if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) || exit.ExitCode() != Usage || strings.Count(errs.String(), "\n") != 1 {
		t.Errorf("%s: %v, %q, want exit code %d and one line", path, err, brief(errs.String()), Usage)
	}
}

// writeHostileModels writes model files that cannot be compiled.
func writeHostileModels(t *testing.T, dir string) {
	t.Helper()
	for name, xml := range map[string]string{
		"cycle.xml":   `<mujoco><include file="cycle.xml"/></mujoco>`,
		"outside.xml": `<mujoco><include file="../../etc/passwd"/></mujoco>`,
		"mesh.xml":    `<mujoco><asset><mesh name="m" file="none.stl"/></asset><worldbody><body><joint/><geom type="mesh" mesh="m"/></body></worldbody></mujoco>`,
		"text.xml":    "not a model",
		"empty.xml":   "",
		"deep.xml":    "<mujoco><worldbody>" + strings.Repeat("<body>", 100_000),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(xml), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// Mistakes that people make, or that somebody makes on purpose: each names its place.
func TestHostileByHand(t *testing.T) {
	config := started(t)
	dir := filepath.Dir(config)
	writeHostileModels(t, dir)
	model := func(file string) string { return "scene.models=[{file: " + filepath.Join(dir, file) + "}]" }
	for _, c := range []struct{ set, want string }{
		{model("none.xml"), "scene.models[0].file: "},
		{model("cycle.xml"), "cycle.xml"},
		{model("outside.xml"), "outside.xml"},
		{model("mesh.xml"), "none.stl"},
		{model("text.xml"), "text.xml"},
		{model("empty.xml"), "empty.xml"},
		{model("deep.xml"), "deep.xml"},
		{"scene.models=[]", "scene.models"},
		{"scene.models=" + "[" + strings.Repeat("{file: a.xml}, ", 100) + "]", "scene.models"},
		{"scene.memory_mb=-1", "scene.memory_mb is -1, want "},
		{"scene.floor=maybe", "scene.floor"},
		{"scene.physics.integrator=eule", "scene.physics.integrator"},
		{`scene.actuators=[{joints: ["knee"], kp: 10}]`, `scene.actuators[0].joints[0]`},
		{`scene.actuators=[{joints: ["(("], kp: 10}]`, `scene.actuators[0].joints[0]`},
		{`scene.actuators=[{joints: [".*"], kp: .nan, replace: true}]`, "scene.actuators[0].kp"},
		{`scene.actuators=[{joints: [".*"], kp: -5, replace: true}]`, "scene.actuators[0].kp is -5, want "},
		{"start.keyframe=hom", "start.keyframe"},
		{"start.height=.inf", "start.height"},
		{`start.joints={".*_ankle": 1}`, "start.joints"},
		{"episode=-1s", "episode"},
		{"episode=forever", "episode"},
		{"actions=[]", "actions has no entries, want at least one"},
		{"actions=[{term: joint_positions}]", "actions[0].term: no action \"joint_positions\"; did you mean joint_position?"},
		{"actions.joint_position.scale=.nan", "actions.joint_position.scale"},
		{"actions.joint_position.delay=100000", "actions[0].delay is 100000, want "},
		{"observations.policy=[]", "observations.policy has no entries"},
		{"observations.policy.joint_vel_rel.history=1000000000", "history"},
		{`observations.policy=[{term: sensor, channel: giro}]`, "observations.policy[0].channel"},
		{`observations.policy=[{name: a, expr: "base_hight"}]`, "base_height"},
		{`observations.policy=[{name: a, expr: "` + strings.Repeat("(", 500) + `"}]`, "observations.policy[0].expr"},
		{`rewards=[{name: a, expr: "base_lin_vel", weight: 1}]`, "rewards[0].expr"},
		{`rewards=[{name: a, expr: "base_height + time", weight: 1}]`, "rewards[0].expr"},
		{"rewards=[{term: is_alive}]", "rewards[0].weight: not given, want a number"},
		{"rewards=[{term: is_alive, weight: 1}, {term: is_alive, weight: 2}]", "is given twice"},
		{"rewards.track_lin_vel_xy_exp.std=0", "std is 0, want "},
		{"rewards.track_lin_vel_xy_exp.comand=velocity", "did you mean"},
		{"rewards.feet_slip.feet=[knee]", `.feet[0]: no body, geom or site matches "knee"`},
		{`terminations=[{name: a, expr: "base_height"}]`, "terminations[0].expr"},
		{"terminations=[{term: bad_orientation, limit: 10}]", "terminations[0].limit is 10, want "},
		{"commands=[]", "command"},
		{"commands.velocity.lin_vel_x=[1, -1]", "lin_vel_x is [1, -1], want "},
		{"commands.velocity.resampling=[0s, 0s]", "resampling[0]"},
		{"events=[{term: body_mass, mode: startup, bodies: [none], ranges: [1, 2]}]", "events[0].bodies[0]"},
		{"events=[{term: push_by_setting_velocity, mode: interval}]", "events[0].interval[0]"},
		{"events=[{term: geom_friction, mode: startup, geoms: [\".*\"], ranges: [.nan, 1]}]", "events[0].ranges"},
		{"curriculum=[{term: commands_vel, command: walk, stages: [{step: 0}]}]", "curriculum[0].command"},
		{"curriculum=[{term: reward_weight, reward: none, stages: [{step: 0, weight: 1}]}]", "curriculum[0].reward"},
		{"bindings.physics.substeps=1000000", "substeps"},
		{"worlds=1000000000000", "worlds is "},
	} {
		code, _, errs := train(t, "check", "--config", config, "--set", c.set)
		if code != Usage || !strings.Contains(errs, c.want) || strings.Count(errs, "\n") != 1 {
			t.Errorf("--set %s: exit %d: %s\nwant exit %d, one line and %q", brief(c.set), code, brief(errs)+errs[max(0, len(errs)-100):], Usage, c.want)
		}
	}
}
