// Package source tells whether a bundle of the page's libraries is that of its sources.
package source

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
)

// Banner begins the first line of a bundle; the Sum of its sources follows.
const Banner = "// Made by go generate in live/page from sources with the SHA-256 "

// Sum is the SHA-256 of what decides a bundle: which libraries, by their checksums, and what of them.
func Sum(folder string) (string, error) {
	h := sha256.New()
	for _, name := range []string{"package.json", "package-lock.json", "libraries.js"} {
		data, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			return "", err
		}
		fmt.Fprintf(h, "%s %d\n%s", name, len(data), data)
	}
	return fmt.Sprintf("%x", h.Sum(nil)), nil
}
