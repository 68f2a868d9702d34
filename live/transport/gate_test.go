package transport

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
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

// fakeListener gives a connection from each port in turn, of 10.0.0.1 unless it is another address.
type fakeListener struct {
	port int
	from net.IP
}

func (l *fakeListener) Accept() (net.Conn, error) {
	l.port++
	from := l.from
	if from == nil {
		from = net.IPv4(10, 0, 0, 1)
	}
	return fakeConn{from: (&net.TCPAddr{IP: from, Port: 1 + l.port%60_000}).String()}, nil
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
	if want := maxConnections - 2*maxConnections/reservedShare + 1; watchers != want {
		t.Errorf("%d clients may watch at once, want %d", watchers-1, want-1)
	}
	for range 3 * maxConnections {
		enter("")
	}
	c, err := enter("operate-operate-1")
	if err != nil || !c.authenticated || c.role != live.Operate {
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

// However many connections an address opens, those of other addresses stay: a stranger has time to show a token, and
// who may only watch finds a place.
func TestOneAddressLocksOutNoOther(t *testing.T) {
	const watch, operate = "watch-watch-watch-1", "operate-operate-1"
	g := newGate(&Options{Access: accessOf(t, "watch "+watch+"\noperate "+operate+"\n")})
	from := &fakeListener{}
	g.Listener = from
	accept := func(last byte) *guest {
		from.from = net.IPv4(10, 0, 0, last)
		return polytest.Must(g.Accept())(t).(*guest)
	}
	enter := func(c *guest, secret string) error {
		return polytest.Err(g.admit(t.Context(), c.RemoteAddr().String(), secret))
	}
	slow := accept(2)
	for range 4 * maxConnections {
		accept(1)
	}
	if g.conns[slow.RemoteAddr().String()] != slow {
		t.Fatal("a stranger made way for those of another address")
	}
	polytest.NoError(t, enter(slow, operate))

	const places = maxConnections - 2*maxConnections/reservedShare - 2 // and two of operators
	mine := accept(1)
	polytest.NoError(t, enter(mine, operate))
	for range places {
		enter(accept(1), watch)
	}
	for i := range places {
		if err := enter(accept(3), watch); (err == nil) != (i < places/2) {
			t.Fatalf("watcher %d of another address: %v, want half of %d places", i, err, places)
		}
	}
	for i := range 2 {
		polytest.NoError(t, enter(accept(byte(4+i)), watch))
	}
	if g.conns[slow.RemoteAddr().String()] != slow || g.conns[mine.RemoteAddr().String()] != mine {
		t.Error("an operator made way for who may only watch")
	}
}

// Who tries many tokens, those who wait for their turn and those who have none, locks out no right token at the same
// address, even one that was never shown before.
func TestTriesLockOutNoRightToken(t *testing.T) {
	const right = "operate-operate-1"
	g := newGate(&Options{Access: accessOf(t, "operate "+right+"\n")})
	g.triers[origin("10.0.0.1:1")] = time.Now().Add(time.Hour)
	for _, secret := range []string{"operate-operate-2", "", right + "1"} {
		if err := polytest.Err(g.admit(t.Context(), "10.0.0.1:1", secret)); err != errTries {
			t.Errorf("%q: %v, want %v", secret, err, errTries)
		}
	}
	done, cancel := context.WithCancel(t.Context())
	cancel() // with which a wait would end as an error
	for port := range 25 {
		address := fmt.Sprintf("10.0.0.1:%d", port+1)
		polytest.Equal(t, polytest.Must(g.admit(done, address, right))(t), live.Operate, "role at %s", address)
	}
	g.triers[origin("10.0.0.1:1")] = time.Now().Add(freeTries*tryEvery + longestWait/2)
	polytest.ErrorIs(t, polytest.Err(g.admit(done, "10.0.0.1:1", "operate-operate-2")), errToken)
}

// Who tries many tokens has to wait for each, others do not, and after a second neither does he.
func TestTriesAreSlowedDown(t *testing.T) { synctest.Test(t, triesAreSlowedDown) }

func triesAreSlowedDown(t *testing.T) {
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

// Connections of two servers leave files to the run.
func TestConnectionsLeaveFiles(t *testing.T) {
	for files, want := range map[uint64]int{
		1 << 20: maxConnections, 4096: maxConnections, 1024: 192, 256: reservedShare, 0: reservedShare,
	} {
		polytest.Equal(t, connectionsOf(files), want, "%d files", files)
	}
}

func TestBearer(t *testing.T) {
	for given, want := range map[string]string{"Bearer a": "a", "bearer a": "a", "BEARER a": "a", "a": "a", "": "",
		"Basic a": "Basic a"} {
		polytest.Equal(t, bearer(given), want, "%q has the token", given)
	}
}
