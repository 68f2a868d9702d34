package env

import (
	"bytes"
	"image"
	"image/png"
	"math"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// observing is a robot whose policy and critic see pictures of several kinds, some of which are not exact.
func observing(t *testing.T, sets ...string) *configs.Config {
	t.Helper()
	seeing(t)
	const place = "body: trunk, position: [1, 0, 1], quaternion: [0.5, 0.5, -0.5, -0.5], width: 5, height: 4, kinds: "
	return polytest.Must(configs.Parse("observing.yaml", []byte(`
task: {name: observing}
worlds: 3
max_steps: 7
runners: [{name: Robot, rate: 50}, {name: Fast, rate: 100}, {name: Capture, rate: 30}]
scene: {models: [{file: "builtin:quadruped.xml"}]}
start: {keyframe: home}
actions: [{term: joint_position}]
terminations: [{term: time_out}]
recording: {tables: [capture, control]}
sensors:
  - {name: front, runner: Fast, latency: 15ms, camera: {`+place+`[depth, rgb, segmentation], max_distance: 1.1}}
  - {name: back, runner: Robot, history: 2, dropout: 0.3, camera: {`+place+`[rgb]}}
  - {name: grey, runner: Robot, noise: {std: 0.01}, camera: {`+place+`[depth]}}
  - {name: grain, runner: Robot, noise: {std: 0.1}, bias: {std: 0.1}, camera: {`+place+`[rgb]}}
  - {name: shape, runner: Robot, noise: {std: 0.1}, camera: {`+place+`[normals]}}
observations:
  policy:
    - {term: base_ang_vel}
    - {term: sensor, name: front, channel: front, scale: 0.3, history: 3}
    - {term: sensor, name: grey, channel: grey}
    - {term: joint_vel_rel}
    - {term: sensor, name: clipped, channel: front, clip: [0, 0.5]}
    - {term: sensor, name: grain, channel: grain}
    - {term: sensor, name: shape, channel: shape, delay: 1}
    - {term: sensor, name: noisy, channel: back, noise: {uniform: 0.3}, scale: 7}
  critic:
    - {term: sensor, channel: back, scale: -2, delay: [0, 2]}
`), sets, nil))(t)
}

// seenPictures are the columns of the observation's pictures, of 5 × 4 pixels. They have all values but those of the robot.
var seenPictures = []string{"front_depth_0", "front_rgb_0", "front_segmentation_0", "front_depth_1", "front_rgb_1",
	"front_segmentation_1", "front_depth_2", "front_rgb_2", "front_segmentation_2", "grey_depth", "clipped_depth", "clipped_rgb",
	"clipped_segmentation", "grain_rgb", "shape_normals", "noisy_rgb_0", "noisy_rgb_1", "critic/back_rgb_0", "critic/back_rgb_1"}

// The rows of a dataset have the bits of the observations that the worlds had, though their pictures are PNG.
func TestObservedPicturesAreRecordedAsTheyWereSeen(t *testing.T) {
	var files map[string]string
	for _, c := range []struct {
		workers int
		sync    string
	}{{1, "close"}, {2, "close"}, {1, "none"}, {2, "batch"}} {
		cfg := observing(t, "recording.sync="+c.sync)
		type key struct{ world, episode, ns int64 }
		observed, lasts := map[key][]uint64{}, map[int64][]uint64{}
		var lock sync.Mutex
		seeing := sim.Binding{Binding: runners.Binding{Name: "seeing", Runner: "Robot", Phase: runners.Control, Priority: 200},
			Call: func(_ *runners.StepContext, w *sim.World) {
				values, ns, ok := w.Observation()
				lock.Lock()
				defer lock.Unlock()
				if ok {
					observed[key{int64(w.Index()), w.Episode(), ns}] = bitsOf(values)
				}
			}}
		dir := filepath.Join(t.TempDir(), "dataset")
		e := open(t, cfg, OpenOptions{Workers: c.workers, Dataset: dir, Bindings: []sim.Binding{seeing}})
		spec := e.Sim().Spec()
		for step := range 24 {
			polytest.NoError(t, e.Each(func(w *sim.Worker, b *sim.Block) error {
				actAt(spec, b, step)
				if err := b.Step(w); err != nil {
					return err
				}
				for i := range b.Len() {
					if b.Truncations()[i] {
						lock.Lock()
						lasts[int64(b.First()+i+step/7*3)] = bitsOf(b.FinalObservations()[i*spec.ObservationSize:][:spec.ObservationSize])
						lock.Unlock()
					}
				}
				return nil
			}))
		}
		polytest.NoError(t, e.Close())

		d := polytest.Must(recorder.Open(dir))(t)
		rows, colours := 0, map[uint64]bool{}
		for _, name := range []string{format.CaptureTable, format.ControlTable} {
			for r, err := range d.EachRow(name) {
				polytest.NoError(t, err)
				got := r.Floats("observation")
				if got == nil {
					continue
				}
				k := key{r.Int("world"), r.Int("episode"), r.Int("observation_stamp_ns")}
				polytest.EqualSlices(t, bitsOf(got), observed[k], "%s: %v", name, k)
				for _, v := range got[3:103] {
					colours[math.Float64bits(v)] = true
				}
				rows++
			}
		}
		if rows < 24*3*3/2 || len(colours) < 30 {
			t.Errorf("%d observations with %d different values in a picture, want more", rows, len(colours))
		}
		ends := 0
		for r, err := range d.EachRow(format.EpisodesTable) {
			polytest.NoError(t, err)
			if want, ok := lasts[r.Int("episode")]; ok {
				polytest.EqualSlices(t, bitsOf(r.Floats("final_observation")), want, "last of episode %d", r.Int("episode"))
				ends++
			}
		}
		polytest.Equal(t, ends, 3*3, "last observations")
		if got := polytest.Files(t, dir); files == nil {
			files = got
		} else if c.sync == "close" { // the document has the configuration
			polytest.SameFiles(t, "two workers", got, files)
		}
	}
}

// The columns of the pictures are what a caster took, of the channel that is recorded beside them; the list has the
// other values.
func TestObservedPicturesAreThoseOfTheChannel(t *testing.T) {
	cfg := observing(t, "recording.tables=[capture]", "runners=[{name: Robot, rate: 50}, {name: Fast, rate: 50}, "+
		"{name: Capture, rate: 50}]")
	dir := filepath.Join(t.TempDir(), "dataset")
	e := open(t, cfg, OpenOptions{Dataset: dir})
	play(t, e, 20, 20)
	polytest.NoError(t, e.Close())
	d := polytest.Must(recorder.Open(dir))(t)
	for _, table := range []string{format.CaptureTable, format.EpisodesTable} {
		prefix := map[string]string{format.CaptureTable: "observation", format.EpisodesTable: "final_observation"}[table]
		schema := polytest.Must(d.Schema(table))(t)
		first := schema.FieldIndices(prefix)[0]
		polytest.Equal(t, schema.Field(first).Type.String(), "fixed_size_list<item: float64, nullable>[15]",
			"values that are no pixels")
		for i, name := range seenPictures {
			polytest.Equal(t, schema.Field(first+1+i).Name, prefix+"_"+name, "column")
		}
	}
	equal := 0
	for record, err := range d.Batches(format.CaptureTable) {
		polytest.NoError(t, err)
		file := func(column string, row int) []byte {
			pictures := record.Column(record.Schema().FieldIndices(column)[0]).(*array.Struct)
			return pictures.Field(0).(*array.Binary).Value(row)
		}
		stamps := record.Column(record.Schema().FieldIndices("front_rgb_stamp_ns")[0])
		for row := range int(record.NumRows()) {
			for _, kind := range []string{"rgb", "segmentation"} {
				seen := file("observation_front_"+kind+"_2", row)
				picture, err := png.Decode(bytes.NewReader(seen))
				polytest.NoError(t, err)
				polytest.Equal(t, picture.Bounds(), image.Rect(0, 0, 5, 4), "size")
				if stamps.IsValid(row) {
					polytest.Equal(t, slices.Equal(seen, file("front_"+kind, row)), true, "%s of row %d", kind, row)
					equal++
				}
			}
		}
	}
	if equal < 60 {
		t.Errorf("%d pictures were compared, want more", equal)
	}
}

func bitsOf(values []float64) []uint64 {
	bits := make([]uint64, len(values))
	for i, v := range values {
		bits[i] = math.Float64bits(v)
	}
	return bits
}
