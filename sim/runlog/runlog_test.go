package runlog

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

// file is a file in memory.
type file struct{ bytes.Buffer }

func (*file) Close() error { return nil }

func header() Header {
	return Header{
		Kind: "test", Configuration: "worlds: 6\n", Seed: 3, Worlds: 6, BlockSize: 4, Every: 2, Actions: true,
		Driver: map[string]string{"policy": "none"}, Versions: map[string]string{"b": "2", "a": "1"},
	}
}

// change is a difference from a run of 6 worlds, in blocks of 4 and 2, with 3 segments of 4 steps.
type change struct {
	step, world int64
	part        Aspect
	steps       int64 // of the last segment; 0: 4
	restart     bool
	seed        uint64
	command     string
}

func fill(l *Log, c change) error {
	if err := l.Start(2); err != nil {
		return err
	}
	for segment := range int64(3) {
		steps := int64(4)
		if segment == 2 && c.steps > 0 {
			steps = c.steps
		}
		if segment == 1 {
			l.Intervention(4, Intervention{Effect: &Command{Name: "speed" + c.command, Values: []float64{0.5}}})
		}
		for i := range 2 {
			b, first, worlds := l.Block(i), 4*i, 4-2*i
			if segment == 1 {
				seeds := [][]uint64{nil, {7, 1<<63 + c.seed}}[i]
				b.Restart(4, first, []bool{true, false, c.restart, true}[:worlds], seeds)
			}
			for n := 4 * segment; n < 4*segment+steps; n++ {
				values := make([]float32, 2*worlds)
				states := make([]State, worlds)
				for w := range worlds {
					world := int64(first + w)
					values[2*w] = float32(10*n + world)
					for p := range states[w] {
						states[w][p] = uint64(100*n+10*world) + uint64(p)
					}
					if world == c.world && n == c.step {
						states[w][c.part]++
						if c.part == Action {
							values[2*w+1] = 1
						}
					}
				}
				b.Actions(n, first, worlds, values)
				if b.Due(n + 1) {
					b.State(n+1, first, states)
				}
			}
		}
		if err := l.EndSegment(); err != nil {
			return err
		}
	}
	return nil
}

var same = change{world: -1}

func written(t testing.TB) []byte {
	t.Helper()
	var f file
	l := polytest.Must(Create(&f, header()))(t)
	polytest.NoError(t, fill(l, same))
	polytest.Equal(t, l.Steps(), 12, "steps logged")
	polytest.NoError(t, l.Close())
	return f.Bytes()
}

// compare compares a run with a change with a log, and returns the number of equal steps and the outcome.
func compare(log []byte, c change) (steps int64, err error) {
	l, err := Compare(&logFile{Reader: bytes.NewReader(log)})
	if err != nil {
		return 0, err
	}
	err = fill(l, c)
	if closed := l.Close(); err == nil {
		err = closed
	}
	return l.Steps(), err
}

// logFile cannot be read once it is closed, as an os.File.
type logFile struct {
	*bytes.Reader
	closed bool
}

func (f *logFile) Read(p []byte) (int, error) {
	if f.closed {
		return 0, os.ErrClosed
	}
	return f.Reader.Read(p)
}

func (f *logFile) Close() error {
	f.closed = true
	return nil
}

func TestSameRunIsIdentical(t *testing.T) {
	log := written(t)
	polytest.EqualSlices(t, written(t), log, "two logs of the same run differ")
	steps, err := compare(log, same)
	if !errors.Is(err, ErrEnd) || steps != 12 {
		t.Errorf("%d steps, error %v; want 12 and the end", steps, err)
	}
}

func TestFirstDifferenceIsNamed(t *testing.T) {
	log := written(t)
	for _, c := range []struct {
		change
		want string
	}{
		{change{step: 1, world: 0, part: Physics},
			"diverged after 2 control steps: world 0, physics (the log holds one step in 2)"},
		{change{step: 7, world: 5, part: Task}, "diverged after 8 control steps: world 5, task"},
		{change{step: 11, world: 3, part: Clock}, "diverged after 12 control steps: world 3, clock"},
		{change{step: 2, world: 4, part: Action}, "diverged after 2 control steps: world 4, action"},
		{change{world: -1, restart: true}, "diverged at step 4: the log has a restart in worlds 0 to 3 before step 4, " +
			"the run has a restart in worlds 0 to 3 before step 4"},
		{change{world: -1, seed: 1}, "diverged at step 4: the log has a restart in worlds 4 to 5 with seeds before step " +
			"4, the run has a restart in worlds 4 to 5 with seeds before step 4"},
		{change{world: -1, command: "s"}, `the log has command (world 0, name "speed", values [0.5]) before step 4, ` +
			`the run has command (world 0, name "speeds", values [0.5]) before step 4`},
		{change{world: -1, steps: 5}, "the log has the actions of worlds 4 to 5 in step 8, the run has the actions of " +
			"worlds 0 to 3 in step 12"},
		{change{world: -1, steps: 2}, "the log has the actions of worlds 0 to 3 in step 10, the run has the actions of " +
			"worlds 4 to 5 in step 8"},
	} {
		_, err := compare(log, c.change)
		var d *Difference
		if !errors.As(err, &d) || !strings.HasPrefix(err.Error(), c.want) && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: error %v, want %q", c.change, err, c.want)
		}
	}
}

// If block 1, which follows block 0 in the file, differs at an earlier step, that is the first difference.
func TestFirstDifferenceIsTheEarliestStep(t *testing.T) {
	var early, late file
	for _, c := range []struct {
		f *file
		change
	}{{&early, change{step: 5, world: 4, part: Task}}, {&late, change{step: 7, world: 0, part: Clock}}} {
		l := polytest.Must(Create(c.f, header()))(t)
		polytest.NoError(t, fill(l, c.change))
	}
	_, err := compare(early.Bytes(), change{step: 7, world: 0, part: Clock})
	var d *Difference
	if !errors.As(err, &d) || d.Step != 6 || d.World != 4 || d.Aspect != Task {
		t.Errorf("error %v, want step 6, world 4, task", err)
	}
}

// A flipped bit anywhere is damage of the record that it is in. In a state record, the error names the world and part.
func TestEveryFlippedBitIsDamage(t *testing.T) {
	log := written(t)
	offsets := offsets(t, log)
	r := rand.New(rand.NewPCG(1, 2))
	named := 0
	for at := range log {
		bad := slices.Clone(log)
		bad[at] ^= 1 << r.IntN(8)
		_, err := compare(bad, same)
		var d *Damage
		if !errors.As(err, &d) {
			t.Fatalf("byte %d: error %v, want damage", at, err)
		}
		i, found := slices.BinarySearch(offsets, int64(at))
		if !found {
			i--
		}
		if i >= 0 && d.Offset != offsets[i] || i < 0 && d.Offset != 0 {
			t.Fatalf("byte %d: %v, want the record's offset in %d", at, err, offsets)
		}
		if strings.Contains(err.Error(), ", which differs in world ") {
			named++
		}
	}
	if named < len(log)/3 {
		t.Errorf("the place was named in %d of %d cases", named, len(log))
	}
	// A bit of world 2's physics in the first state record.
	in := polytest.Must(NewReader(bytes.NewReader(log)))(t)
	for record, err := in.Next(); ; record, err = in.Next() {
		polytest.NoError(t, err)
		if record.Kind == KindState {
			bad := slices.Clone(log)
			bad[record.Offset+recordHead+worldsHead+8*(2*NumAspects+int64(Physics))+5] ^= 4
			_, err := compare(bad, same)
			want := fmt.Sprintf("log damaged at offset %d: the CRC32C of a record of %d bytes is ", record.Offset,
				len(record.payload))
			where := "; in its place the run has the state of worlds 0 to 3 after 2 control steps, which differs in world " +
				"2, physics"
			if err == nil || !strings.HasPrefix(err.Error(), want) || !strings.HasSuffix(err.Error(), where) {
				t.Errorf("error %v, want %q … %q", err, want, where)
			}
			return
		}
	}
}

// offsets returns the offsets of the records of a log.
func offsets(t *testing.T, log []byte) []int64 {
	t.Helper()
	in := polytest.Must(NewReader(bytes.NewReader(log)))(t)
	all := []int64{12}
	for {
		record, err := in.Next()
		if err == io.EOF {
			return all
		}
		polytest.NoError(t, err)
		all = append(all, record.Offset)
	}
}

func TestCutLogIsDamaged(t *testing.T) {
	log := written(t)
	for at := range log {
		steps, err := compare(log[:at], same)
		var d *Damage
		if !errors.As(err, &d) || !d.Cut {
			t.Fatalf("cut at byte %d of %d: error %v", at, len(log), err)
		}
		if at == len(log)-1 && steps != 8 && steps != 12 {
			t.Errorf("%d steps were identical before the cut", steps)
		}
	}
	_, err := compare(append(slices.Clone(log), log[12:]...), same)
	polytest.ErrorContains(t, err, "the file continues after the end of the run")
}

// A log that is closed before it has a header stays empty: an end alone would be none.
func TestUnusedLogStaysEmpty(t *testing.T) {
	var written file
	l, err := Create(&written, Header{Every: 1})
	if err = errors.Join(err, l.Close()); err != nil || written.Len() > 0 {
		t.Errorf("%q was written, %v", written.Bytes(), err)
	}
}

// Closing a comparing log before the first segment is not a difference.
func TestUnusedComparisonSaysNothing(t *testing.T) {
	l := polytest.Must(Compare(io.NopCloser(bytes.NewReader(written(t)))))(t)
	polytest.NoError(t, l.Start(2))
	if err := l.Start(2); err == nil {
		t.Error("a log was used twice")
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
}

func TestReaderReturnsWhatWasLogged(t *testing.T) {
	in := polytest.Must(NewReader(bytes.NewReader(written(t))))(t)
	if !reflect.DeepEqual(in.Header(), header()) {
		t.Errorf("header %+v, want %+v", in.Header(), header())
	}
	var kinds []string
	for {
		record, err := in.Next()
		if err == io.EOF {
			break
		}
		polytest.NoError(t, err)
		kinds = append(kinds, record.Kind.String())
		switch {
		case record.Kind == KindActions && record.N() == 3 && record.First() == 4:
			polytest.EqualSlices(t, record.AppendActions(nil), []float32{34, 0, 35, 0}, "actions")
		case record.Kind == KindRestart && record.First() == 0:
			polytest.EqualSlices(t, record.AppendMask(nil), []bool{true, false, false, true}, "restart")
			if seeds := record.AppendSeeds(nil); seeds != nil {
				t.Errorf("seeds %v of a restart without", seeds)
			}
		case record.Kind == KindRestart:
			polytest.EqualSlices(t, record.AppendMask(nil), []bool{true, false}, "restart")
			polytest.EqualSlices(t, record.AppendSeeds(nil), []uint64{7, 1 << 63}, "seeds")
		case record.Kind == KindIntervention:
			want := Intervention{Effect: &Command{Name: "speed", Values: []float64{0.5}}}
			if i := record.Intervention(); record.N() != 4 || !reflect.DeepEqual(i, want) {
				t.Errorf("%v at %d, want %v at 4", &i, record.N(), &want)
			}
		}
	}
	block := "actions actions state actions actions state "
	want := block + block + "segment intervention restart " + block + "restart " + block + "segment " + block + block +
		"segment end"
	if got := strings.Join(kinds, " "); got != want {
		t.Errorf("records %s\nwant    %s", got, want)
	}
}

// After the disk is full, every call returns the first error, and memory does not grow.
func TestErrorsOfTheFile(t *testing.T) {
	full := &failing{left: 1000}
	l := polytest.Must(Create(full, header()))(t)
	first := fill(l, same)
	polytest.ErrorIs(t, first, io.ErrShortWrite)
	if again := l.EndSegment(); again != first {
		t.Errorf("error %v, want the first again", again)
	}
	l = polytest.Must(Create(&failing{}, header()))(t)
	polytest.ErrorIs(t, l.Start(1), io.ErrShortWrite)
	h := header()
	h.Every = 0
	if _, err := Create(&file{}, h); err == nil {
		t.Error("Create with every 0: no error")
	}
}

type failing struct{ left int }

func (f *failing) Write(p []byte) (int, error) {
	if f.left -= len(p); f.left < 0 {
		return 0, io.ErrShortWrite
	}
	return len(p), nil
}
func (*failing) Close() error { return nil }

func TestLoggingAllocatesNothing(t *testing.T) {
	l := polytest.Must(Create(&failing{left: math.MaxInt}, header()))(t)
	polytest.NoError(t, l.Start(1))
	states, values := make([]State, 4), make([]float32, 8)
	n := int64(0)
	if allocs := polytest.Allocations(100, func() {
		for range 10 {
			l.Block(0).Actions(n, 0, 4, values)
			l.Block(0).State(n, 0, states)
			n++
		}
		polytest.NoError(t, l.EndSegment())
	}); allocs != 0 {
		t.Errorf("%v allocations a segment, want 0", allocs)
	}
}

// Reading any file, as it is and with its checksums made right, ends at its end or in an error, without exhausting memory.
func FuzzReader(f *testing.F) {
	log := written(f)
	f.Add(log)
	f.Add(log[:40])
	f.Fuzz(func(t *testing.T, data []byte) {
		readAll(t, data)
		readAll(t, seal(data))
	})
}

// syncing is a file that knows how much of it is on the disk.
type syncing struct {
	file
	synced int
}

func (f *syncing) Sync() error {
	f.synced = f.Len()
	return nil
}

// What comes before a position is on the disk.
func TestPositionIsOnTheDisk(t *testing.T) {
	var f syncing
	l, err := Create(&f, header())
	polytest.NoError(t, err)
	polytest.NoError(t, l.Start(1))
	at, err := l.Position()
	polytest.NoError(t, err)
	if err = l.Sync(); err != nil || at.Bytes == 0 || int64(f.synced) != at.Bytes {
		t.Errorf("position at byte %d, %v, and %d bytes are on the disk", at.Bytes, err, f.synced)
	}
}
