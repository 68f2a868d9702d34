package transport

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/live"
)

// The limits of connections and of tries of tokens.
const (
	maxConnections = 512 // of clients that are known, and as many of strangers
	reservedShare  = 8   // an eighth of those that are known is kept for each role above
	ownFiles       = 256 // that the process has besides connections

	freeTries   = 20                    // wrong tokens from an address at once, until each has to wait
	tryEvery    = 50 * time.Millisecond // then
	longestWait = 5 * time.Second       // for a turn; who would wait for longer is refused
	maxTriers   = 10_000                // addresses
)

// gate lets connections in. Those of strangers, who have shown no token yet, make way for newer ones, the oldest of the
// address with the most first, and each role has some that no lower one can take: nobody locks out those who may do
// more. Where all that a role may have are taken, those of the address with the most make way for those of others. It
// also slows down wrong tokens. A right one enters at once, whatever else comes from its address. Its methods may be
// called from any goroutine.
type gate struct {
	net.Listener
	options *Options
	most    int // connections that are known, and as many of strangers

	mu     sync.Mutex
	conns  map[string]*guest          // by remote address
	number int64                      // connections so far
	triers map[netip.Prefix]time.Time // until when wrong tokens from there are spread out
}

func newGate(o *Options) *gate {
	return &gate{
		options: o, most: connectionsOf(fileLimit()), conns: map[string]*guest{},
		triers: map[netip.Prefix]time.Time{},
	}
}

// connectionsOf returns how many clients a server may know where the process may open so many files: two servers have
// as many again of strangers, and what runs needs files, too.
func connectionsOf(files uint64) int {
	return int(min(maxConnections, max(reservedShare, (max(files, ownFiles)-ownFiles)/4)))
}

// fileLimit returns how many files the process may have open.
func fileLimit() uint64 {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) != nil {
		return math.MaxUint64
	}
	return limit.Cur
}

// guest is a connection that the gate has accepted.
type guest struct {
	net.Conn
	gate   *gate
	number int64        // in the order of arrival
	origin netip.Prefix // see the function origin

	// Under the lock of the gate:
	authenticated bool // the client has shown a token, or needs none
	role          live.Role
	token         [sha256.Size]byte // SHA-256 of the token that the client has shown
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
	stranger := &guest{Conn: c, gate: g, number: g.number, origin: origin(c.RemoteAddr().String())}
	strangers, most := g.crowd(func(c *guest) bool { return !c.authenticated })
	g.conns[c.RemoteAddr().String()] = stranger
	g.mu.Unlock()
	if strangers >= g.most {
		oldest := slices.MinFunc(most, byNumber)
		g.options.log("closed " + oldest.RemoteAddr().String() + ": too many connections of strangers")
		oldest.Close()
	}
	return stranger, nil
}

// crowd returns how many connections match, and those of the address with the most of these. The lock is held.
func (g *gate) crowd(match func(*guest) bool) (all int, most []*guest) {
	byOrigin := map[netip.Prefix][]*guest{}
	for _, c := range g.conns {
		if !match(c) {
			continue
		}
		all++
		list := append(byOrigin[c.origin], c)
		if byOrigin[c.origin] = list; len(list) > len(most) {
			most = list
		}
	}
	return all, most
}

func byNumber(a, b *guest) int { return cmp.Compare(a.number, b.number) }

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
	if c != nil && c.authenticated && c.token == sum {
		role := c.role
		g.mu.Unlock()
		return role, nil
	}
	role, err := g.options.Access.role(secret)
	if err != nil {
		wait := g.turn(origin(address), time.Now())
		g.mu.Unlock()
		if wait > longestWait {
			return 0, errTries
		}
		if wait > 0 {
			select {
			case <-time.After(wait):
			case <-ctx.Done():
			}
		}
		return 0, err
	}
	var victim *guest
	if c != nil { // else it is closed
		victim, err = g.place(c, role)
	}
	if err == nil && c != nil {
		c.authenticated, c.role, c.token = true, role, sum
	}
	g.mu.Unlock()
	if err != nil {
		return 0, err
	}
	if victim != nil {
		g.options.log("closed " + victim.RemoteAddr().String() + ": no other address has as many connections")
		victim.Close()
	}
	return role, nil
}

// place finds a place for a connection with a role, and the one that has to make way for it, if any: the newest of the
// address with the most of those that may do no more, where that has more than the new one's. The lock is held.
func (g *gate) place(c *guest, role live.Role) (victim *guest, err error) {
	count, _ := g.crowd(func(o *guest) bool { return o.authenticated && o != c })
	limit := g.most - g.most/reservedShare*int(live.Operate-role)
	if count < limit {
		return nil, nil
	}
	ownCount := 0
	_, most := g.crowd(func(o *guest) bool {
		match := o.authenticated && o != c && o.role <= role
		if match && o.origin == c.origin {
			ownCount++
		}
		return match
	})
	if len(most) > ownCount+1 {
		return slices.MaxFunc(most, byNumber), nil
	}
	return nil, fmt.Errorf("there are %d connections, want fewer than %d for another one that may %v", count, limit, role)
}

// origin is the network of an address, from which one client can send.
func origin(address string) netip.Prefix {
	parsed, err := netip.ParseAddrPort(address)
	if err != nil {
		return netip.Prefix{}
	}
	ip, bits := parsed.Addr().Unmap(), 64
	if ip.Is4() {
		bits = 32
	}
	network, _ := ip.Prefix(bits)
	return network
}

// turn takes a turn for a wrong token, and returns how long the answer has to wait for that; for longer than
// longestWait there is none. The lock is held.
func (g *gate) turn(network netip.Prefix, now time.Time) time.Duration {
	next := g.triers[network]
	if next.Before(now) {
		next = now
	}
	wait := next.Sub(now) - freeTries*tryEvery
	if wait <= longestWait {
		if len(g.triers) >= maxTriers {
			clear(g.triers)
		}
		g.triers[network] = next.Add(tryEvery)
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

// authorize reports whether a request has the token of a role, and answers it otherwise.
func (g *gate) authorize(w http.ResponseWriter, r *http.Request, secret string) bool {
	_, err := g.admit(r.Context(), r.RemoteAddr, secret)
	switch {
	case err == nil:
		return true
	case errors.Is(err, errToken):
		w.Header().Set("WWW-Authenticate", "Bearer")
		http.Error(w, err.Error(), http.StatusUnauthorized)
	default:
		http.Error(w, err.Error(), http.StatusTooManyRequests)
	}
	return false
}
