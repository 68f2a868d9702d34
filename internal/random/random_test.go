package random

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

func TestSameKeySameNumbers(t *testing.T) {
	var a, b Stream
	b.Key(9).Uint64() // earlier draws have no effect
	for range 3 {
		x, y := a.Key(1, 2, 3), b.Key(1, 2, 3)
		for i := range 5 {
			if p, q := x.NormFloat64(), y.NormFloat64(); p != q {
				t.Fatalf("draw %d: %v and %v", i, p, q)
			}
		}
	}
}

// Keys that differ in one word, or in the order of their words, give independent
// streams: about half the bits of their draws differ.
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

// A key gives the same stream whatever part of it is a prefix.
func TestPrefixes(t *testing.T) {
	var a, b Stream
	for cut := range 4 {
		words := []uint64{7, 8, 9}
		p := NewPrefix(words[:cut]...)
		if x, y := a.Key(words...).Uint64(), b.KeyAfter(p, words[cut:]...).Uint64(); x != y {
			t.Errorf("cut after %d words: %#x, want %#x", cut, y, x)
		}
	}
}

// words is a source of these numbers.
type words []uint64

func (w *words) Uint64() uint64 {
	u := (*w)[0]
	*w = (*w)[1:]
	return u
}

// The layers are exactly those of rand.NormFloat64: for each, the test finds the last number that NormFloat64 accepts
// after one draw and the first that it does not.
func TestZigguratIsThatOfNormFloat64(t *testing.T) {
	for layer := range layers {
		for _, side := range []int32{-1, 1} {
			for past := range int32(2) {
				j := side * (int32(inner[layer]) - 1 + past)
				if inner[layer] == 0 && past == 0 {
					continue
				}
				source := make(words, 100) // zeros after the first
				source[0] = uint64(layer)<<32 | uint64(uint32(j))
				got := rand.New(&source).NormFloat64()
				if atOnce := len(source) == 99; atOnce != (past == 0) {
					t.Errorf("layer %d, %d: NormFloat64 drew %d numbers", layer, j, 100-len(source))
				}
				if want := float64(j) * width[layer]; past == 0 && got != want {
					t.Errorf("layer %d, %d: %v, NormFloat64 returns %v", layer, j, want, got)
				}
			}
		}
	}
}

func TestAddNormalsIsNormFloat64(t *testing.T) {
	var s Stream
	for key := range uint64(2000) {
		got, want := make([]float64, 1000), make([]float64, 1000)
		s.AddNormals(got, 0.3, NewPrefix(key, 5))
		for i := range uint64(len(want)) {
			hi, lo := Mix(key, 5)
			after := Prefix{hi, splitmix(lo + i*gamma)}
			source := words{after.lo}
			for range 20 {
				after = after.And(0)
				source = append(source, after.lo)
			}
			want[i] += float64(0.3 * rand.New(&source).NormFloat64())
		}
		if !slices.Equal(got, want) {
			t.Fatalf("key %d: AddNormals and NormFloat64 give different numbers", key)
		}
	}
}

// The numbers of all keys together are normally distributed, and those of neighbouring
// values and keys are uncorrelated.
func TestAddNormalsAreNormal(t *testing.T) {
	const vectors, size = 100_000, 24
	var s Stream
	all := make([]float64, 0, vectors*size)
	var beside, before float64 // sums of products with the value before and the vector before
	last := make([]float64, size)
	for key := range uint64(vectors) {
		v := make([]float64, size)
		s.AddNormals(v, 1, NewPrefix(7, key))
		for i := range v {
			before += v[i] * last[i]
			if i > 0 {
				beside += v[i] * v[i-1]
			}
		}
		all = append(all, v...)
		last = v
	}
	n := float64(len(all))
	// Of n independent products the mean has the standard deviation 1/√n.
	for what, sum := range map[string]float64{"beside": beside, "before": before} {
		if r := sum / n; math.Abs(r) > 5/math.Sqrt(n) {
			t.Errorf("correlation with the value %s: %v", what, r)
		}
	}
	// Kolmogorov and Smirnov: √n times the largest distance exceeds 2.23 once in 10 000 times.
	slices.Sort(all)
	distance := 0.0
	for i, x := range all {
		f := 0.5 * math.Erfc(-x/math.Sqrt2)
		distance = max(distance, f-float64(i)/n, float64(i+1)/n-f)
	}
	if k := distance * math.Sqrt(n); k > 2.23 {
		t.Errorf("Kolmogorov-Smirnov statistic %.2f over %d numbers", k, len(all))
	}
}

func BenchmarkNormals(b *testing.B) {
	var s Stream
	p := NewPrefix(1)
	dst := make([]float64, 12)
	b.Run("AddNormals", func(b *testing.B) {
		for n := uint64(0); b.Loop(); n++ {
			s.AddNormals(dst, 1, p.And(n))
		}
	})
	b.Run("NormFloat64", func(b *testing.B) {
		for n := uint64(0); b.Loop(); n++ {
			r := s.KeyAfter(p, n)
			for i := range dst {
				dst[i] += r.NormFloat64()
			}
		}
	})
}

func TestKeyAllocatesOnce(t *testing.T) {
	var s Stream
	s.Key(0)
	dst := make([]float64, 1000) // some of them by NormFloat64
	s.AddNormals(dst, 1, empty)
	if n := polytest.Allocations(100, func() {
		s.Key(1, 2, 3, 4, 5, 6).NormFloat64()
		s.AddNormals(dst, 1, empty.And(1))
	}); n != 0 {
		t.Errorf("%v allocations, want 0", n)
	}
}

// The numbers of a seed never change, since that would change every run with that seed.
func TestMixIsPinned(t *testing.T) {
	const wantHi, wantLo uint64 = 0xcd8d705991914ea1, 0xf04800b7af9e9793
	if hi, lo := Mix(1, 2, 3); hi != wantHi || lo != wantLo {
		t.Errorf("Mix(1, 2, 3) = %#x, %#x; want %#x, %#x", hi, lo, wantHi, wantLo)
	}
	const wantHash uint64 = 0xd55ccd4aeb3ccafb
	polytest.Equal(t, Hash(1, 2, 3, 4), wantHash, "Hash(1, 2, 3, 4)")
	const wantAction uint64 = 0x7f10f7951c364c21
	polytest.Equal(t, Actions(1, 2).Uint64(), wantAction, "Actions(1, 2) begins with")
}
