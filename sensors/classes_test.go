package sensors

import (
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/physics"
)

// Labels and what they are: of geoms without a name, of a flex, which has several shapes of one label, and of the world.
func TestLabelsOfClassesAndBodies(t *testing.T) {
	segments := []physics.Segment{
		{Label: 0, Name: "floor", Body: "world", BodyLabel: 0},
		{Label: 1, Body: "torso", BodyLabel: 1},
		{Label: 2, Name: "left foot", Body: "left", BodyLabel: 2},
		{Label: 3, Name: "right foot", Body: "right", BodyLabel: 3},
		{Label: 4, Name: "cloth", BodyLabel: 4},
		{Label: 4, Name: "cloth", BodyLabel: 4},
	}
	for _, c := range []struct {
		name   string
		camera Camera
		labels Labels
		shown  []physics.Segment
		kind   string
	}{
		{"geoms", Camera{}, nil, segments, "geom"},
		{"bodies", Camera{Instances: BodyInstances}, Labels{0, 1, 2, 3, 4}, []physics.Segment{
			{Label: 0, Body: "world"}, {Label: 1, Body: "torso", BodyLabel: 1}, {Label: 2, Body: "left", BodyLabel: 2},
			{Label: 3, Body: "right", BodyLabel: 3}, {Label: 4, Name: "cloth", BodyLabel: 4}}, "body"},
		{"classes", Camera{Classes: []Class{{Name: "soft", Geoms: []string{"cl.*"}}, {Name: "robot", Geoms: []string{".* foot"},
			Bodies: []string{"torso"}}, {Name: "all", Geoms: []string{".*"}}}}, Labels{2, 1, 1, 1, 0}, []physics.Segment{
			{Label: 0, Class: "soft"}, {Label: 1, Class: "robot"}, {Label: 2, Class: "all"}}, "class"},
		{"some", Camera{Classes: []Class{{Name: "feet", Bodies: []string{"left|right"}}}}, Labels{-1, -1, 0, 0, -1},
			[]physics.Segment{{Label: 0, Class: "feet"}}, "class"},
	} {
		labels, shown, err := c.camera.Relabel(segments)
		polytest.NoError(t, err)
		polytest.EqualSlices(t, labels, c.labels, c.name+": labels")
		polytest.EqualSlices(t, shown, c.shown, c.name+": what they are")
		polytest.Equal(t, c.camera.Labelled(), c.kind, "%s", c.name)
		polytest.Equal(t, labels.Of(-1), -1, "%s: nothing", c.name)
	}
	_, _, err := (&Camera{Classes: []Class{{Name: "a", Geoms: []string{"floor", "flor"}}}}).Relabel(segments)
	polytest.ErrorContains(t, err, `classes[0].geoms[1]: no geom that cameras see matches "flor"; did you mean`)
}
