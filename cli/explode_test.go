package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

// linesWith returns the lines of stderr that have a text.
func linesWith(stderr, text string) (found []string) {
	for line := range strings.Lines(stderr) {
		if strings.Contains(line, text) {
			found = append(found, strings.TrimSuffix(line, "\n"))
		}
	}
	return found
}

// A reward or an observation that is not a number ends its episode, and every command
// says once which term it was, of which world, at which step.
func TestTermsThatAreNoNumberAreNamed(t *testing.T) {
	takesLong(t)
	own := describedKind(t)
	for _, c := range []struct{ name, set, want string }{
		{"reward", "rewards.calm.expr=log(0.095 - time)", "world 0 at control step 4: the reward of step 5 is NaN: " +
			"reward/calm is NaN"},
		{"observation", "observations.critic=[{name: odd, expr: 'log(0.095 - time)'}]",
			"world 0 at control step 4: observation value 69 (critic/odd) is NaN"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			sets := []string{"--set", c.set, "--set", "curriculum=[]", "--set", "training.stagger_episodes=false", "--set",
				"training.steps=600"}
			want := []string{"warning: a fault ended an episode, the first of " + c.want}
			code, out, errs := train(t, append(continued(own, filepath.Join(dir, "run")), sets...)...)
			if got := linesWith(errs, "fault"); code != Done || len(got) != 1 || got[0] != want[0] {
				t.Errorf("run: exit %d: %s, want once %q", code, errs, want[0])
			}
			if got := linesWith(out, "  fault   first of "+c.want); len(got) != 1 {
				t.Errorf("its evaluation says %s, want %q", out, c.want)
			}
			rollout := append([]string{"rollout", "--episodes", "3", "--out", filepath.Join(dir, "rollout")}, own.args...)
			code, _, errs = train(t, append(rollout, sets[:4]...)...)
			if got := linesWith(errs, "fault"); code != Done || len(got) != 1 || got[0] != want[0] {
				t.Errorf("rollout: exit %d: %s, want once %q", code, errs, want[0])
			}
		})
	}
}

// A training in which every step is a fault ends, with the checkpoint that was good.
func TestTrainingOfNothingButFaultsEnds(t *testing.T) {
	own, run := describedKind(t), filepath.Join(t.TempDir(), "run")
	args := append(continued(own, run), "--set", "curriculum=[{term: reward_weight, reward: calm, stages: [{step: 0, "+
		"weight: 0}, {step: 200, weight: 1}]}]",
		"--set", "rewards.calm.expr=log(-1 - time)", "--set", "training.checkpoint_every=1", "--set", "evaluation.every=0")
	code, _, errs := train(t, args...)
	want := "train: every control step of iteration 5 ended in a fault, the first of world 0 at control step 200: " +
		"the reward of step "
	if code != Failed || !strings.HasPrefix(lastLine(errs), want) ||
		!strings.HasSuffix(lastLine(errs), " is NaN: reward/calm is NaN") {
		t.Fatalf("exit %d: %s, want %q", code, errs, want)
	}
	if target, err := os.Readlink(filepath.Join(run, rundir.LatestFile)); err != nil ||
		target != "checkpoint-000000001200.ckpt" {
		t.Errorf("latest is %s, %v, want the checkpoint of iteration 4", target, err)
	}
	mustTrain(t, "eval", run)
}

// A damaged checkpoint, or one that fits neither task nor settings, is refused by every
// command that reads it, with one line that names the file.
func TestCheckpointsThatDoNotServe(t *testing.T) {
	dir := t.TempDir()
	run := filepath.Join(dir, "run")
	mustTrain(t, append([]string{"run", "--task", "InvertedPendulum-v5", "--out", run, "--set", "recording.enabled=false"},
		small...)...)
	path := filepath.Join(run, rundir.LatestFile)
	good := polytest.Must(os.ReadFile(path))(t)
	flipped := bytes.Clone(good)
	flipped[len(good)/2] ^= 0x10
	for want, data := range map[string][]byte{"damaged: its checksum is": flipped, "cut short": good[:len(good)/2]} {
		bad := filepath.Join(dir, "bad.ckpt")
		polytest.NoError(t, os.WriteFile(bad, data, 0o666))
		for _, args := range [][]string{
			{"eval", bad}, {"run", "--resume", bad, "--out", filepath.Join(dir, "x")},
			{"rollout", "--task", "InvertedPendulum-v5", "--policy", bad, "--episodes", "1", "--out", filepath.Join(dir, "x")},
			{"export-policy", bad, "--to", "onnx", "--out", filepath.Join(dir, "x.onnx")},
		} {
			code, _, errs := train(t, args...)
			if code != Failed || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, bad+": ") ||
				!strings.Contains(errs, want) {
				t.Errorf("%s: exit %d: %s, want one line with %q", args[0], code, errs, want)
			}
			if exists(filepath.Join(dir, "x")) {
				t.Fatalf("%s left a folder", args[0])
			}
		}
	}
	for _, c := range []struct {
		code int
		args string
		want string
	}{
		{Usage, "run --resume " + run + " --out " + filepath.Join(dir, "x") +
			" --set training.hidden=[8] --set training.steps=9000", "training.hidden is [8], want [16] as in the checkpoint"},
		{Usage, "run --resume " + run + " --out " + filepath.Join(dir, "x") +
			" --set training.activation=elu --set training.steps=9000",
			"training.activation is elu, want tanh as in the checkpoint"},
		{Usage, "run --resume " + run + " --out " + filepath.Join(dir, "x") +
			" --set task.name=Hopper-v5 --set training.steps=9000", "the checkpoint"},
		{Usage, "rollout --task Hopper-v5 --policy " + run + " --episodes 1 --out " + filepath.Join(dir, "x"),
			"it has 1 action values, want the 3 of Hopper-v5"},
		{Usage, "rollout --task LunarLander-v3 --policy " + run + " --episodes 1 --out " + filepath.Join(dir, "x"),
			"it has continuous actions, want 4 choices as LunarLander-v3 has"},
	} {
		refuses(t, c.code, c.args, c.want)
		if exists(filepath.Join(dir, "x")) {
			t.Fatalf("%q left a folder", c.args)
		}
	}
	if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, good) {
		t.Errorf("the checkpoint has changed: %v", err)
	}
}
