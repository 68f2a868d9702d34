package runlog

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

// sliceLog writes the log of the blocks from … to−1 of a run in which a block falls silent after silent[block]
// segments. Each segment has two control steps.
func sliceLog(t polytest.TB, h Header, from, to int, silent []int, segments int) []byte {
	if to-from < len(silent) {
		h.From, h.To = from*h.BlockSize, min(to*h.BlockSize, h.Worlds)
	}
	var file file
	l, err := Create(&file, h)
	if err == nil {
		err = l.Start(to - from)
	}
	polytest.NoError(t, err)
	for segment := range segments {
		if segment%3 == 1 {
			l.Intervention(int64(2*segment), Intervention{Effect: &Steps{Count: int64(segment)}})
		}
		for b := from; b < to; b++ {
			first := b * h.BlockSize
			worlds := min(first+h.BlockSize, h.Worlds) - first
			for k := range int64(2) {
				n := int64(2*segment) + k
				if segment >= silent[b] {
					continue
				}
				random := rand.New(rand.NewPCG(uint64(n), uint64(b)))
				states := make([]State, worlds)
				for i := range states {
					states[i][Physics] = random.Uint64()
				}
				l.Block(b-from).Actions(n, first, worlds, make([]float32, worlds))
				if random.IntN(3) == 0 {
					l.Block(b-from).Restart(n, first, make([]bool, worlds), nil)
				}
				if l.Block(b - from).Due(n + 1) {
					l.Block(b-from).State(n+1, first, states)
				}
			}
		}
		polytest.NoError(t, l.EndSegment())
	}
	polytest.NoError(t, l.Close())
	return file.Bytes()
}

func mergeHeader(worlds, size int) Header {
	return Header{Kind: "rollout", Worlds: worlds, BlockSize: size, Every: 1, Actions: true}
}

// However the blocks are divided, and whenever they fall silent, the logs of slices are merged into the bytes of the
// whole log. A slice ends with the last of its blocks.
func TestMergedLogsAreTheWholeLog(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size, blocks := rapid.IntRange(1, 3).Draw(t, "worlds of a block"), rapid.IntRange(1, 5).Draw(t, "blocks")
		h := mergeHeader(size*(blocks-1)+rapid.IntRange(1, size).Draw(t, "worlds of the last"), size)
		h.Every = rapid.Int64Range(1, 3).Draw(t, "every")
		silent := rapid.SliceOfN(rapid.IntRange(0, 6), blocks, blocks).Draw(t, "segments of a block")
		last := func(from, to int) (most int) {
			for _, n := range silent[from:to] {
				most = max(most, n)
			}
			return most
		}
		var slices []Source
		for from := 0; from < blocks; {
			to := from + rapid.IntRange(1, blocks-from).Draw(t, "blocks of a slice")
			slices = append(slices, Source{fmt.Sprint(from), bytes.NewReader(sliceLog(t, h, from, to, silent, last(from, to)))})
			from = to
		}
		var merged bytes.Buffer
		polytest.NoError(t, Merge(&merged, slices))
		if whole := sliceLog(t, h, 0, blocks, silent, last(0, blocks)); !bytes.Equal(merged.Bytes(), whole) {
			t.Fatalf("%d bytes, want the %d of the whole log", merged.Len(), len(whole))
		}
	})
}

func TestMergeOfBadLogs(t *testing.T) {
	h, silent := mergeHeader(4, 2), []int{3, 3}
	a, b := sliceLog(t, h, 0, 1, silent, 3), sliceLog(t, h, 1, 2, silent, 3)
	other := h
	other.Seed = 2
	foreign := sliceLog(t, other, 1, 2, silent, 3)
	flipped := bytes.Clone(b)
	flipped[len(flipped)-1] ^= 1 // of the last checksum
	for _, c := range []struct {
		name   string
		second []byte
		want   string
		of     error
	}{
		{"of another run", foreign, "the headers of", ErrForeign},
		{"cut", b[:len(b)-21], "b: log ends", nil},
		{"damaged", flipped, "b: log damaged", nil},
		{"no log", nil, "log ends at offset 0", nil},
	} {
		var merged bytes.Buffer
		err := Merge(&merged, []Source{{"a", bytes.NewReader(a)}, {"b", bytes.NewReader(c.second)}})
		if err == nil || !strings.Contains(err.Error(), c.want) || c.of != nil && !errors.Is(err, c.of) || c.of == nil &&
			!errors.As(err, new(*Damage)) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
		if c.of != nil && merged.Len() > 0 {
			t.Errorf("%s: %d bytes were written", c.name, merged.Len())
		}
	}
}
