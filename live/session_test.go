package live

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/live/wire"
)

// welcomed reads updates until the first frame, and returns the welcome.
func welcomed(t *testing.T, c *Client, d *Decoder) *wire.Welcome {
	t.Helper()
	before := d.Frame()
	for d.Frame() == before {
		data, err := c.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Update(slices.Clone(data)); err != nil {
			t.Fatal(err)
		}
	}
	return d.Welcome
}

// A session goes on in a later process of the run, with its name and role; the client is
// told how many frames it may have missed. Nobody else can make a token.
func TestSessionsOutliveTheProcess(t *testing.T) {
	key, err := NewKey()
	if err != nil {
		t.Fatal(err)
	}
	begin := func(key []byte, first int64) *hub {
		h := newHub(described(1), key, first)
		t.Cleanup(h.close)
		h.publish(newSample(h.description), true)
		return h
	}
	first := begin(key, 0)
	c, err := first.join(JoinOptions{Name: "me", Role: Steer})
	if err != nil {
		t.Fatal(err)
	}
	var d Decoder
	welcome := welcomed(t, c, &d)
	token := welcome.Session
	for range 9 {
		first.publish(newSample(first.description), false)
	}
	for d.Frame().Number < 10 {
		welcomed(t, c, &d)
	}
	first.close()

	second := begin(key, 20)
	second.publish(newSample(second.description), false)
	if s := second.find(token); s == nil || s.name != "me-1" || s.role != Steer { // without a join, for who decides
		t.Errorf("the session of a client that has not joined again is %v", s)
	}
	second.sweep(time.Now().Add(2 * sessionExpiry))
	if len(second.sessions) != 0 {
		t.Error("a session that nobody uses is never forgotten")
	}
	if c, err = second.join(JoinOptions{Role: Operate, Session: token, After: 10}); err != nil {
		t.Fatal(err)
	}
	if welcome = welcomed(t, c, &d); welcome.Client != "me-1" || welcome.Role != "steer" || d.Frame().Number != 22 || d.Missed != 11 {
		t.Errorf("%s, %s goes on at frame %d and missed %d; want me-1, steer, 22 and 11", welcome.Client, welcome.Role, d.Frame().Number, d.Missed)
	}
	if second.find(token) == nil {
		t.Error("the session is unknown")
	}
	// The next session has another name.
	if c, err = second.join(JoinOptions{Name: "me"}); err != nil || c.Name() != "me-2" {
		t.Errorf("the next client is %v, %v", c.Name(), err)
	}
	// A forgotten session of the same process goes on, too.
	second.mu.Lock()
	clear(second.sessions)
	second.mu.Unlock()
	if c, err = second.join(JoinOptions{Role: Steer, Session: token, After: 22}); err != nil || c.Name() != "me-1" || c.fresh {
		t.Errorf("a forgotten session goes on as %v, %v", c.Name(), err)
	}

	third := begin(make([]byte, KeySize), 0)
	promoted := slices.Clone(token)
	promoted[tokenRandom] = byte(Operate)
	if second.find(promoted) != nil || third.find(token) != nil {
		t.Error("a token that the key has not made is that of a session")
	}
	for what, join := range map[string]struct {
		h *hub
		o JoinOptions
	}{
		"another key":        {third, JoinOptions{Role: Operate, Session: token}},
		"another role":       {second, JoinOptions{Role: Operate, Session: promoted}},
		"a part of it":       {second, JoinOptions{Role: Operate, Session: token[:20]}},
		"who may only watch": {second, JoinOptions{Role: Watch, Session: token}},
	} {
		c, err := join.h.join(join.o)
		if err != nil || c.Name() == "me-1" || string(c.Session()) == string(join.o.Session) {
			t.Errorf("%s: goes on as %v, %v", what, c.Name(), err)
		}
	}
}

// The frames of a run that goes on have numbers that no earlier process has used.
func TestFramesGoOnWithTheirNumbers(t *testing.T) {
	r := serve(t, quadruped(t), nil)
	c, d := r.join(t, Operate), &Decoder{}
	until(t, c, d, anything)
	for k := range 5 {
		number, err := r.Submit(c, &wire.Intent{Kind: &wire.Intent_Pause{Pause: &wire.Pause{Paused: k%2 == 0}}})
		if err != nil {
			t.Fatal(err)
		}
		until(t, c, d, mentions(number))
	}
	c.Close()
	r.cancel()
	if err := <-r.done; err != nil {
		t.Fatal(err)
	}
	state := r.state().Resumed()
	again, err := New(Config{Env: r.env, Time: r.config.Time, State: state})
	if err != nil {
		t.Fatal(err)
	}
	if again.hub.first < r.hub.head {
		t.Errorf("frames go on with number %d, after %d", again.hub.first+1, r.hub.head)
	}
	if c, err = again.Join(JoinOptions{}); err != nil {
		t.Fatal(err)
	}
	defer again.hub.close()
	var fresh Decoder
	for fresh.Frame() == nil {
		data, err := c.Next(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if err := fresh.Update(slices.Clone(data)); err != nil {
			t.Fatal(err)
		}
	}
	r.end(t)
}
