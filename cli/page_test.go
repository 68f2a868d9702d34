package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"google.golang.org/protobuf/proto"

	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/internal/runlog"
	"github.com/polyrhythm-rl/polyrhythm/live"
	"github.com/polyrhythm-rl/polyrhythm/live/wire"
)

// served is a train serve in this process.
type served struct {
	address string // of the page
	out     string
	stop    func() (code int)
}

func serveHere(t *testing.T, args ...string) *served {
	t.Helper()
	s := &served{out: filepath.Join(t.TempDir(), "run")}
	ctx, cancel := context.WithCancel(context.Background())
	var stdout, stderr shared
	code := make(chan int, 1)
	go func() {
		code <- Run(ctx, append([]string{"serve", "--listen", "127.0.0.1:0", "--grpc", "", "--out", s.out}, args...), &stdout, &stderr)
		close(code)
	}()
	ended, result := false, 0
	s.stop = func() int {
		cancel()
		if !ended {
			ended, result = true, <-code
		}
		return result
	}
	t.Cleanup(func() { s.stop() })
	for s.address == "" {
		if m := regexp.MustCompile(`steer it at http://(\S+)/`).FindStringSubmatch(stderr.text()); m != nil {
			s.address = m[1]
		}
		select {
		case c := <-code:
			t.Fatalf("exit code %d: %s", c, stderr.text())
		case <-time.After(10 * time.Millisecond):
		}
	}
	return s
}

// notes are the interventions in the log of a run.
func notes(t *testing.T, out string) (list []env.Intervention) {
	t.Helper()
	parts, err := runlog.OpenParts(filepath.Join(out, "run.log"), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer parts.Close()
	log, err := runlog.NewReader(parts)
	if err != nil {
		t.Fatal(err)
	}
	for {
		record, err := log.Next()
		if errors.Is(err, io.EOF) || errors.Is(err, runlog.ErrEnd) {
			return list
		}
		if err != nil {
			t.Fatal(err)
		}
		if record.Kind != runlog.KindNote {
			continue
		}
		var i env.Intervention
		if err := json.Unmarshal([]byte(record.Note()), &i); err != nil {
			t.Fatal(err)
		}
		list = append(list, i)
	}
}

// The page shows the robot as it moves, and what a person does there with the mouse and
// the keys is in the log of the run: a pause, a push, a rate, a priority, a step.
func TestPage(t *testing.T) {
	b := openBrowser(t, 1280, 800)
	s := serveHere(t, "--task", "quadruped", "--policy", "random", "--channels", "gyro", "--seed", "7")
	b.visit("http://" + s.address + "/")
	before := b.picture("moving", 200, 150, 500, 500)
	b.until("the robot moves", func() bool { return differing(before, b.picture("moved", 200, 150, 500, 500)) > 1500 })

	b.click("#pause")
	b.holds("polyrhythm.state.frame.paused && !polyrhythm.view.moving")
	sameState(t, b, s.address)
	exactTimes(t, b)
	pushed := push(b)
	b.holds("[...document.querySelectorAll('#feed .kind')].some((e) => e.textContent === 'push')")

	b.click("#tab-order")
	b.holds(`document.querySelector('[data-key="rate/Capture"]').value === "30"`)
	if !eval[bool](b, `document.querySelector('[data-key="phase/physics"]').disabled && document.querySelector('[data-key="phase/physics"]').title.includes("want Physics")`) {
		t.Error("the phase of physics can be changed, want it greyed out with the reason")
	}
	b.click(`[data-key="rate/Capture"]`)
	eval[any](b, "document.activeElement.select()")
	b.call("Input.insertText", map[string]any{"text": "25"}, nil)
	b.key("Enter", 13, "\r")
	b.holds(`document.querySelector('[data-key="rate/Capture"]').defaultValue === "25" && polyrhythm.state.order.runners[1].rate === "25"`)
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
	b.holds("document.querySelectorAll('#plots canvas').length === 3")
	b.picture("plots", 0, 0, 1280, 800)

	for _, problem := range b.console() {
		t.Errorf("on the console: %s", problem)
	}
	s.stop()
	b.holds("!document.getElementById('banner').hidden && document.getElementById('state').textContent === 'lost' && document.getElementById('pause').disabled")
	checkNotes(t, notes(t, s.out), pushed)
	var replayed, problems bytes.Buffer
	if c := Run(context.Background(), []string{"replay", s.out}, &replayed, &problems); c != Done || !strings.Contains(replayed.String(), "identical") {
		t.Errorf("replay: exit code %d, %s%s", c, replayed.String(), problems.String())
	}
}

// push drags the body in the middle of the robot to the right, and returns its name: the
// trunk, or a leg before it.
func push(b *browser) string {
	b.t.Helper()
	at := eval[[]float64](b, `(() => { const v = polyrhythm.view, p = v.bodies[0].position.clone().project(v.camera), r = v.canvas.getBoundingClientRect();
		return [r.left + (p.x + 1) / 2 * r.width, r.top + (1 - p.y) / 2 * r.height]; })()`)
	b.mouse("mousePressed", at[0], at[1])
	b.holds("polyrhythm.view.drag")
	body := eval[string](b, "polyrhythm.state.description.bodies[polyrhythm.view.drag.body].name")
	for dx := 40.0; dx <= 160; dx += 40 {
		b.mouse("mouseMoved", at[0]+dx, at[1])
	}
	b.holds("polyrhythm.view.arrow.visible")
	b.picture("push", 0, 0, 1280, 800)
	b.mouse("mouseReleased", at[0]+160, at[1])
	return body
}

// sameState compares what the page has decoded with what Go's decoder has, bit by bit.
func sameState(t *testing.T, b *browser, address string) {
	t.Helper()
	conn, _, err := websocket.Dial(b.ctx, "ws://"+address+"/live/v1", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.CloseNow()
	conn.SetReadLimit(1 << 24)
	hello, err := proto.Marshal(&wire.Hello{Join: &wire.JoinRequest{Name: "test"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := conn.Write(b.ctx, websocket.MessageBinary, hello); err != nil {
		t.Fatal(err)
	}
	var d live.Decoder
	for d.Frame() == nil {
		_, data, err := conn.Read(b.ctx)
		if err == nil {
			err = d.Update(data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if n := eval[int64](b, "polyrhythm.state.frame.n"); n != d.Frame().GetN() || n == 0 {
		t.Fatalf("the page is at step %d, want %d", n, d.Frame().GetN())
	}
	for track := range d.Welcome.GetDescription().GetTracks() {
		want, stamp := d.Values(nil, 0, track)
		got := eval[[]float64](b, "[...polyrhythm.connection.decoder.values(0, "+string(rune('0'+track))+")]")
		if len(got) != len(want) {
			t.Fatalf("track %d has %d values, want %d", track, len(got), len(want))
		}
		for i := range want {
			if math.Float64bits(got[i]+0) != math.Float64bits(want[i]+0) {
				t.Errorf("value %d of track %d is %v, want %v", i, track, got[i], want[i])
			}
		}
		if ns := eval[int64](b, "polyrhythm.connection.decoder.stamp(0, "+string(rune('0'+track))+")"); ns != stamp {
			t.Errorf("the stamp of track %d is %d, want %d", track, ns, stamp)
		}
	}
}

// checkNotes checks that what was done on the page is in the log, in order.
func checkNotes(t *testing.T, list []env.Intervention, pushed string) {
	t.Helper()
	var did []string
	for _, i := range list {
		if i.Intent == nil || i.Intent.Client != "page-1" {
			continue
		}
		text := i.Intent.Kind
		if i.Push != nil && (i.Push.Body != pushed || i.Push.Force[0]*i.Push.Force[0]+i.Push.Force[1]*i.Push.Force[1] < 1) {
			t.Errorf("the push is %+v, want a force on %s", i.Push, pushed)
		}
		if i.Change != nil {
			edits, err := json.Marshal(i.Change.Edits)
			if err != nil {
				t.Fatal(err)
			}
			text += " " + string(edits)
		}
		did = append(did, text)
	}
	want := []string{
		"pause", "push", `edit [{"set_rate":{"name":"Capture","rate":"25"}}]`, `edit [{"set_priority":{"name":"recorder","priority":101}}]`,
		`edit [{"toggle_binding":{"name":"accelerometer","enabled":false}}]`, "step", "pause",
	}
	if strings.Join(did, "\n") != strings.Join(want, "\n") {
		t.Errorf("the log has\n%s\nwant\n%s", strings.Join(did, "\n"), strings.Join(want, "\n"))
	}
}

// On a phone nothing is wider than the screen, and a session that may only watch has what
// it may not do greyed out, with the reason.
func TestPageOnAPhone(t *testing.T) {
	b := openBrowser(t, 375, 740)
	tokens := filepath.Join(t.TempDir(), "tokens")
	write(t, tokens, "watch 0123456789abcdef\n")
	s := serveHere(t, "--task", "LunarLander-v3", "--policy", "random", "--tokens", tokens)
	b.visit("http://" + s.address + "/#token=0123456789abcdef")
	b.holds("polyrhythm.view.ground.children.length === 1 && polyrhythm.view.ground.children[0].geometry.attributes.position.count > 50")
	if role := eval[string](b, "polyrhythm.state.role"); role != "watch" {
		t.Errorf("the role is %q, want watch", role)
	}
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
	if title := eval[string](b, "document.getElementById('pause').disabled ? document.getElementById('pause').title : ''"); !strings.Contains(title, "needs the role operate") {
		t.Errorf("the button that pauses says %q, want it greyed out with the role that it needs", title)
	}
	for _, problem := range b.console() {
		t.Errorf("on the console: %s", problem)
	}
}
