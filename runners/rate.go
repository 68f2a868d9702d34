package runners

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"strings"
)

// maxTerm bounds both the numerator and the denominator of a Rate, exclusively. It keeps every product of this
// package within 128 bits: a boundary index below 2⁶³ times two terms below 2³¹, or times one term and 10⁹.
const maxTerm = 1 << 31

// nsPerSecond is below 2³⁰.
const nsPerSecond = 1_000_000_000

// Rate is a positive rational number of hertz in lowest terms, numerator and denominator both below 2³¹. Equal rates
// are equal with ==. The zero value is not a rate: Compile refuses it and its methods that compute panic.
//
// A rate places boundaries on the timeline: boundary k (k ≥ 0) is the exact instant k·Den/Num seconds after the
// anchor. The clock ends at the last timestamp that fits in an int64, 292 years after the anchor. Methods panic when
// a result would lie past the end, and when k is negative.
type Rate struct{ num, den int64 }

// NewRate returns num/den Hz in lowest terms. It returns an error unless both are positive and, in lowest terms,
// below 2³¹.
func NewRate(num, den int64) (Rate, error) {
	if num <= 0 || den <= 0 {
		return Rate{}, fmt.Errorf("rate is %d/%d, want a positive numerator and denominator", num, den)
	}
	g := int64(gcd(uint64(num), uint64(den)))
	r := Rate{num / g, den / g}
	if r.num >= maxTerm || r.den >= maxTerm {
		return Rate{}, fmt.Errorf("rate is %d/%d, want numerator and denominator below 2^31 in lowest terms", num, den)
	}
	return r, nil
}

// Hz returns the rate n hertz. It is for constants: it panics unless 0 < n < 2³¹.
func Hz(n int64) Rate {
	r, err := NewRate(n, 1)
	if err != nil {
		panic("runners: Hz: " + err.Error())
	}
	return r
}

// rateForms lists the valid forms at the end of every error of ParseRate.
const rateForms = `want hertz ("50", "29.97"), a fraction ("200/3", "30000/1001") or a period with its unit ` +
	`("15ms"; ns, us, µs, ms, s)`

// maxRateText is the longest text, in bytes, that ParseRate reads. It bounds the numbers with which it computes.
const maxRateText = 64

// periodUnits are the units of a period and their number per second. "s" is last, because every other unit ends in
// it. The two spellings of µs are the micro sign and the Greek letter.
var periodUnits = [...]struct {
	suffix    string
	perSecond int64
}{
	{"ns", 1_000_000_000}, {"us", 1_000_000}, {"\u00b5s", 1_000_000}, {"\u03bcs", 1_000_000}, {"ms", 1_000}, {"s", 1},
}

// ParseRate reads a rate written as hertz ("50", "29.97"), as a fraction of whole numbers ("200/3") or as a period
// ("15ms", "2.5us"). Decimals are exact. Space around the text is ignored; signs and exponents are not accepted.
func ParseRate(s string) (Rate, error) {
	fail := func(why string) (Rate, error) {
		if len(s) > maxRateText {
			s = s[:maxRateText] + "…"
		}
		return Rate{}, fmt.Errorf("rate %q: %s; %s", s, why, rateForms)
	}
	text := strings.TrimSpace(s)
	if len(text) > maxRateText {
		return fail(fmt.Sprintf("longer than %d bytes", maxRateText))
	}
	if strings.HasPrefix(text, "-") {
		return fail("not positive")
	}

	// text is num/den in hertz or, with perSecond, num as a period
	num, den := text, big.NewRat(1, 1)
	perSecond := int64(0)
	if n, d, isFraction := strings.Cut(text, "/"); isFraction {
		var ok bool
		if den, ok = parseDecimal(d); !ok || strings.ContainsRune(text, '.') {
			return fail("not a fraction of whole numbers")
		}
		num = n
	} else {
		for _, u := range periodUnits {
			if v, ok := strings.CutSuffix(text, u.suffix); ok {
				num, perSecond = v, u.perSecond
				break
			}
		}
	}
	value, ok := parseDecimal(num)
	if !ok {
		return fail("not a number")
	}
	if value.Sign() == 0 {
		return fail("not positive")
	}
	if den.Sign() == 0 {
		return fail("division by zero")
	}

	if perSecond != 0 {
		value.Quo(big.NewRat(perSecond, 1), value)
	} else {
		value.Quo(value, den)
	}
	limit := big.NewInt(maxTerm)
	if value.Num().Cmp(limit) >= 0 || value.Denom().Cmp(limit) >= 0 {
		return fail(fmt.Sprintf("%s Hz has a numerator or denominator of 2^31 or more", value.RatString()))
	}
	return Rate{value.Num().Int64(), value.Denom().Int64()}, nil
}

// parseDecimal parses ASCII digits with at most one point and at least one digit.
func parseDecimal(s string) (*big.Rat, bool) {
	whole, frac, _ := strings.Cut(s, ".")
	digits := whole + frac
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return nil, false
	}
	n, _ := new(big.Int).SetString(digits, 10)
	scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(len(frac))), nil)
	return new(big.Rat).SetFrac(n, scale), true
}

// Num returns the numerator in lowest terms, 0 for the zero value.
func (r Rate) Num() int64 { return r.num }

// Den returns the denominator in lowest terms, 0 for the zero value.
func (r Rate) Den() int64 { return r.den }

// IsZero reports whether r is the zero value, which is not a rate.
func (r Rate) IsZero() bool { return r == Rate{} }

// String returns the rate in hertz, in a form that ParseRate reads: a decimal when nine decimal places are exact
// ("50", "29.97"), otherwise a fraction ("200/3").
func (r Rate) String() string {
	switch {
	case r.IsZero():
		return "invalid rate"
	case r.den == 1:
		return fmt.Sprint(r.num)
	case nsPerSecond%r.den != 0:
		return fmt.Sprintf("%d/%d", r.num, r.den)
	}
	frac := r.num % r.den * (nsPerSecond / r.den)
	return strings.TrimRight(fmt.Sprintf("%d.%09d", r.num/r.den, frac), "0")
}

// MarshalText returns what String does; the zero value is an error.
func (r Rate) MarshalText() ([]byte, error) {
	if r.IsZero() {
		return nil, errors.New("rate is not set, want a positive one")
	}
	return []byte(r.String()), nil
}

// UnmarshalText parses a rate as ParseRate does.
func (r *Rate) UnmarshalText(text []byte) error {
	v, err := ParseRate(string(text))
	if err != nil {
		return err
	}
	*r = v
	return nil
}

// Seconds returns the period Den/Num in seconds, correctly rounded, the same for all steps; DT returns the length of
// one step in ns.
func (r Rate) Seconds() float64 { return float64(r.den) / float64(r.num) }

// Timestamp returns the timestamp of boundary k: floor(k·Den·10⁹/Num) ns after the anchor, always from k and never
// by adding periods.
func (r Rate) Timestamp(k int64) int64 {
	ns, _ := r.timestamp(k)
	return ns
}

// DT returns the length of step k in nanoseconds, Timestamp(k+1) − Timestamp(k).
func (r Rate) DT(k int64) int64 {
	_, rem := r.timestamp(k)
	return r.dt(rem)
}

// timestamp returns the timestamp of boundary k and the remainder of the floor, in units of 1/Num ns.
func (r Rate) timestamp(k int64) (ns int64, rem uint64) {
	hi, lo := bits.Mul64(uint64(k), uint64(r.den)*nsPerSecond)
	if k < 0 || hi >= uint64(r.num) {
		panic(badBoundary(k, r))
	}
	q, rem := bits.Div64(hi, lo, uint64(r.num))
	if q > math.MaxInt64 {
		panic(badBoundary(k, r))
	}
	return int64(q), rem
}

// dt returns the length in ns of the step that begins at a boundary whose timestamp has the remainder rem.
func (r Rate) dt(rem uint64) int64 {
	return int64((rem + uint64(r.den)*nsPerSecond) / uint64(r.num))
}

// Times returns the rate of n equal substeps of r. It returns an error when n or r is not positive or the result is
// not a valid Rate.
func (r Rate) Times(n int64) (Rate, error) {
	if n <= 0 || r.IsZero() {
		return Rate{}, fmt.Errorf("rate %s times %d, want a valid rate and a positive factor", r, n)
	}
	// dividing first keeps the product within 62 bits
	g := int64(gcd(uint64(n), uint64(r.den)))
	if n/g >= maxTerm || r.num*(n/g) >= maxTerm {
		return Rate{}, fmt.Errorf("rate %s times %d, want numerator and denominator below 2^31", r, n)
	}
	return Rate{r.num * (n / g), r.den / g}, nil
}

// lastBoundary returns the index of the last boundary on the clock. Its timestamp and its index plus 1 both fit in
// an int64.
func (r Rate) lastBoundary() int64 {
	// k·den·10⁹ ≤ 2⁶³·num − 1
	hi, lo := bits.Mul64(uint64(r.num), 1<<63)
	lo, borrow := bits.Sub64(lo, 1, 0)
	hi -= borrow
	step := uint64(r.den) * nsPerSecond
	if hi >= step {
		return math.MaxInt64 - 1
	}
	q, _ := bits.Div64(hi, lo, step)
	return int64(min(q, math.MaxInt64-1))
}

// Newest returns the index of r's latest boundary at or before boundary k of another rate, exactly.
func (r Rate) Newest(other Rate, k int64) int64 {
	newest, _ := r.Around(other, k)
	return newest
}

// Reached returns the number of boundaries of r, with the one at the anchor, that lie strictly before boundary k of
// another rate, exactly: the index of r's first boundary at or after that one.
func (r Rate) Reached(other Rate, k int64) int64 {
	_, reached := r.Around(other, k)
	return reached
}

// Around returns what Newest and Reached do, in half the time.
func (r Rate) Around(other Rate, k int64) (newest, reached int64) {
	q, rem := r.split(other, k)
	if rem != 0 {
		return q, q + 1
	}
	return q, q
}

// reachedBy returns the index of r's latest boundary at or before ns nanoseconds after the anchor, ns ≥ 0. Distinct
// boundaries of r must be at least 1 ns apart, or the index may overflow.
func (r Rate) reachedBy(ns int64) int64 {
	hi, lo := bits.Mul64(uint64(ns), uint64(r.num))
	k, _ := bits.Div64(hi, lo, uint64(r.den)*nsPerSecond)
	return int64(k)
}

// split expresses boundary k of another rate in periods of r: whole periods, and the remainder as
// rem / (other.num·r.den) of one.
func (r Rate) split(other Rate, k int64) (whole int64, rem uint64) {
	hi, lo := bits.Mul64(uint64(k), uint64(other.den*r.num))
	period := uint64(other.num * r.den)
	if k < 0 || hi >= period {
		panic(badBoundary(k, other))
	}
	q, rem := bits.Div64(hi, lo, period)
	if q >= math.MaxInt64 {
		panic(badBoundary(k, other))
	}
	return int64(q), rem
}

// compareBoundaries orders boundary i of a and boundary j of b as rationals, as cmp.Compare does. Indices must not
// be negative.
func compareBoundaries(a Rate, i int64, b Rate, j int64) int {
	// i·a.den/a.num against j·b.den/b.num, multiplied out
	ihi, ilo := bits.Mul64(uint64(i), uint64(a.den*b.num))
	jhi, jlo := bits.Mul64(uint64(j), uint64(b.den*a.num))
	switch {
	case ihi < jhi || ihi == jhi && ilo < jlo:
		return -1
	case ihi == jhi && ilo == jlo:
		return 0
	}
	return 1
}

// badBoundary returns the text of a panic.
func badBoundary(k int64, r Rate) string {
	return fmt.Sprintf("runners: boundary %d of %s Hz is outside the clock, want a valid rate and 0 to 2^63-1 ns", k, r)
}

// beatPeriod returns the seconds between instants at which all rates have a boundary: lcm of the denominators over
// gcd of the numerators, in lowest terms because each rate is.
func beatPeriod(rates []Rate) *big.Rat {
	g := uint64(0)
	lcm := big.NewInt(1)
	for _, r := range rates {
		g = gcd(g, uint64(r.num))
		den := big.NewInt(r.den)
		common := new(big.Int).GCD(nil, nil, lcm, den)
		lcm.Mul(lcm, den.Quo(den, common))
	}
	return new(big.Rat).SetFrac(lcm, new(big.Int).SetUint64(g))
}

// gcd returns the greatest common divisor; gcd(0, b) is b.
func gcd(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
