package container

import (
	"bytes"
	"crypto/sha256"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

var example = Format{"example", 3, []string{"one", "", "three"}}

func parts() [][]byte { return [][]byte{[]byte("first"), nil, {0, 1, 2}} }

func TestSectionsComeBack(t *testing.T) {
	for mask := range 8 {
		want := parts()
		want[1] = []byte("2")
		for i := range want {
			if mask>>i&1 == 0 {
				want[i] = nil
			}
		}
		data := example.Encode(want...)
		got, err := example.Read(iotest.OneByteReader(bytes.NewReader(data)))
		if err != nil || !slices.EqualFunc(got, want, bytes.Equal) {
			t.Errorf("%q came back as %q, %v", want, got, err)
		}
	}
}

// Each flipped bit and each cut is refused, and so is what follows.
func TestDamageIsRefused(t *testing.T) {
	data := example.Encode(parts()...)
	refused := func(what string, data []byte) {
		t.Helper()
		_, _, err := example.Decode(data)
		_, read := example.Read(bytes.NewReader(data))
		if err == nil || read == nil || read.Error() != err.Error() || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v and %v, want one line, the same", what, err, read)
		}
	}
	for i := range data {
		for bit := range 8 {
			damaged := bytes.Clone(data)
			damaged[i] ^= 1 << bit
			if i < 20 || i >= 28 { // Read takes the length as it is
				refused("flipped", damaged)
			} else if _, err := example.Read(bytes.NewReader(damaged)); err == nil {
				t.Errorf("byte %d flipped: no error", i)
			}
		}
		if i > 0 && i < len(data) {
			refused("cut", data[:i])
		}
	}
	for want, k := range map[string]Format{
		`its kind is "example", want "other"`:            {"other", 3, example.Sections},
		"its version is 3, want 4":                       {"example", 4, example.Sections},
		`a section "three", want those of ["one" "two"]`: {"example", 3, []string{"one", "two"}},
	} {
		_, _, err := k.Decode(data)
		polytest.ErrorContains(t, err, want)
	}
	for want, data := range map[string][]byte{
		`it does not begin with "prhythm`: []byte("PRHLEARN" + strings.Repeat("x", 90)),
		"cut short: 0 bytes":              nil,
		"bytes follow its end at 94":      append(bytes.Clone(data), 0),
	} {
		_, _, err := example.Decode(data)
		polytest.ErrorContains(t, err, want)
	}
}

// Sections of any contents either are refused, or are encoded as they were.
func FuzzDecode(f *testing.F) {
	data := example.Encode(parts()...)
	f.Add(data[headSize : len(data)-32])
	f.Fuzz(func(t *testing.T, body []byte) {
		data := (&Format{"example", 3, []string{"x"}}).Encode(body)
		if _, _, err := example.Decode(data); err == nil && len(body) > 0 {
			t.Error("a section of another kind was taken")
		}
		copy(data[headSize:], body) // over the name, too
		sections, _, err := example.Decode(seal(data))
		if err != nil {
			return
		}
		if again := example.Encode(sections...); len(again) > len(data) {
			t.Errorf("%d bytes were read as more: %d", len(data), len(again))
		}
	})
}

// seal makes the digest right.
func seal(data []byte) []byte {
	digest := sha256.Sum256(data[:len(data)-sha256.Size])
	return append(data[:len(data)-sha256.Size:len(data)-sha256.Size], digest[:]...)
}
