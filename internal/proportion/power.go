package proportion

import "math"

// PairsNeeded returns the number of pairs with which a one-sided score test of level alpha shows, with probability
// power, that the loss lies on its side of bound (Nam 1997; with bound 0, Connor 1987):
//
//	n = ((zα·σ₀ + zβ·σ₁) / (loss - bound))²,  zα = Φ⁻¹(1 - alpha), zβ = Φ⁻¹(power), σ₁² = discordance - loss²
//
// rounded up. discordance is the probability that one policy alone succeeds in a pair, |loss| ≤ discordance ≤ 1, and σ₀
// that of a pair's gain at the likeliest probabilities with a loss of bound, as in [Paired.Tango]. A candidate that
// passes a gate has to show that its loss is below the margin, one that fails that it is above 0. It is +Inf where the
// loss is the bound. Normal distributions stand for those of counts: with 25 pairs in which one policy alone succeeds
// and more, the power is right within 0.025. It is of a test that looks once; a gate needs a few percent more pairs at
// its last look. [Gate.Outcomes] is exact.
func PairsNeeded(loss, discordance, bound, alpha, power float64) float64 {
	wrong := deviation((discordance-loss)/2, (discordance+loss)/2, 1, -bound)
	right := math.Sqrt(discordance - loss*loss)
	root := (quantile(alpha)*wrong + quantile(1-power)*right) / (loss - bound)
	return math.Ceil(root * root)
}
