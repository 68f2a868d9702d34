package polytest

import (
	"fmt"
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

// reports is a test that keeps what it is told.
type reports struct {
	testing.TB
	messages []string
}

func (r *reports) Helper() {}
func (r *reports) Errorf(format string, args ...any) {
	r.messages = append(r.messages, fmt.Sprintf(format, args...))
}

func TestComparisonsReport(t *testing.T) {
	r := &reports{}
	long := slices.Repeat([]int{7}, 50)
	ErrorIs(r, fmt.Errorf("read: %w", fs.ErrExist), fs.ErrExist)
	ErrorContains(r, fs.ErrExist, "exists")
	Equal(r, 1, 1, "one")
	EqualSlices(r, nil, []int{}, "none")
	if r.messages != nil {
		t.Errorf("of what is equal it reports %q", r.messages)
	}
	ErrorIs(r, fs.ErrExist, fs.ErrClosed)
	ErrorContains(r, nil, "exists")
	Equal(r, 1, 2, "world %d", 3)
	EqualSlices(r, []int{1}, []int{2}, "few")
	EqualSlices(r, long, append(slices.Clone(long), 8), "many")
	page := filepath.Join(t.TempDir(), "page.md")
	SamePage(r, true, page, "a\nb\n", "make")
	SamePage(r, false, page, "a\nb\n", "make")
	SamePage(r, false, page, "a\nc\n", "make")
	want := []string{
		"error file already exists, want file already closed", `error <nil>, want "exists"`, "world 3: 1, want 2",
		"few: [1], want [2]", "many: 50 elements, want 51; number 50 is [], want [8]",
		page + " is stale from line 2 on; write it with make",
	}
	if !slices.Equal(r.messages, want) {
		t.Errorf("it reports\n%q, want\n%q", r.messages, want)
	}
}

// What the process allocates besides now and then is not counted; what f allocates each time is.
func TestAllocations(t *testing.T) {
	var kept []*[64]byte
	calls := 0
	sometimes := func() {
		if calls++; calls <= 4 { // the first count, of a call before it and three
			kept = append(kept, new([64]byte), new([64]byte))
		}
	}
	Equal(t, Allocations(3, sometimes), 0, "allocations that end")
	Equal(t, Allocations(3, func() { kept = []*[64]byte{new([64]byte)} }), 2, "allocations of each call")
	if kept == nil {
		t.Error("nothing was kept")
	}
}
