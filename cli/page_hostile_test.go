package cli

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/live/wire"
)

// hostileNames are names that a page might take for something else.
var hostileNames = []string{
	`<img src=x onerror=hacked=1>`, `__proto__`, `constructor`, "\u202egnp.exe", "\u0645\u0631\u062d\u0628\u0627",
	"tab\tand\u0001control\u007f", `"><script>hacked=1</script>`, "${hacked=1}", strings.Repeat("W", 10_000),
}

// xmlName is a name in a model: XML has no control characters but tabs.
func xmlName(name string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", `"`, "&quot;", "\t", "&#9;", "\u0001", "", "\u007f", "").Replace(name)
}

// hostileScene writes a configuration of a described task whose bodies have hostile names, and returns it with the
// names as the model has them.
func hostileScene(t *testing.T) (config string, bodies []string) {
	t.Helper()
	folder := t.TempDir()
	var model strings.Builder
	model.WriteString(`<mujoco><worldbody><body name="` + strings.Repeat("M", 10_000) + `" pos="0 0 1"><freejoint/><geom size="0.1"/>` +
		`<body name="leg" pos="0.2 0 0"><joint name="knee" axis="0 1 0" damping="1"/><geom size="0.05"/></body></body>`)
	for i, name := range hostileNames {
		text := xmlName(name)
		fmt.Fprintf(&model, `<body name="%s" pos="%d 1 1"><freejoint/><geom size="0.1"/></body>`, text, i)
		bodies = append(bodies, strings.NewReplacer("\u0001", "", "\u007f", "").Replace(name))
	}
	model.WriteString(`</worldbody></mujoco>`)
	write(t, filepath.Join(folder, "scene.xml"), model.String())
	config = filepath.Join(folder, "hostile.yaml")
	write(t, config, `
task: {name: "<b>hostile"}
scene: {models: [{file: scene.xml}], actuators: [{joints: [knee], kp: 1}]}
worlds: 1
episode: 1000s
runners: [{name: Robot, rate: 50}, {name: Capture, rate: 30}, {name: Planner, rate: 10}]
bindings: [{name: physics, substeps: 10}]
time: {mode: sim_realtime}
actions: [{term: joint_position, joints: [knee]}]
observations: {policy: [{term: joint_pos_rel}]}
terminations: []
`)
	return config, bodies
}

// Whatever names a model's bodies and clients have, and whatever clients write, the page shows it as text: nothing of
// it is markup or code, nothing is lost, and no panel is wider than the page.
func TestPageUnderHostileNamesLong(t *testing.T) {
	polytest.OnlySlow(t)
	b := openBrowser(t, 1100, 720)
	config, bodies := hostileScene(t)
	s := serveHere(t, "--config", config, "--policy", "zero", "--paused")
	var clients []string
	var mind *webClient
	for _, name := range hostileNames {
		name = name[:min(len(name), 32)]
		if strings.ContainsAny(name, "\u202e\t\u0001") {
			continue // the server refuses them
		}
		mind = joinWeb(t, s.address, name)
		for mind.next().GetWelcome() == nil {
		}
		clients = append(clients, fmt.Sprintf("%s-%d", name, len(clients)+1))
	}
	b.visit("http://" + s.address + "/")
	b.holds("Array.isArray(polyrhythm.state.decisions)") // there is none yet
	if banner := eval[string](b, "document.getElementById('banner').textContent"); banner != "" {
		t.Errorf("the page says %q, want nothing", banner)
	}
	texts := func(selector string) (list []string) {
		return eval[[]string](b, fmt.Sprintf("[...document.querySelectorAll(%q)].map((e) => e.textContent)", selector))
	}
	options := texts(`select[aria-label="body to push"] option`)
	for _, name := range bodies {
		if !slices.Contains(options, name) {
			t.Errorf("no body to push is %.40q, there are %.40q", name, options)
		}
	}
	b.click("#tab-activity")
	b.holds("document.querySelectorAll('#clients .name').length > 1")
	list := texts("#clients .name")
	for _, name := range clients {
		if !slices.Contains(list, name) {
			t.Errorf("no client is %.40q, there are %.40q", name, list)
		}
	}

	// What clients write: edits that fail at the decision point, replies in no form, reasons.
	polytest.Equal(t, mind.submit(&wire.Intent{Kind: &wire.Intent_Decide{Decide: &wire.Decide{}}}), "", "the refusal")
	failures := 0
	for _, name := range hostileNames {
		edits := polytest.Must(json.Marshal([]any{map[string]any{"set_rate": map[string]any{"name": name, "rate": "25"}}}))(t)
		if mind.submit(&wire.Intent{Kind: &wire.Intent_Edit{Edit: &wire.Edit{Edits: string(edits)}}}) == "" {
			failures++
		}
	}
	b.holds(fmt.Sprintf("document.querySelectorAll('#feed .bad').length === %d", failures))
	for i, name := range hostileNames {
		mind.stepTo(b, int64(6+5*i))
		d := mind.decision()
		mind.submit(&wire.Intent{Kind: &wire.Intent_Reply{Reply: &wire.Reply{Id: d.Id, Json: name}}}) // is no JSON
		why := polytest.Must(json.Marshal(map[string]string{"why": name[:min(len(name), 4000)]}))(t)
		polytest.Equal(t, mind.submit(&wire.Intent{Kind: &wire.Intent_Reply{Reply: &wire.Reply{Id: d.Id, Json: string(why)}}}),
			"", "the refusal of a reason")
		want := polytest.Must(json.Marshal("“" + name[:min(len(name), 4000)] + "”"))(t)
		b.holds(`document.getElementById("why").textContent === ` + string(want))
	}
	b.click("#tab-decisions")
	b.holds(fmt.Sprintf("document.querySelectorAll('.decision').length === %d", len(hostileNames)))
	eval[any](b, "document.querySelectorAll('.decision').forEach((d) => { d.open = true; })")
	b.holds(fmt.Sprintf("document.querySelectorAll('.decision pre').length === %d", len(hostileNames)))
	b.holds("document.querySelectorAll('.perception details').length > 0")
	eval[any](b, "document.querySelectorAll('details').forEach((d) => { d.open = true; })")
	for i, text := range slices.Backward(texts(".decision pre")) {
		if name := hostileNames[len(hostileNames)-1-i]; text != name {
			t.Errorf("a reply is %.60q on the page, want %.60q", text, name)
		}
	}

	for _, tab := range []string{"steer", "plots", "order", "activity", "decisions"} {
		b.click("#tab-" + tab)
		b.holds("!document.getElementById('" + tab + "').hidden")
		b.picture("hostile-"+tab, 0, 0, 1100, 720)
		if wide := eval[[]int](b, fmt.Sprintf(`(() => { const p = document.getElementById(%q);
			return [document.documentElement.scrollWidth, p.scrollWidth - p.clientWidth]; })()`, tab)); wide[0] > 1100 || wide[1] > 0 {
			t.Errorf("with the panel %s the page is %d px wide, and the panel %d px more than it shows", tab, wide[0], wide[1])
		}
	}
	if eval[bool](b, `"hacked" in window || document.querySelector("img, body script, b, iframe") !== null || `+
		`Object.keys(Object.prototype).length > 0 || ({}).__proto__ !== Object.prototype`) {
		t.Error("a name has become markup, code or a prototype")
	}
	polytest.Equal(t, texts("#task")[0], "<b>hostile", "the task")
	b.clean()
}
