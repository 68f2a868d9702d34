package runners

import (
	"encoding/json"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

// worlds are the bindings of worlds with one channel and a sync point.
func worlds() []Binding {
	return []Binding{
		{Name: "gyro", Runner: "Capture", Phase: Acquisition, Priority: -100, Role: Sense, Channel: 3},
		{Name: "observation", Runner: "Robot", Phase: Acquisition, Role: Observe},
		{Name: "latch", Phase: Acquisition, Beat: true, Role: Latch},
		{Name: "controller", Runner: "Robot", Phase: Control, Priority: -200, Role: Act},
		{Name: "recorder", Runner: "Capture", Phase: Control, Priority: 100},
		{Name: "physics", Runner: "Robot", Phase: Physics, Role: Integrate, Substeps: 10},
		{Name: "after", Runner: "Robot", Phase: Export},
	}
}

func TestRoles(t *testing.T) {
	s := mustCompile(t, defaults(), worlds())
	polytest.Equal(t, s.Runners()[s.Control()].Name, "Robot", "control runner")
	polytest.Equal(t, s.ControlRate(), Hz(50), "control rate")
	polytest.Equal(t, s.SubstepRate(), Hz(500), "substep rate")
	polytest.Equal(t, s.Physics().Name, "physics", "binding of physics")
	for _, e := range s.Entries() {
		polytest.Equal(t, e.AfterPhysics, e.Name == "after", "%s comes after physics", e.Name)
		polytest.Equal(t, e.Writes, e.Name == "controller", "%s writes", e.Name)
		polytest.Equal(t, e.First, e.Index, "index of %s when the clock began", e.Name)
	}

	plain := mustCompile(t, defaults(), nil)
	if plain.Control() != NoRunner || plain.Physics() != nil || !plain.SubstepRate().IsZero() {
		t.Error("a schedule without roles has a control runner or physics")
	}
}

// A binding that is removed and added again has the role with which the clock began, and so has one of a version that
// went through JSON.
func TestBindingsKeepTheirRoles(t *testing.T) {
	clock := NewClock(mustCompile(t, defaults(), worlds()))
	again := Binding{Name: "gyro", Runner: "Robot", Phase: Acquisition}
	polytest.NoError(t, clock.Add(Change{Edits: Edits{RemoveBinding{Name: "gyro"}, AddBinding{again}}}, nil))
	clock.Forget(1)
	text := polytest.Must(json.Marshal(clock.Version()))(t)
	var version Version
	polytest.NoError(t, json.Unmarshal(text, &version))
	resumed := polytest.Must(clock.Resume(&version))(t)
	for _, c := range []*Clock{clock, resumed} {
		s := c.Schedule(1)
		e := s.Entries()[len(s.Entries())-1]
		if e.Role != Sense || e.Channel != 3 || e.First != 0 || e.Index != 6 {
			t.Errorf("the binding that was added again is %+v, want channel 3 and the first of the clock's beginning", e)
		}
		polytest.Equal(t, s.Physics().Substeps, 10, "substeps")
	}

	version.Runners[0].Rate = Hz(25)
	polytest.ErrorContains(t, polytest.Err(clock.Resume(&version)), "rate of physics substeps is 250 Hz, want 500 Hz")
}

func TestRoleErrors(t *testing.T) {
	for name, c := range map[string]struct {
		change func(b []Binding) []Binding
		want   string
	}{
		"no physics":    {func(b []Binding) []Binding { return b[:5] }, "there is no physics binding, want one"},
		"a role alone":  {func(b []Binding) []Binding { return b[:1] }, "there is no controller binding, want one"},
		"two of a role": {func(b []Binding) []Binding { b[6].Role = Observe; return b }, `and "after" are both`},
		"no substeps":   {func(b []Binding) []Binding { b[5].Substeps = 0; return b }, `"physics" has 0 substeps`},
		"disabled":      {func(b []Binding) []Binding { b[3].Disabled = true; return b }, `"controller" is disabled`},
		"another phase": {func(b []Binding) []Binding { b[3].Phase = Export; return b }, `"controller" is in phase Export`},
		"two runners":   {func(b []Binding) []Binding { b[1].Runner = "Capture"; return b }, "want both on one, the control"},
		"late writer":   {func(b []Binding) []Binding { b[6].Writes = true; return b }, `"after" writes to physics and is`},
		"late latch":    {func(b []Binding) []Binding { b[2].Phase = Export; return b }, `"latch" is in phase Export, after`},
		"much too fast": {func(b []Binding) []Binding { b[5].Substeps = 1 << 30; return b }, `"physics": rate 50`},
	} {
		_, err := Compile(defaults(), c.change(worlds()))
		if err == nil {
			t.Errorf("%s: no error, want one with %s", name, c.want)
			continue
		}
		polytest.ErrorContains(t, err, c.want)
	}
	s := mustCompile(t, defaults(), worlds())
	for _, c := range []struct {
		edit Edit
		want string
	}{
		{SetRate{"Robot", Hz(25)}, "rate of physics substeps is 250 Hz, want 500 Hz, for which the model was compiled"},
		{Rebind{"controller", "Capture"}, `"controller" defines the control runner, want it left there`},
		{RemoveBinding{"observation"}, `"observation" defines the control runner, want it left there`},
		{RemoveBinding{"physics"}, "there is no physics binding"},
		{AddBinding{Binding{Name: "new", Runner: "Robot"}}, `binding "new" is new, want one that the run began with`},
	} {
		polytest.ErrorContains(t, polytest.Err(s.Apply(c.edit)), c.want)
	}
	beat := Edits{RemoveBinding{"recorder"}, AddBinding{Binding{Name: "recorder", Beat: true}}}
	polytest.ErrorContains(t, polytest.Err(s.Apply(beat...)), `beat of binding "recorder" is true, want false`)
}
