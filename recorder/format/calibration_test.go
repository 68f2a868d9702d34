package format

import (
	"strings"
	"testing"
)

// A document whose segments are not those of a segmentation is refused.
func TestSegmentsAreChecked(t *testing.T) {
	const picture = `{"name": "x", "kind": "uint16", "len": 6, "width": 3, "segments": [{"value": 2, "geom": "a"}, ` +
		`{"value": 65535, "geom": "b", "body": "c"}]}`
	for _, c := range []struct{ old, new, want string }{
		{"", "", ""},
		{"65535", "65536", "the value 65536 after 2"},
		{"65535", "2", "the value 2 after 2"},
		{`"value": 2`, `"value": 0`, "the value 0 after 0"},
		{`"uint16", "len": 6`, `"uint8", "len": 18`, "want them of pictures of uint16"},
		{`"uint16", "len": 6, "width": 3`, `"float64"`, "want them of pictures of uint16"},
	} {
		columns := strings.Replace(picture, c.old, c.new, 1)
		_, err := ParseDocument([]byte(`{"format_version": 2, "tables": [{"name": "a", "columns": [` + columns + `]}]}`))
		if c.want == "" != (err == nil) || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", columns, err, c.want)
		}
	}
}

// A document whose cameras do not fit its tables is refused by an error that names the column and what is wanted.
func TestCalibrationIsChecked(t *testing.T) {
	const camera = `"camera": {"width": 3, "height": 2, "fx": 1, "fy": 2, "cx": 0.5, "cy": 0.5, "pose": "p"}`
	const picture, pose = `{"name": "x", "kind": "uint16", "len": 6, "width": 3, ` + camera + `}`,
		`{"name": "p", "kind": "float64", "len": 7}`
	for _, c := range []struct{ columns, want string }{
		{picture + "," + pose, ""},
		{pose + "," + picture, ""},
		{picture, `column "x": its camera has no columns "p" and ""`},
		{picture + "," + strings.Replace(pose, "7", "6", 1), "no columns"},
		{picture + "," + strings.Replace(pose, "float64", "float32", 1), "no columns"},
		{strings.Replace(picture, `"fx": 1`, `"fx": 0`, 1) + "," + pose, "focal lengths of 0 and 2 pixels"},
		{strings.Replace(picture, `"fy": 2`, `"fy": -2`, 1) + "," + pose, "focal lengths of 1 and -2 pixels"},
		{strings.Replace(picture, `"pose"`, `"intrinsics": "i", "pose"`, 1) + "," + pose, `no columns "p" and "i"`},
		{strings.Replace(picture, `"pose"`, `"distortion": [1, 2, 3, 4], "pose"`, 1) + "," + pose, "4 values of a distortion"},
		{strings.Replace(picture, `"height": 2`, `"height": 3`, 1) + "," + pose, "its camera has 3 × 3 pixels"},
		{`{"name": "x", "kind": "float64", "len": 6, ` + camera + `},` + pose, "its camera has 3 × 2 pixels"},
		{strings.Replace(picture, `"fx"`, `"fz"`, 1) + "," + pose, "unknown field"},
	} {
		_, err := ParseDocument([]byte(`{"format_version": 2, "tables": [{"name": "a", "columns": [` + c.columns + `]}]}`))
		if c.want == "" != (err == nil) || err != nil && (!strings.Contains(err.Error(), c.want) ||
			strings.Contains(err.Error(), "\n")) {
			t.Errorf("%s: %v, want %q", c.columns, err, c.want)
		}
	}
}
