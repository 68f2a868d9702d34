package cli

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/internal/memory"
	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

// hostileValues take the place of values of a configuration.
var hostileValues = []string{
	".nan", ".inf", "-.inf", "-1", "0", "1e308", "-1e308", "9223372036854775808", "1e-320", "1000000000000",
	"null", "true", `""`, `" "`, `"\u0000"`, `"../../../../etc/passwd"`, `"."`, "[]", "{}", "[[[[[]]]]]",
	"{a: {b: {c: 1}}}",
	"[1, 2, 3]", "[3, 1]", "[.nan, 1]", "[0, 1e300]", `["(((("]`, `[".*)|(.*"]`, `["no_such_thing"]`, "no_such_thing",
	"10", "-5s", "1000000h", "5s",
	"2026-11-22", "0x7fffffffffffffff", "!!binary aGVsbG8=", "*missing", "!!python/object:os.system x",
	`"` + strings.Repeat("x", 5000) + `"`, "[" + strings.Repeat("1, ", 3000) + "1]", strings.Repeat("[", 200) +
		strings.Repeat("]", 200),
}

// hostileExpressions take the place of expressions, or of terms.
var hostileExpressions = []string{
	"", "(", "1 +", "1 / 0", "base_height", "base_lin_vel", "base_height <", "no_such_quantity", "base_lin_vel[3]",
	"base_lin_vel[-1]",
	"base_lin_vel[base_height]", "joint_pos + base_lin_vel", "base_height + time", "sum(1)", "norm()", "dot(base_lin_vel)",
	"where(1, 2, 3)",
	"not base_height", "true and 1", "command.none[0]", "sensor.none", "body.none.position", "command.velocity[9]",
	"let x = 1; x", "[1, 2] | map(# + 1)",
	`"text"`, "1..1000000000", "now()", "os.exit(1)", "base_height.x.y", "{}", "[]", "nil", "a ? b : c", "sqrt(\"2\")",
	"max()", "1e999",
	strings.Repeat("(", 3000) + "1" + strings.Repeat(")", 3000), strings.Repeat("1 + ", 3000) + "1",
	strings.Repeat("-", 4000) + "1",
	strings.Repeat("sum(", 100) + "joint_pos" + strings.Repeat(")", 100), strings.Repeat("x", 100_000),
}

// values matches a key of a configuration, and its value on the same line.
var values = regexp.MustCompile(`(\w+): +([^\s{}\[\],#][^{}\[\],#\n]*|\[[^\[\]{}\n]*\]|\{[^{}\n]*\})`)

// mutate returns a hostile variant of a configuration, and what was done to it.
func mutate(r *rand.Rand, text string) (variant, what string) {
	if r.IntN(10) == 0 {
		return mutateText(r, text)
	}
	task, _, _ := strings.Cut(text, "\ntraining:")
	all := values.FindAllStringSubmatchIndex(task, -1)
	m := all[r.IntN(len(all))]
	value := hostileValues[r.IntN(len(hostileValues))]
	switch r.IntN(6) {
	case 0:
		value = "{term: is_alive, weight: 1, surprise: 7}"
	case 1:
		expr := hostileExpressions[r.IntN(len(hostileExpressions))]
		value = fmt.Sprintf("{name: hostile, expr: %q, weight: 1}", expr)
	}
	return text[:m[4]] + value + text[m[5]:], text[m[2]:m[3]] + " = " + brief(value)
}

// mutateText damages the text itself.
func mutateText(r *rand.Rand, text string) (variant, what string) {
	place := r.IntN(len(text))
	insert := []string{"\x00", "\xff\xfe", "\t", "---\n", "&a [*a]", "}", "]", "'", "\"", ": :", "<<: {a: 1}\n", "\r",
		"\u202e", "# \n  "}[r.IntN(14)]
	if r.IntN(3) == 0 {
		return text[:place] + "\n  " + insert, fmt.Sprintf("cut at %d, then %q", place, insert)
	}
	return text[:place] + insert + text[place:], fmt.Sprintf("%q at %d", insert, place)
}

func brief(text string) string {
	if len(text) > 60 {
		return text[:60] + "…"
	}
	return text
}

// keyed matches an error that says where it is: a key of the file, a line, or a file.
var keyed = regexp.MustCompile(`(^|[ :])(task|seed|worlds|workers|block_size|max_steps|autoreset|scene|start|` +
	`episode|runners|bindings|changes|time|sensors?|actions|observations|rewards|` +
	`scale_rewards_by_dt|terminations|commands|events|curriculum|recording|training|evaluation|model)([ .:\[]|$)|` +
	`line \d+|\.yaml|\.xml`)

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

// A malformed configuration ends in one line that says where the mistake is, and neither in a crash nor in a hang.
func TestHostileConfigurationsLong(t *testing.T) {
	config := started(t)
	base, dir := string(polytest.Must(os.ReadFile(config))(t)), filepath.Dir(config)
	want, _ := polytest.Cases(t, 100, 150, 800)
	r := rand.New(rand.NewPCG(11, 500))
	refused, tried := 0, 0
	var sample []string
	for ; refused < want && tried < 10*want; tried++ {
		text, what := mutate(r, base)
		err := opened(filepath.Join(dir, "hostile.yaml"), text)
		if err == nil {
			continue
		}
		refused++
		if refused%100 == 0 {
			sample = append(sample, text)
		}
		if line := oneLine(err); strings.ContainsAny(err.Error(), "\n\r") || len(line) > 2*longestLine ||
			!keyed.MatchString(line) {
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
		polytest.NoError(t, os.WriteFile(path, []byte(text), 0o666))
		refusedByProcess(t, path)
	}
}

// refusedByProcess runs train check on a configuration as a process with 4 GiB of address
// space, and wants exit code 2 and one line.
func refusedByProcess(t *testing.T, path string) {
	t.Helper()
	cmd, errs := startUnder(t, "ulimit -v 4194304", "check", "--config", path)
	cmd.Wait()
	if cmd.ProcessState.ExitCode() != Usage || strings.Count(errs.String(), "\n") != 1 {
		t.Errorf("%s: %v, %q, want exit code %d and one line", path, cmd.ProcessState, brief(errs.String()), Usage)
	}
}

// writeHostileModels writes model files that cannot be compiled.
func writeHostileModels(t *testing.T, dir string) {
	t.Helper()
	for name, xml := range map[string]string{
		"cycle.xml":   `<mujoco><include file="cycle.xml"/></mujoco>`,
		"outside.xml": `<mujoco><include file="../../etc/passwd"/></mujoco>`,
		"mesh.xml": `<mujoco><asset><mesh name="m" file="none.stl"/></asset>` +
			`<worldbody><body><joint/><geom type="mesh" mesh="m"/></body>` +
			`</worldbody></mujoco>`,
		"text.xml":  "not a model",
		"empty.xml": "",
		"deep.xml":  "<mujoco><worldbody>" + strings.Repeat("<body>", 100_000),
	} {
		polytest.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(xml), 0o666))
	}
}

// A run that fits into a limit of address space does not end for what the threads of C's malloc would reserve of it.
func TestThreadsInALimitOfAddressSpace(t *testing.T) {
	polytest.OwnMemory(t)
	self := polytest.Must(os.Executable())(t)
	cmd := exec.Command("sh", "-c", `ulimit -v 2150000 && exec "$@"`, "sh", self, "rollout", "--task", "quadruped",
		"--policy", "zero", "--workers", "4", "--seconds", "0.1", "--out", filepath.Join(t.TempDir(), "data"))
	cmd.Env = append(os.Environ(), asTrain+"=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %.2000s", err, out)
	}
}

// More worlds than a control group has memory for are refused in one line, before the kernel would kill the process.
func TestManyWorldsInAControlGroup(t *testing.T) {
	self := polytest.Must(os.Executable())(t)
	cmd := polytest.InControlGroup(t, 400<<20, self, "rollout", "--task", "HalfCheetah-v5", "--policy", "zero",
		"--episodes", "1", "--set", "worlds=65536", "--out", filepath.Join(t.TempDir(), "data"))
	cmd.Env = append(os.Environ(), asTrain+"=1")
	out, _ := cmd.CombinedOutput()
	if code := cmd.ProcessState.ExitCode(); code < 1 || strings.Count(string(out), "\n") != 1 ||
		!strings.Contains(string(out), "65536 worlds of HalfCheetah-v5 need ") ||
		!strings.Contains(string(out), " of the memory of its control group; ") {
		t.Errorf("exit %v: %s\nwant one line of what is needed and what there is", cmd.ProcessState, out)
	}
}

// showsPeak is a variable of the environment: with the value 1 the test program is train, and prints peak at its end.
const showsPeak = "POLYTEST_SHOWS_PEAK"

// peak is the line of /proc that has the most memory that the process has had in use, in kB; "" if there is none.
func peak() string {
	status, _ := os.ReadFile("/proc/self/status")
	return regexp.MustCompile(`VmHWM:\s+\d+ kB`).FindString(string(status))
}

// The memory that is checked before anything is allocated covers what a run takes, and is at most twice of it.
func TestEstimateOfMemoryLong(t *testing.T) {
	takesLong(t)
	long := polytest.Slow(t)
	if peak() == "" {
		t.Skip("/proc does not tell the memory of a process")
	}
	polytest.OwnMemory(t)
	self := polytest.Must(os.Executable())(t)
	train := func(variable string, args []string) string {
		cmd := exec.Command(self, append(args, "--out", filepath.Join(t.TempDir(), "out"))...)
		cmd.Env = append(os.Environ(), showsPeak+"=1", variable)
		out, _ := cmd.CombinedOutput()
		return string(out)
	}
	number := func(out, pattern string) int64 {
		found := regexp.MustCompile(pattern).FindStringSubmatch(out)
		if found == nil {
			t.Fatalf("%s\nwant %s", out, pattern)
		}
		return polytest.Must(strconv.ParseInt(found[1], 10, 64))(t)
	}
	const inUse = `VmHWM:\s+(\d+) kB`
	learn := []string{"run", "--task", "quadruped", "--set", "worlds=800", "--set", "training.segment=8",
		"--set", "training.steps=12800", "--set", "training.epochs=1", "--set", "evaluation.episodes=1",
		"--set", "max_steps=10"}
	for name, args := range map[string][]string{
		"training":               append(slices.Clip(learn), "--set", "recording.enabled=false"),
		"training and recording": learn,
		"rollout": {"rollout", "--task", "quadruped", "--policy", "zero", "--seconds", "0.5",
			"--set", "worlds=1500"},
	} {
		if name != "training and recording" && !long {
			continue
		}
		t.Run(name, func(t *testing.T) {
			// A limit of Go's memory has it refused, with its need, when all that comes before the worlds is there.
			refused := train("GOMEMLIMIT=12MiB", args)
			need := memory.Need{Go: number(refused, `worlds of quadruped need (\d+) MiB`) << 20}
			estimate := number(refused, inUse) + need.Peak()>>10
			taken := number(train("GOMEMLIMIT=off", args), inUse)
			t.Logf("%d kB were estimated, %d taken", estimate, taken)
			if taken > estimate || estimate > 2*taken {
				t.Errorf("%d kB were estimated and %d taken, want at least that and at most twice", estimate, taken)
			}
		})
	}
}

// A model that crashes MuJoCo's reader is refused in one line by whatever opens it.
func TestModelThatCrashesItsReader(t *testing.T) {
	config := started(t)
	dir := filepath.Dir(config)
	model := filepath.Join(dir, "crash.xml")
	polytest.NoError(t, os.WriteFile(filepath.Join(dir, "a.obj"), []byte("v 0 0 0\nv 0 0 \nf 1 2 -2147483649/"), 0o666))
	polytest.NoError(t, os.WriteFile(model, []byte(`<mujoco><worldbody><body name="b"><geom size="1"/>
		<flexcomp name="f" type="mesh" file="a.obj" dim="2"/></body></worldbody></mujoco>`), 0o666))
	scene := "scene.models=[{file: " + model + "}]"
	out := filepath.Join(dir, "out")
	for _, args := range [][]string{
		{"new", model, "--out", filepath.Join(dir, "new.yaml")},
		{"check", "--config", config, "--set", scene},
		{"run", "--config", config, "--set", scene, "--out", out},
		{"rollout", "--config", config, "--set", scene, "--policy", "zero", "--episodes", "1", "--out", out},
	} {
		code, _, errs := train(t, args...)
		if code == 0 || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, "crash.xml: MuJoCo crashed") ||
			!strings.Contains(errs, "segmentation fault") {
			t.Errorf("%s: exit %d: %s\nwant one line with the file and the crash", args[0], code, errs)
		}
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("a folder is left")
	}
}

// Mistakes that people make, or that somebody makes on purpose: each names its place.
func TestHostileByHand(t *testing.T) {
	takesLong(t)
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
		{"actions=[{term: joint_positions}]", "actions[0].term: no action \"joint_positions\"; did you mean joint_position?"},
		{"actions.joint_position.scale=.nan", "actions.joint_position.scale"},
		{"actions.joint_position.delay=100000", "actions[0].delay is 100000, want "},
		{"observations.policy.joint_vel_rel.history=1000000000", "history"},
		{`observations.policy=[{term: sensor, channel: giro}]`, "observations.policy[0].channel"},
		{`observations.policy=[{name: a, expr: "base_hight"}]`, "base_height"},
		{`observations.policy=[{name: a, expr: "` + strings.Repeat("(", 500) + `"}]`, "observations.policy[0].expr"},
		{`rewards=[{name: a, expr: "base_lin_vel", weight: 1}]`, "rewards[0].expr"},
		{`terminations=[{name: a, expr: "base_height"}]`, "terminations[0].expr"},
		{"terminations=[{term: bad_orientation, limit: 10}]", "terminations[0].limit is 10, want "},
		{"commands=[]", "command"},
		{"commands.velocity.lin_vel_x=[1, -1]", "lin_vel_x is [1, -1], want "},
		{"commands.velocity.resampling=[0s, 0s]", "resampling[0]"},
		{"events=[{term: geom_friction, mode: startup, geoms: [\".*\"], ranges: [.nan, 1]}]", "events[0].ranges"},
		{"curriculum=[{term: commands_vel, command: walk, stages: [{step: 0}]}]", "curriculum[0].command"},
		{"curriculum=[{term: reward_weight, reward: none, stages: [{step: 0, weight: 1}]}]", "curriculum[0].reward"},
	} {
		code, _, errs := train(t, "check", "--config", config, "--set", c.set)
		if code != Usage || !strings.Contains(errs, c.want) || strings.Count(errs, "\n") != 1 {
			t.Errorf("--set %s: exit %d: %s\nwant exit %d, one line and %q", brief(c.set), code,
				brief(errs)+errs[max(0, len(errs)-100):], Usage, c.want)
		}
	}
}
