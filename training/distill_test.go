package training

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

// noisy are observations of a student that sees less, and less well, than its teacher.
const noisy = "observations={policy: [{name: gyro, term: sensor, channel: gyro, noise: {uniform: 0.2}, delay: 1}, " +
	"{term: joint_pos_rel, channel: joint_position, noise: {std: 0.02}}, {term: last_action}], " +
	"teacher: [{term: joint_pos_rel, channel: joint_position}, {name: gyro, term: sensor, channel: gyro}]}"

// A distillation has the same files for any number of workers, where it was interrupted and goes on, and where it is
// replayed; PPO goes on from it. Teachers that cannot teach are refused, and leave nothing.
func TestDistillation(t *testing.T) {
	sets := func(more ...string) []string {
		return append([]string{"worlds=6", "block_size=2", "max_steps=30", "training.segment=16", "training.minibatch=32",
			"training.epochs=2", "training.steps=600", "training.hidden=[8]", "evaluation.episodes=2",
			"training.checkpoint_every=200", "recording.enabled=false", "training.tensorboard=false"}, more...)
	}
	clean := "observations={policy: [{term: joint_pos_rel, channel: joint_position}, " +
		"{name: gyro, term: sensor, channel: gyro}]}"
	home := t.TempDir()
	taught := filepath.Join(home, "teacher")
	must(Train(t.Context(), parse(t, "quadruped", sets(clean)...), TrainOptions{Folder: taught}))(t)
	teacher := must(rundir.ReadCheckpoint(taught))(t)
	student := sets(noisy, "training.algorithm=distill", "training.recurrent=4")
	distil := func(name string, more ...string) string {
		folder := filepath.Join(home, name)
		must(Train(t.Context(), parse(t, "quadruped", append(student, more...)...),
			TrainOptions{Folder: folder, Teacher: teacher, LogEvery: 1}))(t)
		return folder
	}
	whole := distil("whole", "workers=1")
	without := []string{rundir.ReportFile, rundir.ConfigFile}
	want := polytest.Files(t, whole, without...)
	polytest.SameFiles(t, "three workers", polytest.Files(t, distil("three", "workers=3"), without...), want)
	if r := must(Replay(t.Context(), whole, ReplayOptions{Workers: 2}))(t); r.Steps == 0 || r.Files < 3 {
		t.Errorf("replayed %+v", r)
	}
	if report := must(rundir.ReadReport(whole))(t); report.Digests != nil {
		t.Error("the report has digests, which say nothing of the teacher")
	}

	for looks := int64(3); looks < 60; looks += 14 { // the first one before an iteration was done
		folder := filepath.Join(home, "stopped", strings.Repeat("i", int(looks)))
		_, err := Train(newCountdown(t, looks), parse(t, "quadruped", student...),
			TrainOptions{Folder: folder, Teacher: teacher, LogEvery: 1})
		if err == nil {
			t.Fatalf("not interrupted at look %d", looks)
		}
		must(Train(t.Context(), parse(t, "quadruped", student...),
			TrainOptions{Continue: must(ReadState(folder))(t)}))(t)
		polytest.SameFiles(t, "interrupted", polytest.WithoutStops(polytest.Files(t, folder, without...), want), want)
	}

	on := filepath.Join(home, "on")
	must(Train(t.Context(), parse(t, "quadruped", append(student, "training.algorithm=ppo", "training.steps=800")...),
		TrainOptions{Folder: on, From: must(rundir.ReadCheckpoint(whole))(t)}))(t)

	cheetah := filepath.Join(home, "cheetah")
	must(Train(t.Context(), parse(t, "HalfCheetah-v5", "worlds=2", "max_steps=9", "training.steps=20",
		"training.hidden=[4]", "training.segment=8", "evaluation.episodes=1", "recording.enabled=false"),
		TrainOptions{Folder: cheetah}))(t)
	other := must(rundir.ReadCheckpoint(cheetah))(t)
	swapped := strings.Replace(strings.Replace(noisy, "policy:", "was:", 1), "teacher: [{term: joint_pos_rel, "+
		"channel: joint_position}, {name: gyro, term: sensor, channel: gyro}]", "policy: [{name: gyro, term: sensor, "+
		"channel: gyro}, {term: joint_pos_rel, channel: joint_position}]", 1)
	swapped = "observations={" + swapped[strings.LastIndex(swapped, "policy:"):]
	memory := must(rundir.ReadCheckpoint(whole))(t)
	for _, c := range []struct {
		teacher *rundir.Checkpoint
		sets    []string
		want    string
	}{
		{nil, student, "there is no teacher, want train distill TEACHER"},
		{teacher, sets(noisy), "training.algorithm is ppo, want distill with a teacher"},
		{other, student, "it has 6 action values, want the 12 of quadruped"},
		{memory, student, "it has a memory"},
		{teacher, sets("training.algorithm=distill"), "it reads 15 values, and the group policy of the observation has "},
		{teacher, sets(swapped, "training.algorithm=distill"), "want that in place of gyro"},
	} {
		folder := filepath.Join(home, "refused")
		_, err := Train(t.Context(), parse(t, "quadruped", c.sets...), TrainOptions{Folder: folder, Teacher: c.teacher})
		usageError(t, err, c.want)
		if _, err := os.Stat(folder); err == nil {
			t.Errorf("%s: a folder is left behind", c.want)
		}
	}
	noError(t, os.WriteFile(filepath.Join(whole, rundir.TeacherFile), polytest.Must(os.ReadFile(filepath.Join(cheetah,
		rundir.LatestFile)))(t), 0o666))
	errorContains(t, errOf(Replay(t.Context(), whole, ReplayOptions{})), "the teacher: it has 6 action values")
}
