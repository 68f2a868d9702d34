package cli

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

// roomHint is what a full disk is told with.
const roomHint = "; make room there, then resume it or do the same again\n"

// program returns a command tree whose subcommands return the error that they are named after.
func program() *cobra.Command {
	root := &cobra.Command{Use: "program", Args: cobra.NoArgs, RunE: func(*cobra.Command, []string) error { return nil }}
	for name, err := range map[string]error{
		"fine":   nil,
		"fail":   errors.Join(errors.New("first"), errors.New("second"), errors.New("first")),
		"full":   errors.Join(errors.New("write a: no space left"), errors.New("write b: close c: no space left")),
		"misuse": usagef("want %d", 3),
		"cancel": context.Canceled,
	} {
		cmd := &cobra.Command{Use: name, Args: cobra.NoArgs, RunE: func(*cobra.Command, []string) error { return err }}
		cmd.Flags().Int("n", 0, "")
		root.AddCommand(cmd)
	}
	return root
}

func TestRun(t *testing.T) {
	defer func(args []string) { os.Args = args }(os.Args)
	os.Args = []string{"test", "not", "ours"} // no command may read them
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		ctx    context.Context
		args   []string
		code   int
		stderr string
	}{
		{t.Context(), nil, Done, ""},
		{t.Context(), []string{"fine"}, Done, ""},
		{t.Context(), []string{"fail"}, Failed, "program: first; second\n"},
		{t.Context(), []string{"full"}, Failed, "program: write a: no space left\n"},
		{t.Context(), []string{"misuse"}, Usage, "program: want 3\n"},
		{t.Context(), []string{"--version"}, Done, ""},
		{t.Context(), []string{"fien"}, Usage, "program: unknown command \"fien\" for \"program\"; did you mean fine? " +
			"(see program --help)\n"},
		{t.Context(), []string{"walk"}, Usage, "program: unknown command \"walk\" for \"program\" (see program --help)\n"},
		{t.Context(), []string{"completion", "nope"}, Usage,
			"program: unknown command \"nope\" for \"program completion\" (see program completion --help)\n"},
		{t.Context(), []string{"completion"}, Done, ""},
		{t.Context(), []string{"fine", "--cpuprofil", "x"}, Usage,
			"program: unknown flag: --cpuprofil; did you mean --cpuprofile? (see program fine --help)\n"},
		{t.Context(), []string{"fine", "-x"}, Usage,
			"program: unknown shorthand flag: 'x' in -x (see program fine --help)\n"},
		{t.Context(), []string{"fine", "--walk"}, Usage, "program: unknown flag: --walk (see program fine --help)\n"},
		{t.Context(), []string{"fine", "--n", "x"}, Usage, "program: --n is \"x\", want a whole number (see program " +
			"fine --help)\n"},
		{t.Context(), []string{"fine", "--n", "1e99"}, Usage,
			"program: --n is \"1e99\", want a whole number (see program fine --help)\n"},
		{t.Context(), []string{"fine", "--n", "010"}, Usage, "program: --n is 010, want a whole number without a leading " +
			"0, which would make it octal (see program fine --help)\n"},
		{t.Context(), []string{"fine", "--n=0"}, Done, ""},
		{t.Context(), []string{"fine", "--n"}, Usage, "program: flag needs an argument: --n (see program fine --help)\n"},
		{t.Context(), []string{"help", "walk"}, Usage,
			"program: unknown command \"walk\" for \"program\" (see program help --help)\n"},
		{t.Context(), []string{"help", "fine"}, Done, ""},
		{t.Context(), []string{"fine", "--cpuprofile", "/nowhere/at/all"}, Usage,
			"program: --cpuprofile: /nowhere/at/all is in a folder that does not exist, want one that does\n"},
		{t.Context(), []string{"fine", "--cpuprofile", "/dev/full"}, Failed,
			"program: --cpuprofile: write /dev/full: no space left on device" + roomHint},
		{cancelled, []string{"cancel"}, Interrupted, "program: interrupted\n"},
		{cancelled, []string{"fine"}, Done, ""},
		{cancelled, []string{"fail"}, Failed, "program: first; second\n"},
		{t.Context(), []string{"cancel"}, Failed, "program: context canceled\n"},
	} {
		var stdout, stderr bytes.Buffer
		code := execute(c.ctx, program(), c.args, &stdout, &stderr)
		if code != c.code || stderr.String() != c.stderr {
			t.Errorf("%q: got exit %d and %q, want %d and %q", c.args, code, stderr.String(), c.code, c.stderr)
		}
	}
}

// A slip leads to the command or flag that was meant, never to a removal.
func TestSlips(t *testing.T) {
	for slip, want := range map[string]string{
		"rnu": "run", "urn": "run", "evla": "eval", "chekc": "check", "insp": "inspect", "Replay": "replay",
		"run --sedd 1": "--seed", "run --task x --ouput y": "--out", "inspect x --fromat json": "--format", "clone x --wrokers 1": "--workers",
		"run --task x --worlds 8": "--set worlds=VALUE", "run --learning-rate 1": "--set training.learning_rate=VALUE",
		"run --num-envs 8": "--set worlds=VALUE", "rm --dryrun x": "--dry-run",
	} {
		code, _, errs := train(t, words(slip)...)
		if code != Usage || !strings.Contains(errs, "; did you mean "+want+"?") {
			t.Errorf("train %s: exit %d, %q; want exit %d and the question whether it is %s", slip, code, errs, Usage, want)
		}
	}
	for _, slip := range []string{"rn", "mr", "rmm", "r", "m", "rem", "remove", "rms", "delete", "del", "rum"} {
		code, _, errs := train(t, slip)
		if code != Usage || strings.Contains(errs, "did you mean rm?") {
			t.Errorf("train %s: exit %d, %q; want exit %d and not rm", slip, code, errs, Usage)
		}
	}
}

// A command leaves a profile, but none, of nothing, where it fails for its usage.
func TestProfile(t *testing.T) {
	for command, want := range map[string]int{"fine": Done, "misuse": Usage} {
		path := filepath.Join(t.TempDir(), "cpu.prof")
		var out bytes.Buffer
		code := execute(t.Context(), program(), []string{command, "--cpuprofile", path}, &out, &out)
		if info, err := os.Lstat(path); code != want || (err == nil) != (want == Done) || err == nil && info.Size() == 0 {
			t.Errorf("%s: exit %d, %v, %v: %s", command, code, info, err, out.String())
		}
	}
}

// What cannot be printed is an error, also where cobra prints it.
func TestFullOutput(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer full.Close()
	for _, args := range [][]string{{"fine", "--help"}, {"--version"}, {"completion", "bash"}, {"help"}} {
		var stderr bytes.Buffer
		code := execute(t.Context(), program(), args, full, &stderr)
		want := "program: write /dev/full: no space left on device" + roomHint
		if code != Failed || stderr.String() != want {
			t.Errorf("%q: got exit %d and %q, want %d and %q", args, code, stderr.String(), Failed, want)
		}
	}
}

func TestConfigFlags(t *testing.T) {
	file := filepath.Join(t.TempDir(), "run.yaml")
	polytest.NoError(t, os.WriteFile(file, []byte("task: {name: quadruped}\nworlds: 3"), 0o644))
	t.Setenv("POLYRHYTHM_WORLDS", "4")
	for _, c := range []struct {
		args         []string
		worlds, code int
	}{
		{[]string{"--config", file}, 4, Done},
		{[]string{"--config", file, "--set", "worlds=5"}, 5, Done},
		{[]string{"--task", "HalfCheetah-v5", "--worlds", "6"}, 6, Done},
		{[]string{"--config", file, "--worlds", "6", "--set", "worlds=5"}, 5, Done},
		{[]string{"--config", file, "--worlds", "6", "--set", "seed=5", "--set", "max_steps=3"}, 6, Done},
		{[]string{"--config", file, "--task", "quadruped"}, 0, Usage},
		{[]string{"--config", file, "--worlds", "many"}, 0, Usage},
		{[]string{"--task", "Walker"}, 0, Usage},
		{nil, 0, Usage},
	} {
		var flags configFlags
		var got int
		cmd := &cobra.Command{Use: "program", RunE: func(*cobra.Command, []string) error {
			config, err := flags.Load()
			if err == nil {
				got = config.Worlds
			}
			return err
		}}
		flags.Add(cmd)
		flags.Alias("worlds", "worlds", "number of worlds")
		var out bytes.Buffer
		if code := execute(t.Context(), cmd, c.args, &out, &out); code != c.code || got != c.worlds {
			t.Errorf("%q: got exit %d and %d worlds, want %d and %d; %s", c.args, code, got, c.code, c.worlds, out.String())
		}
	}
}
