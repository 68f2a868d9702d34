package physics

import "testing"

func TestUnknownErrorNamesTheNearest(t *testing.T) {
	known := []string{"qpos", "qvel", "control"}
	for name, want := range map[string]string{
		"qpso": `unknown field "qpso": the nearest known one is "qpos"`,
		"vel":  `unknown field "vel": the nearest known one is "qvel"`,
		"ctl":  `unknown field "ctl": the nearest known one is "qvel"`, // of two at the same distance, the first
		"":     `unknown field "": the nearest known one is "qpos"`,
	} {
		if got := UnknownError("field", name, known).Error(); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	if got := UnknownError("field", "x", nil).Error(); got != `unknown field "x": there are none` {
		t.Error(got)
	}
}

func TestEditDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"abc", "", 3}, {"", "abc", 3}, {"kitten", "sitting", 3}, {"flaw", "lawn", 2}, {"same", "same", 0}} {
		if got := editDistance(c.a, c.b); got != c.want {
			t.Errorf("editDistance(%q, %q) is %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
