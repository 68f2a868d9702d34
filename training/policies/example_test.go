package policies_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/polyrhythm-rl/polyrhythm/training/policies"
)

// A table of actions, each of which holds until the next begins, is a policy.
func ExampleOpen() {
	dir, err := os.MkdirTemp("", "script")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "kick.csv")
	if err := os.WriteFile(path, []byte("t, action[0]\n0, 0\n0.5, 1\n"), 0o666); err != nil {
		log.Fatal(err)
	}
	for _, name := range []string{policies.Zero, path} {
		p, err := policies.Open(name)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(p.Kind())
	}
	// Output:
	// zero
	// script
}
