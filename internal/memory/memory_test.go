package memory

import (
	"errors"
	"testing"
)

func TestCheck(t *testing.T) {
	if err := Check("worlds", Need{Go: 1 << 20, Engine: 1 << 20, Threads: 1}); err != nil {
		t.Errorf("2 MiB: %v", err)
	}
	there, ok := machine()
	if !ok || there < 1<<28 {
		t.Fatalf("the machine has %d bytes, %t", there, ok)
	}
	for _, need := range []Need{{Go: there + 1}, {Engine: there + 1}, {Go: there/2 + 1, Engine: there/2 + 1}} {
		var e *Error
		if err := Check("7 worlds", need); !errors.As(err, &e) {
			t.Errorf("%+v: %v, want an Error", need, err)
		}
	}
	if n := addressSpace(); n < 1<<20 {
		t.Errorf("%d bytes are mapped", n)
	}
	e := &Error{What: "7 worlds", Need: 3 << 30, Left: 5 << 20, Of: "address space (ulimit -v)"}
	if got, want := e.Error(), "7 worlds need 3.0 GiB of address space (ulimit -v); 5 MiB are left"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
