package format

import (
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

// Names become files and folders of exports, and none leads out of its folder.
func TestNamesStayInTheirFolder(t *testing.T) {
	for _, name := range []string{"mean_reward/velocity", "observation.images.front", "größe", "..a", "a..", "-", "a b"} {
		polytest.NoError(t, CheckName(name))
	}
	for _, name := range []string{"", ".", "..", "../a", "a/../../b", "/a", "a/", "a//b", "./a", `a\b`, `..\b`, "a\x00b", "a\nb",
		"\u202e", "\xff", strings.Repeat("x", 201)} {
		tables := func(column, picture, part string) []Table {
			return []Table{{Name: "a", Columns: []Column{{Name: column, Kind: Float64, Len: 13,
				Pictures: []ListPicture{{Name: picture, Kind: "rgb", Width: 2, Height: 2, Step: 3, Scale: 1}},
				Parts:    []Part{{Group: part, Len: 13}}}}}}
		}
		polytest.NoError(t, ValidateTables(tables("a", "b", "policy")))
		for _, hostile := range [][]Table{tables(name, "b", "policy"), tables("a", name, "policy"), tables("a", "b", name)} {
			if err := ValidateTables(hostile); err == nil || strings.ContainsAny(err.Error(), "\n\x00") {
				t.Errorf("%q: error %v, want one of one line", name, err)
			}
		}
	}
}
