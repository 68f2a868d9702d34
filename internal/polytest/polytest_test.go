package polytest

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Each switch that a test or a preset reads stands in the list of this package.
func TestEverySwitchIsListed(t *testing.T) {
	list, err := os.ReadFile("polytest.go")
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Join("..", "..")
	found := map[string]bool{}
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() && (slices.Contains([]string{"build", "runs", "robots", ".git"}, entry.Name())) {
			return fs.SkipDir
		}
		if !slices.Contains([]string{".go", ".py", ".cmake", ".md"}, filepath.Ext(path)) {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, name := range regexp.MustCompile(`POLYTEST_[A-Z]+(_[A-Z]+)*`).FindAllString(string(text), -1) {
			if found[name] = true; !strings.Contains(string(list), name) {
				t.Errorf("%s has %s, which is not in the list of internal/polytest", path, name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(found) < 15 {
		t.Errorf("found %d switches, want at least 15: the walk does not see the house", len(found))
	}
}
