package sensors

import (
	"math"
	"math/big"
	"testing"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/pointmass"
	"github.com/polyrhythm-rl/polyrhythm/runners"
)

// exactFloor returns the newest boundary of rate at or before boundary k of another.
func exactFloor(rate, other runners.Rate, k int64) int64 {
	x := new(big.Rat).SetFrac64(k*other.Den(), other.Num())
	x.Mul(x, new(big.Rat).SetFrac64(rate.Num(), rate.Den()))
	return new(big.Int).Div(x.Num(), x.Denom()).Int64()
}

// isBefore reports whether boundary i of a lies strictly before boundary j of b.
func isBefore(a runners.Rate, i int64, b runners.Rate, j int64) bool {
	x := new(big.Rat).SetFrac64(i*a.Den(), a.Num())
	return x.Cmp(new(big.Rat).SetFrac64(j*b.Den(), b.Num())) < 0
}

// bankOf returns a bank of worlds first and first+1 that measures position with noise.
func bankOf(t *testing.T, seed uint64, first int, channels ...Channel) (*Suite, *Bank) {
	t.Helper()
	runs := []runners.Runner{{Name: "sensor", Rate: runners.Hz(500)}}
	m := pointmass.New(0.002)
	suite := polytest.Must(Compile(m, runners.Hz(500), runs, channels))(t)
	rows := physics.NewRows(m, 2, physics.Outputs{Probes: suite.Probes()}, suite.Slots(10))
	bank := suite.NewBank(rows)
	for id := range 2 {
		bank.Reset(id, seed, uint64(first+id), 3)
	}
	return suite, bank
}

func noisy(name string) Channel {
	return Channel{Name: name, Runner: "sensor", Sources: []string{"position"}, Noise: Noise{Std: 0.5}}
}

// instantOf is the instant of boundary k at 500 Hz.
func instantOf(s *Suite, k int64) Now {
	return s.At(Anchor{}, runners.Hz(500), k, runners.Hz(500).Timestamp(k))
}

func read(s *Suite, b *Bank, channel, id int, k int64) [2]float64 {
	var v [2]float64
	b.Read(v[:], channel, id, instantOf(s, k))
	return v
}

func TestNoiseBelongsToItsSample(t *testing.T) {
	suite, bank := bankOf(t, 1, 0, noisy("a"))
	now := instantOf(suite, 0)
	bank.Sample(0, 0, now)
	bank.Sample(0, 1, now)
	v := read(suite, bank, 0, 0, 0)
	if again := read(suite, bank, 0, 0, 0); again != v {
		t.Errorf("read twice: %v, then %v", v, again)
	}
	if other := read(suite, bank, 0, 1, 0); other == v {
		t.Error("two worlds have the same noise")
	}
	bank.Reset(0, 1, 0, 4)
	bank.Sample(0, 0, now)
	if other := read(suite, bank, 0, 0, 0); other == v {
		t.Error("two episodes have the same noise")
	}

	// The same world in another block, and beside another channel.
	suite2, bank2 := bankOf(t, 1, 0, noisy("b"), noisy("a"))
	bank2.Sample(1, 0, now)
	polytest.Equal(t, read(suite2, bank2, 1, 0, 0), v, "beside another channel")
	bank2.Sample(0, 0, now)
	if got := read(suite2, bank2, 0, 0, 0); got == v {
		t.Error("two channels have the same noise")
	}
	_, shifted := bankOf(t, 1, -1, noisy("a"))
	shifted.Sample(0, 1, now)
	polytest.Equal(t, read(suite, shifted, 0, 1, 0), v, "as the second world of a block")
	_, reseeded := bankOf(t, 2, 0, noisy("a"))
	reseeded.Sample(0, 0, now)
	if got := read(suite, reseeded, 0, 0, 0); got == v {
		t.Error("two seeds have the same noise")
	}
}

func TestSharedSourcesAreProbedOnce(t *testing.T) {
	suite, _ := bankOf(t, 1, 0, noisy("a"), Channel{
		Name: "both", Runner: "sensor", Sources: []string{"velocity", "position"},
	})
	var sources []string
	for _, p := range suite.Probes() {
		sources = append(sources, p.Source)
	}
	polytest.EqualSlices(t, sources, []string{"position", "velocity"}, "probes")
	if n := suite.Size(1); n != 4 {
		t.Errorf("channel of two sources has %d values, want 4", n)
	}
}

func TestCompileErrors(t *testing.T) {
	for want, change := range map[string]func(*Channel){
		`the name of sensor channel 1 of 1 is "", want a name`: func(c *Channel) { c.Name = "" },

		"sources is []":                        func(c *Channel) { c.Sources = nil },
		`no runner "fast", want one of sensor`: func(c *Channel) { c.Runner = "fast" },
		`the nearest known one is "position"`:  func(c *Channel) { c.Sources = []string{"positon"} },
		"want sources of one stage":            func(c *Channel) { c.Sources = []string{"position", "acceleration"} },
		"noise.std is -1":                      func(c *Channel) { c.Noise.Std = -1 },
		"noise.std is NaN":                     func(c *Channel) { c.Noise.Std = math.NaN() },
		"latency is -1ns":                      func(c *Channel) { c.Latency = -1 },
		"latency is 1h0m0s":                    func(c *Channel) { c.Latency = time.Hour },
		"bias.walk is -1":                      func(c *Channel) { c.Bias.Walk = -1 },
		"bias.std is +Inf":                     func(c *Channel) { c.Bias.Std = math.Inf(1) },
		"saturation is 2 to 1":                 func(c *Channel) { c.Saturation = Saturation{2, 1} },
		"quantisation is NaN":                  func(c *Channel) { c.Quantisation = math.NaN() },
		"hold.probability is 0":                func(c *Channel) { c.Hold.Time = time.Second },
		"hold.time is -1ns":                    func(c *Channel) { c.Hold.Time = -1 },
		"dropout is 1":                         func(c *Channel) { c.Dropout = 1 },
		"want at most 10s together":            func(c *Channel) { c.Latency, c.Jitter = 6*time.Second, 5*time.Second },
		"jitter is -1ns":                       func(c *Channel) { c.Jitter = -1 },
		"history is 1001":                      func(c *Channel) { c.History = MaxHistory + 1 },
		"is given twice, want different names": nil,
	} {
		channels := []Channel{noisy("a")}
		if change == nil {
			channels = append(channels, noisy("a"))
		} else {
			change(&channels[0])
		}
		runs := []runners.Runner{{Name: "sensor", Rate: runners.Hz(500)}}
		_, err := Compile(pointmass.New(0.002), runners.Hz(500), runs, channels)
		polytest.ErrorContains(t, err, want)
	}
}
