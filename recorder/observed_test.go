package recorder

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
)

var update = flag.Bool("update", false, "write the datasets that testdata lacks")

// Of the pictures in observedTables.
const (
	observedPixels = 3 * 2
	observedFar    = 1.7
	observedScale  = 0.3 // of depths
)

// observedTables are those of a run that observes a number, colours with depths, and another number, and in version 4
// normals. As version 3 has them its pictures are columns of their own; as version 2 had them they are not. Names came in
// version 4.
func observedTables(version int) []format.Table {
	observation := format.Column{Name: "observation", Kind: format.Float64, Len: len(observed(version, 0, 0)), Nullable: true}
	if version > 2 {
		observation.Pictures = []format.ListPicture{
			{Name: "above_rgb", Kind: physics.RGB, Width: 3, Height: 2, First: 1, Step: 4, Scale: 1},
			{Name: "above_depth", Kind: physics.Depth, Width: 3, Height: 2, First: 4, Step: 4, Scale: observedScale,
				Far: observedFar},
		}
	}
	if version > 3 {
		observation.Pictures = append(observation.Pictures, format.ListPicture{Name: "above_normals", Kind: physics.Normals,
			Width: 3, Height: 2, First: observation.Len - 3*observedPixels, Step: 3, Floats: true, Scale: observedScale})
		observation.Names = []string{"first", "last"}
	}
	return []format.Table{{Name: "capture", Rate: "30", Columns: []format.Column{
		{Name: "t_ns", Kind: format.Int64}, {Name: "world", Kind: format.Int32}, observation}}}
}

// observed returns what a world observes at step n, nil for nothing.
func observed(version int, n, world int64) []float64 {
	if n%5 == 3 {
		return nil
	}
	values := []float64{float64(n) / 3}
	for pixel := range int64(observedPixels) {
		for channel := range int64(3) {
			values = append(values, float64(byte(37*n+91*world+13*pixel+50*channel))/255)
		}
		depth := min(float64(float32(n+world)/9+float32(pixel)/7), observedFar)
		values = append(values, depth*observedScale)
	}
	values = append(values, -float64(world))
	for i := range int64(3 * observedPixels) {
		if version > 3 {
			values = append(values, observedScale*float64(float32(n-world)/float32(i+3)))
		}
	}
	return values
}

// playObserved records step n of two worlds, each in a block of its own.
func playObserved(w *Writer, version int, n int64) {
	for world := range int64(2) {
		s := w.BlockWriter(int(world))
		row := s.Begin(0, Key{N: n, World: int32(world)})
		row.Int(0, n*33_333_333)
		row.Int(1, world)
		if values := observed(version, n, world); values != nil {
			if err := row.Observation(2, values); err != nil {
				panic(err)
			}
		}
		if err := s.EndSegment(); err != nil {
			panic(err)
		}
	}
}

const observedSteps = 12

var observedOptions = Options{BatchRows: 7, Compression: LZ4, Sync: SyncNever}

// Datasets of older versions, whose bytes are in testdata, are read with the values that were recorded, to the last bit.
func TestDatasetsOfOlderVersions(t *testing.T) {
	for _, version := range []int{2, 3, 4} {
		dir := filepath.Join("testdata", fmt.Sprint("version-", version))
		if _, err := os.Stat(dir); *update && errors.Is(err, fs.ErrNotExist) {
			w := polytest.Must(Create(dir, observedTables(version), 2, format.Metadata{Task: "observed"}, observedOptions))(t)
			for n := range int64(observedSteps) {
				playObserved(w, version, n)
			}
			polytest.NoError(t, w.Close())
		}
		document, _, err := format.ReadDocument(dir)
		polytest.NoError(t, err)
		polytest.Equal(t, document.FormatVersion, version, "version")
		rows := 0
		for r, err := range polytest.Must(Open(dir))(t).EachRow("capture") {
			polytest.NoError(t, err)
			n, world := r.Int("t_ns")/33_333_333, r.Int("world")
			polytest.Equal(t, 2*n+world, int64(rows), "place of the row at step %d of world %d", n, world)
			rows++
			want := observed(version, n, world)
			polytest.Equal(t, r.IsNull(r.Row, 2), want == nil, "row %d is null", rows)
			if want == nil {
				continue
			}
			if got := r.Floats("observation"); !slices.EqualFunc(got, want, func(a, b float64) bool {
				return math.Float64bits(a) == math.Float64bits(b)
			}) {
				t.Errorf("version %d, row %d: %v, want %v", version, rows, got, want)
			}
		}
		polytest.Equal(t, rows, 2*observedSteps, "rows of version %d", version)
	}
}

// A dataset with observed pictures is continued to the bytes of one that never stopped. One that an older version of the
// format began is refused, and stays as it is.
func TestContinueWithObservedPictures(t *testing.T) {
	begin := func(version int, steps int64) (dir string, w *Writer) {
		dir = filepath.Join(t.TempDir(), "dataset")
		w = polytest.Must(Create(dir, observedTables(version), 2, format.Metadata{Task: "observed"}, observedOptions))(t)
		for n := range steps {
			playObserved(w, version, n)
		}
		return dir, w
	}
	whole, w := begin(format.Version, observedSteps)
	polytest.NoError(t, w.Close())
	want := polytest.Files(t, whole)
	resume := func(dir string, position *Position) (*Writer, error) {
		return Continue(dir, observedTables(format.Version), 2, format.Metadata{Task: "observed"}, observedOptions, position)
	}
	for steps := range int64(observedSteps) {
		dir, w := begin(format.Version, steps)
		position := polytest.Must(w.Position())(t)
		playObserved(w, format.Version, 1000)
		polytest.NoError(t, w.Drain())
		w.Abort()
		w = polytest.Must(resume(dir, position))(t)
		for n := steps; n < observedSteps; n++ {
			playObserved(w, format.Version, n)
		}
		polytest.NoError(t, w.Close())
		polytest.SameFiles(t, fmt.Sprintf("continued at step %d", steps), polytest.Files(t, dir), want)
	}
	old, w := begin(2, 5)
	position := polytest.Must(w.Position())(t)
	w.Abort()
	before := polytest.Files(t, old)
	_, err := resume(old, position)
	polytest.ErrorContains(t, err, old+": the dataset has format version 2, want 4 to go on with it: "+
		"a program of another version began it; continue with that program, or begin another run")
	polytest.SameFiles(t, "refused", polytest.Files(t, old), before)
}
