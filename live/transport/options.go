package transport

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/live"
)

// Options are those of the servers.
type Options struct {
	Access *Access     // nil: everybody may do everything
	TLS    *tls.Config // nil: plain connections
	Hosts  []string    // names, besides those of the loopback, by which pages may reach the server

	// Origins are those of pages elsewhere that may watch by Foxglove's protocol, such as
	// "https://app.foxglove.dev".
	Origins []string

	// Log, if not nil, is called with a line about each client that is refused.
	Log func(line string)

	hello time.Duration // until a client has said who it is; 0: helloTimeout; set by tests
	stall time.Duration // until a client that does not read is closed; 0: stallTimeout; set by tests
}

// The limits of connections.
const (
	maxConnections = 512
	maxMessage     = 1 << 18 // bytes, from a client
	helloTimeout   = 5 * time.Second
	stallTimeout   = 5 * time.Second
	pingEvery      = time.Second
	sendWithin     = 30 * time.Second // a message of Foxglove's protocol, such as a scene
	closeWithin    = 250 * time.Millisecond
	writeBuffer    = 128 << 10 // bytes of a connection that the system keeps, about
)

func (o *Options) helloTimeout() time.Duration {
	if o.hello > 0 {
		return o.hello
	}
	return helloTimeout
}

// idleTimeout is the time after which a connection is closed on which nothing was asked.
func (o *Options) idleTimeout() time.Duration { return 12 * o.helloTimeout() }

func (o *Options) stallTimeout() time.Duration {
	if o.stall > 0 {
		return o.stall
	}
	return stallTimeout
}

// watch ends a client that does not read while there are frames. The buffers on the way to
// it can hold many of them, so its answers to pings are what counts: it gets to a ping only
// after all that was sent before. One that has not answered for a while is sent no frames
// until it does, so that it costs the others nothing.
func (o *Options) watch(ctx context.Context, c *live.Client, ping func(context.Context) error) {
	every := min(pingEvery, o.stallTimeout())
	next := time.NewTimer(every / 10) // the first soon
	defer next.Stop()
	for seen := c.Frames(); ; {
		select {
		case <-ctx.Done():
			return
		case <-next.C:
		}
		next.Reset(every)
		if frames := c.Frames(); frames != seen {
			if !o.answers(ctx, c, ping) {
				return
			}
			seen = frames
		}
	}
}

// stallTicks is the number of times, while a ping is not answered, at which watch looks
// whether there are new frames. Only these times count.
const stallTicks = 5

// answers sends a ping and waits for the answer. It reports false if none can come any
// more, after it has ended the client if that has let too much time pass.
func (o *Options) answers(ctx context.Context, c *live.Client, ping func(context.Context) error) bool {
	answered := make(chan error, 1)
	go func() { answered <- ping(ctx) }()
	tick := time.NewTicker(o.stallTimeout() / stallTicks)
	defer tick.Stop()
	begun, seen, late := time.Now(), c.Frames(), 0
	from := seen
	for {
		select {
		case err := <-answered:
			if err == nil {
				c.Hold(false)
				return true
			}
			if ctx.Err() == nil && time.Since(begun) >= o.stallTimeout() { // it could not be sent
				c.Stalled(c.Frames() - from)
			}
			return false
		case <-tick.C:
		}
		frames := c.Frames()
		if frames == seen {
			continue
		}
		c.Hold(true)
		if late++; late == stallTicks {
			c.Stalled(frames - from)
			return false
		}
		seen = frames
	}
}

func (o *Options) log(line string) {
	if o.Log != nil {
		o.Log(line)
	}
}

// maxLines is how many lines a server logs in a second; who is refused can cause any number.
const maxLines = 100

// bounded returns a log that leaves out the lines beyond maxLines a second, and says how
// many with the next one.
func bounded(log func(string), now func() time.Time) func(string) {
	if log == nil {
		return nil
	}
	var mu sync.Mutex
	var since time.Time
	lines, left := 0, 0
	return func(line string) {
		mu.Lock()
		defer mu.Unlock()
		if t := now(); t.Sub(since) >= time.Second {
			since, lines = t, 0
		}
		if lines++; lines > maxLines {
			left++
			return
		}
		if left > 0 {
			log(fmt.Sprintf("%d lines like this were left out", left))
			left = 0
		}
		log(line)
	}
}

// limited is a listener that closes connections beyond maxConnections at once.
type limited struct {
	net.Listener
	options *Options

	mu   sync.Mutex
	open int
}

// Accept implements [net.Listener].
func (l *limited) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if t, ok := c.(*net.TCPConn); ok { // one that does not read costs no more
			t.SetWriteBuffer(writeBuffer)
		}
		l.mu.Lock()
		full := l.open >= maxConnections
		if !full {
			l.open++
		}
		l.mu.Unlock()
		if full {
			l.options.log("refused " + c.RemoteAddr().String() + ": too many connections")
			c.Close()
			continue
		}
		return &counted{Conn: c, of: l}, nil
	}
}

type counted struct {
	net.Conn
	of   *limited
	once sync.Once
}

// Close implements [net.Conn].
func (c *counted) Close() error {
	c.once.Do(func() {
		c.of.mu.Lock()
		defer c.of.mu.Unlock()
		c.of.open--
	})
	return c.Conn.Close()
}
