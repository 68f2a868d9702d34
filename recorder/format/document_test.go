package format

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

// Whatever the text is, what is accepted of it describes tables that can be read, and says the same when it is written
// again.
func FuzzParseDocument(f *testing.F) {
	text, err := (&Document{FormatVersion: plainVersion, Metadata: Metadata{Task: "example", Seed: 1<<63 + 1,
		Configuration: "task: example\n# <>&\n"},
		Tables: []Table{{Name: "capture", Columns: []Column{{Name: "x", Kind: Float64, Len: 3, Nullable: true}}}}}).Encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	for _, table := range []string{
		`"columns": [{"name": "x", "kind": "bool", "len": 1048576}]`,
		`"batch_rows": 9223372036854775807, "columns": [{"name": "x", "kind": "int64"}]`,
		`"columns": [{"name": "x", "kind": "float64", "len": 3, "parts": [{"group": "policy", "len": 1}, {"group": "policy",
			"len": 2, "picture": true}]}]`,
		`"columns": [{"name": "x", "kind": "float64", "len": 3, "parts": [{"group": "policy", "len": 4}]}]`,
		`"columns": [{"name": "x", "kind": "uint16", "len": 6, "width": 3, "camera": {"width": 3, "height": 2, "fx": 1,
			"fy": 2, "cx": 0.5, "cy": 0.5, "pose": "p"}}, {"name": "p", "kind": "float64", "len": 7}]`,
		`"columns": [{"name": "x", "kind": "float64", "len": 12, "pictures": [{"name": "p", "kind": "rgb", "width": 1,
			"height": 2, "first": 1, "step": 5, "scale": -0.5}, {"name": "d", "kind": "depth", "width": 2, "height": 1,
			"first": 4, "step": 5, "scale": 1, "far": 3.3}, {"name": "s", "kind": "segmentation", "width": 1, "height": 1,
			"first": 10, "step": 1, "scale": 2}]}]`,
		`"columns": [{"name": "x", "kind": "float64", "len": 3, "pictures": [{"name": "p", "kind": "rgb", "width": 1,
			"height": 1, "first": 0, "step": 3, "scale": 1}]}]`,
	} {
		for _, version := range []int{plainVersion, Version} {
			f.Add(fmt.Appendf(nil, `{"format_version": %d, "tables": [{"name": "a", %s}]}`, version, table))
		}
	}
	for _, version := range []string{"version-2", "version-3"} {
		f.Add(polytest.Must(os.ReadFile(filepath.Join("..", "testdata", version, DocumentFile)))(f))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		doc, err := ParseDocument(text)
		if err != nil {
			return
		}
		for i := range doc.Tables {
			l := NewLayout(&doc.Tables[i])
			if l.Stride > 2*maxRowBytes {
				t.Errorf("rows of %d bytes", l.Stride)
			}
			for k, row := range doc.Tables[i].Columns {
				if len(row.Pictures) == 0 {
					continue
				}
				seen := l.AppendFloats(nil, l.Zeros(), k)
				if err := l.Row(l.Zeros()).Observation(k, seen); err != nil {
					t.Error(err)
				}
			}
			doc.Tables[i].ArrowSchema(text)
		}
		again, err := doc.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if second, err := ParseDocument(again); err != nil || !reflect.DeepEqual(second, doc) {
			t.Errorf("%q was read as %+v, and written and read again as %+v, %v", text, doc, second, err)
		}
	})
}

// Only what a recovery writes is read as its report.
func FuzzParseRecovery(f *testing.F) {
	r := &Recovery{Recovered: true, Tables: []RecoveredTable{{Table: "capture", Rows: 3, Acknowledged: 4,
		Damage: "data.journal: torn", Last: &LastRow{1, 2, 3}}},
		Incomplete: []IncompleteEpisode{{Episode: 5, Closed: true, Rows: map[string]int64{"capture": 1},
			Want: map[string]int64{"capture": 2}}}}
	text, err := r.Encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := ParseRecovery(text)
		if err != nil {
			return
		}
		if again, err := r.Encode(); err != nil || string(again) != string(text) {
			t.Errorf("%q was read as %+v, which is written as %q, %v", text, r, again, err)
		}
	})
}
