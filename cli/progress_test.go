package cli

import (
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

func TestProgressLines(t *testing.T) {
	for done, want := range map[int64]string{
		0:   "", // there is nothing to say yet
		50:  "job  50 %  50 rows  1m0s left\n",
		100: "job 100 %  100 rows  0s left\n",
		120: "job 100 %  120 rows  0s left\n",
	} {
		synctest.Test(t, func(t *testing.T) {
			var out strings.Builder
			p := &progress{out: &out, name: "job"}
			p.Update(0, 100, "")
			time.Sleep(time.Minute)
			p.Update(done, 100, count(done, "row"))
			polytest.Equal(t, out.String(), want, "%d of 100", done)
		})
	}
}

// The time left follows from the pace of this run, not from what was done before it.
func TestProgressOfAResumedJob(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		p := &progress{out: &out, name: "job"}
		p.Update(80, 100, "")
		time.Sleep(time.Minute)
		p.Update(90, 100, "half of the rest")
		polytest.Equal(t, out.String(), "job  90 %  half of the rest  1m0s left\n", "progress")
	})
}

func TestTimeLeft(t *testing.T) {
	for part, want := range map[float64]string{1: "  0s left", 0.5: "  1m0s left", 0.001: "  16h39m0s left", 1e-18: ""} {
		polytest.Equal(t, timeLeft(time.Minute, part), want, "after a minute for %v", part)
	}
}

// A huge return is printed with an exponent, not with a hundred digits.
func TestTenths(t *testing.T) {
	for x, want := range map[float64]string{0: "0.0", -2137.44: "-2137.4", 1e99: "1e+99", math.Inf(1): "+Inf"} {
		polytest.Equal(t, tenths(x), want, "%v is printed as", x)
	}
}

func TestCount(t *testing.T) {
	for n, want := range map[int]string{0: "0 batches", 1: "1 batch", 2: "2 batches"} {
		if got := count(n, "batch"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := count(int64(1), "whole episode"); got != "1 whole episode" {
		t.Errorf("%q", got)
	}
}
