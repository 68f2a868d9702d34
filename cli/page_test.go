package cli

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/sim/runlog"
)

// interventions are those in the log of a run.
func interventions(t *testing.T, out string) (list []runlog.Intervention) {
	t.Helper()
	parts := polytest.Must(runlog.OpenFiles(filepath.Join(out, "run.log"), 0))(t)
	defer parts.Close()
	log := polytest.Must(runlog.NewReader(parts))(t)
	for {
		record, err := log.Next()
		if errors.Is(err, io.EOF) || errors.Is(err, runlog.ErrEnd) {
			return list
		}
		if err != nil {
			t.Fatal(err)
		}
		if record.Kind == runlog.KindIntervention {
			list = append(list, record.Intervention())
		}
	}
}

// The page shows the robot as it moves, and what a person does there with the mouse and
// the keys is in the log of the run: a pause, a push, a rate, a priority, a step.
func TestPageLong(t *testing.T) {
	polytest.OnlySlow(t)
	b := openBrowser(t, 1280, 800)
	s := serveHere(t, "--policy", "random", "--channels", "gyro", "--seed", "7")
	b.visit("http://" + s.address + "/")
	before := b.picture("moving", 200, 150, 500, 500)
	b.until("the robot moves", func() bool { return differing(before, b.picture("moved", 200, 150, 500, 500)) > 1500 })

	b.click("#pause")
	b.holds("polyrhythm.state.frame.paused && !polyrhythm.view.moving")
	sameFrames(t, b)
	exactTimes(t, b)
	turned := eval[float64](b, "polyrhythm.view.controls.getAzimuthalAngle()")
	for i, kind := range []string{"mousePressed", "mouseMoved", "mouseReleased"} { // beside the robot
		b.mouse(kind, float64(20+20*i), 200)
	}
	if now := eval[float64](b, "polyrhythm.view.controls.getAzimuthalAngle()"); now >= turned ||
		!eval[bool](b, "polyrhythm.view.follow && !polyrhythm.view.drag") {
		t.Errorf("a drag beside the robot turns the view from %v to %v, want it turned left, and the robot followed",
			turned, now)
	}
	pushed := push(b)
	b.holds("[...document.querySelectorAll('#feed .kind')].some((e) => e.textContent === 'push')")

	b.click("#tab-order")
	b.holds(`document.querySelector('[data-key="rate/Capture"]').value === "30"`)
	if !eval[bool](b,
		`document.querySelector('[data-key="phase/physics"]').disabled && `+
			`document.querySelector('[data-key="phase/physics"]').title.includes("want Physics")`) {
		t.Error("the phase of physics can be changed, want it greyed out with the reason")
	}
	b.click(`[data-key="rate/Capture"]`)
	eval[any](b, "document.activeElement.select()")
	b.call("Input.insertText", map[string]any{"text": "25"}, nil)
	b.key("Enter", 13, "\r")
	b.holds(`document.querySelector('[data-key="rate/Capture"]').defaultValue === "25" && ` +
		`polyrhythm.state.order.runners[1].rate === "25"`)
	b.click(`[data-key="step1/recorder"]`)
	b.holds(`document.querySelector('[data-key="priority/recorder"]').value === "101"`)
	b.click(`[data-key="binding/accelerometer"]`)
	b.holds(`!polyrhythm.state.order.bindings.find((b) => b.name === "accelerometer").enabled`)
	b.picture("order", 0, 0, 1280, 800)

	n := eval[int64](b, "polyrhythm.state.frame.n")
	eval[any](b, "document.activeElement.blur()")
	b.key(".", 190, ".")
	b.until("one step", func() bool { return eval[int64](b, "polyrhythm.state.frame.n") == n+1 })
	b.key(" ", 32, " ")
	b.holds("!polyrhythm.state.frame.paused && !polyrhythm.state.order.waiting")
	b.click("#tab-plots")
	b.holds("document.querySelectorAll('#plots canvas').length === 4")
	b.picture("plots", 0, 0, 1280, 800)

	b.clean()
	s.stop()
	b.holds("!document.getElementById('banner').hidden && document.getElementById('state').textContent === 'lost' && " +
		"document.getElementById('pause').disabled")
	checkInterventions(t, interventions(t, s.out), pushed)
	if text := mustTrain(t, "replay", s.out); !strings.Contains(text, "identical") {
		t.Errorf("replay: %s", text)
	}
}

// What the last step of an episode gave is said beside the plot of the reward, and is not drawn at the beginning of the next
// episode. The terms of the reward are drawn, and add up to it. A slider that cannot move says why.
func TestPageShowsWhyItFallsLong(t *testing.T) {
	polytest.OnlySlow(t)
	b := openBrowser(t, 1280, 800)
	s := serveHere(t, "--policy", "random", "--set", "terminations.time_out=null", "--set",
		"commands.velocity.lin_vel_y=[0, 0]")
	b.visit("http://" + s.address + "/")
	b.click("#tab-plots")
	b.holds(`polyrhythm.plots.reward.caption.textContent.includes("terminated")`)
	b.click("#pause")
	b.holds("polyrhythm.state.frame.paused")
	b.holds(`polyrhythm.plots.reward.ns.length === 0 || polyrhythm.plots.reward.ns[0] > 0`)
	b.holds(`(() => { const [reward, terms] = polyrhythm.plots.plots.slice(-2).map((p) => p.data);
		return reward[0].length === terms[0].length && reward[1].every((r, i) =>
			Math.abs(r - terms.slice(1).reduce((sum, term) => sum + term[i], 0)) < 1e-4); })()`)
	b.click("#tab-steer")
	b.holds(`document.querySelector('[data-command="velocity/lin_vel_y"]').disabled && ` +
		`document.querySelector("#steer .why").textContent === "always 0: the configuration gives it the range 0 to 0"`)
	b.picture("falls", 0, 0, 1280, 800)
	b.clean()
}

// push drags the body in the middle of the robot to the right, and returns its name: the trunk, or a leg before it.
func push(b *browser) string {
	b.t.Helper()
	point := eval[[]float64](b, `(() =>
		{ const v = polyrhythm.view, p = v.bodies[0].position.clone().project(v.camera), r = v.canvas.getBoundingClientRect();
		return [r.left + (p.x + 1) / 2 * r.width, r.top + (1 - p.y) / 2 * r.height]; })()`)
	b.mouse("mousePressed", point[0], point[1])
	b.holds("polyrhythm.view.drag")
	body := eval[string](b, "polyrhythm.state.description.bodies[polyrhythm.view.drag.body].name")
	for dx := 40.0; dx <= 160; dx += 40 {
		b.mouse("mouseMoved", point[0]+dx, point[1])
	}
	b.holds("polyrhythm.view.arrow.visible")
	b.picture("push", 0, 0, 1280, 800)
	b.mouse("mouseReleased", point[0]+160, point[1])
	return body
}

// sameFrames checks that the page's decoder has the states of the vectors of package live.
func sameFrames(t *testing.T, b *browser) {
	t.Helper()
	vectors := polytest.Must(os.ReadFile("../live/testdata/frames.json"))(t)
	problems := eval[[]string](b, `(async () => {
		const { Decoder } = await import("/wire.js"), decoder = new Decoder(), problems = [];
		for (const { update, state } of `+string(vectors)+`) {
			const u = decoder.update(Uint8Array.from(atob(update), (c) => c.charCodeAt(0))), f = u.frame;
			if (!state) continue;
			const got = { n: f.n, number: f.number, missed: decoder.missed, key: f.key, paused: f.paused,
				speed: decoder.speed, worlds: f.worlds.map((w, i) => ({
				episode: w.episode, ns: w.ns, terminated: w.terminated, truncated: w.truncated, reward: w.reward,
				stamps: decoder.tracks.map((_, t) => decoder.stamp(i, t)),
				values: decoder.tracks.map((_, t) => [...decoder.values(i, t)].map((x) => Object.is(x, -0) ? "-0" : String(x))),
			})) };
			const want = { ...state, worlds: state.worlds.map((w) => ({ ...w, values: w.values.map((list) => list.map((x) =>
				x === "-0" ? x : String(Number(x)))) })) };
			if (JSON.stringify(got) !== JSON.stringify(want))
				problems.push(JSON.stringify(got) + " want " + JSON.stringify(want));
		}
		return problems;
	})()`)
	for _, problem := range problems[:min(len(problems), 3)] {
		t.Errorf("the page has %s", problem)
	}
}

// checkInterventions checks that what was done on the page is in the log, in order.
func checkInterventions(t *testing.T, list []runlog.Intervention, pushed string) {
	t.Helper()
	var did []string
	for _, i := range list {
		if i.Intent == nil || i.Intent.Client != "page-1" {
			continue
		}
		text := i.Intent.Kind
		switch effect := i.Effect.(type) {
		case *runlog.Push:
			if f := effect.Force; effect.Body != pushed || f[0]*f[0]+f[1]*f[1] < 1 {
				t.Errorf("the push is %+v, want a force on %s", effect, pushed)
			}
		case *runlog.Change:
			edits := polytest.Must(json.Marshal(effect.Edits))(t)
			text += " " + string(edits)
		}
		did = append(did, text)
	}
	want := []string{
		"pause", "push", `edit [{"set_rate":{"name":"Capture","rate":"25"}}]`,
		`edit [{"set_priority":{"name":"recorder","priority":101}}]`,
		`edit [{"toggle_binding":{"name":"accelerometer","enabled":false}}]`, "step", "pause",
	}
	if strings.Join(did, "\n") != strings.Join(want, "\n") {
		t.Errorf("the log has\n%s\nwant\n%s", strings.Join(did, "\n"), strings.Join(want, "\n"))
	}
}

// On a phone nothing is wider than the screen, and a session that may only watch has what
// it may not do greyed out, with the reason.
func TestPageOnAPhoneLong(t *testing.T) {
	polytest.OnlySlow(t)
	b := openBrowser(t, 375, 740)
	tokens := filepath.Join(t.TempDir(), "tokens")
	write(t, tokens, "watch 0123456789abcdef\n")
	s := serveHere(t, "--task", "LunarLander-v3", "--policy", "random", "--tokens", tokens)
	b.visit("http://" + s.address + "/#token=0123456789abcdef")
	b.holds("polyrhythm.view.ground.children.length === 1 && " +
		"polyrhythm.view.ground.children[0].geometry.attributes.position.count > 50")
	polytest.Equal(t, eval[string](b, "polyrhythm.state.role"), "watch", "the role")
	if address := eval[string](b, "location.href"); strings.Contains(address, "token") {
		t.Errorf("the address is %s, want it without the token", address)
	}
	for _, tab := range []string{"steer", "plots", "order", "activity"} {
		b.click("#tab-" + tab)
		b.holds("!document.getElementById('" + tab + "').hidden")
		if width := eval[int](b, "document.documentElement.scrollWidth"); width > 375 {
			t.Errorf("with the panel %s the page is %d px wide, want at most 375", tab, width)
		}
		b.picture("phone-"+tab, 0, 0, 375, 740)
	}
	if title := eval[string](b,
		"document.getElementById('pause').disabled ? document.getElementById('pause').title : ''"); !strings.Contains(title,
		"needs the role operate") {
		t.Errorf("the button that pauses says %q, want it greyed out with the role that it needs", title)
	}
	b.clean()
}
