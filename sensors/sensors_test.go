package sensors

import (
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/polyrhythm-rl/polyrhythm/internal/random"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/pointmass"
	"github.com/polyrhythm-rl/polyrhythm/runners"
)

// Over random rates and latencies, a reader gets the newest available sample, found
// here by looking at all of them.
func TestReadFindsTheNewestSampleThatMayBeKnown(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rate := rapid.Custom(func(t *rapid.T) runners.Rate {
			r, err := runners.NewRate(rapid.Int64Range(1, 2000).Draw(t, "num"), rapid.Int64Range(1, 7).Draw(t, "den"))
			if err != nil {
				t.Fatal(err)
			}
			return r
		})
		substep := runners.Hz(rapid.Int64Range(100, 2000).Draw(t, "substep"))
		sensor := rate.Draw(t, "sensor")
		reader := rate.Draw(t, "reader")
		latency := time.Duration(rapid.Int64Range(0, int64(50*time.Millisecond)).Draw(t, "latency"))
		source := rapid.SampledFrom([]string{"position", "acceleration"}).Draw(t, "source")
		ahead := rapid.IntRange(1, 40).Draw(t, "ahead")

		runs := []runners.Runner{{Name: "sensor", Rate: sensor}, {Name: "reader", Rate: reader}}
		schedule, err := runners.Compile(runs, []runners.Binding{
			{Name: "take", Runner: "sensor", Phase: runners.Acquisition},
			{Name: "read", Runner: "reader", Phase: runners.Control},
		})
		if err != nil {
			t.Skip(err)
		}
		m := pointmass.New(substep.Seconds())
		suite, err := Compile(m, substep, runs, []Channel{
			{Name: "c", Runner: "sensor", Sources: []string{source}, Latency: latency},
		})
		if err != nil {
			t.Fatal(err)
		}
		rows := physics.NewRows(m, 1, physics.Outputs{Probes: suite.Probes()}, suite.Slots(ahead))
		bank := suite.NewBank(rows)
		// The sample of boundary k has the value k, that of the reset −1.
		rows.Sample(0, 0)[0] = -1
		bank.Reset(0, random.Root{Seed: 1})
		filled := int64(0)
		var taken []int64 // boundaries

		cursor := schedule.Start()
		for range 200 {
			id, k := cursor.Boundary()
			now := suite.At(Anchor{}, runs[id].Rate, k, cursor.NS())
			if now.NS > int64(time.Second) {
				break
			}
			// Physics is somewhere between this instant and its largest lead.
			rows.Boundary[0] = max(rows.Boundary[0], now.Reached+int64(rapid.IntRange(0, ahead-1).Draw(t, "lead")))
			for ; filled <= rows.Boundary[0]; filled++ {
				rows.Sample(0, filled)[0] = float64(filled)
			}
			for _, call := range cursor.Calls() {
				if schedule.Bindings()[call].Name == "take" {
					bank.Sample(0, 0, now)
					taken = append(taken, exactFloor(substep, runs[id].Rate, k))
					continue
				}
				value := make([]float64, 2)
				stamp, ok := bank.Read(value, 0, 0, now)
				want, wantOK := int64(-1), false
				for _, b := range taken {
					timestamp := substep.Timestamp(b)
					early := source == "acceleration" && !before(substep, b, runs[id].Rate, k)
					if timestamp+int64(latency) <= now.NS && !early {
						want, wantOK = b, true
					}
				}
				if ok != wantOK || ok && stamp != substep.Timestamp(want) || value[0] != float64(want) {
					t.Fatalf("at %d ns: value %v, stamp %d (%t); want boundary %d (%t)", now.NS, value[0], stamp, ok, want, wantOK)
				}
			}
			cursor.Next()
		}
	})
}

// exactFloor returns the newest boundary of rate at or before boundary k of another.
func exactFloor(rate, of runners.Rate, k int64) int64 {
	x := new(big.Rat).SetFrac64(k*of.Den(), of.Num())
	x.Mul(x, new(big.Rat).SetFrac64(rate.Num(), rate.Den()))
	return new(big.Int).Div(x.Num(), x.Denom()).Int64()
}

// before reports whether boundary i of a lies strictly before boundary j of b.
func before(a runners.Rate, i int64, b runners.Rate, j int64) bool {
	x := new(big.Rat).SetFrac64(i*a.Den(), a.Num())
	return x.Cmp(new(big.Rat).SetFrac64(j*b.Den(), b.Num())) < 0
}

// bankOf returns a bank of worlds first and first+1 that measures position with noise.
func bankOf(t *testing.T, seed uint64, first int, channels ...Channel) (*Suite, *Bank) {
	t.Helper()
	runs := []runners.Runner{{Name: "sensor", Rate: runners.Hz(500)}}
	m := pointmass.New(0.002)
	suite, err := Compile(m, runners.Hz(500), runs, channels)
	if err != nil {
		t.Fatal(err)
	}
	rows := physics.NewRows(m, 2, physics.Outputs{Probes: suite.Probes()}, suite.Slots(10))
	bank := suite.NewBank(rows)
	for id := range 2 {
		bank.Reset(id, random.Root{Seed: seed, World: uint64(first + id), Episode: 3})
	}
	return suite, bank
}

func noisy(name string) Channel {
	return Channel{Name: name, Runner: "sensor", Sources: []string{"position"}, Noise: Noise{Std: 0.5}}
}

func read(s *Suite, b *Bank, channel, id int, k int64) [2]float64 {
	var v [2]float64
	b.Read(v[:], channel, id, s.At(Anchor{}, runners.Hz(500), k, runners.Hz(500).Timestamp(k)))
	return v
}

func TestNoiseBelongsToItsSample(t *testing.T) {
	suite, bank := bankOf(t, 1, 0, noisy("a"))
	now := suite.At(Anchor{}, runners.Hz(500), 0, 0)
	bank.Sample(0, 0, now)
	bank.Sample(0, 1, now)
	v := read(suite, bank, 0, 0, 0)
	if again := read(suite, bank, 0, 0, 0); again != v {
		t.Errorf("read twice: %v, then %v", v, again)
	}
	if other := read(suite, bank, 0, 1, 0); other == v {
		t.Error("two worlds have the same noise")
	}
	bank.Reset(0, random.Root{Seed: 1, Episode: 4})
	bank.Sample(0, 0, now)
	if other := read(suite, bank, 0, 0, 0); other == v {
		t.Error("two episodes have the same noise")
	}

	// The same world in another block, and beside another channel.
	suite2, bank2 := bankOf(t, 1, 0, noisy("b"), noisy("a"))
	bank2.Sample(1, 0, now)
	if got := read(suite2, bank2, 1, 0, 0); got != v {
		t.Errorf("beside another channel: %v, want %v", got, v)
	}
	bank2.Sample(0, 0, now)
	if got := read(suite2, bank2, 0, 0, 0); got == v {
		t.Error("two channels have the same noise")
	}
	_, shifted := bankOf(t, 1, -1, noisy("a"))
	shifted.Sample(0, 1, now)
	if got := read(suite, shifted, 0, 1, 0); got != v {
		t.Errorf("as the second world of a block: %v, want %v", got, v)
	}
	_, reseeded := bankOf(t, 2, 0, noisy("a"))
	reseeded.Sample(0, 0, now)
	if got := read(suite, reseeded, 0, 0, 0); got == v {
		t.Error("two seeds have the same noise")
	}
}

func TestNoiseHasItsSpread(t *testing.T) {
	suite, bank := bankOf(t, 1, 0, noisy("a"))
	var sum, squares float64
	const n = 20_000
	for k := range int64(n) {
		now := suite.At(Anchor{}, runners.Hz(500), k, runners.Hz(500).Timestamp(k))
		bank.rows.Boundary[0] = k
		bank.Sample(0, 0, now)
		v := read(suite, bank, 0, 0, k)
		sum += v[0] + v[1]
		squares += v[0]*v[0] + v[1]*v[1]
	}
	mean, std := sum/(2*n), math.Sqrt(squares/(2*n))
	if math.Abs(mean) > 0.02 || math.Abs(std-0.5) > 0.01 {
		t.Errorf("mean %v, std %v; want 0 and 0.5", mean, std)
	}
}

func TestReadAllocatesNothing(t *testing.T) {
	suite, bank := bankOf(t, 1, 0, noisy("a"))
	now := suite.At(Anchor{}, runners.Hz(500), 0, 0)
	value := make([]float64, 2)
	if n := testing.AllocsPerRun(100, func() {
		bank.Sample(0, 0, now)
		bank.Read(value, 0, 0, now)
	}); n != 0 {
		t.Errorf("%v allocations, want 0", n)
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
	if want := []string{"position", "velocity"}; !slices.Equal(sources, want) {
		t.Errorf("probes %v, want %v", sources, want)
	}
	if n := suite.Size(1); n != 4 {
		t.Errorf("channel of two sources has %d values, want 4", n)
	}
}

func TestCompileErrors(t *testing.T) {
	good := noisy("a")
	for _, c := range []struct {
		name   string
		change func(*Channel)
		want   string
	}{
		{"no name", func(c *Channel) { c.Name = "" }, `the name of sensor channel 1 of 1 is "", want a name`},
		{"no sources", func(c *Channel) { c.Sources = nil }, "sources is []"},
		{"unknown runner", func(c *Channel) { c.Runner = "fast" }, `no runner "fast", want one of sensor`},
		{"unknown source", func(c *Channel) { c.Sources[0] = "positon" }, `the nearest known one is "position"`},
		{"mixed stages", func(c *Channel) { c.Sources = []string{"position", "acceleration"} }, "want sources of one stage"},
		{"negative noise", func(c *Channel) { c.Noise.Std = -1 }, "noise.std is -1"},
		{"NaN noise", func(c *Channel) { c.Noise.Std = math.NaN() }, "noise.std is NaN"},
		{"negative latency", func(c *Channel) { c.Latency = -1 }, "latency is -1ns"},
		{"long latency", func(c *Channel) { c.Latency = time.Hour }, "latency is 1h0m0s"},
		{"twice", func(c *Channel) {}, "is given twice, want different names"},
	} {
		t.Run(c.name, func(t *testing.T) {
			bad := good
			bad.Sources = slices.Clone(good.Sources)
			c.change(&bad)
			channels := []Channel{bad}
			if c.name == "twice" {
				channels = append(channels, good)
			}
			_, err := Compile(pointmass.New(0.002), runners.Hz(500), []runners.Runner{{Name: "sensor", Rate: runners.Hz(500)}}, channels)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}
