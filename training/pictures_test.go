package training

import (
	"path/filepath"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

// colours is the gantry that is told nothing and sees colours and depths, by SAC.
func colours(t *testing.T, more ...string) *configs.Config {
	t.Helper()
	return must(configs.Load("../configs/described/gantry.yaml", append([]string{"worlds=6", "block_size=2", "max_steps=9",
		"sensors=[{name: above, runner: Robot, camera: {name: above, width: 8, height: 6, kinds: [rgb, depth]}}]",
		"observations.policy=[{term: joint_pos_rel, joints: [\"head_.*\"]}, {term: sensor, channel: above}]",
		"training={algorithm: sac, steps: 432, convolutions: [{channels: 3, kernel: 4, stride: 2}], sac: {segment: 8, " +
			"minibatch: 80, update_ratio: 0.1, random_steps: 100, hidden: [8], layer_norm: true, random_shift: 1, replay: 2000}}",
		"evaluation.episodes=2", "recording={enabled: true, tables: [capture, control], sync: none}"}, more...), nil))(t)
}

// SAC that learns from pictures leaves the same files for any number of workers, goes on from a pause with its replay of
// bytes, is replayed, and begins with a dataset that has the pictures.
func TestDeterminismOfSACFromPictures(t *testing.T) {
	home := t.TempDir()
	run := func(name string, more ...string) (string, *rundir.Report) {
		folder := filepath.Join(home, name)
		return folder, must(Train(t.Context(), colours(t, more...), TrainOptions{Folder: folder, LogEvery: 1}))(t)
	}
	whole, report := run("whole", "workers=1")
	without := []string{rundir.ReportFile, rundir.ConfigFile, rundir.EventsFile}
	want := polytest.Files(t, whole, without...)
	three, _ := run("three", "workers=3")
	polytest.SameFiles(t, "three workers", polytest.Files(t, three, without...), want)
	must(Replay(t.Context(), whole, ReplayOptions{Workers: 2}))(t)

	stopped := filepath.Join(home, "stopped")
	must(Train(t.Context(), colours(t), TrainOptions{Folder: stopped, LogEvery: 1, Until: 200}))(t)
	must(Train(t.Context(), colours(t), TrainOptions{Continue: must(ReadState(stopped))(t)}))(t)
	polytest.SameFiles(t, "stopped", polytest.WithoutStops(polytest.Files(t, stopped, without...), want), want)

	filled, more := run("filled", "training.dataset="+whole, "training.sac.random_steps=1")
	if more.Digests.Checkpoint == report.Digests.Checkpoint {
		t.Error("the dataset changes nothing")
	}
	must(Replay(t.Context(), filled, ReplayOptions{Workers: 1}))(t)
}

// The channels of a picture that are colours are bytes to a learner, and its depths are not.
func TestColoursAreBytes(t *testing.T) {
	c := colours(t)
	e := must(env.Open(c, env.OpenOptions{}))(t)
	defer e.Close()
	shape := shapeOf(e.Sim().Spec(), c)
	polytest.Equal(t, len(shape.ByteFactors), 1, "pictures")
	polytest.EqualSlices(t, shape.ByteFactors[0], []float64{255, 255, 255, 0}, "factors of colours and depths")
}
