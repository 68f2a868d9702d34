package configs

import (
	"bytes"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

const described = `task: {name: arm}
scene:
  models: [{file: arm.xml}, {file: /models/table.xml, prefix: table_, position: [1, 0, 0]}]
  floor: false
  actuators: [{joints: [".*"], kp: 25, kd: 0.5, effort: 20}]
start: {joints: {"Shoulder.*": 0.5, ".*_Elbow": -1}}
episode: 5s
actions: [{term: joint_position, scale: {".*_Elbow": 0.5, "Shoulder.*": 1}}]
observations:
  policy: [{term: joint_pos_rel, noise: {std: 0.01}}, {name: t, expr: "time / 5"}]
  other: {noise: false, terms: [{term: joint_vel_rel, delay: [0, 2]}]}
  critic: [{term: joint_vel_rel}]
rewards: [{weight: -1e-3, term: joint_vel_l2}, {name: calm, expr: "1", weight: 2}]
terminations: [{term: time_out}]
`

func TestDescribedRoundTrip(t *testing.T) {
	c := polytest.Must(Parse("/robots/arm.yaml", []byte(described), nil, nil))(t)
	polytest.Equal(t, c.Scene.Models[0].File, "/robots/arm.xml", "the model")
	polytest.Equal(t, c.Scene.Models[1].File, "/models/table.xml", "the second model")
	if c.Start.Joints["Shoulder.*"] != 0.5 {
		t.Errorf("start.joints is %v, want the patterns as they were written", c.Start.Joints)
	}
	text := c.YAML()
	again, err := Parse("/elsewhere/copy.yaml", text, nil, nil)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	if !reflect.DeepEqual(c, again) || !bytes.Equal(text, again.YAML()) {
		t.Errorf("a round trip gives\n%s, want\n%s", again.YAML(), text)
	}
	if want := "  - {term: joint_vel_l2, weight: -0.001}\n"; !strings.Contains(string(text), want) {
		t.Errorf("the file has no line %q:\n%s", want, text)
	}
}

func TestOverrideEntriesOfDescribedTasks(t *testing.T) {
	c, err := Parse("/robots/arm.yaml", []byte(described), []string{
		"rewards.calm={weight: 3}", "rewards.joint_vel_l2.weight=-1", "observations.other.joint_vel_rel.scale=2",
		"observations.policy.t.expr=time",
		"observations.other.noise=true", "scene.floor=true", "start.joints={Wrist: 1}", "actions.joint_position.clip=[-2, 2]",
	}, []string{"POLYRHYTHM_EPISODE=7s", "POLYRHYTHM_SCENE_LIGHT=false"})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range []struct{ got, want any }{
		{c.Rewards[1]["weight"], 3},
		{c.Rewards[0]["weight"], -1},
		{c.Observations["other"].Terms[0]["scale"], 2},
		{c.Observations["policy"].Terms[1]["expr"], "time"},
		{c.Observations["other"].Noise, true},
		{c.Scene.Floor.String(), "true"},
		{c.Scene.Light.String(), "false"},
		{c.Start.Joints["Wrist"], 1},
		{c.Episode.String(), "7s"},
		{c.Actions[0]["clip"], []any{-2, 2}},
	} {
		if !reflect.DeepEqual(v.got, v.want) {
			t.Errorf("got %v, want %v", v.got, v.want)
		}
	}
}

// The example of the documentation is valid.
func TestDocumentedDescription(t *testing.T) {
	data := polytest.Must(os.ReadFile("../docs/reference/configuration/task.md"))(t)
	_, text, ok := strings.Cut(string(data), "```yaml\ntask: {name: go2-walk}")
	text, _, ended := strings.Cut(text, "```")
	if !ok || !ended {
		t.Fatal("docs/reference/configuration/task.md has no example of a described task")
	}
	if _, err := Parse("go2.yaml", []byte("task: {name: go2-walk}"+text), nil, nil); err != nil {
		t.Error(err)
	}
}
