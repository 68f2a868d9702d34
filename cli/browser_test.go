package cli

import (
	"bufio"
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

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

// chromium is the browser of all tests, in a process that the first one starts. Its
// DevTools protocol goes through pipes, so it ends with the process of the tests.
var chromium struct {
	cmd     *exec.Cmd
	profile string
	input   *os.File

	mu      sync.Mutex
	last    int
	waiting map[int]chan answer
	pages   map[string]*browser // by session
	gone    chan struct{}       // closed when the browser has ended
}

type answer struct {
	ID      int             `json:"id"`
	Method  string          `json:"method"`
	Session string          `json:"sessionId"`
	Result  json.RawMessage `json:"result"`
	Params  json.RawMessage `json:"params"`
	Error   *struct {
		Message string `json:"message"`
	} `json:"error"`
}

// startChromium starts the Chromium that POLYTEST_CHROMIUM names.
func startChromium() error {
	c := &chromium
	if c.cmd != nil {
		return nil
	}
	var err error
	if c.profile, err = os.MkdirTemp("", "chromium"); err != nil {
		return err
	}
	childInput, input, err := os.Pipe()
	if err != nil {
		return err
	}
	output, childOutput, err := os.Pipe()
	if err != nil {
		return err
	}
	c.cmd = exec.Command(os.Getenv("POLYTEST_CHROMIUM"), "--headless=new", "--no-sandbox", "--disable-dev-shm-usage",
		"--use-angle=swiftshader",
		"--enable-unsafe-swiftshader", "--remote-debugging-pipe", "--user-data-dir="+c.profile, "--hide-scrollbars",
		"about:blank")
	c.cmd.ExtraFiles = []*os.File{childInput, childOutput}
	if err := c.cmd.Start(); err != nil {
		return err
	}
	childInput.Close()
	childOutput.Close()
	c.input, c.waiting, c.pages, c.gone = input, map[int]chan answer{}, map[string]*browser{}, make(chan struct{})
	go readChromium(bufio.NewReader(output))
	return nil
}

// readChromium takes the messages of the browser until it ends.
func readChromium(r *bufio.Reader) {
	c := &chromium
	defer close(c.gone)
	for {
		data, err := r.ReadBytes(0)
		if err != nil {
			return
		}
		var a answer
		if json.Unmarshal(data[:len(data)-1], &a) != nil {
			continue
		}
		c.mu.Lock()
		page := c.pages[a.Session]
		switch {
		case a.ID != 0:
			c.waiting[a.ID] <- a
			delete(c.waiting, a.ID)
		case page != nil && (a.Method == "Runtime.exceptionThrown" || a.Method == "Log.entryAdded" ||
			a.Method == "Runtime.consoleAPICalled"):
			page.problems = append(page.problems, a.Method+" "+string(a.Params))
		}
		c.mu.Unlock()
	}
}

// closeChromium ends the browser, if a test has started it.
func closeChromium() {
	if chromium.cmd == nil {
		return
	}
	if chromium.cmd.Process != nil {
		chromium.cmd.Process.Kill()
		chromium.cmd.Wait()
	}
	os.RemoveAll(chromium.profile)
}

// browser is a page in the headless Chromium, with storage of its own.
type browser struct {
	t        *testing.T
	ctx      context.Context
	session  string
	problems []string // errors and warnings on the console, and exceptions
}

// openBrowser opens a page of a size.
func openBrowser(t *testing.T, width, height int) *browser {
	t.Helper()
	if os.Getenv("POLYTEST_CHROMIUM") == "" {
		t.Skip("POLYTEST_CHROMIUM names no Chromium; the test workflow sets it")
	}
	polytest.NoError(t, startChromium())
	ctx, cancel := context.WithTimeout(context.Background(), 4*time.Minute)
	root := &browser{t: t, ctx: ctx}
	var context struct{ BrowserContextID string }
	root.call("Target.createBrowserContext", nil, &context)
	t.Cleanup(func() {
		root.call("Target.disposeBrowserContext", map[string]any{"browserContextId": context.BrowserContextID}, nil)
		cancel()
	})
	var target struct{ TargetID string }
	root.call("Target.createTarget", map[string]any{"url": "about:blank", "browserContextId": context.BrowserContextID},
		&target)
	var attached struct{ SessionID string }
	root.call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached)
	b := &browser{t: t, ctx: ctx, session: attached.SessionID}
	chromium.mu.Lock()
	chromium.pages[b.session] = b
	chromium.mu.Unlock()
	for _, domain := range []string{"Runtime", "Log", "Page"} {
		b.call(domain+".enable", nil, nil)
	}
	b.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1,
		"mobile": width < 500}, nil)
	return b
}

// visit opens an address of the page and waits until it shows the world.
func (b *browser) visit(address string) {
	b.t.Helper()
	b.call("Page.navigate", map[string]any{"url": address}, nil)
	b.holds("window.polyrhythm?.state.scene && polyrhythm.view.drawn > 0")
}

// choose makes a choice in a select.
func (b *browser) choose(selector, value string) {
	b.t.Helper()
	eval[any](b,
		fmt.Sprintf(`(() => { const e = document.querySelector(%q); e.value = %q; e.dispatchEvent(new Event("change", `+
			`{ bubbles: true })); })()`, selector, value))
}

// call makes a call of the protocol.
func (b *browser) call(method string, params, result any) {
	b.t.Helper()
	c := &chromium
	if params == nil {
		params = struct{}{}
	}
	c.mu.Lock()
	c.last++
	id, done := c.last, make(chan answer, 1)
	c.waiting[id] = done
	message := map[string]any{"id": id, "method": method, "params": params}
	if b.session != "" {
		message["sessionId"] = b.session
	}
	data, err := json.Marshal(message)
	if err == nil {
		_, err = c.input.Write(append(data, 0))
	}
	c.mu.Unlock()
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
		b.t.Fatalf("%s %.300v: %v; problems: %v", method, params, b.ctx.Err(), b.console())
	case <-c.gone:
		b.t.Fatalf("%s: the browser has ended", method)
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
func (b *browser) until(what string, holds func() bool) {
	b.t.Helper()
	for !holds() {
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
	chromium.mu.Lock()
	defer chromium.mu.Unlock()
	return append([]string(nil), b.problems...)
}

// clean checks that nothing is on the console.
func (b *browser) clean() {
	b.t.Helper()
	for _, problem := range b.console() {
		b.t.Errorf("on the console: %s", problem)
	}
}

// mouse presses, moves or releases the left button.
func (b *browser) mouse(kind string, x, y float64) {
	b.t.Helper()
	b.call("Input.dispatchMouseEvent", map[string]any{"type": kind, "x": x, "y": y, "button": "left", "buttons": 1,
		"clickCount": 1}, nil)
}

// click clicks the middle of an element, after scrolling to it. What stands above it may grow meanwhile, so that the
// click is beside it: then it tries again. An element that was made anew meanwhile, and clicked, is the same to it.
func (b *browser) click(selector string) {
	b.t.Helper()
	for range 5 {
		point := eval[[]float64](b, fmt.Sprintf(`(() => { const selector = %q, e = document.querySelector(selector);
			e.scrollIntoView({ block: "nearest" });
			window.beside = true;
			addEventListener("click", (c) => { window.beside = !c.target.closest(selector); },
				{ once: true, capture: true });
			const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()`, selector))
		b.mouse("mousePressed", point[0], point[1])
		b.mouse("mouseReleased", point[0], point[1])
		if !eval[bool](b, "Boolean(window.beside)") {
			return
		}
	}
}

// key presses a key.
func (b *browser) key(name string, code int, text string) {
	b.t.Helper()
	for _, kind := range []string{"keyDown", "keyUp"} {
		b.call("Input.dispatchKeyEvent", map[string]any{"type": kind, "key": name, "windowsVirtualKeyCode": code,
			"text": text}, nil)
		text = ""
	}
}

// picture is what the page shows in a part of it. With POLYTEST_PICTURES=DIR it is kept there under a name.
func (b *browser) picture(name string, x, y, width, height int) image.Image {
	b.t.Helper()
	var r struct{ Data string }
	b.call("Page.captureScreenshot", map[string]any{"format": "png",
		"clip": map[string]any{"x": x, "y": y, "width": width, "height": height, "scale": 1}}, &r)
	data := polytest.Must(base64.StdEncoding.DecodeString(r.Data))(b.t)
	if folder := os.Getenv("POLYTEST_PICTURES"); folder != "" {
		polytest.NoError(b.t, os.WriteFile(filepath.Join(folder, name+".png"), data, 0o666))
	}
	p := polytest.Must(png.Decode(strings.NewReader(string(data))))(b.t)
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
