package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

// The committed files are what the sources make, to the byte. POLYTEST_BUNDLE names a copy of
// this folder's package.json, package-lock.json and libraries.js, after npm ci.
func TestCommittedBundleIsWhatTheSourcesMake(t *testing.T) {
	from := os.Getenv("POLYTEST_BUNDLE")
	if from == "" {
		t.Skip("POLYTEST_BUNDLE names no folder with the libraries; the test workflow sets it where npm is")
	}
	for _, name := range []string{"package.json", "package-lock.json", "libraries.js"} {
		same(t, filepath.Join(from, name), name)
	}
	to := t.TempDir()
	polytest.NoError(t, bundle(from, to))
	for _, name := range []string{"libraries.js", "uplot.css", "libraries.LICENSE.txt"} {
		same(t, filepath.Join(to, name), filepath.Join("../../site", name))
	}
}

func same(t *testing.T, made, committed string) {
	t.Helper()
	got := polytest.Must(os.ReadFile(made))(t)
	want := polytest.Must(os.ReadFile(committed))(t)
	if !bytes.Equal(got, want) {
		t.Errorf("%s has %d bytes, those that the sources make are %d others; run go generate in live/page", committed,
			len(want), len(got))
	}
}
