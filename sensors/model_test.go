package sensors

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/internal/random"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/pointmass"
	"github.com/polyrhythm-rl/polyrhythm/runners"
)

// drawChannel draws a channel with a random mixture of errors.
func drawChannel(t *rapid.T) Channel {
	std := rapid.Float64Range(0, 2)
	c := Channel{
		Name: "c", Runner: "sensor",
		Sources: []string{rapid.SampledFrom([]string{"position", "acceleration"}).Draw(t, "source")},
		Bias:    Bias{Std: std.Draw(t, "bias"), Walk: std.Draw(t, "walk")},
		Noise:   Noise{Std: std.Draw(t, "noise")},
		Dropout: rapid.SampledFrom([]float64{0, 0, 0.2, 0.9}).Draw(t, "dropout"),
		Latency: time.Duration(rapid.Int64Range(0, int64(20*time.Millisecond)).Draw(t, "latency")),
		Jitter:  time.Duration(rapid.SampledFrom([]int64{0, 1, int64(30 * time.Millisecond)}).Draw(t, "jitter")),
		History: rapid.IntRange(0, 6).Draw(t, "history"),
	}
	if rapid.Bool().Draw(t, "saturates") {
		c.Saturation = Saturation{Low: -1, High: 40}
	}
	if rapid.Bool().Draw(t, "quantises") {
		c.Quantisation = 0.25
	}
	if rapid.Bool().Draw(t, "holds") {
		c.Hold = Hold{Time: 15 * time.Millisecond, Probability: rapid.SampledFrom([]float64{0.3, 1}).Draw(t, "hold")}
	}
	if rapid.Bool().Draw(t, "unbiased") {
		c.Bias = Bias{}
	}
	return c
}

// plain is a reference sensor that keeps every sample.
type plain struct {
	c       Channel
	root    random.Root
	key     uint64
	bias    [2]float64
	held    [2]float64
	heldTo  int64
	last    int64
	samples []plainSample
}

type plainSample struct {
	ns, boundary, arrival int64
	value                 [2]float64
}

func (p *plain) draws(sample int64, purpose ...uint64) *rand.Rand {
	var s random.Stream
	return s.Key(p.words(sample, purpose...)...)
}

func (p *plain) words(sample int64, purpose ...uint64) []uint64 {
	return append([]uint64{p.root.Seed, p.root.World, p.root.Episode, uint64(random.Sensor), p.key, uint64(sample)},
		purpose...)
}

// addNormals adds the normal numbers of a sample, those for a purpose or of its noise.
func (p *plain) addNormals(v *[2]float64, std float64, sample int64, purpose ...uint64) {
	var s random.Stream
	s.AddNormals(v[:], std, random.NewPrefix(p.words(sample, purpose...)...))
}

func (p *plain) value(sample int64, truth float64) (v [2]float64) {
	for i := range v {
		v[i] = truth + p.bias[i]
	}
	if p.c.Noise.Std > 0 {
		p.addNormals(&v, p.c.Noise.Std, sample)
	}
	for i := range v {
		if s := p.c.Saturation; s.Low < s.High {
			v[i] = math.Max(s.Low, math.Min(s.High, v[i]))
		}
		if q := p.c.Quantisation; q > 0 {
			v[i] = math.RoundToEven(v[i]/q) * q
		}
	}
	return v
}

// measure measures immediately, once at a boundary; the true value at boundary k is k.
func (p *plain) measure(ns, boundary int64) {
	n := int64(len(p.samples))
	if n > 0 && p.samples[n-1].boundary == boundary {
		return
	}
	s := plainSample{ns: ns, boundary: boundary, arrival: ns + int64(p.c.Latency)}
	if p.c.Jitter > 0 {
		s.arrival += p.draws(n, drawJitter).Int64N(int64(p.c.Jitter) + 1)
	}
	if p.c.Dropout > 0 && p.draws(n, drawDropout).Float64() < p.c.Dropout {
		s.arrival = math.MaxInt64
	}
	if n > 0 && p.c.Bias.Walk > 0 {
		p.addNormals(&p.bias, p.c.Bias.Walk*math.Sqrt(float64(ns-p.last)*1e-9), n, drawBias)
	}
	p.last = ns
	if ns < p.heldTo {
		s.value = p.held
	} else {
		s.value = p.value(n, float64(boundary))
		if h := p.c.Hold; h.Time > 0 && p.draws(n, drawHold).Float64() < h.Probability {
			p.held, p.heldTo = s.value, ns+int64(h.Time)
		}
	}
	p.samples = append(p.samples, s)
}

// newest is the newest sample up to one that has arrived, -1 if none has.
func (p *plain) newest(last int, now, limit int64) int {
	for n := last; n >= 0; n-- {
		if s := p.samples[n]; s.arrival <= now && s.boundary <= limit {
			return n
		}
	}
	return -1
}

// Over random rates and mixtures of errors, readers see the same as with a reference
// sensor that measures immediately and keeps everything, whatever was read before.
func TestModelsAgainstPlainSensor(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawChannel(t)
		rate := func(name string, most int64) runners.Rate {
			den := rapid.Int64Range(1, 7).Draw(t, name+" den")
			r := polytest.Must(runners.NewRate(rapid.Int64Range(20*den, most*den).Draw(t, name), den))(t)
			return r
		}
		substep := runners.Hz(rapid.Int64Range(200, 1000).Draw(t, "substep"))
		runs := []runners.Runner{{Name: "sensor", Rate: rate("sensor", 2000)}, {Name: "reader", Rate: rate("reader", 500)}}
		schedule, err := runners.Compile(runs, []runners.Binding{
			{Name: "take", Runner: "sensor", Phase: runners.Acquisition},
			{Name: "read", Runner: "reader", Phase: runners.Control},
		})
		if err != nil {
			t.Skip(err)
		}
		suite := polytest.Must(Compile(pointmass.New(substep.Seconds()), substep, runs, []Channel{c}))(t)
		const ahead = 40
		outputs := physics.Outputs{Probes: suite.Probes()}
		rows := physics.NewRows(pointmass.New(substep.Seconds()), 1, outputs, suite.Slots(ahead))
		bank, silent := suite.NewBank(rows), suite.NewBank(rows)
		root := random.Root{Seed: 3, World: 1, Episode: 4}
		rows.Sample(0, 0)[0], rows.Sample(0, 0)[1] = -7, -7
		bank.Reset(0, root.Seed, root.World, root.Episode)
		silent.Reset(0, root.Seed, root.World, root.Episode)
		oracle := &plain{c: c, root: root, key: nameKey(c.Name)}
		if c.Bias.Std > 0 {
			oracle.addNormals(&oracle.bias, c.Bias.Std, beforeFirst, drawBias)
		}
		reset := oracle.value(beforeFirst, -7)

		filled, cursor := int64(0), schedule.Start()
		for range 400 {
			id, k := cursor.Boundary()
			now := suite.At(Anchor{}, runs[id].Rate, k, cursor.NS())
			rows.Boundary[0] = max(rows.Boundary[0], now.Reached+int64(rapid.IntRange(0, ahead-1).Draw(t, "lead")))
			for ; filled <= rows.Boundary[0]; filled++ {
				s := rows.Sample(0, filled)
				s[0], s[1] = float64(filled), float64(filled)
			}
			for _, call := range cursor.Calls() {
				if schedule.Bindings()[call].Name == "take" {
					bank.Sample(0, 0, now)
					silent.Sample(0, 0, now)
					boundary := exactFloor(substep, runs[id].Rate, k)
					oracle.measure(substep.Timestamp(boundary), boundary)
					continue
				}
				got := make([]float64, suite.Size(0))
				stamp, ok := bank.Read(got, 0, 0, now)
				limit := exactFloor(substep, runs[id].Rate, k)
				if c.Sources[0] == "acceleration" && !isBefore(substep, limit, runs[id].Rate, k) {
					limit--
				}
				newest := oracle.newest(len(oracle.samples)-1, now.NS, limit)
				if ok != (newest >= 0) || ok && stamp != oracle.samples[newest].ns {
					t.Fatalf("at %d ns: stamp %d (%t), want sample %d", now.NS, stamp, ok, newest)
				}
				for i := range max(1, c.History) {
					want := reset
					if newest >= 0 {
						if n := oracle.newest(newest-i, now.NS, limit); n >= 0 {
							want = oracle.samples[n].value
						}
					}
					// Of the samples before the ring, only the newest that had arrived is kept.
					forgotten := newest-i < len(oracle.samples)-suite.channels[0].ring.Len
					if row := got[2*i:][:2]; !slices.Equal(row, want[:]) && !forgotten {
						t.Fatalf("at %d ns, %d back: %v, want %v", now.NS, i, row, want)
					}
				}
			}
			cursor.Next()
		}
		if a, b := bank.AppendState(nil, 0), silent.AppendState(nil, 0); !slices.Equal(a, b) {
			t.Fatal("reading changed the memory")
		}
	})
}

func TestModelsHaveTheirSizes(t *testing.T) {
	run := func(c Channel, n int64) (values, stamps []float64) {
		c.Name, c.Runner, c.Sources = "c", "sensor", []string{"position"}
		suite, bank := bankOf(t, 1, 0, c)
		v := make([]float64, suite.Size(0))
		for k := range n {
			bank.rows.Boundary[0] = k
			now := instantOf(suite, k)
			bank.Sample(0, 0, now)
			stamp, _ := bank.Read(v, 0, 0, now)
			values, stamps = append(values, v[0]), append(stamps, float64(now.NS-stamp))
		}
		return values, stamps
	}
	std := func(values []float64) float64 {
		var squares float64
		for _, v := range values {
			squares += v * v
		}
		return math.Sqrt(squares / float64(len(values)))
	}

	noise, _ := run(Channel{Noise: Noise{Std: 0.5}}, 20_000)
	mean := 0.0
	for _, v := range noise {
		mean += v / 20_000
	}
	if math.Abs(mean) > 0.02 || math.Abs(std(noise)-0.5) > 0.01 {
		t.Errorf("noise of mean %v, std %v; want 0 and 0.5", mean, std(noise))
	}

	// A walk of 0.5 per √s, over steps of 2 ms.
	walk, _ := run(Channel{Bias: Bias{Walk: 0.5}}, 20_000)
	var steps []float64
	for i := 1; i < len(walk); i++ {
		steps = append(steps, walk[i]-walk[i-1])
	}
	if got, want := std(steps), 0.5*math.Sqrt(0.002); math.Abs(got/want-1) > 0.03 {
		t.Errorf("steps of the walk have std %v, want %v", got, want)
	}
	polytest.Equal(t, walk[0], 0, "the walk starts at")

	// Every fourth sample is lost: a reader sees a stamp that is older by each loss in a row.
	_, late := run(Channel{Dropout: 0.25}, 20_000)
	lost := 0
	for _, ns := range late {
		if ns > 0 {
			lost++
		}
	}
	if share := float64(lost) / float64(len(late)); math.Abs(share-0.25) > 0.02 {
		t.Errorf("%v of the samples are lost, want 0.25", share)
	}

	// With a hold of 10 ms, each value appears five times.
	held, _ := run(Channel{Noise: Noise{Std: 1}, Hold: Hold{Time: 10 * time.Millisecond, Probability: 1}}, 100)
	for i, v := range held {
		if v != held[i-i%5] || i%5 == 0 && i > 0 && v == held[i-1] {
			t.Fatalf("sample %d is %v, want a new value at every fifth sample only", i, v)
		}
	}

	// The delay of a sample is drawn from its range.
	_, delayed := run(Channel{Latency: 3 * time.Millisecond, Jitter: 4 * time.Millisecond}, 20_000)
	if least, most := slices.Min(delayed[10:]), slices.Max(delayed[10:]); least < 3e6 || most > 9e6 || least == most {
		t.Errorf("readers see samples between %v and %v ns old", least, most)
	}
}

func TestModelIsDescribed(t *testing.T) {
	c := Channel{
		Bias: Bias{0.1, 0.02}, Noise: Noise{0.5}, Saturation: Saturation{-3, 3}, Quantisation: 0.25,
		Hold: Hold{20 * time.Millisecond, 0.1}, Dropout: 0.05, Latency: 4 * time.Millisecond, Jitter: time.Millisecond,
		History: 3,
	}
	want := "bias(std=0.1, walk=0.02), gaussian(std=0.5), saturation(-3, 3), quantisation(0.25), " +
		"hold(20ms, probability=0.1), dropout(0.05), latency(4ms), jitter(1ms), history(3)"
	if got := c.Model(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := (&Channel{}).Model(); got != "exact" {
		t.Errorf("got %q, want exact", got)
	}
}

// A channel that was disabled for longer than physics keeps its samples returns no
// overwritten ones, and continues when it is enabled.
func TestSwitchedOffChannels(t *testing.T) {
	for _, c := range []Channel{noisy("a"), {Name: "a", Runner: "sensor", Sources: []string{"position"}, History: 2}} {
		suite, bank := bankOf(t, 1, 0, c)
		v := make([]float64, suite.Size(0))
		bank.Sample(0, 0, instantOf(suite, 0))
		off := int64(10 * bank.rows.Slots)
		for k := range off {
			bank.rows.Boundary[0] = k
			bank.rows.Sample(0, k)[0] = 1e6
		}
		if stamp, ok := bank.Read(v, 0, 0, instantOf(suite, off-1)); ok || math.Abs(v[0]) > 1e3 {
			t.Errorf("%s: switched off, reads %v with stamp %d (%t)", c.Model(), v, stamp, ok)
		}
		bank.Sample(0, 0, instantOf(suite, off-1))
		if stamp, ok := bank.Read(v, 0, 0, instantOf(suite, off-1)); !ok || stamp != instantOf(suite, off-1).NS ||
			v[0] < 1e5 {
			t.Errorf("%s: switched on, reads %v with stamp %d (%t)", c.Model(), v, stamp, ok)
		}
	}
}

// A disabled channel keeps its newest sample for as long as physics must, and then returns
// the value of the reset. It never goes back to an older sample, even when it is enabled again.
func TestSwitchedOffChannelsNeverGoBack(t *testing.T) {
	for _, c := range []Channel{
		noisy("a"),
		{Name: "a", Runner: "sensor", Sources: []string{"position"}, Bias: Bias{Std: 1, Walk: 3}, Dropout: 0.3},
		{Name: "a", Runner: "sensor", Sources: []string{"position"}, Dropout: 0.9},
		{Name: "a", Runner: "sensor", Sources: []string{"position"}, Dropout: 0.5, Latency: 9 * time.Millisecond, History: 2},
		{Name: "a", Runner: "sensor", Sources: []string{"position"}, Latency: 9 * time.Millisecond},
		{Name: "a", Runner: "sensor", Sources: []string{"position"}, History: 3},
		{Name: "a", Runner: "sensor", Sources: []string{"position"}},
	} {
		suite, bank := bankOf(t, 1, 0, c)
		reset, v := make([]float64, suite.Size(0)), make([]float64, suite.Size(0))
		bank.Read(reset, 0, 0, instantOf(suite, 0))
		last, arrived, gone := int64(-1), false, false
		const on = 50
		off := int64(on + 10*bank.rows.Slots)
		for k := range 2 * off {
			bank.rows.Boundary[0] = k
			bank.rows.Sample(0, k)[0] = float64(k)
			if k%off < on {
				bank.Sample(0, 0, instantOf(suite, k))
			}
			stamp, ok := bank.Read(v, 0, 0, instantOf(suite, k))
			if k == off { // on again: nothing has arrived anew
				arrived, gone = false, false
			}
			if ok && (stamp < last || gone) || !ok && arrived && k%off < on {
				t.Fatalf("%s: at %d stamp %d (%t) after %d, gone %t", c.Model(), k, stamp, ok, last, gone)
			}
			if !ok && !slices.Equal(v, reset) {
				t.Fatalf("%s: at %d reads %v, want that of the reset %v", c.Model(), k, v, reset)
			}
			gone = arrived && !ok
			if ok {
				last, arrived = stamp, true
			}
			if k%off == off-1 && !gone {
				t.Errorf("%s: switched off, still reads a sample of %d", c.Model(), stamp)
			}
		}
	}
}

// A force that was known when the world failed stays known until the episode ends: the
// stamp of a channel never goes away.
func TestForcesOfAFailedWorldStay(t *testing.T) {
	for _, c := range []Channel{
		{Name: "a", Runner: "sensor", Sources: []string{"acceleration"}},
		{Name: "a", Runner: "sensor", Sources: []string{"acceleration"}, Dropout: 0.1},
	} {
		suite, bank := bankOf(t, 1, 0, c)
		v := make([]float64, suite.Size(0))
		const valid = 20
		want, known := int64(-1), false
		for k := range int64(3 * valid) {
			bank.rows.Boundary[0] = min(k, valid)
			bank.Sample(0, 0, instantOf(suite, k))
			stamp, ok := bank.Read(v, 0, 0, instantOf(suite, k))
			if k > valid && (stamp != want || ok != known) {
				t.Fatalf("%s: at %d, %d after the world failed, stamp %d (%t), want %d (%t)", c.Model(), k, k-valid, stamp,
					ok, want, known)
			}
			want, known = stamp, ok
		}
		if !known {
			t.Errorf("%s: no sample was ever known", c.Model())
		}
	}
}

func TestReadAllocatesNothing(t *testing.T) {
	for _, c := range []Channel{noisy("a"), {
		Name: "a", Runner: "sensor", Sources: []string{"position"},
		Bias: Bias{1, 1}, Noise: Noise{1}, Dropout: 0.1, Jitter: time.Millisecond, History: 3,
	}} {
		suite, bank := bankOf(t, 1, 0, c)
		value, k := make([]float64, suite.Size(0)), int64(0)
		if n := polytest.Allocations(100, func() {
			bank.rows.Boundary[0] = k
			bank.Sample(0, 0, instantOf(suite, k))
			bank.Read(value, 0, 0, instantOf(suite, k))
			k++
		}); n != 0 {
			t.Errorf("%s: %v allocations, want 0", c.Model(), n)
		}
	}
}
