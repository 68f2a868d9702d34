package rl

import (
	"bytes"
	"fmt"
	"runtime"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/rl/nn"
)

// seenSACSettings suit the cart that is seen.
func seenSACSettings() Settings {
	s := sacSettings()
	s.Convolutions, s.SAC.LayerNorm, s.SAC.RandomSteps, s.SAC.Minibatch = seenConvolutions, true, 200, 2*leastChunkOfPictures+10
	s.SAC.UpdateRatio = 0.2
	return s
}

// A row of a replay has the values that were observed, bytes where they are such, and a network reads its columns of
// them, standardised and with shifted pictures.
func TestReplayOfPictures(t *testing.T) {
	shape := Shape{Worlds: 2, Observation: 60, Action: 2,
		Pictures:    []Picture{picture(3, 2, 3, 4), picture(27, 4, 1, 1), picture(33, 3, 2, 3)},
		ByteFactors: [][]float64{{0, 255, 255, -100}, {0}, {51, 51, 51}}}
	r, noise := newReplay(shape, SACSettings{Replay: 20}), nn.NewStream()
	polytest.Equal(t, r.layout.bytes, 2*3*3+3*2*3, "bytes of a row")
	polytest.Equal(t, r.size(), 60-r.layout.bytes+2+1, "other values of a row")
	var observed [2][][]float64
	noise.Key(1, 0, 0, 0)
	for range 7 {
		for w := range 2 {
			row := make([]float64, 60)
			for i := range row {
				row[i] = float64(float32(noise.NormFloat64()))
			}
			for i, p := range shape.Pictures {
				for k := range p.Size() {
					if f := shape.ByteFactors[i][k%p.Channels]; f != 0 {
						row[p.First+k] = float64(noise.IntN(256)) / f
					}
				}
			}
			r.observe(w, row)
			copy(r.act(w), []float32{float32(w), 7})
			r.complete(w, 1, goesOn, nil)
			observed[w] = append(observed[w], row)
		}
	}
	s := newLens(shape)
	seen := nn.NewMoments(shape.moments())
	for _, row := range observed[0] {
		seen.AddObserved(row, shape.Pictures)
	}
	standard := nn.NewStandardiser(60)
	standard.Limit = 1.5
	standard.Set(seen, shape.Pictures)
	s.set(standard, &r.layout)
	for _, columns := range []ColumnRange{{First: 0, Size: 60}, {First: 1, Size: 30}, {First: 27, Size: 33}, {First: 31, Size: 2}} {
		const stride = 70
		var rows []int64
		var shifts []shift
		for w := range 2 {
			for i := range int64(7) {
				rows = append(rows, int64(r.place(w, i)*r.size()))
				shifts = append(shifts, shift{noise.Int32N(7) - 3, noise.Int32N(7) - 3})
			}
		}
		for _, by := range [][]shift{nil, shifts} {
			dst, plan := make([]float32, stride*len(rows)), r.layout.reads(columns)
			r.read(dst, stride, rows, &s, &plan, by)
			for i := range rows {
				row, want := observed[i/7][i%7], make([]float64, 60)
				copy(want, row)
				for _, p := range shape.Pictures {
					for k := range p.Size() {
						y, x, c := k/p.Channels/p.Width, k/p.Channels%p.Width, k%p.Channels
						if by != nil {
							y, x = min(max(y+int(by[i][0]), 0), p.Height-1), min(max(x+int(by[i][1]), 0), p.Width-1)
						}
						want[p.First+k] = row[p.First+(y*p.Width+x)*p.Channels+c]
					}
				}
				polytest.Equal(t, r.acted(rows[i])[0], float32(i/7), "the action")
				for k, got := range nn.RowOf(dst, stride, i)[:columns.Size] {
					c := columns.First + k
					z := min(max((want[c]-standard.Mean[c])*standard.Scale[c], -1.5), 1.5)
					if d := float64(got) - z; d > 1e-5 || d < -1e-5 {
						t.Fatalf("columns %v, row %d, shifted %v: value %d is %g, want %g", columns, i, by != nil, c, got, z)
					}
				}
			}
		}
	}

	// in records of a few rows
	var written bytes.Buffer
	for records := 0; ; records++ {
		n := polytest.Must(r.writeNew(&written, 3))(t)
		if n == 0 {
			polytest.Equal(t, records, 5, "records of 14 rows")
			break
		}
	}
	again := newReplay(shape, SACSettings{Replay: 20})
	polytest.NoError(t, again.Read(bytes.NewReader(written.Bytes())))
	polytest.EqualSlices(t, again.data, r.data, "values that were read")
	polytest.EqualSlices(t, again.bytes, r.bytes, "bytes that were read")
	polytest.EqualSlices(t, again.count, r.count, "rows that were read")
	shape.ByteFactors = nil
	polytest.ErrorContains(t, newReplay(shape, SACSettings{Replay: 20}).Read(bytes.NewReader(written.Bytes())),
		"it is of other worlds, or observations and actions of other sizes")
}

// SAC with pictures learns the same on any number of workers, in blocks of any size, and continued with a replay that
// was written in parts. It learns the same of bytes and of the floats that they are of.
func TestDeterminismOfSACThatSees(t *testing.T) {
	for name, change := range map[string]func(*Shape, *Settings){
		"both":       func(*Shape, *Settings) {},
		"the policy": func(e *Shape, _ *Settings) { e.Critic = ColumnRange{First: 55, Size: 1} },
		"shifted": func(e *Shape, s *Settings) {
			e.Policy, e.Critic = ColumnRange{First: 0, Size: 55}, ColumnRange{First: 1, Size: 55}
			s.SAC.RandomShift, s.SAC.Steps, s.SAC.Critics, s.SAC.TargetCritics, s.SAC.MaxGradNorm = 1, 2, 3, 2, 0.5
		},
	} {
		t.Run(name, func(t *testing.T) {
			set := seenSACSettings()
			env := func(blockSize, workers int) *cart {
				e := newSeenCart(9, blockSize, workers)
				change(&e.shape, &set)
				return e
			}
			run := func(e *cart, times int, written *bytes.Buffer) *SAC {
				s := polytest.Must(begin(newSAC(e, set, 1)))(t)
				for i := range times {
					polytest.Must(s.Iterate(t.Context()))(t)
					if written != nil && i%3 == 1 {
						polytest.NoError(t, s.replay.WriteNew(written))
					}
				}
				return s
			}
			whole := run(env(4, 2), 12, nil)
			want, rows := learnerBytes(t, whole), replayBytesOf(t, whole.replay)
			if whole.adam.Steps == 0 {
				t.Error("nothing was learned")
			}
			for _, c := range [][2]int{{9, 1}, {1, 3}} {
				s := run(env(c[0], c[1]), 12, nil)
				polytest.EqualSlices(t, learnerBytes(t, s), want, "blocks of %d on %d workers", c[0], c[1])
				polytest.EqualSlices(t, replayBytesOf(t, s.replay), rows, "the replay of blocks of %d on %d workers", c[0], c[1])
			}
			e := env(4, 2)
			e.shape.ByteFactors = nil
			polytest.EqualSlices(t, learnerBytes(t, run(e, 12, nil)), want, "of floats")

			var written bytes.Buffer
			e = env(4, 2)
			was := run(e, 8, &written)
			polytest.NoError(t, was.replay.WriteNew(&written))
			c := polytest.Must(ReadCheckpoint(bytes.NewReader(learnerBytes(t, was))))(t)
			replay := polytest.Must(NewReplay(e.shape, set))(t)
			polytest.NoError(t, replay.Read(bytes.NewReader(written.Bytes())))
			again := polytest.Must(Continue(Worlds{e}, c, Memory{Replay: replay}, c.Settings))(t)
			for range 4 {
				polytest.Must(again.Iterate(t.Context()))(t)
			}
			polytest.EqualSlices(t, learnerBytes(t, again), want, "continued")

			other := newSeenCart(9, 4, 1)
			change(&other.shape, &set)
			other.shape.Pictures = []Picture{picture(1, 9, 3, 2)}
			polytest.ErrorContains(t, polytest.Err(Resume(Worlds{other}, c, set, 1)), "the checkpoint wants [{1 3 9 2}]")
			set.Convolutions = seenConvolutions[:1]
			polytest.ErrorContains(t, polytest.Err(Resume(Worlds{e}, c, set, 1)),
				"convolutions is [{6 3 1 1}], want [{6 3 1 1} {8 2 2 0}]")
		})
	}
}

// Without convolutions pictures are as other values.
func TestSACWithPicturesAsValues(t *testing.T) {
	var files [][]byte
	for _, pictures := range []bool{true, false} {
		e := newSeenCart(9, 4, 1)
		if !pictures {
			e.shape.Pictures, e.shape.ByteFactors = nil, nil
		}
		s := polytest.Must(begin(newSAC(e, sacSettings(), 1)))(t)
		iterations(t, s, 13)
		files = append(files, append(learnerBytes(t, s), replayBytesOf(t, s.replay)...))
	}
	polytest.EqualSlices(t, files[0], files[1], "without convolutions")
}

// A replay that begins with what was recorded has its pictures.
func TestRecordedPictures(t *testing.T) {
	set, rows := seenSACSettings(), &drives{}
	b := newSeenCart(1, 1, 1).blocks[0]
	for e := range 6 {
		var episode []int32
		for done := false; !done; done = b.terminated[0] || b.truncated[0] {
			row := append([]float64(nil), b.observation...)
			b.action[0] = float32(e%3 - 1)
			polytest.NoError(t, b.Step())
			episode = append(episode, int32(rows.Len()))
			rows.observed, rows.acted = append(rows.observed, row), append(rows.acted, b.action[0])
			rows.reward, rows.over = append(rows.reward, b.reward[0]), append(rows.over, b.terminated[0])
		}
		rows.episodes = append(rows.episodes, episode)
	}
	set.SAC.RandomSteps = 1
	s := polytest.Must(begin(FilledWorlds{newSeenCart(1, 1, 1), rows}.open(set, 1)))(t).(*SAC)
	for i, want := range rows.observed {
		for k, v := range s.replay.observed64(int64(i * s.replay.size())) {
			if d := v - want[k]; d > 1e-6 || d < -1e-6 {
				t.Fatalf("row %d has %g as value %d, want %g", i, v, k, want[k])
			}
		}
	}
	if m := iterations(t, s, 2); m.GradientSteps == 0 {
		t.Error("nothing is learned from what was recorded")
	}
}

// The cart is held by sight, by critics that see alike: see TestLearnsToHoldTheSeenCart.
func TestSACLearnsToHoldTheSeenCart(t *testing.T) {
	if testing.Short() {
		t.Skip("it learns for seconds")
	}
	set := seenSACSettings()
	set.Gamma, set.SAC.Minibatch, set.SAC.LearningRate, set.SAC.TargetRate = 0.95, 64, 1e-3, 0.02
	set.SAC.UpdateRatio = 0.25
	s := polytest.Must(begin(newSAC(newSeenCart(16, 16, 2), set, 1)))(t)
	before := meanReturn(t, newSeenCart(64, 16, 2), s.Policy())
	m := iterations(t, s, 70)
	after := meanReturn(t, newSeenCart(64, 16, 2), s.Policy())
	t.Logf("return %.1f before, %.1f after; last iteration %+v", before, after, m)
	if before > 0 || after < 15 {
		t.Errorf("mean return %.1f before and %.1f after learning, want below 0 and at least 15", before, after)
	}
}

// What a learner with a replay is said to take is about what it takes: a picture takes a byte for each of its bytes.
func TestMemoryNeedOfSACThatSees(t *testing.T) {
	e := newStill(4, 2)
	e.shape.Observation, e.shape.Pictures = 1+32*32*3, []Picture{picture(1, 32, 32, 3)}
	e.shape.ByteFactors = [][]float64{{255, 255, 255}}
	for _, replay := range []int64{100, 20_000} {
		set := seenSACSettings()
		set.SAC.Replay, set.SAC.RandomSteps = replay, 100
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		s := polytest.Must(newSAC(e, set, 1))(t)
		runtime.ReadMemStats(&after)
		taken, need := float64(after.TotalAlloc-before.TotalAlloc), float64(replayNeed(e.Shape(), set).Go)
		if ratio := taken / need; ratio < 0.85 || ratio > 1.15 {
			t.Errorf("a replay of %d: takes %.1f MB, said to need %.1f", replay, taken/1e6, need/1e6)
		}
		polytest.Equal(t, replayBytes(e.Shape(), set.SAC.filled()), (replay+4)*(3072+4*(1+6+1)+1), "bytes of a replay")
		runtime.KeepAlive(s)
	}
}

func BenchmarkSACStepSeeing(b *testing.B) {
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
			e := &still{fakeEnv[*fakeBlock]{shape: Shape{Worlds: 16, BlockSize: 16, Workers: workers, Observation: 1 + 64*64*3,
				Action: 1, ActionLow: []float64{-1}, ActionHigh: []float64{1}, Pictures: []Picture{picture(1, 64, 64, 3)},
				ByteFactors: [][]float64{{255, 255, 255}}}}}
			e.fill(func(b fakeBlock) *fakeBlock { return &b })
			set := DefaultSettings()
			set.Algorithm = AlgorithmSAC
			set.Convolutions = []Convolution{convolution(16, 8, 4, 0), convolution(32, 4, 2, 0)}
			set.SAC = SACSettings{RandomSteps: 1000, Minibatch: 128, UpdateRatio: 1e-6, Replay: 4000}
			s := polytest.Must(begin(newSAC(e, set, 1)))(b)
			for s.replay.count[0] < 200 {
				polytest.Must(s.Iterate(b.Context()))(b)
			}
			s.team = nn.NewTeam(workers)
			defer s.team.Close()
			var sum replayChunk
			for b.Loop() {
				s.step(&sum)
			}
		})
	}
}
