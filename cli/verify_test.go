package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/training"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

// A training is identical to what its folder or a file of results reports, from the report and the configuration alone;
// one with another setting is not, and it is said from where on.
func TestVerify(t *testing.T) {
	dir, temporary := t.TempDir(), t.TempDir()
	t.Setenv("TMPDIR", temporary)
	run := filepath.Join(dir, "run")
	settings := []string{"--set", "training.steps=8192", "--set", "evaluation={episodes: 2, every: 4096}",
		"--set", "recording.enabled=false"}
	mustTrain(t, append([]string{"run", "--task", "InvertedPendulum-v5", "--seed", "3", "--out", run}, settings...)...)
	report := polytest.Must(rundir.ReadReport(run))(t)

	alone := filepath.Join(dir, "alone")
	polytest.NoError(t, os.Mkdir(alone, 0o777))
	for _, name := range []string{rundir.ReportFile, rundir.ConfigFile} {
		polytest.NoError(t, os.WriteFile(filepath.Join(alone, name),
			polytest.Must(os.ReadFile(filepath.Join(run, name)))(t), 0o666))
	}
	text := mustTrain(t, "verify", alone, "--workers", "1")
	if !strings.HasPrefix(text, "identical, 8192 environment steps") {
		t.Errorf("verify: %s", text)
	}

	config := string(polytest.Must(os.ReadFile(filepath.Join(alone, rundir.ConfigFile)))(t))
	results := filepath.Join(dir, "results.json")
	write := func(r rundir.Report, set ...string) {
		all := map[string]training.Result{"pendulum": {Configuration: "alone/config.yaml", Set: set,
			Runs: []rundir.Report{r}}}
		polytest.NoError(t, os.WriteFile(results, polytest.Must(json.Marshal(all))(t), 0o666))
	}
	verify := func(more ...string) []string {
		return append([]string{"verify", results, "--result", "pendulum", "--seed", "3"}, more...)
	}
	write(*report)
	if text := mustTrain(t, verify("--kernel", report.BLASKernel)...); !strings.HasPrefix(text, "identical") {
		t.Errorf("verify of a result: %s", text)
	}

	write(*report, "training.learning_rate=0.01")
	refused := func(want string, args ...string) {
		t.Helper()
		if code, _, stderr := train(t, args...); code == 0 || !strings.Contains(stderr, want) {
			t.Errorf("%v: exit code %d, %s; want %q", args, code, stderr, want)
		}
	}
	refused("metrics.csv differs first in iterations 1 to", verify()...)
	other := *report
	digests := *report.Digests
	digests.Checkpoint = strings.Repeat("0", 64)
	other.Digests = &digests
	write(other)
	refused("the digest of the final checkpoint is "+report.Digests.Checkpoint, verify()...)
	if digests.Checkpoint, digests.Evaluations = report.Digests.Checkpoint, "00000000"; report.Digests.Evaluations == "" {
		t.Error("no digest of the evaluations")
	}
	write(other)
	refused("evaluations.csv differs: its checksum is "+report.Digests.Evaluations, verify()...)
	other = *report
	other.BLASKernel = "Prescott9"
	write(other)
	refused("set OPENBLAS_CORETYPE=Prescott9", verify()...)
	other = *report
	other.Digests = nil
	write(other)
	refused("has no digests", verify()...)
	write(*report)
	refused(`no result "walker", want one of ["pendulum"]`, "verify", results, "--result", "walker", "--seed", "3")
	refused("no run of pendulum with the seed 4", "verify", results, "--result", "pendulum", "--seed", "4")
	refused("want --result with --seed", "verify", run, "--seed", "3")
	refused("run.json", "verify", dir)
	polytest.NoError(t, os.WriteFile(filepath.Join(alone, rundir.ConfigFile),
		[]byte(strings.Replace(config, "seed: 3", "seed: 4", 1)), 0o666))
	refused("the seed of the configuration is 4, that of the report 3", "verify", alone)

	again := filepath.Join(dir, "again")
	mustTrain(t, "run", "--resume", run, "--out", again, "--set", "training.steps=16384")
	refused("has no digests", "verify", again)
	if left := polytest.Must(os.ReadDir(temporary))(t); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
}

// The results that the documentation has verified are in the file that it names, with all that this needs.
func TestDocumentedResultsAreThere(t *testing.T) {
	page := string(polytest.Must(os.ReadFile("../docs/evidence/results.md"))(t))
	command := regexp.MustCompile(`OPENBLAS_CORETYPE=(\w+) build/bin/train verify (\S+) --result (\S+) --seed (\d+)\n`)
	found := command.FindAllStringSubmatch(page, -1)
	if len(found) == 0 {
		t.Fatal("the page has no such command")
	}
	for _, match := range found {
		seed := polytest.Must(strconv.ParseUint(match[4], 10, 64))(t)
		config, report, err := readReported(filepath.Join("..", match[2]), match[3], seed, "")
		if err != nil {
			t.Fatalf("%s: %v", match[0], err)
		}
		if report.BLASKernel != match[1] || config.Seed != seed || report.Digests == nil ||
			len(report.Digests.Metrics) != 10 {
			t.Errorf("%s: a run with %s and the digests %+v", match[0], report.BLASKernel, report.Digests)
		}
	}
}
