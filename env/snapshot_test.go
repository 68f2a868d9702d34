package env

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// stumble takes control steps from to to−1 of a robot whose motors are swung so hard that its feet keep hitting the
// ground, and returns the physics rows and rewards of every world after each step.
func stumble(t testing.TB, e *Env, from, to int) [][]float64 {
	t.Helper()
	seen := make([][]float64, e.Sim().Worlds())
	size := e.Sim().Spec().ActionSize
	polytest.NoError(t, e.Each(func(w *sim.Worker, b *sim.Block) error {
		for step := from; step < to; step++ {
			for i := range b.Actions() {
				world, value := b.First()+i/size, i%size
				b.Actions()[i] = float32((world*13+step/3*29+value*7)%17)/8 - 1
			}
			if err := b.Step(w); err != nil {
				return err
			}
			for i := range b.Len() {
				world := b.First() + i
				seen[world] = append(append(seen[world], b.State(i)...), b.Rewards()[i])
			}
		}
		return nil
	}))
	return seen
}

func sameBits(a, b [][]float64) bool {
	return slices.EqualFunc(a, b, func(a, b []float64) bool { return fmt.Sprintf("%x", a) == fmt.Sprintf("%x", b) })
}

// stumbling is a configuration whose episodes end by the time limit alone.
func stumbling(t testing.TB) *configs.Config {
	return preset(t, "quadruped", "worlds=2", "terminations=[{term: time_out}]", "max_steps=50")
}

const stumbles = 70 // control steps: through the end of an episode

// contacts is a binding that counts the control steps, over all worlds, in which a foot pushes against the ground.
func contacts(t testing.TB, cfg *configs.Config, n *int) sim.Binding {
	channel := slices.IndexFunc(cfg.Sensors, func(c configs.Channel) bool { return c.Name == "foot_contact" })
	if channel < 0 {
		t.Fatal("no channel foot_contact")
	}
	var force [4]float64
	return sim.Binding{
		Binding: runners.Binding{Name: "contacts", Runner: "Robot", Phase: runners.Export},
		Call: func(_ *runners.StepContext, w *sim.World) {
			if w.Read(force[:], channel); slices.Max(force[:]) > 1 {
				*n++
			}
		},
	}
}

// One snapshot a step, and what follows it.
func takeSnapshots(t testing.TB, e *Env) (snapshots []*sim.Snapshot, seen [][][]float64) {
	for n := range stumbles {
		snapshots = append(snapshots, e.Sim().Snapshot())
		seen = append(seen, stumble(t, e, n, n+1))
	}
	return append(snapshots, e.Sim().Snapshot()), seen
}

func TestRestoreAtEveryStepOfAContactRichEpisode(t *testing.T) {
	cfg, touching := stumbling(t), 0
	e := open(t, cfg, OpenOptions{Workers: 1, Bindings: []sim.Binding{contacts(t, cfg, &touching)}})
	snapshots, seen := takeSnapshots(t, e)
	if touching < stumbles {
		t.Fatalf("a foot touches the ground in %d of %d steps: not rich in contacts", touching, 2*stumbles)
	}
	t.Logf("a foot touches the ground in %d of %d steps", touching, 2*stumbles)
	// Other worlds use the memory and the stepper between.
	other := open(t, stumbling(t), OpenOptions{Workers: 1})
	for from := range stumbles {
		target := e
		if from%2 == 1 {
			target = other
			stumble(t, other, 3*from, 3*from+2)
		}
		polytest.NoError(t, target.Sim().Restore(snapshots[from]))
		// A few steps in detail, the rest by its end.
		for n := from; n < stumbles; n++ {
			if got := stumble(t, target, n, n+1); !sameBits(got, seen[n]) {
				t.Fatalf("restored at step %d: step %d has other bits", from, n)
			}
		}
		if !target.Sim().Snapshot().Equal(snapshots[stumbles]) {
			t.Fatalf("restored at step %d: another end", from)
		}
	}
}

// Without the warm start the same comparison fails: it sees what it must.
func TestRestoreNeedsTheWarmStart(t *testing.T) {
	e := open(t, stumbling(t), OpenOptions{Workers: 1})
	warmstart := polytest.Must(e.Model().Field("warmstart"))(t)
	snapshots, _ := takeSnapshots(t, e)
	differ := 0
	for from := range stumbles {
		polytest.NoError(t, e.Sim().Restore(snapshots[from]))
		for _, b := range e.Sim().Blocks() {
			for i := range b.Len() {
				clear(warmstart.In(b.State(i)))
			}
		}
		stumble(t, e, from, stumbles)
		if !e.Sim().Snapshot().Equal(snapshots[stumbles]) {
			differ++
		}
	}
	// From the last steps of the episode's end on, nothing is left to differ.
	if differ < stumbles/2 {
		t.Errorf("without the warm start %d of %d restored runs differ; want most", differ, stumbles)
	}
	t.Logf("without the warm start %d of %d restored runs differ", differ, stumbles)
}

// A recording that goes on from a snapshot has the rows that the first one has
// from there, wherever the recorder stands in the order.
func TestRecordingGoesOnFromASnapshot(t *testing.T) {
	for _, phase := range []string{"Control", "Acquisition"} {
		cfg := stumbling(t)
		cfg.Bindings = []configs.Binding{{Name: "recorder", Phase: phase}}
		first := filepath.Join(t.TempDir(), "first")
		e := open(t, cfg, OpenOptions{Workers: 1, Dataset: first})
		stumble(t, e, 0, 49) // one step before an episode ends
		snapshot := e.Sim().Snapshot()
		stumble(t, e, 49, 80)
		polytest.NoError(t, e.Close())
		all := rowsOf(t, first)
		for name, want := range all {
			if len(want) == 0 {
				t.Fatalf("%s: table %s is empty", phase, name)
			}
		}

		second := filepath.Join(t.TempDir(), "second")
		e = open(t, cfg, OpenOptions{Workers: 2, Dataset: second})
		polytest.NoError(t, e.Sim().Restore(snapshot))
		stumble(t, e, 49, 80)
		polytest.NoError(t, e.Close())
		for name, got := range rowsOf(t, second) {
			// One block's rows stand in the order of steps.
			want := all[name]
			if len(got) == 0 || len(got) > len(want) || !slices.Equal(got, want[len(want)-len(got):]) {
				t.Errorf("%s: table %s: the %d rows after the snapshot are not the last ones of %d", phase, name, len(got),
					len(want))
			}
		}
		if episodes := rowsOf(t, second)[format.EpisodesTable]; len(episodes) != len(all[format.EpisodesTable]) {
			t.Errorf("%s: %d episodes closed after the snapshot, want %d", phase, len(episodes), len(all[format.EpisodesTable]))
		}
	}
}

// rowsOf returns the rows of a dataset's tables as text.
func rowsOf(t testing.TB, folder string) map[string][]string {
	t.Helper()
	d := polytest.Must(recorder.Open(folder))(t)
	rows := map[string][]string{}
	for _, table := range d.Tables {
		rows[table.Name] = nil
		for record, err := range d.Batches(table.Name) {
			polytest.NoError(t, err)
			text := polytest.Must(record.MarshalJSON())(t)
			var lines []json.RawMessage
			polytest.NoError(t, json.Unmarshal(text, &lines))
			for _, line := range lines {
				rows[table.Name] = append(rows[table.Name], string(line))
			}
		}
	}
	return rows
}

// A snapshot that was taken while recording fits a run without recording, but not the other way round.
func TestSnapshotsAndRecording(t *testing.T) {
	cfg := stumbling(t)
	recording := open(t, cfg, OpenOptions{Workers: 1, Dataset: filepath.Join(t.TempDir(), "dataset")})
	plain := open(t, cfg, OpenOptions{Workers: 1})
	if err := plain.Sim().Restore(recording.Sim().Snapshot()); err != nil {
		t.Error(err)
	}
	err := recording.Sim().Restore(plain.Sim().Snapshot())
	polytest.ErrorContains(t, err, "no recording")
	half := open(t, preset(t, "HalfCheetah-v5", "worlds=2"), OpenOptions{Workers: 1})
	err = half.Sim().Restore(plain.Sim().Snapshot())
	polytest.ErrorContains(t, err, `it has "task: quadruped", this run has "task: HalfCheetah-v5"`)
}

// BenchmarkSnapshot takes, restores, writes and reads a snapshot of 64 quadrupeds.
func BenchmarkSnapshot(b *testing.B) {
	e := open(b, preset(b, "quadruped", "worlds=64"), OpenOptions{Workers: 1})
	stumble(b, e, 0, 20)
	s := e.Sim().Snapshot()
	file := s.Encode()
	for _, c := range []struct {
		name string
		do   func() error
	}{
		{"take", func() error { e.Sim().Snapshot(); return nil }},
		{"restore", func() error { return e.Sim().Restore(s) }},
		{"write", func() error { s.Encode(); return nil }},
		{"read", func() error { _, err := sim.ReadSnapshot(bytes.NewReader(file)); return err }},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(file)))
			for b.Loop() {
				polytest.NoError(b, c.do())
			}
		})
	}
	b.Logf("%d bytes for 64 worlds", len(file))
}
