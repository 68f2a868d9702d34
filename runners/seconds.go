package runners

import (
	"fmt"
	"math/big"
)

// MaxSeconds is the longest simulated time of a run, in s. In ns it fits an int64.
const MaxSeconds = 9_000_000_000

// ParseSeconds reads a simulated time, in s, exactly: more than 0, at most MaxSeconds.
func ParseSeconds(text string) (*big.Rat, error) {
	s, ok := new(big.Rat).SetString(text)
	if !ok || s.Sign() <= 0 || s.Cmp(big.NewRat(MaxSeconds, 1)) > 0 {
		return nil, fmt.Errorf("seconds is %q, want a number above 0, at most %d", text, int64(MaxSeconds))
	}
	return s, nil
}

// FirstStep returns the first control step that begins at a time, in s, or after it.
func FirstStep(seconds *big.Rat, control Rate) int64 {
	k := new(big.Rat).Mul(seconds, big.NewRat(control.Num(), control.Den()))
	up := new(big.Int).Add(k.Num(), new(big.Int).Sub(k.Denom(), big.NewInt(1)))
	return up.Div(up, k.Denom()).Int64()
}
