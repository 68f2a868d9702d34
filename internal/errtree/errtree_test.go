package errtree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"testing"
)

// An error is only a cancellation if nothing else is joined with it, however deep and in whatever order.
func TestOnly(t *testing.T) {
	full := &fs.PathError{Op: "rename", Path: "x", Err: syscall.ENOSPC}
	wrap := func(err error) error { return fmt.Errorf("seed 3: %w", err) }
	both := errors.Join(context.Canceled, full)
	for _, c := range []struct {
		err  error
		want bool
	}{
		{nil, false},
		{full, false},
		{errors.New("x"), false},
		{context.Canceled, true},
		{wrap(wrap(context.Canceled)), true},
		{errors.Join(context.Canceled, wrap(context.Canceled)), true},
		{errors.Join(context.Canceled, syscall.EPIPE), true},
		{both, false},
		{errors.Join(full, context.Canceled), false},
		{wrap(both), false},
		{errors.Join(wrap(wrap(both)), context.Canceled), false},
		{fmt.Errorf("%w: %w", full, context.Canceled), false},
	} {
		if got := Only(c.err, context.Canceled, syscall.EPIPE); got != c.want {
			t.Errorf("%v: %v, want %v", c.err, got, c.want)
		}
	}
}
