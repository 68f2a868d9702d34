package gymnasium

import (
	"encoding/binary"
	"math"
	"os"
	"os/exec"
	"strconv"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

// Sums of squares of every length up to some hundred are NumPy's, to the bit.
func TestSumsAreNumPys(t *testing.T) {
	python := polytest.Python(t)
	const longest = 700
	cmd := exec.Command(python, "-c", `
import sys, numpy
random = numpy.random.default_rng(1)
for n in range(int(sys.argv[1])):
    x = random.normal(size=n)
    y = x.astype(numpy.float32)
    sums = numpy.sum(numpy.square(x)), numpy.sum(numpy.square(y))
    sys.stdout.buffer.write(numpy.concatenate([x, y, sums]).astype("<f8").tobytes())
`, strconv.Itoa(longest))
	cmd.Stderr = os.Stderr
	out := polytest.Must(cmd.Output())(t)
	next := func() float64 {
		v := math.Float64frombits(binary.LittleEndian.Uint64(out))
		out = out[8:]
		return v
	}
	for n := range longest {
		double, single := make([]float64, n), make([]float32, n)
		for i := range double {
			double[i] = next()
		}
		for i := range single {
			single[i] = float32(next())
		}
		polytest.Equal(t, squares(double), next(), "%d doubles", n)
		if got, want := squares(single), next(); float64(got) != want {
			t.Errorf("%d singles: %v, want %v", n, got, want)
		}
	}
	polytest.Equal(t, len(out), 0, "bytes are left")
}
