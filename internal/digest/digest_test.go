package digest

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

// The sums are those of XXH64's reference implementation over the words
// i·0x0123456789abcdef, i = 1, 2, …, as little-endian bytes.
func TestSumsOfTheReference(t *testing.T) {
	for words, want := range map[int]uint64{
		0:  0xef46db3751d8e999,
		1:  0xea3c52081e9843ec,
		3:  0xddb08daad008f62f,
		4:  0x110d811bc0f08a35,
		5:  0x2686b8c2cacd00a6,
		8:  0xd030a23d388ec517,
		13: 0x918c391b7a5bb78e,
	} {
		var h Hash
		h.Start()
		for i := range words {
			h.Word(uint64(i+1) * 0x0123456789abcdef)
		}
		polytest.Equal(t, h.Sum(), want, "%d words", words)
	}
}

// Values added one at a time and in slices have the same sum as their words.
func TestFloatsAreTheirWords(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	values := make([]float64, 40)
	for i := range values {
		values[i] = math.Float64frombits(r.Uint64())
	}
	for n := range values {
		for cut := range n {
			var words, floats Hash
			words.Start()
			floats.Start()
			for _, v := range values[:n] {
				words.Word(math.Float64bits(v))
			}
			floats.Floats(values[:cut])
			floats.Floats(values[cut:n])
			if words.Sum() != floats.Sum() {
				t.Fatalf("%d values cut at %d: %#x, want %#x", n, cut, floats.Sum(), words.Sum())
			}
		}
	}
}

func TestEveryBitCounts(t *testing.T) {
	values := make([]float64, 11)
	sum := func() uint64 {
		var h Hash
		h.Start()
		h.Floats(values)
		return h.Sum()
	}
	seen := map[uint64]bool{sum(): true}
	for i := range values {
		for bit := range 64 {
			values[i] = math.Float64frombits(1 << bit)
			seen[sum()] = true
			values[i] = 0
		}
	}
	polytest.Equal(t, len(seen), 1+64*len(values), "different sums")
}

func BenchmarkFloats(b *testing.B) {
	values := make([]float64, 150)
	var h Hash
	b.ReportAllocs()
	b.SetBytes(8 * int64(len(values)))
	for b.Loop() {
		h.Start()
		h.Floats(values)
		h.Sum()
	}
}
