package runners

import (
	"encoding/json"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

func TestParseRate(t *testing.T) {
	for text, want := range map[string]Rate{
		"50":                   {50, 1},
		" 50 ":                 {50, 1},
		"50.":                  {50, 1},
		"050.000":              {50, 1},
		".5":                   {1, 2},
		"29.97":                {2997, 100},
		"200/3":                {200, 3},
		"1/010":                {1, 10}, // decimal, never octal
		"400/6":                {200, 3},
		"30000/1001":           {30000, 1001},
		"15ms":                 {200, 3},
		"20ms":                 {50, 1},
		"2.5us":                {400000, 1},
		"2.5µs":                {400000, 1}, // micro sign
		"2.5\u03bcs":           {400000, 1}, // Greek letter
		"1ns":                  {1000000000, 1},
		"3s":                   {1, 3},
		"33333333ns":           {1000000000, 33333333},
		"0.1":                  {1, 10},
		"2147483647":           {2147483647, 1},
		"1/2147483647":         {1, 2147483647},
		"4294967294/2":         {2147483647, 1},
		"0.000000000931322575": {}, // below: denominator too large
	} {
		got, err := ParseRate(text)
		if want.IsZero() {
			if err == nil {
				t.Errorf("ParseRate(%q) = %v, want an error", text, got)
			}
			continue
		}
		if err != nil || got != want {
			t.Errorf("ParseRate(%q) = %v, %v; want %d/%d", text, got, err, want.num, want.den)
		}
	}
}

func TestParseRateErrors(t *testing.T) {
	const forms = `; want hertz ("50", "29.97"), a fraction ("200/3", "30000/1001") or a period with its unit ` +
		`("15ms"; ns, us, µs, ms, s)`
	for text, why := range map[string]string{
		"":              "not a number",
		".":             "not a number",
		"fast":          "not a number",
		"NaN":           "not a number",
		"Inf":           "not a number",
		"+50":           "not a number",
		"5e1":           "not a number",
		"0x32":          "not a number",
		"5_0":           "not a number",
		"1.2.3":         "not a number",
		"50Hz":          "not a number",
		"٥":             "not a number",
		"ms":            "not a number",
		"15m":           "not a number",
		"1 5":           "not a number",
		"0":             "not positive",
		"0.000":         "not positive",
		"0ms":           "not positive",
		"0/5":           "not positive",
		"-50":           "not positive",
		"-inf":          "not positive",
		"5/0":           "division by zero",
		"1/2/3":         "not a fraction of whole numbers",
		"29.97/2":       "not a fraction of whole numbers",
		"1/15ms":        "not a fraction of whole numbers",
		"/3":            "not a number",
		"3/":            "not a fraction of whole numbers",
		"2147483648":    "2147483648 Hz has a numerator or denominator of 2^31 or more",
		"0.33333333333": "33333333333/100000000000 Hz has a numerator or denominator of 2^31 or more",
		"0.1ns":         "10000000000 Hz has a numerator or denominator of 2^31 or more",
	} {
		want := `rate "` + text + `": ` + why + forms
		polytest.ErrorContains(t, polytest.Err(ParseRate(text)), want)
	}

	long := strings.Repeat("9", 1000)
	want := `rate "` + strings.Repeat("9", 64) + `…": longer than 64 bytes` + forms
	polytest.ErrorContains(t, polytest.Err(ParseRate(long)), want)
}

func TestNewRateErrors(t *testing.T) {
	for _, c := range []struct {
		num, den int64
		want     string
	}{
		{0, 1, "rate is 0/1, want a positive numerator and denominator"},
		{-50, 1, "rate is -50/1, want a positive numerator and denominator"},
		{50, 0, "rate is 50/0, want a positive numerator and denominator"},
		{1 << 31, 1, "rate is 2147483648/1, want numerator and denominator below 2^31 in lowest terms"},
		{1, 1 << 31, "rate is 1/2147483648, want numerator and denominator below 2^31 in lowest terms"},
	} {
		polytest.ErrorContains(t, polytest.Err(NewRate(c.num, c.den)), c.want)
	}
	if r, err := NewRate(math.MaxInt64, math.MaxInt64); err != nil || r != Hz(1) {
		t.Errorf("a large fraction that reduces: %v, %v, want 1", r, err)
	}
}

func TestRateText(t *testing.T) {
	for want, r := range map[string]Rate{
		"50": Hz(50), "29.97": {2997, 100}, "200/3": {200, 3}, "30000/1001": {30000, 1001}, "0.5": {1, 2},
		"0.000000001": {1, 1000000000}, "1/1024": {1, 1024}, "0.001953125": {1, 512}, "1.05": {21, 20},
	} {
		text, err := json.Marshal(r)
		if err != nil || string(text) != `"`+want+`"` {
			t.Errorf("%d/%d Hz written as %s (%v), want %q", r.num, r.den, text, err, want)
		}
	}
	polytest.ErrorContains(t, polytest.Err(json.Marshal(Rate{})), "rate is not set")
	kept := Hz(7)
	if err := kept.UnmarshalText([]byte("x")); err == nil || kept != Hz(7) {
		t.Errorf("reading %q gave %v, %v; want an error and the rate kept", "x", kept, err)
	}
}

// The seeds' 30 Hz: steps cycle so that long-term timing stays exact.
func TestStepsOf30HzCycle(t *testing.T) {
	for k, want := range []int64{33333333, 33333333, 33333334, 33333333, 33333333, 33333334} {
		if got := Hz(30).DT(int64(k)); got != want {
			t.Errorf("step %d of 30 Hz is %d ns, want %d", k, got, want)
		}
	}
	polytest.Equal(t, Hz(30).Timestamp(2), 66666666, "boundary 2 of 30 Hz is stamped")
	if got := Hz(30).Seconds(); got != 1.0/30 {
		t.Errorf("period of 30 Hz is %v s, want %v", got, 1.0/30)
	}
}

func drawRate(t *rapid.T, name string) Rate {
	term := rapid.OneOf(rapid.Int64Range(1, 1000), rapid.Int64Range(1, maxTerm-1))
	return polytest.Must(NewRate(term.Draw(t, name+" num"), term.Draw(t, name+" den")))(t)
}

// TestRateArithmetic compares every operation on boundaries with exact
// rationals.
func TestRateArithmetic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawRate(t, "a"), drawRate(t, "b")
		limit := min(a.lastBoundary(), 1<<62)
		k := rapid.OneOf(rapid.Int64Range(0, min(limit, 1000)), rapid.Int64Range(0, limit)).Draw(t, "k")
		hz := big.NewRat(a.num, a.den)
		at := boundary(hz, k)

		polytest.Equal(t, a.Timestamp(k), timestamp(at), "timestamp")
		dt := new(big.Int).Sub(bigTimestamp(boundary(hz, k+1)), bigTimestamp(at))
		if got := a.DT(k); got != dt.Int64() {
			t.Errorf("dt %d, want %d", got, dt)
		}
		if want, _ := new(big.Rat).Inv(hz).Float64(); a.Seconds() != want {
			t.Errorf("period %v s, want %v", a.Seconds(), want)
		}
		whole, rest := ratFloor(new(big.Rat).Mul(at, big.NewRat(b.num, b.den)))
		if whole.Cmp(big.NewInt(1<<62)) < 0 {
			newest := whole.Int64()
			reached := newest
			if rest.Sign() != 0 {
				reached++
			}
			if b.Newest(a, k) != newest || b.Reached(a, k) != reached {
				t.Errorf("newest %d, reached %d; want %d, %d", b.Newest(a, k), b.Reached(a, k), newest, reached)
			}
			for _, j := range []int64{newest, newest + 1} {
				want := at.Cmp(boundary(big.NewRat(b.num, b.den), j))
				polytest.Equal(t, compareBoundaries(a, k, b, j), want, "boundary %d against %d of the other", k, j)
			}
		}

		text := polytest.Must(a.MarshalText())(t)
		if back, err := ParseRate(string(text)); err != nil || back != a {
			t.Errorf("%q read back as %v, %v", text, back, err)
		}
	})
}

func TestTimes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawRate(t, "rate")
		n := rapid.Int64Range(-2, 1<<40).Draw(t, "n")
		got, err := r.Times(n)
		want := new(big.Rat).Mul(big.NewRat(r.num, r.den), big.NewRat(n, 1))
		fits := n > 0 && want.Num().Cmp(big.NewInt(maxTerm)) < 0
		if (err == nil) != fits || fits && big.NewRat(got.num, got.den).Cmp(want) != 0 {
			t.Errorf("%v times %d is %v, %v; want %s", r, n, got, err, want.RatString())
		}
	})
	if r, err := (Rate{200, 3}).Times(5); err != nil || r != (Rate{1000, 3}) {
		t.Errorf("200/3 times 5 is %v, %v; want 1000/3", r, err)
	}
}

// TestCompareBoundaries orders instants far apart and equal ones, where the
// halves of the 128-bit products disagree.
func TestCompareBoundaries(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawRate(t, "a"), drawRate(t, "b")
		index := rapid.OneOf(rapid.Int64Range(0, 100), rapid.Int64Min(0))
		i, j := index.Draw(t, "i"), index.Draw(t, "j")
		want := boundary(big.NewRat(a.num, a.den), i).Cmp(boundary(big.NewRat(b.num, b.den), j))
		polytest.Equal(t, compareBoundaries(a, i, b, j), want, "boundary %d of %v Hz against %d of %v Hz", i, a, j, b)
	})
	// 2^64 against 2^63 − 1, as products
	polytest.Equal(t, compareBoundaries(Hz(1), 1<<62, Hz(4), math.MaxInt64), 1,
		"2^62 s against a little less than 2^61 s")
}

// TestFraction checks the rounding of alpha on both of its paths.
func TestFraction(t *testing.T) {
	check := func(num, den uint64) {
		t.Helper()
		want, _ := new(big.Rat).SetFrac(new(big.Int).SetUint64(num), new(big.Int).SetUint64(den)).Float64()
		want = min(want, math.Nextafter(1, 0))
		polytest.Equal(t, fraction(num, den), want, "%d/%d", num, den)
	}
	check(0, 3)
	check(0, 1<<62-1)
	check(1, 1<<62-1)
	check(1<<53-2, 1<<53-1)    // the largest that one division rounds
	check(1<<62-2, 1<<62-1)    // would round to 1
	check(1<<60+127, 1<<61-2)  // above a tie by less than 64 bits show
	check(1<<60+1<<7, 1<<61)   // a tie, to even
	check(1<<60+3*1<<7, 1<<61) // a tie, to even, upwards
	check(1<<61, 1<<61+1<<8)   // near 1
	rng := rand.New(rand.NewPCG(1, 2))
	for range 5000 {
		den := 1 + rng.Uint64N(1<<62-1)>>rng.IntN(62)
		check(rng.Uint64N(den), den)
	}
}

// TestEndOfClock checks the last boundary on the clock and that one past it
// panics with a message that names it.
func TestEndOfClock(t *testing.T) {
	for _, r := range []Rate{Hz(1), Hz(30), {1, maxTerm - 1}, {30000, 1001}, {maxTerm - 1, maxTerm - 2}, Hz(999999999)} {
		last := r.lastBoundary()
		hz := big.NewRat(r.num, r.den)
		if !bigTimestamp(boundary(hz, last)).IsInt64() || bigTimestamp(boundary(hz, last+1)).IsInt64() {
			t.Errorf("%v Hz: boundary %d is not the last on the clock", r, last)
		}
		polytest.Equal(t, r.Timestamp(last), timestamp(boundary(hz, last)), "%v Hz: timestamp of the last boundary", r)
		for _, k := range []int64{last + 1, -1, math.MinInt64} {
			want := badBoundary(k, r)
			polytest.Equal[any](t, panicOf(func() { r.Timestamp(k) }), want, "%v Hz: Timestamp(%d) panicked with", r, k)
		}
	}
	polytest.Equal[any](t, panicOf(func() { Hz(50).Newest(Hz(30), -1) }), badBoundary(-1, Hz(30)),
		"Newest of boundary -1 panicked")
	polytest.Equal[any](t, panicOf(func() { Rate{}.Timestamp(0) }), badBoundary(0, Rate{}),
		"a timestamp of the zero rate panicked")
	polytest.Equal(t, panicOf(func() { Hz(0) }), "runners: Hz: rate is 0/1, want a positive numerator and denominator",
		"Hz(0) panicked")
}

func panicOf(f func()) (value any) {
	defer func() { value = recover() }()
	f()
	return nil
}

// FuzzParseRate checks that whatever is read is a rate that writes and reads
// back as itself.
func FuzzParseRate(f *testing.F) {
	for _, text := range []string{"50", "29.97", "200/3", "30000/1001", "15ms", "2.5µs", "1e9", "-1", "NaN", "0", "9/0",
		"1ns", " 5", "s", "1/010"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := ParseRate(text)
		if err != nil {
			if !r.IsZero() || !strings.HasSuffix(err.Error(), rateForms) {
				t.Fatalf("ParseRate(%q) = %v, %v", text, r, err)
			}
			return
		}
		if same, err := NewRate(r.num, r.den); err != nil || same != r {
			t.Fatalf("ParseRate(%q) = %d/%d, which is no rate in lowest terms (%v)", text, r.num, r.den, err)
		}
		if back, err := ParseRate(r.String()); err != nil || back != r {
			t.Fatalf("ParseRate(%q) = %v, read back as %v, %v", text, r, back, err)
		}
		// exact: big.Rat reads decimals too (whole fractions it would take for
		// octal after a leading zero)
		num, den, isFraction := strings.Cut(strings.TrimSpace(text), "/")
		want, ok := new(big.Rat).SetString(num)
		if isFraction && ok {
			by, _ := new(big.Rat).SetString(den)
			want.Quo(want, by)
		}
		if ok && want.Cmp(big.NewRat(r.num, r.den)) != 0 {
			t.Fatalf("ParseRate(%q) = %v, want %s", text, r, want.RatString())
		}
	})
}
