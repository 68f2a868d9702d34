package proportion

// Gate asks whether a candidate may replace a reference that it is paired with, and asks early: at several looks at the
// pairs. A loss is the reference's rate less the candidate's. It makes two errors, each with a probability of Alpha:
//
//   - it fails a candidate that is as good as the reference
//   - it passes a candidate whose loss is the margin
//
// over all looks together, whatever the other decision does, and with a smaller one where the candidate is better than
// that. Normal distributions stand for those of counts in this, so it is Alpha only nearly; [Gate.Outcomes] is exact.
// With looks at 50, 100, 200 and 500 pairs and an Alpha of 0.05, the largest that it has for margins from 0.005 to 0.2
// and any discordance is 0.055, where one policy alone succeeds in each pair, and 0.052 where that is so in half of
// them at most. A single look at 50 pairs has up to 0.06.
type Gate struct {
	Margin float64 // the loss that is not accepted; above 0, at most 1
	Alpha  float64 // the probability of each error; at most ½
	Looks  []int   // the numbers of pairs at which it looks, rising from 1 or more; one at least
}

// Decision is what a gate says of a candidate.
type Decision int

// The decisions of a gate.
const (
	Undecided Decision = iota // the pairs show neither
	Passes                    // the loss is less than the margin
	Fails                     // the candidate is worse than the reference
)

// String returns the decision as one word.
func (d Decision) String() string { return [...]string{"undecided", "passes", "fails"}[d] }

// Verdict is what a gate says, and from what.
type Verdict struct {
	Decision Decision
	Level    float64  // the one-sided level of the look that decided, or of the last
	Table    Paired   // the pairs up to this look; none before the first
	Loss     Interval // Tango's interval of the loss, with this level at each side
}

// Decide returns the verdict over pairs, in the order of their trials. At each look whose pairs are there, it takes
// Tango's interval of the loss at the level of the look ([Spend]). The first look that decides is the last one: the
// candidate
//
//	passes  if the upper bound of the loss is below the margin
//	fails   otherwise, if its lower bound is above 0
//
// A loss that is certain, and certainly less than the margin, passes. Pairs that come later change no decision.
func (g Gate) Decide(pairs []Pair) Verdict {
	v := Verdict{Loss: Interval{-1, 1}}
	levels := Spend(g.Looks, g.Alpha)
	for k, look := range g.Looks {
		if look > len(pairs) || v.Decision != Undecided {
			break
		}
		v.Level, v.Table = levels[k], Count(pairs[:look])
		difference := v.Table.Tango(2 * v.Level)
		v.Loss = Interval{-difference.High, -difference.Low}
		v.Decision = g.decide(v.Table.OnlyReference, v.Table.OnlyCandidate, look, quantile(v.Level))
	}
	return v
}

// decide is the decision at a look after n pairs, in so many of which each policy alone succeeded. It asks whether the
// score test rejects the margin, and 0, which is whether the interval is on one side of them.
func (g Gate) decide(onlyReference, onlyCandidate, n int, z float64) Decision {
	losses, gains, all := float64(onlyReference), float64(onlyCandidate), float64(n)
	switch {
	case gains-losses+all*g.Margin > z*deviation(gains, losses, all, -g.Margin):
		return Passes
	case losses-gains > z*deviation(gains, losses, all, 0):
		return Fails
	}
	return Undecided
}

// Outcomes are the probabilities of both decisions of a gate, and the mean number of pairs that it takes.
type Outcomes struct{ Passes, Fails, Pairs float64 }

// Outcomes returns what the gate decides of pairs that are independent, in which one policy alone succeeds with
// probability discordance, and the reference's rate is above the candidate's by loss; |loss| ≤ discordance ≤ 1. It is
// the power of the gate, or its error: the sum over all tables of pairs, which are followed from pair to pair, with an
// absolute error below 1e-10. With n pairs at the last look it takes time by n³ and memory by n²: for 500, a tenth of a
// second and 2 MB.
func (g Gate) Outcomes(loss, discordance float64) (o Outcomes) {
	if len(g.Looks) == 0 {
		return o
	}
	levels, last := Spend(g.Looks, g.Alpha), len(g.Looks)-1
	t := newTables(g.Looks[last])
	for k, look := range g.Looks {
		for t.pairs < look {
			t.add(loss, discordance)
		}
		z := quantile(levels[k])
		t.visit(func(onlyReference, onlyCandidate int, p *float64) {
			decision := g.decide(onlyReference, onlyCandidate, look, z)
			switch decision {
			case Passes:
				o.Passes += *p
			case Fails:
				o.Fails += *p
			}
			if decision != Undecided || k == last {
				o.Pairs += *p * float64(look)
				*p = 0
			}
		})
	}
	return o
}

// tables has the probability of each table after a number of pairs.
type tables struct {
	pairs  int
	width  int
	p      []float64 // [onlyReference·width + onlyCandidate]
	losses int       // all tables that have more pairs of a kind have no probability
	gains  int
}

func newTables(most int) *tables {
	t := &tables{width: most + 1, p: make([]float64, (most+1)*(most+1))}
	t.p[0] = 1
	return t
}

// add adds a pair.
func (t *tables) add(loss, discordance float64) {
	const least = 1e-20 // of a table that is followed; so those left out have less than 1e-10 together
	losing, gaining := (discordance+loss)/2, (discordance-loss)/2
	t.pairs++
	maxLosses, maxGains := min(t.losses+1, t.pairs), min(t.gains+1, t.pairs)
	t.losses, t.gains = 0, 0
	for l := maxLosses; l >= 0; l-- {
		row := t.p[l*t.width : (l+1)*t.width]
		for c := maxGains; c >= 0; c-- {
			p := row[c] * (1 - discordance)
			if c > 0 {
				p += row[c-1] * gaining
			}
			if l > 0 {
				p += t.p[(l-1)*t.width+c] * losing
			}
			if p < least {
				p = 0
			} else {
				t.losses, t.gains = max(t.losses, l), max(t.gains, c)
			}
			row[c] = p
		}
	}
}

// visit calls do with the probability of each table that has some.
func (t *tables) visit(do func(onlyReference, onlyCandidate int, p *float64)) {
	for l := range t.losses + 1 {
		for c := range t.gains + 1 {
			if p := &t.p[l*t.width+c]; *p > 0 {
				do(l, c, p)
			}
		}
	}
}
