package cli

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// browser is a page in a headless Chromium, driven by its DevTools protocol.
type browser struct {
	t    *testing.T
	ctx  context.Context
	conn *websocket.Conn

	mu       sync.Mutex
	last     int
	waiting  map[int]chan answer
	problems []string // errors and warnings on the console, and exceptions
}

type answer struct {
	ID     int             `json:"id"`
	Method string          `json:"method"`
	Result json.RawMessage `json:"result"`
	Params json.RawMessage `json:"params"`
	Error  *struct {
		Message string `json:"message"`
	} `json:"error"`
}

// openBrowser starts the Chromium that POLYTEST_CHROMIUM names.
func openBrowser(t *testing.T, width, height int) *browser {
	t.Helper()
	program := os.Getenv("POLYTEST_CHROMIUM")
	if program == "" {
		t.Skip("POLYTEST_CHROMIUM names no Chromium; the test workflow sets it")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	t.Cleanup(cancel)
	profile, err := os.MkdirTemp("", "chromium")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(ctx, program, "--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--use-angle=swiftshader",
		"--enable-unsafe-swiftshader", "--remote-debugging-port=0", "--user-data-dir="+profile, "--hide-scrollbars", "about:blank")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
		os.RemoveAll(profile)
	})
	b := &browser{t: t, ctx: ctx, waiting: map[int]chan answer{}}
	var port, path string
	b.until("the browser listens", func() bool {
		text, _ := os.ReadFile(filepath.Join(profile, "DevToolsActivePort"))
		port, path, _ = strings.Cut(strings.TrimSpace(string(text)), "\n")
		return path != ""
	})
	root, _, err := websocket.Dial(ctx, "ws://127.0.0.1:"+port+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	b.conn = root
	b.conn.SetReadLimit(1 << 26)
	go b.read()
	var target struct{ TargetID, SessionID string }
	b.call("Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	page, _, err := websocket.Dial(ctx, "ws://127.0.0.1:"+port+"/devtools/page/"+target.TargetID, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.CloseNow(); page.CloseNow() })
	b.conn = page
	b.conn.SetReadLimit(1 << 26)
	go b.read()
	for _, domain := range []string{"Runtime", "Log", "Page"} {
		b.call(domain+".enable", nil, nil)
	}
	b.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}, nil)
	return b
}

// read takes the messages of a connection until it ends.
func (b *browser) read() {
	conn := b.conn
	for {
		_, data, err := conn.Read(b.ctx)
		if err != nil {
			return
		}
		var a answer
		if json.Unmarshal(data, &a) != nil {
			continue
		}
		b.mu.Lock()
		switch {
		case a.ID != 0:
			b.waiting[a.ID] <- a
			delete(b.waiting, a.ID)
		case a.Method == "Runtime.exceptionThrown", a.Method == "Log.entryAdded", a.Method == "Runtime.consoleAPICalled":
			b.problems = append(b.problems, a.Method+" "+string(a.Params))
		}
		b.mu.Unlock()
	}
}

// call makes a call of the protocol.
func (b *browser) call(method string, params, result any) {
	b.t.Helper()
	b.mu.Lock()
	b.last++
	id, done := b.last, make(chan answer, 1)
	b.waiting[id] = done
	b.mu.Unlock()
	if params == nil {
		params = struct{}{}
	}
	data, err := json.Marshal(map[string]any{"id": id, "method": method, "params": params})
	if err == nil {
		err = b.conn.Write(b.ctx, websocket.MessageText, data)
	}
	if err != nil {
		b.t.Fatalf("%s: %v", method, err)
	}
	select {
	case a := <-done:
		if a.Error != nil {
			b.t.Fatalf("%s: %s", method, a.Error.Message)
		}
		if result != nil {
			if err := json.Unmarshal(a.Result, result); err != nil {
				b.t.Fatalf("%s: %v", method, err)
			}
		}
	case <-b.ctx.Done():
		b.t.Fatalf("%s: %v", method, b.ctx.Err())
	}
}

// eval evaluates an expression to a value of T.
func eval[T any](b *browser, expression string) (value T) {
	b.t.Helper()
	var r struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails json.RawMessage
	}
	b.call("Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true, "awaitPromise": true}, &r)
	if r.ExceptionDetails != nil {
		b.t.Fatalf("%s: %s", expression, r.ExceptionDetails)
	}
	if r.Result.Value != nil {
		if err := json.Unmarshal(r.Result.Value, &value); err != nil {
			b.t.Fatalf("%s is %s: %v", expression, r.Result.Value, err)
		}
	}
	return value
}

// until waits for a condition.
func (b *browser) until(what string, is func() bool) {
	b.t.Helper()
	for !is() {
		select {
		case <-b.ctx.Done():
			b.t.Fatalf("not so in time: %s; problems: %v", what, b.console())
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// holds waits until an expression is true.
func (b *browser) holds(expression string) {
	b.t.Helper()
	b.until(expression, func() bool { return eval[bool](b, "Boolean("+expression+")") })
}

func (b *browser) console() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]string(nil), b.problems...)
}

// mouse presses, moves or releases the left button.
func (b *browser) mouse(kind string, x, y float64) {
	b.t.Helper()
	b.call("Input.dispatchMouseEvent", map[string]any{"type": kind, "x": x, "y": y, "button": "left", "buttons": 1, "clickCount": 1}, nil)
}

// click clicks the middle of an element, after scrolling to it.
func (b *browser) click(selector string) {
	b.t.Helper()
	at := eval[[]float64](b, fmt.Sprintf(`(() => { const e = document.querySelector(%q); e.scrollIntoView({ block: "center" });
		const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()`, selector))
	b.mouse("mousePressed", at[0], at[1])
	b.mouse("mouseReleased", at[0], at[1])
}

// key presses a key.
func (b *browser) key(name string, code int, text string) {
	b.t.Helper()
	for _, kind := range []string{"keyDown", "keyUp"} {
		b.call("Input.dispatchKeyEvent", map[string]any{"type": kind, "key": name, "windowsVirtualKeyCode": code, "text": text}, nil)
		text = ""
	}
}

// picture is what the page shows in a part of it. With POLYTEST_PICTURES=DIR it is kept
// there under a name.
func (b *browser) picture(name string, x, y, width, height int) image.Image {
	b.t.Helper()
	var r struct{ Data string }
	b.call("Page.captureScreenshot", map[string]any{"format": "png", "clip": map[string]any{"x": x, "y": y, "width": width, "height": height, "scale": 1}}, &r)
	data, err := base64.StdEncoding.DecodeString(r.Data)
	if err != nil {
		b.t.Fatal(err)
	}
	if folder := os.Getenv("POLYTEST_PICTURES"); folder != "" {
		if err := os.WriteFile(filepath.Join(folder, name+".png"), data, 0o666); err != nil {
			b.t.Fatal(err)
		}
	}
	p, err := png.Decode(strings.NewReader(string(data)))
	if err != nil {
		b.t.Fatal(err)
	}
	return p
}

// differing counts the pixels that differ clearly.
func differing(a, b image.Image) (n int) {
	for y := a.Bounds().Min.Y; y < a.Bounds().Max.Y; y++ {
		for x := a.Bounds().Min.X; x < a.Bounds().Max.X; x++ {
			r1, g1, b1, _ := a.At(x, y).RGBA()
			r2, g2, b2, _ := b.At(x, y).RGBA()
			if max(r1, r2)-min(r1, r2)+max(g1, g2)-min(g1, g2)+max(b1, b2)-min(b1, b2) > 0x3000 {
				n++
			}
		}
	}
	return n
}
