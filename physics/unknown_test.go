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
