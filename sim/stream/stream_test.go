package stream

import (
	"math"
	"math/bits"
	"testing"
)

func TestSameKeySameNumbers(t *testing.T) {
	var a, b Stream
	b.Key(9).Uint64() // what was drawn before does not matter
	for range 3 {
		x, y := a.Key(1, 2, 3), b.Key(1, 2, 3)
		for i := range 5 {
			if p, q := x.NormFloat64(), y.NormFloat64(); p != q {
				t.Fatalf("draw %d: %v and %v", i, p, q)
			}
		}
	}
}

// Keys that differ in one place, or in the order of their words, give streams
// that have nothing in common: about half the bits of their draws differ.
func TestKeysAreIndependent(t *testing.T) {
	keys := [][]uint64{{}, {0}, {1}, {0, 0}, {0, 1}, {1, 0}, {1, 1}, {2, 0}, {0, 0, 0}, {1 << 63, 0}, {math.MaxUint64}}
	const draws = 200
	for i, p := range keys {
		for j, q := range keys[:i] {
			var a, b Stream
			x, y := a.Key(p...), b.Key(q...)
			differ := 0
			for range draws {
				differ += bits.OnesCount64(x.Uint64() ^ y.Uint64())
			}
			// 12 800 fair bits: standard deviation 57.
			if mean := 64 * draws / 2; differ < mean-400 || differ > mean+400 {
				t.Errorf("keys %v and %v (%d, %d): %d of %d bits differ", p, q, i, j, differ, 64*draws)
			}
		}
	}
}

func TestKeyAllocatesOnce(t *testing.T) {
	var s Stream
	s.Key(0)
	if n := testing.AllocsPerRun(100, func() { s.Key(1, 2, 3, 4, 5, 6).NormFloat64() }); n != 0 {
		t.Errorf("%v allocations, want 0", n)
	}
}

// The numbers behind a seed are a promise: a changed one would change every
// run that was ever made with it.
func TestMixIsPinned(t *testing.T) {
	hi, lo := Mix(1, 2, 3)
	if hi != pinnedHi || lo != pinnedLo {
		t.Errorf("Mix(1, 2, 3) = %#x, %#x; want %#x, %#x", hi, lo, uint64(pinnedHi), uint64(pinnedLo))
	}
}

const (
	pinnedHi = 0xcd8d705991914ea1
	pinnedLo = 0xf04800b7af9e9793
)
