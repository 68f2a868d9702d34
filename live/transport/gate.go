package transport

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/live"
)

// The limits of connections and of tries of tokens.
const (
	maxConnections      = 512 // of clients that are known, and as many of strangers
	reservedConnections = 64  // of those that are known, for each role above

	freeTries   = 20                    // wrong tokens from an address at once, until each has to wait
	tryEvery    = 50 * time.Millisecond // then
	longestWait = 5 * time.Second       // for a turn; who would wait for longer is refused
	maxTriers   = 10_000                // addresses
)

// gate lets connections in. Those of strangers, who have shown no token yet, make way for newer ones, the oldest
// first, and each role has some that no lower one can take: nobody locks out those who may do more. It also slows
// down who tries many tokens. Its methods may be called from any goroutine.
type gate struct {
	net.Listener
	options *Options

	mu     sync.Mutex
	conns  map[string]*guest          // by remote address
	number int64                      // connections so far
	triers map[netip.Prefix]time.Time // until when wrong tokens from there are spread out
}

func newGate(o *Options) *gate {
	return &gate{options: o, conns: map[string]*guest{}, triers: map[netip.Prefix]time.Time{}}
}

type guest struct {
	net.Conn
	gate   *gate
	number int64 // in the order of arrival

	// Under the lock of the gate:
	known bool // it has shown a token, or none is needed
	role  live.Role
	token [sha256.Size]byte // that was right
}

// Accept implements [net.Listener].
func (g *gate) Accept() (net.Conn, error) {
	c, err := g.Listener.Accept()
	if err != nil {
		return nil, err
	}
	if t, ok := c.(*net.TCPConn); ok { // one that does not read costs no more
		t.SetWriteBuffer(writeBuffer)
	}
	g.mu.Lock()
	g.number++
	in := &guest{Conn: c, gate: g, number: g.number}
	var oldest *guest
	strangers := 0
	for _, other := range g.conns {
		if other.known {
			continue
		}
		if strangers++; oldest == nil || other.number < oldest.number {
			oldest = other
		}
	}
	g.conns[c.RemoteAddr().String()] = in
	g.mu.Unlock()
	if strangers >= maxConnections {
		g.options.log("closed " + oldest.RemoteAddr().String() + ": too many connections of strangers")
		oldest.Close()
	}
	return in, nil
}

// Close implements [net.Conn].
func (c *guest) Close() error {
	c.gate.mu.Lock()
	if address := c.RemoteAddr().String(); c.gate.conns[address] == c {
		delete(c.gate.conns, address)
	}
	c.gate.mu.Unlock()
	return c.Conn.Close()
}

var errTries = errors.New("too many wrong tokens came from this address, want another try later")

// admit returns the role of a token, which came by a connection from an address. It logs who is refused.
func (g *gate) admit(ctx context.Context, address, secret string) (live.Role, error) {
	role, err := g.roleOf(ctx, address, secret)
	if err != nil {
		g.options.log("refused " + address + ": " + err.Error())
	}
	return role, err
}

func (g *gate) roleOf(ctx context.Context, address, secret string) (live.Role, error) {
	sum := sha256.Sum256([]byte(secret))
	g.mu.Lock()
	c := g.conns[address]
	if c != nil && c.known && c.token == sum {
		role := c.role
		g.mu.Unlock()
		return role, nil
	}
	from := origin(address)
	wait := g.turn(from, time.Now())
	g.mu.Unlock()
	if wait > longestWait {
		return 0, errTries
	}
	if wait > 0 {
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
	role, err := g.options.Access.role(secret)
	g.mu.Lock()
	defer g.mu.Unlock()
	if err != nil {
		return 0, err
	}
	g.triers[from] = g.triers[from].Add(-tryEvery)
	if c == nil { // it is closed
		return role, nil
	}
	others, most := 0, maxConnections-reservedConnections*int(live.Operate-role)
	for _, other := range g.conns {
		if other.known && other != c {
			others++
		}
	}
	if others >= most {
		return 0, fmt.Errorf("there are %d connections, want fewer than %d for another one that may %v", others, most, role)
	}
	c.known, c.role, c.token = true, role, sum
	return role, nil
}

// origin is the network of an address, from which one client can send.
func origin(address string) netip.Prefix {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return netip.Prefix{}
	}
	ip, bits := at.Addr().Unmap(), 64
	if ip.Is4() {
		bits = 32
	}
	network, _ := ip.Prefix(bits)
	return network
}

// turn takes a turn to try a token, and returns how long it has to wait for that; for longer than
// longestWait there is none. A right token gives it back. The lock is held.
func (g *gate) turn(from netip.Prefix, now time.Time) time.Duration {
	next := g.triers[from]
	if next.Before(now) {
		next = now
	}
	wait := next.Sub(now) - freeTries*tryEvery
	if wait <= longestWait {
		if len(g.triers) >= maxTriers {
			clear(g.triers)
		}
		g.triers[from] = next.Add(tryEvery)
	}
	return wait
}

// bearer is the token in an authorization such as "Bearer TOKEN".
func bearer(authorization string) string {
	scheme, token, ok := strings.Cut(authorization, " ")
	if ok && strings.EqualFold(scheme, "bearer") {
		return token
	}
	return authorization
}

// admitted reports whether a request has the token of a role, and answers it otherwise.
func (g *gate) admitted(to http.ResponseWriter, r *http.Request, secret string) bool {
	_, err := g.admit(r.Context(), r.RemoteAddr, secret)
	switch {
	case err == nil:
		return true
	case errors.Is(err, errToken):
		to.Header().Set("WWW-Authenticate", "Bearer")
		http.Error(to, err.Error(), http.StatusUnauthorized)
	default:
		http.Error(to, err.Error(), http.StatusTooManyRequests)
	}
	return false
}
