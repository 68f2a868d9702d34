package physics

import "testing"

func TestUnknownErrorNamesTheNearest(t *testing.T) {
	known := []string{"qpos", "qvel", "control"}
	for name, want := range map[string]string{
		"qpso": `unknown field "qpso": the nearest known one is "qpos"`,
		"vel":  `unknown field "vel": the nearest known one is "qvel"`,
		"ctl":  `unknown field "ctl", want one of qpos, qvel, control`, // none can be meant
		"":     `unknown field "", want one of qpos, qvel, control`,
	} {
		if got := UnknownError("field", name, known).Error(); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	if got := UnknownError("field", "x", nil).Error(); got != `unknown field "x": there are none` {
		t.Error(got)
	}
}
