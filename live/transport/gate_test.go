package transport

import (
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/live"
)

func accessOf(t *testing.T, lines string) *Access {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tokens")
	polytest.NoError(t, os.WriteFile(path, []byte(lines), 0o600))
	access := polytest.Must(ReadAccess(path))(t)
	return access
}

// fakeConn is a connection from an address.
type fakeConn struct {
	net.Conn
	from string
}

type fakeAddress struct{ net.Addr }

func (c fakeConn) RemoteAddr() net.Addr {
	a, _ := net.ResolveTCPAddr("tcp", c.from)
	return a
}
func (c fakeConn) Close() error { return nil }

// fakeListener gives a connection from each port in turn.
type fakeListener struct{ port int }

func (l *fakeListener) Accept() (net.Conn, error) {
	l.port++
	return fakeConn{from: (&net.TCPAddr{IP: net.IPv4(10, 0, 0, 1), Port: l.port}).String()}, nil
}
func (l *fakeListener) Close() error   { return nil }
func (l *fakeListener) Addr() net.Addr { return fakeAddress{} }

// Any number of strangers and of clients that may watch lock out nobody who may do more.
func TestConnectionsMakeWay(t *testing.T) {
	g := newGate(&Options{Access: accessOf(t, "watch watch-watch-watch-1\noperate operate-operate-1\n")})
	g.Listener = &fakeListener{}
	enter := func(secret string) (*guest, error) {
		c, err := g.Accept()
		if err != nil || secret == "" {
			return nil, err
		}
		_, err = g.admit(t.Context(), c.RemoteAddr().String(), secret)
		return c.(*guest), err
	}
	for range 3 * maxConnections {
		polytest.Must(enter(""))(t)
	}
	watchers := 0
	for err := error(nil); err == nil; watchers++ {
		_, err = enter("watch-watch-watch-1")
	}
	if want := maxConnections - 2*reservedConnections + 1; watchers != want {
		t.Errorf("%d clients may watch at once, want %d", watchers-1, want-1)
	}
	for range 3 * maxConnections {
		enter("")
	}
	c, err := enter("operate-operate-1")
	if err != nil || !c.known || c.role != live.Operate {
		t.Fatalf("an operator is locked out: %v", err)
	}
	if len(g.conns) > 2*maxConnections {
		t.Errorf("%d connections are open, want at most %d", len(g.conns), 2*maxConnections)
	}
	c.Close()
	if g.conns[c.RemoteAddr().String()] != nil {
		t.Error("a connection that is closed is counted")
	}
}

// Who tries many tokens has to wait for each, others do not, and after a second neither does he.
func TestTriesAreSlowedDown(t *testing.T) {
	g := newGate(&Options{Access: accessOf(t, "operate operate-operate-1\n")})
	now, from := time.Unix(1e9, 0), origin("10.0.0.1:1")
	tries := func() (n int, first time.Duration) {
		first = g.turn(from, now)
		for n = 1; g.turn(from, now) <= longestWait; n++ {
		}
		return n, first
	}
	const most, second = freeTries + int(longestWait/tryEvery) + 1, int(time.Second / tryEvery)
	if n, first := tries(); n != most || first > 0 {
		t.Errorf("%d tries have a turn at once, the first after %v, want %d", n, first, most)
	}
	now = now.Add(time.Second)
	if n, first := tries(); n != second || first < longestWait-2*time.Second {
		t.Errorf("%d tries have a turn a second later, the first after %v, want %d", n, first, second)
	}
	if wait := g.turn(origin("10.0.0.2:1"), now); wait > 0 {
		t.Errorf("another address waits for %v", wait)
	}
	now = now.Add(time.Minute)
	if n, first := tries(); n != most || first > 0 {
		t.Errorf("%d tries have a turn after a minute, the first after %v, want %d", n, first, most)
	}
	for _, secret := range []string{"operate-operate-1", "a-wrong-token-1"} {
		at := "10.0.0.3:1"
		g.admit(t.Context(), at, secret)
		if right, taken := secret[0] == 'o', g.triers[origin(at)].After(time.Now()); right == taken {
			t.Errorf("%s: a turn was taken: %t", secret, taken)
		}
	}
	if origin("[2001:db8::1]:1") != origin("[2001:db8::2]:2") || origin("[::ffff:10.0.0.1]:1") != origin("10.0.0.1:2") {
		t.Error("one client can try from several addresses")
	}
}

func TestBearer(t *testing.T) {
	for given, want := range map[string]string{"Bearer a": "a", "bearer a": "a", "BEARER a": "a", "a": "a", "": "",
		"Basic a": "Basic a"} {
		polytest.Equal(t, bearer(given), want, "%q has the token", given)
	}
}
