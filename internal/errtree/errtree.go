// Package errtree looks at all branches of an error that wraps or joins others.
package errtree

import (
	"errors"
	"slices"
)

// Only reports whether err is nothing but these targets: each of its branches ends in one. [errors.Is] asks whether one
// branch does, so that of a cancellation that is joined with the error of a full disk it sees only the first. Without an
// error there is nothing to report.
func Only(err error, targets ...error) bool {
	switch wrapped := err.(type) {
	case nil:
		return false
	case interface{ Unwrap() []error }:
		branches := wrapped.Unwrap()
		return len(branches) > 0 && !slices.ContainsFunc(branches, func(branch error) bool { return !Only(branch, targets...) })
	}
	if slices.ContainsFunc(targets, func(target error) bool { return err == target }) {
		return true
	}
	return Only(errors.Unwrap(err), targets...)
}
