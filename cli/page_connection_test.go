package cli

import (
	"net"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

// A page without the token of its server asks for it, again if it is wrong.
func TestPageAsksForTheTokenLong(t *testing.T) {
	polytest.OnlySlow(t)
	b := openBrowser(t, 700, 500)
	tokens := filepath.Join(t.TempDir(), "tokens")
	write(t, tokens, "steer 0123456789abcdef\n")
	s := serveHere(t, "--task", "InvertedPendulum-v5", "--policy", "zero", "--tokens", tokens, "--paused")
	b.call("Page.navigate", map[string]any{"url": "http://" + s.address + "/"}, nil)
	give := func(token string) {
		t.Helper()
		b.holds(`document.getElementById("ask")?.open && document.activeElement === document.getElementById("token")`)
		if why := eval[string](b, `document.getElementById("ask-why").textContent`); !strings.Contains(why,
			"the token is missing or wrong") {
			t.Errorf("the page says %q, want why it asks", why)
		}
		eval[any](b, `document.getElementById("token").value = ""`)
		b.call("Input.insertText", map[string]any{"text": token}, nil)
		b.key("Enter", 13, "\r")
	}
	b.holds("document.getElementById('ask')?.open")
	b.picture("token", 0, 0, 700, 500)
	give("wrong")
	b.holds("polyrhythm.connection.token === 'wrong'")
	give("0123456789abcdef")
	b.holds("polyrhythm.state.live && polyrhythm.state.scene && !document.getElementById('ask').open")
	polytest.Equal(t, eval[string](b, "polyrhythm.state.role"), "steer", "the role")
	if title := eval[string](b,
		"document.getElementById('pause').disabled ? document.getElementById('pause').title : ''"); !strings.Contains(title,
		"needs the role operate") {
		t.Errorf("the button that pauses says %q, want it greyed out with the role that it needs", title)
	}
}

// A page whose server is killed says so, and goes on by itself when the run does, even as
// another run with fewer worlds.
func TestPageComesBackLong(t *testing.T) {
	polytest.OnlySlow(t)
	b := openBrowser(t, 900, 560)
	l := polytest.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	address := l.Addr().String()
	l.Close()
	out := filepath.Join(t.TempDir(), "run")
	begin := func(args ...string) *exec.Cmd {
		cmd := start(t, append([]string{"serve", "--listen", address, "--grpc", ""}, args...)...)
		t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
		return cmd
	}
	cmd := begin("--task", "InvertedPendulum-v5", "--policy", "zero", "--worlds", "2", "--out", out, "--paused")
	b.until("the server listens", func() bool {
		c, err := net.Dial("tcp", address)
		if err == nil {
			c.Close()
		}
		return err == nil
	})
	b.visit("http://" + address + "/")
	b.choose("#world", "1")
	for range 3 {
		b.click("#step")
	}
	b.holds("polyrhythm.state.frame.n === 3")
	client := eval[string](b, "polyrhythm.state.client")
	gone := func() {
		t.Helper()
		cmd.Process.Kill()
		cmd.Wait()
		b.holds(`!document.getElementById("banner").hidden && ` +
			`/cannot be reached.*What you see is old/.test(document.getElementById("banner").textContent)`)
		b.holds(`document.getElementById("state").textContent !== "live" && document.getElementById("pause").disabled`)
	}
	gone()
	cmd = begin("--resume", out)
	b.holds(`polyrhythm.state.live && document.getElementById("banner").hidden && polyrhythm.state.frame.n === 3 && ` +
		`polyrhythm.state.world === 1`)
	if again := eval[string](b, "polyrhythm.state.client"); again != client {
		t.Errorf("the page goes on as %s, it was %s", again, client)
	}
	b.click("#step")
	b.holds("polyrhythm.state.frame.n === 4")
	gone()
	cmd = begin("--task", "Hopper-v5", "--policy", "zero", "--paused")
	b.holds(`polyrhythm.state.live && polyrhythm.state.scene && ` +
		`document.getElementById("task").textContent === "Hopper-v5" && polyrhythm.state.frame.n === 0`)
	b.click("#step")
	b.holds(`polyrhythm.state.frame.n === 1 && document.getElementById("episode").textContent.includes("step 1")`)
	for _, problem := range b.console() {
		if !strings.Contains(problem, "net::ERR_") { // whatever a request says of a server that was killed
			t.Errorf("on the console: %s", problem)
		}
	}
}
