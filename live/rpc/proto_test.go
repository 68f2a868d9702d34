package rpc

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

// The service compiles from the root of the repository: it imports files by their paths from there.
func TestTheServiceCompilesFromTheRoot(t *testing.T) {
	text := polytest.Must(os.ReadFile("service.proto"))(t)
	imports := regexp.MustCompile(`(?m)^import "(.+)";`).FindAllSubmatch(text, -1)
	for _, m := range imports {
		if _, err := os.Stat(filepath.Join("../..", string(m[1]))); err != nil {
			t.Error(err)
		}
	}
	if len(imports) == 0 {
		t.Error("the service imports no messages")
	}
}
