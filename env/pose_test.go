package env

import (
	"testing"

	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
	"github.com/polyrhythm-rl/polyrhythm/runners"
)

// columnsOf reads every column of a table as text.
func columnsOf(t *testing.T, d *recorder.Dataset, name string) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	for record, err := range d.Batches(name) {
		polytest.NoError(t, err)
		for i, f := range record.Schema().Fields() {
			for row := range int(record.NumRows()) {
				all[f.Name] = append(all[f.Name], record.Column(i).ValueStr(row))
			}
		}
	}
	return all
}

// The pose changes none of the other columns. It is that of the newest substep at or before its row.
func TestPoseIsRecorded(t *testing.T) {
	blind := record(t, preset(t, "quadruped", "max_steps=20", "recording.pose=false"), 50, 10)
	seeing := record(t, preset(t, "quadruped", "max_steps=20"), 50, 10)
	for _, name := range []string{format.CaptureTable, format.EpisodesTable} {
		want, got := columnsOf(t, blind, name), columnsOf(t, seeing, name)
		for column, values := range want {
			polytest.EqualSlices(t, values, got[column], "with poses the column %q of %s differs", column, name)
		}
		added := len(got) - len(want)
		if name == format.CaptureTable && added != 2 || name == format.EpisodesTable && added != 0 {
			t.Errorf("table %s has %d columns more", name, added)
		}
	}

	substeps := runners.Hz(500)
	rows := table(t, seeing, format.CaptureTable, "t_ns", "pose_stamp_ns")
	for i, ns := range rows["t_ns"] {
		newest := int64(0)
		for substeps.Timestamp(newest+1) <= int64(ns) {
			newest++
		}
		if got := int64(rows["pose_stamp_ns"][i]); got != substeps.Timestamp(newest) {
			t.Fatalf("row %d at %v ns has the pose of %d, want that of %d", i, ns, got, substeps.Timestamp(newest))
		}
	}
	for record, err := range seeing.Batches(format.CaptureTable) {
		polytest.NoError(t, err)
		at := record.Schema().FieldIndices("pose")[0]
		poses := record.Column(at).(*array.FixedSizeList)
		values := poses.ListValues().(*array.Float64).Float64Values()
		for row := range int(record.NumRows()) {
			if from, _ := poses.ValueOffsets(row); !(values[from+2] > 0.1 && values[from+2] < 0.6) {
				t.Fatalf("row %d: the height of the trunk is %v m", row, values[from+2])
			}
		}
	}
}
