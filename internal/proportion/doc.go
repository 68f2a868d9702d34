// Package proportion has the statistics of rates of success, where each trial succeeds or does not: intervals of one
// rate, at a number of trials that was fixed before ([Wilson]) or at all numbers at once ([Sequence]), and of the
// difference of two rates over the same trials ([Paired]); a test whether one policy may replace another ([Gate]), with
// its looks at the data on the way ([Spend]), its exact operating characteristics ([Gate.Outcomes]) and the pairs that
// it takes ([Pairs]); and p-values of many tests together ([Holm]).
//
// All functions are pure, and any goroutine may call them. Counts are not negative, and an alpha lies between 0 and 1,
// both excluded: who reads them from a user has checked that.
package proportion
