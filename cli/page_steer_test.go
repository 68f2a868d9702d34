package cli

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sim/runlog"
)

// didWhat is what an intervention of the page does, as far as a test cares.
func didWhat(t *testing.T, i runlog.Intervention) string {
	t.Helper()
	text := i.Intent.Kind
	switch effect := i.Effect.(type) {
	case *runlog.Push:
		return fmt.Sprintf("%s %s %v %v", text, effect.Body, effect.Force, effect.Velocity)
	case *runlog.Command:
		return fmt.Sprintf("%s %s %v", text, effect.Name, effect.Values)
	case *runlog.Label:
		if effect.Success != nil {
			return fmt.Sprintf("%s of episode %d %v", text, effect.Episode, *effect.Success)
		}
		return fmt.Sprintf("%s of episode %d %s", text, effect.Episode, effect.Task)
	case *runlog.Change:
		edits := polytest.Must(json.Marshal(effect.Edits))(t)
		return text + " " + string(edits)
	}
	return fmt.Sprintf("%s %+v", text, i.Effect)
}

// done are the intents of the page in the log of a run, in order.
func done(t *testing.T, out string) (list []string) {
	t.Helper()
	for _, i := range interventions(t, out) {
		if i.Intent != nil && i.Intent.Client == "page-1" {
			list = append(list, didWhat(t, i))
		}
	}
	return list
}

// Whatever the page can do by sliders, a gamepad, buttons, choices and keys is in the log.
func TestPageSteersLong(t *testing.T) {
	polytest.OnlySlow(t)
	b := openBrowser(t, 900, 560)
	s := serveHere(t, "--policy", "zero", "--paused")
	b.visit("http://" + s.address + "/")
	applied := 0
	steer := func(what string, f func()) { // waits until the next intent has been applied
		t.Helper()
		f()
		applied++
		b.until(what, func() bool { return eval[int](b, "polyrhythm.state.applied") >= applied })
	}
	focus := func(selector string) { eval[any](b, fmt.Sprintf("document.querySelector(%q).focus()", selector)) }

	steer("a slider", func() { focus(`[data-command="velocity/lin_vel_x"]`); b.key("End", 35, "") })
	high := eval[float64](b, "polyrhythm.state.description.commands[0].high[0]")
	b.holds(fmt.Sprintf(`document.querySelector("#steer fieldset .slider output").textContent === "%.2f" && `+
		`document.querySelector("#steer .buttons .hint").textContent === "given from here"`, high))
	steer("the task chooses", func() { b.click("#steer .buttons button:nth-child(2)") })
	steer("the gamepad", func() { // without a step
		eval[any](b, `(() => {
		navigator.getGamepads = () => [null, { id: "test pad", axes: [0, -0.5, 0, 0], buttons: [] }];
		dispatchEvent(new Event("gamepadconnected")); document.activeElement.blur(); })()`)
	})
	b.holds(`document.getElementById("steer").textContent.includes("test pad")`)
	steer("a step", func() { b.key(".", 190, ".") })
	steer("a push by a button", func() {
		b.choose(`#steer select[aria-label="body to push"]`,
			eval[string](b, `String(polyrhythm.state.description.bodies.findIndex((d) => d.name === "trunk"))`))
		b.click(`#steer button[aria-label="push along minus y"]`)
	})
	eval[any](b, `document.querySelector("#steer details.action").open = true`)
	b.click(`#steer details.action input[type=checkbox]`)
	steer("a step", func() { b.key(".", 190, ".") })
	steer("an action", func() {})
	steer("the policy again", func() { b.click(`#steer details.action input[type=checkbox]`) })
	steer("a speed by choice", func() { b.choose("#speed", "0.5") })
	eval[any](b, "document.activeElement.blur()")
	steer("a speed by key", func() { b.key("=", 187, "=") })
	steer("a reset", func() { b.click("#reset") })
	steer("a reset by key", func() { b.key("R", 82, "R") })
	steer("the words for a task", func() {
		b.click(`#steer input[aria-label="task"]`)
		b.call("Input.insertText", map[string]any{"text": "stand still"}, nil)
		b.key("Enter", 13, "\r")
	})
	steer("a success", func() { b.click(`#steer .labels button:nth-child(2)`) })
	b.picture("labelled", 0, 0, 900, 560)
	b.key("3", 51, "3")
	b.holds(`!document.getElementById("order").hidden && document.querySelector('[data-key="phase/recorder"]')`)
	steer("a phase", func() { b.choose(`[data-key="phase/recorder"]`, "Export") })
	b.holds(`document.querySelector('.phase-4 [data-key="phase/recorder"]')`)
	steer("a runner of a binding", func() { b.choose(`[data-key="runner-of/recorder"]`, "Sensors") })
	b.holds(`document.querySelector('[data-key="runner-of/recorder"]').value === "Sensors"`)
	steer("a runner that is off", func() { b.click(`[data-key="runner/Capture"]`) })
	b.holds(`!document.querySelector('[data-key="runner/Capture"]').checked`)
	b.until("a rate that is refused", func() bool { // the field may be made anew in between, and the banner goes by itself
		b.click(`[data-key="rate/Sensors"]`)
		eval[any](b, "document.activeElement.select?.()")
		b.call("Input.insertText", map[string]any{"text": "0"}, nil)
		b.key("Enter", 13, "\r")
		time.Sleep(100 * time.Millisecond)
		return eval[bool](b,
			`!document.getElementById("banner").hidden && document.getElementById("banner").textContent.startsWith("edit: ")`)
	})
	b.holds(`document.querySelector('[data-key="rate/Sensors"]').value === "500"`)
	b.picture("edited", 0, 0, 900, 560)
	b.clean()
	s.stop()
	want := []string{
		fmt.Sprintf("command velocity [%v 0 0]", high), "command velocity []",
		fmt.Sprintf("command velocity [%v 0 0]", high/2), "step &{Count:1}", "push trunk [0 -100 0] [0 0 0]",
		"step &{Count:1}", "action &{World:0 Steps:10}", "action &{World:0 Steps:0}", "speed &{Factor:0.5}",
		"speed &{Factor:1}", "reset &{World:0 All:true}", "reset &{World:0 All:true}",
		"label of episode 2 stand still", "label of episode 2 true",
		`edit [{"set_phase":{"name":"recorder","phase":"Export"}}]`,
		`edit [{"rebind":{"name":"recorder","runner":"Sensors"}}]`,
		`edit [{"toggle_runner":{"name":"Capture","enabled":false}}]`,
	}
	if got := done(t, s.out); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("the log has\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	dataset := filepath.Join(t.TempDir(), "data")
	if text := mustTrain(t, "replay", s.out, "--record", dataset); !strings.HasPrefix(text, "identical, 2 steps") {
		t.Errorf("replay: %s", text)
	}
	labels := polytest.Must(polytest.Must(recorder.Open(dataset))(t).Labels())(t)
	if task, success := labels.Task(2, 0), labels.Success(2, nil); task != "stand still" || success == nil || !*success {
		t.Errorf("the dataset has the task %q and success %v", task, success)
	}
	polytest.Equal(t, labels.Task(1, 0), "quadruped", "the task of the episode before")
}

// exactTimes checks that the page computes the boundaries and beats of clocks to the
// nanosecond, through a change of the clock.
func exactTimes(t *testing.T, b *browser) {
	t.Helper()
	for _, names := range [][]string{{"50", "30", "500"}, {"30000/1001", "24"}, {"200/3", "7", "1/3"}} {
		var set []runners.Runner
		var page []map[string]any
		for i, name := range names {
			rate := polytest.Must(runners.ParseRate(name))(t)
			set = append(set, runners.Runner{Name: fmt.Sprint("r", i), Rate: rate})
			page = append(page, map[string]any{"name": set[i].Name, "rate": rate.String(), "enabled": true})
		}
		schedule := polytest.Must(runners.Compile(set, nil))(t)
		order := polytest.Must(json.Marshal(map[string]any{"anchor_ns": 0, "beat": schedule.BeatPeriod().RatString(),
			"runners": page}))(t)
		const until = int64(9e9)
		want := map[string][]int64{"beats": nil}
		for c := schedule.Start(); c.NS() <= until; c.Next() {
			for i, r := range set {
				if c.Fired().Has(runners.ID(i)) {
					want[r.Name] = append(want[r.Name], c.NS())
				}
			}
			if c.Sync() {
				want["beats"] = append(want["beats"], c.NS())
			}
		}
		got := eval[map[string][]int64](b, fmt.Sprintf(`import("./clock.js").then(({ beats, boundaries }) => {
			const o = %s, out = { beats: beats(o, -1, %[2]d, 1e9) };
			for (const r of o.runners) out[r.name] = boundaries(o, r.name, -1, %[2]d, 1e9);
			return out; })`, order, until))
		for name, list := range want {
			if fmt.Sprint(list) != fmt.Sprint(got[name]) {
				t.Errorf("%v: %s on the page is %v, want %v", names, name, got[name], list)
			}
		}
	}
}
