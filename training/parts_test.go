package training

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/rl"
	"github.com/polyrhythm-rl/polyrhythm/sim"
	"github.com/polyrhythm-rl/polyrhythm/training/internal/logs"
	"github.com/polyrhythm-rl/polyrhythm/training/internal/runs"
	"github.com/polyrhythm-rl/polyrhythm/training/rollouts"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

// small are settings of a short training of a task: ten iterations.
func small(steps int) []string {
	return []string{"worlds=11", "block_size=2", fmt.Sprintf("training.steps=%d", steps), "training.segment=16",
		"training.minibatch=64", "training.epochs=2",
		"training.hidden=[8]", "training.checkpoint_every=1000000", "recording.enabled=false", "recording.clip=false",
		"evaluation.episodes=2", "training.tensorboard=false"}
}

// crew are the collectors of a training in parts.
type crew struct {
	t          *testing.T
	parts      *Parts
	collectors []*Collector // by slice; nil: not open
	datasets   string       // folder; "": no recording
	chance     *rand.Rand   // of losing a collector; nil: never
	lost       int
}

// dataset is the folder of a slice's dataset.
func (c *crew) dataset(i int) string {
	if c.datasets == "" {
		return ""
	}
	return filepath.Join(c.datasets, c.parts.worlds.divided[i].String())
}

// open opens the collector of a slice where the slice stands.
func (c *crew) open(i int, again bool) {
	c.t.Helper()
	opt := CollectorOptions{Workers: 1 + i%2, Dataset: c.dataset(i)}
	snapshot, err := c.parts.Snapshot(i)
	if err != nil {
		c.t.Fatal(err)
	}
	if again || len(snapshot) > 0 {
		opt.Snapshot = snapshot
	}
	a := c.parts.Assignments()[i]
	if c.collectors[i], err = OpenCollector(c.t.Context(), &a, opt); err != nil {
		c.t.Fatal(err)
	}
}

// lose decides by chance whether a collector is lost now, or in the middle of the rollout, and opens another one then.
func (c *crew) lose(i int, weights []byte) bool {
	c.t.Helper()
	if c.chance == nil || c.chance.IntN(6) > 0 {
		return false
	}
	c.lost++
	if c.chance.IntN(2) == 0 {
		if _, err := c.collectors[i].Collect(newCountdown(c.t, c.chance.Int64N(20)), weights); err == nil {
			c.t.Error("a collector did not end in the middle of a rollout")
		}
	}
	noError(c.t, c.collectors[i].Close())
	c.open(i, true)
	return true
}

// rollout collects one rollout and returns false when the training is over.
func (c *crew) rollout(ctx context.Context) bool {
	c.t.Helper()
	weights := must(c.parts.Weights(ctx))(c.t)
	if weights == nil {
		return false
	}
	for i := range c.collectors {
		if c.collectors[i] == nil {
			c.open(i, false)
		}
		c.lose(i, weights)
		for done := false; !done; {
			part := must(c.collectors[i].Collect(ctx, weights))(c.t)
			done = !c.lose(i, weights) // its part has arrived and it is to be collected again
			noError(c.t, c.parts.Add(part))
			clear(part) // Add keeps nothing of it
		}
	}
	return true
}

func (c *crew) close() {
	for _, one := range c.collectors {
		if one != nil {
			if err := one.Close(); err != nil {
				c.t.Error(err)
			}
		}
	}
}

// inParts trains in slices that begin at the given worlds.
func inParts(t *testing.T, config *configs.Config, opt TrainOptions, chance *rand.Rand, datasets string,
	begins ...int) *rundir.Report {
	t.Helper()
	divided := divide(config, begins)
	parts := must(TrainInParts(t.Context(), config, opt, divided))(t)
	c := &crew{t: t, parts: parts, collectors: make([]*Collector, len(divided)), datasets: datasets, chance: chance}
	defer c.close()
	for c.rollout(t.Context()) {
	}
	report := must(parts.Close())(t)
	if chance != nil {
		if c.lost == 0 {
			t.Error("no collector was lost, choose another seed")
		}
		if err := c.collectors[0].Close(); err != nil { // lost after its last part
			t.Error(err)
		}
		c.open(0, true)
	}
	return report
}

func divide(config *configs.Config, begins []int) (all []sim.Slice) {
	begins = append(begins, config.Worlds)
	for i, from := range begins[:len(begins)-1] {
		all = append(all, sim.Slice{From: from, To: begins[i+1]})
	}
	return all
}

// sameFiles fails unless two run folders have the same bytes in the files.
func sameFiles(t *testing.T, a, b string, names ...string) {
	t.Helper()
	for _, name := range names {
		if !bytes.Equal(must(os.ReadFile(filepath.Join(a, name)))(t), must(os.ReadFile(filepath.Join(b, name)))(t)) {
			t.Errorf("%s differs", name)
		}
	}
}

// sameTrees fails unless two folders have the same files.
func sameTrees(t *testing.T, a, b string) {
	t.Helper()
	polytest.SameFiles(t, b, polytest.Files(t, b), polytest.Files(t, a))
}

// partsConfigs are trainings that differ in what a part carries.
func partsConfigs(t *testing.T) map[string]*configs.Config {
	t.Helper()
	camera := must(configs.Load("../configs/described/gantry_camera.yaml", append(small(11*16*11),
		"sensors.above.camera={width: 8, height: 6}", "training.convolutions=[{channels: 3, kernel: 4, stride: 2}]"), nil))(t)
	return map[string]*configs.Config{
		"camera":      camera,
		"HalfCheetah": parse(t, "HalfCheetah-v5", append(small(11*16*11), "max_steps=24")...),
		"described": sliceConfig(t, "described", append(small(11*16*11), "training.recurrent=4", "training.sequence=8",
			"training.stagger_episodes=true", "training.schedule=adaptive", "training.target_kl=0.02")),
		"no normalisers": parse(t, "Hopper-v5", append(small(11*16*10), "training.normalise_observations=false",
			"training.scale_rewards=false")...),
	}
}

// A training in parts, whatever the slices, leaves the checkpoints and metrics of a
// training in one process, also when collectors are lost.
func TestDeterminismOfTrainingInParts(t *testing.T) {
	for name, config := range partsConfigs(t) {
		t.Run(name, func(t *testing.T) {
			whole := filepath.Join(t.TempDir(), "whole")
			config.Workers = 2
			want := must(Train(t.Context(), config, TrainOptions{Folder: whole}))(t)
			for i, begins := range [][]int{{0}, {0, 8}, {0, 2, 8}} {
				folder := filepath.Join(t.TempDir(), "parts")
				var chance *rand.Rand
				if i == 2 {
					chance = rand.New(rand.NewPCG(3, 4))
				}
				got := inParts(t, config, TrainOptions{Folder: folder}, chance, "", begins...)
				sameFiles(t, whole, folder, rundir.LatestFile, rundir.MetricsFile, rundir.ConfigFile)
				if got.Workers != 2 || want.Workers != 2 { // not the one of the block that the learner opens
					t.Errorf("%d workers in parts and %d in one process, want 2", got.Workers, want.Workers)
				}
				if got.Status != rundir.StatusDone || got.EnvSteps != want.EnvSteps || got.Faults != want.Faults {
					t.Errorf("report %+v, want %+v", got, want)
				}
			}
		})
	}
}

// A point of a training in parts is that of a training in one process: each can go on with
// that of the other, and ends with the same bytes.
func TestDeterminismOfPointsOfParts(t *testing.T) {
	config := partsConfigs(t)["described"]
	until := TrainOptions{Until: 11 * 16 * 5}
	at := func(name string, opt TrainOptions) TrainOptions {
		opt.Folder = filepath.Join(t.TempDir(), name)
		return opt
	}
	whole, parts, all := at("whole", until), at("parts", until), at("all", TrainOptions{})
	must(Train(t.Context(), config, whole))(t)
	if r := inParts(t, config, parts, nil, "", 0, 8); r.Status != rundir.StatusPaused {
		t.Errorf("status %s, want %s", r.Status, rundir.StatusPaused)
	}
	sameFiles(t, whole.Folder, parts.Folder, rundir.StateFile)
	must(Train(t.Context(), config, all))(t)
	goOn := func(folder string) TrainOptions {
		point := must(ReadState(folder))(t)
		return TrainOptions{Continue: point}
	}
	inParts(t, config, goOn(whole.Folder), nil, "", 0, 2, 8)
	must(Train(t.Context(), config, goOn(parts.Folder)))(t)
	sameFiles(t, all.Folder, whole.Folder, rundir.LatestFile, rundir.MetricsFile)
	sameFiles(t, all.Folder, parts.Folder, rundir.LatestFile, rundir.MetricsFile)
}

// Parts that do not belong to the rollout are refused by name; one that arrives again is taken if it is the same.
func TestPartsOfATrainingThatDoNotBelong(t *testing.T) {
	config := parse(t, "HalfCheetah-v5", small(11*16*10)...)
	divided := divide(config, []int{0, 2, 8})
	parts := must(TrainInParts(t.Context(), config, TrainOptions{Folder: filepath.Join(t.TempDir(), "run")}, divided))(t)
	defer parts.Close()
	c := &crew{t: t, parts: parts, collectors: make([]*Collector, 3)}
	defer c.close()
	weights := must(parts.Weights(t.Context()))(t)
	refused := func(message []byte, want string) {
		t.Helper()
		errorContains(t, parts.Add(message), want)
	}
	var messages [][]byte
	for i := range c.collectors {
		c.open(i, false)
		part := must(c.collectors[i].Collect(t.Context(), weights))(t)
		messages = append(messages, part)
	}
	// changed returns a part with a change.
	changed := func(i int, change func(p *rl.RolloutPart)) []byte {
		p, _, err := rl.ReadPart(messages[i])
		noError(t, err)
		change(p)
		return p.Encode()
	}
	damaged := slices.Clone(messages[0])
	damaged[len(damaged)/2] ^= 1
	refused(damaged, "damaged: its checksum is")
	refused(nil, "cut short: 0 bytes")
	refused(changed(1, func(p *rl.RolloutPart) { p.Step = 16 }),
		"the part of worlds 2 to 7 at control step 16, want control step 0")
	refused(changed(1, func(p *rl.RolloutPart) { p.Weights = rl.Digest{1} }), "was collected under the weights 01")
	refused(changed(1, func(p *rl.RolloutPart) { p.First = 0 }), "want one of the slices [0:2 2:8 8:11]")
	refused(changed(1, func(p *rl.RolloutPart) { p.Extra = nil }), "the state of its worlds: cut short: 0 bytes")
	extra := func(change func(*runs.State)) func(*rl.RolloutPart) {
		return func(p *rl.RolloutPart) {
			s, err := runs.DecodeState(p.Extra)
			if err == nil {
				change(s)
				p.Extra, err = s.Encode()
			}
			noError(t, err)
		}
	}
	refused(changed(1, extra(func(s *runs.State) { s.Run.Seed = 7 })),
		"was collected in another run: it has the seed 7, the other has the seed 1")
	refused(changed(1, extra(func(s *runs.State) { s.Run = nil })), "it does not say of which run it is")
	refused(changed(1, extra(func(s *runs.State) { s.Infos[3] = nil })), "has infos of 6 worlds, want 6 with ")
	errorContains(t, errOf(c.collectors[0].Collect(t.Context(), weights)),
		"weights for control step 0, want 16, where the worlds 0:2 stand")
	other := changed(0, extra(func(s *runs.State) { s.Recorded.Episodes++ }))
	for _, i := range []int{0, 0, 1} {
		noError(t, parts.Add(messages[i]))
	}
	refused(other, "the part of worlds 0 to 1 at control step 0 arrived twice, with the digests")
	polytest.EqualSlices(t, parts.Missing(), []int{2}, "missing")
	noError(t, parts.Add(messages[2]))
	next, err := parts.Weights(t.Context())
	if err != nil || bytes.Equal(next, weights) {
		t.Fatalf("the training did not go on (%v)", err)
	}
	if err := parts.Add(messages[1]); err != nil { // late, and the same
		t.Error(err)
	}
	refused(other, "arrived twice")
	if _, err := parts.Snapshot(3); err == nil {
		t.Error("a slice that is none has a snapshot")
	}
	late := must(c.collectors[1].Collect(t.Context(), next))(t)
	if report, err := parts.Close(); err == nil || report.Status != rundir.StatusInterrupted {
		t.Errorf("closed: %v, %v", report, err)
	}
	refused(late, "the part of worlds 2 to 7 at control step 16: no rollout is being collected, want weights first")
}

// What cannot be trained in parts is refused before anything begins.
func TestTrainInPartsRefuses(t *testing.T) {
	config := parse(t, "HalfCheetah-v5", small(1000)...)
	for want, begins := range map[string][]int{
		"slice is 0:3, want it to begin and end with a block": {0, 3},
		"slice is 2:11, want one that begins with world 0":    {2},
		"the slices end with world -1, want all 11 worlds":    {},
	} {
		folder := filepath.Join(t.TempDir(), "run")
		_, err := TrainInParts(t.Context(), config, TrainOptions{Folder: folder}, divide(config, begins))
		usageError(t, err, want)
		if _, err := os.Stat(folder); err == nil {
			t.Error("a folder was made")
		}
	}
	if _, err := TrainInParts(t.Context(), config, TrainOptions{LogEvery: 1}, divide(config, []int{0})); err == nil {
		t.Error("a log was accepted")
	}
	versioned := Assignment{Configuration: string(config.YAML()), To: 11,
		Versions: map[string]string{logs.KernelVersion: "abacus"}}
	errorContains(t, errOf(OpenCollector(t.Context(), &versioned, CollectorOptions{})), "abacus")
	versioned.Versions = logs.Versions()
	for _, snapshot := range []string{"x", string(runs.StateKind.Encode([]byte("{")))} {
		errorContains(t, errOf(OpenCollector(t.Context(), &versioned, CollectorOptions{Snapshot: []byte(snapshot)})),
			"snapshot of a slice: ")
	}
}

// What the collectors record does not depend on which of them are lost, nor on a training that was stopped and goes on.
func TestDeterminismOfDatasetsInParts(t *testing.T) {
	config := parse(t, "HalfCheetah-v5", append(small(11*16*9), "recording.enabled=true", "max_steps=20",
		"recording.batch_rows=64")...)
	calm, lossy, whole := t.TempDir(), t.TempDir(), filepath.Join(t.TempDir(), "whole")
	folder := func() string { return filepath.Join(t.TempDir(), "run") }
	inParts(t, config, TrainOptions{Folder: folder()}, nil, calm, 0, 8)
	run := folder()
	inParts(t, config, TrainOptions{Folder: run, Until: 11 * 16 * 5}, rand.New(rand.NewPCG(1, 2)), lossy, 0, 8)
	point := must(ReadState(run))(t)
	errorContains(t, errOf(Train(t.Context(), config, TrainOptions{Continue: point})), "recorded the slices [0:8 8:11]")
	errorContains(t, errOf(TrainInParts(t.Context(), config, TrainOptions{Continue: point}, divide(config, []int{0, 6}))),
		"want it to go on in these")
	inParts(t, config, TrainOptions{Continue: point}, rand.New(rand.NewPCG(3, 4)), lossy, 0, 8)
	sameTrees(t, calm, lossy)
	must(Train(t.Context(), config, TrainOptions{Folder: whole}))(t)
	merged := filepath.Join(run, rundir.DatasetFolder)
	must(rollouts.Merge(t.Context(), []string{filepath.Join(lossy, "8:11"), filepath.Join(lossy, "0:8")}, merged,
		rollouts.MergeOptions{}))(t)
	sameTrees(t, filepath.Join(whole, rundir.DatasetFolder), merged)
}

// A training in parts that begins from a checkpoint, where the curriculum then stands, has
// the bytes of one in one process.
func TestDeterminismOfPartsFromACheckpoint(t *testing.T) {
	config := partsConfigs(t)["described"]
	first := filepath.Join(t.TempDir(), "first")
	must(Train(t.Context(), config, TrainOptions{Folder: first}))(t)
	from := must(rundir.ReadCheckpoint(first))(t)
	config.Training.TotalSteps *= 2
	whole, parts := filepath.Join(t.TempDir(), "whole"), filepath.Join(t.TempDir(), "parts")
	must(Train(t.Context(), config, TrainOptions{Folder: whole, From: from}))(t)
	inParts(t, config, TrainOptions{Folder: parts, From: from}, rand.New(rand.NewPCG(1, 1)), "", 0, 4)
	sameFiles(t, whole, parts, rundir.LatestFile, rundir.MetricsFile)
}
